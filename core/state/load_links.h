/* load_links.h: the links of a save.
 *
 * Who links is a column; the save has the order of those that link to the same
 * entity beside it. Both are made into nodes of a link index, page by page.
 */
#ifndef ECS_LOAD_LINKS_H
#define ECS_LOAD_LINKS_H

#include "state/load_part.h"

/* Puts all links into the snapshot, which has the entities. ECS_E_MEMORY;
 * ECS_E_FILE: they are wrong. */
ECS_INTERNAL ecs_Status load_links(Load *load);

#endif

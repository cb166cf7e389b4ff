/* unpack_links.h: links among packed rows.
 *
 * Links are taken out of the images of components, checked, and kept as lists:
 * for each link of the world what every row leads to, and who links in which
 * order. They are made when all entities are there.
 */
#ifndef ECS_UNPACK_LINKS_H
#define ECS_UNPACK_LINKS_H

#include "state/unpack_part.h"

/* Takes the links out of the images, which lead to packed entities. ECS_E_MEMORY;
 * ECS_E_FILE: they are wrong, and problem says why. */
ECS_INTERNAL ecs_Status unpack_take_links(Unpack *unpack);

/* Frees the lists. */
ECS_INTERNAL void unpack_forget_links(Unpack *unpack);

/* The row links to nothing, or to what the index says already. */
ECS_INTERNAL bool unpack_link_stays(const Unpack *unpack,
                                    const UnpackLink *link, uint32_t row);

#endif

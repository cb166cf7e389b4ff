/* world_trim.h: gives back memory that a world does not need at the moment.
 *
 *      tables     those without rows; room for more rows in the others
 *      edges      all: the next change of a kind finds its table again
 *      queries    plans, row lists and copies: the next use makes them anew
 *      recording  pages, scratch memory of applying
 *      handles    pages of indices that were never issued, empty locator pages
 *
 * A world in which a million combinations of components have met keeps a table
 * for each, and every walk over all tables goes through them: after a trim it
 * does not. Entities, values and the order of rows stay, and so does the order
 * of the tables that are left. Because the order of tables is in world_hash,
 * trimming changes the hash where there were empty tables: a new combination
 * then comes in another order than it would have.
 */
#ifndef ECS_WORLD_TRIM_H
#define ECS_WORLD_TRIM_H

#include "world/world.h"

/* Trims a world in which no level is open. Cannot fail: what memory is refused
 * for stays as it is. Every row may have moved in memory, and everything made
 * for the layout before is out of date. Cost: every row and every table. */
ECS_INTERNAL void world_trim(ecs_World *world);

#endif

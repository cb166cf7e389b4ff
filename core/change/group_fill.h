/* group_fill.h: copies entities into a group that is built anew.
 *
 * The rows of the main group's tables are taken in their order, a block at a
 * time, in three steps:
 *
 *      locate   the block's entities in each old group that gives a component
 *      choose   the new table of each entity, by the tables that it was in
 *      copy     the rows for each new table, column by column
 *
 * So every new table has its rows in the order of the main group. Cost: about a
 * load and a store for each element, and a look-up for each row and old group.
 */
#ifndef ECS_GROUP_FILL_H
#define ECS_GROUP_FILL_H

#include "storage/placement.h"

/* Fills a group, which is new and has its components, but is not the store's
 * yet, with all entities that have one of them; a main group with all entities.
 * The old groups stay as they are. ECS_E_MEMORY, ECS_E_LIMIT: the group has some
 * rows. */
ECS_INTERNAL ecs_Status group_fill(Store *store, Group *group);

#endif

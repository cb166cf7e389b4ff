/* world_hash.h: one number for a world.
 *
 * world_hash covers all that decides what the same calls will do from now on,
 * so that two worlds with equal hashes stay equal. This is all of it:
 *
 *      handles    the indices used so far and the free list, in its order.
 *                 Indices below `used` that are neither alive nor free are
 *                 retired, so they need no word of their own
 *      rows       of every group: its tables in their order, empty ones
 *                 included, as a new combination comes after them and queries
 *                 go through them in this order; in each table, entities and
 *                 values in the order of the rows
 *      groups     which components are stored together, where that differs from
 *                 their definitions
 *      recorded   commands not applied yet: entities in the order of their
 *                 first command, their commands, and the level of each, because
 *                 a level can be discarded
 *
 * Everything else in a world follows from these, or decides nothing. Edges only
 * find tables that exist. Plans and row lists are made from tables and rows,
 * and the driver of a query is chosen by rows and terms. Ids of components and
 * groups give no order to rows. Capacities, versions and statistics count cost.
 * So looking at a world never changes its hash, and neither does a definition.
 *
 * world_state_hash is a sum over entities and components by name, so that
 * neither the order of rows nor the storage changes it.
 *
 * Neither covers a component that no entity has, but for its group and empty
 * tables, nor the order of definitions. Every NaN counts as the same NaN. No
 * address and no padding enters a hash. Cost: both read what can have changed since
 * they were asked last; see world_hash.c.
 */
#ifndef ECS_WORLD_HASH_H
#define ECS_WORLD_HASH_H

#include "world/world.h"

/* The hash of all that decides the future. Cannot fail. */
ECS_INTERNAL uint64_t world_hash(const ecs_World *world);

/* The hash of the entities, their components and their values. Cannot fail. */
ECS_INTERNAL uint64_t store_state_hash(const Store *store);

/* The same, and the order of links. Cannot fail. */
ECS_INTERNAL uint64_t world_state_hash(const ecs_World *world);

#endif

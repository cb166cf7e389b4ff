/* world_hash.h: one number for a world.
 *
 * world_hash covers everything that a program can observe: which handles will
 * be issued next, the order of rows, every value. world_state_hash is a sum
 * over entities and components by name, so that neither the order of rows nor
 * the storage changes it.
 *
 * Neither covers a component that no entity has, nor the order of definitions.
 * Every NaN counts as the same NaN. No address, no padding and no empty table
 * enters a hash. Cost: both read the whole world.
 */
#ifndef ECS_WORLD_HASH_H
#define ECS_WORLD_HASH_H

#include "storage/store.h"

/* The hash of everything that a program can observe. Cannot fail. */
ECS_INTERNAL uint64_t world_hash(const Store *store);

/* The hash of the entities, their components and their values. Cannot fail. */
ECS_INTERNAL uint64_t world_state_hash(const Store *store);

#endif

/* world_hash.h: one number for a world.
 *
 * world_hash sees everything that a program can observe: which handles come
 * next, the order of rows, every value. world_state_hash is a sum over
 * entities and components by name, so that neither the order of rows nor the
 * storage changes it. Neither sees definitions that no entity has, nor their
 * order. A NaN counts as a NaN, whatever its bits. No address, no padding and
 * no empty table enters either. Cost: reads the whole world.
 */
#ifndef ECS_WORLD_HASH_H
#define ECS_WORLD_HASH_H

#include "storage/store.h"

ECS_INTERNAL uint64_t world_hash(const Store *store);
ECS_INTERNAL uint64_t world_state_hash(const Store *store);

#endif

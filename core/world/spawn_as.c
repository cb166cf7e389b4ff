/* spawn_as.c: spawns an entity with a given handle, now or recorded. */
#include "world/spawn_as.h"

/* Why an index that an entity has cannot be given. */
static const char *refuse_used(const ecs_World *world, ecs_Entity entity) {
  if (world_alive(world, entity)) return "the entity is alive";
  return recorded_destroyed(world, entity)
             ? "the entity is destroyed only when recorded changes are made"
             : "another entity has its index";
}

/* The same of one whose index is not below those that were used. */
static const char *refuse_far(ecs_Entity entity, uint32_t used) {
  bool reached = id_index(entity) - used < ECS_INDEX_REACH &&
                 id_index(entity) < ECS_INDEX_LIMIT;
  if (id_generation(entity) >= ECS_GENERATION_LIMIT)
    return "its generation is too high";
  return reached ? NULL : "its index is too far above all that were used";
}

/* Why a handle cannot be given; NULL: it can. */
static const char *find_refusal(const ecs_World *world, ecs_Entity entity) {
  const EntityIndex *index = &world->store.index;
  uint32_t generation = id_generation(entity);
  if (id_index(entity) >= index->used) return refuse_far(entity, index->used);
  if (generation >= ECS_GENERATION_LIMIT) return "its generation is too high";
  Slot slot = *entity_index_slot(index, id_index(entity));
  if (slot_state(slot) == SLOT_RETIRED) return "its index is retired";
  if (slot_state(slot) != SLOT_FREE) return refuse_used(world, entity);
  return generation < slot.table_bits ? "its generation is over" : NULL;
}

ecs_Status world_check_claim(ecs_World *world, ecs_Entity entity) {
  const char *refusal = find_refusal(world, entity);
  return refusal != NULL ? memory_refuse_taken(&world->store.memory, refusal)
                         : ECS_OK;
}

ecs_Status world_check_reach(ecs_World *world, ecs_Entity entity,
                             uint32_t used) {
  const char *refusal = refuse_far(entity, used);
  return refusal != NULL ? memory_refuse_taken(&world->store.memory, refusal)
                         : ECS_OK;
}

ecs_Status world_claim(ecs_World *world, ecs_Entity entity,
                       EntityClaim *claim) {
  ecs_Status status = world_check_claim(world, entity);
  return status == ECS_OK ? entity_claim(&world->store, entity, claim) : status;
}

ecs_Status world_spawn_as(ecs_World *world, ecs_Entity entity, Bundle *bundle,
                          const void *const *values) {
  EntityClaim claim;
  ecs_Entity born = 0;
  ecs_Status status = world_claim(world, entity, &claim);
  if (status != ECS_OK) return status;
  status = world_spawn(world, bundle, values, &born);
  if (status != ECS_OK) entity_claim_undo(&world->store, &claim);
  ECS_ASSERT(status != ECS_OK || born == entity);
  return status;
}

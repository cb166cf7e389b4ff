/* spawn_call.c: spawning from numbers, for bindings. */
#define ECS_DEFINES_API /* ecs.h */

#include "api/spawn_call.h"

#include <float.h>
#include <string.h>

#include "base/misuse.h"
#include "world/deferred_change.h"
#include "world/spawn_as.h"

/* Strict, as ecs_scalar_store; in line for an f32 in range. */
static inline bool store(const SpawnPlace *place, double number) {
  if (ECS_LIKELY(place->type == ECS_F32 && number >= -FLT_MAX &&
                 number <= FLT_MAX)) {
    float narrow = (float)number;
    memcpy(place->element, &narrow, sizeof narrow);
    return true;
  }
  return ecs_scalar_store(place->type, place->element, number) == ECS_OK;
}

double ecs_spawn_call(const SpawnCall *call, const double *numbers) {
  ecs_World *world = *call->world;
  ecs_Entity entity;
  if (ECS_UNLIKELY(world == NULL || call->bundle == 0)) return 0;
  ECS_ASSERT(change_has_bundle(&world->store, call->bundle));
  Bundle *bundle = change_bundle(&world->store, call->bundle);
  if (ECS_UNLIKELY(bundle->noticed)) return 0;
  for (uint32_t k = 0; k < call->count; k++)
    if (ECS_UNLIKELY(!store(&call->places[k], numbers[k]))) return 0;
  ecs_Status status = world_spawn(world, bundle, call->images, &entity);
  return ECS_LIKELY(status == ECS_OK) ? (double)(int64_t)entity : 0;
}

ecs_Status ecs_spawn_as_check(ecs_World *world, ecs_Entity entity) {
  ECS_MUST_LIVE(WORLD, world);
  if (id_index(entity) == 0 || entity >> ECS_HANDLE_BITS != 0)
    return ECS_E_ARGUMENT;
  return world_check_claim(world, entity);
}

/* spawn_call.h: spawning from numbers, for bindings.
 *
 * A SpawnCall is a spawn of known components and fields: an image for
 * each component of a bundle, and for each argument its place in one of the
 * images. A call stores the numbers in their places and creates an entity, in
 * one function, so that compiled scripts need one call without a table.
 *
 *      numbers     1    2   -4
 *                  |    |     \
 *      images    { x    y }  { x  y = -4 }     of the bundle { Position,
 *                 Position    Velocity           Velocity }
 *
 * What is out of the ordinary is left to the caller, which makes the call in
 * the ordinary way: the answer is then 0, and nothing has changed in the world.
 * The images may hold some of the numbers; every call stores all of them.
 *
 * A binding that gives a world components by need asks before that whether
 * ecs_spawn_as would refuse the handle.
 *
 * Exported for bindings; not part of the interface that ecs.h promises.
 */
#ifndef ECS_SPAWN_CALL_H
#define ECS_SPAWN_CALL_H

#include "base/config.h"
#include "ecs.h"

/* Where an argument is stored. */
typedef struct SpawnPlace {
  void *element;   /* in one of the images */
  ecs_Scalar type; /* of the field */
} SpawnPlace;

typedef struct SpawnCall {
  ecs_World *const *world;   /* borrowed; holds NULL once the world is
                                 destroyed */
  const SpawnPlace *places;  /* one for each argument; borrowed */
  const void *const *images; /* one for each component of the bundle; NULL:
                                 defaults; borrowed */
  uint32_t count;            /* of arguments */
  ecs_Bundle bundle;         /* 0: none yet, every answer is 0 */
} SpawnCall;

/* Creates an entity with these arguments, or records that it is created. The
 * entity; 0: a number does not fit its field, the world was destroyed, has no
 * bundle yet or no room. Cost: that of ecs_spawn_bundle, and a store for each
 * argument. */
ECS_API double ecs_spawn_call(const SpawnCall *call, const double *numbers);

/* ECS_E_TAKEN, with its reason, where ecs_spawn_as would return it for this
 * entity; ECS_E_ARGUMENT for what is no handle; otherwise ECS_OK. The world stays
 * as it is. Cost: constant. */
ECS_API ecs_Status ecs_spawn_as_check(ecs_World *world, ecs_Entity entity);

#endif

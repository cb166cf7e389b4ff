/* program_keys.c: which elements of arrays a run of a program will look at. */
#define ECS_DEFINES_API /* ecs.h */

#include "api/program_keys.h"

#include "base/float_mode.h"
#include "base/misuse.h"
#include "program/vm.h"
#include "program/vm_arrays.h"
#include "query/claims.h"

bool ecs_program_shows_keys(const ecs_Program *program, uint32_t array,
                            uint32_t filled) {
  ECS_MUST_LIVE(PROGRAM, program);
  ECS_ASSERT(array < program->array_count && filled <= array);
  return program_visits(program, array, filled);
}

ecs_Status ecs_program_keys(ecs_Program *program, const ecs_ProgramCall *call,
                            void (*visit)(void *user, uint32_t array,
                                          const double *keys, uint32_t count),
                            void *user) {
  ECS_MUST_LIVE(PROGRAM, program);
  if (call == NULL || visit == NULL ||
      call->uniform_count != program->uniform_count ||
      (call->uniform_count > 0 && call->uniforms == NULL) ||
      call->array_count > program->array_count ||
      (call->array_count > 0 && call->arrays == NULL))
    return ECS_E_ARGUMENT;
  ecs_Status arrays = arrays_check(program, call);
  if (arrays != ECS_OK) return arrays;
  ecs_World *world = world_of(program->query);
  ecs_Component contested = 0;
  if (world->depth > 0) contested = claims_contested(program->query);
  if (world->depth > 0 && contested == 0)
    contested = program_contested(program);
  if (contested != 0) return world_refuse_access(world, contested);
  FloatMode mode = float_mode_begin();
  ecs_Status status = program_visit(program, call, visit, user);
  float_mode_end(mode);
  return status;
}

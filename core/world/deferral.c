/* deferral.c: opens and closes the levels of a world's recording. */
#include "world/deferral.h"

Level deferral_mark(ecs_World *world) {
  return (Level){command_mark(&world->commands), world->dropped, 0};
}

void deferral_rewind(ecs_World *world, const Level *mark) {
  ECS_ASSERT(world->dropped >= mark->dropped);
  command_rewind(&world->commands, mark->mark);
  world->dropped = mark->dropped;
}

ecs_Status deferral_open(ecs_World *world) {
  if (world->depth >= ECS_NESTING_LIMIT)
    return memory_refuse(&world->store.memory, ECS_NESTING_LIMIT,
                         "cursors and deferrals", "a world");
  ECS_ASSERT(world->depth > 0 || world->commands.entity_count == 0);
  world->store.row_epoch++;
  world->levels[world->depth++] = deferral_mark(world);
  return ECS_OK;
}

/* Applying fails as a whole. Then nothing that was recorded since the outermost
 * level was opened has happened, and nothing of it was dropped either. */
ecs_Status deferral_close(ecs_World *world) {
  ECS_ASSERT(world->depth > world->deferrals);
  world->store.row_epoch++;
  if (--world->depth > 0) return ECS_OK;
  ecs_Status status = command_flush(&world->commands);
  if (status != ECS_OK) world->dropped = world->levels[0].dropped;
  ECS_ASSERT(world->commands.entity_count == 0);
  return status;
}

void deferral_discard(ecs_World *world) {
  ECS_ASSERT(world->depth > world->deferrals);
  world->store.row_epoch++;
  deferral_rewind(world, &world->levels[--world->depth]);
  ECS_ASSERT(world->depth > 0 || world->commands.entity_count == 0);
}

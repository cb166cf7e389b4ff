/* kept_end.c: ends of cursors and deferrals after which changes can be applied
 * once more. */
#define ECS_DEFINES_API

#include "api/kept_end.h"

#include "api/api_query.h"
#include "base/misuse.h"
#include "world/deferral.h"

ecs_Status ecs_cursor_end_kept(ecs_Cursor *cursor) {
  ecs_World *world = api_cursor_close(cursor, __func__);
  return world == NULL ? ECS_E_ARGUMENT : deferral_close_kept(world);
}

ecs_Status ecs_defer_end_kept(ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  if (!deferral_is_innermost(world)) return ECS_E_ARGUMENT;
  world->deferrals--;
  return deferral_close_kept(world);
}

/* walk_end.c: how a walk ends, and what it leaves for its caller. */
#include "query/walk_end.h"

#include "api/for_bindings.h"
#include "api/kept_end.h"
#include "world/recording.h"
#include "world/report.h"
#include "world/telling.h"
#include "world/traceback.h"

Outcome bind_walk_end(lua_State *L, OpenWalk *walk, ecs_Cursor *cursor,
                      Outcome outcome, const char *call) {
  ecs_Status status = ECS_OK;
  LuaWorld *world = walk->world;
  if (outcome == OUTCOME_DONE)
    status = ecs_cursor_end_kept(cursor);
  else
    ecs_cursor_discard(cursor);
  if (status == ECS_E_MEMORY) world->deferrals++; /* so that it stays open */
  bool closed = bind_world_leave(walk);
  ECS_ASSERT(!closed || !world->innermost);
  if (status == ECS_E_MEMORY) {
    status = bind_apply_kept(L, world);
    closed = bind_world_end_pending(world);
  }
  if (outcome != OUTCOME_DONE) return outcome;
  if (status != ECS_OK)
    bind_push_status(L, world, status, call);
  else if (closed)
    lua_pushfstring(L, "ecs: the world was closed inside %s", walk->label);
  else
    return OUTCOME_DONE;
  return OUTCOME_MISUSE;
}

/* The outcome of a walk and of the observers behind it. Where the walk failed,
 * an error of observers is forgotten: entities that were spawned at once may be
 * there to tell of. */
static Outcome tell_behind(lua_State *L, LuaWorld *world, Outcome outcome) {
  if (outcome == OUTCOME_DONE) return bind_tell_outcome(L, world);
  int top = lua_gettop(L);
  (void)bind_tell_outcome(L, world);
  lua_settop(L, top);
  return outcome;
}

int bind_walk_raise(lua_State *L, LuaWorld *world, Outcome outcome) {
  switch (tell_behind(L, world, outcome)) {
    case OUTCOME_MISUSE: return bind_raise(L);
    case OUTCOME_THROWN: bind_trace_again(L); return lua_error(L);
    default: return 0;
  }
}

int bind_walk_results(lua_State *L, LuaWorld *world, Outcome outcome,
                      bool idle) {
  outcome = tell_behind(L, world, outcome);
  bool done = outcome == OUTCOME_DONE;
  lua_pushboolean(L, done);
  lua_pushboolean(L, done ? idle : outcome == OUTCOME_THROWN);
  if (done) return 2;
  lua_pushvalue(L, -3);
  return 3;
}

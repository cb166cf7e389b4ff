/* frames.c: frames of a world, and the changes that its systems record.
 *
 *      frame(world, "progress", deferred, f, ...)
 *        +-- one frame at a time
 *        +-- deferred: opens a recording, which is applied when f returns
 *              \-- record(world, g, ...)     one system: its changes are kept,
 *                                            or dropped when g has failed
 *
 * Both call Lua through lua_pcall and then close what they opened, so no error
 * leaves a frame running or a recording open. A function that yields gets an
 * error.
 *
 * While a recording is open, its world cannot be closed: close raises, and a
 * world that is finalized ends with the outermost recording or walk.
 */
#include "world/frames.h"

#include <string.h>

#include "api/for_bindings.h"
#include "world/collect.h"
#include "world/components.h"
#include "world/held_sweep.h"
#include "world/recording.h"
#include "world/report.h"
#include "world/telling.h"
#include "world/traceback.h"

/* Results for scripts/ecs: true; or false, whether the error is the script's
 * own, and the error. */
#define RESULTS 3

/* The results for the message on top of the stack. */
static int results_of_message(lua_State *L) {
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return RESULTS;
}

static int fail(lua_State *L, const LuaWorld *world, ecs_Status status,
                const char *call) {
  bind_push_status(L, world, status, call);
  return results_of_message(L);
}

/* Calls the function that lies below its arguments on the stack, protected, and
 * leaves RESULTS values in their place. */
static void call_back(lua_State *L, int arguments) {
  if (lua_pcall(L, arguments, RESULTS, 0) == 0) return;
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  lua_pushboolean(L, 1);
  lua_insert(L, -2);
}

/* Opens a recording. Until it is closed, only the function that is called may
 * allocate. */
static ecs_Status enter(lua_State *L, LuaWorld *world) {
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status, ecs_defer_begin(bind_native(L, world)));
  if (status == ECS_OK) world->deferrals++;
  return status;
}

/* Closes the recording: applies its changes, or drops them. Ends the world if
 * it was finalized meanwhile. Runs finalizers where memory runs out. */
static ecs_Status leave(lua_State *L, LuaWorld *world, bool keep) {
  ecs_Status status = ECS_OK;
  ECS_ASSERT(world->native && world->deferrals > 0);
  if (keep) {
    status = bind_end_deferral(L, world);
  } else {
    world->deferrals--;
    ecs_defer_discard(world->native);
  }
  bind_world_end_pending(world);
  return status;
}

/* Calls observers behind the results on top of the stack, and returns those, or
 * an error of an observer in their place, unless they are one themselves. */
static int tell_behind(lua_State *L, LuaWorld *world) {
  bool failed = !lua_toboolean(L, -RESULTS);
  int top = lua_gettop(L);
  Outcome outcome = bind_tell_outcome(L, world);
  if (failed) lua_settop(L, top);
  if (failed || outcome == OUTCOME_DONE) return RESULTS;
  lua_pushboolean(L, 0);
  lua_pushboolean(L, outcome == OUTCOME_THROWN);
  lua_pushvalue(L, -3);
  return RESULTS;
}

/* record(world, f, ...): calls f, which returns results as above. Drops what f
 * recorded unless the first is true. */
static int record(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  luaL_checkstack(L, 16, NULL);
  ecs_Status status = enter(L, world);
  if (status != ECS_OK) return fail(L, world, status, "record");
  call_back(L, lua_gettop(L) - 2);
  status = leave(L, world, lua_toboolean(L, -RESULTS));
  return status == ECS_OK ? tell_behind(L, world)
                          : fail(L, world, status, "record");
}

/* The changes of the frame could not be applied: turns results that say success
 * into an error, and appends a sentence to an error's text. */
static int report_loss(lua_State *L, const LuaWorld *world, ecs_Status status) {
  const char *loss =
      "the changes of this frame could not be applied and are "
      "lost";
  bool failed = !lua_toboolean(L, -RESULTS);
  if (failed && lua_type(L, -1) != LUA_TSTRING) return RESULTS;
  bind_push_refusal(L, world, status);
  const char *why = lua_tostring(L, -1);
  if (!failed) {
    lua_pushfstring(L, "ecs: %s: %s", loss, why);
    lua_remove(L, -2);
    return results_of_message(L);
  }
  const char *text = lua_tostring(L, -2);
  const char *trace = strstr(text, TRACE_LINE);
  if (!trace) trace = text + strlen(text);
  lua_pushlstring(L, text, (size_t)(trace - text));
  lua_pushfstring(L, "; %s: %s%s", loss, why, trace);
  lua_concat(L, 2);
  lua_remove(L, -2);
  lua_replace(L, -2);
  return RESULTS;
}

/* Is no frame possible now? Then pushes why. */
static bool is_refused(lua_State *L, const LuaWorld *world, const char *call) {
  if (world->innermost)
    lua_pushfstring(L, "ecs: %s is not possible inside %s", call,
                    world->innermost->label);
  else if (world->telling)
    lua_pushfstring(L, "ecs: %s is not possible inside an observer", call);
  else if (world->running)
    lua_pushfstring(L,
                    "ecs: %s is not possible here: a frame is running "
                    "already, and a system cannot begin another",
                    call);
  else if (bind_world_open(world))
    lua_pushfstring(L, "ecs: %s is not possible inside %s", call,
                    bind_world_open(world));
  else
    return false;
  return true;
}

/* frame(world, call, deferred, f, ...): calls f, which returns results as
 * above, as one frame. call is the name of the caller's function, for messages.
 */
static int frame(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  const char *call = luaL_checkstring(L, 2);
  bool deferred = lua_toboolean(L, 3);
  luaL_checktype(L, 4, LUA_TFUNCTION);
  luaL_checkstack(L, 16, NULL);
  bind_note_growth(L, world);
  bind_held_relieve(L, bind_state(L));
  if (deferred) bind_components_ensure(L, world, 1);
  if (is_refused(L, world, call)) return results_of_message(L);
  ecs_Status status = deferred ? enter(L, world) : ECS_OK;
  if (status != ECS_OK) return fail(L, world, status, call);
  ModuleState *state = bind_state(L);
  OpenWalk *walk = state->walk; /* of another world */
  state->walk = NULL;
  world->running = true;
  world->frame++;
  state->frames++;
  FloatMode mode = float_mode_begin();
  call_back(L, lua_gettop(L) - 4);
  ECS_ASSERT(world->running && !state->walk);
  world->running = world->in_step = false;
  ECS_ASSERT(state->frames > 0);
  state->frames--;
  state->walk = walk;
  if (deferred) status = leave(L, world, true);
  int results =
      status == ECS_OK ? tell_behind(L, world) : report_loss(L, world, status);
  float_mode_end(mode);
  return results;
}

/* float_mode(usual): true: has the thread compute as IEEE 754 has it by default;
 * false: takes that back. Calls nest; what there is to take back is kept here,
 * so that no call can set anything else. */
static int float_mode(lua_State *L) {
  ModuleState *state = bind_state(L);
  if (lua_toboolean(L, 1)) {
    if (state->usual_modes == UINT32_MAX) return 0;
    if (state->usual_modes++ == 0) state->float_mode = float_mode_begin();
  } else if (state->usual_modes > 0 && --state->usual_modes == 0) {
    float_mode_end((FloatMode)state->float_mode);
  }
  return 0;
}

static const luaL_Reg functions[] = {{"frame", frame},
                                     {"record", record},
                                     {"float_mode", float_mode},
                                     {NULL, NULL}};

void bind_open_frames(lua_State *L) { bind_add(L, functions); }

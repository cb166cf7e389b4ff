/* frames.c: a world's frames: systems that run one after the other, and what
 * they record meanwhile.
 *
 *      frame(world, "progress", deferred, f, ...)
 *        +-- one frame at a time
 *        +-- deferred: opens a recording, which is applied when f returns
 *              \-- record(world, g, ...)     one system: kept, or taken back
 *                                            alone when g says that it failed
 *
 * Both call Lua through lua_pcall and close what they opened whatever comes of
 * it, so no error, in whatever place, leaves a frame running or a world
 * recording. A function that yields gets an error.
 *
 * While a frame records, its world cannot be closed: close is refused, and a
 * finalizer's wish is kept until the frame ends.
 */
#include "world/frames.h"

#include "world/components.h"
#include "world/report.h"

/* What the functions here leave for scripts/ecs: true; or false, whether the
 * error is the script's own, and the error. */
#define RESULTS 3

static int misuse(lua_State *L) {
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return RESULTS;
}

static int fail(lua_State *L, const LuaWorld *world, ecs_Status status,
                const char *call) {
  bind_push_status(L, world, status, call);
  return misuse(L);
}

/* Calls the function below its arguments, which takes them away and leaves
 * RESULTS values. Needs that much stack. */
static void call_back(lua_State *L, int arguments) {
  if (lua_pcall(L, arguments, RESULTS, 0) == 0) return;
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  lua_pushboolean(L, 1);
  lua_insert(L, -2);
}

/* Opens a recording. The stack is ready, and nothing allocates until it is
 * closed but what is called back. */
static ecs_Status enter(lua_State *L, LuaWorld *world) {
  ecs_Status status = ecs_defer_begin(bind_native(L, world));
  if (status == ECS_OK) world->deferrals++;
  return status;
}

/* Closes it, with the world if a finalizer wished so. */
static ecs_Status leave(LuaWorld *world, bool keep) {
  ecs_Status status = ECS_OK;
  world->deferrals--;
  if (keep)
    status = ecs_defer_end(world->native);
  else
    ecs_defer_discard(world->native);
  bind_world_end_pending(world);
  return status;
}

/* record(world, f, ...): calls f, which answers as functions here do; drops
 * what it recorded unless it answers true. */
static int record(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  luaL_checkstack(L, 8, NULL);
  ecs_Status status = enter(L, world);
  if (status != ECS_OK) return fail(L, world, status, "record");
  call_back(L, lua_gettop(L) - 2);
  status = leave(world, lua_toboolean(L, -RESULTS));
  return status == ECS_OK ? RESULTS : fail(L, world, status, "record");
}

/* The frame's changes could not be applied: what RESULTS says so far is no
 * success any more, or gets one sentence more. */
static int report_loss(lua_State *L, ecs_Status status) {
  const char *loss =
      "the changes of this frame could not be applied and are "
      "lost";
  if (lua_toboolean(L, -RESULTS)) {
    lua_pushfstring(L, "ecs: %s: %s", loss, ecs_status_text(status));
    return misuse(L);
  }
  if (lua_type(L, -1) != LUA_TSTRING) return RESULTS;
  lua_pushfstring(L, "%s; %s: %s", lua_tostring(L, -1), loss,
                  ecs_status_text(status));
  lua_replace(L, -2);
  return RESULTS;
}

/* Why no frame can begin; pushes nothing when one can. */
static bool is_refused(lua_State *L, const LuaWorld *world, const char *call) {
  if (world->innermost)
    lua_pushfstring(L, "ecs: %s is not possible inside %s", call,
                    world->innermost->label);
  else if (world->running)
    lua_pushfstring(L,
                    "ecs: %s is not possible here: a frame is running "
                    "already, and a system cannot begin another",
                    call);
  else
    return false;
  return true;
}

/* frame(world, name, deferred, f, ...): calls f, which answers as functions
 * here do, as one frame. name is that of the caller, for messages. */
static int frame(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  const char *call = luaL_checkstring(L, 2);
  bool deferred = lua_toboolean(L, 3);
  luaL_checktype(L, 4, LUA_TFUNCTION);
  luaL_checkstack(L, 8, NULL);
  if (deferred) bind_components_ensure(L, world, 1);
  if (is_refused(L, world, call)) return misuse(L);
  ecs_Status status = deferred ? enter(L, world) : ECS_OK;
  if (status != ECS_OK) return fail(L, world, status, call);
  ModuleState *state = bind_state(L);
  OpenWalk *walk = state->walk; /* of another world */
  state->walk = NULL;
  world->running = true;
  call_back(L, lua_gettop(L) - 4);
  world->running = false;
  state->walk = walk;
  if (deferred) status = leave(world, true);
  return status == ECS_OK ? RESULTS : report_loss(L, status);
}

static const luaL_Reg functions[] = {
    {"frame", frame}, {"record", record}, {NULL, NULL}};

void bind_open_frames(lua_State *L) { bind_add(L, functions); }

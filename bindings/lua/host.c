/* host.c: what ecs_lua.h calls: worlds that belong to the C program around Lua.
 *
 *      ecs_lua_push(L, world) --> pcall --> push --> userdata
 *                                                       |
 *      ModuleState: worlds { userdata, ... }  <---------+  until it has ended
 *
 * A call of the host has no upvalue that holds the ModuleState. So the function
 * that does the work is kept in the state's list of hosts. The call finds it
 * there without an allocation and calls it protected: no error of Lua gets past
 * this file.
 */
#define ECS_DEFINES_LUA_API /* ecs_lua.h */

#include "host.h"

#include "api/for_bindings.h"
#include "component/host_definition.h"
#include "ecs_lua.h"
#include "program/lua_kernel.h"
#include "query/world_close.h"
#include "world/borrowed.h"
#include "world/collect.h"
#include "world/components.h"

/* The arguments of a host's call. The ModuleState points to them meanwhile;
 * they are not pushed, because LuaJIT may need memory to push an address. */
typedef struct HostCall {
  ecs_World *world;
  double dt;
  const char *name;
  const ecs_KernelLibrary *library;
} HostCall;

static const HostCall *call_of(lua_State *L) {
  return (const HostCall *)bind_state(L)->host_call;
}

/* Pushing ------------------------------------------------------------------ */

/* Raises when a definition of this state contradicts a component. */
static void check_components(lua_State *L, const ecs_World *native) {
  const char *name;
  for (ecs_Component component = 1;
       (name = ecs_component_name(native, component)); component++)
    if (bind_definition_for(L, native, component, false).conflict)
      bind_error(L,
                 "%s is defined in this state already, with other fields or "
                 "in another order: push the world before a script "
                 "defines it",
                 name);
}

/* on_push(f): f is called with every world that a host pushes for the first
 * time. Only the first f is accepted, so that no script can replace it. */
static int on_push(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  bind_push_shared(L);
  lua_getfield(L, -1, "on_push");
  if (lua_isnil(L, -1)) {
    lua_pushvalue(L, 1);
    lua_setfield(L, -3, "on_push");
  }
  return 0;
}

/* Prepares the world at index 1 for scripts. If it raises, push_new ends the
 * world again. */
static int prepare_pushed(lua_State *L) {
  LuaWorld *world = (LuaWorld *)bind_find(L, 1, KIND_WORLD);
  check_components(L, world->native);
  ECS_ASSERT(world->borrowed && !world->innermost);
  bind_components_adopt(L, world, 1);
  bind_push_shared(L);
  lua_getfield(L, -1, "on_push");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 0);
  bind_borrowed_sweep(L, NULL);
  bind_borrowed_add(L, 1);
  return 0;
}

/* Pushes a new object for a native world that no object holds. */
static LuaWorld *push_new(lua_State *L, ecs_World *native) {
  LuaWorld *world = bind_world_new(L);
  world->borrowed = true;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, prepare_pushed, 1);
  lua_pushvalue(L, -2);
  if (!bind_world_hold(world, native))
    bind_error(L, "this world belongs to Lua already, or to another Lua state");
  if (lua_pcall(L, 1, 0, 0) != 0) {
    bind_world_end(world);
    lua_error(L);
  }
  return world;
}

static int push(lua_State *L) {
  ecs_World *native = call_of(L)->world;
  if (!native) return bind_error(L, "there is no world to push");
  if (!bind_borrowed_find(L, native)) push_new(L, native);
  return 1;
}

static int give(lua_State *L) {
  push(L);
  LuaWorld *world = (LuaWorld *)bind_find(L, -1, KIND_WORLD);
  bind_world_charge(L, world);
  if (!world->native) /* a finalizer was here */
    return bind_error(L, "this world was let go of meanwhile");
  ECS_ASSERT(world->borrowed);
  bind_borrowed_sweep(L, world);
  world->borrowed = false;
  return 1;
}

static int detach(lua_State *L) {
  LuaWorld *world = bind_borrowed_find(L, call_of(L)->world);
  if (world) bind_world_detach(L, world, -1);
  return 0;
}

/* Pushes the borrowed world's method and the world. */
static void push_method(lua_State *L, const HostCall *call,
                        const char *method) {
  if (!bind_borrowed_find(L, call->world))
    bind_error(L,
               "this world is not borrowed by this state: ecs_lua_push it "
               "first");
  lua_getfield(L, -1, method);
  lua_insert(L, -2);
}

static int progress(lua_State *L) {
  const HostCall *call = call_of(L);
  push_method(L, call, "progress");
  lua_pushnumber(L, call->dt);
  lua_call(L, 2, 0);
  return 0;
}

static int run_phase(lua_State *L) {
  const HostCall *call = call_of(L);
  push_method(L, call, "run");
  lua_pushstring(L, call->name);
  lua_pushnumber(L, call->dt);
  lua_call(L, 3, 0);
  return 0;
}

static int add_library(lua_State *L) {
  const ecs_KernelLibrary *library = call_of(L)->library;
  const char *name = call_of(L)->name;
  if (!library || !name || !*name)
    return bind_error(L, "a library has a name and kernels");
  if (library->abi != ECS_KERNEL_ABI ||
      library->kernel_bytes != sizeof(ecs_Kernel) ||
      library->column_bytes != sizeof(ecs_KernelColumn) ||
      library->call_bytes != sizeof(ecs_KernelCall) ||
      library->parameter_bytes != sizeof(ecs_KernelParameter) ||
      library->array_bytes != sizeof(ecs_KernelArray) ||
      library->elements_bytes != sizeof(ecs_KernelElements))
    return bind_error(L, "library '%s': %s", name, ecs_status_text(ECS_E_ABI));
  bind_library_add(L, name, library);
  return 0;
}

/* Indices in the list of hosts. */
enum { PUSH = 1, GIVE, DETACH, PROGRESS, RUN, LIBRARY, FUNCTION_COUNT };

void bind_open_host(lua_State *L) {
  static const luaL_Reg functions[] = {{"on_push", on_push}, {NULL, NULL}};
  static const lua_CFunction host_functions[FUNCTION_COUNT] = {
      NULL, push, give, detach, progress, run_phase, add_library};
  bind_add(L, functions);
  bind_push_shared(L);
  bind_push_table(L, "hosts");
  for (int k = PUSH; k < FUNCTION_COUNT; k++) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, host_functions[k], 1);
    lua_rawseti(L, -2, k);
  }
  lua_pop(L, 2);
}

/* For hosts ---------------------------------------------------------------- */

#define NOT_OPENED "ecs: call ecs_lua_open first"

/* Calls a function of the list of hosts, protected. Such calls nest when a
 * script calls a function of the host. */
static int call_protected(lua_State *L, int function, const HostCall *call,
                          int results) {
  ModuleState *state = bind_push_state(L);
  if (!state) {
    lua_pop(L, 1);
    lua_pushliteral(L, NOT_OPENED);
    return LUA_ERRRUN;
  }
  compat_push_private(L, -1);
  lua_getfield(L, -1, "hosts");
  lua_rawgeti(L, -1, function);
  lua_replace(L, -4);
  lua_pop(L, 2);
  const void *outer = state->host_call;
  state->host_call = call;
  int status = lua_pcall(L, 0, results, 0);
  ECS_ASSERT(state->host_call == call); /* calls nest */
  state->host_call = outer;
  return status;
}

int ecs_lua_push(lua_State *L, ecs_World *world) {
  HostCall call = {world, 0, NULL, NULL};
  return call_protected(L, PUSH, &call, 1);
}

int ecs_lua_give(lua_State *L, ecs_World *world) {
  HostCall call = {world, 0, NULL, NULL};
  return call_protected(L, GIVE, &call, 1);
}

int ecs_lua_detach(lua_State *L, ecs_World *world) {
  HostCall call = {world, 0, NULL, NULL};
  return call_protected(L, DETACH, &call, 0);
}

int ecs_lua_progress(lua_State *L, ecs_World *world, double dt) {
  HostCall call = {world, dt, NULL, NULL};
  return call_protected(L, PROGRESS, &call, 0);
}

int ecs_lua_run(lua_State *L, ecs_World *world, const char *phase, double dt) {
  HostCall call = {world, dt, phase, NULL};
  return call_protected(L, RUN, &call, 0);
}

int ecs_lua_library(lua_State *L, const char *name,
                    const ecs_KernelLibrary *library) {
  HostCall call = {NULL, 0, name, library};
  return call_protected(L, LIBRARY, &call, 0);
}

int ecs_lua_memory_limit(lua_State *L, uint64_t bytes) {
  ModuleState *state = bind_push_state(L);
  lua_pop(L, 1);
  if (!state) {
    lua_pushliteral(L, NOT_OPENED);
    return LUA_ERRRUN;
  }
  state->budget.limit_bytes = bytes;
  state->collect_at = 0; /* what is garbage now may be too much */
  return 0;
}

ecs_World *ecs_lua_world(lua_State *L, int index) {
  index = compat_absolute(L, index);
  const ModuleState *state = bind_push_state(L);
  LuaWorld *world =
      state ? (LuaWorld *)bind_find_in(L, state, index, KIND_WORLD) : NULL;
  lua_pop(L, 1);
  return world ? world->native : NULL;
}

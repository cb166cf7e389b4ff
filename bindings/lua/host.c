/* host.c: ecs_lua.h: worlds that belong to the C program around a Lua state.
 *
 *      ecs_lua_push(L, world) --> pcall --> push(order) --> userdata
 *                                                |
 *      State: worlds { userdata, ... }  <--------+  kept until it is let go
 *
 * What the host calls has no upvalue to find the State by. So a function of
 * this file that does the work is kept in the State's list of hosts, and the
 * one that the host calls finds it there without allocating anything, and calls
 * it protected: no error of Lua gets past this file.
 *
 * The list of worlds keeps a borrowed world's userdata from the collector:
 * systems are kept with it, and the host runs them whether or not a script
 * still has the world in a variable. One whose native is NULL has ended (its
 * host destroyed it, or a script closed it) and leaves the list at the next
 * push.
 */
#include "ecs_lua.h"

#include "query/batch_view.h"

ECS_API int luaopen_ecs_core(lua_State *L);

/* What a host asks for. It lies with the State while it is obeyed, and not on
 * the stack of Lua: LuaJIT may need memory to push an address. */
typedef struct Order {
  ecs_World *world;
  double dt;
  const char *name;
  const ecs_KernelLibrary *library;
} Order;

static const Order *order_of(lua_State *L) {
  return (const Order *)bind_state(L)->order;
}

/* Worlds ------------------------------------------------------------------- */

/* Pushes the list of borrowed worlds; returns its place. */
static int push_worlds(lua_State *L) {
  bind_push_shared(L);
  bind_push_table(L, "worlds");
  lua_remove(L, -2);
  return lua_gettop(L);
}

/* Pushes the object of a native world that is borrowed here, or nothing. */
static LuaWorld *push_borrowed(lua_State *L, const ecs_World *native) {
  int worlds = push_worlds(L);
  int count = (int)lua_rawlen(L, worlds);
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, worlds, k);
    LuaWorld *world = (LuaWorld *)bind_find(L, -1, KIND_WORLD);
    if (world && world->native == native && native) {
      lua_remove(L, worlds);
      return world;
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return NULL;
}

/* Makes the list of borrowed worlds dense: without those that have ended, and
 * without this one. */
static void sweep(lua_State *L, const LuaWorld *without) {
  int worlds = push_worlds(L);
  int count = (int)lua_rawlen(L, worlds), kept = 0;
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, worlds, k);
    LuaWorld *world = (LuaWorld *)bind_find(L, -1, KIND_WORLD);
    if (world && world->native && world != without)
      lua_rawseti(L, worlds, ++kept);
    else
      lua_pop(L, 1);
  }
  for (int k = kept + 1; k <= count; k++) {
    lua_pushnil(L);
    lua_rawseti(L, worlds, k);
  }
  lua_pop(L, 1);
}

void bind_world_detach(lua_State *L, LuaWorld *world, int index) {
  if (bind_world_open(world))
    bind_error(L, "a world cannot be detached inside %s",
               bind_world_open(world));
  index = compat_absolute(L, index);
  bind_queries_end(L, world, index);
  bind_world_end(world);
  sweep(L, world);
}

/* Components --------------------------------------------------------------- */

/* True while there is a component behind the last that was looked at. */
static bool has_news(const LuaWorld *world) {
  return world->borrowed && world->native &&
         ecs_component_name(world->native, world->adopted + 1);
}

void bind_world_adopt(lua_State *L, LuaWorld *world, int index) {
  index = compat_absolute(L, index);
  while (has_news(world)) {
    ecs_Component component = world->adopted + 1;
    Adoption adoption =
        bind_definition_adopt(L, world->native, component, true);
    if (adoption.definition && world->native)
      bind_world_link(L, world, index, adoption.definition, component);
    world->adopted = component;
  }
}

void bind_hosts_adopt(lua_State *L) {
  int worlds = push_worlds(L);
  int count = (int)lua_rawlen(L, worlds);
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, worlds, k);
    LuaWorld *world = (LuaWorld *)bind_find(L, -1, KIND_WORLD);
    if (world) bind_world_adopt(L, world, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* Raises when a definition of this state contradicts a component. */
static void check_components(lua_State *L, const ecs_World *native) {
  const char *name;
  for (ecs_Component component = 1;
       (name = ecs_component_name(native, component)); component++)
    if (bind_definition_adopt(L, native, component, false).refused)
      bind_error(L,
                 "%s is defined in this state already, with other fields or "
                 "in another order: push the world before a script "
                 "defines it",
                 name);
}

/* Orders ------------------------------------------------------------------- */

/* on_push(f): has f called with every world that a host pushes for the first
 * time. Only the first f is taken, so that no script can replace it. */
static int welcome(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  bind_push_shared(L);
  lua_getfield(L, -1, "welcome");
  if (lua_isnil(L, -1)) {
    lua_pushvalue(L, 1);
    lua_setfield(L, -3, "welcome");
  }
  return 0;
}

/* Fills in the world at index 1; what raises here is undone by push_new. */
static int settle_in(lua_State *L) {
  LuaWorld *world = (LuaWorld *)bind_find(L, 1, KIND_WORLD);
  check_components(L, world->native);
  bind_world_adopt(L, world, 1);
  bind_push_shared(L);
  lua_getfield(L, -1, "welcome");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 0);
  sweep(L, NULL);
  int worlds = push_worlds(L);
  lua_pushvalue(L, 1);
  lua_rawseti(L, worlds, (int)lua_rawlen(L, worlds) + 1);
  return 0;
}

/* Pushes a new object for a world that nobody holds. */
static LuaWorld *push_new(lua_State *L, ecs_World *native) {
  LuaWorld *world = bind_world_new(L);
  world->borrowed = true;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, settle_in, 1);
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
  ecs_World *native = order_of(L)->world;
  if (!native) return bind_error(L, "there is no world to push");
  if (!push_borrowed(L, native)) push_new(L, native);
  return 1;
}

static int give(lua_State *L) {
  push(L);
  LuaWorld *world = (LuaWorld *)bind_find(L, -1, KIND_WORLD);
  bind_world_pay(L, world);
  if (!world->native) /* a finalizer was here */
    return bind_error(L, "this world was let go of meanwhile");
  sweep(L, world);
  world->borrowed = false;
  return 1;
}

static int detach(lua_State *L) {
  LuaWorld *world = push_borrowed(L, order_of(L)->world);
  if (world) bind_world_detach(L, world, -1);
  return 0;
}

/* Pushes the borrowed world's method and the world. */
static void push_method(lua_State *L, const Order *order, const char *method) {
  if (!push_borrowed(L, order->world))
    bind_error(L,
               "this world is not borrowed by this state: ecs_lua_push it "
               "first");
  lua_getfield(L, -1, method);
  lua_insert(L, -2);
}

static int progress(lua_State *L) {
  const Order *order = order_of(L);
  push_method(L, order, "progress");
  lua_pushnumber(L, order->dt);
  lua_call(L, 2, 0);
  return 0;
}

static int run_phase(lua_State *L) {
  const Order *order = order_of(L);
  push_method(L, order, "run");
  lua_pushstring(L, order->name);
  lua_pushnumber(L, order->dt);
  lua_call(L, 3, 0);
  return 0;
}

static int keep_library(lua_State *L) {
  const ecs_KernelLibrary *library = order_of(L)->library;
  const char *name = order_of(L)->name;
  if (!library || !name || !*name)
    return bind_error(L, "a library has a name and kernels");
  if (library->abi != ECS_KERNEL_ABI ||
      library->kernel_bytes != sizeof(ecs_Kernel) ||
      library->column_bytes != sizeof(ecs_KernelColumn) ||
      library->call_bytes != sizeof(ecs_KernelCall))
    return bind_error(L, "library '%s': %s", name, ecs_status_text(ECS_E_ABI));
  bind_library_keep(L, name, library);
  return 0;
}

/* In the order of the list of hosts. */
enum { PUSH = 1, GIVE, DETACH, PROGRESS, RUN, LIBRARY, ORDER_COUNT };

void bind_open_hosts(lua_State *L) {
  static const luaL_Reg functions[] = {{"on_push", welcome}, {NULL, NULL}};
  static const lua_CFunction orders[ORDER_COUNT] = {
      NULL, push, give, detach, progress, run_phase, keep_library};
  bind_add(L, functions);
  bind_push_shared(L);
  bind_push_table(L, "hosts");
  for (int k = PUSH; k < ORDER_COUNT; k++) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, orders[k], 1);
    lua_rawseti(L, -2, k);
  }
  lua_pop(L, 2);
}

/* For hosts ---------------------------------------------------------------- */

/* Has Lua obey, protected. A host may give an order while another is obeyed,
 * from a function that scripts call. */
static int obey(lua_State *L, int which, const Order *order, int results) {
  State *state = bind_push_state(L);
  if (!state) {
    lua_pop(L, 1);
    lua_pushliteral(L, "ecs: call ecs_lua_open first");
    return LUA_ERRRUN;
  }
  compat_push_private(L, -1);
  lua_getfield(L, -1, "hosts");
  lua_rawgeti(L, -1, which);
  lua_replace(L, -4);
  lua_pop(L, 2);
  const void *outer = state->order;
  state->order = order;
  int status = lua_pcall(L, 0, results, 0);
  state->order = outer;
  return status;
}

int ecs_lua_push(lua_State *L, ecs_World *world) {
  Order order = {world, 0, NULL, NULL};
  return obey(L, PUSH, &order, 1);
}

int ecs_lua_give(lua_State *L, ecs_World *world) {
  Order order = {world, 0, NULL, NULL};
  return obey(L, GIVE, &order, 1);
}

int ecs_lua_detach(lua_State *L, ecs_World *world) {
  Order order = {world, 0, NULL, NULL};
  return obey(L, DETACH, &order, 0);
}

int ecs_lua_progress(lua_State *L, ecs_World *world, double dt) {
  Order order = {world, dt, NULL, NULL};
  return obey(L, PROGRESS, &order, 0);
}

int ecs_lua_run(lua_State *L, ecs_World *world, const char *phase, double dt) {
  Order order = {world, dt, phase, NULL};
  return obey(L, RUN, &order, 0);
}

int ecs_lua_library(lua_State *L, const char *name,
                    const ecs_KernelLibrary *library) {
  Order order = {NULL, 0, name, library};
  return obey(L, LIBRARY, &order, 0);
}

ecs_World *ecs_lua_world(lua_State *L, int index) {
  index = compat_absolute(L, index);
  const State *state = bind_push_state(L);
  LuaWorld *world =
      state ? (LuaWorld *)bind_find_in(L, state, index, KIND_WORLD) : NULL;
  lua_pop(L, 1);
  return world ? world->native : NULL;
}

/* Opening ------------------------------------------------------------------ */

/* Pushes the field of the table on top of the stack that must be a table. */
static void push_package(lua_State *L, const char *field) {
  lua_getglobal(L, "package");
  if (lua_istable(L, -1)) lua_getfield(L, -1, field);
  if (!lua_istable(L, -1))
    luaL_error(L,
               "ecs: this state has no package library: call luaL_openlibs "
               "before ecs_lua_open");
  lua_remove(L, -2);
}

/* Another ecs.core has its own notion of what a world is. */
static void refuse_another(lua_State *L) {
  push_package(L, "loaded");
  lua_getfield(L, -1, "ecs.core");
  bool loaded = lua_toboolean(L, -1);
  bool ours = bind_push_state(L) != NULL;
  if (loaded && !ours)
    luaL_error(L,
               "ecs: this state has loaded another ecs.core: call "
               "ecs_lua_open before scripts run");
  lua_pop(L, 3);
}

static int open_here(lua_State *L) {
  refuse_another(L);
  push_package(L, "preload");
  lua_pushcfunction(L, luaopen_ecs_core);
  lua_setfield(L, -2, "ecs.core");
  lua_getglobal(L, "require");
  lua_pushliteral(L, "ecs");
  lua_call(L, 1, 0);
  return 0;
}

int ecs_lua_open(lua_State *L) { return compat_call(L, open_here); }

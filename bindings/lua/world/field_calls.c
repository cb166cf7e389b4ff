/* field_calls.c: lends single fields to LuaJIT's FFI; scripts/ecs/access_ffi.lua is
 * who borrows.
 *
 * A call through the C API ends what LuaJIT compiles; a call through the FFI is
 * a part of it. So the methods for one entity exist once more, in the core's
 * field_access.c, for what they are nearly always asked: of a world that is
 * open, about one field or component, with the right kinds of arguments.
 * Everything else is left to the methods in entity_methods.c, which raise, record,
 * add values, and are right about all of it.
 *
 *      world --weak table--> Position --> Access --> LuaWorld.native
 *
 * An Access is a userdata per world and definition. It points into its world
 * and does not keep it: only a call that has the world at hand may use it. A
 * closed world's native is NULL, so nothing that was freed is touched.
 *
 * One FFI call does one access from beginning to end. So nothing that it looks
 * at can move meanwhile, as it could between two loads written in Lua, where
 * every allocation may run a finalizer that changes or closes the world.
 *
 * The two kinds of userdata here have no metatable: a script that gets hold of
 * one can do nothing with it.
 */
#include "world/field_calls.h"

#include <string.h>

#include "api/field_access.h"
#include "world/components.h"

/* scripts/ecs/access_ffi.lua has this struct, too. */
typedef struct Calls {
  double (*get)(FieldAccess *, double, uint32_t);
  FieldAnswer (*present)(FieldAccess *, double);
  FieldAnswer (*pair)(FieldAccess *, double, uint32_t, uint32_t, double *);
  FieldAnswer (*all)(FieldAccess *, double, double *);
  bool (*set)(FieldAccess *, double, uint32_t, double);
  FieldAnswer (*has)(FieldAccess *, double);
  FieldAnswer (*alive)(FieldAccess *, double);
  FieldAnswer (*add)(const FieldAccess *, double);
  FieldAnswer (*remove)(const FieldAccess *, double);
  FieldAnswer (*destroy)(const FieldAccess *, double);
} Calls;

static const Calls calls = {
    ecs_field_get,    ecs_field_present, ecs_field_pair,  ecs_field_all,
    ecs_field_set,    ecs_field_has,     ecs_field_alive, ecs_field_add,
    ecs_field_remove, ecs_field_destroy};

/* access_calls(): these functions in a userdata, its size, and the methods
 * before which they are put, by name; only for the first who asks, which is
 * scripts/ecs, so that nothing is put there twice. */
static int access_calls(lua_State *L) {
  static const char *const names[] = {"get", "set",    "has",    "alive",
                                      "add", "remove", "destroy"};
  bind_push_shared(L);
  lua_getfield(L, -1, "accelerated");
  if (lua_toboolean(L, -1)) return 0;
  lua_pop(L, 1);
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, "accelerated");
  bind_push_methods(L, KIND_WORLD);
  int methods = lua_gettop(L);
  memcpy(lua_newuserdata(L, sizeof calls), &calls, sizeof calls);
  compat_push_whole(L, (double)sizeof calls);
  int count = (int)(sizeof names / sizeof names[0]);
  lua_createtable(L, 0, count);
  for (int k = 0; k < count; k++) {
    lua_getfield(L, methods, names[k]);
    lua_setfield(L, -2, names[k]);
  }
  return 3;
}

/* access(world, definition): an Access; nil unless the world has met the
 * definition. access(world): one for alive and destroy, and nothing else. */
static int access_new(lua_State *L) {
  const LuaWorld *world = (const LuaWorld *)bind_find(L, 1, KIND_WORLD);
  const Definition *definition =
      (const Definition *)bind_find(L, 2, KIND_DEFINITION);
  if (!world || (!definition && !lua_isnoneornil(L, 2))) return 0;
  ecs_Component component =
      definition ? bind_component_find(world, definition) : 0;
  if (definition && !component) return 0;
  FieldAccess *access = (FieldAccess *)lua_newuserdata(L, sizeof *access);
  ecs_field_init(access, &world->native, component);
  return 1;
}

static const luaL_Reg functions[] = {
    {"access", access_new}, {"access_calls", access_calls}, {NULL, NULL}};

void bind_open_field_calls(lua_State *L) { bind_add(L, functions); }

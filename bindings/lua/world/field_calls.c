/* field_calls.c: single fields for compiled code on LuaJIT, used by
 * scripts/ecs/ffi/access_ffi.lua.
 *
 * A call through the C API ends a compiled trace of LuaJIT; a call through the
 * FFI is part of the trace. So the methods for one entity exist a second time,
 * in the core's field_access.c, for the common case: an open world, one field
 * or component, and arguments of the right types. In all other cases the
 * methods in entity_methods.c are called, which raise, record and add values.
 *
 *      world --weak table--> Position --> BoundAccess --> LuaWorld.native
 *
 * A BoundAccess is a userdata per world and definition. It points into its
 * world without keeping it alive: only a caller that holds the world may use
 * it. The native of a closed world is NULL, so freed memory is never touched.
 *
 * One FFI call does one access from beginning to end. Between two loads written
 * in Lua, an allocation could run a finalizer that changes or closes the world.
 *
 * The two kinds of userdata here have no metatable: a script that gets hold of
 * one can do nothing with it.
 */
#include "world/field_calls.h"

#include <string.h>

#include "api/for_bindings.h"
#include "world/components.h"

/* scripts/ecs/ffi/cdef.lua declares this struct, too. */
typedef struct Calls {
  double (*get)(FieldAccess *, double, uint32_t);
  FieldAnswer (*present)(FieldAccess *, double);
  FieldAnswer (*pair)(FieldAccess *, double, uint32_t, uint32_t, double *);
  FieldAnswer (*all)(FieldAccess *, double, double *);
  int32_t (*set)(FieldAccess *, double, uint32_t, double);
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

/* access_calls(): a userdata with these functions, its size, and the methods of
 * worlds that scripts/ecs will wrap, by name. Returns nothing after the first
 * call, so methods are wrapped once. */
static int access_calls(lua_State *L) {
  static const char *const names[] = {"get", "set",    "has",     "alive",
                                      "add", "remove", "destroy", "spawn"};
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

/* access(world, definition): a BoundAccess; nothing when the world has no
 * component for the definition, and for ecs.Name. access(world): one for alive and destroy only.
 */
static int access_new(lua_State *L) {
  const LuaWorld *world = (const LuaWorld *)bind_find(L, 1, KIND_WORLD);
  const Definition *definition =
      (const Definition *)bind_find(L, 2, KIND_DEFINITION);
  if (!world || (!definition && !lua_isnoneornil(L, 2))) return 0;
  ecs_Component component =
      definition ? bind_component_find(world, definition) : 0;
  if (definition && !component) return 0;
  if (definition && definition == bind_state(L)->named) return 0;
  ECS_ASSERT(!component || world->owners[component] == definition);
  BoundAccess *access = (BoundAccess *)lua_newuserdata(L, sizeof *access);
  access->definition = definition;
  ecs_field_init(&access->field, &world->native, component);
  return 1;
}

static const luaL_Reg functions[] = {
    {"access", access_new}, {"access_calls", access_calls}, {NULL, NULL}};

void bind_open_field_calls(lua_State *L) { bind_add(L, functions); }

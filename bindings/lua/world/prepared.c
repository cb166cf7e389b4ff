/* prepared.c: prepared access to fields and components of single entities.
 *
 * The ordinary case of a call is one function of the core's field_access.c: an
 * open world that has the component, a number as the entity, values that fit.
 * In all other cases the arguments are put where the method takes them, and the
 * method's own function runs in the place of the closure: it returns, records
 * and raises what the method does, and blames the same line.
 *
 *      place(e, 1, 2)    stack: e 1 2
 *      world_set         stack: world e Position "x" 1 "y" 2
 *
 * The access to a component that the world does not know yet is one to no world
 * (unknown_world), which answers nothing, so each call asks the method. After
 * the method has run, `settle` looks for the component again.
 *
 * Prepared spawns are in spawner.c.
 *
 * On LuaJIT the closures here stand behind those of scripts/ecs/ffi, as methods
 * do: a call through the C API ends a compiled trace.
 */
#include "world/prepared.h"

#include <string.h>

#include "api/field_access.h"
#include "api/for_bindings.h"
#include "object/number.h"
#include "world/components.h"
#include "world/entity_methods.h"
#include "world/spawner.h"

/* Upvalues of each closure; the state is the first, as everywhere. */
enum { UP_METHOD = 2, UP_PREPARED, UP_WORLD, UP_ARGUMENTS };

/* What an access to an unknown component has for a world: a closed one. */
static ecs_World *const unknown_world = NULL;

/* Some fields of a component. Without a metatable, so that a script which gets
 * hold of one can do nothing with it. */
typedef struct PreparedFields {
  FieldSelection selection; /* first: scripts/ecs/ffi passes its address */
  const LuaWorld *world;    /* kept alive by the closure's upvalue */
  const Definition *definition;
  lua_CFunction method; /* get or set */
} PreparedFields;

/* Some components. */
typedef struct PreparedParts {
  FieldAccess *accesses; /* behind this struct; one at least: where count is 0,
                            to entities alone */
  const Definition **definitions; /* behind the accesses */
  const LuaWorld *world;
  lua_CFunction method; /* has */
  uint32_t count;       /* of components */
} PreparedParts;

/* Calling the method ------------------------------------------------------- */

/* Looks for a component that the world did not know before. */
static void settle(FieldAccess *access, const LuaWorld *world,
                   const Definition *definition) {
  if (access->component != 0) return;
  ecs_Component component = bind_component_find(world, definition);
  if (component) ecs_field_init(access, &world->native, component);
}

/* Replaces the entity at index 1, alone on the stack, by the arguments of the
 * method: world, entity, component, names or more components. */
static void push_arguments(lua_State *L) {
  int list = lua_upvalueindex(UP_ARGUMENTS);
  int count = (int)lua_rawlen(L, list);
  luaL_checkstack(L, count + 16, "too many arguments");
  lua_pushvalue(L, lua_upvalueindex(UP_WORLD));
  lua_insert(L, 1);
  for (int k = 1; k <= count; k++) lua_rawgeti(L, list, k);
}

/* As push_arguments, but with the values at 2, 3 ... behind their names. */
static void push_pairs(lua_State *L) {
  int list = lua_upvalueindex(UP_ARGUMENTS);
  int count = lua_gettop(L);
  luaL_checkstack(L, 2 * count + 16, "too many arguments");
  lua_pushvalue(L, lua_upvalueindex(UP_WORLD));
  lua_pushvalue(L, 1);
  lua_rawgeti(L, list, 1);
  for (int k = 2; k <= count; k++) {
    lua_rawgeti(L, list, k);
    lua_pushvalue(L, k);
  }
  while (count-- > 0) lua_remove(L, 1);
}

static void take_one(lua_State *L, const char *name) {
  if (lua_gettop(L) > 1)
    bind_error(L, "a %s takes one entity: call it once for each", name);
  lua_settop(L, 1);
}

/* Getters ------------------------------------------------------------------ */

static PreparedFields *fields_of(lua_State *L) {
  return (PreparedFields *)lua_touserdata(L, lua_upvalueindex(UP_PREPARED));
}

/* Is one number the only argument? */
static inline bool takes_number(lua_State *L) {
  return lua_gettop(L) == 1 && lua_type(L, 1) == LUA_TNUMBER;
}

static int get_slowly(lua_State *L, PreparedFields *fields) {
  take_one(L, "getter");
  push_arguments(L);
  int results = fields->method(L);
  settle(&fields->selection.access, fields->world, fields->definition);
  return results;
}

static inline void push_field(lua_State *L, const PreparedFields *fields,
                              uint32_t place, double number) {
  uint32_t field = fields->selection.fields[place];
  ecs_Scalar type = fields->definition->fields[field].type;
  if (type == ECS_F32)
    lua_pushnumber(L, number);
  else
    bind_push_number(L, type, number);
}

static int push_nils(lua_State *L, uint32_t count) {
  luaL_checkstack(L, (int)count, NULL);
  for (uint32_t k = 0; k < count; k++) lua_pushnil(L);
  return (int)count;
}

static int get_one(lua_State *L) {
  PreparedFields *fields = fields_of(L);
  if (!takes_number(L)) return get_slowly(L, fields);
  FieldAccess *access = &fields->selection.access;
  double entity = lua_tonumber(L, 1);
  double number = ecs_field_get(access, entity, fields->selection.fields[0]);
  if (number != number) {
    FieldAnswer answer = ecs_field_present(access, entity);
    if (answer == FIELD_ASK) return get_slowly(L, fields);
    if (answer == FIELD_NO) return push_nils(L, 1);
  }
  push_field(L, fields, 0, number);
  return 1;
}

static int get_two(lua_State *L) {
  double numbers[2];
  PreparedFields *fields = fields_of(L);
  const FieldSelection *selection = &fields->selection;
  if (!takes_number(L)) return get_slowly(L, fields);
  FieldAnswer answer =
      ecs_field_pair(&fields->selection.access, lua_tonumber(L, 1),
                     selection->fields[0], selection->fields[1], numbers);
  if (answer == FIELD_ASK) return get_slowly(L, fields);
  if (answer == FIELD_NO) return push_nils(L, 2);
  push_field(L, fields, 0, numbers[0]);
  push_field(L, fields, 1, numbers[1]);
  return 2;
}

static int get_some(lua_State *L) {
  double numbers[ECS_FIELD_LIMIT];
  PreparedFields *fields = fields_of(L);
  uint32_t count = fields->selection.count;
  if (!takes_number(L)) return get_slowly(L, fields);
  FieldAnswer answer =
      ecs_fields_get(&fields->selection, lua_tonumber(L, 1), numbers);
  if (answer == FIELD_ASK) return get_slowly(L, fields);
  if (answer == FIELD_NO) return push_nils(L, count);
  luaL_checkstack(L, (int)count + 4, NULL);
  for (uint32_t k = 0; k < count; k++) push_field(L, fields, k, numbers[k]);
  return (int)count;
}

/* A new table of all fields: most of the time is the table's. */
static int get_table(lua_State *L) { return get_slowly(L, fields_of(L)); }

/* Setters ------------------------------------------------------------------ */

/* Raises because there are more values than the setter has fields. */
static int refuse_more(lua_State *L, const PreparedFields *fields, int given) {
  const FieldSelection *selection = &fields->selection;
  lua_pushliteral(L, "");
  for (uint32_t k = 0; k < selection->count; k++) {
    lua_pushfstring(L, "%s%s", k == 0 ? "" : ", ",
                    fields->definition->fields[selection->fields[k]].name);
    lua_concat(L, 2);
  }
  return bind_error(L,
                    "this setter sets %s of %s: it takes an entity and %d %s, "
                    "not %d",
                    lua_tostring(L, -1), fields->definition->name,
                    (int)selection->count,
                    selection->count == 1 ? "value" : "values", given);
}

static int set_slowly(lua_State *L, PreparedFields *fields) {
  const Definition *definition = fields->definition;
  int given = lua_gettop(L) - 1, wanted = (int)fields->selection.count;
  if (given > wanted) return refuse_more(L, fields, given);
  if (given < wanted) {
    uint32_t lacking = fields->selection.fields[given < 0 ? 0 : given];
    return bind_error(L, "set lacks the new %s of %s",
                      definition->fields[lacking].name, definition->name);
  }
  push_pairs(L);
  int results = fields->method(L);
  settle(&fields->selection.access, fields->world, definition);
  return results;
}

/* The number that the value at index, of the right Lua type, is stored as. */
static inline bool read_number(lua_State *L, int index, ecs_Scalar type,
                               double *number) {
  int kind = lua_type(L, index);
  if (scalar_is_held(type)) return false;
  if (kind == LUA_TNUMBER && type != ECS_BOOL) {
    *number = lua_tonumber(L, index);
    return true;
  }
  return kind != LUA_TNUMBER && bind_number(L, index, type, kind, number);
}

static int set_one(lua_State *L) {
  PreparedFields *fields = fields_of(L);
  uint32_t field = fields->selection.fields[0];
  double number;
  if (lua_gettop(L) == 2 && lua_type(L, 1) == LUA_TNUMBER &&
      read_number(L, 2, fields->definition->fields[field].type, &number) &&
      ecs_field_set(&fields->selection.access, lua_tonumber(L, 1), field,
                    number))
    return 0;
  return set_slowly(L, fields);
}

static int set_some(lua_State *L) {
  PreparedFields *fields = fields_of(L);
  const FieldSelection *selection = &fields->selection;
  double numbers[ECS_FIELD_LIMIT];
  uint32_t k = 0;
  if (lua_gettop(L) != 1 + (int)selection->count ||
      lua_type(L, 1) != LUA_TNUMBER)
    return set_slowly(L, fields);
  for (; k < selection->count; k++)
    if (!read_number(L, 2 + (int)k,
                     fields->definition->fields[selection->fields[k]].type,
                     &numbers[k]))
      return set_slowly(L, fields);
  if (ecs_fields_set(&fields->selection, lua_tonumber(L, 1), numbers)) return 0;
  return set_slowly(L, fields);
}

/* Testers ------------------------------------------------------------------ */

static PreparedParts *parts_of(lua_State *L) {
  return (PreparedParts *)lua_touserdata(L, lua_upvalueindex(UP_PREPARED));
}

static void settle_parts(PreparedParts *parts) {
  for (uint32_t k = 0; k < parts->count; k++)
    settle(&parts->accesses[k], parts->world, parts->definitions[k]);
}

static int test_slowly(lua_State *L, PreparedParts *parts) {
  take_one(L, "tester");
  push_arguments(L);
  int results = parts->method(L);
  settle_parts(parts);
  return results;
}

static inline int push_answer(lua_State *L, PreparedParts *parts,
                              FieldAnswer answer) {
  if (answer == FIELD_ASK) return test_slowly(L, parts);
  lua_pushboolean(L, answer == FIELD_YES);
  return 1;
}

static int test_alive(lua_State *L) {
  PreparedParts *parts = parts_of(L);
  if (!takes_number(L)) return test_slowly(L, parts);
  return push_answer(L, parts,
                     ecs_field_alive(parts->accesses, lua_tonumber(L, 1)));
}

static int test_one(lua_State *L) {
  PreparedParts *parts = parts_of(L);
  if (!takes_number(L)) return test_slowly(L, parts);
  return push_answer(L, parts,
                     ecs_field_has(parts->accesses, lua_tonumber(L, 1)));
}

static int test_some(lua_State *L) {
  PreparedParts *parts = parts_of(L);
  if (!takes_number(L)) return test_slowly(L, parts);
  return push_answer(
      L, parts,
      ecs_fields_has(parts->accesses, parts->count, lua_tonumber(L, 1)));
}

/* Making them -------------------------------------------------------------- */

/* Pushes the closure of a function. The arguments of the world's method, which
 * stand at 1 to top, become its arguments, and the userdata on top of the stack
 * what it has prepared. */
static void push_closure(lua_State *L, lua_CFunction function, int top,
                         const char *method) {
  int prepared = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushstring(L, method);
  lua_pushvalue(L, prepared);
  lua_pushvalue(L, 1);
  lua_createtable(L, top - 1, 0);
  for (int k = 2; k <= top; k++) {
    lua_pushvalue(L, k);
    lua_rawseti(L, -2, k - 1);
  }
  lua_pushcclosure(L, function, UP_ARGUMENTS);
}

/* Pushes a userdata for the component at index 2 and the fields that the other
 * arguments name. */
static PreparedFields *push_fields(lua_State *L, const char *call,
                                   const char *method) {
  const LuaWorld *world = bind_world_check(L, 1);
  const Definition *definition = bind_definition_check(L, 2, call);
  int count = lua_gettop(L) - 2;
  if (count > (int)ECS_FIELD_LIMIT)
    bind_error(L, "%s names at most %d fields", call, (int)ECS_FIELD_LIMIT);
  for (int k = 0; k < count; k++) bind_field_check(L, 3 + k, definition);
  PreparedFields *fields = (PreparedFields *)lua_newuserdata(L, sizeof *fields);
  memset(fields, 0, sizeof *fields);
  fields->world = world;
  fields->definition = definition;
  fields->method = bind_entity_method(method);
  fields->selection.count = (uint32_t)count;
  for (int k = 0; k < count; k++)
    fields->selection.fields[k] =
        (uint8_t)bind_field_check(L, 3 + k, definition);
  ecs_field_init(&fields->selection.access, &unknown_world, 0);
  settle(&fields->selection.access, world, definition);
  return fields;
}

/* Pushes a getter behind what it has prepared. */
static PreparedFields *push_getter(lua_State *L) {
  int top = lua_gettop(L);
  PreparedFields *fields = push_fields(L, "getter", "get");
  FieldSelection *selection = &fields->selection;
  if (fields->definition->field_count == 0)
    bind_error(L, "%s is a tag and has no values: ask with world:tester(%s)",
               fields->definition->name, fields->definition->name);
  lua_CFunction function = selection->count == 0   ? get_table
                           : selection->count == 1 ? get_one
                           : selection->count == 2 ? get_two
                                                   : get_some;
  push_closure(L, function, top, "get");
  if (selection->count > 0) return fields;
  bind_refuse_arrays(L, fields->definition, "getter");
  selection->count = fields->definition->field_count;
  for (uint32_t k = 0; k < selection->count; k++)
    selection->fields[k] = (uint8_t)k;
  return fields;
}

static PreparedFields *push_setter(lua_State *L) {
  int top = lua_gettop(L);
  PreparedFields *fields = push_fields(L, "setter", "set");
  const FieldSelection *selection = &fields->selection;
  const Definition *definition = fields->definition;
  if (definition->field_count == 0)
    bind_error(L, "%s is a tag: it has no fields", definition->name);
  if (selection->count == 0)
    bind_error(L,
               "setter names the fields that it sets, as in "
               "world:setter(%s, '%s')",
               definition->name, definition->fields[0].name);
  uint64_t seen = 0;
  for (uint32_t k = 0; k < selection->count; k++) {
    uint32_t field = selection->fields[k];
    if (seen >> field & 1)
      bind_error(L, "setter names %s.%s twice", definition->name,
                 definition->fields[field].name);
    seen |= UINT64_C(1) << field;
  }
  push_closure(L, selection->count == 1 ? set_one : set_some, top, "set");
  return fields;
}

static PreparedParts *push_tester(lua_State *L) {
  const LuaWorld *world = bind_world_check(L, 1);
  int top = lua_gettop(L);
  size_t count = (size_t)top - 1;
  size_t accesses = count > 0 ? count : 1;
  for (int k = 2; k <= top; k++) bind_definition_check(L, k, "tester");
  PreparedParts *parts = (PreparedParts *)lua_newuserdata(
      L, sizeof *parts + accesses * sizeof *parts->accesses +
             count * sizeof *parts->definitions);
  parts->accesses = (FieldAccess *)(void *)(parts + 1);
  parts->definitions =
      (const Definition **)(void *)(parts->accesses + accesses);
  parts->world = world;
  parts->method = bind_entity_method("has");
  parts->count = (uint32_t)count;
  ecs_field_init(parts->accesses, &world->native, 0);
  for (int k = 0; k < (int)count; k++) {
    ecs_field_init(&parts->accesses[k], &unknown_world, 0);
    parts->definitions[k] = bind_definition_check(L, k + 2, "tester");
  }
  settle_parts(parts);
  push_closure(L,
               count == 0   ? test_alive
               : count == 1 ? test_one
                            : test_some,
               top, "has");
  return parts;
}

static int world_getter(lua_State *L) {
  push_getter(L);
  return 1;
}

static int world_setter(lua_State *L) {
  push_setter(L);
  return 1;
}

static int world_tester(lua_State *L) {
  push_tester(L);
  return 1;
}

/* For scripts/ecs/ffi ------------------------------------------------------ */

/* scripts/ecs/ffi/cdef.lua declares this struct, too. */
typedef struct PreparedCalls {
  double (*get)(FieldAccess *, double, uint32_t);
  FieldAnswer (*present)(FieldAccess *, double);
  FieldAnswer (*pair)(FieldAccess *, double, uint32_t, uint32_t, double *);
  FieldAnswer (*some)(FieldSelection *, double, double *);
  int32_t (*set)(FieldAccess *, double, uint32_t, double);
  int32_t (*set_some)(FieldSelection *, double, const double *);
  FieldAnswer (*alive)(FieldAccess *, double);
  FieldAnswer (*has)(FieldAccess *, double);
  FieldAnswer (*has_all)(FieldAccess *, uint32_t, double);
  double (*spawn)(const SpawnCall *, const double *);
} PreparedCalls;

static const PreparedCalls calls = {
    ecs_field_get,  ecs_field_present, ecs_field_pair,  ecs_fields_get,
    ecs_field_set,  ecs_fields_set,    ecs_field_alive, ecs_field_has,
    ecs_fields_has, ecs_spawn_call};

/* Returns closure, userdata, the number of fields, and the position of each:
 * what scripts/ecs/ffi makes its own closures of. */
static int return_fields(lua_State *L, const PreparedFields *fields) {
  uint32_t count = fields->selection.count;
  luaL_checkstack(L, (int)count + 4, NULL);
  lua_pushvalue(L, -2);
  for (uint32_t k = 0; k < count; k++)
    lua_pushinteger(L, fields->selection.fields[k]);
  return (int)count + 2;
}

static int make_getter(lua_State *L) {
  return return_fields(L, push_getter(L));
}

static int make_setter(lua_State *L) {
  return return_fields(L, push_setter(L));
}

/* Returns closure, userdata, the address of the accesses in it, and how many
 * components there are. */
static int make_tester(lua_State *L) {
  const PreparedParts *parts = push_tester(L);
  lua_pushvalue(L, -2);
  lua_pushlightuserdata(L, parts->accesses);
  lua_pushinteger(L, (lua_Integer)parts->count);
  return 4;
}

/* Returns closure, userdata, and a letter for each argument: b, e or n, for a
 * boolean, an entity or a number. */
static int make_spawner(lua_State *L) {
  const SpawnCall *call = bind_spawner_push(L);
  luaL_Buffer letters;
  lua_pushvalue(L, -2);
  luaL_buffinit(L, &letters);
  for (uint32_t k = 0; k < call->count; k++) {
    ecs_Scalar type = call->places[k].type;
    luaL_addchar(&letters, type == ECS_BOOL     ? 'b'
                           : type == ECS_ENTITY ? 'e'
                                                : 'n');
  }
  luaL_pushresult(&letters);
  return 3;
}

/* Pushes the table of aliases: closures of scripts/ecs/ffi and those in C behind
 * them. Both are weak: a closure keeps the one behind it as an upvalue. If the
 * table kept that one, it would keep the world; the world keeps its systems,
 * which may hold the closure; and LuaJIT's weak keys are no ephemerons. */
static void push_aliases(lua_State *L) {
  bind_push_shared(L);
  lua_getfield(L, -1, "aliases");
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "kv");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "aliases");
  }
  lua_remove(L, -2);
}

/* alias(closure, c_closure): the first stands before the second. Returns the
 * first. */
static int alias(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  push_aliases(L);
  lua_insert(L, 2);
  lua_pushvalue(L, 1);
  lua_insert(L, 3);
  lua_rawset(L, 2);
  lua_settop(L, 1);
  return 1;
}

/* Replaces the alias at index 1 by the closure behind it. */
static void push_behind(lua_State *L) {
  lua_settop(L, 1);
  if (!lua_isfunction(L, 1) || lua_iscfunction(L, 1)) return;
  push_aliases(L);
  lua_pushvalue(L, 1);
  lua_rawget(L, 2);
  lua_replace(L, 1);
  lua_settop(L, 1);
}

/* prepared_of(closure): what a prepared closure means: "get", "set", "has" or
 * "spawn", its world, and a new list of the arguments that the method gets
 * behind the entity; of spawn, what bind_spawner_describe says. Returns nothing
 * for any other value. Of the functions of this module, only prepared closures
 * have a world as upvalue. */
static int prepared_of(lua_State *L) {
  push_behind(L);
  if (!lua_iscfunction(L, 1) || !lua_getupvalue(L, 1, 1)) return 0;
  bool ours = lua_touserdata(L, 2) == bind_state(L);
  if (!ours || !lua_getupvalue(L, 1, UP_METHOD) ||
      !lua_getupvalue(L, 1, UP_WORLD) || !bind_find(L, -1, KIND_WORLD))
    return 0;
  if (!lua_getupvalue(L, 1, UP_ARGUMENTS)) {
    lua_getupvalue(L, 1, UP_PREPARED);
    const Spawner *spawner = (const Spawner *)lua_touserdata(L, -1);
    lua_pop(L, 1);
    bind_spawner_describe(L, spawner);
    return 5;
  }
  int list = lua_gettop(L), count = (int)lua_rawlen(L, list);
  lua_createtable(L, count, 0);
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, list, k);
    lua_rawseti(L, -2, k);
  }
  lua_remove(L, list);
  return 3;
}

/* prepared_calls(): a userdata with these functions, its size, and the makers
 * above by the names of their methods. Returns nothing after the first call. */
static int prepared_calls(lua_State *L) {
  static const luaL_Reg makers[] = {
      {"getter", make_getter}, {"setter", make_setter},
      {"tester", make_tester}, {"spawner", make_spawner},
      {"alias", alias},        {NULL, NULL}};
  bind_push_shared(L);
  lua_getfield(L, -1, "prepared");
  if (lua_toboolean(L, -1)) return 0;
  lua_pushboolean(L, 1);
  lua_setfield(L, -3, "prepared");
  memcpy(lua_newuserdata(L, sizeof calls), &calls, sizeof calls);
  lua_pushinteger(L, (lua_Integer)sizeof calls);
  lua_newtable(L);
  bind_add(L, makers);
  return 3;
}

void bind_open_prepared(lua_State *L) {
  static const luaL_Reg functions[] = {{"prepared_calls", prepared_calls},
                                       {"prepared_of", prepared_of},
                                       {NULL, NULL}};
  static const luaL_Reg methods[] = {{"getter", world_getter},
                                     {"setter", world_setter},
                                     {"tester", world_tester},
                                     {NULL, NULL}};
  bind_add(L, functions);
  bind_push_methods(L, KIND_WORLD);
  bind_add(L, methods);
  lua_pop(L, 1);
}

/* entity_methods.c: the methods of a world that take one entity.
 *
 * For an entity that is not alive they return or raise:
 *
 *      get has alive components    nil or false
 *      destroy                     false
 *      spawn_as                    the entity, which is alive from then on
 *      set add remove              an error that names the entity
 *
 * Numbers are strict: one that does not fit its field is refused before the
 * core is called, and nothing changes.
 */
#include "world/entity_methods.h"

#include <string.h>

#include "api/api_entity.h"
#include "api/for_bindings.h"
#include "api/spawn_call.h"
#include "object/name.h"
#include "object/number.h"
#include "world/collect.h"
#include "world/components.h"
#include "world/families.h"
#include "world/report.h"
#include "world/telling.h"

/* Arguments --------------------------------------------------------------- */

/* Raises for a number that is no id, such as a time: a fraction, NaN, a negative
 * number, or one from 2^53 on. 0 for a whole one that no entity has. */
static ecs_Entity refuse_number(lua_State *L, int index, const char *call) {
  double number = lua_tonumber(L, index);
  if (number >= 0 && number < 9007199254740992.0 &&
      number == (double)(int64_t)number)
    return 0;
  bool fraction = number == number && number > -1e15 && number < 1e15 &&
                  number != (double)(int64_t)number;
  bind_push_description(L, index);
  bind_error(L, "%s takes an entity, not %s%s", call, lua_tostring(L, -1),
             fraction ? ": each passes dt before the entity" : "");
  return 0;
}

static inline ecs_Entity read_entity(lua_State *L, int index,
                                     const char *call) {
  if (lua_type(L, index) == LUA_TNUMBER) {
    double number = lua_tonumber(L, index);
    bool handle = number >= 0 && number < 4503599627370496.0 &&
                  number == (double)(int64_t)number;
    return handle ? (ecs_Entity)(int64_t)number : refuse_number(L, index, call);
  }
  if (lua_isnoneornil(L, index)) return 0;
  bind_push_description(L, index);
  const char *found = lua_tostring(L, -1);
  bind_error(L, "%s takes an entity, not %s%s", call, found,
             strcmp(found, "a row") == 0
                 ? ": loops over rows give the entity first, callbacks of each "
                   "last"
                 : "");
  return 0;
}

ecs_Entity bind_entity_read(lua_State *L, int index, const char *call) {
  return read_entity(L, index, call);
}

static int refuse_dead(lua_State *L, const char *call) {
  if (lua_isnoneornil(L, 2))
    return bind_error(L, "%s takes an entity, not nil", call);
  bind_push_entity_text(L, lua_tonumber(L, 2));
  return bind_error(L, "%s: %s is not alive", call, lua_tostring(L, -1));
}

static int refuse(lua_State *L, const LuaWorld *world, ecs_Status status,
                  const char *call) {
  if (status == ECS_E_DEAD) return refuse_dead(L, call);
  return bind_refuse_status(L, world, status, call);
}

/* Raises for the status of a call on the entity at index 2, if it failed. */
static inline int check_status(lua_State *L, const LuaWorld *world,
                               ecs_Status status, const char *call) {
  return status == ECS_OK ? 0 : refuse(L, world, status, call);
}

/* The end of a change of the entity at index 2: raises for its status, or calls
 * observers. */
static inline int end_change(lua_State *L, LuaWorld *world, ecs_Status status,
                             const char *call) {
  check_status(L, world, status, call);
  bind_tell(L, world);
  return 0;
}

static void refuse_more(lua_State *L, int top, const char *call,
                        const char *advice) {
  if (lua_gettop(L) > top)
    bind_error(L, "%s takes no more than %d argument%s: %s", call, top - 1,
               top == 2 ? "" : "s", advice);
}

/* Spawning ---------------------------------------------------------------- */

/* Spawns parts of which a prefab has children; first as in ecs_Family. */
static ecs_Status spawn_family(lua_State *L, LuaWorld *world,
                               const SpawnParts *parts, const char *call,
                               ecs_Entity first, ecs_Entity *entity) {
  SpawnFamily spawn;
  bind_family_prepare(L, world, 1, parts, call, &spawn);
  spawn.family.first = first;
  return ecs_spawn_family(bind_native(L, world), &spawn.family, 1, entity);
}

/* world:spawn(Position { x = 1 }, Enemy) */
static int world_spawn(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  SpawnParts parts;
  ecs_Entity entity;
  bind_note_growth(L, world);
  bind_parts_read(L, world, 1, 2, lua_gettop(L) - 1, "spawn", &parts);
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status,
                   parts_have_children(&parts)
                       ? spawn_family(L, world, &parts, "spawn", 0, &entity)
                       : ecs_spawn(bind_native(L, world), parts.components,
                                   parts.count, parts.images, &entity));
  bind_check_status(L, world, status, "spawn");
  bind_push_entity(L, entity);
  bind_tell(L, world);
  return 1;
}

/* The bits of a handle that are its index, as ecs.h draws them. */
#define HANDLE_INDEX 0xfffffffu

/* The handle at index 2 that an entity is to get. Raises on what is none. */
static ecs_Entity check_handle(lua_State *L) {
  ecs_Entity entity = read_entity(L, 2, "spawn_as");
  if (lua_isnoneornil(L, 2))
    bind_error(L, "spawn_as takes an entity first, not nil");
  if ((entity & HANDLE_INDEX) == 0) {
    bind_push_description(L, 2);
    bind_error(L, "spawn_as takes an entity first: %s is no handle",
               lua_tostring(L, -1));
  }
  return entity;
}

/* world:spawn_as(e, Position { x = 1 }, Enemy): e; nil and why when it cannot
 * be given, and then no component is defined. */
static int world_spawn_as(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Entity entity = check_handle(L);
  SpawnParts parts;
  ecs_Status status = ECS_OK;
  bool found =
      bind_parts_find(L, world, 3, lua_gettop(L) - 2, "spawn_as", &parts);
  if (!found || parts_have_children(&parts))
    status = ecs_spawn_as_check(bind_native(L, world), entity);
  if (status == ECS_OK) {
    if (!found) bind_parts_define(L, world, 1, &parts);
    BIND_WITH_RELIEF(
        L, world, status,
        parts_have_children(&parts)
            ? spawn_family(L, world, &parts, "spawn_as", entity, NULL)
            : ecs_spawn_as(bind_native(L, world), entity, parts.components,
                           parts.count, parts.images));
  }
  if (status == ECS_E_TAKEN) {
    lua_pushnil(L);
    bind_push_refusal(L, world, status);
    return 2;
  }
  bind_check_status(L, world, status, "spawn_as");
  bind_push_entity(L, entity);
  bind_tell(L, world);
  return 1;
}

static int world_destroy(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  if (lua_gettop(L) > 2)
    return bind_error(L, "destroy takes one entity: call it once for each");
  ecs_Entity entity = read_entity(L, 2, "destroy");
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status,
                   ecs_destroy(bind_native(L, world), entity));
  if (status != ECS_OK && status != ECS_E_DEAD)
    return check_status(L, world, status, "destroy");
  lua_pushboolean(L, status == ECS_OK);
  bind_tell(L, world);
  return 1;
}

static int world_alive(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Entity entity = read_entity(L, 2, "alive");
  lua_pushboolean(L, ecs_alive(bind_native(L, world), entity));
  return 1;
}

/* Changing ---------------------------------------------------------------- */

/* The component of a definition, defined now if the world has none: not for an
 * entity that is dead, which is refused. */
static inline ecs_Component ensure_for(lua_State *L, LuaWorld *world,
                                       ecs_Entity entity,
                                       const Definition *definition,
                                       const char *call) {
  ecs_Component component = bind_component_find(world, definition);
  if (component) return component;
  if (!ecs_alive(bind_native(L, world), entity)) refuse_dead(L, call);
  return bind_component_define(L, world, 1, definition);
}

static int world_add(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Entity entity = read_entity(L, 2, "add");
  uint64_t image[ECS_FIELD_LIMIT];
  Given given;
  int count = bind_given_read(L, world->state, 3, "add", image, &given);
  refuse_more(L, 2 + count, "add", "call it once for each component");
  ecs_Component component =
      ensure_for(L, world, entity, given.definition, "add");
  ecs_Status status;
  BIND_WITH_RELIEF(
      L, world, status,
      ecs_add(bind_native(L, world), entity, component, given.image));
  return end_change(L, world, status, "add");
}

static int world_remove(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Entity entity = read_entity(L, 2, "remove");
  const Definition *definition =
      bind_definition_at(L, world->state, 3, "remove");
  bind_refuse_name(L, definition, "remove");
  refuse_more(L, 3, "remove", "call it once for each component");
  ecs_Component component = bind_component_find(world, definition);
  ecs_Status status = ECS_OK;
  if (component)
    BIND_WITH_RELIEF(L, world, status,
                     ecs_remove(bind_native(L, world), entity, component));
  else if (!ecs_alive(bind_native(L, world), entity))
    status = ECS_E_DEAD;
  return end_change(L, world, status, "remove");
}

/* world:replace(e, Construction, Active { since = now }) */
static int world_replace(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Entity entity = read_entity(L, 2, "replace");
  const Definition *gone = bind_definition_at(L, world->state, 3, "replace");
  bind_refuse_name(L, gone, "replace");
  uint64_t image[ECS_FIELD_LIMIT];
  Given given;
  int count = bind_given_read(L, world->state, 4, "replace", image, &given);
  refuse_more(L, 3 + count, "replace", "call it once for each component");
  if (gone == given.definition)
    bind_error(L, "replace: %s cannot be replaced by itself", gone->name);
  ecs_Component added =
      ensure_for(L, world, entity, given.definition, "replace");
  ecs_Component removed = bind_component_find(world, gone);
  const void *values = given_image(given);
  uint64_t fields = given.image ? given.fields : 0;
  ecs_Status status;
  BIND_WITH_RELIEF(
      L, world, status,
      removed ? ecs_replace(bind_native(L, world), entity, removed, added,
                            values, fields)
      : fields != 0
          ? ecs_set(bind_native(L, world), entity, added, values, fields)
          : ecs_add(bind_native(L, world), entity, added, NULL));
  return end_change(L, world, status, "replace");
}

/* Raises for world:set(e, Position { x = 3 }, Health), which is two calls. */
static void refuse_second(lua_State *L) {
  int type = lua_type(L, 4); /* in the common case a string or a table */
  if (type != LUA_TUSERDATA && type != COMPAT_TCDATA) return;
  if (bind_find(L, 4, KIND_VALUE) || bind_find(L, 4, KIND_DEFINITION))
    bind_error(L, lua_type(L, 3) == LUA_TSTRING
                      ? "set takes the component before the field, as in "
                        "world:set(e, Position, 'x', 1)"
                      : "set takes one component: call it once for each");
}

/* Sets what was given. */
static int set_given(lua_State *L, LuaWorld *world, ecs_Entity entity,
                     Given given) {
  ecs_Component component =
      ensure_for(L, world, entity, given.definition, "set");
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status,
                   given.definition->field_count == 0
                       ? ecs_add(bind_native(L, world), entity, component, NULL)
                       : ecs_set(bind_native(L, world), entity, component,
                                 given_image(given), given.fields));
  return end_change(L, world, status, "set");
}

/* world:set(e, Position, "x", 3, "y", 4), world:set(e, Position, { x = 3 }) */
static int set_fields(lua_State *L, LuaWorld *world, ecs_Entity entity) {
  uint64_t image[ECS_FIELD_LIMIT];
  Given given;
  refuse_second(L);
  given.definition = bind_definition_at(L, world->state, 3, "set");
  ECS_ASSERT(given.definition->image_bytes <= sizeof image);
  bool table = lua_istable(L, 4);
  if (table) refuse_more(L, 4, "set", "call it once for each component");
  given.image = bind_image_at(L, 3, given.definition, image);
  void *to = (void *)(uintptr_t)given.image;
  given.fields = table ? bind_fields_read(L, 4, given.definition, to)
                       : bind_pairs_read(L, 4, given.definition, to);
  int results = set_given(L, world, entity, given);
  /* What was set may be let go before this value of its own is collected. */
  if (given.definition->held) memset(to, 0, given.definition->image_bytes);
  return results;
}

static int world_set(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Entity entity = read_entity(L, 2, "set");
  if (lua_gettop(L) > 3) return set_fields(L, world, entity);
  return set_given(L, world, entity, bind_given_at(L, world->state, 3, "set"));
}

/* Reading ----------------------------------------------------------------- */

static bool is_absent(ecs_Status status) {
  return status == ECS_E_DEAD || status == ECS_E_ABSENT;
}

/* Sets the held fields of the table on top of the stack, below which is the
 * private table of the definition. Allocates nothing that runs finalizers. */
static void push_held(lua_State *L, const Definition *definition,
                      const void *image) {
  for (uint32_t f = 0; f < definition->field_count; f++) {
    if (!(definition->held >> f & 1)) continue;
    lua_rawgeti(L, -2, (int)f + 1);
    bind_push_element(L, definition->fields[f].type,
                      (const char *)image + definition->offsets[f]);
    lua_rawset(L, -3);
  }
}

/* world:get(e, Position): a new table; nil when the entity has none. */
static int get_all(lua_State *L, LuaWorld *world, ecs_Entity entity,
                   ecs_Component component, const Definition *definition) {
  uint64_t image[64]; /* 64 fields of at most 8 bytes */
  ECS_ASSERT(definition->image_bytes <= sizeof image);
  ecs_Status status = ecs_get(bind_native(L, world), entity, component, image);
  if (is_absent(status)) {
    lua_pushnil(L);
    return 1;
  }
  check_status(L, world, status, "get");
  compat_push_private(L, 3);
  lua_createtable(L, 0, (int)definition->field_count);
  if (definition->held) { /* a finalizer may have let go of some */
    status = ecs_get(bind_native(L, world), entity, component, image);
    if (is_absent(status)) lua_pushnil(L);
    if (is_absent(status)) return 1;
    check_status(L, world, status, "get");
    push_held(L, definition, image);
  }
  for (uint32_t f = 0; f < definition->field_count; f++) {
    const FieldArray *array = bind_array_from(definition, f);
    if (definition->held >> f & 1) continue;
    if (array) {
      lua_pushstring(L, array->name);
      bind_array_push(L, definition, array, image);
      f += array->count - 1;
    } else {
      lua_rawgeti(L, -2, (int)f + 1);
      bind_push_element(L, definition->fields[f].type,
                        (const char *)image + definition->offsets[f]);
    }
    lua_rawset(L, -3);
  }
  return 1;
}

/* world:get(e, Position, "x"): one value; nil when the entity has none. */
static int get_field(lua_State *L, LuaWorld *world, ecs_Entity entity,
                     ecs_Component component, const Definition *definition) {
  uint32_t field = bind_field_check(L, 4, definition);
  double number = 0;
  ecs_Status status = component ? ecs_get_field(bind_native(L, world), entity,
                                                component, field, &number)
                                : ECS_E_ABSENT;
  if (is_absent(status)) {
    lua_pushnil(L);
    return 1;
  }
  check_status(L, world, status, "get");
  bind_push_number(L, definition->fields[field].type, number);
  return 1;
}

/* world:get(e, Position, "x", "y"): a value for each field, or a nil for each.
 * The entity is looked up once. */
static int get_fields(lua_State *L, LuaWorld *world, ecs_Entity entity,
                      ecs_Component component, const Definition *definition) {
  uint64_t image[64]; /* 64 fields of at most 8 bytes */
  int count = lua_gettop(L) - 3;
  luaL_checkstack(L, count, NULL);
  ecs_Status status =
      component ? ecs_get(bind_native(L, world), entity, component, image)
                : ECS_E_ABSENT;
  for (int k = 0; k < count; k++) {
    const FieldArray *array = bind_array_at(L, 4 + k, definition);
    uint32_t field = array ? 0 : bind_field_check(L, 4 + k, definition);
    if (is_absent(status)) {
      lua_pushnil(L);
      continue;
    }
    check_status(L, world, status, "get");
    if (array) {
      bind_array_push(L, definition, array, image);
      continue;
    }
    bind_push_element(L, definition->fields[field].type,
                      (const char *)image + definition->offsets[field]);
  }
  return count;
}

static int world_get(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Entity entity = read_entity(L, 2, "get");
  const Definition *definition = bind_definition_at(L, world->state, 3, "get");
  if (definition->field_count == 0)
    return bind_error(L,
                      "%s is a tag and has no values: ask with "
                      "world:has(e, %s)",
                      definition->name, definition->name);
  ecs_Component component = bind_component_find(world, definition);
  int top = lua_gettop(L);
  if (top == 4 && !bind_array_at(L, 4, definition))
    return get_field(L, world, entity, component, definition);
  if (top > 3) return get_fields(L, world, entity, component, definition);
  if (component) return get_all(L, world, entity, component, definition);
  lua_pushnil(L);
  return 1;
}

/* world:has(e, A, B): has the entity all of them? Without components: is it
 * alive? */
static int world_has(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Entity entity = read_entity(L, 2, "has");
  int top = lua_gettop(L);
  bool has = top > 2 || ecs_alive(bind_native(L, world), entity);
  for (int k = 3; k <= top; k++) {
    const Definition *definition =
        bind_definition_at(L, world->state, k, "has");
    ecs_Component component = bind_component_find(world, definition);
    has = has && component && ecs_has(bind_native(L, world), entity, component);
  }
  lua_pushboolean(L, has);
  return 1;
}

/* world:components(e): a list in order of definition; nil when the entity is
 * not alive. */
static int world_components(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Entity entity = read_entity(L, 2, "components");
  if (!ecs_alive(bind_native(L, world), entity)) {
    lua_pushnil(L);
    return 1;
  }
  bind_components_adopt(L, world, 1);
  lua_newtable(L);
  int list = lua_gettop(L), length = 0;
  bind_push_shared(L);
  bind_push_table(L, "definitions");
  const Definition *named = (const Definition *)world->state->named;
  for (uint32_t index = 1; index < world->capacity; index++) {
    ecs_Component component = world->ids[index];
    if (named && index == named->index) continue; /* it is no part of a spawn */
    if (!component || !ecs_has(bind_native(L, world), entity, component))
      continue;
    lua_rawgeti(L, -1, (int)index);
    lua_rawseti(L, list, ++length);
  }
  lua_settop(L, list);
  return 1;
}

/* The name at index. Raises for anything but a valid one. */
static const char *check_name(lua_State *L, int index, const char *call) {
  size_t bytes = 0;
  const char *name = NULL;
  if (lua_type(L, index) == LUA_TSTRING) name = lua_tolstring(L, index, &bytes);
  if (!name) {
    bind_push_description(L, index);
    bind_error(L, "%s takes a name, which is a string, and not %s", call,
               lua_tostring(L, -1));
  }
  if (!bind_name_is_valid(name, bytes))
    bind_error(L,
               "%s: a name is 1 to 255 bytes of UTF-8 text without control "
               "characters",
               call);
  return name;
}

/* Raises why an entity cannot have a name. */
static int refuse_name(lua_State *L, const LuaWorld *world, ecs_Status status,
                       const char *name) {
  if (status != ECS_E_NAME) return refuse(L, world, status, "name");
  bind_push_entity_text(L, (double)ecs_find(bind_native(L, world), name));
  return bind_error(L, "name: %s has the name '%s' already",
                    lua_tostring(L, -1), name);
}

/* world:name(e): its name. world:name(e, "player"), world:name(e, nil) */
static int world_name(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Entity entity = read_entity(L, 2, "name");
  ecs_World *native = bind_native(L, world);
  refuse_more(L, 3, "name", "an entity, and its name or nil");
  if (lua_gettop(L) < 3) {
    lua_pushstring(L, ecs_name(native, entity));
    return 1;
  }
  const char *name = lua_isnil(L, 3) ? NULL : check_name(L, 3, "name");
  const Definition *tag = (const Definition *)world->state->named;
  if (tag && !ecs_deferring(native)) bind_component_ensure(L, world, 1, tag);
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status,
                   ecs_set_name(bind_native(L, world), entity, name));
  if (status != ECS_OK) return refuse_name(L, world, status, name);
  bind_tell(L, world);
  return 0;
}

/* world:clone(e): the clone, which is no resource */
static int world_clone(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Entity entity = read_entity(L, 2, "clone"), clone = 0;
  refuse_more(L, 2, "clone", "change the entity that it returns");
  ecs_Component resource =
      ecs_component_find(bind_native(L, world), BIND_RESOURCE);
  ecs_Status status;
  BIND_WITH_RELIEF(
      L, world, status,
      ecs_clone_without(bind_native(L, world), entity, resource, &clone));
  check_status(L, world, status, "clone");
  bind_tell(L, world);
  bind_push_entity(L, clone);
  return 1;
}

/* world:find "player": the entity, or nil */
static int world_find(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_Entity entity = ecs_find(bind_native(L, world), check_name(L, 2, "find"));
  bind_push_element(L, ECS_ENTITY, &entity);
  return 1;
}

static const luaL_Reg methods[] = {{"spawn", world_spawn},
                                   {"spawn_as", world_spawn_as},
                                   {"destroy", world_destroy},
                                   {"alive", world_alive},
                                   {"add", world_add},
                                   {"remove", world_remove},
                                   {"replace", world_replace},
                                   {"set", world_set},
                                   {"get", world_get},
                                   {"has", world_has},
                                   {"components", world_components},
                                   {"clone", world_clone},
                                   {"name", world_name},
                                   {"find", world_find},
                                   {NULL, NULL}};

lua_CFunction bind_entity_method(const char *name) {
  const luaL_Reg *method = methods;
  while (strcmp(method->name, name) != 0) method++;
  ECS_ASSERT(method->func);
  return method->func;
}

void bind_open_entity_methods(lua_State *L) {
  bind_push_methods(L, KIND_WORLD);
  bind_add(L, methods);
  lua_pop(L, 1);
}

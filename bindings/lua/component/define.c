/* define.c: makes definitions from the arguments of ecs.component and ecs.tag.
 *
 *      ecs.component("Health", { hp = { "i32", 100 }, max = "i32" }, options)
 *      ecs.component "Health"     the definition of this name
 *
 * Fields are sorted by the bytes of their names: a Lua table has no order, and
 * a comparison by Lua would depend on the locale. All arguments are read into a
 * new definition. When one of its name exists, the new one is only compared
 * with it and left to the collector. A host's component keeps the order of its
 * world, which need not be sorted: so two definitions are compared field by
 * name, not by position.
 */
#include "component/define.h"

#include <string.h>

#include "api/for_bindings.h"
#include "component/new_definition.h"
#include "object/name.h"
#include "object/number.h"

/* The name at index of a "component", "tag" or "field". */
static const char *check_name(lua_State *L, int index, const char *noun) {
  size_t bytes = 0;
  const char *name = NULL;
  if (lua_type(L, index) == LUA_TSTRING) name = lua_tolstring(L, index, &bytes);
  if (!name) {
    bind_push_description(L, index);
    bind_error(L,
               "the name of a %s is a string, not %s: it comes first, as in "
               "ecs.%s(\"Name\"%s)",
               noun, lua_tostring(L, -1), noun,
               strcmp(noun, "tag") == 0 ? "" : ", { x = \"f32\" }");
  }
  if (!bind_name_is_valid(name, bytes))
    bind_error(L,
               "the name of a %s is 1 to 255 bytes of UTF-8 text without "
               "control characters",
               noun);
  return name;
}

static ecs_Storage check_storage(lua_State *L, int index, const char *name,
                                 bool tag) {
  const char *text =
      lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
  if (strcmp(text, "table") == 0) return ECS_STORE_TABLE;
  if (strcmp(text, "sparse") == 0) return ECS_STORE_SPARSE;
  if (strcmp(text, "bits") == 0 && tag) return ECS_STORE_BITS;
  if (strcmp(text, "bits") == 0)
    bind_error(L, "%s has fields: only a tag can be stored as bits", name);
  bind_error(L, "%s: storage is 'table', 'sparse' or, for a tag, 'bits'", name);
  return ECS_STORE_TABLE;
}

static ecs_Storage check_options(lua_State *L, int index, const char *name,
                                 bool tag) {
  ecs_Storage storage = ECS_STORE_TABLE;
  if (lua_isnoneornil(L, index)) return storage;
  if (!lua_istable(L, index))
    bind_error(L, "%s: options are a table such as { storage = 'sparse' }",
               name);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2)
                                                     : bind_type_name(L, -2);
    if (strcmp(key, "storage") != 0)
      bind_error(L, "%s has no option '%s' (there is storage)", name, key);
    storage = check_storage(L, lua_gettop(L), name, tag);
  }
  return storage;
}

static ecs_Scalar check_type(lua_State *L, int index, const char *component,
                             const char *field) {
  const char *name =
      lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
  if (!name)
    bind_error(L,
               "%s.%s: a field is a type such as 'f32', or "
               "{ type, default }",
               component, field);
  for (int type = 0; type < ECS_SCALAR_COUNT; type++)
    if (strcmp(name, ecs_scalar_name((ecs_Scalar)type)) == 0)
      return (ecs_Scalar)type;
  bool object = strcmp(name, "string") == 0 || strcmp(name, "table") == 0 ||
                strcmp(name, "any") == 0;
  bind_error(L,
             "%s.%s: there is no type '%s' (there are f32 f64 i8 u8 i16 "
             "u16 i32 u32 bool entity)%s",
             component, field, name,
             object ? ": keep it in a table of your own, by entity" : "");
  return ECS_SCALAR_COUNT;
}

/* Counts the fields of the table at index and checks their names. */
static uint32_t count_fields(lua_State *L, int index, const char *name) {
  uint32_t count = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      bind_error(L, "%s: fields are named, as in { x = 'f32' }", name);
    check_name(L, -2, "field");
    if (++count > ECS_FIELD_LIMIT)
      bind_error(L, "%s has more than 64 fields", name);
  }
  return count;
}

/* Sorts the field names of the table at index into the slots 1 to fields of the
 * table at slots. */
static void sort_names(lua_State *L, int index, int slots, int fields) {
  int count = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const char *name = check_name(L, -2, "field");
    int slot = ++count;
    if (count > fields) break;
    for (; slot > 1; slot--) {
      lua_rawgeti(L, slots, slot - 1);
      if (strcmp(lua_tostring(L, -1), name) <= 0) {
        lua_pop(L, 1);
        break;
      }
      lua_rawseti(L, slots, slot);
    }
    lua_pushvalue(L, -2);
    lua_rawseti(L, slots, slot);
  }
  ECS_ASSERT(lua_istable(L, slots));
  /* A finalizer may have changed the table since its fields were counted. */
  if (count != fields) bind_error(L, "the fields changed while being read");
}

/* Accepts { type, default } and no other key: { 'i32', default = 1 } would look
 * like a field without a default. */
static void check_listed(lua_State *L, int index, const char *component,
                         const char *field) {
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    bool number = lua_type(L, -2) == LUA_TNUMBER;
    double key = number ? lua_tonumber(L, -2) : 0;
    if (number && (key == 1 || key == 2)) continue;
    bind_error(L,
               "%s.%s: a field is a type such as 'f32', or "
               "{ type, default }",
               component, field);
  }
}

/* Reads the fields of a definition from the table at schema, in the order of
 * the names in the slots. */
static void read_schema(lua_State *L, int schema, int slots,
                        Definition *definition) {
  for (uint32_t f = 0; f < definition->field_count; f++) {
    ecs_Field *field = &definition->fields[f];
    lua_rawgeti(L, slots, (int)f + 1);
    field->name = lua_tostring(L, -1);
    lua_rawget(L, schema);
    int entry = lua_gettop(L);
    bool listed = lua_istable(L, entry);
    if (listed) check_listed(L, entry, definition->name, field->name);
    if (listed) lua_rawgeti(L, entry, 1);
    field->type = check_type(L, -1, definition->name, field->name);
    if (listed) lua_rawgeti(L, entry, 2);
    uint64_t element = 0;
    if (listed && !lua_isnil(L, -1) &&
        !bind_read_element(L, lua_gettop(L), field->type, &element))
      bind_refuse_element(L, lua_gettop(L), definition, f);
    /* A definition serves all worlds, and an entity belongs to one. */
    if (field->type == ECS_ENTITY && element != 0)
      bind_error(L,
                 "%s.%s: an entity has no default: leave it out, and set "
                 "the field when you spawn",
                 definition->name, field->name);
    field->default_value = ecs_scalar_load(field->type, &element);
    lua_settop(L, entry - 1);
  }
}

/* Pushes a new definition, not added yet. schema is the stack index of the
 * table of fields; 0: there are none. */
static Definition *read_definition(lua_State *L, int schema) {
  uint32_t count = schema ? count_fields(L, schema, lua_tostring(L, 1)) : 0;
  Definition *definition = bind_definition_begin(L, 1, count);
  int slots = lua_gettop(L);
  if (schema) sort_names(L, schema, slots, (int)count);
  if (schema) read_schema(L, schema, slots, definition);
  bind_definition_finish(L, definition);
  return definition;
}

static bool has_field(const Definition *definition, const ecs_Field *field) {
  for (uint32_t f = 0; f < definition->field_count; f++)
    if (bind_field_equals(&definition->fields[f], field)) return true;
  return false;
}

/* Do the fields have the same names? */
static bool has_same_names(const Definition *a, const Definition *b) {
  if (a->field_count != b->field_count) return false;
  for (uint32_t f = 0; f < a->field_count; f++)
    if (bind_field_find(a, b->fields[f].name) == a->field_count) return false;
  return true;
}

/* Are the two equal, apart from the order of fields? */
static bool is_same(const Definition *a, const Definition *b) {
  if (a->field_count != b->field_count || a->storage != b->storage)
    return false;
  for (uint32_t f = 0; f < a->field_count; f++)
    if (!has_field(b, &a->fields[f])) return false;
  return true;
}

/* Leaves the definition of this name on the stack: an equal one that exists, or
 * else the candidate on top, which is added. Raises if one that differs exists.
 */
static int keep_or_add(lua_State *L, Definition *candidate) {
  ECS_ASSERT(lua_touserdata(L, -1) == candidate && candidate->index == 0);
  Definition *known = bind_definition_find(L, 1);
  if (known && is_same(known, candidate)) return 1;
  if (known)
    return bind_error(L, "%s is already defined, with %s", known->name,
                      known->field_count == 0 ? "no fields"
                      : has_same_names(known, candidate)
                          ? "other types, defaults or storage"
                          : known->listing);
  lua_pop(L, 1);
  bind_definition_add(L, candidate);
  return 1;
}

static void refuse_reserved(lua_State *L, const char *name) {
  if (bind_name_is_reserved(name))
    bind_error(L, "'%s' cannot be the name of a component: batches use it",
               name);
}

/* ecs.component "Heat": the definition of this name. */
static int push_known(lua_State *L) {
  if (bind_definition_find(L, 1)) return 1;
  return bind_error(L,
                    "no component is called %s yet: to define it, say what "
                    "fields it has, as in { x = 'f32' }; without any it is "
                    "an ecs.tag",
                    lua_tostring(L, 1));
}

int bind_define_component(lua_State *L) {
  refuse_reserved(L, check_name(L, 1, "component"));
  if (lua_gettop(L) == 1) return push_known(L);
  if (!lua_istable(L, 2))
    return bind_error(L,
                      "%s: a component has fields, as in "
                      "{ x = 'f32' }; without any it is an ecs.tag",
                      lua_tostring(L, 1));
  lua_settop(L, 3);
  Definition *definition = read_definition(L, 2);
  definition->storage =
      check_options(L, 3, definition->name, definition->field_count == 0);
  return keep_or_add(L, definition);
}

int bind_define_tag(lua_State *L) {
  refuse_reserved(L, check_name(L, 1, "tag"));
  lua_settop(L, 2);
  Definition *definition = read_definition(L, 0);
  definition->storage = check_options(L, 2, definition->name, true);
  return keep_or_add(L, definition);
}

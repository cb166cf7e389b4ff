/* define.c: ecs.component and ecs.tag: makes definitions, from Lua tables and
 * from components of a host's world.
 *
 *      ecs.component("Health", { hp = { "i32", 100 }, max = "i32" }, options)
 *      ecs.component "Health"     the one that is there
 *
 * Fields are sorted by the bytes of their names: a Lua table has no order of
 * its own, and a comparison by Lua would follow the locale. All is read into a
 * new Definition; when one of this name exists, the new one is only compared
 * with it and left to the collector. A host's component keeps the order that
 * its world has, so that images and columns are the same on both sides; that is
 * why two definitions are compared field by name, not by place.
 */
#include <string.h>

#include "base/config.h"
#include "component/definition.h"

/* The definition's private table: names of fields by number from 1, and: */
#define SLOT_NAME 0
#define SLOT_LISTING ((int)ECS_FIELD_LIMIT + 1)

/* Bytes of the UTF-8 sequence that starts here, 0 when it is broken: cut off,
 * longer than it has to be, or of a number that is no character (surrogates,
 * past 10ffff). */
static size_t sequence_bytes(const unsigned char *at, size_t left) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t bytes = *at < 0x80                  ? 1
                 : *at >= 0xc0 && *at < 0xe0 ? 2
                 : *at >= 0xe0 && *at < 0xf0 ? 3
                 : *at >= 0xf0 && *at < 0xf8 ? 4
                                             : 0;
  if (bytes == 0 || bytes > left) return 0;
  uint32_t number = bytes == 1 ? *at : *at & (0x7fu >> bytes);
  for (size_t k = 1; k < bytes; k++) {
    if ((at[k] & 0xc0) != 0x80) return 0;
    number = number << 6 | (at[k] & 0x3fu);
  }
  bool surrogate = number >= 0xd800 && number < 0xe000;
  return number < least[bytes] || surrogate || number > 0x10ffff ? 0 : bytes;
}

/* 1 to 255 bytes of UTF-8 text without control characters? */
bool bind_name_holds(const char *name, size_t bytes) {
  if (bytes == 0 || bytes > ECS_NAME_LIMIT) return false;
  for (size_t k = 0; k < bytes;) {
    const unsigned char *at = (const unsigned char *)name + k;
    size_t step = sequence_bytes(at, bytes - k);
    if (step == 0 || *at < 0x20 || *at == 0x7f) return false;
    k += step;
  }
  return true;
}

static const char *check_name(lua_State *L, int index, const char *what) {
  size_t bytes = 0;
  const char *name = NULL;
  if (lua_type(L, index) == LUA_TSTRING) name = lua_tolstring(L, index, &bytes);
  if (!name) {
    bind_push_description(L, index);
    bind_error(L,
               "the name of a %s is a string, not %s: it comes first, as in "
               "ecs.%s(\"Name\"%s)",
               what, lua_tostring(L, -1), what,
               strcmp(what, "tag") == 0 ? "" : ", { x = \"f32\" }");
  }
  if (!bind_name_holds(name, bytes))
    bind_error(L,
               "the name of a %s is 1 to 255 bytes of UTF-8 text without "
               "control characters",
               what);
  return name;
}

BIND_INTERNAL int bind_is_name(lua_State *L);
BIND_INTERNAL int bind_is_name(lua_State *L) {
  size_t bytes = 0;
  const char *name = luaL_checklstring(L, 1, &bytes);
  lua_pushboolean(L, bind_name_holds(name, bytes));
  return 1;
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
                                                     : luaL_typename(L, -2);
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

static size_t after(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/* Sorts the names of the table at index into private slots 1 to count. */
static void sort_names(lua_State *L, int index, int slots, int fields) {
  int count = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const char *name = check_name(L, -2, "field");
    int place = ++count;
    if (count > fields) break;
    for (; place > 1; place--) {
      lua_rawgeti(L, slots, place - 1);
      if (strcmp(lua_tostring(L, -1), name) <= 0) {
        lua_pop(L, 1);
        break;
      }
      lua_rawseti(L, slots, place);
    }
    lua_pushvalue(L, -2);
    lua_rawseti(L, slots, place);
  }
  /* A finalizer may have changed the table since its fields were counted. */
  if (count != fields) bind_error(L, "the fields changed while being read");
}

/* { type, default } and nothing else: { 'i32', default = 1 } would be taken
 * for a field without a default. */
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

/* Reads field by field from the table at schema in the order of the slots. */
static void read_schema(lua_State *L, int schema, int slots,
                        Definition *definition) {
  for (uint32_t f = 0; f < definition->field_count; f++) {
    ecs_Field *field = &definition->fields[f];
    lua_rawgeti(L, slots, (int)f + 1);
    field->name = lua_tostring(L, -1);
    lua_rawget(L, schema);
    int place = lua_gettop(L);
    bool listed = lua_istable(L, place);
    if (listed) check_listed(L, place, definition->name, field->name);
    if (listed) lua_rawgeti(L, place, 1);
    field->type = check_type(L, -1, definition->name, field->name);
    if (listed) lua_rawgeti(L, place, 2);
    uint64_t element = 0;
    if (listed && !lua_isnil(L, -1) &&
        !bind_read(L, lua_gettop(L), field->type, &element))
      bind_refuse(L, lua_gettop(L), definition, f);
    /* An entity belongs to a world, and a definition to all of them. */
    if (field->type == ECS_ENTITY && element != 0)
      bind_error(L,
                 "%s.%s: an entity has no default: leave it out, and set "
                 "the field when you spawn",
                 definition->name, field->name);
    field->default_value = ecs_scalar_load(field->type, &element);
    lua_settop(L, place - 1);
  }
}

/* Offsets and the default image, behind the fields. */
static void lay_out(Definition *definition) {
  uint32_t count = definition->field_count;
  uint32_t *offsets = (uint32_t *)(void *)&definition->fields[count];
  char *image = (char *)definition + definition->header.bytes - 8u * count;
  size_t end = 0, alignment = 1;
  for (uint32_t f = 0; f < count; f++) {
    size_t bytes = ecs_scalar_bytes(definition->fields[f].type);
    end = after(end, bytes);
    offsets[f] = (uint32_t)end;
    ecs_scalar_convert(definition->fields[f].type, image + end,
                       definition->fields[f].default_value);
    end += bytes;
    if (bytes > alignment) alignment = bytes;
  }
  definition->offsets = offsets;
  definition->image_bytes = count ? (uint32_t)after(end, alignment) : 0;
  definition->defaults = count ? image : NULL;
}

/* "x, y" */
static void push_listing(lua_State *L, const Definition *definition) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (uint32_t f = 0; f < definition->field_count; f++) {
    if (f > 0) luaL_addstring(&buffer, ", ");
    luaL_addstring(&buffer, definition->fields[f].name);
  }
  luaL_pushresult(&buffer);
}

/* Room for an image is 8 bytes a field: no scalar is larger. */
static size_t definition_bytes(uint32_t count) {
  return after(sizeof(Definition) + count * sizeof(ecs_Field) +
                   count * sizeof(uint32_t),
               8) +
         8u * count;
}

/* Pushes a definition that has a name and nothing else yet, and its private
 * table. name is the place of a string on the stack. */
static Definition *begin(lua_State *L, int name, uint32_t count) {
  Definition *definition =
      (Definition *)bind_new(L, KIND_DEFINITION, definition_bytes(count));
  definition->name = lua_tostring(L, name);
  definition->field_count = count;
  compat_push_private(L, -1);
  lua_pushvalue(L, name);
  lua_rawseti(L, -2, SLOT_NAME);
  return definition;
}

/* Completes one whose fields are known, and pops its private table. */
static void finish(lua_State *L, Definition *definition) {
  lay_out(definition);
  push_listing(L, definition);
  definition->listing = lua_tostring(L, -1);
  lua_rawseti(L, -2, SLOT_LISTING);
  lua_pop(L, 1);
}

/* Pushes a definition that nothing knows yet. schema 0: no fields. */
static Definition *read_definition(lua_State *L, int schema) {
  uint32_t count = schema ? count_fields(L, schema, lua_tostring(L, 1)) : 0;
  Definition *definition = begin(L, 1, count);
  int slots = lua_gettop(L);
  if (schema) sort_names(L, schema, slots, (int)count);
  if (schema) read_schema(L, schema, slots, definition);
  finish(L, definition);
  return definition;
}

/* The two defaults of a field as they are stored are the same bits? */
static bool is_same_default(const ecs_Field *a, const ecs_Field *b) {
  uint64_t one = 0, other = 0;
  ecs_scalar_convert(a->type, &one, a->default_value);
  ecs_scalar_convert(b->type, &other, b->default_value);
  return one == other;
}

static bool is_same_field(const ecs_Field *a, const ecs_Field *b) {
  return a->type == b->type && strcmp(a->name, b->name) == 0 &&
         is_same_default(a, b);
}

static bool has_field(const Definition *definition, const ecs_Field *field) {
  for (uint32_t f = 0; f < definition->field_count; f++)
    if (is_same_field(&definition->fields[f], field)) return true;
  return false;
}

/* Fields of the same names? */
static bool has_same_names(const Definition *a, const Definition *b) {
  if (a->field_count != b->field_count) return false;
  for (uint32_t f = 0; f < a->field_count; f++)
    if (bind_field_find(a, b->fields[f].name) == a->field_count) return false;
  return true;
}

/* Equal but for the order of fields? */
static bool is_same(const Definition *a, const Definition *b) {
  if (a->field_count != b->field_count || a->storage != b->storage)
    return false;
  for (uint32_t f = 0; f < a->field_count; f++)
    if (!has_field(b, &a->fields[f])) return false;
  return true;
}

/* Makes the definition on top of the stack, whose name is free, known by index
 * and by name. Either may fail for want of memory. The name comes last, because
 * who has one has an index; an entry past the last index means nothing. */
static void enrol(lua_State *L, Definition *definition) {
  State *state = bind_state(L);
  int place = lua_gettop(L);
  bind_push_shared(L);
  bind_push_table(L, "definitions");
  lua_pushvalue(L, place);
  lua_rawseti(L, place + 2, (int)state->definition_count + 1);
  lua_pushstring(L, definition->name);
  lua_pushvalue(L, place);
  lua_rawset(L, place + 2);
  definition->index = ++state->definition_count;
  lua_settop(L, place);
}

/* Pushes the definition of the name at index, or nil. */
static Definition *find_known(lua_State *L, int name) {
  bind_push_shared(L);
  bind_push_table(L, "definitions");
  lua_pushvalue(L, name);
  lua_rawget(L, -2);
  lua_replace(L, -3);
  lua_pop(L, 1);
  return (Definition *)bind_find(L, -1, KIND_DEFINITION);
}

/* Leaves on the stack the definition of this name: the one on top, or an equal
 * one from before. */
static int settle(lua_State *L, Definition *candidate) {
  Definition *known = find_known(L, 1);
  if (known && is_same(known, candidate)) return 1;
  if (known)
    return bind_error(L, "%s is already defined, with %s", known->name,
                      known->field_count == 0 ? "no fields"
                      : has_same_names(known, candidate)
                          ? "other types, defaults or storage"
                          : known->listing);
  lua_pop(L, 1);
  enrol(L, candidate);
  return 1;
}

static bool is_reserved(const char *name) {
  return strcmp(name, "count") == 0 || strcmp(name, "entities") == 0;
}

/* Of a host ---------------------------------------------------------------- */

/* Could a script have given all these names? */
static bool is_plain(const ecs_World *native, ecs_Component component) {
  const char *name = ecs_component_name(native, component);
  if (!bind_name_holds(name, strlen(name)) || is_reserved(name)) return false;
  uint32_t count = ecs_component_field_count(native, component);
  for (uint32_t f = 0; f < count; f++) {
    ecs_FieldInfo info;
    if (ecs_component_field(native, component, f, &info) != ECS_OK ||
        !bind_name_holds(info.name, strlen(info.name)))
      return false;
  }
  return true;
}

static ecs_Field field_of(const ecs_World *native, ecs_Component component,
                          uint32_t place) {
  ecs_FieldInfo info = {"", ECS_F32, 0, 0};
  (void)ecs_component_field(native, component, place, &info);
  return (ecs_Field){info.name, info.type, info.default_value};
}

/* The same, order included? */
static bool agrees(const Definition *definition, const ecs_World *native,
                   ecs_Component component) {
  if (definition->storage != ecs_component_storage(native, component) ||
      definition->field_count != ecs_component_field_count(native, component))
    return false;
  for (uint32_t f = 0; f < definition->field_count; f++) {
    ecs_Field field = field_of(native, component, f);
    if (!is_same_field(&definition->fields[f], &field)) return false;
  }
  return true;
}

/* Pushes a new definition that is like the component; its name is at index. */
static Definition *copy(lua_State *L, int name, const ecs_World *native,
                        ecs_Component component) {
  uint32_t count = ecs_component_field_count(native, component);
  Definition *definition = begin(L, name, count);
  for (uint32_t f = 0; f < count; f++) {
    ecs_Field field = field_of(native, component, f);
    lua_pushstring(L, field.name);
    field.name = lua_tostring(L, -1);
    definition->fields[f] = field;
    lua_rawseti(L, -2, (int)f + 1);
  }
  definition->storage = ecs_component_storage(native, component);
  finish(L, definition);
  return definition;
}

Adoption bind_definition_adopt(lua_State *L, const ecs_World *native,
                               ecs_Component component, bool make) {
  Adoption adoption = {NULL, false};
  if (!is_plain(native, component)) return adoption;
  int top = lua_gettop(L);
  lua_pushstring(L, ecs_component_name(native, component));
  Definition *known = find_known(L, top + 1);
  if (known && agrees(known, native, component)) {
    adoption.definition = known;
  } else if (known) {
    adoption.refused = true;
  } else if (make) {
    Definition *definition = copy(L, top + 1, native, component);
    enrol(L, definition);
    adoption.definition = definition;
  }
  lua_settop(L, top);
  return adoption;
}

/* Of scripts --------------------------------------------------------------- */

static void refuse_reserved(lua_State *L, const char *name) {
  if (is_reserved(name))
    bind_error(L, "'%s' cannot be the name of a component: batches use it",
               name);
}

/* ecs.component "Heat": what is known under this name. */
static int push_known(lua_State *L) {
  if (find_known(L, 1)) return 1;
  return bind_error(L,
                    "no component is called %s yet: to define it, say what "
                    "fields it has, as in { x = 'f32' }; without any it is "
                    "an ecs.tag",
                    lua_tostring(L, 1));
}

BIND_INTERNAL int bind_component(lua_State *L);
BIND_INTERNAL int bind_component(lua_State *L) {
  refuse_reserved(L, check_name(L, 1, "component"));
  bind_hosts_adopt(L);
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
  return settle(L, definition);
}

BIND_INTERNAL int bind_tag(lua_State *L);
BIND_INTERNAL int bind_tag(lua_State *L) {
  refuse_reserved(L, check_name(L, 1, "tag"));
  bind_hosts_adopt(L);
  lua_settop(L, 2);
  Definition *definition = read_definition(L, 0);
  definition->storage = check_options(L, 2, definition->name, true);
  return settle(L, definition);
}

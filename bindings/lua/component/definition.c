/* definition.c: the objects that ecs.component, ecs.tag and Position { x = 1 }
 * return.
 *
 *      Position              all defaults
 *      Position { x = 1 }    __call: a Value; every field is checked at once
 *
 * A value is an image and a mask, not a table: it cannot change after it was
 * checked, and a spawn copies its bytes. On LuaJIT scripts/ecs makes values in
 * its own way (values_by), with definition_fill for what is unusual.
 */
#include "component/definition.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "api/for_bindings.h"
#include "object/held.h"
#include "object/number.h"
#include "object/plain_table.h"

/* Messages ---------------------------------------------------------------- */

static void push_object_description(lua_State *L, int index) {
  const Definition *definition =
      (const Definition *)bind_find(L, index, KIND_DEFINITION);
  const Value *value = (const Value *)bind_find(L, index, KIND_VALUE);
  if (definition)
    lua_pushfstring(L, "the component %s", definition->name);
  else if (value)
    lua_pushfstring(L, "a value of %s", value->definition->name);
  else if (bind_find(L, index, KIND_PREFAB))
    lua_pushliteral(L, "a prefab");
  else if (bind_find(L, index, KIND_WORLD))
    lua_pushliteral(L, "a world");
  else if (bind_find(L, index, KIND_QUERY))
    lua_pushliteral(L, "a query");
  else if (bind_find(L, index, KIND_ARRAY))
    lua_pushliteral(L, "an array");
  else
    lua_pushfstring(L, "a %s", luaL_typename(L, index));
}

/* Rows are tables on LuaJIT and userdata on other VMs; the name in the
 * metatable is the same. */
const char *bind_view_name(lua_State *L, int index) {
  if (lua_isnone(L, index) || !luaL_getmetafield(L, index, "__name"))
    return NULL;
  const char *name = lua_tostring(L, -1);
  bool row = name && strcmp(name, "ecs.Row") == 0;
  bool batch = name && strcmp(name, "ecs.Batch") == 0;
  lua_pop(L, 1);
  return row ? "a row" : batch ? "a batch" : NULL;
}

void bind_push_description(lua_State *L, int index) {
  char text[48];
  const char *view = bind_view_name(L, index);
  if (view) {
    lua_pushstring(L, view);
    return;
  }
  switch (lua_type(L, index)) {
    case LUA_TNONE: lua_pushliteral(L, "nothing"); return;
    case COMPAT_TCDATA:
    case LUA_TUSERDATA: push_object_description(L, index); return;
    case LUA_TNIL: lua_pushliteral(L, "nil"); return;
    case LUA_TBOOLEAN:
      lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
      return;
    case LUA_TNUMBER: break;
    default: lua_pushfstring(L, "a %s", luaL_typename(L, index)); return;
  }
  bind_write_number(text, sizeof text, lua_tonumber(L, index));
  lua_pushstring(L, text);
}

/* Indexed by ecs_Scalar. */
static const char *const wanted[ECS_SCALAR_COUNT] = {
    "a number no larger than 3.4028234663853e+38",
    "a number",
    "a whole number from -128 to 127",
    "a whole number from 0 to 255",
    "a whole number from -32768 to 32767",
    "a whole number from 0 to 65535",
    "a whole number from -2147483648 to 2147483647",
    "a whole number from 0 to 4294967295",
    "true or false",
    "an entity or nil",
    "a string",
    "any value"};

const char *bind_wanted(ecs_Scalar type) {
  ECS_ASSERT((unsigned)type < ECS_SCALAR_COUNT);
  return wanted[type];
}

void bind_callback_check(lua_State *L, int index, const char *call) {
  if (lua_type(L, index) == LUA_TFUNCTION) return;
  bind_push_description(L, index);
  bind_error(L, "%s takes a function, not %s", call, lua_tostring(L, -1));
}

int bind_refuse_element(lua_State *L, int index, const Definition *definition,
                        uint32_t field) {
  const ecs_Field *refused = &definition->fields[field];
  bind_push_description(L, index);
  return bind_error(L, "%s.%s is %s: it takes %s, not %s", definition->name,
                    refused->name, ecs_scalar_name(refused->type),
                    wanted[refused->type], lua_tostring(L, -1));
}

/* Arguments --------------------------------------------------------------- */

/* The definition at index, which the state remembers from now on; NULL when the
 * value is anything else. ecs.Name is not remembered: it is no part. */
static Definition *find_definition(lua_State *L, int index) {
  ModuleState *state = bind_state(L);
  Definition *definition = (Definition *)bind_find(L, index, KIND_DEFINITION);
  if (definition && definition != state->named)
    *recent_definition(state, definition) = definition;
  return definition;
}

/* The end of the message for a value that is no part: what to write instead. A
 * nil is often a misspelt variable. Must be called before anything is pushed,
 * since the argument at index may be absent. */
static const char *advice(lua_State *L, int index, const char *call) {
  switch (lua_type(L, index)) {
    case LUA_TNIL: return ": is its variable defined?";
    case LUA_TSTRING: return ": ecs.component gives the component of a name";
    case LUA_TTABLE:
    case LUA_TUSERDATA: break;
    default: return "";
  }
  if (bind_view_name(L, index))
    return ": to copy one, name its fields in a value";
  if (!lua_istable(L, index)) return "";
  lua_rawgeti(L, index, 1);
  bool list = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (!list) return ": write the component before the braces";
  return strcmp(call, "spawn") == 0 ? ": write spawn(A, B), without braces"
                                    : ": call it once for each, without braces";
}

Definition *bind_definition_check(lua_State *L, int index, const char *call) {
  Definition *definition = find_definition(L, index);
  if (definition) return definition;
  Value *value = (Value *)bind_find(L, index, KIND_VALUE);
  if (value)
    bind_error(L, "%s takes a component: pass %s itself, without fields", call,
               value->definition->name);
  const char *hint = advice(L, index, call);
  bind_push_description(L, index);
  bind_error(L, "%s takes a component or tag, not %s%s", call,
             lua_tostring(L, -1), hint);
  return NULL;
}

bool bind_given_find_in(lua_State *L, const ModuleState *state, int index,
                        Given *given) {
  const Value *value = (const Value *)bind_find_in(L, state, index, KIND_VALUE);
  if (value) {
    *given = (Given){value->definition, value->image, value->given};
    return true;
  }
  *given = (Given){find_definition(L, index), NULL, ~UINT64_C(0)};
  if (given->definition == state->named) given->definition = NULL;
  return given->definition != NULL;
}

void bind_refuse_name(lua_State *L, const Definition *definition,
                      const char *call) {
  if (definition && definition == bind_state(L)->named)
    bind_error(L,
               "%s: %s comes and goes with a name: write world:name(e, "
               "'player'), or world:name(e, nil)",
               call, definition->name);
}

Given bind_given_check(lua_State *L, int index, const char *call) {
  Given given;
  if (bind_given_find(L, index, &given)) return given;
  bind_refuse_name(L, find_definition(L, index), call);
  const char *hint = advice(L, index, call);
  bind_push_description(L, index);
  bind_error(L,
             "%s takes a component, a tag or a value such as "
             "Position { x = 1 }, not %s%s",
             call, lua_tostring(L, -1), hint);
  return given;
}

uint32_t bind_field_find(const Definition *definition, const char *name) {
  uint32_t field = 0;
  while (field < definition->field_count &&
         strcmp(definition->fields[field].name, name) != 0)
    field++;
  return field;
}

uint32_t bind_field_find_slowly(lua_State *L, int index,
                                const Definition *definition) {
  if (definition->field_count == 0)
    bind_error(L, "%s is a tag: it has no fields", definition->name);
  if (lua_type(L, index) != LUA_TSTRING) {
    bind_push_description(L, index);
    bind_error(L, "a field of %s is named by a string, not by %s%s",
               definition->name, lua_tostring(L, -1),
               bind_find(L, index, KIND_DEFINITION)
                   ? ": call it once for each component"
                   : "");
  }
  size_t bytes;
  const char *name = lua_tolstring(L, index, &bytes);
  uint32_t field = bind_field_find(definition, name);
  const FieldArray *array = bind_array_at(L, index, definition);
  if (array)
    bind_error(L, "%s.%s is an array of %d: name one element, as in '%s[1]'",
               definition->name, name, (int)array->count, name);
  if (field == definition->field_count || strlen(name) != bytes)
    bind_error(L, "%s has no field '%s' (it has %s)", definition->name, name,
               definition->listing);
  return field;
}

/* Arrays ------------------------------------------------------------------ */

const FieldArray *bind_array_named(lua_State *L, int index,
                                   const Definition *definition) {
  if (lua_type(L, index) != LUA_TSTRING) return NULL;
  size_t bytes;
  const char *name = lua_tolstring(L, index, &bytes);
  for (uint32_t k = 0; k < definition->array_count; k++)
    if (definition->arrays[k].name == name) return &definition->arrays[k];
  for (uint32_t k = 0; k < definition->array_count; k++)
    if (strlen(definition->arrays[k].name) == bytes &&
        memcmp(definition->arrays[k].name, name, bytes) == 0)
      return &definition->arrays[k];
  return NULL;
}

uint32_t bind_element_check(lua_State *L, int index,
                            const Definition *definition,
                            const FieldArray *array) {
  double number =
      lua_type(L, index) == LUA_TNUMBER ? lua_tonumber(L, index) : 0;
  uint32_t at = number >= 1 && number <= array->count ? (uint32_t)number : 0;
  if (at == 0 || (double)at != number) {
    bind_push_description(L, index);
    bind_error(L, "%s.%s has elements 1 to %d, not %s", definition->name,
               array->name, (int)array->count, lua_tostring(L, -1));
  }
  return array->first + at - 1;
}

void bind_array_push(lua_State *L, const Definition *definition,
                     const FieldArray *array, const void *image) {
  lua_createtable(L, (int)array->count, 0);
  for (uint32_t k = 0; k < array->count; k++) {
    uint32_t field = array->first + k;
    bind_push_element(L, definition->fields[field].type,
                      (const char *)image + definition->offsets[field]);
    lua_rawseti(L, -2, (int)k + 1);
  }
}

void bind_refuse_arrays(lua_State *L, const Definition *definition,
                        const char *call) {
  if (definition->array_count == 0) return;
  const char *name = definition->arrays[0].name;
  bind_error(L,
             "%s: %s.%s is an array: name the fields, and its elements one "
             "by one, as in '%s[1]'",
             call, definition->name, name, name);
}

/* The elements of an array, as a mask of fields. */
static uint64_t elements_of(const FieldArray *array) {
  ECS_ASSERT(array->count > 0 && array->first + array->count <= 64);
  return ~UINT64_C(0) >> (64 - array->count) << array->first;
}

/* Reads one value for all elements. */
static uint64_t fill_array(lua_State *L, int index,
                           const Definition *definition,
                           const FieldArray *array, char *image) {
  ecs_Scalar type = definition->fields[array->first].type;
  size_t bytes = ecs_scalar_bytes(type);
  char *first = image + definition->offsets[array->first];
  if (!bind_read_element(L, index, type, first)) {
    bind_push_description(L, index);
    bind_error(L,
               "%s.%s is an array of %d: it takes a table, or %s for all, not "
               "%s",
               definition->name, array->name, (int)array->count, wanted[type],
               lua_tostring(L, -1));
  }
  for (uint32_t k = 1; k < array->count; k++)
    memcpy(first + k * bytes, first, bytes);
  return elements_of(array);
}

/* Reads the elements of an array from the value at index into an image, and
 * allocates nothing until it raises. Returns which fields are given. */
static uint64_t read_array(lua_State *L, int index,
                           const Definition *definition,
                           const FieldArray *array, void *image) {
  uint64_t given = 0;
  index = compat_absolute(L, index);
  if (!lua_istable(L, index))
    return fill_array(L, index, definition, array, (char *)image);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    uint32_t field = bind_element_check(L, -2, definition, array);
    if (!bind_read_element(L, lua_gettop(L), definition->fields[field].type,
                           (char *)image + definition->offsets[field]))
      bind_refuse_element(L, lua_gettop(L), definition, field);
    given |= UINT64_C(1) << field;
  }
  return given;
}

/* Raises because a table names an array and one of its elements, which is the
 * field. */
static void refuse_again(lua_State *L, const Definition *definition,
                         uint32_t field) {
  uint32_t k = 0;
  while (!(elements_of(&definition->arrays[k]) >> field & 1)) k++;
  ECS_ASSERT(k < definition->array_count);
  bind_error(L, "%s.%s is given twice", definition->name,
             definition->arrays[k].name);
}

/* Values ------------------------------------------------------------------ */

static void refuse_fields(lua_State *L, const Definition *definition) {
  bind_error(L, "%s is a tag: it has no fields, so leave out the {}",
             definition->name);
}

void bind_refuse_view(lua_State *L, int index, const Definition *definition) {
  const char *view = bind_view_name(L, index);
  if (!view) return;
  if (definition->field_count == 0) refuse_fields(L, definition);
  bind_error(L,
             "%s takes a table of fields, not %s: name them, as in "
             "%s { %s = ... }",
             definition->name, view, definition->name,
             definition->fields[0].name);
}

/* An f32 in range, which most fields are, is stored in line. */
static inline bool read_element(lua_State *L, ecs_Scalar type, void *element) {
  if (type == ECS_F32 && lua_type(L, -1) == LUA_TNUMBER) {
    double number = lua_tonumber(L, -1);
    if (number >= -FLT_MAX && number <= FLT_MAX) {
      float narrow = (float)number;
      memcpy(element, &narrow, sizeof narrow);
      return true;
    }
  }
  return bind_read_element(L, lua_gettop(L), type, element);
}

/* Reads the fields behind __index of the table at index, which lacks some
 * itself. Returns all that are given. Not in line: few tables need it. */
ECS_APART static uint64_t read_behind(lua_State *L, int index,
                                      const Definition *definition, void *image,
                                      uint64_t given) {
  luaL_checkstack(L, 10, "a table of fields");
  bind_refuse_view(L, index, definition); /* LuaJIT's views are empty tables */
  for (uint32_t f = 0; f < definition->field_count; f++) {
    const FieldArray *array = bind_array_from(definition, f);
    if (!array && (given >> f & 1)) continue;
    if (array && (given & elements_of(array))) {
      f += array->count - 1;
      continue;
    }
    const ecs_Field *field = &definition->fields[f];
    lua_pushstring(L, array ? array->name : field->name);
    bind_chain_check(L, bind_chain_get(L, index), definition->name,
                     "its table of fields");
    if (array) {
      if (!lua_isnil(L, -1))
        given |= read_array(L, lua_gettop(L), definition, array, image);
      f += array->count - 1;
    } else if (!lua_isnil(L, -1)) {
      int value = lua_gettop(L);
      void *element = (char *)image + definition->offsets[f];
      if (!bind_read_element(L, value, field->type, element))
        bind_refuse_element(L, value, definition, f);
      given |= UINT64_C(1) << f;
    }
    lua_pop(L, 1);
  }
  return given;
}

/* All fields of a definition that has some. */
static inline uint64_t all_fields(const Definition *definition) {
  return ~UINT64_C(0) >> (64 - definition->field_count);
}

uint64_t bind_fields_read(lua_State *L, int index, const Definition *definition,
                          void *image) {
  uint64_t given = 0;
  if (definition->field_count == 0) refuse_fields(L, definition);
  memcpy(image, definition->defaults, definition->image_bytes);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const FieldArray *array = bind_array_at(L, -2, definition);
    if (array) {
      uint64_t elements = read_array(L, -1, definition, array, image);
      if (given & elements) refuse_again(L, definition, array->first);
      given |= elements;
      continue;
    }
    uint32_t field = bind_field_check(L, -2, definition);
    ECS_ASSERT(definition->offsets[field] < definition->image_bytes);
    if (given >> field & 1) refuse_again(L, definition, field);
    if (!read_element(L, definition->fields[field].type,
                      (char *)image + definition->offsets[field]))
      bind_refuse_element(L, lua_gettop(L), definition, field);
    given |= UINT64_C(1) << field;
  }
  if (given != all_fields(definition) && lua_getmetatable(L, index)) {
    lua_pop(L, 1);
    given = read_behind(L, index, definition, image, given);
  }
  return given;
}

uint64_t bind_pairs_read(lua_State *L, int index, const Definition *definition,
                         void *image) {
  uint64_t given = 0;
  int top = lua_gettop(L);
  if (lua_type(L, index) != LUA_TSTRING) bind_refuse_view(L, index, definition);
  /* Complete, although few fields count: a recorded set copies all of it. */
  if (definition->field_count > 0)
    memcpy(image, definition->defaults, definition->image_bytes);
  for (; index <= top; index += 2) {
    const FieldArray *array = bind_array_at(L, index, definition);
    if (array) {
      if (index == top)
        bind_error(L, "set lacks the new %s of %s", array->name,
                   definition->name);
      if (given & elements_of(array))
        bind_error(L, "set names %s.%s twice", definition->name, array->name);
      given |= read_array(L, index + 1, definition, array, image);
      continue;
    }
    uint32_t field = bind_field_check(L, index, definition);
    ecs_Scalar type = definition->fields[field].type;
    const char *name = definition->fields[field].name;
    if (given >> field & 1)
      bind_error(L, "set names %s.%s twice", definition->name, name);
    if (index == top)
      bind_error(L, "set lacks the new %s of %s", name, definition->name);
    if (!bind_read_element(L, index + 1, type,
                           (char *)image + definition->offsets[field]))
      bind_refuse_element(L, index + 1, definition, field);
    given |= UINT64_C(1) << field;
  }
  return given;
}

Value *bind_value_new(lua_State *L, const Definition *definition) {
  luaL_checkstack(L, 8, "a value");
  bind_push_metatable(L, KIND_VALUE);
  Value *value = (Value *)bind_new_plain(
      L, KIND_VALUE, lua_gettop(L), sizeof *value + definition->image_bytes);
  lua_remove(L, -2);
  value->definition = definition;
  value->given = 0;
  memcpy(value->image, definition->defaults, definition->image_bytes);
  bind_held_list(L);
  return value;
}

void bind_pin_image(lua_State *L, const Definition *definition,
                    const void *image) {
  for (uint32_t f = 0; f < definition->field_count; f++)
    if (definition->held >> f & 1)
      bind_held_pin(L, definition_held(definition, image, f));
}

void bind_refuse_held(lua_State *L, const Definition *definition,
                      const char *call, const char *instead) {
  if (!definition->held) return;
  uint32_t f = 0;
  while (!(definition->held >> f & 1)) f++;
  const ecs_Field *field = &definition->fields[f];
  bind_error(L, "%s: %s.%s is of type %s: %s", call, definition->name,
             field->name, ecs_scalar_name(field->type), instead);
}

/* Position { x = 1 } */
static int definition_call(lua_State *L) {
  const Definition *definition =
      bind_definition_at(L, bind_state(L), 1, "a value");
  if (definition->field_count == 0) refuse_fields(L, definition);
  if (!lua_istable(L, 2) || lua_gettop(L) != 2) {
    bind_refuse_view(L, 2, definition);
    return bind_error(L, "%s takes one table of fields, as in %s { %s = ... }",
                      definition->name, definition->name,
                      definition->fields[0].name);
  }
  Value *value;
  if (definition->held) {
    value = bind_value_new(L, definition);
  } else {
    value = (Value *)bind_new_plain(L, KIND_VALUE, lua_upvalueindex(3),
                                    sizeof *value + definition->image_bytes);
    value->definition = definition;
    value->given = 0;
  }
  value->given = bind_fields_read(L, 2, definition, value->image);
  return 1;
}

/* fill(Position, { x = 1 }, struct): the same in a new struct of scripts/ecs,
 * which is returned. */
static int definition_fill(lua_State *L) {
  ModuleState *state = bind_state(L);
  const Definition *definition = bind_definition_at(L, state, 1, "a value");
  lua_settop(L, 3);
  size_t words = (size_t)bind_struct_words(L, state, 3);
  if (words == 0 || words * 8 < definition->image_bytes || definition->held ||
      !lua_istable(L, 2))
    return bind_error(L, "a value takes a table, and a struct with room");
  Value *value = (Value *)(uintptr_t)lua_topointer(L, 3);
  value->header.magic = 0; /* no value before all is read */
  value->given = bind_fields_read(L, 2, definition, value->image);
  bind_value_finish(value, definition);
  return 1;
}

static int definition_tostring(lua_State *L) {
  lua_pushstring(L, bind_definition_check(L, 1, "tostring")->name);
  return 1;
}

/* Adds what a link's definition says to the table on top. */
static void push_link(lua_State *L, const Definition *definition, uint32_t f) {
  static const char *const rules[] = {"clear", "remove", "destroy"};
  for (uint32_t k = 0; k < definition->link_count; k++) {
    const ecs_Link *link = &definition->links[k];
    if (link->field != f) continue;
    lua_pushstring(L, rules[link->rule]);
    lua_setfield(L, -2, "link");
    lua_pushboolean(L, link->tree);
    lua_setfield(L, -2, "tree");
  }
}

/* Pushes a list { { name =, type =, default = }, ... }; of links, also link and
 * tree, and of arrays count, as they were defined. It is new at each call, so a
 * script may change it. The null entity as default is nil. */
static int push_fields(lua_State *L, const Definition *definition) {
  lua_createtable(L, (int)definition->field_count, 0);
  int length = 0;
  for (uint32_t f = 0; f < definition->field_count;) {
    const ecs_Field *field = &definition->fields[f];
    const FieldArray *array = bind_array_from(definition, f);
    lua_createtable(L, 0, 3);
    lua_pushstring(L, array ? array->name : field->name);
    lua_setfield(L, -2, "name");
    if (array) compat_push_integer(L, array->count);
    if (array) lua_setfield(L, -2, "count");
    lua_pushstring(L, ecs_scalar_name(field->type));
    lua_setfield(L, -2, "type");
    bind_push_element(
        L, field->type,
        (const char *)definition->defaults + definition->offsets[f]);
    lua_setfield(L, -2, "default");
    push_link(L, definition, f);
    lua_rawseti(L, -2, ++length);
    f += array ? array->count : 1;
  }
  return 1;
}

/* Position.name, Position.fields; every other key raises. */
static int definition_index(lua_State *L) {
  const Definition *definition = bind_definition_check(L, 1, "index");
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(key, "fields") == 0) return push_fields(L, definition);
  if (strcmp(key, "name") == 0) {
    lua_pushstring(L, definition->name);
    return 1;
  }
  return bind_error(L,
                    "%s is a component, not an entity's value: "
                    "read one with world:get(e, %s)",
                    definition->name, definition->name);
}

/* Is a field a link that is a tree? */
static bool is_tree(const Definition *definition, uint32_t field) {
  for (uint32_t i = 0; i < definition->link_count; i++)
    if (definition->links[i].field == field) return definition->links[i].tree;
  return false;
}

/* Sets arrays of the list of fields on top of the stack, where there are some:
 * { { name, number of the first element, count }, ... }, and of each element the
 * entry array, the name. */
static void push_arrays(lua_State *L, const Definition *definition) {
  if (definition->array_count == 0) return;
  int list = lua_gettop(L);
  lua_createtable(L, (int)definition->array_count, 0);
  for (uint32_t k = 0; k < definition->array_count; k++) {
    const FieldArray *array = &definition->arrays[k];
    lua_createtable(L, 3, 0);
    lua_pushstring(L, array->name);
    lua_rawseti(L, -2, 1);
    compat_push_integer(L, (int64_t)array->first + 1);
    lua_rawseti(L, -2, 2);
    compat_push_integer(L, array->count);
    lua_rawseti(L, -2, 3);
    lua_rawseti(L, -2, (int)k + 1);
    for (uint32_t f = 0; f < array->count; f++) {
      lua_rawgeti(L, list, (int)(array->first + f) + 1);
      lua_pushstring(L, array->name);
      lua_setfield(L, -2, "array");
      lua_pop(L, 1);
    }
  }
  lua_setfield(L, list, "arrays");
}

/* fields(Position): the name, a list { { name, type }, ... }, in which links
 * have true and whether they are a tree behind the type, and the bytes of an
 * image. Elements of arrays are fields; see push_arrays. */
static int definition_fields(lua_State *L) {
  const Definition *definition = bind_definition_check(L, 1, "fields");
  lua_pushstring(L, definition->name);
  lua_createtable(L, (int)definition->field_count, 0);
  for (uint32_t f = 0; f < definition->field_count; f++) {
    lua_createtable(L, 2, 0);
    lua_pushstring(L, definition->fields[f].name);
    lua_rawseti(L, -2, 1);
    lua_pushstring(L, ecs_scalar_name(definition->fields[f].type));
    lua_rawseti(L, -2, 2);
    if (definition_is_link(definition, f)) {
      lua_pushboolean(L, true);
      lua_rawseti(L, -2, 3);
      lua_pushboolean(L, is_tree(definition, f));
      lua_rawseti(L, -2, 4);
    }
    lua_rawseti(L, -2, (int)f + 1);
  }
  push_arrays(L, definition);
  compat_push_whole(L, definition->image_bytes);
  return 3;
}

static const luaL_Reg definition_metamethods[] = {
    {"__tostring", definition_tostring},
    {"__index", definition_index},
    {NULL, NULL}};

/* values_by(call, words): from now on call makes the values of components, and
 * words(x) is how many words of an image the C data x has room for, or nil if
 * it is no value. values_by(false): ecs.core makes them. Only the first call
 * counts, so that no script can make another. It returns the function that made
 * values so far, fill, and the metatable of values. */
static int values_by(lua_State *L) {
  ModuleState *state = bind_state(L);
  bool structs = lua_toboolean(L, 1);
  lua_settop(L, 2);
  if (state->values_are_settled) return 0;
  if (structs) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    luaL_checktype(L, 2, LUA_TFUNCTION);
  }
  bind_push_metatable(L, KIND_DEFINITION);
  lua_getfield(L, 3, "__call");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushliteral(L, "fill");
  lua_pushcclosure(L, definition_fill, 2);
  bind_push_metatable(L, KIND_VALUE);
  if (structs) {
    bind_push_shared(L);
    lua_pushvalue(L, 2);
    lua_rawseti(L, -2, STRUCT_WORDS);
    lua_pop(L, 1);
    lua_pushvalue(L, 1);
    lua_setfield(L, 3, "__call");
  }
  state->values_are_settled = true;
  state->has_structs = structs;
  return 3;
}

void bind_definition_push(lua_State *L, const Definition *definition) {
  bind_push_shared(L);
  bind_push_table(L, "definitions");
  lua_rawgeti(L, -1, (int)definition->index);
  lua_insert(L, -3);
  lua_pop(L, 2);
}

static const luaL_Reg functions[] = {
    {"fields", definition_fields}, {"values_by", values_by}, {NULL, NULL}};

/* The call that makes values, which has their metatable at hand, too. When the
 * module is opened again, it stays as values_by left it. */
static void add_call(lua_State *L) {
  lua_getfield(L, -1, "__call");
  bool present = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (present) return;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushliteral(L, "__call");
  bind_push_metatable(L, KIND_VALUE);
  lua_pushcclosure(L, definition_call, 3);
  lua_setfield(L, -2, "__call");
}

void bind_open_definition(lua_State *L) {
  bind_add(L, functions);
  bind_push_metatable(L, KIND_DEFINITION);
  bind_add(L, definition_metamethods);
  add_call(L);
  lua_pop(L, 1);
}

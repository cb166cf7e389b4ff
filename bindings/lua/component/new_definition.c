/* new_definition.c: how a definition is built, compared and added to the state.
 */
#include "component/new_definition.h"

#include <string.h>

#include "api/for_bindings.h"

/* Slots of the private table, after the slots of the fields: the listing, and
 * the names of arrays. */
#define DEFINITION_LISTING ((int)ECS_FIELD_LIMIT + 1)
#define DEFINITION_ARRAYS (DEFINITION_LISTING + 1)

static size_t round_up(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/* Computes offsets and the default image, which lie behind the fields. */
static void lay_out(Definition *definition) {
  uint32_t count = definition->field_count;
  uint32_t *offsets = (uint32_t *)(void *)&definition->fields[count];
  char *image = (char *)definition + definition->header.bytes - 8u * count;
  size_t end = 0, alignment = 1;
  for (uint32_t f = 0; f < count; f++) {
    size_t bytes = ecs_scalar_bytes(definition->fields[f].type);
    end = round_up(end, bytes);
    offsets[f] = (uint32_t)end;
    ecs_scalar_convert(definition->fields[f].type, image + end,
                       definition->fields[f].default_value);
    if (scalar_is_held(definition->fields[f].type))
      definition->held |= UINT64_C(1) << f;
    end += bytes;
    if (bytes > alignment) alignment = bytes;
  }
  definition->offsets = offsets;
  definition->image_bytes = count ? (uint32_t)round_up(end, alignment) : 0;
  ECS_ASSERT(definition->image_bytes <= 8u * count);
  ECS_ASSERT((char *)(definition->links + count) <= (char *)definition->arrays);
  definition->defaults = count ? image : NULL;
}

/* Finds the arrays among the fields. Keeps their names in the private table on
 * top of the stack. */
static void find_arrays(lua_State *L, Definition *definition) {
  for (uint32_t f = 0; f < definition->field_count;) {
    uint32_t number, k = definition->array_count;
    const ecs_Field *field = &definition->fields[f];
    uint32_t count =
        bind_elements_count(definition->fields, definition->field_count, f);
    if (count > 0) {
      lua_pushlstring(L, field->name, bind_element_base(field->name, &number));
      definition->arrays[k] = (FieldArray){lua_tostring(L, -1), f, count};
      definition->array_count = k + 1;
      lua_rawseti(L, -2, DEFINITION_ARRAYS + (int)k);
    }
    f += count > 0 ? count : 1;
  }
}

/* Pushes "x, y". */
static void push_listing(lua_State *L, const Definition *definition) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (uint32_t f = 0; f < definition->field_count;) {
    const FieldArray *array = bind_array_from(definition, f);
    if (f > 0) luaL_addstring(&buffer, ", ");
    luaL_addstring(&buffer, array ? array->name : definition->fields[f].name);
    f += array ? array->count : 1;
  }
  luaL_pushresult(&buffer);
}

/* An image of count fields takes at most 8 bytes a field: no scalar is larger.
 */
static size_t definition_bytes(uint32_t count) {
  return round_up(sizeof(Definition) + count * sizeof(ecs_Field) +
                      count * (sizeof(uint32_t) + sizeof(ecs_Link)),
                  8) +
         count * sizeof(FieldArray) + 8u * count;
}

Definition *bind_definition_begin(lua_State *L, int name, uint32_t count) {
  ECS_ASSERT(lua_type(L, name) == LUA_TSTRING && count <= ECS_FIELD_LIMIT);
  Definition *definition =
      (Definition *)bind_new(L, KIND_DEFINITION, definition_bytes(count));
  definition->name = lua_tostring(L, name);
  definition->field_count = count;
  definition->linked = definition->held = definition->link_count = 0;
  definition->links =
      (ecs_Link *)(void *)((uint32_t *)(void *)&definition->fields[count] +
                           count);
  char *end = (char *)definition + definition->header.bytes - 8u * count;
  definition->arrays = (FieldArray *)(void *)end - count;
  definition->array_count = 0;
  compat_push_private(L, -1);
  lua_pushvalue(L, name);
  lua_rawseti(L, -2, DEFINITION_NAME);
  return definition;
}

void bind_definition_finish(lua_State *L, Definition *definition) {
  ECS_ASSERT(lua_istable(L, -1)); /* the private table */
  lay_out(definition);
  find_arrays(L, definition);
  push_listing(L, definition);
  definition->listing = lua_tostring(L, -1);
  lua_rawseti(L, -2, DEFINITION_LISTING);
  lua_pop(L, 1);
}

/* Either entry may fail for want of memory. The name comes last: a definition
 * that is found by name has an index, and an entry past the last index is
 * overwritten by the next definition. */
void bind_definition_add(lua_State *L, Definition *definition) {
  ModuleState *state = bind_state(L);
  int top = lua_gettop(L);
  ECS_ASSERT(lua_touserdata(L, top) == definition && definition->index == 0);
  bind_push_shared(L);
  bind_push_table(L, "definitions");
  lua_pushvalue(L, top);
  lua_rawseti(L, top + 2, (int)state->definition_count + 1);
  lua_pushstring(L, definition->name);
  lua_pushvalue(L, top);
  lua_rawset(L, top + 2);
  definition->index = ++state->definition_count;
  if (!state->named && strcmp(definition->name, "ecs.Name") == 0)
    state->named = definition;
  lua_settop(L, top);
}

Definition *bind_definition_find(lua_State *L, int name) {
  bind_push_shared(L);
  bind_push_table(L, "definitions");
  lua_pushvalue(L, name);
  lua_rawget(L, -2);
  lua_replace(L, -3);
  lua_pop(L, 1);
  return (Definition *)bind_find(L, -1, KIND_DEFINITION);
}

void bind_definition_push_needs(lua_State *L, int index) {
  compat_push_private(L, index);
  lua_rawgeti(L, -1, DEFINITION_NEEDS);
  lua_replace(L, -2);
}

/* Are the defaults the same bits once they are stored? */
static bool has_equal_default(const ecs_Field *a, const ecs_Field *b) {
  uint64_t one = 0, other = 0;
  ecs_scalar_convert(a->type, &one, a->default_value);
  ecs_scalar_convert(b->type, &other, b->default_value);
  return one == other;
}

void bind_definition_link(Definition *definition, uint32_t field,
                          ecs_LinkRule rule, bool tree) {
  ECS_ASSERT(definition->link_count < definition->field_count);
  definition->links[definition->link_count++] = (ecs_Link){field, rule, tree};
  definition->linked |= UINT64_C(1) << field;
}

const ecs_Link *bind_definition_link_of(const Definition *definition,
                                        uint32_t field) {
  for (uint32_t k = 0; k < definition->link_count; k++)
    if (definition->links[k].field == field) return &definition->links[k];
  return NULL;
}

bool bind_field_equals(const ecs_Field *a, const ecs_Field *b) {
  return a->type == b->type && strcmp(a->name, b->name) == 0 &&
         has_equal_default(a, b);
}

bool bind_name_is_reserved(const char *name) {
  return strcmp(name, "count") == 0 || strcmp(name, "entities") == 0 ||
         strcmp(name, "up") == 0 || strcmp(name, "copy") == 0;
}

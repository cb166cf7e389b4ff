/* define.c: makes definitions from the arguments of ecs.component and ecs.tag.
 *
 *      ecs.component("Health", { hp = { "i32", 100 }, max = "i32" }, options)
 *      ecs.component("Trail", { past = { "f32", count = 3 } })    past[1] to [3]
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

#include <stdio.h>
#include <string.h>

#include "api/for_bindings.h"
#include "component/new_definition.h"
#include "object/name.h"
#include "object/number.h"
#include "object/plain_table.h"

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

/* Pushes the name of an entry of needs: a component, or the name of one. */
static void push_need(lua_State *L, int index, const char *name) {
  if (lua_type(L, index) == LUA_TSTRING) {
    bind_refuse_name(L, bind_definition_find(L, index), name);
    lua_pop(L, 1);
    lua_pushvalue(L, index);
    return;
  }
  const Definition *need =
      (const Definition *)bind_find(L, index, KIND_DEFINITION);
  if (need) {
    bind_refuse_name(L, need, name);
    lua_pushstring(L, need->name);
    return;
  }
  bind_push_description(L, index);
  bind_error(L, "%s: needs lists components, or their names, and not %s", name,
             lua_tostring(L, -1));
}

/* Is the string on top of the stack among the first count of the list? */
static bool has_need(lua_State *L, int list, uint32_t count) {
  bool found = false;
  for (uint32_t i = 1; !found && i <= count; i++) {
    lua_rawgeti(L, list, (int)i);
    found = lua_rawequal(L, -1, -2);
    lua_pop(L, 1);
  }
  return found;
}

/* Reads the list at index into the private table of the definition below it. */
static void read_needs(lua_State *L, int index, Definition *definition,
                       int owner) {
  const char *name = definition->name;
  uint32_t count = 0;
  if (!lua_istable(L, index))
    bind_error(L, "%s: needs is a list, as in needs = { Position }", name);
  bind_plain(L, index, &bind_plain_list, name, "needs");
  lua_newtable(L);
  int list = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TNUMBER)
      bind_error(L, "%s: needs is a list, as in needs = { Position }", name);
    push_need(L, lua_gettop(L), name);
    if (has_need(L, list, count))
      bind_error(L, "%s: needs names %s twice", name, lua_tostring(L, -1));
    lua_rawseti(L, list, (int)++count);
  }
  definition->need_count = count;
  compat_push_private(L, owner);
  lua_pushvalue(L, list);
  lua_rawseti(L, -2, DEFINITION_NEEDS);
  lua_settop(L, list - 1);
}

/* Reads the options at index into the definition on top of the stack. */
static void read_options(lua_State *L, int index, Definition *definition) {
  static const char *const known[] = {"storage", "needs", NULL};
  static const PlainForm form = {known, false, false};
  const char *name = definition->name;
  bool tag = definition->field_count == 0;
  int owner = lua_gettop(L);
  definition->storage = ECS_STORE_TABLE;
  if (lua_isnoneornil(L, index)) return;
  if (!lua_istable(L, index))
    bind_error(L, "%s: options are a table such as { storage = 'sparse' }",
               name);
  bind_plain(L, index, &form, name, "its table of options");
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2)
                                                     : bind_type_name(L, -2);
    if (strcmp(key, "storage") == 0)
      definition->storage = check_storage(L, lua_gettop(L), name, tag);
    else if (strcmp(key, "needs") == 0)
      read_needs(L, lua_gettop(L), definition, owner);
    else
      bind_error(L, "%s has no option '%s' (there are storage, needs)", name,
                 key);
  }
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
  bool object = strcmp(name, "table") == 0 || strcmp(name, "function") == 0;
  bind_error(L,
             "%s.%s: there is no type '%s' (there are f32 f64 i8 u8 i16 "
             "u16 i32 u32 bool entity string any)%s",
             component, field, name,
             object ? ": any value of Lua fits a field of type any" : "");
  return ECS_SCALAR_COUNT;
}

/* Makes a field's table at index plain. */
static void make_plain(lua_State *L, int index, const char *component) {
  static const char *const known[] = {"link", "tree", "count", NULL};
  static const PlainForm form = {known, true, false};
  bind_plain(L, index, &form, component, "the table of a field");
}

/* The count of a field's plain table at entry; 0: it is no array. */
static uint32_t read_count(lua_State *L, int entry, const char *component,
                           const char *field) {
  lua_pushliteral(L, "count");
  lua_rawget(L, entry);
  bool number = lua_type(L, -1) == LUA_TNUMBER, none = lua_isnil(L, -1);
  double count = number ? lua_tonumber(L, -1) : 0;
  bool whole = count >= 1 && count <= ECS_FIELD_LIMIT &&
               count == (double)(uint32_t)count;
  if (!none && !whole) {
    bind_push_description(L, -1);
    bind_error(L, "%s.%s: count is a whole number from 1 to %d, not %s",
               component, field, (int)ECS_FIELD_LIMIT, lua_tostring(L, -1));
  }
  lua_pop(L, 1);
  return none ? 0 : (uint32_t)count;
}

/* Checks the name on top of the stack but one of a field, and returns how many
 * fields the value on top defines. */
static uint32_t count_entry(lua_State *L, const char *component) {
  const char *name = check_name(L, -2, "field");
  uint32_t number, count = 0;
  if (bind_element_base(name, &number) > 0)
    bind_error(L,
               "%s: '%s' would be the name of an element of an array: define "
               "that as in { past = { 'f32', count = 10 } }",
               component, name);
  if (!lua_istable(L, -1)) return 1;
  lua_pushvalue(L, -1);
  make_plain(L, lua_gettop(L), component);
  count = read_count(L, lua_gettop(L), component, name);
  lua_pop(L, 1);
  return count > 0 ? count : 1;
}

/* How many fields a table names, and how many they are with their elements. */
typedef struct FieldCounts {
  uint32_t named, all;
} FieldCounts;

/* Counts the fields of the table at index and checks their names. */
static FieldCounts count_fields(lua_State *L, int index, const char *name) {
  FieldCounts counts = {0, 0};
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      bind_error(L, "%s: fields are named, as in { x = 'f32' }", name);
    counts.named++;
    counts.all += count_entry(L, name);
    if (counts.all > ECS_FIELD_LIMIT)
      bind_error(L, "%s has more than 64 fields%s", name,
                 counts.named < counts.all
                     ? ": each element of an array counts as one"
                     : "");
  }
  return counts;
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

/* Accepts { type, default }, and of names link, tree and count: without this,
 * { 'i32', default = 1 } would look like a field without a default. */
static void check_listed(lua_State *L, int index, const char *component,
                         const char *field) {
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    bool number = lua_type(L, -2) == LUA_TNUMBER;
    double key = number ? lua_tonumber(L, -2) : 0;
    if (number && (key == 1 || key == 2)) continue;
    const char *word =
        lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    if (strcmp(word, "link") == 0 || strcmp(word, "tree") == 0 ||
        strcmp(word, "count") == 0)
      continue;
    bind_error(L,
               "%s.%s: a field is a type such as 'f32', or "
               "{ type, default }",
               component, field);
  }
}

/* Reads what a field's table at entry says of a link: link and tree. */
static void read_link(lua_State *L, int entry, Definition *definition,
                      uint32_t f) {
  static const char *const rules[] = {"clear", "remove", "destroy"};
  const ecs_Field *field = &definition->fields[f];
  uint32_t rule = 0;
  lua_pushliteral(L, "tree");
  lua_rawget(L, entry);
  lua_pushliteral(L, "link");
  lua_rawget(L, entry);
  if (!lua_isnil(L, -2) && !lua_isboolean(L, -2))
    bind_error(L, "%s.%s: tree is true or false", definition->name,
               field->name);
  bool tree = lua_toboolean(L, -2) != 0;
  if (lua_isnil(L, -1)) {
    if (tree)
      bind_error(L,
                 "%s.%s: a tree is made of links: say what happens when "
                 "their target dies, as in { 'entity', link = 'clear', tree = "
                 "true }",
                 definition->name, field->name);
    return;
  }
  const char *word = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  while (rule < ECS_LINK_RULE_COUNT && strcmp(word, rules[rule]) != 0) rule++;
  if (rule == ECS_LINK_RULE_COUNT)
    bind_error(L,
               "%s.%s: link says what happens when the target dies: 'clear' "
               "(the field), 'remove' (the component) or 'destroy' (the "
               "entity)",
               definition->name, field->name);
  if (field->type != ECS_ENTITY)
    bind_error(L, "%s.%s: only an entity field can be a link, not %s",
               definition->name, field->name, ecs_scalar_name(field->type));
  bind_definition_link(definition, f, (ecs_LinkRule)rule, tree);
}

/* Reads the type and the default of the field f, a plain table or a type, at
 * entry. */
static void read_field(lua_State *L, int entry, Definition *definition,
                       uint32_t f) {
  ecs_Field *field = &definition->fields[f];
  bool listed = lua_istable(L, entry);
  uint64_t element = 0;
  if (listed)
    lua_rawgeti(L, entry, 1);
  else
    lua_pushvalue(L, entry);
  field->type = check_type(L, -1, definition->name, field->name);
  if (listed) lua_rawgeti(L, entry, 2);
  if (listed && !lua_isnil(L, -1) &&
      !bind_read_element(L, lua_gettop(L), field->type, &element))
    bind_refuse_element(L, lua_gettop(L), definition, f);
  /* A definition serves all worlds, and an entity belongs to one. */
  if (field->type == ECS_ENTITY && element != 0)
    bind_error(L,
               "%s.%s: an entity has no default: leave it out, and set "
               "the field when you spawn",
               definition->name, field->name);
  if (scalar_is_held(field->type) && element != 0)
    bind_error(L, "%s.%s is %s, and has no other default than %s",
               definition->name, field->name, ecs_scalar_name(field->type),
               field->type == ECS_STRING ? "\"\"" : "nil");
  field->default_value = ecs_scalar_load(field->type, &element);
  if (listed) read_link(L, entry, definition, f);
}

/* Makes the fields after f elements of the same array, of which f is the first;
 * its own name is still that of the array, at index name. slots: of the private
 * table. */
static void add_elements(lua_State *L, Definition *definition, uint32_t f,
                         uint32_t count, int name, int slots) {
  const ecs_Field *first = &definition->fields[f];
  const char *base = lua_tostring(L, name);
  if (first->type >= ECS_ENTITY)
    bind_error(L, "%s.%s: an array cannot have %s", definition->name, base,
               first->type == ECS_ENTITY   ? "entities"
               : first->type == ECS_STRING ? "strings"
                                           : "values of any type");
  ecs_Field field = *first;
  for (uint32_t k = 0; k < count; k++) {
    lua_pushfstring(L, "%s[%d]", base, (int)k + 1);
    field.name = lua_tostring(L, -1);
    if (strlen(field.name) > ECS_NAME_LIMIT)
      bind_error(L, "%s: the name of an array is at most %d bytes",
                 definition->name, (int)ECS_NAME_LIMIT - 4);
    lua_rawseti(L, slots, (int)(f + k) + 1);
    definition->fields[f + k] = field;
  }
}

/* Reads the fields of a definition from the table at schema, in the order of
 * the names in the table at names. slots: of the private table. */
static void read_schema(lua_State *L, int schema, int names, int slots,
                        Definition *definition, uint32_t named) {
  uint32_t f = 0;
  bool changed = false;
  for (uint32_t k = 1; k <= named; k++) {
    lua_rawgeti(L, names, (int)k);
    int name = lua_gettop(L);
    const char *text = lua_tostring(L, name);
    lua_pushvalue(L, name);
    lua_rawget(L, schema);
    int entry = name + 1;
    bool listed = lua_istable(L, entry);
    if (listed) make_plain(L, entry, definition->name);
    if (listed) check_listed(L, entry, definition->name, text);
    uint32_t count = listed ? read_count(L, entry, definition->name, text) : 0;
    uint32_t taken = count > 0 ? count : 1;
    /* A finalizer may have changed the table since its fields were counted. */
    changed = f + taken > definition->field_count;
    if (changed) break;
    definition->fields[f].name = text;
    lua_pushvalue(L, name);
    lua_rawseti(L, slots, (int)f + 1);
    read_field(L, entry, definition, f);
    if (count > 0) add_elements(L, definition, f, count, name, slots);
    f += taken;
    lua_settop(L, name - 1);
  }
  if (changed || f != definition->field_count)
    bind_error(L, "the fields changed while being read");
}

/* Pushes a new definition, not added yet. schema is the stack index of the
 * table of fields; 0: there are none. */
static Definition *read_definition(lua_State *L, int schema) {
  static const PlainForm form = {NULL, false, true};
  FieldCounts counts = {0, 0};
  if (schema)
    bind_plain(L, schema, &form, lua_tostring(L, 1), "its table of fields");
  if (schema) counts = count_fields(L, schema, lua_tostring(L, 1));
  Definition *definition = bind_definition_begin(L, 1, counts.all);
  int slots = lua_gettop(L);
  if (schema) {
    lua_newtable(L);
    sort_names(L, schema, slots + 1, (int)counts.named);
    read_schema(L, schema, slots + 1, slots, definition, counts.named);
    lua_settop(L, slots);
  }
  bind_definition_finish(L, definition);
  return definition;
}

/* Do two definitions say the same of a link? */
static bool has_same_link(const ecs_Link *a, const ecs_Link *b) {
  if (!a || !b) return a == b;
  return a->rule == b->rule && a->tree == b->tree;
}

/* Has a definition the field f of another? */
static bool has_field(const Definition *definition, const Definition *other,
                      uint32_t f) {
  for (uint32_t k = 0; k < definition->field_count; k++)
    if (bind_field_equals(&definition->fields[k], &other->fields[f]))
      return has_same_link(bind_definition_link_of(definition, k),
                           bind_definition_link_of(other, f));
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
    if (!has_field(b, a, f)) return false;
  return true;
}

/* Do the two definitions at the top of the stack need the same? */
static bool has_same_needs(lua_State *L, const Definition *known,
                           const Definition *candidate) {
  int top = lua_gettop(L);
  bool same = known->need_count == candidate->need_count;
  if (!same || known->need_count == 0) return same;
  bind_definition_push_needs(L, top);
  bind_definition_push_needs(L, top - 1);
  for (uint32_t i = 1; same && i <= known->need_count; i++) {
    lua_rawgeti(L, top + 2, (int)i);
    same = has_need(L, top + 1, known->need_count);
    lua_pop(L, 1);
  }
  lua_settop(L, top);
  return same;
}

/* Leaves the definition of this name on the stack: an equal one that exists, or
 * else the candidate on top, which is added. Raises if one that differs exists.
 */
static int keep_or_add(lua_State *L, Definition *candidate) {
  ECS_ASSERT(lua_touserdata(L, -1) == candidate && candidate->index == 0);
  Definition *known = bind_definition_find(L, 1);
  if (known && is_same(known, candidate)) {
    if (has_same_needs(L, known, candidate)) return 1;
    return bind_error(L, "%s is already defined, and needs other components",
                      known->name);
  }
  if (known)
    return bind_error(L, "%s is already defined, with %s", known->name,
                      known->field_count == 0 ? "no fields"
                      : has_same_names(known, candidate)
                          ? "other types, defaults, links or storage"
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
  read_options(L, 3, definition);
  return keep_or_add(L, definition);
}

int bind_define_tag(lua_State *L) {
  refuse_reserved(L, check_name(L, 1, "tag"));
  lua_settop(L, 2);
  Definition *definition = read_definition(L, 0);
  read_options(L, 2, definition);
  return keep_or_add(L, definition);
}

/* new_prefab.c: makes prefabs from the arguments of ecs.prefab.
 *
 * The table is read into a draft: three arrays, in userdata on the stack of
 * Lua, which grow while it is read. Members and parts name images by where
 * these are among the bytes. The prefab is made of the draft at the end:
 *
 *      { base = Humanoid, Health { hp = 50 }, children = { { Sword } } }
 *
 *      own parts, then what the base has beside them; children of the base,
 *      then own ones
 */
#include "component/new_prefab.h"

#include <string.h>

#include "api/for_bindings.h"
#include "component/new_definition.h"
#include "component/prefab.h"
#include "object/name.h"
#include "object/plain_table.h"

/* Children inside of children, so deep. */
#define DEPTH_LIMIT 32

/* Slots of the stack: the arguments, the arrays, and what messages call it. */
enum {
  ARG_NAME = 1,
  ARG_TABLE,
  SLOT_MEMBERS,
  SLOT_PARTS,
  SLOT_BYTES,
  SLOT_CALL
};

typedef struct Array {
  char *data;            /* in the userdata at slot */
  size_t used, capacity; /* bytes */
  int slot;
} Array;

typedef struct DraftPart {
  const Definition *definition;
  uint64_t fields; /* that are given */
  size_t image;    /* where it is among the bytes, plus one; 0: none */
} DraftPart;

typedef struct Draft {
  Array members;    /* PrefabMember */
  Array parts;      /* DraftPart */
  Array bytes;      /* images, each at a multiple of 8 */
  const char *call; /* "prefab Orc", for messages */
  const Definition *child_of;
} Draft;

/* The draft ---------------------------------------------------------------- */

/* Appends bytes of zeros, a multiple of 8, and returns where they are. */
static void *append(lua_State *L, Array *array, size_t bytes) {
  if (bytes > array->capacity - array->used) {
    size_t capacity = array->capacity * 2 + bytes + 256;
    char *data = (char *)lua_newuserdata(L, capacity);
    if (array->used > 0) memcpy(data, array->data, array->used);
    array->data = data;
    array->capacity = capacity;
    lua_replace(L, array->slot);
  }
  void *appended = array->data + array->used;
  memset(appended, 0, bytes);
  array->used += bytes;
  return appended;
}

static uint32_t member_count(const Draft *draft) {
  return (uint32_t)(draft->members.used / sizeof(PrefabMember));
}

static PrefabMember *member_at(const Draft *draft, uint32_t member) {
  return (PrefabMember *)(void *)draft->members.data + member;
}

static uint32_t part_count(const Draft *draft) {
  return (uint32_t)(draft->parts.used / sizeof(DraftPart));
}

static DraftPart *part_at(const Draft *draft, uint32_t part) {
  return (DraftPart *)(void *)draft->parts.data + part;
}

static void *image_of(const Draft *draft, const DraftPart *part) {
  return draft->bytes.data + (part->image - 1);
}

/* Appends a member, whose parts are appended next. */
static uint32_t append_member(lua_State *L, Draft *draft, uint32_t parent) {
  uint32_t member = member_count(draft);
  if (member == ECS_MEMBER_LIMIT)
    bind_error(L, "%s: %d entities are the most that a prefab has", draft->call,
               (int)ECS_MEMBER_LIMIT);
  PrefabMember *appended =
      (PrefabMember *)append(L, &draft->members, sizeof *appended);
  *appended = (PrefabMember){part_count(draft), 0, parent};
  return member;
}

/* The part of the last member for a definition; NULL: it has none. */
static DraftPart *find_part(const Draft *draft, const Definition *definition) {
  const PrefabMember *member = member_at(draft, member_count(draft) - 1);
  for (uint32_t k = 0; k < member->count; k++)
    if (part_at(draft, member->first + k)->definition == definition)
      return part_at(draft, member->first + k);
  return NULL;
}

/* Appends a part to the last member, without fields. */
static DraftPart *append_part(lua_State *L, Draft *draft,
                              const Definition *definition) {
  DraftPart *part = (DraftPart *)append(L, &draft->parts, sizeof *part);
  part->definition = definition;
  member_at(draft, member_count(draft) - 1)->count++;
  return part;
}

/* Gives a part an image of defaults, if it has none. */
static void *ensure_image(lua_State *L, Draft *draft, DraftPart *part) {
  const Definition *definition = part->definition;
  if (part->image == 0) {
    size_t place = draft->bytes.used;
    void *image =
        append(L, &draft->bytes, (definition->image_bytes + 7u) / 8u * 8u);
    memcpy(image, definition->defaults, definition->image_bytes);
    part->image = place + 1;
  }
  return image_of(draft, part);
}

/* Gives a part the fields of an image that it does not give itself. */
static void give_fields(lua_State *L, Draft *draft, DraftPart *part,
                        const void *image, uint64_t fields) {
  fields &= ~part->fields;
  if (fields == 0) return;
  bind_override(part->definition, ensure_image(L, draft, part), image, fields);
  part->fields |= fields;
}

/* Reading ------------------------------------------------------------------ */

/* Counts the parts of the table at index. Raises on other keys than those of
 * parts, base and children. */
static int count_parts(lua_State *L, const Draft *draft, int index) {
  int count = 0;
  double last = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    double key = lua_type(L, -2) == LUA_TNUMBER ? lua_tonumber(L, -2) : 0;
    const char *word =
        lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    if (strcmp(word, "base") == 0 || strcmp(word, "children") == 0) continue;
    if (*word)
      bind_error(L,
                 "%s has no option '%s' (there are base, children): a field is "
                 "given by its component, as in Health { hp = 50 }",
                 draft->call, word);
    bool entry = key >= 1 && key <= LIST_LIMIT && key == (double)(int)key;
    if (!entry) {
      bind_push_description(L, lua_gettop(L) - 1);
      bind_error(L, "%s: %s is no entry of a list of parts", draft->call,
                 lua_tostring(L, -1));
    }
    if (key > last) last = key;
    count++;
  }
  for (int k = 1; k <= count && count < last; k++) {
    lua_rawgeti(L, index, k);
    if (lua_isnil(L, -1)) bind_refuse_nil(L, k, draft->call);
    lua_pop(L, 1);
  }
  return count;
}

/* The prefab that a table is based on: before, or the value on top. */
static const Prefab *take_base(lua_State *L, const Draft *draft,
                               const Prefab *before, const Prefab *found) {
  if (before)
    bind_error(L,
               "%s is based on %s and on %s: one of them can be the base of "
               "the other",
               draft->call, before->name, found->name);
  return found;
}

/* The entry base of the table at index; NULL: there is none. */
static const Prefab *read_base(lua_State *L, const Draft *draft, int index) {
  lua_pushliteral(L, "base");
  lua_rawget(L, index);
  const Prefab *base = bind_prefab_find(L, lua_gettop(L));
  if (!base && !lua_isnil(L, -1)) {
    bind_push_description(L, lua_gettop(L));
    bind_error(L, "%s: base is a prefab, not %s", draft->call,
               lua_tostring(L, -1));
  }
  lua_pop(L, 1);
  return base;
}

/* Raises because the value on top is no part. */
static void refuse_part(lua_State *L, const Draft *draft,
                        const DraftPart *before) {
  int index = lua_gettop(L);
  if (before) bind_refuse_view(L, index, before->definition);
  if (lua_istable(L, index) && !bind_view_name(L, index))
    bind_error(L,
               "%s: a table of fields stands behind its component, and "
               "children stand in children = { { Sword }, ... }",
               draft->call);
  bind_given_check(L, index, draft->call);
}

/* Appends the component or value on top as a part. */
static void read_given(lua_State *L, Draft *draft, const Given *given) {
  if (find_part(draft, given->definition))
    bind_error(L, "%s names %s twice", draft->call, given->definition->name);
  if (given->definition == draft->child_of && member_count(draft) > 1)
    bind_error(L, "%s: a child has its parent from its place: leave out %s",
               draft->call, given->definition->name);
  if (given->image) bind_pin_image(L, given->definition, given->image);
  DraftPart *part = append_part(L, draft, given->definition);
  if (given->image) give_fields(L, draft, part, given->image, given->fields);
}

/* Reads the table of fields on top for the part before it. */
static void read_fields(lua_State *L, Draft *draft) {
  DraftPart *part = part_at(draft, part_count(draft) - 1);
  const Definition *definition = part->definition;
  int index = lua_gettop(L);
  void *image =
      definition->field_count == 0 ? NULL : ensure_image(L, draft, part);
  if (definition->held) {
    Value *value = bind_value_new(L, definition);
    part->fields = bind_fields_read(L, index, definition, value->image);
    bind_pin_image(L, definition, value->image);
    memcpy(image, value->image, definition->image_bytes);
    lua_pop(L, 1);
    return;
  }
  part->fields = bind_fields_read(L, index, definition, image);
}

/* Reads the parts of the table at index into the last member. Returns the prefab
 * that is one of them; NULL: none is. */
static const Prefab *read_parts(lua_State *L, Draft *draft, int index) {
  const Prefab *base = NULL;
  bool open = false; /* a table of fields may follow */
  int count = count_parts(L, draft, index);
  for (int k = 1; k <= count; k++) {
    Given given;
    lua_rawgeti(L, index, k);
    const Prefab *found = bind_prefab_find(L, lua_gettop(L));
    if (found) {
      base = take_base(L, draft, base, found);
      open = false;
    } else if (open && lua_istable(L, -1) &&
               !bind_view_name(L, lua_gettop(L))) {
      read_fields(L, draft);
      open = false;
    } else if (bind_given_find(L, lua_gettop(L), &given)) {
      read_given(L, draft, &given);
      open = !given.image;
    } else {
      refuse_part(L, draft,
                  open ? part_at(draft, part_count(draft) - 1) : NULL);
    }
    lua_pop(L, 1);
  }
  return base;
}

/* Gives the last member what one of a prefab has. */
static void inherit_parts(lua_State *L, Draft *draft, const Prefab *base,
                          uint32_t from) {
  const PrefabMember *member = &base->members[from];
  bool child = member_count(draft) > 1;
  for (uint32_t k = 0; k < member->count; k++) {
    const Given *given = &base->parts[member->first + k];
    DraftPart *part = find_part(draft, given->definition);
    if (from == 0 && child && given->definition == draft->child_of)
      bind_error(L, "%s: %s has a parent of its own, and cannot be a child",
                 draft->call, base->name);
    if (!part) part = append_part(L, draft, given->definition);
    if (given->image) give_fields(L, draft, part, given->image, given->fields);
  }
}

/* Appends the children of a prefab as those of a member, and theirs. */
static void inherit_children(lua_State *L, Draft *draft, const Prefab *base,
                             uint32_t parent) {
  uint32_t before = member_count(draft) - 1; /* member 1 comes behind it */
  for (uint32_t m = 1; m < base->member_count; m++) {
    uint32_t above = base->members[m].parent;
    append_member(L, draft, above == 0 ? parent : before + above);
    inherit_parts(L, draft, base, m);
  }
}

static void read_children(lua_State *L, Draft *draft, int index,
                          uint32_t parent, int depth);

/* Reads the table at index, and all below it, into a new member. */
static void read_member(lua_State *L, Draft *draft, int index, uint32_t parent,
                        int depth) {
  static const char *const known[] = {"base", "children", NULL};
  static const PlainForm form = {known, true, false};
  luaL_checkstack(L, 32, "a prefab");
  bind_plain(L, index, &form, draft->call, "its table of parts");
  uint32_t member = append_member(L, draft, parent);
  const Prefab *base = read_base(L, draft, index);
  const Prefab *part = read_parts(L, draft, index);
  if (part) base = take_base(L, draft, base, part);
  if (base) inherit_parts(L, draft, base, 0);
  if (depth > 0) append_part(L, draft, draft->child_of);
  if (base) inherit_children(L, draft, base, member);
  lua_pushliteral(L, "children");
  lua_rawget(L, index);
  if (!lua_isnil(L, -1))
    read_children(L, draft, lua_gettop(L), member, depth + 1);
  lua_pop(L, 1);
}

/* Raises unless the value on top, a child, is a table of parts. */
static void check_child(lua_State *L, const Draft *draft) {
  int index = lua_gettop(L);
  if (lua_istable(L, index) && !bind_view_name(L, index)) return;
  bind_push_description(L, index);
  bind_error(L,
             "%s: children is a list of tables of parts, as in children = { { "
             "Sword } }, and %s is none",
             draft->call, lua_tostring(L, -1));
}

static void read_children(lua_State *L, Draft *draft, int index,
                          uint32_t parent, int depth) {
  check_child(L, draft);
  if (depth > DEPTH_LIMIT)
    bind_error(L, "%s has children inside of children more than %d deep",
               draft->call, DEPTH_LIMIT);
  bind_plain(L, index, &bind_plain_list, draft->call, "children");
  int count = (int)bind_length(L, index, draft->call);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    double key = lua_type(L, -2) == LUA_TNUMBER ? lua_tonumber(L, -2) : 0;
    if (!(key >= 1 && key <= count && key == (double)(int)key))
      bind_error(L,
                 "%s: children is a list of tables of parts, as in children = "
                 "{ { Sword } }",
                 draft->call);
  }
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, index, k);
    if (lua_isnil(L, -1)) bind_refuse_nil(L, k, draft->call);
    check_child(L, draft);
    read_member(L, draft, lua_gettop(L), parent, depth);
    lua_pop(L, 1);
  }
}

/* Making ------------------------------------------------------------------- */

static size_t aligned(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

/* Pushes the prefab of a draft, not added yet. */
static Prefab *push_prefab(lua_State *L, const Draft *draft) {
  uint32_t parts = part_count(draft);
  size_t members = aligned(sizeof(Prefab));
  size_t givens = aligned(members + draft->members.used);
  size_t images = givens + parts * sizeof(Given);
  size_t bytes = aligned(images + parts * sizeof(void *));
  Prefab *prefab =
      (Prefab *)bind_new(L, KIND_PREFAB, bytes + draft->bytes.used);
  char *block = (char *)prefab;
  bind_keep(L, ARG_NAME, 1);
  prefab->name = lua_tostring(L, ARG_NAME);
  prefab->member_count = member_count(draft);
  prefab->part_count = parts;
  prefab->members = (const PrefabMember *)(void *)(block + members);
  prefab->parts = (const Given *)(void *)(block + givens);
  prefab->images = (const void *const *)(void *)(block + images);
  memcpy(block + members, draft->members.data, draft->members.used);
  if (draft->bytes.used > 0)
    memcpy(block + bytes, draft->bytes.data, draft->bytes.used);
  for (uint32_t k = 0; k < parts; k++) {
    const DraftPart *part = part_at(draft, k);
    const void *image = part->fields ? block + bytes + part->image - 1 : NULL;
    ((Given *)(void *)(block + givens))[k] =
        (Given){part->definition, image, part->fields};
    ((const void **)(void *)(block + images))[k] = image;
  }
  return prefab;
}

/* Do two parts give the same fields the same values? */
static bool is_same_part(const Given *a, const Given *b) {
  const Definition *definition = a->definition;
  bool same = a->fields == b->fields;
  for (uint32_t f = 0; same && f < definition->field_count; f++) {
    size_t offset = definition->offsets[f];
    if (a->fields >> f & 1)
      same = memcmp((const char *)a->image + offset,
                    (const char *)b->image + offset,
                    ecs_scalar_bytes(definition->fields[f].type)) == 0;
  }
  return same;
}

/* Have two members the same parts, in any order? */
static bool is_same_member(const Prefab *a, const Prefab *b, uint32_t member) {
  const PrefabMember *one = &a->members[member], *other = &b->members[member];
  uint32_t found = 0;
  if (one->count != other->count || one->parent != other->parent) return false;
  for (uint32_t i = 0; i < one->count; i++)
    for (uint32_t k = 0; k < other->count; k++) {
      const Given *part = &a->parts[one->first + i];
      const Given *same = &b->parts[other->first + k];
      if (part->definition == same->definition && is_same_part(part, same))
        found++;
    }
  return found == one->count;
}

static bool is_same(const Prefab *a, const Prefab *b) {
  bool same = a->member_count == b->member_count;
  for (uint32_t m = 0; same && m < a->member_count; m++)
    same = is_same_member(a, b, m);
  return same;
}

/* Pushes the table of prefabs, and the one of the name at index 1, or nil. */
static const Prefab *push_known(lua_State *L) {
  bind_push_shared(L);
  bind_push_table(L, "prefabs");
  lua_remove(L, -2);
  lua_pushvalue(L, ARG_NAME);
  lua_rawget(L, -2);
  return bind_prefab_find(L, lua_gettop(L));
}

/* Leaves on top the prefab of this name: an equal one that exists, or else the
 * candidate on top. */
static int keep_or_add(lua_State *L, const Prefab *candidate) {
  int made = lua_gettop(L);
  const Prefab *known = push_known(L);
  if (known && is_same(known, candidate)) return 1;
  if (known)
    return bind_error(L, "the prefab %s is already defined, with other parts",
                      known->name);
  lua_pop(L, 1);
  lua_pushvalue(L, ARG_NAME);
  lua_pushvalue(L, made);
  lua_rawset(L, made + 1);
  lua_settop(L, made);
  return 1;
}

static void check_name(lua_State *L) {
  size_t bytes = 0;
  const char *name = NULL;
  if (lua_type(L, ARG_NAME) == LUA_TSTRING)
    name = lua_tolstring(L, ARG_NAME, &bytes);
  if (!name) {
    bind_push_description(L, ARG_NAME);
    bind_error(L,
               "the name of a prefab is a string, not %s: it comes first, as "
               "in ecs.prefab(\"Orc\", { Health { hp = 50 } })",
               lua_tostring(L, -1));
  }
  if (!bind_name_is_valid(name, bytes))
    bind_error(L,
               "the name of a prefab is 1 to 255 bytes of UTF-8 text without "
               "control characters");
}

/* ecs.prefab(name, { base =, children =, parts ... }), ecs.prefab(name) */
static int define_prefab(lua_State *L) {
  check_name(L);
  if (lua_gettop(L) == 1) {
    if (push_known(L)) return 1;
    return bind_error(L, "no prefab is called %s yet",
                      lua_tostring(L, ARG_NAME));
  }
  if (lua_gettop(L) > ARG_TABLE || !lua_istable(L, ARG_TABLE) ||
      bind_view_name(L, ARG_TABLE))
    return bind_error(L,
                      "a prefab takes one table of parts, as in "
                      "ecs.prefab(\"%s\", { Health { hp = 50 }, Enemy })",
                      lua_tostring(L, ARG_NAME));
  Draft draft = {.members.slot = SLOT_MEMBERS,
                 .parts.slot = SLOT_PARTS,
                 .bytes.slot = SLOT_BYTES};
  lua_settop(L, SLOT_BYTES);
  draft.call = lua_pushfstring(L, "prefab %s", lua_tostring(L, ARG_NAME));
  draft.child_of = bind_child_of(L);
  if (!draft.child_of)
    return bind_error(L, "there is no component ChildOf yet");
  read_member(L, &draft, ARG_TABLE, 0, 0);
  ECS_ASSERT(lua_gettop(L) == SLOT_CALL);
  return keep_or_add(L, push_prefab(L, &draft));
}

void bind_open_new_prefab(lua_State *L) {
  static const luaL_Reg functions[] = {{"prefab", define_prefab}, {NULL, NULL}};
  bind_add(L, functions);
}

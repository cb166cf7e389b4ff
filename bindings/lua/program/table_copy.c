/* table_copy.c: tables of a script as arrays of kernel programs.
 *
 *      table_kind(table, path)               what its elements are
 *      copy_table(table, path, kind, copies, at)
 *
 * copy_table copies all elements (table_walk.h), in one walk, into userdata that
 * it stores in the list copies from place `at` on: one, or for a path with a
 * second number four. The elements of all rows lie one behind the other there:
 *
 *      at       where the element 0 of row k is, or would be
 *      at + 1   the first number of row k
 *      at + 2   its last number
 *      at + 3   the elements
 *
 * Only what a run looks at is copied by copy_wanted (table_wanted.c).
 */
#include "program/table_copy.h"

#include <string.h>

#include "api/for_bindings.h"
#include "object/number.h"

static const char *const kind_names[COPY_KIND_COUNT + 1] = {
    "nothing", "number", "boolean", "handle", "id", "table", "function", NULL};

static const char *const failure_names[] = {"",    "kind",  "type", "index",
                                            "key", "large", "gap"};

/* Memory ------------------------------------------------------------------- */

TableCopy *bind_copy_ensure(lua_State *L, int copies, int at, int64_t lowest,
                            int64_t highest) {
  uint64_t wanted = (uint64_t)(highest - lowest + 1);
  lua_rawgeti(L, copies, at);
  TableCopy *copy = (TableCopy *)bind_find(L, -1, KIND_COPY);
  if (copy && lowest >= copy->base &&
      highest < (int64_t)copy->base + copy->room) {
    lua_pop(L, 1);
    return copy;
  }
  /* A table that grows does not need a new copy each time. */
  uint64_t room = wanted + wanted / 2 + 4;
  if (room > ECS_ARRAY_LIMIT) room = ECS_ARRAY_LIMIT;
  size_t bytes =
      sizeof(TableCopy) + room * (sizeof(double) + 2 * sizeof(uint32_t) + 1);
  copy = (TableCopy *)bind_new(L, KIND_COPY, bytes);
  copy->room = (uint32_t)room;
  copy->base = (int32_t)(wanted == 0 ? 1 : lowest);
  copy->wanted = (uint32_t *)(copy->elements + room);
  copy->rows = copy->wanted + room;
  copy->present = (uint8_t *)(copy->rows + room);
  lua_rawseti(L, copies, at);
  lua_pop(L, 1);
  return copy;
}

CopyKind bind_copy_kind(lua_State *L, int index) {
  return (CopyKind)luaL_checkoption(L, index, NULL, kind_names);
}

/* Makes a copy empty, before a walk. */
static void begin_copy(TableCopy *copy) {
  if (!copy) return;
  memset(copy->present, 0, copy->room);
  copy->is_sparse = false;
}

/* The copy has what a walk found from key to key; elements that are not there
 * are 0. */
static void end_copy(TableCopy *copy, int64_t lowest, int64_t highest) {
  copy->skipped = (uint32_t)(lowest - copy->base);
  copy->count = (uint32_t)(highest - lowest + 1);
  copy->has_holes =
      memchr(copy->present + copy->skipped, 0, copy->count) != NULL;
  if (!copy->has_holes) return;
  for (uint32_t k = copy->skipped; k < copy->skipped + copy->count; k++)
    if (!copy->present[k]) copy->elements[k] = 0.0;
}

static bool fits(const TableCopy *copy, int64_t lowest, int64_t highest) {
  return copy &&
         (highest < lowest ||
          (lowest >= copy->base && highest < (int64_t)copy->base + copy->room));
}

TableCopy *bind_copy_at(lua_State *L, int copies, int at) {
  lua_rawgeti(L, copies, at);
  TableCopy *copy = (TableCopy *)bind_find(L, -1, KIND_COPY);
  lua_pop(L, 1);
  return copy;
}

/* One walk, into the copies that there are. False: it failed. */
static bool fill(Walk *walk, int copies, int at) {
  bool rows = walk_has_rows(walk);
  for (int k = 0; rows && k < 3; k++) {
    walk->rows[k] = bind_copy_at(walk->L, copies, at + k);
    begin_copy(walk->rows[k]);
  }
  walk->elements = bind_copy_at(walk->L, copies, rows ? at + 3 : at);
  begin_copy(walk->elements);
  return bind_walk_all(walk);
}

/* Ends the copies of a walk. False: they are too small. */
static bool finish(const Walk *walk) {
  bool rows = walk_has_rows(walk);
  int64_t last = (int64_t)walk->placed - 1;
  for (int k = 0; rows && k < 3; k++)
    if (!fits(walk->rows[k], walk->lowest, walk->highest)) return false;
  if (rows ? !fits(walk->elements, 0, last)
           : !fits(walk->elements, walk->lowest, walk->highest))
    return false;
  for (int k = 0; rows && k < 3; k++)
    end_copy(walk->rows[k], walk->lowest, walk->highest);
  if (rows)
    end_copy(walk->elements, 0, last);
  else
    end_copy(walk->elements, walk->lowest, walk->highest);
  return true;
}

/* Makes copies with room for what a walk found. */
static void enlarge(const Walk *walk, int copies, int at) {
  bool rows = walk_has_rows(walk);
  for (int k = 0; rows && k < 3; k++)
    bind_copy_ensure(walk->L, copies, at + k, walk->lowest, walk->highest);
  if (rows)
    bind_copy_ensure(walk->L, copies, at + 3, 0, (int64_t)walk->placed - 1);
  else
    bind_copy_ensure(walk->L, copies, at, walk->lowest, walk->highest);
}

bool bind_table_copy(lua_State *L, int index, ecs_ProgramArray *array) {
  const TableCopy *copy = (const TableCopy *)bind_find(L, index, KIND_COPY);
  if (!copy) return false;
  const uint8_t *present = copy->present + copy->skipped;
  *array = (ecs_ProgramArray){
      copy->elements + copy->skipped, copy->has_holes ? present : NULL,
      copy->base + (int32_t)copy->skipped, copy->count, NULL};
  return true;
}

/* For scripts/ecs ---------------------------------------------------------- */

/* table_kind(table, path): the kind of its elements, "nothing" if there are
 * none; and whether one lacks the field at the path's end. nil and a failure.
 */
static int table_kind(lua_State *L) {
  lua_settop(L, 2);
  lua_pushliteral(L, "__index");
  Walk walk = bind_walk_begin(L);
  walk.learns = true;
  if (bind_walk_all(&walk)) {
    lua_pushstring(L, kind_names[walk.kind]);
    lua_pushboolean(L, walk.gaps);
  } else {
    lua_pushnil(L);
    lua_pushstring(L, failure_names[walk.failure]);
  }
  return 2;
}

/* A walk may be made again because the copies were too small, and each time a
 * finalizer may have changed the table meanwhile. */
#define WALKS 4

/* copy_table(table, path, kind, copies, at, whole): true; or false where the
 * table has elements of another kind now, or cannot be copied. whole: it is
 * such a table, too, if an element lacks the field at the path's end. */
static int copy_table(lua_State *L) {
  CopyKind kind = bind_copy_kind(L, 3);
  luaL_checktype(L, 4, LUA_TTABLE);
  int at = (int)bind_whole_check(L, 5);
  bool whole = lua_toboolean(L, 6), done = false;
  lua_settop(L, 5);
  lua_pushliteral(L, "__index");
  for (int k = 0; k < WALKS && !done; k++) {
    Walk walk = bind_walk_begin(L);
    walk.kind = kind;
    walk.whole = whole;
    if (!fill(&walk, 4, at)) break;
    done = finish(&walk);
    if (!done) enlarge(&walk, 4, at);
  }
  lua_pushboolean(L, done);
  return 1;
}

/* copied_elements(copies): how many elements they have. */
static int copied_elements(lua_State *L) {
  double count = 0.0;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  for (int k = 1; compat_rawgeti(L, 1, k) == LUA_TUSERDATA; k++) {
    const TableCopy *copy = (const TableCopy *)bind_find(L, -1, KIND_COPY);
    if (copy) count += copy->is_sparse ? copy->wanted_count : copy->count;
    lua_pop(L, 1);
  }
  compat_push_whole(L, count);
  return 1;
}

/* For LuaJIT's FFI: see arrays_ffi.lua.
 *
 * copy_place(copy): where its elements are, the key of the first, and how many
 * there is room for. */
static int copy_place(lua_State *L) {
  TableCopy *copy = (TableCopy *)bind_find(L, 1, KIND_COPY);
  if (!copy) return luaL_argerror(L, 1, "not a copy");
  lua_pushlightuserdata(L, copy->elements);
  compat_push_whole(L, copy->base);
  compat_push_whole(L, copy->room);
  return 3;
}

/* end_copy(copy, lowest, highest): all elements from key to key are there. */
static int end_filled_copy(lua_State *L) {
  TableCopy *copy = (TableCopy *)bind_find(L, 1, KIND_COPY);
  if (!copy) return luaL_argerror(L, 1, "not a copy");
  double lowest = (double)lua_tonumber(L, 2) - copy->base;
  double highest = (double)lua_tonumber(L, 3) - copy->base;
  luaL_argcheck(L, lowest >= 0.0 && lowest <= copy->room, 2, "not in the copy");
  luaL_argcheck(L, highest >= lowest - 1.0 && highest < copy->room, 3,
                "not in the copy");
  copy->skipped = (uint32_t)lowest;
  copy->count = (uint32_t)(highest - lowest + 1.0);
  copy->has_holes = copy->is_sparse = false;
  return 0;
}

static const luaL_Reg functions[] = {
    {"table_kind", table_kind},           {"copy_table", copy_table},
    {"copied_elements", copied_elements}, {"copy_place", copy_place},
    {"end_copy", end_filled_copy},        {NULL, NULL}};

void bind_open_table_copy(lua_State *L) { bind_add(L, functions); }

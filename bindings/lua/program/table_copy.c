/* table_copy.c: tables of a script as arrays of kernel programs.
 *
 *      table_kind(table, path)               what its elements are
 *      copy_table(table, path, kind, copies, at)
 *
 * An **element** is what a table has at a number, and at the keys of a path
 * from there on. In a path, `false` stands for another number:
 *
 *      T[k]         {}                T[k].x       { "x" }
 *      T[k][j]      { false }         T[k].row[j]  { "row", false }
 *
 * copy_table copies all of them, in one walk, into userdata that it stores in
 * the list copies from place `at` on: one, or for a path with a second number
 * four. The elements of all rows lie one behind the other there:
 *
 *      at       where the element 0 of row k is, or would be
 *      at + 1   the first number of row k
 *      at + 2   its last number
 *      at + 3   the elements
 *
 * Nothing of a script runs meanwhile: fields behind an __index that is a table
 * are found, and any other __index is a reason to fail. So is a table that has
 * other elements than its kind says, or numbers that are not whole or too far
 * from each other for an array.
 *
 * copy_wanted (lua_program.c) copies only what a run will look at, which the
 * program tells (api/program_keys.h): for tables that are larger than the rows
 * are many. It takes a table for a sequence, and looks whether the table has
 * something at the few other keys that are asked for; if so, copy_table copies
 * all.
 */
#include "program/table_copy.h"

#include <string.h>

#include "api/for_bindings.h"
#include "api/program_keys.h"
#include "object/number.h"

/* How many __index tables a field may be behind, as in captures.lua. */
#define CHAIN_LIMIT 32

/* Keys of a path. */
#define PATH_LIMIT 16

typedef struct TableCopy {
  Header header;
  uint8_t *present; /* one per element, behind the elements */
  uint32_t *wanted; /* elements that a run wants, behind those */
  uint32_t wanted_count;
  bool is_sparse;   /* only wanted elements are present */
  uint32_t room;    /* elements */
  int32_t base;     /* the key of the first element that there is room for */
  uint32_t skipped; /* elements before the first that was filled */
  uint32_t count;   /* elements from there to the last that was filled */
  bool has_holes;   /* not all of these are present */
  double elements[];
} TableCopy;

typedef enum CopyKind {
  COPY_NOTHING, /* there are no elements */
  COPY_NUMBER,
  COPY_BOOLEAN,
  COPY_HANDLE,   /* numbers that are handles of entities */
  COPY_TABLE,    /* whether there is a table */
  COPY_FUNCTION, /* whether there is a function */
  COPY_KIND_COUNT
} CopyKind;

static const char *const kind_names[COPY_KIND_COUNT + 1] = {
    "nothing", "number", "boolean", "handle", "table", "function", NULL};

/* Why a table cannot be copied. */
typedef enum Failure {
  FAILURE_NONE,
  FAILURE_KIND,  /* an element of another kind, or no table on the way */
  FAILURE_TYPE,  /* an element of a kind that no array has */
  FAILURE_INDEX, /* an __index that is not followed */
  FAILURE_KEY,   /* a number that is not whole, or far from 0 */
  FAILURE_LARGE, /* too many elements, or too far from each other */
  FAILURE_GAP    /* an element without the field that all others have */
} Failure;

static const char *const failure_names[] = {"",    "kind",  "type", "index",
                                            "key", "large", "gap"};

/* A walk over a table. Copies are NULL in a walk that only looks. */
typedef struct Walk {
  lua_State *L;
  CopyKind kind;
  bool learns; /* kind is that of the first element */
  bool whole;  /* no element may lack the field at the path's end */
  bool gaps;   /* one did */
  int path;    /* index of the list */
  int name;    /* index of "__index": no string is made during a walk */
  int length;  /* of the path, up to its end or to `false` */
  int inner;   /* length of the whole path; equal: there is no second number */
  Failure failure;
  TableCopy *rows[3], *elements;
  /* Of the keys that were seen. */
  int64_t lowest, highest;
  uint32_t count;
  uint32_t placed; /* elements of rows so far, holes among them */
} Walk;

static bool fail_with(Walk *walk, Failure failure) {
  if (walk->failure == FAILURE_NONE) walk->failure = failure;
  return false;
}

/* Reading ------------------------------------------------------------------ */

/* Replaces the table on top of the stack by its field at step k of the path, or
 * by nil. */
static bool read_field(Walk *walk, int k) {
  lua_State *L = walk->L;
  for (int chain = 0; chain <= CHAIN_LIMIT; chain++) {
    lua_rawgeti(L, walk->path, k);
    lua_rawget(L, -2);
    if (!lua_isnil(L, -1) || !lua_getmetatable(L, -2)) {
      lua_remove(L, -2);
      return true;
    }
    lua_pushvalue(L, walk->name);
    lua_rawget(L, -2);
    lua_replace(L, -4);
    lua_pop(L, 2);
    if (lua_isnil(L, -1)) return true;
    if (!lua_istable(L, -1)) return fail_with(walk, FAILURE_INDEX);
  }
  return fail_with(walk, FAILURE_INDEX);
}

/* Follows the path from step first to step last, from the value on top of the
 * stack, which it replaces; by nil where there is nothing. */
static bool follow(Walk *walk, int first, int last) {
  for (int k = first; k <= last && !lua_isnil(walk->L, -1); k++) {
    if (!lua_istable(walk->L, -1)) return fail_with(walk, FAILURE_KIND);
    if (!read_field(walk, k)) return false;
  }
  return true;
}

/* The key below the top of the stack, which is a number. */
static bool read_key(Walk *walk, int64_t *key) {
  double number = (double)lua_tonumber(walk->L, -2);
  if (!(number >= INT32_MIN && number <= INT32_MAX) ||
      (double)(int64_t)number != number)
    return fail_with(walk, FAILURE_KEY);
  *key = (int64_t)number;
  return true;
}

static CopyKind kind_of(lua_State *L) {
  switch (lua_type(L, -1)) {
    case LUA_TNUMBER: return COPY_NUMBER;
    case LUA_TBOOLEAN: return COPY_BOOLEAN;
    case LUA_TTABLE: return COPY_TABLE;
    case LUA_TFUNCTION: return COPY_FUNCTION;
    default: return COPY_KIND_COUNT;
  }
}

/* Is a number the handle of an entity, which no program reads as null? */
static bool is_handle(double number) {
  return number >= 1.0 && number < 0x1p52 && (double)(uint64_t)number == number;
}

/* The element on top of the stack, which is not nil, as a number. */
static bool read_element(Walk *walk, double *element) {
  CopyKind kind = kind_of(walk->L);
  if (walk->learns) walk->kind = kind;
  walk->learns = false;
  *element = 1.0;
  if (kind == COPY_NUMBER) {
    *element = (double)lua_tonumber(walk->L, -1);
    if (walk->kind == COPY_HANDLE && is_handle(*element)) return true;
  } else if (kind == COPY_BOOLEAN) {
    *element = lua_toboolean(walk->L, -1);
  }
  if (kind == walk->kind && kind < COPY_KIND_COUNT) return true;
  return fail_with(walk, kind < COPY_KIND_COUNT ? FAILURE_KIND : FAILURE_TYPE);
}

/* Does reading an absent number of the table on top of the stack give nil? */
static bool is_plain(Walk *walk) {
  lua_State *L = walk->L;
  if (!lua_istable(L, -1)) return fail_with(walk, FAILURE_KIND);
  if (!lua_getmetatable(L, -1)) return true;
  lua_pushvalue(L, walk->name);
  lua_rawget(L, -2);
  bool plain = lua_isnil(L, -1);
  lua_pop(L, 2);
  return plain || fail_with(walk, FAILURE_INDEX);
}

/* Copies ------------------------------------------------------------------- */

/* Is there room for the keys that were seen? False: nothing is written any
 * more, and the walk is made again with larger copies. */
static void put(TableCopy *copy, int64_t key, double element) {
  if (!copy) return;
  int64_t place = key - copy->base;
  if (place < 0 || place >= copy->room) return;
  copy->elements[place] = element;
  copy->present[place] = 1;
}

static void note_key(Walk *walk, int64_t key) {
  if (walk->count == 0 || key < walk->lowest) walk->lowest = key;
  if (walk->count == 0 || key > walk->highest) walk->highest = key;
  walk->count++;
}

/* Of the numbers in a table: the lowest, the highest and how many. */
typedef struct KeySpan {
  int64_t lowest, highest;
  uint32_t count;
} KeySpan;

/* Copies the elements of the row on top of the stack to `placed`, and further;
 * guess: where they are if the row is a sequence. Notes the row's span. */
static bool copy_row(Walk *walk, const KeySpan *guess, KeySpan *span) {
  lua_State *L = walk->L;
  int row = lua_gettop(L);
  *span = (KeySpan){1, 0, 0};
  if (!is_plain(walk)) return false;
  lua_pushnil(L);
  while (lua_next(L, row)) {
    int64_t key;
    double element;
    if (lua_type(L, -2) == LUA_TNUMBER) {
      if (!read_key(walk, &key)) return false;
      if (!follow(walk, walk->length + 2, walk->inner)) return false;
      if (lua_isnil(L, -1)) {
        walk->gaps = true;
        if (walk->whole) return fail_with(walk, FAILURE_GAP);
      } else {
        if (!read_element(walk, &element)) return false;
        if (span->count == 0 || key < span->lowest) span->lowest = key;
        if (span->count == 0 || key > span->highest) span->highest = key;
        span->count++;
        if (key >= guess->lowest && key <= guess->highest)
          put(walk->elements, (int64_t)walk->placed + key - guess->lowest,
              element);
      }
    }
    lua_pop(L, 1);
  }
  return true;
}

/* Copies the row on top of the stack, which is that of a key. */
static bool copy_rows(Walk *walk, int64_t key) {
  KeySpan guess = {1, (int64_t)lua_rawlen(walk->L, -1), 0}, span;
  if (guess.highest > ECS_ARRAY_LIMIT) return fail_with(walk, FAILURE_LARGE);
  if (!copy_row(walk, &guess, &span)) return false;
  if (span.lowest < guess.lowest || span.highest > guess.highest) {
    /* Not a sequence. What was written is written again, and no more. */
    guess = span;
    if (guess.highest - guess.lowest >= ECS_ARRAY_LIMIT - walk->placed)
      return fail_with(walk, FAILURE_LARGE);
    if (walk->elements && walk->placed < walk->elements->room)
      memset(walk->elements->present + walk->placed, 0,
             walk->elements->room - walk->placed);
    if (!copy_row(walk, &guess, &span)) return false;
  }
  put(walk->rows[0], key, (double)walk->placed - (double)guess.lowest);
  put(walk->rows[1], key, (double)guess.lowest);
  put(walk->rows[2], key, (double)guess.highest);
  int64_t placed = walk->placed + guess.highest - guess.lowest + 1;
  if (placed > ECS_ARRAY_LIMIT) return fail_with(walk, FAILURE_LARGE);
  walk->placed = (uint32_t)placed;
  return true;
}

/* The value on top of the stack is what the table has at a key. */
static bool copy_element(Walk *walk, int64_t key) {
  double element;
  if (!follow(walk, 1, walk->length)) return false;
  bool rows = walk->inner > walk->length;
  if (lua_isnil(walk->L, -1)) {
    walk->gaps = walk->gaps || !rows;
    return rows || !walk->whole || fail_with(walk, FAILURE_GAP);
  }
  note_key(walk, key);
  if (rows) return copy_rows(walk, key);
  if (!read_element(walk, &element)) return false;
  put(walk->elements, key, element);
  return true;
}

/* Walks over the table at an index. */
static bool walk_table(Walk *walk, int table) {
  lua_State *L = walk->L;
  int top = lua_gettop(L);
  bool right = true;
  walk->count = walk->placed = 0;
  walk->lowest = 1;
  walk->highest = 0;
  lua_pushvalue(L, table);
  right = is_plain(walk);
  if (right) lua_pushnil(L);
  while (right && lua_next(L, table)) {
    int64_t key;
    if (lua_type(L, -2) == LUA_TNUMBER)
      right = read_key(walk, &key) && copy_element(walk, key);
    lua_settop(L, right ? top + 2 : top);
    if (right && walk->highest - walk->lowest >= ECS_ARRAY_LIMIT)
      right = fail_with(walk, FAILURE_LARGE);
  }
  lua_settop(L, top);
  return right;
}

/* Memory ------------------------------------------------------------------- */

/* A copy with room for some elements, from a key on, as copies[at]; the one
 * that is there if it will do. May allocate. */
static TableCopy *ensure_copy(lua_State *L, int copies, int at, int64_t lowest,
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
      sizeof(TableCopy) + room * (sizeof(double) + sizeof(uint32_t) + 1);
  copy = (TableCopy *)bind_new(L, KIND_COPY, bytes);
  copy->room = (uint32_t)room;
  copy->base = (int32_t)(wanted == 0 ? 1 : lowest);
  copy->wanted = (uint32_t *)(copy->elements + room);
  copy->present = (uint8_t *)(copy->wanted + room);
  lua_rawseti(L, copies, at);
  lua_pop(L, 1);
  return copy;
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

static TableCopy *copy_at(lua_State *L, int copies, int at) {
  lua_rawgeti(L, copies, at);
  TableCopy *copy = (TableCopy *)bind_find(L, -1, KIND_COPY);
  lua_pop(L, 1);
  return copy;
}

/* One walk, into the copies that there are. False: it failed. */
static bool fill(Walk *walk, int copies, int at) {
  bool rows = walk->inner > walk->length;
  for (int k = 0; rows && k < 3; k++) {
    walk->rows[k] = copy_at(walk->L, copies, at + k);
    begin_copy(walk->rows[k]);
  }
  walk->elements = copy_at(walk->L, copies, rows ? at + 3 : at);
  begin_copy(walk->elements);
  return walk_table(walk, 1);
}

/* Ends the copies of a walk. False: they are too small. */
static bool finish(const Walk *walk) {
  bool rows = walk->inner > walk->length;
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
  bool rows = walk->inner > walk->length;
  for (int k = 0; rows && k < 3; k++)
    ensure_copy(walk->L, copies, at + k, walk->lowest, walk->highest);
  if (rows)
    ensure_copy(walk->L, copies, at + 3, 0, (int64_t)walk->placed - 1);
  else
    ensure_copy(walk->L, copies, at, walk->lowest, walk->highest);
}

bool bind_table_copy(lua_State *L, int index, ecs_ProgramArray *array) {
  const TableCopy *copy = (const TableCopy *)bind_find(L, index, KIND_COPY);
  if (!copy) return false;
  const uint8_t *present = copy->present + copy->skipped;
  *array = (ecs_ProgramArray){copy->elements + copy->skipped,
                              copy->has_holes ? present : NULL,
                              copy->base + (int32_t)copy->skipped, copy->count};
  return true;
}

/* For scripts/ecs ---------------------------------------------------------- */

/* The path at index 2: `false` ends its first part. */
static Walk begin_walk(lua_State *L) {
  Walk walk;
  memset(&walk, 0, sizeof walk);
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checkstack(L, 12, "a table");
  walk.L = L;
  walk.path = 2;
  walk.name = lua_gettop(L);
  size_t length = lua_rawlen(L, 2);
  luaL_argcheck(L, length <= PATH_LIMIT, 2, "too long");
  walk.length = walk.inner = (int)length;
  for (int k = (int)length; k > 0; k--) {
    lua_rawgeti(L, 2, k);
    luaL_argcheck(L, !lua_isnil(L, -1), 2, "lacks a key");
    if (lua_isboolean(L, -1)) walk.length = k - 1;
    lua_pop(L, 1);
  }
  return walk;
}

/* table_kind(table, path): the kind of its elements, "nothing" if there are
 * none; and whether one lacks the field at the path's end. nil and a failure.
 */
static int table_kind(lua_State *L) {
  lua_settop(L, 2);
  lua_pushliteral(L, "__index");
  Walk walk = begin_walk(L);
  walk.learns = true;
  if (walk_table(&walk, 1)) {
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
  int kind = luaL_checkoption(L, 3, NULL, kind_names);
  luaL_checktype(L, 4, LUA_TTABLE);
  int at = (int)bind_whole_check(L, 5);
  bool whole = lua_toboolean(L, 6), done = false;
  lua_settop(L, 5);
  lua_pushliteral(L, "__index");
  for (int k = 0; k < WALKS && !done; k++) {
    Walk walk = begin_walk(L);
    walk.kind = (CopyKind)kind;
    walk.whole = whole;
    if (!fill(&walk, 4, at)) break;
    done = finish(&walk);
    if (!done) enlarge(&walk, 4, at);
  }
  lua_pushboolean(L, done);
  return 1;
}

/* What a run wants --------------------------------------------------------- */

/* Only tables for one of the first arrays of a program are copied so. */
#define WISHES 16

/* A table of which only those elements are copied that a run looks at. */
typedef struct Wish {
  TableCopy *copy;
  double last; /* the last key that the copy has room for; the first is 1 */
  double others[8]; /* keys that it has no room for, each once */
  uint32_t other_count;
  bool too_many; /* there are more of these */
} Wish;

static void want_other(Wish *wish, double key) {
  const uint32_t most = sizeof wish->others / sizeof *wish->others;
  if (!(key > -0x1p53 && key < 0x1p53) || (double)(int64_t)key != key) return;
  for (uint32_t k = 0; k < wish->other_count; k++)
    if (wish->others[k] == key) return;
  if (wish->other_count == most)
    wish->too_many = true;
  else
    wish->others[wish->other_count++] = key;
}

/* Notes keys of an array. user: one Wish per array; without a copy: none. */
static void want(void *user, uint32_t array, const double *keys,
                 uint32_t count) {
  Wish *wish = (Wish *)user + array;
  TableCopy *copy = wish->copy;
  if (!copy) return;
  for (uint32_t i = 0; i < count; i++) {
    double key = keys[i];
    uint32_t place = key >= 1.0 && key <= wish->last ? (uint32_t)key - 1u : 0u;
    if ((double)place + 1.0 != key) {
      want_other(wish, key);
    } else if (!copy->present[place]) {
      copy->present[place] = 1;
      copy->wanted[copy->wanted_count++] = place;
    }
  }
}

/* Empties a copy. Of a sparse one it knows what is in it. */
static void begin_wish(Wish *wish) {
  TableCopy *copy = wish->copy;
  if (!copy->is_sparse) memset(copy->present, 0, copy->room);
  for (uint32_t k = 0; copy->is_sparse && k < copy->wanted_count; k++)
    copy->present[copy->wanted[k]] = 0;
  copy->wanted_count = 0;
  copy->is_sparse = true;
}

/* Reads the wanted elements of the table at index 1. */
static bool read_wanted(Walk *walk, const Wish *wish) {
  lua_State *L = walk->L;
  TableCopy *copy = wish->copy;
  for (uint32_t k = 0; k < copy->wanted_count; k++) {
    uint32_t place = copy->wanted[k];
    bool found = compat_rawgeti(L, 1, (int)place + 1) != LUA_TNIL;
    copy->elements[place] = 0.0;
    if (!follow(walk, 1, walk->length)) return false;
    if (!lua_isnil(L, -1)) {
      if (!read_element(walk, &copy->elements[place])) return false;
    } else {
      copy->present[place] = 0;
      if (found && walk->whole) return fail_with(walk, FAILURE_GAP);
    }
    lua_pop(L, 1);
  }
  copy->skipped = 0;
  copy->count = (uint32_t)wish->last;
  copy->has_holes = true;
  return true;
}

/* Has the table at index 1 nothing where the copy has no room? */
static bool others_are_nil(lua_State *L, const Wish *wish) {
  for (uint32_t k = 0; k < wish->other_count; k++) {
    lua_pushnumber(L, (lua_Number)wish->others[k]);
    lua_rawget(L, 1);
    bool found = !lua_isnil(L, -1);
    lua_pop(L, 1);
    if (found) return false;
  }
  return !wish->too_many;
}

/* Copies what the program wants into a copy that is empty, of a table that is
 * one for all keys below 1 and above the copy's last. */
static int copy_wanted(Walk *walk, Wish *wishes, Wish *wish,
                       WantedProgram *program) {
  ecs_ProgramCall call;
  uint32_t array = (uint32_t)(wish - wishes);
  ecs_Program *native = program(walk->L, &call);
  if (!native || !ecs_program_shows_keys(native, array, 0))
    return WANTED_ALL;
  begin_wish(wish);
  if (ecs_program_keys(native, &call, want, wishes) != ECS_OK ||
      !others_are_nil(walk->L, wish))
    return WANTED_ALL;
  return read_wanted(walk, wish) ? WANTED_DONE : WANTED_NONE;
}

int bind_copy_wanted(lua_State *L, WantedProgram *program) {
  int kind = luaL_checkoption(L, 3, NULL, kind_names);
  luaL_checktype(L, 4, LUA_TTABLE);
  uint64_t at = bind_whole_check(L, 5);
  size_t length = lua_istable(L, 1) ? lua_rawlen(L, 1) : 0;
  if (length == 0 || length > ECS_ARRAY_LIMIT || at < 1 || at > WISHES)
    return WANTED_ALL;
  lua_pushliteral(L, "__index");
  Walk walk = begin_walk(L);
  if (walk.inner > walk.length) return WANTED_ALL;
  walk.kind = (CopyKind)kind;
  walk.whole = lua_toboolean(L, 6);
  lua_pushvalue(L, 1);
  if (!is_plain(&walk)) return WANTED_NONE;
  Wish wishes[WISHES];
  memset(wishes, 0, sizeof wishes);
  Wish *wish = &wishes[at - 1];
  wish->last = (double)length;
  wish->copy = ensure_copy(L, 4, (int)at, 1, (int64_t)length);
  /* From here on nothing allocates. */
  if (wish->copy->base != 1) return WANTED_ALL;
  return copy_wanted(&walk, wishes, wish, program);
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

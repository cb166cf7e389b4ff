/* table_walk.c: walks over tables of a script, and the copies that they fill. */
#include "program/table_walk.h"

#include <string.h>

#include "api/for_bindings.h"

/* How many __index tables a field may be behind, as in captures.lua. */
#define CHAIN_LIMIT 32

/* Keys of a path. */
#define PATH_LIMIT 16

bool bind_walk_fail(Walk *walk, Failure failure) {
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
    if (!lua_istable(L, -1)) return bind_walk_fail(walk, FAILURE_INDEX);
  }
  return bind_walk_fail(walk, FAILURE_INDEX);
}

bool bind_walk_follow(Walk *walk, int first, int last) {
  for (int k = first; k <= last && !lua_isnil(walk->L, -1); k++) {
    if (!lua_istable(walk->L, -1)) return bind_walk_fail(walk, FAILURE_KIND);
    if (!read_field(walk, k)) return false;
  }
  return true;
}

/* The key below the top of the stack, which is a number. */
static bool read_key(Walk *walk, int64_t *key) {
  double number = (double)lua_tonumber(walk->L, -2);
  if (!(number >= INT32_MIN && number <= INT32_MAX) ||
      (double)(int64_t)number != number)
    return bind_walk_fail(walk, FAILURE_KEY);
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

/* Is a number one that calls which take an entity do not refuse? */
static bool is_id(double number) {
  return number >= 0.0 && number < 0x1p53 && (double)(uint64_t)number == number;
}

bool bind_walk_element(Walk *walk, double *element) {
  CopyKind kind = kind_of(walk->L);
  if (walk->learns) walk->kind = kind;
  walk->learns = false;
  *element = 1.0;
  if (kind == COPY_NUMBER) {
    *element = (double)lua_tonumber(walk->L, -1);
    if (walk->kind == COPY_HANDLE && is_handle(*element)) return true;
    if (walk->kind == COPY_ID && is_id(*element)) return true;
  } else if (kind == COPY_BOOLEAN) {
    *element = lua_toboolean(walk->L, -1);
  }
  if (kind == walk->kind && kind < COPY_KIND_COUNT) return true;
  return bind_walk_fail(walk,
                        kind < COPY_KIND_COUNT ? FAILURE_KIND : FAILURE_TYPE);
}

bool bind_walk_plain(Walk *walk) {
  lua_State *L = walk->L;
  if (!lua_istable(L, -1)) return bind_walk_fail(walk, FAILURE_KIND);
  if (!lua_getmetatable(L, -1)) return true;
  lua_pushvalue(L, walk->name);
  lua_rawget(L, -2);
  bool plain = lua_isnil(L, -1);
  lua_pop(L, 2);
  return plain || bind_walk_fail(walk, FAILURE_INDEX);
}

/* Walking ------------------------------------------------------------------ */

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
  if (!bind_walk_plain(walk)) return false;
  lua_pushnil(L);
  while (lua_next(L, row)) {
    int64_t key;
    double element;
    if (lua_type(L, -2) == LUA_TNUMBER) {
      if (!read_key(walk, &key)) return false;
      if (!bind_walk_follow(walk, walk->length + 2, walk->inner)) return false;
      if (lua_isnil(L, -1)) {
        walk->gaps = true;
        if (walk->whole) return bind_walk_fail(walk, FAILURE_GAP);
      } else {
        if (!bind_walk_element(walk, &element)) return false;
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
  if (guess.highest > ECS_ARRAY_LIMIT)
    return bind_walk_fail(walk, FAILURE_LARGE);
  if (!copy_row(walk, &guess, &span)) return false;
  if (span.lowest < guess.lowest || span.highest > guess.highest) {
    /* Not a sequence. What was written is written again, and no more. */
    guess = span;
    if (guess.highest - guess.lowest >= ECS_ARRAY_LIMIT - walk->placed)
      return bind_walk_fail(walk, FAILURE_LARGE);
    if (walk->elements && walk->placed < walk->elements->room)
      memset(walk->elements->present + walk->placed, 0,
             walk->elements->room - walk->placed);
    if (!copy_row(walk, &guess, &span)) return false;
  }
  put(walk->rows[0], key, (double)walk->placed - (double)guess.lowest);
  put(walk->rows[1], key, (double)guess.lowest);
  put(walk->rows[2], key, (double)guess.highest);
  int64_t placed = walk->placed + guess.highest - guess.lowest + 1;
  if (placed > ECS_ARRAY_LIMIT) return bind_walk_fail(walk, FAILURE_LARGE);
  walk->placed = (uint32_t)placed;
  return true;
}

/* The value on top of the stack is what the table has at a key. */
static bool copy_element(Walk *walk, int64_t key) {
  double element;
  if (!bind_walk_follow(walk, 1, walk->length)) return false;
  bool rows = walk_has_rows(walk);
  if (lua_isnil(walk->L, -1)) {
    walk->gaps = walk->gaps || !rows;
    return rows || !walk->whole || bind_walk_fail(walk, FAILURE_GAP);
  }
  note_key(walk, key);
  if (rows) return copy_rows(walk, key);
  if (!bind_walk_element(walk, &element)) return false;
  put(walk->elements, key, element);
  return true;
}

bool bind_walk_all(Walk *walk) {
  lua_State *L = walk->L;
  int top = lua_gettop(L);
  bool right = true;
  walk->count = walk->placed = 0;
  walk->lowest = 1;
  walk->highest = 0;
  lua_pushvalue(L, 1);
  right = bind_walk_plain(walk);
  if (right) lua_pushnil(L);
  while (right && lua_next(L, 1)) {
    int64_t key;
    if (lua_type(L, -2) == LUA_TNUMBER)
      right = read_key(walk, &key) && copy_element(walk, key);
    lua_settop(L, right ? top + 2 : top);
    if (right && walk->highest - walk->lowest >= ECS_ARRAY_LIMIT)
      right = bind_walk_fail(walk, FAILURE_LARGE);
  }
  lua_settop(L, top);
  return right;
}

/* `false` ends the first part of the path. */
Walk bind_walk_begin(lua_State *L) {
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

/* message_pack.c: plain data of scripts as bytes, and back.
 *
 * Entries of a map are packed as they come, each behind the last, and put in order
 * afterwards. A script can change a table only where a finalizer runs meanwhile;
 * what is found to have changed is refused.
 */
#include "object/message_pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/for_bindings.h"

#define MOST_BYTES ((size_t)PACKED_MOST)

static const char has_changed[] = "was changed meanwhile";
static const char is_long[] = "has more than 256 MiB";
static const char is_over[] = "has more bytes than memory_limit allows";
static const char has_parts[] =
    "has more than 16777216 values in it, where a table counts in each place";

/* Values in one. */
#define MOST_PARTS (UINT32_C(1) << 24)

/* Room -------------------------------------------------------------------- */

void bind_pack_room(lua_State *L, PackRoom *room, uint64_t limit_bytes) {
  *room = (PackRoom){.capacity = 256, .limit_bytes = limit_bytes};
  room->bytes = (char *)lua_newuserdata(L, room->capacity);
  room->index = lua_gettop(L);
}

void bind_pack_bytes(lua_State *L, PackRoom *room, const char *bytes,
                     size_t count) {
  if (count > room->capacity - room->count) {
    size_t capacity = (room->count + count) * 2;
    char *larger = (char *)lua_newuserdata(L, capacity);
    memcpy(larger, room->bytes, room->count);
    lua_replace(L, room->index);
    room->bytes = larger;
    room->capacity = capacity;
  }
  if (count > 0) memcpy(room->bytes + room->count, bytes, count);
  room->count += count;
}

static void put_head(lua_State *L, PackRoom *room, const Packed *value) {
  char head[PACKED_HEAD];
  bind_pack_bytes(L, room, head, ecs_packed_head(value, head));
}

/* Why so many bytes more are too many; NULL: they are not. */
static const char *check_room(const PackRoom *room, size_t more) {
  if (room->count > MOST_BYTES || more > MOST_BYTES) return is_long;
  return room->limit_bytes != 0 && room->count + more > room->limit_bytes
             ? is_over
             : NULL;
}

/* Tables ------------------------------------------------------------------ */

static const char *pack(lua_State *L, PackRoom *room, int index,
                        uint32_t depth);

/* What the keys of a table are. */
typedef struct Keys {
  uint32_t count;
  uint32_t whole; /* from 1 on */
  double highest; /* of these */
} Keys;

/* The number of a key that a list may have; 0: it is none. */
static double list_key(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TNUMBER) return 0;
  double key = (double)lua_tonumber(L, index);
  return key >= 1 && key < 4294967296.0 && key == floor(key) ? key : 0;
}

static const char *look(lua_State *L, int index, Keys *keys) {
  *keys = (Keys){0};
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    int type = lua_type(L, -2);
    double key = list_key(L, -2);
    if (type != LUA_TBOOLEAN && type != LUA_TNUMBER && type != LUA_TSTRING) {
      lua_pop(L, 2);
      return "has a key that is no string, number or boolean";
    }
    if (++keys->count > MOST_BYTES) {
      lua_pop(L, 2);
      return is_long;
    }
    if (key == 0) continue;
    keys->whole++;
    if (key > keys->highest) keys->highest = key;
  }
  return NULL;
}

static const char *pack_list(lua_State *L, PackRoom *room, int index,
                             uint32_t count, uint32_t depth) {
  const char *why = NULL;
  put_head(L, room, &(Packed){.kind = PACKED_LIST, .count = count});
  for (uint32_t k = 1; !why && k <= count; k++) {
    lua_rawgeti(L, index, (int)k);
    why = lua_isnil(L, -1) ? has_changed
                           : pack(L, room, lua_gettop(L), depth + 1);
    lua_pop(L, 1);
  }
  return why;
}

/* An entry of a map in the room. */
typedef struct Entry {
  const char *base; /* while they are put in order */
  size_t at, bytes;
} Entry;

/* No key begins another, so entries differ within both. */
static int compare(const void *one, const void *other) {
  const Entry *a = one, *b = other;
  size_t bytes = a->bytes < b->bytes ? a->bytes : b->bytes;
  return memcmp(a->base + a->at, b->base + b->at, bytes);
}

/* Puts entries that lie one behind the other up to the end into their order. */
static void put_in_order(lua_State *L, PackRoom *room, Entry *entries,
                         uint32_t count) {
  size_t first = entries[0].at, bytes = room->count - first;
  char *copy = (char *)lua_newuserdata(L, bytes), *to = room->bytes + first;
  memcpy(copy, to, bytes);
  for (uint32_t k = 0; k < count; k++) {
    entries[k].base = copy;
    entries[k].at -= first;
  }
  qsort(entries, count, sizeof *entries, compare);
  for (uint32_t k = 0; k < count; k++) {
    memcpy(to, copy + entries[k].at, entries[k].bytes);
    to += entries[k].bytes;
  }
  lua_pop(L, 1);
}

static const char *pack_map(lua_State *L, PackRoom *room, int index,
                            uint32_t count, uint32_t depth) {
  const char *why = NULL;
  uint32_t found = 0;
  put_head(L, room, &(Packed){.kind = PACKED_MAP, .count = count});
  Entry *entries = (Entry *)lua_newuserdata(L, count * sizeof *entries);
  for (lua_pushnil(L); !why && lua_next(L, index); lua_pop(L, 1)) {
    int top = lua_gettop(L);
    size_t at = room->count;
    if (found == count) {
      why = has_changed;
      continue;
    }
    why = pack(L, room, top - 1, depth + 1);
    if (!why) why = pack(L, room, top, depth + 1);
    entries[found++] = (Entry){NULL, at, room->count - at};
  }
  if (why) {
    lua_settop(L, lua_gettop(L) - 2);
    return why;
  }
  if (found != count) why = has_changed;
  if (!why) put_in_order(L, room, entries, count);
  lua_pop(L, 1);
  return why;
}

static const char *pack_table(lua_State *L, PackRoom *room, int index,
                              uint32_t depth) {
  Keys keys;
  if (depth == PACKED_DEPTH)
    return "has tables more than 100 deep in each other, or in a circle";
  if (lua_getmetatable(L, index)) {
    lua_pop(L, 1);
    return depth == 0 ? "has a metatable"
                      : "has a table with a metatable in it";
  }
  luaL_checkstack(L, 12, "plain data of a field");
  const char *why = look(L, index, &keys);
  if (why) return why;
  return keys.whole == keys.count && keys.highest == keys.count
             ? pack_list(L, room, index, keys.count, depth)
             : pack_map(L, room, index, keys.count, depth);
}

/* Values ------------------------------------------------------------------ */

static Packed number_at(lua_State *L, int index) {
#if LUA_VERSION_NUM >= 503
  if (lua_isinteger(L, index))
    return (Packed){.kind = PACKED_INTEGER,
                    .integer = (int64_t)lua_tointeger(L, index)};
#endif
  return ecs_packed_number((double)lua_tonumber(L, index));
}

/* A text that is the whole value has the bytes that it has in Lua already. */
static const char *pack_text(lua_State *L, PackRoom *room, int index,
                             uint32_t depth) {
  size_t bytes;
  const char *text = lua_tolstring(L, index, &bytes);
  const char *why = check_room(room, bytes);
  if (why == is_long || (why && depth > 0)) return why;
  put_head(
      L, room,
      &(Packed){.kind = PACKED_TEXT, .count = (uint32_t)bytes, .text = text});
  bind_pack_bytes(L, room, text, bytes);
  return NULL;
}

static const char *other_kind(lua_State *L, int index, uint32_t depth) {
  switch (lua_type(L, index)) {
    case LUA_TFUNCTION:
      return depth == 0 ? "is a function" : "has a function in it";
    case LUA_TTHREAD:
      return depth == 0 ? "is a coroutine" : "has a coroutine in it";
    default: return depth == 0 ? "is no table of Lua" : "has userdata in it";
  }
}

/* depth: of tables that it lies in. */
static const char *pack(lua_State *L, PackRoom *room, int index,
                        uint32_t depth) {
  Packed value;
  const char *why = check_room(room, 0);
  if (why) return why;
  if (++room->parts > MOST_PARTS) return has_parts;
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
      value = (Packed){.kind = PACKED_BOOLEAN,
                       .integer = lua_toboolean(L, index) != 0};
      put_head(L, room, &value);
      return NULL;
    case LUA_TNUMBER:
      value = number_at(L, index);
      put_head(L, room, &value);
      return NULL;
    case LUA_TSTRING: return pack_text(L, room, index, depth);
    case LUA_TTABLE: return pack_table(L, room, index, depth);
    default: return other_kind(L, index, depth);
  }
}

const char *bind_pack(lua_State *L, PackRoom *room, int index) {
  room->parts = 0;
  return pack(L, room, index, 0);
}

/* Back -------------------------------------------------------------------- */

/* False: this Lua has no such number. */
static bool push_integer(lua_State *L, int64_t integer) {
#if LUA_VERSION_NUM >= 503
  lua_pushinteger(L, (lua_Integer)integer);
  return true;
#else
  HeldValue value = {.integer = integer};
  if (!held_is_double(&value)) return false;
  lua_pushnumber(L, (lua_Number)integer);
  return true;
#endif
}

static bool unpack_table(lua_State *L, const char **at, const char *end,
                         const Packed *table) {
  int top = lua_gettop(L);
  bool is_map = table->kind == PACKED_MAP;
  luaL_checkstack(L, 8, "plain data of a field");
  lua_createtable(L, is_map ? 0 : (int)table->count,
                  is_map ? (int)table->count : 0);
  for (uint32_t k = 1; k <= table->count; k++) {
    if ((is_map && !bind_unpack(L, at, end)) || !bind_unpack(L, at, end)) {
      lua_settop(L, top);
      return false;
    }
    if (is_map)
      lua_rawset(L, -3);
    else
      lua_rawseti(L, -2, (int)k);
  }
  return true;
}

bool bind_unpack(lua_State *L, const char **at, const char *end) {
  Packed value;
  bool is_one = ecs_packed_next(at, end, &value);
  if (is_one && value.kind == PACKED_MADE)
    is_one = ecs_packed_next(at, end, &value);
  ECS_ASSERT(is_one);
  if (!is_one) return false;
  switch (value.kind) {
    case PACKED_BOOLEAN: lua_pushboolean(L, value.integer != 0); return true;
    case PACKED_INTEGER: return push_integer(L, value.integer);
    case PACKED_NUMBER:
      /* LuaJIT takes some NaNs for what is no number. */
      lua_pushnumber(L,
                     value.number == value.number ? value.number : (double)NAN);
      return true;
    case PACKED_TEXT: lua_pushlstring(L, value.text, value.count); return true;
    case PACKED_LIST:
    case PACKED_MAP: return unpack_table(L, at, end, &value);
    default: lua_pushnil(L); return true;
  }
}

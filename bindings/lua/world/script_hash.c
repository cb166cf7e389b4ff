/* script_hash.c: world:hash(): the hash of the core, and what the binding adds.
 */
#include "world/script_hash.h"

#include <math.h>
#include <string.h>

#include "api/for_bindings.h"
#include "world/totals.h"
#include "world/world_methods.h"

/* One word more, and what it is, by the mixing of ecs.random. */
static uint64_t mix(uint64_t hash, const char *what, uint64_t word) {
  return ecs_random_key(hash, what, word);
}

static uint64_t number_word(double number) {
  uint64_t word = 0;
  if (number != number) number = (double)NAN;
  memcpy(&word, &number, sizeof word);
  return word;
}

/* What a system, known by its name, has added to totals; a run that added
 * nothing counts as none. The order in which totals were made does not count. */
static uint64_t sum_tallies(const LuaWorld *world, const char *system) {
  uint64_t sum = 0;
  for (const Total *total = world->totals; total; total = total->next) {
    const Tally *tally = bind_tally_find(total, system);
    if (!tally || tally->value == reduction_start(total->kind)) continue;
    uint64_t hash = mix((uint64_t)total->kind, total->name, 0);
    sum += mix(mix(hash, system, 0), "total", number_word(tally->value));
  }
  return sum;
}

/* The entry of the table at index that has this key, pushed; false where it is
 * no entry of that type, and then nothing is pushed. */
static bool push_entry(lua_State *L, int index, const char *key, int type) {
  lua_pushstring(L, key);
  lua_rawget(L, index < 0 ? index - 1 : index);
  if (lua_type(L, -1) == type) return true;
  lua_pop(L, 1);
  return false;
}

/* hash, mixed with the number under a key of the table on top of the stack; 0
 * where the number is 0 or is not there. */
static uint64_t mix_number(lua_State *L, uint64_t hash, const char *key) {
  if (!push_entry(L, -1, key, LUA_TNUMBER)) return 0;
  double number = (double)lua_tonumber(L, -1);
  lua_pop(L, 1);
  return number == 0 ? 0 : mix(hash, key, number_word(number));
}

/* The system that is on top of the stack, by its name. */
static uint64_t hash_system(lua_State *L, const LuaWorld *world) {
  if (!lua_istable(L, -1) || !push_entry(L, -1, "name", LUA_TSTRING)) return 0;
  const char *name = lua_tostring(L, -1); /* kept alive by the table */
  lua_pop(L, 1);
  uint64_t sum = sum_tallies(world, name), hash = mix(4, name, 0);
  if (push_entry(L, -1, "enabled", LUA_TBOOLEAN)) {
    if (!lua_toboolean(L, -1)) sum += mix(hash, "disabled", 1);
    lua_pop(L, 1);
  }
  return sum + mix_number(L, hash, "rest") + mix_number(L, hash, "since");
}

/* The systems of the list at index 2, in any order. */
static uint64_t sum_systems(lua_State *L, const LuaWorld *world) {
  uint64_t sum = 0;
  int count = lua_istable(L, 2) ? (int)lua_rawlen(L, 2) : 0;
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, 2, k);
    sum += hash_system(L, world);
    lua_pop(L, 1);
  }
  return sum;
}

/* The clocks of table 4, by the place of their phases in list 3. */
static uint64_t sum_clocks(lua_State *L) {
  uint64_t sum = 0;
  if (!lua_istable(L, 3) || !lua_istable(L, 4)) return 0;
  int count = (int)lua_rawlen(L, 3);
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, 3, k);
    if (!lua_isnil(L, -1)) {
      lua_rawget(L, 4);
      if (lua_istable(L, -1)) {
        uint64_t hash = mix(2, "phase", (uint64_t)k);
        sum += mix_number(L, hash, "runs") + mix_number(L, hash, "rest");
      }
    }
    lua_pop(L, 1);
  }
  return sum;
}

/* Where the world is in its states, argument 5, and goes next, argument 6: the
 * places in their list, 0 where nothing follows from them. */
static uint64_t hash_state(lua_State *L) {
  uint64_t state = (uint64_t)lua_tonumber(L, 5);
  uint64_t next = (uint64_t)lua_tonumber(L, 6);
  return (state == 0 ? 0 : mix(5, "state", state)) +
         (next == 0 ? 0 : mix(6, "next", next));
}

/* hash(world, systems, phases, clocks, state, next state) */
static int hash(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  lua_settop(L, 6);
  uint64_t scripts = sum_systems(L, world) + sum_clocks(L);
  scripts += hash_state(L);
  if (world->seed != 0) scripts += mix(3, "seed", world->seed);
  uint64_t whole = ecs_world_hash(bind_native(L, world));
  bind_push_hash(L, scripts == 0 ? whole : mix(whole, "scripts", scripts));
  return 1;
}

void bind_open_script_hash(lua_State *L) {
  static const luaL_Reg functions[] = {{"hash", hash}, {NULL, NULL}};
  bind_add(L, functions);
}

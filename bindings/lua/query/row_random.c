/* row_random.c: ecs.random: numbers that follow from the row they are drawn
 * for.
 *
 *      seed of the world, name of the system, runs  -->  key   (per run)
 *      key, entity, draws of this row so far        -->  number
 *
 * Runs are those of the system's phase, from the first one on in which a row of
 * it has drawn (scripts/ecs/frame.lua).
 *
 * The row is the current row of the innermost walk of the Lua state, which must
 * be a run of an each system. The count of draws restarts when another row
 * draws; rows that draw no number cost nothing.
 */
#include "query/row_random.h"

#include <math.h>
#include <stdio.h>

#include "api/for_bindings.h"
#include "world/lua_world.h"

static int refuse(lua_State *L, const OpenWalk *walk) {
  if (!walk)
    return bind_error(L,
                      "ecs.random draws for a row: call it in the each "
                      "function of a system; elsewhere use math.random");
  return bind_error(L,
                    "ecs.random is for the each function of a system, and "
                    "this is inside %s: draw before it and hand the number "
                    "on, or use math.random",
                    walk->label);
}

/* A bound: a whole number that a double holds, as all between do. */
static double bound(lua_State *L, int index) {
  double number = (double)lua_tonumber(L, index);
  if (lua_type(L, index) != LUA_TNUMBER)
    return bind_error(L, "ecs.random takes whole numbers, not %s",
                      luaL_typename(L, index));
  if (!(fabs(number) <= 0x1p53) || floor(number) != number)
    return bind_error(L, "ecs.random takes whole numbers up to 2^53");
  return number;
}

/* Reads the interval of random(n) and random(m, n): where it begins, and how
 * many numbers it has; 0: there are no arguments. */
static double read_interval(lua_State *L, double *first) {
  int count = lua_gettop(L);
  if (count == 0) return 0;
  if (count > 2)
    return bind_error(L, "ecs.random takes no, one or two numbers");
  *first = count == 1 ? 1 : bound(L, 1);
  double last = bound(L, count);
  if (*first > last || !(last - *first < 0x1p53)) {
    char text[80];
    snprintf(text, sizeof text, "from %.0f to %.0f", *first, last);
    return bind_error(L, "ecs.random %s: the interval is %s", text,
                      *first > last ? "empty" : "too large");
  }
  return last - *first + 1;
}

/* random(), random(n), random(m, n). The product below is less than the size,
 * also where it is rounded: the drawn number is at most 1 - 2^-53. */
static int draw(lua_State *L) {
  const OpenWalk *walk = bind_state(L)->walk;
  SystemRun *run = walk ? walk->run : NULL;
  double first = 0, size = read_interval(L, &first);
  int32_t index = run ? bind_run_index(L, run) : -1;
  if (index < 0) return refuse(L, walk);
  bind_native(L, walk->world); /* raises if a host has destroyed it */
  uint64_t row = run->before + (uint64_t)index;
  if (row != run->drawn) {
    run->drawn = row;
    run->draws = 0;
  }
  ECS_ASSERT(walk->each && run->system);
  double number = (double)run->draws++;
  number = ecs_random(run->key, run->entities[index], number);
  if (size == 0)
    lua_pushnumber(L, number);
  else
    compat_push_whole(L, first + floor(number * size));
  return 1;
}

/* set_seed(world, seed): a whole number from 0 to 2^53. */
static int set_seed(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  double seed = luaL_checknumber(L, 2);
  if (!(seed >= 0 && seed <= 9007199254740992.0))
    return luaL_argerror(L, 2, "not a whole number");
  world->seed = (uint64_t)seed;
  return 0;
}

/* seed(world): the seed. */
static int get_seed(lua_State *L) {
  compat_push_whole(L, (double)bind_world_check(L, 1)->seed);
  return 1;
}

static const luaL_Reg functions[] = {
    {"random", draw}, {"set_seed", set_seed}, {"seed", get_seed}, {NULL, NULL}};

void bind_open_row_random(lua_State *L) { bind_add(L, functions); }

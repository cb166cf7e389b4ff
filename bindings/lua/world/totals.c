/* totals.c: sums and extremes that each systems add to.
 *
 *      world:sum "score"   world:min "nearest"   world:max "speed"
 *
 *      total:add(x)    adds to the row of the running system; costs a call
 *      total:value()   joins the tallies, one for each system
 *
 * The table `totals` of a world has its totals by kind and name, so asking for
 * one again returns the same object.
 */
#include "world/totals.h"

#include <math.h>
#include <string.h>

#include "object/name.h"

static const char *const kind_words[] = {"sum", "min", "max"};

/* Adding up --------------------------------------------------------------- */

static void begin(Tally *tally, ReductionKind kind, uint64_t run) {
  reduction_begin(&tally->running, kind);
  tally->block = 0;
  tally->run = run;
}

/* Blocks without rows are skipped: folding empty lanes changes no total. */
static inline void reach(Tally *tally, ReductionKind kind, uint64_t row) {
  if (row / REDUCTION_ROWS == tally->block) return;
  reduction_fold(&tally->running, kind);
  tally->block = row / REDUCTION_ROWS;
}

static void add_row(Tally *tally, ReductionKind kind, uint64_t row,
                    double number) {
  reach(tally, kind, row);
  reduction_add(&tally->running, kind, row, number);
}

void bind_tally_reach(Tally *tally, ReductionKind kind, uint64_t run,
                      uint64_t row) {
  if (tally->run != run) begin(tally, kind, run);
  reach(tally, kind, row);
}

/* Tallies ----------------------------------------------------------------- */

const char *bind_total_kind(const Total *total) {
  return kind_words[total->kind];
}

Tally *bind_tally_find(const Total *total, const char *system) {
  Tally *tally = total->tallies;
  while (tally && strcmp(tally->system, system) != 0) tally = tally->next;
  return tally;
}

Tally *bind_tally_ensure(lua_State *L, Total *total, int index,
                         const char *system) {
  Tally *tally = bind_tally_find(total, system);
  if (tally) return tally;
  size_t bytes = strlen(system) + 1;
  compat_push_private(L, index);
  tally = (Tally *)lua_newuserdata(L, sizeof *tally + bytes);
  memset(tally, 0, sizeof *tally);
  memcpy(tally->system, system, bytes);
  begin(tally, total->kind, 0);
  tally->value = reduction_start(total->kind);
  lua_rawseti(L, -2, (int)total->tally_count + 2); /* 1 is the world */
  lua_pop(L, 1);
  Tally *other = bind_tally_find(total, system);
  if (other) return other; /* a finalizer was here */
  /* In order of names, so that the sum does not depend on the order in which
   * systems first added. */
  Tally **link = &total->tallies;
  while (*link && strcmp((*link)->system, system) < 0) link = &(*link)->next;
  tally->next = *link;
  *link = tally;
  total->tally_count++;
  total->world->tally_count++;
  ECS_ASSERT(!tally->next || strcmp(tally->system, tally->next->system) < 0);
  return tally;
}

void bind_totals_end(const LuaWorld *world, const char *system,
                     uint64_t number) {
  for (Total *total = world->totals; total; total = total->next) {
    Tally *tally = bind_tally_find(total, system);
    if (!tally) continue;
    bool added = number != 0 && tally->run == number;
    if (added) reduction_fold(&tally->running, total->kind);
    tally->value = added ? tally->running.total : reduction_start(total->kind);
    tally->run = 0;
  }
}

/* For scripts ------------------------------------------------------------- */

/* The total at index 1, of a live world. Raises on anything else. */
static Total *check_total(lua_State *L, const char *call) {
  Total *total = (Total *)bind_find(L, 1, KIND_TOTAL);
  if (!total)
    bind_error(L,
               "%s is called with ':', as in total:%s(...), on what "
               "world:sum, min or max gave",
               call, call);
  bind_native(L, total->world);
  return total;
}

static int refuse_add(lua_State *L, const Total *total, const OpenWalk *walk) {
  const char *word = kind_words[total->kind];
  if (!walk)
    return bind_error(L,
                      "nothing can be added to %s '%s' here: add is for the "
                      "each function of a system",
                      word, total->name);
  if (walk->run)
    return bind_error(L, "%s '%s' is of another world than %s", word,
                      total->name, walk->label);
  return bind_error(L,
                    "nothing can be added to %s '%s' inside %s: add is for "
                    "the each function of a system; count in a local "
                    "variable here",
                    word, total->name, walk->label);
}

/* total:add(x) */
static int total_add(lua_State *L) {
  Total *total = check_total(L, "add");
  const OpenWalk *walk = bind_state(L)->walk;
  const SystemRun *run = walk ? walk->run : NULL;
  if (lua_type(L, 2) != LUA_TNUMBER)
    return bind_error(L, "add to %s '%s' takes a number, not %s%s",
                      kind_words[total->kind], total->name,
                      lua_isnoneornil(L, 2) ? "" : "a ", bind_type_name(L, 2));
  double number = (double)lua_tonumber(L, 2);
  int32_t index = run ? bind_run_index(L, run) : -1;
  if (index < 0 || walk->world != total->world)
    return refuse_add(L, total, walk);
  Tally *tally = total->recent;
  if (!tally || tally->run != run->number) {
    tally = bind_tally_ensure(L, total, 1, run->system);
    if (tally->run != run->number) begin(tally, total->kind, run->number);
    total->recent = tally;
  }
  add_row(tally, total->kind, run->before + (uint64_t)index, number);
  return 0;
}

/* total:value(), and total_value(total) of scripts/ecs. */
static int total_value(lua_State *L) {
  const Total *total = check_total(L, "value");
  double number = reduction_start(total->kind);
  for (const Tally *tally = total->tallies; tally; tally = tally->next)
    number = reduction_join(total->kind, number, tally->value);
  lua_pushnumber(L, number == number ? number : (double)NAN);
  return 1;
}

static int total_tostring(lua_State *L) {
  const Total *total = (const Total *)bind_find(L, 1, KIND_TOTAL);
  if (!total) return bind_error(L, "this is not a total");
  lua_pushfstring(L, "ecs.Total (%s '%s')", kind_words[total->kind],
                  total->name);
  return 1;
}

/* Pushes a new total of the world at index 1. */
static void create(lua_State *L, LuaWorld *world, ReductionKind kind,
                   const char *name, size_t length) {
  Total *total = (Total *)bind_new(L, KIND_TOTAL, sizeof *total + length + 1);
  memcpy(total->name, name, length + 1);
  total->kind = kind;
  total->world = world;
  bind_keep(L, 1, 1);
  ECS_ASSERT(strlen(total->name) == length);
}

/* world:sum(name): the total of this kind and name, made if there is none. */
static int find_or_create(lua_State *L, ReductionKind kind) {
  LuaWorld *world = bind_world_check(L, 1);
  const char *word = kind_words[kind];
  if (lua_type(L, 2) != LUA_TSTRING) {
    bind_push_description(L, 2);
    return bind_error(L, "%s takes a name, as in world:%s 'score', not %s",
                      word, word, lua_tostring(L, -1));
  }
  size_t length;
  const char *name = lua_tolstring(L, 2, &length);
  if (!bind_name_is_valid(name, length))
    return bind_error(L,
                      "the name of a %s is 1 to 255 bytes of UTF-8 text "
                      "without control characters",
                      word);
  lua_settop(L, 2);
  lua_pushfstring(L, "%s %s", word, name);
  compat_push_private(L, 1);
  bind_push_table(L, "totals");
  lua_pushvalue(L, 3);
  lua_rawget(L, 5);
  if (bind_find(L, -1, KIND_TOTAL)) return 1;
  create(L, world, kind, name, length);
  lua_pushvalue(L, 3);
  lua_rawget(L, 5);
  if (bind_find(L, -1, KIND_TOTAL)) return 1; /* a finalizer was here */
  lua_pop(L, 1);
  Total *total = (Total *)lua_touserdata(L, -1);
  lua_pushvalue(L, 3);
  lua_pushvalue(L, -2);
  lua_rawset(L, 5);
  ECS_ASSERT(total->world == world);
  total->next = world->totals;
  world->totals = total;
  return 1;
}

static int world_sum(lua_State *L) { return find_or_create(L, REDUCTION_SUM); }

static int world_min(lua_State *L) {
  return find_or_create(L, REDUCTION_LEAST);
}

static int world_max(lua_State *L) {
  return find_or_create(L, REDUCTION_GREATEST);
}

/* For scripts/ecs --------------------------------------------------------- */

/* total_kind(value, world): "sum", "min" or "max"; nil when the value is no
 * total of that world. */
static int total_kind(lua_State *L) {
  const Total *total = (const Total *)bind_find(L, 1, KIND_TOTAL);
  const LuaWorld *world = bind_world_check(L, 2);
  if (total && total->world == world)
    lua_pushstring(L, kind_words[total->kind]);
  else
    lua_pushnil(L);
  return 1;
}

/* forget_totals(world, system): as if the system had never added. A run in
 * progress is not affected. */
static int forget_totals(lua_State *L) {
  const LuaWorld *world = bind_world_check(L, 1);
  const char *system = luaL_checkstring(L, 2);
  for (const Total *total = world->totals; total; total = total->next) {
    Tally *tally = bind_tally_find(total, system);
    if (tally) tally->value = reduction_start(total->kind);
  }
  return 0;
}

static const luaL_Reg functions[] = {{"total_kind", total_kind},
                                     {"total_value", total_value},
                                     {"forget_totals", forget_totals},
                                     {NULL, NULL}};

void bind_open_totals(lua_State *L) {
  static const luaL_Reg world_methods[] = {
      {"sum", world_sum}, {"min", world_min}, {"max", world_max}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"add", total_add}, {"value", total_value}, {NULL, NULL}};
  static const luaL_Reg metamethods[] = {{"__tostring", total_tostring},
                                         {NULL, NULL}};
  bind_add(L, functions);
  bind_push_methods(L, KIND_WORLD);
  bind_add(L, world_methods);
  bind_push_methods(L, KIND_TOTAL);
  bind_add(L, methods);
  bind_push_metatable(L, KIND_TOTAL);
  bind_add(L, metamethods);
  lua_pop(L, 3);
}

/* grid_loop.c: what scripts ask a grid.
 *
 * Private table of a grid, beside what lua_grid.c has: loops that are not in use,
 * "idle" and "idle_pairs"; and NEAREST_ROWS RowLoops for nearest, which take
 * turns, so that rows of an earlier answer are over and not those of another.
 * The private table of the loop of the first rows of pairs has that of the others
 * at ROWS_SOURCE + "other".
 */
#include "query/grid_loop.h"

#include <math.h>
#include <string.h>

#include "api/for_bindings.h"
#include "object/number.h"
#include "world/report.h"

#define NEAREST_ROWS 4u

/* Arguments -------------------------------------------------------------- */

static const char *const axes[] = {"x", "y", "z"};

/* How many arguments there are behind the grid; nils at the end do not count. */
static int count_arguments(lua_State *L) {
  int given = lua_gettop(L);
  while (given > 1 && lua_isnil(L, given)) given--;
  return given - 1;
}

/* Raises unless there are as many arguments as the question takes: coordinates,
 * then those that `more` names. */
static void check_count(lua_State *L, const LuaGrid *grid, const char *call,
                        int least, int most, const char *more) {
  int given = count_arguments(L);
  if (given >= least && given <= most) return;
  bind_error(L, "%s takes %s%s%s, not %d arguments", call,
             grid->dimensions == 2 ? "x, y" : "x, y, z", *more ? ", " : "",
             more, given);
}

/* The number at index, which messages call by a name. */
static double check_number(lua_State *L, int index, const char *call,
                           const char *name) {
  if (lua_type(L, index) == LUA_TNUMBER) return (double)lua_tonumber(L, index);
  bind_push_description(L, index);
  bind_error(L, "%s: %s is a number, not %s", call, name, lua_tostring(L, -1));
  return 0;
}

static void check_point(lua_State *L, const LuaGrid *grid, int index,
                        const char *call, double *point) {
  for (uint32_t d = 0; d < grid->dimensions; d++)
    point[d] = check_number(L, index + (int)d, call, axes[d]);
}

static double check_radius(lua_State *L, int index, const char *call) {
  double radius = check_number(L, index, call, "radius");
  if (radius >= 0) return radius;
  bind_push_description(L, index);
  bind_error(L, "%s: radius is a number from 0 on, not %s", call,
             lua_tostring(L, -1));
  return 0;
}

/* The entity at index; 0 for none or nil. A dead one may be meant. */
static ecs_Entity check_except(lua_State *L, int index, const char *call) {
  if (lua_isnoneornil(L, index)) return 0;
  double handle = check_number(L, index, call, "except, an entity,");
  return handle >= 1 && handle < 9007199254740992.0 ? (ecs_Entity)handle : 0;
}

/* Loops ------------------------------------------------------------------ */

/* Points a loop at the columns of its grid. */
static void open_rows(RowLoop *rows, const LuaGrid *grid) {
  rows->running = true;
  rows->entities = grid->view.entities;
  rows->count = grid->view.count;
  rows->at = 0;
  rows->located = 0;
  rows->row = -1;
  rows->near->begun = grid->life.epoch;
  for (uint32_t k = 0; k < rows->column_count; k++)
    rows->elements[k] = (void *)(uintptr_t)grid->view.columns[k];
}

static void note_hits(RowLoop *rows, uint32_t count) {
  rows->located = (int32_t)count;
  rows->at = 0;
  for (uint32_t i = 0; i < count; i++)
    rows->ids[i] = (double)rows->entities[rows->near->hits[i]];
}

/* Takes the next hits of a loop; false: there are none. */
static bool take_hits(RowLoop *rows) {
  GridLoop *near = rows->near;
  RowLoop *other = near->other;
  uint32_t count = other ? ecs_grid_next_pairs(&near->cursor, near->hits,
                                               other->near->hits, ROWS_RUN)
                         : ecs_grid_next(&near->cursor, near->hits, ROWS_RUN);
  note_hits(rows, count);
  if (other) note_hits(other, count);
  return count > 0;
}

static inline void show_hit(RowLoop *rows, uint32_t at) {
  rows->at = at;
  rows->row = (int32_t)rows->near->hits[at];
  rows->stamp = rows->near->begun;
}

/* Ends a loop. */
static void close_rows(RowLoop *rows) {
  bind_rows_over(rows);
  if (rows->near->other) bind_rows_over(rows->near->other);
}

/* Goes on to the next row or pair. Returns 1; 0: there is none, and the loop has
 * ended; or -1: the grid was built again. Makes no call of Lua: compiled code
 * calls it, too. */
static int advance(RowLoop *rows) {
  const GridLoop *near = rows->near;
  if (!rows->running) return 0;
  if (near->begun != *rows->epoch) return -1;
  uint32_t at = rows->at + 1;
  if (at >= (uint32_t)rows->located) {
    if (!take_hits(rows)) {
      close_rows(rows);
      return 0;
    }
    at = 0;
  }
  show_hit(rows, at);
  if (near->other) show_hit(near->other, at);
  return 1;
}

/* Pushes the list of idle loops of a grid. */
static void push_idle(lua_State *L, int grid_index, bool pairs) {
  bind_push_kept(L, grid_index, pairs ? "idle_pairs" : "idle");
}

/* Returns the loop of the RowLoop at index 1, which has ended, to its grid. */
static void give_back(lua_State *L, const RowLoop *rows) {
  compat_push_private(L, 1);
  lua_rawgeti(L, -1, ROWS_SOURCE);
  push_idle(L, -1, rows->near->other != NULL);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, (int)lua_rawlen(L, -2) + 1);
}

/* Pushes the views of a loop's row, which are the upvalues from first on. */
static void push_views(lua_State *L, const RowLoop *rows, int first) {
  for (uint32_t t = 0; t < rows->term_count; t++) {
    if (bind_rows_has(L, rows, t))
      lua_pushvalue(L, lua_upvalueindex(first + (int)t));
    else
      lua_pushnil(L);
  }
}

/* The iterator of a loop. Upvalues: the state, the RowLoop, its views, and of
 * pairs those of the others. */
static int step(lua_State *L) {
  RowLoop *rows = (RowLoop *)lua_touserdata(L, lua_upvalueindex(2));
  bool running = rows->running;
  int found = advance(rows), terms = (int)rows->term_count;
  const RowLoop *other = rows->near->other;
  if (found < 0) return bind_rows_refuse_stale(L, rows);
  if (found == 0) {
    lua_settop(L, 0);
    lua_pushvalue(L, lua_upvalueindex(2));
    if (running) give_back(L, rows);
    lua_pushnil(L);
    return 1;
  }
  if (terms > 4) luaL_checkstack(L, 2 * terms + 4, NULL);
  lua_pushnumber(L, rows->ids[rows->at]);
  if (other) lua_pushnumber(L, other->ids[other->at]);
  push_views(L, rows, 3);
  if (other) push_views(L, other, 3 + terms);
  return 1 + (other != NULL) + terms * (1 + (other != NULL));
}

/* Pushes a new RowLoop for the grid at index. */
static RowLoop *new_rows(lua_State *L, LuaGrid *grid, int index) {
  compat_push_private(L, index);
  lua_getfield(L, -1, "query");
  RowLoop *rows = bind_rows_near(L, lua_gettop(L), grid->query);
  bind_keep(L, index, ROWS_SOURCE);
  rows->near->grid = grid;
  rows->epoch = &grid->life.epoch;
  rows->advance = advance;
  lua_remove(L, -2);
  lua_remove(L, -2);
  return rows;
}

/* Pushes all views of the RowLoop at index. */
static void push_all_views(lua_State *L, const RowLoop *rows, int index) {
  compat_push_private(L, index);
  int views = lua_gettop(L);
  for (uint32_t t = 0; t < rows->term_count; t++)
    lua_rawgeti(L, views, ROWS_VIEWS + (int)t);
  lua_remove(L, views);
}

/* Pushes a new loop with its iterator. */
static RowLoop *new_loop(lua_State *L, LuaGrid *grid, bool pairs) {
  RowLoop *rows = new_rows(L, grid, 1);
  int index = lua_gettop(L);
  int terms = (int)rows->term_count, upvalues = 2 + terms * (pairs ? 2 : 1);
  if (upvalues > 250)
    bind_error(L,
               "each_pair shows at most %d components with fields: leave "
               "some out of the grid's query",
               124);
  if (pairs) {
    rows->near->other = new_rows(L, grid, 1);
    lua_pushvalue(L, -1);
    bind_keep(L, index, ROWS_SOURCE); /* the grid, as for every loop */
    lua_pop(L, 1);
  }
  luaL_checkstack(L, upvalues + 8, NULL);
  compat_push_private(L, index);
  int private = lua_gettop(L);
  if (pairs) {
    lua_pushvalue(L, index + 1);
    lua_rawseti(L, private, ROWS_PROGRAM);
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, index);
  push_all_views(L, rows, index);
  if (pairs) push_all_views(L, rows->near->other, index + 1);
  lua_pushcclosure(L, step, upvalues);
  lua_rawseti(L, private, ROWS_RUNNER);
  lua_settop(L, index);
  return rows;
}

/* Pushes a loop of the grid at index 1 that is not in use. */
static RowLoop *idle_loop(lua_State *L, LuaGrid *grid, bool pairs) {
  push_idle(L, 1, pairs);
  int idle = lua_gettop(L), count = (int)lua_rawlen(L, idle);
  lua_rawgeti(L, idle, count);
  RowLoop *rows = (RowLoop *)bind_find(L, -1, KIND_ROWS);
  if (rows && !rows->running) {
    lua_pushnil(L);
    lua_rawseti(L, idle, count);
  } else {
    lua_pop(L, 1);
    rows = new_loop(L, grid, pairs);
  }
  lua_remove(L, idle);
  return rows;
}

/* Returns what a loop of Lua takes: the iterator and, where Lua closes it, the
 * RowLoop on top of the stack, which the cursor of a status is open in. */
static int return_loop(lua_State *L, LuaGrid *grid, RowLoop *rows,
                       ecs_Status status, const char *call) {
  bind_check_status(L, grid->world, status, call);
  open_rows(rows, grid);
  if (rows->near->other) open_rows(rows->near->other, grid);
  compat_push_private(L, -1);
  lua_rawgeti(L, -1, ROWS_RUNNER);
  lua_remove(L, -2);
#if LUA_VERSION_NUM >= 504
  lua_pushnil(L);
  lua_pushnil(L);
  lua_pushvalue(L, -4);
  return 4;
#else
  return 1;
#endif
}

/* near:within(x, y, radius) */
static int grid_within(lua_State *L) {
  LuaGrid *grid = bind_grid_check(L, 1, "within");
  int count = (int)grid->dimensions + 1;
  double point[3];
  check_count(L, grid, "within", count, count, "radius");
  check_point(L, grid, 2, "within", point);
  double radius = check_radius(L, count + 1, "within");
  RowLoop *rows = idle_loop(L, grid, false);
  grid = bind_grid_check(L, 1, "within");
  bind_grid_prepare(L, grid);
  ecs_Status status =
      ecs_grid_within(grid->life.native, point, radius, &rows->near->cursor);
  return return_loop(L, grid, rows, status, "within");
}

/* near:box(x0, y0, x1, y1) */
static int grid_box(lua_State *L) {
  LuaGrid *grid = bind_grid_check(L, 1, "box");
  int count = 2 * (int)grid->dimensions;
  double low[3], high[3];
  if (count_arguments(L) != count)
    return bind_error(L, "box takes %s, not %d arguments",
                      count == 4 ? "x0, y0, x1, y1" : "x0, y0, z0, x1, y1, z1",
                      count_arguments(L));
  check_point(L, grid, 2, "box", low);
  check_point(L, grid, 2 + count / 2, "box", high);
  RowLoop *rows = idle_loop(L, grid, false);
  grid = bind_grid_check(L, 1, "box");
  bind_grid_prepare(L, grid);
  ecs_Status status =
      ecs_grid_box(grid->life.native, low, high, &rows->near->cursor);
  return return_loop(L, grid, rows, status, "box");
}

/* near:each_pair(radius) */
static int grid_each_pair(lua_State *L) {
  LuaGrid *grid = bind_grid_check(L, 1, "each_pair");
  if (count_arguments(L) != 1)
    return bind_error(L, "each_pair takes a radius, not %d arguments",
                      count_arguments(L));
  double radius = check_radius(L, 2, "each_pair");
  RowLoop *rows = idle_loop(L, grid, true);
  grid = bind_grid_check(L, 1, "each_pair");
  bind_grid_prepare(L, grid);
  ecs_Status status =
      ecs_grid_pairs(grid->life.native, radius, &rows->near->cursor);
  return return_loop(L, grid, rows, status, "each_pair");
}

/* A loop was left early. The RowLoop is at index 1. */
static int loop_close(lua_State *L) {
  RowLoop *rows = (RowLoop *)bind_find(L, 1, KIND_ROWS);
  lua_settop(L, 1);
  if (!rows || !rows->near || !rows->running) return 0;
  close_rows(rows);
  give_back(L, rows);
  return 0;
}

/* Numbers ---------------------------------------------------------------- */

/* near:count(x, y, radius) */
static int grid_count(lua_State *L) {
  LuaGrid *grid = bind_grid_check(L, 1, "count");
  int count = (int)grid->dimensions + 1;
  double point[3];
  check_count(L, grid, "count", count, count, "radius");
  check_point(L, grid, 2, "count", point);
  double radius = check_radius(L, count + 1, "count");
  bind_grid_prepare(L, grid);
  compat_push_whole(L, ecs_grid_count(grid->life.native, point, radius));
  return 1;
}

/* near:any(x, y, radius, except) */
static int grid_any(lua_State *L) {
  LuaGrid *grid = bind_grid_check(L, 1, "any");
  int count = (int)grid->dimensions + 1;
  double point[3];
  check_count(L, grid, "any", count, count + 1, "radius and maybe an entity");
  check_point(L, grid, 2, "any", point);
  double radius = check_radius(L, count + 1, "any");
  ecs_Entity except = check_except(L, count + 2, "any");
  bind_grid_prepare(L, grid);
  lua_pushboolean(L, ecs_grid_any(grid->life.native, point, radius, except));
  return 1;
}

/* Nearest ---------------------------------------------------------------- */

/* Pushes the RowLoop for an answer of nearest; the rows of the last answer are
 * over. */
static RowLoop *nearest_rows(lua_State *L, LuaGrid *grid) {
  compat_push_private(L, 1);
  int private = lua_gettop(L);
  lua_rawgeti(L, private, (int)grid->turn + 1);
  RowLoop *last = (RowLoop *)bind_find(L, -1, KIND_ROWS);
  if (last) bind_rows_over(last);
  lua_pop(L, 1);
  grid->turn = (grid->turn + 1) % NEAREST_ROWS;
  lua_rawgeti(L, private, (int)grid->turn + 1);
  RowLoop *rows = (RowLoop *)bind_find(L, -1, KIND_ROWS);
  if (!rows) {
    lua_pop(L, 1);
    rows = new_rows(L, grid, 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, private, (int)grid->turn + 1);
  }
  lua_remove(L, private);
  return rows;
}

/* near:nearest(x, y, radius, except): an entity, its rows and its distance; or
 * nil. */
static int grid_nearest(lua_State *L) {
  LuaGrid *grid = bind_grid_check(L, 1, "nearest");
  int count = (int)grid->dimensions;
  double point[3], square = 0, radius = INFINITY;
  check_count(L, grid, "nearest", count, count + 2,
              "maybe radius and an entity");
  check_point(L, grid, 2, "nearest", point);
  if (!lua_isnoneornil(L, count + 2))
    radius = check_radius(L, count + 2, "nearest");
  ecs_Entity except = check_except(L, count + 3, "nearest");
  RowLoop *rows = nearest_rows(L, grid);
  int index = lua_gettop(L);
  luaL_checkstack(L, (int)rows->term_count + 8, NULL);
  grid = bind_grid_check(L, 1, "nearest");
  bind_grid_prepare(L, grid);
  uint32_t row =
      ecs_grid_nearest(grid->life.native, point, radius, except, &square);
  if (row == ECS_GRID_NONE) {
    lua_pushnil(L);
    return 1;
  }
  open_rows(rows, grid);
  rows->near->hits[0] = row;
  note_hits(rows, 1);
  show_hit(rows, 0);
  lua_pushnumber(L, rows->ids[0]);
  compat_push_private(L, index);
  int views = lua_gettop(L);
  for (uint32_t t = 0; t < rows->term_count; t++)
    bind_rows_push(L, rows, views, t);
  lua_remove(L, views);
  lua_pushnumber(L, sqrt(square));
  return 2 + (int)rows->term_count;
}

/* For LuaJIT's FFI ------------------------------------------------------- */

/* For scripts/ecs/ffi/grid_ffi.lua: the questions without a call of Lua, with z
 * of 0 in two dimensions. Whatever is not ordinary is left to the methods, which
 * raise what there is to raise.
 *   within, box, pairs   open a RowLoop. 1: done; 0: the method does it
 *   nearest   points a RowLoop at the row; ids are the entity and the distance.
 *             1: done; 0: there is none; -1: the method does it
 *   count     below 0: the method does it
 *   any       1, 0; -1: the method does it */
typedef struct GridCalls {
  int32_t (*within)(void *, double, double, double, double);
  int32_t (*box)(void *, double, double, double, double, double, double);
  int32_t (*pairs)(void *, double);
  int32_t (*nearest)(void *, double, double, double, double, double);
  double (*count)(void *, double, double, double, double);
  int32_t (*any)(void *, double, double, double, double, double);
} GridCalls;

/* Can the grid be asked now? */
static inline bool is_ready(LuaGrid *grid) {
  return grid->life.native && bind_grid_ready(grid) == ECS_OK;
}

static int32_t opened(RowLoop *rows, ecs_Status status) {
  if (status != ECS_OK) return 0;
  open_rows(rows, rows->near->grid);
  if (rows->near->other) open_rows(rows->near->other, rows->near->grid);
  return 1;
}

static int32_t call_within(void *loop, double x, double y, double z,
                           double radius) {
  RowLoop *rows = (RowLoop *)loop;
  const double point[3] = {x, y, z};
  LuaGrid *grid = rows->near->grid;
  if (!(radius >= 0) || !is_ready(grid)) return 0;
  return opened(rows, ecs_grid_within(grid->life.native, point, radius,
                                      &rows->near->cursor));
}

static int32_t call_box(void *loop, double x0, double y0, double z0, double x1,
                        double y1, double z1) {
  RowLoop *rows = (RowLoop *)loop;
  const double low[3] = {x0, y0, z0}, high[3] = {x1, y1, z1};
  LuaGrid *grid = rows->near->grid;
  if (!is_ready(grid)) return 0;
  return opened(
      rows, ecs_grid_box(grid->life.native, low, high, &rows->near->cursor));
}

static int32_t call_pairs(void *loop, double radius) {
  RowLoop *rows = (RowLoop *)loop;
  LuaGrid *grid = rows->near->grid;
  if (!(radius >= 0) || !is_ready(grid)) return 0;
  return opened(rows,
                ecs_grid_pairs(grid->life.native, radius, &rows->near->cursor));
}

static int32_t call_nearest(void *loop, double x, double y, double z,
                            double radius, double except) {
  RowLoop *rows = (RowLoop *)loop;
  const double point[3] = {x, y, z};
  double square = 0;
  LuaGrid *grid = rows->near->grid;
  if (!(radius >= 0) || !is_ready(grid)) return -1;
  uint32_t row = ecs_grid_nearest(grid->life.native, point, radius,
                                  (ecs_Entity)except, &square);
  if (row == ECS_GRID_NONE) return 0;
  open_rows(rows, grid);
  rows->near->hits[0] = row;
  note_hits(rows, 1);
  show_hit(rows, 0);
  rows->ids[1] = sqrt(square);
  return 1;
}

static double call_count(void *near, double x, double y, double z,
                         double radius) {
  LuaGrid *grid = (LuaGrid *)near;
  const double point[3] = {x, y, z};
  if (!(radius >= 0) || !is_ready(grid)) return -1;
  return ecs_grid_count(grid->life.native, point, radius);
}

static int32_t call_any(void *near, double x, double y, double z, double radius,
                        double except) {
  LuaGrid *grid = (LuaGrid *)near;
  const double point[3] = {x, y, z};
  if (!(radius >= 0) || !is_ready(grid)) return -1;
  return ecs_grid_any(grid->life.native, point, radius, (ecs_Entity)except);
}

/* grid_calls(): a userdata with these functions, and its size. Returns nothing
 * after the first call, so the methods are wrapped once. */
static int grid_calls(lua_State *L) {
  static const GridCalls calls = {call_within,  call_box,   call_pairs,
                                  call_nearest, call_count, call_any};
  bind_push_shared(L);
  lua_getfield(L, -1, "grids_accelerated");
  if (lua_toboolean(L, -1)) return 0;
  lua_pushboolean(L, 1);
  lua_setfield(L, -3, "grids_accelerated");
  memcpy(lua_newuserdata(L, sizeof calls), &calls, sizeof calls);
  compat_push_whole(L, (double)sizeof calls);
  return 2;
}

/* grid_rows(near, other): a RowLoop without views, for the accelerator; with
 * other, a RowLoop of the same grid, one of pairs. */
static int grid_rows(lua_State *L) {
  LuaGrid *grid = bind_grid_check(L, 1, "grid_rows");
  lua_settop(L, 2);
  RowLoop *other = (RowLoop *)bind_find(L, 2, KIND_ROWS);
  if (other && (!other->near || other->near->grid != grid || other->running))
    return luaL_argerror(L, 2, "no loop of this grid");
  RowLoop *rows = new_rows(L, grid, 1);
  if (!other) return 1;
  bind_keep(L, 2, ROWS_PROGRAM);
  rows->near->other = other;
  return 1;
}

/* grid_methods(): a new table of the methods, as they are now. */
static int grid_methods(lua_State *L) {
  bind_push_methods(L, KIND_GRID);
  int methods = lua_gettop(L);
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, methods); lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -5);
  }
  return 1;
}

/* grid_is_flat(near): has it two dimensions? */
static int grid_is_flat(lua_State *L) {
  lua_pushboolean(L, bind_grid_check(L, 1, "grid_is_flat")->dimensions == 2);
  return 1;
}

/* grid_keep(near, record): what the accelerator knows of a grid lives as long. */
static int grid_keep(lua_State *L) {
  bind_grid_check(L, 1, "grid_keep");
  lua_settop(L, 2);
  compat_push_private(L, 1);
  lua_insert(L, 2);
  lua_setfield(L, 2, "record");
  return 0;
}

void bind_open_grid_loop(lua_State *L) {
  static const luaL_Reg methods[] = {{"within", grid_within},
                                     {"box", grid_box},
                                     {"each_pair", grid_each_pair},
                                     {"count", grid_count},
                                     {"any", grid_any},
                                     {"nearest", grid_nearest},
                                     {NULL, NULL}};
  static const luaL_Reg metamethods[] = {{"__close", loop_close}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"grid_calls", grid_calls},     {"grid_rows", grid_rows},
      {"grid_keep", grid_keep},       {"grid_methods", grid_methods},
      {"grid_is_flat", grid_is_flat}, {NULL, NULL}};
  bind_add(L, functions);
  bind_push_methods(L, KIND_GRID);
  bind_add(L, methods);
  bind_push_metatable(L, KIND_ROWS);
  bind_add(L, metamethods);
  lua_pop(L, 2);
}

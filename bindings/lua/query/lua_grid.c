/* lua_grid.c: grids as userdata: their life, and when they are built.
 *
 * Private table: `query`, `place`, and what grid_loop.c keeps: loops that are not in use.
 */
#include "query/lua_grid.h"

#include "api/for_bindings.h"
#include "object/number.h"
#include "world/collect.h"
#include "world/components.h"
#include "world/report.h"

/* Life ------------------------------------------------------------------- */

/* The grid. Raises where its world was closed. */
static LuaGrid *check_open(lua_State *L, LuaGrid *grid) {
  if (!grid->life.native) bind_error(L, "the world of this grid is closed");
  return grid;
}

LuaGrid *bind_grid_check(lua_State *L, int index, const char *call) {
  LuaGrid *grid = (LuaGrid *)bind_find(L, index, KIND_GRID);
  if (!grid)
    bind_error(L,
               "%s is called with ':', as in near:%s(...), on what "
               "world:grid gave",
               call, call);
  return check_open(L, grid);
}

/* Ends the grid; harmless when it has ended. Neither allocates nor raises. */
static void end(LuaGrid *grid) {
  ecs_Grid *native = grid->life.native;
  grid->life.epoch = WORLD_CLOSED;
  grid->life.native = NULL;
  if (!native) return;
  GridLife **link = &grid->world->grids;
  while (*link && *link != &grid->life) link = &(*link)->next;
  if (*link) *link = grid->life.next;
  ecs_grid_destroy(native);
  bind_query_unuse(grid->query, grid->shared);
}

static LuaGrid *grid_of(GridLife *life) {
  return (LuaGrid *)(void *)((char *)life - offsetof(LuaGrid, life));
}

void bind_grids_end(LuaWorld *world) {
  while (world->grids) end(grid_of(world->grids));
}

static int grid_gc(lua_State *L) {
  LuaGrid *grid = (LuaGrid *)bind_find(L, 1, KIND_GRID);
  if (grid) end(grid);
  return 0;
}

static int grid_tostring(lua_State *L) {
  const LuaGrid *grid = (const LuaGrid *)bind_find(L, 1, KIND_GRID);
  if (!grid) return bind_error(L, "this is not a grid");
  lua_pushfstring(L, "ecs.Grid (%s)", grid->query->label);
  return 1;
}

/* The term of a definition that rows themselves have. */
static uint32_t term_of(const LuaQuery *query, const Definition *definition) {
  uint32_t term = 0;
  while (term < query->term_count &&
         (query->terms[term].definition != definition ||
          !access_has_own_columns(query->terms[term].access)))
    term++;
  return term;
}

/* Reads the definition and the numbers of fields, from 1, at index 2 to top. */
static ecs_GridDescription read_description(lua_State *L,
                                            const LuaQuery *query) {
  ecs_GridDescription how = {.dimensions = (uint32_t)lua_gettop(L) - 3};
  how.cell = (double)luaL_checknumber(L, 2);
  how.term = term_of(query, bind_definition_check(L, 3, "grid"));
  for (uint32_t d = 0; d < how.dimensions && d < 3; d++)
    how.fields[d] = (uint32_t)bind_whole_check(L, 4 + (int)d) - 1u;
  return how;
}

/* Keeps the definition and the numbers of fields in the private table on top of
 * the stack, as a list. */
static void keep_place(lua_State *L, uint32_t dimensions) {
  lua_newtable(L);
  for (int k = 0; k <= (int)dimensions; k++) {
    lua_pushvalue(L, 3 + k);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "place");
}

/* grid(query, cell, definition, x, y, z): a new grid over a query of its own;
 * x, y and z are numbers of fields. Or nil and a message. */
static int grid_new(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  ecs_GridDescription how = read_description(L, query);
  for (uint32_t t = 0; t < query->term_count; t++)
    if (access_has_columns(query->terms[t].access))
      bind_refuse_held(L, query->terms[t].definition, "grid",
                       "a grid copies the columns of its query, and these "
                       "cannot be copied: read it with world:get");
  LuaGrid *grid = (LuaGrid *)bind_new(L, KIND_GRID, sizeof *grid);
  compat_push_private(L, -1);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "query");
  keep_place(L, how.dimensions);
  lua_pop(L, 1);
  grid->query = query;
  grid->world = query->world;
  grid->dimensions = how.dimensions;
  ecs_Grid *native = NULL;
  ecs_Status status;
  BIND_WITH_RELIEF(L, query->world, status,
                   ecs_grid_create(bind_query_native(L, query), &how, &native));
  if (status != ECS_OK) {
    bind_push_status(L, query->world, status, "grid");
    return bind_fail(L);
  }
  grid->life = (GridLife){1, native, query->world->grids};
  query->world->grids = &grid->life;
  grid->shared = query->native;
  bind_query_use(query);
  ecs_grid_rows(native, &grid->view);
  return 1;
}

/* Building --------------------------------------------------------------- */

/* Whatever was built before is not valid any more, also after a failure. */
static ecs_Status note_build(LuaGrid *grid, ecs_Status status) {
  const LuaWorld *world = grid->world;
  grid->life.epoch++;
  ecs_grid_rows(grid->life.native, &grid->view);
  if (status != ECS_OK) return status;
  grid->frame = world->running ? world->frame : 0;
  grid->step = world->in_step ? world->step : 0;
  return ECS_OK;
}

static ecs_Status build(LuaGrid *grid) {
  return note_build(grid, ecs_grid_build(grid->life.native));
}

/* The same for near:build(). Outside of frames what was built must be known to
 * be fresh, so that a callback that holds the columns can ask. */
static ecs_Status build_now(LuaGrid *grid) {
  bool built = false;
  if (grid->world->running) return build(grid);
  ecs_Status status = ecs_grid_refresh(grid->life.native, &built);
  if (status == ECS_OK && !built) status = ecs_grid_build(grid->life.native);
  return note_build(grid, status);
}

/* Was the grid built in this step or frame? */
static bool is_of_now(const LuaGrid *grid) {
  const LuaWorld *world = grid->world;
  return world->in_step ? grid->step == world->step
                        : grid->frame == world->frame;
}

ecs_Status bind_grid_ready(LuaGrid *grid) {
  bool built = false;
  if (grid->world->running) return is_of_now(grid) ? ECS_OK : build(grid);
  ecs_Status status = ecs_grid_refresh(grid->life.native, &built);
  return status == ECS_OK && !built ? ECS_OK : note_build(grid, status);
}

/* Pushes why a grid could not be built. */
static void push_refusal(lua_State *L, const LuaGrid *grid, ecs_Status status) {
  bind_push_status(L, grid->world, status, "a grid");
  if (status != ECS_E_ACCESS) return;
  lua_pushstring(L, grid->world->running
                        ? " (a system that asks a grid says so with uses = { "
                          "near }: it is built before the system runs)"
                        : " (call near:build() before)");
  lua_concat(L, 2);
}

void bind_grid_prepare(lua_State *L, LuaGrid *grid) {
  ecs_Status status;
  BIND_WITH_RELIEF(L, grid->world, status,
                   bind_grid_ready(check_open(L, grid)));
  if (ECS_LIKELY(status == ECS_OK)) return;
  push_refusal(L, grid, status);
  bind_raise(L);
}

/* near:build() */
static int grid_build(lua_State *L) {
  LuaGrid *grid = bind_grid_check(L, 1, "build");
  ecs_Status status;
  BIND_WITH_RELIEF(L, grid->world, status, build_now(check_open(L, grid)));
  return bind_check_status(L, grid->world, status, "build");
}

/* grid_ready(near): builds it before a system that uses it. Returns true; or
 * false, false and a message. */
static int grid_ready(lua_State *L) {
  LuaGrid *grid = (LuaGrid *)bind_find(L, 1, KIND_GRID);
  ecs_Status status = ECS_OK;
  if (grid && grid->life.native)
    BIND_WITH_RELIEF(L, grid->world, status,
                     bind_grid_ready(check_open(L, grid)));
  lua_pushboolean(L, status == ECS_OK);
  if (status == ECS_OK) return 1;
  lua_pushboolean(L, 0);
  push_refusal(L, grid, status);
  return 3;
}

/* grid_step(world, begins): a step of a phase begins, or all have ended. */
static int grid_step(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  world->in_step = lua_toboolean(L, 2);
  if (world->in_step) world->step++;
  return 0;
}

/* near:explain() */
static int grid_explain(lua_State *L) {
  LuaGrid *grid = bind_grid_check(L, 1, "explain");
  char text[600];
  size_t length = ecs_grid_explain(grid->life.native, text, sizeof text);
  if (length >= sizeof text) length = sizeof text - 1;
  while (length > 0 && text[length - 1] == '\n') length--;
  lua_pushlstring(L, text, length);
  return 1;
}

/* grid_terms(near): those of its query, { definition, access, ... }. */
static int grid_terms(lua_State *L) {
  const LuaGrid *grid = bind_grid_check(L, 1, "grid_terms");
  bind_push_terms(L, grid->query->terms, grid->query->term_count);
  return 1;
}

/* grid_world(near): its world. */
static int grid_world(lua_State *L) {
  if (!bind_find(L, 1, KIND_GRID)) return luaL_argerror(L, 1, "no grid");
  compat_push_private(L, 1);
  lua_getfield(L, -1, "query");
  bind_query_push_world(L, -1);
  return 1;
}

/* grid_parts(near): its query, its dimensions, and a list of the definition with
 * the position and the numbers of its fields. */
static int grid_parts(lua_State *L) {
  const LuaGrid *grid = (const LuaGrid *)bind_find(L, 1, KIND_GRID);
  if (!grid) return luaL_argerror(L, 1, "no grid");
  compat_push_private(L, 1);
  lua_getfield(L, -1, "query");
  compat_push_whole(L, grid->dimensions);
  lua_getfield(L, -3, "place");
  return 3;
}

static const luaL_Reg functions[] = {{"grid", grid_new},
                                     {"grid_parts", grid_parts},
                                     {"grid_ready", grid_ready},
                                     {"grid_step", grid_step},
                                     {"grid_world", grid_world},
                                     {"grid_terms", grid_terms},
                                     {NULL, NULL}};
static const luaL_Reg methods[] = {
    {"build", grid_build}, {"explain", grid_explain}, {NULL, NULL}};
static const luaL_Reg metamethods[] = {
    {"__gc", grid_gc}, {"__tostring", grid_tostring}, {NULL, NULL}};

void bind_open_lua_grid(lua_State *L) {
  bind_add(L, functions);
  bind_push_methods(L, KIND_GRID);
  bind_add(L, methods);
  bind_push_metatable(L, KIND_GRID);
  bind_add(L, metamethods);
  lua_pop(L, 2);
}

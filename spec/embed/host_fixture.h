/* host_fixture.h: a host's world and a Lua state, for tests of both.
 *
 * The world has one component, Position, with fields that are not in
 * alphabetical order, and one entity at x = 1, y = 2. Its memory is counted.
 */
#ifndef HOST_FIXTURE_H
#define HOST_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "ecs_kernel.h"
#include "ecs_lua.h"
#include "failing_memory.h"

#define PATH "./scripts/?.lua;./scripts/?/init.lua"

typedef struct Fixture {
  FailingMemory memory; /* allocator of the world */
  ecs_World *world;
  lua_State *L;
  ecs_Component position;
  ecs_Entity entity; /* at x = 1, y = 2 */
} Fixture;

/* Not in alphabetical order. */
typedef struct Position {
  float y, x;
} Position;

static inline void set_path(lua_State *L) {
  lua_getglobal(L, "package");
  lua_pushliteral(L, PATH);
  lua_setfield(L, -2, "path");
  lua_pop(L, 1);
}

static inline lua_State *new_state(void) {
  lua_State *L = luaL_newstate();
  assert_non_null(L);
  luaL_openlibs(L);
  set_path(L);
  assert_int_equal(ecs_lua_open(L), 0);
  assert_int_equal(lua_gettop(L), 0);
  return L;
}

static inline ecs_Component define_position(ecs_World *world) {
  static const ecs_Field fields[] = {{"y", ECS_F32, 0}, {"x", ECS_F32, 7}};
  const ecs_ComponentDescription description = {.name = "Position",
                                                .fields = fields,
                                                .field_count = 2,
                                                .storage = ECS_STORE_TABLE};
  ecs_Component component = 0;
  assert_int_equal(ecs_component(world, &description, &component), ECS_OK);
  return component;
}

static inline void define_tag(ecs_World *world, const char *name,
                              ecs_Storage storage) {
  const ecs_ComponentDescription description = {
      .name = name, .fields = NULL, .field_count = 0, .storage = storage};
  ecs_Component component;
  assert_int_equal(ecs_component(world, &description, &component), ECS_OK);
}

/* A world with one component and one entity, not pushed yet. */
static inline void start(Fixture *fixture) {
  ecs_WorldDescription description = {failing_memory_init(&fixture->memory), 0};
  assert_int_equal(ecs_world_create(&description, &fixture->world), ECS_OK);
  fixture->position = define_position(fixture->world);
  const Position at = {2, 1};
  const void *values[] = {&at};
  assert_int_equal(ecs_spawn(fixture->world, &fixture->position, 1, values,
                             &fixture->entity),
                   ECS_OK);
  fixture->L = new_state();
}

static inline void share(lua_State *L, ecs_World *world) {
  assert_int_equal(ecs_lua_push(L, world), 0);
  lua_setglobal(L, "world");
}

static inline void share_entity(Fixture *fixture) {
  share(fixture->L, fixture->world);
  lua_pushnumber(fixture->L, (lua_Number)fixture->entity);
  lua_setglobal(fixture->L, "entity");
}

static inline void finish(Fixture *fixture) {
  if (fixture->L) lua_close(fixture->L);
  ecs_world_destroy(fixture->world);
  assert_int_equal(fixture->memory.blocks, 0);
}

/* Runs a chunk that must succeed. */
static inline void run(lua_State *L, const char *chunk) {
  int top = lua_gettop(L);
  if (luaL_loadstring(L, chunk) != 0 || lua_pcall(L, 0, 0, 0) != 0)
    fail_msg("%s", lua_tostring(L, -1));
  assert_int_equal(lua_gettop(L), top);
}

/* Expects an error with a message that contains wanted; pops the message. */
static inline void refused(lua_State *L, int status, const char *wanted) {
  assert_true(status != 0 && lua_type(L, -1) == LUA_TSTRING);
  if (!strstr(lua_tostring(L, -1), wanted))
    fail_msg("'%s' lacks '%s'", lua_tostring(L, -1), wanted);
  lua_pop(L, 1);
  assert_int_equal(lua_gettop(L), 0);
}

/* Runs a chunk that must raise. */
static inline void raises(lua_State *L, const char *chunk, const char *wanted) {
  assert_int_equal(luaL_loadstring(L, chunk), 0);
  refused(L, lua_pcall(L, 0, 0, 0), wanted);
}

/* Kernels and scripts ----------------------------------------------------- */

static inline void doubling(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    float *x = call->blocks[b].columns[0];
    for (uint32_t i = 0; i < call->blocks[b].count; i++) x[i] *= 2;
  }
}

static const ecs_KernelColumn doubling_columns[] = {
    {"Position", "x", ECS_F32, ECS_WRITE}};
static const ecs_Kernel kernels[] = {
    ECS_KERNEL("double", doubling, doubling_columns)};
static const ecs_KernelLibrary library = ECS_KERNEL_LIBRARY_OF(kernels);

/* Keeps every kind of object of a world in globals. */
static const char keep[] =
    "local ecs = require 'ecs'\n"
    "local Position = ecs.component 'Position'\n"
    "query = world:query { Position }\n"
    "world:system { name = 'native', query = { Position },\n"
    "  native = 'host.double' }\n"
    "query:batch(function(b) batch = b; x = b[Position].x end)\n"
    "for _, p in query:rows() do row = p; break end\n"
    "query:each(function(p) last = p end)\n"
    "prepared = { world:getter(Position, 'x'), world:getter(Position),\n"
    "  world:tester(Position), world:tester(),\n"
    "  world:getter(Position, 'y', 'x') }\n"
    "set_x, shoot = world:setter(Position, 'x'),\n"
    "  world:spawner(Position, 'x', 'y')\n"
    "for k = 1, 100 do\n"
    "  for _, f in ipairs(prepared) do assert(f(query:first())) end\n"
    "  set_x(query:first(), 1); world:destroy(shoot(3, 4))\n"
    "end\n";

#endif

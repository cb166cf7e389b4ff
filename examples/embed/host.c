/* host.c: a C program with a script in it: a house and its thermostat.
 *
 * The house belongs to this program: its rooms, and the physics, which is a
 * kernel compiled in here. When to heat is for thermostat.lua to decide, which
 * the owner of the house may change without a compiler.
 *
 *      host.c                           thermostat.lua
 *        component Room        ---->      ecs.component "Room"
 *        kernel exchange       ---->      native = "house.exchange"
 *        ecs_component_find    <----      ecs.component("Heater", { ... })
 *        ecs_lua_progress      ---->      its systems
 *
 * Built with an installed library, for Lua 5.4 or for LuaJIT:
 *
 *      cc host.c -I/usr/include/lua5.4 -lecs_lua54 -lecs -llua5.4 -lm -ldl -pthread
 *      cc host.c -I/usr/include/luajit-2.1 -lecs_luajit -lecs -lluajit-5.1 \
 *        -lm -ldl -pthread
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ecs_kernel.h"
#include "ecs_lua.h"

#define ROOMS 4
#define STEP 10.0 /* seconds of a frame */
#define HOURS 3

/* Complains and ends the program unless the claim holds. */
static void check(bool claim, const char *what) {
  if (claim) return;
  fprintf(stderr, "host: not so: %s\n", what);
  exit(1);
}

/* The functions of ecs_lua.h answer like lua_pcall: 0, or a status and a
 * message on the stack. */
static void check_lua(lua_State *L, int status) {
  if (status != 0) check(false, lua_tostring(L, -1));
}

/* What the script sees of a room: a component with two fields. A struct with
 * the same fields in the same order is its image. */
typedef struct Room {
  float temperature; /* degrees Celsius */
  float leak;        /* part of the difference to outside lost in a second */
} Room;

static ecs_Component define_room(ecs_World *world) {
  static const ecs_Field fields[] = {{"temperature", ECS_F32, 10},
                                     {"leak", ECS_F32, 1e-4}};
  const ecs_ComponentDescription description = {.name = "Room",
                                                .fields = fields,
                                                .field_count = 2,
                                                .storage = ECS_STORE_TABLE};
  ecs_Component room = 0;
  check(ecs_component(world, &description, &room) == ECS_OK, "Room is defined");
  return room;
}

/* The physics: a kernel over columns, as in a library of its own. Heater is a
 * component of the script; that it has a power is checked when the script names
 * this kernel in a system. */
static void exchange(const ecs_KernelCall *call) {
  const float outside = 5, seconds = (float)call->dt;
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    float *temperature = block->columns[0];
    const float *leak = block->columns[1];
    const float *power = block->columns[2];
    ECS_EACH_ROW(i, block) {
      float lost = (temperature[i] - outside) * leak[i];
      temperature[i] += (power[i] * 2e-6f - lost) * seconds;
    }
  }
}

static const ecs_KernelColumn exchange_columns[] = {
    {"Room", "temperature", ECS_F32, ECS_WRITE},
    {"Room", "leak", ECS_F32, ECS_READ},
    {"Heater", "power", ECS_F32, ECS_READ}};
static const ecs_Kernel kernels[] = {
    ECS_KERNEL("exchange", exchange, exchange_columns)};
static const ecs_KernelLibrary house = ECS_KERNEL_LIBRARY_OF(kernels);

/* Loads the script and calls it with the world as its argument. */
static void run_script(lua_State *L, ecs_World *world, const char *path) {
  check_lua(L, luaL_loadfile(L, path));
  check_lua(L, ecs_lua_push(L, world));
  check_lua(L, lua_pcall(L, 1, 0, 0));
}

/* A field of a script's component is found by its name: its fields are in
 * alphabetical order, but why rely on it? */
static double field_of(const ecs_World *world, ecs_Entity entity,
                       const char *component_name, const char *field_name) {
  ecs_Component component = ecs_component_find(world, component_name);
  ecs_FieldInfo info;
  double value = 0;
  uint32_t field = 0;
  while (ecs_component_field(world, component, field, &info) == ECS_OK &&
         strcmp(info.name, field_name) != 0)
    field++;
  check(ecs_get_field(world, entity, component, field, &value) == ECS_OK,
        field_name);
  return value;
}

/* Frame by frame; returns the kilowatt-hours that the script has spent. */
static double live(lua_State *L, ecs_World *world, const ecs_Entity *rooms) {
  double joules = 0;
  for (int frame = 0; frame < HOURS * 3600 / (int)STEP; frame++) {
    check_lua(L, ecs_lua_progress(L, world, STEP));
    for (int r = 0; r < ROOMS; r++)
      joules += field_of(world, rooms[r], "Heater", "power") * STEP;
  }
  return joules / 3.6e6;
}

/* The host ends the world while the state lives on. What scripts kept of it,
 * here a global function that asks for a temperature, gets a plain error. */
static void end(lua_State *L, ecs_World *world) {
  check_lua(L, ecs_lua_detach(L, world));
  ecs_world_destroy(world);
  lua_getglobal(L, "coldest");
  check(lua_pcall(L, 0, 1, 0) != 0, "asking too late is an error");
  check(strstr(lua_tostring(L, -1), "is closed") != NULL, lua_tostring(L, -1));
  lua_pop(L, 1);
}

int main(int count, char **arguments) {
  const char *script =
      count > 1 ? arguments[1] : "examples/embed/thermostat.lua";
  ecs_World *world = NULL;
  ecs_Entity rooms[ROOMS];
  check(ecs_world_create(NULL, &world) == ECS_OK, "there is a world");
  ecs_Component room = define_room(world);
  for (int r = 0; r < ROOMS; r++) {
    const Room image = {10, 5e-5f * (float)(r + 1)};
    const void *values[] = {&image};
    check(ecs_spawn(world, &room, 1, values, &rooms[r]) == ECS_OK, "a room");
  }

  lua_State *L = luaL_newstate();
  check(L != NULL, "there is a Lua state");
  luaL_openlibs(L);
  check_lua(L, ecs_lua_open(L));
  check_lua(L, ecs_lua_library(L, "house", &house));
  run_script(L, world, script);
  double spent = live(L, world, rooms);

  for (int r = 0; r < ROOMS; r++) {
    Room image;
    check(ecs_get(world, rooms[r], room, &image) == ECS_OK, "a room is there");
    printf("room %d: %.1f degrees\n", r + 1, (double)image.temperature);
    check(image.temperature > 19 && image.temperature < 21, "it is warm");
  }
  printf("%.1f kWh in %d hours\n", spent, HOURS);
  check(spent > 1 && spent < 20, "heating has a price");

  end(L, world);
  lua_close(L);
  return 0;
}

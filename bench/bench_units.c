/* bench_units.c: updates that use some of what a unit has.
 *
 * The workload of a talk on data-oriented design: 100,000 units of a position
 * and a velocity (three f32 each), hp (i32), and 0, 32, 64 or 128 bytes that no
 * update uses. Inside the timer: three updates in sequence, of all units
 * (baseline/unit_loops.h). A time is per unit, for all three. The same loops
 * are compiled at -O2 and at -O3, on both sides.
 *
 * - columns: native kernels, against the same loops over arrays by hand. The
 *   unused bytes are a component of their own; by hand, an array of their own.
 * - structs: the same, against an array of structs that contain them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/unit_loops.h"
#include "scene.h"

#define SIZE 100000u
#define TIME_STEP 0.00001f
#define BYTES_OF_FIELDS 28u

typedef struct Units {
  const UnitLoops *loops;
  uint32_t size, padding; /* padding: its position in unit_paddings */
  UnitColumns columns;    /* by hand */
  char *unused;
  char *structs; /* by hand */
  ecs_World *world;
  ecs_Query *reader; /* of positions and velocities */
  ecs_KernelBinding *systems[3];
  uint64_t drawn; /* by the side that runs, since the beginning */
} Units;

static float start_of(uint32_t number, uint32_t axis) {
  return (float)(int32_t)((number * 7 + axis * 13) % 1000);
}

static float speed_of(uint32_t number, uint32_t axis) {
  return (float)(int32_t)((number + axis) % 100) - 50;
}

static int32_t hp_of(uint32_t number) { return (int32_t)number; }

/* By hand ----------------------------------------------------------------- */

/* The columns are one block, which the first one owns; each starts on a line of
 * 64 bytes, and there is a line between them. */
static void make_columns(Units *units) {
  size_t stride = (units->size + 15u) / 16u * 16u + 16u;
  float *block = aligned_alloc(64, 7 * stride * sizeof *block);
  if (block == NULL) measure_fail("units", "no memory");
  for (uint32_t axis = 0; axis < 3; axis++) {
    units->columns.position[axis] = block + axis * stride;
    units->columns.velocity[axis] = block + (axis + 3) * stride;
  }
  units->columns.hp = (int32_t *)(block + 6 * stride);
  units->unused =
      scene_allocate(units->size, unit_paddings[units->padding] + 1);
  for (uint32_t i = 0; i < units->size; i++) {
    for (uint32_t axis = 0; axis < 3; axis++) {
      units->columns.position[axis][i] = start_of(i, axis);
      units->columns.velocity[axis][i] = speed_of(i, axis);
    }
    units->columns.hp[i] = hp_of(i);
  }
}

static size_t struct_bytes(const Units *units) {
  return BYTES_OF_FIELDS + unit_paddings[units->padding];
}

static void make_structs(Units *units) {
  units->structs = scene_allocate(units->size, struct_bytes(units));
  for (uint32_t i = 0; i < units->size; i++) {
    Unit0 unit = {.hp = hp_of(i)};
    for (uint32_t axis = 0; axis < 3; axis++) {
      unit.position[axis] = start_of(i, axis);
      unit.velocity[axis] = speed_of(i, axis);
    }
    memcpy(units->structs + i * struct_bytes(units), &unit, sizeof unit);
  }
}

static void columns_run(void *state, uint32_t iterations) {
  Units *units = state;
  UnitColumns *columns = &units->columns;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t axis = 0; axis < 3; axis++)
      units->loops->move(columns->position[axis], columns->velocity[axis],
                         TIME_STEP, units->size);
    units->loops->damage(columns->hp, units->size);
    units->drawn +=
        units->loops->draw(columns->position[0], columns->position[1],
                           columns->position[2], units->size);
  }
}

static void structs_run(void *state, uint32_t iterations) {
  Units *units = state;
  const UnitStructLoops *ways = &units->loops->structs[units->padding];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    ways->move(units->structs, TIME_STEP, units->size);
    ways->damage(units->structs, units->size);
    units->drawn += ways->draw(units->structs, units->size);
  }
}

/* Hashes one unit. */
static uint64_t unit_hash(const float *values, int32_t hp) {
  const float *columns[6];
  for (uint32_t k = 0; k < 6; k++) columns[k] = &values[k];
  return measure_mix(measure_hash(columns, 6, 1), (uint32_t)hp);
}

/* Columns of the same units, in this order. */
static uint64_t columns_hash(void *const *columns, uint32_t count) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < count; i++) {
    float values[6];
    for (uint32_t k = 0; k < 6; k++) values[k] = ((const float *)columns[k])[i];
    hash += unit_hash(values, ((const int32_t *)columns[6])[i]);
  }
  return hash;
}

static uint64_t columns_check(void *state) {
  Units *units = state;
  UnitColumns *by_hand = &units->columns;
  void *columns[7];
  for (uint32_t axis = 0; axis < 3; axis++) {
    columns[axis] = by_hand->position[axis];
    columns[axis + 3] = by_hand->velocity[axis];
  }
  columns[6] = by_hand->hp;
  return measure_mix(units->drawn, columns_hash(columns, units->size));
}

static uint64_t structs_check(void *state) {
  Units *units = state;
  uint64_t hash = 0;
  for (uint32_t i = 0; i < units->size; i++) {
    Unit0 unit;
    float values[6];
    memcpy(&unit, units->structs + i * struct_bytes(units), sizeof unit);
    memcpy(values, unit.position, sizeof unit.position);
    memcpy(values + 3, unit.velocity, sizeof unit.velocity);
    hash += unit_hash(values, unit.hp);
  }
  return measure_mix(units->drawn, hash);
}

/* Ours -------------------------------------------------------------------- */

static void move_rows(const ecs_KernelCall *call) {
  const UnitLoops *loops = ((Units *)call->user)->loops;
  for (uint32_t k = 0; k < call->block_count; k++) {
    const ecs_KernelBlock *block = &call->blocks[k];
    for (uint32_t axis = 0; axis < 3; axis++)
      loops->move(block->columns[axis], block->columns[axis + 3],
                  (float)call->dt, block->count);
  }
}

static void damage_rows(const ecs_KernelCall *call) {
  const UnitLoops *loops = ((Units *)call->user)->loops;
  for (uint32_t k = 0; k < call->block_count; k++)
    loops->damage(call->blocks[k].columns[0], call->blocks[k].count);
}

static void draw_rows(const ecs_KernelCall *call) {
  Units *units = call->user;
  for (uint32_t k = 0; k < call->block_count; k++) {
    const ecs_KernelBlock *block = &call->blocks[k];
    units->drawn += units->loops->draw(block->columns[0], block->columns[1],
                                       block->columns[2], block->count);
  }
}

static const ecs_KernelColumn columns_used[] = {
    {"Position", "f0", ECS_F32, ECS_WRITE},
    {"Position", "f1", ECS_F32, ECS_WRITE},
    {"Position", "f2", ECS_F32, ECS_WRITE},
    {"Velocity", "f0", ECS_F32, ECS_READ},
    {"Velocity", "f1", ECS_F32, ECS_READ},
    {"Velocity", "f2", ECS_F32, ECS_READ},
    {"Hp", "hp", ECS_I32, ECS_WRITE},
    {"Position", "f0", ECS_F32, ECS_READ},
    {"Position", "f1", ECS_F32, ECS_READ},
    {"Position", "f2", ECS_F32, ECS_READ}};
static const ecs_Kernel kernels[3] = {
    {"move", move_rows, columns_used, 6, 0, NULL, NULL},
    {"damage", damage_rows, columns_used + 6, 1, 0, NULL, NULL},
    {"draw", draw_rows, columns_used + 7, 3, 0, NULL, NULL}};

static void world_run(void *state, uint32_t iterations) {
  Units *units = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    for (uint32_t k = 0; k < 3; k++) {
      ecs_KernelCall call = {.dt = (double)TIME_STEP, .user = units};
      MUST(ecs_kernel_run(units->systems[k], &call));
    }
}

static uint64_t world_check(void *state) {
  Units *units = state;
  uint64_t hash = 0;
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_query_begin(units->reader, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch))
    hash += columns_hash(batch.columns, batch.count);
  MUST(ecs_cursor_end(&cursor));
  return measure_mix(units->drawn, hash);
}

static ecs_Component hp_component(ecs_World *world) {
  const ecs_Field field = {.name = "hp", .type = ECS_I32};
  const ecs_ComponentDescription description = {
      .name = "Hp", .fields = &field, .field_count = 1};
  ecs_Component component = 0;
  MUST(ecs_component(world, &description, &component));
  return component;
}

/* Bytes that are not used, as f64. */
static ecs_Component rest_component(ecs_World *world, uint32_t bytes) {
  static const char *const names[] = {"f0",  "f1",  "f2",  "f3", "f4",  "f5",
                                      "f6",  "f7",  "f8",  "f9", "f10", "f11",
                                      "f12", "f13", "f14", "f15"};
  ecs_Field fields[16];
  for (uint32_t k = 0; k < bytes / 8; k++)
    fields[k] = (ecs_Field){.name = names[k], .type = ECS_F64};
  const ecs_ComponentDescription description = {
      .name = "Rest", .fields = fields, .field_count = bytes / 8};
  ecs_Component component = 0;
  MUST(ecs_component(world, &description, &component));
  return component;
}

static void fill_world(Units *units, const ecs_Component *components) {
  ecs_Bundle bundle = 0;
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_bundle(units->world, components, 4, &bundle));
  MUST(ecs_spawn_many(units->world, bundle, units->size, &cursor));
  for (uint32_t number = 0; ecs_cursor_next(&cursor, &batch);)
    for (uint32_t row = 0; row < batch.count; row++, number++) {
      for (uint32_t axis = 0; axis < 3; axis++) {
        ((float *)batch.columns[axis])[row] = start_of(number, axis);
        ((float *)batch.columns[axis + 3])[row] = speed_of(number, axis);
      }
      ((int32_t *)batch.columns[6])[row] = hp_of(number);
    }
  MUST(ecs_cursor_end(&cursor));
}

static void make_world(Units *units) {
  ecs_World *world = units->world = scene_world();
  const ecs_Component components[4] = {
      scene_component(world, "Position", 3, ECS_STORE_TABLE),
      scene_component(world, "Velocity", 3, ECS_STORE_TABLE),
      hp_component(world),
      rest_component(world, unit_paddings[units->padding])};
  units->reader = scene_query(world, components, 3, ECS_READ);
  fill_world(units, components);
  const ecs_Term terms[][2] = {
      {{components[0], ECS_WRITE}, {components[1], ECS_READ}},
      {{components[2], ECS_WRITE}, {0}},
      {{components[0], ECS_READ}, {0}}};
  for (uint32_t k = 0; k < 3; k++) {
    ecs_Query *query = NULL;
    MUST(ecs_query_create(world, terms[k], k == 0 ? 2 : 1, &query));
    MUST(ecs_kernel_bind(query, &kernels[k], &units->systems[k], NULL));
  }
}

/* Rows -------------------------------------------------------------------- */

static void units_deinit(Units *units) {
  free(units->columns.position[0]);
  free(units->unused);
  free(units->structs);
  ecs_world_destroy(units->world);
}

static void bench(const UnitLoops *at, uint32_t padding, bool beside_structs) {
  char name[64];
  snprintf(name, sizeof name, "units %s, %u bytes, beside %s", at->level,
           unit_paddings[padding], beside_structs ? "structs" : "columns");
  if (!measure_wanted(name)) return;
  Units hand = {.loops = at, .size = measure_size(SIZE), .padding = padding};
  Units ours = hand;
  make_world(&ours);
  if (beside_structs)
    make_structs(&hand);
  else
    make_columns(&hand);
  measure_row(&(MeasureRow){
      .name = name,
      .order = "in order",
      .memory = "warm",
      .size = SIZE,
      .operations = ours.size,
      .aim_ratio = beside_structs ? 0 : 1.05,
      .hand = {&hand, NULL, beside_structs ? structs_run : columns_run,
               beside_structs ? structs_check : columns_check},
      .ours = {&ours, NULL, world_run, world_check}});
  units_deinit(&hand);
  units_deinit(&ours);
}

int main(int argument_count, char **arguments) {
  const UnitLoops *const levels[] = {&unit_loops_o2, &unit_loops_o3};
  measure_open(argument_count, arguments, "units");
  for (uint32_t level = 0; level < 2; level++)
    for (uint32_t padding = 0; padding < UNIT_PADDINGS; padding++) {
      bench(levels[level], padding, false);
      bench(levels[level], padding, true);
    }
  measure_close();
  return 0;
}

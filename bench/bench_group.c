/* bench_group.c: components that are stored together, and apart again.
 *
 * Every entity has a position and a velocity of two f32 and a health of one; a
 * half also has a sparse component of two. One iteration moves components to a
 * group of their own and back to the main group. Times are per row and moved
 * component, of each of the two moves: all rows of the groups that give or take
 * are copied, with the components that stay, too.
 *
 * By hand: the columns of the moved components alone are copied twice, into
 * memory that is allocated for it, as that of the library is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

typedef struct Move {
  ecs_World *world;
  ecs_Query *all;
  ecs_Component moved[2];
  uint32_t moved_count;
  uint32_t size;
  uint32_t columns; /* of the moved components */
  float *column;    /* by hand: one of them, which stands for all */
} Move;

static void move_there_and_back(void *state, uint32_t iterations) {
  Move *move = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    MUST(ecs_group(move->world, move->moved, move->moved_count));
    MUST(ecs_ungroup(move->world, move->moved, move->moved_count));
  }
}

static void to_bits_and_back(void *state, uint32_t iterations) {
  Move *move = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    MUST(ecs_group_bits(move->world, move->moved, move->moved_count));
    MUST(ecs_ungroup(move->world, move->moved, move->moved_count));
  }
}

static void to_bits_and_apart(void *state, uint32_t iterations) {
  Move *move = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    MUST(ecs_group_bits(move->world, move->moved, move->moved_count));
    MUST(ecs_group(move->world, move->moved, move->moved_count));
  }
}

static void copy_by_hand(void *state, uint32_t iterations) {
  Move *move = state;
  size_t bytes = move->size * sizeof(float);
  for (uint32_t turn = 0; turn < 2 * iterations; turn++) {
    for (uint32_t k = 0; k < move->columns; k++) {
      float *copy = scene_allocate(move->size, sizeof *copy);
      memcpy(copy, move->column, bytes);
      free(move->column);
      move->column = copy;
    }
  }
}

static uint64_t move_check(void *state) {
  Move *move = state;
  return scene_hash(move->all);
}

static uint64_t state_check(void *state) {
  Move *move = state;
  return ecs_world_state_hash(move->world);
}

static uint64_t hand_check(void *state) {
  Move *move = state;
  for (uint32_t i = 0; i < move->size; i += 997)
    if (move->column[i] != (float)(int32_t)i)
      measure_fail("move by hand", "a value is lost");
  return scene_hash(move->all);
}

static void bench_move(const char *name, uint32_t size, bool two, bool sparse) {
  if (!measure_wanted(name)) return;
  ecs_World *world = scene_world();
  ecs_Component parts[3] = {
      scene_component(world, "Position", 2, ECS_STORE_TABLE),
      scene_component(world, "Velocity", 2, ECS_STORE_TABLE),
      scene_component(world, "Health", 1, ECS_STORE_TABLE)};
  ecs_Component burn = scene_component(world, "Burn", 2, ECS_STORE_SPARSE);
  ecs_Entity *entities = scene_allocate(size, sizeof *entities);
  scene_spawn(world, parts, 3, size, entities);
  for (uint32_t i = 0; i < size; i += 2)
    MUST(ecs_add(world, entities[i], burn, NULL));
  free(entities);
  Move move = {.world = world,
               .moved = {sparse ? burn : parts[1], parts[2]},
               .moved_count = two ? 2 : 1,
               .size = size,
               .columns = two ? 3 : 2,
               .column = scene_allocate(size, sizeof(float))};
  for (uint32_t i = 0; i < size; i++) move.column[i] = (float)(int32_t)i;
  move.all = scene_query(world, parts, 3, ECS_READ);
  measure_row(
      &(MeasureRow){.name = name,
                    .order = "in order",
                    .memory = "warm",
                    .size = size,
                    .operations = (uint64_t)2 * size * move.moved_count,
                    .aim_nanoseconds = 15,
                    .hand = {&move, NULL, copy_by_hand, hand_check},
                    .ours = {&move, NULL, move_there_and_back, move_check}});
  free(move.column);
  ecs_world_destroy(world);
}

/* Tags that a half and a third of the entities have. By hand there is nothing to
 * compare with: one column of a byte for each row would be written. */
static void bench_bits(const char *name, uint32_t size, bool two, bool apart) {
  if (!measure_wanted(name)) return;
  ecs_World *world = scene_world();
  ecs_Component parts[3] = {
      scene_component(world, "Position", 2, ECS_STORE_TABLE),
      scene_component(world, "Velocity", 2, ECS_STORE_TABLE),
      scene_component(world, "Health", 1, ECS_STORE_TABLE)};
  ecs_Component tags[2] = {scene_component(world, "Dizzy", 0, ECS_STORE_TABLE),
                           scene_component(world, "Wet", 0, ECS_STORE_TABLE)};
  ecs_Entity *entities = scene_allocate(size, sizeof *entities);
  scene_spawn(world, parts, 3, size, entities);
  for (uint32_t i = 0; i < size; i++) {
    if (i % 2 == 0) MUST(ecs_add(world, entities[i], tags[0], NULL));
    if (i % 3 == 0) MUST(ecs_add(world, entities[i], tags[1], NULL));
  }
  free(entities);
  Move move = {.world = world,
               .moved = {tags[0], tags[1]},
               .moved_count = two ? 2 : 1,
               .size = size};
  measure_row(&(MeasureRow){
      .name = name,
      .order = "in order",
      .memory = "warm",
      .size = size,
      .operations = (uint64_t)2 * size * move.moved_count,
      .aim_nanoseconds = 15,
      .ours = {&move, NULL, apart ? to_bits_and_apart : to_bits_and_back,
               state_check},
      .expected = ecs_world_state_hash(world)});
  ecs_world_destroy(world);
}

int main(int argument_count, char **arguments) {
  static const uint32_t sizes[] = {100000, 1000000};
  measure_open(argument_count, arguments, "group");
  for (uint32_t k = 0; k < 2; k++) {
    bench_move("group and ungroup one of three", sizes[k], false, false);
    bench_move("group and ungroup two of three", sizes[k], true, false);
    bench_move("ungroup a sparse component, group it", sizes[k], false, true);
    bench_bits("a tag to bits and to tables", sizes[k], false, false);
    bench_bits("two tags to bits and to tables", sizes[k], true, false);
    bench_bits("a tag to bits and to a sparse set", sizes[k], false, true);
  }
  measure_close();
  return 0;
}

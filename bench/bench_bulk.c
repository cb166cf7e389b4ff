/* bench_bulk.c: what a change of every match of a query costs, per entity.
 *
 * Specifications. There are 10k or 64k entities with two components of two f32,
 * all of which match; memory is warm. Before each change its opposite is made,
 * untimed:
 *
 * - bulk add: a component of two f32 is added, with values: in the group of the
 *   others, in a sparse set of its own, or as a tag in either way or as bits.
 *   No entity has the component before.
 * - bulk remove: the component is removed from all entities.
 * - bulk set: the component is present, and one of its fields is set.
 * - bulk destroy: all entities are destroyed.
 * - of every second: the query also requires a tag, stored sparse or as bits,
 *   that every second entity has, or only the sparse tag. Times are per match.
 *
 * The hand-written side has two structures of arrays, one with and one without
 * the component, and an array with the place of each entity. Rows are moved by
 * memcpy, column by column. The hand-written sparse set is a pair of arrays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#define MOST_COLUMNS 6u
#define SIZE_10K 10000u

/* By hand ----------------------------------------------------------------- */

typedef struct HandTable {
  uint32_t *ids;
  float *columns[MOST_COLUMNS];
  uint32_t column_count;
  uint32_t count;
} HandTable;

typedef struct HandPlace {
  uint32_t table, row;
} HandPlace;

typedef struct Hand {
  HandTable tables[2]; /* without, and with the component */
  HandPlace *places;   /* by id */
  uint32_t size;
} Hand;

static void hand_init(Hand *hand, uint32_t size) {
  *hand = (Hand){.size = size};
  hand->places = scene_allocate(size, sizeof *hand->places);
  for (uint32_t t = 0; t < 2; t++) {
    HandTable *table = &hand->tables[t];
    table->column_count = t == 0 ? 4 : 6;
    table->ids = scene_allocate(size, sizeof *table->ids);
    for (uint32_t k = 0; k < table->column_count; k++)
      table->columns[k] = scene_allocate(size, sizeof(float));
  }
}

static void hand_deinit(Hand *hand) {
  for (uint32_t t = 0; t < 2; t++) {
    free(hand->tables[t].ids);
    for (uint32_t k = 0; k < hand->tables[t].column_count; k++)
      free(hand->tables[t].columns[k]);
  }
  free(hand->places);
}

static void hand_spawn(Hand *hand) {
  HandTable *table = &hand->tables[0];
  for (uint32_t i = 0; i < hand->size; i++) {
    table->ids[i] = i;
    hand->places[i] = (HandPlace){0, i};
    for (uint32_t k = 0; k < 4; k++)
      table->columns[k][i] = (float)(int32_t)(i + k * SCENE_FIELD_STEP);
  }
  table->count = hand->size;
}

/* Moves all rows to the end of the other table. */
static void hand_move(Hand *hand, uint32_t from_table, uint32_t to_table) {
  HandTable *from = &hand->tables[from_table], *to = &hand->tables[to_table];
  uint32_t count = from->count, first = to->count;
  for (uint32_t k = 0; k < 4; k++)
    memcpy(to->columns[k] + first, from->columns[k], count * sizeof(float));
  memcpy(to->ids + first, from->ids, count * sizeof *to->ids);
  for (uint32_t i = first; i < first + count; i++)
    hand->places[to->ids[i]] = (HandPlace){to_table, i};
  for (uint32_t k = 4; k < to->column_count; k++)
    for (uint32_t i = first; i < first + count; i++)
      to->columns[k][i] = (float)k;
  to->count += count;
  from->count = 0;
}

/* Moves the rows with an even id to the end of the other table; the remaining
 * rows close up. */
static void hand_move_half(Hand *hand, uint32_t from_table, uint32_t to_table) {
  HandTable *from = &hand->tables[from_table], *to = &hand->tables[to_table];
  uint32_t kept = 0;
  for (uint32_t i = 0; i < from->count; i++) {
    uint32_t id = from->ids[i];
    bool moves = id % 2 == 0;
    HandTable *table = moves ? to : from;
    uint32_t row = moves ? to->count++ : kept++;
    table->ids[row] = id;
    for (uint32_t k = 0; k < 4; k++)
      table->columns[k][row] = from->columns[k][i];
    for (uint32_t k = 4; moves && k < to->column_count; k++)
      to->columns[k][row] = (float)k;
    hand->places[id] = (HandPlace){moves ? to_table : from_table, row};
  }
  from->count = kept;
}

/* Rows ------------------------------------------------------------------- */

typedef enum Work { WORK_ADD, WORK_REMOVE, WORK_SET, WORK_DESTROY } Work;

typedef struct Bulk {
  ecs_World *world;
  ecs_Component others[2];
  ecs_Component changing;
  bool is_tag;
  uint32_t size;
  Work work;
  bool half;          /* only every second entity */
  ecs_Query *all;     /* over the components that stay */
  ecs_Query *query;   /* over the entities that change */
  ecs_Query *changed; /* over the component that changes */
  Hand hand;
} Bulk;

static const float added[2] = {4, 5}; /* as in hand_move */

static void bulk_add(Bulk *bulk) {
  MUST(ecs_query_add_all(bulk->query, bulk->changing,
                         bulk->is_tag ? NULL : added));
}

static void bulk_remove(Bulk *bulk) {
  MUST(ecs_query_remove_all(bulk->query, bulk->changing));
}

static void bulk_prepare(void *state) {
  Bulk *bulk = state;
  switch (bulk->work) {
    case WORK_ADD: bulk_remove(bulk); break;
    case WORK_REMOVE:
    case WORK_SET: bulk_add(bulk); break;
    default:
      MUST(ecs_query_destroy_all(bulk->query));
      scene_spawn(bulk->world, bulk->others, 2, bulk->size, NULL);
      break;
  }
}

static void bulk_run(void *state, uint32_t iterations) {
  Bulk *bulk = state;
  const float values[2] = {8, 9};
  for (uint32_t turn = 0; turn < iterations; turn++) {
    switch (bulk->work) {
      case WORK_ADD: bulk_add(bulk); break;
      case WORK_REMOVE: bulk_remove(bulk); break;
      case WORK_SET:
        MUST(ecs_query_set_all(bulk->query, bulk->changing, values, 1));
        break;
      default: MUST(ecs_query_destroy_all(bulk->query)); break;
    }
  }
}

static uint64_t bulk_check(void *state) {
  Bulk *bulk = state;
  uint64_t hash =
      measure_mix(scene_hash(bulk->all), scene_count(bulk->changed));
  return bulk->is_tag ? hash : measure_mix(hash, scene_hash(bulk->changed));
}

static void hand_change(Bulk *bulk, bool adds) {
  uint32_t from = adds ? 0 : 1;
  if (bulk->half)
    hand_move_half(&bulk->hand, from, 1 - from);
  else
    hand_move(&bulk->hand, from, 1 - from);
}

static void hand_prepare(void *state) {
  Bulk *bulk = state;
  Hand *hand = &bulk->hand;
  switch (bulk->work) {
    case WORK_ADD: hand_change(bulk, false); break;
    case WORK_REMOVE:
    case WORK_SET: hand_change(bulk, true); break;
    default: hand_spawn(hand); break;
  }
}

static void hand_run(void *state, uint32_t iterations) {
  Bulk *bulk = state;
  Hand *hand = &bulk->hand;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    switch (bulk->work) {
      case WORK_ADD: hand_change(bulk, true); break;
      case WORK_REMOVE: hand_change(bulk, false); break;
      case WORK_SET:
        for (uint32_t i = 0; i < hand->tables[1].count; i++)
          hand->tables[1].columns[4][i] = 8;
        break;
      default:
        for (uint32_t i = 0; i < hand->tables[0].count; i++)
          hand->places[hand->tables[0].ids[i]] = (HandPlace){UINT32_MAX, 0};
        hand->tables[0].count = 0;
        break;
    }
  }
}

/* Both tables hashed like one store: the hash ignores the order of rows. */
static uint64_t hand_check(void *state) {
  const Bulk *bulk = state;
  const HandTable *tables = bulk->hand.tables;
  uint64_t hash = 0;
  for (uint32_t t = 0; t < 2; t++)
    hash += measure_hash((const float *const *)tables[t].columns, 4,
                         tables[t].count);
  hash = measure_mix(hash, tables[1].count);
  return bulk->is_tag
             ? hash
             : measure_mix(
                   hash,
                   measure_hash((const float *const *)&tables[1].columns[4], 2,
                                tables[1].count));
}

/* Makes the world, its entities, and the same by hand. */
static void bulk_init(Bulk *bulk, ecs_Storage storage) {
  bulk->world = scene_world();
  scene_components(bulk->world, "Other", 2, bulk->others);
  bulk->changing =
      scene_component(bulk->world, "Changing", bulk->is_tag ? 0 : 2, storage);
  bulk->all = bulk->query = scene_query(bulk->world, bulk->others, 2, ECS_READ);
  bulk->changed = scene_query(bulk->world, &bulk->changing, 1, ECS_READ);
  hand_init(&bulk->hand, bulk->size);
  hand_spawn(&bulk->hand);
}

static void bulk_row(Bulk *bulk, const char *name, double aim) {
  measure_row(
      &(MeasureRow){.name = name,
                    .order = "in order",
                    .memory = "warm",
                    .size = bulk->size,
                    .operations = bulk->half ? bulk->size / 2 : bulk->size,
                    .aim_nanoseconds = aim,
                    .hand = {bulk, hand_prepare, hand_run, hand_check},
                    .ours = {bulk, bulk_prepare, bulk_run, bulk_check}});
  ecs_world_destroy(bulk->world);
  hand_deinit(&bulk->hand);
}

static const char *const works[] = {"add", "remove", "set", "destroy"};

static void bench(const char *what, Work work, uint32_t size,
                  ecs_Storage storage, bool is_tag, double aim) {
  char name[64];
  snprintf(name, sizeof name, "bulk %s%s", works[work], what);
  if (!measure_wanted(name)) return;
  Bulk bulk = {.is_tag = is_tag, .size = size, .work = work};
  bulk_init(&bulk, storage);
  scene_spawn(bulk.world, bulk.others, 2, size, NULL);
  bulk_row(&bulk, name, aim);
}

/* With one term, the query requires the tag alone. */
static void bench_half(const char *what, Work work, uint32_t size,
                       ecs_Storage storage, uint32_t term_count) {
  char name[64];
  snprintf(name, sizeof name, "bulk %s, %s", works[work], what);
  if (!measure_wanted(name)) return;
  Bulk bulk = {.size = size, .work = work, .half = true};
  bulk_init(&bulk, ECS_STORE_TABLE);
  ecs_Entity *entities = scene_allocate(size, sizeof *entities);
  scene_spawn(bulk.world, bulk.others, 2, size, entities);
  ecs_Component mark = scene_component(bulk.world, "Mark", 0, storage);
  for (uint32_t i = 0; i < size; i += 2)
    MUST(ecs_add(bulk.world, entities[i], mark, NULL));
  free(entities);
  const ecs_Term terms[] = {{mark, ECS_WITH}, {bulk.others[0], ECS_READ}};
  MUST(ecs_query_create(bulk.world, terms, term_count, &bulk.query));
  bulk_row(&bulk, name, 0);
}

int main(int argument_count, char **arguments) {
  static const uint32_t sizes[] = {SIZE_10K, SCENE_64K};
  measure_open(argument_count, arguments, "bulk");
  for (uint32_t k = 0; k < 2; k++) {
    uint32_t size = sizes[k];
    double aim = k == 0 ? 3 : 0;
    for (Work work = WORK_ADD; work <= WORK_REMOVE; work++) {
      bench(", component in the group", work, size, ECS_STORE_TABLE, false,
            aim);
      bench(", sparse component", work, size, ECS_STORE_SPARSE, false, aim);
      bench(", tag in the group", work, size, ECS_STORE_TABLE, true, aim);
      bench(", sparse tag", work, size, ECS_STORE_SPARSE, true, aim);
      bench(", tag as bits", work, size, ECS_STORE_BITS, true, aim);
    }
    bench(", one field in the group", WORK_SET, size, ECS_STORE_TABLE, false,
          0);
    bench(", one field, sparse", WORK_SET, size, ECS_STORE_SPARSE, false, 0);
    bench("", WORK_DESTROY, size, ECS_STORE_TABLE, false, 0);
    for (Work work = WORK_ADD; work <= WORK_REMOVE; work++) {
      bench_half("of every second by bits", work, size, ECS_STORE_BITS, 2);
      bench_half("of every second, sparse", work, size, ECS_STORE_SPARSE, 2);
      bench_half("of every second, tag only", work, size, ECS_STORE_SPARSE, 1);
    }
  }
  measure_close();
  return 0;
}

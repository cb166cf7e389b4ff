/* bench_game.c: what games do between their loops.
 *
 * - hp -= 1: an i32 of every one of 64k entities is read and written, in random
 *   order, one entity at a time. By hand: a map from id to row, and the column.
 * - churn: half of 64k entities have a sparse component of an i32 and an
 *   entity. A frame removes it from an eighth of all and adds it to another
 *   eighth, in random order; a time is that of a pair. By hand: a sparse set.
 * - cursor: a query over two components of two f32 is begun, every row moved,
 *   and ended, in a world of few entities; a time is that of one such walk. By
 *   hand: the loop. */
#include <stdlib.h>

#include "baseline/hand_rows.h"
#include "baseline/loops.h"
#include "scene.h"

#define SIZE SCENE_64K

/* Hit points -------------------------------------------------------------- */

typedef struct Hits {
  ecs_World *world;
  ecs_Component health;
  ecs_Accessor accessor;
  ecs_Entity *entities; /* in random order */
  uint32_t *order;      /* the same, as ids */
  uint32_t *rows;       /* by id */
  int32_t *points;      /* by row */
} Hits;

static ecs_Component hits_component(ecs_World *world, ecs_Storage storage) {
  ecs_Field field = {.name = "hp", .type = ECS_I32};
  ecs_ComponentDescription description = {
      .name = "Health", .fields = &field, .field_count = 1, .storage = storage};
  ecs_Component component = 0;
  MUST(ecs_component(world, &description, &component));
  return component;
}

static void hit_by_accessor(void *state, uint32_t iterations) {
  Hits *hits = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < SIZE; k++) {
      int32_t points;
      MUST(ecs_accessor_get(&hits->accessor, hits->entities[k], &points));
      points -= 1;
      MUST(ecs_accessor_set(&hits->accessor, hits->entities[k], &points));
    }
  }
}

static void hit_by_component(void *state, uint32_t iterations) {
  Hits *hits = state;
  ecs_World *world = hits->world;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < SIZE; k++) {
      int32_t points;
      MUST(ecs_get(world, hits->entities[k], hits->health, &points));
      points -= 1;
      MUST(ecs_set(world, hits->entities[k], hits->health, &points,
                   ~(uint64_t)0));
    }
  }
}

static void hit_by_hand(void *state, uint32_t iterations) {
  Hits *hits = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t k = 0; k < SIZE; k++) {
      hits->points[hits->rows[hits->order[k]]] -= 1;
    }
  }
}

/* In the order of entities, whatever row they have. */
static uint64_t hits_check(void *state) {
  Hits *hits = state;
  uint64_t hash = 0;
  for (uint32_t k = 0; k < SIZE; k++) {
    int32_t points;
    MUST(ecs_get(hits->world, hits->entities[k], hits->health, &points));
    hash = measure_mix(hash, (uint32_t)points);
  }
  return hash;
}

static uint64_t hits_hand_check(void *state) {
  Hits *hits = state;
  uint64_t hash = 0;
  for (uint32_t k = 0; k < SIZE; k++) {
    hash =
        measure_mix(hash, (uint32_t)hits->points[hits->rows[hits->order[k]]]);
  }
  return hash;
}

static void hits_init(Hits *hits, ecs_Storage storage) {
  *hits = (Hits){.world = scene_world()};
  ecs_Component position =
      scene_component(hits->world, "Position", 2, ECS_STORE_TABLE);
  hits->health = hits_component(hits->world, storage);
  ecs_Entity *entities = scene_allocate(SIZE, sizeof *entities);
  scene_spawn(hits->world, &position, 1, SIZE, entities);
  hits->entities = scene_allocate(SIZE, sizeof *hits->entities);
  hits->order = scene_allocate(SIZE, sizeof *hits->order);
  hits->rows = scene_allocate(SIZE, sizeof *hits->rows);
  hits->points = scene_allocate(SIZE, sizeof *hits->points);
  measure_shuffle(hits->order, SIZE, 5);
  for (uint32_t k = 0; k < SIZE; k++) {
    int32_t points = (int32_t)(1000000 + k);
    hits->rows[k] = k;
    hits->points[k] = points;
    MUST(ecs_add(hits->world, entities[k], hits->health, &points));
    hits->entities[k] = entities[hits->order[k]];
  }
  free(entities);
  MUST(ecs_accessor(hits->world, hits->health, &hits->accessor));
}

static void hits_deinit(Hits *hits) {
  ecs_world_destroy(hits->world);
  free(hits->entities);
  free(hits->order);
  free(hits->rows);
  free(hits->points);
}

static void bench_hits(const char *name, ecs_Storage storage,
                       void (*run)(void *state, uint32_t iterations),
                       double aim) {
  if (!measure_wanted(name)) return;
  Hits hand, ours;
  hits_init(&hand, storage);
  hits_init(&ours, storage);
  measure_row(&(MeasureRow){.name = name,
                            .order = "random",
                            .memory = "warm",
                            .size = SIZE,
                            .operations = SIZE,
                            .aim_nanoseconds = aim,
                            .hand = {&hand, NULL, hit_by_hand, hits_hand_check},
                            .ours = {&ours, NULL, run, hits_check}});
  hits_deinit(&hand);
  hits_deinit(&ours);
}

/* Churn ------------------------------------------------------------------- */

#define CHURN_STEP (SIZE / 8u)

typedef struct Target {
  int32_t kind;
  uint64_t entity;
} Target;

static const HandLayout layout_target = {2, {2, 3}, {0, 8}};

typedef struct Churn {
  ecs_World *world;
  ecs_Component target;
  ecs_Query *targets;
  ecs_Entity *entities; /* in random order; half of them, from begin on and
                           around, have a target */
  uint32_t *order;      /* the same, as ids */
  uint32_t begin;
  HandRows table;
  uint32_t *rows; /* by id */
} Churn;

static inline Target target_of(uint32_t id) {
  Target target;
  memset(&target, 0, sizeof target);
  target.kind = (int32_t)id;
  target.entity = id + 7u;
  return target;
}

static void churn_run(void *state, uint32_t iterations) {
  Churn *churn = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    uint32_t old = churn->begin, new = (old + SIZE / 2) % SIZE;
    for (uint32_t k = 0; k < CHURN_STEP; k++) {
      Target target = target_of(churn->order[new + k]);
      MUST(ecs_add(churn->world, churn->entities[new + k], churn->target,
                   &target));
    }
    for (uint32_t k = 0; k < CHURN_STEP; k++) {
      MUST(ecs_remove(churn->world, churn->entities[old + k], churn->target));
    }
    churn->begin = (old + CHURN_STEP) % SIZE;
  }
}

static void churn_add(Churn *churn, uint32_t id) {
  Target target = target_of(id);
  if (churn->rows[id] != HAND_ABSENT) return;
  if (churn->table.count == churn->table.capacity) return;
  churn->rows[id] = hand_rows_push(&churn->table, &layout_target, id, &target);
}

static void churn_by_hand(void *state, uint32_t iterations) {
  Churn *churn = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    uint32_t old = churn->begin, new = (old + SIZE / 2) % SIZE;
    for (uint32_t k = 0; k < CHURN_STEP; k++) {
      churn_add(churn, churn->order[new + k]);
    }
    for (uint32_t k = 0; k < CHURN_STEP; k++) {
      uint32_t id = churn->order[old + k];
      uint32_t row = churn->rows[id];
      if (row == HAND_ABSENT) continue;
      hand_rows_remove(&churn->table, &layout_target, churn->rows, row);
      churn->rows[id] = HAND_ABSENT;
    }
    churn->begin = (old + CHURN_STEP) % SIZE;
  }
}

static uint64_t churn_check(void *state) {
  Churn *churn = state;
  uint64_t hash = churn->begin;
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_query_begin(churn->targets, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch)) {
    HandRows rows = {.columns = {batch.columns[0], batch.columns[1]},
                     .count = batch.count};
    hash += hand_rows_hash(&rows, &layout_target);
  }
  MUST(ecs_cursor_end(&cursor));
  return hash;
}

static uint64_t churn_hand_check(void *state) {
  Churn *churn = state;
  return churn->begin + hand_rows_hash(&churn->table, &layout_target);
}

static void churn_init(Churn *churn) {
  *churn = (Churn){.world = scene_world()};
  ecs_Field fields[] = {{.name = "kind", .type = ECS_I32},
                        {.name = "entity", .type = ECS_ENTITY}};
  ecs_ComponentDescription description = {.name = "Target",
                                          .fields = fields,
                                          .field_count = 2,
                                          .storage = ECS_STORE_SPARSE};
  ecs_Component position =
      scene_component(churn->world, "Position", 2, ECS_STORE_TABLE);
  MUST(ecs_component(churn->world, &description, &churn->target));
  ecs_Entity *entities = scene_allocate(SIZE, sizeof *entities);
  scene_spawn(churn->world, &position, 1, SIZE, entities);
  churn->entities = scene_allocate(SIZE, sizeof *churn->entities);
  churn->order = scene_allocate(SIZE, sizeof *churn->order);
  churn->rows = scene_allocate(SIZE, sizeof *churn->rows);
  hand_rows_init(&churn->table, &layout_target, SIZE);
  measure_shuffle(churn->order, SIZE, 5);
  for (uint32_t k = 0; k < SIZE; k++) churn->rows[k] = HAND_ABSENT;
  for (uint32_t k = 0; k < SIZE; k++) {
    Target target = target_of(churn->order[k]);
    churn->entities[k] = entities[churn->order[k]];
    if (k >= SIZE / 2) continue;
    MUST(ecs_add(churn->world, churn->entities[k], churn->target, &target));
    churn_add(churn, churn->order[k]);
  }
  free(entities);
  churn->targets = scene_query(churn->world, &churn->target, 1, ECS_READ);
}

static void churn_deinit(Churn *churn) {
  ecs_world_destroy(churn->world);
  hand_rows_deinit(&churn->table);
  free(churn->entities);
  free(churn->order);
  free(churn->rows);
}

static void bench_churn(void) {
  static const char name[] = "churn of a sparse component";
  if (!measure_wanted(name)) return;
  Churn hand, ours;
  churn_init(&hand);
  churn_init(&ours);
  measure_row(
      &(MeasureRow){.name = name,
                    .order = "random",
                    .memory = "warm",
                    .size = SIZE,
                    .operations = CHURN_STEP,
                    .hand = {&hand, NULL, churn_by_hand, churn_hand_check},
                    .ours = {&ours, NULL, churn_run, churn_check}});
  churn_deinit(&hand);
  churn_deinit(&ours);
}

/* Cursors over few -------------------------------------------------------- */

typedef struct Walk {
  ecs_World *world;
  ecs_Query *query;
  ecs_Query *reader;
  HandStore store;
} Walk;

static void walk_run(void *state, uint32_t iterations) {
  Walk *walk = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    ecs_Cursor cursor;
    ecs_Batch batch;
    MUST(ecs_query_begin(walk->query, ECS_BATCH_WHOLE, &cursor));
    while (ecs_cursor_next(&cursor, &batch)) {
      hand_move(batch.columns[0], batch.columns[1], batch.columns[2],
                batch.columns[3], 1, batch.count);
    }
    MUST(ecs_cursor_end(&cursor));
  }
}

static void walk_by_hand(void *state, uint32_t iterations) {
  Walk *walk = state;
  float *const *columns = walk->store.columns;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    hand_move(columns[0], columns[1], columns[2], columns[3], 1,
              walk->store.count);
  }
}

static uint64_t walk_check(void *state) {
  return scene_hash(((Walk *)state)->reader);
}

static uint64_t walk_hand_check(void *state) {
  return hand_store_hash(&((Walk *)state)->store);
}

/* Beside the entities that match, one has the position alone: a query of both
 * has two tables to choose from. */
static void walk_init(Walk *walk, uint32_t size) {
  *walk = (Walk){.world = scene_world()};
  ecs_Component both[2];
  scene_components(walk->world, "Component", 2, both);
  hand_store_init(&walk->store, 4);
  hand_store_reserve(&walk->store, 64);
  scene_spawn(walk->world, both, 1, 1, NULL);
  scene_spawn(walk->world, both, 2, size, NULL);
  if (size > 0) scene_push(&walk->store, size);
  ecs_Term terms[2] = {{.component = both[0], .access = ECS_WRITE},
                       {.component = both[1], .access = ECS_READ}};
  MUST(ecs_query_create(walk->world, terms, 2, &walk->query));
  walk->reader = scene_query(walk->world, both, 2, ECS_READ);
}

static void bench_walk(const char *name, uint32_t size, double aim) {
  if (!measure_wanted(name)) return;
  Walk walk;
  walk_init(&walk, size);
  Walk hand;
  walk_init(&hand, size);
  measure_row(
      &(MeasureRow){.name = name,
                    .order = "in order",
                    .memory = "warm",
                    .size = size,
                    .operations = 1,
                    .aim_nanoseconds = aim,
                    .hand = {&hand, NULL, walk_by_hand, walk_hand_check},
                    .ours = {&walk, NULL, walk_run, walk_check}});
  ecs_world_destroy(walk.world);
  ecs_world_destroy(hand.world);
  hand_store_deinit(&walk.store);
  hand_store_deinit(&hand.store);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "game");
  bench_hits("hp -= 1 by component", ECS_STORE_TABLE, hit_by_component, 0);
  bench_hits("hp -= 1 by accessor", ECS_STORE_TABLE, hit_by_accessor, 12);
  bench_hits("hp -= 1, sparse, by accessor", ECS_STORE_SPARSE, hit_by_accessor,
             0);
  bench_churn();
  bench_walk("cursor over 26 entities", 26, 45);
  bench_walk("cursor over no entity", 0, 0);
  measure_close();
  return 0;
}

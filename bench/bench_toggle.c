/* bench_toggle.c: a query over rows that come and go.
 *
 * 65,536 entities have a value in the main group. Some also have a component
 * stored sparse, a tag stored sparse, or a tag stored as bits; the system adds
 * to the values of these. Before every run so many entities, drawn at random,
 * lose it, and as many others gain it.
 *
 * - Rows "query": the run alone is timed. Where there is a birth, an entity
 *   without the part is born and dies, too. Times are per match; for tags stored
 *   as bits per row tested. By hand: a bitmap and places that are kept up to
 *   date at no cost, or a byte for each row.
 * - Rows "changes": the changes alone are timed, while so many queries ask for
 *   the part, all of which have run since the changes before. By hand: the
 *   same changes of unchecked arrays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/marked_rows.h"
#include "scene.h"

typedef enum Kind { COMPONENT, TAG, BITS, KINDS } Kind;

#define MOST_QUERIES 10u

/* Which entities have the part, by number; the same draws on both sides. */
typedef struct Draws {
  uint32_t *there, *absent;
  uint32_t matches;
  uint64_t seed;
} Draws;

/* Both sides of one row of the table. Entity number i is in row i. */
typedef struct Toggle {
  ecs_World *world;
  ecs_Component value, part;
  ecs_Query *values;
  ecs_KernelBinding *systems[MOST_QUERIES];
  uint32_t system_count;
  ecs_Entity *entities;
  Kind kind;
  uint32_t pairs;       /* of changes before every run */
  bool birth;           /* and one entity that is born and dies */
  ecs_Program *program; /* runs instead of the systems; NULL: none */
  Draws draws, hand_draws;
  MarkedRows marked;
} Toggle;

static void add_parts(const ecs_KernelCall *call) {
  for (uint32_t k = 0; k < call->block_count; k++) {
    const ecs_KernelBlock *block = &call->blocks[k];
    hand_add(block->columns[0], block->columns[1], block->count);
  }
}

static void add_one(const ecs_KernelCall *call) {
  for (uint32_t k = 0; k < call->block_count; k++)
    hand_increment(call->blocks[k].columns[0], call->blocks[k].count);
}

static const ecs_KernelColumn columns[] = {{"Value", "f0", ECS_F32, ECS_WRITE},
                                           {"Part", "f0", ECS_F32, ECS_READ}};
static const ecs_Kernel kernels[] = {
    {"add", add_parts, columns, 2, 0, NULL, NULL},
    {"increment", add_one, columns, 1, 0, NULL, NULL}};

/* Changing ---------------------------------------------------------------- */

static void draws_init(Draws *draws, uint32_t matches) {
  uint32_t *order = scene_allocate(SCENE_64K, sizeof *order);
  measure_shuffle(order, SCENE_64K, 5);
  *draws = (Draws){order, order + matches, matches, 99};
}

/* The part of one that has it is for one that has not. */
static void draw(Draws *draws, uint32_t *loses, uint32_t *gains) {
  uint32_t left = SCENE_64K - draws->matches;
  uint32_t a = (uint32_t)(measure_random(&draws->seed) % draws->matches);
  uint32_t b = (uint32_t)(measure_random(&draws->seed) % left);
  *loses = draws->there[a];
  *gains = draws->absent[b];
  draws->there[a] = *gains;
  draws->absent[b] = *loses;
}

static void change(void *state) {
  Toggle *toggle = state;
  uint32_t loses, gains;
  ecs_Entity born;
  if (toggle->birth) {
    MUST(ecs_spawn(toggle->world, &toggle->value, 1, NULL, &born));
    MUST(ecs_destroy(toggle->world, born));
  }
  for (uint32_t k = 0; k < toggle->pairs; k++) {
    draw(&toggle->draws, &loses, &gains);
    float image = (float)(gains % 7);
    MUST(ecs_remove(toggle->world, toggle->entities[loses], toggle->part));
    MUST(ecs_add(toggle->world, toggle->entities[gains], toggle->part,
                 toggle->kind == COMPONENT ? &image : NULL));
  }
}

static void hand_change(void *state) {
  Toggle *toggle = state;
  uint32_t loses, gains;
  for (uint32_t k = 0; k < toggle->pairs; k++) {
    draw(&toggle->hand_draws, &loses, &gains);
    marked_rows_take(&toggle->marked, loses);
    marked_rows_give(&toggle->marked, gains, (float)(gains % 7));
  }
}

/* Running ----------------------------------------------------------------- */

static void run(void *state, uint32_t iterations) {
  Toggle *toggle = state;
  ecs_KernelCall call = {.dt = 0};
  for (uint32_t turn = 0; turn < iterations; turn++)
    if (toggle->program != NULL) {
      MUST(ecs_program_run(toggle->program, &(ecs_ProgramCall){0}));
    } else
      for (uint32_t k = 0; k < toggle->system_count; k++)
        MUST(ecs_kernel_run(toggle->systems[k], &call));
}

static void hand_run(void *state, uint32_t iterations) {
  Toggle *toggle = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    if (toggle->kind == COMPONENT)
      marked_rows_add(&toggle->marked);
    else if (toggle->kind == TAG)
      marked_rows_increment(&toggle->marked);
    else
      marked_rows_increment_by_bytes(&toggle->marked);
  }
}

static uint64_t check(void *state) {
  Toggle *toggle = state;
  return scene_hash(toggle->values);
}

static uint64_t hand_check(void *state) {
  Toggle *toggle = state;
  const float *value = toggle->marked.value;
  return measure_hash(&value, 1, toggle->marked.rows);
}

/* For the rows in which changes are timed. */
static void run_once(void *state) { run(state, 1); }

static void hand_run_all(void *state) {
  const Toggle *toggle = state;
  hand_run(state, toggle->system_count);
}

static void change_timed(void *state, uint32_t iterations) {
  for (uint32_t turn = 0; turn < iterations; turn++) change(state);
}

static void hand_change_timed(void *state, uint32_t iterations) {
  for (uint32_t turn = 0; turn < iterations; turn++) hand_change(state);
}

/* Set-up ------------------------------------------------------------------ */

/* Queries that differ in a term, so that each has a plan of its own. */
static void make_systems(Toggle *toggle) {
  for (uint32_t k = 0; k < toggle->system_count; k++) {
    char name[16];
    snprintf(name, sizeof name, "No%u", k);
    ecs_Component never =
        scene_component(toggle->world, name, 0, ECS_STORE_TABLE);
    ecs_Term terms[] = {
        {toggle->value, ECS_WRITE},
        {toggle->part, toggle->kind == COMPONENT ? ECS_READ : ECS_WITH},
        {never, ECS_WITHOUT}};
    ecs_Query *query;
    MUST(ecs_query_create(toggle->world, terms, 3, &query));
    MUST(ecs_kernel_bind(query, &kernels[toggle->kind == COMPONENT ? 0 : 1],
                         &toggle->systems[k], NULL));
  }
}

static void toggle_init(Toggle *toggle, Kind kind, uint32_t percent,
                        uint32_t pairs, uint32_t queries) {
  uint32_t matches = SCENE_64K / 100 * percent;
  *toggle = (Toggle){.world = scene_world(),
                     .kind = kind,
                     .pairs = pairs,
                     .system_count = queries};
  toggle->value = scene_component(toggle->world, "Value", 1, ECS_STORE_TABLE);
  toggle->part =
      scene_component(toggle->world, "Part", kind == COMPONENT ? 1 : 0,
                      kind == BITS ? ECS_STORE_BITS : ECS_STORE_SPARSE);
  toggle->entities = scene_allocate(SCENE_64K, sizeof *toggle->entities);
  scene_spawn(toggle->world, &toggle->value, 1, SCENE_64K, toggle->entities);
  marked_rows_init(&toggle->marked, SCENE_64K);
  for (uint32_t i = 0; i < SCENE_64K; i++)
    scene_values(&toggle->marked.value[i], 1, i);
  draws_init(&toggle->draws, matches);
  draws_init(&toggle->hand_draws, matches);
  for (uint32_t k = 0; k < matches; k++) {
    uint32_t number = toggle->draws.there[k];
    float image = (float)(number % 7);
    MUST(ecs_add(toggle->world, toggle->entities[number], toggle->part,
                 kind == COMPONENT ? &image : NULL));
    marked_rows_give(&toggle->marked, number, image);
  }
  toggle->values = scene_query(toggle->world, &toggle->value, 1, ECS_READ);
  make_systems(toggle);
}

static void toggle_deinit(Toggle *toggle) {
  ecs_world_destroy(toggle->world);
  marked_rows_deinit(&toggle->marked);
  free(toggle->entities);
  free(toggle->draws.there);
  free(toggle->hand_draws.there);
}

/* Rows -------------------------------------------------------------------- */

static const char *const kind_names[KINDS] = {"sparse component", "sparse tag",
                                              "tag as bits"};

static const char increment[] =
    "column c0 \"Value\" \"f0\" f32 write\nv0 = load f32 c0\n"
    "v1 = constant f32 1\nv2 = add f32 v0 v1\nstore c0 v2\n";

/* The same with a compiled function, for tags stored as bits. */
static void bench_compiled(uint32_t percent, uint32_t pairs) {
  char name[80], message[200] = "";
  snprintf(name, sizeof name, "compiled, tag as bits, %u %%, %u changes",
           percent, 2 * pairs);
  if (!measure_wanted(name)) return;
  Toggle toggle;
  toggle_init(&toggle, BITS, percent, pairs, 1);
  const ecs_Term terms[] = {{toggle.value, ECS_WRITE}, {toggle.part, ECS_WITH}};
  ecs_Query *query;
  MUST(ecs_query_create(toggle.world, terms, 2, &query));
  if (ecs_program_create(query, increment, strlen(increment), &toggle.program,
                         message, sizeof message) != ECS_OK)
    measure_fail(name, message);
  measure_row(
      &(MeasureRow){.name = name,
                    .order = "random",
                    .memory = "warm",
                    .size = SCENE_64K,
                    .operations = SCENE_64K,
                    .aim_nanoseconds = 0.3,
                    .hand = {&toggle, hand_change, hand_run, hand_check},
                    .ours = {&toggle, change, run, check}});
  toggle_deinit(&toggle);
}

static void bench_query(Kind kind, uint32_t percent, uint32_t pairs,
                        bool birth) {
  char name[80];
  snprintf(name, sizeof name, "query, %s, %u %%, %u changes%s",
           kind_names[kind], percent, 2 * pairs, birth ? ", a birth" : "");
  if (!measure_wanted(name)) return;
  Toggle toggle;
  toggle_init(&toggle, kind, percent, pairs, 1);
  toggle.birth = birth;
  measure_row(&(MeasureRow){
      .name = name,
      .order = "random",
      .memory = "warm",
      .size = SCENE_64K,
      .operations = kind == BITS ? SCENE_64K : toggle.draws.matches,
      .aim_ratio = kind == BITS ? 0 : 1.15,
      .aim_nanoseconds = kind == BITS ? 1.0 : 0,
      .hand = {&toggle, hand_change, hand_run, hand_check},
      .ours = {&toggle, change, run, check}});
  toggle_deinit(&toggle);
}

static void bench_changes(Kind kind, uint32_t queries) {
  char name[64];
  snprintf(name, sizeof name, "changes, %s, %u queries", kind_names[kind],
           queries);
  if (!measure_wanted(name)) return;
  Toggle toggle;
  toggle_init(&toggle, kind, 50, 3276, queries);
  measure_row(&(MeasureRow){
      .name = name,
      .order = "random",
      .memory = "warm",
      .size = SCENE_64K,
      .operations = 2 * 3276,
      .hand = {&toggle, hand_run_all, hand_change_timed, hand_check},
      .ours = {&toggle, run_once, change_timed, check}});
  toggle_deinit(&toggle);
}

int main(int argument_count, char **arguments) {
  static const uint32_t pairs[] = {0, 1, 32, 300, 3276};
  static const uint32_t percents[] = {50, 10, 1}, queries[] = {0, 1, 10};
  measure_open(argument_count, arguments, "toggle");
  for (Kind kind = COMPONENT; kind < KINDS; kind++) {
    for (uint32_t k = 0; k < 3; k++)
      for (uint32_t i = 0; i < (percents[k] == 1 ? 4u : 5u); i++)
        bench_query(kind, percents[k], pairs[i], false);
    bench_query(kind, 50, 1, true);
    bench_query(kind, 10, 1, true);
    for (uint32_t i = 0; i < 3; i++) bench_changes(kind, queries[i]);
  }
  for (uint32_t k = 0; k < 3; k++)
    for (uint32_t i = 0; i < (percents[k] == 1 ? 4u : 5u); i++)
      bench_compiled(percents[k], pairs[i]);
  measure_close();
  return 0;
}

/* bench_program.c: kernel programs in the block VM, against hand-written loops.
 *
 * Inside the timer: one ecs_program_run per iteration, against one pass of a
 * hand-written loop over arrays of the same type. Both leave the same bits: the
 * hand-written loops round where programs do, and sum in the same order.
 *
 * - move: pos += vel * dt, two f32 each.
 * - fall: gravity, drag, and a bounce off the floor (a branch): two f32.
 * - normalise and sum: two f32 over their length; the sum of lengths as f64.
 * - wrap: (x + dx) % a constant, with fmod of the C library by hand.
 * - move, fall and wrap in f64: the same f32 columns, computed in doubles and
 *   rounded at the store, on both sides.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/loops.h"
#include "scene.h"

#define TIME_STEP 0.00001
#define GRAVITY -9.8
#define DRAG 0.999
#define BOUNCE -0.8
#define LANES 16u

typedef struct Columns {
  float *at[4]; /* Position f0 f1, Velocity f0 f1 */
  uint32_t count;
  double sum;
} Columns;

/* By hand ----------------------------------------------------------------- */

static void hand_move_run(void *state, uint32_t iterations) {
  Columns *columns = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    hand_move(columns->at[0], columns->at[1], columns->at[2], columns->at[3],
              (float)TIME_STEP, columns->count);
}

#define FALL(name, type)                                               \
  static void name(float *restrict y, float *restrict dy, double step, \
                   uint32_t count) {                                   \
    const type dt = (type)step, pull = (type)GRAVITY * dt;             \
    const type drag = (type)DRAG, bounce = (type)BOUNCE;               \
    for (uint32_t i = 0; i < count; i++) {                             \
      type speed = ((type)dy[i] + pull) * drag;                        \
      type height = (type)y[i] + speed * dt;                           \
      if (height < 0) {                                                \
        height = -height;                                              \
        speed = speed * bounce;                                        \
      }                                                                \
      y[i] = (float)height;                                            \
      dy[i] = (float)speed;                                            \
    }                                                                  \
  }
FALL(fall_narrow, float)
FALL(fall_wide, double)

static void hand_fall_run(void *state, uint32_t iterations) {
  Columns *columns = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    fall_narrow(columns->at[0], columns->at[2], TIME_STEP, columns->count);
}

static void hand_fall_wide_run(void *state, uint32_t iterations) {
  Columns *columns = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    fall_wide(columns->at[0], columns->at[2], TIME_STEP, columns->count);
}

static void move_wide(float *restrict x, const float *restrict dx, double dt,
                      uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    x[i] = (float)((double)x[i] + (double)dx[i] * dt);
}

static void hand_move_wide_run(void *state, uint32_t iterations) {
  Columns *columns = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    move_wide(columns->at[0], columns->at[2], TIME_STEP, columns->count);
    move_wide(columns->at[1], columns->at[3], TIME_STEP, columns->count);
  }
}

#define WRAP_SIZE 800.0

/* Lua's %, with the sign of the divisor, which is positive. */
static double wrapped(double x) {
  double rest = fmod(x, WRAP_SIZE);
  return rest < 0.0 ? rest + WRAP_SIZE : rest;
}

static void hand_wrap_run(void *state, uint32_t iterations) {
  Columns *columns = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    for (uint32_t i = 0; i < columns->count; i++)
      columns->at[0][i] =
          (float)wrapped((double)(columns->at[0][i] + columns->at[2][i]));
}

static void hand_wrap_wide_run(void *state, uint32_t iterations) {
  Columns *columns = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    for (uint32_t i = 0; i < columns->count; i++)
      columns->at[0][i] =
          (float)wrapped((double)columns->at[0][i] + (double)columns->at[2][i]);
}

/* Adds lanes that are 8, 4, 2 and 1 apart. */
static double joined(const double *lanes) {
  double sums[LANES];
  memcpy(sums, lanes, sizeof sums);
  for (uint32_t apart = LANES / 2; apart > 0; apart /= 2)
    for (uint32_t k = 0; k < apart; k++) sums[k] += sums[k + apart];
  return sums[0];
}

static void normalise(float *restrict x, float *restrict y,
                      float *restrict lengths, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const float a = x[i], b = y[i], length = sqrtf(a * a + b * b);
    lengths[i] = length;
    x[i] = a / length;
    y[i] = b / length;
  }
}

/* count is a multiple of 1024. Two loops, so that each of them is
 * vectorised. */
static double normalise_and_sum(float *x, float *y, uint32_t count) {
  double total = 0;
  float lengths[1024];
  for (uint32_t first = 0; first < count; first += 1024) {
    double lanes[LANES] = {0};
    normalise(x + first, y + first, lengths, 1024);
    for (uint32_t i = 0; i < 1024; i += LANES)
      for (uint32_t k = 0; k < LANES; k++) lanes[k] += (double)lengths[i + k];
    total += joined(lanes);
  }
  return total;
}

static void hand_normalise_run(void *state, uint32_t iterations) {
  Columns *columns = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    columns->sum =
        normalise_and_sum(columns->at[2], columns->at[3], columns->count);
}

static uint64_t hand_check(void *state) {
  const Columns *columns = state;
  uint64_t bits;
  memcpy(&bits, &columns->sum, sizeof bits);
  return measure_mix(
      measure_hash((const float *const *)columns->at, 4, columns->count), bits);
}

/* As programs ------------------------------------------------------------- */

#define COLUMN(c, component, field, access) \
  "column " c " \"" component "\" \"" field "\" f32 " access "\n"
#define MOVE(type)                                                   \
  COLUMN("c0", "Position", "f0", "write")                            \
  COLUMN("c1", "Position", "f1", "write")                            \
  COLUMN("c2", "Velocity", "f0", "read")                             \
  COLUMN("c3", "Velocity", "f1", "read")                             \
  "uniform u0 number\nv0 = load " type " c0\nv1 = load " type        \
  " c1\n"                                                            \
  "v2 = load " type " c2\nv3 = load " type " c3\nv4 = uniform " type \
  " u0\n"                                                            \
  "v5 = mul " type " v2 v4\nv6 = add " type                          \
  " v0 v5\nstore c0 v6\n"                                            \
  "v7 = mul " type " v3 v4\nv8 = add " type " v1 v7\nstore c1 v8\n"
#define FALLING(type)                                         \
  COLUMN("c0", "Position", "f0", "write")                     \
  COLUMN("c1", "Velocity", "f0", "write")                     \
  "uniform u0 number\nv0 = load " type " c0\nv1 = load " type \
  " c1\n"                                                     \
  "v2 = uniform " type " u0\nv3 = constant " type             \
  " -9.8\n"                                                   \
  "v4 = mul " type " v3 v2\nv5 = add " type                   \
  " v1 v4\n"                                                  \
  "v6 = constant " type " 0.999\nv7 = mul " type              \
  " v5 v6\n"                                                  \
  "v8 = mul " type " v7 v2\nv9 = add " type                   \
  " v0 v8\n"                                                  \
  "v10 = constant " type " 0\nv11 = lt " type                 \
  " v9 v10\n"                                                 \
  "v12 = neg " type " v9\nv13 = select " type                 \
  " v11 v12 v9\n"                                             \
  "v14 = constant " type " -0.8\nv15 = mul " type             \
  " v7 v14\n"                                                 \
  "v16 = select " type " v11 v15 v7\nstore c0 v13\nstore c1 v16\n"

#define WRAP(type)                                            \
  COLUMN("c0", "Position", "f0", "write")                     \
  COLUMN("c1", "Velocity", "f0", "read")                      \
  "uniform u0 number\nv0 = load " type " c0\nv1 = load " type \
  " c1\n"                                                     \
  "v2 = add " type " v0 v1\nv3 = constant " type              \
  " 800\n"                                                    \
  "v4 = mod " type " v2 v3\nstore c0 v4\n"

static const char normalise_text[] =
    COLUMN("c0", "Velocity", "f0", "write")
    COLUMN("c1", "Velocity", "f1", "write")
    "uniform u0 number\nreduction r0 sum\n"
    "v0 = load f32 c0\nv1 = load f32 c1\nv2 = mul f32 v0 v0\n"
    "v3 = mul f32 v1 v1\nv4 = add f32 v2 v3\nv5 = sqrt f32 v4\n"
    "v6 = div f32 v0 v5\nv7 = div f32 v1 v5\nstore c0 v6\nstore c1 v7\n"
    "v8 = convert f64 v5\nsum r0 v8\n";

typedef struct Running {
  ecs_World *world;
  ecs_Query *query;
  ecs_Program *program;
  double sum;
  bool sums;
} Running;

static void program_run(void *state, uint32_t iterations) {
  Running *running = state;
  const double dt = TIME_STEP;
  const ecs_ProgramCall call = {.uniforms = &dt,
                                .reductions = &running->sum,
                                .uniform_count = 1,
                                .reduction_count = running->sums};
  for (uint32_t turn = 0; turn < iterations; turn++)
    MUST(ecs_program_run(running->program, &call));
}

static uint64_t program_check(void *state) {
  const Running *running = state;
  uint64_t bits;
  memcpy(&bits, &running->sum, sizeof bits);
  return measure_mix(scene_hash(running->query), bits);
}

static void make_program(Running *running, const char *text) {
  char message[200] = "";
  if (ecs_program_create(running->query, text, strlen(text), &running->program,
                         message, sizeof message) != ECS_OK)
    measure_fail("program", message);
}

/* Rows -------------------------------------------------------------------- */

/* Copies the world's values to the hand-written side. */
static void copy_world(ecs_Query *query, Columns *columns) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor));
  if (!ecs_cursor_next(&cursor, &batch) || batch.count != columns->count)
    measure_fail("program", "the world is not one table");
  for (uint32_t k = 0; k < 4; k++)
    memcpy(columns->at[k], batch.columns[k], columns->count * sizeof(float));
  MUST(ecs_cursor_end(&cursor));
}

typedef struct Case {
  const char *name;
  const char *text;
  void (*hand)(void *state, uint32_t iterations);
  double aims[3];
} Case;

static void measure_case(const Case *what, uint32_t size, double aim) {
  Columns columns = {.count = size};
  Running running = {.sums = strstr(what->text, "reduction") != NULL};
  running.world = scene_world();
  const ecs_Component both[] = {
      scene_component(running.world, "Position", 2, ECS_STORE_TABLE),
      scene_component(running.world, "Velocity", 2, ECS_STORE_TABLE)};
  running.query = scene_query(running.world, both, 2, ECS_WRITE);
  make_program(&running, what->text);
  scene_spawn(running.world, both, 2, size, NULL);
  for (uint32_t k = 0; k < 4; k++)
    columns.at[k] = scene_allocate(size, sizeof(float));
  copy_world(running.query, &columns);
  const MeasureRow row = {.name = what->name,
                          .order = "in order",
                          .memory = "warm",
                          .size = size,
                          .operations = size,
                          .hand = {&columns, NULL, what->hand, hand_check},
                          .ours = {&running, NULL, program_run, program_check},
                          .aim_ratio = aim};
  measure_row(&row);
  for (uint32_t k = 0; k < 4; k++) free(columns.at[k]);
  ecs_world_destroy(running.world);
}

int main(int argument_count, char **arguments) {
  static const Case cases[] = {
      {"program: move", MOVE("f32"), hand_move_run, {2.4, 1.3, 1.2}},
      {"program: fall", FALLING("f32"), hand_fall_run, {0, 0, 0}},
      {"program: normalise, sum",
       normalise_text,
       hand_normalise_run,
       {0, 0, 0}},
      {"program: wrap (%)", WRAP("f32"), hand_wrap_run, {0, 0, 0}},
      {"program: wrap (%) in f64", WRAP("f64"), hand_wrap_wide_run, {0, 0, 0}},
      {"program: move in f64", MOVE("f64"), hand_move_wide_run, {0, 0, 0}},
      {"program: fall in f64", FALLING("f64"), hand_fall_wide_run, {0, 0, 0}}};
  static const uint32_t sizes[] = {SCENE_1K, SCENE_64K, SCENE_1M};
  measure_open(argument_count, arguments, "kernel programs, block VM");
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (size_t s = 0; s < 3; s++)
      if (measure_wanted(cases[c].name))
        measure_case(&cases[c], sizes[s], cases[c].aims[s]);
  measure_close();
  return 0;
}

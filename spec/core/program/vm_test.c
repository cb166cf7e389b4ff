/* vm_test.c: kernel programs over real worlds.
 *
 * program_differential_test.c tests what programs compute. Here is what depends
 * on worlds: full, partial and blind queries, optional terms, row counts at the
 * edges of blocks, look-ups, cursors that are open during a run, and random
 * numbers that do not depend on how rows are stored. Changes of structure are in
 * vm_changes_test.c, reductions in vm_sums_test.c.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test_case.h"
#include "program_fixture.h"

/* Row counts -------------------------------------------------------------- */

static const char move[] =
    "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"V\" \"x\" f32 read\n"
    "column c2 \"V\" \"y\" f32 write\n"
    "uniform u0 number\nv0 = load f32 c0\nv1 = load f32 c1\n"
    "v2 = uniform f32 u0\nv3 = mul f32 v1 v2\nv4 = add f32 v0 v3\n"
    "store c0 v4\nv5 = constant f32 7\nstore c2 v5\n";

/* A step runs in place over more rows than a register has. Some arguments are
 * past the reach of vector loops, on both sides of every border. */
TEST(long_blocks_compute_in_place) {
  const uint32_t count = MOST;
  start(ECS_STORE_TABLE, ECS_STORE_SPARSE);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}};
  ask(terms, 1);
  make(
      "column c0 \"P\" \"x\" f32 write\nv0 = load f32 c0\n"
      "v1 = xsin f32 v0\nstore c0 v1\n");
  assert_true(fixture.program->plan->block_rows >= count);
  spawn(count, 0, 1);
  for (uint32_t k = 0; k < count; k += 7)
    set(fixture.entities[k], fixture.p, 0, 1e30 + k);
  must(run(NULL, NULL));
  for (uint32_t k = 0; k < count; k++) {
    float argument = k % 7 == 0 ? (float)(1e30 + k) : (float)k;
    double found = get(fixture.entities[k], fixture.p, 0);
    assert_true(found == (double)(float)ecs_sin((double)argument));
  }
  finish();
}

/* A step reads what the one before stored, on both sides of a block's end. */
TEST(steps_share_columns_across_blocks) {
  static const uint32_t counts[] = {2047, 2048, 2049, MOST};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    uint32_t count = counts[k] < MOST ? counts[k] : MOST;
    start(ECS_STORE_TABLE, ECS_STORE_SPARSE);
    const ecs_Term terms[] = {{fixture.p, ECS_WRITE}};
    ask(terms, 1);
    make(
        "column c0 \"P\" \"x\" f32 write\n"
        "column c1 \"P\" \"y\" f32 write\n"
        "v0 = load f32 c0\nv1 = add f32 v0 v0\nstore c1 v1\n"
        "v2 = add f32 v1 v0\nstore c0 v2\n");
    assert_in_range(fixture.program->plan->block_rows, 2, 2048);
    spawn(count, 0, 1);
    must(run(NULL, NULL));
    for (uint32_t i = 0; i < count; i++) {
      assert_true(get(fixture.entities[i], fixture.p, 1) == 2.0 * i);
      assert_true(get(fixture.entities[i], fixture.p, 0) == 3.0 * i);
    }
    finish();
  }
}

/* Every third entity is in another table. */
static void move_rows(uint32_t count, ecs_Storage v) {
  const double step = 0.5;
  start(v, ECS_STORE_SPARSE);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_WRITE}};
  ask(terms, 2);
  make(move);
  spawn(count, fixture.v, 1);
  for (uint32_t k = 0; k < count; k += 3)
    must(ecs_add(fixture.world, fixture.entities[k], fixture.t, NULL));
  for (int round = 1; round <= 2; round++) {
    must(run(&step, NULL));
    for (uint32_t k = 0; k < count; k++) {
      assert_true(get(fixture.entities[k], fixture.p, 0) ==
                  k + round * (k + 0.5));
      assert_true(get(fixture.entities[k], fixture.v, 1) == 7);
      assert_true(get(fixture.entities[k], fixture.p, 1) == 0);
    }
  }
  finish();
}

static void all_counts(ecs_Storage v) {
  static const uint32_t edges[] = {511,  512,  513,  767,  768, 1023,
                                   1024, 1025, 1535, 1537, 2050};
  for (uint32_t count = 0; count <= 70 && count <= MOST; count++)
    move_rows(count, v);
  for (size_t k = 0; k < sizeof edges / sizeof *edges; k++)
    if (edges[k] <= MOST) move_rows(edges[k], v);
}

TEST(full_plans_reach_every_row) { all_counts(ECS_STORE_TABLE); }

/* V is a sparse set, so no two terms share a group. */
TEST(blind_plans_reach_every_row) { all_counts(ECS_STORE_SPARSE); }

TEST(partial_plans_reach_every_row) {
  start(ECS_STORE_TABLE, ECS_STORE_SPARSE);
  const ecs_Term terms[] = {
      {fixture.p, ECS_WRITE}, {fixture.v, ECS_READ}, {fixture.s, ECS_READ}};
  const uint32_t count = MOST < 1300 ? MOST : 1300;
  ask(terms, 3);
  make(
      "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"V\" \"x\" f32 read\n"
      "column c2 \"S\" \"y\" f32 read\nv0 = load f32 c1\nv1 = load f32 c2\n"
      "v2 = sub f32 v1 v0\nstore c0 v2\n");
  spawn(count, fixture.v, 1);
  for (uint32_t k = 0; k < count; k += 2) {
    ecs_Entity entity = fixture.entities[(k * 7) % count / 2 * 2];
    must(ecs_add(fixture.world, entity, fixture.s, NULL));
  }
  for (uint32_t k = 0; k < count; k++)
    if (ecs_has(fixture.world, fixture.entities[k], fixture.s))
      set(fixture.entities[k], fixture.s, 1, 10.0 * k);
  must(run(NULL, NULL));
  for (uint32_t k = 0; k < count; k++) {
    bool has = ecs_has(fixture.world, fixture.entities[k], fixture.s);
    assert_true(get(fixture.entities[k], fixture.p, 0) ==
                (has ? 10.0 * k - (2.0 * k + 1) : k));
  }
  finish();
}

/* An absent column loads as 0, and storing it does nothing. */
static void optional_terms(ecs_Storage storage) {
  start(storage, ECS_STORE_TABLE);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_OPTIONAL}};
  ask(terms, 2);
  make(
      "column c0 \"P\" \"y\" f32 write\ncolumn c1 \"V\" \"x\" f32 optional\n"
      "v0 = load f32 c1\nv1 = present c1\nv2 = constant f32 -1\n"
      "v3 = select f32 v1 v0 v2\nstore c0 v3\nstore c1 v2\n");
  spawn(30, fixture.v, 2);
  must(run(NULL, NULL));
  for (uint32_t k = 0; k < 30; k++) {
    assert_true(get(fixture.entities[k], fixture.p, 1) ==
                (k % 2 == 0 ? 2.0 * k + 1 : -1));
    assert_int_equal(ecs_has(fixture.world, fixture.entities[k], fixture.v),
                     k % 2 == 0);
    if (k % 2 == 0) assert_true(get(fixture.entities[k], fixture.v, 0) == -1);
  }
  finish();
}

TEST(optional_terms_may_be_absent) {
  optional_terms(ECS_STORE_TABLE);
  optional_terms(ECS_STORE_SPARSE);
}

/* Look-ups ---------------------------------------------------------------- */

static void join(void) {
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}};
  ask(terms, 1);
  make(
      "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"who\" entity read\n"
      "column c2 \"P\" \"y\" f32 write\nv0 = load entity c1\n"
      "v1 = get f32 v0 \"V\" \"x\"\nstore c0 v1\nv2 = alive v0\n"
      "v3 = has v0 \"V\"\nv4 = has v0 \"U\"\nv5 = constant f32 0\n"
      "v6 = constant f32 1\nv7 = constant f32 2\nv8 = constant f32 4\n"
      "v9 = select f32 v2 v6 v5\nv10 = select f32 v3 v7 v5\n"
      "v11 = select f32 v4 v8 v5\nv12 = add f32 v9 v10\n"
      "v13 = add f32 v12 v11\nstore c2 v13\n");
}

TEST(entities_are_looked_up) {
  for (int storage = 0; storage < 2; storage++) {
    start(storage == 0 ? ECS_STORE_TABLE : ECS_STORE_SPARSE, ECS_STORE_TABLE);
    join();
    spawn(12, fixture.v, 2);
    must(ecs_add(fixture.world, fixture.entities[1], fixture.u, NULL));
    must(ecs_destroy(fixture.world, fixture.entities[11]));
    const ecs_Entity whom[] = {fixture.entities[4], fixture.entities[1],
                               fixture.entities[11], 0,
                               (UINT64_C(1) << 52) - 1};
    static const double x[] = {9, 0, 0, 0, 0}, y[] = {3, 5, 0, 0, 0};
    for (uint32_t k = 0; k < 5; k++)
      set(fixture.entities[k], fixture.p, 2, (double)whom[k]);
    must(run(NULL, NULL));
    for (uint32_t k = 0; k < 5; k++) {
      assert_true(get(fixture.entities[k], fixture.p, 0) == x[k]);
      assert_true(get(fixture.entities[k], fixture.p, 1) == y[k]);
    }
    finish();
  }
}

TEST(open_cursors_keep_their_components) {
  ecs_Query *writes = NULL, *reads = NULL, *looked_up = NULL;
  ecs_Cursor cursor;
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  join();
  spawn(3, fixture.v, 1);
  const ecs_Term write_p = {fixture.p, ECS_WRITE};
  const ecs_Term read_p = {fixture.p, ECS_READ};
  const ecs_Term write_v = {fixture.v, ECS_WRITE};
  must(ecs_query_create(fixture.world, &write_p, 1, &writes));
  must(ecs_query_create(fixture.world, &read_p, 1, &reads));
  must(ecs_query_create(fixture.world, &write_v, 1, &looked_up));
  ecs_Query *const queries[] = {writes, reads, looked_up};
  for (int k = 0; k < 3; k++) {
    must(ecs_query_begin(queries[k], ECS_BATCH_WHOLE, &cursor));
    assert_int_equal(run(NULL, NULL), ECS_E_ACCESS);
    assert_int_equal(ecs_world_contested(fixture.world),
                     k == 2 ? fixture.v : fixture.p);
    must(ecs_cursor_end(&cursor));
  }
  const ecs_Term read_v = {fixture.v, ECS_READ};
  ecs_Query *harmless = NULL;
  must(ecs_query_create(fixture.world, &read_v, 1, &harmless));
  must(ecs_query_begin(harmless, ECS_BATCH_WHOLE, &cursor));
  must(run(NULL, NULL));
  must(ecs_cursor_end(&cursor));
  finish();
}

/* Random numbers ---------------------------------------------------------- */

TEST(random_numbers_follow_from_the_entity) {
  double sum = 0;
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  const uint32_t count = MOST < 700 ? MOST : 700;
  ask(&term, 1);
  make(
      "column c0 \"P\" \"x\" f32 write\nv0 = constant f64 3\n"
      "v1 = random v0\nstore c0 v1\n");
  spawn(count, fixture.v, 5);
  must(run(NULL, NULL));
  for (uint32_t k = 0; k < count; k++) {
    double drawn = get(fixture.entities[k], fixture.p, 0);
    assert_true(drawn == (double)(float)ecs_random(99, fixture.entities[k], 3));
    sum += drawn;
  }
  assert_true(sum > 0.3 * count && sum < 0.7 * count);
  finish();
}

/* Calls ------------------------------------------------------------------- */

TEST(wrong_calls_are_refused) {
  double number = 1;
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_READ};
  ask(&term, 1);
  make(
      "uniform u0 number\nreduction r0 sum\nv0 = uniform f64 u0\n"
      "sum r0 v0\n");
  spawn(3, 0, 1);
  const ecs_ProgramCall calls[] = {
      {&number, &number, 0, 1, 0, 0, NULL, NULL, 0, 0, NULL},
      {&number, &number, 2, 1, 0, 0, NULL, NULL, 0, 0, NULL},
      {&number, &number, 1, 0, 0, 0, NULL, NULL, 0, 0, NULL},
      {&number, &number, 1, 2, 0, 0, NULL, NULL, 0, 0, NULL},
      {&number, &number, 1, 1, 0, 0, NULL, NULL, 1, 0, NULL},
      {NULL, &number, 1, 1, 0, 0, NULL, NULL, 0, 0, NULL},
      {&number, NULL, 1, 1, 0, 0, NULL, NULL, 0, 0, NULL},
      {&number, &number, 1, 1, 0, 0, NULL, NULL, 0, 1, NULL}};
  for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
    assert_int_equal(ecs_program_run(fixture.program, &calls[k]),
                     ECS_E_ARGUMENT);
  assert_true(number == 1);
  must(run(&number, &number));
  assert_true(number == 3);
  finish();
}

/* Runs the program from a row on; says where it stopped. */
static ecs_ProgramStop run_from(uint64_t first, double limit, double *sum) {
  ecs_ProgramStop stop = {0, 0, 0, 0};
  const ecs_ProgramCall call = {.uniforms = &limit,
                                .reductions = sum,
                                .uniform_count = 1,
                                .reduction_count = 1,
                                .first = first,
                                .stop = &stop};
  must(ecs_program_run(fixture.program, &call));
  return stop;
}

static void check_rows(const ecs_Entity *rows, uint32_t count, uint32_t at,
                       double before, double behind) {
  for (uint32_t k = 0; k < count; k++)
    assert_true(get(rows[k], fixture.p, 0) == (k < at        ? before
                                               : k <= at + 1 ? 9
                                                             : behind));
}

/* Makes two rows take the exit: those at `at` and behind it. */
static void stop_at(const ecs_Entity *rows, uint32_t count, uint32_t at) {
  double sum = -1;
  for (uint32_t k = 0; k < count; k++)
    set(rows[k], fixture.p, 0, k == at || k == at + 1 ? 9 : 1);
  ecs_ProgramStop stop = run_from(0, 5, &sum);
  assert_int_equal(stop.row, at);
  assert_int_equal(stop.count,
                   at % LOOP_ROWS == LOOP_ROWS - 1 || at == count - 1 ? 1 : 2);
  assert_true(sum == 2.0 * at);
  check_rows(rows, count, at, 2, 1);
  stop = run_from(stop.row + 2, 5, &sum);
  assert_int_equal(stop.count, 0);
  check_rows(rows, count, at, 2, 2);
  assert_int_equal(run_from(count, 5, &sum).count, 0);
  assert_int_equal(run_from(UINT64_MAX, 5, &sum).count, 0);
}

/* Rows before the one that takes the exit have happened, no others; and the
 * same run goes on behind it. */
TEST(a_row_that_takes_the_exit_stops_the_run) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  make(
      "column c0 \"P\" \"x\" f32 write\nuniform u0 number fixed\n"
      "reduction r0 sum\nv0 = load f32 c0\nv1 = constant f32 1\n"
      "v2 = add f32 v0 v1\nv3 = uniform f32 u0\nv4 = lt f32 v3 v0\n"
      "exit v4\nstore c0 v2\nv5 = convert f64 v2\nsum r0 v5\n");
  ecs_ProgramInfo info;
  ecs_program_info(fixture.program, &info);
  assert_true(info.exits);
  const ecs_Entity *rows = fixture.entities;
  uint32_t count = MOST < 600 ? MOST : 600;
  spawn(count, 0, 1);
  const uint32_t places[] = {
      0, 1, 17, LOOP_ROWS - 2, LOOP_ROWS - 1, LOOP_ROWS, count - 1};
  for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
    uint32_t at = places[p];
    if (at < count) stop_at(rows, count, at);
  }
  double number = 5, sum = 0;
  const ecs_ProgramCall call = {.uniforms = &number,
                                .reductions = &sum,
                                .uniform_count = 1,
                                .reduction_count = 1};
  assert_int_equal(ecs_program_run(fixture.program, &call), ECS_E_ARGUMENT);
  finish();
}

/* The payload of a NaN uniform does not reach a column. */
TEST(uniforms_lose_their_payload) {
  const uint64_t bits = UINT64_C(0xfffc123456789abc);
  double noise;
  memcpy(&noise, &bits, sizeof noise);
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  make(
      "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"y\" f32 write\n"
      "uniform u0 number\nv0 = uniform f32 u0\nstore c0 v0\n"
      "v1 = uniform f64 u0\nstore c1 v1\n");
  spawn(3, 0, 1);
  must(run(&noise, NULL));
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t image[4];
    must(ecs_get(fixture.world, fixture.entities[k], fixture.p, image));
    assert_int_equal(image[0], SCALAR_QUIET_F32);
    assert_int_equal(image[1], SCALAR_QUIET_F32);
  }
  finish();
}

TEST(information_is_right) {
  ecs_ProgramInfo info;
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_WRITE}};
  ask(terms, 2);
  make(move);
  ecs_program_info(fixture.program, &info);
  assert_int_equal(info.uniforms, 1);
  assert_int_equal(info.reductions, 0);
  assert_int_equal(info.operations, 2); /* one product and sum; one store */
  assert_int_equal(info.bytes_read, 8);
  assert_int_equal(info.bytes_written, 8);
  assert_int_equal(info.slow_calls, 0);
  assert_memory_equal(info.back_end, "block VM", 8);
  make(
      "v0 = constant f64 2\nv1 = self\nv2 = random v0\nv3 = sin f64 v2\n"
      "v4 = lt f64 v3 v0\ndestroy v4\n");
  ecs_program_info(fixture.program, &info);
  assert_int_equal(info.operations, 4);
  assert_int_equal(info.slow_calls, 1);
  finish();
}

TEST(programs_end_with_their_query) {
  ecs_Program *first = NULL;
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_WRITE}};
  ask(terms, 2);
  make(move);
  first = fixture.program;
  make(move);
  make(move);
  ecs_program_destroy(first);
  ecs_program_destroy(NULL);
  must(ecs_query_destroy(fixture.query));
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_blocks_compute_in_place),
      cmocka_unit_test(steps_share_columns_across_blocks),
      cmocka_unit_test(full_plans_reach_every_row),
      cmocka_unit_test(blind_plans_reach_every_row),
      cmocka_unit_test(partial_plans_reach_every_row),
      cmocka_unit_test(optional_terms_may_be_absent),
      cmocka_unit_test(entities_are_looked_up),
      cmocka_unit_test(open_cursors_keep_their_components),
      cmocka_unit_test(random_numbers_follow_from_the_entity),
      cmocka_unit_test(wrong_calls_are_refused),
      cmocka_unit_test(a_row_that_takes_the_exit_stops_the_run),
      cmocka_unit_test(uniforms_lose_their_payload),
      cmocka_unit_test(information_is_right),
      cmocka_unit_test(programs_end_with_their_query)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

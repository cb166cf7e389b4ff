/* vm_part_test.c: programs that run in parts, along an open cursor.
 *
 * A caller that takes the rows of exits itself leaves what a program does that
 * has a mask in the place of the exit: values, reductions, recorded changes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test_case.h"
#include "api/for_bindings.h"
#include "program_fixture.h"

/* Rows in which limit < P.y leave. Their x stays, they add nothing, and they
 * get no T. */
#define HEAD                                                          \
  "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"y\" f32 read\n" \
  "uniform u0 number\nreduction r0 sum\n"                             \
  "v0 = load f32 c0\nv1 = load f32 c1\nv2 = uniform f32 u0\n"         \
  "v3 = lt f32 v2 v1\nv4 = constant f32 0x1.99999ap-4\nv5 = add f32 v0 v4\n"

static const char with_exit[] =
    HEAD "exit v3\nstore c0 v5\nv6 = convert f64 v5\nsum r0 v6\nadd \"T\"\n";

static const char with_masks[] = HEAD
    "v6 = not v3\nstore c0 v5 v6\nv7 = convert f64 v5\nsum r0 v7 v6\n"
    "add \"T\" v6\n";

/* A world of P in two tables, and in a third one behind an index. */
static void prepare(uint32_t count, uint32_t every) {
  start(ECS_STORE_TABLE, ECS_STORE_SPARSE);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.u, ECS_WITHOUT}};
  ask(terms, 2);
  for (uint32_t k = 0; k < count; k++) {
    must(ecs_spawn(fixture.world, &fixture.p, 1, NULL, &fixture.entities[k]));
    set(fixture.entities[k], fixture.p, 0, k * 0.3);
    set(fixture.entities[k], fixture.p, 1, every > 0 && k % every == 0 ? 9 : 1);
    if (k % 5 == 0)
      must(ecs_add(fixture.world, fixture.entities[k], fixture.v, NULL));
    if (k % 7 == 0)
      must(ecs_add(fixture.world, fixture.entities[k], fixture.u, NULL));
  }
}

/* Runs the fixture's program in parts. Every row that leaves it must have a y
 * above the limit; each part goes on behind all that are said to. Returns how
 * many left. */
static uint32_t run_parts(double limit, double *sum) {
  Reduction reduction;
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint32_t left = 0;
  const ecs_ProgramCall call = {
      .uniforms = &limit, .uniform_count = 1, .random_key = 99};
  ProgramPart part = {
      .batch = &batch, .reductions = &reduction, .changed = true};
  reduction_begin(&reduction, REDUCTION_SUM);
  must(ecs_query_begin(fixture.query, ECS_BATCH_COALESCED, &cursor));
  while (ecs_cursor_next(&cursor, &batch)) {
    for (part.first = 0; part.first < batch.count;) {
      must(ecs_program_run_part(fixture.program, &call, &part));
      assert_false(part.changed);
      assert_true(part.end + part.taken <= batch.count);
      assert_true(part.taken > 0 || part.end == batch.count);
      for (uint32_t k = 0; k < part.taken; k++) {
        const float *y = batch.columns[1];
        assert_true(y[part.end + k] > limit);
      }
      left += part.taken;
      uint64_t from = part.before + part.end, to = from + part.taken;
      if (from / REDUCTION_ROWS != to / REDUCTION_ROWS)
        reduction_fold(&reduction, REDUCTION_SUM);
      part.first = part.end + part.taken;
    }
    part.before += batch.count;
  }
  must(ecs_cursor_end(&cursor));
  reduction_fold(&reduction, REDUCTION_SUM);
  *sum = reduction.total;
  return left;
}

static void compare_exit_and_masks(uint32_t count, uint32_t every) {
  double limit = 5, wanted, sum;
  prepare(count, every);
  make(with_masks);
  must(run(&limit, &wanted));
  uint64_t hash = ecs_world_hash(fixture.world);
  finish();
  prepare(count, every);
  make(with_exit);
  uint32_t left = run_parts(limit, &sum), due = 0;
  for (uint32_t k = 0; every > 0 && k < count; k += every) due += k % 7 != 0;
  assert_int_equal(left, due);
  assert_true(sum == wanted);
  assert_true(ecs_world_hash(fixture.world) == hash);
  finish();
}

TEST(parts_do_what_masks_do) {
  static const uint32_t counts[] = {0, 1, 15, 16, 17, 255, 1023, 1025, MOST};
  static const uint32_t everies[] = {0, 1, 2, 3, 16, 100, 1023};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (size_t e = 0; e < sizeof everies / sizeof *everies; e++)
      if (counts[c] <= MOST) compare_exit_and_masks(counts[c], everies[e]);
}

/* Rows that only the uniforms make leave are computed anew when those change. */
TEST(uniforms_may_change_between_parts) {
  prepare(20, 1);
  make(with_exit);
  ecs_Cursor cursor;
  ecs_Batch batch;
  Reduction reduction;
  double limit = 5;
  const ecs_ProgramCall call = {.uniforms = &limit, .uniform_count = 1};
  ProgramPart part = {
      .batch = &batch, .reductions = &reduction, .changed = true};
  reduction_begin(&reduction, REDUCTION_SUM);
  must(ecs_query_begin(fixture.query, ECS_BATCH_WHOLE, &cursor));
  assert_true(ecs_cursor_next(&cursor, &batch));
  must(ecs_program_run_part(fixture.program, &call, &part));
  assert_int_equal(part.end, 0);
  assert_int_equal(part.taken, batch.count);
  assert_true(part.by_uniforms);
  limit = 10;
  part.first = 1;
  part.changed = true;
  must(ecs_program_run_part(fixture.program, &call, &part));
  assert_int_equal(part.end, batch.count);
  assert_int_equal(part.taken, 0);
  part.first = batch.count + 1;
  assert_int_equal(ecs_program_run_part(fixture.program, &call, &part),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_program_run_part(fixture.program, NULL, &part),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_program_run_part(fixture.program, &call, NULL),
                   ECS_E_ARGUMENT);
  part.first = 0;
  part.reductions = NULL;
  assert_int_equal(ecs_program_run_part(fixture.program, &call, &part),
                   ECS_E_ARGUMENT);
  ecs_cursor_discard(&cursor);
  finish();
}

/* Another part of the same program, with other uniforms, comes in between. */
TEST(parts_may_be_nested) {
  prepare(30, 3);
  make(with_exit);
  double limit = 5, other = 10;
  ecs_Batch batch;
  ecs_Cursor cursor;
  Reduction reductions[2];
  const ecs_ProgramCall calls[] = {{.uniforms = &limit, .uniform_count = 1},
                                   {.uniforms = &other, .uniform_count = 1}};
  ProgramPart parts[2];
  must(ecs_query_begin(fixture.query, ECS_BATCH_WHOLE, &cursor));
  assert_true(ecs_cursor_next(&cursor, &batch));
  for (int k = 0; k < 2; k++) {
    parts[k] = (ProgramPart){
        .batch = &batch, .reductions = &reductions[k], .changed = true};
    reduction_begin(&reductions[k], REDUCTION_SUM);
  }
  must(ecs_program_run_part(fixture.program, &calls[0], &parts[0]));
  uint32_t end = parts[0].end;
  assert_true(end < batch.count);
  must(ecs_program_run_part(fixture.program, &calls[1], &parts[1]));
  assert_int_equal(parts[1].end, batch.count);
  parts[0].first = end;
  must(ecs_program_run_part(fixture.program, &calls[0], &parts[0]));
  assert_int_equal(parts[0].end, end);
  ecs_cursor_discard(&cursor);
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_do_what_masks_do),
      cmocka_unit_test(uniforms_may_change_between_parts),
      cmocka_unit_test(parts_may_be_nested),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

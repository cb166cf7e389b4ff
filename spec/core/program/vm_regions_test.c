/* vm_regions_test.c: steps that few rows need run for these rows alone.
 *
 * The random programs and spec/lua/compile/rare_spec.lua compare values. Here is
 * that regions are found where they should be, and that a run for few rows
 * leaves the bits that a run for all leaves.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test_case.h"
#include "program/vm_regions.h"
#include "program_fixture.h"

/* Rows in which P.y is below 5: x becomes sin(x * 3) / y, twice as much where x
 * was above 2. */
static const char heavy[] =
    "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"y\" f32 read\n"
    "v0 = load f32 c0\nv1 = load f32 c1\nv2 = constant f32 5\n"
    "v3 = lt f32 v1 v2\nv4 = constant f32 3\nv5 = mul f32 v0 v4\n"
    "v6 = xsin f32 v5\nv7 = div f32 v6 v1\nv8 = constant f32 2\n"
    "v9 = lt f32 v8 v0\nv10 = xcos f32 v7\nv11 = xexp f32 v10\n"
    "v12 = xsin f32 v11\nv13 = mul f32 v12 v7\nv14 = select f32 v9 v13 v7\n"
    "v15 = select f32 v3 v14 v0\nstore c0 v15\n";

/* The same rows: sums that are fused with a product use values from outside, of
 * a column, of a register and of a number, on either side. */
static const char fused[] =
    "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"y\" f32 read\n"
    "column c2 \"V\" \"x\" f32 write\ncolumn c3 \"V\" \"y\" f32 read\n"
    "v0 = load f32 c0\nv1 = load f32 c1\nv2 = load f32 c2\n"
    "v3 = load f32 c3\nv4 = constant f32 5\nv5 = lt f32 v1 v4\n"
    "v6 = add f32 v0 v2\nv7 = xsin f32 v1\nv8 = xcos f32 v7\n"
    "v9 = xexp f32 v8\nv10 = mul f32 v7 v8\nv11 = add f32 v10 v3\n"
    "v12 = mul f32 v9 v8\nv13 = sub f32 v6 v12\nv14 = mul f32 v9 v7\n"
    "v15 = add f32 v4 v14\nv16 = mul f32 v11 v13\nv17 = sub f32 v16 v15\n"
    "v18 = select f32 v5 v17 v6\nv19 = select f32 v5 v13 v2\n"
    "store c0 v18\nstore c2 v19\n";

static void prepare(const char *text, uint32_t count, uint32_t every) {
  start(ECS_STORE_TABLE, ECS_STORE_SPARSE);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_WRITE}};
  const ecs_Component both[] = {fixture.p, fixture.v};
  ask(terms, 2);
  make(text);
  for (uint32_t k = 0; k < count; k++) {
    must(ecs_spawn(fixture.world, both, 2, NULL, &fixture.entities[k]));
    set(fixture.entities[k], fixture.v, 0, k % 7 * 0.3 - 1);
    set(fixture.entities[k], fixture.v, 1, k % 13);
    set(fixture.entities[k], fixture.p, 0, k % 11 * 0.4);
    set(fixture.entities[k], fixture.p, 1, k % every == 0 ? 1.5 : 9);
  }
}

TEST(heavy_branches_are_regions) {
  prepare(heavy, 0, 1);
  const PlanRegions *regions = fixture.program->plan->regions;
  assert_non_null(regions);
  assert_int_equal(regions->count, 2);
  const PlanRegion *outer = &regions->list[0], *inner = &regions->list[1];
  assert_true(outer->first <= inner->first && inner->end <= outer->end);
  assert_true(outer->truth == 1 && inner->truth == 1);
  assert_int_equal(outer->output_count, 1);
  finish();
}

/* What is cheap, or needed in all rows, is computed for all. */
TEST(other_branches_are_none) {
  static const char cheap[] =
      "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"y\" f32 read\n"
      "v0 = load f32 c0\nv1 = load f32 c1\nv2 = lt f32 v0 v1\n"
      "v3 = mul f32 v0 v1\nv4 = select f32 v2 v3 v0\nstore c0 v4\n";
  static const char shared[] =
      "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"y\" f32 write\n"
      "v0 = load f32 c0\nv1 = load f32 c1\nv2 = lt f32 v0 v1\n"
      "v3 = xsin f32 v0\nv4 = xcos f32 v3\nv5 = xexp f32 v4\n"
      "v6 = select f32 v2 v5 v0\nstore c0 v6\nstore c1 v5\n";
  static const char added[] = /* v6 * v1 + v5 is one step */
      "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"y\" f32 write\n"
      "v0 = load f32 c0\nv1 = load f32 c1\nv2 = lt f32 v0 v1\n"
      "v3 = xsin f32 v0\nv4 = xcos f32 v3\nv5 = xexp f32 v4\n"
      "v6 = select f32 v2 v5 v0\nstore c0 v6\n"
      "v7 = mul f32 v6 v1\nv8 = add f32 v7 v5\nstore c1 v8\n";
  static const char *const texts[] = {cheap, shared, added};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    prepare(texts[k], 0, 1);
    assert_null(fixture.program->plan->regions);
    finish();
  }
}

/* The hash of a world after two runs, with regions or without. */
static uint64_t hash_after(const char *text, uint32_t count, uint32_t every,
                           bool regions) {
  prepare(text, count, every);
  uint32_t found = fixture.program->plan->regions->count;
  if (!regions) fixture.program->plan->regions->count = 0;
  must(run(NULL, NULL));
  must(run(NULL, NULL));
  uint64_t hash = ecs_world_hash(fixture.world);
  fixture.program->plan->regions->count = found;
  finish();
  return hash;
}

static void compare_hashes(const char *text) {
  static const uint32_t counts[] = {1, 3, 16, 40, 511, 512, 513, 1500};
  static const uint32_t everies[] = {1, 2, 3, 4, 5, 9, 100, 511, 4000};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (size_t e = 0; e < sizeof everies / sizeof *everies; e++)
      if (counts[c] <= MOST)
        assert_true(hash_after(text, counts[c], everies[e], true) ==
                    hash_after(text, counts[c], everies[e], false));
}

TEST(few_rows_get_the_bits_of_all) { compare_hashes(heavy); }

/* A product that is computed with its sum is one step of three operands. */
TEST(fused_sums_read_three_places) {
  prepare(fused, 0, 1);
  const ProgramPlan *plan = fixture.program->plan;
  assert_non_null(plan->regions);
  const PlanRegion *region = &plan->regions->list[0];
  uint32_t of_column = 0, of_registers = 0;
  for (uint32_t k = 0; k < region->input_count; k++) {
    uint32_t place = plan->regions->copies[region->inputs + k].place;
    of_column += place == plan->register_count + 3; /* v3, c3 */
    of_registers += place < plan->register_count;   /* v6 */
  }
  assert_int_equal(of_column, 1);
  assert_int_equal(of_registers, 1);
  finish();
}

TEST(fused_sums_of_few_rows_get_the_bits_of_all) { compare_hashes(fused); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heavy_branches_are_regions),
      cmocka_unit_test(other_branches_are_none),
      cmocka_unit_test(few_rows_get_the_bits_of_all),
      cmocka_unit_test(fused_sums_read_three_places),
      cmocka_unit_test(fused_sums_of_few_rows_get_the_bits_of_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

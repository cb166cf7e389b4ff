/* program_presence_test.c: one side of a branch on an optional column is left.
 *
 * The random programs (program_differential_test.c) have optional columns and
 * compare values with a reference. Here is what is left out, that bits stay,
 * and that a program is made whole or not at all. */
#include <stdio.h>
#include <stdlib.h>

#include "test_case.h"
#include "program/program_presence.h"
#include "program_fixture.h"

#define COLUMNS                          \
  "column c0 \"P\" \"x\" f32 write\n"    \
  "column c1 \"P\" \"y\" f32 write\n"    \
  "column c2 \"V\" \"x\" f32 optional\n" \
  "column c3 \"S\" \"y\" f32 optional\n"

/* x becomes x + V.x where V is there, and S.y becomes it where both are. */
static const char branch[] = COLUMNS
    "v0 = present c2\nv1 = present c3\nv2 = load f32 c0\nv3 = load f32 c2\n"
    "v4 = add f32 v2 v3\nv5 = select f32 v0 v4 v2\nstore c0 v5\n"
    "v6 = and v0 v1\nstore c3 v5 v6\n";

/* The same decided in other ways, and with what shows the order of rows. */
static const char mixed[] = COLUMNS
    "reduction r0 sum\nreduction r1 max\n"
    "v0 = present c2\nv1 = not v0\nv2 = present c3\nv3 = load f32 c0\n"
    "v4 = load f32 c1\nv5 = lt f32 v3 v4\nv6 = or v5 v0\nv7 = and v6 v2\n"
    "v8 = load f32 c2\nv9 = load f32 c3\nv10 = mul f32 v8 v9\n"
    "v11 = sub f32 v3 v10\nv12 = select f32 v7 v11 v4\nstore c1 v12\n"
    "store c2 v3 v7\nstore c3 v4 v1\nv13 = convert f64 v12\n"
    "sum r0 v13 v0\nsum r0 v13 v7\nmax r1 v13 v1\nadd \"T\" v7\n"
    "remove \"T\" v1\n";

/* Entity k has V and S by the bits of shape(k). */
static uint32_t shape(uint32_t k, uint32_t kind) {
  return kind == 0 ? k % 4 : kind == 1 ? k % 2 * 3 : kind - 2;
}

static void prepare(const char *text, uint32_t count, uint32_t kind,
                    ecs_Storage storage) {
  start(storage, ECS_STORE_TABLE);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE},
                            {fixture.v, ECS_OPTIONAL},
                            {fixture.s, ECS_OPTIONAL}};
  ask(terms, 3);
  make(text);
  for (uint32_t k = 0; k < count; k++) {
    const ecs_Component parts[] = {fixture.v, fixture.s};
    ecs_Entity *entity = &fixture.entities[k];
    must(ecs_spawn(fixture.world, &fixture.p, 1, NULL, entity));
    set(*entity, fixture.p, 0, k * 0.3);
    set(*entity, fixture.p, 1, k % 7 * 0.7);
    for (uint32_t b = 0; b < 2; b++) {
      if ((shape(k, kind) >> b & 1) == 0) continue;
      must(ecs_add(fixture.world, *entity, parts[b], NULL));
      set(*entity, parts[b], b, k % 5 * 1.1);
    }
  }
}

TEST(one_side_is_left) {
  prepare(branch, 0, 0, ECS_STORE_TABLE);
  const ecs_Program *program = fixture.program;
  assert_non_null(program->assumed[0]);
  assert_non_null(program->assumed[1]);
  /* A row keeps its x: it is stored once more. */
  assert_int_equal(program->assumed[0]->plan->step_count, 1);
  /* One sum, in its column, and its copy. */
  const ProgramPlan *there = program->assumed[1]->plan;
  assert_int_equal(there->step_count, 2);
  assert_true(there->steps[0].ins->operation == OPERATION_PLUS);
  assert_int_equal(there->steps[0].out, plan_column(there, 0));
  assert_true(there->steps[1].ins->operands[1] == NO_VALUE);
  assert_int_equal(there->register_count, 1);
  assert_true(program->plan->step_count > 4);
  finish();
}

TEST(other_programs_have_one_plan) {
  static const char *const texts[] = {
      COLUMNS "v0 = load f32 c0\nstore c1 v0\n",
      COLUMNS "v0 = present c2\nexit v0\n",
      COLUMNS "v0 = present c2\nrepeat\nagain v0\n",
  };
  for (size_t k = 0; k < 3; k++) {
    prepare(texts[k], 0, 0, ECS_STORE_TABLE);
    assert_null(fixture.program->assumed[0]);
    assert_null(fixture.program->assumed[1]);
    finish();
  }
}

/* The hash of a world after two runs, with all plans or with one; and sums. */
static uint64_t hash_after(const char *text, uint32_t count, uint32_t kind,
                           ecs_Storage storage, bool all, double *sums) {
  prepare(text, count, kind, storage);
  ecs_Program *program = fixture.program;
  ecs_Program *assumed[2] = {program->assumed[0], program->assumed[1]};
  if (!all) program->assumed[0] = program->assumed[1] = NULL;
  must(run(NULL, sums));
  must(run(NULL, sums));
  uint64_t hash = ecs_world_hash(fixture.world);
  program->assumed[0] = assumed[0];
  program->assumed[1] = assumed[1];
  finish();
  return hash;
}

TEST(bits_stay) {
  static const uint32_t counts[] = {1, 5, 40, 511, 513, 1030, 2600};
  static const char *const texts[] = {branch, mixed};
  static const ecs_Storage storages[] = {ECS_STORE_TABLE, ECS_STORE_SPARSE};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (uint32_t kind = 0; kind < 6 && counts[c] <= MOST; kind++)
      for (uint32_t k = 0; k < 4; k++) {
        double sums[2] = {0, 0}, again[2] = {0, 0};
        const char *text = texts[k % 2];
        ecs_Storage storage = storages[k / 2];
        assert_true(hash_after(text, counts[c], kind, storage, true, sums) ==
                    hash_after(text, counts[c], kind, storage, false, again));
        assert_memory_equal(sums, again, sizeof sums);
      }
}

/* Each allocation fails once. */
TEST(a_program_is_made_whole_or_not) {
  prepare(branch, 8, 0, ECS_STORE_TABLE);
  ecs_program_destroy(fixture.program);
  uint64_t blocks = fixture.failing.blocks, n = 1;
  for (;; n++) {
    failing_memory_arm(&fixture.failing, n, FAIL_ONCE);
    ecs_Status status = ecs_program_create(
        fixture.query, branch, strlen(branch), &fixture.program, NULL, 0);
    if (failing_memory_disarm(&fixture.failing) == 0) break;
    assert_int_equal(status, ECS_E_MEMORY);
    assert_int_equal(fixture.failing.blocks, blocks);
  }
  assert_true(n > 10);
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_side_is_left),
      cmocka_unit_test(other_programs_have_one_plan),
      cmocka_unit_test(bits_stay),
      cmocka_unit_test(a_program_is_made_whole_or_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

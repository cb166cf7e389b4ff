/* kernel_shared_test.c: native kernels on several threads. */
#include "kernel_fixture.h"
#include "test_case.h"

#include <stdatomic.h>

#ifdef ECS_TINY
#define COUNT 40u
#else
#define COUNT 300u
#endif

static _Atomic uint32_t calls, rows, wrong;

/* Adds one and v, and counts. A call has one block, which begins at a multiple
 * of the rows that threads take, or at the beginning of a table. */
static void add_one(const ecs_KernelCall *call) {
  atomic_fetch_add(&calls, 1);
  if (call->dt != 0.25 || call->tick != 77) atomic_fetch_add(&wrong, 1);
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    double *x = block->columns[0];
    const uint32_t *v = block->columns[1];
    atomic_fetch_add(&rows, block->count);
    for (uint32_t i = 0; i < block->count; i++)
      x[i] += 1 + (v == NULL ? 0 : v[i]);
  }
}

/* Runs such a kernel, with flags, on so many threads; returns the sum of x. */
static double play(uint32_t flags, uint32_t threads) {
  Fixture fixture;
  double sum = 0;
  start(&fixture);
  const ecs_Kernel kernel = {"k", add_one, x_and_v, 2, flags, NULL, NULL};
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_OPTIONAL}};
  ecs_Entity entities[COUNT];
  ecs_KernelBinding *binding =
      bind(make_query(fixture.world, terms, 2), &kernel);
  assert_int_equal(ecs_world_set_threads(fixture.world, threads), ECS_OK);
  for (uint32_t k = 0; k < COUNT; k++)
    entities[k] = spawn(&fixture, fixture.p, k % 3 == 0 ? fixture.v : 0);
  calls = rows = wrong = 0;
  assert_int_equal(ecs_kernel_run(binding, &fixture.call), ECS_OK);
  assert_int_equal(rows, COUNT);
  assert_int_equal(wrong, 0);
  for (uint32_t k = 0; k < COUNT; k++) {
    double x = 0;
    assert_int_equal(
        ecs_get_field(fixture.world, entities[k], fixture.p, 1, &x), ECS_OK);
    assert_true(x == (k % 3 == 0 ? 21 : 1));
    sum += x;
  }
  finish(&fixture);
  return sum;
}

TEST(a_kernel_that_says_so_is_cut) {
  bool cut = COUNT >= 8 * ECS_SHARED_ROWS;
  (void)play(ECS_KERNEL_PARALLEL, 1);
  assert_int_equal(calls, 1);
  (void)play(ECS_KERNEL_PARALLEL, 3);
  assert_true(!cut || calls > 1);
}

TEST(other_kernels_are_not) {
  (void)play(0, 3);
  assert_int_equal(calls, 1);
  (void)play(ECS_KERNEL_PARALLEL | ECS_KERNEL_WHOLE_TABLES, 3);
  assert_int_equal(calls, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_kernel_that_says_so_is_cut),
      cmocka_unit_test(other_kernels_are_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* kernel_binding_test.c: which kernels can be bound to a query, and when
 * bindings are destroyed.
 */
#include "kernel_fixture.h"
#include "test_case.h"

/* Binding ----------------------------------------------------------------- */

/* Binds a kernel with one column to a query with three terms. */
static ecs_Status ask(ecs_KernelColumn column, ecs_Access access) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {
      {fixture.p, access}, {fixture.s, ECS_WITH}, {fixture.tag, ECS_READ}};
  const ecs_Kernel kernel = {"k",  look, &column, 1, ECS_KERNEL_ENTITIES,
                             NULL, NULL};
  ecs_KernelBinding *binding = NULL;
  ecs_Status status = ecs_kernel_bind(make_query(fixture.world, terms, 3),
                                      &kernel, &binding, NULL);
  assert_int_equal(binding != NULL, status == ECS_OK);
  finish(&fixture);
  return status;
}

TEST(a_term_gives_at_least_the_access_that_is_asked) {
  static const bool fits[3][5] = {/* kernel: write, read, optional */
                                  {true, false, false, false, false},
                                  {true, true, false, false, false},
                                  {true, false, true, false, false}};
  static const ecs_Access terms[] = {ECS_WRITE, ECS_READ, ECS_OPTIONAL,
                                     ECS_WITH, ECS_WITHOUT};
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t k = 0; k < 5; k++)
      assert_int_equal(
          ask((ecs_KernelColumn){"P", "x", ECS_F64, (ecs_Access)i}, terms[k]),
          fits[i][k] ? ECS_OK : ECS_E_KERNEL);
  for (int access = ECS_UP; access <= ECS_ACCESS_COUNT; access++)
    assert_int_equal(
        ask((ecs_KernelColumn){"P", "x", ECS_F64, (ecs_Access)access},
            ECS_WRITE),
        ECS_E_KERNEL);
}

TEST(a_column_is_a_field_of_a_term_with_its_type) {
  static const ecs_KernelColumn good[] = {{"P", "x", ECS_F64, ECS_READ},
                                          {"P", "y", ECS_F32, ECS_READ}};
  static const ecs_KernelColumn bad[] = {
      {"P", "x", ECS_F32, ECS_READ},
      {"P", "y", ECS_F64, ECS_READ},
      {"P", "z", ECS_F64, ECS_READ},
      {"p", "x", ECS_F64, ECS_READ},
      {"S", "s", ECS_U32, ECS_READ},
      {"V", "v", ECS_U32, ECS_READ},
      {"Tag", "", ECS_U32, ECS_READ},
      {"P", "x", (ecs_Scalar)(256 + ECS_F64), ECS_READ}};
  for (uint32_t i = 0; i < 2; i++)
    assert_int_equal(ask(good[i], ECS_WRITE), ECS_OK);
  for (uint32_t i = 0; i < 8; i++)
    assert_int_equal(ask(bad[i], ECS_WRITE), ECS_E_KERNEL);
}

TEST(the_first_column_that_does_not_fit_is_named) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.p, ECS_READ}, {fixture.v, ECS_READ}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  ecs_KernelColumn columns[4]; /* they outlive the binding */
  const ecs_Kernel kernel = {"k",  look, columns, 4, ECS_KERNEL_ENTITIES,
                             NULL, NULL};
  for (uint32_t wrong = 0; wrong <= 4; wrong++) {
    for (uint32_t i = 0; i < 4; i++)
      columns[i] =
          (ecs_KernelColumn){"V", i >= wrong ? "w" : "v", ECS_U32, ECS_READ};
    ecs_KernelBinding *binding = NULL;
    uint32_t named = 99;
    uint64_t blocks = fixture.failing.blocks;
    assert_int_equal(ecs_kernel_bind(query, &kernel, &binding, &named),
                     wrong < 4 ? ECS_E_KERNEL : ECS_OK);
    assert_int_equal(named, wrong < 4 ? wrong : 99);
    if (wrong < 4) assert_int_equal(fixture.failing.blocks, blocks);
    if (wrong < 4) assert_null(binding);
  }
  finish(&fixture);
}

TEST(columns_are_mapped_to_those_of_the_query) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {
      {fixture.v, ECS_READ}, {fixture.tag, ECS_WITH}, {fixture.p, ECS_WRITE}};
  static const ecs_KernelColumn columns[] = {{"P", "x", ECS_F64, ECS_READ},
                                             {"V", "v", ECS_U32, ECS_READ},
                                             {"P", "y", ECS_F32, ECS_WRITE}};
  const ecs_Kernel kernel = {"k",  look, columns, 3, ECS_KERNEL_ENTITIES,
                             NULL, NULL};
  const ecs_KernelBinding *binding =
      bind(make_query(fixture.world, terms, 3), &kernel);
  static const uint32_t expected[] = {2, 0, 1};
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(binding->columns[i], expected[i]);
  assert_ptr_equal(binding->kernel, &kernel);
  finish(&fixture);
}

TEST(bindings_end_with_their_query) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_OPTIONAL}};
  const ecs_Kernel kernel = {"k",  step, x_and_v, 2, ECS_KERNEL_ENTITIES,
                             NULL, NULL};
  const ecs_Kernel bare = {"b", look, NULL, 0, ECS_KERNEL_ENTITIES, NULL, NULL};
  (void)spawn(&fixture, fixture.p, 0);
  uint64_t blocks = fixture.failing.blocks;
  ecs_Query *query = make_query(fixture.world, terms, 2);
  ecs_KernelBinding *first = bind(query, &kernel);
  (void)bind(query, &bare);
  ecs_KernelBinding *last = bind(query, &kernel);
  (void)run(&fixture, first);
  (void)run(&fixture, last);
  assert_int_equal(ecs_query_destroy(query), ECS_OK);
  assert_true(fixture.failing.blocks <= blocks + 2); /* lists that grew */
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_term_gives_at_least_the_access_that_is_asked),
      cmocka_unit_test(a_column_is_a_field_of_a_term_with_its_type),
      cmocka_unit_test(the_first_column_that_does_not_fit_is_named),
      cmocka_unit_test(columns_are_mapped_to_those_of_the_query),
      cmocka_unit_test(bindings_end_with_their_query),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

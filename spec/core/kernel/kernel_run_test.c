/* kernel_run_test.c: native kernels run over a query's rows. */
#include "ecs_array.h"
#include "ecs_kernel.h"
#include "kernel_fixture.h"
#include "test_case.h"

static void store_noise(const ecs_KernelCall *call) {
  const uint64_t noise = UINT64_C(0x7ff8000000000001);
  for (uint32_t i = 0; i < call->block_count; i++)
    memcpy(call->blocks[i].columns[0], &noise, sizeof noise);
}

static const ecs_KernelColumn x_and_s[] = {{"P", "x", ECS_F64, ECS_WRITE},
                                           {"S", "s", ECS_U32, ECS_READ}};

static double x_of(const Fixture *fixture, ecs_Entity entity) {
  double x = -1;
  assert_int_equal(ecs_get_field(fixture->world, entity, fixture->p, 1, &x),
                   ECS_OK);
  return x;
}

/* Full plans -------------------------------------------------------------- */

TEST(a_full_plan_is_one_call_with_a_block_per_table) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_OPTIONAL}};
  const ecs_Kernel kernel = {
      "k",  step, x_and_v, 2, ECS_KERNEL_WHOLE_TABLES | ECS_KERNEL_ENTITIES,
      NULL, NULL};
  ecs_KernelBinding *binding =
      bind(make_query(fixture.world, terms, 2), &kernel);
  ecs_Entity a = spawn(&fixture, fixture.p, 0);
  ecs_Entity b = spawn(&fixture, fixture.p, fixture.v);
  ecs_Entity c = spawn(&fixture, fixture.p, fixture.tag);
  ecs_Entity gone = spawn(&fixture, fixture.p, fixture.s);
  assert_int_equal(ecs_destroy(fixture.world, c), ECS_OK); /* an empty table */
  Report report = run(&fixture, binding);
  assert_int_equal(report.calls, 1);
  assert_int_equal(report.blocks, 2);
  assert_int_equal(report.rows, 3);
  assert_int_equal(report.absent, 2);
  assert_int_equal(report.entities, a + b + gone);
  assert_true(report.dt == 0.25);
  assert_int_equal(report.tick, 77);
  assert_true(x_of(&fixture, a) == 1);
  assert_true(x_of(&fixture, b) == 21);
  finish(&fixture);
}

TEST(without_rows_a_call_has_no_blocks) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_OPTIONAL}};
  const ecs_Kernel kernel = {"k",  step, x_and_v, 2, ECS_KERNEL_ENTITIES,
                             NULL, NULL};
  ecs_KernelBinding *binding =
      bind(make_query(fixture.world, terms, 2), &kernel);
  Report report = run(&fixture, binding);
  assert_int_equal(report.blocks, 0);
  finish(&fixture);
}

TEST(blocks_are_kept_until_the_group_changes) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_OPTIONAL}};
  const ecs_Kernel kernel = {"k",  step, x_and_v, 2, ECS_KERNEL_ENTITIES,
                             NULL, NULL};
  ecs_KernelBinding *binding =
      bind(make_query(fixture.world, terms, 2), &kernel);
  ecs_Entity a = spawn(&fixture, fixture.p, 0);
  for (uint32_t i = 1; i <= 30; i++) {
    Report report = run(&fixture, binding);
    assert_int_equal(report.rows, i);
    uint64_t requests = fixture.failing.requests;
    binding->block_count = 0; /* shows whether they are listed again */
    assert_int_equal(run(&fixture, binding).blocks, 0);
    assert_int_equal(fixture.failing.requests, requests);
    (void)spawn(&fixture, fixture.p, i % 2 == 0 ? fixture.v : 0);
  }
  assert_true(x_of(&fixture, a) == 30);
  assert_int_equal(ecs_destroy(fixture.world, a), ECS_OK);
  assert_int_equal(run(&fixture, binding).rows, 30);
  finish(&fixture);
}

TEST(blocks_follow_the_layout) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_OPTIONAL}};
  const ecs_Kernel kernel = {"k",  step, x_and_v, 2, ECS_KERNEL_ENTITIES,
                             NULL, NULL};
  ecs_KernelBinding *binding =
      bind(make_query(fixture.world, terms, 2), &kernel);
  const ecs_Component both[] = {fixture.p, fixture.v};
  ecs_Entity a = spawn(&fixture, fixture.p, 0);
  ecs_Entity b = spawn(&fixture, fixture.p, fixture.v);
  for (uint32_t round = 0; round < 3; round++) {
    double x = x_of(&fixture, b);
    assert_int_equal(run(&fixture, binding).rows, 2);
    assert_int_equal(ecs_group(fixture.world, both, 2), ECS_OK);
    assert_int_equal(run(&fixture, binding).rows, 2);
    assert_int_equal(ecs_ungroup(fixture.world, both, 2), ECS_OK);
    assert_int_equal(ecs_group(fixture.world, both + 1, 1), ECS_OK);
    assert_int_equal(run(&fixture, binding).rows, 2); /* partial now */
    assert_true(x_of(&fixture, b) == x + 63);
    assert_int_equal(ecs_ungroup(fixture.world, both + 1, 1), ECS_OK);
  }
  assert_true(x_of(&fixture, a) == 9);
  finish(&fixture);
}

/* Other plans ------------------------------------------------------------- */

TEST(other_plans_hand_out_their_blocks_one_at_a_time) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.s, ECS_READ}};
  const ecs_Kernel kernel = {"k",  step, x_and_s, 2, ECS_KERNEL_ENTITIES,
                             NULL, NULL};
  ecs_KernelBinding *binding =
      bind(make_query(fixture.world, terms, 2), &kernel);
  ecs_Entity e[6];
  for (uint32_t i = 0; i < 6; i++)
    e[i] = spawn(&fixture, fixture.p, i < 3 ? 0 : fixture.tag);
  for (uint32_t i = 0; i < 6; i++) {
    uint32_t s = i * 100;
    assert_int_equal(ecs_set(fixture.world, e[5 - i], fixture.s, &s, 1),
                     ECS_OK);
  }
  Report report = run(&fixture, binding);
  assert_int_equal(report.calls, 2);
  assert_int_equal(report.blocks, 2);
  assert_int_equal(report.rows, 6);
  assert_int_equal(report.tick, 77);
  for (uint32_t i = 0; i < 6; i++)
    assert_true(x_of(&fixture, e[5 - i]) == 1 + i * 100.0);
  finish(&fixture);
}

TEST(whole_tables_are_not_to_be_had_of_other_plans) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.s, ECS_READ}};
  const ecs_Kernel kernel = {
      "k",  step, x_and_s, 2, ECS_KERNEL_WHOLE_TABLES | ECS_KERNEL_ENTITIES,
      NULL, NULL};
  ecs_KernelBinding *binding =
      bind(make_query(fixture.world, terms, 2), &kernel);
  ecs_Entity e = spawn(&fixture, fixture.p, fixture.s);
  assert_int_equal(ecs_kernel_run(binding, &fixture.call), ECS_E_KERNEL);
  assert_int_equal(fixture.report.calls, 0);
  assert_true(x_of(&fixture, e) == 0);
  finish(&fixture);
}

/* Access and failures ----------------------------------------------------- */

TEST(a_kernel_may_not_touch_what_a_cursor_owns) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_OPTIONAL}};
  const ecs_Term read = {fixture.p, ECS_READ}, other = {fixture.s, ECS_WRITE};
  const ecs_Kernel kernel = {"k",  step, x_and_v, 2, ECS_KERNEL_ENTITIES,
                             NULL, NULL};
  ecs_KernelBinding *binding =
      bind(make_query(fixture.world, terms, 2), &kernel);
  ecs_Cursor cursor;
  (void)spawn(&fixture, fixture.p, 0);
  assert_int_equal(ecs_query_begin(make_query(fixture.world, &read, 1),
                                   ECS_BATCH_WHOLE, &cursor),
                   ECS_OK);
  assert_int_equal(ecs_kernel_run(binding, &fixture.call), ECS_E_ACCESS);
  assert_int_equal(ecs_world_contested(fixture.world), fixture.p);
  assert_int_equal(fixture.report.calls, 0);
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  assert_int_equal(ecs_query_begin(make_query(fixture.world, &other, 1),
                                   ECS_BATCH_WHOLE, &cursor),
                   ECS_OK);
  assert_int_equal(run(&fixture, binding).rows, 1);
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  finish(&fixture);
}

TEST(a_nan_with_a_payload_is_found_in_checked_builds) {
  for (uint32_t partial = 0; partial < 2; partial++) {
    Fixture fixture;
    start(&fixture);
    const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.s, ECS_WITH}};
    const ecs_Kernel kernel = {
        "k", store_noise, x_and_s, 1, ECS_KERNEL_ENTITIES, NULL, NULL};
    ecs_KernelBinding *binding =
        bind(make_query(fixture.world, terms, 1 + partial), &kernel);
    ecs_Entity e = spawn(&fixture, fixture.p, fixture.s);
#ifdef ECS_CHECKED
    uint64_t bits = 0;
    assert_int_equal(ecs_kernel_run(binding, &fixture.call), ECS_E_NAN);
    double x = x_of(&fixture, e);
    memcpy(&bits, &x, sizeof bits);
    assert_int_equal(bits, UINT64_C(0x7ff8000000000000));
#else
    assert_int_equal(ecs_kernel_run(binding, &fixture.call), ECS_OK);
    assert_true(isnan(x_of(&fixture, e)));
#endif
    finish(&fixture);
  }
}

#ifdef ECS_CHECKED
static void store_noise_last(const ecs_KernelCall *call) {
  const uint64_t noise = UINT64_C(0x7ff8000000000001);
  for (uint32_t i = 0; i < call->block_count; i++)
    memcpy((double *)call->blocks[i].columns[2] + call->blocks[i].count - 1,
           &noise, sizeof noise);
}

/* The NaN is in the last column and the last row of every block. The columns
 * before it hold no NaN, or are absent. */
TEST(every_column_of_every_block_is_scanned) {
  static const ecs_KernelColumn columns[] = {{"V", "v", ECS_U32, ECS_OPTIONAL},
                                             {"P", "y", ECS_F32, ECS_WRITE},
                                             {"P", "x", ECS_F64, ECS_WRITE}};
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_OPTIONAL}};
  const ecs_Kernel kernel = {
      "k", store_noise_last, columns, 3, ECS_KERNEL_ENTITIES, NULL, NULL};
  ecs_KernelBinding *binding =
      bind(make_query(fixture.world, terms, 2), &kernel);
  ecs_Entity e[4];
  for (uint32_t i = 0; i < 4; i++)
    e[i] = spawn(&fixture, fixture.p, i < 2 ? fixture.v : 0);
  assert_int_equal(ecs_kernel_run(binding, &fixture.call), ECS_E_NAN);
  for (uint32_t i = 0; i < 4; i++) {
    uint64_t bits = 0;
    double x = x_of(&fixture, e[i]);
    memcpy(&bits, &x, sizeof bits);
    assert_int_equal(bits, i % 2 == 0 ? 0 : UINT64_C(0x7ff8000000000000));
  }
  finish(&fixture);
}

TEST(a_column_that_is_only_read_is_not_scanned) {
  Fixture fixture;
  start(&fixture);
  static const ecs_KernelColumn column = {"P", "x", ECS_F64, ECS_READ};
  const ecs_Term term = {fixture.p, ECS_WRITE};
  const ecs_Kernel kernel = {"k",  store_noise, &column, 1, ECS_KERNEL_ENTITIES,
                             NULL, NULL};
  ecs_KernelBinding *binding =
      bind(make_query(fixture.world, &term, 1), &kernel);
  (void)spawn(&fixture, fixture.p, 0);
  assert_int_equal(ecs_kernel_run(binding, &fixture.call), ECS_OK);
  finish(&fixture);
}
#endif

/* Arrays ------------------------------------------------------------------ */

static const ecs_KernelArray walls_and_heat[] = {
    {"walls", ECS_U8, 2, ECS_WRITE}, {"heat", ECS_F64, 1, ECS_READ}};
static const ecs_KernelArrays two_arrays = ECS_ARRAYS_OF(walls_and_heat);

/* What the last call was given. */
static ecs_KernelElements given[2];

static void paint(const ecs_KernelCall *call) {
  given[0] = call->arrays[0];
  given[1] = call->arrays[1];
  uint8_t *walls = (uint8_t *)given[0].elements;
  const double *heat = (const double *)given[1].elements;
  walls[given[0].sizes[0] * given[0].sizes[1] - 1] = (uint8_t)heat[0];
}

static const ecs_Kernel painter = {"paint", paint, x_and_s,    1,
                                   0,       NULL,  &two_arrays};

static ecs_Array *array_of(ecs_World *world, const char *name, ecs_Scalar type,
                           uint32_t dimensions) {
  const ecs_ArrayDescription how = {
      name,
      type,
      dimensions,
      {3, dimensions > 1 ? 4 : 0, dimensions > 2 ? 2 : 0}};
  ecs_Array *array = NULL;
  assert_int_equal(ecs_array(world, &how, &array), ECS_OK);
  return array;
}

static uint8_t tile(const ecs_Array *array, uint32_t index) {
  return ((const uint8_t *)ecs_array_view(array)->elements)[index];
}

/* For rows of a full plan and for gathered ones. */
TEST(a_kernel_gets_its_arrays_as_they_are_now) {
  for (uint32_t partial = 0; partial < 2; partial++) {
    Fixture fixture;
    start(&fixture);
    const ecs_Term terms[] = {{fixture.p, ECS_WRITE}, {fixture.s, ECS_WITH}};
    ecs_KernelBinding *binding =
        bind(make_query(fixture.world, terms, 1 + partial), &painter);
    (void)spawn(&fixture, fixture.p, fixture.s);
    ecs_Array *arrays[] = {array_of(fixture.world, "one", ECS_U8, 2),
                           array_of(fixture.world, "two", ECS_F64, 1)};
    assert_int_equal(ecs_kernel_run(binding, &fixture.call), ECS_E_KERNEL);
    assert_int_equal(ecs_kernel_use(binding, arrays, 2, NULL), ECS_OK);
    assert_int_equal(ecs_array_fill(arrays[1], 9), ECS_OK);
    assert_int_equal(ecs_kernel_run(binding, &fixture.call), ECS_OK);
    assert_ptr_equal(given[0].elements, ecs_array_view(arrays[0])->elements);
    assert_true(given[0].sizes[0] == 3 && given[0].sizes[1] == 4);
    assert_true(given[0].sizes[2] == 1 && given[1].sizes[1] == 1);
    assert_true(given[0].dimensions == 2 && given[1].dimensions == 1);
    assert_true(given[0].type == ECS_U8 && given[1].type == ECS_F64);
    assert_true(given[0].access == ECS_WRITE && given[1].access == ECS_READ);
    assert_int_equal(tile(arrays[0], 11), 9);
    static const uint32_t sizes[] = {5, 2, 0};
    assert_int_equal(ecs_array_resize(arrays[0], sizes), ECS_OK);
    assert_int_equal(ecs_kernel_run(binding, &fixture.call), ECS_OK);
    assert_ptr_equal(given[0].elements, ecs_array_view(arrays[0])->elements);
    assert_true(given[0].sizes[0] == 5 && given[0].sizes[1] == 2);
    assert_int_equal(tile(arrays[0], 9), 9);
    arrays[0] = array_of(fixture.world, "three", ECS_U8, 2);
    assert_int_equal(ecs_kernel_use(binding, arrays, 2, NULL), ECS_OK);
    assert_int_equal(ecs_kernel_run(binding, &fixture.call), ECS_OK);
    assert_int_equal(tile(arrays[0], 11), 9);
    finish(&fixture);
  }
}

TEST(arrays_that_do_not_fit_change_nothing) {
  Fixture fixture, other;
  start(&fixture);
  start(&other);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ecs_Query *query = make_query(fixture.world, &term, 1);
  ecs_KernelBinding *binding = bind(query, &painter);
  ecs_Array *walls = array_of(fixture.world, "one", ECS_U8, 2);
  ecs_Array *heat = array_of(fixture.world, "two", ECS_F64, 1);
  ecs_Array *right[] = {walls, heat};
  assert_int_equal(ecs_kernel_use(binding, right, 2, NULL), ECS_OK);
  ecs_Array *wrong[][2] = {{array_of(fixture.world, "byte", ECS_I8, 2), heat},
                           {array_of(fixture.world, "line", ECS_U8, 1), heat},
                           {array_of(fixture.world, "cube", ECS_U8, 3), heat},
                           {array_of(other.world, "one", ECS_U8, 2), heat},
                           {NULL, heat},
                           {walls, walls},
                           {walls, array_of(other.world, "two", ECS_F64, 1)}};
  for (uint32_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    uint32_t position = 77;
    assert_int_equal(ecs_kernel_use(binding, wrong[k], 2, &position),
                     ECS_E_KERNEL);
    assert_int_equal(position, k < 5 ? 0 : 1);
    assert_int_equal(ecs_kernel_use(binding, wrong[k], 2, NULL), ECS_E_KERNEL);
  }
  for (uint32_t count = 0; count < 2; count++) {
    uint32_t position = 77;
    assert_int_equal(ecs_kernel_use(binding, right, count, &position),
                     ECS_E_KERNEL);
    assert_int_equal(position, UINT32_MAX);
  }
  const ecs_Kernel bare = {"k",  look, x_and_v, 1, ECS_KERNEL_ENTITIES,
                           NULL, NULL};
  ecs_KernelBinding *without = bind(query, &bare);
  assert_int_equal(ecs_kernel_use(without, right, 1, NULL), ECS_E_KERNEL);
  assert_int_equal(ecs_kernel_use(without, NULL, 0, NULL), ECS_OK);
  (void)spawn(&fixture, fixture.p, 0);
  assert_int_equal(ecs_kernel_run(binding, &fixture.call), ECS_OK);
  assert_ptr_equal(given[0].elements, ecs_array_view(walls)->elements);
  finish(&other);
  finish(&fixture);
}

#ifdef ECS_CHECKED
static void store_noise_in_array(const ecs_KernelCall *call) {
  const uint64_t noise = UINT64_C(0x7ff8000000000001);
  memcpy((double *)call->arrays[0].elements + 2, &noise, sizeof noise);
}

TEST(arrays_that_are_written_are_scanned) {
  static const ecs_KernelArray declared[] = {{"heat", ECS_F64, 1, ECS_WRITE}};
  static const ecs_KernelArrays arrays = ECS_ARRAYS_OF(declared);
  static const ecs_Kernel kernel = {
      "k", store_noise_in_array, x_and_s, 1, 0, NULL, &arrays};
  Fixture fixture;
  start(&fixture);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ecs_KernelBinding *binding =
      bind(make_query(fixture.world, &term, 1), &kernel);
  ecs_Array *heat = array_of(fixture.world, "heat", ECS_F64, 1);
  assert_int_equal(ecs_kernel_use(binding, &heat, 1, NULL), ECS_OK);
  (void)spawn(&fixture, fixture.p, 0);
  assert_int_equal(ecs_kernel_run(binding, &fixture.call), ECS_E_NAN);
  uint64_t bits = 0;
  memcpy(&bits, (const double *)ecs_array_view(heat)->elements + 2,
         sizeof bits);
  assert_int_equal(bits, UINT64_C(0x7ff8000000000000));
  finish(&fixture);
}
#endif

TEST(every_allocation_for_arrays_may_fail) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ecs_Query *query = make_query(fixture.world, &term, 1);
  ecs_KernelBinding *binding = NULL;
  uint64_t nth = 0, injected;
  do {
    failing_memory_arm(&fixture.failing, ++nth, FAIL_ONCE);
    ecs_Status status = ecs_kernel_bind(query, &painter, &binding, NULL);
    injected = failing_memory_disarm(&fixture.failing);
    assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
  } while (injected > 0);
  assert_int_equal(nth, 5);
  finish(&fixture);
}

TEST(every_allocation_of_a_kernel_may_fail) {
  for (uint32_t round = 0; round < 4; round++) {
    Fixture fixture;
    FailingMode mode = round % 2 == 0 ? FAIL_ONCE : FAIL_ONWARD;
    start(&fixture);
    const ecs_Term terms[] = {{fixture.p, ECS_WRITE},
                              {round < 2 ? fixture.v : fixture.s, ECS_READ}};
    const ecs_KernelColumn columns[] = {
        x_and_s[0], round < 2 ? (ecs_KernelColumn){"V", "v", ECS_U32, ECS_READ}
                              : x_and_s[1]};
    const ecs_Kernel kernel = {"k",  step, columns, 2, ECS_KERNEL_ENTITIES,
                               NULL, NULL};
    ecs_Query *query = make_query(fixture.world, terms, 2);
    ecs_Entity e = spawn(&fixture, fixture.p, terms[1].component);
    ecs_KernelBinding *binding = NULL;
    uint64_t nth = 0, injected;
    do {
      failing_memory_arm(&fixture.failing, ++nth, mode);
      ecs_Status status = ecs_kernel_bind(query, &kernel, &binding, NULL);
      injected = failing_memory_disarm(&fixture.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
    } while (injected > 0);
    assert_int_equal(nth, 3);
    for (nth = 1;; nth++) {
      failing_memory_arm(&fixture.failing, nth, mode);
      ecs_Status status = ecs_kernel_run(binding, &fixture.call);
      injected = failing_memory_disarm(&fixture.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      if (injected == 0) break;
      assert_true(x_of(&fixture, e) == 0);
    }
    assert_true(nth > 2);
    assert_true(x_of(&fixture, e) > 0);
    assert_int_equal(query->open, 0);
    finish(&fixture);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_full_plan_is_one_call_with_a_block_per_table),
      cmocka_unit_test(without_rows_a_call_has_no_blocks),
      cmocka_unit_test(blocks_are_kept_until_the_group_changes),
      cmocka_unit_test(blocks_follow_the_layout),
      cmocka_unit_test(other_plans_hand_out_their_blocks_one_at_a_time),
      cmocka_unit_test(whole_tables_are_not_to_be_had_of_other_plans),
      cmocka_unit_test(a_kernel_may_not_touch_what_a_cursor_owns),
      cmocka_unit_test(a_nan_with_a_payload_is_found_in_checked_builds),
#ifdef ECS_CHECKED
      cmocka_unit_test(every_column_of_every_block_is_scanned),
      cmocka_unit_test(a_column_that_is_only_read_is_not_scanned),
#endif
      cmocka_unit_test(a_kernel_gets_its_arrays_as_they_are_now),
      cmocka_unit_test(arrays_that_do_not_fit_change_nothing),
#ifdef ECS_CHECKED
      cmocka_unit_test(arrays_that_are_written_are_scanned),
#endif
      cmocka_unit_test(every_allocation_for_arrays_may_fail),
      cmocka_unit_test(every_allocation_of_a_kernel_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

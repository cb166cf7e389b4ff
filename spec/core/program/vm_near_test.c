/* vm_near_test.c: programs that ask grids: what they find, how often a list is
 * filled anew, and which grids a run takes. What they find among odd numbers,
 * program_differential_test.c compares with every row.
 */
#include "test_case.h"
#include "ecs_grid.h"
#include "program_fixture.h"

/* Of each row: how many are near goes to P.y, and the sum of their V.x, each
 * times 2 and plus what was, to V.y. */
static const char sums[] =
    "column c0 \"P\" \"x\" f32 read\n"
    "column c1 \"P\" \"y\" f32 write\n"
    "column c2 \"V\" \"y\" f32 write\n"
    "uniform u0 number\n"
    "grid g0 2\n"
    "v0 = load f64 c0\n"
    "v1 = constant f64 0\n"
    "v2 = uniform f64 u0\n"
    "v3 = near g0 v0 v1 v2\n"
    "v4 = constant f64 1\n"
    "v5 = constant f64 2\n"
    "repeat\n"
    "v6 = carry f64 v1\n"
    "v7 = carry f64 v1\n"
    "v8 = lt f64 v6 v3\n"
    "while v8\n"
    "v9 = nth v3 v6\n"
    "v10 = found_get f64 g0 v9 \"V\" \"x\"\n"
    "v11 = mul f64 v7 v5\n"
    "v12 = add f64 v11 v10\n"
    "v13 = add f64 v6 v4\n"
    "next v6 v13\n"
    "next v7 v12\n"
    "again\n"
    "store c1 v6\n"
    "store c2 v7\n";

static ecs_Grid *grid;

/* Row k stands at k, with k % 7 in V.x. */
static void begin(const char *text, uint32_t count) {
  const ecs_GridDescription how = {
      .term = 0, .dimensions = 2, .fields = {0, 1}, .cell = 1.5};
  ecs_Query *query = NULL;
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term read[] = {{fixture.p, ECS_READ}, {fixture.v, ECS_READ}};
  const ecs_Term write[] = {{fixture.p, ECS_WRITE}, {fixture.v, ECS_WRITE}};
  ask(write, 2);
  spawn(count, fixture.v, 1);
  for (uint32_t k = 0; k < count; k++)
    set(fixture.entities[k], fixture.v, 0, k % 7);
  must(ecs_query_create(fixture.world, read, 2, &query));
  must(ecs_grid_create(query, &how, &grid));
  must(ecs_grid_build(grid));
  make(text);
}

static ecs_Status run_near(double radius) {
  const ecs_ProgramCall call = {
      .uniforms = &radius, .uniform_count = 1, .grids = &grid, .grid_count = 1};
  return ecs_program_run(fixture.program, &call);
}

/* What row k finds, in the order of cells, which here is that of x. */
static void assert_sums(uint32_t count, uint32_t radius) {
  for (uint32_t k = 0; k < count; k++) {
    uint32_t first = k < radius ? 0 : k - radius;
    uint32_t last = k + radius < count ? k + radius : count - 1;
    double sum = 0;
    for (uint32_t other = first; other <= last; other++)
      sum = sum * 2 + other % 7;
    assert_true(get(fixture.entities[k], fixture.p, 1) == last - first + 1);
    assert_true(get(fixture.entities[k], fixture.v, 1) == (double)(float)sum);
  }
}

TEST(neighbours_are_visited_in_order) {
  begin(sums, MOST);
  for (uint32_t radius = 0; radius < 9; radius += 2) {
    must(run_near(radius));
    assert_sums(MOST, radius);
  }
  must(run_near(-1));
  assert_true(get(fixture.entities[3], fixture.p, 1) == 0);
  must(run_near(NAN));
  assert_true(get(fixture.entities[3], fixture.p, 1) == 0);
  finish();
}

/* The grid is what was built, also where positions were stored since. */
TEST(a_grid_is_a_copy) {
  begin(sums, 30);
  set(fixture.entities[4], fixture.p, 0, 9);
  set(fixture.entities[5], fixture.v, 0, 100);
  must(run_near(2));
  assert_true(get(fixture.entities[5], fixture.p, 1) == 5);
  assert_true(get(fixture.entities[6], fixture.v, 1) ==
              4 * 16 + 5 * 8 + 6 * 4 + 2 * 0 + 1);
  for (uint32_t k = 0; k < 30; k++) set(fixture.entities[k], fixture.p, 1, 0);
  must(ecs_grid_build(grid));
  must(run_near(2));
  /* Row 4 is at x = 9 now. */
  assert_true(get(fixture.entities[5], fixture.p, 1) == 4);
  assert_true(get(fixture.entities[9], fixture.p, 1) == 6);
  finish();
}

/* What asks behind the last cycle does not begin a block anew, in which columns
 * are stored already. */
TEST(many_may_be_near_behind_a_cycle) {
  uint32_t count = MOST < 2500 ? MOST : 2500;
  begin(
      "column c0 \"P\" \"x\" f32 read\ncolumn c1 \"P\" \"y\" f32 write\n"
      "column c2 \"V\" \"y\" f32 write\nuniform u0 number\ngrid g0 2\n"
      "v0 = load f64 c0\nv1 = constant f64 0\nv2 = uniform f64 u0\n"
      "v3 = constant bool false\nrepeat\nv4 = carry f64 v1\n"
      "next v4 v4\nagain v3\n"
      "v5 = load f32 c1\nv6 = constant f32 1\nv7 = add f32 v5 v6\n"
      "store c1 v7\nv8 = near g0 v0 v4 v2\nv9 = nth v8 v4\nstore c2 v9\n",
      count);
  must(run_near(1e9));
  for (uint32_t k = 0; k < count; k++) {
    assert_true(get(fixture.entities[k], fixture.p, 1) == 1);
    assert_true(get(fixture.entities[k], fixture.v, 1) == 0);
  }
  finish();
}

/* With more rows near than a block has room for, rows go one by one. */
TEST(all_rows_may_be_near) {
  uint32_t count = MOST < 1500 ? MOST : 1500;
  begin(sums, count);
  must(run_near(1e9));
  for (uint32_t k = 0; k < count; k++)
    assert_true(get(fixture.entities[k], fixture.p, 1) == count);
  must(run_near(2));
  assert_sums(count, 2);
  finish();
}

/* A row adds 1 to P.y, behind a cycle and a near; how many are near goes to
 * V.y. */
static const char behind[] =
    "column c0 \"P\" \"x\" f32 read\n"
    "column c1 \"P\" \"y\" f32 write\n"
    "column c2 \"V\" \"y\" f32 write\n"
    "uniform u0 number\n"
    "grid g0 2\n"
    "v0 = load f64 c0\n"
    "v1 = constant f64 0\n"
    "v2 = uniform f64 u0\n"
    "v3 = constant f64 1\n"
    "repeat\n"
    "v4 = carry f64 v1\n"
    "v5 = lt f64 v4 v3\n"
    "while v5\n"
    "v6 = add f64 v4 v3\n"
    "next v4 v6\n"
    "again\n"
    "v7 = near g0 v0 v1 v2\n"
    "v8 = load f64 c1\n"
    "v9 = add f64 v8 v4\n"
    "store c1 v9\n"
    "store c2 v7\n";

/* Rows that go one by one have stored nothing before. */
TEST(crowded_rows_are_stored_once) {
  uint32_t count = MOST < 1500 ? MOST : 1500;
  begin(behind, count);
  must(run_near(1e9));
  for (uint32_t k = 0; k < count; k++) {
    assert_true(get(fixture.entities[k], fixture.p, 1) == 1);
    assert_true(get(fixture.entities[k], fixture.v, 1) == count);
  }
  finish();
}

/* The same, stored before the near is asked for. */
static const char ahead[] =
    "column c0 \"P\" \"x\" f32 read\n"
    "column c1 \"P\" \"y\" f32 write\n"
    "column c2 \"V\" \"y\" f32 write\n"
    "uniform u0 number\n"
    "grid g0 2\n"
    "v0 = load f64 c0\n"
    "v1 = constant f64 0\n"
    "v2 = uniform f64 u0\n"
    "v3 = constant f64 1\n"
    "repeat\n"
    "v4 = carry f64 v1\n"
    "v5 = lt f64 v4 v3\n"
    "while v5\n"
    "v6 = add f64 v4 v3\n"
    "next v4 v6\n"
    "again\n"
    "v7 = load f64 c1\n"
    "v8 = add f64 v7 v4\n"
    "store c1 v8\n"
    "v9 = near g0 v0 v1 v2\n"
    "store c2 v9\n";

TEST(a_store_before_a_near_is_made_once) {
  uint32_t count = MOST < 1500 ? MOST : 1500;
  begin(ahead, count);
  must(run_near(1e9));
  for (uint32_t k = 0; k < count; k++) {
    assert_true(get(fixture.entities[k], fixture.p, 1) == 1);
    assert_true(get(fixture.entities[k], fixture.v, 1) == count);
  }
  finish();
}

TEST(nothing_is_allocated_in_a_steady_state) {
  begin(sums, MOST);
  must(run_near(3));
  uint64_t requests = fixture.failing.requests;
  for (uint32_t k = 0; k < 5; k++) must(run_near(3));
  assert_int_equal(fixture.failing.requests, requests);
  finish();
}

/* Where there is no memory, nothing comes of the block. */
static void fail_each_allocation(const char *text, double stored) {
  uint32_t failed = 0;
  begin(text, 30);
  for (uint64_t n = 1;; n++, failed++) {
    failing_memory_arm(&fixture.failing, n, FAIL_ONCE);
    ecs_Status status = run_near(1e9);
    if (failing_memory_disarm(&fixture.failing) == 0) break;
    assert_int_equal(status, ECS_E_MEMORY);
    for (uint32_t k = 0; k < 30; k++)
      assert_true(get(fixture.entities[k], fixture.p, 1) == 0);
  }
  assert_true(failed > 0);
  assert_true(get(fixture.entities[3], fixture.p, 1) == stored);
  finish();
}

TEST(a_failure_stores_nothing) {
  fail_each_allocation(sums, 30);
  fail_each_allocation(ahead, 1);
}

/* The nearest other, whether there is any, and a count. */
TEST(single_answers) {
  begin(
      "column c0 \"P\" \"x\" f32 read\n"
      "column c1 \"P\" \"y\" f32 write\n"
      "column c2 \"V\" \"y\" f32 write\n"
      "column c3 \"P\" \"who\" entity write\n"
      "column c4 \"V\" \"x\" f32 write\n"
      "uniform u0 number\n"
      "grid g0 2\n"
      "v0 = load f64 c0\n"
      "v1 = constant f64 0\n"
      "v2 = uniform f64 u0\n"
      "v3 = self\n"
      "v4 = nearest g0 v0 v1 v2 v3\n"
      "v5 = found g0 v4\n"
      "v6 = found_get f32 g0 v4 \"P\" \"x\"\n"
      "v7 = near_any g0 v0 v1 v2 v3\n"
      "v8 = near_count g0 v0 v1 v2\n"
      "v9 = constant f32 7\n"
      "store c1 v6\n"
      "store c2 v8\n"
      "store c3 v5\n"
      "store c4 v9 v7\n",
      20);
  must(run_near(1));
  for (uint32_t k = 0; k < 20; k++) {
    uint32_t nearest = k == 0 ? 1 : k - 1;
    assert_true(get(fixture.entities[k], fixture.p, 1) == nearest);
    assert_true(get(fixture.entities[k], fixture.v, 1) == 3 - (k % 19 == 0));
    assert_true(get(fixture.entities[k], fixture.p, 2) ==
                (double)fixture.entities[nearest]);
    assert_true(get(fixture.entities[k], fixture.v, 0) == 7);
  }
  must(run_near(0.5));
  assert_true(get(fixture.entities[7], fixture.p, 1) == 0);
  assert_true(get(fixture.entities[7], fixture.p, 2) == 0);
  assert_true(get(fixture.entities[7], fixture.v, 1) == 1);
  finish();
}

TEST(a_grid_must_fit) {
  const ecs_GridDescription how = {
      .term = 0, .dimensions = 2, .fields = {0, 1}, .cell = 1};
  const double radius = 1;
  ecs_Grid *other = NULL;
  ecs_Query *query = NULL;
  begin(sums, 8);
  ecs_ProgramCall call = {.uniforms = &radius, .uniform_count = 1};
  assert_int_equal(ecs_program_run(fixture.program, &call), ECS_E_ARGUMENT);
  call.grid_count = 1;
  assert_int_equal(ecs_program_run(fixture.program, &call), ECS_E_ARGUMENT);
  call.grids = &other;
  assert_int_equal(ecs_program_run(fixture.program, &call), ECS_E_ARGUMENT);
  /* Not each of its rows has a V. */
  const ecs_Term terms[] = {{fixture.p, ECS_READ}, {fixture.v, ECS_OPTIONAL}};
  must(ecs_query_create(fixture.world, terms, 2, &query));
  must(ecs_grid_create(query, &how, &other));
  assert_int_equal(ecs_program_run(fixture.program, &call), ECS_E_ARGUMENT);
  ecs_grid_destroy(other);
  call.grids = &grid;
  must(ecs_program_run(fixture.program, &call));
  finish();
}

static void assert_refused(const char *text, const char *message) {
  char said[200] = "";
  ecs_Program *program = NULL;
  assert_int_equal(ecs_program_create(fixture.query, text, strlen(text),
                                      &program, said, sizeof said),
                   ECS_E_PROGRAM);
  assert_string_equal(said, message);
}

TEST(mistakes_are_named) {
  begin(sums, 1);
  assert_refused("grid g0 4\n", "line 1: a grid has 2 or 3 dimensions: 4");
  assert_refused("grid g0 3\nv0 = constant f64 1\nv1 = near g0 v0 v0 v0\n",
                 "line 3: there is none of these, or it is not defined yet: v");
  assert_refused("grid g0 2\nv0 = constant f64 1\nv1 = nth v0 v0\n",
                 "line 3: nth: the first operand is no near");
  assert_refused("grid g0 2\nv0 = constant f32 1\nv1 = near g0 v0 v0 v0\n",
                 "line 3: near: an operand is not a f64");
  assert_refused(
      "grid g0 2\nv0 = constant f64 1\n"
      "v1 = found_get bool g0 v0 \"P\" \"x\"\n",
      "line 3: found_get: the field does not load as bool");
  assert_refused(
      "grid g0 2\nv0 = constant f64 1\n"
      "v1 = near_any g0 v0 v0 v0 v0\n",
      "line 3: near_any: an operand is not a entity");
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(neighbours_are_visited_in_order),
      cmocka_unit_test(a_grid_is_a_copy),
      cmocka_unit_test(many_may_be_near_behind_a_cycle),
      cmocka_unit_test(all_rows_may_be_near),
      cmocka_unit_test(crowded_rows_are_stored_once),
      cmocka_unit_test(a_store_before_a_near_is_made_once),
      cmocka_unit_test(nothing_is_allocated_in_a_steady_state),
      cmocka_unit_test(a_failure_stores_nothing),
      cmocka_unit_test(single_answers),
      cmocka_unit_test(a_grid_must_fit),
      cmocka_unit_test(mistakes_are_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

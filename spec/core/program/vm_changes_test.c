/* vm_changes_test.c: programs that add, remove and destroy.
 *
 * Changes are recorded in the order of rows. They are applied when all rows are
 * done and nothing is open, all of them or none.
 */
#include "test_case.h"
#include "program_fixture.h"

/* Destroys entities with x < u0. Others get V and T; below 2 u0, T is removed
 * again. */
static const char changes[] =
    "column c0 \"P\" \"x\" f32 read\nuniform u0 number\nv0 = load f32 c0\n"
    "v1 = uniform f32 u0\nv2 = lt f32 v0 v1\ndestroy v2\nv3 = not v2\n"
    "add \"T\" v3\nv4 = add f32 v1 v1\nv5 = lt f32 v0 v4\nremove \"T\" v5\n"
    "add \"V\"\n";

static void assert_changed(uint32_t count, uint32_t limit) {
  for (uint32_t k = 0; k < count; k++) {
    ecs_Entity entity = fixture.entities[k];
    assert_int_equal(ecs_alive(fixture.world, entity), k >= limit);
    assert_int_equal(ecs_has(fixture.world, entity, fixture.t), k >= 2 * limit);
    assert_int_equal(ecs_has(fixture.world, entity, fixture.v), k >= limit);
  }
}

static void assert_unchanged(uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    assert_true(ecs_alive(fixture.world, fixture.entities[k]));
    assert_false(ecs_has(fixture.world, fixture.entities[k], fixture.t));
    assert_false(ecs_has(fixture.world, fixture.entities[k], fixture.v));
  }
}

static uint32_t start_changes(void) {
  const uint32_t count = MOST < 1100 ? MOST : 1100;
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_READ};
  ask(&term, 1);
  make(changes);
  spawn(count, 0, 1);
  return count;
}

TEST(changes_are_applied_when_all_rows_are_done) {
  const double limit = 10;
  uint32_t count = start_changes();
  must(run(&limit, NULL));
  assert_changed(count, 10);
  finish();
}

/* Handles of destroyed entities are reused in the order of rows. */
TEST(changes_are_recorded_in_the_order_of_rows) {
  const double limit = 5;
  ecs_Entity fresh[5], by_hand[5];
  for (int way = 0; way < 2; way++) {
    start_changes();
    if (way == 0) {
      must(run(&limit, NULL));
    } else {
      must(ecs_defer_begin(fixture.world));
      for (uint32_t k = 0; k < 5; k++)
        must(ecs_destroy(fixture.world, fixture.entities[k]));
      must(ecs_defer_end(fixture.world));
    }
    for (uint32_t k = 0; k < 5; k++)
      must(ecs_spawn(fixture.world, NULL, 0, NULL,
                     way == 0 ? &fresh[k] : &by_hand[k]));
    finish();
  }
  assert_memory_equal(fresh, by_hand, sizeof fresh);
}

TEST(changes_wait_for_what_is_open) {
  const double limit = 4;
  ecs_Cursor cursor;
  for (int way = 0; way < 4; way++) {
    uint32_t count = start_changes();
    if (way < 2)
      must(ecs_defer_begin(fixture.world));
    else
      must(ecs_query_begin(fixture.query, ECS_BATCH_WHOLE, &cursor));
    must(run(&limit, NULL));
    for (uint32_t k = 0; k < count; k++)
      assert_false(ecs_has(fixture.world, fixture.entities[k], fixture.v));
    assert_false(ecs_alive(fixture.world, fixture.entities[0]));
    must(run(&limit, NULL)); /* some rows are dead by now */
    if (way == 0) must(ecs_defer_end(fixture.world));
    if (way == 1) ecs_defer_discard(fixture.world);
    if (way == 2) must(ecs_cursor_end(&cursor));
    if (way == 3) ecs_cursor_discard(&cursor);
    if (way % 2 == 0)
      assert_changed(count, 4);
    else
      assert_unchanged(count);
    finish();
  }
}

/* One mask is used again after the change, another is a single value. */
TEST(masks_of_changes_last) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  make(
      "column c0 \"P\" \"x\" f32 read\ncolumn c1 \"P\" \"y\" f32 write\n"
      "uniform u0 bool\nv0 = load f32 c0\nv1 = constant f32 3\n"
      "v2 = lt f32 v0 v1\ndestroy v2\nv3 = not v2\nv4 = not v3\n"
      "v5 = not v4\nv6 = constant f32 1\nv7 = constant f32 0\n"
      "v8 = select f32 v5 v6 v7\nstore c1 v8\nv9 = uniform bool u0\n"
      "add \"T\" v9\n");
  spawn(9, 0, 1);
  for (int on = 0; on < 2; on++) {
    const double uniform = on;
    must(run(&uniform, NULL));
    for (uint32_t k = 0; k < 9; k++) {
      assert_int_equal(ecs_alive(fixture.world, fixture.entities[k]), k >= 3);
      if (k < 3) continue;
      assert_int_equal(ecs_has(fixture.world, fixture.entities[k], fixture.t),
                       on);
      assert_true(get(fixture.entities[k], fixture.p, 1) == 1);
    }
  }
  finish();
}

/* How a run's changes are made: at once, recorded, or recorded with another
 * one, which is made in any case. */
typedef enum Way { AT_ONCE, RECORDED, RECORDED_WITH_ANOTHER, WAYS } Way;

/* Changes half of the rows, of two tables, then runs once more. Returns the
 * hash of the world. */
static uint64_t changed_hash(const char *change, ecs_Storage storage, Way way) {
  char text[300];
  start(storage, ECS_STORE_SPARSE);
  const ecs_Term term = {fixture.p, ECS_READ};
  ask(&term, 1);
  snprintf(text, sizeof text,
           "column c0 \"P\" \"x\" f32 read\nv0 = load f32 c0\n"
           "v1 = constant f32 2\nv2 = mod f32 v0 v1\nv3 = lt f32 v2 v1\n"
           "v4 = constant f32 1\nv5 = eq f32 v2 v4\n%s",
           change);
  make(text);
  spawn(MOST < 700 ? MOST : 700, fixture.s, 3);
  for (uint32_t k = 0; k < 30; k += 4)
    must(ecs_add(fixture.world, fixture.entities[k], fixture.v, NULL));
  must(ecs_add(fixture.world, fixture.entities[5], fixture.u, NULL));
  for (int turn = 0; turn < 2; turn++) {
    if (way != AT_ONCE) must(ecs_defer_begin(fixture.world));
    must(run(NULL, NULL));
    if (way == RECORDED) must(ecs_defer_end(fixture.world));
    if (ecs_alive(fixture.world, fixture.entities[0]))
      must(ecs_add(fixture.world, fixture.entities[0], fixture.u, NULL));
    if (way == RECORDED_WITH_ANOTHER) must(ecs_defer_end(fixture.world));
  }
  uint64_t hash = ecs_world_hash(fixture.world);
  finish();
  return hash;
}

/* One change of many entities is applied as a list, without records or with
 * them; the world is the same as where each entity's records are. */
TEST(a_list_is_applied_as_recorded) {
  static const char *const texts[] = {"destroy v5\n",
                                      "add \"V\" v5\n",
                                      "remove \"V\" v5\n",
                                      "add \"S\" v5\n",
                                      "remove \"S\"\n",
                                      "add \"T\"\n",
                                      "remove \"T\" v5\n",
                                      "add \"U\" v5\n",
                                      "remove \"U\" v3\n",
                                      "destroy v5\ndestroy v3\n",
                                      "add \"V\" v5\nadd \"V\"\n",
                                      "destroy\n"};
  static const ecs_Storage storages[] = {ECS_STORE_TABLE, ECS_STORE_SPARSE};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    for (size_t s = 0; s < 2; s++) {
      uint64_t hash = changed_hash(texts[k], storages[s], AT_ONCE);
      for (int way = RECORDED; way < WAYS; way++)
        if (changed_hash(texts[k], storages[s], (Way)way) != hash)
          fail_msg("%s differs, way %d", texts[k], way);
    }
}

/* Every allocation of such a run fails once, until it needs no more. */
TEST(a_list_is_applied_whole_or_not_at_all) {
  static const char *const texts[] = {"add \"V\"\n", "add \"U\"\n"};
  for (int k = 0; k < 4; k++) {
    start(k % 2 == 0 ? ECS_STORE_TABLE : ECS_STORE_SPARSE, ECS_STORE_SPARSE);
    const ecs_Term term = {fixture.p, ECS_READ};
    char text[100];
    ask(&term, 1);
    snprintf(text, sizeof text, "column c0 \"P\" \"x\" f32 read\n%s",
             texts[k / 2]);
    make(text);
    spawn(30, fixture.s, 2);
    uint64_t before = ecs_world_hash(fixture.world), failures = 1;
    for (uint32_t n = 1; failures > 0; n++) {
      failing_memory_arm(&fixture.failing, n, FAIL_ONWARD);
      ecs_Status status = run(NULL, NULL);
      failures = failing_memory_disarm(&fixture.failing);
      assert_int_equal(status, failures > 0 ? ECS_E_MEMORY : ECS_OK);
      assert_int_equal(ecs_world_hash(fixture.world) == before, failures > 0);
      assert_in_range(n, 1, 50);
    }
    finish();
  }
}

/* Rows without a change are passed over; two rows have one each, any two
 * places of a block and the end of the rows. */
TEST(few_rows_of_many_change) {
  const uint32_t count = MOST < 1100 ? MOST : 1100;
  const uint32_t places[] = {0,   1,   31,  38,  39,  63,   64,   65,  127,
                             128, 511, 512, 513, 700, 1023, 1024, 1099};
  const size_t most = sizeof places / sizeof *places;
  for (size_t k = 0; k < most * most; k++) {
    const double rows[] = {places[k / most], places[k % most]};
    start(ECS_STORE_TABLE, ECS_STORE_TABLE);
    const ecs_Term term = {fixture.p, ECS_READ};
    ask(&term, 1);
    make(
        "column c0 \"P\" \"x\" f32 read\nuniform u0 number\n"
        "uniform u1 number\nv0 = load f32 c0\nv1 = uniform f32 u0\n"
        "v2 = uniform f32 u1\nv3 = eq f32 v0 v1\nv4 = eq f32 v0 v2\n"
        "add \"T\" v3\nadd \"V\" v4\n");
    spawn(count, 0, 1);
    must(run(rows, NULL));
    for (uint32_t row = 0; row < count; row++) {
      ecs_Entity entity = fixture.entities[row];
      assert_int_equal(ecs_has(fixture.world, entity, fixture.t),
                       row == places[k / most]);
      assert_int_equal(ecs_has(fixture.world, entity, fixture.v),
                       row == places[k % most]);
    }
    finish();
  }
}

TEST(nesting_has_a_limit) {
  const double limit = 4;
  uint32_t count = start_changes();
  for (uint32_t k = 0; k < ECS_NESTING_LIMIT; k++)
    must(ecs_defer_begin(fixture.world));
  assert_int_equal(run(&limit, NULL), ECS_E_LIMIT);
  for (uint32_t k = 0; k < ECS_NESTING_LIMIT; k++)
    must(ecs_defer_end(fixture.world));
  assert_unchanged(count);
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_are_applied_when_all_rows_are_done),
      cmocka_unit_test(changes_are_recorded_in_the_order_of_rows),
      cmocka_unit_test(changes_wait_for_what_is_open),
      cmocka_unit_test(masks_of_changes_last),
      cmocka_unit_test(a_list_is_applied_as_recorded),
      cmocka_unit_test(a_list_is_applied_whole_or_not_at_all),
      cmocka_unit_test(few_rows_of_many_change),
      cmocka_unit_test(nesting_has_a_limit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

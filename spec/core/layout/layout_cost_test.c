/* layout_cost_test.c: what a frame costs in a layout, by a model.
 *
 * Each test has a problem so small that the counts can be told from the text.
 */
#include "layout_fixture.h"
#include "test_case.h"

#define ALONE(k) ((uint16_t)(PLACE_GROUP + (k)))

TEST(a_change_is_paid_by_where_it_happens) {
  begin();
  uint32_t body = component(2, 0), armour = component(3, 10);
  uint32_t tag = component(0, 10);
  kind(6, 1, body);
  kind(2, 3, body, armour, tag);
  solve();
  Layout layout = {{PLACE_MAIN}};
  LayoutCost cost = cost_of(&layout);
  assert_int_equal(cost.counts[PRICE_MOVE], 20);
  assert_int_equal(cost.counts[PRICE_MOVE_COLUMN], 20 * 5);
  layout.places[tag] = PLACE_BITS;
  cost = cost_of(&layout);
  assert_int_equal(cost.counts[PRICE_MOVE], 10);
  assert_int_equal(cost.counts[PRICE_BIT], 10);
  layout.places[armour] = ALONE(armour);
  cost = cost_of(&layout);
  assert_int_equal(cost.counts[PRICE_MOVE], 0);
  assert_int_equal(cost.counts[PRICE_ENTER], 10);
  assert_int_equal(cost.counts[PRICE_ENTER_COLUMN], 10 * 3);
  layout.places[tag] = ALONE(armour);
  cost = cost_of(&layout);
  assert_int_equal(cost.counts[PRICE_ENTER], 0);
  assert_int_equal(cost.counts[PRICE_REGROUP], 20);
  assert_int_equal(cost.counts[PRICE_MOVE_COLUMN], 20 * 3);
  finish();
}

/* Of a component that no entity has, its own columns count. */
TEST(a_row_takes_the_columns_of_its_table_along) {
  begin();
  uint32_t body = component(2, 0), mass = component(1, 0);
  uint32_t tag = component(0, 7), none = component(4, 7);
  kind(30, 2, body, tag);
  kind(10, 3, body, mass, tag);
  kind(99, 1, mass);
  solve();
  Layout layout = {{PLACE_MAIN}};
  LayoutCost cost = cost_of(&layout);
  /* (30 * 2 + 10 * 3) / 40, rounded down */
  assert_int_equal(cost.counts[PRICE_MOVE_COLUMN], 7 * 2 + 7 * 4);
  assert_int_equal(fixture.problem.components[none].entities, 0);
  finish();
}

TEST(a_run_pays_for_the_tables_that_fit) {
  begin();
  uint32_t body = component(1, 0), tag = component(0, 0);
  uint32_t other = component(0, 0);
  kind(5, 1, body);
  kind(5, 2, body, tag);
  kind(5, 2, body, other);
  kind(5, 3, body, tag, other);
  kind(5, 1, other);
  LayoutQuery *all = asks(100), *few = asks(10);
  asks_to_write(all, body);
  asks_to_write(few, body);
  asks_to_be_without(few, tag);
  solve();
  Layout layout = {{PLACE_MAIN}};
  LayoutCost cost = cost_of(&layout);
  assert_int_equal(cost.counts[PRICE_TABLE], 100 * 4 + 10 * 2);
  layout.places[other] = PLACE_BITS;
  cost = cost_of(&layout);
  assert_int_equal(cost.counts[PRICE_TABLE], 100 * 2 + 10 * 1);
  layout.places[tag] = PLACE_BITS;
  cost = cost_of(&layout);
  assert_int_equal(cost.counts[PRICE_TABLE], 100 + 10);
  finish();
}

/* The sum of two prices that stand side by side. */
static uint64_t two(const LayoutCost *cost, LayoutPrice first) {
  return cost->counts[first] + cost->counts[first + 1];
}

TEST(rows_of_two_groups_are_listed_and_copied) {
  begin();
  uint32_t body = component(2, 0), armour = component(3, 5);
  kind(640, 1, body);
  kind(64, 2, body, armour);
  LayoutQuery *query = asks(200);
  asks_to_write(query, body);
  asks_to_write(query, armour);
  solve();
  Layout layout = {{PLACE_MAIN}};
  LayoutCost cost = cost_of(&layout);
  assert_int_equal(layout_cost_part(&cost, PRICE_LOOK_UP, PRICE_FAR_BACK), 0);
  layout.places[armour] = ALONE(armour);
  cost = cost_of(&layout);
  /* The sparse set drives: its rows are used in place. In 5 of 200 runs the
   * list is made anew, by a look-up in the main group for each row. */
  assert_int_equal(cost.counts[PRICE_LOOK_UP_MAIN], 64 * 5);
  assert_int_equal(cost.counts[PRICE_LOOK_UP], 0);
  assert_int_equal(cost.counts[PRICE_FAR], 64 * 2 * 200);
  assert_int_equal(cost.counts[PRICE_FAR_BACK], 64 * 2 * 200);
  assert_int_equal(two(&cost, PRICE_NEAR), 0);
  assert_int_equal(two(&cost, PRICE_MARK_ROWS), 0);
  finish();
}

/* What is not there may be taken from marks: they are looked through 64 rows at
 * a time, and follow what changes. */
TEST(marks_are_paid_by_changes_of_the_main_group) {
  begin();
  uint32_t body = component(2, 40), frozen = component(0, 60);
  kind(6400, 1, body);
  kind(64, 2, body, frozen);
  LayoutQuery *query = asks(200);
  asks_to_write(query, body);
  asks_to_be_without(query, frozen);
  solve();
  Layout layout = {{PLACE_MAIN, ALONE(1)}};
  LayoutCost cost = cost_of(&layout);
  assert_int_equal(cost.counts[PRICE_MARK_ROWS], 6464 / 64 * 100);
  assert_int_equal(cost.counts[PRICE_MARK_MATCH], 6400 * 100);
  assert_int_equal(two(&cost, PRICE_LOOK_UP), 0);
  assert_int_equal(cost.counts[PRICE_NOTE], 40);
  assert_int_equal(cost.counts[PRICE_FOLLOW], 40);
  assert_int_equal(cost.counts[PRICE_ENTER_MARK], 60);
  assert_int_equal(cost.counts[PRICE_REMARK], 0);
  /* Copied from the driver: matches are not all of its rows. */
  assert_int_equal(cost.counts[PRICE_NEAR], 6400 * 2 * 200);
  layout.places[frozen] = PLACE_BITS;
  cost = cost_of(&layout);
  assert_int_equal(cost.counts[PRICE_BITS_ROWS], 6464 / 64 * 100);
  assert_int_equal(cost.counts[PRICE_BITS_MATCH], 6400 * 100);
  assert_int_equal(cost.counts[PRICE_FOLLOW], 0);
  /* With more changes than there are notes, marks are made anew in each frame. */
  fixture.problem.components[body].changes = ECS_NOTES * LAYOUT_FRAMES;
  layout.places[frozen] = ALONE(frozen);
  cost = cost_of(&layout);
  assert_int_equal(cost.counts[PRICE_FOLLOW], 0);
  assert_int_equal(cost.counts[PRICE_REMARK], 64 * LAYOUT_FRAMES);
  finish();
}

TEST(bytes_are_those_of_tables_rows_and_locators) {
  begin();
  uint32_t body = component(1, 0), tag = component(0, 0);
  kind(10, 1, body);
  kind(30, 2, body, tag);
  solve();
  Layout layout = {{PLACE_MAIN}};
  assert_int_equal(cost_of(&layout).counts[PRICE_BYTE], 2 * TABLE_BYTES);
  layout.places[tag] = PLACE_BITS;
  assert_int_equal(cost_of(&layout).counts[PRICE_BYTE], TABLE_BYTES + 40);
  layout.places[tag] = ALONE(tag);
  assert_int_equal(cost_of(&layout).counts[PRICE_BYTE],
                   2 * TABLE_BYTES + 30 * ROW_BYTES + 40 * LOCATOR_BYTES);
  layout.places[body] = ALONE(tag);
  assert_int_equal(cost_of(&layout).counts[PRICE_BYTE],
                   2 * TABLE_BYTES + 40 * ROW_BYTES + 40 * 2 * LOCATOR_BYTES);
  finish();
}

TEST(a_part_of_the_cost_has_both_ends) {
  LayoutCost cost = {{0}};
  uint64_t sum = 0;
  for (uint32_t i = 0; i < PRICE_COUNT; i++) {
    cost.counts[i] = i + 1;
    sum += (i + 1) * (uint64_t)layout_prices[i];
  }
  assert_true(layout_cost_total(&cost) == sum);
  assert_true(layout_cost_part(&cost, PRICE_NEAR, PRICE_NEAR_BACK) ==
              (PRICE_NEAR + 1) * (uint64_t)layout_prices[PRICE_NEAR] +
                  (PRICE_NEAR_BACK + 1) *
                      (uint64_t)layout_prices[PRICE_NEAR_BACK]);
}

TEST(the_layout_of_a_world_is_read) {
  static const ecs_Field fields[] = {{"x", ECS_F32, 0}};
  begin();
  ecs_World *world = fixture.world;
  ecs_Component list[6];
  static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
  for (uint32_t k = 0; k < 6; k++) {
    list[k] = define_component(world, names[k], fields, k < 5 ? 1 : 0,
                               k == 4 ? ECS_STORE_SPARSE : ECS_STORE_TABLE);
    assert_int_equal(component(k < 5 ? 1 : 0, 0), k);
    fixture.problem.components[k].id = list[k];
  }
  const ecs_Component group[] = {list[1], list[3]};
  assert_int_equal(ecs_group(world, group, 2), ECS_OK);
  assert_int_equal(ecs_group_bits(world, &list[5], 1), ECS_OK);
  Layout layout = layout_now(&fixture.problem);
  static const uint32_t wanted[] = {PLACE_MAIN, ALONE(1), PLACE_MAIN,
                                    ALONE(1),   ALONE(4), PLACE_BITS};
  for (uint32_t k = 0; k < 6; k++)
    assert_int_equal(layout.places[k], wanted[k]);
  finish();
}

TEST(every_allocation_may_fail) {
  begin();
  kind(10, 1, component(1, 0));
  for (uint64_t n = 1; n <= 2; n++) {
    uint64_t bytes = fixture.failing.bytes;
    failing_memory_arm(&fixture.failing, n, FAIL_ONCE);
    assert_int_equal(layout_model_init(&fixture.model, &fixture.problem),
                     ECS_E_MEMORY);
    assert_int_equal(failing_memory_disarm(&fixture.failing), 1);
    assert_int_equal(fixture.failing.bytes, bytes);
  }
  solve();
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_change_is_paid_by_where_it_happens),
      cmocka_unit_test(a_row_takes_the_columns_of_its_table_along),
      cmocka_unit_test(a_run_pays_for_the_tables_that_fit),
      cmocka_unit_test(rows_of_two_groups_are_listed_and_copied),
      cmocka_unit_test(marks_are_paid_by_changes_of_the_main_group),
      cmocka_unit_test(bytes_are_those_of_tables_rows_and_locators),
      cmocka_unit_test(a_part_of_the_cost_has_both_ends),
      cmocka_unit_test(the_layout_of_a_world_is_read),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* layout_advice_test.c: what would be better stored otherwise, and why.
 *
 * spec/core/api/api_layout_test.c plays whole worlds. Here is what the entries
 * say of problems that are known.
 */
#include "api_fixture.h"
#include "layout/layout_advice.h"
#include "world/world.h"
#include "test_case.h"

#define CROWD 24u
#define MOST 8u

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component body, armour, stunned, mass, tile;
  ecs_Query *moves;
  LayoutAdvice advice;
  ecs_Advice entries[MOST];
} Fixture;

static Fixture fixture;

/* Bodies with mass. Of three kinds, one has armour, too, and one is stunned. */
static void start(uint32_t kinds) {
  static const ecs_Field fields[] = {{"x", ECS_F32, 0}, {"y", ECS_F32, 0}};
  memset(&fixture, 0, sizeof fixture);
  ecs_World *world = fixture.world = open_world(&fixture.failing);
  fixture.body = define_component(world, "body", fields, 2, ECS_STORE_TABLE);
  fixture.armour =
      define_component(world, "armour", fields, 2, ECS_STORE_TABLE);
  fixture.stunned =
      define_component(world, "stunned", NULL, 0, ECS_STORE_TABLE);
  fixture.mass = define_component(world, "mass", fields, 1, ECS_STORE_TABLE);
  fixture.tile = define_component(world, "tile", fields, 1, ECS_STORE_TABLE);
  const ecs_Term moves[] = {{fixture.body, ECS_WRITE},
                            {fixture.mass, ECS_READ},
                            {fixture.stunned, ECS_WITHOUT}};
  fixture.moves = make_query(world, moves, 3);
  const ecs_Component list[] = {fixture.body, fixture.mass, fixture.armour,
                                fixture.stunned};
  for (uint32_t i = 0; i < CROWD; i++)
    assert_int_equal(ecs_spawn(world, list, 2 + i % kinds, NULL, NULL), ECS_OK);
}

static void finish(void) { close_world(fixture.world, &fixture.failing); }

/* As if so many had come and gone in the last frames. */
static void look(uint64_t frames, uint64_t stunned, uint64_t armour) {
  assert_int_equal(ecs_query_count_runs(fixture.moves, frames), ECS_OK);
  Component *components = fixture.world->store.components.all;
  components[fixture.stunned].changes = stunned;
  components[fixture.armour].changes = armour;
  assert_int_equal(layout_advice_init(&fixture.advice, &fixture.world->store),
                   ECS_OK);
}

static uint64_t total_of(const Layout *layout) {
  LayoutCost cost = layout_cost(&fixture.advice.model, layout);
  return layout_cost_total(&cost);
}

TEST(moves_name_both_places_and_the_reason) {
  start(3);
  look(100, 5000, 5000);
  assert_int_equal(layout_advice_moves(&fixture.advice, fixture.entries, MOST),
                   2);
  const ecs_Advice *armour = &fixture.entries[0];
  const ecs_Advice *stunned = &fixture.entries[1];
  assert_int_equal(armour->component, fixture.armour);
  assert_int_equal(armour->from, ECS_PLACE_MAIN);
  assert_int_equal(armour->to, ECS_PLACE_SET);
  assert_int_equal(armour->reason, ECS_REASON_CHANGES);
  assert_int_equal(stunned->component, fixture.stunned);
  assert_int_equal(stunned->to, ECS_PLACE_BITS);
  assert_int_equal(stunned->reason, ECS_REASON_CHANGES);
  layout_advice_deinit(&fixture.advice);
  finish();
}

/* Each move is taken after those before it, so their gains are all that there is
 * to gain. */
TEST(gains_add_up) {
  start(3);
  look(100, 5000, 5000);
  uint32_t count = layout_advice_moves(&fixture.advice, fixture.entries, MOST);
  int64_t sum = 0, all = (int64_t)(total_of(&fixture.advice.now) -
                                   total_of(&fixture.advice.better)) /
                         (int64_t)(LAYOUT_FRAMES * 1000u);
  for (uint32_t i = 0; i < count; i++) sum += fixture.entries[i].gain;
  assert_true(all > 0);
  assert_in_range(sum, all - count, all);
  layout_advice_deinit(&fixture.advice);
  finish();
}

/* Mass is in a group with armour, which no entity has: that stays where it is,
 * and is alone then. */
TEST(a_move_back_names_what_is_left) {
  start(1);
  const ecs_Component group[] = {fixture.mass, fixture.armour};
  assert_int_equal(ecs_group(fixture.world, group, 2), ECS_OK);
  const ecs_Term term = {fixture.armour, ECS_WRITE};
  ecs_Query *query = make_query(fixture.world, &term, 1);
  assert_int_equal(ecs_query_count_runs(query, 1), ECS_OK);
  look(100, 0, 0);
  assert_int_equal(layout_advice_moves(&fixture.advice, fixture.entries, MOST),
                   2);
  const ecs_Advice *armour = &fixture.entries[0];
  const ecs_Advice *mass = &fixture.entries[1];
  assert_int_equal(armour->component, fixture.armour);
  assert_int_equal(armour->from_beside, fixture.mass);
  assert_int_equal(armour->to, ECS_PLACE_SET);
  assert_int_equal(mass->component, fixture.mass);
  assert_int_equal(mass->from, ECS_PLACE_GROUP);
  assert_int_equal(mass->from_beside, fixture.armour);
  assert_int_equal(mass->to, ECS_PLACE_MAIN);
  assert_int_equal(mass->to_beside, 0);
  assert_int_equal(mass->reason, ECS_REASON_COPIES);
  layout_advice_deinit(&fixture.advice);
  finish();
}

TEST(without_room_entries_are_counted) {
  start(3);
  look(100, 5000, 5000);
  const ecs_Advice untouched = {.component = 4711};
  for (uint32_t i = 0; i < MOST; i++) fixture.entries[i] = untouched;
  assert_int_equal(layout_advice_moves(&fixture.advice, NULL, 0), 2);
  assert_int_equal(layout_advice_moves(&fixture.advice, fixture.entries, 1), 2);
  assert_int_equal(fixture.entries[0].component, fixture.armour);
  assert_int_equal(fixture.entries[1].component, 4711);
  layout_advice_deinit(&fixture.advice);
  finish();
}

TEST(nothing_is_advised_where_nothing_is_gained) {
  start(1);
  assert_int_equal(layout_advice_init(&fixture.advice, &fixture.world->store),
                   ECS_OK);
  assert_int_equal(layout_advice_moves(&fixture.advice, fixture.entries, MOST),
                   0);
  assert_int_equal(layout_advice_merges(&fixture.advice, fixture.entries, MOST),
                   0);
  assert_int_equal(
      memcmp(&fixture.advice.now, &fixture.advice.better, sizeof(Layout)), 0);
  layout_advice_deinit(&fixture.advice);
  finish();
}

/* Body and mass have the same entities and queries; a tile has none beside it. */
TEST(what_is_no_component_of_its_own_is_named) {
  start(3);
  const ecs_Term tiles = {fixture.tile, ECS_WRITE};
  ecs_Query *query = make_query(fixture.world, &tiles, 1);
  assert_int_equal(ecs_spawn(fixture.world, &fixture.tile, 1, NULL, NULL),
                   ECS_OK);
  assert_int_equal(ecs_query_count_runs(query, 100), ECS_OK);
  look(100, 0, 0);
  assert_int_equal(layout_advice_merges(&fixture.advice, fixture.entries, MOST),
                   2);
  assert_int_equal(fixture.entries[0].component, fixture.mass);
  assert_int_equal(fixture.entries[0].to, ECS_PLACE_FIELD);
  assert_int_equal(fixture.entries[0].to_beside, fixture.body);
  assert_int_equal(fixture.entries[0].reason, ECS_REASON_TOGETHER);
  assert_int_equal(fixture.entries[1].component, fixture.tile);
  assert_int_equal(fixture.entries[1].to, ECS_PLACE_ARRAY);
  assert_int_equal(fixture.entries[1].reason, ECS_REASON_ALONE);
  layout_advice_deinit(&fixture.advice);
  /* One entity with mass alone: neither is true any more. */
  const ecs_Component other[] = {fixture.tile, fixture.mass};
  assert_int_equal(ecs_spawn(fixture.world, other, 2, NULL, NULL), ECS_OK);
  look(100, 0, 0);
  assert_int_equal(layout_advice_merges(&fixture.advice, fixture.entries, MOST),
                   0);
  layout_advice_deinit(&fixture.advice);
  finish();
}

TEST(every_allocation_may_fail) {
  start(3);
  assert_int_equal(ecs_query_count_runs(fixture.moves, 9), ECS_OK);
  for (uint64_t n = 1;; n++) {
    uint64_t bytes = fixture.failing.bytes;
    failing_memory_arm(&fixture.failing, n, FAIL_ONCE);
    ecs_Status status =
        layout_advice_init(&fixture.advice, &fixture.world->store);
    if (failing_memory_disarm(&fixture.failing) == 0) {
      assert_int_equal(status, ECS_OK);
      assert_true(n > 6);
      break;
    }
    assert_int_equal(status, ECS_E_MEMORY);
    assert_int_equal(fixture.failing.bytes, bytes);
  }
  layout_advice_deinit(&fixture.advice);
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moves_name_both_places_and_the_reason),
      cmocka_unit_test(gains_add_up),
      cmocka_unit_test(a_move_back_names_what_is_left),
      cmocka_unit_test(without_room_entries_are_counted),
      cmocka_unit_test(nothing_is_advised_where_nothing_is_gained),
      cmocka_unit_test(what_is_no_component_of_its_own_is_named),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

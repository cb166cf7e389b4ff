/* layout_problem_test.c: what a layout is chosen for, collected from a world. */
#include "api_fixture.h"
#include "layout/layout_problem.h"
#include "world/world.h"
#include "test_case.h"

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component body, armour, stunned, unused, marks;
  ecs_Query *moves, *hits;
  LayoutProblem problem;
} Fixture;

static Fixture fixture;

/* 5 entities are bodies, 7 have armour, too, and 3 of these are stunned. One has
 * marks alone. */
static void start(void) {
  static const ecs_Field fields[] = {
      {"x", ECS_F32, 0}, {"y", ECS_F64, 0}, {"n", ECS_U8, 0}};
  memset(&fixture, 0, sizeof fixture);
  ecs_World *world = fixture.world = open_world(&fixture.failing);
  fixture.body = define_component(world, "body", fields, 2, ECS_STORE_TABLE);
  fixture.armour =
      define_component(world, "armour", fields, 3, ECS_STORE_SPARSE);
  fixture.unused =
      define_component(world, "unused", fields, 1, ECS_STORE_TABLE);
  fixture.stunned =
      define_component(world, "stunned", NULL, 0, ECS_STORE_TABLE);
  fixture.marks = define_component(world, "marks", fields, 1, ECS_STORE_TABLE);
  const ecs_Term moves[] = {{fixture.body, ECS_WRITE},
                            {fixture.armour, ECS_OPTIONAL},
                            {fixture.stunned, ECS_WITHOUT}};
  const ecs_Term hits[] = {{fixture.armour, ECS_READ},
                           {fixture.stunned, ECS_WITH}};
  fixture.moves = make_query(world, moves, 3);
  fixture.hits = make_query(world, hits, 2);
  const ecs_Component all[] = {fixture.body, fixture.armour, fixture.stunned};
  for (uint32_t i = 0; i < 12; i++)
    assert_int_equal(ecs_spawn(world, all,
                               i < 5   ? 1
                               : i < 9 ? 2
                                       : 3,
                               NULL, NULL),
                     ECS_OK);
  assert_int_equal(ecs_spawn(world, &fixture.marks, 1, NULL, NULL), ECS_OK);
}

static void collect(void) {
  assert_int_equal(layout_problem_init(&fixture.problem, &fixture.world->store),
                   ECS_OK);
}

static void finish(void) {
  layout_problem_deinit(&fixture.problem);
  close_world(fixture.world, &fixture.failing);
}

static const LayoutComponent *find(ecs_Component id) {
  uint32_t k = layout_problem_find(&fixture.problem, id);
  assert_true(k < fixture.problem.component_count);
  return &fixture.problem.components[k];
}

/* The entities of the kind with just these. */
static uint64_t entities_with(uint32_t count, const ecs_Component *list) {
  ComponentSet set = {{0}};
  for (uint32_t i = 0; i < count; i++)
    set_add(&set, layout_problem_find(&fixture.problem, list[i]));
  for (uint32_t i = 0; i < fixture.problem.kind_count; i++)
    if (memcmp(&fixture.problem.kinds[i].components, &set, sizeof set) == 0)
      return fixture.problem.kinds[i].entities;
  return 0;
}

TEST(components_are_listed_by_id) {
  start();
  collect();
  const LayoutProblem *problem = &fixture.problem;
  assert_int_equal(problem->component_count, 4);
  for (uint32_t k = 1; k < 4; k++)
    assert_true(problem->components[k - 1].id < problem->components[k].id);
  assert_int_equal(find(fixture.body)->columns, 2);
  assert_int_equal(find(fixture.body)->bytes, 4 + 8);
  assert_int_equal(find(fixture.body)->entities, 12);
  assert_int_equal(find(fixture.armour)->columns, 3);
  assert_int_equal(find(fixture.armour)->bytes, 4 + 8 + 1);
  assert_int_equal(find(fixture.armour)->entities, 7);
  assert_int_equal(find(fixture.stunned)->columns, 0);
  assert_int_equal(find(fixture.stunned)->entities, 3);
  assert_int_equal(layout_problem_find(problem, fixture.unused),
                   LAYOUT_COMPONENTS);
  assert_int_equal(layout_problem_find(problem, 9999), LAYOUT_COMPONENTS);
  finish();
}

TEST(kinds_are_the_same_in_each_layout) {
  for (uint32_t layout = 0; layout < 3; layout++) {
    start();
    const ecs_Component all[] = {fixture.body, fixture.armour, fixture.stunned};
    if (layout == 1)
      assert_int_equal(ecs_group_bits(fixture.world, &all[2], 1), ECS_OK);
    if (layout == 2) assert_int_equal(ecs_group(fixture.world, all, 2), ECS_OK);
    collect();
    assert_int_equal(fixture.problem.kind_count, 4);
    assert_int_equal(fixture.problem.entities, 13);
    assert_int_equal(entities_with(1, all), 5);
    assert_int_equal(entities_with(2, all), 4);
    assert_int_equal(entities_with(3, all), 3);
    assert_int_equal(entities_with(1, &fixture.marks), 1);
    finish();
  }
}

static uint32_t members_of(const ComponentSet *set) {
  uint32_t count = 0;
  for (uint32_t k = set_next(set, 0); k < LAYOUT_COMPONENTS;
       k = set_next(set, k + 1))
    count++;
  return count;
}

TEST(queries_have_their_terms_and_matches) {
  start();
  assert_int_equal(ecs_query_count_runs(fixture.moves, 40), ECS_OK);
  assert_int_equal(ecs_query_count_runs(fixture.hits, 10), ECS_OK);
  collect();
  const LayoutProblem *problem = &fixture.problem;
  assert_int_equal(problem->query_count, 2);
  bool first = problem->queries[0].runs == LAYOUT_FRAMES;
  const LayoutQuery *moves = &problem->queries[first ? 0 : 1];
  const LayoutQuery *hits = &problem->queries[first ? 1 : 0];
  uint32_t body = layout_problem_find(problem, fixture.body);
  uint32_t armour = layout_problem_find(problem, fixture.armour);
  uint32_t stunned = layout_problem_find(problem, fixture.stunned);
  assert_int_equal(moves->runs, LAYOUT_FRAMES);
  assert_int_equal(hits->runs, LAYOUT_FRAMES / 4);
  assert_int_equal(moves->matches, 9);
  assert_int_equal(hits->matches, 3);
  assert_int_equal(members_of(&moves->named), 3);
  assert_int_equal(members_of(&moves->required), 1);
  assert_true(set_has(&moves->required, body));
  assert_true(set_has(&moves->optional, armour));
  assert_true(set_has(&moves->excluded, stunned));
  assert_true(set_has(&moves->written, body));
  assert_int_equal(members_of(&hits->required), 2);
  assert_int_equal(members_of(&hits->copied), 1);
  assert_true(set_has(&hits->copied, armour));
  assert_true(set_is_empty(&hits->written));
  finish();
}

TEST(a_query_counts_from_its_first_run_on) {
  start();
  for (uint32_t runs = 0; runs < 2; runs++) {
    assert_int_equal(ecs_query_count_runs(fixture.moves, runs), ECS_OK);
    collect();
    assert_int_equal(fixture.problem.query_count, runs);
    layout_problem_deinit(&fixture.problem);
  }
  collect();
  assert_int_equal(fixture.problem.queries[0].runs, LAYOUT_FRAMES);
  finish();
}

/* Counts of twice as many frames are the same problem. */
TEST(counts_are_those_of_a_frame) {
  for (uint32_t frames = 8; frames <= 64; frames *= 2) {
    start();
    assert_int_equal(ecs_query_count_runs(fixture.moves, 1), ECS_OK);
    for (uint32_t i = 0; i < frames; i++) {
      ecs_Entity entity = 0;
      assert_int_equal(
          ecs_spawn(fixture.world, &fixture.body, 1, NULL, &entity), ECS_OK);
      assert_int_equal(ecs_add(fixture.world, entity, fixture.stunned, NULL),
                       ECS_OK);
      assert_int_equal(ecs_destroy(fixture.world, entity), ECS_OK);
    }
    uint64_t changes =
        fixture.world->store.components.all[fixture.stunned].changes;
    assert_true(changes >= frames);
    assert_int_equal(ecs_query_count_runs(fixture.moves, frames - 1), ECS_OK);
    collect();
    assert_int_equal(find(fixture.stunned)->changes,
                     changes * LAYOUT_FRAMES / frames);
    assert_int_equal(fixture.problem.queries[0].runs, LAYOUT_FRAMES);
    finish();
  }
}

/* Without runs nothing says what a frame is. */
TEST(changes_without_runs_do_not_count) {
  start();
  fixture.world->store.components.all[fixture.stunned].changes = 1000;
  collect();
  assert_int_equal(find(fixture.stunned)->changes, 0);
  assert_int_equal(fixture.problem.query_count, 0);
  finish();
}

TEST(an_empty_world_is_a_problem_too) {
  memset(&fixture, 0, sizeof fixture);
  fixture.world = open_world(&fixture.failing);
  collect();
  assert_int_equal(fixture.problem.component_count, 0);
  assert_int_equal(fixture.problem.kind_count, 0);
  finish();
}

#ifndef ECS_TINY
/* Components that are used find room before those that are only there. */
TEST(more_components_than_there_is_room_for) {
  enum { ALL = LAYOUT_COMPONENTS + 10 };
  memset(&fixture, 0, sizeof fixture);
  ecs_World *world = fixture.world = open_world(&fixture.failing);
  ecs_Component list[ALL];
  for (uint32_t k = 0; k < ALL; k++) {
    char name[8];
    snprintf(name, sizeof name, "c%u", k);
    list[k] = define_component(world, name, NULL, 0, ECS_STORE_TABLE);
    assert_int_equal(ecs_spawn(world, &list[k], 1, NULL, NULL), ECS_OK);
  }
  const ecs_Term last = {list[ALL - 1], ECS_WITH};
  ecs_Query *query = make_query(world, &last, 1);
  assert_int_equal(ecs_query_count_runs(query, 1), ECS_OK);
  collect();
  assert_int_equal(fixture.problem.component_count, LAYOUT_COMPONENTS);
  assert_int_equal(layout_problem_find(&fixture.problem, list[ALL - 1]),
                   LAYOUT_COMPONENTS - 1);
  assert_int_equal(
      layout_problem_find(&fixture.problem, list[LAYOUT_COMPONENTS - 2]),
      LAYOUT_COMPONENTS - 2);
  assert_int_equal(
      layout_problem_find(&fixture.problem, list[LAYOUT_COMPONENTS - 1]),
      LAYOUT_COMPONENTS);
  finish();
}

/* Of many entities a sample is taken, and their numbers are estimated. */
TEST(kinds_of_many_come_from_a_sample) {
  enum { MANY = 5 * LAYOUT_SAMPLE };
  start();
  const ecs_Component two[] = {fixture.body, fixture.stunned};
  for (uint32_t i = 0; i < MANY; i++)
    assert_int_equal(
        ecs_spawn(fixture.world, two, i % 4 == 0 ? 2 : 1, NULL, NULL), ECS_OK);
  collect();
  uint64_t bodies = entities_with(1, two), both = entities_with(2, two);
  assert_in_range(bodies, MANY / 4 * 3 - MANY / 50, MANY / 4 * 3 + MANY / 50);
  assert_in_range(both, MANY / 4 - MANY / 50, MANY / 4 + MANY / 50);
  finish();
}
#endif

TEST(every_allocation_may_fail) {
  start();
  assert_int_equal(ecs_query_count_runs(fixture.moves, 40), ECS_OK);
  for (uint64_t n = 1;; n++) {
    uint64_t bytes = fixture.failing.bytes;
    failing_memory_arm(&fixture.failing, n, FAIL_ONCE);
    ecs_Status status =
        layout_problem_init(&fixture.problem, &fixture.world->store);
    if (failing_memory_disarm(&fixture.failing) == 0) {
      assert_int_equal(status, ECS_OK);
      assert_true(n > 4);
      break;
    }
    assert_int_equal(status, ECS_E_MEMORY);
    assert_int_equal(fixture.failing.bytes, bytes);
  }
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(components_are_listed_by_id),
      cmocka_unit_test(kinds_are_the_same_in_each_layout),
      cmocka_unit_test(queries_have_their_terms_and_matches),
      cmocka_unit_test(a_query_counts_from_its_first_run_on),
      cmocka_unit_test(counts_are_those_of_a_frame),
      cmocka_unit_test(changes_without_runs_do_not_count),
      cmocka_unit_test(an_empty_world_is_a_problem_too),
#ifndef ECS_TINY
      cmocka_unit_test(more_components_than_there_is_room_for),
      cmocka_unit_test(kinds_of_many_come_from_a_sample),
#endif
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

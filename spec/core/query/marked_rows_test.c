/* marked_rows_test.c: row lists that are taken from marks match what entities
 * have, whatever changed before, and marks follow what changes one entity.
 */
#include "row_list_fixture.h"
#include "test_case.h"

enum { QUERIES = 8 };

static uint32_t draw(uint64_t *seed, uint32_t below) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*seed >> 33) % below;
}

static ecs_Query *ask(Fixture *fixture, const ecs_Term *terms, uint32_t count) {
  return make_query(fixture->world, terms, count);
}

/* Queries of each kind: sets that must be there, that must not, that may; with
 * a tag stored as bits; and so many optional sets that marks are not used. */
static void make_queries(Fixture *fixture, ecs_Query **queries) {
  ecs_Component a = fixture->a, s = fixture->s, r = fixture->r, t = fixture->t;
  ecs_Component more[3] = {define(fixture, "S1", ECS_STORE_SPARSE),
                           define(fixture, "S2", ECS_STORE_SPARSE),
                           define(fixture, "S3", ECS_STORE_SPARSE)};
  queries[0] = ask(fixture, (ecs_Term[]){{a, ECS_READ}, {s, ECS_READ}}, 2);
  queries[1] = ask(fixture, (ecs_Term[]){{a, ECS_READ}, {s, ECS_WITHOUT}}, 2);
  queries[2] =
      ask(fixture,
          (ecs_Term[]){{s, ECS_OPTIONAL}, {a, ECS_READ}, {r, ECS_OPTIONAL}}, 3);
  queries[3] = ask(
      fixture, (ecs_Term[]){{a, ECS_WITH}, {s, ECS_WITH}, {r, ECS_WITHOUT}}, 3);
  queries[4] = ask(
      fixture, (ecs_Term[]){{a, ECS_READ}, {s, ECS_READ}, {t, ECS_WITH}}, 3);
  queries[5] =
      ask(fixture,
          (ecs_Term[]){
              {fixture->b, ECS_WITHOUT}, {t, ECS_WITHOUT}, {r, ECS_OPTIONAL}},
          3);
  queries[6] = ask(
      fixture, (ecs_Term[]){{a, ECS_WITH}, {s, ECS_WITH}, {r, ECS_WITH}}, 3);
  queries[7] = ask(fixture,
                   (ecs_Term[]){{a, ECS_READ},
                                {s, ECS_OPTIONAL},
                                {more[0], ECS_OPTIONAL},
                                {more[1], ECS_OPTIONAL},
                                {more[2], ECS_OPTIONAL}},
                   5);
}

/* Adds a component, or removes it from an entity that has it. */
static void toggle(const Fixture *fixture, ecs_Entity entity,
                   ecs_Component component) {
  ecs_Status status = ecs_has(fixture->world, entity, component)
                          ? ecs_remove(fixture->world, entity, component)
                          : ecs_add(fixture->world, entity, component, NULL);
  assert_int_equal(status, ECS_OK);
}

/* One random change: mostly of sets, sometimes one that moves rows of the main
 * group, sometimes a death and a birth. */
static void change(Fixture *fixture, uint64_t *seed) {
  uint32_t index = draw(seed, fixture->count), kind = draw(seed, 20);
  ecs_Entity *entity = &fixture->e[index];
  if (kind < 9) {
    toggle(fixture, *entity, fixture->s);
  } else if (kind < 15) {
    toggle(fixture, *entity, fixture->r);
  } else if (kind < 17) {
    toggle(fixture, *entity, fixture->t);
  } else if (kind < 19) {
    toggle(fixture, *entity, fixture->b);
  } else {
    assert_int_equal(ecs_destroy(fixture->world, *entity), ECS_OK);
    assert_int_equal(ecs_spawn(fixture->world, &fixture->a, 1, NULL, entity),
                     ECS_OK);
  }
}

TEST(lists_match_whatever_changed_before) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    Fixture fixture;
    ecs_Query *queries[QUERIES];
    uint64_t draws = seed;
    start(&fixture);
    spawn(&fixture, 30);
    make_queries(&fixture, queries);
    for (uint32_t step = 0; step < 150; step++) {
      uint32_t changes = draw(&draws, 4);
      for (uint32_t k = 0; k < changes; k++) change(&fixture, &draws);
      assert_sound(&fixture, queries[draw(&draws, QUERIES)]);
    }
    for (uint32_t k = 0; k < QUERIES; k++) assert_sound(&fixture, queries[k]);
    finish(&fixture);
  }
}

TEST(many_rows_are_listed_by_words) {
  Fixture fixture;
  ecs_Query *queries[QUERIES];
  uint64_t draws = 7;
  start(&fixture);
  spawn(&fixture, MANY < 2000u ? MANY : 2000u);
  make_queries(&fixture, queries);
  for (uint32_t round = 0; round < 6; round++) {
    for (uint32_t k = 0; k < fixture.count / 3; k++) change(&fixture, &draws);
    for (uint32_t k = 0; k < QUERIES; k++) assert_sound(&fixture, queries[k]);
  }
  finish(&fixture);
}

/* Marks ------------------------------------------------------------------- */

static Group *set_of(const Fixture *fixture, ecs_Component component) {
  return fixture->world->store.components.all[component].group;
}

/* Are the marks true, with no need to make them anew? */
static bool marks_follow(const Fixture *fixture, const Group *set) {
  const Store *store = &fixture->world->store;
  return set->marks->made && !store->journal.lost &&
         marked_rows_check_invariants(store, set);
}

TEST(marks_follow_changes_of_one_entity) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 12);
  ecs_Query *query = pair(&fixture, fixture.a, fixture.s);
  for (uint32_t i = 0; i < 12; i += 2) add(&fixture, i, fixture.s);
  assert_sound(&fixture, query);
  const Group *set = set_of(&fixture, fixture.s);
  assert_true(marks_follow(&fixture, set));
  static const uint32_t order[] = {3, 5, 0, 3, 10, 9, 0, 2, 4, 9};
  for (uint32_t k = 0; k < 10; k++) {
    toggle(&fixture, fixture.e[order[k]], fixture.s);
    assert_true(marks_follow(&fixture, set));
    assert_sound(&fixture, query);
  }
  finish(&fixture);
}

/* Runs a change, after which the marks are true with what was noted. */
#define FOLLOWS(change)                                      \
  do {                                                       \
    change;                                                  \
    assert_true(marks_follow(&fixture, set));                \
    assert_sound(&fixture, query);                           \
    assert_int_equal(fixture.world->store.journal.count, 0); \
  } while (0)

TEST(marks_follow_rows_that_move_in_the_main_group) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 20);
  add(&fixture, 0, fixture.b); /* so that both tables are there, with room */
  add(&fixture, 1, fixture.b);
  ecs_Query *query = pair(&fixture, fixture.a, fixture.s);
  for (uint32_t i = 0; i < 20; i += 3) add(&fixture, i, fixture.s);
  assert_sound(&fixture, query);
  const Group *set = set_of(&fixture, fixture.s);
  ecs_Entity *e = fixture.e;
  const ecs_Component both[] = {fixture.a, fixture.s};
  FOLLOWS(toggle(&fixture, e[0], fixture.b));
  FOLLOWS(toggle(&fixture, e[3], fixture.b));
  FOLLOWS(toggle(&fixture, e[19], fixture.b));
  FOLLOWS(assert_int_equal(ecs_destroy(fixture.world, e[2]), ECS_OK));
  FOLLOWS(e[2] = 0; assert_int_equal(
              ecs_spawn(fixture.world, &fixture.a, 1, NULL, &e[2]), ECS_OK));
  FOLLOWS(assert_int_equal(ecs_destroy(fixture.world, e[6]), ECS_OK));
  FOLLOWS(
      assert_int_equal(ecs_spawn(fixture.world, both, 2, NULL, &e[6]), ECS_OK));
  FOLLOWS(assert_int_equal(ecs_destroy_many(fixture.world, &e[7], 2, NULL),
                           ECS_OK));
  finish(&fixture);
}

TEST(marks_follow_what_enters_and_leaves_a_set_in_bulk) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 20);
  ecs_Query *query = pair(&fixture, fixture.a, fixture.s);
  const ecs_Term term = {fixture.r, ECS_WITH};
  ecs_Query *some = ask(&fixture, &term, 1);
  for (uint32_t i = 0; i < 20; i++) add(&fixture, i, fixture.s); /* room */
  for (uint32_t i = 0; i < 20; i += 2)
    toggle(&fixture, fixture.e[i], fixture.s);
  for (uint32_t i = 0; i < 20; i += 3) add(&fixture, i, fixture.r);
  assert_sound(&fixture, query);
  const Group *set = set_of(&fixture, fixture.s);
  FOLLOWS(assert_int_equal(ecs_query_add_all(some, fixture.s, NULL), ECS_OK));
  FOLLOWS(assert_int_equal(ecs_query_remove_all(query, fixture.s), ECS_OK));
  FOLLOWS(assert_int_equal(ecs_query_add_all(some, fixture.s, NULL), ECS_OK));
  finish(&fixture);
}

TEST(marks_follow_what_was_recorded) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 20);
  add(&fixture, 0, fixture.b);
  ecs_Query *query = pair(&fixture, fixture.a, fixture.s);
  for (uint32_t i = 0; i < 20; i += 3) add(&fixture, i, fixture.s);
  assert_sound(&fixture, query);
  const Group *set = set_of(&fixture, fixture.s);
  ecs_Entity *e = fixture.e;
  const ecs_Component both[] = {fixture.a, fixture.s};
  for (uint32_t round = 0; round < 4; round++) {
    assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
    if (round != 1) toggle(&fixture, e[3 + round], fixture.s);
    if (round != 2) assert_int_equal(ecs_destroy(fixture.world, e[9]), ECS_OK);
    if (round != 2)
      assert_int_equal(ecs_spawn(fixture.world, both, 2, NULL, &e[9]), ECS_OK);
    if (round == 3) add(&fixture, 12, fixture.r);
    FOLLOWS(assert_int_equal(ecs_defer_end(fixture.world), ECS_OK));
  }
  finish(&fixture);
}

/* A table gets room, marks are made, and then it fills up. */
TEST(marks_have_room_for_rows_that_come_later) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 2);
  add(&fixture, 1, fixture.s);
  ecs_Query *query = pair(&fixture, fixture.a, fixture.s);
  ecs_Query *others =
      ask(&fixture,
          (ecs_Term[]){{fixture.a, ECS_READ}, {fixture.s, ECS_WITHOUT}}, 2);
  ecs_Bundle bundle;
  assert_int_equal(ecs_bundle(fixture.world, &fixture.a, 1, &bundle), ECS_OK);
  assert_sound(&fixture, query);
  assert_int_equal(ecs_reserve(fixture.world, bundle, MANY), ECS_OK);
  while (fixture.count < MANY) {
    spawn(&fixture, 1);
    if (fixture.count % 3 == 0) add(&fixture, fixture.count - 1, fixture.s);
    assert_sound(&fixture, query);
    assert_sound(&fixture, others);
  }
  finish(&fixture);
}

TEST(marks_that_do_not_follow_are_made_again) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 12);
  ecs_Query *query = pair(&fixture, fixture.a, fixture.s);
  for (uint32_t i = 0; i < 12; i += 3) add(&fixture, i, fixture.s);
  assert_sound(&fixture, query);
  const Group *set = set_of(&fixture, fixture.s);
  assert_true(marks_follow(&fixture, set));
  assert_int_equal(ecs_query_destroy_all(query), ECS_OK); /* in bulk */
  assert_false(marks_follow(&fixture, set));
  toggle(&fixture, fixture.e[5], fixture.s); /* does not make them true */
  assert_false(marks_follow(&fixture, set));
  assert_sound(&fixture, query);
  assert_true(marks_follow(&fixture, set));
  assert_int_equal(ecs_world_clear(fixture.world), ECS_OK);
  fixture.count = 0;
  spawn(&fixture, 5);
  add(&fixture, 2, fixture.s);
  assert_sound(&fixture, query);
  assert_true(marks_follow(&fixture, set));
  finish(&fixture);
}

TEST(a_set_keeps_marks_while_queries_use_them) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 3);
  const Component *s = &fixture.world->store.components.all[fixture.s];
  AddComponent *usual = s->add;
  ecs_Query *query = pair(&fixture, fixture.a, fixture.s);
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_WITHOUT}};
  ecs_Query *other = ask(&fixture, terms, 2);
  assert_null(s->group->marks);
  assert_sound(&fixture, query);
  assert_sound(&fixture, other);
  assert_int_equal(s->group->marks->users, 2);
  assert_true(s->add != usual);
  ecs_query_destroy(query);
  assert_int_equal(s->group->marks->users, 1);
  ecs_query_destroy(other);
  assert_null(s->group->marks);
  assert_true(s->add == usual);
  finish(&fixture);
}

TEST(marks_end_where_components_are_regrouped) {
  Fixture fixture;
  start(&fixture);
  spawn(&fixture, 9);
  for (uint32_t i = 0; i < 9; i += 2) add(&fixture, i, fixture.s);
  ecs_Query *query = pair(&fixture, fixture.a, fixture.s);
  ecs_Query *idle = pair(&fixture, fixture.a, fixture.s);
  assert_sound(&fixture, query);
  assert_sound(&fixture, idle);
  const ecs_Component together[] = {fixture.s, fixture.r};
  assert_int_equal(ecs_group(fixture.world, together, 2), ECS_OK);
  assert_null(set_of(&fixture, fixture.s)->marks);
  assert_sound(&fixture, query);
  assert_int_equal(ecs_world_trim(fixture.world), ECS_OK);
  assert_sound(&fixture, query);
  finish(&fixture); /* idle still has the plan with marks of the old set */
}

/* After the marks, a component ceases to note when it is used; when marks are made
 * again, it begins to. */
TEST(what_was_used_begins_and_ceases_to_note) {
  Fixture fixture;
  start(&fixture);
  Store *store = &fixture.world->store;
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_READ}};
  ecs_Component used = fixture.a, idle = fixture.b;
  ecs_Entity entity;
  for (uint32_t round = 0; round < 3; round++) {
    uint64_t count = 0;
    ecs_Query *query = make_query(fixture.world, terms, 2);
    assert_int_equal(ecs_query_count(query, &count), ECS_OK);
    assert_true(store->components.all[used].noting);
    assert_true(store->components.all[idle].noting);
    assert_int_equal(store->components.silent, 0);
    ecs_query_destroy(query);
    assert_int_equal(store->components.silent, 0);
    assert_int_equal(ecs_spawn(fixture.world, NULL, 0, NULL, &entity), ECS_OK);
    assert_int_equal(ecs_add(fixture.world, entity, used, NULL), ECS_OK);
    assert_false(store->components.all[used].noting);
    assert_true(store->components.all[idle].noting);
    assert_int_equal(store->components.silent, used);
    assert_int_equal(ecs_destroy(fixture.world, entity), ECS_OK);
  }
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_match_whatever_changed_before),
      cmocka_unit_test(many_rows_are_listed_by_words),
      cmocka_unit_test(marks_follow_changes_of_one_entity),
      cmocka_unit_test(marks_follow_rows_that_move_in_the_main_group),
      cmocka_unit_test(marks_follow_what_enters_and_leaves_a_set_in_bulk),
      cmocka_unit_test(marks_follow_what_was_recorded),
      cmocka_unit_test(marks_have_room_for_rows_that_come_later),
      cmocka_unit_test(marks_that_do_not_follow_are_made_again),
      cmocka_unit_test(a_set_keeps_marks_while_queries_use_them),
      cmocka_unit_test(marks_end_where_components_are_regrouped),
      cmocka_unit_test(what_was_used_begins_and_ceases_to_note),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* api_layout_test.c: the storage that a world chooses. */
#include "api_fixture.h"
#include "test_case.h"

#include <stdio.h>
#include <string.h>

#ifdef ECS_TINY
#define CROWD 40u
#else
#define CROWD 300u
#endif
#define MOST 64u

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component place, speed, stunned, armour;
  ecs_Query *moves, *hurts;
  ecs_Entity crowd[CROWD];
  ecs_Advice advice[MOST];
  uint32_t count; /* of the last advice */
} Fixture;

static void start(Fixture *fixture) {
  static const ecs_Field fields[] = {{"x", ECS_F32, 0}, {"y", ECS_F32, 0}};
  ecs_World *world = fixture->world = open_world(&fixture->failing);
  fixture->place = define_component(world, "place", fields, 2, ECS_STORE_TABLE);
  fixture->speed = define_component(world, "speed", fields, 2, ECS_STORE_TABLE);
  fixture->stunned =
      define_component(world, "stunned", NULL, 0, ECS_STORE_TABLE);
  fixture->armour =
      define_component(world, "armour", fields, 2, ECS_STORE_TABLE);
  const ecs_Term moves[] = {{fixture->place, ECS_WRITE},
                            {fixture->speed, ECS_READ},
                            {fixture->stunned, ECS_WITHOUT}};
  const ecs_Term hurts[] = {{fixture->armour, ECS_WRITE}};
  fixture->moves = make_query(world, moves, 3);
  fixture->hurts = make_query(world, hurts, 1);
  const ecs_Component both[] = {fixture->place, fixture->speed};
  for (uint32_t i = 0; i < CROWD; i++)
    assert_int_equal(
        ecs_spawn(world, both, i % 7 == 0 ? 1 : 2, NULL, &fixture->crowd[i]),
        ECS_OK);
}

static void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

/* A fifth of the crowd loses the component or gets it, in each frame. */
static void play(Fixture *fixture, ecs_Component component, uint32_t frames) {
  for (uint32_t frame = 0; frame < frames; frame++) {
    for (uint32_t i = frame % 5; component != 0 && i < CROWD; i += 5) {
      ecs_Entity entity = fixture->crowd[i];
      if (ecs_has(fixture->world, entity, component))
        assert_int_equal(ecs_remove(fixture->world, entity, component), ECS_OK);
      else
        assert_int_equal(ecs_add(fixture->world, entity, component, NULL),
                         ECS_OK);
    }
    assert_int_equal(ecs_query_count_runs(fixture->moves, 1), ECS_OK);
    assert_int_equal(ecs_query_count_runs(fixture->hurts, 1), ECS_OK);
  }
}

/* Neither advice nor a move changes what the world holds. */
static void advise(Fixture *fixture, bool moves) {
  uint64_t state = ecs_world_state_hash(fixture->world);
  uint64_t hash = ecs_world_hash(fixture->world);
  ecs_Status status = (moves ? ecs_world_optimize : ecs_world_advise)(
      fixture->world, fixture->advice, MOST, &fixture->count);
  assert_int_equal(status, ECS_OK);
  assert_true(ecs_world_state_hash(fixture->world) == state);
  if (!moves || fixture->count == 0)
    assert_true(ecs_world_hash(fixture->world) == hash);
}

TEST(a_world_where_nothing_ran_stays_as_it_is) {
  Fixture fixture;
  start(&fixture);
  advise(&fixture, false);
  assert_int_equal(fixture.count, 0);
  advise(&fixture, true);
  assert_int_equal(fixture.count, 0);
  finish(&fixture);
}

TEST(a_tag_that_comes_and_goes_becomes_bits) {
  Fixture fixture;
  start(&fixture);
  play(&fixture, fixture.stunned, 20);
  for (uint32_t moves = 0; moves < 2; moves++) {
    advise(&fixture, moves == 1);
    assert_int_equal(fixture.count, 1);
    assert_int_equal(fixture.advice[0].component, fixture.stunned);
    assert_int_equal(fixture.advice[0].from, ECS_PLACE_MAIN);
    assert_int_equal(fixture.advice[0].to, ECS_PLACE_BITS);
    assert_int_equal(fixture.advice[0].reason, ECS_REASON_CHANGES);
    assert_true(fixture.advice[0].gain > 0);
  }
  advise(&fixture, true);
  assert_int_equal(fixture.count, 0); /* it is there */
  finish(&fixture);
}

TEST(columns_that_come_and_go_leave_the_main_group) {
  Fixture fixture;
  start(&fixture);
  play(&fixture, fixture.armour, 20);
  advise(&fixture, true);
  assert_int_equal(fixture.count, 1);
  assert_int_equal(fixture.advice[0].component, fixture.armour);
  assert_int_equal(fixture.advice[0].to, ECS_PLACE_SET);
  assert_int_equal(fixture.advice[0].to_beside, 0);
  finish(&fixture);
}

/* What weighs is what happened lately. */
TEST(a_component_comes_back_when_it_has_come_to_rest) {
  Fixture fixture;
  start(&fixture);
  play(&fixture, fixture.stunned, 8);
  advise(&fixture, true);
  assert_int_equal(fixture.advice[0].to, ECS_PLACE_BITS);
  for (uint32_t i = 0; i < 40; i++) {
    play(&fixture, 0, 8);
    advise(&fixture, true);
    if (fixture.count > 0) break;
  }
  assert_int_equal(fixture.count, 1);
  assert_int_equal(fixture.advice[0].from, ECS_PLACE_BITS);
  assert_int_equal(fixture.advice[0].to, ECS_PLACE_MAIN);
  finish(&fixture);
}

TEST(the_start_does_not_decide_where_it_ends) {
  for (uint32_t kind = 0; kind < 4; kind++) {
    Fixture fixture;
    start(&fixture);
    const ecs_Component all[] = {fixture.place, fixture.speed, fixture.stunned};
    if (kind == 1) assert_int_equal(ecs_group(fixture.world, all, 3), ECS_OK);
    for (uint32_t i = 0; kind == 2 && i < 3; i++)
      assert_int_equal(ecs_group(fixture.world, &all[i], 1), ECS_OK);
    if (kind == 3)
      assert_int_equal(ecs_group_bits(fixture.world, &all[2], 1), ECS_OK);
    play(&fixture, fixture.stunned, 20);
    advise(&fixture, true);
    char text[4096];
    ecs_world_explain(fixture.world, text, sizeof text);
    assert_non_null(strstr(text, "main group 0: "));
    assert_non_null(strstr(text, "stunned (bits)"));
    assert_non_null(strstr(text, "place: x f32, y f32; group 0"));
    assert_non_null(strstr(text, "speed: x f32, y f32; group 0"));
    finish(&fixture);
  }
}

TEST(setting_up_is_not_counted) {
  Fixture fixture;
  start(&fixture);
  for (uint32_t turn = 0; turn < 10; turn++) {
    for (uint32_t i = 0; i < CROWD; i++)
      assert_int_equal(
          ecs_add(fixture.world, fixture.crowd[i], fixture.stunned, NULL),
          ECS_OK);
    for (uint32_t i = 0; i < CROWD; i++)
      assert_int_equal(
          ecs_remove(fixture.world, fixture.crowd[i], fixture.stunned), ECS_OK);
  }
  play(&fixture, 0, 3);
  advise(&fixture, true);
  assert_int_equal(fixture.count, 0);
  finish(&fixture);
}

/* Counts belong to terms. */
TEST(a_query_that_is_made_again_goes_on_counting) {
  Fixture fixture;
  start(&fixture);
  play(&fixture, fixture.stunned, 20);
  ecs_query_destroy(fixture.moves);
  ecs_query_destroy(fixture.hurts);
  advise(&fixture, false);
  assert_int_equal(fixture.count, 1);
  int64_t gain = fixture.advice[0].gain;
  const ecs_Term other_order[] = {{fixture.stunned, ECS_WITHOUT},
                                  {fixture.place, ECS_WRITE},
                                  {fixture.speed, ECS_READ}};
  fixture.moves = make_query(fixture.world, other_order, 3);
  assert_int_equal(ecs_query_count_runs(fixture.moves, 20), ECS_OK);
  advise(&fixture, false);
  assert_true(fixture.advice[0].gain < gain); /* of twice as many frames */
  assert_true(fixture.advice[0].gain > 0);
  finish(&fixture);
}

TEST(what_had_better_be_no_component_is_named) {
#ifndef ECS_TINY
  static const ecs_Field fields[] = {{"x", ECS_F32, 0}};
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Component mass =
      define_component(world, "mass", fields, 1, ECS_STORE_TABLE);
  ecs_Component tile =
      define_component(world, "tile", fields, 1, ECS_STORE_TABLE);
  const ecs_Term terms[] = {{fixture.armour, ECS_READ}, {mass, ECS_WRITE}};
  const ecs_Term tiles[] = {{tile, ECS_WRITE}};
  const ecs_Component both[] = {fixture.armour, mass};
  ecs_Query *queries[] = {make_query(world, terms, 2),
                          make_query(world, tiles, 1)};
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(ecs_spawn(world, both, 2, NULL, NULL), ECS_OK);
    assert_int_equal(ecs_spawn(world, &tile, 1, NULL, NULL), ECS_OK);
  }
  assert_int_equal(ecs_query_count_runs(queries[0], 9), ECS_OK);
  assert_int_equal(ecs_query_count_runs(queries[1], 9), ECS_OK);
  advise(&fixture, false);
  assert_int_equal(fixture.count, 2);
  assert_int_equal(fixture.advice[0].component, mass);
  assert_int_equal(fixture.advice[0].to, ECS_PLACE_FIELD);
  assert_int_equal(fixture.advice[0].to_beside, fixture.armour);
  assert_int_equal(fixture.advice[0].reason, ECS_REASON_TOGETHER);
  assert_int_equal(fixture.advice[1].component, tile);
  assert_int_equal(fixture.advice[1].to, ECS_PLACE_ARRAY);
  assert_int_equal(fixture.advice[1].reason, ECS_REASON_ALONE);
  advise(&fixture, true); /* the storage cannot do that */
  assert_int_equal(fixture.count, 0);
  finish(&fixture);
#endif
}

TEST(what_is_counted_is_told) {
  Fixture fixture;
  ecs_ComponentStatistics known;
  start(&fixture);
  ecs_World *world = fixture.world;
  const ecs_Component both[] = {fixture.place, fixture.speed};
  play(&fixture, 0, 1);
  play(&fixture, fixture.stunned, 3);
  uint64_t changes = 0;
  for (uint32_t i = 0; i < CROWD; i++) changes += i % 5 < 3;
  assert_int_equal(ecs_component_statistics(world, fixture.stunned, &known),
                   ECS_OK);
  assert_int_equal(known.changes, changes);
  assert_int_equal(known.place, ECS_PLACE_MAIN);
  assert_int_equal(ecs_group_bits(world, &fixture.stunned, 1), ECS_OK);
  assert_int_equal(ecs_group(world, both, 2), ECS_OK);
  assert_int_equal(ecs_group(world, &fixture.armour, 1), ECS_OK);
  static const ecs_Place places[] = {ECS_PLACE_GROUP, ECS_PLACE_GROUP,
                                     ECS_PLACE_BITS, ECS_PLACE_SET};
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(ecs_component_statistics(world, i + 1, &known), ECS_OK);
    assert_int_equal(known.place, places[i]);
    assert_int_equal(known.beside, i < 2 ? 2 - i : 0);
  }
  assert_int_equal(ecs_component_statistics(world, 99, &known),
                   ECS_E_COMPONENT);
  assert_int_equal(ecs_component_statistics(world, 1, NULL), ECS_E_ARGUMENT);
  finish(&fixture);
}

TEST(wrong_arguments_change_nothing) {
  Fixture fixture;
  uint32_t count = 77;
  start(&fixture);
  ecs_World *world = fixture.world;
  play(&fixture, fixture.stunned, 20);
  uint64_t hash = ecs_world_hash(world);
  assert_int_equal(ecs_world_advise(world, NULL, 0, NULL), ECS_E_ARGUMENT);
  assert_int_equal(ecs_world_optimize(world, NULL, 0, NULL), ECS_E_ARGUMENT);
  assert_int_equal(ecs_world_advise(world, NULL, 1, &count), ECS_E_ARGUMENT);
  assert_int_equal(ecs_world_optimize(world, NULL, 1, &count), ECS_E_ARGUMENT);
  ecs_defer_begin(world);
  assert_int_equal(ecs_world_optimize(world, NULL, 0, &count), ECS_E_OPEN);
  assert_int_equal(count, 77);
  assert_int_equal(ecs_world_advise(world, NULL, 0, &count), ECS_OK);
  assert_int_equal(count, 1);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  assert_true(ecs_world_hash(world) == hash);
  assert_int_equal(ecs_world_optimize(world, NULL, 0, &count), ECS_OK);
  assert_int_equal(count, 1);
  assert_true(ecs_world_hash(world) != hash);
  finish(&fixture);
}

TEST(every_allocation_may_fail) {
  Fixture fixture;
  start(&fixture);
  play(&fixture, fixture.stunned, 20);
  uint64_t hash = ecs_world_hash(fixture.world);
  for (uint64_t n = 1;; n++) {
    uint64_t bytes = fixture.failing.bytes;
    failing_memory_arm(&fixture.failing, n,
                       n % 2 == 0 ? FAIL_ONCE : FAIL_ONWARD);
    ecs_Status status =
        ecs_world_optimize(fixture.world, fixture.advice, MOST, &fixture.count);
    if (failing_memory_disarm(&fixture.failing) == 0) {
      assert_int_equal(status, ECS_OK);
      break;
    }
    assert_int_equal(status, ECS_E_MEMORY);
    assert_true(ecs_world_hash(fixture.world) == hash);
    assert_int_equal(fixture.failing.bytes, bytes);
  }
  assert_int_equal(fixture.count, 1);
  finish(&fixture);
}

/* 10,000 entities with 40 tags each in a combination of their own. */
TEST(combinations_become_few_tables) {
#ifndef ECS_TINY
  enum { TAGS = 40, ENTITIES = 10000 };
  FailingMemory failing;
  ecs_World *world = open_world(&failing);
  ecs_Component tags[TAGS], list[TAGS];
  uint32_t count = 0;
  for (uint32_t k = 0; k < TAGS; k++) {
    char name[8];
    snprintf(name, sizeof name, "t%u", k);
    tags[k] = define_component(world, name, NULL, 0, ECS_STORE_TABLE);
  }
  for (uint64_t i = 1; i <= ENTITIES; i++) {
    uint64_t random = i * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    count = 0;
    for (uint32_t k = 0; k < TAGS; k++)
      if ((random >> k & 1u) != 0) list[count++] = tags[k];
    assert_int_equal(ecs_spawn(world, list, count, NULL, NULL), ECS_OK);
  }
  ecs_Advice advice[TAGS];
  ecs_Statistics before, after;
  ecs_world_statistics(world, &before);
  assert_true(before.tables > ENTITIES / 2);
  assert_int_equal(ecs_world_optimize(world, advice, TAGS, &count), ECS_OK);
  ecs_world_statistics(world, &after);
  print_message(
      "%llu -> %llu bytes, %llu tables\n", (unsigned long long)before.bytes,
      (unsigned long long)after.bytes, (unsigned long long)after.tables);
  assert_true(after.bytes < ENTITIES * (TAGS / 8 + 64) * 3 / 2);
  close_world(world, &failing);
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_world_where_nothing_ran_stays_as_it_is),
      cmocka_unit_test(a_tag_that_comes_and_goes_becomes_bits),
      cmocka_unit_test(columns_that_come_and_go_leave_the_main_group),
      cmocka_unit_test(a_component_comes_back_when_it_has_come_to_rest),
      cmocka_unit_test(the_start_does_not_decide_where_it_ends),
      cmocka_unit_test(setting_up_is_not_counted),
      cmocka_unit_test(a_query_that_is_made_again_goes_on_counting),
      cmocka_unit_test(what_had_better_be_no_component_is_named),
      cmocka_unit_test(what_is_counted_is_told),
      cmocka_unit_test(wrong_arguments_change_nothing),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(combinations_become_few_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* command_many_test.c: many spawns, or one change of many entities, recorded at
 * once.
 *
 * A twin records the same one by one. Both worlds must have the same hash, which
 * counts what is recorded, and the same handles.
 */
#include "command_buffer_fixture.h"
#include "test_case.h"

#define TURNS 4u

typedef struct Turns {
  Bundle *bundles[3]; /* {A Tag B}, {} and {S} */
  ecs_Entity entities[3 * TURNS];
  char *values[3 * TURNS];
} Turns;

static void open_turns(Fixture *fixture, Turns *turns) {
  start(fixture);
  const ecs_Component what[] = {fixture->a, fixture->tag, fixture->b};
  memset(turns, 0, sizeof *turns);
  turns->bundles[0] = bundle_of(fixture, what, 3);
  turns->bundles[1] = bundle_of(fixture, NULL, 0);
  turns->bundles[2] = bundle_of(fixture, &fixture->sparse, 1);
}

static ecs_Status record_turns(const Fixture *fixture, Turns *turns) {
  ecs_Status status = command_prepare_spawns(fixture->buffer, turns->bundles, 3,
                                             TURNS, turns->values);
  if (status == ECS_OK)
    command_record_spawns(fixture->buffer, turns->bundles, 3, TURNS,
                          turns->entities);
  return status;
}

/* Writes values as in record_alone. */
static void give_values(const Turns *turns) {
  for (uint32_t k = 0; k < TURNS; k++) {
    const A a = {k + 1, -(double)k};
    const uint16_t b = (uint16_t)(k + 70);
    const float s = (float)k * 3;
    memcpy(turns->values[k], &a, sizeof a);
    memcpy(turns->values[k] + sizeof a, &b, sizeof b);
    memcpy(turns->values[2 * TURNS + k], &s, sizeof s);
  }
}

static void record_alone(const Fixture *fixture, Turns *turns) {
  for (uint32_t k = 0; k < TURNS; k++) {
    const A a = {k + 1, -(double)k};
    const uint16_t b = (uint16_t)(k + 70);
    const float s = (float)k * 3;
    const void *all[] = {&a, NULL, &b}, *one[] = {&s};
    const void *const *values[] = {all, NULL, one};
    for (uint32_t i = 0; i < 3; i++)
      assert_int_equal(
          command_record_spawn(fixture->buffer, turns->bundles[i], values[i],
                               &turns->entities[3 * k + i]),
          ECS_OK);
  }
}

/* Spawns ------------------------------------------------------------------ */

TEST(spawns_in_turns_are_those_recorded_alone) {
  Fixture fixture, twin;
  Turns turns, alone;
  open_turns(&fixture, &turns);
  open_turns(&twin, &alone);
  for (uint32_t round = 0; round < 3; round++) {
    assert_int_equal(record_turns(&fixture, &turns), ECS_OK);
    give_values(&turns);
    record_alone(&twin, &alone);
    assert_memory_equal(turns.entities, alone.entities, sizeof turns.entities);
    for (uint32_t i = 0; i < 3 * TURNS; i++) {
      assert_int_equal((uintptr_t)turns.values[i] % 8, 0);
      /* Its values are those of its chain. */
      uint32_t bundle = i / TURNS, turn = i % TURNS;
      const EntityCommands *commands =
          command_find(fixture.buffer, turns.entities[3 * turn + bundle]);
      assert_ptr_equal(commands->last + 1, turns.values[i]);
      assert_true(command_shape(fixture.buffer, commands)->spawns);
    }
    assert_int_equal(fixture.buffer->command_count, twin.buffer->command_count);
    assert_chains_hold(&fixture);
    assert_true(ecs_world_hash(fixture.world) == ecs_world_hash(twin.world));
    if (round != 1) continue; /* handles are recycled in the last round */
    command_rewind(fixture.buffer, (CommandMark){0});
    command_rewind(twin.buffer, (CommandMark){0});
    assert_true(ecs_world_hash(fixture.world) == ecs_world_hash(twin.world));
  }
  finish(&fixture);
  finish(&twin);
}

/* Values may be written as soon as there is room for them; nothing else has
 * happened then. */
TEST(what_is_prepared_is_not_recorded) {
  Fixture fixture, twin;
  Turns turns, alone;
  open_turns(&fixture, &turns);
  open_turns(&twin, &alone);
  for (uint32_t round = 0; round < 2; round++) {
    uint64_t hash = ecs_world_hash(fixture.world);
    uint32_t runs = run_total(&fixture);
    assert_int_equal(command_prepare_spawns(fixture.buffer, turns.bundles, 3,
                                            TURNS, turns.values),
                     ECS_OK);
    give_values(&turns);
    assert_int_equal(run_total(&fixture), runs);
    assert_true(ecs_world_hash(fixture.world) == hash);
    assert_chains_hold(&fixture);
    (void)record_spawn(&fixture); /* something else, in the same room */
    (void)record_spawn(&twin);
    assert_int_equal(record_turns(&fixture, &turns), ECS_OK);
    give_values(&turns);
    record_alone(&twin, &alone);
    assert_memory_equal(turns.entities, alone.entities, sizeof turns.entities);
    assert_true(ecs_world_hash(fixture.world) == ecs_world_hash(twin.world));
    assert_chains_hold(&fixture);
  }
  finish(&fixture);
  finish(&twin);
}

TEST(no_spawns_are_nothing) {
  Fixture fixture;
  Turns turns;
  open_turns(&fixture, &turns);
  uint64_t hash = ecs_world_hash(fixture.world);
  for (uint32_t way = 0; way < 2; way++) {
    uint32_t bundles = way == 0 ? 3 : 0, count = way == 0 ? 0 : 9;
    assert_int_equal(command_prepare_spawns(fixture.buffer, turns.bundles,
                                            bundles, count, turns.values),
                     ECS_OK);
    command_record_spawns(fixture.buffer, turns.bundles, bundles, count,
                          turns.entities);
  }
  assert_int_equal(fixture.buffer->entity_count, 0);
  assert_true(ecs_world_hash(fixture.world) == hash);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* None of many goes on: what follows is a run of its own. */
TEST(spawns_of_many_are_runs_that_have_ended) {
  Fixture fixture;
  Turns turns;
  open_turns(&fixture, &turns);
  assert_int_equal(record_turns(&fixture, &turns), ECS_OK);
  give_values(&turns);
  uint32_t runs = run_total(&fixture);
  assert_int_equal(runs, 3 * TURNS);
  (void)record_tag(&fixture, turns.entities[3 * TURNS - 1]);
  (void)record_tag(&fixture, turns.entities[0]);
  assert_int_equal(run_total(&fixture), runs + 2);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* One change of many ------------------------------------------------------ */

#define MANY 9u

/* An image of any of the fixture's components: 64 doubles at most. */
static const double *some_image(uint32_t k) {
  static double image[BIG_FIELDS];
  for (uint32_t i = 0; i < BIG_FIELDS; i++) image[i] = k * 100 + i;
  return image;
}

TEST(one_change_of_many_is_that_of_each) {
  for (uint32_t way = 0; way < 6; way++) {
    Fixture fixture, twin;
    start(&fixture);
    start(&twin);
    ecs_Entity e[MANY];
    char *values[MANY] = {NULL};
    for (uint32_t i = 0; i < MANY; i++) {
      e[i] = placed(&fixture);
      assert_int_equal(placed(&twin), e[i]);
    }
    const CommandKind kind = way == 0   ? COMMAND_DESTROY
                             : way == 1 ? COMMAND_REMOVE
                                        : COMMAND_ADD;
    const ecs_Component ids[] = {0,         fixture.a,      fixture.a,
                                 fixture.a, fixture.sparse, fixture.big};
    const bool images = way > 2;
    uint32_t done = 99;
    assert_int_equal(command_record_fresh(fixture.buffer, kind, ids[way], e,
                                          MANY, images ? values : NULL, &done),
                     ECS_OK);
    assert_int_equal(done, MANY);
    const Store *store = &fixture.world->store;
    for (uint32_t i = 0; i < MANY; i++) {
      const void *image = images ? some_image(i) : NULL;
      if (images)
        memcpy(values[i], image,
               store->components.all[ids[way]].schema->image_bytes);
      (void)record(&twin, kind, e[i], ids[way], image, UINT64_MAX);
      assert_int_equal(runs_of(&fixture, e[i]), 1);
    }
    assert_chains_hold(&fixture);
    assert_true(ecs_world_hash(fixture.world) == ecs_world_hash(twin.world));
    finish(&fixture);
    finish(&twin);
  }
}

/* With values, a tag has none all the same. */
TEST(a_tag_of_many_has_no_values) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[2] = {placed(&fixture), placed(&fixture)};
  char *values[2] = {NULL};
  uint32_t done = 0;
  assert_int_equal(command_record_fresh(fixture.buffer, COMMAND_ADD,
                                        fixture.tag, e, 2, values, &done),
                   ECS_OK);
  assert_int_equal(done, 2);
  assert_null(newest(&fixture, e[0]).image);
  assert_int_equal(fixture.buffer->pages[0].used_bytes, 2 * PLAIN);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* It ends where an entity has records, be it from the list itself. */
TEST(one_change_of_many_ends_at_the_first_record) {
  for (uint32_t at = 0; at <= MANY; at++)
    for (uint32_t twice = 0; twice < 2 && at > 0; twice++) {
      Fixture fixture;
      start(&fixture);
      ecs_Entity e[MANY + 1], other = placed(&fixture);
      char *values[MANY + 1] = {NULL};
      for (uint32_t i = 0; i <= MANY; i++) e[i] = placed(&fixture);
      if (twice == 1)
        e[at] = e[at - 1];
      else
        (void)record_tag(&fixture, e[at]);
      (void)record_tag(&fixture, other);
      uint32_t before = fixture.buffer->command_count, done = 99;
      assert_int_equal(
          command_record_fresh(fixture.buffer, COMMAND_ADD, fixture.b, e,
                               MANY + 1, values, &done),
          ECS_OK);
      assert_int_equal(done, at);
      assert_int_equal(fixture.buffer->command_count, before + at);
      for (uint32_t i = 0; i <= MANY; i++) {
        bool recorded = i <= at; /* that one before, or as the one listed */
        assert_int_equal(command_find(fixture.buffer, e[i]) != NULL, recorded);
        if (i < at) {
          const uint16_t image = (uint16_t)i;
          memcpy(values[i], &image, sizeof image);
          assert_int_equal(newest(&fixture, e[i]).component, fixture.b);
        }
      }
      assert_chains_hold(&fixture);
      finish(&fixture);
    }
}

TEST(no_entities_are_nothing) {
  Fixture fixture;
  start(&fixture);
  uint32_t done = 99;
  assert_int_equal(command_record_fresh(fixture.buffer, COMMAND_ADD, fixture.a,
                                        NULL, 0, NULL, &done),
                   ECS_OK);
  assert_int_equal(done, 0);
  assert_int_equal(fixture.buffer->entity_count, 0);
  finish(&fixture);
}

/* Limits and failures ----------------------------------------------------- */

TEST(many_over_the_limit_of_commands_are_refused_whole) {
  Fixture fixture;
  Turns turns;
  open_turns(&fixture, &turns);
  const uint32_t needed = TURNS * (4 + 1 + 2);
  ecs_Entity e[MANY];
  uint32_t done = 99;
  for (uint32_t i = 0; i < MANY; i++) e[i] = placed(&fixture);
  (void)record_tag(&fixture, placed(&fixture));
  uint64_t hash = ecs_world_hash(fixture.world);
  /* The limit itself is too high to reach in every build. */
  fixture.buffer->command_count = ECS_COMMAND_LIMIT - needed + 1;
  assert_int_equal(record_turns(&fixture, &turns), ECS_E_LIMIT);
  fixture.buffer->command_count = ECS_COMMAND_LIMIT - MANY + 1;
  assert_int_equal(command_record_fresh(fixture.buffer, COMMAND_DESTROY, 0, e,
                                        MANY, NULL, &done),
                   ECS_E_LIMIT);
  assert_int_equal(done, 0);
  fixture.buffer->command_count = 1;
  assert_true(ecs_world_hash(fixture.world) == hash);
  assert_chains_hold(&fixture);
  fixture.buffer->command_count = ECS_COMMAND_LIMIT - needed;
  assert_int_equal(record_turns(&fixture, &turns), ECS_OK);
  assert_int_equal(fixture.buffer->command_count, ECS_COMMAND_LIMIT);
  give_values(&turns);
  fixture.buffer->command_count = ECS_COMMAND_LIMIT - MANY;
  assert_int_equal(command_record_fresh(fixture.buffer, COMMAND_DESTROY, 0, e,
                                        MANY, NULL, &done),
                   ECS_OK);
  assert_int_equal(done, MANY);
  fixture.buffer->command_count = 1 + needed + MANY;
  assert_chains_hold(&fixture);
  finish(&fixture);
}

#ifdef ECS_TINY
TEST(spawns_end_at_the_limit_of_indices) {
  Fixture fixture;
  Turns turns;
  open_turns(&fixture, &turns);
  for (uint32_t i = 0; i + 3 * TURNS < ECS_INDEX_LIMIT; i++)
    (void)placed(&fixture);
  uint64_t hash = ecs_world_hash(fixture.world);
  assert_int_equal(record_turns(&fixture, &turns), ECS_E_LIMIT);
  assert_int_equal(fixture.buffer->entity_count, 0);
  assert_true(ecs_world_hash(fixture.world) == hash);
  finish(&fixture);
}
#endif

/* One way to record, as a function of the fixture. */
typedef ecs_Status (*Recording)(Fixture *fixture, Turns *turns,
                                const ecs_Entity *e);

static ecs_Status births(Fixture *fixture, Turns *turns, const ecs_Entity *e) {
  (void)e;
  return record_turns(fixture, turns);
}

static ecs_Status additions(Fixture *fixture, Turns *turns,
                            const ecs_Entity *e) {
  uint32_t done = 99;
  ecs_Status status =
      command_record_fresh(fixture->buffer, COMMAND_ADD, fixture->big, e, MANY,
                           turns->values, &done);
  assert_int_equal(done, status == ECS_OK ? MANY : 0);
  return status;
}

static ecs_Status deaths(Fixture *fixture, Turns *turns, const ecs_Entity *e) {
  uint32_t done = 99;
  (void)turns;
  return command_record_fresh(fixture->buffer, COMMAND_DESTROY, 0, e, MANY,
                              NULL, &done);
}

static void fail_everywhere(Recording recording, FailingMode mode,
                            uint32_t recorded) {
  Fixture fixture;
  Turns turns;
  ecs_Entity e[MANY];
  open_turns(&fixture, &turns);
  for (uint32_t i = 0; i < MANY; i++) e[i] = placed(&fixture);
  if (recorded > 0) (void)record_tag(&fixture, placed(&fixture));
  uint64_t hash = ecs_world_hash(fixture.world), injected = 0, nth = 0;
  do {
    failing_memory_arm(&fixture.failing, ++nth, mode);
    ecs_Status status = recording(&fixture, &turns, e);
    injected = failing_memory_disarm(&fixture.failing);
    assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
    if (injected > 0) assert_true(ecs_world_hash(fixture.world) == hash);
    assert_chains_hold(&fixture);
  } while (injected > 0);
  assert_true(nth > 2 || recorded > 0);
  assert_int_equal(fixture.buffer->entity_count,
                   recorded + (recording == births ? 3 * TURNS : MANY));
  finish(&fixture);
}

TEST(every_allocation_may_fail) {
  static const Recording recordings[] = {births, additions, deaths};
  for (uint32_t r = 0; r < 3; r++)
    for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
      fail_everywhere(recordings[r], (FailingMode)mode, 0);
      fail_everywhere(recordings[r], (FailingMode)mode, 1);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spawns_in_turns_are_those_recorded_alone),
      cmocka_unit_test(what_is_prepared_is_not_recorded),
      cmocka_unit_test(no_spawns_are_nothing),
      cmocka_unit_test(spawns_of_many_are_runs_that_have_ended),
      cmocka_unit_test(one_change_of_many_is_that_of_each),
      cmocka_unit_test(a_tag_of_many_has_no_values),
      cmocka_unit_test(one_change_of_many_ends_at_the_first_record),
      cmocka_unit_test(no_entities_are_nothing),
      cmocka_unit_test(many_over_the_limit_of_commands_are_refused_whole),
#ifdef ECS_TINY
      cmocka_unit_test(spawns_end_at_the_limit_of_indices),
#endif
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

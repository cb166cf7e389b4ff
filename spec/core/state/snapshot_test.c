/* snapshot_test.c: what is put back, whatever has become of the world.
 *
 * Where a snapshot was taken a random program is run, taken back, and run again:
 * all hashes are as they were, which covers the order of rows and tables, and the
 * handles to come.
 */
#include "town_fixture.h"

static void restore(Town *town, ecs_Snapshot *snapshot) {
  uint64_t epoch = *ecs_world_row_epoch(town->world);
  assert_int_equal(ecs_snapshot_restore(snapshot), ECS_OK);
  assert_true(world_check_invariants(town->world));
  assert_true(*ecs_world_row_epoch(town->world) > epoch);
}

TEST(random_programs_go_on_as_they_did) {
  for (uint64_t seed = 1; seed <= 500; seed++) {
    Town town;
    open_town(&town);
    Play play = {.random = seed * UINT64_C(0x9e3779b97f4a7c15)}, kept[2];
    ecs_Snapshot *snapshots[2];
    uint64_t hash[2], ends[2], looks[2];
    act(&town, &play, 20 + (uint32_t)seed % 30);
    for (uint32_t i = 0; i < 2; i++) {
      assert_int_equal(ecs_snapshot_create(town.world, &snapshots[i]), ECS_OK);
      assert_int_equal(ecs_snapshot_take(snapshots[i]), ECS_OK);
      hash[i] = ecs_world_hash(town.world);
      kept[i] = play;
      looks[i] = look(&town);
      act(&town, &play, 1 + (uint32_t)seed % 40);
      ends[i] = ecs_world_hash(town.world);
    }
    for (uint32_t round = 0; round < 6; round++) {
      uint32_t i = (uint32_t)(seed + round * 5 / 3) % 2;
      restore(&town, snapshots[i]);
      assert_true(ecs_world_hash(town.world) == hash[i]);
      assert_true(look(&town) == looks[i]);
      play = kept[i];
      if (round % 2 == 1)
        assert_int_equal(ecs_snapshot_take(snapshots[i]), ECS_OK);
      if (round % 3 != 2) act(&town, &play, 1 + (uint32_t)seed % 40);
      if (round % 3 != 2) assert_true(ecs_world_hash(town.world) == ends[i]);
    }
    close_town(&town);
  }
}

/* No value, and not where rows are. */
TEST(the_order_of_links_alone_has_changed) {
  Town town;
  open_town(&town);
  ecs_World *world = town.world;
  ecs_Component aim = town.parts[5];
  ecs_Entity e[3], *target = &e[2];
  ecs_Snapshot *snapshot = NULL;
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &e[i]), ECS_OK);
  for (uint32_t i = 0; i < 2; i++)
    assert_int_equal(ecs_set(world, e[i], aim, target, 1), ECS_OK);
  assert_int_equal(ecs_snapshot_create(world, &snapshot), ECS_OK);
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
  uint64_t first = ecs_world_hash(world);
  assert_int_equal(ecs_set(world, e[0], aim, &e[1], 1), ECS_OK);
  assert_int_equal(ecs_set(world, e[0], aim, target, 1), ECS_OK);
  uint64_t second = ecs_world_hash(world);
  assert_true(second != first);
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
  assert_int_equal(ecs_set(world, e[1], aim, &e[0], 1), ECS_OK);
  restore(&town, snapshot);
  assert_true(ecs_world_hash(world) == second);
  close_town(&town);
}

/* Values alone have changed: nothing is allocated, and handles stay. */
TEST(a_ring_at_work_allocates_nothing) {
  Town town;
  open_town(&town);
  Play play = {.random = 7};
  act(&town, &play, 60);
  ecs_Snapshot *ring[3];
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(ecs_snapshot_create(town.world, &ring[i]), ECS_OK);
    assert_int_equal(ecs_snapshot_take(ring[i]), ECS_OK);
  }
  uint64_t hashes[3], requests = town.failing.requests;
  const float image[2] = {4, 0};
  for (uint32_t round = 0; round < 9; round++) {
    for (uint32_t i = 0; i < CITIZENS; i++)
      if (ecs_has(town.world, play.citizens[i], town.parts[0]))
        assert_int_equal(ecs_set(town.world, play.citizens[i], town.parts[0],
                                 image, round % 2),
                         ECS_OK);
    assert_int_equal(ecs_snapshot_take(ring[round % 3]), ECS_OK);
    hashes[round % 3] = ecs_world_hash(town.world);
    if (round < 2) continue;
    assert_int_equal(ecs_snapshot_restore(ring[(round + 1) % 3]), ECS_OK);
    assert_true(ecs_world_hash(town.world) == hashes[(round + 1) % 3]);
  }
  assert_int_equal(town.failing.requests, requests);
  assert_true(ecs_snapshot_bytes(ring[0]) > 0);
  ecs_snapshot_destroy(ring[1]); /* the others go with the world */
  close_town(&town);
}

TEST(what_cannot_be_done_is_refused) {
  Town town;
  open_town(&town);
  ecs_Snapshot *snapshot = NULL;
  assert_int_equal(ecs_snapshot_create(town.world, NULL), ECS_E_ARGUMENT);
  assert_int_equal(ecs_snapshot_create(town.world, &snapshot), ECS_OK);
  assert_int_equal(ecs_snapshot_restore(snapshot), ECS_E_ABSENT);
  assert_int_equal(ecs_defer_begin(town.world), ECS_OK);
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_E_OPEN);
  assert_int_equal(ecs_defer_end(town.world), ECS_OK);
  assert_int_equal(ecs_snapshot_restore(snapshot), ECS_E_ABSENT);
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
  assert_int_equal(ecs_defer_begin(town.world), ECS_OK);
  assert_int_equal(ecs_snapshot_restore(snapshot), ECS_E_OPEN);
  assert_int_equal(ecs_defer_end(town.world), ECS_OK);
  ecs_snapshot_destroy(NULL);
  close_town(&town);
}

/* What was counted for ecs_world_optimize is put back, too. */
TEST(counts_of_changes_are_part_of_it) {
  Town town;
  open_town(&town);
  ecs_Snapshot *snapshot = NULL;
  ecs_Entity entity = 0;
  const Component *component = &town.world->store.components.all[town.parts[0]];
  assert_int_equal(ecs_spawn(town.world, NULL, 0, NULL, &entity), ECS_OK);
  assert_int_equal(ecs_add(town.world, entity, town.parts[0], NULL), ECS_OK);
  assert_int_equal(ecs_snapshot_create(town.world, &snapshot), ECS_OK);
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
  uint64_t changes = component->changes;
  assert_int_equal(ecs_remove(town.world, entity, town.parts[0]), ECS_OK);
  assert_true(component->changes > changes);
  assert_int_equal(ecs_snapshot_restore(snapshot), ECS_OK);
  component = &town.world->store.components.all[town.parts[0]];
  assert_true(component->changes == changes);
  close_town(&town);
}

/* Whether changes are counted, too: what comes before the first run is not. */
TEST(counts_begin_again_where_they_had_not_begun) {
  Town town;
  open_town(&town);
  ecs_Snapshot *snapshot = NULL;
  ecs_Entity entity = 0;
  uint64_t counted[2];
  assert_int_equal(ecs_spawn(town.world, NULL, 0, NULL, &entity), ECS_OK);
  assert_int_equal(ecs_snapshot_create(town.world, &snapshot), ECS_OK);
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
  for (uint32_t i = 0; i < 2; i++) {
    ecs_ComponentStatistics statistics;
    assert_int_equal(ecs_snapshot_restore(snapshot), ECS_OK);
    assert_int_equal(ecs_add(town.world, entity, town.parts[0], NULL), ECS_OK);
    assert_int_equal(ecs_query_count_runs(town.queries[0], 1), ECS_OK);
    assert_int_equal(
        ecs_component_statistics(town.world, town.parts[0], &statistics),
        ECS_OK);
    counted[i] = statistics.changes;
  }
  assert_int_equal(counted[0], 0);
  assert_int_equal(counted[1], 0);
  close_town(&town);
}

/* Makes every allocation of taking, or of restoring, fail once. */
static void fail_everywhere(uint64_t seed, bool restores, bool onward) {
  uint64_t injected = 0, nth = 0;
  do {
    Town town;
    open_town(&town);
    Play play = {.random = seed};
    ecs_Snapshot *snapshot = NULL;
    act(&town, &play, 40);
    assert_int_equal(ecs_snapshot_create(town.world, &snapshot), ECS_OK);
    assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
    uint64_t taken = ecs_world_hash(town.world);
    act(&town, &play, 40);
    uint64_t before = ecs_world_hash(town.world), seen = look(&town);
    failing_memory_arm(&town.failing, ++nth, onward ? FAIL_ONWARD : FAIL_ONCE);
    ecs_Status status =
        restores ? ecs_snapshot_restore(snapshot) : ecs_snapshot_take(snapshot);
    injected = failing_memory_disarm(&town.failing);
    assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
    assert_true(world_check_invariants(town.world));
    if (injected > 0 || !restores) {
      assert_true(ecs_world_hash(town.world) == before);
      assert_true(look(&town) == seen);
    }
    restore(&town, snapshot);
    assert_true(ecs_world_hash(town.world) ==
                (injected == 0 && !restores ? before : taken));
    close_town(&town);
  } while (injected > 0);
  assert_true(nth > 1);
}

TEST(every_allocation_may_fail) {
  for (uint64_t seed = 3; seed < 23; seed++)
    for (uint32_t k = 0; k < 4; k++) fail_everywhere(seed, k % 2 == 0, k < 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_programs_go_on_as_they_did),
      cmocka_unit_test(the_order_of_links_alone_has_changed),
      cmocka_unit_test(a_ring_at_work_allocates_nothing),
      cmocka_unit_test(what_cannot_be_done_is_refused),
      cmocka_unit_test(counts_of_changes_are_part_of_it),
      cmocka_unit_test(counts_begin_again_where_they_had_not_begun),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

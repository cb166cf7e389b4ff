/* dump_test.c: texts of worlds are equal exactly where their state_hash is. */
#include "save_fixture.h"

static void dump(const Town *town, Bytes *to) {
  const ecs_SaveSink sink = {take_bytes, to};
  to->count = 0;
  assert_int_equal(ecs_world_dump(town->world, &sink), ECS_OK);
}

static bool same_bytes(const Bytes *one, const Bytes *other) {
  return one->count == other->count &&
         memcmp(one->all, other->all, one->count) == 0;
}

/* Of each state with the next one. */
TEST(texts_are_equal_where_the_hash_is) {
  uint32_t same = 0, other = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    Town town;
    Bytes before = {0}, after = {0};
    Play play = {.random = seed * UINT64_C(0x9e3779b97f4a7c15)};
    open_town(&town);
    dump(&town, &before);
    for (uint32_t step = 0; step < 60; step++) {
      uint64_t hash = ecs_world_state_hash(town.world);
      act(&town, &play, 1);
      dump(&town, &after);
      bool equal = hash == ecs_world_state_hash(town.world);
      assert_true(equal == same_bytes(&before, &after));
      same += equal;
      other += !equal;
      Bytes kept = before;
      before = after;
      after = kept;
    }
    free(before.all);
    free(after.all);
    close_town(&town);
  }
  assert_true(same > 100 && other > 100);
}

/* Tables, groups and rows in other orders. */
TEST(storage_does_not_count) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    Town town, other;
    Bytes bytes = {0}, before = {0}, after = {0};
    char problem[200];
    Play play = {.random = seed + 5};
    open_town(&town);
    open_town(&other);
    act(&town, &play, 50);
    assert_int_equal(save(&town, &bytes), ECS_OK);
    dump(&town, &before);
    assert_int_equal(load(&other, &bytes, problem), ECS_OK);
    (void)ecs_group(other.world, &other.parts[1], 2);
    (void)ecs_ungroup(other.world, &other.parts[0], 1);
    (void)ecs_group_bits(other.world, &other.parts[3], 1);
    assert_int_equal(ecs_world_trim(other.world), ECS_OK);
    dump(&other, &after);
    assert_true(same_bytes(&before, &after));
    assert_true(ecs_world_state_hash(town.world) ==
                ecs_world_state_hash(other.world));
    free(bytes.all);
    free(before.all);
    free(after.all);
    close_town(&town);
    close_town(&other);
  }
}

/* A spawn that is recorded has no row, and perhaps a name. */
TEST(what_is_recorded_is_left_out) {
  Town town;
  Bytes before = {0}, after = {0};
  ecs_Entity made = 0;
  open_town(&town);
  dump(&town, &before);
  assert_int_equal(ecs_defer_begin(town.world), ECS_OK);
  assert_int_equal(ecs_spawn(town.world, town.parts, 1, NULL, &made), ECS_OK);
  dump(&town, &after);
  assert_true(same_bytes(&before, &after));
  assert_int_equal(ecs_defer_end(town.world), ECS_OK);
  dump(&town, &after);
  assert_false(same_bytes(&before, &after));
  free(before.all);
  free(after.all);
  close_town(&town);
}

TEST(what_fails_is_told_and_changes_nothing) {
  Town town;
  Bytes bytes = {0};
  const ecs_SaveSink sink = {take_bytes, &bytes};
  Play play = {.random = 3};
  open_town(&town);
  act(&town, &play, 60);
  uint64_t hash = ecs_world_hash(town.world);
  failing_memory_arm(&town.failing, 1, FAIL_ONCE);
  assert_int_equal(ecs_world_dump(town.world, &sink), ECS_E_MEMORY);
  assert_int_equal(failing_memory_disarm(&town.failing), 1);
  bytes.most = 10;
  assert_int_equal(ecs_world_dump(town.world, &sink), ECS_E_FILE);
  assert_int_equal(ecs_world_dump(town.world, NULL), ECS_E_ARGUMENT);
  assert_true(ecs_world_hash(town.world) == hash);
  free(bytes.all);
  close_town(&town);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_equal_where_the_hash_is),
      cmocka_unit_test(storage_does_not_count),
      cmocka_unit_test(what_is_recorded_is_left_out),
      cmocka_unit_test(what_fails_is_told_and_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* held_pack_test.c: packed rows with fields of type string and any.
 *
 * As held_save_test.c: other numbers where they are unpacked, and changed bytes.
 */
#include "held_scene.h"

/* Packs the rows of populate, in the order of their first use. */
static ecs_Status pack(const Scene *scene, Bytes *to, const char *bytes,
                       size_t count) {
  const uint32_t numbers[] = {scene->table, scene->number, scene->one,
                              scene->two};
  const HeldPacked packed = {bytes, count, numbers, 4, NULL};
  const ecs_SaveSink sink = {take, to};
  const ecs_Term term = {scene->sprite, ECS_READ};
  ecs_Query *query = NULL;
  to->count = 0;
  ecs_Status status = ecs_query_create(scene->world, &term, 1, &query);
  if (status == ECS_OK)
    status = ecs_held_query_pack(query, NULL, 0, "", 0, &packed, &sink);
  ecs_query_destroy(query);
  return status;
}

static ecs_Status pack_all(const Scene *scene, Bytes *to) {
  return pack(scene, to, packed_bytes, sizeof packed_bytes - 1);
}

static ecs_Status unpack(Scene *scene, const Bytes *from,
                         const uint32_t *numbers, uint32_t count) {
  char problem[200];
  ecs_Saved *packed = NULL;
  ecs_Entity room[8];
  ecs_Status status = ecs_packed_open(scene->world, from->all, from->count,
                                      &packed, problem, sizeof problem);
  if (status != ECS_OK) return status;
  if (ecs_packed_rows(packed) > 8) {
    ecs_saved_close(packed);
    return ECS_E_FILE;
  }
  ecs_saved_hold(packed, numbers, count, false);
  status = ecs_packed_unpack(packed, NULL, NULL, room, problem, sizeof problem);
  ecs_saved_close(packed);
  return status;
}

static ecs_Status unpack_all(Scene *scene, const Bytes *from) {
  const uint32_t numbers[] = {scene->table, scene->number, scene->one,
                              scene->two};
  return unpack(scene, from, numbers, 4);
}

TEST(what_was_packed_is_unpacked_under_other_numbers) {
  static Bytes bytes, again;
  Scene scene, other;
  start(&scene, 0);
  start(&other, 5);
  populate(&scene);
  assert_int_equal(pack_all(&scene, &bytes), ECS_OK);
  assert_int_equal(unpack_all(&other, &bytes), ECS_OK);
  assert_true(ecs_world_state_hash(scene.world) ==
              ecs_world_state_hash(other.world));
  assert_int_equal(pack_all(&other, &again), ECS_OK);
  assert_int_equal(bytes.count, again.count);
  assert_memory_equal(bytes.all, again.all, bytes.count);
  finish(&scene);
  finish(&other);
}

TEST(values_are_used_in_the_order_of_columns) {
  Scene scene;
  HeldUse uses[4];
  uint32_t count = 0;
  start(&scene, 3);
  populate(&scene);
  const ecs_Term term = {scene.sprite, ECS_READ};
  ecs_Query *query = NULL;
  assert_int_equal(ecs_query_create(scene.world, &term, 1, &query), ECS_OK);
  assert_int_equal(ecs_held_query_uses(query, NULL, 0, NULL, 0, &count),
                   ECS_OK);
  assert_int_equal(count, 4);
  assert_int_equal(ecs_held_query_uses(query, NULL, 0, uses, 4, &count),
                   ECS_OK);
  assert_int_equal(uses[0].number, scene.table);
  assert_int_equal(uses[1].number, scene.number);
  assert_int_equal(uses[2].number, scene.one);
  assert_int_equal(uses[3].number, scene.two);
  assert_string_equal(uses[3].field_name, "label");
  ecs_query_destroy(query);
  finish(&scene);
}

TEST(values_that_do_not_fit_are_refused) {
  static Bytes bytes;
  Scene scene;
  start(&scene, 2);
  populate(&scene);
  assert_int_equal(pack_all(&scene, &bytes), ECS_OK);
  uint64_t hash = ecs_world_hash(scene.world);
  const uint32_t t = scene.table, n = scene.number, a = scene.one,
                 b = scene.two;
  const uint32_t wrong[][4] = {{t, n, a, a},
                               {t, n, n, b},
                               {0, n, a, b},
                               {t, n, a, 0},
                               {t, n, a, UINT32_MAX}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    assert_int_equal(unpack(&scene, &bytes, wrong[k], 4), ECS_E_FILE);
  assert_int_equal(unpack(&scene, &bytes, wrong[0], 3), ECS_E_FILE);
  assert_int_equal(unpack(&scene, &bytes, NULL, 0), ECS_E_FILE);
  assert_true(ecs_world_hash(scene.world) == hash);
  spawn(&scene, 1, 0); /* another value than those that were packed */
  assert_int_equal(pack_all(&scene, &bytes), ECS_E_VALUE);
  finish(&scene);
}

/* What is changed is refused, and nothing has changed; or it is what a pack of what
 * it makes gives. has_values: the host alone knows what the values mean. */
static void judge(Scene *scene, const Bytes *changed, uint64_t hash,
                  bool has_values) {
  static Bytes again;
  ecs_Snapshot *before = NULL;
  assert_int_equal(ecs_snapshot_create(scene->world, &before), ECS_OK);
  assert_int_equal(ecs_snapshot_take(before), ECS_OK);
  (void)ecs_world_clear(scene->world);
  uint64_t empty = ecs_world_hash(scene->world);
  if (unpack_all(scene, changed) != ECS_OK) {
    assert_true(ecs_world_hash(scene->world) == empty);
  } else if (!has_values && pack_all(scene, &again) == ECS_OK) {
    /* Entities and defaults may be others. */
    assert_int_equal(again.count, changed->count);
  }
  assert_int_equal(ecs_snapshot_restore(before), ECS_OK);
  ecs_snapshot_destroy(before);
  assert_true(ecs_world_hash(scene->world) == hash);
}

TEST(changed_bytes_with_right_sums_are_judged) {
  static Bytes bytes, changed;
  Scene scene;
  Change change = {.entry = 0};
  const char *problem = NULL;
  start(&scene, 1);
  populate(&scene);
  uint64_t hash = ecs_world_hash(scene.world);
  Memory *memory = &scene.world->store.memory;
  assert_int_equal(pack_all(&scene, &bytes), ECS_OK);
  assert_int_equal(
      archive_read(&change.reader, memory, bytes.all, bytes.count, &problem),
      ECS_OK);
  for (; change.entry < change.reader.count; change.entry++) {
    const ArchiveEntry *entry = &change.reader.entries[change.entry];
    for (change.at = 0; change.at < entry->count; change.at++)
      for (int step = 1; step < 256; step *= 3) {
        change.byte = (char)(entry->bytes[change.at] + step);
        write_changed(&change, memory, &changed);
        judge(&scene, &changed, hash, memcmp(entry->name, "values.m", 8) == 0);
      }
  }
  archive_reader_deinit(&change.reader, memory);
  finish(&scene);
}

TEST(every_allocation_may_fail) {
  static Bytes bytes;
  Scene scene, other;
  start(&scene, 0);
  start(&other, 3);
  populate(&scene);
  for (uint32_t nth = 1;; nth++) {
    failing_memory_arm(&scene.failing, nth, FAIL_ONCE);
    ecs_Status status = pack_all(&scene, &bytes);
    if (!failing_memory_disarm(&scene.failing)) break;
    assert_int_equal(status, ECS_E_MEMORY);
  }
  uint64_t hash = ecs_world_hash(other.world);
  for (uint32_t nth = 1;; nth++) {
    failing_memory_arm(&other.failing, nth, FAIL_ONCE);
    ecs_Status status = unpack_all(&other, &bytes);
    if (!failing_memory_disarm(&other.failing)) break;
    if (status == ECS_OK) { /* what failed was not needed */
      (void)ecs_world_clear(other.world);
      hash = ecs_world_hash(other.world);
      continue;
    }
    assert_int_equal(status, ECS_E_MEMORY);
    assert_true(ecs_world_hash(other.world) == hash);
  }
  assert_true(ecs_world_state_hash(scene.world) ==
              ecs_world_state_hash(other.world));
  finish(&scene);
  finish(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_packed_is_unpacked_under_other_numbers),
      cmocka_unit_test(values_are_used_in_the_order_of_columns),
      cmocka_unit_test(values_that_do_not_fit_are_refused),
      cmocka_unit_test(changed_bytes_with_right_sums_are_judged),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

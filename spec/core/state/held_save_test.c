/* held_save_test.c: saves of fields of type string and any.
 *
 * A world is saved with values that were packed, and loaded into one whose values
 * have other numbers. Then bytes of the save are changed, its checksums made right:
 * each is refused and nothing has changed, or what was loaded is saved as the same
 * bytes.
 */
#include "held_scene.h"

/* The values of populate, in the order of their first use. */
static ecs_Status save(const Scene *scene, Bytes *to, const char *bytes,
                       size_t count) {
  const uint32_t numbers[] = {scene->table, scene->number, scene->one,
                              scene->two};
  const HeldPacked packed = {bytes, count, numbers, 4, NULL};
  const ecs_SaveSink sink = {take, to};
  to->count = 0;
  return ecs_held_save(scene->world, NULL, "", 0, &packed, &sink);
}

static ecs_Status save_all(const Scene *scene, Bytes *to) {
  return save(scene, to, packed_bytes, sizeof packed_bytes - 1);
}

static ecs_Status load(Scene *scene, const Bytes *from, const uint32_t *numbers,
                       uint32_t count) {
  char problem[200];
  ecs_Saved *saved = NULL;
  ecs_Status status = ecs_saved_open(scene->world, from->all, from->count,
                                     &saved, problem, sizeof problem);
  if (status != ECS_OK) return status;
  ecs_saved_hold(saved, numbers, count, false);
  status = ecs_saved_load(saved, NULL, problem, sizeof problem);
  ecs_saved_close(saved);
  return status;
}

static ecs_Status load_all(Scene *scene, const Bytes *from) {
  const uint32_t numbers[] = {scene->table, scene->number, scene->one,
                              scene->two};
  return load(scene, from, numbers, 4);
}

TEST(values_are_used_in_the_order_of_columns) {
  Scene scene;
  HeldUse uses[4];
  uint32_t count = 0;
  start(&scene, 3);
  populate(&scene);
  assert_int_equal(ecs_held_uses(scene.world, NULL, NULL, 0, &count), ECS_OK);
  assert_int_equal(count, 4);
  assert_int_equal(ecs_held_uses(scene.world, NULL, uses, 4, &count), ECS_OK);
  assert_int_equal(uses[0].number, scene.table);
  assert_int_equal(uses[1].number, scene.number);
  assert_int_equal(uses[2].number, scene.one);
  assert_int_equal(uses[3].number, scene.two);
  assert_int_equal(uses[3].field, 1);
  assert_string_equal(uses[3].component_name, "Sprite");
  assert_string_equal(uses[3].field_name, "label");
  finish(&scene);
}

TEST(an_integer_is_the_double_that_it_equals) {
  Scene scene;
  HeldUse uses[2];
  HeldValue value;
  uint32_t count = 0;
  start(&scene, 0);
  ecs_held_number(&value, 3);
  uint32_t same = hold(&scene, value);
  spawn(&scene, scene.number, 0);
  spawn(&scene, same, 0);
  assert_int_equal(ecs_held_uses(scene.world, NULL, uses, 2, &count), ECS_OK);
  assert_int_equal(count, 1);
  assert_int_equal(uses[0].number, same);
  finish(&scene);
}

TEST(what_was_saved_is_loaded_under_other_numbers) {
  static Bytes bytes, again;
  Scene scene, other;
  start(&scene, 0);
  start(&other, 5);
  populate(&scene);
  spawn(&other, other.table, other.two);
  assert_int_equal(save_all(&scene, &bytes), ECS_OK);
  assert_int_equal(load_all(&other, &bytes), ECS_OK);
  assert_true(ecs_world_hash(scene.world) == ecs_world_hash(other.world));
  assert_int_equal(save_all(&other, &again), ECS_OK);
  assert_int_equal(bytes.count, again.count);
  assert_memory_equal(bytes.all, again.all, bytes.count);
  finish(&scene);
  finish(&other);
}

TEST(values_that_do_not_fit_are_refused) {
  static Bytes bytes;
  Scene scene;
  start(&scene, 2);
  populate(&scene);
  assert_int_equal(
      ecs_world_save(scene.world, "", 0, &(ecs_SaveSink){take, &bytes}),
      ECS_E_COMPONENT);
  assert_int_equal(ecs_world_contested(scene.world), scene.sprite);
  assert_int_equal(save_all(&scene, &bytes), ECS_OK);
  uint64_t hash = ecs_world_hash(scene.world);
  const uint32_t t = scene.table, n = scene.number, a = scene.one,
                 b = scene.two;
  const uint32_t wrong[][4] = {
      {t, n, a, a}, {t, n, a, t},  {t, n, n, b}, {0, n, a, b},
      {t, n, a, 0}, {t, n, a, 60}, {t, n, 1, b}, {t, n, a, UINT32_MAX},
      {n, t, a, b}, {a, n, t, b}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    assert_int_equal(load(&scene, &bytes, wrong[k], 4), ECS_E_FILE);
  assert_int_equal(load(&scene, &bytes, wrong[0], 3), ECS_E_FILE);
  assert_int_equal(load(&scene, &bytes, NULL, 0), ECS_E_FILE);
  assert_true(ecs_world_hash(scene.world) == hash);
  spawn(&scene, 1, 0); /* another value than those that were packed */
  assert_int_equal(save_all(&scene, &bytes), ECS_E_VALUE);
  finish(&scene);
}

/* Packed bytes that are no four values, or others than the columns need. */
TEST(forged_values_are_refused) {
  static const char *const wrong[] = {
      "\x81\xa1x\x01\x03\xa3one",                /* three */
      "\x81\xa1x\x01\x03\xa3one\xa3two1",        /* five */
      "\x81\xa1x\x01\x03\xa3one\x05",            /* a label that is a number */
      "\x81\xa1x\x01\x03\xa3one\xa0",            /* "" is none */
      "\x81\xa1x\x01\x03\xa3one\xd6\x01\xa3two", /* what an encoder made */
      "\x81\xa1x\x01\xc0\xa3one\xa3two",         /* nil is none */
      "\x81\xa1x\x01\x03\xa3one\xd9\x03two",     /* not the shortest */
      "\xa1x\xd4\x01\xd4\x01\xd4\x01",
      "",
  };
  static Bytes bytes;
  Scene scene;
  start(&scene, 0);
  populate(&scene);
  uint64_t hash = ecs_world_hash(scene.world);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    assert_int_equal(save(&scene, &bytes, wrong[k], strlen(wrong[k])), ECS_OK);
    assert_int_equal(load_all(&scene, &bytes), ECS_E_FILE);
  }
  assert_true(ecs_world_hash(scene.world) == hash);
  finish(&scene);
}

/* Changing ---------------------------------------------------------------- */

/* Does it load what is saved as the same bytes, or nothing at all? has_values: what
 * changed is packed values, of which the host alone knows what they mean. */
static void judge(Scene *scene, const Bytes *changed, uint64_t hash,
                  bool has_values) {
  static Bytes again;
  ecs_Snapshot *before = NULL;
  assert_int_equal(ecs_snapshot_create(scene->world, &before), ECS_OK);
  assert_int_equal(ecs_snapshot_take(before), ECS_OK);
  if (load_all(scene, changed) == ECS_OK) {
    assert_int_equal(save_all(scene, &again), ECS_OK);
    if (!has_values) {
      assert_int_equal(again.count, changed->count);
      assert_memory_equal(again.all, changed->all, again.count);
    }
    assert_int_equal(ecs_snapshot_restore(before), ECS_OK);
  }
  ecs_snapshot_destroy(before);
  assert_true(ecs_world_hash(scene->world) == hash);
}

TEST(changed_bytes_with_right_sums_are_refused) {
  static Bytes bytes, changed;
  Scene scene;
  Change change = {.entry = 0};
  const char *problem = NULL;
  start(&scene, 1);
  populate(&scene);
  uint64_t hash = ecs_world_hash(scene.world);
  Memory *memory = &scene.world->store.memory;
  assert_int_equal(save_all(&scene, &bytes), ECS_OK);
  assert_int_equal(
      archive_read(&change.reader, memory, bytes.all, bytes.count, &problem),
      ECS_OK);
  for (; change.entry < change.reader.count; change.entry++) {
    const ArchiveEntry *entry = &change.reader.entries[change.entry];
    assert_true(entry->name_bytes >= 8);
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
    ecs_Status status = save_all(&scene, &bytes);
    if (!failing_memory_disarm(&scene.failing)) break;
    assert_int_equal(status, ECS_E_MEMORY);
  }
  uint64_t hash = ecs_world_hash(other.world);
  for (uint32_t nth = 1;; nth++) {
    failing_memory_arm(&other.failing, nth, FAIL_ONCE);
    ecs_Status status = load_all(&other, &bytes);
    if (!failing_memory_disarm(&other.failing)) break;
    if (status == ECS_OK) continue; /* what failed was not needed */
    assert_int_equal(status, ECS_E_MEMORY);
    assert_true(ecs_world_hash(other.world) == hash);
  }
  assert_true(ecs_world_hash(scene.world) == ecs_world_hash(other.world));
  finish(&scene);
  finish(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_used_in_the_order_of_columns),
      cmocka_unit_test(an_integer_is_the_double_that_it_equals),
      cmocka_unit_test(what_was_saved_is_loaded_under_other_numbers),
      cmocka_unit_test(values_that_do_not_fit_are_refused),
      cmocka_unit_test(forged_values_are_refused),
      cmocka_unit_test(changed_bytes_with_right_sums_are_refused),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

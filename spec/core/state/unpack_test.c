/* unpack_test.c: packed rows come into worlds as they were, or not at all.
 *
 * Worlds that a random program has made are packed. Under the same handles, a
 * world has the hash that it had, and goes on as it did; an empty one has the same
 * entities. As new entities, rows lead to each other as the packed ones did. What
 * is damaged, forged or refused changes nothing.
 */
#include "village_fixture.h"

/* Arrays are no part of rows. */
static void empty_arrays(Village *village) {
  const uint32_t sizes[2][3] = {{3, 4, 0}, {5, 0, 0}};
  for (uint32_t i = 0; i < 2; i++) {
    ecs_Array *array = village->town.arrays[i];
    assert_int_equal(ecs_array_resize(array, sizes[i]), ECS_OK);
    assert_int_equal(ecs_array_fill(array, 0), ECS_OK);
  }
}

/* An empty world gets the same entities; or it refuses an id that is too far above
 * all others, as builds with small limits do. */
static void assert_elsewhere(const Village *village, const Bytes *bytes) {
  Village other;
  Bytes again = {0};
  char problem[200];
  open_village(&other);
  ecs_World *world = other.town.world;
  uint64_t hash = ecs_world_hash(world);
  ecs_Status status = unpack(&other, bytes, problem);
  assert_true(world_check_invariants(world));
  if (status != ECS_OK) {
    assert_true(ECS_INDEX_REACH < 100);
    assert_non_null(strstr(problem, "too far above"));
    assert_true(ecs_world_hash(world) == hash);
  } else {
    assert_true(ecs_world_state_hash(world) ==
                ecs_world_state_hash(village->town.world));
    assert_int_equal(pack(&other, &again), ECS_OK);
    assert_int_equal(again.count, bytes->count);
  }
  free(again.all);
  close_village(&other);
}

TEST(the_same_world_goes_on_and_an_empty_one_has_the_same) {
  const char *asked = getenv("PROGRAM_COUNT");
  uint32_t most = asked == NULL ? 500 : (uint32_t)strtoul(asked, NULL, 10) / 4;
  char problem[200];
  for (uint64_t seed = 1; seed <= most; seed++) {
    Village village;
    Bytes bytes = {0};
    ecs_Snapshot *before = NULL;
    open_village(&village);
    ecs_World *world = village.town.world;
    Play play = {.random = seed * UINT64_C(0x9e3779b97f4a7c15)};
    live(&village, &play, 5 + (uint32_t)seed % 20);
    empty_arrays(&village);
    uint64_t hash = ecs_world_hash(world);
    assert_int_equal(ecs_snapshot_create(world, &before), ECS_OK);
    assert_int_equal(ecs_snapshot_take(before), ECS_OK);
    assert_int_equal(pack(&village, &bytes), ECS_OK);
    assert_true(ecs_world_hash(world) == hash);
    assert_int_equal(unpack(&village, &bytes, problem), ECS_OK);
    assert_true(world_check_invariants(world));
    assert_true(ecs_world_hash(world) == hash);
    assert_elsewhere(&village, &bytes);
    Play copy = play;
    live(&village, &play, 10);
    hash = ecs_world_hash(world);
    assert_int_equal(ecs_snapshot_restore(before), ECS_OK);
    /* What was defined since is defined again, as the same. */
    live(&village, &copy, 10);
    assert_true(ecs_world_hash(world) == hash);
    ecs_snapshot_destroy(before);
    free(bytes.all);
    close_village(&village);
  }
}

/* Is what a field of a new entity leads to made of what the packed one's leads to?
 */
static void assert_mended(ecs_World *world, const ecs_Entity *from,
                          const ecs_Entity *to, uint64_t count,
                          ecs_Component component) {
  for (uint64_t i = 0; i < count; i++) {
    ecs_Entity was[8] = {0}, is[8] = {0};
    assert_true(ecs_has(world, from[i], component) ==
                ecs_has(world, to[i], component));
    if (!ecs_has(world, from[i], component)) continue;
    assert_int_equal(ecs_get(world, from[i], component, was), ECS_OK);
    assert_int_equal(ecs_get(world, to[i], component, is), ECS_OK);
    ecs_Entity expected = ecs_alive(world, was[0]) ? was[0] : 0;
    for (uint64_t k = 0; k < count; k++)
      if (from[k] == was[0]) expected = to[k];
    assert_true(is[0] == expected);
  }
}

TEST(new_entities_lead_to_each_other) {
  char problem[200];
  for (uint64_t seed = 1; seed <= 200; seed++) {
    Village village;
    Bytes bytes = {0};
    ecs_Entity from[200] = {0}, to[200] = {0};
    uint64_t count = 0, after = 0;
    open_village(&village);
    ecs_World *world = village.town.world;
    Play play = {.random = seed * UINT64_C(0x9e3779b97f4a7c15)};
    live(&village, &play, 10);
    assert_int_equal(ecs_query_entities(village.all, from, 200, &count),
                     ECS_OK);
    assert_int_equal(pack(&village, &bytes), ECS_OK);
    const ecs_UnpackOptions options = {.as_new = true,
                                       .with = village.town.parts[4]};
    assert_int_equal(unpack_as(&village, &bytes, &options, to, problem),
                     ECS_OK);
    assert_true(world_check_invariants(world));
    assert_int_equal(ecs_query_count(village.all, &after), ECS_OK);
    assert_int_equal(after, 2 * count);
    assert_mended(world, from, to, count, village.tree);
    assert_mended(world, from, to, count, village.note);
    assert_mended(world, from, to, count, village.town.parts[5]);
    for (uint64_t i = 0; i < count; i++) {
      assert_true(ecs_has(world, to[i], village.town.parts[4]));
      assert_null(ecs_name(world, to[i]));
      for (uint32_t k = 0; k < 4; k++)
        assert_true(ecs_has(world, from[i], village.town.parts[k]) ==
                    ecs_has(world, to[i], village.town.parts[k]));
    }
    live(&village, &play, 10);
    free(bytes.all);
    close_village(&village);
  }
}

/* A pack of a world that has everything, and a world that has nothing yet. Of the
 * random worlds one is taken whose ids an empty world can give: builds with small
 * limits refuse some of them. */
static void begin(Village *village, Bytes *bytes, uint64_t *hash) {
  char problem[200];
  ecs_Status status = ECS_E_FILE;
  for (uint64_t seed = 77; status != ECS_OK; seed++) {
    Village other, probe;
    Play play = {.random = seed};
    open_village(&other);
    open_village(&probe);
    live(&other, &play, 24);
    assert_int_equal(pack(&other, bytes), ECS_OK);
    status = unpack(&probe, bytes, problem);
    close_village(&other);
    close_village(&probe);
  }
  open_village(village);
  *hash = ecs_world_hash(village->town.world);
}

TEST(every_allocation_may_fail) {
  char problem[200];
  static const FailingMode modes[] = {FAIL_ONCE, FAIL_ONWARD};
  for (uint32_t run = 0; run < 6; run++) {
    uint64_t injected = 0, nth = 0;
    do {
      Village village;
      Bytes bytes = {0}, other = {0};
      uint64_t hash;
      begin(&village, &bytes, &hash);
      const ecs_UnpackOptions options = {.as_new = run / 2 == 1,
                                         .with = village.town.parts[3]};
      if (run / 2 == 2)
        assert_int_equal(unpack(&village, &bytes, problem), ECS_OK);
      hash = ecs_world_hash(village.town.world);
      failing_memory_arm(&village.town.failing, ++nth, modes[run % 2]);
      ecs_Status status =
          run / 2 == 2 ? pack(&village, &other)
                       : unpack_as(&village, &bytes, &options, NULL, problem);
      injected = failing_memory_disarm(&village.town.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      assert_true(world_check_invariants(village.town.world));
      if (injected > 0) assert_true(ecs_world_hash(village.town.world) == hash);
      free(bytes.all);
      free(other.all);
      close_village(&village);
    } while (injected > 0);
    assert_true(nth > 3);
  }
}

TEST(what_is_cut_off_or_flipped_is_refused) {
  Village village;
  Bytes bytes = {0};
  uint64_t hash;
  char problem[200];
  begin(&village, &bytes, &hash);
  size_t whole = bytes.count, step = whole / 3000 + 1;
  for (bytes.count = 0; bytes.count < whole; bytes.count += step) {
    assert_int_equal(unpack(&village, &bytes, problem), ECS_E_FILE);
    assert_true(strlen(problem) > 0);
  }
  bytes.count = whole;
  for (size_t i = 0; i < whole; i += step)
    for (uint32_t bit = 0; bit < 8; bit += 3) {
      bytes.all[i] = (char)(bytes.all[i] ^ 1 << bit);
      assert_int_equal(unpack(&village, &bytes, problem), ECS_E_FILE);
      bytes.all[i] = (char)(bytes.all[i] ^ 1 << bit);
    }
  assert_true(ecs_world_hash(village.town.world) == hash);
  assert_int_equal(unpack(&village, &bytes, problem), ECS_OK);
  free(bytes.all);
  close_village(&village);
}

/* Bytes of an entry become others. */
typedef struct Rewrite {
  const ArchiveEntry *entry;
  size_t at, gone;
  const char *bytes;
  size_t count;
} Rewrite;

static void put_rewritten(ArchiveOut *out, const void *of) {
  const Rewrite *rewrite = of;
  const ArchiveEntry *entry = rewrite->entry;
  size_t behind = rewrite->at + rewrite->gone;
  archive_put(out, entry->bytes, rewrite->at);
  archive_put(out, rewrite->bytes, rewrite->count);
  archive_put(out, entry->bytes + behind, entry->count - behind);
}

/* The archive with one entry rewritten, and all sums right. */
static void rewrite(const ArchiveReader *from, const Rewrite *how,
                    Memory *memory, Bytes *to) {
  static ArchiveWriter writer;
  to->count = 0;
  archive_begin(&writer, memory, (ecs_SaveSink){take_bytes, to});
  for (uint32_t i = 0; i < from->count; i++) {
    char name[2000];
    const Rewrite same = {&from->entries[i], 0, 0, "", 0};
    memcpy(name, from->entries[i].name, from->entries[i].name_bytes);
    name[from->entries[i].name_bytes] = 0;
    archive_add(&writer, name, put_rewritten,
                how->entry == &from->entries[i] ? how : &same);
  }
  assert_int_equal(archive_end(&writer), ECS_OK);
}

/* Under their own handles into a world that is put back afterwards, or as new
 * entities. */
static void assert_refused_or_sound(Village *village, const Bytes *made,
                                    ecs_Snapshot *before, bool as_new,
                                    uint32_t counts[2]) {
  char problem[200];
  const ecs_UnpackOptions options = {.as_new = as_new};
  ecs_World *world = village->town.world;
  uint64_t hash = ecs_world_hash(world);
  ecs_Status status = unpack_as(village, made, &options, NULL, problem);
  assert_true(world_check_invariants(world));
  counts[status == ECS_OK]++;
  if (status == ECS_OK) assert_int_equal(ecs_snapshot_restore(before), ECS_OK);
  assert_true(ecs_world_hash(world) == hash);
}

/* A pack that is attacked, and a world that has nothing. */
typedef struct Attack {
  Village village;
  Bytes bytes, made;
  ecs_Snapshot *before;
  ArchiveReader reader;
  Memory memory;
  uint32_t counts[2]; /* refused, and unpacked */
} Attack;

static void begin_attack(Attack *attack) {
  uint64_t hash;
  const char *sentence = NULL;
  memset(attack, 0, sizeof *attack);
  begin(&attack->village, &attack->bytes, &hash);
  ecs_World *world = attack->village.town.world;
  assert_int_equal(ecs_snapshot_create(world, &attack->before), ECS_OK);
  assert_int_equal(ecs_snapshot_take(attack->before), ECS_OK);
  memory_init(&attack->memory, (ecs_Memory){0}, 0);
  assert_int_equal(
      archive_read(&attack->reader, &attack->memory, attack->bytes.all,
                   attack->bytes.count, &sentence),
      ECS_OK);
}

static void end_attack(Attack *attack) {
  archive_reader_deinit(&attack->reader, &attack->memory);
  ecs_snapshot_destroy(attack->before);
  free(attack->bytes.all);
  free(attack->made.all);
  close_village(&attack->village);
}

static void try_attack(Attack *attack, const Rewrite *how, bool as_new) {
  rewrite(&attack->reader, how, &attack->memory, &attack->made);
  assert_refused_or_sound(&attack->village, &attack->made, attack->before,
                          as_new, attack->counts);
}

TEST(what_somebody_has_made_is_refused_or_sound) {
  static const char evil[] = {0,   1,    2,   '0', '9',  ' ',
                              '-', '\n', 'b', 127, -128, -1};
  static Attack attack;
  uint32_t step =
      getenv("ECS_TEST_SHORT") == NULL ? 3 : 11; /* of many values */
  begin_attack(&attack);
  for (uint32_t i = 0; i + 1 < attack.reader.count; i++) {
    const ArchiveEntry *entry = &attack.reader.entries[i];
    for (size_t at = 0; at < entry->count; at++)
      for (uint32_t k = 0; k < sizeof evil; k++) {
        const Rewrite how = {entry, at, 1, &evil[k], 1};
        if (i > 0 && at < 120 && k > 2) continue; /* a head of an array */
        if (i > 0 && (at + k) % step != 0) continue;
        if (entry->bytes[at] != evil[k])
          try_attack(&attack, &how, (at / step + k) % 2 == 0);
      }
  }
  assert_true(attack.counts[0] > 1000);
  assert_true(attack.counts[1] > 100); /* values, which may be any */
  end_attack(&attack);
}

static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/* Every number of the manifest, and the sizes in the heads of arrays. */
TEST(numbers_that_lie_are_refused_or_sound) {
  static const char *const evil[] = {"",
                                     "0",
                                     "1",
                                     "2",
                                     "64",
                                     "65536",
                                     "268435455",
                                     "268435456",
                                     "4294967295",
                                     "4294967296",
                                     "9223372036854775807",
                                     "18446744073709551615",
                                     "99999999999999999999",
                                     "-1",
                                     "00",
                                     "0x1"};
  static Attack attack;
  begin_attack(&attack);
  for (uint32_t i = 0; i < attack.reader.count; i++) {
    const ArchiveEntry *entry = &attack.reader.entries[i];
    size_t end = i == 0 || entry->count < 128 ? entry->count : 128;
    for (size_t at = i == 0 ? 0 : 10; at < end; at++) {
      size_t digits = 0;
      while (at + digits < end && is_digit(entry->bytes[at + digits])) digits++;
      for (uint32_t k = 0; digits > 0 && k < sizeof evil / sizeof evil[0];
           k++) {
        const Rewrite how = {entry, at, digits, evil[k], strlen(evil[k])};
        if (how.count != digits || memcmp(entry->bytes + at, evil[k], digits))
          try_attack(&attack, &how, k % 2 == 0);
      }
      at += digits;
    }
  }
  assert_true(attack.counts[0] > 1000);
  end_attack(&attack);
}

/* Bytes of each entry change places with those behind them, or take their place.
 */
TEST(what_changes_places_is_refused_or_sound) {
  static Attack attack;
  begin_attack(&attack);
  for (uint32_t i = 0; i < attack.reader.count; i++) {
    const ArchiveEntry *entry = &attack.reader.entries[i];
    size_t first = i == 0 ? 0 : 128;
    for (size_t bytes = 1; bytes <= 32; bytes *= 2)
      for (size_t at = first; at + 2 * bytes <= entry->count; at += bytes) {
        char swapped[64];
        memcpy(swapped, entry->bytes + at + bytes, bytes);
        memcpy(swapped + bytes, entry->bytes + at, bytes);
        const Rewrite exchange = {entry, at, 2 * bytes, swapped, 2 * bytes};
        const Rewrite twice = {entry, at, 2 * bytes, swapped, bytes};
        try_attack(&attack, &exchange, at / bytes % 2 == 0);
        try_attack(&attack, &twice, at / bytes % 2 == 0);
      }
  }
  assert_true(attack.counts[0] > 100);
  end_attack(&attack);
}

TEST(wrong_calls_are_refused) {
  Village village;
  Bytes bytes = {0}, whole = {0};
  ecs_Saved *saved = NULL, *packed = NULL;
  char problem[200];
  uint64_t hash;
  begin(&village, &bytes, &hash);
  ecs_World *world = village.town.world;
  const ecs_SaveSink sink = {take_bytes, &whole}, none = {0};
  ecs_Component twice[2] = {1, 1}, unknown = 999;
  ecs_Entity room[200];
  assert_int_equal(save(&village.town, &whole), ECS_OK);
  assert_int_equal(
      ecs_packed_open(world, whole.all, whole.count, &packed, problem, 200),
      ECS_E_FILE);
  assert_int_equal(
      ecs_saved_open(world, bytes.all, bytes.count, &saved, problem, 200),
      ECS_E_FILE);
  assert_int_equal(
      ecs_packed_open(world, bytes.all, bytes.count, NULL, problem, 200),
      ECS_E_ARGUMENT);
  assert_int_equal(
      ecs_packed_open(world, bytes.all, bytes.count, &packed, problem, 200),
      ECS_OK);
  assert_int_equal(
      ecs_saved_open(world, whole.all, whole.count, &saved, problem, 200),
      ECS_OK);
  const ecs_UnpackOptions odd[] = {{.with = unknown}, {.with = 1, .fields = 1}};
  assert_int_equal(ecs_saved_load(packed, NULL, problem, 200), ECS_E_ARGUMENT);
  assert_int_equal(ecs_packed_unpack(saved, NULL, NULL, room, problem, 200),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_packed_unpack(packed, NULL, NULL, NULL, problem, 200),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_packed_unpack(packed, NULL, NULL, room, NULL, 200),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_packed_unpack(packed, &odd[0], NULL, room, problem, 200),
                   ECS_E_COMPONENT);
  assert_int_equal(ecs_packed_unpack(packed, &odd[1], NULL, room, problem, 200),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_query_pack(village.all, NULL, 1, NULL, 0, &sink),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_query_pack(village.all, NULL, 0, NULL, 1, &sink),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_query_pack(village.all, NULL, 0, NULL, 0, &none),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_query_pack(village.all, twice, 2, NULL, 0, &sink),
                   ECS_E_COMPONENT);
  assert_int_equal(ecs_query_pack(village.all, &unknown, 1, NULL, 0, &sink),
                   ECS_E_COMPONENT);
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_query_pack(village.all, NULL, 0, NULL, 0, &sink),
                   ECS_E_OPEN);
  assert_int_equal(ecs_packed_unpack(packed, NULL, NULL, room, problem, 200),
                   ECS_E_OPEN);
  ecs_defer_discard(world);
  assert_int_equal(ecs_packed_rows(saved), 0);
  ecs_saved_close(saved);
  ecs_saved_close(packed);
  assert_true(ecs_world_hash(world) == hash);
  free(bytes.all);
  free(whole.all);
  close_village(&village);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_world_goes_on_and_an_empty_one_has_the_same),
      cmocka_unit_test(new_entities_lead_to_each_other),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(what_is_cut_off_or_flipped_is_refused),
      cmocka_unit_test(what_somebody_has_made_is_refused_or_sound),
      cmocka_unit_test(numbers_that_lie_are_refused_or_sound),
      cmocka_unit_test(what_changes_places_is_refused_or_sound),
      cmocka_unit_test(wrong_calls_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

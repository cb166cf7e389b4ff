/* save_test.c: what was saved is loaded, and nothing else is.
 *
 * Worlds that a random program has made are saved and loaded into others, where
 * the program goes on: hashes and bytes are the same. Then saves are damaged, by
 * chance, and by somebody who knows the format and mends the checksums: each is
 * refused and nothing has changed, or what is loaded is sound.
 */
#include "save_fixture.h"

TEST(random_worlds_are_loaded_as_they_were) {
  char problem[200];
  for (uint64_t seed = 1; seed <= 300; seed++) {
    Town town, other;
    Bytes bytes = {0}, again = {0};
    open_town(&town);
    open_town(&other);
    Play play = {.random = seed * UINT64_C(0x9e3779b97f4a7c15)};
    Play elsewhere = {.random = seed + 77};
    act(&town, &play, 20 + (uint32_t)seed % 60);
    if (seed % 3 > 0) act(&other, &elsewhere, (uint32_t)seed % 60);
    assert_int_equal(save(&town, &bytes), ECS_OK);
    assert_int_equal(load(&other, &bytes, problem), ECS_OK);
    assert_true(world_check_invariants(other.world));
    assert_true(ecs_world_hash(town.world) == ecs_world_hash(other.world));
    assert_true(look(&town) == look(&other));
    assert_int_equal(save(&other, &again), ECS_OK);
    assert_int_equal(bytes.count, again.count);
    assert_memory_equal(bytes.all, again.all, bytes.count);
    Play copy = play;
    for (uint32_t k = 0; k < 2; k++)
      if (copy.later[k] != 0) define_later(&other, &copy, k);
    act(&town, &play, 40);
    act(&other, &copy, 40);
    assert_true(ecs_world_hash(town.world) == ecs_world_hash(other.world));
    free(bytes.all);
    free(again.all);
    close_town(&town);
    close_town(&other);
  }
}

/* A save of a world that has everything, and the hash of another one. */
static void begin(Town *town, Bytes *bytes, uint64_t *hash) {
  Town other;
  open_town(&other);
  Play play = {.random = 5};
  act(&other, &play, 70);
  assert_int_equal(save(&other, bytes), ECS_OK);
  close_town(&other);
  open_town(town);
  play.random = 9;
  act(town, &play, 30);
  define_later(town, &play, 0);
  define_later(town, &play, 1);
  *hash = ecs_world_hash(town->world);
}

TEST(what_is_cut_off_or_flipped_is_refused) {
  Town town;
  Bytes bytes = {0};
  uint64_t hash;
  char problem[200];
  begin(&town, &bytes, &hash);
  size_t whole = bytes.count, step = whole / 1500 + 1;
  for (bytes.count = 0; bytes.count < whole; bytes.count += step) {
    assert_int_equal(load(&town, &bytes, problem), ECS_E_FILE);
    assert_true(strlen(problem) > 0);
  }
  bytes.count = whole;
  for (size_t i = 0; i < whole; i += step)
    for (uint32_t bit = 0; bit < 8; bit += 3) {
      bytes.all[i] = (char)(bytes.all[i] ^ 1 << bit);
      assert_int_equal(load(&town, &bytes, problem), ECS_E_FILE);
      bytes.all[i] = (char)(bytes.all[i] ^ 1 << bit);
    }
  assert_true(ecs_world_hash(town.world) == hash);
  assert_int_equal(load(&town, &bytes, problem), ECS_OK);
  free(bytes.all);
  close_town(&town);
}

typedef struct Rewrite {
  const ArchiveEntry *entry;
  size_t at; /* a byte of it is another one */
  char byte;
} Rewrite;

static void put_rewritten(ArchiveOut *out, const void *of) {
  const Rewrite *rewrite = of;
  if (rewrite->at >= rewrite->entry->count) {
    archive_put(out, rewrite->entry->bytes, rewrite->entry->count);
    return;
  }
  archive_put(out, rewrite->entry->bytes, rewrite->at);
  archive_put(out, &rewrite->byte, 1);
  archive_put(out, rewrite->entry->bytes + rewrite->at + 1,
              rewrite->entry->count - rewrite->at - 1);
}

/* The archive with one byte of one entry changed, and all sums right. */
static void rewrite(const ArchiveReader *from, uint32_t entry, size_t at,
                    char byte, Memory *memory, Bytes *to) {
  static ArchiveWriter writer;
  to->count = 0;
  archive_begin(&writer, memory, (ecs_SaveSink){take_bytes, to});
  for (uint32_t i = 0; i < from->count; i++) {
    char name[2000];
    memcpy(name, from->entries[i].name, from->entries[i].name_bytes);
    name[from->entries[i].name_bytes] = 0;
    Rewrite how = {&from->entries[i], i == entry ? at : SIZE_MAX, byte};
    archive_add(&writer, name, put_rewritten, &how);
  }
  assert_int_equal(archive_end(&writer), ECS_OK);
}

TEST(what_somebody_has_made_is_refused_or_sound) {
  static const char evil[] = {0, 1, 2, '0', '9', ' ', '\n', 'b', 127, -128, -1};
  Town town;
  Bytes bytes = {0}, made = {0};
  uint64_t hash, refused = 0, loaded = 0;
  char problem[200];
  const char *sentence = NULL;
  begin(&town, &bytes, &hash);
  ArchiveReader reader;
  Memory memory;
  memory_init(&memory, (ecs_Memory){0}, 0);
  assert_int_equal(
      archive_read(&reader, &memory, bytes.all, bytes.count, &sentence),
      ECS_OK);
  for (uint32_t entry = 0; entry + 1 < reader.count; entry++)
    for (size_t at = 0; at < reader.entries[entry].count; at++)
      for (uint32_t k = 0; k < sizeof evil; k++) {
        if (entry > 0 && at < 120 && k > 2) continue; /* a head of an array */
        if (reader.entries[entry].bytes[at] == evil[k]) continue;
        rewrite(&reader, entry, at, evil[k], &memory, &made);
        ecs_Status status = load_without_hash(&town, &made, problem);
        assert_true(world_check_invariants(town.world));
        refused += status != ECS_OK;
        loaded += status == ECS_OK;
        if (status == ECS_OK)
          hash = ecs_world_hash(town.world);
        else
          assert_true(ecs_world_hash(town.world) == hash);
      }
  assert_true(refused > 1000);
  assert_true(loaded > 0); /* values, which may be any */
  archive_reader_deinit(&reader, &memory);
  free(bytes.all);
  free(made.all);
  close_town(&town);
}

/* There are rows and no columns, and the caller asks for no sentence. */
TEST(a_world_without_values_is_loaded) {
  Town town, other;
  Bytes bytes = {0};
  ecs_Saved *saved = NULL;
  open_town(&town);
  open_town(&other);
  for (uint32_t k = 0; k < 2; k++)
    assert_int_equal(ecs_spawn(town.world, &town.parts[3], 1, NULL, NULL), 0);
  assert_int_equal(save(&town, &bytes), ECS_OK);
  assert_int_equal(
      ecs_saved_open(other.world, bytes.all, bytes.count, &saved, NULL, 0),
      ECS_OK);
  assert_int_equal(ecs_saved_load(saved, NULL, NULL, 0), ECS_OK);
  ecs_saved_close(saved);
  assert_true(ecs_world_hash(town.world) == ecs_world_hash(other.world));
  free(bytes.all);
  close_town(&town);
  close_town(&other);
}

TEST(a_sink_that_refuses_is_told_of) {
  Town town;
  Bytes bytes = {.most = 3000};
  Play play = {.random = 3};
  open_town(&town);
  act(&town, &play, 60);
  uint64_t hash = ecs_world_hash(town.world);
  assert_int_equal(save(&town, &bytes), ECS_E_FILE);
  assert_true(ecs_world_hash(town.world) == hash);
  free(bytes.all);
  close_town(&town);
}

/* A world where A and B are stored as asked, and each of some entities has one. */
static void open_pair(Town *town, ecs_Storage storage, uint32_t count) {
  const ecs_Field field[] = {{"x", ECS_F32, 0}};
  memset(town, 0, sizeof *town);
  town->world = open_world(&town->failing);
  for (uint32_t i = 0; i < 2; i++)
    town->parts[i] =
        define_component(town->world, i == 0 ? "A" : "B", field, 1, storage);
  for (uint32_t i = 0; i < count; i++) {
    ecs_Entity made;
    assert_int_equal(
        ecs_spawn(town->world, &town->parts[i % 2], 1, NULL, &made), ECS_OK);
  }
}

TEST(what_fails_behind_the_exchange_is_taken_back_without_memory) {
  static const FailingMode modes[] = {FAIL_ONCE, FAIL_ONWARD};
  Town from;
  Bytes bytes = {0}, before = {0}, after = {0};
  char problem[200];
  open_pair(&from, ECS_STORE_TABLE, 20);
  assert_int_equal(save(&from, &bytes), ECS_OK);
  for (uint32_t mode = 0; mode < 2; mode++) {
    uint64_t injected = 0, nth = 0;
    do {
      Town town;
      open_pair(&town, ECS_STORE_SPARSE, 7);
      assert_int_equal(save(&town, &before), ECS_OK);
      failing_memory_arm(&town.failing, ++nth, modes[mode]);
      ecs_Status status = load(&town, &bytes, problem);
      injected = failing_memory_disarm(&town.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      assert_true(world_check_invariants(town.world));
      assert_int_equal(save(&town, &after), ECS_OK);
      if (injected > 0) {
        assert_int_equal(before.count, after.count);
        assert_memory_equal(before.all, after.all, before.count);
      }
      close_town(&town);
    } while (injected > 0);
    assert_true(nth > 20);
  }
  free(bytes.all);
  free(before.all);
  free(after.all);
  close_town(&from);
}

TEST(every_allocation_may_fail) {
  char problem[200];
  static const FailingMode modes[] = {FAIL_ONCE, FAIL_ONCE, FAIL_ONWARD};
  for (uint32_t loads = 0; loads < 3; loads++) {
    uint64_t injected = 0, nth = 0;
    do {
      Town town;
      Bytes bytes = {0}, other = {0};
      uint64_t hash;
      begin(&town, &bytes, &hash);
      failing_memory_arm(&town.failing, ++nth, modes[loads]);
      ecs_Status status =
          loads == 0 ? save(&town, &other) : load(&town, &bytes, problem);
      injected = failing_memory_disarm(&town.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      assert_true(world_check_invariants(town.world));
      if (injected > 0 || loads == 0)
        assert_true(ecs_world_hash(town.world) == hash);
      free(bytes.all);
      free(other.all);
      close_town(&town);
    } while (injected > 0);
    assert_true(nth > 3);
  }
}

/* Values of A and L are made anew: those that they were, or others. */
typedef struct Migration {
  uint64_t rows;
  uint64_t refuse;   /* this row; 0: none */
  ecs_Entity target; /* of each L; 0: that which it was */
} Migration;

static bool migrates_some(void *user, const char *name) {
  (void)user;
  return strcmp(name, "A") == 0 || strcmp(name, "L") == 0;
}

static bool migrate_row(void *user, const ecs_SavedRow *row, void *image) {
  Migration *migration = user;
  if (++migration->rows == migration->refuse) return false;
  if (row->image_bytes == 8 && row->component == 0) {
    memcpy(image, row->values[0], 4);
    memcpy((char *)image + 4, row->values[1], 2);
  } else {
    memcpy(image, row->values[0], 8);
    if (migration->target != 0) memcpy(image, &migration->target, 8);
  }
  return true;
}

static ecs_LoadListener migration_listener(Migration *migration) {
  return (ecs_LoadListener){
      .user = migration, .migrates = migrates_some, .migrate = migrate_row};
}

TEST(values_are_made_anew) {
  char problem[200];
  uint64_t rows = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    Town town, other;
    Bytes bytes = {0};
    Migration migration = {0};
    const ecs_LoadListener listener = migration_listener(&migration);
    open_town(&town);
    open_town(&other);
    Play play = {.random = seed + 11};
    act(&town, &play, 50);
    assert_int_equal(save(&town, &bytes), ECS_OK);
    assert_int_equal(load_as(&other, &bytes, &listener, problem), ECS_OK);
    assert_true(world_check_invariants(other.world));
    uint64_t count = migration.rows, hash = ecs_world_hash(other.world);
    rows += count;
    if (count > 0) {
      migration = (Migration){.refuse = count};
      assert_int_equal(load_as(&other, &bytes, &listener, problem), ECS_E_FILE);
      assert_string_equal(strstr(problem, "was refused"), "was refused");
      assert_true(ecs_world_hash(other.world) == hash);
    }
    migration = (Migration){.target = id_make(77777, 1)};
    ecs_Status status = load_as(&other, &bytes, &listener, problem);
    if (status != ECS_OK) assert_string_equal(problem, "its links are wrong");
    assert_true(world_check_invariants(other.world));
    free(bytes.all);
    close_town(&town);
    close_town(&other);
  }
  assert_true(rows > 100);
}

TEST(values_are_made_anew_where_memory_fails) {
  char problem[200];
  uint64_t injected = 0, nth = 0;
  Town town;
  Bytes bytes = {0};
  open_town(&town);
  Play play = {.random = 21};
  act(&town, &play, 50);
  assert_int_equal(save(&town, &bytes), ECS_OK);
  do {
    Town other;
    Migration migration = {0};
    const ecs_LoadListener listener = migration_listener(&migration);
    open_town(&other);
    uint64_t hash = ecs_world_hash(other.world);
    failing_memory_arm(&other.failing, ++nth, FAIL_ONCE);
    ecs_Status status = load_as(&other, &bytes, &listener, problem);
    injected = failing_memory_disarm(&other.failing);
    assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
    if (injected > 0) assert_true(ecs_world_hash(other.world) == hash);
    close_town(&other);
  } while (injected > 0);
  assert_true(nth > 10);
  free(bytes.all);
  close_town(&town);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_worlds_are_loaded_as_they_were),
      cmocka_unit_test(what_is_cut_off_or_flipped_is_refused),
      cmocka_unit_test(what_somebody_has_made_is_refused_or_sound),
      cmocka_unit_test(a_world_without_values_is_loaded),
      cmocka_unit_test(a_sink_that_refuses_is_told_of),
      cmocka_unit_test(
          what_fails_behind_the_exchange_is_taken_back_without_memory),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(values_are_made_anew),
      cmocka_unit_test(values_are_made_anew_where_memory_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

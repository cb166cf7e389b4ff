/* pack_test.c: packed rows hold what the world has, however it is stored. */
#include "save_fixture.h"
#include "state/pack.h"
#include "state/saved_text.h"

static ecs_Status pack(const Town *town, const PackRows *rows, Bytes *to) {
  const ecs_SaveSink sink = {take_bytes, to};
  to->count = 0;
  return pack_write(town->world, rows, sink);
}

/* The citizens that live, each once. */
static uint64_t list_living(const Town *town, const Play *play,
                            ecs_Entity *living) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < CITIZENS; i++) {
    bool alive = ecs_alive(town->world, play->citizens[i]);
    for (uint64_t k = 0; k < count; k++)
      alive = alive && living[k] != play->citizens[i];
    if (alive) living[count++] = play->citizens[i];
  }
  return count;
}

static const ArchiveEntry *find(const ArchiveReader *reader, const char *path) {
  for (uint32_t i = 0; i < reader->count; i++)
    if (reader->entries[i].name_bytes == strlen(path) &&
        memcmp(reader->entries[i].name, path, strlen(path)) == 0)
      return &reader->entries[i];
  return NULL;
}

/* Compares the entries of a component with what ecs_get says. Returns how many
 * entities have it. */
static uint64_t assert_component(const Town *town, const PackRows *rows,
                                 const ArchiveReader *reader,
                                 ecs_Component id) {
  const Schema *schema = town->world->store.components.all[id].schema;
  char path[SAVED_PATH];
  uint64_t had = 0;
  const ArchiveEntry *has =
      find(reader, saved_path("has", schema->name, NULL, path));
  if (id == town->world->names.tag) return 0; /* names are in the manifest */
  for (uint64_t n = 0; n < rows->count; n++) {
    bool there = ecs_has(town->world, rows->entities[n], id);
    if (there) assert_non_null(has);
    if (has != NULL) assert_int_equal(has->bytes[SAVED_HEAD + n], there);
    for (uint32_t i = 0; there && i < schema->field_count; i++) {
      char image[256];
      const SchemaField *field = &schema->fields[i];
      size_t bytes = scalar_bytes(field->type);
      const ArchiveEntry *column =
          find(reader, saved_path("columns", schema->name, field->name, path));
      assert_non_null(column);
      assert_int_equal(ecs_get(town->world, rows->entities[n], id, image),
                       ECS_OK);
      assert_true(column->count >= SAVED_HEAD + (had + 1) * bytes);
      assert_memory_equal(column->bytes + SAVED_HEAD + had * bytes,
                          image + field->offset, bytes);
    }
    had += there;
  }
  if (has != NULL) assert_true(had > 0);
  return had;
}

static void assert_holds(const Town *town, const PackRows *rows,
                         const Bytes *bytes) {
  Memory *memory = &town->world->store.memory;
  ArchiveReader reader;
  const char *problem = NULL;
  assert_int_equal(
      archive_read(&reader, memory, bytes->all, bytes->count, &problem),
      ECS_OK);
  const ArchiveEntry *entities = find(&reader, "entities.npy");
  assert_non_null(entities);
  assert_int_equal(entities->count, SAVED_HEAD + rows->count * 8);
  if (rows->count > 0)
    assert_memory_equal(entities->bytes + SAVED_HEAD, rows->entities,
                        rows->count * 8);
  uint32_t entries = 3; /* with script.txt */
  for (ecs_Component id = 1; id < town->world->store.components.count; id++)
    if (assert_component(town, rows, &reader, id) > 0)
      entries += 1 + town->world->store.components.all[id].schema->field_count +
                 town->world->store.components.all[id].link_count;
  assert_int_equal(reader.count, entries);
  archive_reader_deinit(&reader, memory);
}

TEST(packed_rows_hold_what_the_world_has) {
  for (uint64_t seed = 1; seed <= 100; seed++) {
    Town town;
    Bytes bytes = {0};
    ecs_Entity living[CITIZENS];
    Play play = {.random = seed * UINT64_C(0x9e3779b97f4a7c15)};
    open_town(&town);
    act(&town, &play, 60);
    PackRows rows = {.entities = living};
    rows.count = list_living(&town, &play, living);
    uint64_t hash = ecs_world_hash(town.world);
    assert_int_equal(pack(&town, &rows, &bytes), ECS_OK);
    assert_holds(&town, &rows, &bytes);
    assert_true(ecs_world_hash(town.world) == hash);
    free(bytes.all);
    close_town(&town);
  }
}

TEST(how_entities_are_stored_does_not_show) {
  for (uint64_t seed = 1; seed <= 50; seed++) {
    Town town;
    Bytes before = {0}, after = {0};
    ecs_Entity living[CITIZENS];
    Play play = {.random = seed * UINT64_C(0x9e3779b97f4a7c15)};
    open_town(&town);
    act(&town, &play, 60);
    PackRows rows = {.entities = living};
    rows.count = list_living(&town, &play, living);
    assert_int_equal(pack(&town, &rows, &before), ECS_OK);
    (void)ecs_ungroup(town.world, town.parts, 2);
    (void)ecs_group_bits(town.world, &town.parts[3], 1);
    assert_int_equal(pack(&town, &rows, &after), ECS_OK);
    assert_int_equal(before.count, after.count);
    assert_memory_equal(before.all, after.all, before.count);
    free(before.all);
    free(after.all);
    close_town(&town);
  }
}

TEST(what_fails_is_told_and_changes_nothing) {
  Town town;
  Bytes bytes = {0};
  ecs_Entity living[CITIZENS];
  Play play = {.random = 3};
  uint32_t failures = 0;
  open_town(&town);
  act(&town, &play, 60);
  PackRows rows = {.entities = living};
  rows.count = list_living(&town, &play, living);
  uint64_t hash = ecs_world_hash(town.world);
  for (uint32_t n = 1;; n++) {
    failing_memory_arm(&town.failing, n, FAIL_ONCE);
    ecs_Status status = pack(&town, &rows, &bytes);
    if (failing_memory_disarm(&town.failing) == 0) break;
    assert_int_equal(status, ECS_E_MEMORY);
    failures++;
  }
  assert_true(failures > 1);
  bytes.most = 10;
  assert_int_equal(pack(&town, &rows, &bytes), ECS_E_FILE);
  assert_true(ecs_world_hash(town.world) == hash);
  free(bytes.all);
  close_town(&town);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packed_rows_hold_what_the_world_has),
      cmocka_unit_test(how_entities_are_stored_does_not_show),
      cmocka_unit_test(what_fails_is_told_and_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

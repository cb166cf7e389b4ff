/* forged_save_test.c: saves that somebody made who knows the format.
 *
 * The entries of a save are changed in a few places at once, as an editor with a
 * plan would: numbers of the manifest are exchanged, lines doubled, rows moved
 * between tables, indices added in all places that count them, elements of arrays
 * exchanged. The archive is written anew, so every checksum is right. Each is
 * refused and nothing has changed, or what is loaded is sound.
 */
#include "save_fixture.h"

#define MOST_FILES 64u
#define ROOM 8192u /* of a file */

typedef struct File {
  char name[100];
  char bytes[ROOM];
  size_t count;
} File;

typedef struct Files {
  File all[MOST_FILES];
  uint32_t count;
} Files;

static void take_apart(const Bytes *bytes, Memory *memory, Files *files) {
  ArchiveReader reader;
  const char *problem = NULL;
  assert_int_equal(
      archive_read(&reader, memory, bytes->all, bytes->count, &problem),
      ECS_OK);
  assert_true(reader.count <= MOST_FILES);
  files->count = reader.count;
  for (uint32_t i = 0; i < reader.count; i++) {
    const ArchiveEntry *entry = &reader.entries[i];
    File *file = &files->all[i];
    assert_true(entry->count + 200 < ROOM && entry->name_bytes < 100);
    memcpy(file->name, entry->name, entry->name_bytes);
    file->name[entry->name_bytes] = 0;
    memcpy(file->bytes, entry->bytes, entry->count);
    file->count = entry->count;
  }
  archive_reader_deinit(&reader, memory);
}

static void put_file(ArchiveOut *out, const void *of) {
  archive_put(out, ((const File *)of)->bytes, ((const File *)of)->count);
}

static void put_together(const Files *files, Memory *memory, Bytes *to) {
  static ArchiveWriter writer;
  to->count = 0;
  archive_begin(&writer, memory, (ecs_SaveSink){take_bytes, to});
  for (uint32_t i = 0; i < files->count; i++)
    archive_add(&writer, files->all[i].name, put_file, &files->all[i]);
  assert_int_equal(archive_end(&writer), ECS_OK);
}

/* Puts bytes in place of others of a file. */
static void replace(File *file, size_t at, size_t count, const char *bytes,
                    size_t with) {
  assert_true(at + count <= file->count);
  if (file->count - count + with > ROOM) return;
  char tail[ROOM];
  size_t left = file->count - at - count;
  memcpy(tail, file->bytes + at + count, left);
  memcpy(file->bytes + at, bytes, with);
  memcpy(file->bytes + at + with, tail, left);
  file->count = at + with + left;
}

/* Words and lines --------------------------------------------------------- */

typedef struct Span {
  size_t at, count;
} Span;

static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/* One of the decimal numbers of a text. */
static Span pick_number(const File *file, Play *play) {
  uint32_t count = 0;
  Span picked = {0, 0};
  for (size_t at = 0; at < file->count; at++) {
    if (!is_digit(file->bytes[at])) continue;
    Span span = {at, 0};
    while (at < file->count && is_digit(file->bytes[at])) at++;
    span.count = at - span.at;
    if (draw(play, ++count) == 0) picked = span;
  }
  return picked;
}

/* One of the lines that begin with a word; "": any. count 0: there is none. */
static Span pick_line(const File *file, const char *word, Play *play) {
  uint32_t count = 0;
  Span picked = {0, 0};
  for (size_t at = 0; at < file->count;) {
    Span span = {at, 0};
    while (at < file->count && file->bytes[at] != '\n') at++;
    span.count = ++at - span.at;
    if (at > file->count) break;
    if (strncmp(file->bytes + span.at, word, strlen(word)) != 0) continue;
    if (draw(play, ++count) == 0) picked = span;
  }
  return picked;
}

/* Exchanges two spans of a file. */
static void exchange(File *file, Span one, Span other) {
  if (one.at > other.at) {
    Span first = other;
    other = one;
    one = first;
  }
  if (one.at + one.count > other.at) return;
  char first[ROOM], second[ROOM];
  memcpy(first, file->bytes + one.at, one.count);
  memcpy(second, file->bytes + other.at, other.count);
  replace(file, other.at, other.count, first, one.count);
  replace(file, one.at, one.count, second, other.count);
}

static void put_number(File *file, Span span, uint64_t number) {
  char text[24];
  int count = snprintf(text, sizeof text, "%llu", (unsigned long long)number);
  replace(file, span.at, span.count, text, (size_t)count);
}

static void change_number(File *file, Play *play) {
  static const uint64_t evil[] = {0,          1,          2,
                                  63,         64,         65,
                                  65535,      65536,      (1u << 24) - 1,
                                  1u << 24,   1u << 28,   (1u << 28) - 1,
                                  UINT32_MAX, 1ull << 32, 1ull << 52,
                                  UINT64_MAX};
  Span span = pick_number(file, play);
  uint64_t was = strtoull(file->bytes + span.at, NULL, 10);
  uint64_t to = evil[draw(play, sizeof evil / sizeof evil[0])];
  if (draw(play, 2) == 0) to = was + 1;
  if (draw(play, 3) == 0) to = was - 1;
  put_number(file, span, to);
}

/* A row of one table becomes one of another. */
static void move_row(File *file, Play *play) {
  Span from = pick_line(file, "table ", play);
  Span to = pick_line(file, "table ", play);
  Span numbers[2] = {{from.at + 6, 0}, {to.at + 6, 0}};
  if (from.count == 0 || from.at == to.at) return;
  for (uint32_t i = 0; i < 2; i++)
    while (is_digit(file->bytes[numbers[i].at + numbers[i].count]))
      numbers[i].count++;
  uint64_t rows = strtoull(file->bytes + numbers[0].at, NULL, 10);
  uint64_t others = strtoull(file->bytes + numbers[1].at, NULL, 10);
  if (rows == 0) return;
  uint32_t later = numbers[0].at > numbers[1].at ? 0 : 1;
  put_number(file, numbers[later], later == 0 ? rows - 1 : others + 1);
  put_number(file, numbers[1 - later], later == 0 ? others + 1 : rows - 1);
}

/* Arrays ------------------------------------------------------------------ */

/* Exchanges two elements of an array, or overwrites one with the other. */
static void exchange_elements(File *file, Play *play) {
  size_t bytes = (size_t)1 << draw(play, 4);
  char one[8], other[8];
  if (file->count < 128 + 2 * bytes) return;
  uint32_t count = (uint32_t)((file->count - 128) / bytes);
  char *a = file->bytes + 128 + draw(play, count) * bytes;
  char *b = file->bytes + 128 + draw(play, count) * bytes;
  memcpy(one, a, bytes);
  memcpy(other, b, bytes);
  memcpy(a, other, bytes);
  if (draw(play, 3) > 0) memcpy(b, one, bytes);
}

/* Puts a word at the end of an array, and counts it in its head. */
static void append_word(File *file, uint32_t word) {
  char *shape = strstr(file->bytes + 10, "'shape': (");
  Span span = {(size_t)(shape + 10 - file->bytes), 0};
  while (is_digit(file->bytes[span.at + span.count])) span.count++;
  uint64_t count = strtoull(file->bytes + span.at, NULL, 10);
  size_t before = file->count;
  put_number(file, span, count + 1);
  if (file->count > before) replace(file, 126, 1, "", 0); /* of the blanks */
  replace(file, file->count, 0, (const char *)&word, sizeof word);
}

/* Another index is there, which is free or retired, wherever that is counted. */
static void add_index(Files *files, Play *play) {
  File *manifest = &files->all[0];
  Span line = pick_line(manifest, "index ", play);
  if (line.count == 0 || line.count > 40) return;
  char *end = NULL;
  uint64_t used = strtoull(manifest->bytes + line.at + 6, &end, 10);
  uint64_t retired = strtoull(end, NULL, 10);
  bool retires = draw(play, 2) == 0;
  uint32_t generation = draw(play, 3);
  char text[60];
  int count = snprintf(text, sizeof text, "index %llu %llu\n",
                       (unsigned long long)used + 1,
                       (unsigned long long)retired + retires);
  replace(manifest, line.at, line.count, text, (size_t)count);
  append_word(&files->all[1], generation | (retires ? UINT32_C(1) << 31 : 0));
  if (!retires) append_word(&files->all[2], (uint32_t)used);
}

/* All of it --------------------------------------------------------------- */

static void forge(Files *files, Play *play) {
  File *manifest = &files->all[0];
  File *array = &files->all[1 + draw(play, files->count - 2)];
  Span line = pick_line(manifest, "", play);
  char copy[ROOM];
  memcpy(copy, manifest->bytes + line.at, line.count);
  switch (draw(play, 10)) {
    case 0:
      exchange(manifest, pick_number(manifest, play),
               pick_number(manifest, play));
      break;
    case 1: replace(manifest, line.at, 0, copy, line.count); break;
    case 2: replace(manifest, line.at, line.count, "", 0); break;
    case 3: change_number(manifest, play); break;
    case 4: exchange(manifest, line, pick_line(manifest, "", play)); break;
    case 5: move_row(manifest, play); break;
    case 6: add_index(files, play); break;
    case 7:
      files->all[0].bytes[draw(play, (uint32_t)manifest->count)] ^= 4;
      break;
    default: exchange_elements(array, play);
  }
}

TEST(what_somebody_has_forged_is_refused_or_sound) {
  const char *asked = getenv("PROGRAM_COUNT");
  uint32_t most = asked == NULL ? 2000 : (uint32_t)strtoul(asked, NULL, 10);
  static Files whole, forged;
  Memory memory;
  char problem[200];
  uint32_t refused = 0, loaded = 0;
  memory_init(&memory, (ecs_Memory){0}, 0);
  for (uint64_t seed = 1; refused + loaded < most; seed++) {
    Town town, other;
    Bytes bytes = {0}, made = {0};
    Play play = {.random = seed * UINT64_C(0x9e3779b97f4a7c15)};
    Play elsewhere = {.random = seed + 31};
    open_town(&other);
    act(&other, &play, 10 + (uint32_t)seed % 70);
    assert_int_equal(save(&other, &bytes), ECS_OK);
    take_apart(&bytes, &memory, &whole);
    open_town(&town);
    act(&town, &elsewhere, (uint32_t)seed % 40);
    define_later(&town, &elsewhere, 0);
    define_later(&town, &elsewhere, 1);
    uint64_t hash = ecs_world_hash(town.world);
    for (uint32_t turn = 0; turn < 40; turn++) {
      forged = whole;
      for (uint32_t k = 1 + draw(&play, 3); k > 0; k--) forge(&forged, &play);
      put_together(&forged, &memory, &made);
      ecs_Status status = load_without_hash(&town, &made, problem);
      assert_true(world_check_invariants(town.world));
      refused += status != ECS_OK;
      loaded += status == ECS_OK;
      if (status != ECS_OK) {
        assert_true(ecs_world_hash(town.world) == hash);
        continue;
      }
      /* What was loaded is saved and loaded as it is, and the world goes on. */
      Bytes again = {0};
      hash = ecs_world_hash(town.world);
      assert_int_equal(save(&town, &again), ECS_OK);
      assert_int_equal(load(&town, &again, problem), ECS_OK);
      assert_true(ecs_world_hash(town.world) == hash);
      free(again.all);
      act(&town, &elsewhere, 5);
      hash = ecs_world_hash(town.world);
    }
    free(bytes.all);
    free(made.all);
    close_town(&town);
    close_town(&other);
  }
  assert_true(refused > most / 4);
  assert_true(loaded > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_somebody_has_forged_is_refused_or_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* diff_test.c: a diff makes the other save, byte for byte, and nothing else.
 *
 * Random worlds are saved at two moments, by snapshots too, and made of each
 * other; so are texts with much in common. Then diffs are damaged, by chance, and
 * by somebody who knows the format and mends sums, sizes and hashes: each is
 * refused, or what it makes is loaded as any save is.
 */
#include <inttypes.h>

#include "save_fixture.h"
#include "state/diff.h"

#define ROOM 65536u /* of the entries of a diff */

static ecs_Status write_diff(const Town *town, const Bytes *from,
                             const Bytes *to, Bytes *diff) {
  const ecs_SaveSink sink = {take_bytes, diff};
  diff->count = 0;
  return ecs_save_diff(town->world, from->all, from->count, to->all, to->count,
                       &sink);
}

static ecs_Status patch(const Town *town, const Bytes *from, const Bytes *diff,
                        Bytes *made, const char **problem) {
  const ecs_SaveSink sink = {take_bytes, made};
  made->count = 0;
  return ecs_save_patch(town->world, from->all, from->count, diff->all,
                        diff->count, &sink, problem);
}

static ecs_Status save_snapshot(ecs_Snapshot *snapshot, Bytes *to) {
  const ecs_SaveSink sink = {take_bytes, to};
  to->count = 0;
  return ecs_snapshot_save(snapshot, "a text", 6, &sink);
}

static void assert_equal_bytes(const Bytes *one, const Bytes *other) {
  assert_int_equal(one->count, other->count);
  assert_memory_equal(one->all, other->all, one->count);
}

static void assert_makes(const Town *town, const Bytes *from, const Bytes *to) {
  Bytes diff = {0}, made = {0};
  const char *problem = NULL;
  made.all = malloc(made.capacity = 1);
  assert_int_equal(write_diff(town, from, to, &diff), ECS_OK);
  assert_int_equal(patch(town, from, &diff, &made, &problem), ECS_OK);
  assert_equal_bytes(&made, to);
  free(diff.all);
  free(made.all);
}

/* Snapshots --------------------------------------------------------------- */

static ecs_Snapshot *take(const Town *town) {
  ecs_Snapshot *snapshot = NULL;
  assert_int_equal(ecs_snapshot_create(town->world, &snapshot), ECS_OK);
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
  return snapshot;
}

TEST(snapshots_are_saved_as_the_world_was) {
  for (uint64_t seed = 1; seed <= 200; seed++) {
    Town town;
    Bytes was[2] = {0}, now = {0}, again = {0};
    ecs_Snapshot *snapshots[2];
    Play play = {.random = seed * UINT64_C(0x9e3779b97f4a7c15)};
    open_town(&town);
    define_later(&town, &play, 0);
    define_later(&town, &play, 1);
    for (uint32_t i = 0; i < 2; i++) {
      act(&town, &play, 10 + (uint32_t)seed % 40);
      snapshots[i] = take(&town);
      assert_int_equal(save(&town, &was[i]), ECS_OK);
    }
    if (seed % 3 > 0) act(&town, &play, 20);
    assert_int_equal(save(&town, &now), ECS_OK);
    uint64_t seen = look(&town);
    for (uint32_t round = 0; round < 4; round++) {
      uint32_t i = (round + 1) / 2 % 2;
      assert_int_equal(save_snapshot(snapshots[i], &again), ECS_OK);
      assert_equal_bytes(&again, &was[i]);
      assert_true(world_check_invariants(town.world));
      assert_int_equal(save(&town, &again), ECS_OK);
      assert_equal_bytes(&again, &now);
      assert_true(look(&town) == seen);
    }
    assert_makes(&town, &was[0], &was[1]);
    assert_makes(&town, &was[1], &now);
    assert_makes(&town, &now, &was[0]);
    for (uint32_t i = 0; i < 2; i++) {
      assert_int_equal(ecs_snapshot_restore(snapshots[i]), ECS_OK);
      assert_int_equal(save(&town, &again), ECS_OK);
      assert_equal_bytes(&again, &was[i]);
      act(&town, &play, 5);
      assert_int_equal(ecs_snapshot_take(snapshots[i]), ECS_OK);
    }
    free(was[0].all);
    free(was[1].all);
    free(now.all);
    free(again.all);
    close_town(&town);
  }
}

TEST(saving_a_snapshot_may_fail) {
  static const FailingMode modes[] = {FAIL_ONCE, FAIL_ONWARD};
  for (uint32_t mode = 0; mode < 2; mode++) {
    uint64_t injected = 0, nth = 0;
    do {
      Town town;
      Bytes was = {0}, now = {0}, again = {0};
      Play play = {.random = 5};
      open_town(&town);
      act(&town, &play, 60);
      ecs_Snapshot *snapshot = take(&town);
      assert_int_equal(save(&town, &was), ECS_OK);
      act(&town, &play, 30);
      assert_int_equal(save(&town, &now), ECS_OK);
      failing_memory_arm(&town.failing, ++nth, modes[mode]);
      ecs_Status status = save_snapshot(snapshot, &again);
      injected = failing_memory_disarm(&town.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      assert_true(world_check_invariants(town.world));
      assert_int_equal(save(&town, &again), ECS_OK);
      assert_equal_bytes(&again, &now);
      assert_int_equal(ecs_snapshot_restore(snapshot), ECS_OK);
      assert_true(world_check_invariants(town.world));
      assert_int_equal(save(&town, &again), ECS_OK);
      assert_equal_bytes(&again, &was);
      free(was.all);
      free(now.all);
      free(again.all);
      close_town(&town);
    } while (injected > 0);
    assert_true(nth > 10);
  }
}

/* Programs ---------------------------------------------------------------- */

TEST(random_programs_go_on_where_a_diff_was_applied) {
  uint32_t others = 0;
  char problem[200];
  for (uint64_t seed = 1; seed <= 500; seed++) {
    Town town, other;
    Bytes was = {0}, now = {0}, diff = {0}, made = {0};
    ecs_Snapshot *snapshots[2];
    const char *sentence = NULL;
    Play play = {.random = seed * UINT64_C(0x9e3779b97f4a7c15)};
    open_town(&town);
    open_town(&other);
    act(&town, &play, 10 + (uint32_t)seed % 50);
    snapshots[0] = take(&town);
    assert_int_equal(save(&town, &was), ECS_OK);
    assert_int_equal(load(&other, &was, problem), ECS_OK);
    act(&town, &play, (uint32_t)seed % 40);
    snapshots[1] = take(&town);
    uint64_t hash = ecs_world_hash(town.world);
    Play copy = play;
    act(&town, &play, (uint32_t)seed % 7);
    assert_int_equal(save_snapshot(snapshots[0], &was), ECS_OK);
    assert_int_equal(save_snapshot(snapshots[1], &now), ECS_OK);
    assert_int_equal(write_diff(&town, &was, &now, &diff), ECS_OK);
    /* The other one makes it of its own save, and loads it. */
    assert_int_equal(save(&other, &made), ECS_OK);
    assert_equal_bytes(&was, &made);
    assert_int_equal(patch(&other, &was, &diff, &made, &sentence), ECS_OK);
    assert_int_equal(load(&other, &made, problem), ECS_OK);
    assert_true(world_check_invariants(other.world));
    assert_true(ecs_world_hash(other.world) == hash);
    for (uint32_t k = 0; k < 2; k++)
      if (copy.later[k] != 0) define_later(&other, &copy, k);
    act(&other, &copy, (uint32_t)seed % 7);
    act(&other, &copy, 60);
    act(&town, &play, 60);
    assert_true(ecs_world_hash(other.world) == ecs_world_hash(town.world));
    assert_true(look(&other) == look(&town));
    others += was.count != now.count;
    free(was.all);
    free(now.all);
    free(diff.all);
    free(made.all);
    close_town(&town);
    close_town(&other);
  }
  assert_true(others > 300);
}

/* Texts ------------------------------------------------------------------- */

/* A text of pieces of another one, and others. */
static void make_text(Play *play, const Bytes *other, Bytes *text) {
  text->count = 0;
  for (uint32_t pieces = draw(play, 6); pieces > 0; pieces--) {
    uint32_t count = draw(play, 90), letters = 1 + draw(play, 3);
    bool copies = other->count > 0 && draw(play, 2) == 0;
    size_t at = copies ? draw(play, (uint32_t)other->count) : 0;
    for (uint32_t i = 0; i < count; i++) {
      char letter = (char)('a' + draw(play, letters));
      if (copies && at + i < other->count) letter = other->all[at + i];
      (void)take_bytes(text, &letter, 1);
    }
  }
}

TEST(any_text_is_made_of_any_other) {
  Town town;
  Play play = {.random = 99};
  Bytes texts[2] = {0};
  open_town(&town);
  for (uint32_t i = 0; i < 2; i++) texts[i].all = malloc(texts[i].capacity = 1);
  for (uint32_t i = 0; i < 20000; i++) {
    make_text(&play, &texts[1 - i % 2], &texts[i % 2]);
    assert_makes(&town, &texts[0], &texts[1]);
  }
  free(texts[0].all);
  free(texts[1].all);
  close_town(&town);
}

TEST(a_diff_is_small_where_little_differs) {
  Town town;
  Bytes from = {0}, to = {0}, diff = {0};
  Play play = {.random = 3};
  open_town(&town);
  for (uint32_t i = 0; i < 40000; i++) {
    char byte = (char)draw(&play, 256);
    (void)take_bytes(&from, &byte, 1);
    if (i != 500) (void)take_bytes(&to, &byte, 1); /* the rest moves */
    if (i == 900) to.all[to.count - 1] ^= 1;       /* one value is another */
  }
  assert_int_equal(write_diff(&town, &from, &to, &diff), ECS_OK);
  assert_true(diff.count < 600);
  assert_makes(&town, &from, &to);
  free(from.all);
  free(to.all);
  free(diff.all);
  close_town(&town);
}

/* Failing ----------------------------------------------------------------- */

/* Two saves of a town, and their diff. */
typedef struct Pair {
  Town town;
  Bytes from, to, diff, made;
} Pair;

static void open_pair(Pair *pair) {
  Play play = {.random = 5};
  memset(pair, 0, sizeof *pair);
  open_town(&pair->town);
  act(&pair->town, &play, 60);
  assert_int_equal(save(&pair->town, &pair->from), ECS_OK);
  act(&pair->town, &play, 12);
  assert_int_equal(save(&pair->town, &pair->to), ECS_OK);
  assert_int_equal(write_diff(&pair->town, &pair->from, &pair->to, &pair->diff),
                   ECS_OK);
  assert_true(pair->diff.count < pair->to.count);
}

static void close_pair(Pair *pair) {
  free(pair->from.all);
  free(pair->to.all);
  free(pair->diff.all);
  free(pair->made.all);
  close_town(&pair->town);
}

TEST(every_allocation_may_fail) {
  Pair pair;
  const char *problem = NULL;
  open_pair(&pair);
  for (uint32_t applies = 0; applies < 2; applies++) {
    uint64_t injected = 0, nth = 0;
    do {
      failing_memory_arm(&pair.town.failing, ++nth, FAIL_ONCE);
      ecs_Status status =
          applies
              ? patch(&pair.town, &pair.from, &pair.diff, &pair.made, &problem)
              : write_diff(&pair.town, &pair.from, &pair.to, &pair.made);
      injected = failing_memory_disarm(&pair.town.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      assert_null(problem);
    } while (injected > 0);
    assert_true(nth > 1);
    assert_equal_bytes(&pair.made, applies ? &pair.to : &pair.diff);
  }
  close_pair(&pair);
}

TEST(a_sink_that_refuses_is_told_of) {
  Pair pair;
  const char *problem = NULL;
  open_pair(&pair);
  ecs_Snapshot *snapshot = take(&pair.town);
  uint64_t hash = ecs_world_hash(pair.town.world);
  for (size_t most = 1; most < pair.to.count; most += 1 + most / 4) {
    pair.made.most = most;
    if (most < pair.diff.count)
      assert_int_equal(write_diff(&pair.town, &pair.from, &pair.to, &pair.made),
                       ECS_E_FILE);
    problem = "none";
    assert_int_equal(
        patch(&pair.town, &pair.from, &pair.diff, &pair.made, &problem),
        ECS_E_FILE);
    assert_null(problem);
    assert_int_equal(save_snapshot(snapshot, &pair.made), ECS_E_FILE);
    assert_true(world_check_invariants(pair.town.world));
    assert_true(ecs_world_hash(pair.town.world) == hash);
  }
  close_pair(&pair);
}

TEST(wrong_arguments_are_refused) {
  Pair pair;
  const char *problem = NULL;
  ecs_Snapshot *snapshot = NULL;
  open_pair(&pair);
  ecs_World *world = pair.town.world;
  const ecs_SaveSink none = {NULL, NULL}, sink = {take_bytes, &pair.made};
  assert_int_equal(ecs_save_diff(world, NULL, 0, "", 0, &sink), ECS_E_ARGUMENT);
  assert_int_equal(ecs_save_diff(world, "", 0, NULL, 0, &sink), ECS_E_ARGUMENT);
  assert_int_equal(ecs_save_diff(world, "", 0, "", 0, NULL), ECS_E_ARGUMENT);
  assert_int_equal(ecs_save_diff(world, "", 0, "", 0, &none), ECS_E_ARGUMENT);
  assert_int_equal(ecs_save_patch(world, NULL, 0, "", 0, &sink, &problem),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_save_patch(world, "", 0, NULL, 0, &sink, &problem),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_save_patch(world, "", 0, "", 0, &none, &problem),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_save_patch(world, "", 0, "", 0, &sink, NULL),
                   ECS_E_ARGUMENT);
  assert_int_equal(ecs_snapshot_create(world, &snapshot), ECS_OK);
  assert_int_equal(ecs_snapshot_save(snapshot, "", 0, &sink), ECS_E_ABSENT);
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
  assert_int_equal(ecs_snapshot_save(snapshot, NULL, 1, &sink), ECS_E_ARGUMENT);
  assert_int_equal(ecs_snapshot_save(snapshot, "", 0, NULL), ECS_E_ARGUMENT);
  assert_int_equal(ecs_snapshot_save(snapshot, "", 0, &none), ECS_E_ARGUMENT);
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_snapshot_save(snapshot, "", 0, &sink), ECS_E_OPEN);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  assert_int_equal(pair.made.count, 0);
  close_pair(&pair);
}

/* Damage ------------------------------------------------------------------ */

static void assert_refused(Pair *pair, const Bytes *diff) {
  const char *problem = NULL;
  assert_int_equal(patch(&pair->town, &pair->from, diff, &pair->made, &problem),
                   ECS_E_FILE);
  assert_non_null(problem);
}

TEST(what_is_cut_off_or_changed_is_refused) {
  Pair pair;
  open_pair(&pair);
  Bytes *diff = &pair.diff;
  size_t whole = diff->count;
  for (diff->count = 0; diff->count < whole; diff->count++)
    assert_refused(&pair, diff);
  diff->count = whole;
  for (size_t i = 0; i < whole; i++)
    for (uint32_t change = 1; change < 256; change *= 2) {
      diff->all[i] = (char)(diff->all[i] ^ (char)change);
      assert_refused(&pair, diff);
      diff->all[i] = (char)(diff->all[i] ^ (char)change);
    }
  assert_refused(&pair, &pair.to);
  for (size_t i = 0; i < pair.from.count; i += 97) {
    pair.from.all[i] ^= 1; /* it begins with another save */
    assert_refused(&pair, diff);
    pair.from.all[i] ^= 1;
  }
  const char *problem = NULL;
  assert_int_equal(patch(&pair.town, &pair.from, diff, &pair.made, &problem),
                   ECS_OK);
  close_pair(&pair);
}

/* Forged ------------------------------------------------------------------ */

typedef struct Entry {
  const char *name;
  char bytes[ROOM];
  size_t count;
} Entry;

static void put_entry(ArchiveOut *out, const void *of) {
  archive_put(out, ((const Entry *)of)->bytes, ((const Entry *)of)->count);
}

static void put_together(const Entry *entries, uint32_t count, Bytes *to) {
  static ArchiveWriter writer;
  Memory memory;
  memory_init(&memory, (ecs_Memory){0}, 0);
  to->count = 0;
  archive_begin(&writer, &memory, (ecs_SaveSink){take_bytes, to});
  for (uint32_t i = 0; i < count; i++)
    archive_add(&writer, entries[i].name, put_entry, &entries[i]);
  assert_int_equal(archive_end(&writer), ECS_OK);
}

/* The two entries of a diff. */
static void take_apart(const Bytes *diff, Entry *entries) {
  ArchiveReader reader;
  Memory memory;
  const char *problem = NULL;
  memory_init(&memory, (ecs_Memory){0}, 0);
  assert_int_equal(
      archive_read(&reader, &memory, diff->all, diff->count, &problem), ECS_OK);
  assert_int_equal(reader.count, 2);
  entries[0].name = "manifest.txt";
  entries[1].name = "delta.bin";
  for (uint32_t i = 0; i < 2; i++) {
    assert_true(reader.entries[i].count < ROOM);
    entries[i].count = reader.entries[i].count;
    memcpy(entries[i].bytes, reader.entries[i].bytes, entries[i].count);
  }
  archive_reader_deinit(&reader, &memory);
}

static uint64_t hash_of(const char *bytes, size_t count) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* Writes a manifest that is right for what a delta makes. */
static void mend_manifest(Entry *manifest, const Bytes *from, const char *made,
                          size_t count) {
  manifest->count = (size_t)snprintf(manifest->bytes, ROOM,
                                     "ecs-diff 1\nfrom %016" PRIx64
                                     " %zu\nto %016" PRIx64 " %zu\nend\n",
                                     hash_of(from->all, from->count),
                                     from->count, hash_of(made, count), count);
}

static uint32_t word_at(const Entry *entry, size_t at) {
  uint32_t word = 0;
  for (uint32_t i = 4; i-- > 0;)
    word = word << 8 | (uint8_t)entry->bytes[at + i];
  return word;
}

static void put_word(Entry *entry, size_t at, uint32_t word) {
  for (uint32_t i = 0; i < 4; i++)
    entry->bytes[at + i] = (char)(uint8_t)(word >> 8 * i);
}

/* What a delta makes; false: it reaches beyond itself or the save. */
static bool run_delta(const Entry *delta, const Bytes *from, Bytes *made) {
  made->count = 0;
  for (size_t at = 0; at < delta->count;) {
    if (delta->count - at < 12) return false;
    uint64_t first = word_at(delta, at), copied = word_at(delta, at + 4),
             fresh = word_at(delta, at + 8);
    at += 12;
    if (first + copied > from->count || fresh > delta->count - at ||
        copied + fresh == 0)
      return false;
    (void)take_bytes(made, from->all + first, copied);
    (void)take_bytes(made, delta->bytes + at, fresh);
    at += fresh;
  }
  return true;
}

/* The numbers of each piece, one at a time, are others: alone, and with a
 * manifest that is right for what the delta then makes, which is loaded. */
TEST(numbers_that_lie_are_refused_or_sound) {
  static const uint32_t evil[] = {0,
                                  1,
                                  11,
                                  12,
                                  31,
                                  32,
                                  255,
                                  65536,
                                  1u << 24,
                                  INT32_MAX,
                                  1u << 31,
                                  UINT32_MAX,
                                  UINT32_MAX - 11};
  static Entry right[2], forged[2];
  Pair pair;
  Bytes diff = {0}, made = {0};
  char problem[200];
  uint32_t refused = 0, other = 0;
  open_pair(&pair);
  take_apart(&pair.diff, right);
  uint64_t hash = ecs_world_hash(pair.town.world);
  for (size_t at = 0; at < right[1].count;) {
    uint32_t fresh = word_at(&right[1], at + 8);
    for (size_t place = at; place < at + 12; place += 4)
      for (uint32_t k = 0; k < 3 + sizeof evil / sizeof evil[0]; k++) {
        uint32_t was = word_at(&right[1], place), to = was + k - 1;
        if (k >= 3) to = evil[k - 3];
        if (to == was) continue;
        memcpy(forged, right, sizeof forged);
        put_word(&forged[1], place, to);
        /* What differs only where nothing is copied makes the same. */
        bool same = run_delta(&forged[1], &pair.from, &made) &&
                    made.count == pair.to.count &&
                    memcmp(made.all, pair.to.all, made.count) == 0;
        put_together(forged, 2, &diff);
        if (!same) assert_refused(&pair, &diff);
        refused += !same;
        if (!run_delta(&forged[1], &pair.from, &made)) continue;
        mend_manifest(&forged[0], &pair.from, made.all, made.count);
        put_together(forged, 2, &diff);
        const char *sentence = NULL;
        assert_int_equal(
            patch(&pair.town, &pair.from, &diff, &pair.made, &sentence),
            ECS_OK);
        assert_equal_bytes(&pair.made, &made);
        ecs_Status status = load_without_hash(&pair.town, &pair.made, problem);
        assert_true(world_check_invariants(pair.town.world));
        other += status != ECS_OK;
        if (status != ECS_OK)
          assert_true(ecs_world_hash(pair.town.world) == hash);
        hash = ecs_world_hash(pair.town.world);
      }
    at += 12 + fresh;
  }
  assert_true(refused > 300);
  assert_true(other > 20);
  free(diff.all);
  free(made.all);
  close_pair(&pair);
}

/* Pieces that copy all, again and again, make more than a save can have. */
TEST(a_diff_that_makes_too_much_is_refused) {
  static Entry entries[2];
  Pair pair;
  Bytes diff = {0}, from = {0};
  const char *problem = NULL;
  open_pair(&pair);
  take_apart(&pair.diff, entries);
  from.all = calloc(1, from.count = from.capacity = (size_t)1 << 20);
  entries[1].count = 4096u * 12;
  for (size_t at = 0; at < entries[1].count; at += 12) {
    put_word(&entries[1], at, 0);
    put_word(&entries[1], at + 4, 1u << 20);
    put_word(&entries[1], at + 8, 0);
  }
  mend_manifest(&entries[0], &from, "", 0);
  put_together(entries, 2, &diff);
  assert_int_equal(patch(&pair.town, &from, &diff, &pair.made, &problem),
                   ECS_E_FILE);
  assert_string_equal(problem, "it is damaged");
  assert_int_equal(pair.made.count, 0);
  free(diff.all);
  free(from.all);
  close_pair(&pair);
}

/* Puts a text in place of the first other one in a manifest. */
static void exchange_text(Entry *manifest, const char *from, const char *to) {
  char copy[ROOM];
  manifest->bytes[manifest->count] = 0;
  char *at = strstr(manifest->bytes, from);
  assert_non_null(at);
  snprintf(copy, sizeof copy, "%s", at + strlen(from));
  manifest->count = (size_t)(at - manifest->bytes) +
                    (size_t)snprintf(at, ROOM / 2, "%s%s", to, copy);
}

TEST(manifests_that_lie_are_refused) {
  static const char *const changes[][2] = {
      {"ecs-diff 1", "ecs-diff 2"},
      {"ecs-diff 1", "ecs-diff  1"},
      {"ecs-diff 1\n", ""},
      {"from ", "from 0"},
      {"from ", "from  "},
      {"from ", "form "},
      {"\nto ", "\nto 0"},
      {"\nto ", "\nto -"},
      {"\nto ", "\nto F"},
      {"\nto ", "\n\nto "},
      {"\nto ", " to "},
      {"\nend\n", "\nend"},
      {"\nend\n", "0\nend\n"},
      {"\nend\n", " \nend\n"},
      {"\nend\n", "\nend\n\n"},
      {"\nend\n", "\n"},
      {"\nend\n", "99999999999999999999999\nend\n"},
      {"\nend\n", "\r\nend\n"}};
  static Entry right[3], forged[3];
  Pair pair;
  Bytes diff = {0};
  open_pair(&pair);
  take_apart(&pair.diff, right);
  for (uint32_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    memcpy(forged, right, sizeof forged);
    exchange_text(&forged[0], changes[i][0], changes[i][1]);
    put_together(forged, 2, &diff);
    assert_refused(&pair, &diff);
  }
  for (size_t at = 0; at < right[0].count; at++)
    for (uint32_t byte = 0; byte < 256; byte++) {
      if ((char)byte == right[0].bytes[at]) continue;
      memcpy(forged, right, 2 * sizeof *forged);
      forged[0].bytes[at] = (char)byte;
      put_together(forged, 2, &diff);
      assert_refused(&pair, &diff);
      forged[0].count = at;
      put_together(forged, 2, &diff);
      assert_refused(&pair, &diff);
      if (byte > 40 && at % 7 > 0) byte += 30;
    }
  /* Other entries. */
  memcpy(forged, right, sizeof forged);
  for (uint32_t count = 0; count < 2; count++) {
    put_together(forged, count, &diff);
    assert_refused(&pair, &diff);
  }
  forged[2].name = "more.bin";
  put_together(forged, 3, &diff);
  assert_refused(&pair, &diff);
  forged[1].name = "delta.bim";
  put_together(forged, 2, &diff);
  assert_refused(&pair, &diff);
  forged[0] = right[1];
  forged[1] = right[0];
  put_together(forged, 2, &diff);
  assert_refused(&pair, &diff);
  free(diff.all);
  close_pair(&pair);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snapshots_are_saved_as_the_world_was),
      cmocka_unit_test(saving_a_snapshot_may_fail),
      cmocka_unit_test(random_programs_go_on_where_a_diff_was_applied),
      cmocka_unit_test(any_text_is_made_of_any_other),
      cmocka_unit_test(a_diff_is_small_where_little_differs),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(a_sink_that_refuses_is_told_of),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(what_is_cut_off_or_changed_is_refused),
      cmocka_unit_test(numbers_that_lie_are_refused_or_sound),
      cmocka_unit_test(a_diff_that_makes_too_much_is_refused),
      cmocka_unit_test(manifests_that_lie_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

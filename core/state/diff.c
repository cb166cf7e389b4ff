/* diff.c: the difference between two saves. */
#include "state/diff.h"

#include <stdio.h>
#include <string.h>

#include "base/invariant.h"

enum {
  BLOCK = 32, /* bytes that are found wherever they are */
  LEAST = 16, /* bytes that are worth a piece */
  MANIFEST = 160
};
#define MOST UINT32_MAX

/* The numbers of a piece, in front of its bytes. Little-endian, as all machines
 * are that saves are written and read on. */
typedef struct PieceHead {
  uint32_t from, copied, fresh;
} PieceHead;

typedef struct Diff {
  DiffBytes from, to;
  uint32_t *blocks; /* owned; by hash: number of a block plus one; 0: none */
  uint32_t mask;    /* of a hash */
  char manifest[MANIFEST];
} Diff;

/* Hashes ------------------------------------------------------------------ */

/* FNV-1a (Fowler, Noll, Vo 1991). */
static uint64_t hash_on(uint64_t hash, const char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/* A polynomial of a block's bytes, which goes on byte by byte. */
#define ROLL UINT32_C(0x01000193)

static uint32_t roll_begin(const char *at) {
  uint32_t hash = 0;
  for (uint32_t i = 0; i < BLOCK; i++) hash = hash * ROLL + (uint8_t)at[i];
  return hash;
}

static uint32_t place(const Diff *diff, uint32_t hash) {
  return (hash ^ hash >> 15) & diff->mask;
}

static ecs_Status list_blocks(Diff *diff, Memory *memory) {
  uint32_t blocks = (uint32_t)(diff->from.count / BLOCK);
  uint32_t room = 1;
  while (room <= blocks && room < UINT32_C(1) << 30) room *= 2;
  diff->mask = room - 1;
  diff->blocks = memory_zeroed(memory, room, sizeof(uint32_t));
  if (diff->blocks == NULL) return ECS_E_MEMORY;
  /* Of equal blocks the first one is kept. */
  for (uint32_t k = blocks; k-- > 0;)
    diff->blocks[place(
        diff, roll_begin(diff->from.bytes + (size_t)k * BLOCK))] = k + 1;
  return ECS_OK;
}

/* The delta --------------------------------------------------------------- */

/* How many bytes are equal from two places on. */
static size_t equal_bytes(const Diff *diff, size_t from, size_t to) {
  const char *a = diff->from.bytes + from, *b = diff->to.bytes + to;
  size_t left = diff->from.count - from, count = 0;
  if (diff->to.count - to < left) left = diff->to.count - to;
  while (left - count >= 64 && memcmp(a + count, b + count, 64) == 0)
    count += 64;
  while (count < left && a[count] == b[count]) count++;
  return count;
}

/* Where the first save goes on as the other does from a place on. */
typedef struct Match {
  size_t from, count; /* count 0: nowhere */
} Match;

/* along: the place in the first save that stands for `to`, if nothing moved. */
static Match find_match(const Diff *diff, size_t to, size_t along,
                        uint32_t hash) {
  size_t left = diff->to.count - to;
  Match match = {along, 0};
  if (along <= diff->from.count) match.count = equal_bytes(diff, along, to);
  if (match.count >= LEAST) return match;
  match.count = 0;
  if (left < BLOCK) return match;
  uint32_t block = diff->blocks[place(diff, hash)];
  if (block == 0) return match;
  match.from = (size_t)(block - 1) * BLOCK;
  match.count = equal_bytes(diff, match.from, to);
  if (match.count < BLOCK) match.count = 0;
  return match;
}

static void put_piece(ArchiveOut *out, const Diff *diff, Match copied,
                      size_t first, size_t fresh) {
  PieceHead head = {copied.count == 0 ? 0 : (uint32_t)copied.from,
                    (uint32_t)copied.count, (uint32_t)fresh};
  if (copied.count == 0 && fresh == 0) return;
  archive_put(out, &head, sizeof head);
  if (fresh > 0) archive_put(out, diff->to.bytes + first, fresh);
}

static void put_delta(ArchiveOut *out, const void *of) {
  const Diff *diff = of;
  Match copied = {0, 0};
  size_t first = 0, at = 0; /* of the fresh bytes; of what is looked at */
  uint32_t power = 1, hash = 0;
  bool rolls = false; /* hash is that of the block at `at` */
  for (uint32_t i = 1; i < BLOCK; i++) power *= ROLL;
  while (at < diff->to.count) {
    bool whole = diff->to.count - at >= BLOCK;
    if (whole && !rolls) hash = roll_begin(diff->to.bytes + at);
    Match match =
        find_match(diff, at, copied.from + copied.count + (at - first), hash);
    if (match.count > 0) {
      put_piece(out, diff, copied, first, at - first);
      copied = match;
      first = at += match.count;
      rolls = false;
      continue;
    }
    rolls = whole && diff->to.count - at > BLOCK;
    if (rolls)
      hash = (hash - (uint8_t)diff->to.bytes[at] * power) * ROLL +
             (uint8_t)diff->to.bytes[at + BLOCK];
    at++;
  }
  put_piece(out, diff, copied, first, at - first);
}

/* Writing ----------------------------------------------------------------- */

static void say_manifest(Diff *diff, uint64_t to_hash) {
  snprintf(diff->manifest, sizeof diff->manifest,
           "ecs-diff 1\nfrom %016llx %zu\nto %016llx %zu\nend\n",
           (unsigned long long)hash_on(HASH_BEGIN, diff->from.bytes,
                                       diff->from.count),
           diff->from.count, (unsigned long long)to_hash, diff->to.count);
}

static void put_manifest(ArchiveOut *out, const void *of) {
  archive_put(out, ((const Diff *)of)->manifest,
              strlen(((const Diff *)of)->manifest));
}

ecs_Status diff_write(Memory *memory, DiffBytes from, DiffBytes to,
                      ecs_SaveSink sink) {
  Diff diff = {.from = from, .to = to};
  ArchiveWriter writer;
  if (from.count > MOST || to.count > MOST)
    return memory_refuse(memory, MOST, "bytes", "a save");
  ecs_Status status = list_blocks(&diff, memory);
  if (status != ECS_OK) return status;
  say_manifest(&diff, hash_on(HASH_BEGIN, to.bytes, to.count));
  archive_begin(&writer, memory, sink);
  archive_add(&writer, "manifest.txt", put_manifest, &diff);
  archive_add(&writer, "delta.bin", put_delta, &diff);
  status = archive_end(&writer);
  memory_free(memory, diff.blocks, (diff.mask + 1u) * sizeof(uint32_t));
  return status;
}

/* Applying ---------------------------------------------------------------- */

/* Passes over the next piece. False: it is none. */
static bool next_piece(const ArchiveEntry *delta, size_t *at, Match *copied,
                       size_t *fresh) {
  PieceHead head;
  if (delta->count - *at < sizeof head) return false;
  memcpy(&head, delta->bytes + *at, sizeof head);
  *copied = (Match){head.from, head.copied};
  *fresh = head.fresh;
  *at += sizeof head;
  if (*fresh > delta->count - *at || copied->count + *fresh == 0) return false;
  *at += *fresh;
  return true;
}

/* How many bytes the delta makes of a save of a size; UINT64_MAX: it is wrong. */
static uint64_t measure(const ArchiveEntry *delta, size_t from) {
  uint64_t total = 0;
  for (size_t at = 0; at < delta->count;) {
    Match copied = {0, 0};
    size_t fresh = 0;
    if (!next_piece(delta, &at, &copied, &fresh) || copied.from > from ||
        copied.count > from - copied.from)
      return UINT64_MAX;
    total += copied.count + fresh;
    if (total > MOST) return UINT64_MAX;
  }
  return total;
}

/* Writes the pieces. Returns the hash of what was written; *refused: the sink
 * takes no more. */
static uint64_t write_pieces(const ArchiveEntry *delta, DiffBytes from,
                             ecs_SaveSink sink, bool *refused) {
  uint64_t hash = HASH_BEGIN;
  for (size_t at = 0; at < delta->count && !*refused;) {
    Match copied = {0, 0};
    size_t fresh = 0;
    bool done = next_piece(delta, &at, &copied, &fresh);
    ECS_ASSERT(done);
    if (!done) break;
    const char *bytes = delta->bytes + (at - fresh);
    hash = hash_on(hash, from.bytes + copied.from, copied.count);
    hash = hash_on(hash, bytes, fresh);
    *refused =
        (copied.count > 0 &&
         !sink.write(sink.user, from.bytes + copied.from, copied.count)) ||
        (fresh > 0 && !sink.write(sink.user, bytes, fresh));
  }
  return hash;
}

static bool is_entry(const ArchiveEntry *entry, const char *name) {
  return entry->name_bytes == strlen(name) &&
         memcmp(entry->name, name, entry->name_bytes) == 0;
}

/* The hash that the manifest gives what is made; false: it is no manifest. */
static bool read_to(const ArchiveEntry *manifest, uint64_t *hash) {
  static const char begin[] = "ecs-diff 1\nfrom ";
  const char *at = manifest->bytes, *end = at + manifest->count;
  if (manifest->count < sizeof begin + 16 ||
      memcmp(at, begin, sizeof begin - 1) != 0)
    return false;
  at = memchr(at + sizeof begin, '\n', (size_t)(end - at) - sizeof begin);
  if (at == NULL || end - at < 21 || memcmp(at, "\nto ", 4) != 0) return false;
  *hash = 0;
  for (uint32_t i = 0; i < 16; i++) {
    const char *digits = "0123456789abcdef", *digit = NULL;
    if (at[4 + i] != 0) digit = strchr(digits, at[4 + i]);
    if (digit == NULL) return false;
    *hash = *hash << 4 | (uint64_t)(digit - digits);
  }
  return true;
}

static ecs_Status apply(const ArchiveReader *reader, DiffBytes from,
                        ecs_SaveSink sink, const char **problem) {
  const ArchiveEntry *manifest = reader->entries, *delta = manifest + 1;
  uint64_t hash = 0;
  bool refused = false;
  *problem = "it is no diff";
  if (reader->count != 2 || !is_entry(manifest, "manifest.txt") ||
      !is_entry(delta, "delta.bin") || !read_to(manifest, &hash))
    return ECS_E_FILE;
  uint64_t total = measure(delta, from.count);
  Diff diff = {.from = from, .to = {NULL, (size_t)total}};
  say_manifest(&diff, hash);
  /* Which begins with the state that there is, and is nothing else. */
  size_t first = strcspn(strchr(diff.manifest, '\n') + 1, "\n") + 12;
  *problem = "it begins with another state";
  if (manifest->count < first ||
      memcmp(manifest->bytes, diff.manifest, first) != 0)
    return ECS_E_FILE;
  *problem = "it is damaged";
  if (total == UINT64_MAX || manifest->count != strlen(diff.manifest) ||
      memcmp(manifest->bytes, diff.manifest, manifest->count) != 0)
    return ECS_E_FILE;
  uint64_t made = write_pieces(delta, from, sink, &refused);
  if (refused || made == hash) *problem = NULL;
  return refused || made != hash ? ECS_E_FILE : ECS_OK;
}

ecs_Status diff_apply(Memory *memory, DiffBytes from, DiffBytes diff,
                      ecs_SaveSink sink, const char **problem) {
  ArchiveReader reader;
  ecs_Status status =
      archive_read(&reader, memory, diff.bytes, diff.count, problem);
  if (status == ECS_E_MEMORY) *problem = NULL;
  if (status != ECS_OK) return status;
  status = apply(&reader, from, sink, problem);
  archive_reader_deinit(&reader, memory);
  return status;
}

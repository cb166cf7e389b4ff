/* archive.c: files in a ZIP archive, stored as they are. */
#include "state/archive.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOCAL_BYTES 30u
#define CENTRAL_BYTES 46u
#define END_BYTES 22u
#define MOST_BYTES UINT64_C(0xffffffff)
#define MOST_ENTRIES 0xffffu
#define MOST_NAME 0xffffu

/* Sums -------------------------------------------------------------------- */

static void make_sums(ArchiveSums *sums) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t sum = i;
    for (uint32_t bit = 0; bit < 8; bit++)
      sum = (sum & 1u) != 0 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
    sums->table[0][i] = sum;
  }
  for (uint32_t k = 1; k < 8; k++)
    for (uint32_t i = 0; i < 256; i++) {
      uint32_t before = sums->table[k - 1][i];
      sums->table[k][i] = before >> 8 ^ sums->table[0][before & 255u];
    }
}

static uint32_t sum_bytes(const ArchiveSums *sums, uint32_t sum,
                          const void *bytes, size_t count) {
  const uint8_t *at = bytes;
  const uint32_t(*table)[256] = sums->table;
  sum = ~sum;
  for (; count >= 8; count -= 8, at += 8) {
    uint32_t low = 0, high = 0;
    memcpy(&low, at, 4);
    memcpy(&high, at + 4, 4);
    low ^= sum;
    sum = table[7][low & 255u] ^ table[6][low >> 8 & 255u] ^
          table[5][low >> 16 & 255u] ^ table[4][low >> 24] ^
          table[3][high & 255u] ^ table[2][high >> 8 & 255u] ^
          table[1][high >> 16 & 255u] ^ table[0][high >> 24];
  }
  for (; count > 0; count--) sum = sum >> 8 ^ table[0][(sum ^ *at++) & 255u];
  return ~sum;
}

/* Heads ------------------------------------------------------------------- */

/* What the heads say of an entry. */
typedef struct EntryHead {
  uint32_t sum;
  uint32_t count;
  uint16_t name_bytes;
  uint32_t offset;
} EntryHead;

static char *put16(char *at, uint32_t number) {
  at[0] = (char)(number & 255u);
  at[1] = (char)(number >> 8 & 255u);
  return at + 2;
}

static char *put32(char *at, uint32_t number) {
  return put16(put16(at, number), number >> 16);
}

/* From the version that is needed to the length of the extra field, which both
 * heads have: version 1.0, no flags, stored, midnight of 1 January 1980. */
static char *put_common(char *at, const EntryHead *head) {
  at = put16(put16(put16(at, 10), 0), 0);
  at = put16(put16(at, 0), 0x21);
  at = put32(put32(put32(at, head->sum), head->count), head->count);
  return put16(put16(at, head->name_bytes), 0);
}

static void local_head(char *to, const EntryHead *head) {
  char *at = put_common(put32(to, 0x04034b50u), head);
  ECS_ASSERT(at == to + LOCAL_BYTES);
  (void)at;
}

static void central_head(char *to, const EntryHead *head) {
  char *at = put16(put32(to, 0x02014b50u), 10);
  at = put_common(at, head);
  at = put16(put16(put16(at, 0), 0), 0); /* comment, disk, inner attributes */
  at = put32(put32(at, 0), head->offset);
  ECS_ASSERT(at == to + CENTRAL_BYTES);
  (void)at;
}

static void end_head(char *to, uint32_t entries, uint32_t bytes,
                     uint32_t offset) {
  char *at = put16(put16(put32(to, 0x06054b50u), 0), 0);
  at = put16(put16(at, entries), entries);
  at = put16(put32(put32(at, bytes), offset), 0);
  ECS_ASSERT(at == to + END_BYTES);
  (void)at;
}

/* Writing ----------------------------------------------------------------- */

void archive_begin(ArchiveWriter *writer, Memory *memory, ecs_SaveSink sink) {
  *writer = (ArchiveWriter){.sink = sink, .memory = memory};
  make_sums(&writer->sums);
}

static void give(ArchiveWriter *writer, const void *bytes, size_t count) {
  if (writer->status == ECS_OK && count > 0 &&
      !writer->sink.write(writer->sink.user, bytes, count))
    writer->status = ECS_E_FILE;
}

/* Few bytes wait for more. */
static void write_bytes(ArchiveWriter *writer, const void *bytes,
                        size_t count) {
  writer->offset += count;
  if (count > sizeof writer->buffer - writer->waiting) {
    give(writer, writer->buffer, writer->waiting);
    writer->waiting = 0;
  }
  if (count > sizeof writer->buffer) {
    give(writer, bytes, count);
  } else if (count > 0) {
    memcpy(writer->buffer + writer->waiting, bytes, count);
    writer->waiting += count;
  }
}

void archive_put(ArchiveOut *out, const void *bytes, size_t count) {
  out->count += count;
  if (!out->measures)
    write_bytes(out->writer, bytes, count);
  else if (count > 0)
    out->sum = sum_bytes(&out->writer->sums, out->sum, bytes, count);
}

void archive_say(ArchiveOut *out, const char *format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  ECS_ASSERT(length >= 0 && length < (int)sizeof text);
  archive_put(out, text, (size_t)length);
}

static bool refuse(ArchiveWriter *writer, uint64_t limit, const char *counts) {
  writer->status = memory_refuse(writer->memory, limit, counts, "a save");
  return false;
}

/* Adds the entry to the directory. */
static bool list_entry(ArchiveWriter *writer, const char *name,
                       const EntryHead *head) {
  size_t wanted = writer->directory_bytes + CENTRAL_BYTES + head->name_bytes;
  if (wanted > writer->directory_capacity) {
    char *grown = memory_resize(writer->memory, writer->directory,
                                writer->directory_capacity, wanted * 2);
    if (grown == NULL) writer->status = ECS_E_MEMORY;
    if (grown == NULL) return false;
    writer->directory = grown;
    writer->directory_capacity = wanted * 2;
  }
  char *to = writer->directory + writer->directory_bytes;
  central_head(to, head);
  memcpy(to + CENTRAL_BYTES, name, head->name_bytes);
  writer->directory_bytes = wanted;
  writer->entries++;
  return true;
}

void archive_add(ArchiveWriter *writer, const char *name,
                 ArchiveContent *content, const void *of) {
  ArchiveOut out = {.writer = writer, .measures = true};
  size_t name_bytes = strlen(name);
  ECS_ASSERT(name_bytes <= MOST_NAME);
  if (writer->status != ECS_OK) return;
  content(&out, of);
  uint64_t end = writer->offset + LOCAL_BYTES + name_bytes + out.count;
  if (writer->entries == MOST_ENTRIES)
    (void)refuse(writer, MOST_ENTRIES, "entries");
  else if (end > MOST_BYTES)
    (void)refuse(writer, MOST_BYTES, "bytes");
  if (writer->status != ECS_OK) return;
  EntryHead head = {out.sum, (uint32_t)out.count, (uint16_t)name_bytes,
                    (uint32_t)writer->offset};
  char local[LOCAL_BYTES];
  if (!list_entry(writer, name, &head)) return;
  local_head(local, &head);
  write_bytes(writer, local, sizeof local);
  write_bytes(writer, name, name_bytes);
  ECS_ASSERT_ONLY uint64_t measured = out.count;
  out = (ArchiveOut){.writer = writer};
  content(&out, of);
  ECS_ASSERT(out.count == measured);
}

ecs_Status archive_end(ArchiveWriter *writer) {
  uint64_t end = writer->offset + writer->directory_bytes + END_BYTES;
  if (writer->status == ECS_OK && end > MOST_BYTES)
    (void)refuse(writer, MOST_BYTES, "bytes");
  char last[END_BYTES];
  end_head(last, writer->entries, (uint32_t)writer->directory_bytes,
           (uint32_t)writer->offset);
  write_bytes(writer, writer->directory, writer->directory_bytes);
  write_bytes(writer, last, sizeof last);
  give(writer, writer->buffer, writer->waiting);
  memory_free(writer->memory, writer->directory, writer->directory_capacity);
  writer->directory = NULL;
  return writer->status;
}

/* ArchiveReading ----------------------------------------------------------------- */

static uint32_t get(const char *at, uint32_t bytes) {
  uint32_t number = 0;
  for (uint32_t i = bytes; i-- > 0;) number = number << 8 | (uint8_t)at[i];
  return number;
}

typedef struct ArchiveReading {
  const char *bytes;
  size_t count;
  size_t at;
  const char *problem;
} ArchiveReading;

/* Are the next bytes these? Passes over them. */
static bool expect(ArchiveReading *reading, const char *bytes, size_t count) {
  if (count > reading->count - reading->at ||
      memcmp(reading->bytes + reading->at, bytes, count) != 0)
    return false;
  reading->at += count;
  return true;
}

static ecs_Status damaged(ArchiveReading *reading, const char *problem) {
  reading->problem = problem;
  return ECS_E_FILE;
}

static ecs_Status read_entry(ArchiveReading *reading, const ArchiveSums *sums,
                             ArchiveEntry *entry) {
  const char *at = reading->bytes + reading->at;
  if (reading->count - reading->at < LOCAL_BYTES)
    return damaged(reading, "it is cut off");
  EntryHead head = {get(at + 14, 4), get(at + 18, 4), (uint16_t)get(at + 26, 2),
                    0};
  char expected[LOCAL_BYTES];
  local_head(expected, &head);
  if (!expect(reading, expected, sizeof expected))
    return damaged(reading, "an entry has an odd head");
  size_t left = reading->count - reading->at;
  if (head.name_bytes > left || head.count > left - head.name_bytes)
    return damaged(reading, "it is cut off");
  *entry = (ArchiveEntry){at + LOCAL_BYTES, head.name_bytes,
                          at + LOCAL_BYTES + head.name_bytes, head.count};
  reading->at += (size_t)head.name_bytes + head.count;
  if (sum_bytes(sums, 0, entry->bytes, entry->count) != head.sum)
    return damaged(reading, "the checksum of an entry is wrong");
  return ECS_OK;
}

static ecs_Status read_directory(ArchiveReading *reading,
                                 const ArchiveReader *reader) {
  size_t begin = reading->at;
  for (uint32_t i = 0; i < reader->count; i++) {
    const ArchiveEntry *entry = &reader->entries[i];
    const char *head_at = entry->name - LOCAL_BYTES;
    EntryHead head = {get(head_at + 14, 4), (uint32_t)entry->count,
                      (uint16_t)entry->name_bytes,
                      (uint32_t)(head_at - reading->bytes)};
    char expected[CENTRAL_BYTES];
    central_head(expected, &head);
    if (!expect(reading, expected, sizeof expected) ||
        !expect(reading, entry->name, entry->name_bytes))
      return damaged(reading, "its directory is wrong");
  }
  char last[END_BYTES];
  end_head(last, reader->count, (uint32_t)(reading->at - begin),
           (uint32_t)begin);
  if (!expect(reading, last, sizeof last) || reading->at != reading->count)
    return damaged(reading, "its end is wrong");
  return ECS_OK;
}

static ecs_Status read_entries(ArchiveReader *reader, Memory *memory,
                               ArchiveReading *reading) {
  ArchiveSums sums;
  make_sums(&sums);
  if (reading->count > MOST_BYTES) return damaged(reading, "it is too large");
  while (reading->count - reading->at >= 4 &&
         get(reading->bytes + reading->at, 4) == 0x04034b50u) {
    void *entries = reader->entries;
    if (!memory_grow(memory, &entries, &reader->capacity, reader->count, 1,
                     sizeof(ArchiveEntry)))
      return ECS_E_MEMORY;
    reader->entries = entries;
    ecs_Status status =
        read_entry(reading, &sums, &reader->entries[reader->count]);
    if (status != ECS_OK) return status;
    if (++reader->count > MOST_ENTRIES)
      return damaged(reading, "it has too many entries");
  }
  if (reader->count == 0) return damaged(reading, "it is no archive");
  return read_directory(reading, reader);
}

ecs_Status archive_read(ArchiveReader *reader, Memory *memory,
                        const char *bytes, size_t count, const char **problem) {
  ArchiveReading reading = {bytes, count, 0, NULL};
  *reader = (ArchiveReader){0};
  ecs_Status status = read_entries(reader, memory, &reading);
  *problem = reading.problem;
  if (status != ECS_OK) archive_reader_deinit(reader, memory);
  return status;
}

void archive_reader_deinit(ArchiveReader *reader, Memory *memory) {
  memory_free(memory, reader->entries, reader->capacity * sizeof(ArchiveEntry));
  *reader = (ArchiveReader){0};
}

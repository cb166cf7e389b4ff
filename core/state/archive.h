/* archive.h: files in a ZIP archive, stored as they are.
 *
 *      | head | manifest.txt | head | a.npy | ... | directory | end |
 *
 * What is written depends on names and contents alone: no time, no owner, no
 * comment. The reader takes an archive apart that is, byte for byte, what the
 * writer makes of the same entries, and refuses every other. The format is that
 * of the ZIP file format specification (APPNOTE, PKWARE) for stored entries.
 *
 * A content is a function that is called twice: to measure, and to write. So
 * nothing is held in memory but the directory.
 */
#ifndef ECS_ARCHIVE_H
#define ECS_ARCHIVE_H

#include "base/memory.h"

/* Tables for CRC-32 of eight bytes at a time (Kounavis and Berry 2005). */
typedef struct ArchiveSums {
  uint32_t table[8][256];
} ArchiveSums;

/* Where a content is put. */
typedef struct ArchiveOut {
  struct ArchiveWriter *writer;
  bool measures; /* it is the first call: nothing is written */
  uint32_t sum;
  uint64_t count;
} ArchiveOut;

typedef void ArchiveContent(ArchiveOut *out, const void *of);

typedef struct ArchiveWriter {
  ecs_SaveSink sink;
  Memory *memory;
  char *directory; /* owned */
  size_t directory_bytes, directory_capacity;
  uint64_t offset; /* bytes that were written */
  uint32_t entries;
  ecs_Status status; /* ECS_E_FILE: the sink refused. What follows is not
                        written */
  ArchiveSums sums;
  size_t waiting; /* bytes that are not given to the sink yet */
  char buffer[4096];
} ArchiveWriter;

/* Begins an archive. */
ECS_INTERNAL void archive_begin(ArchiveWriter *writer, Memory *memory,
                                ecs_SaveSink sink);

/* Adds an entry. The name is of letters, digits and ASCII marks, without a
 * repetition. */
ECS_INTERNAL void archive_add(ArchiveWriter *writer, const char *name,
                              ArchiveContent *content, const void *of);

/* Puts bytes, or formatted text of fewer than 4,096, into a content. */
ECS_INTERNAL void archive_put(ArchiveOut *out, const void *bytes, size_t count);
ECS_INTERNAL void archive_say(ArchiveOut *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the directory, and frees what the writer owns. Returns what went wrong
 * first: ECS_E_FILE, ECS_E_MEMORY, or ECS_E_LIMIT: more than 65,535 entries or
 * 4 GiB. */
ECS_INTERNAL ecs_Status archive_end(ArchiveWriter *writer);

/* Reading ----------------------------------------------------------------- */

/* Borrowed from the bytes of the archive. */
typedef struct ArchiveEntry {
  const char *name; /* without a 0 at the end */
  size_t name_bytes;
  const char *bytes;
  size_t count;
} ArchiveEntry;

typedef struct ArchiveReader {
  ArchiveEntry *entries; /* owned */
  uint32_t count;
  uint32_t capacity;
} ArchiveReader;

/* Takes an archive apart. ECS_E_MEMORY; ECS_E_FILE: it is none, or damaged, and
 * *problem says what is wrong, a constant. Cost: reads every byte. */
ECS_INTERNAL ecs_Status archive_read(ArchiveReader *reader, Memory *memory,
                                     const char *bytes, size_t count,
                                     const char **problem);

ECS_INTERNAL void archive_reader_deinit(ArchiveReader *reader, Memory *memory);

#endif

/* system.h: what the binding asks of the operating system: files, a clock, and
 * that this library stays.
 *
 *      Linux, macOS, other systems of POSIX   descriptors, flock, rename
 *      Windows                                handles that nobody else may open
 *
 * Paths are bytes that end with 0: on Windows UTF-8, or, where they are not
 * that, in the code page of the process; elsewhere what the system takes. Every
 * error is a number for strerror.
 */
#ifndef ECS_LUA_SYSTEM_H
#define ECS_LUA_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "object/object.h"

/* What tells a file from others and from itself after a change. */
typedef struct FileMark {
  uint64_t device, number; /* the volume, and the file there */
  int64_t bytes;
  int64_t seconds, nanoseconds; /* of its last change */
} FileMark;

/* Fills *mark, unless NULL. 0: path leads to a regular file, over links, too;
 * EINVAL: to something else, as a folder; otherwise why nothing is known. It
 * opens nothing that could block. */
BIND_INTERNAL int system_file_look(const char *path, FileMark *mark);

/* Opens a file for reading, as fopen does; NULL: errno says why. */
BIND_INTERNAL FILE *system_file_read(const char *path);

/* Creates a file, or empties the one that is there, for this process alone.
 * Returns 0, or EBUSY where another process writes it, EINVAL where it is no
 * regular file, or another error; then nothing is open. */
BIND_INTERNAL int system_file_create(const char *path, intptr_t *file);

/* Writes all bytes. Returns 0 or an error. */
BIND_INTERNAL int system_file_write(intptr_t file, const void *bytes,
                                    size_t count);

/* Makes an open file, created at `from`, last there, and puts it at `to` in
 * place of what is there, for good; at any moment one of both is there whole.
 * Returns 0 or an error: then `to` is as it was. The file stays open. */
BIND_INTERNAL int system_file_replace(intptr_t file, const char *from,
                                      const char *to);

/* Closes an open file; removes it from path, unless NULL. */
BIND_INTERNAL void system_file_close(intptr_t file, const char *path);

/* Seconds since a moment that stays the same while the process runs. */
BIND_INTERNAL double system_seconds(void);

/* Keeps the library that this address lies in loaded until the process ends. */
BIND_INTERNAL void system_keep_loaded(const void *address);

#endif

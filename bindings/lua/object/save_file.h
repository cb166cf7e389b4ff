/* save_file.h: files that are written whole or not at all.
 *
 *      "game.save.new"   written, synced, then renamed to "game.save"
 *
 * A process that ends at any moment leaves the old file, or the new one, and at
 * most a .new beside it, which the next save overwrites. The new file is locked
 * while it is written, so that two processes do not write the same one.
 */
#ifndef ECS_LUA_SAVE_FILE_H
#define ECS_LUA_SAVE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/object.h"

typedef struct SaveFile {
  char path[4096];
  char fresh[4096 + 8]; /* the path of the new file */
  intptr_t handle;      /* of the new file, while it is open */
  bool is_open;
  int error; /* for strerror: of what failed first; 0: nothing has */
} SaveFile;

/* Opens the new file. False: error says why, and nothing is open. */
BIND_INTERNAL bool save_file_open(SaveFile *file, const char *path);

/* Writes bytes to it. False: error says why. */
BIND_INTERNAL bool save_file_write(SaveFile *file, const void *bytes,
                                   size_t count);

/* Puts the new file in place of the old one, if `done`, and closes it. False:
 * error says why; the old file is as it was, the new one is gone. */
BIND_INTERNAL bool save_file_close(SaveFile *file, bool done);

/* Adds read_save to the table on top of the stack: the bytes of a file, or nil
 * and why. */
BIND_INTERNAL void bind_open_save_file(lua_State *L);

#endif

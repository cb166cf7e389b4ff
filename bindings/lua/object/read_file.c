/* read_file.c: reads the files that functions were loaded from, for scripts/ecs.
 *
 *      read_file(path, most)    its text; nothing when it is no regular file,
 *                               cannot be read or has more than most bytes
 *
 * A chunk is called what a script likes, so the path may be that of a pipe,
 * which never opens while nobody writes to it, or of a device without an end.
 * What it leads to is looked at before it is opened, through symbolic links.
 */
#define _POSIX_C_SOURCE 200809L /* stat */

#include "object/read_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Is there a regular file at path? Then *bytes is its size. */
static bool is_regular(const char *path, double *bytes) {
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
  *bytes = (double)about.st_size;
  return true;
}

/* read_file(path, most). Nothing of Lua is called while the file is open. */
static int read_file(lua_State *L) {
  size_t length, read = 0;
  double bytes = 0, most = luaL_checknumber(L, 2);
  const char *path = luaL_checklstring(L, 1, &length);
  if (strlen(path) != length || !is_regular(path, &bytes)) return 0;
  if (!(bytes <= most)) return 0;
  char *buffer = (char *)lua_newuserdata(L, (size_t)bytes + 1);
  FILE *file = is_regular(path, &most) ? fopen(path, "rb") : NULL;
  if (!file) return 0;
  read = fread(buffer, 1, (size_t)bytes + 1, file);
  bool failed = ferror(file) || read > (size_t)bytes; /* it is being written */
  fclose(file);
  if (failed) return 0;
  lua_pushlstring(L, buffer, read);
  return 1;
}

static const luaL_Reg functions[] = {{"read_file", read_file}, {NULL, NULL}};

void bind_open_read_file(lua_State *L) { bind_add(L, functions); }

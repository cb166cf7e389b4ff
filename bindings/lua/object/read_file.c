/* read_file.c: reads the files that functions were loaded from.
 *
 *      read_file(path, most, known)   the file's text; nothing when it is no
 *                                      regular file, cannot be read or exceeds
 *                                      most bytes
 *
 * known, if given, is a text that the file may still have: then it is returned,
 * and no string is made. A program reads its file once for each of its systems.
 *
 * A script can give a chunk any name. So the path may lead to a pipe, and
 * opening that would block until another process writes to it, or to a device
 * without an end. Only a regular file is opened; symbolic links are followed.
 */
#include "object/read_file.h"

#include <stdio.h>
#include <string.h>

#include "object/system.h"

/* Is there a regular file at path? If so, sets *bytes to its size. */
static bool is_regular(const char *path, double *bytes) {
  FileMark mark;
  if (system_file_look(path, &mark) != 0) return false;
  *bytes = (double)mark.bytes;
  return true;
}

/* Opens the file at path, unless it is no longer regular. */
static FILE *open_regular(const char *path) {
  double bytes;
  return is_regular(path, &bytes) ? system_file_read(path) : NULL;
}

/* Has the file at path this text, and nothing else? */
static bool has_text(const char *path, const char *text, size_t length) {
  char piece[16384];
  size_t before = 0, read;
  FILE *file = open_regular(path);
  if (!file) return false;
  while ((read = fread(piece, 1, sizeof piece, file)) > 0) {
    if (read > length - before || memcmp(text + before, piece, read) != 0)
      break;
    before += read;
  }
  bool failed = ferror(file) || read > 0;
  fclose(file);
  return !failed && before == length;
}

/* No function of Lua is called while the file is open: an error would leak it.
 */
static int read_file(lua_State *L) {
  size_t length, known_length = 0, read = 0;
  double bytes = 0, most = luaL_checknumber(L, 2);
  const char *path = luaL_checklstring(L, 1, &length);
  const char *known = luaL_optlstring(L, 3, NULL, &known_length);
  if (strlen(path) != length || !is_regular(path, &bytes)) return 0;
  if (!(bytes <= most)) return 0;
  if (known && bytes == (double)known_length &&
      has_text(path, known, known_length)) {
    lua_pushvalue(L, 3);
    return 1;
  }
  char *buffer = (char *)lua_newuserdata(L, (size_t)bytes + 1);
  FILE *file = open_regular(path);
  if (!file) return 0;
  read = fread(buffer, 1, (size_t)bytes + 1, file);
  bool failed = ferror(file) || read > (size_t)bytes; /* still being written */
  fclose(file);
  if (failed) return 0;
  lua_pushlstring(L, buffer, read);
  return 1;
}

static const luaL_Reg functions[] = {{"read_file", read_file}, {NULL, NULL}};

void bind_open_read_file(lua_State *L) { bind_add(L, functions); }

/* save_file.c: files that are written whole or not at all. */
#include "object/save_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "object/error.h"
#include "object/system.h"

/* Keeps the first error; true: there is none. */
static bool passes(SaveFile *file, int error) {
  if (file->error == 0) file->error = error;
  return error == 0;
}

bool save_file_open(SaveFile *file, const char *path) {
  size_t bytes = strlen(path);
  *file = (SaveFile){.is_open = false};
  if (bytes >= sizeof file->path) return passes(file, ENAMETOOLONG);
  memcpy(file->path, path, bytes + 1);
  snprintf(file->fresh, sizeof file->fresh, "%s.new", path);
  /* A folder or a device must not be replaced. */
  if (system_file_look(path, NULL) == EINVAL) return passes(file, EINVAL);
  file->is_open = passes(file, system_file_create(file->fresh, &file->handle));
  return file->is_open;
}

bool save_file_write(SaveFile *file, const void *bytes, size_t count) {
  return passes(file, system_file_write(file->handle, bytes, count));
}

bool save_file_close(SaveFile *file, bool done) {
  if (!file->is_open) return false;
  bool kept =
      done && file->error == 0 &&
      passes(file, system_file_replace(file->handle, file->fresh, file->path));
  system_file_close(file->handle, kept ? NULL : file->fresh);
  file->is_open = false;
  return kept;
}

/* Reading ----------------------------------------------------------------- */

/* Nil and why. */
static int refuse(lua_State *L, const char *path, int error) {
  lua_pushfstring(L, "%s: %s", path, strerror(error));
  return bind_fail(L);
}

/* read_save(path): the bytes of a regular file, or nil and why. */
static int read_save(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  FileMark mark;
  int error = system_file_look(path, &mark);
  if (error != 0) return refuse(L, path, error);
  if (mark.bytes > 0xffffffff) return refuse(L, path, EFBIG);
  size_t size = (size_t)mark.bytes;
  char *bytes = (char *)lua_newuserdata(L, size + 1);
  FILE *stream = system_file_read(path);
  if (stream == NULL) return refuse(L, path, errno);
  size_t count = fread(bytes, 1, size + 1, stream);
  bool failed = ferror(stream) != 0;
  (void)fclose(stream);
  if (failed || count != size) return refuse(L, path, EIO);
  lua_pushlstring(L, bytes, count);
  return 1;
}

void bind_open_save_file(lua_State *L) {
  static const luaL_Reg functions[] = {{"read_save", read_save}, {NULL, NULL}};
  bind_add(L, functions);
}

/* save_file.c: files that are written whole or not at all. */
#define _DEFAULT_SOURCE /* flock */
#include "object/save_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object/error.h"

static bool fail(SaveFile *file) {
  if (file->error == 0) file->error = errno != 0 ? errno : EIO;
  return false;
}

/* Is the open file still the one at its path? Another process may have renamed
 * it between our opening and our locking it. */
static bool is_in_place(const SaveFile *file) {
  struct stat open_one, named;
  return fstat(file->descriptor, &open_one) == 0 &&
         stat(file->fresh, &named) == 0 && open_one.st_ino == named.st_ino &&
         open_one.st_dev == named.st_dev;
}

bool save_file_open(SaveFile *file, const char *path) {
  size_t bytes = strlen(path);
  *file = (SaveFile){.descriptor = -1};
  errno = ENAMETOOLONG;
  if (bytes >= sizeof file->path) return fail(file);
  memcpy(file->path, path, bytes + 1);
  snprintf(file->fresh, sizeof file->fresh, "%s.new", path);
  struct stat about;
  errno = EINVAL; /* a folder or a device must not be replaced */
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return fail(file);
  errno = 0;
  file->descriptor =
      open(file->fresh, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file->descriptor < 0) return fail(file);
  if (fstat(file->descriptor, &about) == 0 && S_ISREG(about.st_mode) &&
      flock(file->descriptor, LOCK_EX | LOCK_NB) == 0 && is_in_place(file)) {
    if (ftruncate(file->descriptor, 0) == 0) return true;
    (void)fail(file);
    (void)unlink(file->fresh); /* it is ours alone */
  }
  if (errno == 0) errno = EBUSY;
  (void)fail(file);
  (void)close(file->descriptor);
  file->descriptor = -1;
  return false;
}

bool save_file_write(SaveFile *file, const void *bytes, size_t count) {
  const char *at = bytes;
  while (count > 0) {
    errno = 0;
    ssize_t written = write(file->descriptor, at, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(file);
    at += written;
    count -= (size_t)written;
  }
  return true;
}

/* Makes the new name last: syncs the folder. Some systems cannot. */
static void sync_folder(const SaveFile *file) {
  char folder[sizeof file->path];
  memcpy(folder, file->path, sizeof folder);
  char *slash = strrchr(folder, '/');
  if (slash == NULL)
    memcpy(folder, ".", 2);
  else
    slash[slash == folder] = 0;
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)fsync(descriptor);
  (void)close(descriptor);
}

bool save_file_close(SaveFile *file, bool done) {
  if (file->descriptor < 0) return false;
  errno = 0;
  bool kept = done && file->error == 0 &&
              (fsync(file->descriptor) == 0 || fail(file)) &&
              (rename(file->fresh, file->path) == 0 || fail(file));
  if (!kept) (void)unlink(file->fresh);
  if (kept) sync_folder(file);
  (void)close(file->descriptor);
  file->descriptor = -1;
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
  struct stat about;
  errno = 0;
  if (stat(path, &about) != 0) return refuse(L, path, errno);
  if (!S_ISREG(about.st_mode)) return refuse(L, path, EINVAL);
  if (about.st_size > 0xffffffff) return refuse(L, path, EFBIG);
  size_t size = (size_t)about.st_size;
  char *bytes = (char *)lua_newuserdata(L, size + 1);
  FILE *stream = fopen(path, "rb");
  if (stream == NULL) return refuse(L, path, errno);
  size_t count = fread(bytes, 1, size + 1, stream);
  int error = ferror(stream) != 0 ? EIO : 0;
  (void)fclose(stream);
  if (error != 0 || count != size) return refuse(L, path, EIO);
  lua_pushlstring(L, bytes, count);
  return 1;
}

void bind_open_save_file(lua_State *L) {
  static const luaL_Reg functions[] = {{"read_save", read_save}, {NULL, NULL}};
  bind_add(L, functions);
}

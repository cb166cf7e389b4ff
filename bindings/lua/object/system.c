/* system.c: what the binding asks of the operating system: files, a clock, and
 * that this library stays. */
#define _GNU_SOURCE /* flock, dladdr, clock_gettime */
#include "object/system.h"

#include <errno.h>
#include <string.h>

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#endif

/* Of paths, in bytes and in units of UTF-16. */
#define PATH_LIMIT 4104

#if defined(_WIN32)

/* Windows ----------------------------------------------------------------- */

static int error_of(DWORD code) {
  switch (code) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH: return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT: return EACCES;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION: return EBUSY;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_FILENAME_EXCED_RANGE:
    case ERROR_INSUFFICIENT_BUFFER: return ENAMETOOLONG;
    default: return EIO;
  }
}

static int last_error(void) { return error_of(GetLastError()); }

/* A path in UTF-16. */
typedef struct WidePath {
  wchar_t units[PATH_LIMIT];
} WidePath;

static bool widen(WidePath *wide, const char *path) {
  return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1,
                             wide->units, PATH_LIMIT) > 0 ||
         MultiByteToWideChar(CP_ACP, 0, path, -1, wide->units, PATH_LIMIT) > 0;
}

/* Opens a path; 0 or an error. */
static int open_path(const char *path, DWORD access, DWORD share, DWORD how,
                     DWORD flags, HANDLE *handle) {
  WidePath wide;
  if (!widen(&wide, path)) return last_error();
  *handle = CreateFileW(wide.units, access, share, NULL, how, flags, NULL);
  return *handle == INVALID_HANDLE_VALUE ? last_error() : 0;
}

/* Is the open file a regular one? Fills *about if so. */
static bool is_regular(HANDLE handle, BY_HANDLE_FILE_INFORMATION *about) {
  return GetFileType(handle) == FILE_TYPE_DISK &&
         GetFileInformationByHandle(handle, about) &&
         (about->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

static uint64_t joined(DWORD high, DWORD low) {
  return (uint64_t)high << 32 | low;
}

int system_file_look(const char *path, FileMark *mark) {
  HANDLE handle;
  BY_HANDLE_FILE_INFORMATION about;
  int error = open_path(path, FILE_READ_ATTRIBUTES,
                        FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                        OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, &handle);
  if (error != 0) return error;
  bool regular = is_regular(handle, &about);
  (void)CloseHandle(handle);
  if (!regular) return EINVAL;
  if (mark == NULL) return 0;
  /* In units of 100 ns. */
  uint64_t time = joined(about.ftLastWriteTime.dwHighDateTime,
                         about.ftLastWriteTime.dwLowDateTime);
  *mark = (FileMark){
      .device = about.dwVolumeSerialNumber,
      .number = joined(about.nFileIndexHigh, about.nFileIndexLow),
      .bytes = (int64_t)joined(about.nFileSizeHigh, about.nFileSizeLow),
      .seconds = (int64_t)(time / 10000000u),
      .nanoseconds = (int64_t)(time % 10000000u * 100u),
  };
  return 0;
}

FILE *system_file_read(const char *path) {
  WidePath wide;
  if (widen(&wide, path)) return _wfopen(wide.units, L"rb");
  errno = ENOENT;
  return NULL;
}

int system_file_create(const char *path, intptr_t *file) {
  HANDLE handle;
  BY_HANDLE_FILE_INFORMATION about;
  /* Shared with nobody: that is the lock. A link is not followed. */
  int error = open_path(path, GENERIC_WRITE | DELETE | FILE_READ_ATTRIBUTES, 0,
                        OPEN_ALWAYS, FILE_FLAG_OPEN_REPARSE_POINT, &handle);
  if (error != 0) return error;
  if (!is_regular(handle, &about) ||
      (about.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0)
    error = EINVAL;
  else if (!SetEndOfFile(handle)) /* at the beginning, where it stands */
    error = last_error();
  if (error != 0)
    (void)CloseHandle(handle);
  else
    *file = (intptr_t)handle;
  return error;
}

int system_file_write(intptr_t file, const void *bytes, size_t count) {
  const char *at = bytes;
  while (count > 0) {
    DWORD piece = count > 1u << 30 ? 1u << 30 : (DWORD)count, written = 0;
    if (!WriteFile((HANDLE)file, at, piece, &written, NULL))
      return last_error();
    if (written == 0) return EIO;
    at += written;
    count -= written;
  }
  return 0;
}

int system_file_replace(intptr_t file, const char *from, const char *to) {
  /* Renamed by its handle, so that nobody opens it in between. */
  union {
    FILE_RENAME_INFO info;
    char room[sizeof(FILE_RENAME_INFO) + sizeof(WidePath)];
  } rename;
  WidePath wide;
  DWORD units;
  (void)from;
  if (!widen(&wide, to)) return last_error();
  memset(&rename, 0, sizeof rename);
  /* The name has to be a full one. */
  units = GetFullPathNameW(wide.units, PATH_LIMIT, rename.info.FileName, NULL);
  if (units == 0) return last_error();
  if (units >= PATH_LIMIT) return ENAMETOOLONG;
  rename.info.ReplaceIfExists = TRUE;
  rename.info.FileNameLength = units * (DWORD)sizeof(wchar_t);
  if (!FlushFileBuffers((HANDLE)file) ||
      !SetFileInformationByHandle((HANDLE)file, FileRenameInfo, &rename,
                                  sizeof rename) ||
      !FlushFileBuffers((HANDLE)file))
    return last_error();
  return 0;
}

void system_file_close(intptr_t file, const char *path) {
  if (path != NULL) {
    FILE_DISPOSITION_INFO gone = {TRUE};
    (void)SetFileInformationByHandle((HANDLE)file, FileDispositionInfo, &gone,
                                     sizeof gone);
  }
  (void)CloseHandle((HANDLE)file);
}

double system_seconds(void) {
  LARGE_INTEGER now, rate;
  (void)QueryPerformanceCounter(&now);
  (void)QueryPerformanceFrequency(&rate);
  return (double)now.QuadPart / (double)rate.QuadPart;
}

void system_keep_loaded(const void *address) {
  HMODULE library;
  (void)GetModuleHandleExW(
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
      (LPCWSTR)address, &library);
}

#else

/* POSIX ------------------------------------------------------------------- */

/* The error of the call that has just failed. */
static int last_error(void) { return errno != 0 ? errno : EIO; }

int system_file_look(const char *path, FileMark *mark) {
  struct stat about;
  errno = 0;
  if (stat(path, &about) != 0) return last_error();
  if (!S_ISREG(about.st_mode)) return EINVAL;
  if (mark == NULL) return 0;
#if defined(__APPLE__)
  const struct timespec changed = about.st_mtimespec;
#else
  const struct timespec changed = about.st_mtim;
#endif
  *mark = (FileMark){
      .device = (uint64_t)about.st_dev,
      .number = (uint64_t)about.st_ino,
      .bytes = (int64_t)about.st_size,
      .seconds = (int64_t)changed.tv_sec,
      .nanoseconds = (int64_t)changed.tv_nsec,
  };
  return 0;
}

FILE *system_file_read(const char *path) { return fopen(path, "rb"); }

/* Is the open file still the one at its path? Another process may have renamed
 * it between our opening and our locking it. */
static bool is_in_place(int descriptor, const char *path) {
  struct stat open_one, named;
  return fstat(descriptor, &open_one) == 0 && stat(path, &named) == 0 &&
         open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev;
}

static int lock(int descriptor, const char *path) {
  struct stat about;
  if (fstat(descriptor, &about) != 0) return last_error();
  if (!S_ISREG(about.st_mode)) return EINVAL;
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK ? EBUSY : last_error();
  return is_in_place(descriptor, path) ? 0 : EBUSY;
}

int system_file_create(const char *path, intptr_t *file) {
  errno = 0;
  int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) return last_error();
  int error = lock(descriptor, path);
  if (error == 0 && ftruncate(descriptor, 0) != 0) {
    error = last_error();
    (void)unlink(path); /* it is ours alone */
  }
  if (error != 0)
    (void)close(descriptor);
  else
    *file = descriptor;
  return error;
}

int system_file_write(intptr_t file, const void *bytes, size_t count) {
  const char *at = bytes;
  while (count > 0) {
    errno = 0;
    ssize_t written = write((int)file, at, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return last_error();
    at += written;
    count -= (size_t)written;
  }
  return 0;
}

/* Makes a new name last: syncs its folder. Some systems cannot. */
static void sync_folder(const char *path) {
  char folder[PATH_LIMIT];
  size_t bytes = strlen(path);
  if (bytes >= sizeof folder) return;
  memcpy(folder, path, bytes + 1);
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

int system_file_replace(intptr_t file, const char *from, const char *to) {
  errno = 0;
  if (fsync((int)file) != 0 || rename(from, to) != 0) return last_error();
  sync_folder(to);
  return 0;
}

void system_file_close(intptr_t file, const char *path) {
  if (path != NULL) (void)unlink(path);
  (void)close((int)file);
}

double system_seconds(void) {
  struct timespec now = {0, 0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void system_keep_loaded(const void *address) {
#ifdef RTLD_NODELETE
  Dl_info about;
  if (dladdr(address, &about) && about.dli_fname)
    (void)dlopen(about.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
#else
  (void)address;
#endif
}

#endif

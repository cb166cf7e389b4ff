/* platform.c: what the core asks of the operating system: pages and libraries. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* madvise */
#endif
#include "base/platform.h"

#include <stdint.h>
#include <stdio.h>

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

/* Pages ------------------------------------------------------------------- */

/* Bytes from which on a fault for each page costs more than the call. A page's
 * fault takes a virtual machine 1.5 us, in a populated range 0.9. */
#define POPULATE_LEAST 16384u

/* Bytes that have a huge page of 2 MB in them wherever they begin. Where the
 * system gives these when asked, one fault takes the place of 512, and loops
 * over columns miss fewer translations. */
#define HUGE_LEAST ((size_t)4 << 20)

void platform_populate(void *block, size_t bytes) {
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
  uintptr_t begin = (uintptr_t)block;
  if (bytes < POPULATE_LEAST) return;
  uintptr_t page = begin & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1u);
  size_t length = bytes + (begin - page);
  /* A system that cannot do this returns an error, which does no harm. */
#ifdef MADV_HUGEPAGE
  if (bytes >= HUGE_LEAST) (void)madvise((void *)page, length, MADV_HUGEPAGE);
#endif
  (void)madvise((void *)page, length, MADV_POPULATE_WRITE);
#else
  (void)block;
  (void)bytes;
#endif
}

/* Libraries --------------------------------------------------------------- */

#if defined(_WIN32)

void *platform_library_open(const char *path, char *text, size_t capacity) {
  wchar_t wide[4096];
  HMODULE library = NULL;
  DWORD error = ERROR_INVALID_NAME;
  if (path == NULL) return (void *)GetModuleHandleW(NULL);
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide,
                          (int)(sizeof wide / sizeof *wide)) > 0) {
    library = LoadLibraryW(wide);
    error = GetLastError();
  }
  if (library == NULL && text != NULL && capacity > 0)
    (void)snprintf(text, capacity, "error %lu of Windows", error);
  return (void *)library;
}

const void *platform_library_find(void *library, const char *name) {
  return (const void *)(uintptr_t)GetProcAddress((HMODULE)library, name);
}

void platform_library_close(void *library) {
  (void)FreeLibrary((HMODULE)library);
}

#else

void *platform_library_open(const char *path, char *text, size_t capacity) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL && text != NULL && capacity > 0) {
    const char *reason = dlerror();
    (void)snprintf(text, capacity, "%s", reason != NULL ? reason : "unknown");
  }
  return library;
}

const void *platform_library_find(void *library, const char *name) {
  return dlsym(library, name);
}

void platform_library_close(void *library) { (void)dlclose(library); }

#endif

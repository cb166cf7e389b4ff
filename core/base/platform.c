/* platform.c: what the core asks of the operating system: pages, libraries and
 * threads. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* madvise, sched_getaffinity */
#endif
#include "base/platform.h"

#include <stdio.h>

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#endif

#if defined(__linux__)
#include <sys/mman.h>
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

/* Threads ----------------------------------------------------------------- */

#if defined(_WIN32)

static DWORD WINAPI run_thread(void *user) {
  const PlatformThread *thread = user;
  thread->run(thread->user);
  return 0;
}

bool platform_thread_start(PlatformThread *thread, void (*run)(void *user),
                           void *user) {
  *thread = (PlatformThread){NULL, run, user};
  thread->handle = CreateThread(NULL, 0, run_thread, thread, 0, NULL);
  return thread->handle != NULL;
}

void platform_thread_join(PlatformThread *thread) {
  (void)WaitForSingleObject(thread->handle, INFINITE);
  (void)CloseHandle(thread->handle);
}

void platform_bell_lock(PlatformBell *bell) {
  AcquireSRWLockExclusive((PSRWLOCK)&bell->lock);
}
void platform_bell_unlock(PlatformBell *bell) {
  ReleaseSRWLockExclusive((PSRWLOCK)&bell->lock);
}
void platform_bell_wait(PlatformBell *bell) {
  (void)SleepConditionVariableSRW((PCONDITION_VARIABLE)&bell->signal,
                                  (PSRWLOCK)&bell->lock, INFINITE, 0);
}
void platform_bell_ring(PlatformBell *bell) {
  WakeAllConditionVariable((PCONDITION_VARIABLE)&bell->signal);
}

void platform_yield(void) { (void)SwitchToThread(); }

uint64_t platform_clock(void) {
  LARGE_INTEGER ticks, second;
  (void)QueryPerformanceCounter(&ticks);
  (void)QueryPerformanceFrequency(&second);
  return (uint64_t)((double)ticks.QuadPart * 1e9 / (double)second.QuadPart);
}

uint64_t platform_process(void) { return GetCurrentProcessId(); }

uint32_t platform_cores(void) {
  DWORD_PTR own = 0, all = 0;
  uint32_t cores = 0;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all)) return 1;
  for (; own != 0; own &= own - 1) cores++;
  return cores > 0 ? cores : 1;
}

#else

static void *run_thread(void *user) {
  const PlatformThread *thread = user;
  thread->run(thread->user);
  return NULL;
}

bool platform_thread_start(PlatformThread *thread, void (*run)(void *user),
                           void *user) {
  sigset_t all, before;
  thread->run = run;
  thread->user = user;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(&thread->handle, NULL, run_thread, thread);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed == 0;
}

void platform_thread_join(PlatformThread *thread) {
  (void)pthread_join(thread->handle, NULL);
}

void platform_bell_lock(PlatformBell *bell) {
  (void)pthread_mutex_lock(&bell->lock);
}
void platform_bell_unlock(PlatformBell *bell) {
  (void)pthread_mutex_unlock(&bell->lock);
}
void platform_bell_wait(PlatformBell *bell) {
  (void)pthread_cond_wait(&bell->signal, &bell->lock);
}
void platform_bell_ring(PlatformBell *bell) {
  (void)pthread_cond_broadcast(&bell->signal);
}

void platform_yield(void) { (void)sched_yield(); }

uint64_t platform_clock(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t platform_process(void) { return (uint64_t)getpid(); }

uint32_t platform_cores(void) {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    int count = CPU_COUNT(&set);
    return count > 0 ? (uint32_t)count : 1;
  }
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (uint32_t)online : 1;
}

#endif

/* platform.h: what the core asks of the operating system: pages, libraries and
 * threads.
 *
 *      Linux, macOS, other systems of POSIX   dlopen, madvise, pthread
 *      Windows                                LoadLibrary, CreateThread; pages
 *                                             come by themselves
 */
#ifndef ECS_PLATFORM_H
#define ECS_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include "base/config.h"

/* Asks for the pages of a block that is about to be written, large ones where
 * the block has room for them. Does nothing where a system cannot do that. */
ECS_INTERNAL void platform_populate(void *block, size_t bytes);

/* Loads the shared library at a path (bytes in the system's encoding, UTF-8 on
 * Windows). NULL: it cannot be loaded, and text, if not NULL, says why in at
 * most capacity - 1 bytes. */
ECS_INTERNAL void *platform_library_open(const char *path, char *text,
                                         size_t capacity);

/* The address of what a library exports under a name; NULL: nothing. */
ECS_INTERNAL const void *platform_library_find(void *library, const char *name);

/* Unloads a library that was loaded and is not in use. */
ECS_INTERNAL void platform_library_close(void *library);

/* A thread, which lies where it was started until it is joined. */
typedef struct PlatformThread {
#if defined(_WIN32)
  void *handle;
#else
  pthread_t handle;
#endif
  void (*run)(void *user);
  void *user;
} PlatformThread;

/* Starts a thread that runs a function and gets no signals of the process.
 * False: the system has none to give. */
ECS_INTERNAL bool platform_thread_start(PlatformThread *thread,
                                        void (*run)(void *user), void *user);

/* Waits until a thread that was started has returned. */
ECS_INTERNAL void platform_thread_join(PlatformThread *thread);

/* What threads sleep on: a lock, and a signal that wakes them. */
typedef struct PlatformBell {
#if defined(_WIN32)
  void *lock, *signal; /* SRWLOCK and CONDITION_VARIABLE are one pointer each */
#else
  pthread_mutex_t lock;
  pthread_cond_t signal;
#endif
} PlatformBell;

#if defined(_WIN32)
#define PLATFORM_BELL \
  { NULL, NULL }
#else
#define PLATFORM_BELL \
  { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER }
#endif

ECS_INTERNAL void platform_bell_lock(PlatformBell *bell);
ECS_INTERNAL void platform_bell_unlock(PlatformBell *bell);

/* Sleeps, unlocked, until the bell is rung or for no reason; it is locked before
 * and after. */
ECS_INTERNAL void platform_bell_wait(PlatformBell *bell);

/* Wakes all that sleep. */
ECS_INTERNAL void platform_bell_ring(PlatformBell *bell);

/* Lets other threads run. */
ECS_INTERNAL void platform_yield(void);

/* Nanoseconds since some moment; never less than before. */
ECS_INTERNAL uint64_t platform_clock(void);

/* A number that is another one in a process that was forked. */
ECS_INTERNAL uint64_t platform_process(void);

/* How many processors the process may run on; at least 1. */
ECS_INTERNAL uint32_t platform_cores(void);

#endif

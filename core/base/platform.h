/* platform.h: what the core asks of the operating system: pages and libraries.
 *
 *      Linux, macOS, other systems of POSIX   dlopen, madvise
 *      Windows                                LoadLibrary; pages come by themselves
 */
#ifndef ECS_PLATFORM_H
#define ECS_PLATFORM_H

#include <stddef.h>

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

#endif

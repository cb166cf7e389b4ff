/* kernel_library.c: loads shared libraries of native kernels.
 *
 * A library exports a data object with the sizes of the types in ecs.h. No
 * kernel of a library runs before these sizes have proved that the library was
 * built against this ecs.h. A library that passes is never closed, because
 * worlds may call into it for as long as they live.
 */
#define ECS_DEFINES_API /* ecs.h */
#include <stdio.h>
#include <string.h>

#include "base/platform.h"
#include "ecs.h"

/* Copies a reason to the caller. */
static void say(char *text, size_t capacity, const char *reason) {
  if (text != NULL && capacity > 0)
    (void)snprintf(text, capacity, "%s", reason);
}

/* True: the library was built against this ecs.h. */
static bool fits(const ecs_KernelLibrary *library) {
  return library->abi == ECS_KERNEL_ABI &&
         library->kernel_bytes == sizeof(ecs_Kernel) &&
         library->column_bytes == sizeof(ecs_KernelColumn) &&
         library->call_bytes == sizeof(ecs_KernelCall) &&
         library->parameter_bytes == sizeof(ecs_KernelParameter) &&
         library->array_bytes == sizeof(ecs_KernelArray) &&
         library->elements_bytes == sizeof(ecs_KernelElements);
}

ecs_Status ecs_library_load(const char *path, const ecs_KernelLibrary **library,
                            char *text, size_t capacity) {
  if (library == NULL) return ECS_E_ARGUMENT;
  void *handle = platform_library_open(path, text, capacity);
  if (handle == NULL) return ECS_E_LIBRARY;
  const ecs_KernelLibrary *found =
      platform_library_find(handle, "ecs_kernel_library");
  if (found == NULL) {
    say(text, capacity, "it exports no ecs_kernel_library");
    platform_library_close(handle);
    return ECS_E_LIBRARY;
  }
  if (!fits(found)) {
    say(text, capacity, "it was built against another ecs.h");
    platform_library_close(handle);
    return ECS_E_ABI;
  }
  *library = found;
  return ECS_OK;
}

const ecs_Kernel *ecs_library_find(const ecs_KernelLibrary *library,
                                   const char *name) {
  if (library == NULL || name == NULL) return NULL;
  for (uint32_t i = 0; i < library->kernel_count; i++)
    if (strcmp(library->kernels[i].name, name) == 0)
      return &library->kernels[i];
  return NULL;
}

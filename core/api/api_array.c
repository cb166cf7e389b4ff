/* api_array.c: the border for the arrays of a world. */
#define ECS_DEFINES_API /* ecs.h */

#include <string.h>

#include "base/misuse.h"
#include "world/world.h"

static bool sizes_are_valid(const uint32_t *sizes, uint32_t dimensions) {
  for (uint32_t d = 0; d < dimensions; d++)
    if (sizes[d] == 0) return false;
  return true;
}

static ecs_Status check(const ecs_ArrayDescription *description) {
  if (description->name == NULL) return ECS_E_NAME;
  size_t length = strlen(description->name);
  if (length == 0 || length > ECS_NAME_LIMIT) return ECS_E_NAME;
  if ((unsigned)description->type >= (unsigned)ECS_SCALAR_COUNT ||
      description->type >= ECS_ENTITY)
    return ECS_E_ARGUMENT;
  if (description->dimensions - 1u >= ECS_ARRAY_INDICES) return ECS_E_ARGUMENT;
  return sizes_are_valid(description->sizes, description->dimensions)
             ? ECS_OK
             : ECS_E_ARGUMENT;
}

static bool is_such(const ecs_Array *array,
                    const ecs_ArrayDescription *description) {
  return array->type == description->type &&
         array->dimensions == description->dimensions &&
         memcmp(array->view.sizes, description->sizes,
                array->dimensions * sizeof(uint32_t)) == 0;
}

ecs_Status ecs_array(ecs_World *world, const ecs_ArrayDescription *description,
                     ecs_Array **array) {
  ECS_MUST_LIVE(WORLD, world);
  if (description == NULL || array == NULL) return ECS_E_ARGUMENT;
  ecs_Status status = check(description);
  if (status != ECS_OK) return status;
  ecs_Array *found = array_set_find(&world->arrays, description->name);
  if (found == NULL)
    return array_set_add(&world->arrays, &world->store.memory, description,
                         array);
  if (!is_such(found, description)) return ECS_E_SCHEMA;
  *array = found;
  return ECS_OK;
}

ecs_Array *ecs_array_find(const ecs_World *world, const char *name) {
  ECS_MUST_LIVE(WORLD, world);
  return name == NULL ? NULL : array_set_find(&world->arrays, name);
}

void ecs_array_describe(const ecs_Array *array,
                        ecs_ArrayDescription *description) {
  ECS_MISUSE_IF(array == NULL || description == NULL, "an argument is NULL");
  description->name = array->name;
  description->type = array->type;
  description->dimensions = array->dimensions;
  memcpy(description->sizes, array->view.sizes, sizeof array->view.sizes);
}

const ecs_ArrayView *ecs_array_view(const ecs_Array *array) {
  ECS_MISUSE_IF(array == NULL, "the array is NULL");
  return &array->view;
}

ecs_Status ecs_array_resize(ecs_Array *array, const uint32_t *sizes) {
  ECS_MISUSE_IF(array == NULL, "the array is NULL");
  if (sizes == NULL || !sizes_are_valid(sizes, array->dimensions))
    return ECS_E_ARGUMENT;
  return array_resize(array, sizes);
}

ecs_Status ecs_array_fill(ecs_Array *array, double value) {
  ECS_MISUSE_IF(array == NULL, "the array is NULL");
  return array_fill(array, value);
}

void ecs_array_hold(ecs_Array *array, ecs_ArrayView *view) {
  ECS_MISUSE_IF(array == NULL, "the array is NULL");
  array_hold(array, view);
}

void ecs_arrays_release(ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  for (ecs_Array *array = world->arrays.first; array != NULL;
       array = array->next)
    array_hold(array, NULL);
}

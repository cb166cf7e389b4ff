/* array_set.c: the arrays of a world. */
#include "world/array_set.h"

#include <string.h>

static const ecs_ArrayView gone = {NULL, {0, 0, 0}};

/* Elements of so many sizes; 0: more than an array may have. */
static size_t count_of(const uint32_t *sizes, uint32_t dimensions) {
  uint64_t count = 1;
  for (uint32_t d = 0; d < dimensions; d++) {
    ECS_ASSERT(sizes[d] > 0);
    count *= sizes[d];
    if (count > ECS_ELEMENT_LIMIT) return 0;
  }
  return (size_t)count;
}

size_t array_count(const ecs_Array *array) {
  return count_of(array->view.sizes, array->dimensions);
}

static void show(ecs_Array *array) {
  if (array->held != NULL) *array->held = array->view;
}

ecs_Status array_make_block(const ecs_Array *array, const uint32_t *sizes,
                            ArrayBlock *block) {
  size_t count = count_of(sizes, array->dimensions);
  block->bytes = count * scalar_bytes(array->type) + 2 * ECS_LINE_BYTES;
  block->block = NULL;
  for (uint32_t d = 0; d < ECS_ARRAY_INDICES; d++)
    block->sizes[d] = d < array->dimensions ? sizes[d] : 1;
  if (count == 0)
    return memory_refuse(array->memory, ECS_ELEMENT_LIMIT, "elements",
                         "an array");
  block->block = memory_zeroed(array->memory, 1, block->bytes);
  return block->block == NULL ? ECS_E_MEMORY : ECS_OK;
}

void array_exchange_block(ecs_Array *array, ArrayBlock *block) {
  ArrayBlock old = {.block = array->block, .bytes = array->bytes};
  memcpy(old.sizes, array->view.sizes, sizeof old.sizes);
  array->block = block->block;
  array->bytes = block->bytes;
  array->view.elements =
      (char *)block->block +
      (ECS_LINE_BYTES - (uintptr_t)block->block % ECS_LINE_BYTES);
  memcpy(array->view.sizes, block->sizes, sizeof old.sizes);
  *block = old;
  show(array);
}

bool array_is_new(const ecs_Array *array) {
  const char *elements = array->view.elements;
  size_t bytes = array_count(array) * scalar_bytes(array->type);
  return memcmp(array->first, array->view.sizes, sizeof array->first) == 0 &&
         elements[0] == 0 && memcmp(elements, elements + 1, bytes - 1) == 0;
}

/* Gives an array new elements, all 0. */
static ecs_Status allocate(ecs_Array *array, const uint32_t *sizes) {
  ArrayBlock block;
  ecs_Status status = array_make_block(array, sizes, &block);
  if (status != ECS_OK) return status;
  array_exchange_block(array, &block);
  memory_free(array->memory, block.block, block.bytes);
  return ECS_OK;
}

static void destroy(ecs_Array *array, Memory *memory) {
  array_hold(array, NULL);
  memory_free(memory, array->block, array->bytes);
  memory_free(memory, array, sizeof *array + array->length + 1u);
}

void array_set_deinit(ArraySet *arrays, Memory *memory) {
  while (arrays->first != NULL) {
    ecs_Array *array = arrays->first;
    arrays->first = array->next;
    destroy(array, memory);
  }
}

static void clear(ecs_Array *array) {
  memset(array->view.elements, 0,
         array_count(array) * scalar_bytes(array->type));
}

void array_set_clear(ArraySet *arrays) {
  for (ecs_Array *array = arrays->first; array != NULL; array = array->next)
    clear(array);
}

ecs_Array *array_set_find(const ArraySet *arrays, const char *name) {
  ecs_Array *array = arrays->first;
  while (array != NULL && strcmp(array->name, name) != 0) array = array->next;
  return array;
}

ecs_Status array_set_add(ArraySet *arrays, Memory *memory,
                         const ecs_ArrayDescription *description,
                         ecs_Array **array) {
  size_t length = strlen(description->name);
  ecs_Array *made = memory_zeroed(memory, 1, sizeof *made + length + 1);
  ECS_ASSERT(array_set_find(arrays, description->name) == NULL);
  if (made == NULL) return ECS_E_MEMORY;
  made->memory = memory;
  made->type = description->type;
  made->dimensions = description->dimensions;
  made->length = (uint32_t)length;
  memcpy(made->name, description->name, length + 1);
  ecs_Status status = allocate(made, description->sizes);
  if (status != ECS_OK) {
    destroy(made, memory);
    return status;
  }
  memcpy(made->first, made->view.sizes, sizeof made->first);
  made->next = arrays->first;
  arrays->first = *array = made;
  return ECS_OK;
}

ecs_Status array_resize(ecs_Array *array, const uint32_t *sizes) {
  return allocate(array, sizes);
}

ecs_Status array_fill(ecs_Array *array, double value) {
  uint64_t element = 0;
  char *elements = array->view.elements;
  size_t bytes = scalar_bytes(array->type), count = array_count(array);
  ecs_Status status = ecs_scalar_store(array->type, &element, value);
  if (status != ECS_OK) return status;
  memcpy(elements, &element, bytes);
  for (size_t done = 1; done < count; done += done) {
    size_t more = done < count - done ? done : count - done;
    memcpy(elements + done * bytes, elements, more * bytes);
  }
  return ECS_OK;
}

void array_hold(ecs_Array *array, ecs_ArrayView *view) {
  if (array->held != NULL && array->held != view) *array->held = gone;
  array->held = view;
  show(array);
}

/* What lies behind the elements is 0, as a vector that is loaded there finds. */
static bool check(const ecs_Array *array) {
  size_t used = array_count(array) * scalar_bytes(array->type);
  const char *block = array->block, *elements = array->view.elements;
  if (used == 0 || (uintptr_t)elements % ECS_LINE_BYTES != 0) return false;
  if (elements <= block || elements + used > block + array->bytes) return false;
  for (const char *at = elements + used; at < block + array->bytes; at++)
    if (*at != 0) return false;
  return array->held == NULL || memcmp(array->held->sizes, array->view.sizes,
                                       sizeof array->view.sizes) == 0;
}

bool array_set_check_invariants(const ArraySet *arrays) {
  for (const ecs_Array *array = arrays->first; array != NULL;
       array = array->next)
    if (!check(array) || array_set_find(arrays, array->name) != array)
      return false;
  return true;
}

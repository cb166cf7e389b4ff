/* held_list.c: the values of fields of type string and any that bytes have, by the
 * order of their first use. */
#include "state/held_list.h"

#include <string.h>

ecs_Status held_list_init(HeldList *list, Store *store) {
  list->held = store->held;
  list->count = store->held == NULL ? 0 : store->held->count;
  list->indices = memory_zeroed(&store->memory, list->count, sizeof(uint32_t));
  return list->indices == NULL && list->count > 0 ? ECS_E_MEMORY : ECS_OK;
}

void held_list_deinit(HeldList *list, Store *store) {
  memory_free(&store->memory, list->indices, list->count * sizeof(uint32_t));
}

/* The number that stands for an element's value; 0: "" or nil. An integer that
 * equals a double which is held, too, is that one. */
static uint32_t number_of(const HeldList *list, const char *element,
                          ecs_Scalar type) {
  uint32_t number;
  memcpy(&number, element, sizeof number);
  const HeldValue *value = held_get(list->held, number);
  if (value == NULL ||
      (type == ECS_STRING && (value->kind != HELD_STRING || value->bytes == 0)))
    return 0;
  if (value->kind != HELD_INTEGER || !held_is_double(value)) return number;
  HeldValue same;
  ecs_held_number(&same, (double)value->integer);
  uint32_t found = ecs_held_find(list->held, &same);
  return found == 0 ? number : found;
}

void held_list_add(HeldList *list, const char *element, HeldUse use,
                   ecs_Scalar type) {
  use.number = number_of(list, element, type);
  if (use.number == 0 || list->indices[use.number] != 0) return;
  if (list->used < list->most) list->uses[list->used] = use;
  list->indices[use.number] = ++list->used;
}

uint32_t held_list_index(const HeldList *list, const char *element,
                         ecs_Scalar type) {
  uint32_t number = number_of(list, element, type);
  ECS_ASSERT(number == 0 || list->indices[number] != 0);
  return number == 0 ? 0 : list->indices[number];
}

bool held_list_matches(const HeldList *list, const HeldPacked *packed) {
  if (list->used != packed->number_count) return false;
  for (uint32_t k = 0; k < packed->number_count; k++)
    if (packed->numbers[k] >= list->count ||
        list->indices[packed->numbers[k]] != k + 1)
      return false;
  return true;
}

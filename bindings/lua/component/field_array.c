/* field_array.c: fields that are the elements of one array. */
#include "component/field_array.h"

#include <string.h>

/* Longer numbers are of no element: components have fewer fields. */
#define MOST_DIGITS 4

size_t bind_element_base(const char *name, uint32_t *number) {
  size_t bytes = strlen(name), at = bytes - 1;
  uint32_t value = 0, power = 1;
  if (bytes < 4 || name[at] != ']') return 0;
  for (at--; at > 0 && name[at] >= '0' && name[at] <= '9'; at--) {
    if (bytes - 1 - at > MOST_DIGITS) return 0;
    value += power * (uint32_t)(name[at] - '0');
    power *= 10;
  }
  /* past[01] and past[] are none, so every element has one name. */
  if (at == 0 || name[at] != '[' || name[at + 1] == '0' || power == 1) return 0;
  *number = value;
  return at;
}

/* Is a field the element of this number of the array that another begins? */
static bool is_element(const ecs_Field *field, const ecs_Field *first,
                       size_t base, uint32_t number) {
  uint32_t found = 0;
  return field->type == first->type &&
         bind_element_base(field->name, &found) == base && found == number &&
         memcmp(field->name, first->name, base) == 0;
}

uint32_t bind_elements_count(const ecs_Field *fields, uint32_t count,
                             uint32_t first) {
  uint32_t number = 0, length = 0;
  const char *name = fields[first].name;
  size_t base = bind_element_base(name, &number);
  if (base == 0 || number != 1 || fields[first].type >= ECS_ENTITY) return 0;
  for (uint32_t f = 0; f < count; f++)
    if (strlen(fields[f].name) == base &&
        memcmp(fields[f].name, name, base) == 0)
      return 0;
  while (first + length < count &&
         is_element(&fields[first + length], &fields[first], base, length + 1))
    length++;
  return length;
}

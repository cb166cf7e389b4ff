/* field_array.h: fields that are the elements of one array.
 *
 *      past = { "f32", count = 3 }     fields  past[1] f32, past[2] f32,
 *                                              past[3] f32
 *
 * To the core an array is so many fields, and it knows nothing else of it. That
 * they are one array is seen by their names, so components of hosts and of saves
 * have arrays, too: a run of fields of one type of numbers, or of bools, named
 * base[1], base[2] and so on, in this order, where no field is named base.
 */
#ifndef ECS_LUA_FIELD_ARRAY_H
#define ECS_LUA_FIELD_ARRAY_H

#include "ecs.h"
#include "object/object.h"

typedef struct FieldArray {
  const char *name; /* of the base; borrowed as those of fields are */
  uint32_t first;   /* the field that is the first element */
  uint32_t count;
} FieldArray;

/* The bytes of the base in a name of an element, and its number; 0: the name is
 * none of an element. */
BIND_INTERNAL size_t bind_element_base(const char *name, uint32_t *number);

/* How many fields from `first` on are the elements of one array; 0: it is no
 * first element. */
BIND_INTERNAL uint32_t bind_elements_count(const ecs_Field *fields,
                                           uint32_t count, uint32_t first);

#endif

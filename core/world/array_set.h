/* array_set.h: the arrays of a world, see ecs_array.h.
 *
 *      first --> "walls" --> "heat" --> NULL      the newest first
 *                  |
 *                  block   | ... | elements | pad |
 *                                ^ on a line of 64 bytes
 *
 * Arrays are few, so they are a list. One lives as long as its world, at one
 * address; its elements move when it gets other sizes.
 *
 * Invariants: the view agrees with the block, and with the copy that is held;
 * names differ; what lies behind the last element is 0.
 */
#ifndef ECS_ARRAY_SET_H
#define ECS_ARRAY_SET_H

#include "base/memory.h"
#include "base/scalar.h"
#include "ecs_array.h"

struct ecs_Array {
  ecs_ArrayView view;  /* elements lie in block */
  void *block;         /* owned */
  size_t bytes;        /* of block */
  ecs_ArrayView *held; /* a copy of view, borrowed; NULL: none */
  Memory *memory;      /* the world's */
  ecs_Array *next;     /* NULL: the last */
  ecs_Scalar type;
  uint32_t dimensions;               /* 1 to 3 */
  uint32_t first[ECS_ARRAY_INDICES]; /* sizes that it was made with */
  uint32_t length;                   /* of name */
  char name[];
};

typedef struct ArraySet {
  ecs_Array *first; /* owned, as are those behind it; NULL: no arrays */
} ArraySet;

/* Frees all arrays; copies of their views show that they are gone. */
ECS_INTERNAL void array_set_deinit(ArraySet *arrays, Memory *memory);

/* Makes all elements of all arrays 0. */
ECS_INTERNAL void array_set_clear(ArraySet *arrays);

/* The array of a name; NULL: none. Cost: compares the names of all. */
ECS_INTERNAL ecs_Array *array_set_find(const ArraySet *arrays,
                                       const char *name);

/* Adds an array, all 0; the description is valid but for the count of its
 * elements, and the name is free. ECS_E_LIMIT, ECS_E_MEMORY: nothing has
 * changed. */
ECS_INTERNAL ecs_Status array_set_add(ArraySet *arrays, Memory *memory,
                                      const ecs_ArrayDescription *description,
                                      ecs_Array **array);

/* Elements of an array. */
ECS_INTERNAL size_t array_count(const ecs_Array *array);

/* Elements for an array, beside those that it has. */
typedef struct ArrayBlock {
  void *block; /* NULL: there are none */
  size_t bytes;
  uint32_t sizes[ECS_ARRAY_INDICES];
} ArrayBlock;

/* Makes elements, all 0, for so many sizes, of which none is 0. ECS_E_LIMIT,
 * ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status array_make_block(const ecs_Array *array,
                                         const uint32_t *sizes,
                                         ArrayBlock *block);

/* Exchanges them for those that the array has. */
ECS_INTERNAL void array_exchange_block(ecs_Array *array, ArrayBlock *block);

/* Are its elements all 0, and its sizes those that it was made with? Then it is as
 * if it had not been made. */
ECS_INTERNAL bool array_is_new(const ecs_Array *array);

/* As ecs_array_resize; no size is 0. */
ECS_INTERNAL ecs_Status array_resize(ecs_Array *array, const uint32_t *sizes);

/* Stores one number in all elements; ECS_E_VALUE: the type cannot hold it. */
ECS_INTERNAL ecs_Status array_fill(ecs_Array *array, double value);

/* As ecs_array_hold. */
ECS_INTERNAL void array_hold(ecs_Array *array, ecs_ArrayView *view);

/* Checked builds: do the arrays agree with the account above? */
ECS_INTERNAL bool array_set_check_invariants(const ArraySet *arrays);

#endif

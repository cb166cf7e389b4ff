/* ecs_array.h: arrays of a world, for C programs; include it beside ecs.h.
 *
 * An array has a name, elements of one scalar type, and one to three indices.
 * Its elements lie in one block that starts on a 64-byte line, those of the last
 * index together:
 *
 *      sizes {2, 3}      elements  | 0,0 | 0,1 | 0,2 | 1,0 | 1,1 | 1,2 |
 *
 *      ecs_ArrayDescription description = {"walls", ECS_U8, 2, {200, 200}};
 *      ecs_Array *walls;
 *      if (ecs_array(world, &description, &walls) != ECS_OK) ...
 *      const ecs_ArrayView *view = ecs_array_view(walls);
 *      uint8_t *elements = view->elements;
 *      elements[x * view->sizes[1] + y] = 1;
 *
 * Arrays are state of their world: they count in its hashes and in its memory,
 * and ecs_world_clear makes them all 0. They stay until the world is destroyed.
 * Nothing about them is recorded or locked: elements are read and written at
 * once, also while the world is open.
 *
 * A program that writes elements itself keeps them as columns are: of the floats
 * no NaN with a sign or payload, of ECS_BOOL nothing but 0 and 1.
 * ecs_scalar_convert and ecs_scalar_store do that.
 *
 * The rules of ecs.h hold here, too.
 */
#ifndef ECS_ARRAY_H
#define ECS_ARRAY_H

#include "ecs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ecs_Array ecs_Array;

#define ECS_ARRAY_INDICES 3

typedef struct ecs_ArrayDescription {
  const char *name;                  /* 1 to 255 bytes */
  ecs_Scalar type;                   /* any but ECS_ENTITY */
  uint32_t dimensions;               /* 1 to 3: how many of sizes count */
  uint32_t sizes[ECS_ARRAY_INDICES]; /* each 1 or more; of all together no more
                                        than 2^30 elements */
} ecs_ArrayDescription;

/* Where the elements of an array are now. */
typedef struct ecs_ArrayView {
  void *elements; /* NULL: the world is gone */
  uint32_t
      sizes[ECS_ARRAY_INDICES]; /* 1 beyond its dimensions; all 0: the world
                                        is gone */
} ecs_ArrayView;

/* The array of this name, made with all elements 0 where the world has none.
 * Returns ECS_OK; ECS_E_NAME (a bad name); ECS_E_SCHEMA (there is an array of
 * the name with another type or other sizes); ECS_E_ARGUMENT (a type, dimensions
 * or a size that cannot be); ECS_E_LIMIT (too many elements) or ECS_E_MEMORY.
 * Cost: compares the names of all arrays; per element of a new one. */
ECS_API ecs_Status ecs_array(ecs_World *world,
                             const ecs_ArrayDescription *description,
                             ecs_Array **array);

/* The array of this name; NULL: there is none. Cost: as ecs_array. */
ECS_API ecs_Array *ecs_array_find(const ecs_World *world, const char *name);

/* What an array is. The name is borrowed from the array. */
ECS_API void ecs_array_describe(const ecs_Array *array,
                                ecs_ArrayDescription *description);

/* Where the elements of an array are. The view belongs to the array and follows
 * it: ecs_array_resize changes what is in it. */
ECS_API const ecs_ArrayView *ecs_array_view(const ecs_Array *array);

/* Gives an array other sizes, as many as it has dimensions. All elements are 0
 * afterwards, and lie elsewhere. Returns ECS_OK, ECS_E_ARGUMENT (a size of 0),
 * ECS_E_LIMIT or ECS_E_MEMORY. Old and new elements are held at once for a
 * moment. Cost: per element. */
ECS_API ecs_Status ecs_array_resize(ecs_Array *array, const uint32_t *sizes);

/* Stores one number in every element. Returns ECS_OK, or ECS_E_VALUE where the
 * type cannot hold it. Cost: per element. */
ECS_API ecs_Status ecs_array_fill(ecs_Array *array, double value);

/* Keeps a copy of the view of an array at view, which the caller owns, until
 * another takes its place or the world is destroyed: then, and where the copy is
 * let go of (view NULL), it has no elements and no sizes. For bindings, whose
 * objects outlive worlds. */
ECS_API void ecs_array_hold(ecs_Array *array, ecs_ArrayView *view);

/* Lets go of all such copies of a world. */
ECS_API void ecs_arrays_release(ecs_World *world);

#ifdef __cplusplus
}
#endif

#endif

/* ecs_kernel.h: for authors of native kernels; include it instead of ecs.h.
 *
 * A kernel is a C function that gets rows as columns, and a declaration of the
 * columns that it needs:
 *
 *      #include <ecs_kernel.h>
 *
 *      static void drag(const ecs_KernelCall *call) {
 *        for (uint32_t b = 0; b < call->block_count; b++) {
 *          const ecs_KernelBlock *block = &call->blocks[b];
 *          float *dx = block->columns[0];
 *          ECS_EACH_ROW(i, block) dx[i] *= 0.5f;
 *        }
 *      }
 *      static const ecs_KernelColumn drag_columns[] = {
 *          {"Velocity", "dx", ECS_F32, ECS_WRITE}};
 *      static const ecs_Kernel kernels[] = {ECS_KERNEL("drag", drag,
 *                                                      drag_columns)};
 *      ECS_KERNEL_LIBRARY(kernels);
 *
 * Build it as a shared library; for ecs.load_native "physics" that is
 * physics.so:
 *
 *      cc -O3 -fPIC -shared -o physics.so physics.c
 *
 * Including this file turns off the contraction of a * b + c into a fused
 * multiply-add in all code after it, whatever -march says. A fused multiply-add
 * rounds once instead of twice, so results would differ between machines with
 * and without it. Do not compile kernels with -ffast-math, nor with
 * -ffp-contract=fast under clang: no source can undo these options.
 *
 * Loops over rows are written with ECS_EACH_ROW, and then a compiler makes
 * vector code of them, whatever the number of columns. It would not otherwise:
 * beyond four columns it gives up to ask whether two of them overlap, which
 * columns never do; and it takes care of traps that have no handler, which
 * including this file turns off.
 *
 * A column with the access ECS_UP is of the entities that the rows link to, in a
 * query along a tree: {"Position", "x", ECS_F32, ECS_UP}. It is only read, and
 * NULL in blocks without such entities; all of a block are in blocks before it.
 *
 * A kernel may declare parameters. They are the members of a struct, which a
 * script fills in with the table `parameters` of its system and which the
 * kernel gets as call->user:
 *
 *      struct Flock { float radius; int32_t most; };
 *      static const ecs_KernelParameter flock_members[] = {
 *          ECS_PARAMETER(struct Flock, radius, ECS_F32),
 *          ECS_PARAMETER(struct Flock, most, ECS_I32)};
 *      static const ecs_KernelParameters flock_parameters =
 *          ECS_PARAMETERS_OF(struct Flock, flock_members);
 *      ... ECS_KERNEL_PARAMETERS("flock", flock, flock_columns, 0,
 *                                flock_parameters)
 *
 * A kernel may declare arrays of the world (ecs_array.h), by a name for
 * messages, type, number of indices and access. A script gives them to its system
 * in the same order, uses = { walls }, and the kernel gets them as call->arrays:
 *
 *      static const ecs_KernelArray paint_declared[] = {
 *          {"walls", ECS_U8, 2, ECS_WRITE}};
 *      static const ecs_KernelArrays paint_arrays =
 *          ECS_ARRAYS_OF(paint_declared);
 *      ... ECS_KERNEL_ARRAYS("paint", paint, paint_columns, 0, NULL,
 *                            paint_arrays)
 *
 *      const ecs_KernelElements *walls = &call->arrays[0];
 *      uint8_t *tiles = (uint8_t *)walls->elements;
 *      tiles[x * walls->sizes[1] + y] = 1;
 *
 * Indices of a script begin at 1, and the kernel's at 0; nobody checks the
 * kernel's. A loop in which rows meet at an element must not be ECS_EACH_ROW.
 * A run may be several calls, one for each slice of the rows, and none where no
 * row matches and rows are gathered.
 *
 * A kernel must not
 * - keep a pointer beyond the call,
 * - write a column that it declared ECS_READ or ECS_UP,
 * - write an array that it declared ECS_READ, or beyond an array's elements,
 * - call into the world,
 * - store a NaN with a payload (arithmetic alone makes none), nor in an array a
 *   bool that is neither 0 nor 1.
 */
#ifndef ECS_KERNEL_H
#define ECS_KERNEL_H

#include <stddef.h>

#include "ecs.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-trapping-math")
#endif

/* A loop over the rows of a block, which must not read in one row what it
 * writes in another: ECS_EACH_ROW(i, block) { x[i] += dx[i]; } Columns are
 * taken from the block before, into variables of their own. */
#if defined(__clang__)
#define ECS_ROWS_APART \
  _Pragma("clang loop vectorize(assume_safety) interleave(assume_safety)")
#elif defined(__GNUC__)
#define ECS_ROWS_APART _Pragma("GCC ivdep")
#else
#define ECS_ROWS_APART
#endif
#define ECS_EACH_ROW(i, block)                                               \
  ECS_ROWS_APART for (uint32_t i = 0, i##_end = (block)->count; i < i##_end; \
                      i++)

#ifdef __FAST_MATH__
#error "kernels must give the same bits everywhere: compile without -ffast-math"
#endif

/* Initialises one element of an array of ecs_Kernel. name is a string, run the
 * function, columns an array (not a pointer) of ecs_KernelColumn, because its
 * length is taken by sizeof. All three must live as long as the kernel.
 * ECS_KERNEL_WITH also takes flags of ecs_KernelFlag: ECS_KERNEL_ENTITIES for a
 * kernel that reads the entities of its rows, ECS_KERNEL_WHOLE_TABLES for a
 * kernel in which rows read each other, ECS_KERNEL_PARALLEL for a kernel that
 * several threads may run at a time, each with other rows. */
#define ECS_KERNEL(name, run, columns) ECS_KERNEL_WITH(name, run, columns, 0)
#define ECS_KERNEL_WITH(name, run, columns, flags)                           \
  {                                                                          \
    (name), (run), (columns), sizeof(columns) / sizeof(*(columns)), (flags), \
        NULL, NULL                                                           \
  }

/* The same for a kernel with parameters. ECS_PARAMETER describes a member of
 * the structure; type is an ecs_Scalar, for a bool an unsigned char that is 0
 * or 1, for an entity an ecs_Entity. ECS_PARAMETERS_OF initialises an
 * ecs_KernelParameters; members is an array (not a pointer) of
 * ecs_KernelParameter. */
#define ECS_PARAMETER(structure, member, type)                      \
  {                                                                 \
#member, (type), ECS_AS(uint32_t, offsetof(structure, member)), \
        ECS_AS(uint32_t, sizeof(ECS_AS(structure *, 0)->member))    \
  }
#define ECS_PARAMETERS_OF(structure, members)        \
  {                                                  \
    (members), sizeof(members) / sizeof(*(members)), \
        ECS_AS(uint32_t, sizeof(structure))          \
  }
#define ECS_KERNEL_PARAMETERS(name, run, columns, flags, parameters)         \
  {                                                                          \
    (name), (run), (columns), sizeof(columns) / sizeof(*(columns)), (flags), \
        &(parameters), NULL                                                  \
  }

/* The same for a kernel with arrays of the world. ECS_ARRAYS_OF initialises an
 * ecs_KernelArrays; declared is an array (not a pointer) of ecs_KernelArray.
 * parameters is a pointer here: NULL, or &flock_parameters. */
#define ECS_ARRAYS_OF(declared) \
  { (declared), sizeof(declared) / sizeof(*(declared)), 0 }
#define ECS_KERNEL_ARRAYS(name, run, columns, flags, parameters, arrays)     \
  {                                                                          \
    (name), (run), (columns), sizeof(columns) / sizeof(*(columns)), (flags), \
        (parameters), &(arrays)                                              \
  }

/* Defines the object that a library exports, once per library. kernels is an
 * array of ecs_Kernel. The sizes in the object let the loader refuse a library
 * that was compiled against another ecs.h. */
#ifdef __cplusplus
#define ECS_KERNEL_EXPORT(declaration) \
  extern "C" {                         \
  ECS_API extern declaration;          \
  }
#else
#define ECS_KERNEL_EXPORT(declaration) ECS_API extern declaration;
#endif
#define ECS_KERNEL_LIBRARY(kernels)                             \
  ECS_KERNEL_EXPORT(const ecs_KernelLibrary ecs_kernel_library) \
  const ecs_KernelLibrary ecs_kernel_library = ECS_KERNEL_LIBRARY_OF(kernels)

/* The same object as an initialiser, for programs with compiled-in kernels:
 *      static const ecs_KernelLibrary host = ECS_KERNEL_LIBRARY_OF(kernels); */
#define ECS_KERNEL_LIBRARY_OF(kernels)                       \
  {                                                          \
    ECS_KERNEL_ABI, ECS_AS(uint32_t, sizeof(ecs_Kernel)),    \
        ECS_AS(uint32_t, sizeof(ecs_KernelColumn)),          \
        ECS_AS(uint32_t, sizeof(ecs_KernelCall)), (kernels), \
        sizeof(kernels) / sizeof(*(kernels)),                \
        ECS_AS(uint32_t, sizeof(ecs_KernelParameter)),       \
        ECS_AS(uint32_t, sizeof(ecs_KernelArray)),           \
        ECS_AS(uint32_t, sizeof(ecs_KernelElements))         \
  }

#endif

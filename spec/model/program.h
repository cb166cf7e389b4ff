/* program.h: random programs for the model test, and how they shrink.
 *
 * A program is an array of independent steps. A step names entities by
 * register, queries and bundles by slot, and has a seed for its values. So any
 * step can be removed, and the rest is still a program:
 *
 *      step 17   set        a=register  b=component  c=fields  seed=values
 *
 * A program is generated without a world. Equal seeds make equal programs on
 * every machine, because the random numbers do not come from the C library.
 */
#ifndef ECS_SPEC_PROGRAM_H
#define ECS_SPEC_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of steps with their weights. */
/* clang-format off */
#define STEP_LIST(X)            \
  X(spawn, 50)                  \
  X(spawn_bad, 3)               \
  X(spawn_as, 30)               \
  X(spawn_bundle, 40)           \
  X(spawn_many, 12)             \
  X(spawn_many_fill, 12)        \
  X(reserve, 14)                \
  X(destroy, 40)                \
  X(destroy_twice, 7)           \
  X(destroy_run, 5)             \
  X(clear, 1)                   \
  X(trim, 4)                    \
  X(add, 80)                    \
  X(add_image, 40)              \
  X(add_bad, 3)                 \
  X(remove, 70)                 \
  X(set, 60)                    \
  X(set_fields, 40)             \
  X(set_field, 40)              \
  X(set_field_bad, 6)           \
  X(get, 50)                    \
  X(get_field, 30)              \
  X(has, 30)                    \
  X(alive, 20)                  \
  X(components_of, 20)          \
  X(accessor_make, 5)           \
  X(accessor_get, 25)           \
  X(accessor_set, 25)           \
  X(accessor_get_many, 15)      \
  X(accessor_set_many, 15)      \
  X(query_create, 20)           \
  X(query_bad, 3)               \
  X(query_destroy, 5)           \
  X(query_count, 25)            \
  X(query_first, 12)            \
  X(query_columns, 8)           \
  X(query_explain, 5)           \
  X(bulk_add, 14)               \
  X(bulk_remove, 18)            \
  X(bulk_bad, 2)                \
  X(bulk_set, 14)               \
  X(bulk_destroy, 3)            \
  X(list_add, 14)               \
  X(list_remove, 14)            \
  X(list_destroy, 5)            \
  X(cursor_whole, 45)           \
  X(cursor_begin, 35)           \
  X(cursor_step, 20)            \
  X(cursor_again, 20)           \
  X(defer_begin, 20)            \
  X(end, 60)                    \
  X(end_all, 12)                \
  X(discard, 14)                \
  X(replace, 40)                \
  X(bulk_replace, 8)            \
  X(group, 14)                  \
  X(ungroup, 8)                 \
  X(group_bits, 10)             \
  X(optimize, 6)                \
  X(watch_create, 16)           \
  X(watch_walk, 60)             \
  X(kernel_run, 25)             \
  X(kernel_bind, 8)             \
  X(statistics, 10)             \
  X(hashes, 8)                  \
  X(compare, 2)
/* clang-format on */

typedef enum StepKind {
#define STEP_NAME(name, weight) STEP_##name,
  STEP_LIST(STEP_NAME)
#undef STEP_NAME
      STEP_COUNT
} StepKind;

typedef struct Step {
  StepKind kind;
  uint32_t a, b, c;
  uint64_t seed;
} Step;

typedef struct Program {
  uint64_t seed;       /* of the lists of components, which the steps share */
  bool large;          /* spawn_many makes hundreds */
  bool twice;          /* a fourth world repeats the third one */
  uint32_t components; /* how many the program uses, from the first */
  Step *steps;         /* owned */
  uint32_t count;
} Program;

/* A small generator of numbers: xorshift64*, well mixed. */
typedef struct Random {
  uint64_t state;
} Random;
Random random_make(uint64_t seed);
uint64_t random_next(Random *random);
uint32_t random_below(Random *random, uint32_t limit);

const char *step_name(StepKind kind);

/* Makes the program of a seed. The caller frees it. */
Program program_generate(uint64_t seed, uint32_t count);
void program_free(Program *program);
void program_print(const Program *program);

/* Makes a failing program smaller. fails runs a program and returns whether it
 * still fails. Removes halves, quarters and so on, down to single steps, in at
 * most that many trials. */
void program_shrink(Program *program, bool (*fails)(const Program *),
                    uint32_t trials);

#endif

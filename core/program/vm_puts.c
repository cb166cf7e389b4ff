/* vm_puts.c: what rows put in arrays of the world. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=off", "no-trapping-math", \
                     "no-math-errno")
#endif

#include "program/vm_puts.h"

#include <math.h>

#include "program/vm_loop_macros.h"
#include "world/array_set.h"

/* Elements ---------------------------------------------------------------- */

/* What is to be stored: row k has keys[k] and element k of values. */
typedef struct PutRows {
  const double *keys;
  const void *values; /* floats, doubles or Truths */
  const Truth *mask;  /* NULL: all rows put */
  uint32_t first, end;
} PutRows;

/* A loop over rows; value is the number of row i. */
#define PUT_LOOP(name, T, V, expression)                               \
  static void name(T *elements, double last, const PutRows *rows) {    \
    const V *values = rows->values;                                    \
    for (uint32_t i = rows->first; i < rows->end; i++) {               \
      const double x = rows->keys[i];                                  \
      if ((rows->mask != NULL && rows->mask[i] == 0) || !(x >= 1.0) || \
          !(x <= last))                                                \
        continue;                                                      \
      const int32_t key = (int32_t)x;                                  \
      const V value = values[i];                                       \
      if ((double)key == x) elements[key - 1] = (T)(expression);       \
    }                                                                  \
  }

#define PUT_WHOLE(name, T, least, greatest)                                    \
  PUT_LOOP(name##_f32, T, float, whole_within((double)value, least, greatest)) \
  PUT_LOOP(name##_f64, T, double, whole_within(value, least, greatest))
PUT_WHOLE(put_i8, int8_t, -0x1p7, 0x1p7 - 1)
PUT_WHOLE(put_u8, uint8_t, 0, 0x1p8 - 1)
PUT_WHOLE(put_i16, int16_t, -0x1p15, 0x1p15 - 1)
PUT_WHOLE(put_u16, uint16_t, 0, 0x1p16 - 1)
PUT_WHOLE(put_i32, int32_t, -0x1p31, 0x1p31 - 1)
PUT_WHOLE(put_u32, uint32_t, 0, 0x1p32 - 1)
PUT_LOOP(put_f32_f32, float, float, value != value ? (float)NAN : value)
PUT_LOOP(put_f32_f64, float, double, value != value ? (double)NAN : value)
PUT_LOOP(put_f64_f32, double, float,
         value != value ? (double)NAN : (double)value)
PUT_LOOP(put_f64_f64, double, double, value != value ? (double)NAN : value)
PUT_LOOP(put_bool, uint8_t, Truth, value != 0)

#define PUT_CASE(scalar, name, T)            \
  case scalar:                               \
    if (type == VALUE_F32)                   \
      name##_f32((T *)elements, last, rows); \
    else                                     \
      name##_f64((T *)elements, last, rows); \
    break;

static void put_rows(const ecs_Array *array, ValueType type,
                     const PutRows *rows) {
  void *elements = array->view.elements;
  double last = (double)array_count(array);
  switch (array->type) {
    PUT_CASE(ECS_F32, put_f32, float)
    PUT_CASE(ECS_F64, put_f64, double)
    PUT_CASE(ECS_I8, put_i8, int8_t)
    PUT_CASE(ECS_U8, put_u8, uint8_t)
    PUT_CASE(ECS_I16, put_i16, int16_t)
    PUT_CASE(ECS_U16, put_u16, uint16_t)
    PUT_CASE(ECS_I32, put_i32, int32_t)
    PUT_CASE(ECS_U32, put_u32, uint32_t)
    default: put_bool(elements, last, rows); break;
  }
}

/* Puts ------------------------------------------------------------------- */

static const ecs_Array *array_of(const ecs_ProgramCall *call,
                                 const Step *step) {
  const ecs_Array *array = call->arrays[step->ins->index].array;
  ECS_ASSERT(array != NULL);
  return array;
}

static void put_step(const ecs_ProgramCall *call, const Step *step,
                     void *const *bases, uint32_t first, uint32_t end) {
  const PutRows rows = {.keys = bases[step->operands[0]],
                        .values = bases[step->operands[1]],
                        .mask = step->ins->operands[2] == NO_VALUE
                                    ? NULL
                                    : bases[step->operands[2]],
                        .first = first,
                        .end = end};
  put_rows(array_of(call, step), (ValueType)step->ins->type, &rows);
}

/* Do several steps put in the array of step k? */
static bool is_shared(const ProgramPlan *plan, const ecs_ProgramCall *call,
                      uint32_t k) {
  const ecs_Array *array = array_of(call, &plan->puts[k]);
  for (uint32_t other = 0; other < plan->put_count; other++)
    if (other != k && array_of(call, &plan->puts[other]) == array) return true;
  return false;
}

void puts_run(const ProgramPlan *plan, const ecs_ProgramCall *call,
              void *const *bases, uint32_t rows) {
  uint32_t shared = 0;
  for (uint32_t k = 0; k < plan->put_count; k++)
    if (plan->shared[k])
      shared++;
    else
      put_step(call, &plan->puts[k], bases, 0, rows);
  for (uint32_t i = 0; i < rows && shared > 0; i++)
    for (uint32_t k = 0; k < plan->put_count; k++)
      if (plan->shared[k]) put_step(call, &plan->puts[k], bases, i, i + 1);
}

/* Slices ------------------------------------------------------------------ */

/* The number, from 1, of the first step of those that are seen which reads the
 * array; 0: none does. */
static uint32_t number_of(const ProgramPlan *plan, const ecs_ProgramCall *call,
                          const ecs_Array *array) {
  for (uint32_t k = 0; k < plan->seen_count; k++)
    if (array_of(call, &plan->seen[k]) == array) return k + 1;
  return 0;
}

static bool is_put(const ProgramPlan *plan, const ecs_ProgramCall *call,
                   const ecs_Array *array) {
  for (uint32_t k = 0; k < plan->put_count; k++)
    if (array_of(call, &plan->puts[k]) == array) return true;
  return false;
}

bool puts_watch(const ProgramPlan *plan, const ecs_ProgramCall *call) {
  uint32_t *watched = plan->watched;
  bool any = false;
  for (uint32_t k = 0; k < plan->put_count; k++)
    plan->shared[k] = plan->put_count > 1 && is_shared(plan, call, k);
  for (uint32_t k = 0; k < plan->seen_count; k++) {
    const ecs_Array *array = array_of(call, &plan->seen[k]);
    bool meets = is_put(plan, call, array);
    watched[k] = meets ? number_of(plan, call, array) : 0;
    any = any || meets;
  }
  for (uint32_t k = 0; k < plan->put_count && any; k++)
    watched[plan->seen_count + k] =
        number_of(plan, call, array_of(call, &plan->puts[k]));
  return any;
}

/* The keys of one array, in a step that reads it or puts in it. */
typedef struct WatchedKeys {
  const double *keys;
  const Truth *mask; /* rows that put, as far as it is known; NULL: all */
  uint64_t salt;     /* of the array */
} WatchedKeys;

/* So many steps of each kind are watched; with more, slices are one row. */
#define WATCHED_STEPS 32u

typedef struct Watch {
  WatchedKeys seen[WATCHED_STEPS], puts[WATCHED_STEPS];
  uint32_t seen_count, put_count;
  bool is_one; /* all keys are those of one step in one array */
} Watch;

/* Adds the keys of a step, unless they are there. False: there is no room. */
static bool add_keys(WatchedKeys *list, uint32_t *count, const double *keys,
                     const Truth *mask, uint32_t number) {
  const WatchedKeys one = {keys, mask, number * UINT64_C(0x2545f4914f6cdd1d)};
  for (uint32_t k = 0; k < *count; k++)
    if (list[k].keys == keys && list[k].salt == one.salt &&
        list[k].mask == mask)
      return true;
  if (*count == WATCHED_STEPS) return false;
  list[(*count)++] = one;
  return true;
}

static bool watch_all(const ProgramPlan *plan, Watch *watch) {
  watch->seen_count = watch->put_count = 0;
  for (uint32_t k = 0; k < plan->seen_count; k++)
    if (plan->watched[k] != 0 &&
        !add_keys(watch->seen, &watch->seen_count,
                  plan->bases[plan->seen[k].operands[0]], NULL,
                  plan->watched[k]))
      return false;
  for (uint32_t k = 0; k < plan->put_count; k++) {
    const Step *step = &plan->puts[k];
    uint32_t number = plan->watched[plan->seen_count + k];
    const Truth *mask =
        plan->masks_are_known[k] ? plan->bases[step->operands[2]] : NULL;
    if (number != 0 && !add_keys(watch->puts, &watch->put_count,
                                 plan->bases[step->operands[0]], mask, number))
      return false;
  }
  ECS_ASSERT(watch->seen_count > 0 && watch->put_count > 0);
  watch->is_one = watch->seen_count == 1 && watch->put_count == 1 &&
                  watch->seen->keys == watch->puts->keys &&
                  watch->puts->mask == NULL;
  return true;
}

/* Where an element is marked. The key may be any double; of two that are one
 * element the bits are the same. Small whole numbers differ only in high bits,
 * which a product alone would leave there. */
static inline uint32_t mark_of(const WatchedKeys *watched, uint32_t i) {
  uint64_t bits;
  memcpy(&bits, &watched->keys[i], sizeof bits);
  bits += watched->salt;
  bits = (bits ^ bits >> 32) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(bits >> 40) % ECS_PUT_MARKS;
}

static inline void mark(const Watch *watch, uint32_t *marks, uint32_t i,
                        uint32_t stamp) {
  for (uint32_t k = 0; k < watch->put_count; k++)
    if (watch->puts[k].mask == NULL || watch->puts[k].mask[i] != 0)
      marks[mark_of(&watch->puts[k], i)] = stamp;
}

/* The first row behind the first one that reads something marked, or rows. */
static uint32_t pass_rows(const Watch *watch, uint32_t *marks, uint32_t stamp,
                          uint32_t rows) {
  mark(watch, marks, 0, stamp);
  for (uint32_t i = 1; i < rows; i++) {
    for (uint32_t k = 0; k < watch->seen_count; k++)
      if (marks[mark_of(&watch->seen[k], i)] == stamp) return i;
    mark(watch, marks, i, stamp);
  }
  return rows;
}

/* The same where each row reads and puts at one key. */
static uint32_t pass_keys(const WatchedKeys *watched, uint32_t *marks,
                          uint32_t stamp, uint32_t rows) {
  for (uint32_t i = 0; i < rows; i++) {
    uint32_t *place = &marks[mark_of(watched, i)];
    if (*place == stamp) return i;
    *place = stamp;
  }
  return rows;
}

uint32_t puts_slice(const ProgramPlan *plan, uint32_t rows) {
  Watch watch;
  if (!plan->keys_are_known || !watch_all(plan, &watch)) return 1;
  uint32_t *stamp = &plan->marks[ECS_PUT_MARKS];
  if (++*stamp == 0) { /* what older slices have left would look new */
    memset(plan->marks, 0, ECS_PUT_MARKS * sizeof *plan->marks);
    *stamp = 1;
  }
  return watch.is_one ? pass_keys(watch.seen, plan->marks, *stamp, rows)
                      : pass_rows(&watch, plan->marks, *stamp, rows);
}

void puts_move(const ProgramPlan *plan, int32_t rows) {
  for (uint32_t k = 0; k < plan->moving_count; k++) {
    char **base = (char **)&plan->bases[plan->moving[k].place];
    if (*base != NULL)
      *base += (ptrdiff_t)rows * (int32_t)plan->moving[k].bytes;
  }
}

/* vm_sums.c: adds what rows contribute to the reductions of a program. */
#include "program/vm_sums.h"

/* The kind of a reduction that is not ordered. */
static ReductionKind kind_of(uint8_t operation) {
  ECS_ASSERT(!operation_is_ordered(operation));
  if (operation == OPERATION_SUM) return REDUCTION_SUM;
  return operation == OPERATION_LEAST ? REDUCTION_LEAST : REDUCTION_GREATEST;
}

static bool is_ordered(const Step *step) {
  return operation_is_ordered(step->ins->operation);
}

/* The bools that say which rows of the block contribute. NULL: all do. */
static const uint32_t *mask_of(const SumRows *rows, const Step *step) {
  if (step->ins->operands[1] == NO_VALUE) return NULL;
  return rows->bases[step->operands[1]];
}

/* The first step from k on that adds to a reduction; count: there is none. */
static uint32_t next_of(const Step *steps, uint32_t count, uint32_t k,
                        uint32_t reduction) {
  while (k < count && steps[k].ins->index != reduction) k++;
  return k;
}

/* Does no step before step k add to the same reduction? */
static bool is_first(const Step *steps, uint32_t k) {
  return next_of(steps, k, 0, steps[k].ins->index) == k;
}

/* In order ---------------------------------------------------------------- */

/* Adds rows from i up to end to an ordered reduction, one after the other. Of
 * equal numbers, lowest and highest keep the first. */
static void add_in_order(const SumRows *rows, const Step *step, uint32_t i,
                         uint32_t end) {
  const double *values = rows->bases[step->operands[0]];
  const uint32_t *mask = mask_of(rows, step);
  double *place = &rows->sums[step->ins->index].total, total = *place;
  for (; i < end; i++) {
    if (mask != NULL && !mask[i]) continue;
    if (step->ins->operation == OPERATION_TOTAL)
      total += values[i];
    else if (step->ins->operation == OPERATION_LOWEST)
      total = values[i] < total ? values[i] : total;
    else
      total = total < values[i] ? values[i] : total;
  }
  *place = total;
}

/* So many steps are added by one loop for each of their reductions. */
#define JOINED_STEPS 8u

/* Adds all rows in those steps of a few that add to the same ordered reduction
 * as the first one. */
static void join_in_order(const SumRows *rows, const Step *steps,
                          uint32_t count) {
  uint32_t reduction = steps->ins->index;
  uint32_t second = next_of(steps, count, 1, reduction);
  if (second == count) {
    add_in_order(rows, steps, 0, rows->count);
    return;
  }
  for (uint32_t i = 0; i < rows->count; i++) {
    add_in_order(rows, steps, i, i + 1);
    for (uint32_t k = second; k < count;
         k = next_of(steps, count, k + 1, reduction))
      add_in_order(rows, &steps[k], i, i + 1);
  }
}

/* Adds all rows to the ordered reductions. Of those to which several steps add,
 * a row takes all of these before the next row. */
static void add_ordered(const SumRows *rows, const Step *steps,
                        uint32_t count) {
  for (uint32_t k = 0; k < count && count <= JOINED_STEPS; k++)
    if (is_ordered(&steps[k]) && is_first(steps, k))
      join_in_order(rows, &steps[k], count - k);
  for (uint32_t i = 0; i < rows->count && count > JOINED_STEPS; i++)
    for (uint32_t k = 0; k < count; k++)
      if (is_ordered(&steps[k])) add_in_order(rows, &steps[k], i, i + 1);
}

/* In lanes ---------------------------------------------------------------- */

/* How many of the rows that are left fill all lanes equally, up to the next
 * fold. 0: the next row is added alone. */
static uint32_t whole_rows(uint64_t row, uint32_t left) {
  uint32_t until_fold = REDUCTION_ROWS - (uint32_t)(row % REDUCTION_ROWS);
  if (row % REDUCTION_LANES != 0) return 0;
  uint32_t rows = left < until_fold ? left : until_fold;
  return rows / REDUCTION_LANES * REDUCTION_LANES;
}

/* Adds n rows from row i on, in one step; n is what whole_rows says. A masked
 * row adds nothing. */
static void add_to_lanes(const SumRows *rows, const Step *step, uint32_t i,
                         uint32_t n) {
  ReductionKind kind = kind_of(step->ins->operation);
  Reduction *sum = &rows->sums[step->ins->index];
  const double *values = rows->bases[step->operands[0]];
  const uint32_t *mask = mask_of(rows, step);
  uint64_t number = rows->number + i;
  ECS_ASSERT(n == 0 ||
             (n % REDUCTION_LANES == 0 && number % REDUCTION_LANES == 0));
  if (n > 0)
    loop_reduce(kind, mask != NULL)(sum->lanes, values + i,
                                    mask == NULL ? NULL : mask + i, NULL, n);
  else if (mask == NULL || mask[i])
    reduction_add(sum, kind, number, values[i]);
}

/* Adds n rows from row i on, in the steps that add to the same reduction as the
 * first one. The lanes get one row from each step in turn. */
static void join_steps(const SumRows *rows, const Step *steps, uint32_t count,
                       uint32_t i, uint32_t n) {
  const double *values[JOINED_STEPS];
  const uint32_t *masks[JOINED_STEPS];
  uint32_t joined = 0;
  for (uint32_t k = 0; k < count; k++) {
    if (steps[k].ins->index != steps->ins->index) continue;
    const uint32_t *mask = mask_of(rows, &steps[k]);
    values[joined] = (const double *)rows->bases[steps[k].operands[0]] + i;
    masks[joined++] = mask == NULL ? NULL : mask + i;
  }
  loop_reduce_many(kind_of(steps->ins->operation))(
      rows->sums[steps->ins->index].lanes, values, masks, joined, n);
}

/* Adds rows from row i on to reductions that are not ordered: whole lanes, or
 * one row. Steps that may add to the same reduction alternate after every
 * REDUCTION_LANES rows: each lane then gets one row from each step, so the
 * order in a lane does not depend on where blocks end. Returns how many rows
 * were added. */
static uint32_t add_some(const SumRows *rows, const Step *steps, uint32_t count,
                         uint32_t i) {
  uint32_t n = whole_rows(rows->number + i, rows->count - i);
  if (n > 0 && count > 1 && count <= JOINED_STEPS) {
    for (uint32_t k = 0; k < count; k++)
      if (!is_ordered(&steps[k]) && is_first(steps, k))
        join_steps(rows, &steps[k], count - k, i, n);
    return n;
  }
  if (count > 1 && n > REDUCTION_LANES) n = REDUCTION_LANES;
  for (uint32_t k = 0; k < count; k++)
    if (!is_ordered(&steps[k])) add_to_lanes(rows, &steps[k], i, n);
  return n == 0 ? 1 : n;
}

/* Folds the reductions that are not ordered; a step folds its own. */
static void fold(const SumRows *rows, const Step *steps, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (!is_ordered(&steps[k]))
      reduction_fold(&rows->sums[steps[k].ins->index],
                     kind_of(steps[k].ins->operation));
}

/* Runs -------------------------------------------------------------------- */

ReductionKind sums_kind(const ecs_Program *program, uint32_t reduction) {
  return kind_of(program->reductions[reduction]);
}

void sums_begin(const ecs_Program *program, Reduction *sums,
                const double *starts) {
  for (uint32_t k = 0; k < program->reduction_count; k++) {
    uint8_t operation = program->reductions[k];
    if (operation_is_ordered(operation))
      ecs_scalar_convert(ECS_F64, &sums[k].total, starts[k]);
    else
      reduction_begin(&sums[k], kind_of(operation));
  }
}

void sums_add(const SumRows *rows, const Step *steps, uint32_t count) {
  uint32_t ordered = 0;
  for (uint32_t k = 0; k < count; k++) ordered += is_ordered(&steps[k]);
  if (ordered > 0) add_ordered(rows, steps, count);
  if (ordered == count) return;
  for (uint32_t i = 0, n; i < rows->count; i += n) {
    uint64_t number = rows->number + i;
    n = add_some(rows, steps, count, i);
    ECS_ASSERT(number / REDUCTION_ROWS == (number + n - 1) / REDUCTION_ROWS);
    if ((number + n) % REDUCTION_ROWS == 0) fold(rows, steps, count);
  }
}

void sums_end(const ecs_Program *program, Reduction *sums, bool failed,
              double *results) {
  for (uint32_t k = 0; k < program->reduction_count; k++) {
    uint8_t operation = program->reductions[k];
    if (failed && !operation_is_ordered(operation)) continue;
    if (!operation_is_ordered(operation))
      reduction_fold(&sums[k], kind_of(operation));
    results[k] = sums[k].total;
  }
}

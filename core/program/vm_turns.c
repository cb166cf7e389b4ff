/* vm_turns.c: runs the cycles of a program. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "program/vm_turns.h"

#include "program/vm_loop_macros.h"

/* Leaves only those rows active in which the mask holds. Returns how many. */
CLONES static uint32_t narrow(uint32_t *active, const uint32_t *mask,
                              uint32_t rows) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < rows; i++) {
    active[i] &= mask[i];
    count += active[i];
  }
  return count;
}

/* Of a cycle that so many rows are active in now: the step to go on with, which
 * is otherwise next. */
static uint32_t settle(Turns *turns, const ProgramPlan *plan, uint32_t count,
                       uint32_t next, uint32_t *rows) {
  PlanCycle *cycle = &plan->cycles[turns->cycle];
  const uint32_t *active = plan->bases[cycle->active];
  ECS_ASSERT(count <= *rows && *rows <= cycle->rows);
  cycle->whole = count == cycle->rows;
  if (count == 0) {
    *rows = cycle->rows;
    turns->cycle = cycle->outer;
    return cycle->after;
  }
  while (active[*rows - 1] == 0) --*rows;
  return next;
}

static uint32_t begin(Turns *turns, const ProgramPlan *plan, uint32_t k,
                      uint32_t *rows) {
  const Step *step = &plan->steps[k];
  PlanCycle *cycle = &plan->cycles[step->operands[2]];
  uint32_t *active = plan->bases[step->out];
  const uint32_t all = 1;
  uint32_t count = *rows;
  ECS_ASSERT(cycle->outer == turns->cycle && cycle->active == step->out);
  turns->cycle = step->operands[2];
  cycle->rows = *rows;
  loop_fill(VALUE_BOOL)(active, &all, NULL, NULL, *rows);
  if (step->ins->operands[0] != NO_VALUE)
    count = narrow(active, plan->bases[step->operands[0]], *rows);
  if (cycle->outer != NO_VALUE && !plan->cycles[cycle->outer].whole)
    count =
        narrow(active, plan->bases[plan->cycles[cycle->outer].active], *rows);
  return settle(turns, plan, count, k + 1, rows);
}

static uint32_t leave(Turns *turns, const ProgramPlan *plan, uint32_t k,
                      uint32_t next, uint32_t *rows) {
  const Step *step = &plan->steps[k];
  if (step->ins->operands[0] == NO_VALUE) return next;
  uint32_t count =
      narrow(plan->bases[step->out], plan->bases[step->operands[0]], *rows);
  return settle(turns, plan, count, next, rows);
}

static void carry_on(const Turns *turns, const ProgramPlan *plan,
                     const Step *step, uint32_t rows) {
  void **bases = plan->bases;
  void *value = bases[step->operands[1]], *carry = bases[step->out];
  if (plan->cycles[turns->cycle].whole && step_exchanges(step)) {
    bases[step->out] = value;
    bases[step->operands[1]] = carry;
  } else {
    step->loop(carry, bases[step->operands[0]], value, carry, rows);
  }
}

uint32_t turns_step(Turns *turns, const ProgramPlan *plan, uint32_t k,
                    uint32_t *rows) {
  const Step *step = &plan->steps[k];
  switch (instruction_shape(step->ins)) {
    case SHAPE_REPEAT: return begin(turns, plan, k, rows);
    case SHAPE_WHILE: return leave(turns, plan, k, k + 1, rows);
    case SHAPE_NEXT: carry_on(turns, plan, step, *rows); return k + 1;
    default:
      ECS_ASSERT(instruction_shape(step->ins) == SHAPE_AGAIN);
      turns->made++;
      return leave(turns, plan, k, plan->cycles[turns->cycle].first, rows);
  }
}

static void copy_narrow(void *out, const void *a, const void *b, const void *c,
                        uint32_t n) {
  UNUSED(b);
  UNUSED(c);
  memcpy(out, a, (size_t)n * 4);
}

static void copy_wide(void *out, const void *a, const void *b, const void *c,
                      uint32_t n) {
  UNUSED(b);
  UNUSED(c);
  memcpy(out, a, (size_t)n * 8);
}

Loop turns_copy(ValueType type) {
  return value_bytes(type) == 4 ? copy_narrow : copy_wide;
}

/* vm_plan.c: the memory of a plan, and whether it is sound. */
#include "program/vm_plan.h"

#include "program/vm_whole_loops.h"

static size_t lay_plan(ProgramPlan *plan, const ecs_Program *program,
                       char *block) {
  size_t used = sizeof(ProgramPlan);
  plan->steps = memory_lay(block, &used, plan->step_count, sizeof(Step));
  plan->once = memory_lay(block, &used, plan->once_count, sizeof(Step));
  plan->spread = memory_lay(block, &used, plan->spread_count, sizeof(Step));
  plan->sums = memory_lay(
      block, &used, (size_t)plan->sum_count + plan->put_count, sizeof(Step));
  plan->puts = block == NULL ? NULL : plan->sums + plan->sum_count;
  plan->changes = memory_lay(block, &used, plan->change_count, sizeof(Step));
  plan->visits = memory_lay(block, &used, plan->visit_count, sizeof(Step));
  plan->visit_follows =
      memory_lay(block, &used, plan->visit_count, sizeof(uint32_t));
  plan->keys_follow =
      memory_lay(block, &used, program->array_count, sizeof(uint32_t));
  if (program->sees_puts) {
    plan->seen = memory_lay(block, &used, plan->seen_count, sizeof(Step));
    plan->moving = memory_lay(
        block, &used, (size_t)plan->register_count + program->column_count,
        sizeof(RegionCopy));
    plan->watched =
        memory_lay(block, &used, (size_t)plan->seen_count + plan->put_count,
                   sizeof(uint32_t));
    plan->marks = memory_lay(block, &used, ECS_PUT_MARKS + 1, sizeof(uint32_t));
    plan->masks_are_known =
        memory_lay(block, &used, plan->put_count, sizeof(bool));
  }
  plan->shared = memory_lay(block, &used, plan->put_count, sizeof(bool));
  plan->cycles = memory_lay(block, &used, plan->cycle_count, sizeof(PlanCycle));
  plan->bases = memory_lay(
      block, &used, (size_t)plan->base_count + REGION_INPUTS, sizeof(void *));
  plan->single = memory_lay(block, &used, program->value_count, sizeof(double));
#ifdef ECS_CHECKED
  plan->held = memory_lay(block, &used, plan->base_count, sizeof(uint32_t));
#endif
  /* Registers start on a cache line. */
  char *registers = memory_lay(
      block, &used,
      (size_t)plan->register_count * LOOP_ROWS + ECS_LINE_BYTES / 8, 8);
  if (block == NULL) return used;
  ECS_ASSERT(used == plan->block_bytes);
  uintptr_t over = (uintptr_t)registers % ECS_LINE_BYTES;
  if (over > 0) registers += ECS_LINE_BYTES - over;
  for (uint32_t k = 0; k < plan->register_count; k++)
    plan->bases[k] = registers + (size_t)k * LOOP_ROWS * 8;
  for (uint32_t k = 0; k < program->value_count; k++)
    plan->bases[plan->register_count + program->column_count + k] =
        &plan->single[k];
  return used;
}

ProgramPlan *plan_create(const ecs_Program *program, const ProgramPlan *sizes) {
  ProgramPlan laid = *sizes;
  laid.block_bytes = lay_plan(&laid, program, NULL);
  ProgramPlan *plan =
      memory_zeroed(&program->query->store->memory, 1, laid.block_bytes);
  if (plan == NULL) return NULL;
  ECS_ASSERT(laid.base_count == laid.register_count + program->column_count +
                                    program->value_count);
  *plan = laid;
  lay_plan(plan, program, (char *)plan);
  return plan;
}

void plan_add_moving(ProgramPlan *plan, uint32_t place, uint32_t bytes) {
  for (uint32_t k = 0; k < plan->moving_count; k++)
    if (plan->moving[k].place == place) return;
  plan->moving[plan->moving_count++] = (RegionCopy){place, bytes};
}

static void free_plan(Memory *memory, ProgramPlan *plan) {
  if (plan->regions != NULL)
    memory_free(memory, plan->regions, plan->regions->bytes);
  memory_free(memory, plan, plan->block_bytes);
}

void plan_destroy(ecs_Program *program) {
  if (program->plan == NULL) return;
  free_plan(&program->query->store->memory, program->plan);
  program->plan = NULL;
}

/* Copies ------------------------------------------------------------------ */

/* Where a pointer into a block is in a copy of the block. */
static void *moved(const void *pointer, const void *block, void *copy) {
  return (char *)copy + ((const char *)pointer - (const char *)block);
}

/* Gives a copy of a plan regions of its own. False: there is no memory. */
static bool copy_regions(Memory *memory, const ProgramPlan *plan,
                         ProgramPlan *copy) {
  const PlanRegions *regions = plan->regions;
  if (regions == NULL) return true;
  PlanRegions *made = memory_zeroed(memory, 1, regions->bytes);
  if (made == NULL) return false;
  memcpy(made, regions, regions->bytes);
  made->list = moved(regions->list, regions, made);
  made->copies = moved(regions->copies, regions, made);
  made->steps = moved(regions->steps, regions, made);
  made->registers = moved(regions->registers, regions, made);
  for (uint32_t k = plan->base_count; k < plan->base_count + REGION_INPUTS; k++)
    if (plan->bases[k] != NULL)
      copy->bases[k] = moved(plan->bases[k], regions, made);
  copy->regions = made;
  return true;
}

ProgramPlan *plan_copy(const ecs_Program *program, const ProgramPlan *plan) {
  ProgramPlan sizes = *plan;
  sizes.regions = NULL;
  ProgramPlan *copy = plan_create(program, &sizes);
  if (copy == NULL) return NULL;
  /* What lies before the bases is the same; the bases and what is behind them
   * are of the copy. */
  ECS_ASSERT((char *)copy->bases - (char *)copy ==
             (const char *)plan->bases - (const char *)plan);
  memcpy(copy + 1, plan + 1,
         (size_t)((const char *)plan->bases - (const char *)(plan + 1)));
  if (copy_regions(&program->query->store->memory, plan, copy)) return copy;
  plan_free_copy(program, copy);
  return NULL;
}

void plan_free_copy(const ecs_Program *program, ProgramPlan *copy) {
  free_plan(&program->query->store->memory, copy);
}

/* Invariants -------------------------------------------------------------- */

#ifdef ECS_CHECKED

/* What a place may hold other than a value: nothing of use, a column as it was
 * before the block, or the places of the entities of a value, by the number of
 * the instruction that located them. */
#define HELD_NOTHING NO_VALUE
#define HELD_COLUMN (NO_VALUE - 1)
#define HELD_ACTIVE (NO_VALUE - 2) /* which rows are in a cycle */
#define HELD_PLACES 0x80000000u

typedef struct PlanCheck {
  const ecs_Program *program;
  const ProgramPlan *plan;
} PlanCheck;

/* The instruction that defines a value. As many values as its number are
 * defined before it, and any number of effects. */
static const Instruction *definition_of(const ecs_Program *program,
                                        uint32_t value) {
  const Instruction *ins = &program->code[value];
  while (ins->result != value) ins++;
  return ins;
}

static bool is_single_place(const PlanCheck *check, uint32_t place) {
  return place >= plan_column(check->plan, check->program->column_count);
}

/* Does the place hold the value? An unchanged column holds each value that is
 * loaded from it without conversion: of the types that load as a value's type,
 * only its own has as many bytes. */
static bool place_holds(const PlanCheck *check, uint32_t place,
                        uint32_t value) {
  if (place >= check->plan->base_count) return false;
  if (check->plan->held[place] != HELD_COLUMN)
    return check->plan->held[place] == value;
  const Instruction *ins = definition_of(check->program, value);
  if (ins->operation != OPERATION_LOAD) return false;
  const ecs_KernelColumn *column = &check->program->columns[ins->index];
  return place == plan_column(check->plan, ins->index) &&
         !access_is_optional(column->access) &&
         scalar_bytes(column->type) == value_bytes((ValueType)ins->type);
}

/* Are the operands that are single values the ones that the form expects? */
static bool form_is_right(const PlanCheck *check, const Step *step,
                          LoopForm form, uint32_t last) {
  for (uint32_t k = 0; k < OPERANDS; k++) {
    bool single = (form == FORM_SECOND && k == last) ||
                  (form == FORM_FIRST && k + 1 == last);
    bool used = k <= last && step->ins->operands[k] != NO_VALUE;
    if (used && is_single_place(check, step->operands[k]) != single)
      return false;
  }
  return true;
}

/* Checks a step of one instruction: its operands, and the form of its loop. */
static bool operation_is_sound(const PlanCheck *check, const Step *step) {
  const Instruction *ins = step->ins;
  uint32_t last = instruction_shape(ins) == SHAPE_SELECT ? 2 : 1;
  LoopForm form = FORM_ARRAYS;
  if (ins->operation == OPERATION_CARRY)
    return place_holds(check, step->operands[0], ins->operands[0]) ||
           place_holds(check, step->operands[0], ins->result);
  if (ins->operation == OPERATION_NEXT)
    return place_holds(check, step->out, ins->operands[0]) &&
           place_holds(check, step->operands[1], ins->operands[1]);
  while (instruction_shape(ins) <= SHAPE_SELECT && form + 1 < FORM_COUNT &&
         whole_formed(ins, form) != step->loop)
    form++;
  for (uint32_t k = 0; k < OPERANDS; k++)
    if (ins->operands[k] != NO_VALUE &&
        !place_holds(check, step->operands[k], ins->operands[k]))
      return false;
  return form_is_right(check, step, form, last);
}

/* Checks a sum or difference in one loop with the product that is operand k. */
static bool product_is_sound(const PlanCheck *check, const Step *step,
                             uint32_t k, LoopForm form) {
  const Instruction *ins = step->ins;
  const Instruction *product = definition_of(check->program, ins->operands[k]);
  if (product->operation != OPERATION_TIMES) return false;
  uint32_t x = product->operands[0], y = product->operands[1];
  bool in_order = place_holds(check, step->operands[0], x) &&
                  place_holds(check, step->operands[1], y);
  bool exchanged = place_holds(check, step->operands[0], y) &&
                   place_holds(check, step->operands[1], x);
  return (in_order || exchanged) &&
         place_holds(check, step->operands[2], ins->operands[1 - k]) &&
         !is_single_place(check, step->operands[0]) &&
         is_single_place(check, step->operands[1]) == (form == FORM_SECOND) &&
         !is_single_place(check, step->operands[2]);
}

/* Checks a step by its loop: a product with its sum, or an operation. */
static bool loop_is_sound(const PlanCheck *check, const Step *step) {
  const Instruction *ins = step->ins;
  bool sum = ins->operation == OPERATION_PLUS;
  if ((sum || ins->operation == OPERATION_MINUS) && ins->type <= VALUE_F64)
    for (LoopForm form = FORM_ARRAYS; form <= FORM_SECOND; form++)
      for (uint32_t k = 0; k < 2; k++) {
        ProductKind kind = sum      ? PRODUCT_PLUS
                           : k == 0 ? PRODUCT_MINUS
                                    : MINUS_PRODUCT;
        if (step->loop == loop_product(kind, (ValueType)ins->type, form) &&
            product_is_sound(check, step, k, form))
          return true;
      }
  return operation_is_sound(check, step);
}

/* Checks a step that has or gets: it locates its entities, or finds the places
 * of the same ones with the same component. */
static bool look_is_sound(const PlanCheck *check, const Step *step) {
  const Instruction *code = check->program->code, *ins = step->ins;
  uint32_t place = step_places(step), *held = check->plan->held;
  if (place >= check->plan->register_count || place == step->out ||
      place == step->operands[0])
    return false;
  if (step_locates(step)) held[place] = HELD_PLACES | (uint32_t)(ins - code);
  uint32_t located = held[place] & ~HELD_PLACES;
  return (held[place] & HELD_PLACES) != 0 &&
         located < check->program->code_count &&
         instruction_is_look(&code[located]) &&
         code[located].operands[0] == ins->operands[0] &&
         code[located].index == ins->index;
}

/* May the step write its result there? Never over a single value, and over an
 * operand only if elements of both have the same size. */
static bool result_is_sound(const PlanCheck *check, const Step *step) {
  const uint8_t *types = check->program->types;
  const Instruction *ins = step->ins;
  if (is_single_place(check, step->out)) return false;
  for (uint32_t k = 0; k < OPERANDS; k++)
    if (ins->operands[k] != NO_VALUE && step->out == step->operands[k] &&
        value_bytes((ValueType)types[ins->result]) !=
            value_bytes((ValueType)types[ins->operands[k]]))
      return false;
  return true;
}

/* Checks one step of a block, and notes what the place of its result holds. */
static bool step_is_sound(const PlanCheck *check, const Step *step) {
  const ProgramPlan *plan = check->plan;
  const Instruction *ins = step->ins;
  OperationShape shape = instruction_shape(ins);
  uint32_t column = plan_column(plan, ins->index);
  bool loops = shape <= SHAPE_QUANTIZE || shape == SHAPE_LOAD ||
               shape == SHAPE_STORE || shape == SHAPE_CARRY ||
               shape == SHAPE_NEXT;
  if ((step->loop != NULL) != loops || !loop_is_sound(check, step))
    return false;
  if ((shape == SHAPE_LOAD || shape == SHAPE_PRESENT) &&
      step->operands[0] != column)
    return false;
  if (instruction_is_look(ins) && !look_is_sound(check, step)) return false;
  if (shape == SHAPE_LOAD && plan->held[column] != HELD_COLUMN) return false;
  if (shape == SHAPE_STORE && step->out != column) return false;
  for (uint32_t k = 0; k < instruction_columns(ins); k++) {
    if (shape == SHAPE_ELEMENT && plan->held[column + k] != HELD_COLUMN)
      return false;
    if (shape == SHAPE_STORE || shape == SHAPE_SCATTER)
      plan->held[column + k] = HELD_NOTHING;
  }
  if (shape == SHAPE_REPEAT) plan->held[step->out] = HELD_ACTIVE;
  uint32_t active = step->operands[0];
  if (shape == SHAPE_WHILE || shape == SHAPE_AGAIN) active = step->out;
  if (shape > SHAPE_REPEAT && plan->held[active] != HELD_ACTIVE) return false;
  if (shape == SHAPE_NEXT && step_exchanges(step))
    plan->held[step->operands[1]] = HELD_NOTHING;
  if (ins->result == NO_VALUE) return true;
  if (!result_is_sound(check, step)) return false;
  plan->held[step->out] = ins->result;
  return true;
}

static bool steps_are_sound(const PlanCheck *check, const Step *steps,
                            uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (!step_is_sound(check, &steps[i])) return false;
  return true;
}

/* Checks steps of a block from first up to end, with two turns of each cycle. */
static bool turns_are_sound(const PlanCheck *check, uint32_t first,
                            uint32_t end) {
  const ProgramPlan *plan = check->plan;
  uint32_t cycle = NO_VALUE;
  for (uint32_t i = first; i < end;) {
    const Step *step = &plan->steps[i];
    if (!step_is_sound(check, step)) return false;
    i++;
    if (step->ins->operation == OPERATION_REPEAT) cycle = step->operands[2];
    if (step->ins->operation != OPERATION_AGAIN) continue;
    PlanCycle *closed = &plan->cycles[cycle];
    if (closed->after != i) return false;
    if (!closed->again)
      i = closed->first;
    else
      cycle = closed->outer;
    closed->again = true;
  }
  return cycle == NO_VALUE;
}

/* Checks all steps of a block, in the order in which they run. */
static bool block_is_sound(const PlanCheck *check) {
  const ProgramPlan *plan = check->plan;
  bool first = check->program->changes_first;
  uint32_t before = first ? plan->change_step : plan->step_count;
  for (uint32_t c = 0; c < plan->cycle_count; c++)
    plan->cycles[c].again = false;
  return turns_are_sound(check, 0, before) &&
         (!first ||
          steps_are_sound(check, plan->changes, plan->change_count)) &&
         turns_are_sound(check, before, plan->step_count) &&
         steps_are_sound(check, plan->sums,
                         plan->sum_count + plan->put_count) &&
         (first || steps_are_sound(check, plan->changes, plan->change_count));
}

/* Checks what runs before the first block: single values, then spreads. */
static bool once_is_sound(const PlanCheck *check) {
  const ProgramPlan *plan = check->plan;
  for (uint32_t i = 0; i < plan->once_count; i++) {
    const Step *step = &plan->once[i];
    for (uint32_t k = 0; k < OPERANDS; k++)
      if (step->ins->operands[k] != NO_VALUE &&
          !place_holds(check, step->operands[k], step->ins->operands[k]))
        return false;
    if (!is_single_place(check, step->out) || step->out >= plan->base_count)
      return false;
    plan->held[step->out] = step->ins->result;
  }
  for (uint32_t i = 0; i < plan->spread_count; i++) {
    const Step *step = &plan->spread[i];
    if (step->out >= plan->register_count ||
        !is_single_place(check, step->operands[0]))
      return false;
    plan->held[step->out] = plan->held[step->operands[0]];
  }
  return true;
}

/* Has every effect one step, in the order of the program? A store needs none if
 * its value was computed in the column. */
static bool effects_are_planned(const PlanCheck *check) {
  const ProgramPlan *plan = check->plan;
  uint32_t step = 0, sum = 0, put = 0, change = 0;
  for (uint32_t i = 0; i < check->program->code_count; i++) {
    const Instruction *ins = &check->program->code[i];
    if (ins->result != NO_VALUE) continue;
    while (change < plan->change_count &&
           plan->changes[change].ins->result != NO_VALUE)
      change++;
    while (step < plan->step_count && plan->steps[step].ins->result != NO_VALUE)
      step++;
    if (step < plan->step_count && plan->steps[step].ins == ins)
      step++;
    else if (sum < plan->sum_count && plan->sums[sum].ins == ins)
      sum++;
    else if (put < plan->put_count && plan->puts[put].ins == ins)
      put++;
    else if (change < plan->change_count && plan->changes[change].ins == ins)
      change++;
    else if (instruction_shape(ins) == SHAPE_NEXT)
      continue; /* of a carry that is not needed */
    else if (instruction_shape(ins) != SHAPE_STORE ||
             plan->held[plan_column(plan, ins->index)] != ins->operands[0])
      return false;
  }
  while (step < plan->step_count && plan->steps[step].ins->result != NO_VALUE)
    step++;
  while (change < plan->change_count &&
         plan->changes[change].ins->result != NO_VALUE)
    change++;
  return step == plan->step_count && sum == plan->sum_count &&
         put == plan->put_count && change == plan->change_count;
}

/* Do registers lie in the plan's memory, start on cache lines, and hold a whole
 * block? One register is spare. */
static bool registers_are_in_block(const ProgramPlan *plan) {
  uintptr_t start = (uintptr_t)plan, end = start + plan->block_bytes;
  for (uint32_t k = 0; k < plan->register_count; k++) {
    uintptr_t base = (uintptr_t)plan->bases[k];
    if (base < start || base + LOOP_ROWS * 8 > end ||
        base % ECS_LINE_BYTES != 0)
      return false;
  }
  return plan->register_count == 1 || plan->block_rows <= LOOP_ROWS;
}

/* The second block finds in registers what the first one has left there. */
bool plan_check_invariants(const ecs_Program *program) {
  const ProgramPlan *plan = program->plan;
  program = program_planned(program);
  const PlanCheck check = {program, plan};
  if (!registers_are_in_block(plan)) return false;
  for (uint32_t k = 0; k < plan->base_count; k++) plan->held[k] = HELD_NOTHING;
  if (!once_is_sound(&check)) return false;
  for (uint32_t block = 0; block < 2; block++) {
    for (uint32_t c = 0; c < program->column_count; c++)
      plan->held[plan_column(plan, c)] = HELD_COLUMN;
    if (!block_is_sound(&check) || !effects_are_planned(&check)) return false;
  }
  return true;
}

#endif

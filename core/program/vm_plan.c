/* vm_plan.c: places and loops for the instructions of a program.
 *
 * Facts come first (program_facts.c); then places and steps are given, from the
 * first instruction to the last. Only then is the size of everything known, so
 * planning works in memory of its own and the plan is copied out of it.
 */
#include "program/vm_plan.h"

#include "program/program_facts.h"

typedef struct Planner {
  ProgramFacts facts;
  Memory *memory;
  uint32_t *places;       /* by value; NO_VALUE: none yet */
  uint32_t *spread_place; /* by value: the register it is spread into */
  uint32_t *free_after;   /* by register: the instruction that frees it */
  Step *steps;
  Step *once;
  Step *spread;
  Step *sums;
  Step *changes;
  uint32_t register_count, step_count, once_count, spread_count;
  uint32_t sum_count, change_count;
  size_t block_bytes;
} Planner;

/* Places of columns and single values while registers are still being counted.
 * They are moved behind the registers in the end. */
#define COLUMN_PLACE 0x40000000u
#define SINGLE_PLACE 0x80000000u
#define PLACE_KIND 0xc0000000u

/* Room -------------------------------------------------------------------- */

static size_t lay_planner(Planner *planner, char *block) {
  uint32_t values = planner->facts.program->value_count;
  uint32_t code = planner->facts.program->code_count;
  size_t used = 0;
  planner->places = memory_lay(block, &used, values, sizeof(uint32_t));
  planner->spread_place = memory_lay(block, &used, values, sizeof(uint32_t));
  planner->free_after =
      memory_lay(block, &used, 2 * (size_t)values + 1, sizeof(uint32_t));
  planner->steps = memory_lay(block, &used, code, sizeof(Step));
  planner->once = memory_lay(block, &used, code, sizeof(Step));
  planner->spread = memory_lay(block, &used, values, sizeof(Step));
  planner->sums = memory_lay(block, &used, code, sizeof(Step));
  planner->changes = memory_lay(block, &used, code, sizeof(Step));
  return used;
}

static void place_homes(Planner *planner) {
  for (uint32_t v = 0; v < planner->facts.program->value_count; v++) {
    uint32_t home = planner->facts.home[v];
    planner->places[v] = home == NO_VALUE ? NO_VALUE : COLUMN_PLACE | home;
    planner->spread_place[v] = NO_VALUE;
  }
}

static bool planner_init(Planner *planner, const ecs_Program *program) {
  *planner = (Planner){.memory = &program->query->store->memory};
  if (facts_init(&planner->facts, program) != ECS_OK) return false;
  planner->block_bytes = lay_planner(planner, NULL) + 1;
  char *block = memory_zeroed(planner->memory, 1, planner->block_bytes);
  if (block == NULL) {
    facts_deinit(&planner->facts);
    return false;
  }
  lay_planner(planner, block);
  place_homes(planner);
  return true;
}

/* The block starts with the first array. */
static void planner_deinit(Planner *planner) {
  memory_free(planner->memory, planner->places, planner->block_bytes);
  facts_deinit(&planner->facts);
}

/* Registers --------------------------------------------------------------- */

/* May the result of an instruction be written over its operands? Only element
 * by element of one size: a wider one would overtake what is still unread. */
static bool may_overwrite(const Planner *planner, const Instruction *at) {
  const uint8_t *types = planner->facts.program->types;
  uint32_t bytes = value_bytes((ValueType)types[at->result]);
  for (uint32_t k = 0; k < 3; k++)
    if (at->operands[k] != NO_VALUE &&
        value_bytes((ValueType)types[at->operands[k]]) != bytes)
      return false;
  return true;
}

/* A register for the result of instruction i, kept until last. All are of one
 * size: eight bytes a row. */
static uint32_t take_register(Planner *planner, uint32_t i, uint32_t last) {
  uint32_t k = 0, busy_from = i;
  if (may_overwrite(planner, &planner->facts.program->code[i])) busy_from++;
  while (k < planner->register_count && planner->free_after[k] >= busy_from)
    k++;
  if (k == planner->register_count) planner->register_count++;
  planner->free_after[k] = last;
  return k;
}

/* The register that a single value is spread into, kept for the whole run. */
static uint32_t spread(Planner *planner, uint32_t value) {
  if (planner->spread_place[value] != NO_VALUE)
    return planner->spread_place[value];
  uint32_t place = planner->register_count++;
  ValueType type = (ValueType)planner->facts.program->types[value];
  planner->free_after[place] = UINT32_MAX;
  planner->spread_place[value] = place;
  planner->spread[planner->spread_count++] = (Step){
      loop_fill(type),
      NULL,
      place,
      {SINGLE_PLACE | value, SINGLE_PLACE | value, SINGLE_PLACE | value}};
  return place;
}

/* Steps ------------------------------------------------------------------- */

/* The form of loop for single operands among the last two, or FORM_ARRAYS. */
static LoopForm form_of(const Planner *planner, const Instruction *at) {
  OperationShape shape = shape_of(at);
  bool select = shape == SHAPE_SELECT;
  bool formed = select || shape == SHAPE_BINARY || shape == SHAPE_COMPARE ||
                shape == SHAPE_EQUAL;
  if (!formed) return FORM_ARRAYS;
  uint32_t first = at->operands[select ? 1 : 0];
  uint32_t second = at->operands[select ? 2 : 1];
  LoopForm form = planner->facts.is_single[second]  ? FORM_SECOND
                  : planner->facts.is_single[first] ? FORM_FIRST
                                                    : FORM_ARRAYS;
  Operation operation = (Operation)at->operation;
  return loop_of(operation, (ValueType)at->type, form) != NULL ? form
                                                               : FORM_ARRAYS;
}

/* Where operand k of an instruction is read. */
static uint32_t operand_place(Planner *planner, const Instruction *at,
                              uint32_t k, LoopForm form) {
  uint32_t value = at->operands[k];
  if (value == NO_VALUE) return 0;
  if (!planner->facts.is_single[value]) return planner->places[value];
  uint32_t last = shape_of(at) == SHAPE_SELECT ? 2 : 1;
  bool as_single = (form == FORM_SECOND && k == last) ||
                   (form == FORM_FIRST && k + 1 == last);
  return as_single ? SINGLE_PLACE | value : spread(planner, value);
}

/* What runs an instruction; NULL: the VM itself. */
static Loop loop_for(const Planner *planner, const Instruction *at,
                     LoopForm form) {
  const ecs_Program *program = planner->facts.program;
  ValueType type = (ValueType)at->type;
  switch (shape_of(at)) {
    case SHAPE_QUANTIZE: return loop_quantize((ecs_Scalar)at->scalar, type);
    case SHAPE_STORE:
      return loop_store(program->columns[at->index].type,
                        (ValueType)program->types[at->operands[0]],
                        at->operands[1] != NO_VALUE);
    case SHAPE_LOAD: return loop_load(program->columns[at->index].type, type);
    default: break;
  }
  return shape_of(at) <= SHAPE_CONVERT
             ? loop_of((Operation)at->operation, type, form)
             : NULL;
}

static void plan_once(Planner *planner, const Instruction *at) {
  Step step = {.at = at, .loop = loop_for(planner, at, FORM_ARRAYS)};
  step.out = SINGLE_PLACE | at->result;
  for (uint32_t k = 0; k < 3; k++)
    step.operands[k] =
        at->operands[k] == NO_VALUE ? step.out : SINGLE_PLACE | at->operands[k];
  planner->places[at->result] = step.out;
  planner->once[planner->once_count++] = step;
}

/* A load that needs no step: the value is the column. */
static bool plan_direct_load(Planner *planner, const Instruction *at) {
  if (shape_of(at) != SHAPE_LOAD) return false;
  const ColumnFacts *facts = &planner->facts.columns[at->index];
  if (!facts_direct(&planner->facts, at->index, (ValueType)at->type) ||
      planner->facts.last_use[at->result] > facts->written_at)
    return false;
  planner->places[at->result] = COLUMN_PLACE | at->index;
  return true;
}

/* A store whose value has been computed in the column. */
static bool is_stored_already(const Planner *planner, const Instruction *at) {
  return shape_of(at) == SHAPE_STORE && at->operands[1] == NO_VALUE &&
         planner->places[at->operands[0]] == (COLUMN_PLACE | at->index) &&
         shape_of(&planner->facts.program
                       ->code[planner->facts.definition[at->operands[0]]]) !=
             SHAPE_LOAD;
}

/* Where an array, or a single value as it is, is read. */
static uint32_t plain_place(const Planner *planner, uint32_t value) {
  return planner->facts.is_single[value] ? SINGLE_PLACE | value
                                         : planner->places[value];
}

/* A sum or difference, with the product that is its operand k. */
static Step plan_product(const Planner *planner, const Instruction *at,
                         uint32_t k) {
  const Instruction *product =
      &planner->facts.program->code[planner->facts.definition[at->operands[k]]];
  uint32_t x = product->operands[0], y = product->operands[1];
  if (planner->facts.is_single[x]) {
    x = y;
    y = product->operands[0];
  }
  ProductKind kind = at->operation == OPERATION_PLUS ? PRODUCT_PLUS
                     : k == 0                        ? PRODUCT_MINUS
                                                     : MINUS_PRODUCT;
  LoopForm form = planner->facts.is_single[y] ? FORM_SECOND : FORM_ARRAYS;
  return (Step){loop_product(kind, (ValueType)at->type, form),
                at,
                0,
                {plain_place(planner, x), plain_place(planner, y),
                 planner->places[at->operands[1 - k]]}};
}

static Step plan_loop(Planner *planner, const Instruction *at) {
  for (uint32_t k = 0; k < 2; k++)
    if (at->result != NO_VALUE && shape_of(at) == SHAPE_BINARY &&
        planner->facts.is_part[at->operands[k]])
      return plan_product(planner, at, k);
  LoopForm form = form_of(planner, at);
  Step step = {.at = at, .loop = loop_for(planner, at, form)};
  for (uint32_t k = 0; k < 3; k++)
    step.operands[k] = operand_place(planner, at, k, form);
  return step;
}

static void plan_step(Planner *planner, uint32_t i) {
  const Instruction *at = &planner->facts.program->code[i];
  if (plan_direct_load(planner, at) || is_stored_already(planner, at) ||
      facts_part(&planner->facts, at))
    return;
  Step step = plan_loop(planner, at);
  if (shape_of(at) == SHAPE_LOAD || shape_of(at) == SHAPE_PRESENT)
    step.operands[0] = COLUMN_PLACE | at->index;
  if (shape_of(at) == SHAPE_STORE) step.out = COLUMN_PLACE | at->index;
  if (at->result != NO_VALUE) {
    uint32_t last = planner->facts.last_use[at->result];
    if (planner->places[at->result] == NO_VALUE)
      planner->places[at->result] = take_register(planner, i, last);
    step.out = planner->places[at->result];
  }
  if (is_change(at))
    planner->changes[planner->change_count++] = step;
  else if (facts_late(&planner->facts, at))
    planner->sums[planner->sum_count++] = step;
  else
    planner->steps[planner->step_count++] = step;
}

static void plan_code(Planner *planner) {
  for (uint32_t i = 0; i < planner->facts.program->code_count; i++) {
    const Instruction *at = &planner->facts.program->code[i];
    if (!facts_needed(&planner->facts, at)) continue;
    if (at->result != NO_VALUE && planner->facts.is_single[at->result])
      plan_once(planner, at);
    else
      plan_step(planner, i);
  }
}

/* The plan ---------------------------------------------------------------- */

static size_t lay_plan(ProgramPlan *plan, const ecs_Program *program,
                       char *block) {
  size_t used = sizeof(ProgramPlan);
  plan->steps = memory_lay(block, &used, plan->step_count, sizeof(Step));
  plan->once = memory_lay(block, &used, plan->once_count, sizeof(Step));
  plan->spread = memory_lay(block, &used, plan->spread_count, sizeof(Step));
  plan->sums = memory_lay(block, &used, plan->sum_count, sizeof(Step));
  plan->changes = memory_lay(block, &used, plan->change_count, sizeof(Step));
  plan->bases = memory_lay(block, &used, plan->base_count, sizeof(void *));
  plan->single = memory_lay(block, &used, program->value_count, sizeof(double));
  /* Registers start on a line. */
  char *registers = memory_lay(
      block, &used,
      (size_t)plan->register_count * LOOP_ROWS + ECS_LINE_BYTES / 8, 8);
  if (block == NULL) return used;
  uintptr_t over = (uintptr_t)registers % ECS_LINE_BYTES;
  if (over > 0) registers += ECS_LINE_BYTES - over;
  for (uint32_t k = 0; k < plan->register_count; k++)
    plan->bases[k] = registers + (size_t)k * LOOP_ROWS * 8;
  for (uint32_t k = 0; k < program->value_count; k++)
    plan->bases[plan->register_count + program->column_count + k] =
        &plan->single[k];
  return used;
}

static uint32_t final_place(const ProgramPlan *plan, const ecs_Program *program,
                            uint32_t place) {
  uint32_t index = place & ~PLACE_KIND;
  if (place == NO_VALUE) return 0;
  switch (place & PLACE_KIND) {
    case COLUMN_PLACE: return plan->register_count + index;
    case SINGLE_PLACE:
      return plan->register_count + program->column_count + index;
    default: return place;
  }
}

static void copy_steps(const ProgramPlan *plan, const ecs_Program *program,
                       const Step *from, Step *to, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    to[i] = from[i];
    to[i].out = final_place(plan, program, from[i].out);
    for (uint32_t k = 0; k < 3; k++)
      to[i].operands[k] = final_place(plan, program, from[i].operands[k]);
  }
}

/* How many steps touch a column. */
static uint32_t touches(const Planner *planner, uint32_t column) {
  uint32_t place = COLUMN_PLACE | column, count = 0;
  for (uint32_t i = 0; i < planner->step_count; i++) {
    const Step *step = &planner->steps[i];
    count += step->out == place || step->operands[0] == place ||
             step->operands[1] == place || step->operands[2] == place;
  }
  return count;
}

/* What stays in a core's first cache while a few steps go over it. */
#define CACHED_ROWS 2048u

/* Registers hold LOOP_ROWS. Without any, blocks only keep what one step leaves
 * for the next in the cache; and where no two touch the same column, there is
 * nothing to keep: each goes over all rows, as a loop written for it would.
 * That is 11 % of a step for 10,000 rows. */
static uint32_t choose_block_rows(const Planner *planner) {
  if (planner->register_count > 0) return LOOP_ROWS;
  if (planner->sum_count + planner->change_count > 0) return CACHED_ROWS;
  for (uint32_t c = 0; c < planner->facts.program->column_count; c++)
    if (touches(planner, c) > 1) return CACHED_ROWS;
  return UINT32_MAX;
}

static ecs_Status finish(const Planner *planner, ecs_Program *program) {
  ProgramPlan sizes = {.register_count = planner->register_count + 1,
                       .step_count = planner->step_count,
                       .once_count = planner->once_count,
                       .spread_count = planner->spread_count,
                       .sum_count = planner->sum_count,
                       .change_count = planner->change_count,
                       .block_rows = choose_block_rows(planner),
                       .base_count = planner->register_count + 1 +
                                     program->column_count +
                                     program->value_count};
  sizes.block_bytes = lay_plan(&sizes, program, NULL);
  ProgramPlan *plan = memory_zeroed(planner->memory, 1, sizes.block_bytes);
  if (plan == NULL) return ECS_E_MEMORY;
  *plan = sizes;
  lay_plan(plan, program, (char *)plan);
  copy_steps(plan, program, planner->steps, plan->steps, plan->step_count);
  copy_steps(plan, program, planner->once, plan->once, plan->once_count);
  copy_steps(plan, program, planner->spread, plan->spread, plan->spread_count);
  copy_steps(plan, program, planner->sums, plan->sums, plan->sum_count);
  copy_steps(plan, program, planner->changes, plan->changes,
             plan->change_count);
  program->plan = plan;
  return ECS_OK;
}

ecs_Status plan_create(ecs_Program *program) {
  Planner planner;
  if (!planner_init(&planner, program)) return ECS_E_MEMORY;
  plan_code(&planner);
  ecs_Status status = finish(&planner, program);
  planner_deinit(&planner);
  return status;
}

void plan_destroy(ecs_Program *program) {
  if (program->plan == NULL) return;
  memory_free(&program->query->store->memory, program->plan,
              program->plan->block_bytes);
  program->plan = NULL;
}

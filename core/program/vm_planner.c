/* vm_planner.c: places and loops for the instructions of a program.
 *
 * Facts are gathered first (program_facts.c). Then every instruction gets
 * places and a step, from the first to the last. The sizes of the plan are
 * known only after that, so the planner works in memory of its own and copies
 * the plan out of it.
 */
#include "program/vm_planner.h"

#include "program/program_facts.h"
#include "program/program_presence.h"
#include "program/program_whole.h"
#include "program/vm_regions.h"
#include "program/vm_turns.h"
#include "program/vm_whole_loops.h"

/* Looks at the entities of one value for one component, in several instructions
 * that share the places. In a cycle not all rows are located. */
typedef struct Lookup {
  uint32_t value;
  uint32_t component;
  uint32_t cycle; /* that all of them are inside; NO_VALUE: none */
  uint32_t last;  /* instruction that looks last */
  uint32_t place; /* register of the places; NO_VALUE: not located yet */
} Lookup;

typedef struct Planner {
  ProgramFacts facts;
  Memory *memory;         /* borrowed from the store */
  uint32_t *places;       /* per value; NO_VALUE: none yet */
  uint32_t *spread_place; /* per value: register it is spread over; NO_VALUE:
                             none */
  uint32_t *moved;      /* per value: of a carry, the register of a copy that is
                             read at the end of its turns; NO_VALUE: none */
  Lookup *lookups;      /* in the order of their first instructions */
  uint32_t *free_after; /* per register: last instruction that uses it */
  uint8_t *bytes;       /* per register: of its elements, if all have as many */
  Step *steps;          /* these six are copied into the plan */
  Step *once;
  Step *spread;
  Step *sums;
  Step *puts;
  Step *changes;
  PlanCycle *cycles;
  uint32_t register_count, step_count, once_count, spread_count;
  uint32_t sum_count, put_count, change_count, change_step, lookup_count;
  uint32_t split;     /* of the plan; NO_VALUE: nothing is seen yet */
  bool looks_once;    /* of the plan */
  size_t block_bytes; /* size of the allocation behind all arrays, which
                             starts at places */
} Planner;

/* While registers are being counted, the places of columns and single values
 * are their numbers with one of these bits. final_place puts them after the
 * registers. */
#define COLUMN_PLACE 0x40000000u
#define SINGLE_PLACE 0x80000000u
#define PLACE_KIND 0xc0000000u

/* Memory ------------------------------------------------------------------ */

static size_t lay_planner(Planner *planner, char *block) {
  uint32_t values = planner->facts.program->value_count;
  uint32_t code = planner->facts.program->code_count;
  uint32_t cycles = planner->facts.program->cycle_count;
  size_t used = 0;
  planner->places = memory_lay(block, &used, values, sizeof(uint32_t));
  planner->spread_place = memory_lay(block, &used, values, sizeof(uint32_t));
  planner->moved = memory_lay(block, &used, values, sizeof(uint32_t));
  planner->free_after = memory_lay(
      block, &used, 4 * (size_t)values + cycles + 1, sizeof(uint32_t));
  planner->bytes = memory_lay(block, &used, 4 * (size_t)values + cycles + 1,
                              sizeof(uint8_t));
  planner->lookups = memory_lay(block, &used, values, sizeof(Lookup));
  /* At most one copy for each next and again. */
  planner->steps = memory_lay(block, &used, 2 * (size_t)code, sizeof(Step));
  planner->once = memory_lay(block, &used, code, sizeof(Step));
  planner->spread = memory_lay(block, &used, values, sizeof(Step));
  planner->sums = memory_lay(block, &used, code, sizeof(Step));
  planner->puts = memory_lay(block, &used, code, sizeof(Step));
  planner->changes = memory_lay(block, &used, code, sizeof(Step));
  planner->cycles = memory_lay(block, &used, cycles, sizeof(PlanCycle));
  return used;
}

static void place_in_columns(Planner *planner) {
  for (uint32_t v = 0; v < planner->facts.program->value_count; v++) {
    uint32_t column = planner->facts.column[v];
    planner->places[v] = column == NO_VALUE ? NO_VALUE : COLUMN_PLACE | column;
    planner->spread_place[v] = NO_VALUE;
    planner->moved[v] = NO_VALUE;
  }
}

static bool planner_init(Planner *planner, const ecs_Program *program) {
  *planner =
      (Planner){.memory = &program->query->store->memory, .split = NO_VALUE};
  if (facts_init(&planner->facts, program) != ECS_OK) return false;
  planner->block_bytes = lay_planner(planner, NULL) + 1;
  char *block = memory_zeroed(planner->memory, 1, planner->block_bytes);
  if (block == NULL) {
    facts_deinit(&planner->facts);
    return false;
  }
  lay_planner(planner, block);
  place_in_columns(planner);
  return true;
}

/* The block starts with the first array. */
static void planner_deinit(Planner *planner) {
  memory_free(planner->memory, planner->places, planner->block_bytes);
  facts_deinit(&planner->facts);
}

/* Registers --------------------------------------------------------------- */

/* May the result of an instruction be written over its operands? Only if their
 * elements have the same size: a wider result would overwrite elements that are
 * still unread. Not over the places that a look-up reads, nor over an index that
 * is read behind the others; and a spawn reads the operands of all changes. */
static bool may_overwrite(const Planner *planner, const Instruction *ins) {
  if (instruction_is_look(ins) || ins->operation == OPERATION_SPAWN ||
      ins->operation == OPERATION_INDEX)
    return false;
  const uint8_t *types = planner->facts.program->types;
  uint32_t bytes = value_bytes((ValueType)types[ins->result]);
  for (uint32_t k = 0; k < OPERANDS; k++)
    if (ins->operands[k] != NO_VALUE &&
        value_bytes((ValueType)types[ins->operands[k]]) != bytes)
      return false;
  return true;
}

/* May a register have elements of so many bytes now? Where blocks are run in
 * slices, the next slice finds in registers what the block has left there, so
 * the elements of a row must not lie where another row has some. */
static bool may_hold(const Planner *planner, uint32_t k, uint32_t bytes) {
  return !planner->facts.program->sees_puts || planner->bytes[k] == bytes;
}

/* A register that instructions from busy_from on do not use yet, kept until
 * instruction last, for elements of so many bytes. Every register has eight
 * bytes per row. */
static uint32_t free_register(Planner *planner, uint32_t busy_from,
                              uint32_t last, uint32_t bytes) {
  uint32_t k = 0;
  while (k < planner->register_count &&
         (planner->free_after[k] >= busy_from || !may_hold(planner, k, bytes)))
    k++;
  if (k == planner->register_count) planner->register_count++;
  planner->bytes[k] = (uint8_t)bytes;
  ECS_ASSERT(planner->register_count <=
             4 * planner->facts.program->value_count +
                 planner->facts.program->cycle_count);
  planner->free_after[k] = last;
  return k;
}

/* A register for the result of instruction i, kept until instruction last. */
static uint32_t take_register(Planner *planner, uint32_t i, uint32_t last) {
  const Instruction *ins = &planner->facts.program->code[i];
  bool over = may_overwrite(planner, ins);
  ValueType type = (ValueType)planner->facts.program->types[ins->result];
  ECS_ASSERT(last >= i);
  return free_register(planner, over ? i + 1 : i, last, value_bytes(type));
}

/* The register that a single value is spread over. It is kept for the whole
 * run. */
static uint32_t spread(Planner *planner, uint32_t value) {
  if (planner->spread_place[value] != NO_VALUE)
    return planner->spread_place[value];
  uint32_t place = planner->register_count++;
  ECS_ASSERT(planner->facts.is_single[value]);
  ECS_ASSERT(planner->places[value] == (SINGLE_PLACE | value));
  ValueType type = (ValueType)planner->facts.program->types[value];
  planner->free_after[place] = UINT32_MAX;
  planner->bytes[place] = (uint8_t)value_bytes(type);
  planner->spread_place[value] = place;
  planner->spread[planner->spread_count++] = (Step){
      loop_fill(type),
      NULL,
      place,
      {SINGLE_PLACE | value, SINGLE_PLACE | value, SINGLE_PLACE | value}};
  return place;
}

/* Steps ------------------------------------------------------------------- */

/* The form of loop that takes the single operands of an instruction as they
 * are. FORM_ARRAYS: they must be spread, or there are none. */
static LoopForm form_of(const Planner *planner, const Instruction *ins) {
  OperationShape shape = instruction_shape(ins);
  bool select = shape == SHAPE_SELECT;
  bool formed = select || shape == SHAPE_BINARY || shape == SHAPE_COMPARE ||
                shape == SHAPE_EQUAL;
  if (!formed) return FORM_ARRAYS;
  uint32_t first = ins->operands[select ? 1 : 0];
  uint32_t second = ins->operands[select ? 2 : 1];
  LoopForm form = planner->facts.is_single[second]  ? FORM_SECOND
                  : planner->facts.is_single[first] ? FORM_FIRST
                                                    : FORM_ARRAYS;
  return whole_formed(ins, form) != NULL ? form : FORM_ARRAYS;
}

/* The place where operand k of an instruction is read. */
static uint32_t operand_place(Planner *planner, const Instruction *ins,
                              uint32_t k, LoopForm form) {
  uint32_t value = ins->operands[k];
  if (value == NO_VALUE) return 0;
  ECS_ASSERT(planner->places[value] != NO_VALUE);
  if (!planner->facts.is_single[value]) return planner->places[value];
  uint32_t last = instruction_shape(ins) == SHAPE_SELECT ? 2 : 1;
  bool as_single = (form == FORM_SECOND && k == last) ||
                   (form == FORM_FIRST && k + 1 == last);
  return as_single ? SINGLE_PLACE | value : spread(planner, value);
}

/* What is known of the numbers that an instruction makes fit a field. */
static KnownNumbers known_of(const Planner *planner, const Instruction *ins,
                             ecs_Scalar scalar) {
  WholeRange range = planner->facts.ranges[ins->operands[0]];
  return range_fits(range, scalar) ? KNOWN_FIT
         : range_is_known(range)   ? KNOWN_WHOLE
                                   : KNOWN_NOTHING;
}

static Loop loop_for_store(const Planner *planner, const Instruction *ins) {
  const ecs_Program *program = planner->facts.program;
  ecs_Scalar scalar = program->columns[ins->index].type;
  return loop_store(scalar, (ValueType)program->types[ins->operands[0]],
                    ins->operands[1] != NO_VALUE,
                    known_of(planner, ins, scalar));
}

/* The loop of an instruction that takes or makes whole numbers of 32 bits, but
 * does not compute with them. NULL: it is another one. */
static Loop loop_for_whole(const Planner *planner, const Instruction *ins) {
  const ecs_Program *program = planner->facts.program;
  uint32_t value = ins->operands[0];
  ValueType type = (ValueType)ins->type;
  ValueType from = value == NO_VALUE ? type : (ValueType)program->types[value];
  if (type < VALUE_WHOLE && from < VALUE_WHOLE) return NULL;
  ecs_Scalar scalar = program->columns[ins->index].type;
  switch (instruction_shape(ins)) {
    case SHAPE_LOAD: return whole_load(scalar);
    case SHAPE_QUANTIZE: return whole_quantize((ecs_Scalar)ins->scalar, type);
    case SHAPE_CONVERT: return whole_convert(type, from);
    case SHAPE_STORE:
      return whole_store(scalar, from, ins->operands[1] != NO_VALUE,
                         known_of(planner, ins, scalar) == KNOWN_FIT);
    default: return NULL;
  }
}

/* The loop of an instruction. NULL: vm_block.c runs it itself. */
static Loop loop_for(const Planner *planner, const Instruction *ins,
                     LoopForm form) {
  const ecs_Program *program = planner->facts.program;
  ValueType type = (ValueType)ins->type;
  Loop whole = loop_for_whole(planner, ins);
  if (whole != NULL) return whole;
  switch (instruction_shape(ins)) {
    case SHAPE_QUANTIZE:
      return loop_quantize((ecs_Scalar)ins->scalar, type,
                           known_of(planner, ins, (ecs_Scalar)ins->scalar));
    case SHAPE_STORE: return loop_for_store(planner, ins);
    case SHAPE_LOAD: return loop_load(program->columns[ins->index].type, type);
    default: break;
  }
  return instruction_shape(ins) <= SHAPE_CONVERT ? whole_formed(ins, form)
                                                 : NULL;
}

static void plan_once(Planner *planner, const Instruction *ins) {
  Step step = {.ins = ins, .loop = loop_for(planner, ins, FORM_ARRAYS)};
  step.out = SINGLE_PLACE | ins->result;
  for (uint32_t k = 0; k < OPERANDS; k++)
    step.operands[k] = ins->operands[k] == NO_VALUE
                           ? step.out
                           : SINGLE_PLACE | ins->operands[k];
  ECS_ASSERT(planner->facts.column[ins->result] == NO_VALUE);
  if (instruction_is_look(ins) || ins->operation == OPERATION_ALIVE)
    planner->looks_once = true;
  planner->places[ins->result] = step.out;
  planner->once[planner->once_count++] = step;
}

/* If a load needs no step because its value is the column, sets the place and
 * returns true. */
static bool plan_direct_load(Planner *planner, const Instruction *ins) {
  if (instruction_shape(ins) != SHAPE_LOAD) return false;
  const ColumnFacts *facts = &planner->facts.columns[ins->index];
  if (!facts_direct(&planner->facts, ins->index, (ValueType)ins->type) ||
      planner->facts.last_use[ins->result] > facts->written_at)
    return false;
  planner->places[ins->result] = COLUMN_PLACE | ins->index;
  return true;
}

/* Has the value of a store been computed in the column? */
static bool is_stored_already(const Planner *planner, const Instruction *ins) {
  return instruction_shape(ins) == SHAPE_STORE &&
         ins->operands[1] == NO_VALUE &&
         planner->places[ins->operands[0]] == (COLUMN_PLACE | ins->index) &&
         instruction_shape(
             &planner->facts.program
                  ->code[planner->facts.definition[ins->operands[0]]]) !=
             SHAPE_LOAD;
}

/* The place of an array, or of a single value that is not spread. */
static uint32_t plain_place(const Planner *planner, uint32_t value) {
  return planner->facts.is_single[value] ? SINGLE_PLACE | value
                                         : planner->places[value];
}

/* The step of a sum or difference with the product that is its operand k. */
static Step plan_product(const Planner *planner, const Instruction *ins,
                         uint32_t k) {
  const Instruction *product =
      &planner->facts.program
           ->code[planner->facts.definition[ins->operands[k]]];
  uint32_t x = product->operands[0], y = product->operands[1];
  ECS_ASSERT(product->operation == OPERATION_TIMES);
  ECS_ASSERT(!planner->facts.is_single[ins->operands[1 - k]]);
  if (planner->facts.is_single[x]) {
    x = y;
    y = product->operands[0];
  }
  ProductKind kind = ins->operation == OPERATION_PLUS ? PRODUCT_PLUS
                     : k == 0                         ? PRODUCT_MINUS
                                                      : MINUS_PRODUCT;
  LoopForm form = planner->facts.is_single[y] ? FORM_SECOND : FORM_ARRAYS;
  return (Step){loop_product(kind, (ValueType)ins->type, form),
                ins,
                0,
                {plain_place(planner, x), plain_place(planner, y),
                 planner->places[ins->operands[1 - k]]}};
}

static Step plan_loop(Planner *planner, const Instruction *ins) {
  for (uint32_t k = 0; k < 2; k++)
    if (ins->result != NO_VALUE && instruction_shape(ins) == SHAPE_BINARY &&
        planner->facts.is_part[ins->operands[k]])
      return plan_product(planner, ins, k);
  LoopForm form = form_of(planner, ins);
  Step step = {.ins = ins, .loop = loop_for(planner, ins, form)};
  for (uint32_t k = 0; k < OPERANDS; k++)
    step.operands[k] = operand_place(planner, ins, k, form);
  return step;
}

/* Look-ups ---------------------------------------------------------------- */

/* The look-up that an instruction is one of; NULL: there is none yet. */
static Lookup *find_lookup(const Planner *planner, uint32_t i) {
  const Instruction *ins = &planner->facts.program->code[i];
  uint32_t cycle = facts_cycle(&planner->facts, i);
  for (uint32_t k = planner->lookup_count; k-- > 0;) {
    Lookup *lookup = &planner->lookups[k];
    if (lookup->value == ins->operands[0] && lookup->component == ins->index &&
        lookup->cycle == cycle)
      return lookup;
  }
  return NULL;
}

static void find_lookups(Planner *planner) {
  const ecs_Program *program = planner->facts.program;
  for (uint32_t i = 0; i < program->code_count; i++) {
    const Instruction *ins = &program->code[i];
    if (!instruction_is_look(ins) || !facts_needed(&planner->facts, ins) ||
        planner->facts.is_single[ins->result])
      continue;
    Lookup *lookup = find_lookup(planner, i);
    if (lookup == NULL) {
      ECS_ASSERT(planner->lookup_count < program->value_count);
      lookup = &planner->lookups[planner->lookup_count++];
      *lookup = (Lookup){ins->operands[0], ins->index,
                         facts_cycle(&planner->facts, i), i, NO_VALUE};
    }
    lookup->last = i;
  }
}

/* Adds the places to the step of instruction i, which has or gets: the first
 * one of a look-up locates. */
static void plan_places(Planner *planner, uint32_t i, Step *step) {
  Lookup *lookup = find_lookup(planner, i);
  step->operands[2] = step->operands[0];
  if (lookup->place == NO_VALUE) {
    lookup->place = free_register(planner, i, lookup->last, sizeof(RowId));
    step->operands[2] = lookup->place;
  }
  step->operands[1] = lookup->place;
}

static void plan_step(Planner *planner, uint32_t i) {
  const Instruction *ins = &planner->facts.program->code[i];
  if (plan_direct_load(planner, ins) || is_stored_already(planner, ins) ||
      facts_part(&planner->facts, ins))
    return;
  Step step = plan_loop(planner, ins);
  if (instruction_shape(ins) == SHAPE_LOAD ||
      instruction_shape(ins) == SHAPE_PRESENT)
    step.operands[0] = COLUMN_PLACE | ins->index;
  if (instruction_shape(ins) == SHAPE_STORE)
    step.out = COLUMN_PLACE | ins->index;
  if (instruction_is_look(ins)) plan_places(planner, i, &step);
  if (ins->result != NO_VALUE) {
    uint32_t last = planner->facts.last_use[ins->result];
    if (planner->places[ins->result] == NO_VALUE)
      planner->places[ins->result] = take_register(planner, i, last);
    step.out = planner->places[ins->result];
  }
  if (instruction_is_change(ins)) {
    planner->changes[planner->change_count++] = step;
    planner->change_step = planner->step_count;
  } else if (instruction_shape(ins) == SHAPE_PUT)
    planner->puts[planner->put_count++] = step;
  else if (facts_late(&planner->facts, ins))
    planner->sums[planner->sum_count++] = step;
  else
    planner->steps[planner->step_count++] = step;
}

/* Cycles ------------------------------------------------------------------ */

static void add_step(Planner *planner, const Step *step) {
  planner->steps[planner->step_count++] = *step;
}

/* Is the value a carry of this cycle? */
static bool is_carry_of(const Planner *planner, uint32_t value,
                        const Cycle *cycle) {
  uint32_t made = planner->facts.definition[value];
  return made > cycle->repeat && made < cycle->first;
}

/* The place of operand k of a next, or of an instruction that decides which rows
 * stay in the cycle. */
static uint32_t turn_place(Planner *planner, uint32_t i, uint32_t k) {
  const Instruction *ins = &planner->facts.program->code[i];
  uint32_t value = ins->operands[k];
  bool ends =
      ins->operation == OPERATION_NEXT || ins->operation == OPERATION_AGAIN;
  if (ends && value != NO_VALUE && planner->moved[value] != NO_VALUE &&
      is_carry_of(planner, value,
                  &planner->facts.cycles[planner->facts.inside[i]]))
    return planner->moved[value];
  return operand_place(planner, ins, k, FORM_ARRAYS);
}

/* The active rows get a register when the carries have their first values. */
static void plan_repeat(Planner *planner, uint32_t number) {
  const Cycle *cycle = &planner->facts.cycles[number];
  const Instruction *ins = &planner->facts.program->code[cycle->repeat];
  uint32_t place = free_register(planner, cycle->first - 1, cycle->again,
                                 value_bytes(VALUE_BOOL));
  const Step step = {
      .ins = ins,
      .out = place,
      .operands = {turn_place(planner, cycle->repeat, 0), place, number}};
  add_step(planner, &step);
  planner->cycles[number] = (PlanCycle){
      .first = planner->step_count, .active = place, .outer = cycle->outer};
}

/* A carry starts with the value that is its operand. */
static void plan_carry(Planner *planner, uint32_t i) {
  const Instruction *ins = &planner->facts.program->code[i];
  uint32_t value = ins->operands[0], carry = ins->result;
  ValueType type = (ValueType)ins->type;
  uint32_t place = free_register(planner, i, planner->facts.last_use[carry],
                                 value_bytes(type));
  planner->places[carry] = place;
  const Step step = {.loop = planner->facts.is_single[value] ? loop_fill(type)
                                                             : turns_copy(type),
                     .ins = ins,
                     .out = place,
                     .operands = {plain_place(planner, value), place, place}};
  add_step(planner, &step);
}

/* Before the first next of a turn, which is instruction i: copies each carry
 * that a later one, or again, takes for its value. All take place at once. */
static void move_carries(Planner *planner, uint32_t i) {
  const ecs_Program *program = planner->facts.program;
  const Cycle *cycle = &planner->facts.cycles[planner->facts.inside[i]];
  for (uint32_t k = i + 1; k <= cycle->again; k++) {
    const Instruction *ins = &program->code[k];
    uint32_t value = ins->operands[k == cycle->again ? 0 : 1];
    if (value == NO_VALUE || !facts_needed(&planner->facts, ins)) continue;
    if (!is_carry_of(planner, value, cycle) ||
        planner->moved[value] != NO_VALUE)
      continue;
    uint32_t place = planner->places[value];
    const Step step = {
        .loop = turns_copy((ValueType)program->types[value]),
        .ins = &program->code[planner->facts.definition[value]],
        .out = free_register(planner, i, cycle->again,
                             value_bytes((ValueType)program->types[value])),
        .operands = {place, place, place}};
    planner->moved[value] = step.out;
    add_step(planner, &step);
  }
}

static void plan_next(Planner *planner, uint32_t i) {
  const ProgramFacts *facts = &planner->facts;
  const Instruction *ins = &facts->program->code[i];
  uint32_t carry = ins->operands[0], value = ins->operands[1];
  if (carry == value) return;
  uint32_t place = turn_place(planner, i, 1);
  bool dies = place == planner->places[value] && (place & PLACE_KIND) == 0 &&
              facts->last_use[value] == i;
  const Step step = {
      .loop = loop_of(OPERATION_SELECT, (ValueType)facts->program->types[carry],
                      FORM_ARRAYS),
      .ins = ins,
      .out = planner->places[carry],
      .operands = {planner->cycles[facts->inside[i]].active, place,
                   dies ? place : planner->places[carry]}};
  add_step(planner, &step);
}

/* Plans an instruction of a cycle's frame. */
static void plan_turn(Planner *planner, uint32_t i) {
  const Instruction *ins = &planner->facts.program->code[i];
  if (ins->operation == OPERATION_REPEAT) return; /* behind its carries */
  if (ins->operation == OPERATION_CARRY) {
    plan_carry(planner, i);
    return;
  }
  if (ins->operation == OPERATION_NEXT) {
    plan_next(planner, i);
    return;
  }
  PlanCycle *cycle = &planner->cycles[planner->facts.inside[i]];
  const Step step = {
      .ins = ins,
      .out = cycle->active,
      .operands = {turn_place(planner, i, 0), cycle->active, cycle->active}};
  add_step(planner, &step);
  if (ins->operation == OPERATION_AGAIN) cycle->after = planner->step_count;
}

static void plan_instruction(Planner *planner, uint32_t i) {
  const Instruction *ins = &planner->facts.program->code[i];
  if (ins->operation == OPERATION_NEXT && ins[-1].operation != OPERATION_NEXT)
    move_carries(planner, i);
  if (!facts_needed(&planner->facts, ins)) return;
  if (instruction_is_turn(ins) || ins->operation == OPERATION_CARRY)
    plan_turn(planner, i);
  else if (ins->result != NO_VALUE && planner->facts.is_single[ins->result])
    plan_once(planner, ins);
  else
    plan_step(planner, i);
}

static void plan_code(Planner *planner) {
  uint32_t begun = 0;
  find_lookups(planner);
  for (uint32_t i = 0; i < planner->facts.program->code_count; i++) {
    if (planner->split == NO_VALUE &&
        instruction_sees_puts(planner->facts.program,
                              &planner->facts.program->code[i]))
      planner->split = planner->step_count;
    if (begun < planner->facts.program->cycle_count &&
        planner->facts.cycles[begun].first == i)
      plan_repeat(planner, begun++);
    plan_instruction(planner, i);
  }
}

/* The plan ---------------------------------------------------------------- */

/* How many steps read or write a column. */
static uint32_t touches(const Planner *planner, uint32_t column) {
  uint32_t place = COLUMN_PLACE | column, count = 0;
  for (uint32_t i = 0; i < planner->step_count; i++) {
    const Step *step = &planner->steps[i];
    count += step->out == place || step->operands[0] == place ||
             step->operands[1] == place || step->operands[2] == place;
  }
  return count;
}

/* Rows that stay in the first-level cache while a few steps go over them. */
#define CACHED_ROWS 2048u

/* A register holds LOOP_ROWS. Without registers, blocks only keep in the cache
 * what one step leaves for the next. If no two steps share a column either,
 * there is nothing to keep, and each step goes over all rows, as a loop written
 * by hand would. That saves 11 % of a step over 10,000 rows. */
static uint32_t choose_block_rows(const Planner *planner) {
  if (planner->register_count > 0) return LOOP_ROWS;
  if (planner->sum_count + planner->put_count + planner->change_count > 0)
    return CACHED_ROWS;
  for (uint32_t c = 0; c < planner->facts.program->column_count; c++)
    if (touches(planner, c) > 1) return CACHED_ROWS;
  return UINT32_MAX;
}

static uint32_t final_place(const ProgramPlan *plan, const ecs_Program *program,
                            uint32_t place) {
  uint32_t index = place & ~PLACE_KIND;
  if (place == NO_VALUE) return 0;
  ECS_ASSERT((place & PLACE_KIND) != PLACE_KIND);
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
    for (uint32_t k = 0; k < OPERANDS; k++)
      to[i].operands[k] = final_place(plan, program, from[i].operands[k]);
  }
}

/* Is a step run in a visit? */
static bool is_visited(const Planner *planner, const Step *step) {
  const ProgramFacts *facts = &planner->facts;
  const Instruction *ins = step->ins;
  if (ins->result == NO_VALUE) return false;
  return facts->is_key[ins->result] || facts_shows(facts, ins);
}

/* How many of the first arrays must be filled for a step of a visit. */
static uint32_t step_follows(const Planner *planner, const Step *step) {
  const ProgramFacts *facts = &planner->facts;
  const Instruction *ins = step->ins;
  return facts->follows[facts_looks(ins) ? ins->operands[0] : ins->result];
}

static uint32_t count_visits(const Planner *planner) {
  uint32_t count = 0;
  if (planner->facts.program->cycle_count > 0) return 0;
  for (uint32_t i = 0; i < planner->step_count; i++)
    count += is_visited(planner, &planner->steps[i]);
  return count;
}

/* Does the run look at an array with the key of this look? */
static bool looks_there(const Planner *planner, const Instruction *look) {
  const ecs_Program *program = planner->facts.program;
  for (uint32_t i = 0; i < program->code_count; i++) {
    const Instruction *ins = &program->code[i];
    if (facts_looks(ins) && facts_needed(&planner->facts, ins) &&
        ins->index == look->index && ins->operands[0] == look->operands[0])
      return true;
  }
  return false;
}

/* Are the keys of a look known once the arrays before it are filled? Or is it
 * left out for no other reason than that the run looks there anyway? */
static bool is_shown(const Planner *planner, const Instruction *look) {
  return facts_needed(&planner->facts, look)
             ? facts_shows(&planner->facts, look)
             : looks_there(planner, look);
}

/* Finds how many of the first arrays must be filled for the keys of each. */
static void plan_keys(const Planner *planner, ProgramPlan *plan,
                      const ecs_Program *program) {
  for (uint32_t a = 0; a < program->array_count; a++)
    plan->keys_follow[a] = program->cycle_count > 0 ? NO_VALUE : 0;
  for (uint32_t i = 0; i < program->code_count; i++) {
    const Instruction *ins = &program->code[i];
    if (!facts_looks(ins)) continue;
    uint32_t follows = planner->facts.follows[ins->operands[0]];
    uint32_t *known = &plan->keys_follow[ins->index];
    if (!is_shown(planner, ins)) follows = NO_VALUE;
    if (*known < follows) *known = follows;
  }
}

/* Copies the steps of a visit, out of those that are in the plan. In cycles keys
 * are not known before. */
static void plan_visits(const Planner *planner, ProgramPlan *plan,
                        const ecs_Program *program) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < planner->step_count && program->cycle_count == 0;
       i++) {
    if (!is_visited(planner, &planner->steps[i])) continue;
    plan->visit_follows[count] = step_follows(planner, &planner->steps[i]);
    plan->visits[count++] = plan->steps[i];
  }
  ECS_ASSERT(count == plan->visit_count);
  plan_keys(planner, plan, program);
}

/* Slices ------------------------------------------------------------------- */

/* Is a value known for a whole block before anything that is seen? */
static bool is_unseen(const Planner *planner, uint32_t value) {
  const ProgramFacts *facts = &planner->facts;
  uint32_t i = 0;
  while (!instruction_sees_puts(facts->program, &facts->program->code[i])) i++;
  return facts->is_single[value] || facts->definition[value] < i;
}

static bool is_seen_step(const Planner *planner, const Step *step) {
  return instruction_sees_puts(planner->facts.program, step->ins);
}

static uint32_t count_seen(const Planner *planner) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < planner->step_count; k++)
    count += is_seen_step(planner, &planner->steps[k]);
  return count;
}

/* Are the keys of all steps of the list known before? */
static bool keys_are_unseen(const Planner *planner, const Step *steps,
                            uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (!is_unseen(planner, steps[k].ins->operands[0])) return false;
  return true;
}

/* Adds a place to those that move from slice to slice. */
static void add_moving(const Planner *planner, ProgramPlan *plan,
                       uint32_t place) {
  const ecs_Program *program = planner->facts.program;
  uint32_t column = place - plan->register_count, bytes = 0;
  if (place < plan->register_count - 1)
    bytes = planner->bytes[place];
  else if (place >= plan->register_count && column < program->column_count)
    bytes = (uint32_t)scalar_bytes(program->columns[column].type);
  if (bytes > 0) plan_add_moving(plan, place, bytes);
}

static void add_all_moving(const Planner *planner, ProgramPlan *plan,
                           const Step *steps, uint32_t count) {
  for (uint32_t s = 0; s < count; s++) {
    add_moving(planner, plan, steps[s].out);
    for (uint32_t k = 0; k < OPERANDS; k++)
      add_moving(planner, plan, steps[s].operands[k]);
    for (uint32_t k = 0; k < instruction_columns(steps[s].ins); k++)
      add_moving(planner, plan, plan_column(plan, steps[s].ins->index + k));
  }
}

/* Of a program that sees what it puts: finds which steps are run in slices, and
 * what moves from slice to slice. A cycle behind the split, or a change before
 * it, cannot be; nor an nth, which reads the list of a row of the block. */
static void plan_slices(const Planner *planner, ProgramPlan *plan) {
  const ecs_Program *program = planner->facts.program;
  if (!program->sees_puts || planner->split == NO_VALUE) {
    plan->split = plan->step_count;
    return;
  }
  bool able = !program->changes_first || plan->split <= plan->change_step;
  uint32_t seen = 0;
  for (uint32_t k = plan->split; k < plan->step_count; k++) {
    const Instruction *ins = plan->steps[k].ins;
    if (instruction_is_turn(ins) || ins->operation == OPERATION_NTH)
      able = false;
    if (is_seen_step(planner, &plan->steps[k]))
      plan->seen[seen++] = plan->steps[k];
  }
  ECS_ASSERT(seen == plan->seen_count);
  plan->keys_are_known =
      keys_are_unseen(planner, plan->seen, plan->seen_count) &&
      keys_are_unseen(planner, plan->puts, plan->put_count);
  for (uint32_t k = 0; k < plan->put_count; k++) {
    uint32_t mask = plan->puts[k].ins->operands[2];
    plan->masks_are_known[k] = mask != NO_VALUE && is_unseen(planner, mask);
  }
  plan->slices = able;
  add_all_moving(planner, plan, plan->steps + plan->split,
                 plan->step_count - plan->split);
  add_all_moving(planner, plan, plan->puts, plan->put_count);
  add_all_moving(planner, plan, plan->changes, plan->change_count);
}

/* All of it ---------------------------------------------------------------- */

static ecs_Status finish(const Planner *planner, ecs_Program *owner) {
  const ecs_Program *program = planner->facts.program;
  ProgramPlan sizes = {.register_count = planner->register_count + 1,
                       .step_count = planner->step_count,
                       .once_count = planner->once_count,
                       .spread_count = planner->spread_count,
                       .sum_count = planner->sum_count,
                       .put_count = planner->put_count,
                       .split = planner->split,
                       .seen_count = count_seen(planner),
                       .change_count = planner->change_count,
                       .change_step = planner->change_step,
                       .visit_count = count_visits(planner),
                       .cycle_count = program->cycle_count,
                       .block_rows = choose_block_rows(planner),
                       .looks_once = planner->looks_once,
                       .base_count = planner->register_count + 1 +
                                     program->column_count +
                                     program->value_count};
  ProgramPlan *plan = plan_create(program, &sizes);
  if (plan == NULL) return ECS_E_MEMORY;
  copy_steps(plan, program, planner->steps, plan->steps, plan->step_count);
  copy_steps(plan, program, planner->once, plan->once, plan->once_count);
  copy_steps(plan, program, planner->spread, plan->spread, plan->spread_count);
  copy_steps(plan, program, planner->sums, plan->sums, plan->sum_count);
  copy_steps(plan, program, planner->puts, plan->puts, plan->put_count);
  copy_steps(plan, program, planner->changes, plan->changes,
             plan->change_count);
  plan_visits(planner, plan, program);
  plan_slices(planner, plan);
  for (uint32_t c = 0; c < program->cycle_count; c++)
    plan->cycles[c] = planner->cycles[c];
  owner->plan = plan;
  return ECS_OK;
}

/* Plans a program by itself. */
static ecs_Status plan_alone(ecs_Program *program) {
  Planner planner;
  if (whole_find(program) != ECS_OK) return ECS_E_MEMORY;
  if (!planner_init(&planner, program_planned(program))) return ECS_E_MEMORY;
  plan_code(&planner);
  ecs_Status status = finish(&planner, program);
  if (status == ECS_OK) status = regions_find(&planner.facts, program->plan);
  planner_deinit(&planner);
  if (status != ECS_OK) return status;
  ECS_ASSERT(plan_check_invariants(program));
  return ECS_OK;
}

/* Makes and plans the program where no optional column is there, and where all
 * are. */
static ecs_Status plan_assumed(ecs_Program *program) {
  ecs_Status status = ECS_OK;
  for (uint32_t there = 0; presence_matters(program) && there < 2; there++) {
    ecs_Program *made = presence_assume(program, there);
    program->assumed[there] = made;
    status = made == NULL ? ECS_E_MEMORY : plan_alone(made);
    if (status != ECS_OK) return status;
  }
  return status;
}

ecs_Status program_plan(ecs_Program *program) {
  ecs_Status status = plan_assumed(program);
  if (status == ECS_OK) status = plan_alone(program);
  if (status != ECS_OK) program_unplan(program);
  return status;
}

static void unplan(ecs_Program *program) {
  plan_destroy(program);
  whole_free(program);
}

void program_unplan(ecs_Program *program) {
  for (uint32_t there = 0; there < 2; there++) {
    if (program->assumed[there] == NULL) continue;
    unplan(program->assumed[there]);
    presence_free(program->assumed[there]);
    program->assumed[there] = NULL;
  }
  unplan(program);
}

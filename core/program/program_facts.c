/* program_facts.c: passes over the code of a program, each finding one thing.
 *
 * Each pass relies on the ones before it:
 *
 *  1. which values are needed, from the last instruction back; where a carry of
 *     a cycle is found to be needed, from the last once more;
 *  2. how often values are used, and which are single;
 *  3. which products are computed with the one sum that uses them;
 *  4. when values are used for the last time: operands of such a product are
 *     used where its sum is;
 *  5. which values keys of arrays follow from: a visit computes these alone;
 *  6. which values can be computed in the column that they are stored to;
 *  7. which values are whole numbers (program_ranges.c).
 */
#include "program/program_facts.h"

/* Memory ------------------------------------------------------------------ */

static size_t lay_facts(ProgramFacts *facts, char *block) {
  const ecs_Program *program = facts->program;
  uint32_t values = program->value_count;
  size_t used = 0;
  facts->last_use = memory_lay(block, &used, values, sizeof(uint32_t));
  facts->definition = memory_lay(block, &used, values, sizeof(uint32_t));
  facts->column = memory_lay(block, &used, values, sizeof(uint32_t));
  facts->ranges = memory_lay(block, &used, values, sizeof(WholeRange));
  facts->uses = memory_lay(block, &used, values, sizeof(uint32_t));
  facts->follows = memory_lay(block, &used, values, sizeof(uint32_t));
  facts->is_single = memory_lay(block, &used, values, sizeof(bool));
  facts->is_needed = memory_lay(block, &used, values, sizeof(bool));
  facts->is_part = memory_lay(block, &used, values, sizeof(bool));
  facts->is_key = memory_lay(block, &used, values, sizeof(bool));
  facts->adders =
      memory_lay(block, &used, program->reduction_count, sizeof(uint32_t));
  facts->columns =
      memory_lay(block, &used, program->column_count, sizeof(ColumnFacts));
  facts->cycles = memory_lay(block, &used, program->cycle_count, sizeof(Cycle));
  facts->inside = memory_lay(
      block, &used, program->cycle_count == 0 ? 0 : program->code_count,
      sizeof(uint32_t));
  return used;
}

/* Values ------------------------------------------------------------------ */

/* Does an instruction give the same result for every row, if its operands are
 * the same for every row? Looking up an entity does where rows do not see what
 * rows before them have done. */
static bool is_pure(const ecs_Program *program, const Instruction *ins) {
  OperationShape shape = instruction_shape(ins);
  if (shape == SHAPE_ALIVE || instruction_is_look(ins))
    return !program_goes_row_by_row(program);
  if (instruction_sees_puts(program, ins)) return false;
  return shape <= SHAPE_CONSTANT ||
         (shape >= SHAPE_UNIFORM && shape <= SHAPE_INSIDE);
}

static bool all_single(const ProgramFacts *facts, const Instruction *ins) {
  for (uint32_t k = 0; k < OPERANDS; k++)
    if (ins->operands[k] != NO_VALUE && !facts->is_single[ins->operands[k]])
      return false;
  return true;
}

static void note_store(ProgramFacts *facts, const Instruction *ins,
                       uint32_t i) {
  bool whole =
      instruction_shape(ins) == SHAPE_STORE && ins->operands[1] == NO_VALUE;
  for (uint32_t k = 0; k < instruction_columns(ins); k++) {
    ColumnFacts *column = &facts->columns[ins->index + k];
    ECS_ASSERT(ins->index + k < facts->program->column_count);
    if (column->stores == 0) column->written_at = i;
    column->stores++;
    column->store = whole ? i : NO_VALUE;
  }
}

/* Returns the number of carries that are known to be needed. */
static uint32_t find_needed_once(ProgramFacts *facts) {
  const ecs_Program *program = facts->program;
  uint32_t carries = 0;
  for (uint32_t i = program->code_count; i-- > 0;) {
    const Instruction *ins = &program->code[i];
    if (!facts_needed(facts, ins)) continue;
    carries += ins->operation == OPERATION_CARRY;
    for (uint32_t k = 0; k < OPERANDS; k++)
      if (ins->operands[k] != NO_VALUE)
        facts->is_needed[ins->operands[k]] = true;
  }
  return carries;
}

/* An operand of a needed instruction is needed. Going backwards, one pass finds
 * them all; but that a carry is needed is found behind its next. */
static void find_needed(ProgramFacts *facts) {
  uint32_t before = 0, carries = find_needed_once(facts);
  while (carries > before) {
    before = carries;
    carries = find_needed_once(facts);
  }
}

/* Also finds definitions and single values. */
static void count_uses(ProgramFacts *facts) {
  const ecs_Program *program = facts->program;
  for (uint32_t i = 0; i < program->code_count; i++) {
    const Instruction *ins = &program->code[i];
    for (uint32_t k = 0; facts_needed(facts, ins) && k < OPERANDS; k++)
      if (ins->operands[k] != NO_VALUE) facts->uses[ins->operands[k]]++;
    if (instruction_shape(ins) == SHAPE_REDUCE) facts->adders[ins->index]++;
    if (ins->result == NO_VALUE) continue;
    facts->definition[ins->result] = i;
    facts->is_single[ins->result] =
        is_pure(program, ins) && all_single(facts, ins);
    facts->column[ins->result] = NO_VALUE;
  }
}

/* Which operand of a sum or difference, 0 or 1, is a product that can be
 * computed with it. NO_VALUE: neither. */
static uint32_t product_operand(const ProgramFacts *facts,
                                const Instruction *ins) {
  const ecs_Program *program = facts->program;
  if ((ins->operation != OPERATION_PLUS && ins->operation != OPERATION_MINUS) ||
      ins->type > VALUE_F64)
    return NO_VALUE;
  for (uint32_t k = 0; k < 2; k++) {
    uint32_t value = ins->operands[k], other = ins->operands[1 - k];
    const Instruction *made = &program->code[facts->definition[value]];
    if (made->operation == OPERATION_TIMES && facts->uses[value] == 1 &&
        !facts->is_single[value] && !facts->is_single[other] &&
        facts_cycle(facts, facts->definition[value]) ==
            facts_cycle(facts, facts->definition[ins->result]))
      return k;
  }
  return NO_VALUE;
}

static void find_products(ProgramFacts *facts) {
  const ecs_Program *program = facts->program;
  for (uint32_t i = 0; i < program->code_count; i++) {
    const Instruction *ins = &program->code[i];
    if (!facts_needed(facts, ins)) continue;
    uint32_t k = product_operand(facts, ins);
    if (k != NO_VALUE && !facts->is_single[ins->result])
      facts->is_part[ins->operands[k]] = true;
  }
}

/* Where the use of a value ends that instruction i uses: at the end of the
 * outermost cycle that i is inside and the value's definition is not. */
static uint32_t end_of_use(const ProgramFacts *facts, uint32_t value,
                           uint32_t i) {
  if (facts->program->cycle_count == 0 || i == facts->program->code_count)
    return i;
  uint32_t home = facts->inside[facts->definition[value]], end = i;
  for (uint32_t cycle = facts->inside[i]; cycle != home;
       cycle = facts->cycles[cycle].outer)
    end = facts->cycles[cycle].again;
  return end;
}

static void use_until(ProgramFacts *facts, uint32_t value, uint32_t i) {
  uint32_t end = end_of_use(facts, value, i);
  if (facts->last_use[value] < end) facts->last_use[value] = end;
}

/* Instruction i uses a value. If the value is a product that is computed there,
 * so are its operands. */
static void note_use(ProgramFacts *facts, uint32_t value, uint32_t i) {
  ECS_ASSERT(facts->definition[value] < i);
  use_until(facts, value, i);
  if (!facts->is_part[value]) return;
  const Instruction *product = &facts->program->code[facts->definition[value]];
  use_until(facts, product->operands[0], i);
  use_until(facts, product->operands[1], i);
}

/* When instruction i uses its operands. A repeat begins when the carries have
 * their first values. */
static uint32_t use_time(const ProgramFacts *facts, const Instruction *ins,
                         uint32_t i) {
  if (ins->operation == OPERATION_REPEAT)
    while (facts->program->code[i + 1].operation == OPERATION_CARRY) i++;
  if (facts_late(facts, ins)) return facts->program->code_count;
  return instruction_is_change(ins) ? facts->changes_at : i;
}

/* Finds where changes that come first are made: at the last of them. */
static void find_changes(ProgramFacts *facts) {
  const ecs_Program *program = facts->program;
  for (uint32_t i = 0; program->changes_first && i < program->code_count; i++)
    if (instruction_is_change(&program->code[i])) facts->changes_at = i;
}

/* Also finds the stores of columns. */
static void find_last_uses(ProgramFacts *facts) {
  const ecs_Program *program = facts->program;
  for (uint32_t k = 0; k < program->column_count; k++)
    facts->columns[k] = (ColumnFacts){NO_VALUE, 0, NO_VALUE};
  for (uint32_t i = 0; i < program->code_count; i++) {
    const Instruction *ins = &program->code[i];
    uint32_t when = use_time(facts, ins, i);
    for (uint32_t k = 0; facts_needed(facts, ins) && k < OPERANDS; k++)
      if (ins->operands[k] != NO_VALUE) note_use(facts, ins->operands[k], when);
    if (ins->operation == OPERATION_SPAWN) use_until(facts, ins->result, when);
    if (instruction_shape(ins) == SHAPE_STORE ||
        instruction_shape(ins) == SHAPE_SCATTER)
      note_store(facts, ins, i);
  }
}

/* Keys -------------------------------------------------------------------- */

/* What the operands of an instruction follow from. */
static uint32_t operands_follow(const ProgramFacts *facts,
                                const Instruction *ins) {
  uint32_t follows = 0;
  for (uint32_t k = 0; k < OPERANDS; k++)
    if (ins->operands[k] != NO_VALUE &&
        facts->follows[ins->operands[k]] > follows)
      follows = facts->follows[ins->operands[k]];
  return follows;
}

/* First forwards, what elements lead to, and what else a visit does not compute;
 * then backwards, what leads to keys. */
static void find_keys(ProgramFacts *facts) {
  const ecs_Program *program = facts->program;
  if (program->array_count == 0) return;
  for (uint32_t i = 0; i < program->code_count; i++) {
    const Instruction *ins = &program->code[i];
    if (ins->result == NO_VALUE) continue;
    uint32_t follows = operands_follow(facts, ins);
    if ((facts_looks(ins) || ins->operation == OPERATION_INDEX) &&
        follows <= ins->index)
      follows = ins->index + 1;
    if (instruction_is_look(ins) || instruction_is_near(ins) ||
        instruction_sees_puts(program, ins) ||
        ins->operation == OPERATION_SPAWN)
      follows = NO_VALUE;
    facts->follows[ins->result] = follows;
  }
  for (uint32_t i = program->code_count; i-- > 0;) {
    const Instruction *ins = &program->code[i];
    if (ins->result == NO_VALUE || !facts_needed(facts, ins)) continue;
    if (facts_shows(facts, ins)) facts->is_key[ins->operands[0]] = true;
    for (uint32_t k = 0; facts->is_key[ins->result] && k < OPERANDS; k++)
      if (ins->operands[k] != NO_VALUE) facts->is_key[ins->operands[k]] = true;
  }
}

/* Columns ----------------------------------------------------------------- */

/* Has an array of such values the layout of a column of this scalar type? */
static bool is_natural(ecs_Scalar scalar, ValueType type) {
  return (scalar == ECS_F32 && type == VALUE_F32) ||
         (scalar == ECS_F64 && type == VALUE_F64) ||
         (scalar == ECS_I32 && type == VALUE_WHOLE) ||
         (scalar == ECS_U32 && type == VALUE_NATURAL) ||
         (scalar == ECS_ENTITY && type == VALUE_ENTITY);
}

bool facts_direct(const ProgramFacts *facts, uint32_t column, ValueType type) {
  const ecs_KernelColumn *known = &facts->program->columns[column];
  return !access_is_optional(known->access) && is_natural(known->type, type);
}

/* Is no old value of the column used after instruction i? */
static bool old_values_end(const ProgramFacts *facts, uint32_t column,
                           uint32_t i) {
  const ecs_Program *program = facts->program;
  for (uint32_t k = 0; k < program->code_count; k++) {
    const Instruction *ins = &program->code[k];
    if (!instruction_reads(ins, column) || !facts_needed(facts, ins)) continue;
    bool copied = instruction_shape(ins) == SHAPE_ELEMENT;
    if (k > i || (!copied && facts->last_use[ins->result] > i)) return false;
  }
  return true;
}

/* The number of the last instruction that may stop the run before a row, or that
 * ends a cycle; 0: there is none. */
static uint32_t last_stop(const ProgramFacts *facts) {
  const ecs_Program *program = facts->program;
  bool stops = program->exits || program->cycle_count > 0;
  uint32_t last = facts->changes_at;
  for (uint32_t i = last; stops && i < program->code_count; i++)
    if (program->code[i].operation == OPERATION_EXIT ||
        program->code[i].operation == OPERATION_AGAIN)
      last = i;
  return last;
}

/* A stored value can be computed in its column if nothing else is stored there,
 * every row is, and no old value is used later; and not before the run may have
 * to stop, or in or before a cycle, which may be endless. */
static void find_columns(ProgramFacts *facts) {
  const ecs_Program *program = facts->program;
  uint32_t stop = last_stop(facts);
  for (uint32_t c = 0; c < program->column_count; c++) {
    ColumnFacts *column = &facts->columns[c];
    if (column->stores != 1 || column->store == NO_VALUE) continue;
    uint32_t value = program->code[column->store].operands[0];
    uint32_t i = facts->definition[value];
    const Instruction *ins = &program->code[i];
    if (facts->is_single[value] || facts->column[value] != NO_VALUE ||
        facts->is_key[value] || instruction_shape(ins) > SHAPE_QUANTIZE ||
        facts_part(facts, ins) ||
        !facts_direct(facts, c, (ValueType)program->types[value]) ||
        !old_values_end(facts, c, i) || i < stop)
      continue;
    facts->column[value] = c;
    column->written_at = i;
  }
}

/* Invariants -------------------------------------------------------------- */

#ifdef ECS_CHECKED

/* An operand of instruction i, which is needed: it is defined before, and known
 * to be used there. */
static bool operand_is_known(const ProgramFacts *facts, uint32_t value,
                             uint32_t i) {
  const ecs_Program *program = facts->program;
  const Instruction *ins = &program->code[i];
  uint32_t when = end_of_use(facts, value, use_time(facts, ins, i));
  return value < program->value_count && facts->definition[value] < i &&
         facts->is_needed[value] && facts->uses[value] > 0 &&
         facts->last_use[value] >= when;
}

/* A product that is computed with its sum has only that use and no step, so
 * what it takes is kept until then. */
static bool part_is_known(const ProgramFacts *facts, uint32_t value) {
  const Instruction *ins = &facts->program->code[facts->definition[value]];
  return ins->operation == OPERATION_TIMES && facts->uses[value] == 1 &&
         !facts->is_single[value] && facts->column[value] == NO_VALUE &&
         facts->last_use[ins->operands[0]] >= facts->last_use[value] &&
         facts->last_use[ins->operands[1]] >= facts->last_use[value];
}

/* A value is computed in a column only where it is all that is stored there. */
static bool column_is_known(const ProgramFacts *facts, uint32_t value) {
  const ColumnFacts *column = &facts->columns[facts->column[value]];
  return column->stores == 1 && column->store != NO_VALUE &&
         facts->program->code[column->store].operands[0] == value &&
         column->written_at == facts->definition[value];
}

static bool value_is_known(const ProgramFacts *facts, uint32_t value) {
  uint32_t i = facts->definition[value];
  const Instruction *ins = &facts->program->code[i];
  return i < facts->program->code_count && ins->result == value &&
         facts->is_needed[value] == (facts->uses[value] > 0) &&
         facts->is_single[value] ==
             (is_pure(facts->program, ins) && all_single(facts, ins)) &&
         (!facts->is_part[value] || part_is_known(facts, value)) &&
         (facts->column[value] == NO_VALUE || column_is_known(facts, value));
}

bool facts_check_invariants(const ProgramFacts *facts) {
  const ecs_Program *program = facts->program;
  uint32_t operands = 0, stores = 0, adders = 0;
  for (uint32_t v = 0; v < program->value_count; v++) {
    if (!value_is_known(facts, v)) return false;
    operands -= facts->uses[v];
  }
  for (uint32_t i = 0; i < program->code_count; i++) {
    const Instruction *ins = &program->code[i];
    if (instruction_shape(ins) == SHAPE_STORE ||
        instruction_shape(ins) == SHAPE_SCATTER)
      stores += instruction_columns(ins);
    adders += instruction_shape(ins) == SHAPE_REDUCE;
    for (uint32_t k = 0; facts_needed(facts, ins) && k < OPERANDS; k++) {
      if (ins->operands[k] == NO_VALUE) continue;
      if (!operand_is_known(facts, ins->operands[k], i)) return false;
      operands++;
    }
  }
  for (uint32_t c = 0; c < program->column_count; c++)
    stores -= facts->columns[c].stores;
  for (uint32_t r = 0; r < program->reduction_count; r++)
    adders -= facts->adders[r];
  return operands == 0 && stores == 0 && adders == 0;
}

#endif

/* All of them ------------------------------------------------------------- */

ecs_Status facts_init(ProgramFacts *facts, const ecs_Program *program) {
  Memory *memory = &program->query->store->memory;
  *facts = (ProgramFacts){.program = program};
  facts->block_bytes = lay_facts(facts, NULL) + 1; /* a program may be empty */
  char *block = memory_zeroed(memory, 1, facts->block_bytes);
  if (block == NULL) return ECS_E_MEMORY;
  lay_facts(facts, block);
  if (program->cycle_count > 0)
    cycles_find(program, facts->cycles, facts->inside);
  find_needed(facts);
  count_uses(facts);
  find_products(facts);
  find_changes(facts);
  find_last_uses(facts);
  find_keys(facts);
  find_columns(facts);
  ranges_find(program, facts->ranges);
  ECS_ASSERT(facts_check_invariants(facts));
  return ECS_OK;
}

/* The block starts with the first array. */
void facts_deinit(ProgramFacts *facts) {
  memory_free(&facts->program->query->store->memory, facts->last_use,
              facts->block_bytes);
}

/* program_presence.c: takes out of a program what presence decides.
 *
 * Values keep their numbers. One that turns out to be another value is replaced
 * where it is used; its own instruction stays, and is not needed any more.
 * Reductions and changes keep their masks, so rows add in the same order. */
#include "program/program_presence.h"

/* What a value is known to be. */
typedef struct KnownValue {
  uint32_t same; /* the value that it is: itself, or an earlier one */
  bool is_known; /* it is a bool, and this one: */
  bool truth;
} KnownValue;

typedef struct Assumer {
  ecs_Program *made;
  KnownValue *values; /* by number */
  bool there;
} Assumer;

/* The columns ------------------------------------------------------------- */

static bool is_optional(const ecs_Program *program, uint32_t column) {
  return access_is_optional(program->columns[column].access);
}

bool presence_matters(const ecs_Program *program) {
  bool asks = false;
  for (uint32_t i = 0; i < program->code_count && !asks; i++) {
    asks = instruction_columns(&program->code[i]) > 0 &&
           is_optional(program, program->code[i].index);
  }
  return asks && !program->exits && !program->changes_first &&
         program->cycle_count == 0;
}

Presence presence_of(const ecs_Program *program, const ecs_KernelBlock *block) {
  uint32_t there = 0, optional = 0;
  for (uint32_t c = 0; c < program->column_count; c++) {
    if (!is_optional(program, c)) continue;
    optional++;
    there += block->columns[c] != NULL;
  }
  return there == 0 ? NONE_THERE : there == optional ? ALL_THERE : SOME_THERE;
}

/* Instructions ------------------------------------------------------------ */

static void become_constant(Instruction *ins, ValueType type, double constant) {
  *ins = (Instruction){.operation = OPERATION_CONSTANT,
                       .type = (uint8_t)type,
                       .result = ins->result,
                       .operands = NO_OPERANDS,
                       .line = ins->line,
                       .constant = constant};
}

/* The result of a conjunction, or a disjunction, of which operand k is known. */
static void decide(const Assumer *assumer, Instruction *ins, uint32_t k) {
  bool truth = assumer->values[ins->operands[k]].truth;
  if (truth == (ins->operation == OPERATION_OR))
    become_constant(ins, VALUE_BOOL, truth);
  else
    assumer->values[ins->result] = assumer->values[ins->operands[1 - k]];
}

/* What follows for a result from operands that are known. */
static void assume_result(const Assumer *assumer, Instruction *ins) {
  KnownValue *values = assumer->values;
  uint32_t first = ins->operands[0], second = ins->operands[1];
  switch (instruction_shape(ins)) {
    case SHAPE_PRESENT: become_constant(ins, VALUE_BOOL, assumer->there); break;
    case SHAPE_LOAD:
    case SHAPE_ELEMENT:
      if (!assumer->there && is_optional(assumer->made, ins->index))
        become_constant(ins, (ValueType)ins->type, 0);
      break;
    case SHAPE_LOGIC:
      if (values[first].is_known)
        decide(assumer, ins, 0);
      else if (values[second].is_known)
        decide(assumer, ins, 1);
      break;
    case SHAPE_NEGATION:
      if (values[first].is_known)
        become_constant(ins, VALUE_BOOL, !values[first].truth);
      break;
    case SHAPE_SELECT:
      if (values[first].is_known)
        values[ins->result] =
            values[values[first].truth ? second : ins->operands[2]];
      break;
    default: break;
  }
  if (ins->operation == OPERATION_CONSTANT && ins->type == VALUE_BOOL)
    values[ins->result] = (KnownValue){ins->result, true, ins->constant != 0};
}

/* A store of no row is left out: false. One of every row loses its mask, which
 * is operand k. */
static bool assume_store(const Assumer *assumer, Instruction *ins, uint32_t k) {
  uint32_t mask = ins->operands[k];
  if (!assumer->there && is_optional(assumer->made, ins->index)) return false;
  if (mask == NO_VALUE || !assumer->values[mask].is_known) return true;
  ins->operands[k] = NO_VALUE;
  return assumer->values[mask].truth;
}

static void assume_code(const Assumer *assumer, const ecs_Program *program) {
  ecs_Program *made = assumer->made;
  for (uint32_t i = 0; i < program->code_count; i++) {
    Instruction ins = program->code[i];
    for (uint32_t k = 0; k < OPERANDS; k++)
      if (ins.operands[k] != NO_VALUE)
        ins.operands[k] = assumer->values[ins.operands[k]].same;
    if (ins.result != NO_VALUE) {
      assumer->values[ins.result] = (KnownValue){.same = ins.result};
      assume_result(assumer, &ins);
    }
    if ((ins.operation == OPERATION_STORE && !assume_store(assumer, &ins, 1)) ||
        (ins.operation == OPERATION_SCATTER && !assume_store(assumer, &ins, 2)))
      continue;
    made->code[made->code_count++] = ins;
  }
}

/* Where they are there, optional columns are like others. */
static void assume_columns(const Assumer *assumer) {
  ecs_Program *made = assumer->made;
  for (uint32_t c = 0; c < made->column_count && assumer->there; c++) {
    ecs_KernelColumn *column = &made->columns[c];
    if (is_optional(made, c))
      column->access = access_writes(column->access) ? ECS_WRITE : ECS_READ;
  }
}

/* Life -------------------------------------------------------------------- */

/* A copy of the program with columns and room for its code. Types and all else
 * are borrowed. */
static ecs_Program *copy_program(Memory *memory, const ecs_Program *program) {
  ecs_Program *made = memory_zeroed(memory, 1, sizeof *made);
  if (made == NULL) return NULL;
  *made = *program;
  memset(made->assumed, 0, sizeof made->assumed);
  made->code_count = 0;
  made->code_capacity = program->code_count;
  made->column_capacity = program->column_count;
  made->code = memory_zeroed(memory, made->code_capacity, sizeof *made->code);
  made->columns =
      memory_zeroed(memory, made->column_capacity, sizeof *made->columns);
  if (made->code == NULL || made->columns == NULL) {
    presence_free(made);
    return NULL;
  }
  memcpy(made->columns, program->columns,
         program->column_count * sizeof *made->columns);
  return made;
}

ecs_Program *presence_assume(const ecs_Program *program, bool there) {
  Memory *memory = &program->query->store->memory;
  size_t count = program->value_count + 1;
  ECS_ASSERT(program->plan == NULL && program->whole == NULL);
  ECS_ASSERT(presence_matters(program));
  KnownValue *values = memory_zeroed(memory, count, sizeof *values);
  if (values == NULL) return NULL;
  ecs_Program *made = copy_program(memory, program);
  const Assumer assumer = {made, values, there};
  if (made != NULL) {
    assume_code(&assumer, program);
    assume_columns(&assumer);
  }
  memory_free(memory, values, count * sizeof *values);
  return made;
}

void presence_free(ecs_Program *made) {
  Memory *memory = &made->query->store->memory;
  ECS_ASSERT(made->plan == NULL && made->whole == NULL);
  memory_free(memory, made->code, made->code_capacity * sizeof *made->code);
  memory_free(memory, made->columns,
              made->column_capacity * sizeof *made->columns);
  memory_free(memory, made, sizeof *made);
}

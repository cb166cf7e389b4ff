/* program_whole.c: finds whole numbers of 32 bits, and rewrites a program.
 *
 * Passes over the code, each of which relies on the ones before:
 *
 *  1. which values may be -0;
 *  2. backwards: of which values the sign of zero is seen, or numbers beyond 32
 *     bits;
 *  3. which values can be whole numbers of 32 bits;
 *  4. the groups that they form, and what each group gains;
 *  5. which sums end at the limits of a field, in one step with its quantize;
 *  6. the new code.
 */
#include "program/program_whole.h"

#include <math.h>

/* Of a value. */
enum {
  MAY_BE_MINUS_ZERO = 1, /* its number may be -0 */
  SIGN_IS_SEEN = 2,      /* something depends on the sign of its zero */
  EXCESS_IS_SEEN = 4,    /* or on what is beyond 32 bits */
  CAN_BE_WHOLE = 8,
  IS_CONVERTED = 16, /* if it is whole, something takes it as a number */
  IS_PART = 32       /* computed with the quantize that takes it */
};

/* Arrays have one element per value. */
typedef struct WholeFinder {
  const ProgramFacts *facts;
  ValueType type;             /* VALUE_WHOLE or VALUE_NATURAL */
  ecs_Scalar scalar;          /* of fields that hold the same numbers */
  const ecs_Program *program; /* borrowed */
  Memory *memory;
  uint8_t *flags;
  uint32_t *group;   /* another value of its group; itself: it is the first */
  int32_t *gain;     /* of the group, at its first value */
  uint32_t *numbers; /* the value in the new program; NO_VALUE: none yet */
  uint32_t *wholes;  /* the same as a whole number */
  ecs_Program *made; /* the new program */
  size_t bytes;      /* of the allocation that starts at group */
  bool failed;       /* there is no memory */
} WholeFinder;

/* Ranges ------------------------------------------------------------------ */

static WholeRange range_of(const WholeFinder *finder, uint32_t value) {
  return finder->facts->ranges[value];
}

/* Is every number of the value a whole one of 32 bits? */
static bool is_narrow(const WholeFinder *finder, uint32_t value) {
  return range_fits(range_of(finder, value), finder->scalar);
}

static bool is_fixed(const WholeFinder *finder, uint32_t value) {
  WholeRange range = range_of(finder, value);
  return is_narrow(finder, value) && range.least == range.greatest;
}

static bool is_field_of_integers(ecs_Scalar scalar) {
  return scalar >= ECS_I8 && scalar <= ECS_U32;
}

/* Does a field of this type hold no others than whole numbers of 32 bits? */
static bool is_covered(const WholeFinder *finder, ecs_Scalar scalar) {
  if (finder->type == VALUE_WHOLE)
    return is_field_of_integers(scalar) && scalar != ECS_U32;
  return scalar == ECS_U8 || scalar == ECS_U16 || scalar == ECS_U32;
}

static ecs_Scalar scalar_of(const WholeFinder *finder, const Instruction *ins) {
  return finder->program->columns[ins->index].type;
}

static bool is_number(const WholeFinder *finder, uint32_t value) {
  return finder->program->types[value] <= VALUE_F64;
}

/* Zeros ------------------------------------------------------------------- */

static bool has(const WholeFinder *finder, uint32_t value, uint32_t flag) {
  return (finder->flags[value] & flag) != 0;
}

static bool may_be_zero(const WholeFinder *finder, uint32_t value) {
  WholeRange range = range_of(finder, value);
  return range.least <= 0 && range.greatest >= 0;
}

/* Can the sign of the number be that of -1? */
static bool may_be_minus(const WholeFinder *finder, uint32_t value) {
  return range_of(finder, value).least < 0 ||
         has(finder, value, MAY_BE_MINUS_ZERO);
}

/* May the result be -0? Its range is known. */
static bool makes_minus_zero(const WholeFinder *finder,
                             const Instruction *ins) {
  uint32_t a = ins->operands[0], b = ins->operands[1], c = ins->operands[2];
  switch (ins->operation) {
    case OPERATION_CONSTANT: return signbit(ins->constant) != 0;
    case OPERATION_LOAD:
    case OPERATION_ELEMENT:
    case OPERATION_GET:
    case OPERATION_FOUND_GET:
    case OPERATION_ABSOLUTE:
    case OPERATION_FLOOR:
    case OPERATION_CEIL: return false;
    case OPERATION_QUANTIZE:
      return !is_field_of_integers((ecs_Scalar)ins->scalar) &&
             has(finder, a, MAY_BE_MINUS_ZERO);
    case OPERATION_MINUS:
    case OPERATION_CONVERT: return has(finder, a, MAY_BE_MINUS_ZERO);
    case OPERATION_MODULO: return may_be_minus(finder, a);
    case OPERATION_PLUS:
      return has(finder, a, MAY_BE_MINUS_ZERO) &&
             has(finder, b, MAY_BE_MINUS_ZERO);
    case OPERATION_TIMES:
      if (has(finder, a, MAY_BE_MINUS_ZERO) ||
          has(finder, b, MAY_BE_MINUS_ZERO))
        return true;
      return (may_be_zero(finder, a) && may_be_minus(finder, b)) ||
             (may_be_zero(finder, b) && may_be_minus(finder, a));
    case OPERATION_MINIMUM:
    case OPERATION_MAXIMUM:
      return has(finder, a, MAY_BE_MINUS_ZERO) ||
             has(finder, b, MAY_BE_MINUS_ZERO);
    case OPERATION_SELECT:
      return has(finder, b, MAY_BE_MINUS_ZERO) ||
             has(finder, c, MAY_BE_MINUS_ZERO);
    default: return may_be_zero(finder, ins->result);
  }
}

static void find_zeros(const WholeFinder *finder) {
  for (uint32_t i = 0; i < finder->program->code_count; i++) {
    const Instruction *ins = &finder->program->code[i];
    if (ins->result != NO_VALUE &&
        range_is_known(range_of(finder, ins->result)) &&
        makes_minus_zero(finder, ins))
      finder->flags[ins->result] |= MAY_BE_MINUS_ZERO;
  }
}

/* What is seen ------------------------------------------------------------ */

/* Does the result depend on whether the operand is 0 or -0? */
static bool sees_sign(const WholeFinder *finder, const Instruction *ins) {
  switch (ins->operation) {
    case OPERATION_LESS:
    case OPERATION_LESS_EQUAL:
    case OPERATION_EQUAL:
    case OPERATION_ABSOLUTE:
    case OPERATION_FLOOR:
    case OPERATION_CEIL: return false;
    case OPERATION_STORE: return !is_field_of_integers(scalar_of(finder, ins));
    case OPERATION_QUANTIZE:
      return !is_field_of_integers((ecs_Scalar)ins->scalar) &&
             has(finder, ins->result, SIGN_IS_SEEN);
    case OPERATION_NEGATE:
    case OPERATION_PLUS:
    case OPERATION_MINUS:
    case OPERATION_TIMES:
    case OPERATION_MODULO:
    case OPERATION_MINIMUM:
    case OPERATION_MAXIMUM:
    case OPERATION_SELECT:
    case OPERATION_CONVERT: return has(finder, ins->result, SIGN_IS_SEEN);
    default: return true;
  }
}

/* Is the value the same number in each row, and so far within 32 bits that no
 * number at a limit equals it? */
static bool is_inner(const WholeFinder *finder, uint32_t value) {
  double number = range_of(finder, value).least;
  double least = finder->type == VALUE_WHOLE ? -0x1p31 : 0;
  double greatest = finder->type == VALUE_WHOLE ? 0x1p31 - 1 : 0x1p32 - 1;
  return is_fixed(finder, value) && number > least && number < greatest;
}

/* Does the result depend on how far operand k is beyond 32 bits? Not the lesser
 * of it and a number within; nor what holds fewer bits. */
static bool sees_excess(const WholeFinder *finder, const Instruction *ins,
                        uint32_t k) {
  switch (ins->operation) {
    case OPERATION_LESS:
    case OPERATION_LESS_EQUAL:
    case OPERATION_EQUAL: return !is_inner(finder, ins->operands[1 - k]);
    case OPERATION_QUANTIZE:
      return !is_covered(finder, (ecs_Scalar)ins->scalar);
    case OPERATION_STORE: return !is_covered(finder, scalar_of(finder, ins));
    case OPERATION_MINIMUM:
    case OPERATION_MAXIMUM:
    case OPERATION_SELECT:
      return !is_narrow(finder, ins->result) &&
             has(finder, ins->result, EXCESS_IS_SEEN);
    default: return true;
  }
}

static void find_seen(const WholeFinder *finder) {
  for (uint32_t i = finder->program->code_count; i-- > 0;) {
    const Instruction *ins = &finder->program->code[i];
    if (!facts_needed(finder->facts, ins)) continue;
    for (uint32_t k = 0; k < OPERANDS; k++) {
      uint32_t value = ins->operands[k];
      if (value == NO_VALUE || !is_number(finder, value)) continue;
      if (sees_sign(finder, ins)) finder->flags[value] |= SIGN_IS_SEEN;
      if (sees_excess(finder, ins, k)) finder->flags[value] |= EXCESS_IS_SEEN;
    }
  }
}

/* What can be whole ------------------------------------------------------- */

/* Can an instruction take the value as a whole number? */
static bool is_able(const WholeFinder *finder, uint32_t value) {
  return has(finder, value, CAN_BE_WHOLE) || is_narrow(finder, value);
}

/* Can all numbers among the operands be whole, and is one of them whole of its
 * own? */
static bool are_able(const WholeFinder *finder, const Instruction *ins) {
  bool any = false;
  for (uint32_t k = 0; k < OPERANDS; k++) {
    uint32_t value = ins->operands[k];
    if (value == NO_VALUE || !is_number(finder, value)) continue;
    if (!is_able(finder, value)) return false;
    any = any || has(finder, value, CAN_BE_WHOLE);
  }
  return any;
}

/* Is the result within 32 bits, or may it end at their limits? */
static bool is_within(const WholeFinder *finder, const Instruction *ins) {
  uint32_t value = ins->result;
  if (is_narrow(finder, value)) return true;
  if (!range_is_known(range_of(finder, value)) ||
      has(finder, value, EXCESS_IS_SEEN))
    return false;
  switch (ins->operation) {
    case OPERATION_NEGATE:
    case OPERATION_PLUS:
    case OPERATION_MINUS:
    case OPERATION_MINIMUM:
    case OPERATION_MAXIMUM:
    case OPERATION_SELECT: return true;
    default: return false;
  }
}

/* Is there a loop for remainders of this number? */
static bool is_divisor(const WholeFinder *finder, uint32_t value) {
  return is_fixed(finder, value) && range_of(finder, value).least >= 1 &&
         range_of(finder, value).least <= WHOLE_DIVISOR;
}

static bool is_whole_operation(const WholeFinder *finder,
                               const Instruction *ins) {
  switch (ins->operation) {
    case OPERATION_LOAD: return is_covered(finder, scalar_of(finder, ins));
    case OPERATION_NEGATE:
    case OPERATION_ABSOLUTE:
    case OPERATION_FLOOR:
    case OPERATION_CEIL:
    case OPERATION_PLUS:
    case OPERATION_MINUS:
    case OPERATION_TIMES:
    case OPERATION_MINIMUM:
    case OPERATION_MAXIMUM:
    case OPERATION_SELECT:
    case OPERATION_CONVERT:
    case OPERATION_QUANTIZE: return are_able(finder, ins);
    case OPERATION_MODULO:
      return are_able(finder, ins) && is_divisor(finder, ins->operands[1]);
    default: return false;
  }
}

static bool can_be_whole(const WholeFinder *finder, const Instruction *ins) {
  uint32_t value = ins->result;
  bool shows =
      has(finder, value, MAY_BE_MINUS_ZERO) && has(finder, value, SIGN_IS_SEEN);
  return finder->facts->is_needed[value] && is_number(finder, value) &&
         !finder->facts->is_single[value] && !is_fixed(finder, value) &&
         !shows && is_within(finder, ins) && is_whole_operation(finder, ins);
}

static void find_whole(const WholeFinder *finder) {
  for (uint32_t i = 0; i < finder->program->code_count; i++) {
    const Instruction *ins = &finder->program->code[i];
    if (ins->result != NO_VALUE && can_be_whole(finder, ins))
      finder->flags[ins->result] |= CAN_BE_WHOLE;
  }
}

/* Can the instruction take whole numbers? */
static bool takes_whole(const WholeFinder *finder, const Instruction *ins) {
  switch (ins->operation) {
    case OPERATION_LESS:
    case OPERATION_LESS_EQUAL:
    case OPERATION_EQUAL: return are_able(finder, ins);
    case OPERATION_STORE: return has(finder, ins->operands[0], CAN_BE_WHOLE);
    default:
      return ins->result != NO_VALUE && has(finder, ins->result, CAN_BE_WHOLE);
  }
}

/* Groups ------------------------------------------------------------------ */

static uint32_t first_of(const WholeFinder *finder, uint32_t value) {
  while (finder->group[value] != value) {
    finder->group[value] = finder->group[finder->group[value]];
    value = finder->group[value];
  }
  return value;
}

/* Some value of its own group that an instruction takes or makes; NO_VALUE:
 * there is none. Joins all of them. */
static uint32_t join(const WholeFinder *finder, const Instruction *ins) {
  uint32_t group = NO_VALUE;
  const uint32_t values[] = {ins->result, ins->operands[0], ins->operands[1],
                             ins->operands[2]};
  for (uint32_t k = 0; k < 4; k++) {
    if (values[k] == NO_VALUE || !has(finder, values[k], CAN_BE_WHOLE))
      continue;
    uint32_t other = first_of(finder, values[k]);
    if (group == NO_VALUE) group = other;
    finder->group[other] = group;
  }
  return group;
}

/* What an instruction costs as it is, in passes over the rows of 32 bits. */
static int32_t cost_as_number(const WholeFinder *finder,
                              const Instruction *ins) {
  bool stores = ins->operation == OPERATION_STORE;
  uint32_t value = stores ? ins->operands[0] : ins->result;
  int32_t wide = ins->type == VALUE_F64 ? 2 : 1;
  if (stores)
    return is_field_of_integers(scalar_of(finder, ins)) ? 2
           : finder->program->types[value] == VALUE_F64 ? 1
                                                        : 0;
  if (ins->operation == OPERATION_MODULO) return 8;
  return ins->operation == OPERATION_QUANTIZE ? 3 : wide;
}

static int32_t cost_as_whole(const WholeFinder *finder,
                             const Instruction *ins) {
  switch (ins->operation) {
    case OPERATION_LOAD: return scalar_of(finder, ins) != finder->scalar;
    case OPERATION_FLOOR:
    case OPERATION_CEIL:
    case OPERATION_CONVERT: return 0;
    case OPERATION_MODULO: return 2;
    default: return 1;
  }
}

static int32_t conversion_cost(const WholeFinder *finder, uint32_t value) {
  return finder->program->types[value] == VALUE_F64 ? 2 : 1;
}

/* Adds what an instruction gains if its group is whole. A number that it takes
 * may have to be converted. */
static void count_whole(const WholeFinder *finder, const Instruction *ins) {
  int32_t *gain = &finder->gain[join(finder, ins)];
  *gain += cost_as_number(finder, ins) - cost_as_whole(finder, ins);
  for (uint32_t k = 0; k < OPERANDS; k++) {
    uint32_t value = ins->operands[k];
    if (value != NO_VALUE && is_number(finder, value) &&
        !has(finder, value, CAN_BE_WHOLE) && !finder->facts->is_single[value] &&
        !is_fixed(finder, value))
      *gain -= conversion_cost(finder, value);
  }
}

/* The same of one that takes numbers as they are. */
static void count_conversions(const WholeFinder *finder,
                              const Instruction *ins) {
  for (uint32_t k = 0; k < OPERANDS; k++) {
    uint32_t value = ins->operands[k];
    if (value == NO_VALUE || !has(finder, value, CAN_BE_WHOLE) ||
        has(finder, value, IS_CONVERTED))
      continue;
    finder->flags[value] |= IS_CONVERTED;
    finder->gain[first_of(finder, value)] -= conversion_cost(finder, value);
  }
}

static void find_gains(const WholeFinder *finder) {
  const ecs_Program *program = finder->program;
  for (uint32_t v = 0; v < program->value_count; v++) finder->group[v] = v;
  for (uint32_t i = 0; i < program->code_count; i++)
    if (facts_needed(finder->facts, &program->code[i]) &&
        takes_whole(finder, &program->code[i]))
      join(finder, &program->code[i]);
  for (uint32_t i = 0; i < program->code_count; i++) {
    const Instruction *ins = &program->code[i];
    if (!facts_needed(finder->facts, ins)) continue;
    if (takes_whole(finder, ins))
      count_whole(finder, ins);
    else
      count_conversions(finder, ins);
  }
}

/* Is the value one of a group that gains? */
static bool is_whole(const WholeFinder *finder, uint32_t value) {
  return has(finder, value, CAN_BE_WHOLE) &&
         finder->gain[first_of(finder, value)] > 0;
}

/* Is the instruction one of such a group? */
static bool is_of_whole(const WholeFinder *finder, const Instruction *ins) {
  if (!takes_whole(finder, ins)) return false;
  if (ins->result != NO_VALUE && has(finder, ins->result, CAN_BE_WHOLE))
    return is_whole(finder, ins->result);
  return is_whole(finder, ins->operands[0]) ||
         (ins->operands[1] != NO_VALUE && is_whole(finder, ins->operands[1]));
}

/* Limits ------------------------------------------------------------------ */

/* Is the result of a whole instruction just its operand? What ends at the limits
 * of 32 bits is what an i32 holds. */
static bool is_same(const WholeFinder *finder, const Instruction *ins) {
  switch (ins->operation) {
    case OPERATION_FLOOR:
    case OPERATION_CEIL:
    case OPERATION_CONVERT: return true;
    case OPERATION_QUANTIZE:
      return !is_field_of_integers((ecs_Scalar)ins->scalar) ||
             ins->scalar == finder->scalar ||
             range_fits(range_of(finder, ins->operands[0]),
                        (ecs_Scalar)ins->scalar);
    default: return false;
  }
}

/* What is not needed stays in the program, with its operands. */
static void leave_parts(const WholeFinder *finder) {
  for (uint32_t i = 0; i < finder->program->code_count; i++) {
    const Instruction *ins = &finder->program->code[i];
    for (uint32_t k = 0; k < OPERANDS && !facts_needed(finder->facts, ins); k++)
      if (ins->operands[k] != NO_VALUE)
        finder->flags[ins->operands[k]] &= (uint8_t)~IS_PART;
  }
}

/* A sum that only a small field takes is computed with its quantize. */
static void find_parts(const WholeFinder *finder) {
  for (uint32_t i = 0; i < finder->program->code_count; i++) {
    const Instruction *ins = &finder->program->code[i];
    uint32_t value = ins->operands[0];
    if (finder->type != VALUE_WHOLE || ins->operation != OPERATION_QUANTIZE ||
        !is_of_whole(finder, ins) ||
        !is_covered(finder, (ecs_Scalar)ins->scalar) || is_same(finder, ins) ||
        finder->facts->uses[value] > 1 || !is_narrow(finder, value) ||
        !is_whole(finder, value))
      continue;
    Operation sum =
        (Operation)finder->program->code[finder->facts->definition[value]]
            .operation;
    if (sum == OPERATION_PLUS || sum == OPERATION_MINUS)
      finder->flags[value] |= IS_PART;
  }
  leave_parts(finder);
}

/* Writing ----------------------------------------------------------------- */

/* Appends an instruction, and returns its result, if it has one. */
static uint32_t append(WholeFinder *finder, Instruction ins, bool has_result) {
  ecs_Program *made = finder->made;
  void *code = made->code, *types = made->types;
  finder->failed = finder->failed ||
                   !memory_grow(finder->memory, &code, &made->code_capacity,
                                made->code_count, 1, sizeof(Instruction)) ||
                   !memory_grow(finder->memory, &types, &made->value_capacity,
                                made->value_count, 1, 1);
  made->code = code;
  made->types = types;
  if (finder->failed) return 0;
  ins.result = has_result ? made->value_count : NO_VALUE;
  if (has_result)
    made->types[made->value_count++] = (uint8_t)instruction_result(&ins);
  made->code[made->code_count++] = ins;
  return ins.result;
}

static Instruction conversion(ValueType type, uint32_t value, uint32_t line) {
  return (Instruction){
      .operation = OPERATION_CONVERT,
      .type = (uint8_t)type,
      .operands = {value, NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE},
      .line = line};
}

static uint32_t append_constant(WholeFinder *finder, double number,
                                uint32_t line) {
  const Instruction constant = {.operation = OPERATION_CONSTANT,
                                .type = (uint8_t)finder->type,
                                .operands = NO_OPERANDS,
                                .line = line,
                                .constant = number + 0.0};
  return append(finder, constant, true);
}

/* The value as it was. */
static uint32_t as_before(WholeFinder *finder, uint32_t value, uint32_t line) {
  uint32_t *number = &finder->numbers[value];
  ECS_ASSERT(*number != NO_VALUE || finder->wholes[value] != NO_VALUE);
  if (*number == NO_VALUE)
    *number = append(finder,
                     conversion((ValueType)finder->program->types[value],
                                finder->wholes[value], line),
                     true);
  return *number;
}

/* A value of a cycle cannot be used behind it, so where there are cycles each use
 * has a conversion of its own. */
static uint32_t as_whole(WholeFinder *finder, uint32_t value, uint32_t line) {
  uint32_t whole = finder->wholes[value];
  if (whole != NO_VALUE) return whole;
  whole = is_fixed(finder, value)
              ? append_constant(finder, range_of(finder, value).least, line)
              : append(finder,
                       conversion(finder->type, finder->numbers[value], line),
                       true);
  if (finder->program->cycle_count == 0) finder->wholes[value] = whole;
  return whole;
}

/* Sets the operands of an instruction to those of the new program. */
static void take_operands(WholeFinder *finder, Instruction *ins, bool wholes) {
  for (uint32_t k = 0; k < OPERANDS; k++) {
    uint32_t value = ins->operands[k];
    if (value == NO_VALUE) continue;
    ins->operands[k] = wholes && is_number(finder, value)
                           ? as_whole(finder, value, ins->line)
                           : as_before(finder, value, ins->line);
  }
}

static void append_as_before(WholeFinder *finder, Instruction ins) {
  uint32_t value = ins.result;
  take_operands(finder, &ins, false);
  uint32_t result = append(finder, ins, value != NO_VALUE);
  if (value != NO_VALUE) finder->numbers[value] = result;
}

/* Adds the limits of 32 bits to what may be beyond them. */
static void limit(WholeFinder *finder, Instruction *ins, uint32_t value) {
  if (is_narrow(finder, value)) return;
  if (ins->operation == OPERATION_NEGATE) {
    ins->operation = OPERATION_MINUS;
    ins->operands[1] = ins->operands[0];
    ins->operands[0] = append_constant(finder, 0, ins->line);
  }
  if (ins->operation == OPERATION_PLUS || ins->operation == OPERATION_MINUS)
    ins->scalar = (uint8_t)finder->scalar;
}

static void append_value(WholeFinder *finder, Instruction ins) {
  uint32_t value = ins.result;
  const Instruction *sum = NULL;
  if (has(finder, value, IS_PART)) return;
  if (ins.operation == OPERATION_QUANTIZE &&
      has(finder, ins.operands[0], IS_PART))
    sum = &finder->program->code[finder->facts->definition[ins.operands[0]]];
  if (is_same(finder, &ins)) {
    finder->wholes[value] = as_whole(finder, ins.operands[0], ins.line);
    return;
  }
  if (sum != NULL) {
    uint8_t scalar = ins.scalar;
    ins = *sum;
    ins.scalar = scalar;
  }
  take_operands(finder, &ins, true);
  if (sum == NULL) limit(finder, &ins, value);
  ins.type = (uint8_t)finder->type;
  finder->wholes[value] = append(finder, ins, true);
}

static void append_instruction(WholeFinder *finder, const Instruction *ins) {
  Instruction whole = *ins;
  if (!facts_needed(finder->facts, ins) || !is_of_whole(finder, ins)) {
    append_as_before(finder, *ins);
  } else if (ins->result == NO_VALUE) {
    whole.operands[0] = as_whole(finder, ins->operands[0], ins->line);
    if (ins->operands[1] != NO_VALUE)
      whole.operands[1] = as_before(finder, ins->operands[1], ins->line);
    append(finder, whole, false);
  } else if (has(finder, ins->result, CAN_BE_WHOLE)) {
    append_value(finder, whole);
    if ((finder->program->cycle_count > 0 || finder->program->sees_puts) &&
        !has(finder, ins->result, IS_PART))
      as_before(finder, ins->result, ins->line);
  } else {
    whole.type = (uint8_t)finder->type;
    take_operands(finder, &whole, true);
    finder->numbers[ins->result] = append(finder, whole, true);
  }
}

/* All of it --------------------------------------------------------------- */

static size_t lay_finder(WholeFinder *finder, char *block) {
  uint32_t values = finder->program->value_count;
  size_t used = 0;
  finder->group = memory_lay(block, &used, values, sizeof(uint32_t));
  finder->gain = memory_lay(block, &used, values, sizeof(int32_t));
  finder->numbers = memory_lay(block, &used, values, sizeof(uint32_t));
  finder->wholes = memory_lay(block, &used, values, sizeof(uint32_t));
  finder->flags = memory_lay(block, &used, values, sizeof(uint8_t));
  return used;
}

/* Is there a column of integers of such types? */
static bool may_gain(const ecs_Program *program, ecs_Scalar first,
                     ecs_Scalar last) {
  for (uint32_t c = 0; c < program->column_count; c++)
    if (program->columns[c].type >= first && program->columns[c].type <= last)
      return true;
  return false;
}

static bool gains(const WholeFinder *finder) {
  for (uint32_t v = 0; v < finder->program->value_count; v++)
    if (is_whole(finder, v)) return true;
  return false;
}

static void free_code(Memory *memory, ecs_Program *made) {
  memory_free(memory, made->code, made->code_capacity * sizeof(Instruction));
  memory_free(memory, made->types, made->value_capacity);
  memory_free(memory, made, sizeof *made);
}

/* Writes the new program; NULL: there is no memory. */
static ecs_Program *rewrite(WholeFinder *finder) {
  const ecs_Program *program = finder->program;
  ecs_Program *made = memory_zeroed(finder->memory, 1, sizeof *made);
  if (made == NULL) return NULL;
  *made = *program;
  made->whole = NULL;
  made->code = NULL;
  made->types = NULL;
  made->code_count = made->code_capacity = 0;
  made->value_count = made->value_capacity = 0;
  finder->made = made;
  for (uint32_t v = 0; v < program->value_count; v++)
    finder->numbers[v] = finder->wholes[v] = NO_VALUE;
  find_parts(finder);
  for (uint32_t i = 0; i < program->code_count && !finder->failed; i++)
    append_instruction(finder, &program->code[i]);
  if (!finder->failed) return made;
  free_code(finder->memory, made);
  return NULL;
}

/* Makes the program of the facts with more whole numbers; NULL where that does
 * not gain. */
static ecs_Status find_with(const ProgramFacts *facts, ValueType type,
                            ecs_Program **made) {
  WholeFinder finder = {.facts = facts,
                        .type = type,
                        .scalar = type == VALUE_WHOLE ? ECS_I32 : ECS_U32,
                        .program = facts->program,
                        .memory = &facts->program->query->store->memory};
  finder.bytes = lay_finder(&finder, NULL) + 1;
  char *block = memory_zeroed(finder.memory, 1, finder.bytes);
  if (block == NULL) return ECS_E_MEMORY;
  lay_finder(&finder, block);
  find_zeros(&finder);
  find_seen(&finder);
  find_whole(&finder);
  find_gains(&finder);
  bool better = gains(&finder);
  *made = better ? rewrite(&finder) : NULL;
  memory_free(finder.memory, block, finder.bytes);
  return better && *made == NULL ? ECS_E_MEMORY : ECS_OK;
}

/* Replaces the program as it is planned so far. */
static ecs_Status find(ecs_Program *program, ValueType type) {
  ProgramFacts facts;
  ecs_Program *made = NULL;
  if (facts_init(&facts, program_planned(program)) != ECS_OK)
    return ECS_E_MEMORY;
  ecs_Status status = find_with(&facts, type, &made);
  facts_deinit(&facts);
  if (made == NULL) return status;
  whole_free(program);
  program->whole = made;
  return ECS_OK;
}

ecs_Status whole_find(ecs_Program *program) {
  ecs_Status status = ECS_OK;
  ECS_ASSERT(program->whole == NULL && program->plan == NULL);
  if (may_gain(program, ECS_I8, ECS_I32)) status = find(program, VALUE_WHOLE);
  if (status == ECS_OK && may_gain(program, ECS_U32, ECS_U32))
    status = find(program, VALUE_NATURAL);
  if (status != ECS_OK) whole_free(program);
  return status;
}

void whole_free(ecs_Program *program) {
  if (program->whole == NULL) return;
  free_code(&program->query->store->memory, program->whole);
  program->whole = NULL;
}

/* program_ranges.c: which values of a program are whole numbers. */
#include "program/program_ranges.h"

#include <math.h>

/* Up to these all whole numbers are exact. */
#define MOST_WHOLE_F32 0x1p24
#define MOST_WHOLE_F64 0x1p53
#define MOST_WHOLE 0x1p32 /* of int32_t and uint32_t */

static const WholeRange unknown = {1, 0};

/* By ecs_Scalar. */
/* clang-format off */
#define RANGE(scalar, name, bytes, least, greatest) {least, greatest},
static const WholeRange fields[] = {ECS_SCALAR_LIST(RANGE)};
#undef RANGE
/* clang-format on */

static bool is_number(ValueType type) {
  return type <= VALUE_F64 || type >= VALUE_WHOLE;
}

static bool is_integer(ecs_Scalar scalar) {
  return scalar >= ECS_I8 && scalar <= ECS_U32;
}

static WholeRange range_of_field(ecs_Scalar scalar) {
  return is_integer(scalar) ? fields[scalar] : unknown;
}

/* The range, if all its numbers are exact in the type. */
static WholeRange exact(ValueType type, WholeRange range) {
  double most = type == VALUE_F32   ? MOST_WHOLE_F32
                : type == VALUE_F64 ? MOST_WHOLE_F64
                                    : MOST_WHOLE;
  return is_number(type) && range.least >= -most && range.greatest <= most
             ? range
             : unknown;
}

static double lesser(double a, double b) { return b < a ? b : a; }
static double larger(double a, double b) { return a < b ? b : a; }

static WholeRange range_of_constant(const Instruction *ins) {
  double x = ins->constant;
  if (!is_number((ValueType)ins->type) || trunc(x) != x) return unknown;
  return exact((ValueType)ins->type, (WholeRange){x, x});
}

static WholeRange range_of_unary(Operation operation, WholeRange a) {
  switch (operation) {
    case OPERATION_NEGATE: return (WholeRange){-a.greatest, -a.least};
    case OPERATION_ABSOLUTE:
      return (WholeRange){larger(larger(a.least, -a.greatest), 0),
                          larger(-a.least, a.greatest)};
    case OPERATION_FLOOR:
    case OPERATION_CEIL:
    case OPERATION_CONVERT: return a;
    default: return unknown;
  }
}

static WholeRange product(WholeRange a, WholeRange b) {
  double w = a.least * b.least, x = a.least * b.greatest;
  double y = a.greatest * b.least, z = a.greatest * b.greatest;
  return (WholeRange){lesser(lesser(w, x), lesser(y, z)),
                      larger(larger(w, x), larger(y, z))};
}

/* A divisor that may be 0 may give NaN. */
static WholeRange modulo(WholeRange b) {
  if (b.least > 0) return (WholeRange){0, b.greatest - 1};
  if (b.greatest < 0) return (WholeRange){b.least + 1, 0};
  return unknown;
}

/* No more than an operand that is not negative, whatever the other is. */
static WholeRange common_bits(WholeRange a, WholeRange b) {
  if (a.least >= 0 && b.least >= 0)
    return (WholeRange){0, lesser(a.greatest, b.greatest)};
  if (a.least >= 0) return (WholeRange){0, a.greatest};
  if (b.least >= 0) return (WholeRange){0, b.greatest};
  return unknown;
}

static WholeRange range_of_binary(Operation operation, WholeRange a,
                                  WholeRange b) {
  switch (operation) {
    case OPERATION_PLUS:
      return (WholeRange){a.least + b.least, a.greatest + b.greatest};
    case OPERATION_MINUS:
      return (WholeRange){a.least - b.greatest, a.greatest - b.least};
    case OPERATION_TIMES: return product(a, b);
    case OPERATION_MINIMUM:
      return (WholeRange){lesser(a.least, b.least),
                          lesser(a.greatest, b.greatest)};
    case OPERATION_MAXIMUM:
      return (WholeRange){larger(a.least, b.least),
                          larger(a.greatest, b.greatest)};
    case OPERATION_SELECT:
      return (WholeRange){lesser(a.least, b.least),
                          larger(a.greatest, b.greatest)};
    case OPERATION_MODULO: return modulo(b);
    case OPERATION_BITS_AND: return common_bits(a, b);
    default: return unknown;
  }
}

/* The range of what a field reads after a was stored. */
static WholeRange range_of_quantized(ecs_Scalar scalar, WholeRange a) {
  if (!is_integer(scalar)) return scalar == ECS_F32 ? exact(VALUE_F32, a) : a;
  WholeRange field = fields[scalar];
  if (!range_is_known(a)) return field;
  return (WholeRange){larger(field.least, lesser(a.least, field.greatest)),
                      lesser(field.greatest, larger(a.greatest, field.least))};
}

/* The scalar type of the field that an instruction gets. */
static ecs_Scalar scalar_of_get(const ecs_Program *program,
                                const Instruction *ins) {
  const Component *component =
      &program->query->store->components.all[ins->index];
  return scalar_plain(component->schema->fields[ins->field].type);
}

static WholeRange range_of(const ecs_Program *program, const Instruction *ins,
                           const WholeRange *ranges) {
  Operation operation = (Operation)ins->operation;
  bool selects = operation == OPERATION_SELECT;
  uint32_t a = ins->operands[selects ? 1 : 0];
  uint32_t b = ins->operands[selects ? 2 : 1];
  switch (operation) {
    case OPERATION_CONSTANT: return range_of_constant(ins);
    case OPERATION_LOAD:
    case OPERATION_ELEMENT:
      return range_of_field(program->columns[ins->index].type);
    case OPERATION_GET:
    case OPERATION_FOUND_GET:
      return range_of_field(scalar_of_get(program, ins));
    case OPERATION_QUANTIZE:
      return range_of_quantized((ecs_Scalar)ins->scalar, ranges[a]);
    default: break;
  }
  if (a == NO_VALUE || !range_is_known(ranges[a])) return unknown;
  if (b == NO_VALUE) return range_of_unary(operation, ranges[a]);
  if (!range_is_known(ranges[b])) return unknown;
  WholeRange range = range_of_binary(operation, ranges[a], ranges[b]);
  return is_integer((ecs_Scalar)ins->scalar)
             ? range_of_quantized((ecs_Scalar)ins->scalar, range)
             : range;
}

void ranges_find(const ecs_Program *program, WholeRange *ranges) {
  for (uint32_t i = 0; i < program->code_count; i++) {
    const Instruction *ins = &program->code[i];
    if (ins->result == NO_VALUE) continue;
    ValueType type = (ValueType)program->types[ins->result];
    WholeRange range = range_of(program, ins, ranges);
    ranges[ins->result] = range_is_known(range) ? exact(type, range) : unknown;
  }
}

bool range_fits(WholeRange range, ecs_Scalar scalar) {
  return is_integer(scalar) && range_is_known(range) &&
         range.least >= fields[scalar].least &&
         range.greatest <= fields[scalar].greatest;
}

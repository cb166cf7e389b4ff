/* program_print.c: writes a kernel program as text. */
#include "program/program_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct Printer {
  const ecs_Program *program;
  char *text;
  size_t capacity;
  size_t length; /* of the text so far, whether or not it fits */
} Printer;

static void print(Printer *printer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void print(Printer *printer, const char *format, ...) {
  size_t left = printer->length < printer->capacity
                    ? printer->capacity - printer->length
                    : 0;
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(left > 0 ? printer->text + printer->length : NULL,
                         left, format, arguments);
  va_end(arguments);
  if (length > 0) printer->length += (size_t)length;
}

static void print_name(Printer *printer, const char *name) {
  print(printer, " \"");
  for (; *name != 0; name++) {
    unsigned char byte = (unsigned char)*name;
    bool plain = byte > 31 && byte != 127 && byte != '"' && byte != '\\';
    print(printer, plain ? "%c" : "\\x%02x", byte);
  }
  print(printer, "\"");
}

/* Writes a whole number times a power of two. A decimal point would be a comma
 * in some locales. */
static void print_finite(Printer *printer, double number) {
  int exponent = 0;
  double whole = ldexp(frexp(fabs(number), &exponent), 53);
  uint64_t mantissa = (uint64_t)whole;
  ECS_ASSERT((double)mantissa == whole && mantissa <= UINT64_C(1) << 53);
  exponent -= 53;
  while (mantissa != 0 && mantissa % 2 == 0) {
    mantissa /= 2;
    exponent++;
  }
  print(printer, " %s0x%" PRIx64 "p%d", signbit(number) ? "-" : "", mantissa,
        mantissa == 0 ? 0 : exponent);
}

static void print_number(Printer *printer, double number) {
  if (number != number)
    print(printer, " nan");
  else if (number == INFINITY || number == -INFINITY)
    print(printer, number > 0 ? " inf" : " -inf");
  else
    print_finite(printer, number);
}

static void print_values(Printer *printer, const Instruction *ins,
                         uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (ins->operands[k] != NO_VALUE) print(printer, " v%u", ins->operands[k]);
}

static const Schema *schema_of(const Printer *printer, uint32_t component) {
  return printer->program->query->store->components.all[component].schema;
}

static void print_constant(Printer *printer, const Instruction *ins) {
  if (ins->type == VALUE_BOOL)
    print(printer, ins->constant != 0.0 ? " true" : " false");
  else if (ins->type == VALUE_ENTITY)
    print(printer, " 0");
  else
    print_number(printer, ins->constant);
}

/* Writes what follows the operation's name. */
static void print_operands(Printer *printer, const Instruction *ins) {
  const char *type = value_type_name((ValueType)ins->type);
  ECS_ASSERT(ins->operands[0] == NO_VALUE ||
             ins->operands[0] < printer->program->value_count);
  switch (instruction_shape(ins)) {
    case SHAPE_QUANTIZE:
      print(printer, " %s", ecs_scalar_name((ecs_Scalar)ins->scalar));
      /* fall through */
    case SHAPE_UNARY:
    case SHAPE_BINARY:
    case SHAPE_COMPARE:
    case SHAPE_EQUAL:
    case SHAPE_SELECT:
    case SHAPE_CONVERT:
    case SHAPE_CARRY:
      print(printer, " %s", type);
      /* fall through */
    case SHAPE_LOGIC:
    case SHAPE_NEGATION:
    case SHAPE_ALIVE:
    case SHAPE_RANDOM:
    case SHAPE_EXIT:
    case SHAPE_SPAWN:
    case SHAPE_REPEAT:
    case SHAPE_WHILE:
    case SHAPE_NEXT:
    case SHAPE_AGAIN:
    case SHAPE_DESTROY:
    case SHAPE_DESTROY_OTHER: print_values(printer, ins, 3); break;
    case SHAPE_CONSTANT:
      print(printer, " %s", type);
      print_constant(printer, ins);
      break;
    case SHAPE_LOAD: print(printer, " %s c%u", type, ins->index); break;
    case SHAPE_ELEMENT:
      print(printer, " %s", type);
      /* fall through */
    case SHAPE_SCATTER:
      print(printer, " c%u c%u", ins->index, ins->field);
      print_values(printer, ins, 3);
      break;
    case SHAPE_PRESENT: print(printer, " c%u", ins->index); break;
    case SHAPE_UNIFORM: print(printer, " %s u%u", type, ins->index); break;
    case SHAPE_AT:
      print(printer, " %s", type);
      /* fall through */
    case SHAPE_INSIDE:
      print(printer, " a%u", ins->index);
      print_values(printer, ins, 1);
      break;
    case SHAPE_SELF: break;
    case SHAPE_NEAR:
    case SHAPE_NEAREST:
    case SHAPE_ANY:
    case SHAPE_FOUND:
      print(printer, " g%u", ins->grid);
      print_values(printer, ins, OPERANDS);
      break;
    case SHAPE_NTH: print_values(printer, ins, 2); break;
    case SHAPE_FOUND_GET:
      print(printer, " %s g%u", type, ins->grid);
      print_values(printer, ins, 1);
      print_name(printer, schema_of(printer, ins->index)->name);
      break;
    case SHAPE_GET:
      print(printer, " %s", type);
      /* fall through */
    case SHAPE_HAS:
      print_values(printer, ins, 1);
      print_name(printer, schema_of(printer, ins->index)->name);
      break;
    case SHAPE_STORE:
      print(printer, " c%u", ins->index);
      print_values(printer, ins, 2);
      break;
    case SHAPE_INDEX:
    case SHAPE_PUT:
      print(printer, " a%u", ins->index);
      print_values(printer, ins, 3);
      break;
    case SHAPE_PART:
    case SHAPE_STRUCTURE:
      print_name(printer, schema_of(printer, ins->index)->name);
      print_values(printer, ins, 1);
      break;
    case SHAPE_GIVE:
      print_name(printer, schema_of(printer, ins->index)->name);
      print_name(printer,
                 schema_of(printer, ins->index)->fields[ins->field].name);
      print_values(printer, ins, 1);
      break;
    case SHAPE_OTHER:
      print(printer, " v%u", ins->operands[0]);
      print_name(printer, schema_of(printer, ins->index)->name);
      if (ins->operands[1] != NO_VALUE)
        print(printer, " v%u", ins->operands[1]);
      break;
    case SHAPE_REDUCE:
      print(printer, " r%u", ins->index);
      print_values(printer, ins, 2);
      break;
  }
  if (instruction_shape(ins) == SHAPE_GET ||
      instruction_shape(ins) == SHAPE_FOUND_GET)
    print_name(printer,
               schema_of(printer, ins->index)->fields[ins->field].name);
}

static void print_array(Printer *printer, uint32_t array, const char *kind) {
  ecs_Scalar scalar = array_scalar(printer->program, array);
  if (scalar == ECS_SCALAR_COUNT)
    print(printer, "array a%u %s\n", array, kind);
  else
    print(printer, "array a%u of %s\n", array, ecs_scalar_name(scalar));
}

static void print_declarations(Printer *printer) {
  static const char *const kinds[] = {"number", "bool", "entity"};
  const ecs_Program *program = printer->program;
  for (uint32_t k = 0; k < program->column_count; k++) {
    const ecs_KernelColumn *column = &program->columns[k];
    print(printer, "column c%u", k);
    print_name(printer, column->component);
    print_name(printer, column->field);
    print(printer, " %s %s\n", ecs_scalar_name(column->type),
          access_name(column->access));
  }
  for (uint32_t k = 0; k < program->uniform_count; k++)
    print(printer, "uniform u%u %s%s\n", k, kinds[uniform_kind(program, k)],
          program->uniforms[k] & UNIFORM_FIXED ? " fixed" : "");
  for (uint32_t k = 0; k < program->reduction_count; k++)
    print(printer, "reduction r%u %s\n", k,
          operation_infos[program->reductions[k]].name);
  for (uint32_t k = 0; k < program->array_count; k++)
    print_array(printer, k, kinds[array_kind(program, k)]);
  for (uint32_t k = 0; k < program->grid_count; k++)
    print(printer, "grid g%u %u\n", k, program->grids[k]);
}

size_t program_print(const ecs_Program *program, char *text, size_t capacity) {
  Printer printer = {program, text, capacity, 0};
  if (capacity > 0) text[0] = 0;
  print_declarations(&printer);
  for (uint32_t k = 0; k < program->code_count; k++) {
    const Instruction *ins = &program->code[k];
    if (ins->result != NO_VALUE) print(&printer, "v%u = ", ins->result);
    print(&printer, "%s", operation_infos[ins->operation].name);
    print_operands(&printer, ins);
    print(&printer, "\n");
  }
  return printer.length;
}

/* program_writer.c: random valid kernel programs for a rig's query, as text. */
#include "program_writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
  const char *name;
  ecs_Scalar type;
} fields[] = {{"f32", ECS_F32},   {"f64", ECS_F64},       {"i16", ECS_I16},
              {"bool", ECS_BOOL}, {"entity", ECS_ENTITY}, {"i8", ECS_I8},
              {"u8", ECS_U8},     {"u16", ECS_U16},       {"i32", ECS_I32},
              {"u32", ECS_U32},   {"f32b", ECS_F32},      {"f64b", ECS_F64}};
#define FIELD_COUNT (sizeof fields / sizeof *fields)

static uint32_t below(Writer *writer, uint32_t limit) {
  return random_below(&writer->random, limit);
}

static bool chance(Writer *writer, uint32_t percent) {
  return random_chance(&writer->random, percent);
}

static void put(Writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(Writer *writer, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(writer->text + writer->length,
                         WRITER_ROOM - writer->length, format, arguments);
  va_end(arguments);
  writer->length += (size_t)length;
  if (writer->length >= WRITER_ROOM) abort();
}

/* Declarations ------------------------------------------------------------ */

static void declare_column(Writer *writer, const char *component,
                           uint32_t field, ecs_Access access) {
  static const char *const names[] = {"write", "read", "optional"};
  uint32_t c = writer->column_count++;
  writer->columns[c] = (ecs_KernelColumn){component, fields[field].name,
                                          fields[field].type, access};
  writer->stored[c] = false;
  put(writer, "column c%u \"%s\" \"%s\" %s %s\n", c, component,
      fields[field].name, ecs_scalar_name(fields[field].type), names[access]);
}

/* Two columns that can be numbered together: of the floats or the doubles of N.
 * Returns the first field; NO_VALUE: they are not declared. */
static uint32_t declare_pair(Writer *writer) {
  static const ecs_Access accesses[] = {ECS_WRITE, ECS_WRITE, ECS_READ,
                                        ECS_OPTIONAL};
  if (chance(writer, 40)) return NO_VALUE;
  uint32_t field = below(writer, 2);
  ecs_Access access = accesses[below(writer, 4)];
  declare_column(writer, "N", field, access);
  declare_column(writer, "N", field + 10, access);
  return field;
}

static void declare_columns(Writer *writer) {
  writer->column_count = 0;
  uint32_t pair = declare_pair(writer);
  for (uint32_t k = 0; k < FIELD_COUNT; k++) {
    uint32_t kind = below(writer, 8);
    bool common = (k < 2 || k > 9) != writer->whole;
    if ((common ? kind < 6 : kind < 3) &&
        (pair == NO_VALUE || (k != pair && k != pair + 10)))
      declare_column(writer, "N", k,
                     kind == 5   ? ECS_READ
                     : kind == 2 ? ECS_OPTIONAL
                                 : ECS_WRITE);
    if (chance(writer, common ? 60 : 30))
      declare_column(writer, "M", k, ECS_READ);
    if (k < 6 && chance(writer, 25))
      declare_column(writer, "O", k, ECS_OPTIONAL);
  }
}

static void declare_rest(Writer *writer) {
  static const char *const kinds[] = {"number", "bool", "entity"};
  writer->uniform_count = below(writer, 5);
  writer->reduction_count = below(writer, 4);
  for (uint32_t k = 0; k < writer->uniform_count; k++) {
    writer->uniforms[k] = (uint8_t)(chance(writer, 60) ? 0 : below(writer, 3));
    put(writer, "uniform u%u %s%s\n", k, kinds[writer->uniforms[k]],
        chance(writer, 50) ? " fixed" : "");
  }
  for (uint32_t k = 0; k < writer->reduction_count; k++) {
    writer->reductions[k] = (uint8_t)(OPERATION_SUM + below(writer, 6));
    put(writer, "reduction r%u %s\n", k,
        operation_infos[writer->reductions[k]].name);
  }
  writer->array_count = below(writer, 4);
  for (uint32_t k = 0; k < writer->array_count; k++) {
    writer->arrays[k] = (uint8_t)(chance(writer, 60) ? 0 : below(writer, 3));
    writer->placed[k] = false;
    if (chance(writer, 40)) {
      ecs_Scalar type = (ecs_Scalar)below(writer, ECS_ENTITY);
      if (k > 0 && writer->placed[k - 1] && chance(writer, 60))
        type = writer->scalars[k - 1];
      writer->arrays[k] = type == ECS_BOOL ? UNIFORM_BOOL : UNIFORM_NUMBER;
      writer->placed[k] = true;
      writer->scalars[k] = type;
      put(writer, "array a%u of %s\n", k, ecs_scalar_name(type));
    } else {
      put(writer, "array a%u %s\n", k, kinds[writer->arrays[k]]);
    }
  }
  writer->grid_count = chance(writer, 40) ? 1 + below(writer, 3) : 0;
  for (uint32_t k = 0; k < writer->grid_count; k++) {
    writer->grids[k] = 2 + below(writer, 2);
    put(writer, "grid g%u %u\n", k, writer->grids[k]);
  }
}

/* Values ------------------------------------------------------------------ */

/* A value without operands leaves those chosen before to the next one. */
static uint32_t begin(Writer *writer, ValueType type, Operation operation) {
  OperationShape shape = operation_infos[operation].shape;
  bool is_source = shape == SHAPE_CONSTANT || shape == SHAPE_LOAD ||
                   shape == SHAPE_UNIFORM || shape == SHAPE_SELF;
  uint32_t value = writer->values++;
  writer->types[value] = (uint8_t)type;
  writer->is_late[value] = writer->late && !is_source;
  if (!is_source) writer->late = false;
  writer->code++;
  writer->operations[operation]++;
  put(writer, "v%u = %s", value, operation_infos[operation].name);
  return value;
}

/* Often at a limit of a type, or next to one. */
static double whole_number(Writer *writer) {
  static const double limits[] = {
      0.0,          -0.0,          127.0,    -128.0,
      255.0,        32767.0,       -32768.0, 65535.0,
      2147483647.0, -2147483648.0, 0x1p24,   4294967295.0,
      2147483647.0, -2147483648.0, 0x1p31,   -0x1.8p31};
  double small = (double)below(writer, 9) - 4;
  if (chance(writer, 50)) return small;
  return limits[below(writer, sizeof limits / sizeof *limits)] +
         (chance(writer, 50) ? small : 0);
}

static uint32_t write_constant(Writer *writer, ValueType type) {
  bool whole = writer->whole && chance(writer, 90);
  double number = whole ? whole_number(writer) : random_number(&writer->random);
  uint32_t value = begin(writer, type, OPERATION_CONSTANT);
  put(writer, " %s", value_type_name(type));
  if (type == VALUE_BOOL)
    put(writer, number > 0 ? " true\n" : " false\n");
  else if (type == VALUE_ENTITY)
    put(writer, " 0\n");
  else if (number != number)
    put(writer, " nan\n");
  else if (chance(writer, 50))
    put(writer, " %a\n", number);
  else
    put(writer, " %.17g\n", number);
  return value;
}

/* A column that loads as the type and is not stored yet. NO_VALUE: none was
 * found. */
static uint32_t some_column(Writer *writer, ValueType type) {
  for (uint32_t tries = 0; tries < 12 && writer->column_count > 0; tries++) {
    uint32_t c = below(writer, writer->column_count);
    bool avoided = writer->whole && scalar_is_float(writer->columns[c].type) &&
                   chance(writer, 80);
    if (!writer->stored[c] && !avoided &&
        scalar_loads_as(writer->columns[c].type, type))
      return c;
  }
  return NO_VALUE;
}

static uint32_t some_uniform(Writer *writer, ValueType type) {
  for (uint32_t tries = 0; tries < 4 && writer->uniform_count > 0; tries++) {
    uint32_t u = below(writer, writer->uniform_count);
    UniformKind kind = (UniformKind)writer->uniforms[u];
    if ((kind == UNIFORM_NUMBER && type <= VALUE_F64) ||
        (kind == UNIFORM_BOOL && type == VALUE_BOOL) ||
        (kind == UNIFORM_ENTITY && type == VALUE_ENTITY))
      return u;
  }
  return NO_VALUE;
}

/* Writes a value without operands, such as a load. */
static uint32_t write_source(Writer *writer, ValueType type) {
  uint32_t from = chance(writer, 70) ? some_column(writer, type) : NO_VALUE;
  if (from != NO_VALUE) {
    uint32_t value = begin(writer, type, OPERATION_LOAD);
    put(writer, " %s c%u\n", value_type_name(type), from);
    return value;
  }
  from = chance(writer, 60) ? some_uniform(writer, type) : NO_VALUE;
  if (from != NO_VALUE) {
    uint32_t value = begin(writer, type, OPERATION_UNIFORM);
    put(writer, " %s u%u\n", value_type_name(type), from);
    return value;
  }
  if (type == VALUE_ENTITY && chance(writer, 80)) {
    uint32_t value = begin(writer, type, OPERATION_SELF);
    put(writer, "\n");
    return value;
  }
  return write_constant(writer, type);
}

/* A value of the type, mostly one that is already defined. */
static uint32_t operand(Writer *writer, ValueType type) {
  for (uint32_t tries = 0; tries < 8 && writer->values > 0; tries++) {
    uint32_t reach = chance(writer, 60) ? 8 : writer->values;
    if (reach > writer->values) reach = writer->values;
    uint32_t value = writer->values - 1 - below(writer, reach);
    if (writer->types[value] != type || chance(writer, 10)) continue;
    writer->late = writer->late || writer->is_late[value];
    return value;
  }
  return write_source(writer, type);
}

/* One that does not depend on an entity that the row spawns. */
static uint32_t early(Writer *writer, ValueType type) {
  uint32_t value = operand(writer, type);
  if (writer->is_late[value]) value = write_source(writer, type);
  writer->late = false;
  return value;
}

static ValueType number_type(Writer *writer) {
  return chance(writer, writer->whole ? 20 : 60) ? VALUE_F32 : VALUE_F64;
}

static void write_operands(Writer *writer, Operation operation, ValueType type,
                           ValueType result, const ValueType *operands,
                           uint32_t count, bool typed) {
  uint32_t values[3];
  for (uint32_t k = 0; k < count; k++) values[k] = operand(writer, operands[k]);
  begin(writer, result, operation);
  if (typed) put(writer, " %s", value_type_name(type));
  for (uint32_t k = 0; k < count; k++) put(writer, " v%u", values[k]);
}

static const char *looked_up(Writer *writer) {
  static const char *const names[] = {"R", "M", "N", "O", "T", "B"};
  return names[below(writer, 6)];
}

static void write_get(Writer *writer) {
  uint32_t field = below(writer, FIELD_COUNT);
  ValueType type = (ValueType)below(writer, VALUE_TYPE_COUNT);
  while (!scalar_loads_as(fields[field].type, type))
    type = (ValueType)below(writer, VALUE_TYPE_COUNT);
  const ValueType entity = VALUE_ENTITY;
  write_operands(writer, OPERATION_GET, type, type, &entity, 1, true);
  put(writer, " \"R\" \"%s\"\n", fields[field].name);
}

/* A key is often a whole number near 0, where arrays are. */
static uint32_t some_key(Writer *writer) {
  uint32_t key = operand(writer, VALUE_F64);
  if (chance(writer, 40)) return key;
  if (chance(writer, 50)) {
    uint32_t small = begin(writer, VALUE_F64, OPERATION_CONSTANT);
    put(writer, " f64 %d\n", (int)below(writer, 9));
    uint32_t rest = begin(writer, VALUE_F64, OPERATION_MODULO);
    put(writer, " f64 v%u v%u\n", key, small);
    key = rest;
  }
  writer->late = writer->is_late[key];
  uint32_t whole = begin(writer, VALUE_F64, OPERATION_FLOOR);
  put(writer, " f64 v%u\n", key);
  writer->late = writer->is_late[whole];
  return whole;
}

/* A key of array a: sometimes what an array before it has at another key, or
 * that behind the other key, as for rows of tables. */
static uint32_t key_of_array(Writer *writer, uint32_t a) {
  uint32_t key = some_key(writer), b = below(writer, a + 1);
  if (b == a || writer->arrays[b] != 0 || chance(writer, 30)) return key;
  writer->late = writer->is_late[key];
  uint32_t element = begin(writer, VALUE_F64, OPERATION_AT);
  put(writer, " f64 a%u v%u\n", b, key);
  writer->late = writer->is_late[element];
  if (chance(writer, 50)) return element;
  uint32_t sum = begin(writer, VALUE_F64, OPERATION_PLUS);
  put(writer, " f64 v%u v%u\n", element, key);
  writer->late = writer->is_late[sum];
  return sum;
}

static void write_look(Writer *writer, Operation operation) {
  if (writer->array_count == 0) return;
  uint32_t a = below(writer, writer->array_count);
  uint32_t key = key_of_array(writer, a);
  ValueType type = number_type(writer);
  if (writer->arrays[a] == UNIFORM_BOOL) type = VALUE_BOOL;
  if (writer->arrays[a] == UNIFORM_ENTITY) type = VALUE_ENTITY;
  bool inside = operation == OPERATION_INSIDE;
  begin(writer, inside ? VALUE_BOOL : type, operation);
  if (!inside) put(writer, " %s", value_type_name(type));
  put(writer, " a%u v%u\n", a, key);
}

/* Columns from *first on that are numbered together: mostly a pair, or a single
 * one. NO_VALUE: none was found; else the last of them. */
static uint32_t some_columns(Writer *writer, uint32_t *first, bool stores) {
  for (uint32_t tries = 0; tries < 12 && writer->column_count > 1; tries++) {
    uint32_t c = chance(writer, 50) ? 0 : below(writer, writer->column_count);
    uint32_t last = c + 1;
    const ecs_KernelColumn *column = &writer->columns[c];
    if (last == writer->column_count ||
        column[0].component[0] != column[1].component[0] ||
        column[0].type != column[1].type ||
        column[0].access != column[1].access)
      last = c;
    bool free = !writer->stored[c] && !writer->stored[last];
    if (column->type != ECS_ENTITY &&
        (stores ? column->access == ECS_WRITE : free)) {
      *first = c;
      return last;
    }
  }
  return NO_VALUE;
}

/* A key of columns: often one that numbers some. */
static uint32_t key_of_columns(Writer *writer) {
  if (chance(writer, 50)) return some_key(writer);
  uint32_t x = operand(writer, VALUE_F64);
  uint32_t two = begin(writer, VALUE_F64, OPERATION_CONSTANT);
  put(writer, " f64 2\n");
  writer->late = writer->is_late[x];
  uint32_t rest = begin(writer, VALUE_F64, OPERATION_MODULO);
  put(writer, " f64 v%u v%u\n", x, two);
  writer->late = writer->is_late[rest];
  uint32_t key = begin(writer, VALUE_F64, OPERATION_CEIL);
  put(writer, " f64 v%u\n", rest);
  writer->late = writer->is_late[key];
  return key;
}

static void write_element(Writer *writer) {
  uint32_t first, last = some_columns(writer, &first, false);
  if (last == NO_VALUE) return;
  ecs_Scalar scalar = writer->columns[first].type;
  ValueType type = scalar == ECS_BOOL ? VALUE_BOOL : number_type(writer);
  if (!scalar_loads_as(scalar, type)) type = VALUE_F64;
  uint32_t key = key_of_columns(writer);
  begin(writer, type, OPERATION_ELEMENT);
  put(writer, " %s c%u c%u v%u\n", value_type_name(type), first, last, key);
}

/* The result is a key that others often take. */
static void write_index(Writer *writer) {
  if (writer->array_count == 0) return;
  uint32_t a = below(writer, writer->array_count);
  if (!writer->placed[a]) return;
  uint32_t x = some_key(writer), y = some_key(writer), z = some_key(writer);
  writer->late = writer->is_late[x] || writer->is_late[y] || writer->is_late[z];
  begin(writer, VALUE_F64, OPERATION_INDEX);
  put(writer, " a%u v%u v%u", a, x, y);
  if (chance(writer, 50)) put(writer, " v%u", z);
  put(writer, "\n");
}

/* A coordinate or radius: often of a place where there are rows, or near it. */
static uint32_t some_length(Writer *writer) {
  if (chance(writer, 40)) return operand(writer, VALUE_F64);
  double number = below(writer, 8) * 0.5;
  uint32_t value = begin(writer, VALUE_F64, OPERATION_CONSTANT);
  put(writer, " f64 %g\n", number);
  return value;
}

static void keep_place(Writer *writer, uint32_t g, uint32_t value) {
  uint32_t k = writer->place_count;
  if (k < 8)
    writer->place_count++;
  else
    k = below(writer, 8);
  writer->places[k] = value;
  writer->place_grids[k] = g;
}

static void write_near(Writer *writer, Operation operation) {
  uint32_t g = below(writer, writer->grid_count);
  uint32_t values[5], count = writer->grids[g] + 1;
  for (uint32_t k = 0; k < count; k++) values[k] = some_length(writer);
  bool except = operation_infos[operation].shape != SHAPE_NEAR;
  if (except) values[count++] = operand(writer, VALUE_ENTITY);
  bool any = operation == OPERATION_NEAR_ANY;
  for (uint32_t k = 0; k < count; k++)
    writer->late = writer->late || writer->is_late[values[k]];
  uint32_t value = begin(writer, any ? VALUE_BOOL : VALUE_F64, operation);
  put(writer, " g%u", g);
  for (uint32_t k = 0; k < count; k++) put(writer, " v%u", values[k]);
  put(writer, "\n");
  if (operation == OPERATION_NEAREST) keep_place(writer, g, value);
  if (operation == OPERATION_NEAR) {
    writer->nears[writer->near_count < 8 ? writer->near_count++
                                         : below(writer, 8)] = value;
    writer->near_grids[value] = (uint8_t)g;
  }
}

/* One of the values that can still be used; NO_VALUE: there is none. */
static uint32_t some_known(Writer *writer, const uint32_t *values,
                           uint32_t count) {
  uint32_t k = count == 0 ? 0 : below(writer, count);
  if (count == 0 || writer->types[values[k]] == WRITER_HIDDEN) return NO_VALUE;
  return k;
}

static void write_nth(Writer *writer) {
  uint32_t k = some_known(writer, writer->nears, writer->near_count);
  if (k == NO_VALUE) {
    write_near(writer, OPERATION_NEAR);
    return;
  }
  uint32_t near = writer->nears[k], key = some_key(writer);
  writer->late = writer->is_late[near] || writer->is_late[key];
  uint32_t value = begin(writer, VALUE_F64, OPERATION_NTH);
  put(writer, " v%u v%u\n", near, key);
  keep_place(writer, writer->near_grids[near], value);
}

/* Mostly of a place that was found in this grid. */
static void write_found(Writer *writer, Operation operation) {
  uint32_t k = some_known(writer, writer->places, writer->place_count);
  uint32_t g = k == NO_VALUE ? below(writer, writer->grid_count)
                             : writer->place_grids[k];
  uint32_t place = k == NO_VALUE || chance(writer, 10) ? some_key(writer)
                                                       : writer->places[k];
  uint32_t field = below(writer, FIELD_COUNT);
  bool gets = operation == OPERATION_FOUND_GET;
  ValueType type = VALUE_ENTITY;
  while (gets && !scalar_loads_as(fields[field].type, type))
    type = (ValueType)below(writer, VALUE_TYPE_COUNT);
  writer->late = writer->is_late[place];
  begin(writer, type, operation);
  if (gets) put(writer, " %s", value_type_name(type));
  put(writer, " g%u v%u", g, place);
  if (gets)
    put(writer, " \"%s\" \"%s\"",
        chance(writer, 50)      ? "N"
        : writer->grids[g] == 2 ? "M"
                                : "R",
        fields[field].name);
  put(writer, "\n");
}

static void write_of_grid(Writer *writer, Operation operation) {
  if (writer->grid_count == 0) return;
  if (operation == OPERATION_NTH)
    write_nth(writer);
  else if (operation == OPERATION_FOUND || operation == OPERATION_FOUND_GET)
    write_found(writer, operation);
  else
    write_near(writer, operation);
}

static void write_column_value(Writer *writer, Operation operation) {
  for (uint32_t c = 0; c < writer->column_count; c++)
    if (operation == OPERATION_PRESENT &&
        writer->columns[c].access == ECS_OPTIONAL) {
      begin(writer, VALUE_BOOL, operation);
      put(writer, " c%u\n", c);
      return;
    }
  (void)write_source(writer, (ValueType)below(writer, VALUE_TYPE_COUNT));
}

static void write_quantize(Writer *writer, ValueType type) {
  ecs_Scalar scalar = (ecs_Scalar)below(writer, ECS_U32 + 1);
  if (writer->whole && scalar_is_float(scalar)) scalar = ECS_I32;
  uint32_t value = operand(writer, type);
  begin(writer, type, OPERATION_QUANTIZE);
  put(writer, " %s %s v%u\n", ecs_scalar_name(scalar), value_type_name(type),
      value);
}

static void write_value(Writer *writer, Operation operation) {
  ValueType type = number_type(writer), any;
  any = chance(writer, 60) ? type : (ValueType)below(writer, VALUE_TYPE_COUNT);
  ValueType other = type == VALUE_F32 ? VALUE_F64 : VALUE_F32;
  const ValueType same[] = {type, type, type};
  const ValueType truths[] = {VALUE_BOOL, VALUE_BOOL};
  const ValueType choice[] = {VALUE_BOOL, any, any};
  const ValueType entity = VALUE_ENTITY, draws = VALUE_F64;
  switch (operation_infos[operation].shape) {
    case SHAPE_UNARY:
      write_operands(writer, operation, type, type, same, 1, true);
      break;
    case SHAPE_BINARY:
      write_operands(writer, operation, type, type, same, 2, true);
      break;
    case SHAPE_COMPARE:
      write_operands(writer, operation, type, VALUE_BOOL, same, 2, true);
      break;
    case SHAPE_EQUAL:
      write_operands(writer, operation, any, VALUE_BOOL, choice + 1, 2, true);
      break;
    case SHAPE_LOGIC:
      write_operands(writer, operation, type, VALUE_BOOL, truths, 2, false);
      break;
    case SHAPE_NEGATION:
      write_operands(writer, operation, type, VALUE_BOOL, truths, 1, false);
      break;
    case SHAPE_SELECT:
      write_operands(writer, operation, any, any, choice, 3, true);
      break;
    case SHAPE_CONVERT:
      write_operands(writer, operation, type, type, &other, 1, true);
      break;
    case SHAPE_QUANTIZE: write_quantize(writer, type); return;
    case SHAPE_GET: write_get(writer); return;
    case SHAPE_AT:
    case SHAPE_INSIDE: write_look(writer, operation); return;
    case SHAPE_INDEX: write_index(writer); return;
    case SHAPE_ELEMENT: write_element(writer); return;
    case SHAPE_NEAR:
    case SHAPE_NEAREST:
    case SHAPE_ANY:
    case SHAPE_NTH:
    case SHAPE_FOUND:
    case SHAPE_FOUND_GET: write_of_grid(writer, operation); return;
    case SHAPE_ALIVE:
      write_operands(writer, operation, type, VALUE_BOOL, &entity, 1, false);
      break;
    case SHAPE_HAS:
      write_operands(writer, operation, type, VALUE_BOOL, &entity, 1, false);
      put(writer, " \"%s\"", looked_up(writer));
      break;
    case SHAPE_RANDOM:
      write_operands(writer, operation, type, VALUE_F64, &draws, 1, false);
      break;
    case SHAPE_CONSTANT:
      (void)write_constant(writer, (ValueType)below(writer, 4));
      return;
    case SHAPE_CARRY: /* written with its cycle */
    default: write_column_value(writer, operation); return;
  }
  put(writer, "\n");
}

/* Operations that take whole numbers to whole numbers. */
static Operation whole_operation(Writer *writer) {
  static const Operation operations[] = {
      OPERATION_NEGATE,   OPERATION_ABSOLUTE,   OPERATION_FLOOR,
      OPERATION_CEIL,     OPERATION_PLUS,       OPERATION_MINUS,
      OPERATION_PLUS,     OPERATION_MINUS,      OPERATION_TIMES,
      OPERATION_MINIMUM,  OPERATION_MAXIMUM,    OPERATION_LESS,
      OPERATION_SELECT,   OPERATION_LESS_EQUAL, OPERATION_EQUAL,
      OPERATION_CONVERT,  OPERATION_LOAD,       OPERATION_QUANTIZE,
      OPERATION_QUANTIZE, OPERATION_QUANTIZE,   OPERATION_MODULO};
  return operations[below(writer, sizeof operations / sizeof *operations)];
}

static void write_any_value(Writer *writer) {
  bool whole = writer->whole && chance(writer, 85);
  Operation operation = whole ? whole_operation(writer)
                              : (Operation)below(writer, OPERATION_CARRY);
  write_value(writer, operation);
  writer->late = false;
}

/* Cycles ------------------------------------------------------------------ */

#define MOST_CARRIES 5u

/* Of a cycle that is being written. */
typedef struct Carries {
  uint32_t first;                /* value; the others follow */
  uint32_t count;                /* the first counts turns */
  uint32_t starts[MOST_CARRIES]; /* values */
  ValueType types[MOST_CARRIES];
} Carries;

static void end_turn(Writer *writer, Operation operation, uint32_t value) {
  if (value != NO_VALUE) put(writer, " v%u", value);
  put(writer, "\n");
  writer->code++;
  writer->operations[operation]++;
}

static uint32_t write_number(Writer *writer, double number) {
  uint32_t value = begin(writer, VALUE_F64, OPERATION_CONSTANT);
  put(writer, " f64 %g\n", number);
  return value;
}

/* A number of turns: few, or, where endless cycles take no time, many. Mostly
 * not the same for each row. */
static uint32_t write_bound(Writer *writer) {
  uint32_t most = 1 + below(writer, 6);
  if (ECS_TURN_LIMIT < 100 && chance(writer, 3)) most = 1000;
  if (chance(writer, 30)) return write_number(writer, most);
  uint32_t x = operand(writer, VALUE_F64), y = write_number(writer, most);
  begin(writer, VALUE_F64, OPERATION_MODULO);
  put(writer, " f64 v%u v%u\n", x, y);
  return writer->values - 1;
}

static void write_carries(Writer *writer, Carries *carries) {
  carries->first = writer->values;
  for (uint32_t k = 0; k < carries->count; k++) {
    begin(writer, carries->types[k], OPERATION_CARRY);
    put(writer, " %s v%u\n", value_type_name(carries->types[k]),
        carries->starts[k]);
  }
}

/* The nexts of a cycle, and its end. Values are often carries, which may change
 * places. */
static void write_end(Writer *writer, const Carries *carries, uint32_t one) {
  uint32_t values[MOST_CARRIES], go = NO_VALUE;
  begin(writer, VALUE_F64, OPERATION_PLUS);
  put(writer, " f64 v%u v%u\n", carries->first, one);
  values[0] = writer->values - 1;
  for (uint32_t k = 1; k < carries->count; k++) {
    uint32_t other = 1 + below(writer, carries->count - 1);
    bool moves =
        chance(writer, 25) && carries->types[other] == carries->types[k];
    values[k] =
        moves ? carries->first + other : operand(writer, carries->types[k]);
  }
  if (chance(writer, 25)) go = operand(writer, VALUE_BOOL);
  bool backwards = chance(writer, 30);
  for (uint32_t k = 0; k < carries->count; k++) {
    uint32_t n = backwards ? carries->count - 1 - k : k;
    put(writer, "next v%u", carries->first + n);
    end_turn(writer, OPERATION_NEXT, values[n]);
  }
  put(writer, "again");
  end_turn(writer, OPERATION_AGAIN, go);
}

/* A cycle, and one or two in it. A row leaves it when its turns are counted, and
 * some rows before. */
static void write_cycle(Writer *writer, uint32_t depth) {
  Carries carries = {.count = 1 + below(writer, MOST_CARRIES)};
  uint32_t bound = write_bound(writer), one = write_number(writer, 1);
  carries.starts[0] = write_number(writer, 0);
  carries.types[0] = VALUE_F64;
  for (uint32_t k = 1; k < carries.count; k++) {
    carries.types[k] = chance(writer, 70)
                           ? number_type(writer)
                           : (ValueType)below(writer, VALUE_TYPE_COUNT);
    carries.starts[k] = operand(writer, carries.types[k]);
  }
  uint32_t some = chance(writer, 25) ? operand(writer, VALUE_BOOL) : NO_VALUE;
  put(writer, "repeat");
  end_turn(writer, OPERATION_REPEAT, some);
  write_carries(writer, &carries);
  uint32_t inner = writer->values;
  begin(writer, VALUE_BOOL, OPERATION_LESS);
  put(writer, " f64 v%u v%u\n", carries.first, bound);
  put(writer, "while");
  end_turn(writer, OPERATION_WHILE, writer->values - 1);
  uint32_t most = writer->code + below(writer, 10);
  while (writer->code < most) {
    write_any_value(writer);
    if (depth < 2 && chance(writer, 8)) write_cycle(writer, depth + 1);
    if (!chance(writer, 10)) continue;
    uint32_t stay = operand(writer, VALUE_BOOL);
    put(writer, "while");
    end_turn(writer, OPERATION_WHILE, stay);
  }
  write_end(writer, &carries, one);
  for (uint32_t value = inner; value < writer->values; value++)
    writer->types[value] = WRITER_HIDDEN;
}

/* A cycle over the rows that are near: counts turns, and sums up what they
 * have. */
static void write_neighbours(Writer *writer) {
  Carries carries = {.count = 2};
  if (writer->grid_count == 0) return;
  uint32_t one = write_number(writer, 1);
  write_near(writer, OPERATION_NEAR);
  uint32_t near = writer->values - 1;
  for (uint32_t k = 0; k < 2; k++) {
    carries.starts[k] = write_number(writer, 0);
    carries.types[k] = VALUE_F64;
  }
  put(writer, "repeat");
  end_turn(writer, OPERATION_REPEAT, NO_VALUE);
  write_carries(writer, &carries);
  uint32_t inner = writer->values;
  begin(writer, VALUE_BOOL, OPERATION_LESS);
  put(writer, " f64 v%u v%u\n", carries.first, near);
  put(writer, "while");
  end_turn(writer, OPERATION_WHILE, writer->values - 1);
  begin(writer, VALUE_F64, OPERATION_NTH);
  put(writer, " v%u v%u\n", near, carries.first);
  uint32_t place = writer->values - 1, g = writer->near_grids[near];
  keep_place(writer, g, place);
  begin(writer, VALUE_F64, OPERATION_FOUND_GET);
  put(writer, " f64 g%u v%u \"N\" \"u8\"\n", g, place);
  uint32_t most = writer->code + below(writer, 6);
  while (writer->code < most) write_any_value(writer);
  write_end(writer, &carries, one);
  for (uint32_t value = inner; value < writer->values; value++)
    writer->types[value] = WRITER_HIDDEN;
}

/* Values with cycles among them. */
static void write_cycles(Writer *writer) {
  uint32_t count = 1 + below(writer, 3);
  for (uint32_t k = 0; k < count && writer->code < ECS_CODE_LIMIT / 4; k++) {
    if (chance(writer, 40)) write_neighbours(writer);
    write_cycle(writer, 0);
    write_any_value(writer);
  }
}

/* Effects ----------------------------------------------------------------- */

/* An optional mask. Call this before the effect is written: it may write a
 * value. */
static uint32_t mask(Writer *writer) {
  return chance(writer, 40) ? operand(writer, VALUE_BOOL) : NO_VALUE;
}

static void end_effect(Writer *writer, Operation operation, uint32_t mask) {
  if (mask != NO_VALUE) put(writer, " v%u", mask);
  put(writer, "\n");
  writer->late = false;
  writer->code++;
  writer->operations[operation]++;
}

static void write_store(Writer *writer) {
  uint32_t c = below(writer, writer->column_count + 1);
  if (c == writer->column_count || writer->columns[c].access == ECS_READ)
    return;
  ecs_Scalar scalar = writer->columns[c].type;
  ValueType type = scalar == ECS_BOOL                        ? VALUE_BOOL
                   : scalar == ECS_ENTITY                    ? VALUE_ENTITY
                   : chance(writer, 70) && scalar == ECS_F64 ? VALUE_F64
                                                             : VALUE_F32;
  if (type == VALUE_F32 && chance(writer, writer->whole ? 80 : 20))
    type = VALUE_F64;
  uint32_t value = operand(writer, type), when = mask(writer);
  put(writer, "store c%u v%u", c, value);
  writer->stored[c] = true;
  end_effect(writer, OPERATION_STORE, when);
}

static void write_scatter(Writer *writer) {
  uint32_t first, last = some_columns(writer, &first, true);
  if (last == NO_VALUE) return;
  ValueType type = writer->columns[first].type == ECS_BOOL
                       ? VALUE_BOOL
                       : number_type(writer);
  uint32_t key = key_of_columns(writer);
  bool late = writer->late;
  uint32_t value = operand(writer, type);
  writer->late = writer->late || late;
  uint32_t when = mask(writer);
  put(writer, "scatter c%u c%u v%u v%u", first, last, key, value);
  writer->stored[first] = writer->stored[last] = true;
  end_effect(writer, OPERATION_SCATTER, when);
}

/* What is stored is often near what was read at this key, or at another. */
static void write_put(Writer *writer) {
  if (writer->array_count == 0) return;
  uint32_t a = below(writer, writer->array_count);
  if (!writer->placed[a]) return;
  bool truth = writer->arrays[a] == UNIFORM_BOOL;
  ValueType type = truth ? VALUE_BOOL : number_type(writer);
  uint32_t key = key_of_array(writer, a), value = operand(writer, type);
  if (chance(writer, 40)) {
    uint32_t other = chance(writer, 70) ? key : some_key(writer);
    uint32_t b = chance(writer, 70) ? a : below(writer, writer->array_count);
    if (writer->arrays[b] != writer->arrays[a]) b = a;
    writer->late = writer->is_late[other];
    uint32_t old = begin(writer, type, OPERATION_AT);
    put(writer, " %s a%u v%u\n", value_type_name(type), b, other);
    writer->late = writer->is_late[old] || writer->is_late[value];
    uint32_t made = begin(writer, type, truth ? OPERATION_OR : OPERATION_PLUS);
    put(writer, "%s%s v%u v%u\n", truth ? "" : " ",
        truth ? "" : value_type_name(type), old, value);
    value = made;
  }
  uint32_t when = mask(writer);
  put(writer, "put a%u v%u v%u", a, key, value);
  end_effect(writer, OPERATION_PUT, when);
}

/* Writes what most programs do: a store of a value computed from the same
 * column. */
static void write_update(Writer *writer) {
  uint32_t c = below(writer, writer->column_count + 1);
  if (c == writer->column_count || writer->columns[c].access == ECS_READ ||
      writer->columns[c].type > ECS_F64 || writer->stored[c])
    return;
  ValueType type = writer->columns[c].type == ECS_F32 ? VALUE_F32 : VALUE_F64;
  uint32_t old = begin(writer, type, OPERATION_LOAD);
  put(writer, " %s c%u\n", value_type_name(type), c);
  uint32_t x = operand(writer, type), y = operand(writer, type);
  uint32_t product = begin(writer, type, OPERATION_TIMES);
  put(writer, " %s v%u v%u\n", value_type_name(type), x, y);
  Operation step = chance(writer, 50) ? OPERATION_PLUS : OPERATION_MINUS;
  writer->late = writer->is_late[product];
  bool swap = chance(writer, 50);
  uint32_t sum = begin(writer, type, step);
  put(writer, " %s v%u v%u\n", value_type_name(type), swap ? product : old,
      swap ? old : product);
  uint32_t when = mask(writer);
  put(writer, "store c%u v%u", c, sum);
  writer->stored[c] = true;
  end_effect(writer, OPERATION_STORE, when);
}

static uint32_t write_binary(Writer *writer, Operation operation, uint32_t x,
                             uint32_t y) {
  bool truth = operation_infos[operation].shape != SHAPE_BINARY;
  uint32_t value = begin(writer, truth ? VALUE_BOOL : VALUE_F64, operation);
  put(writer, " f64 v%u v%u\n", x, y);
  return value;
}

/* Often a limit of 32 bits. */
static uint32_t write_limit(Writer *writer) {
  static const char *const limits[] = {"2147483647", "-2147483648",
                                       "4294967295"};
  if (chance(writer, 50)) return write_constant(writer, VALUE_F64);
  uint32_t value = begin(writer, VALUE_F64, OPERATION_CONSTANT);
  put(writer, " f64 %s\n", limits[below(writer, 3)]);
  return value;
}

/* A sum or product of a field of integers, compared with a limit, and stored in
 * the field; and what shows the sign of its zero. */
static void write_whole_update(Writer *writer) {
  static const Operation operations[] = {OPERATION_PLUS, OPERATION_MINUS,
                                         OPERATION_TIMES, OPERATION_MAXIMUM,
                                         OPERATION_MODULO};
  static const Operation compares[] = {OPERATION_LESS, OPERATION_LESS_EQUAL,
                                       OPERATION_EQUAL};
  uint32_t c = below(writer, writer->column_count + 1);
  if (c == writer->column_count || writer->columns[c].access == ECS_READ ||
      scalar_is_float(writer->columns[c].type) ||
      writer->columns[c].type > ECS_U32 || writer->stored[c])
    return;
  uint32_t old = begin(writer, VALUE_F64, OPERATION_LOAD);
  put(writer, " f64 c%u\n", c);
  uint32_t other = chance(writer, 50) ? write_limit(writer)
                                      : write_source(writer, VALUE_F64);
  uint32_t sum = write_binary(writer, operations[below(writer, 5)], old, other);
  uint32_t when = NO_VALUE;
  if (chance(writer, 60))
    when = write_binary(writer, compares[below(writer, 3)], sum,
                        write_limit(writer));
  if (chance(writer, 20))
    (void)write_binary(writer, OPERATION_DIVIDE,
                       write_constant(writer, VALUE_F64), sum);
  put(writer, "store c%u v%u", c, sum);
  writer->stored[c] = true;
  end_effect(writer, OPERATION_STORE, when);
}

static void write_reduce(Writer *writer) {
  if (writer->reduction_count == 0) return;
  uint32_t r = below(writer, writer->reduction_count);
  Operation operation = (Operation)writer->reductions[r];
  uint32_t value = operand(writer, VALUE_F64), when = mask(writer);
  put(writer, "%s r%u v%u", operation_infos[operation].name, r, value);
  end_effect(writer, operation, when);
}

static void write_change(Writer *writer) {
  Operation operation = (Operation)(OPERATION_DESTROY + below(writer, 3));
  uint32_t when = early(writer, VALUE_BOOL);
  put(writer, "%s", operation_infos[operation].name);
  if (operation != OPERATION_DESTROY) put(writer, " \"%s\"", looked_up(writer));
  end_effect(writer, operation, chance(writer, 90) ? when : NO_VALUE);
}

/* A change with what it takes: written as a whole, when all values are there. */
typedef struct Change {
  const char *components[6]; /* parts; of other changes the only one */
  uint32_t part_count;
  const char *given[8];
  uint32_t fields[8], values[8];
  uint32_t give_count;
  uint32_t entity, mask; /* values */
} Change;

/* A value for the field: mostly one that fits. */
static uint32_t field_value(Writer *writer, uint32_t field) {
  ecs_Scalar scalar = fields[field].type;
  if (scalar == ECS_BOOL) return early(writer, VALUE_BOOL);
  if (scalar == ECS_ENTITY && writer->spawned_count > 0 && chance(writer, 50))
    return writer->spawned[below(writer, writer->spawned_count)];
  if (scalar == ECS_ENTITY) return early(writer, VALUE_ENTITY);
  ValueType type = number_type(writer);
  uint32_t value = early(writer, type);
  if (chance(writer, 5)) return value;
  uint32_t fits = begin(writer, type, OPERATION_QUANTIZE);
  put(writer, " %s %s v%u\n", ecs_scalar_name(scalar), value_type_name(type),
      value);
  return fits;
}

static void choose_gives(Writer *writer, Change *change, uint32_t part) {
  const char *component = change->components[part];
  uint32_t count = *component == 'O' ? 6 : FIELD_COUNT;
  if (*component == 'T' || *component == 'B') return;
  for (uint32_t k = below(writer, 4); k > 0 && change->give_count < 8; k--) {
    uint32_t field = below(writer, count);
    change->given[change->give_count] = component;
    change->fields[change->give_count] = field;
    change->values[change->give_count++] = field_value(writer, field);
  }
}

/* A mask that most rows share with the spawn of the entity that is changed. */
static uint32_t change_mask(Writer *writer, uint32_t entity) {
  for (uint32_t k = 0; k < writer->spawned_count; k++)
    if (writer->spawned[k] == entity && chance(writer, 90))
      return writer->spawn_masks[k];
  return chance(writer, 70) ? early(writer, VALUE_BOOL) : NO_VALUE;
}

static void write_arguments(Writer *writer, const Change *change) {
  for (uint32_t k = 0; k < change->part_count; k++) {
    put(writer, "part \"%s\"", change->components[k]);
    end_effect(writer, OPERATION_PART, NO_VALUE);
  }
  for (uint32_t k = 0; k < change->give_count; k++) {
    put(writer, "give \"%s\" \"%s\" v%u", change->given[k],
        fields[change->fields[k]].name, change->values[k]);
    end_effect(writer, OPERATION_GIVE, NO_VALUE);
  }
}

/* Few sets of parts: each is a bundle of the world. */
static void write_spawn(Writer *writer) {
  static const char *const names[] = {"N", "R", "T", "M", "B", "O"};
  Change change = {.mask = change_mask(writer, NO_VALUE)};
  uint32_t set = below(writer, 14) * 5 % 64;
  if (writer->spawned_count == 8) return;
  for (uint32_t k = 0; k < 6; k++)
    if ((set >> k & 1u) != 0) change.components[change.part_count++] = names[k];
  for (uint32_t k = 0; k < change.part_count; k++)
    choose_gives(writer, &change, k);
  write_arguments(writer, &change);
  writer->late = true;
  uint32_t value = begin(writer, VALUE_ENTITY, OPERATION_SPAWN);
  if (change.mask != NO_VALUE) put(writer, " v%u", change.mask);
  put(writer, "\n");
  writer->spawned[writer->spawned_count] = value;
  writer->spawn_masks[writer->spawned_count++] = change.mask;
}

/* A change of an entity that may be new. */
static void write_other(Writer *writer) {
  Operation operation = (Operation)(OPERATION_ADD_TO + below(writer, 4));
  Change change = {.components = {looked_up(writer)}};
  bool takes = operation == OPERATION_ADD_TO || operation == OPERATION_SET_OF;
  bool sets = operation == OPERATION_SET_OF && chance(writer, 85);
  if (sets && strchr("NMO", *change.components[0])) change.components[0] = "R";
  bool is_new = writer->spawned_count > 0 && chance(writer, 50);
  change.entity = is_new ? writer->spawned[below(writer, writer->spawned_count)]
                         : early(writer, VALUE_ENTITY);
  change.mask = change_mask(writer, change.entity);
  if (takes) choose_gives(writer, &change, 0);
  write_arguments(writer, &change);
  put(writer, "%s v%u", operation_infos[operation].name, change.entity);
  if (operation != OPERATION_DESTROY_OTHER)
    put(writer, " \"%s\"", change.components[0]);
  end_effect(writer, operation, change.mask);
}

/* Some values, and an exit that depends on one of them: mostly a comparison, so
 * that some rows take it and some do not. */
static void write_exit(Writer *writer) {
  uint32_t values = below(writer, 12);
  for (uint32_t k = 0; k < values; k++) write_any_value(writer);
  if (chance(writer, 70)) {
    ValueType type = number_type(writer);
    uint32_t x = write_source(writer, type), y = write_constant(writer, type);
    begin(writer, VALUE_BOOL, OPERATION_LESS);
    put(writer, " %s v%u v%u\n", value_type_name(type), x, y);
    uint32_t a = writer->values - 1, b = operand(writer, VALUE_BOOL);
    begin(writer, VALUE_BOOL, OPERATION_AND);
    put(writer, " v%u v%u\n", a, b);
  }
  uint32_t taken = operand(writer, VALUE_BOOL);
  put(writer, "exit");
  end_effect(writer, OPERATION_EXIT, taken);
}

/* Programs ---------------------------------------------------------------- */

/* What changes programs make: none, those of their rows, or any. */
typedef enum Changes { NONE, OWN, ANY } Changes;

static void write_something(Writer *writer, Changes changes) {
  uint32_t kind = below(writer, 100);
  if (kind < 15)
    write_store(writer);
  else if (kind < 25 && writer->whole)
    write_whole_update(writer);
  else if (kind < 25)
    write_update(writer);
  else if (kind < 29)
    write_reduce(writer);
  else if (kind < 33 && changes != NONE)
    write_change(writer);
  else if (kind >= 92)
    write_put(writer);
  else if (kind >= 89)
    write_scatter(writer);
  else if (kind < 41 && changes == ANY)
    write_spawn(writer);
  else if (kind < 53 && changes == ANY)
    write_other(writer);
  else
    write_any_value(writer);
}

void writer_write(Writer *writer, uint64_t seed) {
  writer->random.state = seed;
  writer->length = 0;
  writer->values = writer->code = writer->spawned_count = 0;
  writer->near_count = writer->place_count = 0;
  writer->late = false;
  writer->whole = chance(writer, 30);
  declare_columns(writer);
  declare_rest(writer);
  Changes changes = chance(writer, 8) ? OWN : chance(writer, 12) ? ANY : NONE;
  if (chance(writer, 10)) write_cycles(writer);
  if (chance(writer, 25)) write_exit(writer);
  if (chance(writer, 15)) write_cycles(writer);
  uint32_t most = 1 + below(writer, chance(writer, 5) ? 150 : 30);
  if (writer->code > 40) most = writer->code + 10;
  while (writer->code < most) write_something(writer, changes);
  for (uint32_t k = 0; k < 3; k++) {
    write_store(writer);
    write_reduce(writer);
    if (chance(writer, 40)) write_put(writer);
    if (chance(writer, 20)) write_scatter(writer);
  }
}

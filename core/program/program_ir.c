/* program_ir.c: verifies kernel programs. */
#include "program/program_ir.h"

#include <stdarg.h>
#include <stdio.h>

void mistake_write(const Mistake *mistake, uint32_t line, const char *format,
                   ...) {
  if (mistake->text == NULL || mistake->capacity == 0) return;
  size_t used = 0;
  mistake->text[0] = 0;
  if (line > 0) {
    int length = snprintf(mistake->text, mistake->capacity, "line %u: ", line);
    used = length > 0 ? (size_t)length : 0;
  }
  if (used >= mistake->capacity) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(mistake->text + used, mistake->capacity - used, format, arguments);
  va_end(arguments);
  /* The message may quote the program, which may hold any byte. */
  for (char *byte = mistake->text; *byte != 0; byte++)
    if ((unsigned char)*byte < 32 || *byte == 127) *byte = '?';
}

void program_deinit(ecs_Program *program) {
  Memory *memory = &program->query->store->memory;
  ECS_ASSERT(program->plan == NULL);
  memory_free(memory, program->columns,
              program->column_capacity * sizeof(ecs_KernelColumn));
  memory_free(memory, program->uniforms, program->uniform_capacity);
  memory_free(memory, program->reductions, program->reduction_capacity);
  memory_free(memory, program->arrays, program->array_capacity);
  memory_free(memory, program->grids, program->grid_capacity);
  memory_free(memory, program->code,
              program->code_capacity * sizeof(Instruction));
  memory_free(memory, program->types, program->value_capacity);
}

/* Types ----------------------------------------------------------------- */

ValueType instruction_result(const Instruction *ins) {
  switch (instruction_shape(ins)) {
    case SHAPE_COMPARE:
    case SHAPE_EQUAL:
    case SHAPE_LOGIC:
    case SHAPE_NEGATION:
    case SHAPE_PRESENT:
    case SHAPE_INSIDE:
    case SHAPE_ALIVE:
    case SHAPE_ANY:
    case SHAPE_HAS: return VALUE_BOOL;
    case SHAPE_SPAWN:
    case SHAPE_FOUND:
    case SHAPE_SELF: return VALUE_ENTITY;
    case SHAPE_INDEX:
    case SHAPE_NEAR:
    case SHAPE_NEAREST:
    case SHAPE_NTH:
    case SHAPE_RANDOM: return VALUE_F64;
    default: return (ValueType)ins->type;
  }
}

static bool is_number(ValueType type) {
  return type == VALUE_F32 || type == VALUE_F64;
}

/* Cycles ---------------------------------------------------------------- */

/* A cycle that the verifier is in. */
typedef struct OpenCycle {
  uint32_t carry; /* its first carry, a value */
  uint32_t inner; /* the first value behind its carries */
  uint32_t given; /* so many carries have had their next */
  bool begun;     /* something but carries was seen: no more of them */
  bool ends;      /* a next was seen: only these and again may follow */
} OpenCycle;

/* The state of verifying cycles; zero at first. */
typedef struct CycleCheck {
  uint32_t depth; /* of open cycles */
  OpenCycle open[ECS_CYCLE_LIMIT];
  bool hidden[ECS_CODE_LIMIT]; /* per value: it was inside a closed cycle */
  bool given[ECS_CODE_LIMIT];  /* per value: a carry that has had its next */
  bool effects;                /* an effect was seen that no cycle may follow */
} CycleCheck;

static const char *open_cycle(CycleCheck *check, uint32_t defined) {
  if (check->effects) return "comes before all effects but an exit";
  ECS_ASSERT(check->depth < ECS_CYCLE_LIMIT); /* the parser sees to it */
  check->open[check->depth++] = (OpenCycle){.carry = defined, .inner = defined};
  return NULL;
}

static const char *close_cycle(CycleCheck *check, const OpenCycle *cycle,
                               uint32_t defined) {
  if (cycle->given != cycle->inner - cycle->carry)
    return "a carry of the cycle has no next";
  for (uint32_t value = cycle->inner; value < defined; value++)
    check->hidden[value] = true;
  check->depth--;
  return NULL;
}

static const char *enter_next(CycleCheck *check, OpenCycle *cycle,
                              const Instruction *ins) {
  uint32_t carry = ins->operands[0];
  if (carry < cycle->carry || carry >= cycle->inner)
    return "the first operand is no carry of this cycle";
  if (check->given[carry]) return "the carry has a next already";
  check->given[carry] = true;
  cycle->given++;
  cycle->ends = true;
  return NULL;
}

/* Enters the instruction that comes behind so many values. Returns what is wrong
 * with it, as far as cycles go; NULL: nothing. */
static const char *enter_cycles(CycleCheck *check, const Instruction *ins,
                                uint32_t defined) {
  OperationShape shape = instruction_shape(ins);
  OpenCycle *cycle = check->depth > 0 ? &check->open[check->depth - 1] : NULL;
  bool effect = (ins->result == NO_VALUE && !instruction_is_turn(ins)) ||
                shape == SHAPE_SPAWN;
  if (cycle == NULL) {
    if (effect && shape != SHAPE_EXIT) check->effects = true;
    if (shape == SHAPE_REPEAT) return open_cycle(check, defined);
    return shape == SHAPE_CARRY || instruction_is_turn(ins)
               ? "stands in no cycle"
               : NULL;
  }
  if (effect) return "stands in no cycle, but behind the last";
  if (shape == SHAPE_CARRY) {
    cycle->inner = defined + 1;
    return cycle->begun ? "stands behind repeat or another carry" : NULL;
  }
  cycle->begun = true;
  if (shape == SHAPE_NEXT) return enter_next(check, cycle, ins);
  if (shape == SHAPE_AGAIN) return close_cycle(check, cycle, defined);
  if (cycle->ends) return "stands behind a next of its cycle";
  return shape == SHAPE_REPEAT ? open_cycle(check, defined) : NULL;
}

/* Verifying ------------------------------------------------------------- */

typedef struct Verifier {
  const ecs_Program *program;
  const Mistake *mistake;
  const Instruction *ins;
  uint32_t defined; /* values defined before the instruction */
  uint32_t exits;   /* exits before the instruction */
  CycleCheck cycles;
  bool stored[ECS_DECLARATION_LIMIT]; /* per column: a store has been seen */
  /* Per value: is it, and does it depend on, an entity that the row spawns? */
  bool is_spawned[ECS_CODE_LIMIT], is_late[ECS_CODE_LIMIT];
  /* Parts and gives before the instruction, up to the last change. */
  const Instruction *arguments;
  uint32_t argument_count, part_count;
} Verifier;

/* Writes what is wrong with the instruction, and returns false. */
static bool refuse(const Verifier *verifier, const char *problem,
                   const char *detail) {
  mistake_write(verifier->mistake, verifier->ins->line, "%s: %s%s",
                operation_infos[verifier->ins->operation].name, problem,
                detail);
  return false;
}

/* Is there an operand k, defined before, and not in a cycle that has ended? */
static bool check_known(const Verifier *verifier, uint32_t k) {
  uint32_t value = verifier->ins->operands[k];
  if (value == NO_VALUE) return refuse(verifier, "an operand is missing", "");
  if (value >= verifier->defined)
    return refuse(verifier, "an operand is not defined yet", "");
  if (verifier->cycles.hidden[value])
    return refuse(verifier, "an operand belongs to a cycle that has ended", "");
  return true;
}

/* Is there such an operand, of this type? */
static bool check_operand(const Verifier *verifier, uint32_t k,
                          ValueType type) {
  if (!check_known(verifier, k)) return false;
  uint32_t value = verifier->ins->operands[k];
  if (verifier->program->types[value] != (uint8_t)type)
    return refuse(verifier, "an operand is not a ", value_type_name(type));
  return true;
}

static bool check_operands(const Verifier *verifier, uint32_t count,
                           ValueType type) {
  for (uint32_t k = 0; k < count; k++)
    if (!check_operand(verifier, k, type)) return false;
  return true;
}

/* The optional mask is operand k. */
static bool check_mask(const Verifier *verifier, uint32_t k) {
  return verifier->ins->operands[k] == NO_VALUE ||
         check_operand(verifier, k, VALUE_BOOL);
}

static bool check_number(const Verifier *verifier) {
  return is_number((ValueType)verifier->ins->type) ||
         refuse(verifier, "takes f32 or f64", "");
}

static bool check_select(const Verifier *verifier) {
  ValueType type = (ValueType)verifier->ins->type;
  return check_operand(verifier, 0, VALUE_BOOL) &&
         check_operand(verifier, 1, type) && check_operand(verifier, 2, type);
}

static bool check_convert(const Verifier *verifier) {
  ValueType other = verifier->ins->type == VALUE_F32 ? VALUE_F64 : VALUE_F32;
  return check_number(verifier) && check_operand(verifier, 0, other);
}

static bool check_quantize(const Verifier *verifier) {
  ecs_Scalar scalar = (ecs_Scalar)verifier->ins->scalar;
  ValueType type = (ValueType)verifier->ins->type;
  if (scalar == ECS_BOOL || scalar == ECS_ENTITY)
    return refuse(verifier, "takes the type of a number", "");
  return check_number(verifier) && check_operand(verifier, 0, type);
}

static bool check_load(const Verifier *verifier) {
  uint32_t column = verifier->ins->index;
  if (verifier->stored[column])
    return refuse(verifier, "the column was stored before", "");
  return scalar_loads_as(verifier->program->columns[column].type,
                         (ValueType)verifier->ins->type) ||
         refuse(verifier, "the column does not load as ",
                value_type_name((ValueType)verifier->ins->type));
}

/* Are the columns of one component, of one type, and accessed alike? */
static bool check_columns_alike(const Verifier *verifier) {
  const ecs_KernelColumn *columns = verifier->program->columns;
  const ecs_KernelColumn *first = &columns[verifier->ins->index];
  for (uint32_t c = verifier->ins->index + 1; c <= verifier->ins->field; c++)
    if (columns[c].component != first->component ||
        columns[c].type != first->type || columns[c].access != first->access)
      return refuse(verifier, "the columns are not alike", "");
  return verifier->ins->field >= verifier->ins->index ||
         refuse(verifier, "the last column is before the first", "");
}

static bool check_element(const Verifier *verifier) {
  const Instruction *ins = verifier->ins;
  if (!check_columns_alike(verifier)) return false;
  for (uint32_t c = ins->index; c <= ins->field; c++)
    if (verifier->stored[c])
      return refuse(verifier, "a column was stored before", "");
  if (ins->type == VALUE_ENTITY ||
      !scalar_loads_as(verifier->program->columns[ins->index].type,
                       (ValueType)ins->type))
    return refuse(verifier, "the columns do not load as ",
                  value_type_name((ValueType)ins->type));
  return check_operand(verifier, 0, VALUE_F64);
}

/* Is what comes from outside as this kind of this type in the program? */
static bool kind_fits(UniformKind kind, ValueType type) {
  switch (kind) {
    case UNIFORM_NUMBER: return is_number(type);
    case UNIFORM_BOOL: return type == VALUE_BOOL;
    case UNIFORM_ENTITY: return type == VALUE_ENTITY;
  }
  return false;
}

static bool check_uniform(const Verifier *verifier) {
  ValueType type = (ValueType)verifier->ins->type;
  return kind_fits(uniform_kind(verifier->program, verifier->ins->index),
                   type) ||
         refuse(verifier, "the uniform is no ", value_type_name(type));
}

static bool check_at(const Verifier *verifier) {
  ValueType type = (ValueType)verifier->ins->type;
  if (!kind_fits(array_kind(verifier->program, verifier->ins->index), type))
    return refuse(verifier, "an element is no ", value_type_name(type));
  return check_operand(verifier, 0, VALUE_F64);
}

/* The program must not write a component that it looks up: rows would see each
 * other. */
static bool check_get(const Verifier *verifier) {
  const Store *store = verifier->program->query->store;
  const Schema *schema = store->components.all[verifier->ins->index].schema;
  const ecs_Program *program = verifier->program;
  for (uint32_t k = 0; k < program->column_count; k++)
    if (access_writes(program->columns[k].access) &&
        strcmp(program->columns[k].component, schema->name) == 0)
      return refuse(verifier, "the program writes ", schema->name);
  if (!scalar_loads_as(schema->fields[verifier->ins->field].type,
                       (ValueType)verifier->ins->type))
    return refuse(verifier, "the field does not load as ",
                  value_type_name((ValueType)verifier->ins->type));
  return check_operand(verifier, 0, VALUE_ENTITY);
}

/* The coordinates, the radius, and an entity where it is asked for. */
static bool check_near(const Verifier *verifier, bool entity) {
  uint32_t numbers = verifier->program->grids[verifier->ins->grid] + 1u;
  return check_operands(verifier, numbers, VALUE_F64) &&
         (!entity || check_operand(verifier, numbers, VALUE_ENTITY));
}

/* The parser has found the near that the first operand is. */
static bool check_found_get(const Verifier *verifier) {
  const Store *store = verifier->program->query->store;
  const Schema *schema = store->components.all[verifier->ins->index].schema;
  if (!scalar_loads_as(schema->fields[verifier->ins->field].type,
                       (ValueType)verifier->ins->type))
    return refuse(verifier, "the field does not load as ",
                  value_type_name((ValueType)verifier->ins->type));
  return check_operand(verifier, 0, VALUE_F64);
}

/* Is a column of the program a link? */
static bool is_link(const Store *store, const ecs_KernelColumn *column) {
  ecs_Component component = store_find_component(store, column->component);
  const Schema *schema = store->components.all[component].schema;
  for (uint32_t k = 0; component != 0 && k < schema->field_count; k++)
    if (strcmp(schema->fields[k].name, column->field) == 0)
      return schema->fields[k].link != SCHEMA_NO_LINK;
  return false;
}

static bool check_store(Verifier *verifier) {
  const ecs_KernelColumn *column =
      &verifier->program->columns[verifier->ins->index];
  if (!access_writes(column->access))
    return refuse(verifier, "the column is only read", "");
  if (is_link(verifier->program->query->store, column))
    return refuse(verifier, "the column is a link, which is only read", "");
  if (!check_known(verifier, 0)) return false;
  ValueType type =
      (ValueType)verifier->program->types[verifier->ins->operands[0]];
  if (!scalar_stores_as(column->type, type))
    return refuse(verifier, "the column cannot hold a ", value_type_name(type));
  verifier->stored[verifier->ins->index] = true;
  return check_mask(verifier, 1);
}

static bool check_scatter(Verifier *verifier) {
  const Instruction *ins = verifier->ins;
  const ecs_KernelColumn *column = &verifier->program->columns[ins->index];
  if (!check_columns_alike(verifier)) return false;
  if (!access_writes(column->access))
    return refuse(verifier, "the columns are only read", "");
  if (!check_operand(verifier, 0, VALUE_F64) || !check_known(verifier, 1))
    return false;
  ValueType type = (ValueType)verifier->program->types[ins->operands[1]];
  if (type == VALUE_ENTITY || !scalar_stores_as(column->type, type))
    return refuse(verifier, "the columns cannot hold a ",
                  value_type_name(type));
  for (uint32_t c = ins->index; c <= ins->field; c++)
    verifier->stored[c] = true;
  return check_mask(verifier, 2);
}

/* The sizes are those of an array of the world. */
static bool check_index(const Verifier *verifier) {
  if (array_scalar(verifier->program, verifier->ins->index) == ECS_SCALAR_COUNT)
    return refuse(verifier, "the array is not one of the world", "");
  return check_operands(verifier, 2, VALUE_F64) &&
         (verifier->ins->operands[2] == NO_VALUE ||
          check_operand(verifier, 2, VALUE_F64));
}

/* Stores in an array of the world: other elements belong to the caller. */
static bool check_put(const Verifier *verifier) {
  ecs_Scalar scalar = array_scalar(verifier->program, verifier->ins->index);
  if (scalar == ECS_SCALAR_COUNT)
    return refuse(verifier, "the array is not one of the world", "");
  if (!check_operand(verifier, 0, VALUE_F64) || !check_known(verifier, 1))
    return false;
  ValueType type =
      (ValueType)verifier->program->types[verifier->ins->operands[1]];
  return check_mask(verifier, 2) &&
         (scalar_stores_as(scalar, type) ||
          refuse(verifier, "the array cannot hold a ", value_type_name(type)));
}

/* Changes ---------------------------------------------------------------- */

/* No operand of a change depends on an entity that the row spawns, but it may be
 * that entity: changes are made before such values are computed. */
static bool check_timing(const Verifier *verifier) {
  const Instruction *ins = verifier->ins;
  bool takes_entity = instruction_shape(ins) == SHAPE_GIVE ||
                      instruction_shape(ins) == SHAPE_OTHER ||
                      instruction_shape(ins) == SHAPE_DESTROY_OTHER;
  for (uint32_t k = 0; k < OPERANDS; k++) {
    uint32_t value = ins->operands[k];
    if (value == NO_VALUE || !verifier->is_late[value]) continue;
    if (verifier->is_spawned[value] && takes_entity && k == 0) continue;
    return refuse(verifier, "depends on an entity that the row spawns", "");
  }
  return true;
}

static bool is_argument(const Instruction *ins) {
  return instruction_shape(ins) == SHAPE_PART ||
         instruction_shape(ins) == SHAPE_GIVE;
}

static bool has_part(const Verifier *verifier, uint32_t component) {
  for (uint32_t k = 0; k < verifier->argument_count; k++)
    if (instruction_shape(&verifier->arguments[k]) == SHAPE_PART &&
        verifier->arguments[k].index == component)
      return true;
  return false;
}

static bool check_part(Verifier *verifier) {
  if (has_part(verifier, verifier->ins->index))
    return refuse(verifier, "a component stands twice", "");
  return verifier->part_count++ < PART_LIMIT ||
         refuse(verifier, "too many components", "");
}

static bool check_give(const Verifier *verifier) {
  const Store *store = verifier->program->query->store;
  const Schema *schema = store->components.all[verifier->ins->index].schema;
  if (schema->fields[verifier->ins->field].link != SCHEMA_NO_LINK)
    return refuse(verifier, "the field is a link, which is not given", "");
  if (!check_known(verifier, 0)) return false;
  ValueType type =
      (ValueType)verifier->program->types[verifier->ins->operands[0]];
  return scalar_stores_as(schema->fields[verifier->ins->field].type, type) ||
         refuse(verifier, "the field cannot hold a ", value_type_name(type));
}

/* The parts and gives before a change are for it. */
static bool check_arguments(const Verifier *verifier) {
  const Instruction *ins = verifier->ins;
  bool spawns = ins->operation == OPERATION_SPAWN;
  bool takes = spawns || ins->operation == OPERATION_ADD_TO ||
               ins->operation == OPERATION_SET_OF;
  for (uint32_t k = 0; k < verifier->argument_count; k++) {
    const Instruction *argument = &verifier->arguments[k];
    bool is_part = instruction_shape(argument) == SHAPE_PART;
    bool fits = spawns ? is_part || has_part(verifier, argument->index)
                       : !is_part && argument->index == ins->index;
    if (!takes || !fits)
      return refuse(verifier, "takes no such part or value", "");
  }
  return true;
}

static bool check_other(const Verifier *verifier) {
  return check_operand(verifier, 0, VALUE_ENTITY) && check_mask(verifier, 1);
}

/* Notes what depends on an entity that the row spawns. */
static void note_late(Verifier *verifier) {
  const Instruction *ins = verifier->ins;
  if (ins->result == NO_VALUE) return;
  bool spawned = ins->operation == OPERATION_SPAWN, late = spawned;
  for (uint32_t k = 0; k < OPERANDS; k++)
    if (ins->operands[k] != NO_VALUE)
      late |= verifier->is_late[ins->operands[k]];
  verifier->is_spawned[ins->result] = spawned;
  verifier->is_late[ins->result] = late;
}

/* Notes the arguments of the next change. */
static bool note_arguments(Verifier *verifier) {
  if (is_argument(verifier->ins)) {
    if (verifier->argument_count++ == 0) verifier->arguments = verifier->ins;
    return true;
  }
  if (verifier->argument_count == 0) return true;
  if (!check_arguments(verifier)) return false;
  verifier->argument_count = verifier->part_count = 0;
  return true;
}

/* Whether the first operand is a carry is checked with the cycles. */
static bool check_next(const Verifier *verifier) {
  uint32_t carry = verifier->ins->operands[0];
  ECS_ASSERT(carry < verifier->defined);
  return check_operand(verifier, 1, (ValueType)verifier->program->types[carry]);
}

#ifdef ECS_CHECKED
/* The parser guarantees that all the instruction names exists. */
static bool names_exist(const ecs_Program *program, const Instruction *ins) {
  const Store *store = program->query->store;
  switch (instruction_shape(ins)) {
    case SHAPE_LOAD:
    case SHAPE_PRESENT:
    case SHAPE_STORE: return ins->index < program->column_count;
    case SHAPE_ELEMENT:
    case SHAPE_SCATTER:
      return ins->index < program->column_count &&
             ins->field < program->column_count;
    case SHAPE_UNIFORM: return ins->index < program->uniform_count;
    case SHAPE_AT:
    case SHAPE_INDEX:
    case SHAPE_PUT:
    case SHAPE_INSIDE: return ins->index < program->array_count;
    case SHAPE_REDUCE: return ins->index < program->reduction_count;
    case SHAPE_HAS:
    case SHAPE_PART:
    case SHAPE_OTHER:
    case SHAPE_STRUCTURE: return ins->index < store->components.count;
    case SHAPE_NEAR:
    case SHAPE_NEAREST:
    case SHAPE_ANY:
    case SHAPE_NTH:
    case SHAPE_FOUND: return ins->grid < program->grid_count;
    case SHAPE_FOUND_GET:
      if (ins->grid >= program->grid_count) return false;
      /* fall through */
    case SHAPE_GIVE:
    case SHAPE_GET:
      return ins->index < store->components.count &&
             ins->field < store->components.all[ins->index].schema->field_count;
    default: return true;
  }
}
#endif

static bool check(Verifier *verifier) {
  ValueType type = (ValueType)verifier->ins->type;
  ECS_ASSERT(verifier->ins->operation < OPERATION_COUNT);
  ECS_ASSERT(type < VALUE_TYPE_COUNT);
  ECS_ASSERT(names_exist(verifier->program, verifier->ins));
  switch (instruction_shape(verifier->ins)) {
    case SHAPE_UNARY:
      return check_number(verifier) && check_operands(verifier, 1, type);
    case SHAPE_BINARY:
    case SHAPE_COMPARE:
      return check_number(verifier) && check_operands(verifier, 2, type);
    case SHAPE_EQUAL: return check_operands(verifier, 2, type);
    case SHAPE_LOGIC: return check_operands(verifier, 2, VALUE_BOOL);
    case SHAPE_NEGATION: return check_operands(verifier, 1, VALUE_BOOL);
    case SHAPE_SELECT: return check_select(verifier);
    case SHAPE_CONVERT: return check_convert(verifier);
    case SHAPE_QUANTIZE: return check_quantize(verifier);
    case SHAPE_CONSTANT:
    case SHAPE_SELF: return true;
    case SHAPE_LOAD: return check_load(verifier);
    case SHAPE_ELEMENT: return check_element(verifier);
    case SHAPE_PRESENT:
      return access_is_optional(
                 verifier->program->columns[verifier->ins->index].access) ||
             refuse(verifier, "the column is not optional", "");
    case SHAPE_UNIFORM: return check_uniform(verifier);
    case SHAPE_INDEX: return check_index(verifier);
    case SHAPE_AT: return check_at(verifier);
    case SHAPE_INSIDE: return check_operand(verifier, 0, VALUE_F64);
    case SHAPE_ALIVE:
    case SHAPE_HAS: return check_operand(verifier, 0, VALUE_ENTITY);
    case SHAPE_GET: return check_get(verifier);
    case SHAPE_RANDOM: return check_operand(verifier, 0, VALUE_F64);
    case SHAPE_NEAR: return check_near(verifier, false);
    case SHAPE_NEAREST:
    case SHAPE_ANY: return check_near(verifier, true);
    case SHAPE_NTH: return check_operands(verifier, 2, VALUE_F64);
    case SHAPE_FOUND: return check_operand(verifier, 0, VALUE_F64);
    case SHAPE_FOUND_GET: return check_found_get(verifier);
    case SHAPE_STORE: return check_store(verifier);
    case SHAPE_SCATTER: return check_scatter(verifier);
    case SHAPE_PUT: return check_put(verifier);
    case SHAPE_STRUCTURE:
    case SHAPE_DESTROY:
    case SHAPE_SPAWN: return check_mask(verifier, 0);
    case SHAPE_PART: return check_part(verifier);
    case SHAPE_GIVE: return check_give(verifier);
    case SHAPE_OTHER:
    case SHAPE_DESTROY_OTHER: return check_other(verifier);
    case SHAPE_REDUCE:
      return check_operand(verifier, 0, VALUE_F64) && check_mask(verifier, 1);
    case SHAPE_EXIT:
      if (verifier->exits++ > 0)
        return refuse(verifier, "there is one before", "");
      return check_operand(verifier, 0, VALUE_BOOL);
    case SHAPE_CARRY: return check_operand(verifier, 0, type);
    case SHAPE_REPEAT:
    case SHAPE_AGAIN: return check_mask(verifier, 0);
    case SHAPE_WHILE: return check_operand(verifier, 0, VALUE_BOOL);
    case SHAPE_NEXT: return check_next(verifier);
  }
  return refuse(verifier, "no such operation", "");
}

/* No column is declared twice: a load of one could follow a store to the other.
 * Those of targets are at other rows. Field names belong to schemas, so equal
 * pointers are equal fields. */
static bool is_same_column(const ecs_KernelColumn *one,
                           const ecs_KernelColumn *other) {
  return one->field == other->field &&
         (one->access == ECS_UP) == (other->access == ECS_UP);
}

static bool check_columns(const ecs_Program *program, const Mistake *mistake) {
  for (uint32_t k = 0; k < program->column_count; k++)
    for (uint32_t before = 0; before < k; before++)
      if (is_same_column(&program->columns[k], &program->columns[before])) {
        mistake_write(mistake, 0, "c%u is the same column as c%u", k, before);
        return false;
      }
  return true;
}

/* Results are numbered in the order of the code; an effect has none. */
static bool check_result(Verifier *verifier) {
  bool effect = verifier->ins->operation >= OPERATION_FIRST_EFFECT;
  if (verifier->ins->result != (effect ? NO_VALUE : verifier->defined))
    return refuse(verifier, "the result is not the value that comes next", "");
  if (!effect) verifier->defined++;
  return true;
}

static bool check_cycles(Verifier *verifier) {
  const char *problem =
      enter_cycles(&verifier->cycles, verifier->ins, verifier->defined);
  return problem == NULL || refuse(verifier, problem, "");
}

ecs_Status program_verify(const ecs_Program *program, const Mistake *mistake) {
  Verifier verifier = {.program = program, .mistake = mistake};
  if (!check_columns(program, mistake)) return ECS_E_PROGRAM;
  for (uint32_t i = 0; i < program->code_count; i++) {
    verifier.ins = &program->code[i];
    bool exact = instruction_is_change(verifier.ins) ||
                 verifier.ins->operation == OPERATION_EXIT;
    if (!check(&verifier) || (exact && !check_timing(&verifier)) ||
        !note_arguments(&verifier) || !check_cycles(&verifier) ||
        !check_result(&verifier))
      return ECS_E_PROGRAM;
    note_late(&verifier);
    ECS_ASSERT(verifier.ins->result == NO_VALUE ||
               program->types[verifier.ins->result] ==
                   (uint8_t)instruction_result(verifier.ins));
  }
  if (verifier.cycles.depth > 0 || verifier.argument_count > 0) {
    refuse(&verifier,
           verifier.cycles.depth > 0 ? "a cycle has no again"
                                     : "no change follows",
           "");
    return ECS_E_PROGRAM;
  }
  ECS_ASSERT(verifier.defined == program->value_count);
  return ECS_OK;
}

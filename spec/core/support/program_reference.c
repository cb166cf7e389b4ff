/* program_reference.c: runs a kernel program one row and one operation at a
 * time.
 */
#include "program_reference.h"

#include "ecs_array.h"

#include "ecs_grid.h"

#include <math.h>
#include <stdlib.h>

/* A bool is a number: 0 or 1. */
typedef struct Value {
  double number;
  ecs_Entity entity;
} Value;

typedef struct Row {
  Reference *reference;
  ecs_Entity entity;
  void *const *columns;
  Value values[ECS_CODE_LIMIT];
} Row;

void reference_begin(Reference *reference, const ecs_Program *program,
                     ecs_World *twin, const ecs_ProgramCall *call) {
  size_t bytes = (call->reduction_count + 1) * sizeof(double);
  *reference = (Reference){.program = program, .twin = twin, .call = call};
  reference->starts = malloc(bytes);
  for (uint32_t r = 0; r < call->reduction_count; r++)
    reference->starts[r] = call->reductions[r];
}

void reference_end(Reference *reference) {
  free(reference->starts);
  free(reference->terms);
  free(reference->changes);
}

/* Arithmetic -------------------------------------------------------------- */

static double without_negative_zero(double x) { return x == 0 ? 0.0 : x; }

static double unary(uint8_t operation, double x) {
  switch (operation) {
    case OPERATION_NEGATE: return -x;
    case OPERATION_ABSOLUTE: return signbit(x) ? -x : x;
    case OPERATION_FLOOR: return without_negative_zero(floor(x));
    case OPERATION_CEIL: return without_negative_zero(ceil(x));
    case OPERATION_ROOT: return sqrt(x);
    case OPERATION_SIN: return sin(x);
    case OPERATION_COS: return cos(x);
    case OPERATION_TAN: return tan(x);
    case OPERATION_ASIN: return asin(x);
    case OPERATION_ACOS: return acos(x);
    case OPERATION_ATAN: return atan(x);
    case OPERATION_EXP: return exp(x);
    case OPERATION_LOG: return log(x);
    case OPERATION_OWN_SIN: return ecs_sin(x);
    case OPERATION_OWN_COS: return ecs_cos(x);
    case OPERATION_OWN_EXP: return ecs_exp(x);
    default: return ecs_log(x);
  }
}

/* The remainder of fmod, plus b if its sign is not that of b. */
static double modulo(double a, double b) {
  double rest = fmod(a, b);
  if (rest != 0 && !signbit(rest) != !signbit(b)) rest += b;
  return rest;
}

/* The nearest whole number within 2^50, of two the even one; otherwise 0. */
static int64_t whole_of(double x) {
  return x > -0x1p50 && x < 0x1p50 ? (int64_t)nearbyint(x) : 0;
}

static double binary(uint8_t operation, double a, double b) {
  switch (operation) {
    case OPERATION_PLUS: return a + b;
    case OPERATION_MINUS: return a - b;
    case OPERATION_TIMES: return a * b;
    case OPERATION_DIVIDE: return a / b;
    case OPERATION_MINIMUM: return b < a ? b : a;
    case OPERATION_MAXIMUM: return a < b ? b : a;
    case OPERATION_FLOOR_DIVIDE: return floor(a / b);
    case OPERATION_MODULO: return modulo(a, b);
    case OPERATION_REMAINDER: return fmod(a, b);
    case OPERATION_POWER: return b == 2 ? a * a : pow(a, b);
    case OPERATION_ATAN2: return atan2(a, b);
    case OPERATION_OWN_POWER: return ecs_pow(a, b);
    case OPERATION_BITS_AND: return (double)(whole_of(a) & whole_of(b));
    case OPERATION_BITS_OR: return (double)(whole_of(a) | whole_of(b));
    case OPERATION_BITS_XOR: return (double)(whole_of(a) ^ whole_of(b));
    default: return ecs_atan2(a, b);
  }
}

static double rounded(uint8_t type, double number) {
  return type == VALUE_F32 ? (double)(float)number : number;
}

/* What a field of the type reads after a store. */
static double stored(uint8_t scalar, double number) {
  uint64_t room = 0;
  ecs_scalar_convert((ecs_Scalar)scalar, &room, number);
  return ecs_scalar_load((ecs_Scalar)scalar, &room);
}

double reference_unary(Operation operation, ValueType type, double x) {
  return rounded((uint8_t)type, unary((uint8_t)operation, x));
}

double reference_binary(Operation operation, ValueType type, double a,
                        double b) {
  return rounded((uint8_t)type, binary((uint8_t)operation, a, b));
}

double reference_stored(ecs_Scalar scalar, double number) {
  return stored((uint8_t)scalar, number);
}

/* Columns, uniforms, entities --------------------------------------------- */

static Value load(ecs_Scalar scalar, const void *element) {
  Value value = {0, 0};
  if (element == NULL) return value;
  if (scalar == ECS_ENTITY)
    memcpy(&value.entity, element, sizeof value.entity);
  else
    value.number = ecs_scalar_load(scalar, element);
  if (scalar == ECS_BOOL) value.number = value.number != 0;
  return value;
}

static Value an_entity(double number) {
  const Value value = {0, (ecs_Entity)stored(ECS_ENTITY, number)};
  return value;
}

static Value uniform(const Row *row, const Instruction *ins) {
  Value value = {row->reference->call->uniforms[ins->index], 0};
  if (ins->type == VALUE_BOOL) value.number = value.number != 0;
  if (ins->type == VALUE_ENTITY) return an_entity(value.number);
  if (ins->type == VALUE_F32) value.number = (double)(float)value.number;
  return value;
}

/* The element at a key; null: there is none. */
static const double *element(const Row *row, const Instruction *ins, double key,
                             bool present) {
  const ecs_ProgramArray *array = &row->reference->call->arrays[ins->index];
  for (uint32_t k = 0; k < array->count; k++)
    if (key == (double)array->first + k) {
      bool absent = array->present != NULL && array->present[k] == 0;
      return present && absent ? NULL : &array->elements[k];
    }
  return NULL;
}

/* The key of the element at the indices of an instruction; 0: there is none. */
static double key_at(const Row *row, const Instruction *ins) {
  const ecs_ArrayView *view =
      ecs_array_view(row->reference->call->arrays[ins->index].array);
  double key = 1;
  for (uint32_t d = 0; d < 3 && ins->operands[d] != NO_VALUE; d++) {
    double x = row->values[ins->operands[d]].number;
    if (!(x >= 1 && x <= view->sizes[d]) || x != floor(x)) return 0;
    key = (key - 1) * view->sizes[d] + x;
  }
  return key;
}

static Value look(const Row *row, const Instruction *ins, double key) {
  const double *found = element(row, ins, key, false);
  Value value = {found == NULL ? 0 : *found, 0};
  if (value.number != value.number) value.number = NAN; /* without a payload */
  if (ins->type == VALUE_BOOL) value.number = value.number != 0;
  if (ins->type == VALUE_ENTITY) return an_entity(value.number);
  if (ins->type == VALUE_F32) value.number = (double)(float)value.number;
  return value;
}

static Value get(const Row *row, const Instruction *ins, ecs_Entity entity) {
  const ecs_World *world = row->reference->twin;
  Value value = {0, 0};
  if (ecs_get_field(world, entity, ins->index, ins->field, &value.number) !=
      ECS_OK)
    return value;
  return ins->type == VALUE_ENTITY ? an_entity(value.number) : value;
}

/* Instructions ------------------------------------------------------------ */

/* Did an earlier row destroy the entity? */
static bool was_destroyed(const Reference *reference, ecs_Entity entity) {
  for (uint32_t k = 0; k < reference->changes_before; k++)
    if (reference->changes[k].ins->operation == OPERATION_DESTROY &&
        reference->changes[k].entity == entity)
      return true;
  return false;
}

/* Grids ------------------------------------------------------------------- */

/* A row of a grid may be found, with its cells. */
typedef struct Found {
  double cells[3], square;
  uint32_t row;
} Found;

#define MOST_FOUND 64u

static double cell_of(double x, double inverse) {
  double cell = floor(x * inverse);
  return fmin(fmax(cell, -1073741824.0), 1073741824.0);
}

static bool is_before(const Found *one, const Found *other) {
  for (uint32_t d = 3; d-- > 0;)
    if (one->cells[d] != other->cells[d])
      return one->cells[d] < other->cells[d];
  return one->row < other->row;
}

/* Looks at every row of a grid, and keeps those that are near in the order of
 * cells. */
static uint32_t look_around(const Row *row, const Instruction *ins,
                            Found *found) {
  ecs_GridRows rows;
  uint32_t count = 0, n = row->reference->program->grids[ins->grid];
  double radius = row->values[ins->operands[n]].number;
  ecs_grid_rows(row->reference->call->grids[ins->grid], &rows);
  for (uint32_t i = 0; i < rows.count; i++) {
    Found one = {{0, 0, 0}, 0, i};
    bool near = radius >= 0;
    for (uint32_t d = 0; d < n; d++) {
      double p = rows.positions[d][i];
      double x = row->values[ins->operands[d]].number;
      near = near && x - x == 0 && x - radius <= p && p <= x + radius;
      one.square += (x - p) * (x - p);
      one.cells[d] = cell_of(p, rows.inverse);
    }
    if (!near || !(one.square <= radius * radius)) continue;
    if (count == MOST_FOUND) abort();
    uint32_t at = count++;
    for (; at > 0 && is_before(&one, &found[at - 1]); at--)
      found[at] = found[at - 1];
    found[at] = one;
  }
  return count;
}

static ecs_Entity entity_at(const Row *row, const Instruction *ins,
                            uint32_t at) {
  ecs_GridRows rows;
  ecs_grid_rows(row->reference->call->grids[ins->grid], &rows);
  return rows.entities[at];
}

/* The place that is nearest; -1: none. */
static double nearest(const Row *row, const Instruction *ins) {
  Found found[MOST_FOUND];
  uint32_t count = look_around(row, ins, found), best = UINT32_MAX;
  uint32_t n = row->reference->program->grids[ins->grid];
  ecs_Entity except = row->values[ins->operands[n + 1]].entity;
  for (uint32_t k = 0; k < count; k++)
    if (entity_at(row, ins, found[k].row) != except &&
        (best == UINT32_MAX || found[k].square < found[best].square))
      best = k;
  return best == UINT32_MAX ? -1.0 : (double)found[best].row;
}

/* The place of a neighbour of the near that made the first operand, which had
 * the same operands. */
static double nth(const Row *row, const Instruction *ins, double key) {
  const Instruction *near = row->reference->program->code;
  Found found[MOST_FOUND];
  while (near->result != ins->operands[0]) near++;
  uint32_t count = look_around(row, near, found);
  for (uint32_t k = 0; k < count; k++)
    if (key == k) return (double)found[k].row;
  return -1.0;
}

static Value found_get(const Row *row, const Instruction *ins, double place) {
  Value value = {0, 0};
  ecs_GridRows rows;
  ecs_FieldInfo info;
  ecs_grid_rows(row->reference->call->grids[ins->grid], &rows);
  uint32_t at = 0;
  while (at < rows.count && place != at) at++;
  if (at == rows.count) return value;
  if (ins->operation == OPERATION_FOUND) {
    value.entity = rows.entities[at];
    return value;
  }
  /* Of two components with 12 fields each, N is the first. */
  if (ecs_component_field(row->reference->twin, ins->index, ins->field,
                          &info) != ECS_OK)
    abort();
  uint32_t column = (ins->index == row->reference->claimed[0] ? 0 : 12);
  const char *from = rows.columns[column + ins->field];
  uint64_t room = 0;
  size_t bytes = scalar_bytes(info.type);
  memcpy(&room, from + at * bytes, bytes);
  return load(info.type, &room);
}

/* The column that a key numbers; NO_VALUE: none. */
static uint32_t keyed_column(const Instruction *ins, double key) {
  uint32_t count = ins->field - ins->index + 1;
  for (uint32_t k = 0; k < count; k++)
    if (key == k + 1) return ins->index + k;
  return NO_VALUE;
}

static Value keyed(const Row *row, const Instruction *ins, double key) {
  uint32_t c = keyed_column(ins, key);
  if (c == NO_VALUE) return (Value){0, 0};
  return load(row->reference->program->columns[c].type, row->columns[c]);
}

static Value compute(const Row *row, const Instruction *ins) {
  const ecs_World *world = row->reference->twin;
  const Value none = {0, 0};
  Value a = ins->operands[0] == NO_VALUE ? none : row->values[ins->operands[0]];
  Value b = ins->operands[1] == NO_VALUE ? none : row->values[ins->operands[1]];
  Value made = {0, 0};
  switch (operation_infos[ins->operation].shape) {
    case SHAPE_UNARY:
      made.number = rounded(ins->type, unary(ins->operation, a.number));
      break;
    case SHAPE_BINARY:
      made.number =
          rounded(ins->type, binary(ins->operation, a.number, b.number));
      break;
    case SHAPE_COMPARE:
      made.number = ins->operation == OPERATION_LESS ? a.number < b.number
                                                     : a.number <= b.number;
      break;
    case SHAPE_EQUAL:
      made.number = a.number == b.number && a.entity == b.entity;
      break;
    case SHAPE_LOGIC:
      made.number = ins->operation == OPERATION_AND
                        ? a.number != 0 && b.number != 0
                        : a.number != 0 || b.number != 0;
      break;
    case SHAPE_NEGATION: made.number = a.number == 0; break;
    case SHAPE_SELECT:
      made = a.number != 0 ? b : row->values[ins->operands[2]];
      break;
    case SHAPE_CONVERT: made.number = rounded(ins->type, a.number); break;
    case SHAPE_QUANTIZE:
      made.number = rounded(ins->type, stored(ins->scalar, a.number));
      break;
    case SHAPE_CONSTANT: made.number = ins->constant; break;
    case SHAPE_LOAD:
      return load(row->reference->program->columns[ins->index].type,
                  row->columns[ins->index]);
    case SHAPE_ELEMENT: return keyed(row, ins, a.number);
    case SHAPE_PRESENT: made.number = row->columns[ins->index] != NULL; break;
    case SHAPE_SELF: made.entity = row->entity; break;
    case SHAPE_UNIFORM: return uniform(row, ins);
    case SHAPE_INDEX: made.number = key_at(row, ins); break;
    case SHAPE_AT: return look(row, ins, a.number);
    case SHAPE_INSIDE:
      made.number = element(row, ins, a.number, true) != NULL;
      break;
    case SHAPE_ALIVE:
      made.number = ecs_alive(world, a.entity) &&
                    !was_destroyed(row->reference, a.entity);
      break;
    case SHAPE_HAS: made.number = ecs_has(world, a.entity, ins->index); break;
    case SHAPE_GET: return get(row, ins, a.entity);
    case SHAPE_CARRY: return a;
    case SHAPE_NEAR: {
      Found found[MOST_FOUND];
      made.number = look_around(row, ins, found);
      break;
    }
    case SHAPE_NEAREST: made.number = nearest(row, ins); break;
    case SHAPE_ANY: made.number = nearest(row, ins) >= 0; break;
    case SHAPE_NTH: made.number = nth(row, ins, b.number); break;
    case SHAPE_FOUND:
    case SHAPE_FOUND_GET: return found_get(row, ins, a.number);
    case SHAPE_RANDOM:
      made.number =
          ecs_random(row->reference->call->random_key, row->entity, a.number);
      break;
    default: abort();
  }
  return made;
}

static bool masked_out(const Row *row, const Instruction *ins, uint32_t k) {
  return ins->operands[k] != NO_VALUE &&
         row->values[ins->operands[k]].number == 0;
}

static void store(const Row *row, const Instruction *ins) {
  ecs_Scalar scalar = row->reference->program->columns[ins->index].type;
  Value value = row->values[ins->operands[0]];
  void *place = row->columns[ins->index];
  if (place == NULL || masked_out(row, ins, 1)) return;
  if (scalar == ECS_ENTITY)
    memcpy(place, &value.entity, sizeof value.entity);
  else
    ecs_scalar_convert(scalar, place, value.number);
}

static void store_keyed(const Row *row, const Instruction *ins) {
  uint32_t c = keyed_column(ins, row->values[ins->operands[0]].number);
  double number = row->values[ins->operands[1]].number;
  if (c == NO_VALUE || row->columns[c] == NULL || masked_out(row, ins, 2))
    return;
  ecs_scalar_convert(row->reference->program->columns[c].type, row->columns[c],
                     number);
}

/* Stores in the copy that the call has of an array of the world. */
static void store_element(const Row *row, const Instruction *ins) {
  const Reference *reference = row->reference;
  const double *found =
      element(row, ins, row->values[ins->operands[0]].number, true);
  double number = row->values[ins->operands[1]].number;
  if (found == NULL || masked_out(row, ins, 2)) return;
  ecs_Scalar scalar = array_scalar(reference->program, ins->index);
  *(double *)(uintptr_t)found = stored((uint8_t)scalar, number);
  row->reference->puts++;
}

/* A row does not see what it puts itself. */
static void store_elements(const Row *row) {
  const ecs_Program *program = row->reference->program;
  for (uint32_t i = 0; i < program->code_count; i++)
    if (program->code[i].operation == OPERATION_PUT)
      store_element(row, &program->code[i]);
}

static void list_change(Reference *reference, ecs_Entity entity,
                        const Instruction *ins) {
  if (reference->change_count == reference->change_room) {
    reference->change_room = 2 * reference->change_room + 64;
    reference->changes = realloc(
        reference->changes, reference->change_room * sizeof(ReferenceChange));
  }
  reference->changes[reference->change_count++] =
      (ReferenceChange){entity, ins};
  reference->made[ins->operation]++;
}

static void change(const Row *row, const Instruction *ins) {
  if (masked_out(row, ins, 0)) return;
  list_change(row->reference, row->entity, ins);
}

/* Changes that come first ------------------------------------------------- */

static bool is_argument(const Instruction *ins) {
  return ins->operation == OPERATION_PART || ins->operation == OPERATION_GIVE;
}

/* Which operand of a change is its mask, behind that for its entity. */
static uint32_t mask_of(const Instruction *ins) {
  return ins->operation >= OPERATION_ADD_TO &&
                 ins->operation <= OPERATION_DESTROY_OTHER
             ? 1
             : 0;
}

/* Is the entity alive, but for what the run has recorded? */
static bool is_there(const Reference *reference, ecs_Entity entity) {
  for (uint32_t k = 0; k < reference->change_count; k++)
    if (reference->changes[k].entity == entity &&
        (reference->changes[k].ins->operation == OPERATION_DESTROY ||
         reference->changes[k].ins->operation == OPERATION_DESTROY_OTHER))
      return true;
  return ecs_alive(reference->twin, entity);
}

/* The spawn that computes a value; NULL: another operation does. */
static const Instruction *spawn_of(const ecs_Program *program, uint32_t value) {
  for (uint32_t i = 0; i < program->code_count; i++)
    if (program->code[i].result == value)
      return program->code[i].operation == OPERATION_SPAWN ? &program->code[i]
                                                           : NULL;
  return NULL;
}

static bool has_target(const Row *row, const Instruction *ins) {
  const Reference *reference = row->reference;
  if (ins->operation < OPERATION_ADD_TO ||
      ins->operation > OPERATION_REMOVE_FROM)
    return true;
  const Instruction *spawn = spawn_of(reference->program, ins->operands[0]);
  if (spawn != NULL) return !masked_out(row, spawn, 0);
  for (uint32_t k = 0; k < 3 && ins->operation == OPERATION_SET_OF; k++)
    if (reference->claimed[k] == ins->index) return false;
  return is_there(reference, row->values[ins->operands[0]].entity);
}

/* Stores what is given in an image of its component. */
static bool give_value(const Row *row, const Instruction *ins, char *image) {
  ecs_FieldInfo info;
  const Value *value = &row->values[ins->operands[0]];
  if (ecs_component_field(row->reference->twin, ins->index, ins->field,
                          &info) != ECS_OK)
    abort();
  if (info.type != ECS_ENTITY)
    return ecs_scalar_store(info.type, image + info.offset, value->number) ==
           ECS_OK;
  memcpy(image + info.offset, &value->entity, sizeof value->entity);
  return true;
}

/* Images of the parts of a change, from its arguments; of other changes than
 * spawns the only one is the first. All defaults are zero. */
typedef struct Images {
  ecs_Component components[PART_LIMIT];
  uint64_t bytes[PART_LIMIT][16];
  const void *pointers[PART_LIMIT];
  uint32_t count;
  uint64_t fields;
} Images;

/* False: a number does not fit. */
static bool fill_images(const Row *row, const Instruction *first,
                        const Instruction *ins, Images *images) {
  memset(images, 0, sizeof *images);
  for (const Instruction *part = first; part < ins; part++)
    if (part->operation == OPERATION_PART)
      images->components[images->count++] = part->index;
  for (uint32_t k = 0; k < PART_LIMIT; k++)
    images->pointers[k] = images->bytes[k];
  for (const Instruction *give = first; give < ins; give++) {
    uint32_t k = 0;
    if (give->operation != OPERATION_GIVE) continue;
    while (k < images->count && images->components[k] != give->index) k++;
    if (ins->operation != OPERATION_SPAWN) k = 0;
    if (!give_value(row, give, (char *)images->bytes[k])) return false;
    images->fields |= UINT64_C(1) << give->field;
  }
  return true;
}

static ecs_Status make(Row *row, const Instruction *ins, const Images *images) {
  ecs_World *twin = row->reference->twin;
  ecs_Entity entity =
      mask_of(ins) == 1 ? row->values[ins->operands[0]].entity : row->entity;
  ecs_Status status = ECS_OK;
  switch (ins->operation) {
    case OPERATION_SPAWN:
      status = ecs_spawn(twin, images->components, images->count,
                         images->pointers, &entity);
      row->values[ins->result].entity = status == ECS_OK ? entity : 0;
      break;
    case OPERATION_ADD: status = ecs_add(twin, entity, ins->index, NULL); break;
    case OPERATION_ADD_TO:
      status = ecs_add(twin, entity, ins->index, images->bytes[0]);
      break;
    case OPERATION_SET_OF:
      status =
          ecs_set(twin, entity, ins->index, images->bytes[0], images->fields);
      break;
    case OPERATION_REMOVE:
    case OPERATION_REMOVE_FROM:
      status = ecs_remove(twin, entity, ins->index);
      break;
    default: status = ecs_destroy(twin, entity); break;
  }
  if (status == ECS_OK) list_change(row->reference, entity, ins);
  return status == ECS_E_DEAD ? ECS_OK : status;
}

/* Checks (making is false) or makes the changes of a row, from instruction i on.
 * False: one cannot be made. */
static bool go_through(Row *row, uint32_t i, bool making) {
  static Images images;
  Reference *reference = row->reference;
  const ecs_Program *program = reference->program;
  const Instruction *first = &program->code[i];
  for (; i < program->code_count && instruction_is_change(&program->code[i]) &&
         reference->status == ECS_OK;
       i++) {
    const Instruction *ins = &program->code[i];
    if (is_argument(ins)) continue;
    bool masked = masked_out(row, ins, mask_of(ins));
    if (ins->result != NO_VALUE && !making)
      row->values[ins->result] = (Value){0, 0};
    if (!masked && (!fill_images(row, first, ins, &images) ||
                    (!making && !has_target(row, ins))))
      return false;
    if (!masked && making) reference->status = make(row, ins, &images);
    first = ins + 1;
  }
  return true;
}

/* Makes all changes of a row, or none. */
static void change_first(Row *row, uint32_t i) {
  Reference *reference = row->reference;
  if (go_through(row, i, false)) {
    (void)go_through(row, i, true);
    return;
  }
  reference->cannot_change = reference->stopped = true;
  reference->taken = 1;
}

/* Reductions -------------------------------------------------------------- */

static void reduce(const Row *row, const Instruction *ins) {
  Reference *reference = row->reference;
  if (masked_out(row, ins, 1)) return;
  if (reference->term_count == reference->term_room) {
    reference->term_room = 2 * reference->term_room + 64;
    reference->terms =
        realloc(reference->terms, reference->term_room * sizeof(ReferenceTerm));
  }
  reference->terms[reference->term_count++] = (ReferenceTerm){
      ins->index, reference->rows, row->values[ins->operands[0]].number};
}

/* Of 1024 rows at a time: 16 sums, each of every sixteenth row, which are then
 * joined in pairs. */
static double joined(uint8_t kind, double a, double b) {
  if (kind == OPERATION_SUM) return a + b;
  if (kind == OPERATION_LEAST) return b < a ? b : a;
  return b > a ? b : a;
}

static double pairs(uint8_t kind, const double *lanes, uint32_t first,
                    uint32_t apart) {
  if (apart == 16) return lanes[first];
  return joined(kind, pairs(kind, lanes, first, 2 * apart),
                pairs(kind, lanes, first + apart, 2 * apart));
}

/* From the start on, one number after the other. */
static double in_order(const Reference *reference, uint32_t r, uint8_t kind) {
  double total = reference->starts[r];
  for (uint32_t k = 0; k < reference->term_count; k++) {
    double value = reference->terms[k].value;
    if (reference->terms[k].reduction != r) continue;
    if (kind == OPERATION_TOTAL)
      total += value;
    else if (kind == OPERATION_LOWEST ? value < total : value > total)
      total = value;
  }
  return total;
}

double reference_reduction(const Reference *reference, uint32_t r) {
  uint8_t kind = reference->program->reductions[r];
  if (kind >= OPERATION_TOTAL) return in_order(reference, r, kind);
  double empty = kind == OPERATION_SUM     ? 0
                 : kind == OPERATION_LEAST ? HUGE_VAL
                                           : -HUGE_VAL;
  double total = empty;
  uint32_t k = 0;
  for (uint32_t first = 0; first < reference->rows + 1; first += 1024) {
    double lanes[16];
    for (uint32_t lane = 0; lane < 16; lane++) lanes[lane] = empty;
    for (; k < reference->term_count && reference->terms[k].row < first + 1024;
         k++) {
      const ReferenceTerm *term = &reference->terms[k];
      double *lane = &lanes[term->row % 16];
      if (term->reduction == r) *lane = joined(kind, *lane, term->value);
    }
    total = joined(kind, total, pairs(kind, lanes, 0, 1));
  }
  return total;
}

/* The row takes the exit, or not. True: it has no effects. */
static bool leaves(const Row *row, const Instruction *ins) {
  Reference *reference = row->reference;
  bool taken = row->values[ins->operands[0]].number != 0;
  if (taken && !reference->taken_ends) reference->taken++;
  if (!taken && reference->stopped) reference->taken_ends = true;
  reference->stopped = reference->stopped || taken;
  return reference->stopped;
}

/* The repeat of the cycle that instruction i is inside, or the again. */
static uint32_t end_of_cycle(const ecs_Program *program, uint32_t i,
                             bool start) {
  uint32_t depth = 1;
  while (depth > 0) {
    i = start ? i - 1 : i + 1;
    OperationShape shape = operation_infos[program->code[i].operation].shape;
    if (shape == (start ? SHAPE_AGAIN : SHAPE_REPEAT)) depth++;
    if (shape == (start ? SHAPE_REPEAT : SHAPE_AGAIN)) depth--;
  }
  return i;
}

/* Gives the carries of the turn that ends with instruction i, again, their next
 * values, all at once. */
static void take_next(Row *row, uint32_t i) {
  static Value values[ECS_CODE_LIMIT];
  const Instruction *code = row->reference->program->code;
  uint32_t count = 0;
  while (code[i - count - 1].operation == OPERATION_NEXT) count++;
  for (uint32_t k = 1; k <= count; k++)
    values[k] = row->values[code[i - k].operands[1]];
  for (uint32_t k = 1; k <= count; k++)
    row->values[code[i - k].operands[0]] = values[k];
}

/* Runs instruction i, one of a cycle's frame. Returns the one to go on behind. */
static uint32_t turn(Row *row, uint32_t i, uint32_t *turns) {
  const ecs_Program *program = row->reference->program;
  const Instruction *ins = &program->code[i];
  bool stays = !masked_out(row, ins, 0);
  switch (operation_infos[ins->operation].shape) {
    case SHAPE_REPEAT:
      if (stays) return i;
      while (program->code[i + 1].operation == OPERATION_CARRY) {
        i++;
        row->values[program->code[i].result] = compute(row, &program->code[i]);
      }
      return end_of_cycle(program, i, false);
    case SHAPE_WHILE: return stays ? i : end_of_cycle(program, i, false);
    case SHAPE_NEXT: return i;
    default: break;
  }
  take_next(row, i);
  uint32_t start = end_of_cycle(program, i, true);
  if (++*turns > ECS_TURN_LIMIT) {
    row->reference->endless = program->code[start].line;
    row->reference->endless_entity = row->entity;
  }
  if (!stays) return i;
  while (program->code[start + 1].operation == OPERATION_CARRY) start++;
  return start;
}

void reference_row(Reference *reference, ecs_Entity entity,
                   void *const *columns) {
  static Row row;
  bool changed = false;
  uint32_t turns = 0;
  if (reference->cannot_change || reference->status != ECS_OK ||
      reference->endless != 0)
    return;
  if (reference->rows < reference->call->first) {
    reference->rows++;
    return;
  }
  const ecs_Program *program = reference->program;
  row.reference = reference;
  row.entity = entity;
  row.columns = columns;
  reference->changes_before = reference->change_count;
  for (uint32_t i = 0; i < program->code_count; i++) {
    const Instruction *ins = &program->code[i];
    if (program->changes_first && instruction_is_change(ins)) {
      if (!changed) change_first(&row, i);
      changed = true;
      if (reference->cannot_change || reference->status != ECS_OK) return;
      continue;
    }
    switch (operation_infos[ins->operation].shape) {
      case SHAPE_STORE: store(&row, ins); break;
      case SHAPE_SCATTER: store_keyed(&row, ins); break;
      case SHAPE_PUT: break;
      case SHAPE_STRUCTURE:
      case SHAPE_DESTROY: change(&row, ins); break;
      case SHAPE_REDUCE: reduce(&row, ins); break;
      case SHAPE_EXIT:
        if (leaves(&row, ins)) return;
        break;
      case SHAPE_REPEAT:
      case SHAPE_WHILE:
      case SHAPE_NEXT:
      case SHAPE_AGAIN:
        i = turn(&row, i, &turns);
        if (reference->endless == 0) break;
        if (!reference->stopped) reference->status = ECS_E_TURNS;
        return;
      default: row.values[ins->result] = compute(&row, ins); break;
    }
  }
  store_elements(&row);
  reference->rows++;
}

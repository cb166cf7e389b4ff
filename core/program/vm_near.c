/* vm_near.c: asks grids, for all rows of a block. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=off", "no-trapping-math", \
                     "no-math-errno")
#endif

#include "program/vm_near.h"

#include "program/vm_loop_macros.h"
#include "query/grid_nearest.h"
#include "query/grid_report.h"

/* Room for so many rows before a walk goes on. */
#ifdef ECS_TINY
#define LIST_ROOM 3u
#else
#define LIST_ROOM 64u
#endif

/* Life -------------------------------------------------------------------- */

static size_t near_bytes(uint32_t count) {
  return sizeof(ProgramNear) + count * sizeof(NearList);
}

static Memory *memory_of(const ecs_Program *program) {
  return &program->query->store->memory;
}

ecs_Status near_prepare(ecs_Program *program) {
  if (program->near_count == 0) return ECS_OK;
  ProgramNear *near =
      memory_zeroed(memory_of(program), 1, near_bytes(program->near_count));
  if (near == NULL) return ECS_E_MEMORY;
  near->count = program->near_count;
  program->near = near;
  return ECS_OK;
}

void near_free(ecs_Program *program) {
  ProgramNear *near = program->near;
  if (near == NULL) return;
  for (uint32_t k = 0; k < near->count; k++)
    memory_free(memory_of(program), near->lists[k].rows,
                near->lists[k].capacity * sizeof(uint32_t));
  memory_free(memory_of(program), near, near_bytes(near->count));
  program->near = NULL;
}

/* Grids ------------------------------------------------------------------- */

/* The column of a grid that an instruction gets from. NULL: not each row has
 * one. */
static const void *const *find_column(const ecs_Grid *grid,
                                      const Instruction *ins) {
  for (uint32_t t = 0; t < grid->query->term_count; t++) {
    const QueryTerm *term = &grid->query->terms[t];
    if (term->component == ins->index && ins->field < term->column_count &&
        (term->access == ECS_READ || term->access == ECS_WRITE))
      return &grid->columns[term->first_column + ins->field];
  }
  return NULL;
}

bool near_fits(const ecs_Program *program, const ecs_ProgramCall *call) {
  for (uint32_t g = 0; g < program->grid_count; g++)
    if (call->grids[g]->dimensions != program->grids[g] ||
        call->grids[g]->query->store != program->query->store)
      return false;
  for (uint32_t k = 0; k < program->code_count; k++) {
    const Instruction *ins = &program->code[k];
    if (ins->operation == OPERATION_FOUND_GET &&
        find_column(call->grids[ins->grid], ins) == NULL)
      return false;
  }
  return true;
}

/* Asking ------------------------------------------------------------------ */

/* The question of a row. */
typedef struct Question {
  double point[3];
  double radius;
} Question;

/* What a question is made of: the operands of its instruction. */
typedef struct NearOperands {
  ecs_Grid *grid;
  const double *coordinates[3];
  const double *radii;
  const ecs_Entity *except; /* NULL: there is none */
} NearOperands;

static NearOperands asked_of(const NearBlock *block, const Step *step) {
  const Instruction *ins = step->ins;
  void *const *bases = block->plan->bases;
  NearOperands asked = {.grid = block->call->grids[ins->grid]};
  uint32_t count = asked.grid->dimensions;
  for (uint32_t d = 0; d < count; d++)
    asked.coordinates[d] = bases[step->operands[d]];
  asked.radii = bases[step->operands[count]];
  if (instruction_shape(ins) != SHAPE_NEAR)
    asked.except = bases[step->operands[count + 1]];
  return asked;
}

/* The question of row i. False: it has none, and nothing is found. */
static bool question_of(const NearOperands *asked, const NearBlock *block,
                        uint32_t i, Question *question) {
  if (block->active != NULL && block->active[i] == 0) return false;
  for (uint32_t d = 0; d < asked->grid->dimensions; d++)
    question->point[d] = asked->coordinates[d][i];
  question->radius = asked->radii[i];
  if (!(question->radius >= 0)) return false;
  grid_ask(asked->grid, question->radius);
  return true;
}

static bool reserve(Memory *memory, NearList *list, uint32_t used) {
  void *rows = list->rows;
  bool done = list->capacity - used >= LIST_ROOM ||
              memory_grow(memory, &rows, &list->capacity, used, LIST_ROOM,
                          sizeof(uint32_t));
  list->rows = rows;
  return done;
}

/* Adds the rows of a walk behind so many, of which it counts more. */
static ecs_Status list_walk(Memory *memory, NearList *list, GridWalk *walk,
                            uint32_t *used) {
  uint32_t room, found;
  do {
    if (!reserve(memory, list, *used)) return ECS_E_MEMORY;
    room = list->capacity - *used;
    found = grid_walk_next(walk, list->rows + *used, room);
    *used += found;
  } while (found == room);
  return ECS_OK;
}

static void forget(NearList *list, double *counts, uint32_t rows) {
  memset(list->starts, 0, sizeof list->starts);
  memset(counts, 0, rows * sizeof *counts);
}

/* Runs a near. Its result may lie over an operand. */
static ecs_Status list_near(const ecs_Program *program, NearBlock *block,
                            const Step *step) {
  NearOperands asked = asked_of(block, step);
  NearList *list = &program->near->lists[step->ins->field];
  double *counts = block->plan->bases[step->out];
  uint32_t used = 0;
  ecs_Status status =
      reserve(memory_of(program), list, 0) ? ECS_OK : ECS_E_MEMORY;
  for (uint32_t i = 0; i < block->rows && status == ECS_OK; i++) {
    Question question;
    GridWalk walk = {.grid = NULL};
    list->starts[i] = used;
    if (question_of(&asked, block, i, &question))
      grid_walk_ball(asked.grid, question.point, question.radius, &walk);
    if (walk.grid != NULL && walk.wide) status = grid_make_order(asked.grid);
    if (walk.grid != NULL && status == ECS_OK)
      status = list_walk(memory_of(program), list, &walk, &used);
    counts[i] = (double)(used - list->starts[i]);
    block->crowded = used > block->most && block->rows > 1;
    if (block->crowded) break;
  }
  list->starts[block->rows] = used;
  if (block->crowded || status != ECS_OK) forget(list, counts, block->rows);
  return status;
}

static void count_near(const NearBlock *block, const Step *step) {
  NearOperands asked = asked_of(block, step);
  double *counts = block->plan->bases[step->out];
  for (uint32_t i = 0; i < block->rows; i++) {
    Question question;
    GridWalk walk;
    uint32_t count = 0;
    if (question_of(&asked, block, i, &question)) {
      grid_walk_ball(asked.grid, question.point, question.radius, &walk);
      count = grid_walk_count(&walk);
    }
    counts[i] = count;
  }
}

static void find_nearest(const NearBlock *block, const Step *step) {
  NearOperands asked = asked_of(block, step);
  double *places = block->plan->bases[step->out];
  for (uint32_t i = 0; i < block->rows; i++) {
    Question question;
    uint32_t row = ECS_GRID_NONE;
    if (question_of(&asked, block, i, &question))
      row = grid_nearest(asked.grid, question.point, question.radius,
                         asked.except[i], NULL);
    places[i] = row == ECS_GRID_NONE ? -1.0 : (double)row;
  }
}

static void find_any(const NearBlock *block, const Step *step) {
  NearOperands asked = asked_of(block, step);
  Truth *found = block->plan->bases[step->out];
  for (uint32_t i = 0; i < block->rows; i++) {
    Question question;
    found[i] =
        question_of(&asked, block, i, &question) &&
        grid_any(asked.grid, question.point, question.radius, asked.except[i]);
  }
}

/* Places ------------------------------------------------------------------ */

/* Runs an nth. Where the row has no such neighbour, some element of the list is
 * read and left out. */
CLONES static void find_places(double *places, const double *keys,
                               const NearList *list, uint32_t n) {
  const uint32_t *rows = list->rows, *starts = list->starts;
  ELEMENTWISE for (uint32_t i = 0; i < n; i++) {
    const double key = keys[i];
    const uint32_t start = starts[i], count = starts[i + 1] - start;
    const bool below = key >= 0.0 && key < (double)count;
    const uint32_t k = (uint32_t)(int32_t)(below ? key : 0.0);
    const uint32_t row = rows[start + k];
    places[i] = (below & ((double)k == key)) ? (double)row : -1.0;
  }
}

/* A loop over places of a grid with rows. */
#define PLACE_LOOP(name, R, T, expression)                                     \
  CLONES static void name(void *out, const double *places, const void *column, \
                          uint32_t count, uint32_t n) {                        \
    R *to = out;                                                               \
    const T *from = column;                                                    \
    const double last = (double)count - 1.0;                                   \
    ELEMENTWISE for (uint32_t i = 0; i < n; i++) {                             \
      const double place = places[i];                                          \
      const int32_t k =                                                        \
          (int32_t)(place >= 0.0 && place <= last ? place : 0.0);              \
      const bool found = (double)k == place;                                   \
      const T x = from[k];                                                     \
      to[i] = found ? (R)(expression) : (R)0;                                  \
    }                                                                          \
  }

PLACE_LOOP(get_f32, float, float, x)
PLACE_LOOP(get_f32_wide, double, float, x)
PLACE_LOOP(get_f64, double, double, x)
PLACE_LOOP(get_i8, float, int8_t, x)
PLACE_LOOP(get_i8_wide, double, int8_t, x)
PLACE_LOOP(get_u8, float, uint8_t, x)
PLACE_LOOP(get_u8_wide, double, uint8_t, x)
PLACE_LOOP(get_i16, float, int16_t, x)
PLACE_LOOP(get_i16_wide, double, int16_t, x)
PLACE_LOOP(get_u16, float, uint16_t, x)
PLACE_LOOP(get_u16_wide, double, uint16_t, x)
PLACE_LOOP(get_i32, double, int32_t, x)
PLACE_LOOP(get_u32, double, uint32_t, x)
PLACE_LOOP(get_bool, Truth, uint8_t, x != 0)
PLACE_LOOP(get_entity, uint64_t, uint64_t, x)

typedef void (*PlaceLoop)(void *, const double *, const void *, uint32_t,
                          uint32_t);

static PlaceLoop place_loop(ecs_Scalar scalar, ValueType type) {
  static const PlaceLoop loops[ECS_SCALAR_COUNT][2] = {
      [ECS_F32] = {get_f32, get_f32_wide}, [ECS_F64] = {NULL, get_f64},
      [ECS_I8] = {get_i8, get_i8_wide},    [ECS_U8] = {get_u8, get_u8_wide},
      [ECS_I16] = {get_i16, get_i16_wide}, [ECS_U16] = {get_u16, get_u16_wide},
      [ECS_I32] = {NULL, get_i32},         [ECS_U32] = {NULL, get_u32}};
  ECS_ASSERT(scalar_loads_as(scalar, type));
  if (scalar == ECS_BOOL) return get_bool;
  if (scalar == ECS_ENTITY) return get_entity;
  return loops[scalar][type];
}

/* Runs a found or found_get. */
static void read_found(const ecs_Program *program, const NearBlock *block,
                       const Step *step) {
  const Instruction *ins = step->ins;
  const ecs_Grid *grid = block->call->grids[ins->grid];
  const double *places = block->plan->bases[step->operands[0]];
  void *out = block->plan->bases[step->out];
  const Component *component =
      &program->query->store->components.all[ins->index];
  if (grid->count == 0)
    memset(out, 0, (size_t)block->rows * value_bytes(instruction_result(ins)));
  else if (ins->operation == OPERATION_FOUND)
    get_entity(out, places, grid_entities(grid), grid->count, block->rows);
  else
    place_loop(scalar_plain(component->schema->fields[ins->field].type),
               (ValueType)ins->type)(out, places, *find_column(grid, ins),
                                     grid->count, block->rows);
}

ecs_Status near_run(const ecs_Program *program, NearBlock *block,
                    const Step *step) {
  block->crowded = false;
  switch (step->ins->operation) {
    case OPERATION_NEAR: return list_near(program, block, step);
    case OPERATION_NEAR_COUNT: count_near(block, step); break;
    case OPERATION_NEAREST: find_nearest(block, step); break;
    case OPERATION_NEAR_ANY: find_any(block, step); break;
    case OPERATION_NTH:
      find_places(block->plan->bases[step->out],
                  block->plan->bases[step->operands[1]],
                  &program->near->lists[step->ins->field], block->rows);
      break;
    default: read_found(program, block, step); break;
  }
  return ECS_OK;
}

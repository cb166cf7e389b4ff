/* vm_ahead.c: rows that a run in parts has computed behind an exit. */
#include "program/vm_ahead.h"

#include "program/vm_rows.h"

/* Making ------------------------------------------------------------------ */

/* May the program compute ahead: does all that it reads stay as it is, but for
 * uniforms and arrays? A block of more rows than a register holds cannot. */
static bool may_begin(const ecs_Program *program) {
  const ProgramPlan *plan = program->plan;
  if (!program->exits || program->changes_first || plan->cycle_count > 0 ||
      program->grid_count > 0 || plan->looks_once || program->sees_puts ||
      plan->block_rows > LOOP_ROWS)
    return false;
  for (uint32_t k = 0; k < plan->step_count; k++)
    if (instruction_is_look(plan->steps[k].ins) ||
        plan->steps[k].ins->operation == OPERATION_ALIVE)
      return false;
  return true;
}

static bool writes(const ecs_Program *program, uint32_t column) {
  for (uint32_t k = 0; k < program->code_count; k++)
    if (instruction_stores(&program->code[k], column)) return true;
  return false;
}

/* May some rows keep what a column held: is every store masked, or is it read,
 * which may be right in the column? */
static bool keeps(const ecs_Program *program, uint32_t column) {
  bool stored = false, loaded = false;
  for (uint32_t k = 0; k < program->code_count; k++) {
    const Instruction *ins = &program->code[k];
    stored |= instruction_shape(ins) == SHAPE_STORE && ins->index == column &&
              ins->operands[1] == NO_VALUE;
    loaded |= instruction_reads(ins, column);
  }
  return !stored || loaded;
}

static AheadColumn describe(const ecs_Program *program, uint32_t column) {
  return (AheadColumn){.column = column,
                       .bytes = scalar_bytes(program->columns[column].type),
                       .keeps = keeps(program, column)};
}

static size_t lay(ProgramAhead *ahead, const ecs_Program *program,
                  char *block) {
  size_t used = sizeof(ProgramAhead);
  uint32_t count = 0;
  AheadColumn *columns =
      memory_lay(block, &used, program->column_count, sizeof(AheadColumn));
  void **bases =
      memory_lay(block, &used, program->plan->base_count, sizeof(void *));
  for (uint32_t c = 0; c < program->column_count; c++) {
    if (!writes(program, c)) continue;
    AheadColumn column = describe(program, c);
    column.copy = memory_lay(block, &used, LOOP_ROWS, column.bytes);
#ifdef ECS_CHECKED
    column.before = memory_lay(block, &used, LOOP_ROWS, column.bytes);
#endif
    if (block != NULL) columns[count++] = column;
  }
  if (block == NULL) return used;
  ahead->columns = columns;
  ahead->column_count = count;
  ahead->bases = bases;
  return used;
}

ecs_Status ahead_prepare(ecs_Program *program) {
  if (!may_begin(program)) return ECS_OK;
  size_t bytes = lay(NULL, program, NULL);
  ProgramAhead *ahead = memory_zeroed(&program->query->store->memory, 1, bytes);
  if (ahead == NULL) return ECS_E_MEMORY;
  ahead->bytes = bytes;
  lay(ahead, program, (char *)ahead);
  program->ahead = ahead;
  return ECS_OK;
}

void ahead_free(ecs_Program *program) {
  if (program->ahead == NULL) return;
  memory_free(&program->query->store->memory, program->ahead,
              program->ahead->bytes);
  program->ahead = NULL;
}

/* Blocks ------------------------------------------------------------------ */

/* The base of a column that the program writes. */
static void **base_of(const ecs_Program *program, const AheadColumn *column) {
  return &program->plan->bases[plan_column(program->plan, column->column)];
}

/* Has the block's steps read and write the copy of a column. */
static void turn_to_copy(const ecs_Program *program, AheadColumn *column,
                         uint32_t rows) {
  void **base = base_of(program, column);
  column->live = *base;
  if (*base == NULL) return;
  size_t bytes = (size_t)rows * column->bytes;
#ifdef ECS_CHECKED
  memcpy(column->before, *base, bytes);
#endif
  if (column->keeps) memcpy(column->copy, *base, bytes);
  *base = column->copy;
}

void ahead_begin(const ecs_Program *program, const uint32_t *taken,
                 const ecs_Entity *entities, uint32_t rows, uint64_t first,
                 uint64_t random_key) {
  ProgramAhead *ahead = program->ahead;
  ECS_ASSERT(rows > 0 && rows <= LOOP_ROWS);
  ahead->first = first;
  ahead->random_key = random_key;
  ahead->entities = entities;
  ahead->rows = rows;
  ahead->done = ahead->next = 0;
  ahead->exit_count = mask_list(taken, rows, ahead->exits);
  for (uint32_t k = 0; k < ahead->column_count; k++)
    turn_to_copy(program, &ahead->columns[k], rows);
}

bool ahead_drop(ProgramAhead *ahead) {
  bool any = ahead->done < ahead->rows;
  ahead->rows = 0;
  return any;
}

/* Slices ------------------------------------------------------------------ */

/* How many rows from row `at` of the block on do not take the exit, and how many
 * behind them do. */
static uint32_t find_exits(ProgramAhead *ahead, uint32_t at, uint32_t *taken) {
  const uint32_t *exits = ahead->exits;
  while (ahead->next < ahead->exit_count && exits[ahead->next] < at)
    ahead->next++;
  *taken = 0;
  if (ahead->next == ahead->exit_count) return ahead->rows - at;
  uint32_t first = exits[ahead->next], k = ahead->next;
  while (k < ahead->exit_count && exits[k] - first == *taken) {
    k++;
    ++*taken;
  }
  return first - at;
}

/* Copies bytes in words of a size, of which the last may overlap another. */
static inline void copy_words(char *to, const char *from, size_t bytes,
                              size_t word) {
  for (size_t k = 0; k + word < bytes; k += word)
    memcpy(to + k, from + k, word);
  memcpy(to + bytes - word, from + bytes - word, word);
}

/* Copies bytes, few of them without a call. */
static inline void copy_bytes(char *to, const char *from, size_t bytes) {
  if (bytes > 128 || bytes < 4)
    memcpy(to, from, bytes);
  else if (bytes >= 16)
    copy_words(to, from, bytes, 16);
  else
    copy_words(to, from, bytes, 4);
}

/* Stores rows of a column, from row `at` of the block on. */
static inline void store_column(const AheadColumn *column, uint32_t at,
                                uint32_t rows) {
  size_t skipped = (size_t)at * column->bytes;
  size_t bytes = (size_t)rows * column->bytes;
  if (column->live == NULL) return;
  ECS_ASSERT(memcmp(column->before + skipped, column->live + skipped, bytes) ==
             0);
  copy_bytes(column->live + skipped, column->copy + skipped, bytes);
}

/* Makes the bases of the operands of steps, of row `at` of the block. */
static void point_at_slice(const ecs_Program *program, const Step *steps,
                           uint32_t count, uint32_t at) {
  const uint8_t *types = program_planned(program)->types;
  for (uint32_t s = 0; s < count; s++)
    for (uint32_t k = 0; k < OPERANDS; k++) {
      uint32_t value = steps[s].ins->operands[k], place = steps[s].operands[k];
      if (value == NO_VALUE) continue;
      size_t bytes = value_bytes((ValueType)types[value]);
      program->ahead->bases[place] =
          (char *)program->plan->bases[place] + at * bytes;
    }
}

/* As ahead_store, but for the bases. */
static inline uint32_t store_slice(ProgramAhead *ahead, uint32_t at,
                                   uint32_t *taken) {
  uint32_t rows = find_exits(ahead, at, taken);
  for (uint32_t k = 0; k < ahead->column_count && rows > 0; k++)
    store_column(&ahead->columns[k], at, rows);
  ahead->done = at + rows;
  if (ahead->done + *taken == ahead->rows) ahead->rows = 0;
  return rows;
}

uint32_t ahead_store(const ecs_Program *program, uint64_t number,
                     uint32_t *taken) {
  const ProgramPlan *plan = program->plan;
  ProgramAhead *ahead = program->ahead;
  ECS_ASSERT(ahead_holds(ahead, number, ahead->random_key));
  uint32_t at = (uint32_t)(number - ahead->first);
  uint32_t rows = store_slice(ahead, at, taken);
  point_at_slice(program, plan->sums, plan->sum_count + plan->put_count, at);
  point_at_slice(program, plan->changes, plan->change_count, at);
  return rows;
}

bool ahead_run_part(const ecs_Program *program, const ecs_ProgramCall *call,
                    ProgramPart *part) {
  const ProgramPlan *plan = program->plan;
  ProgramAhead *ahead = program->ahead;
  uint64_t number = part->before + part->first;
  if (ahead == NULL || part->changed || program->primed != part ||
      plan->change_count > 0 || plan->sum_count > 0 || plan->put_count > 0 ||
      !ahead_holds(ahead, number, call->random_key) ||
      !ahead_exits(ahead, number))
    return false;
  uint32_t at = (uint32_t)(number - ahead->first);
  part->end = part->first + store_slice(ahead, at, &part->taken);
  return true;
}

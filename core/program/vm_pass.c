/* vm_pass.c: programs that go over tables together. */
#include "program/vm_pass.h"

#include "query/opened.h"
#include "query/query_span.h"

#include "program/vm_sifting.h"
#include "program/vm_start.h"

/* Which programs can be in a pass ----------------------------------------- */

const char *pass_hindrance(const ecs_Program *program) {
  if (program->changes_structure || program->changes_first)
    return "it changes structure";
  if (program->array_count > 0) return "it reads or writes arrays";
  if (program->exits) return "rows may need plain Lua";
  if (program->grid_count > 0) return "it asks a grid";
  for (uint32_t k = 0; k < program->reduction_count; k++)
    if (operation_is_ordered(program->reductions[k]))
      return "it changes numbers outside";
  return NULL;
}

/* The component of a column of a program. */
static ecs_Component component_of(const ecs_Program *program, uint32_t column) {
  const ecs_Query *query = program->query;
  uint32_t number = program->binding->columns[column];
  return query->terms[query->columns[number].term].component;
}

static bool stores_in(const ecs_Program *program, const Instruction *ins,
                      ecs_Component component) {
  for (uint32_t c = 0; c < program->column_count; c++)
    if (instruction_stores(ins, c) && component_of(program, c) == component)
      return true;
  return false;
}

/* Does the reader look up what the writer writes? */
static bool looks_up(const ecs_Program *reader, const ecs_Program *writer) {
  for (uint32_t k = 0; k < reader->code_count; k++) {
    const Instruction *look = &reader->code[k];
    if (instruction_shape(look) != SHAPE_GET) continue;
    for (uint32_t j = 0; j < writer->code_count; j++)
      if (stores_in(writer, &writer->code[j], look->index)) return true;
  }
  return false;
}

bool pass_meets(const ecs_Program *one, const ecs_Program *other) {
  return looks_up(one, other) || looks_up(other, one);
}

/* Going over tables -------------------------------------------------------- */

/* A program that goes over the tables of its query's only group. */
typedef struct Walker {
  Run run;
  RunSums sums;
  ecs_KernelCall call;
  uint32_t match; /* of the table that is next, among those that match */
  uint32_t block; /* of the same, among those that have rows */
} Walker;

static const QueryGroup *group_of(const Walker *walker) {
  return &walker->run.program->query->groups[0];
}

/* Its next table that has rows; NULL: there is none. */
static Table *next_table(Walker *walker) {
  const QueryGroup *group = group_of(walker);
  for (; walker->match < group->match.count; walker->match++) {
    Table *table = query_group_table(group, walker->match);
    if (table->count > 0) return table;
  }
  return NULL;
}

/* Does the walker go on with a table of this id, of this group? */
static bool is_at(Walker *walker, const Group *group, uint32_t id) {
  return group_of(walker)->group == group && next_table(walker) != NULL &&
         group_of(walker)->match.tables[walker->match] == id;
}

/* The lowest id of a table of the group that a walker goes on with. UINT32_MAX:
 * all of them are through with the group. */
static uint32_t lowest_id(Walker *walkers, uint32_t count, const Group *group) {
  uint32_t lowest = UINT32_MAX;
  for (uint32_t k = 0; k < count; k++) {
    if (group_of(&walkers[k])->group != group) continue;
    if (next_table(&walkers[k]) == NULL) continue;
    uint32_t id = group_of(&walkers[k])->match.tables[walkers[k].match];
    if (id < lowest) lowest = id;
  }
  return lowest;
}

static void run_rows(Walker *walker, uint32_t first, uint32_t count) {
  ecs_KernelBinding *binding = walker->run.program->binding;
  ECS_ASSERT(walker->block < binding->block_count);
  kernel_run_rows(binding, &walker->call, &binding->blocks[walker->block],
                  first, count);
}

/* Runs a table through those that go on with it. */
static void run_table(Walker *walkers, uint32_t count, const Group *group,
                      uint32_t id) {
  uint32_t rows = group->tables[id]->count;
  for (uint32_t first = 0; first < rows; first += ECS_PASS_ROWS) {
    uint32_t some = rows - first < ECS_PASS_ROWS ? rows - first : ECS_PASS_ROWS;
    for (uint32_t k = 0; k < count; k++)
      if (is_at(&walkers[k], group, id)) run_rows(&walkers[k], first, some);
  }
  for (uint32_t k = 0; k < count; k++) {
    if (!is_at(&walkers[k], group, id)) continue;
    walkers[k].match++;
    walkers[k].block++;
  }
}

static void run_tables(Walker *walkers, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    const Group *group = group_of(&walkers[k])->group;
    uint32_t id;
    while ((id = lowest_id(walkers, count, group)) != UINT32_MAX)
      run_table(walkers, count, group, id);
  }
}

/* Together ------------------------------------------------------------------ */

/* Can the program be cut into rows of tables, and fail at nothing then? */
static bool is_for_tables(ecs_Program *program) {
  return program->cycle_count == 0 && kernel_can_be_cut(program->binding) &&
         query_plan(program->query) == ECS_OK &&
         query_is_direct(program->query) && !sifting_pays(program) &&
         kernel_list(program->binding) == ECS_OK;
}

/* Can they be run together? With several threads, each program is cut among
 * these. */
static bool are_for_tables(const PassProgram *programs, uint32_t count) {
  if (world_of(programs[0].program->query)->threads > 1) return false;
  for (uint32_t k = 0; k < count; k++)
    if (!programs[k].left_out && !is_for_tables(programs[k].program))
      return false;
  return true;
}

/* Begins runs of all that are not left out. Returns how many; 0: there is no
 * memory, and none has begun. */
static uint32_t begin_all(Walker *walkers, const PassProgram *programs,
                          uint32_t count) {
  uint32_t begun = 0;
  for (uint32_t k = 0; k < count; k++) {
    Walker *walker = &walkers[begun];
    if (programs[k].left_out) continue;
    if (!run_begin(&walker->run, programs[k].program, &programs[k].call,
                   &walker->sums)) {
      while (begun > 0) run_end(&walkers[--begun].run, false);
      return 0;
    }
    walker->call = (ecs_KernelCall){.user = &walker->run};
    begun++;
  }
  return begun;
}

static uint32_t bytes_of_row(const ecs_Program *program) {
  uint32_t bytes = 0;
  for (uint32_t c = 0; c < program->column_count; c++)
    bytes += scalar_bytes(program->columns[c].type);
  return bytes;
}

/* What is in the second cache anyway, programs walk faster one after the other:
 * each then has the nearest for itself. */
bool pass_pays(const PassProgram *programs, uint32_t count) {
  uint64_t most = 0;
  uint32_t running = 0, large = 0;
  for (uint32_t k = 0; k < count; k++) {
    if (programs[k].left_out) continue;
    uint64_t rows = programs[k].call.stop->row;
    running++;
    if (rows < 2 * ECS_PASS_ROWS) continue;
    uint64_t bytes = rows * bytes_of_row(programs[k].program);
    if (bytes > most) most = bytes;
    large++;
  }
  return running > 1 && large > 0 && most >= ECS_PASS_BYTES;
}

bool pass_run_together(const PassProgram *programs, uint32_t count) {
  if (!are_for_tables(programs, count)) return false;
  Memory *memory = &programs[0].program->query->store->memory;
  Walker *walkers = memory_zeroed(memory, count, sizeof(Walker));
  if (walkers == NULL) return false;
  uint32_t begun = begin_all(walkers, programs, count);
  if (begun > 0) run_tables(walkers, begun);
  for (uint32_t k = 0; k < begun; k++) {
    ECS_ASSERT(walkers[k].run.status == ECS_OK && walkers[k].run.stopped == 0);
    opened_tables(walkers[k].run.program->query);
    run_end(&walkers[k].run, true);
  }
  memory_free(memory, walkers, count * sizeof(Walker));
  return begun > 0;
}

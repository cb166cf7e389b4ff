/* vm.c: runs kernel programs over all rows, over parts, and visits. */
#include "program/vm.h"

#include "base/misuse.h"
#include "query/opened.h"
#include "world/deferral.h"

#include "program/vm_block.h"
#include "program/vm_changes.h"
#include "program/vm_listed.h"
#include "program/vm_near.h"
#include "program/vm_parallel.h"
#include "program/vm_planner.h"
#include "program/vm_shared.h"
#include "program/vm_sifting.h"
#include "program/vm_start.h"

/* How many rows of the next block are left out. */
static uint32_t leave_out(Run *run, uint32_t count) {
  if (count > run->left_out) count = (uint32_t)run->left_out;
  run->left_out -= count;
  return count;
}

static void run_blocks(const ecs_KernelCall *call) {
  Run *run = call->user;
  if (run->threads > 1 && shared_run(run, call)) return;
  for (uint32_t k = 0; k < call->block_count; k++) {
    uint32_t count = call->blocks[k].count;
    if (block_has_plans(run))
      block_use_plan(run, presence_of(run->program, &call->blocks[k]));
    for (uint32_t i = leave_out(run, count); i < count; i += run->rows) {
      if (run->stopped > 0 || run->status != ECS_OK) return;
      block_run(run, &call->blocks[k], i);
    }
  }
}

/* Life -------------------------------------------------------------------- */

static bool needs_entities(const ecs_Program *program) {
  for (uint32_t k = 0; k < program->code_count; k++)
    if (program->code[k].operation == OPERATION_SELF ||
        program->code[k].operation == OPERATION_RANDOM ||
        program->code[k].operation == OPERATION_REPEAT)
      return true;
  return program->changes_structure;
}

/* Does a program look up a component that it sets in other entities? */
static bool shows_sets(const ecs_Program *program) {
  for (uint32_t k = 0; k < program->code_count; k++)
    for (uint32_t j = 0; j < program->code_count &&
                         program->code[k].operation == OPERATION_SET_OF;
         j++)
      if (program->code[j].operation == OPERATION_GET &&
          program->code[j].index == program->code[k].index)
        return true;
  return false;
}

ecs_Status program_bind(ecs_Program *program, const Mistake *mistake) {
  uint32_t wrong = 0;
  program->kernel = (ecs_Kernel){
      .name = "program",
      .run = run_blocks,
      .columns = program->columns,
      .column_count = program->column_count,
      .flags = KERNEL_TRUSTED |
               (needs_entities(program) ? (uint32_t)ECS_KERNEL_ENTITIES : 0)};
  program->shows_sets = shows_sets(program);
  program->alone = parallel_hindrance(program);
  sifting_prepare(program);
  ecs_Status status = program_plan(program);
  if (status == ECS_OK) status = changes_prepare(program, mistake);
  if (status == ECS_OK) status = near_prepare(program);
  if (status == ECS_OK) status = ahead_prepare(program);
  if (status == ECS_OK)
    status = kernel_bind(program->query, &program->kernel, &program->binding,
                         &wrong);
  if (status == ECS_E_KERNEL)
    mistake_write(mistake, 0,
                  "column c%u: the query has no %s.%s of this "
                  "type with this access",
                  wrong, program->columns[wrong].component,
                  program->columns[wrong].field);
  if (status != ECS_OK) {
    ahead_free(program);
    near_free(program);
    changes_free(program);
    program_unplan(program);
    return status;
  }
  program->next = program->query->programs;
  program->query->programs = program;
  LIVING_ENTER(PROGRAM, program);
  return ECS_OK;
}

void program_destroy(ecs_Program *program) {
  Memory *memory = &program->query->store->memory;
  ecs_Program **link = &program->query->programs;
  LIVING_LEAVE(PROGRAM, program);
  while (*link != program) link = &(*link)->next;
  *link = program->next;
  kernel_unbind(program->binding);
  parallel_free(program);
  ahead_free(program);
  near_free(program);
  changes_free(program);
  program_unplan(program);
  program_deinit(program);
  memory_free(memory, program, sizeof(ecs_Program));
}

/* Runs -------------------------------------------------------------------- */

ecs_Component program_contested(const ecs_Program *program) {
  for (uint32_t k = 0; k < program->code_count; k++) {
    const Instruction *ins = &program->code[k];
    if (ins->operation == OPERATION_GET &&
        program->query->store->components.all[ins->index].writers > 0)
      return ins->index;
  }
  return 0;
}

/* Runs a table of which bits choose rows. */
static ecs_Status run_sifted(Run *run, Table *table) {
  ecs_Program *program = run->program;
  SiftedRows rows;
  ecs_KernelBlock block;
  if (table->count == 0) return ECS_OK; /* it may have no columns yet */
  ecs_Status status = kernel_table(program->binding, table, &block);
  if (status != ECS_OK) return status;
  if (block_has_plans(run)) block_use_plan(run, presence_of(program, &block));
  for (uint32_t first = 0; first < table->count; first += rows.count) {
    sifting_keep(program, table, &block, first, &rows);
    if (rows.chosen == 0) continue;
    for (uint32_t i = 0; i < rows.count; i += run->rows) {
      run->most = rows.count - i;
      if (run->most > run->plan->block_rows) run->most = run->plan->block_rows;
      block_run(run, &block, first + i);
    }
    sifting_put_back(program, &block, first, &rows);
  }
  return ECS_OK;
}

static ecs_Status run_all_sifted(Run *run) {
  const QueryGroup *group = &run->program->query->groups[0];
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; i < group->match.count && status == ECS_OK; i++)
    status = run_sifted(run, query_group_table(group, i));
  opened_tables(run->program->query);
  return status;
}

static ecs_Status run_kernel(Run *run, const ecs_KernelCall *call) {
  ecs_Status status = query_plan(run->program->query);
  if (status != ECS_OK) return status;
  if (run->visit == NULL && run->left_out == 0 && sifting_pays(run->program))
    return run_all_sifted(run);
  if (run->program->alone == NULL && run->left_out == 0 &&
      query_is_direct(run->program->query))
    run->threads = world_of(run->program->query)->threads;
  status = kernel_run(run->program->binding, call);
  return status == ECS_OK ? run->status : status;
}

/* Runs every row. Their changes of structure are recorded all or not at all. */
static ecs_Status run_rows(Run *run) {
  const ecs_Program *program = run->program;
  ecs_World *world = world_of(program->query);
  ecs_KernelCall call = {.user = run};
  if (!program->changes_structure) return run_kernel(run, &call);
  ecs_Status status = deferral_open(world);
  if (status != ECS_OK) return status;
  status = run_kernel(run, &call);
  if (status == ECS_OK && listed_is_one(run)) return listed_apply(run);
  if (status == ECS_OK) listed_record(run);
  if (status == ECS_OK) status = run->status;
  if (status == ECS_OK) return listed_apply_recorded(run);
  deferral_discard(world);
  return status;
}

ecs_Status program_run(ecs_Program *program, const ecs_ProgramCall *call,
                       bool *kept) {
  Run run;
  RunSums sums;
  if (!run_begin(&run, program, call, &sums)) return ECS_E_MEMORY;
  run.kept = kept;
  ecs_Status status = run_rows(&run);
  run_end(&run, status == ECS_OK || (kept != NULL && *kept));
  return status;
}

/* Runs in parts ----------------------------------------------------------- */

/* Stores the rows computed ahead from the next one on, up to one that takes the
 * exit. */
static void run_ahead(Run *run) {
  uint64_t at = run->rows_before - run->ahead->first;
  uint32_t taken;
  run->rows = ahead_store(run->program, run->rows_before, &taken);
  run->stopped = taken;
  run->late = run->ahead->bases;
  if (run->ahead->entities != NULL) run->entities = run->ahead->entities + at;
  if (run->rows > 0) block_end_rows(run, false);
  run->late = run->plan->bases;
  if (taken == 0) block_adapt_reach(run, run->rows);
}

/* Has the next row been computed ahead? What is of no use is dropped. */
static bool is_ahead(const Run *run) {
  if (run->ahead == NULL || run->ahead->rows == 0) return false;
  if (ahead_holds(run->ahead, run->rows_before, run->call->random_key))
    return true;
  ahead_drop(run->ahead);
  return false;
}

/* Runs the blocks of a part. Where rows take the exit often, fewer are computed
 * ahead. */
static void run_part_blocks(Run *run, ProgramPart *part) {
  ecs_KernelBlock block;
  run->status = kernel_block(run->program->binding, part->batch, &block);
  if (run->status != ECS_OK) return;
  uint32_t i = part->first;
  if (part->reach != 0 && part->reach < run->largest) run->most = part->reach;
  while (i < block.count && run->stopped == 0 && run->status == ECS_OK) {
    if (is_ahead(run))
      run_ahead(run);
    else
      block_run(run, &block, i);
    i += run->rows;
  }
  part->end = i;
  part->reach = run->most;
}

/* The part does not go on with what was computed ahead. */
static void drop_ahead(Run *run, ProgramPart *part) {
  if (ahead_drop(run->ahead) && part->reach != 0)
    part->reach = part->reach / 2 < BLOCK_LEAST_REACH ? BLOCK_LEAST_REACH
                                                      : part->reach / 2;
}

ecs_Status program_run_part(ecs_Program *program, const ecs_ProgramCall *call,
                            ProgramPart *part) {
  Memory *memory = &program->query->store->memory;
  ECS_ASSERT(part->first <= part->batch->count);
  Run run = {.program = program,
             .plan = program->plan,
             .call = call,
             .late = program->plan->bases,
             .ahead = program->ahead,
             .sums = part->reductions,
             .rows_before = part->before + part->first,
             .counts = program->exits_by_row,
             .status = ECS_OK};
  block_see_puts(&run);
  bool anew = part->changed || program->primed != part;
  if (anew || program->plan->looks_once) block_once(&run);
  if (anew && run.ahead != NULL) drop_ahead(&run, part);
  program->primed = part;
  part->changed = false;
  run_part_blocks(&run, part);
  part->taken = (uint32_t)run.stopped;
  part->by_uniforms = !program->exits_locally;
  listed_record(&run);
  memory_free(memory, run.changes,
              run.change_capacity * sizeof(RecordedChange));
  return run.status;
}

/* Visits ------------------------------------------------------------------ */

bool program_visits(const ecs_Program *program, uint32_t array,
                    uint32_t filled) {
  return program->plan->keys_follow[array] <= filled && filled <= array &&
         !program_goes_row_by_row(program);
}

ecs_Status program_visit(ecs_Program *program, const ecs_ProgramCall *call,
                         ProgramVisit visit, void *user) {
  Run run = {.program = program,
             .plan = program->plan,
             .call = call,
             .left_out = call->first,
             .most = program->plan->block_rows,
             .largest = program->plan->block_rows,
             .visit = visit,
             .filled = call->array_count,
             .user = user};
  ecs_KernelCall kernel = {.user = &run};
  program->primed = NULL; /* elements of single keys are not looked up */
  block_once(&run);
  return kernel_run(program->binding, &kernel);
}

/* vm_parallel.c: what it takes to run a program on several threads. */
#include "program/vm_parallel.h"

#include "base/workers.h"

/* The plans of the helpers, by worker - 1 and Presence; all NULL behind count. */
struct ProgramParallel {
  uint32_t count; /* of helpers that have plans */
  ProgramPlan *plans[WORKERS_LIMIT - 1][SOME_THERE + 1];
};

/* Hindrances -------------------------------------------------------------- */

static const char *hindrance_of(const Instruction *ins) {
  switch (instruction_shape(ins)) {
    case SHAPE_PUT: return "it stores in an array of the world";
    case SHAPE_EXIT: return "rows may need plain Lua";
    case SHAPE_REPEAT: return "it has a loop that is not unrolled";
    case SHAPE_NEAR:
    case SHAPE_NEAREST:
    case SHAPE_ANY: return "it asks a grid";
    default: return NULL;
  }
}

const char *parallel_hindrance(const ecs_Program *program) {
  if (program->changes_structure || program->changes_first)
    return "it changes structure";
  if (program->reduction_count > PARALLEL_SUMS) return "it has many totals";
  for (uint32_t k = 0; k < program->reduction_count; k++)
    if (operation_is_ordered(program->reductions[k]))
      return "it adds to numbers outside in the order of rows";
  for (uint32_t k = 0; k < program->code_count; k++) {
    const char *hindrance = hindrance_of(&program->code[k]);
    if (hindrance != NULL) return hindrance;
  }
  return NULL;
}

/* Plans ------------------------------------------------------------------- */

/* The program of which a plan is, by what is there; NULL: it has none. */
static const ecs_Program *planned_for(const ecs_Program *program,
                                      Presence presence) {
  return presence == SOME_THERE ? program : program->assumed[presence];
}

static void free_helper(const ecs_Program *program, uint32_t helper) {
  for (uint32_t k = 0; k <= SOME_THERE; k++) {
    ProgramPlan **plan = &program->parallel->plans[helper][k];
    if (*plan != NULL) plan_free_copy(program, *plan);
    *plan = NULL;
  }
}

/* Gives one helper more its plans. False: there is no memory. */
static bool add_helper(const ecs_Program *program) {
  ProgramParallel *parallel = program->parallel;
  for (uint32_t k = 0; k <= SOME_THERE; k++) {
    const ecs_Program *from = planned_for(program, (Presence)k);
    if (from == NULL) continue;
    ProgramPlan *copy = plan_copy(program_planned(from), from->plan);
    parallel->plans[parallel->count][k] = copy;
    if (copy == NULL) {
      free_helper(program, parallel->count);
      return false;
    }
  }
  parallel->count++;
  return true;
}

/* Makes plans for so many helpers, or as many as there is memory for. */
static uint32_t hold_helpers(ecs_Program *program, uint32_t count) {
  if (program->parallel == NULL)
    program->parallel = memory_zeroed(&program->query->store->memory, 1,
                                      sizeof *program->parallel);
  if (program->parallel == NULL) return 0;
  while (program->parallel->count < count)
    if (!add_helper(program)) return program->parallel->count;
  return count;
}

const ProgramPlan *parallel_plan(const ecs_Program *program, uint32_t worker,
                                 Presence presence) {
  if (worker == 0) return planned_for(program, presence)->plan;
  ECS_ASSERT(worker <= program->parallel->count);
  return program->parallel->plans[worker - 1][presence];
}

void parallel_free(ecs_Program *program) {
  if (program->parallel == NULL) return;
  for (uint32_t k = 0; k < program->parallel->count; k++)
    free_helper(program, k);
  memory_free(&program->query->store->memory, program->parallel,
              sizeof *program->parallel);
  program->parallel = NULL;
}

/* Runs -------------------------------------------------------------------- */

/* Rows of the smallest unit. */
static uint32_t quantum_of(const ecs_Program *program) {
  return program->reduction_count > 0 ? REDUCTION_ROWS : ECS_SHARED_ROWS;
}

/* A run of ECS_SHARED_STEPS takes some 20 microseconds. Below, two threads of one
 * processor gain nothing: they share its nearest cache. */
uint32_t parallel_threads(ecs_Program *program, uint64_t rows,
                          uint32_t threads) {
  if (threads < 2 || rows <= quantum_of(program)) return 1;
  if (rows * program->plan->step_count < ECS_SHARED_STEPS) return 1;
  threads = workers_count(threads);
  return threads < 2 ? 1 : 1 + hold_helpers(program, threads - 1);
}

uint64_t parallel_unit_rows(const ecs_Program *program, uint64_t rows) {
  return workers_unit_rows(rows, quantum_of(program));
}

void parallel_join(const ecs_Program *program, const double *parts,
                   uint64_t count, Reduction *sums) {
  uint32_t width = program->reduction_count;
  for (uint64_t part = 0; part < count; part++)
    for (uint32_t k = 0; k < width; k++)
      sums[k].total = reduction_join(sums_kind(program, k), sums[k].total,
                                     parts[part * width + k]);
}

/* vm_shared.c: runs the rows of a program on several threads. */
#include "program/vm_shared.h"

#include "base/float_mode.h"
#include "base/workers.h"
#include "program/vm_block.h"
#include "program/vm_parallel.h"

/* A run that several threads share. */
typedef struct SharedRun {
  const Run *run;             /* the caller's */
  const ecs_KernelCall *call; /* its blocks */
  uint64_t rows;              /* of all of these */
  uint64_t unit_rows;
  double *parts; /* the totals of each REDUCTION_ROWS rows, by reduction */
  uint8_t begun[WORKERS_LIMIT]; /* of each worker, as in Run */
} SharedRun;

/* Where a walk over the rows of a shared run is. */
typedef struct SharedWalk {
  uint32_t block;
  uint64_t before; /* rows of the blocks before it */
} SharedWalk;

/* Runs rows by their numbers, from first up to end; the walk is not behind. */
static void run_numbered(Run *run, const SharedRun *shared, SharedWalk *walk,
                         uint64_t first, uint64_t end) {
  run->rows_before = first;
  while (first < end) {
    ecs_KernelBlock block = shared->call->blocks[walk->block];
    if (walk->before + block.count <= first) {
      walk->before += block.count;
      walk->block++;
      continue;
    }
    if (end - walk->before < block.count)
      block.count = (uint32_t)(end - walk->before);
    if (block_has_plans(run))
      block_use_plan(run, presence_of(run->program, &block));
    for (uint32_t i = (uint32_t)(first - walk->before); i < block.count;
         i += run->rows)
      block_run(run, &block, i);
    first = walk->before + block.count;
  }
}

/* The same of at most REDUCTION_ROWS rows, whose totals are kept apart. */
static void run_summed(Run *run, const SharedRun *shared, SharedWalk *walk,
                       uint64_t first, uint64_t end) {
  const ecs_Program *program = run->program;
  uint32_t width = program->reduction_count;
  double *part = shared->parts + first / REDUCTION_ROWS * width;
  for (uint32_t k = 0; k < width; k++)
    reduction_begin(&run->sums[k], sums_kind(program, k));
  run_numbered(run, shared, walk, first, end);
  sums_end(program, run->sums, false, part);
}

/* Runs a unit; a WorkersJob. */
static void run_unit(void *user, uint32_t worker, uint32_t unit) {
  SharedRun *shared = user;
  const ecs_Program *program = shared->run->program;
  Run run = *shared->run;
  Reduction sums[PARALLEL_SUMS];
  SharedWalk walk = {0, 0};
  uint64_t first = unit * shared->unit_rows, end = first + shared->unit_rows;
  FloatMode mode = float_mode_begin();
  run.sums = sums;
  run.worker = worker;
  run.begun = shared->begun[worker];
  if (end > shared->rows) end = shared->rows;
  if (!block_has_plans(&run)) block_use_plan(&run, SOME_THERE);
  if (program->reduction_count == 0) {
    run_numbered(&run, shared, &walk, first, end);
  } else {
    for (uint64_t next; first < end; first = next) {
      next = first + REDUCTION_ROWS < end ? first + REDUCTION_ROWS : end;
      run_summed(&run, shared, &walk, first, next);
    }
  }
  ECS_ASSERT(run.status == ECS_OK && run.change_count == 0);
  shared->begun[worker] = run.begun;
  float_mode_end(mode);
}

/* Runs all blocks of a full plan on several threads. False: it does not pay, or
 * there are no threads, and nothing was run. */
bool shared_run(Run *run, const ecs_KernelCall *call) {
  ecs_Program *program = run->program;
  Memory *memory = &program->query->store->memory;
  SharedRun shared = {.run = run, .call = call};
  for (uint32_t k = 0; k < call->block_count; k++)
    shared.rows += call->blocks[k].count;
  uint32_t threads = parallel_threads(program, shared.rows, run->threads);
  if (threads < 2) return false;
  shared.unit_rows = parallel_unit_rows(program, shared.rows);
  shared.begun[0] = block_has_plans(run) ? run->begun : 1u << SOME_THERE;
  uint64_t count = (shared.rows + REDUCTION_ROWS - 1) / REDUCTION_ROWS;
  size_t width = program->reduction_count;
  if (width > 0) {
    shared.parts = memory_zeroed(memory, count * width, sizeof(double));
    if (shared.parts == NULL) return false;
  }
  uint32_t units = workers_units(shared.rows, shared.unit_rows);
  bool done = workers_run(threads, units, run_unit, &shared);
  if (done && width > 0) parallel_join(program, shared.parts, count, run->sums);
  if (done) run->rows_before = shared.rows;
  memory_free(memory, shared.parts, count * width * sizeof(double));
  return done;
}

/* vm_start.c: begins and ends a run of a program over all rows. */
#include "program/vm_start.h"

#include "program/vm_block.h"

bool run_begin(Run *run, ecs_Program *program, const ecs_ProgramCall *call,
               RunSums *room) {
  Memory *memory = &program->query->store->memory;
  uint32_t sums = program->reduction_count;
  ECS_ASSERT(call->uniform_count == program->uniform_count);
  ECS_ASSERT(call->reduction_count == sums);
  ECS_ASSERT(call->array_count == program->array_count);
  ECS_ASSERT(call->stop != NULL || !program->exits);
  *run = (Run){.program = program,
               .plan = program->plan,
               .call = call,
               .late = program->plan->bases,
               .rows_before = call->first,
               .left_out = call->first,
               .counts = program->exits_locally,
               .sums = room->few,
               .status = ECS_OK};
  block_see_puts(run);
  if (sums > FEW_SUMS) {
    run->sums = memory_zeroed(memory, sums, sizeof(Reduction));
    if (run->sums == NULL) return false;
  }
  program->primed = NULL;
  if (sums > 0) sums_begin(program, run->sums, call->reductions);
  if (!block_has_plans(run)) block_once(run);
  return true;
}

void run_end(Run *run, bool done) {
  ecs_Program *program = run->program;
  const ecs_ProgramCall *call = run->call;
  Memory *memory = &program->query->store->memory;
  uint32_t sums = program->reduction_count;
  if (sums > 0) sums_end(program, run->sums, !done, call->reductions);
  if (done && call->stop != NULL)
    *call->stop = (ecs_ProgramStop){run->rows_before, run->stopped, 0, 0};
  if (sums > FEW_SUMS) memory_free(memory, run->sums, sums * sizeof(Reduction));
  memory_free(memory, run->changes,
              run->change_capacity * sizeof(RecordedChange));
}

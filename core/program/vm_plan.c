/* vm_plan.c: the memory of a plan, and whether it is sound. */
#include "program/vm_plan.h"

static size_t lay_plan(ProgramPlan *plan, const ecs_Program *program,
                       char *block) {
  size_t used = sizeof(ProgramPlan);
  plan->steps = memory_lay(block, &used, plan->step_count, sizeof(Step));
  plan->once = memory_lay(block, &used, plan->once_count, sizeof(Step));
  plan->spread = memory_lay(block, &used, plan->spread_count, sizeof(Step));
  plan->sums = memory_lay(block, &used, plan->sum_count, sizeof(Step));
  plan->changes = memory_lay(block, &used, plan->change_count, sizeof(Step));
  plan->bases = memory_lay(block, &used, plan->base_count, sizeof(void *));
  plan->single = memory_lay(block, &used, program->value_count, sizeof(double));
  /* Registers start on a line. */
  char *registers = memory_lay(
      block, &used,
      (size_t)plan->register_count * LOOP_ROWS + ECS_LINE_BYTES / 8, 8);
  if (block == NULL) return used;
  uintptr_t over = (uintptr_t)registers % ECS_LINE_BYTES;
  if (over > 0) registers += ECS_LINE_BYTES - over;
  for (uint32_t k = 0; k < plan->register_count; k++)
    plan->bases[k] = registers + (size_t)k * LOOP_ROWS * 8;
  for (uint32_t k = 0; k < program->value_count; k++)
    plan->bases[plan->register_count + program->column_count + k] =
        &plan->single[k];
  return used;
}

ProgramPlan *plan_create(const ecs_Program *program, const ProgramPlan *sizes) {
  ProgramPlan laid = *sizes;
  laid.block_bytes = lay_plan(&laid, program, NULL);
  ProgramPlan *plan =
      memory_zeroed(&program->query->store->memory, 1, laid.block_bytes);
  if (plan == NULL) return NULL;
  *plan = laid;
  lay_plan(plan, program, (char *)plan);
  return plan;
}

void plan_destroy(ecs_Program *program) {
  if (program->plan == NULL) return;
  memory_free(&program->query->store->memory, program->plan,
              program->plan->block_bytes);
  program->plan = NULL;
}

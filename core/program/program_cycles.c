/* program_cycles.c: where the cycles of a kernel program are. */
#include "program/program_cycles.h"

void cycles_find(const ecs_Program *program, Cycle *cycles, uint32_t *inside) {
  uint32_t count = 0, cycle = NO_VALUE;
  bool starts = false; /* the last instruction was a repeat or a carry of it */
  for (uint32_t i = 0; i < program->code_count; i++) {
    OperationShape shape = instruction_shape(&program->code[i]);
    if (starts && shape != SHAPE_CARRY) {
      cycles[count - 1].first = i;
      cycle = count - 1;
      starts = false;
    }
    inside[i] = cycle;
    if (shape == SHAPE_REPEAT) {
      cycles[count++] = (Cycle){.repeat = i, .outer = cycle};
      starts = true;
    } else if (shape == SHAPE_AGAIN) {
      ECS_ASSERT(cycle != NO_VALUE);
      cycles[cycle].again = i;
      cycle = cycles[cycle].outer;
    }
  }
  ECS_ASSERT(count == program->cycle_count && cycle == NO_VALUE);
}

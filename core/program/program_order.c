/* program_order.c: moves the exit of a program to the front. */
#include "program/program_order.h"

typedef struct Order {
  ecs_Program *program;
  Instruction *code; /* in the new order */
  uint8_t *types;    /* of the values in the new order */
  uint32_t *number;  /* per value: its new number */
  bool *is_early;    /* per value: the exit depends on it */
  uint32_t code_count, value_count;
  size_t bytes; /* of the allocation, which starts at code */
} Order;

static size_t lay_order(Order *order, char *block) {
  uint32_t values = order->program->value_count;
  size_t used = 0;
  order->code =
      memory_lay(block, &used, order->program->code_count, sizeof(Instruction));
  order->number = memory_lay(block, &used, values, sizeof(uint32_t));
  order->types = memory_lay(block, &used, values, sizeof(uint8_t));
  order->is_early = memory_lay(block, &used, values, sizeof(bool));
  return used;
}

/* Notes whether what rows that took the exit do can change this value, which the
 * exit depends on, in other rows. */
static void note_early(ecs_Program *program, const Instruction *ins) {
  switch (instruction_shape(ins)) {
    case SHAPE_UNIFORM:
      if (program->uniforms[ins->index] & UNIFORM_FIXED) break;
      program->exits_locally = false;
      break;
    case SHAPE_ALIVE:
    case SHAPE_HAS:
    case SHAPE_GET:
      program->exits_locally = program->exits_by_row = false;
      break;
    default: break;
  }
}

/* An operand of what is early is early. Going backwards, one pass finds all. */
static void find_early(Order *order) {
  ecs_Program *program = order->program;
  program->exits_locally = program->exits_by_row = true;
  for (uint32_t i = program->code_count; i-- > 0;) {
    const Instruction *ins = &program->code[i];
    bool early = ins->result == NO_VALUE ? ins->operation == OPERATION_EXIT
                                         : order->is_early[ins->result];
    if (early) note_early(program, ins);
    for (uint32_t k = 0; early && k < 3; k++)
      if (ins->operands[k] != NO_VALUE)
        order->is_early[ins->operands[k]] = true;
  }
}

static void append(Order *order, const Instruction *from) {
  Instruction *ins = &order->code[order->code_count++];
  *ins = *from;
  for (uint32_t k = 0; k < 3; k++)
    if (ins->operands[k] != NO_VALUE)
      ins->operands[k] = order->number[ins->operands[k]];
  if (from->result == NO_VALUE) return;
  order->number[from->result] = order->value_count;
  order->types[order->value_count] = order->program->types[from->result];
  ins->result = order->value_count++;
}

/* Appends the values that are early, then the exit, then the rest. */
static void append_all(Order *order) {
  const ecs_Program *program = order->program;
  for (int pass = 0; pass < 3; pass++)
    for (uint32_t i = 0; i < program->code_count; i++) {
      const Instruction *ins = &program->code[i];
      bool early = ins->result != NO_VALUE && order->is_early[ins->result];
      int turn = early ? 0 : ins->operation == OPERATION_EXIT ? 1 : 2;
      if (turn == pass) append(order, ins);
    }
}

ecs_Status program_order(ecs_Program *program) {
  Memory *memory = &program->query->store->memory;
  Order order = {.program = program};
  if (!program->exits) return ECS_OK;
  order.bytes = lay_order(&order, NULL);
  char *block = memory_zeroed(memory, 1, order.bytes);
  if (block == NULL) return ECS_E_MEMORY;
  lay_order(&order, block);
  find_early(&order);
  append_all(&order);
  ECS_ASSERT(order.code_count == program->code_count);
  ECS_ASSERT(order.value_count == program->value_count);
  memcpy(program->code, order.code, order.code_count * sizeof(Instruction));
  memcpy(program->types, order.types, order.value_count);
  memory_free(memory, block, order.bytes);
  return ECS_OK;
}

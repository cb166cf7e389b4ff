/* program_order.c: moves what may stop a run to the front.
 *
 * In a program that sees what it puts in arrays, all that does not follow from
 * such an element comes before: it is computed for whole blocks (vm_puts.h). */
#include "program/program_order.h"

#include "program/program_cycles.h"

typedef struct Order {
  ecs_Program *program;
  Instruction *code; /* in the new order */
  uint8_t *types;    /* of the values in the new order */
  uint32_t *number;  /* per value: its new number */
  bool *is_early;    /* per value: the exit depends on it */
  bool *is_late;     /* per value: it depends on an entity that is spawned */
  bool *is_seen;     /* per value: it depends on an element that the program may
                        put */
  Cycle *cycles;
  uint32_t *whole;   /* per instruction: the outermost cycle that it is a part
                        of, repeat and carries among them; NO_VALUE: none */
  bool *cycle_early; /* per cycle: the exit depends on a carry of it */
  bool *cycle_seen;  /* per cycle: some value of it is seen */
  uint32_t code_count, value_count;
  size_t bytes; /* of the allocation, which starts at code */
} Order;

static size_t lay_order(Order *order, char *block) {
  uint32_t values = order->program->value_count;
  uint32_t cycles = order->program->cycle_count;
  size_t used = 0;
  order->code =
      memory_lay(block, &used, order->program->code_count, sizeof(Instruction));
  order->number = memory_lay(block, &used, values, sizeof(uint32_t));
  order->types = memory_lay(block, &used, values, sizeof(uint8_t));
  order->is_early = memory_lay(block, &used, values, sizeof(bool));
  order->is_late = memory_lay(block, &used, values, sizeof(bool));
  order->is_seen = memory_lay(block, &used, values, sizeof(bool));
  order->cycles = memory_lay(block, &used, cycles, sizeof(Cycle));
  order->whole =
      memory_lay(block, &used, order->program->code_count, sizeof(uint32_t));
  order->cycle_early = memory_lay(block, &used, cycles, sizeof(bool));
  order->cycle_seen = memory_lay(block, &used, cycles, sizeof(bool));
  return used;
}

/* Notes whether what rows that took the exit do can change this value, which the
 * exit depends on, in other rows. */
static void note_early(ecs_Program *program, const Instruction *ins) {
  if (instruction_sees_puts(program, ins))
    program->exits_locally = program->exits_by_row = false;
  switch (instruction_shape(ins)) {
    case SHAPE_AT:
    case SHAPE_INDEX:
    case SHAPE_INSIDE: program->exits_locally = false; break;
    case SHAPE_UNIFORM:
      if (program->uniforms[ins->index] & UNIFORM_FIXED) break;
      program->exits_locally = false;
      break;
    case SHAPE_NEAR: /* the caller may build grids anew */
    case SHAPE_NEAREST:
    case SHAPE_ANY:
    case SHAPE_NTH:
    case SHAPE_FOUND:
    case SHAPE_FOUND_GET:
    case SHAPE_ALIVE:
    case SHAPE_HAS:
    case SHAPE_GET:
      program->exits_locally = program->exits_by_row = false;
      break;
    default: break;
  }
}

/* A cycle moves as a whole. */
static void find_cycles(Order *order) {
  cycles_find(order->program, order->cycles, order->whole);
  for (uint32_t c = 0; c < order->program->cycle_count; c++) {
    const Cycle *cycle = &order->cycles[c];
    if (cycle->outer != NO_VALUE) continue;
    for (uint32_t i = cycle->repeat; i <= cycle->again; i++)
      order->whole[i] = c;
  }
}

static bool is_early(const Order *order, uint32_t i) {
  const Instruction *ins = &order->program->code[i];
  uint32_t cycle = order->whole[i];
  if (cycle != NO_VALUE) return order->cycle_early[cycle];
  return ins->result == NO_VALUE ? ins->operation == OPERATION_EXIT
                                 : order->is_early[ins->result];
}

/* Is instruction i the end of a cycle of which a carry is early? Then all of the
 * cycle is. */
static void note_cycle(Order *order, uint32_t i) {
  uint32_t cycle = order->whole[i];
  if (cycle == NO_VALUE || order->cycles[cycle].again != i) return;
  for (uint32_t k = order->cycles[cycle].repeat + 1;
       k < order->cycles[cycle].first; k++)
    order->cycle_early[cycle] |=
        order->is_early[order->program->code[k].result];
}

/* An operand of what is early is early. Going backwards, one pass finds all. */
static void find_early(Order *order) {
  ecs_Program *program = order->program;
  program->exits_locally = program->exits_by_row = true;
  for (uint32_t i = program->code_count; i-- > 0;) {
    const Instruction *ins = &program->code[i];
    note_cycle(order, i);
    bool early = is_early(order, i);
    if (early) note_early(program, ins);
    for (uint32_t k = 0; early && k < OPERANDS; k++)
      if (ins->operands[k] != NO_VALUE)
        order->is_early[ins->operands[k]] = true;
  }
}

static void append(Order *order, const Instruction *from) {
  Instruction *ins = &order->code[order->code_count++];
  *ins = *from;
  for (uint32_t k = 0; k < OPERANDS; k++)
    if (ins->operands[k] != NO_VALUE)
      ins->operands[k] = order->number[ins->operands[k]];
  if (from->result == NO_VALUE) return;
  order->number[from->result] = order->value_count;
  order->types[order->value_count] = order->program->types[from->result];
  ins->result = order->value_count++;
}

/* What depends on something late is late. */
static void find_late(Order *order) {
  const ecs_Program *program = order->program;
  for (uint32_t i = 0; i < program->code_count; i++) {
    const Instruction *ins = &program->code[i];
    bool late = ins->operation == OPERATION_SPAWN;
    for (uint32_t k = 0; k < OPERANDS; k++)
      if (ins->operands[k] != NO_VALUE)
        late = late || order->is_late[ins->operands[k]];
    if (ins->result != NO_VALUE) order->is_late[ins->result] = late;
  }
}

/* Does something else than the exit end a block or the run? Changes that come
 * first may, and what asks a grid: there may be no memory, or too many rows near
 * for a block, which then begins anew (vm_block.c). */
static bool may_end(const ecs_Program *program) {
  return program->changes_first || program->grid_count > 0;
}

/* What depends on something seen is seen, and so is all of a cycle of which
 * something is. The next turn of a cycle may see what this one does not, so a
 * cycle is passed until nothing is added. */
static void find_seen(Order *order) {
  const ecs_Program *program = order->program;
  for (bool more = program->sees_puts; more;) {
    more = false;
    for (uint32_t i = 0; i < program->code_count; i++) {
      const Instruction *ins = &program->code[i];
      uint32_t cycle = order->whole[i];
      bool seen = instruction_sees_puts(program, ins);
      for (uint32_t k = 0; k < OPERANDS; k++)
        if (ins->operands[k] != NO_VALUE)
          seen = seen || order->is_seen[ins->operands[k]];
      if (cycle != NO_VALUE) {
        seen = seen || order->cycle_seen[cycle];
        more = more || (seen && !order->cycle_seen[cycle]);
        order->cycle_seen[cycle] = seen;
      }
      if (ins->result != NO_VALUE) order->is_seen[ins->result] = seen;
    }
  }
}

/* Where the program sees what it puts, the values that do not; the values that
 * the exit depends on, the exit, and the rest; of the rest, where it may end a
 * block, the values that changes may depend on, the changes, the values that
 * depend on them, and the other effects. */
enum { UNSEEN, EARLY, LEAVING, REST, CHANGES = REST + 1, LATE, EFFECTS, TURNS };

/* Is instruction i computed before anything that is seen? */
static bool is_unseen(const Order *order, uint32_t i) {
  const Instruction *ins = &order->program->code[i];
  if (!order->program->sees_puts) return false;
  if (order->whole[i] != NO_VALUE) return !order->cycle_seen[order->whole[i]];
  return ins->result != NO_VALUE && !order->is_seen[ins->result] &&
         !order->is_late[ins->result];
}

static int turn_of(const Order *order, uint32_t i) {
  const Instruction *ins = &order->program->code[i];
  bool is_value = ins->result != NO_VALUE;
  if (is_unseen(order, i)) return UNSEEN;
  if (order->whole[i] != NO_VALUE)
    return order->cycle_early[order->whole[i]] ? EARLY : REST;
  if (is_value && order->is_early[ins->result]) return EARLY;
  if (ins->operation == OPERATION_EXIT) return LEAVING;
  if (!may_end(order->program)) return REST;
  if (instruction_is_change(ins)) return CHANGES;
  if (is_value) return order->is_late[ins->result] ? LATE : REST;
  return EFFECTS;
}

static void append_all(Order *order) {
  const ecs_Program *program = order->program;
  for (int turn = 0; turn < TURNS; turn++)
    for (uint32_t i = 0; i < program->code_count; i++)
      if (turn_of(order, i) == turn) append(order, &program->code[i]);
}

ecs_Status program_order(ecs_Program *program) {
  Memory *memory = &program->query->store->memory;
  Order order = {.program = program};
  if (program_goes_row_by_row(program)) program->changes_first = true;
  if (!program->exits && !may_end(program) && !program->sees_puts)
    return ECS_OK;
  order.bytes = lay_order(&order, NULL);
  char *block = memory_zeroed(memory, 1, order.bytes);
  if (block == NULL) return ECS_E_MEMORY;
  lay_order(&order, block);
  find_cycles(&order);
  find_early(&order);
  find_late(&order);
  find_seen(&order);
  append_all(&order);
  ECS_ASSERT(order.code_count == program->code_count);
  ECS_ASSERT(order.value_count == program->value_count);
  memcpy(program->code, order.code, order.code_count * sizeof(Instruction));
  memcpy(program->types, order.types, order.value_count);
  memory_free(memory, block, order.bytes);
  return ECS_OK;
}

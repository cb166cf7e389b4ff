/* vm_regions.c: finds the regions of a plan, and moves their rows.
 *
 * What is known of a bool is a **fact**: its value, and whether it is true. Going
 * through the steps backwards shows for each place under which facts it is read,
 * so for each step under which facts its result is needed:
 *
 *      select f32 v7 v9 v6     reads v9 where v7 is true, v6 where it is not
 *      store c0 v4 v7          reads v4 where v7 is true
 *      and v7 v8               reads v8 where v7 is true
 *
 * A fact implies others: where "and v7 v8" is true, both are.
 */
#include "program/vm_regions.h"

/* A value and its truth: twice the number of the value, plus one if it is true.
 * A set forgets facts that it has no room for. */
#define MOST_FACTS 6u
typedef struct FactSet {
  uint32_t facts[MOST_FACTS];
  uint8_t count;
  bool all; /* nothing reads the place: every fact */
} FactSet;

/* Rows are moved for what is this heavy, and for so many places. */
#define LEAST_WEIGHT 12u
#define MOST_INPUTS REGION_INPUTS
#define MOST_DEPTH 3u

typedef struct Finder {
  const ProgramFacts *facts;
  ProgramPlan *plan;
  Memory *memory;
  FactSet *uses;       /* per register */
  FactSet *needed;     /* per step: under which facts its result is needed */
  bool *is_spread;     /* per register */
  PlanRegion *regions; /* found so far */
  RegionCopy *copies;
  Step *steps;
  uint32_t region_count, copy_count, step_count;
  uint32_t region_room, copy_room, step_room;
  uint32_t most_inputs;
  size_t bytes; /* of the allocation that starts at uses */
} Finder;

/* Sets of facts ------------------------------------------------------------ */

static bool set_has(const FactSet *set, uint32_t fact) {
  for (uint32_t k = 0; k < set->count; k++)
    if (set->facts[k] == fact) return true;
  return set->all;
}

static void set_add(FactSet *set, uint32_t fact) {
  if (set_has(set, fact) || set->count == MOST_FACTS) return;
  set->facts[set->count++] = fact;
}

/* Keeps what both have. */
static void set_meet(FactSet *set, const FactSet *other) {
  uint32_t kept = 0;
  if (other->all) return;
  if (set->all) {
    *set = *other;
    return;
  }
  for (uint32_t k = 0; k < set->count; k++)
    if (set_has(other, set->facts[k])) set->facts[kept++] = set->facts[k];
  set->count = (uint8_t)kept;
}

/* Adds that a bool is true or false, and what follows. */
static void set_assume(const ProgramFacts *facts, FactSet *set, uint32_t value,
                       bool truth, uint32_t depth) {
  const Instruction *ins = &facts->program->code[facts->definition[value]];
  set_add(set, 2 * value + truth);
  if (depth == 0) return;
  if (ins->operation == OPERATION_NOT)
    set_assume(facts, set, ins->operands[0], !truth, depth - 1);
  if ((ins->operation == OPERATION_AND && truth) ||
      (ins->operation == OPERATION_OR && !truth))
    for (uint32_t k = 0; k < 2; k++)
      set_assume(facts, set, ins->operands[k], truth, depth - 1);
}

/* A set with more facts. value NO_VALUE: none. */
static FactSet with(const Finder *finder, const FactSet *set, uint32_t value,
                    bool truth) {
  FactSet more = *set;
  if (value != NO_VALUE && !set->all)
    set_assume(finder->facts, &more, value, truth, MOST_FACTS);
  return more;
}

/* Operands ----------------------------------------------------------------- */

static bool is_product(const Finder *finder, const Step *step) {
  const Instruction *ins = step->ins;
  if (ins->result == NO_VALUE || instruction_shape(ins) != SHAPE_BINARY)
    return false;
  return finder->facts->is_part[ins->operands[0]] ||
         finder->facts->is_part[ins->operands[1]];
}

/* Does a step that has or gets locate first? */
static bool locates(const Step *step) {
  return instruction_is_look(step->ins) &&
         step->operands[2] == step->operands[1];
}

/* How many of its operands a step reads. */
static uint32_t read_count(const Finder *finder, const Step *step) {
  uint32_t count = 0;
  if (is_product(finder, step)) return 3;
  if (instruction_is_look(step->ins)) return locates(step) ? 1 : 2;
  if (instruction_shape(step->ins) == SHAPE_LOAD) return 1;
  while (count < OPERANDS && step->ins->operands[count] != NO_VALUE) count++;
  return count;
}

/* Bytes of an element of operand k. */
static uint32_t operand_bytes(const Finder *finder, const Step *step,
                              uint32_t k) {
  const ecs_Program *program = finder->facts->program;
  const Instruction *ins = step->ins;
  if (instruction_is_look(ins)) return 8;
  if (is_product(finder, step)) return value_bytes((ValueType)ins->type);
  if (instruction_shape(ins) == SHAPE_LOAD)
    return (uint32_t)scalar_bytes(program->columns[ins->index].type);
  return value_bytes((ValueType)program->types[ins->operands[k]]);
}

static bool is_register(const Finder *finder, uint32_t place) {
  return place < finder->plan->register_count;
}

/* Which facts hold where a step reads operand k, if its result is needed under
 * those of the set. */
static FactSet read_under(const Finder *finder, const Step *step, uint32_t k,
                          const FactSet *set) {
  const Instruction *ins = step->ins;
  switch (instruction_shape(ins)) {
    case SHAPE_SELECT:
      return with(finder, set, k == 0 ? NO_VALUE : ins->operands[0], k == 1);
    case SHAPE_STORE:
    case SHAPE_REDUCE:
      return with(finder, set, k == 0 ? ins->operands[1] : NO_VALUE, true);
    case SHAPE_SCATTER:
    case SHAPE_PUT:
      return with(finder, set, k < 2 ? ins->operands[2] : NO_VALUE, true);
    case SHAPE_LOGIC:
      return with(finder, set,
                  k == 1 && ins->operation == OPERATION_AND ? ins->operands[0]
                                                            : NO_VALUE,
                  true);
    default: return *set;
  }
}

/* Needs -------------------------------------------------------------------- */

static void note_read(const Finder *finder, uint32_t place,
                      const FactSet *set) {
  if (is_register(finder, place)) set_meet(&finder->uses[place], set);
}

/* Takes what is needed of a place that is written here. */
static FactSet take_uses(const Finder *finder, uint32_t place) {
  static const FactSet everything = {.all = true};
  FactSet set = {.count = 0};
  if (!is_register(finder, place)) return set;
  set = finder->uses[place];
  finder->uses[place] = everything;
  return set;
}

static void note_reads(const Finder *finder, const Step *step,
                       const FactSet *set) {
  for (uint32_t k = 0; k < read_count(finder, step); k++) {
    FactSet under = read_under(finder, step, k, set);
    note_read(finder, step->operands[k], &under);
  }
}

/* Goes backwards through steps from end to first. */
static void find_needed(const Finder *finder, uint32_t first, uint32_t end) {
  for (uint32_t i = end; i-- > first;) {
    const Step *step = &finder->plan->steps[i];
    FactSet set = {.count = 0};
    if (step->ins->result != NO_VALUE) set = take_uses(finder, step->out);
    if (locates(step)) {
      FactSet others = take_uses(finder, step->operands[1]);
      set_meet(&set, &others);
    }
    if (set.all) set = (FactSet){.count = 0};
    finder->needed[i] = set;
    note_reads(finder, step, &set);
  }
}

/* Notes what changes read. Gives stand before their change and have its mask. */
static void note_changes(const Finder *finder) {
  const ProgramPlan *plan = finder->plan;
  FactSet under = {.count = 0};
  const FactSet always = {.count = 0};
  for (uint32_t i = plan->change_count; i-- > 0;) {
    const Step *step = &plan->changes[i];
    const Instruction *ins = step->ins;
    OperationShape shape = instruction_shape(ins);
    if (shape == SHAPE_PART) continue;
    bool other = shape == SHAPE_OTHER || shape == SHAPE_DESTROY_OTHER;
    uint32_t mask = other ? 1 : 0;
    if (shape != SHAPE_GIVE) {
      if (ins->result != NO_VALUE) take_uses(finder, step->out);
      under = with(finder, &always, ins->operands[mask], true);
      if (ins->operands[mask] != NO_VALUE)
        note_read(finder, step->operands[mask], &always);
    }
    if (other || shape == SHAPE_GIVE)
      note_read(finder, step->operands[0], &under);
  }
}

static void note_sums(const Finder *finder) {
  const FactSet always = {.count = 0};
  for (uint32_t i = 0; i < finder->plan->sum_count + finder->plan->put_count;
       i++)
    note_reads(finder, &finder->plan->sums[i], &always);
}

static void find_all_needed(const Finder *finder) {
  const ProgramPlan *plan = finder->plan;
  bool first = finder->facts->program->changes_first;
  uint32_t middle = first ? plan->change_step : plan->step_count;
  for (uint32_t k = 0; k < plan->register_count; k++)
    finder->uses[k] = (FactSet){.all = true};
  if (!first) note_changes(finder);
  note_sums(finder);
  find_needed(finder, middle, plan->step_count);
  if (first) note_changes(finder);
  find_needed(finder, 0, middle);
}

/* Regions ------------------------------------------------------------------ */

static uint32_t weight_of(const Step *step) {
  const Instruction *ins = step->ins;
  switch (instruction_shape(ins)) {
    case SHAPE_ALIVE:
    case SHAPE_HAS:
    case SHAPE_GET:
    case SHAPE_RANDOM: return 10;
    case SHAPE_AT:
    case SHAPE_INDEX:
    case SHAPE_FOUND:
    case SHAPE_FOUND_GET:
    case SHAPE_INSIDE: return 4;
    default: break;
  }
  if (loop_is_slow((Operation)ins->operation)) return 20;
  switch (ins->operation) {
    case OPERATION_OWN_SIN:
    case OPERATION_OWN_COS:
    case OPERATION_OWN_EXP:
    case OPERATION_OWN_LOG:
    case OPERATION_OWN_POWER:
    case OPERATION_OWN_ATAN2:
    case OPERATION_MODULO:
    case OPERATION_REMAINDER: return 6;
    case OPERATION_ROOT:
    case OPERATION_DIVIDE:
    case OPERATION_BITS_AND:
    case OPERATION_BITS_OR:
    case OPERATION_BITS_XOR:
    case OPERATION_FLOOR_DIVIDE: return 2;
    default: return 1;
  }
}

/* May a step run for some rows only? */
static bool is_movable(const Finder *finder, uint32_t i) {
  const Step *step = &finder->plan->steps[i];
  const Instruction *ins = step->ins;
  OperationShape shape = instruction_shape(ins);
  if (ins->result == NO_VALUE || !is_register(finder, step->out)) return false;
  if (shape == SHAPE_PRESENT || shape == SHAPE_SELF || shape == SHAPE_ELEMENT)
    return false;
  if (shape >= SHAPE_NEAR && shape <= SHAPE_NTH) return false; /* have lists */
  if (shape == SHAPE_LOAD)
    return !access_is_optional(
        finder->facts->program->columns[ins->index].access);
  for (uint32_t k = 0; k < read_count(finder, step); k++) {
    uint32_t column = step->operands[k] - finder->plan->register_count;
    if (step->operands[k] >= finder->plan->register_count &&
        column < finder->facts->program->column_count &&
        access_is_optional(finder->facts->program->columns[column].access))
      return false;
  }
  return true;
}

/* The register that holds a value before step i; NO_VALUE: none. */
static uint32_t find_held(const Finder *finder, uint32_t value, uint32_t i) {
  const ProgramPlan *plan = finder->plan;
  for (uint32_t k = i; k-- > 0;) {
    const Step *step = &plan->steps[k];
    if (step->ins->result != value) continue;
    for (uint32_t j = k + 1; j < i; j++)
      if (plan->steps[j].out == step->out ||
          (locates(&plan->steps[j]) && plan->steps[j].operands[1] == step->out))
        return NO_VALUE;
    return is_register(finder, step->out) ? step->out : NO_VALUE;
  }
  return NO_VALUE;
}

/* Does a step read a place? */
static bool reads(const Finder *finder, const Step *step, uint32_t place) {
  for (uint32_t k = 0; k < read_count(finder, step); k++)
    if (step->operands[k] == place) return true;
  return false;
}

/* Is what a place holds before step i read then or later? */
static bool is_live(const Finder *finder, uint32_t place, uint32_t i) {
  const ProgramPlan *plan = finder->plan;
  bool first = finder->facts->program->changes_first;
  for (uint32_t k = i; k <= plan->step_count; k++) {
    if (first && k == plan->change_step)
      for (uint32_t c = 0; c < plan->change_count; c++)
        for (uint32_t o = 0; o < 2; o++)
          if (plan->changes[c].ins->operands[o] != NO_VALUE &&
              plan->changes[c].operands[o] == place)
            return true;
    if (k == plan->step_count) break;
    if (reads(finder, &plan->steps[k], place)) return true;
    if (plan->steps[k].ins->result != NO_VALUE && plan->steps[k].out == place)
      return false;
    if (locates(&plan->steps[k]) && plan->steps[k].operands[1] == place)
      return false;
  }
  for (uint32_t k = 0; k < plan->sum_count + plan->put_count; k++)
    if (reads(finder, &plan->sums[k], place)) return true;
  for (uint32_t k = 0; k < plan->change_count && !first; k++)
    if (plan->changes[k].ins->operands[0] != NO_VALUE &&
        plan->changes[k].operands[0] == place)
      return true;
  return false;
}

/* Adds a place to the inputs or outputs of the region that is being made, which
 * are the copies from first on. Returns its number among them. */
static uint32_t add_copy(Finder *finder, uint32_t first, uint32_t place,
                         uint32_t bytes) {
  for (uint32_t k = first; k < finder->copy_count; k++)
    if (finder->copies[k].place == place) return k - first;
  ECS_ASSERT(finder->copy_count < finder->copy_room);
  finder->copies[finder->copy_count++] = (RegionCopy){place, bytes};
  return finder->copy_count - 1 - first;
}

/* Has a step from first up to i written a place? */
static bool is_written(const Finder *finder, uint32_t place, uint32_t first,
                       uint32_t i) {
  for (uint32_t k = first; k < i; k++)
    if (finder->plan->steps[k].out == place ||
        (locates(&finder->plan->steps[k]) &&
         finder->plan->steps[k].operands[1] == place))
      return true;
  return false;
}

/* Copies the steps of a region, and has them read the places that its inputs
 * are gathered to. */
static void copy_steps(Finder *finder, PlanRegion *region) {
  const ProgramPlan *plan = finder->plan;
  region->steps = finder->step_count;
  region->inputs = finder->copy_count;
  for (uint32_t i = region->first; i < region->end; i++) {
    Step step = plan->steps[i];
    for (uint32_t k = 0; k < read_count(finder, &plan->steps[i]); k++) {
      uint32_t place = step.operands[k];
      bool single =
          place >= plan->register_count + finder->facts->program->column_count;
      if (single || is_written(finder, place, region->first, i) ||
          (is_register(finder, place) && finder->is_spread[place]))
        continue;
      step.operands[k] = plan->base_count +
                         add_copy(finder, region->inputs, place,
                                  operand_bytes(finder, &plan->steps[i], k));
    }
    /* A look-up that does not locate has its entities there. */
    if (instruction_is_look(step.ins))
      step.operands[2] =
          locates(&plan->steps[i]) ? step.operands[1] : step.operands[0];
    region->draws = region->draws || step.ins->operation == OPERATION_RANDOM;
    finder->steps[finder->step_count++] = step;
  }
  region->input_count = finder->copy_count - region->inputs;
}

static void list_outputs(Finder *finder, PlanRegion *region) {
  const ecs_Program *program = finder->facts->program;
  region->outputs = finder->copy_count;
  for (uint32_t i = region->end; i-- > region->first;) {
    const Step *step = &finder->plan->steps[i];
    if (is_written(finder, step->out, i + 1, region->end) ||
        !is_live(finder, step->out, region->end))
      continue;
    add_copy(finder, region->outputs, step->out,
             value_bytes((ValueType)program->types[step->ins->result]));
  }
  region->output_count = finder->copy_count - region->outputs;
}

/* Are the rows that look-ups found used only where they were found? */
static bool looks_stay(const Finder *finder, const PlanRegion *region) {
  for (uint32_t i = region->first; i < region->end; i++) {
    const Step *step = &finder->plan->steps[i];
    if (!instruction_is_look(step->ins)) continue;
    if (!locates(step) &&
        !is_written(finder, step->operands[1], region->first, i))
      return false;
    if (locates(step) &&
        !is_written(finder, step->operands[1], i + 1, region->end) &&
        is_live(finder, step->operands[1], region->end))
      return false;
  }
  return true;
}

/* Adds a region of steps, if it is worth it. */
static void add_region(Finder *finder, uint32_t first, uint32_t end,
                       uint32_t fact, uint32_t mask) {
  PlanRegion region = {
      .first = first, .end = end, .mask = mask, .truth = fact % 2};
  uint32_t steps = finder->step_count, copies = finder->copy_count, weight = 0;
  for (uint32_t i = first; i < end; i++)
    weight += weight_of(&finder->plan->steps[i]);
  if (weight < LEAST_WEIGHT || !looks_stay(finder, &region) ||
      finder->region_count == finder->region_room ||
      finder->step_count + (end - first) > finder->step_room)
    return;
  copy_steps(finder, &region);
  list_outputs(finder, &region);
  if (region.input_count <= MOST_INPUTS &&
      weight >= LEAST_WEIGHT + region.input_count + region.output_count) {
    finder->regions[finder->region_count++] = region;
    if (region.input_count > finder->most_inputs)
      finder->most_inputs = region.input_count;
    return;
  }
  finder->step_count = steps;
  finder->copy_count = copies;
}

/* The fact of the set with the value that was computed last, of those that
 * registers hold before step i; NO_VALUE: none. */
static uint32_t choose_fact(const Finder *finder, const FactSet *set,
                            uint32_t i, uint32_t *mask) {
  uint32_t chosen = NO_VALUE;
  for (uint32_t k = 0; k < set->count; k++) {
    uint32_t fact = set->facts[k], place = NO_VALUE;
    if (chosen != NO_VALUE && fact < chosen) continue;
    place = find_held(finder, fact / 2, i);
    if (place == NO_VALUE) continue;
    chosen = fact;
    *mask = place;
  }
  return chosen;
}

/* Finds regions among steps, apart from the facts that an outer region has. */
static void find_regions(Finder *finder, uint32_t first, uint32_t end,
                         const FactSet *outer, uint32_t depth) {
  for (uint32_t i = first, j; i < end; i = j) {
    FactSet common = {.all = true};
    j = i;
    for (; j < end && is_movable(finder, j); j++) {
      FactSet own = finder->needed[j], met = common;
      uint32_t kept = 0;
      for (uint32_t k = 0; k < own.count; k++)
        if (!set_has(outer, own.facts[k])) own.facts[kept++] = own.facts[k];
      own.count = (uint8_t)kept;
      set_meet(&met, &own);
      if (met.count == 0) break;
      common = met;
    }
    if (j == i) {
      j = i + 1;
      continue;
    }
    uint32_t mask = 0, fact = choose_fact(finder, &common, i, &mask);
    if (fact == NO_VALUE) {
      j = i + 1;
      continue;
    }
    add_region(finder, i, j, fact, mask);
    FactSet inner = *outer;
    for (uint32_t k = 0; k < common.count; k++)
      set_add(&inner, common.facts[k]);
    if (depth > 0) find_regions(finder, i, j, &inner, depth - 1);
  }
}

/* Memory ------------------------------------------------------------------- */

static size_t lay_finder(Finder *finder, char *block) {
  uint32_t registers = finder->plan->register_count;
  size_t used = 0;
  finder->uses = memory_lay(block, &used, registers, sizeof(FactSet));
  finder->needed =
      memory_lay(block, &used, finder->plan->step_count, sizeof(FactSet));
  finder->is_spread = memory_lay(block, &used, registers, sizeof(bool));
  finder->regions =
      memory_lay(block, &used, finder->region_room, sizeof(PlanRegion));
  finder->copies =
      memory_lay(block, &used, finder->copy_room, sizeof(RegionCopy));
  finder->steps = memory_lay(block, &used, finder->step_room, sizeof(Step));
  return used;
}

/* Lays the result; counts are those of the finder. */
static size_t lay_regions(const Finder *finder, PlanRegions *regions,
                          char *block) {
  size_t used = sizeof(PlanRegions);
  regions->list =
      memory_lay(block, &used, finder->region_count, sizeof(PlanRegion));
  regions->copies =
      memory_lay(block, &used, finder->copy_count, sizeof(RegionCopy));
  regions->steps = memory_lay(block, &used, finder->step_count, sizeof(Step));
  regions->registers =
      memory_lay(block, &used, (size_t)finder->most_inputs * LOOP_ROWS, 8);
  return used;
}

static ecs_Status keep_regions(const Finder *finder) {
  PlanRegions laid;
  size_t bytes = lay_regions(finder, &laid, NULL);
  PlanRegions *kept = memory_zeroed(finder->memory, 1, bytes);
  if (kept == NULL) return ECS_E_MEMORY;
  lay_regions(finder, kept, (char *)kept);
  kept->bytes = bytes;
  kept->count = finder->region_count;
  memcpy(kept->list, finder->regions, kept->count * sizeof(PlanRegion));
  memcpy(kept->copies, finder->copies, finder->copy_count * sizeof(RegionCopy));
  memcpy(kept->steps, finder->steps, finder->step_count * sizeof(Step));
  for (uint32_t k = 0; k < finder->most_inputs; k++)
    finder->plan->bases[finder->plan->base_count + k] =
        kept->registers + (size_t)k * LOOP_ROWS;
  finder->plan->regions = kept;
  for (uint32_t k = 0; k < kept->count; k++)
    if (kept->list[k].first >= finder->plan->split)
      plan_add_moving(finder->plan, kept->list[k].mask,
                      value_bytes(VALUE_BOOL));
  return ECS_OK;
}

ecs_Status regions_find(const ProgramFacts *facts, ProgramPlan *plan) {
  const FactSet none = {.count = 0};
  Finder finder = {.facts = facts,
                   .plan = plan,
                   .memory = &facts->program->query->store->memory,
                   .region_room = plan->step_count,
                   .step_room = (MOST_DEPTH + 1) * plan->step_count,
                   .copy_room = 4 * (MOST_DEPTH + 1) * plan->step_count};
  /* In a cycle the rows of a block change. */
  if (plan->register_count < 2 || plan->cycle_count > 0) return ECS_OK;
  finder.bytes = lay_finder(&finder, NULL) + 1;
  char *block = memory_zeroed(finder.memory, 1, finder.bytes);
  if (block == NULL) return ECS_E_MEMORY;
  lay_finder(&finder, block);
  for (uint32_t k = 0; k < plan->spread_count; k++)
    finder.is_spread[plan->spread[k].out] = true;
  find_all_needed(&finder);
  uint32_t middle =
      facts->program->changes_first ? plan->change_step : plan->step_count;
  uint32_t split = plan->split < middle ? plan->split : middle;
  find_regions(&finder, 0, split, &none, MOST_DEPTH);
  find_regions(&finder, split, middle, &none, MOST_DEPTH);
  find_regions(&finder, middle, plan->step_count, &none, MOST_DEPTH);
  ecs_Status status = finder.region_count > 0 ? keep_regions(&finder) : ECS_OK;
  memory_free(finder.memory, block, finder.bytes);
  return status;
}

/* Rows --------------------------------------------------------------------- */

#define GATHER(name, T)                                              \
  static void name(void *to, const void *from, const uint16_t *rows, \
                   uint32_t n) {                                     \
    for (uint32_t i = 0; i < n; i++)                                 \
      ((T *)to)[i] = ((const T *)from)[rows[i]];                     \
  }
GATHER(gather_1, uint8_t)
GATHER(gather_2, uint16_t)
GATHER(gather_4, uint32_t)
GATHER(gather_8, uint64_t)

static void gather_rows(void *to, const void *from, uint32_t bytes,
                        const uint16_t *rows, uint32_t n) {
  switch (bytes) {
    case 1: gather_1(to, from, rows, n); break;
    case 2: gather_2(to, from, rows, n); break;
    case 4: gather_4(to, from, rows, n); break;
    default: gather_8(to, from, rows, n); break;
  }
}

/* One row in so many is few. */
#define FEW 4u

uint32_t region_enter(const ProgramPlan *plan, const PlanRegion *region,
                      const ecs_Entity *entities, uint32_t rows) {
  PlanRegions *regions = plan->regions;
  const uint32_t *mask = plan->bases[region->mask];
  uint32_t n = 0, truth = region->truth;
  for (uint32_t i = 0; i < rows; i++) n += mask[i];
  if (!truth) n = rows - n;
  if (n > rows / FEW) return UINT32_MAX;
  if (n == 0) return 0;
  for (uint32_t i = 0, k = 0; i < rows; i++) {
    regions->rows[k] = (uint16_t)i;
    k += mask[i] == truth;
  }
  for (uint32_t k = 0; k < region->input_count; k++) {
    const RegionCopy *copy = &regions->copies[region->inputs + k];
    gather_rows(plan->bases[plan->base_count + k], plan->bases[copy->place],
                copy->bytes, regions->rows, n);
  }
  if (region->draws)
    gather_rows(regions->entities, entities, sizeof *entities, regions->rows,
                n);
  return n;
}

/* Row k of the few is no earlier row than k, so going backwards none is
 * overwritten before it is moved. */
void region_leave(const ProgramPlan *plan, const PlanRegion *region,
                  uint32_t n) {
  const PlanRegions *regions = plan->regions;
  for (uint32_t k = 0; k < region->output_count; k++) {
    const RegionCopy *copy = &regions->copies[region->outputs + k];
    void *values = plan->bases[copy->place];
    if (copy->bytes == 4)
      for (uint32_t i = n; i-- > 0;)
        ((uint32_t *)values)[regions->rows[i]] = ((uint32_t *)values)[i];
    else
      for (uint32_t i = n; i-- > 0;)
        ((uint64_t *)values)[regions->rows[i]] = ((uint64_t *)values)[i];
  }
}

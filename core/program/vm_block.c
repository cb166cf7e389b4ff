/* vm_block.c: runs the steps of a plan over the rows of a block. */
#include "program/vm_block.h"

#include "program/vm_arrays.h"
#include "program/vm_changes.h"
#include "program/vm_elements.h"
#include "program/vm_listed.h"
#include "program/vm_look.h"
#include "program/vm_near.h"
#include "program/vm_parallel.h"
#include "program/vm_puts.h"
#include "program/vm_regions.h"
#include "program/vm_row_steps.h"
#include "program/vm_turns.h"
#include "world/recorded.h"

/* Looking up -------------------------------------------------------------- */

static void look_alive(const Run *run, uint32_t *out,
                       const ecs_Entity *entities, uint32_t n) {
  const ecs_World *world = world_of(run->program->query);
  for (uint32_t i = 0; i < n; i++) out[i] = world_alive(world, entities[i]);
}

/* Runs has or get, over places that are known. */
static void look_at(const Run *run, const Instruction *ins, const RowId *places,
                    void *out, uint32_t n) {
  const Component *component = &run_store(run)->components.all[ins->index];
  if (ins->operation == OPERATION_HAS)
    look_has(places, out, n);
  else
    look_get(component, ins->field, (ValueType)ins->type, places, out, n);
}

/* Runs has or get: finds the places of the entities first, unless an earlier
 * step of the block has. */
static void look(const Run *run, const Step *step) {
  void *const *bases = run->plan->bases;
  const Component *component =
      &run_store(run)->components.all[step->ins->index];
  RowId *places = bases[step_places(step)];
  if (step_locates(step))
    look_locate(run_store(run), component, bases[step->operands[0]], places,
                run->rows);
  look_at(run, step->ins, places, bases[step->out], run->rows);
}

/* Runs a look-up of a single entity. */
static void look_once(const Run *run, const Step *step) {
  void *const *bases = run->plan->bases;
  const ecs_Entity *entity = bases[step->operands[0]];
  const Component *component =
      &run_store(run)->components.all[step->ins->index];
  RowId place;
  if (step->ins->operation == OPERATION_ALIVE) {
    look_alive(run, bases[step->out], entity, 1);
    return;
  }
  look_locate(run_store(run), component, entity, &place, 1);
  look_at(run, step->ins, &place, bases[step->out], 1);
}

static void draw(const Run *run, double *out, const double *draws) {
  ECS_ASSERT(run->entities != NULL);
  loop_random()(out, draws, run->entities, &run->call->random_key, run->rows);
}

/* May the step be one of a cycle, or before one? Then nothing is stored yet, and
 * the block can begin anew. */
static bool is_before_turns(const ProgramPlan *plan, const Step *step) {
  for (uint32_t c = 0; c < plan->cycle_count; c++)
    if (step < plan->steps + plan->cycles[c].after) return true;
  return false;
}

/* Asks a grid. After a failure, or where too many rows are near, nothing comes of
 * the block: the steps behind store nothing. */
static void ask_grid(Run *run, const Step *step) {
  const ecs_Program *program = run->program;
  NearBlock block = {
      .plan = run->plan,
      .call = run->call,
      .active = run->active,
      .rows = run->rows,
      .most = is_before_turns(run->plan, step) ? ECS_NEAR_ROWS : UINT32_MAX};
  ecs_Status status = near_run(program, &block, step);
  run->crowded = run->crowded || block.crowded;
  if (status == ECS_OK && !run->crowded) return;
  run->status = status;
  run->rows = 0;
}

/* Steps ------------------------------------------------------------------- */

/* Ends the block, and the run, before the first row that takes the exit; or has
 * all rows computed ahead. A bool is 0 or 1, of which one byte is 1. */
static void stop_before(Run *run, const uint32_t *taken) {
  uint32_t rows = run->rows, end;
  const char *first = memchr(taken, 1, rows * sizeof *taken);
  if (first == NULL) return;
  if (run->ahead != NULL) {
    ahead_begin(run->program, taken, run->entities, rows, run->rows_before,
                run->call->random_key);
    return;
  }
  run->rows = (uint32_t)((size_t)(first - (const char *)taken) / sizeof *taken);
  end = run->rows + 1;
  while (run->counts && end < rows && taken[end] != 0) end++;
  run->stopped = end - run->rows;
}

/* Looks elements up, or shows their keys: then nothing that comes of them is
 * used. */
static void look_key(const Run *run, const Instruction *ins, void *out,
                     const double *keys, uint32_t rows) {
  if (run->visit == NULL || ins->index < run->filled)
    array_look(ins, &run->call->arrays[ins->index], out, keys, rows);
  else if (run->plan->keys_follow[ins->index] <= run->filled)
    run->visit(run->user, ins->index, keys, rows);
}

static void index_keys(const Run *run, const Step *step, uint32_t rows) {
  void *const *bases = run->plan->bases;
  const double *z =
      step->ins->operands[2] == NO_VALUE ? NULL : bases[step->operands[2]];
  array_index(&run->call->arrays[step->ins->index], bases[step->out],
              bases[step->operands[0]], bases[step->operands[1]], z, rows);
}

/* Adds what the block's rows contribute in these steps to reductions. */
static void add_sums(const Run *run, const Step *steps, uint32_t count) {
  const SumRows rows = {run->late, run->sums, run->rows_before, run->rows};
  sums_add(&rows, steps, count);
}

/* Runs a step without a loop, for each row of a block. */
static void run_special(Run *run, const Step *step) {
  const ProgramPlan *plan = run->plan;
  const Instruction *ins = step->ins;
  void *out = plan->bases[step->out];
  const void *first = plan->bases[step->operands[0]];
  uint32_t there = first != NULL;
  switch (instruction_shape(ins)) {
    case SHAPE_PRESENT:
      loop_fill(VALUE_BOOL)(out, &there, NULL, NULL, run->rows);
      break;
    case SHAPE_SELF:
      memcpy(out, run->entities, run->rows * sizeof(ecs_Entity));
      break;
    case SHAPE_ELEMENT:
      elements_read(run->program, plan, step, run->rows);
      break;
    case SHAPE_SCATTER:
      elements_store(run->program, plan, step, run->rows);
      break;
    case SHAPE_INDEX: index_keys(run, step, run->rows); break;
    case SHAPE_AT:
    case SHAPE_INSIDE: look_key(run, ins, out, first, run->rows); break;
    case SHAPE_ALIVE: look_alive(run, out, first, run->rows); break;
    case SHAPE_HAS:
    case SHAPE_GET: look(run, step); break;
    case SHAPE_RANDOM: draw(run, out, first); break;
    case SHAPE_NEAR:
    case SHAPE_NEAREST:
    case SHAPE_ANY:
    case SHAPE_NTH:
    case SHAPE_FOUND:
    case SHAPE_FOUND_GET: ask_grid(run, step); break;
    case SHAPE_REDUCE: add_sums(run, step, 1); break;
    case SHAPE_EXIT: stop_before(run, first); break;
    default: break;
  }
}

/* If the step loads or stores an absent column, returns true: a load then gives
 * zeros, and a store does nothing. */
static bool skip_absent(const Run *run, const Step *step) {
  const ProgramPlan *plan = run->plan;
  OperationShape shape = instruction_shape(step->ins);
  if (shape == SHAPE_STORE) return plan->bases[step->out] == NULL;
  if (shape != SHAPE_LOAD || plan->bases[step->operands[0]] != NULL)
    return false;
  memset(plan->bases[step->out], 0,
         (size_t)run->rows * value_bytes((ValueType)step->ins->type));
  return true;
}

static inline void run_step(Run *run, const ProgramPlan *plan,
                            const Step *step) {
  void *const *bases = plan->bases;
  void *out = bases[step->out];
  const void *first = bases[step->operands[0]];
  ECS_ASSERT(step->out < plan->base_count);
  if (step->loop == NULL)
    run_special(run, step);
  else if ((out != NULL && first != NULL) || !skip_absent(run, step))
    step->loop(out, first, bases[step->operands[1]], bases[step->operands[2]],
               run->rows);
}

/* Runs the steps of a region for the rows that need it, if they are few. */
static bool run_region(Run *run, const PlanRegion *region) {
  const ProgramPlan *plan = run->plan;
  uint32_t rows = run->rows;
  const ecs_Entity *entities = run->entities;
  uint32_t few = region_enter(plan, region, entities, rows);
  if (few == UINT32_MAX) return false;
  if (few == 0) return true;
  run->rows = few;
  if (region->draws) run->entities = plan->regions->entities;
  for (uint32_t k = 0; k < region->end - region->first; k++)
    run_step(run, plan, &plan->regions->steps[region->steps + k]);
  run->rows = rows;
  run->entities = entities;
  region_leave(plan, region, few);
  return true;
}

/* Runs steps from first up to end, and regions where few rows need them. */
static void run_steps(Run *run, uint32_t first, uint32_t end) {
  const ProgramPlan *plan = run->plan;
  const PlanRegion *region = NULL, *last = NULL;
  if (plan->regions != NULL) {
    region = plan->regions->list;
    last = region + plan->regions->count;
  }
  for (uint32_t k = first; k < end;) {
    while (region != last && region->first < k) region++;
    bool done = false;
    for (; region != last && region->first == k && !done; region++)
      if ((done = run_region(run, region))) k = region->end;
    if (!done) run_step(run, plan, &plan->steps[k++]);
  }
}

/* The first step from k on that is one of a cycle's frame, or the last one's
 * end. */
static uint32_t next_turn(const ProgramPlan *plan, uint32_t k, uint32_t end) {
  while (k < end && !instruction_is_turn(plan->steps[k].ins)) k++;
  return k;
}

/* A cycle makes too many turns in the row of the block. */
static void note_endless(Run *run, uint32_t cycle) {
  const ProgramPlan *plan = run->plan;
  const Step *repeat = &plan->steps[plan->cycles[cycle].first - 1];
  run->status = ECS_E_TURNS;
  if (run->call->stop != NULL)
    *run->call->stop = (ecs_ProgramStop){run->rows_before, 0, run->entities[0],
                                         repeat->ins->line};
}

/* A block of so many rows has made many turns, or has many rows near, or one row
 * has made too many turns: it begins anew, row by row, with the exit that it may
 * have found. In a row that goes alone a turn costs 17 to 50 times as much as in
 * one of many. So where the first such row makes many turns and ends, blocks may
 * make as many as a row. Only where one of them makes more, all of its rows go
 * alone: none with others again (all). */
static void begin_alone(Run *run, uint32_t rows, bool all) {
  run->alone = rows;
  run->all_alone = all;
  run->long_turns = false;
  run->rows = 0;
  run->stopped = 0;
  run->crowded = false;
}

/* A row alone has made so many turns. */
static void end_alone(Run *run, uint32_t turns) {
  run->alone--;
  if (run->all_alone || turns <= ECS_JOINT_TURNS) return;
  run->long_turns = true;
  run->alone = 0;
}

/* Runs the first steps of a program with cycles, all cycles among them. False:
 * nothing has been stored of this block, and nothing is to be. */
static bool run_turns(Run *run, uint32_t step_count) {
  const ProgramPlan *plan = run->plan;
  uint32_t rows = run->rows;
  bool may_be_long = rows == 1 || run->long_turns;
  uint32_t most = may_be_long ? ECS_TURN_LIMIT : ECS_JOINT_TURNS;
  Turns turns = {.cycle = NO_VALUE};
  for (uint32_t k = 0; k < step_count;) {
    uint32_t end = next_turn(plan, k, step_count), cycle = turns.cycle;
    run->active =
        cycle == NO_VALUE ? NULL : plan->bases[plan->cycles[cycle].active];
    run_steps(run, k, end);
    if (run->status != ECS_OK) return false;
    if (run->crowded) {
      begin_alone(run, rows, true);
      return false;
    }
    k = end < step_count ? turns_step(&turns, plan, end, &run->rows) : end;
    if (turns.made <= most) continue;
    if (rows == 1) note_endless(run, cycle);
    begin_alone(run, rows, may_be_long);
    return false;
  }
  run->active = NULL;
  if (run->alone > 0) end_alone(run, turns.made);
  return true;
}

/* A column of a block that kernel_binding.h gave. NULL: it is absent. */
static inline char *column_of(const ecs_Program *program,
                              const ecs_KernelBlock *block, uint32_t c) {
  char *column = block->columns[c];
  ECS_ASSERT(column != NULL || access_is_optional(program->columns[c].access));
  (void)program;
  return column;
}

/* Sets the bases of columns to a row of a block. */
static void point_at_columns(const Run *run, const ecs_KernelBlock *block,
                             uint32_t first) {
  const ecs_Program *program = run->program;
  void **places = &run->plan->bases[plan_column(run->plan, 0)];
  for (uint32_t c = 0; c < program->column_count && first == 0; c++)
    places[c] = column_of(program, block, c);
  for (uint32_t c = 0; c < program->column_count && first > 0; c++) {
    char *column = column_of(program, block, c);
    size_t bytes = scalar_bytes(program->columns[c].type);
    places[c] = column == NULL ? NULL : column + first * bytes;
  }
}

/* Makes the changes that come first, up to a row that cannot be changed, or
 * behind one that others see changed. Then the block has no exit yet. */
static void make_changes(Run *run) {
  bool stops = false;
  uint32_t rows = run->rows;
  run->rows =
      changes_run(run->program, run->entities, run->rows, &stops, &run->status);
  if (run->rows < rows) run->stopped = stops;
}

/* Computes fewer rows ahead where a block ended early, and more again where none
 * did. */
void block_adapt_reach(Run *run, uint32_t asked) {
  uint32_t most = run->largest;
  if (run->rows < asked)
    run->most =
        run->most / 2 < BLOCK_LEAST_REACH ? BLOCK_LEAST_REACH : run->most / 2;
  else
    run->most = run->most > most / 2 ? most : run->most * 2;
  if (run->most > most) run->most = most;
}

/* Does, for the block's rows, what comes behind its steps. */
void block_end_rows(Run *run, bool changed) {
  const ProgramPlan *plan = run->plan;
  if (plan->sum_count > 0) add_sums(run, plan->sums, plan->sum_count);
  if (plan->put_count > 0 && !(run->sees && plan->slices))
    puts_run(plan, run->call, run->late, run->rows);
  if (plan->change_count > 0 && !changed) listed_add(run);
  ECS_ASSERT(run->change_count <= run->change_capacity);
  run->rows_before += run->rows;
}

/* The step before which changes are made. */
static uint32_t step_of_changes(const Run *run) {
  return run->program->changes_first ? run->plan->change_step
                                     : run->plan->step_count;
}

/* Runs steps from first on, and what is changed among them. */
static void run_rest(Run *run, uint32_t first) {
  uint32_t before = step_of_changes(run);
  run_steps(run, first, before);
  if (run->program->changes_first) make_changes(run);
  run_steps(run, before, run->plan->step_count);
}

/* A slice of fewer rows is short: behind it, so many rows are run row by row. */
#define SHORT_SLICE 4u
#define ROWS_ALONE 64u

/* May slices of the block be run row by row? */
static bool may_run_rows(const Run *run) {
  return !run->program->changes_first && run->ahead == NULL &&
         !program_goes_row_by_row(run->program);
}

/* Runs the next slice of the block, from a row on, of which so many are left. A
 * slice may end early, and then takes the exit. */
static void run_slice(Run *run, uint32_t slice) {
  const ProgramPlan *plan = run->plan;
  run->rows = slice;
  run_rest(run, plan->split);
  puts_run(plan, run->call, plan->bases, run->rows);
}

/* The same row by row, which begins at that row of those that were found. */
static void run_one_by_one(Run *run, const RowSteps *steps, uint32_t first,
                           uint32_t slice) {
  run->rows = row_steps_run(steps, first, first + slice) - first;
  if (run->rows < slice) run->stopped = 1;
}

/* Runs the steps that see what rows put, slice by slice. A slice may end early,
 * and the block with it. */
static void run_slices(Run *run) {
  const ProgramPlan *plan = run->plan;
  const ecs_Entity *entities = run->entities;
  uint32_t rows = run->rows, done = 0, slice = 0;
  bool one = program_goes_row_by_row(run->program); /* others see its changes */
  bool may = may_run_rows(run), alone = false;
  uint64_t stopped = run->stopped; /* before the row behind the block */
  ProgramMeetings *meetings = &run->program->meetings;
  RowSteps steps;
  uint32_t found = rows; /* row for which the steps were found; rows: not yet */
  ECS_ASSERT(rows <= LOOP_ROWS && run->late == plan->bases);
  run->stopped = 0;
  for (bool whole = true; whole && done < rows; done += run->rows) {
    if (alone && found == rows) {
      row_steps_find(&steps, plan, run->call);
      found = done;
      alone = may = steps.count > 0;
    }
    if (alone) {
      slice = rows - done < ROWS_ALONE ? rows - done : ROWS_ALONE;
      run_one_by_one(run, &steps, done - found, slice);
    } else {
      slice = puts_slice(plan, rows - done);
      run_slice(run, slice);
    }
    ECS_ASSERT(slice > 0 && slice <= rows - done);
    if (alone || slice == 1)
      meetings->alone += run->rows;
    else
      meetings->slices++;
    whole = run->rows == slice && run->status == ECS_OK && !one;
    puts_move(plan, (int32_t)run->rows);
    if (entities != NULL) run->entities += run->rows;
    alone = may && !alone && slice < SHORT_SLICE;
  }
  puts_move(plan, -(int32_t)done);
  run->entities = entities;
  run->rows = done;
  meetings->rows += done;
  if (done == rows) run->stopped = stopped;
}

/* Counts the rows of a block that sees what it puts, and is one row. */
static void count_alone(const Run *run) {
  run->program->meetings.rows += run->rows;
  run->program->meetings.alone += run->rows;
}

/* Runs all steps of a block. A block that is computed ahead has no rows yet. */
ECS_APART static void run_whole_block(Run *run) {
  const ProgramPlan *plan = run->plan;
  uint32_t asked = run->rows;
  bool first = run->program->changes_first, slices = run->sees && plan->slices;
  uint32_t before = slices ? plan->split : step_of_changes(run);
  if (plan->cycle_count == 0)
    run_steps(run, 0, before);
  else if (!run_turns(run, before))
    return;
  if (slices) {
    run_slices(run);
  } else {
    run_rest(run, before);
    if (run->sees) count_alone(run);
  }
  if (run->ahead != NULL && run->ahead->rows > 0) {
    run->rows = 0;
    return;
  }
  block_end_rows(run, first);
  if (run->program->exits || first) block_adapt_reach(run, asked);
}

void block_run(Run *run, const ecs_KernelBlock *block, uint32_t first_row) {
  const ProgramPlan *plan = run->plan;
  uint32_t left = block->count - first_row;
  uint32_t most = run->alone > 0 ? 1 : run->most;
  run->rows = left < most ? left : most;
  ECS_ASSERT(first_row < block->count && run->rows > 0);
  ECS_ASSERT(plan->register_count == 1 || run->rows <= LOOP_ROWS);
  run->entities = block->entities == NULL ? NULL : block->entities + first_row;
  point_at_columns(run, block, first_row);
  if (run->visit != NULL) {
    for (uint32_t v = 0; v < plan->visit_count; v++)
      if (plan->visit_follows[v] <= run->filled)
        run_step(run, plan, &plan->visits[v]);
  } else {
    run_whole_block(run);
  }
}

/* A uniform may be any double. A NaN loses its payload here, as arithmetic
 * could carry the payload into a column. */
static void store_single(ValueType type, void *place, double number) {
  uint32_t truth = number != 0.0;
  switch (type) {
    case VALUE_F32: ecs_scalar_convert(ECS_F32, place, number); break;
    case VALUE_F64: ecs_scalar_convert(ECS_F64, place, number); break;
    case VALUE_BOOL: memcpy(place, &truth, sizeof truth); break;
    case VALUE_WHOLE: ecs_scalar_convert(ECS_I32, place, number); break;
    case VALUE_NATURAL: ecs_scalar_convert(ECS_U32, place, number); break;
    default: ecs_scalar_convert(ECS_ENTITY, place, number); break;
  }
}

/* In a visit, the array may not be there yet: then no visited key follows from
 * the result. */
static void index_once(const Run *run, const Step *step) {
  if (run->visit == NULL || step->ins->index < run->filled)
    index_keys(run, step, 1);
}

/* Computes single values, and spreads some of them over registers. */
void block_once(const Run *run) {
  const ProgramPlan *plan = run->plan;
  for (uint32_t k = 0; k < plan->once_count; k++) {
    const Step *step = &plan->once[k];
    const Instruction *ins = step->ins;
    void *out = plan->bases[step->out];
    if (ins->operation == OPERATION_CONSTANT)
      store_single((ValueType)ins->type, out, ins->constant);
    else if (ins->operation == OPERATION_UNIFORM)
      store_single((ValueType)ins->type, out, run->call->uniforms[ins->index]);
    else if (instruction_shape(ins) == SHAPE_INDEX)
      index_once(run, step);
    else if (instruction_shape(ins) == SHAPE_AT ||
             instruction_shape(ins) == SHAPE_INSIDE)
      look_key(run, ins, out, plan->bases[step->operands[0]], 1);
    else if (step->loop == NULL)
      look_once(run, step);
    else
      step->loop(out, plan->bases[step->operands[0]],
                 plan->bases[step->operands[1]], plan->bases[step->operands[2]],
                 1);
  }
  for (uint32_t k = 0; k < plan->spread_count; k++) {
    const Step *step = &plan->spread[k];
    step->loop(plan->bases[step->out], plan->bases[step->operands[0]], NULL,
               NULL, LOOP_ROWS);
  }
}

/* Finds out whether the run puts in arrays that it reads, and how many rows a
 * block may have. */
void block_see_puts(Run *run) {
  const ProgramPlan *plan = run->plan;
  run->sees = plan->put_count > 0 && puts_watch(plan, run->call);
  run->largest = run->sees && !plan->slices ? 1 : plan->block_rows;
  run->most = run->largest;
}

/* Has blocks of such columns run by their own plan, if they have one. */
void block_use_plan(Run *run, Presence presence) {
  run->plan = parallel_plan(run->program, run->worker, presence);
  run->late = run->plan->bases;
  block_see_puts(run);
  if ((run->begun & 1u << presence) != 0) return;
  run->begun |= (uint8_t)(1u << presence);
  block_once(run);
}

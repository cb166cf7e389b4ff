/* vm.c: runs kernel programs, block by block. */
#include "program/vm.h"

#include "base/float_mode.h"
#include "base/misuse.h"
#include "base/workers.h"
#include "change/list_change.h"
#include "world/deferral.h"
#include "world/deferred_change.h"

#include "program/program_presence.h"
#include "program/vm_ahead.h"
#include "program/vm_arrays.h"
#include "program/vm_changes.h"
#include "program/vm_elements.h"
#include "program/vm_look.h"
#include "program/vm_near.h"
#include "program/vm_parallel.h"
#include "program/vm_planner.h"
#include "program/vm_puts.h"
#include "program/vm_regions.h"
#include "program/vm_row_steps.h"
#include "program/vm_rows.h"
#include "program/vm_sifting.h"
#include "program/vm_sums.h"
#include "program/vm_turns.h"
#include "query/opened.h"

/* A change of structure, listed until every row has run, then recorded. */
typedef struct RecordedChange {
  ecs_Entity entity;
  const Instruction *ins; /* borrowed from the program */
} RecordedChange;

/* One run of a program. */
typedef struct Run {
  ecs_Program *program;        /* borrowed */
  const ProgramPlan *plan;     /* of the present block */
  const ecs_ProgramCall *call; /* borrowed */
  const ecs_Entity *entities;  /* one per row, borrowed; NULL: not needed */
  Reduction *sums;             /* one per reduction, owned */
  RecordedChange *changes;     /* not recorded yet, owned */
  bool *kept;                  /* see program_run; NULL: nothing is kept */
  uint32_t change_count;
  uint32_t change_capacity;
  uint32_t rows;        /* of the present block */
  uint32_t threads;     /* that it may have */
  uint32_t worker;      /* whose plans it uses; 0: the caller's */
  uint64_t rows_before; /* of all earlier blocks, those left out among them */
  uint64_t left_out; /* rows at the beginning that are still to be left out */
  uint64_t stopped;  /* so many rows, from row rows_before on, take the exit */
  bool counts;       /* count all that take it, as long as the uniforms stay */
  uint32_t most;     /* rows of a block, at present */
  uint32_t largest;  /* at any time */
  bool sees;         /* it puts in an array that it reads: blocks are run in
                        slices, where the plan can; otherwise they are one row */
  uint8_t begun;     /* bit Presence: single values of its plan are computed */
  uint32_t alone;    /* so many of the next rows are blocks of their own */
  bool enduring;     /* a block may make as many turns as a row; with alone: it
                        made more */
  void *const *late; /* bases of the operands of sums and changes */
  ProgramAhead *ahead; /* NULL: nothing is computed behind an exit */
  ecs_Status status;   /* of listing and recording changes, and of asking grids;
                          or ECS_E_TURNS */
  const uint32_t *active; /* rows of the block that are in the innermost cycle;
                             NULL: all */
  bool crowded;           /* its rows are near more than a block has room for */
  ProgramVisit visit;     /* NULL: it is no visit */
  uint32_t filled;        /* in a visit, so many of the first arrays are */
  void *user;             /* of visit */
} Run;

static Store *store_of(const Run *run) { return run->program->query->store; }

/* Looking up -------------------------------------------------------------- */

static void look_alive(const Run *run, uint32_t *out,
                       const ecs_Entity *entities, uint32_t n) {
  const ecs_World *world = world_of(run->program->query);
  for (uint32_t i = 0; i < n; i++) out[i] = world_alive(world, entities[i]);
}

/* Runs has or get, over places that are known. */
static void look_at(const Run *run, const Instruction *ins, const RowId *places,
                    void *out, uint32_t n) {
  const Component *component = &store_of(run)->components.all[ins->index];
  if (ins->operation == OPERATION_HAS)
    look_has(places, out, n);
  else
    look_get(component, ins->field, (ValueType)ins->type, places, out, n);
}

/* Runs has or get: finds the places of the entities first, unless an earlier
 * step of the block has. */
static void look(const Run *run, const Step *step) {
  void *const *bases = run->plan->bases;
  const Component *component = &store_of(run)->components.all[step->ins->index];
  RowId *places = bases[step_places(step)];
  if (step_locates(step))
    look_locate(store_of(run), component, bases[step->operands[0]], places,
                run->rows);
  look_at(run, step->ins, places, bases[step->out], run->rows);
}

/* Runs a look-up of a single entity. */
static void look_once(const Run *run, const Step *step) {
  void *const *bases = run->plan->bases;
  const ecs_Entity *entity = bases[step->operands[0]];
  const Component *component = &store_of(run)->components.all[step->ins->index];
  RowId place;
  if (step->ins->operation == OPERATION_ALIVE) {
    look_alive(run, bases[step->out], entity, 1);
    return;
  }
  look_locate(store_of(run), component, entity, &place, 1);
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

/* Changes ----------------------------------------------------------------- */

/* Makes room for so many changes more. */
static bool reserve_changes(Run *run, uint32_t count) {
  void *changes = run->changes;
  if (run->status != ECS_OK) return false;
  if (!memory_grow(&store_of(run)->memory, &changes, &run->change_capacity,
                   run->change_count, count, sizeof(RecordedChange)))
    run->status = ECS_E_MEMORY;
  run->changes = changes;
  return run->status == ECS_OK;
}

static const uint32_t *mask_of(const Run *run, const Step *step) {
  if (step->ins->operands[0] == NO_VALUE) return NULL;
  return run->late[step->operands[0]];
}

/* Lists the change of a program that makes no other. Where rows have it one by
 * one, each row is written, and counts if it is meant. */
static void list_single(Run *run, const Step *step) {
  const uint32_t *mask = mask_of(run, step);
  RecordedChange *next = run->changes + run->change_count;
  uint32_t rows = run->rows;
  for (uint32_t i = mask == NULL ? 0 : mask_next(mask, 0, rows); i < rows;
       i = mask == NULL ? i : mask_next(mask, i, rows)) {
    uint32_t end = rows - i < WORD_BITS ? rows : i + WORD_BITS;
    for (; i < end; i++) {
      *next = (RecordedChange){run->entities[i], step->ins};
      next += mask == NULL ? 1 : mask[i];
    }
  }
  run->change_count = (uint32_t)(next - run->changes);
}

/* The first row from row i on that a change is meant for; the number of rows:
 * there is none. */
static uint32_t next_changed(const Run *run, uint32_t i) {
  const ProgramPlan *plan = run->plan;
  uint32_t next = run->rows;
  for (uint32_t k = 0; k < plan->change_count && next > i; k++) {
    const uint32_t *mask = mask_of(run, &plan->changes[k]);
    next = mask == NULL ? i : mask_next(mask, i, next);
  }
  return next;
}

/* Lists the changes of a row in the order of the program. */
static void list_row(Run *run, uint32_t i) {
  const ProgramPlan *plan = run->plan;
  for (uint32_t k = 0; k < plan->change_count; k++) {
    const uint32_t *mask = mask_of(run, &plan->changes[k]);
    if (mask != NULL && mask[i] == 0) continue;
    run->changes[run->change_count++] =
        (RecordedChange){run->entities[i], plan->changes[k].ins};
  }
}

/* Lists changes row by row. Rows without a change are passed over many at a
 * time. */
static void list_changes(Run *run) {
  const ProgramPlan *plan = run->plan;
  ECS_ASSERT(run->entities != NULL);
  if (next_changed(run, 0) == run->rows) return;
  if (!reserve_changes(run, run->rows * plan->change_count + 1)) return;
  if (plan->change_count == 1) {
    list_single(run, plan->changes);
    return;
  }
  for (uint32_t end = 0; end < run->rows;) {
    uint32_t i = next_changed(run, end);
    end = run->rows - i < WORD_BITS ? run->rows : i + WORD_BITS;
    for (; i < end; i++) list_row(run, i);
  }
}

static ecs_Status record(ecs_World *world, const RecordedChange *change) {
  ecs_Status status = ECS_OK;
  switch (change->ins->operation) {
    case OPERATION_DESTROY:
      status = deferred_destroy(world, change->entity);
      break;
    case OPERATION_ADD:
      status = deferred_add(world, change->entity, change->ins->index, NULL);
      break;
    default:
      status = deferred_remove(world, change->entity, change->ins->index);
      break;
  }
  /* The row may be gone by now: destroyed by the same program. */
  return status == ECS_E_DEAD ? ECS_OK : status;
}

/* Records the changes that are listed. A level of deferral is open. */
static void record_changes(Run *run) {
  ecs_World *world = world_of(run->program->query);
  for (uint32_t k = 0; run->status == ECS_OK && k < run->change_count; k++)
    run->status = record(world, &run->changes[k]);
  run->change_count = 0;
}

/* Is what is listed one change of many entities, and all that closing the
 * outermost level would apply? */
static bool is_list(const Run *run) {
  const ecs_World *world = world_of(run->program->query);
  if (run->change_count == 0 || world->depth > 1 ||
      world->commands.entity_count > 0)
    return false;
  const Instruction *first = run->changes->ins;
  const Component *component = &world->store.components.all[first->index];
  bool noticed =
      first->operation == OPERATION_REMOVE ? component->noticed
      : first->operation == OPERATION_ADD
          ? component->observed || component->need_count > 0
          : world->observers.asks_deaths || world_has_links(&world->links);
  if (noticed) return false;
  for (uint32_t k = 1; k < run->change_count; k++)
    if (run->changes[k].ins->operation != first->operation ||
        run->changes[k].ins->index != first->index)
      return false;
  return true;
}

/* A list that has no room is recorded after all, and kept. */
static ecs_Status keep_list(const Run *run, const Instruction *ins,
                            const ecs_Entity *entities, uint32_t count) {
  ecs_World *world = world_of(run->program->query);
  ecs_Status status = deferral_open(world);
  ECS_ASSERT(status == ECS_OK && world->depth == 1);
  for (uint32_t k = 0; status == ECS_OK && k < count; k++)
    status = record(world, &(RecordedChange){entities[k], ins});
  if (status == ECS_OK) {
    world->deferrals++;
    *run->kept = true;
  } else {
    deferral_discard(world);
  }
  return ECS_E_MEMORY;
}

/* Closes the level and applies such a list, whole or not at all, as if it had
 * been recorded, but without a record for each. The entities take the place of
 * the list. */
static ecs_Status apply_list(Run *run) {
  Store *store = store_of(run);
  const Instruction *ins = run->changes->ins;
  uint32_t count = run->change_count, found = 0;
  ecs_Entity *entities = (ecs_Entity *)(void *)run->changes;
  for (uint32_t k = 0; k < count; k++)
    memmove(&entities[k], &run->changes[k].entity, sizeof *entities);
  ecs_Status status = deferral_close(world_of(run->program->query));
  ECS_ASSERT(status == ECS_OK); /* nothing was recorded */
  if (ins->operation == OPERATION_ADD)
    status = list_add(store, entities, count, ins->index, NULL, &found);
  else if (ins->operation == OPERATION_REMOVE)
    status = list_remove(store, entities, count, ins->index, &found);
  else
    list_destroy(store, entities, count, &found);
  if (status == ECS_E_MEMORY && run->kept != NULL)
    return keep_list(run, ins, entities, count);
  return status;
}

/* Closes the level and applies what is recorded. */
static ecs_Status apply_recorded(const Run *run) {
  ecs_World *world = world_of(run->program->query);
  if (run->kept == NULL) return deferral_close(world);
  ecs_Status status = deferral_close_kept(world);
  *run->kept = status == ECS_E_MEMORY;
  return status;
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
 * alone. */
static void begin_alone(Run *run, uint32_t rows) {
  run->alone = rows;
  run->rows = 0;
  run->stopped = 0;
  run->crowded = false;
}

/* A row alone has made so many turns. */
static void end_alone(Run *run, uint32_t turns) {
  run->alone--;
  if (run->enduring) {
    run->enduring = run->alone > 0;
  } else if (turns > ECS_JOINT_TURNS) {
    run->enduring = true;
    run->alone = 0;
  }
}

/* Runs the first steps of a program with cycles, all cycles among them. False:
 * nothing has been stored of this block, and nothing is to be. */
static bool run_turns(Run *run, uint32_t step_count) {
  const ProgramPlan *plan = run->plan;
  uint32_t rows = run->rows;
  bool joint = rows > 1 && !run->enduring;
  uint32_t most = joint ? ECS_JOINT_TURNS : ECS_TURN_LIMIT;
  Turns turns = {.cycle = NO_VALUE};
  for (uint32_t k = 0; k < step_count;) {
    uint32_t end = next_turn(plan, k, step_count), cycle = turns.cycle;
    run->active =
        cycle == NO_VALUE ? NULL : plan->bases[plan->cycles[cycle].active];
    run_steps(run, k, end);
    if (run->status != ECS_OK) return false;
    if (run->crowded) {
      begin_alone(run, rows);
      return false;
    }
    k = end < step_count ? turns_step(&turns, plan, end, &run->rows) : end;
    if (turns.made <= most) continue;
    if (rows == 1) note_endless(run, cycle);
    begin_alone(run, rows);
    run->enduring = !joint;
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

/* The fewest rows that are computed ahead. */
#define LEAST_REACH 16u

/* Computes fewer rows ahead where a block ended early, and more again where none
 * did. */
static void adapt_reach(Run *run, uint32_t asked) {
  uint32_t most = run->largest;
  if (run->rows < asked)
    run->most = run->most / 2 < LEAST_REACH ? LEAST_REACH : run->most / 2;
  else
    run->most = run->most > most / 2 ? most : run->most * 2;
  if (run->most > most) run->most = most;
}

/* Does, for the block's rows, what comes behind its steps. */
static void end_rows(Run *run, bool changed) {
  const ProgramPlan *plan = run->plan;
  if (plan->sum_count > 0) add_sums(run, plan->sums, plan->sum_count);
  if (plan->put_count > 0 && !(run->sees && plan->slices))
    puts_run(plan, run->call, run->late, run->rows);
  if (plan->change_count > 0 && !changed) list_changes(run);
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
  end_rows(run, first);
  if (run->program->exits || first) adapt_reach(run, asked);
}

static void run_block(Run *run, const ecs_KernelBlock *block,
                      uint32_t first_row) {
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
static void run_once(const Run *run) {
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
static void see_puts(Run *run) {
  const ProgramPlan *plan = run->plan;
  run->sees = plan->put_count > 0 && puts_watch(plan, run->call);
  run->largest = run->sees && !plan->slices ? 1 : plan->block_rows;
  run->most = run->largest;
}

/* Has blocks of such columns run by their own plan, if they have one. */
static void use_plan(Run *run, Presence presence) {
  run->plan = parallel_plan(run->program, run->worker, presence);
  run->late = run->plan->bases;
  see_puts(run);
  if ((run->begun & 1u << presence) != 0) return;
  run->begun |= (uint8_t)(1u << presence);
  run_once(run);
}

/* Is a block run by another plan if other columns are there? A visit is not. */
static bool has_plans(const Run *run) {
  return run->program->assumed[0] != NULL && run->visit == NULL;
}

/* How many rows of the next block are left out. */
static uint32_t leave_out(Run *run, uint32_t count) {
  if (count > run->left_out) count = (uint32_t)run->left_out;
  run->left_out -= count;
  return count;
}

/* Threads ----------------------------------------------------------------- */

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
    if (has_plans(run)) use_plan(run, presence_of(run->program, &block));
    for (uint32_t i = (uint32_t)(first - walk->before); i < block.count;
         i += run->rows)
      run_block(run, &block, i);
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
  if (!has_plans(&run)) use_plan(&run, SOME_THERE);
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
static bool run_shared(Run *run, const ecs_KernelCall *call) {
  ecs_Program *program = run->program;
  Memory *memory = &program->query->store->memory;
  SharedRun shared = {.run = run, .call = call};
  for (uint32_t k = 0; k < call->block_count; k++)
    shared.rows += call->blocks[k].count;
  uint32_t threads = parallel_threads(program, shared.rows, run->threads);
  if (threads < 2) return false;
  shared.unit_rows = parallel_unit_rows(program, shared.rows);
  shared.begun[0] = has_plans(run) ? run->begun : 1u << SOME_THERE;
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

static void run_blocks(const ecs_KernelCall *call) {
  Run *run = call->user;
  if (run->threads > 1 && run_shared(run, call)) return;
  for (uint32_t k = 0; k < call->block_count; k++) {
    uint32_t count = call->blocks[k].count;
    if (has_plans(run))
      use_plan(run, presence_of(run->program, &call->blocks[k]));
    for (uint32_t i = leave_out(run, count); i < count; i += run->rows) {
      if (run->stopped > 0 || run->status != ECS_OK) return;
      run_block(run, &call->blocks[k], i);
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
  if (has_plans(run)) use_plan(run, presence_of(program, &block));
  for (uint32_t first = 0; first < table->count; first += rows.count) {
    sifting_keep(program, table, &block, first, &rows);
    if (rows.chosen == 0) continue;
    for (uint32_t i = 0; i < rows.count; i += run->rows) {
      run->most = rows.count - i;
      if (run->most > run->plan->block_rows) run->most = run->plan->block_rows;
      run_block(run, &block, first + i);
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
  if (status == ECS_OK && is_list(run)) return apply_list(run);
  if (status == ECS_OK) record_changes(run);
  if (status == ECS_OK) status = run->status;
  if (status == ECS_OK) return apply_recorded(run);
  deferral_discard(world);
  return status;
}

/* So many sums are kept on the stack while a program runs. */
#define FEW_SUMS 4u

ecs_Status program_run(ecs_Program *program, const ecs_ProgramCall *call,
                       bool *kept) {
  Memory *memory = &program->query->store->memory;
  uint32_t sums = program->reduction_count;
  ECS_ASSERT(call->uniform_count == program->uniform_count);
  ECS_ASSERT(call->reduction_count == sums);
  ECS_ASSERT(call->array_count == program->array_count);
  ECS_ASSERT(call->stop != NULL || !program->exits);
  Run run = {.program = program,
             .plan = program->plan,
             .call = call,
             .late = program->plan->bases,
             .rows_before = call->first,
             .left_out = call->first,
             .counts = program->exits_locally,
             .kept = kept,
             .status = ECS_OK};
  see_puts(&run);
  Reduction few[FEW_SUMS];
  bool many = sums > FEW_SUMS;
  run.sums = many ? memory_zeroed(memory, sums, sizeof(Reduction)) : few;
  if (run.sums == NULL) return ECS_E_MEMORY;
  program->primed = NULL;
  if (sums > 0) sums_begin(program, run.sums, call->reductions);
  if (!has_plans(&run)) run_once(&run);
  ecs_Status status = run_rows(&run);
  bool done = status == ECS_OK || (kept != NULL && *kept);
  if (sums > 0) sums_end(program, run.sums, !done, call->reductions);
  if (done && call->stop != NULL)
    *call->stop = (ecs_ProgramStop){run.rows_before, run.stopped, 0, 0};
  if (many) memory_free(memory, run.sums, sums * sizeof(Reduction));
  memory_free(memory, run.changes,
              run.change_capacity * sizeof(RecordedChange));
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
  if (run->rows > 0) end_rows(run, false);
  run->late = run->plan->bases;
  if (taken == 0) adapt_reach(run, run->rows);
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
      run_block(run, &block, i);
    i += run->rows;
  }
  part->end = i;
  part->reach = run->most;
}

/* The part does not go on with what was computed ahead. */
static void drop_ahead(Run *run, ProgramPart *part) {
  if (ahead_drop(run->ahead) && part->reach != 0)
    part->reach = part->reach / 2 < LEAST_REACH ? LEAST_REACH : part->reach / 2;
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
  see_puts(&run);
  bool anew = part->changed || program->primed != part;
  if (anew || program->plan->looks_once) run_once(&run);
  if (anew && run.ahead != NULL) drop_ahead(&run, part);
  program->primed = part;
  part->changed = false;
  run_part_blocks(&run, part);
  part->taken = (uint32_t)run.stopped;
  part->by_uniforms = !program->exits_locally;
  record_changes(&run);
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
  run_once(&run);
  return kernel_run(program->binding, &kernel);
}

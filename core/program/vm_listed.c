/* vm_listed.c: changes of structure, listed while rows run, then made. */
#include "program/vm_listed.h"

#include "change/list_change.h"
#include "program/vm_rows.h"
#include "world/deferral.h"
#include "world/deferred_change.h"

/* Makes room for so many changes more. */
static bool reserve_changes(Run *run, uint32_t count) {
  void *changes = run->changes;
  if (run->status != ECS_OK) return false;
  if (!memory_grow(&run_store(run)->memory, &changes, &run->change_capacity,
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
void listed_add(Run *run) {
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
void listed_record(Run *run) {
  ecs_World *world = world_of(run->program->query);
  for (uint32_t k = 0; run->status == ECS_OK && k < run->change_count; k++)
    run->status = record(world, &run->changes[k]);
  run->change_count = 0;
}

/* Is what is listed one change of many entities, and all that closing the
 * outermost level would apply? */
bool listed_is_one(const Run *run) {
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
ecs_Status listed_apply(Run *run) {
  Store *store = run_store(run);
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
ecs_Status listed_apply_recorded(const Run *run) {
  ecs_World *world = world_of(run->program->query);
  if (run->kept == NULL) return deferral_close(world);
  ecs_Status status = deferral_close_kept(world);
  *run->kept = status == ECS_E_MEMORY;
  return status;
}

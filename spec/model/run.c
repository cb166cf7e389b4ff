/* run.c: one program, run on an oracle and on several worlds in lockstep. */
#include "run.h"
#include "world/world.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static StepFunction *const step_functions[STEP_COUNT] = {
#define STEP_FUNCTION(name, weight) step_##name,
    STEP_LIST(STEP_FUNCTION)
#undef STEP_FUNCTION
};

/* Failing ----------------------------------------------------------------- */

void run_fail(Run *run, const char *condition, const char *format, ...) {
  Report *report = run->report;
  int length =
      snprintf(report->message, MESSAGE_BYTES,
               "%s: not true: %s: ", step_name(run->step->kind), condition);
  if (length > 0 && (size_t)length < MESSAGE_BYTES) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->message + length, MESSAGE_BYTES - (size_t)length, format,
              arguments);
    va_end(arguments);
  }
  report->failed = true;
  _exit(1);
}

void run_note(Run *run, ecs_Status status) {
  run->report->done[run->step->kind]++;
  run->report->statuses[run->step->kind][status]++;
}

/* Names ------------------------------------------------------------------- */

/* One of eight handles is from the attic. From an empty register on, the next
 * one in use is taken. */
ecs_Entity run_pick(const Run *run, uint32_t number) {
  if (number % 8 == 0 && run->attic_count > 0)
    return run->attic[number / 8 % run->attic_count];
  for (uint32_t i = 0; i < run->register_count; i++) {
    const ecs_Entity entity =
        run->registers[(number / 8 + i) % run->register_count];
    if (entity != 0) return entity;
  }
  return 0;
}

static void put_in_attic(Run *run, ecs_Entity entity) {
  if (run->attic_count == run->attic_capacity) {
    run->attic_capacity = run->attic_capacity * 2 + 64;
    run->attic = realloc(run->attic, run->attic_capacity * sizeof *run->attic);
    if (run->attic == NULL) abort();
  }
  run->attic[run->attic_count++] = entity;
}

void run_remember(Run *run, ecs_Entity entity, uint32_t number) {
  uint32_t at = number % run->register_count;
  for (uint32_t i = 0; i < run->register_count; i++) {
    if (!oracle_alive(&run->oracle, run->registers[at])) break;
    at = (at + 1) % run->register_count;
  }
  const ecs_Entity old = run->registers[at];
  if (old != 0 && (number % 4 != 0 || oracle_alive(&run->oracle, old)))
    put_in_attic(run, old);
  run->registers[at] = entity;
}

ecs_Component run_component(const Run *run, uint32_t number) {
  return 1 + number % run->program->components;
}

ecs_Component run_field_component(const Run *run, uint32_t number) {
  ecs_Component component = run_component(run, number);
  while (run->oracle.components[component].field_count == 0)
    component = 1 + component % run->program->components;
  return component;
}

uint32_t run_list(const Run *run, uint32_t number, ecs_Component *components) {
  Random random = random_make(run->program->seed + number % COMPONENT_LISTS);
  const uint32_t wanted = random_below(&random, 6);
  uint32_t count = 0, mask = 0;
  for (uint32_t i = 0; i < wanted; i++) {
    const ecs_Component component =
        1 + random_below(&random, run->program->components);
    if (mask >> component & 1) continue;
    mask |= 1u << component;
    components[count++] = component;
  }
  return count;
}

uint32_t list_mask(const ecs_Component *components, uint32_t count) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < count; i++) mask |= 1u << components[i];
  return mask;
}

/* One call on every world ------------------------------------------------- */

/* True: the world has reached a limit of config.h. */
static bool limit_is_true(const Run *run, const Instance *instance,
                          uint32_t handles) {
  ecs_Statistics statistics;
  ecs_world_statistics(instance->world, &statistics);
  const uint64_t held =
      oracle_held_count(&run->oracle) + statistics.retired + handles;
  return held > ECS_INDEX_LIMIT - 1 ||
         instance->world->commands.command_count + run->tables_wanted >
             ECS_COMMAND_LIMIT ||
         statistics.tables + run->oracle.change_count + run->tables_wanted >=
             ECS_TABLE_LIMIT ||
         statistics.groups >= ECS_GROUP_LIMIT ||
         run->oracle.scope_count >= ECS_NESTING_LIMIT;
}

static void check_handles(Run *run, const Instance *instance,
                          uint32_t handles) {
  ecs_Statistics statistics;
  if (handles == 0) return;
  ecs_world_statistics(instance->world, &statistics);
  MUST(run,
       oracle_held_count(&run->oracle) + statistics.retired + handles <
           ECS_INDEX_LIMIT,
       "world %d went past the limit of indices", instance->kind);
}

static ecs_Status call_one(Run *run, Instance *instance, Call call,
                           const Arguments *arguments, uint32_t handles,
                           Answer *answer) {
#ifdef ECS_TINY
  const uint64_t before = ecs_world_hash(instance->world);
#endif
  const ecs_Status status = call(instance, arguments, answer);
  if (status == ECS_OK) check_handles(run, instance, handles);
  if (status != ECS_E_LIMIT) return status;
  MUST(run, limit_is_true(run, instance, handles),
       "world %d answers ECS_E_LIMIT, but there is none", instance->kind);
#ifdef ECS_TINY
  MUST(run, ecs_world_hash(instance->world) == before,
       "world %d was changed by a call that failed", instance->kind);
#endif
  return status;
}

ecs_Status run_everywhere(Run *run, Call call, const Arguments *arguments,
                          uint32_t handles, Answer *answers) {
  ecs_Status statuses[INSTANCES];
  uint32_t limited = 0;
  for (uint32_t i = 0; i < run->instance_count; i++) {
    memset(&answers[i], 0, sizeof answers[i]);
    statuses[i] = call_one(run, &run->instances[i], call, arguments, handles,
                           &answers[i]);
    limited += statuses[i] == ECS_E_LIMIT;
  }
  if (limited > 0) {
    run->stopped = limited < run->instance_count;
    run_note(run, ECS_E_LIMIT);
    return ECS_E_LIMIT;
  }
  for (uint32_t i = 1; i < run->instance_count; i++) {
    MUST(run, statuses[i] == statuses[0], "world %u answers %s, world 0 %s", i,
         ecs_status_name(statuses[i]), ecs_status_name(statuses[0]));
  }
  for (uint32_t i = 0; i < run->instance_count; i++) {
    MUST(run,
         statuses[0] != ECS_E_ACCESS || arguments->component == 0 ||
             ecs_world_contested(run->instances[i].world) ==
                 arguments->component,
         "world %u blames component %u", i,
         ecs_world_contested(run->instances[i].world));
  }
  run_note(run, statuses[0]);
  return statuses[0];
}

bool run_expecting(Run *run, Call call, const Arguments *arguments,
                   uint32_t handles, Answer *answers, ecs_Status expected) {
  const ecs_Status status =
      run_everywhere(run, call, arguments, handles, answers);
  if (status == ECS_E_LIMIT) return false;
  MUST(run, status == expected, "%s instead of %s", ecs_status_name(status),
       ecs_status_name(expected));
  return status == ECS_OK;
}

/* Lifetime ---------------------------------------------------------------- */

static void begin_run(Run *run) {
  model_components(&run->oracle);
  if (run->program->seed % 2 == 0) model_needs(&run->oracle);
  run->instance_count = run->program->twice ? 4 : 3;
  run->register_count = run->program->large ? REGISTERS : 48;
  for (uint32_t i = 0; i < run->instance_count; i++) {
    MUST(run, instance_make(&run->instances[i], (InstanceKind)i, &run->oracle),
         "world %u could not be made", i);
  }
}

static void end_run(Run *run) {
  while (run->oracle.scope_count > 0) run_end_scope(run, false);
  for (uint32_t i = 0; i < run->instance_count; i++)
    MUST(run, instance_end(&run->instances[i]), "world %u kept memory", i);
  run_end_watches(run);
  oracle_deinit(&run->oracle);
  free(run->attic);
}

void run_program(const Program *program, Report *report) {
  static Run run; /* too large for a stack; one program per process */
  const Step none = {STEP_compare, 0, 0, 0, 0};
  run.program = program;
  run.report = report;
  run.step = &none;
  oracle_init(&run.oracle);
  begin_run(&run);
  for (uint32_t i = 0; i < program->count && !run.stopped; i++) {
    report->step = i;
    run.step = &program->steps[i];
    step_functions[run.step->kind](&run, run.step);
    if (!run.stopped) run_claim_unnamed(&run);
    if (i % 500 == 499 && !run.stopped) run_compare(&run);
  }
  run.step = &none;
  /* Cursors may be open in one world and not in another: there is no way to
   * end this in good order. */
  report->stopped += run.stopped;
  if (run.stopped) _exit(0);
  run_compare(&run);
  end_run(&run);
}

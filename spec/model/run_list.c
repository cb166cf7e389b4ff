/* run_list.c: the steps that change the entities of a list.
 *
 * A list has living and dead entities, and some of them twice. The oracle makes
 * the same change of one after the other. What a world found is compared with
 * the number of changes that the oracle answered by ECS_OK.
 */
#include "run.h"

#define LISTED 90u /* more than the core looks ahead */

static ecs_Entity listed[LISTED];

/* The list of a step. A few steps name one entity alone, many times. */
static uint32_t pick_list(const Run *run, const Step *step, Random *random) {
  uint32_t count = step->c % (LISTED + 1);
  bool one = step->c % 7 == 0;
  for (uint32_t i = 0; i < count; i++)
    listed[i] = run_pick(
        run, one && i > 0 ? step->a : (uint32_t)(random_next(random) >> 32));
  return count;
}

static ecs_Status call_list_add(Instance *instance, const Arguments *arguments,
                                Answer *answer) {
  uint32_t found = UINT32_MAX;
  ecs_Status status =
      ecs_add_many(instance->world, listed, arguments->count,
                   arguments->component, arguments->image, &found);
  answer->count = found;
  return status;
}

static ecs_Status call_list_remove(Instance *instance,
                                   const Arguments *arguments, Answer *answer) {
  uint32_t found = UINT32_MAX;
  ecs_Status status = ecs_remove_many(instance->world, listed, arguments->count,
                                      arguments->component, &found);
  answer->count = found;
  return status;
}

static ecs_Status call_list_destroy(Instance *instance,
                                    const Arguments *arguments,
                                    Answer *answer) {
  uint32_t found = UINT32_MAX;
  ecs_Status status =
      ecs_destroy_many(instance->world, listed, arguments->count, &found);
  answer->count = found;
  return status;
}

/* The change of one entity in the oracle. */
static ecs_Status change(Run *run, Call call, const Arguments *arguments,
                         const double *values, uint32_t i) {
  if (call == call_list_destroy) return oracle_destroy(&run->oracle, listed[i]);
  if (call == call_list_remove)
    return oracle_remove(&run->oracle, listed[i], arguments->component);
  return oracle_add(&run->oracle, listed[i], arguments->component,
                    arguments->image != NULL ? values : NULL);
}

/* Each entity may bring forth a table, which counts for the limit of tables. */
static void change_list(Run *run, Call call, const Arguments *arguments,
                        const double *values) {
  Answer answers[INSTANCES];
  uint64_t found = 0;
  run->tables_wanted = arguments->count;
  bool changed = run_expecting(run, call, arguments, 0, answers, ECS_OK);
  run->tables_wanted = 0;
  if (!changed) return;
  for (uint32_t i = 0; i < arguments->count; i++) {
    ecs_Status status = change(run, call, arguments, values, i);
    found += status == ECS_OK;
    MUST(run, status == ECS_OK || status == ECS_E_DEAD, "%llx: %s",
         (unsigned long long)listed[i], ecs_status_name(status));
  }
  for (uint32_t w = 0; w < run->instance_count; w++)
    MUST(run, answers[w].count == found, "world %u found %llu, not %llu", w,
         (unsigned long long)answers[w].count, (unsigned long long)found);
}

void step_list_add(Run *run, const Step *step) {
  Random random = random_make(step->seed);
  double values[ORACLE_FIELDS];
  uint64_t image[ORACLE_IMAGE_BYTES / 8];
  const ecs_Component component = run_component(run, step->b);
  random_image(&run->oracle.components[component], &random, values, image);
  const Arguments arguments = {.component = component,
                               .image = step->c % 3 == 0 ? NULL : image,
                               .count = pick_list(run, step, &random)};
  change_list(run, call_list_add, &arguments, values);
}

void step_list_remove(Run *run, const Step *step) {
  Random random = random_make(step->seed);
  const Arguments arguments = {.component = run_component(run, step->b),
                               .count = pick_list(run, step, &random)};
  change_list(run, call_list_remove, &arguments, NULL);
}

void step_list_destroy(Run *run, const Step *step) {
  Random random = random_make(step->seed);
  const Arguments arguments = {.count = pick_list(run, step, &random) / 4};
  change_list(run, call_list_destroy, &arguments, NULL);
}

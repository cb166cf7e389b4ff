/* run_bulk.c: the steps that change every match of a query at once.
 *
 * The oracle has no bulk changes: it makes the same change of each entity that
 * its own matching finds, one by one. Only the access of a set is checked as a
 * whole first, since one refusal refuses it for all.
 */
#include <string.h>

#include "run.h"

/* The query of a slot; false when there is none yet. */
static bool find_query(const Run *run, const Step *step, uint32_t *slot) {
  *slot = step->a % QUERY_SLOTS;
  return run->instances[0].queries[*slot] != NULL;
}

static bool matches(const Run *run, uint32_t slot, uint32_t entity) {
  return oracle_matches(&run->oracle.entities[entity], run->query_terms[slot],
                        run->query_term_counts[slot]);
}

static uint32_t count_matches(const Run *run, uint32_t slot) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < run->oracle.entity_count; i++)
    count += matches(run, slot, i);
  return count;
}

/* The change of one match in the oracle. */
typedef ecs_Status OracleStep(Oracle *oracle, ecs_Entity entity,
                              const Arguments *arguments, const double *values);

/* IndexSet the matches before the first of them changes. */
static void change_matches(Run *run, const Arguments *arguments,
                           const double *values, OracleStep *step) {
  static bool marked[1u << 20];
  const uint32_t count = run->oracle.entity_count;
  MUST(run, count <= sizeof marked, "%u entities are too many", count);
  for (uint32_t i = 0; i < count; i++)
    marked[i] = matches(run, arguments->slot, i);
  for (uint32_t i = 0; i < count; i++) {
    if (!marked[i]) continue;
    const ecs_Entity entity = run->oracle.entities[i].handle;
    const ecs_Status status = step(&run->oracle, entity, arguments, values);
    MUST(run, status == ECS_OK || status == ECS_E_DEAD, "%llx: %s",
         (unsigned long long)entity, ecs_status_name(status));
  }
}

/* A match may bring forth a table, or two where it is replaced, which count for
 * the limit of tables. */
static void change_all(Run *run, Call call, const Arguments *arguments,
                       const double *values, ecs_Status expected,
                       OracleStep *step) {
  Answer answers[INSTANCES];
  run->tables_wanted = 2 * count_matches(run, arguments->slot);
  if (run_expecting(run, call, arguments, 0, answers, expected))
    change_matches(run, arguments, values, step);
  run->tables_wanted = 0;
}

/* Adding and removing ------------------------------------------------------ */

static ecs_Status call_add_all(Instance *instance, const Arguments *arguments,
                               Answer *answer) {
  (void)answer;
  return ecs_query_add_all(instance->queries[arguments->slot],
                           arguments->component, arguments->image);
}

static ecs_Status oracle_step_add(Oracle *oracle, ecs_Entity entity,
                                  const Arguments *arguments,
                                  const double *values) {
  return oracle_add(oracle, entity, arguments->component,
                    arguments->image != NULL ? values : NULL);
}

void step_bulk_add(Run *run, const Step *step) {
  Random random = random_make(step->seed);
  double values[ORACLE_FIELDS];
  uint64_t image[ORACLE_IMAGE_BYTES / 8];
  uint32_t slot;
  if (!find_query(run, step, &slot)) return;
  const ecs_Component component = run_component(run, step->b);
  random_image(&run->oracle.components[component], &random, values, image);
  const Arguments arguments = {.slot = slot,
                               .component = component,
                               .image = step->c % 3 == 0 ? NULL : image};
  change_all(run, call_add_all, &arguments, values, ECS_OK, oracle_step_add);
}

static ecs_Status call_remove_all(Instance *instance,
                                  const Arguments *arguments, Answer *answer) {
  (void)answer;
  return ecs_query_remove_all(instance->queries[arguments->slot],
                              arguments->component);
}

static ecs_Status oracle_step_remove(Oracle *oracle, ecs_Entity entity,
                                     const Arguments *arguments,
                                     const double *values) {
  (void)values;
  return oracle_remove(oracle, entity, arguments->component);
}

void step_bulk_remove(Run *run, const Step *step) {
  uint32_t slot;
  if (!find_query(run, step, &slot)) return;
  const Arguments arguments = {.slot = slot,
                               .component = run_component(run, step->b)};
  change_all(run, call_remove_all, &arguments, NULL, ECS_OK,
             oracle_step_remove);
}

void step_bulk_bad(Run *run, const Step *step) {
  static const Call calls[] = {call_add_all, call_remove_all};
  Answer answers[INSTANCES];
  uint32_t slot;
  if (!find_query(run, step, &slot)) return;
  const Arguments arguments = {
      .slot = slot, .component = step->b % 2 == 0 ? 0 : ORACLE_COMPONENTS + 1};
  run_expecting(run, calls[step->c % 2], &arguments, 0, answers,
                ECS_E_COMPONENT);
}

/* Setting ------------------------------------------------------------------ */

static ecs_Status call_set_all(Instance *instance, const Arguments *arguments,
                               Answer *answer) {
  (void)answer;
  return ecs_query_set_all(instance->queries[arguments->slot],
                           arguments->component, arguments->image,
                           arguments->fields);
}

static ecs_Status oracle_step_set(Oracle *oracle, ecs_Entity entity,
                                  const Arguments *arguments,
                                  const double *values) {
  return oracle_set(oracle, entity, arguments->component, values,
                    arguments->fields);
}

/* Refused if an open cursor has the component, and so has a match that is not
 * doomed. */
static ecs_Status judge_set(const Run *run, uint32_t slot,
                            ecs_Component component) {
  uint32_t held = 0;
  for (uint32_t s = 0; s < run->oracle.scope_count; s++)
    held |= run->oracle.scopes[s].reads | run->oracle.scopes[s].writes;
  for (uint32_t i = 0; held >> component & 1 && i < run->oracle.entity_count;
       i++) {
    const OracleEntity *entity = &run->oracle.entities[i];
    if (matches(run, slot, i) && entity->has[component] && !entity->doomed)
      return ECS_E_ACCESS;
  }
  return ECS_OK;
}

void step_bulk_set(Run *run, const Step *step) {
  Random random = random_make(step->seed);
  double values[ORACLE_FIELDS];
  uint64_t image[ORACLE_IMAGE_BYTES / 8];
  uint32_t slot;
  if (!find_query(run, step, &slot)) return;
  const ecs_Component component = run_component(run, step->b);
  random_image(&run->oracle.components[component], &random, values, image);
  const Arguments arguments = {
      .slot = slot,
      .component = component,
      .image = image,
      .fields = step->c % 3 == 0 ? ~(uint64_t)0 : step->c & 0x3ffu};
  change_all(run, call_set_all, &arguments, values,
             judge_set(run, slot, component), oracle_step_set);
}

/* Replacing ---------------------------------------------------------------- */

/* The component that goes is `list`. */
static ecs_Status call_replace_all(Instance *instance,
                                   const Arguments *arguments, Answer *answer) {
  (void)answer;
  return ecs_query_replace_all(instance->queries[arguments->slot],
                               arguments->list, arguments->component, NULL, 0);
}

static ecs_Status oracle_step_replace(Oracle *oracle, ecs_Entity entity,
                                      const Arguments *arguments,
                                      const double *values) {
  return oracle_replace(oracle, entity, arguments->list, arguments->component,
                        values, 0);
}

void step_bulk_replace(Run *run, const Step *step) {
  uint32_t slot;
  if (!find_query(run, step, &slot)) return;
  const Arguments arguments = {.slot = slot,
                               .component = run_component(run, step->b),
                               .list = run_component(run, step->c)};
  const bool same = arguments.component == arguments.list;
  change_all(run, call_replace_all, &arguments, NULL,
             same ? ECS_E_COMPONENT : ECS_OK, oracle_step_replace);
}

/* Destroying --------------------------------------------------------------- */

static ecs_Status call_destroy_all(Instance *instance,
                                   const Arguments *arguments, Answer *answer) {
  (void)answer;
  return ecs_query_destroy_all(instance->queries[arguments->slot]);
}

static ecs_Status oracle_step_destroy(Oracle *oracle, ecs_Entity entity,
                                      const Arguments *arguments,
                                      const double *values) {
  (void)arguments;
  (void)values;
  return oracle_destroy(oracle, entity);
}

void step_bulk_destroy(Run *run, const Step *step) {
  uint32_t slot;
  if (!find_query(run, step, &slot)) return;
  const Arguments arguments = {.slot = slot};
  change_all(run, call_destroy_all, &arguments, NULL, ECS_OK,
             oracle_step_destroy);
}

/* The first ---------------------------------------------------------------- */

static ecs_Status call_first(Instance *instance, const Arguments *arguments,
                             Answer *answer) {
  return ecs_query_first(instance->queries[arguments->slot], &answer->entity);
}

void step_query_first(Run *run, const Step *step) {
  Answer answers[INSTANCES];
  Arguments arguments = {.slot = 0};
  if (!find_query(run, step, &arguments.slot)) return;
  const uint32_t expected = count_matches(run, arguments.slot);
  run_expecting(run, call_first, &arguments, 0, answers, ECS_OK);
  for (uint32_t i = 0; i < run->instance_count; i++) {
    const OracleEntity *entity = oracle_find(&run->oracle, answers[i].entity);
    const bool found = entity != NULL &&
                       oracle_matches(entity, run->query_terms[arguments.slot],
                                      run->query_term_counts[arguments.slot]);
    MUST(run, found == (expected > 0) && found == (answers[i].entity != 0),
         "world %u tells %llx; %u match", i,
         (unsigned long long)answers[i].entity, expected);
  }
}

/* run_entity.c: the steps that change and read single entities. */
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define LIST_MOST 8u
#define MANY 24u /* entities of one call of an accessor */

/* Spawning ---------------------------------------------------------------- */

/* Values for a list of components: some given, some left to the defaults. */
typedef struct Given {
  ecs_Component components[LIST_MOST];
  uint32_t count;
  double values[ORACLE_COMPONENTS + 1][ORACLE_FIELDS];
  uint64_t images[LIST_MOST][ORACLE_IMAGE_BYTES / 8];
  const void *pointers[LIST_MOST];
  bool any;
} Given;

static void give_values(const Run *run, const Step *step, Given *given) {
  Random random = random_make(step->seed);
  given->count = run_list(run, step->b, given->components);
  given->any = random_below(&random, 4) != 0;
  for (uint32_t i = 0; i < given->count; i++) {
    const ecs_Component c = given->components[i];
    const OracleComponent *schema = &run->oracle.components[c];
    memcpy(given->values[c], schema->defaults, sizeof schema->defaults);
    given->pointers[i] = NULL;
    if (!given->any || random_below(&random, 3) == 0) continue;
    random_image(schema, &random, given->values[c], given->images[i]);
    given->pointers[i] = given->images[i];
  }
}

/* All worlds issue the same handle, and it is a new one. */
static void accept_birth(Run *run, const Step *step, const Answer *answers,
                         const Given *given) {
  const ecs_Entity entity = answers[0].entity;
  for (uint32_t i = 1; i < run->instance_count; i++) {
    MUST(run, answers[i].entity == entity, "world %u issues %llx, world 0 %llx",
         i, (unsigned long long)answers[i].entity, (unsigned long long)entity);
  }
  MUST(run,
       oracle_spawn(&run->oracle, entity,
                    list_mask(given->components, given->count),
                    (const double(*)[ORACLE_FIELDS])given->values),
       "handle %llx was issued before", (unsigned long long)entity);
  run_remember(run, entity, step->a);
}

static ecs_Status call_spawn(Instance *instance, const Arguments *arguments,
                             Answer *answer) {
  return ecs_spawn(instance->world, arguments->components, arguments->count,
                   arguments->values, &answer->entity);
}

void step_spawn(Run *run, const Step *step) {
  Given given;
  Answer answers[INSTANCES];
  give_values(run, step, &given);
  const Arguments arguments = {.components = given.components,
                               .count = given.count,
                               .values = given.any ? given.pointers : NULL};
  if (run_expecting(run, call_spawn, &arguments, 1, answers, ECS_OK))
    accept_birth(run, step, answers, &given);
}

/* A component twice, or one that does not exist. */
void step_spawn_bad(Run *run, const Step *step) {
  const ecs_Component c = run_component(run, step->b);
  const ecs_Component twice[] = {c, 1 + c % ORACLE_COMPONENTS, c};
  const ecs_Component none[] = {c, ORACLE_COMPONENTS + 1 + step->b % 9};
  const ecs_Component zero[] = {0};
  const ecs_Component *const lists[] = {twice, none, zero};
  const uint32_t counts[] = {3, 2, 1};
  Answer answers[INSTANCES];
  const Arguments arguments = {.components = lists[step->c % 3],
                               .count = counts[step->c % 3]};
  run_expecting(run, call_spawn, &arguments, 0, answers, ECS_E_COMPONENT);
}

static ecs_Status call_spawn_as(Instance *instance, const Arguments *arguments,
                                Answer *answer) {
  answer->entity = arguments->entity;
  return ecs_spawn_as(instance->world, arguments->entity, arguments->components,
                      arguments->count, arguments->values);
}

/* A handle of an index that is used, free, or a few above all others; mostly
 * the next of its index. */
static ecs_Entity make_handle(const Run *run, const Step *step) {
  const uint32_t index =
      1 + step->c % (oracle_highest_index(&run->oracle) + 6u);
  const ecs_Entity newest = oracle_newest(&run->oracle, index);
  const ecs_Entity newer = step->seed % 8 == 0   ? 0
                           : step->seed % 8 == 1 ? 2
                                                 : 1;
  if (newest == 0) return (newer / 2) << 28 | index;
  return newest + (newer << 28);
}

static bool may_give(const Run *run, ecs_Entity handle) {
  return (handle & 0xfffffffu) < ECS_INDEX_LIMIT &&
         handle >> 28 < ECS_GENERATION_LIMIT &&
         oracle_may_give(&run->oracle, handle);
}

void step_spawn_as(Run *run, const Step *step) {
  Given given;
  Answer answers[INSTANCES];
  give_values(run, step, &given);
  const Arguments arguments = {.entity = make_handle(run, step),
                               .components = given.components,
                               .count = given.count,
                               .values = given.any ? given.pointers : NULL};
  const bool possible = may_give(run, arguments.entity);
  const ecs_Status status =
      run_everywhere(run, call_spawn_as, &arguments, possible, answers);
  if (status == ECS_E_LIMIT) return;
  MUST(run,
       status == (possible ? ECS_OK : ECS_E_TAKEN) ||
           (status == ECS_E_TAKEN && run->oracle.anonymous),
       "%s for %llx", ecs_status_name(status),
       (unsigned long long)arguments.entity);
  if (status == ECS_OK) accept_birth(run, step, answers, &given);
}

/* The bundle of a list is made when it is used first, and asking again gives
 * the same one. */
static ecs_Status find_bundle(Instance *instance, const Arguments *arguments,
                              ecs_Bundle *bundle) {
  ecs_Bundle *known = &instance->bundles[arguments->list];
  const ecs_Status status = ecs_bundle(instance->world, arguments->components,
                                       arguments->count, bundle);
  if (status != ECS_OK) return status;
  if (*known != 0 && *known != *bundle) return ECS_STATUS_COUNT - 1;
  *known = *bundle;
  return ECS_OK;
}

static ecs_Status call_spawn_bundle(Instance *instance,
                                    const Arguments *arguments,
                                    Answer *answer) {
  ecs_Bundle bundle = 0;
  const ecs_Status status = find_bundle(instance, arguments, &bundle);
  if (status != ECS_OK) return status;
  return ecs_spawn_bundle(instance->world, bundle, arguments->values,
                          &answer->entity);
}

void step_spawn_bundle(Run *run, const Step *step) {
  Given given;
  Answer answers[INSTANCES];
  give_values(run, step, &given);
  const Arguments arguments = {.list = step->b % COMPONENT_LISTS,
                               .components = given.components,
                               .count = given.count,
                               .values = given.any ? given.pointers : NULL};
  if (run_expecting(run, call_spawn_bundle, &arguments, 1, answers, ECS_OK))
    accept_birth(run, step, answers, &given);
}

static ecs_Status call_spawn_many(Instance *instance,
                                  const Arguments *arguments, Answer *answer) {
  ecs_Bundle bundle = 0;
  const ecs_Status status = find_bundle(instance, arguments, &bundle);
  (void)answer;
  if (status != ECS_OK) return status;
  return ecs_spawn_many(instance->world, bundle, arguments->fields, NULL);
}

static uint32_t how_many(const Run *run, const Step *step) {
  return run->program->large ? step->c % 1400 : step->c % 14;
}

void step_spawn_many(Run *run, const Step *step) {
  ecs_Component components[LIST_MOST];
  const uint32_t count = run_list(run, step->b, components);
  const uint32_t handles = how_many(run, step);
  Answer answers[INSTANCES];
  const Arguments arguments = {.list = step->b % COMPONENT_LISTS,
                               .components = components,
                               .count = count,
                               .fields = handles};
  if (run_expecting(run, call_spawn_many, &arguments, handles, answers,
                    ECS_OK) &&
      handles > 0)
    oracle_spawn_unnamed(&run->oracle, list_mask(components, count), handles);
}

static ecs_Status call_reserve(Instance *instance, const Arguments *arguments,
                               Answer *answer) {
  ecs_Bundle bundle = 0;
  const ecs_Status status = find_bundle(instance, arguments, &bundle);
  (void)answer;
  if (status != ECS_OK) return status;
  return ecs_reserve(instance->world, bundle, arguments->fields);
}

void step_reserve(Run *run, const Step *step) {
  ecs_Component components[LIST_MOST];
  Answer answers[INSTANCES];
  const Arguments arguments = {.list = step->b % COMPONENT_LISTS,
                               .components = components,
                               .count = run_list(run, step->b, components),
                               .fields = how_many(run, step)};
  const bool open = oracle_deferring(&run->oracle);
  run_expecting(run, call_reserve, &arguments,
                open ? 0 : (uint32_t)arguments.fields, answers,
                open ? ECS_E_OPEN : ECS_OK);
}

/* Destroying -------------------------------------------------------------- */

static ecs_Status call_destroy(Instance *instance, const Arguments *arguments,
                               Answer *answer) {
  (void)answer;
  return ecs_destroy(instance->world, arguments->entity);
}

static void destroy(Run *run, ecs_Entity entity) {
  Answer answers[INSTANCES];
  const Arguments arguments = {.entity = entity};
  const ecs_Status status =
      run_everywhere(run, call_destroy, &arguments, 0, answers);
  if (status == ECS_E_LIMIT) return;
  const ecs_Status expected = oracle_destroy(&run->oracle, entity);
  MUST(run, status == expected, "%s instead of %s", ecs_status_name(status),
       ecs_status_name(expected));
}

void step_destroy(Run *run, const Step *step) {
  destroy(run, run_pick(run, step->a));
}

void step_destroy_twice(Run *run, const Step *step) {
  const ecs_Entity entity = run_pick(run, step->a);
  destroy(run, entity);
  destroy(run, entity);
}

void step_destroy_run(Run *run, const Step *step) {
  for (uint32_t i = 0; i < step->c % 12; i++)
    destroy(run, run->registers[(step->a + i) % run->register_count]);
}

static ecs_Status call_clear(Instance *instance, const Arguments *arguments,
                             Answer *answer) {
  (void)arguments;
  (void)answer;
  return ecs_world_clear(instance->world);
}

void step_clear(Run *run, const Step *step) {
  Answer answers[INSTANCES];
  const Arguments arguments = {.entity = 0};
  (void)step;
  run_expecting(run, call_clear, &arguments, 0, answers,
                oracle_clear(&run->oracle));
}

static ecs_Status call_trim(Instance *instance, const Arguments *arguments,
                            Answer *answer) {
  (void)arguments;
  (void)answer;
  return ecs_world_trim(instance->world);
}

void step_trim(Run *run, const Step *step) {
  Answer answers[INSTANCES];
  const Arguments arguments = {.entity = 0};
  (void)step;
  run_expecting(run, call_trim, &arguments, 0, answers,
                run->oracle.scope_count > 0 ? ECS_E_OPEN : ECS_OK);
}

/* Components -------------------------------------------------------------- */

static ecs_Status call_add(Instance *instance, const Arguments *arguments,
                           Answer *answer) {
  (void)answer;
  return ecs_add(instance->world, arguments->entity, arguments->component,
                 arguments->image);
}

/* The oracle changes after the worlds: at a limit it stays as it is. */
static void add(Run *run, const Step *step, ecs_Component component,
                bool with_image) {
  Random random = random_make(step->seed);
  double values[ORACLE_FIELDS];
  uint64_t image[ORACLE_IMAGE_BYTES / 8];
  Answer answers[INSTANCES];
  if (component <= ORACLE_COMPONENTS)
    random_image(&run->oracle.components[component], &random, values, image);
  const Arguments arguments = {.entity = run_pick(run, step->a),
                               .component = component,
                               .image = with_image ? image : NULL};
  const ecs_Status status =
      run_everywhere(run, call_add, &arguments, 0, answers);
  if (status == ECS_E_LIMIT) return;
  const ecs_Status expected = oracle_add(&run->oracle, arguments.entity,
                                         component, with_image ? values : NULL);
  MUST(run, status == expected, "%s instead of %s", ecs_status_name(status),
       ecs_status_name(expected));
}

void step_add(Run *run, const Step *step) {
  add(run, step, run_component(run, step->b), false);
}

void step_add_image(Run *run, const Step *step) {
  add(run, step, run_component(run, step->b), true);
}

void step_add_bad(Run *run, const Step *step) {
  add(run, step, step->b % 2 == 0 ? 0 : ORACLE_COMPONENTS + 1 + step->b % 50,
      false);
}

static ecs_Status call_remove(Instance *instance, const Arguments *arguments,
                              Answer *answer) {
  (void)answer;
  return ecs_remove(instance->world, arguments->entity, arguments->component);
}

void step_remove(Run *run, const Step *step) {
  Answer answers[INSTANCES];
  const Arguments arguments = {.entity = run_pick(run, step->a),
                               .component = run_component(run, step->b)};
  const ecs_Status status =
      run_everywhere(run, call_remove, &arguments, 0, answers);
  if (status == ECS_E_LIMIT) return;
  const ecs_Status expected =
      oracle_remove(&run->oracle, arguments.entity, arguments.component);
  MUST(run, status == expected, "%s instead of %s", ecs_status_name(status),
       ecs_status_name(expected));
}

/* The component that goes is `list`. */
static ecs_Status call_replace(Instance *instance, const Arguments *arguments,
                               Answer *answer) {
  (void)answer;
  return ecs_replace(instance->world, arguments->entity, arguments->list,
                     arguments->component, arguments->image, arguments->fields);
}

void step_replace(Run *run, const Step *step) {
  Random random = random_make(step->seed);
  double values[ORACLE_FIELDS];
  uint64_t image[ORACLE_IMAGE_BYTES / 8];
  Answer answers[INSTANCES];
  const ecs_Component component = run_component(run, step->b);
  const OracleComponent *schema = &run->oracle.components[component];
  const uint64_t all = (UINT64_C(1) << schema->field_count) - 1;
  random_image(schema, &random, values, image);
  const Arguments arguments = {.entity = run_pick(run, step->a),
                               .component = component,
                               .list = run_component(run, step->c),
                               .image = image,
                               .fields = step->b % 3 == 0 ? 0 : step->c & all};
  run->tables_wanted = 2; /* the one between counts, and both commands */
  const ecs_Status status =
      run_everywhere(run, call_replace, &arguments, 0, answers);
  run->tables_wanted = 0;
  if (status == ECS_E_LIMIT) return;
  const ecs_Status expected =
      oracle_replace(&run->oracle, arguments.entity, arguments.list, component,
                     values, arguments.fields);
  MUST(run, status == expected, "%s instead of %s", ecs_status_name(status),
       ecs_status_name(expected));
}

/* Values ------------------------------------------------------------------ */

static ecs_Status call_set(Instance *instance, const Arguments *arguments,
                           Answer *answer) {
  (void)answer;
  return ecs_set(instance->world, arguments->entity, arguments->component,
                 arguments->image, arguments->fields);
}

static ecs_Status call_set_field(Instance *instance, const Arguments *arguments,
                                 Answer *answer) {
  (void)answer;
  return ecs_set_field(instance->world, arguments->entity, arguments->component,
                       arguments->field, arguments->number);
}

static void set(Run *run, Call call, const Arguments *arguments,
                const double *values) {
  Answer answers[INSTANCES];
  const ecs_Status status = run_everywhere(run, call, arguments, 0, answers);
  if (status == ECS_E_LIMIT) return;
  const ecs_Status expected =
      oracle_set(&run->oracle, arguments->entity, arguments->component, values,
                 arguments->fields);
  MUST(run, status == expected, "%s instead of %s", ecs_status_name(status),
       ecs_status_name(expected));
}

static void set_masked(Run *run, const Step *step, uint64_t fields) {
  Random random = random_make(step->seed);
  double values[ORACLE_FIELDS];
  uint64_t image[ORACLE_IMAGE_BYTES / 8];
  const ecs_Component component = run_field_component(run, step->b);
  random_image(&run->oracle.components[component], &random, values, image);
  const Arguments arguments = {.entity = run_pick(run, step->a),
                               .component = component,
                               .image = image,
                               .fields = fields};
  set(run, call_set, &arguments, values);
}

void step_set(Run *run, const Step *step) {
  set_masked(run, step, ~(uint64_t)0);
}

void step_set_fields(Run *run, const Step *step) {
  set_masked(run, step, step->c & 0x3ffu);
}

void step_set_field(Run *run, const Step *step) {
  Random random = random_make(step->seed);
  double values[ORACLE_FIELDS] = {0};
  const ecs_Component component = run_field_component(run, step->b);
  const OracleComponent *schema = &run->oracle.components[component];
  const uint32_t field = step->c % schema->field_count;
  values[field] = random_value(&random, schema->types[field]);
  const Arguments arguments = {.entity = run_pick(run, step->a),
                               .component = component,
                               .field = field,
                               .fields = UINT64_C(1) << field,
                               .number = values[field]};
  set(run, call_set_field, &arguments, values);
}

/* A field that is not there, or a number that it cannot hold; the entity is
 * alive and has the component, so that nothing else is wrong. */
void step_set_field_bad(Run *run, const Step *step) {
  static const double bad[] = {0.5, -5e9, 5e16, 1e39, 3.75};
  const ecs_Component component = run_field_component(run, step->b);
  const OracleComponent *schema = &run->oracle.components[component];
  const uint32_t field = step->c % (schema->field_count + 1);
  Answer answers[INSTANCES];
  double stored;
  const Arguments arguments = {.entity = run_pick(run, step->a),
                               .component = component,
                               .field = field,
                               .number = bad[step->seed % 5]};
  const ecs_Status expected =
      field == schema->field_count ? ECS_E_FIELD : ECS_E_VALUE;
  if (!oracle_has(&run->oracle, arguments.entity, component) ||
      (expected == ECS_E_VALUE &&
       oracle_fit(schema->types[field], arguments.number, &stored)))
    return;
  run_expecting(run, call_set_field, &arguments, 0, answers, expected);
}

static ecs_Status call_get(Instance *instance, const Arguments *arguments,
                           Answer *answer) {
  return ecs_get(instance->world, arguments->entity, arguments->component,
                 answer->image);
}

/* Every world shows these values, in their one form. */
static void check_images(Run *run, ecs_Component component,
                         const double *values, const Answer *answers) {
  const OracleComponent *schema = &run->oracle.components[component];
  for (uint32_t i = 0; i < run->instance_count; i++) {
    MUST(run, oracle_image_equals(schema, values, answers[i].image),
         "world %u has other values of component %u", i, component);
    MUST(run, is_canonical(schema, answers[i].image),
         "world %u keeps odd bits in component %u", i, component);
  }
}

static void get(Run *run, Call call, const Step *step) {
  const double *values = NULL;
  Answer answers[INSTANCES];
  const Arguments arguments = {
      .entity = run_pick(run, step->a),
      .component = call == call_get ? run_component(run, step->b)
                                    : run_field_component(run, step->b)};
  const ecs_Status expected =
      oracle_get(&run->oracle, arguments.entity, arguments.component, &values);
  if (run_expecting(run, call, &arguments, 0, answers, expected))
    check_images(run, arguments.component, values, answers);
}

void step_get(Run *run, const Step *step) { get(run, call_get, step); }

static ecs_Status call_get_field(Instance *instance, const Arguments *arguments,
                                 Answer *answer) {
  return ecs_get_field(instance->world, arguments->entity, arguments->component,
                       arguments->field, &answer->number);
}

void step_get_field(Run *run, const Step *step) {
  const double *values = NULL;
  Answer answers[INSTANCES];
  const ecs_Component component = run_field_component(run, step->b);
  const Arguments arguments = {
      .entity = run_pick(run, step->a),
      .component = component,
      .field = step->c % run->oracle.components[component].field_count};
  const ecs_Status expected =
      oracle_get(&run->oracle, arguments.entity, component, &values);
  if (!run_expecting(run, call_get_field, &arguments, 0, answers, expected))
    return;
  for (uint32_t i = 0; i < run->instance_count; i++) {
    MUST(run, oracle_equal(answers[i].number, values[arguments.field]),
         "world %u reads %.17g instead of %.17g", i, answers[i].number,
         values[arguments.field]);
  }
}

/* Asking ------------------------------------------------------------------ */

void step_has(Run *run, const Step *step) {
  const ecs_Entity entity = run_pick(run, step->a);
  const ecs_Component component = step->b % (ORACLE_COMPONENTS + 3);
  const bool expected = oracle_has(&run->oracle, entity, component);
  for (uint32_t i = 0; i < run->instance_count; i++) {
    MUST(run, ecs_has(run->instances[i].world, entity, component) == expected,
         "world %u, component %u", i, component);
  }
  run_note(run, ECS_OK);
}

void step_alive(Run *run, const Step *step) {
  const ecs_Entity entity =
      step->b % 16 == 0 ? (ecs_Entity)step->seed : run_pick(run, step->a);
  for (uint32_t i = 0; i < run->instance_count; i++) {
    MUST(run,
         ecs_alive(run->instances[i].world, entity) ==
             oracle_alive(&run->oracle, entity),
         "world %u, entity %llx", i, (unsigned long long)entity);
  }
  run_note(run, ECS_OK);
}

/* With too little room as well: only what fits is written. */
void step_components_of(Run *run, const Step *step) {
  const ecs_Entity entity = run_pick(run, step->a);
  ecs_Component expected[ORACLE_COMPONENTS];
  const uint32_t count = oracle_components_of(&run->oracle, entity, expected);
  const uint32_t room = step->b % (ORACLE_COMPONENTS + 1);
  for (uint32_t i = 0; i < run->instance_count; i++) {
    ecs_Component seen[ORACLE_COMPONENTS + 1];
    memset(seen, 0xff, sizeof seen);
    const uint32_t told =
        ecs_components_of(run->instances[i].world, entity, seen, room);
    MUST(run, told == count, "world %u tells %u instead of %u", i, told, count);
    MUST(run, seen[room] == UINT32_MAX, "world %u writes past the end", i);
    MUST(run,
         memcmp(seen, expected, (count < room ? count : room) * sizeof *seen) ==
             0,
         "world %u names other components", i);
  }
  run_note(run, ECS_OK);
}

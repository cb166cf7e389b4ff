/* run_accessor.c: the steps that use accessors, and rows in line beside them.
 *
 * Accessors are created once per world and used across every regrouping;
 * sometimes one is created again. A call for many entities gets living and dead
 * ones and repeats some. Elements of entities that are not found must stay as
 * they were.
 */
#include <string.h>

#include "run.h"
#include "world/world.h"

#define MANY 70u /* more than any distance of prefetching in the core */

/* The arguments and results of one call for many entities, per world. */
typedef struct Columns {
  uint64_t cells[ORACLE_FIELDS][MANY];
  void *pointers[ORACLE_FIELDS];
  uint32_t found;
} Columns;

typedef struct Many {
  ecs_Component component;
  uint32_t count;
  ecs_Entity entities[MANY];
  Columns columns[INSTANCES];
} Many;

static ecs_Status call_make(Instance *instance, const Arguments *arguments,
                            Answer *answer) {
  (void)answer;
  return ecs_accessor(instance->world, arguments->component,
                      &instance->accessors[arguments->component]);
}

void step_accessor_make(Run *run, const Step *step) {
  Answer answers[INSTANCES];
  const Arguments arguments = {.component = run_component(run, step->b)};
  const bool tag = run->oracle.components[arguments.component].field_count == 0;
  run_expecting(run, call_make, &arguments, 0, answers,
                tag ? ECS_E_COMPONENT : ECS_OK);
}

/* One entity -------------------------------------------------------------- */

static ecs_Status call_get(Instance *instance, const Arguments *arguments,
                           Answer *answer) {
  ecs_Component component = arguments->component;
  uint64_t image[ORACLE_IMAGE_BYTES / 8] = {0};
  ecs_Status in_line =
      ecs_rows_get(&instance->rows[component], arguments->entity, image);
  ecs_Status status = ecs_accessor_get(&instance->accessors[component],
                                       arguments->entity, answer->image);
  bool same =
      status != ECS_OK || memcmp(image, answer->image, sizeof image) == 0;
  return in_line == status && same ? status : ECS_STATUS_COUNT - 1;
}

void step_accessor_get(Run *run, const Step *step) {
  const double *values = NULL;
  Answer answers[INSTANCES];
  const Arguments arguments = {.entity = run_pick(run, step->a),
                               .component = run_field_component(run, step->b)};
  const OracleComponent *schema = &run->oracle.components[arguments.component];
  const ecs_Status expected =
      oracle_get(&run->oracle, arguments.entity, arguments.component, &values);
  if (!run_expecting(run, call_get, &arguments, 0, answers, expected)) return;
  for (uint32_t i = 0; i < run->instance_count; i++) {
    MUST(run, oracle_image_equals(schema, values, answers[i].image),
         "world %u has other values", i);
  }
}

static ecs_Status call_set(Instance *instance, const Arguments *arguments,
                           Answer *answer) {
  (void)answer;
  if (arguments->keep)
    return ecs_rows_set(&instance->rows[arguments->component],
                        arguments->entity, arguments->image);
  return ecs_accessor_set(&instance->accessors[arguments->component],
                          arguments->entity, arguments->image);
}

void step_accessor_set(Run *run, const Step *step) {
  Random random = random_make(step->seed);
  double values[ORACLE_FIELDS];
  uint64_t image[ORACLE_IMAGE_BYTES / 8];
  Answer answers[INSTANCES];
  const ecs_Component component = run_field_component(run, step->b);
  random_image(&run->oracle.components[component], &random, values, image);
  const Arguments arguments = {.entity = run_pick(run, step->a),
                               .component = component,
                               .image = image,
                               .keep = step->c % 2 == 0};
  const ecs_Status status =
      run_everywhere(run, call_set, &arguments, 0, answers);
  if (status == ECS_E_LIMIT) return;
  const ecs_Status expected =
      oracle_accessor_set(&run->oracle, arguments.entity, component, values);
  MUST(run, status == expected, "%s instead of %s", ecs_status_name(status),
       ecs_status_name(expected));
}

/* Many entities ----------------------------------------------------------- */

static void pick_many(Run *run, const Step *step, Random *random, Many *many) {
  memset(many, 0, sizeof *many);
  many->component = run_field_component(run, step->b);
  many->count = step->c % (MANY + 1);
  for (uint32_t i = 0; i < many->count; i++)
    many->entities[i] = run_pick(run, (uint32_t)(random_next(random) >> 32));
  for (uint32_t w = 0; w < INSTANCES; w++) {
    memset(many->columns[w].cells, 0x5c, sizeof many->columns[w].cells);
    for (uint32_t f = 0; f < ORACLE_FIELDS; f++)
      many->columns[w].pointers[f] = many->columns[w].cells[f];
  }
}

static void *cell(const OracleComponent *schema, Columns *columns,
                  uint32_t field, uint32_t row) {
  return (unsigned char *)columns->cells[field] +
         (size_t)row * oracle_scalar_bytes(schema->types[field]);
}

static void check_columns(Run *run, Many *many, uint32_t world) {
  const OracleComponent *schema = &run->oracle.components[many->component];
  unsigned char untouched[8];
  uint32_t found = 0;
  memset(untouched, 0x5c, sizeof untouched);
  for (uint32_t i = 0; i < many->count; i++) {
    const double *values = NULL;
    const bool there = oracle_get(&run->oracle, many->entities[i],
                                  many->component, &values) == ECS_OK;
    found += there;
    for (uint32_t f = 0; f < schema->field_count; f++) {
      const void *place = cell(schema, &many->columns[world], f, i);
      MUST(run,
           there ? oracle_equal(oracle_load(schema->types[f], place), values[f])
                 : memcmp(place, untouched,
                          oracle_scalar_bytes(schema->types[f])) == 0,
           "world %u, entity %u of %u, field %u", world, i, many->count, f);
    }
  }
  MUST(run, many->columns[world].found == found,
       "world %u found %u instead of %u", world, many->columns[world].found,
       found);
}

void step_accessor_get_many(Run *run, const Step *step) {
  Random random = random_make(step->seed);
  Many many;
  const double *values;
  pick_many(run, step, &random, &many);
  const bool refused =
      oracle_get(&run->oracle, 0, many.component, &values) == ECS_E_ACCESS;
  for (uint32_t w = 0; w < run->instance_count; w++) {
    const ecs_Status status = ecs_accessor_get_many(
        &run->instances[w].accessors[many.component], many.entities, many.count,
        many.columns[w].pointers,
        step->c % 5 == 0 && refused ? NULL : &many.columns[w].found);
    MUST(run, status == (refused ? ECS_E_ACCESS : ECS_OK), "world %u: %s", w,
         ecs_status_name(status));
    if (!refused) check_columns(run, &many, w);
    run_note(run, status);
  }
}

/* The same values for every world, and for the oracle one by one. */
static void fill_columns(Run *run, Random *random, Many *many,
                         double (*values)[ORACLE_FIELDS]) {
  const OracleComponent *schema = &run->oracle.components[many->component];
  for (uint32_t i = 0; i < many->count; i++) {
    uint64_t image[ORACLE_IMAGE_BYTES / 8];
    random_image(schema, random, values[i], image);
    for (uint32_t f = 0; f < schema->field_count; f++) {
      for (uint32_t w = 0; w < run->instance_count; w++) {
        memcpy(cell(schema, &many->columns[w], f, i),
               (const unsigned char *)image + schema->offsets[f],
               oracle_scalar_bytes(schema->types[f]));
      }
    }
  }
}

/* True: count more commands may exceed what can be recorded at once. */
static bool recording_is_full(const Instance *instance, uint32_t count) {
  return instance->world->commands.command_count + count > ECS_COMMAND_LIMIT;
}

/* Calls every world. True: the limit of commands kept the call from changing
 * anything in some of them. */
static bool set_many_everywhere(Run *run, Many *many, ecs_Status *statuses) {
  uint32_t limited = 0;
  for (uint32_t w = 0; w < run->instance_count; w++) {
    Instance *instance = &run->instances[w];
    const bool full = recording_is_full(instance, many->count);
    statuses[w] = ecs_accessor_set_many(
        &instance->accessors[many->component], many->entities, many->count,
        (const void *const *)many->columns[w].pointers,
        &many->columns[w].found);
    limited += statuses[w] == ECS_E_LIMIT;
    MUST(run, full || statuses[w] != ECS_E_LIMIT,
         "world %u answers ECS_E_LIMIT, but there is none", w);
  }
  if (limited == 0) return false;
  run->stopped = limited < run->instance_count;
  run_note(run, ECS_E_LIMIT);
  return true;
}

void step_accessor_set_many(Run *run, const Step *step) {
  Random random = random_make(step->seed);
  Many many;
  double values[MANY][ORACLE_FIELDS];
  ecs_Status statuses[INSTANCES];
  uint32_t found = 0;
  ecs_Status expected = ECS_OK;
  pick_many(run, step, &random, &many);
  fill_columns(run, &random, &many, values);
  if (set_many_everywhere(run, &many, statuses)) return;
  for (uint32_t i = 0; i < many.count; i++) {
    const ecs_Status status = oracle_accessor_set(
        &run->oracle, many.entities[i], many.component, values[i]);
    if (status == ECS_E_ACCESS) expected = ECS_E_ACCESS;
    found += status == ECS_OK;
  }
  for (uint32_t w = 0; w < run->instance_count && many.count > 0; w++) {
    MUST(run, statuses[w] == expected, "world %u: %s instead of %s", w,
         ecs_status_name(statuses[w]), ecs_status_name(expected));
    MUST(run, statuses[w] != ECS_OK || many.columns[w].found == found,
         "world %u found %u instead of %u", w, many.columns[w].found, found);
    run_note(run, statuses[w]);
  }
}

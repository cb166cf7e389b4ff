/* run_changed.c: the steps of queries that ask for changes, or for an order.
 *
 * A slot has such a query in every world, and what the oracle held when the last
 * walk was seen. A walk may show any entities that match; it must show those
 * whose components differ from then, and those that did not match. Such entities
 * are written by some walks, which does not count for the walk itself:
 *
 *      seen       e1 x=1      e2 x=5
 *      now        e1 x=1      e2 x=6      e3 x=0
 *      a walk     (e1)        e2          e3          must not leave out e2, e3
 *      again      nothing, once the walk was marked as seen
 *
 * Where the query asks for an order, what a walk shows is in it; entities that are
 * equal may come in any order, which differs from world to world.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* Queries ----------------------------------------------------------------- */

static ecs_Status call_create(Instance *instance, const Arguments *arguments,
                              Answer *answer) {
  ecs_Query *query = NULL;
  (void)answer;
  ecs_Status status = ecs_query_create(instance->world, arguments->terms,
                                       arguments->count, &query);
  for (uint32_t t = 0; status == ECS_OK && t < arguments->count; t++)
    if (arguments->fields >> t & 1) status = ecs_query_ask_changes(query, t);
  if (status == ECS_OK && arguments->watch->sorted)
    status = ecs_query_sort(query, arguments->watch->order,
                            arguments->watch->field, arguments->watch->down);
  instance->watches[arguments->slot] = query;
  return status;
}

static void forget(Run *run, uint32_t slot) {
  Watch *watch = &run->watches[slot];
  for (uint32_t i = 0; i < run->instance_count; i++) {
    MUST(run, ecs_query_destroy(run->instances[i].watches[slot]) == ECS_OK,
         "world %u: a query is open", i);
    run->instances[i].watches[slot] = NULL;
  }
  free(watch->seen);
  memset(watch, 0, sizeof *watch);
}

void run_end_watches(Run *run) {
  for (uint32_t slot = 0; slot < WATCH_SLOTS; slot++)
    free(run->watches[slot].seen);
}

/* Most queries get an order, if they have a term to sort by. */
static void choose_order(const Run *run, Random *random, Watch *watch) {
  for (uint32_t t = 0; t < watch->count && !watch->sorted; t++) {
    const ecs_Term term = watch->terms[t];
    const uint32_t fields = run->oracle.components[term.component].field_count;
    if (fields == 0 || random_below(random, 3) == 0) continue;
    if (term.access != ECS_WRITE && term.access != ECS_READ &&
        term.access != ECS_WITH)
      continue;
    watch->sorted = true;
    watch->order = t;
    watch->field = random_below(random, fields);
    watch->down = random_below(random, 2) == 0;
  }
}

void step_watch_create(Run *run, const Step *step) {
  Random random = random_make(step->seed);
  const uint32_t slot = step->a % WATCH_SLOTS;
  Watch *watch = &run->watches[slot];
  Answer answers[INSTANCES];
  forget(run, slot);
  watch->count = run_random_terms(run, &random, watch->terms);
  for (uint32_t t = 0; t < watch->count; t++)
    if (watch->terms[t].access != ECS_WITHOUT && random_below(&random, 4) != 0)
      watch->asked |= 1u << t;
  choose_order(run, &random, watch);
  const Arguments arguments = {.slot = slot,
                               .terms = watch->terms,
                               .count = watch->count,
                               .watch = watch,
                               .fields = watch->asked};
  watch->made = (watch->asked != 0 || watch->sorted) &&
                run_expecting(run, call_create, &arguments, 0, answers, ECS_OK);
  if (!watch->made && !run->stopped) forget(run, slot);
}

/* What must be shown ------------------------------------------------------ */

static bool matches(const Watch *watch, const OracleEntity *entity) {
  return oracle_matches(entity, watch->terms, watch->count);
}

/* Has a component come, or another value? */
static bool differs(const Run *run, const OracleEntity *before,
                    const OracleEntity *now, ecs_Component c) {
  if (!now->has[c]) return false;
  if (!before->has[c]) return true;
  for (uint32_t f = 0; f < run->oracle.components[c].field_count; f++)
    if (!oracle_equal(before->values[c][f], now->values[c][f])) return true;
  return false;
}

/* Must a walk show the entity at this position of the oracle? */
static bool must_show(const Run *run, const Watch *watch, uint32_t at) {
  const OracleEntity *now = &run->oracle.entities[at];
  if (!matches(watch, now)) return false;
  if (watch->asked == 0) return true;
  if (at >= watch->seen_count || !matches(watch, &watch->seen[at])) return true;
  for (uint32_t t = 0; t < watch->count; t++)
    if ((watch->asked >> t & 1) != 0 &&
        differs(run, &watch->seen[at], now, watch->terms[t].component))
      return true;
  return false;
}

static void remember(const Run *run, Watch *watch) {
  const uint32_t count = run->oracle.entity_count;
  free(watch->seen);
  watch->seen = malloc((count + 1) * sizeof *watch->seen);
  if (watch->seen == NULL) abort();
  if (count > 0)
    memcpy(watch->seen, run->oracle.entities, count * sizeof *watch->seen);
  watch->seen_count = count;
}

/* Walks ------------------------------------------------------------------- */

typedef struct Walk {
  Run *run;
  const Watch *watch;
  uint64_t salt; /* of the values that it writes; 0: it writes none */
  uint32_t world;
  unsigned char *shown;     /* by position */
  const OracleEntity *last; /* that was shown; NULL: none */
} Walk;

/* Does a value come before another? NaNs are the last. */
static bool comes_before(const Watch *watch, double a, double b) {
  if (a != a || b != b) return a == a && b != b;
  return watch->down ? a > b : a < b;
}

static void check_order(Walk *walk, const OracleEntity *entity) {
  const Watch *watch = walk->watch;
  const OracleEntity *last = walk->last;
  const ecs_Component c = watch->terms[watch->order].component;
  walk->last = entity;
  if (!watch->sorted || last == NULL) return;
  MUST(walk->run,
       !comes_before(watch, entity->values[c][watch->field],
                     last->values[c][watch->field]),
       "world %u shows %g behind %g", walk->world,
       entity->values[c][watch->field], last->values[c][watch->field]);
}

static bool is_written(const Walk *walk, uint32_t term) {
  const ecs_Term asked = walk->watch->terms[term];
  return walk->salt != 0 &&
         (asked.access == ECS_WRITE || asked.access == ECS_OPTIONAL);
}

static double value_of(const Walk *walk, ecs_Entity entity, uint32_t term,
                       uint32_t field, ecs_Scalar type) {
  Random random =
      random_make(walk->salt ^ entity * 31 ^ term * 7919 ^ field * 104729);
  return random_value(&random, type);
}

static uint32_t show(Walk *walk, ecs_Entity handle) {
  Run *run = walk->run;
  const OracleEntity *entity = oracle_find(&run->oracle, handle);
  MUST(run, entity != NULL && matches(walk->watch, entity),
       "world %u shows %llx, which does not match", walk->world,
       (unsigned long long)handle);
  const uint32_t at = (uint32_t)(entity - run->oracle.entities);
  MUST(run, !walk->shown[at], "world %u shows %llx twice", walk->world,
       (unsigned long long)handle);
  walk->shown[at] = 1;
  check_order(walk, entity);
  return at;
}

static void write_row(const Walk *walk, const ecs_Batch *batch, uint32_t row) {
  const Oracle *oracle = &walk->run->oracle;
  uint32_t first = 0;
  for (uint32_t t = 0; t < walk->watch->count; t++) {
    const ecs_Term term = walk->watch->terms[t];
    const OracleComponent *schema = &oracle->components[term.component];
    if (term.access > ECS_OPTIONAL) continue; /* no columns */
    for (uint32_t f = 0; f < schema->field_count; f++, first++) {
      const ecs_Scalar type = schema->types[f];
      unsigned char *column = batch->columns[first];
      if (column == NULL || !is_written(walk, t)) continue;
      oracle_store(type, column + (size_t)row * oracle_scalar_bytes(type),
                   value_of(walk, batch->entities[row], t, f, type));
    }
  }
}

/* Every world writes those that every world shows. */
static void walk_batches(Walk *walk, ecs_Cursor *cursor) {
  ecs_Batch batch;
  while (ecs_cursor_next(cursor, &batch))
    for (uint32_t i = 0; i < batch.count; i++)
      if (must_show(walk->run, walk->watch, show(walk, batch.entities[i])))
        write_row(walk, &batch, i);
}

static void walk_entities(Walk *walk, ecs_Query *query) {
  uint64_t count = 0;
  MUST(walk->run, ecs_query_count(query, &count) == ECS_OK, "no count");
  ecs_Entity *entities = malloc((count + 1) * sizeof *entities);
  if (entities == NULL) abort();
  const uint64_t room = count;
  MUST(walk->run,
       ecs_query_entities(query, entities, room, &count) == ECS_OK &&
           count == room,
       "world %u: %llu entities, not %llu", walk->world,
       (unsigned long long)count, (unsigned long long)room);
  for (uint64_t i = 0; i < count; i++) show(walk, entities[i]);
  free(entities);
}

/* The oracle gets the values at the end, when all worlds have them. */
static void write_oracle(const Walk *walk, OracleEntity *entity) {
  const Oracle *oracle = &walk->run->oracle;
  for (uint32_t t = 0; t < walk->watch->count; t++) {
    const ecs_Component c = walk->watch->terms[t].component;
    if (!entity->has[c] || !is_written(walk, t)) continue;
    for (uint32_t f = 0; f < oracle->components[c].field_count; f++)
      entity->values[c][f] =
          value_of(walk, entity->handle, t, f, oracle->components[c].types[f]);
  }
}

static ecs_Status call_begin(Instance *instance, const Arguments *arguments,
                             Answer *answer) {
  (void)answer;
  return ecs_query_begin(instance->watches[arguments->slot],
                         arguments->batching,
                         &instance->cursors[arguments->field]);
}

static void check_shown(const Walk *walk) {
  for (uint32_t i = 0; i < walk->run->oracle.entity_count; i++)
    MUST(walk->run, walk->shown[i] || !must_show(walk->run, walk->watch, i),
         "world %u passes over %llx", walk->world,
         (unsigned long long)walk->run->oracle.entities[i].handle);
}

static void walk_world(Walk *walk, uint32_t slot, bool entities,
                       ecs_Cursor *cursor) {
  Instance *instance = &walk->run->instances[walk->world];
  walk->shown = calloc(walk->run->oracle.entity_count + 1, 1);
  if (walk->shown == NULL) abort();
  walk->last = NULL;
  if (entities)
    walk_entities(walk, instance->watches[slot]);
  else
    walk_batches(walk, cursor);
  check_shown(walk);
  free(walk->shown);
}

/* A walk that was marked as seen leaves nothing for the next. */
static void check_seen(Run *run, uint32_t slot) {
  for (uint32_t i = 0; i < run->instance_count && run->watches[slot].asked != 0;
       i++) {
    uint64_t count = 1;
    ecs_query_mark_seen(run->instances[i].watches[slot]);
    MUST(run,
         ecs_query_count(run->instances[i].watches[slot], &count) == ECS_OK &&
             count == 0,
         "world %u shows %llu again", i, (unsigned long long)count);
  }
}

static void watch_access(const Run *run, const Watch *watch, uint32_t *reads,
                         uint32_t *writes) {
  *reads = *writes = 0;
  for (uint32_t t = 0; t < watch->count; t++) {
    const ecs_Term term = watch->terms[t];
    if (run->oracle.components[term.component].field_count == 0) continue;
    const bool ordered = watch->sorted && watch->order == t;
    if (term.access == ECS_READ || ordered) *reads |= 1u << term.component;
    if (term.access == ECS_WRITE || term.access == ECS_OPTIONAL)
      *writes |= 1u << term.component;
  }
}

void step_watch_walk(Run *run, const Step *step) {
  const uint32_t slot = step->a % WATCH_SLOTS;
  const uint32_t depth = run->oracle.scope_count;
  const bool entities = step->b % 4 == 0;
  Watch *watch = &run->watches[slot];
  uint32_t reads, writes;
  Answer answers[INSTANCES];
  if (!watch->made) return;
  watch_access(run, watch, &reads, &writes);
  const Arguments arguments = {
      .slot = slot, .batching = (ecs_Batching)(step->b % 2), .field = depth};
  const ecs_Status expected = oracle_judge_access(&run->oracle, reads, writes);
  if (entities && expected != ECS_OK) return;
  if (!entities &&
      !run_expecting(run, call_begin, &arguments, 0, answers, expected))
    return;
  Walk walk = {.run = run,
               .watch = watch,
               .salt = step->c % 2 == 0 || entities ? 0 : step->seed | 1};
  for (uint32_t i = 0; i < run->instance_count; i++) {
    ecs_Cursor *cursor = &run->instances[i].cursors[depth];
    walk.world = i;
    walk_world(&walk, slot, entities, cursor);
    if (!entities && step->c % 8 == 7)
      ecs_cursor_discard(cursor);
    else if (!entities)
      MUST(run, ecs_cursor_end(cursor) == ECS_OK, "world %u", i);
  }
  for (uint32_t i = 0; i < run->oracle.entity_count; i++)
    if (walk.salt != 0 && must_show(run, watch, i))
      write_oracle(&walk, &run->oracle.entities[i]);
  run_note(run, ECS_OK);
  if (step->c % 3 == 0) return;
  check_seen(run, slot);
  remember(run, watch);
}

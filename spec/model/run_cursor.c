/* run_cursor.c: the steps that open and end cursors and deferrals.
 *
 * A cursor shows every matching entity once; each value in a batch is compared
 * with the oracle. A cursor that writes gives each entity values made from its
 * handle and from a salt of the cursor, so that the order of rows, which
 * differs from world to world, does not matter. The oracle gets the values when
 * the cursors of all worlds have ended.
 *
 *      begin    one batch, or all of them, in every world
 *      ...      other steps, with the cursors open and a batch out
 *      end      the rest of the batches, unless the cursor ends early
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* Access ------------------------------------------------------------------ */

static bool has_columns(const Run *run, ecs_Term term) {
  return run->oracle.components[term.component].field_count > 0 &&
         term.access < ECS_WITH;
}

static void terms_access(const Run *run, const ecs_Term *terms, uint32_t count,
                         uint32_t *reads, uint32_t *writes) {
  *reads = *writes = 0;
  for (uint32_t t = 0; t < count; t++) {
    if (!has_columns(run, terms[t])) continue;
    if (terms[t].access == ECS_READ)
      *reads |= 1u << terms[t].component;
    else
      *writes |= 1u << terms[t].component;
  }
}

/* Values that a cursor writes --------------------------------------------- */

static double written_value(const Scope *scope, ecs_Entity entity,
                            uint32_t term, uint32_t field, ecs_Scalar type) {
  Random random =
      random_make(scope->salt ^ entity * 31 ^ term * 7919 ^ field * 104729);
  return random_value(&random, type);
}

/* Some cursors leave some of their terms unwritten. */
static bool writes_term(const Run *run, const Scope *scope, uint32_t term) {
  return scope->writes && scope->terms[term].access != ECS_READ &&
         has_columns(run, scope->terms[term]) && (scope->salt >> term & 3) != 0;
}

static void write_oracle(Run *run, const Scope *scope, OracleEntity *entity) {
  for (uint32_t t = 0; t < scope->term_count; t++) {
    const ecs_Component c = scope->terms[t].component;
    const OracleComponent *schema = &run->oracle.components[c];
    if (!entity->has[c] || !writes_term(run, scope, t)) continue;
    for (uint32_t f = 0; f < schema->field_count; f++)
      entity->values[c][f] =
          written_value(scope, entity->handle, t, f, schema->types[f]);
  }
}

/* Batches ----------------------------------------------------------------- */

/* One term's columns of one row: as the oracle has them; then written. */
static void visit_columns(Run *run, const Scope *scope, uint32_t world,
                          const OracleEntity *entity, const ecs_Batch *batch,
                          uint32_t row, uint32_t term, uint32_t first) {
  const ecs_Component c = scope->terms[term].component;
  const OracleComponent *schema = &run->oracle.components[c];
  for (uint32_t f = 0; f < schema->field_count; f++) {
    const ecs_Scalar type = schema->types[f];
    unsigned char *column = batch->columns[first + f];
    MUST(run, (column != NULL) == entity->has[c],
         "world %u, entity %llx: column of component %u", world,
         (unsigned long long)entity->handle, c);
    if (column == NULL) continue;
    void *place = column + (size_t)row * oracle_scalar_bytes(type);
    MUST(run, oracle_equal(oracle_load(type, place), entity->values[c][f]),
         "world %u, entity %llx, component %u, field %u: %.17g, not %.17g",
         world, (unsigned long long)entity->handle, c, f,
         oracle_load(type, place), entity->values[c][f]);
    if (writes_term(run, scope, term))
      oracle_store(type, place,
                   written_value(scope, entity->handle, term, f, type));
  }
}

static void visit_row(Run *run, Scope *scope, uint32_t world,
                      const ecs_Batch *batch, uint32_t row) {
  const OracleEntity *entity = oracle_find(&run->oracle, batch->entities[row]);
  const unsigned long long name = batch->entities[row];
  MUST(
      run,
      entity != NULL && oracle_matches(entity, scope->terms, scope->term_count),
      "world %u shows %llx, which does not match", world, name);
  const size_t at = (size_t)(entity - run->oracle.entities);
  MUST(run, at < scope->known && !scope->seen[world][at],
       "world %u shows %llx twice", world, name);
  scope->seen[world][at] = 1;
  scope->seen_count[world]++;
  uint32_t first = 0;
  for (uint32_t t = 0; t < scope->term_count; t++) {
    if (!has_columns(run, scope->terms[t])) continue;
    visit_columns(run, scope, world, entity, batch, row, t, first);
    first += run->oracle.components[scope->terms[t].component].field_count;
  }
  MUST(run, first == batch->column_count, "world %u: %u columns", world,
       batch->column_count);
}

/* False: the cursor has no more batches. */
static bool visit_batch(Run *run, Scope *scope, uint32_t world,
                        ecs_Cursor *cursor) {
  ecs_Batch batch;
  if (scope->finished[world]) return false;
  if (!ecs_cursor_next(cursor, &batch)) {
    scope->finished[world] = true;
    MUST(run, scope->seen_count[world] == scope->expected,
         "world %u showed %u entities instead of %u", world,
         scope->seen_count[world], scope->expected);
    return false;
  }
  MUST(run, batch.count > 0, "world %u hands out an empty batch", world);
  for (uint32_t i = 0; i < batch.count; i++)
    visit_row(run, scope, world, &batch, i);
  return true;
}

/* Beginning --------------------------------------------------------------- */

static ecs_Status call_begin(Instance *instance, const Arguments *arguments,
                             Answer *answer) {
  ecs_Query *query = instance->queries[arguments->slot];
  ecs_Status status = ECS_OK;
  (void)answer;
  if (query == NULL) {
    status = ecs_query_create(instance->world, arguments->terms,
                              arguments->count, &query);
    if (status != ECS_OK) return status;
    instance->queries[arguments->slot] = query;
  }
  return ecs_query_begin(query, arguments->batching,
                         &instance->cursors[arguments->field]);
}

static Scope *push_scope(Run *run, ScopeKind kind, uint32_t reads,
                         uint32_t writes) {
  Scope *scope = &run->scopes[run->oracle.scope_count];
  memset(scope, 0, sizeof *scope);
  scope->kind = kind;
  oracle_scope_begin(&run->oracle, reads, writes);
  return scope;
}

static void expect_matches(Run *run, Scope *scope) {
  scope->known = run->oracle.entity_count;
  for (uint32_t i = 0; i < scope->known; i++)
    scope->expected += oracle_matches(&run->oracle.entities[i], scope->terms,
                                      scope->term_count);
  for (uint32_t w = 0; w < run->instance_count; w++) {
    scope->seen[w] = calloc(scope->known + 1, 1);
    if (scope->seen[w] == NULL) abort();
  }
}

/* The contested component is one of the query and held by an open scope. */
static void check_contested(Run *run, uint32_t asked) {
  uint32_t held = 0;
  for (uint32_t i = 0; i < run->oracle.scope_count; i++)
    held |= run->oracle.scopes[i].reads | run->oracle.scopes[i].writes;
  for (uint32_t i = 0; i < run->instance_count; i++) {
    const ecs_Component blamed = ecs_world_contested(run->instances[i].world);
    MUST(run, (asked & held) >> blamed & 1, "world %u blames component %u", i,
         blamed);
  }
}

/* Opens a cursor over a slot's query. NULL: opening is refused, as it must be,
 * or cursors nest too deep. */
static Scope *begin_cursor(Run *run, const Step *step) {
  const uint32_t slot = step->a % QUERY_SLOTS;
  const uint32_t depth = run->oracle.scope_count;
  uint32_t reads, writes;
  Answer answers[INSTANCES];
  const Arguments arguments = {
      .slot = slot,
      .terms = run->query_terms[slot],
      .count = run->query_term_counts[slot],
      .batching = step->b % 2 == 0 ? ECS_BATCH_WHOLE : ECS_BATCH_COALESCED,
      .field = depth};
  terms_access(run, arguments.terms, arguments.count, &reads, &writes);
  const ecs_Status expected = oracle_judge_access(&run->oracle, reads, writes);
  if (!run_expecting(run, call_begin, &arguments, 0, answers, expected)) {
    if (expected == ECS_E_ACCESS) check_contested(run, reads | writes);
    return NULL;
  }
  MUST(run, depth < ECS_NESTING_LIMIT, "%u levels are open", depth);
  Scope *scope = push_scope(run, SCOPE_CURSOR, reads, writes);
  memcpy(scope->terms, arguments.terms, sizeof scope->terms);
  scope->slot = slot;
  scope->term_count = arguments.count;
  scope->salt = step->seed;
  scope->whole = step->c % 4 != 0;
  scope->writes = scope->whole && step->c % 8 != 1;
  expect_matches(run, scope);
  return scope;
}

static void carry_on(Run *run, uint32_t depth, bool to_the_end) {
  Scope *scope = &run->scopes[depth];
  for (uint32_t w = 0; w < run->instance_count; w++) {
    while (visit_batch(run, scope, w, &run->instances[w].cursors[depth]) &&
           to_the_end) {
    }
  }
}

void step_cursor_begin(Run *run, const Step *step) {
  if (begin_cursor(run, step) != NULL)
    carry_on(run, run->oracle.scope_count - 1, step->c % 3 == 0);
}

void step_cursor_whole(Run *run, const Step *step) {
  Scope *scope = begin_cursor(run, step);
  if (scope == NULL) return;
  if (scope->whole) carry_on(run, run->oracle.scope_count - 1, true);
  run_end_scope(run, step->c % 16 != 7);
}

/* Reads a query, makes one change, and reads the query again. A cache of rows
 * that the change made stale without counting it shows at once. */
void step_cursor_again(Run *run, const Step *step) {
  static StepFunction *const changes[] = {
      step_bulk_add, step_bulk_remove, step_bulk_destroy, step_bulk_set,
      step_bulk_add, step_bulk_remove, step_add,          step_remove,
      step_destroy,  step_spawn_many,  step_spawn_bundle, step_group};
  Random random = random_make(step->seed);
  const Step whole = {step->kind, step->a, step->b, 1 + step->c % 2,
                      random_next(&random)};
  const uint32_t kind =
      random_below(&random, (uint32_t)(sizeof changes / sizeof *changes));
  const Step change = {step->kind, random_below(&random, UINT32_MAX),
                       random_below(&random, UINT32_MAX),
                       random_below(&random, UINT32_MAX), random_next(&random)};
  step_cursor_whole(run, &whole);
  if (!run->stopped) changes[kind](run, &change);
  if (run->stopped) return;
  run_claim_unnamed(run);
  step_cursor_whole(run, &whole);
}

/* A few more batches of some open cursor, not always the innermost. */
void step_cursor_step(Run *run, const Step *step) {
  const uint32_t depth = run->oracle.scope_count;
  for (uint32_t i = 0; i < depth; i++) {
    const uint32_t at = (step->a + i) % depth;
    if (run->scopes[at].kind != SCOPE_CURSOR) continue;
    carry_on(run, at, false);
    run_note(run, ECS_OK);
    return;
  }
}

/* Filling new rows -------------------------------------------------------- */

static ecs_Status call_fill(Instance *instance, const Arguments *arguments,
                            Answer *answer) {
  ecs_Bundle *bundle = &instance->bundles[arguments->list];
  const ecs_Status status = ecs_bundle(instance->world, arguments->components,
                                       arguments->count, bundle);
  (void)answer;
  if (status != ECS_OK) return status;
  return ecs_spawn_many(instance->world, *bundle, arguments->fields,
                        &instance->cursors[arguments->field]);
}

/* New rows hold the defaults; they are filled by position, which is the same
 * in every world. */
static void fill_row(Run *run, const Step *step, const ecs_Batch *batch,
                     uint32_t row, const Arguments *arguments,
                     double (*values)[ORACLE_FIELDS]) {
  Random random = random_make(step->seed + row);
  uint32_t first = 0;
  for (uint32_t i = 0; i < arguments->count; i++) {
    const ecs_Component c = arguments->components[i];
    const OracleComponent *schema = &run->oracle.components[c];
    for (uint32_t f = 0; f < schema->field_count; f++, first++) {
      const ecs_Scalar type = schema->types[f];
      unsigned char *place = (unsigned char *)batch->columns[first] +
                             (size_t)row * oracle_scalar_bytes(type);
      MUST(run, oracle_equal(oracle_load(type, place), schema->defaults[f]),
           "a new row of component %u is %g", c, oracle_load(type, place));
      values[c][f] = schema->defaults[f];
      if (step->a % 4 == 0) continue;
      values[c][f] = random_value(&random, type);
      oracle_store(type, place, values[c][f]);
    }
  }
  MUST(run, first == batch->column_count, "%u columns", batch->column_count);
}

/* Goes through the new rows of one world; those of the first world are given to
 * the oracle. Returns the number of rows. */
static uint32_t fill_world(Run *run, const Step *step, uint32_t world,
                           const Arguments *arguments, ecs_Entity *entities) {
  double values[ORACLE_COMPONENTS + 1][ORACLE_FIELDS];
  ecs_Batch batch;
  uint32_t count = 0;
  while (ecs_cursor_next(&run->instances[world].cursors[arguments->field],
                         &batch)) {
    for (uint32_t i = 0; i < batch.count; i++, count++) {
      MUST(run, count < arguments->fields, "world %u fills too many", world);
      fill_row(run, step, &batch, i, arguments, values);
      if (world > 0) {
        MUST(run, batch.entities[i] == entities[count],
             "world %u issues other handles", world);
        continue;
      }
      entities[count] = batch.entities[i];
      MUST(run,
           oracle_spawn(&run->oracle, batch.entities[i],
                        list_mask(arguments->components, arguments->count),
                        (const double(*)[ORACLE_FIELDS])values),
           "handle %llx was issued before",
           (unsigned long long)batch.entities[i]);
    }
  }
  return count;
}

/* The spawn comes before the scope of the cursor, so discarding the cursor does
 * not undo it. Without another open scope the new rows exist at once, claimed
 * by the cursor; otherwise they are staged. */
static void fill_everywhere(Run *run, const Step *step,
                            const Arguments *arguments) {
  const uint32_t handles = (uint32_t)arguments->fields;
  ecs_Entity *entities = calloc(handles + 1, sizeof *entities);
  if (entities == NULL) abort();
  for (uint32_t w = 0; w < run->instance_count; w++) {
    MUST(run, fill_world(run, step, w, arguments, entities) == handles,
         "world %u fills too few", w);
  }
  for (uint32_t i = 0; i < handles; i++)
    run_remember(run, entities[i], step->a + i);
  free(entities);
  const bool at_once = run->oracle.scope_count == 0;
  const uint32_t mask = list_mask(arguments->components, arguments->count);
  uint32_t held = 0;
  for (ecs_Component c = 1; at_once && c <= ORACLE_COMPONENTS; c++) {
    if (run->oracle.components[c].field_count > 0) held |= mask & 1u << c;
  }
  push_scope(run, SCOPE_FILL, 0, held);
}

void step_spawn_many_fill(Run *run, const Step *step) {
  ecs_Component components[8];
  Answer answers[INSTANCES];
  const uint32_t handles = run->program->large ? step->c % 1400 : step->c % 14;
  const Arguments arguments = {.list = step->b % COMPONENT_LISTS,
                               .components = components,
                               .count = run_list(run, step->b, components),
                               .fields = handles,
                               .field = run->oracle.scope_count};
  if (!run_expecting(run, call_fill, &arguments, handles, answers, ECS_OK))
    return;
  MUST(run, run->oracle.scope_count < ECS_NESTING_LIMIT, "%u levels are open",
       run->oracle.scope_count);
  fill_everywhere(run, step, &arguments);
}

/* Deferring and ending ---------------------------------------------------- */

static ecs_Status call_defer(Instance *instance, const Arguments *arguments,
                             Answer *answer) {
  (void)arguments;
  (void)answer;
  return ecs_defer_begin(instance->world);
}

void step_defer_begin(Run *run, const Step *step) {
  Answer answers[INSTANCES];
  const Arguments arguments = {.entity = 0};
  (void)step;
  if (!run_expecting(run, call_defer, &arguments, 0, answers, ECS_OK)) return;
  MUST(run, run->oracle.scope_count < ECS_NESTING_LIMIT, "%u levels are open",
       run->oracle.scope_count);
  push_scope(run, SCOPE_DEFER, 0, 0);
  for (uint32_t i = 0; i < run->instance_count; i++)
    MUST(run, ecs_deferring(run->instances[i].world), "world %u", i);
}

static ecs_Status end_one(Run *run, Instance *instance, bool keep) {
  const uint32_t depth = run->oracle.scope_count - 1;
  ecs_Cursor *cursor = &instance->cursors[depth];
  const bool deferral = run->scopes[depth].kind == SCOPE_DEFER;
  if (keep)
    return deferral ? ecs_defer_end(instance->world) : ecs_cursor_end(cursor);
  if (deferral)
    ecs_defer_discard(instance->world);
  else
    ecs_cursor_discard(cursor);
  return ECS_OK;
}

/* Is it possible that what is recorded does not fit into a table limit? */
static bool may_need_tables(const Run *run, uint32_t world) {
  ecs_Statistics statistics;
  ecs_world_statistics(run->instances[world].world, &statistics);
  return statistics.tables + run->oracle.change_count >= ECS_TABLE_LIMIT;
}

/* Ends it everywhere; true when a limit kept the changes from being applied. */
static bool end_everywhere(Run *run, bool keep) {
  uint32_t limited = 0;
  for (uint32_t w = 0; w < run->instance_count; w++) {
    const ecs_Status status = end_one(run, &run->instances[w], keep);
    MUST(run, status == ECS_OK || status == ECS_E_LIMIT, "world %u: %s", w,
         ecs_status_name(status));
    limited += status == ECS_E_LIMIT;
    MUST(run, status == ECS_OK || may_need_tables(run, w),
         "world %u answers ECS_E_LIMIT, but there is none", w);
    MUST(
        run,
        ecs_deferring(run->instances[w].world) == (run->oracle.scope_count > 1),
        "world %u", w);
  }
  run->stopped = limited > 0 && limited < run->instance_count;
  run_note(run, limited > 0 ? ECS_E_LIMIT : ECS_OK);
  return limited > 0;
}

void run_end_scope(Run *run, bool keep) {
  const uint32_t depth = run->oracle.scope_count - 1;
  Scope *scope = &run->scopes[depth];
  if (scope->kind == SCOPE_CURSOR && scope->whole) carry_on(run, depth, true);
  const bool limited = end_everywhere(run, keep);
  for (uint32_t i = 0; scope->writes && i < scope->known; i++) {
    OracleEntity *entity = &run->oracle.entities[i];
    if (oracle_matches(entity, scope->terms, scope->term_count))
      write_oracle(run, scope, entity);
  }
  oracle_scope_end(&run->oracle, keep && !limited);
  for (uint32_t w = 0; w < INSTANCES; w++) free(scope->seen[w]);
}

void step_end(Run *run, const Step *step) {
  (void)step;
  if (run->oracle.scope_count > 0) run_end_scope(run, true);
}

void step_end_all(Run *run, const Step *step) {
  (void)step;
  while (run->oracle.scope_count > 0 && !run->stopped) run_end_scope(run, true);
}

void step_discard(Run *run, const Step *step) {
  (void)step;
  if (run->oracle.scope_count > 0) run_end_scope(run, false);
}

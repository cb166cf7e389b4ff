/* run_query.c: the steps about queries, kernels and groups. */
#include <string.h>

#include "run.h"

/* Queries ----------------------------------------------------------------- */

static ecs_Status call_create(Instance *instance, const Arguments *arguments,
                              Answer *answer) {
  (void)answer;
  return ecs_query_create(instance->world, arguments->terms, arguments->count,
                          &instance->queries[arguments->slot]);
}

static ecs_Status call_destroy(Instance *instance, const Arguments *arguments,
                               Answer *answer) {
  (void)answer;
  return ecs_query_destroy(instance->queries[arguments->slot]);
}

/* True: a cursor over the slot's query is open. A slot without a query gets one
 * with its first cursor. */
static bool is_open(const Run *run, uint32_t slot) {
  for (uint32_t i = 0; i < run->oracle.scope_count; i++) {
    if (run->scopes[i].kind == SCOPE_CURSOR && run->scopes[i].slot == slot)
      return true;
  }
  return false;
}

/* Destroys the query of a slot; false when it is open and cannot be. */
static bool empty_slot(Run *run, uint32_t slot) {
  Answer answers[INSTANCES];
  const Arguments arguments = {.slot = slot};
  const ecs_Status expected = is_open(run, slot) ? ECS_E_OPEN : ECS_OK;
  if (!run_expecting(run, call_destroy, &arguments, 0, answers, expected))
    return false;
  for (uint32_t i = 0; i < run->instance_count; i++)
    run->instances[i].queries[slot] = NULL;
  run->query_term_counts[slot] = 0;
  return true;
}

uint32_t run_random_terms(const Run *run, Random *random, ecs_Term *terms) {
  static const ecs_Access accesses[] = {ECS_WRITE,    ECS_WRITE, ECS_READ,
                                        ECS_READ,     ECS_WITH,  ECS_WITHOUT,
                                        ECS_OPTIONAL, ECS_ANY,   ECS_ANY};
  const uint32_t wanted = random_below(random, 5);
  uint32_t count = 0, mask = 0;
  for (uint32_t i = 0; i < wanted; i++) {
    const ecs_Component component =
        1 + random_below(random, run->program->components);
    if (mask >> component & 1) continue;
    mask |= 1u << component;
    terms[count++] = (ecs_Term){component, accesses[random_below(random, 9)]};
  }
  return count;
}

void step_query_create(Run *run, const Step *step) {
  Random random = random_make(step->seed);
  const uint32_t slot = step->a % QUERY_SLOTS;
  Answer answers[INSTANCES];
  ecs_Term terms[ORACLE_TERMS];
  if (!empty_slot(run, slot)) return;
  const Arguments arguments = {.slot = slot,
                               .terms = terms,
                               .count = run_random_terms(run, &random, terms)};
  if (!run_expecting(run, call_create, &arguments, 0, answers, ECS_OK)) return;
  memcpy(run->query_terms[slot], terms, sizeof terms);
  run->query_term_counts[slot] = arguments.count;
}

void step_query_bad(Run *run, const Step *step) {
  const ecs_Component c = run_component(run, step->b);
  const ecs_Term twice[] = {{c, ECS_READ}, {c, ECS_WITH}};
  const ecs_Term none[] = {{c, ECS_WITH}, {ORACLE_COMPONENTS + 1, ECS_READ}};
  const ecs_Term zero[] = {{0, ECS_WITHOUT}};
  const ecs_Term *const lists[] = {twice, none, zero};
  Answer answers[INSTANCES];
  const Arguments arguments = {.slot = 0,
                               .terms = lists[step->c % 3],
                               .count = step->c % 3 == 2 ? 1 : 2};
  run_expecting(run, call_create, &arguments, 0, answers, ECS_E_COMPONENT);
}

void step_query_destroy(Run *run, const Step *step) {
  empty_slot(run, step->a % QUERY_SLOTS);
}

static ecs_Status call_count(Instance *instance, const Arguments *arguments,
                             Answer *answer) {
  return ecs_query_count(instance->queries[arguments->slot], &answer->count);
}

void step_query_count(Run *run, const Step *step) {
  Answer answers[INSTANCES];
  const Arguments arguments = {.slot = step->a % QUERY_SLOTS};
  uint32_t expected = 0;
  if (run->instances[0].queries[arguments.slot] == NULL) return;
  run_expecting(run, call_count, &arguments, 0, answers, ECS_OK);
  for (uint32_t i = 0; i < run->oracle.entity_count; i++)
    expected += oracle_matches(&run->oracle.entities[i],
                               run->query_terms[arguments.slot],
                               run->query_term_counts[arguments.slot]);
  for (uint32_t i = 0; i < run->instance_count; i++) {
    MUST(run, answers[i].count == expected, "world %u counts %llu, not %u", i,
         (unsigned long long)answers[i].count, expected);
  }
}

static bool term_has_columns(const Run *run, ecs_Term term) {
  return run->oracle.components[term.component].field_count > 0 &&
         term.access < ECS_WITH;
}

/* Columns are in the order of terms, then fields. */
static void check_columns(Run *run, const ecs_Query *query, uint32_t slot) {
  uint32_t next = 0;
  for (uint32_t t = 0; t < run->query_term_counts[slot]; t++) {
    const ecs_Term term = run->query_terms[slot][t];
    const uint32_t fields =
        term_has_columns(run, term)
            ? run->oracle.components[term.component].field_count
            : 0;
    uint32_t column = UINT32_MAX;
    for (uint32_t f = 0; f < fields; f++, next++) {
      MUST(run,
           ecs_query_column(query, t, f, &column) == ECS_OK && column == next,
           "term %u, field %u: column %u", t, f, column);
    }
    MUST(run, ecs_query_column(query, t, fields, &column) == ECS_E_FIELD,
         "term %u has too many columns", t);
  }
  MUST(run, ecs_query_column_count(query) == next, "%u columns instead of %u",
       ecs_query_column_count(query), next);
}

void step_query_columns(Run *run, const Step *step) {
  const uint32_t slot = step->a % QUERY_SLOTS;
  if (run->instances[0].queries[slot] == NULL) return;
  for (uint32_t i = 0; i < run->instance_count; i++)
    check_columns(run, run->instances[i].queries[slot], slot);
  run_note(run, ECS_OK);
}

/* The text is the same whatever the room, and never runs over. */
void step_query_explain(Run *run, const Step *step) {
  const uint32_t slot = step->a % QUERY_SLOTS;
  const size_t room = 1 + step->b % 60;
  for (uint32_t i = 0; i < run->instance_count; i++) {
    ecs_Query *query = run->instances[i].queries[slot];
    char text[4096], part[64];
    if (query == NULL) return;
    memset(part, '#', sizeof part);
    const size_t length = ecs_query_explain(query, text, sizeof text);
    MUST(run, length > 0 && length < sizeof text && text[length] == 0,
         "world %u: length %zu", i, length);
    MUST(run, ecs_query_explain(query, part, room) == length, "world %u", i);
    MUST(run,
         part[room] == '#' &&
             strlen(part) == (length < room ? length : room - 1) &&
             memcmp(part, text, strlen(part)) == 0,
         "world %u: \"%s\" of \"%s\"", i, part, text);
  }
  run_note(run, ECS_OK);
}

/* Groups ------------------------------------------------------------------ */

static ecs_Status call_group(Instance *instance, const Arguments *arguments,
                             Answer *answer) {
  (void)answer;
  if (instance->kind < INSTANCE_MIXED)
    return arguments->keep ? ECS_OK : ECS_E_OPEN;
  return ecs_group(instance->world, arguments->components, arguments->count);
}

static ecs_Status call_ungroup(Instance *instance, const Arguments *arguments,
                               Answer *answer) {
  (void)answer;
  if (instance->kind < INSTANCE_MIXED)
    return arguments->keep ? ECS_OK : ECS_E_OPEN;
  return ecs_ungroup(instance->world, arguments->components, arguments->count);
}

/* Only the mixed worlds change; the others stand for what must not. */
static void regroup(Run *run, const Step *step, Call call) {
  ecs_Component components[8];
  Answer answers[INSTANCES];
  const bool open = oracle_deferring(&run->oracle);
  const Arguments arguments = {.components = components,
                               .count = run_list(run, step->b, components),
                               .keep = !open};
  run_expecting(run, call, &arguments, 0, answers, open ? ECS_E_OPEN : ECS_OK);
  if (!open && !run->stopped && step->c % 4 == 0) run_compare(run);
}

void step_group(Run *run, const Step *step) { regroup(run, step, call_group); }

void step_ungroup(Run *run, const Step *step) {
  regroup(run, step, call_ungroup);
}

static ecs_Status call_group_bits(Instance *instance,
                                  const Arguments *arguments, Answer *answer) {
  (void)answer;
  if (instance->kind < INSTANCE_MIXED)
    return arguments->keep ? ECS_OK : ECS_E_OPEN;
  return ecs_group_bits(instance->world, arguments->components,
                        arguments->count);
}

/* The tags of a list become bits. */
void step_group_bits(Run *run, const Step *step) {
  ecs_Component components[8];
  Answer answers[INSTANCES];
  const bool open = oracle_deferring(&run->oracle);
  Arguments arguments = {.components = components, .keep = !open};
  const uint32_t listed = run_list(run, step->b, components);
  for (uint32_t i = 0; i < listed; i++)
    if (ecs_component_field_count(run->instances[0].world, components[i]) == 0)
      components[arguments.count++] = components[i];
  run_expecting(run, call_group_bits, &arguments, 0, answers,
                open ? ECS_E_OPEN : ECS_OK);
  if (!open && !run->stopped && step->c % 4 == 0) run_compare(run);
}

static ecs_Status call_optimize(Instance *instance, const Arguments *arguments,
                                Answer *answer) {
  ecs_Advice entries[4];
  uint32_t count = 0;
  (void)answer;
  if (instance->kind < INSTANCE_MIXED)
    return arguments->keep ? ECS_OK : ECS_E_OPEN;
  return ecs_world_optimize(instance->world, entries, 4, &count);
}

/* Where a query has run so often, components go where the model wants them. */
void step_optimize(Run *run, const Step *step) {
  Answer answers[INSTANCES];
  const bool open = oracle_deferring(&run->oracle);
  const Arguments arguments = {.keep = !open};
  for (uint32_t i = 0; i < INSTANCES; i++) {
    ecs_Query *query = run->instances[i].queries[step->a % QUERY_SLOTS];
    if (query != NULL && run->instances[i].kind >= INSTANCE_MIXED)
      MUST(run, ecs_query_count_runs(query, step->b % 100) == ECS_OK,
           "runs are not counted");
  }
  run_expecting(run, call_optimize, &arguments, 0, answers,
                open ? ECS_E_OPEN : ECS_OK);
  if (!open && !run->stopped && step->c % 4 == 0) run_compare(run);
}

/* Kernels ----------------------------------------------------------------- */

/* Runs a kernel's own binding, or (field set) one made on the spot. */
static ecs_Status call_kernel(Instance *instance, const Arguments *arguments,
                              Answer *answer) {
  ecs_KernelBinding *binding = instance->bindings[arguments->slot];
  ecs_Query *query = NULL;
  ecs_Status status = ECS_OK;
  uint32_t wrong = 0;
  (void)answer;
  if (arguments->field == 0)
    return ecs_kernel_run(binding, arguments->kernel_call);
  status = ecs_query_create(instance->world, arguments->terms, arguments->count,
                            &query);
  if (status != ECS_OK) return status;
  status =
      ecs_kernel_bind(query, &model_kernels[arguments->slot], &binding, &wrong);
  if (status == ECS_OK)
    status = ecs_kernel_run(binding, arguments->kernel_call);
  ecs_query_destroy(query);
  return status;
}

static void run_kernel(Run *run, const Step *step, bool fresh) {
  Answer answers[INSTANCES];
  ecs_Term terms[ORACLE_TERMS];
  double parameter = (double)(step->c % 64) / 4;
  uint32_t reads = 0, writes = 0;
  const ecs_KernelCall call = {
      .dt = step->b % 100, .tick = step->seed, .user = &parameter};
  const Arguments arguments = {
      .slot = step->a % KERNELS,
      .terms = terms,
      .count = model_kernel_terms(step->a % KERNELS, terms),
      .field = fresh,
      .kernel_call = &call};
  for (uint32_t t = 0; t < arguments.count; t++) {
    if (!term_has_columns(run, terms[t])) continue;
    *(terms[t].access == ECS_READ ? &reads : &writes) |= 1u
                                                         << terms[t].component;
  }
  if (!run_expecting(run, call_kernel, &arguments, 0, answers,
                     oracle_judge_access(&run->oracle, reads, writes)))
    return;
  for (uint32_t i = 0; i < run->oracle.entity_count; i++) {
    OracleEntity *entity = &run->oracle.entities[i];
    if (oracle_matches(entity, terms, arguments.count))
      model_kernel_apply(arguments.slot, entity, &call);
  }
}

void step_kernel_run(Run *run, const Step *step) {
  run_kernel(run, step, false);
}

void step_kernel_bind(Run *run, const Step *step) {
  run_kernel(run, step, true);
}

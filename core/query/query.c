/* query.c: terms, and the plan made from them. */
#include "query/query.h"

#include "base/text.h"

/* Life ------------------------------------------------------------------ */

static bool has_columns(ecs_Access access) {
  return access == ECS_WRITE || access == ECS_READ || access == ECS_OPTIONAL;
}

/* Fills in the terms and numbers their columns. Returns how many columns there
 * are. */
static uint32_t number_columns(ecs_Query *query, const ecs_Term *terms) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < query->term_count; i++) {
    const Schema *schema = query->store->components[terms[i].component].schema;
    uint32_t count = has_columns(terms[i].access) ? schema->field_count : 0;
    query->terms[i] = (QueryTerm){.component = terms[i].component,
                                  .access = terms[i].access,
                                  .first_column = next,
                                  .column_count = count};
    next += count;
  }
  return next;
}

static void describe_columns(ecs_Query *query) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    const Schema *schema = query->store->components[term->component].schema;
    for (uint32_t k = 0; k < term->column_count; k++) {
      ecs_Scalar type = schema->fields[k].type;
      query->columns[term->first_column + k] =
          (QueryColumn){.term = i,
                        .field = k,
                        .shift = (uint8_t)__builtin_ctz(scalar_bytes(type)),
                        .type = (uint8_t)type,
                        .written = term->access != ECS_READ};
    }
  }
}

ecs_Status query_init(ecs_Query *query, Store *store, const ecs_Term *terms,
                      uint32_t count) {
  Memory *memory = &store->memory;
  *query = (ecs_Query){
      .store = store, .term_count = count, .layout_version = UINT64_MAX};
  query->terms = memory_zeroed(memory, count, sizeof(QueryTerm));
  query->groups = memory_zeroed(memory, count + 1, sizeof(QueryGroup));
  if ((query->terms == NULL && count > 0) || query->groups == NULL) {
    query_deinit(query);
    return ECS_E_MEMORY;
  }
  query->column_count = number_columns(query, terms);
  query->columns =
      memory_zeroed(memory, query->column_count, sizeof(QueryColumn));
  if (query->columns == NULL && query->column_count > 0) {
    query_deinit(query);
    return ECS_E_MEMORY;
  }
  describe_columns(query);
  return ECS_OK;
}

void query_drop_plan(ecs_Query *query) {
  Store *store = query->store;
  marked_rows_release(store, query->groups, query->group_count);
  query->marked = false;
  for (uint32_t i = 0; i < query->group_count; i++) {
    group_detach(&query->groups[i].match);
    query_group_deinit(&query->groups[i], &store->memory);
  }
  query->group_count = 0;
  query->driver = 0;
  row_list_deinit(&query->rows, &store->memory);
  query->layout_version = UINT64_MAX;
}

void query_deinit(ecs_Query *query) {
  Memory *memory = &query->store->memory;
  ECS_ASSERT(query->scratches == NULL && query->bindings == NULL);
  ECS_ASSERT(query->programs == NULL);
  query_drop_plan(query);
  if (query->terms != NULL)
    memory_free(memory, query->terms, query->term_count * sizeof(QueryTerm));
  if (query->groups != NULL)
    memory_free(memory, query->groups,
                (query->term_count + 1) * sizeof(QueryGroup));
  if (query->columns != NULL)
    memory_free(memory, query->columns,
                query->column_count * sizeof(QueryColumn));
}

/* Planning -------------------------------------------------------------- */

static ecs_Status ensure_group(ecs_Query *query, Group *group,
                               uint32_t *found) {
  for (uint32_t i = 0; i < query->group_count; i++) {
    *found = i;
    if (query->groups[i].group == group) return ECS_OK;
  }
  ECS_ASSERT(query->group_count <= query->term_count); /* room for one more */
  *found = query->group_count++;
  return query_group_init(&query->groups[*found], &query->store->memory, group);
}

static bool any_required(const ecs_Query *query) {
  for (uint32_t i = 0; i < query->group_count; i++)
    if (query->groups[i].required) return true;
  return false;
}

static ecs_Status assign_groups(ecs_Query *query) {
  Store *store = query->store;
  uint32_t unused = 0;
  for (uint32_t i = 0; i < query->term_count; i++) {
    QueryTerm *term = &query->terms[i];
    const Component *component = &store->components[term->component];
    ecs_Status status = ensure_group(query, store->groups[component->group_id],
                                     &term->group_index);
    if (status != ECS_OK) return status;
    term->bit = component->bit;
    if (term->column_count > 0) query->groups[term->group_index].columns = true;
    if (term->access == ECS_OPTIONAL) continue;
    query_group_demand(&query->groups[term->group_index], term->bit,
                       term->access != ECS_WITHOUT);
  }
  /* Some group must drive; every entity has a row in the main group. */
  return any_required(query) ? ECS_OK
                             : ensure_group(query, store_main(store), &unused);
}

static ecs_Status attach_groups(ecs_Query *query) {
  Memory *memory = &query->store->memory;
  for (uint32_t i = 0; i < query->group_count; i++) {
    QueryGroup *query_group = &query->groups[i];
    ecs_Status status =
        group_attach(query_group->group, memory, &query_group->match);
    if (status != ECS_OK) return status;
  }
  if (query_is_direct(query)) return ECS_OK;
  query->marked = marked_rows_apply(query->groups, query->group_count);
  if (query->marked) {
    ecs_Status status =
        marked_rows_retain(query->store, query->groups, query->group_count);
    if (status != ECS_OK) return status;
  }
  return row_list_init(&query->rows, memory, query->group_count);
}

ecs_Status query_plan(ecs_Query *query) {
  if (ECS_LIKELY(query->layout_version == query->store->layout_version))
    return ECS_OK;
  query_drop_plan(query);
  ecs_Status status = assign_groups(query);
  if (status == ECS_OK) status = attach_groups(query);
  if (status != ECS_OK) {
    query_drop_plan(query);
    return status;
  }
  query->layout_version = query->store->layout_version;
  ECS_ASSERT(query_check_invariants(query));
  return ECS_OK;
}

/* The driver ------------------------------------------------------------ */

#define COST_LOCATE 2.0        /* per row and other group; lists are kept */
#define COST_LOCATE_AGAIN 10.0 /* the same for lists that are not */
#define KEPT_BUILDS 3u         /* a list that was made so often is not kept */
#define COST_WORD 3.0          /* per 64 rows and set, with marks */
#define COST_LIST 1.0          /* per match and set, with marks */
#define COST_GATHER 1.0        /* per row and column */
#define COST_SCATTER 1.5

static bool can_drive(const ecs_Query *query, uint32_t group_index) {
  const QueryGroup *candidate = &query->groups[group_index];
  return candidate->required ||
         (candidate->group->id == 0 && !any_required(query));
}

static double transfer_cost(const ecs_Query *query, uint32_t driver) {
  double cost = 0;
  for (uint32_t i = 0; i < query->column_count; i++) {
    const QueryColumn *column = &query->columns[i];
    if (query->terms[column->term].group_index == driver) continue;
    cost += COST_GATHER + (column->written ? COST_SCATTER : 0);
  }
  return cost;
}

static double fewest_rows(const ecs_Query *query) {
  double fewest = -1;
  for (uint32_t i = 0; i < query->group_count; i++) {
    if (!can_drive(query, i)) continue;
    double rows = (double)query_group_rows(&query->groups[i]);
    if (fewest < 0 || rows < fewest) fewest = rows;
  }
  return fewest;
}

/* What it costs to find the rows that match. */
static double finding_cost(const ecs_Query *query, uint32_t driver,
                           double matches) {
  double rows = (double)query_group_rows(&query->groups[driver]);
  uint32_t others = query->group_count - 1;
  if (query->marked && query->groups[driver].group->id == 0)
    return others * (rows / WORD_BITS * COST_WORD + matches * COST_LIST);
  return others * rows *
         (query->builds < KEPT_BUILDS ? COST_LOCATE : COST_LOCATE_AGAIN);
}

/* Of groups that cost the same, the first. The fewest rows of any group stand
 * for the number of matches, which is not known yet. */
uint32_t query_choose_driver(const ecs_Query *query) {
  double matches = fewest_rows(query);
  double lowest = -1;
  uint32_t driver = 0;
  for (uint32_t i = 0; i < query->group_count; i++) {
    if (!can_drive(query, i)) continue;
    double cost =
        finding_cost(query, i, matches) + matches * transfer_cost(query, i);
    if (lowest >= 0 && cost >= lowest) continue;
    lowest = cost;
    driver = i;
  }
  ECS_ASSERT(can_drive(query, driver));
  return driver;
}

static ecs_Status build_rows(ecs_Query *query, bool everywhere) {
  query->driver = query_choose_driver(query);
  query->builds++;
  bool marked = query->marked && query->groups[query->driver].group->id == 0;
  if (!marked)
    return row_list_build(&query->rows, query->store, query->groups,
                          query->driver);
  return marked_rows_build(&query->rows, query->store, query->groups,
                           query->driver, everywhere);
}

/* everywhere: with the rows of groups without columns, too. */
static ecs_Status prepare(ecs_Query *query, bool everywhere) {
  ecs_Status status = query_plan(query);
  if (status != ECS_OK) return status;
  if (!query_is_direct(query) &&
      (!row_list_is_fresh(&query->rows, query->groups) ||
       (everywhere && query->rows.unplaced != 0)))
    status = build_rows(query, everywhere);
  ECS_ASSERT(status != ECS_OK ||
             query_group_rows(&query->groups[query->driver]) >
                 ROW_LIST_CHECKED_ROWS ||
             query_check_invariants(query));
  return status;
}

ecs_Status query_prepare(ecs_Query *query) { return prepare(query, false); }

ecs_Status query_prepare_everywhere(ecs_Query *query) {
  return prepare(query, true);
}

uint64_t query_count(const ecs_Query *query) {
  ECS_ASSERT(query->layout_version == query->store->layout_version);
  ECS_ASSERT(query_is_direct(query) || query->rows.built);
  return query_is_direct(query) ? query_group_rows(&query->groups[0])
                                : query->rows.count;
}

/* Checking -------------------------------------------------------------- */

/* Do the columns of the terms follow each other, one for each field? */
static bool check_columns(const ecs_Query *query) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    const Schema *schema = query->store->components[term->component].schema;
    uint32_t count = has_columns(term->access) ? schema->field_count : 0;
    if (term->first_column != next || term->column_count != count) return false;
    for (uint32_t k = 0; k < count; k++) {
      const QueryColumn *column = &query->columns[next + k];
      if (column->term != i || column->field != k) return false;
      if (column->shift != schema->fields[k].shift) return false;
      if (column->written != (term->access != ECS_READ)) return false;
    }
    next += count;
  }
  return next == query->column_count;
}

/* Is every term in the group of its component, and are the groups in the order
 * of their first terms? Where no group could drive, the main group comes last,
 * without a term. */
static bool check_terms(const ecs_Query *query) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    const Component *component = &query->store->components[term->component];
    if (term->group_index > seen || term->group_index >= query->group_count)
      return false;
    if (term->group_index == seen) seen++;
    const Group *group = query->groups[term->group_index].group;
    if (group != query->store->groups[component->group_id]) return false;
    if (term->bit != component->bit) return false;
  }
  return seen == query->group_count ||
         (seen + 1 == query->group_count && !any_required(query) &&
          query->groups[seen].group->id == 0);
}

/* Does a group have the demands of its terms, and no others? */
static bool check_demands(const ecs_Query *query, uint32_t group_index) {
  const QueryGroup *query_group = &query->groups[group_index];
  uint32_t demands = 0;
  bool required = false;
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    bool there = term->access != ECS_WITHOUT;
    if (term->group_index != group_index || term->access == ECS_OPTIONAL)
      continue;
    if (!query_group_demanded(query_group, term->bit, there)) return false;
    required = required || there;
    demands++;
  }
  return demands == query_group_demands(query_group) &&
         required == query_group->required;
}

bool query_check_invariants(const ecs_Query *query) {
  if (!check_columns(query)) return false;
  if (query->layout_version != query->store->layout_version) return true;
  if (!check_terms(query) || query->driver >= query->group_count) return false;
  for (uint32_t i = 0; i < query->group_count; i++)
    if (!check_demands(query, i) ||
        !query_group_check_invariants(&query->groups[i]) ||
        !marked_rows_check_invariants(query->store, query->groups[i].group))
      return false;
  if (query_is_direct(query) || !row_list_is_fresh(&query->rows, query->groups))
    return true;
  return can_drive(query, query->driver) &&
         row_list_check_invariants(&query->rows, query->store, query->groups,
                                   query->driver);
}

/* Explaining ------------------------------------------------------------ */

static const char *access_name(ecs_Access access) {
  static const char *const names[ECS_ACCESS_COUNT] = {
      "write", "read", "optional", "with", "without"};
  return names[access];
}

/* A partial plan is called blind when no two terms share a group. */
static const char *plan_name(const ecs_Query *query) {
  if (query_is_direct(query)) return "full";
  return query->group_count > 1 && query->group_count >= query->term_count
             ? "blind"
             : "partial";
}

static void say_terms(Text *text, const ecs_Query *query,
                      uint32_t group_index) {
  const Store *store = query->store;
  const Group *group = query->groups[group_index].group;
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    if (term->group_index != group_index) continue;
    text_say(text, "    %s %s%s\n", access_name(term->access),
             store->components[term->component].schema->name,
             group_is_bits(group, term->bit) ? " (bits)" : "");
  }
}

static void say_group(Text *text, const ecs_Query *query,
                      uint32_t group_index) {
  const QueryGroup *asked = &query->groups[group_index];
  const Group *group = asked->group;
  text_say(
      text, "  %s %u: %u of %u tables, %llu rows%s\n", group_kind(group),
      group->id, asked->match.count, group->table_count,
      (unsigned long long)query_group_rows(asked),
      query->group_count > 1 && group_index == query->driver ? ", drives" : "");
  say_terms(text, query, group_index);
}

static void say_blocks(Text *text, const ecs_Query *query) {
  uint32_t runs = 0;
  if (query_is_direct(query)) {
    text_say(text, "  columns in place, a batch per table\n");
    return;
  }
  for (uint32_t i = 0; i < query->rows.block_count; i++) {
    const Block *block = &query->rows.blocks[i];
    bool run = true;
    for (uint32_t k = 0; run && k < query->group_count; k++)
      run = block_is_run_in(block, k);
    if (run) runs++;
  }
  text_say(text,
           "  row list of %u blocks, %u in place, %u gathered; made %u times: "
           "anew after every change of these groups\n",
           query->rows.block_count, runs, query->rows.block_count - runs,
           query->builds);
}

size_t query_explain(const ecs_Query *query, char *text, size_t capacity) {
  Text out = {text, capacity, 0};
  text_say(&out, "%s plan, %llu rows match\n", plan_name(query),
           (unsigned long long)query_count(query));
  for (uint32_t i = 0; i < query->group_count; i++) say_group(&out, query, i);
  say_blocks(&out, query);
  return out.length;
}

/* query.c: terms, and the plan made from them. */
#include "query/query.h"

#include "base/text.h"

/* Life ------------------------------------------------------------------ */

/* Fills in the terms and numbers their columns. Returns how many columns there
 * are. */
static uint32_t number_columns(ecs_Query *query, const ecs_Term *terms) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < query->term_count; i++) {
    const Schema *schema =
        query->store->components.all[terms[i].component].schema;
    uint32_t count =
        access_has_columns(terms[i].access) ? schema->field_count : 0;
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
    const Schema *schema = query->store->components.all[term->component].schema;
    for (uint32_t k = 0; k < term->column_count; k++) {
      ecs_Scalar type = schema->fields[k].type;
      query->columns[term->first_column + k] =
          (QueryColumn){.term = i,
                        .field = k,
                        .shift = (uint8_t)__builtin_ctz(scalar_bytes(type)),
                        .type = (uint8_t)type,
                        .written = access_writes(term->access)};
    }
  }
}

ecs_Status query_init(ecs_Query *query, Store *store, const ecs_Term *terms,
                      uint32_t count) {
  Memory *memory = &store->memory;
  *query = (ecs_Query){.store = store,
                       .term_count = count,
                       .list = &query->rows,
                       .layout_version = UINT64_MAX};
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

static uint32_t all_groups(const ecs_Query *query) {
  return query->group_count + query->up_count;
}

void query_drop_plan(ecs_Query *query) {
  Store *store = query->store;
  marked_rows_release(store, query->groups, query->group_count);
  query->marked = false;
  for (uint32_t i = 0; i < all_groups(query); i++) {
    group_detach(&query->groups[i].match);
    query_group_deinit(&query->groups[i], &store->memory);
  }
  query->group_count = query->up_count = 0;
  query->driver = 0;
  row_list_deinit(&query->base, &store->memory);
  row_list_deinit(&query->rows, &store->memory);
  if (query->picked != NULL) picked_rows_drop(query->picked, &store->memory);
  query->layout_version = UINT64_MAX;
}

static void free_picked(ecs_Query *query) {
  Store *store = query->store;
  PickedRows *picked = query->picked;
  if (picked == NULL) return;
  for (uint32_t i = 0; i < picked->changed_count; i++)
    store_unwatch(store, picked->changed[i].component, true);
  for (uint32_t i = 0; i < query->term_count && picked->changed_count > 0; i++)
    store_unwatch(store, query->terms[i].component, false);
  if (picked->sorted) store_unwatch(store, picked->order.component, true);
  if (picked->changed != NULL)
    memory_free(&store->memory, picked->changed,
                query->term_count * sizeof(PickedTerm));
  if (picked->lists != NULL)
    memory_free(&store->memory, picked->lists,
                (query->term_count + 1) * sizeof(uint64_t *));
  memory_free(&store->memory, picked, sizeof(PickedRows));
  query->picked = NULL;
}

void query_deinit(ecs_Query *query) {
  Memory *memory = &query->store->memory;
  ECS_ASSERT(query->scratches == NULL && query->bindings == NULL);
  ECS_ASSERT(query->programs == NULL && query->grids == NULL);
  query_drop_plan(query);
  free_picked(query);
  if (query->terms != NULL)
    memory_free(memory, query->terms, query->term_count * sizeof(QueryTerm));
  if (query->groups != NULL)
    memory_free(memory, query->groups,
                (query->term_count + 1) * sizeof(QueryGroup));
  if (query->columns != NULL)
    memory_free(memory, query->columns,
                query->column_count * sizeof(QueryColumn));
}

/* Changes and order ----------------------------------------------------- */

static ecs_Status ensure_picked(ecs_Query *query) {
  if (query->picked != NULL) return ECS_OK;
  ECS_ASSERT(query->open == 0);
  query->picked = memory_zeroed(&query->store->memory, 1, sizeof(PickedRows));
  if (query->picked == NULL) return ECS_E_MEMORY;
  query->list = &query->picked->list;
  query_drop_plan(query);
  return ECS_OK;
}

bool query_asks_changes(const ecs_Query *query, ecs_Component component) {
  const PickedRows *picked = query->picked;
  for (uint32_t i = 0; picked != NULL && i < picked->changed_count; i++)
    if (picked->changed[i].component == component) return true;
  return false;
}

static ecs_Status reserve_changes(ecs_Query *query) {
  PickedRows *picked = query->picked;
  Memory *memory = &query->store->memory;
  uint32_t count = query->term_count;
  if (picked->changed == NULL)
    picked->changed = memory_zeroed(memory, count, sizeof(PickedTerm));
  if (picked->lists == NULL)
    picked->lists = memory_zeroed(memory, count + 1, sizeof(uint64_t *));
  return picked->changed != NULL && picked->lists != NULL ? ECS_OK
                                                          : ECS_E_MEMORY;
}

ecs_Status query_ask_changes(ecs_Query *query, uint32_t term) {
  Store *store = query->store;
  ecs_Component component = query->terms[term].component;
  ecs_Status status = ensure_picked(query);
  if (status == ECS_OK) status = reserve_changes(query);
  if (status != ECS_OK) return status;
  PickedRows *picked = query->picked;
  for (uint32_t i = 0; picked->changed_count == 0 && i < query->term_count; i++)
    store_watch(store, query->terms[i].component, false);
  picked->changed[picked->changed_count++].component = component;
  store_watch(store, component, true);
  query_drop_plan(query);
  return ECS_OK;
}

ecs_Status query_ask_order(ecs_Query *query, uint32_t term, uint32_t field,
                           bool down) {
  ecs_Status status = ensure_picked(query);
  if (status != ECS_OK) return status;
  PickedRows *picked = query->picked;
  ECS_ASSERT(!picked->sorted);
  picked->order.component = query->terms[term].component;
  picked->field = field;
  picked->down = down;
  picked->sorted = true;
  store_watch(query->store, picked->order.component, true);
  query_drop_plan(query);
  return ECS_OK;
}

/* Planning -------------------------------------------------------------- */

/* Finds a group among the last count of the query, or appends it. */
static ecs_Status ensure_group(ecs_Query *query, Group *group, uint32_t *count,
                               uint32_t *found) {
  uint32_t all = all_groups(query);
  for (*found = all - *count; *found < all; (*found)++)
    if (query->groups[*found].group == group) return ECS_OK;
  ECS_ASSERT(all <= query->term_count); /* room for one more */
  (*count)++;
  return query_group_init(&query->groups[all], &query->store->memory, group);
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
    const Component *component = &store->components.all[term->component];
    if (!access_is_own(term->access)) continue;
    ecs_Status status =
        ensure_group(query, store->groups.all[component->group_id],
                     &query->group_count, &term->group_index);
    if (status != ECS_OK) return status;
    term->bit = component->bit;
    if (term->column_count > 0) query->groups[term->group_index].columns = true;
    QueryGroup *query_group = &query->groups[term->group_index];
    if (term->access == ECS_ANY)
      query_group_offer(query_group, term->bit);
    else if (access_asks(term->access))
      query_group_demand(query_group, term->bit, access_is_there(term->access));
  }
  query_groups_choose(query->groups, query->group_count);
  /* Some group must drive; every entity has a row in the main group. */
  return any_required(query) ? ECS_OK
                             : ensure_group(query, store_main(store),
                                            &query->group_count, &unused);
}

/* Adds the groups of the terms that are about targets. */
static ecs_Status assign_up(ecs_Query *query) {
  Store *store = query->store;
  for (uint32_t i = 0; i < query->term_count; i++) {
    QueryTerm *term = &query->terms[i];
    const Component *component = &store->components.all[term->component];
    if (term->access != ECS_UP || term->column_count == 0) continue;
    ecs_Status status =
        ensure_group(query, store->groups.all[component->group_id],
                     &query->up_count, &term->group_index);
    if (status != ECS_OK) return status;
    term->bit = component->bit;
    query->groups[term->group_index].columns = true;
  }
  return ECS_OK;
}

/* Finds a picked term among the terms. */
static void place_picked(const ecs_Query *query, PickedTerm *picked) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    if (term->component != picked->component) continue;
    const Component *component = &query->store->components.all[term->component];
    picked->group_index = term->group_index;
    picked->bit = component->field_count > 0 ? term->bit : STAMP_NO_BIT;
  }
}

static ecs_Status plan_picked(ecs_Query *query) {
  PickedRows *picked = query->picked;
  for (uint32_t i = 0; i < picked->changed_count; i++)
    place_picked(query, &picked->changed[i]);
  if (picked->sorted) place_picked(query, &picked->order);
  return picked_rows_plan(picked, &query->store->memory, query->group_count);
}

static ecs_Status attach_groups(ecs_Query *query) {
  Memory *memory = &query->store->memory;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; i < all_groups(query); i++) {
    QueryGroup *query_group = &query->groups[i];
    status = group_attach(query_group->group, memory, &query_group->match);
    if (status != ECS_OK) return status;
  }
  query->direct = query_is_full(query) && query->picked == NULL;
  if (query_is_full(query)) return ECS_OK;
  query->marked = marked_rows_apply(query->groups, query->group_count);
  if (query->marked)
    status =
        marked_rows_retain(query->store, query->groups, query->group_count);
  if (status == ECS_OK && query->links != NULL)
    status = row_list_init(&query->base, memory, query->group_count);
  return status == ECS_OK
             ? row_list_init(&query->rows, memory, all_groups(query))
             : status;
}

ecs_Status query_plan(ecs_Query *query) {
  if (ECS_LIKELY(query->layout_version == query->store->layout_version))
    return ECS_OK;
  query_drop_plan(query);
  ecs_Status status = assign_groups(query);
  if (status == ECS_OK) status = assign_up(query);
  if (status == ECS_OK) status = attach_groups(query);
  if (status == ECS_OK && query->picked != NULL) status = plan_picked(query);
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

static ecs_Status build_rows(ecs_Query *query, RowList *list, bool everywhere) {
  query->driver = query_choose_driver(query);
  bool marked = query->marked && query->groups[query->driver].group->id == 0;
  if (!marked)
    return row_list_build(list, query->store, query->groups, query->driver);
  return marked_rows_build(list, query->store, query->groups, query->driver,
                           everywhere);
}

static ecs_Status build_flat(ecs_Query *query, bool everywhere) {
  ecs_Status status = build_rows(query, &query->rows, everywhere);
  query->builds++;
  return status;
}

static TreeRows tree_rows(const ecs_Query *query) {
  return (TreeRows){.store = query->store,
                    .groups = query->groups,
                    .own = query->group_count,
                    .driver = query->driver,
                    .base = &query->base,
                    .index = query_links(query)};
}

/* Builds the list of a query along a tree. */
static ecs_Status build_tree(ecs_Query *query) {
  ecs_Status status = ECS_OK;
  query->rows.built = false;
  query->builds++;
  if (!row_list_is_fresh(&query->base, query->groups))
    status = build_rows(query, &query->base, true);
  if (status != ECS_OK) return status;
  TreeRows rows = tree_rows(query);
  status = tree_list_build(&query->rows, &rows);
  if (status == ECS_OK) query->links_version = rows.index->version;
  return status;
}

/* Makes the list of picked rows. While a walk goes over it, it stays as it is. */
static ecs_Status pick_rows(ecs_Query *query) {
  PickedFrom from = {query->store, query->groups, query->group_count,
                     query_is_full(query) ? NULL : &query->rows, query->builds};
  return query->open > 0 ? ECS_OK : picked_rows_make(query->picked, &from);
}

/* everywhere: with the rows of groups without columns, too. */
static ecs_Status prepare(ecs_Query *query, bool everywhere) {
  ecs_Status status = query_plan(query);
  if (status != ECS_OK) return status;
  if (query->picked != NULL) everywhere = true;
  if (!query_is_full(query) &&
      (!row_list_is_fresh(&query->rows, query->groups) ||
       !query_links_are_fresh(query) ||
       (everywhere && query->rows.unplaced != 0)))
    status = query->links != NULL ? build_tree(query)
                                  : build_flat(query, everywhere);
  if (status == ECS_OK && query->picked != NULL) status = pick_rows(query);
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
  ECS_ASSERT(query_is_direct(query) || query->list->built);
  return query_is_direct(query) ? query_group_rows(&query->groups[0])
                                : query->list->count;
}

/* Checking -------------------------------------------------------------- */

/* Do the columns of the terms follow each other, one for each field? */
static bool check_columns(const ecs_Query *query) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    const Schema *schema = query->store->components.all[term->component].schema;
    uint32_t count = access_has_columns(term->access) ? schema->field_count : 0;
    if (term->first_column != next || term->column_count != count) return false;
    for (uint32_t k = 0; k < count; k++) {
      const QueryColumn *column = &query->columns[next + k];
      if (column->term != i || column->field != k) return false;
      if (column->shift != schema->fields[k].shift) return false;
      if (column->written != access_writes(term->access)) return false;
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
    const Component *component = &query->store->components.all[term->component];
    if (!access_is_own(term->access)) continue;
    if (term->group_index > seen || term->group_index >= query->group_count)
      return false;
    if (term->group_index == seen) seen++;
    const Group *group = query->groups[term->group_index].group;
    if (group != query->store->groups.all[component->group_id]) return false;
    if (term->bit != component->bit) return false;
  }
  return seen == query->group_count ||
         (seen + 1 == query->group_count && !any_required(query) &&
          query->groups[seen].group->id == 0);
}

/* Has the demand or the offer of a term been added to its group? */
static bool check_term(const QueryGroup *query_group, const QueryTerm *term) {
  return term->access == ECS_ANY
             ? query_group_offered(query_group, term->bit)
             : query_group_demanded(query_group, term->bit,
                                    access_is_there(term->access));
}

/* Does a group have the demands and the offers of its terms, and no others? */
static bool check_demands(const ecs_Query *query, uint32_t group_index) {
  const QueryGroup *query_group = &query->groups[group_index];
  uint32_t demands = 0;
  bool required = query_group->offers && !query_group->shares;
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    if (!access_asks(term->access) || term->group_index != group_index)
      continue;
    if (!check_term(query_group, term)) return false;
    required = required || access_is_there(term->access);
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
  if (query->direct != (query_is_full(query) && query->picked == NULL))
    return false;
  if (query_is_full(query) || !row_list_is_fresh(&query->rows, query->groups) ||
      !query_links_are_fresh(query))
    return true;
  if (query->links != NULL) {
    TreeRows rows = tree_rows(query);
    return tree_list_check_invariants(&query->rows, &rows);
  }
  return can_drive(query, query->driver) &&
         row_list_check_invariants(&query->rows, query->store, query->groups,
                                   query->driver);
}

/* Explaining ------------------------------------------------------------ */

/* A partial plan is called blind when no two terms share a group. */
static const char *plan_name(const ecs_Query *query) {
  if (query_is_full(query)) return "full";
  if (query->links != NULL) return "tree";
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
    bool there = access_is_own(term->access) ||
                 (term->access == ECS_UP && term->column_count > 0);
    if (!there || term->group_index != group_index) continue;
    text_say(text, "    %s %s%s\n", access_name(term->access),
             store->components.all[term->component].schema->name,
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
  if (query_is_full(query)) {
    if (query->picked == NULL)
      text_say(text, "  columns in place, a batch per table\n");
    return;
  }
  for (uint32_t i = 0; i < query->rows.block_count; i++) {
    const Block *block = &query->rows.blocks[i];
    bool run = true;
    for (uint32_t k = 0; run && k < all_groups(query); k++)
      run = block_is_run_in(block, k);
    if (run) runs++;
  }
  text_say(text,
           "  row list of %u blocks, %u in place, %u gathered; made %u times: "
           "anew after every change of these %s\n",
           query->rows.block_count, runs, query->rows.block_count - runs,
           query->builds, query->links == NULL ? "groups" : "groups or links");
}

/* The link that the query goes along, and what it reads of targets. */
static void say_tree(Text *text, const ecs_Query *query) {
  const LinkIndex *index = query_links(query);
  const Schema *schema = query->store->components.all[index->component].schema;
  uint32_t blocks = query->rows.block_count, depths = 0;
  for (uint32_t i = 0; i < blocks; i++)
    depths += i == 0 ||
              query->rows.blocks[i].depth != query->rows.blocks[i - 1].depth;
  text_say(text, "  along %s.%s by depth, targets first: %u depths\n",
           schema->name, schema->fields[index->field].name, depths);
  for (uint32_t i = query->group_count; i < all_groups(query); i++)
    say_terms(text, query, i);
}

static void say_picked(Text *text, const ecs_Query *query) {
  const PickedRows *picked = query->picked;
  const Component *components = query->store->components.all;
  if (picked == NULL) return;
  for (uint32_t i = 0; i < picked->changed_count; i++)
    text_say(text, "  changes of %s, by blocks of %u rows\n",
             components[picked->changed[i].component].schema->name, STAMP_ROWS);
  if (picked->sorted) {
    const Schema *schema = components[picked->order.component].schema;
    text_say(text, "  sorted by %s.%s%s\n", schema->name,
             schema->fields[picked->field].name, picked->down ? ", down" : "");
  }
}

size_t query_explain(const ecs_Query *query, char *text, size_t capacity) {
  Text out = {text, capacity, 0};
  text_say(&out, "%s plan, %llu rows match\n", plan_name(query),
           (unsigned long long)query_count(query));
  for (uint32_t i = 0; i < query->group_count; i++) say_group(&out, query, i);
  if (query->links != NULL) say_tree(&out, query);
  say_blocks(&out, query);
  say_picked(&out, query);
  return out.length;
}

/* layout_cost.c: what a frame costs in a layout, by a model. */
#include "layout/layout_cost.h"

#include "query/marked_rows.h"

/* Life ------------------------------------------------------------------- */

ecs_Status layout_model_init(LayoutModel *model, const LayoutProblem *problem) {
  Memory *memory = &problem->store->memory;
  uint32_t capacity = 4;
  while (capacity < 2 * problem->kind_count) capacity *= 2;
  *model = (LayoutModel){.problem = problem, .hash_capacity = capacity};
  model->tables =
      memory_zeroed(memory, problem->kind_count + 1, sizeof(LayoutTable));
  model->hash = memory_zeroed(memory, capacity, sizeof(uint32_t));
  if (model->tables != NULL && model->hash != NULL) return ECS_OK;
  layout_model_deinit(model);
  return ECS_E_MEMORY;
}

void layout_model_deinit(LayoutModel *model) {
  Memory *memory = &model->problem->store->memory;
  memory_free(memory, model->tables,
              (model->problem->kind_count + 1) * sizeof(LayoutTable));
  memory_free(memory, model->hash, model->hash_capacity * sizeof(uint32_t));
  model->tables = NULL;
  model->hash = NULL;
}

/* The layout of the world ------------------------------------------------- */

Layout layout_now(const LayoutProblem *problem) {
  Layout layout = {{PLACE_MAIN}};
  for (uint32_t k = 0; k < problem->component_count; k++) {
    const Component *component =
        &problem->store->components.all[problem->components[k].id];
    uint32_t lead = k;
    for (uint32_t i = 0; i < lead; i++)
      if (problem->store->components.all[problem->components[i].id].group ==
          component->group)
        lead = i;
    uint32_t place = PLACE_GROUP + lead;
    if (component->group->id == 0)
      place = component->bits_index == GROUP_NOT_BITS ? PLACE_MAIN : PLACE_BITS;
    layout.places[k] = (uint16_t)place;
  }
  return layout;
}

/* Groups ------------------------------------------------------------------ */

static void sort_members(LayoutModel *model, const Layout *layout) {
  const LayoutProblem *problem = model->problem;
  uint32_t places = PLACE_GROUP + problem->component_count;
  memset(model->members, 0, places * sizeof model->members[0]);
  memset(model->member_count, 0, places * sizeof model->member_count[0]);
  memset(model->changes, 0, places * sizeof model->changes[0]);
  memset(model->marked, 0, places * sizeof model->marked[0]);
  for (uint32_t k = 0; k < problem->component_count; k++) {
    uint32_t place = layout->places[k];
    ECS_ASSERT(place < places);
    ECS_ASSERT(place != PLACE_BITS || problem->components[k].columns == 0);
    set_add(&model->members[place], k);
    model->member_count[place]++;
    model->changes[place] += problem->components[k].changes;
  }
}

static uint32_t count_columns(const LayoutProblem *problem,
                              const ComponentSet *set) {
  uint32_t columns = 0;
  for (uint32_t k = set_next(set, 0); k < LAYOUT_COMPONENTS;
       k = set_next(set, k + 1))
    columns += problem->components[k].columns;
  return columns;
}

static void add_to_table(LayoutModel *model, const ComponentSet *set,
                         uint64_t rows) {
  uint32_t mask = model->hash_capacity - 1;
  uint32_t i = (uint32_t)set_hash(set) & mask;
  for (; model->hash[i] != 0; i = (i + 1) & mask) {
    LayoutTable *table = &model->tables[model->hash[i] - 1];
    if (memcmp(&table->components, set, sizeof *set) != 0) continue;
    table->rows += rows;
    return;
  }
  ECS_ASSERT(model->table_count < model->problem->kind_count);
  model->tables[model->table_count++] =
      (LayoutTable){*set, rows, count_columns(model->problem, set)};
  model->hash[i] = model->table_count;
}

/* The tables that the main group would have. */
static void make_tables(LayoutModel *model) {
  memset(model->hash, 0, model->hash_capacity * sizeof(uint32_t));
  model->table_count = 0;
  for (uint32_t i = 0; i < model->problem->kind_count; i++) {
    const LayoutKind *kind = &model->problem->kinds[i];
    ComponentSet set = set_and(&kind->components, &model->members[PLACE_MAIN]);
    add_to_table(model, &set, kind->entities);
  }
}

/* The rows that each other group would have. */
static void count_rows(LayoutModel *model) {
  const LayoutProblem *problem = model->problem;
  for (uint32_t k = 0; k < problem->component_count; k++) {
    uint32_t place = PLACE_GROUP + k;
    model->rows[place] = 0;
    if (model->member_count[place] == 1)
      model->rows[place] =
          problem->components[set_next(&model->members[place], 0)].entities;
    for (uint32_t i = 0;
         model->member_count[place] > 1 && i < problem->kind_count; i++)
      if (set_meets(&problem->kinds[i].components, &model->members[place]))
        model->rows[place] += problem->kinds[i].entities;
    ECS_ASSERT(model->rows[place] <= problem->entities);
  }
}

/* Queries ----------------------------------------------------------------- */

/* How a query would be planned. */
typedef struct Plan {
  const LayoutProblem *problem;
  const LayoutQuery *query;
  uint32_t others[LAYOUT_COMPONENTS]; /* places of groups but the main one */
  uint32_t other_count;
  uint32_t optional_count; /* of these, without a required component */
  bool uses_main;
  bool main_drives; /* it may */
  bool has_bits;    /* a demand on a tag stored as bits */
  bool marked;      /* lists are taken from marks */
  uint64_t dirty;   /* of LAYOUT_FRAMES runs, those with a new list */
} Plan;

static bool plan_has(const Plan *plan, uint32_t place) {
  for (uint32_t i = 0; i < plan->other_count; i++)
    if (plan->others[i] == place) return true;
  return false;
}

/* Is every component that the query's choice is among in the place, so that the
 * choice is a demand on it? Tags stored as bits are in the main group, too. */
static bool place_chooses(const LayoutModel *model, const LayoutQuery *query,
                          uint32_t place) {
  ComponentSet members = model->members[place];
  if (place == PLACE_MAIN)
    members = set_or(&members, &model->members[PLACE_BITS]);
  return !set_is_empty(&query->offered) &&
         set_contains(&members, &query->offered);
}

/* Does a row of the place have to be there? */
static bool place_is_required(const LayoutModel *model,
                              const LayoutQuery *query, uint32_t place) {
  return set_meets(&query->required, &model->members[place]) ||
         place_chooses(model, query, place);
}

static void plan_groups(Plan *plan, const LayoutModel *model,
                        const Layout *layout) {
  const LayoutQuery *query = plan->query;
  bool required = false;
  for (uint32_t k = set_next(&query->named, 0); k < LAYOUT_COMPONENTS;
       k = set_next(&query->named, k + 1)) {
    uint32_t place = layout->places[k];
    if (place == PLACE_MAIN || place == PLACE_BITS)
      plan->uses_main = true;
    else if (!plan_has(plan, place))
      plan->others[plan->other_count++] = place;
    if (place == PLACE_BITS && !set_has(&query->optional, k))
      plan->has_bits = true;
    required = required || place_is_required(model, query, place);
  }
  plan->main_drives = place_is_required(model, query, PLACE_MAIN) ||
                      place_is_required(model, query, PLACE_BITS) || !required;
  if (!required) plan->uses_main = true;
  ECS_ASSERT(plan->uses_main || !plan->main_drives);
}

/* The runs before which a group of the query has changed, if changes were spread
 * evenly over frames. */
static uint64_t count_dirty(const Plan *plan, const LayoutModel *model) {
  uint64_t changes =
      plan->uses_main ? model->changes[PLACE_MAIN] + model->changes[PLACE_BITS]
                      : 0;
  for (uint32_t i = 0; i < plan->other_count; i++)
    changes += model->changes[plan->others[i]];
  return changes < plan->query->runs ? changes : plan->query->runs;
}

static Plan make_plan(const LayoutQuery *query, const LayoutModel *model,
                      const Layout *layout) {
  Plan plan;
  plan.problem = model->problem;
  plan.query = query;
  plan.other_count = plan.optional_count = 0;
  plan.uses_main = plan.main_drives = plan.has_bits = false;
  plan_groups(&plan, model, layout);
  plan.marked = plan.uses_main && (set_is_empty(&query->offered) ||
                                   place_chooses(model, query, PLACE_MAIN));
  for (uint32_t i = 0; i < plan.other_count; i++) {
    if (place_chooses(model, query, plan.others[i]))
      plan.marked = plan.uses_main;
    const ComponentSet *members = &model->members[plan.others[i]];
    if (model->member_count[plan.others[i]] > 1) plan.marked = false;
    if (set_meets(&query->optional, members)) plan.optional_count++;
  }
  if (plan.optional_count > MARKED_OPTIONAL_SETS) plan.marked = false;
  plan.dirty = count_dirty(&plan, model);
  return plan;
}

/* Does a table, or what a kind has of a group, fit the query? */
static bool fits(const LayoutModel *model, const LayoutQuery *query,
                 const ComponentSet *has, uint32_t place) {
  const ComponentSet *members = &model->members[place];
  ComponentSet required = set_and(&query->required, members);
  ComponentSet excluded = set_and(&query->excluded, members);
  return set_contains(has, &required) && !set_meets(has, &excluded) &&
         (!set_contains(members, &query->offered) ||
          set_is_empty(&query->offered) || set_meets(has, &query->offered));
}

/* The tables of the main group that fit, and their rows. */
static uint32_t fitting_tables(const LayoutModel *model,
                               const LayoutQuery *query, uint64_t *rows) {
  uint32_t count = 0;
  *rows = 0;
  for (uint32_t i = 0; i < model->table_count; i++) {
    const LayoutTable *table = &model->tables[i];
    if (!fits(model, query, &table->components, PLACE_MAIN)) continue;
    *rows += table->rows;
    count++;
  }
  return count;
}

/* The rows of a group that a list would go through if the group drives. */
static uint64_t driven_rows(const LayoutModel *model, const LayoutQuery *query,
                            uint32_t place) {
  uint64_t rows = 0;
  if (model->member_count[place] == 1) return model->rows[place];
  for (uint32_t i = 0; i < model->problem->kind_count; i++) {
    const LayoutKind *kind = &model->problem->kinds[i];
    if (set_meets(&kind->components, &model->members[place]) &&
        fits(model, query, &kind->components, place))
      rows += kind->entities;
  }
  return rows;
}

static void count_listing(const Plan *plan, uint32_t driver, uint64_t rows,
                          LayoutCost *cost) {
  uint64_t matches = plan->query->matches * plan->dirty;
  uint32_t others = plan->other_count;
  if (driver == PLACE_MAIN && plan->has_bits) {
    cost->counts[PRICE_BITS_ROWS] += rows / 64u * plan->dirty;
    cost->counts[PRICE_BITS_MATCH] += matches;
  }
  if (driver == PLACE_MAIN && plan->marked) {
    cost->counts[PRICE_MARK_ROWS] += others * (rows / 64u) * plan->dirty;
    cost->counts[PRICE_MARK_MATCH] += others * matches;
    return;
  }
  ECS_ASSERT(driver == PLACE_MAIN || plan_has(plan, driver));
  if (driver != PLACE_MAIN) others--;
  if (driver != PLACE_MAIN && plan->uses_main)
    cost->counts[PRICE_LOOK_UP_MAIN] += rows * plan->dirty;
  cost->counts[PRICE_LOOK_UP] += others * rows * plan->dirty;
}

static void count_copies(const Plan *plan, const Layout *layout,
                         uint32_t driver, bool in_place, LayoutCost *cost) {
  const ComponentSet *copied = &plan->query->copied;
  uint64_t matches = plan->query->matches * plan->query->runs;
  for (uint32_t k = set_next(copied, 0); k < LAYOUT_COMPONENTS;
       k = set_next(copied, k + 1)) {
    bool near = layout->places[k] == driver;
    bool back = set_has(&plan->query->written, k);
    uint64_t columns = plan->problem->components[k].columns * matches;
    if (near && in_place) continue;
    cost->counts[near ? PRICE_NEAR : PRICE_FAR] += columns;
    if (back) cost->counts[near ? PRICE_NEAR_BACK : PRICE_FAR_BACK] += columns;
  }
}

/* Counts what a list costs if a group drives; keeps the lower sum. */
static void try_driver(const Plan *plan, const Layout *layout, uint32_t driver,
                       uint64_t rows, LayoutCost *best, uint64_t *least) {
  LayoutCost cost = {{0}};
  ECS_ASSERT(rows >= plan->query->matches);
  count_listing(plan, driver, rows, &cost);
  count_copies(plan, layout, driver, rows == plan->query->matches, &cost);
  uint64_t total = layout_cost_total(&cost);
  if (total >= *least) return;
  *least = total;
  *best = cost;
}

static void mark_sets(const Plan *plan, LayoutModel *model) {
  for (uint32_t i = 0; plan->marked && i < plan->other_count; i++)
    model->marked[plan->others[i]] = true;
}

static void count_query(LayoutModel *model, const Layout *layout,
                        const LayoutQuery *query, LayoutCost *cost) {
  Plan plan = make_plan(query, model, layout);
  LayoutCost best = {{0}};
  uint64_t rows = 0, least = UINT64_MAX;
  uint32_t tables = plan.uses_main ? fitting_tables(model, query, &rows) : 1;
  cost->counts[PRICE_TABLE] += query->runs * tables;
  if (plan.other_count + plan.uses_main == 1 && !plan.has_bits) return;
  if (plan.main_drives)
    try_driver(&plan, layout, PLACE_MAIN, rows, &best, &least);
  for (uint32_t i = 0; i < plan.other_count; i++) {
    uint32_t place = plan.others[i];
    if (!place_is_required(model, query, place)) continue;
    try_driver(&plan, layout, place, driven_rows(model, query, place), &best,
               &least);
  }
  ECS_ASSERT(least != UINT64_MAX); /* a group drives */
  if (best.counts[PRICE_MARK_ROWS] > 0) mark_sets(&plan, model);
  for (uint32_t i = 0; i < PRICE_COUNT; i++) cost->counts[i] += best.counts[i];
}

/* Changes ----------------------------------------------------------------- */

/* The columns of the rows of the main group that have the component. */
static uint64_t moved_columns(const LayoutModel *model, uint32_t k) {
  uint64_t rows = 0, columns = 0;
  for (uint32_t i = 0; i < model->table_count; i++) {
    const LayoutTable *table = &model->tables[i];
    if (!set_has(&table->components, k)) continue;
    rows += table->rows;
    columns += table->rows * table->columns;
  }
  return rows == 0 ? model->problem->components[k].columns : columns / rows;
}

static void count_change(const LayoutModel *model, uint32_t k, uint32_t place,
                         bool noting, LayoutCost *cost) {
  uint64_t changes = model->problem->components[k].changes;
  uint32_t columns = model->problem->components[k].columns;
  uint64_t *counts = cost->counts;
  if (place == PLACE_BITS) {
    counts[PRICE_BIT] += changes;
  } else if (place == PLACE_MAIN) {
    counts[PRICE_MOVE] += changes;
    counts[PRICE_MOVE_COLUMN] += changes * moved_columns(model, k);
    if (noting) counts[PRICE_NOTE] += changes;
  } else if (model->member_count[place] == 1) {
    counts[PRICE_ENTER] += changes;
    counts[PRICE_ENTER_COLUMN] += changes * columns;
    if (model->marked[place]) counts[PRICE_ENTER_MARK] += changes;
  } else {
    counts[PRICE_REGROUP] += changes;
    counts[PRICE_MOVE_COLUMN] +=
        changes * count_columns(model->problem, &model->members[place]);
  }
}

/* What following the changes of the main group costs marks. A change gives two
 * entities a new row. */
static void count_marks(const LayoutModel *model, LayoutCost *cost) {
  uint64_t changes = model->changes[PLACE_MAIN];
  bool lost = 2 * changes > (uint64_t)ECS_NOTES * LAYOUT_FRAMES;
  for (uint32_t k = 0; k < model->problem->component_count; k++) {
    uint32_t place = PLACE_GROUP + k;
    if (!model->marked[place]) continue;
    if (lost)
      cost->counts[PRICE_REMARK] += model->rows[place] * LAYOUT_FRAMES;
    else
      cost->counts[PRICE_FOLLOW] += changes;
  }
}

static void count_changes(const LayoutModel *model, const Layout *layout,
                          LayoutCost *cost) {
  bool noting = false;
  for (uint32_t k = 0; k < model->problem->component_count; k++)
    noting = noting || model->marked[PLACE_GROUP + k];
  for (uint32_t k = 0; k < model->problem->component_count; k++)
    count_change(model, k, layout->places[k], noting, cost);
  if (noting) count_marks(model, cost);
}

/* Memory ------------------------------------------------------------------ */

/* Columns take the same in every layout. */
static uint64_t count_bytes(const LayoutModel *model) {
  const LayoutProblem *problem = model->problem;
  uint64_t bytes = (uint64_t)model->table_count * TABLE_BYTES;
  if (model->member_count[PLACE_BITS] > 0)
    bytes += problem->entities * ((model->member_count[PLACE_BITS] + 7u) / 8u);
  for (uint32_t k = 0; k < problem->component_count; k++) {
    uint32_t place = PLACE_GROUP + k, members = model->member_count[place];
    if (members == 0) continue;
    bytes += TABLE_BYTES + model->rows[place] * ROW_BYTES +
             problem->indices * LOCATOR_BYTES * (members > 1 ? 2u : 1u);
  }
  return bytes;
}

/* All of it --------------------------------------------------------------- */

LayoutCost layout_cost(LayoutModel *model, const Layout *layout) {
  LayoutCost cost = {{0}};
  sort_members(model, layout);
  make_tables(model);
  count_rows(model);
  for (uint32_t i = 0; i < model->problem->query_count; i++)
    count_query(model, layout, &model->problem->queries[i], &cost);
  count_changes(model, layout, &cost);
  cost.counts[PRICE_BYTE] = count_bytes(model);
  return cost;
}

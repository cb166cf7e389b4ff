/* layout_problem.c: what a layout is chosen for. */
#include "layout/layout_problem.h"

#include "math/random.h"
#include "storage/locate.h"

/* Components ------------------------------------------------------------- */

uint32_t layout_problem_find(const LayoutProblem *problem, ecs_Component id) {
  uint32_t low = 0, high = problem->component_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (problem->components[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  bool found =
      low < problem->component_count && problem->components[low].id == id;
  return found ? low : LAYOUT_COMPONENTS;
}

/* How much the choice depends on a component. */
enum { RANK_NONE, RANK_PRESENT, RANK_USED };

/* Entities have it. */
static void rank_present(uint8_t *ranks, const Group *group) {
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    for (uint32_t bit = 0; table->count > 0 && bit < group->component_count;
         bit++)
      if (table_has(table, bit) || group_is_bits(group, bit))
        ranks[group->components[bit].component] = RANK_PRESENT;
  }
}

/* Changed, or asked for by systems. */
static void rank_used(uint8_t *ranks, const Store *store) {
  const QueryUses *uses = query_uses(store);
  for (uint32_t i = 0; i < uses->count; i++)
    for (uint32_t k = 0; uses->all[i].runs > 0 && k < uses->all[i].term_count;
         k++)
      ranks[uses->all[i].terms[k].component] = RANK_USED;
  for (ecs_Component id = 1; id < store->components.count; id++)
    if (store->components.all[id].changes > 0) ranks[id] = RANK_USED;
}

/* Components that are used find room first, then those of lower ids. */
static void choose_components(uint8_t *ranks, uint32_t count) {
  uint32_t room = LAYOUT_COMPONENTS;
  for (uint8_t rank = RANK_USED; rank > RANK_NONE; rank--)
    for (ecs_Component id = 1; id < count; id++)
      if (ranks[id] == rank && room > 0)
        room--;
      else if (ranks[id] == rank)
        ranks[id] = RANK_NONE;
}

static void add_component(LayoutProblem *problem, ecs_Component id) {
  const Component *component = &problem->store->components.all[id];
  uint32_t bytes = 0;
  ECS_ASSERT(problem->component_count < LAYOUT_COMPONENTS);
  ECS_ASSERT(problem->component_count == 0 ||
             problem->components[problem->component_count - 1].id < id);
  for (uint32_t i = 0; i < component->field_count; i++)
    bytes += scalar_bytes(component->schema->fields[i].type);
  problem->components[problem->component_count++] =
      (LayoutComponent){.id = id,
                        .columns = component->field_count,
                        .bytes = bytes,
                        .changes = component->changes};
}

/* In the order of their ids. */
static ecs_Status add_components(LayoutProblem *problem) {
  Store *store = problem->store;
  uint32_t count = store->components.count;
  uint8_t *ranks = memory_zeroed(&store->memory, count, sizeof(uint8_t));
  if (ranks == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < store->groups.count; i++)
    rank_present(ranks, store->groups.all[i]);
  rank_used(ranks, store);
  choose_components(ranks, count);
  for (ecs_Component id = 1; id < count; id++)
    if (ranks[id] != RANK_NONE) add_component(problem, id);
  memory_free(&store->memory, ranks, count * sizeof(uint8_t));
  return ECS_OK;
}

/* Queries ---------------------------------------------------------------- */

static void add_term(LayoutProblem *problem, LayoutQuery *query,
                     ecs_Term term) {
  uint32_t k = layout_problem_find(problem, term.component);
  /* What is read of targets is gathered in any layout. */
  if (k == LAYOUT_COMPONENTS || !access_is_own(term.access)) return;
  bool has_columns = problem->components[k].columns > 0;
  set_add(&query->named, k);
  if (term.access == ECS_WITHOUT)
    set_add(&query->excluded, k);
  else if (term.access == ECS_OPTIONAL)
    set_add(&query->optional, k);
  else if (term.access == ECS_ANY)
    set_add(&query->offered, k);
  else
    set_add(&query->required, k);
  if (!has_columns || !access_has_columns(term.access)) return;
  set_add(&query->copied, k);
  if (access_writes(term.access)) set_add(&query->written, k);
}

static ecs_Status add_query(LayoutProblem *problem, const QueryUse *use) {
  LayoutQuery query = {.runs = use->runs};
  void *queries = problem->queries;
  if (use->runs == 0 || use->term_count == 0) return ECS_OK;
  if (!memory_grow(&problem->store->memory, &queries, &problem->query_capacity,
                   problem->query_count, 1, sizeof(LayoutQuery)))
    return ECS_E_MEMORY;
  problem->queries = queries;
  for (uint32_t i = 0; i < use->term_count; i++)
    add_term(problem, &query, use->terms[i]);
  problem->queries[problem->query_count++] = query;
  return ECS_OK;
}

static ecs_Status add_queries(LayoutProblem *problem) {
  const QueryUses *uses = query_uses(problem->store);
  for (uint32_t i = 0; i < uses->count; i++) {
    ecs_Status status = add_query(problem, &uses->all[i]);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

/* Without runs there is no frame, and changes are not counted: a program that
 * never says what it runs is not to pay for what it does not run. */
static void scale_to_frames(LayoutProblem *problem) {
  uint64_t frames = 0;
  for (uint32_t i = 0; i < problem->query_count; i++)
    if (problem->queries[i].runs > frames) frames = problem->queries[i].runs;
  for (uint32_t i = 0; i < problem->query_count; i++) {
    problem->queries[i].runs =
        problem->queries[i].runs * LAYOUT_FRAMES / frames;
    ECS_ASSERT(problem->queries[i].runs <= LAYOUT_FRAMES);
  }
  for (uint32_t i = 0; i < problem->component_count; i++) {
    LayoutComponent *component = &problem->components[i];
    component->changes =
        frames == 0 ? 0 : component->changes * LAYOUT_FRAMES / frames;
  }
}

/* Kinds of entities ------------------------------------------------------- */

typedef struct Sampling {
  LayoutProblem *problem;
  ComponentSet **tables; /* by group and table: its components */
  uint32_t *hash;        /* kind plus one; 0: free; twice LAYOUT_SAMPLE */
} Sampling;

#define SAMPLE_HASH (2u * LAYOUT_SAMPLE)

static void sampling_deinit(Sampling *sampling) {
  const Store *store = sampling->problem->store;
  Memory *memory = &sampling->problem->store->memory;
  for (uint32_t i = 0; sampling->tables != NULL && i < store->groups.count; i++)
    memory_free(memory, sampling->tables[i],
                store->groups.all[i]->table_count * sizeof(ComponentSet));
  memory_free(memory, sampling->tables,
              store->groups.count * sizeof(ComponentSet *));
  memory_free(memory, sampling->hash, SAMPLE_HASH * sizeof(uint32_t));
}

/* Does the problem look at a component of the group? */
static bool is_looked_at(const LayoutProblem *problem, const Group *group) {
  for (uint32_t bit = 0; bit < group->component_count; bit++)
    if (layout_problem_find(problem, group->components[bit].component) !=
        LAYOUT_COMPONENTS)
      return true;
  return false;
}

static ecs_Status list_tables(Sampling *sampling, const Group *group) {
  const LayoutProblem *problem = sampling->problem;
  if (group->table_count == 0 || !is_looked_at(problem, group)) return ECS_OK;
  ComponentSet *sets = memory_zeroed(&problem->store->memory,
                                     group->table_count, sizeof(ComponentSet));
  if (sets == NULL) return ECS_E_MEMORY;
  sampling->tables[group->id] = sets;
  for (uint32_t bit = 0; bit < group->component_count; bit++) {
    uint32_t k = layout_problem_find(problem, group->components[bit].component);
    for (uint32_t i = 0; k < LAYOUT_COMPONENTS && i < group->table_count; i++)
      if (table_has(group->tables[i], bit)) set_add(&sets[i], k);
  }
  return ECS_OK;
}

static ecs_Status sampling_init(Sampling *sampling, LayoutProblem *problem) {
  const Store *store = problem->store;
  Memory *memory = &problem->store->memory;
  *sampling = (Sampling){.problem = problem};
  sampling->hash = memory_zeroed(memory, SAMPLE_HASH, sizeof(uint32_t));
  sampling->tables =
      memory_zeroed(memory, store->groups.count, sizeof(ComponentSet *));
  if (sampling->hash == NULL || sampling->tables == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < store->groups.count; i++) {
    ecs_Status status = list_tables(sampling, store->groups.all[i]);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

static void add_bits(const LayoutProblem *problem, const Group *group,
                     RowRef place, ComponentSet *set) {
  for (uint32_t bit = 0; bit < group->component_count; bit++) {
    uint32_t index = group->components[bit].bits_index;
    if (index == GROUP_NOT_BITS ||
        !table_has_bit(place.table, place.row, index))
      continue;
    uint32_t k = layout_problem_find(problem, group->components[bit].component);
    if (k < LAYOUT_COMPONENTS) set_add(set, k);
  }
}

/* The components of an entity. */
static ComponentSet read_entity(const Sampling *sampling, ecs_Entity entity) {
  const Store *store = sampling->problem->store;
  ComponentSet set = {{0}};
  for (uint32_t i = 0; i < store->groups.count; i++) {
    const Group *group = store->groups.all[i];
    if (sampling->tables[i] == NULL) continue;
    RowRef place = store_locate_group(store, group, entity);
    if (place.table == NULL) continue;
    for (uint32_t w = 0; w < LAYOUT_WORDS; w++)
      set.words[w] |= sampling->tables[i][place.table->id].words[w];
    if (group->bits_count > 0) add_bits(sampling->problem, group, place, &set);
  }
  return set;
}

static ecs_Status add_kind(Sampling *sampling, const ComponentSet *set) {
  LayoutProblem *problem = sampling->problem;
  uint64_t i = set_hash(set) % SAMPLE_HASH;
  ECS_ASSERT(problem->kind_count < LAYOUT_SAMPLE); /* so there is a free one */
  for (; sampling->hash[i] != 0; i = (i + 1) % SAMPLE_HASH) {
    LayoutKind *kind = &problem->kinds[sampling->hash[i] - 1];
    if (memcmp(&kind->components, set, sizeof *set) != 0) continue;
    kind->entities++;
    return ECS_OK;
  }
  void *kinds = problem->kinds;
  if (!memory_grow(&problem->store->memory, &kinds, &problem->kind_capacity,
                   problem->kind_count, 1, sizeof(LayoutKind)))
    return ECS_E_MEMORY;
  problem->kinds = kinds;
  problem->kinds[problem->kind_count++] = (LayoutKind){*set, 1};
  sampling->hash[i] = problem->kind_count;
  return ECS_OK;
}

/* The living entity of an index; 0: there is none with a row. */
static ecs_Entity entity_at(const Store *store, uint32_t index) {
  if (!entity_index_has(&store->index, index)) return 0;
  Slot slot = *entity_index_slot(&store->index, index);
  if (slot_state(slot) != SLOT_PLACED) return 0;
  return store_main(store)->tables[slot_table(slot)]->entities[slot_row(slot)];
}

static ecs_Status take_sample(Sampling *sampling) {
  LayoutProblem *problem = sampling->problem;
  const Store *store = problem->store;
  uint64_t step = (problem->indices + LAYOUT_SAMPLE - 1) / LAYOUT_SAMPLE;
  uint64_t taken = 0;
  for (uint64_t i = 0; i < problem->indices; i += step) {
    uint64_t drawn = i + random_mix(i) % step;
    ecs_Entity entity = entity_at(store, (uint32_t)drawn);
    if (entity == 0) continue;
    ComponentSet set = read_entity(sampling, entity);
    ecs_Status status = add_kind(sampling, &set);
    if (status != ECS_OK) return status;
    taken++;
  }
  ECS_ASSERT(taken <= LAYOUT_SAMPLE && taken <= problem->entities);
  ECS_ASSERT((taken == 0) == (problem->kind_count == 0));
  for (uint32_t i = 0; i < problem->kind_count; i++)
    problem->kinds[i].entities =
        problem->kinds[i].entities * problem->entities / taken;
  return ECS_OK;
}

/* All of it -------------------------------------------------------------- */

static void count_entities(LayoutProblem *problem) {
  for (uint32_t i = 0; i < problem->kind_count; i++) {
    const LayoutKind *kind = &problem->kinds[i];
    const ComponentSet *has = &kind->components;
    for (uint32_t k = set_next(has, 0); k < LAYOUT_COMPONENTS;
         k = set_next(has, k + 1))
      problem->components[k].entities += kind->entities;
    for (uint32_t q = 0; q < problem->query_count; q++) {
      LayoutQuery *query = &problem->queries[q];
      if (set_contains(has, &query->required) &&
          !set_meets(has, &query->excluded) &&
          (set_is_empty(&query->offered) || set_meets(has, &query->offered)))
        query->matches += kind->entities;
      ECS_ASSERT(query->matches <= problem->entities);
    }
  }
}

static ecs_Status collect(LayoutProblem *problem) {
  Sampling sampling;
  ecs_Status status = add_components(problem);
  if (status == ECS_OK) status = add_queries(problem);
  if (status != ECS_OK) return status;
  scale_to_frames(problem);
  status = sampling_init(&sampling, problem);
  if (status == ECS_OK) status = take_sample(&sampling);
  sampling_deinit(&sampling);
  if (status == ECS_OK) count_entities(problem);
  return status;
}

ecs_Status layout_problem_init(LayoutProblem *problem, Store *store) {
  *problem = (LayoutProblem){.store = store,
                             .entities = store->index.alive_count,
                             .indices = store->index.used};
  ecs_Status status = collect(problem);
  if (status != ECS_OK) layout_problem_deinit(problem);
  return status;
}

void layout_problem_deinit(LayoutProblem *problem) {
  Memory *memory = &problem->store->memory;
  memory_free(memory, problem->kinds,
              problem->kind_capacity * sizeof(LayoutKind));
  memory_free(memory, problem->queries,
              problem->query_capacity * sizeof(LayoutQuery));
  problem->kinds = NULL;
  problem->queries = NULL;
}

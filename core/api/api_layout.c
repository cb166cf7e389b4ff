/* api_layout.c: the border for choosing the storage. */
#define ECS_DEFINES_API /* ecs.h */

#include "api/api_query.h"
#include "base/misuse.h"
#include "change/regroup.h"
#include "layout/layout_advice.h"
#include "world/world.h"

static ecs_Place place_of(const Component *component, ecs_Component id,
                          ecs_Component *beside) {
  const Group *group = component->group;
  *beside = 0;
  if (group->id == 0)
    return component_is_bits(component) ? ECS_PLACE_BITS : ECS_PLACE_MAIN;
  if (group->component_count == 1) return ECS_PLACE_SET;
  *beside = group->components[0].component;
  if (*beside == id) *beside = group->components[1].component;
  return ECS_PLACE_GROUP;
}

ecs_Status ecs_component_statistics(const ecs_World *world, ecs_Component id,
                                    ecs_ComponentStatistics *statistics) {
  ECS_MUST_LIVE(WORLD, world);
  if (!world_has_component(world, id)) return ECS_E_COMPONENT;
  if (statistics == NULL) return ECS_E_ARGUMENT;
  const Component *component = &world->store.components.all[id];
  statistics->changes = component->changes;
  statistics->place = place_of(component, id, &statistics->beside);
  return ECS_OK;
}

ecs_Status ecs_query_count_runs(ecs_Query *query, uint64_t runs) {
  ECS_MUST_LIVE(QUERY, query);
  return query_use_count(query, runs);
}

/* The room left behind so many entries, and its start. */
static ecs_Advice *behind(ecs_Advice *entries, uint32_t *capacity,
                          uint32_t count) {
  *capacity -= count < *capacity ? count : *capacity;
  return *capacity == 0 ? NULL : entries + count;
}

ecs_Status ecs_world_advise(ecs_World *world, ecs_Advice *entries,
                            uint32_t capacity, uint32_t *count) {
  LayoutAdvice advice;
  ECS_MUST_LIVE(WORLD, world);
  if (count == NULL || (entries == NULL && capacity > 0)) return ECS_E_ARGUMENT;
  ecs_Status status = layout_advice_init(&advice, &world->store);
  if (status != ECS_OK) return status;
  *count = layout_advice_moves(&advice, entries, capacity);
  entries = behind(entries, &capacity, *count);
  *count += layout_advice_merges(&advice, entries, capacity);
  layout_advice_deinit(&advice);
  return ECS_OK;
}

/* The labels of store_partition for the better layout. */
static uint32_t *make_labels(const LayoutAdvice *advice) {
  const LayoutProblem *problem = &advice->problem;
  Store *store = problem->store;
  uint32_t *labels =
      memory_zeroed(&store->memory, store->components.count, sizeof(uint32_t));
  if (labels == NULL) return NULL;
  for (uint32_t i = 0; i < store->components.count; i++)
    labels[i] = REGROUP_STAYS;
  for (uint32_t k = 0; k < problem->component_count; k++)
    labels[problem->components[k].id] = advice->better.places[k];
  return labels;
}

static ecs_Status apply(const LayoutAdvice *advice) {
  Store *store = advice->problem.store;
  uint32_t *labels = make_labels(advice);
  if (labels == NULL) return ECS_E_MEMORY;
  ecs_Status status = store_partition(store, labels);
  memory_free(&store->memory, labels,
              store->components.count * sizeof(uint32_t));
  return status;
}

/* Counts of fewer frames stay: halving would round 3 to 2 and 1 to 1, so the same
 * question would get another answer. */
#define HALVED_FRAMES (2u * LAYOUT_FRAMES)

/* Rounds up, so that what happened once stays known. */
static void halve_counts(Store *store) {
  uint64_t frames = 0;
  const QueryUses *uses = query_uses(store);
  for (uint32_t i = 0; i < uses->count; i++)
    if (uses->all[i].runs > frames) frames = uses->all[i].runs;
  if (frames < HALVED_FRAMES) return;
  for (uint32_t i = 0; i < uses->count; i++)
    uses->all[i].runs -= uses->all[i].runs / 2;
  for (uint32_t i = 1; i < store->components.count; i++)
    store->components.all[i].changes -= store->components.all[i].changes / 2;
}

ecs_Status ecs_world_optimize(ecs_World *world, ecs_Advice *entries,
                              uint32_t capacity, uint32_t *count) {
  LayoutAdvice advice;
  ECS_MUST_LIVE(WORLD, world);
  if (count == NULL || (entries == NULL && capacity > 0)) return ECS_E_ARGUMENT;
  if (world->depth > 0) return ECS_E_OPEN;
  ecs_Status status = layout_advice_init(&advice, &world->store);
  if (status != ECS_OK) return status;
  *count = layout_advice_moves(&advice, entries, capacity);
  if (*count > 0) status = apply(&advice);
  layout_advice_deinit(&advice);
  if (status == ECS_OK) halve_counts(&world->store);
  return status;
}

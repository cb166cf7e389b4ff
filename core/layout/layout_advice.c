/* layout_advice.c: what would be better stored otherwise, and why. */
#include "layout/layout_advice.h"

/* Life ------------------------------------------------------------------- */

/* Is each group named after its first member? */
ECS_ASSERT_ONLY static bool is_normal(const LayoutProblem *problem,
                                      const Layout *layout) {
  Layout named = *layout;
  layout_normalize(problem, &named);
  return memcmp(&named, layout, sizeof named) == 0;
}

ecs_Status layout_advice_init(LayoutAdvice *advice, Store *store) {
  ecs_Status status = layout_problem_init(&advice->problem, store);
  if (status != ECS_OK) return status;
  status = layout_model_init(&advice->model, &advice->problem);
  if (status != ECS_OK) {
    layout_problem_deinit(&advice->problem);
    return status;
  }
  advice->now = layout_now(&advice->problem);
  advice->better = layout_search(&advice->model);
  ECS_ASSERT(is_normal(&advice->problem, &advice->now));
  ECS_ASSERT(is_normal(&advice->problem, &advice->better));
  return ECS_OK;
}

void layout_advice_deinit(LayoutAdvice *advice) {
  layout_model_deinit(&advice->model);
  layout_problem_deinit(&advice->problem);
}

/* Moves ------------------------------------------------------------------ */

/* Another component of the same group; LAYOUT_COMPONENTS: there is none. */
static uint32_t find_beside(const LayoutProblem *problem, const Layout *layout,
                            uint32_t k) {
  for (uint32_t i = 0; i < problem->component_count; i++)
    if (i != k && layout->places[i] == layout->places[k]) return i;
  return LAYOUT_COMPONENTS;
}

static ecs_Place name_place(const LayoutProblem *problem, const Layout *layout,
                            uint32_t k, ecs_Component *beside) {
  *beside = 0;
  if (layout->places[k] == PLACE_MAIN) return ECS_PLACE_MAIN;
  if (layout->places[k] == PLACE_BITS) return ECS_PLACE_BITS;
  ECS_ASSERT(k < problem->component_count);
  uint32_t other = find_beside(problem, layout, k);
  if (other == LAYOUT_COMPONENTS) return ECS_PLACE_SET;
  *beside = problem->components[other].id;
  return ECS_PLACE_GROUP;
}

/* Is the component stored otherwise in the other layout, or with others? */
static bool differs(const LayoutProblem *problem, const Layout *one,
                    const Layout *other, uint32_t k) {
  uint32_t place = one->places[k];
  if ((place < PLACE_GROUP || other->places[k] < PLACE_GROUP) &&
      place != other->places[k])
    return true;
  for (uint32_t i = 0; place >= PLACE_GROUP && i < problem->component_count;
       i++)
    if ((one->places[i] == place) != (other->places[i] == other->places[k]))
      return true;
  return false;
}

/* The places of the better layout for the components up to k, and for the others
 * those of now. Groups of both have names that differ. */
static Layout mix_layouts(const LayoutAdvice *advice, uint32_t k) {
  const LayoutProblem *problem = &advice->problem;
  Layout layout = advice->now;
  ECS_ASSERT(k <= problem->component_count);
  for (uint32_t i = k; i < problem->component_count; i++)
    if (layout.places[i] >= PLACE_GROUP)
      layout.places[i] = (uint16_t)(layout.places[i] + LAYOUT_COMPONENTS);
  memcpy(layout.places, advice->better.places, k * sizeof layout.places[0]);
  layout_normalize(problem, &layout);
  return layout;
}

/* The prices of each reason. */
static const LayoutPrice parts[][2] = {
    [ECS_REASON_CHANGES] = {PRICE_MOVE, PRICE_BIT},
    [ECS_REASON_LISTS] = {PRICE_LOOK_UP, PRICE_BITS_MATCH},
    [ECS_REASON_COPIES] = {PRICE_NEAR, PRICE_FAR_BACK},
    [ECS_REASON_TABLES] = {PRICE_TABLE, PRICE_TABLE},
    [ECS_REASON_MEMORY] = {PRICE_BYTE, PRICE_BYTE}};

/* The term of the cost that component k's move makes most less, after the moves
 * of those before it, and what it gains in all. */
static ecs_Reason find_reason(LayoutAdvice *advice, uint32_t k, int64_t *gain) {
  Layout one = mix_layouts(advice, k), other = mix_layouts(advice, k + 1);
  LayoutCost without = layout_cost(&advice->model, &one);
  LayoutCost with = layout_cost(&advice->model, &other);
  *gain = (int64_t)(layout_cost_total(&without) - layout_cost_total(&with)) /
          (int64_t)(LAYOUT_FRAMES * 1000u);
  ecs_Reason reason = ECS_REASON_CHANGES;
  uint64_t most = 0;
  for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    uint64_t before = layout_cost_part(&without, parts[i][0], parts[i][1]);
    uint64_t after = layout_cost_part(&with, parts[i][0], parts[i][1]);
    if (before <= after || before - after <= most) continue;
    most = before - after;
    reason = (ecs_Reason)i;
  }
  return reason;
}

uint32_t layout_advice_moves(LayoutAdvice *advice, ecs_Advice *entries,
                             uint32_t capacity) {
  const LayoutProblem *problem = &advice->problem;
  uint32_t count = 0;
  for (uint32_t k = 0; k < problem->component_count; k++) {
    ecs_Advice entry = {.component = problem->components[k].id};
    if (!differs(problem, &advice->now, &advice->better, k)) continue;
    entry.from = name_place(problem, &advice->now, k, &entry.from_beside);
    entry.to = name_place(problem, &advice->better, k, &entry.to_beside);
    entry.reason = find_reason(advice, k, &entry.gain);
    if (count < capacity) entries[count] = entry;
    count++;
  }
  return count;
}

/* Components that would better be something else --------------------------- */

/* Have the same entities both, and does every query that names one name the
 * other? */
static bool always_together(const LayoutProblem *problem, uint32_t k,
                            uint32_t other) {
  bool asked = false;
  for (uint32_t i = 0; i < problem->kind_count; i++)
    if (set_has(&problem->kinds[i].components, k) !=
        set_has(&problem->kinds[i].components, other))
      return false;
  for (uint32_t i = 0; i < problem->query_count; i++) {
    const ComponentSet *copied = &problem->queries[i].copied;
    if (set_has(copied, k) != set_has(copied, other)) return false;
    asked = asked || set_has(copied, k);
  }
  return asked;
}

/* The first component that could take the fields of this one. */
static uint32_t find_owner(const LayoutProblem *problem, uint32_t k) {
  for (uint32_t i = 0; i < k; i++)
    if (problem->components[i].columns > 0 && always_together(problem, k, i))
      return i;
  return LAYOUT_COMPONENTS;
}

/* Has every entity with it no other component, and do systems ask for nothing
 * beside it? Then entities are only its indices. */
static bool always_alone(const LayoutProblem *problem, uint32_t k) {
  ComponentSet alone = {{0}};
  bool asked = false;
  set_add(&alone, k);
  for (uint32_t i = 0; i < problem->kind_count; i++)
    if (set_has(&problem->kinds[i].components, k) &&
        !set_contains(&alone, &problem->kinds[i].components))
      return false;
  for (uint32_t i = 0; i < problem->query_count; i++) {
    const LayoutQuery *query = &problem->queries[i];
    if (!set_has(&query->named, k)) continue;
    if (!set_contains(&alone, &query->named)) return false;
    asked = true;
  }
  return asked;
}

static bool find_merge(const LayoutProblem *problem, uint32_t k,
                       ecs_Advice *entry) {
  const LayoutComponent *component = &problem->components[k];
  if (component->columns == 0 || component->entities == 0 ||
      component->changes > 0)
    return false;
  uint32_t owner = find_owner(problem, k);
  ECS_ASSERT(owner < k || owner == LAYOUT_COMPONENTS);
  if (owner < LAYOUT_COMPONENTS) {
    entry->to = ECS_PLACE_FIELD;
    entry->to_beside = problem->components[owner].id;
    entry->reason = ECS_REASON_TOGETHER;
    return true;
  }
  if (!always_alone(problem, k)) return false;
  entry->to = ECS_PLACE_ARRAY;
  entry->reason = ECS_REASON_ALONE;
  return true;
}

uint32_t layout_advice_merges(const LayoutAdvice *advice, ecs_Advice *entries,
                              uint32_t capacity) {
  const LayoutProblem *problem = &advice->problem;
  uint32_t count = 0;
  for (uint32_t k = 0; k < problem->component_count; k++) {
    ecs_Advice entry = {.component = problem->components[k].id};
    if (!find_merge(problem, k, &entry)) continue;
    entry.from = name_place(problem, &advice->now, k, &entry.from_beside);
    if (count < capacity) entries[count] = entry;
    count++;
  }
  return count;
}

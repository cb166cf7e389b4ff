/* layout_search.c: looks for a layout in which a frame costs less. */
#include "layout/layout_search.h"

/* Passes over all components; most descents end after three. */
#define SEARCH_PASSES 12u

void layout_normalize(const LayoutProblem *problem, Layout *layout) {
  uint32_t count = problem->component_count;
  Layout old = *layout;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t lead = k;
    if (old.places[k] < PLACE_GROUP) continue;
    for (uint32_t i = 0; i < lead; i++)
      if (old.places[i] == old.places[k]) lead = i;
    layout->places[k] = (uint16_t)(PLACE_GROUP + lead);
    ECS_ASSERT(lead == k || layout->places[lead] == layout->places[k]);
  }
}

/* The place of a group for the component alone: no other component has it. */
static uint32_t lone_place(const LayoutProblem *problem, const Layout *layout,
                           uint32_t k) {
  for (uint32_t i = 0; i < problem->component_count; i++) {
    bool free = true;
    for (uint32_t j = 0; free && j < problem->component_count; j++)
      free = j == k || layout->places[j] != PLACE_GROUP + i;
    if (free) return PLACE_GROUP + i;
  }
  ECS_ASSERT(false); /* the others have a group each, at most */
  return PLACE_MAIN;
}

/* Does a query ask for both? Otherwise there is nothing in storing them
 * together. */
static bool asked_together(const LayoutProblem *problem, uint32_t one,
                           uint32_t other) {
  for (uint32_t i = 0; i < problem->query_count; i++)
    if (set_has(&problem->queries[i].named, one) &&
        set_has(&problem->queries[i].named, other))
      return true;
  return false;
}

/* Has any entity the component, or did any lose it? What is not used stays where
 * it is. */
static bool is_used(const LayoutProblem *problem, uint32_t k) {
  return problem->components[k].entities > 0 ||
         problem->components[k].changes > 0;
}

typedef struct Descent {
  LayoutModel *model;
  Layout layout;
  uint64_t cost;
} Descent;

/* Tries a place for a component; keeps it where it costs less than *best. */
static void try_place(Descent *descent, uint32_t k, uint32_t place,
                      uint64_t *best, uint32_t *best_place) {
  Layout layout = descent->layout;
  if (place == layout.places[k]) return;
  layout.places[k] = (uint16_t)place;
  LayoutCost cost = layout_cost(descent->model, &layout);
  uint64_t total = layout_cost_total(&cost);
  if (total >= *best) return;
  *best = total;
  *best_place = place;
}

/* Tries to join the group of each component that is asked for together with this
 * one, once for each group. */
static void try_groups(Descent *descent, uint32_t k, uint64_t *best,
                       uint32_t *best_place) {
  const LayoutProblem *problem = descent->model->problem;
  const uint16_t *places = descent->layout.places;
  for (uint32_t i = 0; i < problem->component_count; i++) {
    bool first = i != k && places[i] >= PLACE_GROUP;
    for (uint32_t j = 0; first && j < i; j++)
      first = places[j] != places[i] || !asked_together(problem, j, k);
    if (first && asked_together(problem, i, k))
      try_place(descent, k, places[i], best, best_place);
  }
}

/* Moves a component to its best place. False: it stays. */
static bool move_component(Descent *descent, uint32_t k) {
  const LayoutProblem *problem = descent->model->problem;
  uint64_t best = descent->cost;
  uint32_t place = descent->layout.places[k];
  try_place(descent, k, PLACE_MAIN, &best, &place);
  if (problem->components[k].columns == 0)
    try_place(descent, k, PLACE_BITS, &best, &place);
  try_place(descent, k, lone_place(problem, &descent->layout, k), &best,
            &place);
  try_groups(descent, k, &best, &place);
  if (best >= descent->cost) return false;
  descent->layout.places[k] = (uint16_t)place;
  descent->cost = best;
  return true;
}

/* A name is not paid for. */
ECS_ASSERT_ONLY static bool costs_as_much(const Descent *descent) {
  LayoutCost cost = layout_cost(descent->model, &descent->layout);
  return layout_cost_total(&cost) == descent->cost;
}

static Descent descend(LayoutModel *model, const Layout *start) {
  const LayoutProblem *problem = model->problem;
  LayoutCost cost = layout_cost(model, start);
  Descent descent = {model, *start, layout_cost_total(&cost)};
  bool moved = true;
  for (uint32_t pass = 0; moved && pass < SEARCH_PASSES; pass++) {
    moved = false;
    for (uint32_t k = 0; k < problem->component_count; k++)
      if (is_used(problem, k)) moved = move_component(&descent, k) || moved;
  }
  ECS_ASSERT(descent.cost <= layout_cost_total(&cost));
  layout_normalize(problem, &descent.layout);
  ECS_ASSERT(costs_as_much(&descent));
  return descent;
}

static Layout all_in_main(const LayoutProblem *problem, const Layout *now) {
  Layout layout = *now;
  for (uint32_t k = 0; k < problem->component_count; k++)
    if (is_used(problem, k)) layout.places[k] = PLACE_MAIN;
  return layout;
}

static Layout all_apart(const LayoutProblem *problem, const Layout *now) {
  Layout layout = all_in_main(problem, now);
  for (uint32_t k = 0; k < problem->component_count; k++) {
    bool tag = problem->components[k].columns == 0;
    if (!is_used(problem, k)) continue;
    layout.places[k] =
        (uint16_t)(tag ? PLACE_BITS : lone_place(problem, &layout, k));
  }
  return layout;
}

Layout layout_search(LayoutModel *model) {
  const Layout now = layout_now(model->problem);
  const Layout main = all_in_main(model->problem, &now);
  const Layout apart = all_apart(model->problem, &now);
  const Layout *starts[] = {&now, &main, &apart};
  LayoutCost cost = layout_cost(model, &now);
  uint64_t present = layout_cost_total(&cost);
  Descent best = {model, now, present - present / LAYOUT_LEAST_GAIN};
  for (uint32_t i = 0; i < 3; i++) {
    Descent descent = descend(model, starts[i]);
    if (descent.cost < best.cost) best = descent;
  }
  ECS_ASSERT(best.cost <= present);
  return best.layout;
}

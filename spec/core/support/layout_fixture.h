/* layout_fixture.h: problems made by hand, for tests of what a layout costs.
 *
 *      begin();
 *      uint32_t body = component(2, 0), stunned = component(0, 512);
 *      kind(700, 1, body);
 *      kind(20, 2, body, stunned);
 *      LayoutQuery *moves = asks(256);
 *      set_add(&moves->required, body);
 *      ...
 *      solve();
 *      LayoutCost cost = layout_cost(&fixture.model, &layout);
 *      finish();
 *
 * The world is there for its memory.
 */
#ifndef LAYOUT_FIXTURE_H
#define LAYOUT_FIXTURE_H

#include "api_fixture.h"
#include "layout/layout_search.h"
#include "world/world.h"

#define MOST_KINDS 32u
#define MOST_QUERIES 8u

typedef struct LayoutFixture {
  FailingMemory failing;
  ecs_World *world;
  LayoutProblem problem;
  LayoutModel model;
  bool is_solved;
  LayoutKind kinds[MOST_KINDS];
  LayoutQuery queries[MOST_QUERIES];
} LayoutFixture;

static LayoutFixture fixture;

static inline void begin(void) {
  memset(&fixture, 0, sizeof fixture);
  fixture.world = open_world(&fixture.failing);
  fixture.problem.store = &fixture.world->store;
  fixture.problem.kinds = fixture.kinds;
  fixture.problem.queries = fixture.queries;
}

/* A component with some columns of 4 bytes that changes so often. Returns its
 * position. */
static inline uint32_t component(uint32_t columns, uint64_t changes) {
  uint32_t k = fixture.problem.component_count++;
  fixture.problem.components[k] = (LayoutComponent){.id = k + 1,
                                                    .columns = columns,
                                                    .bytes = 4 * columns,
                                                    .changes = changes};
  return k;
}

static inline void kind_of_set(uint64_t entities, ComponentSet set) {
  LayoutProblem *problem = &fixture.problem;
  assert_true(problem->kind_count < MOST_KINDS);
  fixture.kinds[problem->kind_count++] = (LayoutKind){set, entities};
  problem->entities += entities;
  problem->indices += entities;
  for (uint32_t k = 0; k < problem->component_count; k++)
    if (set_has(&set, k)) problem->components[k].entities += entities;
}

/* So many entities have just these components. */
static inline void kind(uint64_t entities, uint32_t count, ...) {
  ComponentSet set = {{0}};
  va_list list;
  va_start(list, count);
  for (uint32_t i = 0; i < count; i++) set_add(&set, va_arg(list, uint32_t));
  va_end(list);
  kind_of_set(entities, set);
}

/* A query that asks for nothing yet. */
static inline LayoutQuery *asks(uint64_t runs) {
  assert_true(fixture.problem.query_count < MOST_QUERIES);
  LayoutQuery *query = &fixture.queries[fixture.problem.query_count++];
  *query = (LayoutQuery){.runs = runs};
  return query;
}

static inline void asks_to_write(LayoutQuery *query, uint32_t k) {
  set_add(&query->named, k);
  set_add(&query->required, k);
  if (fixture.problem.components[k].columns == 0) return;
  set_add(&query->copied, k);
  set_add(&query->written, k);
}

static inline void asks_to_be_without(LayoutQuery *query, uint32_t k) {
  set_add(&query->named, k);
  set_add(&query->excluded, k);
}

/* The problem is complete: counts what queries match, and makes the model. */
static inline void solve(void) {
  LayoutProblem *problem = &fixture.problem;
  for (uint32_t q = 0; q < problem->query_count; q++)
    for (uint32_t i = 0; i < problem->kind_count; i++) {
      LayoutQuery *query = &fixture.queries[q];
      const ComponentSet *has = &fixture.kinds[i].components;
      if (set_contains(has, &query->required) &&
          !set_meets(has, &query->excluded))
        query->matches += fixture.kinds[i].entities;
    }
  assert_int_equal(layout_model_init(&fixture.model, problem), ECS_OK);
  fixture.is_solved = true;
}

static inline void finish(void) {
  if (fixture.is_solved) layout_model_deinit(&fixture.model);
  close_world(fixture.world, &fixture.failing);
}

static inline LayoutCost cost_of(const Layout *layout) {
  return layout_cost(&fixture.model, layout);
}

static inline uint64_t total_of(const Layout *layout) {
  LayoutCost cost = cost_of(layout);
  return layout_cost_total(&cost);
}

#endif

/* claims.c: which components are read and written by open cursors. */
#include "query/claims.h"

static Component *component_of(const ecs_Query *query, const QueryTerm *term) {
  ECS_ASSERT(term->component < query->store->component_count);
  return &query->store->components[term->component];
}

ecs_Component claims_contested(const ecs_Query *query) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    const Component *component = component_of(query, term);
    bool reads = term->access == ECS_READ;
    uint32_t others = reads ? component->writers : component->readers;
    if (term->column_count > 0 && others > 0) return term->component;
  }
  return 0;
}

void claims_take(const ecs_Query *query) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    Component *component = component_of(query, term);
    if (term->column_count > 0)
      claim_component(component, term->access != ECS_READ);
  }
}

void claims_release(const ecs_Query *query) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    Component *component = component_of(query, term);
    if (term->column_count > 0)
      release_component(component, term->access != ECS_READ);
  }
}

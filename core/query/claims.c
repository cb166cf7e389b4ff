/* claims.c: which components are read and written by open cursors. */
#include "query/claims.h"

static Component *component_of(const ecs_Query *query, const QueryTerm *term) {
  ECS_ASSERT(term->component < query->store->components.count);
  return &query->store->components.all[term->component];
}

ecs_Component claims_contested(const ecs_Query *query) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    const Component *component = component_of(query, term);
    bool reads = !access_writes(term->access);
    uint32_t others = reads ? component->writers : component->readers;
    if (term->column_count > 0 && others > 0) return term->component;
  }
  return claims_contested_order(query);
}

ecs_Component claims_contested_order(const ecs_Query *query) {
  if (!query_is_sorted(query)) return 0;
  ecs_Component order = query->picked->order.component; /* to sort is to read */
  return query->store->components.all[order].writers > 0 ? order : 0;
}

void claims_take(const ecs_Query *query) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    Component *component = component_of(query, term);
    if (term->column_count == 0) continue;
    if (access_writes(term->access)) store_wrote(query->store, term->component);
    claim_component(component, access_writes(term->access));
  }
}

void claims_release(const ecs_Query *query) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    Component *component = component_of(query, term);
    if (term->column_count > 0)
      release_component(component, access_writes(term->access));
  }
}

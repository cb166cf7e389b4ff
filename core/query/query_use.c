/* query_use.c: how often systems ran over a query. */
#include "query/query_use.h"

/* Inserts a term among those before it, by component and access. */
static void insert_term(ecs_Term *terms, uint32_t count, ecs_Term term) {
  uint32_t i = count;
  for (; i > 0 && (terms[i - 1].component > term.component ||
                   (terms[i - 1].component == term.component &&
                    terms[i - 1].access > term.access));
       i--)
    terms[i] = terms[i - 1];
  terms[i] = term;
}

/* FNV-1a, a word at a time. */
static uint64_t hash_terms(const ecs_Term *terms, uint32_t count) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (uint32_t i = 0; i < count; i++) {
    hash = (hash ^ terms[i].component) * UINT64_C(0x100000001b3);
    hash = (hash ^ (uint64_t)terms[i].access) * UINT64_C(0x100000001b3);
  }
  return hash;
}

static bool same_terms(const QueryUse *one, const QueryUse *other) {
  if (one->hash != other->hash || one->term_count != other->term_count)
    return false;
  for (uint32_t i = 0; i < one->term_count; i++)
    if (one->terms[i].component != other->terms[i].component ||
        one->terms[i].access != other->terms[i].access)
      return false;
  return true;
}

static void free_terms(Store *store, QueryUse *use) {
  memory_free(&store->memory, use->terms, use->term_count * sizeof(ecs_Term));
}

/* Keeps a use, or finds the one with the same terms and frees this one. */
static ecs_Status keep(Store *store, QueryUse *use, uint32_t *number) {
  QueryUses *uses = query_uses(store);
  for (uint32_t i = 0; i < uses->count; i++) {
    if (!same_terms(&uses->all[i], use)) continue;
    free_terms(store, use);
    *number = i + 1;
    return ECS_OK;
  }
  void *all = uses->all;
  if (!memory_grow(&store->memory, &all, &uses->capacity, uses->count, 1,
                   sizeof(QueryUse))) {
    free_terms(store, use);
    return ECS_E_MEMORY;
  }
  uses->all = all;
  uses->all[uses->count++] = *use;
  *number = uses->count;
  return ECS_OK;
}

static ecs_Status find_use(ecs_Query *query) {
  Store *store = query->store;
  QueryUse use = {.term_count = query->term_count};
  use.terms = memory_zeroed(&store->memory, use.term_count, sizeof(ecs_Term));
  if (use.terms == NULL && use.term_count > 0) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < use.term_count; i++)
    insert_term(use.terms, i,
                (ecs_Term){.component = query->terms[i].component,
                           .access = query->terms[i].access});
  use.hash = hash_terms(use.terms, use.term_count);
  return keep(store, &use, &query->use);
}

/* What happened before any system ran was setting up. */
static void begin_counting(Store *store) {
  query_uses(store)->begun = true;
  for (uint32_t i = 1; i < store->components.count; i++)
    store->components.all[i].changes = 0;
}

ecs_Status query_use_count(ecs_Query *query, uint64_t runs) {
  if (query->use == 0) {
    ecs_Status status = find_use(query);
    if (status != ECS_OK) return status;
  }
  if (!query_uses(query->store)->begun) begin_counting(query->store);
  query_uses(query->store)->all[query->use - 1].runs += runs;
  return ECS_OK;
}

uint64_t query_use_runs(const ecs_Query *query) {
  const QueryUses *uses = query_uses(query->store);
  return query->use == 0 ? 0 : uses->all[query->use - 1].runs;
}

void query_uses_deinit(Store *store) {
  QueryUses *uses = query_uses(store);
  for (uint32_t i = 0; i < uses->count; i++) free_terms(store, &uses->all[i]);
  memory_free(&store->memory, uses->all, uses->capacity * sizeof(QueryUse));
  *uses = (QueryUses){0};
}

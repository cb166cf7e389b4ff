/* api_query.c: the border for queries, cursors and kernels.
 *
 * Checks terms and claims. Beginning a cursor opens a level of recording
 * (world/deferral.h); ending or discarding the cursor closes the level. */
#define ECS_DEFINES_API /* ecs.h */

#include "api/api_query.h"
#include "api/api_grid.h"
#include "base/float_mode.h"
#include "base/misuse.h"
#include "world/deferral.h"
#include "world/deferred_change.h"
#include "program/vm.h"
#include "query/claims.h"
#include "query/gather.h"
#include "query/query_entities.h"

/* Queries --------------------------------------------------------------- */

/* May two terms name one component? What targets have, and the component with
 * the link, may be named for the row itself as well. */
static bool may_repeat(ecs_Access one, ecs_Access other) {
  return one != other && (!access_is_own(one) || !access_is_own(other));
}

/* ECS_E_LIMIT: too many terms; ECS_E_ARGUMENT: no terms, or an unknown access;
 * ECS_E_COMPONENT: an id names no component, or occurs twice. */
static ecs_Status check_terms(ecs_World *world, const ecs_Term *terms,
                              uint32_t count) {
  if (count > ECS_TERM_LIMIT)
    return memory_refuse(&world->store.memory, ECS_TERM_LIMIT, "terms",
                         "a query");
  if (terms == NULL && count > 0) return ECS_E_ARGUMENT;
  for (uint32_t i = 0; i < count; i++) {
    if ((uint32_t)terms[i].access >= ECS_ACCESS_COUNT) return ECS_E_ARGUMENT;
    if (!world_has_component(world, terms[i].component)) return ECS_E_COMPONENT;
    for (uint32_t k = 0; k < i; k++)
      if (terms[k].component == terms[i].component &&
          !may_repeat(terms[k].access, terms[i].access))
        return ECS_E_COMPONENT;
  }
  return ECS_OK;
}

/* Finds the link that a query goes along; *link is NULL if it names none.
 * ECS_E_ARGUMENT: it names two, or targets without a link; ECS_E_FIELD: the
 * component has not one link that is a tree. */
static ecs_Status find_link(const ecs_World *world, const ecs_Term *terms,
                            uint32_t count, const LinkIndex **link) {
  const Component *along = NULL;
  bool up = false;
  for (uint32_t i = 0; i < count; i++) {
    up = up || terms[i].access == ECS_UP;
    if (terms[i].access != ECS_ALONG) continue;
    if (along != NULL) return ECS_E_ARGUMENT;
    along = &world->store.components.all[terms[i].component];
  }
  *link = NULL;
  if (along == NULL) return up ? ECS_E_ARGUMENT : ECS_OK;
  *link = link_set_find_tree(&world->links, along);
  return *link == NULL ? ECS_E_FIELD : ECS_OK;
}

ecs_Status ecs_query_create(ecs_World *world, const ecs_Term *terms,
                            uint32_t count, ecs_Query **query) {
  ECS_MUST_LIVE(WORLD, world);
  Memory *memory = &world->store.memory;
  if (query == NULL) return ECS_E_ARGUMENT;
  const LinkIndex *link = NULL;
  ecs_Status status = check_terms(world, terms, count);
  if (status == ECS_OK) status = find_link(world, terms, count, &link);
  if (status == ECS_OK) status = world_reserve_query(world);
  if (status != ECS_OK) return status;
  ecs_Query *made = memory_zeroed(memory, 1, sizeof(ecs_Query));
  if (made == NULL) return ECS_E_MEMORY;
  status = query_init(made, &world->store, terms, count);
  if (status != ECS_OK) {
    memory_free(memory, made, sizeof(ecs_Query));
    return status;
  }
  if (link != NULL) {
    made->links = &world->links.indices;
    made->link = (uint32_t)(link - world->links.indices);
  }
  world_add_query(world, made);
  LIVING_ENTER(QUERY, made);
  *query = made;
  return ECS_OK;
}

void api_query_free(ecs_Query *query) {
  ecs_World *world = world_of(query);
  api_grids_free(query);
  LIVING_LEAVE(QUERY, query);
  world_remove_query(world, query);
  while (query->programs != NULL) program_destroy(query->programs);
  kernel_unbind_all(query);
  scratch_free_all(query);
  query_deinit(query);
  memory_free(&world->store.memory, query, sizeof(ecs_Query));
}

ecs_Status ecs_query_destroy(ecs_Query *query) {
  if (query == NULL) return ECS_OK;
  ECS_MUST_LIVE(QUERY, query);
  if (query->open > 0) return ECS_E_OPEN;
  api_query_free(query);
  return ECS_OK;
}

/* ECS_E_OPEN: the query is in use; ECS_E_ARGUMENT: there is no such term whose
 * component is there, or the query goes along a tree or has a grid. */
static ecs_Status check_asked(const ecs_Query *query, uint32_t term) {
  if (query->open > 0) return ECS_E_OPEN;
  return query->links == NULL && query->grids == NULL &&
                 term < query->term_count &&
                 query->terms[term].access != ECS_WITHOUT
             ? ECS_OK
             : ECS_E_ARGUMENT;
}

ecs_Status ecs_query_ask_changes(ecs_Query *query, uint32_t term) {
  ECS_MUST_LIVE(QUERY, query);
  ecs_Status status = check_asked(query, term);
  if (status != ECS_OK) return status;
  return query_asks_changes(query, query->terms[term].component)
             ? ECS_E_ARGUMENT
             : query_ask_changes(query, term);
}

ecs_Status ecs_query_sort(ecs_Query *query, uint32_t term, uint32_t field,
                          bool down) {
  ECS_MUST_LIVE(QUERY, query);
  ecs_Status status = check_asked(query, term);
  if (status != ECS_OK) return status;
  ecs_Access access = query->terms[term].access;
  ecs_Component id = query->terms[term].component;
  if (!access_is_there(access) || query_is_sorted(query)) return ECS_E_ARGUMENT;
  const Schema *schema = query->store->components.all[id].schema;
  if (field >= schema->field_count || (schema->held >> field & 1u) != 0)
    return ECS_E_FIELD;
  return query_ask_order(query, term, field, down);
}

void ecs_query_mark_seen(ecs_Query *query) {
  ECS_MUST_LIVE(QUERY, query);
  if (query->picked != NULL) picked_rows_see(query->picked);
}

ecs_Status ecs_query_count(ecs_Query *query, uint64_t *count) {
  ECS_MUST_LIVE(QUERY, query);
  if (count == NULL) return ECS_E_ARGUMENT;
  ecs_Status status = query_prepare(query);
  if (status == ECS_OK) *count = query_count(query);
  return status;
}

ecs_Status ecs_query_first(ecs_Query *query, ecs_Entity *entity) {
  ECS_MUST_LIVE(QUERY, query);
  if (entity == NULL) return ECS_E_ARGUMENT;
  ecs_Component contested = claims_contested_order(query);
  if (contested != 0) return world_refuse_access(world_of(query), contested);
  ecs_Status status = query->links != NULL || query->picked != NULL
                          ? query_prepare(query)
                          : query_plan(query);
  if (status == ECS_OK) *entity = query_first_entity(query);
  return status;
}

ecs_Status ecs_query_target(const ecs_Query *query, ecs_Entity entity,
                            ecs_Entity *target) {
  ECS_MUST_LIVE(QUERY, query);
  if (target == NULL) return ECS_E_ARGUMENT;
  *target = 0;
  if (!world_alive(world_of(query), entity)) return ECS_E_DEAD;
  if (query->links != NULL) *target = link_target(query_links(query), entity);
  return ECS_OK;
}

ecs_Status ecs_query_column(const ecs_Query *query, uint32_t term,
                            uint32_t field, uint32_t *column) {
  ECS_MUST_LIVE(QUERY, query);
  if (column == NULL) return ECS_E_ARGUMENT;
  if (term >= query->term_count || field >= query->terms[term].column_count)
    return ECS_E_FIELD;
  *column = query->terms[term].first_column + field;
  return ECS_OK;
}

uint32_t ecs_query_column_count(const ecs_Query *query) {
  ECS_MUST_LIVE(QUERY, query);
  return query->column_count;
}

size_t ecs_query_explain(ecs_Query *query, char *text, size_t capacity) {
  ECS_MUST_LIVE(QUERY, query);
  if (text == NULL) capacity = 0;
  static const char sorry[] = "not planned: out of memory\n";
  if (query_prepare(query) == ECS_OK)
    return query_explain(query, text, capacity);
  size_t length = sizeof sorry - 1;
  if (capacity > 0) {
    size_t copied = length < capacity - 1 ? length : capacity - 1;
    memcpy(text, sorry, copied);
    text[copied] = 0;
  }
  return length;
}

/* Cursors --------------------------------------------------------------- */

/* The contents of an ecs_Cursor: a cursor over a query, or the rows of
 * spawn_many. */
typedef struct CursorState {
  ecs_World *world;     /* borrowed; NULL: the cursor is not open */
  uint64_t stamp;       /* its level's, see world/deferral.h */
  Cursor cursor;        /* cursor.query NULL: rows of spawn_many; then the rest
                           is used */
  const Bundle *bundle; /* borrowed: what the rows were spawned from */
  void **columns;       /* one pointer per column of the bundle; borrowed from
                           the bundle, or from its staged rows while changes
                           are recorded; NULL: no rows */
  const ecs_Entity *entities; /* one per row; borrowed like columns */
  uint32_t depth;             /* the number of its level, from 1 */
  uint32_t count;             /* rows */
  bool handed_out;            /* ecs_cursor_next has returned the rows */
  bool claimed;               /* the bundle's components are claimed */
} CursorState;

_Static_assert(sizeof(CursorState) <= sizeof(ecs_Cursor),
               "a cursor must hold its state");

static CursorState *state_of(ecs_Cursor *cursor) {
  return (CursorState *)(void *)cursor;
}

/* The cursor opened the innermost level. */
static void enter_level(CursorState *state, ecs_World *world) {
  state->world = world;
  state->depth = world->depth;
  state->stamp = level_stamp(world, world->depth);
}

/* True: the cursor is open, and its level is not a later one's, nor was it used
 * through a copy of the cursor since. */
static inline bool is_open(const CursorState *state, const char *function) {
  const ecs_World *world = state->world;
  if (world == NULL) return false;
#ifdef ECS_CHECKED
  if (!living_has(LIVING_WORLD, world))
    misuse_report(function,
                  "the cursor's world is gone, or it was never begun");
#endif
  (void)function;
  return state->depth - 1u < world->depth &&
         world->levels[state->depth - 1u].stamp == state->stamp;
}

/* True: the cursor is open, and nothing was opened after it that is still
 * open. */
static bool is_innermost(const CursorState *state, const char *function) {
  return state != NULL && is_open(state, function) &&
         state->depth == state->world->depth;
}

/* Checked builds: a cursor that is begun again is not open, because nothing
 * could end its level any more. Its memory may hold anything. */
static void refuse_open(const CursorState *state, const char *function) {
#ifdef ECS_CHECKED
  if (living_has(LIVING_WORLD, state->world) && is_open(state, function))
    misuse_report(function, "the cursor is open already");
#endif
  (void)state;
  (void)function;
}

/* ECS_E_ACCESS: an open cursor claims a component that the query needs. With
 * nothing open there are no claims. */
static ecs_Status check_claims(const ecs_Query *query) {
  ecs_World *world = world_of(query);
  ecs_Component contested = world->depth == 0 ? 0 : claims_contested(query);
  return contested == 0 ? ECS_OK : world_refuse_access(world, contested);
}

ecs_Status ecs_query_begin(ecs_Query *query, ecs_Batching batching,
                           ecs_Cursor *cursor) {
  ECS_MUST_LIVE(QUERY, query);
  ecs_World *world = world_of(query);
  CursorState *state = state_of(cursor);
  if (cursor == NULL) return ECS_E_ARGUMENT;
  refuse_open(state, __func__);
  state->world = NULL;
  if ((uint32_t)batching > ECS_BATCH_COALESCED) return ECS_E_ARGUMENT;
  ecs_Status status = check_claims(query);
  if (status == ECS_OK) status = deferral_open(world);
  if (status != ECS_OK) return status;
  *state = (CursorState){.world = NULL};
  status = cursor_begin(query, batching, &state->cursor);
  if (status == ECS_OK)
    enter_level(state, world);
  else
    deferral_discard(world);
  return status;
}

static bool next_spawned(CursorState *state, ecs_Batch *batch) {
  if (state->handed_out || state->count == 0) return false;
  state->handed_out = true;
  *batch = (ecs_Batch){.count = state->count,
                       .column_count = bundle_given_columns(state->bundle),
                       .entities = state->entities,
                       .columns = state->columns};
  return true;
}

bool ecs_cursor_next(ecs_Cursor *cursor, ecs_Batch *batch) {
  CursorState *state = state_of(cursor);
  if (ECS_UNLIKELY(state == NULL || batch == NULL || !is_open(state, __func__)))
    return false;
  state->stamp = level_stamp(state->world, state->depth);
  return state->cursor.query != NULL ? cursor_next(&state->cursor, batch)
                                     : next_spawned(state, batch);
}

/* Claims the components named that have columns, or releases the claims. */
static void claim_bundle(CursorState *state, bool claimed) {
  const Bundle *bundle = state->bundle;
  state->claimed = claimed;
  for (uint32_t i = 0; i < bundle->given_count; i++) {
    Component *component =
        &state->world->store.components.all[bundle->items[i].component];
    if (bundle->items[i].column_count == 0) continue;
    if (claimed) {
      store_wrote(&state->world->store, bundle->items[i].component);
      claim_component(component, true);
    } else {
      release_component(component, true);
    }
  }
}

/* Stamps the rows that were filled in through the cursor. */
static void stamp_spawned(const CursorState *state) {
  const Bundle *bundle = state->bundle;
  for (uint32_t i = 0; state->count > 0 && i < bundle->group_count; i++)
    table_stamp_rows(bundle->groups[i].table, bundle->first_rows[i],
                     state->count);
}

ecs_World *api_cursor_close(ecs_Cursor *cursor, const char *function) {
  CursorState *state = state_of(cursor);
  if (!is_innermost(state, function)) return NULL;
  ecs_World *world = state->world;
  if (state->cursor.query != NULL) {
    cursor_end(&state->cursor);
  } else if (state->claimed) {
    stamp_spawned(state);
    claim_bundle(state, false);
  }
  state->world = NULL;
  return world;
}

ecs_Status ecs_cursor_end(ecs_Cursor *cursor) {
  ecs_World *world = api_cursor_close(cursor, __func__);
  return world == NULL ? ECS_E_ARGUMENT : deferral_close(world);
}

void ecs_cursor_discard(ecs_Cursor *cursor) {
  ecs_World *world = api_cursor_close(cursor, __func__);
  if (world != NULL) deferral_discard(world);
}

/* One entity at a time -------------------------------------------------- */

ecs_Status ecs_query_entities(ecs_Query *query, ecs_Entity *entities,
                              uint64_t capacity, uint64_t *count) {
  ECS_MUST_LIVE(QUERY, query);
  if (count == NULL || (entities == NULL && capacity > 0))
    return ECS_E_ARGUMENT;
  ecs_Status status = check_claims(query);
  if (status == ECS_OK) status = query_prepare(query);
  if (status != ECS_OK) return status;
  query_entities(query, entities, capacity);
  *count = query_count(query);
  if (query->picked != NULL)
    picked_rows_walked(query->picked, query->store, query->store->clock.tick);
  return ECS_OK;
}

static uint32_t row_flags(ecs_Query *query, ecs_Entity entity, bool matches) {
  ecs_World *world = world_of(query);
  uint32_t flags = world->depth == 0 ? ECS_ROW_IN_PLACE : 0;
  if (matches && !recorded_destroyed(world, entity)) flags |= ECS_ROW_MATCHES;
  return flags;
}

ecs_Status ecs_query_locate(ecs_Query *query, ecs_Entity entity,
                            void **elements, uint32_t *flags) {
  ECS_MUST_LIVE(QUERY, query);
  ECS_MISUSE_IF(elements == NULL && query->column_count > 0,
                "elements is NULL");
  ECS_MISUSE_IF(flags == NULL, "flags is NULL");
  bool matches = false;
  *flags = 0;
  ecs_Status status = query_plan(query);
  if (ECS_LIKELY(status == ECS_OK))
    status = query_locate_entity(query, entity, elements, &matches);
  if (ECS_UNLIKELY(status != ECS_OK)) return status;
  *flags = row_flags(query, entity, matches);
  return ECS_OK;
}

ecs_Status ecs_query_locate_run(ecs_Query *query, const ecs_Entity *entities,
                                uint32_t count, void **elements,
                                uint32_t *flags, uint32_t *run) {
  ECS_MUST_LIVE(QUERY, query);
  ECS_MISUSE_IF(elements == NULL && query->column_count > 0,
                "elements is NULL");
  ECS_MISUSE_IF(flags == NULL || run == NULL, "a result is NULL");
  bool matches = false;
  *flags = *run = 0;
  if (count == 0) return ECS_E_ARGUMENT;
  ECS_MISUSE_IF(entities == NULL, "entities is NULL");
  /* The destruction of any of the entities may be recorded. */
  if (world_of(query)->depth > 0) count = 1;
  ecs_Status status = query_plan(query);
  if (ECS_LIKELY(status == ECS_OK))
    status = query_locate_run(query, entities, count, elements, &matches, run);
  if (ECS_UNLIKELY(status != ECS_OK)) {
    *run = 0;
    return status;
  }
  *flags = row_flags(query, entities[0], matches);
  return ECS_OK;
}

/* Spawning many --------------------------------------------------------- */

/* Points the state at rows that were just spawned. */
static void point_at_rows(CursorState *state, Bundle *bundle) {
  for (uint32_t i = 0; i < bundle_given_columns(bundle); i++) {
    const BundleColumn *column = &bundle->columns[i];
    const Table *table = bundle->groups[column->group_index].table;
    uint32_t row = bundle->first_rows[column->group_index];
    ECS_ASSERT(row + state->count <= table->count);
    bundle->pointers[i] = table_element(table, column->code, row);
  }
  state->columns = bundle->pointers;
  state->entities = bundle->groups[0].table->entities + bundle->first_rows[0];
}

static ecs_Status spawn_now(ecs_World *world, Bundle *bundle, uint32_t count,
                            CursorState *state) {
  ecs_Status status =
      bundle->noticed ? observe_reserve_births(world, bundle, count) : ECS_OK;
  if (status == ECS_OK)
    status = spawn_rows(&world->store, bundle, count, bundle->first_rows);
  if (status != ECS_OK) return status;
  if (state == NULL) {
    if (bundle->noticed && count > 0)
      observe_births(world,
                     bundle->groups[0].table->entities + bundle->first_rows[0],
                     count);
    return ECS_OK;
  }
  observe_open_births(world, bundle, count);
  if (count > 0) point_at_rows(state, bundle);
  claim_bundle(state, true);
  return ECS_OK;
}

/* The table of staged rows has the fields of the bundle's items in their
 * order. */
static ecs_Status spawn_later(ecs_World *world, Bundle *bundle, uint32_t count,
                              CursorState *state) {
  const StagedRows *staged = NULL;
  ecs_Status status =
      command_record_staged(&world->commands, bundle, count, &staged);
  if (status != ECS_OK || state == NULL) return status;
  ECS_ASSERT(staged->table->count == count);
  state->columns = (void **)(void *)staged->table->fields;
  state->entities = staged->table->entities;
  return ECS_OK;
}

static ecs_Status open_spawned(ecs_World *world, Bundle *bundle, uint32_t count,
                               CursorState *state) {
  if (world->depth >= ECS_NESTING_LIMIT)
    return memory_refuse(&world->store.memory, ECS_NESTING_LIMIT,
                         "cursors and deferrals", "a world");
  *state = (CursorState){.world = world, .bundle = bundle, .count = count};
  ecs_Status status = world->depth > 0
                          ? spawn_later(world, bundle, count, state)
                          : spawn_now(world, bundle, count, state);
  state->world = NULL;
  /* Opened last: discarding the cursor keeps the entities. */
  if (status == ECS_OK) status = deferral_open(world);
  if (status == ECS_OK) enter_level(state, world);
  return status;
}

ecs_Status ecs_spawn_many(ecs_World *world, ecs_Bundle bundle, uint64_t count,
                          ecs_Cursor *cursor) {
  ECS_MUST_LIVE(WORLD, world);
  if (cursor != NULL) {
    refuse_open(state_of(cursor), __func__);
    state_of(cursor)->world = NULL;
  }
  if (!change_has_bundle(&world->store, bundle)) return ECS_E_ARGUMENT;
  if (count >= ECS_INDEX_LIMIT)
    return memory_refuse(&world->store.memory, ECS_INDEX_LIMIT - 1u, "entities",
                         "a world");
  Bundle *spawned = change_bundle(&world->store, bundle);
  if (cursor != NULL)
    return open_spawned(world, spawned, (uint32_t)count, state_of(cursor));
  return world->depth > 0 ? spawn_later(world, spawned, (uint32_t)count, NULL)
                          : spawn_now(world, spawned, (uint32_t)count, NULL);
}

/* Kernels --------------------------------------------------------------- */

/* Could a world have such arrays? */
static bool arrays_are_sound(const ecs_KernelArrays *declared) {
  if (declared->list == NULL) return declared->count == 0;
  for (uint32_t k = 0; k < declared->count; k++) {
    const ecs_KernelArray *array = &declared->list[k];
    if ((unsigned)array->type >= (unsigned)ECS_SCALAR_COUNT ||
        array->type == ECS_ENTITY || array->name == NULL ||
        array->dimensions - 1u >= 3u ||
        (array->access != ECS_READ && array->access != ECS_WRITE))
      return false;
  }
  return declared->count <= 64;
}

ecs_Status ecs_kernel_bind(ecs_Query *query, const ecs_Kernel *kernel,
                           ecs_KernelBinding **binding, uint32_t *wrong) {
  ECS_MUST_LIVE(QUERY, query);
  if (kernel == NULL || binding == NULL) return ECS_E_ARGUMENT;
  if (kernel->run == NULL ||
      (kernel->columns == NULL && kernel->column_count > 0))
    return ECS_E_ARGUMENT;
  if (kernel->arrays != NULL && !arrays_are_sound(kernel->arrays))
    return ECS_E_ARGUMENT;
  return kernel_bind(query, kernel, binding, wrong);
}

ecs_Status ecs_kernel_use(ecs_KernelBinding *binding,
                          struct ecs_Array *const *arrays, uint32_t count,
                          uint32_t *wrong) {
  ECS_MUST_LIVE(BINDING, binding);
  if (arrays == NULL && count > 0) return ECS_E_ARGUMENT;
  return kernel_use(binding, arrays, count, wrong);
}

ecs_Status ecs_kernel_run(ecs_KernelBinding *binding,
                          const ecs_KernelCall *call) {
  ECS_MUST_LIVE(BINDING, binding);
  if (call == NULL) return ECS_E_ARGUMENT;
  ecs_Status status = check_claims(binding->query);
  if (status != ECS_OK) return status;
  LIVING_LOCK(WORLD, world_of(binding->query),
              "a kernel of the world is running");
#ifdef ECS_CHECKED
  uint64_t sum = kernel_read_sum(binding);
#endif
  FloatMode mode = float_mode_begin();
  status = kernel_run(binding, call);
  float_mode_end(mode);
  LIVING_LOCK(WORLD, world_of(binding->query), NULL);
  ECS_MISUSE_IF(kernel_read_sum(binding) != sum,
                "the kernel has written an array that it declares to read");
  return status;
}

/* api_world.c: the border for a world's life, components, storage and
 * deferral. */
#define ECS_DEFINES_API /* ecs.h */

#include "api/api_query.h"
#include "base/misuse.h"
#include "base/platform.h"
#include "base/workers.h"
#include "world/deferral.h"
#include "world/world_explain.h"
#include "world/world_hash.h"
#include "world/world_trim.h"
#include "query/grid.h"
#include "change/regroup.h"

/* Life ------------------------------------------------------------------ */

ecs_Status ecs_world_create(const ecs_WorldDescription *description,
                            ecs_World **world) {
  ecs_WorldDescription none = {{NULL, NULL}, 0};
  if (world == NULL) return ECS_E_ARGUMENT;
  Memory outer;
  if (description == NULL) description = &none;
  memory_init(&outer, description->memory, 0);
  *world = NULL;
  ecs_World *created = memory_zeroed(&outer, 1, sizeof(ecs_World));
  if (created == NULL) return ECS_E_MEMORY;
  ecs_Status status = store_init(&created->store, entity_change_ways,
                                 description->memory, description->limit_bytes);
  if (status != ECS_OK) {
    memory_free(&outer, created, sizeof(ecs_World));
    return status;
  }
  change_state_init(&created->changes, &created->store);
  query_uses_init(&created->uses, &created->store);
  command_buffer_init(&created->commands, &created->store);
  entity_names_init(&created->names);
  LIVING_ENTER(WORLD, created);
  *world = created;
  return ECS_OK;
}

/* Programs and kernel bindings are destroyed with their queries, and queries
 * before the store, because their memory comes from it. */
void ecs_world_destroy(ecs_World *world) {
  if (world == NULL) return;
  ECS_MUST_LIVE(WORLD, world);
  ecs_Memory record = world->store.memory.record;
  LIVING_LOCK(WORLD, world, "the world is being destroyed");
  if (world->holder != NULL) world->holder->ended(world->holder);
  if (world->threads > 0) workers_drop();
  while (world->query_count > 0)
    api_query_free(world->queries[world->query_count - 1]);
  memory_free(&world->store.memory, world->queries,
              world->query_capacity * sizeof(ecs_Query *));
  while (world->snapshots != NULL) ecs_snapshot_destroy(world->snapshots);
  link_set_deinit(&world->links, &world->store.memory);
  observer_set_deinit(&world->observers, &world->store.memory);
  entity_names_deinit(&world->names, &world->store.memory);
  array_set_deinit(&world->arrays, &world->store.memory);
  command_flush_deinit(&world->commands);
  command_buffer_deinit(&world->commands);
  bundle_destroy_all(&world->store);
  query_uses_deinit(&world->store);
  store_deinit(&world->store);
  LIVING_LEAVE(WORLD, world);
  (void)memory_join(&world->store.memory, NULL, sizeof(ecs_World));
  /* The block holds the counts of the world's memory, so it is freed without
   * counting. */
  (void)record.resize(record.user, world, sizeof(ecs_World), 0);
}

ecs_Status ecs_world_hold(ecs_World *world, ecs_Holder *holder) {
  ECS_MUST_LIVE(WORLD, world);
  ECS_MISUSE_IF(holder != NULL && holder->ended == NULL,
                "holder.ended is NULL");
  if (holder != NULL && world->holder != NULL && world->holder != holder)
    return ECS_E_ARGUMENT;
  world->holder = holder;
  return ECS_OK;
}

ecs_Status ecs_world_clear(ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  if (world->depth > 0) return ECS_E_OPEN;
  ecs_Status status = observe_clear(world);
  if (status != ECS_OK) return status;
  store_clear(&world->store);
  link_set_clear(&world->links);
  entity_names_deinit(&world->names, &world->store.memory);
  array_set_clear(&world->arrays);
  ECS_ASSERT(world->store.index.alive_count == 0);
  return ECS_OK;
}

ecs_Status ecs_world_budget(ecs_World *world, ecs_Budget *budget) {
  ECS_MUST_LIVE(WORLD, world);
  return memory_join(&world->store.memory, budget, sizeof(ecs_World))
             ? ECS_OK
             : ECS_E_MEMORY;
}

ecs_Status ecs_world_set_threads(ecs_World *world, uint32_t threads) {
  ECS_MUST_LIVE(WORLD, world);
  if (threads < 1 || threads > WORKERS_LIMIT) return ECS_E_ARGUMENT;
  uint32_t before = world->threads;
  world->threads = threads > 1 ? threads : 0;
  if (threads > 1) workers_keep(threads);
  if (before > 0) workers_drop();
  return ECS_OK;
}

uint32_t ecs_world_threads(const ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  return world->threads == 0 ? 1 : workers_count(world->threads);
}

uint32_t ecs_cores(void) { return platform_cores(); }

size_t ecs_world_refusal(const ecs_World *world, ecs_Status status, char *text,
                         size_t capacity) {
  ECS_MUST_LIVE(WORLD, world);
  const Refusal *refusal = &world->store.memory.refusal;
  Text out = {text, capacity, 0};
  bool noted = status != ECS_OK && refusal->status == status;
  if (noted && refusal->sentence != NULL)
    text_say(&out, "%s", refusal->sentence);
  else if (noted && refusal->counts != NULL)
    text_say(&out, "the %slimit of %s is reached: %llu %s",
             status == ECS_E_MEMORY ? "memory " : "", refusal->of,
             (unsigned long long)refusal->limit, refusal->counts);
  else
    text_say(&out, "%s", ecs_status_text(status));
  return out.length;
}

ecs_Status ecs_world_trim(ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  if (world->depth > 0) return ECS_E_OPEN;
  world_trim(world);
  return ECS_OK;
}

static uint64_t count_tables(const Store *store) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < store->groups.count; i++)
    count += store->groups.all[i]->table_count;
  return count;
}

/* Adds the grids of all queries. */
static void count_grids(const ecs_World *world, ecs_Statistics *statistics) {
  for (uint32_t i = 0; i < world->query_count; i++)
    for (const ecs_Grid *grid = world->queries[i]->grids; grid != NULL;
         grid = grid->next) {
      statistics->grids++;
      statistics->grid_bytes += grid_bytes(grid);
    }
}

void ecs_world_statistics(const ecs_World *world, ecs_Statistics *statistics) {
  ECS_MUST_LIVE(WORLD, world);
  ECS_MISUSE_IF(statistics == NULL, "statistics is NULL");
  const Store *store = &world->store;
  *statistics = (ecs_Statistics){
      .entities = store->index.alive_count,
      .retired = store->index.retired_count,
      .dropped = world->dropped,
      .groups = store->groups.count,
      .tables = count_tables(store),
      .components = store->components.count - 1u,
      .queries = world->query_count,
      .bytes = store->memory.bytes + sizeof(ecs_World),
      .peak_bytes = store->memory.peak_bytes + sizeof(ecs_World),
      .allocations = store->memory.blocks + 1,
      .structure_version = store_structure_version(store),
      .limit_bytes = store->memory.limit_bytes,
      .recorded = world->commands.command_count};
  count_grids(world, statistics);
}

size_t ecs_world_explain(const ecs_World *world, char *text, size_t capacity) {
  ECS_MUST_LIVE(WORLD, world);
  if (text == NULL) capacity = 0;
  Text out = {text, capacity, 0};
  world_explain(&world->store, &out);
  return out.length;
}

uint64_t ecs_world_hash(const ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  return world_hash(world);
}

uint64_t ecs_world_state_hash(const ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  return world_state_hash(world);
}

ecs_Component ecs_world_contested(const ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  return world->contested;
}

/* Components ------------------------------------------------------------ */

ecs_Status ecs_component(ecs_World *world,
                         const ecs_ComponentDescription *description,
                         ecs_Component *component) {
  ECS_MUST_LIVE(WORLD, world);
  ecs_Component made = 0;
  if (description == NULL || component == NULL) return ECS_E_ARGUMENT;
  if (description->name == NULL) return ECS_E_NAME;
  if ((uint32_t)description->storage > ECS_STORE_BITS) return ECS_E_ARGUMENT;
  if (world->depth > 0 &&
      store_find_component(&world->store, description->name) == 0)
    return ECS_E_OPEN;
  ecs_Component last = world->store.components.count - 1u;
  ecs_Status status = link_set_reserve(&world->links, &world->store.memory,
                                       description->link_count);
  if (status == ECS_OK)
    status = store_define(&world->store, description, &made);
  if (status != ECS_OK) return status;
  if (made > last) link_set_define(&world->links, &world->store, made);
  world->heeds_deaths = world_heeds_deaths(world);
  *component = made;
  return ECS_OK;
}

/* Bundles without an id, those of recorded spawns among them, are made anew. */
ecs_Status ecs_component_need(ecs_World *world, ecs_Component component,
                              const ecs_Component *needs, uint32_t count) {
  ECS_MUST_LIVE(WORLD, world);
  if (needs == NULL && count > 0) return ECS_E_ARGUMENT;
  if (world->depth > 0) return ECS_E_OPEN;
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  for (uint32_t i = 0; i < count; i++)
    if (!world_has_component(world, needs[i])) return ECS_E_COMPONENT;
  if (bundle_uses(&world->store, component)) return ECS_E_ARGUMENT;
  bundle_forget_once(&world->store);
  command_flush_deinit(&world->commands);
  command_buffer_trim(&world->commands);
  return store_need(&world->store, component, needs, count);
}

ecs_Component ecs_component_find(const ecs_World *world, const char *name) {
  ECS_MUST_LIVE(WORLD, world);
  if (name == NULL) return 0;
  return store_find_component(&world->store, name);
}

/* NULL: the id names no component. */
static const Schema *schema_of(const ecs_World *world,
                               ecs_Component component) {
  return world_has_component(world, component)
             ? world->store.components.all[component].schema
             : NULL;
}

const char *ecs_component_name(const ecs_World *world,
                               ecs_Component component) {
  ECS_MUST_LIVE(WORLD, world);
  const Schema *schema = schema_of(world, component);
  return schema == NULL ? NULL : schema->name;
}

uint32_t ecs_component_field_count(const ecs_World *world,
                                   ecs_Component component) {
  ECS_MUST_LIVE(WORLD, world);
  const Schema *schema = schema_of(world, component);
  return schema == NULL ? 0 : schema->field_count;
}

uint32_t ecs_component_image_bytes(const ecs_World *world,
                                   ecs_Component component) {
  ECS_MUST_LIVE(WORLD, world);
  const Schema *schema = schema_of(world, component);
  return schema == NULL ? 0 : schema->image_bytes;
}

ecs_Status ecs_component_field(const ecs_World *world, ecs_Component component,
                               uint32_t field, ecs_FieldInfo *info) {
  ECS_MUST_LIVE(WORLD, world);
  if (info == NULL) return ECS_E_ARGUMENT;
  const Schema *schema = schema_of(world, component);
  if (schema == NULL) return ECS_E_COMPONENT;
  if (field >= schema->field_count) return ECS_E_FIELD;
  uint8_t link = schema->fields[field].link;
  *info = (ecs_FieldInfo){
      .name = schema->fields[field].name,
      .type = schema->fields[field].type,
      .offset = schema->fields[field].offset,
      .default_value = schema->fields[field].default_value,
      .is_link = link != SCHEMA_NO_LINK,
      .rule = link != SCHEMA_NO_LINK ? (ecs_LinkRule)link : ECS_LINK_CLEAR,
      .tree = schema->fields[field].tree};
  return ECS_OK;
}

ecs_Storage ecs_component_storage(const ecs_World *world,
                                  ecs_Component component) {
  ECS_MUST_LIVE(WORLD, world);
  return world_has_component(world, component)
             ? world->store.components.all[component].storage
             : ECS_STORE_TABLE;
}

/* Storage --------------------------------------------------------------- */

static ecs_Status regroup(ecs_World *world, const ecs_Component *components,
                          uint32_t count, RegroupTo to) {
  if (components == NULL && count > 0) return ECS_E_ARGUMENT;
  if (world->depth > 0) return ECS_E_OPEN;
  if (!world_has_components(world, components, count)) return ECS_E_COMPONENT;
  if (count == 0) return ECS_OK;
  return store_regroup(&world->store, components, count, to);
}

ecs_Status ecs_group(ecs_World *world, const ecs_Component *components,
                     uint32_t count) {
  ECS_MUST_LIVE(WORLD, world);
  return regroup(world, components, count, REGROUP_TO_GROUP);
}

ecs_Status ecs_ungroup(ecs_World *world, const ecs_Component *components,
                       uint32_t count) {
  ECS_MUST_LIVE(WORLD, world);
  return regroup(world, components, count, REGROUP_TO_MAIN);
}

ecs_Status ecs_group_bits(ecs_World *world, const ecs_Component *components,
                          uint32_t count) {
  ECS_MUST_LIVE(WORLD, world);
  if (components == NULL && count > 0) return ECS_E_ARGUMENT;
  for (uint32_t i = 0; i < count; i++)
    if (ecs_component_field_count(world, components[i]) > 0)
      return ECS_E_COMPONENT;
  return regroup(world, components, count, REGROUP_TO_BITS);
}

ecs_Status ecs_bundle(ecs_World *world, const ecs_Component *components,
                      uint32_t count, ecs_Bundle *bundle) {
  ECS_MUST_LIVE(WORLD, world);
  if (bundle == NULL || (components == NULL && count > 0))
    return ECS_E_ARGUMENT;
  if (!world_has_components(world, components, count)) return ECS_E_COMPONENT;
  return bundle_ensure(&world->store, components, count, bundle);
}

ecs_Status ecs_reserve(ecs_World *world, ecs_Bundle bundle, uint64_t count) {
  ECS_MUST_LIVE(WORLD, world);
  if (!change_has_bundle(&world->store, bundle)) return ECS_E_ARGUMENT;
  if (world->depth > 0) return ECS_E_OPEN;
  if (count > ECS_INDEX_LIMIT)
    return memory_refuse(&world->store.memory, ECS_INDEX_LIMIT - 1u, "entities",
                         "a world");
  return spawn_reserve(&world->store, change_bundle(&world->store, bundle),
                       count);
}

/* Deferral -------------------------------------------------------------- */

ecs_Status ecs_defer_begin(ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  ecs_Status status = deferral_open(world);
  if (status == ECS_OK) world->deferrals++;
  return status;
}

ecs_Status ecs_defer_end(ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  if (!deferral_is_innermost(world)) return ECS_E_ARGUMENT;
  world->deferrals--;
  return deferral_close(world);
}

void ecs_defer_discard(ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  if (!deferral_is_innermost(world)) return;
  world->deferrals--;
  deferral_discard(world);
}

bool ecs_deferring(const ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  return world->depth > 0;
}

const uint64_t *ecs_world_row_epoch(const ecs_World *world) {
  ECS_MUST_LIVE(WORLD, world);
  return &world->store.row_epoch;
}

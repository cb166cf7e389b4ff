/* clone.c: another entity like one that exists, with all that belongs to it. */
#include "world/clone.h"

#include <string.h>

typedef struct ClonePair {
  ecs_Entity from;
  ecs_Entity to;
  bool inner; /* a field of it leads to an entity that is cloned */
} ClonePair;

typedef struct Cloning {
  ecs_World *world;
  ecs_Component without; /* no clone has it; 0: nothing */
  ClonePair *pairs;      /* owned; an entity stands before its children */
  uint32_t count;
  uint32_t capacity;
  Locator places;       /* narrow; by index: a position in pairs */
  ecs_Component *parts; /* owned; of the entity that was read last */
  const void **values;  /* owned; of the parts; NULL: a tag */
  uint32_t part_count;
  char *images; /* owned; room for one of every component */
  size_t image_bytes;
} Cloning;

/* Memory ------------------------------------------------------------------ */

static size_t rounded(size_t bytes) { return (bytes + 7u) / 8u * 8u; }

static ecs_Status begin(Cloning *cloning, ecs_World *world,
                        ecs_Component without) {
  Store *store = &world->store;
  uint32_t components = store->components.count;
  *cloning = (Cloning){.world = world, .without = without};
  locator_init(&cloning->places, true);
  for (uint32_t id = 1; id < components; id++)
    cloning->image_bytes +=
        rounded(store->components.all[id].schema->image_bytes);
  cloning->parts =
      memory_zeroed(&store->memory, components, sizeof(ecs_Component));
  cloning->values =
      (const void **)memory_zeroed(&store->memory, components, sizeof(void *));
  cloning->images = memory_zeroed(&store->memory, cloning->image_bytes, 1);
  bool done = cloning->parts != NULL && cloning->values != NULL &&
              (cloning->images != NULL || cloning->image_bytes == 0);
  return done ? ECS_OK : ECS_E_MEMORY;
}

static void end(Cloning *cloning) {
  Memory *memory = &cloning->world->store.memory;
  uint32_t components = cloning->world->store.components.count;
  memory_free(memory, cloning->pairs, cloning->capacity * sizeof(ClonePair));
  memory_free(memory, cloning->parts, components * sizeof(ecs_Component));
  memory_free(memory, (void *)cloning->values, components * sizeof(void *));
  memory_free(memory, cloning->images, cloning->image_bytes);
  locator_deinit(&cloning->places, memory);
}

/* What is cloned ---------------------------------------------------------- */

/* The pair of an entity; NULL: it is not cloned. */
static ClonePair *pair_of(const Cloning *cloning, ecs_Entity entity) {
  RowId found = locator_find(&cloning->places, id_index(entity));
  if (!locator_is_row(found.row)) return NULL;
  ClonePair *pair = &cloning->pairs[found.row];
  return pair->from == entity ? pair : NULL;
}

static ecs_Status append(Cloning *cloning, ecs_Entity entity) {
  Memory *memory = &cloning->world->store.memory;
  void *pairs = cloning->pairs;
  if (pair_of(cloning, entity) != NULL) return ECS_OK;
  if (!memory_grow(memory, &pairs, &cloning->capacity, cloning->count, 1,
                   sizeof(ClonePair)))
    return ECS_E_MEMORY;
  cloning->pairs = pairs;
  ecs_Status status =
      locator_reserve(&cloning->places, memory, id_index(entity));
  if (status != ECS_OK) return status;
  locator_set(&cloning->places, id_index(entity), (RowId){cloning->count, 0});
  cloning->pairs[cloning->count++] = (ClonePair){.from = entity};
  return ECS_OK;
}

/* Appends what links to an entity, in the order of linking. */
static ecs_Status append_sources(Cloning *cloning, const LinkIndex *index,
                                 ecs_Entity target) {
  const LinkNode *node = link_node(index, id_index(target));
  ecs_Status status = ECS_OK;
  if (node == NULL || node->entity != target) return ECS_OK;
  for (uint32_t next = node->first; status == ECS_OK && next != 0;
       next = node->next) {
    node = link_node(index, next);
    if (!recorded_destroyed(cloning->world, node->entity))
      status = append(cloning, node->entity);
  }
  return status;
}

/* Lists the entity and all below it: the list grows while it is read. */
static ecs_Status collect(Cloning *cloning, ecs_Entity entity) {
  const LinkSet *links = &cloning->world->links;
  ecs_Status status = append(cloning, entity);
  for (uint32_t i = 0; status == ECS_OK && i < cloning->count; i++)
    for (uint32_t k = 0; status == ECS_OK && k < links->count; k++)
      if (links->indices[k].tree && links->indices[k].rule == ECS_LINK_DESTROY)
        status =
            append_sources(cloning, &links->indices[k], cloning->pairs[i].from);
  return status;
}

/* Reading ----------------------------------------------------------------- */

/* Loads the components of an entity, which is ECS_E_ACCESS for one that an open
 * cursor writes. */
static ecs_Status load(Cloning *cloning, ecs_Entity entity) {
  ecs_World *world = cloning->world;
  char *image = cloning->images;
  cloning->part_count = 0;
  for (ecs_Component id = 1; id < world->store.components.count; id++) {
    const Component *component = &world->store.components.all[id];
    RowRef place = {NULL, 0};
    ecs_Status status = store_locate(&world->store, entity, id, &place);
    if (status != ECS_OK || place.table == NULL) continue;
    if (id == cloning->without) continue;
    if (id == world->names.tag) continue; /* the clone has no name */
    bool fields = component->field_count > 0;
    if (fields && component->writers > 0) return world_refuse_access(world, id);
    if (fields)
      table_load(place.table, place.row, component->bit, component->schema,
                 image);
    cloning->parts[cloning->part_count] = id;
    cloning->values[cloning->part_count++] = fields ? image : NULL;
    image += rounded(component->schema->image_bytes);
  }
  return ECS_OK;
}

/* Replaces the handles of a part that lead to entities that are cloned: by their
 * clones, or by 0 while these have none. Returns which fields those are. */
static uint64_t redirect(const Cloning *cloning, uint32_t part) {
  const Schema *schema =
      cloning->world->store.components.all[cloning->parts[part]].schema;
  char *image = (char *)(uintptr_t)cloning->values[part];
  uint64_t fields = 0;
  for (uint32_t i = 0; i < schema->field_count; i++) {
    ecs_Entity target = 0;
    if (schema->fields[i].type != ECS_ENTITY) continue;
    memcpy(&target, image + schema->fields[i].offset, sizeof target);
    const ClonePair *pair = target == 0 ? NULL : pair_of(cloning, target);
    if (pair == NULL) continue;
    memcpy(image + schema->fields[i].offset, &pair->to, sizeof pair->to);
    fields |= UINT64_C(1) << i;
  }
  return fields;
}

/* Recording --------------------------------------------------------------- */

/* Spawns the clone of a pair without links to other clones. What its components
 * need and the entity lacks is removed again. */
static ecs_Status spawn(Cloning *cloning, ClonePair *pair) {
  ecs_World *world = cloning->world;
  ecs_Status status = load(cloning, pair->from);
  if (status != ECS_OK) return status;
  for (uint32_t i = 0; i < cloning->part_count; i++)
    if (redirect(cloning, i) != 0) pair->inner = true;
  Bundle *bundle =
      bundle_for_once(&world->store, cloning->parts, cloning->part_count);
  if (bundle == NULL) return ECS_E_MEMORY;
  status = deferred_spawn(world, bundle, cloning->values, &pair->to);
  for (uint32_t i = bundle->given_count;
       status == ECS_OK && i < bundle->item_count; i++)
    status = deferred_remove(world, pair->to, bundle->items[i].component);
  return status;
}

/* Has the fields of a clone lead to other clones. Nothing but other clones leads
 * there, in the shape of what was cloned, so no circle is looked for: that would
 * be a walk over the recorded links for each. */
static ecs_Status link(Cloning *cloning, const ClonePair *pair) {
  ecs_Status status = pair->inner ? load(cloning, pair->from) : ECS_OK;
  if (!pair->inner) return ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < cloning->part_count; i++) {
    uint64_t fields = redirect(cloning, i);
    if (fields != 0)
      status = deferred_set(cloning->world, pair->to, cloning->parts[i],
                            cloning->values[i], fields);
  }
  return status;
}

/* Refuses before any handle is issued. Only an open cursor claims components,
 * and its level is below that of the cloning. */
static ecs_Status check_access(Cloning *cloning) {
  ecs_Status status = ECS_OK;
  if (cloning->world->depth <= 1) return ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < cloning->count; i++)
    status = load(cloning, cloning->pairs[i].from);
  return status;
}

static ecs_Status record(Cloning *cloning, ecs_Entity entity,
                         ecs_Entity *clone) {
  ecs_Status status = collect(cloning, entity);
  if (status == ECS_OK) status = check_access(cloning);
  for (uint32_t i = 0; status == ECS_OK && i < cloning->count; i++)
    status = spawn(cloning, &cloning->pairs[i]);
  cloning->world->links.copying = true;
  for (uint32_t i = 0; status == ECS_OK && i < cloning->count; i++)
    status = link(cloning, &cloning->pairs[i]);
  cloning->world->links.copying = false;
  if (status == ECS_OK) *clone = cloning->pairs[0].to;
  return status;
}

ecs_Status world_clone(ecs_World *world, ecs_Entity entity,
                       ecs_Component without, ecs_Entity *clone) {
  Cloning cloning;
  ecs_Entity made = 0;
  ECS_ASSERT(world_alive(world, entity));
  ecs_Status status = deferral_open(world);
  if (status != ECS_OK) return status;
  status = begin(&cloning, world, without);
  if (status == ECS_OK) status = record(&cloning, entity, &made);
  end(&cloning);
  if (status == ECS_OK)
    status = deferral_close(world);
  else
    deferral_discard(world);
  if (status == ECS_OK) *clone = made;
  return status;
}

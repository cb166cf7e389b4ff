/* unpack_links.c: links among packed rows. */
#include "state/unpack_links.h"

#include "storage/locate.h"

#define NO_ROW UINT32_MAX

static const SchemaField *field_of(const Unpack *unpack,
                                   const UnpackLink *link) {
  const Store *store = &unpack->world->store;
  return &store->components.all[link->component->id]
              .schema->fields[link->index->field];
}

/* What rows lead to --------------------------------------------------------- */

/* Reads what each row leads to, and makes it nil in the images. */
static void take_targets(const Unpack *unpack, const UnpackLink *link) {
  UnpackComponent *component = link->component;
  char *at = component->images + field_of(unpack, link)->offset;
  for (uint64_t row = 0; row < unpack->saved->rows; row++) {
    if (!unpack_has(component, row)) continue;
    memcpy(&link->targets[row], at, sizeof(ecs_Entity));
    memset(at, 0, sizeof(ecs_Entity));
    at += component->image_bytes;
  }
}

/* Is what it leads to among the rows, or alive? New entities may lead to what is
 * neither, which they lose. */
static bool check_targets(const Unpack *unpack, const UnpackLink *link) {
  for (uint64_t row = 0; row < unpack->saved->rows; row++) {
    ecs_Entity target = link->targets[row];
    if (target != 0 && !unpack->options->as_new &&
        unpack_find(unpack, target) == NO_ROW &&
        !store_alive(&unpack->world->store, target))
      return false;
  }
  return true;
}

/* Order --------------------------------------------------------------------- */

/* The order in which rows link, as it was packed; NULL: the field was none. */
static const SavedLink *find_order(const Unpack *unpack,
                                   const UnpackLink *link) {
  const ecs_Saved *saved = unpack->saved;
  const SavedLink *links = saved->links.all;
  for (uint32_t i = 0; i < saved->links.count; i++) {
    const SavedComponent *was = &saved_components(saved)[links[i].component];
    if (was == link->component->was &&
        strcmp(saved_fields(saved, was)[links[i].field].name,
               field_of(unpack, link)->name) == 0)
      return &links[i];
  }
  return NULL;
}

/* In the order of the rows. */
static void list_rows(const Unpack *unpack, UnpackLink *link) {
  for (uint32_t row = 0; row < unpack->saved->rows; row++)
    if (link->targets[row] != 0) link->sources[link->source_count++] = row;
}

/* In the order that was packed, which names each row that links once, by targets.
 * False: it does not. seen: by row, all 0. */
static bool list_packed(const Unpack *unpack, UnpackLink *link,
                        const SavedLink *order, uint32_t *seen) {
  uint32_t last = 0;
  uint64_t linking = 0;
  for (uint64_t row = 0; row < unpack->saved->rows; row++)
    linking += link->targets[row] != 0;
  if (order->count != linking) return false;
  for (uint64_t i = 0; i < order->count; i++) {
    uint32_t row = unpack_find(unpack, load_get64(order->sources, i));
    if (row == NO_ROW || link->targets[row] == 0 || seen[row] != 0)
      return false;
    uint32_t target = id_index(link->targets[row]);
    if (target < last) return false;
    last = target;
    seen[row] = 1;
    link->sources[link->source_count++] = row;
  }
  return true;
}

/* Trees --------------------------------------------------------------------- */

/* A search for circles: who came by, by row, and by index of what is not among
 * the rows. */
typedef struct TreeWalk {
  const Unpack *unpack;
  const UnpackLink *link;
  uint32_t *rows;    /* number of the walk; 0: none yet */
  uint32_t *indices; /* likewise */
} TreeWalk;

/* What an entity will lead to. row NO_ROW: it is not among the rows. */
static ecs_Entity next_target(const TreeWalk *walk, ecs_Entity entity,
                              uint32_t row) {
  const Unpack *unpack = walk->unpack;
  if (row != NO_ROW && unpack_has(walk->link->component, row))
    return walk->link->targets[row];
  return unpack->options->as_new ? 0 : link_target(walk->link->index, entity);
}

/* Follows targets up to one that was followed before. Do they come to an end? */
static bool has_root(const TreeWalk *walk, uint32_t begin) {
  const Unpack *unpack = walk->unpack;
  ecs_Entity entity = unpack_entity(unpack, begin);
  while (entity != 0) {
    uint32_t row = unpack_find(unpack, entity);
    if (row == NO_ROW && id_index(entity) >= unpack->world->store.index.used)
      return true; /* a dead one, which is lost */
    uint32_t *by =
        row != NO_ROW ? &walk->rows[row] : &walk->indices[id_index(entity)];
    if (*by != 0) return *by != begin + 1;
    *by = begin + 1;
    entity = next_target(walk, entity, row);
  }
  return true;
}

static ecs_Status check_tree(const Unpack *unpack, const UnpackLink *link,
                             uint32_t *rows) {
  uint32_t used = unpack->world->store.index.used;
  TreeWalk walk = {unpack, link, rows, NULL};
  walk.indices = memory_zeroed(unpack->memory, used, sizeof(uint32_t));
  if (walk.indices == NULL) return ECS_E_MEMORY;
  memset(rows, 0, unpack->saved->rows * sizeof(uint32_t));
  bool rooted = true;
  for (uint32_t row = 0; rooted && row < unpack->saved->rows; row++)
    rooted = rows[row] != 0 || has_root(&walk, row);
  memory_free(unpack->memory, walk.indices, used * sizeof(uint32_t));
  return rooted ? ECS_OK
                : load_refuse(&unpack->load, "its links close a circle");
}

/* All of it ----------------------------------------------------------------- */

/* The rows lead to what is here; those that lose it do not link any more. */
static void mend_targets(const Unpack *unpack, UnpackLink *link) {
  uint32_t kept = 0;
  for (uint64_t row = 0; row < unpack->saved->rows; row++)
    link->targets[row] = unpack_mend(unpack, link->targets[row]);
  for (uint32_t i = 0; i < link->source_count; i++)
    if (link->targets[link->sources[i]] != 0)
      link->sources[kept++] = link->sources[i];
  link->source_count = kept;
}

static ecs_Status take_link(Unpack *unpack, UnpackLink *link, uint32_t *seen) {
  const SavedLink *order = find_order(unpack, link);
  const char *name = link->component->was->name;
  const char *field = field_of(unpack, link)->name;
  take_targets(unpack, link);
  if (!check_targets(unpack, link))
    return load_refuse_of(
        &unpack->load,
        "%s.%s links to an entity that is not among the rows and not alive",
        name, field);
  memset(seen, 0, unpack->saved->rows * sizeof(uint32_t));
  if (order == NULL)
    list_rows(unpack, link);
  else if (!list_packed(unpack, link, order, seen))
    return load_refuse_of(&unpack->load, "the order of links of %s.%s is wrong",
                          name, field);
  ecs_Status status =
      link->index->tree ? check_tree(unpack, link, seen) : ECS_OK;
  if (status == ECS_OK) mend_targets(unpack, link);
  return status;
}

/* Adds the links of a component to the list. */
static ecs_Status list_links(Unpack *unpack, UnpackComponent *component) {
  const Component *known = &unpack->world->store.components.all[component->id];
  LinkIndex *indices = links_of(&unpack->world->links, known);
  size_t rows = (size_t)unpack->saved->rows;
  for (uint32_t i = 0; i < known->link_count; i++) {
    void *links = unpack->links;
    if (!memory_grow(unpack->memory, &links, &unpack->link_capacity,
                     unpack->link_count, 1, sizeof(UnpackLink)))
      return ECS_E_MEMORY;
    unpack->links = links;
    UnpackLink *link = &unpack->links[unpack->link_count++];
    *link = (UnpackLink){.component = component, .index = &indices[i]};
    link->targets = memory_zeroed(unpack->memory, rows, sizeof(ecs_Entity));
    link->sources = memory_zeroed(unpack->memory, rows, sizeof(uint32_t));
    if (link->targets == NULL || link->sources == NULL) return ECS_E_MEMORY;
    component->links |= UINT64_C(1) << indices[i].field;
  }
  return ECS_OK;
}

ecs_Status unpack_take_links(Unpack *unpack) {
  size_t rows = (size_t)unpack->saved->rows;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < unpack->saved->components.count;
       i++)
    if (unpack->components[i].id != 0)
      status = list_links(unpack, &unpack->components[i]);
  if (status != ECS_OK || unpack->link_count == 0) return status;
  uint32_t *seen = memory_zeroed(unpack->memory, rows, sizeof(uint32_t));
  if (seen == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; status == ECS_OK && i < unpack->link_count; i++)
    status = take_link(unpack, &unpack->links[i], seen);
  memory_free(unpack->memory, seen, rows * sizeof(uint32_t));
  return status;
}

void unpack_forget_links(Unpack *unpack) {
  size_t rows = (size_t)unpack->saved->rows;
  for (uint32_t i = 0; i < unpack->link_count; i++) {
    memory_free(unpack->memory, unpack->links[i].targets,
                rows * sizeof(ecs_Entity));
    memory_free(unpack->memory, unpack->links[i].sources,
                rows * sizeof(uint32_t));
  }
  memory_free(unpack->memory, unpack->links,
              unpack->link_capacity * sizeof(UnpackLink));
}

bool unpack_link_stays(const Unpack *unpack, const UnpackLink *link,
                       uint32_t row) {
  return link_target(link->index, unpack->made[row]) == link->targets[row];
}

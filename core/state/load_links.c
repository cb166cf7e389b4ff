/* load_links.c: the links of a save. */
#include "state/load_links.h"

/* The component of the save that holds a link's column; NULL: it has no rows. */
static const SavedComponent *find_linking(const Load *load,
                                          const LinkIndex *index) {
  uint32_t number = load->numbers[index->component];
  const SavedComponent *was =
      number == 0 ? NULL : &saved_components(load->saved)[number - 1];
  return was == NULL || was->rows == 0 ? NULL : was;
}

/* Makes the scratch for links. False: ECS_E_MEMORY. */
static bool ensure_nodes(Load *load) {
  size_t nodes = (size_t)load->node_pages * LINK_PAGE_NODES;
  if (load->by != NULL) return true;
  load->nodes = memory_zeroed(load->memory, nodes, sizeof(LinkNode));
  load->touched = memory_zeroed(load->memory, load->node_pages, 1);
  load->by = memory_zeroed(load->memory, nodes, sizeof(uint32_t));
  return load->nodes != NULL && load->touched != NULL && load->by != NULL;
}

/* The node of an entity, which is about to be written. */
static LinkNode *touch(Load *load, ecs_Entity entity) {
  LinkNode *node = &load->nodes[id_index(entity)];
  load->touched[id_index(entity) >> LINK_PAGE_BITS] = 1;
  node->entity = entity;
  return node;
}

/* The first page from a page on that has nodes; node_pages: there is none. */
static uint32_t next_touched(const Load *load, uint32_t page) {
  const char *found =
      memchr(load->touched + page, 1, load->node_pages - (size_t)page);
  return found == NULL ? load->node_pages : (uint32_t)(found - load->touched);
}

/* Puts a source behind the others of its target. */
static bool link_source(Load *load, ecs_Entity source) {
  uint32_t self = id_index(source);
  if (!load_is_alive(load, source)) return false;
  LinkNode *node = &load->nodes[self];
  if (node->target == 0 || node->entity != source || node->next != 0)
    return false;
  LinkNode *to = &load->nodes[node->target];
  if (to->last == self || node->previous != 0) return false;
  node->previous = to->last;
  *(to->last == 0 ? &to->first : &load->nodes[to->last].next) = self;
  to->last = self;
  to->count++;
  return true;
}

/* Reads the targets of all entities from a component's column. Returns how many
 * there are; UINT64_MAX: one of them is not alive. */
static uint64_t load_targets(Load *load, const LinkIndex *index,
                             const SavedComponent *was) {
  const ecs_Snapshot *to = load->to;
  const Component *component = &load->store->components.all[index->component];
  uint64_t count = 0;
  uint32_t number = load->numbers[index->component];
  const LoadComponent *made_of = &load->components[number - 1];
  const SchemaField *named = &component->schema->fields[index->field];
  const SavedField *field = load_find_field(load, was, named->name);
  /* The first target, and how far the next one is. */
  const char *values = field == NULL ? NULL : field->values;
  size_t step = sizeof(ecs_Entity);
  if (made_of->images != NULL) {
    values = made_of->images + named->offset;
    step = made_of->image_bytes;
  }
  const SavedGroup *group = &saved_groups(load->saved)[was->group];
  const SnapshotGroup *made = &to->groups[was->group];
  uint64_t row = 0;
  for (uint32_t k = 0; values != NULL && k < group->table_count; k++) {
    const SnapshotTable *table = &to->tables[made->first_table + k];
    Mask mask = snapshot_mask(to, table);
    uint32_t bit = made_of->bit;
    if ((mask_word(&mask, bit / 64u) >> bit % 64u & 1u) == 0) continue;
    for (uint32_t i = 0; i < table->rows; i++, row++) {
      ecs_Entity source = load_get64(to->places.bytes + table->entities, i);
      ecs_Entity target = load_get64(values + row * step, 0);
      if (target == 0) continue;
      if (!load_is_alive(load, target)) return UINT64_MAX;
      touch(load, source)->target = id_index(target);
      (void)touch(load, target);
      count++;
    }
  }
  return count;
}

/* The order in which sources link, as the save has it; NULL: it has none, or it
 * is one of values that were made anew. */
static const SavedLink *find_link(const Load *load, const LinkIndex *index) {
  const Component *component = &load->store->components.all[index->component];
  const char *name = component->schema->fields[index->field].name;
  const SavedLink *links = load->saved->links.all;
  uint32_t number = load->numbers[index->component];
  if (number == 0 || load->components[number - 1].images != NULL) return NULL;
  for (uint32_t i = 0; i < load->saved->links.count; i++) {
    const SavedComponent *was =
        &saved_components(load->saved)[links[i].component];
    if (links[i].component + 1 == number &&
        strcmp(saved_fields(load->saved, was)[links[i].field].name, name) == 0)
      return &links[i];
  }
  return NULL;
}

static bool link_sources(Load *load, const SavedLink *link, uint64_t count) {
  uint32_t last = 0;
  if (link != NULL && link->count != count) return false;
  for (uint64_t i = 0; link != NULL && i < link->count; i++) {
    ecs_Entity source = load_get64(link->sources, i);
    if (!link_source(load, source)) return false;
    uint32_t target = load->nodes[id_index(source)].target;
    if (target < last) return false;
    last = target;
  }
  if (link != NULL || count == 0) return true;
  for (uint32_t page = next_touched(load, 0); page < load->node_pages;
       page = next_touched(load, page + 1)) {
    const LinkNode *nodes = load->nodes + (size_t)page * LINK_PAGE_NODES;
    for (uint32_t i = 0; i < LINK_PAGE_NODES; i++)
      if (nodes[i].target != 0 && !link_source(load, nodes[i].entity))
        return false;
  }
  return true;
}

/* Follows targets from an entity up to one that was followed before, which
 * `by` tells. Do they come to an end? */
static bool has_root(Load *load, uint32_t index) {
  uint32_t at = index;
  for (; at != 0 && load->by[at] == 0; at = load->nodes[at].target)
    load->by[at] = index;
  return at == 0 || load->by[at] != index;
}

/* Does following targets from any entity come to an end? */
static bool is_tree(Load *load) {
  for (uint32_t page = next_touched(load, 0); page < load->node_pages;
       page = next_touched(load, page + 1))
    for (uint32_t i = 0; i < LINK_PAGE_NODES; i++) {
      uint32_t index = page * LINK_PAGE_NODES + i;
      if (load->nodes[index].target != 0 && load->by[index] == 0 &&
          !has_root(load, index))
        return false;
    }
  return true;
}

/* Moves the pages that have nodes into the snapshot. False: ECS_E_MEMORY. */
static bool take_nodes(Load *load, SnapshotLinks *links) {
  ecs_Snapshot *to = load->to;
  for (uint32_t page = next_touched(load, 0); page < load->node_pages;
       page = next_touched(load, page + 1)) {
    size_t first = (size_t)page * LINK_PAGE_NODES;
    size_t bytes = LINK_PAGE_NODES * sizeof(LinkNode);
    uint32_t count = links->first_page + links->page_count;
    StateSizes sizes = {.pages = count + 1};
    if (count == UINT32_MAX || !snapshot_reserve(to, &sizes)) return false;
    to->pages[count] = page;
    links->page_count++;
    memcpy(to->nodes.bytes + to->nodes.count, load->nodes + first, bytes);
    to->nodes.count += bytes;
    memset(load->nodes + first, 0, bytes);
    memset(load->by + first, 0, LINK_PAGE_NODES * sizeof(uint32_t));
    load->touched[page] = 0;
  }
  return true;
}

/* Cost: what links, and a look at every page. */
static ecs_Status load_link(Load *load, const LinkIndex *index,
                            SnapshotLinks *links) {
  const SavedComponent *was = find_linking(load, index);
  const SavedLink *link = find_link(load, index);
  if (was != NULL && !ensure_nodes(load)) return ECS_E_MEMORY;
  links->links = was == NULL ? 0 : load_targets(load, index, was);
  if (links->links == UINT64_MAX || !link_sources(load, link, links->links))
    return load_refuse(load, "its links are wrong");
  if (was == NULL) return ECS_OK;
  if (index->tree && !is_tree(load))
    return load_refuse(load, "its links close a circle");
  return take_nodes(load, links) ? ECS_OK : ECS_E_MEMORY;
}

ecs_Status load_links(Load *load) {
  const LinkSet *set = &load->world->links;
  ecs_Status status = ECS_OK;
  uint32_t pages = 0;
  load->to->nodes.count = 0;
  load->to->link_count = set->count;
  for (uint32_t i = 0; status == ECS_OK && i < set->count; i++) {
    SnapshotLinks *links = &load->to->links[i];
    *links = (SnapshotLinks){.first_page = pages};
    status = load_link(load, &set->indices[i], links);
    pages += links->page_count;
  }
  return status;
}

/* link_index.c: which entities link to which, by one field of a component. */
#include "storage/link_index.h"

#include <string.h>

static void free_page(LinkIndex *index, Memory *memory, uint32_t page) {
  memory_free(memory, index->pages[page], LINK_PAGE_NODES * sizeof(LinkNode));
  index->pages[page] = NULL;
}

static void free_depths(LinkDepths *depths, Memory *memory) {
  memory_free(memory, depths->targets, depths->count * 2 * sizeof(uint32_t));
  *depths = (LinkDepths){NULL, NULL, 0, 0, 0};
}

void link_index_deinit(LinkIndex *index, Memory *memory) {
  free_depths(&index->depths, memory);
  for (uint32_t i = 0; i < index->page_count; i++)
    if (index->pages[i] != NULL) free_page(index, memory, i);
  memory_free(memory, (void *)index->pages,
              index->page_count * sizeof(LinkNode *));
}

/* Makes entries for pages up to one. */
static bool grow_pages(LinkIndex *index, Memory *memory, uint32_t page) {
  uint32_t count = index->page_count < 4 ? 4 : index->page_count;
  while (count <= page) count *= 2;
  LinkNode **pages = memory_resize(memory, (void *)index->pages,
                                   index->page_count * sizeof(LinkNode *),
                                   count * sizeof(LinkNode *));
  if (pages == NULL) return false;
  for (uint32_t i = index->page_count; i < count; i++) pages[i] = NULL;
  index->pages = pages;
  index->page_count = count;
  return true;
}

ecs_Status link_index_reserve(LinkIndex *index, Memory *memory,
                              ecs_Entity entity) {
  uint32_t page = id_index(entity) >> LINK_PAGE_BITS;
  if (page >= index->page_count && !grow_pages(index, memory, page))
    return ECS_E_MEMORY;
  if (ECS_LIKELY(index->pages[page] != NULL)) return ECS_OK;
  index->pages[page] = memory_zeroed(memory, LINK_PAGE_NODES, sizeof(LinkNode));
  return index->pages[page] == NULL ? ECS_E_MEMORY : ECS_OK;
}

/* Depths that are known stay so when a leaf gets another target, or none. */
static inline void follow_depth(LinkIndex *index, uint32_t self,
                                const LinkNode *node) {
  LinkDepths *depths = &index->depths;
  uint32_t target = node->target;
  index->version++;
  if (depths->version + 1 != index->version || node->count > 0 ||
      self >= depths->count || target >= depths->count)
    return;
  uint32_t depth = target == 0 ? 0 : depths->depths[target] + 1;
  depths->targets[self] = target;
  depths->depths[self] = depth;
  if (depth > depths->deepest) depths->deepest = depth;
  depths->version = index->version;
}

void link_insert(LinkIndex *index, ecs_Entity source, ecs_Entity target,
                 uint32_t next) {
  uint32_t self = id_index(source);
  LinkNode *node = link_node(index, self);
  LinkNode *to = link_node(index, id_index(target));
  ECS_ASSERT(node != NULL && to != NULL && node->target == 0);
  node->entity = source;
  to->entity = target;
  uint32_t previous = next == 0 ? to->last : link_node(index, next)->previous;
  node->target = id_index(target);
  node->next = next;
  node->previous = previous;
  *(previous == 0 ? &to->first : &link_node(index, previous)->next) = self;
  *(next == 0 ? &to->last : &link_node(index, next)->previous) = self;
  to->count++;
  index->links++;
  follow_depth(index, self, node);
}

void link_take(LinkIndex *index, ecs_Entity source) {
  LinkNode *node = link_node(index, id_index(source));
  ECS_ASSERT(node != NULL && node->entity == source && node->target != 0);
  LinkNode *to = link_node(index, node->target);
  uint32_t next = node->next, previous = node->previous;
  *(previous == 0 ? &to->first : &link_node(index, previous)->next) = next;
  *(next == 0 ? &to->last : &link_node(index, next)->previous) = previous;
  node->target = node->next = node->previous = 0;
  to->count--;
  index->links--;
  follow_depth(index, id_index(source), node);
}

void link_index_clear(LinkIndex *index) {
  for (uint32_t i = 0; i < index->page_count; i++)
    if (index->pages[i] != NULL)
      memset(index->pages[i], 0, LINK_PAGE_NODES * sizeof(LinkNode));
  index->links = 0;
  index->version++;
}

static bool page_is_used(const LinkNode *nodes) {
  for (uint32_t i = 0; i < LINK_PAGE_NODES; i++)
    if (nodes[i].target != 0 || nodes[i].count > 0) return true;
  return false;
}

void link_index_trim(LinkIndex *index, Memory *memory) {
  uint32_t used = 0;
  free_depths(&index->depths, memory);
  for (uint32_t i = 0; i < index->page_count; i++) {
    if (index->pages[i] == NULL) continue;
    if (page_is_used(index->pages[i]))
      used = i + 1;
    else
      free_page(index, memory, i);
  }
  LinkNode **pages = memory_resize(memory, (void *)index->pages,
                                   index->page_count * sizeof(LinkNode *),
                                   used * sizeof(LinkNode *));
  if (pages == NULL && used > 0) return; /* refused: the old ones stay */
  index->pages = pages;
  index->page_count = used;
}

/* Depths ------------------------------------------------------------------ */

static ecs_Status reserve_depths(LinkDepths *depths, Memory *memory,
                                 uint32_t count) {
  if (count <= depths->count) return ECS_OK;
  free_depths(depths, memory);
  depths->targets = memory_zeroed(memory, count, 2 * sizeof(uint32_t));
  if (depths->targets == NULL) return ECS_E_MEMORY;
  depths->depths = depths->targets + count;
  depths->count = count;
  return ECS_OK;
}

/* Stands for a depth that is not found yet. */
#define UNKNOWN_DEPTH UINT32_MAX

/* Copies the targets of a page, so that from here on a walk reads four bytes
 * for each, and finds depths that are one more than a known one. Returns
 * whether some are left. */
static bool copy_targets(LinkDepths *depths, const LinkNode *nodes,
                         uint32_t first) {
  uint32_t *targets = depths->targets + first, unknown = 0;
  for (uint32_t i = 0; i < LINK_PAGE_NODES; i++) {
    uint32_t target = nodes[i].target;
    uint32_t depth = target == 0 ? 0 : depths->depths[target];
    bool known = depth != UNKNOWN_DEPTH;
    targets[i] = target;
    depths->depths[first + i] = depth + (known && target != 0);
    unknown |= !known;
    if (known && depths->depths[first + i] > depths->deepest)
      depths->deepest = depths->depths[first + i];
  }
  return unknown != 0;
}

/* Finds the depth of an entity, and of its targets up to one that is known or
 * has none: goes up, counting, then once more. */
static uint32_t find_depth(LinkDepths *depths, uint32_t entity) {
  uint32_t last = entity, links = 0;
  for (; depths->depths[last] == UNKNOWN_DEPTH; links++) {
    if (depths->targets[last] == 0) {
      depths->depths[last] = 0;
      break;
    }
    last = depths->targets[last];
  }
  uint32_t depth = depths->depths[last] + links;
  for (uint32_t i = entity; i != last; i = depths->targets[i])
    depths->depths[i] = depths->depths[last] + links--;
  ECS_ASSERT(links == 0 && depths->depths[entity] == depth);
  return depth;
}

ecs_Status link_find_depths(LinkIndex *index, Memory *memory) {
  LinkDepths *depths = &index->depths;
  uint32_t count = index->page_count * LINK_PAGE_NODES;
  ECS_ASSERT(index->tree);
  if (depths->version == index->version && count <= depths->count)
    return ECS_OK;
  ecs_Status status = reserve_depths(depths, memory, count);
  if (status != ECS_OK) return status;
  bool unknown = false;
  depths->deepest = 0;
  if (count > 0) {
    memset(depths->targets, 0, count * sizeof *depths->targets);
    memset(depths->depths, 0xff, count * sizeof *depths->depths);
  }
  for (uint32_t page = 0; page < index->page_count; page++) {
    uint32_t first = page * LINK_PAGE_NODES;
    if (index->pages[page] == NULL)
      memset(depths->depths + first, 0,
             LINK_PAGE_NODES * sizeof *depths->depths);
    else if (copy_targets(depths, index->pages[page], first))
      unknown = true;
  }
  for (uint32_t i = 0; unknown && i < count; i++) {
    uint32_t depth = find_depth(depths, i);
    if (depth > depths->deepest) depths->deepest = depth;
  }
  depths->version = index->version;
  return ECS_OK;
}

/* The list of a target has its count, and leads back. */
static bool check_target(const LinkIndex *index, uint32_t target,
                         const LinkNode *to) {
  uint32_t count = 0, previous = 0;
  for (uint32_t i = to->first; i != 0 && count <= to->count; count++) {
    const LinkNode *node = link_node(index, i);
    if (node == NULL || node->target != target || node->previous != previous)
      return false;
    if (id_index(node->entity) != i) return false;
    previous = i;
    i = node->next;
  }
  return count == to->count && to->last == previous;
}

bool link_index_check_invariants(const LinkIndex *index) {
  uint64_t sources = 0, counted = 0;
  for (uint32_t i = 0; i < index->page_count * LINK_PAGE_NODES; i++) {
    const LinkNode *node = link_node(index, i);
    if (node == NULL) continue;
    bool used = node->target != 0 || node->count > 0;
    if (used && id_index(node->entity) != i) return false;
    if (!check_target(index, i, node)) return false;
    sources += node->target != 0;
    counted += node->count;
  }
  return sources == index->links && counted == index->links;
}

/* group_lists.c: the groups in which an entity may have a row. */
#include "storage/group_lists.h"

/* One past the highest index that has an entry. */
static uint32_t index_end(const Locator *locator) {
  uint64_t end = (uint64_t)locator->page_count << ECS_LOCATOR_BITS;
  return end < ECS_INDEX_LIMIT ? (uint32_t)end : ECS_INDEX_LIMIT;
}

static void forget_heads(Store *store) {
  for (uint32_t i = 0; i < index_end(&store->groups.lists); i++)
    if (locator_ready(&store->groups.lists, i))
      locator_clear(&store->groups.lists, i);
}

/* Links the entries of a group that have a row, and has the others be fresh. */
static void link_group(Group *group) {
  Locator *locator = &group->locator;
  for (uint32_t i = 0; i < index_end(locator); i++) {
    RowId place = locator_find(locator, i);
    if (!locator_ready(locator, i)) continue;
    locator_set(locator, i, (RowId){LOCATOR_FRESH, 0});
    if (locator_is_row(place.row)) locator_enter(locator, i, place);
  }
}

void group_lists_remake(Store *store) {
  forget_heads(store);
  for (uint32_t i = ECS_NEAR_GROUPS; i < store->groups.count; i++)
    link_group(store->groups.all[i]);
}

/* Counts the links of an index; UINT32_MAX: one of them is wrong. */
static uint32_t count_links(const Store *store, uint32_t index) {
  uint32_t count = 0, id = locator_find(&store->groups.lists, index).row;
  if (id == LOCATOR_NONE) return 0;
  for (; id != 0; count++) {
    if (id < ECS_NEAR_GROUPS || id >= store->groups.count) return UINT32_MAX;
    const Locator *locator = &store->groups.all[id]->locator;
    if (count >= store->groups.count || !locator_ready(locator, index) ||
        locator_find(locator, index).row == LOCATOR_FRESH)
      return UINT32_MAX;
    id = *locator_link(locator, index);
  }
  return count;
}

/* Counts the groups where an index has an entry that is not fresh. */
static uint32_t count_linked(const Store *store, uint32_t index) {
  uint32_t count = 0;
  for (uint32_t i = ECS_NEAR_GROUPS; i < store->groups.count; i++) {
    const Locator *locator = &store->groups.all[i]->locator;
    count += locator_ready(locator, index) &&
             locator_find(locator, index).row != LOCATOR_FRESH;
  }
  return count;
}

bool group_lists_check_invariants(const Store *store) {
  for (uint32_t i = 0; i < index_end(&store->groups.lists); i++)
    if (count_links(store, i) != count_linked(store, i)) return false;
  return true;
}

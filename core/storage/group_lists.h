/* group_lists.h: the groups in which an entity may have a row.
 *
 *      index --heads--> 40 --link of group 40--> 17 --link of group 17--> 0
 *
 * The groups before ECS_NEAR_GROUPS are few: a bit of the slot's summary stands
 * for some of them, which are all asked. Each index has a list of the others, by
 * their ids, so that destroying an entity costs what the entity has been in,
 * however many groups there are.
 *
 * A list grows when an entity enters a group that its index has not been in since
 * the list was taken: the entry of the locator is fresh until then. To leave a
 * group does not touch the list, and to enter it again neither. The list is taken
 * when the entity is destroyed; after a clear the next entity of the index
 * inherits it. So a group in the list is one where a row may be, and each taken
 * link has been paid by the entering that made it.
 *
 * Links are in the pages of locators: entering allocates nothing.
 */
#ifndef ECS_GROUP_LISTS_H
#define ECS_GROUP_LISTS_H

#include "storage/store.h"

/* Makes all lists anew, after pages of locators or groups were exchanged. Cannot
 * fail. Cost: every entry of the groups that list. */
ECS_INTERNAL void group_lists_remake(Store *store);

/* Checked builds: does each list have the groups where its index is not fresh,
 * and each of them once? Cost: every entry of these groups. */
ECS_INTERNAL bool group_lists_check_invariants(const Store *store);

/* Takes the list of an index: the first group; 0: none. Each group must be passed
 * by group_lists_next. */
static inline uint32_t group_lists_take(const Store *store, uint32_t index) {
  if (ECS_LIKELY(!locator_ready(&store->groups.lists, index))) return 0;
  uint32_t *head = locator_narrow_entry(&store->groups.lists, index);
  uint32_t first = *head == LOCATOR_NONE ? 0 : *head;
  *head = LOCATOR_NONE;
  return first;
}

/* The group behind one in a list that was taken; 0: none. The index, which has no
 * row in the group any more, is fresh there afterwards. */
static inline uint32_t group_lists_next(Group *group, uint32_t index) {
  uint32_t next = *locator_link(&group->locator, index);
  locator_set(&group->locator, index, (RowId){LOCATOR_FRESH, 0});
  return next;
}

#endif

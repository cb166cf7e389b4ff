/* placement.c: records where rows are after they were added, moved or removed.
 */
#include "storage/placement.h"

void store_leave(Store *store, Group *group, uint32_t index) {
  ECS_ASSERT(group->id != 0);
  locator_clear(&group->locator, index);
  if (summary_is_exact(store))
    entity_index_slot(&store->index, index)->table_bits &= ~group->summary;
}

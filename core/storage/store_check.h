/* store_check.h: does everything in a store agree?
 *
 * For checked builds and tests. Every table, edge and match of every group is
 * looked at, and the row of every entity is located again.
 */
#ifndef ECS_STORE_CHECK_H
#define ECS_STORE_CHECK_H

#include "storage/locate.h"

/* True: everything agrees. Cost: reads all of the store. */
ECS_INTERNAL bool store_check_invariants(const Store *store);

#endif

/* regroup.h: changes which components are stored together, with their data.
 *
 * Every group that gives or gets a component is built anew beside the old one,
 * in the order of the main group's tables (group_fill.h); then old and new groups
 * are exchanged. A failure on the way destroys the new ones. Cost: every row of
 * those groups is copied, and for a while both copies exist.
 */
#ifndef ECS_REGROUP_H
#define ECS_REGROUP_H

#include "storage/placement.h"

typedef enum RegroupTo {
  REGROUP_TO_GROUP, /* one of their own. Among several, tags stored as
                       bits stay bits; one alone is a sparse set */
  REGROUP_TO_MAIN,  /* the tables of the main group */
  REGROUP_TO_BITS   /* bits of the main group; the components are tags */
} RegroupTo;

/* Stores the components, which exist and are different, elsewhere.
 * ECS_E_MEMORY, ECS_E_LIMIT: nothing has changed. */
ECS_INTERNAL ecs_Status store_regroup(Store *store,
                                      const ecs_Component *components,
                                      uint32_t count, RegroupTo to);

/* Labels of store_partition. */
#define REGROUP_MAIN 0u
#define REGROUP_BITS 1u
#define REGROUP_STAYS UINT32_MAX

/* Stores components with equal labels together in the tables of a group of their
 * own; REGROUP_MAIN: of the main group; REGROUP_BITS: as its bits;
 * REGROUP_STAYS: where they are, which may then be with others no more. labels
 * has an entry for each component id. All groups are built in one pass.
 * ECS_E_MEMORY, ECS_E_LIMIT: nothing has changed. */
ECS_INTERNAL ecs_Status store_partition(Store *store, const uint32_t *labels);

#endif

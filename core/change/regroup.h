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

/* Where components go. */
typedef enum RegroupTo {
  REGROUP_APART, /* a group of their own. One alone: a sparse set. Of several,
                    tags that are defined as bits are bits of its rows */
  REGROUP_MAIN,  /* the tables of the main group */
  REGROUP_BITS   /* bits of the main group's rows; components without fields */
} RegroupTo;

/* Stores the components, which exist and are different, elsewhere. All others
 * stay as they are stored. ECS_E_MEMORY, ECS_E_LIMIT: nothing has changed. */
ECS_INTERNAL ecs_Status store_regroup(Store *store,
                                      const ecs_Component *components,
                                      uint32_t count, RegroupTo to);

#endif

/* replacement.h: an entity loses a component and gets another in one move.
 *
 *      {A B}  --A-->  {B}  --C-->  {B C}      edges
 *         \______________________/            the row moves once
 *
 * The table between is made if it is missing, and stays without the row: what
 * tables there are is the same as after two moves.
 */
#ifndef ECS_REPLACEMENT_H
#define ECS_REPLACEMENT_H

#include "change/change_state.h"
#include "change/entity_change_fast.h"

/* Are both in tables of one group? Then store_replace applies. */
static inline bool is_one_move(const Component *gone, const Component *added) {
  return gone->group == added->group && !component_is_bits(gone) &&
         !component_is_bits(added);
}

/* Is removing it certain to succeed? Nothing that removing it needs is then
 * reserved. */
static inline bool is_surely_removed(const Component *component) {
  return component->group->locator.narrow || component_is_bits(component);
}

/* Moves a row of the group of both components, which has the first and lacks the
 * second, and stores the whole image, NULL for defaults. ECS_E_MEMORY,
 * ECS_E_LIMIT: nothing has changed. Cost: that of store_add, and two look-ups of
 * edges. */
ECS_INTERNAL ecs_Status store_replace(Store *store, ecs_Entity entity,
                                      ecs_Component gone, ecs_Component added,
                                      const void *image);

/* Pure optimisation: the same in the main group, along a route that was taken
 * lately from the entity's table. False: there is none, or it is not that simple;
 * nothing has changed. Any number may be given as the entity. Cost: 6 ns for a
 * tag and two columns. */
ECS_INTERNAL bool store_replace_again(Store *store, ecs_Entity entity,
                                      ecs_Component gone, ecs_Component added,
                                      const void *image);

#endif

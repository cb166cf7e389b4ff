/* list_change.h: one change of each entity of a list.
 *
 * The result is that of the change made for one entity after the other, in the
 * order of the list: the order of rows and the handles that are issued next are
 * the same. What is gained is that cache misses overlap:
 *
 *      list   | e7 | e3 | ... | e9 | ... | e5 | ...
 *               |                |          \--> fetch its slot
 *               |                 \--> its slot is here: fetch its row's
 *               |                      entity, and the slot of its filler
 *                \--> change it
 *
 * Destroying removes the entities of a block of rows first, and then closes the
 * holes that they left, one column after the other.
 *
 * Adding and removing are whole or do not happen. Where every table that rows
 * may come from has an edge to one with room for all of them, nothing can fail,
 * and the entities are changed at once: so it is when the same is done again
 * and again. A sparse set has the pages and the rows that the list needs
 * reserved first, from its locator alone. Otherwise, the list is gone through
 * twice, and the first time every table, edge, row and page is reserved. An
 * entity that is listed twice is changed once; the second time there is nothing
 * to do, or it is dead.
 *
 * As in entity_change.h, arguments are trusted and nothing is open. Any number
 * may be listed as an entity; dead ones are passed over. The functions return
 * through *found for how many the single function would have returned ECS_OK.
 */
#ifndef ECS_LIST_CHANGE_H
#define ECS_LIST_CHANGE_H

#include "change/entity_change_fast.h"

/* Destroys the entities that are alive. Cannot fail. Cost: that of
 * store_destroy_entity; half of it where the entities lie apart in memory. */
ECS_INTERNAL void list_destroy(Store *store, const ecs_Entity *entities,
                               uint32_t count, uint32_t *found);

/* Adds a component, with an image or with defaults (NULL), to those that lack
 * it; or removes it from those that have it. ECS_E_MEMORY, ECS_E_LIMIT: nothing
 * has changed. Cost: that of store_add or store_remove for each; with a look-up
 * of each, where there may not be room. */
ECS_INTERNAL ecs_Status list_add(Store *store, const ecs_Entity *entities,
                                 uint32_t count, ecs_Component id,
                                 const void *image, uint32_t *found);

/* The same, with an image for each entity; images NULL: defaults. */
ECS_INTERNAL ecs_Status list_add_each(Store *store, const ecs_Entity *entities,
                                      const void *const *images, uint32_t count,
                                      ecs_Component id, uint32_t *found);

ECS_INTERNAL ecs_Status list_remove(Store *store, const ecs_Entity *entities,
                                    uint32_t count, ecs_Component id,
                                    uint32_t *found);

#endif

/* held_list.h: the values of fields of type string and any that bytes have, by the
 * order of their first use (held_save.h).
 *
 *      elements   | 9 | 0 | 4 | 9 |        numbers of the Lua state
 *      indices      1   0   2   1
 */
#ifndef ECS_HELD_LIST_H
#define ECS_HELD_LIST_H

#include "state/held_save.h"
#include "storage/store.h"

typedef struct HeldList {
  const HeldValues *held; /* borrowed; NULL: nothing is held */
  uint32_t *indices;      /* owned; by number; 0: it is not used */
  uint32_t count;         /* of indices */
  uint32_t used;          /* so many are */
  HeldUse *uses;          /* borrowed; where the first `most` of them go */
  uint32_t most;
} HeldList;

/* ECS_E_MEMORY. To be deinitialised in any case. */
ECS_INTERNAL ecs_Status held_list_init(HeldList *list, Store *store);
ECS_INTERNAL void held_list_deinit(HeldList *list, Store *store);

/* Adds the value of an element, if it is a new one. use: where that is; its number
 * is filled in. */
ECS_INTERNAL void held_list_add(HeldList *list, const char *element,
                                HeldUse use, ecs_Scalar type);

/* The place of an element's value; 0 for "" and nil. It was added. */
ECS_INTERNAL uint32_t held_list_index(const HeldList *list, const char *element,
                                      ecs_Scalar type);

/* Are the values those that were packed, in their order? */
ECS_INTERNAL bool held_list_matches(const HeldList *list,
                                    const HeldPacked *packed);

#endif

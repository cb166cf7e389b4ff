/* entity_claim.h: makes a given handle the next one to be issued.
 *
 *      before    head --> 7 --> 4 --> 9 --> 0          claimed: index 4
 *      claimed   head --> 4 --> 7 --> 9 --> 0          with its new generation
 *      undone    head --> 7 --> 4 --> 9 --> 0
 *
 * An entity is spawned with a given handle in three steps: the handle is claimed,
 * the entity is spawned in the ordinary way, and if that fails, the claim is
 * undone. Between them nothing else may be issued or freed.
 *
 * An index that was never issued is listed with all that it jumps over, the
 * lowest first; to undo it makes `used` what it was.
 */
#ifndef ECS_ENTITY_CLAIM_H
#define ECS_ENTITY_CLAIM_H

#include "storage/store.h"

/* What is needed to undo a claim. */
typedef struct EntityClaim {
  uint32_t index;      /* of the handle */
  uint32_t generation; /* which the index was to have next */
  uint32_t previous;   /* it was listed behind this one; 0: at the head, or it
                          was not listed */
  uint32_t used;       /* of the entity index */
  uint32_t pages;      /* of the entity index */
} EntityClaim;

/* Lists a handle as the next one to be issued. Its index is free, or from `used`
 * to ECS_INDEX_LIMIT - 1; its generation is not below that of the index.
 * ECS_E_MEMORY: nothing has changed. Cost: constant, but for entity_index_link,
 * and for indices that are jumped over. */
ECS_INTERNAL ecs_Status entity_claim(Store *store, ecs_Entity entity,
                                     EntityClaim *claim);

/* Lists everything as it was before the claim, which is the last change of the
 * list. Cost: that of the claim. */
ECS_INTERNAL void entity_claim_undo(Store *store, const EntityClaim *claim);

#endif

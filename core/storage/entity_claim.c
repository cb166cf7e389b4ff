/* entity_claim.c: makes a given handle the next one to be issued. */
#include "storage/entity_claim.h"

/* Links two listed indices, one behind the other; next may be 0. */
static void link_pair(EntityIndex *index, uint32_t before, uint32_t next) {
  entity_index_slot(index, before)->row_bits =
      (uint32_t)SLOT_FREE << ECS_INDEX_BITS | next;
  index->previous[next] = before;
}

/* Claims an index that is listed. */
static ecs_Status claim_listed(Store *store, EntityClaim *claim,
                               uint32_t generation) {
  EntityIndex *index = &store->index;
  Slot *slot = entity_index_slot(index, claim->index);
  ECS_ASSERT(slot_state(*slot) == SLOT_FREE);
  ECS_ASSERT(generation >= slot->table_bits);
  claim->generation = slot->table_bits;
  if (index->free_head != claim->index) {
    ecs_Status status = entity_index_link(index, &store->memory);
    if (status != ECS_OK) return status;
    claim->previous = index->previous[claim->index];
    link_pair(index, claim->previous, slot_row(*slot));
    index->free_count--;
    entity_index_list(index, slot, claim->index, generation);
  }
  slot->table_bits = generation;
  return ECS_OK;
}

/* Claims an index from `used` on. */
static ecs_Status claim_fresh(Store *store, const EntityClaim *claim,
                              uint32_t generation) {
  EntityIndex *index = &store->index;
  uint32_t fresh = claim->index - index->used + 1u;
  ecs_Status status =
      store_reserve_entities(store, (uint64_t)index->free_count + fresh);
  if (status != ECS_OK) return status;
  for (uint32_t i = claim->index; i-- > claim->used;)
    entity_index_list(index, entity_index_slot(index, i), i, 0);
  entity_index_list(index, entity_index_slot(index, claim->index), claim->index,
                    generation);
  index->used += fresh;
  return ECS_OK;
}

ecs_Status entity_claim(Store *store, ecs_Entity entity, EntityClaim *claim) {
  uint32_t generation = id_generation(entity);
  *claim = (EntityClaim){.index = id_index(entity),
                         .used = store->index.used,
                         .pages = store->index.page_count};
  ECS_ASSERT(claim->index > 0 && claim->index < ECS_INDEX_LIMIT);
  ECS_ASSERT(generation < ECS_GENERATION_LIMIT);
  return claim->index < claim->used ? claim_listed(store, claim, generation)
                                    : claim_fresh(store, claim, generation);
}

/* Takes indices from the list until `used` is what it was. */
static void undo_fresh(Store *store, const EntityClaim *claim) {
  EntityIndex *index = &store->index;
  for (; index->used > claim->used; index->used--) {
    Slot *slot = entity_index_slot(index, index->free_head);
    index->free_head = slot_row(*slot);
    index->free_count--;
    *slot = (Slot){(uint32_t)SLOT_FREE << ECS_INDEX_BITS, 0};
  }
  entity_index_drop_pages(index, &store->memory, claim->pages);
}

void entity_claim_undo(Store *store, const EntityClaim *claim) {
  EntityIndex *index = &store->index;
  ECS_ASSERT(index->free_head == claim->index);
  if (index->used > claim->used) {
    undo_fresh(store, claim);
    return;
  }
  Slot *slot = entity_index_slot(index, claim->index);
  slot->table_bits = claim->generation;
  if (claim->previous == 0) return;
  index->free_head = slot_row(*slot);
  link_pair(index, claim->index,
            slot_row(*entity_index_slot(index, claim->previous)));
  link_pair(index, claim->previous, claim->index);
}

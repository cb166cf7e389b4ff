/* query_group.h: what a query asks of one group.
 *
 * The match says which tables fit by their masks. Tags stored as bits are in
 * no mask; they filter rows: a byte of needed bits and one of forbidden bits
 * for each column of bits.
 */
#ifndef ECS_PART_H
#define ECS_PART_H

#include "storage/store.h"

#define PART_ABSENT UINT32_MAX /* a table id: the entity has no place here */

typedef struct Part {
  Group *group;
  Match match;
  uint8_t *bits_needed;    /* bits_columns bytes each; owned */
  uint8_t *bits_forbidden;
  uint32_t bits_columns;
  bool filters;            /* some tag stored as bits is asked for */
  bool required;           /* an entity without a place here does not match */
} Part;

/* Masks of as many words as the group has now, all clear. ECS_E_MEMORY:
 * part_deinit frees what there is. */
ECS_INTERNAL ecs_Status part_init(Part *part, Memory *memory, Group *group);
ECS_INTERNAL void part_deinit(Part *part, Memory *memory);

/* Adds one term's demand: the component must be there, or must not. */
ECS_INTERNAL void part_demand(Part *part, uint32_t bit, bool there);

/* Rows of all tables that match. */
ECS_INTERNAL uint64_t part_rows(const Part *part);

ECS_INTERNAL bool part_bits_fit(const Part *part, const Table *table,
                                uint32_t row);

/* Does the row pass the filter of bits? */
static inline bool part_row_fits(const Part *part, const Table *table,
                                 uint32_t row) {
  return !part->filters || part_bits_fit(part, table, row);
}

#endif

/* load_values.h: columns and tags of a save. */
#ifndef ECS_LOAD_VALUES_H
#define ECS_LOAD_VALUES_H

#include "state/load_part.h"

/* Writes the columns of a table, copied, converted, or of defaults. Returns
 * where their bytes end; NULL: a value is wrong, and problem says why. */
ECS_INTERNAL char *load_columns(Load *load, const SavedTable *table, char *to);

/* Tags stored as bits: columns of eight of them. False: a byte is no bit. */
ECS_INTERNAL bool load_tags(Load *load, uint32_t rows, char *to);

#endif

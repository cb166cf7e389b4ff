/* load_values.h: columns and tags of a save. */
#ifndef ECS_LOAD_VALUES_H
#define ECS_LOAD_VALUES_H

#include "state/load_part.h"

/* Does the listener make the values of a component of the save? */
ECS_INTERNAL bool load_is_migrated(const Load *load,
                                   const SavedComponent *component);

/* Has the listener make images of all rows of a component, by its number, for
 * the schema that the world has. ECS_E_MEMORY; ECS_E_FILE: it refused. */
ECS_INTERNAL ecs_Status load_migrate(Load *load, uint32_t number,
                                     const Schema *schema);

/* Frees these images. */
ECS_INTERNAL void load_forget_images(Load *load);

/* Are the host's numbers of values, see ecs_saved_hold, such that columns may have
 * them? ECS_E_MEMORY; ECS_E_FILE. Values that are compared by what they are must
 * have numbers of their own. */
ECS_INTERNAL ecs_Status load_check_held(Load *load);

/* Writes the numbers of a field of type string or any, of rows from first on, each
 * stride bytes behind the one before. */
ECS_INTERNAL void load_held(const Load *load, const SavedField *was,
                            uint64_t first, size_t rows, char *to,
                            size_t stride);

/* Writes the columns of a table, copied, converted, or of defaults. Returns
 * where their bytes end; NULL: a value is wrong, and problem says why. */
ECS_INTERNAL char *load_columns(Load *load, const SavedTable *table, char *to);

/* Tags stored as bits: columns of eight of them. False: a byte is no bit. */
ECS_INTERNAL bool load_tags(Load *load, uint32_t rows, char *to);

#endif

/* load_fields.h: fields of a save, compared with those of a world and converted.
 *
 *      the save    the world
 *      x f32       x f32         copied
 *      n i32       n f64         value by value; each must fit
 *      gone                      told
 *                  new           told; the default
 */
#ifndef ECS_LOAD_FIELDS_H
#define ECS_LOAD_FIELDS_H

#include "state/load_part.h"

/* Tells which fields of a component are new, other, or gone. ECS_E_FILE: one
 * cannot be converted. */
ECS_INTERNAL ecs_Status load_compare_fields(Load *load,
                                            const SavedComponent *component,
                                            const Schema *schema);

/* Writes the values of a field, from a row of the save's component on, each `step`
 * bytes behind the one before. False: a value is wrong, and problem says why. */
ECS_INTERNAL bool load_field(const Load *load, const SavedComponent *component,
                             const SchemaField *field, uint64_t first,
                             uint64_t rows, char *to, size_t step);

#endif

/* schema.h: a component's name, fields and defaults; immutable.
 *
 * A schema knows two shapes of the same value: the columns (one element per
 * field) and the image (a C struct of the fields in order).
 *
 *      fields   x f32   y f32   hp u16
 *      image    | x | x | x | x | y | y | y | y | hp | hp | - | - |
 */
#ifndef ECS_SCHEMA_H
#define ECS_SCHEMA_H

#include "base/memory.h"
#include "base/scalar.h"

typedef struct SchemaField {
  const char *name; /* owned by the schema's block */
  ecs_Scalar type;
  uint32_t offset; /* in the image */
  uint32_t shift;  /* log2 of the element size */
  double default_value;
} SchemaField;

typedef struct Schema {
  const char *name;
  uint32_t field_count;
  uint32_t image_bytes;      /* 0 for a tag; a multiple of the alignment */
  bool zero_defaults;        /* every default's bits are zero */
  uint8_t uniform;           /* the type that all fields have; otherwise, and
                               for a tag, ECS_SCALAR_COUNT */
  size_t block_bytes;        /* of the one allocation that holds it all */
  const void *default_image; /* image_bytes of defaults; NULL for a tag */
  SchemaField fields[];
} Schema;

/* Checks a description (ECS_E_NAME, ECS_E_FIELD, ECS_E_VALUE, ECS_E_LIMIT,
 * ECS_E_ARGUMENT for an unknown type) and copies it. Owned by the caller. */
ECS_INTERNAL ecs_Status
schema_create(Memory *memory, const ecs_ComponentDescription *description,
              Schema **schema);
ECS_INTERNAL void schema_destroy(Memory *memory, Schema *schema);

/* Does the description say the same: names, order, types, default bits? */
ECS_INTERNAL bool schema_matches(const Schema *schema,
                                 const ecs_ComponentDescription *description);

#endif

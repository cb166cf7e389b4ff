/* schema.h: a component's name, fields and defaults; immutable.
 *
 * A value has two shapes: in columns, one element per field, and as an image, a
 * C struct of the fields in order.
 *
 *      fields   x f32   y f32   hp u16
 *      image    | x | x | x | x | y | y | y | y | hp | hp | - | - |
 */
#ifndef ECS_SCHEMA_H
#define ECS_SCHEMA_H

#include "base/memory.h"
#include "base/scalar.h"

#define SCHEMA_NO_LINK 0xffu

typedef struct SchemaField {
  const char *name; /* in the schema's block */
  ecs_Scalar type;
  uint32_t offset;      /* in the image, in bytes */
  uint16_t shift;       /* log2 of the element size */
  uint8_t link;         /* ecs_LinkRule; SCHEMA_NO_LINK: it is no link */
  bool tree;            /* of a link */
  double default_value; /* as the field reads it back: rounded if it is an
                           f32 */
} SchemaField;

typedef struct Schema {
  const char *name; /* in the schema's block */
  uint32_t field_count;
  uint32_t image_bytes;      /* 0 for a tag; a multiple of the alignment */
  uint64_t held;             /* bit k: field k is a string or any */
  bool zero_defaults;        /* every default's bits are zero */
  uint8_t uniform;           /* the type that all fields have; ECS_SCALAR_COUNT
                               when they differ, and for a tag */
  size_t block_bytes;        /* of the one allocation that holds it all */
  const void *default_image; /* image_bytes of defaults; NULL for a tag */
  SchemaField fields[];
} Schema;

/* Checks a description and copies it; the caller owns the schema. ECS_E_NAME,
 * ECS_E_FIELD (a field twice), ECS_E_VALUE (a default), ECS_E_LIMIT,
 * ECS_E_ARGUMENT (an unknown type), ECS_E_MEMORY. Cost: compares every pair of
 * field names. */
ECS_INTERNAL ecs_Status
schema_create(Memory *memory, const ecs_ComponentDescription *description,
              Schema **schema);

/* Frees a schema. */
ECS_INTERNAL void schema_destroy(Memory *memory, Schema *schema);

/* Has the description the same names, order, types, default bits and links? The
 * description need not be valid. */
ECS_INTERNAL bool schema_matches(const Schema *schema,
                                 const ecs_ComponentDescription *description);

/* Does a mask name every field of a component that has fields? */
static inline bool schema_all_named(const Schema *schema, uint64_t fields) {
  ECS_ASSERT(schema->field_count > 0 && schema->field_count <= 64);
  return (~fields & UINT64_MAX >> (64u - schema->field_count)) == 0;
}

#endif

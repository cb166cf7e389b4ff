/* schema.c: checks a component's description and keeps it as one block.
 *
 *      +--------+---------+---------------+--------+-------+-------+---
 *      | Schema | fields  | default image | name\0 | x\0   | y\0   | ...
 *      +--------+---------+---------------+--------+-------+-------+---
 *                         ^ aligned for every scalar
 *
 * Everything is checked before the one allocation, and nothing can fail after
 * it. The limits on names and fields bound all sizes, far below what could
 * overflow.
 *
 * Invariants: the image's padding is zero; default_value is what the default
 * reads back as, which for an f32 is the rounded number.
 */
#include "storage/schema.h"

#include <string.h>

_Static_assert(sizeof(SchemaField) % 8 == 0 &&
                   offsetof(Schema, fields) % 8 == 0,
               "the default image behind the fields would be unaligned");

static bool is_name(const char *name) {
  return name != NULL && name[0] != '\0' && strlen(name) <= ECS_NAME_LIMIT;
}

/* Checks one field by itself. An entity field defaults to the null entity, the
 * only handle with a meaning in every world, and a held value to 0. */
static ecs_Status check_field(const ecs_Field *field) {
  uint64_t place;
  if (!is_name(field->name)) return ECS_E_NAME;
  ecs_Status status =
      ecs_scalar_store(field->type, &place, field->default_value);
  if (status != ECS_OK) return status;
  bool null = field->default_value == 0;
  return field->type >= ECS_ENTITY && !null ? ECS_E_VALUE : ECS_OK;
}

static bool is_repeated(const ecs_Field *fields, uint32_t field) {
  for (uint32_t k = 0; k < field; k++)
    if (strcmp(fields[k].name, fields[field].name) == 0) return true;
  return false;
}

/* Is the field named by a link before this one? */
static bool is_linked_twice(const ecs_Link *links, uint32_t link) {
  for (uint32_t k = 0; k < link; k++)
    if (links[k].field == links[link].field) return true;
  return false;
}

static ecs_Status check_links(const ecs_ComponentDescription *description) {
  if (description->link_count > 0 && description->links == NULL)
    return ECS_E_ARGUMENT;
  for (uint32_t k = 0; k < description->link_count; k++) {
    const ecs_Link *link = &description->links[k];
    if ((uint32_t)link->rule >= ECS_LINK_RULE_COUNT) return ECS_E_ARGUMENT;
    if (link->field >= description->field_count ||
        description->fields[link->field].type != ECS_ENTITY ||
        is_linked_twice(description->links, k))
      return ECS_E_FIELD;
  }
  return ECS_OK;
}

static ecs_Status check_description(
    Memory *memory, const ecs_ComponentDescription *description) {
  if (!is_name(description->name)) return ECS_E_NAME;
  if (description->field_count > ECS_FIELD_LIMIT)
    return memory_refuse(memory, ECS_FIELD_LIMIT, "fields", "a component");
  if (description->field_count > 0 && description->fields == NULL)
    return ECS_E_ARGUMENT;
  for (uint32_t k = 0; k < description->field_count; k++) {
    ecs_Status status = check_field(&description->fields[k]);
    if (status != ECS_OK) return status;
    if (is_repeated(description->fields, k)) return ECS_E_FIELD;
  }
  return check_links(description);
}

/* The next multiple of an alignment, which is a power of two. */
static uint32_t aligned(uint32_t offset, uint32_t alignment) {
  return (offset + alignment - 1) & ~(alignment - 1);
}

/* Works out the offset of each field, a multiple of its own size, and returns
 * the bytes of the image, a multiple of the largest. */
static uint32_t lay_out(const ecs_Field *fields, uint32_t count,
                        uint32_t *offsets) {
  uint32_t end = 0;
  uint32_t widest = 1;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t bytes = scalar_bytes(fields[k].type);
    offsets[k] = aligned(end, bytes);
    end = offsets[k] + bytes;
    if (bytes > widest) widest = bytes;
  }
  return aligned(end, widest);
}

/* Bytes of all names with their ends. */
static size_t names_bytes(const ecs_ComponentDescription *description) {
  size_t bytes = strlen(description->name) + 1;
  for (uint32_t k = 0; k < description->field_count; k++)
    bytes += strlen(description->fields[k].name) + 1;
  return bytes;
}

/* Copies a name to *end, moves *end behind it and returns the copy. */
static const char *copy_name(char **end, const char *name) {
  size_t bytes = strlen(name) + 1;
  char *copy = memcpy(*end, name, bytes);
  *end += bytes;
  return copy;
}

static bool is_zero(const unsigned char *bytes, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (bytes[k] != 0) return false;
  return true;
}

/* The type that all fields have, see Schema. */
static uint8_t find_uniform(const Schema *schema) {
  for (uint32_t k = 1; k < schema->field_count; k++)
    if (schema->fields[k].type != schema->fields[0].type)
      return ECS_SCALAR_COUNT;
  return schema->field_count > 0 ? (uint8_t)schema->fields[0].type
                                 : ECS_SCALAR_COUNT;
}

/* Fills the block: the image lies behind the fields, the names behind the
 * image. */
static void fill(Schema *schema, const ecs_ComponentDescription *description,
                 const uint32_t *offsets) {
  unsigned char *image = (unsigned char *)&schema->fields[schema->field_count];
  char *end = (char *)image + schema->image_bytes;
  schema->name = copy_name(&end, description->name);
  memset(image, 0, schema->image_bytes);
  for (uint32_t k = 0; k < schema->field_count; k++) {
    const ecs_Field *field = &description->fields[k];
    unsigned char *place = image + offsets[k];
    ecs_scalar_convert(field->type, place, field->default_value);
    schema->fields[k] = (SchemaField){
        .name = copy_name(&end, field->name),
        .type = field->type,
        .offset = offsets[k],
        .shift = (uint16_t)__builtin_ctz(scalar_bytes(field->type)),
        .link = SCHEMA_NO_LINK,
        .default_value = ecs_scalar_load(field->type, place)};
    if (scalar_is_held(field->type)) schema->held |= UINT64_C(1) << k;
  }
  for (uint32_t k = 0; k < description->link_count; k++) {
    const ecs_Link *link = &description->links[k];
    schema->fields[link->field].link = (uint8_t)link->rule;
    schema->fields[link->field].tree = link->tree;
  }
  schema->uniform = find_uniform(schema);
  schema->default_image = schema->image_bytes > 0 ? image : NULL;
  schema->zero_defaults = is_zero(image, schema->image_bytes);
  ECS_ASSERT(end == (char *)schema + schema->block_bytes);
}

ecs_Status schema_create(Memory *memory,
                         const ecs_ComponentDescription *description,
                         Schema **schema) {
  ecs_Status status = check_description(memory, description);
  if (status != ECS_OK) return status;
  uint32_t offsets[ECS_FIELD_LIMIT];
  uint32_t count = description->field_count;
  uint32_t image_bytes = lay_out(description->fields, count, offsets);
  size_t block_bytes = sizeof(Schema) + count * sizeof(SchemaField) +
                       image_bytes + names_bytes(description);
  Schema *created = memory_resize(memory, NULL, 0, block_bytes);
  if (created == NULL) return ECS_E_MEMORY;
  *created = (Schema){.field_count = count,
                      .image_bytes = image_bytes,
                      .block_bytes = block_bytes};
  fill(created, description, offsets);
  *schema = created;
  return ECS_OK;
}

void schema_destroy(Memory *memory, Schema *schema) {
  if (schema != NULL) memory_free(memory, schema, schema->block_bytes);
}

/* Has the field the same name, type and default? Defaults are compared as they
 * are stored, so a NaN equals a NaN and 0.1 equals its f32, but 0 is not -0. */
static bool field_matches(const Schema *schema, uint32_t k,
                          const ecs_Field *described) {
  const SchemaField *field = &schema->fields[k];
  uint64_t place;
  if (described->name == NULL || strcmp(field->name, described->name) != 0)
    return false;
  if (described->type != field->type) return false;
  if (ecs_scalar_store(field->type, &place, described->default_value) != ECS_OK)
    return false;
  const unsigned char *image = schema->default_image;
  return memcmp(&place, image + field->offset, scalar_bytes(field->type)) == 0;
}

/* Has the description the links of the schema? */
static bool links_match(const Schema *schema,
                        const ecs_ComponentDescription *description) {
  uint32_t count = 0;
  if (description->link_count > 0 && description->links == NULL) return false;
  for (uint32_t k = 0; k < schema->field_count; k++)
    count += schema->fields[k].link != SCHEMA_NO_LINK;
  if (count != description->link_count) return false;
  for (uint32_t k = 0; k < count; k++) {
    const ecs_Link *link = &description->links[k];
    if (link->field >= schema->field_count) return false;
    const SchemaField *field = &schema->fields[link->field];
    if (field->link != (uint8_t)link->rule || field->tree != link->tree ||
        is_linked_twice(description->links, k))
      return false;
  }
  return true;
}

bool schema_matches(const Schema *schema,
                    const ecs_ComponentDescription *description) {
  if (description->name == NULL || strcmp(schema->name, description->name) != 0)
    return false;
  if (description->field_count != schema->field_count) return false;
  if (schema->field_count > 0 && description->fields == NULL) return false;
  for (uint32_t k = 0; k < schema->field_count; k++)
    if (!field_matches(schema, k, &description->fields[k])) return false;
  return links_match(schema, description);
}

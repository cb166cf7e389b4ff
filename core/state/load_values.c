/* load_values.c: columns and tags of a save. */
#include "state/load_values.h"

/* Stores a number as an element of a type. False: something would be lost. */
static bool put_number(ecs_Scalar type, void *element, double number) {
  return ecs_scalar_store(type, element, number) == ECS_OK &&
         (number != number || ecs_scalar_load(type, element) == number);
}

/* A column of a table, from the save or from the default. Returns where its
 * bytes end; NULL: a value is wrong, and problem says why. */
static char *load_column(Load *load, const SavedComponent *component,
                         const SchemaField *field, uint64_t first,
                         uint32_t rows, char *to) {
  const SavedField *was = load_find_field(load, component, field->name);
  size_t bytes = scalar_bytes(field->type);
  if (was != NULL && was->type == field->type) {
    memcpy(to, was->values + first * bytes, rows * bytes);
    if (ecs_scalar_canonicalize_many(field->type, to, rows) == 0)
      return to + rows * bytes;
    (void)load_refuse_of(load, "a value of %s.%s is none", component->name,
                         field->name);
    return NULL;
  }
  for (uint32_t row = 0; row < rows; row++, to += bytes) {
    double value = field->default_value;
    uint64_t element = 0;
    if (was != NULL)
      value = ecs_scalar_load(
          was->type, was->values + (first + row) * scalar_bytes(was->type));
    if (!put_number(field->type, &element, value)) {
      (void)load_refuse_of(load, "a value of %s.%s does not fit its type",
                           component->name, field->name);
      return NULL;
    }
    memcpy(to, &element, bytes);
  }
  return to;
}

char *load_columns(Load *load, const SavedTable *table, char *to) {
  const uint32_t *members = saved_members(load->saved, table->first_member);
  for (uint32_t i = 0; to != NULL && i < table->member_count; i++) {
    LoadComponent *made = &load->components[members[i]];
    const Schema *schema = load->store->components.all[made->id].schema;
    for (uint32_t k = 0; to != NULL && k < schema->field_count; k++)
      to = load_column(load, &saved_components(load->saved)[members[i]],
                       &schema->fields[k], made->row, table->rows, to);
    made->row += table->rows;
  }
  return to;
}

bool load_tags(Load *load, uint32_t rows, char *to) {
  uint32_t bits_index = 0;
  for (uint32_t i = 0; i < load->bits_count; i++) {
    const SavedComponent *component =
        &saved_components(load->saved)[load->bits[i]];
    LoadComponent *made = &load->components[load->bits[i]];
    for (uint32_t row = 0; row < rows; row++) {
      uint8_t bit = (uint8_t)component->tags[made->tag_row + row];
      if (bit > 1) return false;
      if (made->id != 0)
        to[(size_t)(bits_index / 8u) * rows + row] =
            (char)((uint8_t)to[(size_t)(bits_index / 8u) * rows + row] |
                   bit << bits_index % 8u);
    }
    made->tag_row += rows;
    bits_index += made->id != 0;
  }
  return true;
}

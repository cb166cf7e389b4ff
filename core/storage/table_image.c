/* table_image.c: copies a row's component from an image, or into one. */
#include "storage/table_image.h"

void table_store(Table *table, uint32_t row, uint32_t bit, const Schema *schema,
                 const void *image, uint64_t fields) {
  char **columns = table_fields(table, bit);
  const SchemaField *field = schema->fields;
  for (uint32_t i = 0; i < schema->field_count; i++, field++)
    if (ECS_LIKELY((fields >> i & 1u) != 0))
      element_store(columns[i] + ((size_t)row << field->shift),
                    (const char *)image + field->offset, field->type);
}

void image_store(void *to, const Schema *schema, const void *image,
                 uint64_t fields) {
  const SchemaField *field = schema->fields;
  for (uint32_t i = 0; i < schema->field_count; i++, field++)
    if ((fields >> i & 1u) != 0)
      element_store((char *)to + field->offset,
                    (const char *)image + field->offset, field->type);
}

void table_set(Table *table, uint32_t row, uint32_t bit, const Schema *schema,
               const void *image, uint64_t fields) {
  table_stamp(table, bit, row, 1);
  table_store(table, row, bit, schema, image, fields);
}

void table_store_named(Table *table, uint32_t row, uint32_t bit,
                       const Schema *schema, const void *image,
                       uint64_t fields) {
  if (ECS_LIKELY(schema->uniform == ECS_F32) &&
      schema_all_named(schema, fields))
    table_store_f32(table, row, bit, schema->field_count, image);
  else
    table_store(table, row, bit, schema, image, fields);
}

void table_store_defaults(Table *table, uint32_t row, uint32_t bit,
                          const Schema *schema) {
  if (schema->zero_defaults) return;
  table_store(table, row, bit, schema, schema->default_image, UINT64_MAX);
}

void table_load_mixed(const Table *table, uint32_t row, uint32_t bit,
                      const Schema *schema, void *image) {
  char **columns = table_fields(table, bit);
  const SchemaField *field = schema->fields;
  for (uint32_t i = 0; i < schema->field_count; i++, field++)
    element_copy((char *)image + field->offset,
                 columns[i] + ((size_t)row << field->shift), field->shift);
}

/* table_image.h: copies a row's component from an image, or into one.
 *
 * An image has the fields of a component one after the other, as its schema
 * says; a table has a column for each. What enters a column is made canonical.
 * Cost: the fields of the component.
 */
#ifndef ECS_TABLE_IMAGE_H
#define ECS_TABLE_IMAGE_H

#include "storage/table.h"

/* Stores the fields of an image that are set in the mask `fields`. */
ECS_INTERNAL void table_store(Table *table, uint32_t row, uint32_t bit,
                              const Schema *schema, const void *image,
                              uint64_t fields);

/* The same in a row that had the component before: with a stamp. */
ECS_INTERNAL void table_set(Table *table, uint32_t row, uint32_t bit,
                            const Schema *schema, const void *image,
                            uint64_t fields);

/* As table_store, for a mask that may well name all fields. */
ECS_INTERNAL void table_store_named(Table *table, uint32_t row, uint32_t bit,
                                    const Schema *schema, const void *image,
                                    uint64_t fields);

/* Stores the defaults in a fresh row of zeros; does nothing where they are all
 * zero. */
ECS_INTERNAL void table_store_defaults(Table *table, uint32_t row, uint32_t bit,
                                       const Schema *schema);

/* Loads a component of any types. */
ECS_INTERNAL void table_load_mixed(const Table *table, uint32_t row,
                                   uint32_t bit, const Schema *schema,
                                   void *image);

/* Stores the fields of an image that are set in the mask into another image. */
ECS_INTERNAL void image_store(void *to, const Schema *schema, const void *image,
                              uint64_t fields);

/* Two elements as they lie one after the other in memory. */
static inline uint64_t cells_join(const void *first, const void *second) {
  uint64_t a = *(const Cell4 *)first, b = *(const Cell4 *)second;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return a << 32 | b;
#else
  return b << 32 | a;
#endif
}

/* Loads one row of count columns of four bytes. Two of them, the most frequent
 * number, are stored at once: a later 8-byte load could not be forwarded from
 * two 4-byte stores and would stall until both reach the cache. */
static inline void cells_load(void *image, char *const *columns, size_t count,
                              size_t row) {
  size_t offset = row * 4;
  if (ECS_LIKELY(count == 2)) {
    uint64_t both = cells_join(columns[0] + offset, columns[1] + offset);
    memcpy(image, &both, 8);
    return;
  }
  for (size_t i = 0; i < count; i++)
    memcpy((char *)image + i * 4, columns[i] + offset, 4);
}

/* Stores all fields of a component with only f32 fields. */
static inline void table_store_f32(Table *table, uint32_t row, uint32_t bit,
                                   size_t field_count, const void *image) {
  char *const *columns = table_fields(table, bit);
  for (size_t i = 0; i < field_count; i++)
    element_store_f32(columns[i] + (size_t)row * 4,
                      (const char *)image + i * 4);
}

/* Stores all fields; inline for components with only f32 fields. */
static inline void table_store_all(Table *table, uint32_t row, uint32_t bit,
                                   const Schema *schema, const void *image) {
  if (ECS_UNLIKELY(schema->uniform != ECS_F32))
    table_store(table, row, bit, schema, image, UINT64_MAX);
  else
    table_store_f32(table, row, bit, schema->field_count, image);
}

/* Loads all fields; inline for components with only f32 fields. */
static inline void table_load(const Table *table, uint32_t row, uint32_t bit,
                              const Schema *schema, void *image) {
  if (ECS_UNLIKELY(schema->uniform != ECS_F32)) {
    table_load_mixed(table, row, bit, schema, image);
    return;
  }
  cells_load(image, table_fields(table, bit), schema->field_count, row);
}

#endif

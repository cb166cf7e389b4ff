/* batch_check.h: what the columns of a batch, and single components, must hold
 * when entities have their number in every column (columns_fixture.h).
 */
#ifndef BATCH_CHECK_H
#define BATCH_CHECK_H

#include "query/cursor.h"
#include "storage/table_image.h"
#include "columns_fixture.h"

/* Checks the four columns of one component, which begin at column first. */
static inline void assert_columns(const Fixture *fixture,
                                  const ecs_Batch *batch, uint32_t first) {
  for (uint32_t i = 0; batch->columns[first] != NULL && i < batch->count; i++) {
    Sizes expected = sizes_of(number_of(fixture, batch->entities[i]));
    assert_true(((double *)batch->columns[first])[i] == expected.f64);
    assert_int_equal(((uint32_t *)batch->columns[first + 1])[i], expected.u32);
    assert_int_equal(((uint16_t *)batch->columns[first + 2])[i], expected.u16);
    assert_int_equal(((uint8_t *)batch->columns[first + 3])[i], expected.u8);
  }
}

/* Writes each entity's number plus by into the four columns of a component. */
static inline void write_columns(const Fixture *fixture, const ecs_Batch *batch,
                                 uint32_t first, double by) {
  for (uint32_t i = 0; i < batch->count; i++) {
    Sizes wanted = sizes_of(number_of(fixture, batch->entities[i]) + by);
    ((double *)batch->columns[first])[i] = wanted.f64;
    ((uint32_t *)batch->columns[first + 1])[i] = wanted.u32;
    ((uint16_t *)batch->columns[first + 2])[i] = wanted.u16;
    ((uint8_t *)batch->columns[first + 3])[i] = wanted.u8;
  }
}

/* Reads a component from its table, also while a cursor forbids ecs_get. */
static inline Sizes peek(const Fixture *fixture, uint32_t index,
                         ecs_Component component) {
  const Store *store = &fixture->world->store;
  const Component *held = &store->components.all[component];
  RowRef row;
  Sizes image;
  memset(&image, 0, sizeof image);
  assert_int_equal(store_locate(store, fixture->e[index], component, &row),
                   ECS_OK);
  assert_non_null(row.table);
  table_load(row.table, row.row, held->bit, held->schema, &image);
  return image;
}

static inline void assert_component(const Fixture *fixture, uint32_t index,
                                    ecs_Component component, double number) {
  Sizes image = peek(fixture, index, component), expected = sizes_of(number);
  assert_true(image.f64 == expected.f64 && image.u32 == expected.u32);
  assert_int_equal(image.u16, expected.u16);
  assert_int_equal(image.u8, expected.u8);
}

/* Checks the columns of all batches of a query. Returns the number of batches;
 * *rows and *largest are the rows of all batches and of the largest one. */
static inline uint32_t check_batches(const Fixture *fixture, ecs_Query *query,
                                     ecs_Batching batching, uint32_t *rows,
                                     uint32_t *largest) {
  Cursor state;
  ecs_Batch batch;
  uint32_t batches = 0;
  *rows = *largest = 0;
  assert_int_equal(cursor_begin(query, batching, &state), ECS_OK);
  while (cursor_next(&state, &batch)) {
    assert_true(batch.count > 0);
    assert_int_equal(batch.column_count, query->column_count);
    for (uint32_t k = 0; k < batch.column_count; k += 4)
      assert_columns(fixture, &batch, k);
    *rows += batch.count;
    if (batch.count > *largest) *largest = batch.count;
    batches++;
  }
  assert_false(cursor_next(&state, &batch)); /* again: still no more */
  cursor_end(&state);
  assert_int_equal(query->open, 0);
  return batches;
}

#endif

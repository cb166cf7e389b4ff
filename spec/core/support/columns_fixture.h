/* columns_fixture.h: entities that have their number in every column.
 *
 * So a batch can be checked alone: every column of a row must have the number
 * of the row's entity.
 *
 *      entity e7 | A {7.0 7 7 7}  S {7.0 7 7 7}  one field per element size
 */
#ifndef COLUMNS_FIXTURE_H
#define COLUMNS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "world/world.h"
#include "query/claims.h"
#include "query/gather.h"
#include "storage/table_image.h"
#include "api_fixture.h"

#define MANY (ECS_BLOCK_ROWS * 2u + 3u)

/* A field of every element size. */
typedef struct Sizes {
  double f64;
  uint32_t u32;
  uint16_t u16;
  uint8_t u8;
} Sizes;

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, s, r, tag, t;
  ecs_Entity e[MANY + 40u];
  uint32_t count;
} Fixture;

static inline ecs_Component define(Fixture *fixture, const char *name,
                                   uint32_t fields, ecs_Storage storage) {
  static const ecs_Field sizes[] = {{"f64", ECS_F64, 0},
                                    {"u32", ECS_U32, 0},
                                    {"u16", ECS_U16, 0},
                                    {"u8", ECS_U8, 0}};
  return define_component(fixture->world, name, sizes, fields, storage);
}

static inline void start(Fixture *fixture) {
  fixture->world = open_world(&fixture->failing);
  fixture->count = 0;
  fixture->a = define(fixture, "A", 4, ECS_STORE_TABLE);
  fixture->s = define(fixture, "S", 4, ECS_STORE_SPARSE);
  fixture->r = define(fixture, "R", 4, ECS_STORE_SPARSE);
  fixture->tag = define(fixture, "Tag", 0, ECS_STORE_TABLE);
  fixture->t = define(fixture, "T", 0, ECS_STORE_BITS);
}

static inline void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

static inline Sizes sizes_of(double number) {
  return (Sizes){number, (uint32_t)number, (uint16_t)number,
                 (uint8_t)(uint32_t)number};
}

static inline void add(Fixture *fixture, uint32_t index,
                       ecs_Component component) {
  Sizes image = sizes_of(index);
  assert_int_equal(
      ecs_add(fixture->world, fixture->e[index], component, &image), ECS_OK);
}

/* count more entities with A. */
static inline void spawn(Fixture *fixture, uint32_t count) {
  for (; count > 0; count--) {
    assert_int_equal(
        ecs_spawn(fixture->world, NULL, 0, NULL, &fixture->e[fixture->count]),
        ECS_OK);
    add(fixture, fixture->count++, fixture->a);
  }
}

static inline uint32_t number_of(const Fixture *fixture, ecs_Entity entity) {
  for (uint32_t i = 0; i < fixture->count; i++)
    if (fixture->e[i] == entity) return i;
  fail();
  return 0;
}

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
  const Component *held = &store->components[component];
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

/* Goes through all batches and checks their columns. Returns how many there
 * are; *rows and *largest are the rows of all and of the largest batch. */
static inline uint32_t walk(const Fixture *fixture, ecs_Query *query,
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

/* accessor_fixture.h: entities with values that follow from their number.
 *
 * Entity i has sizes_of(i) in its component. A and S have a field of each
 * element size; S is a sparse set.
 */
#ifndef ACCESSOR_FIXTURE_H
#define ACCESSOR_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "world/world.h"
#include "api_fixture.h"

#define COUNT 40u

typedef struct Sizes {
  double f64;
  uint8_t u8;
  uint16_t u16;
  float f32;
} Sizes;

/* The same, as columns. */
typedef struct Columns {
  double f64[200];
  uint8_t u8[200];
  uint16_t u16[200];
  float f32[200];
} Columns;

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, s, b, tag;
  ecs_Entity e[COUNT];
} Fixture;

static inline ecs_Component define(Fixture *fixture, const char *name,
                                   uint32_t fields, ecs_Storage storage) {
  static const ecs_Field sizes[] = {{"f64", ECS_F64, 0.5},
                                    {"u8", ECS_U8, 3},
                                    {"u16", ECS_U16, 4},
                                    {"f32", ECS_F32, 5}};
  return define_component(fixture->world, name, sizes, fields, storage);
}

static inline void start(Fixture *fixture) {
  fixture->world = open_world(&fixture->failing);
  fixture->a = define(fixture, "A", 4, ECS_STORE_TABLE);
  fixture->s = define(fixture, "S", 4, ECS_STORE_SPARSE);
  fixture->b = define(fixture, "B", 1, ECS_STORE_TABLE);
  fixture->tag = define(fixture, "Tag", 0, ECS_STORE_TABLE);
}

static inline void finish(Fixture *fixture) {
  assert_true(world_check_invariants(fixture->world));
  close_world(fixture->world, &fixture->failing);
}

static inline Sizes sizes_of(uint32_t number) {
  Sizes sizes;
  memset(&sizes, 0, sizeof sizes);
  sizes.f64 = number + 0.25;
  sizes.u8 = (uint8_t)number;
  sizes.u16 = (uint16_t)(number * 7);
  sizes.f32 = (float)number / 2;
  return sizes;
}

static inline void assert_sizes(Sizes sizes, uint32_t number) {
  assert_true(sizes.f64 == number + 0.25);
  assert_int_equal(sizes.u8, (uint8_t)number);
  assert_int_equal(sizes.u16, (uint16_t)(number * 7));
  assert_true(sizes.f32 == (float)number / 2);
}

/* Spawns count entities; entity i has the component if bit i of which is
 * set. */
static inline void spawn(Fixture *fixture, uint32_t count,
                         ecs_Component component, uint64_t which) {
  for (uint32_t i = 0; i < count; i++) {
    Sizes image = sizes_of(i);
    const void *values[] = {&image};
    assert_int_equal(ecs_spawn(fixture->world, &component, which >> i & 1u,
                               values, &fixture->e[i]),
                     ECS_OK);
  }
}

static inline ecs_Accessor access_to(Fixture *fixture,
                                     ecs_Component component) {
  ecs_Accessor accessor;
  memset(&accessor, 0xff, sizeof accessor);
  assert_int_equal(ecs_accessor(fixture->world, component, &accessor), ECS_OK);
  return accessor;
}

static inline void assert_got(ecs_Accessor *accessor, ecs_Entity entity,
                              uint32_t number) {
  Sizes image = sizes_of(99);
  assert_int_equal(ecs_accessor_get(accessor, entity, &image), ECS_OK);
  assert_sizes(image, number);
}

static inline void fill(Columns *columns, uint32_t count, uint32_t from) {
  memset(columns, 0xee, sizeof *columns);
  for (uint32_t i = 0; i < count; i++) {
    Sizes sizes = sizes_of(from + i);
    columns->f64[i] = sizes.f64;
    columns->u8[i] = sizes.u8;
    columns->u16[i] = sizes.u16;
    columns->f32[i] = sizes.f32;
  }
}

static inline uint32_t set_many(ecs_Accessor *accessor,
                                const ecs_Entity *entities, uint32_t count,
                                const Columns *columns) {
  const void *const pointers[] = {columns->f64, columns->u8, columns->u16,
                                  columns->f32};
  uint32_t found = 999;
  assert_int_equal(
      ecs_accessor_set_many(accessor, entities, count, pointers, &found),
      ECS_OK);
  return found;
}

#endif

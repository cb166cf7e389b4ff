/* columns_fixture.h: entities with their number in every column.
 *
 * So a batch can be checked by itself (batch_check.h): every column of a row
 * must hold the number of the row's entity.
 *
 *      entity e7 | A {7.0 7 7 7}  S {7.0 7 7 7}  one field per element size
 */
#ifndef COLUMNS_FIXTURE_H
#define COLUMNS_FIXTURE_H

#include <string.h>

#include "world/world.h"
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

#endif

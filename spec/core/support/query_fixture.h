/* query_fixture.h: a world with components of every storage, for queries. */
#ifndef QUERY_FIXTURE_H
#define QUERY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "world/world.h"
#include "api_fixture.h"

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, b, tag, s, r, t;
} Fixture;

static inline void start(Fixture *fixture) {
  static const ecs_Field a[] = {{"x", ECS_F64, 0}, {"y", ECS_F32, 0}};
  static const ecs_Field b = {"b", ECS_U16, 0}, r = {"r", ECS_I16, 0};
  static const ecs_Field s[] = {
      {"p", ECS_U32, 0}, {"q", ECS_U32, 0}, {"z", ECS_U8, 0}};
  fixture->world = open_world(&fixture->failing);
  fixture->a = define_component(fixture->world, "A", a, 2, ECS_STORE_TABLE);
  fixture->b = define_component(fixture->world, "B", &b, 1, ECS_STORE_TABLE);
  fixture->tag =
      define_component(fixture->world, "Tag", NULL, 0, ECS_STORE_TABLE);
  fixture->s = define_component(fixture->world, "S", s, 3, ECS_STORE_SPARSE);
  fixture->r = define_component(fixture->world, "R", &r, 1, ECS_STORE_SPARSE);
  fixture->t = define_component(fixture->world, "T", NULL, 0, ECS_STORE_BITS);
}

static inline void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

static inline ecs_Entity spawn(const Fixture *fixture,
                               const ecs_Component *components,
                               uint32_t count) {
  ecs_Entity entity = 0;
  assert_int_equal(ecs_spawn(fixture->world, components, count, NULL, &entity),
                   ECS_OK);
  return entity;
}

static inline void spawn_many(const Fixture *fixture, ecs_Component component,
                              uint32_t count) {
  for (uint32_t i = 0; i < count; i++) (void)spawn(fixture, &component, 1);
}

static inline uint64_t count_of(ecs_Query *query) {
  uint64_t count = 12345;
  assert_int_equal(ecs_query_count(query, &count), ECS_OK);
  return count;
}

#endif

/* api_scene.h: a world with a component of each storage, for api*_test.c.
 *
 *      A {x, flag}  in tables     Tag  no fields     T  bits     S {s}  sparse
 *      e  alive, has nothing      dead  destroyed    past  no component yet
 *
 * assert_refused makes a call that must be refused, and compares the hash of
 * the world before and after.
 */
#ifndef API_SCENE_H
#define API_SCENE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "world/world.h"
#include "api_fixture.h"

typedef struct A {
  double x;
  uint8_t flag;
} A;

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, tag, t, s, past;
  ecs_Bundle bundle; /* {A, S} */
  ecs_Entity e, dead;
} Fixture;

static inline void start(Fixture *fixture) {
  static const ecs_Field a[] = {{"x", ECS_F64, 1.5}, {"flag", ECS_BOOL, 0}};
  static const ecs_Field s = {"s", ECS_U16, 7};
  fixture->world = open_world(&fixture->failing);
  ecs_World *world = fixture->world;
  fixture->a = define_component(world, "A", a, 2, ECS_STORE_TABLE);
  fixture->tag = define_component(world, "Tag", NULL, 0, ECS_STORE_TABLE);
  fixture->t = define_component(world, "T", NULL, 0, ECS_STORE_BITS);
  fixture->s = define_component(world, "S", &s, 1, ECS_STORE_SPARSE);
  fixture->past = fixture->s + 1;
  const ecs_Component both[] = {fixture->a, fixture->s};
  assert_int_equal(ecs_bundle(world, both, 2, &fixture->bundle), ECS_OK);
  assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &fixture->dead), ECS_OK);
  assert_int_equal(ecs_destroy(world, fixture->dead), ECS_OK);
  assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &fixture->e), ECS_OK);
}

static inline void finish(Fixture *fixture) {
  assert_true(world_check_invariants(fixture->world));
  close_world(fixture->world, &fixture->failing);
}

#define assert_refused(call, expected)                    \
  do {                                                    \
    uint64_t before = ecs_world_hash(fixture.world);      \
    assert_int_equal(call, expected);                     \
    assert_true(ecs_world_hash(fixture.world) == before); \
    assert_true(world_check_invariants(fixture.world));   \
  } while (0)

static inline ecs_Query *query_of(Fixture *fixture, ecs_Component component,
                                  ecs_Access access) {
  const ecs_Term term = {component, access};
  ecs_Query *query = NULL;
  assert_int_equal(ecs_query_create(fixture->world, &term, 1, &query), ECS_OK);
  return query;
}

static inline ecs_Cursor open_cursor(ecs_Query *query) {
  ecs_Cursor cursor;
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  return cursor;
}

static inline ecs_Statistics statistics_of(const Fixture *fixture) {
  ecs_Statistics statistics;
  memset(&statistics, 0xff, sizeof statistics);
  ecs_world_statistics(fixture->world, &statistics);
  return statistics;
}

#endif

/* api_fixture.h: a world made through ecs.h, in memory that is counted.
 *
 * A test keeps the world and its memory in a Fixture of its own:
 *
 *      typedef struct Fixture {
 *        FailingMemory failing;
 *        ecs_World *world;
 *        ...
 *      } Fixture;
 */
#ifndef API_FIXTURE_H
#define API_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ecs.h"
#include "failing_memory.h"

/* A new world; its memory is counted from here on. */
static inline ecs_World *open_world(FailingMemory *failing) {
  ecs_WorldDescription how = {failing_memory_init(failing), 0};
  ecs_World *world = NULL;
  assert_int_equal(ecs_world_create(&how, &world), ECS_OK);
  return world;
}

/* Nothing leaks. */
static inline void close_world(ecs_World *world, const FailingMemory *failing) {
  ecs_world_destroy(world);
  assert_int_equal(failing->blocks, 0);
  assert_int_equal(failing->bytes, 0);
}

static inline ecs_Component define_component(ecs_World *world, const char *name,
                                             const ecs_Field *fields,
                                             uint32_t count,
                                             ecs_Storage storage) {
  ecs_ComponentDescription how = {
      .name = name, .fields = fields, .field_count = count, .storage = storage};
  ecs_Component component = 0;
  assert_int_equal(ecs_component(world, &how, &component), ECS_OK);
  return component;
}

static inline ecs_Query *make_query(ecs_World *world, const ecs_Term *terms,
                                    uint32_t count) {
  ecs_Query *query = NULL;
  assert_int_equal(ecs_query_create(world, terms, count, &query), ECS_OK);
  return query;
}

#endif

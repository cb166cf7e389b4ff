/* limits_fixture.h: components by number, and calls that exceed a limit. */
#ifndef LIMITS_FIXTURE_H
#define LIMITS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "world/world.h"

static inline void must(ecs_Status status) {
  if (status != ECS_OK) fail_msg("%s", ecs_status_name(status));
}

static inline ecs_World *make_world(void) {
  ecs_World *world = NULL;
  must(ecs_world_create(NULL, &world));
  return world;
}

static inline ecs_Status define(ecs_World *world, uint32_t number,
                                uint32_t field_count, ecs_Scalar type,
                                ecs_Storage storage, ecs_Component *component) {
  char name[32], names[ECS_FIELD_LIMIT + 1][16];
  ecs_Field fields[ECS_FIELD_LIMIT + 1];
  snprintf(name, sizeof name, "Component%u", number);
  for (uint32_t i = 0; i < field_count; i++) {
    snprintf(names[i], sizeof names[i], "f%u", i);
    fields[i] = (ecs_Field){names[i], type, 0};
  }
  const ecs_ComponentDescription description = {.name = name,
                                                .fields = fields,
                                                .field_count = field_count,
                                                .storage = storage};
  return ecs_component(world, &description, component);
}

static inline ecs_Component tag(ecs_World *world, uint32_t number) {
  ecs_Component component = 0;
  must(define(world, number, 0, ECS_U8, ECS_STORE_TABLE, &component));
  return component;
}

static inline ecs_Entity spawn_empty(ecs_World *world) {
  ecs_Entity entity = 0;
  must(ecs_spawn(world, NULL, 0, NULL, &entity));
  return entity;
}

/* The world says which limit a call has reached, and forgets what it said. */
static inline void assert_named(ecs_World *world) {
  char text[128];
  (void)ecs_world_refusal(world, ECS_E_LIMIT, text, sizeof text);
  if (strncmp(text, "the limit of a", 14) != 0) fail_msg("%s", text);
  world->store.memory.refusal.status = ECS_OK;
}

/* The call returns ECS_E_LIMIT, the world is as before, and names the limit. */
#define ASSERT_LIMIT(world, call)                   \
  do {                                              \
    const uint64_t before_ = ecs_world_hash(world); \
    assert_int_equal((call), ECS_E_LIMIT);          \
    assert_true(ecs_world_hash(world) == before_);  \
    assert_named(world);                            \
  } while (0)

#endif

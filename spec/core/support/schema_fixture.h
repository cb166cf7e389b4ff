/* schema_fixture.h: schemas from descriptions, in memory that is counted. */
#ifndef SCHEMA_FIXTURE_H
#define SCHEMA_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "failing_memory.h"
#include "storage/schema.h"

/* A fixture: an account over a record that counts. */
typedef struct Fixture {
  FailingMemory failing;
  Memory memory;
} Fixture;

static inline void start(Fixture *fixture) {
  memory_init(&fixture->memory, failing_memory_init(&fixture->failing), 0);
}

static inline ecs_ComponentDescription describe(const char *name,
                                                const ecs_Field *fields,
                                                uint32_t count) {
  return (ecs_ComponentDescription){
      .name = name, .fields = fields, .field_count = count};
}

static inline Schema *create(Fixture *fixture,
                             ecs_ComponentDescription description) {
  Schema *schema = NULL;
  assert_int_equal(schema_create(&fixture->memory, &description, &schema),
                   ECS_OK);
  assert_non_null(schema);
  return schema;
}

#endif

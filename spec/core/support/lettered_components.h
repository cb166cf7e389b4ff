/* lettered_components.h: components described by a letter per field.
 *
 *      b u8    h u16    w u32    f f32    d f64    e entity
 *
 * Every value is made from a seed, is never zero, and differs from field to
 * field, so that an element in the wrong place, or in none, is detected.
 */
#ifndef LETTERED_COMPONENTS_H
#define LETTERED_COMPONENTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "storage/store.h"

/* The value of any component. */
typedef struct Image {
  uint64_t words[ECS_FIELD_LIMIT];
} Image;

static inline ecs_Scalar scalar_of(char letter) {
  switch (letter) {
    case 'b': return ECS_U8;
    case 'h': return ECS_U16;
    case 'w': return ECS_U32;
    case 'f': return ECS_F32;
    case 'd': return ECS_F64;
    default: return ECS_ENTITY;
  }
}

/* Field k is called "k". With defaults the first field defaults to 7; all other
 * fields default to 0. */
static inline ecs_Status try_define(Store *world, const char *name,
                                    const char *letters, ecs_Storage storage,
                                    bool defaults, ecs_Component *component) {
  ecs_Field fields[ECS_FIELD_LIMIT] = {{0}};
  char names[ECS_FIELD_LIMIT][4];
  uint32_t count = (uint32_t)strlen(letters);
  for (uint32_t i = 0; i < count; i++) {
    snprintf(names[i], sizeof names[i], "%u", i % 100u);
    fields[i] = (ecs_Field){names[i], scalar_of(letters[i]),
                            defaults && i == 0 ? 7.0 : 0.0};
  }
  ecs_ComponentDescription how = {
      .name = name, .fields = fields, .field_count = count, .storage = storage};
  return store_define(world, &how, component);
}

static inline ecs_Component define(Store *world, const char *name,
                                   const char *letters, ecs_Storage storage) {
  ecs_Component component = 0;
  assert_int_equal(try_define(world, name, letters, storage, false, &component),
                   ECS_OK);
  return component;
}

/* Defines count equal components, named after their ids; returns the first. */
static inline ecs_Component define_many(Store *world, uint32_t count,
                                        const char *letters,
                                        ecs_Storage storage) {
  ecs_Component first = world->components.count;
  for (uint32_t i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "c%u", world->components.count);
    assert_int_equal(define(world, name, letters, storage), first + i);
  }
  return first;
}

static inline double value_of(uint32_t seed, uint32_t field) {
  return (seed * 37u + field * 11u) % 251u + 1u;
}

static inline void make_image(const Schema *schema, uint32_t seed,
                              Image *image) {
  memset(image, 0, sizeof *image);
  for (uint32_t i = 0; i < schema->field_count; i++)
    ecs_scalar_convert(schema->fields[i].type,
                       (char *)image + schema->fields[i].offset,
                       value_of(seed, i));
}

#endif

/* world_fixture.h: a small world for tests of the storage core.
 *
 * Components are told by their fields, one letter each, by size:
 *
 *      b u8    h u16    w u32    f f32    d f64    e entity
 *
 * Every value is made from a seed, is never zero, and differs from field to
 * field, so that an element in the wrong place, or in none, is seen.
 */
#ifndef WORLD_FIXTURE_H
#define WORLD_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "failing_memory.h"
#include "change/entity_change_fast.h"
#include "change/regroup.h"
#include "change/spawn.h"
#include "storage/table_image.h"
#include "world_soundness.h"

typedef struct Fixture {
  FailingMemory failing;
  Store world;
} Fixture;

/* The value of any component. */
typedef struct Image {
  uint64_t words[ECS_FIELD_LIMIT];
} Image;

static inline void start(Fixture *fixture) {
  ecs_Memory record = failing_memory_init(&fixture->failing);
  assert_int_equal(store_init(&fixture->world, &entity_change_ways, record, 0),
                   ECS_OK);
}

/* Nothing leaks. */
static inline void finish(Fixture *fixture) {
  bundle_destroy_all(&fixture->world);
  store_deinit(&fixture->world);
  assert_int_equal(fixture->failing.bytes, 0);
  assert_int_equal(fixture->failing.blocks, 0);
  assert_int_equal(fixture->world.memory.bytes, 0);
}

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

/* Field k is called "k". First defaults to 7 and the others to 0, when
 * asked. */
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
  ecs_ComponentDescription how = {name, fields, count, storage};
  return store_define(world, &how, component);
}

static inline ecs_Component define(Store *world, const char *name,
                                   const char *letters, ecs_Storage storage) {
  ecs_Component component = 0;
  assert_int_equal(try_define(world, name, letters, storage, false, &component),
                   ECS_OK);
  return component;
}

/* count components of one kind, called after their id, after each other. */
static inline ecs_Component define_many(Store *world, uint32_t count,
                                        const char *letters,
                                        ecs_Storage storage) {
  ecs_Component first = world->component_count;
  for (uint32_t i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "c%u", world->component_count);
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

/* The row's value was made from this seed; 0: it is all zeros. */
static inline void assert_value(const Table *table, uint32_t row, uint32_t bit,
                                const Schema *schema, uint32_t seed) {
  for (uint32_t i = 0; i < schema->field_count; i++) {
    const ColumnCode code = table_codes(table, bit)[i];
    double value = ecs_scalar_load(schema->fields[i].type,
                                   table_element(table, code, row));
    assert_true(value == (seed == 0 ? 0 : value_of(seed, i)));
  }
}

static inline void assert_component(const Store *world, ecs_Entity entity,
                                    ecs_Component component, uint32_t seed) {
  const Component *what = &world->components[component];
  RowRef place;
  assert_int_equal(store_locate(world, entity, component, &place), ECS_OK);
  assert_non_null(place.table);
  if (what->schema->field_count > 0)
    assert_value(place.table, place.row, what->bit, what->schema, seed);
}

static inline bool has(const Store *world, ecs_Entity entity,
                       ecs_Component component) {
  RowRef place;
  assert_int_equal(store_locate(world, entity, component, &place), ECS_OK);
  return place.table != NULL;
}

static inline ecs_Status add(Store *world, ecs_Entity entity,
                             ecs_Component component, uint32_t seed) {
  Image image;
  make_image(world->components[component].schema, seed, &image);
  return store_add(world, entity, component, seed == 0 ? NULL : &image);
}

/* An entity with those components, from defaults. */
static inline ecs_Entity spawn(Store *world, const ecs_Component *components,
                               uint32_t count) {
  ecs_Entity entity = 0;
  Bundle *bundle = bundle_for_once(world, components, count);
  assert_non_null(bundle);
  assert_int_equal(spawn_one(world, bundle, NULL, &entity), ECS_OK);
  return entity;
}

#endif

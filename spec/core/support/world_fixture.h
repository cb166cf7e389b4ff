/* world_fixture.h: a store in memory that can be made to fail, and changes and
 * checks of one entity. Components are those of lettered_components.h.
 */
#ifndef WORLD_FIXTURE_H
#define WORLD_FIXTURE_H

#include "change/entity_change_fast.h"
#include "change/regroup.h"
#include "change/spawn.h"
#include "storage/table_image.h"
#include "failing_memory.h"
#include "lettered_components.h"
#include "world_soundness.h"

typedef struct Fixture {
  FailingMemory failing;
  Store world;
  ChangeState changes;
} Fixture;

static inline void start(Fixture *fixture) {
  ecs_Memory record = failing_memory_init(&fixture->failing);
  assert_int_equal(store_init(&fixture->world, entity_change_ways, record, 0),
                   ECS_OK);
  change_state_init(&fixture->changes, &fixture->world);
}

/* Nothing leaks. */
static inline void finish(Fixture *fixture) {
  bundle_destroy_all(&fixture->world);
  store_deinit(&fixture->world);
  assert_int_equal(fixture->failing.bytes, 0);
  assert_int_equal(fixture->failing.blocks, 0);
  assert_int_equal(fixture->world.memory.bytes, 0);
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
  const Component *what = &world->components.all[component];
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
  make_image(world->components.all[component].schema, seed, &image);
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

/* flush_fixture.h: a world with components of five storages, and changes of one
 * entity by number.
 *
 * A and Tag are in tables of the main group, T is stored as bits there, S is a
 * sparse set, and a group {B, U} stores U as bits.
 */
#ifndef FLUSH_FIXTURE_H
#define FLUSH_FIXTURE_H

#include <string.h>

#include "storage/store_check.h"
#include "world/world.h"
#include "api_fixture.h"

typedef struct A {
  double x;
  float y;
} A;

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, tag, t, s, b, u;
} Fixture;

static inline void start(Fixture *fixture) {
  static const ecs_Field a[] = {{"x", ECS_F64, 0.5}, {"y", ECS_F32, 0}};
  static const ecs_Field s = {"s", ECS_U16, 7}, b = {"b", ECS_BOOL, 1};
  fixture->world = open_world(&fixture->failing);
  ecs_World *world = fixture->world;
  fixture->a = define_component(world, "A", a, 2, ECS_STORE_TABLE);
  fixture->tag = define_component(world, "Tag", NULL, 0, ECS_STORE_TABLE);
  fixture->t = define_component(world, "T", NULL, 0, ECS_STORE_BITS);
  fixture->s = define_component(world, "S", &s, 1, ECS_STORE_SPARSE);
  fixture->b = define_component(world, "B", &b, 1, ECS_STORE_TABLE);
  fixture->u = define_component(world, "U", NULL, 0, ECS_STORE_BITS);
  const ecs_Component group[] = {fixture->b, fixture->u};
  assert_int_equal(ecs_group(world, group, 2), ECS_OK);
}

static inline void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

static inline void begin(const Fixture *fixture) {
  assert_int_equal(ecs_defer_begin(fixture->world), ECS_OK);
}

static inline void end(const Fixture *fixture) {
  assert_int_equal(ecs_defer_end(fixture->world), ECS_OK);
}

static inline ecs_Entity spawn(const Fixture *fixture) {
  ecs_Entity entity = 0;
  assert_int_equal(ecs_spawn(fixture->world, NULL, 0, NULL, &entity), ECS_OK);
  return entity;
}

static inline uint32_t tables_of(const Fixture *fixture) {
  ecs_Statistics statistics;
  ecs_world_statistics(fixture->world, &statistics);
  return (uint32_t)statistics.tables;
}

/* Nothing of an apply may stay: no pending rows, no records. */
static inline void assert_settled(const Fixture *fixture) {
  const Store *world = &fixture->world->store;
  for (uint32_t i = 0; i < world->groups.count; i++)
    for (uint32_t k = 0; k < world->groups.all[i]->table_count; k++)
      assert_int_equal(world->groups.all[i]->tables[k]->pending, 0);
  assert_true(store_check_invariants(world));
  assert_int_equal(fixture->world->commands.entity_count, 0);
  assert_int_equal(fixture->world->commands.command_count, 0);
  assert_int_equal(fixture->world->commands.page_count, 0);
  assert_null(fixture->world->commands.open);
  assert_true(command_buffer_check_invariants(&fixture->world->commands));
  assert_null(fixture->world->commands.staged);
}

/* Changes by number ------------------------------------------------------- */

/* One call, the same in both worlds. */
static inline ecs_Status operate(const Fixture *fixture, ecs_Entity entity,
                                 uint32_t operation) {
  ecs_World *world = fixture->world;
  static const A image = {3, 4}, other = {5, 6};
  static const uint16_t s = 77;
  static const uint8_t b = 0;
  switch (operation) {
    case 0: return ecs_add(world, entity, fixture->a, &image);
    case 1: return ecs_add(world, entity, fixture->a, NULL);
    case 2: return ecs_set(world, entity, fixture->a, &other, 1);
    case 3: return ecs_set(world, entity, fixture->a, &other, 2);
    case 4: return ecs_remove(world, entity, fixture->a);
    case 5: return ecs_add(world, entity, fixture->t, NULL);
    case 6: return ecs_remove(world, entity, fixture->t);
    case 7: return ecs_add(world, entity, fixture->s, NULL);
    case 8: return ecs_set(world, entity, fixture->s, &s, ~UINT64_C(0));
    case 9: return ecs_remove(world, entity, fixture->s);
    case 10: return ecs_add(world, entity, fixture->b, &b);
    case 11: return ecs_remove(world, entity, fixture->b);
    case 12: return ecs_add(world, entity, fixture->u, NULL);
    case 13: return ecs_remove(world, entity, fixture->u);
    case 14: return ecs_add(world, entity, fixture->tag, NULL);
    default: return ecs_destroy(world, entity);
  }
}

/* What the entities have before; bit i of a kind: operation 2i or 2i + 1 of
 * these was made. */
static inline void prepare(const Fixture *fixture, ecs_Entity entity,
                           uint32_t kind) {
  static const uint32_t before[] = {0, 5, 8, 10, 12, 14};
  for (uint32_t i = 0; i < 6; i++)
    if ((kind >> i & 1u) != 0)
      assert_int_equal(operate(fixture, entity, before[i]), ECS_OK);
}

/* Staged rows ------------------------------------------------------------- */

/* Six staged entities with T, A, Tag, S and B, values from a cursor. */
static inline void stage_six(const Fixture *fixture, ecs_Entity *e) {
  const ecs_Component what[] = {fixture->t, fixture->a, fixture->tag,
                                fixture->s, fixture->b};
  ecs_Bundle bundle = 0;
  ecs_Cursor cursor;
  ecs_Batch batch;
  assert_int_equal(ecs_bundle(fixture->world, what, 5, &bundle), ECS_OK);
  assert_int_equal(ecs_spawn_many(fixture->world, bundle, 6, &cursor), ECS_OK);
  assert_true(ecs_cursor_next(&cursor, &batch));
  assert_int_equal(batch.count, 6);
  assert_int_equal(batch.column_count, 4);
  memcpy(e, batch.entities, 6 * sizeof *e);
  for (uint32_t i = 0; i < 6; i++) {
    assert_true(((const double *)batch.columns[0])[i] == 0.5);
    assert_int_equal(((const uint16_t *)batch.columns[2])[i], 7);
    assert_int_equal(((const uint8_t *)batch.columns[3])[i], 1);
    ((double *)batch.columns[0])[i] = i;
    ((float *)batch.columns[1])[i] = (float)i * 2;
    ((uint16_t *)batch.columns[2])[i] = (uint16_t)(i * 3);
    ((uint8_t *)batch.columns[3])[i] = (uint8_t)(i % 2);
  }
  assert_false(ecs_cursor_next(&cursor, &batch));
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
}

#endif

/* bulk_fixture.h: a crowd of entities with components of every storage.
 *
 *      main group   A {f32 f32}  B {i16}  Tag  W {f64 i16 u8}   Bit (bits)
 *      group        G {f32}  H {u8}  L (bits)
 *      sparse       S {f64}  Mark
 */
#ifndef BULK_FIXTURE_H
#define BULK_FIXTURE_H

#include <string.h>

#include "world/world.h"
#include "api_fixture.h"

enum { A = 1, B, TAG, W, BIT, G, H, L, S, MARK, COMPONENTS = MARK };

#ifdef ECS_TINY
#define CROWD 30u /* of some 47 at most */
#else
#define CROWD 300u
#endif

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Entity crowd[CROWD];
} Fixture;

static inline void must(ecs_Status status) { assert_int_equal(status, ECS_OK); }

static inline void define(const Fixture *fixture, ecs_Component expected,
                          const ecs_Field *fields, uint32_t count,
                          ecs_Storage storage) {
  char name[] = {'c', (char)('a' + expected), 0};
  ecs_ComponentDescription how = {
      .name = name, .fields = fields, .field_count = count, .storage = storage};
  ecs_Component component = 0;
  must(ecs_component(fixture->world, &how, &component));
  assert_int_equal(component, expected);
}

static inline void define_all(const Fixture *fixture) {
  static const ecs_Field a[] = {{"x", ECS_F32, 0}, {"y", ECS_F32, 1.5}};
  static const ecs_Field b = {"b", ECS_I16, -3}, g = {"g", ECS_F32, 0};
  static const ecs_Field w[] = {
      {"d", ECS_F64, 2}, {"i", ECS_I16, 0}, {"u", ECS_U8, 9}};
  static const ecs_Field h = {"h", ECS_U8, 0}, s = {"s", ECS_F64, 7};
  static const ecs_Component together[] = {G, H, L};
  define(fixture, A, a, 2, ECS_STORE_TABLE);
  define(fixture, B, &b, 1, ECS_STORE_TABLE);
  define(fixture, TAG, NULL, 0, ECS_STORE_TABLE);
  define(fixture, W, w, 3, ECS_STORE_TABLE);
  define(fixture, BIT, NULL, 0, ECS_STORE_BITS);
  define(fixture, G, &g, 1, ECS_STORE_TABLE);
  define(fixture, H, &h, 1, ECS_STORE_TABLE);
  define(fixture, L, NULL, 0, ECS_STORE_BITS);
  define(fixture, S, &s, 1, ECS_STORE_SPARSE);
  define(fixture, MARK, NULL, 0, ECS_STORE_SPARSE);
  must(ecs_group(fixture->world, together, 3));
}

/* An image of any component, of whatever bits follow from the seed. */
typedef struct Image {
  uint64_t words[3];
} Image;

static inline Image image_of(uint64_t seed) {
  Image image;
  for (uint32_t i = 0; i < 3; i++)
    image.words[i] = (seed + i) * UINT64_C(0x9e3779b97f4a7c15);
  return image;
}

/* A hash of the number decides which components an entity has. Some entities
 * are destroyed again, so that rows and free indices are out of order. */
static inline void populate(Fixture *fixture) {
  for (uint32_t i = 0; i < CROWD; i++) {
    uint64_t mixed = (i + 1) * UINT64_C(0x2545f4914f6cdd1d) >> 20;
    must(ecs_spawn(fixture->world, NULL, 0, NULL, &fixture->crowd[i]));
    for (ecs_Component c = 1; c <= COMPONENTS; c++) {
      Image image = image_of(mixed + c);
      if ((mixed >> (2 * c) & 3) != 0) continue;
      must(ecs_add(fixture->world, fixture->crowd[i], c, &image));
    }
  }
  for (uint32_t i = 0; i < CROWD; i += 7)
    must(ecs_destroy(fixture->world, fixture->crowd[i * 5 % CROWD]));
}

static inline void start(Fixture *fixture) {
  ecs_WorldDescription how = {failing_memory_init(&fixture->failing), 0};
  must(ecs_world_create(&how, &fixture->world));
  define_all(fixture);
}

static inline void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

static inline ecs_Query *query_of(const Fixture *fixture, const ecs_Term *terms,
                                  uint32_t count) {
  ecs_Query *query = NULL;
  must(ecs_query_create(fixture->world, terms, count, &query));
  return query;
}

static inline uint64_t count_of(ecs_Query *query) {
  uint64_t count = 0;
  must(ecs_query_count(query, &count));
  return count;
}

static inline void spawn_some(const Fixture *fixture, ecs_Component what,
                              uint32_t count) {
  ecs_Bundle bundle = 0;
  must(ecs_bundle(fixture->world, &what, 1, &bundle));
  must(ecs_spawn_many(fixture->world, bundle, count, NULL));
}

static inline const Table *table_of(const Fixture *fixture, uint32_t at) {
  return fixture->world->store.groups.main->tables[at];
}

#endif

/* program_fixture.h: a world with a few components, a query and a program, for
 * tests of what programs do to worlds.
 *
 * The world counts its memory: finish() fails a test that leaks.
 */
#ifndef PROGRAM_FIXTURE_H
#define PROGRAM_FIXTURE_H

#include "failing_memory.h"
#include "program/vm.h"
#include "world_soundness.h"

#ifdef ECS_TINY
#define MOST 40u /* entities */
#else
#define MOST 3000u
#endif

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component p, v, s, t, u;
  ecs_Query *query;
  ecs_Program *program;
  ecs_Entity entities[MOST];
} Fixture;

static Fixture fixture;

static inline void must(ecs_Status status) {
  if (status != ECS_OK) fail_msg("%s", ecs_status_name(status));
}

static inline ecs_Component define(const char *name, uint32_t fields,
                                   ecs_Storage storage) {
  static const ecs_Field xy[] = {
      {"x", ECS_F32, 0}, {"y", ECS_F32, 0}, {"who", ECS_ENTITY, 0}};
  const ecs_ComponentDescription how = {
      .name = name, .fields = xy, .field_count = fields, .storage = storage};
  ecs_Component component = 0;
  must(ecs_component(fixture.world, &how, &component));
  return component;
}

/* P is stored in tables, V and S as given; T and U are tags. */
static inline void start(ecs_Storage v, ecs_Storage s) {
  memset(&fixture, 0, sizeof fixture);
  const ecs_WorldDescription how = {failing_memory_init(&fixture.failing), 0};
  must(ecs_world_create(&how, &fixture.world));
  fixture.p = define("P", 3, ECS_STORE_TABLE);
  fixture.v = define("V", 2, v);
  fixture.s = define("S", 2, s);
  fixture.t = define("T", 0, ECS_STORE_TABLE);
  fixture.u = define("U", 0, ECS_STORE_BITS);
}

static inline void finish(void) {
  assert_sound(&fixture.world->store);
  ecs_world_destroy(fixture.world);
  assert_int_equal(fixture.failing.blocks, 0);
  assert_int_equal(fixture.failing.bytes, 0);
}

static inline void ask(const ecs_Term *terms, uint32_t count) {
  must(ecs_query_create(fixture.world, terms, count, &fixture.query));
}

static inline void make(const char *text) {
  char message[200] = "";
  ecs_Status status =
      ecs_program_create(fixture.query, text, strlen(text), &fixture.program,
                         message, sizeof message);
  if (status != ECS_OK) fail_msg("%s", message);
}

static inline ecs_Status run(const double *uniforms, double *reductions) {
  const ecs_Program *program = fixture.program;
  const ecs_ProgramCall call = {.uniforms = uniforms,
                                .reductions = reductions,
                                .uniform_count = program->uniform_count,
                                .reduction_count = program->reduction_count,
                                .random_key = 99};
  return ecs_program_run(fixture.program, &call);
}

static inline double get(ecs_Entity entity, ecs_Component component,
                         uint32_t field) {
  double value = -1;
  must(ecs_get_field(fixture.world, entity, component, field, &value));
  return value;
}

static inline void set(ecs_Entity entity, ecs_Component component,
                       uint32_t field, double value) {
  must(ecs_set_field(fixture.world, entity, component, field, value));
}

/* Spawns count entities with P, of which x is their number. Every mod-th has
 * other, too. */
static inline void spawn(uint32_t count, ecs_Component other, uint32_t mod) {
  for (uint32_t k = 0; k < count; k++) {
    must(ecs_spawn(fixture.world, &fixture.p, 1, NULL, &fixture.entities[k]));
    set(fixture.entities[k], fixture.p, 0, k);
    if (other == 0 || k % mod != 0) continue;
    must(ecs_add(fixture.world, fixture.entities[k], other, NULL));
    set(fixture.entities[k], other, 0, 2.0 * k + 1);
  }
}

#endif

/* failure_fixture.c: the prepared world of failure_test.c. */
#include "failure_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "world/world.h"

void must(ecs_Status status) {
  if (status != ECS_OK) fail_msg("%s", ecs_status_name(status));
}

static ecs_Component define(Fixture *fixture, const char *name,
                            const ecs_Field *fields, uint32_t count,
                            ecs_Storage storage) {
  const ecs_ComponentDescription description = {
      .name = name, .fields = fields, .field_count = count, .storage = storage};
  ecs_Component component = 0;
  must(ecs_component(fixture->world, &description, &component));
  return component;
}

static void define_all(Fixture *fixture) {
  const ecs_Field position[] = {{"x", ECS_F32, 1.5}, {"y", ECS_F32, 0}};
  const ecs_Field health[] = {{"hp", ECS_I32, 100}};
  const ecs_Field wide[] = {
      {"a", ECS_F64, 0}, {"b", ECS_I16, -3}, {"c", ECS_U8, 0}};
  const ecs_Field sparse[] = {{"v", ECS_F64, 0}};
  fixture->position = define(fixture, "Position", position, 2, ECS_STORE_TABLE);
  fixture->health = define(fixture, "Health", health, 1, ECS_STORE_TABLE);
  fixture->wide = define(fixture, "Wide", wide, 3, ECS_STORE_TABLE);
  fixture->sparse = define(fixture, "Sparse", sparse, 1, ECS_STORE_SPARSE);
  fixture->tag = define(fixture, "Tag", NULL, 0, ECS_STORE_TABLE);
  fixture->sparse_tag = define(fixture, "SparseTag", NULL, 0, ECS_STORE_SPARSE);
  fixture->bits = define(fixture, "Bits", NULL, 0, ECS_STORE_BITS);
}

static void run_kernel(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    float *x = call->blocks[b].columns[0];
    for (uint32_t i = 0; i < call->blocks[b].count; i++) x[i] += 1;
  }
}

static const ecs_KernelColumn kernel_columns[] = {
    {"Position", "x", ECS_F32, ECS_WRITE}};
const ecs_Kernel failure_kernel = {"step", run_kernel, kernel_columns, 1, 0,
                                   NULL,   NULL};

static void make_queries(Fixture *fixture) {
  const ecs_Term full[] = {{fixture->position, ECS_WRITE}};
  const ecs_Term partial[] = {{fixture->position, ECS_WRITE},
                              {fixture->sparse, ECS_READ}};
  const ecs_Term tags[] = {{fixture->bits, ECS_WITHOUT}};
  must(ecs_query_create(fixture->world, full, 1, &fixture->full));
  must(ecs_query_create(fixture->world, partial, 2, &fixture->partial));
  must(ecs_query_create(fixture->world, tags, 1, &fixture->tags));
  must(ecs_kernel_bind(fixture->full, &failure_kernel, &fixture->full_binding,
                       NULL));
  must(ecs_kernel_bind(fixture->partial, &failure_kernel,
                       &fixture->partial_binding, NULL));
  must(ecs_accessor(fixture->world, fixture->position, &fixture->accessor));
}

static void populate(Fixture *fixture, uint32_t crowd) {
  ecs_World *world = fixture->world;
  must(ecs_spawn(world, &fixture->position, 1, NULL, &fixture->hero));
  must(ecs_spawn(world, NULL, 0, NULL, &fixture->plain));
  for (uint32_t i = 0; i < crowd; i++) {
    ecs_Entity *entity = &fixture->crowd[i];
    must(ecs_spawn_bundle(world, fixture->known, NULL, entity));
    must(ecs_set_field(world, *entity, fixture->health, 0, i));
    if (i % 2 == 0) must(ecs_add(world, *entity, fixture->sparse, NULL));
    if (i % 3 == 0) must(ecs_add(world, *entity, fixture->bits, NULL));
  }
  fixture->crowd_count = crowd;
}

void fixture_make(Fixture *fixture, uint32_t crowd) {
  memset(fixture, 0, sizeof *fixture);
  const ecs_WorldDescription description = {
      .memory = failing_memory_init(&fixture->memory)};
  must(ecs_world_create(&description, &fixture->world));
  define_all(fixture);
  const ecs_Component known[] = {fixture->position, fixture->health};
  const ecs_Component unknown[] = {fixture->wide, fixture->sparse,
                                   fixture->sparse_tag, fixture->bits};
  must(ecs_bundle(fixture->world, known, 2, &fixture->known));
  must(ecs_bundle(fixture->world, unknown, 4, &fixture->unknown));
  populate(fixture, crowd);
  make_queries(fixture);
}

void fixture_end(Fixture *fixture) {
  assert_true(world_check_invariants(fixture->world));
  ecs_world_destroy(fixture->world);
  assert_int_equal(fixture->memory.blocks, 0);
  assert_int_equal(fixture->memory.bytes, 0);
}

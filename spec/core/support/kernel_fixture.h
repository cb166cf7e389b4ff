/* kernel_fixture.h: kernels that report what they were called with.
 *
 * The kernels add one to x, or only look at their blocks. The parameter struct
 * (call.user) is a Report, which the kernels fill in.
 */
#ifndef KERNEL_FIXTURE_H
#define KERNEL_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "world/world.h"
#include "api_fixture.h"
#include "kernel/kernel_binding.h"

typedef struct Report {
  uint32_t calls, blocks, rows, absent;
  double dt;
  uint64_t tick;
  const void *first_column;
  uint64_t entities; /* their sum */
} Report;

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component p, s, v, tag;
  Report report;
  ecs_KernelCall call;
} Fixture;

static inline void look(const ecs_KernelCall *call) {
  Report *report = call->user;
  report->calls++;
  report->blocks += call->block_count;
  report->dt = call->dt;
  report->tick = call->tick;
  for (uint32_t i = 0; i < call->block_count; i++) {
    const ecs_KernelBlock *block = &call->blocks[i];
    report->rows += block->count;
    for (uint32_t k = 0; k < block->count; k++)
      report->entities += block->entities[k];
    if (i == 0) report->first_column = block->columns[0];
    if (block->columns[1] == NULL) report->absent += block->count;
  }
}

/* Column 0: x, column 1: s or v, when there. */
static inline void step(const ecs_KernelCall *call) {
  look(call);
  for (uint32_t i = 0; i < call->block_count; i++)
    for (uint32_t k = 0; k < call->blocks[i].count; k++) {
      double *x = call->blocks[i].columns[0];
      const uint32_t *s = call->blocks[i].columns[1];
      x[k] += 1 + (s != NULL ? s[k] : 0);
    }
}

static const ecs_KernelColumn x_and_v[] = {{"P", "x", ECS_F64, ECS_WRITE},
                                           {"V", "v", ECS_U32, ECS_OPTIONAL}};

static inline void start(Fixture *fixture) {
  static const ecs_Field p[] = {{"y", ECS_F32, 0}, {"x", ECS_F64, 0}};
  static const ecs_Field s = {"s", ECS_U32, 10}, v = {"v", ECS_U32, 20};
  fixture->world = open_world(&fixture->failing);
  fixture->p = define_component(fixture->world, "P", p, 2, ECS_STORE_TABLE);
  fixture->s = define_component(fixture->world, "S", &s, 1, ECS_STORE_SPARSE);
  fixture->v = define_component(fixture->world, "V", &v, 1, ECS_STORE_TABLE);
  fixture->tag =
      define_component(fixture->world, "Tag", NULL, 0, ECS_STORE_TABLE);
  fixture->report = (Report){0};
  fixture->call =
      (ecs_KernelCall){.dt = 0.25, .tick = 77, .user = &fixture->report};
}

static inline void finish(Fixture *fixture) {
  assert_true(world_check_invariants(fixture->world));
  close_world(fixture->world, &fixture->failing);
}

static inline ecs_Entity spawn(const Fixture *fixture, ecs_Component first,
                               ecs_Component second) {
  const ecs_Component what[] = {first, second};
  ecs_Entity entity = 0;
  assert_int_equal(
      ecs_spawn(fixture->world, what, second == 0 ? 1 : 2, NULL, &entity),
      ECS_OK);
  return entity;
}

static inline ecs_KernelBinding *bind(ecs_Query *query,
                                      const ecs_Kernel *kernel) {
  ecs_KernelBinding *binding = NULL;
  assert_int_equal(ecs_kernel_bind(query, kernel, &binding, NULL), ECS_OK);
  return binding;
}

static inline Report run(Fixture *fixture, ecs_KernelBinding *binding) {
  fixture->report = (Report){0};
  assert_int_equal(ecs_kernel_run(binding, &fixture->call), ECS_OK);
  return fixture->report;
}

#endif

/* command_buffer_fixture.h: a world, and records made directly in its buffer.
 *
 * The buffer belongs to the world of the fixture, and the memory of the world
 * can be made to fail. Nothing is applied.
 */
#ifndef COMMAND_BUFFER_FIXTURE_H
#define COMMAND_BUFFER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "world/world.h"
#include "api_fixture.h"

/* A command without an image takes this much of a page. */
#define PLAIN ((sizeof(Command) + 15u) / 16u * 16u)
#define BIG_FIELDS 64u

typedef struct A {
  double x, y;
} A;

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  CommandBuffer *buffer;
  ecs_Component a, b, tag, big, sparse;
} Fixture;

static inline ecs_Component define(Fixture *fixture, const char *name,
                                   ecs_Scalar type, uint32_t count,
                                   double first, ecs_Storage storage) {
  char names[BIG_FIELDS][16];
  ecs_Field fields[BIG_FIELDS];
  for (uint32_t i = 0; i < count; i++) {
    snprintf(names[i], sizeof names[i], "f%u", (unsigned)i);
    fields[i] = (ecs_Field){names[i], type, first == 0 ? 0 : first + i};
  }
  return define_component(fixture->world, name, fields, count, storage);
}

static inline void start(Fixture *fixture) {
  fixture->world = open_world(&fixture->failing);
  fixture->buffer = &fixture->world->commands;
  fixture->a = define(fixture, "A", ECS_F64, 2, 5, ECS_STORE_TABLE);
  fixture->b = define(fixture, "B", ECS_U16, 1, 0, ECS_STORE_TABLE);
  fixture->tag = define(fixture, "Tag", ECS_U8, 0, 0, ECS_STORE_TABLE);
  fixture->big = define(fixture, "Big", ECS_F64, 64, 1, ECS_STORE_TABLE);
  fixture->sparse = define(fixture, "S", ECS_F32, 1, 3, ECS_STORE_SPARSE);
}

static inline void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

static inline ecs_Entity placed(Fixture *fixture) {
  ecs_Entity entity = 0;
  assert_int_equal(ecs_spawn(fixture->world, NULL, 0, NULL, &entity), ECS_OK);
  return entity;
}

static inline Command *record(Fixture *fixture, CommandKind kind,
                              ecs_Entity entity, ecs_Component component,
                              const void *image, uint64_t fields) {
  assert_int_equal(
      command_record(fixture->buffer, kind, entity, component, image, fields),
      ECS_OK);
  return fixture->buffer->last;
}

static inline Command *record_tag(Fixture *fixture, ecs_Entity entity) {
  return record(fixture, COMMAND_ADD, entity, fixture->tag, NULL, 0);
}

static inline const Bundle *bundle_of(Fixture *fixture,
                                      const ecs_Component *components,
                                      uint32_t count) {
  ecs_Bundle id = 0;
  assert_int_equal(ecs_bundle(fixture->world, components, count, &id), ECS_OK);
  return fixture->world->store.bundles[id - 1];
}

static inline ecs_Entity record_spawn(Fixture *fixture) {
  ecs_Entity entity = 0;
  assert_int_equal(
      command_record_spawn(fixture->buffer, bundle_of(fixture, NULL, 0), NULL,
                           &entity),
      ECS_OK);
  return entity;
}

static inline const StagedRows *record_staged(Fixture *fixture,
                                              const Bundle *bundle,
                                              uint32_t count) {
  const StagedRows *staged = NULL;
  assert_int_equal(
      command_record_staged(fixture->buffer, bundle, count, &staged), ECS_OK);
  assert_ptr_equal(staged, fixture->buffer->staged);
  return staged;
}

/* The chains of entities agree with the order of recording. */
static inline void assert_chains_hold(const Fixture *fixture) {
  const CommandBuffer *buffer = fixture->buffer;
  uint32_t in_chains = 0, in_order = 0;
  for (uint32_t i = 0; i < buffer->entity_count; i++) {
    const EntityCommands *commands = &buffer->entities[i];
    const Command *previous = NULL;
    assert_ptr_equal(command_find(buffer, commands->entity), commands);
    for (const Command *at = commands->first; at != NULL; at = at->next) {
      assert_ptr_equal(at->previous, previous);
      assert_int_equal(at->entity_position, i);
      assert_int_equal((uintptr_t)at % 16, (uintptr_t)commands->first % 16);
      previous = at;
      in_chains++;
    }
    assert_ptr_equal(commands->last, previous);
  }
  for (const Command *at = buffer->last; at != NULL; at = at->before)
    in_order++;
  assert_int_equal(in_chains, buffer->command_count);
  assert_int_equal(in_order, buffer->command_count);
  for (uint32_t i = 0; i < buffer->page_count; i++)
    assert_true(buffer->pages[i].used_bytes <= buffer->pages[i].bytes);
}

/* Fills this many pages with commands of one entity. */
static inline void fill_pieces(Fixture *fixture, ecs_Entity entity,
                               uint32_t pages) {
  uint32_t fit = (uint32_t)(ECS_COMMAND_PAGE / PLAIN);
  for (uint32_t i = 0; i < pages * fit; i++) (void)record_tag(fixture, entity);
  assert_int_equal(fixture->buffer->page_count, pages);
}

#endif

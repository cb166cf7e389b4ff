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

/* A run of one command takes this much of a page: without values, and with an
 * image of A. */
#define PLAIN sizeof(CommandRun)
#define WITH_A (sizeof(CommandRun) + sizeof(A))
#define BIG_FIELDS 64u
#define CROWD 36u

typedef struct A {
  double x, y;
} A;

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  CommandBuffer *buffer;
  ecs_Component a, b, tag, big, sparse;
  ecs_Entity crowd[CROWD]; /* zeros until they are gathered */
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
  memset(fixture->crowd, 0, sizeof fixture->crowd);
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

/* The newest command of an entity. */
static inline Command newest(const Fixture *fixture, ecs_Entity entity) {
  Command command = {0};
  CommandWalk walk = command_walk(command_find(fixture->buffer, entity));
  assert_true(command_walk_back(fixture->buffer, &walk, &command));
  return command;
}

static inline Command record(Fixture *fixture, CommandKind kind,
                             ecs_Entity entity, ecs_Component component,
                             const void *image, uint64_t fields) {
  assert_int_equal(
      command_record(fixture->buffer, kind, entity, component, image, fields),
      ECS_OK);
  return newest(fixture, entity);
}

static inline Command record_tag(Fixture *fixture, ecs_Entity entity) {
  return record(fixture, COMMAND_ADD, entity, fixture->tag, NULL, 0);
}

static inline Bundle *bundle_of(Fixture *fixture,
                                const ecs_Component *components,
                                uint32_t count) {
  ecs_Bundle id = 0;
  assert_int_equal(ecs_bundle(fixture->world, components, count, &id), ECS_OK);
  return change_bundle(&fixture->world->store, id);
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

/* How many runs are recorded. */
static inline uint32_t run_total(const Fixture *fixture) {
  RunWalk walk = {0, 0};
  uint32_t runs = 0;
  while (command_next_run(fixture->buffer, &walk) != NULL) runs++;
  return runs;
}

static inline uint32_t runs_of(const Fixture *fixture, ecs_Entity entity) {
  uint32_t runs = 0;
  for (const CommandRun *run = command_find(fixture->buffer, entity)->last;
       run != NULL; run = run->previous)
    runs++;
  return runs;
}

/* The commands of a chain, read backwards, are those that are listed. */
static inline void assert_list_agrees(const Fixture *fixture,
                                      const EntityCommands *commands) {
  uint32_t length = command_shape(fixture->buffer, commands)->length;
  Command *list = malloc(length * sizeof *list), command;
  CommandWalk walk = command_walk(commands);
  assert_non_null(list);
  command_list(fixture->buffer, commands, list);
  for (uint32_t i = length; i-- > 0;) {
    assert_true(command_walk_back(fixture->buffer, &walk, &command));
    assert_int_equal(command.kind, list[i].kind);
    assert_int_equal(command.component, list[i].component);
    assert_ptr_equal(command.image, list[i].image);
    assert_true(command.fields == list[i].fields);
    assert_int_equal((uintptr_t)command.image % 8, 0);
  }
  assert_false(command_walk_back(fixture->buffer, &walk, &command));
  free(list);
}

/* The chains of entities agree with the order of recording. */
static inline void assert_chains_hold(const Fixture *fixture) {
  const CommandBuffer *buffer = fixture->buffer;
  uint32_t runs = 0;
  for (uint32_t i = 0; i < buffer->entity_count; i++) {
    const EntityCommands *commands = &buffer->entities[i];
    assert_ptr_equal(command_find(buffer, commands->entity), commands);
    assert_list_agrees(fixture, commands);
    runs += runs_of(fixture, commands->entity);
  }
  assert_int_equal(runs, run_total(fixture));
  assert_true(command_buffer_check_invariants(buffer));
}

/* Spawns those that pages are filled with; nothing may be open. */
static inline void gather(Fixture *fixture) {
  for (uint32_t i = 0; i < CROWD; i++) fixture->crowd[i] = placed(fixture);
}

/* Fills this many pages of the first length with runs of one command. Up to
 * sixteen are that many pages. */
static inline void fill_pages(Fixture *fixture, uint32_t pages) {
  static const A image = {3, 4};
  uint32_t fit = (uint32_t)(ECS_COMMAND_PAGE / WITH_A);
  if (fixture->crowd[0] == 0) gather(fixture);
  for (uint32_t i = 0; i < pages * fit; i++)
    assert_int_equal(
        command_record(fixture->buffer, COMMAND_ADD, fixture->crowd[i % CROWD],
                       fixture->a, &image, UINT64_MAX),
        ECS_OK);
  if (pages > 16) return;
  assert_int_equal(fixture->buffer->page_count, pages);
  assert_int_equal(fixture->buffer->pages[pages - 1].used_bytes,
                   fixture->buffer->pages[pages - 1].bytes);
}

#endif

/* command_buffer_test.c: recording, taking back and forgetting changes.
 *
 * Nothing is applied here (fold_test.c does that): the tests look at subjects,
 * chains, pieces and stages as command_buffer.h draws them. A buffer always
 * belongs to the world of the fixture, whose memory can be made to refuse.
 *
 *      e1: add A --> set A        after rewinding to the mark, e1 ends in add A
 *              mark ^             and can be continued from there
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api.h"
#include "api_fixture.h"

/* A command without an image takes this much of a piece. */
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

static ecs_Component define(Fixture *fixture, const char *name,
                            ecs_Scalar type, uint32_t count, double first,
                            ecs_Storage storage) {
  char names[BIG_FIELDS][16];
  ecs_Field fields[BIG_FIELDS];
  for (uint32_t i = 0; i < count; i++) {
    snprintf(names[i], sizeof names[i], "f%u", (unsigned)i);
    fields[i] = (ecs_Field){names[i], type, first == 0 ? 0 : first + i};
  }
  return define_component(fixture->world, name, fields, count, storage);
}

static void start(Fixture *fixture) {
  fixture->world = open_world(&fixture->failing);
  fixture->buffer = &fixture->world->commands;
  fixture->a = define(fixture, "A", ECS_F64, 2, 5, ECS_STORE_TABLE);
  fixture->b = define(fixture, "B", ECS_U16, 1, 0, ECS_STORE_TABLE);
  fixture->tag = define(fixture, "Tag", ECS_U8, 0, 0, ECS_STORE_TABLE);
  fixture->big = define(fixture, "Big", ECS_F64, 64, 1, ECS_STORE_TABLE);
  fixture->sparse = define(fixture, "S", ECS_F32, 1, 3, ECS_STORE_SPARSE);
}

static void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

static ecs_Entity placed(Fixture *fixture) {
  ecs_Entity entity = 0;
  assert_int_equal(ecs_spawn(fixture->world, NULL, 0, NULL, &entity), ECS_OK);
  return entity;
}

static Command *record(Fixture *fixture, CommandKind kind, ecs_Entity entity,
                       ecs_Component component, const void *image,
                       uint64_t fields) {
  assert_int_equal(command_record(fixture->buffer, kind, entity, component,
                                  image, fields),
                   ECS_OK);
  return fixture->buffer->last;
}

static Command *record_tag(Fixture *fixture, ecs_Entity entity) {
  return record(fixture, COMMAND_ADD, entity, fixture->tag, NULL, 0);
}

static const Bundle *bundle_of(Fixture *fixture,
                               const ecs_Component *components,
                               uint32_t count) {
  ecs_Bundle id = 0;
  assert_int_equal(ecs_bundle(fixture->world, components, count, &id), ECS_OK);
  return fixture->world->world.bundles[id - 1];
}

static ecs_Entity record_birth(Fixture *fixture) {
  ecs_Entity entity = 0;
  assert_int_equal(command_record_spawn(fixture->buffer,
                                        bundle_of(fixture, NULL, 0), NULL,
                                        &entity),
                   ECS_OK);
  return entity;
}

static const Stage *record_stage(Fixture *fixture, const Bundle *bundle,
                                 uint32_t count) {
  const Stage *stage = NULL;
  assert_int_equal(
      command_record_stage(fixture->buffer, bundle, count, &stage), ECS_OK);
  assert_ptr_equal(stage, fixture->buffer->stages);
  return stage;
}

/* What a failed recording has to leave alone. */
typedef struct Picture {
  uint32_t subjects, commands, alive, retired;
  const Command *last;
  const Stage *stages;
  uint64_t hash;
} Picture;

static Picture picture(const Fixture *fixture) {
  const CommandBuffer *buffer = fixture->buffer;
  const EntityIndex *index = &fixture->world->world.index;
  return (Picture){buffer->subject_count, buffer->command_count,
                   index->alive_count,    index->retired_count,
                   buffer->last,          buffer->stages,
                   ecs_world_hash(fixture->world)};
}

static void assert_as_before(const Fixture *fixture, Picture before) {
  Picture now = picture(fixture);
  assert_int_equal(now.subjects, before.subjects);
  assert_int_equal(now.commands, before.commands);
  assert_int_equal(now.alive, before.alive);
  assert_int_equal(now.retired, before.retired);
  assert_ptr_equal(now.last, before.last);
  assert_ptr_equal(now.stages, before.stages);
  assert_true(now.hash == before.hash);
}

/* Chains and the order of recording say the same. */
static void assert_chains_hold(const Fixture *fixture) {
  const CommandBuffer *buffer = fixture->buffer;
  uint32_t in_chains = 0, in_order = 0;
  for (uint32_t i = 0; i < buffer->subject_count; i++) {
    const Subject *subject = &buffer->subjects[i];
    const Command *previous = NULL;
    assert_ptr_equal(command_find(buffer, subject->entity), subject);
    for (const Command *at = subject->first; at != NULL; at = at->next) {
      assert_ptr_equal(at->previous, previous);
      assert_int_equal(at->subject, i);
      assert_int_equal((uintptr_t)at % 16, (uintptr_t)subject->first % 16);
      previous = at;
      in_chains++;
    }
    assert_ptr_equal(subject->last, previous);
  }
  for (const Command *at = buffer->last; at != NULL; at = at->before)
    in_order++;
  assert_int_equal(in_chains, buffer->command_count);
  assert_int_equal(in_order, buffer->command_count);
  for (uint32_t i = 0; i < buffer->piece_count; i++)
    assert_true(buffer->pieces[i].used <= buffer->pieces[i].bytes);
}

/* Recording --------------------------------------------------------------- */

static void a_new_buffer_holds_nothing_and_costs_nothing(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  uint64_t requests = fixture.failing.requests;
  CommandBuffer buffer;
  memset(&buffer, 0xff, sizeof buffer);
  command_buffer_init(&buffer, &fixture.world->world);
  assert_ptr_equal(buffer.world, &fixture.world->world);
  assert_null(command_find(&buffer, id_make(1, 0)));
  assert_null(command_mark(&buffer).last);
  assert_null(command_mark(&buffer).stages);
  assert_int_equal(buffer.command_count, 0);
  command_buffer_deinit(&buffer);
  assert_int_equal(fixture.failing.requests, requests);
  finish(&fixture);
}

static void subjects_stand_in_the_order_of_their_first_record(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[3] = {placed(&fixture), placed(&fixture), placed(&fixture)};
  const int order[] = {2, 0, 2, 1, 0, 2};
  for (size_t i = 0; i < 6; i++) (void)record_tag(&fixture, e[order[i]]);
  assert_int_equal(fixture.buffer->subject_count, 3);
  assert_int_equal(fixture.buffer->command_count, 6);
  assert_int_equal(fixture.buffer->subjects[0].entity, e[2]);
  assert_int_equal(fixture.buffer->subjects[1].entity, e[0]);
  assert_int_equal(fixture.buffer->subjects[2].entity, e[1]);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

static void a_command_says_what_was_asked(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  A image = {1, 2};
  const Command *set =
      record(&fixture, COMMAND_SET, entity, fixture.a, &image, 2);
  image = (A){8, 9}; /* copied: this no longer matters */
  assert_int_equal(set->kind, COMMAND_SET);
  assert_int_equal(set->component, fixture.a);
  assert_int_equal(set->fields, 2);
  assert_true(set->has_image);
  assert_null(set->stage);
  const A *kept = command_image(set);
  assert_true(kept->x == 1 && kept->y == 2);
  const Command *add =
      record(&fixture, COMMAND_ADD, entity, fixture.big, NULL, UINT64_MAX);
  assert_int_equal(add->kind, COMMAND_ADD);
  assert_false(add->has_image);
  assert_null(command_image(add));
  assert_int_equal(add->fields, UINT64_MAX);
  const Command *remove =
      record(&fixture, COMMAND_REMOVE, entity, fixture.a, NULL, 0);
  assert_int_equal(remove->kind, COMMAND_REMOVE);
  const Subject *subject = command_find(fixture.buffer, entity);
  assert_false(subject_is_destroyed(subject));
  (void)record(&fixture, COMMAND_DESTROY, entity, 0, NULL, 0);
  assert_true(subject_is_destroyed(subject));
  assert_ptr_equal(subject->first, set);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

static void the_image_of_a_tag_is_nothing(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  const Command *command =
      record(&fixture, COMMAND_ADD, entity, fixture.tag, "noise", 0);
  assert_false(command->has_image);
  assert_int_equal(fixture.buffer->pieces[0].used, PLAIN);
  finish(&fixture);
}

static void an_image_of_one_byte_is_an_image(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  ecs_Component byte =
      define(&fixture, "Byte", ECS_U8, 1, 0, ECS_STORE_TABLE);
  const uint8_t image = 200;
  const Command *command =
      record(&fixture, COMMAND_ADD, entity, byte, &image, 0);
  assert_true(command->has_image);
  assert_int_equal(*(const uint8_t *)command_image(command), 200);
  finish(&fixture);
}

static void a_subject_is_found_by_its_whole_handle(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity old = placed(&fixture);
  assert_int_equal(ecs_destroy(fixture.world, old), ECS_OK);
  ecs_Entity entity = placed(&fixture);
  ecs_Entity other = placed(&fixture);
  assert_int_equal(id_index(old), id_index(entity));
  assert_null(command_find(fixture.buffer, entity));
  (void)record_tag(&fixture, entity);
  assert_non_null(command_find(fixture.buffer, entity));
  assert_null(command_find(fixture.buffer, old));
  assert_null(command_find(fixture.buffer, other));
  assert_null(command_find(fixture.buffer, 0));
  assert_null(command_find(fixture.buffer, id_make(ECS_INDEX_MASK, 0)));
  assert_null(command_find(fixture.buffer, entity | UINT64_C(1) << 60));
  finish(&fixture);
}

/* Pieces ------------------------------------------------------------------ */

static void a_piece_is_filled_to_its_end(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  uint32_t fit = (uint32_t)(ECS_COMMAND_PIECE / PLAIN);
  for (uint32_t i = 0; i < fit; i++) {
    (void)record_tag(&fixture, entity);
    assert_int_equal(fixture.buffer->piece_count, 1);
    assert_int_equal(fixture.buffer->pieces[0].used, (i + 1) * PLAIN);
  }
  assert_int_equal(fixture.buffer->pieces[0].bytes, ECS_COMMAND_PIECE);
  (void)record_tag(&fixture, entity);
  assert_int_equal(fixture.buffer->piece_count, 2);
  assert_int_equal(fixture.buffer->pieces[1].used, PLAIN);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

static void images_of_all_sizes_lie_side_by_side_unharmed(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  double big[BIG_FIELDS];
  for (uint32_t round = 0; round < 12; round++) {
    for (uint32_t i = 0; i < BIG_FIELDS; i++) big[i] = round * 100.0 + i;
    uint16_t small = (uint16_t)(round + 7);
    A middle = {round, -(double)round};
    (void)record(&fixture, COMMAND_ADD, entity, fixture.b, &small, 0);
    (void)record(&fixture, COMMAND_ADD, entity, fixture.big, big, 0);
    (void)record_tag(&fixture, entity);
    (void)record(&fixture, COMMAND_ADD, entity, fixture.a, &middle, 0);
  }
  const Command *at = command_find(fixture.buffer, entity)->first;
  for (uint32_t round = 0; round < 12; round++) {
    assert_int_equal(*(const uint16_t *)command_image(at), round + 7);
    at = at->next;
    const double *image = command_image(at);
    for (uint32_t i = 0; i < BIG_FIELDS; i++)
      assert_true(image[i] == round * 100.0 + i);
    at = at->next->next;
    assert_true(((const A *)command_image(at))->y == -(double)round);
    at = at->next;
  }
  assert_null(at);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* What does not fit into an ordinary piece gets one of its own size. */
static void a_record_larger_than_a_piece_gets_a_piece_that_fits(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  uint32_t count = (uint32_t)(ECS_COMMAND_PIECE / PLAIN) + 10;
  ecs_Entity entity = placed(&fixture);
  (void)record_tag(&fixture, entity);
  (void)record_stage(&fixture, bundle_of(&fixture, &fixture.b, 1), count);
  assert_int_equal(fixture.buffer->piece_count, 2);
  assert_int_equal(fixture.buffer->pieces[1].bytes, count * PLAIN);
  assert_int_equal(fixture.buffer->pieces[1].used, count * PLAIN);
  (void)record_tag(&fixture, entity);
  assert_int_equal(fixture.buffer->piece_count, 3);
  assert_int_equal(fixture.buffer->pieces[2].bytes, ECS_COMMAND_PIECE);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* A kept piece that is too small is exchanged, one that is larger is used. */
static void pieces_that_stay_are_used_where_they_fit(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  uint32_t count = (uint32_t)(ECS_COMMAND_PIECE / PLAIN) + 10;
  const Bundle *bundle = bundle_of(&fixture, NULL, 0);
  ecs_Entity entity = placed(&fixture);
  (void)record_tag(&fixture, entity);
  command_reset(fixture.buffer);
  (void)record_stage(&fixture, bundle, count);
  assert_int_equal(fixture.buffer->piece_count, 1);
  assert_int_equal(fixture.buffer->pieces[0].bytes, count * PLAIN);
  command_rewind(fixture.buffer, (CommandMark){0});
  uint64_t requests = fixture.failing.requests;
  (void)record_tag(&fixture, entity);
  assert_int_equal(fixture.buffer->piece_count, 1);
  assert_int_equal(fixture.buffer->pieces[0].bytes, count * PLAIN);
  assert_int_equal(fixture.buffer->pieces[0].used, PLAIN);
  assert_int_equal(fixture.failing.requests, requests);
  finish(&fixture);
}

/* Fills so many pieces with commands of one entity. */
static void fill_pieces(Fixture *fixture, ecs_Entity entity, uint32_t pieces) {
  uint32_t fit = (uint32_t)(ECS_COMMAND_PIECE / PLAIN);
  for (uint32_t i = 0; i < pieces * fit; i++) (void)record_tag(fixture, entity);
  assert_int_equal(fixture->buffer->piece_count, pieces);
}

static void sixteen_pieces_stay_for_the_next_recording(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  fill_pieces(&fixture, entity, 16);
  command_reset(fixture.buffer);
  uint64_t requests = fixture.failing.requests;
  fill_pieces(&fixture, entity, 16);
  assert_int_equal(fixture.failing.requests, requests);
  command_reset(fixture.buffer);
  fill_pieces(&fixture, entity, 40);
  command_reset(fixture.buffer);
  for (uint32_t i = 0; i < fixture.buffer->piece_capacity; i++) {
    assert_int_equal(fixture.buffer->pieces[i].memory != NULL, i < 16);
    assert_int_equal(fixture.buffer->pieces[i].bytes,
                     i < 16 ? ECS_COMMAND_PIECE : 0);
  }
  requests = fixture.failing.requests;
  fill_pieces(&fixture, entity, 16);
  assert_int_equal(fixture.failing.requests, requests);
  finish(&fixture);
}

/* Births ------------------------------------------------------------------ */

static void a_recorded_birth_adds_its_components_in_order(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const ecs_Component what[] = {fixture.tag, fixture.big, fixture.a, fixture.b};
  const A image = {3, 4};
  const uint16_t small = 9;
  const void *values[] = {NULL, NULL, &image, &small};
  ecs_Entity entity = 0;
  assert_int_equal(command_record_spawn(fixture.buffer,
                                        bundle_of(&fixture, what, 4), values,
                                        &entity),
                   ECS_OK);
  assert_true(world_is_reserved(&fixture.world->world, entity));
  const Command *at = command_find(fixture.buffer, entity)->first;
  assert_int_equal(at->kind, COMMAND_SPAWN);
  assert_null(at->stage);
  for (uint32_t i = 0; i < 4; i++) {
    at = at->next;
    assert_int_equal(at->kind, COMMAND_ADD);
    assert_int_equal(at->component, what[i]);
    assert_int_equal(at->has_image, values[i] != NULL);
  }
  assert_true(((const A *)command_image(at->previous))->y == 4);
  assert_int_equal(*(const uint16_t *)command_image(at), 9);
  assert_null(at->next);
  assert_int_equal(fixture.buffer->command_count, 5);
  assert_int_equal(fixture.buffer->subject_count, 1);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

static void a_birth_without_values_takes_no_more_than_its_commands(
    void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const ecs_Component what[] = {fixture.a, fixture.big, fixture.b};
  const A image = {3, 4};
  const void *values[] = {&image, NULL, NULL};
  ecs_Entity entity = 0;
  const Bundle *bundle = bundle_of(&fixture, what, 3);
  assert_int_equal(
      command_record_spawn(fixture.buffer, bundle, NULL, &entity), ECS_OK);
  const Piece *pieces = fixture.buffer->pieces;
  assert_int_equal(pieces[0].used, 4 * PLAIN);
  command_rewind(fixture.buffer, (CommandMark){0});
  assert_int_equal(
      command_record_spawn(fixture.buffer, bundle, values, &entity), ECS_OK);
  size_t with_image = (sizeof(Command) + sizeof image + 15) / 16 * 16;
  size_t wanted = 3 * PLAIN + with_image;
  assert_int_equal(pieces[0].used, wanted);
  assert_int_equal(pieces[0].bytes,
                   wanted < ECS_COMMAND_PIECE ? ECS_COMMAND_PIECE : wanted);
  finish(&fixture);
}

/* Spawns and destroys so that the free list names indices of several pages,
 * then records more births than there are free indices. */
static void births_recycle_first_and_go_on_with_fresh_indices(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[20];
  for (uint32_t i = 0; i < 20; i++) e[i] = placed(&fixture);
  static const uint32_t gone[] = {17, 2, 9};
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(ecs_destroy(fixture.world, e[gone[i]]), ECS_OK);
  uint32_t used = fixture.world->world.index.used;
  const Stage *stage =
      record_stage(&fixture, bundle_of(&fixture, NULL, 0), 3 + 14);
  const ecs_Entity *born = stage->table->entities;
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(born[i], id_make(id_index(e[gone[2 - i]]), 1));
  for (uint32_t i = 0; i < 14; i++)
    assert_int_equal(born[3 + i], id_make(used + i, 0));
  for (uint32_t i = 0; i < 17; i++)
    assert_ptr_equal(command_find(fixture.buffer, born[i]),
                     &fixture.buffer->subjects[i]);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

static void every_single_birth_has_a_place_to_be_found(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[30];
  for (uint32_t i = 0; i < 10; i++) e[i] = placed(&fixture);
  assert_int_equal(ecs_destroy(fixture.world, e[8]), ECS_OK);
  assert_int_equal(ecs_destroy(fixture.world, e[1]), ECS_OK);
  for (uint32_t i = 0; i < 30; i++) e[i] = record_birth(&fixture);
  for (uint32_t i = 0; i < 30; i++)
    assert_ptr_equal(command_find(fixture.buffer, e[i]),
                     &fixture.buffer->subjects[i]);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* Stages ------------------------------------------------------------------ */

static void a_stage_is_a_table_of_defaults(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const ecs_Component what[] = {fixture.sparse, fixture.tag, fixture.a};
  const Bundle *bundle = bundle_of(&fixture, what, 3);
  const Stage *stage = record_stage(&fixture, bundle, 5);
  assert_ptr_equal(stage->bundle, bundle);
  assert_int_equal(stage->table->count, 5);
  assert_true(table_has(stage->table, 0) && table_has(stage->table, 1) &&
              table_has(stage->table, 2));
  assert_false(table_has_columns(stage->table, 1));
  assert_null(stage->schemas[1]);
  const ColumnCode *codes = table_codes(stage->table, 2);
  for (uint32_t row = 0; row < 5; row++) {
    const Command *command = fixture.buffer->subjects[row].first;
    float s;
    A a;
    memcpy(&s,
           table_element(stage->table, table_codes(stage->table, 0)[0], row),
           sizeof s);
    memcpy(&a.x, table_element(stage->table, codes[0], row), 8);
    memcpy(&a.y, table_element(stage->table, codes[1], row), 8);
    assert_true(s == 3 && a.x == 5 && a.y == 6);
    assert_int_equal(command->kind, COMMAND_SPAWN);
    assert_ptr_equal(command->stage, stage);
    assert_int_equal(command->stage_row, row);
    assert_null(command->next);
    assert_int_equal(stage->table->entities[row],
                     fixture.buffer->subjects[row].entity);
  }
  assert_int_equal(fixture.buffer->command_count, 5);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

static void a_stage_of_nobody_is_a_stage(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  CommandMark mark = command_mark(fixture.buffer);
  const Stage *stage =
      record_stage(&fixture, bundle_of(&fixture, &fixture.a, 1), 0);
  assert_int_equal(stage->table->count, 0);
  assert_int_equal(fixture.buffer->subject_count, 0);
  command_rewind(fixture.buffer, mark);
  assert_null(fixture.buffer->stages);
  finish(&fixture);
}

static void stages_of_the_same_world_stand_behind_each_other(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const Stage *first =
      record_stage(&fixture, bundle_of(&fixture, &fixture.a, 1), 2);
  const Stage *second =
      record_stage(&fixture, bundle_of(&fixture, &fixture.b, 1), 3);
  assert_null(first->previous);
  assert_ptr_equal(second->previous, first);
  assert_int_equal(fixture.buffer->subject_count, 5);
  command_reset(fixture.buffer);
  assert_null(fixture.buffer->stages);
  finish(&fixture);
}

#ifndef ECS_TINY
/* More components than one word of a mask can tell. */
static void a_stage_may_have_many_components(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Component what[130];
  for (uint32_t i = 0; i < 130; i++) {
    char name[16];
    snprintf(name, sizeof name, "C%u", (unsigned)i);
    what[i] = define(&fixture, name, ECS_U16, i % 3, i, ECS_STORE_TABLE);
  }
  const Stage *stage =
      record_stage(&fixture, bundle_of(&fixture, what, 130), 2);
  for (uint32_t i = 0; i < 130; i++) {
    assert_true(table_has(stage->table, i));
    assert_int_equal(table_has_columns(stage->table, i), i % 3 > 0);
    if (i % 3 == 0) continue;
    uint16_t value;
    memcpy(&value,
           table_element(stage->table, table_codes(stage->table, i)[0], 1), 2);
    assert_int_equal(value, i);
  }
  assert_false(table_has(stage->table, 130));
  finish(&fixture);
}
#endif

/* Taking back ------------------------------------------------------------- */

static void rewinding_takes_back_what_came_after_the_mark(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity old = placed(&fixture), other = placed(&fixture);
  const A image = {1, 2};
  (void)record(&fixture, COMMAND_ADD, old, fixture.a, &image, 0);
  ecs_Entity kept = record_birth(&fixture);
  (void)record_tag(&fixture, kept);
  CommandMark mark = command_mark(fixture.buffer);
  Picture before = picture(&fixture);
  ecs_Entity born = record_birth(&fixture);
  (void)record_tag(&fixture, old);
  (void)record_tag(&fixture, other);
  (void)record_tag(&fixture, born);
  (void)record(&fixture, COMMAND_DESTROY, kept, 0, NULL, 0);
  (void)record(&fixture, COMMAND_DESTROY, old, 0, NULL, 0);
  command_rewind(fixture.buffer, mark);
  assert_int_equal(fixture.buffer->subject_count, before.subjects);
  assert_int_equal(fixture.buffer->command_count, before.commands);
  assert_ptr_equal(fixture.buffer->last, before.last);
  assert_int_equal(fixture.world->world.index.alive_count, before.alive);
  assert_null(command_find(fixture.buffer, other));
  assert_null(command_find(fixture.buffer, born));
  assert_false(world_alive(&fixture.world->world, born));
  assert_true(world_alive(&fixture.world->world, kept));
  assert_false(subject_is_destroyed(command_find(fixture.buffer, kept)));
  assert_int_equal(command_find(fixture.buffer, old)->last->component,
                   fixture.a);
  assert_chains_hold(&fixture);
  (void)record_tag(&fixture, other);
  (void)record_tag(&fixture, old);
  assert_int_equal(fixture.buffer->subject_count, 3);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

static void a_handle_that_was_taken_back_is_never_issued_again(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity first = record_birth(&fixture), second = record_birth(&fixture);
  command_rewind(fixture.buffer, (CommandMark){0});
  assert_int_equal(fixture.world->world.index.alive_count, 0);
  /* Newest first went back, so the oldest is the next to come. */
  ecs_Entity next = record_birth(&fixture);
  assert_int_equal(id_index(next), id_index(first));
  assert_int_equal(id_generation(next), id_generation(first) + 1);
  assert_null(command_find(fixture.buffer, first));
  assert_null(command_find(fixture.buffer, second));
  finish(&fixture);
}

static void rewinding_to_the_start_begins_with_the_first_piece(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  CommandMark mark = command_mark(fixture.buffer);
  fill_pieces(&fixture, entity, 3);
  command_rewind(fixture.buffer, mark);
  assert_int_equal(fixture.buffer->piece_count, 0);
  uint64_t requests = fixture.failing.requests;
  fill_pieces(&fixture, entity, 3);
  assert_int_equal(fixture.failing.requests, requests);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

static void what_was_kept_is_not_overwritten_after_rewinding(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  const A image = {1, 2}, later = {3, 4};
  const Command *kept =
      record(&fixture, COMMAND_ADD, entity, fixture.a, &image, 0);
  CommandMark mark = command_mark(fixture.buffer);
  for (uint32_t round = 0; round < 3; round++) {
    for (uint32_t i = 0; i < 9; i++)
      (void)record(&fixture, COMMAND_SET, entity, fixture.a, &later, 3);
    command_rewind(fixture.buffer, mark);
    assert_true(fixture.buffer->piece_count > 0);
  }
  (void)record(&fixture, COMMAND_SET, entity, fixture.a, &later, 3);
  assert_true(((const A *)command_image(kept))->x == 1);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

static void stages_after_the_mark_go_and_those_before_stay(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const Bundle *bundle = bundle_of(&fixture, &fixture.a, 1);
  const Stage *first = record_stage(&fixture, bundle, 2);
  CommandMark mark = command_mark(fixture.buffer);
  assert_ptr_equal(mark.stages, first);
  uint64_t blocks = fixture.failing.blocks;
  uint32_t alive = fixture.world->world.index.alive_count;
  (void)record_stage(&fixture, bundle, 3);
  (void)record_stage(&fixture, bundle, 1);
  assert_int_equal(fixture.world->world.index.alive_count, alive + 4);
  command_rewind(fixture.buffer, mark);
  assert_ptr_equal(fixture.buffer->stages, first);
  assert_int_equal(fixture.buffer->subject_count, 2);
  assert_int_equal(fixture.world->world.index.alive_count, alive);
  assert_true(fixture.failing.blocks <= blocks + 4); /* pieces may stay */
  assert_int_equal(first->table->count, 2);
  finish(&fixture);
}

static void resetting_forgets_but_frees_no_handle(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture), born = record_birth(&fixture);
  (void)record_tag(&fixture, entity);
  (void)record_stage(&fixture, bundle_of(&fixture, NULL, 0), 2);
  uint32_t alive = fixture.world->world.index.alive_count;
  command_reset(fixture.buffer);
  assert_int_equal(fixture.world->world.index.alive_count, alive);
  assert_int_equal(fixture.buffer->subject_count, 0);
  assert_int_equal(fixture.buffer->command_count, 0);
  assert_int_equal(fixture.buffer->piece_count, 0);
  assert_null(fixture.buffer->last);
  assert_null(fixture.buffer->stages);
  (void)record_tag(&fixture, entity); /* a new chain, not the old one's end */
  assert_int_equal(fixture.buffer->subject_count, 1);
  assert_null(command_find(fixture.buffer, born));
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* Limits and failures ----------------------------------------------------- */

static void a_record_over_the_limit_of_commands_is_refused_whole(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture), born = 0;
  const ecs_Component what[] = {fixture.a, fixture.b};
  const Bundle *two = bundle_of(&fixture, what, 2);
  const Stage *stage = NULL;
  uint32_t first = fixture.buffer->command_count;
  (void)record_tag(&fixture, entity);
  /* The limit itself is too far away to walk to in every build. */
  fixture.buffer->command_count = ECS_COMMAND_LIMIT - 3;
  assert_int_equal(command_record_stage(fixture.buffer, two, 4, &stage),
                   ECS_E_LIMIT);
  assert_int_equal(fixture.buffer->command_count, ECS_COMMAND_LIMIT - 3);
  assert_int_equal(command_record_spawn(fixture.buffer, two, NULL, &born),
                   ECS_OK);
  assert_int_equal(fixture.buffer->command_count, ECS_COMMAND_LIMIT);
  Picture before = picture(&fixture);
  assert_int_equal(command_record(fixture.buffer, COMMAND_ADD, entity,
                                  fixture.tag, NULL, 0),
                   ECS_E_LIMIT);
  assert_int_equal(command_record_spawn(fixture.buffer, two, NULL, &born),
                   ECS_E_LIMIT);
  assert_as_before(&fixture, before);
  fixture.buffer->command_count = ECS_COMMAND_LIMIT - 2;
  assert_int_equal(command_record_spawn(fixture.buffer, two, NULL, &born),
                   ECS_E_LIMIT);
  (void)record_tag(&fixture, entity);
  (void)record_tag(&fixture, entity);
  assert_int_equal(fixture.buffer->command_count, ECS_COMMAND_LIMIT);
  fixture.buffer->command_count = first + 6;
  assert_chains_hold(&fixture);
  finish(&fixture);
}

#ifdef ECS_TINY
static void births_end_at_the_limit_of_indices(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const Bundle *bundle = bundle_of(&fixture, &fixture.a, 1);
  const Stage *stage = NULL;
  ecs_Entity entity = 0;
  Picture before = picture(&fixture);
  assert_int_equal(
      command_record_stage(fixture.buffer, bundle, ECS_INDEX_LIMIT, &stage),
      ECS_E_LIMIT);
  assert_as_before(&fixture, before);
  for (uint32_t i = 1; i < ECS_INDEX_LIMIT; i++) (void)record_birth(&fixture);
  before = picture(&fixture);
  assert_int_equal(command_record_spawn(fixture.buffer, bundle, NULL, &entity),
                   ECS_E_LIMIT);
  assert_int_equal(command_record_stage(fixture.buffer, bundle, 1, &stage),
                   ECS_E_LIMIT);
  assert_as_before(&fixture, before);
  finish(&fixture);
}
#endif

/* One way to record, as a function of the fixture. */
typedef ecs_Status (*Recording)(Fixture *fixture, ecs_Entity entity);

static ecs_Status change(Fixture *fixture, ecs_Entity entity) {
  double big[BIG_FIELDS] = {0};
  return command_record(fixture->buffer, COMMAND_SET, entity, fixture->big,
                        big, UINT64_MAX);
}

static ecs_Status birth(Fixture *fixture, ecs_Entity entity) {
  const ecs_Component what[] = {fixture->a, fixture->sparse};
  ecs_Entity born = 0;
  (void)entity;
  return command_record_spawn(fixture->buffer, bundle_of(fixture, what, 2),
                              NULL, &born);
}

static ecs_Status staging(Fixture *fixture, ecs_Entity entity) {
  const ecs_Component what[] = {fixture->a, fixture->tag, fixture->sparse};
  const Stage *stage = NULL;
  (void)entity;
  return command_record_stage(fixture->buffer, bundle_of(fixture, what, 3), 9,
                              &stage);
}

/* Bundles are made before, so that only recording can fail. */
static void fail_everywhere(Recording recording, FailingMode mode,
                            bool something_recorded) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  const ecs_Component two[] = {fixture.a, fixture.sparse};
  const ecs_Component three[] = {fixture.a, fixture.tag, fixture.sparse};
  (void)bundle_of(&fixture, two, 2);
  (void)bundle_of(&fixture, three, 3);
  if (something_recorded) fill_pieces(&fixture, entity, 4);
  Picture before = picture(&fixture);
  uint64_t nth = 0, injected = 0;
  do {
    failing_memory_arm(&fixture.failing, ++nth, mode);
    ecs_Status status = recording(&fixture, entity);
    injected = failing_memory_disarm(&fixture.failing);
    assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
    if (injected > 0) assert_as_before(&fixture, before);
    assert_chains_hold(&fixture);
  } while (injected > 0);
  assert_true(nth > 1);
  assert_true(fixture.buffer->command_count > before.commands);
  finish(&fixture);
}

static void every_allocation_of_a_recording_may_fail(void **state) {
  (void)state;
  static const Recording recordings[] = {change, birth, staging};
  for (size_t i = 0; i < 3; i++)
    for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
      fail_everywhere(recordings[i], (FailingMode)mode, false);
      fail_everywhere(recordings[i], (FailingMode)mode, true);
    }
}

static void a_failed_stage_gives_its_memory_back(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const ecs_Component what[] = {fixture.a, fixture.tag};
  const Bundle *bundle = bundle_of(&fixture, what, 2);
  const Stage *stage = NULL;
  (void)record_stage(&fixture, bundle, 9); /* pieces and pages are there now */
  command_rewind(fixture.buffer, (CommandMark){0});
  uint64_t blocks = fixture.failing.blocks, injected = 0, nth = 0;
  do {
    failing_memory_arm(&fixture.failing, ++nth, FAIL_ONCE);
    (void)command_record_stage(fixture.buffer, bundle, 9, &stage);
    injected = failing_memory_disarm(&fixture.failing);
    if (injected > 0) assert_int_equal(fixture.failing.blocks, blocks);
  } while (injected > 0);
  assert_true(nth > 4); /* the stage, its schemas, a mask, a table, a slab */
  finish(&fixture);
}

static void rewinding_gives_the_room_back(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
  (void)record_tag(&fixture, entity);
  CommandMark mark = command_mark(fixture.buffer);
  for (int i = 0; i < 3; i++) {
    for (uint32_t k = 0; k < 4 * ECS_COMMAND_PIECE / PLAIN; k++)
      (void)record_tag(&fixture, entity);
    assert_true(fixture.buffer->piece_count > mark.piece_count);
    command_rewind(fixture.buffer, mark);
    assert_int_equal(fixture.buffer->piece_count, mark.piece_count);
    assert_int_equal(fixture.buffer->pieces[mark.piece_count - 1].used,
                     mark.used);
  }
  finish(&fixture);
}

static void a_world_ends_with_its_recording(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
  fill_pieces(&fixture, entity, 18);
  (void)record_stage(&fixture, bundle_of(&fixture, &fixture.a, 1), 4);
  (void)record_birth(&fixture);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_buffer_holds_nothing_and_costs_nothing),
      cmocka_unit_test(subjects_stand_in_the_order_of_their_first_record),
      cmocka_unit_test(a_command_says_what_was_asked),
      cmocka_unit_test(the_image_of_a_tag_is_nothing),
      cmocka_unit_test(an_image_of_one_byte_is_an_image),
      cmocka_unit_test(a_subject_is_found_by_its_whole_handle),
      cmocka_unit_test(a_piece_is_filled_to_its_end),
      cmocka_unit_test(images_of_all_sizes_lie_side_by_side_unharmed),
      cmocka_unit_test(a_record_larger_than_a_piece_gets_a_piece_that_fits),
      cmocka_unit_test(pieces_that_stay_are_used_where_they_fit),
      cmocka_unit_test(sixteen_pieces_stay_for_the_next_recording),
      cmocka_unit_test(a_recorded_birth_adds_its_components_in_order),
      cmocka_unit_test(a_birth_without_values_takes_no_more_than_its_commands),
      cmocka_unit_test(births_recycle_first_and_go_on_with_fresh_indices),
      cmocka_unit_test(every_single_birth_has_a_place_to_be_found),
      cmocka_unit_test(a_stage_is_a_table_of_defaults),
      cmocka_unit_test(a_stage_of_nobody_is_a_stage),
      cmocka_unit_test(stages_of_the_same_world_stand_behind_each_other),
#ifndef ECS_TINY
      cmocka_unit_test(a_stage_may_have_many_components),
#endif
      cmocka_unit_test(rewinding_takes_back_what_came_after_the_mark),
      cmocka_unit_test(a_handle_that_was_taken_back_is_never_issued_again),
      cmocka_unit_test(rewinding_to_the_start_begins_with_the_first_piece),
      cmocka_unit_test(what_was_kept_is_not_overwritten_after_rewinding),
      cmocka_unit_test(stages_after_the_mark_go_and_those_before_stay),
      cmocka_unit_test(resetting_forgets_but_frees_no_handle),
      cmocka_unit_test(a_record_over_the_limit_of_commands_is_refused_whole),
#ifdef ECS_TINY
      cmocka_unit_test(births_end_at_the_limit_of_indices),
#endif
      cmocka_unit_test(every_allocation_of_a_recording_may_fail),
      cmocka_unit_test(a_failed_stage_gives_its_memory_back),
      cmocka_unit_test(rewinding_gives_the_room_back),
      cmocka_unit_test(a_world_ends_with_its_recording),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

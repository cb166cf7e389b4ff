/* command_rewind_test.c: recordings that are rewound, and records that fail.
 *
 *      e1: add A --> set A        after rewinding to the mark, e1 ends in add A
 *              mark ^             and can be continued from there
 *
 * A record that exceeds a limit, or has an allocation fail, changes nothing.
 */
#include "command_buffer_fixture.h"
#include "test_case.h"

/* The state that a failed record must leave unchanged. */
typedef struct Picture {
  uint32_t recorded, commands, runs, alive, retired;
  const StagedRows *staged;
  uint64_t hash;
} Picture;

static Picture picture(const Fixture *fixture) {
  const CommandBuffer *buffer = fixture->buffer;
  const EntityIndex *index = &fixture->world->store.index;
  return (Picture){buffer->entity_count,
                   buffer->command_count,
                   run_total(fixture),
                   index->alive_count,
                   index->retired_count,
                   buffer->staged,
                   ecs_world_hash(fixture->world)};
}

static void assert_as_before(const Fixture *fixture, Picture before) {
  Picture now = picture(fixture);
  assert_int_equal(now.recorded, before.recorded);
  assert_int_equal(now.commands, before.commands);
  assert_int_equal(now.runs, before.runs);
  assert_int_equal(now.alive, before.alive);
  assert_int_equal(now.retired, before.retired);
  assert_ptr_equal(now.staged, before.staged);
  assert_true(now.hash == before.hash);
}

/* Taking back ------------------------------------------------------------- */

TEST(rewinding_takes_back_what_came_after_the_mark) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity old = placed(&fixture), other = placed(&fixture);
  const A image = {1, 2};
  (void)record(&fixture, COMMAND_ADD, old, fixture.a, &image, 0);
  ecs_Entity kept = record_spawn(&fixture);
  (void)record_tag(&fixture, kept);
  CommandMark mark = command_mark(fixture.buffer);
  Picture before = picture(&fixture);
  ecs_Entity born = record_spawn(&fixture);
  (void)record_tag(&fixture, old);
  (void)record_tag(&fixture, other);
  (void)record_tag(&fixture, born);
  (void)record(&fixture, COMMAND_DESTROY, kept, 0, NULL, 0);
  (void)record(&fixture, COMMAND_DESTROY, old, 0, NULL, 0);
  command_rewind(fixture.buffer, mark);
  assert_int_equal(fixture.buffer->entity_count, before.recorded);
  assert_int_equal(fixture.buffer->command_count, before.commands);
  assert_int_equal(run_total(&fixture), before.runs);
  assert_null(fixture.buffer->open);
  assert_int_equal(fixture.world->store.index.alive_count, before.alive);
  assert_null(command_find(fixture.buffer, other));
  assert_null(command_find(fixture.buffer, born));
  assert_false(store_alive(&fixture.world->store, born));
  assert_true(store_alive(&fixture.world->store, kept));
  assert_false(is_recorded_destroyed(fixture.buffer,
                                     command_find(fixture.buffer, kept)));
  assert_int_equal(newest(&fixture, old).component, fixture.a);
  assert_true(((const A *)newest(&fixture, old).image)->y == 2);
  assert_chains_hold(&fixture);
  (void)record_tag(&fixture, other);
  (void)record_tag(&fixture, old);
  assert_int_equal(fixture.buffer->entity_count, 3);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

TEST(a_handle_that_was_taken_back_is_never_issued_again) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity first = record_spawn(&fixture), second = record_spawn(&fixture);
  command_rewind(fixture.buffer, (CommandMark){0});
  assert_int_equal(fixture.world->store.index.alive_count, 0);
  /* Indices were returned newest first, so the oldest is issued next. */
  ecs_Entity next = record_spawn(&fixture);
  assert_int_equal(id_index(next), id_index(first));
  assert_int_equal(id_generation(next), id_generation(first) + 1);
  assert_null(command_find(fixture.buffer, first));
  assert_null(command_find(fixture.buffer, second));
  finish(&fixture);
}

TEST(rewinding_to_the_start_begins_with_the_first_page) {
  Fixture fixture;
  start(&fixture);
  CommandMark mark = command_mark(fixture.buffer);
  fill_pages(&fixture, 3);
  command_rewind(fixture.buffer, mark);
  assert_int_equal(fixture.buffer->page_count, 0);
  uint64_t requests = fixture.failing.requests;
  fill_pages(&fixture, 3);
  assert_int_equal(fixture.failing.requests, requests);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

TEST(what_was_kept_is_not_overwritten_after_rewinding) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  const A image = {1, 2}, later = {3, 4};
  Command kept = record(&fixture, COMMAND_ADD, entity, fixture.a, &image, 0);
  CommandMark mark = command_mark(fixture.buffer);
  for (uint32_t round = 0; round < 3; round++) {
    for (uint32_t i = 0; i < 9; i++)
      (void)record(&fixture, COMMAND_SET, entity, fixture.a, &later, 3);
    command_rewind(fixture.buffer, mark);
    assert_true(fixture.buffer->page_count > 0);
  }
  (void)record(&fixture, COMMAND_SET, entity, fixture.a, &later, 3);
  assert_true(((const A *)kept.image)->x == 1);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

TEST(staged_rows_after_the_mark_are_freed_and_others_stay) {
  Fixture fixture;
  start(&fixture);
  Bundle *bundle = bundle_of(&fixture, &fixture.a, 1);
  const StagedRows *first = record_staged(&fixture, bundle, 2);
  CommandMark mark = command_mark(fixture.buffer);
  assert_ptr_equal(mark.staged, first);
  uint64_t blocks = fixture.failing.blocks;
  uint32_t alive = fixture.world->store.index.alive_count;
  (void)record_staged(&fixture, bundle, 3);
  (void)record_staged(&fixture, bundle, 1);
  assert_int_equal(fixture.world->store.index.alive_count, alive + 4);
  command_rewind(fixture.buffer, mark);
  assert_ptr_equal(fixture.buffer->staged, first);
  assert_int_equal(fixture.buffer->entity_count, 2);
  assert_int_equal(fixture.world->store.index.alive_count, alive);
  assert_true(fixture.failing.blocks <= blocks + 4); /* pages may stay */
  assert_int_equal(first->table->count, 2);
  finish(&fixture);
}

TEST(resetting_forgets_but_frees_no_handle) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture), born = record_spawn(&fixture);
  (void)record_tag(&fixture, entity);
  (void)record_staged(&fixture, bundle_of(&fixture, NULL, 0), 2);
  uint32_t alive = fixture.world->store.index.alive_count;
  command_reset(fixture.buffer);
  assert_int_equal(fixture.world->store.index.alive_count, alive);
  assert_int_equal(fixture.buffer->entity_count, 0);
  assert_int_equal(fixture.buffer->command_count, 0);
  assert_int_equal(fixture.buffer->page_count, 0);
  assert_null(fixture.buffer->open);
  assert_null(fixture.buffer->staged);
  (void)record_tag(&fixture, entity); /* a new chain, not the old one's end */
  assert_int_equal(fixture.buffer->entity_count, 1);
  assert_null(command_find(fixture.buffer, born));
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* Limits and failures ----------------------------------------------------- */

TEST(a_record_over_the_limit_of_commands_is_refused_whole) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture), born = 0;
  const ecs_Component what[] = {fixture.a, fixture.b};
  Bundle *two = bundle_of(&fixture, what, 2);
  const StagedRows *staged = NULL;
  uint32_t first = fixture.buffer->command_count;
  (void)record_tag(&fixture, entity);
  /* The limit itself is too high to reach in every build. */
  fixture.buffer->command_count = ECS_COMMAND_LIMIT - 3;
  assert_int_equal(command_record_staged(fixture.buffer, two, 4, &staged),
                   ECS_E_LIMIT);
  assert_int_equal(fixture.buffer->command_count, ECS_COMMAND_LIMIT - 3);
  assert_int_equal(command_record_spawn(fixture.buffer, two, NULL, &born),
                   ECS_OK);
  assert_int_equal(fixture.buffer->command_count, ECS_COMMAND_LIMIT);
  Picture before = picture(&fixture);
  assert_int_equal(
      command_record(fixture.buffer, COMMAND_ADD, entity, fixture.tag, NULL, 0),
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
  fixture.buffer->command_count = first + 6; /* a tag, a spawn, two tags */
  assert_chains_hold(&fixture);
  finish(&fixture);
}

#ifdef ECS_TINY
TEST(spawns_end_at_the_limit_of_indices) {
  Fixture fixture;
  start(&fixture);
  Bundle *bundle = bundle_of(&fixture, &fixture.a, 1);
  const StagedRows *staged = NULL;
  ecs_Entity entity = 0;
  Picture before = picture(&fixture);
  assert_int_equal(
      command_record_staged(fixture.buffer, bundle, ECS_INDEX_LIMIT, &staged),
      ECS_E_LIMIT);
  assert_as_before(&fixture, before);
  for (uint32_t i = 1; i < ECS_INDEX_LIMIT; i++) (void)record_spawn(&fixture);
  before = picture(&fixture);
  assert_int_equal(command_record_spawn(fixture.buffer, bundle, NULL, &entity),
                   ECS_E_LIMIT);
  assert_int_equal(command_record_staged(fixture.buffer, bundle, 1, &staged),
                   ECS_E_LIMIT);
  assert_as_before(&fixture, before);
  finish(&fixture);
}
#endif

/* One way to record, as a function of the fixture. */
typedef ecs_Status (*Recording)(Fixture *fixture, ecs_Entity entity);

static ecs_Status change(Fixture *fixture, ecs_Entity entity) {
  double big[BIG_FIELDS] = {0};
  return command_record(fixture->buffer, COMMAND_SET, entity, fixture->big, big,
                        UINT64_MAX);
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
  const StagedRows *staged = NULL;
  (void)entity;
  return command_record_staged(fixture->buffer, bundle_of(fixture, what, 3), 9,
                               &staged);
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
  if (something_recorded) fill_pages(&fixture, 4);
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

TEST(every_allocation_of_a_recording_may_fail) {
  static const Recording recordings[] = {change, birth, staging};
  for (size_t i = 0; i < 3; i++)
    for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
      fail_everywhere(recordings[i], (FailingMode)mode, false);
      fail_everywhere(recordings[i], (FailingMode)mode, true);
    }
}

TEST(failed_staging_gives_its_memory_back) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component what[] = {fixture.a, fixture.tag};
  Bundle *bundle = bundle_of(&fixture, what, 2);
  const StagedRows *staged = NULL;
  (void)record_staged(&fixture, bundle, 9); /* all pages exist now */
  command_rewind(fixture.buffer, (CommandMark){0});
  uint64_t blocks = fixture.failing.blocks, injected = 0, nth = 0;
  do {
    failing_memory_arm(&fixture.failing, ++nth, FAIL_ONCE);
    (void)command_record_staged(fixture.buffer, bundle, 9, &staged);
    injected = failing_memory_disarm(&fixture.failing);
    if (injected > 0) assert_int_equal(fixture.failing.blocks, blocks);
  } while (injected > 0);
  /* the staged rows, their schemas, a mask, a table, a slab */
  assert_true(nth > 4);
  finish(&fixture);
}

TEST(rewinding_gives_the_room_back) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[2] = {placed(&fixture), placed(&fixture)};
  assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
  (void)record_tag(&fixture, e[0]);
  CommandMark mark = command_mark(fixture.buffer);
  for (int i = 0; i < 3; i++) {
    for (uint32_t k = 0; k < 4 * ECS_COMMAND_PAGE / PLAIN; k++)
      (void)record_tag(&fixture, e[k % 2]);
    assert_true(fixture.buffer->page_count > mark.page_count);
    command_rewind(fixture.buffer, mark);
    assert_int_equal(fixture.buffer->page_count, mark.page_count);
    assert_int_equal(fixture.buffer->pages[mark.page_count - 1].used_bytes,
                     mark.used_bytes);
  }
  finish(&fixture);
}

TEST(a_world_ends_with_its_recording) {
  Fixture fixture;
  start(&fixture);
  gather(&fixture);
  assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
  fill_pages(&fixture, 18);
  (void)record_staged(&fixture, bundle_of(&fixture, &fixture.a, 1), 4);
  (void)record_spawn(&fixture);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rewinding_takes_back_what_came_after_the_mark),
      cmocka_unit_test(a_handle_that_was_taken_back_is_never_issued_again),
      cmocka_unit_test(rewinding_to_the_start_begins_with_the_first_page),
      cmocka_unit_test(what_was_kept_is_not_overwritten_after_rewinding),
      cmocka_unit_test(staged_rows_after_the_mark_are_freed_and_others_stay),
      cmocka_unit_test(resetting_forgets_but_frees_no_handle),
      cmocka_unit_test(a_record_over_the_limit_of_commands_is_refused_whole),
#ifdef ECS_TINY
      cmocka_unit_test(spawns_end_at_the_limit_of_indices),
#endif
      cmocka_unit_test(every_allocation_of_a_recording_may_fail),
      cmocka_unit_test(failed_staging_gives_its_memory_back),
      cmocka_unit_test(rewinding_gives_the_room_back),
      cmocka_unit_test(a_world_ends_with_its_recording),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

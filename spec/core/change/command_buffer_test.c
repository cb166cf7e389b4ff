/* command_buffer_test.c: recording changes without applying them.
 *
 * Nothing is applied here (command_flush_test.c does that): the tests look at
 * entities, chains, runs, pages and staged rows as drawn in command_buffer.h.
 */
#include "command_buffer_fixture.h"
#include "test_case.h"

/* What the run of a staged row takes of a page. */
#define STAGED (sizeof(CommandRun) + sizeof(StagedRow))

/* Recording --------------------------------------------------------------- */

TEST(a_new_buffer_holds_nothing_and_costs_nothing) {
  Fixture fixture;
  start(&fixture);
  uint64_t requests = fixture.failing.requests;
  CommandBuffer buffer;
  memset(&buffer, 0xff, sizeof buffer);
  command_buffer_init(&buffer, &fixture.world->store);
  assert_ptr_equal(buffer.store, &fixture.world->store);
  assert_null(command_find(&buffer, id_make(1, 0)));
  assert_int_equal(command_mark(&buffer).page_count, 0);
  RunWalk walk = {0, 0};
  assert_null(command_next_run(&buffer, &walk));
  assert_true(command_buffer_check_invariants(&buffer));
  assert_null(command_mark(&buffer).staged);
  assert_int_equal(buffer.command_count, 0);
  command_buffer_deinit(&buffer);
  assert_int_equal(fixture.failing.requests, requests);
  finish(&fixture);
}

TEST(entities_stand_in_the_order_of_their_first_record) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[3] = {placed(&fixture), placed(&fixture), placed(&fixture)};
  const int order[] = {2, 0, 2, 1, 0, 2};
  for (size_t i = 0; i < 6; i++) (void)record_tag(&fixture, e[order[i]]);
  assert_int_equal(fixture.buffer->entity_count, 3);
  assert_int_equal(fixture.buffer->command_count, 6);
  assert_int_equal(fixture.buffer->entities[0].entity, e[2]);
  assert_int_equal(fixture.buffer->entities[1].entity, e[0]);
  assert_int_equal(fixture.buffer->entities[2].entity, e[1]);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

TEST(a_command_says_what_was_asked) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  A image = {1, 2};
  Command set = record(&fixture, COMMAND_SET, entity, fixture.a, &image, 2);
  image = (A){8, 9}; /* copied: this no longer matters */
  assert_int_equal(set.kind, COMMAND_SET);
  assert_int_equal(set.component, fixture.a);
  assert_true(set.fields == 2);
  const A *kept = set.image;
  assert_true(kept->x == 1 && kept->y == 2);
  Command add =
      record(&fixture, COMMAND_ADD, entity, fixture.big, NULL, UINT64_MAX);
  assert_int_equal(add.kind, COMMAND_ADD);
  assert_null(add.image);
  assert_true(add.fields == UINT64_MAX);
  Command remove = record(&fixture, COMMAND_REMOVE, entity, fixture.a, NULL, 0);
  assert_int_equal(remove.kind, COMMAND_REMOVE);
  const EntityCommands *commands = command_find(fixture.buffer, entity);
  assert_false(is_recorded_destroyed(fixture.buffer, commands));
  (void)record(&fixture, COMMAND_DESTROY, entity, 0, NULL, 0);
  assert_true(is_recorded_destroyed(fixture.buffer, commands));
  Command list[4];
  assert_int_equal(command_shape(fixture.buffer, commands)->length, 4);
  command_list(fixture.buffer, commands, list);
  assert_ptr_equal(list[0].image, set.image);
  assert_true(list[0].fields == 2);
  static const CommandKind kinds[] = {COMMAND_SET, COMMAND_ADD, COMMAND_REMOVE,
                                      COMMAND_DESTROY};
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(list[i].kind, kinds[i]);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* A set without an image has a mask of fields still. */
TEST(the_image_of_a_tag_is_nothing) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  Command command =
      record(&fixture, COMMAND_ADD, entity, fixture.tag, "noise", 0);
  assert_null(command.image);
  assert_int_equal(fixture.buffer->pages[0].used_bytes, PLAIN);
  command = record(&fixture, COMMAND_SET, entity, fixture.tag, "noise", 12);
  assert_null(command.image);
  assert_true(command.fields == 12);
  assert_int_equal(fixture.buffer->pages[0].used_bytes, PLAIN + 8);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

TEST(an_image_of_one_byte_is_an_image) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  ecs_Component byte = define(&fixture, "Byte", ECS_U8, 1, 0, ECS_STORE_TABLE);
  const uint8_t image = 200;
  Command command = record(&fixture, COMMAND_ADD, entity, byte, &image, 0);
  assert_non_null(command.image);
  assert_int_equal(*(const uint8_t *)command.image, 200);
  assert_int_equal(fixture.buffer->pages[0].used_bytes, PLAIN + 8);
  finish(&fixture);
}

TEST(an_entity_is_found_by_its_whole_handle) {
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

/* Runs -------------------------------------------------------------------- */

TEST(commands_of_one_entity_in_a_row_are_one_run) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[2] = {placed(&fixture), placed(&fixture)};
  const A image = {1, 2};
  for (uint32_t i = 0; i < 3; i++) (void)record_tag(&fixture, e[0]);
  (void)record(&fixture, COMMAND_SET, e[0], fixture.a, &image, 3);
  assert_int_equal(run_total(&fixture), 1);
  const CommandRun *run = fixture.buffer->open;
  assert_int_equal(run_length(fixture.buffer, run), 4);
  assert_int_equal(fixture.buffer->pages[0].used_bytes,
                   PLAIN + 8 + sizeof image);
  (void)record_tag(&fixture, e[1]); /* another entity */
  assert_int_equal(run_total(&fixture), 2);
  (void)record_tag(&fixture, e[0]); /* its first run is not the last one */
  assert_int_equal(run_total(&fixture), 3);
  assert_int_equal(runs_of(&fixture, e[0]), 2);
  assert_int_equal(run_length(fixture.buffer, run), 4);
  assert_ptr_equal(fixture.buffer->open->previous, run);
  (void)record_tag(&fixture, e[0]);
  assert_int_equal(run_total(&fixture), 3);
  (void)command_mark(fixture.buffer); /* what follows may be taken back */
  assert_null(fixture.buffer->open);
  (void)record_tag(&fixture, e[0]);
  assert_int_equal(run_total(&fixture), 4);
  assert_int_equal(runs_of(&fixture, e[0]), 3);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

TEST(a_spawn_is_a_run_that_grows) {
  Fixture fixture;
  start(&fixture);
  const A image = {1, 2};
  ecs_Entity born = record_spawn(&fixture);
  (void)record(&fixture, COMMAND_ADD, born, fixture.a, &image, UINT64_MAX);
  (void)record_tag(&fixture, born);
  assert_int_equal(run_total(&fixture), 1);
  assert_int_equal(fixture.buffer->pages[0].used_bytes, WITH_A);
  ecs_Entity next = record_spawn(&fixture);
  (void)record_tag(&fixture, born);
  assert_int_equal(runs_of(&fixture, born), 2);
  assert_int_equal(runs_of(&fixture, next), 1);
  /* Of several spawns only the last may go on. */
  (void)record_staged(&fixture, bundle_of(&fixture, &fixture.b, 1), 2);
  ecs_Entity staged[2] = {fixture.buffer->entities[2].entity,
                          fixture.buffer->entities[3].entity};
  (void)record_tag(&fixture, staged[1]);
  (void)record_tag(&fixture, staged[0]);
  assert_int_equal(runs_of(&fixture, staged[1]), 1);
  assert_int_equal(runs_of(&fixture, staged[0]), 2);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* A run ends with its page; values never lie in two. Where there are none, the
 * run goes on in a full page. */
TEST(a_run_ends_where_its_page_is_full) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = placed(&fixture);
  const A image = {1, 2};
  size_t left = (ECS_COMMAND_PAGE - PLAIN) / sizeof image;
  for (size_t i = 0; i < left; i++)
    (void)record(&fixture, COMMAND_ADD, entity, fixture.a, &image, UINT64_MAX);
  assert_int_equal(run_total(&fixture), 1);
  assert_int_equal(fixture.buffer->pages[0].used_bytes, ECS_COMMAND_PAGE);
  (void)record_tag(&fixture, entity);
  assert_int_equal(run_total(&fixture), 1);
  assert_int_equal(fixture.buffer->page_count, 1);
  (void)record(&fixture, COMMAND_ADD, entity, fixture.a, &image, UINT64_MAX);
  assert_int_equal(run_total(&fixture), 2);
  assert_int_equal(fixture.buffer->page_count, 2);
  assert_int_equal(fixture.buffer->pages[1].used_bytes, WITH_A);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* Pages ------------------------------------------------------------------- */

TEST(a_page_is_filled_to_its_end) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[2] = {placed(&fixture), placed(&fixture)};
  uint32_t fit = (uint32_t)(ECS_COMMAND_PAGE / PLAIN);
  for (uint32_t i = 0; i < fit; i++) {
    assert_int_equal(command_record(fixture.buffer, COMMAND_ADD, e[i % 2],
                                    fixture.tag, NULL, 0),
                     ECS_OK);
    assert_int_equal(fixture.buffer->page_count, 1);
    assert_int_equal(fixture.buffer->pages[0].used_bytes, (i + 1) * PLAIN);
  }
  assert_int_equal(fixture.buffer->pages[0].bytes, ECS_COMMAND_PAGE);
  (void)record_tag(&fixture, e[0]);
  assert_int_equal(fixture.buffer->page_count, 2);
  assert_int_equal(fixture.buffer->pages[1].used_bytes, PLAIN);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

TEST(images_of_all_sizes_lie_side_by_side_unharmed) {
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
  Command list[48], *at = list;
  const EntityCommands *commands = command_find(fixture.buffer, entity);
  assert_int_equal(command_shape(fixture.buffer, commands)->length, 48);
  command_list(fixture.buffer, commands, list);
  for (uint32_t round = 0; round < 12; round++) {
    assert_int_equal(*(const uint16_t *)at++->image, round + 7);
    const double *image = at++->image;
    for (uint32_t i = 0; i < BIG_FIELDS; i++)
      assert_true(image[i] == round * 100.0 + i);
    assert_null(at++->image);
    assert_true(((const A *)at++->image)->y == -(double)round);
  }
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* A record larger than an ordinary page gets a page of its own size. */
TEST(a_record_larger_than_a_page_gets_a_page_that_fits) {
  Fixture fixture;
  start(&fixture);
  uint32_t count = (uint32_t)(ECS_COMMAND_PAGE / STAGED) + 10;
  ecs_Entity entity = placed(&fixture);
  (void)record_tag(&fixture, entity);
  (void)record_staged(&fixture, bundle_of(&fixture, &fixture.b, 1), count);
  assert_int_equal(fixture.buffer->page_count, 2);
  assert_int_equal(fixture.buffer->pages[1].bytes, count * STAGED);
  assert_int_equal(fixture.buffer->pages[1].used_bytes, count * STAGED);
  (void)record_tag(&fixture, entity);
  assert_int_equal(fixture.buffer->page_count, 3);
  assert_int_equal(fixture.buffer->pages[2].bytes, ECS_COMMAND_PAGE);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* A kept page that is too small is exchanged; a larger one is used. */
TEST(pages_that_stay_are_used_where_they_fit) {
  Fixture fixture;
  start(&fixture);
  uint32_t count = (uint32_t)(ECS_COMMAND_PAGE / STAGED) + 10;
  Bundle *bundle = bundle_of(&fixture, NULL, 0);
  ecs_Entity entity = placed(&fixture);
  (void)record_tag(&fixture, entity);
  command_reset(fixture.buffer);
  (void)record_staged(&fixture, bundle, count);
  assert_int_equal(fixture.buffer->page_count, 1);
  assert_int_equal(fixture.buffer->pages[0].bytes, count * STAGED);
  command_rewind(fixture.buffer, (CommandMark){0});
  uint64_t requests = fixture.failing.requests;
  (void)record_tag(&fixture, entity);
  assert_int_equal(fixture.buffer->page_count, 1);
  assert_int_equal(fixture.buffer->pages[0].bytes, count * STAGED);
  assert_int_equal(fixture.buffer->pages[0].used_bytes, PLAIN);
  assert_int_equal(fixture.failing.requests, requests);
  finish(&fixture);
}

TEST(sixteen_pages_stay_for_the_next_recording) {
  Fixture fixture;
  start(&fixture);
  fill_pages(&fixture, 16);
  command_reset(fixture.buffer);
  uint64_t requests = fixture.failing.requests;
  fill_pages(&fixture, 16);
  assert_int_equal(fixture.failing.requests, requests);
  command_reset(fixture.buffer);
  fill_pages(&fixture, 40);
  command_reset(fixture.buffer);
  for (uint32_t i = 0; i < fixture.buffer->page_capacity; i++) {
    assert_int_equal(fixture.buffer->pages[i].memory != NULL, i < 16);
    assert_int_equal(fixture.buffer->pages[i].bytes,
                     i < 16 ? ECS_COMMAND_PAGE : 0);
  }
  requests = fixture.failing.requests;
  fill_pages(&fixture, 16);
  assert_int_equal(fixture.failing.requests, requests);
  finish(&fixture);
}

/* Each is a quarter of those before it, and they do not stay. */
TEST(pages_behind_those_that_stay_are_longer) {
  const uint32_t lengths[] = {4, 5, 6};
  Fixture fixture;
  start(&fixture);
  for (uint32_t i = 0, filled = 16; i < 3; i++) {
    filled += lengths[i];
    fill_pages(&fixture, filled);
    assert_int_equal(fixture.buffer->page_count, 17 + i);
    const CommandPage *last = &fixture.buffer->pages[16 + i];
    assert_int_equal(last->bytes, lengths[i] * ECS_COMMAND_PAGE);
    assert_int_equal(last->used_bytes, last->bytes);
    assert_chains_hold(&fixture);
    command_reset(fixture.buffer);
  }
  for (uint32_t i = 16; i < fixture.buffer->page_capacity; i++)
    assert_null(fixture.buffer->pages[i].memory);
  finish(&fixture);
}

/* Spawns ------------------------------------------------------------------ */

TEST(a_recorded_spawn_adds_its_components_in_order) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component what[] = {fixture.tag, fixture.big, fixture.a, fixture.b};
  const A image = {3, 4};
  const uint16_t small = 9;
  const void *values[] = {NULL, NULL, &image, &small};
  ecs_Entity entity = 0;
  assert_int_equal(
      command_record_spawn(fixture.buffer, bundle_of(&fixture, what, 4), values,
                           &entity),
      ECS_OK);
  assert_true(store_is_reserved(&fixture.world->store, entity));
  Command list[5];
  const EntityCommands *commands = command_find(fixture.buffer, entity);
  assert_int_equal(command_shape(fixture.buffer, commands)->length, 5);
  command_list(fixture.buffer, commands, list);
  assert_int_equal(list[0].kind, COMMAND_SPAWN);
  assert_null(list[0].image);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(list[i + 1].kind, COMMAND_ADD);
    assert_int_equal(list[i + 1].component, what[i]);
    assert_int_equal(list[i + 1].image != NULL, values[i] != NULL);
    assert_true(list[i + 1].fields == UINT64_MAX);
  }
  assert_true(((const A *)list[3].image)->y == 4);
  assert_int_equal(*(const uint16_t *)list[4].image, 9);
  assert_int_equal(fixture.buffer->command_count, 5);
  assert_int_equal(fixture.buffer->entity_count, 1);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

TEST(a_spawn_without_values_takes_no_more_than_its_run) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component what[] = {fixture.a, fixture.big, fixture.b};
  const A image = {3, 4};
  const void *values[] = {&image, NULL, NULL};
  ecs_Entity entity = 0;
  Bundle *bundle = bundle_of(&fixture, what, 3);
  assert_int_equal(command_record_spawn(fixture.buffer, bundle, NULL, &entity),
                   ECS_OK);
  const CommandPage *pages = fixture.buffer->pages;
  assert_int_equal(pages[0].used_bytes, PLAIN);
  command_rewind(fixture.buffer, (CommandMark){0});
  assert_int_equal(
      command_record_spawn(fixture.buffer, bundle, values, &entity), ECS_OK);
  assert_int_equal(pages[0].used_bytes, WITH_A);
  assert_int_equal(pages[0].bytes, ECS_COMMAND_PAGE);
  finish(&fixture);
}

/* Spawns and destroys entities until the free list has indices of several
 * pages, then records more spawns than there are free indices. */
TEST(spawns_recycle_first_and_go_on_with_fresh_indices) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[20];
  for (uint32_t i = 0; i < 20; i++) e[i] = placed(&fixture);
  static const uint32_t gone[] = {17, 2, 9};
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(ecs_destroy(fixture.world, e[gone[i]]), ECS_OK);
  uint32_t used = fixture.world->store.index.used;
  const StagedRows *staged =
      record_staged(&fixture, bundle_of(&fixture, NULL, 0), 3 + 14);
  const ecs_Entity *born = staged->table->entities;
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(born[i], id_make(id_index(e[gone[2 - i]]), 1));
  for (uint32_t i = 0; i < 14; i++)
    assert_int_equal(born[3 + i], id_make(used + i, 0));
  for (uint32_t i = 0; i < 17; i++)
    assert_ptr_equal(command_find(fixture.buffer, born[i]),
                     &fixture.buffer->entities[i]);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

TEST(every_single_spawn_can_be_found) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[30];
  for (uint32_t i = 0; i < 10; i++) e[i] = placed(&fixture);
  assert_int_equal(ecs_destroy(fixture.world, e[8]), ECS_OK);
  assert_int_equal(ecs_destroy(fixture.world, e[1]), ECS_OK);
  for (uint32_t i = 0; i < 30; i++) e[i] = record_spawn(&fixture);
  for (uint32_t i = 0; i < 30; i++)
    assert_ptr_equal(command_find(fixture.buffer, e[i]),
                     &fixture.buffer->entities[i]);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* Staged rows ------------------------------------------------------------- */

TEST(staged_rows_are_a_table_of_defaults) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component what[] = {fixture.sparse, fixture.tag, fixture.a};
  Bundle *bundle = bundle_of(&fixture, what, 3);
  const StagedRows *staged = record_staged(&fixture, bundle, 5);
  assert_ptr_equal(staged->bundle, bundle);
  assert_int_equal(staged->table->count, 5);
  assert_true(table_has(staged->table, 0) && table_has(staged->table, 1) &&
              table_has(staged->table, 2));
  assert_false(table_has_columns(staged->table, 1));
  assert_null(staged->schemas[1]);
  const ColumnCode *codes = table_codes(staged->table, 2);
  for (uint32_t row = 0; row < 5; row++) {
    Command command = newest(&fixture, fixture.buffer->entities[row].entity);
    const StagedRow *value = command.image;
    float s;
    A a;
    memcpy(&s,
           table_element(staged->table, table_codes(staged->table, 0)[0], row),
           sizeof s);
    memcpy(&a.x, table_element(staged->table, codes[0], row), 8);
    memcpy(&a.y, table_element(staged->table, codes[1], row), 8);
    assert_true(s == 3 && a.x == 5 && a.y == 6);
    assert_int_equal(command.kind, COMMAND_SPAWN);
    assert_ptr_equal(value->staged, staged);
    assert_int_equal(value->row, row);
    assert_int_equal(staged->table->entities[row],
                     fixture.buffer->entities[row].entity);
  }
  assert_int_equal(fixture.buffer->command_count, 5);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

TEST(staged_rows_may_be_none) {
  Fixture fixture;
  start(&fixture);
  CommandMark mark = command_mark(fixture.buffer);
  const StagedRows *staged =
      record_staged(&fixture, bundle_of(&fixture, &fixture.a, 1), 0);
  assert_int_equal(staged->table->count, 0);
  assert_int_equal(fixture.buffer->entity_count, 0);
  command_rewind(fixture.buffer, mark);
  assert_null(fixture.buffer->staged);
  finish(&fixture);
}

TEST(staged_rows_of_one_world_are_linked) {
  Fixture fixture;
  start(&fixture);
  const StagedRows *first =
      record_staged(&fixture, bundle_of(&fixture, &fixture.a, 1), 2);
  const StagedRows *second =
      record_staged(&fixture, bundle_of(&fixture, &fixture.b, 1), 3);
  assert_null(first->previous);
  assert_ptr_equal(second->previous, first);
  assert_int_equal(fixture.buffer->entity_count, 5);
  command_reset(fixture.buffer);
  assert_null(fixture.buffer->staged);
  finish(&fixture);
}

#ifndef ECS_TINY
/* More components than one word of a mask has bits. */
TEST(staged_rows_may_have_many_components) {
  Fixture fixture;
  start(&fixture);
  ecs_Component what[130];
  for (uint32_t i = 0; i < 130; i++) {
    char name[16];
    snprintf(name, sizeof name, "C%u", (unsigned)i);
    what[i] = define(&fixture, name, ECS_U16, i % 3, i, ECS_STORE_TABLE);
  }
  const StagedRows *staged =
      record_staged(&fixture, bundle_of(&fixture, what, 130), 2);
  for (uint32_t i = 0; i < 130; i++) {
    assert_true(table_has(staged->table, i));
    assert_int_equal(table_has_columns(staged->table, i), i % 3 > 0);
    if (i % 3 == 0) continue;
    uint16_t value;
    memcpy(&value,
           table_element(staged->table, table_codes(staged->table, i)[0], 1),
           2);
    assert_int_equal(value, i);
  }
  assert_false(table_has(staged->table, 130));
  finish(&fixture);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_buffer_holds_nothing_and_costs_nothing),
      cmocka_unit_test(entities_stand_in_the_order_of_their_first_record),
      cmocka_unit_test(a_command_says_what_was_asked),
      cmocka_unit_test(the_image_of_a_tag_is_nothing),
      cmocka_unit_test(an_image_of_one_byte_is_an_image),
      cmocka_unit_test(an_entity_is_found_by_its_whole_handle),
      cmocka_unit_test(commands_of_one_entity_in_a_row_are_one_run),
      cmocka_unit_test(a_spawn_is_a_run_that_grows),
      cmocka_unit_test(a_run_ends_where_its_page_is_full),
      cmocka_unit_test(a_page_is_filled_to_its_end),
      cmocka_unit_test(images_of_all_sizes_lie_side_by_side_unharmed),
      cmocka_unit_test(a_record_larger_than_a_page_gets_a_page_that_fits),
      cmocka_unit_test(pages_that_stay_are_used_where_they_fit),
      cmocka_unit_test(sixteen_pages_stay_for_the_next_recording),
      cmocka_unit_test(pages_behind_those_that_stay_are_longer),
      cmocka_unit_test(a_recorded_spawn_adds_its_components_in_order),
      cmocka_unit_test(a_spawn_without_values_takes_no_more_than_its_run),
      cmocka_unit_test(spawns_recycle_first_and_go_on_with_fresh_indices),
      cmocka_unit_test(every_single_spawn_can_be_found),
      cmocka_unit_test(staged_rows_are_a_table_of_defaults),
      cmocka_unit_test(staged_rows_may_be_none),
      cmocka_unit_test(staged_rows_of_one_world_are_linked),
#ifndef ECS_TINY
      cmocka_unit_test(staged_rows_may_have_many_components),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

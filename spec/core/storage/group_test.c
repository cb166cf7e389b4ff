/* group_test.c: the tables of a group, found by mask, dropped again, and
 * unchanged by what failed.
 *
 * assert_group_sound computes hashes, edges and matches again after each step.
 */
#include "group_fixture.h"
#include "test_case.h"

static uint32_t next_random(uint32_t *seed) {
  *seed = *seed * 1103515245u + 12345u;
  return *seed >> 16;
}

/* Lifetime ---------------------------------------------------------------- */

TEST(a_group_starts_empty_with_its_summary) {
  for (uint32_t id = 0; id < 20; id++) {
    FailingMemory failing;
    Memory memory;
    memory_init(&memory, failing_memory_init(&failing), 0);
    Group *group = group_create(&memory, id, id % 2 == 1);
    assert_int_equal(group->id, id);
    assert_int_equal(group->locator.narrow, id % 2 == 1);
    assert_int_equal(group->summary, id == 0 ? 0
                                     : id < ECS_NEAR_GROUPS
                                         ? UINT32_C(0x1000000) << (id - 1) % 3
                                         : UINT32_C(0x4000000));
    assert_int_equal(group->table_count, 0);
    assert_null(group_find_table(group, (Mask){0}));
    assert_int_equal(group_words(group), 0);
    group_destroy(group, &memory);
    group_destroy(NULL, &memory);
    assert_int_equal(failing.blocks, 0);
    failing_memory_arm(&failing, 1, FAIL_ONCE);
    assert_null(group_create(&memory, id, false));
  }
}

TEST(components_get_bits_in_order) {
  Gang gang;
  open_gang(&gang, 3);
  Group *group = gang.group;
  for (uint32_t i = 3; i < 70; i++) {
    assert_int_equal(group_add_component(group, &gang.memory, i + 1,
                                         gang.kinds[i % 2], i % 2 == 1),
                     ECS_OK);
    assert_int_equal(group->component_count, i + 1);
    assert_int_equal(group->components[i].component, i + 1);
    assert_int_equal(group_is_bits(group, i), i % 2);
    assert_int_equal(group->components[i].bits_index,
                     i % 2 == 1 ? (i - 3) / 2 : GROUP_NOT_BITS);
    assert_ptr_equal(group->schemas[i], i % 2 == 1 ? NULL : gang.kinds[0]);
    assert_int_equal(group_words(group), i < 64 ? 1 : 2);
    assert_int_equal(group_bits_columns(group, i),
                     i % 2 == 1 ? (i - 3) / 2 / 8 + 1 : 0);
  }
  assert_int_equal(group->component_count, 70);
  assert_group_sound(group);
  close_gang(&gang);
}

TEST(a_refused_component_is_not_there) {
  for (uint64_t n = 1;; n++) {
    Gang gang;
    open_gang(&gang, 4);
    failing_memory_arm(&gang.failing, n, FAIL_ONCE);
    ecs_Status status =
        group_add_component(gang.group, &gang.memory, 5, gang.kinds[0], true);
    bool failed = failing_memory_disarm(&gang.failing) > 0;
    assert_int_equal(status, failed ? ECS_E_MEMORY : ECS_OK);
    assert_int_equal(gang.group->component_count, failed ? 4 : 5);
    assert_int_equal(gang.group->bits_count, failed ? 0 : 1);
    ensure(&gang, 15);
    assert_group_sound(gang.group);
    close_gang(&gang);
    if (!failed) break;
    assert_true(n < 3);
  }
}

/* Tables ------------------------------------------------------------------ */

TEST(every_mask_has_one_table) {
  Gang gang;
  open_gang(&gang, 6);
  Table *tables[40];
  for (uint32_t i = 0; i < 40; i++) {
    uint64_t mask = i * 27 % 64, version = gang.group->version;
    assert_null(group_find_table(gang.group, mask_trim(&mask, 1)));
    tables[i] = ensure(&gang, mask);
    assert_int_equal(tables[i]->id, i);
    assert_true(gang.group->version > version);
    version = gang.group->version;
    assert_int_equal(gang.group->table_count, i + 1);
    assert_ptr_equal(ensure(&gang, mask), tables[i]);
    assert_int_equal(gang.group->table_count, i + 1);
    assert_int_equal(gang.group->version, version);
    assert_group_sound(gang.group);
  }
  for (uint32_t i = 0; i < 40; i++)
    assert_ptr_equal(ensure(&gang, i * 27 % 64), tables[i]);
  assert_true(gang.group->hash_capacity == 128);
  close_gang(&gang);
}

TEST(zero_words_around_a_mask_do_not_count) {
  Gang gang;
  open_gang(&gang, 200);
  uint64_t mask[4] = {0, 0, 0, 0};
  Table *table = NULL, *again = NULL;
  assert_int_equal(
      group_ensure_table(gang.group, &gang.memory, (Mask){0}, &table), ECS_OK);
  assert_int_equal(
      group_ensure_table(gang.group, &gang.memory, mask_trim(mask, 4), &again),
      ECS_OK);
  assert_ptr_equal(table, again);
  mask[1] = 5;
  assert_int_equal(
      group_ensure_table(gang.group, &gang.memory, mask_trim(mask, 4), &table),
      ECS_OK);
  assert_int_equal(table->mask.first, 1); /* the table keeps one word */
  assert_int_equal(table->mask.count, 1);
  for (uint32_t words = 2; words < 5; words++)
    assert_ptr_equal(group_find_table(gang.group, mask_trim(mask, words)),
                     table);
  assert_null(group_find_table(gang.group, mask_trim(&mask[1], 1)));
  mask[3] = 1;
  assert_null(group_find_table(gang.group, mask_trim(mask, 4)));
  assert_ptr_equal(group_find_table(gang.group, mask_trim(mask, 3)), table);
  assert_group_sound(gang.group);
  close_gang(&gang);
}

/* Masks of nine words and more do not fit the stack's eight. */
TEST(groups_of_many_components_have_long_masks) {
  const uint32_t counts[] = {1, 63, 64, 65, 128, 511, 512, 513, 577, 640};
  for (uint32_t i = 0; i < 10; i++) {
    Gang gang;
    open_gang(&gang, counts[i]);
    uint32_t bits[] = {0,
                       counts[i] - 1,
                       counts[i] / 2,
                       62 % counts[i],
                       64 % counts[i],
                       511 % counts[i]};
    const Table *table = ensure(&gang, 0);
    uint64_t blocks = gang.failing.blocks;
    for (uint32_t k = 0; k < 6; k++) {
      bool had = table_has(table, bits[k]);
      const Edge *edge = take_edge(&gang, table, bits[k]);
      assert_int_equal(edge->added, !had);
      table = gang.group->tables[edge->table];
      assert_int_equal(table_has(table, bits[k]), !had);
      assert_group_sound(gang.group);
    }
    /* Tables, their array, two hashes, edges: no mask is left behind. */
    assert_in_range(gang.failing.blocks, blocks, blocks + 8);
    close_gang(&gang);
  }
}

TEST(a_group_has_as_many_tables_as_the_limit_says) {
#ifdef ECS_TINY
  Gang gang;
  const Edge *edge = NULL;
  Table *table = NULL;
  open_gang(&gang, 7);
  for (uint32_t i = 0; i < ECS_TABLE_LIMIT; i++) ensure(&gang, i);
  uint64_t mask = ECS_TABLE_LIMIT, before = digest_group(gang.group);
  assert_int_equal(
      group_ensure_table(gang.group, &gang.memory, mask_trim(&mask, 1), &table),
      ECS_E_LIMIT);
  assert_int_equal(group_ensure_edge(gang.group, &gang.memory,
                                     gang.group->tables[0], 6, &edge),
                   ECS_E_LIMIT);
  assert_true(digest_group(gang.group) == before);
  assert_null(group_find_table(gang.group, mask_trim(&mask, 1)));
  ensure(&gang, ECS_TABLE_LIMIT - 1);
  assert_group_sound(gang.group);
  close_gang(&gang);
#endif
}

/* Edges ------------------------------------------------------------------- */

TEST(hashes_grow_when_half_of_their_room_is_used) {
  Gang gang;
  open_gang(&gang, 5);
  const uint32_t capacities[] = {4, 4, 8, 8, 16, 16, 16, 16, 32};
  for (uint32_t i = 0; i < 9; i++) {
    ensure(&gang, i * 3);
    assert_int_equal(gang.group->hash_capacity, capacities[i]);
  }
  assert_group_sound(gang.group);
  close_gang(&gang);
}

/* Dropping ---------------------------------------------------------------- */

/* Tables and edges at random: runs of colliding edges form and are torn. */
TEST(dropped_tables_take_their_edges_and_matches_along) {
  uint32_t seed = 7;
  Gang gang;
  MatchedTables all, some, others;
  open_gang(&gang, 9);
  make_match(&gang, &all, 0, 0, 0);
  make_match(&gang, &some, 1, 5, 0);
  make_match(&gang, &others, 2, 2, 16);
  ensure(&gang, 0);
  attach(&gang, &all);
  attach(&gang, &some);
  attach(&gang, &others);
  for (uint32_t round = 0; round < 300; round++) {
    for (uint32_t steps = next_random(&seed) % 40; steps > 0; steps--) {
      if (gang.group->table_count > 50) break;
      uint32_t id = next_random(&seed) % gang.group->table_count;
      take_edge(&gang, gang.group->tables[id], next_random(&seed) % 9);
    }
    assert_group_sound(gang.group);
    uint32_t before = gang.group->table_count;
    uint32_t count = 1 + next_random(&seed) % before;
    uint64_t version = gang.group->version;
    group_drop_tables(gang.group, &gang.memory, count);
    assert_int_equal(gang.group->table_count, count);
    assert_int_equal(gang.group->version > version, count < before);
    assert_group_sound(gang.group);
    group_drop_tables(gang.group, &gang.memory, before + 1);
    assert_int_equal(gang.group->table_count, count);
  }
  group_drop_tables(gang.group, &gang.memory, 0);
  assert_int_equal(gang.group->edges.count, 0);
  assert_int_equal(all.count, 0);
  assert_group_sound(gang.group);
  matched_tables_deinit(&all, &gang.memory);
  matched_tables_deinit(&some, &gang.memory);
  matched_tables_deinit(&others, &gang.memory);
  close_gang(&gang);
}

/* Failure ----------------------------------------------------------------- */

typedef enum Attempt {
  ATTEMPT_TABLE,
  ATTEMPT_EDGE,
  ATTEMPT_ATTACH,
  ATTEMPT_COUNT
} Attempt;

static ecs_Status attempt(Gang *gang, Attempt what, MatchedTables *match) {
  uint64_t mask[10] = {9, 0, 0, 0, 0, 0, 0, 0, 0, 2};
  Table *table = NULL;
  const Edge *edge = NULL;
  if (what == ATTEMPT_TABLE)
    return group_ensure_table(gang->group, &gang->memory, mask_trim(mask, 10),
                              &table);
  if (what == ATTEMPT_EDGE)
    return group_ensure_edge(gang->group, &gang->memory, gang->group->tables[2],
                             579, &edge);
  return group_attach(gang->group, &gang->memory, match);
}

/* With 4 and 8 tables, where hash, array, edges and lists have to grow. */
TEST(what_failed_leaves_the_group_as_it_was) {
  for (Attempt what = 0; what < ATTEMPT_COUNT; what++) {
    for (uint32_t tables = 3; tables < 9; tables++) {
      for (uint64_t n = 1;; n++) {
        Gang gang;
        MatchedTables matches[5];
        open_gang(&gang, 600);
        for (uint32_t i = 0; i < 5; i++)
          make_match(&gang, &matches[i], 1, 0, 0);
        for (uint32_t i = 0; i < 4; i++) attach(&gang, &matches[i]);
        for (uint32_t i = 0; i < tables; i++) ensure(&gang, i);
        take_edge(&gang, gang.group->tables[0], 0);
        take_edge(&gang, gang.group->tables[0], 1);
        uint64_t before = digest_group(gang.group);
        failing_memory_arm(&gang.failing, n, FAIL_ONCE);
        ecs_Status status = attempt(&gang, what, &matches[4]);
        bool failed = failing_memory_disarm(&gang.failing) > 0;
        assert_int_equal(status, failed ? ECS_E_MEMORY : ECS_OK);
        assert_int_equal(digest_group(gang.group) == before, failed);
        assert_group_sound(gang.group);
        assert_int_equal(attempt(&gang, what, &matches[4]), ECS_OK);
        if (failed) assert_group_sound(gang.group);
        for (uint32_t i = 0; i < 5; i++)
          matched_tables_deinit(&matches[i], &gang.memory);
        close_gang(&gang);
        if (!failed) break;
      }
    }
  }
}

/* Rows -------------------------------------------------------------------- */

TEST(a_row_is_copied_as_far_as_both_tables_have_it) {
  for (uint32_t from_mask = 0; from_mask < 32; from_mask++) {
    for (uint32_t to_mask = 0; to_mask < 32; to_mask++) {
      Gang gang;
      Image image;
      open_gang(&gang, 5);
      Table *from = ensure(&gang, from_mask);
      Table *to = ensure(&gang, to_mask);
      if (from == to) {
        close_gang(&gang);
        continue;
      }
      table_reserve_bits(from, &gang.memory, 1);
      table_reserve_bits(to, &gang.memory, 2);
      table_reserve(from, &gang.memory, 2);
      table_reserve(to, &gang.memory, 2);
      table_append(from, 1);
      table_append(from, 2);
      table_append(to, 3);
      table_append(to, 4);
      table_bits(from, 0)[1] = 0x55;
      for (uint32_t bit = 0; bit < 5; bit++) {
        if (!table_has_columns(from, bit)) continue;
        make_image(gang.kinds[bit], 20 + bit, &image);
        table_store(from, 1, bit, gang.kinds[bit], &image, UINT64_MAX);
      }
      group_copy_row(gang.group, to, 0, from, 1);
      for (uint32_t bit = 0; bit < 5; bit++) {
        if (!table_has_columns(to, bit)) continue;
        assert_value(to, 0, bit, gang.kinds[bit],
                     table_has(from, bit) ? 20 + bit : 0);
        assert_value(to, 1, bit, gang.kinds[bit], 0);
      }
      assert_int_equal(table_bits(to, 0)[0], 0x55);
      assert_int_equal(table_bits(to, 0)[1], 0);
      assert_int_equal(to->entities[0], 3);
      close_gang(&gang);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_group_starts_empty_with_its_summary),
      cmocka_unit_test(components_get_bits_in_order),
      cmocka_unit_test(a_refused_component_is_not_there),
      cmocka_unit_test(every_mask_has_one_table),
      cmocka_unit_test(zero_words_around_a_mask_do_not_count),
      cmocka_unit_test(groups_of_many_components_have_long_masks),
      cmocka_unit_test(a_group_has_as_many_tables_as_the_limit_says),
      cmocka_unit_test(hashes_grow_when_half_of_their_room_is_used),
      cmocka_unit_test(dropped_tables_take_their_edges_and_matches_along),
      cmocka_unit_test(what_failed_leaves_the_group_as_it_was),
      cmocka_unit_test(a_row_is_copied_as_far_as_both_tables_have_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* group_test.c: tables are found by mask, rows find their way along edges, and
 * matches know every table; whatever failed or was dropped leaves no trace.
 *
 * assert_group_sound works all of that out anew after each step.
 */
#include "world_fixture.h"

#define KINDS 5u

typedef struct Gang {
  FailingMemory failing;
  Memory memory;
  Schema *kinds[KINDS];
  Group *group;
} Gang;

/* Component k + 1 is of kind k % 5: sizes mixed, alone, and none. */
static void open_gang(Gang *gang, uint32_t components) {
  const char *letters[KINDS] = {"bw", "", "wwd", "hb", "d"};
  memory_init(&gang->memory, failing_memory_init(&gang->failing), 0);
  for (uint32_t i = 0; i < KINDS; i++) {
    ecs_Field fields[3] = {
        {"0", scalar_of(letters[i][0]), 0}, {"1", ECS_U8, 0}, {"2", ECS_U8, 0}};
    uint32_t count = (uint32_t)strlen(letters[i]);
    for (uint32_t k = 1; k < count; k++)
      fields[k].type = scalar_of(letters[i][k]);
    ecs_ComponentDescription how = {"kind", fields, count, ECS_STORE_TABLE};
    assert_int_equal(schema_create(&gang->memory, &how, &gang->kinds[i]),
                     ECS_OK);
  }
  gang->group = group_create(&gang->memory, 3, false);
  assert_non_null(gang->group);
  for (uint32_t i = 0; i < components; i++)
    assert_int_equal(group_add_component(gang->group, &gang->memory, i + 1,
                                         gang->kinds[i % KINDS], false),
                     ECS_OK);
}

static void close_gang(Gang *gang) {
  group_destroy(gang->group, &gang->memory);
  for (uint32_t i = 0; i < KINDS; i++)
    schema_destroy(&gang->memory, gang->kinds[i]);
  assert_int_equal(gang->failing.blocks, 0);
  assert_int_equal(gang->failing.bytes, 0);
}

static Table *ensure(Gang *gang, uint64_t mask) {
  Table *table = NULL;
  assert_int_equal(
      group_ensure_table(gang->group, &gang->memory, &mask, 1, &table), ECS_OK);
  assert_non_null(table);
  return table;
}

static const Edge *walk(Gang *gang, const Table *table, uint32_t bit) {
  const Edge *edge = NULL;
  assert_int_equal(
      group_ensure_edge(gang->group, &gang->memory, table, bit, &edge), ECS_OK);
  assert_non_null(edge);
  return edge;
}

static void make_match(Gang *gang, MatchedTables *match, uint32_t words,
                       uint64_t required, uint64_t excluded) {
  *match = (MatchedTables){.words = words};
  if (words == 0) return;
  match->required = memory_zeroed(&gang->memory, words, sizeof(uint64_t));
  match->excluded = memory_zeroed(&gang->memory, words, sizeof(uint64_t));
  match->required[0] = required;
  match->excluded[0] = excluded;
}

static void attach(Gang *gang, MatchedTables *match) {
  assert_int_equal(group_attach(gang->group, &gang->memory, match), ECS_OK);
}

static uint32_t next_random(uint32_t *seed) {
  *seed = *seed * 1103515245u + 12345u;
  return *seed >> 16;
}

/* Life -------------------------------------------------------------------- */

static void a_group_starts_empty_with_its_summary(void **state) {
  (void)state;
  for (uint32_t id = 0; id < 20; id++) {
    FailingMemory failing;
    Memory memory;
    memory_init(&memory, failing_memory_init(&failing), 0);
    Group *group = group_create(&memory, id, id % 2 == 1);
    assert_int_equal(group->id, id);
    assert_int_equal(group->locator.narrow, id % 2 == 1);
    assert_int_equal(group->summary,
                     id == 0 ? 0 : UINT32_C(0x1000000) << (id - 1) % 3);
    assert_int_equal(group->table_count, 0);
    assert_null(group_find_table(group, NULL, 0));
    assert_int_equal(group_words(group), 0);
    group_destroy(group, &memory);
    group_destroy(NULL, &memory);
    assert_int_equal(failing.blocks, 0);
    failing_memory_arm(&failing, 1, FAIL_ONCE);
    assert_null(group_create(&memory, id, false));
  }
}

static void components_get_bits_in_order(void **state) {
  (void)state;
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

static void a_refused_component_is_not_there(void **state) {
  (void)state;
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

static void every_mask_has_one_table(void **state) {
  (void)state;
  Gang gang;
  open_gang(&gang, 6);
  Table *tables[40];
  for (uint32_t i = 0; i < 40; i++) {
    uint64_t mask = i * 27 % 64, version = gang.group->version;
    assert_null(group_find_table(gang.group, &mask, 1));
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

static void zero_words_at_the_end_of_a_mask_do_not_count(void **state) {
  (void)state;
  Gang gang;
  open_gang(&gang, 200);
  uint64_t mask[4] = {0, 0, 0, 0};
  Table *table = NULL, *again = NULL;
  assert_int_equal(
      group_ensure_table(gang.group, &gang.memory, NULL, 0, &table), ECS_OK);
  assert_int_equal(
      group_ensure_table(gang.group, &gang.memory, mask, 4, &again), ECS_OK);
  assert_ptr_equal(table, again);
  mask[1] = 5;
  assert_int_equal(
      group_ensure_table(gang.group, &gang.memory, mask, 4, &table), ECS_OK);
  assert_int_equal(table->mask_words, 2);
  for (uint32_t words = 2; words < 5; words++)
    assert_ptr_equal(group_find_table(gang.group, mask, words), table);
  assert_null(group_find_table(gang.group, &mask[1], 1));
  mask[3] = 1;
  assert_null(group_find_table(gang.group, mask, 4));
  assert_ptr_equal(group_find_table(gang.group, mask, 3), table);
  assert_group_sound(gang.group);
  close_gang(&gang);
}

/* Masks of nine words and more do not fit the stack's eight. */
static void groups_of_many_components_have_long_masks(void **state) {
  (void)state;
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
      const Edge *edge = walk(&gang, table, bits[k]);
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

static void a_group_has_as_many_tables_as_the_limit_says(void **state) {
  (void)state;
#ifdef ECS_TINY
  Gang gang;
  const Edge *edge = NULL;
  Table *table = NULL;
  open_gang(&gang, 7);
  for (uint32_t i = 0; i < ECS_TABLE_LIMIT; i++) ensure(&gang, i);
  uint64_t mask = ECS_TABLE_LIMIT, before = digest_group(gang.group);
  assert_int_equal(
      group_ensure_table(gang.group, &gang.memory, &mask, 1, &table),
      ECS_E_LIMIT);
  assert_int_equal(group_ensure_edge(gang.group, &gang.memory,
                                     gang.group->tables[0], 6, &edge),
                   ECS_E_LIMIT);
  assert_true(digest_group(gang.group) == before);
  assert_null(group_find_table(gang.group, &mask, 1));
  ensure(&gang, ECS_TABLE_LIMIT - 1);
  assert_group_sound(gang.group);
  close_gang(&gang);
#endif
}

/* Edges ------------------------------------------------------------------- */

static void an_edge_leads_there_and_back(void **state) {
  (void)state;
  Gang gang;
  open_gang(&gang, 5);
  const Table *table = ensure(&gang, 0);
  assert_null(group_find_edge(gang.group, table, 0));
  for (uint32_t from = 0; from < 32; from++) {
    for (uint32_t bit = 0; bit < 5; bit++) {
      table = ensure(&gang, from);
      Edge edge = *walk(&gang, table, bit);
      const Table *to = gang.group->tables[edge.table];
      assert_int_equal(to->mask_words == 0 ? 0 : to->mask[0], from ^ 1u << bit);
      assert_int_equal(edge.added, (from >> bit & 1) == 0);
      uint64_t requests = gang.failing.requests;
      Edge back = *walk(&gang, to, bit);
      assert_ptr_equal(gang.group->tables[back.table], table);
      assert_int_equal(back.added, !edge.added);
      assert_int_equal(gang.failing.requests, requests);
    }
    assert_group_sound(gang.group);
  }
  assert_int_equal(gang.group->edges.count, 32 * 5);
  assert_int_equal(gang.group->table_count, 32);
  close_gang(&gang);
}

/* A capacity of as little as the rule allows: at most half of it is used. */
static void edges_grow_when_half_of_their_room_is_used(void **state) {
  (void)state;
  Gang gang;
  open_gang(&gang, 12);
  const Table *table = ensure(&gang, 0);
  const uint32_t capacities[] = {8, 8, 16, 16, 32, 32, 32, 32, 64};
  for (uint32_t i = 0; i < 9; i++) {
    walk(&gang, table, i);
    assert_int_equal(gang.group->edges.count, 2 * i + 2);
    assert_int_equal(gang.group->edges.capacity, capacities[i]);
    assert_group_sound(gang.group);
  }
  close_gang(&gang);
}

static void hashes_grow_when_half_of_their_room_is_used(void **state) {
  (void)state;
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
static void dropped_tables_take_their_edges_and_matches_along(void **state) {
  (void)state;
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
      walk(&gang, gang.group->tables[id], next_random(&seed) % 9);
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

/* Edges between tables that stay are found after others have gone, whichever
 * of them goes. */
static void edges_of_tables_that_stay_are_kept(void **state) {
  (void)state;
  for (uint32_t kept = 1; kept < 33; kept++) {
    Gang gang;
    uint32_t expected = 0;
    open_gang(&gang, 5);
    for (uint32_t i = 0; i < 32; i++) ensure(&gang, i);
    for (uint32_t i = 0; i < 32; i++)
      for (uint32_t bit = 0; bit < 5; bit++)
        walk(&gang, gang.group->tables[i], bit);
    group_drop_tables(gang.group, &gang.memory, kept);
    for (uint32_t i = 0; i < kept; i++)
      for (uint32_t bit = 0; bit < 5; bit++) {
        bool there = (i ^ 1u << bit) < kept;
        const Edge *edge =
            group_find_edge(gang.group, gang.group->tables[i], bit);
        assert_int_equal(edge != NULL, there);
        expected += there;
      }
    assert_int_equal(gang.group->edges.count, expected);
    assert_group_sound(gang.group);
    close_gang(&gang);
  }
}

/* Matches ----------------------------------------------------------------- */

static void a_match_lists_tables_that_were_and_tables_that_come(void **state) {
  (void)state;
  Gang gang;
  MatchedTables early, late, wide, nothing;
  open_gang(&gang, 70);
  make_match(&gang, &early, 1, 1, 2);
  make_match(&gang, &late, 1, 6, 0);
  make_match(&gang, &wide, 2, 0, 1);
  make_match(&gang, &nothing, 2, 0, 0);
  nothing.required[1] = 1;
  attach(&gang, &early);
  for (uint32_t i = 0; i < 16; i++) ensure(&gang, i * 7 % 16);
  attach(&gang, &late);
  attach(&gang, &wide);
  attach(&gang, &nothing);
  assert_int_equal(early.count, 4);
  assert_int_equal(late.count, 4);
  assert_int_equal(wide.count, 8);
  assert_int_equal(nothing.count, 0);
  for (uint32_t i = 16; i < 32; i++) ensure(&gang, i * 7 % 16 + 16);
  assert_group_sound(gang.group);
  assert_int_equal(early.count, 8);
  uint64_t mask[2] = {1, 1};
  Table *table = NULL;
  assert_int_equal(
      group_ensure_table(gang.group, &gang.memory, mask, 2, &table), ECS_OK);
  assert_int_equal(nothing.count, 1);
  assert_int_equal(nothing.tables[0], table->id);
  assert_group_sound(gang.group);
  matched_tables_deinit(&early, &gang.memory);
  assert_null(early.tables);
  assert_int_equal(early.words, 0);
  matched_tables_deinit(&late, &gang.memory);
  matched_tables_deinit(&wide, &gang.memory);
  matched_tables_deinit(&nothing, &gang.memory);
  close_gang(&gang);
}

static void a_detached_match_is_left_alone(void **state) {
  (void)state;
  for (uint32_t gone = 0; gone < 3; gone++) {
    Gang gang;
    MatchedTables matches[3];
    open_gang(&gang, 5);
    for (uint32_t i = 0; i < 3; i++) {
      make_match(&gang, &matches[i], 1, i, 0);
      attach(&gang, &matches[i]);
    }
    ensure(&gang, 3);
    group_detach(gang.group, &matches[gone]);
    assert_int_equal(gang.group->match_count, 2);
    for (uint32_t i = 0, k = 0; i < 3; i++)
      if (i != gone) assert_ptr_equal(gang.group->matches[k++], &matches[i]);
    for (uint32_t i = 4; i < 12; i++) ensure(&gang, i | 3);
    assert_int_equal(matches[gone].count, 1);
    assert_group_sound(gang.group);
    MatchedTables stranger = {0};
    group_detach(gang.group, &stranger);
    assert_int_equal(gang.group->match_count, 2);
    for (uint32_t i = 0; i < 3; i++)
      matched_tables_deinit(&matches[i], &gang.memory);
    close_gang(&gang);
  }
}

/* An old list must not show when a match is attached once more. */
static void attaching_again_begins_anew(void **state) {
  (void)state;
  Gang gang;
  MatchedTables match;
  open_gang(&gang, 5);
  make_match(&gang, &match, 1, 1, 0);
  for (uint32_t i = 0; i < 8; i++) ensure(&gang, i);
  attach(&gang, &match);
  group_detach(gang.group, &match);
  attach(&gang, &match);
  assert_int_equal(match.count, 4);
  assert_group_sound(gang.group);
  matched_tables_deinit(&match, &gang.memory);
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
    return group_ensure_table(gang->group, &gang->memory, mask, 10, &table);
  if (what == ATTEMPT_EDGE)
    return group_ensure_edge(gang->group, &gang->memory, gang->group->tables[2],
                             579, &edge);
  return group_attach(gang->group, &gang->memory, match);
}

/* With 4 and 8 tables, where hash, array, edges and lists have to grow. */
static void what_failed_leaves_the_group_as_it_was(void **state) {
  (void)state;
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
        walk(&gang, gang.group->tables[0], 0);
        walk(&gang, gang.group->tables[0], 1);
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

static void a_row_is_copied_as_far_as_both_tables_have_it(void **state) {
  (void)state;
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
      cmocka_unit_test(zero_words_at_the_end_of_a_mask_do_not_count),
      cmocka_unit_test(groups_of_many_components_have_long_masks),
      cmocka_unit_test(a_group_has_as_many_tables_as_the_limit_says),
      cmocka_unit_test(an_edge_leads_there_and_back),
      cmocka_unit_test(edges_grow_when_half_of_their_room_is_used),
      cmocka_unit_test(hashes_grow_when_half_of_their_room_is_used),
      cmocka_unit_test(dropped_tables_take_their_edges_and_matches_along),
      cmocka_unit_test(edges_of_tables_that_stay_are_kept),
      cmocka_unit_test(a_match_lists_tables_that_were_and_tables_that_come),
      cmocka_unit_test(a_detached_match_is_left_alone),
      cmocka_unit_test(attaching_again_begins_anew),
      cmocka_unit_test(what_failed_leaves_the_group_as_it_was),
      cmocka_unit_test(a_row_is_copied_as_far_as_both_tables_have_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* edge_map_test.c: the edges between the tables of a group. */
#include "group_fixture.h"
#include "test_case.h"

TEST(an_edge_leads_there_and_back) {
  Gang gang;
  open_gang(&gang, 5);
  const Table *table = ensure(&gang, 0);
  assert_null(group_find_edge(gang.group, table, 0));
  for (uint32_t from = 0; from < 32; from++) {
    for (uint32_t bit = 0; bit < 5; bit++) {
      table = ensure(&gang, from);
      Edge edge = *take_edge(&gang, table, bit);
      const Table *to = gang.group->tables[edge.table];
      assert_int_equal(mask_word(&to->mask, 0), from ^ 1u << bit);
      assert_int_equal(edge.added, (from >> bit & 1) == 0);
      uint64_t requests = gang.failing.requests;
      Edge back = *take_edge(&gang, to, bit);
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
TEST(edges_grow_when_half_of_their_room_is_used) {
  Gang gang;
  open_gang(&gang, 12);
  const Table *table = ensure(&gang, 0);
  const uint32_t capacities[] = {8, 8, 16, 16, 32, 32, 32, 32, 64};
  for (uint32_t i = 0; i < 9; i++) {
    take_edge(&gang, table, i);
    assert_int_equal(gang.group->edges.count, 2 * i + 2);
    assert_int_equal(gang.group->edges.capacity, capacities[i]);
    assert_group_sound(gang.group);
  }
  close_gang(&gang);
}

/* Edges between tables that remain are found after other tables were dropped,
 * for every number of dropped tables. */
TEST(edges_of_tables_that_stay_are_kept) {
  for (uint32_t kept = 1; kept < 33; kept++) {
    Gang gang;
    uint32_t expected = 0;
    open_gang(&gang, 5);
    for (uint32_t i = 0; i < 32; i++) ensure(&gang, i);
    for (uint32_t i = 0; i < 32; i++)
      for (uint32_t bit = 0; bit < 5; bit++)
        take_edge(&gang, gang.group->tables[i], bit);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_edge_leads_there_and_back),
      cmocka_unit_test(edges_grow_when_half_of_their_room_is_used),
      cmocka_unit_test(edges_of_tables_that_stay_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* matched_tables_test.c: lists of the tables that match, kept up to date while
 * tables are created and dropped.
 */
#include "group_fixture.h"
#include "test_case.h"

TEST(a_match_lists_tables_that_were_and_tables_that_come) {
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
      group_ensure_table(gang.group, &gang.memory, mask_trim(mask, 2), &table),
      ECS_OK);
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

TEST(a_detached_match_is_left_alone) {
  for (uint32_t gone = 0; gone < 3; gone++) {
    Gang gang;
    MatchedTables matches[3];
    open_gang(&gang, 5);
    for (uint32_t i = 0; i < 3; i++) {
      make_match(&gang, &matches[i], 1, i, 0);
      attach(&gang, &matches[i]);
    }
    ensure(&gang, 3);
    group_detach(&matches[gone]);
    assert_int_equal(gang.group->match_count, 2);
    for (uint32_t i = 0; i < 3; i++)
      assert_ptr_equal(matches[i].group, i == gone ? NULL : gang.group);
    for (uint32_t i = 4; i < 12; i++) ensure(&gang, i | 3);
    assert_int_equal(matches[gone].count, 1);
    assert_group_sound(gang.group);
    MatchedTables stranger = {0};
    group_detach(&stranger);
    group_detach(&matches[gone]);
    assert_int_equal(gang.group->match_count, 2);
    for (uint32_t i = 0; i < 3; i++)
      matched_tables_deinit(&matches[i], &gang.memory);
    close_gang(&gang);
  }
}

TEST(a_destroyed_group_has_no_matches) {
  Gang gang;
  MatchedTables match;
  open_gang(&gang, 2);
  make_match(&gang, &match, 1, 1, 0);
  attach(&gang, &match);
  matched_tables_deinit(&match, &gang.memory);
  match.group = gang.group; /* only the group may forget it */
  close_gang(&gang);
  assert_null(match.group);
  group_detach(&match);
}

/* Attaching a list again must not show its old content. */
TEST(attaching_again_begins_anew) {
  Gang gang;
  MatchedTables match;
  open_gang(&gang, 5);
  make_match(&gang, &match, 1, 1, 0);
  for (uint32_t i = 0; i < 8; i++) ensure(&gang, i);
  attach(&gang, &match);
  group_detach(&match);
  attach(&gang, &match);
  assert_int_equal(match.count, 4);
  assert_group_sound(gang.group);
  matched_tables_deinit(&match, &gang.memory);
  close_gang(&gang);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_match_lists_tables_that_were_and_tables_that_come),
      cmocka_unit_test(a_detached_match_is_left_alone),
      cmocka_unit_test(a_destroyed_group_has_no_matches),
      cmocka_unit_test(attaching_again_begins_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

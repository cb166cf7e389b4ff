/* access_test.c: the kinds of terms, each by its name, and what holds for it. */
#include "base/access.h"

#include "test_case.h"

TEST(each_kind_is_found_by_its_name) {
  for (int access = 0; access < ECS_ACCESS_COUNT; access++) {
    const char *name = access_name((ecs_Access)access);
    assert_non_null(name);
    assert_int_equal(access_named(name, strlen(name)), access);
  }
  assert_int_equal(access_named("rea", 3), ECS_ACCESS_COUNT);
  assert_int_equal(access_named("read\0", 5), ECS_ACCESS_COUNT);
  assert_int_equal(access_named("", 0), ECS_ACCESS_COUNT);
}

/* What is optional, written, or there has columns or asks for something; what
 * is there asks; what is written is the row's own. */
TEST(what_holds_for_a_kind_agrees) {
  for (int k = 0; k < ECS_ACCESS_COUNT; k++) {
    ecs_Access access = (ecs_Access)k;
    if (access_is_optional(access)) assert_true(access_has_columns(access));
    if (access_writes(access)) assert_true(access_has_own_columns(access));
    if (access_is_there(access)) assert_true(access_asks(access));
    if (access_asks(access)) assert_true(access_is_own(access));
    assert_false(access_is_there(access) && access_is_optional(access));
  }
  assert_true(access_is_there(ECS_WITH) && !access_has_columns(ECS_WITH));
  assert_true(access_asks(ECS_WITHOUT) && !access_is_there(ECS_WITHOUT));
  assert_true(access_has_columns(ECS_UP) && !access_is_own(ECS_UP));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_is_found_by_its_name),
      cmocka_unit_test(what_holds_for_a_kind_agrees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

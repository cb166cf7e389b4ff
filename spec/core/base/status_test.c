/* status_test.c: every status has a name and a sentence, and so has any number
 * that is no status. Compiling status.c proves that codes and list agree.
 */
#include <string.h>

#include "test_case.h"
#include "base/status.h"

TEST(every_name_is_the_code_as_it_is_written) {
  assert_string_equal(ecs_status_name(ECS_OK), "ECS_OK");
  assert_string_equal(ecs_status_name(ECS_E_MEMORY), "ECS_E_MEMORY");
  assert_string_equal(ecs_status_name(ECS_E_DEAD), "ECS_E_DEAD");
  assert_string_equal(ecs_status_name(ECS_E_OPEN), "ECS_E_OPEN");
  assert_string_equal(ecs_status_name(ECS_E_NAN), "ECS_E_NAN");
}

TEST(all_but_success_are_named_as_errors) {
  for (int code = 1; code < (int)ECS_STATUS_COUNT; code++) {
    const char *name = ecs_status_name((ecs_Status)code);
    assert_int_equal(strncmp(name, "ECS_E_", 6), 0);
  }
}

TEST(texts_are_what_the_list_says) {
#define CHECK(code, text) assert_string_equal(ecs_status_text(code), text);
  ECS_STATUS_LIST(CHECK)
#undef CHECK
}

TEST(no_two_outcomes_share_a_name_or_a_text) {
  for (int a = 0; a < (int)ECS_STATUS_COUNT; a++) {
    assert_true(strlen(ecs_status_text((ecs_Status)a)) > 0);
    for (int b = 0; b < a; b++) {
      assert_string_not_equal(ecs_status_name((ecs_Status)a),
                              ecs_status_name((ecs_Status)b));
      assert_string_not_equal(ecs_status_text((ecs_Status)a),
                              ecs_status_text((ecs_Status)b));
    }
  }
}

TEST(a_number_that_is_no_outcome_is_called_unknown) {
  const int strangers[] = {-1, (int)ECS_STATUS_COUNT, (int)ECS_STATUS_COUNT + 1,
                           INT32_MAX, INT32_MIN};
  for (size_t k = 0; k < sizeof strangers / sizeof *strangers; k++) {
    ecs_Status status = (ecs_Status)strangers[k];
    assert_string_equal(ecs_status_name(status), "ECS_E_UNKNOWN");
    assert_string_equal(ecs_status_text(status),
                        "an outcome this build does not know");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_name_is_the_code_as_it_is_written),
      cmocka_unit_test(all_but_success_are_named_as_errors),
      cmocka_unit_test(texts_are_what_the_list_says),
      cmocka_unit_test(no_two_outcomes_share_a_name_or_a_text),
      cmocka_unit_test(a_number_that_is_no_outcome_is_called_unknown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

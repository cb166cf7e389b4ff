/* schema_matches_test.c: which descriptions are equal to a schema. */
#include "schema_fixture.h"
#include "test_case.h"

static const ecs_Field point[] = {{"x", ECS_F32, 0.1}, {"y", ECS_F32, 0}};

/* Does a Point of these fields match one of the fields above? */
static bool matches_point(const char *name, const ecs_Field *fields,
                          uint32_t count) {
  Fixture fixture;
  start(&fixture);
  Schema *schema = create(&fixture, describe("Point", point, 2));
  ecs_ComponentDescription description = describe(name, fields, count);
  bool matches = schema_matches(schema, &description);
  schema_destroy(&fixture.memory, schema);
  return matches;
}

TEST(a_schema_matches_the_same_words_at_other_addresses) {
  char name[] = "Point", x[] = "x", y[] = "y";
  const ecs_Field again[] = {{x, ECS_F32, 0.1}, {y, ECS_F32, 0}};
  assert_true(matches_point(name, again, 2));
}

TEST(any_difference_ends_a_match) {
  const ecs_Field renamed[] = {{"x", ECS_F32, 0.1}, {"z", ECS_F32, 0}};
  const ecs_Field swapped[] = {{"y", ECS_F32, 0}, {"x", ECS_F32, 0.1}};
  const ecs_Field retyped[] = {{"x", ECS_F32, 0.1}, {"y", ECS_I32, 0}};
  const ecs_Field moved[] = {{"x", ECS_F32, 0.1}, {"y", ECS_F32, 1}};
  const ecs_Field negative[] = {{"x", ECS_F32, 0.1}, {"y", ECS_F32, -0.0}};
  const ecs_Field longer[] = {
      {"x", ECS_F32, 0.1}, {"y", ECS_F32, 0}, {"z", ECS_F32, 0}};
  assert_false(matches_point("Point", renamed, 2));
  assert_false(matches_point("Point", swapped, 2));
  assert_false(matches_point("Point", retyped, 2));
  assert_false(matches_point("Point", moved, 2));
  assert_false(matches_point("Point", negative, 2));
  assert_false(matches_point("Point", longer, 3));
  assert_false(matches_point("Point", point, 1));
  assert_false(matches_point("Point", NULL, 0));
  assert_false(matches_point("Points", point, 2));
  assert_false(matches_point("point", point, 2));
}

TEST(defaults_match_when_they_are_stored_alike) {
  const ecs_Field rounded[] = {{"x", ECS_F32, (double)0.1f}, {"y", ECS_F32, 0}};
  assert_true(matches_point("Point", rounded, 2));
  const ecs_Field tiny[] = {{"x", ECS_F32, 0.1}, {"y", ECS_F32, 1e-60}};
  assert_true(matches_point("Point", tiny, 2));
  const ecs_Field next[] = {{"x", ECS_F32, 0.1000001}, {"y", ECS_F32, 0}};
  assert_false(matches_point("Point", next, 2));
}

TEST(a_nan_default_matches_a_nan) {
  Fixture fixture;
  start(&fixture);
  const ecs_Field field = {"x", ECS_F32, NAN};
  const ecs_Field other = {"x", ECS_F32, -NAN};
  Schema *schema = create(&fixture, describe("C", &field, 1));
  ecs_ComponentDescription description = describe("C", &other, 1);
  assert_true(schema_matches(schema, &description));
  schema_destroy(&fixture.memory, schema);
}

TEST(a_tag_matches_a_tag_alone) {
  Fixture fixture;
  start(&fixture);
  Schema *schema = create(&fixture, describe("Point", NULL, 0));
  ecs_ComponentDescription tag = describe("Point", NULL, 0);
  ecs_ComponentDescription fields = describe("Point", point, 2);
  assert_true(schema_matches(schema, &tag));
  assert_false(schema_matches(schema, &fields));
  schema_destroy(&fixture.memory, schema);
}

TEST(a_description_that_is_not_valid_matches_nothing) {
  const ecs_Field nameless[] = {{"x", ECS_F32, 0.1}, {NULL, ECS_F32, 0}};
  const ecs_Field typeless[] = {{"x", ECS_F32, 0.1},
                                {"y", ECS_SCALAR_COUNT, 0}};
  const ecs_Field large[] = {{"x", ECS_F32, 1e39}, {"y", ECS_F32, 0}};
  assert_false(matches_point("Point", nameless, 2));
  assert_false(matches_point("Point", typeless, 2));
  assert_false(matches_point("Point", large, 2));
  assert_false(matches_point("Point", NULL, 2));
  assert_false(matches_point("Point", point, UINT32_MAX));
  assert_false(matches_point(NULL, point, 2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_schema_matches_the_same_words_at_other_addresses),
      cmocka_unit_test(any_difference_ends_a_match),
      cmocka_unit_test(defaults_match_when_they_are_stored_alike),
      cmocka_unit_test(a_nan_default_matches_a_nan),
      cmocka_unit_test(a_tag_matches_a_tag_alone),
      cmocka_unit_test(a_description_that_is_not_valid_matches_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

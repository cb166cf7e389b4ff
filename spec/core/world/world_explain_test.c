/* world_explain_test.c: the text that describes how a world stores its
 * entities.
 *
 * The whole text is compared, and written into buffers of every size, because a
 * caller asks for the length first.
 */
#include <stdlib.h>
#include <string.h>

#include "test_case.h"
#include "api_fixture.h"

#include "base/config.h"
#include "ecs.h"

#ifdef ECS_TINY
#define ROOM "4"
#else
#define ROOM "16"
#endif

/* Owned by the caller. */
static char *explain(const ecs_World *world) {
  size_t length = ecs_world_explain(world, NULL, 0);
  char *text = malloc(length + 1);
  assert_non_null(text);
  assert_int_equal(ecs_world_explain(world, text, length + 1), length);
  assert_int_equal(strlen(text), length);
  return text;
}

/* The text without its numbers of bytes, which depend on the build. */
static void drop_bytes(char *text) {
  char *at;
  while ((at = strstr(text, " bytes")) != NULL) {
    char *from = at;
    while (from > text && from[-1] >= '0' && from[-1] <= '9') from--;
    memmove(from, at + strlen(" bytes"), strlen(at + strlen(" bytes")) + 1);
  }
}

static void assert_text(const ecs_World *world, const char *expected) {
  char *text = explain(world);
  drop_bytes(text);
  assert_string_equal(text, expected);
  free(text);
}

TEST(an_empty_world_is_told_as_such) {
  ecs_World *world = NULL;
  assert_int_equal(ecs_world_create(NULL, &world), ECS_OK);
  assert_text(world,
              "0 entities in 1 group with 1 table,  of rows\n"
              "main group 0: no components\n"
              "  table {}: 0 rows of 0, \n");
  ecs_world_destroy(world);
}

TEST(every_kind_of_storage_is_told) {
  ecs_World *world = NULL;
  static const ecs_Field xy[] = {{"x", ECS_F32, 0}, {"y", ECS_U8, 0}};
  assert_int_equal(ecs_world_create(NULL, &world), ECS_OK);
  const ecs_Component a = define_component(world, "A", xy, 2, ECS_STORE_TABLE);
  const ecs_Component t =
      define_component(world, "T", NULL, 0, ECS_STORE_TABLE);
  const ecs_Component b = define_component(world, "B", NULL, 0, ECS_STORE_BITS);
  const ecs_Component s = define_component(world, "S", xy, 1, ECS_STORE_SPARSE);
  const ecs_Component all[] = {a, t, b, s};
  ecs_Entity entity = 0;
  for (uint32_t count = 1; count <= 4; count++)
    assert_int_equal(ecs_spawn(world, all, count, NULL, &entity), ECS_OK);
  assert_text(world,
              "4 entities in 2 groups with 4 tables,  of rows\n"
              "main group 0: A, T, B (bits)\n"
              "  table {}: 0 rows of 0, \n"
              "  table { A }: 1 row of " ROOM
              ", \n"
              "  table { A, T }: 3 rows of " ROOM
              ", \n"
              "sparse set 1: S\n"
              "  table { S }: 1 row of " ROOM
              ", \n"
              "component A: x f32, y u8; group 0, 4 entities, \n"
              "tag T: group 0, 3 entities\n"
              "tag B: bits of group 0, 2 entities\n"
              "component S: x f32; group 1, 1 entity, \n");
  char *text = explain(world);
  assert_non_null(strstr(text, "group 0, 4 entities, 20 bytes\n"));
  assert_non_null(strstr(text, "group 1, 1 entity, 4 bytes\n"));
  free(text);
  const ecs_Component two[] = {t, s};
  assert_int_equal(ecs_group(world, two, 2), ECS_OK);
  text = explain(world);
  assert_non_null(strstr(text, "group 1: T, S\n"));
  free(text);
  assert_int_equal(ecs_ungroup(world, two, 2), ECS_OK);
  text = explain(world);
  assert_non_null(strstr(text, "main group 0: A, T, B (bits), S\n"));
  assert_non_null(strstr(text, "group 1: no components\n"));
  free(text);
  ecs_world_destroy(world);
}

/* The bytes of the first line are those of the rows of all tables. */
TEST(the_sum_is_that_of_the_tables) {
  ecs_World *world = NULL;
  static const ecs_Field x = {"x", ECS_F64, 0};
  assert_int_equal(ecs_world_create(NULL, &world), ECS_OK);
  const ecs_Component both[] = {
      define_component(world, "A", &x, 1, ECS_STORE_TABLE),
      define_component(world, "B", &x, 1, ECS_STORE_SPARSE)};
  ecs_Entity entity = 0;
  for (uint32_t i = 0; i < 40; i++)
    assert_int_equal(ecs_spawn(world, both, i % 3, NULL, &entity), ECS_OK);
  char *text = explain(world);
  unsigned long long sum = 0, told = 0;
  for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    const char *end = strstr(line, " bytes");
    if (end == NULL) break;
    while (end[-1] != ' ') end--;
    if (line == text) told = strtoull(end, NULL, 10);
    if (strncmp(line, "  table", 7) == 0) sum += strtoull(end, NULL, 10);
  }
  assert_true(told > 40 * 8);
  assert_int_equal(told, sum);
  free(text);
  ecs_world_destroy(world);
}

TEST(many_tables_are_told_as_a_sum) {
  ecs_World *world = NULL;
  ecs_Component tags[6];
  ecs_Entity entity = 0;
  assert_int_equal(ecs_world_create(NULL, &world), ECS_OK);
  for (uint32_t i = 0; i < 6; i++) {
    const char name[2] = {(char)('A' + (int)i), 0};
    tags[i] = define_component(world, name, NULL, 0, ECS_STORE_TABLE);
  }
  for (uint32_t mask = 1; mask < 32; mask++) {
    ecs_Component some[6];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 6; i++)
      if ((mask >> i & 1u) != 0) some[count++] = tags[i];
    assert_int_equal(ecs_spawn(world, some, count, NULL, &entity), ECS_OK);
  }
  char *text = explain(world);
  drop_bytes(text);
  assert_non_null(strstr(text, "31 entities in 1 group with 32 tables"));
  assert_non_null(strstr(text, "table { A, B, C, D }: 1 row of " ROOM ", \n"
                               "  16 more tables: 16 rows, \n"));
  assert_null(strstr(text, "{ E }"));
  free(text);
  ecs_world_destroy(world);
}

TEST(what_does_not_fit_is_counted) {
  ecs_World *world = NULL;
  assert_int_equal(ecs_world_create(NULL, &world), ECS_OK);
  char *whole = explain(world);
  size_t length = strlen(whole);
  for (size_t capacity = 0; capacity <= length + 1; capacity++) {
    char *part = malloc(capacity + 1);
    assert_non_null(part);
    memset(part, '#', capacity + 1);
    assert_int_equal(ecs_world_explain(world, part, capacity), length);
    assert_int_equal(part[capacity], '#');
    if (capacity > 0) {
      assert_int_equal(strlen(part), capacity - 1);
      assert_int_equal(strncmp(part, whole, capacity - 1), 0);
    }
    free(part);
  }
  free(whole);
  ecs_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_world_is_told_as_such),
      cmocka_unit_test(every_kind_of_storage_is_told),
      cmocka_unit_test(the_sum_is_that_of_the_tables),
      cmocka_unit_test(many_tables_are_told_as_a_sum),
      cmocka_unit_test(what_does_not_fit_is_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

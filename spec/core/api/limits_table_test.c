/* limits_table_test.c: the limits of a table's columns and of a group's tables.
 *
 * A call that would exceed one returns ECS_E_LIMIT and changes nothing, even if
 * it changes many entities.
 */
#include "limits_fixture.h"
#include "test_case.h"

#ifndef ECS_TINY
/* ECS_COLUMN_LIMIT fields of one byte, and then one more. */
TEST(a_table_has_at_most_so_many_columns_of_a_size) {
  ecs_World *world = make_world();
  const uint32_t full = ECS_COLUMN_LIMIT / ECS_FIELD_LIMIT;
  const uint32_t rest = ECS_COLUMN_LIMIT % ECS_FIELD_LIMIT;
  ecs_Component *components = calloc(full + 2, sizeof *components);
  ecs_Component more = 0;
  ecs_Entity entity = 0;
  double value = 0;
  assert_non_null(components);
  for (uint32_t i = 0; i <= full; i++)
    must(define(world, i, i < full ? ECS_FIELD_LIMIT : rest, ECS_U8,
                ECS_STORE_TABLE, &components[i]));
  must(define(world, full + 1, 1, ECS_U8, ECS_STORE_TABLE, &more));
  must(ecs_spawn(world, components, full + 1, NULL, &entity));
  must(ecs_set_field(world, entity, components[full], rest - 1, 200));
  ASSERT_LIMIT(world, ecs_add(world, entity, more, NULL));
  components[full + 1] = more;
  ASSERT_LIMIT(world, ecs_spawn(world, components, full + 2, NULL, &entity));
  must(ecs_get_field(world, entity, components[full], rest - 1, &value));
  assert_true(value == 200);
  free(components);
  ecs_world_destroy(world);
}
#endif

#ifdef ECS_TINY
#define TAGS 6u /* 64 combinations, the empty one included */

static uint32_t combination(const ecs_Component *tags, uint32_t number,
                            ecs_Component *list) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < TAGS; i++)
    if (number >> i & 1) list[count++] = tags[i];
  return count;
}

/* A world with tables for combinations 0 to limit - 1 in its main group. The
 * entity that made each table has been destroyed. */
static ecs_World *world_full_of_tables(ecs_Component *tags) {
  ecs_World *world = make_world();
  ecs_Statistics statistics;
  for (uint32_t i = 0; i < TAGS; i++) tags[i] = tag(world, i);
  for (uint32_t i = 1; i < ECS_TABLE_LIMIT; i++) {
    ecs_Component list[TAGS];
    ecs_Entity entity = 0;
    must(ecs_spawn(world, list, combination(tags, i, list), NULL, &entity));
    must(ecs_destroy(world, entity));
  }
  ecs_world_statistics(world, &statistics);
  assert_int_equal(statistics.tables, ECS_TABLE_LIMIT);
  return world;
}

TEST(a_group_has_at_most_so_many_tables) {
  ecs_Component tags[TAGS], list[TAGS];
  ecs_World *world = world_full_of_tables(tags);
  ecs_Entity entity = 0, other = 0;
  const uint32_t past = combination(tags, ECS_TABLE_LIMIT, list);
  ASSERT_LIMIT(world, ecs_spawn(world, list, past, NULL, &entity));
  /* From combination 59 tag 2, and from 31 tag 5, lead to 63: it is missing. */
  must(ecs_spawn(world, list, combination(tags, 59, list), NULL, &entity));
  ASSERT_LIMIT(world, ecs_add(world, entity, tags[2], NULL));
  must(ecs_remove(world, entity, tags[0]));
  must(ecs_add(world, entity, tags[0], NULL));
  assert_true(ecs_has(world, entity, tags[5]));
  must(ecs_spawn(world, list, combination(tags, 31, list), NULL, &other));
  ASSERT_LIMIT(world, ecs_add(world, other, tags[5], NULL));
  ecs_world_destroy(world);
}

/* Both kinds of bulk changes: bundles, and the end of a deferral. */
TEST(bulk_changes_past_the_tables_change_nothing) {
  ecs_Component tags[TAGS], list[TAGS];
  ecs_World *world = world_full_of_tables(tags);
  ecs_Entity entity = 0, fine = 0;
  ecs_Bundle bundle = 0;
  must(ecs_spawn(world, list, combination(tags, 59, list), NULL, &entity));
  fine = spawn_empty(world);
  const ecs_Status made =
      ecs_bundle(world, list, combination(tags, 62, list), &bundle);
  if (made == ECS_OK)
    ASSERT_LIMIT(world, ecs_spawn_many(world, bundle, 3, NULL));
  else
    assert_int_equal(made, ECS_E_LIMIT);
  must(ecs_defer_begin(world));
  must(ecs_add(world, fine, tags[1], NULL));
  must(ecs_add(world, entity, tags[2], NULL));
  /* Not the same hash: what was recorded is in it, and is discarded. */
  assert_int_equal(ecs_defer_end(world), ECS_E_LIMIT);
  assert_false(ecs_deferring(world));
  assert_false(ecs_has(world, fine, tags[1]));
  assert_false(ecs_has(world, entity, tags[2]));
  /* The target table exists, but the edge to it does not. */
  must(ecs_defer_begin(world));
  must(ecs_add(world, entity, tags[2], NULL));
  must(ecs_remove(world, entity, tags[2]));
  must(ecs_add(world, fine, tags[1], NULL));
  must(ecs_defer_end(world));
  assert_true(ecs_has(world, fine, tags[1]));
  ecs_world_destroy(world);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
#ifndef ECS_TINY
      cmocka_unit_test(a_table_has_at_most_so_many_columns_of_a_size),
#endif
#ifdef ECS_TINY
      cmocka_unit_test(a_group_has_at_most_so_many_tables),
      cmocka_unit_test(bulk_changes_past_the_tables_change_nothing),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

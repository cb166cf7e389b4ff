/* accessor_many_test.c: one component of many entities at once, and accessors
 * while changes are recorded or cursors are open.
 *
 *      entities   e1   e2   dead   e4
 *      column x   1.0  2.0  kept   4.0     found: 3
 */
#include "accessor_fixture.h"
#include "test_case.h"

static Sizes row_of(const Columns *columns, uint32_t i) {
  return (Sizes){columns->f64[i], columns->u8[i], columns->u16[i],
                 columns->f32[i]};
}

static uint32_t get_many(ecs_Accessor *accessor, const ecs_Entity *entities,
                         uint32_t count, Columns *columns) {
  void *const pointers[] = {columns->f64, columns->u8, columns->u16,
                            columns->f32};
  uint32_t found = 999;
  assert_int_equal(
      ecs_accessor_get_many(accessor, entities, count, pointers, &found),
      ECS_OK);
  assert_int_equal(
      ecs_accessor_get_many(accessor, entities, count, pointers, NULL), ECS_OK);
  return found;
}

/* Many -------------------------------------------------------------------- */

TEST(many_of_one_table_are_read_at_once) {
  for (uint32_t sparse = 0; sparse < 2; sparse++) {
    Fixture fixture;
    start(&fixture);
    ecs_Component what = sparse == 1 ? fixture.s : fixture.a;
    ecs_Accessor accessor = access_to(&fixture, what);
    spawn(&fixture, COUNT, what, ~UINT64_C(0));
    static const uint32_t counts[] = {0, 1, 2, 63, 64, 65, 128, 129, 190};
    for (uint32_t k = 0; k < 9; k++) {
      ecs_Entity many[200];
      Columns columns;
      for (uint32_t i = 0; i < 200; i++) many[i] = fixture.e[i * 17 % COUNT];
      fill(&columns, 0, 0);
      assert_int_equal(get_many(&accessor, many, counts[k], &columns),
                       counts[k]);
      for (uint32_t i = 0; i < counts[k]; i++)
        assert_sizes(row_of(&columns, i), i * 17 % COUNT);
      assert_int_equal(columns.u8[counts[k]], 0xee);
      assert_int_equal(columns.u16[counts[k]], 0xeeee);
    }
    finish(&fixture);
  }
}

/* Two tables with the component, one without, a dead entity and the null. */
TEST(elements_of_absent_components_are_left_as_they_are) {
  for (uint32_t sparse = 0; sparse < 2; sparse++) {
    Fixture fixture;
    start(&fixture);
    ecs_Component what = sparse == 1 ? fixture.s : fixture.a;
    ecs_Accessor accessor = access_to(&fixture, what);
    spawn(&fixture, COUNT, what, UINT64_C(0x77777777777));
    for (uint32_t i = 0; i < COUNT; i += 5)
      assert_int_equal(ecs_add(fixture.world, fixture.e[i], fixture.b, NULL),
                       ECS_OK);
    assert_int_equal(ecs_destroy(fixture.world, fixture.e[2]), ECS_OK);
    assert_int_equal(ecs_destroy(fixture.world, fixture.e[COUNT - 2]), ECS_OK);
    ecs_Entity many[130];
    Columns columns;
    uint32_t expected = 0;
    for (uint32_t i = 0; i < 130; i++)
      many[i] = i % 13 == 12 ? 0 : fixture.e[i % COUNT];
    for (uint32_t i = 0; i < 130; i++)
      expected += ecs_has(fixture.world, many[i], what);
    fill(&columns, 130, 300);
    assert_int_equal(get_many(&accessor, many, 130, &columns), expected);
    for (uint32_t i = 0; i < 130; i++)
      assert_sizes(row_of(&columns, i),
                   ecs_has(fixture.world, many[i], what) ? i % COUNT : 300 + i);
    fill(&columns, 130, 600);
    assert_int_equal(set_many(&accessor, many, 130, &columns), expected);
    for (uint32_t i = 0; i < COUNT; i++) {
      if (!ecs_has(fixture.world, fixture.e[i], what)) continue;
      uint32_t last = i; /* a repeated entity keeps the later values */
      for (uint32_t k = i; k < 130; k += COUNT)
        if (k % 13 != 12) last = k;
      assert_got(&accessor, fixture.e[i], 600 + last);
    }
    finish(&fixture);
  }
}

/* A field of every type: what many sets store is what single sets do, and what
 * many gets read is what is stored. Half of the runs have a dead entity of an
 * index that is alive again in the list. */
TEST(every_type_is_stored_as_by_one) {
  static const uint8_t bytes[] = {4, 8, 1, 1, 2, 2, 4, 4, 1, 8};
  static const ecs_Scalar types[] = {ECS_F32,  ECS_F64,   ECS_I8,  ECS_U8,
                                     ECS_I16,  ECS_U16,   ECS_I32, ECS_U32,
                                     ECS_BOOL, ECS_ENTITY};
  for (uint32_t run = 0; run < 40; run++) {
    const uint32_t type = run % 10, size = bytes[type];
    const bool sparse = run / 10 % 2 == 1, dead = run >= 20;
    const ecs_Field field = {"x", types[type], 0};
    Fixture fixture;
    ecs_Entity one[20], many[20];
    uint64_t values[20], read[20], image = 0;
    start(&fixture);
    ecs_World *world = fixture.world;
    ecs_Component what = define_component(
        world, "X", &field, 1, sparse ? ECS_STORE_SPARSE : ECS_STORE_TABLE);
    ecs_Accessor accessor = access_to(&fixture, what);
    for (uint32_t i = 0; i < 20; i++) {
      assert_int_equal(ecs_spawn(world, &what, 1, NULL, &one[i]), ECS_OK);
      assert_int_equal(ecs_spawn(world, &what, 1, NULL, &many[i]), ECS_OK);
      /* NaNs with payloads, bools above 1, numbers that are no handles */
      values[i] = UINT64_C(0x9e3779b97f4a7c15) * (i + 1) |
                  (i % 3 == 0 ? UINT64_C(0x7ff00000ffc00000) : 0);
    }
    if (dead) {
      ecs_Entity again;
      assert_int_equal(ecs_destroy(world, many[7]), ECS_OK);
      assert_int_equal(ecs_spawn(world, &what, 1, NULL, &again), ECS_OK);
      assert_int_equal(again & 0xfffffff, many[7] & 0xfffffff);
    }
    char column[sizeof values];
    for (uint32_t i = 0; i < 20; i++)
      memcpy(column + i * size, &values[i], size);
    const void *from[] = {column};
    void *to[] = {read};
    uint32_t found = 0, expected = dead ? 19 : 20;
    assert_int_equal(ecs_accessor_set_many(&accessor, many, 20, from, &found),
                     ECS_OK);
    assert_int_equal(found, expected);
    memset(read, 0, sizeof read);
    assert_int_equal(ecs_accessor_get_many(&accessor, many, 20, to, &found),
                     ECS_OK);
    assert_int_equal(found, expected);
    for (uint32_t i = 0; i < 20; i++) {
      assert_int_equal(ecs_set(world, one[i], what, &values[i], 1), ECS_OK);
      assert_int_equal(ecs_get(world, one[i], what, &image), ECS_OK);
      if (dead && i == 7) continue;
      assert_memory_equal((char *)read + i * size, &image, size);
      assert_int_equal(ecs_get(world, many[i], what, &values[i]), ECS_OK);
      assert_memory_equal(&values[i], &image, size);
    }
    finish(&fixture);
  }
}

/* While something is recorded --------------------------------------------- */

TEST(a_set_after_a_record_is_recorded_too) {
  for (uint32_t many = 0; many < 2; many++) {
    Fixture fixture;
    start(&fixture);
    ecs_Accessor accessor = access_to(&fixture, fixture.a);
    spawn(&fixture, 3, fixture.a, 7);
    Columns columns;
    fill(&columns, 3, 70);
    assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
    assert_int_equal(ecs_remove(fixture.world, fixture.e[0], fixture.a),
                     ECS_OK);
    assert_int_equal(ecs_add(fixture.world, fixture.e[1], fixture.b, NULL),
                     ECS_OK);
    for (uint32_t i = 0; i < 3; i++) {
      Sizes image = sizes_of(70 + i);
      if (many == 0)
        assert_int_equal(ecs_accessor_set(&accessor, fixture.e[i], &image),
                         ECS_OK);
    }
    if (many == 1)
      assert_int_equal(set_many(&accessor, fixture.e, 3, &columns), 3);
    assert_got(&accessor, fixture.e[0], 0);
    assert_got(&accessor, fixture.e[1], 1);
    assert_got(&accessor, fixture.e[2], 72); /* nothing recorded: at once */
    assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
    assert_got(&accessor, fixture.e[0], 70);
    assert_got(&accessor, fixture.e[1], 71);
    assert_got(&accessor, fixture.e[2], 72);
    finish(&fixture);
  }
}

TEST(one_record_is_enough) {
  Fixture fixture;
  start(&fixture);
  ecs_Accessor accessor = access_to(&fixture, fixture.a);
  spawn(&fixture, 1, fixture.a, 1);
  Sizes image = sizes_of(5);
  assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
  assert_int_equal(ecs_add(fixture.world, fixture.e[0], fixture.b, NULL),
                   ECS_OK);
  assert_int_equal(ecs_accessor_set(&accessor, fixture.e[0], &image), ECS_OK);
  assert_got(&accessor, fixture.e[0], 0);
  ecs_defer_discard(fixture.world);
  assert_got(&accessor, fixture.e[0], 0);
  finish(&fixture);
}

/* e0: nothing recorded; e1, e2: something; e3: destroyed; room for one. */
TEST(a_recording_that_fails_leaves_a_set_of_many_undone) {
  Fixture fixture;
  start(&fixture);
  ecs_Accessor accessor = access_to(&fixture, fixture.a);
  spawn(&fixture, 4, fixture.a, 15);
  Columns columns;
  fill(&columns, 4, 70);
  const void *const pointers[] = {columns.f64, columns.u8, columns.u16,
                                  columns.f32};
  CommandBuffer *commands = &fixture.world->commands;
  const ecs_Entity many[] = {fixture.e[0], fixture.e[3], fixture.e[1],
                             fixture.e[2]};
  assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
  for (uint32_t i = 1; i < 3; i++)
    assert_int_equal(ecs_add(fixture.world, fixture.e[i], fixture.b, NULL),
                     ECS_OK);
  assert_int_equal(ecs_destroy(fixture.world, fixture.e[3]), ECS_OK);
  uint64_t recorded = ecs_world_hash(fixture.world);
  uint32_t found = 99;
  commands->command_count += ECS_COMMAND_LIMIT - 4;
  assert_int_equal(ecs_accessor_set_many(&accessor, many, 4, pointers, &found),
                   ECS_E_LIMIT);
  assert_int_equal(commands->command_count, ECS_COMMAND_LIMIT - 1);
  commands->command_count -= ECS_COMMAND_LIMIT - 4;
  assert_true(command_buffer_check_invariants(commands));
  assert_true(ecs_world_hash(fixture.world) == recorded);
  assert_int_equal(fixture.world->dropped, 0);
  assert_int_equal(found, 0);
  for (uint32_t i = 0; i < 4; i++) assert_got(&accessor, fixture.e[i], i);
  assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
  for (uint32_t i = 0; i < 3; i++) assert_got(&accessor, fixture.e[i], i);
  finish(&fixture);
}

TEST(open_cursors_forbid_what_they_forbid_to_others) {
  static const ecs_Access access[] = {ECS_READ, ECS_WRITE, ECS_OPTIONAL,
                                      ECS_WITH};
  for (uint32_t i = 0; i < 4; i++) {
    Fixture fixture;
    start(&fixture);
    ecs_Accessor accessor = access_to(&fixture, fixture.a);
    ecs_Accessor other = access_to(&fixture, fixture.s);
    spawn(&fixture, 2, fixture.a, 3);
    const ecs_Term term = {fixture.a, access[i]};
    ecs_Query *query = NULL;
    ecs_Cursor cursor;
    assert_int_equal(ecs_query_create(fixture.world, &term, 1, &query), ECS_OK);
    assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
    Columns columns;
    fill(&columns, 2, 20);
    void *const to[] = {columns.f64, columns.u8, columns.u16, columns.f32};
    const void *const from[] = {columns.f64, columns.u8, columns.u16,
                                columns.f32};
    Sizes image = sizes_of(20);
    bool reads = i != 3, writes = i == 1 || i == 2;
    assert_int_equal(ecs_accessor_get(&accessor, fixture.e[0], &image),
                     writes ? ECS_E_ACCESS : ECS_OK);
    assert_int_equal(ecs_accessor_get_many(&accessor, fixture.e, 2, to, NULL),
                     writes ? ECS_E_ACCESS : ECS_OK);
    assert_int_equal(ecs_world_contested(fixture.world),
                     writes ? fixture.a : 0);
    assert_int_equal(ecs_accessor_set(&accessor, fixture.e[0], &image),
                     reads ? ECS_E_ACCESS : ECS_OK);
    assert_int_equal(ecs_accessor_set_many(&accessor, fixture.e, 2, from, NULL),
                     reads ? ECS_E_ACCESS : ECS_OK);
    assert_int_equal(ecs_world_contested(fixture.world), reads ? fixture.a : 0);
    assert_int_equal(ecs_accessor_set(&other, fixture.e[0], &image),
                     ECS_E_ABSENT);
    assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
    assert_int_equal(ecs_accessor_set(&accessor, fixture.e[0], &image), ECS_OK);
    finish(&fixture);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_of_one_table_are_read_at_once),
      cmocka_unit_test(elements_of_absent_components_are_left_as_they_are),
      cmocka_unit_test(every_type_is_stored_as_by_one),
      cmocka_unit_test(a_set_after_a_record_is_recorded_too),
      cmocka_unit_test(one_record_is_enough),
      cmocka_unit_test(a_recording_that_fails_leaves_a_set_of_many_undone),
      cmocka_unit_test(open_cursors_forbid_what_they_forbid_to_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

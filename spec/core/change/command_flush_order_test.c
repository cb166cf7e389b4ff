/* command_flush_order_test.c: the order in which a recording is applied.
 *
 * Entities are born first, then changed, and destroyed last; among these, each
 * in the order of the first command that was recorded for it:
 *
 *      recorded   destroy e0, add Tag to e1, spawn n, remove A from e2
 *      applied    n is born; e1, e2 are changed; e0 is destroyed
 *
 * Changes of living entities that are all alike are applied as a list.
 */
#include "change/list_change.h"
#include "flush_fixture.h"
#include "test_case.h"

/* The entities of the table that an entity's row of the main group is in. */
static void assert_table(const Fixture *fixture, ecs_Entity entity,
                         const ecs_Entity *wanted, uint32_t count) {
  const Table *table = store_locate_main(&fixture->world->store, entity).table;
  assert_int_equal(table->count, count);
  for (uint32_t i = 0; i < count; i++)
    assert_int_equal(table->entities[i], wanted[i]);
}

static ecs_Entity spawn_with(const Fixture *fixture, ecs_Component component,
                             const void *image) {
  ecs_Entity entity = 0;
  assert_int_equal(ecs_spawn(fixture->world, &component, 1, &image, &entity),
                   ECS_OK);
  return entity;
}

/* Order ------------------------------------------------------------------- */

TEST(births_come_first_and_deaths_last) {
  Fixture fixture;
  ecs_Entity e[5], n[2];
  start(&fixture);
  ecs_World *world = fixture.world;
  const ecs_Component both[] = {fixture.a, fixture.tag};
  for (uint32_t i = 0; i < 5; i++) e[i] = spawn_with(&fixture, fixture.a, NULL);
  begin(&fixture);
  assert_int_equal(ecs_destroy(world, e[0]), ECS_OK);
  assert_int_equal(ecs_add(world, e[3], fixture.tag, NULL), ECS_OK);
  assert_int_equal(ecs_add(world, e[1], fixture.tag, NULL), ECS_OK);
  n[0] = spawn_with(&fixture, fixture.a, NULL);
  assert_int_equal(ecs_spawn(world, both, 2, NULL, &n[1]), ECS_OK);
  end(&fixture);
  /* {A}: e0 .. e4 and n0; n0 takes the place of e3, and e4 that of e1; then n0
   * is the last one, and takes that of e0. */
  assert_table(&fixture, e[2], (ecs_Entity[]){n[0], e[4], e[2]}, 3);
  assert_table(&fixture, e[1], (ecs_Entity[]){n[1], e[3], e[1]}, 3);
  assert_settled(&fixture);
  finish(&fixture);
}

/* The first command decides, not the last, nor that of the spawn's values. */
TEST(the_first_command_decides_on_the_order) {
  Fixture fixture;
  ecs_Entity n[4], e[3];
  start(&fixture);
  ecs_World *world = fixture.world;
  for (uint32_t i = 0; i < 3; i++) e[i] = spawn(&fixture);
  begin(&fixture);
  for (uint32_t i = 0; i < 4; i++) n[i] = spawn(&fixture);
  assert_int_equal(ecs_add(world, e[2], fixture.t, NULL), ECS_OK);
  for (uint32_t i = 4; i-- > 0;)
    assert_int_equal(ecs_add(world, n[i], fixture.tag, NULL), ECS_OK);
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(ecs_add(world, e[i], fixture.tag, NULL), ECS_OK);
  end(&fixture);
  assert_table(&fixture, n[0],
               (ecs_Entity[]){n[0], n[1], n[2], n[3], e[2], e[0], e[1]}, 7);
  finish(&fixture);
}

/* Also where a spawned entity is more than born: it is changed before those that
 * live. So spawns and other changes may be recorded in any mixture. */
TEST(what_is_spawned_comes_before_what_lives) {
  uint64_t recorded[3], applied[3];
  for (uint32_t way = 0; way < 3; way++) {
    Fixture fixture;
    ecs_Entity e[3], n[3];
    start(&fixture);
    for (uint32_t i = 0; i < 3; i++) e[i] = spawn(&fixture);
    begin(&fixture);
    for (uint32_t i = 0; i < 6; i++) {
      /* Spawns first, last, and in turns. */
      bool spawns = way == 0 ? i < 3 : way == 1 ? i >= 3 : i % 2 == 0;
      uint32_t k = way == 2 ? i / 2 : i % 3;
      if (spawns) n[k] = spawn(&fixture);
      ecs_Entity one = spawns ? n[k] : e[k];
      assert_int_equal(operate(&fixture, one, k == 2 ? 0 : 14), ECS_OK);
      assert_int_equal(operate(&fixture, one, 7), ECS_OK);
      assert_int_equal(operate(&fixture, one, 9), ECS_OK);
    }
    recorded[way] = ecs_world_hash(fixture.world);
    end(&fixture);
    applied[way] = ecs_world_hash(fixture.world);
    assert_table(&fixture, e[0], (ecs_Entity[]){n[0], n[1], e[0], e[1]}, 4);
    assert_table(&fixture, e[2], (ecs_Entity[]){n[2], e[2]}, 2);
    assert_settled(&fixture);
    finish(&fixture);
    assert_true(recorded[way] == recorded[0]);
    assert_true(applied[way] == applied[0]);
  }
}

/* Handles are freed in that order, too, those of the unborn last; the handle
 * that was freed last is issued next. */
TEST(handles_are_freed_in_order) {
  Fixture fixture;
  ecs_Entity e[3], x[3];
  start(&fixture);
  ecs_World *world = fixture.world;
  for (uint32_t i = 0; i < 3; i++) e[i] = spawn(&fixture);
  begin(&fixture);
  for (uint32_t i = 0; i < 3; i++) x[i] = spawn(&fixture);
  assert_int_equal(ecs_destroy(world, x[2]), ECS_OK);
  assert_int_equal(ecs_add(world, e[1], fixture.tag, NULL), ECS_OK);
  assert_int_equal(ecs_destroy(world, e[2]), ECS_OK);
  assert_int_equal(ecs_destroy(world, e[1]), ECS_OK);
  assert_int_equal(ecs_destroy(world, x[0]), ECS_OK);
  end(&fixture);
  /* e1, e2: as their first commands; then x0, x2. */
  const ecs_Entity freed[] = {x[2], x[0], e[2], e[1]};
  for (uint32_t i = 0; i < 4; i++) {
    ecs_Entity next = spawn(&fixture);
    assert_int_equal(id_index(next), id_index(freed[i]));
    assert_int_equal(id_generation(next), id_generation(freed[i]) + 1);
  }
  assert_true(ecs_alive(world, x[1]) && ecs_alive(world, e[0]));
  assert_settled(&fixture);
  finish(&fixture);
}

/* A table gets room for all that comes to it, be it born there or moved. */
TEST(births_and_changes_share_a_table) {
  for (uint32_t births = 0; births < 20; births += 3)
    for (uint32_t changes = 0; changes < 20; changes += 3) {
      Fixture fixture;
      ecs_Entity e[20], n[20];
      start(&fixture);
      ecs_World *world = fixture.world;
      for (uint32_t i = 0; i < changes; i++) e[i] = spawn(&fixture);
      begin(&fixture);
      for (uint32_t i = 0; i < births || i < changes; i++) {
        const A image = {i, 1}, other = {i, 2};
        if (i < changes)
          assert_int_equal(ecs_add(world, e[i], fixture.a, &image), ECS_OK);
        if (i < births) n[i] = spawn_with(&fixture, fixture.a, &other);
        if (i < changes && i % 2 == 0)
          assert_int_equal(operate(&fixture, e[i], 12), ECS_OK);
        if (i < births && i % 2 == 1)
          assert_int_equal(operate(&fixture, n[i], 12), ECS_OK);
      }
      end(&fixture);
      for (uint32_t i = 0; i < births || i < changes; i++) {
        A a;
        if (i < births) {
          assert_int_equal(ecs_get(world, n[i], fixture.a, &a), ECS_OK);
          assert_true(a.x == i && a.y == 2);
          assert_int_equal(store_locate_main(&world->store, n[i]).row, i);
        }
        if (i >= changes) continue;
        assert_int_equal(ecs_get(world, e[i], fixture.a, &a), ECS_OK);
        assert_true(a.x == i && a.y == 1);
        assert_int_equal(store_locate_main(&world->store, e[i]).row,
                         births + i);
      }
      assert_settled(&fixture);
      finish(&fixture);
    }
}

/* What was discarded, and on which ways chains became what they are, has no part
 * in the order in which tables are made: worlds with equal hashes stay equal. */
TEST(tables_are_made_in_the_order_of_what_is_recorded) {
  for (uint32_t way = 0; way < 3; way++) {
    Fixture pair[2];
    for (uint32_t w = 0; w < 2; w++) {
      ecs_World *world = (start(&pair[w]), pair[w].world);
      const ecs_Component both[] = {pair[w].a, pair[w].tag};
      ecs_Entity born = 0;
      begin(&pair[w]);
      if (way == 1) (void)spawn(&pair[w]);
      if (way < 2) {
        begin(&pair[w]);
        (void)spawn_with(&pair[w], w == 0 ? pair[w].a : pair[w].tag, NULL);
        ecs_defer_discard(world);
      } else if (w == 0) {
        assert_int_equal(ecs_spawn(world, both, 2, NULL, &born), ECS_OK);
      } else {
        born = spawn_with(&pair[w], pair[w].a, NULL);
        assert_int_equal(ecs_add(world, born, pair[w].tag, NULL), ECS_OK);
      }
    }
    assert_true(ecs_world_hash(pair[0].world) == ecs_world_hash(pair[1].world));
    for (uint32_t w = 0; w < 2; w++) {
      (void)spawn_with(&pair[w], pair[w].a, NULL);
      (void)spawn_with(&pair[w], pair[w].tag, NULL);
      end(&pair[w]);
    }
    assert_true(ecs_world_hash(pair[0].world) == ecs_world_hash(pair[1].world));
    for (uint32_t w = 0; w < 2; w++) finish(&pair[w]);
  }
}

/* Lists ------------------------------------------------------------------- */

/* Twenty changes alike, with images or without, of entities of several tables,
 * some of which have the component, as soon as they are applied. */
TEST(changes_alike_are_as_one_by_one) {
  static const uint32_t operations[] = {0, 1,  4,  5,  6,  7,
                                        9, 10, 11, 12, 13, 14};
  for (uint32_t o = 0; o < sizeof operations / sizeof *operations; o++)
    for (uint32_t count = 6; count <= 20; count += 7)
      for (uint32_t deaths = 0; deaths < 2; deaths++) {
        Fixture fixture, twin;
        ecs_Entity e[22];
        start(&fixture);
        start(&twin);
        for (uint32_t i = 0; i < 22; i++) {
          e[i] = spawn(&fixture);
          assert_int_equal(spawn(&twin), e[i]);
          prepare(&fixture, e[i], i * 5 % 64);
          prepare(&twin, e[i], i * 5 % 64);
        }
        begin(&fixture);
        if (deaths == 1)
          assert_int_equal(ecs_destroy(fixture.world, e[21]), ECS_OK);
        for (uint32_t i = 0; i < count; i++) {
          ecs_Entity one = e[i * 13 % 20];
          assert_int_equal(operate(&fixture, one, operations[o]), ECS_OK);
          assert_int_equal(operate(&twin, one, operations[o]), ECS_OK);
        }
        if (deaths == 1) {
          assert_int_equal(ecs_destroy(fixture.world, e[20]), ECS_OK);
          assert_int_equal(ecs_destroy(twin.world, e[21]), ECS_OK);
          assert_int_equal(ecs_destroy(twin.world, e[20]), ECS_OK);
        }
        end(&fixture);
        assert_settled(&fixture);
        assert_true(ecs_world_hash(fixture.world) ==
                    ecs_world_hash(twin.world));
        finish(&fixture);
        finish(&twin);
      }
}

/* Each entity of a list gets its own image; one that is listed twice, the
 * first; one that has the component or is dead, none. */
TEST(each_entity_of_a_list_gets_its_image) {
  for (uint32_t c = 0; c < 6; c++) {
    Fixture fixture;
    ecs_Entity e[12];
    start(&fixture);
    Store *store = &fixture.world->store;
    const ecs_Component all[] = {fixture.a, fixture.s, fixture.b,
                                 fixture.t, fixture.u, fixture.tag};
    for (uint32_t i = 0; i < 12; i++) {
      e[i] = spawn(&fixture);
      if (i % 3 == 1) prepare(&fixture, e[i], 32); /* another table */
    }
    for (uint32_t i = 4; i < 6; i++)
      assert_int_equal(store_add(store, e[i], all[c], NULL), ECS_OK);
    assert_int_equal(ecs_destroy(fixture.world, e[7]), ECS_OK);
    double images[13][2];
    const void *pointers[13];
    ecs_Entity list[13];
    for (uint32_t i = 0; i < 13; i++) {
      list[i] = e[i % 12 == 9 ? 8 : i % 12];
      pointers[i] = images[i];
      if (c == 0) memcpy(images[i], &(A){i + 100, (float)i}, sizeof(A));
      if (c == 1) memcpy(images[i], &(uint16_t){(uint16_t)(i + 100)}, 2);
      if (c == 2) memcpy(images[i], &(uint8_t){i % 2 == 0}, 1);
    }
    for (uint32_t given = 0; given < 2; given++) {
      uint32_t found = 99;
      assert_int_equal(list_add_each(store, list, given == 0 ? pointers : NULL,
                                     13, all[c], &found),
                       ECS_OK);
      assert_int_equal(found, 12);
      assert_true(store_check_invariants(store));
      for (uint32_t i = 0; i < 12; i++) {
        if (i == 7) continue;
        bool added = i != 9, had = i == 4 || i == 5;
        uint32_t from =
            i; /* the image of e8, too, is that of its first place */
        assert_int_equal(ecs_has(fixture.world, e[i], all[c]), added);
        if (!added || c > 2) continue;
        double back[2] = {0};
        assert_int_equal(ecs_get(fixture.world, e[i], all[c], back), ECS_OK);
        if (c == 0) {
          A a;
          memcpy(&a, back, sizeof a);
          assert_true(a.x == (given == 1 || had ? 0.5 : from + 100));
          assert_true(a.y == (given == 1 || had ? 0 : (float)from));
        } else if (c == 1) {
          uint16_t s;
          memcpy(&s, back, sizeof s);
          assert_int_equal(s, given == 1 || had ? 7 : from + 100);
        } else {
          uint8_t b;
          memcpy(&b, back, sizeof b);
          assert_int_equal(b, given == 1 || had ? 1 : from % 2 == 0);
        }
      }
      /* Again, with defaults. */
      for (uint32_t i = 0; i < 12 && given == 0; i++)
        if (i != 7) assert_int_equal(store_remove(store, e[i], all[c]), ECS_OK);
    }
    finish(&fixture);
  }
}

/* Lists with images, and without, together with deaths: each request fails. */
TEST(a_list_that_fails_changes_nothing) {
  static const uint32_t operations[] = {0, 4, 7, 10, 12, 14};
  for (uint32_t o = 0; o < 6; o++)
    for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
      uint64_t injected = 1, nth = 1;
      for (; injected > 0; nth++) {
        Fixture fixture;
        ecs_Entity e[14];
        start(&fixture);
        for (uint32_t i = 0; i < 14; i++) {
          e[i] = spawn(&fixture);
          if (i % 3 == 1) prepare(&fixture, e[i], 32);
          if (operations[o] == 4) prepare(&fixture, e[i], 1);
        }
        uint64_t hash = ecs_world_hash(fixture.world);
        begin(&fixture);
        assert_int_equal(ecs_destroy(fixture.world, e[13]), ECS_OK);
        for (uint32_t i = 0; i < 12; i++)
          assert_int_equal(operate(&fixture, e[i], operations[o]), ECS_OK);
        failing_memory_arm(&fixture.failing, nth, (FailingMode)mode);
        ecs_Status status = ecs_defer_end(fixture.world);
        injected = failing_memory_disarm(&fixture.failing);
        assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
        assert_settled(&fixture);
        assert_int_equal(ecs_world_hash(fixture.world) == hash, injected > 0);
        assert_int_equal(ecs_alive(fixture.world, e[13]), injected > 0);
        finish(&fixture);
      }
      assert_true(nth > 3);
    }
}

/* Shapes ------------------------------------------------------------------ */

/* One entity's chain of `count` commands makes as many shapes. */
static void apply_chain(const Fixture *fixture, ecs_Entity entity,
                        uint32_t count) {
  begin(fixture);
  assert_int_equal(operate(fixture, entity, 14), ECS_OK);
  for (uint32_t i = 1; i < count; i++)
    assert_int_equal(operate(fixture, entity, i % 2 == 0 ? 14 : 5), ECS_OK);
}

TEST(very_many_shapes_are_forgotten) {
  for (uint32_t way = 0; way < 3; way++) {
    Fixture fixture;
    start(&fixture);
    ecs_Entity entity = spawn(&fixture);
    const ChainShapes *shapes = &fixture.world->commands.shapes;
    uint32_t version = shapes->version;
    for (uint32_t round = 0; round < 3; round++) {
      apply_chain(&fixture, entity, ECS_SHAPES_KEPT - 1);
      if (way == 2)
        ecs_defer_discard(fixture.world);
      else
        end(&fixture);
      if (way != 2) prepare(&fixture, entity, 0);
      assert_int_equal(shapes->count, ECS_SHAPES_KEPT); /* and the empty one */
      assert_int_equal(shapes->version, version);
      if (way != 2) {
        assert_int_equal(operate(&fixture, entity, 6), ECS_OK);
        assert_int_equal(ecs_remove(fixture.world, entity, fixture.tag),
                         ECS_OK);
      }
    }
    uint64_t blocks = fixture.failing.blocks;
    apply_chain(&fixture, entity, ECS_SHAPES_KEPT);
    if (way == 0) end(&fixture);
    if (way == 1) {
      failing_memory_arm(&fixture.failing, 1, FAIL_ONWARD);
      ecs_Status status = ecs_defer_end(fixture.world);
      if (failing_memory_disarm(&fixture.failing) > 0)
        assert_int_equal(status, ECS_E_MEMORY);
    }
    if (way == 2) ecs_defer_discard(fixture.world);
    assert_int_equal(shapes->count, 0);
    assert_true(shapes->version != version);
    assert_true(fixture.failing.blocks <= blocks);
    version = shapes->version;
    apply_chain(&fixture, entity, 2); /* it goes on */
    end(&fixture);
    assert_int_equal(shapes->version, version);
    assert_true(ecs_has(fixture.world, entity, fixture.t));
    assert_settled(&fixture);
    finish(&fixture);
  }
}

/* Inner levels keep the shapes: what is recorded around them has some. */
TEST(shapes_stay_while_anything_is_recorded) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[2] = {spawn(&fixture), spawn(&fixture)};
  const ChainShapes *shapes = &fixture.world->commands.shapes;
  begin(&fixture);
  assert_int_equal(operate(&fixture, e[0], 0), ECS_OK);
  apply_chain(&fixture, e[1], ECS_SHAPES_KEPT + 3);
  ecs_defer_discard(fixture.world);
  assert_true(shapes->count > ECS_SHAPES_KEPT);
  assert_int_equal(operate(&fixture, e[0], 14), ECS_OK);
  end(&fixture);
  assert_int_equal(shapes->count, 0);
  assert_true(ecs_has(fixture.world, e[0], fixture.a));
  assert_true(ecs_has(fixture.world, e[0], fixture.tag));
  assert_false(ecs_has(fixture.world, e[1], fixture.tag));
  assert_settled(&fixture);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(births_come_first_and_deaths_last),
      cmocka_unit_test(the_first_command_decides_on_the_order),
      cmocka_unit_test(what_is_spawned_comes_before_what_lives),
      cmocka_unit_test(handles_are_freed_in_order),
      cmocka_unit_test(births_and_changes_share_a_table),
      cmocka_unit_test(tables_are_made_in_the_order_of_what_is_recorded),
      cmocka_unit_test(changes_alike_are_as_one_by_one),
      cmocka_unit_test(each_entity_of_a_list_gets_its_image),
      cmocka_unit_test(a_list_that_fails_changes_nothing),
      cmocka_unit_test(very_many_shapes_are_forgotten),
      cmocka_unit_test(shapes_stay_while_anything_is_recorded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* command_flush_test.c: what a recording comes to when it is applied.
 *
 * The judge is a twin: a world of the same components and entities in which
 * the same calls are made at once. Afterwards both have one state hash.
 *
 *      program    add A    set A.x    remove A    set A.y    destroy ...
 *      direct     ------------------ at once ------------------> hash
 *      deferred   recorded ......................... applied --> hash
 *
 * Five storages take part: A and Tag in tables of the main group, T as bits
 * there, S as a sparse set, and a group {B, U} in which U is stored as bits.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "storage/store_check.h"
#include "world/world.h"
#include "api_fixture.h"

typedef struct A {
  double x;
  float y;
} A;

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, tag, t, s, b, u;
} Fixture;

static void start(Fixture *fixture) {
  static const ecs_Field a[] = {{"x", ECS_F64, 0.5}, {"y", ECS_F32, 0}};
  static const ecs_Field s = {"s", ECS_U16, 7}, b = {"b", ECS_BOOL, 1};
  fixture->world = open_world(&fixture->failing);
  ecs_World *world = fixture->world;
  fixture->a = define_component(world, "A", a, 2, ECS_STORE_TABLE);
  fixture->tag = define_component(world, "Tag", NULL, 0, ECS_STORE_TABLE);
  fixture->t = define_component(world, "T", NULL, 0, ECS_STORE_BITS);
  fixture->s = define_component(world, "S", &s, 1, ECS_STORE_SPARSE);
  fixture->b = define_component(world, "B", &b, 1, ECS_STORE_TABLE);
  fixture->u = define_component(world, "U", NULL, 0, ECS_STORE_BITS);
  const ecs_Component group[] = {fixture->b, fixture->u};
  assert_int_equal(ecs_group(world, group, 2), ECS_OK);
}

static void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

static void begin(const Fixture *fixture) {
  assert_int_equal(ecs_defer_begin(fixture->world), ECS_OK);
}

static void end(const Fixture *fixture) {
  assert_int_equal(ecs_defer_end(fixture->world), ECS_OK);
}

static ecs_Entity spawn(const Fixture *fixture) {
  ecs_Entity entity = 0;
  assert_int_equal(ecs_spawn(fixture->world, NULL, 0, NULL, &entity), ECS_OK);
  return entity;
}

static uint32_t tables_of(const Fixture *fixture) {
  ecs_Statistics statistics;
  ecs_world_statistics(fixture->world, &statistics);
  return (uint32_t)statistics.tables;
}

/* Nothing of an apply may stay: no pending rows, no records. */
static void assert_settled(const Fixture *fixture) {
  const Store *world = &fixture->world->store;
  for (uint32_t i = 0; i < world->group_count; i++)
    for (uint32_t k = 0; k < world->groups[i]->table_count; k++)
      assert_int_equal(world->groups[i]->tables[k]->pending, 0);
  assert_true(store_check_invariants(world));
  assert_int_equal(fixture->world->commands.entity_count, 0);
  assert_int_equal(fixture->world->commands.command_count, 0);
  assert_null(fixture->world->commands.last);
  assert_null(fixture->world->commands.staged);
}

/* Twins ------------------------------------------------------------------- */

#define OPERATIONS 16u

/* One call, the same in both worlds. */
static ecs_Status operate(const Fixture *fixture, ecs_Entity entity,
                          uint32_t operation) {
  ecs_World *world = fixture->world;
  static const A image = {3, 4}, other = {5, 6};
  static const uint16_t s = 77;
  static const uint8_t b = 0;
  switch (operation) {
    case 0: return ecs_add(world, entity, fixture->a, &image);
    case 1: return ecs_add(world, entity, fixture->a, NULL);
    case 2: return ecs_set(world, entity, fixture->a, &other, 1);
    case 3: return ecs_set(world, entity, fixture->a, &other, 2);
    case 4: return ecs_remove(world, entity, fixture->a);
    case 5: return ecs_add(world, entity, fixture->t, NULL);
    case 6: return ecs_remove(world, entity, fixture->t);
    case 7: return ecs_add(world, entity, fixture->s, NULL);
    case 8: return ecs_set(world, entity, fixture->s, &s, ~UINT64_C(0));
    case 9: return ecs_remove(world, entity, fixture->s);
    case 10: return ecs_add(world, entity, fixture->b, &b);
    case 11: return ecs_remove(world, entity, fixture->b);
    case 12: return ecs_add(world, entity, fixture->u, NULL);
    case 13: return ecs_remove(world, entity, fixture->u);
    case 14: return ecs_add(world, entity, fixture->tag, NULL);
    default: return ecs_destroy(world, entity);
  }
}

/* What the entities have before; bit i of a kind: operation 2i or 2i + 1 of
 * these was made. */
static void prepare(const Fixture *fixture, ecs_Entity entity, uint32_t kind) {
  static const uint32_t before[] = {0, 5, 8, 10, 12, 14};
  for (uint32_t i = 0; i < 6; i++)
    if ((kind >> i & 1u) != 0)
      assert_int_equal(operate(fixture, entity, before[i]), ECS_OK);
}

typedef struct Step {
  uint32_t entity;
  uint32_t operation;
} Step;

/* Makes the same steps in both worlds, for entities of several kinds. */
static void assert_same(const uint32_t *kinds, uint32_t entity_count,
                        const Step *steps, uint32_t count) {
  Fixture direct, deferred;
  ecs_Entity e[8], twin[8];
  start(&direct);
  start(&deferred);
  for (uint32_t i = 0; i < entity_count; i++) {
    e[i] = spawn(&direct);
    twin[i] = spawn(&deferred);
    prepare(&direct, e[i], kinds[i]);
    prepare(&deferred, twin[i], kinds[i]);
  }
  begin(&deferred);
  for (uint32_t i = 0; i < count; i++) {
    (void)operate(&direct, e[steps[i].entity], steps[i].operation);
    (void)operate(&deferred, twin[steps[i].entity], steps[i].operation);
  }
  end(&deferred);
  assert_settled(&deferred);
  assert_true(ecs_world_state_hash(direct.world) ==
              ecs_world_state_hash(deferred.world));
  for (uint32_t i = 0; i < entity_count; i++)
    assert_int_equal(ecs_alive(direct.world, e[i]),
                     ecs_alive(deferred.world, twin[i]));
  finish(&direct);
  finish(&deferred);
}

/* All chains of two and of three of the operations on A, for entities that
 * have nothing and that have everything. */
static void every_short_chain_comes_to_what_the_calls_come_to(void **state) {
  (void)state;
  static const uint32_t kinds[] = {0, 63};
  for (uint32_t kind = 0; kind < 2; kind++)
    for (uint32_t i = 0; i < OPERATIONS; i++)
      for (uint32_t k = 0; k < OPERATIONS; k++) {
        Step steps[] = {{0, 14}, {0, i}, {0, k}, {0, 2}, {0, 9}};
        assert_same(&kinds[kind], 1, steps, 3);
        assert_same(&kinds[kind], 1, steps + 1, 2);
        for (uint32_t third = 0; i < 5 && k < 5 && third < 5; third++) {
          steps[3].operation = third;
          assert_same(&kinds[kind], 1, steps, 4);
        }
        assert_same(&kinds[kind], 1, steps + 1, 4);
      }
}

static uint32_t roll(uint64_t *seed, uint32_t sides) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*seed >> 33) % sides;
}

static void long_chains_of_several_entities_come_to_the_same(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (uint32_t round = 0; round < 400; round++) {
    uint32_t kinds[5];
    Step steps[24];
    for (uint32_t i = 0; i < 5; i++) kinds[i] = roll(&seed, 64);
    for (uint32_t i = 0; i < 24; i++) {
      uint32_t operation = roll(&seed, OPERATIONS * 2);
      if (operation >= OPERATIONS)
        operation = roll(&seed, OPERATIONS - 1); /* few deaths */
      steps[i] = (Step){roll(&seed, 5), operation};
    }
    assert_same(kinds, 5, steps, 24);
  }
}

/* Births: the same ids come as long as nobody dies in between. */
static void what_is_born_and_changed_is_what_it_would_be(void **state) {
  (void)state;
  for (uint32_t i = 0; i < OPERATIONS; i++)
    for (uint32_t k = 0; k < OPERATIONS; k++) {
      Fixture pair[2];
      uint64_t hash[2];
      for (uint32_t w = 0; w < 2; w++) {
        start(&pair[w]);
        const ecs_Component what[] = {pair[w].t, pair[w].s, pair[w].a,
                                      pair[w].b};
        const A image = {8, 9};
        const void *values[] = {NULL, NULL, &image, NULL};
        ecs_Entity entity = 0, bare = 0;
        if (w == 1) begin(&pair[w]);
        assert_int_equal(ecs_spawn(pair[w].world, what, 4, values, &entity),
                         ECS_OK);
        bare = spawn(&pair[w]);
        (void)operate(&pair[w], entity, i);
        (void)operate(&pair[w], bare, k);
        (void)operate(&pair[w], entity, k);
        (void)operate(&pair[w], bare, i);
        if (w == 1) end(&pair[w]);
        assert_settled(&pair[w]);
        hash[w] = ecs_world_state_hash(pair[w].world);
      }
      assert_true(hash[0] == hash[1]);
      finish(&pair[0]);
      finish(&pair[1]);
    }
}

/* Order and economy ------------------------------------------------------- */

static void entities_are_moved_in_the_order_of_their_first_record(
    void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[4];
  for (uint32_t i = 0; i < 4; i++) e[i] = spawn(&fixture);
  static const uint32_t order[] = {2, 0, 3, 1};
  begin(&fixture);
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(ecs_add(fixture.world, e[order[i]], fixture.tag, NULL),
                     ECS_OK);
  assert_int_equal(ecs_add(fixture.world, e[1], fixture.s, NULL), ECS_OK);
  assert_int_equal(ecs_add(fixture.world, e[2], fixture.s, NULL), ECS_OK);
  end(&fixture);
  for (uint32_t i = 0; i < 4; i++) {
    RowRef place = store_locate_main(&fixture.world->store, e[order[i]]);
    assert_int_equal(place.row, i);
  }
  RowRef place;
  (void)store_locate(&fixture.world->store, e[2], fixture.s, &place);
  assert_int_equal(place.row, 0); /* its first record came first */
  (void)store_locate(&fixture.world->store, e[1], fixture.s, &place);
  assert_int_equal(place.row, 1);
  finish(&fixture);
}

static void an_entity_moves_once_and_leaves_no_tables_on_its_way(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = spawn(&fixture);
  uint32_t tables = tables_of(&fixture);
  const Group *main = store_main(&fixture.world->store);
  begin(&fixture);
  static const uint32_t operations[] = {0, 14, 8, 4, 7, 0, 10, 2};
  for (uint32_t i = 0; i < 8; i++)
    assert_int_equal(operate(&fixture, entity, operations[i]), ECS_OK);
  end(&fixture);
  /* {A Tag} of the main group, {S}, and {B} of the third. */
  assert_int_equal(tables_of(&fixture), tables + 3);
  begin(&fixture);
  assert_int_equal(operate(&fixture, entity, 4), ECS_OK);
  assert_int_equal(operate(&fixture, entity, 0), ECS_OK);
  uint32_t row = store_locate_main(&fixture.world->store, entity).row;
  const Table *table = store_locate_main(&fixture.world->store, entity).table;
  uint64_t version = main->version;
  end(&fixture);
  assert_int_equal(main->version, version + 1); /* two records, one change */
  RowRef place = store_locate_main(&fixture.world->store, entity);
  assert_ptr_equal(place.table, table);
  assert_int_equal(place.row, row);
  assert_int_equal(tables_of(&fixture), tables + 3);
  finish(&fixture);
}

static void groups_that_nobody_asks_for_stay_as_they_are(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world->store;
  ecs_Entity entity = spawn(&fixture);
  prepare(&fixture, entity, 63);
  uint64_t versions[8];
  for (uint32_t i = 0; i < world->group_count; i++)
    versions[i] = world->groups[i]->version;
  begin(&fixture);
  assert_int_equal(operate(&fixture, entity, 9), ECS_OK); /* remove S */
  end(&fixture);
  uint32_t changed = world->components[fixture.s].group_id;
  for (uint32_t i = 0; i < world->group_count; i++)
    assert_int_equal(world->groups[i]->version > versions[i], i == changed);
  finish(&fixture);
}

static void applying_nothing_changes_nothing(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  uint64_t version = store_structure_version(&fixture.world->store);
  uint64_t requests = fixture.failing.requests;
  begin(&fixture);
  end(&fixture);
  assert_int_equal(command_flush(&fixture.world->commands), ECS_OK);
  assert_int_equal(store_structure_version(&fixture.world->store), version);
  assert_int_equal(fixture.failing.requests, requests);
  finish(&fixture);
}

static void a_stage_of_nobody_is_forgotten_like_any_other(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Bundle bundle = 0;
  assert_int_equal(ecs_bundle(fixture.world, &fixture.a, 1, &bundle), ECS_OK);
  uint64_t blocks = 0;
  for (uint32_t i = 0; i < 3; i++) {
    begin(&fixture);
    assert_int_equal(ecs_spawn_many(fixture.world, bundle, 0, NULL), ECS_OK);
    end(&fixture);
    assert_settled(&fixture);
    if (i > 0) assert_int_equal(fixture.failing.blocks, blocks);
    blocks = fixture.failing.blocks;
  }
  finish(&fixture);
}

static void applying_again_needs_no_more_memory(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = spawn(&fixture);
  for (uint32_t round = 0; round < 3; round++) {
    uint64_t requests = fixture.failing.requests;
    begin(&fixture);
    assert_int_equal(operate(&fixture, entity, 0), ECS_OK);
    assert_int_equal(operate(&fixture, entity, 7), ECS_OK);
    end(&fixture);
    begin(&fixture);
    assert_int_equal(operate(&fixture, entity, 4), ECS_OK);
    assert_int_equal(operate(&fixture, entity, 9), ECS_OK);
    end(&fixture);
    if (round > 0) assert_int_equal(fixture.failing.requests, requests);
  }
  finish(&fixture);
}

/* What applying keeps between has to grow with the world. */
static void components_may_come_between_two_applications(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = spawn(&fixture);
  static const ecs_Field field = {"f", ECS_U32, 0};
  for (uint32_t i = 0; i < 10; i++) {
    char name[16];
    snprintf(name, sizeof name, "N%u", (unsigned)i);
    ecs_Component fresh =
        define_component(fixture.world, name, &field, 1,
                         i % 2 == 0 ? ECS_STORE_SPARSE : ECS_STORE_TABLE);
    uint32_t image = i + 40, back = 0;
    begin(&fixture);
    assert_int_equal(ecs_add(fixture.world, entity, fresh, &image), ECS_OK);
    end(&fixture);
    assert_int_equal(ecs_get(fixture.world, entity, fresh, &back), ECS_OK);
    assert_int_equal(back, image);
    assert_settled(&fixture);
  }
  finish(&fixture);
}

/* Births and deaths ------------------------------------------------------- */

static void who_is_born_and_dies_in_one_recording_never_was(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  uint64_t hash = ecs_world_state_hash(fixture.world);
  uint32_t tables = tables_of(&fixture);
  begin(&fixture);
  ecs_Entity entity = spawn(&fixture);
  assert_int_equal(operate(&fixture, entity, 0), ECS_OK);
  assert_int_equal(operate(&fixture, entity, 7), ECS_OK);
  assert_int_equal(ecs_destroy(fixture.world, entity), ECS_OK);
  end(&fixture);
  assert_false(ecs_alive(fixture.world, entity));
  assert_true(ecs_world_state_hash(fixture.world) == hash);
  assert_int_equal(tables_of(&fixture), tables);
  assert_int_equal(fixture.world->store.index.alive_count, 0);
  ecs_Entity next = spawn(&fixture);
  assert_int_equal(id_index(next), id_index(entity));
  assert_int_equal(id_generation(next), id_generation(entity) + 1);
  assert_settled(&fixture);
  finish(&fixture);
}

static void rows_are_reserved_for_all_who_come_to_one_table(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[20];
  for (uint32_t i = 0; i < 20; i++) e[i] = spawn(&fixture);
  begin(&fixture);
  for (uint32_t i = 0; i < 20; i++) {
    const A image = {i, (float)i};
    assert_int_equal(ecs_add(fixture.world, e[i], fixture.a, &image), ECS_OK);
    assert_int_equal(operate(&fixture, e[i], 8), ECS_OK);
    assert_int_equal(operate(&fixture, e[i], 12), ECS_OK);
  }
  for (uint32_t i = 0; i < 20; i++) (void)spawn(&fixture);
  end(&fixture);
  for (uint32_t i = 0; i < 20; i++) {
    A a;
    assert_int_equal(ecs_get(fixture.world, e[i], fixture.a, &a), ECS_OK);
    assert_true(a.x == i && a.y == (float)i);
    assert_true(ecs_has(fixture.world, e[i], fixture.u));
  }
  assert_int_equal(fixture.world->store.index.alive_count, 40);
  assert_settled(&fixture);
  finish(&fixture);
}

/* Staged rows ------------------------------------------------------------- */

/* Six staged entities with T, A, Tag, S and B, values from a cursor. */
static void stage_six(const Fixture *fixture, ecs_Entity *e) {
  const ecs_Component what[] = {fixture->t, fixture->a, fixture->tag,
                                fixture->s, fixture->b};
  ecs_Bundle bundle = 0;
  ecs_Cursor cursor;
  ecs_Batch batch;
  assert_int_equal(ecs_bundle(fixture->world, what, 5, &bundle), ECS_OK);
  assert_int_equal(ecs_spawn_many(fixture->world, bundle, 6, &cursor), ECS_OK);
  assert_true(ecs_cursor_next(&cursor, &batch));
  assert_int_equal(batch.count, 6);
  assert_int_equal(batch.column_count, 4);
  memcpy(e, batch.entities, 6 * sizeof *e);
  for (uint32_t i = 0; i < 6; i++) {
    assert_true(((const double *)batch.columns[0])[i] == 0.5);
    assert_int_equal(((const uint16_t *)batch.columns[2])[i], 7);
    assert_int_equal(((const uint8_t *)batch.columns[3])[i], 1);
    ((double *)batch.columns[0])[i] = i;
    ((float *)batch.columns[1])[i] = (float)i * 2;
    ((uint16_t *)batch.columns[2])[i] = (uint16_t)(i * 3);
    ((uint8_t *)batch.columns[3])[i] = (uint8_t)(i % 2);
  }
  assert_false(ecs_cursor_next(&cursor, &batch));
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
}

static void assert_a(const Fixture *fixture, ecs_Entity entity, double x,
                     float y) {
  A a = {-1, -1};
  assert_int_equal(ecs_get(fixture->world, entity, fixture->a, &a), ECS_OK);
  assert_true(a.x == x);
  assert_true(a.y == y);
}

static void staged_values_arrive_and_can_be_changed_before(void **state) {
  (void)state;
  Fixture fixture;
  ecs_Entity e[6];
  start(&fixture);
  ecs_World *world = fixture.world;
  begin(&fixture);
  stage_six(&fixture, e);
  const A image = {90, 91};
  assert_int_equal(ecs_add(world, e[1], fixture.a, &image), ECS_OK);
  assert_int_equal(ecs_set(world, e[2], fixture.a, &image, 2), ECS_OK);
  assert_int_equal(ecs_remove(world, e[3], fixture.a), ECS_OK);
  assert_int_equal(ecs_remove(world, e[3], fixture.t), ECS_OK);
  assert_int_equal(ecs_remove(world, e[3], fixture.s), ECS_OK);
  assert_int_equal(ecs_remove(world, e[4], fixture.a), ECS_OK);
  assert_int_equal(ecs_set(world, e[4], fixture.a, &image, 1), ECS_OK);
  assert_int_equal(ecs_add(world, e[4], fixture.u, NULL), ECS_OK);
  assert_int_equal(ecs_destroy(world, e[5]), ECS_OK);
  end(&fixture);
  assert_a(&fixture, e[0], 0, 0);
  assert_a(&fixture, e[1], 1, 2); /* it was there: adding does nothing */
  assert_a(&fixture, e[2], 2, 91);
  assert_a(&fixture, e[4], 90, 0);
  const bool has_a[] = {true, true, true, false, true, false};
  for (uint32_t i = 0; i < 6; i++) {
    uint16_t s = 0;
    uint8_t b = 0;
    assert_int_equal(ecs_has(world, e[i], fixture.a), has_a[i]);
    assert_int_equal(ecs_has(world, e[i], fixture.t), i != 3 && i != 5);
    assert_int_equal(ecs_has(world, e[i], fixture.u), i == 4);
    assert_int_equal(ecs_has(world, e[i], fixture.tag), i != 5);
    assert_int_equal(ecs_alive(world, e[i]), i != 5);
    if (i == 5) continue;
    assert_int_equal(ecs_get(world, e[i], fixture.b, &b), ECS_OK);
    assert_int_equal(b, i % 2);
    assert_int_equal(ecs_get(world, e[i], fixture.s, &s),
                     i == 3 ? ECS_E_ABSENT : ECS_OK);
    if (i != 3) assert_int_equal(s, i * 3);
  }
  assert_settled(&fixture);
  finish(&fixture);
}

static void staged_values_are_made_canonical(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const ecs_Component what[] = {fixture.a, fixture.b};
  ecs_Bundle bundle = 0;
  ecs_Cursor cursor;
  ecs_Batch batch;
  assert_int_equal(ecs_bundle(fixture.world, what, 2, &bundle), ECS_OK);
  begin(&fixture);
  assert_int_equal(ecs_spawn_many(fixture.world, bundle, 1, &cursor), ECS_OK);
  assert_true(ecs_cursor_next(&cursor, &batch));
  const uint64_t noise = UINT64_C(0xfff123456789abcd);
  memcpy(batch.columns[0], &noise, 8);
  *(uint8_t *)batch.columns[2] = 7;
  ecs_Entity entity = batch.entities[0];
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  end(&fixture);
  A a;
  uint8_t b = 0;
  uint64_t bits = 0;
  assert_int_equal(ecs_get(fixture.world, entity, fixture.a, &a), ECS_OK);
  assert_int_equal(ecs_get(fixture.world, entity, fixture.b, &b), ECS_OK);
  memcpy(&bits, &a.x, 8);
  assert_int_equal(bits, UINT64_C(0x7ff8000000000000));
  assert_int_equal(b, 1);
  finish(&fixture);
}

/* Bits -------------------------------------------------------------------- */

/* Ten tags stored as bits, in the main group or in one of their own; more
 * than one column of them. */
static void bits_come_and_go_in_groups_of_nothing_else(void **state) {
  (void)state;
  for (uint32_t apart = 0; apart < 2; apart++) {
    FailingMemory failing;
    ecs_WorldDescription how = {failing_memory_init(&failing), 0};
    ecs_World *world = NULL;
    ecs_Component bits[10];
    assert_int_equal(ecs_world_create(&how, &world), ECS_OK);
    for (uint32_t i = 0; i < 10; i++) {
      char name[16];
      snprintf(name, sizeof name, "T%u", (unsigned)i);
      bits[i] = define_component(world, name, NULL, 0, ECS_STORE_BITS);
    }
    if (apart == 1) assert_int_equal(ecs_group(world, bits, 10), ECS_OK);
    ecs_Entity e[5];
    for (uint32_t i = 0; i < 5; i++)
      assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &e[i]), ECS_OK);
    static const uint32_t first[] = {0, 9, 7, 8, 1};
    for (uint32_t round = 0; round < 3; round++) {
      assert_int_equal(ecs_defer_begin(world), ECS_OK);
      for (uint32_t i = 0; i < 5; i++) {
        /* 0: one comes, 1: another comes and the first goes, 2: that goes */
        ecs_Component come = bits[first[i]], next = bits[(first[i] + 8) % 10];
        if (round == 0) assert_int_equal(ecs_add(world, e[i], come, NULL), 0);
        if (round == 1) assert_int_equal(ecs_add(world, e[i], next, NULL), 0);
        if (round == 1) assert_int_equal(ecs_remove(world, e[i], come), 0);
        if (round == 2) assert_int_equal(ecs_remove(world, e[i], next), 0);
      }
      assert_int_equal(ecs_defer_end(world), ECS_OK);
      assert_true(store_check_invariants(&world->store));
      for (uint32_t i = 0; i < 5; i++) {
        ecs_Component there[10], next = bits[(first[i] + 8) % 10];
        assert_int_equal(ecs_components_of(world, e[i], there, 10), round < 2);
        if (round < 2)
          assert_int_equal(there[0], round == 0 ? bits[first[i]] : next);
        RowRef place =
            store_locate_in(world->store.groups[apart], id_index(e[i]));
        if (apart == 1) assert_int_equal(place.table != NULL, round < 2);
      }
    }
    ecs_world_destroy(world);
    assert_int_equal(failing.blocks, 0);
  }
}

static void bits_stay_with_a_row_that_moves(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Entity entity = spawn(&fixture), other = spawn(&fixture);
  prepare(&fixture, entity, 63);
  begin(&fixture);
  assert_int_equal(operate(&fixture, entity, 4), ECS_OK);  /* remove A */
  assert_int_equal(operate(&fixture, entity, 11), ECS_OK); /* remove B */
  assert_int_equal(operate(&fixture, other, 14), ECS_OK);  /* add Tag */
  end(&fixture);
  assert_true(ecs_has(fixture.world, entity, fixture.t));
  assert_true(ecs_has(fixture.world, entity, fixture.u));
  assert_false(ecs_has(fixture.world, other, fixture.t));
  assert_false(ecs_has(fixture.world, entity, fixture.b));
  begin(&fixture);
  assert_int_equal(operate(&fixture, entity, 13), ECS_OK); /* remove U */
  assert_int_equal(operate(&fixture, entity, 6), ECS_OK);  /* remove T */
  end(&fixture);
  assert_false(ecs_has(fixture.world, entity, fixture.u));
  assert_false(ecs_has(fixture.world, entity, fixture.t));
  assert_settled(&fixture);
  finish(&fixture);
}

#ifndef ECS_TINY
static void masks_may_have_many_words(void **state) {
  (void)state;
  for (uint32_t apart = 0; apart < 2; apart++) {
    Fixture fixture;
    ecs_Component many[300];
    start(&fixture);
    ecs_Entity entity = spawn(&fixture);
    for (uint32_t i = 0; i < 300; i++) {
      char name[16];
      snprintf(name, sizeof name, "M%u", (unsigned)i);
      many[i] = define_component(fixture.world, name, NULL, 0, ECS_STORE_TABLE);
    }
    if (apart == 1)
      assert_int_equal(ecs_group(fixture.world, many, 300), ECS_OK);
    for (uint32_t round = 0; round < 2; round++) {
      begin(&fixture);
      for (uint32_t i = 0; i < 300; i++) {
        if (round == 0)
          assert_int_equal(ecs_add(fixture.world, entity, many[i], NULL), 0);
        else if (i % 2 == 0)
          assert_int_equal(ecs_remove(fixture.world, entity, many[i]), 0);
      }
      end(&fixture);
      for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(ecs_has(fixture.world, entity, many[i]),
                         round == 0 || i % 2 == 1);
      assert_settled(&fixture);
    }
    finish(&fixture);
  }
}
#endif

/* Whole or not at all ----------------------------------------------------- */

/* A recording that asks for everything: tables, bits, locators, rows. */
static void record_much(const Fixture *fixture, const ecs_Entity *e,
                        ecs_Entity *born) {
  static const uint32_t operations[] = {0, 8, 12, 5, 14, 10, 2};
  for (uint32_t i = 0; i < 6; i++)
    for (uint32_t k = 0; k <= i; k++)
      assert_int_equal(operate(fixture, e[i], operations[k]), ECS_OK);
  assert_int_equal(ecs_destroy(fixture->world, e[6]), ECS_OK);
  assert_int_equal(ecs_destroy(fixture->world, e[2]), ECS_OK);
  for (uint32_t i = 0; i < 6; i++) born[i] = spawn(fixture);
  for (uint32_t i = 0; i < 6; i++)
    assert_int_equal(operate(fixture, born[i], operations[i]), ECS_OK);
  assert_int_equal(ecs_destroy(fixture->world, born[1]), ECS_OK);
}

/* Applies with the n-th request refused; how many refusals there were. */
static uint64_t apply_refused(uint64_t nth, FailingMode mode) {
  Fixture fixture;
  ecs_Entity e[7], born[12];
  start(&fixture);
  for (uint32_t i = 0; i < 7; i++) {
    e[i] = spawn(&fixture);
    if (i >= 5) prepare(&fixture, e[i], i);
  }
  begin(&fixture);
  record_much(&fixture, e, born);
  stage_six(&fixture, born + 6);
  uint64_t hash = ecs_world_state_hash(fixture.world);
  uint32_t tables = tables_of(&fixture);
  failing_memory_arm(&fixture.failing, nth, mode);
  ecs_Status status = ecs_defer_end(fixture.world);
  uint64_t injected = failing_memory_disarm(&fixture.failing);
  assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
  assert_false(ecs_deferring(fixture.world));
  assert_settled(&fixture);
  if (injected > 0) {
    assert_true(ecs_world_state_hash(fixture.world) == hash);
    assert_int_equal(tables_of(&fixture), tables);
    assert_int_equal(fixture.world->store.index.alive_count, 7);
  }
  for (uint32_t i = 0; i < 12; i++)
    assert_int_equal(ecs_alive(fixture.world, born[i]),
                     injected == 0 && i != 1);
  begin(&fixture); /* and the next recording is as good as any */
  assert_int_equal(operate(&fixture, e[0], 10), ECS_OK);
  assert_int_equal(operate(&fixture, e[3], 0), ECS_OK);
  end(&fixture);
  assert_true(ecs_has(fixture.world, e[0], fixture.b));
  assert_settled(&fixture);
  finish(&fixture);
  return injected;
}

static void every_allocation_of_applying_may_fail(void **state) {
  (void)state;
  for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
    uint64_t nth = 1;
    while (apply_refused(nth, (FailingMode)mode) > 0) nth++;
    assert_true(nth > 20);
  }
}

#ifdef ECS_TINY
/* Sixty tables are the limit of a group. */
static void a_recording_that_needs_too_many_tables_is_dropped(void **state) {
  (void)state;
  FailingMemory failing;
  ecs_WorldDescription how = {failing_memory_init(&failing), 0};
  ecs_World *world = NULL;
  ecs_Component tags[6];
  ecs_Entity e[40], born = 0;
  assert_int_equal(ecs_world_create(&how, &world), ECS_OK);
  for (uint32_t i = 0; i < 6; i++) {
    char name[16];
    snprintf(name, sizeof name, "T%u", (unsigned)i);
    tags[i] = define_component(world, name, NULL, 0, ECS_STORE_TABLE);
  }
  for (uint32_t i = 0; i < 40; i++)
    assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &e[i]), ECS_OK);
  for (uint32_t half = 0; half < 2; half++) {
    uint64_t hash = ecs_world_state_hash(world);
    assert_int_equal(ecs_defer_begin(world), ECS_OK);
    if (half == 1)
      assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &born), ECS_OK);
    for (uint32_t i = 0; i < 31; i++)
      for (uint32_t k = 0; k < 6; k++)
        if (((i + 1 + half * 31) >> k & 1u) != 0)
          assert_int_equal(ecs_add(world, e[i], tags[k], NULL), ECS_OK);
        else
          assert_int_equal(ecs_remove(world, e[i], tags[k]), ECS_OK);
    assert_int_equal(ecs_defer_end(world), half == 0 ? ECS_OK : ECS_E_LIMIT);
    assert_true(store_check_invariants(&world->store));
    assert_int_equal(store_main(&world->store)->table_count, 32);
    if (half == 0) continue;
    assert_true(ecs_world_state_hash(world) == hash);
    assert_false(ecs_alive(world, born));
  }
  ecs_world_destroy(world);
  assert_int_equal(failing.blocks, 0);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_short_chain_comes_to_what_the_calls_come_to),
      cmocka_unit_test(long_chains_of_several_entities_come_to_the_same),
      cmocka_unit_test(what_is_born_and_changed_is_what_it_would_be),
      cmocka_unit_test(entities_are_moved_in_the_order_of_their_first_record),
      cmocka_unit_test(an_entity_moves_once_and_leaves_no_tables_on_its_way),
      cmocka_unit_test(groups_that_nobody_asks_for_stay_as_they_are),
      cmocka_unit_test(applying_nothing_changes_nothing),
      cmocka_unit_test(a_stage_of_nobody_is_forgotten_like_any_other),
      cmocka_unit_test(applying_again_needs_no_more_memory),
      cmocka_unit_test(components_may_come_between_two_applications),
      cmocka_unit_test(who_is_born_and_dies_in_one_recording_never_was),
      cmocka_unit_test(rows_are_reserved_for_all_who_come_to_one_table),
      cmocka_unit_test(staged_values_arrive_and_can_be_changed_before),
      cmocka_unit_test(staged_values_are_made_canonical),
      cmocka_unit_test(bits_come_and_go_in_groups_of_nothing_else),
      cmocka_unit_test(bits_stay_with_a_row_that_moves),
#ifndef ECS_TINY
      cmocka_unit_test(masks_may_have_many_words),
#endif
      cmocka_unit_test(every_allocation_of_applying_may_fail),
#ifdef ECS_TINY
      cmocka_unit_test(a_recording_that_needs_too_many_tables_is_dropped),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

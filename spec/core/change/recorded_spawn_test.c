/* recorded_spawn_test.c: entities that are spawned while changes are recorded.
 *
 * Their values, their tags stored as bits, and the order of their rows are those
 * of the calls made at once, in a twin. Kinds of entities are bits:
 *
 *      1 A   2 Tag   4 T, as bits   8 S, sparse   16 B   32 U, as bits
 *                    {main group}                 {a group of their own}
 */
#include "change/recorded_spawn.h"
#include "flush_fixture.h"
#include "test_case.h"

#define KINDS 64u

#ifdef ECS_TINY
#define MOST 40u
#else
#define MOST (3u * ECS_BIRTH_ROWS + 100u)
#endif

/* The components of a kind, and values that follow from a number; some of them
 * are defaults. Returns how many. */
typedef struct Parts {
  ecs_Component ids[6];
  const void *values[6];
  A a;
  uint16_t s;
  uint8_t b;
} Parts;

static uint32_t list_parts(const Fixture *fixture, uint32_t kind,
                           uint32_t number, Parts *parts) {
  const ecs_Component all[] = {fixture->a, fixture->tag, fixture->t,
                               fixture->s, fixture->b,   fixture->u};
  const void *values[] = {&parts->a, NULL, NULL, &parts->s, &parts->b, NULL};
  uint32_t count = 0;
  parts->a = (A){number + 0.25, -(float)number};
  parts->s = (uint16_t)(number * 7 + 1);
  parts->b = number % 3 == 0;
  for (uint32_t i = 0; i < 6; i++) {
    /* The same kind comes in another order, too: another shape. */
    uint32_t part = number % 2 == 0 ? i : 5 - i;
    if ((kind >> part & 1u) == 0) continue;
    parts->ids[count] = all[part];
    parts->values[count++] = number % 5 == 4 ? NULL : values[part];
  }
  return count;
}

static ecs_Entity spawn_kind(const Fixture *fixture, uint32_t kind,
                             uint32_t number) {
  Parts parts;
  ecs_Entity entity = 0;
  uint32_t count = list_parts(fixture, kind, number, &parts);
  assert_int_equal(
      ecs_spawn(fixture->world, parts.ids, count, parts.values, &entity),
      ECS_OK);
  return entity;
}

/* As spawn_kind, of the same shape, in two steps. */
static ecs_Entity spawn_first(const Fixture *fixture, uint32_t kind,
                              uint32_t number, uint32_t parts_at_once) {
  Parts parts;
  ecs_Entity entity = 0;
  uint32_t count = list_parts(fixture, kind, number, &parts);
  if (count > parts_at_once) count = parts_at_once;
  assert_int_equal(
      ecs_spawn(fixture->world, parts.ids, count, parts.values, &entity),
      ECS_OK);
  return entity;
}

static void add_part(const Fixture *fixture, ecs_Entity entity, uint32_t kind,
                     uint32_t number, uint32_t part) {
  Parts parts;
  uint32_t count = list_parts(fixture, kind, number, &parts);
  if (part < count)
    assert_int_equal(
        ecs_add(fixture->world, entity, parts.ids[part], parts.values[part]),
        ECS_OK);
}

/* Where an entity's row of each group is in its table. */
static void assert_same_rows(const Fixture *fixture, const Fixture *twin,
                             const ecs_Entity *e, uint32_t count) {
  for (uint32_t g = 0; g < fixture->world->store.groups.count; g++)
    for (uint32_t i = 0; i < count; i++) {
      const Store *stores[] = {&fixture->world->store, &twin->world->store};
      RowRef rows[2];
      for (uint32_t k = 0; k < 2; k++)
        rows[k] = store_locate_group(stores[k], stores[k]->groups.all[g], e[i]);
      assert_int_equal(rows[0].table != NULL, rows[1].table != NULL);
      if (rows[0].table == NULL) continue;
      assert_int_equal(rows[0].row, rows[1].row);
      assert_int_equal(rows[0].table->count, rows[1].table->count);
    }
}

static void assert_twins(const Fixture *fixture, const Fixture *twin,
                         const ecs_Entity *e, uint32_t count) {
  assert_settled(fixture);
  assert_true(ecs_world_state_hash(fixture->world) ==
              ecs_world_state_hash(twin->world));
  assert_same_rows(fixture, twin, e, count);
}

/* Shapes ------------------------------------------------------------------ */

/* Every kind, in many orders: births of one shape are interrupted by others that
 * go to the same table, or have no part in common with it. */
TEST(births_of_several_shapes_are_as_if_at_once) {
  for (uint32_t stride = 1; stride < 9; stride += 2)
    for (uint32_t first = 0; first < KINDS; first += 5) {
      Fixture fixture, twin;
      ecs_Entity e[MOST];
      start(&fixture);
      start(&twin);
      begin(&fixture);
      for (uint32_t i = 0; i < 40; i++) {
        /* Runs of a shape, of one to nine entities. */
        uint32_t kind = (first + i / stride * 11) % KINDS;
        e[i] = spawn_kind(&fixture, kind, i / stride);
        assert_int_equal(spawn_kind(&twin, kind, i / stride), e[i]);
      }
      end(&fixture);
      assert_twins(&fixture, &twin, e, 40);
      finish(&fixture);
      finish(&twin);
    }
}

/* Around the number of entities that are placed together. */
TEST(many_births_of_one_shape_are_as_if_at_once) {
  static const uint32_t counts[] = {1,
                                    ECS_BIRTH_ROWS - 1,
                                    ECS_BIRTH_ROWS,
                                    ECS_BIRTH_ROWS + 1,
                                    2 * ECS_BIRTH_ROWS,
                                    MOST};
  for (uint32_t k = 0; k < 6; k++)
    for (uint32_t kind = 0; kind < KINDS; kind += 3) {
      Fixture fixture, twin;
      static ecs_Entity e[MOST];
      start(&fixture);
      start(&twin);
      begin(&fixture);
      for (uint32_t i = 0; i < counts[k]; i++) {
        /* One shape: neither the order nor the defaults change. */
        e[i] = spawn_kind(&fixture, kind, i * 10);
        assert_int_equal(spawn_kind(&twin, kind, i * 10), e[i]);
      }
      end(&fixture);
      assert_int_equal(fixture.world->store.index.alive_count, counts[k]);
      assert_twins(&fixture, &twin, e, counts[k]);
      finish(&fixture);
      finish(&twin);
    }
}

TEST(every_value_is_its_own_entitys) {
  Fixture fixture;
  ecs_Entity e[12];
  start(&fixture);
  begin(&fixture);
  for (uint32_t i = 0; i < 12; i++) e[i] = spawn_kind(&fixture, 63, i);
  end(&fixture);
  for (uint32_t i = 0; i < 12; i++) {
    A a = {0, 0};
    uint16_t s = 0;
    uint8_t b = 9;
    bool given = i % 5 != 4;
    assert_int_equal(ecs_get(fixture.world, e[i], fixture.a, &a), ECS_OK);
    assert_int_equal(ecs_get(fixture.world, e[i], fixture.s, &s), ECS_OK);
    assert_int_equal(ecs_get(fixture.world, e[i], fixture.b, &b), ECS_OK);
    assert_true(a.x == (given ? i + 0.25 : 0.5));
    assert_true(a.y == (given ? -(float)i : 0));
    assert_int_equal(s, given ? i * 7 + 1 : 7);
    assert_int_equal(b, given ? i % 3 == 0 : 1);
    assert_true(ecs_has(fixture.world, e[i], fixture.t));
    assert_true(ecs_has(fixture.world, e[i], fixture.u));
    assert_true(ecs_has(fixture.world, e[i], fixture.tag));
  }
  finish(&fixture);
}

/* Bits are written of those rows alone that are born with them. */
TEST(tags_stored_as_bits_are_those_of_their_rows) {
  Fixture fixture;
  ecs_Entity e[40];
  start(&fixture);
  begin(&fixture);
  for (uint32_t i = 0; i < 40; i++) /* four shapes of one table in each group */
    e[i] = spawn_kind(&fixture, 1 | 16 | (i % 2) << 2 | (i / 3 % 2) << 5,
                      i / 4 * 10);
  end(&fixture);
  for (uint32_t i = 0; i < 40; i++) {
    assert_int_equal(ecs_has(fixture.world, e[i], fixture.t), i % 2);
    assert_int_equal(ecs_has(fixture.world, e[i], fixture.u), i / 3 % 2);
  }
  assert_settled(&fixture);
  finish(&fixture);
}

/* Split chains ------------------------------------------------------------ */

/* Entities are spawned first and have parts added later, so that their values
 * lie in several runs; others are spawned whole, and have the same shape. */
TEST(split_chains_are_as_if_whole) {
  for (uint32_t kind = 0; kind < KINDS; kind++)
    for (uint32_t way = 0; way < 3; way++) {
      Fixture fixture, twin;
      static ecs_Entity e[MOST];
      uint32_t whole = way == 0 ? UINT32_MAX : way + 1;
      start(&fixture);
      start(&twin);
      begin(&fixture);
      for (uint32_t i = 0; i < MOST; i++) {
        e[i] = i % whole == 1 ? spawn_kind(&fixture, kind, i * 10)
                              : spawn_first(&fixture, kind, i * 10, way);
        assert_int_equal(spawn_kind(&twin, kind, i * 10), e[i]);
      }
      for (uint32_t part = way; part < 6; part++)
        for (uint32_t i = 0; i < MOST; i++)
          if (i % whole != 1) add_part(&fixture, e[i], kind, i * 10, part);
      end(&fixture);
      assert_twins(&fixture, &twin, e, MOST);
      finish(&fixture);
      finish(&twin);
    }
}

/* Values that are larger than a page of commands, and so many that they are
 * placed before there are enough entities. */
TEST(joined_values_may_be_larger_than_a_page) {
  enum { FIELDS = 64 };
  Fixture fixture;
  static ecs_Entity e[MOST];
  char names[FIELDS][8];
  ecs_Field fields[FIELDS];
  double image[FIELDS];
  start(&fixture);
  for (uint32_t i = 0; i < FIELDS; i++) {
    snprintf(names[i], sizeof names[i], "f%u", (unsigned)i);
    fields[i] = (ecs_Field){names[i], ECS_F64, i};
  }
  ecs_Component big =
      define_component(fixture.world, "Big", fields, FIELDS, ECS_STORE_TABLE);
  for (uint32_t round = 0; round < 2; round++) {
    begin(&fixture);
    for (uint32_t i = 0; i < MOST; i++)
      e[i] = spawn_kind(&fixture, i % 4 == 3 ? 0 : 1, 10 * i);
    for (uint32_t i = 0; i < MOST; i++) {
      for (uint32_t k = 0; k < FIELDS; k++) image[k] = i * 1000.0 + k;
      assert_int_equal(ecs_add(fixture.world, e[i], big, image), ECS_OK);
    }
    end(&fixture);
    for (uint32_t i = 0; i < MOST; i++) {
      assert_int_equal(ecs_get(fixture.world, e[i], big, image), ECS_OK);
      for (uint32_t k = 0; k < FIELDS; k++)
        assert_true(image[k] == i * 1000.0 + k);
      A a = {0, 0};
      assert_int_equal(ecs_get(fixture.world, e[i], fixture.a, &a),
                       i % 4 == 3 ? ECS_E_ABSENT : ECS_OK);
      if (i % 4 != 3) assert_true(a.x == 10 * i + 0.25);
    }
    assert_settled(&fixture);
    for (uint32_t i = 0; i < MOST; i++)
      assert_int_equal(ecs_destroy(fixture.world, e[i]), ECS_OK);
  }
  finish(&fixture);
}

/* The step of a chain: a component of an entity is added, with values that
 * follow from a number, or removed. */
static void change_part(const Fixture *fixture, ecs_Entity entity,
                        uint32_t part, uint32_t number) {
  const ecs_Component all[] = {fixture->a, fixture->tag, fixture->t,
                               fixture->s, fixture->b,   fixture->u};
  const A a = {number, -(float)number};
  const uint16_t s = (uint16_t)(number + 1);
  const uint8_t b = number % 2 == 0;
  const void *values[] = {&a, NULL, NULL, &s, &b, NULL};
  ecs_Status status = number % 7 == 6
                          ? ecs_remove(fixture->world, entity, all[part])
                          : ecs_add(fixture->world, entity, all[part],
                                    number % 5 == 4 ? NULL : values[part]);
  assert_int_equal(status, ECS_OK);
}

/* Chains go on as others did before, or differ in the entity, the component,
 * the kind or the value; of entities with rows, and of new ones. */
TEST(commands_go_on_with_their_own_chain) {
  enum { ENTITIES = 7, STEPS = 60 };
  for (uint32_t seed = 1; seed < 60; seed++) {
    Fixture fixture, twin;
    ecs_Entity e[ENTITIES];
    uint32_t random = seed, at = 0;
    start(&fixture);
    start(&twin);
    for (uint32_t i = 0; i < ENTITIES; i++) {
      if (i == ENTITIES / 2) begin(&fixture);
      e[i] = spawn(&fixture);
      assert_int_equal(spawn(&twin), e[i]);
    }
    for (uint32_t i = 0; i < STEPS; i++) {
      random = random * 1103515245u + 12345u;
      if (random >> 16 & 1u) at = (random >> 18) % ENTITIES;
      uint32_t part = seed % 2 == 0 ? i % 6 : (random >> 22) % 6;
      change_part(&fixture, e[at], part, i % (seed % 11 + 1));
      change_part(&twin, e[at], part, i % (seed % 11 + 1));
    }
    end(&fixture);
    assert_settled(&fixture);
    assert_true(ecs_world_state_hash(fixture.world) ==
                ecs_world_state_hash(twin.world));
    finish(&fixture);
    finish(&twin);
  }
}

/* Layouts ----------------------------------------------------------------- */

/* What is remembered of a shape holds no longer when components are stored
 * together, or memory was given back. */
TEST(births_go_to_the_tables_of_the_day) {
  Fixture fixture, twin;
  ecs_Entity e[24];
  start(&fixture);
  start(&twin);
  for (uint32_t round = 0; round < 4; round++) {
    begin(&fixture);
    for (uint32_t i = 0; i < 6; i++) {
      ecs_Entity *born = &e[round * 6 + i];
      *born = spawn_kind(&fixture, i % 2 == 0 ? 63 : 9, round * 10);
      assert_int_equal(spawn_kind(&twin, i % 2 == 0 ? 63 : 9, round * 10),
                       *born);
    }
    end(&fixture);
    assert_settled(&fixture);
    assert_true(ecs_world_state_hash(fixture.world) ==
                ecs_world_state_hash(twin.world));
    if (round == 0) assert_int_equal(ecs_world_trim(fixture.world), ECS_OK);
    if (round != 1) continue;
    const ecs_Component together[] = {fixture.a, fixture.tag};
    assert_int_equal(ecs_group(fixture.world, together, 2), ECS_OK);
  }
  finish(&fixture);
  finish(&twin);
}

/* More parts than a birth may have are added one by one. */
#ifndef ECS_TINY
TEST(births_of_very_many_parts_are_as_others) {
  Fixture fixture;
  ecs_Component many[BIRTH_PARTS + 1];
  static const ecs_Field field = {"f", ECS_U16, 3};
  start(&fixture);
  for (uint32_t i = 0; i <= BIRTH_PARTS; i++) {
    char name[16];
    snprintf(name, sizeof name, "M%u", (unsigned)i);
    many[i] = define_component(fixture.world, name, &field, 1,
                               i % 9 == 0 ? ECS_STORE_SPARSE : ECS_STORE_TABLE);
  }
  for (uint32_t more = 0; more < 2; more++) {
    const uint32_t count = BIRTH_PARTS + more;
    uint16_t values[BIRTH_PARTS + 1], back = 0;
    const void *images[BIRTH_PARTS + 1];
    ecs_Entity e[3];
    begin(&fixture);
    for (uint32_t i = 0; i < 3; i++) {
      for (uint32_t k = 0; k < count; k++) {
        values[k] = (uint16_t)(i * 1000 + k);
        images[k] = k % 7 == 6 ? NULL : &values[k];
      }
      assert_int_equal(ecs_spawn(fixture.world, many, count, images, &e[i]),
                       ECS_OK);
    }
    const CommandBuffer *buffer = &fixture.world->commands;
    uint32_t shape = command_find(buffer, e[0])->last->shape;
    end(&fixture);
    assert_int_equal(buffer->shapes.shapes[shape].way,
                     more == 0 ? WAY_BIRTH : WAY_CHANGE);
    for (uint32_t i = 0; i < 3; i++)
      for (uint32_t k = 0; k < count; k++) {
        assert_int_equal(ecs_get(fixture.world, e[i], many[k], &back), ECS_OK);
        assert_int_equal(back, k % 7 == 6 ? 3 : i * 1000 + k);
      }
    assert_settled(&fixture);
  }
  finish(&fixture);
}
#endif

/* A NaN with a payload is stored as any NaN, and a bool is 0 or 1. */
TEST(values_are_made_canonical) {
  Fixture fixture;
  start(&fixture);
  for (uint32_t split = 0; split < 2; split++) {
    ecs_Entity entity = 0, other = 0;
    const uint64_t odd = UINT64_C(0x7ff4000000000123);
    const uint32_t odd_float = 0xff812345u;
    A a;
    memcpy(&a.x, &odd, sizeof odd);
    memcpy(&a.y, &odd_float, sizeof odd_float);
    const void *image = &a;
    ecs_Entity direct = 0;
    assert_int_equal(ecs_spawn(fixture.world, &fixture.a, 1, &image, &direct),
                     ECS_OK);
    begin(&fixture);
    if (split == 0) {
      assert_int_equal(ecs_spawn(fixture.world, &fixture.a, 1, &image, &entity),
                       ECS_OK);
    } else {
      entity = spawn(&fixture);
      other = spawn(&fixture);
      assert_int_equal(ecs_add(fixture.world, entity, fixture.a, image),
                       ECS_OK);
    }
    end(&fixture);
    (void)other;
    RowRef rows[2];
    ecs_Entity both[2] = {direct, entity};
    for (uint32_t i = 0; i < 2; i++)
      rows[i] = store_locate_main(&fixture.world->store, both[i]);
    assert_ptr_equal(rows[0].table, rows[1].table);
    const ColumnCode *codes = table_codes(
        rows[0].table, fixture.world->store.components.all[fixture.a].bit);
    assert_memory_equal(table_element(rows[0].table, codes[0], rows[0].row),
                        table_element(rows[1].table, codes[0], rows[1].row), 8);
    assert_memory_equal(table_element(rows[0].table, codes[1], rows[0].row),
                        table_element(rows[1].table, codes[1], rows[1].row), 4);
  }
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(births_of_several_shapes_are_as_if_at_once),
      cmocka_unit_test(many_births_of_one_shape_are_as_if_at_once),
      cmocka_unit_test(every_value_is_its_own_entitys),
      cmocka_unit_test(tags_stored_as_bits_are_those_of_their_rows),
      cmocka_unit_test(split_chains_are_as_if_whole),
      cmocka_unit_test(joined_values_may_be_larger_than_a_page),
      cmocka_unit_test(commands_go_on_with_their_own_chain),
      cmocka_unit_test(births_go_to_the_tables_of_the_day),
#ifndef ECS_TINY
      cmocka_unit_test(births_of_very_many_parts_are_as_others),
#endif
      cmocka_unit_test(values_are_made_canonical),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

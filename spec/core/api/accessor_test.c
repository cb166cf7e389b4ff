/* accessor_test.c: prepared access to one component of one entity.
 *
 * The results of an accessor are compared with ecs_get and ecs_has, before and
 * after everything that can move rows: growth, other components, destruction,
 * a change of the layout.
 */
#include "accessor_fixture.h"
#include "test_case.h"

/* A component of f32, which accessors read and write in line, or of u32, which
 * hold the same bits; in tables or in a set. Each has a path of its own. */
static ecs_Component define_cells(Fixture *fixture, uint32_t kind,
                                  uint32_t count) {
  ecs_Scalar type = (kind & 1u) != 0 ? ECS_U32 : ECS_F32;
  ecs_Field fields[] = {{"x", type, 0}, {"y", type, 0}, {"z", type, 0}};
  char name[] = {'P', (char)('0' + kind), (char)('0' + count), 0};
  ecs_ComponentDescription how = {
      .name = name,
      .fields = fields,
      .field_count = count,
      .storage = (kind & 2u) != 0 ? ECS_STORE_SPARSE : ECS_STORE_TABLE};
  ecs_Component component = 0;
  assert_int_equal(ecs_component(fixture->world, &how, &component), ECS_OK);
  return component;
}

/* A handle is found or not, alone, among others, for reading and writing. */
static void assert_known(ecs_Accessor *accessor, ecs_Entity entity,
                         ecs_Entity other, uint32_t fields, bool alive) {
  ecs_Status status = alive ? ECS_OK : ECS_E_DEAD;
  ecs_Entity three[] = {other, entity, other};
  float image[3] = {-1, -1, -1}, found[3][3], values[3] = {7, 8, 9};
  void *columns[] = {found[0], found[1], found[2]};
  const void *new_ones[] = {found[0], found[1], found[2]};
  uint32_t count = 0;
  assert_int_equal(ecs_accessor_set(accessor, entity, values), status);
  assert_int_equal(ecs_accessor_get(accessor, entity, image), status);
  for (uint32_t k = 0; k < 3; k++) {
    assert_true(image[k] == (alive && k < fields ? values[k] : -1));
    for (uint32_t i = 0; i < 3; i++) found[k][i] = -1;
  }
  ecs_accessor_get_many(accessor, three, 3, columns, &count);
  assert_int_equal(count, alive ? 3 : 2);
  for (uint32_t k = 0; k < fields; k++) {
    assert_true(found[k][1] == (alive ? values[k] : -1));
    assert_true(found[k][0] == (float)k && found[k][2] == (float)k);
  }
  ecs_accessor_set_many(accessor, three, 3, new_ones, &count);
  assert_int_equal(count, alive ? 3 : 2);
}

/* One --------------------------------------------------------------------- */

/* Slots hold the first generations, rows the later ones. */
TEST(an_accessor_knows_every_generation) {
  Fixture fixture;
  start(&fixture);
  float zeros[3] = {0, 1, 2};
  const void *values[] = {zeros};
  uint32_t last = ECS_SLOT_GENERATIONS + 5;
  if (last > ECS_GENERATION_LIMIT - 1) last = ECS_GENERATION_LIMIT - 1;
  for (uint32_t kind = 0; kind < 12; kind++) {
    uint32_t fields = kind / 4 + 1;
    ecs_Component plain = define_cells(&fixture, kind % 4, fields);
    ecs_Accessor accessor = access_to(&fixture, plain);
    ecs_Entity other = 0, entity = 0;
    ecs_spawn(fixture.world, &plain, 1, values, &other);
    for (uint32_t now = 0; now <= last; now++) {
      ecs_spawn(fixture.world, &plain, 1, values, &entity);
      assert_int_equal(id_generation(entity), now);
      for (uint32_t k = 0; k <= last; k++)
        assert_known(&accessor, id_make(id_index(entity), k), other, fields,
                     k == now);
      assert_known(&accessor, entity | UINT64_C(1) << 60, other, fields, false);
      assert_known(&accessor, 0, other, fields, false);
      if (now < last || now + 1 == ECS_GENERATION_LIMIT)
        ecs_destroy(fixture.world, entity);
    }
  }
  finish(&fixture);
}

TEST(only_components_with_fields_have_accessors) {
  Fixture fixture;
  ecs_Accessor accessor;
  start(&fixture);
  const ecs_Component bad[] = {0, fixture.tag, fixture.tag + 1, UINT32_MAX};
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(ecs_accessor(fixture.world, bad[i], &accessor),
                     ECS_E_COMPONENT);
  finish(&fixture);
}

TEST(an_accessor_reads_and_writes_all_fields) {
  for (uint32_t sparse = 0; sparse < 2; sparse++) {
    Fixture fixture;
    start(&fixture);
    ecs_Component what = sparse == 1 ? fixture.s : fixture.a;
    ecs_Accessor accessor = access_to(&fixture, what);
    spawn(&fixture, 10, what, ~UINT64_C(0));
    for (uint32_t i = 0; i < 10; i++) assert_got(&accessor, fixture.e[i], i);
    for (uint32_t i = 0; i < 10; i += 3) {
      Sizes image = sizes_of(i + 50), back;
      assert_int_equal(ecs_accessor_set(&accessor, fixture.e[i], &image),
                       ECS_OK);
      assert_int_equal(ecs_get(fixture.world, fixture.e[i], what, &back),
                       ECS_OK);
      assert_sizes(back, i + 50);
    }
    for (uint32_t i = 0; i < 10; i++)
      assert_got(&accessor, fixture.e[i], i % 3 == 0 ? i + 50 : i);
    finish(&fixture);
  }
}

TEST(an_accessor_tells_a_dead_entity_from_a_lacking_one) {
  for (uint32_t sparse = 0; sparse < 2; sparse++) {
    Fixture fixture;
    start(&fixture);
    ecs_Component what = sparse == 1 ? fixture.s : fixture.a;
    ecs_Accessor accessor = access_to(&fixture, what);
    spawn(&fixture, 4, what, 0xb);
    assert_int_equal(ecs_destroy(fixture.world, fixture.e[1]), ECS_OK);
    Sizes image = sizes_of(1);
    const ecs_Entity dead[] = {fixture.e[1], 0, id_make(ECS_INDEX_MASK, 0)};
    for (uint32_t i = 0; i < 3; i++) {
      assert_int_equal(ecs_accessor_get(&accessor, dead[i], &image),
                       ECS_E_DEAD);
      assert_int_equal(ecs_accessor_set(&accessor, dead[i], &image),
                       ECS_E_DEAD);
    }
    assert_int_equal(ecs_accessor_get(&accessor, fixture.e[2], &image),
                     ECS_E_ABSENT);
    assert_int_equal(ecs_accessor_set(&accessor, fixture.e[2], &image),
                     ECS_E_ABSENT);
    assert_false(ecs_has(fixture.world, fixture.e[2], what));
    ecs_Entity born = 0;
    assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
    assert_int_equal(ecs_spawn(fixture.world, &what, 1, NULL, &born), ECS_OK);
    assert_int_equal(ecs_accessor_get(&accessor, born, &image), ECS_E_ABSENT);
    assert_int_equal(ecs_accessor_set(&accessor, born, &image), ECS_E_ABSENT);
    assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
    assert_int_equal(ecs_accessor_get(&accessor, born, &image), ECS_OK);
    finish(&fixture);
  }
}

TEST(an_accessor_follows_rows_that_move) {
  Fixture fixture;
  start(&fixture);
  ecs_Accessor accessor = access_to(&fixture, fixture.a);
  ecs_Accessor sparse = access_to(&fixture, fixture.s);
  spawn(&fixture, 2, fixture.a, 3);
  for (uint32_t i = 0; i < 2; i++) assert_got(&accessor, fixture.e[i], i);
  spawn(&fixture, 30, fixture.a, ~UINT64_C(0)); /* the table grows */
  for (uint32_t i = 0; i < 30; i++) {
    if (i % 2 == 0)
      assert_int_equal(ecs_add(fixture.world, fixture.e[i], fixture.b, NULL),
                       ECS_OK);
    Sizes image = sizes_of(i + 60);
    assert_int_equal(ecs_add(fixture.world, fixture.e[i], fixture.s, &image),
                     ECS_OK);
    assert_got(&sparse, fixture.e[i], i + 60);
  }
  for (uint32_t i = 0; i < 30; i++) assert_got(&accessor, fixture.e[i], i);
  const ecs_Component both[] = {fixture.s, fixture.a};
  for (uint32_t round = 0; round < 2; round++) {
    assert_int_equal(round == 0 ? ecs_group(fixture.world, both, 2)
                                : ecs_ungroup(fixture.world, both, 2),
                     ECS_OK);
    for (uint32_t i = 0; i < 30; i++) {
      assert_got(&accessor, fixture.e[i], i);
      assert_got(&sparse, fixture.e[i], i + 60);
    }
  }
  finish(&fixture);
}

TEST(what_an_accessor_stores_is_made_canonical) {
  Fixture fixture;
  start(&fixture);
  ecs_Accessor accessor = access_to(&fixture, fixture.a);
  spawn(&fixture, 1, fixture.a, 1);
  const uint64_t noise = UINT64_C(0xfff8000000000001);
  Sizes image = sizes_of(1);
  Columns columns;
  for (uint32_t many = 0; many < 2; many++) {
    memcpy(&image.f64, &noise, 8);
    fill(&columns, 1, 1);
    memcpy(&columns.f64[0], &noise, 8);
    if (many == 0)
      assert_int_equal(ecs_accessor_set(&accessor, fixture.e[0], &image),
                       ECS_OK);
    else
      assert_int_equal(set_many(&accessor, fixture.e, 1, &columns), 1);
    assert_int_equal(ecs_accessor_get(&accessor, fixture.e[0], &image), ECS_OK);
    uint64_t bits = 0;
    memcpy(&bits, &image.f64, 8);
    assert_int_equal(bits, UINT64_C(0x7ff8000000000000));
    image = sizes_of(0);
    assert_int_equal(ecs_accessor_set(&accessor, fixture.e[0], &image), ECS_OK);
  }
  finish(&fixture);
}

/* All fields of a component have the same size; every size is tested. */
TEST(fields_of_one_size_are_told_apart) {
  static const ecs_Scalar types[] = {ECS_U8, ECS_U16, ECS_F32, ECS_U32,
                                     ECS_F64};
  Fixture fixture;
  start(&fixture);
  for (uint32_t k = 0; k < 5; k++) {
    char name[16];
    uint64_t image[4], back[4];
    uint32_t bytes = 3 * ecs_scalar_bytes(types[k]);
    const ecs_Field fields[] = {
        {"p", types[k], 1}, {"q", types[k], 2}, {"r", types[k], 3}};
    snprintf(name, sizeof name, "Same%u", (unsigned)k);
    ecs_ComponentDescription how = {.name = name,
                                    .fields = fields,
                                    .field_count = 3,
                                    .storage = ECS_STORE_TABLE};
    ecs_Component what = 0;
    assert_int_equal(ecs_component(fixture.world, &how, &what), ECS_OK);
    ecs_Accessor accessor = access_to(&fixture, what);
    for (uint32_t i = 0; i < 2; i++)
      assert_int_equal(ecs_spawn(fixture.world, &what, 1, NULL, &fixture.e[i]),
                       ECS_OK);
    memset(back, 0xee, sizeof back);
    assert_int_equal(ecs_accessor_get(&accessor, fixture.e[1], back), ECS_OK);
    for (uint32_t i = 0; i < 3; i++)
      ecs_scalar_convert(types[k],
                         (char *)image + i * ecs_scalar_bytes(types[k]), i + 1);
    assert_memory_equal(back, image, bytes);
    assert_int_equal(((unsigned char *)back)[bytes], 0xee);
    for (uint32_t i = 0; i < 3; i++)
      ecs_scalar_convert(types[k],
                         (char *)image + i * ecs_scalar_bytes(types[k]), i + 9);
    assert_int_equal(ecs_accessor_set(&accessor, fixture.e[1], image), ECS_OK);
    assert_int_equal(ecs_get(fixture.world, fixture.e[1], what, back), ECS_OK);
    assert_memory_equal(back, image, bytes);
    assert_int_equal(ecs_accessor_get(&accessor, fixture.e[1], back), ECS_OK);
    assert_memory_equal(back, image, bytes);
    double first = 0;
    assert_int_equal(
        ecs_get_field(fixture.world, fixture.e[0], what, 2, &first), ECS_OK);
    assert_true(first == 3);
  }
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_components_with_fields_have_accessors),
      cmocka_unit_test(an_accessor_knows_every_generation),
      cmocka_unit_test(an_accessor_reads_and_writes_all_fields),
      cmocka_unit_test(an_accessor_tells_a_dead_entity_from_a_lacking_one),
      cmocka_unit_test(an_accessor_follows_rows_that_move),
      cmocka_unit_test(what_an_accessor_stores_is_made_canonical),
      cmocka_unit_test(fields_of_one_size_are_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

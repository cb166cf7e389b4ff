/* world_hash_test.c: which changes change the hashes of a world.
 *
 * world_hash covers all that a program can observe, the state hash only
 * entities and values. Every test makes two worlds, or one before and after a
 * change, and states for both hashes whether they are equal.
 *
 *      same entities and values, rows in another order     state =   world !=
 *      same, stored otherwise                              state =
 *      another value, name, entity, tag                    state !=  world !=
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "world/world.h"
#include "api_fixture.h"
#include "world/world_hash.h"

typedef struct Hashes {
  uint64_t world, state;
} Hashes;

static Hashes hashes_of(const ecs_World *world) {
  assert_true(ecs_world_hash(world) == world_hash(&world->store));
  assert_true(ecs_world_state_hash(world) == world_state_hash(&world->store));
  return (Hashes){ecs_world_hash(world), ecs_world_state_hash(world)};
}

static void assert_hashes(Hashes left, Hashes right, bool world_equal,
                          bool state_equal) {
  assert_int_equal(left.world == right.world, world_equal);
  assert_int_equal(left.state == right.state, state_equal);
}

static ecs_World *create(void) {
  ecs_World *world = NULL;
  assert_int_equal(ecs_world_create(NULL, &world), ECS_OK);
  return world;
}

/* A component of one field. */
static ecs_Component define_one(ecs_World *world, const char *name,
                                const char *field, ecs_Scalar type) {
  const ecs_Field fields[] = {{field, type, 0}};
  return define_component(world, name, fields, 1, ECS_STORE_TABLE);
}

static ecs_Entity spawn(ecs_World *world, ecs_Component component,
                        const void *image) {
  const void *values[] = {image};
  ecs_Entity entity = 0;
  assert_int_equal(
      ecs_spawn(world, &component, component == 0 ? 0 : 1, values, &entity),
      ECS_OK);
  return entity;
}

/* One entity with one component of this value. */
static Hashes hashes_with(const char *name, const char *field, ecs_Scalar type,
                          double value) {
  ecs_World *world = create();
  ecs_Component component = define_one(world, name, field, type);
  ecs_Entity entity = spawn(world, component, NULL);
  assert_int_equal(ecs_set_field(world, entity, component, 0, value), ECS_OK);
  Hashes hashes = hashes_of(world);
  ecs_world_destroy(world);
  return hashes;
}

static void equal_programs_give_equal_hashes(void **state) {
  (void)state;
  assert_hashes(hashes_with("A", "x", ECS_F64, 1),
                hashes_with("A", "x", ECS_F64, 1), true, true);
  ecs_World *left = create(), *right = create();
  assert_hashes(hashes_of(left), hashes_of(right), true, true);
  ecs_world_destroy(left);
  ecs_world_destroy(right);
}

static void names_types_and_values_count(void **state) {
  (void)state;
  Hashes hashes = hashes_with("A", "x", ECS_F64, 1);
  assert_hashes(hashes, hashes_with("B", "x", ECS_F64, 1), false, false);
  assert_hashes(hashes, hashes_with("A", "x", ECS_F64, 2), false, false);
  assert_hashes(hashes, hashes_with("A", "x", ECS_F64, -1), false, false);
  assert_hashes(hashes_with("AB", "x", ECS_F64, 1),
                hashes_with("A", "Bx", ECS_F64, 1), false, false);
  assert_hashes(hashes_with("A", "x", ECS_F64, 0.0),
                hashes_with("A", "x", ECS_F64, -0.0), false, false);
  assert_true(hashes.world != hashes_with("A", "y", ECS_F64, 1).world);
  assert_true(hashes_with("A", "x", ECS_U32, 7).world !=
              hashes_with("A", "x", ECS_I32, 7).world);
}

static void every_type_of_field_counts_with_all_its_bytes(void **state) {
  (void)state;
  for (int type = 0; type < (int)ECS_SCALAR_COUNT; type++) {
    ecs_Scalar scalar = (ecs_Scalar)type;
    double high = scalar == ECS_BOOL     ? 1
                  : scalar == ECS_ENTITY ? 4503599627370495.0
                  : scalar == ECS_F64    ? 1.0000000000000002
                  : scalar == ECS_F32
                      ? 1.5
                      : ldexp(1, (int)(8 * ecs_scalar_bytes(scalar)) - 2);
    assert_hashes(hashes_with("A", "x", scalar, 0),
                  hashes_with("A", "x", scalar, high), false, false);
  }
}

static void a_nan_is_a_nan_whatever_its_bits(void **state) {
  (void)state;
  static const uint64_t nans[] = {UINT64_C(0x7ff8000000000000),
                                  UINT64_C(0xfff8000000000001)};
  static const uint32_t small[] = {0x7fc00000, 0xffc00123};
  Hashes hashes[2];
  for (uint32_t i = 0; i < 2; i++) {
    ecs_World *world = create();
    const ecs_Field fields[] = {{"d", ECS_F64, 0}, {"f", ECS_F32, 0}};
    ecs_Component component =
        define_component(world, "A", fields, 2, ECS_STORE_TABLE);
    ecs_Entity entity = spawn(world, component, NULL);
    /* Only a kernel could write payloads past the border. */
    RowRef place = store_locate_main(&world->store, entity);
    const ColumnCode *codes = table_codes(place.table, 0);
    memcpy(table_element(place.table, codes[0], 0), &nans[i], 8);
    memcpy(table_element(place.table, codes[1], 0), &small[i], 4);
    hashes[i] = hashes_of(world);
    uint64_t after = 0;
    memcpy(&after, table_element(place.table, codes[0], 0), 8);
    assert_int_equal(after, nans[i]); /* hashing only reads */
    ecs_world_destroy(world);
  }
  assert_hashes(hashes[0], hashes[1], true, true);
}

static void every_row_and_every_field_counts(void **state) {
  (void)state;
  ecs_World *world = create();
  const ecs_Field fields[] = {{"a", ECS_U16, 0}, {"b", ECS_U16, 0}};
  const ecs_Component what[] = {
      define_component(world, "A", fields, 2, ECS_STORE_TABLE),
      define_component(world, "S", fields, 2, ECS_STORE_SPARSE)};
  ecs_Entity e[3];
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(ecs_spawn(world, what, 2, NULL, &e[i]), ECS_OK);
  Hashes before = hashes_of(world);
  for (uint32_t i = 0; i < 12; i++) {
    ecs_Component component = what[i & 1u];
    uint32_t field = i >> 1 & 1u;
    assert_int_equal(ecs_set_field(world, e[i / 4], component, field, 9), 0);
    assert_hashes(hashes_of(world), before, false, false);
    assert_int_equal(ecs_set_field(world, e[i / 4], component, field, 0), 0);
    assert_hashes(hashes_of(world), before, true, true);
  }
  ecs_world_destroy(world);
}

static void values_of_two_entities_cannot_be_exchanged(void **state) {
  (void)state;
  Hashes hashes[2];
  for (uint32_t i = 0; i < 2; i++) {
    ecs_World *world = create();
    ecs_Component a = define_one(world, "A", "x", ECS_U32);
    const uint32_t values[] = {5, 6};
    (void)spawn(world, a, &values[i]);
    (void)spawn(world, a, &values[1 - i]);
    hashes[i] = hashes_of(world);
    ecs_world_destroy(world);
  }
  assert_hashes(hashes[0], hashes[1], false, false);
}

static void entities_tags_and_bits_count(void **state) {
  (void)state;
  ecs_World *world = create();
  ecs_Component tag = define_component(world, "Tag", NULL, 0, ECS_STORE_TABLE);
  ecs_Component bit = define_component(world, "T", NULL, 0, ECS_STORE_BITS);
  ecs_Component next = define_component(world, "U", NULL, 0, ECS_STORE_BITS);
  ecs_Component sparse =
      define_component(world, "S", NULL, 0, ECS_STORE_SPARSE);
  Hashes seen[8];
  uint32_t count = 0;
  seen[count++] = hashes_of(world);
  ecs_Entity first = spawn(world, 0, NULL), second = spawn(world, 0, NULL);
  seen[count++] = hashes_of(world);
  assert_int_equal(ecs_add(world, first, bit, NULL), ECS_OK);
  seen[count++] = hashes_of(world);
  assert_int_equal(ecs_remove(world, first, bit), ECS_OK);
  assert_hashes(hashes_of(world), seen[1], true, true);
  assert_int_equal(ecs_add(world, first, next, NULL), ECS_OK);
  seen[count++] = hashes_of(world);
  assert_int_equal(ecs_remove(world, first, next), ECS_OK);
  assert_int_equal(ecs_add(world, second, bit, NULL), ECS_OK);
  seen[count++] = hashes_of(world);
  assert_int_equal(ecs_remove(world, second, bit), ECS_OK);
  assert_int_equal(ecs_add(world, second, sparse, NULL), ECS_OK);
  seen[count++] = hashes_of(world);
  assert_int_equal(ecs_add(world, second, tag, NULL), ECS_OK);
  seen[count++] = hashes_of(world);
  assert_int_equal(ecs_destroy(world, first), ECS_OK);
  seen[count++] = hashes_of(world);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < i; k++)
      assert_hashes(seen[i], seen[k], false, false);
  ecs_world_destroy(world);
}

static void the_order_of_rows_is_no_state(void **state) {
  (void)state;
  Hashes hashes[2];
  for (uint32_t i = 0; i < 2; i++) {
    ecs_World *world = create();
    ecs_Component tag =
        define_component(world, "Tag", NULL, 0, ECS_STORE_TABLE);
    ecs_Component sparse =
        define_component(world, "S", NULL, 0, ECS_STORE_SPARSE);
    ecs_Entity e[4];
    for (uint32_t k = 0; k < 4; k++) e[k] = spawn(world, sparse, NULL);
    for (uint32_t k = 0; k < 4; k++)
      assert_int_equal(ecs_add(world, e[i == 0 ? k : 3 - k], tag, NULL), 0);
    hashes[i] = hashes_of(world);
    ecs_world_destroy(world);
  }
  assert_hashes(hashes[0], hashes[1], false, true);
}

static void the_order_of_rows_of_a_sparse_set_counts_alone(void **state) {
  (void)state;
  Hashes hashes[2];
  for (uint32_t i = 0; i < 2; i++) {
    ecs_World *world = create();
    ecs_Component sparse =
        define_component(world, "S", NULL, 0, ECS_STORE_SPARSE);
    ecs_Entity e[2] = {spawn(world, 0, NULL), spawn(world, 0, NULL)};
    assert_int_equal(ecs_add(world, e[i], sparse, NULL), ECS_OK);
    assert_int_equal(ecs_add(world, e[1 - i], sparse, NULL), ECS_OK);
    hashes[i] = hashes_of(world);
    ecs_world_destroy(world);
  }
  assert_hashes(hashes[0], hashes[1], false, true);
}

static void the_storage_is_no_state(void **state) {
  (void)state;
  ecs_World *world = create();
  const ecs_Field field = {"x", ECS_F32, 1};
  const ecs_Component what[] = {
      define_component(world, "A", &field, 1, ECS_STORE_TABLE),
      define_component(world, "S", &field, 1, ECS_STORE_SPARSE),
      define_component(world, "T", NULL, 0, ECS_STORE_BITS),
      define_component(world, "Tag", NULL, 0, ECS_STORE_TABLE)};
  for (uint32_t i = 0; i < 16; i++) {
    ecs_Entity entity = spawn(world, 0, NULL);
    for (uint32_t k = 0; k < 4; k++)
      if ((i >> k & 1u) != 0)
        assert_int_equal(ecs_add(world, entity, what[k], NULL), ECS_OK);
  }
  uint64_t before = ecs_world_state_hash(world);
  for (uint32_t which = 1; which < 16; which++) {
    ecs_Component together[4];
    uint32_t count = 0;
    for (uint32_t k = 0; k < 4; k++)
      if ((which >> k & 1u) != 0) together[count++] = what[k];
    assert_int_equal(ecs_group(world, together, count), ECS_OK);
    assert_true(ecs_world_state_hash(world) == before);
    assert_int_equal(ecs_ungroup(world, together, count), ECS_OK);
    assert_true(ecs_world_state_hash(world) == before);
  }
  ecs_world_destroy(world);
}

/* The state is the same, but the next handles are not. */
static void which_handles_come_next_counts_in_a_world(void **state) {
  (void)state;
  ecs_World *one = create(), *two = create(), *three = create();
  for (uint32_t i = 0; i < 3; i++) {
    (void)spawn(one, 0, NULL);
    (void)spawn(two, 0, NULL);
    (void)spawn(three, 0, NULL);
  }
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(ecs_destroy(one, id_make(1 + i, 0)), ECS_OK);
    assert_int_equal(ecs_destroy(two, id_make(2 - i, 0)), ECS_OK);
  }
  assert_hashes(hashes_of(one), hashes_of(two), false, true);
  assert_hashes(hashes_of(one), hashes_of(three), false, false);
  ecs_world_destroy(one);
  ecs_world_destroy(two);
  ecs_world_destroy(three);
}

static void empty_tables_and_room_do_not_change_the_hash(void **state) {
  (void)state;
  ecs_World *world = create();
  const ecs_Component what[] = {define_one(world, "A", "x", ECS_U8),
                                define_one(world, "B", "x", ECS_U8)};
  (void)spawn(world, what[0], NULL);
  Hashes before = hashes_of(world);
  ecs_Bundle bundle = 0;
  assert_int_equal(ecs_bundle(world, what, 2, &bundle), ECS_OK);
  assert_int_equal(ecs_reserve(world, bundle, 20), ECS_OK);
  assert_hashes(hashes_of(world), before, true, true);
  (void)define_one(world, "C", "x", ECS_U8); /* no entity has it */
  (void)define_component(world, "T", NULL, 0, ECS_STORE_BITS);
  (void)define_component(world, "S", NULL, 0, ECS_STORE_SPARSE);
  assert_hashes(hashes_of(world), before, true, true);
  ecs_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_programs_give_equal_hashes),
      cmocka_unit_test(names_types_and_values_count),
      cmocka_unit_test(every_type_of_field_counts_with_all_its_bytes),
      cmocka_unit_test(a_nan_is_a_nan_whatever_its_bits),
      cmocka_unit_test(every_row_and_every_field_counts),
      cmocka_unit_test(values_of_two_entities_cannot_be_exchanged),
      cmocka_unit_test(entities_tags_and_bits_count),
      cmocka_unit_test(the_order_of_rows_is_no_state),
      cmocka_unit_test(the_order_of_rows_of_a_sparse_set_counts_alone),
      cmocka_unit_test(the_storage_is_no_state),
      cmocka_unit_test(which_handles_come_next_counts_in_a_world),
      cmocka_unit_test(empty_tables_and_room_do_not_change_the_hash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

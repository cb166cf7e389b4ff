/* world_hash_test.c: which changes change the hashes of a world.
 *
 * world_hash covers all that decides the future, the state hash only entities
 * and values. Every test makes two worlds, or one before and after a
 * change, and states for both hashes whether they are equal.
 *
 *      same entities and values, rows in another order     state =   world !=
 *      same, stored otherwise                              state =   world !=
 *      same, empty tables, retired indices or recorded
 *        changes differ                                    state =   world !=
 *      another value, name, entity, tag                    state !=  world !=
 */
#include <math.h>
#include <string.h>

#include "test_case.h"
#include "world/world.h"
#include "api_fixture.h"
#include "world/world_hash.h"

typedef struct Hashes {
  uint64_t world, state;
} Hashes;

static Hashes hashes_of(const ecs_World *world) {
  assert_true(ecs_world_hash(world) == world_hash(world));
  assert_true(ecs_world_state_hash(world) == world_state_hash(world));
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

TEST(equal_programs_give_equal_hashes) {
  assert_hashes(hashes_with("A", "x", ECS_F64, 1),
                hashes_with("A", "x", ECS_F64, 1), true, true);
  ecs_World *left = create(), *right = create();
  assert_hashes(hashes_of(left), hashes_of(right), true, true);
  ecs_world_destroy(left);
  ecs_world_destroy(right);
}

TEST(names_types_and_values_count) {
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

/* Those of held values: held_values_test.c. */
TEST(every_type_of_field_counts_with_all_its_bytes) {
  for (int type = 0; type <= (int)ECS_ENTITY; type++) {
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

TEST(a_nan_is_a_nan_whatever_its_bits) {
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

TEST(every_row_and_every_field_counts) {
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

TEST(values_of_two_entities_cannot_be_exchanged) {
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

TEST(entities_tags_and_bits_count) {
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

TEST(the_order_of_rows_is_no_state) {
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

TEST(the_order_of_rows_of_a_sparse_set_counts_alone) {
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

TEST(the_storage_is_no_state) {
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
TEST(which_handles_come_next_counts_in_a_world) {
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

/* The next spawns go into tables that exist, in the order of the tables. */
TEST(the_order_of_empty_tables_counts) {
  Hashes hashes[2];
  ecs_Entity first[2];
  for (uint32_t i = 0; i < 2; i++) {
    ecs_World *world = create();
    const ecs_Component what[] = {define_one(world, "A", "x", ECS_U8),
                                  define_one(world, "B", "x", ECS_U8)};
    for (uint32_t k = 0; k < 2; k++) {
      ecs_Entity entity = spawn(world, what[k == i], NULL);
      assert_int_equal(ecs_destroy(world, entity), ECS_OK);
    }
    hashes[i] = hashes_of(world);
    (void)spawn(world, what[0], NULL);
    (void)spawn(world, what[1], NULL);
    ecs_Query *query = NULL;
    assert_int_equal(ecs_query_create(world, NULL, 0, &query), ECS_OK);
    assert_int_equal(ecs_query_first(query, &first[i]), ECS_OK);
    ecs_world_destroy(world);
  }
  assert_hashes(hashes[0], hashes[1], false, true);
  assert_true(first[0] != first[1]); /* they part */
}

TEST(an_empty_table_counts) {
  ecs_World *world = create();
  ecs_Component a = define_one(world, "A", "x", ECS_U8);
  ecs_Entity entity = spawn(world, 0, NULL);
  Hashes before = hashes_of(world);
  assert_int_equal(ecs_add(world, entity, a, NULL), ECS_OK);
  assert_int_equal(ecs_remove(world, entity, a), ECS_OK);
  assert_hashes(hashes_of(world), before, false, true);
  ecs_world_destroy(world);
}

/* Two worlds without entities; the first index of one is used up. */
TEST(a_retired_index_counts) {
  ecs_World *retired = create(), *fresh = create();
  for (uint32_t i = 0; i < 2; i++) {
    ecs_Entity entity = spawn(retired, 0, NULL);
    assert_int_equal(ecs_destroy(retired, entity), ECS_OK);
    Slot *slot = entity_index_slot(&retired->store.index, 1);
    if (i == 0) slot->table_bits = ECS_GENERATION_LIMIT - 1u;
  }
  assert_int_equal(retired->store.index.retired_count, 1);
  assert_hashes(hashes_of(retired), hashes_of(fresh), false, true);
  assert_true(spawn(retired, 0, NULL) != spawn(fresh, 0, NULL));
  ecs_world_destroy(retired);
  ecs_world_destroy(fresh);
}

TEST(looking_and_defining_do_not_change_the_hash) {
  ecs_World *world = create();
  const ecs_Component what[] = {define_one(world, "A", "x", ECS_U8),
                                define_one(world, "B", "x", ECS_U8)};
  (void)spawn(world, what[0], NULL);
  Hashes before = hashes_of(world);
  ecs_Bundle bundle = 0;
  assert_int_equal(ecs_bundle(world, what, 2, &bundle), ECS_OK);
  (void)define_one(world, "C", "x", ECS_U8); /* no entity has it */
  (void)define_component(world, "T", NULL, 0, ECS_STORE_BITS);
  (void)define_component(world, "S", NULL, 0, ECS_STORE_SPARSE);
  const ecs_Term terms[] = {{what[0], ECS_READ}, {what[1], ECS_OPTIONAL}};
  ecs_Query *query = NULL;
  ecs_Cursor cursor;
  uint64_t count = 0;
  ecs_Entity entity = 0;
  assert_int_equal(ecs_query_create(world, terms, 2, &query), ECS_OK);
  assert_int_equal(ecs_query_count(query, &count), ECS_OK);
  assert_int_equal(ecs_query_entities(query, &entity, 1, &count), ECS_OK);
  assert_true(ecs_query_explain(query, NULL, 0) > 0);
  assert_true(ecs_world_explain(world, NULL, 0) > 0);
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  assert_hashes(hashes_of(world), before, true, true); /* while it is open */
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  assert_hashes(hashes_of(world), before, true, true);
  ecs_world_destroy(world);
}

/* What is stored together decides the order of the rows to come. */
TEST(groups_count_where_definitions_do_not_say_so) {
  ecs_World *world = create();
  const ecs_Component what[] = {
      define_one(world, "A", "x", ECS_U8), define_one(world, "B", "x", ECS_U8),
      define_component(world, "S", NULL, 0, ECS_STORE_SPARSE)};
  Hashes seen[8];
  uint32_t count = 0;
  seen[count++] = hashes_of(world);
  assert_int_equal(ecs_group(world, &what[2], 1), ECS_OK); /* as it is */
  assert_hashes(hashes_of(world), seen[0], true, true);
  assert_int_equal(ecs_group(world, &what[0], 1), ECS_OK);
  seen[count++] = hashes_of(world);
  assert_int_equal(ecs_group(world, what, 2), ECS_OK);
  seen[count++] = hashes_of(world);
  assert_int_equal(ecs_group(world, what + 1, 2), ECS_OK);
  seen[count++] = hashes_of(world);
  assert_int_equal(ecs_group(world, what, 3), ECS_OK);
  seen[count++] = hashes_of(world);
  assert_int_equal(ecs_ungroup(world, what, 3), ECS_OK);
  seen[count++] = hashes_of(world); /* S in the main group */
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < i; k++)
      assert_hashes(seen[i], seen[k], false, true);
  assert_int_equal(ecs_group(world, &what[2], 1), ECS_OK);
  assert_hashes(hashes_of(world), seen[0], true, true);
  ecs_world_destroy(world);
}

/* Grouping what is a group already keeps the order of its rows, whether there
 * is an empty group or not: an empty group is in no hash. */
TEST(an_empty_group_decides_nothing) {
  Hashes hashes[2];
  for (uint32_t i = 0; i < 2; i++) {
    ecs_World *world = create();
    ecs_Component a = define_one(world, "A", "x", ECS_U8);
    if (i == 1) {
      assert_int_equal(ecs_group(world, &a, 1), ECS_OK);
      assert_int_equal(ecs_ungroup(world, &a, 1), ECS_OK);
    }
    ecs_Component sparse =
        define_component(world, "S", NULL, 0, ECS_STORE_SPARSE);
    ecs_Entity e[2] = {spawn(world, 0, NULL), spawn(world, 0, NULL)};
    assert_int_equal(ecs_add(world, e[1], sparse, NULL), ECS_OK);
    assert_int_equal(ecs_add(world, e[0], sparse, NULL), ECS_OK);
    Hashes before = hashes_of(world);
    assert_int_equal(ecs_group(world, &sparse, 1), ECS_OK);
    hashes[i] = hashes_of(world);
    assert_hashes(hashes[i], before, true, true);
    ecs_world_destroy(world);
  }
  assert_hashes(hashes[0], hashes[1], true, true);
}

/* Records step `which` of several; false: there is none. */
static bool record(ecs_World *world, uint32_t which, ecs_Entity entity,
                   ecs_Component a, ecs_Component b) {
  const uint16_t one[] = {1, 0}, two[] = {2, 0}, other[] = {1, 7};
  const void *value[] = {one}, *another[] = {two};
  ecs_Entity made;
  ecs_Cursor cursor;
  ecs_Bundle bundle;
  switch (which) {
    case 0: return ecs_add(world, entity, b, one) == ECS_OK;
    case 1: return ecs_add(world, entity, b, two) == ECS_OK;
    case 2: return ecs_add(world, entity, b, NULL) == ECS_OK;
    case 3: return ecs_set(world, entity, b, one, 1) == ECS_OK;
    case 4: return ecs_set(world, entity, b, one, 2) == ECS_OK;
    case 5: return ecs_set(world, entity, b, other, 2) == ECS_OK;
    case 6: return ecs_remove(world, entity, a) == ECS_OK;
    case 7: return ecs_destroy(world, entity) == ECS_OK;
    case 8: return ecs_spawn(world, &a, 1, value, &made) == ECS_OK;
    case 9: return ecs_spawn(world, &a, 1, another, &made) == ECS_OK;
    case 10: return ecs_spawn(world, &b, 1, value, &made) == ECS_OK;
    case 11:
      assert_int_equal(ecs_bundle(world, &b, 1, &bundle), ECS_OK);
      assert_int_equal(ecs_spawn_many(world, bundle, 2, &cursor), ECS_OK);
      return ecs_cursor_end(&cursor) == ECS_OK;
    default: return false;
  }
}

TEST(recorded_changes_count) {
  Hashes seen[16];
  uint32_t count = 0;
  ecs_World *world = create();
  const ecs_Field fields[] = {{"x", ECS_U16, 0}, {"y", ECS_U16, 0}};
  ecs_Component a = define_component(world, "A", fields, 2, ECS_STORE_TABLE);
  ecs_Component b = define_component(world, "B", fields, 2, ECS_STORE_TABLE);
  ecs_Entity entity = spawn(world, a, NULL), other = spawn(world, a, NULL);
  seen[count++] = hashes_of(world);
  /* Discarding a spawn uses up its handle, so every step gets a fresh one. */
  for (uint32_t step = 0; step < 12; step++) {
    Hashes before = hashes_of(world);
    assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_hashes(hashes_of(world), before, true, true);
    assert_true(record(world, step, entity, a, b));
    seen[count++] = hashes_of(world);
    assert_true(before.world != seen[count - 1].world);
    assert_true(before.state == seen[count - 1].state);
    ecs_defer_discard(world);
    if (step < 8) assert_hashes(hashes_of(world), seen[0], true, true);
  }
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < i; k++)
      assert_true(seen[i].world != seen[k].world);
  /* Of whom, and in which order. */
  Hashes order[3];
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_int_equal(ecs_add(world, i == 1 ? other : entity, b, NULL), ECS_OK);
    if (i < 2)
      assert_int_equal(ecs_add(world, i == 1 ? entity : other, b, NULL), 0);
    order[i] = hashes_of(world);
    ecs_defer_discard(world);
  }
  assert_true(order[0].world != order[1].world);
  assert_true(order[0].world != order[2].world);
  ecs_world_destroy(world);
}

/* A level can be discarded, so it counts which of the commands are its own. */
TEST(the_levels_of_recorded_changes_count) {
  Hashes hashes[3];
  ecs_World *world = create();
  ecs_Component a = define_one(world, "A", "x", ECS_U8);
  ecs_Component b = define_one(world, "B", "x", ECS_U8);
  ecs_Entity entity = spawn(world, 0, NULL);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(ecs_defer_begin(world), ECS_OK);
    if (i == 0) assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_int_equal(ecs_add(world, entity, a, NULL), ECS_OK);
    if (i == 1) assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_int_equal(ecs_add(world, entity, b, NULL), ECS_OK);
    if (i == 2) assert_int_equal(ecs_defer_begin(world), ECS_OK);
    hashes[i] = hashes_of(world);
    ecs_defer_discard(world);
    ecs_defer_discard(world);
  }
  assert_hashes(hashes[0], hashes[1], false, true);
  assert_hashes(hashes[0], hashes[2], false, true);
  assert_hashes(hashes[1], hashes[2], false, true);
  ecs_world_destroy(world);
}

/* Values in staged rows count as those that a spawn brings along. */
TEST(staged_values_count) {
  Hashes hashes[3];
  for (uint32_t i = 0; i < 3; i++) {
    ecs_World *world = create();
    ecs_Component a = define_one(world, "A", "x", ECS_U8);
    ecs_Bundle bundle = 0;
    ecs_Cursor cursor;
    ecs_Batch batch;
    const uint8_t five = 5;
    assert_int_equal(ecs_bundle(world, &a, 1, &bundle), ECS_OK);
    assert_int_equal(ecs_defer_begin(world), ECS_OK);
    if (i == 2) {
      (void)spawn(world, a, &five);
    } else {
      assert_int_equal(ecs_spawn_many(world, bundle, 1, &cursor), ECS_OK);
      assert_true(ecs_cursor_next(&cursor, &batch));
      *(uint8_t *)batch.columns[0] = i == 0 ? 4 : 5;
      assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
    }
    hashes[i] = hashes_of(world);
    assert_int_equal(ecs_defer_end(world), ECS_OK);
    ecs_world_destroy(world);
  }
  assert_hashes(hashes[0], hashes[1], false, true);
  assert_hashes(hashes[1], hashes[2], true, true);
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
      cmocka_unit_test(the_order_of_empty_tables_counts),
      cmocka_unit_test(an_empty_table_counts),
      cmocka_unit_test(a_retired_index_counts),
      cmocka_unit_test(looking_and_defining_do_not_change_the_hash),
      cmocka_unit_test(groups_count_where_definitions_do_not_say_so),
      cmocka_unit_test(an_empty_group_decides_nothing),
      cmocka_unit_test(recorded_changes_count),
      cmocka_unit_test(the_levels_of_recorded_changes_count),
      cmocka_unit_test(staged_values_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* api_array_test.c: arrays of a world, as ecs_array.h promises. */
#include <string.h>

#include "api_fixture.h"
#include "ecs_array.h"
#include "test_case.h"
#include "world/world.h"

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
} Fixture;

static void start(Fixture *fixture) {
  fixture->world = open_world(&fixture->failing);
}

static void finish(Fixture *fixture) {
  assert_true(world_check_invariants(fixture->world));
  close_world(fixture->world, &fixture->failing);
}

static ecs_ArrayDescription shape(const char *name, ecs_Scalar type,
                                  uint32_t dimensions, uint32_t a, uint32_t b,
                                  uint32_t c) {
  return (ecs_ArrayDescription){name, type, dimensions, {a, b, c}};
}

static ecs_Array *make(Fixture *fixture, const char *name, ecs_Scalar type,
                       uint32_t dimensions, uint32_t a, uint32_t b,
                       uint32_t c) {
  ecs_ArrayDescription how = shape(name, type, dimensions, a, b, c);
  ecs_Array *array = NULL;
  assert_int_equal(ecs_array(fixture->world, &how, &array), ECS_OK);
  assert_non_null(array);
  return array;
}

static bool all_zero(const ecs_Array *array, size_t bytes) {
  const unsigned char *elements = ecs_array_view(array)->elements;
  for (size_t k = 0; k < bytes; k++)
    if (elements[k] != 0) return false;
  return true;
}

TEST(an_array_begins_with_zeros_on_a_line) {
  Fixture fixture;
  start(&fixture);
  for (int type = 0; type < ECS_SCALAR_COUNT; type++) {
    if (type >= ECS_ENTITY) continue;
    const char *name = ecs_scalar_name((ecs_Scalar)type);
    ecs_Array *array = make(&fixture, name, (ecs_Scalar)type, 3, 2, 3, 5);
    const ecs_ArrayView *view = ecs_array_view(array);
    assert_int_equal((uintptr_t)view->elements % ECS_LINE_BYTES, 0);
    assert_true(all_zero(array, 30 * ecs_scalar_bytes((ecs_Scalar)type)));
    assert_int_equal(view->sizes[0], 2);
    assert_int_equal(view->sizes[1], 3);
    assert_int_equal(view->sizes[2], 5);
  }
  const ecs_ArrayView *flat =
      ecs_array_view(make(&fixture, "flat", ECS_U8, 1, 7, 9, 0));
  assert_int_equal(flat->sizes[0], 7);
  assert_int_equal(flat->sizes[1], 1);
  assert_int_equal(flat->sizes[2], 1);
  finish(&fixture);
}

TEST(the_same_name_gives_the_same_array) {
  Fixture fixture;
  ecs_ArrayDescription found;
  start(&fixture);
  ecs_Array *walls = make(&fixture, "walls", ECS_U8, 2, 4, 6, 0);
  ecs_Array *heat = make(&fixture, "heat", ECS_F32, 1, 3, 0, 0);
  assert_ptr_equal(make(&fixture, "walls", ECS_U8, 2, 4, 6, 8), walls);
  assert_ptr_equal(ecs_array_find(fixture.world, "walls"), walls);
  assert_ptr_equal(ecs_array_find(fixture.world, "heat"), heat);
  assert_null(ecs_array_find(fixture.world, "wall"));
  assert_null(ecs_array_find(fixture.world, NULL));
  ecs_array_describe(walls, &found);
  assert_string_equal(found.name, "walls");
  assert_int_equal(found.type, ECS_U8);
  assert_int_equal(found.dimensions, 2);
  assert_int_equal(found.sizes[1], 6);
  finish(&fixture);
}

static void refuse(Fixture *fixture, ecs_ArrayDescription how,
                   ecs_Status expected) {
  ecs_Array *array = NULL;
  uint64_t before = ecs_world_hash(fixture->world);
  assert_int_equal(ecs_array(fixture->world, &how, &array), expected);
  assert_null(array);
  assert_true(ecs_world_hash(fixture->world) == before);
}

TEST(what_no_array_can_be_is_refused) {
  Fixture fixture;
  char longest[257];
  start(&fixture);
  memset(longest, 'x', 256);
  longest[256] = 0;
  (void)make(&fixture, "walls", ECS_U8, 2, 4, 6, 0);
  refuse(&fixture, shape("walls", ECS_I8, 2, 4, 6, 0), ECS_E_SCHEMA);
  refuse(&fixture, shape("walls", ECS_U8, 2, 6, 4, 0), ECS_E_SCHEMA);
  refuse(&fixture, shape("walls", ECS_U8, 1, 4, 6, 0), ECS_E_SCHEMA);
  refuse(&fixture, shape(NULL, ECS_U8, 1, 4, 0, 0), ECS_E_NAME);
  refuse(&fixture, shape("", ECS_U8, 1, 4, 0, 0), ECS_E_NAME);
  refuse(&fixture, shape(longest, ECS_U8, 1, 4, 0, 0), ECS_E_NAME);
  refuse(&fixture, shape("a", ECS_ENTITY, 1, 4, 0, 0), ECS_E_ARGUMENT);
  refuse(&fixture, shape("a", ECS_SCALAR_COUNT, 1, 4, 0, 0), ECS_E_ARGUMENT);
  refuse(&fixture, shape("a", (ecs_Scalar)-1, 1, 4, 0, 0), ECS_E_ARGUMENT);
  refuse(&fixture, shape("a", ECS_U8, 0, 4, 4, 4), ECS_E_ARGUMENT);
  refuse(&fixture, shape("a", ECS_U8, 4, 4, 4, 4), ECS_E_ARGUMENT);
  refuse(&fixture, shape("a", ECS_U8, 2, 4, 0, 4), ECS_E_ARGUMENT);
  assert_int_equal(ecs_array(fixture.world, NULL, NULL), ECS_E_ARGUMENT);
  longest[255] = 0;
  (void)make(&fixture, longest, ECS_U8, 1, 1, 0, 0);
  finish(&fixture);
}

TEST(the_limit_of_elements_is_one_for_all_indices) {
  Fixture fixture;
  char text[160];
  start(&fixture);
#ifdef ECS_TINY
  (void)make(&fixture, "most", ECS_F64, 3, 3, 4, 5);
  refuse(&fixture, shape("more", ECS_U8, 1, 61, 0, 0), ECS_E_LIMIT);
#endif
  refuse(&fixture, shape("more", ECS_U8, 2, 1u << 16, 1u << 16, 0),
         ECS_E_LIMIT);
  refuse(&fixture, shape("more", ECS_U8, 3, UINT32_MAX, UINT32_MAX, UINT32_MAX),
         ECS_E_LIMIT);
  (void)ecs_world_refusal(fixture.world, ECS_E_LIMIT, text, sizeof text);
  assert_non_null(strstr(text, "elements"));
  finish(&fixture);
}

TEST(other_sizes_make_the_elements_anew) {
  Fixture fixture;
  const uint32_t larger[] = {7, 8}, none[] = {0, 8};
  start(&fixture);
  ecs_Array *walls = make(&fixture, "walls", ECS_U16, 2, 4, 6, 0);
  assert_int_equal(ecs_array_fill(walls, 513), ECS_OK);
  assert_int_equal(((uint16_t *)ecs_array_view(walls)->elements)[23], 513);
  assert_int_equal(ecs_array_resize(walls, none), ECS_E_ARGUMENT);
  assert_int_equal(ecs_array_resize(walls, NULL), ECS_E_ARGUMENT);
  assert_int_equal(ecs_array_view(walls)->sizes[0], 4);
  assert_int_equal(((uint16_t *)ecs_array_view(walls)->elements)[0], 513);
  assert_int_equal(ecs_array_resize(walls, larger), ECS_OK);
  assert_int_equal(ecs_array_view(walls)->sizes[0], 7);
  assert_int_equal(ecs_array_view(walls)->sizes[1], 8);
  assert_true(all_zero(walls, 7 * 8 * 2));
  finish(&fixture);
}

TEST(fill_stores_what_the_type_can_hold) {
  Fixture fixture;
  start(&fixture);
  ecs_Array *odd = make(&fixture, "odd", ECS_I32, 1, 13, 0, 0);
  const int32_t *elements = ecs_array_view(odd)->elements;
  assert_int_equal(ecs_array_fill(odd, -70000), ECS_OK);
  for (int k = 0; k < 13; k++) assert_int_equal(elements[k], -70000);
  assert_int_equal(ecs_array_fill(odd, 0.5), ECS_E_VALUE);
  assert_int_equal(elements[12], -70000);
  ecs_Array *one = make(&fixture, "one", ECS_BOOL, 1, 1, 0, 0);
  assert_int_equal(ecs_array_fill(one, 2), ECS_E_VALUE);
  assert_int_equal(ecs_array_fill(one, 1), ECS_OK);
  finish(&fixture);
}

TEST(a_copy_of_the_view_follows_the_array_and_the_world) {
  Fixture fixture;
  const uint32_t larger[] = {9};
  ecs_ArrayView held = {0}, other = {0};
  start(&fixture);
  ecs_Array *array = make(&fixture, "a", ECS_F32, 1, 3, 0, 0);
  ecs_array_hold(array, &held);
  assert_ptr_equal(held.elements, ecs_array_view(array)->elements);
  assert_int_equal(ecs_array_resize(array, larger), ECS_OK);
  assert_ptr_equal(held.elements, ecs_array_view(array)->elements);
  assert_int_equal(held.sizes[0], 9);
  ecs_array_hold(array, &other);
  assert_null(held.elements);
  assert_int_equal(held.sizes[0] + held.sizes[1] + held.sizes[2], 0);
  ecs_arrays_release(fixture.world);
  assert_null(other.elements);
  ecs_array_hold(array, &other);
  assert_int_equal(other.sizes[0], 9);
  finish(&fixture);
  assert_null(other.elements);
  assert_int_equal(other.sizes[0] + other.sizes[1] + other.sizes[2], 0);
}

TEST(a_world_that_is_cleared_keeps_its_arrays_with_zeros) {
  Fixture fixture;
  start(&fixture);
  ecs_Array *array = make(&fixture, "a", ECS_F64, 2, 3, 5, 0);
  assert_int_equal(ecs_array_fill(array, 1.5), ECS_OK);
  assert_int_equal(ecs_world_clear(fixture.world), ECS_OK);
  assert_true(all_zero(array, 3 * 5 * 8));
  assert_ptr_equal(ecs_array_find(fixture.world, "a"), array);
  finish(&fixture);
}

TEST(bytes_of_arrays_count_against_the_limit_of_the_world) {
  FailingMemory failing;
  ecs_WorldDescription how = {failing_memory_init(&failing), 1u << 16};
  ecs_World *world = NULL;
  ecs_Array *array = NULL;
  char text[160];
  const uint32_t large[] = {30}, small[] = {2};
  assert_int_equal(ecs_world_create(&how, &world), ECS_OK);
  ecs_ArrayDescription small_one = shape("a", ECS_F64, 1, 2, 0, 0);
  assert_int_equal(ecs_array(world, &small_one, &array), ECS_OK);
  ecs_Statistics before, after;
  ecs_world_statistics(world, &before);
  assert_int_equal(ecs_array_resize(array, large), ECS_OK);
  ecs_world_statistics(world, &after);
  assert_int_equal(after.bytes - before.bytes, 28 * 8);
  assert_int_equal(ecs_array_resize(array, small), ECS_OK);
#ifndef ECS_TINY
  const uint32_t much[] = {10000};
  assert_int_equal(ecs_array_resize(array, much), ECS_E_MEMORY);
  assert_int_equal(ecs_array_view(array)->sizes[0], 2);
  (void)ecs_world_refusal(world, ECS_E_MEMORY, text, sizeof text);
  assert_non_null(strstr(text, "65536 bytes"));
#else
  (void)text;
#endif
  ecs_world_destroy(world);
  assert_int_equal(failing.bytes, 0);
}

static uint64_t state_of(ecs_World *world) {
  return ecs_world_state_hash(world);
}

TEST(both_hashes_have_names_types_sizes_and_elements) {
  Fixture fixture, twin;
  start(&fixture);
  start(&twin);
  ecs_Array *one = make(&fixture, "one", ECS_F32, 2, 2, 3, 0);
  assert_true(ecs_world_hash(fixture.world) == ecs_world_hash(twin.world));
  (void)make(&fixture, "two", ECS_F32, 2, 2, 3, 0);
  ecs_Array *two = make(&twin, "two", ECS_F32, 2, 2, 3, 0);
  ecs_Array *same = make(&twin, "one", ECS_F32, 2, 2, 3, 0);
  assert_true(ecs_world_hash(fixture.world) == ecs_world_hash(twin.world));
  assert_int_equal(ecs_array_fill(one, 2), ECS_OK);
  assert_int_equal(ecs_array_fill(two, 2), ECS_OK);
  assert_true(ecs_world_hash(fixture.world) != ecs_world_hash(twin.world));
  assert_true(state_of(fixture.world) != state_of(twin.world));
  assert_int_equal(ecs_array_fill(one, 0), ECS_OK);
  assert_int_equal(ecs_array_fill(two, 0), ECS_OK);
  assert_true(ecs_world_hash(fixture.world) == ecs_world_hash(twin.world));
  assert_true(state_of(fixture.world) == state_of(twin.world));
  ((float *)ecs_array_view(one)->elements)[5] = 1;
  assert_true(ecs_world_hash(fixture.world) != ecs_world_hash(twin.world));
  assert_true(state_of(fixture.world) != state_of(twin.world));
  ((float *)ecs_array_view(same)->elements)[5] = 1;
  assert_true(state_of(fixture.world) == state_of(twin.world));
  const uint32_t turned[] = {3, 2};
  assert_int_equal(ecs_array_resize(one, turned), ECS_OK);
  assert_int_equal(ecs_array_fill(same, 0), ECS_OK);
  assert_true(ecs_world_hash(fixture.world) != ecs_world_hash(twin.world));
  assert_true(state_of(fixture.world) != state_of(twin.world));
  finish(&twin);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_array_begins_with_zeros_on_a_line),
      cmocka_unit_test(the_same_name_gives_the_same_array),
      cmocka_unit_test(what_no_array_can_be_is_refused),
      cmocka_unit_test(the_limit_of_elements_is_one_for_all_indices),
      cmocka_unit_test(other_sizes_make_the_elements_anew),
      cmocka_unit_test(fill_stores_what_the_type_can_hold),
      cmocka_unit_test(a_copy_of_the_view_follows_the_array_and_the_world),
      cmocka_unit_test(a_world_that_is_cleared_keeps_its_arrays_with_zeros),
      cmocka_unit_test(bytes_of_arrays_count_against_the_limit_of_the_world),
      cmocka_unit_test(both_hashes_have_names_types_sizes_and_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

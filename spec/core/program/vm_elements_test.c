/* vm_elements_test.c: elements of columns, by key.
 *
 * program_differential_test.c has random programs with them. Here are all types,
 * keys at the edges, and columns that are no neighbours in memory.
 */
#include <math.h>
#include <stdio.h>

#include "test_case.h"
#include "program_fixture.h"

#define COUNT 5u

/* A component with a key and COUNT elements of a type, and a program that reads
 * one of them, or stores into it, if `stores`. */
static ecs_Component keyed(ecs_Scalar type, bool stores, ecs_Access access,
                           ecs_Storage storage) {
  static const char *const names[COUNT] = {"a1", "a2", "a3", "a4", "a5"};
  ecs_Field fields[COUNT + 2] = {{"key", ECS_F64, 0}, {"out", ECS_F64, 0}};
  for (uint32_t k = 0; k < COUNT; k++)
    fields[k + 2] = (ecs_Field){names[k], type, 0};
  const ecs_ComponentDescription how = {.name = "A",
                                        .fields = fields,
                                        .field_count = COUNT + 2,
                                        .storage = storage};
  ecs_Component component = 0;
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  must(ecs_component(fixture.world, &how, &component));
  const ecs_Term terms[] = {{fixture.p, ECS_READ}, {component, access}};
  ask(terms, 2);
  const char *way = access == ECS_OPTIONAL ? "optional" : "write";
  char text[2000];
  int used = snprintf(text, sizeof text,
                      "column c0 \"A\" \"key\" f64 %s\n"
                      "column c1 \"A\" \"out\" f64 %s\n",
                      way, way);
  for (uint32_t k = 0; k < COUNT; k++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "column c%u \"A\" \"%s\" %s %s\n", k + 2, names[k],
                     ecs_scalar_name(type), way);
  const char *value = type == ECS_BOOL ? "bool" : "f64";
  snprintf(text + used, sizeof text - (size_t)used,
           stores ? "v0 = load f64 c0\nv1 = load f64 c1\n"
                    "v2 = constant f64 0\nv3 = lt f64 v2 v1\n"
                    "v4 = constant f64 50\nv5 = lt f64 v1 v4\n"
                    "scatter c2 c6 v0 %s v5\n"
                  : "v0 = load f64 c0\nv1 = element %s c2 c6 v0\n"
                    "v2 = constant f64 1\nv3 = constant f64 0\n"
                    "v4 = %s\nstore c1 v4\n",
           stores ? type == ECS_BOOL ? "v3" : "v1" : value,
           type == ECS_BOOL ? "select f64 v1 v2 v3" : "add f64 v1 v3");
  make(text);
  return component;
}

/* Keys, and the element that each numbers; -1: none. */
static const double keys[] = {
    1,   2,   3,    4,     5,   0,        6,         1.5,    -1,
    0.5, NAN, -0.0, 1e300, 5.5, HUGE_VAL, -HUGE_VAL, 0x1p32, 0x1p32 + 1};
static const int numbered[] = {0,  1,  2,  3,  4,  -1, -1, -1, -1,
                               -1, -1, -1, -1, -1, -1, -1, -1, -1};
#define KEYS (sizeof keys / sizeof *keys)

static double held(ecs_Scalar type, double number) {
  return type == ECS_BOOL ? number != 0 : number;
}

/* Row i has elements that depend on it, and one of the keys. */
static void spawn_keyed(ecs_Component a, ecs_Scalar type, uint32_t count) {
  spawn(count, 0, 1);
  for (uint32_t i = 0; i < count; i++) {
    must(ecs_add(fixture.world, fixture.entities[i], a, NULL));
    set(fixture.entities[i], a, 0, keys[i % KEYS]);
    for (uint32_t k = 0; k < COUNT; k++)
      set(fixture.entities[i], a, k + 2, held(type, (i + 3 * k) % 100));
  }
}

static void read_all(ecs_Scalar type, ecs_Storage storage) {
  ecs_Component a = keyed(type, false, ECS_WRITE, storage);
  spawn_keyed(a, type, MOST);
  must(run(NULL, NULL));
  for (uint32_t i = 0; i < MOST; i++) {
    int k = numbered[i % KEYS];
    double wanted = k < 0 ? 0 : held(type, (i + 3 * (uint32_t)k) % 100);
    assert_true(get(fixture.entities[i], a, 1) == wanted);
  }
  finish();
}

TEST(elements_of_all_types_are_read) {
  for (int type = 0; type < ECS_SCALAR_COUNT; type++) {
    if (type == ECS_ENTITY || scalar_is_held((ecs_Scalar)type)) continue;
    read_all((ecs_Scalar)type, ECS_STORE_TABLE);
    read_all((ecs_Scalar)type, ECS_STORE_SPARSE); /* columns are gathered */
  }
}

static void store_all(ecs_Scalar type) {
  ecs_Component a = keyed(type, true, ECS_WRITE, ECS_STORE_TABLE);
  spawn_keyed(a, type, MOST);
  for (uint32_t i = 0; i < MOST; i++)
    set(fixture.entities[i], a, 1, i % 70); /* stored below 50 */
  must(run(NULL, NULL));
  for (uint32_t i = 0; i < MOST; i++)
    for (uint32_t k = 0; k < COUNT; k++) {
      double wanted = (i + 3 * k) % 100;
      if (numbered[i % KEYS] == (int)k && i % 70 < 50) wanted = i % 70;
      assert_true(get(fixture.entities[i], a, k + 2) == held(type, wanted));
    }
  finish();
}

TEST(elements_of_all_types_are_stored) {
  for (int type = 0; type < ECS_SCALAR_COUNT; type++)
    if (type != ECS_ENTITY && !scalar_is_held((ecs_Scalar)type))
      store_all((ecs_Scalar)type);
}

TEST(numbers_are_converted_as_by_a_store) {
  static const double numbers[] = {-1, 300, 1.9, NAN, -HUGE_VAL};
  static const double kept[] = {0, 49, 1, 0, 0}; /* 300 is masked out */
  ecs_Component a = keyed(ECS_U8, true, ECS_WRITE, ECS_STORE_TABLE);
  spawn(5, 0, 1);
  for (uint32_t i = 0; i < 5; i++) {
    must(ecs_add(fixture.world, fixture.entities[i], a, NULL));
    set(fixture.entities[i], a, 0, 2);
    set(fixture.entities[i], a, 1, numbers[i]);
    set(fixture.entities[i], a, 3, 49);
  }
  must(run(NULL, NULL));
  for (uint32_t i = 0; i < 5; i++)
    assert_true(get(fixture.entities[i], a, 3) == (i == 3 ? 49 : kept[i]));
  finish();
}

TEST(absent_columns_read_as_0_and_are_not_stored_in) {
  for (int stores = 0; stores < 2; stores++) {
    ecs_Component a = keyed(ECS_I16, stores, ECS_OPTIONAL, ECS_STORE_TABLE);
    spawn(20, 0, 1);
    must(ecs_add(fixture.world, fixture.entities[3], a, NULL));
    set(fixture.entities[3], a, 0, 4);
    set(fixture.entities[3], a, 5, 12);
    must(run(NULL, NULL));
    assert_true(get(fixture.entities[3], a, 5) == (stores ? 0 : 12));
    assert_true(get(fixture.entities[3], a, 1) == (stores ? 0 : 12));
    finish();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements_of_all_types_are_read),
      cmocka_unit_test(elements_of_all_types_are_stored),
      cmocka_unit_test(numbers_are_converted_as_by_a_store),
      cmocka_unit_test(absent_columns_read_as_0_and_are_not_stored_in)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

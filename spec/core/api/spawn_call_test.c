/* spawn_call_test.c: spawning from numbers, compared with ecs_spawn_bundle. */
#include <math.h>
#include <string.h>

#include "test_case.h"
#include "world/world.h"
#include "api_fixture.h"
#include "api/spawn_call.h"

/* Those of numbers. */
#define TYPES ((uint32_t)ECS_ENTITY + 1u)

/* plain {x y}, every {one field of each type of numbers}, and a tag. */
typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component components[3];
  ecs_Field fields[TYPES];
  float plain[2];
  uint64_t every[TYPES];
  const void *images[3];
  SpawnPlace places[1 + TYPES];
  double numbers[1 + TYPES];
  SpawnCall call; /* plain.y and all of every */
} Fixture;

static void define(Fixture *fixture, uint32_t i, const char *name,
                   const ecs_Field *fields, uint32_t count) {
  ecs_ComponentDescription what = {.name = name,
                                   .fields = fields,
                                   .field_count = count,
                                   .storage = ECS_STORE_TABLE};
  assert_int_equal(
      ecs_component(fixture->world, &what, &fixture->components[i]), ECS_OK);
}

static void start(Fixture *fixture) {
  static const ecs_Field plain[] = {{"x", ECS_F32, 0}, {"y", ECS_F32, 2}};
  static const char *const names[] = {"a", "b", "c", "d", "e",
                                      "f", "g", "h", "i", "j"};
  size_t offset = 0;
  memset(fixture, 0, sizeof *fixture);
  fixture->world = open_world(&fixture->failing);
  define(fixture, 0, "plain", plain, 2);
  fixture->places[0] = (SpawnPlace){&fixture->plain[1], ECS_F32};
  fixture->plain[0] = 7;
  fixture->numbers[0] = 0.25;
  for (uint32_t k = 0; k < TYPES; k++) {
    ecs_Scalar type = (ecs_Scalar)k;
    size_t bytes = ecs_scalar_bytes(type);
    fixture->fields[k] = (ecs_Field){names[k], type, 0};
    offset = (offset + bytes - 1) / bytes * bytes;
    fixture->places[1 + k] =
        (SpawnPlace){(char *)fixture->every + offset, type};
    fixture->numbers[1 + k] = type == ECS_BOOL ? 1 : k + 3;
    offset += bytes;
  }
  define(fixture, 1, "every", fixture->fields, TYPES);
  define(fixture, 2, "tag", NULL, 0);
  fixture->images[0] = fixture->plain;
  fixture->images[1] = fixture->every;
  fixture->call = (SpawnCall){.world = &fixture->world,
                              .places = fixture->places,
                              .images = fixture->images,
                              .count = 1 + TYPES};
}

static void prepare(Fixture *fixture) {
  assert_int_equal(
      ecs_bundle(fixture->world, fixture->components, 3, &fixture->call.bundle),
      ECS_OK);
}

static void finish(Fixture *fixture) {
  assert_true(world_check_invariants(fixture->world));
  ecs_world_destroy(fixture->world);
  fixture->world = NULL;
  assert_true(ecs_spawn_call(&fixture->call, fixture->numbers) == 0);
  assert_int_equal(fixture->failing.blocks, 0);
}

/* The entity has the numbers of the call. */
static void check(const Fixture *fixture, double made) {
  ecs_Entity entity = (ecs_Entity)made;
  double value = 0;
  assert_true(made > 0 && made == (double)entity);
  assert_true(ecs_has(fixture->world, entity, fixture->components[2]));
  assert_int_equal(
      ecs_get_field(fixture->world, entity, fixture->components[0], 0, &value),
      ECS_OK);
  assert_true(value == 7);
  for (uint32_t k = 0; k <= TYPES; k++) {
    assert_int_equal(
        ecs_get_field(fixture->world, entity, fixture->components[k > 0],
                      k == 0 ? 1 : k - 1, &value),
        ECS_OK);
    assert_true(value == fixture->numbers[k]);
  }
}

TEST(an_entity_has_the_numbers_of_the_call) {
  Fixture fixture;
  start(&fixture);
  assert_true(ecs_spawn_call(&fixture.call, fixture.numbers) == 0);
  prepare(&fixture);
  for (int k = 0; k < 5; k++) {
    fixture.numbers[0] = k;
    double made = ecs_spawn_call(&fixture.call, fixture.numbers);
    assert_int_equal(ecs_destroy(fixture.world, (ecs_Entity)made), ECS_OK);
    made = ecs_spawn_call(&fixture.call, fixture.numbers);
    check(&fixture, made);
  }
  finish(&fixture);
}

TEST(a_number_that_does_not_fit_changes_nothing) {
  Fixture fixture;
  start(&fixture);
  prepare(&fixture);
  check(&fixture, ecs_spawn_call(&fixture.call, fixture.numbers));
  uint64_t before = ecs_world_hash(fixture.world);
  for (uint32_t k = 0; k <= TYPES; k++) {
    ecs_Scalar type = fixture.places[k].type;
    double kept = fixture.numbers[k];
    fixture.numbers[k] = type == ECS_F64 ? kept : 1e300;
    if (type != ECS_F64)
      assert_true(ecs_spawn_call(&fixture.call, fixture.numbers) == 0);
    fixture.numbers[k] = NAN;
    if (type != ECS_F64 && type != ECS_F32)
      assert_true(ecs_spawn_call(&fixture.call, fixture.numbers) == 0);
    fixture.numbers[k] = kept;
  }
  assert_true(ecs_world_hash(fixture.world) == before);
  fixture.numbers[0] = INFINITY;
  check(&fixture, ecs_spawn_call(&fixture.call, fixture.numbers));
  finish(&fixture);
}

TEST(a_nan_is_stored_without_payload) {
  Fixture fixture;
  double value = 0;
  uint64_t bits = UINT64_C(0xffffdeadbeef0001);
  start(&fixture);
  prepare(&fixture);
  memcpy(&fixture.numbers[0], &bits, sizeof bits);
  double made = ecs_spawn_call(&fixture.call, fixture.numbers);
  assert_int_equal(ecs_get_field(fixture.world, (ecs_Entity)made,
                                 fixture.components[0], 1, &value),
                   ECS_OK);
  memcpy(&bits, &value, sizeof bits);
  assert_true(bits == UINT64_C(0x7ff8000000000000));
  finish(&fixture);
}

TEST(a_spawn_is_recorded_while_the_world_is_open) {
  Fixture fixture;
  start(&fixture);
  prepare(&fixture);
  assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
  double made = ecs_spawn_call(&fixture.call, fixture.numbers);
  assert_true(ecs_alive(fixture.world, (ecs_Entity)made));
  assert_false(ecs_has(fixture.world, (ecs_Entity)made, fixture.components[0]));
  fixture.numbers[0] = 1; /* the record has a copy */
  assert_true(ecs_spawn_call(&fixture.call, fixture.numbers) > 0);
  assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
  fixture.numbers[0] = 0.25;
  check(&fixture, made);
  finish(&fixture);
}

TEST(a_failed_spawn_changes_nothing) {
  Fixture fixture;
  start(&fixture);
  prepare(&fixture);
  uint64_t before = ecs_world_hash(fixture.world);
  failing_memory_arm(&fixture.failing, 1, FAIL_ONWARD);
  assert_true(ecs_spawn_call(&fixture.call, fixture.numbers) == 0);
  assert_true(failing_memory_disarm(&fixture.failing) > 0);
  assert_true(ecs_world_hash(fixture.world) == before);
  check(&fixture, ecs_spawn_call(&fixture.call, fixture.numbers));
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_entity_has_the_numbers_of_the_call),
      cmocka_unit_test(a_number_that_does_not_fit_changes_nothing),
      cmocka_unit_test(a_nan_is_stored_without_payload),
      cmocka_unit_test(a_spawn_is_recorded_while_the_world_is_open),
      cmocka_unit_test(a_failed_spawn_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

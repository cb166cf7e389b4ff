/* schema_test.c: valid and refused descriptions, and the layout of images.
 *
 * Layouts are compared with real C structs. Every refused description is also
 * checked to have allocated nothing; every allocation of a good one fails once.
 */
#include "schema_fixture.h"
#include "test_case.h"

static void assert_nothing_held(const Fixture *fixture) {
  assert_int_equal(fixture->failing.bytes, 0);
  assert_int_equal(fixture->failing.blocks, 0);
  assert_int_equal(fixture->memory.bytes, 0);
}

/* Refused with this status, without an allocation and without a result. */
static void assert_refused(ecs_ComponentDescription description,
                           ecs_Status expected) {
  Fixture fixture;
  start(&fixture);
  Schema *const untouched = (Schema *)&fixture;
  Schema *schema = untouched;
  assert_int_equal(schema_create(&fixture.memory, &description, &schema),
                   expected);
  assert_ptr_equal(schema, untouched);
  assert_int_equal(fixture.failing.requests, 0);
}

static ecs_Status status_of_field(ecs_Field field) {
  Fixture fixture;
  start(&fixture);
  ecs_ComponentDescription description = describe("C", &field, 1);
  Schema *schema = NULL;
  ecs_Status status = schema_create(&fixture.memory, &description, &schema);
  schema_destroy(&fixture.memory, schema);
  assert_nothing_held(&fixture);
  return status;
}

/* length letters and an end. */
static const char *name_of(char *place, size_t length) {
  memset(place, 'n', length);
  place[length] = '\0';
  return place;
}

/* Every scalar type in an order that needs padding inside and at the end. */
typedef struct Mixed {
  uint8_t flag;
  double f64;
  int8_t i8;
  int16_t i16;
  uint8_t u8;
  float f32;
  uint16_t u16;
  uint64_t target;
  int32_t i32;
  uint32_t u32;
  uint8_t last;
} Mixed;

static const ecs_Field mixed_fields[] = {
    {"flag", ECS_BOOL, 1},   {"f64", ECS_F64, -0.1},
    {"i8", ECS_I8, -128},    {"i16", ECS_I16, 32767},
    {"u8", ECS_U8, 255},     {"f32", ECS_F32, 0.1},
    {"u16", ECS_U16, 65535}, {"target", ECS_ENTITY, 0},
    {"i32", ECS_I32, -7},    {"u32", ECS_U32, 4294967295.0},
    {"last", ECS_BOOL, 0},
};

#define MIXED_COUNT ((uint32_t)(sizeof mixed_fields / sizeof *mixed_fields))

TEST(an_image_is_laid_out_as_a_c_struct) {
  static const size_t offsets[] = {
      offsetof(Mixed, flag), offsetof(Mixed, f64),    offsetof(Mixed, i8),
      offsetof(Mixed, i16),  offsetof(Mixed, u8),     offsetof(Mixed, f32),
      offsetof(Mixed, u16),  offsetof(Mixed, target), offsetof(Mixed, i32),
      offsetof(Mixed, u32),  offsetof(Mixed, last)};
  Fixture fixture;
  start(&fixture);
  Schema *schema = create(&fixture, describe("M", mixed_fields, MIXED_COUNT));
  assert_int_equal(schema->image_bytes, sizeof(Mixed));
  assert_int_equal(schema->field_count, MIXED_COUNT);
  for (uint32_t k = 0; k < MIXED_COUNT; k++) {
    assert_int_equal(schema->fields[k].offset, offsets[k]);
    assert_int_equal(schema->fields[k].type, mixed_fields[k].type);
    assert_string_equal(schema->fields[k].name, mixed_fields[k].name);
  }
  schema_destroy(&fixture.memory, schema);
  assert_nothing_held(&fixture);
}

TEST(small_images_are_no_larger_than_they_need_be) {
  static const ecs_Field fields[] = {{"a", ECS_U8, 0},
                                     {"b", ECS_I8, 0},
                                     {"c", ECS_BOOL, 0},
                                     {"d", ECS_U16, 0},
                                     {"e", ECS_F32, 0}};
  static const uint32_t image_bytes[] = {0, 1, 2, 3, 6, 12};
  for (uint32_t count = 0; count <= 5; count++) {
    Fixture fixture;
    start(&fixture);
    Schema *schema = create(&fixture, describe("S", fields, count));
    assert_int_equal(schema->image_bytes, image_bytes[count]);
    schema_destroy(&fixture.memory, schema);
  }
}

TEST(the_default_image_holds_the_defaults_and_no_noise) {
  Fixture fixture;
  start(&fixture);
  Schema *schema = create(&fixture, describe("M", mixed_fields, MIXED_COUNT));
  Mixed expected;
  memset(&expected, 0, sizeof expected);
  expected.flag = 1;
  expected.f64 = -0.1;
  expected.i8 = -128;
  expected.i16 = 32767;
  expected.u8 = 255;
  expected.f32 = 0.1f;
  expected.u16 = 65535;
  expected.i32 = -7;
  expected.u32 = 4294967295u;
  assert_memory_equal(schema->default_image, &expected, sizeof expected);
  assert_int_equal((uintptr_t)schema->default_image % 8, 0);
  assert_false(schema->zero_defaults);
  schema_destroy(&fixture.memory, schema);
}

TEST(a_default_reads_back_as_it_is_stored) {
  Fixture fixture;
  start(&fixture);
  Schema *schema = create(&fixture, describe("M", mixed_fields, MIXED_COUNT));
  for (uint32_t k = 0; k < MIXED_COUNT; k++) {
    double expected = mixed_fields[k].default_value;
    if (mixed_fields[k].type == ECS_F32) expected = (double)(float)expected;
    assert_true(schema->fields[k].default_value == expected);
  }
  schema_destroy(&fixture.memory, schema);
}

TEST(a_tag_has_no_image_and_zero_defaults) {
  Fixture fixture;
  start(&fixture);
  Schema *schema = create(&fixture, describe("Tag", NULL, 0));
  assert_int_equal(schema->field_count, 0);
  assert_int_equal(schema->image_bytes, 0);
  assert_null(schema->default_image);
  assert_true(schema->zero_defaults);
  assert_string_equal(schema->name, "Tag");
  schema_destroy(&fixture.memory, schema);
  assert_nothing_held(&fixture);
}

static bool zero_defaults_of(ecs_Scalar type, double value) {
  Fixture fixture;
  start(&fixture);
  const ecs_Field fields[] = {{"zero", ECS_U8, 0}, {"x", type, value}};
  Schema *schema = create(&fixture, describe("C", fields, 2));
  bool zero = schema->zero_defaults;
  schema_destroy(&fixture.memory, schema);
  return zero;
}

TEST(defaults_are_zero_only_when_their_bits_are) {
  for (int type = 0; type < (int)ECS_SCALAR_COUNT; type++) {
    ecs_Scalar scalar = (ecs_Scalar)type;
    assert_true(zero_defaults_of(scalar, 0.0));
    assert_true(zero_defaults_of(scalar, -0.0) != scalar_is_float(scalar));
    if (scalar != ECS_ENTITY && !scalar_is_held(scalar))
      assert_false(zero_defaults_of(scalar, 1));
  }
  assert_true(zero_defaults_of(ECS_F32, 1e-60)); /* rounds to 0 */
  assert_false(zero_defaults_of(ECS_F64, 1e-60));
  assert_false(zero_defaults_of(ECS_F32, NAN));
}

TEST(names_are_copied) {
  Fixture fixture;
  start(&fixture);
  char name[] = "Position", x[] = "x", y[] = "y";
  ecs_Field fields[] = {{x, ECS_F32, 1}, {y, ECS_F32, 2}};
  Schema *schema = create(&fixture, describe(name, fields, 2));
  memset(name, '!', sizeof name - 1);
  x[0] = y[0] = '!';
  memset(fields, 0, sizeof fields);
  assert_string_equal(schema->name, "Position");
  assert_string_equal(schema->fields[0].name, "x");
  assert_string_equal(schema->fields[1].name, "y");
  schema_destroy(&fixture.memory, schema);
}

TEST(names_have_1_to_255_bytes) {
  char place[300];
  Fixture fixture;
  start(&fixture);
  static const size_t good[] = {1, 2, 254, 255};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
    Schema *schema =
        create(&fixture, describe(name_of(place, good[k]), NULL, 0));
    assert_int_equal(strlen(schema->name), good[k]);
    assert_string_equal(schema->name, place);
    schema_destroy(&fixture.memory, schema);
    assert_int_equal(status_of_field((ecs_Field){place, ECS_F32, 0}), ECS_OK);
  }
  assert_nothing_held(&fixture);
  static const size_t bad[] = {0, 256, 257, 299};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    assert_refused(describe(name_of(place, bad[k]), NULL, 0), ECS_E_NAME);
    assert_int_equal(status_of_field((ecs_Field){place, ECS_F32, 0}),
                     ECS_E_NAME);
  }
  assert_refused(describe(NULL, NULL, 0), ECS_E_NAME);
  assert_int_equal(status_of_field((ecs_Field){NULL, ECS_F32, 0}), ECS_E_NAME);
}

TEST(a_name_may_be_any_bytes) {
  static const char *const odd[] = {" ", "\x01\x7f", "\xff\xfe", "a.b", "%s"};
  Fixture fixture;
  start(&fixture);
  for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
    Schema *schema = create(&fixture, describe(odd[k], NULL, 0));
    assert_string_equal(schema->name, odd[k]);
    schema_destroy(&fixture.memory, schema);
  }
}

/* n fields called f0, f1, ... of alternating width. */
typedef struct Many {
  char names[ECS_FIELD_LIMIT + 1][8];
  ecs_Field fields[ECS_FIELD_LIMIT + 1];
} Many;

static void describe_many(Many *many) {
  for (uint32_t k = 0; k <= ECS_FIELD_LIMIT; k++) {
    snprintf(many->names[k], sizeof many->names[k], "f%u", (unsigned)k);
    many->fields[k] =
        (ecs_Field){many->names[k], k % 2 == 0 ? ECS_U8 : ECS_F64, (double)k};
  }
}

TEST(a_component_has_up_to_64_fields) {
  Fixture fixture;
  start(&fixture);
  Many many;
  describe_many(&many);
  Schema *schema =
      create(&fixture, describe("C", many.fields, ECS_FIELD_LIMIT));
  assert_int_equal(schema->field_count, 64);
  assert_int_equal(schema->image_bytes, 64 * 8);
  assert_string_equal(schema->fields[63].name, "f63");
  assert_int_equal(schema->fields[63].offset, 63 * 8);
  assert_true(schema->fields[63].default_value == 63);
  schema_destroy(&fixture.memory, schema);
  assert_refused(describe("C", many.fields, ECS_FIELD_LIMIT + 1), ECS_E_LIMIT);
  assert_refused(describe("C", many.fields, UINT32_MAX), ECS_E_LIMIT);
}

TEST(two_fields_of_one_name_are_refused_wherever_they_are) {
  for (uint32_t a = 0; a < ECS_FIELD_LIMIT; a += 9) {
    for (uint32_t b = a + 1; b < ECS_FIELD_LIMIT; b += 3) {
      Many many;
      describe_many(&many);
      memcpy(many.names[b], many.names[a], sizeof many.names[a]);
      assert_refused(describe("C", many.fields, ECS_FIELD_LIMIT), ECS_E_FIELD);
    }
  }
}

TEST(a_field_may_be_called_as_its_component_is) {
  Fixture fixture;
  start(&fixture);
  const ecs_Field field = {"Health", ECS_F32, 1};
  Schema *schema = create(&fixture, describe("Health", &field, 1));
  assert_string_equal(schema->fields[0].name, schema->name);
  schema_destroy(&fixture.memory, schema);
}

TEST(fields_that_are_promised_must_be_there) {
  assert_refused(describe("C", NULL, 1), ECS_E_ARGUMENT);
}

TEST(a_type_that_is_none_is_refused) {
  const int strangers[] = {(int)ECS_SCALAR_COUNT, -1, INT32_MAX};
  for (size_t k = 0; k < sizeof strangers / sizeof *strangers; k++) {
    ecs_Field field = {"x", (ecs_Scalar)strangers[k], 0};
    assert_refused(describe("C", &field, 1), ECS_E_ARGUMENT);
  }
}

TEST(defaults_are_taken_strictly) {
  static const ecs_Field bad[] = {
      {"x", ECS_I8, 128},     {"x", ECS_U8, -1},     {"x", ECS_I16, 0.5},
      {"x", ECS_U16, 65536},  {"x", ECS_I32, NAN},   {"x", ECS_U32, HUGE_VAL},
      {"x", ECS_F32, 1e39},   {"x", ECS_BOOL, 2},    {"x", ECS_ENTITY, 1},
      {"x", ECS_ENTITY, NAN}, {"x", ECS_ENTITY, -1}, {"x", ECS_BOOL, NAN}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    assert_refused(describe("C", &bad[k], 1), ECS_E_VALUE);
  static const ecs_Field good[] = {
      {"x", ECS_I8, 127},      {"x", ECS_F32, HUGE_VAL}, {"x", ECS_F64, NAN},
      {"x", ECS_ENTITY, -0.0}, {"x", ECS_BOOL, 1},       {"x", ECS_F64, 1e300}};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++)
    assert_int_equal(status_of_field(good[k]), ECS_OK);
}

TEST(a_nan_default_is_the_quiet_one) {
  const uint64_t payload = 0xfff123456789abcd;
  double value;
  memcpy(&value, &payload, sizeof value);
  Fixture fixture;
  start(&fixture);
  const ecs_Field fields[] = {{"a", ECS_F64, value}, {"b", ECS_F32, value}};
  Schema *schema = create(&fixture, describe("C", fields, 2));
  uint64_t a;
  uint32_t b;
  const unsigned char *image = schema->default_image;
  memcpy(&a, image, sizeof a);
  memcpy(&b, image + 8, sizeof b);
  assert_int_equal(a, 0x7ff8000000000000);
  assert_int_equal(b, 0x7fc00000);
  memcpy(&a, &schema->fields[0].default_value, sizeof a);
  assert_int_equal(a, 0x7ff8000000000000);
  schema_destroy(&fixture.memory, schema);
}

TEST(the_last_of_many_fields_is_checked_too) {
  Many many;
  describe_many(&many);
  many.fields[63].default_value = NAN; /* fine: an f64 */
  many.fields[62].default_value = NAN;
  assert_refused(describe("C", many.fields, 63), ECS_E_VALUE);
  many.fields[62].default_value = 0;
  many.fields[63].name = "";
  assert_refused(describe("C", many.fields, 64), ECS_E_NAME);
}

/* What one more allocation would cost is found by trying. */
TEST(every_allocation_of_a_schema_may_fail) {
  for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
    Fixture fixture;
    start(&fixture);
    Schema *schema = NULL;
    ecs_ComponentDescription description =
        describe("M", mixed_fields, MIXED_COUNT);
    uint64_t nth = 0;
    uint64_t injected;
    do {
      failing_memory_arm(&fixture.failing, ++nth, (FailingMode)mode);
      ecs_Status status = schema_create(&fixture.memory, &description, &schema);
      injected = failing_memory_disarm(&fixture.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      if (injected > 0) {
        assert_null(schema);
        assert_nothing_held(&fixture);
      }
    } while (injected > 0);
    assert_true(nth > 1);
    assert_true(schema_matches(schema, &description));
    schema_destroy(&fixture.memory, schema);
    assert_nothing_held(&fixture);
  }
}

TEST(a_schema_is_one_block_of_the_size_it_says) {
  Fixture fixture;
  start(&fixture);
  Schema *schema = create(&fixture, describe("M", mixed_fields, MIXED_COUNT));
  assert_int_equal(fixture.failing.blocks, 1);
  assert_int_equal(fixture.failing.bytes, schema->block_bytes);
  schema_destroy(&fixture.memory, schema);
  schema_destroy(&fixture.memory, NULL);
  assert_nothing_held(&fixture);
}

TEST(a_schema_over_the_limit_of_bytes_is_refused) {
  Fixture fixture;
  start(&fixture);
  Schema *schema = create(&fixture, describe("M", mixed_fields, MIXED_COUNT));
  uint64_t bytes = schema->block_bytes;
  schema_destroy(&fixture.memory, schema);
  ecs_ComponentDescription description =
      describe("M", mixed_fields, MIXED_COUNT);
  fixture.memory.limit_bytes = bytes - 1;
  assert_int_equal(schema_create(&fixture.memory, &description, &schema),
                   ECS_E_MEMORY);
  fixture.memory.limit_bytes = bytes;
  assert_int_equal(schema_create(&fixture.memory, &description, &schema),
                   ECS_OK);
  schema_destroy(&fixture.memory, schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_image_is_laid_out_as_a_c_struct),
      cmocka_unit_test(small_images_are_no_larger_than_they_need_be),
      cmocka_unit_test(the_default_image_holds_the_defaults_and_no_noise),
      cmocka_unit_test(a_default_reads_back_as_it_is_stored),
      cmocka_unit_test(a_tag_has_no_image_and_zero_defaults),
      cmocka_unit_test(defaults_are_zero_only_when_their_bits_are),
      cmocka_unit_test(names_are_copied),
      cmocka_unit_test(names_have_1_to_255_bytes),
      cmocka_unit_test(a_name_may_be_any_bytes),
      cmocka_unit_test(a_component_has_up_to_64_fields),
      cmocka_unit_test(two_fields_of_one_name_are_refused_wherever_they_are),
      cmocka_unit_test(a_field_may_be_called_as_its_component_is),
      cmocka_unit_test(fields_that_are_promised_must_be_there),
      cmocka_unit_test(a_type_that_is_none_is_refused),
      cmocka_unit_test(defaults_are_taken_strictly),
      cmocka_unit_test(a_nan_default_is_the_quiet_one),
      cmocka_unit_test(the_last_of_many_fields_is_checked_too),
      cmocka_unit_test(every_allocation_of_a_schema_may_fail),
      cmocka_unit_test(a_schema_is_one_block_of_the_size_it_says),
      cmocka_unit_test(a_schema_over_the_limit_of_bytes_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

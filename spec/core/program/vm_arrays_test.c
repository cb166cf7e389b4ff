/* vm_arrays_test.c: elements of arrays, by key.
 *
 * program_differential_test.c has random keys and arrays. Here are the edges.
 */
#include <math.h>

#include "ecs_array.h"
#include "test_case.h"
#include "program_fixture.h"

static ecs_Status run_with(const ecs_ProgramArray *arrays, uint32_t count) {
  const ecs_ProgramCall call = {.arrays = arrays, .array_count = count};
  return ecs_program_run(fixture.program, &call);
}

/* x becomes the element at x, and y whether there is one. */
static void look_at_x(void) {
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  make(
      "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"y\" f32 write\n"
      "array a0 number\nv0 = load f32 c0\nv1 = convert f64 v0\n"
      "v2 = at f32 a0 v1\nv3 = inside a0 v1\nstore c0 v2\n"
      "v4 = constant f32 1\nv5 = constant f32 0\nv6 = select f32 v3 v4 v5\n"
      "store c1 v6\n");
}

typedef struct Look {
  double key, element;
  bool inside;
} Look;

static void check_looks(const ecs_ProgramArray *array, const Look *looks,
                        uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    set(fixture.entities[k], fixture.p, 0, looks[k].key);
  must(run_with(array, 1));
  for (uint32_t k = 0; k < count; k++) {
    assert_true(get(fixture.entities[k], fixture.p, 0) == looks[k].element);
    assert_true(get(fixture.entities[k], fixture.p, 1) == looks[k].inside);
  }
}

TEST(keys_find_elements) {
  static const double elements[] = {10, 11, 12, 13};
  static const uint8_t present[] = {1, 1, 0, 255};
  static const Look looks[] = {
      {-2, 0, false},          {-1, 10, true},   {-0.0, 11, true},
      {0, 11, true},           {1, 12, false},   {2, 13, true},
      {3, 0, false},           {1.5, 0, false},  {-0.5, 0, false},
      {1e-40, 0, false},       {NAN, 0, false},  {HUGE_VAL, 0, false},
      {-HUGE_VAL, 0, false},   {1e30, 0, false}, {4294967295.0, 0, false},
      {4294967296.0, 0, false}};
  const uint32_t count = sizeof looks / sizeof *looks;
  const ecs_ProgramArray array = {elements, present, -1, 4, NULL};
  look_at_x();
  spawn(count, 0, 1);
  check_looks(&array, looks, count);
  finish();
}

/* Every key of a long array, and those beside its ends. */
TEST(arrays_have_bounds) {
  static double elements[ECS_ARRAY_LIMIT];
  static const int32_t firsts[] = {-20, 0, 1};
  const uint32_t count = MOST - 2 < ECS_ARRAY_LIMIT ? MOST - 2 : 30;
  for (uint32_t k = 0; k < count; k++) elements[k] = k + 100.0;
  for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
    const ecs_ProgramArray array = {elements, NULL, firsts[f], count, NULL};
    look_at_x();
    spawn(count + 2, 0, 1);
    for (uint32_t k = 0; k < count + 2; k++)
      set(fixture.entities[k], fixture.p, 0, (double)firsts[f] - 1 + k);
    must(run_with(&array, 1));
    for (uint32_t k = 0; k < count + 2; k++) {
      bool inside = k > 0 && k <= count;
      assert_true(get(fixture.entities[k], fixture.p, 1) == inside);
      assert_true(get(fixture.entities[k], fixture.p, 0) ==
                  (inside ? k + 99.0 : 0.0));
    }
    finish();
  }
}

/* Keys are shown where the run looks at every key of the text, and follows from
 * no element. */
TEST(keys_are_shown_where_all_are_looked_at) {
  static const struct {
    bool shown;
    const char *looks;
  } cases[] = {{true, "v2 = at f32 a0 v1\nv3 = inside a0 v1\nstore c0 v2\n"},
               {false, "v2 = at f32 a0 v1\nv3 = inside a0 v1\nstore c0 v0\n"},
               {false, "v2 = at f64 a0 v1\nv3 = at f32 a0 v2\nstore c0 v3\n"},
               {false,
                "v2 = add f64 v1 v1\nv3 = inside a0 v2\nv4 = at f32 a0 v1\n"
                "store c0 v4\n"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[400];
    start(ECS_STORE_TABLE, ECS_STORE_TABLE);
    const ecs_Term term = {fixture.p, ECS_WRITE};
    ask(&term, 1);
    snprintf(text, sizeof text,
             "column c0 \"P\" \"x\" f32 write\narray a0 number\n"
             "v0 = load f32 c0\nv1 = convert f64 v0\n%s",
             cases[k].looks);
    make(text);
    assert_int_equal(program_visits(fixture.program, 0, 0), cases[k].shown);
    finish();
  }
}

/* Notes which keys of two arrays are shown. */
typedef struct Shown {
  double keys[2][2 * MOST];
  uint32_t counts[2];
} Shown;

static void note_keys(void *user, uint32_t array, const double *keys,
                      uint32_t count) {
  Shown *shown = user;
  for (uint32_t i = 0; i < count && shown->counts[array] < 2 * MOST; i++)
    shown->keys[array][shown->counts[array]++] = keys[i];
}

/* An array's keys follow from elements of those before it, which a visit finds;
 * those behind are not looked at. */
TEST(keys_follow_from_arrays_before) {
  static const double elements[] = {30, 10, 20};
  const ecs_ProgramArray filled = {elements, NULL, 0, 3, NULL};
  ecs_ProgramCall call = {0};
  Shown shown = {.counts = {0, 0}};
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  make(
      "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"y\" f32 write\n"
      "array a0 number\narray a1 number\nv0 = load f32 c0\n"
      "v1 = convert f64 v0\nv2 = at f64 a0 v1\nv3 = add f64 v2 v1\n"
      "v4 = at f32 a1 v3\nstore c0 v4\nstore c1 v4\n");
  spawn(3, 0, 1);
  for (uint32_t k = 0; k < 3; k++) set(fixture.entities[k], fixture.p, 0, k);
  assert_true(program_visits(fixture.program, 0, 0));
  assert_false(program_visits(fixture.program, 1, 0));
  assert_true(program_visits(fixture.program, 1, 1));
  must(program_visit(fixture.program, &call, note_keys, &shown));
  assert_int_equal(shown.counts[0], 3);
  assert_int_equal(shown.counts[1], 0);
  call.arrays = &filled;
  call.array_count = 1;
  must(program_visit(fixture.program, &call, note_keys, &shown));
  assert_int_equal(shown.counts[0], 3);
  assert_int_equal(shown.counts[1], 3);
  for (uint32_t k = 0; k < 3; k++) {
    assert_true(shown.keys[0][k] == k);
    assert_true(shown.keys[1][k] == elements[k] + k);
    assert_true(get(fixture.entities[k], fixture.p, 0) == k);
  }
  finish();
}

/* Nor from look-ups of the array itself, or of those behind it. */
TEST(keys_follow_from_no_other_arrays) {
  static const char *const looks[] = {
      "v2 = at f64 a1 v1\nv3 = at f32 a1 v2\n",
      "v2 = at f64 a2 v1\nv3 = at f32 a1 v2\n",
      "v2 = at f64 a0 v1\nv3 = at f64 a1 v2\nv4 = at f32 a1 v3\n"};
  for (size_t k = 0; k < sizeof looks / sizeof *looks; k++) {
    char text[500];
    start(ECS_STORE_TABLE, ECS_STORE_TABLE);
    const ecs_Term term = {fixture.p, ECS_WRITE};
    ask(&term, 1);
    snprintf(text, sizeof text,
             "column c0 \"P\" \"x\" f32 write\narray a0 number\n"
             "array a1 number\narray a2 number\nv0 = load f32 c0\n"
             "v1 = convert f64 v0\n%sstore c0 v%d\n",
             looks[k], k == 2 ? 4 : 3);
    make(text);
    for (uint32_t filled = 0; filled <= 1; filled++)
      assert_false(program_visits(fixture.program, 1, filled));
    finish();
  }
}

TEST(wrong_arrays_are_refused) {
  static double elements[ECS_ARRAY_LIMIT + 1];
  const ecs_ProgramArray wrong[] = {{NULL, NULL, 0, 1, NULL},
                                    {elements, NULL, INT32_MAX, 2, NULL},
                                    {elements, NULL, INT32_MAX - 3, 5, NULL}};
  const ecs_ProgramArray last[] = {{elements, NULL, INT32_MAX, 1, NULL},
                                   {NULL, NULL, INT32_MAX, 0, NULL},
                                   {elements, NULL, INT32_MIN, 3, NULL},
                                   {elements, NULL, 1, ECS_ARRAY_LIMIT, NULL}};
  const ecs_ProgramArray large = {elements, NULL, 1, ECS_ARRAY_LIMIT + 1, NULL};
  look_at_x();
  spawn(3, 0, 1);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    assert_int_equal(run_with(&wrong[k], 1), ECS_E_ARGUMENT);
  assert_int_equal(run_with(&large, 1), ECS_E_LIMIT);
  assert_int_equal(run_with(NULL, 1), ECS_E_ARGUMENT);
  assert_int_equal(run_with(last, 0), ECS_E_ARGUMENT);
  assert_int_equal(run_with(last, 2), ECS_E_ARGUMENT);
  assert_true(get(fixture.entities[2], fixture.p, 0) == 2);
  for (size_t k = 0; k < sizeof last / sizeof *last; k++)
    must(run_with(&last[k], 1));
  finish();
}

/* Elements of each type are those of the array of the world as it is when the
 * program runs. */
TEST(arrays_of_the_world_are_read_in_place) {
  for (int type = 0; type < ECS_SCALAR_COUNT; type++) {
    if (type >= ECS_ENTITY) continue;
    const bool is_bool = type == ECS_BOOL;
    const char *name = ecs_scalar_name((ecs_Scalar)type);
    const ecs_ArrayDescription how = {name, (ecs_Scalar)type, 2, {3, 5, 0}};
    ecs_Array *array = NULL;
    char text[512];
    start(ECS_STORE_TABLE, ECS_STORE_TABLE);
    const ecs_Term term = {fixture.p, ECS_WRITE};
    ask(&term, 1);
    snprintf(text, sizeof text,
             "column c0 \"P\" \"x\" f32 write\n"
             "column c1 \"P\" \"y\" f32 write\n"
             "array a0 of %s\nv0 = load f32 c0\nv1 = convert f64 v0\n"
             "v2 = constant f32 1\nv3 = constant f32 0\n"
             "v4 = at %s a0 v1\n%sv6 = inside a0 v1\n"
             "v7 = select f32 v6 v2 v3\nstore c0 v5\nstore c1 v7\n",
             name, is_bool ? "bool" : "f64",
             is_bool ? "v5 = select f32 v4 v2 v3\n" : "v5 = convert f32 v4\n");
    make(text);
    must(ecs_array(fixture.world, &how, &array));
    for (size_t k = 0; k < 15; k++)
      ecs_scalar_convert((ecs_Scalar)type,
                         (char *)ecs_array_view(array)->elements +
                             k * ecs_scalar_bytes((ecs_Scalar)type),
                         is_bool ? (double)(k % 2) : (double)k - 3);
    spawn(17, 0, 1);
    for (uint32_t k = 0; k < 17; k++) set(fixture.entities[k], fixture.p, 0, k);
    const ecs_ProgramArray given = {.array = array};
    must(run_with(&given, 1));
    for (uint32_t k = 0; k < 17; k++) {
      bool inside = k >= 1 && k <= 15;
      double wanted = 0,
             low =
                 type == ECS_U8 || type == ECS_U16 || type == ECS_U32 ? 0 : -3;
      if (inside) wanted = is_bool ? (k - 1) % 2 : (double)k - 4;
      if (wanted < low) wanted = low;
      assert_true(get(fixture.entities[k], fixture.p, 0) == wanted);
      assert_true(get(fixture.entities[k], fixture.p, 1) == inside);
    }
    const uint32_t one[] = {1, 1};
    must(ecs_array_resize(array, one));
    must(ecs_array_fill(array, 1));
    set(fixture.entities[0], fixture.p, 0, 1);
    set(fixture.entities[1], fixture.p, 0, 2);
    must(run_with(&given, 1));
    assert_true(get(fixture.entities[0], fixture.p, 0) == 1);
    assert_true(get(fixture.entities[1], fixture.p, 1) == 0);
    finish();
  }
}

TEST(other_arrays_of_the_world_are_refused) {
  static const double elements[1];
  const ecs_ArrayDescription bytes = {"bytes", ECS_U8, 1, {4, 0, 0}};
  const ecs_ArrayDescription wide = {"wide", ECS_F64, 1, {4, 0, 0}};
  ecs_Array *right = NULL, *wrong = NULL, *foreign = NULL;
  ecs_World *other = NULL;
  look_at_x();
  must(ecs_world_create(NULL, &other));
  must(ecs_array(fixture.world, &wide, &right));
  must(ecs_array(fixture.world, &bytes, &wrong));
  must(ecs_array(other, &wide, &foreign));
  const ecs_ProgramArray plain = {elements, NULL, 1, 1, NULL};
  const ecs_ProgramArray placed = {.array = right};
  assert_int_equal(run_with(&placed, 1), ECS_E_ARGUMENT);
  must(run_with(&plain, 1));
  make(
      "column c0 \"P\" \"x\" f32 write\narray a0 of f64\n"
      "v0 = load f32 c0\nv1 = convert f64 v0\nv2 = at f32 a0 v1\n"
      "store c0 v2\n");
  const ecs_ProgramArray narrow = {.array = wrong}, far = {.array = foreign};
  assert_int_equal(run_with(&plain, 1), ECS_E_ARGUMENT);
  assert_int_equal(run_with(&narrow, 1), ECS_E_ARGUMENT);
  assert_int_equal(run_with(&far, 1), ECS_E_ARGUMENT);
  must(run_with(&placed, 1));
  ecs_world_destroy(other);
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_of_the_world_are_read_in_place),
      cmocka_unit_test(other_arrays_of_the_world_are_refused),
      cmocka_unit_test(keys_find_elements),
      cmocka_unit_test(arrays_have_bounds),
      cmocka_unit_test(keys_are_shown_where_all_are_looked_at),
      cmocka_unit_test(keys_follow_from_arrays_before),
      cmocka_unit_test(keys_follow_from_no_other_arrays),
      cmocka_unit_test(wrong_arrays_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* vm_loops_test.c: every loop of kernel programs, element by element.
 *
 * The library's own loops and those for each instruction set of the machine run
 * over special values, in all operations, types, forms and lengths. Results go
 * to other arrays and over operands. They are compared with
 * program_reference.h, so all loops give the same bits. Bytes after the last
 * element must not change.
 *
 * With ECS_TEST_SHORT in the environment, lengths from 18 to 70 are taken in
 * steps of 13: the others differ in the number of whole vectors alone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "test_case.h"
#include "loops_set.h"
#include "program_rig.h"

#define MOST_ROWS (2 * LOOP_ROWS + 1)
#define ROOM (MOST_ROWS + 16u)

/* Elements of one type, and the same as numbers. */
typedef struct Array {
  double numbers[ROOM];
  union {
    float f32[ROOM];
    double f64[ROOM];
    uint32_t truths[ROOM];
    uint64_t entities[ROOM];
    unsigned char bytes[ROOM * 8];
  } as;
} Array;

typedef struct Bench {
  LoopSet set;
  const char *name;
  Array a, b, c, out;
  uint32_t n;
} Bench;

static Bench bench;
static Random source = {7};

static void put_number(Array *array, ValueType type, uint32_t i, double x) {
  if (type == VALUE_F32) x = (double)(float)x;
  if (type == VALUE_BOOL) x = x > 0;
  if (type == VALUE_ENTITY) x = (double)(i * 7 + (x > 0));
  array->numbers[i] = x;
  switch (type) {
    case VALUE_F32: array->as.f32[i] = (float)x; break;
    case VALUE_F64: array->as.f64[i] = x; break;
    case VALUE_BOOL: array->as.truths[i] = x > 0; break;
    default: array->as.entities[i] = (uint64_t)x; break;
  }
}

static void fill(Array *array, ValueType type) {
  for (uint32_t i = 0; i < ROOM; i++)
    put_number(array, type, i, random_number(&source));
}

static double get_number(const Array *array, ValueType type, uint32_t i) {
  switch (type) {
    case VALUE_F32: return (double)array->as.f32[i];
    case VALUE_F64: return array->as.f64[i];
    case VALUE_BOOL: return array->as.truths[i];
    default: return (double)array->as.entities[i];
  }
}

static bool same(double x, double y) {
  return (x != x && y != y) || memcmp(&x, &y, sizeof x) == 0;
}

static double expected(Operation operation, ValueType type, double a, double b,
                       double c) {
  switch (operation) {
    case OPERATION_LESS: return a < b;
    case OPERATION_LESS_EQUAL: return a <= b;
    case OPERATION_EQUAL: return a == b;
    case OPERATION_AND: return a != 0 && b != 0;
    case OPERATION_OR: return a != 0 || b != 0;
    case OPERATION_NOT: return a == 0;
    case OPERATION_SELECT: return a != 0 ? b : c;
    case OPERATION_CONVERT: return type == VALUE_F32 ? (double)(float)a : a;
    default: break;
  }
  return operation_infos[operation].shape == SHAPE_UNARY
             ? reference_unary(operation, type, a)
             : reference_binary(operation, type, a, b);
}

/* The operand types of an operation, given its type. */
static void operand_types(Operation operation, ValueType type,
                          ValueType types[3]) {
  OperationShape shape = operation_infos[operation].shape;
  types[0] = types[1] = types[2] = type;
  if (shape == SHAPE_LOGIC || shape == SHAPE_NEGATION)
    types[0] = types[1] = VALUE_BOOL;
  if (shape == SHAPE_SELECT) types[0] = VALUE_BOOL;
  if (shape == SHAPE_CONVERT)
    types[0] = type == VALUE_F32 ? VALUE_F64 : VALUE_F32;
}

static ValueType result_type(Operation operation, ValueType type) {
  const Instruction ins = {.operation = (uint8_t)operation,
                           .type = (uint8_t)type};
  return instruction_result(&ins);
}

/* The element of operand k for element i of the result. */
static uint32_t element(Operation operation, LoopForm form, uint32_t k,
                        uint32_t i) {
  uint32_t last = operation == OPERATION_SELECT ? 2 : 1;
  if (form == FORM_SECOND && k == last) return 0;
  if (form == FORM_FIRST && k + 1 == last) return 0;
  return i;
}

static void check_operation(Operation operation, ValueType type, LoopForm form,
                            Loop loop) {
  ValueType types[3], result = result_type(operation, type);
  operand_types(operation, type, types);
  fill(&bench.a, types[0]);
  fill(&bench.b, types[1]);
  fill(&bench.c, types[2]);
  fill(&bench.out, result);
  Array before = bench.out;
  loop(&bench.out.as, &bench.a.as, &bench.b.as, &bench.c.as, bench.n);
  for (uint32_t i = 0; i < bench.n; i++) {
    double want = expected(operation, type,
                           bench.a.numbers[element(operation, form, 0, i)],
                           bench.b.numbers[element(operation, form, 1, i)],
                           bench.c.numbers[element(operation, form, 2, i)]);
    double have = get_number(&bench.out, result, i);
    if (!same(have, want))
      fail_msg("%s: %s %s, form %d, %u of %u: %a, not %a", bench.name,
               operation_infos[operation].name, value_type_name(type), form, i,
               bench.n, have, want);
  }
  size_t used = bench.n * value_bytes(result);
  assert_memory_equal(bench.out.as.bytes + used, before.as.bytes + used,
                      sizeof before.as - used);
  /* Over each operand that is an array of elements of the same size. */
  void *const operands[] = {&bench.a.as, &bench.b.as, &bench.c.as};
  for (uint32_t k = 0; k < 3 && bench.n > 0; k++) {
    Array kept[3] = {bench.a, bench.b, bench.c};
    if (value_bytes(types[k]) != value_bytes(result) ||
        element(operation, form, k, 1) == 0)
      continue;
    loop(operands[k], operands[0], operands[1], operands[2], bench.n);
    if (memcmp(operands[k], &bench.out.as, used) != 0)
      fail_msg("%s: %s %s, form %d, over operand %u", bench.name,
               operation_infos[operation].name, value_type_name(type), form, k);
    bench.a = kept[0];
    bench.b = kept[1];
    bench.c = kept[2];
  }
}

static void check_values(void) {
  for (int operation = 0; operation <= OPERATION_CONVERT; operation++)
    for (int type = 0; type < VALUE_TYPE_COUNT; type++)
      for (int form = 0; form < FORM_COUNT; form++) {
        OperationShape shape = operation_infos[operation].shape;
        bool truths = shape == SHAPE_LOGIC || shape == SHAPE_NEGATION;
        bool any = shape == SHAPE_EQUAL || shape == SHAPE_SELECT;
        if (type > VALUE_F64 && !any) continue;
        if (truths && type != VALUE_F64) continue;
        Loop loop =
            bench.set.of((Operation)operation, (ValueType)type, (LoopForm)form);
        if (form == FORM_ARRAYS) assert_non_null(loop);
        if (loop != NULL)
          check_operation((Operation)operation, (ValueType)type, (LoopForm)form,
                          loop);
      }
}

static void check_products(void) {
  for (int kind = 0; kind < PRODUCT_COUNT; kind++)
    for (int type = 0; type <= VALUE_F64; type++)
      for (int form = 0; form <= FORM_SECOND; form++) {
        ValueType of = (ValueType)type;
        fill(&bench.a, of);
        fill(&bench.b, of);
        fill(&bench.c, of);
        bench.set.product((ProductKind)kind, of, (LoopForm)form)(
            &bench.out.as, &bench.a.as, &bench.b.as, &bench.c.as, bench.n);
        for (uint32_t i = 0; i < bench.n; i++) {
          double product =
              reference_binary(OPERATION_TIMES, of, bench.a.numbers[i],
                               bench.b.numbers[form == FORM_SECOND ? 0 : i]);
          double c = bench.c.numbers[i];
          double want = kind == PRODUCT_PLUS
                            ? reference_binary(OPERATION_PLUS, of, product, c)
                        : kind == PRODUCT_MINUS
                            ? reference_binary(OPERATION_MINUS, of, product, c)
                            : reference_binary(OPERATION_MINUS, of, c, product);
          assert_true(same(get_number(&bench.out, of, i), want));
        }
      }
}

static double as_type(ValueType type, double x) {
  return type == VALUE_F32 ? (double)(float)x : x;
}

/* Fills a with numbers of which so much is known. */
static void fill_known(ecs_Scalar scalar, ValueType type, KnownNumbers known) {
  for (uint32_t i = 0; i < ROOM; i++) {
    double x = random_number(&source);
    if (known >= KNOWN_WHOLE) x = x == x && fabs(x) <= 0x1p53 ? trunc(x) : -0.0;
    if (known == KNOWN_FIT && x != 0) x = reference_stored(scalar, x);
    put_number(&bench.a, type, i, x);
  }
}

/* For one scalar type and one value type: quantize, store, and load what was
 * stored. */
static void check_column(ecs_Scalar scalar, ValueType type, KnownNumbers known,
                         bool loads) {
  static unsigned char column[ROOM * 8], before[ROOM * 8];
  uint32_t bytes = scalar_bytes(scalar), n = bench.n;
  for (int masked = 0; masked < 2; masked++) {
    fill_known(scalar, type, known);
    fill(&bench.b, VALUE_BOOL);
    memset(column, 0, sizeof column);
    memset(column + (size_t)n * bytes, 0x5a, sizeof column - n * bytes);
    memcpy(before, column, sizeof column);
    bench.set.store(scalar, type, masked, known)(column, &bench.a.as,
                                                 &bench.b.as, NULL, n);
    for (uint32_t i = 0; i < n; i++) {
      double want = type == VALUE_ENTITY || type == VALUE_BOOL
                        ? bench.a.numbers[i]
                        : reference_stored(scalar, bench.a.numbers[i]);
      if (masked && bench.b.numbers[i] == 0) want = 0;
      double have = ecs_scalar_load(scalar, column + (size_t)i * bytes);
      if (!same(have, want))
        fail_msg("%s: store %s, %u of %u: %a, not %a", bench.name,
                 ecs_scalar_name(scalar), i, n, have, want);
    }
    assert_memory_equal(column + (size_t)n * bytes, before + (size_t)n * bytes,
                        sizeof column - n * bytes);
  }
  if (!loads) return;
  bench.set.load(scalar, type)(&bench.out.as, column, NULL, NULL, n);
  for (uint32_t i = 0; i < n; i++)
    assert_true(same(get_number(&bench.out, type, i),
                     ecs_scalar_load(scalar, column + (size_t)i * bytes)));
}

static void check_quantize(ecs_Scalar scalar, ValueType type,
                           KnownNumbers known) {
  fill_known(scalar, type, known);
  bench.set.quantize(scalar, type, known)(&bench.out.as, &bench.a.as, NULL,
                                          NULL, bench.n);
  for (uint32_t i = 0; i < bench.n; i++) {
    double want = as_type(type, reference_stored(scalar, bench.a.numbers[i]));
    double have = get_number(&bench.out, type, i);
    if (!same(have, want))
      fail_msg("%s: quantize %s %s of %a: %a, not %a", bench.name,
               ecs_scalar_name(scalar), value_type_name(type),
               bench.a.numbers[i], have, want);
  }
}

static void check_columns(void) {
  for (int scalar = 0; scalar <= ECS_U32; scalar++)
    for (int type = 0; type <= VALUE_F64; type++)
      for (int known = 0; known < KNOWN_COUNT; known++) {
        if (known > KNOWN_NOTHING && type == VALUE_F32) continue;
        check_column((ecs_Scalar)scalar, (ValueType)type, (KnownNumbers)known,
                     scalar_loads_as((ecs_Scalar)scalar, (ValueType)type));
        check_quantize((ecs_Scalar)scalar, (ValueType)type,
                       (KnownNumbers)known);
      }
  check_column(ECS_BOOL, VALUE_BOOL, KNOWN_NOTHING, true);
  check_column(ECS_ENTITY, VALUE_ENTITY, KNOWN_NOTHING, true);
}

/* A native kernel may store any byte in a column of bools. */
static void check_odd_bools(void) {
  static const uint8_t column[] = {0, 1, 2, 255, 128};
  uint32_t out[5];
  bench.set.load(ECS_BOOL, VALUE_BOOL)(out, column, NULL, NULL, 5);
  for (int k = 0; k < 5; k++) assert_int_equal(out[k], column[k] != 0);
}

static void check_fill(ValueType type) {
  fill(&bench.a, type);
  bench.set.fill(type)(&bench.out.as, &bench.a.as, NULL, NULL, bench.n);
  for (uint32_t i = 0; i < bench.n; i++)
    assert_true(same(get_number(&bench.out, type, i), bench.a.numbers[0]));
}

static uint64_t reference_mix(uint64_t x) {
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

static double reference_random(uint64_t key, uint64_t entity, uint64_t count) {
  uint64_t bits = reference_mix(reference_mix(key ^ entity) ^ count);
  return (double)(bits >> 11) * 0x1p-53;
}

/* Counts of draws may be any numbers. Those that are none, or out of range, are
 * 0; the others lose their fraction. */
static void check_random(void) {
  const uint64_t key = random_bits(&source);
  fill(&bench.a, VALUE_F64);
  for (uint32_t i = 0; i < ROOM; i++)
    bench.b.as.entities[i] = random_bits(&source) >> random_below(&source, 64);
  bench.set.random()(&bench.out.as, &bench.a.as, &bench.b.as, &key, bench.n);
  for (uint32_t i = 0; i < bench.n; i++) {
    double draws = bench.a.numbers[i];
    uint64_t count = draws >= 0.0 && draws < 0x1p53 ? (uint64_t)draws : 0;
    double want = reference_random(key, bench.b.as.entities[i], count);
    assert_true(same(bench.out.as.f64[i], want));
    assert_true(same(ecs_random(key, bench.b.as.entities[i], draws), want));
  }
}

static double joined(int kind, double x, double y) {
  if (kind == REDUCTION_SUM) return x + y;
  if (kind == REDUCTION_LEAST) return y < x ? y : x;
  return y > x ? y : x;
}

static void check_reduce(int kind, bool masked) {
  double lanes[REDUCTION_LANES], want[REDUCTION_LANES];
  uint32_t n = bench.n / REDUCTION_LANES * REDUCTION_LANES;
  fill(&bench.a, VALUE_F64);
  fill(&bench.b, VALUE_BOOL);
  for (uint32_t k = 0; k < REDUCTION_LANES; k++)
    lanes[k] = want[k] = random_number(&source);
  for (uint32_t i = 0; i < n; i++) {
    double *lane = &want[i % REDUCTION_LANES];
    if (!masked || bench.b.numbers[i] > 0)
      *lane = joined(kind, *lane, bench.a.numbers[i]);
  }
  bench.set.reduce((ReductionKind)kind, masked)(lanes, &bench.a.as, &bench.b.as,
                                                NULL, n);
  for (uint32_t k = 0; k < REDUCTION_LANES; k++)
    assert_true(same(lanes[k], want[k]));
}

/* Three arrays, the second one with a mask. */
static void check_reduce_many(int kind) {
  double lanes[REDUCTION_LANES], want[REDUCTION_LANES];
  uint32_t n = bench.n / REDUCTION_LANES * REDUCTION_LANES;
  fill(&bench.a, VALUE_F64);
  fill(&bench.b, VALUE_F64);
  fill(&bench.c, VALUE_BOOL);
  const double *const values[] = {bench.a.as.f64, bench.b.as.f64,
                                  bench.a.as.f64};
  const uint32_t *const masks[] = {NULL, bench.c.as.truths, NULL};
  for (uint32_t k = 0; k < REDUCTION_LANES; k++)
    lanes[k] = want[k] = random_number(&source);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t s = 0; s < 3; s++) {
      double *lane = &want[i % REDUCTION_LANES];
      if (s != 1 || bench.c.numbers[i] > 0)
        *lane = joined(kind, *lane, values[s][i]);
    }
  bench.set.reduce_many((ReductionKind)kind)(lanes, values, masks, 3, n);
  for (uint32_t k = 0; k < REDUCTION_LANES; k++)
    assert_true(same(lanes[k], want[k]));
}

static void check_set(LoopSet set, const char *name) {
  bool is_short = getenv("ECS_TEST_SHORT") != NULL;
  bench.set = set;
  bench.name = name;
  check_odd_bools();
  static const uint32_t ends[] = {LOOP_ROWS - 1, LOOP_ROWS, LOOP_ROWS + 1,
                                  MOST_ROWS};
  for (uint32_t k = 0; k <= 70 + sizeof ends / sizeof *ends; k++) {
    uint32_t n = k <= 70 ? k : ends[k - 71];
    if (is_short && n >= 18 && n <= 70 && n % 13 != 5) continue;
    bench.n = n;
    check_values();
    check_products();
    check_columns();
    check_random();
    for (int kind = REDUCTION_SUM; kind <= REDUCTION_GREATEST; kind++)
      check_reduce_many(kind);
    for (int type = 0; type < VALUE_TYPE_COUNT; type++)
      check_fill((ValueType)type);
    for (int kind = REDUCTION_SUM; kind <= REDUCTION_GREATEST; kind++)
      for (int masked = 0; masked < 2; masked++) check_reduce(kind, masked);
  }
}

TEST(the_library_loops) {
  const LoopSet set = {loop_of,          loop_product,  loop_load,
                       loop_store,       loop_quantize, loop_reduce,
                       loop_reduce_many, loop_random,   loop_fill};
  print_message("the library runs on %s\n", loop_instruction_set());
  check_set(set, "library");
}

TEST(the_baseline_loops) { check_set(loops_baseline_set(), "baseline"); }

TEST(avx2_loops) {
#if LOOPS_HAVE_TARGETS
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    check_set(loops_v3_set(), "v3");
    return;
  }
#endif
  skip();
}

TEST(avx512_loops) {
#if LOOPS_HAVE_TARGETS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd")) {
    check_set(loops_v4_set(), "v4");
    return;
  }
#endif
  skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_library_loops), cmocka_unit_test(the_baseline_loops),
      cmocka_unit_test(avx2_loops), cmocka_unit_test(avx512_loops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* vm_whole_loops_test.c: every loop over whole numbers, element by element.
 *
 * The library's own loops and those for each instruction set of the machine run
 * over numbers at the limits of all types, in all operations, forms and lengths
 * up to some vectors, also over their operands. They are compared with sums of
 * 64 bits, which are then cut. Bytes after the last element must not change.
 */
#include "test_case.h"
#include "loops_set.h"
#include "program_rig.h"

#define MOST 70u
#define ROOM (MOST + 16u)

static WholeLoopSet set;
static ValueType type; /* of the numbers */
static const char *name;
static Random source = {11};
static int32_t a[ROOM], b[ROOM], c[ROOM], out[ROOM];
static uint32_t mask[ROOM];

static int32_t any_whole(void) {
  static const int32_t limits[] = {0,     0,       127,       -128,
                                   255,   32767,   -32768,    65535,
                                   65536, 1 << 24, INT32_MAX, INT32_MIN};
  uint32_t kind = random_below(&source, 10);
  if (kind == 0) return (int32_t)(uint32_t)random_bits(&source);
  uint32_t k = random_below(&source, sizeof limits / sizeof *limits);
  uint32_t near = random_below(&source, 5) - 2u;
  return (int32_t)((uint32_t)limits[k] + (kind < 6 ? near : 0));
}

static void fill(void) {
  for (uint32_t i = 0; i < ROOM; i++) {
    a[i] = any_whole();
    b[i] = any_whole();
    c[i] = any_whole();
    mask[i] = random_below(&source, 2);
    out[i] = 0x5a5a5a5a;
  }
}

/* The number that 32 bits are. */
static int64_t number_of(int32_t bits) {
  return type == VALUE_NATURAL ? (int64_t)(uint32_t)bits : bits;
}

static ecs_Scalar widest(void) {
  return type == VALUE_NATURAL ? ECS_U32 : ECS_I32;
}

static int64_t cut(int64_t x, ecs_Scalar scalar) {
  static const int64_t least[] = {[ECS_I8] = INT8_MIN,
                                  [ECS_I16] = INT16_MIN,
                                  [ECS_I32] = INT32_MIN,
                                  [ECS_U32] = 0};
  static const int64_t most[] = {
      [ECS_I8] = INT8_MAX,    [ECS_U8] = UINT8_MAX,  [ECS_I16] = INT16_MAX,
      [ECS_U16] = UINT16_MAX, [ECS_I32] = INT32_MAX, [ECS_U32] = UINT32_MAX};
  return x < least[scalar]  ? least[scalar]
         : x > most[scalar] ? most[scalar]
                            : x;
}

/* x and y are the first two numbers; of a select, those between which the
 * mask chooses. */
static int64_t expected(const Instruction *ins, int64_t x, int64_t y,
                        bool truth) {
  switch (ins->operation) {
    case OPERATION_NEGATE: return -x;
    case OPERATION_ABSOLUTE: return x < 0 ? -x : x;
    case OPERATION_PLUS: return x + y;
    case OPERATION_MINUS: return x - y;
    case OPERATION_TIMES: return (int64_t)((uint64_t)x * (uint64_t)y);
    case OPERATION_MINIMUM: return y < x ? y : x;
    case OPERATION_MAXIMUM: return x < y ? y : x;
    case OPERATION_MODULO: return y < 1 ? 0 : x % y + (x % y < 0 ? y : 0);
    case OPERATION_LESS: return x < y;
    case OPERATION_LESS_EQUAL: return x <= y;
    case OPERATION_EQUAL: return x == y;
    default: return truth ? x : y;
  }
}

/* Small limits follow a sum that is one of 32 bits. */
static bool is_tested(const Instruction *ins, int64_t x, int64_t y) {
  bool small =
      ins->scalar != 0 && ins->scalar != ECS_I32 && ins->scalar != ECS_U32;
  int64_t sum = ins->operation == OPERATION_PLUS ? x + y : x - y;
  if (ins->operation == OPERATION_MODULO) return y >= 1 && y <= 1 << 30;
  return !small || cut(sum, ECS_I32) == sum;
}

static int64_t limited(const Instruction *ins, int64_t x) {
  if (ins->scalar != 0) x = cut(x, (ecs_Scalar)ins->scalar);
  return (int32_t)(uint32_t)(uint64_t)x; /* otherwise it wraps around */
}

static void check_operation(Operation operation, uint8_t scalar, LoopForm form,
                            uint32_t n) {
  const Instruction ins = {
      .operation = (uint8_t)operation, .type = (uint8_t)type, .scalar = scalar};
  bool selects = operation == OPERATION_SELECT;
  const int32_t *first = selects ? b : a, *second = selects ? c : b;
  Loop loop = set.formed(&ins, form);
  if (form == FORM_ARRAYS) assert_non_null(loop);
  if (loop == NULL) return;
  fill();
  if (selects)
    loop(out, mask, b, c, n);
  else
    loop(out, a, b, c, n);
  for (uint32_t i = 0; i < n; i++) {
    int64_t x = number_of(first[form == FORM_FIRST ? 0 : i]);
    int64_t y = number_of(second[form == FORM_SECOND ? 0 : i]);
    int64_t want = limited(&ins, expected(&ins, x, y, mask[i] != 0));
    if (is_tested(&ins, x, y) && out[i] != want)
      fail_msg("%s: %s %u, form %d, %lld and %lld: %d, not %lld", name,
               operation_infos[operation].name, scalar, form, (long long)x,
               (long long)y, out[i], (long long)want);
  }
  assert_int_equal(out[n], 0x5a5a5a5a);
  if (selects || form == FORM_FIRST) return;
  loop(a, a, b, c, n);
  assert_memory_equal(a, out, n * sizeof *a);
}

static void check_operations(uint32_t n) {
  static const Operation operations[] = {
      OPERATION_NEGATE,  OPERATION_ABSOLUTE, OPERATION_PLUS,
      OPERATION_MINUS,   OPERATION_TIMES,    OPERATION_MINIMUM,
      OPERATION_MAXIMUM, OPERATION_LESS,     OPERATION_LESS_EQUAL,
      OPERATION_EQUAL,   OPERATION_SELECT,   OPERATION_MODULO};
  for (uint32_t k = 0; k < sizeof operations / sizeof *operations; k++)
    for (int form = 0; form < FORM_COUNT; form++)
      check_operation(operations[k], 0, (LoopForm)form, n);
  if (type == VALUE_NATURAL)
    for (int form = 0; form < FORM_COUNT; form++) {
      check_operation(OPERATION_PLUS, ECS_U32, (LoopForm)form, n);
      check_operation(OPERATION_MINUS, ECS_U32, (LoopForm)form, n);
    }
  for (int scalar = ECS_I8; type == VALUE_WHOLE && scalar <= ECS_I32; scalar++)
    for (int form = 0; form < FORM_COUNT; form++) {
      check_operation(OPERATION_PLUS, (uint8_t)scalar, (LoopForm)form, n);
      check_operation(OPERATION_MINUS, (uint8_t)scalar, (LoopForm)form, n);
    }
}

/* What a column reads after a number was stored there. */
static double stored(ecs_Scalar scalar, int32_t bits) {
  int64_t x = number_of(bits);
  if (scalar == ECS_F64) return (double)x;
  return scalar == ECS_F32 ? (double)(float)x : (double)cut(x, scalar);
}

static void check_store(ecs_Scalar scalar, bool masked, bool fits, uint32_t n) {
  static unsigned char column[ROOM * 8];
  uint32_t bytes = scalar_bytes(scalar);
  fill();
  for (uint32_t i = 0; i < ROOM && fits && !scalar_is_float(scalar); i++)
    a[i] = (int32_t)cut(number_of(a[i]), scalar);
  memset(column, 0x5a, sizeof column);
  double old = ecs_scalar_load(scalar, column);
  set.store(scalar, type, masked, fits)(column, a, mask, NULL, n);
  for (uint32_t i = 0; i < ROOM; i++) {
    bool kept = i >= n || (masked && mask[i] == 0);
    double want = kept ? old : stored(scalar, a[i]);
    double have = ecs_scalar_load(scalar, column + (size_t)i * bytes);
    if (have != want)
      fail_msg("%s: store %s of %d, masked %d, fits %d: %g, not %g", name,
               ecs_scalar_name(scalar), a[i], masked, fits, have, want);
  }
}

static void check_load(ecs_Scalar scalar, uint32_t n) {
  static unsigned char column[ROOM * 8];
  fill();
  set.store(scalar, type, false, false)(column, a, NULL, NULL, ROOM);
  set.load(scalar)(out, column, NULL, NULL, n);
  for (uint32_t i = 0; i < n; i++)
    assert_int_equal(number_of(out[i]), (int64_t)stored(scalar, a[i]));
  assert_int_equal(out[n], 0x5a5a5a5a);
}

static void check_quantize(ecs_Scalar scalar, uint32_t n) {
  fill();
  set.quantize(scalar, type)(out, a, NULL, NULL, n);
  for (uint32_t i = 0; i < n; i++)
    assert_int_equal(number_of(out[i]),
                     cut(cut(number_of(a[i]), scalar), widest()));
  assert_int_equal(out[n], 0x5a5a5a5a);
}

/* There and back. -0 becomes 0. */
static void check_converts(uint32_t n) {
  static float narrow[ROOM];
  static double wide[ROOM];
  fill();
  for (uint32_t i = 0; i < ROOM; i++) c[i] = (int32_t)(number_of(a[i]) / 256);
  set.convert(VALUE_F64, type)(wide, a, NULL, NULL, n);
  set.convert(VALUE_F32, type)(narrow, c, NULL, NULL, n);
  for (uint32_t i = 0; i < n; i++) {
    assert_true(wide[i] == (double)number_of(a[i]) &&
                narrow[i] == (float)number_of(c[i]));
    if (wide[i] == 0) wide[i] = -0.0;
    if (narrow[i] == 0) narrow[i] = -0.0f;
  }
  set.convert(type, VALUE_F64)(out, wide, NULL, NULL, n);
  assert_memory_equal(out, a, n * sizeof *out);
  set.convert(type, VALUE_F32)(out, narrow, NULL, NULL, n);
  assert_memory_equal(out, c, n * sizeof *out);
}

/* Numbers of rows that nothing needs may be any. */
static void check_any_numbers(void) {
  static const double numbers[] = {1e300, -1e300, 0x1p40, 0.5, 0.0 / 0.0};
  set.convert(type, VALUE_F64)(out, numbers, NULL, NULL, 5);
}

static void check_type(ValueType some) {
  type = some;
  check_any_numbers();
  for (uint32_t n = 0; n <= MOST; n++) {
    check_operations(n);
    for (int scalar = 0; scalar <= ECS_U32; scalar++)
      for (int k = 0; k < 4; k++)
        check_store((ecs_Scalar)scalar, k % 2 == 0, k > 1, n);
    for (int scalar = ECS_I8; scalar <= ECS_U32; scalar++) {
      if (cut(-1, (ecs_Scalar)scalar) == 0
              ? type == VALUE_NATURAL || scalar != ECS_U32
              : type == VALUE_WHOLE)
        check_load((ecs_Scalar)scalar, n);
      check_quantize((ecs_Scalar)scalar, n);
    }
    check_converts(n);
  }
}

static void check_set(WholeLoopSet some, const char *what) {
  set = some;
  name = what;
  check_type(VALUE_WHOLE);
  check_type(VALUE_NATURAL);
}

TEST(the_library_loops) {
  const WholeLoopSet library = {whole_formed, whole_load, whole_store,
                                whole_quantize, whole_convert};
  check_set(library, "library");
}

TEST(the_baseline_loops) { check_set(loops_baseline_whole_set(), "baseline"); }

TEST(avx2_loops) {
#if LOOPS_HAVE_TARGETS
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    check_set(loops_v3_whole_set(), "v3");
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
    check_set(loops_v4_whole_set(), "v4");
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

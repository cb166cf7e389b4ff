/* value.c: the value of a field, computed without the core. */
#include "value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Scalars ----------------------------------------------------------------- */

uint32_t oracle_scalar_bytes(ecs_Scalar type) {
  switch (type) {
    case ECS_F64:
    case ECS_ENTITY: return 8;
    case ECS_F32:
    case ECS_I32:
    case ECS_U32: return 4;
    case ECS_I16:
    case ECS_U16: return 2;
    default: return 1;
  }
}

static bool fit_integer(double value, double lowest, double highest) {
  return value >= lowest && value <= highest && value == floor(value);
}

bool oracle_fit(ecs_Scalar type, double value, double *stored) {
  *stored = value;
  switch (type) {
    case ECS_F64: return true;
    case ECS_F32:
      *stored = (double)(float)value;
      return !(isinf(*stored) && !isinf(value));
    case ECS_I8: return fit_integer(value, -128, 127);
    case ECS_U8: return fit_integer(value, 0, 255);
    case ECS_I16: return fit_integer(value, -32768, 32767);
    case ECS_U16: return fit_integer(value, 0, 65535);
    case ECS_I32: return fit_integer(value, -2147483648.0, 2147483647.0);
    case ECS_U32: return fit_integer(value, 0, 4294967295.0);
    case ECS_BOOL: return value == 0 || value == 1;
    default: return fit_integer(value, 0, 4503599627370495.0);
  }
}

bool oracle_equal(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return memcmp(&a, &b, sizeof a) == 0;
}

#define LOAD_CASE(tag, type)             \
  case tag: {                            \
    type value;                          \
    memcpy(&value, place, sizeof value); \
    return (double)value;                \
  }

double oracle_load(ecs_Scalar scalar, const void *place) {
  switch (scalar) {
    LOAD_CASE(ECS_F32, float)
    LOAD_CASE(ECS_F64, double)
    LOAD_CASE(ECS_I8, int8_t)
    LOAD_CASE(ECS_U8, uint8_t)
    LOAD_CASE(ECS_I16, int16_t)
    LOAD_CASE(ECS_U16, uint16_t)
    LOAD_CASE(ECS_I32, int32_t)
    LOAD_CASE(ECS_U32, uint32_t)
    LOAD_CASE(ECS_BOOL, uint8_t)
    LOAD_CASE(ECS_ENTITY, uint64_t)
    default: abort();
  }
}

#define STORE_CASE(tag, type)                \
  case tag: {                                \
    type element = (type)value;              \
    memcpy(place, &element, sizeof element); \
    return;                                  \
  }

void oracle_store(ecs_Scalar scalar, void *place, double value) {
  switch (scalar) {
    STORE_CASE(ECS_F32, float)
    STORE_CASE(ECS_F64, double)
    STORE_CASE(ECS_I8, int8_t)
    STORE_CASE(ECS_U8, uint8_t)
    STORE_CASE(ECS_I16, int16_t)
    STORE_CASE(ECS_U16, uint16_t)
    STORE_CASE(ECS_I32, int32_t)
    STORE_CASE(ECS_U32, uint32_t)
    STORE_CASE(ECS_BOOL, uint8_t)
    STORE_CASE(ECS_ENTITY, uint64_t)
    default: abort();
  }
}

void oracle_image(const OracleComponent *component, const double *values,
                  void *image) {
  memset(image, 0, component->image_bytes);
  for (uint32_t f = 0; f < component->field_count; f++) {
    oracle_store(component->types[f],
                 (unsigned char *)image + component->offsets[f], values[f]);
  }
}

bool oracle_image_equals(const OracleComponent *component, const double *values,
                         const void *image) {
  for (uint32_t f = 0; f < component->field_count; f++) {
    const void *place = (const unsigned char *)image + component->offsets[f];
    if (!oracle_equal(oracle_load(component->types[f], place), values[f]))
      return false;
  }
  return true;
}

/* Each field at its natural alignment, the whole a multiple of the largest:
 * what a C compiler would do. */
OracleComponent value_component(const ecs_Field *fields, uint32_t field_count) {
  OracleComponent component = {.field_count = field_count};
  uint32_t place = 0, widest = 1;
  for (uint32_t f = 0; f < field_count; f++) {
    const uint32_t bytes = oracle_scalar_bytes(fields[f].type);
    while (place % bytes != 0) place++;
    component.types[f] = fields[f].type;
    component.defaults[f] = fields[f].default_value;
    component.offsets[f] = place;
    place += bytes;
    if (bytes > widest) widest = bytes;
  }
  while (place % widest != 0) place++;
  component.image_bytes = place;
  return component;
}

/* Random ones ------------------------------------------------------------- */

static double random_float(Random *random, ecs_Scalar type) {
  const double special[] = {
      (double)NAN, (double)INFINITY, -(double)INFINITY, -0.0,
      0.0,         3.0e38,           1.0e-40,           -1.0e300};
  double value = ((double)random_below(random, 4000) - 2000) / 8;
  if (random_below(random, 4) == 0) value = special[random_below(random, 8)];
  if (!oracle_fit(type, value, &value)) value = 1;
  return value;
}

static double random_integer(Random *random, double lowest, double highest) {
  switch (random_below(random, 5)) {
    case 0: return lowest;
    case 1: return highest;
    case 2: return 0;
    default:
      return lowest +
             (double)(random_next(random) % ((uint64_t)(highest - lowest) + 1));
  }
}

double random_value(Random *random, ecs_Scalar type) {
  static const double range[ECS_SCALAR_COUNT][2] = {
      {0, 0},
      {0, 0},
      {-128, 127},
      {0, 255},
      {-32768, 32767},
      {0, 65535},
      {-2147483648.0, 2147483647.0},
      {0, 4294967295.0},
      {0, 1},
      {0, 4503599627370495.0}};
  if (type == ECS_F32 || type == ECS_F64) return random_float(random, type);
  return random_integer(random, range[type][0], range[type][1]);
}

/* Other bits for the same value, which only a careless reader would keep. */
static void spoil(ecs_Scalar type, double value, void *place) {
  const uint32_t odd_float = 0xffec5555u;
  const uint64_t odd_double = UINT64_C(0xfff8000012345678);
  const uint64_t no_handle = UINT64_C(1) << 60;
  if (type == ECS_F32 && isnan(value)) memcpy(place, &odd_float, 4);
  if (type == ECS_F64 && isnan(value)) memcpy(place, &odd_double, 8);
  if (type == ECS_ENTITY && value == 0) memcpy(place, &no_handle, 8);
  if (type == ECS_BOOL && value == 1) memset(place, 0x82, 1);
}

void random_image(const OracleComponent *schema, Random *random, double *values,
                  void *image) {
  for (uint32_t f = 0; f < schema->field_count; f++)
    values[f] = random_value(random, schema->types[f]);
  oracle_image(schema, values, image);
  for (uint32_t f = 0; f < schema->field_count; f++) {
    if (random_below(random, 3) == 0)
      spoil(schema->types[f], values[f],
            (unsigned char *)image + schema->offsets[f]);
  }
}

bool is_canonical(const OracleComponent *schema, const void *image) {
  for (uint32_t f = 0; f < schema->field_count; f++) {
    const unsigned char *place =
        (const unsigned char *)image + schema->offsets[f];
    uint32_t narrow;
    uint64_t wide;
    memcpy(&narrow, place, schema->types[f] == ECS_F32 ? 4 : 0);
    memcpy(&wide, place, schema->types[f] == ECS_F64 ? 8 : 0);
    const double value = oracle_load(schema->types[f], place);
    if (schema->types[f] == ECS_BOOL && *place > 1) return false;
    if (!isnan(value)) continue;
    if (schema->types[f] == ECS_F32 && narrow != 0x7fc00000u) return false;
    if (schema->types[f] == ECS_F64 && wide != UINT64_C(0x7ff8000000000000))
      return false;
  }
  return true;
}

/* value.h: the value of a field, computed without the core.
 *
 * A value is a double, which holds every scalar type exactly; an image is the
 * C struct that ecs.h describes. Random values prefer the ends of their type,
 * NaNs, infinities and zeros of both signs.
 *
 *      values  | 1.5 | -3 |       image  | f32 1.5 | i16 -3 | - |
 */
#ifndef ECS_SPEC_VALUE_H
#define ECS_SPEC_VALUE_H

#include "ecs.h"
#include "program.h"

#define ORACLE_FIELDS 10u
#define ORACLE_IMAGE_BYTES 128u

typedef struct OracleComponent {
  uint32_t field_count; /* 0: a tag */
  ecs_Scalar types[ORACLE_FIELDS];
  double defaults[ORACLE_FIELDS];
  uint32_t offsets[ORACLE_FIELDS]; /* in the image */
  uint32_t image_bytes;
} OracleComponent;

/* A schema's component: each field at its natural alignment. */
OracleComponent value_component(const ecs_Field *fields, uint32_t field_count);

/* What a field of this type holds after value was stored in it strictly;
 * false when it must be refused. */
bool oracle_fit(ecs_Scalar type, double value, double *stored);
bool oracle_equal(double a, double b); /* bit for bit; any NaN is any NaN */

/* One element of a column or an image, read and written by its type. */
double oracle_load(ecs_Scalar type, const void *place);
void oracle_store(ecs_Scalar type, void *place, double value);
uint32_t oracle_scalar_bytes(ecs_Scalar type);

/* A whole component, between the doubles and the image. */
void oracle_image(const OracleComponent *component, const double *values,
                  void *image);
bool oracle_image_equals(const OracleComponent *component, const double *values,
                         const void *image);

/* Random ones -------------------------------------------------------------- */

/* A value that the type can hold, as it is stored. */
double random_value(Random *random, ecs_Scalar type);

/* Values of a component and their image, in which NaNs may have payloads and
 * true may be any byte: the world must not care. */
void random_image(const OracleComponent *schema, Random *random, double *values,
                  void *image);

/* Are its NaNs the one quiet NaN, its bools 0 or 1? */
bool is_canonical(const OracleComponent *schema, const void *image);

#endif

/* elementary.c: the functions that programs outside the core call. */
#define ECS_DEFINES_API /* ecs.h */

/* A rock cannot have compiler flags per file, so this file sets its own:
 * nothing here may become a fused multiply-add. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#include "math/elementary.h"

#include "ecs.h"

double ecs_sin(double x) { return elementary_quarter_sin_any(x, 0); }

double ecs_cos(double x) { return elementary_quarter_sin_any(x, 1); }

double ecs_exp(double x) { return elementary_exp(x); }

double ecs_log(double x) { return elementary_log(x); }

/* Whether y is whole and odd counts for a negative x alone. */
double ecs_pow(double x, double y) {
  return x > 0.0 ? elementary_pow_edge(x, y, elementary_pow_of_size(x, y))
                 : elementary_pow(x, y);
}

double ecs_atan2(double y, double x) { return elementary_atan2(y, x); }

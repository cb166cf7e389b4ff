/* elementary_atan.h: atan2.
 *
 *      t = smaller / larger in 0..1, against the nearest of 0, 1/2, 1
 */
#ifndef ECS_ELEMENTARY_ATAN_H
#define ECS_ELEMENTARY_ATAN_H

#include <math.h>

/* The arc tangent of t, for t in 0..1. */
static inline double elementary_atan(double t) {
  double nearest = t < 0.25 ? 0.0 : t < 0.75 ? 0.5 : 1.0;
  double base = t < 0.25   ? 0.0
                : t < 0.75 ? 0x1.dac670561bb4fp-2
                           : 0x1.921fb54442d18p-1;
  double low = t < 0.25   ? 0.0
               : t < 0.75 ? 0x1.a2b7f222f65e2p-56
                          : 0x1.1a62633145c07p-55;
  double u = (t - nearest) / (1.0 + nearest * t), z = u * u;
  double r = 1.0 / 27.0;
  r = 1.0 / 25.0 - r * z;
  r = 1.0 / 23.0 - r * z;
  r = 1.0 / 21.0 - r * z;
  r = 1.0 / 19.0 - r * z;
  r = 1.0 / 17.0 - r * z;
  r = 1.0 / 15.0 - r * z;
  r = 1.0 / 13.0 - r * z;
  r = 1.0 / 11.0 - r * z;
  r = 1.0 / 9.0 - r * z;
  r = 1.0 / 7.0 - r * z;
  r = 1.0 / 5.0 - r * z;
  r = 1.0 / 3.0 - r * z;
  return base + (u + (low - u * z * r));
}

/* The angle of the point (x, y), from -pi to pi. */
static inline double elementary_atan2(double y, double x) {
  double rise = fabs(y), run = fabs(x);
  double larger = rise > run ? rise : run;
  double smaller = rise > run ? run : rise;
  double t = larger == 0.0 ? 0.0 : smaller / larger;
  t = smaller == INFINITY ? 1.0 : t;
  double a = elementary_atan(t);
  a = rise > run ? 0x1.921fb54442d18p+0 - (a - 0x1.1a62633145c07p-54) : a;
  a = copysign(1.0, x) < 0.0
          ? 0x1.921fb54442d18p+1 - (a - 0x1.1a62633145c07p-53)
          : a;
  return x != x || y != y ? NAN : copysign(a, y);
}

#endif

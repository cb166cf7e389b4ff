/* program_random.c: random numbers for programs, rigs and their rows. */
#include <math.h>

#include "program_rig.h"

uint64_t random_bits(Random *random) {
  uint64_t x = random->state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

uint32_t random_below(Random *random, uint32_t below) {
  return (uint32_t)((random_bits(random) >> 32) * below >> 32);
}

bool random_chance(Random *random, uint32_t percent) {
  return random_below(random, 100) < percent;
}

double random_number(Random *random) {
  static const double special[] = {0.0,
                                   -0.0,
                                   1.0,
                                   -1.0,
                                   0.5,
                                   -0.5,
                                   2.0,
                                   3.0,
                                   -7.0,
                                   0.1,
                                   1e-310,
                                   -1e-42,
                                   0x1p-126,
                                   0x1p-149,
                                   0x1.fffffep127,
                                   0x1.ffffffp127,
                                   1e300,
                                   -1e300,
                                   HUGE_VAL,
                                   -HUGE_VAL,
                                   NAN,
                                   127.0,
                                   127.5,
                                   128.0,
                                   -128.9,
                                   255.0,
                                   256.0,
                                   32767.0,
                                   65535.9,
                                   -32769.0,
                                   2147483647.0,
                                   2147483648.0,
                                   -2147483649.0,
                                   4294967295.0,
                                   4294967296.0,
                                   16777217.0,
                                   9007199254740993.0,
                                   0x1p20,
                                   0x1p70,
                                   1.5707963267948966,
                                   -3.0,
                                   100.25};
  uint32_t kind = random_below(random, 10);
  if (kind < 4)
    return special[random_below(random, sizeof special / sizeof *special)];
  if (kind < 6) return (double)random_below(random, 21) - 10.0;
  double unit = (double)(random_bits(random) >> 11) * 0x1p-53 - 0.5;
  return ldexp(unit, (int)random_below(random, kind < 9 ? 12 : 80));
}

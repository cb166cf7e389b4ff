/* random.c: random numbers for rows, the same on every machine.
 *
 * There is no state: a number is a hash of the run (the key), the row's entity,
 * and how many numbers the row has drawn before. So the order of rows, threads
 * and blocks does not matter, and a run can be repeated.
 *
 * The mixer is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA
 * 2014), once for each part.
 */
#include "ecs.h"
#include "base/invariant.h"
#include "base/misuse.h"

static uint64_t mix(uint64_t x) {
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

uint64_t ecs_random_key(uint64_t seed, const char *name, uint64_t tick) {
  ECS_MISUSE_IF(name == NULL, "name is NULL");
  uint64_t key = mix(seed);
  for (; *name != 0; name++) key = mix(key ^ (unsigned char)*name);
  return mix(key ^ mix(tick));
}

double ecs_random(uint64_t key, ecs_Entity entity, double draws) {
  uint64_t count = draws >= 0.0 && draws < 0x1p53 ? (uint64_t)draws : 0;
  double number = (double)(mix(mix(key ^ entity) ^ count) >> 11) * 0x1p-53;
  ECS_ASSERT(number >= 0.0 && number < 1.0);
  return number;
}

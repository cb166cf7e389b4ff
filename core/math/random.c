/* random.c: random numbers for rows, the same on every machine. */
#define ECS_DEFINES_API /* ecs.h */

#include "ecs.h"
#include "base/invariant.h"
#include "base/misuse.h"
#include "math/random.h"

uint64_t ecs_random_key(uint64_t seed, const char *name, uint64_t tick) {
  ECS_MISUSE_IF(name == NULL, "name is NULL");
  uint64_t key = random_mix(seed);
  for (; *name != 0; name++) key = random_mix(key ^ (unsigned char)*name);
  return random_mix(key ^ random_mix(tick));
}

double ecs_random(uint64_t key, ecs_Entity entity, double draws) {
  uint64_t count = draws >= 0.0 && draws < 0x1p53 ? (uint64_t)draws : 0;
  uint64_t hash = random_hash(key, entity, count);
  double number = (double)(hash >> 11) * 0x1p-53;
  ECS_ASSERT(number >= 0.0 && number < 1.0);
  return number;
}

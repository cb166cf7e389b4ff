/* component_set.h: some of the components that a layout is chosen for. */
#ifndef ECS_COMPONENT_SET_H
#define ECS_COMPONENT_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/config.h"
#include "base/invariant.h"

/* So many components are looked at. */
#define LAYOUT_COMPONENTS 256u
#define LAYOUT_WORDS (LAYOUT_COMPONENTS / 64u)

typedef struct ComponentSet {
  uint64_t words[LAYOUT_WORDS]; /* bit k: component k of the problem */
} ComponentSet;

static inline void set_add(ComponentSet *set, uint32_t k) {
  ECS_ASSERT(k < LAYOUT_COMPONENTS);
  set->words[k >> 6] |= UINT64_C(1) << (k & 63u);
}

static inline bool set_has(const ComponentSet *set, uint32_t k) {
  ECS_ASSERT(k < LAYOUT_COMPONENTS);
  return (set->words[k >> 6] >> (k & 63u) & 1u) != 0;
}

static inline bool set_is_empty(const ComponentSet *set) {
  uint64_t any = 0;
  for (uint32_t i = 0; i < LAYOUT_WORDS; i++) any |= set->words[i];
  return any == 0;
}

/* What is in both. */
static inline ComponentSet set_and(const ComponentSet *one,
                                   const ComponentSet *other) {
  ComponentSet both;
  for (uint32_t i = 0; i < LAYOUT_WORDS; i++)
    both.words[i] = one->words[i] & other->words[i];
  return both;
}

/* What is in one of them. */
static inline ComponentSet set_or(const ComponentSet *one,
                                  const ComponentSet *other) {
  ComponentSet either;
  for (uint32_t i = 0; i < LAYOUT_WORDS; i++)
    either.words[i] = one->words[i] | other->words[i];
  return either;
}

/* Is everything of `part` in the whole? */
static inline bool set_contains(const ComponentSet *whole,
                                const ComponentSet *part) {
  uint64_t missing = 0;
  for (uint32_t i = 0; i < LAYOUT_WORDS; i++)
    missing |= part->words[i] & ~whole->words[i];
  return missing == 0;
}

static inline bool set_meets(const ComponentSet *one,
                             const ComponentSet *other) {
  ComponentSet both = set_and(one, other);
  return !set_is_empty(&both);
}

static inline uint64_t set_hash(const ComponentSet *set) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < LAYOUT_WORDS; i++) {
    hash = (hash ^ set->words[i]) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
  }
  return hash;
}

/* The smallest member that is at least k; LAYOUT_COMPONENTS: there is none. So
 *     for (k = set_next(&set, 0); k < LAYOUT_COMPONENTS; k = set_next(&set, k + 1))
 * goes through them. */
static inline uint32_t set_next(const ComponentSet *set, uint32_t k) {
  ECS_ASSERT(k <= LAYOUT_COMPONENTS);
  for (uint32_t i = k >> 6; i < LAYOUT_WORDS; i++, k = i << 6) {
    uint64_t left = set->words[i] >> (k & 63u) << (k & 63u);
    if (left != 0) return (i << 6) + (uint32_t)__builtin_ctzll(left);
  }
  return LAYOUT_COMPONENTS;
}

#endif

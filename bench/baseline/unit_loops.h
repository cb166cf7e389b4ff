/* unit_loops.h: three updates of units, written by hand over columns and over
 * structs, and compiled twice: at -O2 and at -O3.
 *
 *      move      position += velocity * dt, three fields each
 *      damage    hp -= 1
 *      draw      counts the units that stand in a box
 *
 * A struct has, behind these seven fields, bytes that no update uses. */
#ifndef BENCH_UNIT_LOOPS_H
#define BENCH_UNIT_LOOPS_H

#include <stdint.h>

#define UNIT_PADDINGS 4u
#define UNIT_BOX 500.0f /* units are drawn from 0 to this on each axis */

/* The bytes of padding of each kind of struct. */
static const uint32_t unit_paddings[UNIT_PADDINGS] = {0, 32, 64, 128};

typedef struct UnitColumns {
  float *position[3];
  float *velocity[3];
  int32_t *hp;
} UnitColumns;

/* Loops over structs of one padding. */
typedef struct UnitStructLoops {
  void (*move)(void *units, float dt, uint32_t count);
  void (*damage)(void *units, uint32_t count);
  uint32_t (*draw)(const void *units, uint32_t count);
} UnitStructLoops;

typedef struct UnitLoops {
  const char *level; /* "-O2" */
  void (*move)(float *restrict position, const float *restrict velocity,
               float dt, uint32_t count); /* one axis */
  void (*damage)(int32_t *hp, uint32_t count);
  uint32_t (*draw)(const float *restrict x, const float *restrict y,
                   const float *restrict z, uint32_t count);
  UnitStructLoops structs[UNIT_PADDINGS];
} UnitLoops;

extern const UnitLoops unit_loops_o2, unit_loops_o3;

/* A struct of units with so many bytes of padding. */
#define UNIT_STRUCT(name, padding)  \
  typedef struct name {             \
    float position[3], velocity[3]; \
    int32_t hp;                     \
    char rest[padding];             \
  } name;
typedef struct Unit0 {
  float position[3], velocity[3];
  int32_t hp;
} Unit0;
UNIT_STRUCT(Unit32, 32)
UNIT_STRUCT(Unit64, 64)
UNIT_STRUCT(Unit128, 128)

#endif

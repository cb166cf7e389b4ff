/* unit_loops_body.h: the loops of unit_loops.h; UNIT_LOOPS is the name of the
 * table that the including file defines, UNIT_LEVEL how it is compiled. */
#include "unit_loops.h"

static void move(float *restrict position, const float *restrict velocity,
                 float dt, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) position[i] += velocity[i] * dt;
}

static void damage(int32_t *hp, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) hp[i] -= 1;
}

static int inside(float at) { return (at > 0) & (at < UNIT_BOX); }

static uint32_t draw(const float *restrict x, const float *restrict y,
                     const float *restrict z, uint32_t count) {
  uint32_t drawn = 0;
  for (uint32_t i = 0; i < count; i++)
    drawn += (uint32_t)(inside(x[i]) & inside(y[i]) & inside(z[i]));
  return drawn;
}

#define STRUCT_LOOPS(Unit)                                         \
  static void move_##Unit(void *units, float dt, uint32_t count) { \
    Unit *unit = units;                                            \
    for (uint32_t i = 0; i < count; i++)                           \
      for (uint32_t k = 0; k < 3; k++)                             \
        unit[i].position[k] += unit[i].velocity[k] * dt;           \
  }                                                                \
  static void damage_##Unit(void *units, uint32_t count) {         \
    Unit *unit = units;                                            \
    for (uint32_t i = 0; i < count; i++) unit[i].hp -= 1;          \
  }                                                                \
  static uint32_t draw_##Unit(const void *units, uint32_t count) { \
    const Unit *unit = units;                                      \
    uint32_t drawn = 0;                                            \
    for (uint32_t i = 0; i < count; i++)                           \
      drawn += (uint32_t)(inside(unit[i].position[0]) &            \
                          inside(unit[i].position[1]) &            \
                          inside(unit[i].position[2]));            \
    return drawn;                                                  \
  }
STRUCT_LOOPS(Unit0)
STRUCT_LOOPS(Unit32)
STRUCT_LOOPS(Unit64)
STRUCT_LOOPS(Unit128)

#define STRUCTS(Unit) \
  { move_##Unit, damage_##Unit, draw_##Unit }
const UnitLoops UNIT_LOOPS = {
    UNIT_LEVEL,
    move,
    damage,
    draw,
    {STRUCTS(Unit0), STRUCTS(Unit32), STRUCTS(Unit64), STRUCTS(Unit128)}};

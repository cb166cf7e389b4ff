/* columns.c: whole columns into Lua tables and back, for VMs without FFI.
 *
 * One loop per scalar type, because this is the cost of a batch callback on
 * Lua 5.4: about 5 ns an element there and 10 ns back. Storing converts as
 * ecs_scalar_convert says; the floats, which are most columns, are converted in
 * the loop.
 */
#include "views.h"

/* type, C type, how an element at column[i] is pushed */
#define COLUMN_LIST(X)                                        \
  X(ECS_F32, float, lua_pushnumber(L, (double)column[i]))     \
  X(ECS_F64, double, lua_pushnumber(L, column[i]))            \
  X(ECS_I8, int8_t, compat_push_integer(L, column[i]))        \
  X(ECS_U8, uint8_t, compat_push_integer(L, column[i]))       \
  X(ECS_I16, int16_t, compat_push_integer(L, column[i]))      \
  X(ECS_U16, uint16_t, compat_push_integer(L, column[i]))     \
  X(ECS_I32, int32_t, compat_push_integer(L, column[i]))      \
  X(ECS_U32, uint32_t, compat_push_integer(L, column[i]))     \
  X(ECS_BOOL, uint8_t, lua_pushboolean(L, column[i]))         \
  X(ECS_ENTITY, uint64_t,                                     \
    column[i] ? compat_push_integer(L, (int64_t)column[i])    \
              : lua_pushnil(L))

void bind_fill(lua_State *L, int table, ecs_Scalar type, const void *elements,
               uint32_t count) {
  switch (type) {
#define FILL(scalar, ctype, push)              \
  case scalar: {                               \
    const ctype *column = (const ctype *)elements; \
    for (uint32_t i = 0; i < count; i++) {     \
      push;                                    \
      lua_rawseti(L, table, (int)i + 1);       \
    }                                          \
    break;                                     \
  }
    COLUMN_LIST(FILL)
#undef FILL
    default: break;
  }
}

/* Floats need no range check, only the one quiet NaN: one loop for each. */
#define COPY_FLOATS(ctype, scalar)                                     \
  static uint32_t copy_##ctype(lua_State *L, int table, ctype *column, \
                               uint32_t count) {                       \
    uint32_t wrong = 0;                                                \
    for (uint32_t i = 0; i < count; i++) {                             \
      if (compat_rawgeti(L, table, (int)i + 1) == LUA_TNUMBER) {       \
        double number = lua_tonumber(L, -1);                           \
        column[i] = (ctype)number;                                     \
        if (number != number)                                          \
          ecs_scalar_convert(scalar, &column[i], number);              \
      } else if (wrong == 0) {                                         \
        wrong = i + 1;                                                 \
      }                                                                \
      lua_pop(L, 1);                                                   \
    }                                                                  \
    return wrong;                                                      \
  }
COPY_FLOATS(float, ECS_F32)
COPY_FLOATS(double, ECS_F64)

uint32_t bind_copy_back(lua_State *L, int table, ecs_Scalar type,
                        void *elements, uint32_t count) {
  if (type == ECS_F32) return copy_float(L, table, (float *)elements, count);
  if (type == ECS_F64) return copy_double(L, table, (double *)elements, count);
  char *place = (char *)elements;
  uint32_t bytes = ecs_scalar_bytes(type), wrong = 0;
  for (uint32_t i = 0; i < count; i++, place += bytes) {
    double number;
    int kind = compat_rawgeti(L, table, (int)i + 1);
    if (bind_number(L, -1, type, kind, &number))
      ecs_scalar_convert(type, place, number);
    else if (wrong == 0)
      wrong = i + 1;
    lua_pop(L, 1);
  }
  return wrong;
}

/* What most columns are: floats, which only a number can equal. */
#define DIFFERENCE_OF(ctype)                                            \
  static uint32_t difference_##ctype(lua_State *L, int table,           \
                                     const ctype *column,               \
                                     uint32_t count) {                  \
    for (uint32_t i = 0; i < count; i++) {                              \
      int kind = compat_rawgeti(L, table, (int)i + 1);                  \
      double here = (double)column[i], there = lua_tonumber(L, -1);     \
      lua_pop(L, 1);                                                    \
      if (kind != LUA_TNUMBER ||                                        \
          (here != there && (here == here || there == there)))          \
        return i + 1;                                                   \
    }                                                                   \
    return 0;                                                           \
  }
DIFFERENCE_OF(float)
DIFFERENCE_OF(double)

uint32_t bind_difference(lua_State *L, int table, ecs_Scalar type,
                         const void *elements, uint32_t count) {
  if (type == ECS_F32)
    return difference_float(L, table, (const float *)elements, count);
  if (type == ECS_F64)
    return difference_double(L, table, (const double *)elements, count);
  const char *place = (const char *)elements;
  uint32_t bytes = ecs_scalar_bytes(type);
  for (uint32_t i = 0; i < count; i++, place += bytes) {
    double here = ecs_scalar_load(type, place), there;
    int kind = compat_rawgeti(L, table, (int)i + 1);
    bool same = bind_number(L, -1, type, kind, &there) &&
                (here == there || (here != here && there != there));
    lua_pop(L, 1);
    if (!same) return i + 1;
  }
  return 0;
}

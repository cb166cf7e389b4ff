/* column_copy.c: whole columns into Lua tables and back, for VMs without FFI.
 *
 * There is one loop per scalar type, because copying is the cost of a batch
 * callback on Lua 5.4: about 80 instructions per element to Lua and 95 back,
 * most of them Lua's own. Stores convert as ecs_scalar_convert does. Floats,
 * the type of most columns, are converted in the loop.
 */
#include "query/column_copy.h"

#include "api/for_bindings.h"
#include "object/number.h"

/* Type, C type, and a call that pushes the element column[i]. */
/* clang-format off */
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
/* clang-format on */

void bind_column_fill(lua_State *L, int table, ecs_Scalar type,
                      const void *elements, uint32_t count) {
  ECS_ASSERT(lua_istable(L, table));
  switch (type) {
#define FILL(scalar, ctype, push)                  \
  case scalar: {                                   \
    const ctype *column = (const ctype *)elements; \
    for (uint32_t i = 0; i < count; i++) {         \
      push;                                        \
      lua_rawseti(L, table, (int)i + 1);           \
    }                                              \
    break;                                         \
  }
    COLUMN_LIST(FILL)
#undef FILL
    default: break;
  }
}

/* Pushes table[first + 1..first + rows]; true when all are numbers. To pop them
 * at once is cheaper than one by one. */
static inline bool push_block(lua_State *L, int table, uint32_t first,
                              uint32_t rows) {
  bool numbers = true;
  for (uint32_t i = 1; i <= rows; i++)
    numbers &= compat_rawgeti(L, table, (int)(first + i)) == LUA_TNUMBER;
  return numbers;
}

/* The rows of the block that begins at first. */
static inline uint32_t block_rows(uint32_t first, uint32_t count) {
  return count - first < COPY_BLOCK ? count - first : COPY_BLOCK;
}

/* The first row, from 1, for which no number is on the stack above top; 0:
 * there is none. */
static uint32_t find_wrong(lua_State *L, int top, uint32_t first,
                           uint32_t rows) {
  for (uint32_t i = 1; i <= rows; i++)
    if (lua_type(L, top + (int)i) != LUA_TNUMBER) return first + i;
  return 0;
}

/* Floats need no range check, but NaNs become the one quiet NaN. */
#define COPY_FLOATS(ctype, scalar)                                         \
  static uint32_t copy_##ctype(lua_State *L, int table, ctype *column,     \
                               uint32_t count) {                           \
    uint32_t wrong = 0, rows;                                              \
    int top = lua_gettop(L);                                               \
    for (uint32_t first = 0; first < count; first += rows) {               \
      rows = block_rows(first, count);                                     \
      bool numbers = push_block(L, table, first, rows);                    \
      ctype *to = column + first;                                          \
      for (int i = 1; i <= (int)rows; i++, to++) {                         \
        double number = lua_tonumber(L, top + i);                          \
        if (!numbers && lua_type(L, top + i) != LUA_TNUMBER) continue;     \
        *to = (ctype)number;                                               \
        if (number != number) ecs_scalar_convert(scalar, to, number);      \
      }                                                                    \
      if (!numbers && wrong == 0) wrong = find_wrong(L, top, first, rows); \
      lua_settop(L, top);                                                  \
    }                                                                      \
    return wrong;                                                          \
  }
COPY_FLOATS(float, ECS_F32)
COPY_FLOATS(double, ECS_F64)

uint32_t bind_column_store(lua_State *L, int table, ecs_Scalar type,
                           void *elements, uint32_t count) {
  if (type == ECS_F32) return copy_float(L, table, (float *)elements, count);
  if (type == ECS_F64) return copy_double(L, table, (double *)elements, count);
  char *element = (char *)elements;
  uint32_t bytes = ecs_scalar_bytes(type), wrong = 0;
  for (uint32_t i = 0; i < count; i++, element += bytes) {
    double number;
    int kind = compat_rawgeti(L, table, (int)i + 1);
    if (bind_number(L, -1, type, kind, &number))
      ecs_scalar_convert(type, element, number);
    else if (wrong == 0)
      wrong = i + 1;
    lua_pop(L, 1);
  }
  return wrong;
}

/* Floats are equal to numbers only; two NaNs count as equal. */
#define DIFFERENCE_OF(ctype)                                                \
  static uint32_t difference_##ctype(lua_State *L, int table,               \
                                     const ctype *column, uint32_t count) { \
    uint32_t found = 0, rows;                                               \
    int top = lua_gettop(L);                                                \
    for (uint32_t first = 0; first < count && !found; first += rows) {      \
      rows = block_rows(first, count);                                      \
      bool numbers = push_block(L, table, first, rows);                     \
      const ctype *from = column + first;                                   \
      for (int i = 1; i <= (int)rows; i++, from++) {                        \
        double there = lua_tonumber(L, top + i), here = (double)*from;      \
        if (here == there && numbers) continue;                             \
        if (lua_type(L, top + i) == LUA_TNUMBER &&                          \
            (here == there || (here != here && there != there)))            \
          continue;                                                         \
        found = first + (uint32_t)i;                                        \
        break;                                                              \
      }                                                                     \
      lua_settop(L, top);                                                   \
    }                                                                       \
    return found;                                                           \
  }
DIFFERENCE_OF(float)
DIFFERENCE_OF(double)

uint32_t bind_column_difference(lua_State *L, int table, ecs_Scalar type,
                                const void *elements, uint32_t count) {
  if (type == ECS_F32)
    return difference_float(L, table, (const float *)elements, count);
  if (type == ECS_F64)
    return difference_double(L, table, (const double *)elements, count);
  const char *element = (const char *)elements;
  uint32_t bytes = ecs_scalar_bytes(type);
  for (uint32_t i = 0; i < count; i++, element += bytes) {
    double here = ecs_scalar_load(type, element), there;
    int kind = compat_rawgeti(L, table, (int)i + 1);
    bool same = bind_number(L, -1, type, kind, &there) &&
                (here == there || (here != here && there != there));
    lua_pop(L, 1);
    if (!same) return i + 1;
  }
  return 0;
}

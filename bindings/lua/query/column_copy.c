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

void bind_column_fill(lua_State *L, int table, uint32_t first, ecs_Scalar type,
                      const void *elements, uint32_t count) {
  ECS_ASSERT(lua_istable(L, table));
  switch (type) {
#define FILL(scalar, ctype, push)                  \
  case scalar: {                                   \
    const ctype *column = (const ctype *)elements; \
    for (uint32_t i = 0; i < count; i++) {         \
      push;                                        \
      lua_rawseti(L, table, (int)(first + i) + 1); \
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

/* Is one of the numbers above top of the other kind than those of the column:
 * an integer for floats, a float for integers? */
static bool has_other_kind(lua_State *L, int top, uint32_t rows,
                           bool integers) {
#if LUA_VERSION_NUM >= 503
  for (int i = 1; i <= (int)rows; i++)
    if ((lua_isinteger(L, top + i) != 0) != integers) return true;
#else
  (void)L, (void)top, (void)rows, (void)integers;
#endif
  return false;
}

/* Floats need no range check, but NaNs become the one quiet NaN. */
#define COPY_FLOATS(ctype, scalar)                                         \
  static uint32_t copy_##ctype(lua_State *L, int table, ctype *column,     \
                               uint32_t count, uint8_t *exact) {           \
    uint32_t wrong = 0, rows;                                              \
    int top = lua_gettop(L);                                               \
    for (uint32_t first = 0; first < count; first += rows) {               \
      rows = block_rows(first, count);                                     \
      bool numbers = push_block(L, table, first, rows), same = numbers;    \
      ctype *to = column + first;                                          \
      for (int i = 1; i <= (int)rows; i++, to++) {                         \
        double number = lua_tonumber(L, top + i);                          \
        if (!numbers && lua_type(L, top + i) != LUA_TNUMBER) continue;     \
        *to = (ctype)number;                                               \
        same &= (double)*to == number;                                     \
        if (number != number) ecs_scalar_convert(scalar, to, number);      \
      }                                                                    \
      if (!numbers && wrong == 0) wrong = find_wrong(L, top, first, rows); \
      if (exact)                                                           \
        exact[first / COPY_BLOCK] =                                        \
            same && !has_other_kind(L, top, rows, false);                  \
      lua_settop(L, top);                                                  \
    }                                                                      \
    return wrong;                                                          \
  }
COPY_FLOATS(float, ECS_F32)
COPY_FLOATS(double, ECS_F64)

/* One value on the top of the stack into an element. Returns false when the
 * type does not take it; *same: the table has what the element fills it with.
 */
static bool copy_one(lua_State *L, ecs_Scalar type, int kind, void *element,
                     bool *same) {
  double number;
  if (!bind_number(L, -1, type, kind, &number)) return false;
  ecs_scalar_convert(type, element, number);
  *same = ecs_scalar_load(type, element) == number &&
          (type != ECS_BOOL || kind == LUA_TBOOLEAN) &&
          (kind != LUA_TNUMBER || number != 0 || type != ECS_ENTITY);
  return true;
}

/* Any type, row by row. */
static uint32_t copy_any(lua_State *L, int table, ecs_Scalar type,
                         char *element, uint32_t count, uint8_t *exact) {
  uint32_t bytes = ecs_scalar_bytes(type), wrong = 0;
  bool same = true;
  for (uint32_t i = 0; i < count; i++, element += bytes) {
    int kind = compat_rawgeti(L, table, (int)i + 1);
    bool as_it_is = false;
    if (!copy_one(L, type, kind, element, &as_it_is) && wrong == 0)
      wrong = i + 1;
    same &= as_it_is && (kind != LUA_TNUMBER ||
                         !has_other_kind(L, lua_gettop(L) - 1, 1, true));
    lua_pop(L, 1);
    if ((i + 1) % COPY_BLOCK != 0 && i + 1 < count) continue;
    if (exact) exact[i / COPY_BLOCK] = same;
    same = true;
  }
  return wrong;
}

#if LUA_VERSION_NUM >= 503

/* Whole blocks of integers in range are stored at once; others row by row. */
#define COPY_INTEGERS(ctype, least, most)                                \
  static uint32_t copy_##ctype(lua_State *L, int table, ecs_Scalar type, \
                               ctype *column, uint32_t count,            \
                               uint8_t *exact) {                         \
    uint32_t wrong = 0, rows;                                            \
    int top = lua_gettop(L);                                             \
    for (uint32_t first = 0; first < count; first += rows) {             \
      rows = block_rows(first, count);                                   \
      bool same = push_block(L, table, first, rows);                     \
      ctype *to = column + first;                                        \
      for (int i = 1; same && i <= (int)rows; i++) {                     \
        lua_Integer number = lua_tointeger(L, top + i);                  \
        same = lua_isinteger(L, top + i) && number >= (least) &&         \
               number <= (most);                                         \
        if (same) to[i - 1] = (ctype)number;                             \
      }                                                                  \
      if (exact) exact[first / COPY_BLOCK] = same;                       \
      for (uint32_t i = 0; !same && i < rows; i++) {                     \
        bool as_it_is;                                                   \
        lua_pushvalue(L, top + 1 + (int)i);                              \
        if (!copy_one(L, type, lua_type(L, -1), to + i, &as_it_is) &&    \
            wrong == 0)                                                  \
          wrong = first + i + 1;                                         \
        lua_pop(L, 1);                                                   \
      }                                                                  \
      lua_settop(L, top);                                                \
    }                                                                    \
    return wrong;                                                        \
  }
COPY_INTEGERS(int8_t, INT8_MIN, INT8_MAX)
COPY_INTEGERS(uint8_t, 0, UINT8_MAX)
COPY_INTEGERS(int16_t, INT16_MIN, INT16_MAX)
COPY_INTEGERS(uint16_t, 0, UINT16_MAX)
COPY_INTEGERS(int32_t, INT32_MIN, INT32_MAX)
COPY_INTEGERS(uint32_t, 0, UINT32_MAX)

#define COPY_INTEGERS_OF(ctype) \
  return copy_##ctype(L, table, type, (ctype *)elements, count, exact)

#endif

uint32_t bind_column_store(lua_State *L, int table, ecs_Scalar type,
                           void *elements, uint32_t count, uint8_t *exact) {
  switch (type) {
    case ECS_F32: return copy_float(L, table, (float *)elements, count, exact);
    case ECS_F64:
      return copy_double(L, table, (double *)elements, count, exact);
#if LUA_VERSION_NUM >= 503
    case ECS_I8: COPY_INTEGERS_OF(int8_t);
    case ECS_U8: COPY_INTEGERS_OF(uint8_t);
    case ECS_I16: COPY_INTEGERS_OF(int16_t);
    case ECS_U16: COPY_INTEGERS_OF(uint16_t);
    case ECS_I32: COPY_INTEGERS_OF(int32_t);
    case ECS_U32: COPY_INTEGERS_OF(uint32_t);
#endif
    default: return copy_any(L, table, type, (char *)elements, count, exact);
  }
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

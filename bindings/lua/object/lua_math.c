/* lua_math.c: the functions of ecs.math that are written in C.
 *
 * They take numbers only, not strings that look like numbers: a compiled system
 * knows types before it runs, and both must accept the same calls.
 */
#include "object/lua_math.h"

#include "object/error.h"

/* The number at index; raises, in the name of call, on anything else. */
static double check_number(lua_State *L, int index, const char *call) {
  if (lua_type(L, index) != LUA_TNUMBER)
    bind_error(L, "ecs.math.%s takes numbers, not %s%s", call,
               lua_isnoneornil(L, index) ? "" : "a ",
               lua_isnone(L, index) ? "nil" : bind_type_name(L, index));
  return (double)lua_tonumber(L, index);
}

#define UNARY(name)                                           \
  static int math_##name(lua_State *L) {                      \
    lua_pushnumber(L, ecs_##name(check_number(L, 1, #name))); \
    return 1;                                                 \
  }
#define BINARY(name)                                                 \
  static int math_##name(lua_State *L) {                             \
    double first = check_number(L, 1, #name);                        \
    lua_pushnumber(L, ecs_##name(first, check_number(L, 2, #name))); \
    return 1;                                                        \
  }
UNARY(sin)
UNARY(cos)
UNARY(exp)
UNARY(log)
BINARY(pow)
BINARY(atan2)

static const luaL_Reg functions[] = {{"sin", math_sin}, {"cos", math_cos},
                                     {"exp", math_exp}, {"log", math_log},
                                     {"pow", math_pow}, {"atan2", math_atan2},
                                     {NULL, NULL}};

void bind_open_lua_math(lua_State *L) {
  lua_newtable(L);
  bind_add(L, functions);
  lua_setfield(L, -2, "math");
}

/* outside.h: whether what a program reads outside of its rows is as it was. */
#ifndef ECS_LUA_OUTSIDE_H
#define ECS_LUA_OUTSIDE_H

#include "object/object.h"

/* Is everything in a list of readers, made by scripts/ecs/compile/plan.lua, as
 * it was? False may mean that this is not certain. list and function are stack
 * indices; the function is the one that was compiled. Runs no code of a script,
 * and needs 6 free stack slots. Cost: a few accesses for each reader. */
BIND_INTERNAL bool bind_outside_same(lua_State *L, int list, int function);

#endif

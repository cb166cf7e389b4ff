/* held_sweep.h: lets go of values that no field refers to any more. */
#ifndef ECS_LUA_HELD_SWEEP_H
#define ECS_LUA_HELD_SWEEP_H

#include "world/lua_world.h"

/* Lets go of them where there are many, and no world of the state is open. To be
 * called where no number is known but by what held.h lists. Neither raises nor
 * runs finalizers, but that it needs a few slots of the stack. */
BIND_INTERNAL void bind_held_relieve(lua_State *L, ModuleState *state);

/* Has this done whenever another value is held. */
BIND_INTERNAL void bind_open_held_sweep(lua_State *L);

#endif

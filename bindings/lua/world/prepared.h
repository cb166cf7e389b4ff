/* prepared.h: prepared access to fields and components of single entities.
 *
 *      world:getter(Position, "x", "y")    x, y = xy_of(e)
 *      world:setter(Position, "x")         set_x(e, 1)
 *      world:tester(Enemy, Alive)          is_foe(e)
 *
 * Each is a closure that means exactly the method get, set or has with those
 * arguments. What it needs was found when it was made:
 *
 *      closure --upvalues--> state, "get", PreparedFields, world,
 *                            { Position, "x", "y" }
 *
 * The world as an upvalue stays alive as long as the closure does, so the
 * pointers of a PreparedFields into it are good. Making one changes nothing in
 * the world: a component that the world does not know yet is looked for again
 * at each call, and only a method that defines components defines it.
 */
#ifndef ECS_LUA_PREPARED_H
#define ECS_LUA_PREPARED_H

#include "object/object.h"

/* Adds getter, setter and tester to the methods of worlds, and prepared_calls
 * to the table on top of the stack. */
BIND_INTERNAL void bind_open_prepared(lua_State *L);

#endif

/* value_calls.h: values and tables of fields for compiled code on LuaJIT.
 *
 *      world:spawn(position, Velocity, { y = -4 }, Enemy)
 *                  kept value          read by Lua, as numbers
 *      world:set(e, Position, { x = 3 })     world:add(e, Position { x = 3 })
 *
 * Functions of field_calls.h read single fields; those here store several at
 * once. scripts/ecs/ffi/values_ffi.lua reads a table of fields into numbers and
 * makes one call, which may be the one that makes a value; a value is passed as
 * it is. What these functions do not do, and every error, is left to functions
 * of the C API, such as the methods of entity_methods.c: then the answer is
 * false or 0, and nothing has changed.
 */
#ifndef ECS_LUA_VALUE_CALLS_H
#define ECS_LUA_VALUE_CALLS_H

#include "object/object.h"

/* Adds value_calls to the table on top of the stack. */
BIND_INTERNAL void bind_open_value_calls(lua_State *L);

#endif

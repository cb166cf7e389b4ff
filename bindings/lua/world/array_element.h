/* array_element.h: elements of arrays, one by one and all at once.
 *
 *      walls[x][y]   walls[x][y] = 1   #walls[x]   walls:set { { 1, 2 }, { 3, 4 } }
 *
 * Indices are whole numbers from 1 to the size; anything else raises. Values are
 * strict: what the type cannot hold raises.
 */
#ifndef ECS_LUA_ARRAY_ELEMENT_H
#define ECS_LUA_ARRAY_ELEMENT_H

#include "world/lua_array.h"

/* Adds array_layout, array_shape, array_fits, array_side, array_get, array_put,
 * array_method and array_by to the table on top of the stack, set to the methods of arrays, and
 * what arrays and their rows do when they are indexed. */
BIND_INTERNAL void bind_open_array_element(lua_State *L);

#endif

/* name.h: names of components, fields, systems, phases and totals. */
#ifndef ECS_LUA_NAME_H
#define ECS_LUA_NAME_H

#include "object/object.h"

/* Is this text a valid name: 1 to 255 bytes of UTF-8 without control
 * characters? Cost: linear. */
BIND_INTERNAL bool bind_name_is_valid(const char *name, size_t bytes);

/* Adds is_name to the table on top of the stack. */
BIND_INTERNAL void bind_open_name(lua_State *L);

#endif

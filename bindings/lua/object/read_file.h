/* read_file.h: reads the files that functions were loaded from. */
#ifndef ECS_LUA_READ_FILE_H
#define ECS_LUA_READ_FILE_H

#include "object/object.h"

/* Adds read_file to the table on top of the stack. */
BIND_INTERNAL void bind_open_read_file(lua_State *L);

#endif

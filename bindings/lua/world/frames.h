/* frames.h: frames of a world and what their systems record. */
#ifndef ECS_LUA_FRAMES_H
#define ECS_LUA_FRAMES_H

#include "object/object.h"

/* Adds frame and record to the table on top of the stack. */
BIND_INTERNAL void bind_open_frames(lua_State *L);

#endif

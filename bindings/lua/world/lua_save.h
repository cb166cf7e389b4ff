/* lua_save.h: saves of a world, for scripts/ecs/save.lua. */
#ifndef ECS_LUA_LUA_SAVE_H
#define ECS_LUA_LUA_SAVE_H

#include "world/lua_world.h"

/* Adds save_bytes, save_file, saved_texts, load_save, number_text and text_number to
 * the table on top of the stack. */
BIND_INTERNAL void bind_open_lua_save(lua_State *L);

#endif

/* tokens.h: splits Lua text into arrays of tokens. */
#ifndef ECS_LUA_TOKENS_H
#define ECS_LUA_TOKENS_H

#include "object/object.h"

/* Adds read_tokens to the table on top of the stack. */
BIND_INTERNAL void bind_open_tokens(lua_State *L);

#endif

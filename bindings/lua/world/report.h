/* report.h: messages for what the core refuses. */
#ifndef ECS_LUA_REPORT_H
#define ECS_LUA_REPORT_H

#include "world/lua_world.h"

/* Pushes the message for a status, in the name of call. If a walk holds the
 * component that the call needed, the message names both. Allocates: nothing
 * may be open that an error would leave open. */
BIND_INTERNAL void bind_push_status(lua_State *L, const LuaWorld *world,
                                    ecs_Status status, const char *call);

/* Pushes why the core refused, without a call's name: the limit that was
 * reached, with its value, or the sentence of the status. Allocates. */
BIND_INTERNAL void bind_push_refusal(lua_State *L, const LuaWorld *world,
                                     ecs_Status status);

/* Raises the message of bind_push_status, blaming a script's line. */
BIND_INTERNAL int bind_refuse_status(lua_State *L, const LuaWorld *world,
                                     ecs_Status status, const char *call);

/* Returns 0 if the status is ECS_OK; otherwise as bind_refuse_status. */
static inline int bind_check_status(lua_State *L, const LuaWorld *world,
                                    ecs_Status status, const char *call) {
  return status == ECS_OK ? 0 : bind_refuse_status(L, world, status, call);
}

/* Pushes the message for a store into a link. */
BIND_INTERNAL void bind_push_link_refusal(lua_State *L,
                                          const Definition *definition,
                                          uint32_t field);

#endif

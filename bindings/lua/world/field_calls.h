/* field_calls.h: single fields for compiled code on LuaJIT.
 *
 * A BoundAccess is a userdata without metatable, for a world and a component of
 * it. It points into the world without keeping it alive.
 */
#ifndef ECS_LUA_FIELD_CALLS_H
#define ECS_LUA_FIELD_CALLS_H

#include "api/field_access.h"
#include "component/definition.h"

typedef struct BoundAccess {
  FieldAccess field;            /* first: functions of the core take it */
  const Definition *definition; /* NULL: of entities alone */
} BoundAccess;

/* Adds access and access_calls to the table on top of the stack. */
BIND_INTERNAL void bind_open_field_calls(lua_State *L);

#endif

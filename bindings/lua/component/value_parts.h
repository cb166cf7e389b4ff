/* value_parts.h: what a value is made of, for messages and for scripts/ecs. */
#ifndef ECS_LUA_VALUE_PARTS_H
#define ECS_LUA_VALUE_PARTS_H

#include "component/definition.h"

/* Pushes a new list of the fields of an image that the mask names: a name, its
 * number, and so on. A bool is 0 or 1. */
BIND_INTERNAL void bind_fields_push(lua_State *L, const Definition *definition,
                                    const void *image, uint64_t fields);

/* Adds value_parts, definition_of and description to the table on top of the
 * stack, and the metamethods of values. */
BIND_INTERNAL void bind_open_value_parts(lua_State *L);

#endif

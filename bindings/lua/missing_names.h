/* missing_names.h: errors for names that our objects lack. */
#ifndef ECS_LUA_MISSING_NAMES_H
#define ECS_LUA_MISSING_NAMES_H

#include "object/object.h"

/* Gives the kinds metamethods that raise for missing names and for stores. To
 * be called after all methods were added. */
BIND_INTERNAL void bind_open_missing_names(lua_State *L);

#endif

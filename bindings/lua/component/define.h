/* define.h: makes definitions from the arguments of ecs.component and ecs.tag.
 */
#ifndef ECS_LUA_DEFINE_H
#define ECS_LUA_DEFINE_H

#include "component/definition.h"

/* Each is the body of the function of the name, with its arguments on the
 * stack: leaves the definition on top and returns 1. Raises an error if an
 * argument has the wrong form, or if the name exists with other fields. */
BIND_INTERNAL int bind_define_component(lua_State *L);
BIND_INTERNAL int bind_define_tag(lua_State *L);

#endif

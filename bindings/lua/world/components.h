/* components.h: the components that a world has for the definitions of scripts.
 *
 * ids maps one way and owners the other. Index 0 is unused in both:
 *
 *      definition index  1  2  3  4          component  1  2
 *      ids               0  2  0  1          owners     4  2
 *
 * In all functions, index is the stack index of the world.
 */
#ifndef ECS_LUA_COMPONENTS_H
#define ECS_LUA_COMPONENTS_H

#include "api/for_bindings.h"
#include "world/lua_world.h"

/* The tag of scripts/ecs/resource.lua. New entities do not have it: a world has a
 * resource once. */
#define BIND_RESOURCE "ecs.Resource"

/* The component of a definition; 0 when the world has none for it. Constant
 * cost, no call of the core. */
static inline ecs_Component bind_component_find(const LuaWorld *world,
                                                const Definition *definition) {
  ecs_Component component =
      definition->index < world->capacity ? world->ids[definition->index] : 0;
  ECS_ASSERT(definition->index > 0); /* it was added */
  ECS_ASSERT(component == 0 || world->owners[component] == definition);
  return component;
}

/* The component of a definition, defined now if the world has none. On failure,
 * pushes a message and returns 0. */
BIND_INTERNAL ecs_Component bind_component_try(lua_State *L, LuaWorld *world,
                                               int index,
                                               const Definition *definition);

/* As bind_component_try, but raises the message. */
BIND_INTERNAL ecs_Component bind_component_define(lua_State *L, LuaWorld *world,
                                                  int index,
                                                  const Definition *definition);

/* True unless a component that a definition needs, or that one of those needs,
 * has no definition; then pushes a message. Defines nothing: callers that take
 * several definitions ask it about all of them first. */
BIND_INTERNAL bool bind_needs_try(lua_State *L, const LuaWorld *world,
                                  const Definition *definition);

/* As bind_needs_try, but raises the message. */
BIND_INTERNAL void bind_needs_check(lua_State *L, const LuaWorld *world,
                                    const Definition *definition);

/* As bind_component_define, inline for a component that the world has. */
static inline ecs_Component bind_component_ensure(
    lua_State *L, LuaWorld *world, int index, const Definition *definition) {
  ecs_Component component = bind_component_find(world, definition);
  return component ? component
                   : bind_component_define(L, world, index, definition);
}

/* Defines the components of all definitions that the world has none for, before
 * a walk or a frame begins, but for those that need what has no definition yet:
 * they wait for it. Does nothing while something is open. Raises when a
 * component cannot be defined; components defined before it stay. */
BIND_INTERNAL void bind_components_ensure(lua_State *L, LuaWorld *world,
                                          int index);

/* Gives definitions to the components that the host of a borrowed world has
 * defined since the last call. A component gets no definition if its name has
 * another one. May raise when memory runs out. */
BIND_INTERNAL void bind_components_adopt(lua_State *L, LuaWorld *world,
                                         int index);

/* Adds component, tag and is_defined to the table on top of the stack. */
BIND_INTERNAL void bind_open_components(lua_State *L);

#endif

/* host_definition.h: the definition for a component that a host defined. */
#ifndef ECS_LUA_HOST_DEFINITION_H
#define ECS_LUA_HOST_DEFINITION_H

#include "component/definition.h"

typedef struct HostDefinition {
  const Definition *definition; /* NULL: none, or scripts cannot use the name */
  bool conflict;                /* the name has another definition */
} HostDefinition;

/* The state's definition for a component of a host's world. A definition of
 * the same name is used if it agrees in all fields, their order, types,
 * defaults and storage. If the name is free and create is true, a definition
 * is made. May raise when memory runs out. Cost: linear in the fields. */
BIND_INTERNAL HostDefinition bind_definition_for(lua_State *L,
                                                 const ecs_World *native,
                                                 ecs_Component component,
                                                 bool create);

#endif

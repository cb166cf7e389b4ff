/* report.c: messages for what the core refuses. */
#include "world/report.h"

#include "api/for_bindings.h"

/* The innermost open walk that accesses a component; NULL: there is none. */
static const OpenWalk *holder_of(const LuaWorld *world,
                                 const Definition *definition) {
  for (const OpenWalk *walk = world->innermost; walk; walk = walk->outer)
    for (uint32_t t = 0; t < walk->term_count; t++)
      if (walk->terms[t].definition == definition &&
          walk->terms[t].access <= ECS_OPTIONAL)
        return walk;
  return NULL;
}

/* Pushes the message for a component that a walk locks. */
static void push_conflict(lua_State *L, const LuaWorld *world,
                          const char *call) {
  ecs_Component component = ecs_world_contested(world->native);
  const Definition *definition =
      component < world->capacity ? world->owners[component] : NULL;
  const OpenWalk *holder = definition ? holder_of(world, definition) : NULL;
  if (holder)
    lua_pushfstring(L,
                    "ecs: %s cannot reach %s here: %s is walking over it; "
                    "%s, or do this after it",
                    call, definition->name, holder->label,
                    holder->each ? "write another component there, and this "
                                   "one in another system"
                                 : "use its batch");
  else
    lua_pushfstring(L, "ecs: %s cannot reach %s: something is walking over it",
                    call,
                    component ? ecs_component_name(world->native, component)
                              : "a component");
}

/* Room for the sentence of a refusal; a budget's owner is ours. */
#define REFUSAL_BYTES 160

void bind_push_refusal(lua_State *L, const LuaWorld *world, ecs_Status status) {
  char text[REFUSAL_BYTES];
  if (world->native) {
    (void)ecs_world_refusal(world->native, status, text, sizeof text);
    lua_pushstring(L, text);
  } else {
    lua_pushstring(L, ecs_status_text(status));
  }
}

void bind_push_status(lua_State *L, const LuaWorld *world, ecs_Status status,
                      const char *call) {
  ECS_ASSERT(status > ECS_OK && status < ECS_STATUS_COUNT);
  if (status == ECS_E_ACCESS && world->native)
    push_conflict(L, world, call);
  else if (status == ECS_E_OPEN && bind_world_open(world))
    lua_pushfstring(L, "ecs: %s is not possible inside %s", call,
                    bind_world_open(world));
  else {
    bind_push_refusal(L, world, status);
    lua_pushfstring(L, "ecs: %s: %s", call, lua_tostring(L, -1));
    lua_remove(L, -2);
  }
}

int bind_refuse_status(lua_State *L, const LuaWorld *world, ecs_Status status,
                       const char *call) {
  bind_push_status(L, world, status, call);
  return bind_raise(L);
}

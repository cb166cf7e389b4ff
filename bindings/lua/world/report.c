/* report.c: messages for what the core refuses. */
#include "world/report.h"

#include "api/for_bindings.h"
#include "object/number.h"

/* The innermost open walk that accesses a component; NULL: there is none. */
static const OpenWalk *holder_of(const LuaWorld *world,
                                 const Definition *definition) {
  for (const OpenWalk *walk = world->innermost; walk; walk = walk->outer)
    for (uint32_t t = 0; t < walk->term_count; t++)
      if (walk->terms[t].definition == definition &&
          access_has_columns(walk->terms[t].access))
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
    lua_pushfstring(
        L, "ecs: %s cannot reach %s: something is walking over it", call,
        component ? bind_component_name(world, component) : "a component");
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

void bind_push_link_refusal(lua_State *L, const Definition *definition,
                            uint32_t field) {
  const char *name = definition->fields[field].name;
  lua_pushfstring(L,
                  "ecs: %s.%s is a link, which rows and batches only read: "
                  "link with world:set(e, %s, '%s', target)",
                  definition->name, name, definition->name, name);
}

/* Pushes the message for a link that the core refuses. */
static void push_link_refused(lua_State *L, const LuaWorld *world,
                              ecs_Status status, const char *call) {
  ecs_Entity source = 0, target = 0;
  (void)ecs_refused_link(world->native, &source, &target);
  bind_push_entity_text(L, (double)target);
  bind_push_entity_text(L, (double)source);
  if (status == ECS_E_LINK)
    lua_pushfstring(L, "ecs: %s: %s is not alive: nothing can link to it", call,
                    lua_tostring(L, -2));
  else if (source == target)
    lua_pushfstring(L,
                    "ecs: %s: %s cannot link to itself: its links are a tree",
                    call, lua_tostring(L, -1));
  else
    lua_pushfstring(L,
                    "ecs: %s: %s cannot link to %s, which is below it: that "
                    "would close a circle",
                    call, lua_tostring(L, -1), lua_tostring(L, -2));
  lua_replace(L, -3);
  lua_pop(L, 1);
}

void bind_push_status(lua_State *L, const LuaWorld *world, ecs_Status status,
                      const char *call) {
  ECS_ASSERT(status > ECS_OK && status < ECS_STATUS_COUNT);
  if (status == ECS_E_ACCESS && world->native)
    push_conflict(L, world, call);
  else if ((status == ECS_E_LINK || status == ECS_E_CIRCLE) && world->native)
    push_link_refused(L, world, status, call);
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

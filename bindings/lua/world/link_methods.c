/* link_methods.c: what scripts may ask of links.
 *
 *      world:links(e, Orbits, "around")     copy the entities;
 *      world:children(e)                    step --> still there? --> e
 *      world:ancestors(e)                     ^                       |
 *                                             +---- loop body --------+
 *
 * Nothing is open during a loop. At its end it returns to its world, and the
 * world's next loop uses it again; if it is left early it becomes garbage.
 *
 * An entity that is not alive has no links, and neither has one of a component
 * that its world does not have yet.
 */
#include "world/link_methods.h"

#include <string.h>

#include "component/prefab.h"
#include "object/number.h"
#include "world/components.h"
#include "world/entity_methods.h"

/* The links of an entity that a call asks for. */
typedef struct LinkCall {
  LuaWorld *world;
  ecs_Entity entity;
  ecs_Component component; /* 0: the entity is dead, or has no such links */
  uint32_t field;
} LinkCall;

/* A loop over entities. Its private table has its iterator at LOOP_STEP. */
#define LOOP_STEP 1
typedef struct LinkLoop {
  Header header;
  LinkCall call; /* its world is kept alive by the iterator */
  bool upwards;  /* over ancestors; otherwise over what links to the entity */
  bool running;  /* between its begin and its end */
  uint32_t next; /* entity that is looked at next */
  uint32_t count, capacity;
  ecs_Entity entities[];
} LinkLoop;

/* Arguments --------------------------------------------------------------- */

/* Pushes "around, beside": the links of a component. */
static void push_names(lua_State *L, const Definition *definition) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (uint32_t k = 0; k < definition->link_count; k++) {
    if (k > 0) luaL_addstring(&buffer, ", ");
    luaL_addstring(&buffer,
                   definition->fields[definition->links[k].field].name);
  }
  luaL_pushresult(&buffer);
}

/* Raises because the value at index names no link. */
static void refuse_field(lua_State *L, int index, const Definition *definition,
                         const char *call) {
  bool named = !lua_isnoneornil(L, index);
  if (definition->link_count == 0)
    bind_error(L,
               "%s: %s has no link: that is an entity field such as "
               "{ 'entity', link = 'clear' }",
               call, definition->name);
  push_names(L, definition);
  if (!named)
    bind_error(L, "%s: %s has the links %s: name one of them", call,
               definition->name, lua_tostring(L, -1));
  if (lua_type(L, index) == LUA_TSTRING)
    lua_pushfstring(L, "'%s'", lua_tostring(L, index));
  else
    bind_push_description(L, index);
  bind_error(L, "%s: %s has the link%s %s, not %s", call, definition->name,
             definition->link_count == 1 ? "" : "s", lua_tostring(L, -2),
             lua_tostring(L, -1));
}

/* The field that the value at index names; nil where there is one link. */
static uint32_t check_field(lua_State *L, int index,
                            const Definition *definition, const char *call) {
  if (lua_isnoneornil(L, index) && definition->link_count == 1)
    return definition->links[0].field;
  const char *name =
      lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
  for (uint32_t k = 0; k < definition->link_count; k++) {
    uint32_t field = definition->links[k].field;
    if (strcmp(definition->fields[field].name, name) == 0) return field;
  }
  refuse_field(L, index, definition, call);
  return 0;
}

/* Finds the component of a call, unless there can be no links. */
static void find_component(lua_State *L, LinkCall *call,
                           const Definition *definition) {
  if (ecs_alive(bind_native(L, call->world), call->entity))
    call->component = bind_component_find(call->world, definition);
}

/* Reads world:links(e, Orbits, "around"). */
static LinkCall check_links(lua_State *L, const char *name) {
  LinkCall call = {.world = bind_world_check(L, 1)};
  call.entity = bind_entity_read(L, 2, name);
  const Definition *definition = bind_definition_check(L, 3, name);
  call.field = check_field(L, 4, definition, name);
  find_component(L, &call, definition);
  return call;
}

/* Reads world:children(e), of which ChildOf is the component. */
static LinkCall check_kin(lua_State *L, const char *name) {
  LinkCall call = {.world = bind_world_check(L, 1)};
  call.entity = bind_entity_read(L, 2, name);
  if (lua_gettop(L) > 2)
    bind_error(L,
               "%s takes one entity: a parent is set by world:set(e, "
               "ecs.ChildOf { parent = p })",
               name);
  const Definition *child_of = bind_child_of(L);
  if (child_of) find_component(L, &call, child_of);
  return call;
}

/* Answers ----------------------------------------------------------------- */

/* What an entity links to; 0: nothing. */
static ecs_Entity target_of(lua_State *L, const LinkCall *call,
                            ecs_Entity source) {
  ecs_Entity target = 0;
  if (call->component)
    (void)ecs_link_target(bind_native(L, call->world), source, call->component,
                          call->field, &target);
  return target;
}

/* How many entities link to one, and as many of them as there is room for. */
static uint32_t copy_links(lua_State *L, const LinkCall *call,
                           ecs_Entity *sources, uint32_t capacity) {
  uint32_t count = 0;
  if (call->component)
    (void)ecs_links(bind_native(L, call->world), call->entity, call->component,
                    call->field, sources, capacity, &count);
  return count;
}

/* The same for the ancestors, the nearest first. */
static uint32_t copy_ancestors(lua_State *L, const LinkCall *call,
                               ecs_Entity *ancestors, uint32_t capacity) {
  uint32_t count = 0;
  for (ecs_Entity up = target_of(L, call, call->entity); up != 0;
       up = target_of(L, call, up), count++)
    if (count < capacity) ancestors[count] = up;
  return count;
}

/* world:link_count(e, Orbits, "around") */
static int world_link_count(lua_State *L) {
  LinkCall call = check_links(L, "link_count");
  compat_push_whole(L, copy_links(L, &call, NULL, 0));
  return 1;
}

/* world:parent(e) */
static int world_parent(lua_State *L) {
  LinkCall call = check_kin(L, "parent");
  ecs_Entity parent = target_of(L, &call, call.entity);
  bind_push_element(L, ECS_ENTITY, &parent);
  return 1;
}

/* Loops ------------------------------------------------------------------- */

/* Does an entity that was copied still belong to the loop? */
static bool is_there(lua_State *L, const LinkLoop *loop, ecs_Entity entity) {
  return loop->upwards ? ecs_alive(bind_native(L, loop->call.world), entity)
                       : target_of(L, &loop->call, entity) == loop->call.entity;
}

/* Ends the loop of the running iterator and returns it to its world. */
static void finish(lua_State *L, LinkLoop *loop) {
  if (!loop->running) return;
  loop->running = false;
  compat_push_private(L, lua_upvalueindex(3));
  lua_getfield(L, -1, "link_loops");
  if (!lua_istable(L, -1)) return;
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_rawseti(L, -2, (int)lua_rawlen(L, -2) + 1);
}

/* The iterator of a loop, with the LinkLoop and its world as upvalues 2 and 3:
 * the next entity; nil at the end. */
static int step(lua_State *L) {
  LinkLoop *loop = (LinkLoop *)lua_touserdata(L, lua_upvalueindex(2));
  while (loop->next < loop->count) {
    ecs_Entity entity = loop->entities[loop->next++];
    if (!is_there(L, loop, entity)) continue;
    bind_push_entity(L, entity);
    return 1;
  }
  finish(L, loop);
  lua_pushnil(L);
  return 1;
}

/* Pushes a new loop with room for a number of entities, for the world at
 * index 1. */
static LinkLoop *new_loop(lua_State *L, uint32_t count) {
  uint32_t capacity = count + count / 4 + 16;
  LinkLoop *loop = (LinkLoop *)bind_new(
      L, KIND_LINKS, sizeof *loop + capacity * sizeof(ecs_Entity));
  loop->capacity = capacity;
  compat_push_private(L, -1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, -3);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, step, 3);
  lua_rawseti(L, -2, LOOP_STEP);
  lua_pop(L, 1);
  return loop;
}

/* Pushes a loop of the world at index 1 that is not in use, with room for a
 * number of entities: one that came to its end, or a new one. */
static LinkLoop *idle_loop(lua_State *L, uint32_t count) {
  compat_push_private(L, 1);
  lua_getfield(L, -1, "link_loops");
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "link_loops");
  }
  int last = (int)lua_rawlen(L, -1);
  lua_rawgeti(L, -1, last);
  LinkLoop *loop = (LinkLoop *)bind_find(L, -1, KIND_LINKS);
  if (loop) {
    lua_pushnil(L);
    lua_rawseti(L, -3, last);
  }
  if (loop && loop->capacity >= count) return loop;
  return new_loop(L, count);
}

/* Begins a loop and pushes its iterator. Finalizers that run for what is
 * allocated may link more entities, so the loop grows until they fit. */
static int begin_loop(lua_State *L, const LinkCall *call, bool upwards) {
  uint32_t (*copy)(lua_State *, const LinkCall *, ecs_Entity *, uint32_t) =
      upwards ? copy_ancestors : copy_links;
  uint32_t count = copy(L, call, NULL, 0);
  LinkLoop *loop = idle_loop(L, count);
  while ((count = copy(L, call, loop->entities, loop->capacity)) >
         loop->capacity)
    loop = new_loop(L, count);
  loop->call = *call;
  loop->upwards = upwards;
  loop->count = count;
  loop->next = 0;
  loop->running = true;
  compat_push_private(L, -1);
  lua_rawgeti(L, -1, LOOP_STEP);
  return 1;
}

/* world:links(e, Orbits, "around") */
static int world_links(lua_State *L) {
  LinkCall call = check_links(L, "links");
  return begin_loop(L, &call, false);
}

/* world:children(e) */
static int world_children(lua_State *L) {
  LinkCall call = check_kin(L, "children");
  return begin_loop(L, &call, false);
}

/* world:ancestors(e) */
static int world_ancestors(lua_State *L) {
  LinkCall call = check_kin(L, "ancestors");
  return begin_loop(L, &call, true);
}

void bind_open_link_methods(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"links", world_links},         {"link_count", world_link_count},
      {"parent", world_parent},       {"children", world_children},
      {"ancestors", world_ancestors}, {NULL, NULL}};
  bind_push_methods(L, KIND_WORLD);
  bind_add(L, methods);
  lua_pop(L, 1);
}

/* components.c: the components that a world has for the definitions of scripts.
 *
 * A world gets a component for a definition when a script first uses the
 * definition there. It gets all that are missing before a walk begins, because
 * no component can be defined during a walk. The other way round, components
 * that a host has defined get definitions before a script defines anything, and
 * when a script asks for the components of an entity.
 */
#include "world/components.h"

#include <string.h>

#include "component/define.h"
#include "component/host_definition.h"
#include "component/new_definition.h"
#include "world/borrowed.h"
#include "world/collect.h"
#include "world/report.h"

/* Gives ids and owners room for needed entries. Both lie in one userdata, kept
 * in the private table, so an error leaves no memory behind. */
static void grow(lua_State *L, LuaWorld *world, int index, uint32_t needed) {
  if (needed <= world->capacity) return;
  uint32_t capacity = world->capacity ? world->capacity : 16;
  while (capacity < needed) capacity *= 2;
  index = compat_absolute(L, index);
  size_t each = sizeof *world->owners + sizeof *world->ids;
  compat_push_private(L, index);
  void *block = lua_newuserdata(L, capacity * each);
  memset(block, 0, capacity * each);
  if (needed <= world->capacity) { /* a finalizer made room */
    lua_pop(L, 2);
    return;
  }
  const Definition **owners = (const Definition **)block;
  ecs_Component *ids = (ecs_Component *)(owners + capacity);
  uint32_t kept = world->capacity < capacity ? world->capacity : capacity;
  if (kept) {
    memcpy(owners, world->owners, kept * sizeof *owners);
    memcpy(ids, world->ids, kept * sizeof *ids);
  }
  lua_setfield(L, -2, "ids");
  world->owners = owners;
  world->ids = ids;
  world->capacity = capacity;
  lua_pop(L, 1);
}

/* Records that a component of the world belongs to a definition. */
static void link_component(lua_State *L, LuaWorld *world, int index,
                           const Definition *definition,
                           ecs_Component component) {
  uint32_t highest =
      definition->index > component ? definition->index : component;
  ECS_ASSERT(definition->index > 0 && component > 0);
  grow(L, world, index, highest + 1);
  ECS_ASSERT(highest < world->capacity);
  ECS_ASSERT(!world->owners[component] ||
             world->owners[component] == definition);
  world->owners[component] = definition;
  world->ids[definition->index] = component;
}

/* Pushes why the world cannot have a component for the definition. */
static void push_refusal(lua_State *L, const LuaWorld *world, ecs_Status status,
                         const Definition *definition) {
  const char *name = definition->name;
  if (status == ECS_E_OPEN && bind_world_open(world))
    lua_pushfstring(L,
                    "ecs: %s is new to this world and cannot be added to it "
                    "inside %s: define it before",
                    name, bind_world_open(world));
  else if (status == ECS_E_SCHEMA && world->borrowed)
    lua_pushfstring(L,
                    "ecs: %s has other fields, or the same in another "
                    "order, in the host's world: use ecs.component '%s', or "
                    "let the host define it first",
                    name, name);
  else if (status == ECS_E_ARGUMENT)
    lua_pushfstring(L,
                    "ecs: what %s needs has to be said before the host makes "
                    "bundles of it",
                    name);
  else
    bind_push_status(L, world, status, name);
}

/* Defines the component of a definition. On failure, pushes a message and
 * returns 0. */
static ecs_Component define(lua_State *L, const LuaWorld *world,
                            const Definition *definition) {
  ecs_Component component = 0;
  ecs_ComponentDescription description = {
      .name = definition->name,
      .fields = definition->fields,
      .field_count = definition->field_count,
      .storage = definition->storage,
      .links = definition->links,
      .link_count = definition->link_count};
  ecs_Status status;
  if (definition->held && world->borrowed) {
    lua_pushfstring(L,
                    "ecs: %s has fields of type string or any, which the world "
                    "of a host cannot have",
                    definition->name);
    return 0;
  }
  if (definition->held)
    ecs_world_hold_values(bind_native(L, world), &world->state->held);
  BIND_WITH_RELIEF(
      L, world, status,
      ecs_component(bind_native(L, world), &description, &component));
  if (status == ECS_OK && definition == world->state->named)
    BIND_WITH_RELIEF(L, world, status,
                     ecs_name_tag(bind_native(L, world), component));
  if (status == ECS_OK) return component;
  push_refusal(L, world, status, definition);
  return 0;
}

/* Needs -------------------------------------------------------------------- */

/* The definition at a place of the list; NULL: the list ends. */
static const Definition *listed(lua_State *L, int list, int place) {
  lua_rawgeti(L, list, place);
  const Definition *definition =
      (const Definition *)bind_find(L, -1, KIND_DEFINITION);
  lua_pop(L, 1);
  return definition;
}

/* Appends the definition on top of the stack to the list, and pops it, unless
 * it is there, or the world has a component for it. */
static void append(lua_State *L, const LuaWorld *world, int list,
                   const Definition *definition) {
  lua_rawgeti(L, list, -(int)definition->index);
  bool known = lua_toboolean(L, -1) || bind_component_find(world, definition);
  lua_pop(L, 1);
  if (!known) {
    lua_pushboolean(L, 1);
    lua_rawseti(L, list, -(int)definition->index);
    lua_rawseti(L, list, (int)lua_rawlen(L, list) + 1);
  } else {
    lua_pop(L, 1);
  }
}

/* Appends what the definition at a place of the list needs. False: pushes a
 * message, because a name of it has no definition. */
static bool append_needs(lua_State *L, const LuaWorld *world, int list,
                         int place) {
  const Definition *definition = listed(L, list, place);
  if (definition->need_count == 0) return true;
  lua_rawgeti(L, list, place);
  bind_definition_push_needs(L, lua_gettop(L));
  int needs = lua_gettop(L);
  for (uint32_t i = 1; i <= definition->need_count; i++) {
    lua_rawgeti(L, needs, (int)i);
    const Definition *need = bind_definition_find(L, lua_gettop(L));
    if (!need) {
      lua_pushfstring(L, "ecs: %s needs %s, and no component is called so yet",
                      definition->name, lua_tostring(L, -2));
      return false;
    }
    append(L, world, list, need);
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
  return true;
}

/* Declares what the component of a definition needs; all of it is defined. */
static bool declare_needs(lua_State *L, const LuaWorld *world, int list,
                          int place) {
  const Definition *definition = listed(L, list, place);
  ecs_Component component =
      ecs_component_find(bind_native(L, world), definition->name);
  ecs_Status status = ECS_OK;
  if (definition->need_count == 0) return true;
  lua_rawgeti(L, list, place);
  bind_definition_push_needs(L, lua_gettop(L));
  for (uint32_t i = 1; status == ECS_OK && i <= definition->need_count; i++) {
    lua_rawgeti(L, -1, (int)i);
    ecs_Component need =
        ecs_component_find(bind_native(L, world), lua_tostring(L, -1));
    lua_pop(L, 1);
    BIND_WITH_RELIEF(
        L, world, status,
        ecs_component_need(bind_native(L, world), component, &need, 1));
  }
  lua_pop(L, 2);
  if (status == ECS_OK) return true;
  push_refusal(L, world, status, definition);
  return false;
}

/* Pushes the list of a definition and what it needs, and what that needs: the
 * list grows while it is read. False: pushes a message behind it, because a name
 * has no definition. */
static bool push_needed(lua_State *L, const LuaWorld *world,
                        const Definition *definition) {
  bool done = true;
  luaL_checkstack(L, 10, "too many arguments");
  lua_newtable(L);
  int list = lua_gettop(L);
  bind_definition_push(L, definition);
  append(L, world, list, definition);
  for (int i = 1; done && listed(L, list, i); i++)
    done = append_needs(L, world, list, i);
  return done;
}

bool bind_needs_try(lua_State *L, const LuaWorld *world,
                    const Definition *definition) {
  int top = lua_gettop(L);
  if (definition->need_count == 0 || bind_component_find(world, definition) ||
      push_needed(L, world, definition)) {
    lua_settop(L, top);
    return true;
  }
  lua_replace(L, top + 1); /* the list */
  lua_settop(L, top + 1);
  return false;
}

void bind_needs_check(lua_State *L, const LuaWorld *world,
                      const Definition *definition) {
  if (!bind_needs_try(L, world, definition)) bind_raise(L);
}

/* The component of a definition that needs others. Those are defined, too. All
 * get definitions last, so that a call that fails is made anew as a whole. */
static ecs_Component define_with_needs(lua_State *L, LuaWorld *world, int index,
                                       const Definition *definition) {
  int list = lua_gettop(L) + 1;
  bool done = push_needed(L, world, definition);
  for (int i = 1; done && listed(L, list, i); i++)
    done = define(L, world, listed(L, list, i)) != 0;
  for (int i = 1; done && listed(L, list, i); i++)
    done = declare_needs(L, world, list, i);
  ecs_World *native = bind_native(L, world);
  for (int i = 1; done && listed(L, list, i); i++) {
    const Definition *made = listed(L, list, i);
    link_component(L, world, index, made,
                   ecs_component_find(native, made->name));
  }
  lua_replace(L, list); /* the message; otherwise the list itself */
  lua_settop(L, done ? list - 1 : list);
  return bind_component_find(world, definition);
}

ecs_Component bind_component_try(lua_State *L, LuaWorld *world, int index,
                                 const Definition *definition) {
  ecs_Component component = bind_component_find(world, definition);
  if (component) return component;
  index = compat_absolute(L, index);
  if (definition->need_count > 0)
    return define_with_needs(L, world, index, definition);
  component = define(L, world, definition);
  if (component) link_component(L, world, index, definition, component);
  return component;
}

ecs_Component bind_component_define(lua_State *L, LuaWorld *world, int index,
                                    const Definition *definition) {
  ecs_Component component = bind_component_try(L, world, index, definition);
  if (!component) bind_raise(L);
  return component;
}

void bind_components_ensure(lua_State *L, LuaWorld *world, int index) {
  ModuleState *state = bind_state(L);
  if (bind_world_open(world) || world->known == state->definition_count) return;
  if (ecs_deferring(bind_native(L, world))) return; /* a cursor of the host */
  index = compat_absolute(L, index);
  bind_push_shared(L);
  bind_push_table(L, "definitions");
  uint32_t next = world->waiting ? world->waiting : world->known + 1;
  uint32_t waiting = 0;
  for (; next <= state->definition_count; next++) {
    lua_rawgeti(L, -1, (int)next);
    Definition *definition = (Definition *)bind_find(L, -1, KIND_DEFINITION);
    lua_pop(L, 1);
    if (definition && !bind_needs_try(L, world, definition)) {
      lua_pop(L, 1);
      if (waiting == 0) world->waiting = waiting = next;
    } else if (definition) {
      bind_component_ensure(L, world, index, definition);
    }
    if (world->known < next) world->known = next;
  }
  world->waiting = waiting;
  ECS_ASSERT(world->known <= state->definition_count);
  lua_pop(L, 2);
}

/* Of hosts ----------------------------------------------------------------- */

/* Has the host defined components since the last call? */
static bool has_new_components(const LuaWorld *world) {
  return world->borrowed && world->native &&
         ecs_component_name(world->native, world->adopted + 1);
}

void bind_components_adopt(lua_State *L, LuaWorld *world, int index) {
  index = compat_absolute(L, index);
  while (has_new_components(world)) {
    ecs_Component component = world->adopted + 1;
    HostDefinition found =
        bind_definition_for(L, world->native, component, true);
    if (found.definition && world->native)
      link_component(L, world, index, found.definition, component);
    world->adopted = component;
  }
}

/* Gives definitions to the components of every borrowed world. */
static void adopt_all(lua_State *L) {
  int worlds = bind_borrowed_push(L);
  int count = (int)lua_rawlen(L, worlds);
  for (int k = 1; k <= count; k++) {
    lua_rawgeti(L, worlds, k);
    LuaWorld *world = (LuaWorld *)bind_find(L, -1, KIND_WORLD);
    if (world) bind_components_adopt(L, world, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* Of scripts --------------------------------------------------------------- */

/* ecs.component(name, fields, options) */
static int component(lua_State *L) {
  adopt_all(L);
  return bind_define_component(L);
}

/* ecs.tag(name, options) */
static int tag(lua_State *L) {
  adopt_all(L);
  return bind_define_tag(L);
}

/* is_defined(world, component): has the world, or its host, a component for it?
 */
static int is_defined(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  const Definition *definition = bind_definition_check(L, 2, "is_defined");
  lua_pushboolean(
      L, bind_component_find(world, definition) ||
             ecs_component_find(bind_native(L, world), definition->name));
  return 1;
}

void bind_open_components(lua_State *L) {
  static const luaL_Reg functions[] = {{"component", component},
                                       {"tag", tag},
                                       {"is_defined", is_defined},
                                       {NULL, NULL}};
  bind_add(L, functions);
}

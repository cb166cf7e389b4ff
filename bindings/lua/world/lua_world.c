/* lua_world.c: the life of a world in Lua, and how it meets definitions.
 *
 *      ecs.world{}  -> userdata (live) -- close, __close, __gc --> closed
 *
 * The userdata is the holder of its native world, in the word of ecs.h: should
 * a host destroy that under it, it is closed.
 *
 * Closing twice is harmless. Closing inside a callback, or in a frame that
 * records, is refused; a finalizer cannot be refused anything (a script with
 * the debug library can call it), so then the walk or the recording that is
 * open closes the world when it ends.
 */
#include "world/lua_world.h"

#include <stdio.h>
#include <string.h>

#include "query/batch_view.h"

/* Life -------------------------------------------------------------------- */

static LuaWorld *find_world(lua_State *L, int index) {
  LuaWorld *world = (LuaWorld *)bind_find(L, index, KIND_WORLD);
  if (!world) bind_refuse_self(L, index, "world");
  world->state = bind_state(L);
  if (world->finalized) return world;
  world->state->recent_world = world;
  world->state->recent_world_magic = world->header.magic;
  return world;
}

/* The world that was found last is not asked for its metatable again. Length
 * and magic are, for a script with the debug library can take a finalizer
 * away. */
LuaWorld *bind_world_check(lua_State *L, int index) {
  const State *state = bind_state(L);
  LuaWorld *world = (LuaWorld *)lua_touserdata(L, index);
  if (!world || world != state->recent_world ||
      lua_rawlen(L, index) != sizeof *world ||
      world->header.magic != state->recent_world_magic ||
      world->state != state) /* a new world where one was lost */
    world = find_world(L, index);
  bind_native(L, world);
  return world;
}

/* The collector knows nothing of a world's memory: tell it that as much was
 * allocated, so that dropped worlds are found in time. A script that stopped
 * the collector is left alone: on LuaJIT a step would start it again. */
void bind_world_pay(lua_State *L, const LuaWorld *world) {
  if (!compat_collects(L)) return;
  ecs_Statistics statistics;
  ecs_world_statistics(world->native, &statistics);
  lua_gc(L, LUA_GCSTEP, (int)(statistics.bytes / 1024 % 65536));
}

/* A world without systems. Its state is a table for scripts/ecs. */
LuaWorld *bind_world_new(lua_State *L) {
  LuaWorld *world = (LuaWorld *)bind_new(L, KIND_WORLD, sizeof *world);
  compat_push_private(L, -1);
  lua_newtable(L);
  lua_setfield(L, -2, "state");
  lua_newtable(L);
  lua_setfield(L, -2, "bundles");
  lua_newtable(L);
  lua_setfield(L, -2, "totals");
  lua_pop(L, 1);
  return world;
}

/* Leaves nothing that points into the native world. */
static void forget(LuaWorld *world) {
  static const uint64_t closed = WORLD_CLOSED;
  world->row_epoch = &closed;
  world->native = NULL;
}

static void native_ended(ecs_Holder *holder) {
  forget((LuaWorld *)(void *)((char *)holder - offsetof(LuaWorld, holder)));
}

bool bind_world_hold(LuaWorld *world, ecs_World *native) {
  world->holder.ended = native_ended;
  if (ecs_world_hold(native, &world->holder) != ECS_OK) return false;
  world->row_epoch = ecs_world_row_epoch(native);
  world->native = native;
  return true;
}

/* world() */
static int world_new(lua_State *L) {
  LuaWorld *world = bind_world_new(L);
  ecs_World *native = NULL;
  ecs_Status status = ecs_world_create(NULL, &native);
  if (status != ECS_OK)
    return bind_error(L, "no world: %s", ecs_status_text(status));
  (void)bind_world_hold(world, native); /* nobody else knows it */
  bind_world_pay(L, world);
  return 1;
}

void bind_world_end(LuaWorld *world) {
  if (!world->native) return;
  if (world->borrowed)
    (void)ecs_world_hold(world->native, NULL);
  else
    ecs_world_destroy(world->native);
  forget(world);
}

bool bind_world_settle(LuaWorld *world) {
  if (!world->doomed || bind_world_open(world)) return false;
  bind_world_end(world);
  return true;
}

const char *bind_world_open(const LuaWorld *world) {
  if (world->innermost) return world->innermost->label;
  return world->deferrals > 0
             ? "a frame that records its changes (flush = 'frame')"
             : NULL;
}

static int world_gc(lua_State *L) {
  LuaWorld *world = (LuaWorld *)bind_find(L, 1, KIND_WORLD);
  if (world) world->finalized = true;
  if (world && bind_state(L)->recent_world == world)
    bind_state(L)->recent_world = NULL;
  if (world && bind_world_open(world))
    world->doomed = true;
  else if (world)
    bind_world_end(world);
  return 0;
}

static int world_close(lua_State *L) {
  LuaWorld *world = (LuaWorld *)bind_find(L, 1, KIND_WORLD);
  if (!world) return bind_refuse_self(L, 1, "world");
  if (bind_world_open(world))
    return bind_error(L, "a world cannot be closed inside %s",
                      bind_world_open(world));
  if (world->borrowed) bind_world_detach(L, world, 1);
  bind_world_end(world);
  return 0;
}

static int world_tostring(lua_State *L) {
  LuaWorld *world = (LuaWorld *)bind_find(L, 1, KIND_WORLD);
  if (!world) return bind_error(L, "this is not a world");
  ecs_Statistics statistics;
  char text[64];
  if (!world->native) {
    lua_pushliteral(L, "ecs.World (closed)");
    return 1;
  }
  ecs_world_statistics(world->native, &statistics);
  snprintf(text, sizeof text, "ecs.World (%llu %s)",
           (unsigned long long)statistics.entities,
           statistics.entities == 1 ? "entity" : "entities");
  lua_pushstring(L, text);
  return 1;
}

/* state(world): the table that scripts/ecs keeps for it. */
static int world_state(lua_State *L) {
  bind_world_check(L, 1);
  compat_push_private(L, 1);
  lua_getfield(L, -1, "state");
  return 1;
}

/* find_state(world): the same; nil for what is no world that is open. */
static int find_state(lua_State *L) {
  const LuaWorld *world = (const LuaWorld *)bind_find(L, 1, KIND_WORLD);
  if (!world || !world->native) return 0;
  compat_push_private(L, 1);
  lua_getfield(L, -1, "state");
  return 1;
}

/* live(world): false when it is closed. */
static int world_live(lua_State *L) {
  LuaWorld *world = (LuaWorld *)bind_find(L, 1, KIND_WORLD);
  lua_pushboolean(L, world && world->native);
  return 1;
}

/* open(world): the label of the innermost open walk, or nil. */
static int world_open(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  if (world->innermost)
    lua_pushstring(L, world->innermost->label);
  else
    lua_pushnil(L);
  return 1;
}

/* Definitions ------------------------------------------------------------- */

/* Makes ids and owners hold needed entries. Both lie in one userdata, so an
 * error anywhere leaves nothing behind. */
static void grow(lua_State *L, LuaWorld *world, int index, uint32_t needed) {
  if (needed <= world->capacity) return;
  uint32_t capacity = world->capacity ? world->capacity : 16;
  while (capacity < needed) capacity *= 2;
  index = compat_absolute(L, index);
  size_t each = sizeof *world->owners + sizeof *world->ids;
  compat_push_private(L, index);
  void *block = lua_newuserdata(L, capacity * each);
  memset(block, 0, capacity * each);
  if (needed <= world->capacity) { /* a finalizer was here */
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

void bind_world_link(lua_State *L, LuaWorld *world, int index,
                     const Definition *definition, ecs_Component component) {
  uint32_t highest =
      definition->index > component ? definition->index : component;
  grow(L, world, index, highest + 1);
  world->owners[component] = definition;
  world->ids[definition->index] = component;
}

/* Pushes why a definition and a world do not go together. */
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
  else
    lua_pushfstring(L, "ecs: %s: %s", name, ecs_status_text(status));
}

ecs_Component bind_world_meet(lua_State *L, LuaWorld *world, int index,
                              const Definition *definition) {
  ecs_Component component = bind_world_try(L, world, index, definition);
  if (!component) bind_raise(L);
  return component;
}

ecs_Component bind_world_try(lua_State *L, LuaWorld *world, int index,
                             const Definition *definition) {
  ecs_Component component = world_find(world, definition);
  if (component) return component;
  ecs_ComponentDescription description = {definition->name, definition->fields,
                                          definition->field_count,
                                          definition->storage};
  ecs_Status status =
      ecs_component(bind_native(L, world), &description, &component);
  if (status != ECS_OK) {
    push_refusal(L, world, status, definition);
    return 0;
  }
  bind_world_link(L, world, index, definition, component);
  return component;
}

void bind_world_meet_all(lua_State *L, LuaWorld *world, int index) {
  State *state = bind_state(L);
  if (bind_world_open(world) || world->known == state->definition_count) return;
  if (ecs_deferring(bind_native(L, world))) return; /* a host's cursor */
  index = compat_absolute(L, index);
  bind_push_shared(L);
  bind_push_table(L, "definitions");
  while (world->known < state->definition_count) {
    uint32_t next = world->known + 1;
    lua_rawgeti(L, -1, (int)next);
    Definition *definition = (Definition *)bind_find(L, -1, KIND_DEFINITION);
    lua_pop(L, 1);
    if (definition) bind_world_meet(L, world, index, definition);
    if (world->known < next) world->known = next;
  }
  lua_pop(L, 2);
}

/* Messages ---------------------------------------------------------------- */

/* The innermost open walk that holds a component. */
static const View *holder_of(const LuaWorld *world,
                             const Definition *definition) {
  for (const View *view = world->innermost; view; view = view->outer)
    for (uint32_t t = 0; t < view->term_count; t++)
      if (view->terms[t].definition == definition &&
          view->terms[t].access <= ECS_OPTIONAL)
        return view;
  return NULL;
}

static void push_contest(lua_State *L, const LuaWorld *world,
                         const char *call) {
  ecs_Component component = ecs_world_contested(world->native);
  const Definition *definition =
      component < world->capacity ? world->owners[component] : NULL;
  const View *holder = definition ? holder_of(world, definition) : NULL;
  if (holder)
    lua_pushfstring(L,
                    "ecs: %s cannot reach %s here: %s is walking over it; "
                    "%s, or do this after it",
                    call, definition->name, holder->label,
                    holder->loop ? "write another component there, and this "
                                   "one in another system"
                                 : "use its batch");
  else
    lua_pushfstring(L, "ecs: %s cannot reach %s: something is walking over it",
                    call,
                    component ? ecs_component_name(world->native, component)
                              : "a component");
}

void bind_push_status(lua_State *L, const LuaWorld *world, ecs_Status status,
                      const char *call) {
  if (status == ECS_E_ACCESS && world->native)
    push_contest(L, world, call);
  else if (status == ECS_E_OPEN && bind_world_open(world))
    lua_pushfstring(L, "ecs: %s is not possible inside %s", call,
                    bind_world_open(world));
  else
    lua_pushfstring(L, "ecs: %s: %s", call, ecs_status_text(status));
}

/* The whole world --------------------------------------------------------- */

static int check_status(lua_State *L, const LuaWorld *world, ecs_Status status,
                        const char *call) {
  if (status == ECS_OK) return 0;
  bind_push_status(L, world, status, call);
  return bind_raise(L);
}

static int world_clear(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  return check_status(L, world, ecs_world_clear(world->native), "clear");
}

static int push_hash(lua_State *L, uint64_t hash) {
  char text[24];
  snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
  lua_pushstring(L, text);
  return 1;
}

/* Sixteen hexadecimal digits: 64 bits fit no Lua number of LuaJIT. */
static int world_hash(lua_State *L) {
  return push_hash(L, ecs_world_hash(bind_world_check(L, 1)->native));
}

static int world_state_hash(lua_State *L) {
  return push_hash(L, ecs_world_state_hash(bind_world_check(L, 1)->native));
}

/* world:group { A, B, C } */
static int world_group(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  if (!lua_istable(L, 2))
    return bind_error(L, "group takes a list, as in world:group { A, B }");
  int count = (int)bind_length(L, 2, "group");
  ecs_Component *components = (ecs_Component *)lua_newuserdata(
      L, ((size_t)count + 1) * sizeof *components);
  for (int k = 0; k < count; k++) {
    lua_rawgeti(L, 2, k + 1);
    if (lua_isnil(L, -1)) bind_refuse_nil(L, k + 1, "group");
    const Definition *definition =
        bind_definition_check(L, lua_gettop(L), "group");
    components[k] = bind_world_meet(L, world, 1, definition);
    for (int before = 0; before < k; before++)
      if (components[before] == components[k])
        return bind_error(L, "group names %s twice", definition->name);
    lua_pop(L, 1);
  }
  ecs_Status status =
      ecs_group(bind_native(L, world), components, (uint32_t)count);
  return check_status(L, world, status, "group");
}

static const luaL_Reg functions[] = {
    {"world", world_new}, {"state", world_state}, {"find_state", find_state},
    {"open", world_open}, {"live", world_live},   {NULL, NULL}};

static const luaL_Reg methods[] = {
    {"close", world_close}, {"clear", world_clear},
    {"hash", world_hash},   {"state_hash", world_state_hash},
    {"group", world_group}, {NULL, NULL}};

static const luaL_Reg metamethods[] = {{"__gc", world_gc},
                                       {"__close", world_close},
                                       {"__tostring", world_tostring},
                                       {NULL, NULL}};

void bind_open_worlds(lua_State *L) {
  bind_add(L, functions);
  bind_push_methods(L, KIND_WORLD);
  bind_add(L, methods);
  bind_push_metatable(L, KIND_WORLD);
  bind_add(L, metamethods);
  lua_pop(L, 2);
}

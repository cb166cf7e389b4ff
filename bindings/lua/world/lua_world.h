/* lua_world.h: worlds, queries and walks as userdata.
 *
 * A world meets a definition when it first uses it, or when a walk begins:
 * nothing new can be defined while one is open. ids maps one way and owners the
 * other:
 *
 *      definition index  1  2  3  4          component  1  2
 *      ids               0  2  0  1          owners     4  2
 *
 * Walks nest, within each other and within the recordings of a frame.
 * innermost leads from the inside out along outer, and names whom
 * to blame when two walks want the same component.
 */
#ifndef ECS_LUA_WORLDS_H
#define ECS_LUA_WORLDS_H

#include "component/definition.h"

typedef struct View View;

typedef struct LuaWorld {
  Header header;
  State *state;              /* set by bind_world_check, before all else */
  ecs_World *native;         /* NULL: closed */
  const uint64_t *row_epoch; /* of native; WORLD_CLOSED when there is none */
  ecs_Component *ids;        /* 0: not met yet */
  const Definition **owners; /* NULL: defined by the host, not adopted yet */
  uint32_t capacity;         /* of both, which are one userdata */
  uint32_t known;            /* all definitions up to this index are met */
  View *innermost;           /* NULL: no walk is open */
  uint32_t deferrals;        /* recordings that are open; see frames.c */
  bool running;              /* a frame is */
  bool finalized;            /* so its memory may go without a further word */
  bool doomed;               /* finalized during a walk or a recording, which
                                will close it */
  bool borrowed;             /* the host's: closing it only lets go */
  ecs_Holder holder;         /* learns of native's end */
  uint32_t adopted;          /* components up to this one were looked at */
  uint64_t seed;             /* of what ecs.random draws */
  struct Total *totals;      /* kept by its private table; see totals.h */
} LuaWorld;

/* What no native world's row_epoch ever is: what stands for one when it is closed,
 * and what a row remembers that has to be looked up. */
#define WORLD_CLOSED (UINT64_MAX - 1)
#define WORLD_NEVER UINT64_MAX

typedef struct LuaTerm {
  const Definition *definition;
  ecs_Access access;
} LuaTerm;

typedef struct LuaQuery {
  Header header;
  LuaWorld *world;
  ecs_Query *native; /* ends with the world */
  const char *label; /* "query { Position }" or "system 'move'" */
  uint32_t depth;    /* walks of this query that are open */
  uint32_t term_count;
  LuaTerm terms[];
} LuaQuery;

/* The live world at index; raises on anything else and on a closed one. */
BIND_INTERNAL LuaWorld *bind_world_check(lua_State *L, int index);

/* The native world, for one call of the core that follows at once; raises when
 * it was closed meanwhile. */
static inline ecs_World *bind_native(lua_State *L, const LuaWorld *world) {
  if (!world->native) bind_error(L, "this world is closed");
  return world->native;
}

/* Pushes a world that has nothing native yet. */
BIND_INTERNAL LuaWorld *bind_world_new(lua_State *L);

/* Gives it something native; false when that is held elsewhere. From then on it
 * is closed, too, when its host destroys native. */
BIND_INTERNAL bool bind_world_hold(LuaWorld *world, ecs_World *native);

/* Closes it, or lets go of a borrowed one; no walk is open. Harmless when it is
 * closed. */
BIND_INTERNAL void bind_world_end(LuaWorld *world);

/* After a walk or a recording: closes a doomed world when it was the outermost.
 * True when it did. */
BIND_INTERNAL bool bind_world_settle(LuaWorld *world);

/* What is open, for messages: the label of the innermost walk, or words for a
 * recording; NULL: nothing. */
BIND_INTERNAL const char *bind_world_open(const LuaWorld *world);
/* Tells the collector of the memory of a world that it will end. */
BIND_INTERNAL void bind_world_pay(lua_State *L, const LuaWorld *world);

/* host.c: defines for scripts what the host of a borrowed world has defined
 * since the last look. index is the world's place on the stack. */
BIND_INTERNAL void bind_world_adopt(lua_State *L, LuaWorld *world, int index);

/* host.c: ends a borrowed world for this state. Raises inside a walk. */
BIND_INTERNAL void bind_world_detach(lua_State *L, LuaWorld *world, int index);

/* lua_query.c: destroys what is left of a world's queries. */
BIND_INTERNAL void bind_queries_end(lua_State *L, LuaWorld *world, int index);

/* lua_kernel.c: keeps a library that is not loaded from a file; raises when the
 * name is taken. */
BIND_INTERNAL void bind_library_keep(lua_State *L, const char *name,
                                     const ecs_KernelLibrary *native);

/* The query at index, whose world lives; raises on anything else. */
BIND_INTERNAL LuaQuery *bind_query_check(lua_State *L, int index);

/* As bind_native, for the query at hand. */
BIND_INTERNAL ecs_Query *bind_query_native(lua_State *L, const LuaQuery *query);

/* The word for an access, as terms in Lua have it: "write". */
BIND_INTERNAL const char *bind_access_name(ecs_Access access);

/* The component of a definition: 0 when the world has not met it. */
static inline ecs_Component world_find(const LuaWorld *world,
                                       const Definition *definition) {
  return definition->index < world->capacity ? world->ids[definition->index]
                                             : 0;
}

/* The same, meeting it now if need be; raises when that fails. index is the
 * world's place on the stack. */
BIND_INTERNAL ecs_Component bind_world_meet(lua_State *L, LuaWorld *world,
                                            int index,
                                            const Definition *definition);

/* Notes that a definition and a component of the world are the same. */
BIND_INTERNAL void bind_world_link(lua_State *L, LuaWorld *world, int index,
                                   const Definition *definition,
                                   ecs_Component component);

/* As bind_world_meet, but a failure leaves its message on the stack and gives
 * 0. */
BIND_INTERNAL ecs_Component bind_world_try(lua_State *L, LuaWorld *world,
                                           int index,
                                           const Definition *definition);

/* The same, in line for a definition that the world has met. */
static inline ecs_Component bind_component_in(lua_State *L, LuaWorld *world,
                                              int index,
                                              const Definition *definition) {
  ecs_Component component = world_find(world, definition);
  return component ? component : bind_world_meet(L, world, index, definition);
}

/* Meets every definition there is, unless something is open. */
BIND_INTERNAL void bind_world_meet_all(lua_State *L, LuaWorld *world,
                                       int index);

/* lua_program.c: a whole number from 0 below 2^53, as an argument of scripts/ecs;
 * raises on anything else. */
BIND_INTERNAL uint64_t bind_whole_check(lua_State *L, int index);

/* Pushes the message for a status that no argument explains. */
BIND_INTERNAL void bind_push_status(lua_State *L, const LuaWorld *world,
                                    ecs_Status status, const char *call);

/* Parts of a spawn, resolved in a world. At most this many need no memory but
 * the C stack. */
#define PARTS_ON_STACK 32

typedef struct Parts {
  uint32_t count;
  Given *parts;
  ecs_Component *components;
  const void **images;
  Given part_room[PARTS_ON_STACK];
  ecs_Component component_room[PARTS_ON_STACK];
  const void *image_room[PARTS_ON_STACK];
} Parts;

/* Reads the count parts from stack index first on; raises, in the name of call.
 * May leave memory for them on the stack. world_index is the world's place. */
BIND_INTERNAL void bind_parts_read(lua_State *L, LuaWorld *world,
                                   int world_index, int first, int count,
                                   const char *call, Parts *parts);

#endif

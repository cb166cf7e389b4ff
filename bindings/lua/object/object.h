/* object.h: what the files of the C module for Lua share.
 *
 * Every object a script holds is a full userdata that starts with a Header:
 *
 *      Definition   a component's name and fields; lives as long as the state
 *      Value        a definition's image and which fields were given
 *      LuaWorld        owns an ecs_World
 *      LuaQuery        an ecs_Query, which its world owns
 *      Kernel       a native kernel bound to a query
 *      Library      a loaded library of native kernels
 *      View         one walk over batches, and what a script sees of it
 *      Rows         one loop over rows, and what a script sees of it
 *      Program      a kernel program bound to a query
 *      Total        a sum or extreme that each systems add to
 *
 *      State --> definitions, libraries     LuaQuery --> LuaWorld
 *        (upvalue 1 of every function)      Kernel --> LuaQuery
 *                                           View --> LuaQuery or LuaWorld
 *                                           Rows --> LuaQuery
 *                                           Total <-> LuaWorld
 *
 * An arrow is a reference through a private table, so a world outlives what was
 * made from it; closing it is another matter: then its native is NULL, and
 * whoever comes by it raises.
 *
 * Four rules make the binding safe, and every function keeps them:
 *
 * 1. Nothing is believed. An argument is one of ours when its metatable, its
 *    length and its magic, which contains its own address, say so; or when it
 *    is where something was found before that cannot be gone since.
 * 2. A userdata exists before the native thing it will own.
 * 3. While a cursor is open Lua is entered through lua_pcall alone, and nothing
 *    outside it allocates: on LuaJIT an allocation may run a finalizer, and a
 *    finalizer's error would leave the world open for ever.
 * 4. Whatever allocates from Lua may run a finalizer, which may close the world
 *    or use it. So a native pointer is asked for right before each call of the
 *    core (bind_native, bind_query_native), with nothing that allocates between
 *    the two, and a Lua table is read once: what was read is what counts.
 *
 * Errors: a function that scripts call raises and blames the script's line. One
 * that scripts/ecs calls for a script leaves the message on the stack instead,
 * so that the caller can blame the line of its own caller.
 */
#ifndef ECS_LUA_BINDING_H
#define ECS_LUA_BINDING_H

#include "ecs.h"
#include "object/compat.h"

#define BIND_INTERNAL __attribute__((visibility("hidden")))

typedef enum Kind {
  KIND_DEFINITION,
  KIND_VALUE,
  KIND_WORLD,
  KIND_QUERY,
  KIND_KERNEL,
  KIND_LIBRARY,
  KIND_VIEW,
  KIND_ROWS,
  KIND_PROGRAM,
  KIND_TOTAL,
  KIND_COUNT
} Kind;

typedef struct Header {
  uint64_t magic; /* of its kind, mixed with the address */
  size_t bytes;   /* of the whole userdata */
} Header;

/* One per Lua state. Its private table holds what the module shares:
 *   [kind]         the metatable of a kind
 *   definitions    definitions by index and by name
 *   libraries      libraries by name
 *   accelerated    see field_calls.c
 *   worlds         a list of the worlds borrowed from hosts
 *   hosts          what ecs_lua.h calls: a list of functions
 *   welcome        prepares a world that a host pushes
 *   build, rows    see batch_view.c and row_view.c
 *   home           how the names of chunks of scripts/ecs begin */
#define RECENT_DEFINITIONS 64u
typedef struct State {
  Header header;
  const void *metatables[KIND_COUNT]; /* told apart by address alone */
  uint32_t definition_count;
  /* Pure optimisation, a third of the time of a short call: what was found
   * before. A world is forgotten when it is finalized; a definition lives as
   * long as the state, so its address alone says what it is. */
  void *recent_world;
  uint64_t recent_world_magic;
  const void *recent_definitions[RECENT_DEFINITIONS]; /* by address */
  const void *order; /* of the host, being obeyed; see host.c */
  struct View *walk; /* the innermost, of whatever world; NULL: none, or a
                        frame began inside it */
  uint64_t turns;    /* runs of each systems that were begun */
} State;

/* The state of the running function: its first upvalue. */
static inline State *bind_state(lua_State *L) {
  return (State *)lua_touserdata(L, lua_upvalueindex(1));
}

/* The state of a Lua state, outside of any function of ours: pushes its
 * userdata, or pushes nil and returns NULL before the module is opened. Neither
 * allocates nor raises. */
BIND_INTERNAL State *bind_push_state(lua_State *L);

/* Pushes the state's private table. */
BIND_INTERNAL void bind_push_shared(lua_State *L);

/* Pushes a new userdata of this kind: its header filled in, the rest zero, and
 * an empty private table, unless it is a value. */
BIND_INTERNAL void *bind_new(lua_State *L, Kind kind, size_t bytes);

/* Lets the object on top keep the value at an absolute index alive, in a slot
 * of its private table. May raise, being out of memory. */
BIND_INTERNAL void bind_keep(lua_State *L, int index, int slot);

/* The object at index, or NULL when it is anything else. */
BIND_INTERNAL void *bind_find(lua_State *L, int index, Kind kind);

/* The same outside of any function of ours. */
BIND_INTERNAL void *bind_find_in(lua_State *L, const State *state, int index,
                                 Kind kind);

/* Raises "ecs: " and the rest, blaming whoever called the running function;
 * scripts/ecs is never blamed, but whoever called it. Takes what
 * lua_pushfstring takes. */
BIND_INTERNAL int bind_error(lua_State *L, const char *format, ...);

/* Raises the message on top of the stack, blaming the same line. */
BIND_INTERNAL int bind_raise(lua_State *L);

/* Raises because the running function, a method of a "world" or "query", was
 * given something else in its place, most likely by a '.' instead of a ':'. */
BIND_INTERNAL int bind_refuse_self(lua_State *L, int index, const char *self);

/* The length of the list at index; raises, in the name of call, when it has
 * more than LIST_LIMIT entries. */
#define LIST_LIMIT 4096u
BIND_INTERNAL uint32_t bind_length(lua_State *L, int index, const char *call);

/* Raises because an entry of a list is nil. */
BIND_INTERNAL int bind_refuse_nil(lua_State *L, int entry, const char *call);

/* Pushes the table that the table on top of the stack has under name. */
BIND_INTERNAL void bind_push_table(lua_State *L, const char *name);

/* Adds functions to the table on top of the stack, those that it lacks: when
 * the module is opened again, methods stay as scripts/ecs has left them. The
 * second upvalue of each is its name. */
BIND_INTERNAL void bind_add(lua_State *L, const luaL_Reg *functions);

/* Pushes the metatable of a kind, and the methods in it. */
BIND_INTERNAL void bind_push_metatable(lua_State *L, Kind kind);
BIND_INTERNAL void bind_push_methods(lua_State *L, Kind kind);

/* Each adds its functions to the table on top of the stack, which scripts/ecs
 * gets, and its methods and metamethods to the kinds it serves. */
BIND_INTERNAL void bind_open_definitions(lua_State *L);
BIND_INTERNAL void bind_open_worlds(lua_State *L);
BIND_INTERNAL void bind_open_entities(lua_State *L);
BIND_INTERNAL void bind_open_access(lua_State *L);
BIND_INTERNAL void bind_open_queries(lua_State *L);
BIND_INTERNAL void bind_open_bulk(lua_State *L);
BIND_INTERNAL void bind_open_views(lua_State *L);
BIND_INTERNAL void bind_open_walks(lua_State *L);
BIND_INTERNAL void bind_open_rows(lua_State *L);
BIND_INTERNAL void bind_open_each(lua_State *L);
BIND_INTERNAL void bind_open_kernels(lua_State *L);
BIND_INTERNAL void bind_open_mathematics(lua_State *L);
BIND_INTERNAL void bind_open_frames(lua_State *L);
BIND_INTERNAL void bind_open_hosts(lua_State *L);
BIND_INTERNAL void bind_open_programs(lua_State *L);
BIND_INTERNAL void bind_open_totals(lua_State *L);
BIND_INTERNAL void bind_open_draws(lua_State *L);
BIND_INTERNAL void bind_open_codes(lua_State *L);
BIND_INTERNAL void bind_open_files(lua_State *L);
BIND_INTERNAL void bind_open_strays(lua_State *L);

#endif

/* lua_world.h: worlds as userdata: their life, and what is open in them.
 *
 *      ecs.world {}, a host's push --> live -- close, __gc, host --> closed
 *
 * The private table of a world has `state`, a table for scripts/ecs, `bundles`
 * (see spawn_many.c), `totals`, `ids` (see components.c), `link_loops` (see
 * link_methods.c), the queries that were asked for (see world_queries.c) and,
 * if it is borrowed, `queries` (see lua_query.c).
 */
#ifndef ECS_LUA_LUA_WORLD_H
#define ECS_LUA_LUA_WORLD_H

#include "ecs_grid.h"
#include "world/open_walk.h"
#include "world/recent_queries.h"

/* What a world knows of a grid (query/lua_grid.h). */
typedef struct GridLife {
  uint64_t epoch;   /* of what was built; WORLD_CLOSED: the grid has ended */
  ecs_Grid *native; /* NULL: likewise */
  struct GridLife *next; /* of the same world */
} GridLife;

/* What a world knows of a snapshot (lua_snapshot.c). */
typedef struct SnapshotLife {
  ecs_Snapshot *native;      /* NULL: it has ended */
  struct SnapshotLife *next; /* of the same world */
} SnapshotLife;

typedef struct LuaWorld {
  Header header;
  ModuleState *state;        /* never NULL */
  ecs_World *native;         /* owned unless borrowed; NULL: closed */
  const uint64_t *row_epoch; /* of native; WORLD_CLOSED when there is none */
  const uint32_t *noticed;   /* notices of observers that wait, of native; never
                                NULL */
  Outcome (*tell)(lua_State *, struct LuaWorld *); /* calls observers, see
                                telling.h; NULL: there were none */
  ecs_Component *ids;        /* components by index of definition; 0: none yet.
                                With owners: one userdata, see components.c */
  const Definition **owners; /* definitions by component; NULL: defined by the
                                host, not adopted yet */
  uint32_t capacity;         /* entries of ids, and of owners */
  uint32_t known;            /* definitions up to this index have components */
  uint32_t waiting;          /* but from here on some that need what has no
                                definition; 0: all have */
  OpenWalk *innermost;       /* NULL: no walk is open */
  uint32_t deferrals;        /* recordings that are open; see frames.c */
  bool running;              /* a frame is running */
  bool telling;              /* observers are called, in a recording */
  bool applying;             /* recorded changes wait for a collection, in a
                                deferral; see recording.h */
  bool finalized;            /* its memory may be freed at any time */
  bool end_pending;          /* finalized while something was open: ends with
                                the outermost walk or recording */
  bool limited;              /* native has a memory limit of its own */
  bool borrowed;             /* from a host, which destroys native */
  ecs_Holder holder;         /* called when native is destroyed */
  uint32_t adopted;          /* components of the host up to this one were
                                given definitions */
  uint64_t seed;             /* of ecs.random */
  struct Total *totals;      /* kept alive by the private table; see totals.h */
  uint64_t tally_count;      /* of all totals; none is ever removed */
  GridLife *grids;           /* of those that live */
  SnapshotLife *snapshots;   /* likewise */
  uint64_t frame;            /* the number of the last one, from 1 */
  uint64_t step;             /* the same of steps of phases */
  bool in_step;              /* of a phase with fixed steps */
  RecentQueries recent;      /* see world_queries.c */
} LuaWorld;

/* Values that the row_epoch of a native world never has. They stand for a
 * closed world, and for a row with elements that have to be located. Like all
 * of its values they are the bits of a double that is a number: -1 and -2. */
#define WORLD_CLOSED UINT64_C(0xbff0000000000000)
#define WORLD_NEVER UINT64_C(0xc000000000000000)

/* The live world at index. Raises on anything else and on a closed world. */
BIND_INTERNAL LuaWorld *bind_world_check(lua_State *L, int index);

/* The native world, for a call of the core that follows at once. Raises when
 * the world has been closed. */
static inline ecs_World *bind_native(lua_State *L, const LuaWorld *world) {
  if (!world->native) bind_error(L, "this world is closed");
  return world->native;
}

/* The name of a component of an open world. A finalizer that closes the world
 * leaves the name: it belongs to a definition, or to the world of a host. */
BIND_INTERNAL const char *bind_component_name(const LuaWorld *world,
                                              ecs_Component component);

/* Pushes a closed world, for bind_world_hold, which bind_push_worlds lists.
 * Raises when memory runs out. */
BIND_INTERNAL LuaWorld *bind_world_new(lua_State *L);

/* Pushes the table of all worlds of the state, closed ones too, with weak values;
 * the keys mean nothing. */
BIND_INTERNAL void bind_push_worlds(lua_State *L);

/* Opens a closed world with a native one. False, and nothing has changed:
 * another object holds the native world already. The world is closed when a
 * host destroys native.
 */
BIND_INTERNAL bool bind_world_hold(LuaWorld *world, ecs_World *native);

/* How much more than what lives now the worlds of a state may hold until the
 * collector is asked (collect.h). */
BIND_INTERNAL uint64_t bind_room_to_grow(const ecs_Budget *budget);

/* Closes a world in which nothing is open: destroys the native world, or lets
 * go of a borrowed one. Harmless when it is closed. */
BIND_INTERNAL void bind_world_end(LuaWorld *world);

/* What is open, for messages: the label of the innermost walk, or words for a
 * recording. NULL: nothing is open, and the world can be closed. */
BIND_INTERNAL const char *bind_world_open(const LuaWorld *world);

/* Ends a world that was finalized while something was open, if nothing is open
 * any more. True when it did. To be called after a recording. */
BIND_INTERNAL bool bind_world_end_pending(LuaWorld *world);

/* Makes the walk the innermost one of its world and of the Lua state; its
 * cursor has been opened. Neither allocates nor raises. */
BIND_INTERNAL void bind_world_enter(OpenWalk *walk);

/* Makes the walk around it the innermost one again; its cursor has been closed.
 * True when leaving has closed the world, too (bind_world_end_pending). Neither
 * allocates nor raises. */
BIND_INTERNAL bool bind_world_leave(OpenWalk *walk);

/* The row that a run is at: its index in the batch; below 0: between rows. */
BIND_INTERNAL int32_t bind_run_index(lua_State *L, const SystemRun *run);

/* Adds state, find_state, open, busy and live to the table on top of the
 * stack, and the metamethods of worlds but __close. */
BIND_INTERNAL void bind_open_lua_world(lua_State *L);

#endif

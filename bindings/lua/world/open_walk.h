/* open_walk.h: an open walk over rows, as its world and the state see it.
 *
 * Walks nest, within each other and within frames. Each is in two lists, from
 * the inside out:
 *
 *      LuaWorld.innermost --> walk --outer--> walk --outer--> NULL
 *      ModuleState.walk   --> walk --before-> walk of any world
 *
 * The first names the walk to blame when two want the same component. The
 * second finds the row that ecs.random draws for and that total:add counts.
 * A walk lies in the object that runs it; bind_world_enter and bind_world_leave
 * (lua_world.h) link it in and out.
 */
#ifndef ECS_LUA_OPEN_WALK_H
#define ECS_LUA_OPEN_WALK_H

#include "api/for_bindings.h"
#include "component/definition.h"

/* A term of a query, or a component of a bundle. */
typedef struct LuaTerm {
  const Definition *definition;
  ecs_Access access;
} LuaTerm;

/* A run of an each system: what the numbers of its rows follow from. */
typedef struct SystemRun {
  const char *system; /* its name; borrowed from the caller's stack */
  uint64_t key;       /* of its random numbers */
  uint64_t number;    /* counts runs in ModuleState.runs */
  uint64_t before;    /* rows in all batches before this one */
  const int32_t *row; /* index in this batch; below 0: between rows */
  bool blocks;        /* row is the first of the block that begins at
                                 block; the row in it is in a table, see
                                 block_loop.c */
  uint32_t block;
  const ecs_Entity *entities; /* of this batch */
  uint64_t drawn;             /* the row, counted through, that drew last */
  uint64_t draws;             /* numbers that it has drawn */
} SystemRun;

/* What a walk, and what observers are called behind it, leave on top of the
 * stack: nothing; a message without a position; or the error value of a
 * callback. */
typedef enum Outcome { OUTCOME_DONE, OUTCOME_MISUSE, OUTCOME_THROWN } Outcome;

typedef struct OpenWalk {
  struct LuaWorld *world;
  const char *label; /* "query { Position }" or "system 'move'" */
  const LuaTerm *terms;
  uint32_t term_count;
  bool each;               /* calls a function per row; false: per batch */
  SystemRun *run;          /* NULL unless it is an each system */
  struct OpenWalk *outer;  /* of the same world; NULL: none */
  struct OpenWalk *before; /* of the same Lua state; NULL: none, or a frame
                              began in between */
} OpenWalk;

#endif

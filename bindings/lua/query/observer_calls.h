/* observer_calls.h: calls the functions that are told of changes.
 *
 *      a change is applied
 *        round: ecs_defer_begin
 *          for each notice: ecs_defer_begin -> f(e, row) -> ecs_defer_end
 *        ecs_defer_end: what the functions have changed is applied
 *        the next round, if notices wait; at most ROUNDS
 *
 * An observer has the core's observer and, for what has fields, a RowLoop of
 * its own: one of rows that is at the notice's entity, or, of what has left, one
 * over the images of the last values. One that gets batches has a view and a
 * buffer instead: the notices of a round are collected there, and given out
 * BATCH_ROWS at once, behind those that are given out one by one.
 *
 * A round is one protected call. When a function raises an error, what it
 * recorded is dropped, and so is the rest of the queue.
 *
 * The private table of an observer has its world, its function, its RowLoop or
 * view, the buffer of that, and its name for messages. The shared table has
 * "observed": by the address of a world the table of its observers, by id; it is
 * weak, and the world keeps that table.
 */
#ifndef ECS_LUA_OBSERVER_CALLS_H
#define ECS_LUA_OBSERVER_CALLS_H

#include "query/batch_view.h"
#include "query/row_view.h"

#define OBSERVER_WORLD 1
#define OBSERVER_FUNCTION 2
#define OBSERVER_ROWS 3
#define OBSERVER_NAME 4
#define OBSERVER_VIEW 5
#define OBSERVER_BUFFER 6

/* The most rows of a batch. */
#define BATCH_ROWS 256u

/* A component of a batch. */
typedef struct BatchTerm {
  const Definition *definition;
  uint32_t first; /* its first column */
  uint32_t image; /* its image of a notice */
} BatchTerm;

/* What an observer is to be told of together, in one userdata. */
typedef struct BatchBuffer {
  ecs_Entity entities[BATCH_ROWS];
  uint32_t count; /* rows */
  uint32_t term_count;
  uint32_t column_count;
  BatchTerm *terms;
  void **columns; /* of eight bytes for each row */
} BatchBuffer;

typedef struct LuaObserver {
  Header header;
  LuaWorld *world; /* kept alive by the private table */
  ecs_Observer id; /* 0: it is off */
  RowLoop *rows;   /* kept alive by the private table; NULL: it gets no rows */
  bool leaves;     /* it is told of what has left */
  ecs_Entity entity;   /* that rows is at */
  View *view;          /* both kept alive by the private table; NULL: it is */
  BatchBuffer *buffer; /* called for each entity */
} LuaObserver;

/* Where a table of observers has its world. */
#define OBSERVED_WORLD 0

/* Pushes the table of a world's observers, or nil. */
BIND_INTERNAL void bind_observers_push(lua_State *L, LuaWorld *world);

/* A LuaWorld.tell: calls the observers that notices wait for. */
BIND_INTERNAL Outcome bind_observers_tell(lua_State *L, LuaWorld *world);

#endif

/* batch_loop.h: calls a function for each batch of an open cursor. */
#ifndef ECS_LUA_BATCH_LOOP_H
#define ECS_LUA_BATCH_LOOP_H

#include "query/batch_view.h"
#include "query/walk_end.h"

/* A loop and the stack indices of what it needs. */
typedef struct BatchLoop {
  View *view;   /* its cursor is open while the loop runs */
  int slots;    /* of the VIEW_SLOTS tables */
  int callback; /* 0: none */
  int first_extra;
  int extra_count;  /* arguments that are handed on to the callback */
  const char *call; /* for messages */
  bool idle;        /* there was no batch */
  uint64_t rows;    /* of all batches; to begin with 0 */
  int tracer;       /* stack index of the message handler */
} BatchLoop;

/* Called for every batch before the callback; NULL: nothing to prepare. Must
 * neither allocate from Lua nor raise; a status other than ECS_OK ends the loop
 * as an error. */
typedef ecs_Status (*BatchPrepare)(const ecs_Batch *batch, void *data);

/* Pushes the slots of the loop's view, which is on top of the stack, and makes
 * room on the stack for bind_batch_loop. To be called before the cursor opens,
 * since it may raise. */
BIND_INTERNAL void bind_batch_loop_ready(lua_State *L, BatchLoop *loop);

/* Shows every batch to the callback and closes the cursor. Never raises; a
 * message or the callback's error is left on the stack. */
BIND_INTERNAL Outcome bind_batch_loop(lua_State *L, BatchLoop *loop,
                                      BatchPrepare prepare, void *data);

/* Adds run_batch to the table on top of the stack, and batch to the methods of
 * queries. */
BIND_INTERNAL void bind_open_batch_loop(lua_State *L);

#endif

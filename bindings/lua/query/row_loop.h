/* row_loop.h: query:each, each systems and query:rows. */
#ifndef ECS_LUA_ROW_LOOP_H
#define ECS_LUA_ROW_LOOP_H

#include "query/row_view.h"
#include "query/walk_end.h"

/* What a walk of each is for: a run of a system, or query:each. */
typedef struct EachCall {
  const char *system; /* stays on the stack of Lua; NULL: query:each */
  uint64_t key;       /* of the run's random numbers */
  bool (*next)(lua_State *, RowLoop *); /* takes the next rows, as
                           bind_rows_point does, for the RowLoop at index 1; may
                           raise. NULL: all rows, batch after batch */
  int (*again)(RowLoop *); /* the same where it needs no Lua: the rows'
                           end, and rows->at is their first; 0: next does it */
  bool idle;               /* result: there were no rows */
  bool drew;               /* result: a row has drawn a number */
  void *user;              /* of next */
  int source; /* index of a value for next, which the private table of
                           the RowLoop then has at ROWS_SOURCE */
} EachCall;

/* Walks query 1 with function 2, handing on arguments first to top: one
 * protected call. Raises before the walk only. */
BIND_INTERNAL Outcome bind_rows_walk(lua_State *L, LuaQuery *query, int first,
                                     EachCall *call);

/* Takes the next batch of the query; false when there is none. */
BIND_INTERNAL bool bind_rows_take(RowLoop *rows);

/* Makes rows of the batch, from first on, those that the function is called for
 * next. Cost: one step for each column. */
BIND_INTERNAL void bind_rows_point(RowLoop *rows, uint32_t first,
                                   uint32_t count);

/* Adds each_next, run_each and rows_done to the table on top of the stack, and
 * each and rows to the methods of queries. */
BIND_INTERNAL void bind_open_row_loop(lua_State *L);

#endif

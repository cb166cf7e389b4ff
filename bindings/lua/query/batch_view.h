/* batch_view.h: what a callback sees of a batch.
 *
 * A walk over a query (or bundle) reuses the view of an earlier walk that has
 * ended, or makes one. Showing a batch records where it lies and nothing else.
 * A column gets to Lua when the script first reads it:
 *
 *      script     batch[Position].x[i]
 *                   |         |  |
 *      proxy        contents  columns    (built by scripts/ecs/batch.lua)
 *                             |  column k, made by fill(view, k)
 *      view       columns[k]: touched, filled, slot ---- batch.columns[k]
 *
 * Hiding stores written columns back (plain tables), or canonicalizes NaNs and
 * ends the slots of the accelerator (scripts/ecs/ffi, on LuaJIT). It also
 * empties contents and columns, so that a script that kept a part of the batch
 * gets an error.
 */
#ifndef ECS_LUA_BATCH_VIEW_H
#define ECS_LUA_BATCH_VIEW_H

#include "query/kept_columns.h"
#include "world/lua_world.h"

/* How a script got a column: through a batch that only reads, or through one by
 * which it may store. */
#define TOUCH_READ 1u
#define TOUCH_WRITTEN 2u

/* The most batches of a walk for which a view keeps tables; the others share
 * those of the last. So its memory is that of the rows of as many batches. */
#define KEPT_BATCHES 16u

/* One column. scripts/ecs/ffi/cdef.lua declares this struct, too. */
typedef struct ViewColumn {
  uint32_t scalar;
  uint32_t writable;
  uint32_t touched; /* during this batch: TOUCH_READ, TOUCH_WRITTEN; 0: no */
  int32_t slot;     /* of the accelerator; 0: the column is a Lua table */
  uint32_t filled;  /* elements in the Lua table, stale ones included */
  uint32_t field;
  const Definition *definition; /* NULL: the entities */
  double address; /* as touch found it; a number, because LuaJIT reads a number
                     without making an object */
} ViewColumn;

/* scripts/ecs/ffi/columns_ffi.lua reads the fields up to columns. */
typedef struct View {
  Header header;
  ecs_Batch batch;
  ViewColumn *columns; /* column_count of them, and then the entities */
  uint32_t column_count;
  uint32_t pair_count; /* entries of the clear list, see batch_view.c */
  bool showing;        /* batch is being shown */
  bool busy;           /* its walk is open */
  bool copies;         /* of what an observer is told of: only read */
  OpenWalk walk;
  ecs_Cursor cursor;
  bool keeps;       /* tables are kept for the next walk: kept_columns.h */
  uint32_t ordinal; /* of the batch in its walk */
  KeptColumn *kept; /* of batch b and column k: [b * columns + k] */
} View;

/* Among the accelerator's counts by slot: the count of the batch that it uses
 * first, which is 0 after any batch. */
#define VIEW_FOCUS 1

/* What a script stored in a column against its type or access. */
typedef struct Misuse {
  uint32_t row; /* from 1; 0: nothing */
  uint32_t column;
  bool read_only; /* stored although the query only reads the component */
} Misuse;

/* What a view is made from. */
typedef struct ViewPlan {
  LuaWorld *world;
  const char *label;
  const LuaTerm *terms; /* copied */
  uint32_t term_count;
  bool keeps;
} ViewPlan;

/* The index of column k of the batch that is shown among the tables. */
static inline uint32_t kept_index(const View *view, uint32_t k) {
  uint32_t batch =
      view->ordinal < KEPT_BATCHES ? view->ordinal : KEPT_BATCHES - 1;
  return view->keeps ? batch * (view->column_count + 1) + k : k;
}

/* Pushes a new view. owner is the stack index of the query or world that the
 * view keeps alive. Raises when memory runs out. */
BIND_INTERNAL View *bind_view_new(lua_State *L, int owner,
                                  const ViewPlan *plan);

/* Pushes the VIEW_SLOTS tables that hiding needs: the proxy for callbacks, the
 * clear list, and the tables of columns or the accelerator's counts; and, where
 * the view keeps, the proxy to read by. index is that of the view. */
#define VIEW_SLOTS 3
BIND_INTERNAL void bind_view_push_slots(lua_State *L, int index);

/* Ends the showing of a batch. base is the stack index of the first slot. If
 * judge is true, reports the first misuse. Neither allocates nor raises. */
BIND_INTERNAL Misuse bind_view_hide(lua_State *L, View *view, int base,
                                    bool judge);

/* Pushes the message for a misuse. */
BIND_INTERNAL void bind_push_misuse(lua_State *L, const View *view,
                                    Misuse misuse);

/* Adds fill, rows, plan, touch, present, layout, misuse and copy_rows to the
 * table on top of the stack. */
BIND_INTERNAL void bind_open_batch_view(lua_State *L);

#endif

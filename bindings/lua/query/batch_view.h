/* batch_view.h: what a callback sees of a batch, and columns to and from Lua.
 *
 * A view is made once per walk of a query (or bundle) and reused by the next.
 * Showing a batch stores where it lies and nothing else; a column is brought to
 * Lua when the script first touches it:
 *
 *      script     batch[Position].x[i]
 *                   |         |  |
 *      proxy        contents  columns    (scripts/ecs/batch.lua builds these)
 *                             |  column k, made by fill(view, k)
 *      view       columns[k]: touched, filled, slot ---- batch.columns[k]
 *
 * Hiding copies written columns back (plain tables), or looks through them for
 * NaNs and ends the slots of the accelerator; and empties contents and columns,
 * so that a script which kept a part of the batch is told so.
 */
#ifndef ECS_LUA_VIEWS_H
#define ECS_LUA_VIEWS_H

#include "world/lua_world.h"

/* One column. scripts/ecs/columns_ffi.lua has this struct, too. */
typedef struct ViewColumn {
  uint32_t scalar;
  uint32_t writable;
  uint32_t touched; /* shown to the script during this batch */
  int32_t slot;     /* of the accelerator; 0: the column is a Lua table */
  uint32_t filled;  /* elements in the Lua table, stale ones included */
  uint32_t field;
  const Definition *definition; /* NULL: the entities */
  double address; /* where touch found it; a number, because LuaJIT reads
                       one without making an object */
} ViewColumn;

/* The entities are the column behind the last one of batch. */
struct View {
  Header header;
  ecs_Batch batch;
  ViewColumn *columns; /* column_count and one; scripts/ecs/columns_ffi.lua
                          reads these */
  uint32_t column_count;
  uint32_t showing;    /* batch is being shown */
  uint32_t pair_count; /* entries of the book */
  uint32_t busy;       /* its walk is open */
  uint32_t term_count;
  LuaTerm *terms;
  const char *label;
  LuaWorld *world;
  View *outer;       /* of the same world */
  View *before;      /* of the same Lua state */
  struct Rows *loop; /* whose view it is: of each; NULL otherwise */
  ecs_Cursor cursor;
};

/* Among the accelerator's counts by slot: the count of the batch that it looks
 * at first, which ends with any batch. */
#define VIEW_FOCUS 1

/* What a script did to a column that it may not do. */
typedef struct Misuse {
  uint32_t row; /* 0: nothing */
  uint32_t column;
  bool read_only; /* assigned, though the query only reads it */
} Misuse;

/* What a view is made from. */
typedef struct ViewPlan {
  LuaWorld *world;
  const char *label;
  const LuaTerm *terms; /* copied */
  uint32_t term_count;
} ViewPlan;

/* Pushes a new view. owner is the stack index of the query or world it keeps
 * alive. Raises. */
BIND_INTERNAL View *bind_view_new(lua_State *L, int owner,
                                  const ViewPlan *plan);

/* Pushes a sequence { definition, access, ... } of the view's terms: a new one
 * each time, so that no script has it. */
BIND_INTERNAL void bind_push_terms(lua_State *L, const View *view);

/* batch_loop.c: the view's cursor was begun; it is the innermost walk from here to
 * leaving, which closes a world that was finalized meanwhile, when this was
 * the outermost walk, and then answers true. */
BIND_INTERNAL void bind_walk_enter(View *view);
BIND_INTERNAL bool bind_walk_leave(View *view);

/* Pushes what hiding needs, VIEW_SLOTS values: the proxy for callbacks, the
 * book, the tables of columns or the accelerator's counts. */
#define VIEW_SLOTS 3
BIND_INTERNAL void bind_view_push_slots(lua_State *L, int view);

/* Ends the showing of a batch. base is the index of the first slot. Neither
 * allocates nor raises. judge: report misuse. */
BIND_INTERNAL Misuse bind_view_hide(lua_State *L, View *view, int base,
                                    bool judge);

BIND_INTERNAL void bind_push_misuse(lua_State *L, const View *view,
                                    Misuse misuse);

/* column_copy.c: table[1..count] from a column; may raise, being out of memory. */
BIND_INTERNAL void bind_fill(lua_State *L, int table, ecs_Scalar type,
                             const void *column, uint32_t count);

/* The number that the value at index, of that Lua type, stores as; false if
 * it is of a kind that this scalar does not take. */
static inline bool bind_number(lua_State *L, int index, ecs_Scalar type,
                               int kind, double *number) {
  if (kind == LUA_TNUMBER)
    *number = lua_tonumber(L, index);
  else if (kind == LUA_TBOOLEAN && type == ECS_BOOL)
    *number = lua_toboolean(L, index);
  else if (kind == LUA_TNIL && type == ECS_ENTITY)
    *number = 0;
  else
    return false;
  return true;
}

/* Rows that are brought back at once. */
#define VIEW_BLOCK 32u

/* And back, converting; skips what is no number and returns the first such
 * row, or 0. Does not raise: VIEW_BLOCK stack slots are free. */
BIND_INTERNAL uint32_t bind_copy_back(lua_State *L, int table, ecs_Scalar type,
                                      void *column, uint32_t count);

/* The first row where the two differ, or 0. Does not raise. */
BIND_INTERNAL uint32_t bind_difference(lua_State *L, int table, ecs_Scalar type,
                                       const void *column, uint32_t count);

#endif

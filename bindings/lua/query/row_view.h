/* row_view.h: one row after the other: what a loop over rows keeps, and what a
 * script sees of a row.
 *
 * Rows is the loop. It says where the elements of every column are; a row view
 * (`p` in scripts), one for each term with columns, reads and writes them:
 *
 *      p.x   row view        Rows
 *              term 1 --->   elements | x | y | dx | dy |
 *                                       |
 *                            each:      +--> column of the batch, at [row]
 *                            rows:      +--> the element; looked up again when
 *                                            the world's row_epoch is not the stamp
 *
 * Both belong to a query and are used again by its next loop, so a loop makes
 * no garbage. Views are userdata made here, or, with the accelerator, tables
 * that scripts/ecs/rows_ffi.lua makes; those read elements by themselves and
 * leave to row_get and row_set whatever is not plain. So the words and the
 * order of checks are the same.
 *
 * Private table of Rows: 1 query, 2 what runs the loop, 3 buffer of entities,
 * from ROWS_VIEWS on the row views.
 */
#ifndef ECS_LUA_ROWS_H
#define ECS_LUA_ROWS_H

#include "query/batch_view.h"

#define ROWS_QUERY 1
#define ROWS_RUNNER 2
#define ROWS_BUFFER 3
#define ROWS_VIEWS 4

/* More row arguments than this, or extra ones, do not fit a call. */
#define ROWS_LIMIT 100u

/* A term with columns. */
typedef struct RowTerm {
  const Definition *definition;
  uint32_t first; /* its first column */
  bool writable;
  bool optional;
} RowTerm;

/* scripts/ecs/rows_ffi.lua has the fields down to query, too. */
typedef struct Rows {
  Header header;
  int32_t row;                /* in elements; -1: no row is out */
  uint32_t flags;             /* loops: what ecs_query_locate said */
  uint64_t stamp;             /* loops: the row_epoch for which elements hold */
  void **elements;            /* one per column; NULL: this row has none */
  const ecs_Entity *entities; /* each: of the batch; loops: all that matched */
  ecs_Entity entity;          /* loops: whose row it is; 0: none */
  uint32_t at;                /* loops: the next of entities */
  uint32_t count;             /* of entities */
  int (*advance)(struct Rows *);
  double (*load)(struct Rows *, uint32_t column, uint32_t scalar);
  int (*store)(struct Rows *, uint32_t column, uint32_t scalar, double value);
  LuaWorld *world;
  LuaQuery *query;
  uint32_t capacity; /* of the buffer */
  uint32_t term_count;
  RowTerm *terms;
  bool loops; /* rows, not each */
  bool running;
  bool accelerated;   /* the views are made in Lua */
  const char *system; /* each: whose run this is; NULL: query:each */
  uint64_t key;       /* of that run, for ecs.random */
  uint64_t turn;      /* which run it is, for totals */
  uint64_t before;    /* each: rows in all batches before this one */
  uint64_t drawn;     /* the row, counted so, that drew last */
  uint64_t draws;     /* how many it has drawn */
  View view; /* how the world knows an open walk of each; no userdata */
} Rows;

/* Pushes a new Rows for a query, at stack index owner. Raises. */
BIND_INTERNAL Rows *bind_rows_new(lua_State *L, int owner, LuaQuery *query,
                                  bool loops);

/* The Rows at index; raises on anything else. */
BIND_INTERNAL Rows *bind_rows_check(lua_State *L, int index);

/* Goes on to the next entity that still matches: 1; 0: there is none; less: the
 * status, negated, that keeps the loop from it. Knows no Lua: compiled code
 * calls it, too. */
BIND_INTERNAL int bind_rows_advance(Rows *rows);

/* No row is out any more. Neither allocates nor raises. */
BIND_INTERNAL void bind_rows_over(Rows *rows);

/* Pushes the view of term t, or nil where this row lacks the component. views
 * is the index of the private table. */
BIND_INTERNAL void bind_rows_push(lua_State *L, const Rows *rows, int views,
                                  uint32_t t);

#endif

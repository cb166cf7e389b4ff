/* row_view.h: one row after the other: the loop, and what a script sees of a
 * row.
 *
 * A RowLoop says where the elements of every column are. A row view (`p` in
 * scripts), one for each term with columns, reads and writes them:
 *
 *      p.x   row view        RowLoop
 *              term 1 --->   elements | x | y | dx | dy |
 *                                       |
 *                            each:      +--> column of the batch, at [row]
 *                            rows:      +--> a run of elements, at [row];
 *                                            located again when the world's
 *                                            row_epoch has changed
 *
 * rows copies the entities first. Those that follow each other in their tables
 * are located together, as a run, and the loop steps along it while the epoch
 * keeps its value:
 *
 *      entities  e4 e5 e6 e9    at = 2 (behind e5), row = 1: at e6
 *      elements     x5 x6       located = 2
 *
 * Both belong to a query and are reused by its next loop, so a loop makes no
 * garbage. Views are userdata made here or, with the accelerator, tables made
 * by scripts/ecs/ffi/rows_ffi.lua. These tables read elements themselves and
 * leave everything else to row_get and row_set, so messages and the order of
 * checks are the same.
 *
 * Rows of a grid are those of each, with the grid's columns as elements. They
 * have a stamp, too: what a build of the grid changes.
 *
 * Private table of a RowLoop: 0 the program that it walks for, 1 the query, 2
 * the function that runs the loop, 3 the buffer of entities or, for each, a
 * value of the walk, or the grid, from ROWS_VIEWS on the row views, and from
 * ROWS_ARRAYS on those of arrays, each at the column of its first element. Of
 * pairs, 0 is the loop of the second rows.
 */
#ifndef ECS_LUA_ROW_VIEW_H
#define ECS_LUA_ROW_VIEW_H

#include "query/lua_grid.h"

#define ROWS_PROGRAM 0
#define ROWS_QUERY 1
#define ROWS_RUNNER 2
#define ROWS_BUFFER 3
#define ROWS_SOURCE 3
#define ROWS_VIEWS 4
#define ROWS_ARRAYS (ROWS_VIEWS + (int)ROWS_LIMIT)

/* A call has no room for more row arguments, or more extra ones. */
#define ROWS_LIMIT 100u

/* The longest run. */
#define ROWS_RUN 64u

/* A term with columns. */
typedef struct RowTerm {
  const Definition *definition;
  uint32_t number; /* index of the term in its query */
  uint32_t first;  /* index of its first column */
  bool writable;
  bool optional;
  bool up; /* of the entity that the row's own one links to */
} RowTerm;

/* A column that a loop over blocks uses. */
typedef struct BlockColumn {
  uint32_t column;
  uint32_t scalar;
  bool stored;
} BlockColumn;

/* A walk of each over blocks of rows; see block_loop.h. */
typedef struct BlockWalk {
  bool active;        /* this walk is one */
  bool uses_entities; /* the loop reads them */
  uint32_t count;     /* rows that the tables hold; 0: none */
  uint32_t column_count;
  BlockColumn *columns; /* those that the loop uses; room for all */
  int32_t row;          /* first row of the block; -1: between blocks */
  double outer_row;     /* to be put back: the row in its block of the walk
                           around this one */
} BlockWalk;

/* What a loop over rows of a grid has besides; see grid_loop.h. */
typedef struct GridLoop {
  LuaGrid *grid;
  ecs_GridCursor cursor;
  struct RowLoop *other; /* of pairs: the loop of the second rows; otherwise
                            NULL */
  uint64_t begun;        /* epoch of the grid */
  uint32_t hits[ROWS_RUN];
} GridLoop;

/* A loop of query:each, of an each system (both "each") or of query:rows
 * ("rows"). scripts/ecs/ffi/rows_ffi.lua declares the fields down to query. */
typedef struct RowLoop {
  Header header;
  int32_t row;                /* index into the elements; -1: between rows */
  int32_t located;            /* rows: length of the run */
  uint32_t flags;             /* rows: of ecs_query_locate */
  uint32_t at;                /* rows: index of the entity behind the one of
                                 the elements; 0: there is none. each: the first
                                 row that the function is called for */
  uint64_t stamp;             /* rows: the row_epoch that elements are for */
  void **elements;            /* one per column; NULL: this row has none */
  const ecs_Entity *entities; /* each: of the batch; rows: all that matched,
                                 in the buffer */
  uint32_t count;             /* number of entities */
  uint32_t unchanged;         /* each: 1: the runner has asked, and what is
                                 outside is as it was; advance takes it */
  int (*advance)(struct RowLoop *); /* each: EachCall.again */
  double *ids; /* rows: the entities of the run; of a grid: of the hits */
  double (*load)(struct RowLoop *, uint32_t column, uint32_t scalar);
  int (*store)(struct RowLoop *, uint32_t column, uint32_t scalar,
               double value);
  const uint64_t *epoch; /* of a grid: what stamp is compared with; NULL: the
                            loop is none over a grid */
  const uint32_t *found; /* of a grid: its rows that are hits */
  GridLoop *near;        /* of a grid; NULL: likewise */
  LuaWorld *world;
  LuaQuery *query;
  uint32_t reach;    /* rows: the longest run to look for next */
  uint32_t capacity; /* entities that the buffer holds */
  uint32_t column_count;
  uint32_t term_count;
  RowTerm *terms;
  bool is_rows;      /* a loop of query:rows; false: each */
  bool at_once;      /* is_rows: of an observer: stores do not wait for what is
                            recorded */
  bool gone;         /* not is_rows: its rows are images of what has left */
  bool running;      /* in use by a loop */
  bool accelerated;  /* its views are made in Lua */
  SystemRun run;     /* each: `before` counts rows for query:each, too */
  OpenWalk walk;     /* each */
  ecs_Batch batch;   /* each */
  ecs_Cursor cursor; /* each */
  BlockWalk block;   /* each */
  struct EachCall *call; /* each, while it walks: what for; see row_loop.h */
  uint64_t walks;        /* each: how many it has begun */
} RowLoop;

/* The entity of the row of a loop of rows, which has reached one. */
static inline ecs_Entity rows_entity(const RowLoop *rows) {
  ECS_ASSERT(rows->is_rows && rows->at > 0 && rows->row >= 0);
  return rows->entities[rows->at - 1 + (uint32_t)rows->row];
}

/* Pushes a new RowLoop for a query; owner is the query's stack index. Raises
 * when the query has too many terms with columns or memory runs out. */
BIND_INTERNAL RowLoop *bind_rows_new(lua_State *L, int owner, LuaQuery *query,
                                     bool is_rows);

/* The same of one that is pointed at images of what has left, one row at a time,
 * which is only read. */
BIND_INTERNAL RowLoop *bind_rows_gone(lua_State *L, int owner, LuaQuery *query);

/* The same of one that shows rows of a grid, which are copies. The caller says
 * of which grid, and of what epoch. */
BIND_INTERNAL RowLoop *bind_rows_near(lua_State *L, int owner, LuaQuery *query);

/* Raises because the grid of a loop was built again, or has ended. */
BIND_INTERNAL int bind_rows_refuse_stale(lua_State *L, const RowLoop *rows);

/* The RowLoop at index. Raises on anything else. */
BIND_INTERNAL RowLoop *bind_rows_check(lua_State *L, int index);

/* Goes on to the next entity that still matches. Returns 1; 0 when there is
 * none; or a status, negated, that keeps the loop from going on. Makes no call
 * of Lua: compiled code calls it, too. */
BIND_INTERNAL int bind_rows_advance(RowLoop *rows);

/* Ends the last row: from now on views refuse. Neither allocates nor raises. */
BIND_INTERNAL void bind_rows_over(RowLoop *rows);

/* Has this row the component of term t? Raises where the world is closed. */
BIND_INTERNAL bool bind_rows_has(lua_State *L, const RowLoop *rows, uint32_t t);

/* Pushes the view of term t, or nil when this row lacks the component. views is
 * the stack index of the private table. */
BIND_INTERNAL void bind_rows_push(lua_State *L, const RowLoop *rows, int views,
                                  uint32_t t);

/* Adds row_get, row_set, row_has, row_trouble and row_layout to the table on
 * top of the stack. */
BIND_INTERNAL void bind_open_row_view(lua_State *L);

#endif

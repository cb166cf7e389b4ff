/* cursor.h: a plan's rows as contiguous columns, and who may touch them.
 *
 * A walk goes through pieces: tables of a full plan, blocks of a row list. A
 * batch is one piece, or several tiny ones for callers to whom a batch is
 * expensive. Columns whose rows follow each other are handed out in place;
 * others are gathered into the walk's scratch, and what is written is
 * scattered back before the walk goes on.
 *
 *      piece rows 7 2 9  --gather-->  scratch | c7 c2 c9 |  --scatter-->
 *
 * A piece that is gathered may be handed out in slices, for callers to whom a
 * batch is cheap: what was gathered is then still in the nearest cache when it
 * is scattered.
 *
 * Copies may never show. While a walk is open its terms are claimed: what it
 * writes nobody else reads or writes, what it reads nobody else writes. Two
 * counters per component (Component.readers, .writers) make that check one
 * load.
 */
#ifndef ECS_CURSOR_H
#define ECS_CURSOR_H

#include "query/query.h"

/* Where a column of the piece that is out comes from. */
typedef struct Source {
  char *column;         /* its first element, in a run that of the piece's first
                           row; NULL: absent */
  const uint32_t *rows; /* of the piece; NULL: they follow each other */
} Source;

/* Memory of one walk: column pointers, and room for a gathered block. */
struct Scratch {
  Scratch *next;        /* of the same query */
  bool taken;           /* by an open walk */
  size_t block_bytes;   /* of the whole allocation */
  void **columns;       /* column_count of the query */
  Source *sources;      /* of the columns, where a batch is of one piece */
  bool *copied;         /* columns[k] is in data */
  ecs_Entity *entities; /* ECS_BLOCK_ROWS */
  char **data;          /* ECS_BLOCK_ROWS elements per column, aligned */
};

typedef struct Cursor {
  ecs_Query *query;
  Scratch *scratch;
  uint32_t next_piece;
  uint32_t first_piece;  /* of the batch that is out */
  uint32_t piece_count;  /* 0: no batch is out */
  uint32_t slice_rows;   /* the most of a gathered batch */
  uint32_t done;         /* rows of the only piece before the batch */
  uint32_t count;        /* rows of the batch */
  uint32_t left;         /* rows of the only piece after the batch */
  uint32_t batching;     /* ecs_Batching */
  bool sliced;           /* the only piece is gathered */
  bool without_entities; /* nobody looks at the batches' entities */
} Cursor;

/* The first component that a walk over the query cannot claim; 0: none. */
ECS_INTERNAL ecs_Component cursor_contested(const ecs_Query *query);

/* Prepares the query, claims its terms and begins. ECS_E_MEMORY: nothing is
 * claimed. */
ECS_INTERNAL ecs_Status cursor_begin(ecs_Query *query, ecs_Batching batching,
                                     Cursor *walk);

/* Puts back what the last batch wrote, then hands out the next. */
ECS_INTERNAL bool cursor_next(Cursor *walk, ecs_Batch *batch);

/* Puts back, and gives up the claims. */
ECS_INTERNAL void cursor_end(Cursor *walk);

/* Frees the scratches of the query, those of open walks included. */
ECS_INTERNAL void cursor_free_scratches(ecs_Query *query);

#endif

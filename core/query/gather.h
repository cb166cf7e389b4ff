/* gather.h: copies of columns with rows that do not follow each other.
 *
 *      span rows 7 2 9  --gather-->  scratch | c7 c2 c9 |  --scatter-->
 *
 * A cursor keeps its copies in a scratch. Rows of one span are gathered in
 * slices, so that a slice is still in the nearest cache when it is scattered.
 * Along a tree, pairs of columns of the
 * targets are packed first where rows are read in no order (gather_loops.h).
 * Tiny spans are gathered together, one after the other:
 *
 *      spans {A}: 0 1   {A B}: 0 1 2  --gather-->  | a0 a1 | a0 a1 a2 |
 *
 * Cost: about 0.4 ns per element of four bytes, in each direction.
 */
#ifndef ECS_GATHER_H
#define ECS_GATHER_H

#include "query/gather_loops.h"
#include "query/query_span.h"

/* Where the rows of one span are in a column. */
typedef struct ColumnSource {
  char *column;         /* row 0; where rows is NULL, the span's first row;
                           NULL: the component is absent */
  const uint32_t *rows; /* borrowed from the row list; NULL: the rows follow
                           each other and are used in place */
  const Cell8 *packed;  /* of the first column of a pair: it and the next, from
                           the row scratch->pack_first on; NULL: none */
  uint32_t room;        /* rows that the column has room for, where rows are in
                           steps; otherwise 0 */
} ColumnSource;

/* The memory of one cursor, owned by its query: a block of pointers, and one for
 * copies, made when a cursor first has batches that are not whole tables. */
struct Scratch {
  Scratch *next;         /* of the same query */
  bool taken;            /* by an open cursor */
  size_t block_bytes;    /* bytes of the scratch with its arrays */
  void **columns;        /* the batch's columns, column_count of the query */
  ColumnSource *sources; /* where columns[k] comes from */
  void *copies;          /* owned; NULL: there is no room for copies yet */
  size_t copies_bytes;
  void *pack;             /* owned: pairs of columns of targets, packed */
  uint32_t pack_capacity; /* of Cell8 */
  uint32_t pack_first;    /* the first row that is packed */
  uint32_t pack_rows;     /* of each pair; 0: none is packed */
  uint32_t pack_end;      /* the first span for which that does not hold */
  ecs_Entity *entities;   /* in copies: room for ECS_BLOCK_ROWS */
  char **data; /* in copies: room for ECS_BLOCK_ROWS elements of each column,
                  aligned to ECS_LINE_BYTES */
};

/* Scratches ------------------------------------------------------------- */

/* Takes a scratch of the query that no open cursor uses, or creates one; with
 * room for copies, if asked for. A query keeps as many scratches as it ever had
 * cursors open at once. NULL: no memory. */
ECS_INTERNAL Scratch *scratch_take(ecs_Query *query, bool copies);

/* Gives a scratch back to its query, to be taken again. */
static inline void scratch_give_back(Scratch *scratch) {
  scratch->taken = false;
}

/* Frees all scratches of the query, including those of open cursors. */
ECS_INTERNAL void scratch_free_all(ecs_Query *query);

/* Checked builds: has every open cursor of the query one scratch? */
ECS_INTERNAL bool scratch_check_invariants(const ecs_Query *query);

/* One span -------------------------------------------------------------- */

/* Prepares to gather the targets of a span along a tree, whose sources are
 * known: by steps, or from pairs of columns that are packed once for all spans of
 * its depth and tables. Spans are opened in order. */
ECS_INTERNAL void gather_open_targets(const ecs_Query *query, Scratch *scratch,
                                      uint32_t span);

/* Points scratch->columns at rows [first, first + count) of the span that
 * scratch->sources describes. Columns with rows that do not follow each other
 * are copied first. */
ECS_INTERNAL void gather_slice(const ecs_Query *query, Scratch *scratch,
                               uint32_t first, uint32_t count);

/* Writes the slice's copies back, for columns that the query writes. */
ECS_INTERNAL void scatter_slice(const ecs_Query *query, const Scratch *scratch,
                                uint32_t first, uint32_t count);

/* Copies the entities of count rows to scratch->entities. */
ECS_INTERNAL void gather_entities(const Scratch *scratch,
                                  const ecs_Entity *entities,
                                  const uint32_t *rows, uint32_t count);

/* Several spans --------------------------------------------------------- */

/* Copies all columns of count spans, from span number first on, and points
 * scratch->columns at the copies. The spans have the same components, and at
 * most ECS_BLOCK_ROWS rows together. */
ECS_INTERNAL void gather_spans(const ecs_Query *query, Scratch *scratch,
                               uint32_t first, uint32_t count);

/* Writes the copies back, for columns that the query writes. */
ECS_INTERNAL void scatter_spans(const ecs_Query *query, const Scratch *scratch,
                                uint32_t first, uint32_t count);

/* Copies the entities of the spans to scratch->entities. */
ECS_INTERNAL void gather_span_entities(const ecs_Query *query,
                                       const Scratch *scratch, uint32_t first,
                                       uint32_t count);

#endif

/* gather.h: copies of columns with rows that do not follow each other.
 *
 *      span rows 7 2 9  --gather-->  scratch | c7 c2 c9 |  --scatter-->
 *
 * A cursor keeps its copies in a scratch. Rows of one span are gathered in
 * slices, so that a slice is still in the nearest cache when it is scattered.
 * Tiny spans are gathered together, one after the other:
 *
 *      spans {A}: 0 1   {A B}: 0 1 2  --gather-->  | a0 a1 | a0 a1 a2 |
 *
 * Cost: about 0.4 ns per element of four bytes, in each direction.
 */
#ifndef ECS_GATHER_H
#define ECS_GATHER_H

#include "query/query_span.h"

/* Where the rows of one span are in a column. */
typedef struct ColumnSource {
  char *column;         /* row 0; where rows is NULL, the span's first row;
                           NULL: the component is absent */
  const uint32_t *rows; /* borrowed from the row list; NULL: the rows follow
                           each other and are used in place */
} ColumnSource;

/* The memory of one cursor; one allocation, owned by its query. */
struct Scratch {
  Scratch *next;         /* of the same query */
  bool taken;            /* by an open cursor */
  size_t block_bytes;    /* bytes of the whole allocation */
  void **columns;        /* the batch's columns, column_count of the query */
  ColumnSource *sources; /* where columns[k] comes from */
  ecs_Entity *entities;  /* room for ECS_BLOCK_ROWS */
  char **data; /* room for ECS_BLOCK_ROWS elements of each column, aligned to
                  ECS_LINE_BYTES */
};

/* Scratches ------------------------------------------------------------- */

/* Takes a scratch of the query that no open cursor uses, or creates one. A
 * query keeps as many scratches as it ever had cursors open at once. NULL: no
 * memory. */
ECS_INTERNAL Scratch *scratch_take(ecs_Query *query);

/* Gives a scratch back to its query, to be taken again. */
static inline void scratch_give_back(Scratch *scratch) {
  scratch->taken = false;
}

/* Frees all scratches of the query, including those of open cursors. */
ECS_INTERNAL void scratch_free_all(ecs_Query *query);

/* Checked builds: has every open cursor of the query one scratch? */
ECS_INTERNAL bool scratch_check_invariants(const ecs_Query *query);

/* One span -------------------------------------------------------------- */

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

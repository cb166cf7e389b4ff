/* cursor.h: the rows of a query as batches of contiguous columns.
 *
 * A cursor goes through the spans of its query (query_span.h). A batch is one
 * span, or several tiny spans for callers with a high cost per batch. A column
 * is handed out in place if its rows follow each other. Otherwise it is
 * gathered into the cursor's scratch and, if the query writes it, scattered
 * back before the cursor goes on (gather.h).
 *
 *      span 0  |  in place  |            batch 0
 *      span 1  |  gathered, in slices |  batches 1, 2, 3
 *      spans 2 to 9, tiny, coalesced     batch 4
 *
 * A full plan over whole tables needs none of that: a batch is the
 * addresses of a table's columns, and there is nothing to put back.
 *
 * For callers with a low cost per batch, a gathered span is handed out in
 * slices, so that a slice is still in the nearest cache when it is scattered.
 *
 * While a cursor is open it claims its terms (claims.h) and no structure may
 * change. At its end the rows that it has handed out to be written are stamped
 * (opened.h).
 */
#ifndef ECS_CURSOR_H
#define ECS_CURSOR_H

#include "query/query.h"

typedef struct Cursor {
  ecs_Query *query;
  Scratch *scratch;      /* owned by the query, taken until cursor_end */
  uint32_t next_span;    /* the first span after the batch */
  uint32_t first_span;   /* of the batch */
  uint32_t span_count;   /* of the batch; 0: there is no batch */
  uint32_t slice_rows;   /* the most rows of a batch of a gathered span */
  uint32_t done;         /* rows of the only span before the batch */
  uint32_t count;        /* rows of the batch */
  uint32_t left;         /* rows of the only span after the batch */
  uint32_t batching;     /* ecs_Batching */
  uint64_t began;        /* the store's tick */
  bool in_place;         /* every batch is one table of a full plan; then, of
                            the numbers above, only next_span is used */
  bool sliced;           /* the only span has gathered columns */
  bool without_entities; /* batches have no entities */
} Cursor;

/* Prepares the query, claims its terms and begins before the first batch. The
 * caller may then set slice_rows and without_entities. ECS_E_MEMORY: nothing is
 * claimed, and the cursor is not open. */
ECS_INTERNAL ecs_Status cursor_begin(ecs_Query *query, ecs_Batching batching,
                                     Cursor *cursor);

/* Puts back what the last batch wrote, then hands out the next one, which is
 * valid until the next call. False: there are no more rows. Cost: a few loads
 * per column, and copying where rows do not follow each other. */
ECS_INTERNAL bool cursor_next(Cursor *cursor, ecs_Batch *batch);

/* Puts back what the last batch wrote, gives up the claims and closes the
 * cursor. */
ECS_INTERNAL void cursor_end(Cursor *cursor);

#endif

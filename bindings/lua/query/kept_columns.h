/* kept_columns.h: columns that were copied into tables and still are what is
 * there.
 *
 * A column that nothing has written since the last walk need not be copied
 * again. What writes a column need not say so: the bytes that a table was
 * filled with are kept beside it, and compared with the column. That costs a
 * fiftieth of a copy, and cannot miss a change.
 *
 *      column  | 1.5 | 2.5 | 3.5 | ...    COPY_BLOCK rows are compared at once,
 *      bytes   | 1.5 | 2.5 | 9.0 | ...    and copied where they differ, or
 *      table   { 1.5,  2.5,  9.0,  ... }  where the table is not exact
 *
 * A table is exact where it has what the bytes would fill it with. After a
 * script stored 0.1 to a field of type f32, it is not, because the field holds
 * another number. Only functions that are sure to let no table escape get kept
 * ones (scripts/ecs/compile/batch_text.lua).
 *
 * Memory: 16 bytes for each element in the table, as for every column, and the
 * size of the element.
 */
#ifndef ECS_LUA_KEPT_COLUMNS_H
#define ECS_LUA_KEPT_COLUMNS_H

#include "query/column_copy.h"

/* A table, and what it was filled with. */
typedef struct KeptColumn {
  char *bytes;       /* of the elements */
  uint8_t *exact;    /* for each COPY_BLOCK rows: the table has them */
  uint32_t capacity; /* rows that there is room for */
  uint32_t rows;     /* rows with bytes */
  uint32_t filled;   /* rows of the table, stale ones included */
} KeptColumn;

/* Makes the table on top of the stack hold count elements. The buffer is kept
 * in the table at index buffers, under this key. May raise when memory runs
 * out. */
BIND_INTERNAL void bind_kept_fill(lua_State *L, KeptColumn *kept, int buffers,
                                  int key, ecs_Scalar type,
                                  const void *elements, uint32_t count);

/* Stores a table that was filled with as many elements, as bind_column_store
 * does. */
BIND_INTERNAL uint32_t bind_kept_store(lua_State *L, KeptColumn *kept,
                                       int table, ecs_Scalar type,
                                       void *elements, uint32_t count);

#endif

/* cursor.c: a plan's rows as contiguous columns, and who may touch them. */
#include "query/cursor.h"

/* Claims ---------------------------------------------------------------- */

ecs_Component cursor_contested(const ecs_Query *query) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    const Component *what = &query->store->components[term->component];
    uint32_t others = term->access == ECS_READ ? what->writers : what->readers;
    if (term->column_count > 0 && others > 0) return term->component;
  }
  return 0;
}

static void claim(const ecs_Query *query) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    Component *what = &query->store->components[term->component];
    if (term->column_count == 0) continue;
    what->readers++;
    if (term->access != ECS_READ) what->writers++;
  }
}

static void give_up(const ecs_Query *query) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    Component *what = &query->store->components[term->component];
    if (term->column_count == 0) continue;
    what->readers--;
    if (term->access != ECS_READ) what->writers--;
  }
}

/* Scratch --------------------------------------------------------------- */

static size_t lines(size_t bytes) {
  return (bytes + ECS_LINE_BYTES - 1) / ECS_LINE_BYTES * ECS_LINE_BYTES;
}

/* Full blocks would lie a multiple of a page apart; then loads from one wait
 * for stores to another: 3.0 instead of 2.7 ns per match of a kernel that moves
 * two fields. */
#define DATA_SKEW (5u * ECS_LINE_BYTES)

static size_t data_bytes(const ecs_Query *query, uint32_t column) {
  return lines((size_t)ECS_BLOCK_ROWS << query->columns[column].shift) +
         DATA_SKEW;
}

/* One allocation: the record, pointers, sources, flags, entities, data. */
static Scratch *scratch_create(const ecs_Query *query) {
  uint32_t count = query->column_count;
  size_t head = sizeof(Scratch) +
                count * (2 * sizeof(void *) + sizeof(Source) + sizeof(bool));
  size_t bytes =
      lines(head) + ECS_LINE_BYTES + lines(ECS_BLOCK_ROWS * sizeof(ecs_Entity));
  for (uint32_t i = 0; i < count; i++) bytes += data_bytes(query, i);
  Scratch *scratch = memory_zeroed(&query->store->memory, 1, bytes);
  if (scratch == NULL) return NULL;
  scratch->block_bytes = bytes;
  scratch->columns = (void **)(void *)(scratch + 1);
  scratch->data = (char **)(void *)(scratch->columns + count);
  scratch->sources = (Source *)(void *)(scratch->data + count);
  scratch->copied = (bool *)(void *)(scratch->sources + count);
  uintptr_t end = (uintptr_t)(scratch->copied + count);
  char *at = (char *)(end + (ECS_LINE_BYTES - end % ECS_LINE_BYTES));
  scratch->entities = (ecs_Entity *)(void *)at;
  at += lines(ECS_BLOCK_ROWS * sizeof(ecs_Entity));
  for (uint32_t i = 0; i < count; i++) {
    scratch->data[i] = at;
    at += data_bytes(query, i);
  }
  return scratch;
}

void cursor_free_scratches(ecs_Query *query) {
  while (query->scratches != NULL) {
    Scratch *scratch = query->scratches;
    query->scratches = scratch->next;
    memory_free(&query->store->memory, scratch, scratch->block_bytes);
  }
}

/* One that no open walk has; as many are made as walks of the query nest. */
static Scratch *take_scratch(ecs_Query *query) {
  Scratch *scratch = query->scratches;
  while (scratch != NULL && scratch->taken) scratch = scratch->next;
  if (scratch == NULL) {
    scratch = scratch_create(query);
    if (scratch == NULL) return NULL;
    scratch->next = query->scratches;
    query->scratches = scratch;
  }
  scratch->taken = true;
  return scratch;
}

/* Pieces ---------------------------------------------------------------- */

/* The rows of one piece in one part. */
typedef struct Rows {
  const Table *table;   /* NULL: absent */
  const uint32_t *list; /* NULL: count rows from first */
  uint32_t first;
  uint32_t count;
} Rows;

static uint32_t piece_total(const ecs_Query *query) {
  return query_is_direct(query) ? query->parts[0].match.count
                                : query->rows.block_count;
}

static Rows piece_rows(const ecs_Query *query, uint32_t piece, uint32_t part) {
  if (query_is_direct(query)) {
    const QueryGroup *only = &query->parts[0];
    const Table *table = only->group->tables[only->match.tables[piece]];
    return (Rows){table, NULL, 0, table->count};
  }
  const Block *block = &query->rows.blocks[piece];
  const uint32_t *list = row_list_rows(&query->rows, block, part);
  const Table *table = row_list_table(&query->rows, block, query->parts, part);
  if (!block_is_run_in(block, part))
    return (Rows){table, list, 0, block->count};
  return (Rows){table, NULL, table == NULL ? 0 : list[0], block->count};
}

static uint32_t piece_count(const ecs_Query *query, uint32_t piece) {
  return query_is_direct(query) ? piece_rows(query, piece, 0).count
                                : query->rows.blocks[piece].count;
}

static uint32_t driver_of(const ecs_Query *query) {
  return query_is_direct(query) ? 0 : query->driver;
}

static bool has_term(const Rows *rows, const QueryTerm *term) {
  return rows->table != NULL && table_has_columns(rows->table, term->bit);
}

/* Do two pieces have the same optional components? */
static bool same_presence(const ecs_Query *query, uint32_t left,
                          uint32_t right) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    if (term->access != ECS_OPTIONAL || term->column_count == 0) continue;
    Rows a = piece_rows(query, left, term->part);
    Rows b = piece_rows(query, right, term->part);
    if (has_term(&a, term) != has_term(&b, term)) return false;
  }
  return true;
}

/* Gather and scatter ---------------------------------------------------- */

/* One element at a time: a cycle for each store. The gather and scatter
 * instructions of AVX-512 were tried and were slower (0.78 against 0.42 ns per
 * element of four bytes). */
#define DEFINE_TRANSFER(Cell)                                                  \
  static void gather_##Cell(Cell *restrict to, const Cell *restrict from,      \
                            const uint32_t *restrict rows, uint32_t count) {   \
    _Pragma("GCC unroll 8") for (uint32_t i = 0; i < count; i++) to[i] =       \
        from[rows[i]];                                                         \
  }                                                                            \
  static void scatter_##Cell(Cell *restrict to, const Cell *restrict from,     \
                             const uint32_t *restrict rows, uint32_t count) {  \
    _Pragma("GCC unroll 8") for (uint32_t i = 0; i < count; i++) to[rows[i]] = \
        from[i];                                                               \
  }

DEFINE_TRANSFER(Cell1)
DEFINE_TRANSFER(Cell2)
DEFINE_TRANSFER(Cell4)
DEFINE_TRANSFER(Cell8)

static void gather(void *to, const void *from, const uint32_t *rows,
                   uint32_t count, uint32_t shift) {
  switch (shift) {
    case 0: gather_Cell1(to, from, rows, count); break;
    case 1: gather_Cell2(to, from, rows, count); break;
    case 2: gather_Cell4(to, from, rows, count); break;
    default: gather_Cell8(to, from, rows, count); break;
  }
}

static void scatter(void *to, const void *from, const uint32_t *rows,
                    uint32_t count, uint32_t shift) {
  switch (shift) {
    case 0: scatter_Cell1(to, from, rows, count); break;
    case 1: scatter_Cell2(to, from, rows, count); break;
    case 2: scatter_Cell4(to, from, rows, count); break;
    default: scatter_Cell8(to, from, rows, count); break;
  }
}

/* Two columns of four bytes at the same rows, which are then read once. */
static void gather_two(char *const *to, const Source *from,
                       const uint32_t *restrict rows, uint32_t count) {
  Cell4 *restrict first = (Cell4 *)(void *)to[0];
  Cell4 *restrict second = (Cell4 *)(void *)to[1];
  const Cell4 *restrict x = (const Cell4 *)(void *)from[0].column;
  const Cell4 *restrict y = (const Cell4 *)(void *)from[1].column;
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++) {
    first[i] = x[rows[i]];
    second[i] = y[rows[i]];
  }
}

static void scatter_two(const Source *to, char *const *from,
                        const uint32_t *restrict rows, uint32_t count) {
  Cell4 *restrict x = (Cell4 *)(void *)to[0].column;
  Cell4 *restrict y = (Cell4 *)(void *)to[1].column;
  const Cell4 *restrict first = (const Cell4 *)(void *)from[0];
  const Cell4 *restrict second = (const Cell4 *)(void *)from[1];
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++) {
    x[rows[i]] = first[i];
    y[rows[i]] = second[i];
  }
}

/* The column of a term's field in a piece's table. */
static char *piece_column(const ecs_Query *query, uint32_t column,
                          const Rows *rows) {
  const QueryColumn *what = &query->columns[column];
  const QueryTerm *term = &query->terms[what->term];
  if (!has_term(rows, term)) return NULL;
  return table_column(rows->table,
                      table_codes(rows->table, term->bit)[what->field]);
}

static void gather_column(const Cursor *walk, uint32_t column) {
  const ecs_Query *query = walk->query;
  const QueryColumn *what = &query->columns[column];
  uint32_t part = query->terms[what->term].part;
  char *to = walk->scratch->data[column];
  for (uint32_t i = 0; i < walk->piece_count; i++) {
    Rows rows = piece_rows(query, walk->first_piece + i, part);
    if (rows.count == 0) continue; /* a table without a slab, maybe */
    const char *from = piece_column(query, column, &rows);
    if (rows.list != NULL)
      gather(to, from, rows.list, rows.count, what->shift);
    else
      memcpy(to, from + ((size_t)rows.first << what->shift),
             (size_t)rows.count << what->shift);
    to += (size_t)rows.count << what->shift;
  }
}

static void scatter_column(const Cursor *walk, uint32_t column) {
  const ecs_Query *query = walk->query;
  const QueryColumn *what = &query->columns[column];
  uint32_t part = query->terms[what->term].part;
  const char *from = walk->scratch->data[column];
  for (uint32_t i = 0; i < walk->piece_count; i++) {
    Rows rows = piece_rows(query, walk->first_piece + i, part);
    if (rows.count == 0) continue; /* a table without a slab, maybe */
    char *to = piece_column(query, column, &rows);
    if (rows.list != NULL)
      scatter(to, from, rows.list, rows.count, what->shift);
    else
      memcpy(to + ((size_t)rows.first << what->shift), from,
             (size_t)rows.count << what->shift);
    from += (size_t)rows.count << what->shift;
  }
}

static void gather_entities(const Cursor *walk) {
  const ecs_Query *query = walk->query;
  ecs_Entity *to = walk->scratch->entities;
  for (uint32_t i = 0; i < walk->piece_count; i++) {
    Rows rows = piece_rows(query, walk->first_piece + i, driver_of(query));
    for (uint32_t k = 0; k < rows.count; k++)
      *to++ = rows.table
                  ->entities[rows.list != NULL ? rows.list[k] : rows.first + k];
  }
}

/* Slices of one piece ---------------------------------------------------- */

static Source find_source(const Cursor *walk, uint32_t column) {
  const ecs_Query *query = walk->query;
  const QueryColumn *what = &query->columns[column];
  Rows rows =
      piece_rows(query, walk->first_piece, query->terms[what->term].part);
  char *at = piece_column(query, column, &rows);
  if (at == NULL || rows.list != NULL) return (Source){at, rows.list};
  return (Source){at + ((size_t)rows.first << what->shift), NULL};
}

/* Looks at the piece once for all its slices; true: it is gathered. */
static bool open_piece(const Cursor *walk) {
  bool gathered = false;
  for (uint32_t i = 0; i < walk->query->column_count; i++) {
    Source source = find_source(walk, i);
    walk->scratch->sources[i] = source;
    gathered = gathered || (source.column != NULL && source.rows != NULL);
  }
  return gathered;
}

/* Are this gathered column and the next both of four bytes and of one term,
 * whose columns are at the same rows? */
static bool is_pair(const ecs_Query *query, uint32_t column) {
  const QueryColumn *what = query->columns + column;
  return column + 1 < query->column_count && what[0].term == what[1].term &&
         what[0].shift == 2 && what[1].shift == 2;
}

/* One column of the slice or two; how many. */
static uint32_t gather_slice(const Cursor *walk, uint32_t column) {
  const Source *from = walk->scratch->sources + column;
  const uint32_t *rows = from->rows + walk->done;
  char *const *to = walk->scratch->data + column;
  if (is_pair(walk->query, column)) {
    gather_two(to, from, rows, walk->count);
    return 2;
  }
  gather(to[0], from->column, rows, walk->count,
         walk->query->columns[column].shift);
  return 1;
}

static uint32_t scatter_slice(const Cursor *walk, uint32_t column) {
  const Source *to = walk->scratch->sources + column;
  const uint32_t *rows = to->rows + walk->done;
  char *const *from = walk->scratch->data + column;
  if (is_pair(walk->query, column)) {
    scatter_two(to, from, rows, walk->count);
    return 2;
  }
  scatter(to->column, from[0], rows, walk->count,
          walk->query->columns[column].shift);
  return 1;
}

static void hand_out_slice(const Cursor *walk) {
  const ecs_Query *query = walk->query;
  Scratch *scratch = walk->scratch;
  for (uint32_t i = 0; i < query->column_count;) {
    Source source = scratch->sources[i];
    bool here = source.column != NULL;
    if (here && source.rows != NULL) {
      for (uint32_t left = gather_slice(walk, i); left > 0; left--, i++) {
        scratch->columns[i] = scratch->data[i];
        scratch->copied[i] = true;
      }
    } else {
      size_t offset = (size_t)walk->done << query->columns[i].shift;
      scratch->columns[i++] = here ? source.column + offset : NULL;
    }
  }
}

static const ecs_Entity *slice_entities(const Cursor *walk) {
  Rows rows =
      piece_rows(walk->query, walk->first_piece, driver_of(walk->query));
  const ecs_Entity *owners = rows.table->entities;
  if (rows.list == NULL) return owners + rows.first + walk->done;
  gather(walk->scratch->entities, owners, rows.list + walk->done, walk->count,
         3);
  return walk->scratch->entities;
}

/* The walk -------------------------------------------------------------- */

ecs_Status cursor_begin(ecs_Query *query, ecs_Batching batching, Cursor *walk) {
  ecs_Status status = query_prepare(query);
  if (status != ECS_OK) return status;
  *walk = (Cursor){.query = query,
                   .slice_rows = ECS_BLOCK_ROWS,
                   .batching = (uint32_t)batching};
  walk->scratch = take_scratch(query);
  if (walk->scratch == NULL) return ECS_E_MEMORY;
  claim(query);
  query->open++;
  return ECS_OK;
}

/* Scatters what the batch that is out may have written. */
static void put_back(const Cursor *walk) {
  const Scratch *scratch = walk->scratch;
  for (uint32_t i = 0; i < walk->query->column_count;) {
    if (!scratch->copied[i] || !walk->query->columns[i].written)
      i++;
    else if (walk->piece_count == 1)
      i += scatter_slice(walk, i);
    else
      scatter_column(walk, i++);
  }
  memset(scratch->copied, 0, walk->query->column_count);
}

/* Takes the next piece, and tiny ones after it that go with it. */
static uint32_t take_pieces(Cursor *walk) {
  const ecs_Query *query = walk->query;
  uint32_t total = piece_total(query);
  uint32_t rows = 0;
  while (walk->next_piece < total && piece_count(query, walk->next_piece) == 0)
    walk->next_piece++;
  walk->first_piece = walk->next_piece;
  while (walk->next_piece < total) {
    uint32_t count = piece_count(query, walk->next_piece);
    bool first = walk->next_piece == walk->first_piece;
    if (!first &&
        (walk->batching != ECS_BATCH_COALESCED || count >= ECS_COALESCE_ROWS ||
         rows + count > ECS_BLOCK_ROWS ||
         !same_presence(query, walk->first_piece, walk->next_piece)))
      break;
    walk->next_piece++;
    rows += count;
    if (first && count >= ECS_COALESCE_ROWS) break;
  }
  walk->piece_count = walk->next_piece - walk->first_piece;
  return rows;
}

/* Columns of several pieces, one after the other. */
static void hand_out_together(const Cursor *walk) {
  const ecs_Query *query = walk->query;
  Scratch *scratch = walk->scratch;
  for (uint32_t i = 0; i < query->column_count; i++) {
    scratch->columns[i] = NULL;
    if (find_source(walk, i).column == NULL) continue;
    gather_column(walk, i);
    scratch->copied[i] = true;
    scratch->columns[i] = scratch->data[i];
  }
}

/* Takes what comes after the batch that is out: rows of its piece or another
 * piece, or several. False: nothing. */
static bool advance(Cursor *walk) {
  uint32_t count = walk->left;
  walk->done += walk->count;
  if (count == 0) {
    count = take_pieces(walk);
    walk->done = 0;
    walk->sliced = walk->piece_count == 1 && open_piece(walk);
  }
  walk->count =
      walk->sliced && count > walk->slice_rows ? walk->slice_rows : count;
  walk->left = count - walk->count;
  return count > 0;
}

bool cursor_next(Cursor *walk, ecs_Batch *batch) {
  put_back(walk);
  if (!advance(walk)) return false;
  const ecs_Entity *entities = NULL;
  if (walk->piece_count == 1) {
    hand_out_slice(walk);
    if (!walk->without_entities) entities = slice_entities(walk);
  } else {
    hand_out_together(walk);
    if (!walk->without_entities) gather_entities(walk);
    entities = walk->without_entities ? NULL : walk->scratch->entities;
  }
  *batch = (ecs_Batch){.count = walk->count,
                       .column_count = walk->query->column_count,
                       .entities = entities,
                       .columns = walk->scratch->columns};
  return true;
}

void cursor_end(Cursor *walk) {
  put_back(walk);
  give_up(walk->query);
  walk->query->open--;
  walk->scratch->taken = false;
  walk->scratch = NULL;
}

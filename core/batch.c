/* batch.c: a plan's rows as contiguous columns, and who may touch them. */
#include "batch.h"

/* Claims ---------------------------------------------------------------- */

ecs_Component batch_contested(const ecs_Query *query) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    const Component *what = &query->world->components[term->component];
    uint32_t others =
        term->access == ECS_READ ? what->writers : what->readers;
    if (term->column_count > 0 && others > 0) return term->component;
  }
  return 0;
}

static void claim(const ecs_Query *query) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    Component *what = &query->world->components[term->component];
    if (term->column_count == 0) continue;
    what->readers++;
    if (term->access != ECS_READ) what->writers++;
  }
}

static void give_up(const ecs_Query *query) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    Component *what = &query->world->components[term->component];
    if (term->column_count == 0) continue;
    what->readers--;
    if (term->access != ECS_READ) what->writers--;
  }
}

/* Scratch --------------------------------------------------------------- */

static size_t lines(size_t bytes) {
  return (bytes + ECS_LINE_BYTES - 1) / ECS_LINE_BYTES * ECS_LINE_BYTES;
}

/* One allocation: the record, pointers, flags, entities, data. */
static Scratch *scratch_create(const ecs_Query *query) {
  uint32_t count = query->column_count;
  size_t head = sizeof(Scratch) + 2 * count * sizeof(void *) + count;
  size_t bytes = lines(head) + ECS_LINE_BYTES +
                 lines(ECS_BLOCK_ROWS * sizeof(ecs_Entity));
  for (uint32_t i = 0; i < count; i++)
    bytes += lines((size_t)ECS_BLOCK_ROWS << query->columns[i].shift);
  Scratch *scratch = memory_zeroed(&query->world->memory, 1, bytes);
  if (scratch == NULL) return NULL;
  scratch->block_bytes = bytes;
  scratch->columns = (void **)(void *)(scratch + 1);
  scratch->data = (char **)(void *)(scratch->columns + count);
  scratch->copied = (bool *)(void *)(scratch->data + count);
  uintptr_t end = (uintptr_t)(scratch->copied + count);
  char *at = (char *)(end + (ECS_LINE_BYTES - end % ECS_LINE_BYTES));
  scratch->entities = (ecs_Entity *)(void *)at;
  at += lines(ECS_BLOCK_ROWS * sizeof(ecs_Entity));
  for (uint32_t i = 0; i < count; i++) {
    scratch->data[i] = at;
    at += lines((size_t)ECS_BLOCK_ROWS << query->columns[i].shift);
  }
  return scratch;
}

void batch_free_scratches(ecs_Query *query) {
  while (query->scratches != NULL) {
    Scratch *scratch = query->scratches;
    query->scratches = scratch->next;
    memory_free(&query->world->memory, scratch, scratch->block_bytes);
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

static Rows piece_rows(const ecs_Query *query, uint32_t piece,
                       uint32_t part) {
  if (query_is_direct(query)) {
    const Part *only = &query->parts[0];
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
#define DEFINE_TRANSFER(Cell)                                                \
  static void gather_##Cell(Cell *restrict to, const Cell *restrict from,    \
                            const uint32_t *restrict rows, uint32_t count) { \
    for (uint32_t i = 0; i < count; i++) to[i] = from[rows[i]];              \
  }                                                                          \
  static void scatter_##Cell(Cell *restrict to, const Cell *restrict from,   \
                             const uint32_t *restrict rows,                  \
                             uint32_t count) {                               \
    for (uint32_t i = 0; i < count; i++) to[rows[i]] = from[i];              \
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

/* The column of a term's field in a piece's table. */
static char *piece_column(const ecs_Query *query, uint32_t column,
                          const Rows *rows) {
  const QueryColumn *what = &query->columns[column];
  const QueryTerm *term = &query->terms[what->term];
  if (!has_term(rows, term)) return NULL;
  return table_column(rows->table,
                      table_codes(rows->table, term->bit)[what->field]);
}

static void gather_column(const Walk *walk, uint32_t column) {
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

static void scatter_column(const Walk *walk, uint32_t column) {
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

static void gather_entities(const Walk *walk) {
  const ecs_Query *query = walk->query;
  ecs_Entity *to = walk->scratch->entities;
  for (uint32_t i = 0; i < walk->piece_count; i++) {
    Rows rows =
        piece_rows(query, walk->first_piece + i, driver_of(query));
    for (uint32_t k = 0; k < rows.count; k++)
      *to++ = rows.table->entities[rows.list != NULL ? rows.list[k]
                                                     : rows.first + k];
  }
}

/* The walk -------------------------------------------------------------- */

ecs_Status batch_begin(ecs_Query *query, ecs_Batching batching, Walk *walk) {
  ecs_Status status = query_prepare(query);
  if (status != ECS_OK) return status;
  *walk = (Walk){.query = query, .batching = (uint32_t)batching};
  walk->scratch = take_scratch(query);
  if (walk->scratch == NULL) return ECS_E_MEMORY;
  claim(query);
  query->open++;
  return ECS_OK;
}

/* Scatters what the batch that is out may have written. */
static void put_back(Walk *walk) {
  for (uint32_t i = 0; i < walk->query->column_count; i++)
    if (walk->scratch->copied[i] && walk->query->columns[i].written)
      scatter_column(walk, i);
  memset(walk->scratch->copied, 0, walk->query->column_count);
  walk->piece_count = 0;
}

/* Takes the next piece, and tiny ones after it that go with it. */
static uint32_t take_pieces(Walk *walk) {
  const ecs_Query *query = walk->query;
  uint32_t total = piece_total(query);
  uint32_t rows = 0;
  while (walk->next_piece < total &&
         piece_count(query, walk->next_piece) == 0)
    walk->next_piece++;
  walk->first_piece = walk->next_piece;
  while (walk->next_piece < total) {
    uint32_t count = piece_count(query, walk->next_piece);
    bool first = walk->next_piece == walk->first_piece;
    if (!first && (walk->batching != ECS_BATCH_COALESCED ||
                   count >= ECS_COALESCE_ROWS ||
                   rows + count > ECS_BLOCK_ROWS ||
                   !same_presence(query, walk->first_piece,
                                  walk->next_piece)))
      break;
    walk->next_piece++;
    rows += count;
    if (first && count >= ECS_COALESCE_ROWS) break;
  }
  walk->piece_count = walk->next_piece - walk->first_piece;
  return rows;
}

static void hand_out_column(Walk *walk, uint32_t column) {
  const ecs_Query *query = walk->query;
  const QueryColumn *what = &query->columns[column];
  Rows rows = piece_rows(query, walk->first_piece,
                         query->terms[what->term].part);
  char *in_place = piece_column(query, column, &rows);
  void **out = &walk->scratch->columns[column];
  if (in_place == NULL) {
    *out = NULL;
  } else if (walk->piece_count == 1 && rows.list == NULL) {
    *out = in_place + ((size_t)rows.first << what->shift);
  } else {
    gather_column(walk, column);
    walk->scratch->copied[column] = true;
    *out = walk->scratch->data[column];
  }
}

static const ecs_Entity *hand_out_entities(const Walk *walk) {
  if (walk->without_entities) return NULL;
  Rows rows = piece_rows(walk->query, walk->first_piece,
                         driver_of(walk->query));
  if (walk->piece_count == 1 && rows.list == NULL)
    return rows.table->entities + rows.first;
  gather_entities(walk);
  return walk->scratch->entities;
}

bool batch_next(Walk *walk, ecs_Batch *batch) {
  put_back(walk);
  uint32_t count = take_pieces(walk);
  if (count == 0) return false;
  for (uint32_t i = 0; i < walk->query->column_count; i++)
    hand_out_column(walk, i);
  *batch = (ecs_Batch){.count = count,
                       .column_count = walk->query->column_count,
                       .entities = hand_out_entities(walk),
                       .columns = walk->scratch->columns};
  return true;
}

void batch_end(Walk *walk) {
  put_back(walk);
  give_up(walk->query);
  walk->query->open--;
  walk->scratch->taken = false;
  walk->scratch = NULL;
}

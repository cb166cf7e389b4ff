/* gather_loops.c: elements at any rows of a column, copied next to each other. */
#include "query/gather_loops.h"

#include "base/clones.h"

/* One column ------------------------------------------------------------ */

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

void gather_cells(void *to, const void *from, const uint32_t *rows,
                  uint32_t count, uint32_t shift) {
  switch (shift) {
    case 0: gather_Cell1(to, from, rows, count); break;
    case 1: gather_Cell2(to, from, rows, count); break;
    case 2: gather_Cell4(to, from, rows, count); break;
    default: gather_Cell8(to, from, rows, count); break;
  }
}

void scatter_cells(void *to, const void *from, const uint32_t *rows,
                   uint32_t count, uint32_t shift) {
  switch (shift) {
    case 0: scatter_Cell1(to, from, rows, count); break;
    case 1: scatter_Cell2(to, from, rows, count); break;
    case 2: scatter_Cell4(to, from, rows, count); break;
    default: scatter_Cell8(to, from, rows, count); break;
  }
}

/* Pairs ----------------------------------------------------------------- */

#define VECTOR(type, bytes) __attribute__((vector_size(bytes))) type
typedef VECTOR(uint32_t, 16) Four;
typedef VECTOR(uint64_t, 16) TwoRows;

/* Four elements of two vectors, by their numbers in both. */
#if defined(__clang__)
#define PICK(left, right, a, b, c, d) \
  __builtin_shufflevector(left, right, a, b, c, d)
#else
#define PICK(left, right, a, b, c, d) \
  __builtin_shuffle(left, right, (Four){a, b, c, d})
#endif

/* Four elements of four bytes are stored at once: a processor stores fewer
 * elements than it loads. */
static inline void store_four(Cell4 *to, const Cell4 *from, uint32_t a,
                              uint32_t b, uint32_t c, uint32_t d) {
  Four four = {from[a], from[b], from[c], from[d]};
  memcpy(to, &four, sizeof four);
}

/* Reads the row numbers only once. */
void gather_pair(char *const *to, CellPair from, const uint32_t *restrict rows,
                 uint32_t count) {
  Cell4 *restrict first = (Cell4 *)(void *)to[0];
  Cell4 *restrict second = (Cell4 *)(void *)to[1];
  const Cell4 *restrict x = (const Cell4 *)(const void *)from.first;
  const Cell4 *restrict y = (const Cell4 *)(const void *)from.second;
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    uint32_t a = rows[i], b = rows[i + 1], c = rows[i + 2], d = rows[i + 3];
    store_four(first + i, x, a, b, c, d);
    store_four(second + i, y, a, b, c, d);
  }
  for (; i < count; i++) {
    first[i] = x[rows[i]];
    second[i] = y[rows[i]];
  }
}

void scatter_pair(char *const *to, char *const *from,
                  const uint32_t *restrict rows, uint32_t count) {
  Cell4 *restrict x = (Cell4 *)(void *)to[0];
  Cell4 *restrict y = (Cell4 *)(void *)to[1];
  const Cell4 *restrict first = (const Cell4 *)(void *)from[0];
  const Cell4 *restrict second = (const Cell4 *)(void *)from[1];
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++) {
    x[rows[i]] = first[i];
    y[rows[i]] = second[i];
  }
}

/* Steps ----------------------------------------------------------------- */

#if defined(__GNUC__) && !defined(__clang__)
typedef VECTOR(uint32_t, 32) Eight;

/* Eight elements, from the eight that begin at a row. */
static inline __attribute__((always_inline)) void permute_eight(
    Cell4 *to, const Cell4 *from, const Eight *places) {
  Eight loaded;
  memcpy(&loaded, from, sizeof loaded);
  Eight permuted = __builtin_shuffle(loaded, *places);
  memcpy(to, &permuted, sizeof permuted);
}

/* A window that would end behind the column begins earlier. */
CLONES static size_t permute_pair(Cell4 *restrict first, Cell4 *restrict second,
                                  const Cell4 *x, const Cell4 *y,
                                  const uint32_t *restrict rows, size_t count,
                                  uint32_t last) {
  size_t i = 0;
  for (; i + GATHER_WINDOW <= count; i += GATHER_WINDOW) {
    uint32_t begin = rows[i] < last ? rows[i] : last;
    Eight places;
    memcpy(&places, rows + i, sizeof places);
    places -= begin;
    permute_eight(first + i, x + begin, &places);
    permute_eight(second + i, y + begin, &places);
  }
  return i;
}

void gather_steps(char *const *to, CellPair from, const uint32_t *rows,
                  uint32_t count, uint32_t room) {
  ECS_ASSERT(room >= GATHER_WINDOW);
  size_t done = permute_pair((Cell4 *)(void *)to[0], (Cell4 *)(void *)to[1],
                             (const Cell4 *)(const void *)from.first,
                             (const Cell4 *)(const void *)from.second, rows,
                             count, room - GATHER_WINDOW);
  char *const rest[] = {to[0] + done * sizeof(Cell4),
                        to[1] + done * sizeof(Cell4)};
  gather_pair(rest, from, rows + done, count - (uint32_t)done);
}
#else
void gather_steps(char *const *to, CellPair from, const uint32_t *rows,
                  uint32_t count, uint32_t room) {
  ECS_ASSERT(room >= GATHER_WINDOW);
  (void)room;
  gather_pair(to, from, rows, count);
}
#endif

bool rows_are_steps(const uint32_t *rows, uint32_t count) {
  uint32_t i = 0;
  for (; i + GATHER_WINDOW <= count; i += GATHER_WINDOW) {
    uint32_t beyond = 0;
    for (uint32_t k = 1; k < GATHER_WINDOW; k++)
      beyond |= rows[i + k] - rows[i];
    if (beyond >= GATHER_WINDOW) return false;
  }
  return true;
}

/* Packed ---------------------------------------------------------------- */

void pack_pair(Cell8 *restrict to, CellPair from, uint32_t count) {
  const Cell4 *restrict x = (const Cell4 *)(const void *)from.first;
  const Cell4 *restrict y = (const Cell4 *)(const void *)from.second;
  Cell4 *restrict cells = (Cell4 *)to;
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    Four four[2];
    memcpy(&four[0], x + i, sizeof four[0]);
    memcpy(&four[1], y + i, sizeof four[1]);
    Four packed[] = {PICK(four[0], four[1], 0, 4, 1, 5),
                     PICK(four[0], four[1], 2, 6, 3, 7)};
    memcpy(to + i, packed, sizeof packed);
  }
  for (; i < count; i++) {
    cells[2 * i] = x[i];
    cells[2 * i + 1] = y[i];
  }
}

/* The packed elements of a row. */
static inline uint64_t row_of(uintptr_t cells, uint32_t row) {
  return *(const Cell8 *)(cells + (size_t)row * sizeof(Cell8));
}

CLONES static size_t unpack_pair(Cell4 *restrict x, Cell4 *restrict y,
                                 uintptr_t cells, const uint32_t *restrict rows,
                                 size_t count) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    TwoRows two[] = {{row_of(cells, rows[i]), row_of(cells, rows[i + 1])},
                     {row_of(cells, rows[i + 2]), row_of(cells, rows[i + 3])}};
    Four left = (Four)two[0], right = (Four)two[1];
    Four four[] = {PICK(left, right, 0, 2, 4, 6),
                   PICK(left, right, 1, 3, 5, 7)};
    memcpy(x + i, &four[0], sizeof four[0]);
    memcpy(y + i, &four[1], sizeof four[1]);
  }
  return i;
}

/* The address that row 0 would have stands for the array, as a number: there is
 * no such row. */
void gather_packed(char *const *to, const Cell8 *packed, uint32_t first,
                   const uint32_t *rows, uint32_t count) {
  Cell4 *x = (Cell4 *)(void *)to[0], *y = (Cell4 *)(void *)to[1];
  uintptr_t cells = (uintptr_t)packed - (size_t)first * sizeof(Cell8);
  for (size_t i = unpack_pair(x, y, cells, rows, count); i < count; i++) {
    const Cell4 *row = (const Cell4 *)(packed + (rows[i] - first));
    x[i] = row[0];
    y[i] = row[1];
  }
}

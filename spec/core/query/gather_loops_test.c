/* gather_loops_test.c: every way to gather gives the elements of the rows, and
 * reads nothing behind a column. */
#include <stdlib.h>

#include "test_case.h"
#include "query/gather_loops.h"

#define ROOM 40u  /* rows of a column */
#define MOST 100u /* rows that are gathered */

typedef struct Columns {
  uint32_t *first, *second; /* of their own allocations, without a row more */
  uint32_t to[2][MOST + 1];
  uint32_t rows[MOST];
} Columns;

static void open_columns(Columns *columns) {
  columns->first = malloc(ROOM * sizeof *columns->first);
  columns->second = malloc(ROOM * sizeof *columns->second);
  for (uint32_t i = 0; i < ROOM; i++) {
    columns->first[i] = 1000 + i;
    columns->second[i] = 0x7fc00001u + i; /* any bits */
  }
}

static void close_columns(Columns *columns) {
  free(columns->first);
  free(columns->second);
}

static CellPair pair_of(const Columns *columns) {
  return (CellPair){(const char *)columns->first,
                    (const char *)columns->second};
}

static void check_and_wipe(Columns *columns, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    assert_int_equal(columns->to[0][i], columns->first[columns->rows[i]]);
    assert_int_equal(columns->to[1][i], columns->second[columns->rows[i]]);
  }
  assert_int_equal(columns->to[0][count], 7); /* nothing is behind them */
  assert_int_equal(columns->to[1][count], 7);
}

/* Gathers in each way that the rows allow. */
static void gather_all(Columns *columns, uint32_t count, bool steps) {
  char *const to[] = {(char *)columns->to[0], (char *)columns->to[1]};
  Cell8 packed[ROOM];
  uint32_t low = ROOM;
  for (uint32_t i = 0; i < count; i++)
    if (columns->rows[i] < low) low = columns->rows[i];
  assert_int_equal(rows_are_steps(columns->rows, count), steps);
  for (uint32_t way = 0; way < 3; way++) {
    for (uint32_t k = 0; k < 2; k++)
      for (uint32_t i = 0; i <= count; i++) columns->to[k][i] = 7;
    CellPair pair = pair_of(columns);
    if (way == 0) gather_pair(to, pair, columns->rows, count);
    if (way == 1 && !steps) continue;
    if (way == 1) gather_steps(to, pair, columns->rows, count, ROOM);
    if (way == 2) {
      pair.first += low * sizeof(uint32_t);
      pair.second += low * sizeof(uint32_t);
      pack_pair(packed, pair, ROOM - low);
      gather_packed(to, packed, low, columns->rows, count);
    }
    check_and_wipe(columns, count);
  }
}

/* Ascending rows up to the last one, of which a window would go beyond. */
TEST(rows_in_steps_are_gathered) {
  Columns columns;
  open_columns(&columns);
  for (uint32_t count = 1; count <= MOST; count++)
    for (uint32_t first = 0; first < ROOM; first += 3) {
      for (uint32_t i = 0; i < count; i++)
        columns.rows[i] = first + i * (ROOM - 1 - first) / count;
      bool steps = true;
      for (uint32_t i = 0; i + GATHER_WINDOW <= count; i += GATHER_WINDOW)
        if (columns.rows[i + GATHER_WINDOW - 1] - columns.rows[i] >=
            GATHER_WINDOW)
          steps = false;
      gather_all(&columns, count, steps);
    }
  for (uint32_t i = 0; i < MOST; i++) columns.rows[i] = ROOM - 1;
  gather_all(&columns, MOST, true);
  close_columns(&columns);
}

/* Within eight rows they may descend, but not below the first. */
TEST(rows_behind_the_first_are_steps) {
  Columns columns;
  open_columns(&columns);
  static const uint32_t places[] = {0, 7, 3, 0, 6, 1, 7, 2};
  for (uint32_t i = 0; i < 32; i++)
    columns.rows[i] = ROOM - GATHER_WINDOW - i / 8 + places[i % 8];
  gather_all(&columns, 32, true);
  columns.rows[9] = columns.rows[8] - 1;
  gather_all(&columns, 32, false);
  columns.rows[9] = columns.rows[8] + GATHER_WINDOW;
  gather_all(&columns, 32, false);
  close_columns(&columns);
}

TEST(random_rows_are_gathered) {
  Columns columns;
  open_columns(&columns);
  uint64_t seed = 11;
  for (uint32_t count = 16; count <= MOST; count++) {
    for (uint32_t i = 0; i < count; i++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      columns.rows[i] = (uint32_t)(seed >> 33) % ROOM;
    }
    columns.rows[0] = ROOM - 1; /* so the others are before the first */
    columns.rows[1] = 0;
    gather_all(&columns, count, false);
  }
  close_columns(&columns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_in_steps_are_gathered),
      cmocka_unit_test(rows_behind_the_first_are_steps),
      cmocka_unit_test(random_rows_are_gathered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

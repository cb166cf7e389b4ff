/* grid_report.c: what is in a grid, in numbers and for people. */
#include "query/grid_report.h"

#include "math/elementary.h"

/* Rows of a cell where nothing else is known: few enough to look at, and so many
 * that cells are not empty. */
#define SUITABLE_ROWS 4.0

/* A question looks at few rows in vain where cells are as large as its radius;
 * where none was asked yet, so many that a few rows are in each. */
static double suggest(const ecs_Grid *grid, const ecs_GridStatistics *counted) {
  if (grid->questions > 0 && grid->asked > 0)
    return grid->asked / (double)grid->questions;
  if (counted->rows == 0) return 0;
  double rows = (double)counted->rows / (double)counted->cells;
  return grid->cell * ecs_pow(SUITABLE_ROWS / rows, 1.0 / grid->dimensions);
}

static bool is_same_cell(const ecs_Grid *grid, uint32_t row, uint32_t other) {
  return grid_lines(grid)[row] == grid_lines(grid)[other] &&
         grid_row_cell(grid, row, 0) == grid_row_cell(grid, other, 0);
}

void grid_count_cells(const ecs_Grid *grid, ecs_GridStatistics *statistics) {
  const uint32_t *order = grid_order(grid);
  uint64_t run = 0;
  *statistics = (ecs_GridStatistics){
      .rows = grid->count, .bytes = grid_bytes(grid), .builds = grid->builds};
  for (uint32_t i = 0; i < grid->count; i++) {
    bool same = i > 0 && is_same_cell(grid, order[i - 1], order[i]);
    run = same ? run + 1 : 1;
    statistics->cells += !same;
    if (run > statistics->most) statistics->most = run;
  }
  statistics->suggested = suggest(grid, statistics);
}

void grid_say(const ecs_Grid *grid, const ecs_GridStatistics *counted,
              Text *out) {
  double mean =
      counted->cells == 0 ? 0 : (double)counted->rows / (double)counted->cells;
  text_say(out, "grid, cells of %g, %u dimensions\n", grid->cell,
           grid->dimensions);
  text_say(out, "%llu rows in %llu cells: %.1f in each, at most %llu\n",
           (unsigned long long)counted->rows,
           (unsigned long long)counted->cells, mean,
           (unsigned long long)counted->most);
  text_say(out, "built %llu times, %llu bytes\n",
           (unsigned long long)counted->builds,
           (unsigned long long)counted->bytes);
  if (counted->suggested == 0) return;
  if (grid->questions > 0 && grid->asked > 0)
    text_say(out,
             "asked for a radius of %.3g on average: ", counted->suggested);
  text_say(out, "a cell of %.3g suits it\n", counted->suggested);
}

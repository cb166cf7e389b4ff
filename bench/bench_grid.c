/* bench_grid.c: who is near whom, against a grid and loops by hand.
 *
 * Points lie at random in a square, so that a circle around one of them, with a
 * cell's side as radius, has 12 others on average. By hand the grid has bounds
 * and no hash: a counting sort of x, y, dx and dy by cell, and three runs of rows
 * for the nine cells around a point. Both sides compute in double and in the same
 * order, so sums are compared to the last bit. Specifications:
 *
 * - build: copies Position and Velocity, two f32 each, of all rows to their
 *   places. Uniform, and with a tenth of all rows in one cell. Position alone is
 *   the same with two columns.
 * - within: for each row of the grid the sum of dx over its neighbours.
 * - nearest: for each row the nearest other one. By hand the search looks at nine
 *   cells, and at all rows where there is none in reach.
 * - boids: builds, and for each row sums its neighbours' positions and
 *   velocities, and steers away from those closer than half a radius; then
 *   velocities are stored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../include/ecs_grid.h"
#include "scene.h"

#define NEIGHBOURS 12.0
#define CELL 4.0
#define PIECE 64u

/* Points, and the grid by hand -------------------------------------------- */

typedef struct Flock {
  uint32_t count;
  uint32_t side;  /* cells of the square */
  float *from[4]; /* x, y, dx, dy in the order of entities */
  float *at[4];   /* by cells */
  uint32_t *ids;
  uint32_t *starts, *cells; /* cells: of entities */
  float *out[2];            /* new velocities, by entities */
  double sum;
  ecs_World *world;
  ecs_Query *query, *writer;
  ecs_Grid *grid;
} Flock;

static uint64_t random_state = 1;
static double draw(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (double)(random_state >> 11) / 9007199254740992.0;
}

static void place_by_hand(Flock *flock) {
  uint32_t cells = flock->side * flock->side, next = 0;
  const float *x = flock->from[0], *y = flock->from[1];
  memset(flock->starts, 0, (cells + 2) * sizeof(uint32_t));
  for (uint32_t i = 0; i < flock->count; i++) {
    uint32_t cell = (uint32_t)((double)y[i] / CELL) * flock->side +
                    (uint32_t)((double)x[i] / CELL);
    flock->cells[i] = cell;
    flock->starts[cell + 1]++;
  }
  for (uint32_t cell = 1; cell < cells + 2; cell++) {
    uint32_t some = flock->starts[cell];
    flock->starts[cell] = next;
    next += some;
  }
  for (uint32_t i = 0; i < flock->count; i++) {
    uint32_t row = flock->starts[flock->cells[i] + 1]++;
    flock->ids[row] = i;
    for (uint32_t k = 0; k < 4; k++) flock->at[k][row] = flock->from[k][i];
  }
}

static void build_by_hand(void *state, uint32_t iterations) {
  for (uint32_t turn = 0; turn < iterations; turn++) place_by_hand(state);
}

static void build_grid(void *state, uint32_t iterations) {
  Flock *flock = state;
  for (uint32_t turn = 0; turn < iterations; turn++)
    MUST(ecs_grid_build(flock->grid));
}

/* In the order of cells, which both sides share but for empty lines. */
static uint64_t hash_by_hand(void *state) {
  const Flock *flock = state;
  uint64_t hash = 0;
  for (uint32_t row = 0; row < flock->count; row++)
    hash += measure_mix((uint64_t)(flock->at[0][row] * 1e6f), flock->ids[row]);
  return hash;
}

static uint64_t hash_grid(void *state) {
  const Flock *flock = state;
  ecs_GridRows rows;
  ecs_grid_rows(flock->grid, &rows);
  uint64_t hash = 0;
  for (uint32_t row = 0; row < rows.count; row++)
    hash +=
        measure_mix((uint64_t)(((const float *)rows.columns[0])[row] * 1e6f),
                    (rows.entities[row] & 0xfffffffu) - 1u);
  return hash;
}

/* Making ------------------------------------------------------------------ */

static void fill(Flock *flock, bool clustered) {
  double width = flock->side * CELL;
  for (uint32_t i = 0; i < flock->count; i++) {
    bool apart = clustered && i % 10 == 0;
    for (uint32_t k = 0; k < 2; k++) {
      double spot = apart ? (draw() + 3) * CELL : draw() * width;
      flock->from[k][i] = (float)(spot < width ? spot : 0);
      flock->from[2 + k][i] = (float)(draw() - 0.5);
    }
  }
}

static void make_world(Flock *flock, uint32_t terms) {
  flock->world = scene_world();
  ecs_Component both[2] = {
      scene_component(flock->world, "Position", 2, ECS_STORE_TABLE),
      scene_component(flock->world, "Velocity", 2, ECS_STORE_TABLE)};
  scene_spawn(flock->world, both, 2, flock->count, NULL);
  flock->query = scene_query(flock->world, both, terms, ECS_READ);
  flock->writer = scene_query(flock->world, both, 2, ECS_WRITE);
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_query_begin(flock->writer, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch))
    for (uint32_t k = 0; k < 4; k++)
      memcpy(batch.columns[k], flock->from[k], batch.count * sizeof(float));
  MUST(ecs_cursor_end(&cursor));
  const ecs_GridDescription how = {0, 2, {0, 1, 0}, CELL};
  MUST(ecs_grid_create(flock->query, &how, &flock->grid));
  MUST(ecs_grid_build(flock->grid));
}

static void flock_init(Flock *flock, uint32_t count, uint32_t terms,
                       bool clustered) {
  *flock = (Flock){.count = count};
  double cells = count * 3.14159265 / NEIGHBOURS;
  while ((double)flock->side * flock->side < cells) flock->side++;
  for (uint32_t k = 0; k < 4; k++) {
    flock->from[k] = scene_allocate(count, sizeof(float));
    flock->at[k] = scene_allocate(count, sizeof(float));
  }
  for (uint32_t k = 0; k < 2; k++)
    flock->out[k] = scene_allocate(count, sizeof(float));
  flock->ids = scene_allocate(count, sizeof(uint32_t));
  flock->cells = scene_allocate(count, sizeof(uint32_t));
  flock->starts =
      scene_allocate(flock->side * flock->side + 2, sizeof(uint32_t));
  random_state = 1;
  fill(flock, clustered);
  make_world(flock, terms);
  place_by_hand(flock);
}

static void flock_deinit(Flock *flock) {
  for (uint32_t k = 0; k < 4; k++) {
    free(flock->from[k]);
    free(flock->at[k]);
  }
  for (uint32_t k = 0; k < 2; k++) free(flock->out[k]);
  free(flock->ids);
  free(flock->cells);
  free(flock->starts);
  ecs_world_destroy(flock->world);
}

/* Walking ----------------------------------------------------------------- */

/* The cells around a coordinate, from below to above. */
static uint32_t cell_below(double spot) {
  return spot < CELL ? 0 : (uint32_t)((spot - CELL) / CELL);
}
static uint32_t cell_above(const Flock *flock, double spot) {
  uint32_t cell = (uint32_t)((spot + CELL) / CELL);
  return cell < flock->side ? cell : flock->side - 1;
}

/* What a boid sums up of its neighbours. */
typedef struct Sums {
  double x, y, dx, dy, away_x, away_y;
  uint32_t count;
} Sums;

static inline void add(Sums *sums, double off_x, double off_y, double x,
                       double y, double dx, double dy) {
  double near = off_x * off_x + off_y * off_y < CELL * CELL / 4 ? 1 : 0;
  sums->x += x;
  sums->y += y;
  sums->dx += dx;
  sums->dy += dy;
  sums->away_x += near * off_x;
  sums->away_y += near * off_y;
  sums->count++;
}

/* Calls a piece of code for each row within CELL of a point, by hand. */
#define EACH_BY_HAND(flock, px, py, body)                          \
  do {                                                             \
    uint32_t x0 = cell_below(px), x1 = cell_above(flock, px);      \
    uint32_t y0 = cell_below(py), y1 = cell_above(flock, py);      \
    for (uint32_t cy = y0; cy <= y1; cy++) {                       \
      uint32_t row = (flock)->starts[cy * (flock)->side + x0];     \
      uint32_t end = (flock)->starts[cy * (flock)->side + x1 + 1]; \
      for (; row < end; row++) {                                   \
        double off_x = (px) - (double)(flock)->at[0][row];         \
        double off_y = (py) - (double)(flock)->at[1][row];         \
        if (off_x * off_x + off_y * off_y <= CELL * CELL) body;    \
      }                                                            \
    }                                                              \
  } while (0)

static void within_by_hand(void *state, uint32_t iterations) {
  Flock *flock = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    double sum = 0;
    for (uint32_t i = 0; i < flock->count; i++) {
      double px = (double)flock->at[0][i], py = (double)flock->at[1][i];
      EACH_BY_HAND(flock, px, py, sum += (double)flock->at[2][row]);
    }
    flock->sum = sum;
  }
}

/* By the order of cells, in which both sides go over their rows. */
static const uint32_t *order_of(Flock *flock) {
  ecs_GridCursor cursor;
  double low[2] = {-1e9, -1e9}, high[2] = {1e9, 1e9};
  uint32_t count = 0, some;
  MUST(ecs_grid_box(flock->grid, low, high, &cursor));
  while ((some = ecs_grid_next(&cursor, flock->cells + count, PIECE)) > 0)
    count += some;
  return flock->cells;
}

static void within_grid(void *state, uint32_t iterations) {
  Flock *flock = state;
  const uint32_t *order = order_of(flock);
  ecs_GridRows view;
  ecs_grid_rows(flock->grid, &view);
  const float *dx = view.columns[2];
  for (uint32_t turn = 0; turn < iterations; turn++) {
    double sum = 0;
    for (uint32_t i = 0; i < view.count; i++) {
      uint32_t rows[PIECE], some;
      double point[2] = {view.positions[0][order[i]],
                         view.positions[1][order[i]]};
      ecs_GridCursor cursor;
      MUST(ecs_grid_within(flock->grid, point, CELL, &cursor));
      while ((some = ecs_grid_next(&cursor, rows, PIECE)) > 0)
        for (uint32_t k = 0; k < some; k++) sum += (double)dx[rows[k]];
    }
    flock->sum = sum;
  }
}

static uint64_t sum_check(void *state) {
  const Flock *flock = state;
  uint64_t bits;
  memcpy(&bits, &flock->sum, sizeof bits);
  return bits;
}

/* Nearest ----------------------------------------------------------------- */

static double least_of_all(const Flock *flock, uint32_t self) {
  double least = 1e300;
  for (uint32_t row = 0; row < flock->count; row++) {
    double x = (double)flock->at[0][self] - (double)flock->at[0][row];
    double y = (double)flock->at[1][self] - (double)flock->at[1][row];
    if (row != self && x * x + y * y < least) least = x * x + y * y;
  }
  return least;
}

static void nearest_by_hand(void *state, uint32_t iterations) {
  Flock *flock = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    double sum = 0;
    for (uint32_t i = 0; i < flock->count; i++) {
      double px = (double)flock->at[0][i], py = (double)flock->at[1][i];
      double least = 1e300;
      EACH_BY_HAND(flock, px, py, {
        double square = off_x * off_x + off_y * off_y;
        if (row != i && square < least) least = square;
      });
      sum += least < 1e300 ? least : least_of_all(flock, i);
    }
    flock->sum = sum;
  }
}

static void nearest_grid(void *state, uint32_t iterations) {
  Flock *flock = state;
  const uint32_t *order = order_of(flock);
  ecs_GridRows view;
  ecs_grid_rows(flock->grid, &view);
  for (uint32_t turn = 0; turn < iterations; turn++) {
    double sum = 0;
    for (uint32_t i = 0; i < view.count; i++) {
      double square = 0;
      double point[2] = {view.positions[0][order[i]],
                         view.positions[1][order[i]]};
      (void)ecs_grid_nearest(flock->grid, point, 1e9, view.entities[order[i]],
                             &square);
      sum += square;
    }
    flock->sum = sum;
  }
}

/* Boids ------------------------------------------------------------------- */

static void steer(const Sums *sums, double x, double y, double dx, double dy,
                  float *out_x, float *out_y) {
  double n = sums->count;
  *out_x = (float)(dx * 0.9 + (sums->x / n - x) * 0.01 + sums->dx / n * 0.05 +
                   sums->away_x * 0.02);
  *out_y = (float)(dy * 0.9 + (sums->y / n - y) * 0.01 + sums->dy / n * 0.05 +
                   sums->away_y * 0.02);
}

static void boids_by_hand(void *state, uint32_t iterations) {
  Flock *flock = state;
  float *const *at = flock->at;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    place_by_hand(flock);
    for (uint32_t i = 0; i < flock->count; i++) {
      Sums sums = {0};
      double px = (double)at[0][i], py = (double)at[1][i];
      EACH_BY_HAND(
          flock, px, py,
          add(&sums, off_x, off_y, (double)at[0][row], (double)at[1][row],
              (double)at[2][row], (double)at[3][row]));
      uint32_t id = flock->ids[i];
      steer(&sums, px, py, (double)at[2][i], (double)at[3][i],
            &flock->out[0][id], &flock->out[1][id]);
    }
    for (uint32_t k = 0; k < 2; k++)
      memcpy(flock->from[2 + k], flock->out[k], flock->count * sizeof(float));
  }
}

static void boids_rows(Flock *flock, const ecs_Batch *batch) {
  ecs_GridRows view;
  ecs_grid_rows(flock->grid, &view);
  const float *x = view.columns[0], *y = view.columns[1];
  const float *dx = view.columns[2], *dy = view.columns[3];
  const float *own_x = batch->columns[0], *own_y = batch->columns[1];
  float *own_dx = batch->columns[2], *own_dy = batch->columns[3];
  for (uint32_t i = 0; i < batch->count; i++) {
    Sums sums = {0};
    uint32_t rows[PIECE], some;
    ecs_GridCursor cursor;
    double point[2] = {(double)own_x[i], (double)own_y[i]};
    MUST(ecs_grid_within(flock->grid, point, CELL, &cursor));
    while ((some = ecs_grid_next(&cursor, rows, PIECE)) > 0)
      for (uint32_t k = 0; k < some; k++) {
        uint32_t row = rows[k];
        add(&sums, point[0] - (double)x[row], point[1] - (double)y[row],
            (double)x[row], (double)y[row], (double)dx[row], (double)dy[row]);
      }
    steer(&sums, point[0], point[1], (double)own_dx[i], (double)own_dy[i],
          &own_dx[i], &own_dy[i]);
  }
}

static void boids_grid(void *state, uint32_t iterations) {
  Flock *flock = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    ecs_Cursor cursor;
    ecs_Batch batch;
    MUST(ecs_grid_build(flock->grid));
    MUST(ecs_query_begin(flock->writer, ECS_BATCH_WHOLE, &cursor));
    while (ecs_cursor_next(&cursor, &batch)) boids_rows(flock, &batch);
    MUST(ecs_cursor_end(&cursor));
  }
}

static uint64_t boids_check_by_hand(void *state) {
  const Flock *flock = state;
  const float *columns[4];
  for (uint32_t k = 0; k < 4; k++) columns[k] = flock->from[k];
  return measure_hash(columns, 4, flock->count);
}

static uint64_t boids_check_grid(void *state) {
  return scene_hash(((Flock *)state)->writer);
}

/* Rows -------------------------------------------------------------------- */

typedef struct Work {
  const char *name;
  uint32_t size;
  uint32_t terms;
  bool clustered;
  double aim_nanoseconds, aim_ratio;
  void (*hand)(void *, uint32_t);
  uint64_t (*hand_check)(void *);
  void (*ours)(void *, uint32_t);
  uint64_t (*ours_check)(void *);
} Work;

static void bench(const Work *work) {
  Flock hand, ours;
  if (!measure_wanted(work->name)) return;
  uint32_t size = measure_size(work->size);
  flock_init(&hand, size, work->terms, work->clustered);
  flock_init(&ours, size, work->terms, work->clustered);
  measure_row(
      &(MeasureRow){.name = work->name,
                    .order = "random",
                    .memory = "warm",
                    .size = size,
                    .operations = size,
                    .aim_nanoseconds = work->aim_nanoseconds,
                    .aim_ratio = work->aim_ratio,
                    .hand = {&hand, NULL, work->hand, work->hand_check},
                    .ours = {&ours, NULL, work->ours, work->ours_check}});
  flock_deinit(&hand);
  flock_deinit(&ours);
}

#define BUILD build_by_hand, hash_by_hand, build_grid, hash_grid
#define WITHIN within_by_hand, sum_check, within_grid, sum_check
#define NEAREST nearest_by_hand, sum_check, nearest_grid, sum_check
#define BOIDS boids_by_hand, boids_check_by_hand, boids_grid, boids_check_grid

int main(int argument_count, char **arguments) {
  static const Work all[] = {
      {"build, two columns", 100000, 1, false, 20, 0, BUILD},
      {"build, four columns", 100000, 2, false, 0, 0, BUILD},
      {"build, a tenth in one cell", 100000, 1, true, 20, 0, BUILD},
      {"within, 12 neighbours", 10000, 2, false, 0, 0, WITHIN},
      {"nearest", 10000, 2, false, 150, 0, NEAREST},
      {"boids, 12 neighbours", 10000, 2, false, 0, 1.5, BOIDS},
      {"boids, 12 neighbours", 100000, 2, false, 0, 1.5, BOIDS},
  };
  measure_open(argument_count, arguments, "grid");
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) bench(&all[k]);
  measure_close();
  return 0;
}

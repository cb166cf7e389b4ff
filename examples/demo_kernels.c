/* demo_kernels.c: the native systems of demo.lua, which does the rest.
 *
 *      move    gravity, air and ground, for everything that has a velocity
 *      fade    every spark burns down
 *      plot    sparks --> light on a grid of dots, in this file
 *      paint   the grid --> cells, which are entities, too; and a dark grid
 *
 *      one cell is 2 x 4 dots:   o o      drawn as one Braille character,
 *                                o o      in one colour of 256
 *                                o o
 *                                o o
 *
 * A dot is lit when more light fell on it than its threshold; thresholds differ
 * from dot to dot in a fixed pattern, so that more light shows as more dots.
 *
 * The grid is static data of this library: plot and paint run one after the
 * other on one thread.
 */
#include "ecs_kernel.h"

/* The canvas of demo.lua. */
#define COLUMNS 78
#define LINES 20
#define DOTS_X (COLUMNS * 2)
#define DOTS_Y (LINES * 4)

static float light[DOTS_Y][DOTS_X];
static float colour[LINES][COLUMNS][3];

static const ecs_KernelColumn move_columns[] = {
    {"Position", "x", ECS_F32, ECS_WRITE},
    {"Position", "y", ECS_F32, ECS_WRITE},
    {"Velocity", "x", ECS_F32, ECS_WRITE},
    {"Velocity", "y", ECS_F32, ECS_WRITE}};

static void move_rows(const ecs_KernelBlock *block, float dt) {
  float *x = block->columns[0];
  float *y = block->columns[1];
  float *speed_x = block->columns[2];
  float *speed_y = block->columns[3];
  float air = 1.0f - 0.9f * dt;
  ECS_EACH_ROW(i, block) {
    float across = speed_x[i] * air;
    float up = (speed_y[i] - 9.0f * dt) * air;
    float height = y[i] + up * dt;
    x[i] += across * dt;
    y[i] = height < 0 ? -0.5f * height : height;
    speed_x[i] = across;
    speed_y[i] = height < 0 ? -0.5f * up : up;
  }
}

static void move(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++)
    move_rows(&call->blocks[b], (float)call->dt);
}

static const ecs_KernelColumn fade_columns[] = {
    {"Spark", "left", ECS_F32, ECS_WRITE}};

static void fade(const ecs_KernelCall *call) {
  float dt = (float)call->dt;
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    float *left = block->columns[0];
    ECS_EACH_ROW(i, block) left[i] -= dt;
  }
}

static const ecs_KernelColumn plot_columns[] = {
    {"Position", "x", ECS_F32, ECS_READ},
    {"Position", "y", ECS_F32, ECS_READ},
    {"Spark", "left", ECS_F32, ECS_READ},
    {"Spark", "hue", ECS_U8, ECS_READ}};

/* Red, green and blue of the six hues. */
static const float hues[6][3] = {{1.0f, 0.5f, 0.2f}, {1.0f, 0.9f, 0.3f},
                                 {0.4f, 1.0f, 0.5f}, {0.3f, 0.8f, 1.0f},
                                 {0.6f, 0.5f, 1.0f}, {1.0f, 0.4f, 0.8f}};

static void plot_rows(const ecs_KernelBlock *block) {
  const float *x = block->columns[0];
  const float *y = block->columns[1];
  const float *left = block->columns[2];
  const uint8_t *hue = block->columns[3];
  for (uint32_t i = 0; i < block->count; i++) {
    if (!(x[i] >= 0 && x[i] < DOTS_X && y[i] >= 0 && y[i] < DOTS_Y)) continue;
    int column = (int)x[i];
    int line = DOTS_Y - 1 - (int)y[i];
    float shine = left[i] < 3.0f ? left[i] * left[i] : 9.0f;
    const float *tint = hues[hue[i] % 6];
    light[line][column] += shine;
    for (int c = 0; c < 3; c++)
      colour[line / 4][column / 2][c] += shine * tint[c];
  }
}

static void plot(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) plot_rows(&call->blocks[b]);
}

static const ecs_KernelColumn paint_columns[] = {
    {"Cell", "column", ECS_U8, ECS_READ},
    {"Cell", "line", ECS_U8, ECS_READ},
    {"Cell", "dots", ECS_U8, ECS_WRITE},
    {"Cell", "colour", ECS_U8, ECS_WRITE}};

/* The bits of a Braille character, by line and column of its dots. */
static const uint8_t braille[4][2] = {
    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

/* From 1 to 8, in an order without visible stripes. */
static const float thresholds[4][2] = {{1, 5}, {7, 3}, {2, 6}, {8, 4}};

/* Takes the light of one cell from the grid. */
static uint8_t take_dots(int line, int column) {
  uint8_t dots = 0;
  for (int j = 0; j < 4; j++) {
    for (int k = 0; k < 2; k++) {
      float *dot = &light[line * 4 + j][column * 2 + k];
      if (*dot > thresholds[j][k] * 6.0f) dots |= braille[j][k];
      *dot = 0;
    }
  }
  return dots;
}

/* A place in the 6 x 6 x 6 colour cube of terminals, bright enough to see. */
static uint8_t take_colour(int line, int column) {
  float *sum = colour[line][column];
  float most = sum[0] > sum[1] ? sum[0] : sum[1];
  if (sum[2] > most) most = sum[2];
  float bright = most > 120.0f ? 5.0f : 2.5f + most / 48.0f;
  int cube = 0;
  for (int c = 0; c < 3; c++) {
    int level = most > 0 ? (int)(sum[c] / most * bright + 0.5f) : 0;
    cube = cube * 6 + (level > 5 ? 5 : level);
    sum[c] = 0;
  }
  return (uint8_t)(16 + cube);
}

static void paint(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    const uint8_t *column = block->columns[0];
    const uint8_t *line = block->columns[1];
    uint8_t *dots = block->columns[2];
    uint8_t *tone = block->columns[3];
    for (uint32_t i = 0; i < block->count; i++) {
      if (line[i] >= LINES || column[i] >= COLUMNS) continue;
      dots[i] = take_dots(line[i], column[i]);
      tone[i] = take_colour(line[i], column[i]);
    }
  }
}

static const ecs_Kernel kernels[] = {
    ECS_KERNEL("move", move, move_columns),
    ECS_KERNEL("fade", fade, fade_columns),
    ECS_KERNEL_WITH("plot", plot, plot_columns, ECS_KERNEL_WHOLE_TABLES),
    ECS_KERNEL_WITH("paint", paint, paint_columns, ECS_KERNEL_WHOLE_TABLES)};
ECS_KERNEL_LIBRARY(kernels);

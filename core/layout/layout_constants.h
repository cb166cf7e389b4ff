/* layout_constants.h: what storage costs, for layout_cost.c.
 *
 * Prices in picoseconds, rounded from what bench/by_hand/fit_prices.c fits to the
 * times of frames of mixed worlds in layouts drawn at random; only their ratios
 * matter. They are constants and not measured at run time, so that every machine
 * chooses the same layout.
 */
#ifndef ECS_LAYOUT_CONSTANTS_H
#define ECS_LAYOUT_CONSTANTS_H

#include <stdint.h>

#include "base/config.h"

/* What the cost of a layout is counted in. */
typedef enum LayoutPrice {
  /* Components added to entities and removed. */
  PRICE_MOVE,        /* a row of the main group moves */
  PRICE_MOVE_COLUMN, /* each of its columns */
  PRICE_NOTE,        /* it is noted, as there are marks */
  PRICE_FOLLOW,      /* the marks of each set follow it */
  PRICE_REMARK, /* there are too many notes: a row of each set, in a frame */
  PRICE_ENTER,  /* a row of a sparse set comes or goes */
  PRICE_ENTER_COLUMN, /* each of its columns */
  PRICE_ENTER_MARK,   /* its marks follow */
  PRICE_REGROUP,      /* a row of another group moves */
  PRICE_BIT,          /* a bit is written */
  /* Rows of queries over several groups. */
  PRICE_LOOK_UP,      /* a list without marks: a row of the driver and set */
  PRICE_LOOK_UP_MAIN, /* the same in the main group */
  PRICE_MARK_ROWS,    /* a list from marks: 64 rows of the driver and set */
  PRICE_MARK_MATCH,   /* a match and set */
  PRICE_BITS_ROWS,    /* tags stored as bits: 64 rows */
  PRICE_BITS_MATCH,   /* a match */
  /* Columns that are not used in place, of a match. */
  PRICE_NEAR,      /* copied from the driver */
  PRICE_NEAR_BACK, /* and back */
  PRICE_FAR,       /* copied from another group */
  PRICE_FAR_BACK,  /* and back */
  /* Batches. */
  PRICE_TABLE, /* a table, in a run of a query */
  /* Memory. */
  PRICE_BYTE, /* of LAYOUT_FRAMES frames together */
  PRICE_COUNT
} LayoutPrice;

static const uint32_t layout_prices[PRICE_COUNT] = {
    [PRICE_MOVE] = 95000,        [PRICE_MOVE_COLUMN] = 2200,
    [PRICE_NOTE] = 15000,        [PRICE_FOLLOW] = 11000,
    [PRICE_REMARK] = 1300,       [PRICE_ENTER] = 37000,
    [PRICE_ENTER_COLUMN] = 8000, [PRICE_ENTER_MARK] = 9000,
    [PRICE_REGROUP] = 80000,     [PRICE_BIT] = 22000,
    [PRICE_LOOK_UP] = 3000,      [PRICE_LOOK_UP_MAIN] = 9000,
    [PRICE_MARK_ROWS] = 1500,    [PRICE_MARK_MATCH] = 1700,
    [PRICE_BITS_ROWS] = 5000,    [PRICE_BITS_MATCH] = 1000,
    [PRICE_NEAR] = 200,          [PRICE_NEAR_BACK] = 300,
    [PRICE_FAR] = 150,           [PRICE_FAR_BACK] = 400,
    [PRICE_TABLE] = 110000,      [PRICE_BYTE] = 1,
};

/* Bytes, beside those of columns. */
#define TABLE_BYTES 1200u /* of a table without rows */
#define LOCATOR_BYTES 4u  /* of an index in a sparse set; twice in groups */
#define ROW_BYTES 8u      /* of a row */

#endif

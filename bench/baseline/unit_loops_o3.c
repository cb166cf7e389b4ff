/* unit_loops_o3.c: the loops of unit_loops.h at -O3. */
#define UNIT_LOOPS unit_loops_o3
#define UNIT_LEVEL "-O3"
#include "unit_loops_body.h"

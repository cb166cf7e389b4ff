/* unit_loops_o2.c: the loops of unit_loops.h at -O2. */
#define UNIT_LOOPS unit_loops_o2
#define UNIT_LEVEL "-O2"
#include "unit_loops_body.h"

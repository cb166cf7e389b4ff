/* loops_baseline.c: the loops of kernel programs, for the machine that the
 * tests are built for. */
#define VARIANT loops_baseline
#include "loops_variant.h"

/* loops_baseline.c: the loops of kernel programs for whatever machine the tests are built for. */
#define VARIANT loops_baseline
#include "loops_variant.h"

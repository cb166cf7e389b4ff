/* loops_v3.c: the loops of kernel programs, for x86-64-v3 (AVX2). */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && \
    defined(__x86_64__)
#pragma GCC target("arch=x86-64-v3")
#endif
#define VARIANT loops_v3
#include "loops_variant.h"

/* loops_v4.c: the loops of kernel programs, for x86-64-v4 (AVX-512). */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && \
    defined(__x86_64__)
#pragma GCC target("arch=x86-64-v4")
#endif
#define VARIANT loops_v4
#include "loops_variant.h"

/* elementary.h: sin, cos, exp, log, pow and atan2 with the same bits on every
 * machine.
 *
 * C libraries differ in the last bits of these functions, so a program that
 * calls them cannot be replayed on another system. The functions here use only
 * additions, multiplications, divisions and comparisons of doubles, in a fixed
 * order, and never contracted. They have no branches, so a loop over a column
 * can be vectorised. The exception is sin and cos of arguments past
 * ELEMENTARY_REACH, so these two come in a form for near arguments and one for
 * any.
 *
 * The argument is reduced to a small interval, exactly or with the error kept
 * as a second double. There a Taylor polynomial is summed:
 *
 *      exp     x = n ln 2 + r, |r| <= 0.35             e^r 2^n
 *      log     x = 2^n m, s = (m - 1) / (m + 1)        n ln 2 + 2 atanh s
 *      pow     log as a sum of two doubles, times y    exp
 *      sin cos x = n pi/2 + r, |r| <= pi/4, r as a sum of two doubles
 *      atan2   t in 0..1, against the nearest of 0, 1/2, 1
 *
 * The reductions are textbook ones: Cody and Waite (Software Manual for the
 * Elementary Functions, 1980) in three parts; Payne and Hanek (SIGNUM
 * Newsletter 18, 1983) past ELEMENTARY_REACH; sums and products of two doubles
 * as of Dekker (Numerische Mathematik 18, 1971).
 *
 * The error is less than 1 unit in the last place of the true result, and less
 * than 3 for atan2 (elementary_test.c measures it). Infinities, NaN and signed
 * zeros are as in C. A NaN result need not have the bits of a NaN argument.
 */
#ifndef ECS_ELEMENTARY_H
#define ECS_ELEMENTARY_H

#include "math/elementary_atan.h"
#include "math/elementary_exp.h"
#include "math/elementary_pow.h"
#include "math/elementary_sin.h"

#endif

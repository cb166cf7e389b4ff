/* elementary.h: sin, cos, exp, log, pow and atan2 with the same bits on every
 * machine.
 *
 * A C library's versions differ between systems in the last bits, so a program
 * that uses them cannot be replayed elsewhere. These use additions,
 * multiplications, divisions and comparisons of doubles alone, in one order,
 * never contracted. They have no branches, so that a loop over a column can be
 * vectorised; only sin and cos of arguments past ELEMENTARY_REACH take another
 * way, which is why those come in two parts.
 *
 * How: the argument is brought into a small interval, exactly or with the error
 * carried along as a second double, and a Taylor polynomial is summed there:
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
 * Accuracy, in units of the last place of the true result: all but atan2 within
 * 1, atan2 within 3 (elementary_test measures it). Infinities, NaN and signed
 * zeros are as in C. A NaN that comes out need not be the one that went in.
 */
#ifndef ECS_ELEMENTARY_H
#define ECS_ELEMENTARY_H

#include "math/elementary_atan.h"
#include "math/elementary_exp.h"
#include "math/elementary_pow.h"
#include "math/elementary_sin.h"

#endif

/* loops_variant.h: the loops of kernel programs, for one instruction set.
 *
 * The library chooses among its clones when it is loaded. For tests to run all
 * of them on one machine, these files each set a target, define VARIANT to be a
 * name, and compile vm_loops.c and vm_whole_loops.c once more under that name:
 *
 *      loops_baseline.c  loops_v3.c  loops_v4.c     loops_v3_set()
 */
#ifndef LOOPS_WITHOUT_CLONES
#define LOOPS_WITHOUT_CLONES
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define loop_of JOIN(VARIANT, _of)
#define loop_product JOIN(VARIANT, _product)
#define loop_load JOIN(VARIANT, _load)
#define loop_store JOIN(VARIANT, _store)
#define loop_quantize JOIN(VARIANT, _quantize)
#define loop_reduce JOIN(VARIANT, _reduce)
#define loop_reduce_many JOIN(VARIANT, _reduce_many)
#define loop_random JOIN(VARIANT, _random)
#define loop_fill JOIN(VARIANT, _fill)
#define loop_is_slow JOIN(VARIANT, _is_slow)
#define loop_instruction_set JOIN(VARIANT, _instruction_set)
#define whole_formed JOIN(VARIANT, _whole_formed)
#define whole_load JOIN(VARIANT, _whole_load)
#define whole_store JOIN(VARIANT, _whole_store)
#define whole_quantize JOIN(VARIANT, _whole_quantize)
#define whole_convert JOIN(VARIANT, _whole_convert)

#include "program/vm_loops.c"
#include "program/vm_whole_loops.c"

#include "loops_set.h"

LoopSet JOIN(VARIANT, _set)(void) {
  return (LoopSet){loop_of,          loop_product,  loop_load,
                   loop_store,       loop_quantize, loop_reduce,
                   loop_reduce_many, loop_random,   loop_fill};
}

WholeLoopSet JOIN(VARIANT, _whole_set)(void) {
  return (WholeLoopSet){whole_formed, whole_load, whole_store, whole_quantize,
                        whole_convert};
}

/* loops_set.h: one compilation of the loops of kernel programs.
 *
 * loops_variant.h compiles the sets. vm_loops_test.c runs those that the
 * machine supports, beside the library's own loops.
 */
#ifndef LOOPS_SET_H
#define LOOPS_SET_H

#include "program/vm_whole_loops.h"

typedef struct LoopSet {
  Loop (*of)(Operation operation, ValueType type, LoopForm form);
  Loop (*product)(ProductKind kind, ValueType type, LoopForm form);
  Loop (*load)(ecs_Scalar scalar, ValueType type);
  Loop (*store)(ecs_Scalar scalar, ValueType type, bool masked,
                KnownNumbers known);
  Loop (*quantize)(ecs_Scalar scalar, ValueType type, KnownNumbers known);
  Loop (*reduce)(ReductionKind kind, bool masked);
  ReduceMany (*reduce_many)(ReductionKind kind);
  Loop (*random)(void);
  Loop (*fill)(ValueType type);
} LoopSet;

LoopSet loops_baseline_set(void);
LoopSet loops_v3_set(void);
LoopSet loops_v4_set(void);

/* Those over whole numbers. */
typedef struct WholeLoopSet {
  Loop (*formed)(const Instruction *ins, LoopForm form);
  Loop (*load)(ecs_Scalar scalar);
  Loop (*store)(ecs_Scalar scalar, ValueType type, bool masked, bool fits);
  Loop (*quantize)(ecs_Scalar scalar, ValueType type);
  Loop (*convert)(ValueType to, ValueType from);
} WholeLoopSet;

WholeLoopSet loops_baseline_whole_set(void);
WholeLoopSet loops_v3_whole_set(void);
WholeLoopSet loops_v4_whole_set(void);

/* Can v3 and v4 be compiled for another target than the rest? */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && \
    defined(__x86_64__)
#define LOOPS_HAVE_TARGETS 1
#else
#define LOOPS_HAVE_TARGETS 0
#endif

#endif

/* instance.h: one real world of a model test, with its objects.
 *
 * The same program runs on several instances in lockstep. The instances define
 * the same components, but store them differently:
 *
 *      main     everything in one group
 *      sparse   every component in a group of its own
 *      mixed    some together, some sparse, some bits; regrouped as it runs
 *      again    the same as mixed, so both must agree in every bit
 *
 * Memory comes from an allocator that counts, checks sizes, and fills new and
 * freed blocks with a pattern.
 */
#ifndef ECS_SPEC_INSTANCE_H
#define ECS_SPEC_INSTANCE_H

#include "failing_memory.h"
#include "ecs_access.h"
#include "oracle.h"

#define INSTANCES 4u
#define QUERY_SLOTS 10u
#define WATCH_SLOTS 2u
#define KERNELS 3u
#define COMPONENT_LISTS 24u

typedef enum InstanceKind {
  INSTANCE_MAIN,
  INSTANCE_SPARSE,
  INSTANCE_MIXED,
  INSTANCE_AGAIN
} InstanceKind;

/* The components of instance_make, in this order; tags follow. */
typedef enum ModelComponent {
  POSITION = 1,
  VELOCITY,
  HEALTH,
  EVERYTHING,
  SHIELD,
  TARGET,
  ENEMY,
  STUNNED,
  FROZEN,
  MASS,
  FLAGS,
  BURNING,
  HIDDEN,
  ARMOUR
} ModelComponent;

typedef struct Instance {
  InstanceKind kind;
  FailingMemory memory;
  ecs_World *world;
  ecs_Accessor accessors[ORACLE_COMPONENTS + 1];
  ecs_Rows rows[ORACLE_COMPONENTS + 1]; /* of the same components */
  ecs_Query *queries[QUERY_SLOTS];
  ecs_Query *watches[WATCH_SLOTS]; /* NULL: none */
  ecs_Query *kernel_queries[KERNELS];
  ecs_KernelBinding *bindings[KERNELS];
  ecs_Bundle bundles[COMPONENT_LISTS];
  ecs_Cursor cursors[ORACLE_SCOPES];
} Instance;

/* Defines the components of the model in an oracle. */
void model_components(Oracle *oracle);
/* Has some components need others. */
void model_needs(Oracle *oracle);

/* Creates a world with these components, queries and bindings of the kernels.
 * False: a call failed, or a result differs from the oracle. */
bool instance_make(Instance *instance, InstanceKind kind, const Oracle *oracle);

/* Destroys the world; false when it kept a block. */
bool instance_end(Instance *instance);

/* Kernels ----------------------------------------------------------------- */

/* The terms of kernel k's query, and the kernel. */
extern const ecs_Kernel model_kernels[KERNELS];
uint32_t model_kernel_terms(uint32_t kernel, ecs_Term *terms);

/* The effect of kernel k on one entity that matches its terms. */
void model_kernel_apply(uint32_t kernel, OracleEntity *entity,
                        const ecs_KernelCall *call);

#endif

/* program_rig.h: runs kernel programs where nothing can go unseen.
 *
 * A rig has two equal worlds and a query. Its programs run through the library
 * as they always do, but in the end the block VM is not given the world's
 * columns: it is given blocks that the rig makes up, as many rows as it likes,
 * each column ending right before a page that may not be touched:
 *
 *      ... | canary | row 0  row 1 ... last row | no access |
 *
 * The reference (program_reference.h) runs over copies. Then every element of
 * every column, every reduction and, in the twin world, what was added, removed
 * and destroyed must be the same. NaN equals NaN.
 *
 * The query's components, all in tables; their fields are named by type, and
 * where there are two of a type the second is called f32b:
 *
 *      N  written   M  read   O  optional      every scalar type
 *      R  looked up through entities           T, B  tags (B as bits)
 */
#ifndef PROGRAM_RIG_H
#define PROGRAM_RIG_H

#include "program/vm.h"
#include "program_reference.h"

#define RIG_ENTITIES 24u
#define RIG_BLOCKS 4u

/* Of a block, where a program changes structure: few commands can be recorded
 * in the tiny build. */
#define RIG_CHANGED_ROWS 20u

typedef struct Random {
  uint64_t state;
} Random;
uint64_t random_bits(Random *random);
/* 0 to below. */
uint32_t random_below(Random *random, uint32_t below);
bool random_chance(Random *random, uint32_t percent);
/* A number in which special ones are frequent. */
double random_number(Random *random);

typedef struct Rig {
  ecs_World *world, *twin;
  ecs_Query *query;
  ecs_Component n, m, o, r, tag, bits;
  ecs_Entity entities[RIG_ENTITIES]; /* alive in both worlds */
  bool worn;                         /* out of handles: made anew */
  char message[256];                 /* of a failed creation or comparison */
} Rig;

/* How rows are cut into blocks. */
typedef struct RigCuts {
  uint32_t counts[RIG_BLOCKS];
  uint32_t block_count;
} RigCuts;

void rig_init(Rig *rig);
void rig_deinit(Rig *rig);

/* No program of the rig may live at this time. */
ecs_Status rig_create(Rig *rig, const char *text, size_t length,
                      ecs_Program **program);

/* Runs the program on made-up rows. False, and a message, when something is not
 * as the reference has it. */
bool rig_run(Rig *rig, ecs_Program *program, const RigCuts *cuts,
             uint64_t seed);

#endif

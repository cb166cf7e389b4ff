/* program_rig.h: runs kernel programs where every wrong access is noticed.
 *
 * A rig has two equal worlds and a query. Its programs run through the library
 * as usual, except that the block VM does not get the world's columns. It gets
 * blocks that the rig makes up, of any number of rows, in one run or in parts.
 * Each column ends right before a page without access:
 *
 *      ... | canary | row 0  row 1 ... last row | no access |
 *
 * The reference (program_reference.h) runs over copies. Then every element of
 * every column and every reduction must be the same, and so must the twin
 * world, to which the changes of the reference are applied. NaN equals NaN.
 *
 * These are the query's components, all in tables, and some others. Their
 * fields are named by type; the second field of a type has a b, as in f32b:
 *
 *      N  written   M  read   O  optional      every scalar type
 *      R  looked up through entities           T, B  tags (B as bits)
 *
 * Grids copy N and M, at f32 and f64 of N; and N and R, at f64, f32 and f64b of R.
 * They show the world, and not the made-up rows.
 */
#ifndef PROGRAM_RIG_H
#define PROGRAM_RIG_H

#include "ecs_grid.h"
#include "program/vm.h"
#include "program_reference.h"

#define RIG_ENTITIES 24u
#define RIG_BLOCKS 4u
#define RIG_GRIDS 2u /* of 2 and 3 dimensions, in this order */

/* Most rows of a block if the program changes structure: the tiny build can
 * record few commands. */
#define RIG_CHANGED_ROWS 20u

typedef struct Random {
  uint64_t state;
} Random;
uint64_t random_bits(Random *random);
/* A number from 0 on, less than below. */
uint32_t random_below(Random *random, uint32_t below);
bool random_chance(Random *random, uint32_t percent);
/* Any number; special ones are frequent. */
double random_number(Random *random);

typedef struct Rig {
  ecs_World *world, *twin;
  ecs_Query *query;
  ecs_Grid *grids[RIG_GRIDS]; /* of the world, built once */
  ecs_Component n, m, o, r, tag, bits;
  ecs_Entity entities[RIG_ENTITIES]; /* alive in both worlds */
  bool worn;         /* handles are used up: rig_create sets up the rig again */
  char message[256]; /* of a failed creation or comparison */
  /* What runs did, in all: changes of each kind, parts, those of them that left
   * rows computed ahead, runs that stopped before a row that cannot be changed,
   * and runs that failed. */
  uint64_t made[OPERATION_COUNT], parts, ahead, stops, failures;
  uint64_t puts; /* elements stored in arrays */
  uint64_t seen; /* runs that did, and may have seen them */
  /* Arrays of which visits showed the keys: from rows and uniforms alone, and
   * from elements of others. */
  uint64_t shown[2];
} Rig;

/* How rows are cut into blocks. */
typedef struct RigCuts {
  uint32_t counts[RIG_BLOCKS];
  uint32_t block_count;
} RigCuts;

void rig_init(Rig *rig);
void rig_deinit(Rig *rig);

/* Creates a program of the rig. No other program of it may exist. On failure
 * the message says why. */
ecs_Status rig_create(Rig *rig, const char *text, size_t length,
                      ecs_Program **program);

/* Runs the program on made-up rows, at once or in parts (program_part.h). False,
 * with a message: something differs from the reference. */
bool rig_run(Rig *rig, ecs_Program *program, const RigCuts *cuts,
             uint64_t seed);

#endif

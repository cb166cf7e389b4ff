/* diff.h: the difference between two saves.
 *
 * A diff is an archive (archive.h) of two entries:
 *
 *      manifest.txt   ecs-diff 1
 *                     from 91d8c8aa7871394d 40960     hash and size of a save
 *                     to 0f14e22f51dc2a1b 40984       the same of the other
 *                     end
 *      delta.bin      | from | copied | fresh | bytes ... | from | ...
 *
 * The delta is a list of pieces of the other save: so many bytes of the first
 * from a place on, then so many that are in the piece. The three numbers have
 * four bytes each, the lowest first.
 *
 *      first    | aaaaaaaa | bbbb | cccccccccc |
 *      other    | aaaaaaaa | xx | cccccccccc |        <- a, then xx; c
 *
 * Where saves are equal is found along the place where the last piece ended, so
 * that values that changed here and there are cheap, and by the hashes of the
 * first one's blocks, so that what moved is found.
 */
#ifndef ECS_DIFF_H
#define ECS_DIFF_H

#include "state/archive.h"

/* A save, borrowed. */
typedef struct DiffBytes {
  const char *bytes;
  size_t count;
} DiffBytes;

/* Writes a diff of two saves to a sink. ECS_E_FILE: the sink refused;
 * ECS_E_MEMORY; ECS_E_LIMIT: a save has 4 GiB or more. Cost: reads both twice;
 * memory: four bytes for each 32 of the first save. */
ECS_INTERNAL ecs_Status diff_write(Memory *memory, DiffBytes from, DiffBytes to,
                                   ecs_SaveSink sink);

/* Writes the other save, of the first and a diff. ECS_E_MEMORY; ECS_E_FILE: the
 * diff is damaged or of another save, and *problem says so, a constant; NULL: the
 * sink refused, or nothing is wrong. All is checked before anything is written but
 * the hash of what is written, which comes last. */
ECS_INTERNAL ecs_Status diff_apply(Memory *memory, DiffBytes from,
                                   DiffBytes diff, ecs_SaveSink sink,
                                   const char **problem);

#endif

/* kept_hash.h: hashes of the contents of a table, kept while nothing was written
 * there.
 *
 *      mark, value   | of the entities | of component 1 | of component 2 | ...
 *                    | again, for the other hash        | ...
 *
 * What is kept is for one version of the group and one layout, so every change of
 * rows lets go of all of it. A hash of columns is kept as long as its mark is
 * that of the component (store_keep), which is another one after the columns
 * were opened for writing. One of rows or of tags has the mark KEPT_BY_VERSION.
 *
 * Hashes are made by world/world_hash.c. To keep one is a pure optimisation: what
 * comes out is the same without.
 */
#ifndef ECS_KEPT_HASH_H
#define ECS_KEPT_HASH_H

#include "base/invariant.h"
#include "base/memory.h"

/* A mark that no component has. */
#define KEPT_BY_VERSION UINT64_MAX

typedef struct KeptHash {
  uint64_t mark; /* 0: none is kept */
  uint64_t value;
} KeptHash;

typedef struct KeptHashes {
  uint64_t version; /* of the group, when they were made */
  uint64_t layout;  /* of the store, likewise */
  uint32_t count;   /* of all */
  KeptHash all[];
} KeptHashes;

/* Those of a table for this version and layout, with room for count: what is kept
 * for others is let go. kept may be NULL. Returns those to use from now on; NULL:
 * there is no memory, and kept is freed. */
ECS_INTERNAL KeptHashes *kept_hashes_renew(KeptHashes *kept, Memory *memory,
                                           uint64_t version, uint64_t layout,
                                           uint32_t count);

/* Frees them; does nothing for NULL. */
ECS_INTERNAL void kept_hashes_destroy(KeptHashes *kept, Memory *memory);

#endif

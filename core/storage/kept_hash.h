/* kept_hash.h: hashes of the contents of a table, kept while nothing was written
 * there.
 *
 *      mark, value   | entities | tags | columns of 1 | columns of 2 | ...
 *                    | again, for the other hash        | ...
 *
 * They lie behind the columns of a table with room for KEPT_ROWS rows, so that to
 * ask for a hash allocates nothing. What is kept is for one version of the group
 * and one layout, so every change of rows lets go of all of it. A hash of columns is kept as long as its
 * mark is that of the component (store_keep), which is another one after the
 * columns were opened for writing. One of entities or of tags has the mark
 * KEPT_BY_VERSION.
 *
 * Hashes are made by world/world_hash.c. To keep one is a pure optimisation: what
 * comes out is the same without.
 */
#ifndef ECS_KEPT_HASH_H
#define ECS_KEPT_HASH_H

#include <stddef.h>
#include <string.h>

#include "base/config.h"
#include "base/invariant.h"

/* Tables of fewer rows are hashed again each time. */
#ifdef ECS_CHECKED
#define KEPT_ROWS (ECS_ROW_ALIGN + 1u)
#else
#define KEPT_ROWS 64u
#endif

/* A mark that no component has. */
#define KEPT_BY_VERSION UINT64_MAX

typedef struct KeptHash {
  uint64_t mark; /* 0: none is kept */
  uint64_t value;
} KeptHash;

typedef struct KeptHashes {
  uint64_t version; /* of the group, when they were made */
  uint64_t layout;  /* of the store, likewise */
  uint64_t parts;   /* half of all */
  KeptHash all[];
} KeptHashes;

/* Parts of a table in which so many components have columns. */
static inline uint32_t kept_hash_parts(uint32_t components) {
  return 2 + components;
}

static inline size_t kept_hashes_bytes(uint32_t parts) {
  return sizeof(KeptHashes) + 2 * (size_t)parts * sizeof(KeptHash);
}

/* Nothing is kept. */
static inline void kept_hashes_init(KeptHashes *kept, uint32_t parts) {
  memset(kept, 0, kept_hashes_bytes(parts));
  kept->parts = parts;
}

/* From now on they are for this version and layout: what was kept for others is
 * let go. */
static inline void kept_hashes_renew(KeptHashes *kept, uint64_t version,
                                     uint64_t layout) {
  if (kept->version == version && kept->layout == layout) return;
  kept->version = version;
  kept->layout = layout;
  memset(kept->all, 0, 2 * (size_t)kept->parts * sizeof(KeptHash));
}

#endif

/* kept_hash.c: hashes of the contents of a table, kept while nothing was written
 * there. */
#include "storage/kept_hash.h"

#include <string.h>

static size_t kept_bytes(uint32_t count) {
  return sizeof(KeptHashes) + count * sizeof(KeptHash);
}

KeptHashes *kept_hashes_renew(KeptHashes *kept, Memory *memory,
                              uint64_t version, uint64_t layout,
                              uint32_t count) {
  if (kept != NULL && kept->version == version && kept->layout == layout &&
      kept->count == count)
    return kept;
  if (kept != NULL && kept->count == count) {
    memset(kept->all, 0, count * sizeof(KeptHash));
  } else {
    kept_hashes_destroy(kept, memory);
    kept = memory_zeroed(memory, 1, kept_bytes(count));
    if (kept == NULL) return NULL;
    kept->count = count;
  }
  kept->version = version;
  kept->layout = layout;
  return kept;
}

void kept_hashes_destroy(KeptHashes *kept, Memory *memory) {
  if (kept != NULL) memory_free(memory, kept, kept_bytes(kept->count));
}

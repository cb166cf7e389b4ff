/* matched_tables.c: the tables of a group that a query asks for. */
#include "storage/matched_tables.h"

void matched_tables_deinit(MatchedTables *match, Memory *memory) {
  size_t mask_bytes = match->words * sizeof(uint64_t);
  memory_free(memory, match->required, mask_bytes);
  memory_free(memory, match->excluded, mask_bytes);
  memory_free(memory, match->offered, mask_bytes);
  memory_free(memory, match->tables, match->capacity * sizeof(uint32_t));
  *match = (MatchedTables){0};
}

bool matched_tables_reserve(MatchedTables *match, Memory *memory) {
  void *tables = match->tables;
  bool grown = memory_grow(memory, &tables, &match->capacity, match->count, 1,
                           sizeof(uint32_t));
  match->tables = tables;
  return grown;
}

/* staged_rows.h: the values of entities that are spawned later, row by row.
 *
 * While changes are deferred, ecs_spawn_many gives its caller a table outside
 * the store to write into. Component k of that table is item k of the bundle.
 * When the spawns are applied, each row is copied to where its entity goes.
 */
#ifndef ECS_STAGED_ROWS_H
#define ECS_STAGED_ROWS_H

#include "change/bundle.h"
#include "storage/table_image.h"

typedef struct StagedRows {
  struct StagedRows *previous; /* the rows staged before; NULL: none */
  const Bundle *bundle;        /* borrowed from the store */
  Table *table;                /* owned; its rows are the entities' values */
  const Schema **schemas;      /* owned array of borrowed schemas, by item; NULL
                                  for an item without columns */
} StagedRows;

/* Creates a table with room for count rows. ECS_E_MEMORY, ECS_E_LIMIT: *created
 * is NULL. */
ECS_INTERNAL ecs_Status staged_rows_create(Store *store, const Bundle *bundle,
                                           uint32_t count,
                                           StagedRows **created);

/* Frees it; NULL is fine. */
ECS_INTERNAL void staged_rows_destroy(Store *store, StagedRows *staged);

/* Appends a row of defaults and returns it. Cannot fail: there is room. */
static inline uint32_t staged_rows_append(StagedRows *staged,
                                          ecs_Entity entity) {
  uint32_t row = table_append(staged->table, entity);
  for (uint32_t i = 0; i < staged->bundle->item_count; i++)
    if (staged->schemas[i] != NULL)
      table_store_defaults(staged->table, row, i, staged->schemas[i]);
  return row;
}

#endif

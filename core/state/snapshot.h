/* snapshot.h: the state of a world at one moment, as copies of its memory.
 *
 *      groups       components, tables      which components lie together
 *      tables       rows, mask              in the order of their ids
 *      places       slots | entities of table 0 | entities of table 1 | ...
 *      columns      columns of table 0 | columns of table 1 | ...
 *      links        nodes of link indices, page by page
 *      names        entity, text | entity, text | ...
 *      elements     elements of array 0 | elements of array 1 | ...
 *
 * Columns are named by components and fields, not by where a table has them, so
 * a snapshot outlives every change of its world: restore.h puts it back whatever
 * has become of tables and groups. Places, links and names are copied when they
 * are others than those that the snapshot holds from the last time; while only
 * values change, a snapshot is a copy of the columns.
 *
 * In a snapshot is what world_hash covers, and the counts by which a layout is
 * chosen. Queries, observers and what keeps results for the next time are not.
 * Nothing may be recorded while one is taken or restored. Its memory is the
 * world's, and is kept for the next time.
 */
#ifndef ECS_SNAPSHOT_H
#define ECS_SNAPSHOT_H

#include "world/world.h"

typedef struct SnapshotComponent {
  ecs_Component id;
  bool bits; /* stored as bits */
} SnapshotComponent;

typedef struct SnapshotGroup {
  uint32_t component_count;
  uint32_t first_component; /* in the snapshot's list; by bit from there on */
  uint32_t table_count;
  uint32_t first_table; /* likewise; by table id */
} SnapshotGroup;

typedef struct SnapshotTable {
  uint32_t rows;
  uint32_t first_word;   /* of its mask, in the snapshot's words */
  uint16_t mask_first;   /* as Mask */
  uint16_t mask_count;   /* likewise */
  uint16_t bits_columns; /* columns of bits */
  size_t entities;       /* where its entities begin, in the bytes of places */
  size_t columns;        /* where its columns begin, in the bytes of columns */
} SnapshotTable;

typedef struct SnapshotLinks {
  uint64_t links;
  uint32_t page_count;
  uint32_t first_page; /* in the snapshot's list of pages */
} SnapshotLinks;

typedef struct SnapshotArray {
  ecs_Array *array; /* borrowed; it lives as long as the world */
  uint32_t sizes[ECS_ARRAY_INDICES];
  size_t elements; /* where they begin, in the bytes of elements */
} SnapshotArray;

typedef struct SnapshotBytes {
  char *bytes; /* owned */
  size_t count;
  size_t capacity;
} SnapshotBytes;

/* What a part of the state was, as numbers that only grow. */
typedef struct SnapshotKey {
  uint64_t layout;
  uint64_t structure;
  uint64_t components;
  uint64_t links;
  uint64_t names;
} SnapshotKey;

struct ecs_Snapshot {
  ecs_World *world;           /* borrowed: that it is of */
  ecs_Snapshot *next, **link; /* among those of the world */
  bool taken;                 /* it holds a state */
  SnapshotKey key;            /* of the state that it holds */
  IndexCounts index;
  SnapshotGroup *groups; /* owned, as all that follows; by group id */
  SnapshotComponent *components;
  SnapshotTable *tables;
  uint64_t *words;
  uint64_t *changes; /* by component id: see Component */
  uint64_t *runs;    /* of the world's query uses, in their order */
  SnapshotLinks *links;
  uint32_t *pages;      /* numbers of the pages of links */
  uint32_t group_count; /* in use; what is allocated follows below */
  uint32_t
      component_total; /* components of the world, the unused one included */
  uint32_t use_count;
  bool counting; /* changes are counted, too */
  uint32_t link_count;
  uint32_t name_count;
  SnapshotArray *arrays; /* owned */
  uint32_t array_count, array_capacity;
  uint32_t group_capacity, component_capacity, table_capacity, word_capacity,
      change_capacity, run_capacity, link_capacity, page_capacity;
  SnapshotBytes places;
  SnapshotBytes columns;
  SnapshotBytes nodes; /* of links */
  SnapshotBytes names;
  SnapshotBytes elements; /* of arrays */
};

/* How much of everything a state has. */
typedef struct StateSizes {
  uint32_t groups, components, tables, words, pages, arrays;
  size_t places, columns, names, elements; /* in bytes */
} StateSizes;

/* Makes one that holds nothing yet, which the world owns. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status snapshot_create(ecs_World *world,
                                        ecs_Snapshot **snapshot);

/* Frees it. */
ECS_INTERNAL void snapshot_destroy(ecs_Snapshot *snapshot);

/* The bytes that it holds. */
ECS_INTERNAL uint64_t snapshot_bytes(const ecs_Snapshot *snapshot);

/* Copies the state of the world, which is not open. ECS_E_MEMORY: the snapshot
 * holds what it held. Cost: the columns; where structure, links or names have
 * changed since it was taken last, these, too. */
ECS_INTERNAL ecs_Status snapshot_take(ecs_Snapshot *snapshot);

/* The same without values and names: what a world needs beside its groups and its
 * names to be as it was (restore.h). It cannot be restored. */
ECS_INTERNAL ecs_Status snapshot_take_frame(ecs_Snapshot *snapshot);

/* Makes room for a state. False: ECS_E_MEMORY; it holds what it held. */
ECS_INTERNAL bool snapshot_reserve(ecs_Snapshot *snapshot,
                                   const StateSizes *sizes);

/* The key of the world's state as it is now. */
ECS_INTERNAL SnapshotKey snapshot_key(const ecs_World *world);

/* Is the structure the same: groups, tables, rows and places? */
static inline bool snapshot_has_structure(const ecs_Snapshot *snapshot,
                                          const SnapshotKey *key) {
  return snapshot->key.layout == key->layout &&
         snapshot->key.structure == key->structure &&
         snapshot->key.components == key->components;
}

/* The mask of a table. */
static inline Mask snapshot_mask(const ecs_Snapshot *snapshot,
                                 const SnapshotTable *table) {
  return (Mask){
      table->mask_count > 0 ? snapshot->words + table->first_word : NULL,
      table->mask_first, table->mask_count};
}

/* Copies the columns of so many rows of a table between the table and a
 * snapshot's bytes: out of the table, or into it. Returns where the bytes of
 * the columns end. */
ECS_INTERNAL char *snapshot_copy_columns(const Group *group, const Table *table,
                                         uint32_t rows, uint32_t bits_columns,
                                         char *bytes, bool into_table);

#endif

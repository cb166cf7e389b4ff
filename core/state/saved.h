/* saved.h: what is in the bytes of a save, or of packed rows (pack.h): checked, and
 * not yet in a world.
 *
 *      bytes ---> entries (archive.h) ---> manifest ---> lists of what there is
 *                     \------------------------------->  columns, borrowed
 *
 * The lists are in the order of the manifest. Every entry that the manifest asks
 * for is there, of the length that it has to have, and no other. What values
 * mean, whether an entity is alive and a list free of circles, is checked where
 * they are loaded (load.h).
 */
#ifndef ECS_SAVED_H
#define ECS_SAVED_H

#include "state/archive.h"
#include "state/held_save.h"
#include "storage/schema.h"

typedef struct SavedField {
  const char *name; /* owned by the save, as are all names */
  ecs_Scalar type;
  uint64_t default_bits;
  uint8_t link; /* as in SchemaField */
  bool tree;
  const char *values; /* a row after the other; borrowed from the bytes, at any
                         address */
} SavedField;

typedef struct SavedComponent {
  const char *name;
  ecs_Storage storage;
  uint32_t first_field, field_count;
  uint32_t group; /* that it is in; NO_GROUP until it was named there */
  bool bits;
  const char
      *tags;     /* stored as bits: a byte of each row of its group; of packed
                       rows: of each row, whether it has the component */
  uint64_t rows; /* of the tables that have it; packed rows that do */
} SavedComponent;
#define SAVED_NO_GROUP UINT32_MAX

typedef struct SavedGroup {
  uint32_t first_member, member_count; /* in the list of numbers */
  uint32_t first_table, table_count;
  uint64_t rows;
  const char *entities; /* eight bytes each; borrowed, at any address */
} SavedGroup;

typedef struct SavedTable {
  uint32_t rows;
  uint32_t first_member, member_count; /* in the list of numbers */
} SavedTable;

typedef struct SavedLink {
  uint32_t component, field; /* from 0 on */
  uint64_t count;
  const char *sources; /* eight bytes each; borrowed */
} SavedLink;

typedef struct SavedName {
  ecs_Entity entity;
  const char *text;
} SavedName;

typedef struct SavedArray {
  const char *name;
  ecs_Scalar type;
  uint32_t dimensions;
  uint32_t sizes[3]; /* 1 beyond the dimensions */
  uint32_t first[3]; /* sizes that it was made with */
  uint64_t count;
  const char *elements; /* borrowed, at any address */
} SavedArray;

/* A list that grows; all are owned. */
typedef struct SavedList {
  void *all;
  uint32_t count, capacity;
} SavedList;

struct ecs_Saved {
  Memory *memory; /* of the world */
  ecs_World *world;
  ArchiveReader archive;
  char *texts; /* owned; all names */
  size_t text_bytes;
  uint64_t hash;
  uint32_t used;    /* indices, the unused one included */
  uint32_t retired; /* of them */
  SavedList components, fields, groups, tables, links, names, arrays;
  SavedList values;        /* of fields of type string and any */
  bool has_values;         /* it has such fields */
  uint32_t value_count;    /* as the manifest has it */
  const uint32_t *numbers; /* borrowed; what the host holds for each value */
  uint32_t number_count;
  bool values_differ;        /* from those whose hash is there */
  SavedList members;         /* numbers of components, from 0 on */
  ecs_Field *described;      /* owned; all fields, as descriptions have them */
  ecs_Link *described_links; /* owned; of all links */
  const char *generations;   /* four bytes each, borrowed, as what follows */
  const char *free;          /* four bytes each */
  uint32_t free_count;
  const char *script;
  size_t script_bytes;
  bool packed;   /* these are packed rows: no groups, tables, arrays, indices */
  bool whole;    /* of packed rows: with all components */
  uint64_t rows; /* packed ones */
  const char *entities; /* of these, eight bytes each */
};

static inline const SavedComponent *saved_components(const ecs_Saved *saved) {
  return (const SavedComponent *)saved->components.all;
}

static inline const SavedField *saved_fields(const ecs_Saved *saved,
                                             const SavedComponent *component) {
  return (const SavedField *)saved->fields.all + component->first_field;
}

static inline const SavedGroup *saved_groups(const ecs_Saved *saved) {
  return (const SavedGroup *)saved->groups.all;
}

static inline const SavedTable *saved_tables(const ecs_Saved *saved,
                                             const SavedGroup *group) {
  return (const SavedTable *)saved->tables.all + group->first_table;
}

static inline const uint32_t *saved_members(const ecs_Saved *saved,
                                            uint32_t first) {
  return (const uint32_t *)saved->members.all + first;
}

/* Takes the bytes of a save apart, or of packed rows, which must stay until
 * saved_close.
 * ECS_E_MEMORY; ECS_E_FILE: they are none, or damaged, and a sentence is in
 * problem. Cost: reads every byte. */
ECS_INTERNAL ecs_Status saved_open(ecs_World *world, bool packed,
                                   const char *bytes, size_t count,
                                   ecs_Saved **saved, char *problem,
                                   size_t problem_bytes);

/* How a component was defined. */
ECS_INTERNAL ecs_ComponentDescription
saved_describe(const ecs_Saved *saved, const SavedComponent *component);

/* Frees it. */
ECS_INTERNAL void saved_close(ecs_Saved *saved);

#endif

/* sparse_space.h: entities and their components in sparse sets, as in the
 * program that the Varkor post describes after its refactoring (revision
 * new_1), written anew in C.
 *
 * A space has a set of the ids in use and a table for each type of component.
 * A set keeps a sparse and a dense array, in one block, which always map to
 * each other, unused elements too, so that it can give out ids that are not in
 * use:
 *
 *      sparse   | 2 | 0 | 3 | 1 |     sparse[dense[k]] == k for every k
 *      dense    | 1 | 3 | 0 | 2 |     the first `usage` ids are in use
 *
 * A table is such a set of the ids that have the component, and an array with
 * its values in the same order as the set's dense array. Types are known by
 * their size and a constructor alone. Tables are found by binary search by type
 * (a tree in the post). Wrong use ends the program, as in a release build
 * there. A relationship is a component with an array of children of its own.
 *
 * The space counts the bytes that it holds and its allocations. All functions
 * end the program when memory runs out. */
#ifndef BENCH_SPARSE_SPACE_H
#define BENCH_SPARSE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPACE_TABLES 8u

typedef struct SpaceMemory {
  uint64_t bytes, peak_bytes;
  uint64_t allocations; /* so far */
} SpaceMemory;

typedef struct SparseSet {
  uint32_t *sparse, *dense; /* one block; sparse owns it */
  uint32_t usage, capacity;
} SparseSet;

/* A type of component; construct writes its default values. */
typedef struct SpaceType {
  uint32_t id; /* any number but 0; 0 is the relationship's */
  uint32_t bytes;
  void (*construct)(void *value, uint32_t bytes);
} SpaceType;

typedef struct SpaceTable {
  SpaceType type;
  SparseSet set;
  char *values;
  uint32_t capacity;
} SpaceTable;

typedef struct SparseSpace {
  SparseSet members;
  SpaceTable tables[SPACE_TABLES]; /* sorted by type; the first is that of
                                      relationships */
  uint32_t table_count;
  SpaceMemory memory;
} SparseSpace;

/* Values that are all zero. */
void space_construct_zeros(void *value, uint32_t bytes);

/* Makes a space with tables for these types, in order of their ids. */
void space_init(SparseSpace *space, const SpaceType *types, uint32_t count);
void space_deinit(SparseSpace *space);

uint32_t space_create(SparseSpace *space);
/* Deletes an entity with its components and all its descendants. */
void space_delete(SparseSpace *space, uint32_t id);
/* Adds a component that is absent; returns its values. */
void *space_add(SparseSpace *space, uint32_t id, uint32_t type);
void *space_get(SparseSpace *space, uint32_t id, uint32_t type);
bool space_has(const SparseSpace *space, uint32_t id, uint32_t type);
/* Removes a component that is there. */
void space_remove(SparseSpace *space, uint32_t id, uint32_t type);
/* Makes child a child of parent. It has no parent yet. */
void space_relate(SparseSpace *space, uint32_t parent, uint32_t child);

/* The sum of one hash per value of f32 fields, as measure_hash. */
uint64_t space_hash(const SparseSpace *space, uint32_t type);

#endif

/* table_walk.h: walks over tables of a script, and the copies that they fill.
 *
 * An **element** is what a table has at a number, and at the keys of a path
 * from there on. In a path, `false` stands for another number:
 *
 *      T[k]         {}                T[k].x       { "x" }
 *      T[k][j]      { false }         T[k].row[j]  { "row", false }
 *
 * A path with a second number has **rows**: the tables that it leads to there.
 *
 * Nothing of a script runs meanwhile: fields behind an __index that is a table
 * are found, and any other __index is a reason to fail. So is a table that has
 * other elements than its kind says, or numbers that are not whole or too far
 * from each other for an array. Nothing allocates, either.
 */
#ifndef ECS_TABLE_WALK_H
#define ECS_TABLE_WALK_H

#include "object/object.h"

/* Elements of a table. What has no element is 0, and not present. */
typedef struct TableCopy {
  Header header;
  uint8_t *present; /* one per element, behind the elements */
  uint32_t *wanted; /* elements that a run wants, behind those */
  uint32_t
      *rows; /* of elements in rows: which wanted row each of these is in */
  uint32_t wanted_count;
  bool is_sparse;   /* only wanted elements are present */
  uint32_t room;    /* elements */
  int32_t base;     /* the key of the first element that there is room for */
  uint32_t skipped; /* elements before the first that was filled */
  uint32_t count;   /* elements from there to the last that was filled */
  bool has_holes;   /* not all of these are present */
  double elements[];
} TableCopy;

typedef enum CopyKind {
  COPY_NOTHING, /* there are no elements */
  COPY_NUMBER,
  COPY_BOOLEAN,
  COPY_HANDLE,   /* numbers that are handles of entities */
  COPY_ID,       /* numbers that may be ids of entities; 0 is none of an entity,
                    and no mistake */
  COPY_TABLE,    /* whether there is a table */
  COPY_FUNCTION, /* whether there is a function */
  COPY_KIND_COUNT
} CopyKind;

/* Why a table cannot be copied. */
typedef enum Failure {
  FAILURE_NONE,
  FAILURE_KIND,  /* an element of another kind, or no table on the way */
  FAILURE_TYPE,  /* an element of a kind that no array has */
  FAILURE_INDEX, /* an __index that is not followed */
  FAILURE_KEY,   /* a number that is not whole, or far from 0 */
  FAILURE_LARGE, /* too many elements, or too far from each other */
  FAILURE_GAP    /* an element without the field that all others have */
} Failure;

/* A walk over the table at index 1. Copies are NULL in a walk that only looks.
 */
typedef struct Walk {
  lua_State *L;
  CopyKind kind;
  bool learns; /* kind is that of the first element */
  bool whole;  /* no element may lack the field at the path's end */
  bool gaps;   /* one did */
  int path;    /* index of the list */
  int name;    /* index of "__index": no string is made during a walk */
  int length;  /* of the path, up to its end or to `false` */
  int inner;   /* length of the whole path; equal: there is no second number */
  Failure failure;
  TableCopy *rows[3], *elements;
  /* Of the keys that were seen. */
  int64_t lowest, highest;
  uint32_t count;
  uint32_t placed; /* elements of rows so far, holes among them */
} Walk;

/* A walk along the path at index 2, with "__index" on top of the stack. Raises
 * where it is no path. May allocate. */
BIND_INTERNAL Walk bind_walk_begin(lua_State *L);

/* Walks over the whole table. False: failure says why it ended. Cost: some 35 to
 * 90 ns an element. */
BIND_INTERNAL bool bind_walk_all(Walk *walk);

/* Notes the first failure of a walk. Returns false. */
BIND_INTERNAL bool bind_walk_fail(Walk *walk, Failure failure);

/* Follows the path from step first to step last, from the value on top of the
 * stack, which it replaces; by nil where there is nothing. False: it failed. */
BIND_INTERNAL bool bind_walk_follow(Walk *walk, int first, int last);

/* The element on top of the stack, which is not nil, as a number. False: it is
 * of another kind. */
BIND_INTERNAL bool bind_walk_element(Walk *walk, double *element);

/* Does reading an absent number of what is on top of the stack give nil? False:
 * it failed. */
BIND_INTERNAL bool bind_walk_plain(Walk *walk);

/* Does the path have a second number? */
static inline bool walk_has_rows(const Walk *walk) {
  return walk->inner > walk->length;
}

#endif

/* join.h: where a driver's entities are in the other parts of a query.
 *
 * Rows of the driver are looked up a few hundred at a time, one part after the
 * other, so that each loop does one simple thing and what it leaves for the
 * next is still in the nearest cache:
 *
 *      driver's rows     part 1          part 2
 *      5 6 7 8 9   --->  5 - 7 8 -  ---> 5 - - 8 -   --->  found: 5 8
 *
 * What was found stays until more is looked up: the rows of each part in the
 * caller's arrays, the tables here. Cost: 2 to 6 ns for each row and part.
 */
#ifndef ECS_JOIN_H
#define ECS_JOIN_H

#include "query/query_group.h"

typedef struct Join {
  Store *store;
  const QueryGroup *groups;
  uint32_t group_count;
  uint32_t driver;
  uint8_t **fits;   /* per part, by table id plus one: does it match? Entry 0
                        stands for QUERY_GROUP_ABSENT; owned */
  uint32_t *tables; /* per part, of the rows found; owned */
  uint32_t *const *rows; /* per part: the caller's, from first on */
  uint32_t first;
  uint32_t count;                  /* rows found */
  uint32_t indices[ECS_JOIN_ROWS]; /* their entities' indices */
  uint32_t kept[ECS_JOIN_ROWS];    /* scratch */
} Join;

/* ECS_E_MEMORY: join_deinit frees what there is. Parts and tables must stay
 * as they are until then. */
ECS_INTERNAL ecs_Status join_init(Join *join, Store *store,
                                  const QueryGroup *groups,
                                  uint32_t group_count, uint32_t driver);
ECS_INTERNAL void join_deinit(Join *join);

/* Looks up the next ECS_JOIN_ROWS rows of a driver table, from row on, and
 * puts the count that match into the arrays, one for each part, from first on.
 * There must be room for all that are left. Rows of a part where an entity is
 * absent say nothing. Returns where to go on. */
ECS_INTERNAL uint32_t join_rows(Join *join, const Table *table, uint32_t row,
                                uint32_t *const *rows, uint32_t first);

/* Checked builds: is every row that was found in a driver table, and in the
 * other groups, that of the same entity, and does it match? */
ECS_INTERNAL bool join_check_invariants(const Join *join, const Table *table);

/* Are some ids all the same? Looks at all of them, many at once. */
static inline bool ids_are_equal(const uint32_t *ids, uint32_t count) {
  uint32_t difference = 0;
  for (uint32_t i = 1; i < count; i++) difference |= ids[i] ^ ids[0];
  return difference == 0;
}

/* Are all that were found in the same tables? */
ECS_INTERNAL bool join_is_uniform(const Join *join);

/* The tables' ids, or QUERY_GROUP_ABSENT, of one that was found; the driver's is left
 * as it is. */
static inline void join_tables(const Join *join, uint32_t found,
                               uint32_t *tables) {
  ECS_ASSERT(found < join->count);
  for (uint32_t i = 0; i < join->group_count; i++)
    if (i != join->driver)
      tables[i] = join->tables[(size_t)i * ECS_JOIN_ROWS + found];
}

#endif

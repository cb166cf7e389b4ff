/* join.h: finds the rows of a driver's entities in the other groups of a query.
 *
 * A join looks up ECS_JOIN_ROWS rows of the driver at a time, in one group
 * after the other. So each loop does one simple thing, and what it leaves for
 * the next loop is still in the nearest cache:
 *
 *      driver's rows     group 1         group 2
 *      5 6 7 8 9   --->  5 - 7 8 -  ---> 5 - - 8 -   --->  found: 5 8
 *
 * What was found is valid until the next look-up: the rows of each group in the
 * caller's arrays, the tables in the join. Cost: 2 to 6 ns for each row and
 * group.
 */
#ifndef ECS_JOIN_H
#define ECS_JOIN_H

#include "query/query_group.h"

typedef struct Join {
  Store *store;
  const QueryGroup *groups; /* of the query; borrowed */
  uint32_t group_count;
  uint32_t driver;  /* which of the groups drives */
  uint8_t **fits;   /* for each group, by table id plus one: 1 where the table
                       matches; entry 0 stands for QUERY_GROUP_ABSENT; owned */
  uint32_t *tables; /* for each group, the table ids of the rows found; owned */
  uint32_t *const *rows;           /* for each group, rows; the caller's */
  uint32_t first;                  /* where the rows found begin in rows[k] */
  uint32_t count;                  /* rows found */
  bool shares;                     /* the groups share a choice */
  uint32_t indices[ECS_JOIN_ROWS]; /* the entity index of each row found */
  uint32_t kept[ECS_JOIN_ROWS];    /* scratch: positions that a filter keeps */
} Join;

/* Prepares look-ups for one driver. Groups and tables must stay as they are
 * until join_deinit. ECS_E_MEMORY: join_deinit frees what was allocated. Cost:
 * a byte per table of each group. */
ECS_INTERNAL ecs_Status join_init(Join *join, Store *store,
                                  const QueryGroup *groups,
                                  uint32_t group_count, uint32_t driver);

/* Frees the join's own memory; also after join_init has failed. */
ECS_INTERNAL void join_deinit(Join *join);

/* Looks up the next ECS_JOIN_ROWS rows of a matched table of the driver,
 * beginning with row. Rows that match in all groups are appended to rows[k]
 * from position first on, where there must be room for all rows looked up, and
 * for BITS_LIST_SLACK more; join->count is their number. In a group where an
 * entity has no row its entry is undefined. Returns the row to go on with. */
ECS_INTERNAL uint32_t join_rows(Join *join, const Table *table, uint32_t row,
                                uint32_t *const *rows, uint32_t first);

/* Checked builds: do the rows found at one position belong to one entity in all
 * groups, and does the entity match? table is the driver's. */
ECS_INTERNAL bool join_check_invariants(const Join *join, const Table *table);

/* Are all ids the same? Compares all of them, several at once. */
static inline bool ids_are_equal(const uint32_t *ids, uint32_t count) {
  uint32_t difference = 0;
  for (uint32_t i = 1; i < count; i++) difference |= ids[i] ^ ids[0];
  return difference == 0;
}

/* Are all rows found in the same combination of tables? */
ECS_INTERNAL bool join_is_uniform(const Join *join);

/* Writes the table ids of one row found, or QUERY_GROUP_ABSENT, to tables[k]
 * for each group k but the driver. */
static inline void join_tables(const Join *join, uint32_t found,
                               uint32_t *tables) {
  ECS_ASSERT(found < join->count);
  for (uint32_t i = 0; i < join->group_count; i++)
    if (i != join->driver)
      tables[i] = join->tables[(size_t)i * ECS_JOIN_ROWS + found];
}

#endif

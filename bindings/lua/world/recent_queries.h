/* recent_queries.h: which queries a world was asked for last.
 *
 *      hash of the terms --> bucket --> slot --chain--> slot ...
 *      newest slot <--newer/older--> ... <--> oldest slot
 *
 * Slots are numbered from 1; 0 is no slot, and in the list of ages the place
 * between the newest and the oldest. The queries themselves are in a table of
 * Lua, by slot (query/world_queries.c): no pointer is kept here. A slot is
 * given away again; the stamp that it gets each time shows whether it still has
 * what a caller remembers.
 *
 * Everything costs a few loads; nothing fails. All zero is an empty one.
 */
#ifndef ECS_LUA_RECENT_QUERIES_H
#define ECS_LUA_RECENT_QUERIES_H

#include "object/object.h"

/* So many queries live as long as their world although nothing refers to them.
 * A game has fewer; a script that makes up ever new ones ends with these. */
#define RECENT_QUERIES 256u
#define RECENT_BUCKETS 512u

typedef struct RecentQueries {
  uint32_t hashes[RECENT_QUERIES + 1]; /* by slot */
  uint16_t chain[RECENT_QUERIES + 1];  /* the next slot of the bucket */
  uint16_t newer[RECENT_QUERIES + 1];
  uint16_t older[RECENT_QUERIES + 1];
  uint16_t buckets[RECENT_BUCKETS];  /* the first slot of each */
  uint16_t count;                    /* slots in use: 1 to count */
  double stamps[RECENT_QUERIES + 1]; /* when each slot was taken */
  double stamp;                      /* the last one */
} RecentQueries;

/* The first slot of this hash, or the next one after a slot; 0: none. */
BIND_INTERNAL uint16_t recent_first(const RecentQueries *recent, uint32_t hash);
BIND_INTERNAL uint16_t recent_next(const RecentQueries *recent, uint16_t slot);

/* Makes a slot the newest. */
BIND_INTERNAL void recent_touch(RecentQueries *recent, uint16_t slot);

/* Makes a slot the newest, if it still has this stamp. slot may be anything. */
BIND_INTERNAL bool recent_touch_stamped(RecentQueries *recent, uint32_t slot,
                                        double stamp);

/* Gives a slot to a hash and makes it the newest: an unused slot or, where
 * there is none, the oldest, which loses what it had. */
BIND_INTERNAL uint16_t recent_take(RecentQueries *recent, uint32_t hash);

#endif

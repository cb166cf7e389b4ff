/* totals.h: sums and extremes of a world: world:sum "score".
 *
 * A Total has a name and, for each system that adds to it, a Tally:
 *
 *      Total "score"  -->  Tally "arrows"  -->  Tally "swords"   (by name)
 *                            running: the run that is on
 *                            value: what its last whole run came to
 *
 * A tally's value changes when a run of its system has ended well, so whoever
 * reads the total sees whole runs only. Its rows are added in the order that
 * docs/programs.md gives, on every path (core/reduction.h).
 *
 * A tally is never freed before its world: there is one for each name of a
 * system that has added.
 */
#ifndef ECS_LUA_TOTALS_H
#define ECS_LUA_TOTALS_H

#include "math/reduction.h"
#include "world/lua_world.h"

typedef struct Tally {
  struct Tally *next; /* of the same total, by name */
  Reduction running;  /* the run that is on */
  double value;       /* what its last whole run came to */
  uint64_t block;     /* whose rows are in the lanes */
  uint64_t turn;      /* which run it is; see State */
  char system[];
} Tally;

typedef struct Total {
  Header header;
  LuaWorld *world;    /* kept by its private table, with the tallies */
  struct Total *next; /* of the world */
  Tally *tallies;
  Tally *recent; /* that was added to last; NULL: none */
  ReductionKind kind;
  uint32_t tally_count;
  char name[];
} Total;

/* The tally of a system; NULL when it has never added. */
BIND_INTERNAL Tally *bind_tally_find(const Total *total, const char *system);

/* The same, made now if need be, for the total at index. May raise. */
BIND_INTERNAL Tally *bind_tally_ensure(lua_State *L, Total *total, int index,
                                       const char *system);

/* A run of a system has ended well: what it added in this turn is what its
 * tallies come to, nothing where it added nothing. turn 0: it added nothing.
 * Neither allocates nor raises. */
BIND_INTERNAL void bind_totals_end(const LuaWorld *world, const char *system,
                                   uint64_t turn);

#endif

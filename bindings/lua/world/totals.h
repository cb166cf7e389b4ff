/* totals.h: sums and extremes of a world: world:sum "score".
 *
 * A Total has a name and, for each system that adds to it, a Tally:
 *
 *      Total "score"  -->  Tally "arrows"  -->  Tally "swords"   (by name)
 *                            running: rows of the run in progress
 *                            value: result of its last complete run
 *
 * A tally's value changes when a run of its system has ended without an error,
 * so a reader of the total sees complete runs only. Rows are added in the order
 * that docs/programs.md gives, on every path (core/math/reduction.h).
 *
 * A tally is freed with its world: there is one for each name of a system that
 * has ever added.
 */
#ifndef ECS_LUA_TOTALS_H
#define ECS_LUA_TOTALS_H

#include "api/for_bindings.h"
#include "world/lua_world.h"

typedef struct Tally {
  struct Tally *next; /* of the same total, in order of names */
  Reduction running;  /* the run in progress */
  double value;       /* result of the last complete run */
  uint64_t block;     /* block of rows that is in the lanes of running */
  uint64_t run;       /* SystemRun.number of running; 0: none in progress */
  char system[];
} Tally;

typedef struct Total {
  Header header;
  LuaWorld *world;    /* kept alive by the private table, as are the tallies */
  struct Total *next; /* of the same world */
  Tally *tallies;
  Tally *recent; /* the last that was added to; NULL: none yet */
  ReductionKind kind;
  uint32_t tally_count;
  char name[];
} Total;

/* "sum", "min" or "max". */
BIND_INTERNAL const char *bind_total_kind(const Total *total);

/* The tally of a system; NULL when the system has never added. */
BIND_INTERNAL Tally *bind_tally_find(const Total *total, const char *system);

/* The tally of a system, created if there is none. index is the stack index of
 * the total. May raise when memory runs out. */
BIND_INTERNAL Tally *bind_tally_ensure(lua_State *L, Total *total, int index,
                                       const char *system);

/* Begins the run of this number, or goes on with it, at this row: rows that a
 * program runs are added to tally->running itself, in the same order. */
BIND_INTERNAL void bind_tally_reach(Tally *tally, ReductionKind kind,
                                    uint64_t run, uint64_t row);

/* A run of a system has ended without an error: its tallies get what the run of
 * this number added, or the value of no rows where it added nothing. Number 0
 * stands for a run that added nothing. Neither allocates nor raises. */
BIND_INTERNAL void bind_totals_end(const LuaWorld *world, const char *system,
                                   uint64_t number);

/* Adds total_kind, total_value and forget_totals to the table on top of the
 * stack; sum, min and max to the methods of worlds; and the methods of totals.
 */
BIND_INTERNAL void bind_open_totals(lua_State *L);

#endif

/* failure_scenarios.h: what failure_test.c makes fail.
 *
 * A scenario is one call of a public function in a prepared world, a
 * preparation, and, for a call that closes something, the effect of its
 * failure. failure_scenarios has every function that changes a world.
 */
#ifndef FAILURE_SCENARIOS_H
#define FAILURE_SCENARIOS_H

#include "ecs_array.h"
#include "ecs_grid.h"
#include "failure_fixture.h"

typedef enum When {
  NOW = 1,        /* with nothing open */
  LATER = 2,      /* while changes are deferred */
  NOW_FAILS = 4,  /* at once it has to allocate in some world */
  LATER_FAILS = 8 /* and so it has when it is deferred */
} When;

typedef struct Scenario {
  const char *function;
  const char *what;
  ecs_Status (*call)(Fixture *fixture);
  unsigned when;
  void (*before)(Fixture *fixture); /* what comes first, never failing */
  void (*undo)(Fixture *fixture);   /* ends: what failing amounts to */
} Scenario;

extern const Scenario failure_scenarios[];
extern const size_t failure_scenario_count;

/* Of the calls, those that tests make themselves. */
ecs_Status call_add_table(Fixture *fixture);
ecs_Status call_add_sparse(Fixture *fixture);

/* Spawns many and leaves their columns open: it cannot be prepared twice. */
void open_spawned(Fixture *fixture);

/* Writes through everything that keeps pointers or lists of rows. */
void use_all(Fixture *fixture);

#endif

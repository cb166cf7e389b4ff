/* oracle.h: what a world must answer, worked out the slow and obvious way.
 *
 * The oracle keeps every entity that was ever issued in one array, each with
 * its components as flags and its fields as doubles (a double holds every
 * scalar exactly). It knows nothing of tables, groups or rows:
 *
 *      entities  | e1 alive          | e2 dead | e3 recorded spawn |
 *                | has Position      |         | has nothing yet   |
 *                | values 1.0  2.0   |         |                   |
 *
 *      changes   | spawn e3 | add e3 Position | remove e1 Position |
 *      scopes    ^ outermost begins here      ^ an inner one begins here
 *
 * While a scope is open (a cursor or a deferral), changes of structure go to
 * the list of changes, and when the outermost scope ends they are carried out
 * one by one, in their order: that is the undeferred program.
 *
 * It shares no code with the core: from ecs.h it takes types and numbers only.
 * Handles come from the real world, because only it can choose them.
 */
#ifndef ECS_SPEC_ORACLE_H
#define ECS_SPEC_ORACLE_H

#include "value.h"

#define ORACLE_COMPONENTS 14u /* at most; components are numbered from 1 */
#define ORACLE_SCOPES 80u
#define ORACLE_TERMS 16u

typedef struct OracleEntity {
  ecs_Entity handle;
  bool present; /* has its rows: spawned for good and not yet destroyed */
  bool staged;  /* its spawn is recorded: alive, without components */
  bool doomed;  /* its destroy is recorded: dead, its rows still there */
  bool has[ORACLE_COMPONENTS + 1];
  double values[ORACLE_COMPONENTS + 1][ORACLE_FIELDS];
} OracleEntity;

typedef enum OracleChangeKind {
  ORACLE_SPAWN,
  ORACLE_DESTROY,
  ORACLE_ADD,
  ORACLE_REMOVE,
  ORACLE_SET,
  ORACLE_UNNAMED /* spawn_many without a cursor: nobody knows the ids yet */
} OracleChangeKind;

typedef struct OracleChange {
  OracleChangeKind kind;
  ecs_Entity entity;
  ecs_Component component;
  uint64_t fields; /* of ORACLE_SET */
  uint32_t mask;   /* of ORACLE_UNNAMED: bit c: has component c */
  uint64_t count;  /* of ORACLE_UNNAMED */
  double values[ORACLE_FIELDS];
} OracleChange;

/* What an open scope may do to components: bit c stands for component c. */
typedef struct OracleScope {
  uint32_t first_change;
  uint32_t reads, writes;
  uint64_t dropped; /* when it began */
} OracleScope;

typedef struct Oracle {
  OracleComponent components[ORACLE_COMPONENTS + 1];
  uint32_t component_count;
  OracleEntity *entities; /* in the order they were issued */
  uint32_t entity_count, entity_capacity;
  uint32_t *by_index; /* position + 1 of the newest entity of an index */
  uint32_t index_capacity;
  OracleChange *changes;
  uint32_t change_count, change_capacity;
  OracleScope scopes[ORACLE_SCOPES];
  uint32_t scope_count;
  uint64_t dropped;
} Oracle;

/* Life. Out of memory ends the process: this is a test. */
void oracle_init(Oracle *oracle);
void oracle_deinit(Oracle *oracle);

/* Defines the next component and returns its number. */
ecs_Component oracle_component(Oracle *oracle, const ecs_Field *fields,
                               uint32_t field_count);

/* Reading ----------------------------------------------------------------- */

/* The newest entity with this handle's index if it is this handle; NULL for a
 * handle that was never issued or whose index has gone on. */
OracleEntity *oracle_find(const Oracle *oracle, ecs_Entity handle);
bool oracle_alive(const Oracle *oracle, ecs_Entity handle);
bool oracle_deferring(const Oracle *oracle);
/* Indices that no spawn can be given now, retired ones apart. */
uint32_t oracle_held_count(const Oracle *oracle);
uint32_t oracle_components_of(const Oracle *oracle, ecs_Entity handle,
                              ecs_Component *components);

/* The value, and the status ecs_get must answer. */
ecs_Status oracle_get(const Oracle *oracle, ecs_Entity handle,
                      ecs_Component component, const double **values);
bool oracle_has(const Oracle *oracle, ecs_Entity handle,
                ecs_Component component);

/* Does this entity have rows that the terms match? */
bool oracle_matches(const OracleEntity *entity, const ecs_Term *terms,
                    uint32_t count);

/* Changing: each answers the status that the world must answer ------------- */

/* Takes note of a handle that the world issued: false when it was ever issued
 * before, or while its index is in use. The entity has the components of mask
 * with values[c] (NULL: defaults), now or, deferred, later. */
bool oracle_spawn(Oracle *oracle, ecs_Entity handle, uint32_t mask,
                  const double (*values)[ORACLE_FIELDS]);
/* count entities whose handles are not known yet; see oracle_claim. */
void oracle_spawn_unnamed(Oracle *oracle, uint32_t mask, uint64_t count);

ecs_Status oracle_destroy(Oracle *oracle, ecs_Entity handle);
ecs_Status oracle_add(Oracle *oracle, ecs_Entity handle,
                      ecs_Component component, const double *values);
ecs_Status oracle_remove(Oracle *oracle, ecs_Entity handle,
                         ecs_Component component);
ecs_Status oracle_set(Oracle *oracle, ecs_Entity handle,
                      ecs_Component component, const double *values,
                      uint64_t fields);
/* Sets all fields where the component is present, as an accessor does. */
ecs_Status oracle_accessor_set(Oracle *oracle, ecs_Entity handle,
                               ecs_Component component, const double *values);
ecs_Status oracle_clear(Oracle *oracle);

/* Scopes ------------------------------------------------------------------ */

/* May a cursor with this access be opened now? */
ecs_Status oracle_judge_access(const Oracle *oracle, uint32_t reads,
                               uint32_t writes);
void oracle_scope_begin(Oracle *oracle, uint32_t reads, uint32_t writes);

/* Ends the innermost scope. keep false forgets what it recorded, and what it
 * counted as dropped. When the outermost ends, what is left of the changes is
 * carried out. */
void oracle_scope_end(Oracle *oracle, bool keep);

/* Handles of unnamed spawns ------------------------------------------------ */

/* How many entities have been spawned for good whose handle is still unknown;
 * and: the world shows this unknown handle with these components. False when
 * no unnamed spawn can have made it. */
uint64_t oracle_unclaimed(const Oracle *oracle);
bool oracle_claim(Oracle *oracle, ecs_Entity handle, uint32_t mask);

#endif

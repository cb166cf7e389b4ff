/* oracle.h: a slow and obvious model of a world.
 *
 * The oracle keeps every entity that was ever issued in one array, each with
 * its components as flags and its fields as doubles (a double holds every
 * scalar exactly). It has no tables, groups or rows:
 *
 *      entities  | e1 alive          | e2 dead | e3 recorded spawn |
 *                | has Position      |         | has nothing yet   |
 *                | values 1.0  2.0   |         |                   |
 *
 *      changes   | spawn e3 | add e3 Position | remove e1 Position |
 *      scopes    ^ outermost begins here      ^ an inner one begins here
 *
 * While a scope is open (a cursor or a deferral), changes of structure are only
 * listed; the end of the outermost scope makes them one by one, in order.
 *
 * Of the core it uses types and numbers of ecs.h only; the real world issues
 * the handles.
 */
#ifndef ECS_SPEC_ORACLE_H
#define ECS_SPEC_ORACLE_H

#include "value.h"

#define ORACLE_COMPONENTS 14u /* at most; components are numbered from 1 */
#define ORACLE_SCOPES 80u
#define ORACLE_TERMS 16u

typedef struct OracleEntity {
  ecs_Entity handle;
  bool present; /* has rows: its spawn was applied and its destruction not */
  bool staged;  /* its spawn is recorded: alive, without components */
  bool doomed;  /* its destruction is recorded: dead, rows still there */
  bool has[ORACLE_COMPONENTS + 1];
  double values[ORACLE_COMPONENTS + 1][ORACLE_FIELDS];
} OracleEntity;

typedef enum OracleChangeKind {
  ORACLE_SPAWN,
  ORACLE_DESTROY,
  ORACLE_ADD,
  ORACLE_REMOVE,
  ORACLE_SET,
  ORACLE_UNNAMED /* spawn_many without a cursor: the ids are not known yet */
} OracleChangeKind;

typedef struct OracleChange {
  OracleChangeKind kind;
  ecs_Entity entity;
  ecs_Component component;
  uint64_t fields; /* of ORACLE_SET */
  uint32_t mask;   /* of ORACLE_UNNAMED: bit c: has component c */
  uint64_t count;  /* of ORACLE_UNNAMED */
  bool part;       /* of ORACLE_ADD: the spawn has all that it needs */
  double values[ORACLE_FIELDS];
} OracleChange;

/* What an open scope accesses; bit c stands for component c. */
typedef struct OracleScope {
  uint32_t first_change;
  uint32_t reads, writes;
  uint64_t dropped; /* when it began */
} OracleScope;

typedef struct Oracle {
  OracleComponent components[ORACLE_COMPONENTS + 1];
  uint32_t component_count;
  uint32_t needs[ORACLE_COMPONENTS + 1]; /* bit c: it needs component c */
  OracleEntity *entities;                /* in the order they were issued */
  uint32_t entity_count, entity_capacity;
  uint32_t *by_index; /* position + 1 of the newest entity of an index */
  uint32_t index_capacity;
  OracleChange *changes;
  uint32_t change_count, change_capacity;
  OracleScope scopes[ORACLE_SCOPES];
  uint32_t scope_count;
  uint64_t dropped;
  bool anonymous; /* entities were recorded without a handle */
} Oracle;

/* Lifetime. Running out of memory ends the process. */
void oracle_init(Oracle *oracle);
void oracle_deinit(Oracle *oracle);

/* Defines the next component and returns its number. */
ecs_Component oracle_component(Oracle *oracle, const ecs_Field *fields,
                               uint32_t field_count);

/* Reading ----------------------------------------------------------------- */

/* The entity with this handle; NULL if the handle was never issued, or if a
 * newer entity has its index. */
OracleEntity *oracle_find(const Oracle *oracle, ecs_Entity handle);
bool oracle_alive(const Oracle *oracle, ecs_Entity handle);
bool oracle_deferring(const Oracle *oracle);
/* Number of indices that no spawn can get now, without the retired ones. */
uint32_t oracle_held_count(const Oracle *oracle);
uint32_t oracle_components_of(const Oracle *oracle, ecs_Entity handle,
                              ecs_Component *components);

/* The value, and the status that ecs_get must return. */
ecs_Status oracle_get(const Oracle *oracle, ecs_Entity handle,
                      ecs_Component component, const double **values);
bool oracle_has(const Oracle *oracle, ecs_Entity handle,
                ecs_Component component);

/* True: the entity has rows, and the terms match it. */
bool oracle_matches(const OracleEntity *entity, const ecs_Term *terms,
                    uint32_t count);

/* Changing: each returns the status that the world must return ------------- */

/* Adds an entity with a handle that the world issued, the components of mask
 * and values[c] (NULL: defaults), now or when changes are applied. False: the
 * handle was issued before, or its index is in use. */
bool oracle_spawn(Oracle *oracle, ecs_Entity handle, uint32_t mask,
                  const double (*values)[ORACLE_FIELDS]);
/* May a world be asked to give this handle? Not when its index has one that is
 * as new, or is in use. Handles that no one claimed are not known here: of these
 * the answer may be wrong once oracle->anonymous is set. */
bool oracle_may_give(const Oracle *oracle, ecs_Entity handle);
/* The newest handle of an index; 0: none is known. */
ecs_Entity oracle_newest(const Oracle *oracle, uint32_t index);
/* The highest index of a known handle; 0: there is none. */
uint32_t oracle_highest_index(const Oracle *oracle);
/* Adds count entities; oracle_claim gives them their handles later. */
void oracle_spawn_unnamed(Oracle *oracle, uint32_t mask, uint64_t count);

ecs_Status oracle_destroy(Oracle *oracle, ecs_Entity handle);
ecs_Status oracle_add(Oracle *oracle, ecs_Entity handle,
                      ecs_Component component, const double *values);
ecs_Status oracle_remove(Oracle *oracle, ecs_Entity handle,
                         ecs_Component component);
ecs_Status oracle_set(Oracle *oracle, ecs_Entity handle,
                      ecs_Component component, const double *values,
                      uint64_t fields);
ecs_Status oracle_replace(Oracle *oracle, ecs_Entity handle, ecs_Component gone,
                          ecs_Component component, const double *values,
                          uint64_t fields);
/* Sets all fields where the component is present, as an accessor does. */
ecs_Status oracle_accessor_set(Oracle *oracle, ecs_Entity handle,
                               ecs_Component component, const double *values);
ecs_Status oracle_clear(Oracle *oracle);

/* Scopes ------------------------------------------------------------------ */

/* The status of opening a cursor with this access now. */
ecs_Status oracle_judge_access(const Oracle *oracle, uint32_t reads,
                               uint32_t writes);
void oracle_scope_begin(Oracle *oracle, uint32_t reads, uint32_t writes);

/* Ends the innermost scope. Without keep, its changes and its count of dropped
 * ones are undone. The end of the outermost scope makes the changes. */
void oracle_scope_end(Oracle *oracle, bool keep);

/* Handles of unnamed spawns ------------------------------------------------ */

/* The number of spawned entities with an unknown handle. */
uint64_t oracle_unclaimed(const Oracle *oracle);
/* Gives an unnamed entity with these components this handle, which the world
 * shows. False: no unnamed spawn can have made it. */
bool oracle_claim(Oracle *oracle, ecs_Entity handle, uint32_t mask);

#endif

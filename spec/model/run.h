/* run.h: one program, run on an oracle and on several worlds in lockstep.
 *
 *      step --> the expected result (oracle)
 *           --> main, sparse, mixed, again: the same call on each
 *           --> every result is compared at once; sometimes, everything is
 *
 * A step that finds a difference writes it into the report and ends the
 * process. model_test.c runs every program in a child process, so a crash of
 * the core is a failure like any other.
 *
 * Entities are named by registers. A dead handle stays in its register until a
 * new one needs it. Then three of four dead handles move to the attic, from
 * where they are used for the rest of the program.
 */
#ifndef ECS_SPEC_RUN_H
#define ECS_SPEC_RUN_H

#include "base/config.h"
#include "instance.h"
#include "program.h"

#define REGISTERS 256u
#define MESSAGE_BYTES 600u

/* The report of the child to its parent, in shared memory. */
typedef struct Report {
  uint32_t step; /* being run */
  bool failed;
  char message[MESSAGE_BYTES]; /* of the failure */
  uint64_t done[STEP_COUNT];   /* steps that had an effect to compare */
  uint64_t statuses[STEP_COUNT][ECS_STATUS_COUNT];
  uint64_t stopped; /* programs that a limit ended early */
} Report;

typedef enum ScopeKind { SCOPE_DEFER, SCOPE_CURSOR, SCOPE_FILL } ScopeKind;

/* An open scope of the test, beyond what the oracle has. */
typedef struct Scope {
  ScopeKind kind;
  uint32_t slot; /* of the cursor's query */
  ecs_Term terms[ORACLE_TERMS];
  uint32_t term_count;
  bool whole;                     /* the cursor continues to its last batch */
  bool writes;                    /* and writes what it may write */
  uint64_t salt;                  /* of the values it writes */
  uint32_t known;                 /* entities there were when it began */
  uint32_t expected;              /* how many of them match */
  unsigned char *seen[INSTANCES]; /* by entity; owned */
  uint32_t seen_count[INSTANCES];
  bool finished[INSTANCES];
} Scope;

/* A query that asks for changes, or for an order, in every world. */
typedef struct Watch {
  ecs_Term terms[ORACLE_TERMS];
  uint32_t count;
  uint32_t asked; /* bit t: changes of term t */
  bool sorted, down;
  uint32_t order, field; /* of a term; the order of walks */
  bool made;
  OracleEntity *seen; /* by position, when a walk was last seen; owned */
  uint32_t seen_count;
} Watch;

typedef struct Run {
  const Program *program;
  Report *report;
  const Step *step; /* being run */
  Oracle oracle;
  Instance instances[INSTANCES];
  uint32_t instance_count;
  ecs_Entity registers[REGISTERS];
  uint32_t register_count;
  ecs_Entity *attic; /* owned */
  uint32_t attic_count, attic_capacity;
  uint32_t tables_wanted; /* that the call may make, or commands record, at
                             most */
  ecs_Term query_terms[QUERY_SLOTS][ORACLE_TERMS];
  uint32_t query_term_counts[QUERY_SLOTS];
  Watch watches[WATCH_SLOTS];
  Scope scopes[ORACLE_SCOPES]; /* as many as the oracle has open */
  bool stopped; /* a limit struck in one world and not in another */
} Run;

/* Runs the program; returns when nothing was wrong. */
void run_program(const Program *program, Report *report);

/* Reports and ends the process when the condition does not hold. */
#define MUST(run, condition, ...) \
  ((condition) ? (void)0 : run_fail(run, #condition, __VA_ARGS__))
_Noreturn void run_fail(Run *run, const char *condition, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));

/* One call on every world -------------------------------------------------- */

typedef struct Arguments {
  ecs_Entity entity;
  ecs_Component component;
  uint32_t list; /* of components */
  const ecs_Component *components;
  uint32_t count;
  const void *const *values;
  const void *image;
  uint64_t fields;
  uint32_t field;
  double number;
  uint32_t slot; /* of queries; or the position of a cursor */
  const ecs_Term *terms;
  ecs_Batching batching;
  const ecs_KernelCall *kernel_call;
  const struct Watch *watch;
  bool keep; /* what a scope recorded; or set by the row in line */
} Arguments;

typedef struct Answer {
  ecs_Entity entity;
  double number;
  uint64_t count;
  uint64_t image[ORACLE_IMAGE_BYTES / 8];
} Answer;

typedef ecs_Status (*Call)(Instance *instance, const Arguments *arguments,
                           Answer *answer);

/* Makes the call in every world and compares statuses. ECS_E_LIMIT: a limit is
 * proved to be reached; leave out the step. handles: how many it takes. */
ecs_Status run_everywhere(Run *run, Call call, const Arguments *arguments,
                          uint32_t handles, Answer *answers);

/* run_everywhere, where the status must be this one or a true limit. False:
 * the step failed as it should, or ran into a limit. */
bool run_expecting(Run *run, Call call, const Arguments *arguments,
                   uint32_t handles, Answer *answers, ecs_Status expected);

/* Counts the status of a step, for the table at the end. */
void run_note(Run *run, ecs_Status status);

/* Names -------------------------------------------------------------------- */

ecs_Entity run_pick(const Run *run, uint32_t number);
void run_remember(Run *run, ecs_Entity entity, uint32_t number);
ecs_Component run_component(const Run *run, uint32_t number);
ecs_Component run_field_component(const Run *run, uint32_t number);

/* A list of components that all steps of the program share. */
uint32_t run_list(const Run *run, uint32_t number, ecs_Component *components);
uint32_t list_mask(const ecs_Component *components, uint32_t count);

/* Steps -------------------------------------------------------------------- */

typedef void StepFunction(Run *run, const Step *step);
#define STEP_DECLARE(name, weight) StepFunction step_##name;
STEP_LIST(STEP_DECLARE)

/* Ends the innermost scope of every world and the oracle. */
void run_end_scope(Run *run, bool keep);

/* Up to four terms of any access. */
uint32_t run_random_terms(const Run *run, Random *random, ecs_Term *terms);

/* Frees what the oracle knows of queries that ask for changes. */
void run_end_watches(Run *run);

/* Finds the handles of entities spawned without returning them. */
void run_claim_unnamed(Run *run);

/* Compares everything that the interface shows of every world. */
void run_compare(Run *run);
void run_compare_hashes(Run *run);

#endif

/* command_buffer.h: changes of structure, recorded now and applied later.
 *
 * Every entity with a recorded change is a subject, in the order of its first
 * record, with the chain of its commands:
 *
 *      subjects   | e7 | e3 | new e9 |
 *                   |    |      \--> spawn --> add A --> add B
 *                   |     \--> destroy
 *                    \--> add A --> set A --> remove B
 *
 * Applying folds each chain into one change, as if its commands had run at
 * once, and moves the entity's rows once per group. First every subject is
 * folded to reserve tables, rows and locators; then, when nothing can fail any
 * more, folded again and changed. A failed reservation leaves the world as it
 * was.
 *
 * Commands lie in pieces in the order of recording, so that whatever was
 * recorded since a mark can be taken back, newest first. Staged rows are the
 * values of spawn_many: one table per call, outside the world.
 */
#ifndef ECS_COMMAND_BUFFER_H
#define ECS_COMMAND_BUFFER_H

#include "change/spawn.h"

/* What a command does to its subject. */
typedef enum CommandKind {
  COMMAND_SPAWN, /* always the first of its chain */
  COMMAND_ADD,   /* where absent: with the image, or defaults */
  COMMAND_SET,   /* the fields of the image; adds where absent */
  COMMAND_REMOVE,
  COMMAND_DESTROY /* always the last of its chain */
} CommandKind;

typedef struct StagedRows {
  struct StagedRows *previous; /* the one staged before */
  const Bundle *bundle;
  Table *table;           /* owned; component k is the bundle's item k */
  const Schema **schemas; /* owned; by item */
} StagedRows;

typedef struct Command {
  struct Command *before;   /* in order of recording */
  struct Command *previous; /* of the same subject */
  struct Command *next;     /* of the same subject */
  uint64_t fields;          /* COMMAND_SET: which */
  const StagedRows *stage;  /* COMMAND_SPAWN: its values, or NULL */
  uint32_t stage_row;
  uint32_t subject;
  ecs_Component component;
  uint8_t kind;   /* CommandKind */
  bool has_image; /* which then follows the command */
} Command;

typedef struct EntityCommands {
  ecs_Entity entity;
  Command *first;
  Command *last;
} EntityCommands;

typedef struct CommandPage {
  char *memory;
  size_t bytes;
  size_t used;
} CommandPage;

typedef struct CommandBuffer {
  Store *store;
  CommandPage *pieces;
  uint32_t piece_count;    /* in use */
  uint32_t piece_capacity; /* of the array; all of them have memory or NULL */
  EntityCommands *subjects;
  uint32_t subject_count;
  uint32_t subject_capacity;
  uint32_t command_count;
  Command *last;      /* recorded */
  StagedRows *stages; /* the last one staged */
  Locator by_index;   /* entity's index -> subject; narrow */
  struct Fold *fold;  /* owned; what applying needs, kept between */
} CommandBuffer;

/* A point in the recording to come back to. */
typedef struct CommandMark {
  Command *last;
  StagedRows *stages;
  uint32_t piece_count;
  size_t used; /* of the last of these pieces */
} CommandMark;

ECS_INTERNAL void command_buffer_init(CommandBuffer *buffer, Store *store);
ECS_INTERNAL void command_buffer_deinit(CommandBuffer *buffer);

/* Recording: ECS_E_MEMORY and ECS_E_LIMIT record nothing ------------------ */

/* An image may be NULL. Items of a bundle are added in its order. */
ECS_INTERNAL ecs_Status command_record_spawn(CommandBuffer *buffer,
                                             const Bundle *bundle,
                                             const void *const *values,
                                             ecs_Entity *entity);

/* count spawns whose values are rows of a new stage, filled with defaults. */
ECS_INTERNAL ecs_Status command_record_staged(CommandBuffer *buffer,
                                              const Bundle *bundle,
                                              uint32_t count,
                                              const StagedRows **stage);

/* COMMAND_ADD, _SET, _REMOVE or _DESTROY; the entity is alive. */
ECS_INTERNAL ecs_Status command_record(CommandBuffer *buffer, CommandKind kind,
                                       ecs_Entity entity,
                                       ecs_Component component,
                                       const void *image, uint64_t fields);

/* The subject of an entity; NULL when nothing is recorded for it. */
ECS_INTERNAL const EntityCommands *command_find(const CommandBuffer *buffer,
                                                ecs_Entity entity);

static inline bool is_recorded_destroyed(const EntityCommands *subject) {
  return subject->last->kind == COMMAND_DESTROY;
}

/* Ending ------------------------------------------------------------------ */

ECS_INTERNAL CommandMark command_mark(const CommandBuffer *buffer);

/* Takes back what was recorded since; ids of new entities stay dead. */
ECS_INTERNAL void command_rewind(CommandBuffer *buffer, CommandMark mark);

/* Forgets what was applied. */
ECS_INTERNAL void command_reset(CommandBuffer *buffer);

/* The image of an ADD or SET; NULL: defaults. */
static inline const void *command_image(const Command *command) {
  return command->has_image ? (const void *)(command + 1) : NULL;
}

#endif

/* command_buffer.h: changes of structure, recorded now and applied later.
 *
 * Every entity with a recorded change has an entry, in the order of its first
 * command, with the chain of its commands:
 *
 *      entities   | e7 | e3 | new e9 |
 *                   |    |      \--> spawn --> add A --> add B
 *                   |     \--> destroy
 *                    \--> add A --> set A --> remove B
 *
 * command_flush.h applies the chains. Commands lie in pages in the order of
 * recording, so that whatever was recorded since a mark can be taken back,
 * newest first. A chain begins with the oldest command of its entity and goes
 * on to the newest.
 */
#ifndef ECS_COMMAND_BUFFER_H
#define ECS_COMMAND_BUFFER_H

#include "change/spawn.h"
#include "change/staged_rows.h"

typedef enum CommandKind {
  COMMAND_SPAWN, /* always the first of its chain */
  COMMAND_ADD,   /* where absent: with the image, or defaults */
  COMMAND_SET,   /* stores fields of the image; adds where absent */
  COMMAND_REMOVE,
  COMMAND_DESTROY /* always the last of its chain */
} CommandKind;

typedef struct Command {
  struct Command *before;   /* recorded before this one; NULL: the first */
  struct Command *previous; /* of the same entity; NULL: the first */
  struct Command *next;     /* of the same entity; NULL: the last */
  uint64_t fields;          /* COMMAND_SET: the fields to store */
  const StagedRows *staged; /* COMMAND_SPAWN: its values; NULL: in commands */
  uint32_t staged_row;
  uint32_t entity_position; /* in the buffer's entities */
  ecs_Component component;  /* of ADD, SET and REMOVE */
  uint8_t kind;             /* CommandKind */
  bool has_image;           /* the image follows the command */
} Command;

/* An entity's recorded commands. */
typedef struct EntityCommands {
  ecs_Entity entity;
  Command *first;
  Command *last;
} EntityCommands;

typedef struct CommandPage {
  char *memory; /* owned; NULL when bytes is 0 */
  size_t bytes;
  size_t used_bytes;
} CommandPage;

typedef struct CommandBuffer {
  Store *store;        /* borrowed */
  CommandPage *pages;  /* owned */
  uint32_t page_count; /* in use */
  uint32_t page_capacity;
  EntityCommands *entities; /* owned; in the order of their first command */
  uint32_t entity_count;    /* 0: nothing is recorded */
  uint32_t entity_capacity;
  uint32_t command_count;
  Command *last;       /* recorded; NULL: none */
  StagedRows *staged;  /* owned; the newest, which leads to the others */
  Locator by_index;    /* entity's index -> position in entities; narrow */
  struct Flush *flush; /* owned; scratch memory of command_flush; NULL: none
                          yet */
} CommandBuffer;

/* A point in the recording to come back to. All zero: its beginning. */
typedef struct CommandMark {
  Command *last;
  StagedRows *staged;
  uint32_t page_count;
  size_t used_bytes; /* of the last of these pages */
} CommandMark;

/* Allocates nothing. The store must outlive the buffer. */
ECS_INTERNAL void command_buffer_init(CommandBuffer *buffer, Store *store);

/* Takes back all that is recorded and frees the buffer. command_flush_deinit
 * must have been called. */
ECS_INTERNAL void command_buffer_deinit(CommandBuffer *buffer);

/* Frees the memory of a buffer in which nothing is recorded; it goes on as a
 * new one. */
ECS_INTERNAL void command_buffer_trim(CommandBuffer *buffer);

/* Recording: ECS_E_MEMORY and ECS_E_LIMIT record nothing ------------------ */

/* Records the spawn of an entity and its components, in the bundle's order.
 * values may be NULL, and so may each image: defaults. The handle is alive from
 * now on, and reserved. Cost: a copy of the images. */
ECS_INTERNAL ecs_Status command_record_spawn(CommandBuffer *buffer,
                                             const Bundle *bundle,
                                             const void *const *values,
                                             ecs_Entity *entity);

/* Records count spawns with their values in new staged rows, which start with
 * defaults and may be written until the spawns are applied. The buffer owns the
 * rows. */
ECS_INTERNAL ecs_Status command_record_staged(CommandBuffer *buffer,
                                              const Bundle *bundle,
                                              uint32_t count,
                                              const StagedRows **staged);

/* Records COMMAND_ADD, _SET, _REMOVE or _DESTROY of an entity that is alive and
 * not recorded as destroyed. The image is copied. */
ECS_INTERNAL ecs_Status command_record(CommandBuffer *buffer, CommandKind kind,
                                       ecs_Entity entity, ecs_Component id,
                                       const void *image, uint64_t fields);

/* Reading ----------------------------------------------------------------- */

/* The commands of an entity, borrowed until the next one is recorded; NULL when
 * nothing is recorded for it. Cost: constant. */
ECS_INTERNAL const EntityCommands *command_find(const CommandBuffer *buffer,
                                                ecs_Entity entity);

/* Do the commands of an entity end with its destruction? */
static inline bool is_recorded_destroyed(const EntityCommands *commands) {
  return commands->last->kind == COMMAND_DESTROY;
}

/* The image of an ADD or SET; NULL: defaults. */
static inline const void *command_image(const Command *command) {
  return command->has_image ? (const void *)(command + 1) : NULL;
}

/* Checked builds: chains, counts and pages agree. Cost: every command. */
ECS_INTERNAL bool command_buffer_check_invariants(const CommandBuffer *buffer);

/* Ending ------------------------------------------------------------------ */

/* The point that the recording has reached. Cost: constant. */
ECS_INTERNAL CommandMark command_mark(const CommandBuffer *buffer);

/* Takes back what was recorded since the mark; handles issued since are dead
 * for good. Cost: the commands taken back. */
ECS_INTERNAL void command_rewind(CommandBuffer *buffer, CommandMark mark);

/* Forgets all commands after they were applied. Keeps a megabyte of pages. */
ECS_INTERNAL void command_reset(CommandBuffer *buffer);

#endif

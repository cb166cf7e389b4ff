/* command_buffer.h: changes of structure, recorded now and applied later.
 *
 * Every entity with a recorded change has an entry, in the order of its first
 * command, with the chain of its commands. What the commands are is the chain's
 * shape (chain_shape.h); their values lie in runs. A run has the values of the
 * commands that were recorded for one entity, one after the other:
 *
 *      entities   | e7 | e3 | new e9 |
 *                   |    |      \--> run: spawn, add A {1}, add B {2 3}
 *                   |     \--> run: destroy
 *                    \--> run: set A {5} --> run: add A {4}
 *
 * A chain leads from the newest run back to the oldest. Runs lie in pages in
 * the order of recording, so that whatever was recorded since a mark can be
 * taken back. command_flush.h applies the chains.
 */
#ifndef ECS_COMMAND_BUFFER_H
#define ECS_COMMAND_BUFFER_H

#include "change/chain_shape.h"
#include "change/spawn.h"
#include "change/staged_rows.h"

/* The head of a run; its values follow: of each command the mask of fields, of
 * COMMAND_SET, and the image, each at a multiple of eight bytes. */
typedef struct CommandRun {
  struct CommandRun *previous; /* of the same entity; NULL: the first */
  uint32_t entity_position;    /* in the buffer's entities */
  uint32_t shape;              /* of the chain up to the end of this run */
} CommandRun;

/* An entity's recorded commands. */
typedef struct EntityCommands {
  ecs_Entity entity;
  CommandRun *last; /* the newest run */
} EntityCommands;

typedef struct CommandPage {
  char *memory; /* owned; NULL when bytes is 0 */
  size_t bytes;
  size_t used_bytes;
} CommandPage;

typedef struct CommandBuffer {
  Store *store;        /* borrowed */
  CommandPage *pages;  /* owned */
  CommandPage *page;   /* the last in use; NULL: none */
  uint32_t page_count; /* in use */
  uint32_t page_capacity;
  EntityCommands *entities; /* owned; in the order of their first command */
  uint32_t entity_count;    /* 0: nothing is recorded */
  uint32_t entity_capacity;
  uint32_t command_count;
  CommandRun *open;    /* the last run, while it may grow; or NULL */
  ecs_Entity opened;   /* the entity of the open run */
  uint32_t counted;    /* the shape by which the chain of the open run is
                          counted: that of the run, or one that it has grown
                          from. See command_settle */
  StagedRows *staged;  /* owned; the newest, which leads to the others */
  Locator by_index;    /* index of an entity that has a row -> position in
                          entities; narrow. The slot of a reserved one has the
                          position as its note */
  ChainShapes shapes;  /* of the chains recorded now, and before */
  struct Flush *flush; /* owned; scratch memory of command_flush; NULL: none
                          yet */
} CommandBuffer;

/* A point in the recording to come back to. All zero: its beginning. */
typedef struct CommandMark {
  StagedRows *staged;
  size_t used_bytes; /* of the last of these pages */
  uint32_t page_count;
  uint32_t entity_count;
  uint32_t command_count;
} CommandMark;

/* Where the values of a spawn with a staged row are. */
typedef struct StagedRow {
  const StagedRows *staged;
  uint64_t row;
} StagedRow;

/* A command as it is read. */
typedef struct Command {
  CommandKind kind;
  ecs_Component component; /* of ADD, SET and REMOVE */
  const void *image; /* of ADD and SET, NULL: defaults; of SPAWN the StagedRow,
                        NULL: none. Borrowed until something is taken back or
                        applied */
  uint64_t fields;   /* of the image; of COMMAND_SET, those to store */
} Command;

/* Allocates nothing. The store must outlive the buffer. */
ECS_INTERNAL void command_buffer_init(CommandBuffer *buffer, Store *store);

/* Takes back all that is recorded and frees the buffer. command_flush_deinit
 * must have been called. */
ECS_INTERNAL void command_buffer_deinit(CommandBuffer *buffer);

/* Frees the memory of a buffer in which nothing is recorded; it goes on as a
 * new one. */
ECS_INTERNAL void command_buffer_trim(CommandBuffer *buffer);

/* Copies an image that is not small. Returns ECS_OK. */
ECS_INTERNAL ecs_Status command_copy_large(void *to, const void *image,
                                           uint32_t bytes);

/* Copies an image; most have one field or two. Returns ECS_OK, so that it can be
 * the last thing that its caller does. */
static inline ecs_Status command_copy_image(void *to, const void *image,
                                            uint32_t bytes) {
  if (bytes == 4)
    memcpy(to, image, 4);
  else if (bytes == 8)
    memcpy(to, image, 8);
  else if (bytes > 0)
    return command_copy_large(to, image, bytes);
  return ECS_OK;
}

/* Recording: ECS_E_MEMORY and ECS_E_LIMIT record nothing ------------------ */

/* Records the spawn of an entity and its components, in the bundle's order.
 * values may be NULL, and so may each image: defaults. The handle is alive from
 * now on, and reserved. Cost: a copy of the images. */
ECS_INTERNAL ecs_Status command_record_spawn(CommandBuffer *buffer,
                                             Bundle *bundle,
                                             const void *const *values,
                                             ecs_Entity *entity);

/* Makes room to record count times a spawn of each bundle, in turns, with all
 * values. Returns where these go, bundle by bundle: the images of the items that
 * have columns, one after the other, each at a multiple of eight bytes. Nothing
 * is recorded yet. */
ECS_INTERNAL ecs_Status command_prepare_spawns(CommandBuffer *buffer,
                                               Bundle *const *bundles,
                                               uint32_t bundle_count,
                                               uint32_t count, char **values);

/* Records what was prepared just before. Returns the handles, turn by turn; the
 * values may be written until something else is prepared or recorded. Cannot
 * fail. */
ECS_INTERNAL void command_record_spawns(CommandBuffer *buffer,
                                        Bundle *const *bundles,
                                        uint32_t bundle_count, uint32_t count,
                                        ecs_Entity *entities);

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

/* As command_record. commands: what command_find finds for the entity. */
ECS_INTERNAL ecs_Status command_record_at(CommandBuffer *buffer,
                                          CommandKind kind, ecs_Entity entity,
                                          const EntityCommands *commands,
                                          ecs_Component id, const void *image,
                                          uint64_t fields);

/* Counts the chain of the open run by the shape that it has now. What counts
 * chains needs this first, and so does all that is recorded otherwise than by
 * command_go_on. Cost: constant. */
static inline void command_settle(CommandBuffer *buffer) {
  const CommandRun *run = buffer->open;
  if (run == NULL || run->shape == buffer->counted) return;
  buffer->shapes.shapes[buffer->counted].count--;
  chain_shapes_count(&buffer->shapes, run->shape, 1);
  buffer->counted = run->shape;
}

/* Records COMMAND_ADD or _REMOVE of the entity that was recorded last, as
 * command_record, where a chain like its own went on like this before. Returns
 * where the image goes that the step may have. NULL: it is another entity, or
 * anything is in the way; nothing has changed. */
static inline char *command_go_on(CommandBuffer *buffer, ChainStep step,
                                  ecs_Entity entity) {
  CommandRun *run = buffer->open;
  CommandPage *page = buffer->page;
  ECS_ASSERT(step_kind(step) == COMMAND_ADD ||
             step_kind(step) == COMMAND_REMOVE);
  if (run == NULL || buffer->opened != entity) return NULL;
  const ChainShape *from = &buffer->shapes.shapes[run->shape];
  uint32_t shape = from->child;
  const ChainShape *to = &buffer->shapes.shapes[shape];
  if (to->step != step) return NULL; /* nor has the empty shape such a step */
  size_t bytes = to->bytes - from->bytes, used = page->used_bytes;
  if (ECS_UNLIKELY(bytes > page->bytes - used)) return NULL;
  if (ECS_UNLIKELY(buffer->command_count == ECS_COMMAND_LIMIT)) return NULL;
  ECS_ASSERT(buffer->entities[run->entity_position].entity == entity);
  run->shape = shape;
  page->used_bytes = used + bytes;
  buffer->command_count++;
  return page->memory + used;
}

/* Records COMMAND_ADD, _REMOVE or _DESTROY of entities that have a row, in their
 * order, up to the first that has records already. Returns through *done how
 * many; none where it fails. values: NULL, or where the images of COMMAND_ADD
 * go, as in command_prepare_spawns. */
ECS_INTERNAL ecs_Status command_record_fresh(CommandBuffer *buffer,
                                             CommandKind kind, ecs_Component id,
                                             const ecs_Entity *entities,
                                             uint32_t count, char **values,
                                             uint32_t *done);

/* Reading ----------------------------------------------------------------- */

/* The commands of an entity, borrowed until the next one is recorded; NULL when
 * nothing is recorded for it. Cost: constant. */
ECS_INTERNAL const EntityCommands *command_find(const CommandBuffer *buffer,
                                                ecs_Entity entity);

/* The shape of an entity's chain. */
static inline ChainShape *command_shape(const CommandBuffer *buffer,
                                        const EntityCommands *commands) {
  return &buffer->shapes.shapes[commands->last->shape];
}

/* Do the commands of an entity end with its destruction? */
static inline bool is_recorded_destroyed(const CommandBuffer *buffer,
                                         const EntityCommands *commands) {
  return step_kind(command_shape(buffer, commands)->step) == COMMAND_DESTROY;
}

/* A place in a chain. Walks begin with its newest command. */
typedef struct CommandWalk {
  const CommandRun *run; /* of the command; NULL: there are no more */
  uint32_t shape;        /* of the chain up to the command */
} CommandWalk;

static inline CommandWalk command_walk(const EntityCommands *commands) {
  return (CommandWalk){commands->last, commands->last->shape};
}

/* Reads a command and goes on to the one recorded before it; false: there are
 * no more. Cost: constant. */
ECS_INTERNAL bool command_walk_back(const CommandBuffer *buffer,
                                    CommandWalk *walk, Command *command);

/* Reads a chain, oldest first; there is room for its shape's length. */
ECS_INTERNAL void command_list(const CommandBuffer *buffer,
                               const EntityCommands *commands, Command *list);

/* A place between runs, in the order of recording. */
typedef struct RunWalk {
  uint32_t page;
  size_t byte;
} RunWalk;

/* The run at a place; moves on to the next one. NULL: it is the end. Cost:
 * constant. */
ECS_INTERNAL CommandRun *command_next_run(const CommandBuffer *buffer,
                                          RunWalk *walk);

/* The place of a mark, as long as the mark is a point in the recording. */
static inline RunWalk command_runs_since(const CommandMark *mark) {
  return mark->page_count == 0
             ? (RunWalk){0, 0}
             : (RunWalk){mark->page_count - 1, mark->used_bytes};
}

/* How many commands a run has. */
static inline uint32_t run_length(const CommandBuffer *buffer,
                                  const CommandRun *run) {
  const ChainShape *shapes = buffer->shapes.shapes;
  uint32_t before = run->previous == NULL ? CHAIN_EMPTY : run->previous->shape;
  return shapes[run->shape].length - shapes[before].length;
}

/* Checked builds: chains, counts and pages agree. Cost: every command. */
ECS_INTERNAL bool command_buffer_check_invariants(const CommandBuffer *buffer);

/* Checked builds: does a mark stand between two runs, with what it counts
 * before it? Cost: every run before it. */
ECS_INTERNAL bool command_mark_check_invariants(const CommandBuffer *buffer,
                                                const CommandMark *mark);

/* Ending ------------------------------------------------------------------ */

/* The point that the recording has reached. What is recorded from now on can be
 * taken back without what was recorded before. Cost: constant. */
ECS_INTERNAL CommandMark command_mark(CommandBuffer *buffer);

/* Takes back what was recorded since the mark; handles issued since are dead
 * for good. Cost: the runs and entities taken back. */
ECS_INTERNAL void command_rewind(CommandBuffer *buffer, CommandMark mark);

/* An entity with a row is as if nothing had been recorded for it, but for its
 * entry: of all of them this is asked for before command_forget. */
static inline void command_unlist(CommandBuffer *buffer, ecs_Entity entity) {
  locator_clear(&buffer->by_index, id_index(entity));
}

/* The rest of command_reset. */
ECS_INTERNAL void command_forget(CommandBuffer *buffer);

/* Forgets all commands after they were applied. Keeps a megabyte of pages, and
 * the shapes unless they are very many. */
ECS_INTERNAL void command_reset(CommandBuffer *buffer);

#endif

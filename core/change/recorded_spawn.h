/* recorded_spawn.h: places entities that were spawned while changes were
 * recorded.
 *
 * A chain of WAY_BIRTH spawns an entity and adds components, each once. Rows
 * are appended in the order of the entities. What is written into them waits in
 * a list for each shape, so that every column is filled by a loop of its own
 * however the shapes alternate.
 *
 *      spawn, add A {1}, add B {2 3}         column of A    | 1 | 4 |
 *      spawn, add C {7}                      columns of B   | 2 | 5 |
 *      spawn, add A {4}, add B {5 6}   -->                  | 3 | 6 |
 *                                            column of C    | 7 |
 */
#ifndef ECS_RECORDED_SPAWN_H
#define ECS_RECORDED_SPAWN_H

#include "change/command_buffer.h"

/* Entities of one shape that have rows, to be filled together. */
typedef struct BirthList {
  const Bundle *bundle; /* borrowed from the shape */
  uint32_t shape;       /* of their chains */
  uint32_t count;
  uint32_t capacity;
  uint32_t *rows;      /* by group of the bundle, then entity; in the block */
  const char **values; /* of each, as the shape lays them; in the block */
} BirthList;

typedef struct Births {
  CommandBuffer *buffer; /* borrowed */
  BirthList *lists;      /* owned; of the shapes that were reserved */
  uint32_t list_count;
  uint32_t list_capacity;
  char *block; /* owned; arrays of the lists */
  size_t block_bytes;
  char *joined; /* owned; values of chains of several runs, side by side */
  size_t joined_bytes;
  size_t joined_used;
} Births;

/* The rows of a list's entities in a group of its bundle. */
static inline uint32_t *birth_rows(const BirthList *list, uint32_t group) {
  return list->rows + (size_t)group * list->capacity;
}

/* Frees the memory of births that are not used any more. */
ECS_INTERNAL void births_deinit(Births *births, Memory *memory);

/* Are there tables for the chains of a shape of WAY_BIRTH? */
ECS_INTERNAL bool births_are_resolved(const CommandBuffer *buffer,
                                      uint32_t shape);

/* Finds or makes these tables. ECS_E_MEMORY, ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status births_resolve(CommandBuffer *buffer, uint32_t shape);

/* Begins with no lists. */
ECS_INTERNAL void births_begin(Births *births, CommandBuffer *buffer);

/* Makes the list of a resolved shape and room for the rows of all its chains,
 * its count, which are pending from then on. ECS_E_MEMORY, ECS_E_LIMIT: some
 * may be pending. */
ECS_INTERNAL ecs_Status births_reserve(Births *births, uint32_t shape);

/* Makes room in all lists. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status births_reserve_lists(Births *births);

/* Makes room for an entity in the groups other than the main one. ECS_E_MEMORY.
 */
ECS_INTERNAL ecs_Status births_reserve_entity(const CommandBuffer *buffer,
                                              uint32_t shape,
                                              ecs_Entity entity);

/* Places an entity; its columns wait to be filled. Cannot fail. */
ECS_INTERNAL void births_add(Births *births, const EntityCommands *commands);

/* Fills the columns of what waits; the lists are empty afterwards. */
ECS_INTERNAL void births_fill(Births *births);

#endif

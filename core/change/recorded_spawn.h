/* recorded_spawn.h: places entities that were spawned while changes were
 * recorded.
 *
 * A chain of WAY_BIRTH spawns an entity and adds components, each once. Such
 * chains of one shape, one after the other, are placed together: their rows are
 * appended at once, and then every column is filled by a loop of its own.
 *
 *      spawn, add A {1}, add B {2 3}         column of A    | 1 | 4 |
 *      spawn, add A {4}, add B {5 6}   -->   columns of B   | 2 | 5 |
 *                                                           | 3 | 6 |
 */
#ifndef ECS_RECORDED_SPAWN_H
#define ECS_RECORDED_SPAWN_H

#include "change/command_buffer.h"

/* Entities that are placed together. */
typedef struct BirthList {
  CommandBuffer *buffer; /* borrowed */
  uint32_t shape;        /* of their chains */
  uint32_t count;
  ecs_Entity entities[ECS_BIRTH_ROWS];
  const char *values[ECS_BIRTH_ROWS]; /* the values of each, as its shape lays
                                         them */
  char *joined; /* owned; values of chains of several runs, side by side */
  size_t joined_bytes;
  size_t joined_used;
} BirthList;

/* Frees the memory of a list that is not used any more. */
ECS_INTERNAL void births_deinit(BirthList *list, Memory *memory);

/* Are there tables for the chains of a shape of WAY_BIRTH? */
ECS_INTERNAL bool births_are_resolved(const CommandBuffer *buffer,
                                      uint32_t shape);

/* Finds or makes these tables. ECS_E_MEMORY, ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status births_resolve(CommandBuffer *buffer, uint32_t shape);

/* Makes room for all chains of a resolved shape, its count, and counts
 * their rows as pending. ECS_E_MEMORY, ECS_E_LIMIT: some may be pending. */
ECS_INTERNAL ecs_Status births_reserve(BirthList *list, CommandBuffer *buffer,
                                       uint32_t shape);

/* Makes room for an entity in the groups other than the main one. ECS_E_MEMORY.
 */
ECS_INTERNAL ecs_Status births_reserve_entity(const CommandBuffer *buffer,
                                              uint32_t shape,
                                              ecs_Entity entity);

/* Adds an entity to the list; where that is full or of another shape, what it
 * has is placed before. */
ECS_INTERNAL void births_add(BirthList *list, CommandBuffer *buffer,
                             const EntityCommands *commands);

/* Places the entities of the list, which is empty afterwards. */
ECS_INTERNAL void births_place(BirthList *list);

#endif

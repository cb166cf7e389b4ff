/* net_effect.h: applies the chain of commands of one entity.
 *
 * Any chain is summarized as its net effect: for each component that it names,
 * whether the entity has the component in the end, and from which command its
 * values start.
 *
 *      chain        add A {1}    set A.x=2    remove B    add B
 *      summary      A present, from "add A"; B present, from "add B"
 *
 * An entity that gets a component gets what this needs, with defaults that start
 * from the same command. The parts of a spawn have all that they need.
 *
 * It is applied in two passes over all entities (command_flush.h). The first
 * creates for every group the table that the row will be in, and makes room. In
 * the second, rows are moved, once per group, and values are written; nothing
 * in it can fail. Summarizing twice costs less than keeping the summaries.
 */
#ifndef ECS_NET_EFFECT_H
#define ECS_NET_EFFECT_H

#include "change/command_buffer.h"

/* The net effect of a chain on one component. */
typedef struct ComponentChange {
  ecs_Component id;
  bool present;          /* at the end of the chain */
  bool begun;            /* while values are written: the origin was passed */
  const Command *origin; /* the command from which its values start; NULL:
                            the values are staged, or stay as they are */
} ComponentChange;

/* The net effect of the chain that was summarized last, and scratch memory. */
typedef struct NetEffect {
  CommandBuffer *buffer; /* borrowed */
  Store *store;          /* the buffer's */
  Command *commands;     /* owned; the chain */
  uint32_t command_count;
  uint32_t command_capacity;
  ComponentChange *changes; /* owned */
  uint32_t change_count;
  uint32_t change_capacity;
  ecs_Component
      *gotten; /* owned; what a command has added, the needs of which are
                            not seen to yet */
  uint32_t gotten_capacity;
  uint32_t *position; /* owned; by component: in changes, plus one; 0: none */
  uint32_t position_capacity;
  uint64_t *mask; /* owned; of the table that a row goes to */
  uint32_t mask_capacity;
  uint64_t *last_entity; /* owned; per group: the entity_number that changed
                            it last */
  uint32_t last_entity_capacity;
  uint64_t entity_number;  /* grows with every entity of each pass */
  const StagedRow *staged; /* of the spawn that the chain begins with; or
                              NULL */
  bool spawns;             /* the chain begins with a spawn */
} NetEffect;

/* Frees the scratch memory; a net effect of zero bytes has none. */
ECS_INTERNAL void net_effect_deinit(NetEffect *effect, Memory *memory);

/* Makes room for the summary of any chain of the buffer. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status net_effect_reserve(NetEffect *effect,
                                           CommandBuffer *buffer);

/* Summarizes a chain that leaves its entity alive. There is room for its summary
 * (net_effect_reserve). ECS_E_MEMORY. Cost: its commands. */
ECS_INTERNAL ecs_Status net_effect_summarize(NetEffect *effect,
                                             const EntityCommands *commands);

/* What the chain that was summarized last does to a component; NULL: nothing. */
static inline const ComponentChange *net_effect_find(const NetEffect *effect,
                                                     ecs_Component id) {
  uint32_t position = effect->position[id];
  return position == 0 ? NULL : &effect->changes[position - 1];
}

/* First pass, of a chain that leaves its entity alive: makes the tables and the
 * room that it needs, and counts rows as pending. ECS_E_MEMORY, ECS_E_LIMIT:
 * some may be pending. Cost: its commands, and a look at every group that they
 * concern. */
ECS_INTERNAL ecs_Status net_effect_prepare(NetEffect *effect,
                                           const EntityCommands *commands);

/* Second pass, of a chain that was prepared: moves rows and writes values.
 * Cannot fail. Cost: its commands, and one row per group. */
ECS_INTERNAL void net_effect_apply(NetEffect *effect,
                                   const EntityCommands *commands);

#endif

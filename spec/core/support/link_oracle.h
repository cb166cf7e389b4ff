/* link_oracle.h: what links do, computed in the plainest way.
 *
 * An oracle has slots for entities. It holds three states: as applied, as
 * recorded without what rules do, and as recorded with it. A change is made in
 * the last two; where nothing is open, all three are one.
 */
#ifndef LINK_ORACLE_H
#define LINK_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ecs.h"

#define ORACLE_SLOTS 24u
#define ORACLE_KINDS 6u
#define ORACLE_LINKS 2u /* at most, of one component */

/* The links of a kind of component. */
typedef struct OracleKind {
  uint32_t links;
  ecs_LinkRule rules[ORACLE_LINKS];
  bool trees[ORACLE_LINKS];
} OracleKind;

static const OracleKind oracle_kinds[ORACLE_KINDS] = {
    {1, {ECS_LINK_CLEAR}, {false}},
    {1, {ECS_LINK_REMOVE}, {false}},
    {1, {ECS_LINK_DESTROY}, {true}},
    {2, {ECS_LINK_CLEAR, ECS_LINK_DESTROY}, {true, false}},
    {1, {ECS_LINK_REMOVE}, {true}},
    {2, {ECS_LINK_REMOVE, ECS_LINK_DESTROY}, {false, true}}};

/* Slots are counted from 1; 0 is no entity. */
typedef struct OraclePart {
  bool there;
  uint32_t target[ORACLE_LINKS];
  uint64_t since[ORACLE_LINKS]; /* when it was linked */
  uint32_t value;
} OraclePart;

typedef struct OracleState {
  bool alive[ORACLE_SLOTS + 1];
  OraclePart parts[ORACLE_SLOTS + 1][ORACLE_KINDS];
} OracleState;

typedef struct Oracle {
  OracleState applied, named, real; /* named: without what rules do */
  bool born[ORACLE_SLOTS + 1];      /* its spawn is recorded */
  uint64_t time;
  bool open;
} Oracle;

/* The values of a change: fields that are links, then the value. */
typedef struct OracleImage {
  uint32_t target[ORACLE_LINKS];
  uint32_t value;
  bool names_target[ORACLE_LINKS], names_value;
} OracleImage;

typedef enum OracleChange {
  ORACLE_ADD,
  ORACLE_SET,
  ORACLE_REMOVE
} OracleChange;

/* Marks an entity as dead, and what its death takes along; as long as there are
 * marks, the dead have their parts. */
static inline void oracle_mark(OracleState *state, uint32_t slot,
                               bool *marked) {
  if (!state->alive[slot]) return;
  state->alive[slot] = false;
  marked[slot] = true;
  for (uint32_t i = 1; i <= ORACLE_SLOTS; i++)
    for (uint32_t kind = 0; kind < ORACLE_KINDS; kind++)
      for (uint32_t link = 0; link < oracle_kinds[kind].links; link++)
        if (oracle_kinds[kind].rules[link] == ECS_LINK_DESTROY &&
            state->parts[i][kind].target[link] == slot)
          oracle_mark(state, i, marked);
}

static inline void oracle_kill(OracleState *state, uint32_t slot);

/* The target of a link has died. */
static inline void oracle_follow(OracleState *state, uint32_t slot,
                                 uint32_t kind, uint32_t link) {
  OraclePart *part = &state->parts[slot][kind];
  part->target[link] = 0;
  if (oracle_kinds[kind].rules[link] == ECS_LINK_REMOVE)
    memset(part, 0, sizeof *part);
  if (oracle_kinds[kind].rules[link] == ECS_LINK_DESTROY)
    oracle_kill(state, slot);
}

static inline void oracle_kill(OracleState *state, uint32_t slot) {
  bool marked[ORACLE_SLOTS + 1] = {false};
  oracle_mark(state, slot, marked);
  for (uint32_t i = 1; i <= ORACLE_SLOTS; i++)
    if (marked[i]) memset(state->parts[i], 0, sizeof state->parts[i]);
  for (uint32_t i = 1; i <= ORACLE_SLOTS; i++)
    for (uint32_t kind = 0; kind < ORACLE_KINDS; kind++)
      for (uint32_t link = 0; link < oracle_kinds[kind].links; link++)
        if (marked[state->parts[i][kind].target[link]])
          oracle_follow(state, i, kind, link);
}

/* Would a link close a circle of a tree? */
static inline bool oracle_circle(const OracleState *state, uint32_t slot,
                                 uint32_t kind, uint32_t link,
                                 uint32_t target) {
  if (!oracle_kinds[kind].trees[link]) return false;
  while (target != 0 && target != slot)
    target = state->parts[target][kind].target[link];
  return target != 0;
}

/* Links, or follows the rule where the target has died by a rule. A circle that
 * only rules have made possible is not closed. */
static inline void oracle_link(Oracle *oracle, OracleState *state,
                               uint32_t slot, uint32_t kind, uint32_t link,
                               uint32_t target) {
  OraclePart *part = &state->parts[slot][kind];
  if (target == part->target[link]) return;
  if (oracle_circle(state, slot, kind, link, target)) return;
  part->target[link] = target;
  part->since[link] = ++oracle->time;
  if (target != 0 && !state->alive[target])
    oracle_follow(state, slot, kind, link);
}

static inline void oracle_change_in(Oracle *oracle, OracleState *state,
                                    OracleChange change, uint32_t slot,
                                    uint32_t kind, const OracleImage *image) {
  OraclePart *part = &state->parts[slot][kind];
  if (!state->alive[slot]) return;
  if (change == ORACLE_REMOVE) memset(part, 0, sizeof *part);
  if (change == ORACLE_REMOVE || (change == ORACLE_ADD && part->there)) return;
  part->there = true;
  if (image->names_value) part->value = image->value;
  for (uint32_t i = 0; i < oracle_kinds[kind].links; i++)
    if (image->names_target[i] && state->alive[slot] && part->there)
      oracle_link(oracle, state, slot, kind, i, image->target[i]);
}

static inline void oracle_settle(Oracle *oracle) {
  if (!oracle->open) oracle->applied = oracle->named = oracle->real;
}

static inline void oracle_spawn(Oracle *oracle, uint32_t slot) {
  oracle->named.alive[slot] = oracle->real.alive[slot] = true;
  oracle->born[slot] = oracle->open;
  memset(oracle->named.parts[slot], 0, sizeof oracle->named.parts[slot]);
  memset(oracle->real.parts[slot], 0, sizeof oracle->real.parts[slot]);
}

/* May the links be made? Deaths by rules are not counted. */
static inline ecs_Status oracle_check(const Oracle *oracle, uint32_t slot,
                                      uint32_t kind, const OracleImage *image) {
  const OracleState *state = &oracle->named;
  for (uint32_t i = 0; i < oracle_kinds[kind].links; i++) {
    uint32_t target = image->target[i];
    if (!image->names_target[i] || target == 0) continue;
    if (!state->alive[target]) return ECS_E_LINK;
    if (oracle_circle(state, slot, kind, i, target)) return ECS_E_CIRCLE;
  }
  return ECS_OK;
}

static inline ecs_Status oracle_change(Oracle *oracle, OracleChange change,
                                       uint32_t slot, uint32_t kind,
                                       const OracleImage *image) {
  if (slot == 0) return ECS_E_DEAD;
  /* A change of what is recorded as destroyed is dropped. */
  if (!oracle->named.alive[slot])
    return oracle->applied.alive[slot] || oracle->born[slot] ? ECS_OK
                                                             : ECS_E_DEAD;
  ecs_Status status = change == ORACLE_REMOVE
                          ? ECS_OK
                          : oracle_check(oracle, slot, kind, image);
  if (status != ECS_OK) return status;
  oracle_change_in(oracle, &oracle->named, change, slot, kind, image);
  oracle_change_in(oracle, &oracle->real, change, slot, kind, image);
  oracle_settle(oracle);
  return ECS_OK;
}

/* Without rules: what linked to it still does. */
static inline void oracle_destroy(Oracle *oracle, uint32_t slot) {
  oracle->named.alive[slot] = false;
  memset(oracle->named.parts[slot], 0, sizeof oracle->named.parts[slot]);
  oracle_kill(&oracle->real, slot);
  oracle_settle(oracle);
}

static inline void oracle_end(Oracle *oracle, bool applied) {
  oracle->open = false;
  memset(oracle->born, 0, sizeof oracle->born);
  if (!applied) oracle->real = oracle->applied;
  oracle_settle(oracle);
}

/* The slots that link to one, in the order of linking. Returns their number. */
static inline uint32_t oracle_list(const OracleState *state, uint32_t target,
                                   uint32_t kind, uint32_t link,
                                   uint32_t *slots) {
  uint32_t count = 0;
  for (uint32_t i = 1; i <= ORACLE_SLOTS; i++) {
    if (!state->alive[i] || state->parts[i][kind].target[link] != target)
      continue;
    uint32_t place = count++;
    for (; place > 0 && state->parts[slots[place - 1]][kind].since[link] >
                            state->parts[i][kind].since[link];
         place--)
      slots[place] = slots[place - 1];
    slots[place] = i;
  }
  return count;
}

#endif

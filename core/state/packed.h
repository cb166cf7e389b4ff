/* packed.h: plain data of scripts as bytes, a subset of MessagePack.
 *
 *      nil               c0                      only where an encoder made it
 *      booleans          c2, c3
 *      integers          the shortest of their forms; without a sign from 0 on
 *      numbers           cb, a double; whole ones of 64 bits are integers, but -0;
 *                        NaN is the quiet one
 *      texts             str where they are UTF-8, otherwise bin
 *      lists             tables with the keys 1, 2, ... n
 *      maps              other tables, entries in the order of their bytes
 *      what was made     ext of type 1: an encoder made the value in it of another
 *
 * Lengths have their shortest form, too: so each value has one form, and what
 * has another one is refused. Keys are booleans, integers, numbers and texts.
 * Tables lie at most PACKED_DEPTH deep in each other, and have at most PACKED_MOST
 * parts; texts have as many bytes.
 *
 * Bindings use what is exported here; ecs.h promises none of it.
 */
#ifndef ECS_PACKED_H
#define ECS_PACKED_H

#include "base/config.h"
#include "ecs.h"

typedef enum PackedKind {
  PACKED_NIL,
  PACKED_BOOLEAN,
  PACKED_INTEGER,
  PACKED_NUMBER,
  PACKED_TEXT,
  PACKED_LIST,
  PACKED_MAP,
  PACKED_MADE
} PackedKind;

#define PACKED_DEPTH 100u
/* Bytes of a text, and parts of a table. */
#define PACKED_MOST (UINT32_C(1) << 28)

/* A value, or what stands in front of its parts. */
typedef struct Packed {
  PackedKind kind;
  uint32_t count;   /* bytes of a text or of what was made, which follow; of a
                       list or map, its elements or entries */
  const char *text; /* borrowed */
  int64_t integer;  /* of a boolean, 0 or 1 */
  double number;
} Packed;

/* A number, which is an integer where it is whole. */
ECS_API Packed ecs_packed_number(double number);

/* Writes what stands in front: all of the value but a text's bytes and parts.
 * Returns how many bytes. */
#define PACKED_HEAD 9u
ECS_API uint32_t ecs_packed_head(const Packed *value, char to[PACKED_HEAD]);

/* Takes the next one, and of a text its bytes. False: it is none. */
ECS_API bool ecs_packed_next(const char **at, const char *end, Packed *value);

/* Passes over a value with all that is in it. False: it is none, or in another
 * form. Cost: its bytes. */
ECS_INTERNAL bool packed_check(const char **at, const char *end);

#endif

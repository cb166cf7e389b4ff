/* held_values.h: the values of fields of type string and any.
 *
 * Such a column has a number of 32 bits per row, and a table has the values:
 *
 *      column  | 2 | 0 | 2 | 3 |       0   ""; in a field of any, nil
 *                |       |   |         1   free
 *      table     +-------+   |         2   string  "orc", its hash
 *                            +-->      3   other   a table; only its kind
 *
 * The table belongs to a Lua state and serves all of its worlds. The values
 * themselves are kept by the binding, in a table of Lua under the same numbers;
 * here is what finds them and what hashes and dumps count. A value is held once:
 * equal strings, numbers and booleans have one number, other values are equal
 * where they are the same object. So columns are compared by numbers.
 *
 * No row counts what refers to a value. Once in a while, all that refer to some
 * are marked, and what has no mark is let go (ecs_held_sweep). Its number is
 * given again only after that.
 *
 * The core trusts no number of a column: one that is held for nothing counts as
 * 0. Memory is the binding's. Bindings use what is exported here; ecs.h promises
 * none of it.
 */
#ifndef ECS_HELD_VALUES_H
#define ECS_HELD_VALUES_H

#include "base/scalar.h"
#include "ecs.h"

typedef enum HeldKind {
  HELD_FREE = 0,
  HELD_BOOLEAN, /* integer is 0 or 1 */
  HELD_NUMBER,  /* a double */
  HELD_INTEGER, /* of 64 bits */
  HELD_STRING,
  HELD_OTHER /* text names its kind; found by its address */
} HeldKind;

typedef struct HeldValue {
  uint64_t content; /* what hashes count: the same for equal values everywhere;
                       never 0 */
  uint64_t key;     /* a hash by which it is found */
  const char *text; /* of a string, or the name of a kind; borrowed from Lua */
  size_t bytes;     /* of the text */
  const void *address; /* of another value */
  double number;
  int64_t integer; /* of another value, its type */
  uint32_t next;   /* of a free one: the next free one; 0: the last */
  uint8_t kind;    /* HeldKind */
  bool marked;
  bool pinned; /* never let go */
} HeldValue;

typedef struct HeldValues {
  HeldValue *all;    /* by number; entry 0 is not used; memory of the binding */
  uint32_t *places;  /* numbers by key, open addressing; 0: empty */
  uint32_t count;    /* numbers that were given so far, and 0 */
  uint32_t capacity; /* of all; places has twice as many, a power of two */
  uint32_t living;
  uint32_t first_free; /* 0: none */
} HeldValues;

/* The value of a number; NULL: "" or nil. */
static inline const HeldValue *held_get(const HeldValues *held,
                                        uint32_t number) {
  if (held == NULL || number >= held->count) return NULL;
  const HeldValue *value = &held->all[number];
  return value->kind == HELD_FREE ? NULL : value;
}

/* Is an integer a number that a double has, too? On LuaJIT it is one. */
static inline bool held_is_double(const HeldValue *value) {
  double number = (double)value->integer;
  return number < 9223372036854775808.0 && (int64_t)number == value->integer;
}

/* What hashes count for a number of a column. */
static inline uint64_t held_content(const HeldValues *held, uint32_t number) {
  const HeldValue *value = held_get(held, number);
  return value == NULL ? 0 : value->content;
}

/* Makes a value of a kind, complete but for marks. text is borrowed. Of
 * another value: the name of its kind, what tells apart values with one address,
 * and that. */
ECS_API void ecs_held_boolean(HeldValue *value, bool boolean);
ECS_API void ecs_held_number(HeldValue *value, double number);
ECS_API void ecs_held_integer(HeldValue *value, int64_t integer);
ECS_API void ecs_held_string(HeldValue *value, const char *text, size_t bytes);
ECS_API void ecs_held_other(HeldValue *value, const char *kind, int type,
                            const void *address);

/* The bytes of memory for so many numbers; capacity is a power of two. */
ECS_API size_t ecs_held_bytes(uint32_t capacity);

/* Moves the table to zeroed memory for more numbers than it has room for now.
 * The binding frees what it had before. */
ECS_API void ecs_held_move(HeldValues *held, void *memory, uint32_t capacity);

/* True: one more value has room. */
static inline bool ecs_held_has_room(const HeldValues *held) {
  return held->first_free != 0 || held->count < held->capacity;
}

/* The number of an equal value; 0: none is held. Cost: a probe of a hash. */
ECS_API uint32_t ecs_held_find(const HeldValues *held, const HeldValue *value);

/* The number that the next value gets; there is room. */
ECS_API uint32_t ecs_held_next(const HeldValues *held);

/* Holds a value that is not held yet; there is room. Returns its number. Cost: a
 * probe of a hash. */
ECS_API uint32_t ecs_held_add(HeldValues *held, const HeldValue *value);

/* Removes all marks. */
ECS_API void ecs_held_unmark(HeldValues *held);

/* Marks the value of a number, if there is one. */
static inline void ecs_held_mark(HeldValues *held, uint32_t number) {
  if (number < held->count) held->all[number].marked = true;
}

/* Lets go of what is neither marked nor pinned. Returns how many values are left.
 * Cost: the table. */
ECS_API uint32_t ecs_held_sweep(HeldValues *held);

#endif

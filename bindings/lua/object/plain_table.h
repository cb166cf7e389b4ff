/* plain_table.h: tables of scripts with a metatable, read without a call.
 *
 * A table that a script gives may have its entries behind __index:
 *
 *      options --__index--> defaults --__index--> more     followed, read raw
 *      options --__index--> a function                     open: a proxy
 *      options with __pairs, without __index               open: a proxy
 *
 * Nothing of a script is called, since a metamethod would run in the middle of
 * a change. Where a table is open, and what is wanted of it is not there, the
 * function could have it: that is an error, and never taken for an absent entry.
 *
 *      wanted      read through the chain        an error where it is open
 *      names       these names                   if one of them is absent
 *      a list      keys from 1 on                always: its end is unknown
 *      all names   all, but __x and functions    always: more could be there
 *
 * Every other entry counts in the table itself alone, so methods behind __index
 * are no unknown names. What is read becomes a new table without a metatable,
 * which the reader takes in place of the script's. A table without a metatable
 * is left as it is: that costs one look.
 *
 * A chain of more than CHAIN_LIMIT tables is an error, and so is a circle.
 */
#ifndef ECS_LUA_PLAIN_TABLE_H
#define ECS_LUA_PLAIN_TABLE_H

#include "object/object.h"

/* Tables that are read through __index, the first among them. */
#define CHAIN_LIMIT 100

/* What is wanted of a table. */
typedef struct PlainForm {
  const char *const *names; /* NULL behind the last; NULL: none */
  bool list;                /* its elements */
  bool all;                 /* all its names: those of a component's fields */
} PlainForm;

/* A list, without names. */
BIND_INTERNAL extern const PlainForm bind_plain_list;

/* Replaces the table at a positive index by one without a metatable. Raises, in
 * the name of call, where it is open; argument says which table it is. Cost:
 * linear in the entries of the chain. */
BIND_INTERNAL void bind_plain_make(lua_State *L, int index,
                                   const PlainForm *form, const char *call,
                                   const char *argument);

/* The same for a table that most likely has no metatable. */
static inline void bind_plain(lua_State *L, int index, const PlainForm *form,
                              const char *call, const char *argument) {
  if (!lua_getmetatable(L, index)) return;
  lua_pop(L, 1);
  bind_plain_make(L, index, form, call, argument);
}

/* Where a look through a chain ended. */
typedef enum ChainEnd {
  CHAIN_CLOSED, /* all was seen */
  CHAIN_OPEN,   /* a function could have more */
  CHAIN_LONG    /* the chain is too long, or a circle */
} ChainEnd;

/* Replaces the key on top of the stack by what the table at a positive index, or
 * one behind it, has under it; where none has it by nil, and says why. Needs 6
 * slots of the stack. */
BIND_INTERNAL ChainEnd bind_chain_get(lua_State *L, int index);

/* Raises for an end that is not CHAIN_CLOSED. argument as above. */
BIND_INTERNAL void bind_chain_check(lua_State *L, ChainEnd end,
                                    const char *call, const char *argument);

/* Pushes the message of such an end, without "ecs: ". */
BIND_INTERNAL const char *bind_chain_message(lua_State *L, ChainEnd end,
                                             const char *argument);

/* Adds plain to the table on top of the stack. */
BIND_INTERNAL void bind_open_plain_table(lua_State *L);

#endif

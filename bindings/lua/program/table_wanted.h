/* table_wanted.h: copies of what a run looks at in a script's tables. */
#ifndef ECS_TABLE_WANTED_H
#define ECS_TABLE_WANTED_H

#include "program/table_copy.h"

/* What bind_copy_wanted answers. */
#define WANTED_DONE 1 /* it is copied */
#define WANTED_NONE 0 /* it is not of its kind now */
#define WANTED_ALL -1 /* copy_table has to copy all of it */

/* Fills in the call of a program for the running function, with so many of the
 * first arrays as the list at index 4 has them. NULL: there is no program any
 * more, or no such array. Must not allocate. */
typedef ecs_Program *WantedProgram(lua_State *L, ecs_ProgramCall *call,
                                   uint32_t filled);

/* These functions are for the arguments of the running function: the first are
 * those of copy_table, and the last, on top of the stack, is "__index", so that
 * no string is made: that could run a finalizer, which changes what is wanted.
 *
 * About how many elements copy_table would copy. Allocates nothing. */
BIND_INTERNAL double bind_wanted_guess(lua_State *L);

/* copy_table, but for elements that a run of the call will not look at: those are as if they were not there.
 * The copies before place `at` are filled already. */
BIND_INTERNAL int bind_copy_wanted(lua_State *L, WantedProgram *program);

/* The same in steps, for compiled code that reads the elements itself, with no
 * allocation between: see arrays_ffi.lua. In *count is how many are wanted.
 *
 * First the keys of the table, in the copy's list; of a table with rows, in that
 * of the copy of where rows begin. */
BIND_INTERNAL int bind_want_keys(lua_State *L, WantedProgram *program,
                                 uint32_t *count);

/* Then the elements of the wanted rows, which have so many places, noted in the
 * copies as table_wanted.c says. WANTED_ALL: also where the copy has no room for
 * them. */
BIND_INTERNAL int bind_want_elements(lua_State *L, WantedProgram *program,
                                     double placed, uint32_t *count);

#endif

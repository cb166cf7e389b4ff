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

/* About how many elements copy_table would copy, for arguments 1 and 2 of the
 * running function. May allocate. */
BIND_INTERNAL double bind_wanted_guess(lua_State *L);

/* copy_table for arguments 1 to 6 of the running function, but for elements
 * that a run of the call will not look at: those are as if they were not there.
 * The copies before place `at` are filled already. */
BIND_INTERNAL int bind_copy_wanted(lua_State *L, WantedProgram *program);

#endif

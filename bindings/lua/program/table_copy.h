/* table_copy.h: tables of a script as arrays of kernel programs. */
#ifndef ECS_TABLE_COPY_H
#define ECS_TABLE_COPY_H

#include "object/object.h"

/* The array in the copy at index, as it was filled last. It is valid while the
 * copy lives and is not filled again. False: there is no copy at index. Neither
 * allocates nor raises. */
BIND_INTERNAL bool bind_table_copy(lua_State *L, int index,
                                   ecs_ProgramArray *array);

/* What bind_copy_wanted answers. */
#define WANTED_DONE 1 /* it is copied */
#define WANTED_NONE 0 /* it is not of its kind now */
#define WANTED_ALL -1 /* copy_table has to copy all of it */

/* Fills in the call of a program for the running function. NULL: there is no
 * program any more. Must not allocate. */
typedef ecs_Program *WantedProgram(lua_State *L, ecs_ProgramCall *call);

/* copy_table for arguments 1 to 6 of the running function, but for elements
 * that a run of the call will not look at: those are as if they were not there.
 * The call's arrays are not used. */
BIND_INTERNAL int bind_copy_wanted(lua_State *L, WantedProgram *program);

/* Adds the functions of table_copy.c to the table on top of the stack. */
BIND_INTERNAL void bind_open_table_copy(lua_State *L);

#endif

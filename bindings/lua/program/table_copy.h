/* table_copy.h: tables of a script as arrays of kernel programs. */
#ifndef ECS_TABLE_COPY_H
#define ECS_TABLE_COPY_H

#include "program/table_walk.h"

/* The array in the copy at index, as it was filled last. It is valid while the
 * copy lives and is not filled again. False: there is no copy at index. Neither
 * allocates nor raises. */
BIND_INTERNAL bool bind_table_copy(lua_State *L, int index,
                                   ecs_ProgramArray *array);

/* The copy in the list at index copies, at place `at`; NULL: there is none.
 * Neither allocates nor raises. */
BIND_INTERNAL TableCopy *bind_copy_at(lua_State *L, int copies, int at);

/* A copy with room for the elements from key to key, at place `at` of the list
 * at index copies, which owns it: the one that is there if it will do. May
 * allocate. */
BIND_INTERNAL TableCopy *bind_copy_ensure(lua_State *L, int copies, int at,
                                          int64_t lowest, int64_t highest);

/* The kind that is named at index. Raises where none is. */
BIND_INTERNAL CopyKind bind_copy_kind(lua_State *L, int index);

/* Adds the functions of table_copy.c to the table on top of the stack. */
BIND_INTERNAL void bind_open_table_copy(lua_State *L);

#endif

/* column_copy.h: whole columns into Lua tables and back, for VMs without FFI.
 */
#ifndef ECS_LUA_COLUMN_COPY_H
#define ECS_LUA_COLUMN_COPY_H

#include "object/object.h"

/* Rows that are moved over the stack of Lua at once. */
#define COPY_BLOCK 32

/* Sets table[first + 1..first + count] to the elements. May raise when memory
 * runs out. */
BIND_INTERNAL void bind_column_fill(lua_State *L, int table, uint32_t first,
                                    ecs_Scalar type, const void *elements,
                                    uint32_t count);

/* Stores table[1..count] in the elements, converted as ecs_scalar_convert does.
 * Skips values that the type does not take and returns the first such row,
 * from 1; 0: there is none. exact, if not NULL, gets for each COPY_BLOCK rows
 * whether the table has what the elements would fill it with. Does not raise;
 * COPY_BLOCK stack slots must be free. */
BIND_INTERNAL uint32_t bind_column_store(lua_State *L, int table,
                                         ecs_Scalar type, void *elements,
                                         uint32_t count, uint8_t *exact);

/* The first row, from 1, where table[1..count] differs from the elements; 0:
 * there is none. Does not raise; COPY_BLOCK stack slots must be free. */
BIND_INTERNAL uint32_t bind_column_difference(lua_State *L, int table,
                                              ecs_Scalar type,
                                              const void *elements,
                                              uint32_t count);

#endif

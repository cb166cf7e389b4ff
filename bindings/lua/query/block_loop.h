/* block_loop.h: functions of one row that run as a loop over a block of rows.
 *
 * On a VM without FFI each access to a field of a row is a call of C. So
 * scripts/ecs/each_blocks.lua turns a function that runs as plain Lua into a
 * loop of the same meaning over tables, where it can:
 *
 *      batch  -->  block of BLOCK_ROWS rows  -- fill -->  tables
 *                                                           | loop(row, n, ...)
 *                                            <-- store --   tables
 *
 * The components of the walk are claimed meanwhile, so nothing sees that rows
 * are copies. After an error the block is stored back, too.
 *
 * The tables belong to the Lua state and are used by one walk after the other;
 * a walk inside another one takes the next ones. So they need at most 16 bytes
 * times BLOCK_ROWS for each column of the walks that are open at once.
 */
#ifndef ECS_LUA_BLOCK_LOOP_H
#define ECS_LUA_BLOCK_LOOP_H

#include "query/row_view.h"

#define BLOCK_ROWS 1024u

/* Pushes the plan to run function 2 over blocks, with the extra arguments first
 * to top, for the query at index 1; false, and nothing is pushed: it is called
 * row by row. May run scripts/ecs, and raise. */
BIND_INTERNAL bool bind_blocks_find(lua_State *L, const RowLoop *rows,
                                    int first, int top);

/* Prepares a walk by the plan on top of the stack, which it replaces by the
 * loop, the table of the row, the entities and a table for each column. Returns
 * how many values these are. */
BIND_INTERNAL int bind_blocks_ready(lua_State *L, RowLoop *rows);

/* Begins and ends the use of the tables, of which that of the row is at index
 * base. The end stores a block that is under way. Neither allocates nor raises;
 * COPY_BLOCK stack slots must be free. */
BIND_INTERNAL void bind_blocks_begin(lua_State *L, RowLoop *rows, int base);
BIND_INTERNAL void bind_blocks_end(lua_State *L, RowLoop *rows, int base);

/* Runs the loop over the batch of the RowLoop. The stack is: RowLoop, what
 * bind_blocks_ready left, the extra arguments up to top. */
BIND_INTERNAL void bind_blocks_run(lua_State *L, RowLoop *rows, int top);

/* Adds field_converter to the table on top of the stack. */
BIND_INTERNAL void bind_open_block_loop(lua_State *L);

#endif

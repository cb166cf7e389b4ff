/* grid_loop.h: what scripts ask a grid: within, box, each_pair, nearest, count
 * and any.
 *
 *      within   begin --> hits of a cursor, some at a time --> row views
 *                              rows 7 9 12                      at = 1: row 9
 *
 * The loops are RowLoops (row_view.h) whose elements are the columns of the grid.
 * One that came to its end is used again; where Lua closes what a loop leaves
 * early (5.4), so is that, and elsewhere it becomes garbage.
 */
#ifndef ECS_LUA_GRID_LOOP_H
#define ECS_LUA_GRID_LOOP_H

#include "query/row_loop.h"

/* Adds the questions to the methods of grids, and grid_calls, grid_rows and
 * grid_keep to the table on top of the stack. */
BIND_INTERNAL void bind_open_grid_loop(lua_State *L);

#endif

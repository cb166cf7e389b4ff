/* traceback.h: where inside of a system an error was raised.
 *
 *      world:progress          xpcall(..., debug.traceback) sees this far:
 *        C: frame                the walk unwinds the stack before it raises
 *          C: walk of a system     the error again
 *            lua_pcall(f, tracer)
 *              f --> hit() --> error("no target")     the frames that were lost
 *
 * The tracer is the message handler of every walk. While a frame runs, it notes
 * the text of the frames down to scripts/ecs/frame.lua, which adds them to the
 * message below its first line. Messages that are no strings pass unchanged.
 */
#ifndef ECS_LUA_TRACEBACK_H
#define ECS_LUA_TRACEBACK_H

#include "object/object.h"

/* The line between a message and the frames inside of the system. */
#define TRACE_LINE "\ninside the system:"

/* Pushes the message handler for lua_pcall. Allocates nothing after its first
 * call. */
BIND_INTERNAL void bind_push_tracer(lua_State *L);

/* To be called before an error is raised that went through the tracer: its
 * frames are kept, since they are more than those that are there now. */
BIND_INTERNAL void bind_trace_again(lua_State *L);

/* Adds call_traced and take_trace to the table on top of the stack. */
BIND_INTERNAL void bind_open_traceback(lua_State *L);

#endif

/* error.h: raises errors that blame a line of a script.
 *
 * An error starts with "file:line: ecs: ". The line is the one that called the
 * running function; lines of scripts/ecs are skipped, and the line that called
 * scripts/ecs is blamed instead.
 */
#ifndef ECS_LUA_ERROR_H
#define ECS_LUA_ERROR_H

#include "object/object.h"

/* Raises "ecs: " and the formatted message, blaming a script's line. The format
 * is as for lua_pushfstring. Never returns; the result is for `return`. */
BIND_INTERNAL int bind_error(lua_State *L, const char *format, ...);

/* Raises the message on top of the stack, blaming the same line. */
BIND_INTERNAL int bind_raise(lua_State *L);

/* Leaves nil and the message that is on top of the stack, and returns 2: how a
 * function hands a message over to scripts/ecs. */
BIND_INTERNAL int bind_fail(lua_State *L);

/* Raises because a method of a "world" or "query" got another value as self,
 * most likely because it was called with '.' instead of ':'. */
BIND_INTERNAL int bind_refuse_self(lua_State *L, int index, const char *self);

/* The length of the list at index. Raises in the name of call when the list has
 * more than LIST_LIMIT entries. */
#define LIST_LIMIT 4096u
BIND_INTERNAL uint32_t bind_length(lua_State *L, int index, const char *call);

/* Raises because an entry of a list is nil. */
BIND_INTERNAL int bind_refuse_nil(lua_State *L, int entry, const char *call);

/* Pushes the table that the table on top of the stack has under name. Raises
 * when it has none, which only the debug library can bring about. */
BIND_INTERNAL void bind_push_table(lua_State *L, const char *name);

/* The part of a chunk's name behind a folder that it lies in, or "" where it is
 * that name itself; NULL: it does not, or folder is NULL. */
BIND_INTERNAL const char *bind_inside(const char *source, const char *folder);

/* Adds never_blame to the table on top of the stack. */
BIND_INTERNAL void bind_open_error(lua_State *L);

#endif

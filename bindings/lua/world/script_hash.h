/* script_hash.h: world:hash(): the hash of the core, and what the binding adds.
 *
 * Beside the core's state (core/world/world_hash.h), four things decide what a
 * world of scripts does next:
 *
 *      seed      every number drawn follows from it
 *      totals    what each system has added in its last complete run, as
 *                another system may read the total before that one runs again
 *      systems   which are disabled
 *      clocks    of the phases (scripts/ecs/frame.lua): numbers drawn and the
 *                tick of native kernels follow from them
 *
 * Systems are known by their place in the order of definition. Everything that
 * is as in a new world adds nothing: then the hash is that of ecs_world_hash.
 * So asking for a total, defining a system, or running a phase in which nothing
 * draws does not change it.
 *
 * Not in it, because it is the program's: functions, queries, names, phases and
 * their order, flush and precision. Nor is where a loop stands that is running
 * at the moment, with what its rows have added to totals so far.
 */
#ifndef ECS_LUA_SCRIPT_HASH_H
#define ECS_LUA_SCRIPT_HASH_H

#include "object/object.h"

/* Adds hash to the table on top of the stack. */
BIND_INTERNAL void bind_open_script_hash(lua_State *L);

#endif

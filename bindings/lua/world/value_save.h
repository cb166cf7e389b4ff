/* value_save.h: values of fields of type string and any, to saves and back.
 *
 *      save    uses --value by value--> packed   --> save_bytes, save_file
 *                      \-- encode --/
 *      load    packed --value by value--> numbers --> load_save, saved_images
 *                      \-- decode --/
 *
 * While encode and decode run, no save is open. Until it is written or loaded a
 * pause (held.h) lives, so numbers stay what they are.
 */
#ifndef ECS_LUA_VALUE_SAVE_H
#define ECS_LUA_VALUE_SAVE_H

#include "api/for_bindings.h"
#include "world/lua_world.h"

/* Reads what held_values gave, at index; what it refers to is pushed. Returns
 * packed; NULL for nil. Raises for what it is not. */
BIND_INTERNAL const HeldPacked *bind_packed_read(lua_State *L, int index,
                                                 HeldPacked *packed);

/* The numbers that saved_values gave, at index, and how many; none where there is
 * something else. */
BIND_INTERNAL const uint32_t *bind_numbers_read(lua_State *L, int index,
                                                uint32_t *count);

/* Opens a save; on failure pushes nil and why, and returns how many. */
BIND_INTERNAL int bind_open_save(lua_State *L, const LuaWorld *world,
                                 const char *bytes, size_t count,
                                 ecs_Saved **saved);

/* Adds held_values and saved_values to the table on top of the stack. */
BIND_INTERNAL void bind_open_value_save(lua_State *L);

#endif

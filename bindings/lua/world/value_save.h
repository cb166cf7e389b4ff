/* value_save.h: values of fields of type string and any, to saves and back.
 *
 *      save    uses --value by value--> packed   --> save_bytes, save_file
 *                      \-- encode --/
 *      load    packed --value by value--> numbers --> load_save, saved_images
 *                      \-- decode --/
 *
 * Packed rows (query/lua_pack.c) go the same ways, without functions.
 *
 * While encode and decode run, no save is open. Until it is written or loaded
 * there is a pause (held.h), so numbers stay what they are; held_resume ends it.
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

/* What lists the values that are packed: as ecs_held_uses does. Finalizers may have
 * closed the world since it was called last: then it raises an error. */
typedef ecs_Status ListUses(lua_State *L, const void *of, HeldUse *uses,
                            uint32_t most, uint32_t *count);

/* Pushes what held_values of value_save.c does, or nil and why, of what lists its
 * uses. On the stack lie four values: any two; the function encode, or nil; and the
 * name of the call. */
BIND_INTERNAL int bind_held_values(lua_State *L, const LuaWorld *world,
                                   ListUses *list, const void *of);

/* Closes a save, or packed rows, which a call names, and pushes numbers for its
 * values, whether decode made some of them, and a pause, which must live until they
 * are used; or nil and why. At index 3 is decode, or nil. */
BIND_INTERNAL int bind_saved_values(lua_State *L, ecs_Saved *saved,
                                    const char *call);

/* Opens a save; on failure pushes nil and why, and returns how many. */
BIND_INTERNAL int bind_open_save(lua_State *L, const LuaWorld *world,
                                 const char *bytes, size_t count,
                                 ecs_Saved **saved);

/* Adds held_values, saved_values and held_resume to the table on top of the stack. */
BIND_INTERNAL void bind_open_value_save(lua_State *L);

#endif

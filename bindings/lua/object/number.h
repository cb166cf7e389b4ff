/* number.h: single numbers and elements of columns, from Lua to C and back.
 *
 * An element is a value of an ecs_Scalar in memory, laid out as ecs.h says.
 * Lua's type must fit: booleans for bool, numbers for the rest, and for an
 * entity also nil, which is the null entity; strings for string, and everything
 * for any, which are held (held.h). A store through a row or a column
 * converts, and takes numbers for bool, too (bind_number); none is
 * for a value that is held.
 */
#ifndef ECS_LUA_NUMBER_H
#define ECS_LUA_NUMBER_H

#include "object/object.h"

/* The number that stands for the value at index in an element of this type;
 * lua_kind is the value's Lua type. Returns false when the element takes no
 * value of this Lua type; the number's range is not checked. */
static inline bool bind_number(lua_State *L, int index, ecs_Scalar type,
                               int lua_kind, double *number) {
  if (scalar_is_held(type)) return false;
  if (lua_kind == LUA_TNUMBER)
    *number = lua_tonumber(L, index);
  else if (lua_kind == LUA_TBOOLEAN && type == ECS_BOOL)
    *number = lua_toboolean(L, index);
  else if (lua_kind == LUA_TNIL && type == ECS_ENTITY)
    *number = 0;
  else
    return false;
  return true;
}

/* Stores the value at index in an element. Strict: returns false, and leaves
 * the element as it was, when the Lua type does not fit or the number cannot be
 * represented. A held value allocates. */
BIND_INTERNAL bool bind_read_element(lua_State *L, int index, ecs_Scalar type,
                                     void *element);

/* Pushes an element, or a number that ecs_get_field returned, as the Lua value
 * for its type. The null entity is nil. */
BIND_INTERNAL void bind_push_element(lua_State *L, ecs_Scalar type,
                                     const void *element);
BIND_INTERNAL void bind_push_number(lua_State *L, ecs_Scalar type,
                                    double number);

/* Pushes an entity as a Lua number. */
BIND_INTERNAL void bind_push_entity(lua_State *L, ecs_Entity entity);

/* Writes any number as messages show it, the same on every VM: a whole number
 * with all of its digits, as those of entities are, and others with 14. */
BIND_INTERNAL void bind_write_number(char *text, size_t bytes, double number);

/* Pushes any number as messages name an entity:
 * "entity 12 (index 12, generation 0)". */
BIND_INTERNAL void bind_push_entity_text(lua_State *L, double handle);

/* The argument at index, a whole number from 0 to below 2^53, as scripts/ecs
 * passes it. Raises on anything else. */
BIND_INTERNAL uint64_t bind_whole_check(lua_State *L, int index);

#endif

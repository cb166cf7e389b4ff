/* new_definition.h: how a definition is built, compared and added to the state.
 *
 *      begin --> the caller fills in fields --> finish --> find one of its name
 *                and storage                                 | none: add
 *                                                            | equal: keep that
 *
 * A definition's private table has the name in slot DEFINITION_NAME and the
 * names of fields in the slots from 1 on, and behind them names of arrays. What
 * it needs is a list of names in slot DEFINITION_NEEDS: a name may get its
 * definition later, so that two components may need each other. A definition
 * that was not added is left to the collector.
 */
#ifndef ECS_LUA_NEW_DEFINITION_H
#define ECS_LUA_NEW_DEFINITION_H

#include "component/definition.h"

#define DEFINITION_NAME 0
#define DEFINITION_NEEDS (-1)

/* Pushes a definition with a name and room for count fields, then its private
 * table. name is the stack index of a string. Raises when memory runs out. */
BIND_INTERNAL Definition *bind_definition_begin(lua_State *L, int name,
                                                uint32_t count);

/* Computes the layout, the default image and the listing of a definition after
 * its fields were filled in. Pops the private table from the top of the stack.
 */
BIND_INTERNAL void bind_definition_finish(lua_State *L, Definition *definition);

/* Pushes the definition named by the string at stack index name; pushes nil and
 * returns NULL when there is none. */
BIND_INTERNAL Definition *bind_definition_find(lua_State *L, int name);

/* Adds the definition on top of the stack under its name and the next index.
 * The name must be free. When memory runs out it raises, and no definition of
 * this name is found. */
BIND_INTERNAL void bind_definition_add(lua_State *L, Definition *definition);

/* Pushes the list of what the definition at index needs; nil: it needs nothing.
 */
BIND_INTERNAL void bind_definition_push_needs(lua_State *L, int index);

/* Makes a field of a definition that is being read a link. */
BIND_INTERNAL void bind_definition_link(Definition *definition, uint32_t field,
                                        ecs_LinkRule rule, bool tree);

/* What a definition says of a link; NULL: the field is none. */
BIND_INTERNAL const ecs_Link *bind_definition_link_of(
    const Definition *definition, uint32_t field);

/* Have the two fields the same name, type and default? */
BIND_INTERNAL bool bind_field_equals(const ecs_Field *a, const ecs_Field *b);

/* Is this name taken by the batches of scripts, which have a count and
 * entities? */
BIND_INTERNAL bool bind_name_is_reserved(const char *name);

#endif

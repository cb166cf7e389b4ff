/* definition.h: components as scripts define them, their values, and the way
 * of single numbers between Lua and C.
 *
 * A definition belongs to the Lua state and knows no world; lua_world.h tells how
 * a world meets it. Both kinds of object are immutable.
 *
 *      Definition  header | index ... | fields | offsets | default image
 *      Value       header | definition | given | image
 *
 * An image is laid out as ecs.h says: a C struct of the fields in order.
 */
#ifndef ECS_LUA_DEFINITIONS_H
#define ECS_LUA_DEFINITIONS_H

#include "object/object.h"

typedef struct Definition {
  Header header;
  uint32_t index; /* 1, 2, 3 ... in order of definition; 0: not known yet */
  uint32_t field_count;
  uint32_t image_bytes;
  ecs_Storage storage;
  const char *name;    /* this and the next point into strings of the private
                       table, as do the names of fields */
  const char *listing; /* "x, y", for messages */
  const uint32_t *offsets; /* of each field in the image */
  const void *defaults;    /* an image */
  ecs_Field fields[];
} Definition;

typedef struct Value {
  Header header;
  const Definition *definition; /* lives as long as the state */
  uint64_t given;               /* bit k: field k was given */
  uint64_t image[];             /* complete: the rest are defaults */
} Value;

/* A definition, or a value with its definition. */
typedef struct Given {
  const Definition *definition;
  const Value *value; /* NULL: all defaults */
} Given;

/* The image of a part; NULL for a tag. */
static inline const void *given_image(Given part) {
  return part.value ? part.value->image : part.definition->defaults;
}

/* Each raises on anything else, in the name of the calling function. */
BIND_INTERNAL Definition *bind_definition_check(lua_State *L, int index,
                                                const char *call);
BIND_INTERNAL Given bind_given_check(lua_State *L, int index, const char *call);

/* Where a state remembers that there is a definition at an address. */
static inline const void **recent_definition(State *state,
                                             const void *address) {
  uintptr_t place = (uintptr_t)address >> 4;
  return &state->recent_definitions[(place ^ place >> 6) % RECENT_DEFINITIONS];
}

/* The same as the two above, in line for definitions that were found before. */
static inline const Definition *bind_definition_at(lua_State *L, State *state,
                                                   int index,
                                                   const char *call) {
  const void *address = lua_touserdata(L, index);
  if (address && *recent_definition(state, address) == address)
    return (const Definition *)address;
  return bind_definition_check(L, index, call);
}
static inline Given bind_given_at(lua_State *L, State *state, int index,
                                  const char *call) {
  const void *address = lua_touserdata(L, index);
  if (address && *recent_definition(state, address) == address)
    return (Given){(const Definition *)address, NULL};
  return bind_given_check(L, index, call);
}

/* define.c: the definition that a component of a host's world goes by: one of
 * its name that agrees with it in all, or else a new one if make says so. */
typedef struct Adoption {
  const Definition *definition; /* NULL: none, or the name is not for scripts */
  bool refused;                 /* the name has another definition */
} Adoption;
BIND_INTERNAL Adoption bind_definition_adopt(lua_State *L,
                                             const ecs_World *native,
                                             ecs_Component component,
                                             bool make);

/* host.c: adopts what hosts defined since the last look, in every borrowed
 * world. A component whose name is taken is left out. May raise, being out of
 * memory. */
BIND_INTERNAL void bind_hosts_adopt(lua_State *L);

/* The field of this name, or field_count. */
BIND_INTERNAL uint32_t bind_field_find(const Definition *definition,
                                       const char *name);

/* The same for anything at index, by comparing texts; raises where there is no
 * such field. */
BIND_INTERNAL uint32_t bind_field_find_slowly(lua_State *L, int index,
                                              const Definition *definition);

/* The field that the string at index names; raises with the fields there are.
 * Equal strings are the same string, long ones aside, so nearly always the
 * address alone tells. The type is asked first: lua_tostring would turn a
 * number into a string where it stands. */
static inline uint32_t bind_field_check(lua_State *L, int index,
                                        const Definition *definition) {
  if (lua_type(L, index) == LUA_TSTRING) {
    const char *name = lua_tostring(L, index);
    for (uint32_t f = 0; f < definition->field_count; f++)
      if (definition->fields[f].name == name) return f;
  }
  return bind_field_find_slowly(L, index, definition);
}

/* The Lua value at index into a field's element, strictly; false when it is of
 * the wrong kind or does not fit. */
BIND_INTERNAL bool bind_read(lua_State *L, int index, ecs_Scalar type,
                             void *place);

/* Pushes what the argument at index is, in words that are the same on every VM:
 * "nil", "12", "a table", "the component Position"; "nothing" for none. */
BIND_INTERNAL void bind_push_description(lua_State *L, int index);

/* What of ours the value at index is that a script may take for a plain table:
 * "a row", "a batch"; or NULL. For messages only. */
BIND_INTERNAL const char *bind_view_name(lua_State *L, int index);

/* Raises, in the name of call, for anything but a function in Lua or C. */
BIND_INTERNAL void bind_callback_check(lua_State *L, int index,
                                       const char *call);

/* Raises what bind_read refused: names the field and says what it takes. */
BIND_INTERNAL int bind_refuse(lua_State *L, int index,
                              const Definition *definition, uint32_t field);

/* An element, or a number that ecs_get_field gave, as a Lua value. */
BIND_INTERNAL void bind_push_element(lua_State *L, ecs_Scalar type,
                                     const void *place);
BIND_INTERNAL void bind_push_number(lua_State *L, ecs_Scalar type,
                                    double number);

/* An entity as a Lua number, and as text: "entity 12 (generation 3)". */
BIND_INTERNAL void bind_push_entity(lua_State *L, ecs_Entity entity);
BIND_INTERNAL void bind_push_entity_text(lua_State *L, double handle);

/* define.c: may these bytes be the name of something? */
BIND_INTERNAL bool bind_name_holds(const char *name, size_t bytes);

#endif

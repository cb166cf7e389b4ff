/* definition.h: components as scripts define them, and values for them.
 *
 * A definition belongs to the Lua state and is independent of any world;
 * world/components.h says how a world gets a component for it. What definitions
 * and values say never changes after they were made.
 *
 *      Definition  header | index ... | fields | offsets | links | arrays |
 *                  default image
 *      Value       header | definition | given | image
 *
 * A value is a userdata, or on LuaJIT a struct of its FFI; both look like this.
 *
 * An image is laid out as ecs.h says: a C struct of the fields in order.
 */
#ifndef ECS_LUA_DEFINITION_H
#define ECS_LUA_DEFINITION_H

#include "component/field_array.h"
#include "object/error.h"
#include "object/object.h"

typedef struct Definition {
  Header header;
  uint32_t index; /* 1, 2, 3 ... in order of definition; 0: not added yet */
  uint32_t field_count;
  uint32_t image_bytes;
  ecs_Storage storage;
  uint32_t need_count;     /* names in its list of needs; new_definition.h */
  const char *name;        /* with listing and the names of fields: borrowed
                              from strings in the private table */
  const char *listing;     /* "x, y", for messages */
  const uint32_t *offsets; /* bytes from the image's start, one per field */
  const void *defaults;    /* an image; NULL for a tag */
  ecs_Link *links;         /* link_count of them */
  uint64_t linked;         /* bit k: field k is a link */
  uint64_t held;           /* bit k: field k is a string or any */
  uint32_t link_count;
  uint32_t array_count;
  FieldArray *arrays; /* array_count of them, in the order of their elements */
  ecs_Field fields[];
} Definition;

typedef struct Value {
  Header header;
  const Definition *definition; /* lives as long as the state */
  uint64_t given;               /* bit k: the script gave field k */
  uint64_t image[];             /* all fields; fields not given are defaults */
} Value;

/* Is a field a link? Views only read those. */
static inline bool definition_is_link(const Definition *definition,
                                      uint32_t field) {
  return (definition->linked >> field & 1) != 0;
}

/* The number of a held value in an image. */
static inline uint32_t definition_held(const Definition *definition,
                                       const void *image, uint32_t field) {
  const char *element = (const char *)image + definition->offsets[field];
  return *(const uint32_t *)(const void *)element;
}

/* Makes a value of memory that has the image and `given`. */
static inline void bind_value_finish(Value *value,
                                     const Definition *definition) {
  value->definition = definition;
  value->header.bytes = sizeof *value + definition->image_bytes;
  value->header.magic = bind_magic(KIND_VALUE, value);
}

/* What an argument gives: a component alone, a value, or a component with a
 * table of its fields behind it. */
typedef struct Given {
  const Definition *definition;
  const void *image; /* complete with defaults; of a value, or in memory of the
                        caller; NULL: the component alone, all defaults */
  uint64_t fields;   /* bit k: field k was given; all, for a component alone */
} Given;

/* The image to store; NULL for a tag. */
static inline const void *given_image(Given given) {
  return given.image ? given.image : given.definition->defaults;
}

/* Arguments --------------------------------------------------------------- */

/* The component, or the component or value, at index. Each raises in the name
 * of call on anything else. */
BIND_INTERNAL Definition *bind_definition_check(lua_State *L, int index,
                                                const char *call);
BIND_INTERNAL Given bind_given_check(lua_State *L, int index, const char *call);

/* Raises, in the name of call, for ecs.Name, which no call but world:name gives
 * to an entity or takes from it. definition: may be NULL. */
BIND_INTERNAL void bind_refuse_name(lua_State *L, const Definition *definition,
                                    const char *call);

/* The component or value at index; false when it is anything else, or
 * ecs.Name. */
BIND_INTERNAL bool bind_given_find_in(lua_State *L, const ModuleState *state,
                                      int index, Given *given);
static inline bool bind_given_find(lua_State *L, int index, Given *given) {
  return bind_given_find_in(L, bind_state(L), index, given);
}

/* Where the state remembers that a definition lies at this address. */
static inline const void **recent_definition(ModuleState *state,
                                             const void *address) {
  uintptr_t bits = (uintptr_t)address >> 4;
  return &state->recent_definitions[(bits ^ bits >> 6) % RECENT_DEFINITIONS];
}

/* Is what lies at the address, and at index on the stack, such a definition? A
 * light userdata has an address, too, but no metatable and nothing private:
 * another library may make one of any pointer. */
static inline bool is_recent(lua_State *L, ModuleState *state, int index,
                             const void *address) {
  return address && *recent_definition(state, address) == address &&
         lua_type(L, index) == LUA_TUSERDATA;
}

/* As the two functions above, inline for definitions that were found before. */
static inline const Definition *bind_definition_at(lua_State *L,
                                                   ModuleState *state,
                                                   int index,
                                                   const char *call) {
  const void *address = lua_touserdata(L, index);
  if (is_recent(L, state, index, address)) return (const Definition *)address;
  return bind_definition_check(L, index, call);
}
static inline Given bind_given_at(lua_State *L, ModuleState *state, int index,
                                  const char *call) {
  const void *address = lua_touserdata(L, index);
  if (is_recent(L, state, index, address))
    return (Given){(const Definition *)address, NULL, ~UINT64_C(0)};
  Given given;
  return bind_given_find_in(L, state, index, &given)
             ? given
             : bind_given_check(L, index, call);
}

/* Reads the table of fields at index into an image of the definition: defaults,
 * and in their place what the table gives. Returns which fields it gives.
 * Metatables do not count, and the table is neither changed nor kept. Raises,
 * as the making of a value does, for a tag, a row or a batch, for a key that is
 * no field, and for a value that its field cannot hold. The elements of an array
 * are given by a table, of which the metatable does not count, or by one value.
 * Nothing allocates while the fields are read, so no finalizer can change the
 * table in between. */
BIND_INTERNAL uint64_t bind_fields_read(lua_State *L, int index,
                                        const Definition *definition,
                                        void *image);

/* The same for names of fields and their values in turns, from index to the top
 * of the stack, for the method set. Also raises when a name comes twice, or the
 * last one has no value. */
BIND_INTERNAL uint64_t bind_pairs_read(lua_State *L, int index,
                                       const Definition *definition,
                                       void *image);

/* Pushes the definition. */
BIND_INTERNAL void bind_definition_push(lua_State *L,
                                        const Definition *definition);

/* Pushes a new value with the defaults, for one whose fields are held: as long as
 * it is on the stack, nothing in its image is let go. */
BIND_INTERNAL Value *bind_value_new(lua_State *L, const Definition *definition);

/* Where fields are read to: image, of ECS_FIELD_LIMIT elements; or, for a
 * component whose fields are held, a new value, which takes the place at index on
 * the stack. */
static inline void *bind_image_at(lua_State *L, int index,
                                  const Definition *definition,
                                  uint64_t *image) {
  if (!definition->held) return image;
  Value *value = bind_value_new(L, definition);
  lua_replace(L, index);
  return value->image;
}

/* Never lets go of what is held in an image. */
BIND_INTERNAL void bind_pin_image(lua_State *L, const Definition *definition,
                                  const void *image);

/* Raises, in the name of call, for a component with fields that are held. */
BIND_INTERNAL void bind_refuse_held(lua_State *L, const Definition *definition,
                                    const char *call, const char *instead);

/* Raises if the value at index, which follows a component, is a row or a batch:
 * it has no fields of its own to read. */
BIND_INTERNAL void bind_refuse_view(lua_State *L, int index,
                                    const Definition *definition);

/* As bind_given_at, but a component may have a table of its fields behind it,
 * which is read into image, of ECS_FIELD_LIMIT elements; or into a value that
 * takes the component's place on the stack. Returns how many arguments were
 * read: 1 or 2. */
static inline int bind_given_read(lua_State *L, ModuleState *state, int index,
                                  const char *call, uint64_t *image,
                                  Given *given) {
  *given = bind_given_at(L, state, index, call);
  if (given->image || lua_gettop(L) == index) return 1;
  if (!lua_istable(L, index + 1)) {
    bind_refuse_view(L, index + 1, given->definition);
    return 1;
  }
  void *to = bind_image_at(L, index, given->definition, image);
  given->fields = bind_fields_read(L, index + 1, given->definition, to);
  given->image = to;
  return 2;
}

/* The field of this name; field_count when there is none. */
BIND_INTERNAL uint32_t bind_field_find(const Definition *definition,
                                       const char *name);

/* The field that the value at index names, compared byte by byte. Raises, with
 * a list of the fields, when it names none. */
BIND_INTERNAL uint32_t bind_field_find_slowly(lua_State *L, int index,
                                              const Definition *definition);

/* As bind_field_find_slowly, but faster in the common case: Lua keeps one copy
 * of each short string, so equal names have equal addresses. The type is tested
 * first because lua_tostring would convert a number in place. */
static inline uint32_t bind_field_check(lua_State *L, int index,
                                        const Definition *definition) {
  if (lua_type(L, index) == LUA_TSTRING) {
    const char *name = lua_tostring(L, index);
    for (uint32_t f = 0; f < definition->field_count; f++)
      if (definition->fields[f].name == name) return f;
  }
  return bind_field_find_slowly(L, index, definition);
}

/* The array of which a field is the first element; NULL: there is none. */
static inline const FieldArray *bind_array_from(const Definition *definition,
                                                uint32_t field) {
  for (uint32_t k = 0; k < definition->array_count; k++)
    if (definition->arrays[k].first == field) return &definition->arrays[k];
  return NULL;
}

/* The array that the value at index names; NULL: it names none. */
BIND_INTERNAL const FieldArray *bind_array_named(lua_State *L, int index,
                                                 const Definition *definition);

/* The same where most components have none. */
static inline const FieldArray *bind_array_at(lua_State *L, int index,
                                              const Definition *definition) {
  if (definition->array_count == 0) return NULL;
  return bind_array_named(L, index, definition);
}

/* The element of an array that the value at index numbers, as a field. Raises,
 * with the numbers that there are, when it is none of them. */
BIND_INTERNAL uint32_t bind_element_check(lua_State *L, int index,
                                          const Definition *definition,
                                          const FieldArray *array);

/* Pushes a new list of the elements of an array in an image. */
BIND_INTERNAL void bind_array_push(lua_State *L, const Definition *definition,
                                   const FieldArray *array, const void *image);

/* Raises, in the name of call, for a component that has an array. */
BIND_INTERNAL void bind_refuse_arrays(lua_State *L,
                                      const Definition *definition,
                                      const char *call);

/* Raises, in the name of call, for anything but a function in Lua or C. */
BIND_INTERNAL void bind_callback_check(lua_State *L, int index,
                                       const char *call);

/* What elements of a type take, for messages: "a whole number from 0 to 255". */
BIND_INTERNAL const char *bind_wanted(ecs_Scalar type);

/* Raises because the value at index cannot be stored in a field: names the
 * field and says what it takes. */
BIND_INTERNAL int bind_refuse_element(lua_State *L, int index,
                                      const Definition *definition,
                                      uint32_t field);

/* Pushes a description of the value at index, in the same words on every VM:
 * "nil", "12", "a table", "the component Position"; "nothing" for none. */
BIND_INTERNAL void bind_push_description(lua_State *L, int index);

/* "a row" or "a batch" when the value at index says that it is one; otherwise
 * NULL. For messages only: a script can claim the same for its own tables. */
BIND_INTERNAL const char *bind_view_name(lua_State *L, int index);

/* Adds fields and values_by to the table on top of the stack, and the
 * metamethods of definitions. */
BIND_INTERNAL void bind_open_definition(lua_State *L);

#endif

/* value_calls.c: values and tables of fields for compiled code on LuaJIT, used
 * by scripts/ecs/ffi/values_ffi.lua.
 *
 * Lua reads the fields of a table into doubles, without allocating in between,
 * and says by a mask which fields these are. Here they become an image, by the
 * strict rules of values; then the core is called as entity_methods.c calls it.
 *
 * A value is a struct that Lua makes and make_value fills in. It comes back as
 * an address, and so do worlds and components, which are userdata: the caller
 * holds them, and knows that they are what they should be. Of a value it knows
 * the type. That it was finished, too, is checked here.
 */
#include "world/value_calls.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

#include "api/for_bindings.h"
#include "world/components.h"
#include "world/field_calls.h"

/* scripts/ecs/ffi/cdef.lua has these numbers, too. */
#define SPAWN_PARTS 8
#define TABLE_FIELDS 12

/* A number as a handle; 0, which is never alive, for a number that is none. */
static inline ecs_Entity handle_of(double entity) {
  bool handle = entity >= 0 && entity < 4503599627370496.0 &&
                entity == (double)(int64_t)entity;
  return handle ? (ecs_Entity)(int64_t)entity : 0;
}

/* Makes an image of defaults and the given fields: field k is numbers[k]. False
 * when a field cannot hold its number, or there is no such field. */
static inline bool make_image(const Definition *definition, uint32_t given,
                              const double *numbers, void *image) {
  /* A tag: a hook has spawned between the reading and the call. */
  if (!definition->defaults) return false;
  memcpy(image, definition->defaults, definition->image_bytes);
  for (uint32_t f = 0; given != 0; f++, given >>= 1) {
    if (!(given & 1u)) continue;
    if (f >= definition->field_count) return false;
    char *element = (char *)image + definition->offsets[f];
    double number = numbers[f];
    ecs_Scalar type = definition->fields[f].type;
    if (type == ECS_F32 && number >= -FLT_MAX && number <= FLT_MAX) {
      float narrow = (float)number;
      memcpy(element, &narrow, sizeof narrow);
    } else if (ecs_scalar_store(type, element, number) != ECS_OK) {
      return false;
    }
  }
  return true;
}

/* 1: it is done; 3: and notices of observers wait now; 0: it failed. */
static inline int32_t answer(const LuaWorld *world, ecs_Status status) {
  if (status != ECS_OK) return 0;
  return *world->noticed == 0 ? 1 : 3;
}

static int32_t set_image(const LuaWorld *world, ecs_Component component,
                         double entity, const void *image, uint64_t given) {
  if (!world->native) return 0;
  return answer(world, ecs_set(world->native, handle_of(entity), component,
                               image, given));
}

static int32_t add_image(const LuaWorld *world, ecs_Component component,
                         double entity, const void *image) {
  if (!world->native) return 0;
  return answer(world,
                ecs_add(world->native, handle_of(entity), component, image));
}

/* The world of an access, which has the address of its native. */
static inline const LuaWorld *world_of(const BoundAccess *access) {
  return (const LuaWorld *)(const void *)((const char *)access->field.world -
                                          offsetof(LuaWorld, native));
}

/* Called by Lua ------------------------------------------------------------ */

/* Makes a value of a new struct, which has room for an image. */
static int32_t make_value(Value *value, const Definition *definition,
                          uint32_t given, const double *numbers) {
  if (!make_image(definition, given, numbers, value->image)) return 0;
  value->given = given;
  bind_value_finish(value, definition);
  return 1;
}

static int32_t set_value(const LuaWorld *world, double entity,
                         const Value *value) {
  if (!bind_is(&value->header, KIND_VALUE)) return 0;
  return set_image(world, bind_component_find(world, value->definition), entity,
                   value->image, value->given);
}

static int32_t add_value(const LuaWorld *world, double entity,
                         const Value *value) {
  if (!bind_is(&value->header, KIND_VALUE)) return 0;
  return add_image(world, bind_component_find(world, value->definition), entity,
                   value->image);
}

static int32_t set_fields(const BoundAccess *access, double entity,
                          uint32_t given, const double *numbers) {
  uint64_t image[ECS_FIELD_LIMIT];
  if (!make_image(access->definition, given, numbers, image)) return 0;
  return set_image(world_of(access), access->field.component, entity, image,
                   given);
}

static int32_t add_fields(const BoundAccess *access, double entity,
                          uint32_t given, const double *numbers) {
  uint64_t image[ECS_FIELD_LIMIT];
  if (!make_image(access->definition, given, numbers, image)) return 0;
  return add_image(world_of(access), access->field.component, entity, image);
}

/* The image of a part with a table, in room of TABLE_FIELDS words; NULL: there
 * is none. Not in line, so that the loop over the parts keeps its variables in
 * registers. */
ECS_APART static const void *part_image(const Definition *definition,
                                        uint32_t given, const double *numbers,
                                        void *room) {
  bool fits = definition->field_count <= TABLE_FIELDS;
  return fits && make_image(definition, given, numbers, room) ? room : NULL;
}

/* The new entity, negated where notices of observers wait now; 0: there is
 * none. The parts are values and components; for a component with a table,
 * given has the mask of its fields, and numbers has TABLE_FIELDS numbers. The
 * parts are no array, which would cost 1 ns less: a hook could run between the
 * stores and leave freed values in it. */
static double spawn(const LuaWorld *world, uint32_t count,
                    const double *numbers, const uint32_t *given,
                    const Header *p1, const Header *p2, const Header *p3,
                    const Header *p4, const Header *p5, const Header *p6,
                    const Header *p7, const Header *p8) {
  const Header *const parts[SPAWN_PARTS] = {p1, p2, p3, p4, p5, p6, p7, p8};
  ecs_Component components[SPAWN_PARTS];
  const void *images[SPAWN_PARTS];
  uint64_t room[SPAWN_PARTS][TABLE_FIELDS];
  ecs_Entity entity = 0;
  if (!world->native || count > SPAWN_PARTS) return 0;
  for (uint32_t k = 0; k < count; k++) {
    const Definition *definition = (const Definition *)(const void *)parts[k];
    const void *image = NULL;
    if (bind_is(parts[k], KIND_VALUE)) {
      const Value *value = (const Value *)(const void *)parts[k];
      definition = value->definition;
      image = value->image;
    } else if (!bind_is(parts[k], KIND_DEFINITION)) {
      return 0;
    } else if (given[k] != 0) {
      image =
          part_image(definition, given[k], numbers + k * TABLE_FIELDS, room[k]);
      if (!image) return 0;
    }
    images[k] = image;
    components[k] = bind_component_find(world, definition);
    if (components[k] == 0) return 0;
  }
  ecs_Status status =
      ecs_spawn(world->native, components, count, images, &entity);
  if (status != ECS_OK) return 0;
  return *world->noticed == 0 ? (double)entity : -(double)entity;
}

/* scripts/ecs/ffi/cdef.lua declares this struct, too. */
typedef struct ValueCalls {
  int32_t (*make_value)(Value *, const Definition *, uint32_t, const double *);
  int32_t (*set_value)(const LuaWorld *, double, const Value *);
  int32_t (*add_value)(const LuaWorld *, double, const Value *);
  int32_t (*set_fields)(const BoundAccess *, double, uint32_t, const double *);
  int32_t (*add_fields)(const BoundAccess *, double, uint32_t, const double *);
  double (*spawn)(const LuaWorld *, uint32_t, const double *, const uint32_t *,
                  const Header *, const Header *, const Header *,
                  const Header *, const Header *, const Header *,
                  const Header *, const Header *);
} ValueCalls;

static const ValueCalls calls = {make_value, set_value,  add_value,
                                 set_fields, add_fields, spawn};

/* Called through the C API ------------------------------------------------- */

/* value_calls(): a userdata with these functions, its size, and the bytes of a
 * value before its image; nothing once it is settled what makes values. */
static int value_calls(lua_State *L) {
  if (bind_state(L)->values_are_settled) return 0;
  memcpy(lua_newuserdata(L, sizeof calls), &calls, sizeof calls);
  compat_push_whole(L, (double)sizeof calls);
  compat_push_whole(L, (double)offsetof(Value, image));
  return 3;
}

static const luaL_Reg functions[] = {{"value_calls", value_calls},
                                     {NULL, NULL}};

void bind_open_value_calls(lua_State *L) { bind_add(L, functions); }

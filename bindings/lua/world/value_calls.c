/* value_calls.c: values and tables of fields for compiled code on LuaJIT, used
 * by scripts/ecs/ffi/values_ffi.lua.
 *
 * Lua reads the fields of a table into doubles, without allocating in between,
 * and says by a mask which fields these are. Here they become an image, by the
 * strict rules of values; then the core is called as entity_methods.c calls it.
 *
 * A value comes as the address of its userdata, which the caller holds. Lua
 * knows from a private table that it is a value; that it is one of the right
 * component is checked again here, at the cost of one load.
 *
 * A shape is what a spawn is made of: the components, in the order of the call.
 * It is a userdata without metatable that Lua keeps per world.
 */
#include "world/value_calls.h"

#include <float.h>
#include <string.h>

#include "api/for_bindings.h"
#include "world/components.h"
#include "world/field_calls.h"

/* scripts/ecs/ffi/cdef.lua has these numbers, too. */
#define SHAPE_PARTS 8
#define SHAPE_FIELDS 12

typedef struct SpawnShape {
  ecs_World *const *world; /* of a LuaWorld; holds NULL once it is closed */
  uint32_t count;
  ecs_Component components[SHAPE_PARTS];
  const Definition *definitions[SHAPE_PARTS];
} SpawnShape;

/* A number as a handle; 0, which is never alive, for a number that is none. */
static inline ecs_Entity handle_of(double entity) {
  bool handle = entity >= 0 && entity < 4503599627370496.0 &&
                entity == (double)(int64_t)entity;
  return handle ? (ecs_Entity)(int64_t)entity : 0;
}

/* Makes an image of defaults and the given fields: field k is numbers[k]. False
 * when a field cannot hold its number. */
static inline bool make_image(const Definition *definition, uint32_t given,
                              const double *numbers, void *image) {
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

static bool set_image(const BoundAccess *access, double entity,
                      const void *image, uint64_t given) {
  ecs_World *world = *access->field.world;
  return world && ecs_set(world, handle_of(entity), access->field.component,
                          image, given) == ECS_OK;
}

static bool add_image(const BoundAccess *access, double entity,
                      const void *image) {
  ecs_World *world = *access->field.world;
  return world && ecs_add(world, handle_of(entity), access->field.component,
                          image) == ECS_OK;
}

/* Called by Lua ------------------------------------------------------------ */

static int32_t set_value(const BoundAccess *access, double entity,
                         const Value *value) {
  return value->definition == access->definition &&
         set_image(access, entity, value->image, value->given);
}

static int32_t add_value(const BoundAccess *access, double entity,
                         const Value *value) {
  return value->definition == access->definition &&
         add_image(access, entity, value->image);
}

static int32_t set_fields(const BoundAccess *access, double entity,
                          uint32_t given, const double *numbers) {
  uint64_t image[ECS_FIELD_LIMIT];
  return make_image(access->definition, given, numbers, image) &&
         set_image(access, entity, image, given);
}

static int32_t add_fields(const BoundAccess *access, double entity,
                          uint32_t given, const double *numbers) {
  uint64_t image[ECS_FIELD_LIMIT];
  return make_image(access->definition, given, numbers, image) &&
         add_image(access, entity, image);
}

/* The new entity; 0: there is none. numbers and given have SHAPE_FIELDS numbers
 * and one mask for each part, values a value or NULL. */
static double spawn(const SpawnShape *shape, const double *numbers,
                    const uint32_t *given, const Value *v1, const Value *v2,
                    const Value *v3, const Value *v4, const Value *v5,
                    const Value *v6, const Value *v7, const Value *v8) {
  const Value *const values[SHAPE_PARTS] = {v1, v2, v3, v4, v5, v6, v7, v8};
  const void *images[SHAPE_PARTS];
  uint64_t room[SHAPE_PARTS][SHAPE_FIELDS];
  ecs_Entity entity = 0;
  ecs_World *world = *shape->world;
  if (!world) return 0;
  for (uint32_t k = 0; k < shape->count; k++) {
    const Definition *definition = shape->definitions[k];
    images[k] = NULL;
    if (values[k]) {
      if (values[k]->definition != definition) return 0;
      images[k] = values[k]->image;
    } else if (given[k] != 0) {
      if (definition->field_count > SHAPE_FIELDS ||
          !make_image(definition, given[k], numbers + k * SHAPE_FIELDS,
                      room[k]))
        return 0;
      images[k] = room[k];
    }
  }
  ecs_Status status =
      ecs_spawn(world, shape->components, shape->count, images, &entity);
  return status == ECS_OK ? (double)entity : 0;
}

/* scripts/ecs/ffi/cdef.lua declares this struct, too. */
typedef struct ValueCalls {
  int32_t (*set_value)(const BoundAccess *, double, const Value *);
  int32_t (*add_value)(const BoundAccess *, double, const Value *);
  int32_t (*set_fields)(const BoundAccess *, double, uint32_t, const double *);
  int32_t (*add_fields)(const BoundAccess *, double, uint32_t, const double *);
  double (*spawn)(const SpawnShape *, const double *, const uint32_t *,
                  const Value *, const Value *, const Value *, const Value *,
                  const Value *, const Value *, const Value *, const Value *);
} ValueCalls;

static const ValueCalls calls = {set_value, add_value, set_fields, add_fields,
                                 spawn};

/* Called through the C API ------------------------------------------------- */

/* value_calls(): a userdata with these functions, its size, and the table in
 * which the state from now on keeps the definition of each definition and of
 * each value that is used again. To be called once, before there is a
 * definition. */
static int value_calls(lua_State *L) {
  bind_push_shared(L);
  lua_getfield(L, -1, "parts");
  if (!lua_isnil(L, -1)) return 0;
  lua_pop(L, 1);
  memcpy(lua_newuserdata(L, sizeof calls), &calls, sizeof calls);
  compat_push_whole(L, (double)sizeof calls);
  bind_parts_remember(L);
  return 3;
}

/* spawn_shape(world, definition, ...): a SpawnShape; nothing when the world
 * lacks one of the components, or when there are too many or one comes twice.
 */
static int spawn_shape(lua_State *L) {
  const LuaWorld *world = (const LuaWorld *)bind_find(L, 1, KIND_WORLD);
  int count = lua_gettop(L) - 1;
  if (!world || count > SHAPE_PARTS) return 0;
  SpawnShape shape = {&world->native, (uint32_t)count, {0}, {NULL}};
  for (int k = 0; k < count; k++) {
    const Definition *definition =
        (const Definition *)bind_find(L, k + 2, KIND_DEFINITION);
    ecs_Component component =
        definition ? bind_component_find(world, definition) : 0;
    if (!component) return 0;
    for (int before = 0; before < k; before++)
      if (shape.definitions[before] == definition) return 0;
    shape.definitions[k] = definition;
    shape.components[k] = component;
  }
  memcpy(lua_newuserdata(L, sizeof shape), &shape, sizeof shape);
  return 1;
}

static const luaL_Reg functions[] = {
    {"value_calls", value_calls}, {"spawn_shape", spawn_shape}, {NULL, NULL}};

void bind_open_value_calls(lua_State *L) { bind_add(L, functions); }

/* lua_array.c: arrays of a world as userdata: their life and their methods.
 *
 *      world:array("walls", "u8", 200, 200)
 *      walls:size()   walls:fill(0)   walls:resize(300, 100)   #walls
 *
 * Elements are in array_element.c.
 */
#include "world/lua_array.h"

#include <stdio.h>
#include <string.h>

#include "api/for_bindings.h"
#include "component/definition.h"
#include "object/name.h"
#include "object/number.h"
#include "world/collect.h"
#include "world/report.h"

/* Life -------------------------------------------------------------------- */

LuaArray *bind_array_find(lua_State *L, int index) {
  return (LuaArray *)bind_find(L, index, KIND_ARRAY);
}

int bind_array_refuse_closed(lua_State *L, const LuaArray *array) {
  return bind_error(L, "the world of array '%s' is closed", array->name);
}

LuaArray *bind_array_check(lua_State *L, int index, const char *call) {
  LuaArray *array = bind_array_find(L, index);
  if (!array)
    bind_error(L,
               "%s is called with ':', as in walls:%s(...), on what "
               "world:array gave",
               call, call);
  if (!array->view.elements) bind_array_refuse_closed(L, array);
  return array;
}

static int array_gc(lua_State *L) {
  LuaArray *array = bind_array_find(L, 1);
  if (array && array->view.elements) ecs_array_hold(array->native, NULL);
  return 0;
}

/* Sizes ------------------------------------------------------------------- */

static const char *const ordinals[] = {"first", "second", "third"};

/* Pushes "u8, 200 x 200". */
static void push_shape(lua_State *L, const ecs_ArrayDescription *array) {
  char text[96];
  int length = snprintf(text, sizeof text, "%s", ecs_scalar_name(array->type));
  for (uint32_t d = 0; d < array->dimensions; d++)
    length += snprintf(text + length, sizeof text - (size_t)length, "%s%lu",
                       d == 0 ? ", " : " x ", (unsigned long)array->sizes[d]);
  lua_pushstring(L, text);
}

/* The arguments from index on, which are sizes: their count. Raises on others. */
static uint32_t read_sizes(lua_State *L, int index, const char *call,
                           const char *name, uint32_t *sizes) {
  int count = lua_gettop(L) - index + 1;
  if (count < 1 || count > ECS_ARRAY_INDICES)
    bind_error(L, "%s takes one to three sizes for array '%s', not %d", call,
               name, count < 0 ? 0 : count);
  for (int d = 0; d < count; d++) {
    double size =
        lua_type(L, index + d) == LUA_TNUMBER ? lua_tonumber(L, index + d) : 0;
    if (!(size >= 1 && size <= ECS_ELEMENT_LIMIT) ||
        (double)(uint32_t)size != size) {
      bind_push_description(L, index + d);
      bind_error(L,
                 "%s: the %s size of array '%s' is a whole number from 1 to "
                 "%d, not %s",
                 call, ordinals[d], name, (int)ECS_ELEMENT_LIMIT,
                 lua_tostring(L, -1));
    }
    sizes[d] = (uint32_t)size;
  }
  return (uint32_t)count;
}

/* world:array --------------------------------------------------------------- */

static const char *read_name(lua_State *L) {
  size_t length;
  if (lua_type(L, 2) != LUA_TSTRING) {
    bind_push_description(L, 2);
    bind_error(L,
               "array takes a name, as in world:array(\"walls\", \"u8\", 200, "
               "200), not %s",
               lua_tostring(L, -1));
  }
  const char *name = lua_tolstring(L, 2, &length);
  if (!bind_name_is_valid(name, length))
    bind_error(L,
               "the name of an array is 1 to 255 bytes of UTF-8 text "
               "without control characters");
  return name;
}

static ecs_Scalar read_type(lua_State *L, const char *name) {
  const char *type = lua_type(L, 3) == LUA_TSTRING ? lua_tostring(L, 3) : NULL;
  for (int k = 0; type && k < ECS_ENTITY; k++)
    if (strcmp(type, ecs_scalar_name((ecs_Scalar)k)) == 0) return (ecs_Scalar)k;
  if (type)
    lua_pushfstring(L, "'%s'", type);
  else
    bind_push_description(L, 3);
  bind_error(L,
             "array '%s' has elements of type f32, f64, i8, u8, i16, u16, i32, "
             "u32 or bool, not %s",
             name, lua_tostring(L, -1));
  return ECS_SCALAR_COUNT;
}

static int refuse_other(lua_State *L, ecs_World *native,
                        const ecs_ArrayDescription *wanted) {
  ecs_ArrayDescription found = *wanted;
  const ecs_Array *array = ecs_array_find(native, wanted->name);
  if (array) ecs_array_describe(array, &found);
  push_shape(L, &found);
  push_shape(L, wanted);
  return bind_error(
      L,
      "there is an array '%s' (%s) already: it is no array of %s, "
      "and walls:resize gives it other sizes",
      wanted->name, lua_tostring(L, -2), lua_tostring(L, -1));
}

/* Pushes the object of an array at index 5, the table of arrays of the world at
 * index 1. Its native array is not there yet. */
static LuaArray *create(lua_State *L, LuaWorld *world,
                        const ecs_ArrayDescription *description) {
  size_t bytes = strlen(description->name) + 1;
  LuaArray *array = (LuaArray *)bind_new(L, KIND_ARRAY, sizeof *array + bytes);
  array->world = world;
  array->type = (uint32_t)description->type;
  array->dimensions = description->dimensions;
  memcpy(array->name, description->name, bytes);
  compat_push_private(L, -1);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "world");
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "array");
  lua_pop(L, 1);
  return array;
}

/* Pushes the object of a name; false, and nothing is pushed: there is none. */
static bool push_known(lua_State *L, int arrays, int name) {
  lua_pushvalue(L, name);
  lua_rawget(L, arrays);
  if (bind_array_find(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

/* world:array(name, type, size, size, size): the array of this name, made if
 * there is none. */
static int world_array(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  ecs_ArrayDescription wanted = {.name = read_name(L)};
  bind_note_growth(L, world);
  wanted.type = read_type(L, wanted.name);
  wanted.dimensions = read_sizes(L, 4, "array", wanted.name, wanted.sizes);
  int top = lua_gettop(L), arrays = top + 1;
  bind_push_kept(L, 1, "arrays");
  LuaArray *made = NULL;
  if (!push_known(L, arrays, 2)) made = create(L, world, &wanted);
  ecs_Array *native = NULL;
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status,
                   ecs_array(bind_native(L, world), &wanted, &native));
  if (status == ECS_E_SCHEMA)
    return refuse_other(L, bind_native(L, world), &wanted);
  if (status != ECS_OK) return bind_refuse_status(L, world, status, "array");
  if (!made) return 1;
  if (push_known(L, arrays, 2)) return 1; /* a finalizer was here */
  lua_pushvalue(L, 2);
  lua_pushvalue(L, -2);
  lua_rawset(L, arrays);
  made->native = ecs_array_find(bind_native(L, world), wanted.name);
  if (!made->native) return bind_error(L, "the world of an array is another");
  ecs_array_hold(made->native, &made->view);
  return 1;
}

/* Methods ----------------------------------------------------------------- */

int bind_array_refuse_value(lua_State *L, const LuaArray *array, int index,
                            const char *where) {
  ecs_Scalar type = (ecs_Scalar)array->type;
  bind_push_description(L, index);
  return bind_error(L, "array '%s' is %s: %s%sit takes %s, not %s", array->name,
                    ecs_scalar_name(type), where, *where ? ", " : "",
                    bind_wanted(type), lua_tostring(L, -1));
}

/* walls:fill(value) */
static int array_fill(lua_State *L) {
  LuaArray *array = bind_array_check(L, 1, "fill");
  ecs_Scalar type = (ecs_Scalar)array->type;
  uint64_t element = 0;
  if (!bind_read_element(L, 2, type, &element))
    return bind_array_refuse_value(L, array, 2, "");
  (void)ecs_array_fill(array->native, ecs_scalar_load(type, &element));
  return 0;
}

/* walls:size(): one number for each index. */
static int array_size(lua_State *L) {
  const LuaArray *array = bind_array_check(L, 1, "size");
  for (uint32_t d = 0; d < array->dimensions; d++)
    compat_push_integer(L, array->view.sizes[d]);
  return (int)array->dimensions;
}

/* The native array, for a call of the core that follows at once. */
static ecs_Array *native_of(lua_State *L, const LuaArray *array) {
  if (!array->view.elements) bind_array_refuse_closed(L, array);
  return array->native;
}

/* walls:resize(300, 100) */
static int array_resize(lua_State *L) {
  LuaArray *array = bind_array_check(L, 1, "resize");
  uint32_t sizes[ECS_ARRAY_INDICES];
  uint32_t count = read_sizes(L, 2, "resize", array->name, sizes);
  if (count != array->dimensions)
    return bind_error(L,
                      "resize: array '%s' has %d %s, so it takes as many "
                      "sizes, not %d",
                      array->name, (int)array->dimensions,
                      array->dimensions == 1 ? "index" : "indices", (int)count);
  bind_note_growth(L, array->world);
  ecs_Status status;
  BIND_WITH_RELIEF(L, array->world, status,
                   ecs_array_resize(native_of(L, array), sizes));
  if (status != ECS_OK)
    return bind_refuse_status(L, array->world, status, "resize");
  return 0;
}

static int array_len(lua_State *L) {
  const LuaArray *array = bind_array_check(L, 1, "#");
  compat_push_integer(L, array->view.sizes[0]);
  return 1;
}

static int array_tostring(lua_State *L) {
  const LuaArray *array = bind_array_find(L, 1);
  if (!array) return bind_error(L, "this is not an array");
  if (!array->view.elements) {
    lua_pushfstring(L, "ecs.Array ('%s', closed)", array->name);
    return 1;
  }
  ecs_ArrayDescription shape;
  ecs_array_describe(array->native, &shape);
  push_shape(L, &shape);
  lua_pushfstring(L, "ecs.Array ('%s': %s)", array->name, lua_tostring(L, -1));
  return 1;
}

void bind_open_lua_array(lua_State *L) {
  static const luaL_Reg world_methods[] = {{"array", world_array},
                                           {NULL, NULL}};
  static const luaL_Reg methods[] = {{"fill", array_fill},
                                     {"resize", array_resize},
                                     {"size", array_size},
                                     {NULL, NULL}};
  static const luaL_Reg metamethods[] = {{"__gc", array_gc},
                                         {"__len", array_len},
                                         {"__tostring", array_tostring},
                                         {NULL, NULL}};
  bind_push_methods(L, KIND_WORLD);
  bind_add(L, world_methods);
  bind_push_methods(L, KIND_ARRAY);
  bind_add(L, methods);
  bind_push_metatable(L, KIND_ARRAY);
  bind_add(L, metamethods);
  lua_pop(L, 3);
}

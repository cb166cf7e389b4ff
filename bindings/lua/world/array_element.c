/* array_element.c: elements of arrays, one by one and all at once. */
#include "world/array_element.h"

#include <stdio.h>
#include <string.h>

#include "api/for_bindings.h"
#include "component/definition.h"
#include "object/number.h"

static const char *const ordinals[] = {"first", "second", "third"};

/* The object of a kind at index 1; NULL: it is anything else. Length and magic are
 * compared, and the metatable is not, as for worlds (pure optimisation, a fifth of
 * an access). */
static void *find_self(lua_State *L, ObjectKind kind, size_t least) {
  Header *header = (Header *)lua_touserdata(L, 1);
  size_t bytes = header ? lua_rawlen(L, 1) : 0; /* 0 for a light userdata */
  if (bytes < least || header->bytes != bytes) return NULL;
  return bind_is(header, kind) ? header : NULL;
}

/* Indices ----------------------------------------------------------------- */

/* Raises because the value at index is none from 1 to a size of an array. */
static int refuse_index(lua_State *L, const LuaArray *array, uint32_t d,
                        int index) {
  if (!array->view.elements) return bind_array_refuse_closed(L, array);
  bind_push_description(L, index);
  const char *one = array->dimensions == 1 ? "" : ordinals[d];
  return bind_error(L,
                    "array '%s': the %s%sindex is a whole number from 1 to "
                    "%d, not %s",
                    array->name, one, *one ? " " : "",
                    (int)array->view.sizes[d], lua_tostring(L, -1));
}

/* The index at a position of the stack as an offset from 0. Raises unless it is
 * one of dimension d. */
static uint32_t check_index(lua_State *L, const LuaArray *array, uint32_t d,
                            int index) {
  uint32_t size = array->view.sizes[d];
  if (lua_type(L, index) == LUA_TNUMBER) {
    double number = lua_tonumber(L, index);
    uint32_t at = number >= 1 && number <= size ? (uint32_t)number : 0;
    if (at > 0 && (double)at == number) return at - 1;
  }
  (void)refuse_index(L, array, d, index);
  return 0;
}

/* The same for an index that a row has: the array may have got other sizes. */
static uint32_t check_kept(lua_State *L, const LuaArray *array, uint32_t d,
                           uint32_t at) {
  if (at - 1u < array->view.sizes[d]) return at - 1;
  compat_push_integer(L, at);
  (void)refuse_index(L, array, d, lua_gettop(L));
  return 0;
}

static void *element_at(const LuaArray *array, size_t position) {
  size_t bytes = ecs_scalar_bytes((ecs_Scalar)array->type);
  ECS_ASSERT(array->view.elements);
  return (char *)array->view.elements + position * bytes;
}

/* The position of what a row begins at, in rows of the next index. */
static size_t row_position(lua_State *L, const ArrayRow *row) {
  const LuaArray *array = row->array;
  size_t position = check_kept(L, array, 0, row->at[0]);
  if (row->depth == 2)
    position =
        position * array->view.sizes[1] + check_kept(L, array, 1, row->at[1]);
  return position;
}

/* Rows -------------------------------------------------------------------- */

/* Pushes a new row of the array at index 1, or of that of the row there. */
static void new_row(lua_State *L, LuaArray *array, const ArrayRow *outer,
                    uint32_t at) {
  ArrayRow *row = (ArrayRow *)lua_newuserdata(L, sizeof *row);
  row->header = (Header){NULL, 0, sizeof *row};
  row->array = array;
  row->depth = outer ? 2 : 1;
  row->at[0] = outer ? outer->at[0] : at;
  row->at[1] = outer ? at : 0;
  compat_push_private(L, 1);
  compat_set_private(L, -2);
  row->header.magic = bind_magic(KIND_ARRAY_ROW, row);
  bind_push_metatable(L, KIND_ARRAY_ROW);
  lua_setmetatable(L, -2);
}

/* Pushes the row at a key of the table on top of the stack, where it has one; it
 * is made and put there otherwise. */
static int push_row(lua_State *L, LuaArray *array, const ArrayRow *outer,
                    uint32_t at) {
  lua_rawgeti(L, -1, (int)at);
  if (lua_isuserdata(L, -1)) return 1;
  lua_pop(L, 1);
  new_row(L, array, outer, at);
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, (int)at);
  return 1;
}

/* Pushes the table in which the rows of a row are kept. */
static void push_deep(lua_State *L, const ArrayRow *row) {
  bind_push_kept(L, 1, "deep");
  lua_rawgeti(L, -1, (int)row->at[0]);
  if (lua_istable(L, -1)) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, (int)row->at[0]);
}

static ArrayRow *check_row(lua_State *L) {
  ArrayRow *row = (ArrayRow *)find_self(L, KIND_ARRAY_ROW, sizeof *row);
  if (!row) bind_error(L, "this is not a row of an array");
  return row;
}

/* Reading and writing ------------------------------------------------------- */

static int push_element(lua_State *L, const LuaArray *array, size_t position) {
  bind_push_element(L, (ecs_Scalar)array->type, element_at(array, position));
  return 1;
}

/* Stores the value at index in an element. */
static int store(lua_State *L, LuaArray *array, size_t position, int index) {
  if (bind_read_element(L, index, (ecs_Scalar)array->type,
                        element_at(array, position)))
    return 0;
  return bind_array_refuse_value(L, array, index, "");
}

/* Raises because a value was given for a row. */
static int refuse_row(lua_State *L, const LuaArray *array) {
  return bind_error(L,
                    "array '%s' has %d indices: write one element, as in "
                    "walls%s = 1, or all with walls:set(...)",
                    array->name, (int)array->dimensions,
                    array->dimensions == 2 ? "[x][y]" : "[x][y][z]");
}

/* Pushes the method of the name at index 2. Raises where there is none. */
static int push_method(lua_State *L) {
  bind_push_methods(L, KIND_ARRAY);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  if (!lua_isnil(L, -1)) return 1;
  return bind_error(L,
                    "an array has no method '%s' (there are fill, resize, "
                    "set, size)",
                    lua_tostring(L, 2));
}

/* walls[x], walls.fill */
static int array_index(lua_State *L) {
  LuaArray *array = (LuaArray *)find_self(L, KIND_ARRAY, sizeof *array);
  if (!array) return bind_error(L, "this is not an array");
  if (lua_type(L, 2) == LUA_TSTRING) return push_method(L);
  uint32_t at = check_index(L, array, 0, 2);
  if (array->dimensions == 1) return push_element(L, array, at);
  compat_push_private(L, 1);
  return push_row(L, array, NULL, at + 1);
}

/* walls[x] = 1 */
static int array_newindex(lua_State *L) {
  LuaArray *array = (LuaArray *)find_self(L, KIND_ARRAY, sizeof *array);
  if (!array) return bind_error(L, "this is not an array");
  uint32_t at = check_index(L, array, 0, 2);
  if (array->dimensions > 1) return refuse_row(L, array);
  return store(L, array, at, 3);
}

/* walls[x][y] */
static int row_index(lua_State *L) {
  ArrayRow *row = check_row(L);
  LuaArray *array = row->array;
  size_t position = row_position(L, row);
  uint32_t at = check_index(L, array, row->depth, 2);
  position = position * array->view.sizes[row->depth] + at;
  if (row->depth + 1 == array->dimensions)
    return push_element(L, array, position);
  push_deep(L, row);
  return push_row(L, array, row, at + 1);
}

/* walls[x][y] = 1 */
static int row_newindex(lua_State *L) {
  ArrayRow *row = check_row(L);
  LuaArray *array = row->array;
  size_t position = row_position(L, row);
  uint32_t at = check_index(L, array, row->depth, 2);
  if (row->depth + 1 < array->dimensions) return refuse_row(L, array);
  return store(L, array, position * array->view.sizes[row->depth] + at, 3);
}

/* #walls[x] */
static int row_len(lua_State *L) {
  const ArrayRow *row = check_row(L);
  (void)row_position(L, row);
  compat_push_integer(L, row->array->view.sizes[row->depth]);
  return 1;
}

static int row_tostring(lua_State *L) {
  const ArrayRow *row = check_row(L);
  if (row->depth == 1)
    lua_pushfstring(L, "ecs.ArrayRow ('%s'[%d])", row->array->name,
                    (int)row->at[0]);
  else
    lua_pushfstring(L, "ecs.ArrayRow ('%s'[%d][%d])", row->array->name,
                    (int)row->at[0], (int)row->at[1]);
  return 1;
}

/* All at once --------------------------------------------------------------- */

/* Where walls:set is in the table that it reads. */
typedef struct Filling {
  LuaArray *array;
  bool stores;                    /* false: only checks */
  uint32_t depth;                 /* of at in use */
  uint32_t at[ECS_ARRAY_INDICES]; /* from 1 */
  size_t position;                /* of the next element */
} Filling;

/* Raises because of the value on top of the stack, which is at filling->at. */
static int refuse_filling(lua_State *L, const Filling *filling) {
  char where[64] = "";
  int length = 0, value = lua_gettop(L);
  const LuaArray *array = filling->array;
  for (uint32_t d = 0; d < filling->depth; d++)
    length += snprintf(where + length, sizeof where - (size_t)length, "[%lu]",
                       (unsigned long)filling->at[d]);
  if (filling->depth > 0 &&
      filling->at[filling->depth - 1] > array->view.sizes[filling->depth - 1])
    return bind_error(L,
                      "set: the table for array '%s' has an element %s, and "
                      "the array has not",
                      array->name, where);
  if (filling->depth == array->dimensions)
    return bind_array_refuse_value(L, array, value, where);
  bind_push_description(L, value);
  return bind_error(L,
                    "set: the table for array '%s' has a list of %d at %s, "
                    "not %s",
                    array->name, (int)array->view.sizes[filling->depth],
                    *where ? where : "its outside", lua_tostring(L, -1));
}

/* Reads the value on top of the stack. Makes no call of Lua and allocates nothing
 * until it raises. */
static void read_filling(lua_State *L, Filling *filling) {
  const LuaArray *array = filling->array;
  uint32_t depth = filling->depth;
  uint64_t spare;
  if (depth == array->dimensions) {
    void *to = filling->stores ? element_at(array, filling->position) : &spare;
    if (!bind_read_element(L, lua_gettop(L), (ecs_Scalar)array->type, to))
      (void)refuse_filling(L, filling);
    filling->position++;
    return;
  }
  if (!lua_istable(L, -1)) (void)refuse_filling(L, filling);
  filling->depth++;
  for (uint32_t k = 1; k <= array->view.sizes[depth] + 1; k++) {
    filling->at[depth] = k;
    lua_rawgeti(L, -1, (int)k);
    if (k <= array->view.sizes[depth])
      read_filling(L, filling);
    else if (!lua_isnil(L, -1))
      (void)refuse_filling(L, filling);
    lua_pop(L, 1);
  }
  filling->depth--;
}

/* walls:set { { 1, 2 }, { 3, 4 } }: tables are read raw, all of them before the
 * first element is stored. */
static int array_set(lua_State *L) {
  Filling filling = {.array = bind_array_check(L, 1, "set")};
  lua_settop(L, 2);
  if (!lua_istable(L, 2)) {
    bind_push_description(L, 2);
    return bind_error(L,
                      "set takes a table with all elements of array '%s', "
                      "not %s",
                      filling.array->name, lua_tostring(L, -1));
  }
  read_filling(L, &filling);
  filling.stores = true;
  filling.position = 0;
  read_filling(L, &filling);
  return 0;
}

/* For scripts/ecs/ffi ------------------------------------------------------- */

/* array_layout(): where the view lies in an array, and where its sizes lie in the
 * view. */
static int array_layout(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)offsetof(LuaArray, view));
  lua_pushinteger(L, (lua_Integer)offsetof(ecs_ArrayView, sizes));
  return 2;
}

/* array_method(array, name): as array.name. */
static int array_method(lua_State *L) {
  luaL_checktype(L, 2, LUA_TSTRING);
  return push_method(L);
}

/* array_shape(array): the name of its type, how many indices it has, and its name;
 * nothing for any other value. */
static int array_shape(lua_State *L) {
  const LuaArray *array = bind_array_find(L, 1);
  if (!array) return 0;
  lua_pushstring(L, ecs_scalar_name((ecs_Scalar)array->type));
  lua_pushinteger(L, (lua_Integer)array->dimensions);
  lua_pushstring(L, array->name);
  return 3;
}

/* array_fits(array, world, type, dimensions): is it such an array of that world,
 * which is open? */
static int array_fits(lua_State *L) {
  const LuaArray *array = bind_array_find(L, 1);
  const LuaWorld *world = (const LuaWorld *)bind_find(L, 2, KIND_WORLD);
  const char *type = luaL_checkstring(L, 3);
  double dimensions = (double)luaL_checknumber(L, 4);
  lua_pushboolean(
      L, array && world && array->world == world && array->view.elements &&
             array->dimensions == dimensions &&
             strcmp(ecs_scalar_name((ecs_Scalar)array->type), type) == 0);
  return 1;
}

/* array_side(array, d): the size of an index, from 1; 0 where its world is
 * closed; nothing for any other value. */
static int array_side(lua_State *L) {
  const LuaArray *array = bind_array_find(L, 1);
  double d = (double)luaL_checknumber(L, 2);
  if (!array || !(d >= 1 && d <= ECS_ARRAY_INDICES)) return 0;
  compat_push_integer(L, array->view.sizes[(int)d - 1]);
  return 1;
}

/* The array at index 1 and the position of the element, or the row, that the
 * indices from 2 to last name. */
static LuaArray *check_place(lua_State *L, int last, size_t *position) {
  LuaArray *array = bind_array_find(L, 1);
  if (!array) bind_error(L, "this is not an array");
  int count = last - 1;
  if (count < 1 || count > (int)array->dimensions)
    bind_error(L, "array '%s' has %d indices", array->name,
               (int)array->dimensions);
  *position = 0;
  for (int d = 0; d < count; d++)
    *position = *position * array->view.sizes[d] +
                check_index(L, array, (uint32_t)d, 2 + d);
  return array;
}

/* array_get(array, x, y, z): the element; nil for fewer indices than it takes,
 * if each is in its range. Raises as walls[x][y][z] does. */
static int array_get(lua_State *L) {
  size_t position;
  int last = lua_gettop(L);
  const LuaArray *array = check_place(L, last, &position);
  if (last - 1 < (int)array->dimensions) return 0;
  return push_element(L, array, position);
}

/* array_put(array, x, y, z, value): raises as walls[x][y][z] = value does. */
static int array_put(lua_State *L) {
  size_t position;
  int last = lua_gettop(L) - 1;
  LuaArray *array = check_place(L, last, &position);
  if (last - 1 < (int)array->dimensions) return refuse_row(L, array);
  return store(L, array, position, last + 1);
}

/* array_by(index, newindex): these two functions of scripts/ecs are what arrays
 * do when they are indexed, from now on; false instead of them: the module does
 * it. Only the first call counts. */
static int array_by(lua_State *L) {
  bool ours = lua_type(L, 1) == LUA_TBOOLEAN;
  if (!ours) luaL_checktype(L, 1, LUA_TFUNCTION);
  if (!ours) luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  bind_push_shared(L);
  lua_getfield(L, 3, "array_by");
  if (!lua_isnil(L, -1)) return 0;
  lua_pushboolean(L, 1);
  lua_setfield(L, 3, "array_by");
  if (ours) return 0;
  bind_push_metatable(L, KIND_ARRAY);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "__index");
  lua_pushvalue(L, 2);
  lua_setfield(L, -2, "__newindex");
  return 0;
}

static const luaL_Reg functions[] = {{"array_fits", array_fits},
                                     {"array_side", array_side},
                                     {"array_layout", array_layout},
                                     {"array_shape", array_shape},
                                     {"array_get", array_get},
                                     {"array_put", array_put},
                                     {"array_by", array_by},
                                     {"array_method", array_method},
                                     {NULL, NULL}};

void bind_open_array_element(lua_State *L) {
  static const luaL_Reg methods[] = {{"set", array_set}, {NULL, NULL}};
  static const luaL_Reg metamethods[] = {{"__newindex", array_newindex},
                                         {NULL, NULL}};
  static const luaL_Reg row_metamethods[] = {{"__index", row_index},
                                             {"__newindex", row_newindex},
                                             {"__len", row_len},
                                             {"__tostring", row_tostring},
                                             {NULL, NULL}};
  static const luaL_Reg index[] = {{"__index", array_index}, {NULL, NULL}};
  bind_add(L, functions);
  bind_push_methods(L, KIND_ARRAY);
  bind_add(L, methods);
  bind_push_metatable(L, KIND_ARRAY);
  bind_add(L, metamethods);
  bind_add(L, index);
  bind_push_metatable(L, KIND_ARRAY_ROW);
  bind_add(L, row_metamethods);
  lua_pop(L, 3);
}

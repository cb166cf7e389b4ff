/* lua_kernel.c: libraries of native kernels, and kernels bound to queries.
 *
 *      load("physics", "/path/physics.so")      --> Library, kept by name
 *      kernel(query, "physics", "drag", { factor = 2 }, false, { walls })
 *                                               --> Kernel: checked columns,
 *                                                   parameters and arrays
 *      run_kernel(kernel, dt, tick)
 *
 * A library is never unloaded. A kernel binding belongs to its query, so the
 * Kernel keeps the query alive. All three return messages to scripts/ecs.
 *
 * The parameters of a system are a table of the script, which is read before
 * each run, so that the script can change it between frames.
 *
 * The arrays of the world that a kernel takes live as long as the world, and so
 * longer than the Kernel's binding. The core reads before each run where their
 * elements are.
 *
 * Private table of a Kernel: 1 query, 2 parameters, then the names of the
 * parameters.
 */
#include "program/lua_kernel.h"

#include <string.h>

#include "object/number.h"
#include "object/plain_table.h"
#include "object/system.h"
#include "query/lua_query.h"
#include "world/collect.h"
#include "world/lua_array.h"
#include "world/report.h"

typedef struct Library {
  Header header;
  const ecs_KernelLibrary *native;
  FileMark mark; /* of the file before it was loaded; all 0: there was none */
  char path[];   /* the file's; empty: compiled into the host */
} Library;

typedef struct Kernel {
  Header header;
  LuaQuery *query;
  ecs_KernelBinding *native;
  const ecs_KernelParameters *declared; /* borrowed; NULL: it takes none */
  const char *name;                     /* borrowed from the library */
  uint64_t parameters[]; /* room for the struct, as large as it says */
} Kernel;

#define KERNEL_QUERY 1
#define KERNEL_TABLE 2
#define KERNEL_NAMES 3

/* No kernel needs more. */
#define PARAMETER_BYTES 65536u
#define MOST_ARRAYS 64u

/* The mark of the file with this path. False: there is none. */
static bool mark_file(const char *path, FileMark *mark) {
  memset(mark, 0, sizeof *mark);
  return system_file_look(path, mark) == 0;
}

/* Pushes the library of this name, or nil; returns NULL for nil. */
static const Library *find_kept(lua_State *L, const char *name) {
  bind_push_shared(L);
  lua_getfield(L, -1, "libraries");
  lua_remove(L, -2);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
  return (const Library *)bind_find(L, -1, KIND_LIBRARY);
}

static const ecs_KernelLibrary *find_library(lua_State *L, const char *name) {
  const Library *library = find_kept(L, name);
  return library ? library->native : NULL;
}

/* Adds the library on top of the stack to the state, under a name. */
static void keep_library(lua_State *L, const char *name) {
  bind_push_shared(L);
  lua_getfield(L, -1, "libraries");
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, name);
}

/* load(name, path): true; or nil and a message. */
static int load(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  const char *path = luaL_checkstring(L, 2);
  char reason[512] = "";
  if (!find_library(L, name)) {
    size_t path_bytes = strlen(path) + 1;
    Library *library =
        (Library *)bind_new(L, KIND_LIBRARY, sizeof *library + path_bytes);
    memcpy(library->path, path, path_bytes);
    (void)mark_file(path, &library->mark);
    ecs_Status status =
        ecs_library_load(path, &library->native, reason, sizeof reason);
    if (status != ECS_OK) {
      bool more = status == ECS_E_LIBRARY && reason[0];
      lua_pushfstring(L, "ecs: %s: %s%s%s", path, ecs_status_text(status),
                      more ? ": " : "", more ? reason : "");
      return bind_fail(L);
    }
    keep_library(L, name);
  }
  lua_pushboolean(L, 1);
  return 1;
}

void bind_library_add(lua_State *L, const char *name,
                      const ecs_KernelLibrary *native) {
  const ecs_KernelLibrary *known = find_library(L, name);
  if (known == native) return;
  if (known) bind_error(L, "there is another library of the name '%s'", name);
  Library *library = (Library *)bind_new(L, KIND_LIBRARY, sizeof *library + 1);
  library->native = native;
  library->path[0] = '\0';
  keep_library(L, name);
}

/* changed(name): the path of the library's file, where another file is there
 * now than when the library was loaded; otherwise nothing. */
static int changed(lua_State *L) {
  const Library *library = find_kept(L, luaL_checkstring(L, 1));
  FileMark now;
  if (!library || library->path[0] == '\0') return 0;
  if (!mark_file(library->path, &now)) return 0;
  const FileMark *then = &library->mark;
  if (now.device == then->device && now.number == then->number &&
      now.bytes == then->bytes && now.seconds == then->seconds &&
      now.nanoseconds == then->nanoseconds)
    return 0;
  lua_pushstring(L, library->path);
  return 1;
}

/* kernels(name): the names of the library's kernels; nothing when there is no
 * such library. */
static int kernels(lua_State *L) {
  const ecs_KernelLibrary *library = find_library(L, luaL_checkstring(L, 1));
  if (!library) return 0;
  lua_createtable(L, (int)library->kernel_count, 0);
  for (uint32_t k = 0; k < library->kernel_count; k++) {
    lua_pushstring(L, library->kernels[k].name);
    lua_rawseti(L, -2, (int)k + 1);
  }
  return 1;
}

/* Pushes why a kernel's column does not fit a query. */
static void push_misfit(lua_State *L, const LuaQuery *query,
                        const ecs_Kernel *kernel, uint32_t wrong) {
  if (wrong >= kernel->column_count) {
    lua_pushfstring(L, "ecs: %s: the kernel does not fit the query",
                    kernel->name);
    return;
  }
  const ecs_KernelColumn *column = &kernel->columns[wrong];
  const char *verb = column->access == ECS_READ       ? "reads"
                     : column->access == ECS_UP       ? "reads of targets"
                     : column->access == ECS_OPTIONAL ? "takes, if present,"
                                                      : "writes";
  if (scalar_is_held(column->type)) {
    lua_pushfstring(L,
                    "ecs: kernel %s %s %s.%s as %s, which kernels cannot read: "
                    "each and rows do",
                    kernel->name, verb, column->component, column->field,
                    ecs_scalar_name(column->type));
    return;
  }
  lua_pushfstring(L, "ecs: kernel %s %s %s.%s as %s, which %s does not offer",
                  kernel->name, verb, column->component, column->field,
                  ecs_scalar_name(column->type), query->label);
}

/* Parameters -------------------------------------------------------------- */

/* Is what the kernel declares of its struct sound? Otherwise pushes a message.
 */
static bool is_sound(lua_State *L, const ecs_Kernel *kernel) {
  const ecs_KernelParameters *declared = kernel->parameters;
  if (!declared) return true;
  bool sound = declared->bytes <= PARAMETER_BYTES &&
               declared->count <= declared->bytes &&
               (declared->list || declared->count == 0);
  for (uint32_t k = 0; sound && k < declared->count; k++) {
    const ecs_KernelParameter *member = &declared->list[k];
    sound = member->name && member->type < ECS_SCALAR_COUNT &&
            member->bytes == ecs_scalar_bytes(member->type) &&
            member->offset <= declared->bytes &&
            member->bytes <= declared->bytes - member->offset;
    if (sound) continue;
    lua_pushfstring(L,
                    "ecs: kernel %s declares its parameter %s as %s, which its "
                    "struct does not hold",
                    kernel->name, member->name ? member->name : "?",
                    ecs_scalar_name(member->type));
    return false;
  }
  if (!sound)
    lua_pushfstring(L, "ecs: kernel %s declares parameters that make no struct",
                    kernel->name);
  return sound;
}

static const ecs_KernelParameter *find_parameter(
    const ecs_KernelParameters *declared, const char *name) {
  for (uint32_t k = 0; declared && k < declared->count; k++)
    if (strcmp(declared->list[k].name, name) == 0) return &declared->list[k];
  return NULL;
}

/* Pushes "radius, most", or "none". */
static void push_names(lua_State *L, const ecs_KernelParameters *declared) {
  lua_pushstring(L, declared && declared->count > 0 ? "" : "none");
  for (uint32_t k = 0; declared && k < declared->count; k++) {
    lua_pushfstring(L, "%s%s", k > 0 ? ", " : "", declared->list[k].name);
    lua_concat(L, 2);
  }
}

/* Checks that the table at index 4 names declared parameters only; otherwise
 * pushes a message. */
static bool check_names(lua_State *L, const ecs_Kernel *kernel) {
  for (lua_pushnil(L); lua_next(L, 4); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING &&
        find_parameter(kernel->parameters, lua_tostring(L, -2)))
      continue;
    if (lua_type(L, -2) == LUA_TSTRING)
      lua_pushfstring(L, "'%s'", lua_tostring(L, -2));
    else
      bind_push_description(L, lua_gettop(L) - 1);
    push_names(L, kernel->parameters);
    lua_pushfstring(L, "ecs: kernel %s has no parameter %s (there are %s)",
                    kernel->name, lua_tostring(L, -2), lua_tostring(L, -1));
    return false;
  }
  return true;
}

/* Pops the name of a parameter, and pushes its value in the table at index.
 * Otherwise pushes a message. */
static bool push_parameter(lua_State *L, int index, const char *kernel) {
  lua_pushvalue(L, -1);
  lua_rawget(L, index);
  if (lua_isnil(L, -1) && lua_getmetatable(L, index)) {
    lua_pop(L, 2);
    ChainEnd end = bind_chain_get(L, index);
    if (end == CHAIN_CLOSED) return true;
    lua_pushfstring(L, "ecs: kernel %s: %s", kernel,
                    bind_chain_message(L, end, "its table of parameters"));
    return false;
  }
  lua_remove(L, -2);
  return true;
}

/* Reads the values of the script's table into the struct of the Kernel at index
 * 1; otherwise pushes a message. Calls nothing of the script. Allocates nothing
 * unless it fails, or looks behind a table without the parameter. */
static bool read_parameters(lua_State *L, Kernel *kernel) {
  const ecs_KernelParameters *declared = kernel->declared;
  if (!declared) return true;
  int top = lua_gettop(L);
  compat_push_private(L, 1);
  lua_rawgeti(L, top + 1, KERNEL_TABLE);
  if (!lua_istable(L, -1)) return luaL_argerror(L, 1, "lacks its parameters");
  for (uint32_t k = 0; k < declared->count; k++) {
    const ecs_KernelParameter *member = &declared->list[k];
    lua_rawgeti(L, top + 1, KERNEL_NAMES + (int)k);
    if (!push_parameter(L, top + 2, kernel->name)) return false;
    void *place = (char *)kernel->parameters + member->offset;
    if (!bind_read_element(L, top + 3, member->type, place)) {
      bind_push_description(L, top + 3);
      lua_pushfstring(L,
                      "ecs: parameter %s of kernel %s is %s and cannot be %s",
                      member->name, kernel->name, ecs_scalar_name(member->type),
                      lua_tostring(L, -1));
      return false;
    }
    lua_settop(L, top + 2);
  }
  lua_settop(L, top);
  return true;
}

/* Keeps the table at index 4 and the names in the Kernel on top of the stack.
 */
static void keep_parameters(lua_State *L, const Kernel *kernel) {
  bind_keep(L, 4, KERNEL_TABLE);
  compat_push_private(L, -1);
  for (uint32_t k = 0; kernel->declared && k < kernel->declared->count; k++) {
    lua_pushstring(L, kernel->declared->list[k].name);
    lua_rawseti(L, -2, KERNEL_NAMES + (int)k);
  }
  lua_pop(L, 1);
}

/* Arrays ------------------------------------------------------------------ */

static uint32_t array_count_of(const ecs_Kernel *kernel) {
  return kernel->arrays ? kernel->arrays->count : 0;
}

/* Are the arrays that a kernel declares such as a world may have? Otherwise
 * pushes a message. */
static bool are_sound(lua_State *L, const ecs_Kernel *kernel) {
  uint32_t count = array_count_of(kernel);
  bool sound = count <= MOST_ARRAYS && (count == 0 || kernel->arrays->list);
  for (uint32_t k = 0; sound && k < count; k++) {
    const ecs_KernelArray *array = &kernel->arrays->list[k];
    sound = array->name && array->type < ECS_SCALAR_COUNT &&
            array->type != ECS_ENTITY && array->dimensions - 1u < 3 &&
            (array->access == ECS_READ || array->access == ECS_WRITE);
  }
  if (!sound)
    lua_pushfstring(L, "ecs: kernel %s declares arrays that no world has",
                    kernel->name);
  return sound;
}

/* Pushes that a kernel takes other arrays than so many. */
static void push_count_misfit(lua_State *L, const ecs_Kernel *kernel,
                              uint32_t given) {
  uint32_t count = array_count_of(kernel);
  lua_pushstring(L, "");
  for (uint32_t k = 0; k < count; k++) {
    lua_pushfstring(L, "%s%s", k > 0 ? ", " : "", kernel->arrays->list[k].name);
    lua_concat(L, 2);
  }
  if (count == 0)
    lua_pushfstring(L, "ecs: kernel %s takes no arrays, and uses lists %d",
                    kernel->name, (int)given);
  else
    lua_pushfstring(L,
                    "ecs: kernel %s takes %d %s (%s), and uses lists %d: list "
                    "them in this order",
                    kernel->name, (int)count, count == 1 ? "array" : "arrays",
                    lua_tostring(L, -1), (int)given);
}

/* The arrays of the list at index 6, as a kernel declares them. Otherwise pushes
 * a message. */
static bool find_arrays(lua_State *L, const LuaQuery *query,
                        const ecs_Kernel *kernel, ecs_Array **found) {
  uint32_t given = lua_istable(L, 6) ? (uint32_t)lua_rawlen(L, 6) : 0;
  if (given != array_count_of(kernel)) {
    push_count_misfit(L, kernel, given);
    return false;
  }
  for (uint32_t k = 0; k < given; k++) {
    const ecs_KernelArray *wanted = &kernel->arrays->list[k];
    lua_rawgeti(L, 6, (int)k + 1);
    const LuaArray *array = bind_array_find(L, -1);
    luaL_argcheck(L,
                  array && array->view.elements && array->world == query->world,
                  6, "lacks an array of the world");
    if (array->type != (uint32_t)wanted->type ||
        array->dimensions != wanted->dimensions) {
      lua_pushfstring(L,
                      "ecs: kernel %s takes %s as %s with %d %s, which array "
                      "'%s' is not",
                      kernel->name, wanted->name, ecs_scalar_name(wanted->type),
                      (int)wanted->dimensions,
                      wanted->dimensions == 1 ? "index" : "indices",
                      array->name);
      return false;
    }
    found[k] = array->native;
    lua_pop(L, 1);
  }
  return true;
}

/* Kernels ----------------------------------------------------------------- */

/* Pushes a Kernel that is not bound yet. */
static Kernel *push_kernel(lua_State *L, LuaQuery *query,
                           const ecs_Kernel *kernel) {
  size_t bytes = kernel->parameters ? kernel->parameters->bytes : 0;
  Kernel *made = (Kernel *)bind_new(L, KIND_KERNEL, sizeof *made + bytes);
  bind_keep(L, 1, KERNEL_QUERY);
  made->query = query;
  made->declared = kernel->parameters;
  made->name = kernel->name;
  keep_parameters(L, made);
  return made;
}

/* Reads the parameters of the Kernel on top of the stack once, to check them;
 * otherwise pushes a message. */
static bool try_parameters(lua_State *L, Kernel *kernel) {
  lua_insert(L, 1);
  bool read = read_parameters(L, kernel);
  if (read) {
    lua_pushvalue(L, 1);
    lua_remove(L, 1);
  }
  return read;
}

/* Binds a Kernel to the query at index 1, with arrays. */
static ecs_Status bind_kernel(lua_State *L, LuaQuery *query,
                              const ecs_Kernel *kernel, Kernel *bound,
                              ecs_Array *const *arrays, uint32_t *wrong) {
  ecs_Status status;
  BIND_WITH_RELIEF(L, query->world, status,
                   ecs_kernel_bind(bind_query_native(L, query), kernel,
                                   &bound->native, wrong));
  if (status != ECS_OK || array_count_of(kernel) == 0) return status;
  return ecs_kernel_use(bound->native, arrays, array_count_of(kernel), NULL);
}

/* kernel(query, library, name, parameters, more, arrays): a Kernel; or nil and a
 * message. more: the table may have other fields, too, as a component may.
 * arrays: a list of arrays of the query's world, as the kernel declares; nil:
 * none. */
static int kernel_bind(lua_State *L) {
  LuaQuery *query = bind_query_check(L, 1);
  const char *library_name = luaL_checkstring(L, 2);
  const char *name = luaL_checkstring(L, 3);
  const ecs_KernelLibrary *library = find_library(L, library_name);
  const ecs_Kernel *kernel = library ? ecs_library_find(library, name) : NULL;
  if (!kernel) {
    lua_pushfstring(L,
                    library ? "ecs: library %s has no kernel '%s'"
                            : "ecs: no library %s is loaded for kernel '%s'"
                              ": call ecs.load_native first",
                    library_name, name);
    return bind_fail(L);
  }
  lua_settop(L, 6);
  luaL_checktype(L, 4, LUA_TTABLE);
  bool more = lua_toboolean(L, 5);
  ecs_Array *arrays[MOST_ARRAYS];
  if (!is_sound(L, kernel) || (!more && !check_names(L, kernel)) ||
      !are_sound(L, kernel) || !find_arrays(L, query, kernel, arrays))
    return bind_fail(L);
  Kernel *bound = push_kernel(L, query, kernel);
  if (!try_parameters(L, bound)) return bind_fail(L);
  uint32_t wrong = UINT32_MAX;
  ecs_Status status = bind_kernel(L, query, kernel, bound, arrays, &wrong);
  if (status == ECS_OK) return 1;
  if (status == ECS_E_KERNEL)
    push_misfit(L, query, kernel, wrong);
  else
    bind_push_status(L, query->world, status, kernel->name);
  return bind_fail(L);
}

/* run_kernel(kernel, dt, tick): true; or nil and a message. */
static int run_kernel(lua_State *L) {
  Kernel *kernel = (Kernel *)bind_find(L, 1, KIND_KERNEL);
  luaL_argcheck(L, kernel && kernel->native, 1, "not a kernel");
  ecs_KernelCall call;
  memset(&call, 0, sizeof call);
  call.dt = luaL_checknumber(L, 2);
  double tick = luaL_checknumber(L, 3);
  luaL_argcheck(L, tick >= 0 && tick < 9007199254740992.0, 3, "not a tick");
  call.tick = (uint64_t)tick;
  LuaWorld *world = kernel->query->world;
  if (!read_parameters(L, kernel)) return bind_fail(L);
  call.user = kernel->declared ? kernel->parameters : NULL;
  if (!bind_query_is_live(kernel->query))
    return bind_error(L, "the world of this kernel is closed");
  ecs_Status status = ecs_kernel_run(kernel->native, &call);
  if (status == ECS_OK) {
    lua_pushboolean(L, 1);
    return 1;
  }
  bind_push_status(L, world, status, kernel->query->label);
  return bind_fail(L);
}

static const luaL_Reg functions[] = {
    {"load", load},          {"changed", changed},       {"kernels", kernels},
    {"kernel", kernel_bind}, {"run_kernel", run_kernel}, {NULL, NULL}};

void bind_open_lua_kernel(lua_State *L) { bind_add(L, functions); }

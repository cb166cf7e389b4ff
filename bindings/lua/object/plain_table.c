/* plain_table.c: tables of scripts with a metatable, read without a call.
 *
 * Each table of a chain is read in one loop, in which nothing can run a
 * finalizer: neither looks nor stores step the collector. In between one may
 * run and change tables; then what is read is what a script would have read at
 * some moment.
 */
#include "object/plain_table.h"

#include <string.h>

#include "api/for_bindings.h"
#include "object/error.h"

#define NAMES_LIMIT 32

const PlainForm bind_plain_list = {NULL, true, false};

/* Chains ------------------------------------------------------------------ */

typedef enum IndexStep { STEP_ON, STEP_CLOSED, STEP_OPEN } IndexStep;

/* Replaces the table at index by the one behind it. first: it is the one that
 * the script gave, whose __pairs counts where it has no __index. */
static IndexStep step(lua_State *L, int index, bool first) {
  int top = lua_gettop(L);
  if (!lua_getmetatable(L, index)) return STEP_CLOSED;
  lua_pushliteral(L, "__pairs");
  lua_rawget(L, top + 1);
  lua_pushliteral(L, "__index");
  lua_rawget(L, top + 1);
  IndexStep taken = STEP_OPEN;
  if (lua_istable(L, -1)) {
    taken = STEP_ON;
    lua_replace(L, index);
  } else if (lua_isnil(L, -1) && !(first && !lua_isnil(L, -2))) {
    taken = STEP_CLOSED;
  }
  lua_settop(L, top);
  return taken;
}

ChainEnd bind_chain_get(lua_State *L, int index) {
  int key = lua_gettop(L);
  ChainEnd end = CHAIN_LONG;
  ECS_ASSERT(index > 0 && index < key && lua_istable(L, index));
  lua_pushvalue(L, index);
  for (int k = 1; k <= CHAIN_LIMIT && end == CHAIN_LONG; k++) {
    lua_pushvalue(L, key);
    lua_rawget(L, key + 1);
    if (!lua_isnil(L, -1)) {
      lua_replace(L, key);
      lua_settop(L, key);
      return CHAIN_CLOSED;
    }
    lua_pop(L, 1);
    IndexStep taken = step(L, key + 1, k == 1);
    if (taken != STEP_ON) end = taken == STEP_OPEN ? CHAIN_OPEN : CHAIN_CLOSED;
  }
  lua_pushnil(L);
  lua_replace(L, key);
  lua_settop(L, key);
  return end;
}

/* Plain tables ------------------------------------------------------------ */

static bool has_name(const PlainForm *form, const char *name) {
  for (const char *const *known = form->names; known && *known; known++)
    if (strcmp(*known, name) == 0) return true;
  return false;
}

/* Is the entry on top of the stack, of a table behind the first, wanted? */
static bool is_wanted(lua_State *L, const PlainForm *form) {
  if (lua_type(L, -2) == LUA_TNUMBER) {
    double key = lua_tonumber(L, -2);
    return form->list && key >= 1 && key <= INT32_MAX &&
           key == (double)(int32_t)key;
  }
  if (lua_type(L, -2) != LUA_TSTRING) return false;
  const char *name = lua_tostring(L, -2);
  if (form->all) return strncmp(name, "__", 2) != 0 && !lua_isfunction(L, -1);
  return has_name(form, name);
}

/* Adds entries of the table at index to the one at made, which has none of
 * those behind it yet. */
static void add_entries(lua_State *L, int index, int made,
                        const PlainForm *form, bool first) {
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (!first && !is_wanted(L, form)) continue;
    lua_pushvalue(L, -2);
    lua_rawget(L, made);
    bool free = lua_isnil(L, -1);
    lua_pop(L, 1);
    if (!free) continue;
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, made);
  }
}

/* Gives the list at made the length that its last entry says: a border in the
 * middle of a list with nil in it would end the list there. */
static void settle_length(lua_State *L, int made) {
  double last = 0;
  for (lua_pushnil(L); lua_next(L, made); lua_pop(L, 1)) {
    double key = lua_type(L, -2) == LUA_TNUMBER ? lua_tonumber(L, -2) : 0;
    if (key > last && key <= LIST_LIMIT && key == (double)(int32_t)key)
      last = key;
  }
  if (last <= (double)lua_rawlen(L, made)) return;
  lua_createtable(L, (int)last, 0);
  lua_insert(L, made);
  for (lua_pushnil(L); lua_next(L, made + 1); lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, made);
  }
  ECS_ASSERT((double)lua_rawlen(L, made) >= last);
}

/* Has the table at made all that is wanted, whatever else there may be? */
static bool is_complete(lua_State *L, int made, const PlainForm *form) {
  if (form->list || form->all) return false;
  for (const char *const *name = form->names; name && *name; name++) {
    lua_pushstring(L, *name);
    lua_rawget(L, made);
    bool absent = lua_isnil(L, -1);
    lua_pop(L, 1);
    if (absent) return false;
  }
  return true;
}

void bind_plain_make(lua_State *L, int index, const PlainForm *form,
                     const char *call, const char *argument) {
  IndexStep taken = STEP_ON;
  ECS_ASSERT(index > 0 && lua_istable(L, index));
  luaL_checkstack(L, 10, "a table");
  lua_newtable(L);
  int made = lua_gettop(L), from = made + 1;
  lua_pushvalue(L, index);
  for (int k = 1; taken == STEP_ON; k++) {
    if (k > CHAIN_LIMIT) bind_chain_check(L, CHAIN_LONG, call, argument);
    add_entries(L, from, made, form, k == 1);
    taken = step(L, from, k == 1);
  }
  if (taken == STEP_OPEN && !is_complete(L, made, form))
    bind_chain_check(L, CHAIN_OPEN, call, argument);
  lua_settop(L, made);
  if (form->list) settle_length(L, made);
  lua_settop(L, made);
  lua_replace(L, index);
}

/* Errors ------------------------------------------------------------------ */

const char *bind_chain_message(lua_State *L, ChainEnd end,
                               const char *argument) {
  ECS_ASSERT(end != CHAIN_CLOSED);
  if (end == CHAIN_OPEN)
    return lua_pushfstring(L, "%s is a proxy: pass the table behind it",
                           argument);
  return lua_pushfstring(L,
                         "%s has more than %d tables behind it, by __index, "
                         "or they make a circle",
                         argument, CHAIN_LIMIT);
}

void bind_chain_check(lua_State *L, ChainEnd end, const char *call,
                      const char *argument) {
  if (end == CHAIN_CLOSED) return;
  luaL_checkstack(L, 8, "a message");
  bind_error(L, "%s: %s", call, bind_chain_message(L, end, argument));
}

/* For scripts/ecs --------------------------------------------------------- */

/* plain(table, call, argument, names, how): the table itself, or one without a
 * metatable. names: the names that are wanted, as keys; nil: none. how: "list",
 * "all" or nil. */
static int plain(lua_State *L) {
  const char *names[NAMES_LIMIT + 1];
  int count = 0;
  lua_settop(L, 5);
  luaL_checktype(L, 1, LUA_TTABLE);
  const char *call = luaL_checkstring(L, 2);
  const char *argument = luaL_checkstring(L, 3);
  const char *how = luaL_optstring(L, 5, "");
  if (!lua_isnil(L, 4)) {
    luaL_checktype(L, 4, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, 4); lua_pop(L, 1))
      if (lua_type(L, -2) == LUA_TSTRING && count < NAMES_LIMIT)
        names[count++] = lua_tostring(L, -2);
  }
  names[count] = NULL;
  PlainForm form = {names, strcmp(how, "list") == 0, strcmp(how, "all") == 0};
  bind_plain(L, 1, &form, call, argument);
  lua_settop(L, 1);
  return 1;
}

void bind_open_plain_table(lua_State *L) {
  static const luaL_Reg functions[] = {{"plain", plain}, {NULL, NULL}};
  bind_add(L, functions);
}

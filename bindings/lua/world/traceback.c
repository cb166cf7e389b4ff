/* traceback.c: where inside of a system an error was raised. */
#include "world/traceback.h"

#include <string.h>

#include "api/for_bindings.h"
#include "object/error.h"

/* So many frames are looked at, and so many are shown. Each costs a walk over
 * those above it. */
#define LEVELS 64
#define SHOWN 20

/* What the tracer finds of the stack: the levels to show, innermost first. */
typedef struct Frames {
  int levels[LEVELS];
  int count; /* levels in use */
  bool more; /* there are others, further out */
} Frames;

/* Is this a function of scripts/ecs, or one that it made? folder: of the chunks
 * of scripts/ecs; NULL: it is not known. */
static bool is_ours(const char *folder, const lua_Debug *info) {
  return bind_inside(info->source, folder) ||
         strncmp(info->source, "=ecs.", 5) == 0;
}

/* Is this where a system's run begins? */
static bool is_boundary(const char *folder, const lua_Debug *info) {
  const char *name = bind_inside(info->source, folder);
  return name && strcmp(name, "frame.lua") == 0;
}

/* Finds the frames of scripts from this function's caller to the boundary.
 * Functions of C are left out where scripts/ecs called them. */
static void find_frames(lua_State *L, const char *folder, Frames *frames) {
  lua_Debug info;
  int last = 0; /* levels up to the outermost one that is a script's own */
  int count = 0;
  frames->more = true;
  for (int level = 1; level < LEVELS; level++) {
    if (!lua_getstack(L, level, &info) || !lua_getinfo(L, "Sn", &info) ||
        (last > 0 && is_boundary(folder, &info))) {
      frames->more = false;
      break;
    }
    bool is_c = *info.what == 'C';
    if (is_ours(folder, &info))
      count = last;
    else if (!is_c || info.name)
      frames->levels[count++] = level;
    if (!is_c && !is_ours(folder, &info)) last = count;
  }
  if (!frames->more) count = last;
  if (count > SHOWN) frames->more = true;
  frames->count = count > SHOWN ? SHOWN : count;
}

/* Pushes the line for a level. */
static void push_frame(lua_State *L, int level) {
  lua_Debug info;
  if (!lua_getstack(L, level, &info) || !lua_getinfo(L, "Sln", &info)) {
    lua_pushliteral(L, "");
    return;
  }
  if (info.currentline > 0)
    lua_pushfstring(L, "\n\t%s:%d: in ", info.short_src, info.currentline);
  else
    lua_pushfstring(L, "\n\t%s: in ", info.short_src);
  if (*info.what == 'm')
    lua_pushliteral(L, "main chunk");
  else if (info.name && *info.namewhat)
    lua_pushfstring(L, "function '%s'", info.name);
  else if (*info.what == 'C')
    lua_pushliteral(L, "?");
  else
    lua_pushfstring(L, "function <%s:%d>", info.short_src, info.linedefined);
  lua_concat(L, 2);
}

/* Pushes the text of the frames. */
static void push_trace(lua_State *L, const char *folder) {
  Frames frames;
  find_frames(L, folder, &frames);
  lua_pushliteral(L, TRACE_LINE);
  for (int k = 0; k < frames.count; k++) {
    push_frame(L, frames.levels[k]);
    lua_concat(L, 2);
  }
  if (frames.more) {
    lua_pushliteral(L, "\n\t...");
    lua_concat(L, 2);
  }
}

/* The function at a level, for comparison only; NULL: there is none. */
static const void *function_at(lua_State *L, int level) {
  lua_Debug info;
  if (!lua_getstack(L, level, &info) || !lua_getinfo(L, "f", &info))
    return NULL;
  const void *function = lua_topointer(L, -1);
  lua_pop(L, 1);
  return function;
}

/* tracer(message): the message. Notes the frames, unless it knows more of them
 * from the walk that has just ended with this message. */
static int tracer(lua_State *L) {
  ModuleState *state = bind_state(L);
  const void *rethrown = state->rethrown;
  state->rethrown = NULL;
  lua_settop(L, 1);
  if (state->frames == 0 || lua_type(L, 1) != LUA_TSTRING ||
      !lua_checkstack(L, 16))
    return 1;
  bind_push_shared(L);
  lua_getfield(L, 2, "traced");
  /* A script may have caught the error of a walk, and raise its like here. */
  if (!rethrown || rethrown != function_at(L, 1) || !lua_rawequal(L, 1, -1)) {
    lua_getfield(L, 2, "chunk_folder");
    push_trace(L, lua_tostring(L, -1));
    lua_setfield(L, 2, "trace");
    lua_pushvalue(L, 1);
    lua_setfield(L, 2, "traced");
  }
  lua_settop(L, 1);
  return 1;
}

void bind_push_tracer(lua_State *L) {
  bind_push_shared(L);
  lua_rawgeti(L, -1, TRACER);
  ECS_ASSERT(lua_iscfunction(L, -1)); /* bind_open_traceback */
  lua_remove(L, -2);
}

void bind_trace_again(lua_State *L) {
  bind_state(L)->rethrown = function_at(L, 0);
}

/* call_traced(f, ...): as pcall, with a tracer and without results. */
static int call_traced(lua_State *L) {
  int arguments = lua_gettop(L) - 1;
  luaL_checkany(L, 1);
  bind_push_tracer(L);
  lua_insert(L, 1);
  bool failed = lua_pcall(L, arguments, 0, 1) != 0;
  lua_pushboolean(L, !failed);
  if (!failed) return 1;
  lua_insert(L, -2);
  return 2;
}

/* take_trace(message): the lines to add below a message: where inside of the
 * system it was raised; "": nothing is known. */
static int take_trace(lua_State *L) {
  lua_settop(L, 1);
  bind_push_shared(L);
  lua_getfield(L, 2, "traced");
  lua_getfield(L, 2, "trace");
  bool known = lua_type(L, -1) == LUA_TSTRING && lua_rawequal(L, 1, 3);
  lua_pushnil(L);
  lua_setfield(L, 2, "traced");
  lua_pushnil(L);
  lua_setfield(L, 2, "trace");
  if (!known) lua_pushliteral(L, "");
  return 1;
}

void bind_open_traceback(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"call_traced", call_traced}, {"take_trace", take_trace}, {NULL, NULL}};
  bind_add(L, functions);
  bind_push_shared(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, tracer, 1);
  lua_rawseti(L, -2, TRACER);
  lua_pushliteral(L, TRACE_LINE);
  lua_setfield(L, -3, "trace_line");
  lua_pop(L, 1);
}

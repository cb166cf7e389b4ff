/* lua_save.h: saves of a world, for scripts/ecs/save.lua. */
#ifndef ECS_LUA_LUA_SAVE_H
#define ECS_LUA_LUA_SAVE_H

#include "world/lua_world.h"

/* What is written: to a sink, of a world. */
typedef struct SaveWriter {
  ecs_Status (*write)(const struct SaveWriter *writer, ecs_World *world,
                      const ecs_SaveSink *sink);
  const char *text; /* of scripts; or the first save of a diff */
  size_t text_bytes;
  const char *other; /* the other save, or a diff */
  size_t other_bytes;
  ecs_Snapshot *snapshot;
  const HeldPacked *packed; /* NULL: none */
  const char **problem;
  const void *of; /* what else the function needs; borrowed */
} SaveWriter;

/* Pushes it as a string, or nil and why. */
BIND_INTERNAL int bind_push_written(lua_State *L, const LuaWorld *world,
                                    const SaveWriter *writer, const char *call);

/* What a load asks for: the numbers of events' tags, and room for what is told.
 */
typedef struct LoadCall {
  uint32_t *met; /* by number in the save: the number here; 0: leave it out */
  uint32_t met_count;
  char *told; /* sentences, each with a 0 */
  size_t told_bytes;
  char name[32];
  lua_State *L;       /* where a table of images lies at index 4, of a load */
  const char *images; /* of the component that was asked for last */
  size_t images_bytes;
} LoadCall;

/* Begins with what it keeps on the stack. At index 3 is a list: its entry k is the
 * number here of number k there. */
BIND_INTERNAL void bind_load_begin(lua_State *L, LoadCall *call);

/* For an ecs_LoadListener whose user is a LoadCall: names of events' tags, and what
 * is told; sentences for which there is no room are left out. */
BIND_INTERNAL const char *bind_rename_met(void *user, const char *name);
BIND_INTERNAL void bind_note_told(void *user, const char *sentence);

/* Closes a save, or packed rows, and pushes the manifest and the text of it, which
 * lie in the string of its bytes. */
BIND_INTERNAL void bind_push_texts(lua_State *L, ecs_Saved *saved);

/* Pushes a list of what was told. */
BIND_INTERNAL void bind_push_told(lua_State *L, const LoadCall *call);

/* Adds save_bytes, save_file, saved_texts, load_save, number_text and text_number to
 * the table on top of the stack. */
BIND_INTERNAL void bind_open_lua_save(lua_State *L);

#endif

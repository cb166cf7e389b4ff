/* lua_save.c: saves of a world, for scripts/ecs/save.lua.
 *
 * While the core reads or writes a save nothing of Lua is called: a collection
 * could change the world, and an error would leave what is open.
 */
#include "world/lua_save.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/for_bindings.h"
#include "component/definition.h"
#include "object/held.h"
#include "object/number.h"
#include "object/save_file.h"
#include "world/collect.h"
#include "world/components.h"
#include "world/value_save.h"
#include "world/lua_snapshot.h"

/* Saving ------------------------------------------------------------------ */

/* Room for a save in a userdata; NULL: the bytes are only counted. */
typedef struct SaveRoom {
  char *bytes;
  size_t count, capacity;
} SaveRoom;

static bool count_bytes(void *user, const void *bytes, size_t count) {
  SaveRoom *room = user;
  if (room->bytes && count > room->capacity - room->count) return false;
  if (room->bytes) memcpy(room->bytes + room->count, bytes, count);
  room->count += count;
  return true;
}

static ecs_Status write_save(const SaveWriter *writer, ecs_World *world,
                             const ecs_SaveSink *sink) {
  return ecs_held_save(world, writer->snapshot, writer->text,
                       writer->text_bytes, writer->packed, sink);
}

static ecs_Status write_dump(const SaveWriter *writer, ecs_World *world,
                             const ecs_SaveSink *sink) {
  (void)writer;
  return ecs_world_dump(world, sink);
}

static ecs_Status write_diff(const SaveWriter *writer, ecs_World *world,
                             const ecs_SaveSink *sink) {
  return ecs_save_diff(world, writer->text, writer->text_bytes, writer->other,
                       writer->other_bytes, sink);
}

static ecs_Status write_patched(const SaveWriter *writer, ecs_World *world,
                                const ecs_SaveSink *sink) {
  return ecs_save_patch(world, writer->text, writer->text_bytes, writer->other,
                        writer->other_bytes, sink, writer->problem);
}

/* Writes it: the first time to count its bytes. What a collection changes
 * between the two makes it begin anew. */
static ecs_Status write_to_room(lua_State *L, const LuaWorld *world,
                                const SaveWriter *writer, SaveRoom *room) {
  ecs_SaveSink sink = {count_bytes, room};
  ecs_Status status = ECS_E_FILE;
  for (int turn = 0; turn < 4 && status == ECS_E_FILE; turn++) {
    *room = (SaveRoom){NULL, 0, 0};
    status = writer->write(writer, bind_native(L, world), &sink);
    if (status != ECS_OK) return status;
    room->capacity = room->count;
    room->bytes = (char *)lua_newuserdata(L, room->capacity + 1);
    room->count = 0;
    status = writer->write(writer, bind_native(L, world), &sink);
  }
  return status;
}

/* Returns nil and why a save was not written. */
static int refuse_save(lua_State *L, const LuaWorld *world, ecs_Status status,
                       const char *call) {
  if (status == ECS_E_VALUE) {
    lua_pushfstring(L, "ecs: %s: values of the world changed meanwhile", call);
    return bind_fail(L);
  }
  return bind_state_refuse(L, world, status, call);
}

int bind_push_written(lua_State *L, const LuaWorld *world,
                      const SaveWriter *writer, const char *call) {
  SaveRoom room;
  ecs_Status status = write_to_room(L, world, writer, &room);
  if (status != ECS_OK) return refuse_save(L, world, status, call);
  lua_pushlstring(L, room.bytes, room.count);
  return 1;
}

/* save_bytes(world, text, values): a save as a string, or nil and why. values: of
 * held_values. */
static int save_bytes(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  size_t text_bytes;
  const char *text = luaL_checklstring(L, 2, &text_bytes);
  bind_state_check_idle(L, world, "save");
  HeldPacked packed;
  SaveWriter writer = {
      .write = write_save, .text = text, .text_bytes = text_bytes};
  writer.packed = bind_packed_read(L, 3, &packed);
  return bind_push_written(L, world, &writer, "save");
}

/* dump_text(world): the state as text, or nil and why. */
static int dump_text(lua_State *L) {
  SaveWriter writer = {.write = write_dump};
  return bind_push_written(L, bind_world_check(L, 1), &writer, "dump");
}

/* snapshot_bytes(world, text, values, snapshot): as save_bytes, of a snapshot of
 * it. */
static int snapshot_bytes(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  SaveWriter writer = {.write = write_save};
  HeldPacked packed;
  writer.text = luaL_checklstring(L, 2, &writer.text_bytes);
  writer.packed = bind_packed_read(L, 3, &packed);
  writer.snapshot = bind_snapshot_check(L, 4);
  bind_state_check_idle(L, world, "diff");
  return bind_push_written(L, world, &writer, "diff");
}

/* save_diff(world, from, to): what makes one save of another, as a string. */
static int save_diff(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  SaveWriter writer = {.write = write_diff};
  writer.text = luaL_checklstring(L, 2, &writer.text_bytes);
  writer.other = luaL_checklstring(L, 3, &writer.other_bytes);
  return bind_push_written(L, world, &writer, "diff");
}

/* save_patch(world, from, diff): the other save, or nil and why. */
static int save_patch(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  const char *problem = NULL;
  SaveWriter writer = {.write = write_patched, .problem = &problem};
  writer.text = luaL_checklstring(L, 2, &writer.text_bytes);
  writer.other = luaL_checklstring(L, 3, &writer.other_bytes);
  SaveRoom room;
  ecs_Status status = write_to_room(L, world, &writer, &room);
  if (status == ECS_E_FILE) {
    lua_pushfstring(L, "the diff does not fit: %s",
                    problem ? problem : "it is damaged");
    return bind_fail(L);
  }
  if (status != ECS_OK) return bind_state_refuse(L, world, status, "apply");
  lua_pushlstring(L, room.bytes, room.count);
  return 1;
}

static bool write_bytes(void *user, const void *bytes, size_t count) {
  return save_file_write(user, bytes, count);
}

/* save_file(world, text, values, path): true; or nil and why, then false where
 * the file is what could not be written. */
static int save_file(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  size_t text_bytes;
  const char *text = luaL_checklstring(L, 2, &text_bytes);
  luaL_checktype(L, 4, LUA_TSTRING); /* a number is no path */
  const char *path = lua_tostring(L, 4);
  HeldPacked values;
  const HeldPacked *packed = bind_packed_read(L, 3, &values);
  bind_state_check_idle(L, world, "save");
  SaveFile *file = (SaveFile *)lua_newuserdata(L, sizeof *file);
  ecs_SaveSink sink = {write_bytes, file};
  ecs_World *native = bind_native(L, world);
  ecs_Status status = ECS_E_FILE;
  bool done = false;
  if (save_file_open(file, path)) {
    status = ecs_held_save(native, NULL, text, text_bytes, packed, &sink);
    done = save_file_close(file, status == ECS_OK);
  }
  if (done) {
    lua_pushboolean(L, true);
    return 1;
  }
  if (status != ECS_OK && status != ECS_E_FILE)
    return refuse_save(L, world, status, "save");
  lua_pushnil(L);
  lua_pushfstring(L, "%s: %s", path, strerror(file->error));
  lua_pushboolean(L, false);
  return 3;
}

/* Loading ----------------------------------------------------------------- */

#define PROBLEM_BYTES 512u

void bind_push_texts(lua_State *L, ecs_Saved *saved) {
  size_t manifest_bytes, text_bytes;
  const char *manifest = ecs_saved_manifest(saved, &manifest_bytes);
  const char *text = ecs_saved_text(saved, &text_bytes);
  ecs_saved_close(saved); /* pushing may raise */
  lua_pushlstring(L, manifest, manifest_bytes);
  lua_pushlstring(L, text, text_bytes);
}

/* saved_texts(world, bytes): the manifest and the text of a save, or nil and
 * why. */
static int saved_texts(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  size_t count;
  const char *bytes = luaL_checklstring(L, 2, &count);
  ecs_Saved *saved = NULL;
  int refused = bind_open_save(L, world, bytes, count, &saved);
  if (refused != 0) return refused;
  bind_push_texts(L, saved);
  return 2;
}

/* Values made anew -------------------------------------------------------- */

/* A component of a save. Its columns lie in the string of the save. */
typedef struct OldRows {
  uint64_t rows;
  uint32_t field_count;
  ecs_Field fields[ECS_FIELD_LIMIT];
  const char *columns[ECS_FIELD_LIMIT];
  const uint32_t *numbers; /* of its values of fields of type string and any */
  uint32_t number_count;
  char names[ECS_FIELD_LIMIT][256];
} OldRows;

/* Finds a component of a save. False: the save has none of this name. */
static bool find_old_rows(const ecs_Saved *saved, const char *name,
                          OldRows *old) {
  ecs_ComponentDescription how = {0};
  uint32_t count = ecs_saved_component_count(saved), number = 0;
  while (number < count &&
         (ecs_saved_component(saved, number, &how) != ECS_OK ||
          strcmp(how.name, name) != 0))
    number++;
  if (number == count) return false;
  old->rows = 0;
  old->field_count = how.field_count;
  for (uint32_t f = 0; f < how.field_count; f++) {
    old->columns[f] =
        (const char *)ecs_saved_column(saved, number, f, &old->rows);
    snprintf(old->names[f], sizeof old->names[f], "%s", how.fields[f].name);
    old->fields[f] = (ecs_Field){old->names[f], how.fields[f].type, 0};
  }
  return true;
}

/* Pushes a field of a row. False: its value is none, and nothing is pushed. */
static bool push_old_field(lua_State *L, const OldRows *old, uint32_t field,
                           uint64_t row) {
  ecs_Scalar type = old->fields[field].type;
  uint32_t bytes = ecs_scalar_bytes(type);
  uint64_t element = 0;
  memcpy(&element, old->columns[field] + row * bytes, bytes);
  if (scalar_is_held(type)) {
    uint32_t index;
    memcpy(&index, &element, sizeof index);
    bool is_one = index >= 1 && index <= old->number_count;
    bind_held_push(L, type, is_one ? old->numbers[index - 1] : 0);
    return true;
  }
  if (ecs_scalar_canonicalize_many(type, &element, 1) > 0) return false;
  bind_push_element(L, type, &element);
  return true;
}

/* Pushes the fields of a row as a table, arrays as tables in it. False: a value is
 * none. */
static bool push_old_row(lua_State *L, const OldRows *old, uint64_t row) {
  lua_createtable(L, 0, (int)old->field_count);
  for (uint32_t f = 0; f < old->field_count;) {
    uint32_t number,
        count = bind_elements_count(old->fields, old->field_count, f);
    if (count == 0) {
      if (!push_old_field(L, old, f, row)) return false;
      lua_setfield(L, -2, old->names[f++]);
      continue;
    }
    lua_pushlstring(L, old->names[f],
                    bind_element_base(old->names[f], &number));
    lua_createtable(L, (int)count, 0);
    for (uint32_t k = 1; k <= count; k++, f++) {
      if (!push_old_field(L, old, f, row)) return false;
      lua_rawseti(L, -2, (int)k);
    }
    lua_rawset(L, -3);
  }
  return true;
}

/* Leaves nil and why. */
static int refuse_old_row(lua_State *L, const char *name, const char *why) {
  lua_pushfstring(L, "the save does not fit: %s: %s", name, why);
  return bind_fail(L);
}

/* Calls the function at index 4 with a row of a component of the save, and reads
 * the table that it returns into an image. Returns 0; or leaves nil and why, and
 * returns how many. */
static int make_image(lua_State *L, const Definition *definition,
                      const OldRows *old, uint64_t row, void *image) {
  int top = lua_gettop(L);
  lua_pushvalue(L, 4);
  if (!push_old_row(L, old, row))
    return refuse_old_row(L, definition->name, "a value in it is none");
  lua_call(L, 1, 2);
  if (lua_isnil(L, top + 1)) {
    const char *why = lua_tostring(L, top + 2);
    return refuse_old_row(L, definition->name,
                          why ? why : "migrate refused a value");
  }
  if (!lua_istable(L, top + 1))
    return bind_error(L,
                      "load: migrate.%s returns a table of fields, or nil "
                      "and why, not a %s",
                      definition->name, luaL_typename(L, top + 1));
  if (definition->image_bytes > 0)
    (void)bind_fields_read(L, top + 1, definition, image);
  lua_settop(L, top);
  return 0;
}

/* saved_images(world, bytes, component, function, numbers): images of the
 * component, one for each row that the save has, made by the function of the fields
 * that it had. A string; false: the save does not have it; or nil and why. The save
 * is not open while the function runs: it may do what it likes. numbers: of
 * saved_values; no value is let go while its pause lives. */
static int saved_images(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  size_t count;
  const char *bytes = luaL_checklstring(L, 2, &count);
  const Definition *definition = bind_definition_check(L, 3, "load");
  luaL_checktype(L, 4, LUA_TFUNCTION);
  lua_settop(L, 5);
  OldRows *old = (OldRows *)lua_newuserdata(L, sizeof *old);
  ecs_Saved *saved = NULL;
  int refused = bind_open_save(L, world, bytes, count, &saved);
  if (refused != 0) return refused;
  bool found = find_old_rows(saved, definition->name, old);
  old->numbers = bind_numbers_read(L, 5, &old->number_count);
  ecs_saved_close(saved);
  if (!found) {
    lua_pushboolean(L, false);
    return 1;
  }
  size_t size = (size_t)old->rows * definition->image_bytes;
  char *images = (char *)lua_newuserdata(L, size + 1);
  for (uint64_t row = 0; row < old->rows; row++) {
    refused = make_image(L, definition, old, row,
                         images + row * definition->image_bytes);
    if (refused != 0) return refused;
  }
  lua_pushlstring(L, images, size);
  return 1;
}

#define MOST_MET 65536u
#define TOLD_BYTES 65536u

/* Does the table at index 4 have images of a component? Of keys and values that
 * are strings nothing is made, so this cannot raise. */
static bool has_images(void *user, const char *name) {
  LoadCall *call = user;
  lua_State *L = call->L;
  bool found = false;
  for (lua_pushnil(L); !found && lua_next(L, 4); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING ||
        strcmp(lua_tostring(L, -2), name) != 0)
      continue;
    call->images = lua_tolstring(L, -1, &call->images_bytes);
    found = true;
    lua_pop(L, 1); /* the loop pops the other */
  }
  return found;
}

static bool give_image(void *user, const ecs_SavedRow *row, void *image) {
  const LoadCall *call = user;
  size_t at = (size_t)row->row * row->image_bytes;
  if (at > call->images_bytes || call->images_bytes - at < row->image_bytes)
    return false;
  memcpy(image, call->images + at, row->image_bytes);
  return true;
}

static const char met_prefix[] = "ecs.Met ";

const char *bind_rename_met(void *user, const char *name) {
  LoadCall *call = user;
  size_t prefix = sizeof met_prefix - 1;
  if (strncmp(name, met_prefix, prefix) != 0) return name;
  unsigned long number = strtoul(name + prefix, NULL, 10);
  if (number >= call->met_count || call->met[number] == 0) return NULL;
  snprintf(call->name, sizeof call->name, "%s%u", met_prefix,
           call->met[number]);
  return call->name;
}

void bind_note_told(void *user, const char *sentence) {
  LoadCall *call = user;
  size_t bytes = strlen(sentence) + 1;
  if (bytes > TOLD_BYTES - call->told_bytes) return;
  memcpy(call->told + call->told_bytes, sentence, bytes);
  call->told_bytes += bytes;
}

void bind_load_begin(lua_State *L, LoadCall *call) {
  luaL_checktype(L, 3, LUA_TTABLE);
  size_t count = lua_rawlen(L, 3) + 1;
  *call = (LoadCall){0};
  call->met_count = count < MOST_MET ? (uint32_t)count : MOST_MET;
  call->met =
      (uint32_t *)lua_newuserdata(L, call->met_count * sizeof(uint32_t));
  call->met[0] = 0;
  for (uint32_t k = 1; k < call->met_count; k++) {
    lua_rawgeti(L, 3, (int)k);
    double number = (double)lua_tonumber(L, -1);
    call->met[k] = number >= 1 && number < MOST_MET ? (uint32_t)number : 0;
    lua_pop(L, 1);
  }
  call->L = L;
  call->told = (char *)lua_newuserdata(L, TOLD_BYTES);
}

void bind_push_told(lua_State *L, const LoadCall *call) {
  int count = 0;
  lua_newtable(L);
  for (size_t at = 0; at < call->told_bytes;
       at += strlen(call->told + at) + 1) {
    lua_pushstring(L, call->told + at);
    lua_rawseti(L, -2, ++count);
  }
}

/* load_save(world, bytes, met, images, numbers, differ): puts the state of a save
 * in place of the world's. images: by name, what saved_images made; numbers and
 * differ: of saved_values. A list of sentences, or nil and why. */
static int load_save(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  size_t count;
  const char *bytes = luaL_checklstring(L, 2, &count);
  char problem[PROBLEM_BYTES] = "";
  LoadCall call;
  bind_state_check_idle(L, world, "load");
  luaL_checktype(L, 4, LUA_TTABLE);
  luaL_checkstack(L, 8, "load");
  uint32_t number_count;
  const uint32_t *numbers = bind_numbers_read(L, 5, &number_count);
  bool differ = lua_toboolean(L, 6) != 0;
  bind_load_begin(L, &call);
  bind_components_ensure(L, world, 1);
  ecs_LoadListener listener = {bind_rename_met, bind_note_told, &call,
                               has_images, give_image};
  ecs_Saved *saved = NULL;
  int refused = bind_open_save(L, world, bytes, count, &saved);
  if (refused != 0) return refused;
  ecs_saved_hold(saved, numbers, number_count, differ);
  ecs_Status status = ecs_saved_load(saved, &listener, problem, sizeof problem);
  ecs_saved_close(saved);
  if (status == ECS_E_FILE) {
    lua_pushfstring(L, "the save does not fit: %s", problem);
    return bind_fail(L);
  }
  if (status != ECS_OK) return bind_state_refuse(L, world, status, "load");
  bind_world_charge(L, world);
  bind_push_told(L, &call);
  return 1;
}

/* Numbers ----------------------------------------------------------------- */

/* number_text(number): the bits of a number as sixteen hexadecimal digits; those
 * of every NaN are the same. */
static int number_text(lua_State *L) {
  double number = (double)luaL_checknumber(L, 1);
  if (number != number) number = (double)NAN;
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  char text[24];
  snprintf(text, sizeof text, "%016llx", (unsigned long long)bits);
  lua_pushstring(L, text);
  return 1;
}

/* text_number(text): the number of such a text; nil: it is none. */
static int text_number(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  if (length != 16 || strspn(text, "0123456789abcdef") != 16) return 0;
  uint64_t bits = strtoull(text, NULL, 16);
  double number;
  memcpy(&number, &bits, sizeof number);
  /* LuaJIT takes some NaNs for what is no number. */
  lua_pushnumber(L, number == number ? number : (double)NAN);
  return 1;
}

void bind_open_lua_save(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"save_bytes", save_bytes},   {"snapshot_bytes", snapshot_bytes},
      {"save_diff", save_diff},     {"save_patch", save_patch},
      {"dump_text", dump_text},     {"save_file", save_file},
      {"saved_texts", saved_texts}, {"saved_images", saved_images},
      {"load_save", load_save},     {"number_text", number_text},
      {"text_number", text_number}, {NULL, NULL}};
  bind_add(L, functions);
}

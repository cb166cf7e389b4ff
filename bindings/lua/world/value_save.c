/* value_save.c: values of fields of type string and any, to saves and back. */
#include "world/value_save.h"

#include <string.h>

#include "object/held.h"
#include "object/number.h"
#include "object/message_pack.h"
#include "world/collect.h"
#include "world/held_sweep.h"
#include "world/lua_snapshot.h"

/* Opening ----------------------------------------------------------------- */

#define PROBLEM_BYTES 512u

int bind_open_save(lua_State *L, const LuaWorld *world, const char *bytes,
                   size_t count, ecs_Saved **saved) {
  char problem[PROBLEM_BYTES] = "";
  ecs_Status status = ecs_saved_open(bind_native(L, world), bytes, count, saved,
                                     problem, sizeof problem);
  if (status == ECS_OK) return 0;
  if (status != ECS_E_FILE) return bind_state_refuse(L, world, status, "load");
  lua_pushfstring(L, "the save is damaged: %s", problem);
  return bind_fail(L);
}

/* What is passed on ------------------------------------------------------- */

/* held_values gives a table of these. */
enum { BYTES = 1, NUMBERS, CONTENTS, PAUSE };

/* A userdata of elements; NULL: it is none. */
static const void *elements_at(lua_State *L, int index, size_t size,
                               uint32_t *count) {
  *count = 0;
  if (lua_type(L, index) != LUA_TUSERDATA) return NULL;
  *count = (uint32_t)(lua_rawlen(L, index) / size);
  return lua_touserdata(L, index);
}

const uint32_t *bind_numbers_read(lua_State *L, int index, uint32_t *count) {
  return (const uint32_t *)elements_at(L, index, sizeof(uint32_t), count);
}

const HeldPacked *bind_packed_read(lua_State *L, int index,
                                   HeldPacked *packed) {
  uint32_t contents = 0;
  if (lua_isnoneornil(L, index)) return NULL;
  luaL_checktype(L, index, LUA_TTABLE);
  luaL_checkstack(L, 8, "values of a save");
  for (int k = BYTES; k <= PAUSE; k++) lua_rawgeti(L, index, k);
  int top = lua_gettop(L);
  packed->bytes = luaL_checklstring(L, top - 3, &packed->count);
  packed->numbers = bind_numbers_read(L, top - 2, &packed->number_count);
  packed->contents =
      (const uint64_t *)elements_at(L, top - 1, sizeof(uint64_t), &contents);
  if (packed->contents && contents != packed->number_count)
    packed->contents = NULL;
  return packed;
}

/* Packing ----------------------------------------------------------------- */

/* The stack of held_values; of others, ENCODE and CALL are there. */
enum { WORLD = 1, SNAPSHOT, ENCODE, CALL, USES = 6, ROOM = 9, SCRATCH };

typedef struct Packing {
  const LuaWorld *world;
  ListUses *list;
  const void *of; /* what it gets; borrowed */
  const HeldUse *uses;
  uint32_t count;
  uint32_t *numbers;
  uint64_t *contents;
  bool is_other; /* an encoder made something */
  PackRoom room, scratch;
} Packing;

/* Pushes "Sprite.image". */
static void push_field(lua_State *L, const Packing *packing,
                       const HeldUse *use) {
  (void)bind_native(L, packing->world); /* it may be closed by now */
  lua_pushfstring(L, "%s.%s", use->component_name, use->field_name);
}

/* Pushes nil and a sentence. */
static int refuse_value(lua_State *L, const Packing *packing,
                        const HeldUse *use, const char *format,
                        const char *why) {
  const char *name = ecs_name(bind_native(L, packing->world), use->entity);
  lua_pushfstring(L, name ? " '%s'" : "", name);
  push_field(L, packing, use);
  bind_push_entity_text(L, (double)use->entity);
  int top = lua_gettop(L);
  lua_pushfstring(L, format, lua_tostring(L, CALL), lua_tostring(L, top - 1),
                  lua_tostring(L, top), lua_tostring(L, top - 2), why);
  return bind_fail(L);
}

/* Calls the encoder with the value on top of the stack, and packs what it returns
 * instead, as what was made. Returns 0, or how many values say why not. */
static int encode(lua_State *L, Packing *packing, uint32_t k) {
  const HeldUse *use = &packing->uses[k];
  lua_pushvalue(L, ENCODE);
  lua_insert(L, -2);
  bind_push_entity(L, use->entity);
  push_field(L, packing, use);
  lua_call(L, 3, 1);
  packing->scratch.count = 0;
  Packed head = {.kind = PACKED_NIL};
  char bytes[PACKED_HEAD];
  const char *why = NULL;
  if (lua_isnil(L, -1))
    bind_pack_bytes(L, &packing->scratch, bytes, ecs_packed_head(&head, bytes));
  else
    why = bind_pack(L, &packing->scratch, lua_gettop(L));
  if (why)
    return refuse_value(L, packing, use,
                        "ecs: %s: what encode.any returned for %s of %s%s %s, "
                        "which is no plain data",
                        why);
  packing->contents[k] = bind_held_content(L, -1);
  packing->is_other = true;
  head =
      (Packed){.kind = PACKED_MADE, .count = (uint32_t)packing->scratch.count};
  bind_pack_bytes(L, &packing->room, bytes, ecs_packed_head(&head, bytes));
  return 0;
}

/* What is said of a value that cannot be packed, where nothing encodes it. */
static const char *plain_sentence(lua_State *L) {
  const char *call = lua_tostring(L, CALL);
  if (strcmp(call, "save") == 0)
    return "ecs: %s: %s of %s%s %s: only plain data is saved, or what the "
           "option encode makes of a value";
  return strcmp(call, "pack") == 0
             ? "ecs: %s: %s of %s%s %s: only plain data is packed"
             : "ecs: %s: %s of %s%s %s: diff and apply take plain data alone";
}

/* Packs the value of a use. Returns 0, or how many values say why not. */
static int pack_use(lua_State *L, Packing *packing, uint32_t k) {
  const HeldUse *use = &packing->uses[k];
  int refused = 0;
  packing->scratch.count = 0;
  packing->numbers[k] = use->number;
  packing->contents[k] =
      held_content(&bind_state(L)->held, packing->numbers[k]);
  bind_held_push(L, ECS_ANY_VALUE, use->number);
  if (lua_isnil(L, -1)) { /* cannot be: a pause lives */
    lua_pushliteral(L, "ecs: values of the world changed meanwhile");
    return bind_fail(L);
  }
  const char *why = bind_pack(L, &packing->scratch, lua_gettop(L));
  if (why && lua_isnil(L, ENCODE))
    refused = refuse_value(L, packing, use, plain_sentence(L), why);
  else if (why)
    refused = encode(L, packing, k);
  if (refused) return refused;
  bind_pack_bytes(L, &packing->room, packing->scratch.bytes,
                  packing->scratch.count);
  lua_settop(L, SCRATCH);
  return 0;
}

/* Lists the uses in a userdata at USES, where numbers and contents come next.
 * Returns 0, or how many values say why not. */
static int list_uses(lua_State *L, Packing *packing) {
  uint32_t count = 0, found = 0;
  ecs_Status status = ECS_OK;
  if (bind_state(L)->held.count > 0)
    BIND_WITH_RELIEF(L, packing->world, status,
                     packing->list(L, packing->of, NULL, 0, &count));
  HeldUse *uses = (HeldUse *)lua_newuserdata(L, count * sizeof *uses);
  packing->uses = uses;
  packing->numbers =
      (uint32_t *)lua_newuserdata(L, count * sizeof *packing->numbers);
  packing->contents =
      (uint64_t *)lua_newuserdata(L, count * sizeof *packing->contents);
  if (status == ECS_OK && count > 0)
    status = packing->list(L, packing->of, uses, count, &found);
  if (status != ECS_OK)
    return bind_state_refuse(L, packing->world, status, lua_tostring(L, CALL));
  /* Others may have come meanwhile: then the save is refused. */
  packing->count = found < count ? found : count;
  return 0;
}

/* The memory limit of the world, or of its Lua state if that is less; 0: none. */
static uint64_t memory_limit(lua_State *L, const LuaWorld *world) {
  ecs_Statistics now;
  uint64_t state = bind_state(L)->budget.limit_bytes;
  ecs_world_statistics(bind_native(L, world), &now);
  bool is_less =
      state != 0 && (now.limit_bytes == 0 || state < now.limit_bytes);
  return is_less ? state : now.limit_bytes;
}

int bind_held_values(lua_State *L, const LuaWorld *world, ListUses *list,
                     const void *of) {
  Packing packing = {.world = world, .list = list, .of = of};
  luaL_checkstack(L, 32, "values of a save");
  ECS_ASSERT(lua_gettop(L) == CALL);
  bind_held_relieve(L, bind_state(L));
  bind_held_pause(L);
  int refused = list_uses(L, &packing);
  if (refused) return refused;
  bind_pack_room(L, &packing.room, 0);
  bind_pack_room(L, &packing.scratch, memory_limit(L, packing.world));
  ECS_ASSERT(lua_gettop(L) == SCRATCH);
  for (uint32_t k = 0; k < packing.count; k++) {
    refused = pack_use(L, &packing, k);
    if (refused) return refused;
  }
  lua_createtable(L, PAUSE, 0);
  lua_pushlstring(L, packing.room.bytes, packing.room.count);
  lua_rawseti(L, -2, BYTES);
  lua_pushvalue(L, USES + 1);
  lua_rawseti(L, -2, NUMBERS);
  if (packing.is_other)
    lua_pushvalue(L, USES + 2);
  else
    lua_pushboolean(L, 0);
  lua_rawseti(L, -2, CONTENTS);
  lua_pushvalue(L, CALL + 1);
  lua_rawseti(L, -2, PAUSE);
  return 1;
}

/* Of which state the values are. */
typedef struct StateOf {
  const LuaWorld *world;
  ecs_Snapshot *snapshot; /* NULL: that of the world now */
} StateOf;

static ecs_Status list_state(lua_State *L, const void *of, HeldUse *uses,
                             uint32_t most, uint32_t *count) {
  const StateOf *state = (const StateOf *)of;
  return ecs_held_uses(bind_native(L, state->world), state->snapshot, uses,
                       most, count);
}

/* held_values(world, snapshot, encode, call): what the fields of type string and
 * any of the world, or of a snapshot of it, have in a save, for save_bytes and the
 * others; or nil and why. encode makes plain data of what is none, call is named in
 * messages; the first two may be nil. */
static int held_values(lua_State *L) {
  StateOf state = {bind_world_check(L, WORLD), NULL};
  lua_settop(L, CALL);
  luaL_checktype(L, CALL, LUA_TSTRING);
  if (!lua_isnil(L, SNAPSHOT))
    state.snapshot = bind_snapshot_check(L, SNAPSHOT);
  if (!lua_isnil(L, ENCODE)) luaL_checktype(L, ENCODE, LUA_TFUNCTION);
  bind_state_check_idle(L, state.world, lua_tostring(L, CALL));
  return bind_held_values(L, state.world, list_state, &state);
}

/* Unpacking --------------------------------------------------------------- */

/* Where the values of a save lie in its bytes. */
typedef struct SavedSpan {
  const char *at, *end;
  uint32_t count;
} SavedSpan;

/* Takes the next value, which decode at index 3 may turn into another, and pushes
 * it. False: this Lua has no such number. */
static bool take_value(lua_State *L, SavedSpan *span, bool *differ) {
  const char *next = span->at;
  Packed head;
  (void)ecs_packed_next(&next, span->end, &head);
  if (!bind_unpack(L, &span->at, span->end)) return false;
  if (head.kind != PACKED_MADE || lua_isnil(L, 3)) return true;
  *differ = true;
  lua_pushvalue(L, 3);
  lua_insert(L, -2);
  lua_call(L, 1, 1);
  return true;
}

int bind_saved_values(lua_State *L, ecs_Saved *saved, const char *call) {
  SavedSpan span = {0};
  bool differ = false;
  const SavedValue *values = ecs_saved_values(saved, &span.count);
  if (span.count > 0) {
    const SavedValue *last = &values[span.count - 1];
    span.at = values->bytes;
    span.end = last->bytes + last->count;
  }
  ecs_saved_close(saved);
  bind_held_relieve(L, bind_state(L));
  bind_held_pause(L);
  int top = lua_gettop(L);
  uint32_t *numbers =
      (uint32_t *)lua_newuserdata(L, span.count * sizeof *numbers);
  for (uint32_t k = 0; k < span.count; k++) {
    if (!take_value(L, &span, &differ)) {
      lua_pushfstring(
          L, "%s: it has an integer that no number of this Lua equals", call);
      return bind_fail(L);
    }
    numbers[k] = bind_held_number(L, lua_gettop(L));
    lua_settop(L, top + 1);
  }
  lua_pushboolean(L, differ);
  lua_pushvalue(L, top);
  return 3;
}

/* saved_values(world, bytes, decode): numbers for the values of a save, for
 * load_save; whether decode made some of them, and a pause. Or nil and why. decode
 * may be nil. */
static int saved_values(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  size_t count;
  const char *bytes = luaL_checklstring(L, 2, &count);
  lua_settop(L, 3);
  if (!lua_isnil(L, 3)) luaL_checktype(L, 3, LUA_TFUNCTION);
  ecs_Saved *saved = NULL;
  int refused = bind_open_save(L, world, bytes, count, &saved);
  return refused ? refused
                 : bind_saved_values(L, saved, "the save does not fit");
}

/* held_resume(what): what held_values gave, or the pause of saved_values, has been
 * used. */
static int held_resume(lua_State *L) {
  lua_settop(L, 1);
  if (lua_istable(L, 1)) lua_rawgeti(L, 1, PAUSE);
  luaL_checktype(L, -1, LUA_TUSERDATA);
  bind_held_resume(L, lua_gettop(L));
  return 0;
}

void bind_open_value_save(lua_State *L) {
  static const luaL_Reg functions[] = {{"held_values", held_values},
                                       {"saved_values", saved_values},
                                       {"held_resume", held_resume},
                                       {NULL, NULL}};
  bind_add(L, functions);
}

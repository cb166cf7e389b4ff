/* observer_calls.c: calls the functions that are told of changes. */
#include "query/observer_calls.h"

#include <string.h>

#include "object/number.h"
#include "world/components.h"
#include "world/recording.h"
#include "world/report.h"

/* After so many rounds observers are taken for a circle. */
#define ROUNDS 64

/* Different observers of one round that a message names. */
#define ROUND_NAMES 4

typedef struct RoundNames {
  ecs_Observer ids[ROUND_NAMES]; /* in the order of their first calls */
  uint32_t count;
} RoundNames;

/* A round while it runs. */
typedef struct Round {
  LuaWorld *world;
  RoundNames *names;
  RowLoop *shown;          /* NULL: no row is */
  bool calling;            /* the recording of one call is open */
  ecs_Observer last_batch; /* of the observers for which something was
                              collected, the last one; 0: none */
} Round;

/* The tables of observers -------------------------------------------------- */

void bind_observers_push(lua_State *L, LuaWorld *world) {
  bind_push_shared(L);
  lua_getfield(L, -1, "observed");
  lua_replace(L, -2);
  if (!lua_istable(L, -1)) return;
  lua_pushlightuserdata(L, world);
  lua_rawget(L, -2);
  lua_replace(L, -2);
}

/* Messages ----------------------------------------------------------------- */

/* Pushes the name of an observer of the table at index. */
static void push_name(lua_State *L, int index, ecs_Observer id) {
  lua_rawgeti(L, index, (int)id);
  if (!bind_find(L, -1, KIND_OBSERVER)) {
    lua_pop(L, 1);
    lua_pushliteral(L, "one that is off");
    return;
  }
  compat_push_private(L, -1);
  lua_rawgeti(L, -1, OBSERVER_NAME);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

static bool same_names(const RoundNames *one, const RoundNames *other) {
  return one->count == other->count &&
         memcmp(one->ids, other->ids, one->count * sizeof *one->ids) == 0;
}

/* After how many rounds do the last ones repeat? */
static int find_period(const RoundNames *names) {
  int last = ROUNDS - 1, period = 1;
  while (period < last && !same_names(&names[last], &names[last - period]))
    period++;
  return period;
}

static void push_circle(lua_State *L, LuaWorld *world,
                        const RoundNames *names) {
  int period = find_period(names), parts = 0;
  bind_observers_push(L, world);
  int table = lua_gettop(L);
  lua_pushfstring(L,
                  "ecs: observers go on and on, %d calls deep, which is a "
                  "circle: ",
                  ROUNDS);
  for (int r = ROUNDS - 1 - period; r < ROUNDS; r++)
    for (uint32_t k = 0; k < names[r].count; k++) {
      const char *before = k > 0 ? " and " : parts > 0 ? " -> " : "";
      lua_pushstring(L, before);
      push_name(L, table, names[r].ids[k]);
      lua_concat(L, 3);
      parts++;
    }
  lua_replace(L, table);
}

/* Rows --------------------------------------------------------------------- */

/* Points the row loop at the images of what has left, and pushes its views.
 * Returns how many. */
static int show_gone(lua_State *L, LuaObserver *observer, int private,
                     const ecs_Notice *notice) {
  RowLoop *rows = observer->rows;
  uint32_t terms = rows->term_count;
  ECS_ASSERT(notice->image_count == terms);
  for (uint32_t t = 0; t < terms; t++) {
    const RowTerm *term = &rows->terms[t];
    const char *image = (const char *)notice->images[t];
    for (uint32_t f = 0; f < term->definition->field_count; f++)
      rows->elements[term->first + f] =
          image ? (void *)(uintptr_t)(image + term->definition->offsets[f])
                : NULL;
  }
  rows->entities = &observer->entity;
  rows->count = 1;
  rows->row = 0;
  lua_rawgeti(L, private, OBSERVER_ROWS);
  compat_push_private(L, -1);
  int views = lua_gettop(L);
  for (uint32_t t = 0; t < terms; t++) bind_rows_push(L, rows, views, t);
  lua_remove(L, views);
  lua_remove(L, views - 1);
  return (int)terms;
}

/* Locates the entity, also where its destruction is recorded. */
static bool locate(LuaObserver *observer) {
  RowLoop *rows = observer->rows;
  if (!bind_query_is_live(rows->query) ||
      ecs_query_locate(rows->query->native, observer->entity, rows->elements,
                       &rows->flags) != ECS_OK)
    return false;
  rows->entities = &observer->entity;
  rows->ids[0] = (double)observer->entity;
  rows->count = rows->at = 1;
  rows->row = 0;
  rows->located = 1;
  rows->stamp = *rows->world->row_epoch;
  return true;
}

/* Points the row loop at the entity, and pushes its views. Returns how many; 0:
 * the entity is not there any more. */
static int show_live(lua_State *L, LuaObserver *observer, int private) {
  RowLoop *rows = observer->rows;
  if (!locate(observer)) return 0;
  lua_rawgeti(L, private, OBSERVER_ROWS);
  compat_push_private(L, -1);
  int views = lua_gettop(L);
  if (rows->accelerated) {
    rows->row = -1; /* the runner steps to it */
    lua_rawgeti(L, views, ROWS_RUNNER);
    lua_call(L, 0, LUA_MULTRET);
    lua_remove(L, views + 1); /* the entity */
  } else {
    for (uint32_t t = 0; t < rows->term_count; t++)
      bind_rows_push(L, rows, views, t);
  }
  lua_remove(L, views);
  lua_remove(L, views - 1);
  return lua_gettop(L) - views + 2;
}

/* A round ------------------------------------------------------------------ */

/* Calls the observer at index. */
static void call(lua_State *L, Round *round, int index, LuaObserver *observer,
                 const ecs_Notice *notice) {
  luaL_checkstack(L, 2 * (int)ROWS_LIMIT + 16, NULL);
  compat_push_private(L, index);
  int private = lua_gettop(L), views = 0;
  lua_rawgeti(L, private, OBSERVER_FUNCTION);
  bind_push_entity(L, notice->entity);
  observer->entity = notice->entity;
  round->shown = observer->rows;
  if (observer->rows)
    views = observer->leaves ? show_gone(L, observer, private, notice)
                             : show_live(L, observer, private);
  lua_call(L, 1 + views, 0);
  if (round->shown) bind_rows_over(round->shown);
  round->shown = NULL;
}

static void note_name(RoundNames *names, ecs_Observer id) {
  for (uint32_t k = 0; k < names->count; k++)
    if (names->ids[k] == id) return;
  if (names->count < ROUND_NAMES) names->ids[names->count++] = id;
}

/* Opens the recording of one call. */
static void begin_call(lua_State *L, Round *round,
                       const LuaObserver *observer) {
  ecs_Status status = ecs_defer_begin(bind_native(L, round->world));
  bind_check_status(L, round->world, status, "an observer");
  round->calling = true;
  note_name(round->names, observer->id);
}

static void end_call(lua_State *L, Round *round) {
  round->calling = false;
  ecs_Status status = ecs_defer_end(bind_native(L, round->world));
  bind_check_status(L, round->world, status, "an observer");
}

/* Gives out one notice, with a recording of its own. */
static void give(lua_State *L, Round *round, int index, LuaObserver *observer,
                 const ecs_Notice *notice) {
  begin_call(L, round, observer);
  call(L, round, index, observer, notice);
  end_call(L, round);
}

/* Batches ------------------------------------------------------------------ */

/* Copies an image to a row of its columns. */
static void store_row(const BatchBuffer *buffer, const BatchTerm *term,
                      uint32_t row, const char *image) {
  for (uint32_t f = 0; f < term->definition->field_count; f++) {
    size_t bytes = ecs_scalar_bytes(term->definition->fields[f].type);
    memcpy((char *)buffer->columns[term->first + f] + row * bytes,
           image + term->definition->offsets[f], bytes);
  }
}

/* Adds a notice to the next batch. */
static void collect(LuaObserver *observer, const ecs_Notice *notice) {
  BatchBuffer *buffer = observer->buffer;
  uint32_t row = buffer->count++;
  ECS_ASSERT(row < BATCH_ROWS);
  buffer->entities[row] = notice->entity;
  for (uint32_t t = 0; observer->leaves && t < buffer->term_count; t++)
    store_row(buffer, &buffer->terms[t], row,
              (const char *)notice->images[buffer->terms[t].image]);
}

/* Copies the values of what is there. */
static void read_values(const LuaObserver *observer) {
  const BatchBuffer *buffer = observer->buffer;
  const LuaWorld *world = observer->world;
  uint64_t image[ECS_FIELD_LIMIT];
  for (uint32_t t = 0; t < buffer->term_count; t++) {
    const BatchTerm *term = &buffer->terms[t];
    ecs_Component component = bind_component_find(world, term->definition);
    for (uint32_t row = 0; row < buffer->count; row++) {
      memset(image, 0, sizeof image);
      (void)ecs_get(world->native, buffer->entities[row], component, image);
      store_row(buffer, term, row, (const char *)image);
    }
  }
}

/* Calls the observer at index with its batch, of which the view is open
 * meanwhile. */
static void show_batch(lua_State *L, int index, LuaObserver *observer) {
  View *view = observer->view;
  luaL_checkstack(L, 32, NULL);
  compat_push_private(L, index);
  int private = lua_gettop(L);
  lua_rawgeti(L, private, OBSERVER_VIEW);
  int slots = lua_gettop(L) + 1;
  bind_view_push_slots(L, -1);
  lua_rawgeti(L, private, OBSERVER_FUNCTION);
  lua_pushvalue(L, slots);
  view->batch = (ecs_Batch){.count = observer->buffer->count,
                            .column_count = observer->buffer->column_count,
                            .entities = observer->buffer->entities,
                            .columns = observer->buffer->columns};
  bind_world_enter(&view->walk);
  view->showing = view->busy = true;
  int failed = lua_pcall(L, 1, 0, 0);
  Misuse misuse = bind_view_hide(L, view, slots, !failed);
  view->busy = false;
  bind_world_leave(&view->walk);
  observer->buffer->count = 0;
  if (!failed && misuse.row) bind_push_misuse(L, view, misuse);
  if (failed || misuse.row) lua_error(L);
}

/* Gives out what was collected for the observer at index, with a recording of
 * its own. */
static void give_batch(lua_State *L, Round *round, int index,
                       LuaObserver *observer) {
  if (observer->buffer->count == 0 || observer->id == 0) return;
  if (!observer->leaves) read_values(observer);
  begin_call(L, round, observer);
  show_batch(L, index, observer);
  end_call(L, round);
}

/* Gives out what was collected, in the order of registration. The table of
 * observers is at index 2. */
static void give_batches(lua_State *L, Round *round) {
  for (ecs_Observer id = 1; id <= round->last_batch; id++) {
    lua_settop(L, 2);
    lua_rawgeti(L, 2, (int)id);
    LuaObserver *observer = (LuaObserver *)bind_find(L, 3, KIND_OBSERVER);
    if (observer && observer->buffer) give_batch(L, round, 3, observer);
  }
}

/* Gives out or collects a notice for the observer at index 3. */
static void take(lua_State *L, Round *round, LuaObserver *observer,
                 const ecs_Notice *notice) {
  if (!observer->buffer) {
    give(L, round, 3, observer, notice);
    return;
  }
  if (round->last_batch < observer->id) round->last_batch = observer->id;
  collect(observer, notice);
  if (observer->buffer->count == BATCH_ROWS) give_batch(L, round, 3, observer);
}

/* run_round(round): gives out the notices of one round. */
static int run_round(lua_State *L) {
  Round *round = (Round *)lua_touserdata(L, 1);
  ecs_Notice notice;
  bind_observers_push(L, round->world);
  ecs_notices_begin(bind_native(L, round->world));
  while (round->world->native &&
         ecs_notice_next(round->world->native, &notice)) {
    lua_settop(L, 2);
    if (!lua_istable(L, 2)) continue;
    lua_rawgeti(L, 2, (int)notice.observer);
    LuaObserver *observer = (LuaObserver *)bind_find(L, 3, KIND_OBSERVER);
    if (observer && observer->id) take(L, round, observer, &notice);
  }
  if (lua_istable(L, 2)) give_batches(L, round);
  return 0;
}

/* Forgets what a round that has failed collected. Neither allocates nor raises.
 */
static void forget_batches(lua_State *L, const Round *round) {
  if (round->last_batch == 0) return;
  bind_observers_push(L, round->world);
  for (ecs_Observer id = 1; lua_istable(L, -1) && id <= round->last_batch;
       id++) {
    lua_rawgeti(L, -1, (int)id);
    LuaObserver *observer = (LuaObserver *)bind_find(L, -1, KIND_OBSERVER);
    if (observer && observer->buffer) observer->buffer->count = 0;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* Runs a round in its recording. An error's value stays on the stack. */
static Outcome run(lua_State *L, Round *round) {
  LuaWorld *world = round->world;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, run_round, 1);
  lua_pushlightuserdata(L, round);
  ecs_Status status = ecs_defer_begin(bind_native(L, world));
  bind_check_status(L, world, status, "an observer");
  world->deferrals++;
  world->telling = true;
  int failed = lua_pcall(L, 1, 0, 0);
  world->telling = false;
  if (round->shown) bind_rows_over(round->shown);
  if (failed) forget_batches(L, round);
  if (!world->native) {
    world->deferrals--;
    return failed ? OUTCOME_THROWN : OUTCOME_DONE;
  }
  if (round->calling) ecs_defer_discard(world->native);
  status = bind_end_deferral(L, world);
  if (world->native && (failed || status != ECS_OK))
    ecs_notices_drop(world->native);
  if (!failed && status != ECS_OK)
    bind_push_status(L, world, status, "an observer");
  bind_world_end_pending(world);
  if (failed) return OUTCOME_THROWN;
  return status == ECS_OK ? OUTCOME_DONE : OUTCOME_MISUSE;
}

/* Defines the components of all definitions, as before a walk. */
static void define_components(lua_State *L, LuaWorld *world) {
  if (world->known == world->state->definition_count) return;
  bind_observers_push(L, world);
  lua_rawgeti(L, -1, OBSERVED_WORLD);
  bind_components_ensure(L, world, -1);
  lua_pop(L, 2);
}

Outcome bind_observers_tell(lua_State *L, LuaWorld *world) {
  RoundNames names[ROUNDS];
  if (bind_world_open(world)) return OUTCOME_DONE;
  memset(names, 0, sizeof names);
  luaL_checkstack(L, 16, NULL);
  define_components(L, world);
  for (int k = 0; *world->noticed > 0; k++) {
    if (k == ROUNDS) {
      ecs_notices_drop(world->native);
      push_circle(L, world, names);
      return OUTCOME_MISUSE;
    }
    Round round = {.world = world, .names = &names[k]};
    Outcome outcome = run(L, &round);
    if (outcome != OUTCOME_DONE) return outcome;
  }
  return OUTCOME_DONE;
}

/* api_snapshot.c: the border for snapshots and saves of a world. */
#define ECS_DEFINES_API /* ecs.h */

#include "base/misuse.h"
#include "state/diff.h"
#include "state/dump.h"
#include "state/load.h"
#include "state/pack.h"
#include "state/restore.h"
#include "state/save.h"
#include "state/snapshot_save.h"
#include "state/unpack.h"

#define MUST_LIVE(snapshot) ECS_MUST_LIVE(SNAPSHOT, snapshot)

ecs_Status ecs_snapshot_create(ecs_World *world, ecs_Snapshot **snapshot) {
  ECS_MUST_LIVE(WORLD, world);
  if (snapshot == NULL) return ECS_E_ARGUMENT;
  *snapshot = NULL;
  ecs_Status status = snapshot_create(world, snapshot);
  if (status == ECS_OK) LIVING_ENTER(SNAPSHOT, *snapshot);
  return status;
}

void ecs_snapshot_destroy(ecs_Snapshot *snapshot) {
  if (snapshot == NULL) return;
  MUST_LIVE(snapshot);
  LIVING_LEAVE(SNAPSHOT, snapshot);
  snapshot_destroy(snapshot);
}

/* Is anything recorded, or on its way to an observer? */
static bool is_busy(const ecs_World *world) {
  return world->depth > 0 || world->observers.waiting > 0 ||
         world->observers.next < world->observers.round_end;
}

ecs_Status ecs_snapshot_take(ecs_Snapshot *snapshot) {
  MUST_LIVE(snapshot);
  return is_busy(snapshot->world) ? ECS_E_OPEN : snapshot_take(snapshot);
}

ecs_Status ecs_snapshot_restore(ecs_Snapshot *snapshot) {
  MUST_LIVE(snapshot);
  if (!snapshot->taken) return ECS_E_ABSENT;
  return is_busy(snapshot->world) ? ECS_E_OPEN : snapshot_restore(snapshot);
}

uint64_t ecs_snapshot_bytes(const ecs_Snapshot *snapshot) {
  MUST_LIVE(snapshot);
  return snapshot_bytes(snapshot);
}

/* Text -------------------------------------------------------------------- */

ecs_Status ecs_world_dump(ecs_World *world, const ecs_SaveSink *sink) {
  ECS_MUST_LIVE(WORLD, world);
  if (sink == NULL || sink->write == NULL) return ECS_E_ARGUMENT;
  return state_dump(world, *sink);
}

/* Saves ------------------------------------------------------------------- */

ecs_Status ecs_world_save(ecs_World *world, const char *text, size_t text_bytes,
                          const ecs_SaveSink *sink) {
  ECS_MUST_LIVE(WORLD, world);
  if (sink == NULL || sink->write == NULL || (text == NULL && text_bytes > 0))
    return ECS_E_ARGUMENT;
  return is_busy(world) ? ECS_E_OPEN
                        : state_save(world, text, text_bytes, NULL, *sink);
}

static ecs_Status open_bytes(ecs_World *world, bool packed, const char *bytes,
                             size_t count, ecs_Saved **saved, char *problem,
                             size_t problem_bytes) {
  ECS_MUST_LIVE(WORLD, world);
  if (saved == NULL) return ECS_E_ARGUMENT;
  *saved = NULL;
  if ((bytes == NULL && count > 0) || (problem == NULL && problem_bytes > 0))
    return ECS_E_ARGUMENT;
  ecs_Status status =
      saved_open(world, packed, bytes, count, saved, problem, problem_bytes);
  if (status == ECS_OK) LIVING_ENTER(SAVED, *saved);
  return status;
}

ecs_Status ecs_saved_open(ecs_World *world, const char *bytes, size_t count,
                          ecs_Saved **saved, char *problem,
                          size_t problem_bytes) {
  return open_bytes(world, false, bytes, count, saved, problem, problem_bytes);
}

void ecs_saved_close(ecs_Saved *saved) {
  if (saved == NULL) return;
  ECS_MUST_LIVE(SAVED, saved);
  LIVING_LEAVE(SAVED, saved);
  saved_close(saved);
}

uint32_t ecs_saved_component_count(const ecs_Saved *saved) {
  ECS_MUST_LIVE(SAVED, saved);
  return saved->components.count;
}

ecs_Status ecs_saved_component(const ecs_Saved *saved, uint32_t number,
                               ecs_ComponentDescription *description) {
  ECS_MUST_LIVE(SAVED, saved);
  if (description == NULL || number >= saved->components.count)
    return ECS_E_ARGUMENT;
  *description = saved_describe(saved, &saved_components(saved)[number]);
  return ECS_OK;
}

const void *ecs_saved_column(const ecs_Saved *saved, uint32_t component,
                             uint32_t field, uint64_t *rows) {
  ECS_MUST_LIVE(SAVED, saved);
  ECS_MISUSE_IF(rows == NULL, "rows is NULL");
  *rows = 0;
  if (component >= saved->components.count) return NULL;
  const SavedComponent *of = &saved_components(saved)[component];
  if (field >= of->field_count) return NULL;
  *rows = of->rows;
  return saved_fields(saved, of)[field].values;
}

const char *ecs_saved_manifest(const ecs_Saved *saved, size_t *bytes) {
  ECS_MUST_LIVE(SAVED, saved);
  ECS_MISUSE_IF(bytes == NULL, "bytes is NULL");
  *bytes = saved->archive.entries->count;
  return saved->archive.entries->bytes;
}

const char *ecs_saved_text(const ecs_Saved *saved, size_t *bytes) {
  ECS_MUST_LIVE(SAVED, saved);
  ECS_MISUSE_IF(bytes == NULL, "bytes is NULL");
  *bytes = saved->script_bytes;
  return saved->script;
}

ecs_Status ecs_saved_load(const ecs_Saved *saved,
                          const ecs_LoadListener *listener, char *problem,
                          size_t problem_bytes) {
  ECS_MUST_LIVE(SAVED, saved);
  ecs_LoadListener none = {0};
  if (saved->packed || (problem == NULL && problem_bytes > 0))
    return ECS_E_ARGUMENT;
  if (is_busy(saved->world)) return ECS_E_OPEN;
  return state_load(saved, listener == NULL ? &none : listener, problem,
                    problem_bytes);
}

/* Packed rows ------------------------------------------------------------- */

/* What is done with the rows of a query. */
typedef struct RowsCall {
  const ecs_SaveSink *sink; /* NULL: the values are listed that they use */
  HeldUse *uses;
  uint32_t most, used;
} RowsCall;

/* Finds the rows; the other parts of them are given. */
static ecs_Status with_rows(ecs_Query *query, PackRows *rows, RowsCall *call) {
  ecs_World *world = world_of(query);
  Memory *memory = &world->store.memory;
  uint64_t count = 0;
  if (rows->components != NULL &&
      !world_has_components(world, rows->components, rows->component_count))
    return ECS_E_COMPONENT;
  if (is_busy(world)) return ECS_E_OPEN;
  ecs_Status status = ecs_query_count(query, &count);
  if (status != ECS_OK) return status;
  uint64_t capacity = count;
  ecs_Entity *entities =
      memory_zeroed(memory, (size_t)capacity + 1, sizeof(ecs_Entity));
  if (entities == NULL) return ECS_E_MEMORY;
  status = ecs_query_entities(query, entities, capacity, &count);
  ECS_ASSERT(status != ECS_OK || count == capacity);
  rows->entities = entities;
  rows->count = count;
  if (status == ECS_OK)
    status = call->sink != NULL ? pack_write(world, rows, *call->sink)
                                : pack_held_uses(world, rows, call->uses,
                                                 call->most, &call->used);
  memory_free(memory, entities, ((size_t)capacity + 1) * sizeof(ecs_Entity));
  return status;
}

ecs_Status ecs_query_pack(ecs_Query *query, const ecs_Component *components,
                          uint32_t component_count, const char *text,
                          size_t text_bytes, const ecs_SaveSink *sink) {
  return ecs_held_query_pack(query, components, component_count, text,
                             text_bytes, NULL, sink);
}

ecs_Status ecs_packed_open(ecs_World *world, const char *bytes, size_t count,
                           ecs_Saved **packed, char *problem,
                           size_t problem_bytes) {
  return open_bytes(world, true, bytes, count, packed, problem, problem_bytes);
}

uint64_t ecs_packed_rows(const ecs_Saved *packed) {
  ECS_MUST_LIVE(SAVED, packed);
  return packed->rows;
}

ecs_Status ecs_packed_unpack(const ecs_Saved *packed,
                             const ecs_UnpackOptions *options,
                             const ecs_LoadListener *listener,
                             ecs_Entity *entities, char *problem,
                             size_t problem_bytes) {
  ECS_MUST_LIVE(SAVED, packed);
  ecs_LoadListener unheard = {0};
  ecs_UnpackOptions plain = {0};
  if (options == NULL) options = &plain;
  if (!packed->packed || (problem == NULL && problem_bytes > 0) ||
      (entities == NULL && packed->rows > 0) ||
      (options->value == NULL && options->fields != 0))
    return ECS_E_ARGUMENT;
  if (options->with != 0 && !world_has_component(packed->world, options->with))
    return ECS_E_COMPONENT;
  if (is_busy(packed->world)) return ECS_E_OPEN;
  return rows_unpack(packed, options, listener == NULL ? &unheard : listener,
                     entities, problem, problem_bytes);
}

/* Held values ------------------------------------------------------------- */

ecs_Status ecs_held_uses(ecs_World *world, ecs_Snapshot *snapshot,
                         HeldUse *uses, uint32_t most, uint32_t *count) {
  ECS_MUST_LIVE(WORLD, world);
  *count = 0;
  if (is_busy(world)) return ECS_E_OPEN;
  if (snapshot == NULL) return state_held_uses(world, uses, most, count);
  MUST_LIVE(snapshot);
  return snapshot->taken ? snapshot_held_uses(snapshot, uses, most, count)
                         : ECS_E_ABSENT;
}

ecs_Status ecs_held_save(ecs_World *world, ecs_Snapshot *snapshot,
                         const char *text, size_t text_bytes,
                         const HeldPacked *packed, const ecs_SaveSink *sink) {
  ECS_MUST_LIVE(WORLD, world);
  if (is_busy(world)) return ECS_E_OPEN;
  if (snapshot == NULL)
    return state_save(world, text, text_bytes, packed, *sink);
  MUST_LIVE(snapshot);
  return snapshot->taken
             ? snapshot_save(snapshot, text, text_bytes, packed, *sink)
             : ECS_E_ABSENT;
}

ecs_Status ecs_held_query_uses(ecs_Query *query,
                               const ecs_Component *components,
                               uint32_t component_count, HeldUse *uses,
                               uint32_t most, uint32_t *count) {
  ECS_MUST_LIVE(QUERY, query);
  PackRows rows = {.components = components,
                   .component_count = component_count};
  RowsCall call = {.uses = uses, .most = most};
  ecs_Status status = with_rows(query, &rows, &call);
  *count = call.used;
  return status;
}

ecs_Status ecs_held_query_pack(ecs_Query *query,
                               const ecs_Component *components,
                               uint32_t component_count, const char *text,
                               size_t text_bytes, const HeldPacked *packed,
                               const ecs_SaveSink *sink) {
  ECS_MUST_LIVE(QUERY, query);
  if (sink == NULL || sink->write == NULL || (text == NULL && text_bytes > 0) ||
      (components == NULL && component_count > 0))
    return ECS_E_ARGUMENT;
  PackRows rows = {.components = components,
                   .component_count = component_count,
                   .script = text,
                   .script_bytes = text_bytes,
                   .packed = packed};
  RowsCall call = {.sink = sink};
  return with_rows(query, &rows, &call);
}

const SavedValue *ecs_saved_values(const ecs_Saved *saved, uint32_t *count) {
  ECS_MUST_LIVE(SAVED, saved);
  *count = saved->values.count;
  return saved->values.all;
}

void ecs_saved_hold(ecs_Saved *saved, const uint32_t *numbers, uint32_t count,
                    bool differs) {
  ECS_MUST_LIVE(SAVED, saved);
  saved->numbers = numbers;
  saved->number_count = count;
  saved->values_differ = differs;
}

/* Differences ------------------------------------------------------------- */

ecs_Status ecs_snapshot_save(ecs_Snapshot *snapshot, const char *text,
                             size_t text_bytes, const ecs_SaveSink *sink) {
  MUST_LIVE(snapshot);
  if (sink == NULL || sink->write == NULL || (text == NULL && text_bytes > 0))
    return ECS_E_ARGUMENT;
  if (!snapshot->taken) return ECS_E_ABSENT;
  return is_busy(snapshot->world)
             ? ECS_E_OPEN
             : snapshot_save(snapshot, text, text_bytes, NULL, *sink);
}

ecs_Status ecs_save_diff(ecs_World *world, const char *from, size_t from_bytes,
                         const char *to, size_t to_bytes,
                         const ecs_SaveSink *sink) {
  ECS_MUST_LIVE(WORLD, world);
  if (from == NULL || to == NULL || sink == NULL || sink->write == NULL)
    return ECS_E_ARGUMENT;
  return diff_write(&world->store.memory, (DiffBytes){from, from_bytes},
                    (DiffBytes){to, to_bytes}, *sink);
}

ecs_Status ecs_save_patch(ecs_World *world, const char *from, size_t from_bytes,
                          const char *diff, size_t diff_bytes,
                          const ecs_SaveSink *sink, const char **problem) {
  ECS_MUST_LIVE(WORLD, world);
  if (from == NULL || diff == NULL || sink == NULL || sink->write == NULL ||
      problem == NULL)
    return ECS_E_ARGUMENT;
  *problem = NULL;
  return diff_apply(&world->store.memory, (DiffBytes){from, from_bytes},
                    (DiffBytes){diff, diff_bytes}, *sink, problem);
}

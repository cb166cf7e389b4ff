/* command_flush.c: applies a command buffer, whole or not at all. */
#include "change/command_flush.h"

#include "change/list_change.h"
#include "change/net_effect.h"
#include "change/recorded_spawn.h"
#include "storage/store_check.h"

/* Fewer are not worth a list. */
#define LEAST_LIST 8u

/* The scratch memory of a flush, which the buffer keeps for the next one. */
typedef struct Flush {
  CommandBuffer *buffer;
  Store *store;
  NetEffect effect;
  Births births;
  uint32_t *tables_before; /* owned; per group, when the flush began */
  uint32_t tables_before_capacity;
  ecs_Entity *list; /* owned; of chains that are one command */
  uint32_t list_capacity;
  const void **images; /* owned; of these commands */
  uint32_t images_capacity;
  uint32_t counts[WAY_NOTHING + 1]; /* chains of each way */
  uint32_t spawned_changes;         /* of WAY_CHANGE, those that spawn */
  uint32_t change_shapes;           /* shapes of WAY_CHANGE */
  uint32_t change_shape;            /* one of them */
  bool births_in_groups;            /* some are in other groups than main */
} Flush;

/* Memory ---------------------------------------------------------------- */

void command_flush_deinit(CommandBuffer *buffer) {
  Memory *memory = &buffer->store->memory;
  Flush *flush = buffer->flush;
  if (flush == NULL) return;
  net_effect_deinit(&flush->effect, memory);
  births_deinit(&flush->births, memory);
  memory_free(memory, flush->tables_before,
              flush->tables_before_capacity * sizeof(uint32_t));
  memory_free(memory, flush->list, flush->list_capacity * sizeof(ecs_Entity));
  memory_free(memory, (void *)flush->images,
              flush->images_capacity * sizeof(void *));
  memory_free(memory, flush, sizeof(Flush));
  buffer->flush = NULL;
}

static ecs_Status flush_ensure(CommandBuffer *buffer) {
  Memory *memory = &buffer->store->memory;
  if (buffer->flush == NULL) {
    buffer->flush = memory_zeroed(memory, 1, sizeof(Flush));
    if (buffer->flush == NULL) return ECS_E_MEMORY;
    *buffer->flush = (Flush){.buffer = buffer, .store = buffer->store};
  }
  Flush *flush = buffer->flush;
  void *before = flush->tables_before;
  bool done = memory_ensure(memory, &before, &flush->tables_before_capacity,
                            buffer->store->groups.count, sizeof(uint32_t));
  flush->tables_before = before;
  return done ? ECS_OK : ECS_E_MEMORY;
}

static ecs_Status reserve_list(Flush *flush, uint32_t count, bool images) {
  Memory *memory = &flush->store->memory;
  void *list = flush->list, *pointers = (void *)flush->images;
  bool done =
      memory_ensure(memory, &list, &flush->list_capacity, count,
                    sizeof(ecs_Entity)) &&
      (!images || memory_ensure(memory, &pointers, &flush->images_capacity,
                                count, sizeof(void *)));
  flush->list = list;
  flush->images = pointers;
  return done ? ECS_OK : ECS_E_MEMORY;
}

/* Counting -------------------------------------------------------------- */

static uint32_t shape_of(const CommandBuffer *buffer, uint32_t position) {
  return buffer->entities[position].last->shape;
}

static ShapeWay way_of(const CommandBuffer *buffer, uint32_t position) {
  return (ShapeWay)buffer->shapes.shapes[shape_of(buffer, position)].way;
}

/* Counts the chains of each way. */
static void count_ways(Flush *flush) {
  ChainShapes *shapes = &flush->buffer->shapes;
  memset(flush->counts, 0, sizeof flush->counts);
  flush->change_shapes = flush->spawned_changes = 0;
  for (uint32_t id = shapes->used; id != CHAIN_EMPTY;
       id = shapes->shapes[id].next) {
    uint32_t count = shapes->shapes[id].count;
    ShapeWay way = chain_shapes_way(shapes, flush->store, id);
    flush->counts[way] += count;
    if (way != WAY_CHANGE || count == 0) continue;
    if (shapes->shapes[id].spawns) flush->spawned_changes += count;
    flush->change_shapes++;
    flush->change_shape = id;
  }
}

/* Is the step an addition or a removal that concerns its component alone? */
static bool is_one_change(const Store *store, ChainStep step) {
  return step_kind(step) == COMMAND_REMOVE ||
         (step_kind(step) == COMMAND_ADD &&
          store->components.all[step_component(step)].need_count == 0);
}

/* Are all changes of living entities the same single command, which concerns
 * one component? Then they are applied as a list. Spawned rows may need the same
 * room, and lists do not look at what others announced. */
static bool changes_are_list(const Flush *flush) {
  const ChainShape *shape = &flush->buffer->shapes.shapes[flush->change_shape];
  return flush->change_shapes == 1 && shape->length == 1 && !shape->spawns &&
         is_one_change(flush->store, shape->step) &&
         flush->counts[WAY_BIRTH] == 0 &&
         flush->counts[WAY_CHANGE] >= LEAST_LIST;
}

/* First pass ------------------------------------------------------------ */

static void note_tables(Flush *flush) {
  for (uint32_t i = 0; i < flush->store->groups.count; i++)
    flush->tables_before[i] = flush->store->groups.all[i]->table_count;
}

/* Drops the tables that the first pass made, and what it announced. Bundles of
 * births may have been resolved with them. */
static void drop_tables(Flush *flush) {
  Store *store = flush->store;
  ChainShape *shapes = flush->buffer->shapes.shapes;
  for (uint32_t i = 0; i < store->groups.count; i++) {
    Group *group = store->groups.all[i];
    for (uint32_t k = 0; k < group->table_count; k++)
      group->tables[k]->pending = 0;
    group_drop_tables(group, &store->memory, flush->tables_before[i]);
  }
  for (uint32_t id = flush->buffer->shapes.used; id != CHAIN_EMPTY;
       id = shapes[id].next)
    if (shapes[id].bundle != NULL) bundle_forget_layout(shapes[id].bundle);
}

static bool has_births(const CommandBuffer *buffer, uint32_t id) {
  const ChainShape *shape = &buffer->shapes.shapes[id];
  return shape->way == WAY_BIRTH && shape->count > 0;
}

/* Makes the tables of births, in the order of the entities: how shapes came to
 * be in use, be it by what was taken back, must have no part in it. */
static ecs_Status resolve_births(const Flush *flush) {
  CommandBuffer *buffer = flush->buffer;
  uint32_t missing = 0;
  for (uint32_t id = buffer->shapes.used; id != CHAIN_EMPTY;
       id = buffer->shapes.shapes[id].next)
    missing += has_births(buffer, id) && !births_are_resolved(buffer, id);
  for (uint32_t i = 0; missing > 0; i++) {
    uint32_t id = shape_of(buffer, i);
    if (!has_births(buffer, id) || births_are_resolved(buffer, id)) continue;
    ecs_Status status = births_resolve(buffer, id);
    if (status != ECS_OK) return status;
    missing--;
  }
  return ECS_OK;
}

static ecs_Status reserve_births(Flush *flush) {
  CommandBuffer *buffer = flush->buffer;
  const ChainShape *shapes = buffer->shapes.shapes;
  ecs_Status resolved = resolve_births(flush);
  if (resolved != ECS_OK) return resolved;
  flush->births_in_groups = false;
  births_begin(&flush->births, buffer);
  for (uint32_t id = buffer->shapes.used; id != CHAIN_EMPTY;
       id = shapes[id].next) {
    if (!has_births(buffer, id)) continue;
    ecs_Status status = births_reserve(&flush->births, id);
    if (status != ECS_OK) return status;
    if (shapes[id].bundle->group_count > 1) flush->births_in_groups = true;
  }
  return births_reserve_lists(&flush->births);
}

/* What each entity that is born needs by itself. */
static ecs_Status reserve_born(const Flush *flush) {
  const CommandBuffer *buffer = flush->buffer;
  ecs_Status status = ECS_OK;
  if (!flush->births_in_groups) return ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < buffer->entity_count; i++)
    if (way_of(buffer, i) == WAY_BIRTH)
      status = births_reserve_entity(buffer, shape_of(buffer, i),
                                     buffer->entities[i].entity);
  return status;
}

/* Is the entity at a position changed one by one, spawned or not? */
static bool is_changed(const CommandBuffer *buffer, uint32_t position,
                       bool spawned) {
  const ChainShape *shape = &buffer->shapes.shapes[shape_of(buffer, position)];
  return shape->way == WAY_CHANGE && shape->spawns == spawned;
}

static ecs_Status prepare_changes(Flush *flush, bool spawned) {
  const CommandBuffer *buffer = flush->buffer;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < buffer->entity_count; i++)
    if (is_changed(buffer, i, spawned))
      status = net_effect_prepare(&flush->effect, &buffer->entities[i]);
  return status;
}

static ecs_Status reserve_all(Flush *flush, bool list) {
  uint32_t changes = flush->counts[WAY_CHANGE];
  uint32_t deaths = flush->counts[WAY_DEATH];
  uint32_t most = list && changes > deaths ? changes : deaths;
  ecs_Status status = reserve_list(flush, most, list);
  if (status == ECS_OK && changes > 0 && !list)
    status = net_effect_reserve(&flush->effect, flush->buffer);
  if (status != ECS_OK) return status;
  note_tables(flush);
  status = reserve_births(flush);
  if (status == ECS_OK) status = reserve_born(flush);
  if (status == ECS_OK && flush->spawned_changes > 0)
    status = prepare_changes(flush, true);
  if (status == ECS_OK && changes > flush->spawned_changes && !list)
    status = prepare_changes(flush, false);
  if (status != ECS_OK) drop_tables(flush);
  return status;
}

/* Second pass ----------------------------------------------------------- */

/* Places what is born, lists what dies, and has the buffer forget where the
 * entries are. */
static void place_births(Flush *flush) {
  CommandBuffer *buffer = flush->buffer;
  uint32_t dying = 0;
  for (uint32_t i = 0; i < buffer->entity_count; i++) {
    const EntityCommands *commands = &buffer->entities[i];
    const ChainShape *shape = command_shape(buffer, commands);
    if (shape->way == WAY_BIRTH) births_add(&flush->births, commands);
    if (shape->spawns) continue;
    command_unlist(buffer, commands->entity);
    if (shape->way == WAY_DEATH) flush->list[dying++] = commands->entity;
  }
  births_fill(&flush->births);
  ECS_ASSERT(dying == flush->counts[WAY_DEATH]);
}

static void apply_changes(Flush *flush, bool spawned) {
  const CommandBuffer *buffer = flush->buffer;
  for (uint32_t i = 0; i < buffer->entity_count; i++)
    if (is_changed(buffer, i, spawned))
      net_effect_apply(&flush->effect, &buffer->entities[i]);
}

/* Destroys what place_births listed. */
static void destroy_dying(const Flush *flush) {
  uint32_t found = 0;
  if (flush->counts[WAY_DEATH] == 0) return;
  list_destroy(flush->store, flush->list, flush->counts[WAY_DEATH], &found);
  ECS_ASSERT(found == flush->counts[WAY_DEATH]);
}

static void free_unborn(const Flush *flush) {
  const CommandBuffer *buffer = flush->buffer;
  if (flush->counts[WAY_NOTHING] == 0) return;
  for (uint32_t i = 0; i < buffer->entity_count; i++) {
    ecs_Entity entity = buffer->entities[i].entity;
    if (way_of(buffer, i) == WAY_NOTHING)
      entity_index_free(&flush->store->index, id_index(entity),
                        id_generation(entity));
  }
}

/* All of it ------------------------------------------------------------- */

/* Lists the changed entities, and the images of their commands, which lie
 * behind the head of a run each. */
static uint32_t list_changes(Flush *flush, bool images) {
  const CommandBuffer *buffer = flush->buffer;
  uint32_t count = 0;
  for (uint32_t i = 0; i < buffer->entity_count; i++) {
    if (way_of(buffer, i) != WAY_CHANGE) continue;
    if (images) flush->images[count] = buffer->entities[i].last + 1;
    flush->list[count++] = buffer->entities[i].entity;
  }
  return count;
}

/* Applies the changes that are a list, which may fail as a whole. */
static ecs_Status apply_list(Flush *flush) {
  ChainStep step = flush->buffer->shapes.shapes[flush->change_shape].step;
  bool images = step_has_image(step);
  uint32_t count = list_changes(flush, images), found = 0;
  if (step_kind(step) == COMMAND_REMOVE)
    return list_remove(flush->store, flush->list, count, step_component(step),
                       &found);
  return list_add_each(flush->store, flush->list, images ? flush->images : NULL,
                       count, step_component(step), &found);
}

static ecs_Status apply_all(Flush *flush) {
  command_settle(flush->buffer);
  count_ways(flush);
  bool list = changes_are_list(flush);
  ecs_Status status = reserve_all(flush, list);
  if (status == ECS_OK && list) status = apply_list(flush);
  if (status != ECS_OK) return status;
  place_births(flush);
  if (flush->spawned_changes > 0) apply_changes(flush, true);
  if (flush->counts[WAY_CHANGE] > flush->spawned_changes && !list)
    apply_changes(flush, false);
  destroy_dying(flush);
  free_unborn(flush);
  return ECS_OK;
}

ecs_Status command_flush(CommandBuffer *buffer) {
  if (buffer->entity_count == 0) {
    /* Rows staged of no entities, or a page for a record that failed. */
    if (buffer->staged != NULL || buffer->page_count > 0) command_reset(buffer);
    return ECS_OK;
  }
#ifdef ECS_TINY
  ECS_ASSERT(command_buffer_check_invariants(buffer));
#endif
  ecs_Status status = flush_ensure(buffer);
  if (status == ECS_OK) status = apply_all(buffer->flush);
  if (status == ECS_OK) command_forget(buffer);
#ifdef ECS_TINY
  ECS_ASSERT(status != ECS_OK || store_check_invariants(buffer->store));
#endif
  return status;
}

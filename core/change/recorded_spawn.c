/* recorded_spawn.c: places entities that were spawned while changes were
 * recorded. */
#include "change/recorded_spawn.h"

#include "storage/placement.h"

/* Room -------------------------------------------------------------------- */

void births_deinit(BirthList *list, Memory *memory) {
  memory_free(memory, list->joined, list->joined_bytes);
}

bool births_are_resolved(const CommandBuffer *buffer, uint32_t shape) {
  const Bundle *bundle = buffer->shapes.shapes[shape].bundle;
  return bundle != NULL &&
         bundle->layout_version == buffer->store->layout_version;
}

ecs_Status births_resolve(CommandBuffer *buffer, uint32_t shape) {
  ecs_Component parts[BIRTH_PARTS];
  Store *store = buffer->store;
  ChainShape *chain = &buffer->shapes.shapes[shape];
  if (chain->bundle == NULL)
    chain->bundle = bundle_create(
        store, parts, chain_shapes_parts(&buffer->shapes, shape, parts));
  if (chain->bundle == NULL) return ECS_E_MEMORY;
  return bundle_resolve(store, chain->bundle);
}

/* Makes room for the joined values of one chain at least. */
static ecs_Status reserve_joined(BirthList *list, Memory *memory,
                                 size_t bytes) {
  size_t wanted = bytes < ECS_COMMAND_PAGE ? ECS_COMMAND_PAGE : bytes;
  if (bytes <= list->joined_bytes) return ECS_OK;
  ECS_ASSERT(list->count == 0);
  char *joined =
      memory_resize(memory, list->joined, list->joined_bytes, wanted);
  if (joined == NULL) return ECS_E_MEMORY;
  list->joined = joined;
  list->joined_bytes = wanted;
  return ECS_OK;
}

ecs_Status births_reserve(BirthList *list, CommandBuffer *buffer,
                          uint32_t shape) {
  Store *store = buffer->store;
  const ChainShape *chain = &buffer->shapes.shapes[shape];
  ECS_ASSERT(births_are_resolved(buffer, shape));
  ecs_Status status = reserve_joined(list, &store->memory, chain->bytes);
  for (uint32_t i = 0; status == ECS_OK && i < chain->bundle->group_count;
       i++) {
    const BundleGroup *target = &chain->bundle->groups[i];
    uint64_t rows = (uint64_t)target->table->pending + chain->count;
    status = store_reserve_rows(store, target->group, target->table,
                                target->bits_columns, rows);
    if (status == ECS_OK) target->table->pending = (uint32_t)rows;
  }
  return status;
}

ecs_Status births_reserve_entity(const CommandBuffer *buffer, uint32_t shape,
                                 ecs_Entity entity) {
  Store *store = buffer->store;
  const Bundle *bundle = buffer->shapes.shapes[shape].bundle;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 1; status == ECS_OK && i < bundle->group_count; i++)
    status = locator_reserve(&bundle->groups[i].group->locator, &store->memory,
                             id_index(entity));
  return status;
}

/* Placing ----------------------------------------------------------------- */

/* Has marks follow the new rows of a group. */
static void note_rows(const BirthList *list, const BundleGroup *target,
                      uint32_t first) {
  Store *store = list->buffer->store;
  Group *group = target->group;
  if (group->id == 0 ? !store_notes(store) : group->marks == NULL) return;
  for (uint32_t k = 0; k < list->count; k++) {
    ecs_Entity entity = list->entities[k];
    if (group->id == 0)
      store_note(store, entity);
    else
      row_marks_enter(group->marks,
                      *entity_index_slot(&store->index, id_index(entity)),
                      first + k);
  }
  group->noted++;
}

static void append_rows(const BirthList *list, const BundleGroup *target,
                        uint32_t first) {
  Store *store = list->buffer->store;
  Table *table = target->table;
  memcpy(table->entities + first, list->entities,
         list->count * sizeof(ecs_Entity));
  for (uint32_t k = 0; k < list->count; k++) {
    uint32_t index = id_index(list->entities[k]);
    if (target->group->id == 0)
      entity_index_place(&store->index, index, table->id, first + k);
    else
      store_enter(store, target->group, index, table, first + k);
  }
  store_touch(store, target->group);
  note_rows(list, target, first);
}

/* Stores the elements at an offset of each entity's values in a column, from
 * `to` on. */
static void fill_column(const BirthList *list, size_t offset, ecs_Scalar type,
                        char *to) {
  size_t bytes = scalar_bytes(type);
  if (type == ECS_F32) {
    for (uint32_t k = 0; k < list->count; k++)
      element_store_f32(to + k * sizeof(float), list->values[k] + offset);
    return;
  }
  for (uint32_t k = 0; k < list->count; k++, to += bytes)
    element_store(to, list->values[k] + offset, type);
}

/* Fills the columns of an item with values that begin at an offset. */
static void fill_item(const BirthList *list, const Bundle *bundle,
                      const BundleItem *item, size_t offset) {
  const BundleColumn *column = &bundle->columns[item->first_column];
  const Table *table = bundle->groups[item->group_index].table;
  uint32_t first = bundle->first_rows[item->group_index];
  for (uint32_t i = 0; i < item->column_count; i++, column++)
    fill_column(list, offset + column->offset, (ecs_Scalar)column->type,
                table_element(table, column->code, first));
}

/* The i-th item of the bundle is what the (i + 1)-th command adds. */
static void fill_items(const BirthList *list, const Bundle *bundle) {
  const ChainShape *shapes = list->buffer->shapes.shapes;
  uint32_t shape = list->shape;
  for (uint32_t i = bundle->item_count; i-- > 0; shape = shapes[shape].parent) {
    const BundleItem *item = &bundle->items[i];
    ECS_ASSERT(step_component(shapes[shape].step) == item->component);
    if (step_has_image(shapes[shape].step))
      fill_item(list, bundle, item, shapes[shapes[shape].parent].bytes);
    else
      spawn_fill_defaults(list->buffer->store, bundle, item, list->count);
    if (item->bits_index == GROUP_NOT_BITS) continue;
    Table *table = bundle->groups[item->group_index].table;
    for (uint32_t k = 0; k < list->count; k++)
      table_write_bit(table, bundle->first_rows[item->group_index] + k,
                      item->bits_index, true);
  }
}

void births_place(BirthList *list) {
  if (list->count == 0) return;
  const Bundle *bundle = list->buffer->shapes.shapes[list->shape].bundle;
  for (uint32_t i = 0; i < bundle->group_count; i++) {
    Table *table = bundle->groups[i].table;
    ECS_ASSERT(table->pending >= list->count);
    table->pending -= list->count;
    bundle->first_rows[i] = table_append_many(table, list->count);
    append_rows(list, &bundle->groups[i], bundle->first_rows[i]);
  }
  fill_items(list, bundle);
  list->count = 0;
  list->joined_used = 0;
}

/* Joins the values of the runs of a chain. Each run has a piece of what the
 * shape lays out. */
static const char *join(BirthList *list, const EntityCommands *commands) {
  const ChainShape *shapes = list->buffer->shapes.shapes;
  char *joined = list->joined + list->joined_used;
  list->joined_used += shapes[list->shape].bytes;
  ECS_ASSERT(list->joined_used <= list->joined_bytes);
  for (const CommandRun *run = commands->last; run != NULL;
       run = run->previous) {
    uint64_t before =
        run->previous == NULL ? 0 : shapes[run->previous->shape].bytes;
    size_t bytes = shapes[run->shape].bytes - before;
    if (bytes > 0) memcpy(joined + before, run + 1, bytes);
  }
  return joined;
}

/* The list is of this shape, and has room. */
static inline void append(BirthList *list, ecs_Entity entity,
                          const char *values) {
  list->entities[list->count] = entity;
  list->values[list->count] = values;
  list->count++;
}

/* Begins anew where the list is full or of another shape. */
static inline void begin(BirthList *list, CommandBuffer *buffer,
                         uint32_t shape) {
  if (ECS_UNLIKELY(list->count == ECS_BIRTH_ROWS || list->shape != shape))
    births_place(list);
  list->buffer = buffer;
  list->shape = shape;
}

void births_add(BirthList *list, CommandBuffer *buffer,
                const EntityCommands *commands) {
  const CommandRun *run = commands->last;
  begin(list, buffer, run->shape);
  if (ECS_LIKELY(run->previous == NULL)) {
    append(list, commands->entity, (const char *)(run + 1));
    return;
  }
  if (buffer->shapes.shapes[run->shape].bytes >
      list->joined_bytes - list->joined_used)
    births_place(list);
  append(list, commands->entity, join(list, commands));
}

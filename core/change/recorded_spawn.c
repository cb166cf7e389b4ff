/* recorded_spawn.c: places entities that were spawned while changes were
 * recorded. */
#include "change/recorded_spawn.h"

#include "storage/placement.h"

/* Room -------------------------------------------------------------------- */

void births_deinit(Births *births, Memory *memory) {
  memory_free(memory, births->lists, births->list_capacity * sizeof(BirthList));
  memory_free(memory, births->block, births->block_bytes);
  memory_free(memory, births->joined, births->joined_bytes);
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

void births_begin(Births *births, CommandBuffer *buffer) {
  births->buffer = buffer;
  births->list_count = 0;
}

/* Appends the empty list of a shape, without its arrays. */
static ecs_Status append_list(Births *births, ChainShape *chain,
                              uint32_t shape) {
  void *lists = births->lists;
  if (!memory_grow(&births->buffer->store->memory, &lists,
                   &births->list_capacity, births->list_count, 1,
                   sizeof(BirthList)))
    return ECS_E_MEMORY;
  births->lists = lists;
  chain->births = births->list_count;
  births->lists[births->list_count++] =
      (BirthList){.bundle = chain->bundle,
                  .shape = shape,
                  .capacity = chain->count < ECS_BIRTH_ROWS ? chain->count
                                                            : ECS_BIRTH_ROWS};
  return ECS_OK;
}

ecs_Status births_reserve(Births *births, uint32_t shape) {
  CommandBuffer *buffer = births->buffer;
  Store *store = buffer->store;
  ChainShape *chain = &buffer->shapes.shapes[shape];
  ECS_ASSERT(births_are_resolved(buffer, shape));
  ecs_Status status = append_list(births, chain, shape);
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

/* Replaces a block by one of at least so many bytes, with no content. */
static ecs_Status reserve_block(Memory *memory, char **block, size_t *has,
                                size_t bytes) {
  if (bytes <= *has) return ECS_OK;
  char *larger = memory_resize(memory, NULL, 0, bytes);
  if (larger == NULL) return ECS_E_MEMORY;
  memory_free(memory, *block, *has);
  *block = larger;
  *has = bytes;
  return ECS_OK;
}

/* Lays the arrays of all lists in the block; NULL: only counts the bytes. */
static size_t lay_lists(Births *births, char *block) {
  size_t used = 0;
  for (uint32_t i = 0; i < births->list_count; i++) {
    BirthList *list = &births->lists[i];
    list->values =
        memory_lay(block, &used, list->capacity, sizeof *list->values);
    list->rows = memory_lay(block, &used,
                            (size_t)list->capacity * list->bundle->group_count,
                            sizeof *list->rows);
  }
  return used;
}

/* The bytes of the values of the longest chain. */
static size_t most_bytes(const Births *births) {
  const ChainShape *shapes = births->buffer->shapes.shapes;
  size_t most = 0;
  for (uint32_t i = 0; i < births->list_count; i++)
    if (shapes[births->lists[i].shape].bytes > most)
      most = shapes[births->lists[i].shape].bytes;
  return most;
}

ecs_Status births_reserve_lists(Births *births) {
  Memory *memory = &births->buffer->store->memory;
  size_t joined = most_bytes(births);
  ecs_Status status = reserve_block(
      memory, &births->block, &births->block_bytes, lay_lists(births, NULL));
  if (status == ECS_OK && births->list_count > 0)
    status =
        reserve_block(memory, &births->joined, &births->joined_bytes,
                      joined < ECS_COMMAND_PAGE ? ECS_COMMAND_PAGE : joined);
  if (status == ECS_OK && births->list_count > 0)
    (void)lay_lists(births, births->block);
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

/* Filling ----------------------------------------------------------------- */

/* Stores the elements at an offset of each entity's values in its row of a
 * column. */
static void fill_column(const BirthList *list, size_t offset, ecs_Scalar type,
                        char *column, const uint32_t *rows) {
  size_t bytes = scalar_bytes(type);
  if (type == ECS_F32) {
    for (uint32_t k = 0; k < list->count; k++)
      element_store_f32(column + (size_t)rows[k] * sizeof(float),
                        list->values[k] + offset);
    return;
  }
  for (uint32_t k = 0; k < list->count; k++)
    element_store(column + rows[k] * bytes, list->values[k] + offset, type);
}

/* Stores one element in the row of each entity. */
static void repeat_element(const BirthList *list, const void *element,
                           ecs_Scalar type, char *column,
                           const uint32_t *rows) {
  size_t bytes = scalar_bytes(type);
  for (uint32_t k = 0; k < list->count; k++)
    element_store(column + rows[k] * bytes, element, type);
}

/* Fills the columns of an item with values that begin at an offset, or with
 * defaults. */
static void fill_item(const BirthList *list, const BundleItem *item,
                      size_t offset, const char *defaults) {
  const Bundle *bundle = list->bundle;
  const BundleColumn *column = &bundle->columns[item->first_column];
  const Table *table = bundle->groups[item->group_index].table;
  const uint32_t *rows = birth_rows(list, item->group_index);
  for (uint32_t i = 0; i < item->column_count; i++, column++) {
    char *cells = table_element(table, column->code, 0);
    if (defaults == NULL)
      fill_column(list, offset + column->offset, (ecs_Scalar)column->type,
                  cells, rows);
    else
      repeat_element(list, defaults + column->offset, (ecs_Scalar)column->type,
                     cells, rows);
  }
}

static void set_bits(const BirthList *list, const BundleItem *item) {
  const uint32_t *rows = birth_rows(list, item->group_index);
  Table *table = list->bundle->groups[item->group_index].table;
  if (item->bits_index == GROUP_NOT_BITS) return;
  for (uint32_t k = 0; k < list->count; k++)
    table_write_bit(table, rows[k], item->bits_index, true);
}

/* The i-th item of the bundle is what the (i + 1)-th command adds. */
static void fill_items(const CommandBuffer *buffer, const BirthList *list) {
  const ChainShape *shapes = buffer->shapes.shapes;
  uint32_t shape = list->shape;
  for (uint32_t i = list->bundle->item_count; i-- > 0;
       shape = shapes[shape].parent) {
    const BundleItem *item = &list->bundle->items[i];
    const Component *component =
        &buffer->store->components.all[item->component];
    ECS_ASSERT(step_component(shapes[shape].step) == item->component);
    set_bits(list, item);
    if (step_has_image(shapes[shape].step))
      fill_item(list, item, shapes[shapes[shape].parent].bytes, NULL);
    else if (!item->zero_defaults)
      fill_item(list, item, 0, component->schema->default_image);
  }
}

static void fill_list(CommandBuffer *buffer, BirthList *list) {
  if (list->count == 0) return;
  for (uint32_t i = 0; i < list->bundle->group_count; i++) {
    const BundleGroup *target = &list->bundle->groups[i];
    note_rows(buffer->store, target->group, target->table, birth_rows(list, i),
              list->count);
  }
  fill_items(buffer, list);
  list->count = 0;
}

void births_fill(Births *births) {
  for (uint32_t i = 0; i < births->list_count; i++)
    fill_list(births->buffer, &births->lists[i]);
  births->joined_used = 0;
}

/* Placing ----------------------------------------------------------------- */

/* Joins the values of the runs of a chain. Each run has a piece of what the
 * shape lays out. */
static const char *join(Births *births, const EntityCommands *commands) {
  const ChainShape *shapes = births->buffer->shapes.shapes;
  size_t all = shapes[commands->last->shape].bytes;
  if (all > births->joined_bytes - births->joined_used) births_fill(births);
  char *joined = births->joined + births->joined_used;
  births->joined_used += all;
  ECS_ASSERT(births->joined_used <= births->joined_bytes);
  for (const CommandRun *run = commands->last; run != NULL;
       run = run->previous) {
    uint64_t before =
        run->previous == NULL ? 0 : shapes[run->previous->shape].bytes;
    size_t bytes = shapes[run->shape].bytes - before;
    if (bytes > 0) memcpy(joined + before, run + 1, bytes);
  }
  return joined;
}

/* Gives an entity its row of a group. */
static inline uint32_t place(Store *store, const BundleGroup *target,
                             ecs_Entity entity) {
  Table *table = target->table;
  uint32_t row = table_append(table, entity);
  ECS_ASSERT(table->pending > 0);
  table->pending--;
  if (ECS_LIKELY(target->group->id == 0))
    entity_index_place(&store->index, id_index(entity), table->id, row);
  else
    store_enter(store, target->group, id_index(entity), table, row);
  return row;
}

void births_add(Births *births, const EntityCommands *commands) {
  CommandBuffer *buffer = births->buffer;
  const CommandRun *run = commands->last;
  BirthList *list = &births->lists[buffer->shapes.shapes[run->shape].births];
  ECS_ASSERT(list->shape == run->shape);
  if (ECS_UNLIKELY(list->count == list->capacity)) fill_list(buffer, list);
  const char *values = ECS_LIKELY(run->previous == NULL)
                           ? (const char *)(run + 1)
                           : join(births, commands);
  uint32_t k = list->count++;
  list->values[k] = values;
  for (uint32_t i = 0; i < list->bundle->group_count; i++)
    birth_rows(list, i)[k] =
        place(buffer->store, &list->bundle->groups[i], commands->entity);
}

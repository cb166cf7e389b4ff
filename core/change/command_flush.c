/* command_flush.c: applies a command buffer, whole or not at all. */
#include "change/command_flush.h"

#include "change/command_list.h"
#include "change/entity_change_fast.h"
#include "change/spawn_shape.h"
#include "storage/store_check.h"
#include "storage/table_image.h"

/* The net effect of a chain of commands on one component. */
typedef struct ComponentChange {
  ecs_Component id;
  bool present;          /* at the end of the chain */
  bool begun;            /* while values are written: the origin was passed */
  const Command *origin; /* the command from which its values start; NULL:
                            the values are staged, or stay as they are */
} ComponentChange;

/* The scratch memory of a flush, which the buffer keeps for the next one. */
typedef struct Flush {
  CommandBuffer *buffer;
  Store *store;
  ComponentChange *changes; /* owned; of the chain that was summarized last */
  uint32_t change_count;
  uint32_t change_capacity;
  uint32_t *position; /* owned; by component: in changes, plus one; 0: none */
  uint32_t position_capacity;
  uint64_t *mask; /* owned; of the table that a row goes to */
  uint32_t mask_capacity;
  uint32_t *tables_before; /* owned; per group, when the flush began */
  uint32_t tables_before_capacity;
  uint64_t *last_entity; /* owned; per group: the entity_number that changed
                            it last */
  uint32_t last_entity_capacity;
  ecs_Entity *list; /* owned; of command_apply_list */
  uint32_t list_capacity;
  uint64_t entity_number; /* grows with every entity of each pass */
  const Command
      *spawn;         /* the chain begins with it; NULL: the entity is placed */
  bool destroyed;     /* the chain ends with the destruction */
  SpawnShapes shapes; /* of this pass */
} Flush;

/* Memory ---------------------------------------------------------------- */

void command_flush_deinit(CommandBuffer *buffer) {
  Memory *memory = &buffer->store->memory;
  Flush *flush = buffer->flush;
  if (flush == NULL) return;
  memory_free(memory, flush->changes,
              flush->change_capacity * sizeof(ComponentChange));
  memory_free(memory, flush->position,
              flush->position_capacity * sizeof(uint32_t));
  memory_free(memory, flush->mask, flush->mask_capacity * sizeof(uint64_t));
  memory_free(memory, flush->tables_before,
              flush->tables_before_capacity * sizeof(uint32_t));
  memory_free(memory, flush->last_entity,
              flush->last_entity_capacity * sizeof(uint64_t));
  memory_free(memory, flush->list, flush->list_capacity * sizeof(ecs_Entity));
  memory_free(memory, flush, sizeof(Flush));
  buffer->flush = NULL;
}

/* Makes an array hold at least needed elements; new ones are zero. False:
 * ECS_E_MEMORY. */
static bool ensure_capacity(Memory *memory, void **array, uint32_t *capacity,
                            uint32_t needed, size_t bytes) {
  uint32_t before = *capacity;
  if (needed <= before) return true;
  if (!memory_grow(memory, array, capacity, before, needed - before, bytes))
    return false;
  memset((char *)*array + before * bytes, 0, (*capacity - before) * bytes);
  return true;
}

static uint32_t most_words(const Store *store) {
  uint32_t most = 1;
  for (uint32_t i = 0; i < store->group_count; i++)
    if (group_words(store->groups[i]) > most)
      most = group_words(store->groups[i]);
  return most;
}

static bool flush_reserve(Flush *flush) {
  Store *store = flush->store;
  Memory *memory = &store->memory;
  void *changes = flush->changes, *position = flush->position;
  void *mask = flush->mask, *before = flush->tables_before;
  void *last_entity = flush->last_entity;
  bool done =
      ensure_capacity(memory, &changes, &flush->change_capacity,
                      store->component_count, sizeof(ComponentChange)) &&
      ensure_capacity(memory, &position, &flush->position_capacity,
                      store->component_count, sizeof(uint32_t)) &&
      ensure_capacity(memory, &mask, &flush->mask_capacity, most_words(store),
                      sizeof(uint64_t)) &&
      ensure_capacity(memory, &before, &flush->tables_before_capacity,
                      store->group_count, sizeof(uint32_t)) &&
      ensure_capacity(memory, &last_entity, &flush->last_entity_capacity,
                      store->group_count, sizeof(uint64_t));
  flush->changes = changes;
  flush->position = position;
  flush->mask = mask;
  flush->tables_before = before;
  flush->last_entity = last_entity;
  return done;
}

static ecs_Status flush_ensure(CommandBuffer *buffer) {
  if (buffer->flush == NULL) {
    buffer->flush = memory_zeroed(&buffer->store->memory, 1, sizeof(Flush));
    if (buffer->flush == NULL) return ECS_E_MEMORY;
    *buffer->flush = (Flush){.buffer = buffer, .store = buffer->store};
  }
  return flush_reserve(buffer->flush) ? ECS_OK : ECS_E_MEMORY;
}

/* Summarizing ----------------------------------------------------------- */

static bool has_now(const Flush *flush, ecs_Entity entity, ecs_Component id) {
  RowRef place;
  if (flush->spawn != NULL) return false;
  return store_locate(flush->store, entity, id, &place) == ECS_OK &&
         place.table != NULL;
}

/* The change of a component, cleared when the chain names it first. */
static ComponentChange *ensure_change(Flush *flush, ecs_Entity entity,
                                      ecs_Component id) {
  uint32_t position = flush->position[id];
  if (position != 0) return &flush->changes[position - 1];
  ECS_ASSERT(flush->change_count < flush->change_capacity);
  ComponentChange *change = &flush->changes[flush->change_count++];
  flush->position[id] = flush->change_count;
  *change = (ComponentChange){.id = id, .present = has_now(flush, entity, id)};
  return change;
}

/* Staged rows have every component of their bundle from the start. */
static void add_staged(Flush *flush, ecs_Entity entity,
                       const StagedRows *staged) {
  for (uint32_t i = 0; i < staged->bundle->item_count; i++)
    ensure_change(flush, entity, staged->bundle->items[i].component)->present =
        true;
}

static void summarize_command(Flush *flush, ecs_Entity entity,
                              const Command *command) {
  ECS_ASSERT(!flush->destroyed);
  if (command->kind == COMMAND_SPAWN) {
    ECS_ASSERT(command->previous == NULL);
    flush->spawn = command;
    if (command->staged != NULL) add_staged(flush, entity, command->staged);
    return;
  }
  if (command->kind == COMMAND_DESTROY) {
    flush->destroyed = true;
    return;
  }
  ComponentChange *change = ensure_change(flush, entity, command->component);
  if (command->kind == COMMAND_REMOVE) {
    change->present = false;
  } else if (!change->present) {
    change->present = true;
    change->origin = command;
  }
}

/* Computes the net effect of a chain: changes, spawn and destroyed. */
static void summarize(Flush *flush, const EntityCommands *commands) {
  while (flush->change_count > 0)
    flush->position[flush->changes[--flush->change_count].id] = 0;
  flush->spawn = NULL;
  flush->destroyed = false;
  for (const Command *command = commands->first; command != NULL;
       command = command->next)
    summarize_command(flush, commands->entity, command);
}

/* Where a row goes ------------------------------------------------------ */

/* The row that the entity has in a group now; one that is spawned has none. */
static RowRef locate_row(const Flush *flush, const Group *group,
                         ecs_Entity entity) {
  if (flush->spawn != NULL) return (RowRef){NULL, 0};
  return store_locate_group(flush->store, group, entity);
}

/* Will the row have any tag that is stored as bits? */
static bool will_have_bits(const Flush *flush, const Group *group,
                           RowRef place) {
  for (uint32_t i = 0; group->bits_count > 0 && i < group->component_count;
       i++) {
    const GroupComponent *member = &group->components[i];
    uint32_t position = flush->position[member->component];
    if (member->bits_index == GROUP_NOT_BITS) continue;
    if (position != 0
            ? flush->changes[position - 1].present
            : place.table != NULL &&
                  table_has_bit(place.table, place.row, member->bits_index))
      return true;
  }
  return false;
}

/* Starts from the mask and the columns of bits that a row has now. */
static void begin_mask(Flush *flush, const Group *group, RowRef place,
                       uint32_t *bits_columns) {
  const Table *table = place.table;
  memset(flush->mask, 0, group_words(group) * sizeof(uint64_t));
  *bits_columns = table == NULL ? 0 : table->bits_columns;
  if (table != NULL && table->mask_words > 0)
    memcpy(flush->mask, table->mask, table->mask_words * sizeof(uint64_t));
}

/* Finds the table that a row goes to: its mask in flush->mask, and the columns
 * of bits that the row needs there. False: the entity will have no row in the
 * group. */
static bool target_mask(Flush *flush, const Group *group, RowRef place,
                        uint32_t *bits_columns) {
  bool any = false;
  begin_mask(flush, group, place, bits_columns);
  for (uint32_t i = 0; i < flush->change_count; i++) {
    const ComponentChange *change = &flush->changes[i];
    const Component *component = &flush->store->components[change->id];
    uint64_t bit = UINT64_C(1) << (component->bit & 63u);
    if (component->group != group) continue;
    if (group_is_bits(group, component->bit)) {
      uint32_t columns = group_bits_columns(group, component->bit);
      if (change->present && columns > *bits_columns) *bits_columns = columns;
    } else if (change->present) {
      flush->mask[component->bit >> 6] |= bit;
    } else {
      flush->mask[component->bit >> 6] &= ~bit;
    }
  }
  for (uint32_t i = 0; i < group_words(group); i++)
    any = any || flush->mask[i] != 0;
  return any || group->id == 0 || will_have_bits(flush, group, place);
}

/* First pass: reserving ------------------------------------------------- */

static ecs_Status reserve_in_group(Flush *flush, Group *group,
                                   ecs_Entity entity) {
  Memory *memory = &flush->store->memory;
  RowRef place = locate_row(flush, group, entity);
  uint32_t bits_columns = 0;
  Table *to = NULL;
  if (!target_mask(flush, group, place, &bits_columns)) return ECS_OK;
  ecs_Status status =
      group_ensure_table(group, memory, flush->mask, group_words(group), &to);
  if (status != ECS_OK) return status;
  if (to == place.table)
    return store_reserve_rows(flush->store, group, to, bits_columns, 0);
  status = store_reserve_rows(flush->store, group, to, bits_columns,
                              (uint64_t)to->pending + 1);
  if (status == ECS_OK && group->id != 0)
    status = locator_reserve(&group->locator, memory, id_index(entity));
  if (status == ECS_OK) to->pending++;
  return status;
}

/* Is this the entity's first change in the group in this pass? Notes it. */
static bool is_first_change(Flush *flush, uint32_t group_id) {
  ECS_ASSERT(flush->last_entity[group_id] <= flush->entity_number);
  if (flush->last_entity[group_id] == flush->entity_number) return false;
  flush->last_entity[group_id] = flush->entity_number;
  return true;
}

/* The group of the i-th change; NULL: an earlier change named it. After the
 * last change comes the main group, for an entity that is spawned. */
static Group *next_group(Flush *flush, uint32_t i) {
  Store *store = flush->store;
  uint32_t group_id = i < flush->change_count
                          ? store->components[flush->changes[i].id].group_id
                          : 0;
  if (i == flush->change_count && flush->spawn == NULL) return NULL;
  return is_first_change(flush, group_id) ? store->groups[group_id] : NULL;
}

/* Is a chain the destruction of an entity that is placed, and nothing else? */
static bool only_destroys(const EntityCommands *commands) {
  return commands->first->kind == COMMAND_DESTROY;
}

static ecs_Status reserve_entity(Flush *flush, const EntityCommands *commands) {
  SpawnShape *shape = NULL;
  if (only_destroys(commands)) return ECS_OK;
  ecs_Status spawned = shape_find(flush->store, &flush->shapes, flush->mask,
                                  commands, true, &shape);
  if (spawned != ECS_OK) return spawned;
  if (shape != NULL) return shape_reserve(flush->store, shape);
  summarize(flush, commands);
  flush->entity_number++;
  if (flush->destroyed) return ECS_OK;
  for (uint32_t i = 0; i <= flush->change_count; i++) {
    Group *group = next_group(flush, i);
    if (group == NULL) continue;
    ecs_Status status = reserve_in_group(flush, group, commands->entity);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

/* Second pass: moving rows ---------------------------------------------- */

static uint32_t enter_table(Flush *flush, Group *group, Table *to,
                            ecs_Entity entity) {
  uint32_t row = table_append(to, entity);
  ECS_ASSERT(to->pending > 0);
  to->pending--;
  if (group->id != 0)
    store_enter(flush->store, group, id_index(entity), to, row);
  else if (flush->spawn != NULL)
    entity_index_place(&flush->store->index, id_index(entity), to->id, row);
  else
    entity_index_move(&flush->store->index, id_index(entity), to->id, row);
  return row;
}

/* Moves the entity's row of a group, adds it to the group or removes it.
 * Returns the row afterwards. */
static RowRef place_row(Flush *flush, Group *group, ecs_Entity entity) {
  Store *store = flush->store;
  RowRef place = locate_row(flush, group, entity);
  uint32_t bits_columns = 0;
  store_touch(store, group);
  if (!target_mask(flush, group, place, &bits_columns)) {
    if (place.table == NULL) return place;
    store_remove_row(store, group, place.table, place.row);
    store_leave(store, group, id_index(entity));
    return (RowRef){NULL, 0};
  }
  Table *to = group_find_table(group, flush->mask, group_words(group));
  ECS_ASSERT(to != NULL);
  if (to == place.table) return place;
  RowRef target = {to, enter_table(flush, group, to, entity)};
  if (place.table == NULL) return target;
  group_copy_row(group, to, target.row, place.table, place.row);
  store_remove_row(store, group, place.table, place.row);
  return target;
}

static void write_bits(const Flush *flush, const Group *group, RowRef place) {
  for (uint32_t i = 0; place.table != NULL && i < flush->change_count; i++) {
    const ComponentChange *change = &flush->changes[i];
    const Component *component = &flush->store->components[change->id];
    uint32_t index = component->bits_index;
    if (component->group != group || index == GROUP_NOT_BITS) continue;
    ECS_ASSERT(!change->present || index >> 3 < place.table->bits_columns);
    if (index >> 3 < place.table->bits_columns)
      table_write_bit(place.table, place.row, index, change->present);
  }
}

/* Second pass: writing values ------------------------------------------- */

/* The change of a component with columns that the entity has in the end, and
 * its row; NULL for any other component. */
static ComponentChange *find_written(const Flush *flush, ecs_Entity entity,
                                     ecs_Component id, RowRef *place) {
  ECS_ASSERT(flush->position[id] > 0);
  ComponentChange *change = &flush->changes[flush->position[id] - 1];
  const Component *component = &flush->store->components[id];
  if (!change->present || component->field_count == 0) return NULL;
  store_locate(flush->store, entity, id, place);
  ECS_ASSERT(place->table != NULL);
  return change;
}

/* Copies an item of a staged row to where its component is now. */
static void write_item(const Flush *flush, uint32_t item, RowRef to) {
  const StagedRows *staged = flush->spawn->staged;
  const Schema *schema = staged->schemas[item];
  ecs_Component id = staged->bundle->items[item].component;
  const ColumnCode *source = table_codes(staged->table, item);
  const ColumnCode *target =
      table_codes(to.table, flush->store->components[id].bit);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    element_store(
        table_element(to.table, target[i], to.row),
        table_element(staged->table, source[i], flush->spawn->staged_row),
        schema->fields[i].type);
  }
}

static void write_staged(const Flush *flush, ecs_Entity entity) {
  const StagedRows *staged = flush->spawn->staged;
  RowRef place;
  ECS_ASSERT(staged->table->entities[flush->spawn->staged_row] == entity);
  for (uint32_t i = 0; i < staged->bundle->item_count; i++) {
    const ComponentChange *change =
        find_written(flush, entity, staged->bundle->items[i].component, &place);
    if (change != NULL && change->origin == NULL) write_item(flush, i, place);
  }
}

/* Stores the image of an ADD or SET. Commands before the component's origin
 * have no effect any more. */
static void write_command(const Flush *flush, ecs_Entity entity,
                          const Command *command) {
  RowRef place;
  ComponentChange *change =
      find_written(flush, entity, command->component, &place);
  if (change == NULL) return;
  const Component *component = &flush->store->components[command->component];
  const void *image = command_image(command);
  if (command == change->origin) {
    table_store(place.table, place.row, component->bit, component->schema,
                component->schema->default_image, UINT64_MAX);
    change->begun = true;
  } else if (command->kind != COMMAND_SET ||
             (change->origin != NULL && !change->begun)) {
    return;
  }
  if (image != NULL)
    table_store(place.table, place.row, component->bit, component->schema,
                image,
                command->kind == COMMAND_SET ? command->fields : UINT64_MAX);
}

static void write_values(const Flush *flush, const EntityCommands *commands) {
  if (flush->spawn != NULL && flush->spawn->staged != NULL)
    write_staged(flush, commands->entity);
  for (const Command *command = commands->first; command != NULL;
       command = command->next)
    if (command->kind == COMMAND_ADD || command->kind == COMMAND_SET)
      write_command(flush, commands->entity, command);
}

static void destroy_entity(const Flush *flush, const EntityCommands *commands) {
  if (flush->spawn == NULL)
    store_destroy_entity(flush->store, commands->entity);
  else
    entity_index_free(&flush->store->index, id_index(commands->entity),
                      id_generation(commands->entity));
}

static void commit_entity(Flush *flush, const EntityCommands *commands) {
  SpawnShape *shape = NULL;
  if (only_destroys(commands)) {
    store_destroy_entity(flush->store, commands->entity);
    return;
  }
  shape_find(flush->store, &flush->shapes, flush->mask, commands, false,
             &shape);
  if (shape != NULL) {
    shape_commit(flush->store, shape, commands);
    return;
  }
  summarize(flush, commands);
  flush->entity_number++;
  if (flush->destroyed) {
    destroy_entity(flush, commands);
    return;
  }
  /* The main group first: other groups write into the entity's slot. */
  if (flush->spawn != NULL && is_first_change(flush, 0))
    write_bits(flush, store_main(flush->store),
               place_row(flush, store_main(flush->store), commands->entity));
  for (uint32_t i = 0; i < flush->change_count; i++) {
    Group *group = next_group(flush, i);
    if (group != NULL)
      write_bits(flush, group, place_row(flush, group, commands->entity));
  }
  /* A spawned entity is placed by now, and its rows are located like others. */
  write_values(flush, commands);
}

/* All of it ------------------------------------------------------------- */

static void note_tables(Flush *flush) {
  for (uint32_t i = 0; i < flush->store->group_count; i++)
    flush->tables_before[i] = flush->store->groups[i]->table_count;
}

static void drop_tables(Flush *flush) {
  Store *store = flush->store;
  for (uint32_t i = 0; i < store->group_count; i++) {
    Group *group = store->groups[i];
    for (uint32_t k = 0; k < group->table_count; k++)
      group->tables[k]->pending = 0;
    group_drop_tables(group, &store->memory, flush->tables_before[i]);
  }
}

static ecs_Status reserve_all(Flush *flush) {
  const CommandBuffer *buffer = flush->buffer;
  ecs_Status status = ECS_OK;
  flush->shapes.count = 0;
  note_tables(flush);
  for (uint32_t i = 0; status == ECS_OK && i < buffer->entity_count; i++)
    status = reserve_entity(flush, &buffer->entities[i]);
  if (status != ECS_OK) drop_tables(flush);
  return status;
}

static ecs_Status apply_list(Flush *flush) {
  void *list = flush->list;
  bool there =
      ensure_capacity(&flush->store->memory, &list, &flush->list_capacity,
                      flush->buffer->entity_count, sizeof(ecs_Entity));
  flush->list = list;
  return there ? command_apply_list(flush->buffer, flush->list) : ECS_E_MEMORY;
}

static void commit_all(CommandBuffer *buffer) {
  buffer->flush->shapes.count = 0;
  for (uint32_t i = 0; i < buffer->entity_count; i++)
    commit_entity(buffer->flush, &buffer->entities[i]);
}

ecs_Status command_flush(CommandBuffer *buffer) {
  if (buffer->entity_count == 0) {
    if (buffer->staged != NULL) command_reset(buffer); /* of no entities */
    return ECS_OK;
  }
#ifdef ECS_TINY
  ECS_ASSERT(command_buffer_check_invariants(buffer));
#endif
  bool list = command_is_list(buffer);
  ecs_Status status = flush_ensure(buffer);
  if (status == ECS_OK)
    status = list ? apply_list(buffer->flush) : reserve_all(buffer->flush);
  if (status != ECS_OK) {
    command_rewind(buffer, (CommandMark){0});
    return status;
  }
  if (!list) commit_all(buffer);
  command_reset(buffer);
#ifdef ECS_TINY
  ECS_ASSERT(store_check_invariants(buffer->store));
#endif
  return ECS_OK;
}

/* command_flush.c: applies a command buffer, whole or not at all. */
#include "change/command_flush.h"

#include "change/entity_change_fast.h"
#include "storage/table_image.h"

/* What is known of one component while a chain is folded. */
typedef struct ComponentChange {
  ecs_Component component;
  bool present;          /* at the end of the chain */
  bool begun;            /* while writing: the chain has passed its origin */
  const Command *origin; /* where its values start; NULL: in the stage, or
                            as they are */
} ComponentChange;

typedef struct Fold {
  CommandBuffer *buffer;
  Store *store;
  ComponentChange *touched; /* of the chain being folded */
  uint32_t touched_count;
  uint32_t touched_capacity;
  uint32_t *position; /* by component: in touched, plus one; 0: untouched */
  uint32_t position_capacity;
  uint64_t *mask; /* of the table that a row goes to */
  uint32_t mask_capacity;
  uint32_t *tables_before; /* per group */
  uint32_t tables_before_capacity;
  uint64_t *visited; /* per group: the visit that came last */
  uint32_t visited_capacity;
  uint64_t visit;       /* of this subject in this pass */
  const Command *spawn; /* the chain begins so; NULL: it does not */
  bool destroyed;       /* it ends so */
} Fold;

/* Memory ---------------------------------------------------------------- */

void command_flush_deinit(CommandBuffer *buffer) {
  Memory *memory = &buffer->store->memory;
  Fold *fold = buffer->fold;
  if (fold == NULL) return;
  memory_free(memory, fold->touched,
              fold->touched_capacity * sizeof(ComponentChange));
  memory_free(memory, fold->position,
              fold->position_capacity * sizeof(uint32_t));
  memory_free(memory, fold->mask, fold->mask_capacity * sizeof(uint64_t));
  memory_free(memory, fold->tables_before,
              fold->tables_before_capacity * sizeof(uint32_t));
  memory_free(memory, fold->visited, fold->visited_capacity * sizeof(uint64_t));
  memory_free(memory, fold, sizeof(Fold));
  buffer->fold = NULL;
}

/* Makes an array hold at least needed elements; what is new is zero. */
static bool hold(Memory *memory, void **array, uint32_t *capacity,
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

static bool fold_reserve(Fold *fold) {
  Store *store = fold->store;
  Memory *memory = &store->memory;
  void *touched = fold->touched, *position = fold->position;
  void *mask = fold->mask, *before = fold->tables_before;
  void *visited = fold->visited;
  bool held = hold(memory, &touched, &fold->touched_capacity,
                   store->component_count, sizeof(ComponentChange)) &&
              hold(memory, &position, &fold->position_capacity,
                   store->component_count, sizeof(uint32_t)) &&
              hold(memory, &mask, &fold->mask_capacity, most_words(store),
                   sizeof(uint64_t)) &&
              hold(memory, &before, &fold->tables_before_capacity,
                   store->group_count, sizeof(uint32_t)) &&
              hold(memory, &visited, &fold->visited_capacity,
                   store->group_count, sizeof(uint64_t));
  fold->touched = touched;
  fold->position = position;
  fold->mask = mask;
  fold->tables_before = before;
  fold->visited = visited;
  return held;
}

static ecs_Status fold_ensure(CommandBuffer *buffer) {
  if (buffer->fold == NULL) {
    buffer->fold = memory_zeroed(&buffer->store->memory, 1, sizeof(Fold));
    if (buffer->fold == NULL) return ECS_E_MEMORY;
    *buffer->fold = (Fold){.buffer = buffer, .store = buffer->store};
  }
  return fold_reserve(buffer->fold) ? ECS_OK : ECS_E_MEMORY;
}

/* Folding --------------------------------------------------------------- */

static bool has_now(const Fold *fold, ecs_Entity entity,
                    ecs_Component component) {
  RowRef place;
  if (fold->spawn != NULL) return false;
  return store_locate(fold->store, entity, component, &place) == ECS_OK &&
         place.table != NULL;
}

static ComponentChange *touch(Fold *fold, ecs_Entity entity,
                              ecs_Component component) {
  uint32_t at = fold->position[component];
  if (at != 0) return &fold->touched[at - 1];
  ComponentChange *touched = &fold->touched[fold->touched_count++];
  fold->position[component] = fold->touched_count;
  *touched = (ComponentChange){.component = component,
                               .present = has_now(fold, entity, component)};
  return touched;
}

/* What a staged row has from the start. */
static void touch_stage(Fold *fold, ecs_Entity entity,
                        const StagedRows *stage) {
  for (uint32_t i = 0; i < stage->bundle->item_count; i++) {
    ComponentChange *touched =
        touch(fold, entity, stage->bundle->items[i].component);
    touched->present = true;
  }
}

static void fold_command(Fold *fold, ecs_Entity entity,
                         const Command *command) {
  ComponentChange *touched = NULL;
  if (command->kind == COMMAND_SPAWN) {
    fold->spawn = command;
    if (command->stage != NULL) touch_stage(fold, entity, command->stage);
    return;
  }
  if (command->kind == COMMAND_DESTROY) {
    fold->destroyed = true;
    return;
  }
  touched = touch(fold, entity, command->component);
  if (command->kind == COMMAND_REMOVE) {
    touched->present = false;
  } else if (!touched->present) {
    touched->present = true;
    touched->origin = command;
  }
}

static void fold_subject(Fold *fold, const EntityCommands *subject) {
  while (fold->touched_count > 0)
    fold->position[fold->touched[--fold->touched_count].component] = 0;
  fold->spawn = NULL;
  fold->destroyed = false;
  for (const Command *command = subject->first; command != NULL;
       command = command->next)
    fold_command(fold, subject->entity, command);
}

/* Where a row goes ------------------------------------------------------ */

static RowRef place_in(const Fold *fold, const Group *group,
                       ecs_Entity entity) {
  RowRef nowhere = {NULL, 0};
  if (fold->spawn != NULL) return nowhere;
  return group->id == 0 ? store_locate_main(fold->store, entity)
                        : store_locate_in(group, id_index(entity));
}

/* Will the row have any tag that is stored as bits? */
static bool will_have_bits(const Fold *fold, const Group *group, RowRef place) {
  for (uint32_t i = 0; group->bits_count > 0 && i < group->component_count;
       i++) {
    const GroupComponent *what = &group->components[i];
    uint32_t at = fold->position[what->component];
    if (what->bits_index == GROUP_NOT_BITS) continue;
    if (at != 0 ? fold->touched[at - 1].present
                : place.table != NULL &&
                      table_has_bit(place.table, place.row, what->bits_index))
      return true;
  }
  return false;
}

/* The mask of the table the row goes to, in fold->mask, and the columns of
 * bits it needs there. False: it will have no place in the group. */
static bool aim(Fold *fold, const Group *group, RowRef place,
                uint32_t *bits_columns) {
  bool any = false;
  memset(fold->mask, 0, group_words(group) * sizeof(uint64_t));
  *bits_columns = 0;
  if (place.table != NULL) {
    if (place.table->mask_words > 0)
      memcpy(fold->mask, place.table->mask,
             place.table->mask_words * sizeof(uint64_t));
    *bits_columns = place.table->bits_columns;
  }
  for (uint32_t i = 0; i < fold->touched_count; i++) {
    const ComponentChange *touched = &fold->touched[i];
    const Component *what = &fold->store->components[touched->component];
    uint64_t bit = UINT64_C(1) << (what->bit & 63u);
    if (what->group_id != group->id) continue;
    if (group_is_bits(group, what->bit)) {
      uint32_t columns = group_bits_columns(group, what->bit);
      if (touched->present && columns > *bits_columns) *bits_columns = columns;
    } else if (touched->present) {
      fold->mask[what->bit >> 6] |= bit;
    } else {
      fold->mask[what->bit >> 6] &= ~bit;
    }
  }
  for (uint32_t i = 0; i < group_words(group); i++)
    any = any || fold->mask[i] != 0;
  return any || group->id == 0 || will_have_bits(fold, group, place);
}

/* First pass ------------------------------------------------------------ */

static ecs_Status reserve_in_group(Fold *fold, Group *group,
                                   ecs_Entity entity) {
  Memory *memory = &fold->store->memory;
  RowRef place = place_in(fold, group, entity);
  uint32_t bits_columns = 0;
  Table *to = NULL;
  if (!aim(fold, group, place, &bits_columns)) return ECS_OK;
  ecs_Status status =
      group_ensure_table(group, memory, fold->mask, group_words(group), &to);
  if (status != ECS_OK) return status;
  if (to == place.table)
    return store_reserve_rows(fold->store, group, to, bits_columns, 0);
  status = store_reserve_rows(fold->store, group, to, bits_columns,
                              (uint64_t)to->pending + 1);
  if (status == ECS_OK && group->id != 0)
    status = locator_reserve(&group->locator, memory, id_index(entity));
  if (status == ECS_OK) to->pending++;
  return status;
}

/* Is this the first time that the subject asks for the group? */
static bool visit_group(Fold *fold, uint32_t group) {
  if (fold->visited[group] == fold->visit) return false;
  fold->visited[group] = fold->visit;
  return true;
}

/* The group of the i-th touched component, if it was not visited before; the
 * main group at the end, for those that are born. */
static Group *next_group(Fold *fold, uint32_t i) {
  Store *store = fold->store;
  uint32_t group = i < fold->touched_count
                       ? store->components[fold->touched[i].component].group_id
                       : 0;
  if (i == fold->touched_count && fold->spawn == NULL) return NULL;
  return visit_group(fold, group) ? store->groups[group] : NULL;
}

static ecs_Status reserve_subject(Fold *fold, const EntityCommands *subject) {
  fold_subject(fold, subject);
  fold->visit++;
  if (fold->destroyed) return ECS_OK;
  for (uint32_t i = 0; i <= fold->touched_count; i++) {
    Group *group = next_group(fold, i);
    if (group == NULL) continue;
    ecs_Status status = reserve_in_group(fold, group, subject->entity);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

/* Second pass ----------------------------------------------------------- */

static uint32_t enter_table(Fold *fold, Group *group, Table *to,
                            ecs_Entity entity) {
  uint32_t row = table_append(to, entity);
  ECS_ASSERT(to->pending > 0);
  to->pending--;
  if (group->id != 0)
    store_enter(fold->store, group, id_index(entity), to, row);
  else if (fold->spawn != NULL)
    entity_index_place(&fold->store->index, id_index(entity), to->id, row);
  else
    entity_index_move(&fold->store->index, id_index(entity), to->id, row);
  return row;
}

/* Moves, enters or leaves; where the row is afterwards. */
static RowRef settle_row(Fold *fold, Group *group, ecs_Entity entity) {
  Store *store = fold->store;
  RowRef place = place_in(fold, group, entity);
  uint32_t bits_columns = 0;
  store_touch(store, group);
  if (!aim(fold, group, place, &bits_columns)) {
    if (place.table == NULL) return place;
    store_remove_row(store, group, place.table, place.row);
    store_leave(store, group, id_index(entity));
    return (RowRef){NULL, 0};
  }
  Table *to = group_find_table(group, fold->mask, group_words(group));
  if (to == place.table) return place;
  RowRef target = {to, enter_table(fold, group, to, entity)};
  if (place.table == NULL) return target;
  group_copy_row(group, to, target.row, place.table, place.row);
  store_remove_row(store, group, place.table, place.row);
  return target;
}

static void write_bits(const Fold *fold, const Group *group, RowRef place) {
  for (uint32_t i = 0; place.table != NULL && i < fold->touched_count; i++) {
    const ComponentChange *touched = &fold->touched[i];
    const Component *what = &fold->store->components[touched->component];
    if (what->group_id != group->id || !group_is_bits(group, what->bit))
      continue;
    uint32_t index = group->components[what->bit].bits_index;
    if (index >> 3 < place.table->bits_columns)
      table_write_bit(place.table, place.row, index, touched->present);
  }
}

/* From a staged row to where its component is now. */
static void write_staged(const Fold *fold, uint32_t item, RowRef to) {
  const StagedRows *stage = fold->spawn->stage;
  const Schema *schema = stage->schemas[item];
  ecs_Component component = stage->bundle->items[item].component;
  const ColumnCode *source = table_codes(stage->table, item);
  const ColumnCode *target =
      table_codes(to.table, fold->store->components[component].bit);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    element_store(
        table_element(to.table, target[i], to.row),
        table_element(stage->table, source[i], fold->spawn->stage_row),
        schema->fields[i].type);
  }
}

/* The touched component with columns that an entity has in the end. */
static ComponentChange *find_written(const Fold *fold, ecs_Entity entity,
                                     ecs_Component component, RowRef *place) {
  ComponentChange *touched = &fold->touched[fold->position[component] - 1];
  const Schema *schema = fold->store->components[component].schema;
  if (!touched->present || schema->field_count == 0) return NULL;
  store_locate(fold->store, entity, component, place);
  return touched;
}

static void write_stage(const Fold *fold, ecs_Entity entity) {
  const StagedRows *stage = fold->spawn->stage;
  RowRef place;
  for (uint32_t i = 0; i < stage->bundle->item_count; i++) {
    const ComponentChange *touched =
        find_written(fold, entity, stage->bundle->items[i].component, &place);
    if (touched != NULL && touched->origin == NULL)
      write_staged(fold, i, place);
  }
}

/* An ADD or SET: nothing before the component's origin counts any more. */
static void write_command(const Fold *fold, ecs_Entity entity,
                          const Command *command) {
  RowRef place;
  ComponentChange *touched =
      find_written(fold, entity, command->component, &place);
  if (touched == NULL) return;
  const Component *what = &fold->store->components[command->component];
  const void *image = command_image(command);
  if (command == touched->origin) {
    table_store(place.table, place.row, what->bit, what->schema,
                what->schema->default_image, UINT64_MAX);
    touched->begun = true;
  } else if (command->kind != COMMAND_SET ||
             (touched->origin != NULL && !touched->begun)) {
    return;
  }
  if (image != NULL)
    table_store(place.table, place.row, what->bit, what->schema, image,
                command->kind == COMMAND_SET ? command->fields : UINT64_MAX);
}

static void write_values(const Fold *fold, const EntityCommands *subject) {
  if (fold->spawn != NULL && fold->spawn->stage != NULL)
    write_stage(fold, subject->entity);
  for (const Command *command = subject->first; command != NULL;
       command = command->next)
    if (command->kind == COMMAND_ADD || command->kind == COMMAND_SET)
      write_command(fold, subject->entity, command);
}

static void destroy_subject(const Fold *fold, const EntityCommands *subject) {
  if (fold->spawn == NULL)
    store_destroy_entity(fold->store, subject->entity);
  else
    entity_index_free(&fold->store->index, id_index(subject->entity),
                      id_generation(subject->entity));
}

static void commit_subject(Fold *fold, const EntityCommands *subject) {
  fold_subject(fold, subject);
  fold->visit++;
  if (fold->destroyed) {
    destroy_subject(fold, subject);
    return;
  }
  /* The main group first: other groups write into the entity's slot. */
  if (fold->spawn != NULL && visit_group(fold, 0))
    write_bits(fold, store_main(fold->store),
               settle_row(fold, store_main(fold->store), subject->entity));
  for (uint32_t i = 0; i < fold->touched_count; i++) {
    Group *group = next_group(fold, i);
    if (group != NULL)
      write_bits(fold, group, settle_row(fold, group, subject->entity));
  }
  /* Born now: its places are found like anybody's. */
  write_values(fold, subject);
}

/* All of it ------------------------------------------------------------- */

static void note_tables(Fold *fold) {
  for (uint32_t i = 0; i < fold->store->group_count; i++)
    fold->tables_before[i] = fold->store->groups[i]->table_count;
}

static void drop_tables(Fold *fold) {
  Store *store = fold->store;
  for (uint32_t i = 0; i < store->group_count; i++) {
    Group *group = store->groups[i];
    for (uint32_t k = 0; k < group->table_count; k++)
      group->tables[k]->pending = 0;
    group_drop_tables(group, &store->memory, fold->tables_before[i]);
  }
}

static ecs_Status reserve_all(Fold *fold) {
  const CommandBuffer *buffer = fold->buffer;
  for (uint32_t i = 0; i < buffer->subject_count; i++) {
    ecs_Status status = reserve_subject(fold, &buffer->subjects[i]);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

ecs_Status command_flush(CommandBuffer *buffer) {
  if (buffer->subject_count == 0) {
    if (buffer->stages != NULL) command_reset(buffer); /* of no entities */
    return ECS_OK;
  }
  ecs_Status status = fold_ensure(buffer);
  if (status == ECS_OK) {
    note_tables(buffer->fold);
    status = reserve_all(buffer->fold);
    if (status != ECS_OK) drop_tables(buffer->fold);
  }
  if (status != ECS_OK) {
    command_rewind(buffer, (CommandMark){0});
    return status;
  }
  for (uint32_t i = 0; i < buffer->subject_count; i++)
    commit_subject(buffer->fold, &buffer->subjects[i]);
  command_reset(buffer);
  return ECS_OK;
}

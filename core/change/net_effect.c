/* net_effect.c: applies the chain of commands of one entity. */
#include "change/net_effect.h"

#include "change/entity_change_fast.h"
#include "storage/table_image.h"

/* Memory ---------------------------------------------------------------- */

void net_effect_deinit(NetEffect *effect, Memory *memory) {
  memory_free(memory, effect->changes,
              effect->change_capacity * sizeof(ComponentChange));
  memory_free(memory, effect->commands,
              effect->command_capacity * sizeof(Command));
  memory_free(memory, effect->gotten,
              effect->gotten_capacity * sizeof(ecs_Component));
  memory_free(memory, effect->position,
              effect->position_capacity * sizeof(uint32_t));
  memory_free(memory, effect->mask, effect->mask_capacity * sizeof(uint64_t));
  memory_free(memory, effect->last_entity,
              effect->last_entity_capacity * sizeof(uint64_t));
}

static uint32_t most_words(const Store *store) {
  uint32_t most = 1;
  for (uint32_t i = 0; i < store->groups.count; i++)
    if (group_words(store->groups.all[i]) > most)
      most = group_words(store->groups.all[i]);
  return most;
}

ecs_Status net_effect_reserve(NetEffect *effect, CommandBuffer *buffer) {
  Store *store = buffer->store;
  Memory *memory = &store->memory;
  void *changes = effect->changes, *position = effect->position;
  void *mask = effect->mask, *last_entity = effect->last_entity;
  void *gotten = effect->gotten;
  effect->buffer = buffer;
  effect->store = store;
  bool done = memory_ensure(memory, &changes, &effect->change_capacity,
                            store->components.count, sizeof(ComponentChange)) &&
              memory_ensure(memory, &gotten, &effect->gotten_capacity,
                            store->components.count, sizeof(ecs_Component)) &&
              memory_ensure(memory, &position, &effect->position_capacity,
                            store->components.count, sizeof(uint32_t)) &&
              memory_ensure(memory, &mask, &effect->mask_capacity,
                            most_words(store), sizeof(uint64_t)) &&
              memory_ensure(memory, &last_entity, &effect->last_entity_capacity,
                            store->groups.count, sizeof(uint64_t));
  effect->changes = changes;
  effect->gotten = gotten;
  effect->position = position;
  effect->mask = mask;
  effect->last_entity = last_entity;
  return done ? ECS_OK : ECS_E_MEMORY;
}

/* Makes room for the commands of a chain. */
static ecs_Status reserve_commands(NetEffect *effect, uint32_t count) {
  void *commands = effect->commands;
  bool done = memory_ensure(&effect->store->memory, &commands,
                            &effect->command_capacity, count, sizeof(Command));
  effect->commands = commands;
  return done ? ECS_OK : ECS_E_MEMORY;
}

/* Summarizing ----------------------------------------------------------- */

static bool has_now(const NetEffect *effect, ecs_Entity entity,
                    ecs_Component id) {
  RowRef place;
  if (effect->spawns) return false;
  return store_locate(effect->store, entity, id, &place) == ECS_OK &&
         place.table != NULL;
}

/* The change of a component, cleared when the chain names it first. */
static ComponentChange *ensure_change(NetEffect *effect, ecs_Entity entity,
                                      ecs_Component id) {
  uint32_t position = effect->position[id];
  if (position != 0) return &effect->changes[position - 1];
  ECS_ASSERT(effect->change_count < effect->change_capacity);
  ComponentChange *change = &effect->changes[effect->change_count++];
  effect->position[id] = effect->change_count;
  *change = (ComponentChange){.id = id, .present = has_now(effect, entity, id)};
  return change;
}

/* Staged rows have every component of their bundle from the start. */
static void add_staged(NetEffect *effect, ecs_Entity entity,
                       const StagedRows *staged) {
  for (uint32_t i = 0; i < staged->bundle->item_count; i++)
    ensure_change(effect, entity, staged->bundle->items[i].component)->present =
        true;
}

/* A component is there from a command on. False: it was there before. */
static bool get(NetEffect *effect, ecs_Entity entity, ecs_Component id,
                const Command *command) {
  ComponentChange *change = ensure_change(effect, entity, id);
  if (change->present) return false;
  change->present = true;
  change->origin = command;
  return true;
}

/* Is the command a part of a spawn that brings all that its parts need? */
static bool is_part(const NetEffect *effect, const Command *command) {
  const Command *first = effect->commands;
  return first->kind == COMMAND_SPAWN &&
         (uint32_t)(command - first) <= first->component;
}

/* Adds what a component needs that a command has added, and what that needs in
 * turn. None is listed twice: it is there from then on. */
static void get_needs(NetEffect *effect, ecs_Entity entity,
                      const Command *command) {
  uint32_t count = 0;
  effect->gotten[count++] = command->component;
  while (count > 0) {
    ECS_ASSERT(count <= effect->gotten_capacity);
    const Component *component =
        &effect->store->components.all[effect->gotten[--count]];
    for (uint32_t i = 0; i < component->need_count; i++)
      if (get(effect, entity, component->needs[i], command))
        effect->gotten[count++] = component->needs[i];
  }
}

static void summarize_command(NetEffect *effect, ecs_Entity entity,
                              const Command *command) {
  ECS_ASSERT(command->kind != COMMAND_DESTROY);
  if (command->kind == COMMAND_SPAWN) {
    ECS_ASSERT(command == effect->commands);
    effect->spawns = true;
    effect->staged = command->image;
    if (effect->staged != NULL)
      add_staged(effect, entity, effect->staged->staged);
    return;
  }
  if (command->kind == COMMAND_REMOVE)
    ensure_change(effect, entity, command->component)->present = false;
  else if (get(effect, entity, command->component, command) &&
           effect->store->components.all[command->component].need_count > 0 &&
           !is_part(effect, command))
    get_needs(effect, entity, command);
}

/* Reads a chain, and computes its net effect. There is room for it. */
static void summarize(NetEffect *effect, const EntityCommands *commands) {
  effect->command_count = command_shape(effect->buffer, commands)->length;
  ECS_ASSERT(effect->command_count <= effect->command_capacity);
  command_list(effect->buffer, commands, effect->commands);
  while (effect->change_count > 0)
    effect->position[effect->changes[--effect->change_count].id] = 0;
  effect->spawns = false;
  effect->staged = NULL;
  for (uint32_t i = 0; i < effect->command_count; i++)
    summarize_command(effect, commands->entity, &effect->commands[i]);
}

/* Where a row goes ------------------------------------------------------ */

/* The row that the entity has in a group now; one that is spawned has none. */
static RowRef locate_row(const NetEffect *effect, const Group *group,
                         ecs_Entity entity) {
  if (effect->spawns) return (RowRef){NULL, 0};
  return store_locate_group(effect->store, group, entity);
}

/* Will the row have any tag that is stored as bits? */
static bool will_have_bits(const NetEffect *effect, const Group *group,
                           RowRef place) {
  for (uint32_t i = 0; group->bits_count > 0 && i < group->component_count;
       i++) {
    const GroupComponent *member = &group->components[i];
    uint32_t position = effect->position[member->component];
    if (member->bits_index == GROUP_NOT_BITS) continue;
    if (position != 0
            ? effect->changes[position - 1].present
            : place.table != NULL &&
                  table_has_bit(place.table, place.row, member->bits_index))
      return true;
  }
  return false;
}

/* Starts from the mask and the columns of bits that a row has now. */
static void begin_mask(NetEffect *effect, const Group *group, RowRef place,
                       uint32_t *bits_columns) {
  const Table *table = place.table;
  memset(effect->mask, 0, group_words(group) * sizeof(uint64_t));
  *bits_columns = table == NULL ? 0 : table->bits_columns;
  if (table != NULL) mask_write(&table->mask, effect->mask);
}

/* Finds the table that a row goes to: its mask in effect->mask, and the columns
 * of bits that the row needs there. False: the entity will have no row in the
 * group. */
static bool target_mask(NetEffect *effect, const Group *group, RowRef place,
                        uint32_t *bits_columns) {
  bool any = false;
  begin_mask(effect, group, place, bits_columns);
  for (uint32_t i = 0; i < effect->change_count; i++) {
    const ComponentChange *change = &effect->changes[i];
    const Component *component = &effect->store->components.all[change->id];
    uint64_t bit = UINT64_C(1) << (component->bit & 63u);
    if (component->group != group) continue;
    if (group_is_bits(group, component->bit)) {
      uint32_t columns = group_bits_columns(group, component->bit);
      if (change->present && columns > *bits_columns) *bits_columns = columns;
    } else if (change->present) {
      effect->mask[component->bit >> 6] |= bit;
    } else {
      effect->mask[component->bit >> 6] &= ~bit;
    }
  }
  for (uint32_t i = 0; i < group_words(group); i++)
    any = any || effect->mask[i] != 0;
  return any || group->id == 0 || will_have_bits(effect, group, place);
}

/* First pass: reserving ------------------------------------------------- */

static ecs_Status reserve_in_group(NetEffect *effect, Group *group,
                                   ecs_Entity entity) {
  Memory *memory = &effect->store->memory;
  RowRef place = locate_row(effect, group, entity);
  uint32_t bits_columns = 0;
  Table *to = NULL;
  if (!target_mask(effect, group, place, &bits_columns)) return ECS_OK;
  Mask mask = mask_trim(effect->mask, group_words(group));
  ecs_Status status = group_ensure_table(group, memory, mask, &to);
  if (status != ECS_OK) return status;
  if (to == place.table)
    return store_reserve_rows(effect->store, group, to, bits_columns, 0);
  status = store_reserve_rows(effect->store, group, to, bits_columns,
                              (uint64_t)to->pending + 1);
  if (status == ECS_OK && group->id != 0)
    status = locator_reserve(&group->locator, memory, id_index(entity));
  if (status == ECS_OK) to->pending++;
  return status;
}

/* Is this the entity's first change in the group in this pass? Notes it. */
static bool is_first_change(NetEffect *effect, uint32_t group_id) {
  ECS_ASSERT(effect->last_entity[group_id] <= effect->entity_number);
  if (effect->last_entity[group_id] == effect->entity_number) return false;
  effect->last_entity[group_id] = effect->entity_number;
  return true;
}

/* The group of the i-th change; NULL: an earlier change named it. After the
 * last change comes the main group, for an entity that is spawned. */
static Group *next_group(NetEffect *effect, uint32_t i) {
  Store *store = effect->store;
  uint32_t group_id =
      i < effect->change_count
          ? store->components.all[effect->changes[i].id].group_id
          : 0;
  if (i == effect->change_count && !effect->spawns) return NULL;
  return is_first_change(effect, group_id) ? store->groups.all[group_id] : NULL;
}

ecs_Status net_effect_summarize(NetEffect *effect,
                                const EntityCommands *commands) {
  ecs_Status status =
      reserve_commands(effect, command_shape(effect->buffer, commands)->length);
  if (status == ECS_OK) summarize(effect, commands);
  return status;
}

ecs_Status net_effect_prepare(NetEffect *effect,
                              const EntityCommands *commands) {
  ecs_Status status = net_effect_summarize(effect, commands);
  if (status != ECS_OK) return status;
  effect->entity_number++;
  for (uint32_t i = 0; i <= effect->change_count; i++) {
    Group *group = next_group(effect, i);
    if (group == NULL) continue;
    status = reserve_in_group(effect, group, commands->entity);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

/* Second pass: moving rows ---------------------------------------------- */

static uint32_t enter_table(NetEffect *effect, Group *group, Table *to,
                            ecs_Entity entity) {
  uint32_t row = table_append(to, entity);
  ECS_ASSERT(to->pending > 0);
  to->pending--;
  if (group->id != 0)
    store_enter(effect->store, group, id_index(entity), to, row);
  else if (effect->spawns)
    entity_index_place(&effect->store->index, id_index(entity), to->id, row);
  else
    entity_index_move(&effect->store->index, id_index(entity), to->id, row);
  return row;
}

/* Tells that an entity has a new row; before: its old one, where it had one. */
static void note_row(Store *store, Group *group, ecs_Entity entity,
                     RowRef before, RowRef now) {
  bool filled = before.table != NULL && before.row < before.table->count;
  if (group->id != 0 && before.table == NULL)
    note_entered(store, group, id_index(entity), now.row);
  else
    note_moved(store, group, entity,
               filled ? before.table->entities[before.row] : entity);
}

/* Moves the entity's row of a group, adds it to the group or removes it.
 * Returns the row afterwards. */
static RowRef place_row(NetEffect *effect, Group *group, ecs_Entity entity) {
  Store *store = effect->store;
  RowRef place = locate_row(effect, group, entity);
  uint32_t bits_columns = 0;
  if (!target_mask(effect, group, place, &bits_columns)) {
    if (place.table == NULL) return place;
    store_remove_row(store, group, place.table, place.row);
    store_leave(store, group, id_index(entity));
    note_left(store, group, id_index(entity), place.row);
    return (RowRef){NULL, 0};
  }
  Table *to =
      group_find_table(group, mask_trim(effect->mask, group_words(group)));
  ECS_ASSERT(to != NULL);
  if (to == place.table) {
    note_changed(store, group);
    return place;
  }
  RowRef target = {to, enter_table(effect, group, to, entity)};
  if (place.table != NULL) {
    group_copy_row(group, to, target.row, place.table, place.row);
    store_remove_row(store, group, place.table, place.row);
  }
  note_row(store, group, entity, place, target);
  return target;
}

static void write_bits(const NetEffect *effect, const Group *group,
                       RowRef place) {
  for (uint32_t i = 0; place.table != NULL && i < effect->change_count; i++) {
    const ComponentChange *change = &effect->changes[i];
    const Component *component = &effect->store->components.all[change->id];
    uint32_t index = component->bits_index;
    if (component->group != group || index == GROUP_NOT_BITS) continue;
    ECS_ASSERT(!change->present || index >> 3 < place.table->bits_columns);
    if (index >> 3 < place.table->bits_columns)
      table_write_bit(place.table, place.row, index, change->present);
  }
}

/* Counts what happens to components of an entity that exists. */
static void count_changes(const NetEffect *effect) {
  for (uint32_t i = 0; !effect->spawns && i < effect->change_count; i++)
    effect->store->components.all[effect->changes[i].id].changes++;
}

/* Second pass: writing values ------------------------------------------- */

/* The change of a component with columns that the entity has in the end, and
 * its row; NULL for any other component. */
static ComponentChange *find_written(const NetEffect *effect, ecs_Entity entity,
                                     ecs_Component id, RowRef *place) {
  ECS_ASSERT(effect->position[id] > 0);
  ComponentChange *change = &effect->changes[effect->position[id] - 1];
  const Component *component = &effect->store->components.all[id];
  if (!change->present || component->field_count == 0) return NULL;
  store_locate(effect->store, entity, id, place);
  ECS_ASSERT(place->table != NULL);
  return change;
}

/* Copies an item of a staged row to where its component is now. */
static void write_item(const NetEffect *effect, uint32_t item, RowRef to) {
  const StagedRows *staged = effect->staged->staged;
  const Schema *schema = staged->schemas[item];
  ecs_Component id = staged->bundle->items[item].component;
  const ColumnCode *source = table_codes(staged->table, item);
  const ColumnCode *target =
      table_codes(to.table, effect->store->components.all[id].bit);
  store_wrote(effect->store, id);
  table_stamp(to.table, effect->store->components.all[id].bit, to.row, 1);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    element_store(
        table_element(to.table, target[i], to.row),
        table_element(staged->table, source[i], (uint32_t)effect->staged->row),
        schema->fields[i].type);
  }
}

static void write_staged(const NetEffect *effect, ecs_Entity entity) {
  const StagedRows *staged = effect->staged->staged;
  RowRef place;
  ECS_ASSERT(staged->table->entities[effect->staged->row] == entity);
  for (uint32_t i = 0; i < staged->bundle->item_count; i++) {
    const ComponentChange *change = find_written(
        effect, entity, staged->bundle->items[i].component, &place);
    if (change != NULL && change->origin == NULL) write_item(effect, i, place);
  }
}

static void write_defaults(const Component *component, RowRef place,
                           ComponentChange *change) {
  table_store(place.table, place.row, component->bit, component->schema,
              component->schema->default_image, UINT64_MAX);
  change->begun = true;
}

/* Stores the defaults of what came because the command's component needs it. */
static void write_needs(NetEffect *effect, ecs_Entity entity,
                        const Command *command) {
  for (uint32_t i = 0; i < effect->change_count; i++) {
    RowRef place;
    ecs_Component id = effect->changes[i].id;
    if (effect->changes[i].origin != command || id == command->component)
      continue;
    ComponentChange *change = find_written(effect, entity, id, &place);
    if (change != NULL)
      write_defaults(&effect->store->components.all[id], place, change);
  }
}

/* Stores the image of an ADD or SET. Commands before the component's origin
 * have no effect any more. */
static void write_command(const NetEffect *effect, ecs_Entity entity,
                          const Command *command) {
  RowRef place;
  ComponentChange *change =
      find_written(effect, entity, command->component, &place);
  if (change == NULL) return;
  const Component *component =
      &effect->store->components.all[command->component];
  const void *image = command->image;
  store_wrote(effect->store, command->component);
  table_stamp(place.table, component->bit, place.row, 1);
  if (command == change->origin) {
    write_defaults(component, place, change);
  } else if (command->kind != COMMAND_SET ||
             (change->origin != NULL && !change->begun)) {
    return;
  }
  if (image != NULL)
    table_store(place.table, place.row, component->bit, component->schema,
                image, command->fields);
}

static void write_values(NetEffect *effect, ecs_Entity entity) {
  const Component *components = effect->store->components.all;
  if (effect->staged != NULL) write_staged(effect, entity);
  for (uint32_t i = 0; i < effect->command_count; i++) {
    const Command *command = &effect->commands[i];
    if (command->kind != COMMAND_ADD && command->kind != COMMAND_SET) continue;
    if (components[command->component].need_count > 0)
      write_needs(effect, entity, command);
    write_command(effect, entity, command);
  }
}

void net_effect_apply(NetEffect *effect, const EntityCommands *commands) {
  summarize(effect, commands);
  effect->entity_number++;
  count_changes(effect);
  /* The main group first: other groups write into the entity's slot. */
  if (effect->spawns && is_first_change(effect, 0))
    write_bits(effect, store_main(effect->store),
               place_row(effect, store_main(effect->store), commands->entity));
  for (uint32_t i = 0; i < effect->change_count; i++) {
    Group *group = next_group(effect, i);
    if (group != NULL)
      write_bits(effect, group, place_row(effect, group, commands->entity));
  }
  /* A spawned entity is placed by now, and its rows are located like others. */
  write_values(effect, commands->entity);
}

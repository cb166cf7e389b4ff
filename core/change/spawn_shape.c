/* spawn_shape.c: places recorded spawns that are alike. */
#include "change/spawn_shape.h"

#include "storage/table_image.h"

/* Has a chain that begins with a spawn this shape? */
static bool fits(const SpawnShape *shape, const Command *spawn) {
  const Command *command = spawn->next;
  for (uint32_t k = 0; k < shape->count; k++, command = command->next)
    if (command == NULL || command->kind != COMMAND_ADD ||
        command->component != shape->parts[k])
      return false;
  return command == NULL;
}

/* Lists the components of a chain that begins with a spawn. False: it has other
 * commands, or too many. */
static bool list_parts(SpawnShape *shape, const Command *spawn) {
  shape->count = 0;
  for (const Command *command = spawn->next; command != NULL;
       command = command->next) {
    if (command->kind != COMMAND_ADD || shape->count == SHAPE_PARTS)
      return false;
    shape->parts[shape->count++] = command->component;
  }
  return true;
}

/* Sets the bits of a shape's components in the mask. False: one stands twice,
 * or is not in a column of the main group. */
static bool set_mask(const Store *store, const SpawnShape *shape,
                     uint64_t *mask) {
  memset(mask, 0, group_words(store->main) * sizeof(uint64_t));
  for (uint32_t k = 0; k < shape->count; k++) {
    const Component *component = &store->components[shape->parts[k]];
    uint64_t *word = &mask[component->bit >> 6];
    uint64_t bit = UINT64_C(1) << (component->bit & 63u);
    if (component->group_id != 0 ||
        group_is_bits(store->main, component->bit) || (*word & bit) != 0)
      return false;
    *word |= bit;
  }
  return true;
}

/* Finds or makes the table of a shape. */
static ecs_Status find_table(Store *store, bool makes, uint64_t *mask,
                             SpawnShape *shape) {
  Group *group = store_main(store);
  uint32_t words = group_words(group);
  shape->table = NULL;
  if (!set_mask(store, shape, mask)) return ECS_OK;
  if (makes)
    return group_ensure_table(group, &store->memory, mask, words,
                              &shape->table);
  shape->table = group_find_table(group, mask, words);
  ECS_ASSERT(shape->table != NULL);
  return ECS_OK;
}

ecs_Status shape_find(Store *store, SpawnShapes *shapes, uint64_t *mask,
                      const EntityCommands *commands, bool makes,
                      SpawnShape **found) {
  const Command *spawn = commands->first;
  uint32_t known = shapes->count < SHAPE_COUNT ? shapes->count : SHAPE_COUNT;
  if (spawn->kind != COMMAND_SPAWN || spawn->staged != NULL) return ECS_OK;
  for (uint32_t k = 0; k < known; k++) {
    SpawnShape *shape = &shapes->shapes[k];
    if (!fits(shape, spawn)) continue;
    if (shape->table != NULL) *found = shape;
    return ECS_OK;
  }
  SpawnShape made;
  if (!list_parts(&made, spawn)) return ECS_OK;
  ecs_Status status = find_table(store, makes, mask, &made);
  SpawnShape *shape = &shapes->shapes[shapes->count++ % SHAPE_COUNT];
  *shape = made;
  if (shape->table != NULL) *found = shape;
  return status;
}

ecs_Status shape_reserve(Store *store, const SpawnShape *shape) {
  Table *table = shape->table;
  ecs_Status status = ECS_OK;
  if (table->count + (uint64_t)table->pending >= table->capacity)
    status = store_reserve_rows(store, store_main(store), table, 0,
                                (uint64_t)table->pending + 1);
  if (status == ECS_OK) table->pending++;
  return status;
}

void shape_commit(Store *store, const SpawnShape *shape,
                  const EntityCommands *commands) {
  Table *table = shape->table;
  ECS_ASSERT(table->pending > 0 && table->count < table->capacity);
  uint32_t row = table_append(table, commands->entity);
  table->pending--;
  entity_index_place(&store->index, id_index(commands->entity), table->id, row);
  store_touch(store, store_main(store));
  for (const Command *command = commands->first->next; command != NULL;
       command = command->next) {
    const Component *component = &store->components[command->component];
    if (component->field_count == 0) continue;
    if (command->has_image)
      table_store_all(table, row, component->bit, component->schema,
                      command + 1);
    else
      table_store_defaults(table, row, component->bit, component->schema);
  }
}

/* command_list.c: recorded changes that are one change of many entities. */
#include "change/command_list.h"

#include "change/list_change.h"

/* Fewer are not worth the look. */
#define LEAST_LIST 8u

bool command_is_list(const CommandBuffer *buffer) {
  if (buffer->entity_count < LEAST_LIST ||
      buffer->command_count != buffer->entity_count)
    return false;
  const Command *first = buffer->entities[0].first;
  if (first->kind == COMMAND_SPAWN || first->kind == COMMAND_SET) return false;
  for (uint32_t k = 0; k < buffer->entity_count; k++) {
    const Command *command = buffer->entities[k].first;
    ECS_ASSERT(command == buffer->entities[k].last);
    if (command->kind != first->kind || command->has_image ||
        command->component != first->component)
      return false;
  }
  return true;
}

ecs_Status command_apply_list(const CommandBuffer *buffer,
                              ecs_Entity *entities) {
  const Command *command = buffer->entities[0].first;
  uint32_t count = buffer->entity_count, found = 0;
  for (uint32_t k = 0; k < count; k++) entities[k] = buffer->entities[k].entity;
  switch (command->kind) {
    case COMMAND_ADD:
      return list_add(buffer->store, entities, count, command->component, NULL,
                      &found);
    case COMMAND_REMOVE:
      return list_remove(buffer->store, entities, count, command->component,
                         &found);
    default:
      list_destroy(buffer->store, entities, count, &found);
      return ECS_OK;
  }
}

/* load_part.c: what the parts of loading a save share. */
#include "state/load_part.h"

#include <stdio.h>

ecs_Status load_refuse(const Load *load, const char *sentence) {
  snprintf(load->problem, load->problem_bytes, "%s", sentence);
  return ECS_E_FILE;
}

ecs_Status load_refuse_of(const Load *load, const char *format,
                          const char *name, const char *field) {
  snprintf(load->problem, load->problem_bytes, format, name, field);
  return ECS_E_FILE;
}

void load_tell(Load *load, const char *format, const char *name,
               const char *field) {
  char text[600];
  load->same = false;
  if (load->listener->tell == NULL) return;
  snprintf(text, sizeof text, format, name, field);
  load->listener->tell(load->listener->user, text);
}

const SavedField *load_find_field(const Load *load,
                                  const SavedComponent *component,
                                  const char *name) {
  const SavedField *fields = saved_fields(load->saved, component);
  for (uint32_t i = 0; i < component->field_count; i++)
    if (strcmp(fields[i].name, name) == 0) return &fields[i];
  return NULL;
}

bool load_is_alive(const Load *load, ecs_Entity entity) {
  uint32_t index = id_index(entity);
  if (entity >> ECS_HANDLE_BITS != 0 || index == 0 ||
      index >= load->saved->used || load->marks[index] < LOAD_PLACED)
    return false;
  Slot slot = *load_slot(load, index);
  const SnapshotTable *table = &load->to->tables[slot_table(slot)];
  return load_get64(load->to->places.bytes + table->entities, slot_row(slot)) ==
         entity;
}

/* link_set.c: the links of a world's components. */
#include "world/link_set.h"

#include "change/command_buffer.h"
#include "change/spawn_together.h"

ecs_Status link_set_reserve(LinkSet *links, Memory *memory, uint32_t count) {
  void *indices = links->indices;
  bool done = memory_grow(memory, &indices, &links->capacity, links->count,
                          count, sizeof(LinkIndex));
  links->indices = indices;
  return done ? ECS_OK : ECS_E_MEMORY;
}

void link_set_define(LinkSet *links, Store *store, ecs_Component id) {
  Component *component = &store->components.all[id];
  const Schema *schema = component->schema;
  component->first_link = links->count;
  for (uint32_t i = 0; i < schema->field_count; i++) {
    const SchemaField *field = &schema->fields[i];
    if (field->link == SCHEMA_NO_LINK) continue;
    ECS_ASSERT(links->count < links->capacity);
    links->indices[links->count++] =
        (LinkIndex){.component = id,
                    .field = i,
                    .rule = (ecs_LinkRule)field->link,
                    .tree = field->tree};
    component->link_count++;
    component->guards++;
    component->noticed = true;
  }
}

void link_work_deinit(LinkWork *work, Memory *memory) {
  memory_free(memory, work->states, work->state_capacity * sizeof(LinkState));
  memory_free(memory, work->places, work->place_capacity * sizeof(uint32_t));
  memory_free(memory, work->steps, work->step_capacity * sizeof(LinkStep));
  memory_free(memory, work->changes,
              work->change_capacity * sizeof(LinkChange));
  memory_free(memory, work->dying, work->dying_capacity * sizeof(ecs_Entity));
  memory_free(memory, work->commands, work->command_capacity * sizeof(Command));
  memory_free(memory, work->members,
              work->member_capacity * sizeof(SpawnedRows));
  *work = (LinkWork){0};
}

void link_set_deinit(LinkSet *links, Memory *memory) {
  for (uint32_t i = 0; i < links->count; i++)
    link_index_deinit(&links->indices[i], memory);
  memory_free(memory, links->indices, links->capacity * sizeof(LinkIndex));
  link_work_deinit(&links->work, memory);
  *links = (LinkSet){0};
}

void link_set_clear(LinkSet *links) {
  for (uint32_t i = 0; i < links->count; i++)
    link_index_clear(&links->indices[i]);
}

void link_set_trim(LinkSet *links, Memory *memory) {
  for (uint32_t i = 0; i < links->count; i++)
    link_index_trim(&links->indices[i], memory);
  link_work_deinit(&links->work, memory);
}

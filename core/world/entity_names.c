/* entity_names.c: the names of a world's entities. */
#include "world/entity_names.h"

#include <string.h>

void entity_names_init(EntityNames *names) {
  *names = (EntityNames){0};
  locator_init(&names->by_index, true);
}

void entity_names_deinit(EntityNames *names, Memory *memory) {
  text_pool_deinit(&names->texts, memory);
  memory_free(memory, names->names, names->capacity * sizeof(EntityName));
  memory_free(memory, names->by_text, names->text_capacity * sizeof(uint32_t));
  memory_free(memory, names->renamed,
              names->renamed_capacity * sizeof(ecs_Entity));
  locator_deinit(&names->by_index, memory);
  uint64_t version = names->version;
  ecs_Component tag = names->tag;
  entity_names_init(names);
  names->version = version + 1;
  names->tag = tag;
}

ecs_Entity entity_names_find(const EntityNames *names, const char *name) {
  uint32_t text = text_pool_find(&names->texts, name, (uint32_t)strlen(name));
  return text == 0 ? 0 : names->names[names->by_text[text] - 1].entity;
}

/* The name of the newest entity with this index that got one; NULL: none. */
static EntityName *name_of(const EntityNames *names, uint32_t index) {
  RowId found = locator_find(&names->by_index, index);
  return locator_is_row(found.row) ? &names->names[found.row] : NULL;
}

const char *entity_names_get(const EntityNames *names, ecs_Entity entity) {
  const EntityName *name = name_of(names, id_index(entity));
  return name != NULL && name->entity == entity
             ? text_pool_bytes(&names->texts, name->text)
             : NULL;
}

static void place(EntityNames *names, uint32_t position, EntityName name) {
  names->names[position] = name;
  names->by_text[name.text] = position + 1;
  locator_set(&names->by_index, id_index(name.entity), (RowId){position, 0});
}

void entity_names_drop(EntityNames *names, Memory *memory, uint32_t position) {
  EntityName gone = names->names[position];
  ECS_ASSERT(position < names->count);
  locator_clear(&names->by_index, id_index(gone.entity));
  names->by_text[gone.text] = 0;
  text_pool_release(&names->texts, memory, gone.text);
  names->count--;
  names->version++;
  if (position < names->count)
    place(names, position, names->names[names->count]);
}

/* Drops a name, if there is one. */
static void drop(EntityNames *names, Memory *memory, const EntityName *name) {
  if (name != NULL)
    entity_names_drop(names, memory, (uint32_t)(name - names->names));
}

void entity_names_clear(EntityNames *names, Memory *memory, ecs_Entity entity) {
  const EntityName *name = name_of(names, id_index(entity));
  drop(names, memory, name != NULL && name->entity == entity ? name : NULL);
}

static ecs_Status reserve(EntityNames *names, Memory *memory, uint32_t index,
                          uint32_t text) {
  void *list = names->names, *by_text = names->by_text;
  bool done = memory_grow(memory, &list, &names->capacity, names->count, 1,
                          sizeof(EntityName)) &&
              memory_ensure(memory, &by_text, &names->text_capacity, text + 1,
                            sizeof(uint32_t));
  names->names = list;
  names->by_text = by_text;
  return done ? locator_reserve(&names->by_index, memory, index) : ECS_E_MEMORY;
}

ecs_Status entity_names_reserve(EntityNames *names, Memory *memory,
                                ecs_Entity entity, const char *name,
                                uint32_t *text) {
  ecs_Status status =
      text_pool_use(&names->texts, memory, name, (uint32_t)strlen(name), text);
  if (status != ECS_OK) return status;
  status = reserve(names, memory, id_index(entity), *text);
  if (status != ECS_OK) entity_names_release(names, memory, *text);
  return status;
}

void entity_names_place(EntityNames *names, Memory *memory, ecs_Entity entity,
                        uint32_t text) {
  drop(names, memory, name_of(names, id_index(entity)));
  if (names->by_text[text] != 0)
    entity_names_drop(names, memory, names->by_text[text] - 1);
  ECS_ASSERT(names->count < names->capacity);
  place(names, names->count++, (EntityName){entity, text});
  names->version++;
}

void entity_names_release(EntityNames *names, Memory *memory, uint32_t text) {
  text_pool_release(&names->texts, memory, text);
}

bool entity_names_reserve_renamed(EntityNames *names, Memory *memory,
                                  uint32_t count) {
  void *list = names->renamed;
  bool done = memory_grow(memory, &list, &names->renamed_capacity,
                          names->renamed_count, count, sizeof(ecs_Entity));
  names->renamed = list;
  return done;
}

bool entity_names_check_invariants(const EntityNames *names) {
  if (!text_pool_check_invariants(&names->texts)) return false;
  if (names->texts.used != names->count) return false;
  for (uint32_t i = 0; i < names->count; i++) {
    const EntityName *name = &names->names[i];
    if (name_of(names, id_index(name->entity)) != name) return false;
    if (names->by_text[name->text] != i + 1) return false;
  }
  return locator_check_invariants(&names->by_index, names->count);
}

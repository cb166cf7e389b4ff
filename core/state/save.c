/* save.c: writes the state of a world as an archive. */
#include "state/save.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state/held_list.h"
#include "state/saved_text.h"
#include "world/world_hash.h"

/* The order of what is written. */
typedef struct Save {
  const ecs_World *world;
  const Store *store;
  uint64_t hash;
  ecs_Component *ids;   /* owned; by number less one */
  uint32_t *numbers;    /* owned; by id; 0: it is left out */
  uint32_t count;       /* numbers */
  const Group **groups; /* owned; the main one first */
  uint32_t group_count;
  const EntityName **names; /* owned; of entities that live, by entity */
  uint32_t name_count;
  const ecs_Array *
      *arrays; /* owned; by name; those that are new are left out */
  uint32_t array_count, array_capacity;
  HeldList held;
  const HeldPacked *packed; /* NULL: the binding packed none */
  const char *script;
  size_t script_bytes;
} Save;

/* What a content is of. */
typedef struct SaveItem {
  const Save *save;
  const Group *group;
  ecs_Component id;
  uint32_t field;
  const LinkIndex *links;
  const ecs_Array *array;
} SaveItem;

static const Component *component_at(const Save *save, ecs_Component id) {
  return &save->store->components.all[id];
}

/* Choosing ---------------------------------------------------------------- */

static bool has_any_bit(const Group *group, uint32_t bits_index) {
  for (uint32_t i = 0; i < group->table_count; i++)
    for (uint32_t row = 0; row < group->tables[i]->count; row++)
      if (table_has_bit(group->tables[i], row, bits_index)) return true;
  return false;
}

bool save_is_used(const Component *component) {
  const Group *group = component->group;
  if (component_is_bits(component))
    return has_any_bit(group, component->bits_index);
  for (uint32_t i = 0; i < group->table_count; i++)
    if (table_has(group->tables[i], component->bit)) return true;
  return false;
}

static ecs_Status begin(Save *save, ecs_World *world) {
  Memory *memory = &world->store.memory;
  uint32_t total = save->store->components.count;
  ecs_Status status = held_list_init(&save->held, &world->store);
  if (status != ECS_OK) return status;
  save->ids = memory_zeroed(memory, total, sizeof(ecs_Component));
  save->numbers = memory_zeroed(memory, total, sizeof(uint32_t));
  save->groups =
      memory_zeroed(memory, save->store->groups.count, sizeof(Group *));
  save->names =
      memory_zeroed(memory, save->world->names.count, sizeof(EntityName *));
  return save->ids == NULL || save->numbers == NULL || save->groups == NULL ||
                 (save->names == NULL && save->world->names.count > 0)
             ? ECS_E_MEMORY
             : ECS_OK;
}

static void end(Save *save, ecs_World *world) {
  Memory *memory = &world->store.memory;
  uint32_t total = save->store->components.count;
  held_list_deinit(&save->held, &world->store);
  memory_free(memory, save->ids, total * sizeof(ecs_Component));
  memory_free(memory, save->numbers, total * sizeof(uint32_t));
  memory_free(memory, (void *)save->groups,
              save->store->groups.count * sizeof(Group *));
  memory_free(memory, (void *)save->names,
              save->world->names.count * sizeof(EntityName *));
  memory_free(memory, (void *)save->arrays,
              save->array_capacity * sizeof(ecs_Array *));
}

/* Sorts the components that are used by their names: by insertion, as there are
 * few. */
static void choose_components(Save *save) {
  for (ecs_Component id = 1; id < save->store->components.count; id++) {
    const Component *component = component_at(save, id);
    if (!save_is_used(component) && component_is_home(component)) continue;
    uint32_t at = save->count++;
    for (; at > 0 && strcmp(component_at(save, save->ids[at - 1])->schema->name,
                            component->schema->name) > 0;
         at--)
      save->ids[at] = save->ids[at - 1];
    save->ids[at] = id;
  }
  for (uint32_t i = 0; i < save->count; i++)
    save->numbers[save->ids[i]] = i + 1;
}

static void choose_groups(Save *save) {
  save->groups[save->group_count++] = store_main(save->store);
  for (uint32_t i = 0; i < save->count; i++) {
    const Group *group = component_at(save, save->ids[i])->group;
    uint32_t k = 0;
    while (k < save->group_count && save->groups[k] != group) k++;
    if (k == save->group_count) save->groups[save->group_count++] = group;
  }
}

static ecs_Status choose_arrays(Save *save, Memory *memory) {
  for (const ecs_Array *array = save->world->arrays.first; array != NULL;
       array = array->next) {
    void *arrays = (void *)save->arrays;
    if (array_is_new(array)) continue;
    if (!memory_grow(memory, &arrays, &save->array_capacity, save->array_count,
                     1, sizeof(ecs_Array *)))
      return ECS_E_MEMORY;
    save->arrays = arrays;
    uint32_t at = save->array_count++;
    for (; at > 0 && strcmp(save->arrays[at - 1]->name, array->name) > 0; at--)
      save->arrays[at] = save->arrays[at - 1];
    save->arrays[at] = array;
  }
  return ECS_OK;
}

static int compare_names(const void *one, const void *other) {
  const EntityName *a = *(EntityName *const *)one;
  const EntityName *b = *(EntityName *const *)other;
  return (a->entity > b->entity) - (a->entity < b->entity);
}

static void choose_names(Save *save) {
  const EntityNames *names = &save->world->names;
  for (uint32_t i = 0; i < names->count; i++)
    if (store_alive(save->store, names->names[i].entity))
      save->names[save->name_count++] = &names->names[i];
  if (save->name_count > 0)
    qsort((void *)save->names, save->name_count, sizeof(EntityName *),
          compare_names);
}

/* Held values ------------------------------------------------------------- */

static void list_column(Save *save, const Table *table, ecs_Component id,
                        uint32_t field) {
  const Component *component = component_at(save, id);
  const SchemaField *of = &component->schema->fields[field];
  ColumnCode code = table_codes(table, component->bit)[field];
  const char *column = table_column(table, code);
  HeldUse use = {.field = field,
                 .component = id,
                 .component_name = component->schema->name,
                 .field_name = of->name};
  for (uint32_t row = 0; row < table->count; row++) {
    use.entity = table->entities[row];
    held_list_add(&save->held, column + (size_t)row * 4, use, of->type);
  }
}

/* Numbers the values that are used, in the order of the columns of a save. */
static void list_held(Save *save) {
  for (uint32_t i = 0; i < save->count; i++) {
    const Component *component = component_at(save, save->ids[i]);
    const Group *group = component->group;
    for (uint32_t k = 0; k < component->schema->field_count; k++)
      for (uint32_t t = 0;
           (component->schema->held >> k & 1u) && t < group->table_count; t++) {
        const Table *table = group->tables[t];
        if (table->count > 0 && table_has(table, component->bit))
          list_column(save, table, save->ids[i], k);
      }
  }
}

static bool has_held_fields(const Save *save) {
  for (uint32_t i = 0; i < save->count; i++)
    if (component_at(save, save->ids[i])->schema->held != 0) return true;
  return false;
}

/* Are the values that are used those that were packed? ECS_E_COMPONENT: a component
 * with such fields is used, and it is noted as the contested one, but nothing was
 * packed. ECS_E_VALUE: others are used. */
static ecs_Status check_packed(Save *save, ecs_World *world) {
  const HeldPacked *packed = save->packed;
  for (uint32_t i = 0; packed == NULL && i < save->count; i++) {
    if (component_at(save, save->ids[i])->schema->held == 0) continue;
    world->contested = save->ids[i];
    return ECS_E_COMPONENT;
  }
  if (packed == NULL) return ECS_OK;
  list_held(save);
  return held_list_matches(&save->held, packed) ? ECS_OK : ECS_E_VALUE;
}

/* The hash that the world has where it is loaded: with what encoders made. */
static ecs_Status hash_saved(Save *save, ecs_World *world) {
  const HeldValues *held = world->store.held;
  const HeldPacked *packed = save->packed;
  if (packed == NULL || packed->contents == NULL || held == NULL) {
    save->hash = world_hash(world);
    return ECS_OK;
  }
  size_t bytes = held->count * sizeof(HeldValue);
  HeldValue *made = memory_zeroed(&world->store.memory, 1, bytes);
  if (made == NULL) return ECS_E_MEMORY;
  memcpy(made, held->all, bytes);
  for (uint32_t k = 0; k < packed->number_count; k++) {
    made[packed->numbers[k]].content = packed->contents[k];
    if (packed->contents[k] == 0) made[packed->numbers[k]].kind = HELD_FREE;
  }
  HeldValues instead = *held;
  instead.all = made;
  world->store.held = &instead;
  save->hash = world_hash(world);
  world->store.held = held;
  memory_free(&world->store.memory, made, bytes);
  return ECS_OK;
}

/* The manifest ------------------------------------------------------------ */

void save_put_component(ArchiveOut *out, const Component *component) {
  const Schema *schema = component->schema;
  char name[SAVED_NAME];
  archive_say(out, "component %s %s %u\n", saved_name(schema->name, name),
              saved_storage(component->storage), schema->field_count);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    const SchemaField *field = &schema->fields[i];
    uint64_t bits = 0;
    memcpy(&bits, &field->default_value, sizeof bits);
    archive_say(out, "field %s %s %016llx %s\n", saved_name(field->name, name),
                saved_type(field->type), (unsigned long long)bits,
                saved_link(field));
  }
}

void save_put_name(ArchiveOut *out, const ecs_World *world, ecs_Entity entity) {
  char name[SAVED_NAME];
  archive_say(out, "name %llu %s\n", (unsigned long long)entity,
              saved_name(entity_names_get(&world->names, entity), name));
}

static void put_group(ArchiveOut *out, const Save *save, const Group *group) {
  archive_say(out, "group");
  for (uint32_t i = 0; i < save->count; i++) {
    const Component *component = component_at(save, save->ids[i]);
    if (component->group == group)
      archive_say(out, " %u%s", i + 1, component_is_bits(component) ? "b" : "");
  }
  archive_say(out, "\n");
  for (uint32_t k = 0; k < group->table_count; k++) {
    const Table *table = group->tables[k];
    archive_say(out, "table %u", table->count);
    for (uint32_t i = 0; i < save->count; i++) {
      const Component *component = component_at(save, save->ids[i]);
      if (component->group == group && table_has(table, component->bit))
        archive_say(out, " %u", i + 1);
    }
    archive_say(out, "\n");
  }
}

static void put_manifest(ArchiveOut *out, const void *of) {
  const Save *save = ((const SaveItem *)of)->save;
  const EntityIndex *index = &save->store->index;
  bool has_held = has_held_fields(save);
  archive_say(out, "ecs-save %u\nhash %016llx\nindex %u %u\n",
              has_held ? 2u : 1u, (unsigned long long)save->hash, index->used,
              index->retired_count);
  for (uint32_t i = 0; i < save->count; i++)
    save_put_component(out, component_at(save, save->ids[i]));
  for (uint32_t i = 0; i < save->group_count; i++)
    put_group(out, save, save->groups[i]);
  for (uint32_t i = 0; i < save->count; i++) {
    const Component *component = component_at(save, save->ids[i]);
    const LinkIndex *links = links_of(&save->world->links, component);
    for (uint32_t k = 0; k < component->link_count; k++)
      archive_say(out, "link %u %u %llu\n", i + 1, links[k].field + 1,
                  (unsigned long long)links[k].links);
  }
  for (uint32_t i = 0; i < save->name_count; i++)
    save_put_name(out, save->world, save->names[i]->entity);
  for (uint32_t i = 0; i < save->array_count; i++) {
    const ecs_Array *array = save->arrays[i];
    char name[SAVED_NAME];
    archive_say(out, "array %s %s", saved_name(array->name, name),
                saved_type(array->type));
    for (uint32_t d = 0; d < array->dimensions; d++)
      archive_say(out, " %u", array->view.sizes[d]);
    archive_say(out, " of");
    for (uint32_t d = 0; d < array->dimensions; d++)
      archive_say(out, " %u", array->first[d]);
    archive_say(out, "\n");
  }
  if (has_held) archive_say(out, "values %u\n", save->held.used);
  archive_say(out, "end\n");
}

/* Arrays ------------------------------------------------------------------ */

void save_put_head(ArchiveOut *out, ecs_Scalar type, uint64_t count) {
  char head[SAVED_HEAD];
  saved_array_head(type, count, head);
  archive_put(out, head, sizeof head);
}

static void put_generations(ArchiveOut *out, const void *of) {
  const Store *store = ((const SaveItem *)of)->save->store;
  const EntityIndex *index = &store->index;
  save_put_head(out, ECS_U32, index->used - 1);
  for (uint32_t i = 1; i < index->used; i++) {
    Slot slot = *entity_index_slot(index, i);
    uint32_t generation = slot.table_bits;
    if (slot_state(slot) == SLOT_PLACED)
      generation = id_generation(store_main(store)
                                     ->tables[slot_table(slot)]
                                     ->entities[slot_row(slot)]);
    if (slot_state(slot) == SLOT_RETIRED) generation |= UINT32_C(1) << 31;
    archive_put(out, &generation, sizeof generation);
  }
}

static void put_free(ArchiveOut *out, const void *of) {
  const EntityIndex *index = &((const SaveItem *)of)->save->store->index;
  save_put_head(out, ECS_U32, index->free_count);
  for (uint32_t next = index->free_head; next != 0;
       next = slot_row(*entity_index_slot(index, next)))
    archive_put(out, &next, sizeof next);
}

static void put_entities(ArchiveOut *out, const void *of) {
  const Group *group = ((const SaveItem *)of)->group;
  uint64_t count = 0;
  for (uint32_t i = 0; i < group->table_count; i++)
    count += group->tables[i]->count;
  save_put_head(out, ECS_ENTITY, count);
  for (uint32_t i = 0; i < group->table_count; i++)
    archive_put(out, group->tables[i]->entities,
                group->tables[i]->count * sizeof(ecs_Entity));
}

static void put_indices(ArchiveOut *out, const Save *save, ecs_Scalar type,
                        const char *column, uint32_t rows) {
  for (uint32_t row = 0; row < rows; row++) {
    uint32_t index =
        held_list_index(&save->held, column + (size_t)row * 4, type);
    archive_put(out, &index, sizeof index);
  }
}

static void put_column(ArchiveOut *out, const void *of) {
  const SaveItem *item = of;
  const Component *component = component_at(item->save, item->id);
  const Group *group = component->group;
  uint64_t count = 0;
  for (uint32_t i = 0; i < group->table_count; i++)
    if (table_has(group->tables[i], component->bit))
      count += group->tables[i]->count;
  save_put_head(out, component->schema->fields[item->field].type, count);
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    if (!table_has(table, component->bit) || table->count == 0) continue;
    ColumnCode code = table_codes(table, component->bit)[item->field];
    const char *column = table_column(table, code);
    if (component->schema->held >> item->field & 1u)
      put_indices(out, item->save, component->schema->fields[item->field].type,
                  column, table->count);
    else
      archive_put(out, column, (size_t)table->count << code_shift(code));
  }
}

static void put_bits(ArchiveOut *out, const void *of) {
  const SaveItem *item = of;
  const Component *component = component_at(item->save, item->id);
  const Group *group = component->group;
  uint64_t count = 0;
  for (uint32_t i = 0; i < group->table_count; i++)
    count += group->tables[i]->count;
  save_put_head(out, ECS_U8, count);
  for (uint32_t i = 0; i < group->table_count; i++)
    for (uint32_t row = 0; row < group->tables[i]->count; row++) {
      uint8_t bit = table_has_bit(group->tables[i], row, component->bits_index);
      archive_put(out, &bit, 1);
    }
}

static void put_links(ArchiveOut *out, const void *of) {
  const LinkIndex *index = ((const SaveItem *)of)->links;
  save_put_head(out, ECS_ENTITY, index->links);
  for (uint32_t i = 0; i < index->page_count * LINK_PAGE_NODES; i++) {
    const LinkNode *target = link_node(index, i);
    for (uint32_t next = target == NULL ? 0 : target->first; next != 0;) {
      const LinkNode *source = link_node(index, next);
      archive_put(out, &source->entity, sizeof source->entity);
      next = source->next;
    }
  }
}

static void put_array(ArchiveOut *out, const void *of) {
  const ecs_Array *array = ((const SaveItem *)of)->array;
  char head[SAVED_HEAD];
  saved_sizes_head(array->type, array->view.sizes, array->dimensions, head);
  archive_put(out, head, sizeof head);
  archive_put(out, array->view.elements,
              array_count(array) * scalar_bytes(array->type));
}

static void put_values(ArchiveOut *out, const void *of) {
  const HeldPacked *packed = ((const SaveItem *)of)->save->packed;
  if (packed->count > 0) archive_put(out, packed->bytes, packed->count);
}

static void put_script(ArchiveOut *out, const void *of) {
  const Save *save = ((const SaveItem *)of)->save;
  archive_put(out, save->script, save->script_bytes);
}

/* All of it --------------------------------------------------------------- */

static void add_groups(ArchiveWriter *writer, const Save *save) {
  for (uint32_t i = 0; i < save->group_count; i++) {
    SaveItem item = {.save = save, .group = save->groups[i]};
    char path[40] = "entities/main.npy";
    if (i > 0) snprintf(path, sizeof path, "entities/group%u.npy", i);
    archive_add(writer, path, put_entities, &item);
  }
}

static void add_components(ArchiveWriter *writer, const Save *save) {
  char path[SAVED_PATH];
  for (uint32_t i = 0; i < save->count; i++) {
    const Component *component = component_at(save, save->ids[i]);
    const Schema *schema = component->schema;
    SaveItem item = {.save = save, .id = save->ids[i]};
    for (; item.field < schema->field_count; item.field++)
      archive_add(writer,
                  saved_path("columns", schema->name,
                             schema->fields[item.field].name, path),
                  put_column, &item);
    if (component_is_bits(component))
      archive_add(writer, saved_path("tags", schema->name, NULL, path),
                  put_bits, &item);
  }
}

static void add_links(ArchiveWriter *writer, const Save *save) {
  char path[SAVED_PATH];
  for (uint32_t i = 0; i < save->count; i++) {
    const Component *component = component_at(save, save->ids[i]);
    const LinkIndex *links = links_of(&save->world->links, component);
    for (uint32_t k = 0; k < component->link_count; k++) {
      SaveItem item = {.save = save, .links = &links[k]};
      archive_add(
          writer,
          saved_path("links", component->schema->name,
                     component->schema->fields[links[k].field].name, path),
          put_links, &item);
    }
  }
}

static void add_arrays(ArchiveWriter *writer, const Save *save) {
  char path[SAVED_PATH];
  for (uint32_t i = 0; i < save->array_count; i++) {
    SaveItem item = {.save = save, .array = save->arrays[i]};
    archive_add(writer, saved_path("arrays", item.array->name, NULL, path),
                put_array, &item);
  }
}

ecs_Status state_save(ecs_World *world, const char *script, size_t script_bytes,
                      const HeldPacked *packed, ecs_SaveSink sink) {
  Memory *memory = &world->store.memory;
  Save save = {.world = world,
               .store = &world->store,
               .packed = packed,
               .script = script,
               .script_bytes = script_bytes};
  SaveItem all = {.save = &save};
  ArchiveWriter writer;
  ECS_ASSERT(world->depth == 0);
  ecs_Status status = begin(&save, world);
  if (status == ECS_OK) status = choose_arrays(&save, memory);
  if (status == ECS_OK) {
    choose_components(&save);
    status = check_packed(&save, world);
  }
  if (status == ECS_OK) status = hash_saved(&save, world);
  if (status == ECS_OK) {
    choose_groups(&save);
    choose_names(&save);
    archive_begin(&writer, memory, sink);
    archive_add(&writer, "manifest.txt", put_manifest, &all);
    archive_add(&writer, "generations.npy", put_generations, &all);
    archive_add(&writer, "free.npy", put_free, &all);
    add_groups(&writer, &save);
    add_components(&writer, &save);
    add_links(&writer, &save);
    add_arrays(&writer, &save);
    if (has_held_fields(&save))
      archive_add(&writer, SAVED_VALUES, put_values, &all);
    archive_add(&writer, "script.txt", put_script, &all);
    status = archive_end(&writer);
  }
  end(&save, world);
  return status;
}

ecs_Status state_held_uses(ecs_World *world, HeldUse *uses, uint32_t most,
                           uint32_t *count) {
  Save save = {.world = world,
               .store = &world->store,
               .held = {.uses = uses, .most = most}};
  ECS_ASSERT(world->depth == 0);
  ecs_Status status = begin(&save, world);
  if (status == ECS_OK) {
    choose_components(&save);
    list_held(&save);
  }
  *count = save.held.used;
  end(&save, world);
  return status;
}

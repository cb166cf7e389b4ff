/* load.c: puts the state of a save into a world. */
#include "state/load.h"

#include <stdio.h>
#include <string.h>

#include "change/regroup.h"
#include "state/load_fields.h"
#include "state/load_links.h"
#include "state/load_values.h"
#include "state/restore.h"
#include "world/world_hash.h"

/* Components -------------------------------------------------------------- */

static ecs_Status begin(Load *load) {
  uint32_t total = load->store->components.count;
  load->components = memory_zeroed(load->memory, load->saved->components.count,
                                   sizeof(LoadComponent));
  load->numbers = memory_zeroed(load->memory, total, sizeof(uint32_t));
  load->mask = memory_zeroed(load->memory, total / 64u + 1, sizeof(uint64_t));
  load->bits = memory_zeroed(load->memory, load->saved->components.count + 1u,
                             sizeof(uint32_t));
  load->marks =
      memory_zeroed(load->memory, load->saved->used, sizeof(uint32_t));
  load->node_pages = (load->saved->used >> LINK_PAGE_BITS) + 1;
  bool done =
      (load->components != NULL || load->saved->components.count == 0) &&
      load->numbers != NULL && load->mask != NULL && load->bits != NULL &&
      load->marks != NULL;
  return done ? snapshot_create(load->world, &load->to) : ECS_E_MEMORY;
}

static void end(Load *load) {
  uint32_t total = load->store->components.count;
  if (load->to != NULL) snapshot_destroy(load->to);
  if (load->components != NULL) load_forget_images(load);
  memory_free(load->memory, load->components,
              load->saved->components.count * sizeof(LoadComponent));
  memory_free(load->memory, load->numbers, total * sizeof(uint32_t));
  memory_free(load->memory, load->mask, (total / 64u + 1) * sizeof(uint64_t));
  memory_free(load->memory, load->bits,
              (load->saved->components.count + 1u) * sizeof(uint32_t));
  memory_free(load->memory, load->marks, load->saved->used * sizeof(uint32_t));
  size_t nodes = (size_t)load->node_pages * LINK_PAGE_NODES;
  memory_free(load->memory, load->nodes, nodes * sizeof(LinkNode));
  memory_free(load->memory, load->touched, load->node_pages);
  memory_free(load->memory, load->by, nodes * sizeof(uint32_t));
}

static ecs_Status map_component(Load *load, uint32_t number) {
  const SavedComponent *component = &saved_components(load->saved)[number];
  const char *name = component->name;
  if (load->listener->rename != NULL)
    name = load->listener->rename(load->listener->user, name);
  if (name == NULL) {
    load->same = false;
    return component->bits
               ? ECS_OK
               : load_refuse_of(load, "%s%s is no tag stored as bits",
                                component->name, "");
  }
  if (name != component->name) load->same = false;
  ecs_Component id = store_find_component(load->store, name);
  if (id == 0)
    return load_refuse_of(load, "the world has no component %s%s", name, "");
  if (load->numbers[id] != 0)
    return load_refuse_of(load, "two components become %s%s", name, "");
  const Component *known = &load->store->components.all[id];
  load->numbers[id] = number + 1;
  load->components[number].id = id;
  load->components[number].moves = known->storage != component->storage;
  if (load->components[number].moves) load->same = false;
  if (component->bits && known->field_count > 0)
    return load_refuse_of(load,
                          "%s is a tag stored as bits there and has fields "
                          "here%s",
                          name, "");
  return load_is_migrated(load, component)
             ? load_migrate(load, number, known->schema)
             : load_compare_fields(load, component, known->schema);
}

/* Sizes ------------------------------------------------------------------- */

static bool is_home_set(const Component *component) {
  return component->storage == ECS_STORE_SPARSE;
}

/* The bytes of a row of a group's table, as the world will store it. */
static size_t row_bytes(const Load *load, const SavedTable *table) {
  const uint32_t *members = saved_members(load->saved, table->first_member);
  size_t bytes = 0;
  for (uint32_t i = 0; i < table->member_count; i++) {
    const Schema *schema =
        load->store->components.all[load->components[members[i]].id].schema;
    for (uint32_t k = 0; k < schema->field_count; k++)
      bytes += scalar_bytes(schema->fields[k].type);
  }
  return bytes;
}

static uint32_t count_bits(const Load *load, const SavedGroup *group) {
  const uint32_t *members = saved_members(load->saved, group->first_member);
  uint32_t count = 0;
  for (uint32_t i = 0; i < group->member_count; i++)
    count += saved_components(load->saved)[members[i]].bits &&
             load->components[members[i]].id != 0;
  return count;
}

static ecs_Status reserve(Load *load) {
  const ecs_Saved *saved = load->saved;
  uint32_t total = load->store->components.count;
  StateSizes sizes = {.groups = saved->groups.count + total,
                      .components = total,
                      .tables = saved->tables.count,
                      .arrays = saved->arrays.count,
                      .places = saved->used * sizeof(Slot)};
  uint64_t words = 0;
  for (uint32_t i = 0; i < saved->groups.count; i++) {
    const SavedGroup *group = &saved_groups(saved)[i];
    size_t tag_bytes = (count_bits(load, group) + 7u) / 8u;
    for (uint32_t k = 0; k < group->table_count; k++) {
      const SavedTable *table = &saved_tables(saved, group)[k];
      words += group->member_count / 64u + 1;
      sizes.places += table->rows * sizeof(ecs_Entity);
      sizes.columns += (row_bytes(load, table) + tag_bytes) * table->rows;
    }
  }
  for (uint32_t i = 0; i < saved->names.count; i++)
    sizes.names += sizeof(ecs_Entity) +
                   strlen(((SavedName *)saved->names.all)[i].text) + 1;
  if (words > UINT32_MAX) return load_refuse(load, "it has too many tables");
  sizes.words = (uint32_t)words;
  const SavedArray *arrays = saved->arrays.all;
  for (uint32_t i = 0; i < saved->arrays.count; i++)
    sizes.elements += (size_t)arrays[i].count * scalar_bytes(arrays[i].type);
  return snapshot_reserve(load->to, &sizes) ? ECS_OK : ECS_E_MEMORY;
}

/* Entities ---------------------------------------------------------------- */

/* The indices that no entity has. */
static ecs_Status load_free(Load *load) {
  const ecs_Saved *saved = load->saved;
  uint32_t retired = 0;
  load->to->index = (IndexCounts){
      .used = saved->used,
      .free_head = saved->free_count > 0 ? load_get32(saved->free, 0) : 0,
      .free_count = saved->free_count,
      .retired_count = saved->retired,
      .alive_count = (uint32_t)saved_groups(saved)->rows};
  *load_slot(load, 0) = (Slot){(uint32_t)SLOT_FREE << ECS_INDEX_BITS, 0};
  for (uint32_t i = 1; i < saved->used; i++) {
    uint32_t generation = load_get32(saved->generations, i - 1u);
    bool is_retired = generation >> 31 != 0;
    generation &= UINT32_C(0x7fffffff);
    if (generation >= ECS_GENERATION_LIMIT)
      return load_refuse(load, "a generation in it is too high");
    *load_slot(load, i) = (Slot){0, generation};
    if (!is_retired) continue;
    *load_slot(load, i) =
        (Slot){(uint32_t)SLOT_RETIRED << ECS_INDEX_BITS, generation};
    load->marks[i] = LOAD_RETIRED;
    retired++;
  }
  if (retired != saved->retired)
    return load_refuse(load, "its generations.npy is wrong");
  for (uint32_t k = 0; k < saved->free_count; k++) {
    uint32_t index = load_get32(saved->free, k);
    uint32_t next =
        k + 1 < saved->free_count ? load_get32(saved->free, k + 1u) : 0;
    if (index == 0 || index >= saved->used || load->marks[index] != LOAD_NEW ||
        next > ECS_INDEX_MASK)
      return load_refuse(load, "its free.npy is wrong");
    load->marks[index] = LOAD_FREE;
    load_slot(load, index)->row_bits =
        (uint32_t)SLOT_FREE << ECS_INDEX_BITS | next;
  }
  return ECS_OK;
}

/* An entity has a row of the main group. */
static bool place_main(Load *load, ecs_Entity entity, uint32_t table,
                       uint32_t row) {
  uint32_t index = id_index(entity);
  if (index == 0 || index >= load->saved->used ||
      load->marks[index] != LOAD_NEW ||
      entity != id_make(index, load_slot(load, index)->table_bits))
    return false;
  load->marks[index] = LOAD_PLACED;
  *load_slot(load, index) =
      (Slot){row, table | slot_hint(id_generation(entity))};
  return true;
}

/* The same in another group: each entity once. */
static bool place_other(Load *load, ecs_Entity entity, uint32_t group) {
  uint32_t index = id_index(entity);
  if (!load_is_alive(load, entity) || load->marks[index] == LOAD_PLACED + group)
    return false;
  load->marks[index] = LOAD_PLACED + group;
  load_slot(load, index)->table_bits |= slot_summary_bit(group);
  return true;
}

/* Groups ------------------------------------------------------------------ */

/* The components of a group, those that are left out excepted; of the main one
 * also those that the save does not have, and that belong there. */
static void load_members(Load *load, const SavedGroup *from, SnapshotGroup *to,
                         uint32_t *components) {
  const uint32_t *members = saved_members(load->saved, from->first_member);
  to->first_component = *components;
  load->bits_count = 0;
  for (uint32_t i = 0; i < from->member_count; i++) {
    LoadComponent *made = &load->components[members[i]];
    if (saved_components(load->saved)[members[i]].bits)
      load->bits[load->bits_count++] = members[i];
    if (made->id == 0) continue;
    made->bit = to->component_count++;
    load->to->components[(*components)++] = (SnapshotComponent){
        made->id, saved_components(load->saved)[members[i]].bits};
  }
  if (from != saved_groups(load->saved)) return;
  for (ecs_Component id = 1; id < load->store->components.count; id++) {
    const Component *component = &load->store->components.all[id];
    if (load->numbers[id] != 0 || is_home_set(component)) continue;
    to->component_count++;
    load->to->components[(*components)++] =
        (SnapshotComponent){id, component->storage == ECS_STORE_BITS};
  }
}

static void load_mask(Load *load, const SavedTable *from, SnapshotTable *to,
                      uint32_t *words) {
  const uint32_t *members = saved_members(load->saved, from->first_member);
  uint32_t count = 0;
  for (uint32_t i = 0; i < from->member_count; i++) {
    uint32_t bit = load->components[members[i]].bit;
    load->mask[bit / 64u] |= UINT64_C(1) << bit % 64u;
    if (bit / 64u >= count) count = bit / 64u + 1;
  }
  Mask mask = mask_trim(load->mask, count);
  to->first_word = *words;
  to->mask_first = mask.first;
  to->mask_count = mask.count;
  if (mask.count > 0)
    memcpy(load->to->words + *words, mask.words, mask.count * sizeof(uint64_t));
  *words += mask.count;
  memset(load->mask, 0, count * sizeof(uint64_t));
}

/* Has every row of a group other than the main one something of it? */
static bool rows_have_something(const SnapshotTable *table, const char *tags) {
  if (table->mask_count > 0) return true;
  for (uint32_t row = 0; row < table->rows; row++) {
    bool any = false;
    for (uint32_t i = 0; i < table->bits_columns; i++)
      any = any || tags[(size_t)i * table->rows + row] != 0;
    if (!any) return false;
  }
  return true;
}

/* bits: columns of tags stored as bits. */
static ecs_Status load_table(Load *load, uint32_t group, uint32_t number,
                             uint32_t bits, uint64_t first, SnapshotTable *to) {
  const SavedGroup *from = &saved_groups(load->saved)[group];
  const SavedTable *was = &saved_tables(load->saved, from)[number];
  SnapshotBytes *places = &load->to->places, *columns = &load->to->columns;
  to->rows = was->rows;
  to->bits_columns = (uint16_t)bits;
  to->entities = places->count;
  to->columns = columns->count;
  for (uint32_t row = 0; row < was->rows; row++) {
    ecs_Entity entity = load_get64(from->entities, first + row);
    memcpy(places->bytes + places->count, &entity, sizeof entity);
    places->count += sizeof entity;
    if (group == 0 ? !place_main(load, entity, number, row)
                   : !place_other(load, entity, group))
      return load_refuse(load, "an entity in it is twice there, or none");
  }
  if (was->rows == 0) return ECS_OK;
  char none; /* stands for the bytes of tables without columns */
  char *at = columns->bytes == NULL ? &none : columns->bytes + columns->count;
  char *tags = load_columns(load, was, at);
  if (tags == NULL) return ECS_E_FILE;
  if (bits > 0) memset(tags, 0, (size_t)bits * was->rows);
  if (!load_tags(load, was->rows, tags))
    return load_refuse(load, "a tag in it is neither there nor not");
  if (group > 0 && !rows_have_something(to, tags))
    return load_refuse(load, "an entity in it has nothing of its group");
  columns->count += (size_t)(tags - at) + (size_t)bits * was->rows;
  return ECS_OK;
}

static ecs_Status load_groups(Load *load) {
  const ecs_Saved *saved = load->saved;
  ecs_Snapshot *to = load->to;
  uint32_t components = 0, tables = 0, words = 0;
  to->places.count = saved->used * sizeof(Slot);
  to->columns.count = 0;
  for (uint32_t i = 0; i < saved->groups.count; i++) {
    const SavedGroup *from = &saved_groups(saved)[i];
    SnapshotGroup *group = &to->groups[to->group_count];
    uint64_t row = 0;
    *group = (SnapshotGroup){.table_count = from->table_count,
                             .first_table = tables};
    load_members(load, from, group, &components);
    uint32_t bits = (count_bits(load, from) + 7u) / 8u;
    if (i > 0 && group->component_count == 0)
      return load_refuse(load, "a group of it has no components here");
    to->group_count++;
    for (uint32_t k = 0; k < from->table_count; k++) {
      SnapshotTable *table = &to->tables[tables++];
      *table = (SnapshotTable){0};
      load_mask(load, &saved_tables(saved, from)[k], table, &words);
      ecs_Status status = load_table(load, i, k, bits, row, table);
      if (status != ECS_OK) return status;
      row += table->rows;
      if (i > 0 && table->mask_count == 0 && table->bits_columns == 0)
        return load_refuse(load, "a table of it has no components");
    }
  }
  for (ecs_Component id = 1; id < load->store->components.count; id++) {
    if (load->numbers[id] != 0 ||
        !is_home_set(&load->store->components.all[id]))
      continue;
    to->groups[to->group_count++] =
        (SnapshotGroup){.component_count = 1,
                        .first_component = components,
                        .first_table = tables};
    to->components[components++] = (SnapshotComponent){id, false};
  }
  return ECS_OK;
}

/* Names ------------------------------------------------------------------- */

static ecs_Status load_names(Load *load) {
  const SavedName *names = load->saved->names.all;
  SnapshotBytes *to = &load->to->names;
  to->count = 0;
  load->to->name_count = load->saved->names.count;
  for (uint32_t i = 0; i < load->saved->names.count; i++) {
    if (!load_is_alive(load, names[i].entity))
      return load_refuse(load, "an entity with a name is not alive");
    memcpy(to->bytes + to->count, &names[i].entity, sizeof(ecs_Entity));
    to->count += sizeof(ecs_Entity);
    memcpy(to->bytes + to->count, names[i].text, strlen(names[i].text) + 1);
    to->count += strlen(names[i].text) + 1;
  }
  return ECS_OK;
}

/* Arrays ------------------------------------------------------------------ */

/* The world's array of a name; made, all 0, where there is none. */
static ecs_Status find_array(Load *load, const SavedArray *was,
                             ecs_Array **array) {
  *array = array_set_find(&load->world->arrays, was->name);
  if (*array == NULL) {
    ecs_ArrayDescription how = {
        .name = was->name, .type = was->type, .dimensions = was->dimensions};
    memcpy(how.sizes, was->first, sizeof how.sizes);
    return array_set_add(&load->world->arrays, load->memory, &how, array);
  }
  if ((*array)->type != was->type || (*array)->dimensions != was->dimensions)
    return load_refuse_of(load,
                          "array '%s' has another type or number of indices "
                          "here%s",
                          was->name, "");
  if (memcmp((*array)->first, was->first, sizeof was->first) != 0)
    load->same = false;
  return ECS_OK;
}

static ecs_Status load_arrays(Load *load) {
  const SavedArray *arrays = load->saved->arrays.all;
  SnapshotBytes *to = &load->to->elements;
  to->count = 0;
  for (uint32_t i = 0; i < load->saved->arrays.count; i++) {
    SnapshotArray *made = &load->to->arrays[i];
    size_t bytes = (size_t)arrays[i].count * scalar_bytes(arrays[i].type);
    char *elements = to->bytes + to->count;
    ecs_Status status = find_array(load, &arrays[i], &made->array);
    if (status != ECS_OK) return status;
    memcpy(made->sizes, arrays[i].sizes, sizeof made->sizes);
    made->elements = to->count;
    memcpy(elements, arrays[i].elements, bytes);
    to->count += bytes;
    if (ecs_scalar_canonicalize_many(arrays[i].type, elements,
                                     (uint32_t)arrays[i].count) > 0)
      return load_refuse_of(load, "an element of array '%s' is none%s",
                            arrays[i].name, "");
  }
  load->to->array_count = load->saved->arrays.count;
  return ECS_OK;
}

/* Has an entity of the save a name? */
static bool is_named(const Load *load, ecs_Entity entity) {
  const SavedName *names = load->saved->names.all;
  uint32_t low = 0, high = load->saved->names.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (names[middle].entity < entity)
      low = middle + 1;
    else
      high = middle;
  }
  return low < load->saved->names.count && names[low].entity == entity;
}

static bool is_member(const Load *load, const SavedTable *table,
                      uint32_t number) {
  const uint32_t *members = saved_members(load->saved, table->first_member);
  for (uint32_t i = 0; i < table->member_count; i++)
    if (members[i] == number) return true;
  return false;
}

/* Have exactly the entities with names the tag of names, where there is one? */
static bool check_name_tags(const Load *load) {
  ecs_Component tag = load->world->names.tag;
  uint64_t row = 0, tagged = 0;
  if (tag == 0) return true;
  if (load->numbers[tag] == 0) return load->saved->names.count == 0;
  uint32_t number = load->numbers[tag] - 1;
  const SavedComponent *component = &saved_components(load->saved)[number];
  const SavedGroup *group = &saved_groups(load->saved)[component->group];
  for (uint32_t k = 0; k < group->table_count; k++) {
    const SavedTable *table = &saved_tables(load->saved, group)[k];
    bool all = is_member(load, table, number);
    for (uint32_t i = 0; i < table->rows; i++, row++) {
      if (component->bits ? component->tags[row] == 0 : !all) continue;
      tagged++;
      if (!is_named(load, load_get64(group->entities, row))) return false;
    }
  }
  return tagged == load->saved->names.count;
}

/* All of it --------------------------------------------------------------- */

/* Makes the snapshot. */
static ecs_Status build(Load *load) {
  ecs_Status status = load_check_held(load);
  for (uint32_t i = 0; status == ECS_OK && i < load->saved->components.count;
       i++)
    status = map_component(load, i);
  if (status == ECS_OK) status = reserve(load);
  if (status == ECS_OK) status = load_free(load);
  if (status == ECS_OK) status = load_groups(load);
  if (status == ECS_OK) status = load_links(load);
  if (status == ECS_OK) status = load_names(load);
  if (status == ECS_OK) status = load_arrays(load);
  if (status == ECS_OK && !check_name_tags(load))
    status = load_refuse(load, "its names and the tag of names do not agree");
  if (status != ECS_OK) return status;
  for (uint32_t i = 1; i < load->store->components.count; i++)
    load->to->changes[i] = 0;
  load->to->component_total = load->store->components.count;
  load->to->use_count = 0;
  load->to->counting = false;
  load->to->key =
      (SnapshotKey){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  load->to->taken = true;
  return ECS_OK;
}

/* Stores components as the program defines them, where the save had other
 * definitions. */
static ecs_Status move_home(const Load *load) {
  static const RegroupTo homes[] = {[ECS_STORE_TABLE] = REGROUP_TO_MAIN,
                                    [ECS_STORE_SPARSE] = REGROUP_TO_GROUP,
                                    [ECS_STORE_BITS] = REGROUP_TO_BITS};
  for (uint32_t i = 0; i < load->saved->components.count; i++) {
    ecs_Component id = load->components[i].id;
    if (id == 0 || !load->components[i].moves) continue;
    ecs_Storage storage = load->store->components.all[id].storage;
    ecs_Status status = store_regroup(load->store, &id, 1, homes[storage]);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

/* Puts the snapshot in place of what there is, and does what comes behind that.
 * If something fails there, what there was comes back. */
static ecs_Status put(Load *load) {
  ReplacedState replaced;
  ecs_Status status = snapshot_exchange(load->to, &replaced);
  if (status == ECS_E_FILE)
    return load_refuse(load, "a table or a name in it is there twice");
  if (status != ECS_OK) return status;
  status = move_home(load);
  if (status == ECS_OK && load->same &&
      world_hash(load->world) != load->saved->hash)
    status = load_refuse(load, "its hash is another one");
  if (status == ECS_OK)
    replaced_forget(&replaced);
  else
    replaced_bring_back(&replaced);
  return status;
}

ecs_Status state_load(const ecs_Saved *saved, const ecs_LoadListener *listener,
                      char *problem, size_t problem_bytes) {
  Load load = {.saved = saved,
               .listener = listener,
               .world = saved->world,
               .store = &saved->world->store,
               .memory = saved->memory,
               .same = true,
               .problem = problem,
               .problem_bytes = problem_bytes};
  ECS_ASSERT(saved->world->depth == 0);
  ecs_Status status = begin(&load);
  if (status == ECS_OK) status = build(&load);
  if (status == ECS_OK) status = put(&load);
  end(&load);
  return status;
}

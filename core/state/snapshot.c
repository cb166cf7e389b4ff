/* snapshot.c: the state of a world at one moment, as copies of its memory. */
#include "state/snapshot.h"

#include <string.h>

/* Life ------------------------------------------------------------------ */

ecs_Status snapshot_create(ecs_World *world, ecs_Snapshot **snapshot) {
  ecs_Snapshot *made =
      memory_zeroed(&world->store.memory, 1, sizeof(ecs_Snapshot));
  if (made == NULL) return ECS_E_MEMORY;
  made->world = world;
  made->next = world->snapshots;
  made->link = &world->snapshots;
  if (made->next != NULL) made->next->link = &made->next;
  world->snapshots = made;
  *snapshot = made;
  return ECS_OK;
}

/* What a snapshot owns, and its bytes. */
typedef struct OwnedList {
  void *list;
  size_t bytes;
} OwnedList;
#define LISTS 14u

static void name_lists(const ecs_Snapshot *of, OwnedList *lists) {
  const OwnedList all[LISTS] = {
      {of->groups, of->group_capacity * sizeof(SnapshotGroup)},
      {of->components, of->component_capacity * sizeof(SnapshotComponent)},
      {of->tables, of->table_capacity * sizeof(SnapshotTable)},
      {of->words, of->word_capacity * sizeof(uint64_t)},
      {of->changes, of->change_capacity * sizeof(uint64_t)},
      {of->runs, of->run_capacity * sizeof(uint64_t)},
      {of->links, of->link_capacity * sizeof(SnapshotLinks)},
      {of->pages, of->page_capacity * sizeof(uint32_t)},
      {of->places.bytes, of->places.capacity},
      {of->columns.bytes, of->columns.capacity},
      {of->nodes.bytes, of->nodes.capacity},
      {of->names.bytes, of->names.capacity},
      {of->arrays, of->array_capacity * sizeof(SnapshotArray)},
      {of->elements.bytes, of->elements.capacity}};
  memcpy(lists, all, sizeof all);
}

void snapshot_destroy(ecs_Snapshot *snapshot) {
  Memory *memory = &snapshot->world->store.memory;
  OwnedList lists[LISTS];
  *snapshot->link = snapshot->next;
  if (snapshot->next != NULL) snapshot->next->link = snapshot->link;
  name_lists(snapshot, lists);
  for (uint32_t i = 0; i < LISTS; i++)
    memory_free(memory, lists[i].list, lists[i].bytes);
  memory_free(memory, snapshot, sizeof(ecs_Snapshot));
}

uint64_t snapshot_bytes(const ecs_Snapshot *snapshot) {
  OwnedList lists[LISTS];
  uint64_t bytes = sizeof(ecs_Snapshot);
  name_lists(snapshot, lists);
  for (uint32_t i = 0; i < LISTS; i++) bytes += lists[i].bytes;
  return bytes;
}

SnapshotKey snapshot_key(const ecs_World *world) {
  const Store *store = &world->store;
  SnapshotKey key = {.layout = store->layout_version,
                     .structure = store_structure_version(store),
                     .components = store->components.count,
                     .names = world->names.version};
  for (uint32_t i = 0; i < world->links.count; i++)
    key.links += world->links.indices[i].version;
  return key;
}

/* Room ------------------------------------------------------------------ */

/* The bytes that the columns of a table take. */
static size_t column_bytes(const Table *table) {
  size_t bytes = 0;
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++)
    bytes += (size_t)table_column_count(table, shift) << shift;
  return bytes * table->count;
}

static size_t name_bytes(const EntityNames *names) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < names->count; i++)
    bytes += sizeof(ecs_Entity) + 1 +
             strlen(text_pool_bytes(&names->texts, names->names[i].text));
  return bytes;
}

static StateSizes measure(const ecs_World *world) {
  const Store *store = &world->store;
  StateSizes sizes = {.groups = store->groups.count,
                      .places = store->index.used * sizeof(Slot)};
  for (uint32_t i = 0; i < store->groups.count; i++) {
    const Group *group = store->groups.all[i];
    sizes.components += group->component_count;
    sizes.tables += group->table_count;
    for (uint32_t k = 0; k < group->table_count; k++) {
      const Table *table = group->tables[k];
      sizes.words += table->mask.count;
      sizes.places += table->count * sizeof(ecs_Entity);
      sizes.columns += column_bytes(table);
    }
  }
  for (const ecs_Array *array = world->arrays.first; array != NULL;
       array = array->next) {
    sizes.arrays++;
    sizes.elements += array_count(array) * scalar_bytes(array->type);
  }
  for (uint32_t i = 0; i < world->links.count; i++)
    for (uint32_t k = 0; k < world->links.indices[i].page_count; k++)
      sizes.pages += world->links.indices[i].pages[k] != NULL;
  return sizes;
}

/* Grows by an eighth more than it must, so that slow growth stays cheap. */
static bool ensure_bytes(Memory *memory, SnapshotBytes *bytes, size_t wanted) {
  if (wanted <= bytes->capacity) return true;
  size_t capacity = wanted + wanted / 8;
  char *grown = memory_resize(memory, bytes->bytes, bytes->capacity, capacity);
  if (grown == NULL) return false;
  bytes->bytes = grown;
  bytes->capacity = capacity;
  return true;
}

/* memory_ensure for a list of any type: list is the address of the pointer. */
static bool ensure_list(Memory *memory, void *list, uint32_t *capacity,
                        uint32_t count, size_t element_bytes) {
  void *elements;
  memcpy(&elements, list, sizeof elements);
  bool done = memory_ensure(memory, &elements, capacity, count, element_bytes);
  memcpy(list, &elements, sizeof elements);
  return done;
}

static bool reserve_lists(ecs_Snapshot *to, const StateSizes *sizes) {
  const ecs_World *world = to->world;
  Memory *memory = &to->world->store.memory;
  uint32_t total = world->store.components.count;
  return ensure_list(memory, &to->groups, &to->group_capacity, sizes->groups,
                     sizeof(SnapshotGroup)) &&
         ensure_list(memory, &to->components, &to->component_capacity,
                     sizes->components, sizeof(SnapshotComponent)) &&
         ensure_list(memory, &to->tables, &to->table_capacity, sizes->tables,
                     sizeof(SnapshotTable)) &&
         ensure_list(memory, &to->words, &to->word_capacity, sizes->words,
                     sizeof(uint64_t)) &&
         ensure_list(memory, &to->changes, &to->change_capacity, total,
                     sizeof(uint64_t)) &&
         ensure_list(memory, &to->runs, &to->run_capacity, world->uses.count,
                     sizeof(uint64_t)) &&
         ensure_list(memory, &to->links, &to->link_capacity, world->links.count,
                     sizeof(SnapshotLinks)) &&
         ensure_list(memory, &to->pages, &to->page_capacity, sizes->pages,
                     sizeof(uint32_t)) &&
         ensure_list(memory, &to->arrays, &to->array_capacity, sizes->arrays,
                     sizeof(SnapshotArray));
}

bool snapshot_reserve(ecs_Snapshot *to, const StateSizes *sizes) {
  Memory *memory = &to->world->store.memory;
  size_t nodes = (size_t)sizes->pages * LINK_PAGE_NODES * sizeof(LinkNode);
  return reserve_lists(to, sizes) &&
         ensure_bytes(memory, &to->places, sizes->places) &&
         ensure_bytes(memory, &to->columns, sizes->columns) &&
         ensure_bytes(memory, &to->nodes, nodes) &&
         ensure_bytes(memory, &to->names, sizes->names) &&
         ensure_bytes(memory, &to->elements, sizes->elements);
}

/* Copying --------------------------------------------------------------- */

static void add_bytes(SnapshotBytes *to, const void *from, size_t bytes) {
  ECS_ASSERT(bytes <= to->capacity - to->count);
  if (bytes > 0) memcpy(to->bytes + to->count, from, bytes);
  to->count += bytes;
}

static char *copy_column(void *column, char *bytes, size_t count,
                         bool into_table) {
  memcpy(into_table ? column : bytes, into_table ? bytes : column, count);
  return bytes + count;
}

char *snapshot_copy_columns(const Group *group, const Table *table,
                            uint32_t rows, uint32_t bits_columns, char *bytes,
                            bool into_table) {
  if (rows == 0) return bytes;
  for (uint32_t i = 0; i < table->mask.count; i++) {
    uint64_t word = table->mask.words[i];
    while (word != 0) {
      uint32_t bit = mask_take(&word, table->mask.first + i);
      const Schema *schema = group->schemas[bit];
      for (uint32_t k = 0; schema != NULL && k < schema->field_count; k++) {
        ColumnCode code = table_codes(table, bit)[k];
        bytes = copy_column(table_column(table, code), bytes,
                            (size_t)rows << code_shift(code), into_table);
      }
    }
  }
  for (uint32_t i = 0; i < bits_columns; i++)
    bytes = copy_column(table_bits(table, i), bytes, rows, into_table);
  return bytes;
}

static void copy_slots(ecs_Snapshot *snapshot) {
  const EntityIndex *index = &snapshot->world->store.index;
  snapshot->index = entity_index_counts(index);
  for (uint32_t i = 0; i < entity_index_pages_used(index); i++) {
    uint32_t left = index->used - i * SLOT_PAGE_SIZE;
    uint32_t count = left < SLOT_PAGE_SIZE ? left : SLOT_PAGE_SIZE;
    add_bytes(&snapshot->places, index->pages[i], count * sizeof(Slot));
  }
}

static void copy_table(ecs_Snapshot *snapshot, const Table *table,
                       SnapshotTable *to, uint32_t first_word) {
  *to = (SnapshotTable){.rows = table->count,
                        .first_word = first_word,
                        .mask_first = table->mask.first,
                        .mask_count = table->mask.count,
                        .bits_columns = table->bits_columns,
                        .entities = snapshot->places.count};
  if (table->mask.count > 0)
    memcpy(snapshot->words + first_word, table->mask.words,
           table->mask.count * sizeof(uint64_t));
  add_bytes(&snapshot->places, table->entities,
            table->count * sizeof(ecs_Entity));
}

static void copy_structure(ecs_Snapshot *snapshot) {
  const Store *store = &snapshot->world->store;
  uint32_t components = 0, tables = 0, words = 0;
  snapshot->group_count = store->groups.count;
  snapshot->component_total = store->components.count;
  snapshot->places.count = 0;
  copy_slots(snapshot);
  for (uint32_t i = 0; i < store->groups.count; i++) {
    const Group *group = store->groups.all[i];
    snapshot->groups[i] =
        (SnapshotGroup){.component_count = group->component_count,
                        .first_component = components,
                        .table_count = group->table_count,
                        .first_table = tables};
    for (uint32_t bit = 0; bit < group->component_count; bit++)
      snapshot->components[components++] = (SnapshotComponent){
          group->components[bit].component, group_is_bits(group, bit)};
    for (uint32_t k = 0; k < group->table_count; k++) {
      copy_table(snapshot, group->tables[k], &snapshot->tables[tables++],
                 words);
      words += group->tables[k]->mask.count;
    }
  }
}

static void copy_columns(ecs_Snapshot *snapshot) {
  const Store *store = &snapshot->world->store;
  char *bytes = snapshot->columns.bytes;
  for (uint32_t i = 0; i < store->groups.count; i++) {
    const Group *group = store->groups.all[i];
    for (uint32_t k = 0; k < group->table_count; k++) {
      const Table *table = group->tables[k];
      SnapshotTable *to =
          &snapshot->tables[snapshot->groups[i].first_table + k];
      to->columns =
          bytes == NULL ? 0 : (size_t)(bytes - snapshot->columns.bytes);
      to->bits_columns = table->bits_columns;
      bytes = snapshot_copy_columns(group, table, table->count,
                                    table->bits_columns, bytes, false);
    }
  }
  snapshot->columns.count =
      bytes == NULL ? 0 : (size_t)(bytes - snapshot->columns.bytes);
}

static void copy_links(ecs_Snapshot *snapshot) {
  const LinkSet *links = &snapshot->world->links;
  uint32_t pages = 0;
  snapshot->nodes.count = 0;
  snapshot->link_count = links->count;
  for (uint32_t i = 0; i < links->count; i++) {
    const LinkIndex *index = &links->indices[i];
    uint32_t first = pages;
    for (uint32_t k = 0; k < index->page_count; k++) {
      if (index->pages[k] == NULL) continue;
      snapshot->pages[pages++] = k;
      add_bytes(&snapshot->nodes, index->pages[k],
                LINK_PAGE_NODES * sizeof(LinkNode));
    }
    snapshot->links[i] = (SnapshotLinks){index->links, pages - first, first};
  }
}

static void copy_names(ecs_Snapshot *snapshot) {
  const EntityNames *names = &snapshot->world->names;
  snapshot->names.count = 0;
  snapshot->name_count = names->count;
  for (uint32_t i = 0; i < names->count; i++) {
    const char *text = text_pool_bytes(&names->texts, names->names[i].text);
    add_bytes(&snapshot->names, &names->names[i].entity, sizeof(ecs_Entity));
    add_bytes(&snapshot->names, text, strlen(text) + 1);
  }
}

static void copy_arrays(ecs_Snapshot *snapshot) {
  snapshot->elements.count = 0;
  snapshot->array_count = 0;
  for (ecs_Array *array = snapshot->world->arrays.first; array != NULL;
       array = array->next) {
    SnapshotArray *to = &snapshot->arrays[snapshot->array_count++];
    *to = (SnapshotArray){.array = array, .elements = snapshot->elements.count};
    memcpy(to->sizes, array->view.sizes, sizeof to->sizes);
    add_bytes(&snapshot->elements, array->view.elements,
              array_count(array) * scalar_bytes(array->type));
  }
}

static void copy_counts(ecs_Snapshot *snapshot) {
  const ecs_World *world = snapshot->world;
  for (uint32_t i = 1; i < world->store.components.count; i++)
    snapshot->changes[i] = world->store.components.all[i].changes;
  snapshot->counting = world->uses.begun;
  snapshot->use_count = world->uses.count;
  for (uint32_t i = 0; i < world->uses.count; i++)
    snapshot->runs[i] = world->uses.all[i].runs;
}

ecs_Status snapshot_take(ecs_Snapshot *snapshot) {
  const ecs_World *world = snapshot->world;
  ECS_ASSERT(world->depth == 0);
  SnapshotKey key = snapshot_key(world);
  bool first = !snapshot->taken;
  bool names = first || snapshot->key.names != key.names;
  StateSizes sizes = measure(world);
  if (names) sizes.names = name_bytes(&world->names);
  if (!snapshot_reserve(snapshot, &sizes)) return ECS_E_MEMORY;
  if (first || !snapshot_has_structure(snapshot, &key))
    copy_structure(snapshot);
  copy_columns(snapshot);
  if (first || snapshot->key.links != key.links ||
      snapshot->key.components != key.components)
    copy_links(snapshot);
  if (names) copy_names(snapshot);
  copy_arrays(snapshot);
  copy_counts(snapshot);
  snapshot->key = key;
  snapshot->taken = true;
  return ECS_OK;
}

ecs_Status snapshot_take_frame(ecs_Snapshot *snapshot) {
  StateSizes sizes = measure(snapshot->world);
  sizes.columns = sizes.elements = sizes.arrays = 0;
  ECS_ASSERT(!snapshot->taken);
  if (!snapshot_reserve(snapshot, &sizes)) return ECS_E_MEMORY;
  copy_structure(snapshot);
  copy_links(snapshot);
  copy_counts(snapshot);
  return ECS_OK;
}

/* restore.c: puts the state of a snapshot back. */
#include "state/restore.h"

#include <string.h>

#include "storage/change_note.h"
#include "storage/group_lists.h"

typedef struct Restore {
  ecs_Snapshot *from;
  ecs_World *world;
  Store *store;
  Group **fresh; /* owned, and so is each; NULL: groups stay */
  uint32_t fresh_count;
  uint32_t *table_counts;  /* owned; of groups that stay, before; or NULL */
  ReplacedState *replaced; /* keeps what there was; NULL: it is freed */
  EntityNames names;       /* those that will be */
  bool renamed;            /* they are others than those that are there */
  ArrayBlock *blocks; /* owned; of arrays that get other ones, in the order of
                         the world's */
  uint32_t block_count;
} Restore;

static const SnapshotTable *tables_of(const ecs_Snapshot *from,
                                      uint32_t group) {
  return from->tables + from->groups[group].first_table;
}

static const ecs_Entity *entities_of(const ecs_Snapshot *from,
                                     const SnapshotTable *table) {
  return (const ecs_Entity *)(const void *)(from->places.bytes +
                                            table->entities);
}

/* Is the component later than the snapshot? */
static bool is_later(const ecs_Snapshot *from, ecs_Component id) {
  return id >= from->component_total;
}

/* Rows ------------------------------------------------------------------ */

/* Every row counts as changed, and every watched column as written. */
static void stamp_all(const Table *table) {
  const Stamps *stamps = table->stamps;
  table_stamp_rows(table, 0, table->count);
  for (uint32_t i = 0; stamps != NULL && i < stamps->count; i++)
    table_stamp(table, stamps->bits[i], 0, table->count);
}

/* Copies values over the rows of a table, which are as many as there were. */
static void put_columns(const ecs_Snapshot *from, const Group *group,
                        const Table *table, const SnapshotTable *was) {
  char *columns = from->columns.bytes + was->columns;
  if (was->rows == 0) return;
  snapshot_copy_columns(group, table, was->rows, was->bits_columns, columns,
                        true);
  for (uint32_t i = was->bits_columns; i < table->bits_columns; i++)
    memset(table_bits(table, i), 0, was->rows);
}

/* Makes the rows of a table those that it had. There is room for them. */
static void put_rows(const ecs_Snapshot *from, const Group *group, Table *table,
                     const SnapshotTable *was) {
  ECS_ASSERT(was->rows <= table->capacity && table->pending == 0);
  table_truncate(table, was->rows);
  table->count = was->rows;
  if (was->rows > 0)
    memcpy(table->entities, entities_of(from, was),
           was->rows * sizeof(ecs_Entity));
  put_columns(from, group, table, was);
}

static ecs_Status reserve_rows(Memory *memory, Table *table,
                               const SnapshotTable *was) {
  ecs_Status status = table_reserve_bits(table, memory, was->bits_columns);
  if (status == ECS_OK && was->rows > table->count)
    status = table_reserve(table, memory, was->rows - table->count);
  return status;
}

/* Makes room in a group's locator for rows of a table. */
static ecs_Status reserve_places(Memory *memory, Group *group,
                                 const ecs_Snapshot *from,
                                 const SnapshotTable *was) {
  const ecs_Entity *entities = entities_of(from, was);
  for (uint32_t row = 0; group->id != 0 && row < was->rows; row++) {
    uint32_t index = id_index(entities[row]);
    if (ECS_LIKELY(locator_ready(&group->locator, index))) continue;
    ecs_Status status = locator_reserve(&group->locator, memory, index);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

/* Writes where rows are, or that they are nowhere. The main group's places are
 * slots, which are copied whole. */
static void write_places(Group *group, const Table *table, bool placed) {
  for (uint32_t row = 0; group->id != 0 && row < table->count; row++)
    locator_set(&group->locator, id_index(table->entities[row]),
                placed ? (RowId){row, table->id} : (RowId){LOCATOR_NONE, 0});
}

/* The same structure ------------------------------------------------------ */

static void put_values(const Restore *restore) {
  for (uint32_t i = 0; i < restore->store->groups.count; i++) {
    Group *group = restore->store->groups.all[i];
    for (uint32_t k = 0; k < group->table_count; k++) {
      put_columns(restore->from, group, group->tables[k],
                  &tables_of(restore->from, i)[k]);
      stamp_all(group->tables[k]);
    }
  }
  restore->store->row_epoch++;
}

/* The same groups --------------------------------------------------------- */

static bool group_fits(const ecs_Snapshot *from, const Group *group) {
  const SnapshotGroup *was = &from->groups[group->id];
  if (group->component_count < was->component_count) return false;
  for (uint32_t bit = 0; bit < was->component_count; bit++) {
    const SnapshotComponent *component =
        &from->components[was->first_component + bit];
    if (group->components[bit].component != component->id ||
        group_is_bits(group, bit) != component->bits)
      return false;
  }
  for (uint32_t k = 0; k < was->table_count && k < group->table_count; k++) {
    Mask mask = snapshot_mask(from, &tables_of(from, group->id)[k]);
    const Mask *now = &group->tables[k]->mask;
    if (now->first != mask.first || now->count != mask.count ||
        (mask.count > 0 &&
         memcmp(now->words, mask.words, mask.count * sizeof(uint64_t)) != 0))
      return false;
  }
  return true;
}

static bool groups_fit(const Restore *restore) {
  const Store *store = restore->store;
  if (store->groups.count < restore->from->group_count) return false;
  for (ecs_Component id = restore->from->component_total;
       id < store->components.count; id++)
    if (!component_is_home(&store->components.all[id])) return false;
  for (uint32_t i = 0; i < restore->from->group_count; i++)
    if (!group_fits(restore->from, store->groups.all[i])) return false;
  return true;
}

/* Makes the tables that a group had, in their order, with room for their rows. */
static ecs_Status reserve_tables(Memory *memory, Group *group,
                                 const ecs_Snapshot *from) {
  const SnapshotGroup *was = &from->groups[group->id];
  for (uint32_t k = 0; k < was->table_count; k++) {
    const SnapshotTable *table_was = &tables_of(from, group->id)[k];
    Table *table = NULL;
    ecs_Status status = group_ensure_table(
        group, memory, snapshot_mask(from, table_was), &table);
    if (status == ECS_OK) status = reserve_rows(memory, table, table_was);
    if (status == ECS_OK)
      status = reserve_places(memory, group, from, table_was);
    if (status != ECS_OK) return status;
    if (table->id != k) return ECS_E_FILE; /* a mask came twice */
  }
  return ECS_OK;
}

/* How many tables of a group stay. */
static uint32_t kept_tables(const Restore *restore, uint32_t group) {
  return group < restore->from->group_count
             ? restore->from->groups[group].table_count
             : 0;
}

static ecs_Status reserve_groups(Restore *restore) {
  Store *store = restore->store;
  restore->table_counts =
      memory_zeroed(&store->memory, store->groups.count, sizeof(uint32_t));
  if (restore->table_counts == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < store->groups.count; i++)
    restore->table_counts[i] = store->groups.all[i]->table_count;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < restore->from->group_count; i++)
    status =
        reserve_tables(&store->memory, store->groups.all[i], restore->from);
  return status;
}

/* Drops the tables that reserve_groups has made. Their columns may have moved. */
static void give_back_tables(Restore *restore) {
  Store *store = restore->store;
  for (uint32_t i = 0; restore->table_counts != NULL && i < store->groups.count;
       i++) {
    group_drop_tables(store->groups.all[i], &store->memory,
                      restore->table_counts[i]);
    note_all(store, store->groups.all[i]);
  }
}

/* Returns whether tables were dropped. */
static bool put_group(const Restore *restore, Group *group) {
  Store *store = restore->store;
  uint32_t kept = kept_tables(restore, group->id);
  bool drops = group->table_count > kept;
  for (uint32_t k = 0; k < group->table_count; k++)
    write_places(group, group->tables[k], false);
  for (uint32_t k = kept; k < group->table_count; k++)
    table_clear(group->tables[k]);
  group_drop_tables(group, &store->memory, kept);
  for (uint32_t k = 0; k < kept; k++) {
    put_rows(restore->from, group, group->tables[k],
             &tables_of(restore->from, group->id)[k]);
    write_places(group, group->tables[k], true);
    stamp_all(group->tables[k]);
  }
  note_all(store, group);
  return drops;
}

static void put_groups(const Restore *restore) {
  Store *store = restore->store;
  bool drops = false;
  for (uint32_t i = 0; i < store->groups.count; i++)
    drops = put_group(restore, store->groups.all[i]) || drops;
  if (drops) store_touch_layout(store);
}

/* Groups anew ----------------------------------------------------------- */

static bool is_later_set(const Restore *restore, ecs_Component id) {
  return is_later(restore->from, id) &&
         restore->store->components.all[id].storage == ECS_STORE_SPARSE;
}

static ecs_Status add_component(const Restore *restore, Group *group,
                                ecs_Component id, bool bits) {
  return group_add_component(group, &restore->store->memory, id,
                             restore->store->components.all[id].schema, bits);
}

/* Components of a group that the snapshot has; of the main group, also those
 * that are later. */
static ecs_Status add_components(const Restore *restore, Group *group) {
  const ecs_Snapshot *from = restore->from;
  const SnapshotGroup *was = &from->groups[group->id];
  ecs_Status status = ECS_OK;
  for (uint32_t bit = 0; status == ECS_OK && bit < was->component_count;
       bit++) {
    const SnapshotComponent *component =
        &from->components[was->first_component + bit];
    status = add_component(restore, group, component->id, component->bits);
  }
  ecs_Component later =
      group->id == 0 ? from->component_total : restore->store->components.count;
  for (; status == ECS_OK && later < restore->store->components.count; later++)
    if (!is_later_set(restore, later))
      status = add_component(
          restore, group, later,
          restore->store->components.all[later].storage == ECS_STORE_BITS);
  return status;
}

static Group *create_group(Restore *restore, uint32_t id, bool narrow) {
  Store *store = restore->store;
  Group *group = group_create(&store->memory, id, narrow);
  if (group == NULL) return NULL;
  restore->fresh[id] = group;
  store_list_group(store, group);
  if (id < store->groups.count) group->version = store->groups.all[id]->version;
  return group;
}

static ecs_Status build_group(Restore *restore, uint32_t id) {
  const ecs_Snapshot *from = restore->from;
  const SnapshotGroup *was = &from->groups[id];
  bool narrow = id != 0 && was->component_count == 1 &&
                !from->components[was->first_component].bits;
  Group *group = create_group(restore, id, narrow);
  if (group == NULL) return ECS_E_MEMORY;
  ecs_Status status = add_components(restore, group);
  if (status == ECS_OK)
    status = reserve_tables(&restore->store->memory, group, from);
  for (uint32_t k = 0; status == ECS_OK && k < group->table_count; k++) {
    put_rows(from, group, group->tables[k], &tables_of(from, id)[k]);
    write_places(group, group->tables[k], true);
  }
  return status;
}

static ecs_Status build_groups(Restore *restore) {
  Store *store = restore->store;
  void *groups = store->groups.all;
  uint32_t id = 0, total = restore->from->group_count;
  for (ecs_Component i = restore->from->component_total;
       i < store->components.count; i++)
    total += is_later_set(restore, i);
  if (total > ECS_GROUP_LIMIT)
    return memory_refuse(&store->memory, ECS_GROUP_LIMIT, "groups", "a world");
  restore->fresh = memory_zeroed(&store->memory, total, sizeof(Group *));
  if (restore->fresh == NULL) return ECS_E_MEMORY;
  restore->fresh_count = total;
  bool room = memory_ensure(&store->memory, &groups, &store->groups.capacity,
                            total, sizeof(Group *));
  store->groups.all = groups;
  ecs_Status status = room ? ECS_OK : ECS_E_MEMORY;
  for (; status == ECS_OK && id < restore->from->group_count; id++)
    status = build_group(restore, id);
  for (ecs_Component i = restore->from->component_total;
       status == ECS_OK && i < store->components.count; i++) {
    if (!is_later_set(restore, i)) continue;
    Group *group = create_group(restore, id++, true);
    status =
        group == NULL ? ECS_E_MEMORY : add_component(restore, group, i, false);
  }
  return status;
}

/* Has groups take the place of those that are there, which are freed unless they
 * are kept. There is room for them. */
static void put_fresh_groups(Store *store, Group **groups, uint32_t count,
                             bool keeps) {
  uint64_t before = store_structure_version(store);
  for (uint32_t i = 0; i < store->groups.count && !keeps; i++)
    group_destroy(store->groups.all[i], &store->memory);
  store->groups.count = count;
  for (uint32_t i = 0; i < count; i++) {
    Group *group = groups[i];
    groups[i] = NULL;
    store->groups.all[i] = group;
    for (uint32_t bit = 0; bit < group->component_count; bit++)
      component_place(&store->components.all[group->components[bit].component],
                      store->ways, group, bit);
  }
  store->groups.main = store->groups.all[0];
  /* The sum of versions only grows, also where there are fewer groups. */
  store->groups.main->version += before;
  for (uint32_t i = 0; i < store->groups.count; i++)
    note_all(store, store->groups.all[i]);
  store_touch_layout(store);
}

static void exchange_groups(Restore *restore) {
  Store *store = restore->store;
  ReplacedState *kept = restore->replaced;
  if (kept != NULL)
    memcpy(kept->groups, store->groups.all,
           kept->group_count * sizeof(Group *));
  put_fresh_groups(store, restore->fresh, restore->fresh_count, kept != NULL);
}

/* Links and names --------------------------------------------------------- */

static ecs_Status reserve_links(const Restore *restore) {
  const ecs_Snapshot *from = restore->from;
  LinkSet *links = &restore->world->links;
  for (uint32_t i = 0; i < from->link_count; i++)
    for (uint32_t k = 0; k < from->links[i].page_count; k++) {
      uint32_t page = from->pages[from->links[i].first_page + k];
      ecs_Status status =
          link_index_reserve(&links->indices[i], &restore->store->memory,
                             id_make(page << LINK_PAGE_BITS, 0));
      if (status != ECS_OK) return status;
    }
  return ECS_OK;
}

static void put_links(ecs_World *world, const ecs_Snapshot *from) {
  LinkSet *links = &world->links;
  const char *nodes = from->nodes.bytes;
  link_set_clear(links);
  for (uint32_t i = 0; i < from->link_count; i++) {
    LinkIndex *index = &links->indices[i];
    index->links = from->links[i].links;
    for (uint32_t k = 0; k < from->links[i].page_count; k++) {
      uint32_t page = from->pages[from->links[i].first_page + k];
      memcpy(index->pages[page], nodes, LINK_PAGE_NODES * sizeof(LinkNode));
      nodes += LINK_PAGE_NODES * sizeof(LinkNode);
    }
  }
}

static ecs_Status make_names(Restore *restore) {
  const ecs_Snapshot *from = restore->from;
  const char *bytes = from->names.bytes;
  for (uint32_t i = 0; i < from->name_count; i++) {
    ecs_Entity entity;
    memcpy(&entity, bytes, sizeof entity);
    bytes += sizeof entity;
    uint32_t text = 0;
    ecs_Status status = entity_names_reserve(
        &restore->names, &restore->store->memory, entity, bytes, &text);
    if (status != ECS_OK) return status;
    entity_names_place(&restore->names, &restore->store->memory, entity, text);
    bytes += strlen(bytes) + 1;
  }
  /* A name or an entity came twice. */
  if (restore->names.count != from->name_count) return ECS_E_FILE;
  return ECS_OK;
}

/* Exchanges the names of the world for others. */
static void put_names(ecs_World *world, EntityNames *names) {
  EntityNames old = world->names;
  uint64_t version = old.version + names->version + 1;
  world->names = *names;
  world->names.version = version;
  world->names.tag = old.tag;
  *names = old;
}

/* Arrays ------------------------------------------------------------------ */

/* What an array was; NULL: it is later than the snapshot. */
static const SnapshotArray *find_array(const Restore *restore,
                                       const ecs_Array *array) {
  const ecs_Snapshot *from = restore->from;
  for (uint32_t i = 0; i < from->array_count; i++)
    if (from->arrays[i].array == array) return &from->arrays[i];
  return NULL;
}

/* The sizes that an array will have: those that it had, or was made with. */
static const uint32_t *sizes_of(const Restore *restore,
                                const ecs_Array *array) {
  const SnapshotArray *was = find_array(restore, array);
  return was != NULL ? was->sizes : array->first;
}

static bool has_sizes(const Restore *restore, const ecs_Array *array) {
  return memcmp(array->view.sizes, sizes_of(restore, array),
                sizeof array->first) == 0;
}

/* Does an array get another block? Those that may be taken back all do. */
static bool is_exchanged(const Restore *restore, const ecs_Array *array) {
  return restore->replaced != NULL || !has_sizes(restore, array);
}

static ecs_Status reserve_arrays(Restore *restore) {
  const ecs_Array *first = restore->world->arrays.first;
  uint32_t count = 0, others = 0;
  for (const ecs_Array *array = first; array != NULL; array = array->next) {
    others += is_exchanged(restore, array);
    count++;
  }
  if (others == 0) return ECS_OK;
  restore->blocks =
      memory_zeroed(&restore->store->memory, count, sizeof(ArrayBlock));
  if (restore->blocks == NULL) return ECS_E_MEMORY;
  restore->block_count = count;
  ArrayBlock *block = restore->blocks;
  for (const ecs_Array *array = first; array != NULL;
       array = array->next, block++) {
    if (!is_exchanged(restore, array)) continue;
    ecs_Status status =
        array_make_block(array, sizes_of(restore, array), block);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

/* Exchanges the elements of arrays, in the order of the world's, where there is
 * a block for them. */
static void exchange_blocks(ecs_World *world, ArrayBlock *block) {
  for (ecs_Array *array = world->arrays.first; block != NULL && array != NULL;
       array = array->next, block++)
    if (block->block != NULL) array_exchange_block(array, block);
}

/* Arrays that the snapshot does not have are as they were made. */
static void put_arrays(const Restore *restore) {
  exchange_blocks(restore->world, restore->blocks);
  array_set_clear(&restore->world->arrays);
  for (ecs_Array *array = restore->world->arrays.first; array != NULL;
       array = array->next) {
    const SnapshotArray *was = find_array(restore, array);
    if (was != NULL)
      memcpy(array->view.elements,
             restore->from->elements.bytes + was->elements,
             array_count(array) * scalar_bytes(array->type));
  }
}

static void free_blocks(Memory *memory, ArrayBlock *blocks, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    memory_free(memory, blocks[i].block, blocks[i].bytes);
  memory_free(memory, blocks, count * sizeof(ArrayBlock));
}

/* All of it --------------------------------------------------------------- */

static void put_counts(ecs_World *world, const ecs_Snapshot *from) {
  Store *store = &world->store;
  QueryUses *uses = &world->uses;
  for (uint32_t i = 1; i < store->components.count; i++)
    store->components.all[i].changes = is_later(from, i) ? 0 : from->changes[i];
  uses->begun = from->counting;
  for (uint32_t i = 0; i < uses->count; i++)
    uses->all[i].runs = i < from->use_count ? from->runs[i] : 0;
}

static ecs_Status reserve_slots(const Restore *restore) {
  const EntityIndex *index = &restore->store->index;
  uint32_t used = restore->from->index.used;
  if (used <= index->used) return ECS_OK;
  return store_reserve_entities(
      restore->store, (uint64_t)index->free_count + (used - index->used));
}

static void put_structure(Restore *restore) {
  Store *store = restore->store;
  bool lists = store->groups.count > ECS_NEAR_GROUPS;
  entity_index_put(&store->index, &store->memory, &restore->from->index,
                   restore->from->places.bytes);
  if (restore->fresh != NULL)
    exchange_groups(restore);
  else
    put_groups(restore);
  if (lists || store->groups.count > ECS_NEAR_GROUPS) group_lists_remake(store);
}

static ecs_Status reserve_structure(Restore *restore) {
  ecs_Status status = reserve_slots(restore);
  if (status != ECS_OK) return status;
  bool fit = restore->replaced == NULL && groups_fit(restore);
  return fit ? reserve_groups(restore) : build_groups(restore);
}

static void deinit(Restore *restore, bool failed) {
  Memory *memory = &restore->store->memory;
  if (failed) give_back_tables(restore);
  memory_free(memory, restore->table_counts,
              restore->store->groups.count * sizeof(uint32_t));
  for (uint32_t i = 0; i < restore->fresh_count; i++)
    group_destroy(restore->fresh[i], memory);
  memory_free(memory, restore->fresh, restore->fresh_count * sizeof(Group *));
  entity_names_deinit(&restore->names, memory);
  free_blocks(memory, restore->blocks, restore->block_count);
}

static ecs_Status restore_state(ecs_Snapshot *snapshot,
                                ReplacedState *replaced) {
  ecs_World *world = snapshot->world;
  Restore restore = {.from = snapshot,
                     .world = world,
                     .store = &world->store,
                     .replaced = replaced};
  SnapshotKey now = snapshot_key(world);
  bool any = replaced == NULL;
  bool same = any && snapshot_has_structure(snapshot, &now);
  bool linked = any && snapshot->key.links == now.links &&
                snapshot->key.components == now.components;
  ECS_ASSERT(world->depth == 0 && snapshot->taken);
  entity_names_init(&restore.names);
  restore.renamed = !any || snapshot->key.names != now.names;
  ecs_Status status = linked ? ECS_OK : reserve_links(&restore);
  if (status == ECS_OK && restore.renamed) status = make_names(&restore);
  if (status == ECS_OK) status = reserve_arrays(&restore);
  if (status == ECS_OK && !same) status = reserve_structure(&restore);
  if (status == ECS_OK) {
    if (same)
      put_values(&restore);
    else
      put_structure(&restore);
    world->store.clock.newest = world->store.clock.tick;
    store_let_go_all(&world->store);
    if (!linked) put_links(world, snapshot);
    if (restore.renamed) put_names(world, &restore.names);
    put_arrays(&restore);
    put_counts(world, snapshot);
    if (replaced != NULL) {
      replaced->names = restore.names;
      entity_names_init(&restore.names);
      replaced->blocks = restore.blocks;
      replaced->block_count = restore.block_count;
      restore.blocks = NULL;
      restore.block_count = 0;
    }
    if (now.components == snapshot->key.components)
      snapshot->key = snapshot_key(world);
  }
  deinit(&restore, status != ECS_OK);
#ifdef ECS_TINY
  ECS_ASSERT(world_check_invariants(world));
#endif
  return status;
}

ecs_Status snapshot_restore(ecs_Snapshot *snapshot) {
  return restore_state(snapshot, NULL);
}

ecs_Status snapshot_exchange(ecs_Snapshot *snapshot, ReplacedState *replaced) {
  ecs_World *world = snapshot->world;
  *replaced = (ReplacedState){.group_count = world->store.groups.count};
  entity_names_init(&replaced->names);
  ecs_Status status = snapshot_create(world, &replaced->frame);
  if (status == ECS_OK) status = snapshot_take_frame(replaced->frame);
  if (status == ECS_OK) {
    replaced->groups = memory_zeroed(&world->store.memory,
                                     replaced->group_count, sizeof(Group *));
    status = replaced->groups == NULL ? ECS_E_MEMORY
                                      : restore_state(snapshot, replaced);
  }
  if (status != ECS_OK) replaced_forget(replaced);
  return status;
}

void replaced_bring_back(ReplacedState *replaced) {
  ecs_Snapshot *frame = replaced->frame;
  ecs_World *world = frame->world;
  Store *store = &world->store;
  entity_index_put(&store->index, &store->memory, &frame->index,
                   frame->places.bytes);
  put_fresh_groups(store, replaced->groups, replaced->group_count, false);
  store_let_go_all(store);
  group_lists_remake(store);
  put_links(world, frame);
  put_names(world, &replaced->names);
  exchange_blocks(world, replaced->blocks);
  put_counts(world, frame);
  replaced_forget(replaced);
#ifdef ECS_TINY
  ECS_ASSERT(world_check_invariants(world));
#endif
}

void replaced_forget(ReplacedState *replaced) {
  ecs_World *world = replaced->frame == NULL ? NULL : replaced->frame->world;
  if (world == NULL) return;
  Memory *memory = &world->store.memory;
  for (uint32_t i = 0; replaced->groups != NULL && i < replaced->group_count;
       i++)
    group_destroy(replaced->groups[i], memory);
  memory_free(memory, replaced->groups,
              replaced->group_count * sizeof(Group *));
  entity_names_deinit(&replaced->names, memory);
  free_blocks(memory, replaced->blocks, replaced->block_count);
  snapshot_destroy(replaced->frame);
  *replaced = (ReplacedState){0};
}

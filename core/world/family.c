/* family.c: entities that are spawned together and linked to each other. */
#include "world/family.h"

#include "change/spawn_together.h"

/* What most families need has its room on the stack. */
#define FEW_MEMBERS 8u

typedef struct FamilySpawn {
  ecs_World *world;
  const ecs_Family *family;
  const ecs_Member *members; /* of the family; count of them */
  uint32_t count;
  uint32_t from; /* the first one that is spawned: 1 where parents are given */
  uint32_t copies;
  LinkIndex *index;  /* of the links to parents; NULL: one member */
  SpawnedRows *rows; /* one for each member, in few or the scratch memory */
  SpawnedRows few[FEW_MEMBERS];
} FamilySpawn;

static Bundle *bundle_of(const FamilySpawn *spawn, uint32_t member) {
  return change_bundle(&spawn->world->store, spawn->members[member].bundle);
}

/* parents: NULL, or the first members, which are there already. */
static ecs_Status begin(FamilySpawn *spawn, ecs_World *world,
                        const ecs_Family *family, uint32_t copies,
                        const ecs_Entity *parents) {
  spawn->world = world;
  spawn->from = parents == NULL ? 0 : 1;
  spawn->family = family;
  spawn->members = family->members;
  spawn->count = family->member_count;
  spawn->copies = copies;
  spawn->index = spawn->count == 1 ? NULL
                                   : link_set_find(&world->links, &world->store,
                                                   family->link, family->field);
  spawn->rows = spawn->few;
  if (spawn->count > FEW_MEMBERS) {
    LinkWork *work = &world->links.work;
    if (!memory_grow(&world->store.memory, (void **)(void *)&work->members,
                     &work->member_capacity, 0, spawn->count,
                     sizeof(SpawnedRows)))
      return ECS_E_MEMORY;
    spawn->rows = work->members;
  }
  for (uint32_t m = 0; m < spawn->count; m++)
    spawn->rows[m] = (SpawnedRows){.bundle = bundle_of(spawn, m)};
  spawn->rows[0].entities = parents;
  return ECS_OK;
}

/* Links of values --------------------------------------------------------- */

/* A link that a member's values give. */
typedef struct GivenLink {
  LinkIndex *index;
  ecs_Entity target;
} GivenLink;

/* Where to look for the next of them. All zero: for the first. */
typedef struct GivenLinks {
  uint32_t item;
  uint32_t link;
} GivenLinks;

/* Finds the next link of a member's values; false: there are no more. What a
 * child has for its parent is none. Cost: a look at every item. */
static bool next_given(const FamilySpawn *spawn, uint32_t member,
                       GivenLinks *next, GivenLink *given) {
  const Bundle *bundle = spawn->rows[member].bundle;
  const void *const *values = spawn->members[member].values;
  const ecs_World *world = spawn->world;
  if (values == NULL || !bundle->linked) return false;
  for (; next->item < bundle->given_count; next->item++, next->link = 0) {
    const Component *component =
        &world->store.components.all[bundle->items[next->item].component];
    LinkIndex *indices = links_of(&world->links, component);
    while (next->link < component->link_count) {
      given->index = &indices[next->link++];
      given->target =
          link_in_image(given->index, component, values[next->item]);
      bool parent = member > 0 && given->index == spawn->index;
      if (given->target != 0 && !parent) return true;
    }
  }
  return false;
}

static ecs_Status check_links(const FamilySpawn *spawn) {
  LinkSet *links = &spawn->world->links;
  if (spawn->index != NULL) links->made = true;
  for (uint32_t m = spawn->from; m < spawn->count; m++) {
    GivenLinks next = {0, 0};
    GivenLink given;
    while (next_given(spawn, m, &next, &given)) {
      links->made = true;
      if (world_alive(spawn->world, given.target)) continue;
      links->refused[0] = 0;
      links->refused[1] = given.target;
      return ECS_E_LINK;
    }
  }
  return ECS_OK;
}

/* Makes the nodes for the links of one copy of a member. */
static ecs_Status reserve_nodes(const FamilySpawn *spawn, uint32_t member,
                                uint32_t entity) {
  Memory *memory = &spawn->world->store.memory;
  GivenLinks next = {0, 0};
  GivenLink given;
  ecs_Status status = ECS_OK;
  if (spawn->index != NULL)
    status = link_index_reserve(spawn->index, memory, entity);
  while (status == ECS_OK && next_given(spawn, member, &next, &given)) {
    status = link_index_reserve(given.index, memory, entity);
    if (status == ECS_OK)
      status = link_index_reserve(given.index, memory, given.target);
  }
  return status;
}

/* Makes the nodes of parents that are there already. */
static ecs_Status reserve_parents(const FamilySpawn *spawn) {
  Memory *memory = &spawn->world->store.memory;
  ecs_Status status = ECS_OK;
  if (spawn->from == 0 || spawn->count == 1) return ECS_OK;
  for (uint32_t k = 0; status == ECS_OK && k < spawn->copies; k++)
    status =
        link_index_reserve(spawn->index, memory, spawn->rows[0].entities[k]);
  return status;
}

static ecs_Status reserve_links(const FamilySpawn *spawn) {
  NextIndices next = {0, 0, false};
  ecs_Status status = reserve_parents(spawn);
  for (uint32_t m = spawn->from; m < spawn->count; m++) {
    if (spawn->index == NULL && !spawn->rows[m].bundle->linked) continue;
    for (uint32_t k = 0; status == ECS_OK && k < spawn->copies; k++)
      status = reserve_nodes(
          spawn, m, next_indices_take(&next, &spawn->world->store.index));
  }
  return status;
}

static void make_given_links(const FamilySpawn *spawn, uint32_t member,
                             const ecs_Entity *entities) {
  GivenLinks next = {0, 0};
  GivenLink given;
  while (next_given(spawn, member, &next, &given))
    for (uint32_t k = 0; k < spawn->copies; k++)
      link_insert(given.index, entities[k], given.target, 0);
}

/* Now --------------------------------------------------------------------- */

static ecs_Status reserve_notices(const FamilySpawn *spawn) {
  ecs_World *world = spawn->world;
  uint64_t notices = 0;
  for (uint32_t m = spawn->from; m < spawn->count; m++)
    notices += observe_count_births(world, spawn->rows[m].bundle);
  return notices == 0
             ? ECS_OK
             : observer_set_reserve(&world->observers, &world->store.memory,
                                    notices * spawn->copies);
}

/* Reserves everything, or nothing but some pages of locators and of links. */
static ecs_Status reserve(FamilySpawn *spawn) {
  Store *store = &spawn->world->store;
  uint32_t pages = store->index.page_count;
  SpawnedRows *rows = spawn->rows + spawn->from;
  uint32_t count = spawn->count - spawn->from;
  ecs_Status status = spawn_together_reserve(store, rows, count, spawn->copies);
  if (status != ECS_OK) return status;
  status = reserve_links(spawn);
  if (status == ECS_OK) status = reserve_notices(spawn);
  if (status != ECS_OK) spawn_together_give_back(store, rows, count, pages);
  return status;
}

/* The item of a bundle that has a component. */
static const BundleItem *item_of(const Bundle *bundle,
                                 ecs_Component component) {
  const BundleItem *item = bundle->items;
  while (item->component != component) item++;
  ECS_ASSERT(item < bundle->items + bundle->given_count);
  return item;
}

/* Links the new rows of a member, whose bundle has just appended them, to those
 * of its parent, one to one. */
static void link_rows(const FamilySpawn *spawn, uint32_t member) {
  const ecs_Family *family = spawn->family;
  const SpawnedRows *rows = &spawn->rows[member];
  const SpawnedRows *parents = &spawn->rows[spawn->members[member].parent];
  const Bundle *bundle = rows->bundle;
  const BundleItem *item = item_of(bundle, family->link);
  const BundleColumn *column =
      &bundle->columns[item->first_column + family->field];
  const Table *table = bundle->groups[column->group_index].table;
  const ecs_Entity *targets = parents->entities;
  const ecs_Entity *sources = rows->entities;
  memcpy(table_element(table, column->code,
                       bundle->first_rows[column->group_index]),
         targets, spawn->copies * sizeof(ecs_Entity));
  for (uint32_t k = 0; k < spawn->copies; k++)
    link_insert(spawn->index, sources[k], targets[k], 0);
}

static ecs_Status spawn_now(FamilySpawn *spawn) {
  ecs_World *world = spawn->world;
  if (spawn->copies == 0) return ECS_OK;
  ecs_Status status = reserve(spawn);
  if (status != ECS_OK) return status;
  for (uint32_t m = spawn->from; m < spawn->count; m++) {
    SpawnedRows *rows = &spawn->rows[m];
    spawn_together_append(&world->store, rows, spawn->copies,
                          spawn->members[m].values);
    if (m > 0) link_rows(spawn, m);
    make_given_links(spawn, m, rows->entities);
  }
  for (uint32_t m = spawn->from; m < spawn->count; m++)
    if (spawn->rows[m].bundle->noticed)
      observe_births(world, spawn->rows[m].entities, spawn->copies);
  return ECS_OK;
}

/* Recorded ---------------------------------------------------------------- */

static size_t rounded(size_t bytes) { return (bytes + 7u) / 8u * 8u; }

/* Writes the images of a member's items one after the other. Returns where a
 * child has the handle of its parent among them. */
static size_t write_values(const FamilySpawn *spawn, uint32_t member,
                           char *room) {
  const Bundle *bundle = spawn->rows[member].bundle;
  const void *const *values = spawn->members[member].values;
  const char *first = room;
  size_t parent = 0;
  for (uint32_t i = 0; i < bundle->given_count; i++) {
    ecs_Component id = bundle->items[i].component;
    const Schema *schema = spawn->world->store.components.all[id].schema;
    const void *image = values == NULL ? NULL : values[i];
    if (schema->image_bytes == 0) continue;
    memcpy(room, image == NULL ? schema->default_image : image,
           schema->image_bytes);
    if (member > 0 && id == spawn->family->link)
      parent =
          (size_t)(room - first) + schema->fields[spawn->family->field].offset;
    room += rounded(schema->image_bytes);
  }
  return parent;
}

/* What recording needs beside the bundles. */
typedef struct FamilyRecords {
  Bundle **bundles;     /* one for each member */
  char **values;        /* of the spawns that are recorded next */
  ecs_Entity *entities; /* member by member */
} FamilyRecords;

/* Records the spawns of members, one after the other: all copies of one member,
 * or one copy of all. ECS_E_MEMORY, ECS_E_LIMIT: none are recorded. */
static ecs_Status record_members(const FamilySpawn *spawn,
                                 const FamilyRecords *records, uint32_t first,
                                 uint32_t count) {
  CommandBuffer *commands = &spawn->world->commands;
  ecs_Entity *entities = records->entities + (size_t)first * spawn->copies;
  ecs_Status status =
      command_prepare_spawns(commands, records->bundles + first, count,
                             spawn->copies, records->values);
  if (status != ECS_OK) return status;
  command_record_spawns(commands, records->bundles + first, count,
                        spawn->copies, entities);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t parent = spawn->members[first + i].parent;
    for (uint32_t k = 0; k < spawn->copies; k++) {
      char *values = records->values[(size_t)i * spawn->copies + k];
      size_t offset = write_values(spawn, first + i, values);
      if (first + i > 0)
        memcpy(values + offset,
               &records->entities[(size_t)parent * spawn->copies + k],
               sizeof(ecs_Entity));
    }
  }
  return ECS_OK;
}

/* One copy needs no record to be taken back, which would use up handles. */
static ecs_Status record_all(const FamilySpawn *spawn,
                             const FamilyRecords *records) {
  if (spawn->copies == 1)
    return record_members(spawn, records, spawn->from,
                          spawn->count - spawn->from);
  Level before = deferral_mark(spawn->world);
  ecs_Status status = ECS_OK;
  for (uint32_t m = spawn->from; status == ECS_OK && m < spawn->count; m++)
    status = record_members(spawn, records, m, 1);
  if (status != ECS_OK) deferral_rewind(spawn->world, &before);
  return status;
}

static ecs_Status spawn_later(const FamilySpawn *spawn, ecs_Entity *entities) {
  Memory *memory = &spawn->world->store.memory;
  size_t all = (size_t)spawn->count * spawn->copies;
  size_t used = 0, values = spawn->copies == 1 ? spawn->count : spawn->copies;
  FamilyRecords records;
  if (spawn->copies == 0 || spawn->from == spawn->count) return ECS_OK;
  size_t bytes = 64 + spawn->count * sizeof(Bundle *) +
                 values * sizeof(char *) + all * sizeof(ecs_Entity);
  char *block = memory_resize(memory, NULL, 0, bytes);
  if (block == NULL) return ECS_E_MEMORY;
  records.bundles = memory_lay(block, &used, spawn->count, sizeof(Bundle *));
  records.values = memory_lay(block, &used, values, sizeof(char *));
  records.entities = memory_lay(block, &used, all, sizeof(ecs_Entity));
  ECS_ASSERT(used <= bytes);
  for (uint32_t m = 0; m < spawn->count; m++)
    records.bundles[m] = spawn->rows[m].bundle;
  if (spawn->from > 0)
    memcpy(records.entities, spawn->rows[0].entities,
           spawn->copies * sizeof(ecs_Entity));
  ecs_Status status = record_all(spawn, &records);
  if (status == ECS_OK && entities != NULL)
    memcpy(entities, records.entities, spawn->copies * sizeof(ecs_Entity));
  memory_free(memory, block, bytes);
  return status;
}

/* Both -------------------------------------------------------------------- */

static ecs_Status spawn_family(FamilySpawn *spawn, ecs_Entity *entities) {
  ecs_Status status = check_links(spawn);
  if (status != ECS_OK) return status;
  if (spawn->world->depth > 0) return spawn_later(spawn, entities);
  status = spawn_now(spawn);
  if (status == ECS_OK && entities != NULL && spawn->copies > 0)
    memcpy(entities, spawn->rows[0].entities,
           spawn->copies * sizeof(ecs_Entity));
  return status;
}

ecs_Status world_spawn_family(ecs_World *world, const ecs_Family *family,
                              uint32_t copies, ecs_Entity *entities) {
  FamilySpawn spawn;
  EntityClaim claim;
  ecs_Status status = begin(&spawn, world, family, copies, NULL);
  if (status != ECS_OK) return status;
  if (family->first != 0) status = world_claim(world, family->first, &claim);
  if (status == ECS_OK) {
    status = spawn_family(&spawn, entities);
    if (status != ECS_OK && family->first != 0)
      entity_claim_undo(&world->store, &claim);
  }
  return status;
}

ecs_Status world_spawn_children(ecs_World *world, const ecs_Family *family,
                                uint32_t copies, const ecs_Entity *parents) {
  FamilySpawn spawn;
  for (uint32_t k = 0; k < copies; k++)
    if (!world_alive(world, parents[k])) return ECS_E_DEAD;
  ecs_Status status = begin(&spawn, world, family, copies, parents);
  if (status != ECS_OK) return status;
  return spawn_family(&spawn, NULL);
}

ecs_Status world_reserve_family(ecs_World *world, const ecs_Family *family,
                                uint32_t copies) {
  FamilySpawn spawn;
  ECS_ASSERT(world->depth == 0);
  ecs_Status status = begin(&spawn, world, family, copies, NULL);
  if (status != ECS_OK) return status;
  return reserve(&spawn);
}

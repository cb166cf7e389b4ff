/* pack.c: some entities of a world as an archive. */
#include "state/pack.h"

#include <stdlib.h>
#include <string.h>

#include "state/held_list.h"
#include "state/save.h"
#include "state/saved_text.h"
#include "storage/locate.h"

typedef struct Pack {
  const ecs_World *world;
  const Store *store;
  const PackRows *rows;
  ecs_Component *ids; /* owned; those that an entity has, by name */
  uint32_t count;
  char *packed;      /* owned; by index: 1: its entity is among the rows */
  RowRef *places;    /* owned; of the component that is written: by row; table
                        NULL: the entity lacks it */
  uint64_t had;      /* of these, rows that have it */
  ecs_Entity *named; /* owned; entities with a name, by index */
  uint32_t named_count;
  HeldList held;
} Pack;

/* What a content is of. */
typedef struct PackItem {
  const Pack *pack;
  const Component *component;
  ecs_Component id;
  uint32_t field;
  const LinkIndex *links;
} PackItem;

static const Component *component_of(const Pack *pack, ecs_Component id) {
  return &pack->store->components.all[id];
}

/* The row of the n-th entity with a component; table NULL: it lacks it. */
static RowRef locate(const Pack *pack, uint64_t n, ecs_Component id) {
  RowRef row = {NULL, 0};
  ECS_ASSERT_ONLY ecs_Status status =
      store_locate(pack->store, pack->rows->entities[n], id, &row);
  ECS_ASSERT(status == ECS_OK);
  return row;
}

/* Choosing ---------------------------------------------------------------- */

static ecs_Status begin(Pack *pack, ecs_World *world) {
  Memory *memory = &world->store.memory;
  ecs_Status status = held_list_init(&pack->held, &world->store);
  if (status != ECS_OK) return status;
  pack->ids = memory_zeroed(memory, pack->store->components.count,
                            sizeof(ecs_Component));
  pack->packed = memory_zeroed(memory, pack->store->index.used, 1);
  pack->places =
      memory_zeroed(memory, (size_t)pack->rows->count + 1, sizeof(RowRef));
  pack->named =
      memory_zeroed(memory, pack->world->names.count + 1u, sizeof(ecs_Entity));
  return pack->ids == NULL || pack->packed == NULL || pack->named == NULL ||
                 pack->places == NULL
             ? ECS_E_MEMORY
             : ECS_OK;
}

static void end(Pack *pack, ecs_World *world) {
  Memory *memory = &world->store.memory;
  held_list_deinit(&pack->held, &world->store);
  memory_free(memory, pack->ids,
              pack->store->components.count * sizeof(ecs_Component));
  memory_free(memory, pack->packed, pack->store->index.used);
  memory_free(memory, pack->places,
              ((size_t)pack->rows->count + 1) * sizeof(RowRef));
  memory_free(memory, pack->named,
              (pack->world->names.count + 1u) * sizeof(ecs_Entity));
}

static bool is_asked(const PackRows *rows, ecs_Component id) {
  if (rows->components == NULL) return true;
  for (uint32_t i = 0; i < rows->component_count; i++)
    if (rows->components[i] == id) return true;
  return false;
}

static bool is_had(const Pack *pack, ecs_Component id) {
  for (uint64_t n = 0; n < pack->rows->count; n++)
    if (locate(pack, n, id).table != NULL) return true;
  return false;
}

/* Sorts them by their names: by insertion, as there are few. */
static void choose_components(Pack *pack) {
  for (ecs_Component id = 1; id < pack->store->components.count; id++) {
    if (id == pack->world->names.tag || !is_asked(pack->rows, id) ||
        !save_is_used(component_of(pack, id)) || !is_had(pack, id))
      continue;
    uint32_t at = pack->count++;
    for (; at > 0 && strcmp(component_of(pack, pack->ids[at - 1])->schema->name,
                            component_of(pack, id)->schema->name) > 0;
         at--)
      pack->ids[at] = pack->ids[at - 1];
    pack->ids[at] = id;
  }
}

static int compare_entities(const void *one, const void *other) {
  ecs_Entity a = *(const ecs_Entity *)one, b = *(const ecs_Entity *)other;
  return (a > b) - (a < b);
}

static bool is_packed(const Pack *pack, ecs_Entity entity) {
  return pack->packed[id_index(entity)] != 0;
}

static void choose_names(Pack *pack) {
  const EntityNames *names = &pack->world->names;
  if (pack->rows->components != NULL &&
      (names->tag == 0 || !is_asked(pack->rows, names->tag)))
    return;
  for (uint32_t i = 0; i < names->count; i++) {
    ecs_Entity entity = names->names[i].entity;
    if (store_alive(pack->store, entity) && is_packed(pack, entity))
      pack->named[pack->named_count++] = entity;
  }
  qsort(pack->named, pack->named_count, sizeof(ecs_Entity), compare_entities);
}

/* Looks every row up for a component. */
static void find_places(Pack *pack, ecs_Component id) {
  pack->had = 0;
  for (uint64_t n = 0; n < pack->rows->count; n++) {
    pack->places[n] = locate(pack, n, id);
    pack->had += pack->places[n].table != NULL;
  }
}

/* Held values ------------------------------------------------------------- */

static void list_field(Pack *pack, ecs_Component id, uint32_t field) {
  const Component *component = component_of(pack, id);
  const SchemaField *of = &component->schema->fields[field];
  HeldUse use = {.field = field,
                 .component = id,
                 .component_name = component->schema->name,
                 .field_name = of->name};
  for (uint64_t n = 0; n < pack->rows->count; n++) {
    RowRef row = pack->places[n];
    if (row.table == NULL) continue;
    ColumnCode code = table_codes(row.table, component->bit)[field];
    use.entity = pack->rows->entities[n];
    held_list_add(&pack->held, table_element(row.table, code, row.row), use,
                  of->type);
  }
}

/* Lists the values that are used, in the order of the columns. */
static void list_held(Pack *pack) {
  for (uint32_t i = 0; i < pack->count; i++) {
    const Schema *schema = component_of(pack, pack->ids[i])->schema;
    if (schema->held == 0) continue;
    find_places(pack, pack->ids[i]);
    for (uint32_t k = 0; k < schema->field_count; k++)
      if (schema->held >> k & 1u) list_field(pack, pack->ids[i], k);
  }
}

/* The first of the components that has fields of type string or any; 0: none. */
static ecs_Component find_held(const Pack *pack) {
  for (uint32_t i = 0; i < pack->count; i++)
    if (component_of(pack, pack->ids[i])->schema->held != 0)
      return pack->ids[i];
  return 0;
}

/* See pack_write. */
static ecs_Status check_packed(Pack *pack, ecs_World *world) {
  const HeldPacked *packed = pack->rows->packed;
  ecs_Component first = find_held(pack);
  if (first == 0 && packed == NULL) return ECS_OK;
  if (packed == NULL) {
    world->contested = first;
    return ECS_E_COMPONENT;
  }
  list_held(pack);
  return held_list_matches(&pack->held, packed) ? ECS_OK : ECS_E_VALUE;
}

/* Links ------------------------------------------------------------------- */

/* The packed entities that link, target by target, in order: puts them, unless
 * out is NULL, and returns how many. */
static uint64_t list_links(const Pack *pack, const LinkIndex *index,
                           ArchiveOut *out) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < index->page_count * LINK_PAGE_NODES; i++) {
    const LinkNode *target = link_node(index, i);
    for (uint32_t next = target == NULL ? 0 : target->first; next != 0;) {
      const LinkNode *source = link_node(index, next);
      if (is_packed(pack, source->entity)) {
        if (out != NULL)
          archive_put(out, &source->entity, sizeof source->entity);
        count++;
      }
      next = source->next;
    }
  }
  return count;
}

static void put_links(ArchiveOut *out, const void *of) {
  const PackItem *item = of;
  save_put_head(out, ECS_ENTITY, list_links(item->pack, item->links, NULL));
  (void)list_links(item->pack, item->links, out);
}

/* Contents ---------------------------------------------------------------- */

static void put_manifest(ArchiveOut *out, const void *of) {
  const Pack *pack = of;
  bool has_held = find_held(pack) != 0;
  archive_say(out, "ecs-rows %u\nrows %llu %s\n", has_held ? 2u : 1u,
              (unsigned long long)pack->rows->count,
              pack->rows->components == NULL ? "whole" : "part");
  for (uint32_t i = 0; i < pack->count; i++)
    save_put_component(out, component_of(pack, pack->ids[i]));
  for (uint32_t i = 0; i < pack->count; i++) {
    const Component *component = component_of(pack, pack->ids[i]);
    const LinkIndex *links = links_of(&pack->world->links, component);
    for (uint32_t k = 0; k < component->link_count; k++)
      archive_say(out, "link %u %u %llu\n", i + 1, links[k].field + 1,
                  (unsigned long long)list_links(pack, &links[k], NULL));
  }
  for (uint32_t i = 0; i < pack->named_count; i++)
    save_put_name(out, pack->world, pack->named[i]);
  if (has_held) archive_say(out, "values %u\n", pack->held.used);
  archive_say(out, "end\n");
}

static void put_entities(ArchiveOut *out, const void *of) {
  const PackRows *rows = ((const Pack *)of)->rows;
  save_put_head(out, ECS_ENTITY, rows->count);
  if (rows->count > 0)
    archive_put(out, rows->entities, rows->count * sizeof(ecs_Entity));
}

static void put_has(ArchiveOut *out, const void *of) {
  const Pack *pack = ((const PackItem *)of)->pack;
  save_put_head(out, ECS_U8, pack->rows->count);
  for (uint64_t n = 0; n < pack->rows->count; n++) {
    uint8_t has = pack->places[n].table != NULL;
    archive_put(out, &has, 1);
  }
}

static void put_column(ArchiveOut *out, const void *of) {
  const PackItem *item = of;
  const Pack *pack = item->pack;
  const Component *component = item->component;
  ecs_Scalar type = component->schema->fields[item->field].type;
  save_put_head(out, type, pack->had);
  for (uint64_t n = 0; n < pack->rows->count; n++) {
    RowRef row = pack->places[n];
    if (row.table == NULL) continue;
    ColumnCode code = table_codes(row.table, component->bit)[item->field];
    const void *element = table_element(row.table, code, row.row);
    uint32_t index = 0;
    if (scalar_is_held(type)) {
      index = held_list_index(&pack->held, element, type);
      element = &index;
    }
    archive_put(out, element, (size_t)1 << code_shift(code));
  }
}

static void put_values(ArchiveOut *out, const void *of) {
  const HeldPacked *packed = ((const Pack *)of)->rows->packed;
  if (packed->count > 0) archive_put(out, packed->bytes, packed->count);
}

static void put_script(ArchiveOut *out, const void *of) {
  const PackRows *rows = ((const Pack *)of)->rows;
  if (rows->script_bytes > 0)
    archive_put(out, rows->script, rows->script_bytes);
}

/* All of it --------------------------------------------------------------- */

static void add_component(ArchiveWriter *writer, Pack *pack, ecs_Component id) {
  PackItem item = {.pack = pack, .component = component_of(pack, id), .id = id};
  const Schema *schema = item.component->schema;
  char path[SAVED_PATH];
  find_places(pack, id);
  archive_add(writer, saved_path("has", schema->name, NULL, path), put_has,
              &item);
  for (; item.field < schema->field_count; item.field++)
    archive_add(writer,
                saved_path("columns", schema->name,
                           schema->fields[item.field].name, path),
                put_column, &item);
}

static void add_links(ArchiveWriter *writer, const Pack *pack,
                      ecs_Component id) {
  const Component *component = component_of(pack, id);
  const LinkIndex *links = links_of(&pack->world->links, component);
  char path[SAVED_PATH];
  for (uint32_t k = 0; k < component->link_count; k++) {
    PackItem item = {.pack = pack, .links = &links[k]};
    archive_add(
        writer,
        saved_path("links", component->schema->name,
                   component->schema->fields[links[k].field].name, path),
        put_links, &item);
  }
}

static ecs_Status write_all(Pack *pack, Memory *memory, ecs_SaveSink sink) {
  ArchiveWriter writer;
  archive_begin(&writer, memory, sink);
  archive_add(&writer, "manifest.txt", put_manifest, pack);
  archive_add(&writer, "entities.npy", put_entities, pack);
  for (uint32_t i = 0; i < pack->count; i++)
    add_component(&writer, pack, pack->ids[i]);
  for (uint32_t i = 0; i < pack->count; i++)
    add_links(&writer, pack, pack->ids[i]);
  if (find_held(pack) != 0)
    archive_add(&writer, SAVED_VALUES, put_values, pack);
  archive_add(&writer, "script.txt", put_script, pack);
  return archive_end(&writer);
}

/* Chooses what is written. */
static ecs_Status choose(Pack *pack, ecs_World *world) {
  ecs_Status status = begin(pack, world);
  if (status != ECS_OK) return status;
  for (uint64_t n = 0; n < pack->rows->count; n++)
    pack->packed[id_index(pack->rows->entities[n])] = 1;
  choose_components(pack);
  choose_names(pack);
  return ECS_OK;
}

ecs_Status pack_write(ecs_World *world, const PackRows *rows,
                      ecs_SaveSink sink) {
  Pack pack = {.world = world, .store = &world->store, .rows = rows};
  ecs_Status status = choose(&pack, world);
  if (status == ECS_OK) status = check_packed(&pack, world);
  if (status == ECS_OK) status = write_all(&pack, &world->store.memory, sink);
  end(&pack, world);
  return status;
}

ecs_Status pack_held_uses(ecs_World *world, const PackRows *rows, HeldUse *uses,
                          uint32_t most, uint32_t *count) {
  Pack pack = {.world = world,
               .store = &world->store,
               .rows = rows,
               .held = {.uses = uses, .most = most}};
  ecs_Status status = choose(&pack, world);
  if (status == ECS_OK) list_held(&pack);
  *count = pack.held.used;
  end(&pack, world);
  return status;
}

/* pack.c: some entities of a world as an archive. */
#include "state/pack.h"

#include <string.h>

#include "state/saved_text.h"
#include "storage/locate.h"

typedef struct Pack {
  const Store *store;
  const PackRows *rows;
  ecs_Component *ids; /* owned; those that an entity has, by name */
  uint32_t count;
} Pack;

/* What a content is of. */
typedef struct PackItem {
  const Pack *pack;
  const Component *component;
  ecs_Component id;
  uint32_t field;
} PackItem;

static const Schema *schema_of(const Pack *pack, ecs_Component id) {
  return pack->store->components.all[id].schema;
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
    if (!is_asked(pack->rows, id) || !is_had(pack, id)) continue;
    uint32_t at = pack->count++;
    for (; at > 0 && strcmp(schema_of(pack, pack->ids[at - 1])->name,
                            schema_of(pack, id)->name) > 0;
         at--)
      pack->ids[at] = pack->ids[at - 1];
    pack->ids[at] = id;
  }
}

/* Contents ---------------------------------------------------------------- */

static void put_component(ArchiveOut *out, const Component *component) {
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

static void put_manifest(ArchiveOut *out, const void *of) {
  const Pack *pack = of;
  archive_say(out, "ecs-rows 1\nrows %llu\n",
              (unsigned long long)pack->rows->count);
  for (uint32_t i = 0; i < pack->count; i++)
    put_component(out, &pack->store->components.all[pack->ids[i]]);
  archive_say(out, "end\n");
}

static void put_head(ArchiveOut *out, ecs_Scalar type, uint64_t count) {
  char head[SAVED_HEAD];
  saved_array_head(type, count, head);
  archive_put(out, head, sizeof head);
}

static void put_entities(ArchiveOut *out, const void *of) {
  const PackRows *rows = ((const Pack *)of)->rows;
  put_head(out, ECS_ENTITY, rows->count);
  if (rows->count > 0)
    archive_put(out, rows->entities, rows->count * sizeof(ecs_Entity));
}

static void put_has(ArchiveOut *out, const void *of) {
  const PackItem *item = of;
  put_head(out, ECS_U8, item->pack->rows->count);
  for (uint64_t n = 0; n < item->pack->rows->count; n++) {
    uint8_t has = locate(item->pack, n, item->id).table != NULL;
    archive_put(out, &has, 1);
  }
}

static void put_column(ArchiveOut *out, const void *of) {
  const PackItem *item = of;
  const Component *component = item->component;
  uint64_t count = 0;
  for (uint64_t n = 0; n < item->pack->rows->count; n++)
    count += locate(item->pack, n, item->id).table != NULL;
  put_head(out, component->schema->fields[item->field].type, count);
  for (uint64_t n = 0; n < item->pack->rows->count; n++) {
    RowRef row = locate(item->pack, n, item->id);
    if (row.table == NULL) continue;
    ColumnCode code = table_codes(row.table, component->bit)[item->field];
    archive_put(out, table_element(row.table, code, row.row),
                (size_t)1 << code_shift(code));
  }
}

/* All of it --------------------------------------------------------------- */

static void add_component(ArchiveWriter *writer, const Pack *pack,
                          ecs_Component id) {
  PackItem item = {
      .pack = pack, .component = &pack->store->components.all[id], .id = id};
  const Schema *schema = item.component->schema;
  char path[SAVED_PATH];
  archive_add(writer, saved_path("has", schema->name, NULL, path), put_has,
              &item);
  for (; item.field < schema->field_count; item.field++)
    archive_add(writer,
                saved_path("columns", schema->name,
                           schema->fields[item.field].name, path),
                put_column, &item);
}

ecs_Status pack_write(ecs_World *world, const PackRows *rows,
                      ecs_SaveSink sink) {
  Memory *memory = &world->store.memory;
  Pack pack = {.store = &world->store, .rows = rows};
  uint32_t total = world->store.components.count;
  ArchiveWriter writer;
  pack.ids = memory_zeroed(memory, total, sizeof(ecs_Component));
  if (pack.ids == NULL) return ECS_E_MEMORY;
  choose_components(&pack);
  archive_begin(&writer, memory, sink);
  archive_add(&writer, "manifest.txt", put_manifest, &pack);
  archive_add(&writer, "entities.npy", put_entities, &pack);
  for (uint32_t i = 0; i < pack.count; i++)
    add_component(&writer, &pack, pack.ids[i]);
  ecs_Status status = archive_end(&writer);
  memory_free(memory, pack.ids, total * sizeof(ecs_Component));
  return status;
}

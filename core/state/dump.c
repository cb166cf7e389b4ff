/* dump.c: the state of a world as text that people read and tests compare. */
#include "state/dump.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state/saved_text.h"
#include "storage/locate.h"

typedef struct Dump {
  const ecs_World *world;
  const Store *store;
  ecs_SaveSink sink;
  bool refused;       /* the sink takes no more */
  ecs_Component *ids; /* owned; of components that an entity has, by name */
  uint32_t count;
  uint32_t waiting; /* bytes that the sink has not got yet */
  char buffer[8192];
} Dump;

/* Text -------------------------------------------------------------------- */

static void send(Dump *dump) {
  if (!dump->refused && dump->waiting > 0)
    dump->refused =
        !dump->sink.write(dump->sink.user, dump->buffer, dump->waiting);
  dump->waiting = 0;
}

/* Fewer bytes than the buffer has. */
static void say(Dump *dump, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(Dump *dump, const char *format, ...) {
  size_t room = sizeof dump->buffer / 2;
  if (sizeof dump->buffer - dump->waiting < room) send(dump);
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(dump->buffer + dump->waiting, room, format, arguments);
  va_end(arguments);
  ECS_ASSERT(length >= 0 && length < (int)room);
  dump->waiting += (uint32_t)length;
}

/* The shortest of so many digits that is read as the same number. A program may
 * have set another decimal point. */
static void say_float(Dump *dump, double value, bool narrow) {
  char text[40];
  int digits = narrow ? 6 : 15, most = narrow ? 9 : 17;
  if (value != value) {
    say(dump, "nan");
    return;
  }
  for (; digits <= most; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    double again = strtod(text, NULL);
    if (narrow ? (float)again == (float)value : again == value) break;
  }
  for (char *at = text; *at != 0; at++)
    if (strchr("0123456789+-einf", *at) == NULL) *at = '.';
  say(dump, "%s", text);
}

/* In quotes, with escapes for all that is no plain letter or sign. */
static void say_string(Dump *dump, const char *text, size_t bytes) {
  say(dump, "\"");
  for (size_t k = 0; k < bytes && !dump->refused; k++) {
    unsigned char byte = (unsigned char)text[k];
    if (byte < ' ' || byte == '"' || byte == '\\' || byte >= 127)
      say(dump, "\\x%02x", byte);
    else
      say(dump, "%c", byte);
  }
  say(dump, "\"");
}

/* A held value by what it is; of what is no plain value, only the kind. */
static void say_held(Dump *dump, ecs_Scalar type, uint32_t number) {
  const HeldValue *value = held_get(dump->store->held, number);
  if (value == NULL) {
    say(dump, "%s", type == ECS_STRING ? "\"\"" : "nil");
    return;
  }
  switch ((HeldKind)value->kind) {
    case HELD_BOOLEAN: say(dump, value->integer ? "true" : "false"); break;
    case HELD_NUMBER: say_float(dump, value->number, false); break;
    case HELD_INTEGER:
      if (held_is_double(value))
        say_float(dump, (double)value->integer, false);
      else
        say(dump, "%lld", (long long)value->integer);
      break;
    case HELD_STRING: say_string(dump, value->text, value->bytes); break;
    default: say(dump, "<%s>", value->text); break;
  }
}

static void say_element(Dump *dump, ecs_Scalar type, const void *element) {
  if (scalar_is_held(type)) {
    uint32_t number;
    memcpy(&number, element, sizeof number);
    say_held(dump, type, number);
  } else if (type == ECS_ENTITY) {
    uint64_t handle;
    memcpy(&handle, element, sizeof handle);
    say(dump, "%llu", (unsigned long long)handle);
  } else if (type == ECS_BOOL) {
    say(dump, "%s", ecs_scalar_load(type, element) != 0 ? "true" : "false");
  } else if (scalar_is_float(type)) {
    say_float(dump, ecs_scalar_load(type, element), type == ECS_F32);
  } else {
    say(dump, "%.0f", ecs_scalar_load(type, element));
  }
}

/* Components -------------------------------------------------------------- */

static const Schema *schema_at(const Dump *dump, uint32_t number) {
  return dump->store->components.all[dump->ids[number]].schema;
}

static bool has_any_bit(const Table *table, uint32_t bits_index) {
  for (uint32_t row = 0; row < table->count; row++)
    if (table_has_bit(table, row, bits_index)) return true;
  return false;
}

/* Does an entity have it? */
static bool is_had(const Component *component) {
  const Group *group = component->group;
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    if (component_is_bits(component)
            ? has_any_bit(table, component->bits_index)
            : table->count > 0 && table_has(table, component->bit))
      return true;
  }
  return false;
}

/* Sorts them by their names: by insertion, as there are few. */
static void choose_components(Dump *dump) {
  for (ecs_Component id = 1; id < dump->store->components.count; id++) {
    const Component *component = &dump->store->components.all[id];
    if (!is_had(component)) continue;
    uint32_t at = dump->count++;
    for (; at > 0 &&
           strcmp(schema_at(dump, at - 1)->name, component->schema->name) > 0;
         at--)
      dump->ids[at] = dump->ids[at - 1];
    dump->ids[at] = id;
  }
}

static void say_schemas(Dump *dump) {
  char name[SAVED_NAME];
  for (uint32_t k = 0; k < dump->count; k++) {
    const Schema *schema = schema_at(dump, k);
    say(dump, "component %s", saved_name(schema->name, name));
    for (uint32_t i = 0; i < schema->field_count; i++) {
      const SchemaField *field = &schema->fields[i];
      say(dump, " %s:%s", saved_name(field->name, name),
          saved_type(field->type));
      if (field->link != SCHEMA_NO_LINK) say(dump, ":%s", saved_link(field));
    }
    say(dump, "\n");
  }
}

/* Entities ---------------------------------------------------------------- */

static void say_component(Dump *dump, uint32_t number, RowRef row) {
  const Component *component = &dump->store->components.all[dump->ids[number]];
  const Schema *schema = component->schema;
  char name[SAVED_NAME];
  say(dump, "  %s", saved_name(schema->name, name));
  for (uint32_t i = 0; i < schema->field_count; i++) {
    ColumnCode code = table_codes(row.table, component->bit)[i];
    say(dump, " %s=", saved_name(schema->fields[i].name, name));
    say_element(dump, schema->fields[i].type,
                table_element(row.table, code, row.row));
  }
  say(dump, "\n");
}

static void say_entity(Dump *dump, ecs_Entity entity, bool placed) {
  const char *text = entity_names_get(&dump->world->names, entity);
  char name[SAVED_NAME];
  /* One that is spawned where changes are recorded has nothing but its name. */
  if (!placed && text == NULL) return;
  say(dump, "%s %llu", placed ? "entity" : "name", (unsigned long long)entity);
  if (text != NULL) say(dump, " %s", saved_name(text, name));
  say(dump, "\n");
  for (uint32_t k = 0; placed && k < dump->count; k++) {
    RowRef row = {NULL, 0};
    if (store_locate(dump->store, entity, dump->ids[k], &row) == ECS_OK &&
        row.table != NULL)
      say_component(dump, k, row);
  }
}

static void say_entities(Dump *dump) {
  const EntityIndex *index = &dump->store->index;
  for (uint32_t i = 1; i < index->used && !dump->refused; i++) {
    Slot slot = *entity_index_slot(index, i);
    bool placed = slot_state(slot) == SLOT_PLACED;
    ecs_Entity entity = placed ? store_main(dump->store)
                                     ->tables[slot_table(slot)]
                                     ->entities[slot_row(slot)]
                               : id_make(i, slot.table_bits);
    if (placed || store_alive(dump->store, entity))
      say_entity(dump, entity, placed);
  }
}

/* Links ------------------------------------------------------------------- */

static void say_sources(Dump *dump, const LinkIndex *index,
                        const LinkNode *target) {
  const Schema *schema = dump->store->components.all[index->component].schema;
  char name[SAVED_NAME];
  say(dump, "links %s.", saved_name(schema->name, name));
  say(dump, "%s %llu:", saved_name(schema->fields[index->field].name, name),
      (unsigned long long)target->entity);
  for (uint32_t next = target->first; next != 0;) {
    const LinkNode *source = link_node(index, next);
    say(dump, " %llu", (unsigned long long)source->entity);
    next = source->next;
  }
  say(dump, "\n");
}

/* The values say who links; this is in which order. */
static void say_links(Dump *dump) {
  for (uint32_t k = 0; k < dump->count; k++) {
    const Component *component = &dump->store->components.all[dump->ids[k]];
    const LinkIndex *links = links_of(&dump->world->links, component);
    for (uint32_t i = 0; i < component->link_count; i++)
      for (uint32_t at = 0; at < links[i].page_count * LINK_PAGE_NODES; at++) {
        const LinkNode *target = link_node(&links[i], at);
        if (target != NULL && target->first != target->last)
          say_sources(dump, &links[i], target);
      }
  }
}

/* Arrays ------------------------------------------------------------------ */

/* The array whose name comes next; NULL: there is none. */
static const ecs_Array *next_array(const Dump *dump, const char *after) {
  const ecs_Array *found = NULL;
  for (const ecs_Array *array = dump->world->arrays.first; array != NULL;
       array = array->next)
    if (!array_is_new(array) &&
        (after == NULL || strcmp(array->name, after) > 0) &&
        (found == NULL || strcmp(array->name, found->name) < 0))
      found = array;
  return found;
}

static void say_array(Dump *dump, const ecs_Array *array) {
  char name[SAVED_NAME];
  say(dump, "array %s %s", saved_name(array->name, name),
      saved_type(array->type));
  for (uint32_t d = 0; d < array->dimensions; d++)
    say(dump, " %u", array->view.sizes[d]);
  say(dump, "\n");
  size_t count = array_count(array);
  uint32_t last = array->view.sizes[array->dimensions - 1];
  const char *elements = array->view.elements;
  for (size_t k = 0; k < count && !dump->refused; k++) {
    say(dump, "%s", k % last == 0 ? "  " : " ");
    say_element(dump, array->type, elements + k * scalar_bytes(array->type));
    if (k % last == last - 1u) say(dump, "\n");
  }
}

/* All of it --------------------------------------------------------------- */

ecs_Status state_dump(ecs_World *world, ecs_SaveSink sink) {
  Memory *memory = &world->store.memory;
  Dump dump;
  dump.world = world;
  dump.store = &world->store;
  dump.sink = sink;
  dump.refused = false;
  dump.count = dump.waiting = 0;
  uint32_t total = world->store.components.count;
  dump.ids = memory_zeroed(memory, total, sizeof(ecs_Component));
  if (dump.ids == NULL) return ECS_E_MEMORY;
  choose_components(&dump);
  say(&dump, "ecs-dump 1\n");
  say_schemas(&dump);
  for (const ecs_Array *array = next_array(&dump, NULL); array != NULL;
       array = next_array(&dump, array->name))
    say_array(&dump, array);
  say_entities(&dump);
  say_links(&dump);
  send(&dump);
  memory_free(memory, dump.ids, total * sizeof(ecs_Component));
  return dump.refused ? ECS_E_FILE : ECS_OK;
}

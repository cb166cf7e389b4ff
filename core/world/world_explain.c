/* world_explain.c: the storage of a world, as text for people. */
#include "world/world_explain.h"

typedef unsigned long long Number; /* the type of %llu */

static const char *ending(Number count) { return count == 1 ? "" : "s"; }

static const char *name_of(const Store *store, const Group *group,
                           uint32_t bit) {
  return store->components.all[group->components[bit].component].schema->name;
}

/* Tables ------------------------------------------------------------------ */

/* A table's components: "{ Position, Velocity }", or "{}". */
static void say_mask(Text *text, const Store *store, const Group *group,
                     const Table *table) {
  const char *before = "{ ";
  for (uint32_t bit = 0; bit < group->component_count; bit++) {
    if (!table_has(table, bit)) continue;
    text_say(text, "%s%s", before, name_of(store, group, bit));
    before = ", ";
  }
  text_say(text, before[0] == ',' ? " }" : "{}");
}

/* The oldest tables in the order of their creation; the others as one sum. */
static void say_tables(Text *text, const Store *store, const Group *group) {
  Number rows = 0, bytes = 0;
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    if (i >= ECS_EXPLAINED_TABLES) {
      rows += table->count;
      bytes += table->slab_bytes;
      continue;
    }
    text_say(text, "  table ");
    say_mask(text, store, group, table);
    text_say(text, ": %u row%s of %u, %llu bytes\n", table->count,
             ending(table->count), table->capacity, (Number)table->slab_bytes);
  }
  if (group->table_count <= ECS_EXPLAINED_TABLES) return;
  Number more = group->table_count - ECS_EXPLAINED_TABLES;
  text_say(text, "  %llu more table%s: %llu row%s, %llu bytes\n", more,
           ending(more), rows, ending(rows), bytes);
}

/* Groups ------------------------------------------------------------------ */

static void say_group(Text *text, const Store *store, const Group *group) {
  text_say(text, "%s %u:", group_kind(group), group->id);
  for (uint32_t bit = 0; bit < group->component_count; bit++)
    text_say(text, "%s %s%s", bit == 0 ? "" : ",", name_of(store, group, bit),
             group_is_bits(group, bit) ? " (bits)" : "");
  text_say(text, group->component_count == 0 ? " no components\n" : "\n");
  say_tables(text, store, group);
}

/* Components -------------------------------------------------------------- */

/* The rows that have a tag stored as bits. */
static Number count_bits(const Table *table, uint32_t index) {
  Number count = 0;
  if (index >> 3 >= table->bits_columns) return 0;
  for (uint32_t row = 0; row < table->count; row++)
    if (table_has_bit(table, row, index)) count++;
  return count;
}

/* The entities that have a component of a group. */
static Number count_of(const Group *group, uint32_t bit) {
  Number count = 0;
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    if (group_is_bits(group, bit))
      count += count_bits(table, group->components[bit].bits_index);
    else if (table_has(table, bit))
      count += table->count;
  }
  return count;
}

static void say_component(Text *text, const Store *store,
                          const Component *component) {
  const Schema *schema = component->schema;
  const Group *group = store->groups.all[component->group_id];
  Number count = count_of(group, component->bit), bytes = 0;
  ECS_ASSERT(count <= store->index.alive_count);
  text_say(text, "%s %s:", schema->field_count > 0 ? "component" : "tag",
           schema->name);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    text_say(text, "%s %s %s", i == 0 ? "" : ",", schema->fields[i].name,
             ecs_scalar_name(schema->fields[i].type));
    bytes += scalar_bytes(schema->fields[i].type);
  }
  text_say(text, "%s %s%u, %llu entit%s", schema->field_count > 0 ? ";" : "",
           group_is_bits(group, component->bit) ? "bits of group " : "group ",
           group->id, count, count == 1 ? "y" : "ies");
  if (schema->field_count > 0) text_say(text, ", %llu bytes", bytes * count);
  text_say(text, "\n");
}

/* All of it --------------------------------------------------------------- */

static void say_sums(Text *text, const Store *store) {
  Number tables = 0, bytes = 0;
  for (uint32_t i = 0; i < store->groups.count; i++) {
    const Group *group = store->groups.all[i];
    tables += group->table_count;
    for (uint32_t k = 0; k < group->table_count; k++)
      bytes += group->tables[k]->slab_bytes;
  }
  Number entities = store->index.alive_count;
  text_say(text,
           "%llu entit%s in %u group%s with %llu table%s, %llu bytes of rows\n",
           entities, entities == 1 ? "y" : "ies", store->groups.count,
           ending(store->groups.count), tables, ending(tables), bytes);
}

void world_explain(const Store *store, Text *text) {
  say_sums(text, store);
  for (uint32_t i = 0; i < store->groups.count; i++)
    say_group(text, store, store->groups.all[i]);
  for (uint32_t i = 1; i < store->components.count; i++)
    say_component(text, store, &store->components.all[i]);
}

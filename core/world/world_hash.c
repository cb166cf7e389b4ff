/* world_hash.c: one number for a world.
 *
 * Words are mixed one after the other where their order counts: fields, rows,
 * tables, the free list. Items without a particular order are hashed one by one
 * and added up: components, groups, entities of world_state_hash.
 */
#include "world/world_hash.h"

/* The hash so far and one more word, by the finalizer of splitmix64 (Steele,
 * Lea, Flood 2014). */
static uint64_t mix(uint64_t hash, uint64_t word) {
  uint64_t x = hash * UINT64_C(0x9e3779b97f4a7c15) + word;
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static uint64_t mix_text(uint64_t hash, const char *text) {
  for (; *text != 0; text++) hash = mix(hash, (unsigned char)*text);
  return mix(hash, 256);
}

/* One element as a word; every NaN as the same word. */
static uint64_t element_word(ecs_Scalar type, const void *element) {
  unsigned char copy[8] = {0};
  uint64_t word = 0;
  ECS_ASSERT(scalar_bytes(type) <= sizeof copy);
  element_copy(copy, element, (uint32_t)__builtin_ctz(scalar_bytes(type)));
  if (scalar_is_float(type)) scalar_canonicalize(type, copy);
  memcpy(&word, copy, sizeof word);
  return word;
}

/* A component by its name and fields instead of its id, because worlds define
 * components in different orders. */
static uint64_t hash_schema(const Schema *schema) {
  uint64_t hash = mix_text(1, schema->name);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    hash = mix_text(hash, schema->fields[i].name);
    hash = mix(hash, (uint64_t)schema->fields[i].type);
  }
  return hash;
}

/* Everything ------------------------------------------------------------ */

/* The order of the free list decides which handles are issued next. */
static uint64_t hash_index(uint64_t hash, const EntityIndex *index) {
  uint32_t free = 0;
  hash = mix(hash, index->used);
  hash = mix(hash, index->alive_count);
  hash = mix(hash, index->retired_count);
  for (uint32_t next = index->free_head; next != 0; free++) {
    Slot slot = *entity_index_slot(index, next);
    ECS_ASSERT(slot_state(slot) == SLOT_FREE);
    hash = mix(hash, id_make(next, slot.table_bits));
    next = slot_row(slot);
  }
  ECS_ASSERT(free == index->free_count);
  return hash;
}

static uint64_t hash_columns(const Schema *schema, const Table *table,
                             uint32_t bit) {
  uint64_t hash = hash_schema(schema);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    ColumnCode code = table_codes(table, bit)[i];
    for (uint32_t row = 0; row < table->count; row++)
      hash = mix(hash, element_word(schema->fields[i].type,
                                    table_element(table, code, row)));
  }
  return hash;
}

/* A tag stored as bits. 0 if no row has it, as if it were not defined. */
static uint64_t hash_bits(const Schema *schema, const Table *table,
                          uint32_t bits_index) {
  uint64_t hash = hash_schema(schema);
  bool any = false;
  for (uint32_t row = 0; row < table->count; row++) {
    bool set = table_has_bit(table, row, bits_index);
    any = any || set;
    hash = mix(hash, set);
  }
  return any ? hash : 0;
}

/* The order of rows counts, the order of components does not. */
static uint64_t hash_table(const Store *store, const Group *group,
                           const Table *table) {
  uint64_t rows = mix(2, table->count);
  uint64_t components = 0;
  for (uint32_t row = 0; row < table->count; row++)
    rows = mix(rows, table->entities[row]);
  for (uint32_t bit = 0; bit < group->component_count; bit++) {
    const GroupComponent *component = &group->components[bit];
    const Schema *schema = store->components[component->component].schema;
    if (component->bits_index != GROUP_NOT_BITS)
      components += hash_bits(schema, table, component->bits_index);
    else if (table_has(table, bit))
      components += hash_columns(schema, table, bit);
  }
  return mix(rows, components);
}

/* The order of tables counts: queries return their rows in this order. */
static uint64_t hash_group(const Store *store, const Group *group) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < group->table_count; i++)
    if (group->tables[i]->count > 0)
      hash = mix(hash, hash_table(store, group, group->tables[i]));
  return hash;
}

uint64_t world_hash(const Store *store) {
  uint64_t groups = 0;
  for (uint32_t i = 0; i < store->group_count; i++)
    groups += hash_group(store, store->groups[i]);
  return mix(hash_index(3, &store->index), groups);
}

/* Entities and values --------------------------------------------------- */

/* The component's values, by entity. */
static uint64_t sum_component(const Store *store, const Group *group,
                              const Table *table, uint32_t bit) {
  ecs_Component component = group->components[bit].component;
  const Schema *schema = store->components[component].schema;
  uint64_t named = hash_schema(schema);
  uint64_t sum = 0;
  for (uint32_t row = 0; row < table->count; row++) {
    uint64_t hash = mix(named, table->entities[row]);
    for (uint32_t i = 0; i < schema->field_count; i++) {
      ColumnCode code = table_codes(table, bit)[i];
      hash = mix(hash, element_word(schema->fields[i].type,
                                    table_element(table, code, row)));
    }
    sum += hash;
  }
  return sum;
}

/* The entities that have a tag stored as bits. */
static uint64_t sum_bits(const Store *store, const Group *group,
                         const Table *table, uint32_t bit) {
  const GroupComponent *component = &group->components[bit];
  const Schema *schema = store->components[component->component].schema;
  uint64_t tag = hash_schema(schema);
  uint64_t sum = 0;
  for (uint32_t row = 0; row < table->count; row++)
    if (table_has_bit(table, row, component->bits_index))
      sum += mix(tag, table->entities[row]);
  return sum;
}

/* A table's components; and, once, in the main group, its entities. */
static uint64_t sum_table(const Store *store, const Group *group,
                          const Table *table) {
  uint64_t sum = 0;
  for (uint32_t bit = 0; bit < group->component_count; bit++) {
    if (group_is_bits(group, bit))
      sum += sum_bits(store, group, table, bit);
    else if (table_has(table, bit))
      sum += sum_component(store, group, table, bit);
  }
  for (uint32_t row = 0; group->id == 0 && row < table->count; row++)
    sum += mix(2, table->entities[row]);
  return sum;
}

uint64_t world_state_hash(const Store *store) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < store->group_count; i++)
    for (uint32_t k = 0; k < store->groups[i]->table_count; k++)
      sum += sum_table(store, store->groups[i], store->groups[i]->tables[k]);
  return mix(3, sum);
}

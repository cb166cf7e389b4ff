/* world_hash.c: one number for a world. */
#include "world/world_hash.h"

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014) over what was hashed
 * before and one more word. */
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

/* One element as a word. NaNs are one value. */
static uint64_t element_word(ecs_Scalar type, const void *element) {
  unsigned char copy[8] = {0};
  uint64_t word = 0;
  element_copy(copy, element, (uint32_t)__builtin_ctz(scalar_bytes(type)));
  if (scalar_is_float(type)) scalar_canonicalize(type, copy);
  memcpy(&word, copy, sizeof word);
  return word;
}

/* A component by what it is, not by its id: definitions come in any order. */
static uint64_t hash_schema(const Schema *schema) {
  uint64_t hash = mix_text(1, schema->name);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    hash = mix_text(hash, schema->fields[i].name);
    hash = mix(hash, (uint64_t)schema->fields[i].type);
  }
  return hash;
}

/* Everything ------------------------------------------------------------ */

/* The free list in its order says which handles come next. */
static uint64_t hash_index(uint64_t hash, const EntityIndex *index) {
  hash = mix(hash, index->used);
  hash = mix(hash, index->alive_count);
  hash = mix(hash, index->retired_count);
  for (uint32_t at = index->free_head; at != 0;) {
    Slot slot = *entity_index_slot(index, at);
    hash = mix(hash, id_make(at, slot.table_bits));
    at = slot_row(slot);
  }
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

/* 0 where no row has the tag: it may just have been defined. */
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

/* Rows in their order; components in any. */
static uint64_t hash_table(const Store *store, const Group *group,
                           const Table *table) {
  uint64_t rows = mix(2, table->count);
  uint64_t components = 0;
  for (uint32_t row = 0; row < table->count; row++)
    rows = mix(rows, table->entities[row]);
  for (uint32_t bit = 0; bit < group->component_count; bit++) {
    const GroupComponent *what = &group->components[bit];
    const Schema *schema = store->components[what->component].schema;
    if (what->bits_index != GROUP_NOT_BITS)
      components += hash_bits(schema, table, what->bits_index);
    else if (table_has(table, bit))
      components += hash_columns(schema, table, bit);
  }
  return mix(rows, components);
}

/* Tables in their order, which is that of walks. */
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

static uint64_t sum_component(const Store *store, const Group *group,
                              const Table *table, uint32_t bit) {
  ecs_Component component = group->components[bit].component;
  const Schema *schema = store->components[component].schema;
  uint64_t what = hash_schema(schema);
  uint64_t sum = 0;
  for (uint32_t row = 0; row < table->count; row++) {
    uint64_t hash = mix(what, table->entities[row]);
    for (uint32_t i = 0; i < schema->field_count; i++) {
      ColumnCode code = table_codes(table, bit)[i];
      hash = mix(hash, element_word(schema->fields[i].type,
                                    table_element(table, code, row)));
    }
    sum += hash;
  }
  return sum;
}

static uint64_t sum_bits(const Store *store, const Group *group,
                         const Table *table, uint32_t bit) {
  const GroupComponent *what = &group->components[bit];
  const Schema *schema = store->components[what->component].schema;
  uint64_t tag = hash_schema(schema);
  uint64_t sum = 0;
  for (uint32_t row = 0; row < table->count; row++)
    if (table_has_bit(table, row, what->bits_index))
      sum += mix(tag, table->entities[row]);
  return sum;
}

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

/* hash.c: one number for a world. */
#include "hash.h"

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

/* Everything ------------------------------------------------------------ */

static uint64_t hash_schema(uint64_t hash, const Schema *schema) {
  hash = mix_text(hash, schema->name);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    hash = mix_text(hash, schema->fields[i].name);
    hash = mix(hash, (uint64_t)schema->fields[i].type);
    hash = mix(hash, element_word(ECS_F64, &schema->fields[i].default_value));
  }
  return mix(hash, schema->field_count);
}

/* The free list in its order says which handles come next. */
static uint64_t hash_index(uint64_t hash, const EntityIndex *index) {
  hash = mix(hash, index->used);
  hash = mix(hash, index->alive_count);
  hash = mix(hash, index->retired_count);
  for (uint32_t at = index->free_head; at != 0;) {
    Slot slot = *entity_index_slot(index, at);
    hash = mix(hash, id_make(at, slot.what));
    at = slot_row(slot);
  }
  return hash;
}

static uint64_t hash_component(uint64_t hash, const Group *group,
                               const Table *table, uint32_t bit) {
  const Schema *schema = group->schemas[bit];
  for (uint32_t i = 0; i < schema->field_count; i++) {
    ColumnCode code = table_codes(table, bit)[i];
    for (uint32_t row = 0; row < table->count; row++)
      hash = mix(hash, element_word(schema->fields[i].type,
                                    table_element(table, code, row)));
  }
  return hash;
}

static uint64_t hash_bits(uint64_t hash, const Group *group,
                          const Table *table) {
  for (uint32_t bit = 0; bit < group->component_count; bit++) {
    uint32_t index = group->components[bit].bits_index;
    if (index == GROUP_NOT_BITS) continue;
    for (uint32_t row = 0; row < table->count; row++)
      hash = mix(hash, table_has_bit(table, row, index));
  }
  return hash;
}

static uint64_t hash_table(uint64_t hash, const Group *group,
                           const Table *table) {
  if (table->count == 0) return hash;
  hash = mix(hash, table->count);
  for (uint32_t row = 0; row < table->count; row++)
    hash = mix(hash, table->entities[row]);
  for (uint32_t bit = 0; bit < group->component_count; bit++) {
    if (!table_has(table, bit)) continue;
    hash = mix(hash, group->components[bit].component);
    if (table_has_columns(table, bit))
      hash = hash_component(hash, group, table, bit);
  }
  return hash_bits(hash, group, table);
}

uint64_t world_hash(const World *world) {
  uint64_t hash = mix(0, world->component_count);
  for (uint32_t i = 1; i < world->component_count; i++)
    hash = hash_schema(hash, world->components[i].schema);
  hash = hash_index(hash, &world->index);
  for (uint32_t i = 0; i < world->group_count; i++) {
    hash = mix(hash, i);
    for (uint32_t k = 0; k < world->groups[i]->table_count; k++)
      hash = hash_table(hash, world->groups[i], world->groups[i]->tables[k]);
  }
  return hash;
}

/* Entities and values --------------------------------------------------- */

static uint64_t sum_component(const World *world, const Group *group,
                              const Table *table, uint32_t bit) {
  ecs_Component component = group->components[bit].component;
  const Schema *schema = world->components[component].schema;
  uint64_t name = mix_text(1, schema->name);
  uint64_t sum = 0;
  for (uint32_t row = 0; row < table->count; row++) {
    uint64_t hash = mix(name, table->entities[row]);
    for (uint32_t i = 0; i < schema->field_count; i++) {
      ColumnCode code = table_codes(table, bit)[i];
      hash = mix(hash, element_word(schema->fields[i].type,
                                    table_element(table, code, row)));
    }
    sum += hash;
  }
  return sum;
}

static uint64_t sum_bits(const World *world, const Group *group,
                         const Table *table, uint32_t bit) {
  const GroupComponent *what = &group->components[bit];
  const Schema *schema = world->components[what->component].schema;
  uint64_t name = mix_text(1, schema->name);
  uint64_t sum = 0;
  for (uint32_t row = 0; row < table->count; row++)
    if (table_has_bit(table, row, what->bits_index))
      sum += mix(name, table->entities[row]);
  return sum;
}

static uint64_t sum_table(const World *world, const Group *group,
                          const Table *table) {
  uint64_t sum = 0;
  for (uint32_t bit = 0; bit < group->component_count; bit++) {
    if (group_is_bits(group, bit))
      sum += sum_bits(world, group, table, bit);
    else if (table_has(table, bit))
      sum += sum_component(world, group, table, bit);
  }
  for (uint32_t row = 0; group->id == 0 && row < table->count; row++)
    sum += mix(2, table->entities[row]);
  return sum;
}

uint64_t world_state_hash(const World *world) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < world->group_count; i++)
    for (uint32_t k = 0; k < world->groups[i]->table_count; k++)
      sum += sum_table(world, world->groups[i], world->groups[i]->tables[k]);
  return mix(3, sum);
}

/* world_hash.c: one number for a world.
 *
 * Words are mixed one after the other where their order counts: fields, rows,
 * tables, the free list, commands. Items without a particular order are hashed
 * one by one and added up: components, groups, arrays of the world, entities of
 * world_state_hash.
 *
 * Arrays are hashed in eight lanes, row 0, 8, 16 and so on in the first, which
 * are mixed at the end: lanes do not wait for each other, so the multiplications
 * overlap. A lane's step is a bijection of its word.
 */
#include "world/world_hash.h"

#include <string.h>

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

/* One element as a word; every NaN as the same word, and a held value by what it
 * is. */
static uint64_t element_word(const HeldValues *held, ecs_Scalar type,
                             const void *element) {
  unsigned char copy[8] = {0};
  uint64_t word = 0;
  uint32_t number;
  if (scalar_is_held(type)) {
    memcpy(&number, element, sizeof number);
    return held_content(held, number);
  }
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
    if (schema->fields[i].link != SCHEMA_NO_LINK)
      hash =
          mix(hash, 8u + schema->fields[i].link * 2u + schema->fields[i].tree);
  }
  return hash;
}

/* The names of entities; those of dead ones count for nothing. */
static uint64_t sum_names(const ecs_World *world) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < world->names.count; i++) {
    ecs_Entity entity = world->names.names[i].entity;
    if (store_alive(&world->store, entity))
      sum += mix(mix_text(7, entity_names_get(&world->names, entity)), entity);
  }
  return sum;
}

/* Which entity follows which among those that link to the same one. The links
 * themselves are columns. */
static uint64_t sum_links(const ecs_World *world) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < world->links.count; i++) {
    const LinkIndex *index = &world->links.indices[i];
    const Schema *schema = world->store.components.all[index->component].schema;
    uint64_t named = mix(hash_schema(schema), index->field);
    for (uint32_t k = 0; k < index->page_count * LINK_PAGE_NODES; k++) {
      const LinkNode *node = link_node(index, k);
      if (node == NULL || node->next == 0) continue;
      sum +=
          mix(mix(named, node->entity), link_node(index, node->next)->entity);
    }
  }
  return sum;
}

/* The arrays; the order in which they were made does not count. One that is as
 * it was made, all 0, is as if it had not been made. */
static uint64_t sum_arrays(const ecs_World *world) {
  uint64_t sum = 0;
  for (const ecs_Array *array = world->arrays.first; array != NULL;
       array = array->next) {
    const char *elements = array->view.elements;
    size_t bytes = scalar_bytes(array->type), count = array_count(array);
    if (array_is_new(array)) continue;
    uint64_t hash = mix(mix_text(8, array->name), (uint64_t)array->type);
    hash = mix(hash, array->dimensions);
    for (uint32_t d = 0; d < array->dimensions; d++)
      hash = mix(hash, array->view.sizes[d]);
    for (size_t k = 0; k < count; k++)
      hash = mix(hash, element_word(NULL, array->type, elements + k * bytes));
    sum += hash;
  }
  return sum;
}

/* Everything ------------------------------------------------------------ */

/* The order of the free list decides which handles are issued next. */
static uint64_t hash_index(uint64_t hash, const EntityIndex *index) {
  ECS_ASSERT_ONLY uint32_t free = 0;
  hash = mix(hash, index->used);
  for (uint32_t next = index->free_head; next != 0; free++) {
    Slot slot = *entity_index_slot(index, next);
    ECS_ASSERT(slot_state(slot) == SLOT_FREE);
    hash = mix(hash, id_make(next, slot.table_bits));
    next = slot_row(slot);
  }
  ECS_ASSERT(free == index->free_count);
  return hash;
}

#define LANES 8u

static inline uint64_t lane_step(uint64_t lane, uint64_t word) {
  uint64_t x = (lane ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return x ^ x >> 32;
}

/* Mixes `count` words into a hash; word_at(row) is an expression. Compilers keep
 * the lanes in registers. */
#define HASH_WORDS(hash, count, row, word_at)                      \
  do {                                                             \
    uint64_t lanes[LANES] = {1, 2, 3, 4, 5, 6, 7, 8};              \
    uint32_t row = 0, whole = (count) / LANES * LANES;             \
    while (row < whole)                                            \
      for (uint32_t lane = 0; lane < LANES; lane++, row++)         \
        lanes[lane] = lane_step(lanes[lane], word_at);             \
    for (; row < (count); row++)                                   \
      lanes[row % LANES] = lane_step(lanes[row % LANES], word_at); \
    for (uint32_t lane = 0; lane < LANES; lane++)                  \
      (hash) = mix((hash), lanes[lane]);                           \
  } while (0)

static inline uint64_t word_f32(const char *at) {
  uint32_t bits;
  memcpy(&bits, at, sizeof bits);
  return (bits & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000)
             ? UINT32_C(0x7fc00000)
             : bits;
}

static inline uint64_t word_f64(const char *at) {
  uint64_t bits;
  memcpy(&bits, at, sizeof bits);
  return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000)
             ? UINT64_C(0x7ff8000000000000)
             : bits;
}

static inline uint64_t word_32(const char *at) {
  uint32_t bits;
  memcpy(&bits, at, sizeof bits);
  return bits;
}

static inline uint64_t word_64(const char *at) {
  uint64_t bits;
  memcpy(&bits, at, sizeof bits);
  return bits;
}

static inline uint64_t word_16(const char *at) {
  uint16_t bits;
  memcpy(&bits, at, sizeof bits);
  return bits;
}

/* The elements of an array, one after the other; every NaN as the same word, and
 * held values by what they are. */
static uint64_t hash_array(uint64_t hash, const HeldValues *held,
                           ecs_Scalar type, const char *array, uint32_t count) {
  if (scalar_is_held(type))
    HASH_WORDS(hash, count, row,
               held_content(held, (uint32_t)word_32(array + (size_t)row * 4)));
  else if (type == ECS_F32)
    HASH_WORDS(hash, count, row, word_f32(array + (size_t)row * 4));
  else if (type == ECS_F64)
    HASH_WORDS(hash, count, row, word_f64(array + (size_t)row * 8));
  else if (scalar_bytes(type) == 8)
    HASH_WORDS(hash, count, row, word_64(array + (size_t)row * 8));
  else if (scalar_bytes(type) == 4)
    HASH_WORDS(hash, count, row, word_32(array + (size_t)row * 4));
  else if (scalar_bytes(type) == 2)
    HASH_WORDS(hash, count, row, word_16(array + (size_t)row * 2));
  else
    HASH_WORDS(hash, count, row, (uint8_t)array[row]);
  return hash;
}

static uint64_t hash_columns(const HeldValues *held, const Schema *schema,
                             const Table *table, uint32_t bit) {
  uint64_t hash = hash_schema(schema);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    ColumnCode code = table_codes(table, bit)[i];
    if (table->count > 0)
      hash = hash_array(hash, held, schema->fields[i].type,
                        table_column(table, code), table->count);
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
  if (table->count > 0)
    rows = hash_array(rows, NULL, ECS_ENTITY, (const char *)table->entities,
                      table->count);
  for (uint32_t bit = 0; bit < group->component_count; bit++) {
    const GroupComponent *component = &group->components[bit];
    const Schema *schema = store->components.all[component->component].schema;
    if (component->bits_index != GROUP_NOT_BITS)
      components += hash_bits(schema, table, component->bits_index);
    else if (table_has(table, bit))
      components += hash_columns(store->held, schema, table, bit);
  }
  return mix(rows, components);
}

/* The order of tables counts: queries return their rows in this order. */
static uint64_t hash_group(const Store *store, const Group *group) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < group->table_count; i++)
    hash = mix(hash, hash_table(store, group, group->tables[i]));
  return hash;
}

/* Which components share a group, as far as their definitions do not say so.
 * The main group stands for itself: every definition may add to it. */
static uint64_t sum_partition(const Store *store) {
  uint64_t sum = 0;
  for (uint32_t i = 1; i < store->components.count; i++) {
    const Component *component = &store->components.all[i];
    const Group *group = component->group;
    uint64_t members = 0;
    if (component_is_home(component)) continue;
    for (uint32_t bit = 0; group->id != 0 && bit < group->component_count;
         bit++)
      members += hash_schema(
          store->components.all[group->components[bit].component].schema);
    if (component_is_bits(component)) members = mix(7, members);
    sum += mix(mix(4, members), hash_schema(component->schema));
  }
  return sum;
}

/* What is recorded ------------------------------------------------------ */

/* A component that is added or set: the fields of the mask. */
static uint64_t hash_image(uint64_t hash, const Store *store,
                           const Schema *schema, const void *image,
                           uint64_t fields) {
  hash = mix(hash, hash_schema(schema));
  for (uint32_t i = 0; i < schema->field_count; i++) {
    const SchemaField *field = &schema->fields[i];
    hash = mix(hash, fields >> i & 1u);
    if ((fields >> i & 1u) != 0)
      hash = mix(hash, element_word(store->held, field->type,
                                    (const char *)image + field->offset));
  }
  return hash;
}

/* A spawn with staged values is hashed as one with commands that add them; the
 * newest comes first. */
static uint64_t hash_staged(uint64_t hash, const Store *store,
                            const StagedRow *row) {
  const StagedRows *staged = row->staged;
  for (uint32_t k = staged->bundle->item_count; k-- > 0;) {
    const Schema *schema =
        store->components.all[staged->bundle->items[k].component].schema;
    hash = mix(mix(hash, COMMAND_ADD), hash_schema(schema));
    for (uint32_t i = 0; i < schema->field_count; i++) {
      ColumnCode code = table_codes(staged->table, k)[i];
      const void *element =
          table_element(staged->table, code, (uint32_t)row->row);
      hash = mix(hash, 1);
      hash =
          mix(hash, element_word(store->held, schema->fields[i].type, element));
    }
  }
  return hash;
}

static uint64_t hash_command(uint64_t hash, const Store *store,
                             const Command *command) {
  if (command->kind == COMMAND_SPAWN && command->image != NULL)
    hash = hash_staged(hash, store, command->image);
  hash = mix(hash, command->kind);
  if (command->kind == COMMAND_DESTROY || command->kind == COMMAND_SPAWN)
    return hash;
  const Schema *schema = store->components.all[command->component].schema;
  const void *image = command->image;
  if (command->kind == COMMAND_REMOVE) return mix(hash, hash_schema(schema));
  if (image == NULL) image = schema->default_image;
  return hash_image(hash, store, schema, image, command->fields);
}

/* How many commands of each entity each inner level has recorded. Levels follow
 * each other in every chain, so these numbers say which commands they are. */
static uint64_t sum_levels(const ecs_World *world) {
  const CommandBuffer *commands = &world->commands;
  uint64_t sum = 0;
  for (uint32_t level = 1; level < world->depth; level++) {
    RunWalk walk = command_runs_since(&world->levels[level].mark);
    /* Of inner levels, too: each command counts for all that it is in. */
    for (const CommandRun *run = command_next_run(commands, &walk); run != NULL;
         run = command_next_run(commands, &walk))
      sum +=
          mix(mix(5, commands->entities[run->entity_position].entity), level) *
          run_length(commands, run);
  }
  return sum;
}

/* Chains are hashed from their newest command back. Whether spawns or changes of
 * living entities are recorded first decides nothing, see command_flush.h. */
static uint64_t hash_recorded(const ecs_World *world) {
  const CommandBuffer *commands = &world->commands;
  uint64_t hashes[2] = {0, 0}; /* of living entities, and of spawns */
  for (uint32_t i = 0; i < commands->entity_count; i++) {
    CommandWalk walk = command_walk(&commands->entities[i]);
    Command command;
    uint64_t *hash =
        &hashes[command_shape(commands, &commands->entities[i])->spawns];
    *hash = mix(mix(*hash, 6), commands->entities[i].entity);
    while (command_walk_back(commands, &walk, &command))
      *hash = hash_command(*hash, &world->store, &command);
  }
  uint64_t hash = hashes[1] == 0 ? hashes[0] : mix(hashes[0], hashes[1]);
  return hash + sum_levels(world);
}

uint64_t world_hash(const ecs_World *world) {
  const Store *store = &world->store;
  uint64_t hash = hash_index(3, &store->index), groups = 0;
  for (uint32_t i = 0; i < store->groups.count; i++)
    groups += hash_group(store, store->groups.all[i]);
  hash = mix(hash, groups);
  hash = mix(hash, sum_partition(store));
  hash += sum_links(world) + sum_names(world) + sum_arrays(world);
  return mix(hash, hash_recorded(world));
}

/* Entities and values --------------------------------------------------- */

/* The component's values, by entity. */
static uint64_t sum_component(const Store *store, const Group *group,
                              const Table *table, uint32_t bit) {
  ecs_Component component = group->components[bit].component;
  const Schema *schema = store->components.all[component].schema;
  uint64_t named = hash_schema(schema);
  uint64_t sum = 0;
  for (uint32_t row = 0; row < table->count; row++) {
    uint64_t hash = mix(named, table->entities[row]);
    for (uint32_t i = 0; i < schema->field_count; i++) {
      ColumnCode code = table_codes(table, bit)[i];
      hash = mix(hash, element_word(store->held, schema->fields[i].type,
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
  const Schema *schema = store->components.all[component->component].schema;
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

uint64_t store_state_hash(const Store *store) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < store->groups.count; i++)
    for (uint32_t k = 0; k < store->groups.all[i]->table_count; k++)
      sum += sum_table(store, store->groups.all[i],
                       store->groups.all[i]->tables[k]);
  return mix(3, sum);
}

uint64_t world_state_hash(const ecs_World *world) {
  return store_state_hash(&world->store) + sum_links(world) + sum_names(world) +
         sum_arrays(world);
}

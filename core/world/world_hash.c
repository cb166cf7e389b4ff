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
 *
 * What was hashed is kept, as long as nothing can have changed it without a call
 * of the core that says so:
 *
 *      rows, tags           the group's version             kept_hash.h
 *      columns              and the component's mark        store_keep
 *      free list, names     row_epoch, and their versions   WorldHashes
 *      links                the version of the index        LinkIndex
 *
 * Arrays are read each time: scripts and kernels store into them without a call.
 * So are columns of strings and any values, which are numbers of values that the
 * binding holds, those that an open cursor writes, what is recorded, and tables of
 * a few rows. Checked builds make each hash anew, and compare.
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

/* Keeping ---------------------------------------------------------------- */

/* Asking for a hash changes nothing that calls can see, so worlds are constant for
 * callers. */
static Store *store_behind(const Store *store) { return (Store *)store; }

/* What names and free handles are hashed for. row_epoch grows with all that
 * happens to entities, recorded or not. */
static HashKey key_of(const ecs_World *world) {
  const EntityIndex *index = &world->store.index;
  return (HashKey){.epoch = world->store.row_epoch,
                   .structure = store_main(&world->store)->version,
                   .names = world->names.version,
                   .free_head = index->free_head,
                   .free_count = index->free_count,
                   .used = index->used};
}

static bool same_key(const HashKey *one, const HashKey *other) {
  return one->epoch == other->epoch && one->structure == other->structure &&
         one->names == other->names && one->free_head == other->free_head &&
         one->free_count == other->free_count && one->used == other->used;
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
static uint64_t sum_index(const ecs_World *world, const LinkIndex *index) {
  const Schema *schema = world->store.components.all[index->component].schema;
  uint64_t sum = 0, named = mix(hash_schema(schema), index->field);
  for (uint32_t k = 0; k < index->page_count * LINK_PAGE_NODES; k++) {
    const LinkNode *node = link_node(index, k);
    if (node == NULL || node->next == 0) continue;
    sum += mix(mix(named, node->entity), link_node(index, node->next)->entity);
  }
  return sum;
}

static uint64_t sum_links(const ecs_World *world) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < world->links.count; i++) {
    LinkIndex *index = &world->links.indices[i];
    if (index->hashed != index->version + 1) {
      index->hash = sum_index(world, index);
      index->hashed = index->version + 1;
    }
    ECS_ASSERT(index->hash == sum_index(world, index));
    sum += index->hash;
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

/* So many elements are looked through for a NaN before they are hashed: most have
 * none, and then their bits are their words. */
#define NAN_ROWS 64u
_Static_assert(NAN_ROWS % LANES == 0, "a block ends with the last lane");

/* Defines a function that says whether one of NAN_ROWS elements is a NaN. */
#define ANY_NAN(name, Float, Word)                              \
  static inline bool name(const char *at) {                     \
    typedef __attribute__((vector_size(16))) Float Floats;      \
    typedef __attribute__((vector_size(16))) Word Words;        \
    Words any = {0};                                            \
    uint64_t halves[2];                                         \
    for (size_t i = 0; i < NAN_ROWS * sizeof(Float); i += 32) { \
      Floats one, other;                                        \
      memcpy(&one, at + i, 16);                                 \
      memcpy(&other, at + i + 16, 16);                          \
      any |= (Words)(one != one) | (Words)(other != other);     \
    }                                                           \
    memcpy(halves, &any, sizeof halves);                        \
    return (halves[0] | halves[1]) != 0;                        \
  }

ANY_NAN(any_nan_f32, float, int32_t)
ANY_NAN(any_nan_f64, double, int64_t)

/* Defines HASH_WORDS for floats: bits(at) is the word of one that is no NaN. */
#define HASH_FLOATS(name, any_nan, bytes, word, bits)                      \
  static uint64_t name(uint64_t hash, const char *at, uint32_t count) {    \
    uint64_t lanes[LANES] = {1, 2, 3, 4, 5, 6, 7, 8};                      \
    uint32_t row = 0;                                                      \
    for (uint32_t end = NAN_ROWS; end <= count; end += NAN_ROWS)           \
      if (ECS_LIKELY(!any_nan(at + (size_t)row * (bytes))))                \
        while (row < end)                                                  \
          for (uint32_t lane = 0; lane < LANES; lane++, row++)             \
            lanes[lane] =                                                  \
                lane_step(lanes[lane], bits(at + (size_t)row * (bytes)));  \
      else                                                                 \
        while (row < end)                                                  \
          for (uint32_t lane = 0; lane < LANES; lane++, row++)             \
            lanes[lane] =                                                  \
                lane_step(lanes[lane], word(at + (size_t)row * (bytes)));  \
    for (; row < count; row++)                                             \
      lanes[row % LANES] =                                                 \
          lane_step(lanes[row % LANES], word(at + (size_t)row * (bytes))); \
    for (uint32_t lane = 0; lane < LANES; lane++)                          \
      hash = mix(hash, lanes[lane]);                                       \
    return hash;                                                           \
  }

HASH_FLOATS(hash_f32, any_nan_f32, 4, word_f32, word_32)
HASH_FLOATS(hash_f64, any_nan_f64, 8, word_f64, word_64)

/* The elements of an array, one after the other; every NaN as the same word, and
 * held values by what they are. */
static uint64_t hash_array(uint64_t hash, const HeldValues *held,
                           ecs_Scalar type, const char *array, uint32_t count) {
  if (scalar_is_held(type))
    HASH_WORDS(hash, count, row,
               held_content(held, (uint32_t)word_32(array + (size_t)row * 4)));
  else if (type == ECS_F32)
    return hash_f32(hash, array, count);
  else if (type == ECS_F64)
    return hash_f64(hash, array, count);
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

/* A hash of a part of a table: of the columns of one component, or with
 * STAMP_NO_BIT of its entities, or of its tags. */
typedef uint64_t HashPart(const Store *store, const Group *group,
                          const Table *table, uint32_t bit);

/* Goes through a table; which hashes are kept is in the order of the calls. */
typedef struct TableWalk {
  const Store *store;
  const Group *group;
  const Table *table;
  KeptHash *kept; /* the next; NULL: the table keeps none */
} TableWalk;

/* There are two hashes of everything: of rows in their order, and sums. */
static TableWalk walk_table(const Store *store, const Group *group,
                            const Table *table, bool sums) {
  TableWalk walk = {.store = store, .group = group, .table = table};
  if (table->hashes == NULL || table->count < KEPT_ROWS) return walk;
  kept_hashes_renew(table->hashes, group->version, store->layout_version);
  walk.kept = table->hashes->all + sums * table->hashes->parts;
  return walk;
}

/* The mark that a hash of now is kept with; 0: it is not. */
static uint64_t mark_of(const TableWalk *walk, uint32_t bit) {
  if (bit == STAMP_NO_BIT) return KEPT_BY_VERSION;
  ecs_Component id = walk->group->components[bit].component;
  const Component *component = &walk->store->components.all[id];
  if (component->schema->held != 0 || component->writers > 0) return 0;
  if (component->kept == 0) store_keep(store_behind(walk->store), id);
  return component->kept;
}

/* What part gives for the next part of a walk. */
static uint64_t next_part(TableWalk *walk, uint32_t bit, HashPart *part) {
  if (walk->kept == NULL)
    return part(walk->store, walk->group, walk->table, bit);
  KeptHash *kept = walk->kept++;
  uint64_t mark = mark_of(walk, bit);
  if (mark == 0 || kept->mark != mark)
    *kept = (KeptHash){mark, part(walk->store, walk->group, walk->table, bit)};
  ECS_ASSERT(kept->value == part(walk->store, walk->group, walk->table, bit));
  return kept->value;
}

static const Schema *schema_at(const Store *store, const Group *group,
                               uint32_t bit) {
  return store->components.all[group->components[bit].component].schema;
}

/* Does a table have columns of a component? */
static bool has_columns(const TableWalk *walk, uint32_t bit) {
  return table_has(walk->table, bit) &&
         schema_at(walk->store, walk->group, bit)->field_count > 0;
}

static uint64_t hash_rows(const Store *store, const Group *group,
                          const Table *table, uint32_t bit) {
  (void)store, (void)group, (void)bit;
  uint64_t rows = mix(2, table->count);
  return table->count == 0
             ? rows
             : hash_array(rows, NULL, ECS_ENTITY, (const char *)table->entities,
                          table->count);
}

static uint64_t hash_tags(const Store *store, const Group *group,
                          const Table *table, uint32_t bit) {
  uint64_t sum = 0;
  for (bit = 0; bit < group->component_count; bit++) {
    const Schema *schema = schema_at(store, group, bit);
    if (group_is_bits(group, bit))
      sum += hash_bits(schema, table, group->components[bit].bits_index);
    else if (schema->field_count == 0 && table_has(table, bit))
      sum += hash_schema(schema);
  }
  return sum;
}

static uint64_t hash_component(const Store *store, const Group *group,
                               const Table *table, uint32_t bit) {
  return hash_columns(store->held, schema_at(store, group, bit), table, bit);
}

/* The order of rows counts, the order of components does not. */
static uint64_t hash_table(const Store *store, const Group *group,
                           const Table *table) {
  TableWalk walk = walk_table(store, group, table, false);
  uint64_t rows = next_part(&walk, STAMP_NO_BIT, hash_rows);
  uint64_t components = next_part(&walk, STAMP_NO_BIT, hash_tags);
  for (uint32_t bit = 0; bit < group->component_count; bit++)
    if (has_columns(&walk, bit))
      components += next_part(&walk, bit, hash_component);
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

/* Names and the free list, while nothing is recorded. */
static WorldHashes hash_listed(const ecs_World *world) {
  return (WorldHashes){.key = key_of(world),
                       .kept = world->depth == 0,
                       .index = hash_index(3, &world->store.index),
                       .names = sum_names(world)};
}

static const WorldHashes *find_listed(const ecs_World *world) {
  WorldHashes *hashes = &((ecs_World *)world)->hashes;
  HashKey key = key_of(world);
  if (!hashes->kept || world->depth > 0 || !same_key(&hashes->key, &key))
    *hashes = hash_listed(world);
  ECS_ASSERT(hashes->index == hash_index(3, &world->store.index) &&
             hashes->names == sum_names(world));
  return hashes;
}

uint64_t world_hash(const ecs_World *world) {
  const Store *store = &world->store;
  uint64_t groups = 0;
  for (uint32_t i = 0; i < store->groups.count; i++)
    groups += hash_group(store, store->groups.all[i]);
  const WorldHashes *listed = find_listed(world); /* now the epoch is still */
  uint64_t hash = mix(listed->index, groups);
  hash = mix(hash, sum_partition(store));
  hash += sum_links(world) + listed->names + sum_arrays(world);
  return mix(hash, hash_recorded(world));
}

/* Entities and values --------------------------------------------------- */

/* The component's values, by entity. */
static uint64_t sum_columns(const Store *store, const Group *group,
                            const Table *table, uint32_t bit) {
  const Schema *schema = schema_at(store, group, bit);
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
static uint64_t sum_bits(const Schema *schema, const Table *table,
                         uint32_t bits_index) {
  uint64_t tag = hash_schema(schema);
  uint64_t sum = 0;
  for (uint32_t row = 0; row < table->count; row++)
    if (table_has_bit(table, row, bits_index))
      sum += mix(tag, table->entities[row]);
  return sum;
}

static uint64_t sum_tags(const Store *store, const Group *group,
                         const Table *table, uint32_t bit) {
  uint64_t sum = 0;
  for (bit = 0; bit < group->component_count; bit++) {
    const GroupComponent *component = &group->components[bit];
    const Schema *schema = schema_at(store, group, bit);
    if (component->bits_index != GROUP_NOT_BITS)
      sum += sum_bits(schema, table, component->bits_index);
    else if (schema->field_count == 0 && table_has(table, bit))
      sum += sum_columns(store, group, table, bit);
  }
  return sum;
}

/* The entities, once: in the main group. */
static uint64_t sum_entities(const Store *store, const Group *group,
                             const Table *table, uint32_t bit) {
  (void)store, (void)bit;
  uint64_t sum = 0;
  for (uint32_t row = 0; group->id == 0 && row < table->count; row++)
    sum += mix(2, table->entities[row]);
  return sum;
}

static uint64_t sum_table(const Store *store, const Group *group,
                          const Table *table) {
  TableWalk walk = walk_table(store, group, table, true);
  uint64_t sum = next_part(&walk, STAMP_NO_BIT, sum_entities) +
                 next_part(&walk, STAMP_NO_BIT, sum_tags);
  for (uint32_t bit = 0; bit < group->component_count; bit++)
    if (has_columns(&walk, bit)) sum += next_part(&walk, bit, sum_columns);
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
  uint64_t sum = store_state_hash(&world->store);
  return sum + sum_links(world) + find_listed(world)->names + sum_arrays(world);
}

/* group.c: components that are stored together, and their tables. */
#include "storage/group.h"

#include "storage/slot.h"
#include "storage/table_row.h"

/* Life ------------------------------------------------------------------ */

/* Stands in for the first table of a group without tables. It is never written,
 * since it has no rows and no room for one. */
static const TableLookup no_lookup[TABLE_LEAST_LOOKUP] = {{1, 0}, {0, 0}};
static const Table no_table = {.lookup = no_lookup,
                               .lookup_mask = TABLE_LEAST_LOOKUP - 1};

/* Keeps group->first up to date. */
static void update_first(Group *group) {
  group->first =
      group->table_count > 0 ? group->tables[0] : (Table *)(uintptr_t)&no_table;
}

Group *group_create(Memory *memory, uint32_t id, bool narrow) {
  Group *group = memory_zeroed(memory, 1, sizeof(Group));
  if (group == NULL) return NULL;
  group->id = id;
  group->summary = id == 0 ? 0 : slot_summary_bit(id);
  locator_init(&group->locator, narrow);
  update_first(group);
  return group;
}

void group_destroy(Group *group, Memory *memory) {
  if (group == NULL) return;
  for (uint32_t i = 0; i < group->table_count; i++)
    table_destroy(group->tables[i], memory);
  for (uint32_t i = 0; i < group->match_count; i++)
    group->matches[i]->group = NULL;
  if (group->marks != NULL) group->marks->set = NULL; /* its users' now */
  locator_deinit(&group->locator, memory);
  memory_free(memory, group->components,
              group->component_capacity * sizeof(GroupComponent));
  memory_free(memory, group->schemas,
              group->schema_capacity * sizeof(Schema *));
  memory_free(memory, group->tables, group->table_capacity * sizeof(Table *));
  memory_free(memory, group->hash, group->hash_capacity * sizeof(uint32_t));
  edge_map_deinit(&group->edges, memory);
  memory_free(memory, group->matches,
              group->match_capacity * sizeof(MatchedTables *));
  memory_free(memory, group, sizeof(Group));
}

ecs_Status group_add_component(Group *group, Memory *memory,
                               ecs_Component component, const Schema *schema,
                               bool bits) {
  uint32_t bit = group->component_count;
  void *components = group->components;
  void *schemas = (void *)group->schemas;
  if (!memory_grow(memory, &components, &group->component_capacity, bit, 1,
                   sizeof(GroupComponent)))
    return ECS_E_MEMORY;
  group->components = components;
  if (!memory_grow(memory, &schemas, &group->schema_capacity, bit, 1,
                   sizeof(Schema *)))
    return ECS_E_MEMORY;
  group->schemas = schemas;
  group->components[bit].component = component;
  group->components[bit].bits_index =
      bits ? group->bits_count++ : GROUP_NOT_BITS;
  group->schemas[bit] = schema->field_count > 0 ? schema : NULL;
  group->component_count++;
  return ECS_OK;
}

/* Tables ---------------------------------------------------------------- */

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* Words of zeros do not count. */
static uint64_t hash_mask(Mask mask) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < mask.count; i++)
    if (mask.words[i] != 0)
      hash = mix(hash ^ mask.words[i]) +
             (mask.first + i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  return hash;
}

static bool mask_equal(const Mask *one, const Mask *other) {
  uint32_t i = 0;
  if (one->first != other->first || one->count != other->count) return false;
  while (i < one->count && one->words[i] == other->words[i]) i++;
  return i == one->count;
}

Table *group_find_table(const Group *group, Mask mask) {
  ECS_ASSERT(mask.count == 0
                 ? mask.first == 0
                 : mask.words[0] != 0 && mask.words[mask.count - 1] != 0);
  if (group->hash_capacity == 0) return NULL;
  uint32_t last = group->hash_capacity - 1;
  uint32_t bucket = (uint32_t)hash_mask(mask) & last;
  for (; group->hash[bucket] != 0; bucket = (bucket + 1) & last) {
    ECS_ASSERT(group->hash[bucket] <= group->table_count);
    Table *table = group->tables[group->hash[bucket] - 1];
    if (mask_equal(&table->mask, &mask)) return table;
  }
  return NULL;
}

static void hash_insert(uint32_t *hash, uint32_t capacity, const Table *table) {
  uint32_t last = capacity - 1;
  uint32_t bucket = (uint32_t)hash_mask(table->mask) & last;
  while (hash[bucket] != 0) bucket = (bucket + 1) & last;
  hash[bucket] = table->id + 1;
}

/* Keeps the hash at most half full with one table more. */
static ecs_Status reserve_hash(Group *group, Memory *memory) {
  uint32_t capacity = group->hash_capacity;
  uint32_t *hash = NULL;
  if ((group->table_count + 1) * 2 <= capacity) return ECS_OK;
  capacity = capacity == 0 ? 4 : capacity * 2;
  hash = memory_zeroed(memory, capacity, sizeof(uint32_t));
  if (hash == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < group->table_count; i++)
    hash_insert(hash, capacity, group->tables[i]);
  memory_free(memory, group->hash, group->hash_capacity * sizeof(uint32_t));
  group->hash = hash;
  group->hash_capacity = capacity;
  return ECS_OK;
}

/* Makes room for one more table everywhere but for the table itself. */
static ecs_Status reserve_table(Group *group, Memory *memory) {
  void *tables = group->tables;
  ecs_Status status = reserve_hash(group, memory);
  if (status != ECS_OK) return status;
  if (group->table_count >= ECS_TABLE_LIMIT)
    return memory_refuse(memory, ECS_TABLE_LIMIT, "tables", "a group");
  if (!memory_grow(memory, &tables, &group->table_capacity, group->table_count,
                   1, sizeof(Table *)))
    return ECS_E_MEMORY;
  group->tables = tables;
  for (uint32_t i = 0; i < group->match_count; i++)
    if (!matched_tables_reserve(group->matches[i], memory)) return ECS_E_MEMORY;
  return ECS_OK;
}

ecs_Status group_ensure_table(Group *group, Memory *memory, Mask mask,
                              Table **table) {
  ecs_Status status = ECS_OK;
  *table = group_find_table(group, mask);
  if (*table != NULL) return ECS_OK;
  status = reserve_table(group, memory);
  if (status != ECS_OK) return status;
  *table = table_create(memory, group->schemas, mask, &status);
  if (*table == NULL) return status;
  (*table)->id = group->table_count;
  group->tables[group->table_count++] = *table;
  update_first(group);
  hash_insert(group->hash, group->hash_capacity, *table);
  for (uint32_t i = 0; i < group->match_count; i++) {
    MatchedTables *match = group->matches[i];
    if (matched_tables_fit(match, *table))
      matched_tables_enter(match, (*table)->id);
  }
  group->version++;
  return ECS_OK;
}

/* Edges ----------------------------------------------------------------- */

/* The columns of a component in a table that has it; they are neighbours in
 * each size. The range of a size without columns is empty, at any position. */
static ColumnRange component_range(const Group *group, const Table *table,
                                   uint32_t bit) {
  ColumnRange range = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  const Schema *schema = group->schemas[bit];
  for (uint32_t i = 0; schema != NULL && i < schema->field_count; i++) {
    ColumnCode code = table_codes(table, bit)[i];
    uint32_t shift = code_shift(code);
    if (range.end[shift] == 0) range.begin[shift] = code >> 2;
    range.end[shift] = (uint16_t)((code >> 2) + 1);
  }
  return range;
}

static void insert_edge(Group *group, const Table *from, const Table *to,
                        uint32_t bit) {
  bool added = !table_has(from, bit);
  Edge edge = {.key = edge_key(from, bit),
               .table = to->id,
               .added = added,
               .range = component_range(group, added ? to : from, bit)};
  edge_map_insert(&group->edges, &edge);
}

static ecs_Status ensure_toggled(Group *group, Memory *memory,
                                 const Table *table, uint32_t bit, Table **to) {
  uint32_t word = bit >> 6, first = word, end = word + 1;
  const Mask *mask = &table->mask;
  uint64_t few[8] = {0};
  uint64_t *words = few;
  if (mask->count > 0 && mask->first < first) first = mask->first;
  if (mask->count > 0 && mask->first + mask->count > (int)end)
    end = mask->first + (uint32_t)mask->count;
  if (end - first > 8)
    words = memory_zeroed(memory, end - first, sizeof(uint64_t));
  if (words == NULL) return ECS_E_MEMORY;
  for (uint32_t i = first; i < end; i++) words[i - first] = mask_word(mask, i);
  words[word - first] ^= UINT64_C(1) << (bit & 63u);
  Mask toggled = mask_trim(words, end - first);
  if (toggled.count > 0) toggled.first = (uint16_t)(toggled.first + first);
  ecs_Status status = group_ensure_table(group, memory, toggled, to);
  if (words != few)
    memory_free(memory, words, (end - first) * sizeof(uint64_t));
  return status;
}

ecs_Status group_ensure_edge(Group *group, Memory *memory, const Table *table,
                             uint32_t bit, const Edge **edge) {
  Table *to = NULL;
  ecs_Status status = ECS_OK;
  *edge = group_find_edge(group, table, bit);
  if (*edge != NULL) return ECS_OK;
  status = edge_map_reserve(&group->edges, memory);
  if (status == ECS_OK) status = ensure_toggled(group, memory, table, bit, &to);
  if (status != ECS_OK) return status;
  ECS_ASSERT(table_has(to, bit) != table_has(table, bit));
  insert_edge(group, table, to, bit);
  insert_edge(group, to, table, bit);
  *edge = group_find_edge(group, table, bit);
  return ECS_OK;
}

static void hash_rebuild(Group *group) {
  memset(group->hash, 0, group->hash_capacity * sizeof(uint32_t));
  for (uint32_t i = 0; i < group->table_count; i++)
    hash_insert(group->hash, group->hash_capacity, group->tables[i]);
}

void group_drop_tables(Group *group, Memory *memory, uint32_t count) {
  if (group->table_count <= count) return;
  for (uint32_t i = 0; i < group->match_count; i++)
    matched_tables_drop(group->matches[i], count);
  while (group->table_count > count) {
    Table *table = group->tables[--group->table_count];
    ECS_ASSERT(table->count == 0 && table->pending == 0);
    table_destroy(table, memory);
  }
  for (uint32_t i = 0; i < count; i++) table_forget_edge(group->tables[i]);
  update_first(group);
  hash_rebuild(group);
  edge_map_drop(&group->edges, count);
  group->version++;
}

/* Resizes an array to fewer elements, 0 included; false: it stays as it is. */
static bool shrink_array(Memory *memory, void **array, uint32_t *capacity,
                         uint32_t count, size_t bytes) {
  if (count == *capacity) return false;
  void *less = memory_resize(memory, *array, *capacity * bytes, count * bytes);
  if (less == NULL && count > 0) return false;
  *array = less;
  *capacity = count;
  return true;
}

/* Destroys the empty tables; the others move up. */
static void drop_empty_tables(Group *group, Memory *memory) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < group->table_count; i++) {
    Table *table = group->tables[i];
    ECS_ASSERT(table->pending == 0);
    if (table->count == 0 && (group->id != 0 || i > 0)) {
      table_destroy(table, memory);
      continue;
    }
    table->id = kept;
    group->tables[kept++] = table;
    table_forget_edge(table);
    table_shrink(table, memory, table->count);
  }
  group->table_count = kept;
}

/* A hash for the tables that are left; the old one stays if memory is refused.
 */
static void shrink_hash(Group *group, Memory *memory) {
  uint32_t capacity = group->hash_capacity;
  while (capacity > 4 && group->table_count * 2 <= capacity / 2) capacity /= 2;
  if (capacity < group->hash_capacity) {
    uint32_t *hash = memory_zeroed(memory, capacity, sizeof(uint32_t));
    if (hash != NULL) {
      memory_free(memory, group->hash, group->hash_capacity * sizeof(uint32_t));
      group->hash = hash;
      group->hash_capacity = capacity;
    }
  }
  hash_rebuild(group);
}

void group_trim(Group *group, Memory *memory) {
  void *tables = group->tables, *matches = (void *)group->matches;
  ECS_ASSERT(group->match_count == 0);
  drop_empty_tables(group, memory);
  if (group->hash != NULL) shrink_hash(group, memory);
  edge_map_deinit(&group->edges, memory);
  shrink_array(memory, &tables, &group->table_capacity, group->table_count,
               sizeof(Table *));
  group->tables = tables;
  shrink_array(memory, &matches, &group->match_capacity, 0,
               sizeof(MatchedTables *));
  group->matches = matches;
  update_first(group);
  group->version++;
}

/* Copies a component that both tables have. */
static inline void copy_fields(const Schema *const *schemas, uint32_t bit,
                               Table *to, uint32_t to_row, const Table *from,
                               uint32_t from_row) {
  if (schemas[bit] == NULL) return;
  const ColumnCode *target = table_codes(to, bit);
  const ColumnCode *source = table_codes(from, bit);
  for (uint32_t i = 0; i < schemas[bit]->field_count; i++)
    element_copy(table_element(to, target[i], to_row),
                 table_element(from, source[i], from_row),
                 code_shift(source[i]));
}

void group_copy_row(const Group *group, Table *to, uint32_t to_row,
                    const Table *from, uint32_t from_row) {
  for (uint32_t i = 0; i < to->mask.count; i++) {
    uint32_t word = to->mask.first + i;
    uint64_t common = to->mask.words[i] & mask_word(&from->mask, word);
    while (common != 0)
      copy_fields(group->schemas, mask_take(&common, word), to, to_row, from,
                  from_row);
  }
  table_copy_bits(to, to_row, from, from_row);
}

/* Matches --------------------------------------------------------------- */

ecs_Status group_attach(Group *group, Memory *memory, MatchedTables *match) {
  void *matches = (void *)group->matches;
  if (!memory_grow(memory, &matches, &group->match_capacity, group->match_count,
                   1, sizeof(MatchedTables *)))
    return ECS_E_MEMORY;
  group->matches = matches;
  match->count = 0;
  for (uint32_t i = 0; i < group->table_count; i++) {
    if (!matched_tables_fit(match, group->tables[i])) continue;
    if (!matched_tables_reserve(match, memory)) return ECS_E_MEMORY;
    matched_tables_enter(match, i);
  }
  match->group = group;
  match->position = group->match_count;
  group->matches[group->match_count++] = match;
  return ECS_OK;
}

void group_detach(MatchedTables *match) {
  Group *group = match->group;
  if (group == NULL) return;
  MatchedTables *last = group->matches[--group->match_count];
  group->matches[match->position] = last;
  last->position = match->position;
  match->group = NULL;
}

const char *group_kind(const Group *group) {
  if (group->id == 0) return "main group";
  return group->locator.narrow ? "sparse set" : "group";
}

/* Invariants ------------------------------------------------------------ */

/* Every table is found by its mask, and nothing else is in the hash. */
static bool check_hash(const Group *group) {
  uint32_t used = 0;
  for (uint32_t i = 0; i < group->hash_capacity; i++)
    used += group->hash[i] != 0;
  if (used != group->table_count) return false;
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    if (group_find_table(group, table->mask) != table) return false;
  }
  return true;
}

/* A list names the tables that fit, and no others. */
static bool check_match(const Group *group, const MatchedTables *match) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < group->table_count; i++) {
    if (!matched_tables_fit(match, group->tables[i])) continue;
    if (next == match->count || match->tables[next++] != i) return false;
  }
  return next == match->count;
}

/* The edge that a table remembers is one that the map has, with its columns. */
static bool check_last_edge(const Group *group, const Table *table) {
  const LastEdge *last = &table->last_edge;
  if (last->key == LAST_EDGE_NONE) return true;
  uint32_t key = last->key & ~LAST_EDGE_MIXED;
  bool mixed = key != last->key;
  const Edge *edge = group_find_edge(group, table, key >> 1);
  return edge != NULL && edge->added == ((key & 1u) != 0) &&
         group->tables[edge->table] == last->to &&
         last->step == edge->table - table->id &&
         (mixed || (table->only_cells && range_has_only_cells(&edge->range))) &&
         memcmp(&last->range, &edge->range, sizeof edge->range) == 0 &&
         last->before == edge->range.begin[2] &&
         last->width == edge->range.end[2] - edge->range.begin[2];
}

bool group_check_invariants(const Group *group) {
  if (!check_hash(group)) return false;
  if (!edge_map_check_invariants(&group->edges)) return false;
  for (uint32_t i = 0; i < group->match_count; i++)
    if (group->matches[i]->group != group || group->matches[i]->position != i ||
        !check_match(group, group->matches[i]))
      return false;
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    if (table->id != i || table->pending != 0) return false;
    if (!table_check_invariants(table)) return false;
    if (!check_last_edge(group, table)) return false;
  }
  return group->table_count == 0 || group->first == group->tables[0];
}

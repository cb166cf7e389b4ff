/* world_soundness.c: checks everything that headers state about a world. */
#include "world_soundness.h"

#include "change/change_state.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Tables ------------------------------------------------------------------ */

static uint32_t columns_of(const Table *table, uint32_t shift) {
  return table->columns[shift] + (shift == 0 ? table->bits_columns : 0u);
}

static void assert_zero(const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    assert_int_equal(((const uint8_t *)bytes)[i], 0);
}

/* Columns follow each other. Each starts on a cache line, at a stride of an odd
 * number of lines that holds the capacity, and of long columns little more than
 * a page. */
static void assert_layout(const Table *table) {
  size_t at = 0, used = table->capacity * sizeof(ecs_Entity);
  uintptr_t begin = (uintptr_t)table->slab;
  assert_true((uintptr_t)table->entities % ECS_LINE_BYTES == 0);
  assert_true((uintptr_t)table->entities >= begin);
  for (uint32_t shift = TABLE_SIZES; shift-- > 0;) {
    size_t stride = table->stride[shift];
    assert_true(table->first[shift] >= at + used);
    assert_true(table->first[shift] % ECS_LINE_BYTES == 0);
    assert_true(stride % ECS_LINE_BYTES == 0);
    assert_true(stride / ECS_LINE_BYTES % 2 == 1);
    assert_true(stride >= (size_t)table->capacity << shift);
    size_t lines = stride < 1024 * ECS_LINE_BYTES ? 2 : 65;
    assert_true(stride <
                ((size_t)table->capacity << shift) + lines * ECS_LINE_BYTES);
    at = table->first[shift];
    used = stride * columns_of(table, shift);
  }
  assert_true((uintptr_t)table->entities + at + used <=
              begin + table->slab_bytes);
  assert_true(table->first[3] / ECS_LINE_BYTES % 2 == 1);
}

void assert_table_sound(const Table *table) {
  if (table->slab == NULL) {
    assert_int_equal(table->count, 0);
    assert_int_equal(table->capacity, 0);
    return;
  }
  assert_true(table->count <= table->capacity);
  assert_int_equal(table->capacity % ECS_ROW_ALIGN, 0);
  assert_layout(table);
  assert_zero(table->entities + table->count,
              (table->capacity - table->count) * sizeof(ecs_Entity));
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++)
    for (uint32_t i = 0; i < columns_of(table, shift); i++)
      assert_zero((const char *)table->entities + table->first[shift] +
                      i * table->stride[shift] +
                      ((size_t)table->count << shift),
                  (size_t)(table->capacity - table->count) << shift);
  for (uint32_t i = 0; i < table->field_count; i++)
    assert_ptr_equal(table->fields[i], table_column(table, table->codes[i]));
  assert_true(table_check_invariants(table));
}

/* Fields have the columns that components and fields in order give them. */
static void assert_codes(const Group *group, const Table *table) {
  uint32_t next[TABLE_SIZES] = {0}, fields = 0, sizes = 0;
  for (uint32_t bit = 0; bit < group->component_count; bit++) {
    const Schema *schema = table_has(table, bit) ? group->schemas[bit] : NULL;
    assert_int_equal(table_has_columns(table, bit), schema != NULL);
    for (uint32_t i = 0; schema != NULL && i < schema->field_count; i++) {
      uint32_t shift =
          (uint32_t)__builtin_ctz(scalar_bytes(schema->fields[i].type));
      assert_int_equal(table_codes(table, bit)[i], next[shift]++ << 2 | shift);
      assert_ptr_equal(&table_codes(table, bit)[i], &table->codes[fields]);
      sizes |= 1u << shift;
      fields++;
    }
  }
  assert_int_equal(table->field_count, fields);
  assert_int_equal(table->sizes, sizes);
  assert_memory_equal(next,
                      ((uint32_t[]){table->columns[0], table->columns[1],
                                    table->columns[2], table->columns[3]}),
                      sizeof next);
}

/* No row has a bit that no component stands for. */
static void assert_bits(const Group *group, const Table *table) {
  for (uint32_t i = 0; i < table->bits_columns && table->slab != NULL; i++)
    for (uint32_t row = 0; row < table->count; row++)
      for (uint32_t bit = 0; bit < 8; bit++)
        if ((table_bits(table, i)[row] >> bit & 1u) != 0)
          assert_true(i * 8 + bit < group->bits_count);
}

/* Groups ------------------------------------------------------------------ */

static void assert_hash(const Group *group) {
  uint32_t used = 0;
  uint64_t mask[1100] = {0};
  for (uint32_t i = 0; i < group->hash_capacity; i++)
    used += group->hash[i] != 0;
  assert_int_equal(used, group->table_count);
  assert_true(used * 2 <= group->hash_capacity || used == 0);
  assert_true((group->hash_capacity & (group->hash_capacity - 1)) == 0);
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    assert_int_equal(table->id, i);
    assert_true(table->mask.count > 0 || table->mask.first == 0);
    assert_ptr_equal(group_find_table(group, table->mask), table);
    memset(mask, 0, sizeof mask);
    mask_write(&table->mask, mask);
    uint32_t end = table->mask.first + table->mask.count;
    assert_ptr_equal(group_find_table(group, mask_trim(mask, end + 2u)), table);
  }
}

static void assert_range(const Group *group, const Table *table, uint32_t bit,
                         const ColumnRange *range) {
  uint32_t begin[TABLE_SIZES] = {0}, end[TABLE_SIZES] = {0};
  const Schema *schema = group->schemas[bit];
  for (uint32_t i = 0; schema != NULL && i < schema->field_count; i++) {
    ColumnCode code = table_codes(table, bit)[i];
    if (end[code & 3u] == 0) begin[code & 3u] = code >> 2;
    end[code & 3u] = (code >> 2) + 1u;
  }
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++) {
    assert_int_equal(range->end[shift] - range->begin[shift],
                     end[shift] - begin[shift]);
    if (end[shift] > 0) assert_int_equal(range->begin[shift], begin[shift]);
  }
}

static void assert_edge(const Group *group, const Edge *edge) {
  uint32_t id = (uint32_t)((edge->key - 1) >> 32);
  uint32_t bit = (uint32_t)(edge->key - 1);
  assert_true(id < group->table_count && edge->table < group->table_count);
  assert_true(bit < group->component_count);
  const Table *from = group->tables[id], *to = group->tables[edge->table];
  assert_ptr_equal(group_find_edge(group, from, bit), edge);
  assert_int_equal(edge->added, !table_has(from, bit));
  for (uint32_t i = 0; i < group->component_count; i++)
    assert_int_equal(table_has(to, i), table_has(from, i) != (i == bit));
  assert_range(group, edge->added ? to : from, bit, &edge->range);
  const Edge *back = group_find_edge(group, to, bit);
  assert_non_null(back);
  assert_int_equal(back->table, id);
}

static void assert_edges(const Group *group) {
  uint32_t used = 0;
  for (uint32_t i = 0; i < group->edges.capacity; i++) {
    if (group->edges.edges[i].key == 0) continue;
    used++;
    assert_edge(group, &group->edges.edges[i]);
  }
  assert_int_equal(used, group->edges.count);
  assert_true(used * 2 <= group->edges.capacity);
}

/* The last edge that a table remembers agrees with the edge map. */
static void assert_turn(const Group *group, const Table *table) {
  const LastEdge *last = &table->last_edge;
  if (last->key == LAST_EDGE_NONE) return;
  uint32_t key = last->key & ~LAST_EDGE_MIXED, columns = table->columns[2];
  bool mixed = key != last->key;
  const Edge *edge = group_find_edge(group, table, key >> 1);
  assert_non_null(edge);
  for (uint32_t shift = 0; shift < TABLE_SIZES; shift++) {
    assert_int_equal(last->range.begin[shift], edge->range.begin[shift]);
    assert_int_equal(last->range.end[shift], edge->range.end[shift]);
    if (mixed || shift == 2) continue;
    assert_int_equal(last->range.begin[shift], last->range.end[shift]);
  }
  assert_true(table->only_cells || mixed);
  assert_int_equal(edge->added, key & 1u);
  assert_ptr_equal(last->to, group->tables[edge->table]);
  assert_int_equal(table->id + last->step, edge->table);
  assert_int_equal(last->before, edge->range.begin[2]);
  assert_int_equal(last->width, edge->range.end[2] - edge->range.begin[2]);
  uint32_t gone = edge->added ? 0 : last->width;
  assert_int_equal(last->before + gone + last->behind, columns);
}

static bool fits(const MatchedTables *match, const Table *table) {
  for (uint32_t bit = 0; bit < match->words * 64; bit++) {
    bool there = table_has(table, bit);
    if (mask_has(match->required, match->words, bit) && !there) return false;
    if (mask_has(match->excluded, match->words, bit) && there) return false;
  }
  return true;
}

static void assert_matches(const Group *group) {
  for (uint32_t i = 0; i < group->match_count; i++) {
    const MatchedTables *match = group->matches[i];
    uint32_t found = 0;
    for (uint32_t k = 0; k < group->table_count; k++) {
      if (!fits(match, group->tables[k])) continue;
      assert_true(found < match->count);
      assert_int_equal(match->tables[found++], k);
    }
    assert_int_equal(match->count, found);
    assert_true(match->count <= match->capacity);
  }
}

void assert_group_sound(const Group *group) {
  uint32_t bits = 0;
  for (uint32_t bit = 0; bit < group->component_count; bit++)
    if (group_is_bits(group, bit))
      assert_int_equal(group->components[bit].bits_index, bits++);
  assert_int_equal(group->bits_count, bits);
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    assert_int_equal(table->pending, 0);
    assert_table_sound(table);
    assert_codes(group, table);
    assert_bits(group, table);
    assert_turn(group, table);
    for (uint32_t bit = 0; bit < group->component_count; bit++)
      assert_false(group_is_bits(group, bit) && table_has(table, bit));
  }
  assert_hash(group);
  assert_edges(group);
  assert_matches(group);
}

/* Worlds ------------------------------------------------------------------ */

/* The locator finds every row of the group, and nothing else. */
static void assert_locator(const Store *world, const Group *group) {
  uint32_t rows = 0, places = 0;
  if (group->locator.narrow) assert_true(group->table_count <= 1);
  for (uint32_t i = 0; i < group->table_count; i++)
    rows += group->tables[i]->count;
  for (uint32_t at = 0; at < group->locator.page_count << ECS_LOCATOR_BITS;
       at++) {
    RowId place = locator_find(&group->locator, at);
    if (!locator_is_row(place.row)) continue;
    assert_true(place.table < group->table_count);
    assert_true(place.row < group->tables[place.table]->count);
    ecs_Entity entity = group->tables[place.table]->entities[place.row];
    assert_int_equal(id_index(entity), at);
    assert_non_null(store_locate_main(world, entity).table);
    places++;
  }
  assert_int_equal(places, rows);
}

static void assert_components(const Store *world) {
  uint32_t members = 0;
  for (uint32_t i = 1; i < world->components.count; i++) {
    const Component *what = &world->components.all[i];
    assert_true(what->group_id < world->groups.count);
    const Group *group = world->groups.all[what->group_id];
    assert_true(what->bit < group->component_count);
    assert_ptr_equal(what->group, group);
    assert_int_equal(what->field_count, what->schema->field_count);
    assert_int_equal(what->bits_index, group->components[what->bit].bits_index);
    assert_int_equal(group->components[what->bit].component, i);
    assert_ptr_equal(group->schemas[what->bit],
                     what->schema->field_count > 0 ? what->schema : NULL);
    assert_int_equal(group_is_bits(group, what->bit), component_is_bits(what));
    assert_false(component_is_bits(what) && what->field_count > 0);
  }
  for (uint32_t i = 0; i < world->groups.count; i++)
    members += world->groups.all[i]->component_count;
  assert_int_equal(members, world->components.count - 1);
}

static void assert_slots(const Store *world) {
  const EntityIndex *index = &world->index;
  for (uint32_t i = 0; i < index->slot_count; i++)
    if (i == 0 || i >= index->used)
      assert_int_equal(slot_state(*entity_index_slot(index, i)), SLOT_FREE);
  uint32_t states[4] = {0}, rows = 0, at = index->free_head;
  for (uint32_t i = 1; i < index->used; i++) {
    Slot slot = *entity_index_slot(index, i);
    states[slot_state(slot)]++;
    if (slot_state(slot) != SLOT_PLACED) continue;
    assert_true(slot_table(slot) < world->groups.main->table_count);
    const Table *table = world->groups.main->tables[slot_table(slot)];
    assert_true(slot_row(slot) < table->count);
    ecs_Entity entity = table->entities[slot_row(slot)];
    assert_int_equal(id_index(entity), i);
    uint32_t generation = id_generation(entity);
    assert_true(generation < ECS_GENERATION_LIMIT);
    assert_int_equal(slot.table_bits >> 27, generation < ECS_SLOT_GENERATIONS
                                                ? generation
                                                : ECS_SLOT_GENERATIONS);
  }
  for (uint32_t i = 0; i < world->groups.main->table_count; i++)
    rows += world->groups.main->tables[i]->count;
  for (uint32_t i = 0; i < index->free_count; i++) {
    Slot slot = *entity_index_slot(index, at);
    assert_int_equal(slot_state(slot), SLOT_FREE);
    assert_in_range(slot.table_bits, 1, ECS_GENERATION_LIMIT - 1);
    at = slot_row(slot);
  }
  assert_int_equal(at, 0);
  assert_int_equal(states[SLOT_PLACED], rows);
  assert_int_equal(states[SLOT_FREE], index->free_count);
  assert_int_equal(states[SLOT_RETIRED], index->retired_count);
  assert_int_equal(states[SLOT_PLACED] + states[SLOT_RESERVED],
                   index->alive_count);
}

void assert_sound(const Store *world) {
  assert_ptr_equal(world->groups.main, world->groups.all[0]);
  assert_int_equal(world->groups.main->tables[0]->mask.count, 0);
  assert_components(world);
  assert_slots(world);
  for (uint32_t i = 0; i < world->groups.count; i++) {
    const Group *group = world->groups.all[i];
    assert_int_equal(group->id, i);
    uint32_t bit = i < ECS_NEAR_GROUPS ? (i - 1) % 3 : 2;
    assert_int_equal(group->summary, i == 0 ? 0 : 1u << (24 + bit));
    assert_int_equal(group->locator.list_id, i < ECS_NEAR_GROUPS ? 0 : i);
    assert_group_sound(group);
    for (uint32_t k = 0; k < group->table_count; k++)
      assert_int_equal(group->tables[k]->pending, 0);
    if (i > 0) assert_locator(world, group);
  }
  assert_true(store_check_invariants(world));
}

void assert_summaries_exact(const Store *world) {
  for (uint32_t i = 1; i < world->index.used; i++) {
    Slot slot = *entity_index_slot(&world->index, i);
    uint32_t summary = 0;
    for (uint32_t k = 1; k < world->groups.count; k++)
      if (store_locate_in(world->groups.all[k], i).table != NULL)
        summary |= 1u << (k - 1) % 3;
    if (slot_state(slot) == SLOT_PLACED)
      assert_int_equal(slot_summary(slot), summary);
    else
      assert_int_equal(summary, 0);
  }
}

/* Digests ----------------------------------------------------------------- */

static uint64_t stir(uint64_t hash, uint64_t number) {
  return (hash ^ number ^ hash >> 29) * UINT64_C(0x9fb21c651e98df25);
}

static uint64_t stir_bytes(uint64_t hash, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    hash = stir(hash, ((const uint8_t *)bytes)[i]);
  return hash;
}

static uint64_t digest_table(uint64_t hash, const Table *table) {
  hash = stir(stir(hash, table->count), table->pending);
  hash = stir(hash, table->mask.first);
  hash =
      stir_bytes(hash, table->mask.words, table->mask.count * sizeof(uint64_t));
  if (table->slab == NULL) return hash;
  hash = stir_bytes(hash, table->entities, table->count * sizeof(ecs_Entity));
  for (uint32_t i = 0; i < table->field_count; i++)
    hash = stir_bytes(hash, table->fields[i],
                      (size_t)table->count << code_shift(table->codes[i]));
  for (uint32_t row = 0; row < table->count; row++)
    for (uint32_t i = 0; i < table->bits_columns * 8u; i++)
      if (table_has_bit(table, row, i)) hash = stir(hash, row << 16 | i);
  return hash;
}

uint64_t digest_group(const Group *group) {
  uint64_t hash = stir(group->component_count, group->table_count);
  for (uint32_t i = 0; i < group->component_count; i++)
    hash = stir(hash, group->components[i].component);
  for (uint32_t i = 0; i < group->table_count; i++)
    hash = digest_table(hash, group->tables[i]);
  hash = stir(hash, group->match_count);
  for (uint32_t i = 0; i < group->match_count; i++)
    hash = stir_bytes(stir(hash, group->matches[i]->count),
                      group->matches[i]->tables,
                      group->matches[i]->count * sizeof(uint32_t));
  return hash;
}

uint64_t digest(const Store *world) {
  const EntityIndex *index = &world->index;
  uint64_t hash = stir(world->components.count, world->groups.count);
  hash = stir(stir(hash, world->layout_version),
              change_state(world)->bundle_count);
  for (uint32_t i = 0; i < world->groups.count; i++)
    hash = stir(hash, digest_group(world->groups.all[i]));
  for (uint32_t at = 1; at < index->used; at++) {
    Slot slot = *entity_index_slot(index, at);
    hash = stir(stir(hash, slot.row_bits), slot.table_bits);
    for (uint32_t i = 1; i < world->groups.count; i++) {
      RowId place = locator_find(&world->groups.all[i]->locator, at);
      bool has = locator_is_row(place.row);
      hash = stir(hash, has ? place.row : LOCATOR_NONE);
      if (has) hash = stir(hash, place.table);
    }
  }
  hash = stir(stir(hash, index->used), index->free_head);
  hash = stir(stir(hash, index->free_count), index->retired_count);
  return stir(hash, index->alive_count);
}

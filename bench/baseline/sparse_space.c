/* sparse_space.c: sets, tables, relationships. */
#include "sparse_space.h"

#include <stdlib.h>
#include <string.h>

#include "../measure.h"

#define ABSENT UINT32_MAX
#define FIRST_CAPACITY 10u

typedef struct Relationship {
  uint32_t parent; /* ABSENT: none */
  uint32_t count, capacity;
  uint32_t *children; /* owned */
} Relationship;

static void must(bool condition) {
  if (!condition) measure_fail("space", "wrong use");
}

/* Memory ------------------------------------------------------------------ */

/* A larger copy of a block, which is freed. */
static void *grown(SpaceMemory *memory, void *block, size_t old_bytes,
                   size_t bytes) {
  void *copy = malloc(bytes);
  if (copy == NULL) measure_fail("space", "no memory");
  memory->allocations++;
  memory->bytes += bytes;
  if (memory->bytes > memory->peak_bytes) memory->peak_bytes = memory->bytes;
  if (old_bytes > 0) memcpy(copy, block, old_bytes);
  free(block);
  memory->bytes -= old_bytes;
  return copy;
}

static void released(SpaceMemory *memory, void *block, size_t bytes) {
  free(block);
  memory->bytes -= bytes;
}

/* Sets -------------------------------------------------------------------- */

/* Every new element is bound to the one of the same number. */
static void set_grow(SpaceMemory *memory, SparseSet *set, uint32_t least) {
  uint32_t old = set->capacity;
  uint32_t capacity = old == 0 ? FIRST_CAPACITY : old;
  while (capacity < least) capacity *= 2;
  uint32_t *block =
      grown(memory, NULL, 0, 2 * (size_t)capacity * sizeof *block);
  if (old > 0) {
    memcpy(block, set->sparse, old * sizeof *block);
    memcpy(block + capacity, set->dense, old * sizeof *block);
    released(memory, set->sparse, 2 * (size_t)old * sizeof *block);
  }
  for (uint32_t k = old; k < capacity; k++) block[k] = block[capacity + k] = k;
  set->sparse = block;
  set->dense = block + capacity;
  set->capacity = capacity;
}

static bool set_has(const SparseSet *set, uint32_t id) {
  return id < set->capacity && set->sparse[id] < set->usage;
}

/* Exchanges the dense elements at two places. */
static void set_swap(SparseSet *set, uint32_t a, uint32_t b) {
  uint32_t at_a = set->dense[a], at_b = set->dense[b];
  set->dense[a] = at_b;
  set->dense[b] = at_a;
  set->sparse[at_b] = a;
  set->sparse[at_a] = b;
}

/* Takes any id that is not in use. */
static uint32_t set_add(SpaceMemory *memory, SparseSet *set) {
  if (set->usage == set->capacity) set_grow(memory, set, set->capacity * 2);
  return set->dense[set->usage++];
}

/* Takes an id; its place is the last one in use. */
static void set_request(SpaceMemory *memory, SparseSet *set, uint32_t id) {
  if (id >= set->capacity) set_grow(memory, set, id + 1);
  must(set->sparse[id] >= set->usage);
  set_swap(set, set->sparse[id], set->usage++);
}

/* Gives an id back; the last one in use takes its place. */
static void set_remove(SparseSet *set, uint32_t id) {
  must(set_has(set, id));
  set_swap(set, set->sparse[id], --set->usage);
}

/* Tables ------------------------------------------------------------------ */

void space_construct_zeros(void *value, uint32_t bytes) {
  memset(value, 0, bytes);
}

static void construct_relationship(void *value, uint32_t bytes) {
  (void)bytes;
  *(Relationship *)value = (Relationship){.parent = ABSENT};
}

static SpaceTable *find_table(const SparseSpace *space, uint32_t type) {
  uint32_t low = 0, high = space->table_count;
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    if (space->tables[middle].type.id <= type)
      low = middle;
    else
      high = middle;
  }
  must(space->tables[low].type.id == type);
  return (SpaceTable *)&space->tables[low];
}

static char *value_at(const SpaceTable *table, uint32_t place) {
  return table->values + (size_t)place * table->type.bytes;
}

static void *table_add(SpaceMemory *memory, SpaceTable *table, uint32_t id) {
  uint32_t place = table->set.usage, bytes = table->type.bytes;
  set_request(memory, &table->set, id);
  if (place == table->capacity) {
    uint32_t capacity = place == 0 ? FIRST_CAPACITY : place * 2;
    table->values = grown(memory, table->values, (size_t)place * bytes,
                          (size_t)capacity * bytes);
    table->capacity = capacity;
  }
  table->type.construct(value_at(table, place), bytes);
  return value_at(table, place);
}

static void free_children(SpaceMemory *memory, const Relationship *related) {
  if (related->capacity > 0)
    released(memory, related->children, related->capacity * sizeof(uint32_t));
}

static void table_remove(SpaceMemory *memory, SpaceTable *table, uint32_t id) {
  uint32_t place = table->set.sparse[id];
  set_remove(&table->set, id);
  char *hole = value_at(table, place);
  if (table->type.id == 0) free_children(memory, (Relationship *)hole);
  if (place != table->set.usage)
    memcpy(hole, value_at(table, table->set.usage), table->type.bytes);
}

/* Spaces ------------------------------------------------------------------ */

void space_init(SparseSpace *space, const SpaceType *types, uint32_t count) {
  memset(space, 0, sizeof *space);
  must(count < SPACE_TABLES);
  space->tables[0].type =
      (SpaceType){0, sizeof(Relationship), construct_relationship};
  for (uint32_t k = 0; k < count; k++) space->tables[k + 1].type = types[k];
  space->table_count = count + 1;
}

void space_deinit(SparseSpace *space) {
  SpaceTable *related = &space->tables[0];
  for (uint32_t k = 0; k < related->set.usage; k++)
    free_children(&space->memory, (Relationship *)value_at(related, k));
  for (uint32_t t = 0; t < space->table_count; t++) {
    free(space->tables[t].set.sparse);
    free(space->tables[t].values);
  }
  free(space->members.sparse);
  memset(space, 0, sizeof *space);
}

uint32_t space_create(SparseSpace *space) {
  return set_add(&space->memory, &space->members);
}

void *space_add(SparseSpace *space, uint32_t id, uint32_t type) {
  must(set_has(&space->members, id));
  return table_add(&space->memory, find_table(space, type), id);
}

void *space_get(SparseSpace *space, uint32_t id, uint32_t type) {
  const SpaceTable *table = find_table(space, type);
  must(set_has(&table->set, id));
  return value_at(table, table->set.sparse[id]);
}

bool space_has(const SparseSpace *space, uint32_t id, uint32_t type) {
  return set_has(&find_table(space, type)->set, id);
}

void space_remove(SparseSpace *space, uint32_t id, uint32_t type) {
  table_remove(&space->memory, find_table(space, type), id);
}

/* Relationships ----------------------------------------------------------- */

static Relationship *relationship_of(SparseSpace *space, uint32_t id) {
  if (!space_has(space, id, 0)) return space_add(space, id, 0);
  return space_get(space, id, 0);
}

void space_relate(SparseSpace *space, uint32_t parent, uint32_t child) {
  relationship_of(space, child)->parent = parent;
  Relationship *related = relationship_of(space, parent);
  if (related->count == related->capacity) {
    uint32_t old = related->capacity;
    related->capacity = old == 0 ? FIRST_CAPACITY : old * 2;
    related->children =
        grown(&space->memory, related->children, old * sizeof(uint32_t),
              related->capacity * sizeof(uint32_t));
  }
  related->children[related->count++] = child;
}

static void delete_children(SparseSpace *space, uint32_t id) {
  const Relationship *related = space_get(space, id, 0);
  uint32_t count = related->count;
  const uint32_t *children = related->children;
  for (uint32_t k = 0; k < count; k++) space_delete(space, children[k]);
}

/* The relationship's table comes first, but children are deleted before. */
void space_delete(SparseSpace *space, uint32_t id) {
  must(set_has(&space->members, id));
  if (space_has(space, id, 0)) delete_children(space, id);
  for (uint32_t t = 0; t < space->table_count; t++)
    if (set_has(&space->tables[t].set, id))
      table_remove(&space->memory, &space->tables[t], id);
  set_remove(&space->members, id);
}

uint64_t space_hash(const SparseSpace *space, uint32_t type) {
  const SpaceTable *table = find_table(space, type);
  uint64_t hash = 0;
  for (uint32_t k = 0; k < table->set.usage; k++) {
    const float *columns[64];
    uint32_t fields = table->type.bytes / sizeof(float);
    for (uint32_t f = 0; f < fields; f++)
      columns[f] = (const float *)value_at(table, k) + f;
    hash += measure_hash(columns, fields, 1);
  }
  return hash;
}

/* group.h: components that are stored together, and their tables.
 *
 *      group  components   A    B    C    D(bits)
 *      bit                 0    1    2    3
 *
 *      tables by mask   {}  {A}  {A B}  {B C} ...     hash: mask -> table
 *      edges            {A} --B--> {A B} --A--> {B}   hash: table, bit -> table
 *
 * An edge leads from a table to the one with a component more or less, with
 * the range of columns that differ, so that a row moves without any search. A
 * tag stored as bits is a component of the group but never in a mask.
 *
 * The main group holds every entity, in the table {} those without components;
 * the entity index is its locator. Any other group holds the entities that
 * have one of its components, and finds them through its own locator.
 *
 * Queries leave a match with every group they ask: when a table is born it
 * enters the lists of the matches whose masks it fits.
 */
#ifndef ECS_GROUP_H
#define ECS_GROUP_H

#include "storage/locator.h"
#include "storage/table.h"

/* Tables that have all of required and none of excluded. Owned by a query. */
typedef struct MatchedTables {
  uint64_t *required; /* words of them */
  uint64_t *excluded;
  uint32_t words;
  uint32_t *tables; /* ids, ascending */
  uint32_t count;
  uint32_t capacity;
} MatchedTables;

typedef struct GroupComponent {
  ecs_Component component;
  uint32_t bits_index; /* among those stored as bits; GROUP_NOT_BITS */
} GroupComponent;
#define GROUP_NOT_BITS UINT32_MAX

typedef struct Edge {
  uint64_t key;      /* table id << 32 | bit, plus one; 0: free */
  uint32_t table;    /* where it leads */
  bool added;        /* the component comes; otherwise it goes */
  ColumnRange range; /* the component's columns in the table that has it */
} Edge;

typedef struct Group {
  uint32_t id;      /* position in its world; 0: the main group */
  uint32_t summary; /* its bit in a slot; 0 for the main group */
  uint32_t component_count;
  uint32_t component_capacity;
  GroupComponent *components;
  const Schema **schemas; /* by bit; NULL for what has no columns */
  uint32_t schema_capacity;
  uint32_t bits_count; /* components stored as bits */
  Table **tables;
  Table *first; /* tables[0]; without tables, one that has no room */
  uint32_t table_count;
  uint32_t table_capacity;
  uint32_t *hash;         /* table id plus one; 0: free */
  uint32_t hash_capacity; /* a power of two, or 0 */
  Edge *edges;
  uint32_t edge_count;
  uint32_t edge_capacity; /* a power of two, or 0 */
  MatchedTables **matches;
  uint32_t match_count;
  uint32_t match_capacity;
  Locator locator;  /* not used by the main group */
  uint64_t version; /* grows with every change of rows or tables */
} Group;

/* Life ------------------------------------------------------------------ */

ECS_INTERNAL Group *group_create(Memory *memory, uint32_t id, bool narrow);
ECS_INTERNAL void group_destroy(Group *group, Memory *memory);

/* Adds a component; its bit is the count before. ECS_E_MEMORY. */
ECS_INTERNAL ecs_Status group_add_component(Group *group, Memory *memory,
                                            ecs_Component component,
                                            const Schema *schema, bool bits);

/* Tables ---------------------------------------------------------------- */

/* NULL when there is none of that mask; words that are missing are zero. */
ECS_INTERNAL Table *group_find_table(const Group *group, const uint64_t *mask,
                                     uint32_t words);

/* Finds or makes it. ECS_E_MEMORY, ECS_E_LIMIT: nothing has changed. */
ECS_INTERNAL ecs_Status group_ensure_table(Group *group, Memory *memory,
                                           const uint64_t *mask, uint32_t words,
                                           Table **table);

/* Unmakes tables, with their edges, until only count are left: the newest,
 * which must be empty. This is how a failed change leaves no trace. */
ECS_INTERNAL void group_drop_tables(Group *group, Memory *memory,
                                    uint32_t count);

/* The edge of a component's bit from a table; NULL when it was never walked. */
static inline const Edge *group_find_edge(const Group *group,
                                          const Table *table, uint32_t bit);

/* Finds or makes it, with the table it leads to. ECS_E_MEMORY, ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status group_ensure_edge(Group *group, Memory *memory,
                                          const Table *table, uint32_t bit,
                                          const Edge **edge);

/* Copies everything both tables have, bits included. Slower than along an
 * edge: walks the components. */
ECS_INTERNAL void group_copy_row(const Group *group, Table *to, uint32_t to_row,
                                 const Table *from, uint32_t from_row);

/* Matches --------------------------------------------------------------- */

/* Enters the match and fills its list. ECS_E_MEMORY: nothing has changed. */
ECS_INTERNAL ecs_Status group_attach(Group *group, Memory *memory,
                                     MatchedTables *match);
ECS_INTERNAL void group_detach(Group *group, const MatchedTables *match);
ECS_INTERNAL void matched_tables_deinit(MatchedTables *match, Memory *memory);

static inline bool matched_tables_fit(const MatchedTables *match,
                                      const Table *table) {
  for (uint32_t i = 0; i < match->words; i++) {
    uint64_t mask = i < table->mask_words ? table->mask[i] : 0;
    if ((mask & match->required[i]) != match->required[i]) return false;
    if ((mask & match->excluded[i]) != 0) return false;
  }
  return true;
}

/* Words that a mask of this group's components needs. */
static inline uint32_t group_words(const Group *group) {
  return (group->component_count + 63u) / 64u;
}

static inline bool group_is_bits(const Group *group, uint32_t bit) {
  return group->components[bit].bits_index != GROUP_NOT_BITS;
}

/* "main group", "sparse set" or "group", for people. */
ECS_INTERNAL const char *group_kind(const Group *group);

/* In line ----------------------------------------------------------------- */

static inline uint64_t edge_key(const Table *table, uint32_t bit) {
  return ((uint64_t)table->id << 32 | bit) + 1;
}

/* Where the search for a key begins. */
static inline uint32_t edge_home(uint64_t key, uint32_t last) {
  return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & last;
}

/* The slot that has the key, or the free one where it belongs. */
static inline uint32_t edge_slot(const Edge *edges, uint32_t capacity,
                                 uint64_t key) {
  uint32_t last = capacity - 1;
  uint32_t at = edge_home(key, last);
  while (edges[at].key != key && edges[at].key != 0) at = (at + 1) & last;
  return at;
}

static inline const Edge *group_find_edge(const Group *group,
                                          const Table *table, uint32_t bit) {
  if (ECS_UNLIKELY(group->edge_capacity == 0)) return NULL;
  uint64_t key = edge_key(table, bit);
  const Edge *edge =
      &group->edges[edge_slot(group->edges, group->edge_capacity, key)];
  return ECS_LIKELY(edge->key == key) ? edge : NULL;
}

#endif

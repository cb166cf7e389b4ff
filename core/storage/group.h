/* group.h: components that are stored together, and their tables.
 *
 *      group  components   A    B    C    D(bits)
 *      bit                 0    1    2    3
 *
 *      tables by mask   {}  {A}  {A B}  {B C} ...     hash: mask -> table
 *      edges            {A} --B--> {A B}              see edge_map.h
 *      matches          query -> {A B} ...            see matched_tables.h
 *
 * A component of the group has a bit, its position among them. Tables are found
 * by a mask of these bits; a tag stored as bits is a component of the group and
 * never in a mask.
 *
 * The main group has a row for every entity, in the table {} for entities
 * without components; the entity index is its locator. Any other group has the
 * entities with one of its components, and finds them through its own locator.
 */
#ifndef ECS_GROUP_H
#define ECS_GROUP_H

#include "storage/edge_map.h"
#include "storage/locator.h"
#include "storage/matched_tables.h"
#include "storage/row_marks.h"

typedef struct GroupComponent {
  ecs_Component component; /* its id */
  uint32_t bits_index;     /* position among those stored as bits, or
                              GROUP_NOT_BITS */
} GroupComponent;
#define GROUP_NOT_BITS UINT32_MAX

typedef struct Group {
  uint32_t id;      /* position in its store; 0: the main group */
  uint32_t summary; /* its bit in slots; 0 for the main group */
  uint32_t component_count;
  uint32_t component_capacity;
  GroupComponent *components; /* owned; by bit */
  const Schema **schemas;     /* owned array of borrowed schemas, by bit; NULL
                                 for a component without columns */
  uint32_t schema_capacity;
  uint32_t bits_count; /* components stored as bits */
  Table **tables;      /* owned, and so is each table; by id */
  Table *first;        /* tables[0]; without tables, one that has no room */
  uint32_t table_count;
  uint32_t table_capacity;
  uint32_t *hash;         /* owned; table id plus one; 0: a free entry */
  uint32_t hash_capacity; /* a power of two, or 0 */
  EdgeMap edges;
  MatchedTables **matches; /* owned array of lists that queries own */
  uint32_t match_count;
  uint32_t match_capacity;
  Locator locator;  /* entity index -> row; not used by the main group */
  uint64_t version; /* grows with every change of rows or tables */
  RowMarks *marks;  /* of a sparse set that queries join with the main group;
                       owned; NULL: none does */
} Group;

/* Life ------------------------------------------------------------------ */

/* Creates a group without components. narrow: it will have one table at most,
 * see locator.h. NULL: ECS_E_MEMORY. */
ECS_INTERNAL Group *group_create(Memory *memory, uint32_t id, bool narrow);

/* Frees the group with its tables and edges; attached lists are
 * detached, and stay with their queries. Does nothing for NULL. */
ECS_INTERNAL void group_destroy(Group *group, Memory *memory);

/* Adds a component; its bit is the count before. The schema is borrowed.
 * ECS_E_MEMORY: nothing has changed. */
ECS_INTERNAL ecs_Status group_add_component(Group *group, Memory *memory,
                                            ecs_Component component,
                                            const Schema *schema, bool bits);

/* Tables ---------------------------------------------------------------- */

/* Finds the table of a mask. NULL: there is none. Cost: one probe of the hash,
 * mostly. */
ECS_INTERNAL Table *group_find_table(const Group *group, Mask mask);

/* Finds the table of a mask, or creates it. ECS_E_MEMORY, ECS_E_LIMIT: nothing
 * has changed. Cost of creating: compares masks with every list of matched
 * tables. */
ECS_INTERNAL ecs_Status group_ensure_table(Group *group, Memory *memory,
                                           Mask mask, Table **table);

/* Destroys the newest tables, which must be empty, and their edges, until count
 * tables are left: this is how a failed change leaves no trace. */
ECS_INTERNAL void group_drop_tables(Group *group, Memory *memory,
                                    uint32_t count);

/* Gives back what the group does not need: empty tables (but {} of the main
 * group), room in the others, edges. Tables keep their order and get new ids,
 * which the caller then writes to where their rows are located. No list may be
 * attached. Cannot fail; what memory is refused for stays. Cost: copies every
 * row that is in a slab with room to spare. */
ECS_INTERNAL void group_trim(Group *group, Memory *memory);

/* The edge of a component's bit from a table; NULL: there is none yet. */
static inline const Edge *group_find_edge(const Group *group,
                                          const Table *table, uint32_t bit) {
  return edge_map_find(&group->edges, table, bit);
}

/* Finds an edge, or creates it with the table that it leads to and the edge
 * back. ECS_E_MEMORY, ECS_E_LIMIT: no table and no edge is new. */
ECS_INTERNAL ecs_Status group_ensure_edge(Group *group, Memory *memory,
                                          const Table *table, uint32_t bit,
                                          const Edge **edge);

/* Copies every component that both tables have, tags stored as bits included.
 * Cost: looks at every component; a move along an edge is faster. */
ECS_INTERNAL void group_copy_row(const Group *group, Table *to, uint32_t to_row,
                                 const Table *from, uint32_t from_row);

/* Matches --------------------------------------------------------------- */

/* Attaches a list with its masks set, and fills it. The list must stay at its
 * address until it is detached. ECS_E_MEMORY: it is not attached. */
ECS_INTERNAL ecs_Status group_attach(Group *group, Memory *memory,
                                     MatchedTables *match);

/* Detaches a list, which is not updated any more. Does nothing for a list that
 * is not attached, or which was attached to a group that is destroyed. Cost:
 * constant. */
ECS_INTERNAL void group_detach(MatchedTables *match);

/* Reading --------------------------------------------------------------- */

/* Words that a mask of this group's components needs. */
static inline uint32_t group_words(const Group *group) {
  return (group->component_count + 63u) / 64u;
}

/* Is the component with this bit stored as bits? */
static inline bool group_is_bits(const Group *group, uint32_t bit) {
  ECS_ASSERT(bit < group->component_count);
  return group->components[bit].bits_index != GROUP_NOT_BITS;
}

/* The columns of bits that a table needs for a component; 0 for one that is not
 * stored as bits. */
static inline uint32_t group_bits_columns(const Group *group, uint32_t bit) {
  return group_is_bits(group, bit) ? group->components[bit].bits_index / 8u + 1u
                                   : 0u;
}

/* "main group", "sparse set" or "group", for people. */
ECS_INTERNAL const char *group_kind(const Group *group);

/* Checked builds: tables, hash, edges and matches agree. Cost: all of it. */
ECS_INTERNAL bool group_check_invariants(const Group *group);

#endif

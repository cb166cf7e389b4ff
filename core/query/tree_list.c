/* tree_list.c: the rows of a query along a tree, targets before sources. */
#include "query/tree_list.h"

#include "query/gather_loops.h"

/* One list while it is built. Positions are those of rows in the base. */
typedef struct TreeBuild {
  RowList *list;
  const TreeRows *rows;
  uint32_t count;         /* rows */
  uint32_t up;            /* groups of targets */
  uint32_t deepest;       /* no row is deeper */
  uint32_t *depths;       /* by position */
  uint32_t *targets;      /* entity indices of a piece's rows; 0: none */
  uint32_t *combinations; /* of the base, by position */
  uint32_t *places;       /* in the list, by position */
  uint32_t *order;        /* positions by place, where rows are mixed */
  uint32_t *other;        /* scratch of a sort */
  uint32_t *found;        /* rows of targets, count for each group */
  uint32_t *tables;       /* table ids of targets, likewise */
  uint32_t *tuple;        /* table ids of one combination */
  uint32_t *starts;       /* where the rows of each depth start; scratch of a
                             sort */
  uint32_t *firsts;       /* the first position of each depth */
  bool sorted;            /* rows are in the order of depths already */
  bool mixed;             /* some depth has several combinations */
} TreeBuild;

/* Arrays of one number for each row, beside two for each group of targets. */
#define ROW_ARRAYS 6u

static uint32_t *take(uint32_t **next, size_t count) {
  uint32_t *taken = *next;
  *next += count;
  return taken;
}

/* All arrays by position are in one room of the store. */
static bool make_room(TreeBuild *build) {
  const RowList *list = build->list;
  size_t count = build->count, up = build->up;
  size_t numbers = count * (ROW_ARRAYS + 2 * up) + list->group_count;
  uint32_t *next = store_room_as_it_is(build->rows->store, ROOM_TREE,
                                       numbers * sizeof *next);
  if (next == NULL) return false;
  build->depths = take(&next, count);
  build->targets = take(&next, count);
  build->combinations = take(&next, count);
  build->places = take(&next, count);
  build->order = take(&next, count);
  build->other = take(&next, count);
  build->found = take(&next, count * up);
  build->tables = take(&next, count * up);
  build->tuple = next;
  return true;
}

/* Makes room to count so many different keys. */
static bool make_starts(TreeBuild *build, size_t keys) {
  build->starts = store_room_as_it_is(build->rows->store, ROOM_STARTS,
                                      2 * (keys + 1) * sizeof *build->starts);
  if (build->starts == NULL) return false;
  build->firsts = build->starts + keys + 1;
  memset(build->starts, 0, (keys + 1) * sizeof *build->starts);
  return true;
}

/* Finding targets --------------------------------------------------------- */

/* So many rows are looked up at once: what is known of them is then still near. */
#define PIECE_ROWS 1024u

/* Finds the targets and depths of some rows of a block of the base. */
static void find_targets(TreeBuild *build, const Block *block, uint32_t first,
                         uint32_t count) {
  const TreeRows *from = build->rows;
  const LinkDepths known = from->index->depths; /* in registers */
  const ecs_Entity *entities =
      row_list_table(from->base, block, from->groups, from->driver)->entities;
  const uint32_t *rows = from->base->rows[from->driver] + first;
  uint32_t *targets = build->targets;
  uint32_t *depths = build->depths + first;
  uint32_t *combinations = build->combinations + first;
  uint32_t before = first == 0 ? 0 : depths[-1], falls = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t entity = id_index(entities[rows[i]]);
    bool linked = entity < known.count;
    targets[i] = linked ? known.targets[entity] : 0;
    depths[i] = linked ? known.depths[entity] : 0;
    combinations[i] = block->tables;
    falls |= depths[i] < before;
    before = depths[i];
  }
  build->sorted = build->sorted && falls == 0;
}

/* Finds the rows of the targets in the main group. An entity without a target
 * is looked up, too, at the index that is never used. */
static void locate_in_main(const TreeBuild *build, uint32_t *rows,
                           uint32_t *tables, uint32_t count) {
  const EntityIndex index = build->rows->store->index; /* in registers */
  const uint32_t *targets = build->targets;
  for (uint32_t i = 0; i < count; i++) {
    Slot slot = *entity_index_slot(&index, targets[i]);
    ECS_ASSERT(targets[i] == 0 || slot_state(slot) == SLOT_PLACED);
    rows[i] = slot.row_bits;
    tables[i] = slot_table(slot) | (targets[i] == 0 ? QUERY_GROUP_ABSENT : 0);
  }
}

static void locate_in_group(const TreeBuild *build, const Group *group,
                            uint32_t *rows, uint32_t *tables, uint32_t count) {
  const Locator locator = group->locator; /* in registers */
  const uint32_t *targets = build->targets;
  for (uint32_t i = 0; i < count; i++) {
    rows[i] = 0;
    tables[i] = QUERY_GROUP_ABSENT;
    if (targets[i] == 0) continue;
    RowId row = locator_find(&locator, targets[i]);
    if (!locator_is_row(row.row)) continue;
    rows[i] = row.row;
    tables[i] = row.table;
  }
}

/* Finds the rows of the targets in one of their groups. */
static void locate_targets(const TreeBuild *build, uint32_t up, uint32_t first,
                           uint32_t count) {
  const Group *group = build->rows->groups[build->rows->own + up].group;
  size_t at = (size_t)up * build->count + first;
  uint32_t *rows = build->found + at, *tables = build->tables + at;
  if (group->id == 0)
    locate_in_main(build, rows, tables, count);
  else
    locate_in_group(build, group, rows, tables, count);
}

/* Finds all this for the rows of one block of the base. */
static void find_rows(TreeBuild *build, const Block *block) {
  for (uint32_t done = 0; done < block->count; done += PIECE_ROWS) {
    uint32_t first = block->first + done, left = block->count - done;
    uint32_t count = left < PIECE_ROWS ? left : PIECE_ROWS;
    find_targets(build, block, first, count);
    for (uint32_t k = 0; k < build->up; k++)
      locate_targets(build, k, first, count);
  }
}

/* Sorting ----------------------------------------------------------------- */

/* Have two rows the same tables in every group? */
static inline bool same_tables(const TreeBuild *build, uint32_t one,
                               uint32_t other) {
  uint32_t difference = build->combinations[one] ^ build->combinations[other];
  for (uint32_t k = 0; k < build->up; k++) {
    const uint32_t *tables = build->tables + (size_t)k * build->count;
    difference |= tables[one] ^ tables[other];
  }
  return difference == 0;
}

/* Where depths ascend, finds where each starts. */
static void find_depths(TreeBuild *build) {
  const uint32_t *depths = build->depths;
  uint32_t next = 0;
  for (uint32_t i = 0; i < build->count; i++) {
    if (i == 0 || depths[i] != depths[i - 1]) {
      while (next <= depths[i]) build->starts[next++] = i;
      build->firsts[depths[i]] = i;
    } else if (!same_tables(build, i, i - 1)) {
      build->mixed = true;
    }
  }
  while (next <= build->deepest + 1) build->starts[next++] = build->count;
}

/* Counts the rows of each depth, and finds whether all of a depth have the same
 * tables. */
static void count_depths(TreeBuild *build) {
  bool same = true;
  for (uint32_t i = 0; i < build->count; i++) {
    uint32_t depth = build->depths[i];
    if (build->starts[depth + 1]++ == 0) build->firsts[depth] = i;
    same = same_tables(build, i, build->firsts[depth]) && same;
  }
  build->mixed = !same;
}

/* Counts become where the rows of each key start. */
static void sum_up(uint32_t *starts, uint32_t keys) {
  for (uint32_t i = 1; i <= keys; i++) starts[i] += starts[i - 1];
}

/* Sorts positions by a key that is one less than a number from 0 to most: a
 * stable counting sort. ECS_E_MEMORY. */
static ecs_Status sort_by(TreeBuild *build, const uint32_t *keys,
                          uint32_t most) {
  uint32_t *to = build->other, *from = build->order;
  if (!make_starts(build, (size_t)most + 1)) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < build->count; i++)
    build->starts[(uint32_t)(keys[i] + 1) + 1]++;
  sum_up(build->starts, most + 1);
  for (uint32_t i = 0; i < build->count; i++)
    to[build->starts[(uint32_t)(keys[from[i]] + 1)]++] = from[i];
  build->order = to;
  build->other = from;
  return ECS_OK;
}

/* Sorts by depth, then by all tables, from the least of these keys on. */
static ecs_Status sort_mixed(TreeBuild *build) {
  const TreeRows *from = build->rows;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; i < build->count; i++) build->order[i] = i;
  for (uint32_t k = build->up; status == ECS_OK && k-- > 0;)
    status = sort_by(build, build->tables + (size_t)k * build->count,
                     from->groups[from->own + k].group->table_count);
  if (status == ECS_OK)
    status = sort_by(build, build->combinations, from->base->tables_count);
  if (status == ECS_OK)
    status = sort_by(build, build->depths, build->deepest + 1);
  if (status != ECS_OK) return status;
  for (uint32_t i = 0; i < build->count; i++)
    build->places[build->order[i]] = i;
  build->sorted = false;
  return ECS_OK;
}

/* Finds the place of every row, and where each depth starts. */
static ecs_Status sort(TreeBuild *build) {
  if (!make_starts(build, (size_t)build->deepest + 1)) return ECS_E_MEMORY;
  if (build->sorted)
    find_depths(build);
  else
    count_depths(build);
  if (build->mixed) return sort_mixed(build);
  if (build->sorted) return ECS_OK;
  sum_up(build->starts, build->deepest + 1);
  for (uint32_t i = 0; i < build->count; i++)
    build->places[i] = build->starts[build->depths[i]]++;
  memmove(build->starts + 1, build->starts,
          (build->deepest + 1) * sizeof *build->starts);
  build->starts[0] = 0;
  return ECS_OK;
}

/* Filling the list -------------------------------------------------------- */

static void put(const TreeBuild *build, uint32_t *to, const uint32_t *from) {
  const uint32_t *places = build->places;
  if (build->sorted) {
    memcpy(to, from, build->count * sizeof *to);
    return;
  }
  for (uint32_t i = 0; i < build->count; i++) to[places[i]] = from[i];
}

static void put_rows(const TreeBuild *build) {
  uint32_t own = build->rows->own;
  for (uint32_t k = 0; k < own; k++)
    put(build, build->list->rows[k], build->rows->base->rows[k]);
  for (uint32_t k = 0; k < build->up; k++)
    put(build, build->list->rows[own + k],
        build->found + (size_t)k * build->count);
}

/* Finds how the targets of a block's rows lie. */
static void describe_targets(const RowList *list, Block *block) {
  const uint32_t *rows = row_list_rows(list, block, list->group_count - 1);
  uint32_t low = UINT32_MAX, high = 0;
  for (uint32_t i = 0; i < block->count; i++) {
    low = rows[i] < low ? rows[i] : low;
    high = rows[i] > high ? rows[i] : high;
  }
  block->low = low;
  block->high = high;
  block->steps = rows_are_steps(rows, block->count);
}

/* Appends count rows of one depth, with the tables of the row at a position. */
static ecs_Status append(TreeBuild *build, uint32_t position, uint32_t count) {
  RowList *list = build->list;
  const TreeRows *from = build->rows;
  uint32_t before = list->block_count, own = from->own;
  const uint32_t *tables =
      from->base->tables + (size_t)build->combinations[position] * own;
  for (uint32_t k = 0; k < own; k++) build->tuple[k] = tables[k];
  for (uint32_t k = 0; k < build->up; k++)
    build->tuple[own + k] = build->tables[(size_t)k * build->count + position];
  ecs_Status status =
      row_list_append(list, &from->store->memory, build->tuple, count);
  for (uint32_t i = before; i < list->block_count; i++) {
    list->blocks[i].depth = build->depths[position];
    if (build->up > 0) describe_targets(list, &list->blocks[i]);
  }
  return status;
}

/* Where no depth is mixed, the rows of each are put next to each other. */
static ecs_Status append_depths(TreeBuild *build) {
  ecs_Status status = ECS_OK;
  for (uint32_t d = 0; status == ECS_OK && d <= build->deepest; d++) {
    uint32_t count = build->starts[d + 1] - build->starts[d];
    if (count > 0) status = append(build, build->firsts[d], count);
  }
  return status;
}

static ecs_Status append_mixed(TreeBuild *build) {
  const uint32_t *order = build->order;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < build->count;) {
    uint32_t first = i++;
    while (i < build->count &&
           build->depths[order[i]] == build->depths[order[first]] &&
           same_tables(build, order[i], order[first]))
      i++;
    status = append(build, order[first], i - first);
  }
  return status;
}

static ecs_Status build_all(TreeBuild *build) {
  const TreeRows *from = build->rows;
  for (uint32_t i = 0; i < from->base->block_count; i++)
    find_rows(build, &from->base->blocks[i]);
  ecs_Status status = sort(build);
  if (status != ECS_OK) return status;
  put_rows(build);
  return build->mixed ? append_mixed(build) : append_depths(build);
}

ecs_Status tree_list_build(RowList *list, const TreeRows *rows) {
  Memory *memory = &rows->store->memory;
  TreeBuild build = {.list = list,
                     .rows = rows,
                     .count = rows->base->count,
                     .up = list->group_count - rows->own,
                     .sorted = true};
  ECS_ASSERT(row_list_is_fresh(rows->base, rows->groups));
  ECS_ASSERT(rows->base->unplaced == 0);
  row_list_empty(list);
  ecs_Status status = link_find_depths(rows->index, memory);
  build.deepest = rows->index->depths.deepest;
  if (status == ECS_OK) status = row_list_reserve(list, memory, build.count);
  if (status == ECS_OK && build.count > 0)
    status = make_room(&build) ? build_all(&build) : ECS_E_MEMORY;
  if (status != ECS_OK) return status;
  row_list_stamp(list, rows->groups);
  ECS_ASSERT(build.count > ROW_LIST_CHECKED_ROWS ||
             tree_list_check_invariants(list, rows));
  return ECS_OK;
}

/* Checking ---------------------------------------------------------------- */

static ecs_Entity entity_at(const TreeRows *rows, const RowList *list,
                            const Block *block, uint32_t i) {
  const Table *table = row_list_table(list, block, rows->groups, rows->driver);
  return table->entities[row_list_rows(list, block, rows->driver)[i]];
}

static uint32_t naive_depth(const LinkIndex *index, ecs_Entity entity) {
  uint32_t depth = 0;
  while ((entity = link_target(index, entity)) != 0) depth++;
  return depth;
}

/* Is a row the entity's own, or its target's, in every group? */
static bool check_row(const TreeRows *rows, const RowList *list,
                      const Block *block, uint32_t i) {
  ecs_Entity entity = entity_at(rows, list, block, i);
  ecs_Entity target = link_target(rows->index, entity);
  if (naive_depth(rows->index, entity) != block->depth) return false;
  for (uint32_t k = 0; k < list->group_count; k++) {
    ecs_Entity wanted = k < rows->own ? entity : target;
    RowRef row = {NULL, 0};
    if (wanted != 0)
      row = store_locate_group(rows->store, rows->groups[k].group, wanted);
    if (row.table != row_list_table(list, block, rows->groups, k)) return false;
    if (row.table != NULL && row_list_rows(list, block, k)[i] != row.row)
      return false;
  }
  return true;
}

bool tree_list_check_invariants(const RowList *list, const TreeRows *rows) {
  uint32_t next = 0;
  if (list->count != rows->base->count) return false;
  for (uint32_t b = 0; b < list->block_count; b++) {
    const Block *block = &list->blocks[b];
    if (block->first != next || block->count == 0) return false;
    if (b > 0 && block->depth < block[-1].depth) return false;
    next += block->count;
    for (uint32_t i = 0; i < block->count; i++) {
      if (!check_row(rows, list, block, i)) return false;
      const uint32_t *own = row_list_rows(list, block, rows->driver);
      if (i > 0 && own[i] <= own[i - 1]) return false; /* none twice */
    }
  }
  return next == list->count;
}

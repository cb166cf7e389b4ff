/* row_list.c: the rows that match a query, when whole tables are not the
 * answer. */
#include "query/row_list.h"

#include "query/join.h"

ecs_Status row_list_init(RowList *list, Memory *memory, uint32_t group_count) {
  *list = (RowList){.group_count = group_count};
  list->versions = memory_zeroed(memory, group_count, sizeof(uint64_t));
  list->rows = memory_zeroed(memory, group_count, sizeof(uint32_t *));
  return list->versions != NULL && list->rows != NULL ? ECS_OK : ECS_E_MEMORY;
}

/* The bytes of an array of rows; bits_list_ahead writes a little behind them. */
static size_t rows_bytes(uint32_t rows) {
  return (rows + BITS_LIST_SLACK) * sizeof(uint32_t);
}

static void free_rows(RowList *list, Memory *memory) {
  for (uint32_t i = 0; list->rows != NULL && i < list->group_count; i++) {
    memory_free(memory, list->rows[i], rows_bytes(list->capacity));
    list->rows[i] = NULL;
  }
  list->capacity = 0;
}

void row_list_deinit(RowList *list, Memory *memory) {
  uint32_t groups = list->group_count;
  free_rows(list, memory);
  if (list->versions != NULL)
    memory_free(memory, list->versions, groups * sizeof(uint64_t));
  if (list->rows != NULL)
    memory_free(memory, list->rows, groups * sizeof(uint32_t *));
  memory_free(memory, list->tables, list->tables_capacity * sizeof(uint32_t));
  memory_free(memory, list->blocks, list->block_capacity * sizeof(Block));
  *list = (RowList){0};
}

bool row_list_is_fresh(const RowList *list, const QueryGroup *groups) {
  if (!list->built) return false;
  for (uint32_t i = 0; i < list->group_count; i++)
    if (list->versions[i] != groups[i].group->version) return false;
  return true;
}

/* Building -------------------------------------------------------------- */

/* State that is needed while a list is built. */
typedef struct Build {
  RowList *list;
  Store *store;
  const QueryGroup *groups;
  uint32_t driver;
  Join join;
  uint32_t *combinations; /* of each matching row of one driver table; owned */
  uint32_t *hash;         /* combinations plus one, by tables; 0: free; owned */
  uint32_t hash_capacity;
  uint32_t *sorted; /* scratch; NULL: no rows had to be sorted yet; owned */
  uint32_t *starts; /* scratch: where each combination's rows start; owned */
  uint32_t starts_capacity;
  uint32_t rows; /* that combinations and sorted have room for */
  uint32_t base; /* the first combination of this driver table */
} Build;

static void build_deinit(Build *build, Memory *memory) {
  join_deinit(&build->join);
  memory_free(memory, build->combinations, build->rows * sizeof(uint32_t));
  memory_free(memory, build->sorted, build->rows * sizeof(uint32_t));
  memory_free(memory, build->hash, build->hash_capacity * sizeof(uint32_t));
  memory_free(memory, build->starts, build->starts_capacity * sizeof(uint32_t));
}

ecs_Status row_list_reserve(RowList *list, Memory *memory, uint32_t rows) {
  uint32_t slack = list->capacity / 2; /* so that slow growth stays cheap */
  if (rows <= list->capacity) return ECS_OK;
  if (rows < list->capacity + slack) rows = list->capacity + slack;
  free_rows(list, memory);
  for (uint32_t i = 0; i < list->group_count; i++) {
    list->rows[i] = memory_zeroed(memory, 1, rows_bytes(rows));
    if (list->rows[i] != NULL) continue;
    for (uint32_t k = 0; k < i; k++)
      memory_free(memory, list->rows[k], rows_bytes(rows));
    for (uint32_t k = 0; k < i; k++) list->rows[k] = NULL;
    return ECS_E_MEMORY;
  }
  list->capacity = rows;
  return ECS_OK;
}

static ecs_Status build_init(Build *build, Memory *memory) {
  const QueryGroup *driver = &build->groups[build->driver];
  uint64_t rows = query_group_rows(driver);
  uint32_t longest = 0;
  ecs_Status status = join_init(&build->join, build->store, build->groups,
                                build->list->group_count, build->driver);
  if (status != ECS_OK) return status;
  for (uint32_t i = 0; i < driver->match.count; i++) {
    uint32_t count = driver->group->tables[driver->match.tables[i]]->count;
    if (count > longest) longest = count;
  }
  build->rows = longest;
  if (rows > 0 && build->list->group_count > 1) {
    build->combinations = memory_zeroed(memory, longest, sizeof(uint32_t));
    if (build->combinations == NULL) return ECS_E_MEMORY;
  }
  return row_list_reserve(build->list, memory, (uint32_t)rows);
}

/* Combinations of tables ------------------------------------------------ */

static uint32_t hash_tables(const uint32_t *tables, uint32_t count) {
  uint32_t hash = 2166136261u; /* FNV-1a, by words */
  for (uint32_t i = 0; i < count; i++) hash = (hash ^ tables[i]) * 16777619u;
  return hash ^ hash >> 15;
}

static uint32_t *find_combination(const Build *build, const uint32_t *tables) {
  const RowList *list = build->list;
  uint32_t last = build->hash_capacity - 1;
  ECS_ASSERT(build->hash_capacity > list->tables_count);
  uint32_t slot = hash_tables(tables, list->group_count) & last;
  for (; build->hash[slot] != 0; slot = (slot + 1) & last) {
    const uint32_t *known =
        list->tables + (build->hash[slot] - 1) * list->group_count;
    if (memcmp(known, tables, list->group_count * sizeof(uint32_t)) == 0) break;
  }
  return &build->hash[slot];
}

static ecs_Status grow_hash(Build *build, Memory *memory) {
  RowList *list = build->list;
  uint32_t old_capacity = build->hash_capacity;
  uint32_t *old = build->hash;
  if ((list->tables_count + 1) * 2 <= old_capacity) return ECS_OK;
  build->hash_capacity = old_capacity == 0 ? 8 : old_capacity * 2;
  build->hash = memory_zeroed(memory, build->hash_capacity, sizeof(uint32_t));
  if (build->hash == NULL) {
    build->hash = old;
    build->hash_capacity = old_capacity;
    return ECS_E_MEMORY;
  }
  memory_free(memory, old, old_capacity * sizeof(uint32_t));
  for (uint32_t i = 0; i < list->tables_count; i++)
    *find_combination(build, list->tables + i * list->group_count) = i + 1;
  return ECS_OK;
}

/* Appends the table ids of a combination. */
static bool append_combination(RowList *list, Memory *memory,
                               const uint32_t *tables) {
  void *known = list->tables;
  uint32_t in_use = list->tables_count * list->group_count;
  if (!memory_grow(memory, &known, &list->tables_capacity, in_use,
                   list->group_count, sizeof(uint32_t)))
    return false;
  list->tables = known;
  memcpy(list->tables + in_use, tables, list->group_count * sizeof(uint32_t));
  list->tables_count++;
  return true;
}

static ecs_Status ensure_combination(Build *build, const uint32_t *tables,
                                     uint32_t *combination) {
  RowList *list = build->list;
  Memory *memory = &build->store->memory;
  if (list->tables_count > 0 && /* most often that of the row before */
      memcmp(list->tables + *combination * list->group_count, tables,
             list->group_count * sizeof(uint32_t)) == 0)
    return ECS_OK;
  ecs_Status status = grow_hash(build, memory);
  if (status != ECS_OK) return status;
  uint32_t *slot = find_combination(build, tables);
  if (*slot == 0) {
    if (!append_combination(list, memory, tables)) return ECS_E_MEMORY;
    *slot = list->tables_count;
  }
  *combination = *slot - 1;
  ECS_ASSERT(*combination >= build->base); /* none of an earlier table */
  return ECS_OK;
}

/* Rows ------------------------------------------------------------------ */

/* Numbers the combination of each row that the join has found, and counts the
 * rows into the list. Where all rows have one combination it is numbered once.
 */
static ecs_Status keep_found(Build *build, uint32_t first, uint32_t *tables,
                             uint32_t *combination) {
  RowList *list = build->list;
  uint32_t count = build->join.count;
  uint32_t *combinations = build->combinations + (list->count - first);
  ECS_ASSERT(count <= list->capacity - list->count);
  bool uniform = join_is_uniform(&build->join);
  for (uint32_t row = 0; row < count; row++) {
    join_tables(&build->join, row, tables);
    ecs_Status status = ensure_combination(build, tables, combination);
    if (status != ECS_OK) return status;
    combinations[row] = *combination;
    if (uniform) break;
  }
  for (uint32_t row = 1; uniform && row < count; row++)
    combinations[row] = *combination;
  list->count += count;
  return ECS_OK;
}

/* Appends the matching rows of one driver table, in its order. */
static ecs_Status append_table(Build *build, const Table *table,
                               uint32_t *tables, uint32_t *combination) {
  RowList *list = build->list;
  uint32_t first = list->count, row = 0;
  tables[build->driver] = table->id;
  while (row < table->count) {
    row = join_rows(&build->join, table, row, list->rows, list->count);
    ecs_Status status = keep_found(build, first, tables, combination);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

static ecs_Status append_block(RowList *list, Memory *memory, Block block) {
  void *blocks = list->blocks;
  if (!memory_grow(memory, &blocks, &list->block_capacity, list->block_count, 1,
                   sizeof(Block)))
    return ECS_E_MEMORY;
  list->blocks = blocks;
  ECS_ASSERT(block.count > 0 && block.first + block.count <= list->count);
  list->blocks[list->block_count++] = block;
  return ECS_OK;
}

static bool is_absent(const RowList *list, Block block, uint32_t group_index) {
  return list->tables[block.tables * list->group_count + group_index] ==
         QUERY_GROUP_ABSENT;
}

/* Do the rows follow each other? All are compared only if the last is where a
 * run would end. */
static bool rows_are_run(const uint32_t *rows, uint32_t count) {
  uint32_t difference = 0;
  if (rows[count - 1] != rows[0] + (count - 1)) return false;
  for (uint32_t i = 0; i < count; i++) difference |= rows[i] ^ (rows[0] + i);
  return difference == 0;
}

static uint64_t find_runs(const RowList *list, Block block) {
  uint64_t runs = 0;
  for (uint32_t i = 0; i < list->group_count && i < 64; i++)
    if (row_list_is_unplaced(list, i) || is_absent(list, block, i) ||
        rows_are_run(list->rows[i] + block.first, block.count))
      runs |= UINT64_C(1) << i;
  return runs;
}

static bool is_run_everywhere(const RowList *list, Block block) {
  uint32_t groups = list->group_count;
  return groups <= 64 && block.runs == UINT64_MAX >> (64 - groups);
}

/* Does the block continue the one before it, in every group? */
static bool block_continues(const RowList *list, Block before, Block block) {
  if (before.tables != block.tables) return false;
  for (uint32_t i = 0; i < list->group_count; i++)
    if (!row_list_is_unplaced(list, i) && !is_absent(list, block, i) &&
        list->rows[i][block.first] != list->rows[i][block.first - 1] + 1)
      return false;
  return true;
}

/* Cuts the rows of one combination into blocks, and joins blocks that continue
 * a run. */
static ecs_Status cut_blocks(RowList *list, Memory *memory, Block all) {
  bool before_is_run = false;
  for (uint32_t done = 0; done < all.count; done += ECS_BLOCK_ROWS) {
    uint32_t left = all.count - done;
    Block block = {.first = all.first + done,
                   .count = left < ECS_BLOCK_ROWS ? left : ECS_BLOCK_ROWS,
                   .tables = all.tables};
    block.runs = find_runs(list, block);
    bool run = is_run_everywhere(list, block);
    Block *before =
        run && before_is_run ? &list->blocks[list->block_count - 1] : NULL;
    before_is_run = run;
    if (before != NULL && block_continues(list, *before, block)) {
      before->count += block.count;
      continue;
    }
    ecs_Status status = append_block(list, memory, block);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

/* Finds where the rows of each combination of this driver table go. */
static ecs_Status count_combinations(Build *build, uint32_t count) {
  uint32_t needed = build->list->tables_count - build->base + 1;
  Memory *memory = &build->store->memory;
  if (needed > build->starts_capacity) {
    void *starts = build->starts;
    if (!memory_grow(memory, &starts, &build->starts_capacity, 0, needed,
                     sizeof(uint32_t)))
      return ECS_E_MEMORY;
    build->starts = starts;
  }
  memset(build->starts, 0, needed * sizeof(uint32_t));
  for (uint32_t i = 0; i < count; i++)
    build->starts[build->combinations[i] - build->base + 1]++;
  for (uint32_t i = 1; i < needed; i++)
    build->starts[i] += build->starts[i - 1];
  ECS_ASSERT(build->starts[needed - 1] == count);
  return ECS_OK;
}

/* Sorts the new rows of one group by combination: a stable counting sort. */
static void sort_rows(Build *build, uint32_t *rows, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    build->sorted[build->starts[build->combinations[i] - build->base]++] =
        rows[i];
  memcpy(rows, build->sorted, count * sizeof(uint32_t));
  for (uint32_t i = build->list->tables_count - build->base; i > 0; i--)
    build->starts[i] = build->starts[i - 1];
  build->starts[0] = 0;
}

/* Sorts the rows of one driver table by combination and cuts them into blocks.
 */
static ecs_Status sort_and_cut(Build *build, uint32_t first) {
  RowList *list = build->list;
  Memory *memory = &build->store->memory;
  uint32_t count = list->count - first;
  if (count == 0) return ECS_OK;
  if (ids_are_equal(build->combinations, count))
    return cut_blocks(
        list, memory,
        (Block){
            .first = first, .count = count, .tables = build->combinations[0]});
  if (build->sorted == NULL)
    build->sorted = memory_zeroed(memory, build->rows, sizeof(uint32_t));
  if (build->sorted == NULL) return ECS_E_MEMORY;
  ecs_Status status = count_combinations(build, count);
  if (status != ECS_OK) return status;
  for (uint32_t i = 0; i < list->group_count; i++)
    sort_rows(build, list->rows[i] + first, count);
  uint32_t combinations = list->tables_count - build->base;
  for (uint32_t i = 0; status == ECS_OK && i < combinations; i++) {
    Block all = {.first = first + build->starts[i],
                 .count = build->starts[i + 1] - build->starts[i],
                 .tables = build->base + i};
    status = cut_blocks(list, memory, all);
  }
  return status;
}

/* The same for the only group of a query: the rows with bits that fit. */
static ecs_Status append_fitting(Build *build, const Table *table) {
  RowList *list = build->list;
  uint32_t count = query_group_list(&build->groups[0], table, 0, table->count,
                                    list->rows[0] + list->count);
  return count == 0
             ? ECS_OK
             : row_list_append(list, &build->store->memory, &table->id, count);
}

static ecs_Status append_tables(Build *build, uint32_t *tables) {
  const QueryGroup *driver = &build->groups[build->driver];
  uint32_t combination = 0;
  for (uint32_t i = 0; i < driver->match.count; i++) {
    uint32_t first = build->list->count;
    const Table *table = driver->group->tables[driver->match.tables[i]];
    build->base = build->list->tables_count;
    bool alone = build->list->group_count == 1;
    ecs_Status status = alone
                            ? append_fitting(build, table)
                            : append_table(build, table, tables, &combination);
    if (status == ECS_OK && !alone) status = sort_and_cut(build, first);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

/* Checking -------------------------------------------------------------- */

/* The arguments that a list was built with. */
typedef struct Origin {
  const Store *store;
  const QueryGroup *groups;
  uint32_t driver;
} Origin;

/* Does the entity match in all groups? */
static bool entity_matches(const RowList *list, const Origin *origin,
                           ecs_Entity entity) {
  RowRef main_row = store_locate_main(origin->store, entity);
  for (uint32_t g = 0; g < list->group_count; g++) {
    RowRef row = query_group_locate(&origin->groups[g], entity, main_row);
    if (!query_group_fits(&origin->groups[g], row)) return false;
  }
  return query_groups_offer(origin->groups, list->group_count, entity,
                            main_row);
}

/* Has the list as many rows as the driver has rows that match? */
static bool check_count(const RowList *list, const Origin *origin) {
  const QueryGroup *driver = &origin->groups[origin->driver];
  uint32_t count = 0;
  for (uint32_t i = 0; i < driver->match.count; i++) {
    const Table *table = driver->group->tables[driver->match.tables[i]];
    for (uint32_t row = 0; row < table->count; row++)
      count += entity_matches(list, origin, table->entities[row]);
  }
  return count == list->count;
}

/* Do the rows at one position of a block belong to one entity, and does the
 * entity match? */
static bool check_row(const RowList *list, const Origin *origin,
                      const Block *block, uint32_t index) {
  const Table *table =
      row_list_table(list, block, origin->groups, origin->driver);
  uint32_t row = row_list_rows(list, block, origin->driver)[index];
  if (row >= table->count) return false;
  ecs_Entity entity = table->entities[row];
  RowRef main_row = store_locate_main(origin->store, entity);
  for (uint32_t g = 0; g < list->group_count; g++) {
    RowRef found = query_group_locate(&origin->groups[g], entity, main_row);
    if (found.table != row_list_table(list, block, origin->groups, g))
      return false;
    if (found.table != NULL && !row_list_is_unplaced(list, g) &&
        found.row != row_list_rows(list, block, g)[index])
      return false;
  }
  return entity_matches(list, origin, entity);
}

static bool check_block(const RowList *list, const Origin *origin,
                        const Block *block) {
  const uint32_t *rows = row_list_rows(list, block, origin->driver);
  if (block->runs != find_runs(list, *block)) return false;
  if (block->count > ECS_BLOCK_ROWS && !is_run_everywhere(list, *block))
    return false;
  for (uint32_t i = 0; i < block->count; i++) {
    if (i > 0 && rows[i] <= rows[i - 1]) return false;
    if (!check_row(list, origin, block, i)) return false;
  }
  return true;
}

/* Blocks are ordered by the driver's table, then by combination, then by the
 * driver's row. */
static bool check_order(const RowList *list, const Origin *origin,
                        const Block *before, const Block *block) {
  uint32_t driver = origin->driver;
  const uint32_t *last =
      row_list_rows(list, before, driver) + before->count - 1;
  if (block->tables == before->tables)
    return row_list_rows(list, block, driver)[0] > *last;
  return block->tables > before->tables &&
         row_list_table(list, block, origin->groups, driver)->id >=
             row_list_table(list, before, origin->groups, driver)->id;
}

bool row_list_check_invariants(const RowList *list, const Store *store,
                               const QueryGroup *groups, uint32_t driver) {
  Origin origin = {store, groups, driver};
  uint32_t next = 0;
  if (!row_list_is_fresh(list, groups)) return false;
  for (uint32_t i = 0; i < list->block_count; i++) {
    const Block *block = &list->blocks[i];
    if (block->first != next || block->count == 0) return false;
    if (block->count > list->count - next) return false;
    if (block->tables >= list->tables_count) return false;
    if (i > 0 && !check_order(list, &origin, block - 1, block)) return false;
    if (!check_block(list, &origin, block)) return false;
    next += block->count;
  }
  return next == list->count && check_count(list, &origin);
}

void row_list_empty(RowList *list) {
  list->built = false;
  list->count = list->block_count = list->tables_count = 0;
  list->unplaced = 0;
}

ecs_Status row_list_append(RowList *list, Memory *memory,
                           const uint32_t *tables, uint32_t count) {
  Block all = {
      .first = list->count, .count = count, .tables = list->tables_count};
  ECS_ASSERT(count > 0 && count <= list->capacity - list->count);
  if (!append_combination(list, memory, tables)) return ECS_E_MEMORY;
  list->count += count;
  return cut_blocks(list, memory, all);
}

ecs_Status row_list_append_run(RowList *list, Memory *memory,
                               const uint32_t *tables, uint32_t count) {
  if (!append_combination(list, memory, tables)) return ECS_E_MEMORY;
  return row_list_append_known_run(list, memory, list->tables_count - 1, count);
}

ecs_Status row_list_append_known_run(RowList *list, Memory *memory,
                                     uint32_t combination, uint32_t count) {
  uint32_t groups = list->group_count;
  Block run = {.first = list->count,
               .count = count,
               .tables = combination,
               .runs = groups < 64 ? (UINT64_C(1) << groups) - 1 : UINT64_MAX};
  ECS_ASSERT(count > 0 && count <= list->capacity - list->count);
  ECS_ASSERT(combination < list->tables_count);
  list->count += count;
  ECS_ASSERT(run.runs == find_runs(list, run));
  return append_block(list, memory, run);
}

ecs_Status row_list_append_known(RowList *list, Memory *memory,
                                 uint32_t combination, uint32_t count) {
  Block all = {.first = list->count, .count = count, .tables = combination};
  ECS_ASSERT(count <= list->capacity - list->count);
  ECS_ASSERT(combination < list->tables_count);
  list->count += count;
  return cut_blocks(list, memory, all);
}

ecs_Status row_list_copy_tables(RowList *list, Memory *memory,
                                const RowList *from) {
  uint32_t ids = from->tables_count * from->group_count;
  void *tables = list->tables;
  ECS_ASSERT(list->tables_count == 0);
  if (ids > list->tables_capacity &&
      !memory_grow(memory, &tables, &list->tables_capacity, 0, ids,
                   sizeof(uint32_t)))
    return ECS_E_MEMORY;
  list->tables = tables;
  if (ids > 0) memcpy(list->tables, from->tables, ids * sizeof(uint32_t));
  list->tables_count = from->tables_count;
  return ECS_OK;
}

void row_list_stamp(RowList *list, const QueryGroup *groups) {
  for (uint32_t i = 0; i < list->group_count; i++)
    list->versions[i] = groups[i].group->version;
  list->built = true;
}

void row_list_complete(RowList *list, const Store *store,
                       const QueryGroup *groups, uint32_t driver) {
  row_list_stamp(list, groups);
  ECS_ASSERT(query_group_rows(&groups[driver]) > ROW_LIST_CHECKED_ROWS ||
             row_list_check_invariants(list, store, groups, driver));
  (void)store;
  (void)driver;
}

ecs_Status row_list_build(RowList *list, Store *store, const QueryGroup *groups,
                          uint32_t driver) {
  Memory *memory = &store->memory;
  Build build = {
      .list = list, .store = store, .groups = groups, .driver = driver};
  uint32_t *tables = memory_zeroed(memory, list->group_count, sizeof(uint32_t));
  if (tables == NULL) return ECS_E_MEMORY;
  ECS_ASSERT(driver < list->group_count);
  row_list_empty(list);
  ecs_Status status = build_init(&build, memory);
  if (status == ECS_OK) status = append_tables(&build, tables);
  build_deinit(&build, memory);
  memory_free(memory, tables, list->group_count * sizeof(uint32_t));
  if (status != ECS_OK) return status;
  row_list_complete(list, store, groups, driver);
  return ECS_OK;
}

/* kernel_binding.c: native kernels over a query's rows. */
#include "kernel/kernel_binding.h"

#include "base/misuse.h"
#include "query/opened.h"

/* Binding --------------------------------------------------------------- */

/* True: a term with this access may lend its column to a kernel that declares
 * that access. */
static bool access_allows(ecs_Access term, ecs_Access kernel) {
  if (kernel == ECS_UP) return term == ECS_UP;
  if (kernel == ECS_OPTIONAL) return term == ECS_OPTIONAL || term == ECS_WRITE;
  if (kernel == ECS_READ) return term == ECS_READ || term == ECS_WRITE;
  return kernel == ECS_WRITE && term == ECS_WRITE;
}

/* Finds the query's column that a kernel declares. False: there is none, or its
 * type or access does not fit. A link is only read; programs may declare more,
 * since each of their stores is verified. */
static bool find_column(const ecs_Query *query, const ecs_Kernel *kernel,
                        const ecs_KernelColumn *declared, uint32_t *index) {
  bool trusted = (kernel->flags & KERNEL_TRUSTED) != 0;
  for (uint32_t i = 0; i < query->column_count; i++) {
    const QueryColumn *column = &query->columns[i];
    const QueryTerm *term = &query->terms[column->term];
    const Schema *schema = query->store->components.all[term->component].schema;
    *index = i;
    if (declared->component == NULL || declared->field == NULL) return false;
    if ((term->access == ECS_UP) == (declared->access == ECS_UP) &&
        strcmp(schema->name, declared->component) == 0 &&
        strcmp(schema->fields[column->field].name, declared->field) == 0)
      return declared->type == (ecs_Scalar)column->type &&
             !scalar_is_held(declared->type) &&
             access_allows(term->access, declared->access) &&
             (trusted || declared->access != ECS_WRITE ||
              schema->fields[column->field].link == SCHEMA_NO_LINK);
  }
  return false;
}

static void binding_destroy(ecs_KernelBinding *binding) {
  LIVING_LEAVE(BINDING, binding);
  Memory *memory = &binding->query->store->memory;
  if (binding->columns != NULL)
    memory_free(memory, binding->columns,
                binding->kernel->column_count * sizeof(uint32_t));
  memory_free(memory, binding->blocks,
              binding->block_capacity * sizeof(ecs_KernelBlock));
  memory_free(memory, binding->pointers,
              binding->pointer_capacity * sizeof(void *));
  memory_free(memory, binding, sizeof(ecs_KernelBinding));
}

static ecs_KernelBinding *binding_create(ecs_Query *query,
                                         const ecs_Kernel *kernel) {
  Memory *memory = &query->store->memory;
  uint32_t count = kernel->column_count;
  ecs_KernelBinding *binding =
      memory_zeroed(memory, 1, sizeof(ecs_KernelBinding));
  if (binding == NULL) return NULL;
  LIVING_ENTER(BINDING, binding);
  *binding = (ecs_KernelBinding){
      .query = query, .kernel = kernel, .layout_version = UINT64_MAX};
  binding->columns = memory_zeroed(memory, count, sizeof(uint32_t));
  if (binding->columns != NULL || count == 0) return binding;
  binding_destroy(binding);
  return NULL;
}

ecs_Status kernel_bind(ecs_Query *query, const ecs_Kernel *kernel,
                       ecs_KernelBinding **binding, uint32_t *wrong) {
  ecs_KernelBinding *made = binding_create(query, kernel);
  if (made == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < kernel->column_count; i++) {
    if (find_column(query, kernel, &kernel->columns[i], &made->columns[i]))
      continue;
    if (wrong != NULL) *wrong = i;
    binding_destroy(made);
    return ECS_E_KERNEL;
  }
  made->next = query->bindings;
  query->bindings = made;
  *binding = made;
  return ECS_OK;
}

void kernel_unbind(ecs_KernelBinding *binding) {
  ecs_KernelBinding **link = &binding->query->bindings;
  while (*link != binding) {
    ECS_ASSERT(*link != NULL);
    link = &(*link)->next;
  }
  *link = binding->next;
  binding_destroy(binding);
}

void kernel_unbind_all(ecs_Query *query) {
  while (query->bindings != NULL) {
    ecs_KernelBinding *binding = query->bindings;
    query->bindings = binding->next;
    binding_destroy(binding);
  }
}

/* Blocks ---------------------------------------------------------------- */

static bool wants(const ecs_KernelBinding *binding, ecs_KernelFlag flag) {
  return (binding->kernel->flags & (uint32_t)flag) != 0;
}

/* Makes room for blocks and their column pointers, and for one row more.
 * ECS_E_MEMORY. */
static ecs_Status hold_blocks(ecs_KernelBinding *binding, uint32_t count) {
  Memory *memory = &binding->query->store->memory;
  uint64_t wanted =
      ((uint64_t)count + 1) * ((uint64_t)binding->kernel->column_count + 1);
  if (wanted > UINT32_MAX) return ECS_E_MEMORY;
  uint32_t pointers = (uint32_t)wanted;
  void *blocks = binding->blocks, *columns = binding->pointers;
  bool held = true;
  if (count > binding->block_capacity)
    held = memory_grow(memory, &blocks, &binding->block_capacity, 0, count,
                       sizeof(ecs_KernelBlock));
  binding->blocks = blocks;
  if (held && pointers > binding->pointer_capacity)
    held = memory_grow(memory, &columns, &binding->pointer_capacity, 0,
                       pointers, sizeof(void *));
  binding->pointers = columns;
  return held ? ECS_OK : ECS_E_MEMORY;
}

/* A table's column for a column of the kernel; NULL: the column is optional and
 * the table lacks it. */
static void *table_pointer(const ecs_KernelBinding *binding,
                           const SpanRows *rows, uint32_t index) {
  const ecs_Query *query = binding->query;
  uint32_t column = binding->columns[index];
  ECS_ASSERT(column < query->column_count);
  void *pointer = span_column(query, column, rows);
  ECS_ASSERT(pointer != NULL ||
             query->terms[query->columns[column].term].access == ECS_OPTIONAL);
  return pointer;
}

/* Checked builds: each cached block is still the rows and the columns of its
 * table. */
static ECS_ASSERT_ONLY bool blocks_hold(const ecs_KernelBinding *binding) {
  const ecs_Query *query = binding->query;
  uint32_t width = binding->kernel->column_count, listed = 0;
  for (uint32_t i = 0; i < query_span_count(query); i++) {
    SpanRows rows = query_span_rows(query, i, 0);
    if (rows.count == 0 || listed == binding->block_count) continue;
    const ecs_KernelBlock *block = &binding->blocks[listed++];
    if (block->count != rows.count) return false;
    for (uint32_t k = 0; k < width; k++)
      if (block->columns[k] != table_pointer(binding, &rows, k)) return false;
  }
  return listed == binding->block_count;
}

/* Lists the blocks of a full plan, which are its tables that have rows, unless
 * the list is valid. ECS_E_MEMORY: the list is not valid. */
static ecs_Status list_blocks(ecs_KernelBinding *binding) {
  const ecs_Query *query = binding->query;
  const Group *group = query->groups[0].group;
  uint32_t width = binding->kernel->column_count;
  uint32_t spans = query_span_count(query);
  if (binding->version == group->version &&
      binding->layout_version == query->store->layout_version) {
    ECS_ASSERT(blocks_hold(binding));
    return ECS_OK;
  }
  binding->layout_version = UINT64_MAX;
  ecs_Status status = hold_blocks(binding, spans);
  if (status != ECS_OK) return status;
  binding->block_count = 0;
  for (uint32_t i = 0; i < spans; i++) {
    SpanRows rows = query_span_rows(query, i, 0);
    if (rows.count == 0) continue;
    void **columns = binding->pointers + binding->block_count * width;
    for (uint32_t k = 0; k < width; k++)
      columns[k] = table_pointer(binding, &rows, k);
    binding->blocks[binding->block_count++] = (ecs_KernelBlock){
        .entities =
            wants(binding, ECS_KERNEL_ENTITIES) ? rows.table->entities : NULL,
        .columns = columns,
        .count = rows.count};
  }
  binding->version = group->version;
  binding->layout_version = query->store->layout_version;
  return ECS_OK;
}

/* Running --------------------------------------------------------------- */

/* In checked builds: makes NaNs with payloads quiet in every column that a
 * kernel may have written. ECS_E_NAN: there were some. */
static ecs_Status scan(const ecs_KernelBinding *binding,
                       const ecs_KernelBlock *blocks, uint32_t count) {
  uint32_t found = 0;
#ifdef ECS_CHECKED
  if ((binding->kernel->flags & KERNEL_TRUSTED) != 0) return ECS_OK;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < binding->kernel->column_count; k++) {
      const ecs_KernelColumn *column = &binding->kernel->columns[k];
      if (!access_writes(column->access) || blocks[i].columns[k] == NULL)
        continue;
      if (!scalar_is_float(column->type)) continue;
      found += ecs_scalar_canonicalize_many(column->type, blocks[i].columns[k],
                                            blocks[i].count);
    }
#else
  (void)binding;
  (void)blocks;
  (void)count;
#endif
  return found > 0 ? ECS_E_NAN : ECS_OK;
}

/* Runs a full plan: one call for all tables. */
static ecs_Status run_direct(ecs_KernelBinding *binding, ecs_KernelCall call) {
  ecs_Status status = list_blocks(binding);
  if (status != ECS_OK) return status;
  call.blocks = binding->blocks;
  call.block_count = binding->block_count;
  binding->kernel->run(&call);
  opened_tables(binding->query);
  return scan(binding, binding->blocks, binding->block_count);
}

/* The block of a batch. The listed blocks are overwritten; there is room. */
static void point_at_batch(ecs_KernelBinding *binding, const ecs_Batch *batch,
                           ecs_KernelBlock *block) {
  binding->layout_version = UINT64_MAX;
  for (uint32_t i = 0; i < binding->kernel->column_count; i++)
    binding->pointers[i] = batch->columns[binding->columns[i]];
  *block = (ecs_KernelBlock){.entities = batch->entities,
                             .columns = binding->pointers,
                             .count = batch->count};
}

ecs_Status kernel_block(ecs_KernelBinding *binding, const ecs_Batch *batch,
                        ecs_KernelBlock *block) {
  ecs_Status status = hold_blocks(binding, 1);
  if (status == ECS_OK) point_at_batch(binding, batch, block);
  return status;
}

ecs_Status kernel_table(ecs_KernelBinding *binding, Table *table,
                        ecs_KernelBlock *block) {
  SpanRows rows = {table, NULL, 0, table->count, true};
  ecs_Status status = hold_blocks(binding, 1);
  if (status != ECS_OK) return status;
  binding->layout_version = UINT64_MAX;
  for (uint32_t i = 0; i < binding->kernel->column_count; i++)
    binding->pointers[i] = table_pointer(binding, &rows, i);
  *block = (ecs_KernelBlock){.entities = table->entities,
                             .columns = binding->pointers,
                             .count = table->count};
  return ECS_OK;
}

/* Along a tree most columns are in place, and the few that are gathered leave
 * room for more rows in the nearest cache. */
static uint32_t slice_rows(const ecs_Query *query) {
  return query->links != NULL ? ECS_BLOCK_ROWS : ECS_SLICE_ROWS;
}

/* Runs any other plan: one call for each slice that a cursor hands out. */
static ecs_Status run_batches(ecs_KernelBinding *binding, ecs_KernelCall call) {
  Cursor cursor;
  ecs_Batch batch;
  ecs_KernelBlock block;
  ecs_Status status = hold_blocks(binding, 1);
  if (status != ECS_OK) return status;
  status = cursor_begin(binding->query, ECS_BATCH_WHOLE, &cursor);
  if (status != ECS_OK) return status;
  cursor.slice_rows = slice_rows(binding->query);
  cursor.without_entities = !wants(binding, ECS_KERNEL_ENTITIES);
  call.blocks = &block;
  call.block_count = 1;
  while (cursor_next(&cursor, &batch)) {
    point_at_batch(binding, &batch, &block);
    binding->kernel->run(&call);
    ecs_Status scanned = scan(binding, &block, 1);
    if (scanned != ECS_OK) status = scanned;
  }
  cursor_end(&cursor);
  return status;
}

ecs_Status kernel_run(ecs_KernelBinding *binding, const ecs_KernelCall *call) {
  ecs_Status status = query_plan(binding->query);
  if (status != ECS_OK) return status;
  if (query_is_direct(binding->query)) return run_direct(binding, *call);
  if (wants(binding, ECS_KERNEL_WHOLE_TABLES)) return ECS_E_KERNEL;
  return run_batches(binding, *call);
}

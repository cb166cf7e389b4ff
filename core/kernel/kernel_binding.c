/* kernel_binding.c: native kernels over a query's rows. */
#include "kernel/kernel_binding.h"

#include "base/float_mode.h"
#include "base/misuse.h"
#include "base/workers.h"
#include "query/opened.h"
#include "world/world.h"

/* Binding --------------------------------------------------------------- */

/* True: a term with this access may lend its column to a kernel that declares
 * that access. */
static bool access_allows(ecs_Access term, ecs_Access kernel) {
  if (kernel == ECS_UP) return term == ECS_UP;
  if (kernel == ECS_OPTIONAL) return term == ECS_OPTIONAL || term == ECS_WRITE;
  if (kernel == ECS_READ) return term == ECS_READ || term == ECS_WRITE;
  return kernel == ECS_WRITE && term == ECS_WRITE;
}

/* May a column be declared so? Only a program may have strings, as the numbers
 * that they are held under: a kernel could make a number that holds none. */
static bool has_type(ecs_Scalar declared, ecs_Scalar type, bool trusted) {
  return scalar_is_held(type) ? trusted && declared == scalar_plain(type)
                              : declared == type;
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
      return has_type(declared->type, (ecs_Scalar)column->type, trusted) &&
             access_allows(term->access, declared->access) &&
             (trusted || declared->access != ECS_WRITE ||
              schema->fields[column->field].link == SCHEMA_NO_LINK);
  }
  return false;
}

/* Arrays a kernel declares. */
static uint32_t array_count_of(const ecs_Kernel *kernel) {
  return kernel->arrays == NULL ? 0 : kernel->arrays->count;
}

static void binding_destroy(ecs_KernelBinding *binding) {
  LIVING_LEAVE(BINDING, binding);
  Memory *memory = &binding->query->store->memory;
  if (binding->columns != NULL)
    memory_free(memory, binding->columns,
                binding->kernel->column_count * sizeof(uint32_t));
  uint32_t arrays = array_count_of(binding->kernel);
  if (binding->arrays != NULL)
    memory_free(memory, binding->arrays, arrays * sizeof(ecs_Array *));
  if (binding->elements != NULL)
    memory_free(memory, binding->elements, arrays * sizeof(ecs_KernelElements));
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
  uint32_t arrays = array_count_of(kernel);
  if (arrays > 0) {
    binding->arrays = memory_zeroed(memory, arrays, sizeof(ecs_Array *));
    binding->elements =
        memory_zeroed(memory, arrays, sizeof(ecs_KernelElements));
  }
  if ((binding->columns != NULL || count == 0) &&
      ((binding->arrays != NULL && binding->elements != NULL) || arrays == 0))
    return binding;
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

ecs_Status kernel_use(ecs_KernelBinding *binding, ecs_Array *const *arrays,
                      uint32_t count, uint32_t *wrong) {
  const ecs_KernelArrays *declared = binding->kernel->arrays;
  if (wrong != NULL) *wrong = UINT32_MAX;
  if (count != array_count_of(binding->kernel)) return ECS_E_KERNEL;
  for (uint32_t k = 0; k < count; k++) {
    if (arrays[k] != NULL && declared->list[k].type == arrays[k]->type &&
        declared->list[k].dimensions == arrays[k]->dimensions &&
        arrays[k]->memory == &binding->query->store->memory)
      continue;
    if (wrong != NULL) *wrong = k;
    return ECS_E_KERNEL;
  }
  for (uint32_t k = 0; k < count; k++) binding->arrays[k] = arrays[k];
  binding->has_arrays = true;
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

/* Reads where the arrays of a kernel are now. */
static void find_elements(ecs_KernelBinding *binding, ecs_KernelCall *call) {
  call->arrays = binding->elements;
  for (uint32_t k = 0; k < array_count_of(binding->kernel); k++) {
    const ecs_Array *array = binding->arrays[k];
    ecs_KernelElements *elements = &binding->elements[k];
    *elements =
        (ecs_KernelElements){.elements = array->view.elements,
                             .dimensions = array->dimensions,
                             .type = array->type,
                             .access = binding->kernel->arrays->list[k].access};
    memcpy(elements->sizes, array->view.sizes, sizeof elements->sizes);
  }
}

#ifdef ECS_CHECKED
/* Does a kernel declare that it writes an array? */
static bool is_written(const ecs_KernelBinding *binding,
                       const ecs_Array *array) {
  for (uint32_t k = 0; k < array_count_of(binding->kernel); k++)
    if (binding->arrays[k] == array &&
        binding->kernel->arrays->list[k].access == ECS_WRITE)
      return true;
  return false;
}

uint64_t kernel_read_sum(const ecs_KernelBinding *binding) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < array_count_of(binding->kernel); k++) {
    const ecs_Array *array = binding->arrays[k];
    if (array == NULL || is_written(binding, array)) continue;
    const unsigned char *bytes = array->view.elements;
    size_t count = (size_t)array_count(array) * scalar_bytes(array->type);
    for (size_t i = 0; i < count; i++)
      sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3) + 1;
  }
  return sum;
}

/* Makes NaNs with payloads quiet in every array that a kernel may have written;
 * how many there were. */
static uint32_t scan_arrays(const ecs_KernelBinding *binding) {
  uint32_t found = 0;
  for (uint32_t k = 0; k < array_count_of(binding->kernel); k++) {
    const ecs_Array *array = binding->arrays[k];
    if (binding->kernel->arrays->list[k].access != ECS_WRITE ||
        !scalar_is_float(array->type))
      continue;
    found += ecs_scalar_canonicalize_many(array->type, array->view.elements,
                                          (uint32_t)array_count(array));
  }
  return found;
}
#endif

/* In checked builds: makes NaNs with payloads quiet in every column and array
 * that a kernel may have written. ECS_E_NAN: there were some. */
static ecs_Status scan(const ecs_KernelBinding *binding,
                       const ecs_KernelBlock *blocks, uint32_t count) {
  uint32_t found = 0;
#ifdef ECS_CHECKED
  if ((binding->kernel->flags & KERNEL_TRUSTED) != 0) return ECS_OK;
  found += scan_arrays(binding);
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

bool kernel_can_be_cut(const ecs_KernelBinding *binding) {
  return !wants(binding, ECS_KERNEL_WHOLE_TABLES) &&
         binding->kernel->column_count <= KERNEL_CUT_COLUMNS;
}

void kernel_run_rows(const ecs_KernelBinding *binding,
                     const ecs_KernelCall *call, const ecs_KernelBlock *block,
                     uint32_t first, uint32_t count) {
  const ecs_Kernel *kernel = binding->kernel;
  void *columns[KERNEL_CUT_COLUMNS];
  ECS_ASSERT(kernel->column_count <= KERNEL_CUT_COLUMNS);
  ecs_KernelBlock piece = {
      .entities = block->entities == NULL ? NULL : block->entities + first,
      .columns = columns,
      .count = count};
  ecs_KernelCall cut = *call;
  for (uint32_t k = 0; k < kernel->column_count; k++)
    columns[k] = block->columns[k] == NULL
                     ? NULL
                     : (char *)block->columns[k] +
                           first * scalar_bytes(kernel->columns[k].type);
  cut.blocks = &piece;
  cut.block_count = 1;
  kernel->run(&cut);
}

/* A run that several threads share. */
typedef struct SharedKernel {
  const ecs_KernelBinding *binding;
  const ecs_KernelCall *call; /* with all blocks */
  uint64_t rows, unit_rows;
} SharedKernel;

/* Runs a unit; a WorkersJob. */
static void run_kernel_unit(void *user, uint32_t worker, uint32_t unit) {
  const SharedKernel *shared = user;
  uint64_t first = unit * shared->unit_rows, end = first + shared->unit_rows;
  FloatMode mode = float_mode_begin();
  (void)worker;
  for (uint32_t k = 0; k < shared->call->block_count; k++) {
    const ecs_KernelBlock *block = &shared->call->blocks[k];
    uint64_t from = first < block->count ? first : block->count;
    uint64_t to = end < block->count ? end : block->count;
    if (from < to)
      kernel_run_rows(shared->binding, shared->call, block, (uint32_t)from,
                      (uint32_t)(to - from));
    first -= from;
    end -= to;
    if (end == 0) break;
  }
  float_mode_end(mode);
}

/* Does the kernel write arrays? Then its rows meet there. */
static bool writes_arrays(const ecs_Kernel *kernel) {
  for (uint32_t k = 0; k < array_count_of(kernel); k++)
    if (access_writes(kernel->arrays->list[k].access)) return true;
  return false;
}

/* Runs all blocks on several threads. False: nothing was run. */
static bool run_shared(const ecs_KernelBinding *binding,
                       const ecs_KernelCall *call) {
  SharedKernel shared = {.binding = binding, .call = call};
  uint32_t threads = world_of(binding->query)->threads;
  if (threads < 2 || !wants(binding, ECS_KERNEL_PARALLEL) ||
      !kernel_can_be_cut(binding) || writes_arrays(binding->kernel))
    return false;
  for (uint32_t k = 0; k < call->block_count; k++)
    shared.rows += call->blocks[k].count;
  if (shared.rows < 8 * ECS_SHARED_ROWS) return false; /* microseconds */
  shared.unit_rows = workers_unit_rows(shared.rows, ECS_SHARED_ROWS);
  uint32_t units = workers_units(shared.rows, shared.unit_rows);
  return workers_run(threads, units, run_kernel_unit, &shared);
}

/* Runs a full plan: one call for all tables, or several on other threads. */
static ecs_Status run_direct(ecs_KernelBinding *binding, ecs_KernelCall call) {
  ecs_Status status = list_blocks(binding);
  if (status != ECS_OK) return status;
  call.blocks = binding->blocks;
  call.block_count = binding->block_count;
  if (!run_shared(binding, &call)) binding->kernel->run(&call);
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

ecs_Status kernel_list(ecs_KernelBinding *binding) {
  ecs_Status status = query_plan(binding->query);
  if (status != ECS_OK) return status;
  ECS_ASSERT(query_is_direct(binding->query));
  return list_blocks(binding);
}

ecs_Status kernel_run(ecs_KernelBinding *binding, const ecs_KernelCall *call) {
  ecs_Status status = query_plan(binding->query);
  if (status != ECS_OK) return status;
  if (array_count_of(binding->kernel) > 0 && !binding->has_arrays)
    return ECS_E_KERNEL;
  ecs_KernelCall filled = *call;
  find_elements(binding, &filled);
  if (query_is_direct(binding->query)) return run_direct(binding, filled);
  if (wants(binding, ECS_KERNEL_WHOLE_TABLES)) return ECS_E_KERNEL;
  return run_batches(binding, filled);
}

/* program_rig.c: runs kernel programs where every wrong access is noticed. */
/* For mmap and its flags, which are not part of C. */
#define _DEFAULT_SOURCE
#include "ecs_array.h"
#include "program_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program/vm_ahead.h"
#include "program/vm_near.h"

#define CANARY_BYTES 64u
#define CANARY 0xc7

/* Worlds ------------------------------------------------------------------ */

static void must(ecs_Status status) {
  if (status == ECS_OK) return;
  fprintf(stderr, "rig: %s\n", ecs_status_name(status));
  abort();
}

static ecs_Component define(ecs_World *world, const char *name, uint32_t count,
                            ecs_Storage storage) {
  static const ecs_Field fields[] = {
      {"f32", ECS_F32, 0},   {"f64", ECS_F64, 0},       {"i16", ECS_I16, 0},
      {"bool", ECS_BOOL, 0}, {"entity", ECS_ENTITY, 0}, {"i8", ECS_I8, 0},
      {"u8", ECS_U8, 0},     {"u16", ECS_U16, 0},       {"i32", ECS_I32, 0},
      {"u32", ECS_U32, 0},   {"f32b", ECS_F32, 0},      {"f64b", ECS_F64, 0}};
  const ecs_ComponentDescription how = {
      .name = name, .fields = fields, .field_count = count, .storage = storage};
  ecs_Component component = 0;
  must(ecs_component(world, &how, &component));
  return component;
}

/* Gives the fields of R special values. */
static void set_looked_up(ecs_World *world, ecs_Component r,
                          const ecs_Entity *entities, uint32_t k) {
  Random random = {k};
  for (uint32_t field = 0; field < 12; field++) {
    ecs_FieldInfo info;
    uint64_t room = 0;
    must(ecs_component_field(world, r, field, &info));
    if (info.type == ECS_ENTITY)
      room = entities[random_below(&random, RIG_ENTITIES)];
    else
      ecs_scalar_convert(info.type, &room, random_number(&random));
    must(ecs_set_field(world, entities[k], r, field,
                       ecs_scalar_load(info.type, &room)));
  }
}

/* Gives N a place among a few that are near each other, and other fields of M
 * and N numbers. */
static void set_place(ecs_World *world, const Rig *rig, uint32_t k) {
  must(ecs_set_field(world, rig->entities[k], rig->n, 0, k * 7 % 5 * 0.5));
  must(ecs_set_field(world, rig->entities[k], rig->n, 1, k * 5 % 7 * 0.25));
  for (uint32_t field = 5; field < 10; field++) {
    must(ecs_set_field(world, rig->entities[k], rig->n, field, k));
    must(ecs_set_field(world, rig->entities[k], rig->m, field, 3 * k));
  }
}

static void make_grid(Rig *rig, uint32_t g, ecs_Component other,
                      ecs_GridDescription how) {
  const ecs_Term terms[] = {{rig->n, ECS_READ}, {other, ECS_READ}};
  ecs_Query *query = NULL;
  must(ecs_query_create(rig->world, terms, 2, &query));
  must(ecs_grid_create(query, &how, &rig->grids[g]));
  must(ecs_grid_build(rig->grids[g]));
}

static void make_grids(Rig *rig) {
  make_grid(rig, 0, rig->m,
            (ecs_GridDescription){
                .term = 0, .dimensions = 2, .fields = {0, 1}, .cell = 0.5});
  make_grid(rig, 1, rig->r,
            (ecs_GridDescription){
                .term = 1, .dimensions = 3, .fields = {1, 0, 11}, .cell = 2});
}

static void fill_world(Rig *rig, ecs_World *world) {
  rig->n = define(world, "N", 12, ECS_STORE_TABLE);
  rig->m = define(world, "M", 12, ECS_STORE_TABLE);
  rig->o = define(world, "O", 6, ECS_STORE_TABLE);
  rig->r = define(world, "R", 12, ECS_STORE_SPARSE);
  rig->tag = define(world, "T", 0, ECS_STORE_TABLE);
  rig->bits = define(world, "B", 0, ECS_STORE_BITS);
  for (uint32_t k = 0; k < RIG_ENTITIES; k++) {
    const ecs_Component both[] = {rig->n, rig->m};
    must(ecs_spawn(world, both, 2, NULL, &rig->entities[k]));
  }
  for (uint32_t k = 0; k < RIG_ENTITIES; k++) {
    set_place(world, rig, k);
    if (k % 3 == 0) must(ecs_add(world, rig->entities[k], rig->tag, NULL));
    if (k % 4 == 0) must(ecs_add(world, rig->entities[k], rig->bits, NULL));
    if (k % 2 == 0) set_looked_up(world, rig->r, rig->entities, k);
  }
}

void rig_init(Rig *rig) {
  memset(rig, 0, sizeof *rig);
  must(ecs_world_create(NULL, &rig->world));
  must(ecs_world_create(NULL, &rig->twin));
  fill_world(rig, rig->twin);
  fill_world(rig, rig->world);
  const ecs_Term terms[] = {
      {rig->n, ECS_WRITE}, {rig->m, ECS_READ}, {rig->o, ECS_OPTIONAL}};
  must(ecs_query_create(rig->world, terms, 3, &rig->query));
  make_grids(rig);
}

void rig_deinit(Rig *rig) {
  ecs_world_destroy(rig->world);
  ecs_world_destroy(rig->twin);
}

/* What was counted stays. */
static void set_up_again(Rig *rig) {
  Rig old = *rig;
  rig_deinit(rig);
  rig_init(rig);
  memcpy(rig->made, old.made, sizeof old.made);
  rig->parts = old.parts;
  memcpy(rig->shown, old.shown, sizeof old.shown);
  rig->puts = old.puts;
  rig->seen = old.seen;
  rig->ahead = old.ahead;
  rig->stops = old.stops;
  rig->failures = old.failures;
}

ecs_Status rig_create(Rig *rig, const char *text, size_t length,
                      ecs_Program **program) {
  ecs_Status status = ECS_E_LIMIT;
  for (int tries = 0; tries < 2 && status == ECS_E_LIMIT; tries++) {
    if (rig->worn) set_up_again(rig);
    status = ecs_program_create(rig->query, text, length, program, rig->message,
                                sizeof rig->message);
    rig->worn = status == ECS_E_LIMIT; /* of bundles, perhaps */
  }
  return status;
}

/* Guarded memory ---------------------------------------------------------- */

typedef struct Guarded {
  unsigned char *pages;
  size_t bytes; /* of pages, without the guard page */
} Guarded;

/* One for each column of each block, and one for its entities; made once. */
static Guarded guarded[RIG_BLOCKS][ECS_DECLARATION_LIMIT + 1];

static void *guarded_take(Guarded *room, size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t wanted = (bytes + CANARY_BYTES + page - 1) / page * page;
  if (room->bytes < wanted) {
    if (room->pages != NULL) munmap(room->pages, room->bytes + page);
    room->pages = mmap(NULL, wanted + page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room->pages == MAP_FAILED) abort();
    if (mprotect(room->pages + wanted, page, PROT_NONE) != 0) abort();
    room->bytes = wanted;
  }
  unsigned char *start = room->pages + room->bytes - bytes;
  memset(start - CANARY_BYTES, CANARY, CANARY_BYTES);
  return start;
}

static bool canary_lives(const void *place) {
  const unsigned char *before = (const unsigned char *)place - CANARY_BYTES;
  for (uint32_t k = 0; k < CANARY_BYTES; k++)
    if (before[k] != CANARY) return false;
  return true;
}

/* A run ------------------------------------------------------------------- */

typedef struct Session {
  Rig *rig;
  ecs_Program *program;
  RigCuts cuts;
  Random random;
  Reference reference;
  void (*run)(const ecs_KernelCall *call); /* what the library would call */
  void *columns[RIG_BLOCKS][ECS_DECLARATION_LIMIT];
  void *expected[RIG_BLOCKS][ECS_DECLARATION_LIMIT];
  ecs_KernelBlock blocks[RIG_BLOCKS];
  bool made; /* the blocks */
  bool calm; /* columns have no special values */
  bool right;
  uint32_t parts; /* so many were run */
  uint32_t ahead; /* so many of them left rows computed ahead */
} Session;

/* The session that runs. It is global, as the user pointer of the call belongs
 * to the VM. */
static Session *current;

static void differs(Session *session, const char *part, uint32_t index,
                    uint32_t row, double have, double want) {
  if (session->right)
    snprintf(session->rig->message, sizeof session->rig->message,
             "%s %u, row %u: %a, not %a", part, index, row, have, want);
  session->right = false;
}

static ReductionKind reduction_kind(const ecs_Program *program, uint32_t k) {
  return program->reductions[k] == OPERATION_SUM     ? REDUCTION_SUM
         : program->reductions[k] == OPERATION_LEAST ? REDUCTION_LEAST
                                                     : REDUCTION_GREATEST;
}

static ecs_Entity some_entity(Session *session) {
  uint32_t kind = random_below(&session->random, 10);
  ecs_Entity entity =
      session->rig->entities[random_below(&session->random, RIG_ENTITIES)];
  if (kind == 0) return 0;
  if (kind == 1) return entity + (UINT64_C(1) << 28);
  if (kind == 2) return random_bits(&session->random) >> 12;
  return entity;
}

static void fill_column(Session *session, ecs_Scalar type, char *column,
                        uint32_t count) {
  uint32_t bytes = scalar_bytes(type);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t bits = random_bits(&session->random);
    double number = random_number(&session->random);
    if (session->calm) number = (double)(bits % 1000) / 8 - 50;
    if (type == ECS_ENTITY)
      bits = some_entity(session);
    else if (session->calm || bits % 8 != 0)
      ecs_scalar_convert(type, &bits, number);
    else
      scalar_canonicalize(type, &bits);
    memcpy(column + (size_t)i * bytes, &bits, bytes);
  }
}

/* Is a column absent? Those of one component that are declared one after the
 * other are there together. */
static bool some_absent(Session *session, uint32_t b, uint32_t c) {
  const ecs_KernelColumn *columns = session->program->columns;
  if (columns[c].access != ECS_OPTIONAL) return false;
  if (c > 0 && columns[c - 1].access == ECS_OPTIONAL &&
      columns[c - 1].component == columns[c].component)
    return session->columns[b][c - 1] == NULL;
  return random_chance(&session->random, 40);
}

static void make_block(Session *session, uint32_t b, ecs_KernelBlock *block) {
  const ecs_Program *program = session->program;
  uint32_t count = session->cuts.counts[b];
  ecs_Entity *entities = guarded_take(&guarded[b][program->column_count],
                                      count * sizeof(ecs_Entity));
  for (uint32_t i = 0; i < count; i++)
    entities[i] =
        session->rig->entities[random_below(&session->random, RIG_ENTITIES)];
  for (uint32_t c = 0; c < program->column_count; c++) {
    ecs_Scalar type = program->columns[c].type;
    size_t bytes = (size_t)count * scalar_bytes(type);
    session->columns[b][c] = session->expected[b][c] = NULL;
    if (some_absent(session, b, c)) continue;
    session->columns[b][c] = guarded_take(&guarded[b][c], bytes);
    session->expected[b][c] = malloc(bytes + 1);
    fill_column(session, type, session->columns[b][c], count);
    memcpy(session->expected[b][c], session->columns[b][c], bytes);
  }
  *block = (ecs_KernelBlock){entities, session->columns[b], count, 0};
}

static void run_reference_row(Session *session, uint32_t b,
                              const ecs_KernelBlock *block, uint32_t i) {
  void *row[ECS_DECLARATION_LIMIT];
  const ecs_Program *program = session->program;
  for (uint32_t c = 0; c < program->column_count; c++) {
    char *column = session->expected[b][c];
    uint32_t bytes = scalar_bytes(program->columns[c].type);
    row[c] = column == NULL ? NULL : column + (size_t)i * bytes;
  }
  reference_row(&session->reference, block->entities[i], row);
}

static bool same_number(double a, double b) {
  return (a != a && b != b) || memcmp(&a, &b, sizeof a) == 0;
}

/* Is a NaN quiet and without payload? It may have a sign. Scripts would see
 * other bits. */
static bool is_plain(ecs_Scalar type, const void *element) {
  uint32_t word;
  uint64_t twin;
  memcpy(&word, element, sizeof word);
  if (type == ECS_F32)
    return (word & 0x7fffffffu) <= 0x7f800000u ||
           (word & 0x7fffffffu) == SCALAR_QUIET_F32;
  memcpy(&twin, element, sizeof twin);
  return (twin & INT64_MAX) <= UINT64_C(0x7ff0000000000000) ||
         (twin & INT64_MAX) == SCALAR_QUIET_F64;
}

static void compare_column(Session *session, uint32_t b, uint32_t c) {
  ecs_Scalar type = session->program->columns[c].type;
  uint32_t bytes = scalar_bytes(type);
  const char *have = session->columns[b][c], *want = session->expected[b][c];
  if (have == NULL) return;
  if (!canary_lives(have)) differs(session, "canary of column", c, 0, 0, 0);
  for (uint32_t i = 0; i < session->cuts.counts[b]; i++) {
    const void *h = have + (size_t)i * bytes, *w = want + (size_t)i * bytes;
    double x = ecs_scalar_load(type, h), y = ecs_scalar_load(type, w);
    bool same = scalar_is_float(type) ? same_number(x, y) && is_plain(type, h)
                                      : memcmp(h, w, bytes) == 0;
    if (!same) differs(session, "column", c, i, x, y);
  }
}

static void compare_columns(Session *session) {
  for (uint32_t b = 0; b < session->cuts.block_count; b++)
    for (uint32_t c = 0; c < session->program->column_count; c++) {
      compare_column(session, b, c);
      free(session->expected[b][c]);
    }
}

/* Runs the program on the made-up rows, which are made first. */
static void run_program(Session *session, const ecs_KernelCall *call) {
  ecs_KernelCall mine = *call;
  mine.blocks = session->blocks;
  mine.block_count = session->cuts.block_count;
  session->run(&mine);
}

static void make_blocks(Session *session) {
  for (uint32_t b = 0; b < session->cuts.block_count && !session->made; b++)
    make_block(session, b, &session->blocks[b]);
  session->made = true;
}

/* A visit stores nothing. */
static void visit_session(const ecs_KernelCall *call) {
  Session *session = current;
  make_blocks(session);
  run_program(session, call);
  for (uint32_t b = 0; b < session->cuts.block_count; b++)
    for (uint32_t c = 0; c < session->program->column_count; c++)
      compare_column(session, b, c);
}

static void run_session(const ecs_KernelCall *call) {
  Session *session = current;
  make_blocks(session);
  for (uint32_t b = 0; b < session->cuts.block_count; b++)
    for (uint32_t i = 0; i < session->blocks[b].count; i++)
      run_reference_row(session, b, &session->blocks[b], i);
  run_program(session, call);
  compare_columns(session);
}

/* Runs in parts ----------------------------------------------------------- */

/* Compares where a part has ended, and runs the reference as far. */
static void compare_part(Session *session, uint32_t b,
                         const ecs_KernelBlock *block,
                         const ProgramPart *part) {
  Reference *reference = &session->reference;
  uint32_t i = part->first;
  while (i < block->count && !reference->stopped && reference->status == ECS_OK)
    run_reference_row(session, b, block, i++);
  if (reference->status != ECS_OK) return;
  if (reference->stopped) i--;
  if (part->end != i || (part->taken > 0) != reference->stopped)
    differs(session, "end of part in block", b, part->first, part->end, i);
  for (uint32_t k = 1; k < part->taken; k++)
    run_reference_row(session, b, block, part->end + k);
  if (reference->taken < part->taken)
    differs(session, "rows taken in block", b, part->end, part->taken,
            (double)reference->taken);
  session->rig->stops += reference->cannot_change;
  reference->rows += part->taken;
  reference->stopped = reference->taken_ends = reference->cannot_change = false;
  reference->taken = 0;
}

/* Folds a reduction that is not ordered. */
static void fold(const ecs_Program *program, uint32_t k, Reduction *sums) {
  if (!operation_is_ordered(program->reductions[k]))
    reduction_fold(&sums[k], reduction_kind(program, k));
}

/* Runs a block in parts; rows that take the exit are left out. */
static ecs_Status run_block_parts(Session *session, const ecs_ProgramCall *call,
                                  uint32_t b, ProgramPart *part) {
  const ecs_Program *program = session->program;
  const ecs_KernelBlock block = session->blocks[b];
  void *columns[64] = {NULL};
  for (uint32_t c = 0; c < program->column_count; c++)
    columns[program->binding->columns[c]] = session->columns[b][c];
  const ecs_Batch batch = {block.count, 64, block.entities, columns};
  part->batch = &batch;
  for (part->first = 0; part->first < block.count && session->right;) {
    ecs_Status status = ecs_program_run_part(session->program, call, part);
    compare_part(session, b, &block, part);
    if (status != session->reference.status)
      differs(session, "status of part in block", b, part->first, status,
              session->reference.status);
    if (status != ECS_OK) return status;
    uint64_t from = part->before + part->end, to = from + part->taken;
    for (uint32_t k = 0; k < program->reduction_count &&
                         from / REDUCTION_ROWS != to / REDUCTION_ROWS;
         k++)
      fold(program, k, part->reductions);
    part->first = part->end + part->taken;
    session->parts++;
    session->ahead += program->ahead != NULL && program->ahead->rows > 0;
  }
  part->before += block.count;
  return ECS_OK;
}

static ecs_Status run_parts(Session *session, const ecs_ProgramCall *call) {
  const ecs_Program *program = session->program;
  static Reduction sums[ECS_DECLARATION_LIMIT];
  ProgramPart part = {.reductions = sums, .changed = true};
  ecs_Cursor cursor;
  uint32_t count = session->cuts.block_count;
  ecs_Status status = ECS_OK;
  make_blocks(session);
  for (uint32_t k = 0; k < program->reduction_count; k++)
    if (operation_is_ordered(program->reductions[k]))
      sums[k].total = call->reductions[k];
    else
      reduction_begin(&sums[k], reduction_kind(program, k));
  must(ecs_query_begin(session->rig->query, ECS_BATCH_WHOLE, &cursor));
  for (session->cuts.block_count = 0;
       session->cuts.block_count < count && status == ECS_OK;)
    status = run_block_parts(session, call, session->cuts.block_count++, &part);
  if (status != ECS_OK) ecs_cursor_discard(&cursor);
  if (status == ECS_OK) status = ecs_cursor_end(&cursor);
  session->cuts.block_count = count; /* all of them were made */
  compare_columns(session);
  for (uint32_t k = 0; k < program->reduction_count; k++) {
    fold(program, k, sums);
    call->reductions[k] = sums[k].total;
  }
  return status;
}

/* Can the program run while a cursor over the query is open? */
static bool runs_in_parts(const Rig *rig, const ecs_Program *program) {
  for (uint32_t k = 0; k < program->code_count; k++) {
    const Instruction *ins = &program->code[k];
    if (ins->operation == OPERATION_GET &&
        (ins->index == rig->n || ins->index == rig->o))
      return false;
  }
  return true;
}

/* Arrays ------------------------------------------------------------------ */

/* Most elements of an array. */
#define ARRAY_ROOM 40u

/* By array and place: was the element's key shown by the last visit? */
static bool kept_elements[ECS_DECLARATION_LIMIT][ARRAY_ROOM];

/* The elements of each array, and which of them are present. */
static Guarded guarded_arrays[ECS_DECLARATION_LIMIT][2];

static int32_t some_first(Random *random, uint32_t count) {
  uint32_t kind = random_below(random, 20);
  if (kind == 0) return INT32_MIN;
  if (kind == 1) return (int32_t)(INT32_MAX - count + (count > 0));
  return (int32_t)random_below(random, 7) - 3;
}

/* Stores the same random numbers in an array of both worlds, of this type, and
 * what they read as in elements. */
static const ecs_Array *place_array(Session *session, uint32_t a,
                                    ecs_Scalar type, double *elements,
                                    const uint32_t *sizes) {
  uint32_t count = sizes[0] * sizes[1] * sizes[2];
  ecs_World *worlds[] = {session->rig->world, session->rig->twin};
  char name[32];
  ecs_Array *array = NULL;
  uint64_t state = session->random.state;
  snprintf(name, sizeof name, "%s %u", ecs_scalar_name(type), a);
  for (int w = 0; w < 2; w++) {
    const ecs_ArrayDescription how = {
        name, type, 3, {sizes[0], sizes[1], sizes[2]}};
    array = ecs_array_find(worlds[w], name);
    must(array == NULL ? ecs_array(worlds[w], &how, &array)
                       : ecs_array_resize(array, how.sizes));
    session->random.state = state;
    for (uint32_t k = 0; k < count; k++) {
      char *element =
          (char *)ecs_array_view(array)->elements + k * ecs_scalar_bytes(type);
      ecs_scalar_convert(type, element, random_number(&session->random));
      elements[k] = ecs_scalar_load(type, element);
    }
  }
  return ecs_array_find(session->rig->world, name);
}

/* An array of the world; its copy is for the reference. It may be one that
 * another declaration has, too. */
static ecs_ProgramArray make_placed_array(Session *session, uint32_t a,
                                          const ecs_ProgramArray *before) {
  static double elements[ECS_DECLARATION_LIMIT][ARRAY_ROOM];
  const uint32_t sizes[] = {1 + random_below(&session->random, 5),
                            1 + random_below(&session->random, 4),
                            1 + random_below(&session->random, 2)};
  for (uint32_t k = 0; k < a; k++)
    if (array_scalar(session->program, k) ==
            array_scalar(session->program, a) &&
        random_chance(&session->random, 50))
      return before[k];
  return (ecs_ProgramArray){
      elements[a], NULL, 1, sizes[0] * sizes[1] * sizes[2],
      place_array(session, a, array_scalar(session->program, a), elements[a],
                  sizes)};
}

/* An array that ends before a page without access. */
static ecs_ProgramArray make_array(Session *session, uint32_t a) {
  Random *random = &session->random;
  uint32_t count =
      random_below(random, random_chance(random, 20) ? ARRAY_ROOM : 10);
  double *elements =
      guarded_take(&guarded_arrays[a][0], count * sizeof(double));
  uint8_t *present = guarded_take(&guarded_arrays[a][1], count);
  for (uint32_t k = 0; k < count; k++) {
    elements[k] = random_number(random);
    if (random_chance(random, 40))
      elements[k] = (double)random_below(random, 9) - 2;
    if (array_kind(session->program, a) == UNIFORM_ENTITY)
      elements[k] = (double)some_entity(session);
    if (random_chance(random, 3)) {
      const uint64_t odd = UINT64_C(0x7ff4000000000001);
      memcpy(&elements[k], &odd, sizeof odd); /* a NaN with a payload */
    }
    present[k] = (uint8_t)(random_chance(random, 80) ? 1 + k : 0);
  }
  if (count == 0 && random_chance(random, 50)) elements = NULL;
  return (ecs_ProgramArray){elements,
                            random_chance(random, 50) ? NULL : present,
                            some_first(random, count), count, NULL};
}

/* Visits ------------------------------------------------------------------ */

/* Keeps the elements at keys that a visit shows: the arrays of the run have
 * others where the visit shows none. user: these arrays. */
static void keep_elements(void *user, uint32_t array, const double *keys,
                          uint32_t count) {
  const ecs_ProgramArray *from = (const ecs_ProgramArray *)user + array;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < from->count; k++)
      if (keys[i] == (double)from->first + k) kept_elements[array][k] = true;
}

/* The elements of an array with others in place of those that are not kept. */
static void spoil_array(uint32_t a, ecs_ProgramArray *array) {
  static double elements[ECS_DECLARATION_LIMIT][ARRAY_ROOM];
  static uint8_t present[ECS_DECLARATION_LIMIT][ARRAY_ROOM];
  for (uint32_t k = 0; k < array->count; k++) {
    bool kept = kept_elements[a][k];
    elements[a][k] = kept ? array->elements[k] : 12345.0 + k;
    present[a][k] = array->present == NULL || array->present[k] != 0;
    if (!kept) present[a][k] = !present[a][k];
  }
  if (array->count > 0) array->elements = elements[a];
  array->present = present[a];
}

/* Leaves only those elements in the arrays of a run that a visit shows: in one
 * array after the other, where visits find those before as they are left. */
static void visit(Session *session, const ecs_ProgramCall *call,
                  ecs_ProgramArray *arrays) {
  ecs_ProgramCall mine = *call;
  mine.arrays = arrays;
  current = session;
  session->program->kernel.run = visit_session;
  for (uint32_t a = 0; a < call->array_count; a++) {
    mine.array_count =
        a == 0 || random_chance(&session->random, 70) ? a : a - 1;
    if (!program_visits(session->program, a, mine.array_count)) continue;
    memset(kept_elements, 0, sizeof kept_elements);
    must(program_visit(session->program, &mine, keep_elements, arrays));
    if (arrays[a].array == NULL) spoil_array(a, &arrays[a]);
    session->rig->shown[mine.array_count > 0 &&
                        session->program->plan->keys_follow[a] > 0]++;
  }
  session->program->kernel.run = session->run;
  current = NULL;
}

/* Afterwards -------------------------------------------------------------- */

/* Makes the changes that the reference has listed. */
static void change_twin(Session *session) {
  ecs_World *twin = session->rig->twin;
  for (uint32_t k = 0; k < session->reference.change_count; k++) {
    const ReferenceChange *change = &session->reference.changes[k];
    ecs_Component component = change->ins->index;
    ecs_Status status = change->ins->operation == OPERATION_DESTROY
                            ? ecs_destroy(twin, change->entity)
                        : change->ins->operation == OPERATION_ADD
                            ? ecs_add(twin, change->entity, component, NULL)
                            : ecs_remove(twin, change->entity, component);
    if (status != ECS_E_DEAD) must(status);
  }
}

/* Destroys an entity of both worlds, if it is alive. */
static void destroy_in_both(Rig *rig, ecs_Entity entity) {
  if (ecs_destroy(rig->world, entity) != ecs_destroy(rig->twin, entity))
    abort();
}

/* Replaces entities that the program destroyed, as long as there are handles:
 * the tiny build has few. */
static void repair(Rig *rig) {
  for (uint32_t k = 0; k < RIG_ENTITIES; k++) {
    const ecs_Component both[] = {rig->n, rig->m};
    ecs_Entity other = 0;
    if (ecs_alive(rig->world, rig->entities[k])) continue;
    ecs_Status status = ecs_spawn(rig->world, both, 2, NULL, &rig->entities[k]);
    ecs_Status same = ecs_spawn(rig->twin, both, 2, NULL, &other);
    if (status != same || (status == ECS_OK && other != rig->entities[k]))
      abort();
    if (status != ECS_OK) rig->worn = true;
  }
}

/* How many rows in a row take the exit is only known within a block. */
static void compare_stop(Session *session, const ecs_ProgramStop *stop) {
  const Reference *reference = &session->reference;
  bool local = session->program->exits_locally;
  if ((stop->count > 0) != reference->stopped ||
      (stop->count > 0 && stop->row != reference->rows) ||
      stop->count > (local ? reference->taken : 1))
    differs(session, "stop", (uint32_t)stop->row, (uint32_t)stop->count,
            reference->rows, (double)reference->taken);
}

/* Does a run say which row has an endless cycle, as the reference does? */
static void compare_outcome(Session *session, ecs_Status status,
                            const ecs_ProgramStop *stop) {
  const Reference *reference = &session->reference;
  bool endless = status == ECS_E_TURNS;
  if (status != ECS_OK && !endless) return;
  if (stop->line != (endless ? reference->endless : 0) ||
      stop->endless != (endless ? reference->endless_entity : 0) ||
      (endless && stop->row != reference->rows))
    differs(session, "endless", stop->line, (uint32_t)stop->row,
            reference->endless, (double)reference->rows);
}

/* The changes of a run that failed are taken back. */
static void compare_structure(Session *session, ecs_Status status) {
  Rig *rig = session->rig;
  Reference *reference = &session->reference;
  if (!session->program->changes_first) change_twin(session);
  if (reference->status != ECS_OK)
    ecs_defer_discard(rig->twin);
  else
    reference->status = ecs_defer_end(rig->twin);
  if (status != reference->status)
    differs(session, "status", 0, 0, status, reference->status);
  if (!session->program->changes_structure) return;
  if (ecs_world_hash(rig->world) != ecs_world_hash(rig->twin))
    differs(session, "structure", 0, 0, 0, 0);
  if (!session->right) return;
  for (uint32_t k = 0; k < reference->change_count; k++)
    if (reference->changes[k].ins->operation == OPERATION_SPAWN)
      destroy_in_both(rig, reference->changes[k].entity);
  repair(rig);
}

/* After a failure, those in order are of the rows that were stored. */
static void compare_reductions(Session *session, const double *reductions,
                               bool failed) {
  for (uint32_t r = 0; r < session->program->reduction_count; r++) {
    if (failed && !operation_is_ordered(session->program->reductions[r]))
      continue;
    double want = reference_reduction(&session->reference, r);
    if (!same_number(reductions[r], want))
      differs(session, "reduction", r, 0, reductions[r], want);
  }
}

/* Gives the other world's array the elements of this one. */
static void copy_to_twin(const Session *session, const ecs_Array *array) {
  ecs_ArrayDescription how;
  ecs_array_describe(array, &how);
  const ecs_Array *twin = ecs_array_find(session->rig->twin, how.name);
  memcpy(ecs_array_view(twin)->elements, ecs_array_view(array)->elements,
         (size_t)how.sizes[0] * how.sizes[1] * how.sizes[2] *
             ecs_scalar_bytes(how.type));
}

/* Are the elements of arrays of the world those of the reference's copies? Not
 * where changes have failed: the reference has run further, or less far. */
static void compare_arrays(Session *session, const ecs_ProgramArray *arrays,
                           ecs_Status status) {
  for (uint32_t a = 0; a < session->program->array_count; a++) {
    if (arrays[a].array == NULL) continue;
    copy_to_twin(session, arrays[a].array);
    if (status != ECS_OK && status != ECS_E_TURNS) continue;
    ecs_Scalar type = array_scalar(session->program, a);
    const char *elements = ecs_array_view(arrays[a].array)->elements;
    for (uint32_t k = 0; k < arrays[a].count; k++) {
      const char *element = elements + k * ecs_scalar_bytes(type);
      double have = ecs_scalar_load(type, element);
      if (!same_number(have, arrays[a].elements[k]) ||
          (scalar_is_float(type) && !is_plain(type, element)))
        differs(session, "element of array", a, k, have, arrays[a].elements[k]);
    }
  }
}

static ecs_Status run_whole(Session *session, const ecs_ProgramCall *call) {
  ecs_Program *program = session->program;
  current = session;
  program->kernel.run = run_session;
  ecs_Status status = ecs_program_run(program, call);
  program->kernel.run = session->run;
  current = NULL;
  compare_outcome(session, status, call->stop);
  if (status == ECS_OK) compare_stop(session, call->stop);
  return status;
}

bool rig_run(Rig *rig, ecs_Program *program, const RigCuts *cuts,
             uint64_t seed) {
  static double uniforms[ECS_DECLARATION_LIMIT];
  static double reductions[ECS_DECLARATION_LIMIT];
  static ecs_ProgramArray arrays[ECS_DECLARATION_LIMIT];
  static ecs_ProgramArray left[ECS_DECLARATION_LIMIT];
  static Session one;
  static ecs_Grid *grids[ECS_DECLARATION_LIMIT];
  for (uint32_t k = 0; k < program->grid_count; k++)
    grids[k] = rig->grids[program->grids[k] - 2];
  memset(&one, 0, sizeof one);
  one.rig = rig;
  one.program = program;
  one.cuts = *cuts;
  for (uint32_t b = 0; b < RIG_BLOCKS && program->changes_structure; b++)
    if (one.cuts.counts[b] > RIG_CHANGED_ROWS)
      one.cuts.counts[b] = RIG_CHANGED_ROWS;
  one.random.state = seed;
  one.right = true;
  one.calm = random_chance(&one.random, 30);
  one.run = program->kernel.run;
  for (uint32_t k = 0; k < program->uniform_count; k++)
    uniforms[k] = uniform_kind(program, k) == UNIFORM_ENTITY
                      ? (double)some_entity(&one)
                      : random_number(&one.random);
  for (uint32_t k = 0; k < program->reduction_count; k++)
    reductions[k] = random_number(&one.random);
  for (uint32_t k = 0; k < program->array_count; k++)
    left[k] = arrays[k] = array_scalar(program, k) == ECS_SCALAR_COUNT
                              ? make_array(&one, k)
                              : make_placed_array(&one, k, arrays);
  ecs_ProgramStop stop;
  ecs_ProgramCall call = {.uniforms = uniforms,
                          .reductions = reductions,
                          .uniform_count = program->uniform_count,
                          .reduction_count = program->reduction_count,
                          .random_key = seed,
                          .stop = &stop,
                          .arrays = arrays,
                          .array_count = program->array_count,
                          .grid_count = program->grid_count,
                          .grids = grids};
  bool parts = random_chance(&one.random, 30) && runs_in_parts(rig, program);
  if (!parts && random_chance(&one.random, 30))
    call.first = random_below(&one.random, 2 * cuts->counts[0] + 2);
  reference_begin(&one.reference, program, rig->twin, &call);
  one.reference.claimed[0] = rig->n;
  one.reference.claimed[1] = rig->m;
  one.reference.claimed[2] = rig->o;
  if (!near_fits(program, &call)) {
    reference_end(&one.reference);
    return true;
  }
  must(ecs_defer_begin(rig->twin));
  ecs_ProgramCall mine = call;
  mine.arrays = left;
  visit(&one, &call, left);
  ecs_Status status = parts ? run_parts(&one, &mine) : run_whole(&one, &mine);
  compare_arrays(&one, arrays, status);
  compare_structure(&one, status);
  compare_reductions(&one, reductions, status != ECS_OK);
  rig->puts += one.reference.puts;
  rig->seen += program->sees_puts && one.reference.puts > 0;
  for (uint32_t k = 0; k < OPERATION_COUNT; k++)
    rig->made[k] += one.reference.made[k];
  rig->stops += one.reference.cannot_change;
  rig->parts += one.parts;
  rig->ahead += one.ahead;
  rig->failures += status != ECS_OK;
  reference_end(&one.reference);
  return one.right;
}

/* program_rig.c: runs kernel programs where every wrong access is noticed. */
/* For mmap and its flags, which are not part of C. */
#define _DEFAULT_SOURCE
#include "program_rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CANARY_BYTES 64u
#define CANARY 0xc7

/* Numbers ----------------------------------------------------------------- */

uint64_t random_bits(Random *random) {
  uint64_t x = random->state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

uint32_t random_below(Random *random, uint32_t below) {
  return (uint32_t)((random_bits(random) >> 32) * below >> 32);
}

bool random_chance(Random *random, uint32_t percent) {
  return random_below(random, 100) < percent;
}

double random_number(Random *random) {
  static const double special[] = {0.0,
                                   -0.0,
                                   1.0,
                                   -1.0,
                                   0.5,
                                   -0.5,
                                   2.0,
                                   3.0,
                                   -7.0,
                                   0.1,
                                   1e-310,
                                   -1e-42,
                                   0x1p-126,
                                   0x1p-149,
                                   0x1.fffffep127,
                                   0x1.ffffffp127,
                                   1e300,
                                   -1e300,
                                   HUGE_VAL,
                                   -HUGE_VAL,
                                   NAN,
                                   127.0,
                                   127.5,
                                   128.0,
                                   -128.9,
                                   255.0,
                                   256.0,
                                   32767.0,
                                   65535.9,
                                   -32769.0,
                                   2147483647.0,
                                   2147483648.0,
                                   -2147483649.0,
                                   4294967295.0,
                                   4294967296.0,
                                   16777217.0,
                                   9007199254740993.0,
                                   0x1p20,
                                   0x1p70,
                                   1.5707963267948966,
                                   -3.0,
                                   100.25};
  uint32_t kind = random_below(random, 10);
  if (kind < 4)
    return special[random_below(random, sizeof special / sizeof *special)];
  if (kind < 6) return (double)random_below(random, 21) - 10.0;
  double unit = (double)(random_bits(random) >> 11) * 0x1p-53 - 0.5;
  return ldexp(unit, (int)random_below(random, kind < 9 ? 12 : 80));
}

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
  const ecs_ComponentDescription how = {name, fields, count, storage};
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
}

void rig_deinit(Rig *rig) {
  ecs_world_destroy(rig->world);
  ecs_world_destroy(rig->twin);
}

ecs_Status rig_create(Rig *rig, const char *text, size_t length,
                      ecs_Program **program) {
  if (rig->worn) {
    rig_deinit(rig);
    rig_init(rig);
  }
  return ecs_program_create(rig->query, text, length, program, rig->message,
                            sizeof rig->message);
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
  bool calm; /* columns have no special values */
  bool right;
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
    if (program->columns[c].access == ECS_OPTIONAL &&
        random_chance(&session->random, 40))
      continue;
    session->columns[b][c] = guarded_take(&guarded[b][c], bytes);
    session->expected[b][c] = malloc(bytes + 1);
    fill_column(session, type, session->columns[b][c], count);
    memcpy(session->expected[b][c], session->columns[b][c], bytes);
  }
  *block = (ecs_KernelBlock){entities, session->columns[b], count, 0};
}

static void run_reference(Session *session, uint32_t b,
                          const ecs_KernelBlock *block) {
  void *row[ECS_DECLARATION_LIMIT];
  const ecs_Program *program = session->program;
  for (uint32_t i = 0; i < block->count; i++) {
    for (uint32_t c = 0; c < program->column_count; c++) {
      char *column = session->expected[b][c];
      uint32_t bytes = scalar_bytes(program->columns[c].type);
      row[c] = column == NULL ? NULL : column + (size_t)i * bytes;
    }
    reference_row(&session->reference, block->entities[i], row);
  }
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

static void run_session(const ecs_KernelCall *call) {
  Session *session = current;
  ecs_KernelBlock blocks[RIG_BLOCKS];
  ecs_KernelCall mine = *call;
  for (uint32_t b = 0; b < session->cuts.block_count; b++) {
    make_block(session, b, &blocks[b]);
    run_reference(session, b, &blocks[b]);
  }
  mine.blocks = blocks;
  mine.block_count = session->cuts.block_count;
  session->run(&mine);
  for (uint32_t b = 0; b < session->cuts.block_count; b++)
    for (uint32_t c = 0; c < session->program->column_count; c++) {
      compare_column(session, b, c);
      free(session->expected[b][c]);
    }
}

/* Afterwards -------------------------------------------------------------- */

static void change_twin(Session *session) {
  ecs_World *twin = session->rig->twin;
  must(ecs_defer_begin(twin));
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
  must(ecs_defer_end(twin));
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

/* Is the run's outcome that of the reference? One that stopped looks no
 * further. */
static void compare_outcome(Session *session, ecs_Status status,
                            const ecs_ProgramStop *stop) {
  const Reference *reference = &session->reference;
  bool endless = reference->endless != 0 && !reference->stopped;
  if (status != (endless ? ECS_E_TURNS : ECS_OK))
    differs(session, "status", (uint32_t)status, 0, 0, endless);
  if (stop->line != (endless ? reference->endless : 0) ||
      stop->endless != (endless ? reference->endless_entity : 0) ||
      (endless && stop->row != reference->rows))
    differs(session, "endless", stop->line, (uint32_t)stop->row,
            reference->endless, (double)reference->rows);
}

static void compare_rest(Session *session, const double *reductions) {
  if (session->reference.change_count > 0) {
    change_twin(session);
    if (ecs_world_hash(session->rig->world) !=
        ecs_world_hash(session->rig->twin))
      differs(session, "structure", 0, 0, 0, 0);
    repair(session->rig);
  }
  for (uint32_t r = 0; r < session->program->reduction_count; r++) {
    double want = reference_reduction(&session->reference, r);
    if (!same_number(reductions[r], want))
      differs(session, "reduction", r, 0, reductions[r], want);
  }
}

bool rig_run(Rig *rig, ecs_Program *program, const RigCuts *cuts,
             uint64_t seed) {
  static double uniforms[ECS_DECLARATION_LIMIT];
  static double reductions[ECS_DECLARATION_LIMIT];
  static Session one;
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
  ecs_ProgramStop stop;
  ecs_ProgramCall call = {.uniforms = uniforms,
                          .reductions = reductions,
                          .uniform_count = program->uniform_count,
                          .reduction_count = program->reduction_count,
                          .random_key = seed,
                          .stop = &stop};
  if (random_chance(&one.random, 30))
    call.first = random_below(&one.random, 2 * cuts->counts[0] + 2);
  reference_begin(&one.reference, program, rig->world, &call);
  current = &one;
  program->kernel.run = run_session;
  ecs_Status status = ecs_program_run(program, &call);
  program->kernel.run = one.run;
  current = NULL;
  compare_outcome(&one, status, &stop);
  if (status != ECS_E_TURNS) must(status);
  if (status == ECS_OK) compare_stop(&one, &stop);
  if (status == ECS_OK) compare_rest(&one, reductions);
  reference_end(&one.reference);
  return one.right;
}

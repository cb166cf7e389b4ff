/* sifting_differential_test.c: random programs over rows that bits choose.
 *
 * program_writer.h writes them. Those that may run over whole tables
 * (program/vm_sifting.h) run in a world whose tags are bits, and in its twin,
 * whose tags are in tables: all values must be the same, bit for bit.
 * Everything follows from the seed: PROGRAM_SEED and PROGRAM_COUNT in the
 * environment choose others, and a failure prints the text and the seed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ecs_array.h"
#include "test_case.h"
#include "program/vm.h"
#include "program/vm_sifting.h"
#include "program_writer.h"

#define PROGRAMS 6000u
#define WORLDS_LAST 24u /* so many programs run in the same two worlds */

#ifdef ECS_TINY
#define MOST 40u /* entities */
#else
#define MOST 700u
#endif

static const ecs_Field fields[] = {
    {"f32", ECS_F32, 0},   {"f64", ECS_F64, 0},       {"i16", ECS_I16, 0},
    {"bool", ECS_BOOL, 0}, {"entity", ECS_ENTITY, 0}, {"i8", ECS_I8, 0},
    {"u8", ECS_U8, 0},     {"u16", ECS_U16, 0},       {"i32", ECS_I32, 0},
    {"u32", ECS_U32, 0},   {"f32b", ECS_F32, 0},      {"f64b", ECS_F64, 0}};

typedef struct Side {
  ecs_World *world;
  ecs_Component n, m, o, chosen, never;
  ecs_Query *query;
  ecs_Grid *grids[2]; /* of 2 and 3 dimensions; never asked */
  ecs_Program *program;
  ecs_Entity entities[MOST];
} Side;

static Writer writer;
static Side bits, tables;
static uint32_t entity_count;

static void must(ecs_Status status) {
  if (status != ECS_OK) fail_msg("%s", ecs_status_name(status));
}

static uint64_t from_environment(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 0);
}

/* Worlds ------------------------------------------------------------------ */

static ecs_Component define(Side *side, const char *name, uint32_t count,
                            ecs_Storage storage) {
  const ecs_ComponentDescription how = {
      .name = name, .fields = fields, .field_count = count, .storage = storage};
  ecs_Component component = 0;
  must(ecs_component(side->world, &how, &component));
  return component;
}

static void make_grids(Side *side) {
  const ecs_Term term = {side->n, ECS_READ};
  ecs_Query *query = NULL;
  must(ecs_query_create(side->world, &term, 1, &query));
  for (uint32_t k = 0; k < 2; k++) {
    const ecs_GridDescription how = {
        .dimensions = 2 + k, .fields = {0, 1, 11}, .cell = 1};
    must(ecs_grid_create(query, &how, &side->grids[k]));
  }
}

static void open_side(Side *side, ecs_Storage storage) {
  memset(side, 0, sizeof *side);
  must(ecs_world_create(NULL, &side->world));
  side->n = define(side, "N", 12, ECS_STORE_TABLE);
  side->m = define(side, "M", 12, ECS_STORE_TABLE);
  side->o = define(side, "O", 6, ECS_STORE_TABLE);
  (void)define(side, "R", 12, ECS_STORE_SPARSE);
  (void)define(side, "T", 0, ECS_STORE_TABLE);
  (void)define(side, "B", 0, ECS_STORE_BITS);
  side->chosen = define(side, "Chosen", 0, storage);
  side->never = define(side, "Never", 0, storage);
  const ecs_Term terms[] = {{side->n, ECS_WRITE},
                            {side->m, ECS_READ},
                            {side->o, ECS_OPTIONAL},
                            {side->chosen, ECS_WITH},
                            {side->never, ECS_WITHOUT}};
  must(ecs_query_create(side->world, terms, 5, &side->query));
  make_grids(side);
}

static void set_values(Side *side, ecs_Entity entity, ecs_Component component,
                       Random *random) {
  uint32_t count = ecs_component_field_count(side->world, component);
  for (uint32_t f = 0; f < count; f++) {
    uint64_t room = 0;
    if (fields[f].type == ECS_ENTITY)
      room = side->entities[random_below(random, entity_count)];
    else
      ecs_scalar_convert(fields[f].type, &room, random_number(random));
    must(ecs_set_field(side->world, entity, component, f,
                       ecs_scalar_load(fields[f].type, &room)));
  }
}

/* The same entities in both worlds, for the same random numbers. */
static void fill(Side *side, Random random) {
  const ecs_Component all[] = {side->n, side->m, side->o};
  uint32_t percent = 30 + random_below(&random, 70);
  for (uint32_t k = 0; k < entity_count; k++)
    must(ecs_spawn(side->world, all, random_chance(&random, 40) ? 3 : 2, NULL,
                   &side->entities[k]));
  for (uint32_t k = 0; k < entity_count; k++) {
    ecs_Entity entity = side->entities[k];
    set_values(side, entity, side->n, &random);
    set_values(side, entity, side->m, &random);
    if (ecs_has(side->world, entity, side->o))
      set_values(side, entity, side->o, &random);
    if (random_chance(&random, percent))
      must(ecs_add(side->world, entity, side->chosen, NULL));
    if (random_chance(&random, 10))
      must(ecs_add(side->world, entity, side->never, NULL));
  }
}

/* Mostly few entities; sometimes at the edges of what is kept at once. */
static void open_worlds(Random *random) {
  static const uint32_t edges[] = {255, 256, 257, 511, 512, 513, 700};
  entity_count = 1 + random_below(random, 40);
  if (random_chance(random, 30)) entity_count = edges[random_below(random, 7)];
  if (entity_count > MOST) entity_count = MOST;
  open_side(&bits, ECS_STORE_BITS);
  open_side(&tables, ECS_STORE_TABLE);
  fill(&bits, *random);
  fill(&tables, *random);
}

static void close_worlds(void) {
  ecs_world_destroy(bits.world);
  ecs_world_destroy(tables.world);
}

/* Programs ---------------------------------------------------------------- */

static void explain(uint64_t seed, const char *failure) {
  fputs(writer.text, stderr);
  fail_msg("program of seed %llu: %s", (unsigned long long)seed, failure);
}

/* False: the world has too many bundles already, which programs make that are
 * not run here. */
static bool make(Side *side, uint64_t seed) {
  char message[256] = "";
  ecs_Status status =
      ecs_program_create(side->query, writer.text, writer.length,
                         &side->program, message, sizeof message);
  if (status == ECS_E_LIMIT) return false;
  if (status != ECS_OK) explain(seed, message);
  must(query_plan(side->query));
  return true;
}

/* An array of the world, for a program that declares one of the type. */
static const ecs_Array *array_of(const Side *side, ecs_Scalar type) {
  const ecs_ArrayDescription how = {ecs_scalar_name(type), type, 1, {4, 0, 0}};
  ecs_Array *array = NULL;
  if (type == ECS_SCALAR_COUNT) return NULL;
  must(ecs_array(side->world, &how, &array));
  return array;
}

static void run(Side *side, uint64_t seed) {
  static double uniforms[ECS_DECLARATION_LIMIT];
  static double reductions[ECS_DECLARATION_LIMIT]; /* that nothing adds to */
  static ecs_ProgramArray arrays[ECS_DECLARATION_LIMIT]; /* never looked at */
  static ecs_Grid *grids[ECS_DECLARATION_LIMIT];
  const ecs_Program *program = side->program;
  Random random = {seed};
  for (uint32_t k = 0; k < program->array_count; k++)
    arrays[k].array = array_of(side, array_scalar(program, k));
  for (uint32_t k = 0; k < program->grid_count; k++)
    grids[k] = side->grids[program->grids[k] - 2];
  for (uint32_t k = 0; k < program->uniform_count; k++)
    uniforms[k] = uniform_kind(program, k) == UNIFORM_ENTITY
                      ? (double)side->entities[0]
                      : random_number(&random);
  const ecs_ProgramCall call = {.uniforms = uniforms,
                                .uniform_count = program->uniform_count,
                                .reductions = reductions,
                                .reduction_count = program->reduction_count,
                                .arrays = arrays,
                                .array_count = program->array_count,
                                .grids = grids,
                                .grid_count = program->grid_count,
                                .random_key = seed};
  must(ecs_program_run(side->program, &call));
}

static void compare(ecs_Component component, uint32_t count, uint64_t seed) {
  for (uint32_t k = 0; k < entity_count; k++)
    for (uint32_t f = 0; f < count; f++) {
      double here = 0, there = 0;
      ecs_Status status =
          ecs_get_field(bits.world, bits.entities[k], component, f, &here);
      assert_int_equal(status, ecs_get_field(tables.world, tables.entities[k],
                                             component, f, &there));
      if (memcmp(&here, &there, sizeof here) == 0) continue;
      print_message("entity %u of %u, field %s: %g, not %g\n", k, entity_count,
                    fields[f].name, here, there);
      explain(seed, "differs");
    }
}

/* Runs a program in both worlds. True: over whole tables where tags are bits. */
static bool try(uint64_t seed) {
  writer_write(&writer, seed);
  if (!make(&bits, seed)) return false;
  bool possible = bits.program->sifting.possible;
  bool sifted = possible && sifting_pays(bits.program);
  if (possible) {
    assert_true(make(&tables, seed));
    run(&bits, seed);
    run(&tables, seed);
    compare(bits.n, 12, seed);
    compare(bits.o, 6, seed);
    ecs_program_destroy(tables.program);
  }
  ecs_program_destroy(bits.program);
  return sifted;
}

TEST(programs_do_what_they_do_to_whole_tables) {
  uint64_t seed = from_environment("PROGRAM_SEED", 1);
  uint64_t count = from_environment("PROGRAM_COUNT", PROGRAMS), sifted = 0;
  Random random = {seed};
  open_worlds(&random);
  for (uint64_t k = 0; k < count; k++) {
    sifted += try(seed + k);
    if (k % WORLDS_LAST != WORLDS_LAST - 1) continue;
    close_worlds();
    random.state += k;
    open_worlds(&random);
  }
  close_worlds();
  print_message("%llu programs over whole tables\n",
                (unsigned long long)sifted);
  if (count >= 2000) assert_true(sifted > count / 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_do_what_they_do_to_whole_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

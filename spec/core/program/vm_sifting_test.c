/* vm_sifting_test.c: programs over rows that tags stored as bits choose.
 *
 * Each world has a twin with the same entities, where the tag is in a table: so
 * its rows are those of whole tables. Both must be left with the same values.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test_case.h"
#include "failing_memory.h"
#include "program/vm.h"
#include "program/vm_sifting.h"
#include "world_soundness.h"

#ifdef ECS_TINY
#define MOST 40u /* entities */
#else
#define MOST 1300u
#endif

static const ecs_Field fields[] = {{"f32", ECS_F32, 0}, {"f64", ECS_F64, 0},
                                   {"i16", ECS_I16, 0}, {"u8", ECS_U8, 0},
                                   {"i32", ECS_I32, 0}, {"flag", ECS_BOOL, 0}};
#define FIELDS 6u

typedef struct Side {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component value, other, chosen, never;
  ecs_Query *query;
  ecs_Program *program;
  ecs_Entity entities[MOST];
} Side;

static void must(ecs_Status status) {
  if (status != ECS_OK) fail_msg("%s", ecs_status_name(status));
}

static ecs_Component define(Side *side, const char *name, uint32_t count,
                            ecs_Storage storage) {
  const ecs_ComponentDescription how = {
      .name = name, .fields = fields, .field_count = count, .storage = storage};
  ecs_Component component = 0;
  must(ecs_component(side->world, &how, &component));
  return component;
}

static void open_side(Side *side, ecs_Storage storage) {
  memset(side, 0, sizeof *side);
  const ecs_WorldDescription how = {failing_memory_init(&side->failing), 0};
  must(ecs_world_create(&how, &side->world));
  side->value = define(side, "Value", FIELDS, ECS_STORE_TABLE);
  side->other = define(side, "Other", FIELDS, ECS_STORE_TABLE);
  side->chosen = define(side, "Chosen", 0, storage);
  side->never = define(side, "Never", 0, storage);
  const ecs_Term terms[] = {{side->value, ECS_WRITE},
                            {side->other, ECS_OPTIONAL},
                            {side->chosen, ECS_WITH},
                            {side->never, ECS_WITHOUT}};
  must(ecs_query_create(side->world, terms, 4, &side->query));
}

static void close_side(Side *side) {
  assert_sound(&side->world->store);
  ecs_world_destroy(side->world);
  assert_int_equal(side->failing.blocks, 0);
}

/* Every third has Other, too; of 10, so many are chosen, and one of these in
 * seven is not after all. */
static void fill(Side *side, uint32_t count, uint32_t of_ten) {
  for (uint32_t k = 0; k < count; k++) {
    ecs_Entity *entity = &side->entities[k];
    must(ecs_spawn(side->world, &side->value, 1, NULL, entity));
    for (uint32_t f = 0; f < FIELDS; f++)
      must(
          ecs_set_field(side->world, *entity, side->value, f, (k * 7 + f) % 2));
    if (k % 3 == 0) must(ecs_add(side->world, *entity, side->other, NULL));
    if (k % 3 == 0)
      must(ecs_set_field(side->world, *entity, side->other, 0, 1000 + k));
    if (k * 7 % 10 >= of_ten) continue;
    must(ecs_add(side->world, *entity, side->chosen, NULL));
    if (k % 7 == 0) must(ecs_add(side->world, *entity, side->never, NULL));
  }
}

static void make(Side *side, const char *text) {
  char message[200] = "";
  if (ecs_program_create(side->query, text, strlen(text), &side->program,
                         message, sizeof message) != ECS_OK)
    fail_msg("%s", message);
}

static void run(Side *side) {
  const ecs_ProgramCall call = {.random_key = 99};
  must(ecs_program_run(side->program, &call));
}

static void compare(const Side *side, const Side *twin, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t f = 0; f < FIELDS; f++) {
      double here = 0, there = 0;
      must(
          ecs_get_field(side->world, side->entities[k], side->value, f, &here));
      must(ecs_get_field(twin->world, twin->entities[k], twin->value, f,
                         &there));
      if (here != there)
        fail_msg("entity %u, field %u: %g, not %g", k, f, here, there);
    }
}

static const char move[] =
    "column c0 \"Value\" \"f32\" f32 write\n"
    "column c1 \"Value\" \"f64\" f64 write\n"
    "column c2 \"Value\" \"i16\" i16 write\n"
    "column c3 \"Value\" \"u8\" u8 write\n"
    "column c4 \"Value\" \"i32\" i32 write\n"
    "column c5 \"Value\" \"flag\" bool write\n"
    "column c6 \"Other\" \"f32\" f32 optional\n"
    "v0 = load f64 c0\nv1 = load f64 c6\nv2 = add f64 v0 v1\n"
    "v3 = constant f64 1\nv4 = add f64 v2 v3\nstore c0 v4\n"
    "v5 = load f64 c1\nv6 = add f64 v5 v4\nstore c1 v6\nstore c2 v6\n"
    "v7 = load f64 c3\nv8 = add f64 v7 v3\nstore c3 v8\nstore c4 v8\n"
    "v9 = lt f64 v8 v4\nstore c5 v9\nstore c0 v3 v9\n";

static const char draw[] =
    "column c0 \"Value\" \"f32\" f32 write\nv0 = constant f64 0\n"
    "v1 = random v0\nstore c0 v1\n";

static const char store_other[] =
    "column c0 \"Other\" \"f32\" f32 optional\n"
    "column c1 \"Value\" \"f32\" f32 write\nv0 = load f64 c0\n"
    "v1 = constant f64 2\nv2 = mul f64 v0 v1\nstore c1 v2\n";

static Side bits, tables;

/* Is the program sifted, and does it do what it does to whole tables? */
static void try(const char *text, uint32_t count, uint32_t of_ten, bool pays) {
  open_side(&bits, ECS_STORE_BITS);
  open_side(&tables, ECS_STORE_TABLE);
  fill(&bits, count, of_ten);
  fill(&tables, count, of_ten);
  make(&bits, text);
  make(&tables, text);
  assert_int_equal(query_plan(bits.query), ECS_OK);
  assert_int_equal(sifting_pays(bits.program), pays);
  for (uint32_t turn = 0; turn < 3; turn++) {
    run(&bits);
    run(&tables);
    compare(&bits, &tables, count);
  }
  close_side(&bits);
  close_side(&tables);
}

TEST(rows_not_chosen_keep_their_values) {
  static const uint32_t edges[] = {255, 256, 257, 511, 512, 513, 1024, 1300};
  for (uint32_t count = 5; count <= 40; count++)
    for (uint32_t of_ten = 5; of_ten <= 10; of_ten += 2)
      try(move, count, of_ten, true);
  for (size_t k = 0; k < sizeof edges / sizeof *edges; k++)
    if (edges[k] <= MOST) try(move, edges[k], 5, true);
}

TEST(few_rows_are_gathered) {
  for (uint32_t count = 0; count <= 40; count += 20) try(draw, count, 1, false);
  try(move, 40, 0, false);
  try(draw, 40, 3, false);
}

TEST(draws_belong_to_entities) {
  try(draw, 40, 10, true);
  if (MOST > 600) try(draw, 600, 10, true);
}

TEST(absent_columns_are_passed_over) {
  try(store_other, 40, 6, true);
  if (MOST > 600) try(store_other, 600, 6, true);
}

/* A table through which an entity went has never had memory for columns. */
TEST(tables_without_rows_are_passed_over) {
  open_side(&bits, ECS_STORE_BITS);
  fill(&bits, 1, 10);
  ecs_Entity entity = bits.entities[0];
  must(ecs_remove(bits.world, entity, bits.never));
  ecs_Component kept = define(&bits, "Kept", 0, ECS_STORE_TABLE);
  ecs_Component extra = define(&bits, "Extra", 0, ECS_STORE_TABLE);
  must(ecs_add(bits.world, entity, kept, NULL));
  must(ecs_replace(bits.world, entity, bits.other, extra, NULL, 0));
  make(&bits, move);
  assert_int_equal(query_plan(bits.query), ECS_OK);
  assert_true(sifting_pays(bits.program));
  run(&bits);
  double number = 0;
  must(ecs_get_field(bits.world, entity, bits.value, 3, &number));
  assert_true(number == 2); /* 1 more than fill has stored */
  close_side(&bits);
}

/* A list that is there is used where few rows are chosen, and made where
 * nothing changes. */
TEST(lists_are_kept_where_nothing_changes) {
  open_side(&bits, ECS_STORE_BITS);
  fill(&bits, 40, 2);
  make(&bits, store_other);
  assert_int_equal(query_plan(bits.query), ECS_OK);
  assert_true(sifting_pays(bits.program));
  assert_false(sifting_pays(bits.program));
  run(&bits);
  assert_true(row_list_is_fresh(&bits.query->rows, bits.query->groups));
  assert_false(sifting_pays(bits.program));
  must(ecs_add(bits.world, bits.entities[39], bits.chosen, NULL));
  assert_true(sifting_pays(bits.program));
  close_side(&bits);
}

/* What looks at others, counts, or changes structure takes its rows alone. */
TEST(other_programs_are_not_sifted) {
  static const char *const texts[] = {
      "column c0 \"Value\" \"f32\" f32 read\nreduction r0 sum\n"
      "v0 = load f64 c0\nsum r0 v0\n",
      "remove \"Chosen\"\n", "destroy\n",
      "column c0 \"Value\" \"f32\" f32 write\nv0 = self\n"
      "v1 = has v0 \"Never\"\nv2 = constant f64 1\nstore c0 v2 v1\n"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    open_side(&bits, ECS_STORE_BITS);
    fill(&bits, 20, 9);
    make(&bits, texts[k]);
    assert_int_equal(query_plan(bits.query), ECS_OK);
    assert_false(bits.program->sifting.possible);
    assert_false(sifting_pays(bits.program));
    close_side(&bits);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_not_chosen_keep_their_values),
      cmocka_unit_test(few_rows_are_gathered),
      cmocka_unit_test(draws_belong_to_entities),
      cmocka_unit_test(absent_columns_are_passed_over),
      cmocka_unit_test(tables_without_rows_are_passed_over),
      cmocka_unit_test(lists_are_kept_where_nothing_changes),
      cmocka_unit_test(other_programs_are_not_sifted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

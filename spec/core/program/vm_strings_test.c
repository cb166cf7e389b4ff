/* vm_strings_test.c: fields of type string in programs, which have them as the
 * numbers that they are held under; kernels have none. */
#include <stdlib.h>
#include <string.h>

#include "test_case.h"
#include "program_fixture.h"
#include "state/held_marks.h"

static const ecs_Field fields[] = {{"label", ECS_STRING, 0},
                                   {"image", ECS_ANY_VALUE, 0},
                                   {"who", ECS_ENTITY, 0}};

static HeldValues held;
static ecs_Component sprite, copy;

/* Holds "a" to "h" under 1 to 8. Sprite and Copy have a string each. */
static void begin(ecs_Storage storage) {
  static const char *const texts[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  start(ECS_STORE_TABLE, ECS_STORE_TABLE);
  memset(&held, 0, sizeof held);
  ecs_held_move(&held, calloc(1, ecs_held_bytes(16)), 16);
  for (uint32_t k = 0; k < 8; k++) {
    HeldValue value;
    ecs_held_string(&value, texts[k], 1);
    assert_int_equal(ecs_held_add(&held, &value), k + 1);
  }
  ecs_world_hold_values(fixture.world, &held);
  ecs_ComponentDescription how = {
      .name = "Sprite", .fields = fields, .field_count = 3, .storage = storage};
  must(ecs_component(fixture.world, &how, &sprite));
  how.name = "Copy";
  must(ecs_component(fixture.world, &how, &copy));
}

static void end(void) {
  finish();
  free(held.all);
}

/* Sprites with the numbers from 0 to 8 in turn, each with a copy of "h". */
static void spawn_sprites(uint32_t count) {
  const ecs_Component both[] = {sprite, copy};
  for (uint32_t k = 0; k < count; k++) {
    must(ecs_spawn(fixture.world, both, 2, NULL, &fixture.entities[k]));
    set(fixture.entities[k], sprite, 0, k % 9);
    set(fixture.entities[k], copy, 0, 8);
    set(fixture.entities[k], sprite, 2,
        k == 0 ? 0 : (double)fixture.entities[k - 1]);
  }
}

static void compare_and_choose(ecs_Storage storage) {
  const uint32_t count = MOST > 2500 ? 2500 : MOST;
  begin(storage);
  const ecs_Term terms[] = {{sprite, ECS_READ}, {copy, ECS_WRITE}};
  ask(terms, 2);
  spawn_sprites(count);
  make(
      "column c0 \"Sprite\" \"label\" u32 read\n"
      "column c1 \"Copy\" \"label\" u32 write\n"
      "v0 = load f64 c0\n"
      "v1 = constant f64 0x1.8p+1\n" /* "c" */
      "v2 = eq f64 v0 v1\n"
      "v3 = constant f64 0x1p+0\n" /* "a" */
      "v4 = select f64 v2 v3 v0\n"
      "store c1 v4\n");
  must(run(NULL, NULL));
  for (uint32_t k = 0; k < count; k++)
    assert_true(get(fixture.entities[k], copy, 0) == (k % 9 == 3 ? 1 : k % 9));
  end();
}

TEST(strings_are_compared_chosen_and_stored) {
  compare_and_choose(ECS_STORE_TABLE);
  compare_and_choose(ECS_STORE_SPARSE);
}

TEST(strings_of_others_are_looked_up) {
  const uint32_t count = MOST > 2500 ? 2500 : MOST;
  begin(ECS_STORE_TABLE);
  const ecs_Term terms[] = {{sprite, ECS_READ}, {copy, ECS_WRITE}};
  ask(terms, 2);
  spawn_sprites(count);
  make(
      "column c0 \"Sprite\" \"who\" entity read\n"
      "column c1 \"Copy\" \"label\" u32 write\n"
      "v0 = load entity c0\n"
      "v1 = get f64 v0 \"Sprite\" \"label\"\n"
      "store c1 v1\n");
  must(run(NULL, NULL));
  for (uint32_t k = 0; k < count; k++)
    assert_true(get(fixture.entities[k], copy, 0) ==
                (k == 0 ? 0 : (k - 1) % 9));
  end();
}

TEST(strings_are_given_to_others) {
  begin(ECS_STORE_TABLE);
  const ecs_Term term = {sprite, ECS_READ};
  ask(&term, 1);
  spawn_sprites(MOST / 2);
  make(
      "column c0 \"Sprite\" \"label\" u32 read\n"
      "v0 = load f64 c0\n"
      "v1 = constant f64 0x1p+2\n"
      "v2 = eq f64 v0 v1\n"
      "part \"Copy\"\n"
      "give \"Copy\" \"label\" v0\n"
      "v3 = spawn v2\n");
  ecs_Statistics before, now;
  ecs_ProgramStop stop;
  const ecs_ProgramCall call = {.stop = &stop};
  ecs_world_statistics(fixture.world, &before);
  must(ecs_program_run(fixture.program, &call));
  uint32_t born = 0;
  for (uint32_t k = 0; k < MOST / 2; k++) born += k % 9 == 4;
  ecs_world_statistics(fixture.world, &now);
  assert_int_equal(now.entities, before.entities + born);
  end();
}

TEST(what_is_no_string_is_refused) {
  static const struct {
    const char *text, *message;
  } wrongs[] = {
      {"column c0 \"Sprite\" \"label\" string read\n",
       "line 1: no such field type: string"},
      {"column c0 \"Sprite\" \"image\" any read\n",
       "line 1: no such field type: any"},
      {"column c0 \"Sprite\" \"who\" entity read\nv0 = load entity c0\n"
       "v1 = get f64 v0 \"Copy\" \"image\"\n",
       "line 3: get: the field does not load as f64"},
      {"v0 = constant f64 0x1p+0\npart \"Copy\"\n"
       "give \"Copy\" \"image\" v0\nv1 = spawn\n",
       "line 3: give: the field cannot hold a f64"},
  };
  begin(ECS_STORE_TABLE);
  const ecs_Term term = {sprite, ECS_WRITE};
  ask(&term, 1);
  for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; k++) {
    char message[200] = "";
    ecs_Program *program = NULL;
    assert_int_not_equal(ecs_program_create(fixture.query, wrongs[k].text,
                                            strlen(wrongs[k].text), &program,
                                            message, sizeof message),
                         ECS_OK);
    assert_string_equal(message, wrongs[k].message);
  }
  /* A column that is declared as another type matches none of the query. */
  static const char *const texts[] = {
      "column c0 \"Sprite\" \"image\" u32 read\nv0 = load f64 c0\n",
      "column c0 \"Sprite\" \"label\" i32 read\nv0 = load f64 c0\n"};
  for (size_t k = 0; k < 2; k++) {
    char message[200] = "";
    ecs_Program *program = NULL;
    assert_int_equal(
        ecs_program_create(fixture.query, texts[k], strlen(texts[k]), &program,
                           message, sizeof message),
        ECS_E_PROGRAM);
  }
  end();
}

static void nothing(const ecs_KernelCall *call) { (void)call; }

TEST(kernels_have_no_strings) {
  begin(ECS_STORE_TABLE);
  const ecs_Term term = {sprite, ECS_WRITE};
  ask(&term, 1);
  for (int k = 0; k < 2; k++) {
    const ecs_KernelColumn column = {"Sprite", "label",
                                     k == 0 ? ECS_STRING : ECS_U32, ECS_READ};
    const ecs_Kernel kernel = {
        .name = "k", .columns = &column, .column_count = 1, .run = nothing};
    ecs_KernelBinding *binding = NULL;
    assert_int_equal(ecs_kernel_bind(fixture.query, &kernel, &binding, NULL),
                     ECS_E_KERNEL);
  }
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strings_are_compared_chosen_and_stored),
      cmocka_unit_test(strings_of_others_are_looked_up),
      cmocka_unit_test(strings_are_given_to_others),
      cmocka_unit_test(what_is_no_string_is_refused),
      cmocka_unit_test(kernels_have_no_strings)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

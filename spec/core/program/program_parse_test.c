/* program_parse_test.c: the text of kernel programs, read and written.
 *
 * A valid text is printed as it was read. A wrong one is refused with the line
 * and the reason, and leaks nothing. Programs are of a rig's query
 * (program_rig.h).
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "test_case.h"
#include "program_rig.h"

typedef struct Wrong {
  const char *text;
  const char *message;
} Wrong;

/* Mistakes ---------------------------------------------------------------- */

static const Wrong wrongs[] = {
    {"column", "line 1: not the number that comes next: nothing"},
    {"column c1 \"N\" \"f32\" f32 write",
     "line 1: not the number that comes next: c1"},
    {"column c0 N \"f32\" f32 write",
     "line 1: a name in quotes is missing here: N"},
    {"column c0 \"Nope\" \"f32\" f32 write", "line 1: no such component: Nope"},
    {"column c0 \"N\" f32 f32 write",
     "line 1: a name in quotes is missing here: f32"},
    {"column c0 \"N\" \"nope\" f32 write", "line 1: no such field: nope"},
    {"column c0 \"T\" \"x\" f32 write", "line 1: no such field: x"},
    {"column c0 \"N\" \"f32\" number write",
     "line 1: no such field type: number"},
    {"column c0 \"N\" \"f32\" f32",
     "line 1: a column is write, read, optional or up: nothing"},
    {"column c0 \"N\" \"f32\" f32 wrote",
     "line 1: a column is write, read, optional or up: wrote"},
    {"column c0 \"N\" \"f32\" f32 write twice",
     "line 1: something is left on the line"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "column c0 \"N\" \"f64\" f64 write",
     "line 2: not the number that comes next: c0"},
    {"column c0 \"N", "line 1: a name lacks its closing quote, or is too long"},
    {"column c0 \"N\\q\"", "line 1: no such escape in a name"},
    {"column c0 \"N\\x0\"", "line 1: no such escape in a name"},
    {"column c0 \"N\\x00\"", "line 1: no such escape in a name"},
    {"uniform u0", "line 1: a uniform is a number, bool or entity: nothing"},
    {"uniform u0 number stays", "line 1: not fixed: stays"},
    {"uniform u1 number", "line 1: not the number that comes next: u1"},
    {"uniform u0 float",
     "line 1: a uniform is a number, bool or entity: float"},
    {"uniform x number", "line 1: not the number that comes next: x"},
    {"reduction r0",
     "line 1: a reduction is sum, min, max, total, lowest or highest: nothing"},
    {"reduction r0 mean",
     "line 1: a reduction is sum, min, max, total, lowest or highest: mean"},
    {"reduction r0 exit",
     "line 1: a reduction is sum, min, max, total, lowest or highest: exit"},
    {"array a1 number", "line 1: not the number that comes next: a1"},
    {"array a0", "line 1: an element is a number, bool or entity: nothing"},
    {"array a0 i8", "line 1: an element is a number, bool or entity: i8"},
    {"array a0 number fixed", "line 1: something is left on the line"},
    {"array a0 of", "line 1: no array is of this type: nothing"},
    {"array a0 of entity", "line 1: no array is of this type: entity"},
    {"array a0 of u8 u8", "line 1: something is left on the line"},
    {"array a0 number\nv0 = constant f64 1\nv1 = at f64 a1 v0",
     "line 3: there is none of these, or it is not defined yet: a1"},
    {"array a0 of u8\nv0 = constant f64 1\nput a1 v0 v0",
     "line 3: there is none of these, or it is not defined yet: a1"},
    {"array a0 of u8\nv0 = constant f64 1\nput a0 v0",
     "line 3: there is none of these, or it is not defined yet: v"},
    {"v0 = constant f64 1\nv1 = inside a0 v0",
     "line 2: there is none of these, or it is not defined yet: a0"},
    {"reduction r1 sum", "line 1: not the number that comes next: r1"},
    {"v0", "line 1: there is no = behind a value"},
    {"v1 = self", "line 1: not the number that comes next: v1"},
    {"v00 = self", "line 1: no such operation: v00"},
    {"v0 self", "line 1: there is no = behind a value"},
    {"v0 =", "line 1: no such operation: nothing"},
    {"v0 = store", "line 1: no such operation: store"},
    {"v0 = self\n"
     "uniform u0 number",
     "line 2: no such operation: uniform"},
    {"store c0 v0",
     "line 1: there is none of these, or it is not defined yet: c0"},
    {"nonsense", "line 1: no such operation: nonsense"},
    {"\"store\" c0", "line 1: no such operation: store"},
    {"v0 = load", "line 1: a type is f32, f64, bool or entity: nothing"},
    {"v0 = load f16 c0", "line 1: a type is f32, f64, bool or entity: f16"},
    {"v0 = load f32",
     "line 1: there is none of these, or it is not defined yet: c"},
    {"v0 = load f32 c0",
     "line 1: there is none of these, or it is not defined yet: c0"},
    {"v0 = load f32 v0",
     "line 1: there is none of these, or it is not defined yet: v0"},
    {"v0 = constant", "line 1: a type is f32, f64, bool or entity: nothing"},
    {"v0 = constant f32", "line 1: not a number: nothing"},
    {"v0 = constant f32 one", "line 1: not a number: one"},
    {"v0 = constant f32 \"1\"", "line 1: not a number: 1"},
    {"v0 = constant f32 1,5", "line 1: not a number: 1,5"},
    {"v0 = constant f32 1.5.5", "line 1: not a number: 1.5.5"},
    {"v0 = constant f32 infinity", "line 1: not a number: infinity"},
    {"v0 = constant f32 +1", "line 1: not a number: +1"},
    {"v0 = constant f32 nan(1)", "line 1: not a number: nan(1)"},
    {"v0 = constant f32 0x", "line 1: not a number: 0x"},
    {"v0 = constant bool 1", "line 1: not a bool: 1"},
    {"v0 = constant entity 5", "line 1: the only constant entity is 0: 5"},
    {"v0 = constant entity nan", "line 1: the only constant entity is 0: nan"},
    {"v0 = neg f32 v0",
     "line 1: there is none of these, or it is not defined yet: v0"},
    {"v0 = neg f32",
     "line 1: there is none of these, or it is not defined yet: v"},
    {"v0 = neg", "line 1: a type is f32, f64, bool or entity: nothing"},
    {"v0 = quantize f32",
     "line 1: a type is f32, f64, bool or entity: nothing"},
    {"v0 = quantize f33 f32", "line 1: no such field type: f33"},
    {"v0 = uniform f32 u0",
     "line 1: there is none of these, or it is not defined yet: u0"},
    {"v0 = present c0",
     "line 1: there is none of these, or it is not defined yet: c0"},
    {"v0 = self v0", "line 1: something is left on the line"},
    {"v0 = self\n"
     "v1 = has v0 \"Nope\"",
     "line 2: no such component: Nope"},
    {"v0 = self\n"
     "v1 = has v0 R",
     "line 2: a name in quotes is missing here: R"},
    {"v0 = self\n"
     "v1 = get f32 v0 \"R\"",
     "line 2: a name in quotes is missing here: nothing"},
    {"v0 = self\n"
     "v1 = get f32 v0 \"R\" \"nope\"",
     "line 2: no such field: nope"},
    {"v0 = self\n"
     "v1 = get f32 v0 \"T\" \"x\"",
     "line 2: no such field: x"},
    {"sum r0 v0",
     "line 1: there is none of these, or it is not defined yet: r0"},
    {"reduction r0 sum\n"
     "v0 = constant f64 1\n"
     "min r0 v0",
     "line 3: the reduction is of another kind"},
    {"add", "line 1: a name in quotes is missing here: nothing"},
    {"add T", "line 1: a name in quotes is missing here: T"},
    {"add \"Nope\"", "line 1: no such component: Nope"},
    {"destroy v0",
     "line 1: there is none of these, or it is not defined yet: v0"},
    {"destroy 5",
     "line 1: there is none of these, or it is not defined yet: 5"},
    {"part", "line 1: a name in quotes is missing here: nothing"},
    {"part \"Nope\"", "line 1: no such component: Nope"},
    {"v0 = self\n"
     "part \"R\" v0",
     "line 2: something is left on the line"},
    {"give \"R\"", "line 1: a name in quotes is missing here: nothing"},
    {"give \"T\" \"x\"", "line 1: no such field: x"},
    {"give \"R\" \"f64\"",
     "line 1: there is none of these, or it is not defined yet: v"},
    {"add_to \"T\"",
     "line 1: there is none of these, or it is not defined yet: T"},
    {"v0 = self\n"
     "set_of v0 T",
     "line 2: a name in quotes is missing here: T"},
    {"v0 = self\n"
     "remove_from v0 \"T\" v1",
     "line 2: there is none of these, or it is not defined yet: v1"},
    {"destroy_other",
     "line 1: there is none of these, or it is not defined yet: v"},
    {"v0 = self\n"
     "destroy_other v0 v0 v0",
     "line 2: something is left on the line"},
    {"v0 = spawn v0",
     "line 1: there is none of these, or it is not defined yet: v0"},
    {"v0 = spawn \"T\"",
     "line 1: there is none of these, or it is not defined yet: T"},
    {"spawn", "line 1: no such operation: spawn"},
    {"v0 = add_to", "line 1: no such operation: add_to"},
    {"v99999999999999999999 = self",
     "line 1: no such operation: v99999999999999999999"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "v0 = constant f64 1\n"
     "store c0 v0 v0 v0",
     "line 3: something is left on the line"},
    {"column c0 \"N\" \"f32\" f64 write",
     "column c0: the query has no N.f32 of this type with this access"},
    {"column c0 \"M\" \"f32\" f32 write",
     "column c0: the query has no M.f32 of this type with this access"},
    {"column c0 \"R\" \"f32\" f32 read",
     "column c0: the query has no R.f32 of this type with this access"},
    {"column c0 \"M\" \"f32\" f32 optional",
     "column c0: the query has no M.f32 of this type with this access"},
};

TEST(mistakes_are_told_with_their_line) {
  Rig rig;
  rig_init(&rig);
  for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; k++) {
    ecs_Program *program = NULL;
    assert_int_equal(
        rig_create(&rig, wrongs[k].text, strlen(wrongs[k].text), &program),
        ECS_E_PROGRAM);
    assert_null(program);
    assert_string_equal(rig.message, wrongs[k].message);
  }
  rig_deinit(&rig);
}

static ecs_Status create(Rig *rig, const char *text, size_t length) {
  ecs_Program *program = NULL;
  ecs_Status status = rig_create(rig, text, length, &program);
  ecs_program_destroy(program);
  return status;
}

TEST(messages_keep_to_their_room) {
  Rig rig;
  char room[12];
  ecs_Program *program = NULL;
  const char text[] = "\n\nnonsense";
  rig_init(&rig);
  for (size_t capacity = 0; capacity <= 10; capacity++) {
    memset(room, '#', sizeof room);
    assert_int_equal(ecs_program_create(rig.query, text, strlen(text), &program,
                                        room, capacity),
                     ECS_E_PROGRAM);
    assert_int_equal(room[capacity], '#');
    if (capacity > 0) assert_int_equal(strlen(room), capacity - 1);
  }
  assert_memory_equal(room, "line 3: n", 9);
  assert_int_equal(
      ecs_program_create(rig.query, text, strlen(text), &program, NULL, 0),
      ECS_E_PROGRAM);
  rig_deinit(&rig);
}

/* A name may hold any byte; a message holds no control bytes. */
TEST(messages_hold_no_control_bytes) {
  Rig rig;
  rig_init(&rig);
  const char text[] = "add \"\\x1b[2J\\x0a\"";
  assert_int_equal(create(&rig, text, strlen(text)), ECS_E_PROGRAM);
  assert_string_equal(rig.message, "line 1: no such component: ?[2J?");
  rig_deinit(&rig);
}

TEST(odd_bytes_are_refused) {
  Rig rig;
  rig_init(&rig);
  assert_int_equal(create(&rig, "v0 = se\0f", 9), ECS_E_PROGRAM);
  assert_string_equal(rig.message,
                      "line 1: a word is too long or has a zero byte");
  assert_int_equal(create(&rig, "add \"T\0\"", 8), ECS_E_PROGRAM);
  assert_int_equal(create(&rig, "\xff\xfe", 2), ECS_E_PROGRAM);
  assert_int_equal(create(&rig, "; \0 in a comment", 16), ECS_OK);
  char word[2000];
  memset(word, 'v', sizeof word);
  assert_int_equal(create(&rig, word, sizeof word), ECS_E_PROGRAM);
  word[0] = '"';
  assert_int_equal(create(&rig, word, sizeof word), ECS_E_PROGRAM);
  rig_deinit(&rig);
}

/* A world that has no components and no entities. */
TEST(an_empty_world_has_programs) {
  ecs_World *world = NULL;
  ecs_Query *query = NULL;
  ecs_Program *program = NULL;
  const char wrong[] = "column c0 \"N\" \"x\" f32 write";
  const char right[] = "v0 = self\nv1 = alive v0\ndestroy v1\n";
  assert_int_equal(ecs_world_create(NULL, &world), ECS_OK);
  assert_int_equal(ecs_query_create(world, NULL, 0, &query), ECS_OK);
  assert_int_equal(
      ecs_program_create(query, wrong, strlen(wrong), &program, NULL, 0),
      ECS_E_PROGRAM);
  assert_int_equal(
      ecs_program_create(query, right, strlen(right), &program, NULL, 0),
      ECS_OK);
  const ecs_ProgramCall call = {.uniforms = NULL};
  assert_int_equal(ecs_program_run(program, &call), ECS_OK);
  ecs_world_destroy(world);
}

/* Round trips ------------------------------------------------------------- */

static void assert_text(Rig *rig, const char *text, const char *expected) {
  char out[8192];
  ecs_Program *program = NULL;
  if (rig_create(rig, text, strlen(text), &program) != ECS_OK)
    fail_msg("%s", rig->message);
  size_t length = ecs_program_text(program, out, sizeof out);
  assert_string_equal(out, expected);
  assert_int_equal(length, strlen(expected));
  assert_int_equal(ecs_program_text(program, NULL, 0), length);
  memset(out, '#', sizeof out);
  assert_int_equal(ecs_program_text(program, out, 5), length);
  assert_int_equal(strlen(out), length < 4 ? length : 4);
  ecs_program_destroy(program);
}

/* A line for each shape, after the lines that it needs. */
static void line_of(Operation operation, const char *type, char *line,
                    size_t room) {
  const char *name = operation_infos[operation].name;
  switch (operation_infos[operation].shape) {
    case SHAPE_UNARY: snprintf(line, room, "%s %s v0", name, type); break;
    case SHAPE_BINARY:
    case SHAPE_COMPARE:
    case SHAPE_EQUAL: snprintf(line, room, "%s %s v0 v0", name, type); break;
    case SHAPE_LOGIC: snprintf(line, room, "%s v1 v1", name); break;
    case SHAPE_NEGATION: snprintf(line, room, "%s v1", name); break;
    case SHAPE_SELECT:
      snprintf(line, room, "%s %s v1 v0 v0", name, type);
      break;
    case SHAPE_CONVERT:
      snprintf(line, room, "%s %s v0", name,
               strcmp(type, "f32") == 0 ? "f64" : "f32");
      break;
    case SHAPE_QUANTIZE: snprintf(line, room, "%s u8 %s v0", name, type); break;
    case SHAPE_CONSTANT:
      snprintf(line, room, "%s %s 0x1p-3", name, type);
      break;
    case SHAPE_LOAD: snprintf(line, room, "%s %s c1", name, type); break;
    case SHAPE_PRESENT: snprintf(line, room, "%s c1", name); break;
    case SHAPE_ELEMENT:
      snprintf(line, room, "%s %s c1 c1 v3", name, type);
      break;
    case SHAPE_SELF: snprintf(line, room, "%s", name); break;
    case SHAPE_UNIFORM: snprintf(line, room, "%s %s u0", name, type); break;
    case SHAPE_AT: snprintf(line, room, "%s %s a0 v3", name, type); break;
    case SHAPE_INSIDE: snprintf(line, room, "%s a1 v3", name); break;
    case SHAPE_ALIVE: snprintf(line, room, "%s v2", name); break;
    case SHAPE_HAS: snprintf(line, room, "%s v2 \"T\"", name); break;
    case SHAPE_GET:
      snprintf(line, room, "%s %s v2 \"R\" \"u16\"", name, type);
      break;
    case SHAPE_RANDOM: snprintf(line, room, "%s v3", name); break;
    case SHAPE_NEAR: snprintf(line, room, "%s g0 v3 v3 v3", name); break;
    case SHAPE_NEAREST:
    case SHAPE_ANY: snprintf(line, room, "%s g1 v3 v3 v3 v3 v2", name); break;
    case SHAPE_NTH:
      snprintf(line, room, "near g0 v3 v3 v3\nv5 = %s v4 v3", name);
      break;
    case SHAPE_FOUND: snprintf(line, room, "%s g1 v3", name); break;
    case SHAPE_FOUND_GET:
      snprintf(line, room, "%s %s g0 v3 \"R\" \"u16\"", name, type);
      break;
    case SHAPE_SCATTER: snprintf(line, room, "%s c0 c0 v3 v0 v1", name); break;
    case SHAPE_STORE: snprintf(line, room, "%s c0 v0 v1", name); break;
    case SHAPE_PUT: snprintf(line, room, "%s a2 v3 v0 v1", name); break;
    case SHAPE_INDEX: snprintf(line, room, "%s a2 v3 v3 v3", name); break;
    case SHAPE_STRUCTURE: snprintf(line, room, "%s \"T\" v1", name); break;
    case SHAPE_DESTROY: snprintf(line, room, "%s v1", name); break;
    case SHAPE_REDUCE:
      snprintf(line, room, "%s r%d v3 v1", name, operation - OPERATION_SUM);
      break;
    case SHAPE_SPAWN: snprintf(line, room, "%s v1", name); break;
    case SHAPE_PART: snprintf(line, room, "%s \"B\"\nv4 = spawn", name); break;
    case SHAPE_GIVE:
      snprintf(line, room, "%s \"R\" \"f64\" v0\nset_of v2 \"R\"", name);
      break;
    case SHAPE_OTHER: snprintf(line, room, "%s v2 \"T\" v1", name); break;
    case SHAPE_DESTROY_OTHER: snprintf(line, room, "%s v2 v1", name); break;
    case SHAPE_EXIT:
    case SHAPE_CARRY:
    case SHAPE_REPEAT:
    case SHAPE_WHILE:
    case SHAPE_NEXT:
    case SHAPE_AGAIN: break; /* in texts of their own */
  }
}

TEST(every_operation_comes_back) {
  static const char *const types[] = {"f32", "f64"};
  Rig rig;
  char text[1024], line[128];
  rig_init(&rig);
  for (int k = 0; k < OPERATION_EXIT; k++)
    for (int t = 0; t < 2 && k != OPERATION_CARRY; t++) {
      line_of((Operation)k, types[t], line, sizeof line);
      snprintf(text, sizeof text,
               "column c0 \"N\" \"f32\" f32 write\n"
               "column c1 \"O\" \"i16\" i16 optional\n"
               "uniform u0 number\nuniform u1 bool\nuniform u2 entity\n"
               "reduction r0 sum\nreduction r1 min\nreduction r2 max\n"
               "reduction r3 total\nreduction r4 lowest\n"
               "reduction r5 highest\n"
               "array a0 number\narray a1 bool\narray a2 of u16\n"
               "array a3 of bool\ngrid g0 2\ngrid g1 3\n"
               "v0 = constant %s 0x3p0\nv1 = uniform bool u1\n"
               "v2 = uniform entity u2\nv3 = constant f64 -0x1p-1074\n"
               "%s%s\n",
               types[t], k < OPERATION_FIRST_EFFECT ? "v4 = " : "", line);
      assert_text(&rig, text, text);
    }
  rig_deinit(&rig);
}

/* Parts and gives stay with their change, whatever its operands are. */
TEST(changes_come_back) {
  Rig rig;
  rig_init(&rig);
  const char text[] =
      "uniform u0 bool\nuniform u1 entity\nv0 = uniform bool u0\n"
      "v1 = uniform entity u1\nv2 = constant f64 0x1p0\n"
      "part \"R\"\ngive \"R\" \"f64\" v2\ngive \"R\" \"bool\" v0\n"
      "part \"T\"\ngive \"R\" \"entity\" v1\nv3 = spawn v0\nv4 = spawn\n"
      "give \"R\" \"entity\" v3\nadd_to v4 \"R\"\n"
      "give \"R\" \"f64\" v2\nset_of v1 \"R\" v0\nset_of v3 \"B\"\n"
      "remove_from v4 \"R\"\ndestroy_other v3\n";
  assert_text(&rig, text, text);
  rig_deinit(&rig);
}

/* Changes that may stop the run come before what depends on entities that they
 * spawn, and before all other effects. */
TEST(changes_come_before_other_effects) {
  Rig rig;
  rig_init(&rig);
  assert_text(&rig,
              "column c0 \"N\" \"entity\" entity write\n"
              "column c1 \"N\" \"f32\" f32 write\n"
              "v0 = load f32 c1\nstore c1 v0\nadd \"B\"\npart \"T\"\n"
              "v1 = spawn\nstore c0 v1\nv2 = self\nv3 = eq entity v1 v2\n"
              "add_to v1 \"R\"\nv4 = lt f32 v0 v0\nexit v4\n"
              "v5 = or v4 v3\nstore c1 v0 v5\n",
              "column c0 \"N\" \"entity\" entity write\n"
              "column c1 \"N\" \"f32\" f32 write\n"
              "v0 = load f32 c1\nv1 = lt f32 v0 v0\nexit v1\nv2 = self\n"
              "add \"B\"\npart \"T\"\nv3 = spawn\nadd_to v3 \"R\"\n"
              "v4 = eq entity v3 v2\nv5 = or v1 v4\n"
              "store c1 v0\nstore c0 v3\nstore c1 v0 v5\n");
  rig_deinit(&rig);
}

/* What an exit does not need is computed behind it. */
TEST(an_exit_comes_first) {
  Rig rig;
  rig_init(&rig);
  assert_text(&rig,
              "column c0 \"N\" \"f32\" f32 write\n"
              "uniform u0 number fixed\nuniform u1 bool\n"
              "v0 = load f32 c0\nv1 = uniform f32 u0\nv2 = mul f32 v0 v1\n"
              "v3 = lt f32 v1 v0\nv4 = uniform bool u1\nv5 = and v3 v4\n"
              "exit v5\nstore c0 v2 v4\n",
              "column c0 \"N\" \"f32\" f32 write\n"
              "uniform u0 number fixed\nuniform u1 bool\n"
              "v0 = load f32 c0\nv1 = uniform f32 u0\nv2 = lt f32 v1 v0\n"
              "v3 = uniform bool u1\nv4 = and v2 v3\nexit v4\n"
              "v5 = mul f32 v0 v1\nstore c0 v5 v3\n");
  rig_deinit(&rig);
}

/* A cycle moves with its exit, or behind it, as a whole. */
TEST(a_cycle_comes_back) {
  static const char declarations[] =
      "column c0 \"N\" \"f32\" f32 write\nuniform u0 bool fixed\n";
  static const char late[] =
      "repeat v1\nv2 = carry f32 v0\nv3 = carry bool v1\nv4 = neg f32 v2\n"
      "while v3\nrepeat\nv5 = carry f32 v4\nnext v5 v2\nagain v3\n"
      "next v3 v1\nnext v2 v4\nagain\nstore c0 v2\n";
  char text[1024], moved[1024];
  Rig rig;
  rig_init(&rig);
  snprintf(text, sizeof text, "%sv0 = load f32 c0\nv1 = uniform bool u0\n%s",
           declarations, late);
  assert_text(&rig, text, text);
  snprintf(text, sizeof text,
           "%sv0 = load f32 c0\nv1 = uniform bool u0\nrepeat\n"
           "v2 = carry f32 v0\nnext v2 v0\nagain v1\nrepeat v1\n"
           "v3 = carry bool v1\nnext v3 v1\nagain\nexit v3\nstore c0 v2\n",
           declarations);
  snprintf(moved, sizeof moved,
           "%sv0 = uniform bool u0\nrepeat v0\nv1 = carry bool v0\n"
           "next v1 v0\nagain\nexit v1\nv2 = load f32 c0\nrepeat\n"
           "v3 = carry f32 v2\nnext v3 v2\nagain v0\nstore c0 v3\n",
           declarations);
  assert_text(&rig, text, moved);
  rig_deinit(&rig);
}

TEST(spaces_and_comments_are_left_out) {
  Rig rig;
  rig_init(&rig);
  assert_text(&rig,
              "; a comment\r\n\n\tuniform   u0\tnumber;x\n"
              "v0 =\tself ; destroy\r\n add\"T\";",
              "uniform u0 number\nv0 = self\nadd \"T\"\n");
  assert_text(&rig, "", "");
  assert_text(&rig, "add \"\\x54\"", "add \"T\"\n");
  rig_deinit(&rig);
}

static void assert_constant(Rig *rig, const char *type, const char *numeral,
                            const char *expected) {
  char text[256], out[256];
  snprintf(text, sizeof text, "v0 = constant %s %s", type, numeral);
  snprintf(out, sizeof out, "v0 = constant %s %s\n", type, expected);
  assert_text(rig, text, out);
}

static void numerals(Rig *rig) {
  assert_constant(rig, "f64", "0.1", "0xccccccccccccdp-55");
  assert_constant(rig, "f32", "0.1", "0xcccccdp-27");
  assert_constant(rig, "f64", "1", "0x1p0");
  assert_constant(rig, "f64", "-0", "-0x0p0");
  assert_constant(rig, "f64", "1e3", "0x7dp3");
  assert_constant(rig, "f64", "0x1.8p1", "0x3p0");
  assert_constant(rig, "f64", "5e-324", "0x1p-1074");
  assert_constant(rig, "f64", "1.7976931348623157e308", "0x1fffffffffffffp971");
  assert_constant(rig, "f64", "1e999", "inf");
  assert_constant(rig, "f32", "1e39", "inf");
  assert_constant(rig, "f32", "-inf", "-inf");
  assert_constant(rig, "f64", "-nan", "nan");
  assert_constant(rig, "entity", "0", "0");
  assert_constant(rig, "bool", "true", "true");
}

TEST(numerals_mean_the_same_in_every_locale) {
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR",
                                        "fr_FR.UTF-8", "de_DE"};
  Rig rig;
  bool comma = false;
  rig_init(&rig);
  numerals(&rig);
  for (size_t k = 0; k < sizeof locales / sizeof *locales && !comma; k++)
    comma = setlocale(LC_ALL, locales[k]) != NULL &&
            strcmp(localeconv()->decimal_point, ",") == 0;
  if (comma) numerals(&rig);
  setlocale(LC_ALL, "C");
  rig_deinit(&rig);
  if (!comma) skip();
}

/* Limits ------------------------------------------------------------------ */

TEST(cycles_may_be_nested_so_deep) {
  Rig rig;
  rig_init(&rig);
  for (uint32_t depth = ECS_CYCLE_LIMIT; depth <= ECS_CYCLE_LIMIT + 1;
       depth++) {
    char text[2048] = "v0 = constant bool false\n";
    ecs_Program *program = NULL;
    for (uint32_t k = 0; k < depth; k++) strcat(text, "repeat\n");
    for (uint32_t k = 0; k < depth; k++) strcat(text, "again v0\n");
    ecs_Status status = rig_create(&rig, text, strlen(text), &program);
    assert_int_equal(status, depth > ECS_CYCLE_LIMIT ? ECS_E_LIMIT : ECS_OK);
    if (status != ECS_OK)
      assert_non_null(strstr(rig.message, "cycles are nested too deeply"));
    ecs_program_destroy(program);
  }
  rig_deinit(&rig);
}

typedef struct Text {
  char *bytes;
  size_t length;
} Text;

static void append(Text *text, const char *format, uint32_t a, uint32_t b) {
  if (text->bytes == NULL) text->bytes = malloc(ECS_TEXT_LIMIT + 4096u);
  text->length +=
      (size_t)snprintf(text->bytes + text->length, 200, format, a, b);
}

/* The text of first, then count times that of line. */
static ecs_Status create_many(Rig *rig, const char *first, const char *line,
                              uint32_t count) {
  Text text = {NULL, 0};
  append(&text, first, 0, 0);
  for (uint32_t k = 0; k < count; k++)
    append(&text, line, k, k == 0 ? 0 : k - 1);
  ecs_Status status = create(rig, text.bytes, text.length);
  free(text.bytes);
  return status;
}

TEST(limits_hold) {
  static const char *const lines[][2] = {
      {"", "uniform u%u number\n"},
      {"", "array a%u bool\n"},
      {"", "reduction r%u max\n"},
      {"", "v%u = self\n"},
      {"reduction r0 sum\nv0 = constant f64 1\n", "sum r0 v0\n"}};
  static const uint32_t limits[] = {
      ECS_DECLARATION_LIMIT, ECS_DECLARATION_LIMIT, ECS_DECLARATION_LIMIT,
      ECS_CODE_LIMIT, ECS_CODE_LIMIT - 1};
  Rig rig;
  rig_init(&rig);
  for (int k = 0; k < 5; k++) {
    assert_int_equal(create_many(&rig, lines[k][0], lines[k][1], limits[k]),
                     ECS_OK);
    assert_int_equal(create_many(&rig, lines[k][0], lines[k][1], limits[k] + 1),
                     ECS_E_LIMIT);
    assert_non_null(strstr(rig.message, "the program is too long"));
  }
  rig_deinit(&rig);
}

/* The limit is higher than the number of fields in the rig's query. */
TEST(columns_have_a_limit) {
  ecs_World *world = NULL;
  ecs_Query *query = NULL;
  ecs_Term terms[ECS_DECLARATION_LIMIT / 16 + 1];
  const uint32_t components = ECS_DECLARATION_LIMIT / 16 + 1;
  char names[16][4];
  ecs_Field fields[16];
  Text text = {NULL, 0};
  assert_int_equal(ecs_world_create(NULL, &world), ECS_OK);
  for (uint32_t k = 0; k < 16; k++) {
    snprintf(names[k], sizeof names[k], "f%u", k);
    fields[k] = (ecs_Field){names[k], ECS_F32, 0};
  }
  for (uint32_t k = 0; k < components; k++) {
    char name[16];
    snprintf(name, sizeof name, "C%u", k);
    const ecs_ComponentDescription how = {.name = name,
                                          .fields = fields,
                                          .field_count = 16,
                                          .storage = ECS_STORE_TABLE};
    terms[k].access = ECS_WRITE;
    assert_int_equal(ecs_component(world, &how, &terms[k].component), ECS_OK);
  }
  assert_int_equal(ecs_query_create(world, terms, components, &query), ECS_OK);
  for (uint32_t k = 0; k <= ECS_DECLARATION_LIMIT; k++) {
    ecs_Program *program = NULL;
    if (k >= ECS_DECLARATION_LIMIT - 1 || k == 0) {
      char message[200];
      assert_int_equal(ecs_program_create(query, text.bytes, text.length,
                                          &program, message, sizeof message),
                       ECS_OK);
      ecs_program_destroy(program);
    }
    append(&text, "column c%u", k, 0);
    append(&text, " \"C%u\" \"f%u\" f32 write\n", k / 16, k % 16);
  }
  ecs_Program *program = NULL;
  assert_int_equal(
      ecs_program_create(query, text.bytes, text.length, &program, NULL, 0),
      ECS_E_LIMIT);
  free(text.bytes);
  ecs_world_destroy(world);
}

TEST(texts_have_a_limit) {
  Rig rig;
  char *text = malloc(ECS_TEXT_LIMIT + 1u);
  rig_init(&rig);
  memset(text, '\n', ECS_TEXT_LIMIT + 1u);
  assert_int_equal(create(&rig, text, ECS_TEXT_LIMIT), ECS_OK);
  assert_int_equal(create(&rig, text, ECS_TEXT_LIMIT + 1u), ECS_E_LIMIT);
  assert_string_equal(rig.message,
                      "line 1: the text of the program is too long");
  free(text);
  rig_deinit(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mistakes_are_told_with_their_line),
      cmocka_unit_test(messages_keep_to_their_room),
      cmocka_unit_test(messages_hold_no_control_bytes),
      cmocka_unit_test(odd_bytes_are_refused),
      cmocka_unit_test(an_empty_world_has_programs),
      cmocka_unit_test(every_operation_comes_back),
      cmocka_unit_test(changes_come_back),
      cmocka_unit_test(changes_come_before_other_effects),
      cmocka_unit_test(an_exit_comes_first),
      cmocka_unit_test(a_cycle_comes_back),
      cmocka_unit_test(cycles_may_be_nested_so_deep),
      cmocka_unit_test(spaces_and_comments_are_left_out),
      cmocka_unit_test(numerals_mean_the_same_in_every_locale),
      cmocka_unit_test(limits_hold),
      cmocka_unit_test(columns_have_a_limit),
      cmocka_unit_test(texts_have_a_limit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

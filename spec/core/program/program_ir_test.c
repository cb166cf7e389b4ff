/* program_ir_test.c: what the verifier refuses. For every rule there is a
 * program that breaks this rule alone. Programs are of a rig's query
 * (program_rig.h).
 */
#include <stdio.h>

#include "test_case.h"
#include "program/program_parse.h"
#include "program_rig.h"

typedef struct Wrong {
  const char *text;
  const char *message;
} Wrong;

static const Wrong wrongs[] = {
    {"column c0 \"N\" \"f32\" f32 write\n"
     "v0 = load f32 c0\n"
     "v1 = neg bool v0",
     "line 3: neg: takes f32 or f64"},
    {"v0 = constant f64 1\n"
     "v1 = neg f32 v0",
     "line 2: neg: an operand is not a f32"},
    {"v0 = constant f64 1\n"
     "v1 = constant f32 1\n"
     "v2 = add f64 v0 v1",
     "line 3: add: an operand is not a f64"},
    {"v0 = constant f64 1\n"
     "v1 = constant f32 1\n"
     "v2 = lt f64 v0 v1",
     "line 3: lt: an operand is not a f64"},
    {"v0 = self\n"
     "v1 = lt entity v0 v0",
     "line 2: lt: takes f32 or f64"},
    {"v0 = self\n"
     "v1 = constant f64 1\n"
     "v2 = eq entity v0 v1",
     "line 3: eq: an operand is not a entity"},
    {"v0 = constant f64 1\n"
     "v1 = constant bool true\n"
     "v2 = and v1 v0",
     "line 3: and: an operand is not a bool"},
    {"v0 = constant f64 1\n"
     "v1 = not v0",
     "line 2: not: an operand is not a bool"},
    {"v0 = constant f64 1\n"
     "v1 = select f64 v0 v0 v0",
     "line 2: select: an operand is not a bool"},
    {"v0 = constant bool true\n"
     "v1 = constant f32 1\n"
     "v2 = select f64 v0 v1 v1",
     "line 3: select: an operand is not a f64"},
    {"array a0 number\n"
     "v0 = constant f32 1\n"
     "v1 = at f64 a0 v0",
     "line 3: at: an operand is not a f64"},
    {"array a0 number\n"
     "v0 = constant f64 1\n"
     "v1 = at bool a0 v0",
     "line 3: at: an element is no bool"},
    {"array a0 bool\n"
     "v0 = constant f64 1\n"
     "v1 = at f64 a0 v0",
     "line 3: at: an element is no f64"},
    {"array a0 entity\n"
     "v0 = constant f64 1\n"
     "v1 = at f32 a0 v0",
     "line 3: at: an element is no f32"},
    {"array a0 number\n"
     "v0 = constant bool true\n"
     "v1 = inside a0 v0",
     "line 3: inside: an operand is not a f64"},
    {"array a0 number\n"
     "v0 = constant f64 1\n"
     "v1 = index a0 v0 v0",
     "line 3: index: the array is not one of the world"},
    {"array a0 of u8\n"
     "v0 = constant f64 1\n"
     "v1 = constant bool true\n"
     "v2 = index a0 v0 v0 v1",
     "line 4: index: an operand is not a f64"},
    {"array a0 number\n"
     "v0 = constant f64 1\n"
     "put a0 v0 v0",
     "line 3: put: the array is not one of the world"},
    {"array a0 of u8\n"
     "v0 = constant f32 1\n"
     "put a0 v0 v0",
     "line 3: put: an operand is not a f64"},
    {"array a0 of u8\n"
     "v0 = constant f64 1\n"
     "v1 = constant bool true\n"
     "put a0 v0 v1",
     "line 4: put: the array cannot hold a bool"},
    {"array a0 of bool\n"
     "v0 = constant f64 1\n"
     "put a0 v0 v0",
     "line 3: put: the array cannot hold a f64"},
    {"array a0 of f32\n"
     "v0 = constant f64 1\n"
     "put a0 v0 v0 v0",
     "line 3: put: an operand is not a bool"},
    {"array a0 of f32\n"
     "v0 = constant f64 1\n"
     "repeat\n"
     "put a0 v0 v0\n"
     "again",
     "line 4: put: stands in no cycle, but behind the last"},
    {"v0 = constant f32 1\n"
     "exit v0",
     "line 2: exit: an operand is not a bool"},
    {"v0 = constant bool true\n"
     "exit v0\n"
     "destroy v0\n"
     "exit v0",
     "line 4: exit: there is one before"},
    {"v0 = self\n"
     "v1 = carry entity v0",
     "line 2: carry: stands in no cycle"},
    {"v0 = constant bool true\n"
     "while v0",
     "line 2: while: stands in no cycle"},
    {"again", "line 1: again: stands in no cycle"},
    {"v0 = self\n"
     "next v0 v0",
     "line 2: next: stands in no cycle"},
    {"repeat", "line 1: repeat: a cycle has no again"},
    {"v0 = self\n"
     "repeat v0\n"
     "again",
     "line 2: repeat: an operand is not a bool"},
    {"v0 = self\n"
     "repeat\n"
     "again v0",
     "line 3: again: an operand is not a bool"},
    {"v0 = self\n"
     "repeat\n"
     "while v0\n"
     "again",
     "line 3: while: an operand is not a bool"},
    {"v0 = self\n"
     "repeat\n"
     "v1 = carry f32 v0\n"
     "next v1 v0\n"
     "again",
     "line 3: carry: an operand is not a f32"},
    {"v0 = self\n"
     "repeat\n"
     "v1 = carry entity v0\n"
     "v2 = constant f64 0\n"
     "next v1 v2\n"
     "again",
     "line 5: next: an operand is not a entity"},
    {"v0 = self\n"
     "repeat\n"
     "v1 = self\n"
     "v2 = carry entity v0\n"
     "next v2 v0\n"
     "again",
     "line 4: carry: stands behind repeat or another carry"},
    {"v0 = self\n"
     "repeat\n"
     "v1 = carry entity v0\n"
     "again",
     "line 4: again: a carry of the cycle has no next"},
    {"v0 = self\n"
     "repeat\n"
     "v1 = carry entity v0\n"
     "next v1 v0\n"
     "next v1 v0\n"
     "again",
     "line 5: next: the carry has a next already"},
    {"v0 = self\n"
     "repeat\n"
     "v1 = carry entity v0\n"
     "next v0 v0\n"
     "again",
     "line 4: next: the first operand is no carry of this cycle"},
    {"v0 = self\n"
     "repeat\n"
     "v1 = carry entity v0\n"
     "repeat\n"
     "next v1 v0\n"
     "again\n"
     "again",
     "line 5: next: the first operand is no carry of this cycle"},
    {"v0 = self\n"
     "repeat\n"
     "v1 = carry entity v0\n"
     "next v1 v0\n"
     "v2 = self\n"
     "again",
     "line 5: self: stands behind a next of its cycle"},
    {"v0 = self\n"
     "repeat\n"
     "v1 = carry entity v0\n"
     "next v1 v0\n"
     "repeat\n"
     "again\n"
     "again",
     "line 5: repeat: stands behind a next of its cycle"},
    {"repeat\n"
     "v0 = self\n"
     "again\n"
     "v1 = alive v0",
     "line 4: alive: an operand belongs to a cycle that has ended"},
    {"repeat\n"
     "v0 = constant bool true\n"
     "again\n"
     "destroy v0",
     "line 4: destroy: an operand belongs to a cycle that has ended"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "repeat\n"
     "v0 = constant f32 1\n"
     "again\n"
     "store c0 v0",
     "line 5: store: an operand belongs to a cycle that has ended"},
    {"repeat\n"
     "v0 = constant f32 1\n"
     "again\n"
     "v1 = self\n"
     "give \"R\" \"f32\" v0\n"
     "add_to v1 \"R\"",
     "line 5: give: an operand belongs to a cycle that has ended"},
    {"repeat\n"
     "destroy\n"
     "again",
     "line 2: destroy: stands in no cycle, but behind the last"},
    {"v0 = constant bool true\n"
     "repeat\n"
     "exit v0\n"
     "again",
     "line 3: exit: stands in no cycle, but behind the last"},
    {"destroy\n"
     "repeat\n"
     "again",
     "line 2: repeat: comes before all effects but an exit"},
    {"v0 = constant f32 1\n"
     "v1 = convert f32 v0",
     "line 2: convert: an operand is not a f64"},
    {"v0 = constant bool true\n"
     "v1 = convert bool v0",
     "line 2: convert: takes f32 or f64"},
    {"v0 = constant f32 1\n"
     "v1 = quantize i8 f64 v0",
     "line 2: quantize: an operand is not a f64"},
    {"v0 = constant bool true\n"
     "v1 = quantize bool bool v0",
     "line 2: quantize: takes the type of a number"},
    {"v0 = self\n"
     "v1 = quantize entity entity v0",
     "line 2: quantize: takes the type of a number"},
    {"v0 = constant bool true\n"
     "v1 = quantize i8 bool v0",
     "line 2: quantize: takes f32 or f64"},
    {"column c0 \"N\" \"f64\" f64 read\n"
     "v0 = load f32 c0",
     "line 2: load: the column does not load as f32"},
    {"column c0 \"N\" \"i32\" i32 read\n"
     "v0 = load f32 c0",
     "line 2: load: the column does not load as f32"},
    {"column c0 \"N\" \"u32\" u32 read\n"
     "v0 = load f32 c0",
     "line 2: load: the column does not load as f32"},
    {"column c0 \"N\" \"bool\" bool read\n"
     "v0 = load f64 c0",
     "line 2: load: the column does not load as f64"},
    {"column c0 \"N\" \"entity\" entity read\n"
     "v0 = load f64 c0",
     "line 2: load: the column does not load as f64"},
    {"column c0 \"N\" \"f32\" f32 read\n"
     "v0 = load bool c0",
     "line 2: load: the column does not load as bool"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "v0 = constant f32 1\n"
     "store c0 v0\n"
     "v1 = load f32 c0",
     "line 4: load: the column was stored before"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "v0 = present c0",
     "line 2: present: the column is not optional"},
    {"uniform u0 number\n"
     "v0 = uniform bool u0",
     "line 2: uniform: the uniform is no bool"},
    {"uniform u0 bool\n"
     "v0 = uniform f64 u0",
     "line 2: uniform: the uniform is no f64"},
    {"uniform u0 entity\n"
     "v0 = uniform f32 u0",
     "line 2: uniform: the uniform is no f32"},
    {"v0 = constant f64 1\n"
     "v1 = alive v0",
     "line 2: alive: an operand is not a entity"},
    {"v0 = constant f64 1\n"
     "v1 = has v0 \"T\"",
     "line 2: has: an operand is not a entity"},
    {"v0 = constant f64 1\n"
     "v1 = get f32 v0 \"R\" \"f32\"",
     "line 2: get: an operand is not a entity"},
    {"v0 = self\n"
     "v1 = get f32 v0 \"R\" \"f64\"",
     "line 2: get: the field does not load as f32"},
    {"v0 = self\n"
     "v1 = get bool v0 \"R\" \"f32\"",
     "line 2: get: the field does not load as bool"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "v0 = self\n"
     "v1 = get f32 v0 \"N\" \"f32\"",
     "line 3: get: the program writes N"},
    {"column c0 \"O\" \"f32\" f32 optional\n"
     "v0 = self\n"
     "v1 = get f64 v0 \"O\" \"f64\"",
     "line 3: get: the program writes O"},
    {"v0 = constant f32 1\n"
     "v1 = random v0",
     "line 2: random: an operand is not a f64"},
    {"column c0 \"N\" \"f32\" f32 read\n"
     "column c1 \"M\" \"f32\" f32 read\n"
     "v0 = constant f64 1\n"
     "v1 = element f32 c0 c1 v0",
     "line 4: element: the columns are not alike"},
    {"column c0 \"N\" \"f32\" f32 read\n"
     "column c1 \"N\" \"f64\" f64 read\n"
     "v0 = constant f64 1\n"
     "v1 = element f64 c0 c1 v0",
     "line 4: element: the columns are not alike"},
    {"column c0 \"N\" \"f32\" f32 read\n"
     "column c1 \"N\" \"f32b\" f32 write\n"
     "v0 = constant f64 1\n"
     "v1 = element f32 c0 c1 v0",
     "line 4: element: the columns are not alike"},
    {"column c0 \"N\" \"f32\" f32 read\n"
     "column c1 \"N\" \"f32b\" f32 read\n"
     "v0 = constant f64 1\n"
     "v1 = element f32 c1 c0 v0",
     "line 4: element: the last column is before the first"},
    {"column c0 \"N\" \"f32\" f32 read\n"
     "v0 = constant f32 1\n"
     "v1 = element f32 c0 c0 v0",
     "line 3: element: an operand is not a f64"},
    {"column c0 \"N\" \"f32\" f32 read\n"
     "v0 = constant f64 1\n"
     "v1 = element bool c0 c0 v0",
     "line 3: element: the columns do not load as bool"},
    {"column c0 \"N\" \"entity\" entity read\n"
     "v0 = constant f64 1\n"
     "v1 = element entity c0 c0 v0",
     "line 3: element: the columns do not load as entity"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "column c1 \"N\" \"f32b\" f32 write\n"
     "v0 = constant f64 1\n"
     "store c1 v0\n"
     "v1 = element f32 c0 c1 v0",
     "line 5: element: a column was stored before"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "column c1 \"N\" \"f32b\" f32 write\n"
     "v0 = constant f64 1\n"
     "scatter c0 c1 v0 v0\n"
     "v1 = load f32 c1",
     "line 5: load: the column was stored before"},
    {"column c0 \"N\" \"f32\" f32 read\n"
     "v0 = constant f64 1\n"
     "scatter c0 c0 v0 v0",
     "line 3: scatter: the columns are only read"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "v0 = constant f32 1\n"
     "scatter c0 c0 v0 v0",
     "line 3: scatter: an operand is not a f64"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "v0 = constant f64 1\n"
     "v1 = constant bool true\n"
     "scatter c0 c0 v0 v1",
     "line 4: scatter: the columns cannot hold a bool"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "v0 = constant f64 1\n"
     "scatter c0 c0 v0 v0 v0",
     "line 3: scatter: an operand is not a bool"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "column c1 \"M\" \"f32b\" f32 write\n"
     "v0 = constant f64 1\n"
     "scatter c0 c1 v0 v0",
     "line 4: scatter: the columns are not alike"},
    {"column c0 \"M\" \"f32\" f32 read\n"
     "v0 = constant f32 1\n"
     "store c0 v0",
     "line 3: store: the column is only read"},
    {"column c0 \"N\" \"bool\" bool write\n"
     "v0 = constant f32 1\n"
     "store c0 v0",
     "line 3: store: the column cannot hold a f32"},
    {"column c0 \"N\" \"entity\" entity write\n"
     "v0 = constant f64 1\n"
     "store c0 v0",
     "line 3: store: the column cannot hold a f64"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "v0 = constant bool true\n"
     "store c0 v0",
     "line 3: store: the column cannot hold a bool"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "v0 = self\n"
     "store c0 v0",
     "line 3: store: the column cannot hold a entity"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "v0 = constant f32 1\n"
     "store c0 v0 v0",
     "line 3: store: an operand is not a bool"},
    {"v0 = self\n"
     "destroy v0",
     "line 2: destroy: an operand is not a bool"},
    {"v0 = constant f32 1\n"
     "add \"T\" v0",
     "line 2: add: an operand is not a bool"},
    {"v0 = constant f64 1\n"
     "remove \"T\" v0",
     "line 2: remove: an operand is not a bool"},
    {"reduction r0 sum\n"
     "v0 = constant f32 1\n"
     "sum r0 v0",
     "line 3: sum: an operand is not a f64"},
    {"reduction r0 max\n"
     "v0 = constant f64 1\n"
     "max r0 v0 v0",
     "line 3: max: an operand is not a bool"},
    {"column c0 \"N\" \"f32\" f32 write\n"
     "column c1 \"N\" \"f32\" f32 read",
     "c1 is the same column as c0"},
    /* Operands of changes. */
    {"v0 = self\n"
     "v1 = spawn v0",
     "line 2: spawn: an operand is not a bool"},
    {"v0 = constant bool true\n"
     "add_to v0 \"R\"",
     "line 2: add_to: an operand is not a entity"},
    {"v0 = self\n"
     "set_of v0 \"R\" v0",
     "line 2: set_of: an operand is not a bool"},
    {"v0 = constant f64 1\n"
     "remove_from v0 \"R\"",
     "line 2: remove_from: an operand is not a entity"},
    {"v0 = constant f64 1\n"
     "destroy_other v0",
     "line 2: destroy_other: an operand is not a entity"},
    {"v0 = self\n"
     "destroy_other v0 v0",
     "line 2: destroy_other: an operand is not a bool"},
    /* What fields hold. */
    {"v0 = self\n"
     "part \"R\"\n"
     "give \"R\" \"f32\" v0",
     "line 3: give: the field cannot hold a entity"},
    {"v0 = constant f64 1\n"
     "part \"R\"\n"
     "give \"R\" \"entity\" v0",
     "line 3: give: the field cannot hold a f64"},
    {"v0 = constant f32 1\n"
     "part \"R\"\n"
     "give \"R\" \"bool\" v0",
     "line 3: give: the field cannot hold a f32"},
    {"v0 = constant bool true\n"
     "part \"R\"\n"
     "give \"R\" \"u32\" v0",
     "line 3: give: the field cannot hold a bool"},
    /* Parts and gives are for the change that follows. */
    {"part \"R\"", "line 1: part: no change follows"},
    {"part \"R\"\n"
     "part \"T\"",
     "line 2: part: no change follows"},
    {"v0 = constant f64 1\n"
     "give \"R\" \"f64\" v0",
     "line 2: give: no change follows"},
    {"part \"R\"\n"
     "v0 = self",
     "line 2: self: takes no such part or value"},
    {"part \"R\"\n"
     "destroy",
     "line 2: destroy: takes no such part or value"},
    {"v0 = constant bool true\n"
     "part \"R\"\n"
     "exit v0\n"
     "v1 = spawn",
     "line 3: exit: takes no such part or value"},
    {"part \"R\"\n"
     "add \"R\"",
     "line 2: add: takes no such part or value"},
    {"v0 = self\n"
     "part \"R\"\n"
     "add_to v0 \"R\"",
     "line 3: add_to: takes no such part or value"},
    {"v0 = self\n"
     "part \"R\"\n"
     "set_of v0 \"R\"",
     "line 3: set_of: takes no such part or value"},
    {"v0 = self\n"
     "give \"R\" \"entity\" v0\n"
     "add_to v0 \"T\"",
     "line 3: add_to: takes no such part or value"},
    {"v0 = self\n"
     "give \"R\" \"entity\" v0\n"
     "give \"N\" \"entity\" v0\n"
     "set_of v0 \"R\"",
     "line 4: set_of: takes no such part or value"},
    {"v0 = self\n"
     "give \"R\" \"entity\" v0\n"
     "remove_from v0 \"R\"",
     "line 3: remove_from: takes no such part or value"},
    {"v0 = self\n"
     "give \"R\" \"entity\" v0\n"
     "destroy_other v0",
     "line 3: destroy_other: takes no such part or value"},
    {"v0 = self\n"
     "part \"T\"\n"
     "give \"R\" \"entity\" v0\n"
     "v1 = spawn",
     "line 4: spawn: takes no such part or value"},
    {"v0 = self\n"
     "part \"R\"\n"
     "v1 = spawn\n"
     "give \"R\" \"entity\" v0\n"
     "v2 = spawn",
     "line 5: spawn: takes no such part or value"},
    {"part \"R\"\n"
     "part \"T\"\n"
     "part \"R\"\n"
     "v0 = spawn",
     "line 3: part: a component stands twice"},
    /* Changes are made before what depends on new entities is known. */
    {"v0 = spawn\n"
     "v1 = eq entity v0 v0\n"
     "exit v1",
     "line 3: exit: depends on an entity that the row spawns"},
    {"v0 = spawn\n"
     "v1 = alive v0\n"
     "v2 = not v1\n"
     "destroy v2",
     "line 4: destroy: depends on an entity that the row spawns"},
    {"v0 = spawn\n"
     "v1 = alive v0\n"
     "add \"T\" v1",
     "line 3: add: depends on an entity that the row spawns"},
    {"v0 = spawn\n"
     "v1 = has v0 \"T\"\n"
     "v2 = spawn v1",
     "line 3: spawn: depends on an entity that the row spawns"},
    {"v0 = spawn\n"
     "v1 = has v0 \"T\"\n"
     "remove_from v0 \"T\" v1",
     "line 3: remove_from: depends on an entity that the row spawns"},
    {"v0 = spawn\n"
     "v1 = has v0 \"T\"\n"
     "destroy_other v0 v1",
     "line 3: destroy_other: depends on an entity that the row spawns"},
    {"v0 = spawn\n"
     "v1 = get f64 v0 \"R\" \"f64\"\n"
     "part \"R\"\n"
     "give \"R\" \"f64\" v1",
     "line 4: give: depends on an entity that the row spawns"},
    {"v0 = spawn\n"
     "v1 = constant bool true\n"
     "v2 = select entity v1 v0 v0\n"
     "set_of v2 \"R\"",
     "line 4: set_of: depends on an entity that the row spawns"},
    {"v0 = spawn\n"
     "v1 = get entity v0 \"R\" \"entity\"\n"
     "give \"R\" \"entity\" v1\n"
     "add_to v0 \"R\"",
     "line 3: give: depends on an entity that the row spawns"},
};

TEST(every_rule_is_kept) {
  Rig rig;
  rig_init(&rig);
  for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; k++) {
    ecs_Program *program = NULL;
    assert_int_equal(
        rig_create(&rig, wrongs[k].text, strlen(wrongs[k].text), &program),
        ECS_E_PROGRAM);
    assert_string_equal(rig.message, wrongs[k].message);
  }
  rig_deinit(&rig);
}

/* What the rules of changes allow: an exit behind other effects, and an entity
 * that the row spawns as the target of a change, as a value, and in all that is
 * not needed for changes. */
TEST(changes_may_take_new_entities) {
  static const char *const rights[] = {
      "v0 = constant bool true\ndestroy v0\nexit v0\n",
      "part \"R\"\nv0 = spawn\nadd_to v0 \"T\"\nset_of v0 \"B\"\n"
      "remove_from v0 \"R\"\ndestroy_other v0\n",
      "v0 = spawn\npart \"R\"\ngive \"R\" \"entity\" v0\n"
      "give \"R\" \"entity\" v0\nv1 = spawn\n"
      "give \"R\" \"entity\" v1\nset_of v0 \"R\"\n",
      "column c0 \"N\" \"entity\" entity write\nreduction r0 sum\n"
      "v0 = spawn\nv1 = alive v0\nv2 = get f64 v0 \"R\" \"f64\"\n"
      "sum r0 v2 v1\nstore c0 v0 v1\n"};
  Rig rig;
  rig_init(&rig);
  for (size_t k = 0; k < sizeof rights / sizeof *rights; k++) {
    ecs_Program *program = NULL;
    if (rig_create(&rig, rights[k], strlen(rights[k]), &program) != ECS_OK)
      fail_msg("%s", rig.message);
    ecs_program_destroy(program);
  }
  rig_deinit(&rig);
}

#ifdef ECS_TINY
#define PARTS (ECS_COMPONENT_LIMIT - 1u)
#else
#define PARTS (PART_LIMIT + 1u)
#endif

/* An entity is spawned with as many components as the limit says, and not with
 * one more. The tiny build has fewer components. */
TEST(parts_have_a_limit) {
  static char text[4096];
  ecs_World *world = NULL;
  ecs_Query *query = NULL;
  ecs_Program *program = NULL;
  char name[16], message[200] = "";
  size_t length = 0;
  assert_int_equal(ecs_world_create(NULL, &world), ECS_OK);
  assert_int_equal(ecs_query_create(world, NULL, 0, &query), ECS_OK);
  for (uint32_t k = 1; k <= PARTS; k++) {
    snprintf(name, sizeof name, "C%u", k);
    const ecs_ComponentDescription how = {.name = name,
                                          .fields = NULL,
                                          .field_count = 0,
                                          .storage = ECS_STORE_TABLE};
    ecs_Component component = 0;
    assert_int_equal(ecs_component(world, &how, &component), ECS_OK);
    length += (size_t)snprintf(text + length, sizeof text - length,
                               "part \"%s\"\n", name);
    size_t end = length + (size_t)sprintf(text + length, "v0 = spawn\n");
    ecs_Status status =
        ecs_program_create(query, text, end, &program, message, sizeof message);
    assert_int_equal(status, k <= PART_LIMIT ? ECS_OK : ECS_E_PROGRAM);
    if (status == ECS_OK) ecs_program_destroy(program);
    if (status != ECS_OK)
      assert_string_equal(message, "line 65: part: too many components");
  }
  ecs_world_destroy(world);
}

/* The parser does not make such programs, so a program is broken by hand:
 * instruction k gets another operand or result. */
static void break_one(uint32_t k, uint32_t operand, uint32_t result,
                      const char *expected) {
  static const char text[] =
      "column c0 \"N\" \"f32\" f32 write\nv0 = load f32 c0\n"
      "v1 = neg f32 v0\nstore c0 v1\nv2 = abs f32 v1\n";
  Rig rig;
  char message[200] = "";
  const Mistake mistake = {message, sizeof message};
  rig_init(&rig);
  ecs_Program program = {.query = rig.query};
  assert_int_equal(program_parse(&program, text, sizeof text - 1, &mistake),
                   ECS_OK);
  assert_int_equal(program_verify(&program, &mistake), ECS_OK);
  program.code[k].operands[0] = operand;
  program.code[k].result = result;
  assert_int_equal(program_verify(&program, &mistake), ECS_E_PROGRAM);
  assert_string_equal(message, expected);
  program_deinit(&program);
  rig_deinit(&rig);
}

TEST(operands_are_defined_before) {
  break_one(1, 1, 1, "line 3: neg: an operand is not defined yet");
  break_one(1, 2, 1, "line 3: neg: an operand is not defined yet");
  break_one(1, NO_VALUE, 1, "line 3: neg: an operand is missing");
  break_one(2, 2, NO_VALUE, "line 4: store: an operand is not defined yet");
  break_one(2, NO_VALUE, NO_VALUE, "line 4: store: an operand is missing");
}

TEST(results_come_in_their_order) {
  const char *const wrong =
      "line 3: neg: the result is not the value that "
      "comes next";
  break_one(1, 0, 2, wrong);
  break_one(1, 0, 0, wrong);
  break_one(1, 0, NO_VALUE, wrong);
  break_one(2, 1, 2,
            "line 4: store: the result is not the value that comes next");
}

/* docs/programs.md has every operation, between backticks or after one. */
TEST(the_page_names_every_operation) {
  static char page[65536];
  char opening[40];
  FILE *file = fopen("docs/programs.md", "r");
  assert_non_null(file);
  size_t length = fread(page, 1, sizeof page - 1, file);
  fclose(file);
  page[length] = 0;
  for (int k = 0; k < OPERATION_COUNT; k++) {
    snprintf(opening, sizeof opening, "`%s", operation_infos[k].name);
    const char *found = strstr(page, opening);
    while (found != NULL && found[strlen(opening)] != '`' &&
           found[strlen(opening)] != ' ')
      found = strstr(found + 1, opening);
    if (found == NULL)
      fail_msg("%s is not in the page", operation_infos[k].name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_rule_is_kept),
      cmocka_unit_test(changes_may_take_new_entities),
      cmocka_unit_test(parts_have_a_limit),
      cmocka_unit_test(the_page_names_every_operation),
      cmocka_unit_test(operands_are_defined_before),
      cmocka_unit_test(results_come_in_their_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* program_differential_test.c: random kernel programs against the reference.
 *
 * program_writer.h writes them, program_rig.h runs and compares them, bit for
 * bit, behind guard pages. Each is also printed and read again. Everything
 * follows from the seed: PROGRAM_SEED and PROGRAM_COUNT in the environment
 * choose others, and a failure prints the text and the seed of the program.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test_case.h"
#include "program_writer.h"

#define PROGRAMS 20000u

static Writer writer;

static uint64_t from_environment(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 0);
}

/* Mostly few rows; sometimes at the edges of blocks and of folds. */
static RigCuts some_cuts(Random *random) {
  static const uint32_t edges[] = {511, 512, 513, 1023, 1024, 1025};
  RigCuts cuts = {.block_count = random_below(random, RIG_BLOCKS + 1)};
  for (uint32_t b = 0; b < cuts.block_count; b++) {
    cuts.counts[b] = random_below(random, random_chance(random, 30) ? 71 : 20);
    if (random_chance(random, 1))
      cuts.counts[b] = edges[random_below(random, 6)];
  }
  return cuts;
}

static void explain(const Rig *rig, uint64_t seed, const char *failure) {
  fputs(writer.text, stderr);
  fail_msg("program of seed %llu: %s: %s", (unsigned long long)seed, failure,
           rig->message);
}

static void check_text(const Rig *rig, ecs_Program *program, uint64_t seed) {
  static char once[4 * WRITER_ROOM], twice[4 * WRITER_ROOM];
  ecs_Program *again = NULL;
  size_t length = ecs_program_text(program, once, sizeof once);
  assert_true(length < sizeof once);
  ecs_Status status =
      ecs_program_create(rig->query, once, length, &again, NULL, 0);
  if (status != ECS_OK) explain(rig, seed, "cannot be read again");
  ecs_program_text(again, twice, sizeof twice);
  if (strcmp(once, twice) != 0) explain(rig, seed, "prints differently");
  ecs_program_destroy(again);
}

/* Is it a change, of which runs count how many they made? */
static bool is_change(Operation operation) {
  const Instruction ins = {.operation = (uint8_t)operation};
  OperationShape shape = operation_infos[operation].shape;
  return instruction_is_change(&ins) && shape != SHAPE_PART &&
         shape != SHAPE_GIVE;
}

/* By operation, those of whole numbers of 32 bits in the plans. */
static uint64_t wholes[OPERATION_COUNT], whole_programs, naturals;

/* Notes which instructions of a program are planned as whole numbers. */
static void note_wholes(const ecs_Program *program) {
  const ecs_Program *planned = program->whole;
  whole_programs += planned != NULL;
  for (uint32_t k = 0; planned != NULL && k < planned->code_count; k++) {
    const Instruction *ins = &planned->code[k];
    bool takes = ins->operands[0] != NO_VALUE &&
                 planned->types[ins->operands[0]] >= VALUE_WHOLE;
    wholes[ins->operation] += ins->type >= VALUE_WHOLE || takes;
    naturals += ins->type == VALUE_NATURAL;
  }
}

static void print_wholes(bool all) {
  static const Operation expected[] = {
      OPERATION_NEGATE,  OPERATION_ABSOLUTE, OPERATION_PLUS,
      OPERATION_MINUS,   OPERATION_TIMES,    OPERATION_MINIMUM,
      OPERATION_MAXIMUM, OPERATION_LESS,     OPERATION_LESS_EQUAL,
      OPERATION_EQUAL,   OPERATION_SELECT,   OPERATION_CONVERT,
      OPERATION_LOAD,    OPERATION_QUANTIZE, OPERATION_CONSTANT,
      OPERATION_STORE,   OPERATION_MODULO};
  print_message("whole programs %llu, of u32 %llu",
                (unsigned long long)whole_programs,
                (unsigned long long)naturals);
  if (all) assert_true(naturals > 1000);
  for (uint32_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    print_message(", %s %llu", operation_infos[expected[k]].name,
                  (unsigned long long)wholes[expected[k]]);
    if (all) assert_true(wholes[expected[k]] > 100);
  }
  print_message("\n");
}

TEST(random_programs_are_as_the_reference) {
  uint64_t seed = from_environment("PROGRAM_SEED", 1);
  uint64_t count = from_environment("PROGRAM_COUNT", PROGRAMS), shared = 0;
  Rig rig;
  rig_init(&rig);
  for (uint64_t last = seed + count; seed < last; seed++) {
    ecs_Program *program = NULL;
    writer_write(&writer, seed);
    if (rig_create(&rig, writer.text, writer.length, &program) != ECS_OK)
      explain(&rig, seed, "is refused");
    note_wholes(program);
    RigCuts cuts = some_cuts(&writer.random);
    (void)ecs_world_set_threads(rig.world, 2 + (uint32_t)(seed % 3));
    if (!rig_run(&rig, program, &cuts, seed)) explain(&rig, seed, "differs");
    if (seed % 8 == 0) check_text(&rig, program, seed);
    shared += program->parallel != NULL;
    ecs_program_destroy(program);
  }
  rig_deinit(&rig);
  print_message("%llu programs had threads\n", (unsigned long long)shared);
  if (count >= PROGRAMS) assert_true(shared > 100);
  print_wholes(count >= PROGRAMS);
  print_message("keys shown %llu, behind others %llu, ",
                (unsigned long long)rig.shown[0],
                (unsigned long long)rig.shown[1]);
  print_message("parts %llu, ahead %llu, stops %llu, failures %llu",
                (unsigned long long)rig.parts, (unsigned long long)rig.ahead,
                (unsigned long long)rig.stops,
                (unsigned long long)rig.failures);
  if (count >= PROGRAMS) assert_true(rig.parts > 1000 && rig.stops > 100);
  if (count >= PROGRAMS) assert_true(rig.ahead > 100);
  print_message(", puts %llu, runs that may see them %llu",
                (unsigned long long)rig.puts, (unsigned long long)rig.seen);
  if (count >= PROGRAMS) assert_true(rig.puts > 1000 && rig.seen > 100);
  if (count >= PROGRAMS) assert_true(rig.shown[0] > 1000 && rig.shown[1] > 20);
  for (uint32_t k = 0; k < OPERATION_COUNT; k++) {
    if (!is_change((Operation)k)) continue;
    print_message(", %s %llu", operation_infos[k].name,
                  (unsigned long long)rig.made[k]);
    if (count >= PROGRAMS) assert_true(rig.made[k] > 1000);
  }
  print_message("\n");
  for (uint32_t k = 0; k < OPERATION_COUNT; k++) {
    print_message("%s%s %llu",
                  k == 0       ? ""
                  : k % 8 == 0 ? "\n"
                               : ", ",
                  operation_infos[k].name,
                  (unsigned long long)writer.operations[k]);
    if (count >= PROGRAMS) assert_true(writer.operations[k] > 100);
  }
  print_message("\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_programs_are_as_the_reference)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

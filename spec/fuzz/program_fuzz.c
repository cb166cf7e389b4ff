/* program_fuzz.c: kernel programs as libFuzzer mutates them.
 *
 * The input is the text of a program. If it is refused, there must be a
 * message. If it is accepted, it must print as text that is accepted and prints
 * the same, and it must run as the reference does, on columns that end before
 * guard pages (spec/core/support/program_rig.h). How rows are cut follows from
 * the text.
 *
 * Blind mutation rarely gives a program that is accepted. So half of the
 * mutations change digits of the text, or start again from a random valid
 * program.
 *
 *      make fuzz SECONDS=600        corpus in build/fuzz/corpus, seeds here
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program_writer.h"

#define TEXT_ROOM (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

static Rig rig;

static void fault(const char *what) {
  fprintf(stderr, "%s: %s\n", what, rig.message);
  abort();
}

static uint64_t hash_of(const uint8_t *data, size_t size) {
  uint64_t hash = UINT64_C(1469598103934665603);
  for (size_t k = 0; k < size; k++)
    hash = (hash ^ data[k]) * UINT64_C(1099511628211);
  return hash;
}

static void check_text(const ecs_Program *program) {
  static char once[TEXT_ROOM], twice[TEXT_ROOM];
  ecs_Program *again = NULL;
  size_t length = ecs_program_text(program, once, sizeof once);
  if (length >= sizeof once) return;
  if (ecs_program_create(rig.query, once, length, &again, rig.message,
                         sizeof rig.message) != ECS_OK)
    fault("cannot be read again");
  ecs_program_text(again, twice, sizeof twice);
  if (strcmp(once, twice) != 0) fault("prints differently");
  ecs_program_destroy(again);
}

static void run(ecs_Program *program, uint64_t seed) {
  Random random = {seed};
  RigCuts cuts = {.block_count = random_below(&random, RIG_BLOCKS + 1)};
  for (uint32_t b = 0; b < cuts.block_count; b++)
    cuts.counts[b] =
        random_below(&random, random_chance(&random, 5) ? 1100 : 40);
  if (!rig_run(&rig, program, &cuts, random.state)) fault("differs");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ecs_Program *program = NULL;
  if (rig.world == NULL) rig_init(&rig);
  /* In an exact copy, a read past the end of the text is noticed. */
  char *text = malloc(size + (size == 0));
  if (size > 0) memcpy(text, data, size);
  ecs_Status status = rig_create(&rig, text, size, &program);
  free(text);
  if (status == ECS_OK) {
    run(program, hash_of(data, size));
    check_text(program);
    ecs_program_destroy(program);
  } else {
    if (status != ECS_E_PROGRAM && status != ECS_E_LIMIT) fault("status");
    if (rig.message[0] == 0) fault("no message");
  }
  return 0;
}

/* Mutation ---------------------------------------------------------------- */

static size_t write_anew(uint8_t *data, size_t most, uint64_t seed) {
  static Writer writer;
  writer_write(&writer, seed);
  if (writer.length > most) return 0;
  memcpy(data, writer.text, writer.length);
  return writer.length;
}

static bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

/* One digit becomes another; numbers keep their length. */
static void change_digit(uint8_t *data, size_t size, Random *random) {
  for (uint32_t tries = 0; tries < 64 && size > 0; tries++) {
    size_t at = random_below(random, (uint32_t)size);
    if (!is_digit(data[at])) continue;
    data[at] = (uint8_t)('0' + random_below(random, 10));
    return;
  }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned int seed) {
  Random random = {seed};
  uint32_t kind = random_below(&random, 100);
  if (kind < 50) return LLVMFuzzerMutate(data, size, most);
  if (kind < 55) return write_anew(data, most, random.state);
  for (uint32_t k = random_below(&random, 3) + 1; k > 0; k--)
    change_digit(data, size, &random);
  return size;
}

/* partition_hash_test.c: a program has one state, however its components are
 * stored.
 *
 * Programs of random changes run once in a world where everything is in the main
 * group, and then in worlds where components go apart, back, and into bits before
 * any of the changes. Queries are made once and kept. After each move and at the
 * end, the state must be that of the first world after as many changes.
 */
#include "api_fixture.h"
#include "test_case.h"

#include <stdlib.h>

#define KINDS 8u
#define FIRST_TAG 4u /* kinds from here on have no fields */
#define CROWD 24u
#define STEPS 60u
#define PARTITIONS 12u
#define QUERIES 5u

typedef struct Player {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component kinds[KINDS];
  ecs_Query *queries[QUERIES];
  ecs_Entity crowd[CROWD];
} Player;

/* What the first world was like after each change. */
typedef struct Record {
  uint64_t state;
  uint64_t counts[QUERIES];
} Record;

static uint32_t roll(uint32_t *seed, uint32_t limit) {
  *seed = *seed * 1103515245u + 12345u;
  return (*seed >> 16) % limit;
}

/* Playing ----------------------------------------------------------------- */

static void define_kinds(Player *player) {
  static const ecs_Field fields[] = {
      {"x", ECS_F32, 0}, {"n", ECS_I16, 7}, {"d", ECS_F64, 0.5}};
  static const char *const names[] = {"a", "b", "c", "sparse",
                                      "t", "u", "v", "sparse tag"};
  for (uint32_t k = 0; k < KINDS; k++)
    player->kinds[k] = define_component(player->world, names[k], fields,
                                        k < FIRST_TAG ? 1 + k % 3 : 0,
                                        k % 4 == 3 ? ECS_STORE_SPARSE
                                        : k == 6   ? ECS_STORE_BITS
                                                   : ECS_STORE_TABLE);
}

static void make_queries(Player *player) {
  const ecs_Component *kinds = player->kinds;
  const ecs_Term terms[QUERIES][3] = {
      {{kinds[0], ECS_READ}, {kinds[4], ECS_WITH}, {kinds[5], ECS_WITHOUT}},
      {{kinds[1], ECS_READ}, {kinds[6], ECS_WITH}, {kinds[3], ECS_READ}},
      {{kinds[4], ECS_WITH}, {kinds[6], ECS_WITHOUT}, {kinds[7], ECS_WITHOUT}},
      {{kinds[2], ECS_READ}, {kinds[7], ECS_WITH}, {kinds[4], ECS_WITHOUT}},
      {{kinds[5], ECS_WITH}, {kinds[6], ECS_WITH}, {kinds[0], ECS_WITHOUT}}};
  for (uint32_t q = 0; q < QUERIES; q++)
    player->queries[q] = make_query(player->world, terms[q], 3);
}

static void open_player(Player *player) {
  *player = (Player){.world = NULL};
  player->world = open_world(&player->failing);
  define_kinds(player);
  make_queries(player);
}

static void close_player(Player *player) {
  close_world(player->world, &player->failing);
}

static void respawn(Player *player, uint32_t who, uint32_t *seed) {
  ecs_Component list[KINDS];
  uint32_t count = 0, mask = roll(seed, 1u << KINDS);
  for (uint32_t k = 0; k < KINDS; k++)
    if ((mask >> k & 1u) != 0) list[count++] = player->kinds[k];
  if (ecs_alive(player->world, player->crowd[who]))
    assert_int_equal(ecs_destroy(player->world, player->crowd[who]), ECS_OK);
  assert_int_equal(
      ecs_spawn(player->world, list, count, NULL, &player->crowd[who]), ECS_OK);
}

/* Sets the first field of a component where the entity has it. */
static void set_first(Player *player, ecs_Entity entity, uint32_t kind,
                      double number) {
  unsigned char image[32] = {0};
  ecs_FieldInfo info;
  ecs_Component component = player->kinds[kind];
  if (!ecs_has(player->world, entity, component)) return;
  assert_int_equal(ecs_component_field(player->world, component, 0, &info),
                   ECS_OK);
  assert_int_equal(ecs_scalar_store(info.type, image + info.offset, number),
                   ECS_OK);
  assert_int_equal(ecs_set(player->world, entity, component, image, 1), ECS_OK);
}

/* One change, the same for the same seed in every world. */
static void change(Player *player, uint32_t seed) {
  uint32_t what = roll(&seed, 100), who = roll(&seed, CROWD);
  uint32_t kind = roll(&seed, KINDS);
  ecs_Entity entity = player->crowd[who];
  ecs_Component component = player->kinds[kind];
  ecs_Query *query = player->queries[roll(&seed, QUERIES)];
  if (what < 20 || !ecs_alive(player->world, entity))
    respawn(player, who, &seed);
  else if (what < 26)
    assert_int_equal(ecs_destroy(player->world, entity), ECS_OK);
  else if (what < 55)
    assert_int_equal(ecs_add(player->world, entity, component, NULL), ECS_OK);
  else if (what < 80)
    assert_int_equal(ecs_remove(player->world, entity, component), ECS_OK);
  else if (what < 90)
    set_first(player, entity, kind % FIRST_TAG, roll(&seed, 99));
  else if (what < 95)
    assert_int_equal(ecs_query_add_all(query, component, NULL), ECS_OK);
  else
    assert_int_equal(ecs_query_remove_all(query, component), ECS_OK);
}

/* Comparing --------------------------------------------------------------- */

static Record look(const Player *player) {
  Record record = {.state = ecs_world_state_hash(player->world)};
  for (uint32_t q = 0; q < QUERIES; q++)
    assert_int_equal(ecs_query_count(player->queries[q], &record.counts[q]),
                     ECS_OK);
  return record;
}

static void assert_same(const Player *player, const Record *expected) {
  Record found = look(player);
  assert_true(found.state == expected->state);
  for (uint32_t q = 0; q < QUERIES; q++)
    assert_int_equal(found.counts[q], expected->counts[q]);
}

/* Moves a random set apart, to the main group or into bits. */
static void move(Player *player, uint32_t *seed) {
  ecs_Component list[KINDS];
  uint32_t count = 0, mask = roll(seed, 1u << KINDS), way = roll(seed, 3);
  for (uint32_t k = way == 2 ? FIRST_TAG : 0; k < KINDS; k++)
    if ((mask >> k & 1u) != 0) list[count++] = player->kinds[k];
  ecs_Status status = way == 0   ? ecs_group(player->world, list, count)
                      : way == 1 ? ecs_ungroup(player->world, list, count)
                                 : ecs_group_bits(player->world, list, count);
  if (status == ECS_E_LIMIT) return; /* a small build has few groups */
  assert_int_equal(status, ECS_OK);
}

/* Runs a program. records: those of its first run, which makes them. */
static void play(uint32_t program, uint32_t partition, Record *records) {
  Player player;
  uint32_t moves = program * 977u + partition;
  open_player(&player);
  for (uint32_t step = 0; step < STEPS; step++) {
    change(&player, program * 7919u + step * 104729u);
    if (partition == 0) records[step] = look(&player);
    assert_same(&player, &records[step]);
    if (partition == 0 || roll(&moves, 4) != 0) continue;
    move(&player, &moves);
    assert_same(&player, &records[step]);
  }
  close_player(&player);
}

TEST(a_program_has_one_state_for_every_partition) {
  Record records[STEPS];
  uint32_t programs = getenv("ECS_TEST_SHORT") != NULL ? 20 : 100;
  for (uint32_t program = 1; program <= programs; program++)
    for (uint32_t partition = 0; partition <= PARTITIONS; partition++)
      play(program, partition, records);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_program_has_one_state_for_every_partition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

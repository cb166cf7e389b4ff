/* cascade_failure_test.c: random changes of linked and observed entities, in
 * which every allocation fails.
 *
 *      world    n-th allocation of a step fails ... n + 1 ... until none does
 *      twin     the same steps, and nothing ever fails
 *
 * Behind each failure the world is what it was: its hash, its links, what its
 * observers wait for, and what its queries show. In the end it is like its twin.
 * Entities link in circles and to themselves, by links of all kinds.
 */
#include "observe_fixture.h"
#include "program_rig.h"
#include "test_case.h"

#define LINKS 4u
#ifdef ECS_TINY
#define SLOTS 14u
#define MOVES 60u
#define OBSERVED 2u /* links, by three observers each */
#else
#define SLOTS 20u
#define MOVES 150u
#define OBSERVED LINKS
#endif

typedef struct Side {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component links[LINKS], number;
  ecs_Query *sorted, *tree, *all;
  ecs_Entity entities[SLOTS];
  Log log;
} Side;

typedef struct Play {
  Side sides[2]; /* in the first one allocations fail */
  Random random;
  uint64_t failures, told;
} Play;

/* Worlds ------------------------------------------------------------------- */

static void define_links(Side *side, uint64_t seed) {
  static const char *const names[LINKS] = {"Clears", "Removes", "Kin", "Owns"};
  static const ecs_Link links[LINKS] = {{0, ECS_LINK_CLEAR, false},
                                        {0, ECS_LINK_REMOVE, false},
                                        {0, ECS_LINK_DESTROY, true},
                                        {0, ECS_LINK_DESTROY, false}};
  const ecs_Field to = {"to", ECS_ENTITY, 0};
  for (uint32_t i = 0; i < LINKS; i++) {
    const ecs_ComponentDescription how = {
        .name = names[i],
        .fields = &to,
        .field_count = 1,
        .storage = (seed >> i & 1u) != 0 ? ECS_STORE_SPARSE : ECS_STORE_TABLE,
        .links = &links[i],
        .link_count = 1};
    assert_int_equal(ecs_component(side->world, &how, &side->links[i]), ECS_OK);
  }
}

static void observe_all(Side *side) {
  static const ecs_Occasion occasions[] = {ECS_ON_ADD, ECS_ON_REMOVE,
                                           ECS_ON_SET};
  ecs_Observer id = 0;
  for (uint32_t i = LINKS - OBSERVED; i < LINKS; i++)
    for (uint32_t k = 0; k < 3; k++)
      assert_int_equal(
          ecs_observe(side->world, occasions[k], side->links[i], &id), ECS_OK);
  assert_int_equal(ecs_observe(side->world, ECS_ON_DESTROY, 0, &id), ECS_OK);
  assert_int_equal(ecs_observe_query(side->sorted, ECS_ON_LEAVE, &id), ECS_OK);
}

static void open_side(Side *side, uint64_t seed) {
  static const ecs_Field x = {"x", ECS_F32, 0};
  side->world = open_world(&side->failing);
  side->number = define_component(side->world, "X", &x, 1, ECS_STORE_TABLE);
  define_links(side, seed);
  const ecs_Term sorted[] = {{side->number, ECS_READ},
                             {side->links[1], ECS_OPTIONAL}};
  const ecs_Term tree[] = {{side->number, ECS_WRITE},
                           {side->links[2], ECS_ALONG},
                           {side->number, ECS_UP}};
  side->sorted = make_query(side->world, sorted, 2);
  side->tree = make_query(side->world, tree, 3);
  side->all = make_query(side->world, sorted, 0);
  assert_int_equal(ecs_query_sort(side->sorted, 0, 0, true), ECS_OK);
  if (seed % 3 > 0) observe_all(side);
}

/* Steps -------------------------------------------------------------------- */

/* Numbers of one step, drawn once for both sides. */
typedef struct Move {
  uint32_t kind, slot, other, link, value;
} Move;

static ecs_Status set_link(Side *side, const Move *move, uint32_t link) {
  return ecs_set(side->world, side->entities[move->slot],
                 side->links[link % LINKS], &side->entities[move->other],
                 UINT64_MAX);
}

/* Records some changes and ends the recording. */
static ecs_Status record(Side *side, const Move *move) {
  ecs_World *world = side->world;
  const float x = (float)move->value;
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  ecs_Status status = set_link(side, move, move->link);
  if (status == ECS_OK) status = set_link(side, move, move->link + 1);
  if (status == ECS_OK)
    status = ecs_destroy(world, side->entities[(move->other + 1) % SLOTS]);
  if (status == ECS_OK)
    status = ecs_set(world, side->entities[move->slot], side->number, &x, 1);
  if (status == ECS_OK)
    status = ecs_remove(world, side->entities[(move->slot + 1) % SLOTS],
                        side->links[(move->link + 2) % LINKS]);
  if (status == ECS_OK) return ecs_defer_end(world);
  ecs_defer_discard(world);
  return status;
}

static ecs_Status walk(ecs_Query *query) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  ecs_Status status = ecs_query_begin(query, ECS_BATCH_COALESCED, &cursor);
  if (status != ECS_OK) return status;
  while (ecs_cursor_next(&cursor, &batch)) {
  }
  return ecs_cursor_end(&cursor);
}

/* Spawns what is not there with a link, so that no slot stays empty. */
static ecs_Status spawn(Side *side, const Move *move) {
  const float x = (float)move->value;
  const ecs_Component parts[] = {side->number, side->links[move->link]};
  const void *const values[] = {&x, &side->entities[move->other]};
  ecs_Entity made = 0;
  bool links = ecs_alive(side->world, side->entities[move->other]);
  ecs_Status status =
      ecs_spawn(side->world, parts, links ? 2 : 1, values, &made);
  if (status == ECS_OK) side->entities[move->slot] = made;
  return status;
}

static ecs_Status take(Side *side, const Move *move) {
  ecs_World *world = side->world;
  ecs_Entity entity = side->entities[move->slot];
  if (!ecs_alive(world, entity)) return spawn(side, move);
  switch (move->kind % 10) {
    case 0: return ecs_destroy(world, entity);
    case 1: return ecs_query_destroy_all(side->tree);
    case 2: return walk(side->sorted);
    case 3: return walk(side->tree);
    case 4: return ecs_remove(world, entity, side->links[move->link]);
    case 5: return record(side, move);
    case 6: return ecs_set_name(world, entity, move->link % 2 == 0 ? "a" : "b");
    case 7: return move->value % 16 == 0 ? ecs_world_clear(world) : ECS_OK;
    default: return set_link(side, move, move->link);
  }
}

/* Comparing ---------------------------------------------------------------- */

static uint64_t state_of(const Side *side) {
  assert_true(world_check_invariants(side->world));
  return ecs_world_state_hash(side->world);
}

static void make_and_compare(Play *play, const Move *move) {
  Side *side = &play->sides[0], *twin = &play->sides[1];
  uint64_t before = state_of(side);
  ecs_Status status = ECS_OK;
  for (uint64_t n = 1;; n++) {
    failing_memory_arm(&side->failing, n,
                       move->value % 2 == 0 ? FAIL_ONCE : FAIL_ONWARD);
    status = take(side, move);
    if (failing_memory_disarm(&side->failing) == 0) break;
    if (status == ECS_OK) break; /* what failed was not needed */
    play->failures++;
    assert_int_equal(status, ECS_E_MEMORY);
    assert_true(state_of(side) == before);
    assert_int_equal(*ecs_world_notices(side->world), 0);
  }
  assert_int_equal(take(twin, move), status);
  assert_true(state_of(side) == state_of(twin));
  read_notices(side->world, &side->log);
  read_notices(twin->world, &twin->log);
  assert_int_equal(side->log.count, twin->log.count);
  play->told += side->log.count;
  for (uint32_t i = 0; i < side->log.count; i++)
    assert_notice(&side->log, i, twin->log.notices[i].observer,
                  twin->log.notices[i].entity);
}

static Move draw(Play *play) {
  Random *random = &play->random;
  return (Move){random_below(random, 10), random_below(random, SLOTS),
                random_below(random, SLOTS), random_below(random, LINKS),
                random_below(random, 64)};
}

TEST(every_allocation_of_a_cascade_may_fail) {
  static Play play;
  uint64_t failures = 0, told = 0;
  uint64_t programs = getenv("ECS_TEST_SHORT") != NULL ? 12 : 120;
  for (uint64_t seed = 1; seed <= programs; seed++) {
    memset(&play, 0, sizeof play);
    play.random.state = seed;
    for (uint32_t k = 0; k < 2; k++) open_side(&play.sides[k], seed);
    for (uint32_t k = 0; k < MOVES; k++) {
      const Move move = draw(&play);
      make_and_compare(&play, &move);
    }
    for (uint32_t k = 0; k < 2; k++)
      close_world(play.sides[k].world, &play.sides[k].failing);
    failures += play.failures;
    told += play.told;
  }
  assert_true(failures > programs * 40 && told > programs * 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_allocation_of_a_cascade_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

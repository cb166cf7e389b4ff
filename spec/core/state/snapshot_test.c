/* snapshot_test.c: what is put back, whatever has become of the world.
 *
 * A town is a world with components of every storage, links and names, and a
 * random program that uses every call that changes one. Where a snapshot was
 * taken the program is run, taken back, and run again: all hashes are as they
 * were, which covers the order of rows and tables, and the handles to come.
 */
#include <stdio.h>
#include <string.h>

#include "api_fixture.h"
#include "test_case.h"
#include "world/world.h"

#define PARTS 6u
#define CITIZENS 24u
#define WATCHES 4u

typedef struct Town {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component parts[PARTS];
  ecs_Query *queries[WATCHES];
} Town;

/* What the random program keeps beside the world. */
typedef struct Play {
  uint64_t random;
  ecs_Entity citizens[CITIZENS];
  ecs_Component later[2]; /* 0: the program has not defined it yet */
} Play;

static void open_town(Town *town) {
  memset(town, 0, sizeof *town);
  ecs_World *world = town->world = open_world(&town->failing);
  const ecs_Field fields[] = {{"x", ECS_F32, 0}, {"y", ECS_U16, 3}};
  const ecs_Field wide[] = {{"z", ECS_F64, 0}, {"w", ECS_U8, 9}};
  const ecs_Field home[] = {{"of", ECS_ENTITY, 0}};
  const ecs_Link link = {0, ECS_LINK_CLEAR, false};
  ecs_ComponentDescription linked = {.name = "L",
                                     .fields = home,
                                     .field_count = 1,
                                     .links = &link,
                                     .link_count = 1};
  town->parts[0] = define_component(world, "A", fields, 2, ECS_STORE_TABLE);
  town->parts[1] = define_component(world, "B", wide, 2, ECS_STORE_TABLE);
  town->parts[2] = define_component(world, "S", fields, 2, ECS_STORE_SPARSE);
  town->parts[3] = define_component(world, "T", NULL, 0, ECS_STORE_TABLE);
  town->parts[4] = define_component(world, "K", NULL, 0, ECS_STORE_BITS);
  assert_int_equal(ecs_component(world, &linked, &town->parts[5]), ECS_OK);
  const ecs_Term terms[WATCHES][2] = {
      {{town->parts[0], ECS_WRITE}, {town->parts[1], ECS_OPTIONAL}},
      {{town->parts[0], ECS_READ}, {town->parts[2], ECS_READ}},
      {{town->parts[4], ECS_WITH}, {town->parts[3], ECS_WITHOUT}},
      {{town->parts[2], ECS_WRITE}, {town->parts[5], ECS_OPTIONAL}}};
  for (uint32_t i = 0; i < WATCHES; i++)
    town->queries[i] = make_query(world, terms[i], 2);
}

static void close_town(Town *town) {
  assert_true(world_check_invariants(town->world));
  close_world(town->world, &town->failing);
}

static uint32_t draw(Play *play, uint32_t below) {
  play->random ^= play->random << 13;
  play->random ^= play->random >> 7;
  play->random ^= play->random << 17;
  return (uint32_t)(play->random >> 20) % below;
}

static void define_later(const Town *town, Play *play, uint32_t which) {
  const ecs_Field fields[] = {{"q", ECS_I32, 5}};
  play->later[which] =
      define_component(town->world, which == 0 ? "Late" : "Sparse", fields, 1,
                       which == 0 ? ECS_STORE_TABLE : ECS_STORE_SPARSE);
}

static ecs_Component pick_part(const Town *town, Play *play) {
  uint32_t k = draw(play, PARTS + 2);
  ecs_Component part = k < PARTS ? town->parts[k] : play->later[k - PARTS];
  return part != 0 ? part : town->parts[0];
}

static ecs_Entity pick(Play *play) {
  return play->citizens[draw(play, CITIZENS)];
}

/* What storage and the world as a whole are asked to do. */
static void act_on_world(Town *town, Play *play) {
  ecs_Component parts[2] = {pick_part(town, play), pick_part(town, play)};
  uint32_t count = parts[0] == parts[1] ? 1 : 2;
  switch (draw(play, 8)) {
    case 0: (void)ecs_group(town->world, parts, count); break;
    case 1: (void)ecs_ungroup(town->world, parts, count); break;
    case 2:
      (void)ecs_group_bits(town->world, &town->parts[3 + draw(play, 2)], 1);
      break;
    case 3: assert_int_equal(ecs_world_trim(town->world), ECS_OK); break;
    case 4: define_later(town, play, draw(play, 2)); break;
    case 5:
      if (draw(play, 4) == 0) assert_int_equal(ecs_world_clear(town->world), 0);
      break;
    case 6:
      (void)ecs_spawn_as(town->world,
                         id_make(1 + draw(play, 90), draw(play, 3)), parts,
                         count, NULL);
      break;
    default:
      (void)ecs_query_remove_all(town->queries[draw(play, 4)], town->parts[4]);
  }
}

static void act_on_entity(Town *town, Play *play) {
  ecs_World *world = town->world;
  ecs_Entity entity = pick(play), other = pick(play);
  ecs_Component part = pick_part(town, play);
  double image[2] = {draw(play, 100), 0};
  char name[16];
  switch (draw(play, 8)) {
    case 0:
    case 1:
      (void)ecs_spawn(world, &part, 1, NULL,
                      &play->citizens[draw(play, CITIZENS)]);
      break;
    case 2: (void)ecs_destroy(world, entity); break;
    case 3: (void)ecs_remove(world, entity, part); break;
    case 4:
      if (ecs_alive(world, other))
        (void)ecs_set(world, entity, town->parts[5], &other, ~UINT64_C(0));
      break;
    case 5:
      snprintf(name, sizeof name, "n%u", draw(play, 9));
      (void)ecs_set_name(world, entity, draw(play, 3) == 0 ? NULL : name);
      break;
    default:
      if (part != town->parts[5])
        (void)ecs_set(world, entity, part, image, ~UINT64_C(0));
  }
}

/* A few calls, now and then recorded together. */
static void act(Town *town, Play *play, uint32_t calls) {
  for (uint32_t i = 0; i < calls; i++) {
    uint64_t count = 0;
    bool records = draw(play, 6) == 0;
    if (draw(play, 12) == 0) act_on_world(town, play);
    if (records) assert_int_equal(ecs_defer_begin(town->world), ECS_OK);
    for (uint32_t k = draw(play, 4); k > 0; k--) act_on_entity(town, play);
    if (records) assert_int_equal(ecs_defer_end(town->world), ECS_OK);
    (void)ecs_query_count(town->queries[draw(play, WATCHES)], &count);
  }
}

/* The rows of all queries, in their order. */
static uint64_t look(Town *town) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < WATCHES; i++) {
    ecs_Entity found[4 * CITIZENS] = {0};
    uint64_t count = 0;
    assert_int_equal(
        ecs_query_entities(town->queries[i], found, 4 * CITIZENS, &count),
        ECS_OK);
    sum = sum * 31 + count;
    for (uint32_t k = 0; k < 4 * CITIZENS; k++) sum = sum * 31 + found[k];
  }
  return sum;
}

static void restore(Town *town, ecs_Snapshot *snapshot) {
  uint64_t epoch = *ecs_world_row_epoch(town->world);
  assert_int_equal(ecs_snapshot_restore(snapshot), ECS_OK);
  assert_true(world_check_invariants(town->world));
  assert_true(*ecs_world_row_epoch(town->world) > epoch);
}

TEST(random_programs_go_on_as_they_did) {
  for (uint64_t seed = 1; seed <= 500; seed++) {
    Town town;
    open_town(&town);
    Play play = {.random = seed * UINT64_C(0x9e3779b97f4a7c15)}, kept[2];
    ecs_Snapshot *snapshots[2];
    uint64_t hash[2], ends[2], looks[2];
    act(&town, &play, 20 + (uint32_t)seed % 30);
    for (uint32_t i = 0; i < 2; i++) {
      assert_int_equal(ecs_snapshot_create(town.world, &snapshots[i]), ECS_OK);
      assert_int_equal(ecs_snapshot_take(snapshots[i]), ECS_OK);
      hash[i] = ecs_world_hash(town.world);
      kept[i] = play;
      looks[i] = look(&town);
      act(&town, &play, 1 + (uint32_t)seed % 40);
      ends[i] = ecs_world_hash(town.world);
    }
    for (uint32_t round = 0; round < 6; round++) {
      uint32_t i = (uint32_t)(seed + round * 5 / 3) % 2;
      restore(&town, snapshots[i]);
      assert_true(ecs_world_hash(town.world) == hash[i]);
      assert_true(look(&town) == looks[i]);
      play = kept[i];
      if (round % 2 == 1)
        assert_int_equal(ecs_snapshot_take(snapshots[i]), ECS_OK);
      if (round % 3 != 2) act(&town, &play, 1 + (uint32_t)seed % 40);
      if (round % 3 != 2) assert_true(ecs_world_hash(town.world) == ends[i]);
    }
    close_town(&town);
  }
}

/* Values alone have changed: nothing is allocated, and handles stay. */
TEST(a_ring_at_work_allocates_nothing) {
  Town town;
  open_town(&town);
  Play play = {.random = 7};
  act(&town, &play, 60);
  ecs_Snapshot *ring[3];
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(ecs_snapshot_create(town.world, &ring[i]), ECS_OK);
    assert_int_equal(ecs_snapshot_take(ring[i]), ECS_OK);
  }
  uint64_t hashes[3], requests = town.failing.requests;
  const float image[2] = {4, 0};
  for (uint32_t round = 0; round < 9; round++) {
    for (uint32_t i = 0; i < CITIZENS; i++)
      if (ecs_has(town.world, play.citizens[i], town.parts[0]))
        assert_int_equal(ecs_set(town.world, play.citizens[i], town.parts[0],
                                 image, round % 2),
                         ECS_OK);
    assert_int_equal(ecs_snapshot_take(ring[round % 3]), ECS_OK);
    hashes[round % 3] = ecs_world_hash(town.world);
    if (round < 2) continue;
    assert_int_equal(ecs_snapshot_restore(ring[(round + 1) % 3]), ECS_OK);
    assert_true(ecs_world_hash(town.world) == hashes[(round + 1) % 3]);
  }
  assert_int_equal(town.failing.requests, requests);
  assert_true(ecs_snapshot_bytes(ring[0]) > 0);
  ecs_snapshot_destroy(ring[1]); /* the others go with the world */
  close_town(&town);
}

TEST(what_cannot_be_done_is_refused) {
  Town town;
  open_town(&town);
  ecs_Snapshot *snapshot = NULL;
  assert_int_equal(ecs_snapshot_create(town.world, NULL), ECS_E_ARGUMENT);
  assert_int_equal(ecs_snapshot_create(town.world, &snapshot), ECS_OK);
  assert_int_equal(ecs_snapshot_restore(snapshot), ECS_E_ABSENT);
  assert_int_equal(ecs_defer_begin(town.world), ECS_OK);
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_E_OPEN);
  assert_int_equal(ecs_defer_end(town.world), ECS_OK);
  assert_int_equal(ecs_snapshot_restore(snapshot), ECS_E_ABSENT);
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
  assert_int_equal(ecs_defer_begin(town.world), ECS_OK);
  assert_int_equal(ecs_snapshot_restore(snapshot), ECS_E_OPEN);
  assert_int_equal(ecs_defer_end(town.world), ECS_OK);
  ecs_snapshot_destroy(NULL);
  close_town(&town);
}

/* What was counted for ecs_world_optimize is put back, too. */
TEST(counts_of_changes_are_part_of_it) {
  Town town;
  open_town(&town);
  ecs_Snapshot *snapshot = NULL;
  ecs_Entity entity = 0;
  const Component *component = &town.world->store.components.all[town.parts[0]];
  assert_int_equal(ecs_spawn(town.world, NULL, 0, NULL, &entity), ECS_OK);
  assert_int_equal(ecs_add(town.world, entity, town.parts[0], NULL), ECS_OK);
  assert_int_equal(ecs_snapshot_create(town.world, &snapshot), ECS_OK);
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
  uint64_t changes = component->changes;
  assert_int_equal(ecs_remove(town.world, entity, town.parts[0]), ECS_OK);
  assert_true(component->changes > changes);
  assert_int_equal(ecs_snapshot_restore(snapshot), ECS_OK);
  component = &town.world->store.components.all[town.parts[0]];
  assert_true(component->changes == changes);
  close_town(&town);
}

/* Makes every allocation of taking, or of restoring, fail once. */
static void fail_everywhere(uint64_t seed, bool restores, bool onward) {
  uint64_t injected = 0, nth = 0;
  do {
    Town town;
    open_town(&town);
    Play play = {.random = seed};
    ecs_Snapshot *snapshot = NULL;
    act(&town, &play, 40);
    assert_int_equal(ecs_snapshot_create(town.world, &snapshot), ECS_OK);
    assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
    uint64_t taken = ecs_world_hash(town.world);
    act(&town, &play, 40);
    uint64_t before = ecs_world_hash(town.world), seen = look(&town);
    failing_memory_arm(&town.failing, ++nth, onward ? FAIL_ONWARD : FAIL_ONCE);
    ecs_Status status =
        restores ? ecs_snapshot_restore(snapshot) : ecs_snapshot_take(snapshot);
    injected = failing_memory_disarm(&town.failing);
    assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
    assert_true(world_check_invariants(town.world));
    if (injected > 0 || !restores) {
      assert_true(ecs_world_hash(town.world) == before);
      assert_true(look(&town) == seen);
    }
    restore(&town, snapshot);
    assert_true(ecs_world_hash(town.world) ==
                (injected == 0 && !restores ? before : taken));
    close_town(&town);
  } while (injected > 0);
  assert_true(nth > 1);
}

TEST(every_allocation_may_fail) {
  for (uint64_t seed = 3; seed < 23; seed++)
    for (uint32_t k = 0; k < 4; k++) fail_everywhere(seed, k % 2 == 0, k < 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_programs_go_on_as_they_did),
      cmocka_unit_test(a_ring_at_work_allocates_nothing),
      cmocka_unit_test(what_cannot_be_done_is_refused),
      cmocka_unit_test(counts_of_changes_are_part_of_it),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

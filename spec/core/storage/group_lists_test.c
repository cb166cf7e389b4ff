/* group_lists_test.c: an entity leaves every group that it is in, and no others
 * are asked. */
#include "api_fixture.h"
#include "storage/group_lists.h"
#include "storage/store_check.h"
#include "world/world.h"
#include "test_case.h"

#ifdef ECS_TINY
#define SETS 14u
#define ENTITIES 24u
#define STEPS 3000u
#else
#define SETS 40u
#define ENTITIES 600u
#define STEPS 20000u
#endif

typedef struct Crowd {
  FailingMemory failing;
  ecs_World *world;
  uint64_t seed;
  ecs_Component sets[SETS];
  ecs_Entity entities[ENTITIES]; /* 0: none */
  bool has[ENTITIES][SETS];
  ecs_Query *query; /* over the last set */
} Crowd;

static uint32_t draw(Crowd *crowd, uint32_t below) {
  crowd->seed =
      crowd->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (uint32_t)(crowd->seed >> 33) % below;
}

static void open_crowd(Crowd *crowd, uint64_t seed) {
  const ecs_Field field = {.name = "x", .type = ECS_F32};
  *crowd = (Crowd){.seed = seed};
  crowd->world = open_world(&crowd->failing);
  for (uint32_t i = 0; i < SETS; i++) {
    char name[16];
    snprintf(name, sizeof name, "set%u", i);
    crowd->sets[i] =
        define_component(crowd->world, name, &field, i % 2, ECS_STORE_SPARSE);
  }
  const ecs_Term term = {crowd->sets[SETS - 1], ECS_READ};
  crowd->query = make_query(crowd->world, &term, 1);
}

static void close_crowd(Crowd *crowd) {
  close_world(crowd->world, &crowd->failing);
}

static void forget(Crowd *crowd, uint32_t at) {
  crowd->entities[at] = 0;
  memset(crowd->has[at], 0, sizeof crowd->has[at]);
}

static void spawn_at(Crowd *crowd, uint32_t at) {
  uint32_t set = draw(crowd, SETS);
  if (ecs_spawn(crowd->world, &crowd->sets[set], 1, NULL,
                &crowd->entities[at]) == ECS_OK)
    crowd->has[at][set] = true;
  else
    crowd->entities[at] = 0; /* all indices are retired */
}

static void toggle(Crowd *crowd, uint32_t at) {
  uint32_t set = draw(crowd, SETS);
  bool *has = &crowd->has[at][set];
  ecs_Status status =
      *has ? ecs_remove(crowd->world, crowd->entities[at], crowd->sets[set])
           : ecs_add(crowd->world, crowd->entities[at], crowd->sets[set], NULL);
  assert_int_equal(status, ECS_OK);
  *has = !*has;
}

static void destroy_all(Crowd *crowd) {
  assert_int_equal(ecs_query_destroy_all(crowd->query), ECS_OK);
  for (uint32_t i = 0; i < ENTITIES; i++)
    if (crowd->has[i][SETS - 1]) forget(crowd, i);
}

static void add_to_all(Crowd *crowd) {
  uint32_t set = draw(crowd, SETS);
  assert_int_equal(ecs_query_add_all(crowd->query, crowd->sets[set], NULL),
                   ECS_OK);
  for (uint32_t i = 0; i < ENTITIES; i++)
    if (crowd->has[i][SETS - 1]) crowd->has[i][set] = true;
}

/* Two of the sets become one group, or two again. */
static void regroup(Crowd *crowd) {
  uint32_t first = draw(crowd, SETS - 1);
  const ecs_Component pair[] = {crowd->sets[first], crowd->sets[first + 1]};
  uint32_t count = 1 + draw(crowd, 2);
  ecs_Status status = ecs_group(crowd->world, pair, count);
  assert_true(status == ECS_OK || status == ECS_E_LIMIT);
}

static void clear(Crowd *crowd) {
  assert_int_equal(ecs_world_clear(crowd->world), ECS_OK);
  for (uint32_t i = 0; i < ENTITIES; i++) forget(crowd, i);
}

static void step(Crowd *crowd) {
  uint32_t at = draw(crowd, ENTITIES), what = draw(crowd, 400);
  if (what == 0) {
    clear(crowd);
  } else if (what == 1) {
    assert_int_equal(ecs_world_trim(crowd->world), ECS_OK);
  } else if (what < 4) {
    regroup(crowd);
  } else if (what < 7) {
    destroy_all(crowd);
  } else if (what < 10) {
    add_to_all(crowd);
  } else if (crowd->entities[at] == 0) {
    spawn_at(crowd, at);
  } else if (what < 40) {
    assert_int_equal(ecs_destroy(crowd->world, crowd->entities[at]), ECS_OK);
    forget(crowd, at);
  } else {
    toggle(crowd, at);
  }
}

static void assert_crowd(const Crowd *crowd) {
  uint32_t rows[SETS] = {0};
  assert_true(store_check_invariants(&crowd->world->store));
  for (uint32_t i = 0; i < ENTITIES; i++) {
    if (crowd->entities[i] == 0) continue;
    for (uint32_t set = 0; set < SETS; set++) {
      bool has = ecs_has(crowd->world, crowd->entities[i], crowd->sets[set]);
      assert_int_equal(has, crowd->has[i][set]);
      rows[set] += has;
    }
  }
  uint64_t count = 0;
  assert_int_equal(ecs_query_count(crowd->query, &count), ECS_OK);
  assert_int_equal(count, rows[SETS - 1]);
}

TEST(random_entities_of_many_groups_agree_with_a_matrix) {
  static Crowd crowd;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    open_crowd(&crowd, seed);
    for (uint32_t i = 0; i < STEPS; i++) {
      step(&crowd);
      if (i % (STEPS / 40) == 0) assert_crowd(&crowd);
    }
    assert_crowd(&crowd);
    close_crowd(&crowd);
  }
}

/* The length of the list of an index. */
static uint32_t listed(const Store *store, uint32_t index) {
  uint32_t count = 0, id = locator_find(&store->groups.lists, index).row;
  for (; id != LOCATOR_NONE && id != 0; count++)
    id = *locator_link(&store->groups.all[id]->locator, index);
  return count;
}

/* A list grows with the groups that were entered, not with the times, and goes
 * with the entity. */
TEST(a_list_has_each_group_once_and_goes_with_the_entity) {
  static Crowd crowd;
  open_crowd(&crowd, 1);
  const Store *store = &crowd.world->store;
  for (uint32_t round = 0; round < 2; round++) {
    ecs_Entity entity;
    assert_int_equal(ecs_spawn(crowd.world, NULL, 0, NULL, &entity), ECS_OK);
    uint32_t index = (uint32_t)entity & ECS_INDEX_MASK;
    assert_int_equal(index, 1);
    for (uint32_t i = 0; i < 3 * 4; i++) {
      ecs_Component set = crowd.sets[SETS - 1 - i % 4];
      assert_int_equal(ecs_add(crowd.world, entity, set, NULL), ECS_OK);
      assert_int_equal(ecs_remove(crowd.world, entity, set), ECS_OK);
      assert_int_equal(listed(store, index), i < 4 ? i + 1 : 4);
    }
    assert_int_equal(ecs_add(crowd.world, entity, crowd.sets[0], NULL), ECS_OK);
    assert_int_equal(listed(store, index), 4);
    assert_int_equal(ecs_destroy(crowd.world, entity), ECS_OK);
    assert_int_equal(listed(store, index), 0);
  }
  close_crowd(&crowd);
}

/* Whichever request for memory is refused, the entity is in no list of the set,
 * and the next try succeeds. */
TEST(an_entity_that_is_refused_is_not_listed) {
  static Crowd crowd;
  bool refused = true;
  for (uint32_t request = 1; refused; request++) {
    ecs_Entity entity;
    open_crowd(&crowd, 1);
    const Store *store = &crowd.world->store;
    assert_int_equal(ecs_spawn(crowd.world, NULL, 0, NULL, &entity), ECS_OK);
    uint32_t index = (uint32_t)entity & ECS_INDEX_MASK;
    failing_memory_arm(&crowd.failing, request, FAIL_ONCE);
    ecs_Status status =
        ecs_add(crowd.world, entity, crowd.sets[SETS - 1], NULL);
    refused = status == ECS_E_MEMORY;
    assert_true(refused || status == ECS_OK);
    assert_int_equal(listed(store, index), refused ? 0 : 1);
    assert_int_equal(ecs_has(crowd.world, entity, crowd.sets[SETS - 1]),
                     !refused);
    failing_memory_arm(&crowd.failing, 0, FAIL_ONCE);
    assert_true(store_check_invariants(store));
    assert_int_equal(ecs_add(crowd.world, entity, crowd.sets[SETS - 1], NULL),
                     ECS_OK);
    assert_int_equal(listed(store, index), 1);
    close_crowd(&crowd);
    assert_true(request < 20);
    if (!refused) assert_true(request > 4);
  }
}

#ifndef ECS_TINY
/* The bytes of a world in which one entity has each of so many components. */
static uint64_t bytes_of(uint32_t count) {
  FailingMemory failing;
  ecs_World *world = open_world(&failing);
  ecs_Entity entity;
  const ecs_Field field = {.name = "x", .type = ECS_F32};
  assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &entity), ECS_OK);
  for (uint32_t i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "set%u", i);
    ecs_Component set =
        define_component(world, name, &field, 1, ECS_STORE_SPARSE);
    assert_int_equal(ecs_add(world, entity, set, NULL), ECS_OK);
  }
  ecs_Statistics statistics;
  ecs_world_statistics(world, &statistics);
  close_world(world, &failing);
  return statistics.bytes;
}

TEST(a_set_of_one_entity_is_small) {
  assert_in_range(bytes_of(1), 1, 8 << 10);
  assert_in_range((bytes_of(1000) - bytes_of(0)) / 1000, 1, 3 << 10);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_entities_of_many_groups_agree_with_a_matrix),
      cmocka_unit_test(a_list_has_each_group_once_and_goes_with_the_entity),
      cmocka_unit_test(an_entity_that_is_refused_is_not_listed),
#ifndef ECS_TINY
      cmocka_unit_test(a_set_of_one_entity_is_small),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* api_family_test.c: ecs_spawn_family, ecs_spawn_children, ecs_reserve_family,
 * and how trees die.
 *
 *      member  0 {A, S}   1 {ChildOf, S} -> 0   2 {ChildOf, A, T} -> 1
 *              3 {ChildOf, S} -> 0, of the bundle of 1
 *
 * The oracle spawns the same members one by one with ecs_spawn_bundle. */
#include "api_scene.h"
#include "test_case.h"

#define MEMBERS 4u
#define MOST 40u
#ifdef ECS_TINY
#define COPIES 4u /* of some 47 entities at most, twice */
#else
#define COPIES 8u
#endif

typedef struct Family {
  Fixture fixture;
  ecs_Component child_of, aims;
  ecs_Member members[MEMBERS];
  ecs_Family family;
  ecs_Entity aim; /* that the last member's value links to, with aims */
  A a[2];
  uint16_t s[3];
  const void *values[MEMBERS][4];
} Family;

static ecs_Component define_link(ecs_World *world, const char *name,
                                 ecs_LinkRule rule, bool tree) {
  static const ecs_Field field = {"to", ECS_ENTITY, 0};
  const ecs_Link link = {0, rule, tree};
  const ecs_ComponentDescription description = {.name = name,
                                                .fields = &field,
                                                .field_count = 1,
                                                .links = &link,
                                                .link_count = 1};
  ecs_Component component = 0;
  assert_int_equal(ecs_component(world, &description, &component), ECS_OK);
  return component;
}

static ecs_Bundle bundle_of(Family *family, const ecs_Component *components,
                            uint32_t count) {
  ecs_Bundle bundle = 0;
  assert_int_equal(
      ecs_bundle(family->fixture.world, components, count, &bundle), ECS_OK);
  return bundle;
}

/* The order of definition decides whether the link is in a group of its own. */
static void start_family(Family *family, bool grouped) {
  Fixture *fixture = &family->fixture;
  start(fixture);
  ecs_World *world = fixture->world;
  family->child_of = define_link(world, "ChildOf", ECS_LINK_DESTROY, true);
  family->aims = define_link(world, "Aims", ECS_LINK_CLEAR, false);
  if (grouped) assert_int_equal(ecs_group(world, &family->child_of, 1), ECS_OK);
  assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &family->aim), ECS_OK);
  const ecs_Component first[] = {fixture->a, fixture->s};
  const ecs_Component second[] = {family->child_of, fixture->s};
  const ecs_Component third[] = {family->child_of, fixture->a, fixture->t,
                                 family->aims};
  ecs_Bundle twice = bundle_of(family, second, 2);
  family->a[0] = (A){4, 1};
  family->a[1] = (A){(double)NAN, 0};
  for (uint16_t i = 0; i < 3; i++) family->s[i] = (uint16_t)(20 + i);
  const void *const values[MEMBERS][4] = {
      {&family->a[0], NULL, NULL, NULL},
      {NULL, &family->s[1], NULL, NULL},
      {&fixture->dead, &family->a[1], NULL, &family->aim},
      {NULL, &family->s[2], NULL, NULL}};
  memcpy((void *)family->values, (const void *)values, sizeof values);
  const ecs_Bundle bundles[MEMBERS] = {bundle_of(family, first, 2), twice,
                                       bundle_of(family, third, 4), twice};
  const uint32_t parents[MEMBERS] = {77, 0, 1, 0};
  for (uint32_t m = 0; m < MEMBERS; m++)
    family->members[m] =
        (ecs_Member){bundles[m], family->values[m], parents[m]};
  family->family = (ecs_Family){.members = family->members,
                                .member_count = MEMBERS,
                                .link = family->child_of};
}

/* The same, spawned one by one, member by member. */
static void spawn_by_hand(const Family *family, uint32_t copies) {
  ecs_Entity entities[MEMBERS][MOST];
  for (uint32_t m = 0; m < MEMBERS; m++)
    for (uint32_t k = 0; k < copies; k++) {
      const void *values[4];
      memcpy((void *)values, (const void *)family->values[m], sizeof values);
      if (m > 0) values[0] = &entities[family->members[m].parent][k];
      assert_int_equal(
          ecs_spawn_bundle(family->fixture.world, family->members[m].bundle,
                           values, &entities[m][k]),
          ECS_OK);
    }
}

/* Some indices are free, so that handles are not in their order. */
static void free_some(const Family *family) {
  ecs_Entity born[7];
  ecs_World *world = family->fixture.world;
  for (uint32_t i = 0; i < 7; i++)
    assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &born[i]), ECS_OK);
  for (uint32_t i = 0; i < 7; i += 2)
    assert_int_equal(ecs_destroy(world, born[i]), ECS_OK);
}

static void check_family(const Family *family, ecs_Entity first) {
  ecs_World *world = family->fixture.world;
  ecs_Entity children[3], below[2], target = 0;
  uint32_t count = 0;
  uint16_t s = 0;
  A a = {0, 0};
  assert_int_equal(
      ecs_links(world, first, family->child_of, 0, children, 3, &count),
      ECS_OK);
  assert_int_equal(count, 2);
  assert_int_equal(ecs_get(world, first, family->fixture.a, &a), ECS_OK);
  assert_true(a.x == 4 && a.flag == 1);
  assert_int_equal(ecs_get(world, first, family->fixture.s, &s), ECS_OK);
  assert_int_equal(s, 7);
  assert_int_equal(ecs_get(world, children[0], family->fixture.s, &s), ECS_OK);
  assert_int_equal(s, 21);
  assert_int_equal(ecs_get(world, children[1], family->fixture.s, &s), ECS_OK);
  assert_int_equal(s, 22);
  assert_int_equal(
      ecs_links(world, children[0], family->child_of, 0, below, 2, &count),
      ECS_OK);
  assert_int_equal(count, 1);
  assert_true(ecs_has(world, below[0], family->fixture.t));
  assert_int_equal(ecs_get(world, below[0], family->child_of, &target), ECS_OK);
  assert_true(target == children[0]);
  assert_int_equal(ecs_get(world, below[0], family->aims, &target), ECS_OK);
  assert_true(target == family->aim);
}

/* Copies are what is spawned one by one: the same hash of everything. */
TEST(copies_equal_single_spawns) {
  for (uint32_t grouped = 0; grouped < 2; grouped++)
    for (uint32_t copies = 0; copies <= COPIES; copies++) {
      Family one, other;
      ecs_Entity first[MOST] = {0};
      start_family(&one, grouped);
      start_family(&other, grouped);
      free_some(&one);
      free_some(&other);
      for (uint32_t turn = 0; turn < 2; turn++) {
        assert_int_equal(
            ecs_spawn_family(one.fixture.world, &one.family, copies, first),
            ECS_OK);
        spawn_by_hand(&other, copies);
        for (uint32_t k = 0; k < copies; k++) check_family(&one, first[k]);
        assert_true(ecs_world_state_hash(one.fixture.world) ==
                    ecs_world_state_hash(other.fixture.world));
        assert_true(ecs_world_hash(one.fixture.world) ==
                    ecs_world_hash(other.fixture.world));
      }
      finish(&one.fixture);
      finish(&other.fixture);
    }
}

/* Recorded copies are the same entities, with the same handles. */
TEST(recorded_copies_are_the_same) {
  for (uint32_t copies = 0; copies <= 5; copies++) {
    Family one, other;
    ecs_Entity now[MOST] = {0}, later[MOST] = {0};
    start_family(&one, false);
    start_family(&other, false);
    assert_int_equal(
        ecs_spawn_family(one.fixture.world, &one.family, copies, now), ECS_OK);
    assert_int_equal(ecs_defer_begin(other.fixture.world), ECS_OK);
    assert_int_equal(
        ecs_spawn_family(other.fixture.world, &other.family, copies, later),
        ECS_OK);
    for (uint32_t k = 0; k < copies; k++) {
      assert_true(now[k] == later[k]);
      assert_true(ecs_alive(other.fixture.world, later[k]));
    }
    assert_int_equal(ecs_defer_end(other.fixture.world), ECS_OK);
    for (uint32_t k = 0; k < copies; k++) check_family(&other, later[k]);
    assert_true(ecs_world_state_hash(one.fixture.world) ==
                ecs_world_state_hash(other.fixture.world));
    finish(&one.fixture);
    finish(&other.fixture);
  }
}

/* Children of entities that exist, or are recorded. */
TEST(children_are_given_parents) {
  for (uint32_t recorded = 0; recorded < 2; recorded++) {
    Family family;
    ecs_Entity parents[3];
    start_family(&family, false);
    ecs_World *world = family.fixture.world;
    if (recorded) assert_int_equal(ecs_defer_begin(world), ECS_OK);
    for (uint32_t k = 0; k < 3; k++)
      assert_int_equal(ecs_spawn_bundle(world, family.members[0].bundle,
                                        family.values[0], &parents[k]),
                       ECS_OK);
    assert_int_equal(ecs_spawn_children(world, &family.family, parents, 3),
                     ECS_OK);
    assert_int_equal(ecs_spawn_children(world, &family.family, parents, 0),
                     ECS_OK);
    if (recorded) assert_int_equal(ecs_defer_end(world), ECS_OK);
    for (uint32_t k = 0; k < 3; k++) check_family(&family, parents[k]);
    assert_int_equal(ecs_destroy(world, parents[1]), ECS_OK);
    parents[2] = family.fixture.dead;
    assert_int_equal(ecs_spawn_children(world, &family.family, parents, 3),
                     ECS_E_DEAD);
    finish(&family.fixture);
  }
}

static void refused(Family *family, uint64_t count, ecs_Status expected) {
  ecs_World *world = family->fixture.world;
  bool form = expected != ECS_E_LINK && expected != ECS_E_TAKEN;
  uint64_t before = ecs_world_hash(world);
  ecs_Entity first = 7;
  assert_int_equal(ecs_spawn_family(world, &family->family, count, &first),
                   expected);
  if (form)
    assert_int_equal(ecs_reserve_family(world, &family->family, count),
                     expected);
  assert_true(ecs_world_hash(world) == before);
  assert_true(first == 7);
}

TEST(statuses_are_as_documented) {
  Family family;
  start_family(&family, false);
  ecs_World *world = family.fixture.world;
  const Family good = family;
  assert_int_equal(ecs_spawn_family(world, NULL, 1, NULL), ECS_E_ARGUMENT);
  family.family.members = NULL;
  refused(&family, 1, ECS_E_ARGUMENT);
  family.family = good.family;
  family.family.member_count = 0;
  refused(&family, 1, ECS_E_ARGUMENT);
  family.family.member_count = 1025;
  refused(&family, 1, ECS_E_ARGUMENT);
  family.family = good.family;
  family.family.link = family.fixture.past + 100;
  refused(&family, 1, ECS_E_COMPONENT);
  family.family.link = family.fixture.s;
  refused(&family, 1, ECS_E_FIELD);
  family.family.link = family.aims; /* not in every bundle */
  refused(&family, 1, ECS_E_COMPONENT);
  family.family = good.family;
  family.family.field = 1;
  refused(&family, 1, ECS_E_FIELD);
  family.family = good.family;
  family.members[2].bundle = 0;
  refused(&family, 1, ECS_E_ARGUMENT);
  family.members[2].bundle = 1000;
  refused(&family, 1, ECS_E_ARGUMENT);
  family.members[2] = good.members[2];
  family.members[2].parent = 2;
  refused(&family, 1, ECS_E_ARGUMENT);
  family.members[2] = good.members[2];
  family.aim = family.fixture.dead;
  refused(&family, 1, ECS_E_LINK);
  family.aim = good.aim;
  refused(&family, UINT64_C(1) << 28, ECS_E_LIMIT);
  refused(&family, (UINT64_C(1) << 28) / 4, ECS_E_LIMIT);
  family.family.first = family.aim;
  refused(&family, 2, ECS_E_ARGUMENT);
  refused(&family, 1, ECS_E_TAKEN);
  family.family.first = UINT64_C(1) << 60 | 1;
  refused(&family, 1, ECS_E_ARGUMENT);
  family.family.first = 0;
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_reserve_family(world, &family.family, 1), ECS_E_OPEN);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  finish(&family.fixture);
}

TEST(the_first_member_may_have_a_handle) {
  for (uint32_t recorded = 0; recorded < 2; recorded++) {
    Family family;
    ecs_Entity first = 0;
    start_family(&family, false);
    ecs_World *world = family.fixture.world;
    family.family.first = family.aim + 5;
    if (recorded) assert_int_equal(ecs_defer_begin(world), ECS_OK);
    assert_int_equal(ecs_spawn_family(world, &family.family, 1, &first),
                     ECS_OK);
    if (recorded) assert_int_equal(ecs_defer_end(world), ECS_OK);
    assert_true(first == family.aim + 5);
    check_family(&family, first);
    finish(&family.fixture);
  }
}

TEST(reserved_copies_allocate_nothing) {
  Family family;
  start_family(&family, false);
  ecs_World *world = family.fixture.world;
  assert_int_equal(ecs_reserve_family(world, &family.family, 5), ECS_OK);
  uint64_t before = family.fixture.failing.requests;
  assert_int_equal(ecs_spawn_family(world, &family.family, 5, NULL), ECS_OK);
  assert_true(family.fixture.failing.requests == before);
  finish(&family.fixture);
}

typedef ecs_Status Call(Family *family);

static ecs_Status spawn_one_copy(Family *family) {
  return ecs_spawn_family(family->fixture.world, &family->family, 1, NULL);
}

static ecs_Status spawn_six_copies(Family *family) {
  return ecs_spawn_family(family->fixture.world, &family->family, 6, NULL);
}

static ecs_Status spawn_named(Family *family) {
  family->family.first = family->aim + 9;
  return ecs_spawn_family(family->fixture.world, &family->family, 1, NULL);
}

static ecs_Status spawn_for_parents(Family *family) {
  const ecs_Entity parents[] = {family->fixture.e, family->aim};
  return ecs_spawn_children(family->fixture.world, &family->family, parents, 2);
}

static ecs_Status reserve_six(Family *family) {
  return ecs_reserve_family(family->fixture.world, &family->family, 6);
}

/* Each allocation fails once: all is spawned, or nothing, and when it is not
 * recorded the call can be made again with the same handles. */
static void fail_each(Call *call, bool recorded, bool grouped) {
  for (uint64_t nth = 1, injected = 1; injected > 0; nth++) {
    Family family;
    start_family(&family, grouped);
    ecs_World *world = family.fixture.world;
    ecs_Observer observer = 0;
    assert_int_equal(ecs_observe(world, ECS_ON_ADD, family.child_of, &observer),
                     ECS_OK);
    uint64_t before = ecs_world_hash(world);
    uint64_t state_before = ecs_world_state_hash(world);
    failing_memory_arm(&family.fixture.failing, nth, FAIL_ONCE);
    ecs_Status ended = ECS_OK;
    if (recorded) assert_int_equal(ecs_defer_begin(world), ECS_OK);
    ecs_Status status = call(&family);
    if (recorded) ended = ecs_defer_end(world);
    injected = failing_memory_disarm(&family.fixture.failing);
    if (status == ECS_OK) status = ended;
    assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
    if (injected > 0 && !recorded) assert_true(ecs_world_hash(world) == before);
    if (injected > 0) assert_true(ecs_world_state_hash(world) == state_before);
    if (injected > 0 && !recorded) assert_int_equal(call(&family), ECS_OK);
    finish(&family.fixture);
  }
}

TEST(each_allocation_may_fail) {
  static Call *const calls[] = {spawn_one_copy, spawn_six_copies, spawn_named,
                                spawn_for_parents, reserve_six};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    for (uint32_t grouped = 0; grouped < 2; grouped++) {
      fail_each(calls[i], false, grouped);
      if (calls[i] != reserve_six) fail_each(calls[i], true, grouped);
    }
}

/* Trees ------------------------------------------------------------------- */

#define TREE 30u /* entities of a random tree */

static uint32_t draw(uint32_t *seed, uint32_t limit) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 16) % limit;
}

/* Entities of which each is a child of one before it, or of none, and aims at
 * another. Some get another parent, so that lists are in no order. */
static void grow_trees(const Family *family, uint32_t seed,
                       ecs_Entity *entities) {
  ecs_World *world = family->fixture.world;
  for (uint32_t i = 0; i < TREE; i++) {
    assert_int_equal(ecs_spawn(world, NULL, 0, NULL, &entities[i]), ECS_OK);
    if (i == 0) continue;
    const ecs_Entity to[] = {entities[draw(&seed, i)],
                             entities[draw(&seed, i)]};
    if (draw(&seed, 8) > 0)
      assert_int_equal(ecs_add(world, entities[i], family->child_of, &to[0]),
                       ECS_OK);
    assert_int_equal(ecs_add(world, entities[i], family->aims, &to[1]), ECS_OK);
  }
  for (uint32_t i = TREE - 1; i > TREE / 2; i--)
    if (ecs_has(world, entities[i], family->child_of))
      assert_int_equal(ecs_set(world, entities[i], family->child_of,
                               &entities[draw(&seed, i)], 1),
                       ECS_OK);
}

/* Recorded, the rules are followed by other code. */
TEST(a_tree_dies_as_when_it_is_recorded) {
  uint32_t died = 0;
  for (uint32_t seed = 1; seed <= 40; seed++) {
    Family now, later;
    ecs_Entity entities[TREE], same[TREE];
    start_family(&now, false);
    start_family(&later, false);
    grow_trees(&now, seed, entities);
    grow_trees(&later, seed, same);
    for (uint32_t i = seed % 5; i < TREE; i += 5) {
      ecs_World *world = later.fixture.world;
      bool alive = ecs_alive(now.fixture.world, entities[i]);
      assert_int_equal(ecs_alive(world, same[i]), alive);
      if (!alive) continue;
      assert_int_equal(ecs_destroy(now.fixture.world, entities[i]), ECS_OK);
      assert_int_equal(ecs_defer_begin(world), ECS_OK);
      assert_int_equal(ecs_destroy(world, same[i]), ECS_OK);
      assert_int_equal(ecs_defer_end(world), ECS_OK);
      assert_true(ecs_world_hash(now.fixture.world) == ecs_world_hash(world));
    }
    for (uint32_t i = 0; i < TREE; i++)
      died += !ecs_alive(now.fixture.world, entities[i]);
    finish(&now.fixture);
    finish(&later.fixture);
  }
  assert_true(died > 400 && died < 40 * TREE);
}

TEST(each_allocation_of_a_death_may_fail) {
  uint64_t injected = 1;
  uint32_t nth = 1;
  Family family;
  ecs_Entity entities[TREE];
  for (; injected > 0; nth++) {
    start_family(&family, false);
    grow_trees(&family, 3, entities);
    ecs_World *world = family.fixture.world;
    uint64_t before = ecs_world_hash(world);
    failing_memory_arm(&family.fixture.failing, nth, FAIL_ONCE);
    ecs_Status status = ecs_destroy(world, entities[0]);
    injected = failing_memory_disarm(&family.fixture.failing);
    assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
    if (injected > 0) {
      assert_true(ecs_world_hash(world) == before);
      assert_int_equal(ecs_destroy(world, entities[0]), ECS_OK);
    }
    assert_false(ecs_alive(world, entities[0]));
    finish(&family.fixture);
  }
  assert_true(nth > 2);
}

#define MANY 20u /* members: more than have room on the stack */
TEST(many_members_allocate_nothing_again) {
  Family family;
  start_family(&family, false);
  ecs_Member members[MANY];
  for (uint32_t m = 0; m < MANY; m++)
    members[m] = (ecs_Member){family.members[m == 0 ? 0 : 1].bundle, NULL,
                              m < 3 ? 0 : m - 2};
  const ecs_Family many = {
      .members = members, .member_count = MANY, .link = family.child_of};
  ecs_World *world = family.fixture.world;
  uint64_t requests = 0;
  for (uint32_t round = 0; round < 3; round++) {
    ecs_Entity root = 0;
    if (round == 1) requests = family.fixture.failing.requests;
    assert_int_equal(ecs_spawn_family(world, &many, 1, &root), ECS_OK);
    assert_int_equal(ecs_destroy(world, root), ECS_OK);
  }
  assert_true(family.fixture.failing.requests == requests);
  finish(&family.fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_equal_single_spawns),
      cmocka_unit_test(recorded_copies_are_the_same),
      cmocka_unit_test(children_are_given_parents),
      cmocka_unit_test(statuses_are_as_documented),
      cmocka_unit_test(the_first_member_may_have_a_handle),
      cmocka_unit_test(reserved_copies_allocate_nothing),
      cmocka_unit_test(each_allocation_may_fail),
      cmocka_unit_test(a_tree_dies_as_when_it_is_recorded),
      cmocka_unit_test(each_allocation_of_a_death_may_fail),
      cmocka_unit_test(many_members_allocate_nothing_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

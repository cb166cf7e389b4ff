/* regroup_test.c: a change of layout keeps all entities and values.
 *
 * entity_change_test.c mixes changes of layout with all others. Here are the
 * rules for the choice of a group and its locator, and failures.
 */
#include "world/world_hash.h"
#include "world_fixture.h"
#include "test_case.h"

#define PEOPLE 30u

typedef struct Town {
  Fixture fixture;
  ecs_Component a, b, c, tag, bit, other_bit, sparse, sparse_tag;
  ecs_Entity people[PEOPLE];
} Town;

/* Person i has component k when bit k of i is set, or a sum of it. */
static bool should_have(uint32_t i, ecs_Component component) {
  return ((i * 11 + i / 3) >> (component - 1) & 1u) != 0;
}

static void open_town(Town *town) {
  Store *world = &town->fixture.world;
  start(&town->fixture);
  town->a = define(world, "a", "bw", ECS_STORE_TABLE);
  town->b = define(world, "b", "d", ECS_STORE_TABLE);
  town->c = define(world, "c", "hhf", ECS_STORE_TABLE);
  town->tag = define(world, "tag", "", ECS_STORE_TABLE);
  town->bit = define(world, "bit", "", ECS_STORE_BITS);
  town->other_bit = define(world, "other bit", "", ECS_STORE_BITS);
  town->sparse = define(world, "sparse", "wf", ECS_STORE_SPARSE);
  town->sparse_tag = define(world, "sparse tag", "", ECS_STORE_SPARSE);
  for (uint32_t i = 0; i < PEOPLE; i++) {
    town->people[i] = spawn(world, NULL, 0);
    for (ecs_Component k = 1; k < world->components.count; k++)
      if (should_have(i, k))
        assert_int_equal(add(world, town->people[i], k, i + k), ECS_OK);
  }
}

static void assert_town(const Town *town) {
  const Store *world = &town->fixture.world;
  for (uint32_t i = 0; i < PEOPLE; i++)
    for (ecs_Component k = 1; k < world->components.count; k++) {
      assert_int_equal(has(world, town->people[i], k), should_have(i, k));
      if (should_have(i, k)) assert_component(world, town->people[i], k, i + k);
    }
  assert_sound(world);
}

static void store_apart(Town *town, const ecs_Component *components,
                        uint32_t count) {
  assert_int_equal(
      store_regroup(&town->fixture.world, components, count, REGROUP_TO_GROUP),
      ECS_OK);
  assert_town(town);
}

static void store_in_main(Town *town, const ecs_Component *components,
                          uint32_t count) {
  assert_int_equal(
      store_regroup(&town->fixture.world, components, count, REGROUP_TO_MAIN),
      ECS_OK);
  assert_town(town);
}

static uint32_t group_of(const Town *town, ecs_Component component) {
  return town->fixture.world.components.all[component].group_id;
}

TEST(every_set_of_components_goes_apart_and_comes_back) {
  for (uint32_t set = 1; set < 256; set += 3) {
    Town town;
    ecs_Component components[8];
    uint32_t count = 0;
    open_town(&town);
    for (uint32_t k = 0; k < 8; k++)
      if ((set >> k & 1u) != 0) components[count++] = k + 1;
    uint64_t layout = town.fixture.world.layout_version;
    bool apart = count == 1 && group_of(&town, components[0]) != 0;
    store_apart(&town, components, count);
    assert_int_equal(town.fixture.world.layout_version,
                     apart ? layout : layout + 1);
    for (uint32_t i = 0; i < count; i++) {
      assert_int_not_equal(group_of(&town, components[i]), 0);
      assert_int_equal(group_of(&town, components[i]),
                       group_of(&town, components[0]));
    }
    store_in_main(&town, components, count);
    for (uint32_t i = 0; i < count; i++)
      assert_int_equal(group_of(&town, components[i]), 0);
    finish(&town.fixture);
  }
}

TEST(tags_become_bits_and_leave_them) {
  for (uint32_t set = 1; set < 16; set++) {
    Town town;
    ecs_Component tags[4];
    uint32_t count = 0;
    open_town(&town);
    Store *world = &town.fixture.world;
    const ecs_Component all[] = {town.tag, town.bit, town.other_bit,
                                 town.sparse_tag};
    for (uint32_t k = 0; k < 4; k++)
      if ((set >> k & 1u) != 0) tags[count++] = all[k];
    assert_int_equal(store_regroup(world, tags, count, REGROUP_TO_BITS),
                     ECS_OK);
    assert_town(&town);
    for (uint32_t k = 0; k < count; k++) {
      assert_int_equal(group_of(&town, tags[k]), 0);
      assert_true(component_is_bits(&world->components.all[tags[k]]));
    }
    store_apart(&town, tags, count); /* as bits */
    store_in_main(&town, tags, count);
    for (uint32_t k = 0; k < count; k++)
      assert_false(component_is_bits(&world->components.all[tags[k]]));
    store_apart(&town, tags, count); /* in tables */
    assert_int_equal(store_regroup(world, tags, count, REGROUP_TO_BITS),
                     ECS_OK);
    assert_town(&town);
    finish(&town.fixture);
  }
}

/* Labels of components a, b, c, tag, bit, other bit, sparse, sparse tag. */
TEST(many_groups_are_made_at_once) {
  static const uint32_t layouts[][9] = {
      {0, 7, 7, 9, 0, 1, 1, 9, 5},
      {0, 0, 0, 0, 0, 0, 0, 0, 0},
      {0, 9, 8, 9, 8, 7, 7, 3, 3},
      {0, REGROUP_STAYS, 3, 3, REGROUP_STAYS, 3, REGROUP_STAYS, 4, 4},
      {0, 2, 2, 2, 1, 1, 1, 2, 1}};
  Town town;
  open_town(&town);
  Store *world = &town.fixture.world;
  for (uint32_t from = 0; from < 5; from++)
    for (uint32_t to = 0; to < 5; to++) {
      const uint32_t *labels = layouts[to];
      uint64_t layout = world->layout_version;
      assert_int_equal(store_partition(world, layouts[from]), ECS_OK);
      assert_int_equal(store_partition(world, labels), ECS_OK);
      assert_town(&town);
      assert_true(world->layout_version <= layout + 2);
      for (ecs_Component i = 1; i < 9; i++) {
        if (labels[i] == REGROUP_STAYS) continue;
        assert_int_equal(group_of(&town, i) == 0, labels[i] <= REGROUP_BITS);
        assert_int_equal(component_is_bits(&world->components.all[i]),
                         labels[i] == REGROUP_BITS);
        for (ecs_Component k = 1; k < i && labels[i] > REGROUP_BITS; k++)
          assert_int_equal(group_of(&town, i) == group_of(&town, k),
                           labels[i] == labels[k]);
      }
      layout = world->layout_version;
      assert_int_equal(store_partition(world, labels), ECS_OK);
      assert_int_equal(world->layout_version, layout); /* nothing moved */
    }
  finish(&town.fixture);
}

/* Each set of four tags goes from where another set left them. */
TEST(tags_go_from_anywhere_to_anywhere) {
  Town town;
  open_town(&town);
  Store *world = &town.fixture.world;
  const ecs_Component tags[] = {town.tag, town.bit, town.other_bit,
                                town.sparse_tag};
  uint64_t hash = store_state_hash(world);
  for (uint32_t turn = 1; turn < 16 * 16 * 3; turn++) {
    ecs_Component set[4];
    uint32_t count = 0;
    RegroupTo to = (RegroupTo)(turn % 3);
    for (uint32_t k = 0; k < 4; k++)
      if ((turn * 7 % 16 >> k & 1u) != 0) set[count++] = tags[k];
    assert_int_equal(store_regroup(world, set, count, to), ECS_OK);
    assert_town(&town);
    for (uint32_t i = 0; i < count; i++) {
      bool bits = component_is_bits(&world->components.all[set[i]]);
      assert_int_equal(group_of(&town, set[i]) != 0, to == REGROUP_TO_GROUP);
      if (to == REGROUP_TO_GROUP && count > 1) continue;
      assert_int_equal(bits, to == REGROUP_TO_BITS);
    }
    assert_true(store_state_hash(world) == hash);
  }
  finish(&town.fixture);
}

/* So many that their combinations are not remembered, and each in use. */
TEST(seventy_tags_become_bits_at_once) {
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component tags[70];
  uint32_t count =
      ECS_COMPONENT_LIMIT < 70 ? (uint32_t)ECS_COMPONENT_LIMIT : 70;
  ecs_Entity entities[PEOPLE];
  define_many(world, count, "", ECS_STORE_TABLE);
  for (uint32_t i = 0; i < count; i++) tags[i] = i + 1;
  for (uint32_t i = 0; i < PEOPLE; i++) {
    entities[i] = spawn(world, NULL, 0);
    for (uint32_t k = 1; k <= count; k++)
      if (k % PEOPLE == i)
        assert_int_equal(add(world, entities[i], k, 0), ECS_OK);
  }
  uint64_t hash = store_state_hash(world);
  static const RegroupTo ways[] = {REGROUP_TO_BITS, REGROUP_TO_MAIN,
                                   REGROUP_TO_BITS, REGROUP_TO_GROUP,
                                   REGROUP_TO_BITS, REGROUP_TO_BITS};
  for (uint32_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    assert_int_equal(store_regroup(world, tags, count, ways[i]), ECS_OK);
    assert_true(store_state_hash(world) == hash);
    assert_sound(world);
  }
  finish(&fixture);
}

/* The entities of the tables {a} and {a tag} are one table {a} afterwards, in
 * the order of the tables. */
TEST(rows_of_joined_tables_keep_their_order) {
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component a = define(world, "a", "w", ECS_STORE_TABLE);
  ecs_Component tag = define(world, "tag", "", ECS_STORE_TABLE);
  ecs_Entity entities[9];
  static const uint32_t order[] = {0, 2, 3, 5, 6, 8, 1, 4, 7};
  for (uint32_t i = 0; i < 9; i++) {
    ecs_Component both[] = {a, tag};
    entities[i] = spawn(world, both, i % 3 == 1 ? 2 : 1);
  }
  for (uint32_t turn = 0; turn < 4; turn++) {
    RegroupTo to = turn % 2 == 0 ? REGROUP_TO_BITS : REGROUP_TO_MAIN;
    assert_int_equal(store_regroup(world, &tag, 1, to), ECS_OK);
    for (uint32_t i = 0; i < 9; i++) {
      RowRef here = store_locate_main(world, entities[order[i]]);
      uint32_t first = to == REGROUP_TO_MAIN && i >= 6 ? 6 : 0;
      assert_int_equal(here.row, i - first);
    }
  }
  finish(&fixture);
}

TEST(a_group_that_was_given_up_is_taken_again) {
  Town town;
  open_town(&town);
  const Store *world = &town.fixture.world;
  const ecs_Component both[] = {town.a, town.b};
  store_apart(&town, both, 2);
  assert_int_equal(group_of(&town, town.a), 3);
  store_apart(&town, &town.c, 1);
  assert_int_equal(group_of(&town, town.c), 4);
  store_in_main(&town, both, 2);
  assert_int_equal(world->groups.count, 5);
  assert_int_equal(world->groups.all[3]->component_count, 0);
  store_apart(&town, &town.tag, 1);
  assert_int_equal(group_of(&town, town.tag), 3);
  assert_int_equal(world->groups.count, 5);
  /* The group that a component has left can be chosen for it again. */
  store_apart(&town, &town.sparse, 1);
  assert_int_equal(group_of(&town, town.sparse), 1);
  const ecs_Component sparse_both[] = {town.sparse_tag, town.sparse};
  store_apart(&town, sparse_both, 2);
  assert_int_equal(group_of(&town, town.sparse), 1);
  assert_int_equal(group_of(&town, town.sparse_tag), 1);
  store_apart(&town, sparse_both, 1);
  assert_int_equal(group_of(&town, town.sparse_tag), 2);
  finish(&town.fixture);
}

TEST(only_one_component_alone_has_a_narrow_locator) {
  Town town;
  open_town(&town);
  Store *world = &town.fixture.world;
  const ecs_Component both[] = {town.a, town.b};
  assert_true(world->groups.all[1]->locator.narrow);
  store_apart(&town, both, 2);
  assert_false(world->groups.all[3]->locator.narrow);
  store_apart(&town, both, 1); /* the other group is unchanged */
  assert_true(world->groups.all[3]->locator.narrow);
  assert_true(world->groups.all[group_of(&town, town.a)]->locator.narrow);
  store_apart(&town, &town.bit, 1);
  assert_true(world->groups.all[group_of(&town, town.bit)]->locator.narrow);
  assert_false(world->groups.main->locator.narrow);
  const ecs_Component rest[] = {town.c, town.tag, town.other_bit};
  store_apart(&town, rest, 3);
  assert_int_equal(world->groups.main->component_count, 0);
  assert_int_equal(world->groups.main->tables[0]->count, PEOPLE);
  store_in_main(&town, &town.c, 1);
  assert_false(world->groups.main->locator.narrow);
  finish(&town.fixture);
}

TEST(what_does_not_change_stays_where_it_is) {
  Town town;
  open_town(&town);
  Store *world = &town.fixture.world;
  const Group *sparse = world->groups.all[1], *main = world->groups.main;
  store_apart(&town, &town.sparse, 1);
  store_apart(&town, NULL, 0);
  assert_ptr_equal(world->groups.all[1], sparse);
  assert_ptr_equal(world->groups.main, main);
  assert_int_equal(world->groups.count, 3);
  store_in_main(&town, &town.a, 1);
  assert_ptr_equal(world->groups.main, main);
  store_apart(&town, &town.a, 1);
  assert_ptr_equal(world->groups.all[1], sparse);
  assert_ptr_not_equal(world->groups.main, main);
  finish(&town.fixture);
}

/* If a version were used again, stale plans would seem fresh. */
TEST(versions_only_grow) {
  Town town;
  open_town(&town);
  Store *world = &town.fixture.world;
  uint64_t main_before = world->groups.main->version;
  uint64_t sparse_before = world->groups.all[1]->version;
  uint64_t structure_before = store_structure_version(world);
  const ecs_Component both[] = {town.a, town.sparse};
  store_apart(&town, both, 2);
  assert_true(world->groups.main->version > main_before);
  assert_true(world->groups.all[1]->version > sparse_before);
  assert_true(store_structure_version(world) > structure_before);
  finish(&town.fixture);
}

/* Rows are taken over in the order of the main group's tables. */
TEST(rows_keep_the_order_of_the_main_group) {
  Town town;
  open_town(&town);
  const Store *world = &town.fixture.world;
  store_apart(&town, &town.sparse, 1);
  const ecs_Component both[] = {town.sparse, town.sparse_tag};
  store_apart(&town, both, 2);
  const Group *group = world->groups.all[group_of(&town, town.sparse)];
  uint32_t rows[4] = {0};
  for (uint32_t i = 0; i < world->groups.main->table_count; i++) {
    const Table *table = world->groups.main->tables[i];
    for (uint32_t row = 0; row < table->count; row++) {
      RowRef place = store_locate_in(group, id_index(table->entities[row]));
      if (place.table == NULL) continue;
      assert_int_equal(place.row, rows[place.table->id]++);
    }
  }
  finish(&town.fixture);
}

TEST(one_group_too_many_is_refused) {
#ifdef ECS_TINY
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  define_many(world, ECS_COMPONENT_LIMIT, "b", ECS_STORE_TABLE);
  for (uint32_t i = 1; i < ECS_GROUP_LIMIT; i++)
    assert_int_equal(
        store_regroup(world, &(ecs_Component){i}, 1, REGROUP_TO_GROUP), ECS_OK);
  ecs_Component last = ECS_COMPONENT_LIMIT;
  uint64_t before = digest(world), bytes = fixture.failing.bytes;
  assert_int_equal(store_regroup(world, &last, 1, REGROUP_TO_GROUP),
                   ECS_E_LIMIT);
  assert_true(digest(world) == before);
  assert_int_equal(fixture.failing.bytes, bytes);
  assert_int_equal(
      store_regroup(world, &(ecs_Component){3}, 1, REGROUP_TO_GROUP), ECS_OK);
  assert_sound(world);
  finish(&fixture);
#endif
}

/* The limit counts the groups that there will be, not labels. */
TEST(a_partition_may_take_all_groups_again) {
#ifdef ECS_TINY
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  uint32_t labels[ECS_COMPONENT_LIMIT + 1] = {0};
  define_many(world, ECS_COMPONENT_LIMIT, "b", ECS_STORE_TABLE);
  for (uint32_t i = 1; i < ECS_GROUP_LIMIT; i++) labels[i] = i + 1;
  assert_int_equal(store_partition(world, labels), ECS_OK);
  assert_int_equal(world->groups.count, ECS_GROUP_LIMIT);
  for (uint32_t i = 1; i < ECS_GROUP_LIMIT; i++)
    labels[i] = ECS_GROUP_LIMIT - i / 2;
  assert_int_equal(store_partition(world, labels), ECS_OK);
  assert_int_equal(world->groups.count, ECS_GROUP_LIMIT);
  for (uint32_t i = 1; i <= ECS_GROUP_LIMIT; i++) labels[i] = i + 1;
  uint64_t before = digest(world), bytes = fixture.failing.bytes;
  assert_int_equal(store_partition(world, labels), ECS_E_LIMIT);
  assert_true(digest(world) == before);
  assert_int_equal(fixture.failing.bytes, bytes);
  assert_sound(world);
  finish(&fixture);
#endif
}

TEST(a_failed_regrouping_leaves_all_as_it_was) {
  Town town;
  open_town(&town);
  Store *world = &town.fixture.world;
  const ecs_Component sets[][3] = {{town.a, town.bit, town.sparse},
                                   {town.b, town.c, town.tag}};
  for (uint32_t set = 0; set < 2; set++) {
    for (uint64_t n = 1;; n++) {
      uint64_t before = digest(world), bytes = town.fixture.failing.bytes;
      FailingMode mode = n % 2 == 0 ? FAIL_ONCE : FAIL_ONWARD;
      failing_memory_arm(&town.fixture.failing, n, mode);
      ecs_Status status = store_regroup(world, sets[set], 3, REGROUP_TO_GROUP);
      if (failing_memory_disarm(&town.fixture.failing) == 0) {
        assert_int_equal(status, ECS_OK);
        break;
      }
      assert_int_equal(status, ECS_E_MEMORY);
      assert_true(digest(world) == before);
      assert_int_equal(town.fixture.failing.bytes, bytes);
      assert_town(&town);
    }
    assert_town(&town);
  }
  finish(&town.fixture);
}

/* The same for all groups at once, bits among them. */
TEST(a_failed_partition_leaves_all_as_it_was) {
  static const uint32_t layouts[][9] = {{0, 7, 7, 9, 1, 0, 1, 9, 5},
                                        {0, 0, 3, 4, 0, 1, 0, 5, 1}};
  Town town;
  open_town(&town);
  Store *world = &town.fixture.world;
  for (uint32_t k = 0; k < 2; k++)
    for (uint64_t n = 1;; n++) {
      uint64_t before = digest(world), bytes = town.fixture.failing.bytes;
      failing_memory_arm(&town.fixture.failing, n,
                         n % 2 == 0 ? FAIL_ONCE : FAIL_ONWARD);
      ecs_Status status = store_partition(world, layouts[k]);
      bool failed = failing_memory_disarm(&town.fixture.failing) > 0;
      assert_int_equal(status, failed ? ECS_E_MEMORY : ECS_OK);
      assert_town(&town);
      if (!failed) break;
      assert_true(digest(world) == before);
      assert_int_equal(town.fixture.failing.bytes, bytes);
    }
  finish(&town.fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_set_of_components_goes_apart_and_comes_back),
      cmocka_unit_test(tags_become_bits_and_leave_them),
      cmocka_unit_test(many_groups_are_made_at_once),
      cmocka_unit_test(tags_go_from_anywhere_to_anywhere),
      cmocka_unit_test(seventy_tags_become_bits_at_once),
      cmocka_unit_test(rows_of_joined_tables_keep_their_order),
      cmocka_unit_test(a_group_that_was_given_up_is_taken_again),
      cmocka_unit_test(only_one_component_alone_has_a_narrow_locator),
      cmocka_unit_test(what_does_not_change_stays_where_it_is),
      cmocka_unit_test(versions_only_grow),
      cmocka_unit_test(rows_keep_the_order_of_the_main_group),
      cmocka_unit_test(one_group_too_many_is_refused),
      cmocka_unit_test(a_partition_may_take_all_groups_again),
      cmocka_unit_test(a_failed_regrouping_leaves_all_as_it_was),
      cmocka_unit_test(a_failed_partition_leaves_all_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* component_set_test.c: some of the components that a layout is chosen for. */
#include "test_case.h"
#include "layout/component_set.h"
#include "math/random.h"

/* The same set as one bool for each component. */
typedef struct PlainSet {
  bool has[LAYOUT_COMPONENTS];
} PlainSet;

/* The first and the last bit of each word, and some others. */
static const uint32_t members[] = {0, 1, 63, 64, 100, 127, 128, 191, 192, 255};
#define MEMBERS (sizeof members / sizeof members[0])

TEST(a_set_has_what_was_added) {
  for (size_t i = 0; i < MEMBERS; i++) {
    ComponentSet set = {{0}};
    assert_true(set_is_empty(&set));
    set_add(&set, members[i]);
    set_add(&set, members[i]);
    assert_false(set_is_empty(&set));
    for (uint32_t k = 0; k < LAYOUT_COMPONENTS; k++)
      assert_int_equal(set_has(&set, k), k == members[i]);
  }
}

TEST(members_are_gone_through_in_order) {
  ComponentSet set = {{0}};
  assert_int_equal(set_next(&set, 0), LAYOUT_COMPONENTS);
  for (size_t i = MEMBERS; i-- > 0;) set_add(&set, members[i]);
  size_t i = 0;
  for (uint32_t k = set_next(&set, 0); k < LAYOUT_COMPONENTS;
       k = set_next(&set, k + 1))
    assert_int_equal(k, members[i++]);
  assert_int_equal(i, MEMBERS);
  assert_int_equal(set_next(&set, LAYOUT_COMPONENTS), LAYOUT_COMPONENTS);
}

/* Sets of few members and of many. */
static ComponentSet draw(uint64_t seed, PlainSet *plain) {
  ComponentSet set = {{0}};
  for (uint32_t k = 0; k < LAYOUT_COMPONENTS; k++) {
    plain->has[k] = random_mix(seed * 1000 + k) % (1 + seed % 200) == 0;
    if (plain->has[k]) set_add(&set, k);
  }
  return set;
}

TEST(two_sets_compare_as_their_members_do) {
  for (uint64_t seed = 0; seed < 400; seed++) {
    PlainSet one, other;
    ComponentSet a = draw(2 * seed, &one), b = draw(2 * seed + 1, &other);
    ComponentSet both = set_and(&a, &b), either = set_or(&a, &b);
    bool contains = true, meets = false;
    for (uint32_t k = 0; k < LAYOUT_COMPONENTS; k++) {
      assert_int_equal(set_has(&both, k), one.has[k] && other.has[k]);
      assert_int_equal(set_has(&either, k), one.has[k] || other.has[k]);
      contains = contains && (one.has[k] || !other.has[k]);
      meets = meets || (one.has[k] && other.has[k]);
    }
    assert_int_equal(set_contains(&a, &b), contains);
    assert_int_equal(set_meets(&a, &b), meets);
    assert_true(set_contains(&either, &a) && set_contains(&a, &both));
  }
}

TEST(a_hash_depends_on_each_member) {
  uint64_t hashes[LAYOUT_COMPONENTS];
  for (uint32_t k = 0; k < LAYOUT_COMPONENTS; k++) {
    ComponentSet set = {{0}}, same = {{0}};
    set_add(&set, k);
    set_add(&same, k);
    hashes[k] = set_hash(&set);
    assert_true(hashes[k] == set_hash(&same));
    for (uint32_t i = 0; i < k; i++) assert_true(hashes[i] != hashes[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_set_has_what_was_added),
      cmocka_unit_test(members_are_gone_through_in_order),
      cmocka_unit_test(two_sets_compare_as_their_members_do),
      cmocka_unit_test(a_hash_depends_on_each_member),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

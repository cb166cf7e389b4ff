/* entity_index_test.c: no handle is issued twice, and slots are right. */
#include "world_fixture.h"
#include "test_case.h"

typedef struct Issuer {
  FailingMemory failing;
  Memory memory;
  EntityIndex index;
} Issuer;

static void open_issuer(Issuer *issuer) {
  memory_init(&issuer->memory, failing_memory_init(&issuer->failing), 0);
  entity_index_init(&issuer->index);
  assert_int_equal(issuer->failing.requests, 0);
}

static void close_issuer(Issuer *issuer) {
  entity_index_deinit(&issuer->index, &issuer->memory);
  assert_int_equal(issuer->failing.blocks, 0);
  assert_int_equal(issuer->index.used, 1);
  assert_null(issuer->index.pages);
}

static ecs_Entity issue(Issuer *issuer) {
  assert_int_equal(entity_index_reserve(&issuer->index, &issuer->memory, 1),
                   ECS_OK);
  return entity_index_issue(&issuer->index);
}

static void release(Issuer *issuer, ecs_Entity entity) {
  entity_index_free(&issuer->index, id_index(entity), id_generation(entity));
}

TEST(indices_are_issued_from_one_in_order) {
  Issuer issuer;
  open_issuer(&issuer);
  for (uint32_t i = 1; i < 3 * 4 + 2; i++) {
    assert_int_equal(issue(&issuer), id_make(i, 0));
    assert_int_equal(issuer.index.used, i + 1);
    assert_int_equal(issuer.index.alive_count, i);
    Slot slot = *entity_index_slot(&issuer.index, i);
    assert_int_equal(slot_state(slot), SLOT_RESERVED);
    assert_int_equal(slot.table_bits, 0);
  }
  close_issuer(&issuer);
}

TEST(freed_indices_come_back_last_in_first_out) {
  Issuer issuer;
  open_issuer(&issuer);
  for (uint32_t i = 1; i <= 6; i++) issue(&issuer);
  const uint32_t order[] = {3, 1, 6, 2};
  for (uint32_t i = 0; i < 4; i++) {
    release(&issuer, id_make(order[i], 0));
    assert_int_equal(issuer.index.free_head, order[i]);
    assert_int_equal(issuer.index.free_count, i + 1);
    assert_int_equal(issuer.index.alive_count, 5 - i);
  }
  for (uint32_t i = 4; i-- > 0;) {
    assert_int_equal(issue(&issuer), id_make(order[i], 1));
    assert_int_equal(issuer.index.free_count, i);
  }
  assert_int_equal(issue(&issuer), id_make(7, 0));
  close_issuer(&issuer);
}

TEST(a_place_is_kept_in_the_slot_with_its_summary) {
  Issuer issuer;
  open_issuer(&issuer);
  issue(&issuer);
  Slot *slot = entity_index_slot(&issuer.index, 1);
  entity_index_place(&issuer.index, 1, 0xabcdef, ECS_INDEX_MASK);
  assert_int_equal(slot_state(*slot), SLOT_PLACED);
  assert_int_equal(slot_table(*slot), 0xabcdef);
  assert_int_equal(slot_row(*slot), ECS_INDEX_MASK);
  assert_int_equal(slot_summary(*slot), 0);
  slot->table_bits |= 5u << 24;
  entity_index_move(&issuer.index, 1, 0x123456, 5);
  assert_int_equal(slot_table(*slot), 0x123456);
  assert_int_equal(slot_row(*slot), 5);
  assert_int_equal(slot_summary(*slot), 5);
  release(&issuer, 1);
  close_issuer(&issuer);
}

TEST(a_placed_slot_tells_the_first_generations) {
  Issuer issuer;
  open_issuer(&issuer);
  issue(&issuer);
  for (uint32_t now = 0; now + 1 < ECS_GENERATION_LIMIT && now < 99; now++) {
    uint32_t told = now < ECS_SLOT_GENERATIONS ? now : ECS_SLOT_GENERATIONS;
    entity_index_place(&issuer.index, 1, 0xabcdef, 7);
    Slot *slot = entity_index_slot(&issuer.index, 1);
    assert_int_equal(slot->table_bits >> SLOT_HINT_SHIFT, told);
    slot->table_bits |= 6u << SLOT_SUMMARY_SHIFT;
    entity_index_move(&issuer.index, 1, 0x123456, 8);
    assert_int_equal(slot->table_bits >> SLOT_HINT_SHIFT, told);
    assert_int_equal(slot_summary(*slot), 6);
    assert_int_equal(slot_table(*slot), 0x123456);
    entity_index_free(&issuer.index, 1, now);
    ecs_Entity entity = entity_index_issue_placed(&issuer.index, 5, 6);
    assert_int_equal(entity, id_make(1, now + 1));
    assert_int_equal(slot->table_bits, 5u | slot_hint(now + 1));
    *slot = (Slot){(uint32_t)SLOT_RESERVED << ECS_INDEX_BITS, now + 1};
  }
  close_issuer(&issuer);
}

/* A recycled slot must not keep anything of its last place. */
TEST(a_recycled_index_starts_without_place_and_summary) {
  Issuer issuer;
  open_issuer(&issuer);
  issue(&issuer);
  entity_index_place(&issuer.index, 1, 7, 9);
  entity_index_slot(&issuer.index, 1)->table_bits |= 7u << 24;
  entity_index_free(&issuer.index, 1, 0);
  Slot slot = *entity_index_slot(&issuer.index, 1);
  assert_int_equal(slot_state(slot), SLOT_FREE);
  assert_int_equal(slot_row(slot), 0);
  assert_int_equal(slot.table_bits, 1);
  assert_int_equal(issue(&issuer), id_make(1, 1));
  slot = *entity_index_slot(&issuer.index, 1);
  assert_int_equal(slot_state(slot), SLOT_RESERVED);
  assert_int_equal(slot.table_bits, 1);
  assert_int_equal(slot_row(slot), 0);
  close_issuer(&issuer);
}

TEST(the_last_generation_retires_its_index) {
  Issuer issuer;
  open_issuer(&issuer);
  issue(&issuer);
  issue(&issuer);
  uint32_t last = ECS_GENERATION_LIMIT - 1;
  entity_index_free(&issuer.index, 1, last - 1);
  assert_int_equal(issuer.index.retired_count, 0);
  assert_int_equal(issue(&issuer), id_make(1, last));
  release(&issuer, id_make(1, last));
  assert_int_equal(issuer.index.retired_count, 1);
  assert_int_equal(issuer.index.free_count, 0);
  assert_int_equal(issuer.index.free_head, 0);
  assert_int_equal(issuer.index.alive_count, 1);
  Slot slot = *entity_index_slot(&issuer.index, 1);
  assert_int_equal(slot_state(slot), SLOT_RETIRED);
  assert_int_equal(slot.table_bits, last);
  assert_int_equal(issue(&issuer), id_make(3, 0));
  close_issuer(&issuer);
}

TEST(reserving_makes_issuing_free_of_requests) {
  Issuer issuer;
  open_issuer(&issuer);
  assert_false(entity_index_ready(&issuer.index));
  assert_int_equal(entity_index_reserve(&issuer.index, &issuer.memory, 20),
                   ECS_OK);
  uint64_t requests = issuer.failing.requests;
  assert_int_equal(issuer.index.page_count,
                   (21 + SLOT_PAGE_SIZE - 1) / SLOT_PAGE_SIZE);
  for (uint32_t i = 0; i < 20; i++) {
    assert_true(entity_index_ready(&issuer.index));
    entity_index_issue(&issuer.index);
  }
  for (uint32_t i = 1; i <= 20; i++) release(&issuer, id_make(i, 0));
  assert_int_equal(entity_index_reserve(&issuer.index, &issuer.memory, 20),
                   ECS_OK);
  assert_int_equal(issuer.failing.requests, requests);
  close_issuer(&issuer);
}

TEST(a_full_page_is_not_ready_and_one_more_asks_for_a_page) {
  Issuer issuer;
  open_issuer(&issuer);
  for (uint32_t i = 1; i < SLOT_PAGE_SIZE; i++) issue(&issuer);
  assert_int_equal(issuer.index.page_count, 1);
  assert_false(entity_index_ready(&issuer.index));
  release(&issuer, 2);
  assert_true(entity_index_ready(&issuer.index));
  assert_int_equal(issue(&issuer), id_make(2, 1));
  assert_int_equal(issue(&issuer), id_make(SLOT_PAGE_SIZE, 0));
  assert_int_equal(issuer.index.page_count, 2);
  close_issuer(&issuer);
}

/* What the slots hold moves with the first page, which is never larger than
 * twice what is needed, or a page. */
TEST(the_first_page_grows_with_the_indices) {
  Issuer issuer;
  open_issuer(&issuer);
  const EntityIndex *index = &issuer.index;
  uint32_t moves = 0;
  for (uint32_t i = 1; i < 3 * SLOT_PAGE_SIZE; i++) {
    uint32_t slots = index->slot_count;
    issue(&issuer);
    moves += index->slot_count != slots && index->page_count == 1;
    assert_true(index->slot_count > i);
    if (i < SLOT_PAGE_SIZE && i >= ECS_FIRST_SLOTS)
      assert_true(index->slot_count <= 2 * i);
    if (i % 3 == 0) release(&issuer, id_make(i, 0));
    if (i % 3 == 0) issue(&issuer);
  }
  assert_int_equal(1u << (moves - 1), SLOT_PAGE_SIZE / ECS_FIRST_SLOTS);
  for (uint32_t i = 1; i < 3 * SLOT_PAGE_SIZE; i++)
    assert_int_equal(entity_index_slot(index, i)->table_bits, i % 3 == 0);
  assert_true(entity_index_check_invariants(index));
  close_issuer(&issuer);
}

/* Free indices count as room, so the limit is what can be issued at once. */
TEST(the_limit_itself_is_allowed_and_one_more_is_not) {
  Issuer issuer;
  open_issuer(&issuer);
  EntityIndex *index = &issuer.index;
  Memory *memory = &issuer.memory;
  assert_int_equal(entity_index_reserve(index, memory, ECS_INDEX_LIMIT),
                   ECS_E_LIMIT);
  assert_int_equal(entity_index_reserve(index, memory, UINT64_MAX),
                   ECS_E_LIMIT);
  assert_int_equal(issuer.failing.requests, 0);
#ifdef ECS_TINY
  for (uint32_t i = 1; i < ECS_INDEX_LIMIT; i++) issue(&issuer);
  assert_int_equal(entity_index_reserve(index, memory, 1), ECS_E_LIMIT);
  release(&issuer, 4);
  release(&issuer, 9);
  assert_int_equal(entity_index_reserve(index, memory, 2), ECS_OK);
  assert_int_equal(entity_index_reserve(index, memory, 3), ECS_E_LIMIT);
  assert_int_equal(index->page_count, ECS_INDEX_LIMIT / SLOT_PAGE_SIZE);
#endif
  close_issuer(&issuer);
}

TEST(a_refused_page_leaves_the_index_as_it_was) {
  for (uint64_t n = 1;; n++) {
    Issuer issuer;
    open_issuer(&issuer);
    for (uint32_t i = 1; i < SLOT_PAGE_SIZE; i++) issue(&issuer);
    EntityIndex before = issuer.index;
    failing_memory_arm(&issuer.failing, n, FAIL_ONCE);
    ecs_Status status =
        entity_index_reserve(&issuer.index, &issuer.memory, 5 * SLOT_PAGE_SIZE);
    bool failed = failing_memory_disarm(&issuer.failing) > 0;
    assert_int_equal(status, failed ? ECS_E_MEMORY : ECS_OK);
    assert_int_equal(issuer.index.used, before.used);
    assert_int_equal(issuer.index.alive_count, before.alive_count);
    assert_int_equal(issue(&issuer), id_make(SLOT_PAGE_SIZE, 0));
    close_issuer(&issuer);
    if (!failed) break;
  }
}

#ifdef ECS_TINY
/* Every handle there can be is issued once, until none is left. */
TEST(no_handle_is_issued_twice) {
  Issuer issuer;
  open_issuer(&issuer);
  bool seen[ECS_GENERATION_LIMIT][ECS_INDEX_LIMIT] = {{false}};
  ecs_Entity alive[ECS_INDEX_LIMIT];
  uint32_t count = 0, issued = 0, chance = 1;
  while (entity_index_reserve(&issuer.index, &issuer.memory, 1) == ECS_OK) {
    ecs_Entity entity = entity_index_issue(&issuer.index);
    assert_false(seen[id_generation(entity)][id_index(entity)]);
    seen[id_generation(entity)][id_index(entity)] = true;
    alive[count++] = entity;
    issued++;
    chance = chance * 1103515245u + 12345u;
    uint32_t victim = (chance >> 16) % count;
    if (count > 5) {
      release(&issuer, alive[victim]);
      alive[victim] = alive[--count];
    }
    assert_int_equal(issuer.index.alive_count, count);
  }
  assert_true(issued > 2 * ECS_INDEX_LIMIT);
  assert_int_equal(issuer.index.retired_count + count, ECS_INDEX_LIMIT - 1);
  close_issuer(&issuer);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(indices_are_issued_from_one_in_order),
      cmocka_unit_test(freed_indices_come_back_last_in_first_out),
      cmocka_unit_test(a_place_is_kept_in_the_slot_with_its_summary),
      cmocka_unit_test(a_placed_slot_tells_the_first_generations),
      cmocka_unit_test(a_recycled_index_starts_without_place_and_summary),
      cmocka_unit_test(the_last_generation_retires_its_index),
      cmocka_unit_test(reserving_makes_issuing_free_of_requests),
      cmocka_unit_test(a_full_page_is_not_ready_and_one_more_asks_for_a_page),
      cmocka_unit_test(the_first_page_grows_with_the_indices),
      cmocka_unit_test(the_limit_itself_is_allowed_and_one_more_is_not),
      cmocka_unit_test(a_refused_page_leaves_the_index_as_it_was),
#ifdef ECS_TINY
      cmocka_unit_test(no_handle_is_issued_twice),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* group_fixture.h: a group without a store, with components of mixed sizes. */
#ifndef GROUP_FIXTURE_H
#define GROUP_FIXTURE_H

#include "world_fixture.h"

#define KINDS 5u

typedef struct Gang {
  FailingMemory failing;
  Memory memory;
  Schema *kinds[KINDS];
  Group *group;
} Gang;

/* Component k + 1 is of kind k % 5: sizes mixed, alone, and none. */
static inline void open_gang(Gang *gang, uint32_t components) {
  const char *letters[KINDS] = {"bw", "", "wwd", "hb", "d"};
  memory_init(&gang->memory, failing_memory_init(&gang->failing), 0);
  for (uint32_t i = 0; i < KINDS; i++) {
    ecs_Field fields[3] = {
        {"0", scalar_of(letters[i][0]), 0}, {"1", ECS_U8, 0}, {"2", ECS_U8, 0}};
    uint32_t count = (uint32_t)strlen(letters[i]);
    for (uint32_t k = 1; k < count; k++)
      fields[k].type = scalar_of(letters[i][k]);
    ecs_ComponentDescription how = {.name = "kind",
                                    .fields = fields,
                                    .field_count = count,
                                    .storage = ECS_STORE_TABLE};
    assert_int_equal(schema_create(&gang->memory, &how, &gang->kinds[i]),
                     ECS_OK);
  }
  gang->group = group_create(&gang->memory, 3, false);
  assert_non_null(gang->group);
  for (uint32_t i = 0; i < components; i++)
    assert_int_equal(group_add_component(gang->group, &gang->memory, i + 1,
                                         gang->kinds[i % KINDS], false),
                     ECS_OK);
}

static inline void close_gang(Gang *gang) {
  group_destroy(gang->group, &gang->memory);
  for (uint32_t i = 0; i < KINDS; i++)
    schema_destroy(&gang->memory, gang->kinds[i]);
  assert_int_equal(gang->failing.blocks, 0);
  assert_int_equal(gang->failing.bytes, 0);
}

static inline Table *ensure(Gang *gang, uint64_t mask) {
  Table *table = NULL;
  assert_int_equal(group_ensure_table(gang->group, &gang->memory,
                                      mask_trim(&mask, 1), &table),
                   ECS_OK);
  assert_non_null(table);
  return table;
}

static inline const Edge *take_edge(Gang *gang, const Table *table,
                                    uint32_t bit) {
  const Edge *edge = NULL;
  assert_int_equal(
      group_ensure_edge(gang->group, &gang->memory, table, bit, &edge), ECS_OK);
  assert_non_null(edge);
  return edge;
}

static inline void make_match(Gang *gang, MatchedTables *match, uint32_t words,
                              uint64_t required, uint64_t excluded) {
  *match = (MatchedTables){.words = words};
  if (words == 0) return;
  match->required = memory_zeroed(&gang->memory, words, sizeof(uint64_t));
  match->excluded = memory_zeroed(&gang->memory, words, sizeof(uint64_t));
  match->required[0] = required;
  match->excluded[0] = excluded;
}

static inline void attach(Gang *gang, MatchedTables *match) {
  assert_int_equal(group_attach(gang->group, &gang->memory, match), ECS_OK);
}

#endif

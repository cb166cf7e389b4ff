/* row_list_fixture.h: queries with row lists, and what holds of every list. */
#ifndef ROW_LIST_FIXTURE_H
#define ROW_LIST_FIXTURE_H

#include <string.h>

#include "world/world.h"
#include "api_fixture.h"

#define MANY (ECS_BLOCK_ROWS * 2u + 3u)

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, b, s, r, t;
  ecs_Entity e[MANY + 40u];
  uint32_t count;
} Fixture;

static inline ecs_Component define(Fixture *fixture, const char *name,
                                   ecs_Storage storage) {
  static const ecs_Field field = {"v", ECS_U32, 0};
  return define_component(fixture->world, name, &field,
                          storage == ECS_STORE_BITS ? 0 : 1, storage);
}

static inline void start(Fixture *fixture) {
  fixture->world = open_world(&fixture->failing);
  fixture->count = 0;
  fixture->a = define(fixture, "A", ECS_STORE_TABLE);
  fixture->b = define(fixture, "B", ECS_STORE_TABLE);
  fixture->s = define(fixture, "S", ECS_STORE_SPARSE);
  fixture->r = define(fixture, "R", ECS_STORE_SPARSE);
  fixture->t = define(fixture, "T", ECS_STORE_BITS);
}

static inline void finish(Fixture *fixture) {
  close_world(fixture->world, &fixture->failing);
}

/* count more entities with A. */
static inline void spawn(Fixture *fixture, uint32_t count) {
  for (; count > 0; count--)
    assert_int_equal(ecs_spawn(fixture->world, &fixture->a, 1, NULL,
                               &fixture->e[fixture->count++]),
                     ECS_OK);
}

static inline void add(Fixture *fixture, uint32_t index,
                       ecs_Component component) {
  assert_int_equal(ecs_add(fixture->world, fixture->e[index], component, NULL),
                   ECS_OK);
}

/* A query that requires both components. */
static inline ecs_Query *pair(Fixture *fixture, ecs_Component left,
                              ecs_Component right) {
  const ecs_Term terms[] = {{left, ECS_READ}, {right, ECS_READ}};
  return make_query(fixture->world, terms, 2);
}

static inline bool matches(const ecs_Query *query, const ecs_World *world,
                           ecs_Entity entity) {
  for (uint32_t i = 0; i < query->term_count; i++) {
    const QueryTerm *term = &query->terms[i];
    bool there = ecs_has(world, entity, term->component);
    if (term->access == ECS_OPTIONAL) continue;
    if (there != (term->access != ECS_WITHOUT)) return false;
  }
  return true;
}

static inline ecs_Entity entity_at(const ecs_Query *query, const Block *block,
                                   uint32_t group_index, uint32_t index) {
  const Table *table =
      row_list_table(&query->rows, block, query->groups, group_index);
  if (table == NULL) return 0;
  uint32_t row = row_list_rows(&query->rows, block, group_index)[index];
  assert_true(row < table->count);
  return table->entities[row];
}

/* Checks that the rows in one group are those of the driver's entities. */
static inline void assert_block(const ecs_Query *query, const Block *block,
                                uint32_t group_index) {
  const uint32_t *rows = row_list_rows(&query->rows, block, group_index);
  const QueryGroup *query_group = &query->groups[group_index];
  bool run = true;
  for (uint32_t i = 0; i < block->count; i++) {
    ecs_Entity entity = entity_at(query, block, query->driver, i);
    RowRef place = query_group->group->id == 0
                       ? store_locate_main(query->store, entity)
                       : store_locate_in(query_group->group, id_index(entity));
    const Table *table =
        row_list_table(&query->rows, block, query->groups, group_index);
    assert_ptr_equal(place.table, table);
    if (table == NULL || row_list_is_unplaced(&query->rows, group_index))
      continue;
    assert_int_equal(place.row, rows[i]);
    run = run && rows[i] == rows[0] + i;
  }
  assert_int_equal(block_is_run_in(block, group_index), run);
}

static inline bool is_run(const ecs_Query *query, const Block *block) {
  for (uint32_t i = 0; i < query->group_count; i++)
    if (!block_is_run_in(block, i)) return false;
  return true;
}

/* Checks what holds of every list: every entity that matches is listed once,
 * blocks follow each other without gaps, rows are in the driver's order. */
static inline void assert_listed(const Fixture *fixture,
                                 const ecs_Query *query) {
  uint64_t count = query_count(query), wanted = 0;
  const RowList *list = &query->rows;
  assert_true(row_list_is_fresh(list, query->groups));
  for (uint32_t i = 0; i < fixture->count; i++)
    if (matches(query, fixture->world, fixture->e[i])) wanted++;
  assert_int_equal(count, wanted);
  uint32_t next = 0;
  for (uint32_t i = 0; i < list->block_count; i++) {
    const Block *block = &list->blocks[i];
    const uint32_t *rows = row_list_rows(list, block, query->driver);
    assert_int_equal(block->first, next);
    assert_true(block->count > 0);
    next += block->count;
    for (uint32_t k = 0; k < query->group_count; k++)
      assert_block(query, block, k);
    for (uint32_t k = 0; k < block->count; k++)
      assert_true(matches(query, fixture->world,
                          entity_at(query, block, query->driver, k)));
    for (uint32_t k = 1; k < block->count; k++)
      assert_true(rows[k] > rows[k - 1]);
    if (!is_run(query, block)) assert_true(block->count <= ECS_BLOCK_ROWS);
    if (i > 0 && block[-1].tables == block->tables)
      assert_true(rows[0] > rows[-1]);
  }
  assert_int_equal(next, count);
}

/* Checks it of the list that runs use, and of the one with all rows. */
static inline void assert_sound(const Fixture *fixture, ecs_Query *query) {
  uint64_t count = 0;
  assert_int_equal(ecs_query_count(query, &count), ECS_OK);
  assert_int_equal(count, query_count(query));
  assert_listed(fixture, query);
  assert_int_equal(query_prepare_everywhere(query), ECS_OK);
  assert_int_equal(query->rows.unplaced, 0);
  assert_listed(fixture, query);
}

static inline const RowList *built(const Fixture *fixture, ecs_Query *query) {
  assert_sound(fixture, query);
  return &query->rows;
}

#endif

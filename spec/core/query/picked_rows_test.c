/* picked_rows_test.c: walks over what has changed.
 *
 * What every way to write makes of a walk is the business of the model test
 * (spec/model/run_changed.c); here are the blocks, to the row, and what it takes
 * for them to be known. Then walks in order.
 */
#include "ecs_access.h"
#include "query_fixture.h"
#include "test_case.h"

#define BLOCKS 2u
#define ROWS (BLOCKS * STAMP_ROWS + 3u)

typedef struct Scene {
  Fixture fixture;
  ecs_Query *query;
  ecs_Entity *entities; /* ROWS of them, in one table, in its order */
} Scene;

/* Entities with A, and a query for it that asks for its changes. */
static void open_scene(Scene *scene, ecs_Access access) {
  const uint32_t some = ROWS;
  start(&scene->fixture);
  const ecs_Term term = {scene->fixture.a, access};
  scene->entities = calloc(some, sizeof(ecs_Entity));
  for (uint32_t i = 0; i < some; i++)
    scene->entities[i] = spawn(&scene->fixture, &term.component, 1);
  scene->query = make_query(scene->fixture.world, &term, 1);
  assert_int_equal(ecs_query_ask_changes(scene->query, 0), ECS_OK);
}

static void close_scene(Scene *scene) {
  free(scene->entities);
  finish(&scene->fixture);
}

static uint32_t walk(ecs_Query *query) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint32_t rows = 0;
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  while (ecs_cursor_next(&cursor, &batch)) rows += batch.count;
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  return rows;
}

static uint32_t see(ecs_Query *query) {
  uint32_t rows = walk(query);
  ecs_query_mark_seen(query);
  return rows;
}

static void set(const Scene *scene, uint32_t index) {
  struct {
    double x;
    float y;
  } image = {1, 2};
  assert_int_equal(ecs_set(scene->fixture.world, scene->entities[index],
                           scene->fixture.a, &image, 1),
                   ECS_OK);
}

TEST(blocks_without_changes_are_passed_over) {
  Scene scene;
  open_scene(&scene, ECS_READ);
  assert_int_equal(see(scene.query), ROWS);
  assert_int_equal(see(scene.query), 0);
  set(&scene, 0);
  assert_int_equal(see(scene.query), STAMP_ROWS);
  set(&scene, STAMP_ROWS - 1);
  set(&scene, STAMP_ROWS);
  assert_int_equal(see(scene.query), 2 * STAMP_ROWS);
  set(&scene, ROWS - 1);
  assert_int_equal(see(scene.query), 3);
  assert_int_equal(see(scene.query), 0);
  close_scene(&scene);
}

/* Entities with A, in the table behind some others of it, and with S: a run of
 * rows in both groups, of which the blocks of A begin elsewhere. They are more
 * than fit into one window. */
#define RUN_BLOCKS (STAMP_ROWS < 64u ? 2u : 35u)
#define RUN_ROWS (RUN_BLOCKS * STAMP_ROWS + 5u)
#define RUN_BEHIND 3u

typedef struct Run {
  Fixture fixture;
  ecs_Query *query;
  ecs_Entity *entities;
  bool *seen; /* per piece of the run: what the next walk sees */
} Run;

static void open_run(Run *run) {
  start(&run->fixture);
  Fixture *fixture = &run->fixture;
  const ecs_Term terms[] = {{fixture->a, ECS_READ}, {fixture->s, ECS_READ}};
  run->entities = calloc(RUN_ROWS, sizeof(ecs_Entity));
  run->seen = calloc(RUN_BLOCKS + 1, sizeof(bool));
  spawn_many(fixture, fixture->a, RUN_BEHIND);
  for (uint32_t i = 0; i < RUN_ROWS; i++) {
    const ecs_Component both[] = {fixture->a, fixture->s};
    run->entities[i] = spawn(fixture, both, 2);
  }
  run->query = make_query(fixture->world, terms, 2);
  assert_int_equal(ecs_query_ask_changes(run->query, 0), ECS_OK);
  assert_int_equal(ecs_query_ask_changes(run->query, 1), ECS_OK);
}

static void close_run(Run *run) {
  free(run->entities);
  free(run->seen);
  finish(&run->fixture);
}

/* Sets a component of an entity of the run, and notes the pieces with rows of
 * its block of rows, which begin `behind` rows after the table. */
static void set_in_run(Run *run, ecs_Component component, uint32_t index,
                       uint32_t behind) {
  assert_int_equal(
      ecs_set_field(run->fixture.world, run->entities[index], component, 0, 1),
      ECS_OK);
  const uint32_t block = (index + behind) / STAMP_ROWS;
  for (uint32_t i = 0; i < RUN_ROWS; i++)
    if ((i + behind) / STAMP_ROWS == block) run->seen[i / STAMP_ROWS] = true;
}

static uint32_t take_seen(Run *run) {
  uint32_t rows = 0;
  for (uint32_t i = 0; i < RUN_ROWS; i++) rows += run->seen[i / STAMP_ROWS];
  memset(run->seen, 0, (RUN_BLOCKS + 1) * sizeof(bool));
  return rows;
}

TEST(runs_of_two_groups_are_passed_over_by_blocks) {
  Run run;
  open_run(&run);
  assert_int_equal(see(run.query), RUN_ROWS);
  assert_int_equal(see(run.query), 0);
  for (uint32_t i = 0; i < RUN_ROWS; i += STAMP_ROWS / 2 + 7) {
    set_in_run(&run, run.fixture.a, i, RUN_BEHIND);
    assert_int_equal(see(run.query), take_seen(&run));
    set_in_run(&run, run.fixture.s, RUN_ROWS - 1 - i, 0);
    assert_int_equal(see(run.query), take_seen(&run));
    assert_int_equal(see(run.query), 0);
  }
  for (uint32_t i = 0; i < RUN_ROWS; i += 3 * STAMP_ROWS)
    set_in_run(&run, i % 2 == 0 ? run.fixture.a : run.fixture.s, i,
               i % 2 == 0 ? RUN_BEHIND : 0);
  assert_int_equal(see(run.query), take_seen(&run));
  close_run(&run);
}

/* A walk over changed rows shows each of them once, with its own values. */
TEST(changed_runs_show_their_own_rows) {
  Run run;
  open_run(&run);
  (void)see(run.query);
  for (uint32_t i = 0; i < RUN_ROWS; i += STAMP_ROWS * 2)
    set_in_run(&run, run.fixture.a, i, RUN_BEHIND);
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint32_t rows = 0, next = 0;
  assert_int_equal(ecs_query_begin(run.query, ECS_BATCH_WHOLE, &cursor), 0);
  while (ecs_cursor_next(&cursor, &batch))
    for (uint32_t i = 0; i < batch.count; i++, rows++, next++) {
      while (!run.seen[next / STAMP_ROWS]) next += STAMP_ROWS;
      assert_int_equal(batch.entities[i], run.entities[next]);
    }
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  assert_int_equal(rows, take_seen(&run));
  close_run(&run);
}

TEST(only_a_walk_that_was_seen_counts) {
  Scene scene;
  open_scene(&scene, ECS_READ);
  assert_int_equal(walk(scene.query), ROWS);
  assert_int_equal(count_of(scene.query), ROWS);
  assert_int_equal(see(scene.query), ROWS);
  set(&scene, 0);
  ecs_query_mark_seen(scene.query); /* of the walk before */
  assert_int_equal(count_of(scene.query), STAMP_ROWS);
  ecs_Entity found[ROWS];
  uint64_t count = 0;
  assert_int_equal(ecs_query_entities(scene.query, found, ROWS, &count), 0);
  assert_int_equal(count, STAMP_ROWS);
  assert_int_equal(found[0], scene.entities[0]);
  ecs_query_mark_seen(scene.query);
  assert_int_equal(count_of(scene.query), 0);
  close_scene(&scene);
}

TEST(what_a_walk_writes_is_not_seen_by_itself) {
  Scene scene;
  open_scene(&scene, ECS_WRITE);
  const ecs_Term term = {scene.fixture.a, ECS_READ};
  ecs_Query *other = make_query(scene.fixture.world, &term, 1);
  assert_int_equal(ecs_query_ask_changes(other, 0), ECS_OK);
  assert_int_equal(see(scene.query), ROWS);
  assert_int_equal(see(other), ROWS);
  assert_int_equal(see(scene.query), 0);
  set(&scene, 0);
  assert_int_equal(see(other), STAMP_ROWS);
  assert_int_equal(see(scene.query), STAMP_ROWS);
  assert_int_equal(see(scene.query), 0);
  assert_int_equal(see(other), STAMP_ROWS); /* the walk has opened it */
  assert_int_equal(see(other), 0);
  close_scene(&scene);
}

TEST(a_walk_that_ends_early_stamps_what_it_has_shown) {
  Scene scene;
  open_scene(&scene, ECS_READ);
  for (uint32_t i = 0; i < STAMP_ROWS / 2; i++) {
    const ecs_Component both[] = {scene.fixture.a, scene.fixture.tag};
    (void)spawn(&scene.fixture, both, 2);
  }
  const ecs_Term term = {scene.fixture.a, ECS_WRITE};
  ecs_Query *writer = make_query(scene.fixture.world, &term, 1);
  assert_int_equal(see(scene.query), ROWS + STAMP_ROWS / 2);
  ecs_Cursor cursor;
  ecs_Batch batch;
  assert_int_equal(ecs_query_begin(writer, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  assert_true(ecs_cursor_next(&cursor, &batch));
  const uint32_t shown = batch.count;
  ecs_cursor_discard(&cursor);
  assert_int_equal(see(scene.query), shown);
  close_scene(&scene);
}

TEST(prepared_access_stamps_too) {
  Scene scene;
  open_scene(&scene, ECS_READ);
  struct {
    double x;
    float y;
  } image = {3, 4};
  double x[2] = {5, 6};
  float y[2] = {7, 8};
  const void *columns[] = {x, y};
  ecs_Accessor accessor;
  ecs_Rows rows;
  ecs_Row row;
  ecs_RowBlock block;
  ecs_World *world = scene.fixture.world;
  assert_int_equal(ecs_accessor(world, scene.fixture.a, &accessor), ECS_OK);
  assert_int_equal(ecs_rows_open(world, scene.fixture.a, &rows), ECS_OK);
  assert_int_equal(ecs_accessor_set(&accessor, scene.entities[0], &image), 0);
  assert_int_equal(ecs_rows_write(&rows, scene.entities[0], &row), ECS_OK);
  assert_int_equal(see(scene.query), ROWS);
  const ecs_Entity last = scene.entities[ROWS - 1];
  for (uint32_t turn = 0; turn < 2; turn++) {
    assert_int_equal(ecs_accessor_set(&accessor, last, &image), ECS_OK);
    assert_int_equal(see(scene.query), 3);
    assert_int_equal(ecs_rows_write(&rows, last, &row), ECS_OK);
    assert_int_equal(see(scene.query), 3);
    assert_int_equal(
        ecs_rows_write_block(&rows, scene.entities + ROWS - 2, 2, &block), 0);
    assert_int_equal(see(scene.query), 3);
    assert_int_equal(ecs_accessor_set_many(&accessor, scene.entities + ROWS - 2,
                                           2, columns, NULL),
                     ECS_OK);
    assert_int_equal(see(scene.query), 3);
    assert_int_equal(ecs_rows_read(&rows, last, &row), ECS_OK);
    assert_int_equal(ecs_accessor_get(&accessor, last, &image), ECS_OK);
    assert_int_equal(see(scene.query), 0);
  }
  close_scene(&scene);
}

/* A row that was located to be written may be written as long as the row epoch
 * stays. */
TEST(seeing_changes_moves_the_row_epoch) {
  Scene scene;
  open_scene(&scene, ECS_READ);
  const uint64_t *epoch = ecs_world_row_epoch(scene.fixture.world);
  see(scene.query);
  const ecs_Term term = {scene.fixture.a, ECS_WRITE};
  ecs_Query *writer = make_query(scene.fixture.world, &term, 1);
  void *elements[2];
  uint32_t flags;
  assert_int_equal(
      ecs_query_locate(writer, scene.entities[0], elements, &flags), ECS_OK);
  const uint64_t located = *epoch;
  ecs_Entity found[ROWS];
  uint64_t count = 0;
  assert_int_equal(ecs_query_entities(scene.query, found, ROWS, &count), 0);
  assert_int_equal(count, STAMP_ROWS);
  assert_true(*epoch > located);
  close_scene(&scene);
}

TEST(stamps_live_as_long_as_a_query_asks) {
  Scene scene;
  open_scene(&scene, ECS_READ);
  Store *store = &scene.fixture.world->store;
  Table *table = store_locate_main(store, scene.entities[0]).table;
  const uint64_t spawns = store->spawn_version;
  assert_null(table->stamps);
  see(scene.query);
  assert_non_null(table->stamps);
  assert_int_equal(ecs_query_destroy(scene.query), ECS_OK);
  assert_null(table->stamps);
  assert_int_equal(store->clock.watches, 0);
  assert_true(store->spawn_version != spawns);
  assert_true(table_check_invariants(table));
  const ecs_Component *id = &scene.fixture.a;
  assert_int_equal(store->components.all[*id].guards, 0);
  assert_int_equal(store->components.all[*id].followers, 0);
  close_scene(&scene);
}

TEST(what_makes_no_sense_is_refused) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.b, ECS_WITHOUT}};
  ecs_Query *query = make_query(fixture.world, terms, 2);
  assert_int_equal(ecs_query_ask_changes(query, 2), ECS_E_ARGUMENT);
  assert_int_equal(ecs_query_ask_changes(query, 1), ECS_E_ARGUMENT);
  ecs_Cursor cursor;
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  assert_int_equal(ecs_query_ask_changes(query, 0), ECS_E_OPEN);
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  assert_int_equal(ecs_query_ask_changes(query, 0), ECS_OK);
  assert_int_equal(ecs_query_ask_changes(query, 0), ECS_E_ARGUMENT);
  ecs_Query *plain = make_query(fixture.world, terms, 1);
  ecs_query_mark_seen(plain); /* nothing to see */
  finish(&fixture);
}

/* Every allocation of asking and of the first walk fails once. */
TEST(without_memory_nothing_is_asked_or_shown) {
  for (uint64_t n = 1, done = 0; !done; n++) {
    Fixture fixture;
    start(&fixture);
    const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_OPTIONAL}};
    spawn_many(&fixture, fixture.a, 2 * STAMP_ROWS);
    ecs_Entity both = spawn(&fixture, &fixture.a, 1);
    assert_int_equal(ecs_add(fixture.world, both, fixture.s, NULL), ECS_OK);
    ecs_Query *query = make_query(fixture.world, terms, 2);
    uint64_t count = 12345;
    failing_memory_arm(&fixture.failing, n, FAIL_ONWARD);
    ecs_Status status = ecs_query_ask_changes(query, 0);
    if (status == ECS_OK) status = ecs_query_ask_changes(query, 1);
    if (status == ECS_OK) status = ecs_query_count(query, &count);
    done = failing_memory_disarm(&fixture.failing) == 0;
    assert_int_equal(status, done ? ECS_OK : ECS_E_MEMORY);
    assert_int_equal(count_of(query), 2 * STAMP_ROWS + 1);
    finish(&fixture);
  }
}

/* Order ------------------------------------------------------------------- */

#define SOME 24u

static double key_of_row(uint32_t k) { return (double)(k * 7 % 5); }

/* SOME entities with A, every third in another table, some of them in S. */
static void open_order(Fixture *fixture, ecs_Entity *entities) {
  start(fixture);
  for (uint32_t k = 0; k < SOME; k++) {
    struct {
      double x;
      float y;
    } image = {key_of_row(k), (float)k};
    entities[k] = spawn(fixture, &fixture->a, 1);
    assert_int_equal(
        ecs_set(fixture->world, entities[k], fixture->a, &image, 3), ECS_OK);
    if (k % 3 == 0)
      assert_int_equal(ecs_add(fixture->world, entities[k], fixture->tag, NULL),
                       ECS_OK);
    if (k % 2 == 0)
      assert_int_equal(ecs_add(fixture->world, entities[k], fixture->s, NULL),
                       ECS_OK);
  }
}

/* Are the first columns of a walk in order? Returns the rows. */
static uint32_t check_walk(ecs_Query *query, bool down) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint32_t rows = 0;
  double last = down ? 100 : -100;
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_COALESCED, &cursor), 0);
  while (ecs_cursor_next(&cursor, &batch)) {
    const double *x = batch.columns[0];
    for (uint32_t i = 0; i < batch.count; i++, rows++) {
      assert_true(down ? x[i] <= last : x[i] >= last);
      last = x[i];
    }
  }
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  return rows;
}

TEST(walks_are_in_order_under_every_plan) {
  for (uint32_t way = 0; way < 8; way++) {
    Fixture fixture;
    ecs_Entity entities[SOME];
    open_order(&fixture, entities);
    const ecs_Term terms[] = {{fixture.a, ECS_WRITE},
                              {way / 2 == 1   ? fixture.s
                               : way / 2 == 2 ? fixture.t
                                              : fixture.tag,
                               way / 2 == 1   ? ECS_READ
                               : way / 2 == 2 ? ECS_WITHOUT
                                              : ECS_OPTIONAL}};
    const bool down = way % 2 == 1;
    ecs_Query *query = make_query(fixture.world, terms, way / 2 == 3 ? 1 : 2);
    assert_int_equal(ecs_query_sort(query, 0, 0, down), ECS_OK);
    const uint32_t rows = way / 2 == 1 ? SOME / 2 : SOME;
    for (uint32_t turn = 0; turn < 3; turn++) {
      assert_int_equal(check_walk(query, down), rows);
      const double x = 50.0 - turn;
      assert_int_equal(
          ecs_set_field(fixture.world, entities[4 * turn], fixture.a, 0, x),
          ECS_OK);
    }
    assert_int_equal(check_walk(query, down), rows);
    finish(&fixture);
  }
}

TEST(equal_rows_stay_in_their_order) {
  Fixture fixture;
  ecs_Entity entities[SOME], plain[SOME], sorted[SOME];
  uint64_t count = 0;
  open_order(&fixture, entities);
  const ecs_Term term = {fixture.a, ECS_READ};
  ecs_Query *all = make_query(fixture.world, &term, 1);
  ecs_Query *query = make_query(fixture.world, &term, 1);
  assert_int_equal(ecs_query_sort(query, 0, 0, false), ECS_OK);
  assert_int_equal(ecs_query_entities(all, plain, SOME, &count), ECS_OK);
  assert_int_equal(ecs_query_entities(query, sorted, SOME, &count), ECS_OK);
  uint32_t at = 0;
  for (double key = 0; key < 5; key++)
    for (uint32_t i = 0; i < SOME; i++) {
      double x;
      assert_int_equal(ecs_get_field(fixture.world, plain[i], fixture.a, 0, &x),
                       ECS_OK);
      if (x == key) assert_int_equal(sorted[at++], plain[i]);
    }
  assert_int_equal(at, SOME);
  ecs_Entity first = 0;
  assert_int_equal(ecs_query_first(query, &first), ECS_OK);
  assert_int_equal(first, sorted[0]);
  finish(&fixture);
}

/* Where nothing was written the list is used again; in order, it is in place. */
TEST(an_order_is_kept) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term term = {fixture.a, ECS_READ};
  for (uint32_t k = 0; k < STAMP_ROWS; k++) {
    ecs_Entity entity = spawn(&fixture, &fixture.a, 1);
    assert_int_equal(ecs_set_field(fixture.world, entity, fixture.a, 0, k), 0);
  }
  ecs_Query *query = make_query(fixture.world, &term, 1);
  assert_int_equal(ecs_query_sort(query, 0, 0, false), ECS_OK);
  assert_int_equal(walk(query), STAMP_ROWS);
  const uint64_t made = query->picked->made;
  assert_int_equal(query->list->block_count, 1);
  assert_int_equal(walk(query), STAMP_ROWS);
  assert_int_equal(query->picked->made, made);
  ecs_Entity first = 0;
  assert_int_equal(ecs_query_first(query, &first), ECS_OK);
  assert_int_equal(ecs_set_field(fixture.world, first, fixture.a, 0, 0.5), 0);
  assert_int_equal(walk(query), STAMP_ROWS);
  assert_true(query->picked->made > made);
  finish(&fixture);
}

TEST(an_order_that_makes_no_sense_is_refused) {
  Fixture fixture;
  start(&fixture);
  const ecs_Term terms[] = {{fixture.a, ECS_OPTIONAL},
                            {fixture.b, ECS_WITHOUT},
                            {fixture.s, ECS_ANY},
                            {fixture.r, ECS_WITH},
                            {fixture.tag, ECS_WITH}};
  ecs_Query *query = make_query(fixture.world, terms, 5);
  for (uint32_t t = 0; t < 3; t++)
    assert_int_equal(ecs_query_sort(query, t, 0, false), ECS_E_ARGUMENT);
  assert_int_equal(ecs_query_sort(query, 5, 0, false), ECS_E_ARGUMENT);
  assert_int_equal(ecs_query_sort(query, 3, 1, false), ECS_E_FIELD);
  assert_int_equal(ecs_query_sort(query, 4, 0, false), ECS_E_FIELD);
  assert_int_equal(ecs_query_sort(query, 3, 0, false), ECS_OK);
  assert_int_equal(ecs_query_sort(query, 3, 0, true), ECS_E_ARGUMENT);
  finish(&fixture);
}

TEST(without_memory_there_is_no_order) {
  for (uint64_t n = 1, done = 0; !done; n++) {
    Fixture fixture;
    ecs_Entity entities[SOME];
    open_order(&fixture, entities);
    const ecs_Term terms[] = {{fixture.a, ECS_READ}, {fixture.s, ECS_OPTIONAL}};
    ecs_Query *query = make_query(fixture.world, terms, 2);
    uint64_t count = 12345;
    failing_memory_arm(&fixture.failing, n, FAIL_ONWARD);
    ecs_Status status = ecs_query_sort(query, 0, 0, false);
    if (status == ECS_OK) status = ecs_query_count(query, &count);
    done = failing_memory_disarm(&fixture.failing) == 0;
    assert_int_equal(status, done ? ECS_OK : ECS_E_MEMORY);
    assert_int_equal(count_of(query), SOME);
    finish(&fixture);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_without_changes_are_passed_over),
      cmocka_unit_test(runs_of_two_groups_are_passed_over_by_blocks),
      cmocka_unit_test(changed_runs_show_their_own_rows),
      cmocka_unit_test(only_a_walk_that_was_seen_counts),
      cmocka_unit_test(what_a_walk_writes_is_not_seen_by_itself),
      cmocka_unit_test(a_walk_that_ends_early_stamps_what_it_has_shown),
      cmocka_unit_test(prepared_access_stamps_too),
      cmocka_unit_test(seeing_changes_moves_the_row_epoch),
      cmocka_unit_test(stamps_live_as_long_as_a_query_asks),
      cmocka_unit_test(what_makes_no_sense_is_refused),
      cmocka_unit_test(without_memory_nothing_is_asked_or_shown),
      cmocka_unit_test(walks_are_in_order_under_every_plan),
      cmocka_unit_test(equal_rows_stay_in_their_order),
      cmocka_unit_test(an_order_is_kept),
      cmocka_unit_test(an_order_that_makes_no_sense_is_refused),
      cmocka_unit_test(without_memory_there_is_no_order),
  };
  return cmocka_run_group_tests_name("picked_rows", tests, NULL, NULL);
}

/* grid_test.c: building grids: when, of what, and what a failure leaves. */
#include "grid_fixture.h"
#include "test_case.h"

static double nowhere[2] = {1e6, 1e6}, middle[2] = {0, 0};

/* A scene of 20 points at (i, 0), which are narrow, and a grid that is built. */
static void open_line(Scene *scene) {
  open_scene(scene, 0, 2);
  scene->component = scene->narrow;
  scene->cell = 4;
  for (uint32_t i = 0; i < 20; i++) {
    const ecs_Component list[] = {scene->narrow, scene->mark};
    ecs_Entity entity = 0;
    const double at[3] = {i, 0, 0};
    assert_int_equal(ecs_spawn(scene->world, list, i % 2 + 1, NULL, &entity),
                     ECS_OK);
    place(scene, entity, at);
  }
  make_scene_grid(scene);
  assert_int_equal(ecs_grid_build(scene->grid), ECS_OK);
  note_points(scene);
}

static uint32_t count_all(Scene *scene) {
  return ecs_grid_count(scene->grid, middle, INFINITY);
}

static bool refresh(const Scene *scene) {
  bool built = false;
  assert_int_equal(ecs_grid_refresh(scene->grid, &built), ECS_OK);
  return built;
}

TEST(a_new_grid_is_empty) {
  static Scene scene;
  open_scene(&scene, 0, 3);
  spawn_points(&scene, SPREAD, 9);
  make_scene_grid(&scene);
  const double point[3] = {0, 0, 0};
  ecs_GridCursor cursor;
  uint32_t row, other;
  assert_int_equal(ecs_grid_count(scene.grid, point, INFINITY), 0);
  assert_int_equal(ecs_grid_within(scene.grid, point, 9, &cursor), ECS_OK);
  assert_int_equal(ecs_grid_next(&cursor, &row, 1), 0);
  assert_int_equal(ecs_grid_pairs(scene.grid, 9, &cursor), ECS_OK);
  assert_int_equal(ecs_grid_next_pairs(&cursor, &row, &other, 1), 0);
  assert_int_equal(ecs_grid_nearest(scene.grid, point, 9, 0, NULL),
                   ECS_GRID_NONE);
  close_scene(&scene);
}

TEST(a_grid_shows_what_was_built) {
  static Scene scene;
  open_line(&scene);
  const double away[3] = {1e6, 1e6, 0};
  ecs_Entity moved = scene.points[3].entity, dead = scene.points[4].entity;
  place(&scene, moved, away);
  assert_int_equal(ecs_destroy(scene.world, dead), ECS_OK);
  assert_int_equal(
      ecs_remove(scene.world, scene.points[5].entity, scene.narrow), ECS_OK);
  assert_int_equal(ecs_group(scene.world, &scene.narrow, 1), ECS_OK);
  assert_int_equal(count_all(&scene), 20);
  assert_int_equal(ecs_grid_count(scene.grid, nowhere, 1), 0);
  assert_int_equal(ecs_grid_build(scene.grid), ECS_OK);
  assert_int_equal(count_all(&scene), 18);
  assert_int_equal(ecs_grid_count(scene.grid, nowhere, 1), 1);
  close_scene(&scene);
}

TEST(a_grid_is_built_again_where_something_changed) {
  static Scene scene;
  open_line(&scene);
  ecs_Entity some = scene.points[7].entity;
  const double at[3] = {50, 0, 0};
  assert_true(refresh(&scene)); /* watched from now on */
  assert_false(refresh(&scene));
  place(&scene, some, at);
  assert_true(refresh(&scene));
  assert_false(refresh(&scene));
  assert_int_equal(ecs_spawn(scene.world, &scene.narrow, 1, NULL, &some),
                   ECS_OK);
  assert_true(refresh(&scene));
  assert_int_equal(ecs_destroy(scene.world, some), ECS_OK);
  assert_true(refresh(&scene));
  assert_int_equal(count_all(&scene), 20);
  assert_int_equal(ecs_ungroup(scene.world, &scene.narrow, 1), ECS_OK);
  assert_int_equal(ecs_group(scene.world, &scene.narrow, 1), ECS_OK);
  assert_true(refresh(&scene));
  assert_false(refresh(&scene));
  close_scene(&scene);
}

/* What the grid does not read, in tables that it does. */
TEST(other_changes_build_nothing) {
  static Scene scene;
  open_line(&scene);
  ecs_Entity other = 0;
  assert_int_equal(ecs_spawn(scene.world, &scene.whole, 1, NULL, &other),
                   ECS_OK);
  const ecs_Term term = {scene.whole, ECS_WRITE};
  ecs_Query *query = make_query(scene.world, &term, 1);
  assert_int_equal(ecs_query_ask_changes(query, 0), ECS_OK);
  assert_true(refresh(&scene));
  for (uint32_t i = 0; i < 3; i++) {
    uint64_t builds = scene.grid->builds;
    assert_int_equal(ecs_set_field(scene.world, other, scene.whole, 0, i),
                     ECS_OK);
    assert_false(refresh(&scene));
    assert_int_equal(scene.grid->builds, builds);
  }
  close_scene(&scene);
}

TEST(every_way_to_write_is_noticed) {
  static Scene scene;
  open_line(&scene);
  (void)refresh(&scene);
  const ecs_Term term = {scene.narrow, ECS_WRITE};
  ecs_Query *query = make_query(scene.world, &term, 1);
  ecs_Cursor cursor;
  ecs_Batch batch;
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  assert_true(ecs_cursor_next(&cursor, &batch));
  ((float *)batch.columns[0])[0] = 70;
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  assert_true(refresh(&scene));
  ecs_Accessor accessor;
  const float image[3] = {1, 2, 3};
  assert_int_equal(ecs_accessor(scene.world, scene.narrow, &accessor), ECS_OK);
  assert_int_equal(ecs_accessor_set(&accessor, scene.points[2].entity, image),
                   ECS_OK);
  assert_true(refresh(&scene));
  assert_int_equal(
      ecs_set_field(scene.world, scene.points[1].entity, scene.mark, 0, 5),
      ECS_OK); /* an optional component */
  assert_true(refresh(&scene));
  assert_int_equal(ecs_world_clear(scene.world), ECS_OK);
  assert_true(refresh(&scene));
  assert_int_equal(count_all(&scene), 0);
  close_scene(&scene);
}

TEST(an_order_counts) {
  static Scene scene;
  open_line(&scene);
  const ecs_Term terms[] = {{scene.narrow, ECS_READ}, {scene.mark, ECS_WITH}};
  ecs_Query *query = make_query(scene.world, terms, 2);
  assert_int_equal(ecs_query_sort(query, 1, 0, true), ECS_OK);
  ecs_Grid *grid = make_grid(query, 2, 1000);
  bool built = false;
  ecs_GridRows rows;
  assert_int_equal(ecs_grid_refresh(grid, &built), ECS_OK);
  ecs_grid_rows(grid, &rows);
  assert_int_equal(rows.count, 10);
  ecs_Entity last = rows.entities[9];
  assert_int_equal(ecs_set_field(scene.world, last, scene.mark, 0, 9), ECS_OK);
  assert_int_equal(ecs_grid_refresh(grid, &built), ECS_OK);
  assert_true(built);
  ecs_grid_rows(grid, &rows);
  assert_true(rows.entities[0] == last);
  close_scene(&scene);
}

TEST(what_a_cursor_writes_cannot_be_copied) {
  static Scene scene;
  open_line(&scene);
  const ecs_Term term = {scene.narrow, ECS_WRITE};
  ecs_Query *query = make_query(scene.world, &term, 1);
  ecs_Cursor cursor;
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  assert_int_equal(ecs_grid_build(scene.grid), ECS_E_ACCESS);
  assert_int_equal(ecs_world_contested(scene.world), scene.narrow);
  assert_int_equal(count_all(&scene), 20);
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  const ecs_Term read = {scene.narrow, ECS_READ};
  query = make_query(scene.world, &read, 1);
  assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
  assert_int_equal(ecs_grid_build(scene.grid), ECS_OK);
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  close_scene(&scene);
}

TEST(what_makes_no_grid_is_refused) {
  static Scene scene;
  open_scene(&scene, 0, 2);
  const ecs_Term terms[] = {
      {scene.narrow, ECS_WRITE}, {scene.tag, ECS_WITH}, {scene.mark, ECS_READ}};
  ecs_Query *query = make_query(scene.world, terms, 3);
  const ecs_GridDescription good = {0, 2, {0, 1, 2}, 1};
  ecs_Grid *grid = NULL;
  ecs_GridDescription bad[10];
  for (uint32_t i = 0; i < 10; i++) bad[i] = good;
  bad[0].term = 3;
  bad[1].term = 1; /* a tag */
  bad[2].dimensions = 1;
  bad[3].dimensions = 4;
  bad[4].cell = 0;
  bad[5].cell = -1;
  bad[6].cell = NAN;
  bad[7].cell = INFINITY;
  bad[8].cell = 1e-309; /* 1 / cell is infinite */
  bad[9].fields[1] = 3;
  for (uint32_t i = 0; i < 10; i++)
    assert_int_equal(ecs_grid_create(query, &bad[i], &grid),
                     i == 9 ? ECS_E_FIELD : ECS_E_ARGUMENT);
  assert_int_equal(ecs_grid_create(query, NULL, &grid), ECS_E_ARGUMENT);
  assert_int_equal(ecs_grid_create(query, &good, NULL), ECS_E_ARGUMENT);
  assert_null(grid);
  assert_int_equal(ecs_grid_create(query, &good, &grid), ECS_OK);
  assert_int_equal(ecs_query_ask_changes(query, 0), ECS_E_ARGUMENT);
  ecs_grid_destroy(grid);
  ecs_grid_destroy(NULL);
  assert_int_equal(ecs_query_ask_changes(query, 0), ECS_OK);
  assert_int_equal(ecs_grid_create(query, &good, &grid), ECS_E_ARGUMENT);
  close_scene(&scene);
}

TEST(fields_that_are_no_numbers_are_refused) {
  static Scene scene;
  open_scene(&scene, 0, 2);
  static const ecs_Field odd[] = {
      {"x", ECS_I8, 0}, {"b", ECS_BOOL, 0}, {"e", ECS_ENTITY, 0}};
  ecs_Component component =
      define_component(scene.world, "Odd", odd, 3, ECS_STORE_TABLE);
  const ecs_Term term = {component, ECS_READ};
  ecs_Query *query = make_query(scene.world, &term, 1);
  ecs_Grid *grid = NULL;
  for (uint32_t other = 1; other < 3; other++) {
    const ecs_GridDescription how = {0, 2, {0, other, 0}, 1};
    assert_int_equal(ecs_grid_create(query, &how, &grid), ECS_E_FIELD);
  }
  close_scene(&scene);
}

/* Watching ends with the grid: stamps are gone. */
TEST(a_grid_ends_with_its_query) {
  static Scene scene;
  open_line(&scene);
  (void)refresh(&scene);
  ecs_Grid *second = make_grid(scene.query, 2, 9);
  assert_int_equal(ecs_grid_build(second), ECS_OK);
  ecs_grid_destroy(scene.grid);
  assert_int_equal(ecs_grid_count(second, middle, INFINITY), 20);
  assert_int_equal(scene.query->store->clock.watches, 0);
  assert_int_equal(ecs_query_destroy(scene.query), ECS_OK);
  close_scene(&scene);
}

TEST(a_steady_grid_allocates_nothing) {
  static Scene scene;
  open_line(&scene);
  ecs_GridCursor cursor;
  assert_int_equal(ecs_grid_pairs(scene.grid, 1, &cursor), ECS_OK);
  uint64_t requests = scene.failing.requests;
  for (uint32_t i = 0; i < 5; i++) {
    const double at[3] = {i * 1000.0, i, 0};
    place(&scene, scene.points[i].entity, at);
    assert_int_equal(ecs_grid_build(scene.grid), ECS_OK);
    assert_int_equal(ecs_grid_pairs(scene.grid, 1, &cursor), ECS_OK);
  }
  assert_int_equal(scene.failing.requests, requests);
  close_scene(&scene);
}

/* One attempt to make, to fill and to use a grid. */
static ecs_Status make_all(Scene *scene, ecs_Grid **grid) {
  const ecs_GridDescription how = {0, 2, {0, 1, 0}, 4};
  ecs_GridCursor cursor;
  ecs_Status status = ECS_OK;
  if (*grid == NULL) status = ecs_grid_create(scene->query, &how, grid);
  if (status == ECS_OK) status = ecs_grid_refresh(*grid, NULL);
  if (status == ECS_OK) status = ecs_grid_pairs(*grid, 1, &cursor);
  return status;
}

TEST(without_memory_a_grid_shows_what_it_did) {
  for (uint32_t mode = 0; mode < 2; mode++) {
    static Scene scene;
    bool done = false;
    open_line(&scene);
    ecs_Grid *grid = NULL;
    for (uint32_t n = 1; !done; n++) {
      failing_memory_arm(&scene.failing, n,
                         mode == 0 ? FAIL_ONCE : FAIL_ONWARD);
      ecs_Status status = make_all(&scene, &grid);
      done = failing_memory_disarm(&scene.failing) == 0;
      assert_int_equal(status, done ? ECS_OK : ECS_E_MEMORY);
      if (!done && grid != NULL && n % 2 == 0) {
        ecs_grid_destroy(grid);
        grid = NULL;
      }
    }
    assert_int_equal(ecs_grid_count(grid, middle, INFINITY), 20);
    spawn_points(&scene, EQUAL, 18);
    done = false;
    for (uint32_t n = 1; !done; n++) {
      failing_memory_arm(&scene.failing, n,
                         mode == 0 ? FAIL_ONCE : FAIL_ONWARD);
      ecs_Status status = ecs_grid_build(grid);
      done = failing_memory_disarm(&scene.failing) == 0;
      assert_int_equal(status, done ? ECS_OK : ECS_E_MEMORY);
      assert_true(grid_check_invariants(grid));
      assert_int_equal(ecs_grid_count(grid, middle, INFINITY), done ? 38 : 20);
    }
    close_scene(&scene);
  }
}

TEST(a_wide_loop_needs_memory_for_its_order) {
  static Scene scene;
  open_line(&scene);
  ecs_GridCursor cursor;
  uint32_t rows[64];
  failing_memory_arm(&scene.failing, 1, FAIL_ONWARD);
  assert_int_equal(ecs_grid_within(scene.grid, middle, 1, &cursor), ECS_OK);
  assert_int_equal(ecs_grid_within(scene.grid, middle, 1e9, &cursor),
                   ECS_E_MEMORY);
  assert_int_equal(ecs_grid_next(&cursor, rows, 64), 0);
  assert_int_equal(ecs_grid_pairs(scene.grid, 1, &cursor), ECS_E_MEMORY);
  assert_int_equal(ecs_grid_next_pairs(&cursor, rows, rows + 32, 32), 0);
  assert_int_equal(count_all(&scene), 20);
  assert_true(failing_memory_disarm(&scene.failing) > 0);
  assert_int_equal(ecs_grid_within(scene.grid, middle, 1e9, &cursor), ECS_OK);
  assert_int_equal(ecs_grid_next(&cursor, rows, 64), 20);
  close_scene(&scene);
}

TEST(statistics_count_cells) {
  static Scene scene;
  char text[400];
  open_line(&scene);
  ecs_GridStatistics counted;
  assert_int_equal(ecs_grid_statistics(scene.grid, &counted), ECS_OK);
  assert_int_equal(counted.rows, 20);
  assert_int_equal(counted.cells, 5);
  assert_int_equal(counted.most, 4);
  assert_int_equal(counted.builds, 1);
  assert_int_equal(counted.bytes, grid_bytes(scene.grid));
  assert_true(counted.suggested == 4); /* four rows in each, as it is */
  (void)ecs_grid_count(scene.grid, middle, 6);
  (void)ecs_grid_any(scene.grid, middle, 12, 0);
  (void)ecs_grid_any(scene.grid, middle, INFINITY, 0);
  assert_int_equal(ecs_grid_statistics(scene.grid, &counted), ECS_OK);
  assert_true(counted.suggested == 9);
  size_t length = ecs_grid_explain(scene.grid, text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_non_null(strstr(text, "20 rows in 5 cells: 4.0 in each, at most 4\n"));
  assert_non_null(strstr(text, "a cell of 9 suits it\n"));
  assert_int_equal(ecs_grid_explain(scene.grid, NULL, 0), length);
  close_scene(&scene);
}

TEST(a_grid_is_in_no_hash) {
  static Scene scene;
  open_line(&scene);
  ecs_grid_destroy(scene.grid);
  uint64_t hash = ecs_world_hash(scene.world);
  uint64_t state_hash = ecs_world_state_hash(scene.world);
  scene.grid = make_grid(scene.query, 2, 1);
  (void)refresh(&scene);
  assert_true(ecs_world_hash(scene.world) == hash);
  assert_true(ecs_world_state_hash(scene.world) == state_hash);
  close_scene(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_grid_is_empty),
      cmocka_unit_test(a_grid_shows_what_was_built),
      cmocka_unit_test(a_grid_is_built_again_where_something_changed),
      cmocka_unit_test(other_changes_build_nothing),
      cmocka_unit_test(every_way_to_write_is_noticed),
      cmocka_unit_test(an_order_counts),
      cmocka_unit_test(what_a_cursor_writes_cannot_be_copied),
      cmocka_unit_test(what_makes_no_grid_is_refused),
      cmocka_unit_test(fields_that_are_no_numbers_are_refused),
      cmocka_unit_test(a_grid_ends_with_its_query),
      cmocka_unit_test(a_steady_grid_allocates_nothing),
      cmocka_unit_test(without_memory_a_grid_shows_what_it_did),
      cmocka_unit_test(a_wide_loop_needs_memory_for_its_order),
      cmocka_unit_test(statistics_count_cells),
      cmocka_unit_test(a_grid_is_in_no_hash),
  };
  return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}

/* grid_walk_test.c: every answer of random grids, against a look at every pair.
 *
 * Same rows, same order, same bits. With ECS_TEST_SHORT in the environment a
 * tenth of the worlds.
 */
#include "grid_fixture.h"
#include "test_case.h"

/* How many rows a cursor writes at once: few, so that it stops everywhere. */
static uint32_t draw_capacity(Scene *scene) {
  return draw(scene, 3) == 0 ? 64 : 1 + draw(scene, 4);
}

static double draw_radius(Scene *scene) {
  static const double strange[] = {0, -1, NAN, INFINITY, 1e200, 5e-324, 1e-170};
  uint32_t kind = draw(scene, 8);
  if (kind == 0) return strange[draw(scene, 7)];
  if (kind == 1) return scene->cell;
  if (kind == 2) return scene->cell * 30 * draw_unit(scene);
  return scene->cell * 2 * draw_unit(scene);
}

/* Somewhere, or where a row is. */
static void draw_point(Scene *scene, uint32_t kind, double *point) {
  uint32_t some = draw(scene, POINTS);
  for (uint32_t d = 0; d < 3; d++)
    point[d] = some < scene->count && draw(scene, 4) > 0
                   ? scene->points[some].at[d]
                   : draw_coordinate(scene, kind);
}

static void check_row(const Scene *scene, uint32_t row, const Point *expected) {
  ecs_GridRows rows;
  ecs_grid_rows(scene->grid, &rows);
  assert_true(row < rows.count);
  assert_true(rows.entities[row] == expected->entity);
  for (uint32_t d = 0; d < scene->dimensions; d++)
    assert_true(rows.positions[d][row] == expected->at[d]);
  bool marked = ecs_grid_has(scene->grid, 1, row);
  assert_int_equal(marked, expected->mark > 0);
  if (marked)
    assert_true(((const uint16_t *)rows.columns[3])[row] == expected->mark);
}

/* Takes all rows of a cursor; each must be the next one of those expected. */
static void check_rows(Scene *scene, ecs_GridCursor *cursor,
                       const Point **expected, uint32_t count) {
  uint32_t rows[64], taken = 0, some;
  while ((some = ecs_grid_next(cursor, rows, draw_capacity(scene))) > 0)
    for (uint32_t i = 0; i < some; i++) {
      assert_true(taken < count);
      check_row(scene, rows[i], expected[taken++]);
    }
  assert_int_equal(taken, count);
  assert_int_equal(ecs_grid_next(cursor, rows, 64), 0);
}

static void check_within(Scene *scene, const double *point, double radius) {
  const Point *expected[POINTS];
  uint32_t count = 0;
  ecs_GridCursor cursor;
  for (uint32_t i = 0; i < scene->count; i++)
    if (is_within(scene, point, radius, &scene->points[i]))
      expected[count++] = &scene->points[i];
  assert_int_equal(ecs_grid_within(scene->grid, point, radius, &cursor),
                   ECS_OK);
  check_rows(scene, &cursor, expected, count);
  assert_int_equal(ecs_grid_count(scene->grid, point, radius), count);
  assert_int_equal(ecs_grid_any(scene->grid, point, radius, 0), count > 0);
  if (count == 0) return;
  assert_int_equal(
      ecs_grid_any(scene->grid, point, radius, expected[0]->entity), count > 1);
}

static void check_box(Scene *scene, const double *low, const double *high) {
  const Point *expected[POINTS];
  uint32_t count = 0;
  ecs_GridCursor cursor;
  for (uint32_t i = 0; i < scene->count; i++) {
    bool in = true;
    for (uint32_t d = 0; d < scene->dimensions; d++)
      in = in && low[d] <= scene->points[i].at[d] &&
           scene->points[i].at[d] <= high[d];
    if (in) expected[count++] = &scene->points[i];
  }
  assert_int_equal(ecs_grid_box(scene->grid, low, high, &cursor), ECS_OK);
  check_rows(scene, &cursor, expected, count);
}

static void check_nearest(Scene *scene, const double *point, double radius) {
  const Point *best = NULL;
  double least = 0, square = -1;
  ecs_Entity except =
      scene->count > 0 ? scene->points[draw(scene, scene->count)].entity : 0;
  for (uint32_t i = 0; i < scene->count; i++) {
    const Point *candidate = &scene->points[i];
    if (candidate->entity == except ||
        !is_within(scene, point, radius, candidate))
      continue;
    double its = square_of(scene, point, candidate);
    if (best != NULL && !(its < least)) continue;
    best = candidate;
    least = its;
  }
  uint32_t row = ecs_grid_nearest(scene->grid, point, radius, except, &square);
  assert_int_equal(row != ECS_GRID_NONE, best != NULL);
  if (best == NULL) {
    assert_true(square == -1);
    return;
  }
  check_row(scene, row, best);
  assert_true(square == least);
}

static void check_pairs(Scene *scene, double radius) {
  ecs_GridCursor cursor;
  uint32_t rows[64], others[64], some = 0, at = 0;
  assert_int_equal(ecs_grid_pairs(scene->grid, radius, &cursor), ECS_OK);
  for (uint32_t i = 0; i < scene->count; i++)
    for (uint32_t k = i + 1; k < scene->count; k++) {
      if (!is_within(scene, scene->points[i].at, radius, &scene->points[k]))
        continue;
      if (at == some) {
        some = ecs_grid_next_pairs(&cursor, rows, others, draw_capacity(scene));
        at = 0;
        assert_true(some > 0);
      }
      check_row(scene, rows[at], &scene->points[i]);
      check_row(scene, others[at++], &scene->points[k]);
    }
  assert_int_equal(at, some);
  assert_int_equal(ecs_grid_next_pairs(&cursor, rows, others, 64), 0);
}

static void check_all(Scene *scene, uint32_t kind) {
  for (uint32_t k = 0; k < 12; k++) {
    double point[3], corner[3];
    draw_point(scene, kind, point);
    draw_point(scene, kind, corner);
    check_within(scene, point, draw_radius(scene));
    check_nearest(scene, point, draw_radius(scene));
    check_nearest(scene, point, INFINITY);
    check_box(scene, point, corner);
    for (uint32_t d = 0; d < 3; d++) corner[d] = point[d] + draw_radius(scene);
    check_box(scene, point, corner);
  }
  check_pairs(scene, scene->cell * draw_unit(scene));
  check_pairs(scene, draw_radius(scene));
}

TEST(answers_are_those_of_a_look_at_all) {
  uint64_t worlds = getenv("ECS_TEST_SHORT") != NULL ? 200 : 2000;
  for (uint64_t seed = 0; seed < worlds; seed++) {
    static Scene scene;
    uint32_t kind = (uint32_t)(seed % KINDS);
    open_scene(&scene, seed, seed / KINDS % 2 == 0 ? 2 : 3);
    fill_scene(&scene, kind, draw(&scene, POINTS + 1));
    check_all(&scene, kind);
    close_scene(&scene);
  }
}

TEST(points_that_are_not_finite_find_nothing) {
  static Scene scene;
  open_scene(&scene, 1, 2);
  fill_scene(&scene, EQUAL, 20);
  for (uint32_t k = 0; k < 6; k++) {
    double bad = k / 2 == 0 ? NAN : k / 2 == 1 ? INFINITY : -INFINITY;
    double point[2] = {k % 2 == 0 ? bad : 0, k % 2 == 0 ? 0 : bad};
    ecs_GridCursor cursor;
    uint32_t row;
    assert_int_equal(ecs_grid_within(scene.grid, point, INFINITY, &cursor),
                     ECS_OK);
    assert_int_equal(ecs_grid_next(&cursor, &row, 1), 0);
    assert_int_equal(ecs_grid_count(scene.grid, point, INFINITY), 0);
    assert_false(ecs_grid_any(scene.grid, point, INFINITY, 0));
    assert_int_equal(ecs_grid_nearest(scene.grid, point, INFINITY, 0, NULL),
                     ECS_GRID_NONE);
  }
  close_scene(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_are_those_of_a_look_at_all),
      cmocka_unit_test(points_that_are_not_finite_find_nothing),
  };
  return cmocka_run_group_tests_name("grid_walk", tests, NULL, NULL);
}

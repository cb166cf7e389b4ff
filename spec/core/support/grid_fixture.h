/* grid_fixture.h: random worlds of points, and a naive answer to each question.
 *
 * A scene has points of one of several kinds, in two or three dimensions, in
 * tables of several shapes. The oracle copies the rows of the query, sorts them
 * by the cells that floor gives, and looks at every one of them for each answer.
 */
#ifndef GRID_FIXTURE_H
#define GRID_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"
#include "ecs_grid.h"
#include "query/grid_build.h"

#ifdef ECS_TINY
#define POINTS 40u
#else
#define POINTS 160u
#endif

typedef struct Point {
  ecs_Entity entity;
  double at[3];
  double cells[3];
  double mark; /* of another component; 0: it has none */
} Point;

typedef struct Scene {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component wide, narrow, whole, mark, tag;
  ecs_Component component; /* that of this scene: one of the first three */
  ecs_Query *query;
  ecs_Grid *grid;
  uint32_t dimensions;
  double cell;
  uint64_t seed;
  Point points[POINTS]; /* in the order of cells */
  uint32_t count;
} Scene;

static inline uint32_t draw(Scene *scene, uint32_t below) {
  scene->seed = scene->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((scene->seed >> 33) % below);
}

static inline double draw_unit(Scene *scene) {
  return (double)draw(scene, 1u << 30) / (double)(1u << 30);
}

/* What points there are. */
enum {
  SPREAD,    /* anywhere in a square of a few cells */
  CLUSTERED, /* nearly all in one cell */
  BORDERS,   /* on corners of cells */
  EQUAL,     /* at one of three places */
  HUGE_ONES, /* so far away that cells are clamped */
  DENORMAL,
  STRANGE, /* NaN and infinities among others */
  FAR,     /* a few points in a space of many cells */
  KINDS
};

static inline double draw_strange(Scene *scene) {
  static const double strange[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 1, -3.5};
  return strange[draw(scene, 7)];
}

static inline double draw_coordinate(Scene *scene, uint32_t kind) {
  double unit = draw_unit(scene), cell = scene->cell;
  int32_t whole = (int32_t)draw(scene, 7) - 3;
  switch (kind) {
    case CLUSTERED: return draw(scene, 10) == 0 ? unit * 9 * cell : unit * cell;
    case BORDERS: {
      double border = whole * cell;
      uint32_t side = draw(scene, 3);
      return side == 0   ? border
             : side == 1 ? nextafter(border, 1e300)
                         : nextafter(border, -1e300);
    }
    case EQUAL: return (double)draw(scene, 3) * cell / 2;
    case HUGE_ONES: return (unit - 0.5) * pow(10, draw(scene, 300));
    case DENORMAL: return (double)whole * 5e-324 * draw(scene, 1000);
    case STRANGE: return draw_strange(scene);
    case FAR: return (unit - 0.5) * 1e5 * cell;
    default: return (unit - 0.5) * 8 * cell;
  }
}

/* Sets the position of an entity, in what this scene's component holds. */
static inline void place(Scene *scene, ecs_Entity entity, const double *at) {
  ecs_Component component = scene->component;
  for (uint32_t d = 0; d < 3; d++) {
    double value = at[d];
    bool fits = fabs(value) < 1e9; /* false for NaN, too */
    if (component == scene->whole) value = fits ? trunc(value) : 7;
    if (component == scene->narrow) value = (double)(float)value;
    assert_int_equal(ecs_set_field(scene->world, entity, component, d, value),
                     ECS_OK);
  }
}

static inline void spawn_points(Scene *scene, uint32_t kind, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const ecs_Component all[] = {scene->component, scene->tag, scene->mark};
    uint32_t some = draw(scene, 3);
    const ecs_Component list[] = {all[0], all[some]};
    ecs_Entity entity = 0;
    double at[3];
    assert_int_equal(
        ecs_spawn(scene->world, list, some > 0 ? 2 : 1, NULL, &entity), ECS_OK);
    for (uint32_t d = 0; d < 3; d++) at[d] = draw_coordinate(scene, kind);
    place(scene, entity, at);
    if (some == 2)
      assert_int_equal(
          ecs_set_field(scene->world, entity, scene->mark, 0, i + 1), ECS_OK);
  }
}

static inline double naive_cell(double x, double inverse) {
  double cell = floor(x * inverse);
  return fmin(fmax(cell, -1073741824.0), 1073741824.0);
}

/* By z, then y, then x; the sort is stable. */
static inline int compare_cells(const Point *left, const Point *right) {
  for (uint32_t d = 3; d-- > 0;)
    if (left->cells[d] != right->cells[d])
      return left->cells[d] < right->cells[d] ? -1 : 1;
  return 0;
}

static inline void sort_points(Scene *scene) {
  for (uint32_t i = 1; i < scene->count; i++) {
    Point point = scene->points[i];
    uint32_t at = i;
    for (; at > 0 && compare_cells(&scene->points[at - 1], &point) > 0; at--)
      scene->points[at] = scene->points[at - 1];
    scene->points[at] = point;
  }
}

/* Copies the rows of the query as the oracle sees them. */
static inline void note_points(Scene *scene) {
  ecs_Entity entities[POINTS];
  uint64_t count = 0;
  assert_int_equal(ecs_query_entities(scene->query, entities, POINTS, &count),
                   ECS_OK);
  assert_true(count <= POINTS);
  scene->count = 0;
  for (uint32_t i = 0; i < count; i++) {
    Point point = {.entity = entities[i]};
    bool finite = true;
    for (uint32_t d = 0; d < scene->dimensions; d++) {
      assert_int_equal(ecs_get_field(scene->world, entities[i],
                                     scene->component, d, &point.at[d]),
                       ECS_OK);
      finite = finite && isfinite(point.at[d]);
      point.cells[d] = naive_cell(point.at[d], 1 / scene->cell);
    }
    if (ecs_has(scene->world, entities[i], scene->mark))
      assert_int_equal(
          ecs_get_field(scene->world, entities[i], scene->mark, 0, &point.mark),
          ECS_OK);
    if (finite) scene->points[scene->count++] = point;
  }
  sort_points(scene);
}

static inline void open_scene(Scene *scene, uint64_t seed,
                              uint32_t dimensions) {
  static const ecs_Field wide[] = {
      {"x", ECS_F64, 0}, {"y", ECS_F64, 0}, {"z", ECS_F64, 0}};
  static const ecs_Field narrow[] = {
      {"x", ECS_F32, 0}, {"y", ECS_F32, 0}, {"z", ECS_F32, 0}};
  static const ecs_Field whole[] = {
      {"x", ECS_I32, 0}, {"y", ECS_I32, 0}, {"z", ECS_I32, 0}};
  static const ecs_Field mark = {"n", ECS_U16, 0};
  *scene = (Scene){.seed = seed * 2 + 1, .dimensions = dimensions};
  scene->world = open_world(&scene->failing);
  scene->wide =
      define_component(scene->world, "Wide", wide, 3, ECS_STORE_TABLE);
  scene->narrow =
      define_component(scene->world, "Narrow", narrow, 3, ECS_STORE_TABLE);
  scene->whole =
      define_component(scene->world, "Whole", whole, 3, ECS_STORE_TABLE);
  scene->mark =
      define_component(scene->world, "Mark", &mark, 1, ECS_STORE_TABLE);
  scene->tag = define_component(scene->world, "Tag", NULL, 0, ECS_STORE_TABLE);
  const ecs_Component all[] = {scene->wide, scene->narrow, scene->whole};
  static const double cells[] = {1, 0.75, 4, 100};
  scene->component = all[draw(scene, 3)];
  scene->cell = cells[draw(scene, 4)];
}

static inline ecs_Grid *make_grid(ecs_Query *query, uint32_t dimensions,
                                  double cell) {
  const ecs_GridDescription how = {
      .dimensions = dimensions, .fields = {0, 1, 2}, .cell = cell};
  ecs_Grid *grid = NULL;
  assert_int_equal(ecs_grid_create(query, &how, &grid), ECS_OK);
  return grid;
}

static inline void make_scene_grid(Scene *scene) {
  const ecs_Term terms[] = {{scene->component, ECS_READ},
                            {scene->mark, ECS_OPTIONAL}};
  scene->query = make_query(scene->world, terms, 2);
  scene->grid = make_grid(scene->query, scene->dimensions, scene->cell);
}

/* A built grid over points of a kind. */
static inline void fill_scene(Scene *scene, uint32_t kind, uint32_t count) {
  spawn_points(scene, kind, count);
  make_scene_grid(scene);
  assert_int_equal(ecs_grid_build(scene->grid), ECS_OK);
  note_points(scene);
  assert_true(grid_check_invariants(scene->grid));
}

static inline void close_scene(Scene *scene) {
  close_world(scene->world, &scene->failing);
}

static inline double square_of(const Scene *scene, const double *point,
                               const Point *other) {
  double square = 0;
  for (uint32_t d = 0; d < scene->dimensions; d++) {
    double difference = point[d] - other->at[d];
    square =
        d == 0 ? difference * difference : square + difference * difference;
  }
  return square;
}

static inline bool is_within(const Scene *scene, const double *point,
                             double radius, const Point *other) {
  if (!(radius >= 0)) return false;
  for (uint32_t d = 0; d < scene->dimensions; d++)
    if (!(point[d] - radius <= other->at[d] &&
          other->at[d] <= point[d] + radius))
      return false;
  return square_of(scene, point, other) <= radius * radius;
}

#endif

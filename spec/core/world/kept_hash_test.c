/* kept_hash_test.c: hashes that are kept are those that a world has which was
 * never asked before.
 *
 *      asked    set up, hash, write, hash, write, hash
 *      silent   set up,       write,       write, hash
 *
 * Both worlds get the same writes, in every order of two. Writes include those
 * through what was held before the hash: rows, accessors, addresses of elements.
 */
#include <string.h>

#include "api_fixture.h"
#include "ecs_access.h"
#include "ecs_array.h"
#include "ecs_kernel.h"
#include "test_case.h"
#include "world/world.h"

#ifdef ECS_TINY
#define ROWS 40u /* there are few indices */
#else
#define ROWS 100u /* more than a table that is hashed each time has */
#endif

typedef struct Scene {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component p, s, link, tag, other;
  ecs_Entity e[ROWS];
  ecs_Query *query; /* writes p and s */
  ecs_KernelBinding *binding;
  ecs_Accessor accessor;
  ecs_Rows rows;
  ecs_Snapshot *snapshot;
  void *elements[3]; /* of e[5]: p.x, p.y, s.n */
  uint64_t located;  /* the row epoch that elements are for */
  ecs_Array *array;
} Scene;

#define must(call) assert_int_equal(call, ECS_OK)

static void add_dt(const ecs_KernelCall *call) {
  for (uint32_t i = 0; i < call->block_count; i++) {
    float *x = call->blocks[i].columns[0];
    for (uint32_t k = 0; k < call->blocks[i].count; k++)
      x[k] += (float)call->dt;
  }
}

static void locate(Scene *scene) {
  uint32_t flags = 0;
  must(ecs_query_locate(scene->query, scene->e[5], scene->elements, &flags));
  scene->located = *ecs_world_row_epoch(scene->world);
}

static void define(Scene *scene) {
  static const ecs_Field p[] = {{"x", ECS_F32, 1}, {"y", ECS_F64, 2}};
  static const ecs_Field s = {"n", ECS_U16, 3}, at = {"at", ECS_ENTITY, 0};
  static const ecs_Link clears = {.field = 0, .rule = ECS_LINK_CLEAR};
  const ecs_ComponentDescription link = {.name = "Link",
                                         .fields = &at,
                                         .field_count = 1,
                                         .storage = ECS_STORE_TABLE,
                                         .links = &clears,
                                         .link_count = 1};
  ecs_World *world = scene->world;
  scene->p = define_component(world, "P", p, 2, ECS_STORE_TABLE);
  scene->s = define_component(world, "S", &s, 1, ECS_STORE_SPARSE);
  scene->tag = define_component(world, "Tag", NULL, 0, ECS_STORE_BITS);
  scene->other = define_component(world, "Other", &s, 1, ECS_STORE_TABLE);
  must(ecs_component(world, &link, &scene->link));
}

static void start(Scene *scene) {
  static const ecs_KernelColumn x[] = {{"P", "x", ECS_F32, ECS_WRITE}};
  static const ecs_Kernel kernel = {"add", add_dt, x, 1, 0, NULL, NULL};
  static const ecs_ArrayDescription array = {
      .name = "heat", .type = ECS_I32, .dimensions = 1, .sizes = {7}};
  scene->world = open_world(&scene->failing);
  define(scene);
  const ecs_Component what[] = {scene->p, scene->s, scene->link};
  for (uint32_t i = 0; i < ROWS; i++)
    must(ecs_spawn(scene->world, what, 3, NULL, &scene->e[i]));
  for (uint32_t i = 1; i < ROWS; i++)
    must(ecs_set(scene->world, scene->e[i], scene->link, &scene->e[i / 2], 1));
  const ecs_Term terms[] = {{scene->p, ECS_WRITE}, {scene->s, ECS_WRITE}};
  scene->query = make_query(scene->world, terms, 2);
  ecs_Query *single = make_query(scene->world, terms, 1);
  must(ecs_kernel_bind(single, &kernel, &scene->binding, NULL));
  must(ecs_accessor(scene->world, scene->p, &scene->accessor));
  must(ecs_rows_open(scene->world, scene->p, &scene->rows));
  must(ecs_array(scene->world, &array, &scene->array));
  must(ecs_snapshot_create(scene->world, &scene->snapshot));
  must(ecs_snapshot_take(scene->snapshot));
  locate(scene);
}

static void finish(Scene *scene) {
  assert_true(world_check_invariants(scene->world));
  close_world(scene->world, &scene->failing);
}

/* Writes ---------------------------------------------------------------- */

typedef void Write(Scene *scene, uint32_t n);

typedef struct Image {
  float x;
  double y;
} Image;

static void write_set(Scene *scene, uint32_t n) {
  const Image image = {(float)n, n};
  must(ecs_set(scene->world, scene->e[n], scene->p, &image, UINT64_MAX));
}

static void write_field(Scene *scene, uint32_t n) {
  must(ecs_set_field(scene->world, scene->e[n], scene->p, 1, n * 3.0));
}

static void write_sparse(Scene *scene, uint32_t n) {
  must(ecs_set_field(scene->world, scene->e[n], scene->s, 0, n + 70.0));
}

static void write_accessor(Scene *scene, uint32_t n) {
  const Image image = {(float)n + 1, n};
  must(ecs_accessor_set(&scene->accessor, scene->e[n], &image));
}

static void write_accessor_many(Scene *scene, uint32_t n) {
  const float x[] = {(float)n, 8, 9};
  const double y[] = {n, 8, 9};
  const void *columns[] = {x, y};
  must(ecs_accessor_set_many(&scene->accessor, scene->e + n, 3, columns, NULL));
}

static void write_rows(Scene *scene, uint32_t n) {
  ecs_Row row;
  must(ecs_rows_write(&scene->rows, scene->e[n], &row));
  ((float *)row.columns[0])[row.index] = (float)n + 4;
}

/* As loops over rows do: addresses are used until the epoch is another one. */
static void write_element(Scene *scene, uint32_t n) {
  if (scene->located != *ecs_world_row_epoch(scene->world)) locate(scene);
  *(float *)scene->elements[0] += (float)n;
}

static void write_cursor(Scene *scene, uint32_t n) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  must(ecs_query_begin(scene->query, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch))
    for (uint32_t i = 0; i < batch.count; i++)
      ((uint16_t *)batch.columns[2])[i] += (uint16_t)n;
  must(ecs_cursor_end(&cursor));
}

/* A hash in the middle is of what is stored by then. */
static void write_around_hash(Scene *scene, uint32_t n) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  must(ecs_query_begin(scene->query, ECS_BATCH_WHOLE, &cursor));
  (void)ecs_world_hash(scene->world);
  while (ecs_cursor_next(&cursor, &batch)) {
    (void)ecs_world_hash(scene->world);
    ((double *)batch.columns[1])[0] = n + 0.5;
  }
  must(ecs_cursor_end(&cursor));
}

static void write_kernel(Scene *scene, uint32_t n) {
  const ecs_KernelCall call = {.dt = n, .tick = 1};
  must(ecs_kernel_run(scene->binding, &call));
}

static void write_all(Scene *scene, uint32_t n) {
  const Image image = {(float)n, n};
  must(ecs_query_set_all(scene->query, scene->p, &image, 2));
}

static void write_all_sparse(Scene *scene, uint32_t n) {
  const uint16_t image = (uint16_t)(n + 1000);
  must(ecs_query_set_all(scene->query, scene->s, &image, 1));
}

/* Set at once, and set when the deferral ends. */
static void write_deferred(Scene *scene, uint32_t n) {
  const Image image = {(float)n, n};
  must(ecs_defer_begin(scene->world));
  must(ecs_set(scene->world, scene->e[n], scene->p, &image, 1));
  must(ecs_add(scene->world, scene->e[n + 1], scene->other, NULL));
  must(ecs_set_field(scene->world, scene->e[n + 1], scene->p, 0, n + 6.0));
  must(ecs_defer_end(scene->world));
}

static void write_structure(Scene *scene, uint32_t n) {
  const ecs_Component what[] = {scene->p};
  ecs_Entity born = 0;
  must(ecs_spawn(scene->world, what, 1, NULL, &born));
  must(ecs_add(scene->world, scene->e[n], scene->tag, NULL));
  must(ecs_remove(scene->world, scene->e[n + 1], scene->s));
  must(ecs_add(scene->world, scene->e[n + 1], scene->s, NULL));
}

/* Clears fields that link there. The last entities: others are written. */
static void write_death(Scene *scene, uint32_t n) {
  ecs_Entity target = scene->e[25 + n % 10];
  if (ecs_alive(scene->world, target))
    must(ecs_destroy(scene->world, target));
  else
    must(ecs_set_field(scene->world, scene->e[1], scene->s, 0, 9));
}

static void write_link(Scene *scene, uint32_t n) {
  must(ecs_set(scene->world, scene->e[38], scene->link, &scene->e[n], 1));
}

static void write_name(Scene *scene, uint32_t n) {
  const char name[] = {(char)('a' + n), 0};
  must(ecs_set_name(scene->world, scene->e[n], name));
}

static void write_array(Scene *scene, uint32_t n) {
  must(ecs_array_fill(scene->array, n));
}

static void write_partition(Scene *scene, uint32_t n) {
  const ecs_Component both[] = {scene->p, scene->link};
  must(ecs_group(scene->world, both, 2));
  must(ecs_set_field(scene->world, scene->e[n], scene->p, 0, n));
}

static void write_snapshot(Scene *scene, uint32_t n) {
  must(ecs_snapshot_restore(scene->snapshot));
  must(ecs_set_field(scene->world, scene->e[n], scene->p, 0, n + 5.0));
  must(ecs_snapshot_take(scene->snapshot));
  must(ecs_set_field(scene->world, scene->e[n], scene->p, 0, n + 7.0));
  (void)ecs_world_hash(scene->world);
  must(ecs_snapshot_restore(scene->snapshot));
}

static void write_trim(Scene *scene, uint32_t n) {
  must(ecs_world_trim(scene->world));
  must(ecs_set_field(scene->world, scene->e[n], scene->s, 0, n + 1.0));
}

static Write *const writes[] = {
    write_set,        write_field,     write_sparse,        write_accessor,
    write_rows,       write_element,   write_accessor_many, write_cursor,
    write_kernel,     write_all,       write_all_sparse,    write_deferred,
    write_structure,  write_death,     write_link,          write_name,
    write_array,      write_partition, write_snapshot,      write_trim,
    write_around_hash};
#define WRITES (sizeof writes / sizeof *writes)

/* The tests ------------------------------------------------------------- */

typedef struct Hashes {
  uint64_t world, state;
} Hashes;

static Hashes hashes_of(const Scene *scene) {
  return (Hashes){ecs_world_hash(scene->world),
                  ecs_world_state_hash(scene->world)};
}

static void assert_same(Hashes one, Hashes other) {
  assert_true(one.world == other.world);
  assert_true(one.state == other.state);
}

static void silently(Write *first, Write *second, Hashes *hashes) {
  Scene scene;
  start(&scene);
  first(&scene, 11);
  if (second != NULL) second(&scene, 17);
  *hashes = hashes_of(&scene);
  finish(&scene);
}

static void compare(Write *first, Write *second) {
  Scene scene;
  Hashes one, both;
  silently(first, NULL, &one);
  silently(first, second, &both);
  start(&scene);
  Hashes before = hashes_of(&scene);
  assert_same(hashes_of(&scene), before);
  first(&scene, 11);
  assert_same(hashes_of(&scene), one);
  assert_same(hashes_of(&scene), one);
  assert_true(one.world != before.world);
  second(&scene, 17);
  assert_same(hashes_of(&scene), both);
  assert_true(both.world != one.world);
  finish(&scene);
}

TEST(every_write_is_seen_after_every_other) {
  for (size_t i = 0; i < WRITES; i++)
    for (size_t k = 0; k < WRITES; k++) compare(writes[i], writes[k]);
}

/* Nothing is read again, so a byte that was written behind the core's back is not
 * seen; a store of the core elsewhere in the column has all of it read. Checked
 * builds read everything, to compare. */
TEST(what_nothing_has_written_is_not_read) {
#ifndef ECS_CHECKED
  Scene scene;
  start(&scene);
  Hashes before = hashes_of(&scene);
  float *x = scene.elements[0];
  *x += 1;
  assert_same(hashes_of(&scene), before);
  must(ecs_set_field(scene.world, scene.e[0], scene.s, 0, 9));
  must(ecs_set_field(scene.world, scene.e[0], scene.s, 0, 3));
  assert_same(hashes_of(&scene), before);
  must(ecs_set_field(scene.world, scene.e[0], scene.p, 1, 2));
  assert_true(hashes_of(&scene).world != before.world);
  finish(&scene);
#endif
}

/* After the first store nothing is left of what a hash asks of stores. */
TEST(stores_are_as_quick_as_before_after_the_first) {
  Scene scene;
  start(&scene);
  const Component *p = &scene.world->store.components.all[scene.p];
  const uint32_t guards = p->guards;
  (void)hashes_of(&scene);
  assert_true(p->kept != 0);
  assert_int_equal(p->guards, guards + 1);
  write_set(&scene, 1);
  assert_true(p->kept == 0);
  assert_int_equal(p->guards, guards);
  finish(&scene);
}

/* A hash needs no memory. */
TEST(without_memory_all_is_read) {
  Scene scene;
  Hashes expected;
  silently(write_set, NULL, &expected);
  start(&scene);
  write_set(&scene, 11);
  failing_memory_arm(&scene.failing, 1, FAIL_ONWARD);
  assert_same(hashes_of(&scene), expected);
  (void)failing_memory_disarm(&scene.failing);
  assert_same(hashes_of(&scene), expected);
  finish(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_write_is_seen_after_every_other),
      cmocka_unit_test(what_nothing_has_written_is_not_read),
      cmocka_unit_test(stores_are_as_quick_as_before_after_the_first),
      cmocka_unit_test(without_memory_all_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* vm_joint_changes_test.c: changes of a block that are recorded at once.
 *
 * The spawns of rows, and one change of their own entities, are recorded for all
 * rows of a block together. A twin has one change more, which does nothing but
 * have every row changed by itself. Both have to come to the same: stops, rows,
 * and handles, those that are issued next included.
 *
 *      spawn; add_to self "V"                     jointly
 *      spawn; add_to self "V"; remove "U"         row by row
 */
#include "test_case.h"
#include "program_fixture.h"

#ifdef ECS_TINY
#define ROWS 8u
#else
#define ROWS 1100u
#endif

/* v5: the number of the row, but u0 in row u1; v10: is the row odd? */
#define HEAD                                                               \
  "column c0 \"P\" \"x\" f32 read\ncolumn c1 \"P\" \"who\" entity write\n" \
  "uniform u0 number\nuniform u1 number\nv0 = load f32 c0\n"               \
  "v1 = uniform f32 u1\nv2 = eq f32 v0 v1\nv3 = uniform f64 u0\n"          \
  "v4 = convert f64 v0\nv5 = select f64 v2 v3 v4\nv6 = self\n"             \
  "v7 = constant f32 2\nv8 = mod f32 v0 v7\nv9 = constant f32 0\n"         \
  "v10 = lt f32 v9 v8\n"

static const char *const bodies[] = {
    "part \"V\"\ngive \"V\" \"x\" v5\nv11 = spawn\nstore c1 v11\n",
    "part \"S\"\nv11 = spawn v10\npart \"V\"\ngive \"V\" \"x\" v5\npart \"P\"\n"
    "give \"P\" \"who\" v11\nv12 = spawn v10\nstore c1 v12\n",
    "part \"T\"\nv11 = spawn\ndestroy v10\nstore c1 v11\n",
    "part \"V\"\ngive \"V\" \"x\" v5\nv11 = spawn v10\ndestroy\n",
    "part \"V\"\ngive \"V\" \"x\" v3\ngive \"V\" \"y\" v5\n"
    "v11 = spawn v10\ndestroy v10\n",
    "part \"V\"\ngive \"V\" \"x\" v5\ngive \"V\" \"x\" v7\nv11 = spawn\n",
    "give \"V\" \"x\" v7\ngive \"V\" \"x\" v5\nadd_to v6 \"V\"\n",
    "give \"V\" \"x\" v5\nadd_to v6 \"V\"\n",
    "give \"V\" \"x\" v5\nadd_to v6 \"V\" v10\npart \"P\"\nv11 = spawn v10\n"
    "store c1 v11\n",
    "part \"P\"\nv11 = spawn v10\ngive \"V\" \"y\" v5\nadd_to v6 \"V\"\n",
    "add \"T\"\n",
    "remove \"V\" v10\n",
    "part \"S\"\nv11 = spawn\nadd \"V\" v10\n",
    "part \"S\"\nv11 = spawn\nremove \"T\"\n",
    "part \"P\"\npart \"V\"\nv11 = spawn v10\nadd \"V\"\nstore c1 v11\n",
    "part \"P\"\nv11 = spawn v10\nremove \"V\"\nstore c1 v11\n"};
#define BODIES (sizeof bodies / sizeof *bodies)

/* What is recorded before the first run. */
typedef enum Before {
  NOTHING_OPEN,
  NOTHING_RECORDED,
  ONE_RECORDED,
  MANY_RECORDED,
  CHANGED_AFTER, /* nothing before, but the new entities are changed on */
  BEFORES
} Before;

static void record_before(Before before) {
  ecs_World *world = fixture.world;
  const ecs_Entity *e = fixture.entities;
  if (before == NOTHING_OPEN) return;
  must(ecs_defer_begin(world));
  if (before == ONE_RECORDED) must(ecs_remove(world, e[2], fixture.v));
  if (before != MANY_RECORDED) return;
  must(ecs_remove(world, e[0], fixture.v)); /* it has V */
  must(ecs_add(world, e[1], fixture.v, NULL));
  must(ecs_add(world, e[2], fixture.t, NULL));
  must(ecs_destroy(world, e[3]));
  must(ecs_add(world, e[5], fixture.v, NULL));
  must(ecs_remove(world, e[5], fixture.v));
}

/* What rows have spawned is changed further, from the last row back. */
static void change_spawned(void) {
  const float xy[] = {5, 6};
  for (uint32_t k = ROWS; k-- > 0;) {
    if (!ecs_alive(fixture.world, fixture.entities[k])) continue;
    ecs_Entity who = (ecs_Entity)get(fixture.entities[k], fixture.p, 2);
    if (who != 0) must(ecs_set(fixture.world, who, fixture.v, xy, 1));
  }
}

typedef struct Outcome {
  ecs_ProgramStop stops[3];
  uint64_t hash;
  ecs_Entity next;
} Outcome;

static ecs_ProgramStop run_from(uint64_t first, const double *uniforms) {
  ecs_ProgramStop stop = {.row = 99, .count = 99};
  const ecs_ProgramCall call = {
      .uniforms = uniforms, .uniform_count = 2, .first = first, .stop = &stop};
  must(ecs_program_run(fixture.program, &call));
  return stop;
}

/* Runs a program twice; where it stops, it goes on behind the row. */
static Outcome run_body(const char *body, Before before, double row,
                        bool twin) {
  char text[1200];
  const double uniforms[] = {1e39, row}; /* too much for any field */
  Outcome out = {.hash = 0};
  bool sparse = before % 2 == 1;
  start(sparse ? ECS_STORE_SPARSE : ECS_STORE_TABLE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  spawn(ROWS, fixture.v, 2);
  snprintf(text, sizeof text, HEAD "%s%s", body, twin ? "remove \"U\"\n" : "");
  make(text);
  record_before(before);
  out.stops[0] = run_from(0, uniforms);
  if (out.stops[0].count > 0)
    out.stops[1] = run_from(out.stops[0].row + 1, uniforms);
  out.stops[2] = run_from(0, uniforms);
  if (before == CHANGED_AFTER) change_spawned();
  if (before != NOTHING_OPEN) must(ecs_defer_end(fixture.world));
  out.hash = ecs_world_hash(fixture.world);
  must(ecs_spawn(fixture.world, NULL, 0, NULL, &out.next));
  finish();
  return out;
}

TEST(joint_changes_are_those_of_rows_one_by_one) {
  static const double rows[] = {-1, 0, 3, ROWS - 1};
  uint64_t stops = 0;
  for (size_t b = 0; b < BODIES; b++)
    for (int before = 0; before < BEFORES; before++)
      for (int r = 0; r < 4; r++) {
        Outcome joint = run_body(bodies[b], (Before)before, rows[r], false);
        Outcome twin = run_body(bodies[b], (Before)before, rows[r], true);
        for (int k = 0; k < 3; k++) {
          assert_int_equal(joint.stops[k].row, twin.stops[k].row);
          assert_int_equal(joint.stops[k].count, twin.stops[k].count);
          stops += joint.stops[k].count;
        }
        assert_int_equal(joint.next, twin.next);
        assert_true(joint.hash == twin.hash);
      }
  assert_true(stops > 30);
}

/* What is recorded has the hash of what calls in the order of rows record. */
TEST(joint_changes_are_recorded_as_by_hand) {
  const double uniforms[] = {0, -1};
  uint64_t hashes[2];
  for (int way = 0; way < 2; way++) {
    start(ECS_STORE_TABLE, ECS_STORE_SPARSE);
    const ecs_Term term = {fixture.p, ECS_WRITE};
    const float zeros[] = {0, 0};
    const void *images[] = {zeros, NULL};
    const ecs_Component parts[] = {fixture.v, fixture.t};
    ask(&term, 1);
    spawn(8, 0, 1);
    make(HEAD "part \"V\"\npart \"T\"\nv11 = spawn\nadd \"V\"\n");
    must(ecs_defer_begin(fixture.world));
    if (way == 0) assert_int_equal(run_from(0, uniforms).count, 0);
    for (uint32_t k = 0; way == 1 && k < 8; k++) {
      ecs_Entity born = 0;
      must(ecs_spawn(fixture.world, parts, 2, images, &born));
      must(ecs_add(fixture.world, fixture.entities[k], fixture.v, NULL));
    }
    hashes[way] = ecs_world_hash(fixture.world);
    must(ecs_defer_end(fixture.world));
    finish();
  }
  assert_true(hashes[0] == hashes[1]);
}

/* By hand, for once: what was recorded before decides whether there is
 * something to add or to remove. */
TEST(records_decide_what_has_an_effect) {
  for (int adds = 0; adds < 2; adds++) {
    start(ECS_STORE_TABLE, ECS_STORE_SPARSE);
    const ecs_Term term = {fixture.p, ECS_READ};
    ask(&term, 1);
    spawn(6, fixture.v, 2);
    make(adds == 1 ? "add \"V\"\n" : "remove \"V\"\n");
    must(ecs_defer_begin(fixture.world));
    if (adds == 1)
      must(ecs_remove(fixture.world, fixture.entities[2], fixture.v));
    else
      must(ecs_add(fixture.world, fixture.entities[3], fixture.v, NULL));
    must(run(NULL, NULL));
    must(ecs_defer_end(fixture.world));
    for (uint32_t k = 0; k < 6; k++)
      assert_int_equal(ecs_has(fixture.world, fixture.entities[k], fixture.v),
                       adds);
    finish();
  }
}

/* Each row tells of its number, where it has the component, too. */
TEST(numbers_have_to_fit_where_nothing_is_added) {
  start(ECS_STORE_SPARSE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  const double uniforms[] = {1e39, 4};
  ask(&term, 1);
  spawn(6, fixture.v, 2);
  make(HEAD "give \"V\" \"x\" v5\nadd_to v6 \"V\"\n");
  ecs_ProgramStop stop = run_from(0, uniforms);
  assert_int_equal(stop.row, 4);
  assert_int_equal(stop.count, 1);
  for (uint32_t k = 0; k < 6; k++)
    assert_int_equal(ecs_has(fixture.world, fixture.entities[k], fixture.v),
                     k % 2 == 0 || k < 4);
  finish();
}

/* Handles that were issued for all rows are issued again for each. */
TEST(handles_are_not_used_up_by_an_attempt) {
  start(ECS_STORE_SPARSE, ECS_STORE_TABLE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  const double uniforms[] = {1e39, 3};
  ecs_Entity old[3], born = 0;
  ask(&term, 1);
  spawn(6, fixture.v, 2);
  for (uint32_t k = 0; k < 3; k++)
    must(ecs_spawn(fixture.world, NULL, 0, NULL, &old[k]));
  must(ecs_destroy(fixture.world, old[1]));
  must(ecs_destroy(fixture.world, old[0]));
  uint32_t used = fixture.world->store.index.used;
  make(HEAD "part \"V\"\ngive \"V\" \"x\" v5\nv11 = spawn\nstore c1 v11\n");
  assert_int_equal(run_from(0, uniforms).row, 3);
  const ecs_Entity wanted[] = {id_make(id_index(old[0]), 1),
                               id_make(id_index(old[1]), 1), id_make(used, 0)};
  for (uint32_t k = 0; k < 3; k++)
    assert_true(get(fixture.entities[k], fixture.p, 2) == (double)wanted[k]);
  must(ecs_spawn(fixture.world, NULL, 0, NULL, &born));
  assert_int_equal(born, id_make(used + 1, 0));
  finish();
}

/* Every allocation fails once, or all from one on. A run whose rows cannot be
 * recorded together may still do them one by one; it fails, or is whole. */
TEST(a_failure_leaves_nothing) {
  for (size_t b = 0; b < BODIES; b++)
    for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
      const double uniforms[] = {0, -1};
      uint64_t injected = 1, whole = 0, failures = 0;
      for (uint64_t n = 0; injected > 0; n++) {
        char text[1200];
        start(ECS_STORE_TABLE, ECS_STORE_SPARSE);
        const ecs_Term term = {fixture.p, ECS_WRITE};
        ask(&term, 1);
        spawn(8, fixture.v, 2);
        snprintf(text, sizeof text, HEAD "%s", bodies[b]);
        make(text);
        uint64_t before = ecs_world_state_hash(fixture.world);
        if (n > 0) failing_memory_arm(&fixture.failing, n, (FailingMode)mode);
        ecs_ProgramStop stop;
        const ecs_ProgramCall call = {
            .uniforms = uniforms, .uniform_count = 2, .stop = &stop};
        ecs_Status status = ecs_program_run(fixture.program, &call);
        if (n > 0) injected = failing_memory_disarm(&fixture.failing);
        uint64_t after = ecs_world_state_hash(fixture.world);
        if (n == 0) whole = after;
        if (injected == 0 || n == 0) assert_int_equal(status, ECS_OK);
        if (n > 0 && injected > 0 && mode == FAIL_ONWARD)
          assert_int_equal(status, ECS_E_MEMORY);
        if (status != ECS_OK) {
          failures++;
          assert_int_equal(status, ECS_E_MEMORY);
          for (uint32_t k = 0; k < 8; k++) /* what it stored stays */
            set(fixture.entities[k], fixture.p, 2, 0);
          after = ecs_world_state_hash(fixture.world);
        }
        assert_true(after == (status == ECS_OK ? whole : before));
        finish();
      }
      assert_true(failures > 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joint_changes_are_those_of_rows_one_by_one),
      cmocka_unit_test(joint_changes_are_recorded_as_by_hand),
      cmocka_unit_test(records_decide_what_has_an_effect),
      cmocka_unit_test(numbers_have_to_fit_where_nothing_is_added),
      cmocka_unit_test(handles_are_not_used_up_by_an_attempt),
      cmocka_unit_test(a_failure_leaves_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

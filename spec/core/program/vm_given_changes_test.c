/* vm_given_changes_test.c: programs that spawn, and change any entity.
 *
 * Such changes are as if made row by row: of a row that cannot be changed,
 * nothing happens, and the run stops before it.
 */
#include "test_case.h"
#include "api/for_bindings.h"
#include "program_fixture.h"

#ifdef ECS_TINY
#define ROWS 8u
#else
#define ROWS 1100u
#endif

static ecs_ProgramStop stop;

/* Runs the fixture's program from a row on. */
static ecs_Status run_from(uint64_t first, const double *uniforms) {
  const ecs_Program *program = fixture.program;
  const ecs_ProgramCall call = {.uniforms = uniforms,
                                .uniform_count = program->uniform_count,
                                .first = first,
                                .stop = &stop};
  stop = (ecs_ProgramStop){.row = 99, .count = 99};
  return ecs_program_run(fixture.program, &call);
}

static void run_all(const double *uniforms) {
  must(run_from(0, uniforms));
  assert_int_equal(stop.count, 0);
}

/* Expects that the run stops before this row, which is no exit of others. */
static void assert_stops(uint64_t first, const double *uniforms, uint64_t row) {
  must(run_from(first, uniforms));
  assert_int_equal(stop.row, row);
  assert_int_equal(stop.count, 1);
}

/* A world with rows of P, where x is their number, and a query that writes P. */
static void prepare(uint32_t rows, ecs_Storage v, ecs_Storage s) {
  start(v, s);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  spawn(rows, 0, 1);
}

#define X "column c0 \"P\" \"x\" f32 read\nv0 = load f32 c0\n"

/* Order ------------------------------------------------------------------- */

static const char spawning[] =
    "column c0 \"P\" \"x\" f32 read\ncolumn c1 \"P\" \"y\" f32 write\n"
    "column c2 \"P\" \"who\" entity write\n"
    "v0 = load f32 c0\nv1 = constant f32 2\nv2 = mod f32 v0 v1\n"
    "v3 = constant f32 0\nv4 = lt f32 v3 v2\nv5 = self\n"
    "v6 = neg f32 v0\nstore c1 v6\n"
    "part \"V\"\ngive \"V\" \"y\" v0\npart \"U\"\nv7 = spawn\n"
    "add_to v5 \"T\" v4\n"
    "part \"P\"\ngive \"P\" \"who\" v7\ngive \"P\" \"x\" v6\nv8 = spawn v4\n"
    "give \"S\" \"x\" v1\nset_of v7 \"S\" v4\nstore c2 v8\n";

/* What a row of that program does, by hand. */
static void spawn_by_hand(uint32_t k) {
  ecs_World *world = fixture.world;
  const float y[] = {0, (float)k}, two[] = {2, 0};
  struct {
    float x, y;
    ecs_Entity who;
  } p = {-(float)k, 0, 0};
  const ecs_Component both[] = {fixture.v, fixture.u};
  const void *first[] = {y, NULL}, *second[] = {&p};
  ecs_Entity other = 0;
  must(ecs_spawn(world, both, 2, first, &p.who));
  if (k % 2 > 0) {
    must(ecs_add(world, fixture.entities[k], fixture.t, NULL));
    must(ecs_spawn(world, &fixture.p, 1, second, &other));
    must(ecs_set(world, p.who, fixture.s, two, 1));
  }
  set(fixture.entities[k], fixture.p, 1, -(double)k);
  set(fixture.entities[k], fixture.p, 2, (double)other);
}

TEST(changes_are_made_in_the_order_of_rows) {
  static const ecs_Storage storages[] = {ECS_STORE_TABLE, ECS_STORE_SPARSE};
  uint64_t hashes[2];
  for (int s = 0; s < 2; s++) {
    for (int way = 0; way < 2; way++) {
      prepare(ROWS, storages[s], storages[1 - s]);
      make(spawning);
      must(ecs_defer_begin(fixture.world));
      if (way == 0) run_all(NULL);
      for (uint32_t k = 0; way == 1 && k < ROWS; k++) spawn_by_hand(k);
      must(ecs_defer_end(fixture.world));
      hashes[way] = ecs_world_hash(fixture.world);
      ecs_Entity last =
          (ecs_Entity)get(fixture.entities[ROWS - 1], fixture.p, 2);
      assert_true(get(last, fixture.p, 0) == -(double)(ROWS - 1));
      ecs_Entity first = (ecs_Entity)get(last, fixture.p, 2);
      assert_true(get(first, fixture.v, 1) == ROWS - 1);
      assert_true(get(first, fixture.s, 0) == 2);
      assert_true(ecs_has(fixture.world, first, fixture.u));
      finish();
    }
    assert_true(hashes[0] == hashes[1]);
  }
}

/* Masked rows spawn nothing; their new entity is null. */
TEST(entities_are_new_only_where_rows_spawn) {
  prepare(ROWS, ECS_STORE_TABLE, ECS_STORE_SPARSE);
  make(spawning);
  run_all(NULL);
  for (uint32_t k = 0; k < ROWS; k++) {
    double who = get(fixture.entities[k], fixture.p, 2);
    assert_int_equal(who != 0, k % 2);
    assert_int_equal(ecs_alive(fixture.world, (ecs_Entity)who), k % 2);
  }
  finish();
}

/* Stops ------------------------------------------------------------------- */

/* Row u1 gives what no field holds, last of all. */
static const char stopping[] =
    "column c0 \"P\" \"x\" f32 read\ncolumn c1 \"P\" \"y\" f32 write\n"
    "uniform u0 number\nuniform u1 number\nv0 = load f32 c0\n"
    "v1 = uniform f32 u1\nv2 = eq f32 v0 v1\nv3 = uniform f64 u0\n"
    "v4 = convert f64 v0\nv5 = select f64 v2 v3 v4\nv6 = self\n"
    "v7 = constant f32 7\nstore c1 v7\nadd \"T\"\nset_of v6 \"U\"\n"
    "part \"S\"\nv8 = spawn\ngive \"V\" \"x\" v5\nadd_to v6 \"V\"\n";

TEST(a_row_that_cannot_be_changed_stays_as_it_is) {
  static const uint32_t rows[] = {0, 1, 3, 7, 511, 512, 513, 1099};
  for (size_t r = 0; r < sizeof rows / sizeof *rows && rows[r] < ROWS; r++) {
    const double uniforms[] = {1e39, rows[r]};
    prepare(ROWS, ECS_STORE_TABLE, ECS_STORE_SPARSE);
    make(stopping);
    ecs_Query *spawned = NULL;
    const ecs_Term term = {fixture.s, ECS_READ};
    must(ecs_query_create(fixture.world, &term, 1, &spawned));
    must(ecs_defer_begin(fixture.world));
    assert_stops(0, uniforms, rows[r]);
    assert_stops(rows[r], uniforms, rows[r]);
    must(run_from(rows[r] + 1, uniforms));
    assert_int_equal(stop.count, 0);
    assert_int_equal(stop.row, ROWS);
    must(ecs_defer_end(fixture.world));
    for (uint32_t k = 0; k < ROWS; k++) {
      ecs_Entity entity = fixture.entities[k];
      bool changed = k != rows[r];
      assert_int_equal(ecs_has(fixture.world, entity, fixture.t), changed);
      assert_int_equal(ecs_has(fixture.world, entity, fixture.u), changed);
      assert_int_equal(ecs_has(fixture.world, entity, fixture.v), changed);
      assert_true(get(entity, fixture.p, 1) == (changed ? 7 : 0));
      if (changed) assert_true(get(entity, fixture.v, 0) == k);
    }
    uint64_t count = 0;
    must(ecs_query_count(spawned, &count));
    assert_int_equal(count, ROWS - 1);
    finish();
  }
}

/* Row 3 changes the entity u0, the others themselves. */
#define TARGET                                                 \
  "column c0 \"P\" \"x\" f32 read\nuniform u0 entity\n"        \
  "v0 = load f32 c0\nv1 = constant f32 3\nv2 = eq f32 v0 v1\n" \
  "v3 = self\nv4 = uniform entity u0\nadd \"U\"\n"             \
  "v5 = select entity v2 v4 v3\n"

static const char *const targeting[] = {
    TARGET "add_to v5 \"T\"\n", TARGET "set_of v5 \"V\"\n",
    TARGET "remove_from v5 \"V\"\n", TARGET "destroy_other v4 v2\n"};

TEST(only_destruction_takes_what_is_dead) {
  for (int p = 0; p < 4; p++)
    for (int target = 0; target < 4; target++) {
      prepare(6, ECS_STORE_TABLE, ECS_STORE_SPARSE);
      make(targeting[p]);
      ecs_Entity dead = 0;
      must(ecs_spawn(fixture.world, NULL, 0, NULL, &dead));
      must(ecs_destroy(fixture.world, dead));
      const double targets[] = {0, (double)dead, (double)(dead + (1u << 28)),
                                (double)fixture.entities[5]};
      const bool stops = p < 3 && target < 3;
      must(run_from(0, &targets[target]));
      assert_int_equal(stop.count, stops ? 1 : 0);
      assert_int_equal(stop.row, stops ? 3 : 6);
      for (uint32_t k = 0; k < 6; k++) {
        bool gone = p == 3 && target == 3 && k == 5;
        assert_int_equal(ecs_alive(fixture.world, fixture.entities[k]), !gone);
        assert_int_equal(ecs_has(fixture.world, fixture.entities[k], fixture.u),
                         !gone && (!stops || k < 3));
      }
      finish();
    }
}

/* What earlier rows destroy is not dead yet: its changes are dropped, as those
 * of a script are. The same for changes of one row. */
TEST(what_is_recorded_as_destroyed_drops_its_changes) {
  prepare(4, ECS_STORE_TABLE, ECS_STORE_SPARSE);
  make(
      "uniform u0 entity\nv0 = uniform entity u0\nv1 = self\n"
      "add_to v0 \"T\"\ndestroy_other v0\nset_of v0 \"V\"\nadd_to v1 \"U\"\n"
      "remove_from v0 \"T\"\ndestroy_other v0\n");
  const double target = (double)fixture.entities[2];
  run_all(&target);
  for (uint32_t k = 0; k < 4; k++) {
    assert_int_equal(ecs_alive(fixture.world, fixture.entities[k]), k != 2);
    if (k != 2)
      assert_true(ecs_has(fixture.world, fixture.entities[k], fixture.u));
  }
  finish();
}

/* A change of the new entity of another mask's rows has no entity in some. */
TEST(rows_without_a_new_entity_cannot_change_it) {
  static const char *const changes[] = {
      "add_to v3 \"T\"\n", "set_of v3 \"V\"\n", "remove_from v3 \"V\"\n"};
  char text[300];
  for (int c = 0; c < 3; c++) {
    prepare(6, ECS_STORE_TABLE, ECS_STORE_SPARSE);
    snprintf(text, sizeof text,
             X
             "v1 = constant f32 3\nv2 = lt f32 v0 v1\nadd \"U\"\n"
             "v3 = spawn v2\n%s",
             changes[c]);
    make(text);
    assert_stops(0, NULL, 3);
    for (uint32_t k = 0; k < 6; k++)
      assert_int_equal(ecs_has(fixture.world, fixture.entities[k], fixture.u),
                       k < 3);
    finish();
  }
  /* Its destruction does nothing. */
  prepare(6, ECS_STORE_TABLE, ECS_STORE_SPARSE);
  make(X
       "v1 = constant f32 3\nv2 = lt f32 v0 v1\nadd \"U\"\n"
       "v3 = spawn v2\ndestroy_other v3\n");
  run_all(NULL);
  finish();
}

/* What the query reads cannot be set by its rows, whether they are tables or
 * are gathered, in a whole run or in parts. */
TEST(rows_cannot_set_what_the_query_reads) {
  for (int partial = 0; partial < 2; partial++)
    for (int way = 0; way < 3; way++) {
      start(ECS_STORE_SPARSE, ECS_STORE_SPARSE);
      const ecs_Term terms[] = {{fixture.p, way == 0 ? ECS_READ : ECS_WRITE},
                                {fixture.v, ECS_READ}};
      ask(terms, partial == 1 ? 2 : 1);
      spawn(6, fixture.v, 1);
      make(
          "column c0 \"P\" \"x\" f32 read\nuniform u0 entity\n"
          "v0 = load f32 c0\nv1 = constant f32 2\nv2 = lt f32 v1 v0\n"
          "v3 = uniform entity u0\ngive \"P\" \"x\" v1\nset_of v3 \"P\" v2\n");
      const double target = (double)fixture.entities[way == 2 ? 5 : 0];
      assert_stops(0, &target, 3);
      assert_true(get((ecs_Entity)target, fixture.p, 0) == (way == 2 ? 5 : 0));
      finish();
    }
}

/* Values ------------------------------------------------------------------ */

/* Gives that are not named are defaults; a component that is there keeps its
 * value where it is added, and its other fields where it is set. */
TEST(values_are_given) {
  static const ecs_Storage storages[] = {ECS_STORE_TABLE, ECS_STORE_SPARSE};
  for (int s = 0; s < 2; s++) {
    start(storages[s], storages[1 - s]);
    const ecs_Term term = {fixture.p, ECS_READ};
    ask(&term, 1);
    spawn(8, fixture.v, 2);
    make(X
         "v1 = self\nv2 = constant f32 50\ngive \"V\" \"y\" v2\n"
         "give \"V\" \"x\" v0\nadd_to v1 \"V\"\ngive \"S\" \"y\" v0\n"
         "set_of v1 \"S\"\ngive \"S\" \"x\" v2\nset_of v1 \"S\"\n");
    run_all(NULL);
    run_all(NULL);
    for (uint32_t k = 0; k < 8; k++) {
      ecs_Entity entity = fixture.entities[k];
      bool had = k % 2 == 0;
      assert_true(get(entity, fixture.v, 0) == (had ? 2 * k + 1 : k));
      assert_true(get(entity, fixture.v, 1) == (had ? 0 : 50));
      assert_true(get(entity, fixture.s, 0) == 50);
      assert_true(get(entity, fixture.s, 1) == k);
    }
    make(
        "v0 = self\nv1 = constant f64 -4\ngive \"V\" \"y\" v1\n"
        "set_of v0 \"V\"\nset_of v0 \"S\"\n");
    run_all(NULL);
    for (uint32_t k = 0; k < 8; k++) {
      ecs_Entity entity = fixture.entities[k];
      assert_true(get(entity, fixture.v, 0) == (k % 2 == 0 ? 2 * k + 1 : k));
      assert_true(get(entity, fixture.v, 1) == -4);
      assert_true(get(entity, fixture.s, 1) == k);
    }
    finish();
  }
}

/* The image of a change is used again in each row: what a row gives does not
 * reach others, and the last value of a field counts. */
TEST(rows_give_their_own_values) {
  prepare(5, ECS_STORE_SPARSE, ECS_STORE_TABLE);
  make(X
       "v1 = self\nv2 = neg f32 v0\npart \"U\"\npart \"P\"\npart \"T\"\n"
       "part \"S\"\ngive \"S\" \"y\" v0\ngive \"P\" \"who\" v1\n"
       "give \"S\" \"y\" v2\nv3 = spawn\ngive \"V\" \"y\" v2\n"
       "add_to v3 \"V\"\ngive \"V\" \"x\" v0\nset_of v3 \"V\"\n"
       "remove_from v3 \"T\"\n");
  ecs_Query *query = NULL;
  const ecs_Term terms[] = {{fixture.s, ECS_READ},
                            {fixture.v, ECS_READ},
                            {fixture.p, ECS_READ},
                            {fixture.u, ECS_WITH},
                            {fixture.t, ECS_WITHOUT}};
  must(ecs_query_create(fixture.world, terms, 5, &query));
  run_all(NULL);
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint32_t seen = 0;
  must(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch))
    for (uint32_t k = 0; k < batch.count; k++, seen++) {
      ecs_Entity entity = batch.entities[k];
      double y = get(entity, fixture.s, 1);
      assert_true(get(entity, fixture.s, 0) == 0);
      assert_true(y == -(double)seen);
      assert_true(get(entity, fixture.v, 0) == seen);
      assert_true(get(entity, fixture.v, 1) == -(double)seen);
      assert_true(get(entity, fixture.p, 2) == (double)fixture.entities[seen]);
    }
  must(ecs_cursor_end(&cursor));
  assert_int_equal(seen, 5);
  finish();
}

TEST(entities_may_have_nothing) {
  prepare(5, ECS_STORE_SPARSE, ECS_STORE_TABLE);
  make("column c0 \"P\" \"who\" entity write\nv0 = spawn\nstore c0 v0\n");
  run_all(NULL);
  for (uint32_t k = 0; k < 5; k++) {
    ecs_Entity entity = (ecs_Entity)get(fixture.entities[k], fixture.p, 2);
    assert_true(ecs_alive(fixture.world, entity));
    assert_false(ecs_has(fixture.world, entity, fixture.p));
    assert_false(ecs_has(fixture.world, entity, fixture.v));
  }
  finish();
}

/* What a field of the entity type is given is an entity, which may be null. */
TEST(new_entities_may_be_given) {
  prepare(4, ECS_STORE_SPARSE, ECS_STORE_TABLE);
  make(
      "column c0 \"P\" \"x\" f32 read\ncolumn c1 \"P\" \"who\" entity write\n"
      "v0 = load f32 c0\nv1 = constant f32 2\nv2 = lt f32 v0 v1\n"
      "v3 = spawn v2\npart \"P\"\ngive \"P\" \"who\" v3\nv4 = spawn\n"
      "store c1 v4\n");
  run_all(NULL);
  for (uint32_t k = 0; k < 4; k++) {
    ecs_Entity second = (ecs_Entity)get(fixture.entities[k], fixture.p, 2);
    double first = get(second, fixture.p, 2);
    assert_int_equal(ecs_alive(fixture.world, (ecs_Entity)first), k < 2);
    assert_int_equal(first != 0, k < 2);
  }
  finish();
}

/* Each row sees what the rows before it set; so do parts. */
TEST(look_ups_see_what_earlier_rows_set) {
  prepare(ROWS, ECS_STORE_SPARSE, ECS_STORE_TABLE);
  must(ecs_add(fixture.world, fixture.entities[0], fixture.v, NULL));
  make(
      "column c0 \"P\" \"y\" f32 write\nuniform u0 entity\n"
      "v0 = uniform entity u0\nv1 = get f32 v0 \"V\" \"x\"\n"
      "v2 = constant f32 1\nv3 = add f32 v1 v2\ngive \"V\" \"x\" v3\n"
      "set_of v0 \"V\"\nstore c0 v1\n");
  const double target = (double)fixture.entities[0];
  run_all(&target);
  for (uint32_t k = 0; k < ROWS; k++)
    assert_true(get(fixture.entities[k], fixture.p, 1) == k);
  assert_true(get(fixture.entities[0], fixture.v, 0) == ROWS);
  finish();
}

/* Levels, failures and limits --------------------------------------------- */

TEST(changes_wait_for_what_is_open) {
  for (int way = 0; way < 4; way++) {
    prepare(6, ECS_STORE_SPARSE, ECS_STORE_TABLE);
    ecs_Cursor cursor;
    ecs_Query *tags = NULL;
    const ecs_Term term = {fixture.t, ECS_WITH};
    must(ecs_query_create(fixture.world, &term, 1, &tags));
    make(
        "column c0 \"P\" \"x\" f32 read\nuniform u0 entity\n"
        "v0 = load f32 c0\nv1 = uniform entity u0\nv2 = self\n"
        "part \"T\"\nv3 = spawn\nadd_to v2 \"T\"\n"
        "give \"V\" \"x\" v0\nset_of v1 \"V\"\ndestroy_other v1\n");
    if (way < 2)
      must(ecs_defer_begin(fixture.world));
    else
      must(ecs_query_begin(tags, ECS_BATCH_WHOLE, &cursor));
    const double target = (double)fixture.entities[5];
    run_all(&target);
    assert_false(ecs_has(fixture.world, fixture.entities[0], fixture.t));
    assert_false(ecs_alive(fixture.world, fixture.entities[5]));
    run_all(&target); /* it is recorded as destroyed, not dead */
    if (way == 0) must(ecs_defer_end(fixture.world));
    if (way == 1) ecs_defer_discard(fixture.world);
    if (way == 2) must(ecs_cursor_end(&cursor));
    if (way == 3) ecs_cursor_discard(&cursor);
    uint64_t count = 99;
    must(ecs_query_count(tags, &count));
    assert_int_equal(count, way % 2 == 0 ? 12 + 5 : 0);
    assert_int_equal(ecs_alive(fixture.world, fixture.entities[5]), way % 2);
    finish();
  }
}

/* A spawn that is recorded before the run is no dead entity. */
TEST(what_is_spawned_before_may_be_changed) {
  prepare(3, ECS_STORE_SPARSE, ECS_STORE_TABLE);
  make(
      "column c0 \"P\" \"x\" f32 read\nuniform u0 entity\n"
      "v0 = load f32 c0\nv1 = uniform entity u0\ngive \"V\" \"x\" v0\n"
      "set_of v1 \"V\"\nadd_to v1 \"T\"\n");
  ecs_Entity fresh = 0;
  must(ecs_defer_begin(fixture.world));
  must(ecs_spawn(fixture.world, &fixture.p, 1, NULL, &fresh));
  const double target = (double)fresh;
  run_all(&target);
  must(ecs_defer_end(fixture.world));
  assert_true(get(fresh, fixture.v, 0) == 2);
  assert_true(ecs_has(fixture.world, fresh, fixture.t));
  finish();
}

/* How many entities the world has. */
static uint64_t entities(void) {
  ecs_Query *all = NULL;
  uint64_t count = 0;
  must(ecs_query_create(fixture.world, NULL, 0, &all));
  must(ecs_query_count(all, &count));
  ecs_query_destroy(all);
  return count;
}

/* Every allocation of a run fails once. Rows lie in several blocks, and only
 * those of the first change something. */
TEST(failures_leave_no_structure) {
  for (uint64_t n = 1;; n++) {
    prepare(ROWS, ECS_STORE_SPARSE, ECS_STORE_TABLE);
    for (uint32_t k = ROWS / 2; k < ROWS; k++)
      must(ecs_add(fixture.world, fixture.entities[k], fixture.u, NULL));
    for (uint32_t k = ROWS / 4; k < ROWS; k++)
      must(ecs_add(fixture.world, fixture.entities[k], fixture.s, NULL));
    make(X
         "v1 = constant f32 3\nv2 = lt f32 v0 v1\nv3 = self\n"
         "part \"V\"\ngive \"V\" \"x\" v0\npart \"T\"\nv4 = spawn v2\n"
         "add_to v3 \"T\" v2\ngive \"V\" \"y\" v0\nset_of v3 \"V\" v2\n");
    failing_memory_arm(&fixture.failing, n, FAIL_ONCE);
    ecs_Status status = run_from(0, NULL);
    bool failed = failing_memory_disarm(&fixture.failing) > 0;
    assert_int_equal(status, failed ? ECS_E_MEMORY : ECS_OK);
    assert_int_equal(entities(), failed ? ROWS : ROWS + 3);
    if (failed) {
      for (uint32_t k = 0; k < ROWS; k++)
        assert_false(ecs_has(fixture.world, fixture.entities[k], fixture.t));
      must(run_from(0, NULL));
      assert_int_equal(stop.row, ROWS);
    }
    for (uint32_t k = 0; k < ROWS; k++)
      assert_int_equal(ecs_has(fixture.world, fixture.entities[k], fixture.t),
                       k < 3);
    finish();
    if (!failed) break;
  }
}

#ifdef ECS_TINY
/* The commands of all rows together are too many. */
TEST(commands_have_a_limit) {
  static char text[4000];
  prepare(4, ECS_STORE_SPARSE, ECS_STORE_TABLE);
  int length = snprintf(
      text, sizeof text,
      X "v1 = self\nv2 = constant f32 2\nv3 = lt f32 v0 v2\nadd_to v1 \"T\"\n");
  for (uint32_t k = 0; k < ECS_CODE_LIMIT - 8; k++)
    length += snprintf(text + length, sizeof text - (size_t)length, "%s",
                       k == 0 ? "add \"V\"\n" : "add \"T\"\n");
  make(text);
  uint64_t before = ecs_world_hash(fixture.world);
  assert_int_equal(run_from(0, NULL), ECS_E_LIMIT);
  assert_true(ecs_world_hash(fixture.world) == before);
  finish();
}

/* So are entities. Handles that the run issued are dead. */
TEST(entities_have_a_limit) {
  prepare(MOST, ECS_STORE_SPARSE, ECS_STORE_TABLE);
  make(
      "column c0 \"P\" \"who\" entity write\nv0 = spawn\nadd \"T\"\n"
      "store c0 v0\n");
  assert_int_equal(run_from(0, NULL), ECS_E_LIMIT);
  for (uint32_t k = 0; k < MOST; k++) {
    ecs_Entity who = (ecs_Entity)get(fixture.entities[k], fixture.p, 2);
    assert_false(ecs_has(fixture.world, fixture.entities[k], fixture.t));
    assert_false(ecs_alive(fixture.world, who));
  }
  finish();
}

/* A program with one bundle too many is refused, and says why. */
TEST(bundles_have_a_limit) {
  char text[100], message[200] = "";
  ecs_Program *program = NULL;
  prepare(2, ECS_STORE_SPARSE, ECS_STORE_TABLE);
  static const char *const names[] = {"P", "V", "S", "T", "U"};
  uint32_t made = 0;
  ecs_Status status = ECS_OK;
  for (uint32_t set = 0; set < 64 && status == ECS_OK; set++) {
    text[0] = 0;
    for (uint32_t k = 0; k < 5; k++)
      if ((set >> k & 1u) != 0)
        sprintf(text + strlen(text), "part \"%s\"\n", names[k]);
    if (set >= 32) strcpy(text, "part \"U\"\npart \"P\"\n");
    strcat(text, "v0 = spawn\n");
    status = ecs_program_create(fixture.query, text, strlen(text), &program,
                                message, sizeof message);
    if (status != ECS_OK) break;
    made++;
    ecs_program_destroy(program);
  }
  assert_int_equal(status, ECS_E_LIMIT);
  assert_int_equal(made, ECS_BUNDLE_LIMIT);
  assert_string_equal(message, "line 3: spawn: too many bundles in the world");
  finish();
}
#endif

/* Row 1 spawns an entity and has T added. */
#define MAKING                                                        \
  "column c0 \"P\" \"x\" f32 read\ncolumn c1 \"P\" \"y\" f32 write\n" \
  "v0 = load f32 c0\nv1 = constant f32 1\nv2 = eq f32 v0 v1\n"        \
  "part \"T\"\nv3 = spawn v2\nstore c1 v1\nadd \"T\" v2\n"

/* A block in which recording fails is the last, whatever the rest would do. A
 * program whose changes are recorded together tries row by row, too, so that it
 * may succeed where only one allocation fails. */
TEST(a_failure_is_not_forgotten) {
  for (int joint = 0; joint < 2; joint++)
    for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
      uint64_t injected = 1, failures = 0;
      for (uint64_t n = 1; injected > 0; n++) {
        start(ECS_STORE_TABLE, ECS_STORE_TABLE);
        const ecs_Term term = {fixture.p, ECS_WRITE};
        ask(&term, 1);
        spawn(6, fixture.v, 2);
        make(joint == 1 ? MAKING : MAKING "remove \"U\" v2\n");
        failing_memory_arm(&fixture.failing, n, (FailingMode)mode);
        ecs_Status status = run_from(0, NULL);
        injected = failing_memory_disarm(&fixture.failing);
        bool failed = status != ECS_OK;
        if (joint == 0 || mode == FAIL_ONWARD)
          assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
        failures += failed;
        assert_int_equal(entities(), failed ? 6 : 7);
        assert_int_equal(ecs_has(fixture.world, fixture.entities[1], fixture.t),
                         !failed);
        finish();
      }
      assert_true(failures > 0);
    }
}

/* Parts ------------------------------------------------------------------- */

/* Two runs of a program in parts along one cursor, the one between two parts of
 * the other. */
TEST(parts_with_changes_may_be_nested) {
  prepare(6, ECS_STORE_SPARSE, ECS_STORE_TABLE);
  make(
      "column c0 \"P\" \"x\" f32 read\nuniform u0 number\n"
      "uniform u1 number\nv0 = load f32 c0\nv1 = uniform f32 u1\n"
      "v2 = eq f32 v0 v1\nexit v2\nv3 = uniform f64 u0\nv4 = self\npart \"V\"\n"
      "give \"V\" \"x\" v3\ngive \"V\" \"y\" v0\nv5 = spawn\n"
      "give \"S\" \"x\" v3\nset_of v4 \"S\"\n");
  const double outer[] = {5, 3}, inner[] = {1e39, -1};
  const ecs_ProgramCall calls[] = {{.uniforms = outer, .uniform_count = 2},
                                   {.uniforms = inner, .uniform_count = 2}};
  ecs_Cursor cursor;
  ecs_Batch batch;
  ecs_Query *spawned = NULL;
  const ecs_Term term = {fixture.v, ECS_READ};
  must(ecs_query_create(fixture.world, &term, 1, &spawned));
  must(ecs_query_begin(fixture.query, ECS_BATCH_WHOLE, &cursor));
  assert_true(ecs_cursor_next(&cursor, &batch));
  ProgramPart parts[2] = {{.batch = &batch, .changed = true},
                          {.batch = &batch, .changed = true}};
  must(ecs_program_run_part(fixture.program, &calls[0], &parts[0]));
  assert_int_equal(parts[0].end, 3);
  assert_int_equal(parts[0].taken, 1);
  must(ecs_program_run_part(fixture.program, &calls[1], &parts[1]));
  assert_int_equal(parts[1].end, 0);
  assert_int_equal(parts[1].taken, 1);
  parts[0].first = 4;
  must(ecs_program_run_part(fixture.program, &calls[0], &parts[0]));
  assert_int_equal(parts[0].end, 6);
  assert_int_equal(parts[0].taken, 0);
  must(ecs_cursor_end(&cursor));
  for (uint32_t k = 0; k < 6; k++)
    assert_int_equal(ecs_has(fixture.world, fixture.entities[k], fixture.s),
                     k != 3);
  uint64_t count = 0;
  must(ecs_query_count(spawned, &count));
  assert_int_equal(count, 5);
  finish();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_are_made_in_the_order_of_rows),
      cmocka_unit_test(entities_are_new_only_where_rows_spawn),
      cmocka_unit_test(a_row_that_cannot_be_changed_stays_as_it_is),
      cmocka_unit_test(only_destruction_takes_what_is_dead),
      cmocka_unit_test(what_is_recorded_as_destroyed_drops_its_changes),
      cmocka_unit_test(rows_without_a_new_entity_cannot_change_it),
      cmocka_unit_test(rows_cannot_set_what_the_query_reads),
      cmocka_unit_test(values_are_given),
      cmocka_unit_test(rows_give_their_own_values),
      cmocka_unit_test(entities_may_have_nothing),
      cmocka_unit_test(new_entities_may_be_given),
      cmocka_unit_test(look_ups_see_what_earlier_rows_set),
      cmocka_unit_test(changes_wait_for_what_is_open),
      cmocka_unit_test(what_is_spawned_before_may_be_changed),
      cmocka_unit_test(failures_leave_no_structure),
#ifdef ECS_TINY
      cmocka_unit_test(commands_have_a_limit),
      cmocka_unit_test(entities_have_a_limit),
      cmocka_unit_test(bundles_have_a_limit),
#endif
      cmocka_unit_test(a_failure_is_not_forgotten),
      cmocka_unit_test(parts_with_changes_may_be_nested)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* bulk_test.c: changes of every match of a query, compared with single changes.
 *
 * Two worlds are made alike. In one a bulk call is made; in the other the
 * matches are collected first and then changed one by one, from the highest
 * index to the lowest. Entities, values, what was counted and the handles that
 * come next must agree; rows may lie in another order. The
 * comparison is made for every list of terms, component and kind of change in
 * bulk_terms.h, at once and deferred.
 */
#include "bulk_terms.h"
#include "world_soundness.h"
#include "test_case.h"

/* The same change, in bulk and one by one --------------------------------- */

typedef enum Kind { ADD, ADD_DEFAULTS, REMOVE, SET, SET_FIELDS, DESTROY } Kind;

typedef struct Case {
  const ecs_Term *terms;
  uint32_t count;
  Kind kind;
  ecs_Component component;
} Case;

static const uint64_t some_fields = 2;

static ecs_Status in_bulk(ecs_Query *query, const Case *what) {
  Image image = image_of(99);
  switch (what->kind) {
    case ADD: return ecs_query_add_all(query, what->component, &image);
    case ADD_DEFAULTS: return ecs_query_add_all(query, what->component, NULL);
    case REMOVE: return ecs_query_remove_all(query, what->component);
    case SET:
      return ecs_query_set_all(query, what->component, &image, UINT64_MAX);
    case SET_FIELDS:
      return ecs_query_set_all(query, what->component, &image, some_fields);
    default: return ecs_query_destroy_all(query);
  }
}

static ecs_Status singly(ecs_World *world, ecs_Entity entity,
                         const Case *what) {
  Image image = image_of(99);
  switch (what->kind) {
    case ADD: return ecs_add(world, entity, what->component, &image);
    case ADD_DEFAULTS: return ecs_add(world, entity, what->component, NULL);
    case REMOVE: return ecs_remove(world, entity, what->component);
    case SET:
      return ecs_set(world, entity, what->component, &image, UINT64_MAX);
    case SET_FIELDS:
      return ecs_set(world, entity, what->component, &image, some_fields);
    default: return ecs_destroy(world, entity);
  }
}

/* The highest index first. */
static void one_by_one(const Fixture *fixture, const ecs_Entity *matches,
                       uint32_t count, const Case *what) {
  for (uint32_t at = ECS_INDEX_MASK; count > 0;) {
    ecs_Entity next = 0;
    for (uint32_t i = 0; i < count; i++)
      if (id_index(matches[i]) < at && id_index(matches[i]) > id_index(next))
        next = matches[i];
    if (next == 0) return;
    at = id_index(next);
    ecs_Status status = singly(fixture->world, next, what);
    bool doomed = what->kind == DESTROY && status == ECS_E_DEAD;
    assert_true(status == ECS_OK || doomed);
  }
}

static void assert_alike(const Fixture *left, const Fixture *right) {
  ecs_Statistics a, b;
  ecs_world_statistics(left->world, &a);
  ecs_world_statistics(right->world, &b);
  assert_int_equal(a.entities, b.entities);
  assert_int_equal(a.dropped, b.dropped);
  assert_true(ecs_world_state_hash(left->world) ==
              ecs_world_state_hash(right->world));
  for (ecs_Component c = 1; c <= COMPONENTS; c++)
    assert_int_equal(left->world->store.components.all[c].changes,
                     right->world->store.components.all[c].changes);
  for (uint32_t i = 0; i < 6 && a.entities + i < CROWD; i++) {
    ecs_Entity one = 0, other = 0;
    must(ecs_spawn(left->world, NULL, 0, NULL, &one));
    must(ecs_spawn(right->world, NULL, 0, NULL, &other));
    assert_true(one == other);
  }
}

/* Other records, before and after the bulk call. */
static void disturb(const Fixture *fixture, uint32_t part) {
  for (uint32_t i = part; i < 20; i += 2) {
    ecs_Entity entity = fixture->crowd[(i * 11 + 3) % CROWD];
    if (!ecs_alive(fixture->world, entity)) continue;
    if (i % 3 == 0) {
      must(ecs_destroy(fixture->world, entity));
    } else {
      must(ecs_add(fixture->world, entity, 1 + i % COMPONENTS, NULL));
      must(ecs_remove(fixture->world, entity, 1 + (i + 5) % COMPONENTS));
    }
  }
}

typedef enum When { NOW, LATER, DISTURBED } When;

static void begin(const Fixture *fixture, When when) {
  if (when != NOW) must(ecs_defer_begin(fixture->world));
  if (when == DISTURBED) disturb(fixture, 0);
}

static void end(const Fixture *fixture, When when) {
  if (when == DISTURBED) disturb(fixture, 1);
  if (when != NOW) must(ecs_defer_end(fixture->world));
}

static void compare(const Case *what, When when) {
  static Fixture bulk, single;
  static ecs_Entity matches[CROWD];
  Fixture *both[] = {&bulk, &single};
  ecs_Query *queries[2];
  for (uint32_t i = 0; i < 2; i++) {
    start(both[i]);
    populate(both[i]);
    queries[i] = query_of(both[i], what->terms, what->count);
  }
  uint32_t count = collect(queries[1], matches);
  begin(&bulk, when);
  must(in_bulk(queries[0], what));
  end(&bulk, when);
  begin(&single, when);
  one_by_one(&single, matches, count, what);
  end(&single, when);
  assert_sound(&bulk.world->store);
  assert_int_equal(count_of(queries[0]), count_of(queries[1]));
  assert_alike(&bulk, &single);
  assert_sound(&bulk.world->store);
  finish(&bulk);
  finish(&single);
}

static void compare_all(When when) {
  for (uint32_t i = 0; i <= LISTS; i++) {
    Case what = {.terms = i < LISTS ? lists[i] : NULL}; /* and of no terms */
    what.count = i < LISTS ? terms_in(lists[i]) : 0;
    for (what.kind = ADD; what.kind < DESTROY; what.kind++)
      for (what.component = 1; what.component <= COMPONENTS; what.component++)
        compare(&what, when);
    what.kind = DESTROY;
    compare(&what, when);
  }
}

TEST(at_once_it_is_what_single_changes_make) { compare_all(NOW); }

TEST(deferred_it_is_what_single_changes_make) { compare_all(LATER); }

TEST(among_other_records_it_is_what_single_changes_make) {
  compare_all(DISTURBED);
}

/* Whole tables ------------------------------------------------------------ */

TEST(nothing_to_do_is_no_change) {
  Fixture fixture;
  ecs_Statistics before, after;
  start(&fixture);
  const ecs_Term terms[] = {{A, ECS_READ}, {S, ECS_WITH}};
  ecs_Query *all = query_of(&fixture, terms, 1);
  ecs_Query *none = query_of(&fixture, terms, 2);
  spawn_some(&fixture, A, 5);
  ecs_world_statistics(fixture.world, &before);
  must(ecs_query_add_all(all, A, NULL));
  must(ecs_query_remove_all(all, W));
  must(ecs_query_remove_all(all, S));
  must(ecs_query_add_all(none, W, NULL));
  must(ecs_query_set_all(none, W, NULL, 0));
  must(ecs_query_remove_all(none, A));
  must(ecs_query_destroy_all(none));
  ecs_world_statistics(fixture.world, &after);
  assert_int_equal(after.structure_version, before.structure_version);
  assert_int_equal(after.tables, before.tables);
  assert_int_equal(after.entities, before.entities);
  finish(&fixture);
}

/* Failures ---------------------------------------------------------------- */

/* One more entity, which matches in every case. */
static void spawn_hero(const Fixture *fixture) {
  static const ecs_Component what[] = {A, S, G};
  ecs_Entity hero = 0;
  must(ecs_spawn(fixture->world, what, 3, NULL, &hero));
}

static void fail_at_every_allocation(const Case *what) {
  static Fixture fixture;
  uint64_t failures = 1, before = 0;
  for (uint64_t n = 1; failures > 0; n++) {
    start(&fixture);
    populate(&fixture);
    spawn_hero(&fixture);
    ecs_Query *query = query_of(&fixture, what->terms, what->count);
    assert_true(count_of(query) > 0);
    before = digest(&fixture.world->store);
    failing_memory_arm(&fixture.failing, n, n % 2 ? FAIL_ONCE : FAIL_ONWARD);
    ecs_Status status = in_bulk(query, what);
    failures = failing_memory_disarm(&fixture.failing);
    assert_int_equal(status, failures > 0 ? ECS_E_MEMORY : ECS_OK);
    assert_true((digest(&fixture.world->store) == before) == (failures > 0));
    assert_sound(&fixture.world->store);
    must(in_bulk(query, what));
    assert_sound(&fixture.world->store);
    finish(&fixture);
  }
}

/* Even the counts of pending rows are back at 0. */
TEST(what_fails_leaves_no_trace) {
  static const ecs_Term terms[] = {{A, ECS_READ},      {S, ECS_READ},
                                   {BIT, ECS_WITHOUT}, {G, ECS_WITH},
                                   {A, ECS_READ},      {W, ECS_WITHOUT}};
  static const Case cases[] = {
      {terms, 1, ADD, W},         {terms, 1, ADD, S},
      {terms, 1, ADD, G},         {terms, 1, ADD, L},
      {terms + 1, 1, ADD, W},     {terms, 2, ADD, W},
      {terms + 2, 1, ADD, A},     {terms, 2, REMOVE, S},
      {terms, 1, REMOVE, A},      {terms + 3, 1, SET, H},
      {terms + 1, 2, DESTROY, 0}, {terms + 4, 2, ADD, W}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    fail_at_every_allocation(&cases[i]);
}

/* Refusals ---------------------------------------------------------------- */

TEST(what_cannot_be_is_refused) {
  Fixture fixture;
  Image image = image_of(1);
  start(&fixture);
  const ecs_Term term = {A, ECS_READ};
  ecs_Query *query = query_of(&fixture, &term, 1);
  spawn_some(&fixture, A, 5);
  static const ecs_Component bad[] = {0, COMPONENTS + 1, UINT32_MAX};
  uint64_t before = ecs_world_hash(fixture.world);
  for (uint32_t i = 0; i < 6; i++) {
    if (i == 3) must(ecs_defer_begin(fixture.world));
    ecs_Component c = bad[i % 3];
    assert_int_equal(ecs_query_add_all(query, c, NULL), ECS_E_COMPONENT);
    assert_int_equal(ecs_query_remove_all(query, c), ECS_E_COMPONENT);
    assert_int_equal(ecs_query_set_all(query, c, &image, 1), ECS_E_COMPONENT);
    assert_int_equal(ecs_query_set_all(query, A, NULL, 1), ECS_E_ARGUMENT);
  }
  must(ecs_defer_end(fixture.world));
  assert_true(ecs_world_hash(fixture.world) == before);
  must(ecs_query_set_all(query, TAG, NULL, 1)); /* a tag has no fields */
  assert_true(ecs_world_hash(fixture.world) != before);
  finish(&fixture);
}

TEST(an_open_cursor_keeps_its_components) {
  Fixture fixture;
  ecs_Cursor cursor;
  Image image = image_of(1);
  start(&fixture);
  const ecs_Term terms[] = {{A, ECS_READ}, {B, ECS_WITH}, {A, ECS_WITHOUT}};
  ecs_Query *reader = query_of(&fixture, terms, 1);
  ecs_Query *all = query_of(&fixture, NULL, 0);
  ecs_Query *others = query_of(&fixture, terms + 1, 2);
  spawn_some(&fixture, A, 5);
  spawn_some(&fixture, B, 3);
  uint64_t before = ecs_world_hash(fixture.world);
  must(ecs_query_begin(reader, ECS_BATCH_WHOLE, &cursor));
  assert_int_equal(ecs_query_set_all(all, A, &image, 1), ECS_E_ACCESS);
  assert_int_equal(ecs_world_contested(fixture.world), A);
  assert_int_equal(fixture.world->commands.command_count, 0);
  must(ecs_query_set_all(all, B, &image, 1)); /* is in no cursor */
  assert_int_equal(fixture.world->commands.command_count, 5);
  must(ecs_query_set_all(others, A, &image, 1)); /* no match has A */
  assert_int_equal(fixture.world->commands.command_count, 8);
  must(ecs_query_remove_all(all, A)); /* a change of structure: recorded */
  ecs_cursor_discard(&cursor);
  assert_true(ecs_world_hash(fixture.world) != before); /* B is written */
  assert_int_equal(count_of(reader), 5);
  finish(&fixture);
}

/* Whole or not at all also where single changes would be dropped: when one
 * cannot be recorded, nothing is counted. */
TEST(what_cannot_be_recorded_drops_nothing) {
  Fixture fixture;
  ecs_Statistics statistics;
  ecs_Entity entity = 0;
  const ecs_Component a = A;
  start(&fixture);
  const ecs_Term term = {A, ECS_READ};
  ecs_Query *query = query_of(&fixture, &term, 1);
  must(ecs_spawn(fixture.world, &a, 1, NULL, &entity));
  spawn_some(&fixture, A, 5);
  spawn_some(&fixture, A, 1); /* the highest index is the first */
  must(ecs_defer_begin(fixture.world));
  ecs_Entity highest = 0;
  must(ecs_query_first(query, &highest));
  assert_true(highest == entity);
  const Table *table = table_of(&fixture, 1);
  must(ecs_destroy(fixture.world, table->entities[table->count - 1]));
  failing_memory_arm(&fixture.failing, 2, FAIL_ONWARD);
  uint32_t recorded = fixture.world->commands.command_count;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; i < 10000 && status == ECS_OK; i++) {
    recorded = fixture.world->commands.command_count;
    ecs_world_statistics(fixture.world, &statistics);
    failing_memory_disarm(&fixture.failing);
    failing_memory_arm(&fixture.failing, 2, FAIL_ONWARD);
    status = ecs_query_add_all(query, B, NULL);
  }
  uint64_t dropped = statistics.dropped;
  failing_memory_disarm(&fixture.failing);
  assert_true(status == ECS_E_MEMORY || status == ECS_E_LIMIT);
  ecs_world_statistics(fixture.world, &statistics);
  assert_int_equal(statistics.dropped, dropped);
  assert_int_equal(fixture.world->commands.command_count, recorded);
  ecs_defer_discard(fixture.world);
  finish(&fixture);
}

/* Fields past the 32nd ---------------------------------------------------- */

#define WIDE_FIELDS ECS_FIELD_LIMIT

static const uint64_t wide_mask = UINT64_C(1) << 1 | UINT64_C(1) << 31 |
                                  UINT64_C(1) << 32 | UINT64_C(1) << 47 |
                                  UINT64_C(1) << 63;

typedef struct WideCase {
  ecs_Storage storage;
  bool grouped;  /* with another component, outside the main group */
  bool listed;   /* the query finds rows by a row list */
  bool deferred; /* recorded, then applied */
} WideCase;

/* A component of as many fields as there can be; field i defaults to i + 1. */
static ecs_Component define_wide(const Fixture *fixture, ecs_Storage storage) {
  ecs_Field fields[WIDE_FIELDS];
  char names[WIDE_FIELDS][4];
  for (uint32_t i = 0; i < WIDE_FIELDS; i++) {
    snprintf(names[i], sizeof names[i], "%u", (unsigned)(i % 100u));
    fields[i] = (ecs_Field){names[i], ECS_U16, i + 1.0};
  }
  define(fixture, COMPONENTS + 1, fields, WIDE_FIELDS, storage);
  return COMPONENTS + 1;
}

/* The fields of the mask were set to 1000 + i, the others have defaults. */
static void assert_wide(const Fixture *fixture, ecs_Entity entity,
                        ecs_Component wide) {
  for (uint32_t i = 0; i < WIDE_FIELDS; i++) {
    double value = 0;
    must(ecs_get_field(fixture->world, entity, wide, i, &value));
    assert_int_equal(value, (wide_mask >> i & 1u) != 0 ? 1000 + i : 1 + i);
  }
}

static void set_wide(const WideCase *how) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component wide = define_wide(&fixture, how->storage);
  const ecs_Component together[] = {wide, B};
  const ecs_Term terms[] = {{A, ECS_READ}, {S, ECS_READ}};
  ecs_Entity crowd[12];
  uint16_t image[WIDE_FIELDS];
  if (how->grouped) must(ecs_group(fixture.world, together, 2));
  for (uint32_t i = 0; i < 12; i++) {
    must(ecs_spawn(fixture.world, NULL, 0, NULL, &crowd[i]));
    must(ecs_add(fixture.world, crowd[i], A, NULL));
    must(ecs_add(fixture.world, crowd[i], S, NULL));
    if (i % 3 == 0) must(ecs_add(fixture.world, crowd[i], wide, NULL));
    if (i % 5 == 0) must(ecs_add(fixture.world, crowd[i], B, NULL));
  }
  for (uint32_t i = 0; i < WIDE_FIELDS; i++) image[i] = (uint16_t)(1000 + i);
  ecs_Query *query = query_of(&fixture, terms, how->listed ? 2 : 1);
  if (how->deferred) must(ecs_defer_begin(fixture.world));
  must(ecs_query_set_all(query, wide, image, wide_mask));
  if (how->deferred) must(ecs_defer_end(fixture.world));
  for (uint32_t i = 0; i < 12; i++) assert_wide(&fixture, crowd[i], wide);
  finish(&fixture);
}

/* Masks of fields have 64 bits in every way of setting. */
TEST(all_of_64_fields_can_be_set) {
  for (uint32_t i = 0; i < 16; i++) {
    const WideCase how = {
        .storage = (i & 1) != 0 ? ECS_STORE_SPARSE : ECS_STORE_TABLE,
        .grouped = (i & 2) != 0,
        .listed = (i & 4) != 0,
        .deferred = (i & 8) != 0};
    set_wide(&how);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_once_it_is_what_single_changes_make),
      cmocka_unit_test(deferred_it_is_what_single_changes_make),
      cmocka_unit_test(among_other_records_it_is_what_single_changes_make),
      cmocka_unit_test(nothing_to_do_is_no_change),
      cmocka_unit_test(what_fails_leaves_no_trace),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(an_open_cursor_keeps_its_components),
      cmocka_unit_test(what_cannot_be_recorded_drops_nothing),
      cmocka_unit_test(all_of_64_fields_can_be_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

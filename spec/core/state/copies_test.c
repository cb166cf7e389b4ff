/* copies_test.c: whatever is made of a world at a random moment goes on as the
 * world does.
 *
 * Random programs, with trees, retired indices, regrouping, empty tables and
 * ecs_world_optimize, are stopped, and the world is copied in every way:
 *
 *      snapshot --> restored, also out of a ring
 *      save     --> loaded into another world
 *      diff     --> applied where an earlier save was loaded
 *      pack     --> unpacked under the same handles: there, and in an empty world
 *
 * Each copy has the hash of that moment. Then each makes the same thousand random
 * calls and more, at the end of which all have one hash. An empty world that was
 * unpacked into has the same state only, and gives other handles, so the calls
 * name those of what they spawn.
 *
 * With ECS_TEST_SHORT in the environment there are 16 programs instead of 500;
 * COPIES_SEED and COPIES_COUNT say which.
 */
#include "state/diff.h"
#include "village_fixture.h"

#define TURNS 200u /* of live: about 1,300 changes, and 600 questions */
#define RING 3u

/* What random worlds had at the moment of copying, so that the test is seen to
 * be about something. */
typedef struct Seen {
  uint32_t empty_tables, retired, free, links, groups, names;
} Seen;

static uint64_t from_environment(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

/* Programs ---------------------------------------------------------------- */

/* An index that gives its last handle. */
static void retire(Village *village, Play *play) {
  ecs_World *world = village->town.world;
  const uint32_t index = 1 + draw(play, 40);
  const ecs_Entity last = id_make(index, ECS_GENERATION_LIMIT - 1u);
  if (ecs_spawn_as(world, last, NULL, 0, NULL) == ECS_OK)
    assert_int_equal(ecs_destroy(world, last), ECS_OK);
}

/* Queries are said to have run, and the layout follows what was counted. */
static void optimize(Village *village, Play *play) {
  uint32_t moved = 0;
  ecs_Query *query = village->town.queries[draw(play, WATCHES)];
  assert_int_equal(ecs_query_count_runs(query, 1 + draw(play, 400)), ECS_OK);
  if (draw(play, 3) > 0) return;
  (void)ecs_world_optimize(village->town.world, NULL, 0, &moved);
}

/* live, with what is counted: a snapshot has the counts, a save has not. */
static void live_counted(Village *village, Play *play, uint32_t turns) {
  for (uint32_t i = 0; i < turns; i++) {
    live(village, play, 1);
    if (draw(play, 12) == 0) optimize(village, play);
    if (draw(play, 12) == 0) retire(village, play);
  }
}

typedef void Program(Village *village, Play *play, uint32_t turns);

static void note_seen(const Village *village, Seen *seen) {
  const Store *store = &village->town.world->store;
  const LinkSet *links = &village->town.world->links;
  bool empty = false, linked = false, grouped = false;
  for (uint32_t i = 0; i < store->groups.count; i++)
    for (uint32_t k = 0; k < store->groups.all[i]->table_count; k++)
      empty = empty || store->groups.all[i]->tables[k]->count == 0;
  for (uint32_t i = 0; i < links->count; i++)
    linked = linked || links->indices[i].links > 1;
  for (ecs_Component id = 1; id < store->components.count; id++)
    grouped = grouped || !component_is_home(&store->components.all[id]);
  seen->empty_tables += empty;
  seen->retired += store->index.retired_count > 0;
  seen->free += store->index.free_count > 1;
  seen->links += linked;
  seen->groups += grouped;
  seen->names += village->town.world->names.count > 0;
}

/* The original ------------------------------------------------------------ */

/* A world at a random moment, all that is made of it, and where two programs
 * lead from there. */
typedef struct Moment {
  Village village;
  Play play;
  ecs_Snapshot *earlier, *now;
  Bytes was, is, diff, packed;
  uint64_t hash, rows;
  uint64_t end, counted_end; /* hashes */
} Moment;

static ecs_Snapshot *take(const Village *village) {
  ecs_Snapshot *snapshot = NULL;
  assert_int_equal(ecs_snapshot_create(village->town.world, &snapshot), ECS_OK);
  assert_int_equal(ecs_snapshot_take(snapshot), ECS_OK);
  return snapshot;
}

static void write_snapshot(ecs_Snapshot *snapshot, Bytes *to) {
  const ecs_SaveSink sink = {take_bytes, to};
  to->count = 0;
  assert_int_equal(ecs_snapshot_save(snapshot, "a text", 6, &sink), ECS_OK);
}

/* The world goes back to the moment. */
static void go_back(Moment *moment, ecs_Snapshot *snapshot) {
  ecs_World *world = moment->village.town.world;
  assert_int_equal(ecs_snapshot_restore(snapshot), ECS_OK);
  assert_true(world_check_invariants(world));
  assert_true(ecs_world_hash(world) == moment->hash);
  assert_true(look(&moment->village.town) == moment->rows);
}

/* Goes on from the moment, and returns the hash at the end. */
static uint64_t go_on(const Moment *moment, Village *village,
                      Program *program) {
  Play play = moment->play;
  assert_true(ecs_world_hash(village->town.world) == moment->hash);
  for (uint32_t k = 0; k < 2; k++)
    if (play.later[k] != 0) define_later(&village->town, &play, k);
  program(village, &play, TURNS);
  assert_true(world_check_invariants(village->town.world));
  return ecs_world_hash(village->town.world);
}

static void begin(Moment *moment, uint64_t seed, Seen *seen) {
  memset(moment, 0, sizeof *moment);
  Village *village = &moment->village;
  open_village(village);
  moment->play.random = seed * UINT64_C(0x9e3779b97f4a7c15);
  live_counted(village, &moment->play, 5 + (uint32_t)seed % 40);
  moment->earlier = take(village);
  live_counted(village, &moment->play, (uint32_t)seed % 30);
  moment->now = take(village);
  note_seen(village, seen);
  ecs_World *world = village->town.world;
  moment->hash = ecs_world_hash(world);
  moment->rows = look(&village->town);
  assert_int_equal(save(&village->town, &moment->is), ECS_OK);
  assert_int_equal(pack(village, &moment->packed), ECS_OK);
  /* The other state is in the world for a moment, and leaves no trace. */
  write_snapshot(moment->earlier, &moment->was);
  assert_true(world_check_invariants(world));
  moment->counted_end = go_on(moment, village, live_counted);
  go_back(moment, moment->now);
  moment->end = go_on(moment, village, live);
  const ecs_SaveSink sink = {take_bytes, &moment->diff};
  assert_int_equal(ecs_save_diff(world, moment->was.all, moment->was.count,
                                 moment->is.all, moment->is.count, &sink),
                   ECS_OK);
}

static void end(Moment *moment) {
  free(moment->was.all);
  free(moment->is.all);
  free(moment->diff.all);
  free(moment->packed.all);
  close_village(&moment->village);
}

/* Copies in the same world ------------------------------------------------ */

static void go_on_from_snapshots(Moment *moment) {
  ecs_Snapshot *ring[RING];
  Village *village = &moment->village;
  go_back(moment, moment->now);
  assert_true(go_on(moment, village, live_counted) == moment->counted_end);
  go_back(moment, moment->now);
  /* A ring at work: the moment is among the last states, then the oldest. */
  Play play = moment->play;
  ring[0] = take(village);
  for (uint32_t i = 1; i < RING; i++) {
    live_counted(village, &play, 3);
    ring[i] = take(village);
  }
  for (uint32_t round = 0; round < 4; round++) {
    live_counted(village, &play, 2);
    go_back(moment, ring[0]);
    assert_int_equal(ecs_snapshot_take(ring[round % 2]), ECS_OK);
    play = moment->play;
  }
  go_back(moment, ring[1]);
  assert_true(go_on(moment, village, live_counted) == moment->counted_end);
}

static void go_on_where_unpacked(Moment *moment) {
  char problem[200];
  Village *village = &moment->village;
  go_back(moment, moment->now);
  assert_int_equal(unpack(village, &moment->packed, problem), ECS_OK);
  assert_true(look(&village->town) == moment->rows);
  assert_true(go_on(moment, village, live) == moment->end);
}

/* Copies in other worlds -------------------------------------------------- */

static void go_on_where_loaded(const Moment *moment, uint64_t seed) {
  Village other;
  Play elsewhere = {.random = seed + 77};
  char problem[200];
  open_village(&other);
  if (seed % 3 > 0) live_counted(&other, &elsewhere, (uint32_t)seed % 20);
  assert_int_equal(load(&other.town, &moment->is, problem), ECS_OK);
  assert_true(world_check_invariants(other.town.world));
  assert_true(look(&other.town) == moment->rows);
  assert_true(go_on(moment, &other, live) == moment->end);
  close_village(&other);
}

static void go_on_where_applied(const Moment *moment) {
  Village other;
  Bytes there = {0}, made = {0};
  char problem[200];
  const char *why = NULL;
  const ecs_SaveSink sink = {take_bytes, &made};
  open_village(&other);
  assert_int_equal(load(&other.town, &moment->was, problem), ECS_OK);
  assert_int_equal(save(&other.town, &there), ECS_OK);
  assert_int_equal(
      ecs_save_patch(other.town.world, there.all, there.count, moment->diff.all,
                     moment->diff.count, &sink, &why),
      ECS_OK);
  assert_int_equal(load(&other.town, &made, problem), ECS_OK);
  assert_true(world_check_invariants(other.town.world));
  assert_true(look(&other.town) == moment->rows);
  assert_true(go_on(moment, &other, live) == moment->end);
  free(there.all);
  free(made.all);
  close_village(&other);
}

/* Arrays are no part of rows. */
static void copy_arrays(const Town *from, const Town *to) {
  for (uint32_t i = 0; i < 2; i++) {
    const ecs_ArrayView *was = ecs_array_view(from->arrays[i]);
    assert_int_equal(ecs_array_resize(to->arrays[i], was->sizes), ECS_OK);
    size_t count = was->sizes[0];
    if (i == 0) count *= was->sizes[1];
    memcpy(ecs_array_view(to->arrays[i])->elements, was->elements,
           count * (i == 0 ? 1 : 4));
  }
}

/* Both spawn under handles that neither has given. */
static void go_on_with_known_handles(const Moment *moment, Village *village) {
  Play play = moment->play;
  play.reserved = moment->village.town.world->store.index.used + 100;
  for (uint32_t k = 0; k < 2; k++)
    if (play.later[k] != 0) define_later(&village->town, &play, k);
  live(village, &play, TURNS);
  assert_true(world_check_invariants(village->town.world));
}

static void go_on_where_all_was_unpacked(Moment *moment) {
  Village other;
  char problem[200];
  Village *village = &moment->village;
  open_village(&other);
  go_back(moment, moment->now);
  ecs_World *there = other.town.world, *here = village->town.world;
  const ecs_Status status = unpack(&other, &moment->packed, problem);
  if (status != ECS_OK) {
    assert_true(ECS_INDEX_REACH < 100); /* an id is too far above the others */
    close_village(&other);
    return;
  }
  copy_arrays(&village->town, &other.town);
  assert_true(ecs_world_state_hash(there) == ecs_world_state_hash(here));
  /* With tiny limits, tables run out in one world alone. */
  if (ECS_INDEX_REACH >= 100) {
    go_on_with_known_handles(moment, &other);
    go_on_with_known_handles(moment, village);
    assert_true(ecs_world_state_hash(there) == ecs_world_state_hash(here));
  }
  close_village(&other);
}

/* All ways ---------------------------------------------------------------- */

TEST(every_copy_goes_on_as_the_world_does) {
  static Moment moment;
  Seen seen = {0};
  const bool is_short = getenv("ECS_TEST_SHORT") != NULL;
  const uint64_t first = from_environment("COPIES_SEED", 1);
  const uint64_t count = from_environment("COPIES_COUNT", is_short ? 16 : 500);
  for (uint64_t seed = first; seed < first + count; seed++) {
    begin(&moment, seed, &seen);
    go_on_from_snapshots(&moment);
    go_on_where_unpacked(&moment);
    go_on_where_loaded(&moment, seed);
    go_on_where_applied(&moment);
    go_on_where_all_was_unpacked(&moment);
    end(&moment);
  }
  printf(
      "%llu programs: %u had empty tables, %u retired and %u free indices, "
      "%u links, %u other groups, %u names\n",
      (unsigned long long)count, seen.empty_tables, seen.retired, seen.free,
      seen.links, seen.groups, seen.names);
  if (count < 16) return;
  assert_true(seen.empty_tables > count / 4);
  assert_true(seen.retired > count / 8);
  assert_true(seen.free > count / 8);
  assert_true(seen.links > count / 8);
  assert_true(seen.groups > count / 8);
  assert_true(seen.names > count / 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_copy_goes_on_as_the_world_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

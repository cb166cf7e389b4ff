/* store_test.c: every change of structure, against a naive world.
 *
 * The naive world is an array of lives, each with a flag and a seed per
 * component, and a stack of free handles. Random changes run on both; each is
 * first tried with every allocation refused once, after which nothing may have
 * changed. After every step all of the world is looked at.
 */
#include "world_fixture.h"

#define KINDS_MOST 17u

#ifdef ECS_TINY
#define LIVES_MOST 47u
#define STEPS 220u
#else
#define LIVES_MOST 60u
#define STEPS 160u
#endif

/* The naive world --------------------------------------------------------- */

typedef struct Life {
  ecs_Entity entity;
  bool alive;
  bool has[KINDS_MOST];
  uint32_t seeds[KINDS_MOST];
} Life;

typedef struct Naive {
  Fixture fixture;
  Life lives[4096];
  uint32_t count; /* of lives, past ones included */
  uint32_t alive;
  ecs_Entity free[64]; /* the handles that come next, the last first */
  uint32_t free_count;
  uint32_t used; /* the next fresh index */
  uint32_t retired;
  uint32_t random;
  bool regroups; /* may the layout change? */
} Naive;

typedef enum ChangeKind {
  CHANGE_SPAWN,
  CHANGE_DESTROY,
  CHANGE_ADD,
  CHANGE_REMOVE,
  CHANGE_CLEAR,
  CHANGE_REGROUP
} ChangeKind;

typedef struct Change {
  ChangeKind kind;
  uint32_t life;
  ecs_Component components[KINDS_MOST];
  uint32_t seeds[KINDS_MOST]; /* 0: defaults */
  uint32_t count;
  bool to_main;
  ecs_Entity born;
} Change;

static uint32_t choose(Naive *naive, uint32_t limit) {
  naive->random = naive->random * 1103515245u + 12345u;
  return (naive->random >> 16) % limit;
}

static ecs_Entity next_handle(const Naive *naive) {
  return naive->free_count > 0 ? naive->free[naive->free_count - 1]
                               : id_make(naive->used, 0);
}

static void naive_spawn(Naive *naive, const Change *change) {
  Life *life = &naive->lives[naive->count++];
  assert_int_equal(change->born, next_handle(naive));
  *life = (Life){.entity = change->born, .alive = true};
  for (uint32_t i = 0; i < change->count; i++) {
    life->has[change->components[i]] = true;
    life->seeds[change->components[i]] = change->seeds[i];
  }
  if (naive->free_count > 0)
    naive->free_count--;
  else
    naive->used++;
  naive->alive++;
}

static void naive_destroy(Naive *naive, Life *life) {
  uint32_t generation = id_generation(life->entity) + 1;
  life->alive = false;
  naive->alive--;
  if (generation >= ECS_GENERATION_LIMIT)
    naive->retired++;
  else
    naive->free[naive->free_count++] =
        id_make(id_index(life->entity), generation);
}

/* The highest index goes first, so that the lowest comes back first. */
static void naive_clear(Naive *naive) {
  for (uint32_t at = naive->used - 1; at > 0; at--)
    for (uint32_t i = 0; i < naive->count; i++)
      if (naive->lives[i].alive && id_index(naive->lives[i].entity) == at)
        naive_destroy(naive, &naive->lives[i]);
}

static void naive_change(Naive *naive, const Change *change) {
  Life *life = &naive->lives[change->life];
  ecs_Component component = change->components[0];
  if (change->kind == CHANGE_SPAWN) naive_spawn(naive, change);
  if (change->kind == CHANGE_DESTROY) naive_destroy(naive, life);
  if (change->kind == CHANGE_REMOVE) life->has[component] = false;
  if (change->kind == CHANGE_ADD && !life->has[component]) {
    life->has[component] = true;
    life->seeds[component] = change->seeds[0];
  }
}

/* The real one ------------------------------------------------------------ */

static ecs_Status spawn_change(Store *world, Change *change) {
  Image images[KINDS_MOST];
  const void *values[KINDS_MOST];
  Bundle *bundle = bundle_for_once(world, change->components, change->count);
  if (bundle == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < change->count; i++) {
    make_image(world->components[change->components[i]].schema,
               change->seeds[i], &images[i]);
    values[i] = change->seeds[i] == 0 ? NULL : &images[i];
  }
  return spawn_one(world, bundle, values, &change->born);
}

static ecs_Status run(Naive *naive, Change *change) {
  Store *world = &naive->fixture.world;
  ecs_Entity entity = naive->lives[change->life].entity;
  switch (change->kind) {
    case CHANGE_SPAWN: return spawn_change(world, change);
    case CHANGE_DESTROY: store_destroy_entity(world, entity); break;
    case CHANGE_ADD:
      return add(world, entity, change->components[0], change->seeds[0]);
    case CHANGE_REMOVE:
      return store_remove(world, entity, change->components[0]);
    case CHANGE_CLEAR: store_clear(world); break;
    case CHANGE_REGROUP:
      return store_regroup(world, change->components, change->count,
                           change->to_main);
  }
  return ECS_OK;
}

/* Comparing --------------------------------------------------------------- */

static void compare_life(const Naive *naive, const Life *life) {
  const Store *world = &naive->fixture.world;
  RowRef place;
  assert_int_equal(store_alive(world, life->entity), life->alive);
  assert_false(store_is_reserved(world, life->entity));
  for (uint32_t i = 1; i < world->component_count; i++) {
    if (!life->alive) {
      assert_int_equal(store_locate(world, life->entity, i, &place),
                       ECS_E_DEAD);
      assert_null(place.table);
    } else {
      assert_int_equal(has(world, life->entity, i), life->has[i]);
      if (life->has[i])
        assert_component(world, life->entity, i, life->seeds[i]);
    }
  }
}

static void compare(const Naive *naive) {
  const Store *world = &naive->fixture.world;
  uint32_t oldest = naive->count > 150 ? naive->count - 150 : 0;
  for (uint32_t i = oldest; i < naive->count; i++)
    compare_life(naive, &naive->lives[i]);
  assert_int_equal(world->index.alive_count, naive->alive);
  assert_int_equal(world->index.retired_count, naive->retired);
  assert_int_equal(world->index.free_count, naive->free_count);
  assert_int_equal(world->index.used, naive->used);
  assert_sound(world);
}

/* Columns that moved, rows or tables that changed: versions tell. */
typedef struct Seen {
  uint64_t digests[24];
  uintptr_t slabs[24]; /* one number for all addresses */
  uint64_t versions[24];
  uint32_t count;
  uint64_t structure_version;
} Seen;

static uintptr_t slabs_of(const Group *group) {
  uintptr_t sum = 0;
  for (uint32_t i = 0; i < group->table_count; i++)
    sum = sum * 31 + (uintptr_t)group->tables[i]->slab;
  return sum;
}

static Seen look(const Store *world) {
  Seen seen = {.count = world->group_count};
  seen.structure_version = store_structure_version(world);
  for (uint32_t i = 0; i < seen.count; i++) {
    seen.digests[i] = digest_group(world->groups[i]);
    seen.slabs[i] = slabs_of(world->groups[i]);
    seen.versions[i] = world->groups[i]->version;
  }
  return seen;
}

static void assert_versions(const Store *world, const Seen *before) {
  Seen now = look(world);
  for (uint32_t i = 0; i < before->count; i++) {
    assert_true(now.versions[i] >= before->versions[i]);
    if (now.digests[i] == before->digests[i] &&
        now.slabs[i] == before->slabs[i])
      continue;
    assert_true(now.versions[i] > before->versions[i]);
    if (now.slabs[i] != before->slabs[i])
      assert_true(now.structure_version > before->structure_version);
  }
}

/* Steps ------------------------------------------------------------------- */

/* Refuses one allocation after the other until the change succeeds, or fails
 * for another reason. */
static ecs_Status try_all(Naive *naive, Change *change, FailingMode mode) {
  FailingMemory *failing = &naive->fixture.failing;
  Store *world = &naive->fixture.world;
  for (uint64_t n = 1;; n++) {
    uint64_t before = digest(world);
    Seen seen = look(world);
    failing_memory_arm(failing, n, mode);
    ecs_Status status = run(naive, change);
    bool failed = failing_memory_disarm(failing) > 0;
    if (!failed && status == ECS_OK) {
      assert_versions(world, &seen);
      return ECS_OK;
    }
    assert_int_equal(status, failed ? ECS_E_MEMORY : ECS_E_LIMIT);
    assert_versions(world, &seen);
    assert_true(digest(world) == before);
    assert_sound(world);
    if (!failed) return status;
  }
}

/* An index with some entity, alive if there is one. */
static uint32_t choose_life(Naive *naive) {
  uint32_t at = choose(naive, naive->count);
  for (uint32_t i = 0; i < naive->count; i++) {
    uint32_t life = (at + i) % naive->count;
    if (naive->lives[life].alive) return life;
  }
  return at;
}

static void choose_components(Naive *naive, Change *change, uint32_t most) {
  uint32_t kinds = naive->fixture.world.component_count - 1;
  uint32_t wanted = choose(naive, most + 1), at = choose(naive, kinds);
  for (uint32_t i = 0; i < kinds && change->count < wanted; i++) {
    at = (at + 1 + (choose(naive, 3) == 0)) % kinds;
    bool twice = false;
    for (uint32_t k = 0; k < change->count; k++)
      twice = twice || change->components[k] == at + 1;
    if (twice) continue;
    change->seeds[change->count] = choose(naive, 4) * choose(naive, 999);
    change->components[change->count++] = at + 1;
  }
}

static Change choose_change(Naive *naive) {
  Change change = {.kind = CHANGE_SPAWN};
  uint32_t kinds = naive->fixture.world.component_count - 1;
  uint32_t dice = choose(naive, 100);
  if (naive->regroups && dice < 6) {
    change.kind = CHANGE_REGROUP;
    change.to_main = choose(naive, 3) == 0;
    choose_components(naive, &change, 4);
    return change;
  }
  if (dice == 6) change.kind = CHANGE_CLEAR;
  if (naive->alive == 0 || (dice > 6 && dice < 28) || dice == 6) {
    choose_components(naive, &change, 6);
    return change;
  }
  change.life = choose_life(naive);
  change.count = 1;
  change.components[0] = 1 + choose(naive, kinds);
  change.seeds[0] = choose(naive, 4) * choose(naive, 999);
  change.kind = dice < 40   ? CHANGE_DESTROY
                : dice < 75 ? CHANGE_ADD
                            : CHANGE_REMOVE;
  return change;
}

static void step(Naive *naive) {
  Change change = choose_change(naive);
  if (change.kind == CHANGE_SPAWN && naive->alive >= LIVES_MOST) return;
  FailingMode mode = choose(naive, 2) == 0 ? FAIL_ONCE : FAIL_ONWARD;
  if (change.kind == CHANGE_CLEAR) naive_clear(naive);
  if (try_all(naive, &change, mode) == ECS_OK) naive_change(naive, &change);
  compare(naive);
}

static Naive *open_naive(uint32_t seed) {
  Naive *naive = calloc(1, sizeof *naive);
  naive->random = seed;
  naive->used = 1;
  start(&naive->fixture);
  return naive;
}

static void close_naive(Naive *naive) {
  finish(&naive->fixture);
  free(naive);
}

/* Tests of random changes ------------------------------------------------- */

/* Five components, a tag, eight bits and two sparse sets. */
static void mixed_storage_agrees_with_the_naive_world(void **state) {
  (void)state;
  const char *letters[] = {"wwd", "b", "fff", "h", "bhwd"};
  for (uint32_t seed = 1; seed <= 6; seed++) {
    Naive *naive = open_naive(seed);
    Store *world = &naive->fixture.world;
    for (uint32_t i = 0; i < 5; i++)
      define_many(world, 1, letters[i], ECS_STORE_TABLE);
    define_many(world, 8, "", ECS_STORE_BITS);
    define_many(world, 1, "fw", ECS_STORE_SPARSE);
    define_many(world, 1, "", ECS_STORE_SPARSE);
    define_many(world, 1, "", ECS_STORE_TABLE);
    for (uint32_t i = 0; i < STEPS; i++) step(naive);
    close_naive(naive);
  }
}

/* More bits than a column of them holds: two columns. */
static void many_bits_agree_with_the_naive_world(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 6; seed++) {
    Naive *naive = open_naive(seed);
    Store *world = &naive->fixture.world;
    define_many(world, 2, "bw", ECS_STORE_TABLE);
    define_many(world, 11, "", ECS_STORE_BITS);
    naive->regroups = seed % 2 == 0;
    for (uint32_t i = 0; i < STEPS; i++) step(naive);
    close_naive(naive);
  }
}

/* Beyond three groups they share bits of the summary. */
static void many_groups_agree_with_the_naive_world(void **state) {
  (void)state;
  const uint32_t counts[] = {2, 3, 4, 7, 8, 9, 13};
  for (uint32_t seed = 1; seed <= 14; seed++) {
    Naive *naive = open_naive(seed);
    Store *world = &naive->fixture.world;
    define_many(world, 2, "wb", ECS_STORE_TABLE);
    define_many(world, counts[seed % 7], "f", ECS_STORE_SPARSE);
    for (uint32_t i = 0; i < STEPS; i++) step(naive);
    close_naive(naive);
  }
}

static void changing_layouts_agree_with_the_naive_world(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 8; seed++) {
    Naive *naive = open_naive(seed);
    Store *world = &naive->fixture.world;
    naive->regroups = true;
    define_many(world, 3, "wwd", ECS_STORE_TABLE);
    define_many(world, 2, "", ECS_STORE_BITS);
    define_many(world, 2, "bh", ECS_STORE_SPARSE);
    define_many(world, 1, "", ECS_STORE_SPARSE);
    define_many(world, 2, "f", ECS_STORE_TABLE);
    define_many(world, 1, "", ECS_STORE_TABLE);
    for (uint32_t i = 0; i < STEPS; i++) step(naive);
    close_naive(naive);
  }
}

/* Life and definitions ---------------------------------------------------- */

static void a_world_that_cannot_be_made_leaves_nothing(void **state) {
  (void)state;
  for (uint64_t n = 1;; n++) {
    FailingMemory failing;
    Store world;
    ecs_Memory record = failing_memory_init(&failing);
    failing_memory_arm(&failing, n, FAIL_ONCE);
    ecs_Status status = store_init(&world, &entity_change_ways, record, 0);
    if (failing_memory_disarm(&failing) == 0) {
      assert_int_equal(status, ECS_OK);
      assert_sound(&world);
      store_deinit(&world);
      assert_int_equal(failing.blocks, 0);
      break;
    }
    assert_int_equal(status, ECS_E_MEMORY);
    assert_int_equal(failing.blocks, 0);
  }
}

static void nothing_is_alive_in_a_new_world(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  const ecs_Entity any[] = {0, 1, id_make(0, 1), UINT64_MAX, id_make(1, 1)};
  for (uint32_t round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < 5; i++) {
      assert_null(store_locate_main(&fixture.world, any[i]).table);
      assert_false(store_alive(&fixture.world, any[i]));
      assert_false(store_is_reserved(&fixture.world, any[i]));
    }
    store_destroy_entity(&fixture.world, spawn(&fixture.world, NULL, 0));
    spawn(&fixture.world, NULL, 0);
    store_clear(&fixture.world);
    if (ECS_GENERATION_LIMIT < 4) break;
  }
  finish(&fixture);
}

static void a_reserved_entity_is_alive_without_a_place(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component component = define(world, "a", "w", ECS_STORE_TABLE);
  RowRef place = {world->main->tables[0], 1};
  entity_index_reserve(&world->index, &world->memory, 2);
  ecs_Entity entity = entity_index_issue(&world->index);
  assert_true(store_alive(world, entity));
  assert_true(store_is_reserved(world, entity));
  assert_false(store_is_reserved(world, entity + id_make(0, 1)));
  assert_false(store_is_reserved(world, id_make(world->index.used, 0)));
  assert_false(store_alive(world, id_make(world->index.used, 0)));
  assert_int_equal(store_locate(world, entity, component, &place), ECS_E_DEAD);
  assert_null(place.table);
  assert_int_equal(store_add(world, entity, component, NULL), ECS_E_DEAD);
  assert_int_equal(store_remove(world, entity, component), ECS_E_DEAD);
  assert_sound(world);
  entity_index_free(&world->index, id_index(entity), 0);
  finish(&fixture);
}

/* Slots tell the first generations apart, rows the later ones: handles of all
 * of them, those that are no handles included, are judged alike. */
static void only_the_latest_of_many_generations_is_alive(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component component = define(world, "a", "w", ECS_STORE_TABLE);
  uint32_t last = ECS_SLOT_GENERATIONS + 40;
  if (last > ECS_GENERATION_LIMIT - 1) last = ECS_GENERATION_LIMIT - 1;
  for (uint32_t now = 0; now <= last; now++) {
    ecs_Entity entity = spawn(world, &component, 1);
    assert_int_equal(entity, id_make(1, now));
    for (uint32_t k = 0; k <= last; k++)
      assert_int_equal(store_alive(world, id_make(1, k)), k == now);
    for (uint32_t bit = 52; bit < 64; bit++)
      assert_false(store_alive(world, entity | UINT64_C(1) << bit));
    assert_sound(world);
    assert_int_equal(store_destroy_entity(world, entity), ECS_OK);
    assert_false(store_alive(world, entity));
  }
  finish(&fixture);
}

static void a_component_is_found_by_its_name(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component again = 0;
  assert_int_equal(define(world, "a", "w", ECS_STORE_TABLE), 1);
  assert_int_equal(define(world, "b", "", ECS_STORE_BITS), 2);
  assert_int_equal(define(world, "c", "h", ECS_STORE_SPARSE), 3);
  assert_int_equal(store_find_component(world, "a"), 1);
  assert_int_equal(store_find_component(world, "c"), 3);
  assert_int_equal(store_find_component(world, "d"), 0);
  uint64_t before = digest(world), bytes = fixture.failing.bytes;
  assert_int_equal(define(world, "b", "", ECS_STORE_BITS), 2);
  assert_int_equal(try_define(world, "a", "w", ECS_STORE_SPARSE, false, &again),
                   ECS_E_SCHEMA);
  assert_int_equal(try_define(world, "a", "h", ECS_STORE_TABLE, false, &again),
                   ECS_E_SCHEMA);
  assert_int_equal(try_define(world, "", "h", ECS_STORE_TABLE, false, &again),
                   ECS_E_NAME);
  assert_int_equal(try_define(world, "x", "h", ECS_STORE_BITS, false, &again),
                   ECS_E_COMPONENT);
  ecs_ComponentDescription nameless = {NULL, NULL, 0, ECS_STORE_TABLE};
  assert_int_equal(store_define(world, &nameless, &again), ECS_E_NAME);
  assert_true(digest(world) == before);
  assert_int_equal(fixture.failing.bytes, bytes);
  assert_int_equal(again, 0);
  assert_int_equal(world->components[3].group_id, 1);
  assert_true(world->groups[1]->locator.narrow);
  assert_sound(world);
  finish(&fixture);
}

static void a_definition_that_failed_leaves_no_trace(void **state) {
  (void)state;
  for (ecs_Storage storage = 0; storage <= ECS_STORE_BITS; storage++) {
    for (uint32_t others = 0; others < 9; others++) {
      for (uint64_t n = 1;; n++) {
        Fixture fixture;
        start(&fixture);
        Store *world = &fixture.world;
        ecs_Component component = 0;
        define_many(world, others, "", storage);
        uint64_t before = digest(world);
        failing_memory_arm(&fixture.failing, n, FAIL_ONCE);
        ecs_Status status =
            try_define(world, "new", storage == ECS_STORE_BITS ? "" : "wb",
                       storage, true, &component);
        bool failed = failing_memory_disarm(&fixture.failing) > 0;
        assert_int_equal(status, failed ? ECS_E_MEMORY : ECS_OK);
        assert_int_equal(component, failed ? 0 : others + 1);
        assert_int_equal(digest(world) == before, failed);
        assert_sound(world);
        define_many(world, 1, "", ECS_STORE_TABLE);
        finish(&fixture);
        if (!failed) break;
      }
    }
  }
}

static void limits_of_components_and_groups_hold(void **state) {
  (void)state;
#ifdef ECS_TINY
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component component = 0;
  define_many(world, ECS_GROUP_LIMIT - 1, "w", ECS_STORE_SPARSE);
  uint64_t before = digest(world);
  assert_int_equal(
      try_define(world, "x", "w", ECS_STORE_SPARSE, false, &component),
      ECS_E_LIMIT);
  assert_true(digest(world) == before);
  define_many(world, ECS_COMPONENT_LIMIT - ECS_GROUP_LIMIT + 1, "w",
              ECS_STORE_TABLE);
  before = digest(world);
  assert_int_equal(
      try_define(world, "x", "w", ECS_STORE_TABLE, false, &component),
      ECS_E_LIMIT);
  assert_true(digest(world) == before);
  assert_int_equal(world->component_count, ECS_COMPONENT_LIMIT + 1);
  assert_sound(world);
  finish(&fixture);
#endif
}

#ifndef ECS_TINY
/* Masks of nine words do not fit the stack's eight, on every way a row goes:
 * a birth, a first component of a group, an edge. */
static void hundreds_of_components_work_like_few(void **state) {
  (void)state;
  for (uint64_t n = 1; n < 40; n++) {
    Fixture fixture;
    start(&fixture);
    Store *world = &fixture.world;
    define_many(world, 600, "b", ECS_STORE_TABLE);
    ecs_Component all[600];
    for (uint32_t i = 0; i < 600; i++) all[i] = i + 1;
    assert_int_equal(store_regroup(world, all, 599, false), ECS_OK);
    ecs_Component ends[] = {1, 65, 577, 599, 600};
    ecs_Entity entity = spawn(world, ends, 4), other = spawn(world, NULL, 0);
    uint64_t before = digest(world);
    failing_memory_arm(&fixture.failing, n, FAIL_ONCE);
    ecs_Status status = add(world, other, 598, 9);
    bool failed = failing_memory_disarm(&fixture.failing) > 0;
    assert_int_equal(status, failed ? ECS_E_MEMORY : ECS_OK);
    assert_int_equal(digest(world) == before, failed);
    assert_int_equal(add(world, other, 598, 9), ECS_OK);
    assert_component(world, other, 598, 9);
    assert_int_equal(add(world, entity, 512, 5), ECS_OK);
    assert_int_equal(store_remove(world, entity, 577), ECS_OK);
    assert_component(world, entity, 512, 5);
    assert_false(has(world, entity, 577));
    assert_int_equal(store_remove(world, other, 598), ECS_OK);
    assert_sound(world);
    finish(&fixture);
    if (!failed) return;
  }
  fail();
}

/* A first component whose bit is in the second word of masks brings nothing of
 * the first word, and is all that is left when others go. */
static void the_second_word_of_masks_is_looked_at(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  define_many(world, 100, "w", ECS_STORE_TABLE);
  ecs_Component all[100];
  for (uint32_t i = 0; i < 100; i++) all[i] = i + 1;
  assert_int_equal(store_regroup(world, all, 100, false), ECS_OK);
  for (ecs_Component late = 65; late <= 100; late++) {
    ecs_Component early = late - 64;
    ecs_Entity entity = spawn(world, NULL, 0);
    assert_int_equal(add(world, entity, late, 3), ECS_OK);
    for (ecs_Component i = 1; i <= 100; i++)
      assert_int_equal(has(world, entity, i), i == late);
    assert_int_equal(add(world, entity, early, 4), ECS_OK);
    assert_int_equal(store_remove(world, entity, early), ECS_OK);
    assert_false(has(world, entity, early));
    assert_component(world, entity, late, 3);
    assert_int_equal(store_remove(world, entity, late), ECS_OK);
    assert_sound(world);
  }
  finish(&fixture);
}
#endif

/* The check itself -------------------------------------------------------- */

/* A fault planted in a place is seen, and nothing once it is gone. */
#define ASSERT_SEEN(place, wrong)                \
  do {                                           \
    __typeof__(place) right = (place);           \
    (place) = (wrong);                           \
    assert_false(store_check_invariants(world)); \
    (place) = right;                             \
    assert_true(store_check_invariants(world));  \
  } while (0)

/* Two entities in a table and a sparse set, for faults to be planted in. */
static void the_check_sees_what_does_not_agree(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component components[] = {define(world, "a", "w", ECS_STORE_TABLE),
                                define(world, "b", "w", ECS_STORE_SPARSE)};
  ecs_Entity first = spawn(world, components, 2);
  spawn(world, components, 2);
  Group *sparse = world->groups[1];
  Table *table = world->main->tables[1];
  Slot *slot = entity_index_slot(&world->index, id_index(first));
  assert_true(store_check_invariants(world));
  ASSERT_SEEN(slot->row_bits, 1u);
  ASSERT_SEEN(slot->table_bits, slot->table_bits & SLOT_TABLE_MASK);
  ASSERT_SEEN(*locator_narrow_entry(&sparse->locator, 1), 1u);
  ASSERT_SEEN(*locator_narrow_entry(&sparse->locator, 1), LOCATOR_NONE);
  ASSERT_SEEN(sparse->id, 2u);
  ASSERT_SEEN(table->id, 0u);
  ASSERT_SEEN(table->mask[0], 0u);
  ASSERT_SEEN(table->count, 1u + table->capacity);
  ASSERT_SEEN(table->entities[0], table->entities[1]);
  ASSERT_SEEN(((uint32_t *)(void *)table->fields[0])[3], 1u);
  ASSERT_SEEN(world->index.alive_count, 1u);
  finish(&fixture);
}

/* The same entity in a second row, of its table and of another one. */
static void the_check_sees_an_entity_in_two_rows(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component component = define(world, "a", "w", ECS_STORE_TABLE);
  spawn(world, &component, 1);
  spawn(world, &component, 1);
  spawn(world, NULL, 0);
  Table *table = world->main->tables[1], *other = world->main->tables[0];
  ASSERT_SEEN(table->entities[1], table->entities[0]);
  ASSERT_SEEN(table->entities[0], table->entities[1]);
  ASSERT_SEEN(table->entities[0], other->entities[0]);
  ASSERT_SEEN(other->entities[0], table->entities[0]);
  finish(&fixture);
}

static void the_check_sees_rows_without_components(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  Store *world = &fixture.world;
  ecs_Component bits[2] = {define(world, "a", "", ECS_STORE_BITS),
                           define(world, "b", "", ECS_STORE_BITS)};
  assert_int_equal(store_regroup(world, bits, 2, false), ECS_OK);
  spawn(world, bits, 1);
  Table *table = world->groups[1]->tables[0];
  assert_true(store_check_invariants(world));
  table_write_bit(table, 0, 0, false);
  assert_false(store_check_invariants(world));
  table_write_bit(table, 0, 1, true);
  assert_true(store_check_invariants(world));
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mixed_storage_agrees_with_the_naive_world),
      cmocka_unit_test(many_bits_agree_with_the_naive_world),
      cmocka_unit_test(many_groups_agree_with_the_naive_world),
      cmocka_unit_test(changing_layouts_agree_with_the_naive_world),
      cmocka_unit_test(a_world_that_cannot_be_made_leaves_nothing),
      cmocka_unit_test(nothing_is_alive_in_a_new_world),
      cmocka_unit_test(a_reserved_entity_is_alive_without_a_place),
      cmocka_unit_test(only_the_latest_of_many_generations_is_alive),
      cmocka_unit_test(a_component_is_found_by_its_name),
      cmocka_unit_test(a_definition_that_failed_leaves_no_trace),
      cmocka_unit_test(limits_of_components_and_groups_hold),
#ifndef ECS_TINY
      cmocka_unit_test(hundreds_of_components_work_like_few),
      cmocka_unit_test(the_second_word_of_masks_is_looked_at),
#endif
      cmocka_unit_test(the_check_sees_what_does_not_agree),
      cmocka_unit_test(the_check_sees_an_entity_in_two_rows),
      cmocka_unit_test(the_check_sees_rows_without_components),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

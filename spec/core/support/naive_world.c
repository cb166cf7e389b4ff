/* naive_world.c: random changes of a store and of a naive world. */
#include "naive_world.h"

#include <stdlib.h>

#ifdef ECS_TINY
#define LIVES_MOST 47u
#else
#define LIVES_MOST 60u
#endif

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
  RegroupTo to;
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

/* Destroys from the highest index, so that the lowest is issued first. */
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

/* The store --------------------------------------------------------------- */

static ecs_Status spawn_change(Store *world, Change *change) {
  Image images[KINDS_MOST];
  const void *values[KINDS_MOST];
  Bundle *bundle = bundle_for_once(world, change->components, change->count);
  if (bundle == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < change->count; i++) {
    make_image(world->components.all[change->components[i]].schema,
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
                           change->to);
  }
  return ECS_OK;
}

/* Comparing --------------------------------------------------------------- */

static void compare_life(const Naive *naive, const Life *life) {
  const Store *world = &naive->fixture.world;
  RowRef place;
  assert_int_equal(store_alive(world, life->entity), life->alive);
  assert_false(store_is_reserved(world, life->entity));
  for (uint32_t i = 1; i < world->components.count; i++) {
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

/* Versions must grow when columns move, or rows or tables change. */
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
  Seen seen = {.count = world->groups.count};
  seen.structure_version = store_structure_version(world);
  for (uint32_t i = 0; i < seen.count; i++) {
    seen.digests[i] = digest_group(world->groups.all[i]);
    seen.slabs[i] = slabs_of(world->groups.all[i]);
    seen.versions[i] = world->groups.all[i]->version;
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
  uint32_t kinds = naive->fixture.world.components.count - 1;
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

static bool has_fields(const Naive *naive, ecs_Component component) {
  return naive->fixture.world.components.all[component].field_count > 0;
}

static Change choose_change(Naive *naive) {
  Change change = {.kind = CHANGE_SPAWN};
  uint32_t kinds = naive->fixture.world.components.count - 1;
  uint32_t dice = choose(naive, 100);
  if (naive->regroups && dice < 6) {
    change.kind = CHANGE_REGROUP;
    choose_components(naive, &change, 4);
    change.to = (RegroupTo)choose(naive, 3);
    for (uint32_t i = 0; i < change.count; i++)
      if (has_fields(naive, change.components[i])) change.to %= REGROUP_TO_BITS;
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

void naive_step(Naive *naive) {
  Change change = choose_change(naive);
  if (change.kind == CHANGE_SPAWN && naive->alive >= LIVES_MOST) return;
  FailingMode mode = choose(naive, 2) == 0 ? FAIL_ONCE : FAIL_ONWARD;
  if (change.kind == CHANGE_CLEAR) naive_clear(naive);
  if (try_all(naive, &change, mode) == ECS_OK) naive_change(naive, &change);
  compare(naive);
}

uint32_t naive_seeds(uint32_t most) {
  return getenv("ECS_TEST_SHORT") != NULL ? (most + 1) / 2 : most;
}

Naive *naive_open(uint32_t seed) {
  Naive *naive = calloc(1, sizeof *naive);
  naive->random = seed;
  naive->used = 1;
  start(&naive->fixture);
  return naive;
}

void naive_close(Naive *naive) {
  finish(&naive->fixture);
  free(naive);
}

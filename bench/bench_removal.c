/* bench_removal.c: removing every element of a set, one by one and at once.
 *
 * The workload of an article on sparse sets: 10k, 100k and 250k elements are
 * all removed, in the order in which they came, in random order and in reverse.
 * Here an element is a sparse component of two f32.
 *
 * - remove: ecs_remove of each, against a sparse set by hand that checks
 *   nothing. Filling it again is untimed.
 * - remove from a table: the same where the component stands in a table beside
 *   another of two f32, so that a row moves; the hand-written side is the same
 *   set, which moves less.
 * - query remove: one ecs_query_remove_all, against a loop over the same set
 *   that marks all keys absent; and beside the removals one by one by hand.
 * - list with shift: what the article compares with, by hand alone: elements
 *   behind the removed one move up. A time is per element. Its cost grows with
 *   the size; in order is its worst case, in reverse its best.
 * - destroy: entities with four sparse components each, out of many of which
 *   each has entities, against the same in a world with 10 of them. 64 entities
 *   in a row have the same four, so that what the processor fetches is the same
 *   as far as possible.
 *
 * The result that is checked is what remains after half of the removals; of
 * destroying, that only the entities remain that were not destroyed. */
#include <stdio.h>
#include <stdlib.h>

#include "baseline/hand_set.h"
#include "scene.h"

#define SEED 11u

typedef enum Order { IN_ORDER, RANDOM, REVERSE } Order;

static const char *const order_names[] = {"in order", "random", "reverse"};

/* Removals of one side: of each, or of all at once. */
typedef void (*Work)(void *state, uint32_t iterations);

typedef struct Removal {
  ecs_World *world;
  ecs_Component component;
  ecs_Entity *entities; /* in the order in which they are removed */
  ecs_Query *query;     /* over the component */
  HandSet set;
  uint32_t *numbers; /* the same order, by hand */
  uint32_t size;
} Removal;

static void values_of(float *values, uint32_t number) {
  values[0] = (float)(int32_t)number;
  values[1] = (float)(int32_t)(number + 1);
}

static void order_numbers(uint32_t *numbers, uint32_t count, Order order) {
  measure_shuffle(numbers, count, SEED);
  for (uint32_t k = 0; k < count && order != RANDOM; k++)
    numbers[k] = order == REVERSE ? count - 1 - k : k;
}

/* Ours -------------------------------------------------------------------- */

/* Entities get the component in the order in which they were spawned: the
 * numbers say where each stands in the order of removal. */
static void fill(void *state) {
  Removal *removal = state;
  uint32_t size = removal->size;
  ecs_Entity *spawned = scene_allocate(size, sizeof *spawned);
  for (uint32_t k = 0; k < size; k++)
    spawned[removal->numbers[k]] = removal->entities[k];
  for (uint32_t number = 0; number < size; number++) {
    float values[2];
    values_of(values, number);
    MUST(ecs_add(removal->world, spawned[number], removal->component, values));
  }
  free(spawned);
}

static void remove_some(Removal *removal, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    MUST(ecs_remove(removal->world, removal->entities[k], removal->component));
}

static void remove_each(void *state, uint32_t iterations) {
  Removal *removal = state;
  (void)iterations; /* 1, because there is a preparation */
  remove_some(removal, removal->size);
}

static void remove_at_once(void *state, uint32_t iterations) {
  Removal *removal = state;
  (void)iterations;
  MUST(ecs_query_remove_all(removal->query, removal->component));
}

static uint64_t check(void *state) {
  Removal *removal = state;
  uint64_t left = scene_count(removal->query);
  fill(removal);
  remove_some(removal, removal->size / 2);
  uint64_t hash = measure_mix(left, scene_hash(removal->query));
  MUST(ecs_query_remove_all(removal->query, removal->component));
  return hash;
}

/* By hand ----------------------------------------------------------------- */

static void hand_refill(void *state) {
  Removal *removal = state;
  removal->set.count = 0;
  for (uint32_t number = 0; number < removal->size; number++) {
    float values[2];
    values_of(values, number);
    hand_set_add(&removal->set, number, values[0], values[1]);
  }
}

static void hand_remove_some(Removal *removal, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    hand_set_remove(&removal->set, removal->numbers[k]);
}

static void hand_remove_each(void *state, uint32_t iterations) {
  Removal *removal = state;
  (void)iterations;
  hand_remove_some(removal, removal->size);
}

static void hand_remove_at_once(void *state, uint32_t iterations) {
  Removal *removal = state;
  (void)iterations;
  hand_set_clear(&removal->set);
}

static uint64_t hand_check(void *state) {
  Removal *removal = state;
  uint64_t left = removal->set.count;
  hand_refill(removal);
  hand_remove_some(removal, removal->size / 2);
  uint64_t hash = measure_mix(left, hand_set_hash(&removal->set));
  hand_set_clear(&removal->set);
  return hash;
}

/* Rows -------------------------------------------------------------------- */

static void removal_init(Removal *removal, uint32_t size, Order order,
                         ecs_Storage storage) {
  *removal = (Removal){.world = scene_world(), .size = size};
  ecs_World *world = removal->world;
  ecs_Component other = scene_component(world, "Other", 2, ECS_STORE_TABLE);
  removal->component = scene_component(world, "Element", 2, storage);
  removal->query = scene_query(world, &removal->component, 1, ECS_READ);
  removal->entities = scene_allocate(size, sizeof *removal->entities);
  removal->numbers = scene_allocate(size, sizeof *removal->numbers);
  order_numbers(removal->numbers, size, order);
  ecs_Entity *spawned = scene_allocate(size, sizeof *spawned);
  scene_spawn(world, &other, 1, size, spawned);
  for (uint32_t k = 0; k < size; k++)
    removal->entities[k] = spawned[removal->numbers[k]];
  free(spawned);
  hand_set_init(&removal->set, size);
}

static void removal_deinit(Removal *removal) {
  ecs_world_destroy(removal->world);
  hand_set_deinit(&removal->set);
  free(removal->entities);
  free(removal->numbers);
}

static void bench(const char *name, uint32_t size, Order order,
                  ecs_Storage storage, Work hand, Work ours, double aim) {
  if (!measure_wanted(name)) return;
  Removal removal;
  removal_init(&removal, measure_size(size), order, storage);
  measure_row(&(MeasureRow){.name = name,
                            .order = order_names[order],
                            .memory = "warm",
                            .size = size,
                            .operations = removal.size,
                            .aim_ratio = aim,
                            .hand = {&removal, hand_refill, hand, hand_check},
                            .ours = {&removal, fill, ours, check}});
  removal_deinit(&removal);
}

/* Where the element stands that is removed next from a list of count. */
static uint32_t place_of_next(uint32_t count, Order order, uint64_t *seed) {
  if (order == RANDOM) return (uint32_t)(measure_random(seed) % count);
  return order == IN_ORDER ? 0 : count - 1;
}

static void bench_list(uint32_t wanted, Order order) {
  static const char name[] = "list with shift, by hand";
  if (!measure_wanted(name)) return;
  uint64_t seed = SEED;
  uint32_t size = measure_size(wanted);
  Removal removal = {.size = size};
  hand_set_init(&removal.set, size);
  hand_refill(&removal);
  double start = measure_clock();
  while (removal.set.count > 0)
    hand_set_shift(&removal.set,
                   place_of_next(removal.set.count, order, &seed));
  double each = (measure_clock() - start) / size;
  measure_value(name, order_names[order], wanted, "ns", each, 0);
  hand_set_deinit(&removal.set);
}

/* Many groups ------------------------------------------------------------- */

#define MEMBERS 4u
#define ALIKE 64u

typedef struct Groups {
  ecs_World *world;
  uint32_t count; /* of sparse components */
  ecs_Component *components;
  uint32_t size;
  ecs_Entity *entities; /* those to be destroyed */
} Groups;

static void groups_init(Groups *groups, uint32_t count, uint32_t size) {
  *groups = (Groups){.world = scene_world(), .count = count, .size = size};
  groups->components = scene_allocate(count, sizeof *groups->components);
  groups->entities = scene_allocate(size, sizeof *groups->entities);
  for (uint32_t k = 0; k < count; k++) {
    char name[32];
    ecs_Entity other;
    snprintf(name, sizeof name, "Set%u", k);
    groups->components[k] =
        scene_component(groups->world, name, 2, ECS_STORE_SPARSE);
    MUST(ecs_spawn(groups->world, &groups->components[k], 1, NULL, &other));
  }
}

static void groups_deinit(Groups *groups) {
  ecs_world_destroy(groups->world);
  free(groups->components);
  free(groups->entities);
}

static void groups_fill(void *state) {
  Groups *groups = state;
  for (uint32_t k = 0; k < groups->size; k++) {
    uint64_t seed = SEED + k / ALIKE;
    uint64_t first = measure_random(&seed) % groups->count;
    ecs_Component own[MEMBERS];
    for (uint32_t i = 0; i < MEMBERS; i++)
      own[i] = groups->components[(first + i * (groups->count / MEMBERS)) %
                                  groups->count];
    MUST(ecs_spawn(groups->world, own, MEMBERS, NULL, &groups->entities[k]));
  }
}

static void groups_destroy(void *state, uint32_t iterations) {
  Groups *groups = state;
  (void)iterations;
  for (uint32_t k = 0; k < groups->size; k++)
    MUST(ecs_destroy(groups->world, groups->entities[k]));
}

static uint64_t groups_check(void *state) {
  Groups *groups = state;
  ecs_Statistics statistics;
  ecs_world_statistics(groups->world, &statistics);
  uint64_t rows = 0;
  for (uint32_t k = 0; k < groups->count; k++) {
    ecs_Query *query =
        scene_query(groups->world, &groups->components[k], 1, ECS_READ);
    rows += scene_count(query);
    ecs_query_destroy(query);
  }
  return statistics.entities == groups->count && rows == groups->count;
}

static void bench_groups(uint32_t count) {
  static const char name[] = "destroy, sparse groups of the world";
  if (!measure_wanted(name)) return;
  Groups few, many;
  groups_init(&few, 10, measure_size(4096));
  groups_init(&many, count, measure_size(4096));
  measure_row(&(MeasureRow){
      .name = name,
      .order = "in order",
      .memory = "warm",
      .size = count,
      .operations = many.size,
      .aim_ratio = 1.5,
      .hand = {&few, groups_fill, groups_destroy, groups_check},
      .ours = {&many, groups_fill, groups_destroy, groups_check}});
  groups_deinit(&few);
  groups_deinit(&many);
}

int main(int argument_count, char **arguments) {
  static const uint32_t sizes[] = {10000, 100000, 250000};
  measure_open(argument_count, arguments, "removal");
  for (uint32_t k = 0; k < 3; k++) {
    for (Order order = IN_ORDER; order <= REVERSE; order++)
      bench("remove", sizes[k], order, ECS_STORE_SPARSE, hand_remove_each,
            remove_each, sizes[k] < 250000 ? 6 : 8);
    bench("remove from a table", sizes[k], IN_ORDER, ECS_STORE_TABLE,
          hand_remove_each, remove_each, 0);
    bench("query remove", sizes[k], IN_ORDER, ECS_STORE_SPARSE,
          hand_remove_at_once, remove_at_once, 2);
    bench("query remove, hand one by one", sizes[k], IN_ORDER, ECS_STORE_SPARSE,
          hand_remove_each, remove_at_once, 0);
  }
  for (Order order = IN_ORDER; order <= REVERSE; order++) {
    bench_list(10000, order);
    bench_list(100000, order);
  }
  bench_groups(100);
  bench_groups(10000);
  measure_close();
  return 0;
}

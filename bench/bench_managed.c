/* bench_managed.c: systems that are told when an entity enters or leaves them.
 *
 * The managed sets of pvigier's series on an entity component system: a system
 * requires two components, and has a function called when an entity comes to
 * have both and when it ceases to. In its profiles A, AA and AAA there are 16,
 * 32 and 64 systems; system k requires the components k and k + 1, of two f32.
 * Entities have component 0, get component 1 and lose it again, one by one: so
 * they enter system 0 and leave it. A time is for one such change.
 *
 * By hand: the storage of the series in C. An entity has a bit set, a component
 * an array of values with an index of entities, a system its bit set, a list of
 * its entities and their places in it. Each change asks each system. (There the
 * index is a hash map, which is slower than the array here.)
 *
 * Ours: two observers of a query for each system. Notices are taken behind each
 * change, or behind changes of 256 entities that are recorded. */
#include <stdio.h>
#include <stdlib.h>

#include "baseline/hand_set.h"
#include "scene.h"

#define MOST_SYSTEMS 64u
#define MOST_COMPONENTS 512u
#define WORDS (MOST_COMPONENTS / 64)
#define RECORDED 256u

typedef struct Profile {
  const char *name;
  uint32_t components, systems;
} Profile;

static const Profile profiles[] = {
    {"A", 32, 16}, {"AA", 128, 32}, {"AAA", 512, 64}};

/* What the functions of a system have been told. */
typedef struct Told {
  uint64_t entered, left, mixed; /* mixed: the numbers of entities, in order */
} Told;

static void enter(Told *told, uint32_t number) {
  told->entered++;
  told->mixed = measure_mix(told->mixed, number);
}

static void leave(Told *told, uint32_t number) {
  told->left++;
  told->mixed = measure_mix(told->mixed, ~(uint64_t)number);
}

/* By hand ----------------------------------------------------------------- */

typedef struct HandSystem {
  uint64_t requirements[WORDS];
  uint32_t *managed, *places; /* places: in managed, by entity; or ABSENT */
  uint32_t count;
  void (*on_enter)(Told *told, uint32_t number);
  void (*on_leave)(Told *told, uint32_t number);
  Told told;
} HandSystem;

typedef struct Managed {
  const Profile *profile;
  uint32_t size;
  /* By hand: an entity is a number below size. */
  uint64_t (*bits)[WORDS];
  HandSet sets[2]; /* of the components 0 and 1 */
  HandSystem systems[MOST_SYSTEMS];
  /* Ours. Observers are numbered from 1 on: system k has 2k + 1 and 2k + 2. */
  ecs_World *world;
  ecs_Component components[MOST_COMPONENTS];
  ecs_Entity *entities;
  Told told[MOST_SYSTEMS];
} Managed;

static void hand_init(Managed *hand) {
  uint32_t words = (hand->profile->components + 63) / 64;
  hand->bits = scene_allocate(hand->size, sizeof *hand->bits);
  for (uint32_t k = 0; k < 2; k++) hand_set_init(&hand->sets[k], hand->size);
  for (uint32_t k = 0; k < hand->profile->systems; k++) {
    HandSystem *system = &hand->systems[k];
    *system = (HandSystem){.on_enter = enter, .on_leave = leave};
    system->requirements[k / 64] |= 1ull << k % 64;
    system->requirements[(k + 1) / 64] |= 1ull << (k + 1) % 64;
    system->managed = scene_allocate(hand->size, sizeof(uint32_t));
    system->places = scene_allocate(hand->size, sizeof(uint32_t));
    for (uint32_t i = 0; i < hand->size; i++)
      system->places[i] = HAND_SET_ABSENT;
  }
  for (uint32_t i = 0; i < hand->size; i++) {
    for (uint32_t word = 0; word < words; word++) hand->bits[i][word] = 0;
    hand->bits[i][0] = 1;
    hand_set_add(&hand->sets[0], i, 0, 0);
  }
}

static void hand_deinit(Managed *hand) {
  free(hand->bits);
  for (uint32_t k = 0; k < 2; k++) hand_set_deinit(&hand->sets[k]);
  for (uint32_t k = 0; k < hand->profile->systems; k++) {
    free(hand->systems[k].managed);
    free(hand->systems[k].places);
  }
}

static void system_add(HandSystem *system, uint32_t entity) {
  system->places[entity] = system->count;
  system->managed[system->count++] = entity;
  system->on_enter(&system->told, entity);
}

static void system_remove(HandSystem *system, uint32_t entity) {
  system->on_leave(&system->told, entity);
  uint32_t place = system->places[entity];
  uint32_t moved = system->managed[--system->count];
  system->managed[place] = moved;
  system->places[moved] = place;
  system->places[entity] = HAND_SET_ABSENT;
}

/* Asks each system whether the entity is one of its own now. */
static void hand_update(Managed *hand, uint32_t entity) {
  uint32_t words = (hand->profile->components + 63) / 64;
  for (uint32_t k = 0; k < hand->profile->systems; k++) {
    HandSystem *system = &hand->systems[k];
    bool satisfied = true;
    for (uint32_t word = 0; word < words; word++)
      if (system->requirements[word] & ~hand->bits[entity][word])
        satisfied = false;
    bool managed = system->places[entity] != HAND_SET_ABSENT;
    if (satisfied && !managed) system_add(system, entity);
    if (!satisfied && managed) system_remove(system, entity);
  }
}

static void hand_run(void *state, uint32_t iterations) {
  Managed *hand = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t i = 0; i < hand->size; i++) {
      hand_set_add(&hand->sets[1], i, 1, 2);
      hand->bits[i][0] |= 2;
      hand_update(hand, i);
    }
    for (uint32_t i = 0; i < hand->size; i++) {
      hand_set_remove(&hand->sets[1], i);
      hand->bits[i][0] &= ~2ull;
      hand_update(hand, i);
    }
  }
}

static uint64_t told_check(const Told *told, uint64_t hash) {
  hash = measure_mix(hash, told->entered);
  return measure_mix(measure_mix(hash, told->left), told->mixed);
}

static uint64_t hand_check(void *state) {
  Managed *hand = state;
  uint64_t hash = 0;
  for (uint32_t k = 0; k < hand->profile->systems; k++)
    hash = told_check(&hand->systems[k].told, hash);
  return hash;
}

/* Ours -------------------------------------------------------------------- */

static void our_init(Managed *ours) {
  ours->world = scene_world();
  scene_components(ours->world, "Component", ours->profile->components,
                   ours->components);
  for (uint32_t k = 0; k < ours->profile->systems; k++) {
    ecs_Query *query =
        scene_query(ours->world, &ours->components[k], 2, ECS_WITH);
    ecs_Observer observer;
    MUST(ecs_observe_query(query, ECS_ON_ENTER, &observer));
    MUST(ecs_observe_query(query, ECS_ON_LEAVE, &observer));
  }
  ours->entities = scene_allocate(ours->size, sizeof(ecs_Entity));
  scene_spawn(ours->world, ours->components, 1, ours->size, ours->entities);
}

static void our_deinit(Managed *ours) {
  ecs_world_destroy(ours->world);
  free(ours->entities);
}

/* Calls what observes. Entities follow each other in a new world. */
static void take(Managed *ours) {
  static void (*const functions[2])(Told *, uint32_t) = {enter, leave};
  while (ecs_notices_begin(ours->world) > 0) {
    ecs_Notice notice;
    while (ecs_notice_next(ours->world, &notice)) {
      uint32_t observer = notice.observer - 1;
      functions[observer % 2](&ours->told[observer / 2],
                              (uint32_t)(notice.entity - ours->entities[0]));
    }
  }
}

static void our_run(void *state, uint32_t iterations) {
  Managed *ours = state;
  const float image[] = {1, 2};
  for (uint32_t turn = 0; turn < iterations; turn++) {
    for (uint32_t i = 0; i < ours->size; i++) {
      MUST(ecs_add(ours->world, ours->entities[i], ours->components[1], image));
      take(ours);
    }
    for (uint32_t i = 0; i < ours->size; i++) {
      MUST(ecs_remove(ours->world, ours->entities[i], ours->components[1]));
      take(ours);
    }
  }
}

/* The same, recorded and taken for some entities at a time. */
static void recorded_pass(Managed *ours, bool adds) {
  const float image[] = {1, 2};
  for (uint32_t first = 0; first < ours->size; first += RECORDED) {
    uint32_t end =
        first + RECORDED < ours->size ? first + RECORDED : ours->size;
    MUST(ecs_defer_begin(ours->world));
    for (uint32_t i = first; i < end; i++)
      if (adds)
        MUST(ecs_add(ours->world, ours->entities[i], ours->components[1],
                     image));
      else
        MUST(ecs_remove(ours->world, ours->entities[i], ours->components[1]));
    MUST(ecs_defer_end(ours->world));
    take(ours);
  }
}

static void recorded_run(void *state, uint32_t iterations) {
  for (uint32_t turn = 0; turn < iterations; turn++) {
    recorded_pass(state, true);
    recorded_pass(state, false);
  }
}

static uint64_t our_check(void *state) {
  Managed *ours = state;
  uint64_t hash = 0;
  for (uint32_t k = 0; k < ours->profile->systems; k++)
    hash = told_check(&ours->told[k], hash);
  return hash;
}

/* Rows -------------------------------------------------------------------- */

static void bench(const Profile *profile, uint32_t size, bool recorded) {
  Managed *sides = scene_allocate(2, sizeof *sides);
  char name[64];
  snprintf(name, sizeof name, "told in %s%s", profile->name,
           recorded ? ", recorded" : "");
  if (measure_wanted(name)) {
    sides[0] = sides[1] =
        (Managed){.profile = profile, .size = measure_size(size)};
    hand_init(&sides[0]);
    our_init(&sides[1]);
    measure_row(
        &(MeasureRow){.name = name,
                      .order = "in order",
                      .memory = "warm",
                      .size = size,
                      .operations = 2ull * sides[0].size,
                      .hand = {&sides[0], NULL, hand_run, hand_check},
                      .ours = {&sides[1], NULL,
                               recorded ? recorded_run : our_run, our_check}});
    hand_deinit(&sides[0]);
    our_deinit(&sides[1]);
  }
  free(sides);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "systems that are told");
  for (uint32_t k = 0; k < 3; k++)
    for (uint32_t size = 10000; size <= 100000; size *= 10) {
      bench(&profiles[k], size, false);
      bench(&profiles[k], size, true);
    }
  measure_close();
  return 0;
}

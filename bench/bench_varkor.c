/* bench_varkor.c: six programs that create, change and delete entities.
 *
 * The workloads of the Varkor post on refactoring an ECS, beside the storage
 * that it describes (baseline/sparse_space.h). Four components of 6, 4, 4 and 4
 * f32. Every run begins with an empty space or world, whose components are
 * defined. A time is per entity created, and for Random per operation.
 *
 * - Create: 1,000,000 entities.
 * - Add: 500,000 entities, each with the four components.
 * - AddWriteDelete: 2,000 entities with the four components, which are then
 *   written, and the entities deleted; 300 rounds.
 * - Distributed: 2,000 entities with two of the four components, which are
 *   written and removed; then they get another pair and are deleted; 300
 *   rounds. (The post's text has one component each, its program two.)
 * - Relationship: 10 entities with 2 components, 10 children each with a third
 *   and 20 children of each with a fourth; all are written and the roots
 *   deleted with their descendants; 500 rounds. A child links to its parent by
 *   a tree of links that destroy.
 * - Random: 50,000 attempts to create an entity with random components, with a
 *   probability that falls from 1 to 0; then 100,000 times a random entity is
 *   written, or gets a random component, or loses one; then 50,000 attempts to
 *   delete a random entity, with a probability that rises from 0 to 1. Failed
 *   attempts write a random entity. 10 rounds.
 *
 * One by one: a call for every step, as the program has it. In bundles: an
 * entity of Relationship is spawned with its component and link. As families:
 * each root is spawned with its descendants by one ecs_spawn_family, and they
 * are written by queries. In bulk: what a user of the library would call where
 * many entities change alike: ecs_spawn_many, changes of lists and of all
 * matches.
 *
 * Aims of times are set beside the post's own program, which is not here: see
 * docs/report.md. The one in C is leaner.
 *
 * Memory: the most bytes held, for which the aim is the least that the post
 * says of its revisions, and the allocations of a run after its first
 * round. The checked result is that of two rounds without the last deletion. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "varkor_side.h"

/* The steps of the programs, of one storage. The programs are inlined for each
 * table of steps, so that every step is a plain call. */
typedef struct Steps {
  uint64_t (*create)(Side *side);
  void (*add)(Side *side, uint64_t entity, uint32_t part);
  void (*write)(Side *side, uint64_t entity, uint32_t part,
                const float *values);
  bool (*has)(Side *side, uint64_t entity, uint32_t part);
  void (*remove)(Side *side, uint64_t entity, uint32_t part);
  void (*relate)(Side *side, uint64_t parent, uint64_t child);
  uint64_t (*bear)(Side *side, uint64_t parent, uint32_t part); /* or NULL:
      create, add and relate */
  void (*delete)(Side *side, uint64_t entity); /* with its descendants */
  uint64_t (*allocations)(const Side *side);
} Steps;

/* The space --------------------------------------------------------------- */

static inline uint64_t hand_create(Side *side) {
  return space_create(&side->space);
}
static inline void hand_add_part(Side *side, uint64_t entity, uint32_t part) {
  space_add(&side->space, (uint32_t)entity, part + 1);
}
static inline void hand_write(Side *side, uint64_t entity, uint32_t part,
                              const float *values) {
  memcpy(space_get(&side->space, (uint32_t)entity, part + 1), values,
         field_counts[part] * sizeof(float));
}
static inline bool hand_has(Side *side, uint64_t entity, uint32_t part) {
  return space_has(&side->space, (uint32_t)entity, part + 1);
}
static inline void hand_remove(Side *side, uint64_t entity, uint32_t part) {
  space_remove(&side->space, (uint32_t)entity, part + 1);
}
static inline void hand_relate(Side *side, uint64_t parent, uint64_t child) {
  space_relate(&side->space, (uint32_t)parent, (uint32_t)child);
}
static inline void hand_delete(Side *side, uint64_t entity) {
  space_delete(&side->space, (uint32_t)entity);
}
static inline uint64_t hand_allocations(const Side *side) {
  return side->space.memory.allocations;
}

static const Steps hand_steps = {hand_create, hand_add_part, hand_write,
                                 hand_has,    hand_remove,   hand_relate,
                                 NULL,        hand_delete,   hand_allocations};

/* The world --------------------------------------------------------------- */

static inline uint64_t our_create(Side *side) {
  ecs_Entity entity;
  MUST(ecs_spawn(side->world, NULL, 0, NULL, &entity));
  return entity;
}
static inline void our_add(Side *side, uint64_t entity, uint32_t part) {
  MUST(ecs_add(side->world, entity, side->parts[part], NULL));
}
static inline void our_write(Side *side, uint64_t entity, uint32_t part,
                             const float *values) {
  MUST(ecs_set(side->world, entity, side->parts[part], values,
               (UINT64_C(1) << field_counts[part]) - 1));
}
static inline bool our_has(Side *side, uint64_t entity, uint32_t part) {
  return ecs_has(side->world, entity, side->parts[part]);
}
static inline void our_remove(Side *side, uint64_t entity, uint32_t part) {
  MUST(ecs_remove(side->world, entity, side->parts[part]));
}

static inline void our_relate(Side *side, uint64_t parent, uint64_t child) {
  MUST(ecs_add(side->world, child, side->parts[RELATIONSHIP], &parent));
}
static void our_delete(Side *side, uint64_t entity) {
  MUST(ecs_destroy(side->world, entity));
}

static inline uint64_t our_allocations(const Side *side) { return side->calls; }

static const Steps our_steps = {our_create, our_add,    our_write,
                                our_has,    our_remove, our_relate,
                                NULL,       our_delete, our_allocations};

static inline uint64_t our_bear(Side *side, uint64_t parent, uint32_t part) {
  const void *const values[2] = {NULL, &parent};
  ecs_Entity child;
  MUST(ecs_spawn_bundle(side->world, side->children[part], values, &child));
  return child;
}

static const Steps bundle_steps = {our_create, our_add,    our_write,
                                   our_has,    our_remove, our_relate,
                                   our_bear,   our_delete, our_allocations};

/* The programs ------------------------------------------------------------ */

#define INLINED static inline __attribute__((always_inline))

/* Values for a part of the entity with this number. */
INLINED void values_of(float *values, uint32_t number, uint32_t part) {
  for (uint32_t f = 0; f < MOST_FIELDS; f++)
    values[f] = (float)(int32_t)((number & 1023u) + part * 8 + f);
}

INLINED void write_part(const Steps *steps, Side *side, uint64_t entity,
                        uint32_t part, uint32_t number) {
  float values[MOST_FIELDS];
  values_of(values, number, part);
  steps->write(side, entity, part, values);
}

INLINED void delete_all(const Steps *steps, Side *side) {
  for (uint32_t k = 0; k < side->count; k++)
    steps->delete (side, side->entities[k]);
}

/* All entities of a round with the four parts. */
INLINED void add_round(const Steps *steps, Side *side) {
  side->count = side->size;
  for (uint32_t k = 0; k < side->size; k++) {
    uint64_t entity = side->entities[k] = steps->create(side);
    for (uint32_t part = 0; part < PARTS; part++)
      steps->add(side, entity, part);
  }
}

INLINED void create_round(const Steps *steps, Side *side) {
  for (uint32_t k = 0; k < side->size; k++) steps->create(side);
}

INLINED void write_round(const Steps *steps, Side *side) {
  for (uint32_t k = 0; k < side->size; k++)
    for (uint32_t part = 0; part < PARTS; part++)
      write_part(steps, side, side->entities[k], part, k);
}

INLINED void distributed_round(const Steps *steps, Side *side) {
  side->count = side->size;
  for (uint32_t k = 0; k < side->size; k++) {
    side->entities[k] = steps->create(side);
    steps->add(side, side->entities[k], k % PARTS);
    steps->add(side, side->entities[k], second_of(k));
  }
  for (uint32_t k = 0; k < side->size; k++) {
    write_part(steps, side, side->entities[k], k % PARTS, k);
    write_part(steps, side, side->entities[k], second_of(k), k);
  }
  for (uint32_t k = 0; k < side->size; k++) {
    steps->remove(side, side->entities[k], k % PARTS);
    steps->remove(side, side->entities[k], second_of(k));
  }
  for (uint32_t k = side->size; k-- > 0;) {
    steps->add(side, side->entities[k], (k + 1) % PARTS);
    steps->add(side, side->entities[k], second_of(k + 1));
  }
}

/* A child with one part, which is written later. */
INLINED uint64_t make_child(const Steps *steps, Side *side, uint64_t parent,
                            uint32_t part) {
  if (steps->bear != NULL) return steps->bear(side, parent, part);
  uint64_t child = steps->create(side);
  steps->add(side, child, part);
  steps->relate(side, parent, child);
  return child;
}

INLINED void make_family(const Steps *steps, Side *side, uint64_t *family) {
  uint32_t made = 0;
  family[made++] = steps->create(side);
  steps->add(side, family[0], 0);
  steps->add(side, family[0], 1);
  for (uint32_t child = 0; child < CHILDREN; child++) {
    uint64_t parent = family[made++] = make_child(steps, side, family[0], 2);
    for (uint32_t k = 0; k < GRANDCHILDREN; k++)
      family[made++] = make_child(steps, side, parent, 3);
  }
}

INLINED void write_family(const Steps *steps, Side *side,
                          const uint64_t *family) {
  uint32_t number = 0;
  write_part(steps, side, family[number], 0, number);
  write_part(steps, side, family[number], 1, number);
  for (number = 1; number < FAMILY; number++) {
    bool is_child = (number - 1) % (1 + GRANDCHILDREN) == 0;
    write_part(steps, side, family[number], is_child ? 2 : 3, number);
  }
}

/* size roots; entities lists them, and behind them each family. */
INLINED void relationship_round(const Steps *steps, Side *side) {
  uint64_t *families = side->entities + side->size;
  side->count = side->size;
  for (uint32_t k = 0; k < side->size; k++) {
    make_family(steps, side, families + k * FAMILY);
    side->entities[k] = families[k * FAMILY];
  }
  for (uint32_t k = 0; k < side->size; k++)
    write_family(steps, side, families + k * FAMILY);
}

INLINED uint32_t below(uint64_t *seed, uint32_t limit) {
  return (uint32_t)(measure_random(seed) >> 32) % limit;
}

INLINED void write_random(const Steps *steps, Side *side, uint64_t *seed) {
  if (side->count == 0) return;
  uint64_t entity = side->entities[below(seed, side->count)];
  uint32_t number = below(seed, 1000);
  for (uint32_t part = 0; part < PARTS; part++)
    if (steps->has(side, entity, part))
      write_part(steps, side, entity, part, number);
}

INLINED void create_random(const Steps *steps, Side *side, uint64_t *seed) {
  uint64_t entity = side->entities[side->count++] = steps->create(side);
  uint32_t mask = below(seed, 1u << PARTS);
  for (uint32_t part = 0; part < PARTS; part++)
    if (mask >> part & 1) steps->add(side, entity, part);
}

INLINED void change_random(const Steps *steps, Side *side, uint64_t *seed) {
  uint32_t way = below(seed, 3);
  if (way == 0 || side->count == 0) {
    write_random(steps, side, seed);
    return;
  }
  uint64_t entity = side->entities[below(seed, side->count)];
  uint32_t part = below(seed, PARTS);
  bool present = steps->has(side, entity, part);
  if (way == 1 && !present) steps->add(side, entity, part);
  if (way == 2 && present) steps->remove(side, entity, part);
}

INLINED void delete_random(const Steps *steps, Side *side, uint64_t *seed) {
  if (side->count == 0) return;
  uint32_t k = below(seed, side->count);
  steps->delete (side, side->entities[k]);
  side->entities[k] = side->entities[--side->count];
}

INLINED void random_round(const Steps *steps, Side *side, uint64_t *seed) {
  for (uint32_t k = 0; k < side->size; k++) {
    if (below(seed, side->size) >= k)
      create_random(steps, side, seed);
    else
      write_random(steps, side, seed);
  }
  for (uint32_t k = 0; k < 2 * side->size; k++)
    change_random(steps, side, seed);
  for (uint32_t k = 0; k < side->size; k++) {
    if (below(seed, side->size) < k)
      delete_random(steps, side, seed);
    else
      write_random(steps, side, seed);
  }
}

INLINED void run_program(const Steps *steps, Side *side) {
  uint64_t seed = 21;
  side->count = 0;
  for (uint32_t round = 0; round < side->rounds; round++) {
    switch (side->program) {
      case CREATE: create_round(steps, side); break;
      case ADD: add_round(steps, side); break;
      case ADD_WRITE_DELETE:
        add_round(steps, side);
        write_round(steps, side);
        break;
      case DISTRIBUTED: distributed_round(steps, side); break;
      case RELATIONSHIPS: relationship_round(steps, side); break;
      default: random_round(steps, side, &seed); break;
    }
    bool kept = side->program <= ADD || side->program == RANDOM;
    if (!kept && deletes(side, round)) delete_all(steps, side);
    if (round == 0) side->later = steps->allocations(side);
  }
}

static void hand_run(void *state, uint32_t iterations) {
  (void)iterations; /* 1, because there is a preparation */
  run_program(&hand_steps, state);
}

static void our_run(void *state, uint32_t iterations) {
  (void)iterations;
  run_program(&our_steps, state);
}

static void bundle_run(void *state, uint32_t iterations) {
  (void)iterations;
  run_program(&bundle_steps, state);
}

static void family_run(void *state, uint32_t iterations) {
  (void)iterations;
  side_run_families(state);
}

static void bulk_run(void *state, uint32_t iterations) {
  (void)iterations;
  side_run_in_bulk(state);
}

/* Sides ------------------------------------------------------------------- */

static void hand_prepare(void *state) {
  Side *side = state;
  space_deinit(&side->space);
  scene_cool();
  side_make_space(side);
}

static void our_prepare(void *state) {
  Side *side = state;
  ecs_world_destroy(side->world);
  side->calls = 0;
  scene_cool();
  side_make_world(side);
}

/* Runs two rounds that keep their last entities, and hashes their values. */
static uint64_t hand_check(void *state) {
  Side *side = state, brief = *side;
  uint64_t hash;
  if (brief.rounds > 2) brief.rounds = 2;
  brief.keeps = true;
  side_make_space(&brief);
  run_program(&hand_steps, &brief);
  hash = brief.space.members.usage;
  for (uint32_t part = 0; part < PARTS; part++)
    hash = measure_mix(hash, space_hash(&brief.space, part + 1));
  space_deinit(&brief.space);
  return hash;
}

static uint64_t check_with(void *state,
                           void (*run)(void *state, uint32_t iterations)) {
  Side *side = state, brief = *side;
  uint64_t hash;
  if (brief.rounds > 2) brief.rounds = 2;
  brief.keeps = true;
  side_make_world(&brief);
  run(&brief, 1);
  hash = scene_count(brief.everything);
  for (uint32_t part = 0; part < PARTS; part++)
    hash = measure_mix(hash, scene_hash(brief.queries[part]));
  ecs_world_destroy(brief.world);
  return hash;
}

static uint64_t our_check(void *state) { return check_with(state, our_run); }
static uint64_t bundle_check(void *state) {
  return check_with(state, bundle_run);
}
static uint64_t family_check(void *state) {
  return check_with(state, family_run);
}
static uint64_t bulk_check(void *state) { return check_with(state, bulk_run); }

/* Rows -------------------------------------------------------------------- */

typedef struct Case {
  const char *name;
  uint32_t size, rounds;
  bool bulk;        /* there is a form in bulk */
  double kilobytes; /* most memory held, as the post says */
} Case;

static const Case cases[PROGRAMS] = {
    {"Create", 1000000, 1, true, 17500},
    {"Add", 500000, 1, true, 81500},
    {"AddWriteDelete", 2000, 300, true, 330.74},
    {"Distributed", 2000, 300, true, 234.08},
    {"Relationship", 10, 500, false, 348.59},
    {"Random", 50000, 10, false, 4000.45}};

static void side_init(Side *side, Program program) {
  *side = (Side){.program = program,
                 .size = measure_size(cases[program].size),
                 .rounds = measure_size(cases[program].rounds)};
  uint32_t each = program == RELATIONSHIPS ? 1 + FAMILY : 1;
  side->entities =
      scene_allocate((size_t)side->size * each, sizeof *side->entities);
}

static void side_deinit(Side *side) {
  space_deinit(&side->space);
  ecs_world_destroy(side->world);
  free(side->entities);
}

#define RELATED_CALLS \
  20 /* allocations of Relationship at most, after a round */

/* The most bytes held, and allocations in and after the first round. */
static void memory_rows(const char *name, const Side *hand, const Side *ours) {
  ecs_Statistics statistics;
  const SpaceMemory *memory = &hand->space.memory;
  char text[96];
  ecs_world_statistics(ours->world, &statistics);
  snprintf(text, sizeof text, "%s, peak memory by hand", name);
  measure_value(text, "most held", hand->size, "KB",
                (double)memory->peak_bytes / 1000, 0);
  snprintf(text, sizeof text, "%s, peak memory", name);
  measure_value(text, "most held", hand->size, "KB",
                (double)statistics.peak_bytes / 1000,
                cases[ours->program].kilobytes);
  snprintf(text, sizeof text, "%s, allocations", name);
  measure_value(text, "first round, by hand", hand->size, "calls",
                (double)hand->later, 0);
  measure_value(text, "later, by hand", hand->size, "calls",
                (double)(memory->allocations - hand->later), 0);
  measure_value(text, "first round", hand->size, "calls", (double)ours->later,
                0);
  measure_value(text, "later", hand->size, "calls",
                (double)(ours->calls - ours->later),
                ours->program == RELATIONSHIPS ? RELATED_CALLS : 0);
}

/* How our side runs a program. */
typedef struct Way {
  const char *name;
  void (*run)(void *state, uint32_t iterations);
  uint64_t (*check)(void *state);
} Way;

static const Way one_by_one = {"one by one", our_run, our_check};
static const Way in_bundles = {"in bundles", bundle_run, bundle_check};
static const Way as_families = {"as families", family_run, family_check};
static const Way in_bulk = {"in bulk", bulk_run, bulk_check};

static void bench(Program program, const Way *way) {
  const Case *what = &cases[program];
  char name[64];
  snprintf(name, sizeof name, "%s, %s", what->name, way->name);
  if (!measure_wanted(name)) return;
  Side hand, ours;
  side_init(&hand, program);
  side_init(&ours, program);
  uint64_t each = program == RELATIONSHIPS ? FAMILY : program == RANDOM ? 4 : 1;
  measure_row(
      &(MeasureRow){.name = name,
                    .order = program == RANDOM ? "random" : "in order",
                    .memory = "cold",
                    .size = what->size,
                    .most = 11,
                    .operations = each * hand.size * hand.rounds,
                    .hand = {&hand, hand_prepare, hand_run, hand_check},
                    .ours = {&ours, our_prepare, way->run, way->check}});
  if (hand.space.table_count > 0 && ours.world != NULL)
    memory_rows(name, &hand, &ours);
  side_deinit(&hand);
  side_deinit(&ours);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "varkor");
  for (Program program = CREATE; program < PROGRAMS; program++) {
    bench(program, &one_by_one);
    if (program == RELATIONSHIPS) bench(program, &in_bundles);
    if (program == RELATIONSHIPS) bench(program, &as_families);
    if (cases[program].bulk) bench(program, &in_bulk);
  }
  measure_close();
  return 0;
}

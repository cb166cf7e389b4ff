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
 *   deleted with their descendants; 500 rounds. Children are a list linked by
 *   fields of type entity, because the library has no hierarchy.
 * - Random: 50,000 attempts to create an entity with random components, with a
 *   probability that falls from 1 to 0; then 100,000 times a random entity is
 *   written, or gets a random component, or loses one; then 50,000 attempts to
 *   delete a random entity, with a probability that rises from 0 to 1. Failed
 *   attempts write a random entity. 10 rounds.
 *
 * One by one: a call for every step, as the program has it. In bulk: what a
 * user of the library would call where many entities change alike:
 * ecs_spawn_many, changes of lists and of all matches.
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

#include "baseline/sparse_space.h"
#include "scene.h"

#define PARTS 4u
#define RELATIONSHIP PARTS /* the number of that component in a world */
#define MOST_FIELDS 6u

static const uint32_t field_counts[PARTS] = {6, 4, 4, 4};

typedef enum Program {
  CREATE,
  ADD,
  ADD_WRITE_DELETE,
  DISTRIBUTED,
  RELATIONSHIPS,
  RANDOM,
  PROGRAMS
} Program;

/* A side. entities has room for those of a round. */
typedef struct Side {
  SparseSpace space;
  ecs_World *world;
  ecs_Component parts[PARTS + 1];
  ecs_Bundle all, pairs[PARTS]; /* of all parts; of k and second_of(k) */
  ecs_Query *queries[PARTS];
  ecs_Query *everything;
  uint64_t *entities;
  uint32_t count; /* of them */
  uint32_t size, rounds;
  uint64_t later; /* allocations when the first round had ended */
  uint64_t calls; /* allocations of the world so far */
  bool keeps;     /* the last round does not delete */
  Program program;
} Side;

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

static const Steps hand_steps = {hand_create, hand_add_part,   hand_write,
                                 hand_has,    hand_remove,     hand_relate,
                                 hand_delete, hand_allocations};

/* The world --------------------------------------------------------------- */

/* The fields of a relationship. */
typedef struct Family {
  ecs_Entity first; /* child; 0: none */
  ecs_Entity next;  /* sibling; 0: none */
} Family;

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

/* The child becomes the first one. */
static inline void our_relate(Side *side, uint64_t parent, uint64_t child) {
  ecs_Component relationship = side->parts[RELATIONSHIP];
  Family of_parent = {0, 0}, of_child = {0, 0};
  if (ecs_get(side->world, parent, relationship, &of_parent) != ECS_OK)
    MUST(ecs_add(side->world, parent, relationship, NULL));
  of_child.next = of_parent.first;
  MUST(ecs_add(side->world, child, relationship, &of_child));
  of_parent.first = child;
  MUST(ecs_set(side->world, parent, relationship, &of_parent, 1));
}

static void our_delete(Side *side, uint64_t entity) {
  Family family = {0, 0};
  ecs_Component relationship = side->parts[RELATIONSHIP];
  if (side->program == RELATIONSHIPS)
    MUST(ecs_get(side->world, entity, relationship, &family));
  for (ecs_Entity child = family.first; child != 0; child = family.next) {
    MUST(ecs_get(side->world, child, relationship, &family));
    our_delete(side, child);
  }
  MUST(ecs_destroy(side->world, entity));
}

static inline uint64_t our_allocations(const Side *side) { return side->calls; }

static const Steps our_steps = {our_create, our_add,        our_write,
                                our_has,    our_remove,     our_relate,
                                our_delete, our_allocations};

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

INLINED bool deletes(const Side *side, uint32_t round) {
  return !side->keeps || round + 1 < side->rounds;
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

/* The second part of the pair of entity number k; the first is k % PARTS. */
INLINED uint32_t second_of(uint32_t k) { return (k + PARTS - 1) % PARTS; }

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
  uint64_t child = steps->create(side);
  steps->add(side, child, part);
  steps->relate(side, parent, child);
  return child;
}

#define CHILDREN 10u
#define GRANDCHILDREN 20u
#define FAMILY (1 + CHILDREN * (1 + GRANDCHILDREN)) /* entities */

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

/* In bulk ----------------------------------------------------------------- */

/* Spawns count entities of a bundle with default values, and lists them. */
static void spawn_batch(Side *side, ecs_Bundle bundle, uint32_t count,
                        uint64_t *entities) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_spawn_many(side->world, bundle, count, &cursor));
  while (ecs_cursor_next(&cursor, &batch)) {
    memcpy(entities, batch.entities, batch.count * sizeof *entities);
    entities += batch.count;
  }
  MUST(ecs_cursor_end(&cursor));
}

/* Writes a part of all that have it, in order; the tables of a world follow in
 * the order of their bundles. Rows of table t have the numbers firsts[t],
 * firsts[t] + step ... */
static void write_batch(Side *side, uint32_t part, const uint32_t *firsts,
                        uint32_t step) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_query_begin(side->queries[part], ECS_BATCH_WHOLE, &cursor));
  for (; ecs_cursor_next(&cursor, &batch); firsts++)
    for (uint32_t f = 0; f < batch.column_count; f++)
      for (uint32_t row = 0; row < batch.count; row++)
        ((float *)batch.columns[f])[row] =
            (float)(int32_t)(((*firsts + row * step) & 1023u) + part * 8 + f);
  MUST(ecs_cursor_end(&cursor));
}

/* A part is in two pairs: its own and the next one's. */
static void write_pairs(Side *side) {
  for (uint32_t part = 0; part < PARTS; part++) {
    uint32_t next = (part + 1) % PARTS;
    uint32_t firsts[2] = {part < next ? part : next, part < next ? next : part};
    write_batch(side, part, firsts, PARTS);
  }
}

static void bulk_distributed(Side *side) {
  uint32_t starts[PARTS], counts[PARTS], first = 0;
  for (uint32_t k = 0; k < PARTS; k++) {
    counts[k] = (side->size + PARTS - 1 - k) / PARTS;
    starts[k] = first;
    spawn_batch(side, side->pairs[k], counts[k], side->entities + first);
    first += counts[k];
  }
  write_pairs(side);
  for (uint32_t part = 0; part < PARTS; part++)
    MUST(ecs_query_remove_all(side->queries[part], side->parts[part]));
  for (uint32_t k = 0; k < PARTS; k++)
    for (uint32_t add = 0; add < 2; add++)
      MUST(ecs_add_many(side->world, side->entities + starts[k], counts[k],
                        side->parts[(k + 1 - add) % PARTS], NULL, NULL));
}

static void bulk_run(void *state, uint32_t iterations) {
  Side *side = state;
  (void)iterations;
  for (uint32_t round = 0; round < side->rounds; round++) {
    if (side->program == DISTRIBUTED)
      bulk_distributed(side);
    else
      spawn_batch(side, side->all, side->size, side->entities);
    if (side->program == ADD_WRITE_DELETE)
      for (uint32_t part = 0; part < PARTS; part++)
        write_batch(side, part, &(uint32_t){0}, 1);
    if (side->program > ADD && deletes(side, round))
      MUST(ecs_query_destroy_all(side->everything));
    if (round == 0) side->later = side->calls;
  }
}

/* Sides ------------------------------------------------------------------- */

/* Counts the calls that get memory. */
static void *counting_resize(void *user, void *block, size_t old_bytes,
                             size_t new_bytes) {
  (void)old_bytes;
  if (new_bytes == 0) {
    free(block);
    return NULL;
  }
  ((Side *)user)->calls++;
  return realloc(block, new_bytes);
}

static void make_space(Side *side) {
  SpaceType types[PARTS];
  for (uint32_t part = 0; part < PARTS; part++)
    types[part] =
        (SpaceType){part + 1, field_counts[part] * (uint32_t)sizeof(float),
                    space_construct_zeros};
  space_init(&side->space, types, PARTS);
}

static ecs_Component family_component(ecs_World *world) {
  const ecs_Field fields[] = {{.name = "first", .type = ECS_ENTITY},
                              {.name = "next", .type = ECS_ENTITY}};
  const ecs_ComponentDescription description = {
      .name = "Family", .fields = fields, .field_count = 2};
  ecs_Component component = 0;
  MUST(ecs_component(world, &description, &component));
  return component;
}

static void make_world(Side *side) {
  static const char *const names[PARTS] = {"A", "B", "C", "D"};
  const ecs_WorldDescription description = {.memory = {counting_resize, side}};
  MUST(ecs_world_create(&description, &side->world));
  ecs_World *world = side->world;
  for (uint32_t part = 0; part < PARTS; part++) {
    side->parts[part] = scene_component(world, names[part], field_counts[part],
                                        ECS_STORE_TABLE);
    side->queries[part] = scene_query(world, &side->parts[part], 1, ECS_WRITE);
  }
  for (uint32_t k = 0; k < PARTS; k++) {
    const ecs_Component pair[] = {side->parts[k], side->parts[second_of(k)]};
    MUST(ecs_bundle(world, pair, 2, &side->pairs[k]));
  }
  side->parts[RELATIONSHIP] = family_component(world);
  MUST(ecs_bundle(world, side->parts, side->program == CREATE ? 0 : PARTS,
                  &side->all));
  MUST(ecs_query_create(world, NULL, 0, &side->everything));
}

static void hand_prepare(void *state) {
  Side *side = state;
  space_deinit(&side->space);
  scene_cool();
  make_space(side);
}

static void our_prepare(void *state) {
  Side *side = state;
  ecs_world_destroy(side->world);
  side->calls = 0;
  scene_cool();
  make_world(side);
}

/* Runs two rounds that keep their last entities, and hashes their values. */
static uint64_t hand_check(void *state) {
  Side *side = state, brief = *side;
  uint64_t hash;
  if (brief.rounds > 2) brief.rounds = 2;
  brief.keeps = true;
  make_space(&brief);
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
  make_world(&brief);
  run(&brief, 1);
  hash = scene_count(brief.everything);
  for (uint32_t part = 0; part < PARTS; part++)
    hash = measure_mix(hash, scene_hash(brief.queries[part]));
  ecs_world_destroy(brief.world);
  return hash;
}

static uint64_t our_check(void *state) { return check_with(state, our_run); }
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
                (double)(ours->calls - ours->later), 0);
}

static void bench(Program program, bool bulk) {
  const Case *what = &cases[program];
  char name[64];
  snprintf(name, sizeof name, "%s, %s", what->name,
           bulk ? "in bulk" : "one by one");
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
                    .ours = {&ours, our_prepare, bulk ? bulk_run : our_run,
                             bulk ? bulk_check : our_check}});
  if (hand.space.table_count > 0 && ours.world != NULL)
    memory_rows(name, &hand, &ours);
  side_deinit(&hand);
  side_deinit(&ours);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "varkor");
  for (Program program = CREATE; program < PROGRAMS; program++) {
    bench(program, false);
    if (cases[program].bulk) bench(program, true);
  }
  measure_close();
  return 0;
}

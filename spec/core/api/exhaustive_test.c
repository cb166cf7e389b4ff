/* exhaustive_test.c: every short sequence of changes to three entities.
 *
 * There is a component of the main group and one stored apart. A step adds or
 * removes one of them, destroys an entity, or spawns it again. All sequences of
 * eight steps are made. After every step the world is compared with three plain
 * records. Every value holds its entity and the step that wrote it:
 *
 *      e1: +A      e2: +A +B      e1: destroy      e1: spawn      ...
 *
 * Two rules keep the number down without leaving anything out. A step without
 * effect is tried and checked in every world, but no sequence continues from
 * it. Entities without any step so far are alike, so the next entity is always
 * the first of them. 2,198,478 sequences remain.
 *
 * A second test makes every sequence of changes to two entities, steps without
 * effect included, inside one deferral.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_case.h"
#include "ecs.h"

#define ENTITIES 3u
#if defined(ECS_TINY)
#define LENGTH 6u
#define LENGTH_DEFERRED 4u
#define SEQUENCES_PER_WORLD 1u /* its generations are soon used up */
#elif defined(__SANITIZE_ADDRESS__)
#define LENGTH 7u
#define LENGTH_DEFERRED 4u
#define SEQUENCES_PER_WORLD 500u
#else
#define LENGTH 8u
#define LENGTH_DEFERRED 5u
#define SEQUENCES_PER_WORLD 500u
#endif

/* How many sequences of a length there are; a formula of their own gave them:
 * f(state, n) is the sum of f over the states that one step leads to. */
static const uint32_t sequence_counts[] = {1,    3,     16,     107,    770,
                                           5639, 41316, 301815, 2198478};

typedef enum Kind {
  ADD_A,
  ADD_B,
  REMOVE_A,
  REMOVE_B,
  DESTROY,
  SPAWN,
  SET_A,
  SET_B
} Kind;

typedef struct Step {
  Kind kind;
  uint32_t entity;
} Step;

/* A plain record of an entity. */
typedef struct Naive {
  ecs_Entity handle;
  ecs_Entity dead; /* the handle it had before */
  bool alive;
  bool has[2];
  double value[2];
} Naive;

typedef struct Bench {
  ecs_World *world;
  ecs_Component components[2]; /* A, B */
  ecs_Query *both, *only_a;
  Naive entities[ENTITIES];
  Step steps[LENGTH];
  uint32_t made;      /* sequences, in all */
  uint32_t in_world;  /* since the world was made */
  uint32_t unchecked; /* this many steps were checked in the sequence before */
} Bench;

static void must(ecs_Status status) {
  if (status != ECS_OK) fail_msg("%s", ecs_status_name(status));
}

static _Noreturn void fail_here(const Bench *bench, uint32_t step,
                                const char *what) {
  static const char *const names[] = {"+A",      "+B",    "-A", "-B",
                                      "destroy", "spawn", "=A", "=B"};
  for (uint32_t i = 0; i <= step && i < LENGTH; i++)
    printf("e%u %s, ", bench->steps[i].entity + 1, names[bench->steps[i].kind]);
  printf("then: %s\n", what);
  fail_msg("a sequence of %u steps", step + 1);
  abort();
}

/* Worlds ------------------------------------------------------------------ */

static void make_world(Bench *bench, ecs_Storage second) {
  const ecs_Field a[] = {{"entity", ECS_U32, 0}, {"step", ECS_U16, 0}};
  const ecs_Field b[] = {{"value", ECS_F64, 0}};
  const ecs_ComponentDescription first = {
      .name = "A", .fields = a, .field_count = 2};
  const ecs_ComponentDescription other = {
      .name = "B", .fields = b, .field_count = 1, .storage = second};
  must(ecs_world_create(NULL, &bench->world));
  must(ecs_component(bench->world, &first, &bench->components[0]));
  must(ecs_component(bench->world, &other, &bench->components[1]));
  const ecs_Term both[] = {{bench->components[0], ECS_READ},
                           {bench->components[1], ECS_READ}};
  const ecs_Term only_a[] = {{bench->components[0], ECS_READ},
                             {bench->components[1], ECS_WITHOUT}};
  must(ecs_query_create(bench->world, both, 2, &bench->both));
  must(ecs_query_create(bench->world, only_a, 2, &bench->only_a));
  bench->in_world = 0;
}

static void spawn(Bench *bench, uint32_t at) {
  Naive *entity = &bench->entities[at];
  const ecs_Entity dead = entity->handle;
  must(ecs_spawn(bench->world, NULL, 0, NULL, &entity->handle));
  *entity = (Naive){.handle = entity->handle, .dead = dead, .alive = true};
}

/* Three entities without components. Now and then in a new world; otherwise in
 * the same one, cleared with all three alive, so that it issues the same
 * indices in the same order again. */
static void begin(Bench *bench, ecs_Storage second) {
  if (bench->world != NULL && bench->in_world >= SEQUENCES_PER_WORLD) {
    ecs_world_destroy(bench->world);
    bench->world = NULL;
  }
  if (bench->world == NULL) {
    make_world(bench, second);
  } else {
    for (uint32_t i = 0; i < ENTITIES; i++)
      if (!bench->entities[i].alive) spawn(bench, i);
    must(ecs_world_clear(bench->world));
  }
  memset(bench->entities, 0, sizeof bench->entities);
  for (uint32_t i = 0; i < ENTITIES; i++) spawn(bench, i);
  bench->in_world++;
  bench->made++;
}

/* Steps ------------------------------------------------------------------- */

typedef struct ImageA {
  uint32_t entity;
  uint16_t step;
} ImageA;

/* The value of A.entity and of B; A.step holds the step of both. */
static double value_of(uint32_t entity, uint32_t step) {
  return (entity + 1) * 1000 + step;
}

static ecs_Status add(Bench *bench, uint32_t at, uint32_t which, uint32_t step,
                      bool set) {
  Naive *entity = &bench->entities[at];
  const ImageA a = {(uint32_t)value_of(at, step), (uint16_t)step};
  const double b = value_of(at, step);
  const void *image = which == 0 ? (const void *)&a : (const void *)&b;
  if (entity->alive && (set || !entity->has[which])) {
    entity->has[which] = true;
    entity->value[which] = b;
  }
  return set ? ecs_set(bench->world, entity->handle, bench->components[which],
                       image, UINT64_MAX)
             : ecs_add(bench->world, entity->handle, bench->components[which],
                       image);
}

static ecs_Status take(Bench *bench, uint32_t at, uint32_t which) {
  Naive *entity = &bench->entities[at];
  entity->has[which] = false;
  return ecs_remove(bench->world, entity->handle, bench->components[which]);
}

static ecs_Status make_step(Bench *bench, Step step, uint32_t number) {
  Naive *entity = &bench->entities[step.entity];
  switch (step.kind) {
    case ADD_A:
    case ADD_B:
      return add(bench, step.entity, step.kind == ADD_B, number, false);
    case SET_A:
    case SET_B:
      return add(bench, step.entity, step.kind == SET_B, number, true);
    case REMOVE_A:
    case REMOVE_B: return take(bench, step.entity, step.kind == REMOVE_B);
    case DESTROY:
      entity->alive = entity->has[0] = entity->has[1] = false;
      return ecs_destroy(bench->world, entity->handle);
    default: spawn(bench, step.entity); return ECS_OK;
  }
}

/* Checking ---------------------------------------------------------------- */

static bool entity_agrees(const Bench *bench, const Naive *entity) {
  const ecs_World *world = bench->world;
  double owner = 0, step = 0, value = 0;
  if (ecs_alive(world, entity->handle) != entity->alive ||
      ecs_alive(world, entity->dead) ||
      ecs_has(world, entity->handle, bench->components[0]) != entity->has[0] ||
      ecs_has(world, entity->handle, bench->components[1]) != entity->has[1])
    return false;
  if (entity->has[0] &&
      (ecs_get_field(world, entity->handle, bench->components[0], 0, &owner) !=
           ECS_OK ||
       ecs_get_field(world, entity->handle, bench->components[0], 1, &step) !=
           ECS_OK ||
       owner != entity->value[0] || (uint32_t)owner % 1000 != (uint32_t)step))
    return false;
  return !entity->has[1] ||
         (ecs_get_field(world, entity->handle, bench->components[1], 0,
                        &value) == ECS_OK &&
          value == entity->value[1]);
}

static void check_entities(const Bench *bench, uint32_t step) {
  for (uint32_t i = 0; i < ENTITIES; i++) {
    if (!entity_agrees(bench, &bench->entities[i]))
      fail_here(bench, step, "an entity differs");
  }
}

static void check_queries(const Bench *bench, uint32_t step) {
  uint64_t both = 0, only_a = 0;
  uint32_t expect_both = 0, expect_a = 0;
  for (uint32_t i = 0; i < ENTITIES; i++) {
    expect_both += bench->entities[i].has[0] && bench->entities[i].has[1];
    expect_a += bench->entities[i].has[0] && !bench->entities[i].has[1];
  }
  must(ecs_query_count(bench->both, &both));
  must(ecs_query_count(bench->only_a, &only_a));
  if (both != expect_both || only_a != expect_a)
    fail_here(bench, step, "a query counts wrong");
}

/* Steps that must have no effect here: what is there is added again, what is
 * not is removed, the dead are changed. */
static void check_idle(Bench *bench, uint32_t step) {
  for (uint32_t i = 0; i < ENTITIES; i++) {
    Naive *entity = &bench->entities[i];
    const ecs_Status expected = entity->alive ? ECS_OK : ECS_E_DEAD;
    for (uint32_t c = 0; c < 2; c++) {
      const ecs_Status status =
          entity->has[c] || !entity->alive
              ? ecs_add(bench->world, entity->handle, bench->components[c],
                        NULL)
              : ecs_remove(bench->world, entity->handle, bench->components[c]);
      if (status != expected) fail_here(bench, step, "an idle step's status");
    }
    if (!entity->alive &&
        ecs_destroy(bench->world, entity->handle) != ECS_E_DEAD)
      fail_here(bench, step, "destroyed twice");
  }
  check_entities(bench, step);
}

/* Every sequence ---------------------------------------------------------- */

/* Makes the whole sequence from the start; the steps that it shares with the
 * previous sequence were checked there. */
static void run_sequence(Bench *bench, ecs_Storage second, uint32_t length) {
  begin(bench, second);
  for (uint32_t i = 0; i < length; i++) {
    if (make_step(bench, bench->steps[i], i) != ECS_OK)
      fail_here(bench, i, "a step's status");
    if (i < bench->unchecked) continue;
    check_entities(bench, i);
    check_idle(bench, i);
    if (i % 2 == 1) check_queries(bench, i);
  }
  bench->unchecked = length;
}

/* The state of an entity, as far as it matters to the next steps. */
typedef struct Shape {
  bool alive, has[2];
} Shape;

static void go_on(Bench *bench, ecs_Storage second, uint32_t at,
                  uint32_t length, const Shape *shapes, uint32_t touched) {
  if (at == length) {
    run_sequence(bench, second, length);
    return;
  }
  for (uint32_t e = 0; e < ENTITIES && e <= touched; e++) {
    for (Kind kind = ADD_A; kind <= SPAWN; kind++) {
      Shape next[ENTITIES];
      Shape *shape = &next[e];
      memcpy(next, shapes, sizeof next);
      if ((kind == SPAWN) == shape->alive) continue;
      if (kind <= ADD_B && shape->has[kind - ADD_A]) continue;
      if ((kind == REMOVE_A || kind == REMOVE_B) &&
          !shape->has[kind - REMOVE_A])
        continue;
      if (kind <= ADD_B) shape->has[kind - ADD_A] = true;
      if (kind == REMOVE_A || kind == REMOVE_B)
        shape->has[kind - REMOVE_A] = false;
      if (kind >= DESTROY) *shape = (Shape){.alive = kind == SPAWN};
      bench->steps[at] = (Step){kind, e};
      if (bench->unchecked > at) bench->unchecked = at;
      go_on(bench, second, at + 1, length, next,
            e == touched ? touched + 1 : touched);
    }
  }
}

static uint32_t try_all(ecs_Storage second, uint32_t length) {
  static Bench bench;
  const Shape fresh[ENTITIES] = {
      {.alive = true}, {.alive = true}, {.alive = true}};
  memset(&bench, 0, sizeof bench);
  go_on(&bench, second, 0, length, fresh, 0);
  ecs_world_destroy(bench.world);
  return bench.made;
}

/* With ECS_TEST_SHORT in the environment, sequences are a step shorter: there
 * are a sixth as many. */
static uint32_t longest(void) {
  return getenv("ECS_TEST_SHORT") != NULL ? LENGTH - 1 : LENGTH;
}

TEST(every_sequence_ends_as_the_naive_one_stored_apart) {
  const uint32_t made = try_all(ECS_STORE_SPARSE, longest());
  printf("%u sequences of %u steps\n", made, longest());
  assert_int_equal(made, sequence_counts[longest()]);
}

TEST(every_sequence_ends_as_the_naive_one_stored_together) {
  const uint32_t made = try_all(ECS_STORE_TABLE, LENGTH - 1);
  printf("%u sequences of %u steps\n", made, LENGTH - 1);
  assert_int_equal(made, sequence_counts[LENGTH - 1]);
}

/* Deferred ---------------------------------------------------------------- */

/* The result of making each step at once, in the records alone; a dead entity
 * stays dead. The first entity begins with components. */
static void begin_deferred(Bench *bench, uint32_t from) {
  begin(bench, ECS_STORE_SPARSE);
  for (uint32_t c = 0; c < 2; c++)
    if (from >> c & 1) must(add(bench, 0, c, 100, false));
  must(ecs_defer_begin(bench->world));
}

/* Statuses of what is recorded: destroying the doomed is refused, any other
 * change of them is dropped. */
static void record_step(Bench *bench, uint32_t number) {
  const Step step = bench->steps[number];
  const bool doomed = !bench->entities[step.entity].alive;
  const ecs_Status expected =
      doomed && step.kind == DESTROY ? ECS_E_DEAD : ECS_OK;
  if (make_step(bench, step, number) != expected)
    fail_here(bench, number, "a recorded step's status");
}

static void run_deferred(Bench *bench, uint32_t code, uint32_t from) {
  static const Kind kinds[] = {ADD_A,   ADD_B, REMOVE_A, REMOVE_B,
                               DESTROY, SET_A, SET_B};
  begin_deferred(bench, from);
  for (uint32_t i = 0; i < LENGTH_DEFERRED; i++, code /= 14)
    bench->steps[i] = (Step){kinds[code % 14 / 2], code % 2};
  for (uint32_t i = 0; i < LENGTH_DEFERRED; i++) record_step(bench, i);
  must(ecs_defer_end(bench->world));
  check_entities(bench, LENGTH_DEFERRED - 1);
  check_queries(bench, LENGTH_DEFERRED - 1);
}

TEST(every_deferred_sequence_ends_as_if_made_at_once) {
  static Bench bench;
  uint32_t codes = 1;
  for (uint32_t i = 0; i < LENGTH_DEFERRED; i++) codes *= 14;
  for (uint32_t code = 0; code < codes; code++)
    run_deferred(&bench, code, code % 4);
  for (uint32_t from = 0; from < 4; from++)
    for (uint32_t code = 0; code < codes / 14; code++)
      run_deferred(&bench, code * 14, from);
  printf("%u deferred sequences of %u steps\n", bench.made, LENGTH_DEFERRED);
  assert_true(bench.made >= codes);
  ecs_world_destroy(bench.world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_sequence_ends_as_the_naive_one_stored_apart),
      cmocka_unit_test(every_sequence_ends_as_the_naive_one_stored_together),
      cmocka_unit_test(every_deferred_sequence_ends_as_if_made_at_once),
  };
  return cmocka_run_group_tests_name("exhaustive", tests, NULL, NULL);
}

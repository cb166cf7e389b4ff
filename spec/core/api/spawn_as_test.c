/* spawn_as_test.c: ecs_spawn_as: entities with given handles.
 *
 * The random test compares the handles that a world issues with those of a naive
 * model: the free list as an array, of which any element can be taken out.
 */
#include "api/spawn_call.h"
#include "api_scene.h"
#include "test_case.h"

static ecs_Entity handle(uint32_t generation, uint32_t index) {
  return (ecs_Entity)generation << 28 | index;
}

static ecs_Entity spawn(const Fixture *fixture) {
  ecs_Entity entity = 0;
  assert_int_equal(ecs_spawn(fixture->world, NULL, 0, NULL, &entity), ECS_OK);
  return entity;
}

/* ecs_spawn_as_check says beforehand whether it is refused. */
static ecs_Status spawn_as(const Fixture *fixture, ecs_Entity entity) {
  ecs_Status checked = ecs_spawn_as_check(fixture->world, entity);
  ecs_Status status = ecs_spawn_as(fixture->world, entity, NULL, 0, NULL);
  assert_int_equal(checked, status);
  return status;
}

static void assert_reason(const Fixture *fixture, const char *expected) {
  char text[80];
  (void)ecs_world_refusal(fixture->world, ECS_E_TAKEN, text, sizeof text);
  assert_string_equal(text, expected);
}

TEST(an_entity_gets_the_handle_and_its_values) {
  Fixture fixture;
  start(&fixture);
  const A a = {2.5, 1};
  const uint16_t s = 9;
  const ecs_Component both[] = {fixture.s, fixture.a};
  const void *const values[] = {&s, &a};
  ecs_Entity entity = handle(2, 4);
  double x = 0, value = 0;
  assert_int_equal(ecs_spawn_as(fixture.world, entity, both, 2, values),
                   ECS_OK);
  assert_true(ecs_alive(fixture.world, entity));
  assert_int_equal(ecs_get_field(fixture.world, entity, fixture.a, 0, &x),
                   ECS_OK);
  assert_int_equal(ecs_get_field(fixture.world, entity, fixture.s, 0, &value),
                   ECS_OK);
  assert_true(x == 2.5 && value == 9);
  assert_false(ecs_alive(fixture.world, handle(1, 4)));
  finish(&fixture);
}

/* Index 1 has been used once before. */
TEST(indices_jumped_over_become_free_the_lowest_first) {
  Fixture fixture;
  start(&fixture);
  assert_int_equal(ecs_destroy(fixture.world, fixture.e), ECS_OK);
  assert_int_equal(spawn_as(&fixture, handle(0, 5)), ECS_OK);
  assert_false(ecs_alive(fixture.world, handle(0, 3)));
  for (uint32_t i = 2; i < 5; i++)
    assert_int_equal(spawn(&fixture), handle(0, i));
  assert_int_equal(spawn(&fixture), handle(2, 1));
  assert_int_equal(spawn(&fixture), handle(0, 6));
  finish(&fixture);
}

TEST(what_cannot_be_given_is_refused_with_its_reason) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity e = fixture.e;
  assert_int_equal(e, handle(1, 1));
  assert_refused(spawn_as(&fixture, e), ECS_E_TAKEN);
  assert_reason(&fixture, "the entity is alive");
  assert_refused(spawn_as(&fixture, handle(2, 1)), ECS_E_TAKEN);
  assert_reason(&fixture, "another entity has its index");
  assert_refused(spawn_as(&fixture, fixture.dead), ECS_E_TAKEN);
  assert_reason(&fixture, "another entity has its index");
  assert_int_equal(ecs_destroy(fixture.world, e), ECS_OK);
  assert_refused(spawn_as(&fixture, e), ECS_E_TAKEN);
  assert_reason(&fixture, "its generation is over");
  uint32_t last = ECS_GENERATION_LIMIT - 1;
  assert_int_equal(spawn_as(&fixture, handle(last, 1)), ECS_OK);
  assert_int_equal(ecs_destroy(fixture.world, handle(last, 1)), ECS_OK);
  assert_refused(spawn_as(&fixture, handle(last, 1)), ECS_E_TAKEN);
  assert_reason(&fixture, "its index is retired");
  finish(&fixture);
}

TEST(wrong_arguments_are_refused) {
  Fixture fixture;
  start(&fixture);
  const ecs_Component twice[] = {fixture.a, fixture.a};
  assert_refused(spawn_as(&fixture, 0), ECS_E_ARGUMENT);
  assert_refused(spawn_as(&fixture, handle(3, 0)), ECS_E_ARGUMENT);
  assert_refused(spawn_as(&fixture, UINT64_C(1) << 52 | 5), ECS_E_ARGUMENT);
  assert_refused(ecs_spawn_as(fixture.world, 5, NULL, 1, NULL), ECS_E_ARGUMENT);
  assert_refused(ecs_spawn_as(fixture.world, 5, twice, 2, NULL),
                 ECS_E_COMPONENT);
  assert_refused(ecs_spawn_as(fixture.world, 5, &fixture.past, 1, NULL),
                 ECS_E_COMPONENT);
  finish(&fixture);
}

TEST(the_reach_itself_is_allowed_and_one_more_is_not) {
  Fixture fixture;
  start(&fixture);
  uint32_t highest = 1;
  uint64_t requests = fixture.failing.requests;
  assert_refused(spawn_as(&fixture, highest + ECS_INDEX_REACH + 1),
                 ECS_E_TAKEN);
  assert_reason(&fixture, "its index is too far above all that were used");
  assert_int_equal(fixture.failing.requests, requests);
  assert_int_equal(spawn_as(&fixture, highest + ECS_INDEX_REACH), ECS_OK);
  assert_int_equal(spawn(&fixture), 2);
#ifdef ECS_TINY
  assert_int_equal(spawn_as(&fixture, 33), ECS_OK);
  assert_int_equal(spawn_as(&fixture, ECS_INDEX_LIMIT - 1), ECS_OK);
  assert_refused(spawn_as(&fixture, ECS_INDEX_LIMIT), ECS_E_TAKEN);
  assert_refused(spawn_as(&fixture, handle(ECS_GENERATION_LIMIT, 5)),
                 ECS_E_TAKEN);
  assert_reason(&fixture, "its generation is too high");
#endif
  finish(&fixture);
}

/* Recorded: the handle is reserved, and free again when discarded. */
TEST(a_recorded_spawn_has_its_handle_at_once) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_spawn_as(world, 3, &fixture.a, 1, NULL), ECS_OK);
  assert_true(ecs_alive(world, 3));
  assert_false(ecs_has(world, 3, fixture.a));
  assert_refused(spawn_as(&fixture, 3), ECS_E_TAKEN);
  assert_reason(&fixture, "the entity is alive");
  assert_int_equal(spawn(&fixture), 2);
  assert_int_equal(spawn(&fixture), 4);
  assert_int_equal(ecs_destroy(world, fixture.e), ECS_OK);
  assert_refused(spawn_as(&fixture, fixture.e), ECS_E_TAKEN);
  assert_reason(&fixture,
                "the entity is destroyed only when recorded changes are made");
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  assert_true(ecs_has(world, 3, fixture.a));
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(spawn_as(&fixture, 6), ECS_OK);
  ecs_defer_discard(world);
  assert_false(ecs_alive(world, 6));
  assert_refused(spawn_as(&fixture, 6), ECS_E_TAKEN);
  assert_int_equal(spawn(&fixture), handle(1, 6));
  assert_int_equal(spawn(&fixture), handle(0, 5));
  finish(&fixture);
}

/* Worlds that issued the same handles in another order have the same state. */
TEST(the_state_has_the_same_hash_however_it_was_reached) {
  Fixture one, other;
  start(&one);
  start(&other);
  for (uint32_t i = 2; i < 8; i++)
    assert_int_equal(ecs_spawn(one.world, &one.a, 1, NULL, NULL), ECS_OK);
  for (uint32_t i = 7; i > 1; i--)
    assert_int_equal(ecs_spawn_as(other.world, i, &other.a, 1, NULL), ECS_OK);
  assert_true(ecs_world_state_hash(one.world) ==
              ecs_world_state_hash(other.world));
  assert_int_equal(spawn(&one), spawn(&other));
  finish(&one);
  finish(&other);
}

/* A twin which spawns in the ordinary way where the handle is next anyway. */
TEST(the_handle_that_is_next_is_an_ordinary_spawn) {
  Fixture one, other;
  start(&one);
  start(&other);
  for (uint32_t i = 0; i < 9; i++) {
    ecs_Entity entity = spawn(&one);
    assert_int_equal(spawn_as(&other, entity), ECS_OK);
    if (i % 3 == 1) assert_int_equal(ecs_destroy(one.world, entity), ECS_OK);
    if (i % 3 == 1) assert_int_equal(ecs_destroy(other.world, entity), ECS_OK);
    assert_true(ecs_world_hash(one.world) == ecs_world_hash(other.world));
  }
  finish(&one);
  finish(&other);
}

/* A world that never calls it holds no memory for it; a trim gives it back. */
TEST(the_way_back_is_made_for_the_middle_of_the_list) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  ecs_Entity entities[4];
  for (uint32_t i = 0; i < 4; i++) entities[i] = spawn(&fixture);
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(ecs_destroy(world, entities[i]), ECS_OK);
  assert_int_equal(spawn_as(&fixture, handle(1, 5)), ECS_OK);
  assert_null(world->store.index.previous);
  assert_int_equal(spawn_as(&fixture, handle(1, 3)), ECS_OK);
  assert_non_null(world->store.index.previous);
  assert_int_equal(ecs_world_trim(world), ECS_OK);
  assert_null(world->store.index.previous);
  assert_int_equal(spawn_as(&fixture, handle(1, 2)), ECS_OK);
  assert_int_equal(spawn(&fixture), handle(1, 4));
  finish(&fixture);
}

/* Against a model ------------------------------------------------------- */

#ifdef ECS_TINY
#define INDICES 40u
#define STEPS 300u
#define SEEDS 200u
#else
#define INDICES 9000u /* more than two pages of slots */
#define STEPS 3000u
#define SEEDS 12u
#endif

typedef struct Model {
  uint32_t random;
  uint32_t used;
  uint32_t next[INDICES + 1]; /* generation of an index; past the last: retired
                               */
  bool alive[INDICES + 1];
  uint32_t free[INDICES]; /* the last is issued next */
  uint32_t free_count;
} Model;

static uint32_t draw(Model *model, uint32_t below) {
  model->random = model->random * 1103515245u + 12345u;
  return (model->random >> 12) % below;
}

static void drop_free(Model *model, uint32_t index) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < model->free_count; i++)
    if (model->free[i] != index) model->free[kept++] = model->free[i];
  model->free_count = kept;
}

/* The index is alive from then on, with that generation. */
static void model_give(Model *model, uint32_t index, uint32_t generation) {
  for (uint32_t i = index; i-- > model->used;)
    model->free[model->free_count++] = i;
  if (index >= model->used) model->used = index + 1;
  drop_free(model, index);
  model->alive[index] = true;
  model->next[index] = generation;
}

static void model_spawn(Model *model, const Fixture *fixture) {
  uint32_t index =
      model->free_count > 0 ? model->free[model->free_count - 1] : model->used;
  if (index > INDICES) return;
  model_give(model, index, model->next[index]);
  assert_int_equal(spawn(fixture), handle(model->next[index], index));
}

static bool model_may_give(const Model *model, uint32_t index,
                           uint32_t generation) {
  if (generation >= ECS_GENERATION_LIMIT) return false;
  if (index >= model->used) return index - model->used < ECS_INDEX_REACH;
  return !model->alive[index] && generation >= model->next[index];
}

/* With generations from the one before to the one after. */
static void model_spawn_as(Model *model, const Fixture *fixture) {
  uint32_t index = 1 + draw(model, INDICES);
  uint32_t generation = model->next[index] + draw(model, 3);
  if (generation > 0) generation--;
  bool possible = model_may_give(model, index, generation);
  if (generation >= 1u << 24) return;
  assert_int_equal(spawn_as(fixture, handle(generation, index)),
                   possible ? ECS_OK : ECS_E_TAKEN);
  if (possible) model_give(model, index, generation);
}

static void model_destroy(Model *model, const Fixture *fixture) {
  uint32_t index = 1 + draw(model, model->used);
  if (index >= model->used || !model->alive[index]) return;
  assert_int_equal(
      ecs_destroy(fixture->world, handle(model->next[index], index)), ECS_OK);
  model->alive[index] = false;
  if (++model->next[index] < ECS_GENERATION_LIMIT)
    model->free[model->free_count++] = index;
}

static void run_model(uint32_t seed) {
  static Model model;
  Fixture fixture;
  start(&fixture);
  model = (Model){.random = seed, .used = 2, .next = {0, 1}};
  model.alive[1] = true;
  for (uint32_t i = 0; i < STEPS; i++) {
    uint32_t kind = draw(&model, 20);
    if (kind < 7)
      model_spawn(&model, &fixture);
    else if (kind < 12)
      model_spawn_as(&model, &fixture);
    else
      model_destroy(&model, &fixture);
    if (kind == 19 && draw(&model, 9) == 0)
      assert_int_equal(ecs_world_trim(fixture.world), ECS_OK);
    if (i % 16 == 0) assert_true(world_check_invariants(fixture.world));
  }
  finish(&fixture);
}

TEST(handles_are_those_of_a_naive_model) {
  for (uint32_t seed = 1; seed <= SEEDS; seed++) run_model(seed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_entity_gets_the_handle_and_its_values),
      cmocka_unit_test(indices_jumped_over_become_free_the_lowest_first),
      cmocka_unit_test(what_cannot_be_given_is_refused_with_its_reason),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(the_reach_itself_is_allowed_and_one_more_is_not),
      cmocka_unit_test(a_recorded_spawn_has_its_handle_at_once),
      cmocka_unit_test(the_state_has_the_same_hash_however_it_was_reached),
      cmocka_unit_test(the_handle_that_is_next_is_an_ordinary_spawn),
      cmocka_unit_test(the_way_back_is_made_for_the_middle_of_the_list),
      cmocka_unit_test(handles_are_those_of_a_naive_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

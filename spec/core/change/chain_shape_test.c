/* chain_shape_test.c: the shapes of chains, without any chain.
 *
 * Shapes are the nodes of a trie; a path is written as its steps:
 *
 *      s  spawn        a b ...  add A, B ... with an image
 *      S  spawn of a   A B ...  add A, B ... with defaults
 *         staged row   - !      remove A; destroy
 */
#include "command_buffer_fixture.h"
#include "test_case.h"

static ChainStep step_of(const Fixture *fixture, char letter, size_t *bytes) {
  const ecs_Component all[] = {fixture->a, fixture->b, fixture->tag,
                               fixture->big, fixture->sparse};
  *bytes = letter == 'S' || letter == 'a' ? 16 : letter == 'b' ? 8 : 0;
  switch (letter) {
    case 's': return chain_step(COMMAND_SPAWN, 0, false);
    case 'S': return chain_step(COMMAND_SPAWN, 0, true);
    case '-': return chain_step(COMMAND_REMOVE, fixture->a, false);
    case '!': return chain_step(COMMAND_DESTROY, 0, false);
    case '=': *bytes = 24; return chain_step(COMMAND_SET, fixture->a, true);
    default: break;
  }
  bool image = letter >= 'a';
  return chain_step(COMMAND_ADD, all[letter - (image ? 'a' : 'A')], image);
}

/* The shape at the end of a path. */
static uint32_t shape_of(const Fixture *fixture, const char *path) {
  uint32_t shape = CHAIN_EMPTY;
  for (; *path != 0; path++) {
    size_t bytes = 0;
    ChainStep step = step_of(fixture, *path, &bytes);
    assert_int_equal(
        chain_shapes_ensure(&fixture->buffer->shapes, &fixture->world->store,
                            shape, step, bytes, &shape),
        ECS_OK);
  }
  return shape;
}

static ShapeWay way_of(const Fixture *fixture, const char *path) {
  uint32_t shape = shape_of(fixture, path);
  ShapeWay way =
      chain_shapes_way(&fixture->buffer->shapes, &fixture->world->store, shape);
  assert_int_equal(
      chain_shapes_way(&fixture->buffer->shapes, &fixture->world->store, shape),
      way);
  return way;
}

/* The trie ---------------------------------------------------------------- */

TEST(the_same_steps_lead_to_the_same_shape) {
  Fixture fixture;
  start(&fixture);
  const ChainShapes *shapes = &fixture.buffer->shapes;
  static const char *const paths[] = {"s", "sa", "sA", "sab", "sba", "S", "Sa",
                                      "a", "aa", "a-", "!",   "sa!", "="};
  uint32_t found[13];
  for (uint32_t i = 0; i < 13; i++) {
    found[i] = shape_of(&fixture, paths[i]);
    assert_true(found[i] != CHAIN_EMPTY && found[i] < shapes->count);
    for (uint32_t k = 0; k < i; k++) assert_true(found[i] != found[k]);
  }
  uint32_t count = shapes->count;
  for (uint32_t i = 13; i-- > 0;) {
    const ChainShape *shape = &shapes->shapes[found[i]];
    assert_int_equal(shape_of(&fixture, paths[i]), found[i]);
    assert_int_equal(shape->length, strlen(paths[i]));
    assert_int_equal(shape->spawns, (paths[i][0] | 32) == 's');
    assert_null(shape->bundle);
  }
  assert_int_equal(shapes->count, count);
  assert_int_equal(shapes->shapes[shape_of(&fixture, "Sa")].bytes, 32);
  assert_int_equal(shapes->shapes[shape_of(&fixture, "sab")].bytes, 24);
  assert_int_equal(shapes->shapes[shape_of(&fixture, "sA")].bytes, 0);
  assert_int_equal(shapes->shapes[shape_of(&fixture, "aa")].bytes, 32);
  assert_true(chain_shapes_check_invariants(shapes));
  finish(&fixture);
}

TEST(a_step_says_all_but_the_values) {
  const ecs_Component last = ECS_COMPONENT_LIMIT - 1;
  for (int kind = COMMAND_SPAWN; kind <= COMMAND_DESTROY; kind++)
    for (uint32_t image = 0; image < 2; image++) {
      ChainStep step = chain_step((CommandKind)kind, last, image == 1);
      assert_int_equal(step_kind(step), kind);
      assert_int_equal(step_component(step), last);
      assert_int_equal(step_has_image(step), image);
    }
}

/* Every component, with and without an image, from every shape of one step: the
 * hash grows several times, and its entries collide. */
TEST(the_hash_grows_with_the_shapes) {
  Fixture fixture;
  start(&fixture);
  ChainShapes *shapes = &fixture.buffer->shapes;
  Store *store = &fixture.world->store;
  uint32_t most = 60, grown = 0, capacity = 0, *found = NULL;
  found = calloc((size_t)most * most, sizeof *found);
  assert_non_null(found);
  for (uint32_t round = 0; round < 2; round++)
    for (uint32_t i = 0; i < most; i++) {
      uint32_t first = CHAIN_EMPTY;
      ChainStep step = chain_step(COMMAND_ADD, i / 2, i % 2 == 1);
      assert_int_equal(
          chain_shapes_ensure(shapes, store, CHAIN_EMPTY, step, 0, &first),
          ECS_OK);
      for (uint32_t k = 0; k < 6; k++) {
        uint32_t *kept = &found[i * most + k], shape = CHAIN_EMPTY;
        step = chain_step(COMMAND_ADD, k / 2, k % 2 == 1);
        assert_int_equal(
            chain_shapes_ensure(shapes, store, first, step, 8, &shape), ECS_OK);
        if (round == 0) *kept = shape;
        assert_int_equal(shape, *kept);
        assert_int_equal(shapes->shapes[shape].parent, first);
        grown += shapes->entry_capacity != capacity;
        capacity = shapes->entry_capacity;
        assert_true(capacity >= 2 * shapes->count);
        assert_int_equal(capacity & (capacity - 1), 0);
      }
    }
  assert_int_equal(shapes->count, 1 + most * 7);
  assert_true(grown >= 6);
  assert_true(chain_shapes_check_invariants(shapes));
  free(found);
  finish(&fixture);
}

/* More shapes than commands may be recorded at once: those of recordings that
 * were taken back are still there. */
TEST(shapes_may_be_more_than_commands) {
  Fixture fixture;
  start(&fixture);
  ecs_Entity e[2] = {placed(&fixture), placed(&fixture)};
  (void)record_tag(&fixture, e[0]);
  CommandMark mark = command_mark(fixture.buffer);
  for (uint32_t round = 0; round < 3; round++) {
    for (uint32_t i = 0; i < 400; i++)
      assert_int_equal(
          command_record(fixture.buffer,
                         (i + round) % 3 == 0 ? COMMAND_REMOVE : COMMAND_ADD,
                         e[1], fixture.tag, NULL, 0),
          ECS_OK);
    command_rewind(fixture.buffer, mark);
  }
  assert_true(fixture.buffer->shapes.count > 1024);
  assert_chains_hold(&fixture);
  finish(&fixture);
}

/* Finding a shape again asks for nothing, whatever was asked for last. */
TEST(a_known_shape_needs_no_memory) {
  Fixture fixture;
  start(&fixture);
  char letters[] = "abcdeABCDE";
  for (uint32_t most = 1; most < 10; most++) {
    char path[3] = {letters[most], 's', 0};
    path[1] = 0;
    uint32_t shape = shape_of(&fixture, path);
    uint64_t requests = fixture.failing.requests;
    for (uint32_t i = 1; i <= most; i++) {
      path[0] = letters[i];
      shape = shape_of(&fixture, path);
      assert_int_equal(fixture.buffer->shapes.shapes[shape].parent,
                       CHAIN_EMPTY);
    }
    assert_int_equal(fixture.failing.requests, requests);
  }
  finish(&fixture);
}

/* Counts ------------------------------------------------------------------ */

/* Shapes in use are listed, once each, and forgotten together. */
TEST(shapes_in_use_are_listed) {
  Fixture fixture;
  start(&fixture);
  ChainShapes *shapes = &fixture.buffer->shapes;
  uint32_t sab = shape_of(&fixture, "sab"), a = shape_of(&fixture, "a");
  for (uint32_t round = 0; round < 2; round++) {
    assert_int_equal(shapes->used, CHAIN_EMPTY);
    chain_shapes_count(shapes, sab, 1);
    chain_shapes_count(shapes, a, 3);
    chain_shapes_count(shapes, sab, 2);
    assert_int_equal(shapes->shapes[sab].count, 3);
    assert_int_equal(shapes->shapes[a].count, 3);
    uint32_t listed = 0;
    for (uint32_t id = shapes->used; id != CHAIN_EMPTY;
         id = shapes->shapes[id].next, listed++)
      assert_true(id == sab || id == a);
    assert_int_equal(listed, 2);
    assert_true(chain_shapes_check_invariants(shapes));
    chain_shapes_forget(shapes);
    assert_int_equal(shapes->shapes[sab].count, 0);
    assert_int_equal(shapes->shapes[a].count, 0);
    assert_true(chain_shapes_check_invariants(shapes));
  }
  finish(&fixture);
}

/* Ways -------------------------------------------------------------------- */

TEST(a_shape_says_how_its_chains_are_applied) {
  static const struct {
    const char *path;
    ShapeWay way;
  } cases[] = {
      {"s", WAY_BIRTH},     {"sa", WAY_BIRTH},    {"sAbce", WAY_BIRTH},
      {"scba", WAY_BIRTH},  {"s!", WAY_NOTHING},  {"sab!", WAY_NOTHING},
      {"S!", WAY_NOTHING},  {"!", WAY_DEATH},     {"a!", WAY_DEATH},
      {"a-!", WAY_DEATH},   {"a", WAY_CHANGE},    {"-", WAY_CHANGE},
      {"=", WAY_CHANGE},    {"s-", WAY_CHANGE},   {"s=", WAY_CHANGE},
      {"saa", WAY_CHANGE},  {"saA", WAY_CHANGE},  {"sabca", WAY_CHANGE},
      {"sab=", WAY_CHANGE}, {"sab-", WAY_CHANGE}, {"S", WAY_CHANGE},
      {"Sa", WAY_CHANGE},   {"sab-a", WAY_CHANGE}};
  Fixture fixture;
  start(&fixture);
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(way_of(&fixture, cases[i].path), cases[i].way);
  finish(&fixture);
}

TEST(the_parts_of_a_birth_stand_in_their_order) {
  Fixture fixture;
  start(&fixture);
  ecs_Component parts[BIRTH_PARTS] = {0};
  const ChainShapes *shapes = &fixture.buffer->shapes;
  assert_int_equal(way_of(&fixture, "seAcb"), WAY_BIRTH);
  assert_int_equal(
      chain_shapes_parts(shapes, shape_of(&fixture, "seAcb"), parts), 4);
  const ecs_Component wanted[] = {fixture.sparse, fixture.a, fixture.tag,
                                  fixture.b};
  assert_memory_equal(parts, wanted, sizeof wanted);
  assert_int_equal(way_of(&fixture, "s"), WAY_BIRTH);
  assert_int_equal(chain_shapes_parts(shapes, shape_of(&fixture, "s"), parts),
                   0);
  finish(&fixture);
}

#ifndef ECS_TINY /* fewer components than that */
TEST(a_birth_has_so_many_parts_at_most) {
  Fixture fixture;
  start(&fixture);
  ChainShapes *shapes = &fixture.buffer->shapes;
  ecs_Component parts[BIRTH_PARTS], tags[BIRTH_PARTS + 2];
  for (uint32_t i = 1; i <= BIRTH_PARTS + 1; i++) {
    char name[16];
    snprintf(name, sizeof name, "Part%u", (unsigned)i);
    tags[i] = define_component(fixture.world, name, NULL, 0, ECS_STORE_TABLE);
  }
  uint32_t shape = shape_of(&fixture, "s");
  for (uint32_t i = 1; i <= BIRTH_PARTS + 1; i++) {
    assert_int_equal(
        chain_shapes_ensure(shapes, &fixture.world->store, shape,
                            chain_step(COMMAND_ADD, tags[i], i % 2 == 0), 8,
                            &shape),
        ECS_OK);
    assert_int_equal(chain_shapes_way(shapes, &fixture.world->store, shape),
                     i <= BIRTH_PARTS ? WAY_BIRTH : WAY_CHANGE);
    if (i > BIRTH_PARTS) break;
    assert_int_equal(chain_shapes_parts(shapes, shape, parts), i);
    for (uint32_t k = 0; k < i; k++) assert_int_equal(parts[k], tags[k + 1]);
  }
  finish(&fixture);
}
#endif

/* Memory ------------------------------------------------------------------ */

TEST(clearing_gives_the_memory_back_and_a_new_version) {
  Fixture fixture;
  start(&fixture);
  ChainShapes *shapes = &fixture.buffer->shapes;
  Store *store = &fixture.world->store;
  uint64_t blocks = fixture.failing.blocks, bytes = fixture.failing.bytes;
  uint32_t versions[4] = {0};
  for (uint32_t round = 0; round < 4; round++) {
    versions[round] = shapes->version;
    for (uint32_t i = 0; i < round; i++)
      assert_true(versions[i] != versions[round]);
    assert_true(versions[round] != 0); /* of bundles without a shape */
    uint32_t shape = shape_of(&fixture, "sab");
    assert_int_equal(way_of(&fixture, "sab"), WAY_BIRTH);
    const ecs_Component what[] = {fixture.a, fixture.b};
    shapes->shapes[shape].bundle = bundle_create(store, what, 2);
    assert_non_null(shapes->shapes[shape].bundle);
    assert_true(fixture.failing.blocks > blocks + 2);
    chain_shapes_clear(shapes, store);
    assert_int_equal(fixture.failing.blocks, blocks);
    assert_int_equal(fixture.failing.bytes, bytes);
    assert_int_equal(shapes->count, 0);
    assert_true(chain_shapes_check_invariants(shapes));
  }
  finish(&fixture);
}

/* A bundle knows the shape of its spawn until shapes are cleared. */
TEST(a_bundle_is_given_its_shape_anew_after_a_clear) {
  Fixture fixture;
  start(&fixture);
  ChainShapes *shapes = &fixture.buffer->shapes;
  Bundle *bundle = bundle_of(&fixture, &fixture.a, 1);
  ecs_Entity born = 0;
  char *values = NULL;
  for (uint32_t round = 0; round < 3; round++) {
    if (round == 2) (void)shape_of(&fixture, "!"); /* the first one, now */
    assert_true(bundle->shape_version != shapes->version);
    assert_int_equal(
        command_prepare_spawns(fixture.buffer, &bundle, 1, 1, &values), ECS_OK);
    command_record_spawns(fixture.buffer, &bundle, 1, 1, &born);
    assert_int_equal(bundle->shape_version, shapes->version);
    assert_int_equal(bundle->shape, shape_of(&fixture, "sa"));
    assert_int_equal(bundle->shape, round == 2 ? 3 : 2);
    memset(values, 0, sizeof(A));
    assert_chains_hold(&fixture);
    command_rewind(fixture.buffer, (CommandMark){0});
    chain_shapes_clear(shapes, &fixture.world->store);
  }
  finish(&fixture);
}

/* Each allocation fails: the shapes made so far stay, and no other. */
TEST(every_allocation_may_fail) {
  for (int mode = FAIL_ONCE; mode <= FAIL_ONWARD; mode++) {
    uint64_t injected = 1, nth = 1;
    for (; injected > 0; nth++) {
      Fixture fixture;
      start(&fixture);
      ChainShapes *shapes = &fixture.buffer->shapes;
      uint32_t shape = CHAIN_EMPTY, made = 0;
      ecs_Status status = ECS_OK;
      failing_memory_arm(&fixture.failing, nth, (FailingMode)mode);
      for (; made < 40 && status == ECS_OK; made += status == ECS_OK)
        status = chain_shapes_ensure(
            shapes, &fixture.world->store, shape,
            chain_step(made == 0 ? COMMAND_SPAWN : COMMAND_ADD, made, false), 8,
            &shape);
      injected = failing_memory_disarm(&fixture.failing);
      assert_int_equal(status, injected > 0 ? ECS_E_MEMORY : ECS_OK);
      assert_int_equal(shapes->count, made > 0 ? made + 1 : shapes->count);
      assert_true(shapes->count <= made + 1);
      assert_true(chain_shapes_check_invariants(shapes));
      /* It goes on from there. */
      assert_int_equal(
          chain_shapes_ensure(shapes, &fixture.world->store, shape,
                              chain_step(COMMAND_ADD, 99, false), 0, &shape),
          ECS_OK);
      assert_int_equal(shapes->shapes[shape].length, made + 1);
      assert_true(chain_shapes_check_invariants(shapes));
      finish(&fixture);
    }
    assert_true(nth > 8);
  }
}

TEST(broken_shapes_are_seen) {
  Fixture fixture;
  start(&fixture);
  ChainShapes *shapes = &fixture.buffer->shapes;
  uint32_t sab = shape_of(&fixture, "sab"), s = shape_of(&fixture, "s");
  (void)shape_of(&fixture, "a-");
#define ASSERT_SEEN(field, wrong)                        \
  do {                                                   \
    __typeof__(field) right = field;                     \
    assert_true(chain_shapes_check_invariants(shapes));  \
    field = wrong;                                       \
    assert_false(chain_shapes_check_invariants(shapes)); \
    field = right;                                       \
  } while (0)
  ASSERT_SEEN(shapes->shapes[sab].parent, sab);
  ASSERT_SEEN(shapes->shapes[sab].parent, s);
  ASSERT_SEEN(shapes->shapes[sab].step, shapes->shapes[s].step);
  ASSERT_SEEN(shapes->shapes[sab].length, 2);
  ASSERT_SEEN(shapes->shapes[sab].bytes, 15);
  ASSERT_SEEN(shapes->shapes[sab].count, 1); /* it is not in use */
  ASSERT_SEEN(shapes->shapes[sab].child, s);
  ASSERT_SEEN(shapes->shapes[s].child, shapes->count);
  ASSERT_SEEN(shapes->shapes[s].child, sab);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_steps_lead_to_the_same_shape),
      cmocka_unit_test(a_step_says_all_but_the_values),
      cmocka_unit_test(the_hash_grows_with_the_shapes),
      cmocka_unit_test(shapes_may_be_more_than_commands),
      cmocka_unit_test(a_known_shape_needs_no_memory),
      cmocka_unit_test(shapes_in_use_are_listed),
      cmocka_unit_test(a_shape_says_how_its_chains_are_applied),
      cmocka_unit_test(the_parts_of_a_birth_stand_in_their_order),
#ifndef ECS_TINY
      cmocka_unit_test(a_birth_has_so_many_parts_at_most),
#endif
      cmocka_unit_test(clearing_gives_the_memory_back_and_a_new_version),
      cmocka_unit_test(a_bundle_is_given_its_shape_anew_after_a_clear),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(broken_shapes_are_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

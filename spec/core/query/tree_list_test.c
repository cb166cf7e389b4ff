/* tree_list_test.c: queries along a tree, against an oracle that walks to the
 * root of every entity. */
#include <string.h>

#include "api_fixture.h"
#include "ecs_kernel.h"
#include "program_rig.h"
#include "query/query.h"
#include "world/world.h"
#include "test_case.h"

#ifdef ECS_TINY
#define SLOTS 14u
#define ROUNDS 60u
#else
#define SLOTS 48u
#define ROUNDS 100u
#endif
#define NOBODY UINT32_MAX

enum { LOCAL, GLOBAL, MARK, CHILD, PARTS };

typedef struct Node {
  bool alive;
  bool has[PARTS];
  uint32_t parent; /* NOBODY: none */
  float local, global;
} Node;

typedef struct Scene {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component ids[PARTS];
  ecs_Query *query;
  ecs_KernelBinding *binding;
  ecs_Entity entities[SLOTS];
  Node nodes[SLOTS];
  Random random;
} Scene;

/* The world ---------------------------------------------------------------- */

static ecs_Component define(ecs_World *world, const char *name,
                            const ecs_Field *field, ecs_Storage storage,
                            const ecs_Link *link) {
  ecs_Component component = 0;
  const ecs_ComponentDescription description = {.name = name,
                                                .fields = field,
                                                .field_count = field != NULL,
                                                .storage = storage,
                                                .links = link,
                                                .link_count = link != NULL};
  assert_int_equal(ecs_component(world, &description, &component), ECS_OK);
  return component;
}

static const ecs_Link tree = {0, ECS_LINK_DESTROY, true};
static const ecs_Field parent_field = {"parent", ECS_ENTITY, 0};

/* What the systems of this file compute. */
static float computed(float local, float parent) { return local + 2 * parent; }

static void transform(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    float *global = block->columns[0];
    const float *local = block->columns[1], *parent = block->columns[2];
    for (uint32_t i = 0; i < block->count; i++)
      global[i] = computed(local[i], parent == NULL ? 0 : parent[i]);
  }
}
static const ecs_KernelColumn transform_columns[] = {
    {"Global", "x", ECS_F32, ECS_WRITE},
    {"Local", "x", ECS_F32, ECS_READ},
    {"Global", "x", ECS_F32, ECS_UP}};
static const ecs_Kernel transform_kernel =
    ECS_KERNEL("transform", transform, transform_columns);

static ecs_Query *tree_query(Scene *scene, const ecs_Term *terms,
                             uint32_t count) {
  ecs_Query *query = NULL;
  assert_int_equal(ecs_query_create(scene->world, terms, count, &query),
                   ECS_OK);
  return query;
}

static void open_scene(Scene *scene, uint64_t seed) {
  static const char *const names[] = {"Local", "Global", "Mark", "ChildOf"};
  static const ecs_Field x = {"x", ECS_F32, 0};
  const ecs_Field *fields[] = {&x, &x, NULL, &parent_field};
  memset(scene, 0, sizeof *scene);
  scene->random.state = seed;
  for (uint32_t i = 0; i < SLOTS; i++) scene->nodes[i].parent = NOBODY;
  scene->world = open_world(&scene->failing);
  for (uint32_t i = 0; i < PARTS; i++)
    scene->ids[i] =
        define(scene->world, names[i], fields[i],
               (seed >> i & 1u) != 0 ? ECS_STORE_SPARSE : ECS_STORE_TABLE,
               i == CHILD ? &tree : NULL);
  const ecs_Term terms[] = {{scene->ids[GLOBAL], ECS_WRITE},
                            {scene->ids[LOCAL], ECS_READ},
                            {scene->ids[CHILD], ECS_ALONG},
                            {scene->ids[GLOBAL], ECS_UP}};
  scene->query = tree_query(scene, terms, 4);
  assert_int_equal(
      ecs_kernel_bind(scene->query, &transform_kernel, &scene->binding, NULL),
      ECS_OK);
}

static void close_scene(Scene *scene) {
  close_world(scene->world, &scene->failing);
}

/* Changes, of the world and of the oracle ---------------------------------- */

static void spawn(Scene *scene, uint32_t slot) {
  if (scene->nodes[slot].alive) return;
  assert_int_equal(
      ecs_spawn(scene->world, NULL, 0, NULL, &scene->entities[slot]), ECS_OK);
  scene->nodes[slot] = (Node){.alive = true, .parent = NOBODY};
}

static void set_number(Scene *scene, uint32_t slot, uint32_t part,
                       float value) {
  Node *node = &scene->nodes[slot];
  if (!node->alive) return;
  assert_int_equal(
      ecs_set(scene->world, scene->entities[slot], scene->ids[part], &value, 1),
      ECS_OK);
  node->has[part] = true;
  *(part == LOCAL ? &node->local : &node->global) = value;
}

static void toggle_mark(Scene *scene, uint32_t slot) {
  Node *node = &scene->nodes[slot];
  if (!node->alive) return;
  ecs_Entity entity = scene->entities[slot];
  ecs_Status status =
      node->has[MARK] ? ecs_remove(scene->world, entity, scene->ids[MARK])
                      : ecs_add(scene->world, entity, scene->ids[MARK], NULL);
  assert_int_equal(status, ECS_OK);
  node->has[MARK] = !node->has[MARK];
}

static void take_away(Scene *scene, uint32_t slot, uint32_t part) {
  Node *node = &scene->nodes[slot];
  if (!node->alive || !node->has[part]) return;
  assert_int_equal(
      ecs_remove(scene->world, scene->entities[slot], scene->ids[part]),
      ECS_OK);
  node->has[part] = false;
  if (part == CHILD) node->parent = NOBODY;
}

static bool descends(const Scene *scene, uint32_t slot, uint32_t from) {
  for (; slot != NOBODY; slot = scene->nodes[slot].parent)
    if (slot == from) return true;
  return false;
}

static void link_to(Scene *scene, uint32_t slot, uint32_t parent) {
  Node *node = &scene->nodes[slot];
  ecs_Entity target = parent == NOBODY ? 0 : scene->entities[parent];
  if (!node->alive || (parent != NOBODY && !scene->nodes[parent].alive)) return;
  if (parent != NOBODY && descends(scene, parent, slot)) return;
  assert_int_equal(ecs_set(scene->world, scene->entities[slot],
                           scene->ids[CHILD], &target, 1),
                   ECS_OK);
  node->has[CHILD] = true;
  node->parent = parent;
}

static void destroy(Scene *scene, uint32_t slot) {
  if (!scene->nodes[slot].alive) return;
  assert_int_equal(ecs_destroy(scene->world, scene->entities[slot]), ECS_OK);
  bool dies[SLOTS];
  for (uint32_t i = 0; i < SLOTS; i++) dies[i] = descends(scene, i, slot);
  for (uint32_t i = 0; i < SLOTS; i++)
    if (dies[i]) scene->nodes[i] = (Node){.alive = false, .parent = NOBODY};
}

static void change(Scene *scene) {
  uint32_t slot = random_below(&scene->random, SLOTS);
  uint32_t other = random_below(&scene->random, SLOTS + 2);
  float value = (float)random_below(&scene->random, 16);
  switch (random_below(&scene->random, 12)) {
    case 0: destroy(scene, slot); break;
    case 1: take_away(scene, slot, LOCAL); break;
    case 2: take_away(scene, slot, GLOBAL); break;
    case 3: take_away(scene, slot, CHILD); break;
    case 4: toggle_mark(scene, slot); break;
    case 5: set_number(scene, slot, LOCAL, value); break;
    case 6:
    case 7: link_to(scene, slot, other < SLOTS ? other : NOBODY); break;
    default:
      spawn(scene, slot);
      set_number(scene, slot, LOCAL, value);
      set_number(scene, slot, GLOBAL, value);
      link_to(scene, slot, other < SLOTS ? other : NOBODY);
      break;
  }
}

/* Comparing ---------------------------------------------------------------- */

static bool matches(const Node *node) {
  return node->alive && node->has[LOCAL] && node->has[GLOBAL];
}

static uint32_t depth_of(const Scene *scene, uint32_t slot) {
  uint32_t depth = 0;
  while ((slot = scene->nodes[slot].parent) != NOBODY) depth++;
  return depth;
}

/* What the oracle's entity has in the parent's Global; false: nothing. */
static bool parent_value(const Scene *scene, uint32_t slot, float *value) {
  uint32_t parent = scene->nodes[slot].parent;
  if (parent == NOBODY || !scene->nodes[parent].has[GLOBAL]) return false;
  *value = scene->nodes[parent].global;
  return true;
}

/* Computes every match of the oracle, parents first. */
static uint32_t compute(Scene *scene) {
  uint32_t count = 0;
  for (uint32_t depth = 0; depth < SLOTS; depth++)
    for (uint32_t i = 0; i < SLOTS; i++) {
      Node *node = &scene->nodes[i];
      float parent = 0;
      if (!matches(node) || depth_of(scene, i) != depth) continue;
      parent_value(scene, i, &parent);
      node->global = computed(node->local, parent);
      count++;
    }
  return count;
}

static uint32_t slot_of(const Scene *scene, ecs_Entity entity) {
  uint32_t slot = 0;
  while (slot < SLOTS &&
         (!scene->nodes[slot].alive || scene->entities[slot] != entity))
    slot++;
  assert_true(slot < SLOTS);
  return slot;
}

static void compare_values(const Scene *scene) {
  for (uint32_t i = 0; i < SLOTS; i++) {
    float value = 0;
    if (!scene->nodes[i].alive || !scene->nodes[i].has[GLOBAL]) continue;
    assert_int_equal(
        ecs_get(scene->world, scene->entities[i], scene->ids[GLOBAL], &value),
        ECS_OK);
    assert_true(value == scene->nodes[i].global);
  }
}

/* Computes by batches. The oracle's values are those before. */
static uint32_t run_batches(Scene *scene, ecs_Batching batching) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint32_t count = 0, depth = 0;
  assert_int_equal(ecs_query_begin(scene->query, batching, &cursor), ECS_OK);
  while (ecs_cursor_next(&cursor, &batch)) {
    float *global = batch.columns[0];
    const float *local = batch.columns[1], *up = batch.columns[2];
    assert_int_equal(batch.column_count, 3);
    assert_true(depth_of(scene, slot_of(scene, batch.entities[0])) >= depth);
    depth = depth_of(scene, slot_of(scene, batch.entities[0]));
    for (uint32_t i = 0; i < batch.count; i++, count++) {
      uint32_t slot = slot_of(scene, batch.entities[i]);
      float parent = 0;
      assert_int_equal(depth_of(scene, slot), depth);
      assert_int_equal(parent_value(scene, slot, &parent), up != NULL);
      if (up != NULL) assert_true(up[i] == parent);
      global[i] = computed(local[i], parent);
      scene->nodes[slot].global = global[i];
    }
  }
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  return count;
}

/* Entities one at a time, and the elements of their targets. */
static void compare_rows(const Scene *scene, uint32_t expected) {
  ecs_Entity entities[SLOTS], first = 1;
  void *elements[3];
  uint64_t count = 0;
  uint32_t flags = 0, depth = 0, run = 0;
  assert_int_equal(ecs_query_entities(scene->query, entities, SLOTS, &count),
                   ECS_OK);
  assert_int_equal(count, expected);
  assert_int_equal(ecs_query_first(scene->query, &first), ECS_OK);
  assert_int_equal(first, count == 0 ? 0 : entities[0]);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t slot = slot_of(scene, entities[i]);
    float parent = 0;
    assert_true(depth_of(scene, slot) >= depth);
    depth = depth_of(scene, slot);
    assert_int_equal(
        ecs_query_locate_run(scene->query, &entities[i], (uint32_t)count - i,
                             elements, &flags, &run),
        ECS_OK);
    assert_int_equal(run, 1);
    assert_true((flags & ECS_ROW_MATCHES) != 0);
    assert_true(*(float *)elements[0] == scene->nodes[slot].global);
    assert_int_equal(parent_value(scene, slot, &parent), elements[2] != NULL);
    if (elements[2] != NULL) assert_true(*(float *)elements[2] == parent);
  }
}

static void run_kernel(Scene *scene) {
  const ecs_KernelCall call = {.user = NULL};
  assert_int_equal(ecs_kernel_run(scene->binding, &call), ECS_OK);
  compute(scene);
}

TEST(random_trees_agree_with_the_oracle) {
  uint32_t most = 0;
  for (uint64_t seed = 0; seed < 32; seed++) {
    Scene scene;
    open_scene(&scene, seed);
    for (uint32_t round = 0; round < ROUNDS; round++) {
      uint32_t changes = random_below(&scene.random, 6);
      for (uint32_t i = 0; i < changes; i++) change(&scene);
      uint32_t count = 0;
      for (uint32_t i = 0; i < SLOTS; i++) count += matches(&scene.nodes[i]);
      if (count > most) most = count;
      switch (random_below(&scene.random, 3)) {
        case 0:
          assert_int_equal(run_batches(&scene, ECS_BATCH_WHOLE), count);
          break;
        case 1:
          assert_int_equal(run_batches(&scene, ECS_BATCH_COALESCED), count);
          break;
        default: run_kernel(&scene); break;
      }
      compare_values(&scene);
      compare_rows(&scene, count);
      assert_true(query_check_invariants(scene.query));
      assert_true(world_check_invariants(scene.world));
    }
    close_scene(&scene);
  }
  assert_true(most >= SLOTS / 3);
}

/* Components that move between groups -------------------------------------- */

TEST(results_do_not_depend_on_storage) {
  uint64_t hashes[16];
  for (uint32_t mode = 0; mode < 16; mode++) {
    Scene scene;
    open_scene(&scene, mode);
    scene.random.state = 77;
    for (uint32_t i = 0; i < 150; i++) change(&scene);
    run_kernel(&scene);
    compare_values(&scene);
    hashes[mode] = ecs_world_state_hash(scene.world);
    assert_int_equal(hashes[mode], hashes[0]);
    close_scene(&scene);
  }
}

TEST(regrouping_makes_a_new_plan) {
  Scene scene;
  open_scene(&scene, 0);
  scene.random.state = 5;
  for (uint32_t i = 0; i < 100; i++) change(&scene);
  for (uint32_t round = 0; round < 4; round++) {
    run_kernel(&scene);
    compare_values(&scene);
    const ecs_Component pair[] = {scene.ids[GLOBAL], scene.ids[LOCAL]};
    assert_int_equal(ecs_group(scene.world, pair + (round & 1u), 1), ECS_OK);
  }
  close_scene(&scene);
}

/* Lists -------------------------------------------------------------------- */

TEST(a_list_is_kept_while_links_and_rows_stay) {
  Scene scene;
  open_scene(&scene, 0);
  for (uint32_t i = 0; i < 6; i++) {
    spawn(&scene, i);
    set_number(&scene, i, LOCAL, 1);
    set_number(&scene, i, GLOBAL, 0);
    link_to(&scene, i, i == 0 ? NOBODY : 0);
  }
  run_kernel(&scene);
  uint32_t builds = scene.query->builds;
  set_number(&scene, 3, LOCAL, 4);
  run_kernel(&scene);
  link_to(&scene, 3, 0); /* where it is linked already */
  run_kernel(&scene);
  assert_int_equal(scene.query->builds, builds);
  link_to(&scene, 3, 2);
  run_kernel(&scene);
  assert_int_equal(scene.query->builds, builds + 1);
  toggle_mark(&scene, 2);
  run_kernel(&scene);
  assert_int_equal(scene.query->builds, builds + 2);
  compare_values(&scene);
  close_scene(&scene);
}

TEST(entities_between_count_for_the_depth) {
  Scene scene;
  open_scene(&scene, 0);
  for (uint32_t i = 0; i < 5; i++) {
    spawn(&scene, i);
    set_number(&scene, i, LOCAL, 1);
    set_number(&scene, i, GLOBAL, 7);
    link_to(&scene, i, i == 0 ? NOBODY : i - 1);
  }
  take_away(&scene, 1, LOCAL); /* its Global stays as it is */
  take_away(&scene, 3, GLOBAL);
  assert_int_equal(run_batches(&scene, ECS_BATCH_COALESCED), 3);
  assert_true(scene.nodes[2].global == computed(1, 7));
  assert_true(scene.nodes[4].global == computed(1, 0));
  assert_int_equal(scene.query->rows.blocks[2].depth, 4);
  close_scene(&scene);
}

/* Also where there were links once, and no room is kept for any. */
TEST(nobody_needs_to_link) {
  Scene scene;
  open_scene(&scene, 0);
  for (uint32_t i = 0; i < 3; i++) {
    spawn(&scene, i);
    set_number(&scene, i, LOCAL, 1);
    set_number(&scene, i, GLOBAL, 7);
  }
  link_to(&scene, 0, 1);
  destroy(&scene, 0);
  assert_int_equal(ecs_world_trim(scene.world), ECS_OK);
  run_kernel(&scene);
  compare_values(&scene);
  close_scene(&scene);
}

#ifdef ECS_TINY
#define CHAIN 20u
#else
#define CHAIN 100000u
#endif

/* From the leaf to the root in the order of rows, so that each depth is found
 * by a walk. */
TEST(a_long_chain_is_walked_without_recursion) {
  Scene scene;
  open_scene(&scene, 0);
  ecs_Entity last = 0, next = 0;
  const float one = 1, zero = 0;
  for (uint32_t i = 0; i < CHAIN; i++) {
    assert_int_equal(ecs_spawn(scene.world, NULL, 0, NULL, &next), ECS_OK);
    ecs_set(scene.world, next, scene.ids[LOCAL], &one, 1);
    ecs_set(scene.world, next, scene.ids[GLOBAL], &zero, 1);
    if (last != 0)
      assert_int_equal(ecs_set(scene.world, last, scene.ids[CHILD], &next, 1),
                       ECS_OK);
    last = next;
  }
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint32_t batches = 0;
  assert_int_equal(ecs_query_begin(scene.query, ECS_BATCH_COALESCED, &cursor),
                   ECS_OK);
  while (ecs_cursor_next(&cursor, &batch)) {
    float *global = batch.columns[0];
    const float *up = batch.columns[2];
    if (batches == 0) assert_int_equal(batch.entities[0], last);
    global[0] = up == NULL ? 1 : up[0] + 1;
    batches++;
    assert_int_equal(batch.count, 1);
    assert_true(global[0] == (float)batches);
  }
  assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
  assert_int_equal(batches, CHAIN);
  close_scene(&scene);
}

/* An element of a target is found anew when the link is another. */
TEST(a_link_that_is_set_makes_rows_grow_old) {
  Scene scene;
  open_scene(&scene, 0);
  void *elements[3];
  uint32_t flags;
  for (uint32_t i = 0; i < 3; i++) {
    spawn(&scene, i);
    set_number(&scene, i, LOCAL, 1);
    set_number(&scene, i, GLOBAL, (float)i);
    link_to(&scene, i, i == 0 ? NOBODY : 0);
  }
  const uint64_t *epoch = ecs_world_row_epoch(scene.world);
  uint64_t before = *epoch;
  ecs_Entity target = 1;
  assert_int_equal(ecs_query_target(scene.query, scene.entities[2], &target),
                   ECS_OK);
  assert_int_equal(target, scene.entities[0]);
  link_to(&scene, 2, 1);
  assert_true(*epoch > before);
  assert_int_equal(
      ecs_query_locate(scene.query, scene.entities[2], elements, &flags),
      ECS_OK);
  assert_true(*(float *)elements[2] == 1);
  assert_int_equal(ecs_query_target(scene.query, scene.entities[2], &target),
                   ECS_OK);
  assert_int_equal(target, scene.entities[1]);
  destroy(&scene, 2);
  assert_int_equal(ecs_query_target(scene.query, scene.entities[2], &target),
                   ECS_E_DEAD);
  assert_int_equal(target, 0);
  close_scene(&scene);
}

/* The border --------------------------------------------------------------- */

static ecs_Status create(Scene *scene, const ecs_Term *terms, uint32_t count) {
  ecs_Query *query = NULL;
  ecs_Status status = ecs_query_create(scene->world, terms, count, &query);
  assert_int_equal(query != NULL, status == ECS_OK);
  return status;
}

TEST(wrong_terms_are_refused) {
  static const ecs_Link plain = {0, ECS_LINK_CLEAR, false};
  Scene scene;
  open_scene(&scene, 0);
  ecs_Component local = scene.ids[LOCAL], child = scene.ids[CHILD];
  ecs_Component follows =
      define(scene.world, "Follows", &parent_field, ECS_STORE_TABLE, &plain);
  const ecs_Term alone[] = {{local, ECS_UP}};
  assert_int_equal(create(&scene, alone, 1), ECS_E_ARGUMENT);
  const ecs_Term two[] = {{child, ECS_ALONG}, {follows, ECS_ALONG}};
  assert_int_equal(create(&scene, two, 2), ECS_E_ARGUMENT);
  const ecs_Term no_tree[] = {{local, ECS_READ}, {follows, ECS_ALONG}};
  assert_int_equal(create(&scene, no_tree, 2), ECS_E_FIELD);
  const ecs_Term no_link[] = {{local, ECS_ALONG}, {local, ECS_UP}};
  assert_int_equal(create(&scene, no_link, 2), ECS_E_FIELD);
  const ecs_Term twice[] = {
      {child, ECS_ALONG}, {local, ECS_UP}, {local, ECS_UP}};
  assert_int_equal(create(&scene, twice, 3), ECS_E_COMPONENT);
  const ecs_Term all[] = {{child, ECS_ALONG},
                          {child, ECS_UP},
                          {child, ECS_READ},
                          {local, ECS_UP},
                          {local, ECS_WRITE}};
  assert_int_equal(create(&scene, all, 5), ECS_OK);
  assert_int_equal(ecs_query_sort(scene.query, 0, 0, false), ECS_E_ARGUMENT);
  assert_int_equal(ecs_query_ask_changes(scene.query, 0), ECS_E_ARGUMENT);
  close_scene(&scene);
}

/* The world's links move when there are more of them. */
TEST(a_query_finds_its_link_among_new_ones) {
  static const ecs_Link plain = {0, ECS_LINK_CLEAR, false};
  Scene scene;
  open_scene(&scene, 0);
  scene.random.state = 3;
  for (uint32_t i = 0; i < 9; i++) {
    char name[] = "Link0";
    name[4] = (char)('0' + i);
    for (uint32_t k = 0; k < 10; k++) change(&scene);
    define(scene.world, name, &parent_field, ECS_STORE_TABLE, &plain);
    run_kernel(&scene);
    compare_values(&scene);
  }
  close_scene(&scene);
}

TEST(what_is_read_of_targets_is_claimed) {
  Scene scene;
  open_scene(&scene, 0);
  const ecs_Term up[] = {{scene.ids[CHILD], ECS_ALONG},
                         {scene.ids[GLOBAL], ECS_UP}};
  const ecs_Term write = {scene.ids[GLOBAL], ECS_WRITE};
  const ecs_Term read = {scene.ids[GLOBAL], ECS_READ};
  ecs_Query *along = tree_query(&scene, up, 2);
  ecs_Query *writer = tree_query(&scene, &write, 1);
  ecs_Query *reader = tree_query(&scene, &read, 1);
  ecs_Cursor outer, inner;
  assert_int_equal(ecs_query_begin(along, ECS_BATCH_WHOLE, &outer), ECS_OK);
  assert_int_equal(ecs_query_begin(writer, ECS_BATCH_WHOLE, &inner),
                   ECS_E_ACCESS);
  assert_int_equal(ecs_query_begin(reader, ECS_BATCH_WHOLE, &inner), ECS_OK);
  assert_int_equal(ecs_cursor_end(&inner), ECS_OK);
  assert_int_equal(ecs_cursor_end(&outer), ECS_OK);
  close_scene(&scene);
}

TEST(a_failed_allocation_changes_nothing) {
  for (uint64_t seed = 0; seed < 16; seed += 5) {
    Scene scene;
    open_scene(&scene, seed);
    scene.random.state = 9;
    for (uint32_t i = 0; i < 150; i++) change(&scene);
    for (uint32_t n = 1;; n++) {
      const ecs_KernelCall call = {.user = NULL};
      assert_int_equal(ecs_world_trim(scene.world), ECS_OK);
      query_drop_plan(scene.query);
      failing_memory_arm(&scene.failing, n, FAIL_ONCE);
      ecs_Status status = ecs_kernel_run(scene.binding, &call);
      uint64_t failures = failing_memory_disarm(&scene.failing);
      if (failures == 0) assert_int_equal(status, ECS_OK);
      if (failures == 0) break;
      assert_int_equal(status, ECS_E_MEMORY);
      compare_values(&scene);
    }
    compute(&scene);
    compare_values(&scene);
    close_scene(&scene);
  }
}

TEST(the_explanation_says_what_it_goes_along) {
  char text[1000];
  Scene scene;
  open_scene(&scene, 0);
  for (uint32_t i = 0; i < 3; i++) {
    spawn(&scene, i);
    set_number(&scene, i, LOCAL, 1);
    set_number(&scene, i, GLOBAL, 7);
    link_to(&scene, i, i == 0 ? NOBODY : 0);
  }
  ecs_query_explain(scene.query, text, sizeof text);
  assert_non_null(strstr(text, "tree plan, 3 rows match\n"));
  assert_non_null(
      strstr(text,
             "  along ChildOf.parent by depth, targets first: 2 depths\n"
             "    up Global\n"));
  assert_non_null(strstr(text, "every change of these groups or links\n"));
  close_scene(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_trees_agree_with_the_oracle),
      cmocka_unit_test(results_do_not_depend_on_storage),
      cmocka_unit_test(regrouping_makes_a_new_plan),
      cmocka_unit_test(a_list_is_kept_while_links_and_rows_stay),
      cmocka_unit_test(entities_between_count_for_the_depth),
      cmocka_unit_test(nobody_needs_to_link),
      cmocka_unit_test(a_long_chain_is_walked_without_recursion),
      cmocka_unit_test(a_link_that_is_set_makes_rows_grow_old),
      cmocka_unit_test(wrong_terms_are_refused),
      cmocka_unit_test(a_query_finds_its_link_among_new_ones),
      cmocka_unit_test(what_is_read_of_targets_is_claimed),
      cmocka_unit_test(a_failed_allocation_changes_nothing),
      cmocka_unit_test(the_explanation_says_what_it_goes_along),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

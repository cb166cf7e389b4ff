/* tree_gather_test.c: columns of targets that are gathered in pairs, whatever
 * the order of the rows. */
#include "api_fixture.h"
#include "ecs_kernel.h"
#include "query/gather.h"
#include "world/world.h"
#include "test_case.h"

#ifdef ECS_TINY
#define NODES 40u
#else
#define NODES 4000u
#endif
#define ROOTS (NODES / 10)
#define INNER (NODES / 3) /* roots and their children */

typedef enum Order { IN_ORDER, RANDOM, SHUFFLED, ORDERS } Order;

/* A global position of three fields: a pair and one more. */
typedef struct Point {
  float x, y, z;
} Point;

typedef struct Nodes {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component local, global, child;
  ecs_Query *query;
  ecs_KernelBinding *binding;
  ecs_Entity entities[NODES];
  uint32_t parents[NODES]; /* a root has itself */
  Point points[NODES];
  uint64_t seed;
} Nodes;

static uint32_t below(Nodes *nodes, uint32_t most) {
  nodes->seed = nodes->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(nodes->seed >> 33) % most;
}

static void transform(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    void *const *c = call->blocks[b].columns;
    float *x = c[0], *y = c[1], *z = c[2];
    const float *local = c[3], *px = c[4], *py = c[5], *pz = c[6];
    for (uint32_t i = 0; i < call->blocks[b].count; i++) {
      x[i] = local[i] + (px == NULL ? 1 : px[i]);
      y[i] = local[i] - (py == NULL ? 2 : py[i]);
      z[i] = local[i] + (pz == NULL ? 3 : 2 * pz[i]);
    }
  }
}
static const ecs_KernelColumn columns[] = {
    {"Global", "x", ECS_F32, ECS_WRITE}, {"Global", "y", ECS_F32, ECS_WRITE},
    {"Global", "z", ECS_F32, ECS_WRITE}, {"Local", "x", ECS_F32, ECS_READ},
    {"Global", "x", ECS_F32, ECS_UP},    {"Global", "y", ECS_F32, ECS_UP},
    {"Global", "z", ECS_F32, ECS_UP}};
static const ecs_Kernel kernel = ECS_KERNEL("transform", transform, columns);

static ecs_Component define(ecs_World *world, const char *name,
                            const ecs_Field *fields, uint32_t count,
                            const ecs_Link *link) {
  ecs_Component component = 0;
  const ecs_ComponentDescription description = {.name = name,
                                                .fields = fields,
                                                .field_count = count,
                                                .links = link,
                                                .link_count = link != NULL};
  assert_int_equal(ecs_component(world, &description, &component), ECS_OK);
  return component;
}

/* Rows are in the order of numbers, or shuffled. */
static void spawn_all(Nodes *nodes, Order order) {
  const ecs_Component parts[] = {nodes->local, nodes->global, nodes->child};
  uint32_t numbers[NODES];
  for (uint32_t i = 0; i < NODES; i++) numbers[i] = i;
  for (uint32_t i = NODES - 1; order == SHUFFLED && i > 0; i--) {
    uint32_t k = below(nodes, i + 1), number = numbers[i];
    numbers[i] = numbers[k];
    numbers[k] = number;
  }
  for (uint32_t i = 0; i < NODES; i++) {
    const ecs_Entity nobody = 0;
    const Point zero = {0, 0, 0};
    float local = (float)(numbers[i] % 8);
    const void *values[] = {&local, &zero, &nobody};
    assert_int_equal(
        ecs_spawn(nodes->world, parts, 3, values, &nodes->entities[numbers[i]]),
        ECS_OK);
  }
}

static void link_all(Nodes *nodes, Order order) {
  for (uint32_t i = 0; i < NODES; i++) {
    uint32_t first = i < INNER ? 0 : ROOTS, above = i < INNER ? ROOTS : INNER;
    uint32_t before = i < INNER ? ROOTS : INNER;
    uint32_t count = i < INNER ? INNER - ROOTS : NODES - INNER;
    nodes->parents[i] = i;
    if (i < ROOTS) continue;
    nodes->parents[i] =
        first + (order == IN_ORDER ? (i - before) * (above - first) / count
                                   : below(nodes, above - first));
    assert_int_equal(ecs_set(nodes->world, nodes->entities[i], nodes->child,
                             &nodes->entities[nodes->parents[i]], 1),
                     ECS_OK);
  }
}

static void open_nodes(Nodes *nodes, Order order) {
  static const ecs_Field parent = {"parent", ECS_ENTITY, 0};
  static const ecs_Field fields[] = {
      {"x", ECS_F32, 0}, {"y", ECS_F32, 0}, {"z", ECS_F32, 0}};
  static const ecs_Link link = {0, ECS_LINK_DESTROY, true};
  nodes->seed = 5;
  nodes->world = open_world(&nodes->failing);
  nodes->local = define(nodes->world, "Local", fields, 1, NULL);
  nodes->global = define(nodes->world, "Global", fields, 3, NULL);
  nodes->child = define(nodes->world, "ChildOf", &parent, 1, &link);
  spawn_all(nodes, order);
  link_all(nodes, order);
  const ecs_Term terms[] = {{nodes->global, ECS_WRITE},
                            {nodes->local, ECS_READ},
                            {nodes->child, ECS_ALONG},
                            {nodes->global, ECS_UP}};
  assert_int_equal(ecs_query_create(nodes->world, terms, 4, &nodes->query),
                   ECS_OK);
  assert_int_equal(
      ecs_kernel_bind(nodes->query, &kernel, &nodes->binding, NULL), ECS_OK);
}

static void check_nodes(Nodes *nodes) {
  for (uint32_t i = 0; i < NODES; i++) {
    const Point *above = &nodes->points[nodes->parents[i]];
    float local = (float)(i % 8);
    bool root = i < ROOTS;
    Point global,
        wanted = {local + (root ? 1 : above->x), local - (root ? 2 : above->y),
                  local + (root ? 3 : 2 * above->z)};
    assert_int_equal(
        ecs_get(nodes->world, nodes->entities[i], nodes->global, &global),
        ECS_OK);
    assert_true(global.x == wanted.x && global.y == wanted.y &&
                global.z == wanted.z);
    nodes->points[i] = wanted;
  }
}

static ecs_Status run(Nodes *nodes) {
  return ecs_kernel_run(nodes->binding, &(ecs_KernelCall){.user = NULL});
}

static uint32_t count_steps(const ecs_Query *query) {
  uint32_t steps = 0;
  for (uint32_t i = 0; i < query->list->block_count; i++)
    if (query->list->blocks[i].depth > 0) steps += query->list->blocks[i].steps;
  return steps;
}

TEST(every_order_gives_the_same) {
  static Nodes nodes;
  for (Order order = IN_ORDER; order < ORDERS; order++) {
    open_nodes(&nodes, order);
    for (uint32_t turn = 0; turn < 3; turn++) {
      assert_int_equal(run(&nodes), ECS_OK);
      check_nodes(&nodes);
    }
    if (order == IN_ORDER) assert_true(count_steps(nodes.query) > 1);
    bool packed = nodes.query->scratches->pack_capacity > 0;
    assert_int_equal(packed, order != IN_ORDER);
    close_world(nodes.world, &nodes.failing);
  }
}

/* The other way to gather needs none. */
TEST(without_memory_nothing_is_packed) {
  static Nodes nodes;
  open_nodes(&nodes, RANDOM);
  assert_int_equal(run(&nodes), ECS_OK); /* the list has its memory */
  check_nodes(&nodes);
  uint32_t refused = 0, unpacked = 0;
  for (uint32_t n = 1;; n++) {
    scratch_free_all(nodes.query);
    failing_memory_arm(&nodes.failing, n, FAIL_ONWARD);
    ecs_Status status = run(&nodes);
    bool failed = failing_memory_disarm(&nodes.failing) > 0;
    refused += status == ECS_E_MEMORY;
    if (status != ECS_OK) continue;
    check_nodes(&nodes);
    if (!failed) break;
    unpacked++;
  }
  assert_int_not_equal(refused, 0);
  assert_int_not_equal(unpacked, 0);
  close_world(nodes.world, &nodes.failing);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_order_gives_the_same),
      cmocka_unit_test(without_memory_nothing_is_packed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

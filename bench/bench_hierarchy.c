/* bench_hierarchy.c: positions of 100,000 nodes of a tree with 6 levels.
 *
 * A node has a local and a global position of two f32 each. Nodes are spawned
 * level by level, with their parents
 *
 *      in order    children in the order of their parents
 *      random      any node of the level above
 *      shuffled    likewise, and rows in random order, whatever their level
 *
 * - flat: the global position from the local one, without parents.
 * - by hand: the tree in arrays by level; each node knows its parent's row.
 * - up: from the local position and the parent's global one, by a native kernel
 *   or a program over a query along the tree. The baseline is flat by the same
 *   means, in a world of its own, so the ratio is what the tree costs.
 * - list: the sorted list of the nodes, after one link or one table has changed;
 *   beside it, rows sorted by depth and parent by hand, two counting sorts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#define LEVELS 6u
static const uint32_t shares[LEVELS] = {100, 900, 5000, 14000, 30000, 50000};
#define NODES 100000u

typedef enum Order { IN_ORDER, RANDOM, SHUFFLED } Order;
static const char *const order_names[] = {"in order", "random", "shuffled"};

typedef struct Tree {
  ecs_World *world;
  ecs_Component local, global, child;
  ecs_Query *query;
  ecs_KernelBinding *binding;
  ecs_Program *program;
  ecs_Entity *entities; /* by number */
  uint32_t *parents;    /* likewise; roots have themselves */
  uint32_t *depths;     /* likewise */
  uint32_t *places;     /* scratch of a sort by hand */
  uint32_t *order;
  uint32_t starts[LEVELS + 1]; /* numbers of each level */
  uint32_t size;
  float *columns[4]; /* by hand: global x and y, local x and y, by number */
  uint32_t turn;
  bool up;
} Tree;

/* Made by hand ---------------------------------------------------------------- */

static void make_parents(Tree *tree, Order order, uint32_t size) {
  uint64_t seed = 7;
  uint32_t next = 0;
  tree->size = size;
  tree->parents = scene_allocate(size, sizeof *tree->parents);
  tree->depths = scene_allocate(size, sizeof *tree->depths);
  tree->places = scene_allocate(size + 1, sizeof *tree->places);
  tree->order = scene_allocate(size, sizeof *tree->order);
  for (uint32_t d = 0; d < LEVELS; d++) {
    uint32_t count = (uint32_t)((uint64_t)shares[d] * size / NODES);
    if (count == 0) count = 1;
    if (d + 1 == LEVELS) count = size - next;
    uint32_t above = d == 0 ? 0 : next - tree->starts[d - 1];
    tree->starts[d] = next;
    for (uint32_t i = 0; i < count; i++) {
      uint32_t parent = next + i;
      if (d > 0)
        parent = tree->starts[d - 1] +
                 (uint32_t)(order == IN_ORDER ? (uint64_t)i * above / count
                                              : measure_random(&seed) % above);
      tree->parents[next + i] = parent;
      tree->depths[next + i] = d;
    }
    next += count;
  }
  tree->starts[LEVELS] = next;
  for (uint32_t k = 0; k < 4; k++) {
    tree->columns[k] = scene_allocate(size, sizeof(float));
    for (uint32_t i = 0; i < size; i++)
      tree->columns[k][i] = k < 2 ? 0 : (float)(i % (8 + k));
  }
}

static __attribute__((noinline)) void move_level(
    float *restrict x, float *restrict y, const float *restrict lx,
    const float *restrict ly, const uint32_t *restrict parents, const float *px,
    const float *py, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    x[i] = lx[i] + px[parents[i]];
    y[i] = ly[i] + py[parents[i]];
  }
}

static __attribute__((noinline)) void move_flat(float *restrict x,
                                                float *restrict y,
                                                const float *restrict lx,
                                                const float *restrict ly,
                                                uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    x[i] = lx[i] * 0.5f + 1;
    y[i] = ly[i] * 0.5f + 2;
  }
}

static void run_by_hand(void *state, uint32_t iterations) {
  const Tree *tree = state;
  float *const *c = tree->columns;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    uint32_t roots = tree->starts[1];
    memcpy(c[0], c[2], roots * sizeof(float));
    memcpy(c[1], c[3], roots * sizeof(float));
    for (uint32_t d = 1; d < LEVELS; d++) {
      uint32_t first = tree->starts[d];
      move_level(c[0] + first, c[1] + first, c[2] + first, c[3] + first,
                 tree->parents + first, c[0], c[1],
                 tree->starts[d + 1] - first);
    }
  }
}

static void run_flat_by_hand(void *state, uint32_t iterations) {
  const Tree *tree = state;
  float *const *c = tree->columns;
  for (uint32_t turn = 0; turn < iterations; turn++)
    move_flat(c[0], c[1], c[2], c[3], tree->size);
}

/* Made by the library ------------------------------------------------------ */

static void flat(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    void *const *c = block->columns;
    move_flat(c[0], c[1], c[2], c[3], block->count);
  }
}

static void up(const ecs_KernelCall *call) {
  for (uint32_t b = 0; b < call->block_count; b++) {
    const ecs_KernelBlock *block = &call->blocks[b];
    float *restrict x = block->columns[0], *restrict y = block->columns[1];
    const float *restrict lx = block->columns[2];
    const float *restrict ly = block->columns[3];
    const float *restrict px = block->columns[4];
    const float *restrict py = block->columns[5];
    if (px == NULL) {
      memcpy(x, lx, block->count * sizeof(float));
      memcpy(y, ly, block->count * sizeof(float));
      continue;
    }
    for (uint32_t i = 0; i < block->count; i++) {
      x[i] = lx[i] + px[i];
      y[i] = ly[i] + py[i];
    }
  }
}

static const ecs_KernelColumn columns[] = {
    {"Global", "f0", ECS_F32, ECS_WRITE}, {"Global", "f1", ECS_F32, ECS_WRITE},
    {"Local", "f0", ECS_F32, ECS_READ},   {"Local", "f1", ECS_F32, ECS_READ},
    {"Global", "f0", ECS_F32, ECS_UP},    {"Global", "f1", ECS_F32, ECS_UP}};
static const ecs_Kernel flat_kernel = {"flat", flat, columns, 4, 0, NULL, NULL};
static const ecs_Kernel up_kernel = {"up", up, columns, 6, 0, NULL, NULL};

#define DECLARED                            \
  "column c0 \"Global\" \"f0\" f32 write\n" \
  "column c1 \"Global\" \"f1\" f32 write\n" \
  "column c2 \"Local\" \"f0\" f32 read\n"   \
  "column c3 \"Local\" \"f1\" f32 read\n"

static const char flat_program[] = DECLARED
    "v0 = load f32 c2\n"
    "v1 = constant f32 0.5\n"
    "v2 = mul f32 v0 v1\n"
    "v3 = constant f32 1\n"
    "v4 = add f32 v2 v3\n"
    "store c0 v4\n"
    "v5 = load f32 c3\n"
    "v6 = mul f32 v5 v1\n"
    "v7 = constant f32 2\n"
    "v8 = add f32 v6 v7\n"
    "store c1 v8\n";

/* An absent column loads as 0. */
static const char up_program[] = DECLARED
    "column c4 \"Global\" \"f0\" f32 up\n"
    "column c5 \"Global\" \"f1\" f32 up\n"
    "v0 = load f32 c2\n"
    "v1 = load f32 c4\n"
    "v2 = add f32 v0 v1\n"
    "store c0 v2\n"
    "v3 = load f32 c3\n"
    "v4 = load f32 c5\n"
    "v5 = add f32 v3 v4\n"
    "store c1 v5\n";

static void define(Tree *tree) {
  static const ecs_Field field = {"parent", ECS_ENTITY, 0};
  static const ecs_Link link = {0, ECS_LINK_DESTROY, true};
  const ecs_ComponentDescription description = {.name = "ChildOf",
                                                .fields = &field,
                                                .field_count = 1,
                                                .links = &link,
                                                .link_count = 1};
  tree->world = scene_world();
  tree->local = scene_component(tree->world, "Local", 2, ECS_STORE_TABLE);
  tree->global = scene_component(tree->world, "Global", 2, ECS_STORE_TABLE);
  MUST(ecs_component(tree->world, &description, &tree->child));
}

static void prepare_query(Tree *tree) {
  const ecs_Term terms[] = {{tree->global, ECS_WRITE},
                            {tree->local, ECS_READ},
                            {tree->child, ECS_ALONG},
                            {tree->global, ECS_UP}};
  const char *text = tree->up ? up_program : flat_program;
  char message[200];
  MUST(ecs_query_create(tree->world, terms, tree->up ? 4 : 2, &tree->query));
  MUST(ecs_kernel_bind(tree->query, tree->up ? &up_kernel : &flat_kernel,
                       &tree->binding, NULL));
  ecs_Status status = ecs_program_create(
      tree->query, text, strlen(text), &tree->program, message, sizeof message);
  if (status != ECS_OK) measure_fail("program", message);
}

/* All have the three components, roots with a link to nothing. */
static void spawn_nodes(Tree *tree, Order order) {
  const ecs_Component parts[] = {tree->local, tree->global, tree->child};
  tree->entities = scene_allocate(tree->size, sizeof *tree->entities);
  for (uint32_t i = 0; i < tree->size; i++) tree->order[i] = i;
  if (order == SHUFFLED) measure_shuffle(tree->order, tree->size, 3);
  for (uint32_t k = 0; k < tree->size; k++) {
    uint32_t i = tree->order[k];
    const float local[] = {tree->columns[2][i], tree->columns[3][i]};
    const float global[] = {0, 0};
    const ecs_Entity no_entity = 0;
    const void *const values[] = {local, global, &no_entity};
    MUST(ecs_spawn(tree->world, parts, 3, values, &tree->entities[i]));
  }
  MUST(ecs_defer_begin(tree->world));
  for (uint32_t i = tree->starts[1]; i < tree->size; i++)
    MUST(ecs_set(tree->world, tree->entities[i], tree->child,
                 &tree->entities[tree->parents[i]], 1));
  MUST(ecs_defer_end(tree->world));
}

static void tree_init(Tree *tree, Order order, uint32_t size, bool along) {
  *tree = (Tree){.up = along};
  make_parents(tree, order, size);
  define(tree);
  spawn_nodes(tree, order);
  prepare_query(tree);
}

static void tree_deinit(Tree *tree) {
  ecs_world_destroy(tree->world);
  free(tree->entities);
  free(tree->parents);
  free(tree->depths);
  free(tree->places);
  free(tree->order);
  for (uint32_t k = 0; k < 4; k++) free(tree->columns[k]);
}

static void run_native(void *state, uint32_t iterations) {
  const Tree *tree = state;
  const ecs_KernelCall call = {.user = NULL};
  for (uint32_t turn = 0; turn < iterations; turn++)
    MUST(ecs_kernel_run(tree->binding, &call));
}

static void run_program(void *state, uint32_t iterations) {
  const Tree *tree = state;
  const ecs_ProgramCall call = {.uniforms = NULL};
  for (uint32_t turn = 0; turn < iterations; turn++)
    MUST(ecs_program_run(tree->program, &call));
}

/* Compares every node with what is computed by hand. */
static uint64_t check_world(void *state) {
  Tree *tree = state;
  (tree->up ? run_by_hand : run_flat_by_hand)(tree, 1);
  for (uint32_t i = 0; i < tree->size; i++) {
    float global[2];
    MUST(ecs_get(tree->world, tree->entities[i], tree->global, global));
    if (global[0] != tree->columns[0][i] || global[1] != tree->columns[1][i])
      measure_fail("hierarchy", "a node is not where it is by hand");
  }
  return 1;
}

static uint64_t nothing_to_check(void *state) {
  (void)state;
  return 1;
}

/* Rows of the table -------------------------------------------------------- */

typedef void Work(void *state, uint32_t iterations);

static void bench_run(const char *name, Order order, Work *run, double aim) {
  uint32_t size = measure_size(NODES);
  Tree level, tree;
  if (!measure_wanted(name)) return;
  tree_init(&level, order, size, false);
  tree_init(&tree, order, size, true);
  MeasureRow row = {.name = name,
                    .order = order_names[order],
                    .memory = "warm",
                    .size = NODES,
                    .operations = size,
                    .hand = {&level, NULL, run, check_world},
                    .ours = {&tree, NULL, run, check_world},
                    .aim_ratio = aim};
  if (run == run_by_hand) {
    row.hand = (MeasureSide){&level, NULL, run_flat_by_hand, nothing_to_check};
    row.ours = (MeasureSide){&tree, NULL, run_by_hand, nothing_to_check};
  }
  measure_row(&row);
  tree_deinit(&level);
  tree_deinit(&tree);
}

/* Links the last node to another parent of the level above. */
static void change_link(void *state) {
  Tree *tree = state;
  uint32_t last = tree->size - 1, level = LEVELS - 2;
  tree->parents[last] = tree->starts[level] + (tree->turn++ & 1u);
  MUST(ecs_set(tree->world, tree->entities[last], tree->child,
               &tree->entities[tree->parents[last]], 1));
}

static void change_table(void *state) {
  Tree *tree = state;
  ecs_Entity other;
  MUST(ecs_spawn(tree->world, &tree->local, 1, NULL, &other));
  MUST(ecs_destroy(tree->world, other));
}

static void make_list(void *state, uint32_t iterations) {
  Tree *tree = state;
  uint64_t count = 0;
  for (uint32_t turn = 0; turn < iterations; turn++)
    MUST(ecs_query_count(tree->query, &count));
}

/* A counting sort of rows by keys, from one array to another. */
static void sort_by(const uint32_t *keys, uint32_t *starts, uint32_t key_count,
                    const uint32_t *from, uint32_t *to, uint32_t count) {
  memset(starts, 0, (key_count + 1) * sizeof *starts);
  for (uint32_t i = 0; i < count; i++) starts[keys[i] + 1]++;
  for (uint32_t i = 0; i < key_count; i++) starts[i + 1] += starts[i];
  for (uint32_t i = 0; i < count; i++) to[starts[keys[from[i]]]++] = from[i];
}

/* Depths and parents' rows are known. Parents of a level are in order of depth,
 * so that one sort by parent does. */
static void sort_by_hand(void *state, uint32_t iterations) {
  Tree *tree = state;
  for (uint32_t turn = 0; turn < iterations; turn++) {
    memset(tree->places, 0, (tree->size + 1) * sizeof *tree->places);
    for (uint32_t i = 0; i < tree->size; i++) tree->order[i] = i;
    uint32_t *to = (uint32_t *)(void *)tree->columns[0];
    sort_by(tree->parents, tree->places, tree->size, tree->order, to,
            tree->size);
  }
}

/* Both sides work on one tree. change: before each of ours; NULL: nothing. */
static void bench_tree(const char *name, Order order, Work *hand, Work *ours,
                       void (*change)(void *), double ratio,
                       double nanoseconds) {
  uint32_t size = measure_size(NODES);
  Tree tree;
  if (!measure_wanted(name)) return;
  tree_init(&tree, order, size, true);
  run_native(&tree, 1);
  measure_row(&(MeasureRow){.name = name,
                            .order = order_names[order],
                            .memory = "warm",
                            .size = NODES,
                            .operations = size,
                            .hand = {&tree, NULL, hand, nothing_to_check},
                            .ours = {&tree, change, ours, nothing_to_check},
                            .aim_ratio = ratio,
                            .aim_nanoseconds = nanoseconds});
  run_native(&tree, 1);
  check_world(&tree);
  tree_deinit(&tree);
}

/* By hand and by a native kernel. */
static void bench_hand(const char *name, Order order, double aim) {
  bench_tree(name, order, run_by_hand, run_native, NULL, aim, 0);
}

static void bench_list(const char *name, Order order, void (*change)(void *)) {
  bench_tree(name, order, sort_by_hand, make_list, change, 0, 8);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments,
               "A tree of 100,000 nodes in 6 levels");
  static const double most[] = {2.2, 3, 0}, beside_hand[] = {1.5, 1.3, 0};
  for (Order order = IN_ORDER; order <= SHUFFLED; order++) {
    if (order != SHUFFLED) bench_run("by hand / flat", order, run_by_hand, 0);
    bench_hand("native: up / by hand", order, beside_hand[order]);
    bench_run("native: up / flat", order, run_native, most[order]);
    bench_run("program: up / flat", order, run_program, most[order]);
    bench_list("list after a link", order, change_link);
    bench_list("list after a table", order, change_table);
  }
  measure_close();
  return 0;
}

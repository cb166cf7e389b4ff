/* bench_family.c: entities of six components with a child each.
 *
 * The baseline spawns them one by one, each with ecs_spawn_bundle: the entity,
 * then its child, with the link to it
 *
 * - in the values of the child
 * - by ecs_set, behind the spawn of the child
 *
 * The library's side is one call of ecs_spawn_family; for the last row, one call
 * for each copy. Values are the same for all. Both worlds have held as many
 * entities before; clearing them is not timed. A time is per entity with its
 * child. */
#include "scene.h"

#define COMPONENTS 6u
#define SIZE 100000u

typedef enum Way { TOGETHER, ONE_BY_ONE, LINKED_IN_VALUES, LINKED_BEHIND } Way;

typedef struct Families {
  ecs_World *world;
  ecs_Component components[COMPONENTS], child_of;
  ecs_Query *parents, *children;
  ecs_Bundle parent, child;
  float values[2 * COMPONENTS];
  const void *images[COMPONENTS];
  uint32_t size;
  Way way;
} Families;

static ecs_Component define_link(ecs_World *world) {
  static const ecs_Field parent = {"parent", ECS_ENTITY, 0};
  static const ecs_Link link = {0, ECS_LINK_DESTROY, true};
  const ecs_ComponentDescription description = {.name = "ChildOf",
                                                .fields = &parent,
                                                .field_count = 1,
                                                .links = &link,
                                                .link_count = 1};
  ecs_Component component = 0;
  MUST(ecs_component(world, &description, &component));
  return component;
}

static void families_init(Families *families, Way way) {
  *families = (Families){.world = scene_world(), .way = way};
  ecs_World *world = families->world;
  families->size = measure_size(SIZE);
  scene_components(world, "Component", COMPONENTS, families->components);
  families->child_of = define_link(world);
  const ecs_Component child[] = {families->components[0], families->child_of};
  MUST(ecs_bundle(world, families->components, COMPONENTS, &families->parent));
  MUST(ecs_bundle(world, child, 2, &families->child));
  scene_values(families->values, 2 * COMPONENTS, 3);
  for (uint32_t k = 0; k < COMPONENTS; k++)
    families->images[k] = &families->values[2 * k];
  families->parents =
      scene_query(world, families->components, COMPONENTS, ECS_READ);
  families->children = scene_query(world, &families->child_of, 1, ECS_WITH);
}

static void prepare(void *state) {
  MUST(ecs_world_clear(((Families *)state)->world));
}

static void spawn_together(Families *families, uint32_t calls,
                           uint32_t copies) {
  const void *child[] = {families->images[0], NULL};
  const ecs_Member members[] = {{families->parent, families->images, 0},
                                {families->child, child, 0}};
  const ecs_Family family = {
      .members = members, .member_count = 2, .link = families->child_of};
  for (uint32_t k = 0; k < calls; k++)
    MUST(ecs_spawn_family(families->world, &family, copies, NULL));
}

static void spawn_linked(Families *families) {
  for (uint32_t k = 0; k < families->size; k++) {
    ecs_Entity parent = 0, child = 0;
    const void *values[] = {families->images[0], &parent};
    if (families->way == LINKED_BEHIND) values[1] = NULL;
    MUST(ecs_spawn_bundle(families->world, families->parent, families->images,
                          &parent));
    MUST(ecs_spawn_bundle(families->world, families->child, values, &child));
    if (families->way == LINKED_BEHIND)
      MUST(ecs_set(families->world, child, families->child_of, &parent, 1));
  }
}

static void run(void *state, uint32_t iterations) {
  Families *families = state;
  (void)iterations; /* always 1, as the side has a prepare function */
  if (families->way == TOGETHER)
    spawn_together(families, 1, families->size);
  else if (families->way == ONE_BY_ONE)
    spawn_together(families, families->size, 1);
  else
    spawn_linked(families);
}

/* Values of the parents, and that each has one child. */
static uint64_t check(void *state) {
  Families *families = state;
  uint64_t hash = measure_mix(scene_hash(families->parents),
                              scene_count(families->children));
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint64_t linked = 0;
  MUST(ecs_query_begin(families->parents, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch))
    for (uint32_t i = 0; i < batch.count; i++) {
      uint32_t count = 0;
      MUST(ecs_links(families->world, batch.entities[i], families->child_of, 0,
                     NULL, 0, &count));
      linked += count == 1;
    }
  MUST(ecs_cursor_end(&cursor));
  return measure_mix(hash, linked);
}

static void bench(const char *name, Way hand_way, Way our_way, double aim) {
  Families hand, ours;
  if (!measure_wanted(name)) return;
  families_init(&hand, hand_way);
  families_init(&ours, our_way);
  measure_row(&(MeasureRow){.name = name,
                            .order = "in order",
                            .memory = "warm",
                            .size = hand.size,
                            .operations = hand.size,
                            .hand = {&hand, prepare, run, check},
                            .ours = {&ours, prepare, run, check},
                            .aim_ratio = aim});
  ecs_world_destroy(hand.world);
  ecs_world_destroy(ours.world);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "families");
  bench("with a child, to links in values", LINKED_IN_VALUES, TOGETHER, 1.3);
  bench("with a child, to links set", LINKED_BEHIND, TOGETHER, 1.3);
  bench("one at a time, to links in values", LINKED_IN_VALUES, ONE_BY_ONE, 0);
  measure_close();
  return 0;
}

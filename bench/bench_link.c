/* bench_link.c: what links cost.
 *
 * Entities link to others by a component of one link, which is cleared. By
 * hand: arrays by the number of an entity, with the same lists in them.
 *
 * - link anew: every one of so many entities links to another target, drawn at
 *   random, once; targets are so many other entities. In order: the entities
 *   one after the other, each to the target that follows its own.
 * - spawn + destroy a family: an entity is spawned, eight that link to it by a
 *   link that destroys, and it is destroyed. A time is per entity.
 *
 * The result is the number of links of each target, and their order. */
#include <stdlib.h>

#include "scene.h"

#define FAMILY 9u

/* Links of the sources 0 .. size - 1 to the targets size .. 2 * size - 1. */
typedef struct HandNode {
  uint32_t target, next, previous, first, last, count; /* numbers plus one */
} HandNode;

typedef struct Links {
  ecs_World *world;
  ecs_Component to, family;
  ecs_Entity *entities;
  HandNode *nodes;
  uint32_t size;
  bool random;
  uint64_t seed, hand_seed;
  uint32_t turn, hand_turn;
} Links;

/* By hand ----------------------------------------------------------------- */

static void hand_take(HandNode *nodes, uint32_t source) {
  HandNode *node = &nodes[source], *to = &nodes[node->target - 1];
  *(node->previous == 0 ? &to->first : &nodes[node->previous - 1].next) =
      node->next;
  *(node->next == 0 ? &to->last : &nodes[node->next - 1].previous) =
      node->previous;
  to->count--;
}

static void hand_link(HandNode *nodes, uint32_t source, uint32_t target) {
  HandNode *node = &nodes[source], *to = &nodes[target];
  if (node->target == target + 1) return;
  if (node->target != 0) hand_take(nodes, source);
  node->target = target + 1;
  node->next = 0;
  node->previous = to->last;
  *(to->last == 0 ? &to->first : &nodes[to->last - 1].next) = source + 1;
  to->last = source + 1;
  to->count++;
}

/* Linking anew ------------------------------------------------------------ */

static uint32_t target_of(const Links *links, uint64_t *seed, uint32_t turn,
                          uint32_t k) {
  uint32_t drawn =
      links->random ? (uint32_t)(measure_random(seed) >> 32) : k + turn;
  return links->size + drawn % links->size;
}

static void hand_relink(void *state, uint32_t iterations) {
  Links *links = state;
  for (uint32_t i = 0; i < iterations; i++) {
    uint32_t turn = ++links->hand_turn;
    for (uint32_t k = 0; k < links->size; k++)
      hand_link(links->nodes, k, target_of(links, &links->hand_seed, turn, k));
  }
}

static void relink(void *state, uint32_t iterations) {
  Links *links = state;
  for (uint32_t i = 0; i < iterations; i++) {
    uint32_t turn = ++links->turn;
    for (uint32_t k = 0; k < links->size; k++) {
      uint32_t target = target_of(links, &links->seed, turn, k);
      MUST(ecs_set(links->world, links->entities[k], links->to,
                   &links->entities[target], 1));
    }
  }
}

static uint64_t hand_check(void *state) {
  const Links *links = state;
  uint64_t hash = 0;
  for (uint32_t k = links->size; k < 2 * links->size; k++) {
    hash = measure_mix(hash, links->nodes[k].count);
    for (uint32_t s = links->nodes[k].first; s != 0;
         s = links->nodes[s - 1].next)
      hash = measure_mix(hash, s);
  }
  return hash;
}

static uint64_t check(void *state) {
  const Links *links = state;
  uint64_t hash = 0;
  ecs_Entity *sources = scene_allocate(links->size, sizeof *sources);
  for (uint32_t k = links->size; k < 2 * links->size; k++) {
    uint32_t count = 0;
    MUST(ecs_links(links->world, links->entities[k], links->to, 0, sources,
                   links->size, &count));
    hash = measure_mix(hash, count);
    for (uint32_t i = 0; i < count; i++) hash = measure_mix(hash, sources[i]);
  }
  free(sources);
  return hash;
}

/* Families ---------------------------------------------------------------- */

static void families(void *state, uint32_t iterations) {
  Links *links = state;
  for (uint32_t i = 0; i < iterations; i++)
    for (uint32_t k = 0; k < links->size / FAMILY; k++) {
      ecs_Entity root = 0;
      const void *const parent[] = {&root};
      MUST(ecs_spawn(links->world, NULL, 0, NULL, &root));
      for (uint32_t child = 1; child < FAMILY; child++)
        MUST(ecs_spawn(links->world, &links->family, 1, parent, NULL));
      MUST(ecs_destroy(links->world, root));
    }
}

static uint64_t count_all(void *state) {
  Links *links = state;
  ecs_Statistics statistics;
  ecs_world_statistics(links->world, &statistics);
  return statistics.entities;
}

/* Rows -------------------------------------------------------------------- */

static ecs_Component link_component(ecs_World *world, const char *name,
                                    ecs_LinkRule rule) {
  const ecs_Field to = {.name = "to", .type = ECS_ENTITY};
  const ecs_Link link = {0, rule, rule == ECS_LINK_DESTROY};
  const ecs_ComponentDescription description = {.name = name,
                                                .fields = &to,
                                                .field_count = 1,
                                                .links = &link,
                                                .link_count = 1};
  ecs_Component component = 0;
  MUST(ecs_component(world, &description, &component));
  return component;
}

static void links_init(Links *links, uint32_t size, bool random) {
  *links = (Links){.world = scene_world(),
                   .size = measure_size(size),
                   .random = random,
                   .seed = 7,
                   .hand_seed = 7};
  links->to = link_component(links->world, "To", ECS_LINK_CLEAR);
  links->family = link_component(links->world, "Family", ECS_LINK_DESTROY);
  links->entities =
      scene_allocate((size_t)2 * links->size, sizeof *links->entities);
  links->nodes = scene_allocate((size_t)2 * links->size, sizeof(HandNode));
  for (uint32_t k = 0; k < 2 * links->size; k++) {
    MUST(ecs_spawn(links->world, &links->to, k < links->size, NULL,
                   &links->entities[k]));
    links->nodes[k] = (HandNode){0};
  }
}

static void links_deinit(Links *links) {
  ecs_world_destroy(links->world);
  free(links->entities);
  free(links->nodes);
}

static void bench_relink(uint32_t size, bool random) {
  Links links;
  if (!measure_wanted("link anew")) return;
  links_init(&links, size, random);
  measure_row(&(MeasureRow){.name = "link anew",
                            .order = random ? "random" : "in order",
                            .memory = "warm",
                            .size = size,
                            .operations = links.size,
                            .hand = {&links, NULL, hand_relink, hand_check},
                            .ours = {&links, NULL, relink, check},
                            .aim_nanoseconds = size <= SCENE_1K ? 60 : 0});
  links_deinit(&links);
}

static void bench_families(void) {
  Links links;
  if (!measure_wanted("spawn + destroy a family")) return;
  links_init(&links, SCENE_1K, false);
  measure_row(
      &(MeasureRow){.name = "spawn + destroy a family",
                    .order = "in order",
                    .memory = "warm",
                    .size = SCENE_1K,
                    .operations = (uint64_t)links.size / FAMILY * FAMILY,
                    .ours = {&links, NULL, families, count_all},
                    .expected = (uint64_t)2 * links.size});
  links_deinit(&links);
}

int main(int argument_count, char **arguments) {
  measure_open(argument_count, arguments, "link");
  bench_relink(SCENE_1K, false);
  bench_relink(SCENE_1K, true);
  bench_relink(SCENE_64K, true);
  bench_families();
  measure_close();
  return 0;
}

/* bench_families.c: what bench_prefab.lua is compared with: a C program that
 * spawns entities of six components with a child each, one by one, and links
 * every child by its values.
 *
 * A kernel library with a core of its own: its kernels change a world that it
 * has made, and neither see the world of the script nor change it. They run for
 * one row, which says how many, and gets what the script computes of its own
 * world, too: the sum of all values, and a thousand for each parent that has one
 * child. */
#include <stdlib.h>

#include "ecs.h"
#include "ecs_kernel.h"

#define COMPONENTS 6u

static ecs_World *world;
static ecs_Component components[COMPONENTS], child_of;
static ecs_Bundle parent_bundle, child_bundle;
static ecs_Query *parents, *children;

static void must(ecs_Status status) {
  if (status != ECS_OK) abort();
}

static ecs_Component define(const char *name, const ecs_Field *fields,
                            uint32_t count, const ecs_Link *link) {
  const ecs_ComponentDescription description = {.name = name,
                                                .fields = fields,
                                                .field_count = count,
                                                .links = link,
                                                .link_count = link != NULL};
  ecs_Component component = 0;
  must(ecs_component(world, &description, &component));
  return component;
}

static ecs_Query *query(const ecs_Component *read, uint32_t count,
                        ecs_Component without) {
  ecs_Term terms[COMPONENTS + 1];
  ecs_Query *made = NULL;
  for (uint32_t k = 0; k < count; k++) terms[k] = (ecs_Term){read[k], ECS_READ};
  if (without != 0) terms[count++] = (ecs_Term){without, ECS_WITHOUT};
  must(ecs_query_create(world, terms, count, &made));
  return made;
}

static void make_world(void) {
  static const ecs_Field two[] = {{"x", ECS_F32, 0}, {"y", ECS_F32, 0}};
  static const ecs_Field parent = {"parent", ECS_ENTITY, 0};
  static const ecs_Link link = {0, ECS_LINK_DESTROY, true};
  static const char *const names[COMPONENTS] = {"A", "B", "C", "D", "E", "F"};
  must(ecs_world_create(NULL, &world));
  for (uint32_t k = 0; k < COMPONENTS; k++)
    components[k] = define(names[k], two, 2, NULL);
  child_of = define("ChildOf", &parent, 1, &link);
  const ecs_Component child[] = {components[0], child_of};
  must(ecs_bundle(world, components, COMPONENTS, &parent_bundle));
  must(ecs_bundle(world, child, 2, &child_bundle));
  parents = query(components, COMPONENTS, child_of);
  children = query(components, 1, components[1]);
}

static void clear(const ecs_KernelCall *call) {
  (void)call;
  if (world == NULL)
    make_world();
  else
    must(ecs_world_clear(world));
}

static void one_by_one(const ecs_KernelCall *call) {
  const double *count = call->blocks[0].columns[0];
  static const float values[COMPONENTS][2] = {{1, 2}, {3, 4},  {5, 6},
                                              {7, 8}, {9, 10}, {11, 12}};
  const void *images[COMPONENTS];
  for (uint32_t k = 0; k < COMPONENTS; k++) images[k] = values[k];
  for (uint32_t k = 0; k < (uint32_t)*count; k++) {
    ecs_Entity parent = 0;
    const void *child[] = {values[0], &parent};
    must(ecs_spawn_bundle(world, parent_bundle, images, &parent));
    must(ecs_spawn_bundle(world, child_bundle, child, NULL));
  }
}

/* The sum of all values of a query's rows, and what parents have. */
static double sum_of(ecs_Query *of) {
  double sum = 0;
  ecs_Cursor cursor;
  ecs_Batch batch;
  must(ecs_query_begin(of, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch))
    for (uint32_t i = 0; i < batch.count; i++) {
      uint32_t count = 0;
      must(ecs_links(world, batch.entities[i], child_of, 0, NULL, 0, &count));
      if (count == 1) sum += 1000;
      for (uint32_t k = 0; k < batch.column_count; k++)
        sum += ((const float *)batch.columns[k])[i];
    }
  must(ecs_cursor_end(&cursor));
  return sum;
}

static void check(const ecs_KernelCall *call) {
  double *found = call->blocks[0].columns[1];
  *found = sum_of(parents) + sum_of(children);
}

static const ecs_KernelColumn columns[] = {
    {"Families", "count", ECS_F64, ECS_READ},
    {"Families", "found", ECS_F64, ECS_WRITE}};
static const ecs_Kernel kernels[] = {
    ECS_KERNEL("clear", clear, columns),
    ECS_KERNEL("one_by_one", one_by_one, columns),
    ECS_KERNEL("check", check, columns)};
ECS_KERNEL_LIBRARY(kernels);

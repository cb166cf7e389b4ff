/* scene.c: worlds for the benchmarks. */
#include "scene.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/loops.h"

/* More columns than the query of any benchmark has. */
#define COLUMN_LIMIT 64u
#define COMPONENT_LIMIT 32u

void scene_refused(ecs_Status status, const char *call) {
  measure_fail(call, ecs_status_text(status));
}

void *scene_allocate(size_t count, size_t element_bytes) {
  void *block = calloc(count, element_bytes);
  if (block == NULL) measure_fail("scene", "no memory");
  return block;
}

void scene_cool(void) {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 65536);
  mallopt(M_TRIM_THRESHOLD, 65536);
  malloc_trim(0);
#endif
}

/* Components -------------------------------------------------------------- */

ecs_World *scene_world(void) {
  ecs_World *world = NULL;
  MUST(ecs_world_create(NULL, &world));
  return world;
}

ecs_Component scene_component(ecs_World *world, const char *name,
                              uint32_t field_count, ecs_Storage storage) {
  static const char *const names[] = {"f0", "f1", "f2", "f3",
                                      "f4", "f5", "f6", "f7"};
  ecs_Field fields[8];
  for (uint32_t k = 0; k < field_count; k++) {
    fields[k] = (ecs_Field){.name = names[k], .type = ECS_F32};
  }
  ecs_ComponentDescription description = {.name = name,
                                          .fields = fields,
                                          .field_count = field_count,
                                          .storage = storage};
  ecs_Component component = 0;
  MUST(ecs_component(world, &description, &component));
  return component;
}

void scene_components(ecs_World *world, const char *prefix, uint32_t count,
                      ecs_Component *components) {
  for (uint32_t k = 0; k < count; k++) {
    char name[32];
    snprintf(name, sizeof name, "%s%u", prefix, k);
    components[k] = scene_component(world, name, 2, ECS_STORE_TABLE);
  }
}

/* Queries ----------------------------------------------------------------- */

ecs_Query *scene_query(ecs_World *world, const ecs_Component *components,
                       uint32_t count, ecs_Access access) {
  ecs_Term terms[COMPONENT_LIMIT];
  for (uint32_t k = 0; k < count; k++) {
    terms[k] = (ecs_Term){.component = components[k], .access = access};
  }
  ecs_Query *query = NULL;
  MUST(ecs_query_create(world, terms, count, &query));
  return query;
}

uint64_t scene_hash(ecs_Query *query) {
  uint64_t hash = 0;
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch)) {
    const float *columns[COLUMN_LIMIT];
    for (uint32_t k = 0; k < batch.column_count; k++) {
      columns[k] = batch.columns[k];
    }
    hash += measure_hash(columns, batch.column_count, batch.count);
  }
  MUST(ecs_cursor_end(&cursor));
  return hash;
}

uint64_t scene_count(ecs_Query *query) {
  uint64_t count = 0;
  MUST(ecs_query_count(query, &count));
  return count;
}

/* Entities ---------------------------------------------------------------- */

void scene_spawn(ecs_World *world, const ecs_Component *components,
                 uint32_t component_count, uint32_t count,
                 ecs_Entity *entities) {
  ecs_Bundle bundle = 0;
  MUST(ecs_bundle(world, components, component_count, &bundle));
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint32_t done = 0;
  MUST(ecs_spawn_many(world, bundle, count, &cursor));
  while (ecs_cursor_next(&cursor, &batch)) {
    for (uint32_t k = 0; k < batch.column_count; k++) {
      hand_fill(batch.columns[k], (float)(int32_t)(done + k * SCENE_FIELD_STEP),
                1, batch.count);
    }
    if (entities != NULL) {
      memcpy(entities + done, batch.entities, batch.count * sizeof *entities);
    }
    done += batch.count;
  }
  MUST(ecs_cursor_end(&cursor));
}

void scene_push(HandStore *store, uint32_t count) {
  uint32_t first = hand_store_push_many(store, count);
  for (uint32_t k = 0; k < store->column_count; k++) {
    hand_fill(store->columns[k] + first,
              (float)(int32_t)(first + k * SCENE_FIELD_STEP), 1, count);
  }
}

void scene_order(ecs_Entity *ordered, const ecs_Entity *entities,
                 uint32_t count, bool random) {
  uint32_t *numbers = scene_allocate(count, sizeof *numbers);
  if (random) measure_shuffle(numbers, count, 7);
  for (uint32_t k = 0; k < count; k++) {
    ordered[k] = entities[random ? numbers[k] : k];
  }
  free(numbers);
}

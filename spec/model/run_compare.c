/* run_compare.c: all that ecs.h shows of a world, compared with the oracle. */
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* Entities ---------------------------------------------------------------- */

static void compare_component(Run *run, uint32_t world,
                              const OracleEntity *entity,
                              ecs_Component component) {
  ecs_World *real = run->instances[world].world;
  uint64_t image[ORACLE_IMAGE_BYTES / 8];
  const double *values = NULL;
  const ecs_Status expected =
      oracle_get(&run->oracle, entity->handle, component, &values);
  const ecs_Status status = ecs_get(real, entity->handle, component, image);
  MUST(run, status == expected,
       "world %u, entity %llx, component %u: %s instead of %s", world,
       (unsigned long long)entity->handle, component, ecs_status_name(status),
       ecs_status_name(expected));
  MUST(run,
       status != ECS_OK ||
           (oracle_image_equals(&run->oracle.components[component], values,
                                image) &&
            is_canonical(&run->oracle.components[component], image)),
       "world %u, entity %llx, component %u: other values", world,
       (unsigned long long)entity->handle, component);
}

static void compare_entity(Run *run, uint32_t world,
                           const OracleEntity *entity) {
  ecs_World *real = run->instances[world].world;
  ecs_Component expected[ORACLE_COMPONENTS], seen[ORACLE_COMPONENTS];
  const uint32_t count =
      oracle_components_of(&run->oracle, entity->handle, expected);
  const unsigned long long name = entity->handle;
  MUST(run,
       ecs_alive(real, entity->handle) ==
           oracle_alive(&run->oracle, entity->handle),
       "world %u, entity %llx", world, name);
  MUST(
      run,
      ecs_components_of(real, entity->handle, seen, ORACLE_COMPONENTS) == count,
      "world %u, entity %llx", world, name);
  MUST(run, memcmp(seen, expected, count * sizeof *seen) == 0,
       "world %u, entity %llx", world, name);
  for (uint32_t i = 0; i < count; i++)
    compare_component(run, world, entity, expected[i]);
}

/* Dead entities with a newer one at their index are compared less often. */
static void compare_entities(Run *run, uint32_t world) {
  const Oracle *oracle = &run->oracle;
  for (uint32_t i = 0; i < oracle->entity_count; i++) {
    const OracleEntity *entity = &oracle->entities[i];
    if (oracle_find(oracle, entity->handle) == entity)
      compare_entity(run, world, entity);
    else
      MUST(run, !ecs_alive(run->instances[world].world, entity->handle),
           "world %u revives %llx", world, (unsigned long long)entity->handle);
  }
}

/* Statistics -------------------------------------------------------------- */

static void compare_statistics(Run *run, uint32_t world) {
  const Instance *instance = &run->instances[world];
  ecs_Statistics seen;
  ecs_world_statistics(instance->world, &seen);
  MUST(run, seen.entities == oracle_held_count(&run->oracle),
       "world %u counts %llu entities instead of %u", world,
       (unsigned long long)seen.entities, oracle_held_count(&run->oracle));
  MUST(run, seen.dropped == run->oracle.dropped,
       "world %u has dropped %llu changes instead of %llu", world,
       (unsigned long long)seen.dropped,
       (unsigned long long)run->oracle.dropped);
  MUST(run, seen.components == ORACLE_COMPONENTS, "world %u", world);
  MUST(run,
       seen.bytes == instance->memory.bytes &&
           seen.allocations == instance->memory.blocks &&
           seen.peak_bytes >= seen.bytes,
       "world %u tells %llu bytes in %llu blocks, it has %llu in %llu", world,
       (unsigned long long)seen.bytes, (unsigned long long)seen.allocations,
       (unsigned long long)instance->memory.bytes,
       (unsigned long long)instance->memory.blocks);
}

void step_statistics(Run *run, const Step *step) {
  (void)step;
  for (uint32_t i = 0; i < run->instance_count; i++) compare_statistics(run, i);
  run_note(run, ECS_OK);
}

/* Hashes ------------------------------------------------------------------ */

/* Storage and order of rows must not show in the one hash; a repetition must
 * not show in the other. While something is open, rows may be written in one
 * world and not yet in another. */
void run_compare_hashes(Run *run) {
  if (run->oracle.scope_count > 0) return;
  const uint64_t state = ecs_world_state_hash(run->instances[0].world);
  for (uint32_t i = 1; i < run->instance_count; i++) {
    MUST(run, ecs_world_state_hash(run->instances[i].world) == state,
         "world %u has another state hash", i);
  }
  if (run->instance_count <= INSTANCE_AGAIN) return;
  MUST(run,
       ecs_world_hash(run->instances[INSTANCE_MIXED].world) ==
           ecs_world_hash(run->instances[INSTANCE_AGAIN].world),
       "the same program, another hash");
}

void step_hashes(Run *run, const Step *step) {
  (void)step;
  run_compare_hashes(run);
  run_note(run, ECS_OK);
}

/* Every entity ------------------------------------------------------------ */

typedef void Visit(Run *run, uint32_t world, ecs_Entity entity);

/* Goes through all entities, with a query without terms. */
static uint64_t visit_all(Run *run, uint32_t world, Visit *visit) {
  ecs_Query *query = NULL;
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint64_t count = 0;
  MUST(run,
       ecs_query_create(run->instances[world].world, NULL, 0, &query) ==
               ECS_OK &&
           ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor) == ECS_OK,
       "world %u", world);
  while (ecs_cursor_next(&cursor, &batch)) {
    count += batch.count;
    for (uint32_t i = 0; i < batch.count; i++)
      visit(run, world, batch.entities[i]);
  }
  MUST(run,
       ecs_cursor_end(&cursor) == ECS_OK && ecs_query_destroy(query) == ECS_OK,
       "world %u", world);
  return count;
}

static void visit_known(Run *run, uint32_t world, ecs_Entity entity) {
  const OracleEntity *known = oracle_find(&run->oracle, entity);
  MUST(run, known != NULL && known->present, "world %u shows %llx", world,
       (unsigned long long)entity);
}

/* The first world gives the unknown handles; the others must agree. Components
 * can be listed while the cursor is open. */
static void visit_new(Run *run, uint32_t world, ecs_Entity entity) {
  ecs_Component components[ORACLE_COMPONENTS];
  uint32_t mask = 0;
  if (world > 0 || oracle_find(&run->oracle, entity) != NULL) {
    visit_known(run, world, entity);
    return;
  }
  const uint32_t count = ecs_components_of(run->instances[world].world, entity,
                                           components, ORACLE_COMPONENTS);
  for (uint32_t i = 0; i < count; i++) mask |= 1u << components[i];
  MUST(run, oracle_claim(&run->oracle, entity, mask),
       "nobody spawned %llx with components %x", (unsigned long long)entity,
       mask);
  run_remember(run, entity, (uint32_t)(entity * 7));
}

void run_claim_unnamed(Run *run) {
  if (oracle_unclaimed(&run->oracle) == 0) return;
  const uint32_t expected = oracle_held_count(&run->oracle);
  for (uint32_t i = 0; i < run->instance_count; i++) {
    MUST(run, visit_all(run, i, visit_new) == expected,
         "world %u: not %u entities", i, expected);
  }
  MUST(run, oracle_unclaimed(&run->oracle) == 0,
       "%llu spawned entities are missing",
       (unsigned long long)oracle_unclaimed(&run->oracle));
}

/* Everything -------------------------------------------------------------- */

void run_compare(Run *run) {
  for (uint32_t i = 0; i < run->instance_count; i++) {
    compare_statistics(run, i);
    compare_entities(run, i);
    if (run->oracle.scope_count > 0) continue;
    MUST(run, visit_all(run, i, visit_known) == oracle_held_count(&run->oracle),
         "world %u shows another number of entities", i);
  }
  run_compare_hashes(run);
}

void step_compare(Run *run, const Step *step) {
  (void)step;
  run_compare(run);
  run_note(run, ECS_OK);
}

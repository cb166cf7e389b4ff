/* api_bulk.c: the border for changes of every match of a query.
 *
 * While nothing is recorded, change/bulk.h changes whole tables. While a level
 * is open, the matches are changed in the order of their indices, which does
 * not depend on storage. Each change is recorded as a single call would record
 * it: all of them or none.
 *
 *      set    1. check that no match's component is claimed    may fail
 *             2. record what must be recorded                  may fail
 *             3. write the other matches in place
 */
#include "base/misuse.h"
#include "world/deferral.h"
#include "world/deferred_change.h"
#include "world/replace.h"
#include "change/bulk.h"
#include "change/bulk_destroy.h"

typedef struct BulkRequest BulkRequest;

/* Makes the requested change of one match. */
typedef ecs_Status BulkStep(const BulkRequest *request, ecs_Entity entity);

struct BulkRequest {
  ecs_World *world;
  ecs_Component component; /* 0: entities are destroyed */
  const void *image;       /* the component's; borrowed; NULL: defaults */
  uint64_t fields;         /* of the image, for set: bit i is field i */
  ecs_Component gone;      /* that is replaced; 0: none */
};

/* Takes the step for every match, until one fails. */
static ecs_Status for_each(const BulkRequest *request, IndexSet *matches,
                           BulkStep *step) {
  uint64_t bits = 0;
  uint32_t first = 0;
  index_set_rewind(matches);
  while (index_set_next(matches, &bits, &first))
    while (bits != 0) {
      uint32_t index = index_set_take(&bits, first);
      ecs_Entity entity = entity_of_index(&request->world->store, index);
      ECS_ASSERT(id_index(entity) == index);
      ecs_Status status = step(request, entity);
      if (status != ECS_OK) return status;
    }
  return ECS_OK;
}

/* Takes a step that records: for all matches, or for none. */
static ecs_Status record_each(const BulkRequest *request, IndexSet *matches,
                              BulkStep *step) {
  Level before = deferral_mark(request->world);
  ECS_ASSERT(request->world->depth > 0);
  ecs_Status status = for_each(request, matches, step);
  if (status != ECS_OK) deferral_rewind(request->world, &before);
  return status;
}

/* Records a request that takes one step for each match. */
static ecs_Status record(ecs_Query *query, const BulkRequest *request,
                         BulkStep *step) {
  IndexSet matches;
  ecs_Status status = query_prepare(query);
  if (status != ECS_OK) return status;
  status = index_set_init(&matches, query);
  if (status != ECS_OK) return status;
  status = record_each(request, &matches, step);
  return status;
}

/* Adding, removing, destroying -------------------------------------------- */

static ecs_Status add_step(const BulkRequest *request, ecs_Entity entity) {
  return deferred_add(request->world, entity, request->component,
                      request->image);
}

ecs_Status ecs_query_add_all(ecs_Query *query, ecs_Component component,
                             const void *image) {
  ECS_MUST_LIVE(QUERY, query);
  ecs_World *world = world_of(query);
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  if (world->depth == 0) return bulk_add(query, component, image);
  BulkRequest request = {world, component, image, 0, 0};
  return record(query, &request, add_step);
}

static ecs_Status remove_step(const BulkRequest *request, ecs_Entity entity) {
  return deferred_remove(request->world, entity, request->component);
}

ecs_Status ecs_query_remove_all(ecs_Query *query, ecs_Component component) {
  ECS_MUST_LIVE(QUERY, query);
  ecs_World *world = world_of(query);
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  if (world->depth == 0) return bulk_remove(query, component);
  BulkRequest request = {world, component, NULL, 0, 0};
  return record(query, &request, remove_step);
}

/* A match that is recorded as destroyed already needs no second record. */
static ecs_Status destroy_step(const BulkRequest *request, ecs_Entity entity) {
  ecs_Status status = deferred_destroy(request->world, entity);
  return status == ECS_E_DEAD ? ECS_OK : status;
}

ecs_Status ecs_query_destroy_all(ecs_Query *query) {
  ECS_MUST_LIVE(QUERY, query);
  ecs_World *world = world_of(query);
  if (world->depth == 0) return bulk_destroy(query);
  BulkRequest request = {world, 0, NULL, 0, 0};
  return record(query, &request, destroy_step);
}

/* Replacing --------------------------------------------------------------- */

static ecs_Status replace_step(const BulkRequest *request, ecs_Entity entity) {
  return deferred_replace(request->world, entity, request->gone,
                          request->component, request->image, request->fields);
}

/* Both changes of every match are recorded, also where nothing is open: then all
 * are made, or none. */
ecs_Status ecs_query_replace_all(ecs_Query *query, ecs_Component gone,
                                 ecs_Component added, const void *image,
                                 uint64_t fields) {
  ECS_MUST_LIVE(QUERY, query);
  ecs_World *world = world_of(query);
  ecs_Status status = check_replacement(world, gone, added, image, &fields);
  if (status != ECS_OK) return status;
  BulkRequest request = {world, added, image, fields, gone};
  if (world->depth > 0) return record(query, &request, replace_step);
  status = deferral_open(world);
  if (status != ECS_OK) return status;
  status = record(query, &request, replace_step);
  if (status == ECS_OK) return deferral_close(world);
  deferral_discard(world);
  return status;
}

/* Setting ----------------------------------------------------------------- */

/* True: setting the match's component would be recorded, and not seen before
 * the level is closed. False: it would be written in place. */
static bool is_set_later(const BulkRequest *request, ecs_Entity entity) {
  return deferred_commands(request->world, entity) != NULL ||
         !world_has(request->world, entity, request->component);
}

/* Refuses a match that has the component, because a cursor claims it. A match
 * that is recorded as destroyed, or lacks the component, is not written. */
static ecs_Status check_step(const BulkRequest *request, ecs_Entity entity) {
  if (deferred_is_destroyed(request->world, entity)) return ECS_OK;
  if (!world_has(request->world, entity, request->component)) return ECS_OK;
  return world_refuse_access(request->world, request->component);
}

static ecs_Status set_one(const BulkRequest *request, ecs_Entity entity) {
  return deferred_set(request->world, entity, request->component,
                      request->image, request->fields);
}

static ecs_Status record_step(const BulkRequest *request, ecs_Entity entity) {
  return is_set_later(request, entity) ? set_one(request, entity) : ECS_OK;
}

/* Writes what record_step has left out. A match that record_step has recorded
 * has records now. */
static ecs_Status store_step(const BulkRequest *request, ecs_Entity entity) {
  return deferred_commands(request->world, entity) == NULL
             ? set_one(request, entity)
             : ECS_OK;
}

/* The three steps of setting: after the second, none can fail. */
static ecs_Status set_later(ecs_Query *query, const BulkRequest *request) {
  ecs_World *world = request->world;
  IndexSet matches;
  ecs_Status status = query_prepare(query);
  if (status == ECS_OK) status = index_set_init(&matches, query);
  if (status != ECS_OK) return status;
  if (world->store.components[request->component].readers > 0)
    status = for_each(request, &matches, check_step);
  if (status == ECS_OK) status = record_each(request, &matches, record_step);
  if (status == ECS_OK) {
    status = for_each(request, &matches, store_step);
    ECS_ASSERT(status == ECS_OK);
  }
  return status;
}

ecs_Status ecs_query_set_all(ecs_Query *query, ecs_Component component,
                             const void *image, uint64_t fields) {
  ECS_MUST_LIVE(QUERY, query);
  ecs_World *world = world_of(query);
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  bool is_tag = world->store.components[component].schema->field_count == 0;
  if (image == NULL && fields != 0 && !is_tag) return ECS_E_ARGUMENT;
  if (world->depth == 0) return bulk_set(query, component, image, fields);
  BulkRequest request = {world, component, image, fields, 0};
  return set_later(query, &request);
}

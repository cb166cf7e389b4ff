/* api_bulk.c: the border for changes of every match of a query.
 *
 * With nothing open the floor below changes whole tables. While changes are
 * recorded the matches are gone through in the order of their indices, which
 * knows nothing of storage, and each is recorded as a single call would be: all
 * of them or none.
 *
 *      set    1. is a match's component in an open cursor?   may fail
 *             2. record what has to be recorded              may fail
 *             3. write the others in place
 */
#include "world/deferral.h"
#include "world/deferred_change.h"
#include "change/bulk.h"
#include "change/bulk_destroy.h"

typedef struct Request Request;

/* What is done to one match. */
typedef ecs_Status RequestStep(const Request *request, ecs_Entity entity);

struct Request {
  ecs_World *world;
  ecs_Component component;
  const void *image;
  uint64_t fields;
};

/* Takes the step for every match, until one fails. */
static ecs_Status for_each(const Request *request, IndexSet *marks,
                           RequestStep *step) {
  uint64_t bits = 0;
  uint32_t first = 0;
  index_set_rewind(marks);
  while (index_set_next(marks, &bits, &first))
    while (bits != 0) {
      uint32_t at = index_set_take(&bits, first);
      ecs_Status status =
          step(request, entity_of_index(&request->world->store, at));
      if (status != ECS_OK) return status;
    }
  return ECS_OK;
}

/* The same where the steps record: all or nothing. */
static ecs_Status record_each(const Request *request, IndexSet *marks,
                              RequestStep *step) {
  ecs_World *world = request->world;
  Level before = deferral_mark(world);
  ecs_Status status = for_each(request, marks, step);
  if (status != ECS_OK) deferral_rewind(world, &before);
  return status;
}

/* Records a request that is one step for each match. */
static ecs_Status record(ecs_Query *query, const Request *request,
                         RequestStep *step) {
  IndexSet marks;
  ecs_Status status = query_prepare(query);
  if (status != ECS_OK) return status;
  status = index_set_init(&marks, query);
  if (status != ECS_OK) return status;
  status = record_each(request, &marks, step);
  index_set_deinit(&marks, &query->store->memory);
  return status;
}

/* Adding, removing, destroying -------------------------------------------- */

static ecs_Status add_step(const Request *request, ecs_Entity entity) {
  return deferred_add(request->world, entity, request->component,
                      request->image);
}

ecs_Status ecs_query_add_all(ecs_Query *query, ecs_Component component,
                             const void *image) {
  ecs_World *world = world_of(query);
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  if (world->depth == 0) return bulk_add(query, component, image);
  Request request = {world, component, image, 0};
  return record(query, &request, add_step);
}

static ecs_Status remove_step(const Request *request, ecs_Entity entity) {
  return deferred_remove(request->world, entity, request->component);
}

ecs_Status ecs_query_remove_all(ecs_Query *query, ecs_Component component) {
  ecs_World *world = world_of(query);
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  if (world->depth == 0) return bulk_remove(query, component);
  Request request = {world, component, NULL, 0};
  return record(query, &request, remove_step);
}

/* Who is to be destroyed already has nothing more to lose. */
static ecs_Status destroy_step(const Request *request, ecs_Entity entity) {
  ecs_Status status = deferred_destroy(request->world, entity);
  return status == ECS_E_DEAD ? ECS_OK : status;
}

ecs_Status ecs_query_destroy_all(ecs_Query *query) {
  ecs_World *world = world_of(query);
  if (world->depth == 0) return bulk_destroy(query);
  Request request = {world, 0, NULL, 0};
  return record(query, &request, destroy_step);
}

/* Setting ----------------------------------------------------------------- */

static bool has_now(const Request *request, ecs_Entity entity) {
  RowRef place;
  return store_locate(&request->world->store, entity, request->component,
                      &place) == ECS_OK &&
         place.table != NULL;
}

static ecs_Status check_step(const Request *request, ecs_Entity entity) {
  if (deferred_is_destroyed(request->world, entity)) return ECS_OK;
  if (!has_now(request, entity)) return ECS_OK;
  return world_refuse_access(request->world, request->component);
}

static ecs_Status set_now(const Request *request, ecs_Entity entity) {
  return deferred_set(request->world, entity, request->component,
                      request->image, request->fields);
}

/* Nothing of it shows before it is applied. */
static ecs_Status record_step(const Request *request, ecs_Entity entity) {
  bool recorded = deferred_commands(request->world, entity) != NULL;
  return recorded || !has_now(request, entity) ? set_now(request, entity)
                                               : ECS_OK;
}

/* Those that the step before has left out. */
static ecs_Status store_step(const Request *request, ecs_Entity entity) {
  return deferred_commands(request->world, entity) == NULL
             ? set_now(request, entity)
             : ECS_OK;
}

static ecs_Status set_later(ecs_Query *query, const Request *request) {
  ecs_World *world = request->world;
  IndexSet marks;
  ecs_Status status = query_prepare(query);
  if (status == ECS_OK) status = index_set_init(&marks, query);
  if (status != ECS_OK) return status;
  if (world->store.components[request->component].readers > 0)
    status = for_each(request, &marks, check_step);
  if (status == ECS_OK) status = record_each(request, &marks, record_step);
  if (status == ECS_OK) status = for_each(request, &marks, store_step);
  index_set_deinit(&marks, &world->store.memory);
  return status;
}

ecs_Status ecs_query_set_all(ecs_Query *query, ecs_Component component,
                             const void *image, uint64_t fields) {
  ecs_World *world = world_of(query);
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  bool tag = world->store.components[component].schema->field_count == 0;
  if (image == NULL && fields != 0 && !tag) return ECS_E_ARGUMENT;
  if (world->depth == 0) return bulk_set(query, component, image, fields);
  Request request = {world, component, image, fields};
  return set_later(query, &request);
}

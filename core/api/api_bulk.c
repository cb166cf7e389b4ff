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
#define ECS_DEFINES_API /* ecs.h */

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

/* Records a request where nothing is open, and applies it. */
static ecs_Status record_now(ecs_Query *query, const BulkRequest *request,
                             BulkStep *step) {
  ecs_Status status = deferral_open(request->world);
  if (status != ECS_OK) return status;
  status = record(query, request, step);
  if (status == ECS_OK) return deferral_close(request->world);
  deferral_discard(request->world);
  return status;
}

static const Component *component_of(const BulkRequest *request) {
  return &request->world->store.components.all[request->component];
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
  BulkRequest request = {world, component, image, 0, 0};
  if (world->depth > 0) return record(query, &request, add_step);
  const Component *added = component_of(&request);
  return query->picked != NULL || added->observed || added->need_count > 0 ||
                 link_is_made(&world->links, added, image, UINT64_MAX)
             ? record_now(query, &request, add_step)
             : bulk_add(query, component, image);
}

static ecs_Status remove_step(const BulkRequest *request, ecs_Entity entity) {
  return deferred_remove(request->world, entity, request->component);
}

ecs_Status ecs_query_remove_all(ecs_Query *query, ecs_Component component) {
  ECS_MUST_LIVE(QUERY, query);
  ecs_World *world = world_of(query);
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  BulkRequest request = {world, component, NULL, 0, 0};
  if (world->depth > 0) return record(query, &request, remove_step);
  return query->picked != NULL || component_of(&request)->observed ||
                 links_exist(&world->links, component_of(&request))
             ? record_now(query, &request, remove_step)
             : bulk_remove(query, component);
}

/* A match that is recorded as destroyed already needs no second record. */
static ecs_Status destroy_step(const BulkRequest *request, ecs_Entity entity) {
  ecs_Status status = deferred_destroy(request->world, entity);
  return status == ECS_E_DEAD ? ECS_OK : status;
}

ecs_Status ecs_query_destroy_all(ecs_Query *query) {
  ECS_MUST_LIVE(QUERY, query);
  ecs_World *world = world_of(query);
  BulkRequest request = {world, 0, NULL, 0, 0};
  if (world->depth > 0) return record(query, &request, destroy_step);
  return query->picked != NULL || world->observers.asks_deaths ||
                 world_has_links(&world->links)
             ? record_now(query, &request, destroy_step)
             : bulk_destroy(query, false);
}

/* Does any of a prepared query's matches link, or is it linked to? */
static ecs_Status find_linked(const BulkRequest *request, ecs_Entity entity) {
  return is_linked(&request->world->links, entity) ? ECS_E_LINK : ECS_OK;
}

static ecs_Status tell_step(const BulkRequest *request, ecs_Entity entity) {
  return observe_death(request->world, entity);
}

/* Destroys matches that nothing is linked to, and tells their observers. */
static ecs_Status destroy_told(ecs_Query *query, const BulkRequest *request,
                               IndexSet *matches) {
  ecs_World *world = request->world;
  ObserveMark mark = observe_mark(world);
  ecs_Status status = ECS_OK;
  if (world->observers.asks_deaths)
    status = for_each(request, matches, tell_step);
  if (status == ECS_OK) status = bulk_destroy(query, true);
  if (status != ECS_OK) observe_take_back(world, mark);
  return status;
}

ecs_Status ecs_query_destroy_in_order(ecs_Query *query) {
  ECS_MUST_LIVE(QUERY, query);
  ecs_World *world = world_of(query);
  BulkRequest request = {world, 0, NULL, 0, 0};
  IndexSet matches;
  if (world->depth > 0) return ECS_E_OPEN;
  if (!world_has_links(&world->links) && !world->observers.asks_deaths)
    return bulk_destroy(query, true);
  ecs_Status status = query_prepare(query);
  if (status == ECS_OK) status = index_set_init(&matches, query);
  if (status != ECS_OK) return status;
  return for_each(&request, &matches, find_linked) == ECS_OK
             ? destroy_told(query, &request, &matches)
             : record_now(query, &request, destroy_step);
}

/* Marking ----------------------------------------------------------------- */

ecs_Status ecs_query_mark_all(ecs_Query *query, ecs_Component tag) {
  ECS_MUST_LIVE(QUERY, query);
  ecs_World *world = world_of(query);
  if (!world_has_component(world, tag)) return ECS_E_COMPONENT;
  const Component *component = &world->store.components.all[tag];
  if (!component_is_bits(component) || component->observed)
    return ECS_E_COMPONENT;
  if (world->depth > world->deferrals) return ECS_E_OPEN;
  return bulk_add(query, tag, NULL);
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
  return world->depth > 0 ? record(query, &request, replace_step)
                          : record_now(query, &request, replace_step);
}

/* Setting ----------------------------------------------------------------- */

/* Is a link set? Then every match is recorded. */
static bool sets_links(const BulkRequest *request) {
  return link_is_named(&request->world->links, component_of(request),
                       request->fields);
}

/* True: setting the match's component would be recorded, and not seen before
 * the level is closed. False: it would be written in place. */
static bool is_set_later(const BulkRequest *request, ecs_Entity entity) {
  return sets_links(request) ||
         recorded_commands(request->world, entity) != NULL ||
         !world_has(request->world, entity, request->component);
}

/* Refuses a match that has the component, because a cursor claims it. A match
 * that is recorded as destroyed, or lacks the component, is not written. */
static ecs_Status check_step(const BulkRequest *request, ecs_Entity entity) {
  if (recorded_destroyed(request->world, entity)) return ECS_OK;
  if (!world_has(request->world, entity, request->component)) return ECS_OK;
  return world_refuse_access(request->world, request->component);
}

static ecs_Status set_one(const BulkRequest *request, ecs_Entity entity) {
  return deferred_set_told(request->world, entity, request->component,
                           request->image, request->fields);
}

static ecs_Status record_step(const BulkRequest *request, ecs_Entity entity) {
  return is_set_later(request, entity) ? set_one(request, entity) : ECS_OK;
}

/* Writes what record_step has left out. A match that record_step has recorded
 * has records now. */
static ecs_Status store_step(const BulkRequest *request, ecs_Entity entity) {
  return recorded_commands(request->world, entity) == NULL
             ? set_one(request, entity)
             : ECS_OK;
}

/* Where nothing is open, a component that needs others is set by records alone:
 * applying them may fail, and then nothing may be written. */
static ecs_Status record_set(const BulkRequest *request, ecs_Entity entity) {
  return command_record(&request->world->commands, COMMAND_SET, entity,
                        request->component, request->image, request->fields);
}

/* The three steps of setting: after the second, none can fail. */
static ecs_Status set_later(ecs_Query *query, const BulkRequest *request) {
  IndexSet matches;
  ecs_Status status = query_prepare(query);
  if (status == ECS_OK) status = index_set_init(&matches, query);
  if (status != ECS_OK) return status;
  if (component_of(request)->readers > 0 && !sets_links(request))
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
  bool is_tag = world->store.components.all[component].schema->field_count == 0;
  if (image == NULL && fields != 0 && !is_tag) return ECS_E_ARGUMENT;
  BulkRequest request = {world, component, image, fields, 0};
  if (world->depth > 0) return set_later(query, &request);
  const Component *target = component_of(&request);
  bool told = target->observed || target->observed_sets;
  if (sets_links(&request) || told) return record_now(query, &request, set_one);
  if (target->need_count > 0) return record_now(query, &request, record_set);
  return query->picked != NULL ? record_now(query, &request, set_one)
                               : bulk_set(query, component, image, fields);
}

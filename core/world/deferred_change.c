/* deferred_change.c: changes of one entity while a level is open. */
#include "world/deferred_change.h"

#include "world/link_kill.h"

ecs_Status world_absence(const ecs_World *world, ecs_Entity entity,
                         ecs_Status status) {
  bool spawns = status == ECS_E_DEAD && world_alive(world, entity);
  ECS_ASSERT(status != ECS_OK);
  ECS_ASSERT(!spawns || store_is_reserved(&world->store, entity));
  return spawns ? ECS_E_ABSENT : status;
}

/* Spawning and destroying ------------------------------------------------- */

ecs_Status deferred_spawn(ecs_World *world, Bundle *bundle,
                          const void *const *values, ecs_Entity *entity) {
  ecs_Entity unasked = 0;
  ECS_ASSERT(world->depth > 0);
  if (bundle->linked) {
    ecs_Status status = link_check_spawn(world, bundle, values);
    if (status != ECS_OK) return status;
  }
  return command_record_spawn(&world->commands, bundle, values,
                              entity != NULL ? entity : &unasked);
}

ecs_Status deferred_destroy(ecs_World *world, ecs_Entity entity) {
  ECS_ASSERT(world->depth > 0);
  if (!world_alive(world, entity)) return ECS_E_DEAD;
  ecs_Status status =
      command_record(&world->commands, COMMAND_DESTROY, entity, 0, NULL, 0);
  if (status == ECS_OK) world->store.row_epoch++; /* its row matches no more */
  return status;
}

/* Components -------------------------------------------------------------- */

/* What a change of one component of one entity finds. */
typedef struct ChangeTarget {
  ecs_Status status; /* ECS_E_DEAD: there is nothing to change */
  bool dropped;      /* the entity is recorded as destroyed */
  bool has_records;  /* something is recorded for the entity */
  bool present;      /* the entity has the component now */
  RowRef row;        /* where, if present */
} ChangeTarget;

/* Finds the target of a change, and counts the change if it is dropped. */
static ChangeTarget find_target(ecs_World *world, ecs_Entity entity,
                                ecs_Component component) {
  ChangeTarget target = {ECS_OK, false, false, false, {NULL, 0}};
  const EntityCommands *commands = recorded_commands(world, entity);
  ECS_ASSERT(world->depth > 0);
  ECS_ASSERT(world_has_component(world, component));
  target.status = store_locate(&world->store, entity, component, &target.row);
  target.present = target.row.table != NULL;
  if (commands == NULL) return target;
  ECS_ASSERT(commands->entity == entity);
  target.has_records = true;
  target.dropped = is_recorded_destroyed(&world->commands, commands);
  target.status = ECS_OK; /* a recorded spawn has no row yet */
  if (target.dropped) world->dropped++;
  return target;
}

/* Records that a component is there or not, after anything but a record of the
 * same entity. present: what the change makes of it. */
static ecs_Status record_presence(ecs_World *world, ecs_Entity entity,
                                  ecs_Component component, const void *image,
                                  bool present) {
  const EntityCommands *commands = recorded_commands(world, entity);
  ECS_ASSERT(world->depth > 0);
  ECS_ASSERT(world_has_component(world, component));
  if (commands == NULL) {
    RowRef row;
    ecs_Status status = store_locate(&world->store, entity, component, &row);
    /* A rule may have taken a component with links away by then. */
    bool linked = world->store.components.all[component].link_count > 0;
    bool done = (row.table != NULL) == present && !(linked && present);
    if (status != ECS_OK || done) return status;
  } else if (is_recorded_destroyed(&world->commands, commands)) {
    world->dropped++;
    return ECS_OK;
  }
  return command_record_at(&world->commands,
                           present ? COMMAND_ADD : COMMAND_REMOVE, entity,
                           commands, component, image, UINT64_MAX);
}

/* Of an entity that is alive; what becomes of another is not asked here. */
static ecs_Status check_links(ecs_World *world, ecs_Entity entity,
                              ecs_Component id, const void *image,
                              uint64_t fields) {
  const Component *component = &world->store.components.all[id];
  if (ECS_LIKELY(component->link_count == 0)) return ECS_OK;
  return world_alive(world, entity)
             ? link_check(world, entity, component, image, fields)
             : ECS_OK;
}

static ECS_APART ecs_Status add_apart(ecs_World *world, ecs_Entity entity,
                                      ecs_Component component,
                                      const void *image) {
  ecs_Status status = check_links(world, entity, component, image, UINT64_MAX);
  if (status != ECS_OK) return status;
  return record_presence(world, entity, component, image, true);
}

/* Where the chain goes on as others did, no register is saved. A tag has no
 * step with an image: where one is given for it, this is the other way. */
ecs_Status deferred_add(ecs_World *world, ecs_Entity entity,
                        ecs_Component component, const void *image) {
  ChainStep step = chain_step(COMMAND_ADD, component, image != NULL);
  if (ECS_UNLIKELY(world->links.count > 0) &&
      world->store.components.all[component].link_count > 0)
    return add_apart(world, entity, component, image);
  char *room = command_go_on(&world->commands, step, entity);
  if (ECS_UNLIKELY(room == NULL))
    return add_apart(world, entity, component, image);
  if (image == NULL) return ECS_OK;
  return command_copy_image(
      room, image, world->store.components.all[component].schema->image_bytes);
}

ecs_Status deferred_remove(ecs_World *world, ecs_Entity entity,
                           ecs_Component component) {
  ChainStep step = chain_step(COMMAND_REMOVE, component, false);
  if (command_go_on(&world->commands, step, entity) != NULL) return ECS_OK;
  return record_presence(world, entity, component, NULL, false);
}

ecs_Status deferred_set(ecs_World *world, ecs_Entity entity, ecs_Component id,
                        const void *image, uint64_t fields) {
  const Component *component = &world->store.components.all[id];
  ChangeTarget target = find_target(world, entity, id);
  bool waits = link_is_named(&world->links, component, fields);
  if (target.status != ECS_OK || target.dropped) return target.status;
  if (target.present && !waits && component->readers > 0)
    return world_refuse_access(world, id);
  ecs_Status status = check_links(world, entity, id, image, fields);
  if (status != ECS_OK) return status;
  if (target.has_records || !target.present || waits)
    return command_record(&world->commands, COMMAND_SET, entity, id, image,
                          fields);
  if (component->schema->field_count == 0) return ECS_OK;
  store_wrote(&world->store, id);
  table_set(target.row.table, target.row.row, component->bit, component->schema,
            image, fields);
  return ECS_OK;
}

/* Recorded, and applied at once ------------------------------------------- */

/* Applies what was recorded in a level of its own, unless recording failed. */
static ecs_Status apply_now(ecs_World *world, ecs_Status recorded) {
  if (recorded == ECS_OK) return deferral_close(world);
  deferral_discard(world);
  return recorded;
}

static ecs_Status destroy_recorded(ecs_World *world, ecs_Entity entity) {
  ecs_Status status = deferral_open(world);
  if (status != ECS_OK) return status;
  return apply_now(world, deferred_destroy(world, entity));
}

static ecs_Status add_recorded(ecs_World *world, ecs_Entity entity,
                               ecs_Component component, const void *image) {
  ecs_Status status = deferral_open(world);
  if (status != ECS_OK) return status;
  return apply_now(world, deferred_add(world, entity, component, image));
}

static ecs_Status remove_recorded(ecs_World *world, ecs_Entity entity,
                                  ecs_Component component) {
  ecs_Status status = deferral_open(world);
  if (status != ECS_OK) return status;
  return apply_now(world, deferred_remove(world, entity, component));
}

ecs_Status world_set_recorded(ecs_World *world, ecs_Entity entity,
                              ecs_Component component, const void *image,
                              uint64_t fields) {
  ecs_Status status = deferral_open(world);
  if (status != ECS_OK) return status;
  return apply_now(world,
                   deferred_set_told(world, entity, component, image, fields));
}

/* Adding with some fields ------------------------------------------------- */

void world_complete_image(const Schema *schema, const void *image,
                          uint64_t fields, ComponentImage *whole) {
  ECS_ASSERT(schema->image_bytes <= sizeof *whole);
  memcpy(whole, schema->default_image, schema->image_bytes);
  image_store(whole, schema, image, fields);
}

ecs_Status world_add_with_fields(ecs_World *world, ecs_Entity entity,
                                 ecs_Component component, const void *image,
                                 uint64_t fields) {
  const Schema *schema = world->store.components.all[component].schema;
  ComponentImage whole;
  ECS_ASSERT(world->depth == 0);
  world_complete_image(schema, image, fields, &whole);
  return world->store.components.all[component].observed
             ? add_recorded(world, entity, component, &whole)
             : store_add(&world->store, entity, component, &whole);
}

/* Links ------------------------------------------------------------------- */

/* Checks the links of an entity that is spawned next, and makes room: nothing
 * links to it yet, so that no circle can close. */
static ecs_Status reserve_spawn(ecs_World *world, const Bundle *bundle,
                                const void *const *values) {
  ecs_Entity next = entity_index_next(&world->store.index);
  ecs_Status status = link_check_spawn(world, bundle, values);
  for (uint32_t k = 0; status == ECS_OK && k < bundle->given_count; k++) {
    const Component *component =
        &world->store.components.all[bundle->items[k].component];
    if (component->link_count > 0)
      status = link_make_room(world, next, component, values[k], UINT64_MAX);
  }
  return status;
}

static ecs_Status spawn_linked(ecs_World *world, Bundle *bundle,
                               const void *const *values, ecs_Entity *entity) {
  ecs_Entity born = 0;
  ecs_Status status =
      values == NULL ? ECS_OK : reserve_spawn(world, bundle, values);
  if (status == ECS_OK)
    status = spawn_one(&world->store, bundle, values, &born);
  if (status != ECS_OK) return status;
  for (uint32_t k = 0; values != NULL && k < bundle->given_count; k++) {
    const Component *component =
        &world->store.components.all[bundle->items[k].component];
    if (component->link_count > 0)
      link_make(&world->links, born, component, values[k], UINT64_MAX);
  }
  if (entity != NULL) *entity = born;
  return ECS_OK;
}

/* Takes away all links of an entity to others. */
static void unlink_all(LinkSet *links, ecs_Entity entity) {
  for (uint32_t i = 0; i < links->count; i++)
    if (link_target(&links->indices[i], entity) != 0)
      link_take(&links->indices[i], entity);
}

static bool is_linked_to(const LinkSet *links, ecs_Entity entity) {
  for (uint32_t i = 0; i < links->count; i++)
    if (link_count(&links->indices[i], entity) > 0) return true;
  return false;
}

static ecs_Status destroy_linked(ecs_World *world, ecs_Entity entity) {
  ecs_Status status;
  if (is_linked_to(&world->links, entity)) {
    status = link_kill(world, entity);
    /* Rules remove components from others: all of it is recorded. */
    return status == ECS_E_OPEN ? destroy_recorded(world, entity) : status;
  }
  status = store_destroy_entity(&world->store, entity);
  if (status == ECS_OK) unlink_all(&world->links, entity);
  return status;
}

/* Adds a component with one link. An entity that lacks it links to nothing. */
static ecs_Status add_one_link(ecs_World *world, ecs_Entity entity,
                               const Component *component, ecs_Component id,
                               const void *image, bool present) {
  LinkIndex *index = links_of(&world->links, component);
  ecs_Entity target = link_in_image(index, component, image);
  ecs_Status status = link_reserve_one(world, index, entity, target);
  if (status != ECS_OK || present) return status;
  ECS_ASSERT(link_target(index, entity) == 0);
  status = store_add(&world->store, entity, id, image);
  if (status == ECS_OK && target != 0) link_insert(index, entity, target, 0);
  return status;
}

static ecs_Status add_linked(ecs_World *world, ecs_Entity entity,
                             ecs_Component id, const void *image) {
  const Component *component = &world->store.components.all[id];
  Table *table;
  uint32_t row;
  if (component->need_count > 0) return add_recorded(world, entity, id, image);
  ecs_Status status =
      store_locate_columns(&world->store, component, entity, &table, &row);
  if (status != ECS_OK && status != ECS_E_ABSENT) return status;
  bool present = status == ECS_OK;
  if (component->link_count == 1)
    return add_one_link(world, entity, component, id, image, present);
  status = link_reserve(world, entity, component, image, UINT64_MAX);
  if (status != ECS_OK || present) return status;
  status = store_add(&world->store, entity, id, image);
  if (status == ECS_OK)
    link_make(&world->links, entity, component, image, UINT64_MAX);
  return status;
}

static ecs_Status remove_linked(ecs_World *world, ecs_Entity entity,
                                ecs_Component id) {
  const Component *component = &world->store.components.all[id];
  ecs_Status status = store_remove(&world->store, entity, id);
  if (status == ECS_OK)
    link_make(&world->links, entity, component, NULL, UINT64_MAX);
  return status;
}

static ecs_Status set_linked(ecs_World *world, ecs_Entity entity,
                             ecs_Component id, const void *image,
                             uint64_t fields) {
  const Component *component = &world->store.components.all[id];
  Table *table;
  uint32_t row;
  ecs_Status found =
      store_locate_columns(&world->store, component, entity, &table, &row);
  if (found != ECS_OK && found != ECS_E_ABSENT) return found;
  if (found == ECS_E_ABSENT && component->need_count > 0)
    return world_set_recorded(world, entity, id, image, fields);
  ecs_Status status = link_reserve(world, entity, component, image, fields);
  if (status == ECS_OK && found == ECS_E_ABSENT)
    status = world_add_with_fields(world, entity, id, image, fields);
  if (status != ECS_OK) return status;
  if (found == ECS_OK) {
    store_wrote(&world->store, id);
    table_set(table, row, component->bit, component->schema, image, fields);
  }
  link_make(&world->links, entity, component, image, fields);
  world->store.row_epoch++; /* rows of targets may be others */
  return ECS_OK;
}

/* Watching ---------------------------------------------------------------- */

static ecs_Status set_guarded(ecs_World *world, ecs_Entity entity,
                              ecs_Component id, const void *image,
                              uint64_t fields) {
  const Component *component = &world->store.components.all[id];
  RowRef place;
  if (component->link_count > 0)
    return set_linked(world, entity, id, image, fields);
  if (component->field_count == 0) return world_add(world, entity, id, NULL);
  ecs_Status status = store_locate(&world->store, entity, id, &place);
  if (status != ECS_OK) return status;
  if (place.table == NULL)
    return component->need_count > 0
               ? world_set_recorded(world, entity, id, image, fields)
               : world_add_with_fields(world, entity, id, image, fields);
  store_wrote(&world->store, id);
  table_set(place.table, place.row, component->bit, component->schema, image,
            fields);
  return ECS_OK;
}

/* Links and observers ----------------------------------------------------- */

ecs_Status deferred_set_told(ecs_World *world, ecs_Entity entity,
                             ecs_Component component, const void *image,
                             uint64_t fields) {
  ObserverSet *observers = &world->observers;
  if (!world->store.components.all[component].observed_sets)
    return deferred_set(world, entity, component, image, fields);
  ecs_Status status =
      observer_set_reserve_told(observers, &world->store.memory);
  if (status != ECS_OK) return status;
  status = deferred_set(world, entity, component, image, fields);
  if (status == ECS_OK) observer_set_tell(observers, entity, component);
  return status;
}

ecs_Status world_store(ecs_World *world, ecs_Entity entity,
                       ecs_Component component, const void *image,
                       uint64_t fields) {
  return world->depth > 0
             ? deferred_set(world, entity, component, image, fields)
             : set_guarded(world, entity, component, image, fields);
}

static ecs_Status spawn_unnoticed(ecs_World *world, Bundle *bundle,
                                  const void *const *values,
                                  ecs_Entity *entity) {
  return bundle->linked ? spawn_linked(world, bundle, values, entity)
                        : spawn_one(&world->store, bundle, values, entity);
}

/* Nothing but notices is added to a spawn: a recording that failed would leave a
 * handle that is dead for good. */
ecs_Status world_spawn_noticed(ecs_World *world, Bundle *bundle,
                               const void *const *values, ecs_Entity *entity) {
  ecs_Entity born = 0;
  if (world->observers.count == 0)
    return spawn_unnoticed(world, bundle, values, entity);
  ecs_Status status = observe_reserve_births(world, bundle, 1);
  if (status == ECS_OK) status = spawn_unnoticed(world, bundle, values, &born);
  if (status != ECS_OK) return status;
  observe_births(world, &born, 1);
  if (entity != NULL) *entity = born;
  return ECS_OK;
}

ecs_Status world_destroy_noticed(ecs_World *world, ecs_Entity entity) {
  if (world->observers.asks_deaths && (is_linked_to(&world->links, entity) ||
                                       observe_asks_death(world, entity)))
    return destroy_recorded(world, entity);
  return destroy_linked(world, entity);
}

ecs_Status world_add_noticed(ecs_World *world, ecs_Entity entity,
                             ecs_Component component, const void *image) {
  return (world->store.components.all[component].observed
              ? add_recorded
              : add_linked)(world, entity, component, image);
}

ecs_Status world_remove_noticed(ecs_World *world, ecs_Entity entity,
                                ecs_Component component) {
  return (world->store.components.all[component].observed
              ? remove_recorded
              : remove_linked)(world, entity, component);
}

ecs_Status world_set_guarded(ecs_World *world, ecs_Entity entity,
                             ecs_Component id, const void *image,
                             uint64_t fields) {
  const Component *component = &world->store.components.all[id];
  return (component->observed || component->observed_sets
              ? world_set_recorded
              : set_guarded)(world, entity, id, image, fields);
}

/* deferred_change.c: changes of one entity while a level is open. */
#include "world/deferred_change.h"

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
  const EntityCommands *commands = deferred_commands(world, entity);
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

ecs_Status deferred_add(ecs_World *world, ecs_Entity entity,
                        ecs_Component component, const void *image) {
  ChangeTarget target = find_target(world, entity, component);
  if (target.status != ECS_OK || target.dropped) return target.status;
  if (target.present && !target.has_records) return ECS_OK;
  return command_record(&world->commands, COMMAND_ADD, entity, component, image,
                        UINT64_MAX);
}

ecs_Status deferred_remove(ecs_World *world, ecs_Entity entity,
                           ecs_Component component) {
  ChangeTarget target = find_target(world, entity, component);
  if (target.status != ECS_OK || target.dropped) return target.status;
  if (!target.present && !target.has_records) return ECS_OK;
  return command_record(&world->commands, COMMAND_REMOVE, entity, component,
                        NULL, 0);
}

ecs_Status deferred_set(ecs_World *world, ecs_Entity entity, ecs_Component id,
                        const void *image, uint64_t fields) {
  const Component *component = &world->store.components[id];
  ChangeTarget target = find_target(world, entity, id);
  if (target.status != ECS_OK || target.dropped) return target.status;
  if (target.present && component->readers > 0)
    return world_refuse_access(world, id);
  if (target.has_records || !target.present)
    return command_record(&world->commands, COMMAND_SET, entity, id, image,
                          fields);
  if (component->schema->field_count > 0)
    table_store(target.row.table, target.row.row, component->bit,
                component->schema, image, fields);
  return ECS_OK;
}

/* Adding with some fields ------------------------------------------------- */

void world_complete_image(const Schema *schema, const void *image,
                          uint64_t fields, ComponentImage *whole) {
  ECS_ASSERT(schema->image_bytes <= sizeof *whole);
  memcpy(whole, schema->default_image, schema->image_bytes);
  for (uint32_t i = 0; i < schema->field_count; i++)
    if ((fields >> i & 1u) != 0)
      memcpy((char *)whole + schema->fields[i].offset,
             (const char *)image + schema->fields[i].offset,
             scalar_bytes(schema->fields[i].type));
}

ecs_Status world_add_with_fields(ecs_World *world, ecs_Entity entity,
                                 ecs_Component component, const void *image,
                                 uint64_t fields) {
  const Schema *schema = world->store.components[component].schema;
  ComponentImage whole;
  ECS_ASSERT(world->depth == 0);
  world_complete_image(schema, image, fields, &whole);
  return store_add(&world->store, entity, component, &whole);
}

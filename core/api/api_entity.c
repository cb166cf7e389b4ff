/* api_entity.c: the border for entities and their values. */
#include "storage/table_image.h"
#include "world/deferred_change.h"

/* Spawning and destroying ------------------------------------------------- */

ecs_Status ecs_spawn_bundle(ecs_World *world, ecs_Bundle bundle,
                            const void *const *values, ecs_Entity *entity) {
  if (ECS_UNLIKELY(bundle - 1u >= world->store.bundle_count))
    return ECS_E_ARGUMENT;
  return world_spawn(world, world->store.bundles[bundle - 1], values, entity);
}

ecs_Status ecs_spawn(ecs_World *world, const ecs_Component *components,
                     uint32_t count, const void *const *values,
                     ecs_Entity *entity) {
  if (!world_has_components(world, components, count)) return ECS_E_COMPONENT;
  Bundle *bundle = bundle_for_once(&world->store, components, count);
  if (bundle == NULL) return ECS_E_MEMORY;
  return world_spawn(world, bundle, values, entity);
}

bool ecs_alive(const ecs_World *world, ecs_Entity entity) {
  return world_alive(world, entity);
}

ecs_Status ecs_destroy(ecs_World *world, ecs_Entity entity) {
  return world_destroy(world, entity);
}

/* Adding and removing --------------------------------------------------- */

ecs_Status ecs_add(ecs_World *world, ecs_Entity entity, ecs_Component component,
                   const void *image) {
  if (ECS_UNLIKELY(!world_has_component(world, component)))
    return ECS_E_COMPONENT;
  return world_add(world, entity, component, image);
}

ecs_Status ecs_remove(ecs_World *world, ecs_Entity entity,
                      ecs_Component component) {
  if (ECS_UNLIKELY(!world_has_component(world, component)))
    return ECS_E_COMPONENT;
  return world_remove(world, entity, component);
}

/* Values ---------------------------------------------------------------- */

ecs_Status ecs_set(ecs_World *world, ecs_Entity entity, ecs_Component component,
                   const void *image, uint64_t fields) {
  if (ECS_UNLIKELY(!world_has_component(world, component)))
    return ECS_E_COMPONENT;
  bool is_tag = world->store.components[component].schema->field_count == 0;
  if (image == NULL && fields != 0 && !is_tag) return ECS_E_ARGUMENT;
  return world_set(world, entity, component, image, fields);
}

/* Says which component an open cursor owns. */
static ECS_COLD ecs_Status contest(const ecs_World *world,
                                   ecs_Component component) {
  return world_refuse_access((ecs_World *)(uintptr_t)world, component);
}

/* May the component be read, and has it fields? */
static inline ecs_Status check_read(const ecs_World *world,
                                    ecs_Component component) {
  if (ECS_UNLIKELY(!world_has_component(world, component)))
    return ECS_E_COMPONENT;
  const Component *what = &world->store.components[component];
  if (ECS_UNLIKELY(what->schema->field_count == 0)) return ECS_E_COMPONENT;
  return ECS_UNLIKELY(what->writers > 0) ? contest(world, component) : ECS_OK;
}

ecs_Status ecs_get(const ecs_World *world, ecs_Entity entity,
                   ecs_Component component, void *image) {
  Table *table;
  uint32_t row;
  ecs_Status status = check_read(world, component);
  if (ECS_UNLIKELY(status != ECS_OK)) return status;
  const Component *what = &world->store.components[component];
  status = store_locate_columns(&world->store, what, entity, &table, &row);
  if (ECS_UNLIKELY(status != ECS_OK))
    return world_absence(world, entity, status);
  table_load(table, row, what->bit, what->schema, image);
  return ECS_OK;
}

ecs_Status ecs_get_field(const ecs_World *world, ecs_Entity entity,
                         ecs_Component component, uint32_t field,
                         double *value) {
  Table *table;
  uint32_t row;
  ecs_Status status = check_read(world, component);
  if (status == ECS_E_COMPONENT) return status;
  const Component *what = &world->store.components[component];
  if (field >= what->schema->field_count) return ECS_E_FIELD;
  if (status != ECS_OK) return status;
  status = store_locate_columns(&world->store, what, entity, &table, &row);
  if (status != ECS_OK) return world_absence(world, entity, status);
  *value = ecs_scalar_load(
      what->schema->fields[field].type,
      table_element(table, table_codes(table, what->bit)[field], row));
  return ECS_OK;
}

ecs_Status ecs_set_field(ecs_World *world, ecs_Entity entity,
                         ecs_Component component, uint32_t field,
                         double value) {
  ComponentImage image;
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  const Schema *schema = world->store.components[component].schema;
  if (schema->field_count == 0) return ECS_E_COMPONENT;
  if (field >= schema->field_count) return ECS_E_FIELD;
  ecs_Status status =
      ecs_scalar_store(schema->fields[field].type,
                       (char *)&image + schema->fields[field].offset, value);
  if (status != ECS_OK) return status;
  /* A recorded image is copied whole, so all of it has to be something. */
  for (uint32_t i = 0; world->depth > 0 && i < schema->field_count; i++)
    if (i != field)
      memcpy((char *)&image + schema->fields[i].offset,
             (const char *)schema->default_image + schema->fields[i].offset,
             scalar_bytes(schema->fields[i].type));
  return ecs_set(world, entity, component, &image, UINT64_C(1) << field);
}

static bool has_anywhere(const ecs_World *world, ecs_Entity entity,
                         ecs_Component component) {
  RowRef place;
  return store_locate(&world->store, entity, component, &place) == ECS_OK &&
         place.table != NULL;
}

/* In line for what is in the main group and not stored as bits: pure
 * optimisation. */
bool ecs_has(const ecs_World *world, ecs_Entity entity,
             ecs_Component component) {
  Table *table;
  if (ECS_UNLIKELY(!world_has_component(world, component))) return false;
  const Component *what = &world->store.components[component];
  if (ECS_UNLIKELY(what->group_id != 0 || what->storage == ECS_STORE_BITS))
    return has_anywhere(world, entity, component);
  return store_find_slot(&world->store, entity, &table) != NULL &&
         table_has(table, what->bit);
}

uint32_t ecs_components_of(const ecs_World *world, ecs_Entity entity,
                           ecs_Component *components, uint32_t capacity) {
  uint32_t count = 0;
  for (uint32_t i = 1; i < world->store.component_count; i++) {
    if (!ecs_has(world, entity, i)) continue;
    if (count < capacity) components[count] = i;
    count++;
  }
  return count;
}

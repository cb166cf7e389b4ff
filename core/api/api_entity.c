/* api_entity.c: the border for entities and their values.
 *
 * Checks components, fields and images, then calls world/deferred_change.h.
 * Entities need no check of their own: the store finds no row for a handle that
 * is not alive. */
#define ECS_DEFINES_API /* ecs.h */

#include "api/api_entity.h"

#include "base/misuse.h"
#include "storage/table_image.h"
#include "world/clone.h"
#include "world/replace.h"
#include "world/spawn_as.h"

/* Spawning and destroying ------------------------------------------------- */

ecs_Status ecs_spawn_bundle(ecs_World *world, ecs_Bundle bundle,
                            const void *const *values, ecs_Entity *entity) {
  ECS_MUST_LIVE(WORLD, world);
  if (ECS_UNLIKELY(!change_has_bundle(&world->store, bundle)))
    return ECS_E_ARGUMENT;
  return world_spawn(world, change_bundle(&world->store, bundle), values,
                     entity);
}

/* The bundle of a list of components, in *bundle. */
static inline ecs_Status check_list(ecs_World *world,
                                    const ecs_Component *components,
                                    uint32_t count, Bundle **bundle) {
  if (ECS_UNLIKELY(components == NULL && count > 0)) return ECS_E_ARGUMENT;
  *bundle = bundle_find_once(&world->store, components, count);
  if (*bundle != NULL) return ECS_OK;
  if (!world_has_components(world, components, count)) return ECS_E_COMPONENT;
  *bundle = bundle_for_once(&world->store, components, count);
  return *bundle == NULL ? ECS_E_MEMORY : ECS_OK;
}

ecs_Status ecs_spawn(ecs_World *world, const ecs_Component *components,
                     uint32_t count, const void *const *values,
                     ecs_Entity *entity) {
  ECS_MUST_LIVE(WORLD, world);
  Bundle *bundle;
  ecs_Status status = check_list(world, components, count, &bundle);
  if (ECS_UNLIKELY(status != ECS_OK)) return status;
  return world_spawn(world, bundle, values, entity);
}

ecs_Status ecs_spawn_as(ecs_World *world, ecs_Entity entity,
                        const ecs_Component *components, uint32_t count,
                        const void *const *values) {
  ECS_MUST_LIVE(WORLD, world);
  Bundle *bundle;
  if (id_index(entity) == 0 || entity >> ECS_HANDLE_BITS != 0)
    return ECS_E_ARGUMENT;
  ecs_Status status = check_list(world, components, count, &bundle);
  if (status != ECS_OK) return status;
  return world_spawn_as(world, entity, bundle, values);
}

bool ecs_alive(const ecs_World *world, ecs_Entity entity) {
  ECS_MUST_LIVE(WORLD, world);
  return world_alive(world, entity);
}

ecs_Status ecs_destroy(ecs_World *world, ecs_Entity entity) {
  ECS_MUST_LIVE(WORLD, world);
  return world_destroy(world, entity);
}

/* Adding and removing --------------------------------------------------- */

ecs_Status ecs_add(ecs_World *world, ecs_Entity entity, ecs_Component component,
                   const void *image) {
  ECS_MUST_LIVE(WORLD, world);
  if (ECS_UNLIKELY(!world_has_component(world, component)))
    return ECS_E_COMPONENT;
  return world_add(world, entity, component, image);
}

ecs_Status ecs_remove(ecs_World *world, ecs_Entity entity,
                      ecs_Component component) {
  ECS_MUST_LIVE(WORLD, world);
  if (ECS_UNLIKELY(!world_has_component(world, component)))
    return ECS_E_COMPONENT;
  return world_remove(world, entity, component);
}

ecs_Status ecs_replace(ecs_World *world, ecs_Entity entity, ecs_Component gone,
                       ecs_Component added, const void *image,
                       uint64_t fields) {
  ECS_MUST_LIVE(WORLD, world);
  ecs_Status status = check_replacement(world, gone, added, image, &fields);
  if (status != ECS_OK) return status;
  return world_replace(world, entity, gone, added, image, fields);
}

/* Values ---------------------------------------------------------------- */

ecs_Status ecs_set(ecs_World *world, ecs_Entity entity, ecs_Component component,
                   const void *image, uint64_t fields) {
  ECS_MUST_LIVE(WORLD, world);
  if (ECS_UNLIKELY(!world_has_component(world, component)))
    return ECS_E_COMPONENT;
  bool is_tag = world->store.components.all[component].schema->field_count == 0;
  if (ECS_UNLIKELY(image == NULL) && fields != 0 && !is_tag)
    return ECS_E_ARGUMENT;
  return world_set(world, entity, component, image, fields);
}

/* Reading leaves a world as it is, but for the component that it could not
 * read. */
static ECS_COLD ecs_Status refuse_read(const ecs_World *world,
                                       ecs_Component component) {
  return world_refuse_access((ecs_World *)(uintptr_t)world, component);
}

/* ECS_E_COMPONENT: the id names no component with fields. ECS_E_ACCESS: an open
 * cursor writes the component. */
static inline ecs_Status check_read(const ecs_World *world, ecs_Component id) {
  if (ECS_UNLIKELY(!world_has_component(world, id))) return ECS_E_COMPONENT;
  const Component *component = &world->store.components.all[id];
  if (ECS_UNLIKELY(component->schema->field_count == 0)) return ECS_E_COMPONENT;
  return ECS_UNLIKELY(component->writers > 0) ? refuse_read(world, id) : ECS_OK;
}

ecs_Status ecs_get(const ecs_World *world, ecs_Entity entity, ecs_Component id,
                   void *image) {
  ECS_MUST_LIVE(WORLD, world);
  ECS_MISUSE_IF(image == NULL, "image is NULL");
  Table *table;
  uint32_t row;
  ecs_Status status = check_read(world, id);
  if (ECS_UNLIKELY(status != ECS_OK)) return status;
  const Component *component = &world->store.components.all[id];
  status = store_locate_columns(&world->store, component, entity, &table, &row);
  if (ECS_UNLIKELY(status != ECS_OK))
    return world_absence(world, entity, status);
  ECS_ASSERT(row < table->count);
  table_load(table, row, component->bit, component->schema, image);
  return ECS_OK;
}

/* A field that does not exist is reported before a component that an open
 * cursor writes. */
ecs_Status ecs_get_field(const ecs_World *world, ecs_Entity entity,
                         ecs_Component id, uint32_t field, double *value) {
  ECS_MUST_LIVE(WORLD, world);
  ECS_MISUSE_IF(value == NULL, "value is NULL");
  Table *table;
  uint32_t row;
  ecs_Status status = check_read(world, id);
  if (status == ECS_E_COMPONENT) return status;
  const Component *component = &world->store.components.all[id];
  if (field >= component->schema->field_count) return ECS_E_FIELD;
  if (status != ECS_OK) return status;
  status = store_locate_columns(&world->store, component, entity, &table, &row);
  if (status != ECS_OK) return world_absence(world, entity, status);
  ECS_ASSERT(row < table->count);
  *value = ecs_scalar_load(
      component->schema->fields[field].type,
      table_element(table, table_codes(table, component->bit)[field], row));
  return ECS_OK;
}

/* Makes the image of a component of which one field is stored. An image that is
 * recorded is copied whole, so its other fields must hold something. */
static ecs_Status make_image(const ecs_World *world, ecs_Component id,
                             uint32_t field, double value,
                             ComponentImage *image) {
  if (!world_has_component(world, id)) return ECS_E_COMPONENT;
  const Component *component = &world->store.components.all[id];
  const Schema *schema = component->schema;
  if (schema->field_count == 0) return ECS_E_COMPONENT;
  if (field >= schema->field_count) return ECS_E_FIELD;
  ecs_Status status =
      ecs_scalar_store(schema->fields[field].type,
                       (char *)image + schema->fields[field].offset, value);
  bool recorded = world->depth > 0 || component->guards > 0;
  for (uint32_t i = 0; recorded && i < schema->field_count; i++)
    if (i != field)
      memcpy((char *)image + schema->fields[i].offset,
             (const char *)schema->default_image + schema->fields[i].offset,
             scalar_bytes(schema->fields[i].type));
  return status;
}

/* ecs_set, so that world_set is inlined once. */
ecs_Status ecs_set_field(ecs_World *world, ecs_Entity entity,
                         ecs_Component component, uint32_t field,
                         double value) {
  ECS_MUST_LIVE(WORLD, world);
  ComponentImage image;
  ecs_Status status = make_image(world, component, field, value, &image);
  if (status != ECS_OK) return status;
  return ecs_set(world, entity, component, &image, UINT64_C(1) << field);
}

/* Stores a field in place, whatever is recorded. */
static ecs_Status store_at_once(ecs_World *world, ecs_Entity entity,
                                ecs_Component id, const void *image,
                                uint64_t fields) {
  const Component *component = &world->store.components.all[id];
  Table *table;
  uint32_t row;
  ecs_Status status =
      store_locate_columns(&world->store, component, entity, &table, &row);
  if (status != ECS_OK) return world_absence(world, entity, status);
  if (component->readers > 0) return world_refuse_access(world, id);
  store_wrote(&world->store, id);
  table_set(table, row, component->bit, component->schema, image, fields);
  return ECS_OK;
}

ecs_Status ecs_row_store(ecs_World *world, ecs_Entity entity,
                         ecs_Component component, uint32_t field, double value,
                         bool at_once) {
  ECS_MUST_LIVE(WORLD, world);
  ComponentImage image;
  uint64_t fields = UINT64_C(1) << (field & 63u);
  ecs_Status status = make_image(world, component, field, value, &image);
  if (status != ECS_OK) return status;
  bool waits = link_is_named(&world->links,
                             &world->store.components.all[component], fields);
  return (at_once && !waits ? store_at_once : world_store)(
      world, entity, component, &image, fields);
}

ecs_Status ecs_links_store(ecs_World *world, ecs_Entity entity,
                           ecs_Component component, const void *image,
                           uint64_t fields) {
  ECS_MUST_LIVE(WORLD, world);
  if (!world_has_component(world, component)) return ECS_E_COMPONENT;
  return world_store(world, entity, component, image, fields);
}

/* Presence ---------------------------------------------------------------- */

/* Pure optimisation: inline for a component that is in the main group and not
 * stored as bits. */
bool ecs_has(const ecs_World *world, ecs_Entity entity, ecs_Component id) {
  ECS_MUST_LIVE(WORLD, world);
  Table *table;
  if (ECS_UNLIKELY(!world_has_component(world, id))) return false;
  const Component *component = &world->store.components.all[id];
  if (ECS_UNLIKELY(component->group_id != 0 || component_is_bits(component)))
    return world_has(world, entity, id);
  bool has = store_find_slot(&world->store, entity, &table) != NULL &&
             table_has(table, component->bit);
  ECS_ASSERT(has == world_has(world, entity, id));
  return has;
}

ecs_Status ecs_clone_without(ecs_World *world, ecs_Entity entity,
                             ecs_Component without, ecs_Entity *clone) {
  ECS_MUST_LIVE(WORLD, world);
  if (clone == NULL) return ECS_E_ARGUMENT;
  return world_alive(world, entity) ? world_clone(world, entity, without, clone)
                                    : ECS_E_DEAD;
}

ecs_Status ecs_clone(ecs_World *world, ecs_Entity entity, ecs_Entity *clone) {
  return ecs_clone_without(world, entity, 0, clone);
}

uint32_t ecs_components_of(const ecs_World *world, ecs_Entity entity,
                           ecs_Component *components, uint32_t capacity) {
  ECS_MUST_LIVE(WORLD, world);
  if (components == NULL) capacity = 0;
  uint32_t count = 0;
  for (ecs_Component id = 1; id < world->store.components.count; id++) {
    if (!ecs_has(world, entity, id)) continue;
    if (count < capacity) components[count] = id;
    count++;
  }
  return count;
}

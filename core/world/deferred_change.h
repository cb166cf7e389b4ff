/* deferred_change.h: changes of one entity, now or recorded.
 *
 *      world_add -- nothing open -----> store_add      the change happens now
 *            \---- a level is open --> deferred_add    it is recorded
 *
 * The `world_` functions decide; they call the `deferred_` functions while a
 * level is open (deferral.h). The caller has checked the rest: components
 * exist, a bundle belongs to the world, an image is given where fields are
 * named. Any number may be given as an entity.
 *
 * A change of an entity that is recorded as destroyed is dropped: it returns
 * ECS_OK and is counted in the world's `dropped`. Where a function fails,
 * nothing has changed and nothing was recorded.
 */
#ifndef ECS_DEFERRED_CHANGE_H
#define ECS_DEFERRED_CHANGE_H

#include "storage/table_image.h"
#include "world/deferral.h"
#include "world/link_check.h"

/* Room for an image of any component: ECS_FIELD_LIMIT fields of eight bytes. */
typedef struct ComponentImage {
  uint64_t words[ECS_FIELD_LIMIT];
} ComponentImage;

/* What is there ----------------------------------------------------------- */

/* The status that a failed look-up returns to the user: ECS_E_ABSENT for an
 * entity with a recorded spawn, otherwise the given status. */
ECS_INTERNAL ecs_Status world_absence(const ecs_World *world, ecs_Entity entity,
                                      ecs_Status status);

/* Recording: a level is open ---------------------------------------------- */

/* Records a spawn with the bundle's values, or defaults where values or one of
 * them is NULL. The handle is issued at once; entity may be NULL.
 * ECS_E_MEMORY, ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status deferred_spawn(ecs_World *world, Bundle *bundle,
                                       const void *const *values,
                                       ecs_Entity *entity);

/* Records a destruction. ECS_E_DEAD: the entity is dead or recorded as
 * destroyed. ECS_E_MEMORY, ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status deferred_destroy(ecs_World *world, ecs_Entity entity);

/* Record that a component is added, with the image or with defaults (NULL), or
 * removed. Nothing is recorded if the entity has no records and the change
 * would have no effect. ECS_E_DEAD, ECS_E_MEMORY, ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status deferred_add(ecs_World *world, ecs_Entity entity,
                                     ecs_Component component,
                                     const void *image);
ECS_INTERNAL ecs_Status deferred_remove(ecs_World *world, ecs_Entity entity,
                                        ecs_Component component);

/* Sets the named fields (bit i: field i). Writes them in place where the entity
 * has the component and no records; otherwise records the change, which adds
 * the component where it is absent. ECS_E_ACCESS: an open cursor reads the
 * component and the entity has it. ECS_E_DEAD, ECS_E_MEMORY, ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status deferred_set(ecs_World *world, ecs_Entity entity,
                                     ecs_Component component, const void *image,
                                     uint64_t fields);

/* Fills in an image: the named fields of the given one, defaults for the others.
 */
ECS_INTERNAL void world_complete_image(const Schema *schema, const void *image,
                                       uint64_t fields, ComponentImage *whole);

/* Adds a component now, with the named fields of the image and defaults for the
 * others. ECS_E_DEAD, ECS_E_MEMORY, ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status world_add_with_fields(ecs_World *world,
                                              ecs_Entity entity,
                                              ecs_Component component,
                                              const void *image,
                                              uint64_t fields);

/* As deferred_set, and observers are told. */
ECS_INTERNAL ecs_Status deferred_set_told(ecs_World *world, ecs_Entity entity,
                                          ecs_Component component,
                                          const void *image, uint64_t fields);

/* As world_set, where the entity has the component, and observers are not told.
 */
ECS_INTERNAL ecs_Status world_store(ecs_World *world, ecs_Entity entity,
                                    ecs_Component component, const void *image,
                                    uint64_t fields);

/* What has links, observers or needs, where nothing is open: as the functions
 * below, with the indices of links and notices. What is observed is recorded,
 * and applied. ECS_E_LINK, ECS_E_CIRCLE. */
ECS_INTERNAL ecs_Status world_spawn_noticed(ecs_World *world, Bundle *bundle,
                                            const void *const *values,
                                            ecs_Entity *entity);
ECS_INTERNAL ecs_Status world_destroy_noticed(ecs_World *world,
                                              ecs_Entity entity);
ECS_INTERNAL ecs_Status world_add_noticed(ecs_World *world, ecs_Entity entity,
                                          ecs_Component component,
                                          const void *image);
ECS_INTERNAL ecs_Status world_remove_noticed(ecs_World *world,
                                             ecs_Entity entity,
                                             ecs_Component component);
ECS_INTERNAL ecs_Status world_set_guarded(ecs_World *world, ecs_Entity entity,
                                          ecs_Component component,
                                          const void *image, uint64_t fields);

/* As world_set, but recorded, and applied at once: for what is observed, and for
 * a component that needs others where the entity lacks it. */
ECS_INTERNAL ecs_Status world_set_recorded(ecs_World *world, ecs_Entity entity,
                                           ecs_Component component,
                                           const void *image, uint64_t fields);

/* Now or recorded: in line, so that a change now costs no call more ------- */

/* As deferred_spawn. */
static inline ecs_Status world_spawn(ecs_World *world, Bundle *bundle,
                                     const void *const *values,
                                     ecs_Entity *entity) {
  if (ECS_UNLIKELY(world->depth > 0))
    return deferred_spawn(world, bundle, values, entity);
  if (ECS_UNLIKELY(bundle->noticed))
    return world_spawn_noticed(world, bundle, values, entity);
  return spawn_one(&world->store, bundle, values, entity);
}

/* As deferred_destroy. While no level is open, every entity has a row. */
static inline ecs_Status world_destroy(ecs_World *world, ecs_Entity entity) {
  if (ECS_UNLIKELY(world->depth > 0)) return deferred_destroy(world, entity);
  if (ECS_UNLIKELY(world->heeds_deaths))
    return world_destroy_noticed(world, entity);
  return store_destroy_entity(&world->store, entity);
}

/* As deferred_add and deferred_remove. Cost: moves one row of one group. */
static inline ecs_Status world_add(ecs_World *world, ecs_Entity entity,
                                   ecs_Component component, const void *image) {
  if (ECS_UNLIKELY(world->depth > 0))
    return deferred_add(world, entity, component, image);
  if (ECS_UNLIKELY(world->store.components.all[component].noticed))
    return world_add_noticed(world, entity, component, image);
  return store_add(&world->store, entity, component, image);
}

static inline ecs_Status world_remove(ecs_World *world, ecs_Entity entity,
                                      ecs_Component component) {
  if (ECS_UNLIKELY(world->depth > 0))
    return deferred_remove(world, entity, component);
  if (ECS_UNLIKELY(world->store.components.all[component].noticed))
    return world_remove_noticed(world, entity, component);
  return store_remove(&world->store, entity, component);
}

/* As deferred_set_told; adds the component where it is absent. */
static inline __attribute__((always_inline)) ecs_Status world_set(
    ecs_World *world, ecs_Entity entity, ecs_Component id, const void *image,
    uint64_t fields) {
  Table *table;
  uint32_t row;
  const Component *component = &world->store.components.all[id];
  bool is_tag = component->schema->field_count == 0;
  if (ECS_UNLIKELY(world->depth > 0))
    return deferred_set_told(world, entity, id, image, fields);
  if (ECS_UNLIKELY(component->guards > 0))
    return world_set_guarded(world, entity, id, image, fields);
  if (is_tag) return world_add(world, entity, id, NULL);
  ecs_Status status =
      store_locate_columns(&world->store, component, entity, &table, &row);
  if (ECS_UNLIKELY(status == ECS_E_ABSENT))
    return component->need_count > 0
               ? world_set_recorded(world, entity, id, image, fields)
               : world_add_with_fields(world, entity, id, image, fields);
  if (ECS_UNLIKELY(status != ECS_OK)) return status;
  if (fields == UINT64_MAX)
    table_store_all(table, row, component->bit, component->schema, image);
  else
    table_store_named(table, row, component->bit, component->schema, image,
                      fields);
  return ECS_OK;
}

#endif

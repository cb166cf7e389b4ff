/* api_entity.c: the border for entities and their values. */
#include "world/world.h"
#include "storage/table_image.h"

/* An image of any component fits: 64 fields of eight bytes. */
typedef struct Image {
  uint64_t words[ECS_FIELD_LIMIT];
} Image;

/* What is recorded for an entity; NULL most of the time. */
static const EntityCommands *recorded(const ecs_World *world,
                                      ecs_Entity entity) {
  return world->commands.entity_count == 0
             ? NULL
             : command_find(&world->commands, entity);
}

/* Birth and death ------------------------------------------------------- */

static ECS_COLD ecs_Status spawn_later(ecs_World *world, Bundle *bundle,
                                       const void *const *values,
                                       ecs_Entity *entity) {
  ecs_Entity unasked = 0;
  return command_record_spawn(&world->commands, bundle, values,
                              entity != NULL ? entity : &unasked);
}

static inline ecs_Status spawn(ecs_World *world, Bundle *bundle,
                               const void *const *values, ecs_Entity *entity) {
  if (ECS_UNLIKELY(world->depth > 0))
    return spawn_later(world, bundle, values, entity);
  return spawn_one(&world->store, bundle, values, entity);
}

ecs_Status ecs_spawn_bundle(ecs_World *world, ecs_Bundle bundle,
                            const void *const *values, ecs_Entity *entity) {
  if (ECS_UNLIKELY(bundle - 1u >= world->store.bundle_count))
    return ECS_E_ARGUMENT;
  return spawn(world, world->store.bundles[bundle - 1], values, entity);
}

ecs_Status ecs_spawn(ecs_World *world, const ecs_Component *components,
                     uint32_t count, const void *const *values,
                     ecs_Entity *entity) {
  if (!are_components(world, components, count)) return ECS_E_COMPONENT;
  Bundle *bundle = bundle_for_once(&world->store, components, count);
  if (bundle == NULL) return ECS_E_MEMORY;
  return spawn(world, bundle, values, entity);
}

bool ecs_alive(const ecs_World *world, ecs_Entity entity) {
  const EntityCommands *subject = recorded(world, entity);
  if (subject != NULL) return !is_recorded_destroyed(subject);
  return store_alive(&world->store, entity);
}

static ECS_COLD ecs_Status destroy_later(ecs_World *world, ecs_Entity entity) {
  if (!ecs_alive(world, entity)) return ECS_E_DEAD;
  ecs_Status status =
      command_record(&world->commands, COMMAND_DESTROY, entity, 0, NULL, 0);
  if (status == ECS_OK) world->store.row_epoch++; /* its row matches no more */
  return status;
}

/* With nothing open nothing is recorded: who is alive has a place. */
ecs_Status ecs_destroy(ecs_World *world, ecs_Entity entity) {
  if (ECS_UNLIKELY(world->depth > 0)) return destroy_later(world, entity);
  return store_destroy_entity(&world->store, entity);
}

/* Changes while something is open --------------------------------------- */

/* Where a change of a component stands while changes are recorded. */
typedef struct Verdict {
  ecs_Status status;
  bool drop;        /* its entity was destroyed: count it, no more */
  bool has_records; /* other changes of the entity are recorded */
  RowRef place;     /* where the entity has the component now */
} Verdict;

static Verdict judge(ecs_World *world, ecs_Entity entity,
                     ecs_Component component) {
  Verdict verdict = {ECS_OK, false, false, {NULL, 0}};
  const EntityCommands *subject = recorded(world, entity);
  verdict.status =
      store_locate(&world->store, entity, component, &verdict.place);
  if (subject != NULL) {
    verdict.has_records = true;
    verdict.drop = is_recorded_destroyed(subject);
    verdict.status = ECS_OK; /* also one that is born in the recording */
  }
  if (verdict.drop) world->dropped++;
  return verdict;
}

static ECS_COLD ecs_Status add_later(ecs_World *world, ecs_Entity entity,
                                     ecs_Component component,
                                     const void *image) {
  Verdict verdict = judge(world, entity, component);
  bool present = verdict.place.table != NULL;
  if (verdict.status != ECS_OK || verdict.drop) return verdict.status;
  if (present && !verdict.has_records) return ECS_OK;
  return command_record(&world->commands, COMMAND_ADD, entity, component, image,
                        UINT64_MAX);
}

static ECS_COLD ecs_Status remove_later(ecs_World *world, ecs_Entity entity,
                                        ecs_Component component) {
  Verdict verdict = judge(world, entity, component);
  bool present = verdict.place.table != NULL;
  if (verdict.status != ECS_OK || verdict.drop) return verdict.status;
  if (!present && !verdict.has_records) return ECS_OK;
  return command_record(&world->commands, COMMAND_REMOVE, entity, component,
                        NULL, 0);
}

static ECS_COLD ecs_Status set_later(ecs_World *world, ecs_Entity entity,
                                     ecs_Component component, const void *image,
                                     uint64_t fields) {
  const Component *what = &world->store.components[component];
  Verdict verdict = judge(world, entity, component);
  bool present = verdict.place.table != NULL;
  if (verdict.status != ECS_OK || verdict.drop) return verdict.status;
  if (present && what->readers > 0) {
    world->contested = component;
    return ECS_E_ACCESS;
  }
  if (verdict.has_records || !present)
    return command_record(&world->commands, COMMAND_SET, entity, component,
                          image, fields);
  if (what->schema->field_count > 0)
    table_store(verdict.place.table, verdict.place.row, what->bit, what->schema,
                image, fields);
  return ECS_OK;
}

/* Adding and removing --------------------------------------------------- */

ecs_Status ecs_add(ecs_World *world, ecs_Entity entity, ecs_Component component,
                   const void *image) {
  if (ECS_UNLIKELY(!is_component(world, component))) return ECS_E_COMPONENT;
  if (ECS_UNLIKELY(world->depth > 0))
    return add_later(world, entity, component, image);
  return store_add(&world->store, entity, component, image);
}

ecs_Status ecs_remove(ecs_World *world, ecs_Entity entity,
                      ecs_Component component) {
  if (ECS_UNLIKELY(!is_component(world, component))) return ECS_E_COMPONENT;
  if (ECS_UNLIKELY(world->depth > 0))
    return remove_later(world, entity, component);
  return store_remove(&world->store, entity, component);
}

/* Values ---------------------------------------------------------------- */

/* Adds a component with defaults but for some fields. */
static ECS_COLD ecs_Status add_with_fields(ecs_World *world, ecs_Entity entity,
                                           ecs_Component component,
                                           const void *image, uint64_t fields) {
  const Schema *schema = world->store.components[component].schema;
  Image whole;
  memcpy(&whole, schema->default_image, schema->image_bytes);
  for (uint32_t i = 0; i < schema->field_count; i++)
    if ((fields >> i & 1u) != 0)
      memcpy((char *)&whole + schema->fields[i].offset,
             (const char *)image + schema->fields[i].offset,
             scalar_bytes(schema->fields[i].type));
  return store_add(&world->store, entity, component, &whole);
}

ecs_Status ecs_set(ecs_World *world, ecs_Entity entity, ecs_Component component,
                   const void *image, uint64_t fields) {
  Table *table;
  uint32_t row;
  if (ECS_UNLIKELY(!is_component(world, component))) return ECS_E_COMPONENT;
  const Component *what = &world->store.components[component];
  bool tag = what->schema->field_count == 0;
  if (image == NULL && fields != 0 && !tag) return ECS_E_ARGUMENT;
  if (ECS_UNLIKELY(world->depth > 0))
    return set_later(world, entity, component, image, fields);
  if (tag) return store_add(&world->store, entity, component, NULL);
  ecs_Status status =
      store_locate_columns(&world->store, what, entity, &table, &row);
  if (ECS_UNLIKELY(status == ECS_E_ABSENT))
    return add_with_fields(world, entity, component, image, fields);
  if (ECS_UNLIKELY(status != ECS_OK)) return status;
  if (fields == UINT64_MAX)
    table_store_all(table, row, what->bit, what->schema, image);
  else
    table_store(table, row, what->bit, what->schema, image, fields);
  return ECS_OK;
}

/* What is told of an entity that has no place: recorded, maybe. */
static ECS_COLD ecs_Status judge_absent(const ecs_World *world,
                                        ecs_Entity entity, ecs_Status status) {
  return status == ECS_E_DEAD && ecs_alive(world, entity) ? ECS_E_ABSENT
                                                          : status;
}

/* Says which component an open cursor owns. */
static ECS_COLD ecs_Status contest(const ecs_World *world,
                                   ecs_Component component) {
  ((ecs_World *)(uintptr_t)world)->contested = component;
  return ECS_E_ACCESS;
}

/* May the component be read, and has it fields? */
static inline ecs_Status check_read(const ecs_World *world,
                                    ecs_Component component) {
  if (ECS_UNLIKELY(!is_component(world, component))) return ECS_E_COMPONENT;
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
    return judge_absent(world, entity, status);
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
  if (status != ECS_OK) return judge_absent(world, entity, status);
  *value = ecs_scalar_load(
      what->schema->fields[field].type,
      table_element(table, table_codes(table, what->bit)[field], row));
  return ECS_OK;
}

ecs_Status ecs_set_field(ecs_World *world, ecs_Entity entity,
                         ecs_Component component, uint32_t field,
                         double value) {
  Image image;
  if (!is_component(world, component)) return ECS_E_COMPONENT;
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
  if (ECS_UNLIKELY(!is_component(world, component))) return false;
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

/* unpack.c: brings packed rows into a world. */
#include "state/unpack.h"

#include <stdio.h>
#include <stdlib.h>

#include "state/load_fields.h"
#include "state/load_values.h"
#include "state/unpack_links.h"
#include "storage/locate.h"
#include "world/spawn_as.h"

static const Schema *schema_of(const Unpack *unpack, ecs_Component id) {
  return unpack->world->store.components.all[id].schema;
}

/* Memory ------------------------------------------------------------------ */

static uint32_t component_count(const Unpack *unpack) {
  return unpack->saved->components.count;
}

static uint32_t name_count(const Unpack *unpack) {
  return unpack->options->as_new ? 0 : unpack->saved->names.count;
}

static ecs_Status begin(Unpack *unpack) {
  Memory *memory = unpack->memory;
  size_t components = component_count(unpack) + 1u;
  const EntityIndex *index = &unpack->world->store.index;
  unpack->slot_bytes = index->used * sizeof(Slot);
  unpack->counts = entity_index_counts(index);
  unpack->components =
      memory_zeroed(memory, components, sizeof(UnpackComponent));
  unpack->places = memory_zeroed(memory, (size_t)unpack->saved->rows + 1,
                                 sizeof(UnpackPlace));
  unpack->texts =
      memory_zeroed(memory, name_count(unpack) + 1u, sizeof(uint32_t));
  unpack->ids = memory_zeroed(memory, components, sizeof(ecs_Component));
  unpack->values =
      (const void **)memory_zeroed(memory, components, sizeof(void *));
  unpack->slots = memory_zeroed(memory, unpack->slot_bytes, 1);
  return unpack->components == NULL || unpack->places == NULL ||
                 unpack->texts == NULL || unpack->ids == NULL ||
                 unpack->values == NULL || unpack->slots == NULL
             ? ECS_E_MEMORY
             : ECS_OK;
}

static void end(Unpack *unpack) {
  Memory *memory = unpack->memory;
  size_t components = component_count(unpack) + 1u;
  unpack_forget_links(unpack);
  for (uint32_t i = 0;
       unpack->components != NULL && i < component_count(unpack); i++) {
    const UnpackComponent *component = &unpack->components[i];
    if (component->images != NULL)
      memory_free(memory, component->images,
                  (size_t)component->was->rows * component->image_bytes);
  }
  memory_free(memory, unpack->components, components * sizeof(UnpackComponent));
  memory_free(memory, unpack->places,
              ((size_t)unpack->saved->rows + 1) * sizeof(UnpackPlace));
  memory_free(memory, unpack->texts,
              (name_count(unpack) + 1u) * sizeof(uint32_t));
  memory_free(memory, unpack->ids, components * sizeof(ecs_Component));
  memory_free(memory, (void *)unpack->values, components * sizeof(void *));
  memory_free(memory, unpack->slots, unpack->slot_bytes);
}

/* Entities ---------------------------------------------------------------- */

static int compare_places(const void *one, const void *other) {
  uint32_t a = id_index(((const UnpackPlace *)one)->entity);
  uint32_t b = id_index(((const UnpackPlace *)other)->entity);
  return (a > b) - (a < b);
}

/* Lists the rows by index, of which each is there once. */
static ecs_Status list_places(Unpack *unpack) {
  uint32_t rows = (uint32_t)unpack->saved->rows;
  bool sorted = true;
  for (uint32_t row = 0; row < rows; row++) {
    ecs_Entity entity = unpack_entity(unpack, row);
    if (entity >> ECS_HANDLE_BITS != 0 || id_index(entity) == 0)
      return load_refuse(&unpack->load, "an entity of it is none");
    unpack->places[row] = (UnpackPlace){entity, row};
    sorted = sorted && (row == 0 || id_index(entity) > id_index(unpack_entity(
                                                           unpack, row - 1)));
  }
  if (sorted) return ECS_OK;
  qsort(unpack->places, rows, sizeof(UnpackPlace), compare_places);
  for (uint32_t i = 1; i < rows; i++)
    if (id_index(unpack->places[i - 1].entity) ==
        id_index(unpack->places[i].entity))
      return load_refuse(&unpack->load, "an entity of it is there twice");
  return ECS_OK;
}

/* The handles that the rows have here, which new entities get when they are
 * spawned. */
static void choose_handles(Unpack *unpack) {
  const EntityIndex *index = &unpack->world->store.index;
  NextIndices next = {0};
  for (uint64_t row = 0; row < unpack->saved->rows; row++) {
    unpack->made[row] = unpack_entity(unpack, row);
    if (!unpack->options->as_new) continue;
    uint32_t taken = next_indices_take(&next, index);
    uint32_t generation =
        taken < index->used ? entity_index_slot(index, taken)->table_bits : 0;
    unpack->made[row] = id_make(taken, generation);
  }
}

/* Components -------------------------------------------------------------- */

static ecs_Status map_component(Unpack *unpack, uint32_t number) {
  UnpackComponent *made = &unpack->components[number];
  Load *load = &unpack->load;
  made->was = &saved_components(unpack->saved)[number];
  const char *name = made->was->name;
  if (load->listener->rename != NULL)
    name = load->listener->rename(load->listener->user, name);
  if (name == NULL) return ECS_OK; /* it is left out */
  ecs_Component id = store_find_component(&unpack->world->store, name);
  if (id == 0)
    return load_refuse_of(load, "the world has no component %s%s", name, "");
  if (id == unpack->world->names.tag)
    return load_refuse_of(load, "%s%s is there without names", name, "");
  for (uint32_t i = 0; i < number; i++)
    if (unpack->components[i].id == id)
      return load_refuse_of(load, "two components become %s%s", name, "");
  made->id = id;
  return load_compare_fields(load, made->was, schema_of(unpack, id));
}

/* Writes a field into the images of a component's rows. False: a value does not
 * fit, and problem says why. */
static bool make_field(Unpack *unpack, UnpackComponent *component,
                       const SchemaField *field) {
  Load *load = &unpack->load;
  size_t rows = (size_t)component->was->rows;
  char *to = component->images + field->offset;
  const SavedField *was = load_find_field(load, component->was, field->name);
  if (was == NULL || !scalar_is_held(field->type))
    return load_field(load, component->was, field, 0, rows, to,
                      component->image_bytes);
  load_held(load, was, 0, rows, to, component->image_bytes);
  return true;
}

/* Makes the images of a component's rows. */
static ecs_Status make_images(Unpack *unpack, UnpackComponent *component) {
  const Schema *schema = schema_of(unpack, component->id);
  size_t rows = (size_t)component->was->rows;
  component->image_bytes = schema->image_bytes;
  if (schema->image_bytes == 0) return ECS_OK;
  component->images =
      memory_zeroed(unpack->memory, rows, component->image_bytes);
  if (component->images == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < schema->field_count; i++)
    if (!make_field(unpack, component, &schema->fields[i])) return ECS_E_FILE;
  return ECS_OK;
}

static ecs_Status make_components(Unpack *unpack) {
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < component_count(unpack); i++) {
    status = map_component(unpack, i);
    if (status == ECS_OK && unpack->components[i].id != 0)
      status = make_images(unpack, &unpack->components[i]);
  }
  return status;
}

/* Entity fields that are no links lead to what is here. */
static void mend_fields(const Unpack *unpack,
                        const UnpackComponent *component) {
  const Schema *schema = schema_of(unpack, component->id);
  for (uint32_t i = 0; i < schema->field_count; i++) {
    char *at = component->images + schema->fields[i].offset;
    if (schema->fields[i].type != ECS_ENTITY) continue;
    for (uint64_t row = 0; row < component->was->rows; row++) {
      ecs_Entity entity;
      memcpy(&entity, at + row * component->image_bytes, sizeof entity);
      entity = unpack_mend(unpack, entity);
      memcpy(at + row * component->image_bytes, &entity, sizeof entity);
    }
  }
}

/* Names ------------------------------------------------------------------- */

static const SavedName *names_of(const Unpack *unpack) {
  return unpack->saved->names.all;
}

/* Is there a name for an entity? They are in the order of entities. */
static bool is_named(const Unpack *unpack, ecs_Entity entity) {
  uint32_t low = 0, high = unpack->saved->names.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (names_of(unpack)[middle].entity < entity)
      low = middle + 1;
    else
      high = middle;
  }
  return low < unpack->saved->names.count &&
         names_of(unpack)[low].entity == entity;
}

/* Has another entity the name that keeps it? */
static bool is_name_taken(const Unpack *unpack, const SavedName *name) {
  ecs_Entity owner = entity_names_find(&unpack->world->names, name->text);
  if (owner == name->entity || !store_alive(&unpack->world->store, owner))
    return false;
  return !is_named(unpack, owner); /* which gets another */
}

/* Makes room for a name. */
static ecs_Status reserve_name(Unpack *unpack, const SavedName *name) {
  EntityNames *names = &unpack->world->names;
  uint32_t text = 0;
  if (is_name_taken(unpack, name))
    return load_refuse_of(&unpack->load,
                          "another entity has the name '%.200s'%s", name->text,
                          "");
  const char *known = entity_names_get(names, name->entity);
  bool has = known != NULL && strcmp(known, name->text) == 0 &&
             store_alive(&unpack->world->store, name->entity);
  ecs_Status status =
      has ? ECS_OK
          : entity_names_reserve(names, unpack->memory, name->entity,
                                 name->text, &text);
  if (status == ECS_OK) unpack->texts[unpack->text_count++] = text;
  return status;
}

static int compare_numbers(const void *one, const void *other) {
  uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
  return (a > b) - (a < b);
}

/* Is no name given to two entities? */
static ecs_Status check_names(const Unpack *unpack) {
  uint32_t count = unpack->text_count;
  bool twice = false;
  uint32_t *texts = memory_zeroed(unpack->memory, count + 1u, sizeof(uint32_t));
  if (texts == NULL) return ECS_E_MEMORY;
  memcpy(texts, unpack->texts, count * sizeof(uint32_t));
  qsort(texts, count, sizeof(uint32_t), compare_numbers);
  for (uint32_t i = 1; i < count; i++)
    twice = twice || (texts[i] != 0 && texts[i] == texts[i - 1]);
  memory_free(unpack->memory, texts, (count + 1u) * sizeof(uint32_t));
  return twice ? load_refuse(&unpack->load, "two entities of it have one name")
               : ECS_OK;
}

static ecs_Status reserve_names(Unpack *unpack) {
  EntityNames *names = &unpack->world->names;
  for (uint32_t i = 0; i < unpack->saved->names.count; i++)
    if (unpack_find(unpack, names_of(unpack)[i].entity) == UINT32_MAX)
      return load_refuse(&unpack->load, "an entity with a name is not in it");
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < name_count(unpack); i++)
    status = reserve_name(unpack, &names_of(unpack)[i]);
  if (status == ECS_OK) status = check_names(unpack);
  if (status != ECS_OK) return status;
  void *list = names->names;
  bool room = memory_grow(unpack->memory, &list, &names->capacity, names->count,
                          name_count(unpack) + 1u, sizeof(EntityName));
  names->names = list;
  return room ? ECS_OK : ECS_E_MEMORY;
}

/* Gives the names for which there is room, or forgets them. */
static void end_names(const Unpack *unpack, bool given) {
  EntityNames *names = &unpack->world->names;
  for (uint32_t i = 0; i < unpack->text_count; i++) {
    uint32_t text = unpack->texts[i];
    if (text != 0 && given)
      entity_names_place(names, unpack->memory, names_of(unpack)[i].entity,
                         text);
    else if (text != 0)
      entity_names_release(names, unpack->memory, text);
  }
}

/* Recording --------------------------------------------------------------- */

/* Records that fields are set, also where they could be written in place: what is
 * recorded can be taken back. */
static ecs_Status record_set(const Unpack *unpack, ecs_Entity entity,
                             ecs_Component id, const void *image,
                             uint64_t fields) {
  ecs_World *world = unpack->world;
  bool told = world->store.components.all[id].observed_sets;
  if (told) {
    ecs_Status status =
        observer_set_reserve_told(&world->observers, unpack->memory);
    if (status != ECS_OK) return status;
  }
  ecs_Status status =
      command_record(&world->commands, COMMAND_SET, entity, id, image, fields);
  if (status == ECS_OK && told)
    observer_set_tell(&world->observers, entity, id);
  return status;
}

/* Lists the components that a row has, with their images. */
static uint32_t list_parts(Unpack *unpack, uint64_t row) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < component_count(unpack); i++) {
    UnpackComponent *component = &unpack->components[i];
    if (component->id == 0 || !unpack_has(component, row)) continue;
    unpack->ids[count] = component->id;
    unpack->values[count++] =
        component->images == NULL
            ? NULL
            : component->images + component->next * component->image_bytes;
    component->next++;
  }
  return count;
}

/* Rows with all components lack what is not there, be it needed. */
static ecs_Status remove_needed(const Unpack *unpack, const Bundle *bundle,
                                ecs_Entity entity) {
  ecs_Status status = ECS_OK;
  for (uint32_t i = bundle->given_count;
       unpack->saved->whole && status == ECS_OK && i < bundle->item_count; i++)
    status = deferred_remove(unpack->world, entity, bundle->items[i].component);
  return status;
}

/* Why a handle cannot be given. */
static ecs_Status refuse_handle(const Unpack *unpack, ecs_Entity entity) {
  const char *why = unpack->memory->refusal.sentence;
  snprintf(unpack->load.problem, unpack->load.problem_bytes,
           "the id %llu cannot be given: %s", (unsigned long long)entity,
           why == NULL ? "it is taken" : why);
  return ECS_E_FILE;
}

static ecs_Status record_spawn(Unpack *unpack, uint64_t row) {
  ecs_World *world = unpack->world;
  EntityClaim claim;
  ecs_Entity born = 0;
  uint32_t count = list_parts(unpack, row);
  Bundle *bundle = bundle_for_once(&world->store, unpack->ids, count);
  if (bundle == NULL) return ECS_E_MEMORY;
  if (!unpack->options->as_new) {
    ecs_Status claimed = world_claim(world, unpack->made[row], &claim);
    if (claimed == ECS_E_TAKEN) return refuse_handle(unpack, unpack->made[row]);
    if (claimed != ECS_OK) return claimed;
  }
  ecs_Status status = deferred_spawn(world, bundle, unpack->values, &born);
  if (status != ECS_OK) return status;
  ECS_ASSERT(born == unpack->made[row]);
  return remove_needed(unpack, bundle, born);
}

static uint64_t plain_fields(const Unpack *unpack, ecs_Component id) {
  const Component *component = &unpack->world->store.components.all[id];
  const LinkIndex *indices = links_of(&unpack->world->links, component);
  uint64_t fields = component->field_count >= 64
                        ? UINT64_MAX
                        : (UINT64_C(1) << component->field_count) - 1;
  for (uint32_t i = 0; i < component->link_count; i++)
    fields &= ~(UINT64_C(1) << indices[i].field);
  return fields;
}

/* Moves the parts that the entity has not to the front; sets the others. */
static ecs_Status record_present(Unpack *unpack, ecs_Entity entity,
                                 uint32_t count, uint32_t *absent) {
  ecs_Status status = ECS_OK;
  *absent = 0;
  for (uint32_t i = 0; status == ECS_OK && i < count; i++) {
    ecs_Component id = unpack->ids[i];
    if (!world_has(unpack->world, entity, id)) {
      unpack->values[*absent] = unpack->values[i];
      unpack->ids[(*absent)++] = id;
      continue;
    }
    uint64_t fields = plain_fields(unpack, id);
    if (fields != 0)
      status = record_set(unpack, entity, id, unpack->values[i], fields);
  }
  return status;
}

/* An entity that is alive. */
static ecs_Status record_change(Unpack *unpack, uint64_t row) {
  ecs_World *world = unpack->world;
  ecs_Entity entity = unpack->made[row];
  uint32_t absent = 0, count = list_parts(unpack, row);
  ecs_Status status = record_present(unpack, entity, count, &absent);
  if (status != ECS_OK || absent == 0) return status;
  Bundle *bundle = bundle_for_once(&world->store, unpack->ids, absent);
  if (bundle == NULL) return ECS_E_MEMORY;
  for (uint32_t i = 0; status == ECS_OK && i < absent; i++)
    status = command_record(&world->commands, COMMAND_ADD, entity,
                            unpack->ids[i], unpack->values[i], UINT64_MAX);
  for (uint32_t i = bundle->given_count;
       unpack->saved->whole && status == ECS_OK && i < bundle->item_count; i++)
    if (!world_has(world, entity, bundle->items[i].component))
      status = deferred_remove(world, entity, bundle->items[i].component);
  return status;
}

/* Under their own handles: lists the highest index, and with it all below, so that
 * the order of the rows does not decide whether an index is too far above all that
 * were used. */
static ecs_Status reach_highest(Unpack *unpack) {
  Store *store = &unpack->world->store;
  uint32_t used = store->index.used;
  ecs_Entity highest = 0;
  for (uint64_t i = 0; i < unpack->saved->rows; i++) {
    ecs_Entity entity = unpack->places[i].entity;
    if (id_index(entity) < used) continue;
    ecs_Status status = world_check_reach(unpack->world, entity, used);
    if (status != ECS_OK) return refuse_handle(unpack, entity);
    used = id_index(entity) + 1u;
    highest = entity;
  }
  EntityClaim claim;
  return highest == 0 ? ECS_OK : entity_claim(store, highest, &claim);
}

static ecs_Status record_rows(Unpack *unpack) {
  const Store *store = &unpack->world->store;
  ecs_Status status = unpack->options->as_new ? ECS_OK : reach_highest(unpack);
  for (uint64_t row = 0; status == ECS_OK && row < unpack->saved->rows; row++)
    status = !unpack->options->as_new && store_alive(store, unpack->made[row])
                 ? record_change(unpack, row)
                 : record_spawn(unpack, row);
  return status;
}

static ecs_Status record_link(const Unpack *unpack, const UnpackLink *link,
                              uint64_t row) {
  const Schema *schema = schema_of(unpack, link->component->id);
  const SchemaField *field = &schema->fields[link->index->field];
  ComponentImage image;
  memcpy(&image, schema->default_image, schema->image_bytes);
  memcpy((char *)&image + field->offset, &link->targets[row],
         sizeof(ecs_Entity));
  unpack->world->links.made = true;
  return record_set(unpack, unpack->made[row], link->component->id, &image,
                    UINT64_C(1) << link->index->field);
}

/* Links that are there stay, others are made in their order. */
static ecs_Status record_links(const Unpack *unpack, const UnpackLink *link) {
  ecs_Status status = ECS_OK;
  for (uint32_t row = 0; status == ECS_OK && row < unpack->saved->rows; row++)
    if (unpack_has(link->component, row) && link->targets[row] == 0 &&
        !unpack_link_stays(unpack, link, row))
      status = record_link(unpack, link, row);
  for (uint32_t i = 0; status == ECS_OK && i < link->source_count; i++)
    if (!unpack_link_stays(unpack, link, link->sources[i]))
      status = record_link(unpack, link, link->sources[i]);
  return status;
}

static ecs_Status record_tags(const Unpack *unpack) {
  ecs_World *world = unpack->world;
  ecs_Component tag = world->names.tag;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; tag != 0 && status == ECS_OK && i < unpack->text_count;
       i++) {
    ecs_Entity entity = names_of(unpack)[i].entity;
    if (!world_has(world, entity, tag))
      status = command_record(&world->commands, COMMAND_ADD, entity, tag, NULL,
                              UINT64_MAX);
  }
  return status;
}

/* Adds the component of the options to an entity, or sets its fields. */
static ecs_Status record_with(const Unpack *unpack, ecs_Entity entity) {
  const ecs_UnpackOptions *options = unpack->options;
  ecs_World *world = unpack->world;
  const Component *component = &world->store.components.all[options->with];
  if (options->fields == 0 || component->field_count == 0)
    return command_record(&world->commands, COMMAND_ADD, entity, options->with,
                          NULL, UINT64_MAX);
  ecs_Status status =
      link_check(world, entity, component, options->value, options->fields);
  return status == ECS_OK ? record_set(unpack, entity, options->with,
                                       options->value, options->fields)
                          : status;
}

static ecs_Status record(Unpack *unpack) {
  ecs_Status status = record_rows(unpack);
  for (uint32_t i = 0; status == ECS_OK && i < unpack->link_count; i++)
    status = record_links(unpack, &unpack->links[i]);
  if (status == ECS_OK) status = record_tags(unpack);
  if (unpack->options->with == 0) return status;
  for (uint64_t row = 0; status == ECS_OK && row < unpack->saved->rows; row++)
    status = record_with(unpack, unpack->made[row]);
  return status;
}

/* All of it --------------------------------------------------------------- */

static void keep_slots(Unpack *unpack) {
  const EntityIndex *index = &unpack->world->store.index;
  for (uint32_t i = 0; i < index->used; i += SLOT_PAGE_SIZE) {
    uint32_t count = index->used - i;
    if (count > SLOT_PAGE_SIZE) count = SLOT_PAGE_SIZE;
    if (entity_index_has(index, i))
      memcpy(unpack->slots + i * sizeof(Slot), index->pages[i / SLOT_PAGE_SIZE],
             count * sizeof(Slot));
  }
}

/* Records all of it and applies it, or leaves everything as it was. */
static ecs_Status change(Unpack *unpack) {
  ecs_World *world = unpack->world;
  keep_slots(unpack);
  ecs_Status status = deferral_open(world);
  if (status != ECS_OK) return status;
  status = record(unpack);
  if (status == ECS_OK)
    status = deferral_close(world);
  else
    deferral_discard(world);
  if (status != ECS_OK)
    entity_index_put(&world->store.index, unpack->memory, &unpack->counts,
                     unpack->slots);
  return status;
}

static ecs_Status unpack_rows(Unpack *unpack) {
  ecs_Status status = list_places(unpack);
  if (status == ECS_OK) status = load_check_held(&unpack->load);
  if (status == ECS_OK) status = make_components(unpack);
  if (status != ECS_OK) return status;
  choose_handles(unpack);
  status = unpack_take_links(unpack);
  for (uint32_t i = 0; status == ECS_OK && i < component_count(unpack); i++)
    if (unpack->components[i].images != NULL && unpack->options->as_new)
      mend_fields(unpack, &unpack->components[i]);
  if (status == ECS_OK) status = reserve_names(unpack);
  if (status == ECS_OK) status = change(unpack);
  end_names(unpack, status == ECS_OK);
  return status;
}

ecs_Status rows_unpack(const ecs_Saved *saved, const ecs_UnpackOptions *options,
                       const ecs_LoadListener *listener, ecs_Entity *entities,
                       char *problem, size_t problem_bytes) {
  Unpack unpack = {.load = {.saved = saved,
                            .listener = listener,
                            .world = saved->world,
                            .store = &saved->world->store,
                            .memory = saved->memory,
                            .problem = problem,
                            .problem_bytes = problem_bytes},
                   .saved = saved,
                   .options = options,
                   .world = saved->world,
                   .memory = saved->memory,
                   .made = entities};
  ECS_ASSERT(saved->packed && saved->world->depth == 0);
  ecs_Status status = begin(&unpack);
  if (status == ECS_OK) status = unpack_rows(&unpack);
  end(&unpack);
  return status;
}

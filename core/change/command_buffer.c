/* command_buffer.c: changes of structure, recorded now and applied later. */
#include "change/command_buffer.h"

#include "base/platform.h"
#include "storage/locate.h"

/* Pages of memory that a reset keeps for the next recording: a megabyte. */
#define PAGES_KEPT 16u

/* The length of the longest usual page: 16 megabytes. */
#define MOST_PAGES 256u

/* Life ------------------------------------------------------------------ */

void command_buffer_init(CommandBuffer *buffer, Store *store) {
  *buffer = (CommandBuffer){.store = store};
  locator_init(&buffer->by_index, true);
  chain_shapes_init(&buffer->shapes, store);
}

/* So many pages are in use. */
static inline void use_pages(CommandBuffer *buffer, uint32_t count) {
  buffer->page_count = count;
  buffer->page = count == 0 ? NULL : &buffer->pages[count - 1];
}

static void free_pages(CommandBuffer *buffer, uint32_t kept) {
  for (uint32_t i = kept; i < buffer->page_capacity; i++) {
    CommandPage *page = &buffer->pages[i];
    memory_free(&buffer->store->memory, page->memory, page->bytes);
    *page = (CommandPage){NULL, 0, 0};
  }
}

/* Frees the pages past PAGES_KEPT. */
static void free_surplus(CommandBuffer *buffer) {
  size_t bytes = 0;
  uint32_t kept = 0;
  while (kept < buffer->page_capacity &&
         bytes + buffer->pages[kept].bytes <=
             (size_t)PAGES_KEPT * ECS_COMMAND_PAGE)
    bytes += buffer->pages[kept++].bytes;
  free_pages(buffer, kept);
}

void command_buffer_trim(CommandBuffer *buffer) {
  Memory *memory = &buffer->store->memory;
  ECS_ASSERT(buffer->entity_count == 0 && buffer->staged == NULL);
  free_pages(buffer, 0);
  memory_free(memory, buffer->pages,
              buffer->page_capacity * sizeof(CommandPage));
  memory_free(memory, buffer->entities,
              buffer->entity_capacity * sizeof(EntityCommands));
  buffer->pages = NULL;
  buffer->entities = NULL;
  buffer->page_capacity = buffer->entity_capacity = 0;
  use_pages(buffer, 0);
  locator_deinit(&buffer->by_index, memory);
  chain_shapes_clear(&buffer->shapes, buffer->store);
}

void command_buffer_deinit(CommandBuffer *buffer) {
  command_rewind(buffer, (CommandMark){0});
  command_buffer_trim(buffer);
}

/* Room ------------------------------------------------------------------ */

static size_t rounded(size_t bytes) { return (bytes + 7u) / 8u * 8u; }

static bool grow_pages(CommandBuffer *buffer) {
  uint32_t before = buffer->page_capacity;
  void *pages = buffer->pages;
  if (!memory_grow(&buffer->store->memory, &pages, &buffer->page_capacity,
                   before, 1, sizeof(CommandPage)))
    return false;
  buffer->pages = pages;
  use_pages(buffer, buffer->page_count); /* they may have moved */
  for (uint32_t i = before; i < buffer->page_capacity; i++)
    buffer->pages[i] = (CommandPage){NULL, 0, 0};
  return true;
}

/* The usual bytes of the next page. Behind those that are kept they are a
 * quarter of what there is: few blocks, and large enough for huge pages. */
static size_t next_bytes(const CommandBuffer *buffer) {
  const size_t most = (size_t)MOST_PAGES * ECS_COMMAND_PAGE;
  size_t bytes = 0;
  for (uint32_t i = 0; i < buffer->page_count; i++)
    bytes += buffer->pages[i].bytes;
  if (bytes < (size_t)PAGES_KEPT * ECS_COMMAND_PAGE) return ECS_COMMAND_PAGE;
  bytes = bytes / 4 / ECS_COMMAND_PAGE * ECS_COMMAND_PAGE;
  return bytes < most ? bytes : most;
}

/* The open run does not grow any more. */
static inline void close_run(CommandBuffer *buffer) {
  command_settle(buffer);
  buffer->open = NULL;
}

/* Takes the page after the last one in use, with at least so many bytes. */
static ECS_COLD ecs_Status open_page(CommandBuffer *buffer, size_t bytes) {
  Memory *memory = &buffer->store->memory;
  size_t usual = next_bytes(buffer);
  size_t wanted = bytes < usual ? usual : bytes;
  if (buffer->page_count == buffer->page_capacity && !grow_pages(buffer))
    return ECS_E_MEMORY;
  CommandPage *page = &buffer->pages[buffer->page_count];
  if (page->bytes < bytes) {
    char *block = memory_resize(memory, NULL, 0, wanted);
    if (block == NULL) return ECS_E_MEMORY;
    platform_populate(block, wanted);
    memory_free(memory, page->memory, page->bytes);
    *page = (CommandPage){block, wanted, 0};
  }
  page->used_bytes = 0;
  use_pages(buffer, buffer->page_count + 1);
  close_run(buffer); /* it ends in the page before */
  return ECS_OK;
}

/* Makes room for so many bytes in one page. */
static inline ecs_Status reserve_bytes(CommandBuffer *buffer, size_t bytes) {
  const CommandPage *page = buffer->page;
  if (ECS_LIKELY(page != NULL && bytes <= page->bytes - page->used_bytes))
    return ECS_OK;
  return open_page(buffer, bytes);
}

/* Counts commands. */
static inline ecs_Status reserve_commands(CommandBuffer *buffer,
                                          uint64_t commands) {
  if (ECS_LIKELY(commands <= ECS_COMMAND_LIMIT - buffer->command_count))
    return ECS_OK;
  return memory_refuse(&buffer->store->memory, ECS_COMMAND_LIMIT,
                       "changes recorded at once", "a world");
}

static inline ecs_Status reserve_entries(CommandBuffer *buffer,
                                         uint32_t entities) {
  void *grown = buffer->entities;
  if (ECS_LIKELY(entities <= buffer->entity_capacity - buffer->entity_count))
    return ECS_OK;
  if (!memory_grow(&buffer->store->memory, &grown, &buffer->entity_capacity,
                   buffer->entity_count, entities, sizeof(EntityCommands)))
    return ECS_E_MEMORY;
  buffer->entities = grown;
  return ECS_OK;
}

/* Makes room for the handles of count spawns, mostly without a call. */
static inline ecs_Status reserve_handles(CommandBuffer *buffer,
                                         uint32_t count) {
  const EntityIndex *index = &buffer->store->index;
  if (ECS_LIKELY(entity_index_has_room(index, count))) return ECS_OK;
  return store_reserve_entities(buffer->store, count);
}

/* Recording ------------------------------------------------------------- */

ecs_Status command_copy_large(void *to, const void *image, uint32_t bytes) {
  memcpy(to, image, bytes);
  return ECS_OK;
}

/* The position of the entry of an index that has been issued: a reserved slot
 * knows it, others are looked up. LOCATOR_NONE: there is none. */
static inline uint32_t find_position(const CommandBuffer *buffer,
                                     uint32_t index) {
  Slot slot = *entity_index_slot(&buffer->store->index, index);
  if (slot_state(slot) == SLOT_RESERVED) return slot_row(slot);
  return locator_find(&buffer->by_index, index).row;
}

const EntityCommands *command_find(const CommandBuffer *buffer,
                                   ecs_Entity entity) {
  uint32_t index = id_index(entity);
  if (buffer->entity_count == 0) return NULL;
  if (!entity_index_has(&buffer->store->index, index)) return NULL;
  uint32_t position = find_position(buffer, index);
  if (position == LOCATOR_NONE) return NULL;
  ECS_ASSERT(position < buffer->entity_count);
  const EntityCommands *commands = &buffer->entities[position];
  return commands->entity == entity ? commands : NULL;
}

/* Appends an entry. Room must be reserved. */
static inline uint32_t append_entity(CommandBuffer *buffer, ecs_Entity entity) {
  uint32_t position = buffer->entity_count++;
  ECS_ASSERT(position < buffer->entity_capacity);
  if (position == 0) buffer->store->row_epoch++;
  buffer->entities[position] = (EntityCommands){entity, NULL};
  return position;
}

/* The same for an entity that has a row. */
static inline uint32_t append_placed(CommandBuffer *buffer, ecs_Entity entity) {
  uint32_t position = append_entity(buffer, entity);
  locator_set(&buffer->by_index, id_index(entity), (RowId){position, 0});
  return position;
}

/* The same for a new entity, which is reserved. */
static inline uint32_t append_spawned(CommandBuffer *buffer) {
  return append_entity(buffer, entity_index_issue_noted(&buffer->store->index,
                                                        buffer->entity_count));
}

/* Takes room for values. It must be reserved. */
static inline char *take_bytes(CommandBuffer *buffer, size_t bytes) {
  CommandPage *page = buffer->page;
  char *taken = page->memory + page->used_bytes;
  page->used_bytes += bytes;
  ECS_ASSERT(page->used_bytes <= page->bytes);
  return taken;
}

/* Appends a run to the chain of the entity at a position, and returns where its
 * values go. Room must be reserved, and the open run settled. The caller counts
 * the chain. */
static inline char *append_run(CommandBuffer *buffer, uint32_t position,
                               uint32_t shape, size_t bytes) {
  CommandRun *run =
      (CommandRun *)(void *)take_bytes(buffer, sizeof(CommandRun) + bytes);
  EntityCommands *commands = &buffer->entities[position];
  *run = (CommandRun){commands->last, position, shape};
  commands->last = buffer->open = run;
  buffer->opened = commands->entity;
  buffer->counted = shape;
  return (char *)(run + 1);
}

/* May the values of the next command go to the end of this run? The open run
 * is the last of the last page. */
static inline bool can_grow(const CommandBuffer *buffer, const CommandRun *run,
                            size_t bytes) {
  if (run == NULL || run != buffer->open) return false;
  const CommandPage *page = buffer->page;
  return bytes <= page->bytes - page->used_bytes;
}

/* Bytes of the image of a component; 0: it is not given. */
static uint32_t given_bytes(const CommandBuffer *buffer, ecs_Component id,
                            const void *image) {
  if (image == NULL) return 0;
  return buffer->store->components.all[id].schema->image_bytes;
}

/* Makes room for a run of so many bytes. position: of the entity's entry;
 * LOCATOR_NONE: it has none yet. */
static inline ecs_Status reserve_run(CommandBuffer *buffer, size_t bytes,
                                     uint32_t position, ecs_Entity entity) {
  ecs_Status status = reserve_bytes(buffer, sizeof(CommandRun) + bytes);
  if (status != ECS_OK || position != LOCATOR_NONE) return status;
  status = reserve_entries(buffer, 1);
  if (status != ECS_OK || locator_ready(&buffer->by_index, id_index(entity)))
    return status;
  return locator_reserve(&buffer->by_index, &buffer->store->memory,
                         id_index(entity));
}

ecs_Status command_record_at(CommandBuffer *buffer, CommandKind kind,
                             ecs_Entity entity, const EntityCommands *commands,
                             ecs_Component id, const void *image,
                             uint64_t fields) {
  uint32_t given = given_bytes(buffer, id, image), shape = CHAIN_EMPTY;
  size_t mask = kind == COMMAND_SET ? sizeof fields : 0;
  size_t bytes = mask + rounded(given);
  uint32_t position =
      commands == NULL ? LOCATOR_NONE : (uint32_t)(commands - buffer->entities);
  command_settle(buffer);
  ECS_ASSERT(position == find_position(buffer, id_index(entity)));
  CommandRun *last =
      position == LOCATOR_NONE ? NULL : buffer->entities[position].last;
  ecs_Status status = reserve_commands(buffer, 1);
  if (status == ECS_OK)
    status =
        chain_shapes_ensure(&buffer->shapes, buffer->store,
                            last == NULL ? CHAIN_EMPTY : last->shape,
                            chain_step(kind, id, given > 0), bytes, &shape);
  bool grows = can_grow(buffer, last, bytes);
  if (status == ECS_OK && !grows)
    status = reserve_run(buffer, bytes, position, entity);
  if (status != ECS_OK) return status;
  if (position == LOCATOR_NONE) position = append_placed(buffer, entity);
  ECS_ASSERT(buffer->entities[position].entity == entity);
  char *values = grows ? take_bytes(buffer, bytes)
                       : append_run(buffer, position, shape, bytes);
  if (last != NULL) buffer->shapes.shapes[last->shape].count--;
  chain_shapes_count(&buffer->shapes, shape, 1);
  buffer->open->shape = buffer->counted = shape;
  buffer->command_count++;
  if (mask > 0) memcpy(values, &fields, mask);
  command_copy_image(values + mask, image, given);
  return ECS_OK;
}

ecs_Status command_record(CommandBuffer *buffer, CommandKind kind,
                          ecs_Entity entity, ecs_Component id,
                          const void *image, uint64_t fields) {
  return command_record_at(buffer, kind, entity, command_find(buffer, entity),
                           id, image, fields);
}

static ecs_Status reserve_indices(CommandBuffer *buffer,
                                  const ecs_Entity *entities, uint32_t count) {
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < count; i++)
    if (ECS_UNLIKELY(!locator_ready(&buffer->by_index, id_index(entities[i]))))
      status = locator_reserve(&buffer->by_index, &buffer->store->memory,
                               id_index(entities[i]));
  return status;
}

ecs_Status command_record_fresh(CommandBuffer *buffer, CommandKind kind,
                                ecs_Component id, const ecs_Entity *entities,
                                uint32_t count, char **values, uint32_t *done) {
  uint32_t shape = CHAIN_EMPTY, i = 0;
  uint32_t image = given_bytes(buffer, id, values);
  size_t bytes = rounded(image), all = 0;
  command_settle(buffer);
  *done = 0;
  if (!memory_size(sizeof(CommandRun) + bytes, count, 0, &all))
    return ECS_E_MEMORY;
  ecs_Status status = reserve_commands(buffer, count);
  if (status == ECS_OK)
    status =
        chain_shapes_ensure(&buffer->shapes, buffer->store, CHAIN_EMPTY,
                            chain_step(kind, id, image > 0), bytes, &shape);
  if (status == ECS_OK) status = reserve_bytes(buffer, all);
  if (status == ECS_OK) status = reserve_entries(buffer, count);
  if (status == ECS_OK) status = reserve_indices(buffer, entities, count);
  if (status != ECS_OK) return status;
  for (; i < count; i++) {
    const uint32_t *entry =
        locator_narrow_entry(&buffer->by_index, id_index(entities[i]));
    if (ECS_UNLIKELY(*entry != LOCATOR_NONE)) break;
    uint32_t position = append_placed(buffer, entities[i]);
    char *room = append_run(buffer, position, shape, bytes);
    if (values != NULL) values[i] = room;
  }
  chain_shapes_count(&buffer->shapes, shape, i);
  buffer->command_count += i;
  *done = i;
  return ECS_OK;
}

/* Spawning -------------------------------------------------------------- */

/* The first step of a spawn. Where its parts need others, it says how many parts
 * follow: they are all that is needed. */
static ChainStep spawn_step(const Bundle *bundle) {
  return chain_step(COMMAND_SPAWN, bundle->needy ? bundle->item_count : 0,
                    false);
}

/* The value of an item; what only other items need has none. */
static const void *value_of(const Bundle *bundle, const void *const *values,
                            uint32_t item) {
  return values == NULL || item >= bundle->given_count ? NULL : values[item];
}

/* Finds or makes the shape of a spawn with these values. */
static ecs_Status find_shape(CommandBuffer *buffer, const Bundle *bundle,
                             const void *const *values, uint32_t *shape) {
  ecs_Status status =
      chain_shapes_ensure(&buffer->shapes, buffer->store, CHAIN_EMPTY,
                          spawn_step(bundle), 0, shape);
  for (uint32_t i = 0; status == ECS_OK && i < bundle->item_count; i++) {
    ecs_Component id = bundle->items[i].component;
    uint32_t given = given_bytes(buffer, id, value_of(bundle, values, i));
    status = chain_shapes_ensure(&buffer->shapes, buffer->store, *shape,
                                 chain_step(COMMAND_ADD, id, given > 0),
                                 rounded(given), shape);
  }
  return status;
}

/* Adds what count spawns with a shape need to a sum. */
static bool add_need(const CommandBuffer *buffer, uint32_t shape,
                     uint32_t count, size_t *bytes, uint64_t *commands) {
  const ChainShape *chain = &buffer->shapes.shapes[shape];
  *commands += (uint64_t)chain->length * count;
  return memory_size(sizeof(CommandRun) + chain->bytes, count, *bytes, bytes);
}

/* Makes room for count spawns. */
static inline ecs_Status reserve_spawn_runs(CommandBuffer *buffer,
                                            uint32_t count, size_t bytes,
                                            uint64_t commands) {
  ecs_Status status = reserve_commands(buffer, commands);
  if (status == ECS_OK) status = reserve_bytes(buffer, bytes);
  if (status == ECS_OK) status = reserve_entries(buffer, count);
  if (status != ECS_OK) return status;
  return reserve_handles(buffer, count);
}

/* Records the spawn of an entity with a shape, and returns where its values go.
 * Room must be reserved. */
static inline char *append_spawn(CommandBuffer *buffer, uint32_t shape,
                                 ecs_Entity *entity) {
  const ChainShape *chain = &buffer->shapes.shapes[shape];
  uint32_t position = append_spawned(buffer);
  *entity = buffer->entities[position].entity;
  buffer->command_count += chain->length;
  return append_run(buffer, position, shape, chain->bytes);
}

/* Has the bundle remember the shape of its spawn with all values. */
static ECS_COLD ecs_Status make_shape(CommandBuffer *buffer, Bundle *bundle) {
  ecs_Status status =
      chain_shapes_ensure(&buffer->shapes, buffer->store, CHAIN_EMPTY,
                          spawn_step(bundle), 0, &bundle->shape);
  for (uint32_t i = 0; status == ECS_OK && i < bundle->item_count; i++) {
    ecs_Component id = bundle->items[i].component;
    uint32_t bytes = i < bundle->given_count
                         ? buffer->store->components.all[id].schema->image_bytes
                         : 0;
    status = chain_shapes_ensure(&buffer->shapes, buffer->store, bundle->shape,
                                 chain_step(COMMAND_ADD, id, bytes > 0),
                                 rounded(bytes), &bundle->shape);
  }
  if (status == ECS_OK) bundle->shape_version = buffer->shapes.version;
  return status;
}

static ecs_Status ensure_shape(CommandBuffer *buffer, Bundle *bundle) {
  if (ECS_LIKELY(bundle->shape_version == buffer->shapes.version))
    return ECS_OK;
  return make_shape(buffer, bundle);
}

/* Are there values for all items that the caller named? */
static bool has_values(const Bundle *bundle, const void *const *values) {
  uint32_t i = 0;
  if (values == NULL) return bundle->given_count == 0;
  while (i < bundle->given_count && values[i] != NULL) i++;
  return i == bundle->given_count;
}

/* The shape of a spawn with these values. */
static ecs_Status spawn_shape(CommandBuffer *buffer, Bundle *bundle,
                              const void *const *values, uint32_t *shape) {
  if (!has_values(bundle, values))
    return find_shape(buffer, bundle, values, shape);
  ecs_Status status = ensure_shape(buffer, bundle);
  *shape = bundle->shape;
  return status;
}

ecs_Status command_record_spawn(CommandBuffer *buffer, Bundle *bundle,
                                const void *const *values, ecs_Entity *entity) {
  uint32_t shape = CHAIN_EMPTY;
  command_settle(buffer);
  ecs_Status status = spawn_shape(buffer, bundle, values, &shape);
  if (ECS_UNLIKELY(status != ECS_OK)) return status;
  const ChainShape *chain = &buffer->shapes.shapes[shape];
  status = reserve_spawn_runs(buffer, 1, sizeof(CommandRun) + chain->bytes,
                              chain->length);
  if (ECS_UNLIKELY(status != ECS_OK)) return status;
  char *room = append_spawn(buffer, shape, entity);
  chain_shapes_count(&buffer->shapes, shape, 1);
  if (values == NULL) return ECS_OK;
  for (uint32_t i = 0; i < bundle->given_count; i++) {
    uint32_t given = given_bytes(buffer, bundle->items[i].component, values[i]);
    command_copy_image(room, values[i], given);
    room += rounded(given);
  }
  return ECS_OK;
}

ecs_Status command_prepare_spawns(CommandBuffer *buffer, Bundle *const *bundles,
                                  uint32_t bundle_count, uint32_t count,
                                  char **values) {
  uint64_t commands = 0;
  size_t bytes = 0;
  ECS_ASSERT((uint64_t)count * bundle_count <= UINT32_MAX);
  for (uint32_t i = 0; i < bundle_count; i++) {
    ecs_Status status = ensure_shape(buffer, bundles[i]);
    if (status != ECS_OK) return status;
    if (!add_need(buffer, bundles[i]->shape, count, &bytes, &commands))
      return ECS_E_MEMORY;
  }
  ecs_Status status =
      reserve_spawn_runs(buffer, count * bundle_count, bytes, commands);
  if (status != ECS_OK) return status;
  const CommandPage *page = buffer->page;
  char *memory = page->memory + page->used_bytes;
  for (uint32_t k = 0; k < count; k++) {
    for (uint32_t i = 0; i < bundle_count; i++) {
      values[(size_t)i * count + k] = memory + sizeof(CommandRun);
      memory +=
          sizeof(CommandRun) + buffer->shapes.shapes[bundles[i]->shape].bytes;
    }
  }
  return ECS_OK;
}

void command_record_spawns(CommandBuffer *buffer, Bundle *const *bundles,
                           uint32_t bundle_count, uint32_t count,
                           ecs_Entity *entities) {
  uint32_t position = buffer->entity_count;
  CommandPage *page = buffer->page;
  char *memory = page->memory + page->used_bytes;
  command_settle(buffer);
  EntityCommands *commands = &buffer->entities[position];
  entity_index_issue_notes(&buffer->store->index, position,
                           count * bundle_count, entities);
  if (position == 0) buffer->store->row_epoch++;
  for (uint32_t i = 0; i < bundle_count; i++) {
    chain_shapes_count(&buffer->shapes, bundles[i]->shape, count);
    buffer->command_count += count * (bundles[i]->item_count + 1);
  }
  for (uint32_t k = 0; k < count; k++) {
    for (uint32_t i = 0; i < bundle_count; i++) {
      uint32_t shape = bundles[i]->shape;
      CommandRun *run = (CommandRun *)(void *)memory;
      *run = (CommandRun){NULL, position++, shape};
      *commands++ = (EntityCommands){*entities++, run};
      memory += sizeof(CommandRun) + buffer->shapes.shapes[shape].bytes;
    }
  }
  page->used_bytes = (size_t)(memory - page->memory);
  buffer->entity_count = position;
  buffer->open = NULL;
  ECS_ASSERT(page->used_bytes <= page->bytes);
  ECS_ASSERT(position <= buffer->entity_capacity);
}

/* The handles come from the index in the order in which the rows lie. */
static void append_staged(CommandBuffer *buffer, uint32_t shape,
                          StagedRows *staged) {
  uint32_t position = append_spawned(buffer);
  ecs_Entity entity = buffer->entities[position].entity;
  StagedRow value = {staged, staged_rows_append(staged, entity)};
  memcpy(append_run(buffer, position, shape, sizeof value), &value,
         sizeof value);
  buffer->command_count++;
}

ecs_Status command_record_staged(CommandBuffer *buffer, const Bundle *bundle,
                                 uint32_t count, const StagedRows **staged) {
  StagedRows *created = NULL;
  uint32_t shape = CHAIN_EMPTY;
  size_t bytes = 0;
  if (!memory_size(sizeof(CommandRun) + sizeof(StagedRow), count, 0, &bytes))
    return ECS_E_MEMORY;
  ecs_Status status = reserve_commands(buffer, count);
  if (status == ECS_OK) status = reserve_entries(buffer, count);
  if (status == ECS_OK) status = reserve_bytes(buffer, bytes);
  if (status == ECS_OK)
    status = chain_shapes_ensure(&buffer->shapes, buffer->store, CHAIN_EMPTY,
                                 chain_step(COMMAND_SPAWN, 0, true),
                                 sizeof(StagedRow), &shape);
  if (status == ECS_OK) status = reserve_handles(buffer, count);
  if (status == ECS_OK)
    status = staged_rows_create(buffer->store, bundle, count, &created);
  if (status != ECS_OK) return status;
  command_settle(buffer);
  created->previous = buffer->staged;
  buffer->staged = created;
  for (uint32_t i = 0; i < count; i++) append_staged(buffer, shape, created);
  chain_shapes_count(&buffer->shapes, shape, count);
  *staged = created;
  return ECS_OK;
}

/* Reading --------------------------------------------------------------- */

/* The shape that the chain had before a run. */
static uint32_t shape_before(const CommandRun *run) {
  return run->previous == NULL ? CHAIN_EMPTY : run->previous->shape;
}

bool command_walk_back(const CommandBuffer *buffer, CommandWalk *walk,
                       Command *command) {
  const ChainShape *shapes = buffer->shapes.shapes;
  const CommandRun *run = walk->run;
  if (run == NULL) return false;
  const ChainShape *shape = &shapes[walk->shape];
  uint32_t before = shape_before(run);
  const char *values = (const char *)(run + 1) + shapes[shape->parent].bytes -
                       shapes[before].bytes;
  *command = (Command){.kind = step_kind(shape->step),
                       .component = step_component(shape->step),
                       .fields = UINT64_MAX};
  if (command->kind == COMMAND_SET) {
    memcpy(&command->fields, values, sizeof command->fields);
    values += sizeof command->fields;
  }
  if (step_has_image(shape->step)) command->image = values;
  walk->shape = shape->parent;
  if (walk->shape == before) walk->run = run->previous;
  return true;
}

void command_list(const CommandBuffer *buffer, const EntityCommands *commands,
                  Command *list) {
  CommandWalk walk = command_walk(commands);
  for (uint32_t i = command_shape(buffer, commands)->length; i-- > 0;)
    (void)command_walk_back(buffer, &walk, &list[i]);
  ECS_ASSERT(walk.run == NULL);
}

CommandRun *command_next_run(const CommandBuffer *buffer, RunWalk *walk) {
  const ChainShape *shapes = buffer->shapes.shapes;
  while (walk->page < buffer->page_count &&
         walk->byte == buffer->pages[walk->page].used_bytes)
    *walk = (RunWalk){walk->page + 1, 0};
  if (walk->page >= buffer->page_count) return NULL;
  char *memory = buffer->pages[walk->page].memory + walk->byte;
  CommandRun *run = (CommandRun *)(void *)memory;
  walk->byte += sizeof(CommandRun) + shapes[run->shape].bytes -
                shapes[shape_before(run)].bytes;
  ECS_ASSERT(walk->byte <= buffer->pages[walk->page].used_bytes);
  return run;
}

/* Taking back ----------------------------------------------------------- */

CommandMark command_mark(CommandBuffer *buffer) {
  uint32_t pages = buffer->page_count;
  close_run(buffer);
  return (CommandMark){.staged = buffer->staged,
                       .used_bytes = pages > 0 ? buffer->page->used_bytes : 0,
                       .page_count = pages,
                       .entity_count = buffer->entity_count,
                       .command_count = buffer->command_count};
}

static void drop_staged(CommandBuffer *buffer, const StagedRows *until) {
  while (buffer->staged != until) {
    StagedRows *staged = buffer->staged;
    buffer->staged = staged->previous;
    staged_rows_destroy(buffer->store, staged);
  }
}

/* The position in a run that was taken back. */
#define TAKEN_BACK UINT32_MAX

static void cut_chain(CommandBuffer *buffer, EntityCommands *commands,
                      CommandRun *last) {
  command_shape(buffer, commands)->count--;
  commands->last = last;
  command_shape(buffer, commands)->count++;
}

/* Ends the chains of entities that were recorded before the mark where they
 * ended then: before the first of their runs since. */
static void cut_chains(CommandBuffer *buffer, const CommandMark *mark) {
  RunWalk walk = command_runs_since(mark);
  for (CommandRun *run = command_next_run(buffer, &walk); run != NULL;
       run = command_next_run(buffer, &walk)) {
    bool first =
        run->previous != NULL && run->previous->entity_position != TAKEN_BACK;
    if (run->entity_position < mark->entity_count && first)
      cut_chain(buffer, &buffer->entities[run->entity_position], run->previous);
    run->entity_position = TAKEN_BACK;
  }
}

/* The last entity is as if nothing had been recorded for it. */
static void drop_entity(CommandBuffer *buffer) {
  const EntityCommands *commands = &buffer->entities[buffer->entity_count - 1];
  uint32_t index = id_index(commands->entity);
  command_shape(buffer, commands)->count--;
  if (command_shape(buffer, commands)->spawns)
    entity_index_free(&buffer->store->index, index,
                      id_generation(commands->entity));
  else
    locator_clear(&buffer->by_index, index);
  buffer->entity_count--;
}

/* Frees the shapes where they are very many: most will not come again. Nothing
 * may be recorded. */
static void forget_shapes(CommandBuffer *buffer) {
  chain_shapes_forget(&buffer->shapes);
  if (buffer->shapes.count > ECS_SHAPES_KEPT)
    chain_shapes_clear(&buffer->shapes, buffer->store);
}

void command_rewind(CommandBuffer *buffer, CommandMark mark) {
  ECS_ASSERT(mark.page_count <= buffer->page_count);
  ECS_ASSERT(mark.entity_count <= buffer->entity_count);
  command_settle(buffer);
  if (mark.entity_count > 0) cut_chains(buffer, &mark);
  while (buffer->entity_count > mark.entity_count) drop_entity(buffer);
  drop_staged(buffer, mark.staged);
  buffer->command_count = mark.command_count;
  use_pages(buffer, mark.page_count);
  buffer->open = NULL;
  if (mark.page_count > 0) buffer->page->used_bytes = mark.used_bytes;
  if (mark.page_count == 0) free_surplus(buffer);
  if (mark.entity_count == 0) forget_shapes(buffer);
}

void command_reset(CommandBuffer *buffer) {
  for (uint32_t i = 0; i < buffer->entity_count; i++)
    if (!command_shape(buffer, &buffer->entities[i])->spawns)
      locator_clear(&buffer->by_index, id_index(buffer->entities[i].entity));
  command_forget(buffer);
}

void command_forget(CommandBuffer *buffer) {
  buffer->entity_count = 0;
  buffer->command_count = 0;
  buffer->open = NULL;
  drop_staged(buffer, NULL);
  free_surplus(buffer);
  use_pages(buffer, 0);
  forget_shapes(buffer);
}

/* Invariants ------------------------------------------------------------ */

/* The runs of a chain are of its entity, and lengthen it. */
static bool check_chain(const CommandBuffer *buffer, uint32_t position) {
  const CommandRun *run = buffer->entities[position].last;
  if (run == NULL) return false;
  for (; run != NULL; run = run->previous)
    if (run->entity_position != position || run->shape == CHAIN_EMPTY ||
        run->shape >= buffer->shapes.count || run_length(buffer, run) == 0)
      return false;
  return true;
}

static bool check_pages(const CommandBuffer *buffer) {
  if (buffer->page_count > buffer->page_capacity) return false;
  for (uint32_t i = 0; i < buffer->page_count; i++)
    if (buffer->pages[i].used_bytes > buffer->pages[i].bytes) return false;
  return true;
}

/* The commands of all runs, in the order of recording. */
static uint64_t count_commands(const CommandBuffer *buffer) {
  RunWalk walk = {0, 0};
  uint64_t count = 0;
  for (const CommandRun *run = command_next_run(buffer, &walk); run != NULL;
       run = command_next_run(buffer, &walk))
    count += run_length(buffer, run);
  return count;
}

/* The shape by which the chain of an entry is counted. */
static uint32_t counted_shape(const CommandBuffer *buffer, uint32_t position) {
  const CommandRun *last = buffer->entities[position].last;
  return last == buffer->open ? buffer->counted : last->shape;
}

static uint32_t count_alike(const CommandBuffer *buffer, uint32_t shape) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < buffer->entity_count; i++)
    count += counted_shape(buffer, i) == shape;
  return count;
}

bool command_buffer_check_invariants(const CommandBuffer *buffer) {
  uint64_t chained = 0, placed = 0;
  if (!check_pages(buffer) || !chain_shapes_check_invariants(&buffer->shapes))
    return false;
  for (uint32_t i = 0; i < buffer->entity_count; i++) {
    const EntityCommands *commands = &buffer->entities[i];
    if (!check_chain(buffer, i)) return false;
    if (command_find(buffer, commands->entity) != commands) return false;
    const ChainShape *shape = command_shape(buffer, commands);
    if (shape->spawns != store_is_reserved(buffer->store, commands->entity))
      return false;
    chained += shape->length;
    placed += !shape->spawns;
    uint32_t counted = counted_shape(buffer, i);
    if (count_alike(buffer, counted) != buffer->shapes.shapes[counted].count)
      return false;
  }
  return chained == buffer->command_count &&
         chained == count_commands(buffer) &&
         locator_check_invariants(&buffer->by_index, placed);
}

static bool is_before(RunWalk a, RunWalk b) {
  return a.page < b.page || (a.page == b.page && a.byte < b.byte);
}

bool command_mark_check_invariants(const CommandBuffer *buffer,
                                   const CommandMark *mark) {
  const RunWalk end = command_runs_since(mark);
  RunWalk walk = {0, 0};
  uint64_t commands = 0, entities = 0;
  if (mark->page_count > buffer->page_count) return false;
  if (mark->page_count > 0 && end.byte > buffer->pages[end.page].used_bytes)
    return false;
  for (const CommandRun *run = command_next_run(buffer, &walk); run != NULL;
       run = command_next_run(buffer, &walk)) {
    const char *page = buffer->pages[walk.page].memory;
    RunWalk begin = {walk.page, (size_t)((const char *)run - page)};
    if (!is_before(begin, end)) break;
    if (is_before(end, walk)) return false;
    commands += run_length(buffer, run);
    entities += run->previous == NULL;
  }
  return commands == mark->command_count && entities == mark->entity_count;
}

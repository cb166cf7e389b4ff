/* command_buffer.c: changes of structure, recorded now and applied later. */
#include "change/command_buffer.h"

#include "storage/locate.h"

/* Pages of memory that a reset keeps for the next recording: a megabyte. */
#define PAGES_KEPT 16u

/* Life ------------------------------------------------------------------ */

void command_buffer_init(CommandBuffer *buffer, Store *store) {
  *buffer = (CommandBuffer){.store = store};
  locator_init(&buffer->by_index, true);
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
  buffer->page_count = buffer->page_capacity = buffer->entity_capacity = 0;
  locator_deinit(&buffer->by_index, memory);
}

void command_buffer_deinit(CommandBuffer *buffer) {
  command_rewind(buffer, (CommandMark){0});
  command_buffer_trim(buffer);
}

/* Room ------------------------------------------------------------------ */

static size_t command_bytes(size_t image_bytes) {
  return (sizeof(Command) + image_bytes + 15u) / 16u * 16u;
}

static bool grow_pages(CommandBuffer *buffer) {
  uint32_t before = buffer->page_capacity;
  void *pages = buffer->pages;
  if (!memory_grow(&buffer->store->memory, &pages, &buffer->page_capacity,
                   before, 1, sizeof(CommandPage)))
    return false;
  buffer->pages = pages;
  for (uint32_t i = before; i < buffer->page_capacity; i++)
    buffer->pages[i] = (CommandPage){NULL, 0, 0};
  return true;
}

/* Takes the page after the last one in use, with at least so many bytes. */
static ecs_Status open_page(CommandBuffer *buffer, size_t bytes) {
  Memory *memory = &buffer->store->memory;
  size_t wanted = bytes < ECS_COMMAND_PAGE ? ECS_COMMAND_PAGE : bytes;
  if (buffer->page_count == buffer->page_capacity && !grow_pages(buffer))
    return ECS_E_MEMORY;
  CommandPage *page = &buffer->pages[buffer->page_count];
  if (page->bytes < bytes) {
    char *block = memory_resize(memory, NULL, 0, wanted);
    if (block == NULL) return ECS_E_MEMORY;
    memory_free(memory, page->memory, page->bytes);
    *page = (CommandPage){block, wanted, 0};
  }
  page->used_bytes = 0;
  buffer->page_count++;
  return ECS_OK;
}

/* Makes room for so many bytes of commands in one page. */
static ecs_Status reserve_bytes(CommandBuffer *buffer, size_t bytes) {
  if (buffer->page_count > 0) {
    const CommandPage *page = &buffer->pages[buffer->page_count - 1];
    if (bytes <= page->bytes - page->used_bytes) return ECS_OK;
  }
  return open_page(buffer, bytes);
}

/* Makes room for commands that take so many bytes, in one page, and for
 * entities. */
static ecs_Status reserve_record(CommandBuffer *buffer, uint32_t commands,
                                 size_t bytes, uint32_t entities) {
  void *grown = buffer->entities;
  if (commands > ECS_COMMAND_LIMIT - buffer->command_count)
    return memory_refuse(&buffer->store->memory, ECS_COMMAND_LIMIT,
                         "changes recorded at once", "a world");
  if (!memory_grow(&buffer->store->memory, &grown, &buffer->entity_capacity,
                   buffer->entity_count, entities, sizeof(EntityCommands)))
    return ECS_E_MEMORY;
  buffer->entities = grown;
  return reserve_bytes(buffer, bytes);
}

/* Recording ------------------------------------------------------------- */

const EntityCommands *command_find(const CommandBuffer *buffer,
                                   ecs_Entity entity) {
  if (buffer->entity_count == 0) return NULL;
  RowId position = locator_find(&buffer->by_index, id_index(entity));
  if (position.row == LOCATOR_NONE) return NULL;
  ECS_ASSERT(position.row < buffer->entity_count);
  const EntityCommands *commands = &buffer->entities[position.row];
  return commands->entity == entity ? commands : NULL;
}

/* Appends a command to the recording and to the chain of the entity at a
 * position. Room must be reserved. */
static inline Command *link_command(CommandBuffer *buffer, CommandKind kind,
                                    uint32_t position, size_t image_bytes) {
  CommandPage *page = &buffer->pages[buffer->page_count - 1];
  Command *command = (Command *)(void *)(page->memory + page->used_bytes);
  EntityCommands *commands = &buffer->entities[position];
  page->used_bytes += command_bytes(image_bytes);
  ECS_ASSERT(page->used_bytes <= page->bytes);
  ECS_ASSERT(position < buffer->entity_count);
  ECS_ASSERT(commands->last == NULL || !is_recorded_destroyed(commands));
  *command = (Command){.before = buffer->last,
                       .previous = commands->last,
                       .entity_position = position,
                       .kind = (uint8_t)kind};
  if (commands->last == NULL)
    commands->first = command;
  else
    commands->last->next = command;
  commands->last = command;
  buffer->last = command;
  buffer->command_count++;
  return command;
}

/* Appends a command to the chain of an entity, which it may begin. Room must be
 * reserved. */
static Command *append(CommandBuffer *buffer, CommandKind kind,
                       ecs_Entity entity, size_t image_bytes) {
  RowId position = locator_find(&buffer->by_index, id_index(entity));
  if (position.row == LOCATOR_NONE) {
    ECS_ASSERT(buffer->entity_count < buffer->entity_capacity);
    if (buffer->entity_count == 0) buffer->store->row_epoch++;
    position.row = buffer->entity_count++;
    buffer->entities[position.row] = (EntityCommands){entity, NULL, NULL};
    locator_set(&buffer->by_index, id_index(entity), position);
  }
  ECS_ASSERT(buffer->entities[position.row].entity == entity);
  return link_command(buffer, kind, position.row, image_bytes);
}

/* Bytes of the image of a component; 0: it is not given. */
static uint32_t given_bytes(const CommandBuffer *buffer, ecs_Component id,
                            const void *image) {
  if (image == NULL) return 0;
  return buffer->store->components[id].schema->image_bytes;
}

static void set_component(Command *command, ecs_Component id, const void *image,
                          uint32_t bytes, uint64_t fields) {
  command->component = id;
  command->fields = fields;
  command->has_image = bytes > 0;
  if (bytes > 0) memcpy(command + 1, image, bytes);
}

ecs_Status command_record(CommandBuffer *buffer, CommandKind kind,
                          ecs_Entity entity, ecs_Component id,
                          const void *image, uint64_t fields) {
  uint32_t bytes = given_bytes(buffer, id, image);
  ecs_Status status = reserve_record(buffer, 1, command_bytes(bytes), 1);
  if (status == ECS_OK)
    status = locator_reserve(&buffer->by_index, &buffer->store->memory,
                             id_index(entity));
  if (status != ECS_OK) return status;
  set_component(append(buffer, kind, entity, bytes), id, image, bytes, fields);
  return ECS_OK;
}

/* Reserves the handles of the next count spawns, and a page of by_index for the
 * index of each. */
static ecs_Status reserve_spawns(CommandBuffer *buffer, uint32_t count) {
  EntityIndex *index = &buffer->store->index;
  Memory *memory = &buffer->store->memory;
  ecs_Status status = store_reserve_entities(buffer->store, count);
  uint32_t free_index = index->free_head;
  for (uint32_t i = 0; status == ECS_OK && i < count; i++) {
    bool reuses = free_index != 0;
    uint32_t unused =
        index->used + (i < index->free_count ? 0 : i - index->free_count);
    uint32_t next = reuses ? free_index : unused;
    status = locator_reserve(&buffer->by_index, memory, next);
    if (reuses) free_index = slot_row(*entity_index_slot(index, free_index));
  }
  return status;
}

ecs_Status command_record_spawn(CommandBuffer *buffer, const Bundle *bundle,
                                const void *const *values, ecs_Entity *entity) {
  Store *store = buffer->store;
  size_t bytes = command_bytes(0);
  for (uint32_t i = 0; i < bundle->item_count; i++) {
    const void *image = values == NULL ? NULL : values[i];
    bytes +=
        command_bytes(given_bytes(buffer, bundle->items[i].component, image));
  }
  ecs_Status status = reserve_record(buffer, bundle->item_count + 1, bytes, 1);
  if (status == ECS_OK) status = reserve_spawns(buffer, 1);
  if (status != ECS_OK) return status;
  *entity = entity_index_issue(&store->index);
  uint32_t position =
      append(buffer, COMMAND_SPAWN, *entity, 0)->entity_position;
  for (uint32_t i = 0; i < bundle->item_count; i++) {
    const void *image = values == NULL ? NULL : values[i];
    ecs_Component id = bundle->items[i].component;
    uint32_t given = given_bytes(buffer, id, image);
    set_component(link_command(buffer, COMMAND_ADD, position, given), id, image,
                  given, UINT64_MAX);
  }
  return ECS_OK;
}

/* The handles come from the index in the order in which the rows lie. */
static void append_staged(CommandBuffer *buffer, StagedRows *staged) {
  ecs_Entity entity = entity_index_issue(&buffer->store->index);
  uint32_t row = staged_rows_append(staged, entity);
  Command *command = append(buffer, COMMAND_SPAWN, entity, 0);
  command->staged = staged;
  command->staged_row = row;
}

ecs_Status command_record_staged(CommandBuffer *buffer, const Bundle *bundle,
                                 uint32_t count, const StagedRows **staged) {
  StagedRows *created = NULL;
  size_t bytes = 0;
  if (!memory_size(command_bytes(0), count, 0, &bytes)) return ECS_E_MEMORY;
  ecs_Status status = reserve_record(buffer, count, bytes, count);
  if (status == ECS_OK) status = reserve_spawns(buffer, count);
  if (status == ECS_OK)
    status = staged_rows_create(buffer->store, bundle, count, &created);
  if (status != ECS_OK) return status;
  created->previous = buffer->staged;
  buffer->staged = created;
  for (uint32_t i = 0; i < count; i++) append_staged(buffer, created);
  *staged = created;
  return ECS_OK;
}

/* Taking back ----------------------------------------------------------- */

CommandMark command_mark(const CommandBuffer *buffer) {
  uint32_t pages = buffer->page_count;
  return (CommandMark){
      .last = buffer->last,
      .staged = buffer->staged,
      .page_count = pages,
      .used_bytes = pages > 0 ? buffer->pages[pages - 1].used_bytes : 0};
}

static void drop_staged(CommandBuffer *buffer, const StagedRows *until) {
  while (buffer->staged != until) {
    StagedRows *staged = buffer->staged;
    buffer->staged = staged->previous;
    staged_rows_destroy(buffer->store, staged);
  }
}

/* An entity's entry goes with its first command. Entries are made in the order
 * of recording, so it is the last one. */
static void take_back(CommandBuffer *buffer, const Command *command) {
  EntityCommands *commands = &buffer->entities[command->entity_position];
  uint32_t index = id_index(commands->entity);
  ECS_ASSERT(commands->last == command && buffer->command_count > 0);
  buffer->last = command->before;
  buffer->command_count--;
  commands->last = command->previous;
  if (commands->last != NULL) {
    commands->last->next = NULL;
    return;
  }
  ECS_ASSERT(command->entity_position == buffer->entity_count - 1);
  buffer->entity_count--;
  locator_clear(&buffer->by_index, index);
  if (command->kind == COMMAND_SPAWN)
    entity_index_free(&buffer->store->index, index,
                      id_generation(commands->entity));
}

void command_rewind(CommandBuffer *buffer, CommandMark mark) {
  while (buffer->last != mark.last) take_back(buffer, buffer->last);
  drop_staged(buffer, mark.staged);
  ECS_ASSERT(mark.page_count <= buffer->page_count);
  buffer->page_count = mark.page_count;
  if (mark.page_count == 0) free_surplus(buffer);
  if (mark.page_count > 0)
    buffer->pages[mark.page_count - 1].used_bytes = mark.used_bytes;
}

void command_reset(CommandBuffer *buffer) {
  for (uint32_t i = 0; i < buffer->entity_count; i++)
    locator_clear(&buffer->by_index, id_index(buffer->entities[i].entity));
  buffer->entity_count = 0;
  buffer->command_count = 0;
  buffer->last = NULL;
  drop_staged(buffer, NULL);
  free_surplus(buffer);
  buffer->page_count = 0;
}

/* Invariants ------------------------------------------------------------ */

/* The links of a chain agree in both directions; the chain begins with the
 * spawn and ends with the destruction, if there is one. Returns its commands, 0
 * when it is broken. */
static uint32_t check_chain(const CommandBuffer *buffer, uint32_t position) {
  const EntityCommands *commands = &buffer->entities[position];
  const Command *previous = NULL;
  uint32_t count = 0;
  for (const Command *command = commands->first; command != NULL;
       command = command->next, count++) {
    bool spawns = command->kind == COMMAND_SPAWN;
    bool destroys = command->kind == COMMAND_DESTROY;
    if (command->entity_position != position) return 0;
    if (command->previous != previous) return 0;
    if (spawns && previous != NULL) return 0;
    if (destroys && command->next != NULL) return 0;
    previous = command;
  }
  return commands->last == previous ? count : 0;
}

static bool check_pages(const CommandBuffer *buffer) {
  if (buffer->page_count > buffer->page_capacity) return false;
  for (uint32_t i = 0; i < buffer->page_count; i++)
    if (buffer->pages[i].used_bytes > buffer->pages[i].bytes) return false;
  return true;
}

bool command_buffer_check_invariants(const CommandBuffer *buffer) {
  uint32_t chained = 0, recorded = 0;
  for (uint32_t i = 0; i < buffer->entity_count; i++) {
    const EntityCommands *commands = &buffer->entities[i];
    uint32_t count = check_chain(buffer, i);
    if (count == 0 || command_find(buffer, commands->entity) != commands)
      return false;
    if ((commands->first->kind == COMMAND_SPAWN) !=
        store_is_reserved(buffer->store, commands->entity))
      return false;
    chained += count;
  }
  for (const Command *command = buffer->last; command != NULL;
       command = command->before)
    recorded++;
  return chained == buffer->command_count && recorded == chained &&
         check_pages(buffer) &&
         locator_check_invariants(&buffer->by_index, buffer->entity_count);
}

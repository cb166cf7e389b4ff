/* command_buffer.c: changes of structure, recorded now and applied later. */
#include "change/command_buffer.h"

#include "storage/table_image.h"

/* Memory that stays for the next recording, in pieces: a megabyte. */
#define PIECES_KEPT 16u

/* Life ------------------------------------------------------------------ */

void command_buffer_init(CommandBuffer *buffer, Store *store) {
  *buffer = (CommandBuffer){.store = store};
  locator_init(&buffer->by_index, true);
}

static void free_pieces(CommandBuffer *buffer, uint32_t kept) {
  for (uint32_t i = kept; i < buffer->piece_capacity; i++) {
    CommandPage *piece = &buffer->pieces[i];
    memory_free(&buffer->store->memory, piece->memory, piece->bytes);
    *piece = (CommandPage){NULL, 0, 0};
  }
}

/* Frees the pieces past the memory that stays. */
static void free_surplus(CommandBuffer *buffer) {
  size_t bytes = 0;
  uint32_t kept = 0;
  while (kept < buffer->piece_capacity &&
         bytes + buffer->pieces[kept].bytes <=
             (size_t)PIECES_KEPT * ECS_COMMAND_PIECE)
    bytes += buffer->pieces[kept++].bytes;
  free_pieces(buffer, kept);
}

void command_buffer_deinit(CommandBuffer *buffer) {
  Memory *memory = &buffer->store->memory;
  command_rewind(buffer, (CommandMark){0});
  free_pieces(buffer, 0);
  memory_free(memory, buffer->pieces,
              buffer->piece_capacity * sizeof(CommandPage));
  memory_free(memory, buffer->subjects,
              buffer->subject_capacity * sizeof(EntityCommands));
  locator_deinit(&buffer->by_index, memory);
}

/* Room ------------------------------------------------------------------ */

static size_t command_bytes(size_t image_bytes) {
  return (sizeof(Command) + image_bytes + 15u) / 16u * 16u;
}

static bool grow_pieces(CommandBuffer *buffer) {
  uint32_t before = buffer->piece_capacity;
  void *pieces = buffer->pieces;
  if (!memory_grow(&buffer->store->memory, &pieces, &buffer->piece_capacity,
                   before, 1, sizeof(CommandPage)))
    return false;
  buffer->pieces = pieces;
  for (uint32_t i = before; i < buffer->piece_capacity; i++)
    buffer->pieces[i] = (CommandPage){NULL, 0, 0};
  return true;
}

/* Makes the piece after the last one in use hold at least so many bytes. */
static ecs_Status open_piece(CommandBuffer *buffer, size_t bytes) {
  Memory *memory = &buffer->store->memory;
  size_t wanted = bytes < ECS_COMMAND_PIECE ? ECS_COMMAND_PIECE : bytes;
  if (buffer->piece_count == buffer->piece_capacity && !grow_pieces(buffer))
    return ECS_E_MEMORY;
  CommandPage *piece = &buffer->pieces[buffer->piece_count];
  if (piece->bytes < bytes) {
    char *block = memory_resize(memory, NULL, 0, wanted);
    if (block == NULL) return ECS_E_MEMORY;
    memory_free(memory, piece->memory, piece->bytes);
    *piece = (CommandPage){block, wanted, 0};
  }
  piece->used = 0;
  buffer->piece_count++;
  return ECS_OK;
}

/* Room for so many bytes of commands in one piece. */
static ecs_Status reserve_bytes(CommandBuffer *buffer, size_t bytes) {
  if (buffer->piece_count > 0) {
    const CommandPage *piece = &buffer->pieces[buffer->piece_count - 1];
    if (bytes <= piece->bytes - piece->used) return ECS_OK;
  }
  return open_piece(buffer, bytes);
}

/* Room for commands that take bytes, and for subjects. */
static ecs_Status reserve_record(CommandBuffer *buffer, uint32_t commands,
                                 size_t bytes, uint32_t subjects) {
  void *grown = buffer->subjects;
  if (commands > ECS_COMMAND_LIMIT - buffer->command_count) return ECS_E_LIMIT;
  if (!memory_grow(&buffer->store->memory, &grown, &buffer->subject_capacity,
                   buffer->subject_count, subjects, sizeof(EntityCommands)))
    return ECS_E_MEMORY;
  buffer->subjects = grown;
  return reserve_bytes(buffer, bytes);
}

/* Recording ------------------------------------------------------------- */

const EntityCommands *command_find(const CommandBuffer *buffer,
                                   ecs_Entity entity) {
  if (buffer->subject_count == 0) return NULL;
  RowId place = locator_find(&buffer->by_index, id_index(entity));
  if (place.row == LOCATOR_NONE) return NULL;
  const EntityCommands *subject = &buffer->subjects[place.row];
  return subject->entity == entity ? subject : NULL;
}

/* A command at the end of the recording and of its subject's chain, which it
 * may begin. Room is reserved. */
static Command *append(CommandBuffer *buffer, CommandKind kind,
                       ecs_Entity entity, size_t image_bytes) {
  CommandPage *piece = &buffer->pieces[buffer->piece_count - 1];
  Command *command = (Command *)(void *)(piece->memory + piece->used);
  RowId place = locator_find(&buffer->by_index, id_index(entity));
  piece->used += command_bytes(image_bytes);
  if (place.row == LOCATOR_NONE) {
    place.row = buffer->subject_count++;
    buffer->subjects[place.row] = (EntityCommands){entity, NULL, NULL};
    locator_set(&buffer->by_index, id_index(entity), place);
  }
  EntityCommands *subject = &buffer->subjects[place.row];
  *command = (Command){.before = buffer->last,
                       .previous = subject->last,
                       .subject = place.row,
                       .kind = (uint8_t)kind};
  if (subject->last == NULL)
    subject->first = command;
  else
    subject->last->next = command;
  subject->last = command;
  buffer->last = command;
  buffer->command_count++;
  return command;
}

static void append_change(CommandBuffer *buffer, CommandKind kind,
                          ecs_Entity entity, ecs_Component component,
                          const void *image, uint64_t fields) {
  uint32_t bytes =
      image == NULL ? 0
                    : buffer->store->components[component].schema->image_bytes;
  Command *command = append(buffer, kind, entity, bytes);
  command->component = component;
  command->fields = fields;
  command->has_image = bytes > 0;
  if (bytes > 0) memcpy(command + 1, image, bytes);
}

ecs_Status command_record(CommandBuffer *buffer, CommandKind kind,
                          ecs_Entity entity, ecs_Component component,
                          const void *image, uint64_t fields) {
  size_t bytes = image == NULL
                     ? 0
                     : buffer->store->components[component].schema->image_bytes;
  ecs_Status status = reserve_record(buffer, 1, command_bytes(bytes), 1);
  if (status == ECS_OK)
    status = locator_reserve(&buffer->by_index, &buffer->store->memory,
                             id_index(entity));
  if (status != ECS_OK) return status;
  append_change(buffer, kind, entity, component, image, fields);
  return ECS_OK;
}

/* A handle, and a page for its index in by_index. */
static ecs_Status reserve_births(CommandBuffer *buffer, uint32_t count) {
  EntityIndex *index = &buffer->store->index;
  Memory *memory = &buffer->store->memory;
  ecs_Status status = entity_index_reserve(index, memory, count);
  uint32_t at = index->free_head;
  for (uint32_t i = 0; status == ECS_OK && i < count; i++) {
    bool recycled = at != 0;
    uint32_t unused =
        index->used + (i < index->free_count ? 0 : i - index->free_count);
    uint32_t next = recycled ? at : unused;
    status = locator_reserve(&buffer->by_index, memory, next);
    if (recycled) at = slot_row(*entity_index_slot(index, at));
  }
  return status;
}

ecs_Status command_record_spawn(CommandBuffer *buffer, const Bundle *bundle,
                                const void *const *values, ecs_Entity *entity) {
  Store *store = buffer->store;
  size_t bytes = command_bytes(0);
  for (uint32_t i = 0; i < bundle->item_count; i++) {
    bool given = values != NULL && values[i] != NULL;
    ecs_Component component = bundle->items[i].component;
    bytes += command_bytes(
        given ? store->components[component].schema->image_bytes : 0);
  }
  ecs_Status status = reserve_record(buffer, bundle->item_count + 1, bytes, 1);
  if (status == ECS_OK) status = reserve_births(buffer, 1);
  if (status != ECS_OK) return status;
  *entity = entity_index_issue(&store->index);
  append(buffer, COMMAND_SPAWN, *entity, 0);
  for (uint32_t i = 0; i < bundle->item_count; i++)
    append_change(buffer, COMMAND_ADD, *entity, bundle->items[i].component,
                  values == NULL ? NULL : values[i], UINT64_MAX);
  return ECS_OK;
}

/* Stages ---------------------------------------------------------------- */

static void stage_destroy(CommandBuffer *buffer, StagedRows *stage) {
  Memory *memory = &buffer->store->memory;
  if (stage == NULL) return;
  table_destroy(stage->table, memory);
  if (stage->schemas != NULL)
    memory_free(memory, (void *)stage->schemas,
                stage->bundle->item_count * sizeof(Schema *));
  memory_free(memory, stage, sizeof(StagedRows));
}

static ecs_Status create_stage_table(CommandBuffer *buffer, StagedRows *stage,
                                     uint32_t count) {
  Memory *memory = &buffer->store->memory;
  uint32_t items = stage->bundle->item_count;
  uint32_t words = (items + 63u) / 64u;
  ecs_Status status = ECS_E_MEMORY;
  uint64_t *mask = memory_zeroed(memory, words, sizeof(uint64_t));
  if (mask == NULL && words > 0) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < items; i++) {
    const BundleItem *item = &stage->bundle->items[i];
    const Schema *schema = buffer->store->components[item->component].schema;
    stage->schemas[i] = schema->field_count > 0 ? schema : NULL;
    mask[i >> 6] |= UINT64_C(1) << (i & 63u);
  }
  stage->table = table_create(memory, stage->schemas, mask, words, &status);
  if (mask != NULL) memory_free(memory, mask, words * sizeof(uint64_t));
  return stage->table == NULL ? status
                              : table_reserve(stage->table, memory, count);
}

static ecs_Status stage_create(CommandBuffer *buffer, const Bundle *bundle,
                               uint32_t count, StagedRows **created) {
  Memory *memory = &buffer->store->memory;
  StagedRows *stage = memory_zeroed(memory, 1, sizeof(StagedRows));
  *created = stage;
  if (stage == NULL) return ECS_E_MEMORY;
  stage->bundle = bundle;
  stage->schemas = memory_zeroed(memory, bundle->item_count, sizeof(Schema *));
  if (stage->schemas == NULL && bundle->item_count > 0) return ECS_E_MEMORY;
  return create_stage_table(buffer, stage, count);
}

static void fill_stage_row(CommandBuffer *buffer, StagedRows *stage) {
  Store *store = buffer->store;
  ecs_Entity entity = entity_index_issue(&store->index);
  uint32_t row = table_append(stage->table, entity);
  for (uint32_t i = 0; i < stage->bundle->item_count; i++)
    if (stage->schemas[i] != NULL)
      table_store_defaults(stage->table, row, i, stage->schemas[i]);
  Command *command = append(buffer, COMMAND_SPAWN, entity, 0);
  command->stage = stage;
  command->stage_row = row;
}

ecs_Status command_record_staged(CommandBuffer *buffer, const Bundle *bundle,
                                 uint32_t count, const StagedRows **stage) {
  StagedRows *created = NULL;
  size_t bytes = 0;
  if (!memory_size(command_bytes(0), count, 0, &bytes)) return ECS_E_MEMORY;
  ecs_Status status = reserve_record(buffer, count, bytes, count);
  if (status == ECS_OK) status = reserve_births(buffer, count);
  if (status == ECS_OK) status = stage_create(buffer, bundle, count, &created);
  if (status != ECS_OK) {
    stage_destroy(buffer, created);
    return status;
  }
  created->previous = buffer->stages;
  buffer->stages = created;
  for (uint32_t i = 0; i < count; i++) fill_stage_row(buffer, created);
  *stage = created;
  return ECS_OK;
}

/* Taking back ----------------------------------------------------------- */

CommandMark command_mark(const CommandBuffer *buffer) {
  uint32_t pieces = buffer->piece_count;
  return (CommandMark){
      .last = buffer->last,
      .stages = buffer->stages,
      .piece_count = pieces,
      .used = pieces > 0 ? buffer->pieces[pieces - 1].used : 0};
}

static void drop_stages(CommandBuffer *buffer, const StagedRows *until) {
  while (buffer->stages != until) {
    StagedRows *stage = buffer->stages;
    buffer->stages = stage->previous;
    stage_destroy(buffer, stage);
  }
}

/* The subject goes with its first command; they were made together. */
static void take_back(CommandBuffer *buffer, const Command *command) {
  EntityCommands *subject = &buffer->subjects[command->subject];
  uint32_t at = id_index(subject->entity);
  buffer->last = command->before;
  buffer->command_count--;
  subject->last = command->previous;
  if (subject->last != NULL) {
    subject->last->next = NULL;
    return;
  }
  ECS_ASSERT(command->subject == buffer->subject_count - 1);
  buffer->subject_count--;
  locator_clear(&buffer->by_index, at);
  if (command->kind == COMMAND_SPAWN)
    entity_index_free(&buffer->store->index, at,
                      id_generation(subject->entity));
}

void command_rewind(CommandBuffer *buffer, CommandMark mark) {
  while (buffer->last != mark.last) take_back(buffer, buffer->last);
  drop_stages(buffer, mark.stages);
  buffer->piece_count = mark.piece_count;
  if (mark.piece_count == 0) free_surplus(buffer);
  if (mark.piece_count > 0)
    buffer->pieces[mark.piece_count - 1].used = mark.used;
}

void command_reset(CommandBuffer *buffer) {
  for (uint32_t i = 0; i < buffer->subject_count; i++)
    locator_clear(&buffer->by_index, id_index(buffer->subjects[i].entity));
  buffer->subject_count = 0;
  buffer->command_count = 0;
  buffer->last = NULL;
  drop_stages(buffer, NULL);
  free_surplus(buffer);
  buffer->piece_count = 0;
}

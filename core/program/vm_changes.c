/* vm_changes.c: records the changes of a block, row by row. */
#include "program/vm_changes.h"

#include "change/bundle.h"
#include "program/vm_rows.h"
#include "storage/element.h"
#include "world/deferral.h"
#include "world/deferred_change.h"

/* A value for a field. */
typedef struct Give {
  void *element;     /* in the image of its component */
  const Step *step;  /* borrowed from the plan */
  ecs_Scalar scalar; /* of the field */
  ValueType type;    /* of the value */
  bool is_spread;    /* all rows of a run have the same value, and no give for
                        the element stands before it */
} Give;

/* A change that a program makes. */
typedef struct ProgramChange {
  const Step *step; /* of the change itself, borrowed from the plan */
  Give *gives;
  uint32_t give_count;
  const void **images; /* one for each part; for other changes, one */
  uint64_t fields;     /* of OPERATION_SET_OF: those that are given */
  ecs_Bundle bundle;   /* of OPERATION_SPAWN */
  size_t image_bytes;  /* of the images, which lie side by side */
  uint32_t mask;       /* place of the mask; NO_VALUE: all rows */
  const struct ProgramChange *maker; /* the spawn of its entity; NULL: none */
  bool is_claimed; /* of OPERATION_SET_OF: the query reads its component */
  bool is_used;    /* of OPERATION_SPAWN: a change takes the entity */
  uint32_t next;   /* the next row that it is for, in changes_run */
} ProgramChange;

/* Changes are joint where the rows of a block need not be changed one after the
 * other: spawns under one mask, and at most one other change, of the row's own
 * entity. Then each is recorded for all its rows at once; which of an entity's
 * changes comes first, and in which order entities change, is the same. */
struct ProgramChanges {
  ProgramChange *list;
  uint32_t count;
  bool are_joint;
  uint32_t spawn_count;     /* joint: the spawns */
  ProgramChange **spawns;   /* in their order */
  Bundle **bundles;         /* of each */
  const ProgramChange *own; /* joint: the other change; NULL: there is none */
  uint32_t *rows;           /* of a block, that a change is for */
  ecs_Entity *entities;     /* of these; for spawns, one for each spawn */
  char **values;            /* of these, as they are recorded */
  size_t bytes;             /* of the allocation that starts here */
};

/* Preparing --------------------------------------------------------------- */

/* Which operand of a change is its mask. */
static uint32_t mask_operand(const Instruction *ins) {
  OperationShape shape = instruction_shape(ins);
  return shape == SHAPE_OTHER || shape == SHAPE_DESTROY_OTHER;
}

static bool is_argument(const Instruction *ins) {
  return instruction_shape(ins) == SHAPE_PART ||
         instruction_shape(ins) == SHAPE_GIVE;
}

/* The bytes of an image, rounded up so that the next one is aligned. */
static size_t image_bytes(const Schema *schema) {
  return (schema->image_bytes + 7u) / 8u * 8u;
}

/* The counts of arrays, and where they are laid. */
typedef struct Room {
  uint32_t changes, spawns, gives, images, rows;
  size_t image_bytes;
} Room;

static const Schema *schema_of(const ecs_Program *program,
                               const Instruction *ins) {
  return program->query->store->components.all[ins->index].schema;
}

/* Does a change have an image of its own component? */
static bool has_image(const Instruction *ins) {
  return ins->operation == OPERATION_ADD_TO ||
         ins->operation == OPERATION_SET_OF;
}

static Room measure(const ecs_Program *program) {
  const ProgramPlan *plan = program->plan;
  Room room = {.rows = plan->block_rows};
  for (uint32_t k = 0; k < plan->change_count; k++) {
    const Instruction *ins = plan->changes[k].ins;
    bool is_part = instruction_shape(ins) == SHAPE_PART;
    room.gives += instruction_shape(ins) == SHAPE_GIVE;
    room.changes += !is_argument(ins);
    room.spawns += ins->operation == OPERATION_SPAWN;
    if (!is_part && !has_image(ins)) continue;
    room.images++;
    room.image_bytes += image_bytes(schema_of(program, ins));
  }
  return room;
}

/* What lay_changes hands out, piece by piece. */
typedef struct Layer {
  ecs_Program *program;
  ProgramChanges *changes;
  const Mistake *mistake;
  ProgramChange *change;
  Give *give;
  const void **image;
  char *bytes;
} Layer;

static size_t lay_changes(Layer *layer, const Room *room, char *block) {
  size_t used = 0;
  uint32_t most = room->spawns > 1 ? room->rows * room->spawns : room->rows;
  ProgramChanges changes;
  ProgramChanges *first = memory_lay(block, &used, 1, sizeof changes);
  changes.list = memory_lay(block, &used, room->changes, sizeof(ProgramChange));
  changes.spawns = memory_lay(block, &used, room->spawns, sizeof(void *));
  changes.bundles = memory_lay(block, &used, room->spawns, sizeof(Bundle *));
  changes.rows = memory_lay(block, &used, room->rows + 1, sizeof(uint32_t));
  changes.entities = memory_lay(block, &used, most, sizeof(ecs_Entity));
  changes.values = memory_lay(block, &used, most, sizeof(char *));
  layer->give = memory_lay(block, &used, room->gives, sizeof(Give));
  layer->image = memory_lay(block, &used, room->images, sizeof(void *));
  layer->bytes = memory_lay(block, &used, room->image_bytes, 1);
  if (block == NULL) return used;
  *first = (ProgramChanges){.list = changes.list,
                            .spawns = changes.spawns,
                            .bundles = changes.bundles,
                            .rows = changes.rows,
                            .entities = changes.entities,
                            .values = changes.values,
                            .bytes = used};
  layer->changes = first;
  layer->change = first->list;
  return used;
}

/* A new image with the defaults of a component. */
static void lay_image(Layer *layer, const Schema *schema) {
  if (schema->field_count > 0)
    memcpy(layer->bytes, schema->default_image, schema->image_bytes);
  *layer->image++ = layer->bytes;
  layer->bytes += image_bytes(schema);
}

/* Finds the image that a give of the change is for: that of its component among
 * the parts. */
static char *image_for(const ecs_Program *program, const ProgramChange *change,
                       const Step *first, const Instruction *ins) {
  uint32_t part = 0;
  (void)program;
  for (const Step *step = first; step < change->step; step++) {
    if (instruction_shape(step->ins) != SHAPE_PART) continue;
    if (step->ins->index == ins->index) break;
    part++;
  }
  return (char *)(uintptr_t)change->images[part];
}

/* Is a place a register that a single value is spread over? */
static bool is_spread(const ProgramPlan *plan, uint32_t place) {
  for (uint32_t k = 0; k < plan->spread_count; k++)
    if (plan->spread[k].out == place) return true;
  return false;
}

/* Has the change a give for this element already? The last one counts. */
static bool is_given(const ProgramChange *change, const void *element) {
  for (uint32_t k = 0; k < change->give_count; k++)
    if (change->gives[k].element == element) return true;
  return false;
}

static void add_give(Layer *layer, ProgramChange *change, const Step *first,
                     const Step *step) {
  const Instruction *ins = step->ins;
  const ecs_Program *program = program_planned(layer->program);
  const SchemaField *field = &schema_of(program, ins)->fields[ins->field];
  char *element = image_for(program, change, first, ins) + field->offset;
  ECS_ASSERT((size_t)(element - (const char *)change->images[0]) <
             change->image_bytes);
  *layer->give++ =
      (Give){.element = element,
             .step = step,
             .scalar = field->type,
             .type = (ValueType)program->types[ins->operands[0]],
             .is_spread = is_spread(layer->program->plan, step->operands[0]) &&
                          !is_given(change, element)};
  change->give_count++;
  change->fields |= UINT64_C(1) << ins->field;
}

/* Is a value an operand of anything? */
static bool is_operand(const ecs_Program *program, uint32_t value) {
  for (uint32_t i = 0; i < program->code_count; i++)
    for (uint32_t k = 0; k < OPERANDS; k++)
      if (program->code[i].operands[k] == value) return true;
  return false;
}

/* The spawn that makes the entity of a change; NULL: none does. */
static const ProgramChange *find_maker(const ecs_Program *program,
                                       const ProgramChange *change) {
  const Instruction *ins = change->step->ins;
  if (mask_operand(ins) == 0) return NULL;
  for (const ProgramChange *other = program->changes->list; other < change;
       other++)
    if (other->step->ins->operation == OPERATION_SPAWN &&
        other->step->ins->result == ins->operands[0])
      return other;
  return NULL;
}

/* Does a cursor over the query read the component? Runs without a cursor obey
 * that, too. */
static bool query_claims(const ecs_Query *query, ecs_Component component) {
  for (uint32_t k = 0; k < query->term_count; k++)
    if (query->terms[k].component == component &&
        query->terms[k].column_count > 0)
      return true;
  return false;
}

/* Resolves the bundle of a spawn; its parts are the steps from first on. */
static ecs_Status find_bundle(const Layer *layer, ProgramChange *change,
                              const Step *first) {
  ecs_Component components[PART_LIMIT];
  uint32_t count = 0;
  for (const Step *step = first; step < change->step; step++)
    if (instruction_shape(step->ins) == SHAPE_PART) {
      ECS_ASSERT(count < PART_LIMIT);
      components[count++] = step->ins->index;
    }
  ecs_Status status = bundle_ensure(layer->program->query->store, components,
                                    count, &change->bundle);
  if (status == ECS_E_LIMIT)
    mistake_write(layer->mistake, change->step->ins->line,
                  "spawn: too many bundles in the world");
  return status;
}

/* Makes the change of a step; its parts and gives are the steps from first
 * on. */
static ecs_Status make_change(Layer *layer, const Step *first,
                              const Step *step) {
  const ecs_Program *program = layer->program;
  ProgramChange *change = layer->change++;
  const Instruction *ins = step->ins;
  uint32_t mask = mask_operand(ins);
  *change = (ProgramChange){
      .step = step,
      .gives = layer->give,
      .images = layer->image,
      .mask = ins->operands[mask] == NO_VALUE ? NO_VALUE : step->operands[mask],
      .is_claimed = ins->operation == OPERATION_SET_OF &&
                    query_claims(program->query, ins->index),
      .is_used = ins->operation == OPERATION_SPAWN &&
                 is_operand(program_planned(program), ins->result)};
  change->maker = find_maker(program, change);
  const char *images = layer->bytes;
  for (const Step *part = first; part < step; part++)
    if (instruction_shape(part->ins) == SHAPE_PART)
      lay_image(layer, schema_of(program, part->ins));
  if (has_image(ins)) lay_image(layer, schema_of(program, ins));
  change->image_bytes = (size_t)(layer->bytes - images);
  for (const Step *give = first; give < step; give++)
    if (instruction_shape(give->ins) == SHAPE_GIVE)
      add_give(layer, change, first, give);
  if (ins->operation != OPERATION_SPAWN) return ECS_OK;
  return find_bundle(layer, change, first);
}

static ecs_Status make_changes(Layer *layer) {
  const ProgramPlan *plan = layer->program->plan;
  const Step *first = plan->changes, *end = first + plan->change_count;
  for (const Step *step = first; step < end; step++) {
    if (is_argument(step->ins)) continue;
    ecs_Status status = make_change(layer, first, step);
    if (status != ECS_OK) return status;
    first = step + 1;
  }
  return ECS_OK;
}

/* Does a change add a component with links? That of an entity which has it is
 * recorded, too: a rule may have taken it away by then. */
static bool adds_linked(const ecs_Program *program,
                        const ProgramChange *change) {
  const Instruction *ins = change->step->ins;
  return ins->operation != OPERATION_DESTROY &&
         ins->operation != OPERATION_REMOVE &&
         program->query->store->components.all[ins->index].link_count > 0;
}

/* Is a change of the row's own entity, with values of one component at most? */
static bool is_own(const ecs_Program *program, const ProgramChange *change) {
  const Instruction *ins = change->step->ins;
  if (mask_operand(ins) == 0) return ins->operation != OPERATION_SPAWN;
  if (ins->operation != OPERATION_ADD_TO) return false;
  program = program_planned(program);
  for (uint32_t k = 0; k < program->code_count; k++)
    if (program->code[k].result == ins->operands[0])
      return program->code[k].operation == OPERATION_SELF;
  return false;
}

static bool gives_entity(const ProgramChange *change) {
  for (uint32_t k = 0; k < change->give_count; k++)
    if (change->gives[k].type == VALUE_ENTITY) return true;
  return false;
}

/* Finds out whether the changes are joint. What the own entity is given may be
 * an entity that the row spawns, which is not known then. */
static void join_changes(const ecs_Program *program) {
  ProgramChanges *changes = program->changes;
  bool joint = !program_goes_row_by_row(program);
  for (uint32_t k = 0; k < changes->count; k++) {
    ProgramChange *change = &changes->list[k];
    if (change->step->ins->operation == OPERATION_SPAWN) {
      const Store *store = program->query->store;
      changes->bundles[changes->spawn_count] =
          change_bundle(store, change->bundle);
      changes->spawns[changes->spawn_count++] = change;
      joint = joint && change->mask == changes->spawns[0]->mask;
    } else {
      joint = joint && changes->own == NULL && is_own(program, change) &&
              !adds_linked(program, change);
      changes->own = change;
    }
  }
  if (changes->spawn_count > 0 && changes->own != NULL)
    joint = joint && !gives_entity(changes->own);
  ECS_ASSERT(!joint ||
             changes->spawn_count + (changes->own != NULL) == changes->count);
  changes->are_joint = joint;
}

ecs_Status changes_prepare(ecs_Program *program, const Mistake *mistake) {
  if (!program->changes_first) return ECS_OK;
  Room room = measure(program);
  Layer layer = {.program = program, .mistake = mistake};
  size_t bytes = lay_changes(&layer, &room, NULL);
  char *block = memory_zeroed(&program->query->store->memory, 1, bytes);
  if (block == NULL) return ECS_E_MEMORY;
  lay_changes(&layer, &room, block);
  program->changes = layer.changes;
  program->changes->count = room.changes;
  ecs_Status status = make_changes(&layer);
  /* What was measured is what was laid. */
  ECS_ASSERT(status != ECS_OK ||
             (layer.change == program->changes->list + room.changes &&
              layer.bytes <= block + bytes));
  if (status == ECS_OK) join_changes(program);
  return status;
}

void changes_free(ecs_Program *program) {
  if (program->changes == NULL) return;
  memory_free(&program->query->store->memory, program->changes,
              program->changes->bytes);
  program->changes = NULL;
}

/* Checking ---------------------------------------------------------------- */

/* The block that changes are made for. */
typedef struct ChangeBlock {
  const ecs_Program *program;
  ecs_World *world;
  const ecs_Entity *entities;
  void *const *bases;
  ecs_Status status;
} ChangeBlock;

static double number_at(const ChangeBlock *block, const Give *give,
                        uint32_t row) {
  const void *values = block->bases[give->step->operands[0]];
  ECS_ASSERT(give->type != VALUE_ENTITY);
  switch (give->type) {
    case VALUE_F32: return (double)((const float *)values)[row];
    case VALUE_F64: return ((const double *)values)[row];
    default: return (double)((const uint32_t *)values)[row];
  }
}

/* If a value of f32 is no NaN and its field is of f32, stores it and returns
 * true. Pure optimisation: most fields are. */
static inline bool store_f32(const ChangeBlock *block, const Give *give,
                             uint32_t row) {
  if (give->scalar != ECS_F32 || give->type != VALUE_F32) return false;
  float value = ((const float *)block->bases[give->step->operands[0]])[row];
  if (value != value) return false;
  memcpy(give->element, &value, sizeof value);
  return true;
}

/* Stores the numbers of a change in its images; false: one does not fit. */
static bool store_numbers(const ChangeBlock *block, const ProgramChange *change,
                          uint32_t row) {
  for (uint32_t k = 0; k < change->give_count; k++) {
    const Give *give = &change->gives[k];
    if (give->type == VALUE_ENTITY || store_f32(block, give, row)) continue;
    if (ecs_scalar_store(give->scalar, give->element,
                         number_at(block, give, row)) != ECS_OK)
      return false;
  }
  return true;
}

static ecs_Entity entity_of(const ChangeBlock *block,
                            const ProgramChange *change, uint32_t row) {
  if (mask_operand(change->step->ins) == 0) return block->entities[row];
  return ((const ecs_Entity *)block->bases[change->step->operands[0]])[row];
}

/* Would recording the change fail for want of an entity or an access? */
static bool finds_target(const ChangeBlock *block, const ProgramChange *change,
                         uint32_t row) {
  const ecs_World *world = block->world;
  const Instruction *ins = change->step->ins;
  if (mask_operand(ins) == 0 || ins->operation == OPERATION_DESTROY_OTHER)
    return true;
  if (change->maker != NULL) return change->maker->next == row;
  ecs_Entity entity = entity_of(block, change, row);
  if (recorded_commands(world, entity) == NULL &&
      !store_alive(&world->store, entity))
    return false;
  return ins->operation != OPERATION_SET_OF ||
         (!change->is_claimed &&
          world->store.components.all[ins->index].readers == 0);
}

static bool can_change(const ChangeBlock *block, const ProgramChange *change,
                       uint32_t row) {
  return finds_target(block, change, row) && store_numbers(block, change, row);
}

/* Recording --------------------------------------------------------------- */

static void store_entities(const ChangeBlock *block,
                           const ProgramChange *change, uint32_t row) {
  for (uint32_t k = 0; k < change->give_count; k++) {
    const Give *give = &change->gives[k];
    if (give->type != VALUE_ENTITY) continue;
    const ecs_Entity *values = block->bases[give->step->operands[0]];
    memcpy(give->element, &values[row], sizeof(ecs_Entity));
  }
}

static ecs_Status record_spawn(const ChangeBlock *block,
                               const ProgramChange *change, uint32_t row) {
  Bundle *bundle = change_bundle(&block->world->store, change->bundle);
  ecs_Entity *spawned = block->bases[change->step->out];
  char *values = NULL;
  CommandBuffer *commands = &block->world->commands;
  ecs_Status status = command_prepare_spawns(commands, &bundle, 1, 1, &values);
  if (status != ECS_OK) return status;
  if (change->image_bytes > 0)
    memcpy(values, change->images[0], change->image_bytes);
  command_record_spawns(commands, &bundle, 1, 1, &spawned[row]);
  return ECS_OK;
}

static ecs_Status record(const ChangeBlock *block, const ProgramChange *change,
                         uint32_t row) {
  const Instruction *ins = change->step->ins;
  ecs_World *world = block->world;
  ecs_Entity entity = entity_of(block, change, row);
  const void *image = has_image(ins) ? change->images[0] : NULL;
  switch (ins->operation) {
    case OPERATION_SPAWN: return record_spawn(block, change, row);
    case OPERATION_DESTROY:
    case OPERATION_DESTROY_OTHER: return deferred_destroy(world, entity);
    case OPERATION_ADD:
    case OPERATION_ADD_TO:
      return deferred_add(world, entity, ins->index, image);
    case OPERATION_SET_OF:
      return deferred_set_told(world, entity, ins->index, image,
                               change->fields);
    default: return deferred_remove(world, entity, ins->index);
  }
}

/* Rows -------------------------------------------------------------------- */

/* The first row from row on that a change is for. */
static uint32_t next_row(const ChangeBlock *block, const ProgramChange *change,
                         uint32_t row, uint32_t rows) {
  if (change->mask == NO_VALUE) return row;
  return mask_next(block->bases[change->mask], row, rows);
}

/* Makes all changes of a row; false: one cannot be made, and then none is, or
 * recording failed. */
static bool change_row(ChangeBlock *block, uint32_t row) {
  const ecs_Program *program = block->program;
  ProgramChange *list = program->changes->list;
  uint32_t count = program->changes->count;
  ECS_ASSERT(block->status == ECS_OK);
  for (uint32_t k = 0; k < count; k++)
    if (list[k].next == row && !can_change(block, &list[k], row)) return false;
  for (uint32_t k = 0; k < count && block->status == ECS_OK; k++) {
    const ProgramChange *change = &list[k];
    if (change->next != row) continue;
    store_entities(block, change, row);
    block->status = record(block, change, row);
    /* A destruction of what is not alive does nothing. */
    if (block->status == ECS_E_DEAD) block->status = ECS_OK;
  }
  return block->status == ECS_OK;
}

/* Entities that rows do not spawn are null. */
static void clear_spawned(const ChangeBlock *block, uint32_t rows) {
  const ProgramChanges *changes = block->program->changes;
  for (uint32_t k = 0; k < changes->spawn_count; k++)
    if (changes->spawns[k]->is_used)
      memset(block->bases[changes->spawns[k]->step->out], 0,
             rows * sizeof(ecs_Entity));
}

/* The first row that any change is for; rows: none. */
static uint32_t first_row(const ecs_Program *program, uint32_t rows) {
  const ProgramChanges *changes = program->changes;
  uint32_t row = rows;
  for (uint32_t k = 0; k < changes->count; k++)
    if (changes->list[k].next < row) row = changes->list[k].next;
  return row;
}

/* Has the changes that were for a row look for the next one. */
static void pass_row(const ChangeBlock *block, uint32_t row, uint32_t rows) {
  const ProgramChange *last = NULL; /* those of a branch have one mask */
  const ProgramChanges *changes = block->program->changes;
  for (uint32_t k = 0; k < changes->count; k++) {
    ProgramChange *change = &changes->list[k];
    if (change->next != row) continue;
    change->next = last != NULL && last->mask == change->mask
                       ? last->next
                       : next_row(block, change, row + 1, rows);
    ECS_ASSERT(change->next > row && change->next <= rows);
    last = change;
  }
}

/* Joint changes ------------------------------------------------------------ */

/* Lists the rows of a block that a change is for. Returns their number. */
static uint32_t list_rows(const ChangeBlock *block, const ProgramChange *change,
                          uint32_t rows, uint32_t *list) {
  if (change->mask != NO_VALUE)
    return mask_list(block->bases[change->mask], rows, list);
  for (uint32_t row = 0; row < rows; row++) list[row] = row;
  return rows;
}

/* Where a field lies in the images of its change. */
static size_t offset_of(const ProgramChange *change, const Give *give) {
  return (size_t)((const char *)give->element -
                  (const char *)change->images[0]);
}

/* Stores the numbers of a give at an offset of the values of each listed row.
 * Returns how many rows there are before the first with a number that does not
 * fit. */
static uint32_t give_rows(const ChangeBlock *block, const ProgramChange *change,
                          const Give *give, uint32_t count,
                          char *const *values) {
  const uint32_t *rows = block->program->changes->rows;
  const float *from = block->bases[give->step->operands[0]];
  size_t offset = offset_of(change, give);
  if (give->scalar == ECS_F32 && give->type == VALUE_F32) {
    for (uint32_t k = 0; k < count; k++)
      element_store_f32(values[k] + offset, from + rows[k]);
    return count;
  }
  for (uint32_t k = 0; k < count; k++)
    if (ecs_scalar_store(give->scalar, values[k] + offset,
                         number_at(block, give, rows[k])) != ECS_OK)
      return k;
  return count;
}

/* Stores the numbers that are the same in all rows in the images of a change;
 * false: one does not fit. */
static bool give_image(const ChangeBlock *block, const ProgramChange *change) {
  for (uint32_t k = 0; k < change->give_count; k++) {
    const Give *give = &change->gives[k];
    if (give->is_spread && give->type != VALUE_ENTITY &&
        ecs_scalar_store(give->scalar, give->element,
                         number_at(block, give, 0)) != ECS_OK)
      return false;
  }
  return true;
}

/* Copies images, which are whole words, to the values of each listed row. */
static void copy_images(const ProgramChange *change, uint32_t count,
                        char *const *values) {
  const char *images = change->image_bytes > 0 ? change->images[0] : NULL;
  ECS_ASSERT(change->image_bytes % sizeof(uint64_t) == 0);
  for (size_t byte = 0; byte < change->image_bytes; byte += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, images + byte, sizeof word);
    for (uint32_t k = 0; k < count; k++)
      memcpy(values[k] + byte, &word, sizeof word);
  }
}

/* Stores the images of a change in the values of each listed row, with the
 * numbers that are given. As give_rows. */
static uint32_t give_all(const ChangeBlock *block, const ProgramChange *change,
                         uint32_t count, char *const *values) {
  if (!give_image(block, change)) return 0;
  copy_images(change, count, values);
  for (uint32_t k = 0; k < change->give_count; k++) {
    const Give *give = &change->gives[k];
    if (!give->is_spread && give->type != VALUE_ENTITY)
      count = give_rows(block, change, give, count, values);
  }
  return count;
}

/* Stores the entities that are given; some of them are spawned by the rows. */
static void give_entities(const ChangeBlock *block, const ProgramChange *change,
                          uint32_t count, char *const *values) {
  const uint32_t *rows = block->program->changes->rows;
  for (uint32_t i = 0; i < change->give_count; i++) {
    const Give *give = &change->gives[i];
    if (give->type != VALUE_ENTITY) continue;
    const ecs_Entity *from = block->bases[give->step->operands[0]];
    size_t offset = offset_of(change, give);
    for (uint32_t k = 0; k < count; k++)
      memcpy(values[k] + offset, &from[rows[k]], sizeof(ecs_Entity));
  }
}

/* Makes the spawns of the listed rows. Handles are issued when it is known that
 * all rows can be changed. */
static bool spawn_listed(const ChangeBlock *block, uint32_t count) {
  const ProgramChanges *changes = block->program->changes;
  CommandBuffer *commands = &block->world->commands;
  uint32_t spawns = changes->spawn_count;
  ECS_ASSERT(spawns > 0 && count > 0);
  if (command_prepare_spawns(commands, changes->bundles, spawns, count,
                             changes->values) != ECS_OK)
    return false;
  for (uint32_t s = 0; s < spawns; s++)
    if (give_all(block, changes->spawns[s], count,
                 changes->values + (size_t)s * count) < count)
      return false;
  command_record_spawns(commands, changes->bundles, spawns, count,
                        changes->entities);
  for (uint32_t s = 0; s < spawns; s++) {
    ecs_Entity *spawned = block->bases[changes->spawns[s]->step->out];
    if (!changes->spawns[s]->is_used) continue;
    for (uint32_t k = 0; k < count; k++)
      spawned[changes->rows[k]] = changes->entities[k * spawns + s];
  }
  for (uint32_t s = 0; s < spawns; s++)
    give_entities(block, changes->spawns[s], count,
                  changes->values + (size_t)s * count);
  return true;
}

/* Keeps the listed rows in which adding or removing the component has an
 * effect. False: one of the others has records, which may give it one, or a
 * number that does not fit. */
static bool keep_rows(const ChangeBlock *block, const ProgramChange *change,
                      uint32_t *rows, uint32_t *count) {
  const Instruction *ins = change->step->ins;
  bool absent = ins->operation != OPERATION_REMOVE;
  uint32_t kept = 0;
  for (uint32_t k = 0; k < *count; k++) {
    ecs_Entity entity = block->entities[rows[k]];
    RowRef place = {NULL, 0};
    (void)store_locate(&block->world->store, entity, ins->index, &place);
    if ((place.table == NULL) == absent)
      rows[kept++] = rows[k];
    else if (recorded_commands(block->world, entity) != NULL ||
             !store_numbers(block, change, rows[k]))
      return false;
  }
  ECS_ASSERT(kept <= *count);
  *count = kept;
  return true;
}

static CommandKind kind_of(const Instruction *ins) {
  switch (ins->operation) {
    case OPERATION_DESTROY: return COMMAND_DESTROY;
    case OPERATION_REMOVE: return COMMAND_REMOVE;
    default: return COMMAND_ADD;
  }
}

/* Changes the listed rows' own entities. False, too, where one has records
 * already. */
static bool change_own(const ChangeBlock *block, uint32_t count) {
  const ProgramChanges *changes = block->program->changes;
  const Instruction *ins = changes->own->step->ins;
  CommandKind kind = kind_of(ins);
  char **values = has_image(ins) ? changes->values : NULL;
  uint32_t done = 0;
  if (kind == COMMAND_DESTROY)
    block->world->store.row_epoch++;
  else if (!keep_rows(block, changes->own, changes->rows, &count))
    return false;
  for (uint32_t k = 0; k < count; k++)
    changes->entities[k] = block->entities[changes->rows[k]];
  ecs_Status status =
      command_record_fresh(&block->world->commands, kind, ins->index,
                           changes->entities, count, values, &done);
  ECS_ASSERT(done <= count);
  if (status != ECS_OK || done < count) return false;
  if (values == NULL) return true;
  if (give_all(block, changes->own, count, values) < count) return false;
  give_entities(block, changes->own, count, values);
  return true;
}

/* Makes the changes of all rows. False: nothing is recorded, no handle was
 * issued, and they have to be made row by row. Spawns come last: then what they
 * issue is kept. */
static bool make_joint_changes(const ChangeBlock *block, uint32_t rows) {
  const ProgramChanges *changes = block->program->changes;
  const ProgramChange *own = changes->own, *listed = NULL;
  ECS_ASSERT(changes->are_joint);
  Level before = deferral_mark(block->world);
  uint32_t count = 0;
  bool done = true;
  if (own != NULL) {
    count = list_rows(block, own, rows, changes->rows);
    done = count == 0 || change_own(block, count);
    if (own->step->ins->operation == OPERATION_DESTROY) listed = own;
  }
  if (done && changes->spawn_count > 0) {
    const ProgramChange *spawn = changes->spawns[0];
    if (listed == NULL || listed->mask != spawn->mask)
      count = list_rows(block, spawn, rows, changes->rows);
    done = count == 0 || spawn_listed(block, count);
  }
  if (!done) deferral_rewind(block->world, &before);
  return done;
}

/* All of them -------------------------------------------------------------- */

uint32_t changes_run(const ecs_Program *program, const ecs_Entity *entities,
                     uint32_t rows, bool *stops, ecs_Status *status) {
  ChangeBlock block = {.program = program,
                       .world = world_of(program->query),
                       .entities = entities,
                       .bases = program->plan->bases,
                       .status = ECS_OK};
  const ProgramChanges *changes = program->changes;
  bool one = program_goes_row_by_row(program);
  ECS_ASSERT(changes != NULL && rows <= program->plan->block_rows);
  clear_spawned(&block, rows);
  if (changes->are_joint && make_joint_changes(&block, rows)) return rows;
  for (uint32_t k = 0; k < changes->count; k++)
    changes->list[k].next = next_row(&block, &changes->list[k], 0, rows);
  for (uint32_t row = first_row(program, rows); row < rows;
       row = first_row(program, rows)) {
    bool changed = change_row(&block, row);
    *status = block.status;
    *stops = !changed && block.status == ECS_OK;
    if (!changed || block.status != ECS_OK) return row;
    if (one) return row + 1;
    pass_row(&block, row, rows);
  }
  return rows;
}

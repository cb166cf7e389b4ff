/* vm_changes.c: records the changes of a block, row by row. */
#include "program/vm_changes.h"

#include "change/bundle.h"
#include "world/deferred_change.h"

/* A value for a field. */
typedef struct Give {
  void *element;     /* in the image of its component */
  const Step *step;  /* borrowed from the plan */
  ecs_Scalar scalar; /* of the field */
  ValueType type;    /* of the value */
} Give;

struct ProgramChange {
  const Step *step; /* of the change itself, borrowed from the plan */
  Give *gives;
  uint32_t give_count;
  uint32_t part_count;
  const void **images;        /* one for each part; for other changes, one */
  uint64_t fields;            /* of OPERATION_SET_OF: those that are given */
  ecs_Bundle bundle;          /* of OPERATION_SPAWN */
  uint32_t mask;              /* place of the mask; NO_VALUE: all rows */
  const ProgramChange *maker; /* the spawn of its entity; NULL: none is */
  bool is_claimed; /* of OPERATION_SET_OF: the query reads its component */
  uint32_t next;   /* the next row that it is for, in changes_run */
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
  uint32_t changes, gives, images;
  size_t image_bytes;
} Room;

static const Schema *schema_of(const ecs_Program *program,
                               const Instruction *ins) {
  return program->query->store->components[ins->index].schema;
}

/* Does a change have an image of its own component? */
static bool has_image(const Instruction *ins) {
  return ins->operation == OPERATION_ADD_TO ||
         ins->operation == OPERATION_SET_OF;
}

static Room measure(const ecs_Program *program) {
  const ProgramPlan *plan = program->plan;
  Room room = {0, 0, 0, 0};
  for (uint32_t k = 0; k < plan->change_count; k++) {
    const Instruction *ins = plan->changes[k].ins;
    bool is_part = instruction_shape(ins) == SHAPE_PART;
    room.gives += instruction_shape(ins) == SHAPE_GIVE;
    room.changes += !is_argument(ins);
    if (!is_part && !has_image(ins)) continue;
    room.images++;
    room.image_bytes += image_bytes(schema_of(program, ins));
  }
  return room;
}

/* What lay_changes hands out, piece by piece. */
typedef struct Layer {
  ecs_Program *program;
  const Mistake *mistake;
  ProgramChange *change;
  Give *give;
  const void **image;
  char *bytes;
} Layer;

static size_t lay_changes(Layer *layer, const Room *room, char *block) {
  size_t used = 0;
  layer->change =
      memory_lay(block, &used, room->changes + 1, sizeof(ProgramChange));
  layer->give = memory_lay(block, &used, room->gives, sizeof(Give));
  layer->image = memory_lay(block, &used, room->images, sizeof(void *));
  layer->bytes = memory_lay(block, &used, room->image_bytes, 1);
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

static void add_give(Layer *layer, ProgramChange *change, const Step *first,
                     const Step *step) {
  const Instruction *ins = step->ins;
  const SchemaField *field =
      &schema_of(layer->program, ins)->fields[ins->field];
  char *image = image_for(layer->program, change, first, ins);
  *layer->give++ = (Give){image + field->offset, step, field->type,
                          (ValueType)layer->program->types[ins->operands[0]]};
  change->give_count++;
  change->fields |= UINT64_C(1) << ins->field;
}

/* The spawn that makes the entity of a change; NULL: none does. */
static const ProgramChange *find_maker(const ecs_Program *program,
                                       const ProgramChange *change) {
  const Instruction *ins = change->step->ins;
  if (mask_operand(ins) == 0) return NULL;
  for (const ProgramChange *other = program->changes; other < change; other++)
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
    if (instruction_shape(step->ins) == SHAPE_PART)
      components[count++] = step->ins->index;
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
                    query_claims(program->query, ins->index)};
  change->maker = find_maker(program, change);
  for (const Step *part = first; part < step; part++)
    if (instruction_shape(part->ins) == SHAPE_PART)
      lay_image(layer, schema_of(program, part->ins));
  if (has_image(ins)) lay_image(layer, schema_of(program, ins));
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

ecs_Status changes_prepare(ecs_Program *program, const Mistake *mistake) {
  if (!program->changes_first) return ECS_OK;
  Room room = measure(program);
  Layer layer = {.program = program, .mistake = mistake};
  size_t bytes = lay_changes(&layer, &room, NULL);
  char *block = memory_zeroed(&program->query->store->memory, 1, bytes);
  if (block == NULL) return ECS_E_MEMORY;
  lay_changes(&layer, &room, block);
  program->changes = layer.change;
  program->change_count = room.changes;
  program->change_bytes = bytes;
  return make_changes(&layer);
}

void changes_free(ecs_Program *program) {
  if (program->changes == NULL) return;
  memory_free(&program->query->store->memory, program->changes,
              program->change_bytes);
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
  if (deferred_commands(world, entity) == NULL &&
      !store_alive(&world->store, entity))
    return false;
  return ins->operation != OPERATION_SET_OF ||
         (!change->is_claimed &&
          world->store.components[ins->index].readers == 0);
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
  const Store *store = &block->world->store;
  ecs_Entity *spawned = block->bases[change->step->out];
  return deferred_spawn(block->world, store->bundles[change->bundle - 1],
                        change->images, &spawned[row]);
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
      return deferred_set(world, entity, ins->index, image, change->fields);
    default: return deferred_remove(world, entity, ins->index);
  }
}

/* Rows -------------------------------------------------------------------- */

/* The first row from row on that a change is for. A bool is 0 or 1, of which
 * one byte is 1. */
static uint32_t next_row(const ChangeBlock *block, const ProgramChange *change,
                         uint32_t row, uint32_t rows) {
  if (change->mask == NO_VALUE || row >= rows) return row;
  const uint32_t *mask = block->bases[change->mask];
  if (mask[row] != 0) return row;
  const char *found = memchr(mask + row, 1, (rows - row) * sizeof *mask);
  if (found == NULL) return rows;
  return (uint32_t)((size_t)(found - (const char *)mask) / sizeof *mask);
}

/* Makes all changes of a row; false: one cannot be made, and then none is, or
 * recording failed. */
static bool change_row(ChangeBlock *block, uint32_t row) {
  const ecs_Program *program = block->program;
  uint32_t count = program->change_count;
  for (uint32_t k = 0; k < count; k++)
    if (program->changes[k].next == row &&
        !can_change(block, &program->changes[k], row))
      return false;
  for (uint32_t k = 0; k < count && block->status == ECS_OK; k++) {
    const ProgramChange *change = &program->changes[k];
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
  for (uint32_t k = 0; k < block->program->change_count; k++) {
    const Step *step = block->program->changes[k].step;
    if (step->ins->operation == OPERATION_SPAWN)
      memset(block->bases[step->out], 0, rows * sizeof(ecs_Entity));
  }
}

/* The first row that any change is for; rows: none. */
static uint32_t first_row(const ecs_Program *program, uint32_t rows) {
  uint32_t row = rows;
  for (uint32_t k = 0; k < program->change_count; k++)
    if (program->changes[k].next < row) row = program->changes[k].next;
  return row;
}

/* Has the changes that were for a row look for the next one. */
static void pass_row(const ChangeBlock *block, uint32_t row, uint32_t rows) {
  const ProgramChange *last = NULL; /* those of a branch have one mask */
  for (uint32_t k = 0; k < block->program->change_count; k++) {
    ProgramChange *change = &block->program->changes[k];
    if (change->next != row) continue;
    change->next = last != NULL && last->mask == change->mask
                       ? last->next
                       : next_row(block, change, row + 1, rows);
    last = change;
  }
}

uint32_t changes_run(const ecs_Program *program, const ecs_Entity *entities,
                     uint32_t rows, bool *stops, ecs_Status *status) {
  ChangeBlock block = {.program = program,
                       .world = world_of(program->query),
                       .entities = entities,
                       .bases = program->plan->bases,
                       .status = ECS_OK};
  bool one = program_goes_row_by_row(program);
  clear_spawned(&block, rows);
  for (uint32_t k = 0; k < program->change_count; k++)
    program->changes[k].next = next_row(&block, &program->changes[k], 0, rows);
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

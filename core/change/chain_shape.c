/* chain_shape.c: what the chains of recorded commands have in common. */
#include "change/chain_shape.h"

/* Life -------------------------------------------------------------------- */

void chain_shapes_init(ChainShapes *shapes, Store *store) {
  *shapes = (ChainShapes){.version = ++change_state(store)->shape_version};
}

void chain_shapes_clear(ChainShapes *shapes, Store *store) {
  Memory *memory = &store->memory;
  for (uint32_t i = 0; i < shapes->count; i++)
    bundle_destroy(store, shapes->shapes[i].bundle);
  memory_free(memory, shapes->shapes, shapes->capacity * sizeof(ChainShape));
  memory_free(memory, shapes->entries,
              shapes->entry_capacity * sizeof(uint32_t));
  chain_shapes_init(shapes, store);
}

/* Finding ----------------------------------------------------------------- */

/* The entry of the shape that a step leads to, or the free one where it
 * belongs. */
static uint32_t *find_entry(const ChainShapes *shapes, uint32_t from,
                            ChainStep step) {
  uint32_t last = shapes->entry_capacity - 1;
  uint64_t key = (uint64_t)from << 32 | step;
  uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & last;
  for (;; at = (at + 1) & last) {
    uint32_t *entry = &shapes->entries[at];
    const ChainShape *shape = &shapes->shapes[*entry];
    if (*entry == CHAIN_EMPTY) return entry;
    if (shape->parent == from && shape->step == step) return entry;
  }
}

/* Making ------------------------------------------------------------------ */

/* Makes room for one more shape in the hash. */
static bool grow_entries(ChainShapes *shapes, Memory *memory) {
  ChainShapes grown = *shapes;
  if (shapes->entry_capacity >= 2 * (shapes->count + 1)) return true;
  grown.entry_capacity =
      shapes->entry_capacity == 0 ? 16 : 2 * shapes->entry_capacity;
  grown.entries = memory_zeroed(memory, grown.entry_capacity, sizeof(uint32_t));
  if (grown.entries == NULL) return false;
  for (uint32_t i = 1; i < grown.count; i++)
    *find_entry(&grown, grown.shapes[i].parent, grown.shapes[i].step) = i;
  memory_free(memory, shapes->entries,
              shapes->entry_capacity * sizeof(uint32_t));
  *shapes = grown;
  return true;
}

/* Makes room for one more shape, and for CHAIN_EMPTY. */
static ecs_Status reserve(ChainShapes *shapes, Memory *memory) {
  void *grown = shapes->shapes;
  if (!memory_grow(memory, &grown, &shapes->capacity, shapes->count, 2,
                   sizeof(ChainShape)))
    return ECS_E_MEMORY;
  shapes->shapes = grown;
  if (shapes->count == 0) shapes->shapes[shapes->count++] = (ChainShape){0};
  return grow_entries(shapes, memory) ? ECS_OK : ECS_E_MEMORY;
}

/* The shape that a step leads to, if there is one; CHAIN_EMPTY: none. */
static uint32_t find_shape(const ChainShapes *shapes, uint32_t from,
                           ChainStep step) {
  return shapes->entry_capacity == 0 ? CHAIN_EMPTY
                                     : *find_entry(shapes, from, step);
}

/* Appends a shape. Room must be reserved. */
static uint32_t append_shape(ChainShapes *shapes, uint32_t from, ChainStep step,
                             size_t bytes) {
  const ChainShape *parent = &shapes->shapes[from];
  bool first = from == CHAIN_EMPTY;
  ECS_ASSERT(first || step_kind(step) != COMMAND_SPAWN);
  ECS_ASSERT(first || step_kind(parent->step) != COMMAND_DESTROY);
  shapes->shapes[shapes->count] = (ChainShape){
      .bytes = parent->bytes + bytes,
      .parent = from,
      .length = parent->length + 1,
      .step = step,
      .spawns = first ? step_kind(step) == COMMAND_SPAWN : parent->spawns};
  *find_entry(shapes, from, step) = shapes->count;
  return shapes->count++;
}

ecs_Status chain_shapes_make(ChainShapes *shapes, Store *store, uint32_t from,
                             ChainStep step, size_t bytes, uint32_t *to) {
  uint32_t shape = find_shape(shapes, from, step);
  if (shape == CHAIN_EMPTY) {
    ecs_Status status = reserve(shapes, &store->memory);
    if (status != ECS_OK) return status;
    shape = append_shape(shapes, from, step, bytes);
  }
  shapes->shapes[from].child = shape;
  *to = shape;
  return ECS_OK;
}

/* Counting ---------------------------------------------------------------- */

void chain_shapes_forget(ChainShapes *shapes) {
  while (shapes->used != CHAIN_EMPTY) {
    ChainShape *shape = &shapes->shapes[shapes->used];
    shapes->used = shape->next;
    shape->count = 0;
    shape->is_used = false;
  }
}

/* Applying ---------------------------------------------------------------- */

/* Does a chain that spawns add components, each once, and nothing else? */
static bool adds_each_once(const ChainShapes *shapes, uint32_t shape) {
  const ChainShape *all = shapes->shapes;
  if (all[shape].length > BIRTH_PARTS + 1) return false;
  for (uint32_t at = shape; all[at].length > 1; at = all[at].parent) {
    ChainStep step = all[at].step;
    if (step_kind(step) != COMMAND_ADD) return false;
    for (uint32_t other = all[at].parent; all[other].length > 1;
         other = all[other].parent)
      if (step_component(all[other].step) == step_component(step)) return false;
  }
  return true;
}

/* Is all that is needed among the parts of the spawn? They follow it. */
static bool needs_nothing(const ChainShapes *shapes, const Store *store,
                          uint32_t shape, uint32_t parts) {
  const ChainShape *all = shapes->shapes;
  for (; all[shape].length > parts + 1; shape = all[shape].parent)
    if (store->components.all[step_component(all[shape].step)].need_count > 0)
      return false;
  return true;
}

/* A spawn with a staged row has a value, and is no birth. */
static bool is_birth(const ChainShapes *shapes, const Store *store,
                     uint32_t shape) {
  const ChainShape *all = shapes->shapes;
  uint32_t first = shape;
  if (!all[shape].spawns || !adds_each_once(shapes, shape)) return false;
  while (all[first].length > 1) first = all[first].parent;
  ChainStep spawn = all[first].step;
  return !step_has_image(spawn) &&
         needs_nothing(shapes, store, shape, step_component(spawn));
}

ShapeWay chain_shapes_way(ChainShapes *shapes, const Store *store,
                          uint32_t shape) {
  ChainShape *chain = &shapes->shapes[shape];
  ECS_ASSERT(shape != CHAIN_EMPTY && shape < shapes->count);
  if (chain->way != WAY_UNKNOWN) return (ShapeWay)chain->way;
  if (step_kind(chain->step) == COMMAND_DESTROY)
    chain->way = chain->spawns ? WAY_NOTHING : WAY_DEATH;
  else
    chain->way = is_birth(shapes, store, shape) ? WAY_BIRTH : WAY_CHANGE;
  return (ShapeWay)chain->way;
}

uint32_t chain_shapes_parts(const ChainShapes *shapes, uint32_t shape,
                            ecs_Component *parts) {
  const ChainShape *all = shapes->shapes;
  uint32_t count = all[shape].length - 1;
  ECS_ASSERT(all[shape].way == WAY_BIRTH && count <= BIRTH_PARTS);
  for (uint32_t i = count; i-- > 0; shape = all[shape].parent)
    parts[i] = step_component(all[shape].step);
  return count;
}

/* Invariants -------------------------------------------------------------- */

bool chain_shapes_check_invariants(const ChainShapes *shapes) {
  for (uint32_t i = 1; i < shapes->count; i++) {
    const ChainShape *shape = &shapes->shapes[i];
    if (shape->parent >= i || shape->child >= shapes->count) return false;
    const ChainShape *parent = &shapes->shapes[shape->parent];
    if (shape->length != parent->length + 1) return false;
    if (shape->bytes < parent->bytes) return false;
    if (shape->count > 0 && !shape->is_used) return false;
    if (*find_entry(shapes, shape->parent, shape->step) != i) return false;
    if (shape->child != CHAIN_EMPTY && shapes->shapes[shape->child].parent != i)
      return false;
  }
  return 2 * shapes->count <= shapes->entry_capacity || shapes->count <= 1;
}

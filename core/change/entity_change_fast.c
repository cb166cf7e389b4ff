/* entity_change_fast.c: the fast functions that change one entity.
 *
 * entity_change.c changes any component, table and group. The frequent cases
 * are done here with as few instructions as they take. A function first checks
 * that it handles the case, and passes any other case to the general function
 * before it changes anything:
 *
 *      store_add --> add_to_set  ---- no locator page, no room ---> add_any
 *               \--> add_in_main ---- an edge that is not known -->
 *               \--> add_as_bit  ---- no column of bits ---------->
 *                \-> add_any  (groups of several components)
 *
 * Rows of four-byte columns, each a stride behind the last, are moved by one
 * loop, and fields of f32 are stored by one; what is mixed is moved and stored
 * by size and type. A component knows how many fields can be stored, and closed,
 * as cells, none where some cannot; and a table knows which edges are plain. So
 * the plain way does not ask for the other.
 *
 * No locator, edge or mask is searched: a component has its group, a set has
 * one table, and a table remembers the edge that its last row took.
 *
 * A second table has the functions for what marks follow (component_choose).
 * Nothing here writes stamps (storage/stamps.h): where a query asks for changes,
 * tables remember no edge that leads to or from a table with stamps, and its sets
 * and bits are given the general functions.
 *
 * This is pure optimisation: the result is the same as with entity_change.c.
 * The order of statements keeps few registers alive: what needs the entity
 * comes first, columns come last. A pair of add and remove, with the loop that
 * calls it, takes 202 instructions in a sparse set of two fields (250 with
 * look-ups) and 320 in a group with one other component (511).
 */
#include "change/entity_change_fast.h"

static AddComponent add_in_main;
static RemoveComponent remove_in_main;

/* Last edges ------------------------------------------------------------ */

/* Finds where a component leads from a table and has the table remember it.
 * False: the edge is not known yet. */
static bool remember_edge(const Component *component, Table *from, bool added) {
  const Group *main = component->group;
  const Edge *edge = group_find_edge(main, from, component->bit);
  if (edge == NULL || edge->added != added) return false;
  if (from->stamps != NULL || main->tables[edge->table]->stamps != NULL)
    return false;
  bool cells = !added || component->f32_count == component->field_count;
  table_note_edge(from, main->tables[edge->table],
                  last_edge_key(component->bit, added), &edge->range, cells);
  return true;
}

/* For asserts: is the remembered edge the one that a search finds? */
static ECS_ASSERT_ONLY bool last_edge_agrees(const Group *main,
                                             const Table *from,
                                             Component *component, bool added) {
  const Edge *edge = group_find_edge(main, from, component->bit);
  const LastEdge *last = &from->last_edge;
  return edge != NULL && edge->added == added && from->stamps == NULL &&
         last->to->stamps == NULL && main->tables[edge->table] == last->to &&
         memcmp(&last->range, &edge->range, sizeof edge->range) == 0 &&
         last->before == edge->range.begin[2] &&
         last->before + last->width == edge->range.end[2];
}

/* For asserts: does the slot lead to the row that holds the entity? */
static ECS_ASSERT_ONLY bool slot_agrees(Slot slot, const Table *table,
                                        ecs_Entity entity) {
  return slot.row_bits < table->count &&
         table->entities[slot.row_bits] == entity;
}

/* Adding ---------------------------------------------------------------- */

/* Stores an image of count f32 in a row's columns from cells on. Returns the
 * row's cell in the column behind them. */
static inline char *cells_store(char *cells, size_t stride, const char *image,
                                uint32_t count) {
  for (; count > 0; count--, image += 4, cells += stride)
    element_store_f32(cells, image);
  return cells;
}

/* Stores an image of any types in a row of a table that has the component. */
static inline void fields_store(const Table *table, uint32_t row,
                                Component *component, const char *image) {
  char *const *columns = table_fields(table, component->bit);
  const SchemaField *field = component->schema->fields;
  for (uint32_t i = component->field_count; i > 0; i--, field++, columns++)
    element_store(*columns + ((size_t)row << field->shift),
                  image + field->offset, field->type);
}

/* The image to store for a component that has fields: its defaults, where the
 * caller has given none. */
static inline const void *image_or_defaults(Component *component,
                                            const void *image) {
  return image != NULL ? image : component->schema->default_image;
}

/* The index has not been in the set since its list was taken. */
static ECS_APART ecs_Status add_fresh(Store *store, ecs_Entity entity,
                                      Component *component, const void *image) {
  locator_enlist(&component->group->locator, id_index(entity));
  return component->add(store, entity, component, image);
}

/* Stores the image of a component that is not of f32 alone. */
static ECS_APART ecs_Status store_mixed(const Table *table, uint32_t row,
                                        Component *component,
                                        const void *image) {
  fields_store(table, row, component, image_or_defaults(component, image));
  return ECS_OK;
}

/* The body of the functions below; marked is a constant in each. */
static inline __attribute__((always_inline)) ecs_Status add_set_row(
    Store *store, ecs_Entity entity, Component *component, const void *image,
    bool marked) {
  Group *group = component->group;
  const Locator *locator = &group->locator;
  uint32_t index = id_index(entity);
  Table *table = NULL;
  Slot *slot = store_find_slot(store, entity, &table);
  if (ECS_UNLIKELY(slot == NULL)) return ECS_E_DEAD;
  if (ECS_UNLIKELY(!locator_ready(locator, index)))
    return store_add_any(store, entity, component, image);
  uint32_t *entry = locator_narrow_entry(locator, index);
  if (ECS_UNLIKELY(*entry != LOCATOR_NONE)) {
    if (locator_is_row(*entry)) return ECS_OK;
    return add_fresh(store, entity, component, image);
  }
  ECS_ASSERT(slot_agrees(*slot, table, entity) && group->table_count <= 1);
  table = group->first;
  ECS_ASSERT(table->stamps == NULL && (group->marks != NULL) == marked);
  uint32_t row = table->count;
  if (ECS_UNLIKELY(row == table->capacity))
    return store_add_any(store, entity, component, image);
  *entry = table_push(table, entity);
  slot->table_bits |= group->summary;
  note_component(store, component, 1);
  if (marked) row_marks_enter(group->marks, *slot, row);
  uint32_t fields = component->f32_count;
  if (fields == 0)
    return component->field_count == 0
               ? ECS_OK
               : store_mixed(table, row, component, image);
  if (image == NULL) image = component->schema->default_image;
  cells_store(table_cells(table, row), table->stride[2], image, fields);
  return ECS_OK;
}

static ecs_Status add_to_set(Store *store, ecs_Entity entity,
                             Component *component, const void *image) {
  return add_set_row(store, entity, component, image, false);
}

static ecs_Status add_to_marked_set(Store *store, ecs_Entity entity,
                                    Component *component, const void *image) {
  return add_set_row(store, entity, component, image, true);
}

/* Writes the new row of the entity that has filled a hole in the main group;
 * until then it was in the row behind the last one. */
static inline void fill_hole(const Store *store, const Table *from,
                             ecs_Entity filler, uint32_t row) {
  Slot *slot = entity_index_slot(&store->index, id_index(filler));
  ECS_ASSERT(slot->row_bits == from->count);
  (void)from;
  slot->row_bits = row;
}

/* Prefetches what the moves after this one will touch: two lines further on, at
 * the ends of both tables and behind the row. A move touches three places per
 * column, which from TABLE_WIDE on is more than the hardware follows. Each call
 * asks for a sixteenth of a line's worth of columns, so that every column is
 * asked for while the other table fills a line. A prefetch past the end of a
 * table does no harm. */
static ECS_COLD ecs_Status prefetch_moves(const Table *from, size_t row) {
  const Table *to = from->last_edge.to;
  const uintptr_t ahead = 2 * ECS_LINE_BYTES, step = ECS_LINE_BYTES / 4;
  size_t stride = from->stride[2], to_stride = to->stride[2];
  uint32_t columns = from->columns[2];
  size_t i = to->count % step;
  uintptr_t next = (uintptr_t)table_cells(to, to->count) + ahead;
  uintptr_t last = (uintptr_t)table_cells(from, from->count) - ahead;
  uintptr_t after = (uintptr_t)table_cells(from, 0) + row * 4 + ahead;
  for (; i < columns; i += step) {
    __builtin_prefetch((const void *)(next + i * to_stride), 1);
    __builtin_prefetch((const void *)(last + i * stride), 1);
    __builtin_prefetch((const void *)(after + i * stride), 1);
  }
  return ECS_OK;
}

static inline bool is_wide(const Table *table) {
  return table->columns[2] >= TABLE_WIDE;
}

/* Moves a row along the edge that its table remembers, whatever the columns. */
static inline uint32_t move_mixed(Store *store, Component *component,
                                  Slot *slot, Table *from, bool added) {
  const LastEdge *edge = &from->last_edge;
  uint32_t row = slot->row_bits;
  ecs_Entity filler;
  note_component(store, component, 1);
  uint32_t to_row =
      table_move_row_mixed(edge->to, from, row, &edge->range, added, &filler);
  slot->table_bits += edge->step;
  fill_hole(store, from, filler, row);
  slot->row_bits = to_row; /* after the filler's: they may be the same */
  return to_row;
}

/* Has the table of the remembered edge room for one more row? */
static inline bool edge_has_room(const Table *from) {
  const Table *to = from->last_edge.to;
  return to->count < to->capacity && to->bits_columns >= from->bits_columns;
}

static ECS_COLD ecs_Status add_otherwise(Store *store, ecs_Entity entity,
                                         Component *component,
                                         const void *image, Table *from) {
  if (table_has(from, component->bit)) return ECS_OK;
  return remember_edge(component, from, true)
             ? add_in_main(store, entity, component, image)
             : store_add_any(store, entity, component, image);
}

/* Along an edge that is not plain. */
static ECS_APART ecs_Status add_mixed(Store *store, ecs_Entity entity,
                                      Component *component, const void *image,
                                      Slot *slot, Table *from) {
  if (from->last_edge.key != (component->last_edge_key | LAST_EDGE_MIXED))
    return add_otherwise(store, entity, component, image, from);
  if (ECS_UNLIKELY(!edge_has_room(from)))
    return store_add_any(store, entity, component, image);
  ECS_ASSERT(slot_agrees(*slot, from, entity));
  ECS_ASSERT(last_edge_agrees(component->group, from, component, true));
  const Table *to = from->last_edge.to;
  uint32_t row = move_mixed(store, component, slot, from, true);
  if (component->field_count > 0)
    fields_store(to, row, component, image_or_defaults(component, image));
  return ECS_OK;
}

/* For worlds with marks, which follow what the general function tells. */
static ecs_Status add_in_marked_main(Store *store, ecs_Entity entity,
                                     Component *component, const void *image) {
  if (ECS_LIKELY(store_notes(store)))
    return store_add_any(store, entity, component, image);
  store_silence(store, component);
  return component->add(store, entity, component, image);
}

/* Moves the cells of the last row of a table, which no other row has to follow,
 * and stores the image between them. An entity that is made of one component
 * after the other is that row each time. */
static inline ecs_Status add_to_last(Table *from, char *hole, char *target,
                                     const char *image) {
  const LastEdge *edge = &from->last_edge;
  size_t stride = from->stride[2], to_stride = edge->to->stride[2];
  from->entities[--from->count] = 0;
  hole = cells_take(&target, to_stride, hole, stride, edge->before);
  target = cells_store(target, to_stride, image, edge->width);
  cells_take(&target, to_stride, hole, stride, edge->behind);
  return ECS_OK;
}

static ecs_Status add_in_main(Store *store, ecs_Entity entity,
                              Component *component, const void *image) {
  Table *from = NULL;
  Slot *slot = store_find_slot(store, entity, &from);
  if (ECS_UNLIKELY(slot == NULL)) return ECS_E_DEAD;
  if (ECS_UNLIKELY(from->last_edge.key != component->last_edge_key))
    return add_mixed(store, entity, component, image, slot, from);
  const LastEdge *edge = &from->last_edge;
  Table *to = edge->to;
  if (ECS_UNLIKELY(to->count == to->capacity))
    return store_add_any(store, entity, component, image);
  if (image == NULL && edge->width > 0)
    image = component->schema->default_image;
  ECS_ASSERT(slot_agrees(*slot, from, entity));
  ECS_ASSERT(last_edge_agrees(component->group, from, component, true));
  note_component(store, component, 1);
  uint32_t row = slot->row_bits, to_row = table_push(to, entity);
  char *hole = table_cells(from, row), *target = table_cells(to, to_row);
  /* The table's id is in the low bits: hint and summary stay as they are. */
  slot->table_bits += edge->step;
  slot->row_bits = to_row;
  if (row == from->count - 1) return add_to_last(from, hole, target, image);
  ecs_Entity filler = table_remove_entity(from, row);
  fill_hole(store, from, filler, row);
  size_t gap = from->count - row, stride = from->stride[2];
  size_t to_stride = to->stride[2];
  hole = cells_move(&target, to_stride, hole, stride, gap, edge->before);
  target = cells_store(target, to_stride, image, edge->width);
  cells_move(&target, to_stride, hole, stride, gap, edge->behind);
  if (ECS_UNLIKELY(is_wide(from)))
    return prefetch_moves(from, from->count - gap);
  return ECS_OK;
}

/* Removing -------------------------------------------------------------- */

/* Closes the cells of a row after its entity was removed. This comes last, when
 * nothing else needs registers any more. */
static inline void close_cells(const Table *table, uint32_t row) {
  cells_close(table_cells(table, row), table->stride[2], table->count - row,
              table->columns[2]);
}

/* The slot of an entity that is placed. */
static inline Slot slot_of(const Store *store, ecs_Entity entity) {
  return *entity_index_slot(&store->index, id_index(entity));
}

/* Closes the row of a component that is not of four-byte fields alone. */
static ECS_APART ecs_Status close_mixed(const Table *table, uint32_t row) {
  table_close_mixed(table, row);
  return ECS_OK;
}

/* The body of the functions below; marked is a constant in each. If the entity
 * of the row equals the handle, the entity is alive, so the main group (a cache
 * miss) is not read. The slot's summary stays set. */
static inline __attribute__((always_inline)) ecs_Status remove_set_row(
    Store *store, ecs_Entity entity, Component *component, bool marked) {
  Group *group = component->group;
  const Locator *locator = &group->locator;
  uint32_t index = id_index(entity);
  if (ECS_UNLIKELY(!locator_ready(locator, index)))
    return store_remove_any(store, entity, component);
  uint32_t *entry = locator_narrow_entry(locator, index);
  uint32_t row = *entry;
  if (ECS_UNLIKELY(!locator_is_row(row)))
    return store_remove_any(store, entity, component);
  Table *table = group->first;
  if (ECS_UNLIKELY(table->entities[row] != entity))
    return store_remove_any(store, entity, component);
  ECS_ASSERT(store_locate_main(store, entity).table != NULL);
  ECS_ASSERT(table->stamps == NULL && (group->marks != NULL) == marked);
  note_component(store, component, 1);
  ecs_Entity filler = table_remove_entity(table, row);
  ECS_ASSERT(*locator_narrow_entry(locator, id_index(filler)) == table->count);
  *locator_narrow_entry(locator, id_index(filler)) = row;
  *entry = LOCATOR_NONE; /* after the filler's: they may be the same */
  if (marked)
    row_marks_leave(group->marks, slot_of(store, entity),
                    slot_of(store, filler), row);
  uint32_t cells = component->cell_count;
  if (cells == 0)
    return component->field_count == 0 ? ECS_OK : close_mixed(table, row);
  cells_close(table_cells(table, row), table->stride[2], table->count - row,
              cells);
  return ECS_OK;
}

static ecs_Status remove_from_set(Store *store, ecs_Entity entity,
                                  Component *component) {
  return remove_set_row(store, entity, component, false);
}

static ecs_Status remove_from_marked_set(Store *store, ecs_Entity entity,
                                         Component *component) {
  return remove_set_row(store, entity, component, true);
}

static ECS_COLD ecs_Status remove_otherwise(Store *store, ecs_Entity entity,
                                            Component *component, Table *from) {
  if (!table_has(from, component->bit)) return ECS_OK;
  return remember_edge(component, from, false)
             ? remove_in_main(store, entity, component)
             : store_remove_any(store, entity, component);
}

/* Along an edge that is not plain. */
static ECS_APART ecs_Status remove_mixed(Store *store, ecs_Entity entity,
                                         Component *component, Slot *slot,
                                         Table *from) {
  uint32_t key = component->last_edge_key - 1;
  if (from->last_edge.key != (key | LAST_EDGE_MIXED))
    return remove_otherwise(store, entity, component, from);
  if (ECS_UNLIKELY(!edge_has_room(from)))
    return store_remove_any(store, entity, component);
  ECS_ASSERT(slot_agrees(*slot, from, entity));
  ECS_ASSERT(last_edge_agrees(component->group, from, component, false));
  move_mixed(store, component, slot, from, false);
  return ECS_OK;
}

/* As add_in_marked_main. */
static ecs_Status remove_in_marked_main(Store *store, ecs_Entity entity,
                                        Component *component) {
  if (ECS_LIKELY(store_notes(store)))
    return store_remove_any(store, entity, component);
  store_silence(store, component);
  return component->remove(store, entity, component);
}

/* Moves the cells of the last row of a table to one that lacks the component. */
static inline ecs_Status remove_from_last(Table *from, char *hole,
                                          char *target) {
  const LastEdge *edge = &from->last_edge;
  size_t stride = from->stride[2], to_stride = edge->to->stride[2];
  from->entities[--from->count] = 0;
  hole = cells_take(&target, to_stride, hole, stride, edge->before);
  for (uint32_t i = edge->width; i > 0; i--, hole += stride)
    *(Cell4 *)(void *)hole = 0;
  cells_take(&target, to_stride, hole, stride, edge->behind);
  return ECS_OK;
}

static ecs_Status remove_in_main(Store *store, ecs_Entity entity,
                                 Component *component) {
  Table *from = NULL;
  Slot *slot = store_find_slot(store, entity, &from);
  if (ECS_UNLIKELY(slot == NULL)) return ECS_E_DEAD;
  if (ECS_UNLIKELY(from->last_edge.key + 1 != component->last_edge_key))
    return remove_mixed(store, entity, component, slot, from);
  const LastEdge *edge = &from->last_edge;
  Table *to = edge->to;
  if (ECS_UNLIKELY(to->count == to->capacity))
    return store_remove_any(store, entity, component);
  ECS_ASSERT(slot_agrees(*slot, from, entity));
  ECS_ASSERT(last_edge_agrees(component->group, from, component, false));
  note_component(store, component, 1);
  uint32_t row = slot->row_bits, to_row = table_push(to, entity);
  char *hole = table_cells(from, row), *target = table_cells(to, to_row);
  /* The table's id is in the low bits: hint and summary stay as they are. */
  slot->table_bits += edge->step;
  slot->row_bits = to_row;
  if (row == from->count - 1) return remove_from_last(from, hole, target);
  ecs_Entity filler = table_remove_entity(from, row);
  fill_hole(store, from, filler, row);
  size_t gap = from->count - row, stride = from->stride[2];
  size_t to_stride = to->stride[2];
  hole = cells_move(&target, to_stride, hole, stride, gap, edge->before);
  hole = cells_close(hole, stride, gap, edge->width);
  cells_move(&target, to_stride, hole, stride, gap, edge->behind);
  if (ECS_UNLIKELY(is_wide(from)))
    return prefetch_moves(from, from->count - gap);
  return ECS_OK;
}

/* Bits ------------------------------------------------------------------ */

/* The byte with a component's bit in the entity's row; NULL: the entity has no
 * row, or the table no such column. */
static inline uint8_t *find_bits(const Store *store, ecs_Entity entity,
                                 uint32_t bits_index) {
  Table *table = NULL;
  const Slot *slot = store_find_slot(store, entity, &table);
  uint32_t column = bits_index >> 3;
  if (ECS_UNLIKELY(slot == NULL || column >= table->bits_columns)) return NULL;
  ECS_ASSERT(slot_agrees(*slot, table, entity));
  return table_bits(table, column) + slot->row_bits;
}

static ecs_Status add_as_bit(Store *store, ecs_Entity entity,
                             Component *component, const void *image) {
  uint8_t *bits = find_bits(store, entity, component->bits_index);
  if (ECS_UNLIKELY(bits == NULL))
    return store_add_any(store, entity, component, image);
  uint32_t bit = 1u << (component->bits_index & 7u);
  if ((*bits & bit) != 0) return ECS_OK;
  *bits = (uint8_t)(*bits | bit);
  note_component(store, component, 1);
  return ECS_OK;
}

static ecs_Status remove_as_bit(Store *store, ecs_Entity entity,
                                Component *component) {
  uint8_t *bits = find_bits(store, entity, component->bits_index);
  if (ECS_UNLIKELY(bits == NULL))
    return store_remove_any(store, entity, component);
  uint32_t bit = 1u << (component->bits_index & 7u);
  if ((*bits & bit) == 0) return ECS_OK;
  *bits = (uint8_t)(*bits & ~bit);
  note_component(store, component, 1);
  return ECS_OK;
}

/* Destroying ------------------------------------------------------------ */

/* Where there are marks, or any table has stamps. */
static ecs_Status destroy_watched(Store *store, ecs_Entity entity) {
  if (store_locate_main(store, entity).table == NULL) return ECS_E_DEAD;
  store_destroy_any(store, entity);
  return ECS_OK;
}

/* For any columns. */
static ECS_APART ecs_Status destroy_mixed(Store *store, ecs_Entity entity,
                                          Slot *slot, Table *table) {
  if (slot_summary(*slot) != 0) {
    store_destroy_any(store, entity);
    return ECS_OK;
  }
  uint32_t row = slot->row_bits;
  ECS_ASSERT(slot_agrees(*slot, table, entity));
  note_changed(store, store_main(store));
  ecs_Entity filler = table_remove_mixed(table, row);
  fill_hole(store, table, filler, row); /* before: it may be the entity's */
  entity_index_free_slot(&store->index, slot, id_index(entity),
                         id_generation(entity));
  return ECS_OK;
}

/* In line for an entity that was never in another group, and in a table of
 * four-byte columns. */
static ecs_Status destroy_quietly(Store *store, ecs_Entity entity) {
  Table *table = NULL;
  Slot *slot = store_find_slot(store, entity, &table);
  if (ECS_UNLIKELY(slot == NULL)) return ECS_E_DEAD;
  if (ECS_UNLIKELY(slot_summary(*slot) != 0 || !table->only_cells))
    return destroy_mixed(store, entity, slot, table);
  uint32_t row = slot->row_bits;
  ECS_ASSERT(slot_agrees(*slot, table, entity));
  note_changed(store, store_main(store));
  ecs_Entity filler = table_remove_entity(table, row);
  fill_hole(store, table, filler, row);
  entity_index_free_slot(&store->index, slot, id_index(entity),
                         id_generation(entity));
  close_cells(table, row);
  return ECS_OK;
}

/* The tables ------------------------------------------------------------- */

const ChangeWays entity_change_ways[2] = {
    {.add_any = store_add_any,
     .add_to_set = add_to_set,
     .add_in_main = add_in_main,
     .add_as_bit = add_as_bit,
     .remove_any = store_remove_any,
     .remove_from_set = remove_from_set,
     .remove_in_main = remove_in_main,
     .remove_as_bit = remove_as_bit,
     .destroy = destroy_quietly},
    {.add_any = store_add_any,
     .add_to_set = add_to_marked_set,
     .add_in_main = add_in_marked_main,
     .add_as_bit = add_as_bit,
     .remove_any = store_remove_any,
     .remove_from_set = remove_from_marked_set,
     .remove_in_main = remove_in_marked_main,
     .remove_as_bit = remove_as_bit,
     .destroy = destroy_watched}};

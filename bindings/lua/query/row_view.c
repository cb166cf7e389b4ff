/* row_view.c: makes loops over rows and their views, reads and writes fields.
 *
 * Each view that is made here has a metatable of its own, and the functions in
 * it have the view as second upvalue and its RowLoop as third. So reading a
 * field compares no metatable, length and magic. Names are compared by address,
 * since Lua keeps one copy of each short string.
 * A read costs little more than the call itself.
 */
#include "query/row_view.h"

#include <math.h>
#include <string.h>

#include "api/api_entity.h"
#include "api/for_bindings.h"
#include "object/number.h"
#include "world/components.h"
#include "world/report.h"

typedef struct RowView {
  const void *type; /* NULL, as in Header */
  RowLoop *rows;    /* kept alive by the third upvalue of the functions */
  uint32_t term;
} RowView;

/* What a script sees of an array in a row: p.past. */
typedef struct ElementsView {
  const void *type; /* NULL, as in Header */
  RowLoop *rows;    /* as in a RowView */
  uint32_t term;
  uint32_t array;
} ElementsView;

/* Errors ----------------------------------------------------------------- */

/* The order of checks is always: is there a row, is there such a field, may it
 * be written, is the value of the right type, has this row the component. */

static int refuse_over(lua_State *L) {
  return bind_error(L,
                    "this row is over: a row is valid until the next step "
                    "of the loop that gave it");
}

static ecs_Entity entity_of(const RowLoop *rows) {
  return rows->is_rows ? rows_entity(rows) : rows->entities[rows->row];
}

/* The entity that has the component of a term: the row's own, or its target; 0:
 * that is no entity. */
static ecs_Entity holder_of(const RowLoop *rows, const RowTerm *term) {
  ecs_Entity entity = entity_of(rows), target = 0;
  if (!term->up) return entity;
  ecs_query_target(rows->query->native, entity, &target);
  return target;
}

/* The row of a grid is over: the grid was built again, or has ended. */
static int refuse_copy(lua_State *L, const RowLoop *rows) {
  if (rows->row < 0) return refuse_over(L);
  if (!rows->near->grid->life.native)
    return bind_error(L, "this row is over: the world of its grid is closed");
  return bind_error(L, "this row is over: its grid was built again");
}

/* The row has no element of the component: the entity is dead or lacks it, or
 * another walk writes it. */
static int refuse_absent(lua_State *L, const RowLoop *rows,
                         const RowTerm *term) {
  ecs_World *native = bind_native(L, rows->world);
  if (rows->near)
    return bind_error(L, "this row of a grid has no %s",
                      term->definition->name);
  ecs_Entity entity = holder_of(rows, term);
  ecs_Component component = bind_component_find(rows->world, term->definition);
  double ignored;
  ecs_Status status = ecs_get_field(native, entity, component, 0, &ignored);
  if (status == ECS_E_ACCESS)
    return bind_refuse_status(L, rows->world, status, rows->query->label);
  bind_push_entity_text(L, (double)(entity == 0 ? entity_of(rows) : entity));
  if (entity == 0)
    return bind_error(L, "%s links to nothing: this row is over",
                      lua_tostring(L, -1));
  if (status == ECS_E_DEAD)
    return bind_error(L, "this row's %s is not alive", lua_tostring(L, -1));
  return bind_error(L, "%s has no %s", lua_tostring(L, -1),
                    term->definition->name);
}

static int refuse_store(lua_State *L, const RowTerm *term, uint32_t field) {
  const ecs_Field *refused = &term->definition->fields[field];
  bind_push_description(L, 3);
  return bind_error(L, "%s.%s is %s and cannot hold %s", term->definition->name,
                    refused->name, ecs_scalar_name(refused->type),
                    lua_tostring(L, -1));
}

static int refuse_read_only(lua_State *L, const RowLoop *rows,
                            const RowTerm *term, uint32_t field) {
  if (rows->gone)
    return bind_error(L, "%s has left, and its last values are only read (%s)",
                      term->definition->name,
                      term->definition->fields[field].name);
  if (rows->near)
    return bind_error(L,
                      "rows of a grid are copies, and only read: store with "
                      "world:set(e, %s, '%s', value)",
                      term->definition->name,
                      term->definition->fields[field].name);
  return bind_error(L,
                    "%s is only read by %s: name it in the array part of "
                    "the query to write it (%s)",
                    term->definition->name, rows->query->label,
                    term->definition->fields[field].name);
}

/* Finding ---------------------------------------------------------------- */

/* In a loop of rows: makes the row a run of its own, without elements. */
static void leave_run(RowLoop *rows) {
  ECS_ASSERT(rows->is_rows && rows->at > 0 && rows->row >= 0);
  rows->at += (uint32_t)rows->row;
  rows->row = 0;
  rows->located = 1;
  rows->reach = 0;
  rows->stamp = WORLD_NEVER;
}

/* In a loop of rows: locates the elements again. A dead entity keeps the old
 * stamp, so it is looked up again at the next access. */
static void locate(lua_State *L, RowLoop *rows) {
  if (rows->row < 0) refuse_over(L);
  ecs_Query *native = bind_query_native(L, rows->query);
  leave_run(rows);
  ecs_Status status =
      ecs_query_locate(native, rows_entity(rows), rows->elements, &rows->flags);
  if (status == ECS_E_DEAD) {
    memset(rows->elements, 0, rows->column_count * sizeof(void *));
    return;
  }
  bind_check_status(L, rows->world, status, rows->query->label);
  ECS_ASSERT(*rows->world->row_epoch < WORLD_CLOSED);
  rows->stamp = *rows->world->row_epoch;
}

/* Makes sure that the elements belong to the row. */
static inline void check_row(lua_State *L, RowLoop *rows) {
  if (rows->is_rows && *rows->world->row_epoch != rows->stamp) locate(L, rows);
  if (rows->epoch && *rows->epoch != rows->stamp) refuse_copy(L, rows);
  if (rows->row < 0) refuse_over(L);
  ECS_ASSERT(rows->is_rows ? rows->row < rows->located
                           : (uint32_t)rows->row < rows->count);
}

/* Has a row the component? Only rows of grids have elements where it has not. */
static bool is_there(const RowLoop *rows, const RowTerm *term) {
  return !rows->near || !term->optional ||
         ecs_grid_has(rows->near->grid->life.native, term->number,
                      (uint32_t)rows->row);
}

/* The element of a field in this row; NULL when there is none. */
static inline void *element_of(const RowLoop *rows, const RowTerm *term,
                               uint32_t field) {
  char *column = (char *)rows->elements[term->first + field];
  if (!column) return NULL;
  size_t bytes = ecs_scalar_bytes(term->definition->fields[field].type);
  return column + (size_t)rows->row * bytes;
}

/* For compiled code -------------------------------------------------------- */

/* Goes on to the next row of the run, if the world is as it was when the run
 * was located. */
static inline bool follow_run(RowLoop *rows) {
  if (rows->row + 1 >= rows->located || *rows->world->row_epoch != rows->stamp)
    return false;
  rows->row++;
  return true;
}

/* Leaves the row; at becomes the index of the next entity. A run that came to
 * its end makes the next one longer; where every step changes the world,
 * looking for runs would be in vain. */
static void leave_row(RowLoop *rows) {
  bool through = *rows->world->row_epoch == rows->stamp;
  uint32_t longer = rows->reach * 4 < ROWS_RUN ? rows->reach * 4 : ROWS_RUN;
  rows->reach = through && longer > 0 ? longer : 1;
  if (rows->row > 0) rows->at += (uint32_t)rows->row;
  rows->row = -1;
  rows->located = 0;
  rows->stamp = WORLD_NEVER;
}

/* Locates the entities from index at on. */
static ecs_Status locate_run(RowLoop *rows, uint32_t *run) {
  const ecs_Entity *entities = rows->entities + rows->at;
  uint32_t left = rows->count - rows->at;
  rows->at++;
  ecs_Status status = ecs_query_locate_run(
      rows->query->native, entities, left < rows->reach ? left : rows->reach,
      rows->elements, &rows->flags, run);
  for (uint32_t i = 0; i < *run; i++) rows->ids[i] = (double)entities[i];
  return status;
}

int bind_rows_advance(RowLoop *rows) {
  if (follow_run(rows)) return 1;
  if (!bind_query_is_live(rows->query)) {
    uint32_t next = rows->at + (rows->row > 0 ? (uint32_t)rows->row : 0);
    return next < rows->count ? -(int)ECS_E_ARGUMENT : 0;
  }
  leave_row(rows);
  while (rows->at < rows->count) {
    uint32_t run = 0;
    ecs_Status status = locate_run(rows, &run);
    if (status != ECS_OK && status != ECS_E_DEAD) return -(int)status;
    if (!(rows->flags & ECS_ROW_MATCHES)) continue;
    rows->row = 0;
    rows->located = (int32_t)run;
    rows->stamp = *rows->world->row_epoch;
    return 1;
  }
  return 0;
}

/* The element of a column in this row; NULL when there is none, or when row_get
 * or row_set has to decide. */
static void *find_element(RowLoop *rows, uint32_t column, ecs_Scalar scalar) {
  if (rows->row < 0) return NULL;
  if (*rows->world->row_epoch != rows->stamp) {
    if (!bind_query_is_live(rows->query)) return NULL;
    leave_run(rows);
    if (ecs_query_locate(rows->query->native, rows_entity(rows), rows->elements,
                         &rows->flags) != ECS_OK)
      return NULL;
    rows->stamp = *rows->world->row_epoch;
  }
  char *elements = (char *)rows->elements[column];
  if (!elements) return NULL;
  return elements + (size_t)rows->row * ecs_scalar_bytes(scalar);
}

/* A field as a number; NaN: call row_get. */
static double load(RowLoop *rows, uint32_t column, uint32_t scalar) {
  const void *element = find_element(rows, column, (ecs_Scalar)scalar);
  return element ? ecs_scalar_load((ecs_Scalar)scalar, element) : NAN;
}

/* Stores a field and returns 1; 0: call row_set. */
static int store(RowLoop *rows, uint32_t column, uint32_t scalar,
                 double value) {
  void *element = find_element(rows, column, (ecs_Scalar)scalar);
  if (!element || !(rows->flags & ECS_ROW_IN_PLACE)) return 0;
  ecs_scalar_convert((ecs_Scalar)scalar, element, value);
  return 1;
}

/* Of rows of a grid, row_get reads or refuses what the accelerator does not. */
static double load_copy(RowLoop *rows, uint32_t column, uint32_t scalar) {
  (void)rows;
  (void)column;
  (void)scalar;
  return NAN;
}

/* Reading and writing ---------------------------------------------------- */

/* Pushes a field of this row. */
static inline int push_field(lua_State *L, RowLoop *rows, const RowTerm *term,
                             uint32_t field) {
  ecs_Scalar type = term->definition->fields[field].type;
  const char *column = (const char *)rows->elements[term->first + field];
  if (!column || !is_there(rows, term)) return refuse_absent(L, rows, term);
  if (type == ECS_F32)
    lua_pushnumber(L, (double)((const float *)(const void *)column)[rows->row]);
  else if (type == ECS_F64)
    lua_pushnumber(L, ((const double *)(const void *)column)[rows->row]);
  else
    bind_push_element(L, type, element_of(rows, term, field));
  return 1;
}

/* Pushes the field that the string at index 2 names. */
static int get_field(lua_State *L, RowLoop *rows, const RowTerm *term) {
  check_row(L, rows);
  return push_field(L, rows, term, bind_field_check(L, 2, term->definition));
}

/* While a walk or recording is open, the core decides whether the value is
 * stored now or recorded. */
static void set_through_world(lua_State *L, const RowLoop *rows,
                              const RowTerm *term, uint32_t field,
                              double number) {
  uint64_t element = 0;
  ecs_Scalar type = term->definition->fields[field].type;
  ecs_Component component = bind_component_find(rows->world, term->definition);
  ecs_scalar_convert(type, &element, number);
  ecs_Status status =
      ecs_row_store(bind_native(L, rows->world), rows_entity(rows), component,
                    field, ecs_scalar_load(type, &element), rows->at_once);
  bind_check_status(L, rows->world, status, rows->query->label);
}

/* Stores the value at index 3 in a field of this row. */
static int store_field(lua_State *L, RowLoop *rows, const RowTerm *term,
                       uint32_t field) {
  double number;
  ecs_Scalar type = term->definition->fields[field].type;
  if (!term->writable) return refuse_read_only(L, rows, term, field);
  if (definition_is_link(term->definition, field)) {
    bind_push_link_refusal(L, term->definition, field);
    return bind_raise(L);
  }
  if (scalar_is_held(type)) {
    uint32_t held = 0;
    if (!bind_read_element(L, 3, type, &held))
      return refuse_store(L, term, field);
    number = held;
    check_row(L, rows); /* a finalizer may have moved it */
  } else if (!bind_number(L, 3, type, lua_type(L, 3), &number)) {
    return refuse_store(L, term, field);
  }
  void *element = element_of(rows, term, field);
  if (!element) return refuse_absent(L, rows, term);
  if (rows->is_rows && !(rows->flags & ECS_ROW_IN_PLACE))
    set_through_world(L, rows, term, field, number);
  else
    ecs_scalar_convert(type, element, number);
  return 0;
}

/* Stores the value at index 3 in the field that the string at 2 names. */
static int set_field(lua_State *L, RowLoop *rows, const RowTerm *term) {
  check_row(L, rows);
  return store_field(L, rows, term, bind_field_check(L, 2, term->definition));
}

/* Views ------------------------------------------------------------------ */

/* The view of the running function. Whatever it was called on, it is about its
 * own row. */
static inline RowView *view_self(lua_State *L) {
  RowView *view = (RowView *)lua_touserdata(L, lua_upvalueindex(2));
  if (!view) bind_error(L, "this is not a row");
  return view;
}

/* Pushes the view of an array of a term. rows_index: of the RowLoop. */
static int push_kept_elements(lua_State *L, int rows_index, const RowTerm *term,
                              const FieldArray *array) {
  compat_push_private(L, rows_index);
  lua_rawgeti(L, -1, ROWS_ARRAYS + (int)(term->first + array->first));
  return 1;
}

static int view_index(lua_State *L) {
  RowView *view = view_self(L);
  RowTerm *term = &view->rows->terms[view->term];
  const FieldArray *array = bind_array_at(L, 2, term->definition);
  if (!array) return get_field(L, view->rows, term);
  check_row(L, view->rows);
  return push_kept_elements(L, lua_upvalueindex(3), term, array);
}

static int view_newindex(lua_State *L) {
  RowView *view = view_self(L);
  return set_field(L, view->rows, &view->rows->terms[view->term]);
}

static int view_tostring(lua_State *L) {
  RowView *view = view_self(L);
  lua_pushfstring(L, "ecs.Row (%s)",
                  view->rows->terms[view->term].definition->name);
  return 1;
}

/* Gives the view on top of the stack a metatable with these functions, for which
 * it is what view_self finds. */
static void finish_view(lua_State *L, const luaL_Reg *functions,
                        int rows_index) {
  lua_createtable(L, 0, 6);
  for (const luaL_Reg *f = functions; f->name; f++) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, -3);
    lua_pushvalue(L, rows_index);
    lua_pushcclosure(L, f->func, 3);
    lua_setfield(L, -2, f->name);
  }
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pushliteral(L, "ecs.Row"); /* for messages */
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
}

/* Pushes a view of one term; the Rows is at index rows_index. */
static void push_view(lua_State *L, RowLoop *rows, int rows_index,
                      uint32_t term) {
  static const luaL_Reg functions[] = {{"__index", view_index},
                                       {"__newindex", view_newindex},
                                       {"__tostring", view_tostring},
                                       {NULL, NULL}};
  RowView *view = (RowView *)lua_newuserdata(L, sizeof *view);
  view->type = NULL;
  view->rows = rows;
  view->term = term;
  finish_view(L, functions, rows_index);
}

/* Arrays ----------------------------------------------------------------- */

/* The view of the running function, and what it is of. */
static ElementsView *elements_self(lua_State *L, const RowTerm **term,
                                   const FieldArray **array) {
  ElementsView *view = (ElementsView *)lua_touserdata(L, lua_upvalueindex(2));
  if (!view) bind_error(L, "this is not an array of a row");
  *term = &view->rows->terms[view->term];
  *array = &(*term)->definition->arrays[view->array];
  return view;
}

/* p.past[k] */
static int elements_index(lua_State *L) {
  const RowTerm *term;
  const FieldArray *array;
  ElementsView *view = elements_self(L, &term, &array);
  check_row(L, view->rows);
  return push_field(L, view->rows, term,
                    bind_element_check(L, 2, term->definition, array));
}

/* p.past[k] = value */
static int elements_newindex(lua_State *L) {
  const RowTerm *term;
  const FieldArray *array;
  ElementsView *view = elements_self(L, &term, &array);
  check_row(L, view->rows);
  return store_field(L, view->rows, term,
                     bind_element_check(L, 2, term->definition, array));
}

/* #p.past */
static int elements_len(lua_State *L) {
  const RowTerm *term;
  const FieldArray *array;
  ElementsView *view = elements_self(L, &term, &array);
  check_row(L, view->rows);
  compat_push_integer(L, array->count);
  return 1;
}

static int elements_tostring(lua_State *L) {
  const RowTerm *term;
  const FieldArray *array;
  (void)elements_self(L, &term, &array);
  lua_pushfstring(L, "ecs.Row (%s.%s)", term->definition->name, array->name);
  return 1;
}

/* Pushes the view of an array of a term. */
static void push_elements(lua_State *L, RowLoop *rows, int rows_index,
                          uint32_t term, uint32_t array) {
  static const luaL_Reg functions[] = {{"__index", elements_index},
                                       {"__newindex", elements_newindex},
                                       {"__len", elements_len},
                                       {"__tostring", elements_tostring},
                                       {NULL, NULL}};
  ElementsView *view = (ElementsView *)lua_newuserdata(L, sizeof *view);
  view->type = NULL;
  view->rows = rows;
  view->term = term;
  view->array = array;
  finish_view(L, functions, rows_index);
}

/* Makes the views of the arrays of a term, in the private table on top of the
 * stack. */
static void build_arrays(lua_State *L, RowLoop *rows, int index, uint32_t t) {
  const RowTerm *term = &rows->terms[t];
  for (uint32_t k = 0; k < term->definition->array_count; k++) {
    push_elements(L, rows, index, t, k);
    lua_rawseti(
        L, -2,
        ROWS_ARRAYS + (int)(term->first + term->definition->arrays[k].first));
  }
}

bool bind_rows_has(lua_State *L, const RowLoop *rows, uint32_t t) {
  ECS_ASSERT(t < rows->term_count);
  const RowTerm *term = &rows->terms[t];
  if (rows->near) return rows->near->grid->life.native && is_there(rows, term);
  if (!term->optional || rows->elements[term->first]) return true;
  return rows->is_rows &&
         ecs_has(bind_native(L, rows->world), holder_of(rows, term),
                 bind_component_find(rows->world, term->definition));
}

void bind_rows_push(lua_State *L, const RowLoop *rows, int views, uint32_t t) {
  if (bind_rows_has(L, rows, t))
    lua_rawgeti(L, views, ROWS_VIEWS + (int)t);
  else
    lua_pushnil(L);
}

/* Life ------------------------------------------------------------------- */

void bind_rows_over(RowLoop *rows) {
  rows->row = -1;
  rows->located = 0;
  rows->reach = 1;
  rows->stamp = WORLD_NEVER;
  rows->at = rows->count = 0;
  rows->running = false;
  memset(rows->elements, 0, rows->column_count * sizeof(void *));
}

RowLoop *bind_rows_check(lua_State *L, int index) {
  RowLoop *rows = (RowLoop *)bind_find(L, index, KIND_ROWS);
  if (!rows) luaL_argerror(L, index, "not a loop over rows");
  return rows;
}

static bool has_view(LuaTerm term) {
  return access_has_columns(term.access) && term.definition->field_count > 0;
}

/* Fills in the terms with columns, and the indices of their first columns. */
static void lay_terms(RowLoop *rows) {
  for (uint32_t t = 0; t < rows->query->term_count; t++) {
    LuaTerm term = rows->query->terms[t];
    if (!has_view(term)) continue;
    rows->terms[rows->term_count++] =
        (RowTerm){term.definition,
                  t,
                  rows->column_count,
                  access_writes(term.access) && !rows->gone && !rows->near,
                  access_is_optional(term.access),
                  !access_is_own(term.access)};
    rows->column_count += term.definition->field_count;
  }
}

/* Calls runner, code = rows(loop, terms, is_rows, code) of scripts/ecs, if that
 * function was lent. The runner of rows is the step of the loop; that of each
 * is called before every walk and returns the function that runs it. Code is
 * shared by the loops of the query and kept there. Leaves the runner on the
 * stack, or a value that is no function. */
static void push_runner(lua_State *L, RowLoop *rows, int index, int owner) {
  const char *code = rows->is_rows ? "code_rows" : "code_each";
  compat_push_private(L, owner);
  int kept = lua_gettop(L);
  bind_push_shared(L);
  lua_getfield(L, -1, "rows");
  if (!lua_isfunction(L, -1)) return; /* views are made here */
  lua_pushvalue(L, index);
  bind_push_terms(L, rows->query->terms, rows->query->term_count);
  lua_pushboolean(L, rows->is_rows);
  lua_getfield(L, kept, code);
  lua_call(L, 4, 2);
  lua_setfield(L, kept, code);
}

/* Makes the row views: in Lua, or here. */
static void build(lua_State *L, RowLoop *rows, int index, int owner) {
  int top = lua_gettop(L);
  if (rows->gone || rows->near)
    lua_pushnil(L);
  else
    push_runner(L, rows, index, owner);
  rows->accelerated = lua_isfunction(L, -1);
  compat_push_private(L, index);
  if (rows->accelerated) {
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, ROWS_RUNNER);
  } else {
    for (uint32_t t = 0; t < rows->term_count; t++) {
      push_view(L, rows, index, t);
      lua_rawseti(L, -2, ROWS_VIEWS + (int)t);
      build_arrays(L, rows, index, t);
    }
  }
  lua_settop(L, top);
}

/* What loops there are; see bind_rows_new, bind_rows_gone, bind_rows_near. */
typedef enum LoopKind { OF_EACH, OF_ROWS, OF_GONE, OF_GRID } LoopKind;

/* Pushes a RowLoop. */
static RowLoop *new_rows(lua_State *L, int owner, LuaQuery *query,
                         LoopKind kind) {
  size_t terms = 0, columns = 0;
  for (uint32_t t = 0; t < query->term_count; t++) {
    if (!has_view(query->terms[t])) continue;
    terms++;
    columns += query->terms[t].definition->field_count;
  }
  if (terms > ROWS_LIMIT)
    bind_error(L,
               "a loop over rows has at most %d components with fields: "
               "use batch",
               (int)ROWS_LIMIT);
  owner = compat_absolute(L, owner);
  size_t ids = kind == OF_ROWS || kind == OF_GRID ? ROWS_RUN : 0;
  size_t near = kind == OF_GRID ? sizeof(GridLoop) : 0;
  RowLoop *rows = (RowLoop *)bind_new(
      L, KIND_ROWS,
      sizeof *rows + columns * sizeof(void *) + terms * sizeof(RowTerm) +
          ids * sizeof(double) + columns * sizeof(BlockColumn) + near);
  rows->elements = (void **)(void *)(rows + 1);
  rows->terms = (RowTerm *)(void *)(rows->elements + columns);
  double *first_id = (double *)(void *)(rows->terms + terms);
  rows->ids = ids > 0 ? first_id : NULL;
  rows->near = near > 0 ? (GridLoop *)(void *)(first_id + ids) : NULL;
  rows->found = near > 0 ? rows->near->hits : NULL;
  rows->block.columns =
      (BlockColumn *)(void *)((char *)(first_id + ids) + near);
  rows->advance = bind_rows_advance;
  rows->load = near > 0 ? load_copy : load;
  rows->store = store;
  rows->world = query->world;
  rows->query = query;
  rows->is_rows = kind == OF_ROWS;
  rows->gone = kind == OF_GONE;
  rows->walk =
      (OpenWalk){query->world, query->label, query->terms, query->term_count,
                 true,         NULL,         NULL,         NULL};
  rows->run.row = &rows->row;
  lay_terms(rows);
  ECS_ASSERT(rows->term_count == terms && rows->column_count == columns);
  bind_rows_over(rows);
  bind_keep(L, owner, ROWS_QUERY);
  build(L, rows, lua_gettop(L), owner);
  return rows;
}

RowLoop *bind_rows_new(lua_State *L, int owner, LuaQuery *query, bool is_rows) {
  return new_rows(L, owner, query, is_rows ? OF_ROWS : OF_EACH);
}

RowLoop *bind_rows_gone(lua_State *L, int owner, LuaQuery *query) {
  return new_rows(L, owner, query, OF_GONE);
}

RowLoop *bind_rows_near(lua_State *L, int owner, LuaQuery *query) {
  return new_rows(L, owner, query, OF_GRID);
}

/* For the accelerator ---------------------------------------------------- */

/* The term that argument 2 numbers, from 1. */
static RowTerm *check_term(lua_State *L, const RowLoop *rows) {
  lua_Number number = luaL_checknumber(L, 2);
  if (!(number >= 1 && number <= (lua_Number)rows->term_count))
    luaL_argerror(L, 2, "no such term");
  return &rows->terms[(uint32_t)number - 1];
}

/* The element of the array that argument 3 names which argument `key` numbers, as
 * a field. */
static uint32_t check_element(lua_State *L, const RowTerm *term, int key) {
  const FieldArray *array = bind_array_at(L, 3, term->definition);
  if (!array) luaL_argerror(L, 3, "no such array");
  return bind_element_check(L, key, term->definition, array);
}

/* row_get(rows, t, name): a field of this row, with the errors of a view made
 * here; of an array true. row_get(rows, t, name, k): an element. Called through
 * pcall, so messages start with "ecs:". */
static int row_get(lua_State *L) {
  RowLoop *rows = bind_rows_check(L, 1);
  const RowTerm *term = check_term(L, rows);
  if (lua_gettop(L) > 3) {
    check_row(L, rows);
    return push_field(L, rows, term, check_element(L, term, 4));
  }
  lua_settop(L, 3);
  if (bind_array_at(L, 3, term->definition)) {
    check_row(L, rows);
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_remove(L, 2);
  return get_field(L, rows, term);
}

/* row_set(rows, t, name, value), row_set(rows, t, name, value, k), likewise. */
static int row_set(lua_State *L) {
  RowLoop *rows = bind_rows_check(L, 1);
  const RowTerm *term = check_term(L, rows);
  bool element = lua_gettop(L) > 4;
  if (element) check_row(L, rows);
  uint32_t field = element ? check_element(L, term, 5) : 0;
  lua_settop(L, 4);
  lua_remove(L, 2);
  return element ? store_field(L, rows, term, field) : set_field(L, rows, term);
}

int bind_rows_refuse_stale(lua_State *L, const RowLoop *rows) {
  if (!rows->near->grid->life.native)
    return bind_error(L, "the world of this grid is closed");
  return bind_error(L,
                    "the grid was built again inside this loop over it, as "
                    "something had changed: change things after the loop");
}

/* row_trouble(rows, status): raises what keeps a loop from its next row. */
static int row_trouble(lua_State *L) {
  RowLoop *rows = bind_rows_check(L, 1);
  if (rows->near) return bind_rows_refuse_stale(L, rows);
  lua_Number status = luaL_checknumber(L, 2);
  bind_query_native(L, rows->query);
  if (!(status >= 1 && status < ECS_STATUS_COUNT)) status = ECS_E_ARGUMENT;
  return bind_refuse_status(L, rows->world, (ecs_Status)status,
                            rows->query->label);
}

/* row_has(rows, t): has the entity of this row the component, even if a walk
 * locks it? */
static int row_has(lua_State *L) {
  RowLoop *rows = bind_rows_check(L, 1);
  const RowTerm *term = check_term(L, rows);
  lua_pushboolean(
      L, rows->is_rows && rows->row >= 0 &&
             ecs_has(bind_native(L, rows->world), holder_of(rows, term),
                     bind_component_find(rows->world, term->definition)));
  return 1;
}

/* row_layout(): offsets in a RowLoop, which the accelerator compares with its
 * own declaration; and that of row_epoch in a LuaWorld. */
static int row_layout(lua_State *L) {
  compat_push_whole(L, (double)offsetof(RowLoop, row));
  compat_push_whole(L, (double)offsetof(RowLoop, elements));
  compat_push_whole(L, (double)offsetof(RowLoop, query));
  compat_push_whole(L, (double)offsetof(LuaWorld, row_epoch));
  return 4;
}

static const luaL_Reg functions[] = {
    {"row_get", row_get},       {"row_set", row_set},
    {"row_has", row_has},       {"row_trouble", row_trouble},
    {"row_layout", row_layout}, {NULL, NULL}};

void bind_open_row_view(lua_State *L) { bind_add(L, functions); }

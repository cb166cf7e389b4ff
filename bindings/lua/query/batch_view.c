/* batch_view.c: makes views, shows columns, hides them again.
 *
 * scripts/ecs/batch.lua builds the tables that a script indexes. This file says
 * where columns are, fills tables, and clears the entries of the clear list: a
 * sequence { table, key, table, key, ... } of all that must not outlive a
 * batch.
 *
 * Private table of a view: 1 proxy, 2 clear list, 3 the tables of columns or,
 * with the accelerator, its counts by slot, 4 owner, 5 the proxy to read by and
 * 6 the buffers of a view that keeps (kept_columns.h).
 */
#include "query/batch_view.h"

#include <string.h>

#include "api/for_bindings.h"
#include "query/column_copy.h"
#include "query/lua_query.h"
#include "world/report.h"

static View *view_check(lua_State *L, int index) {
  View *view = (View *)bind_find(L, index, KIND_VIEW);
  if (!view) luaL_argerror(L, index, "not a view");
  return view;
}

/* Fills in the columns, in the order of ecs.h: by term, then by field; the
 * entities last. */
static void lay_columns(View *view) {
  uint32_t k = 0;
  for (uint32_t t = 0; t < view->walk.term_count; t++) {
    LuaTerm term = view->walk.terms[t];
    if (!access_has_columns(term.access)) continue;
    for (uint32_t f = 0; f < term.definition->field_count; f++, k++) {
      view->columns[k].scalar = (uint32_t)term.definition->fields[f].type;
      view->columns[k].writable =
          access_writes(term.access) && !definition_is_link(term.definition, f);
      view->columns[k].field = f;
      view->columns[k].definition = term.definition;
    }
  }
  view->columns[k].scalar = ECS_ENTITY;
  view->column_count = k;
}

/* Calls proxy, clear_list, tables, reader = build(view, terms, keeps) of
 * scripts/ecs and keeps the results. */
static void build(lua_State *L, View *view, int index, int owner) {
  compat_push_private(L, index);
  int private_table = lua_gettop(L);
  lua_pushvalue(L, owner);
  lua_rawseti(L, private_table, 4);
  bind_push_shared(L);
  lua_getfield(L, -1, "build");
  if (!lua_isfunction(L, -1)) bind_error(L, "scripts/ecs is not loaded");
  lua_pushvalue(L, index);
  bind_push_terms(L, view->walk.terms, view->walk.term_count);
  lua_pushboolean(L, view->keeps);
  lua_call(L, 3, 4);
  if (view->keeps) {
    luaL_checktype(L, -1, LUA_TTABLE);
    lua_rawseti(L, private_table, 5);
    lua_newtable(L);
    lua_rawseti(L, private_table, 6);
  } else {
    lua_pop(L, 1);
  }
  for (int k = 3; k >= 1; k--) {
    luaL_checktype(L, -1, LUA_TTABLE);
    if (k == 2) view->pair_count = (uint32_t)(lua_rawlen(L, -1) / 2);
    lua_rawseti(L, private_table, k);
  }
  lua_settop(L, private_table - 1);
}

View *bind_view_new(lua_State *L, int owner, const ViewPlan *plan) {
  uint32_t columns = 1, copies = 0;
  for (uint32_t t = 0; t < plan->term_count; t++)
    if (access_has_columns(plan->terms[t].access))
      columns += plan->terms[t].definition->field_count;
  if (plan->keeps) copies = columns * KEPT_BATCHES;
  size_t bytes = sizeof(View) + columns * sizeof(ViewColumn) +
                 copies * sizeof(KeptColumn) +
                 plan->term_count * sizeof(LuaTerm);
  View *view = (View *)bind_new(L, KIND_VIEW, bytes);
  view->columns = (ViewColumn *)(view + 1);
  view->keeps = plan->keeps;
  view->kept = (KeptColumn *)(void *)(view->columns + columns);
  LuaTerm *terms = (LuaTerm *)(void *)(view->kept + copies);
  for (uint32_t t = 0; t < plan->term_count; t++) terms[t] = plan->terms[t];
  view->walk.world = plan->world;
  view->walk.label = plan->label;
  view->walk.terms = terms;
  view->walk.term_count = plan->term_count;
  lay_columns(view);
  ECS_ASSERT(view->column_count + 1 == columns);
  build(L, view, lua_gettop(L), owner);
  return view;
}

void bind_view_push_slots(lua_State *L, int index) {
  index = compat_absolute(L, index);
  const View *view = (const View *)lua_touserdata(L, index);
  compat_push_private(L, index);
  int private_table = lua_gettop(L);
  for (int k = 1; k <= VIEW_SLOTS + view->keeps; k++) {
    lua_rawgeti(L, private_table, k <= VIEW_SLOTS ? k : 5);
    if (!lua_istable(L, -1)) bind_error(L, "a view has lost its tables");
  }
  lua_remove(L, private_table);
}

/* Showing ----------------------------------------------------------------- */

/* The elements of column k; NULL when no batch is shown or the batch lacks the
 * column. */
static void *column_elements(const View *view, uint32_t k) {
  ECS_ASSERT(k <= view->column_count);
  if (!view->showing) return NULL;
  if (k == view->column_count) return (void *)(uintptr_t)view->batch.entities;
  return view->batch.columns[k];
}

/* The column that argument 2 numbers, from 1. */
static uint32_t check_column(lua_State *L, const View *view) {
  lua_Number number = luaL_checknumber(L, 2);
  if (!(number >= 1 && number <= (lua_Number)view->column_count + 1))
    luaL_argerror(L, 2, "no such column");
  return (uint32_t)number - 1;
}

/* Pushes "Position.x", "f32" and whether it may be written, for column k. */
static void push_column(lua_State *L, const View *view, uint32_t k) {
  const ViewColumn *column = &view->columns[k];
  const Definition *definition = column->definition;
  if (definition)
    lua_pushfstring(L, "%s.%s", definition->name,
                    definition->fields[column->field].name);
  else
    lua_pushliteral(L, "batch.entities");
  lua_pushstring(L, ecs_scalar_name((ecs_Scalar)column->scalar));
  lua_pushboolean(L, column->writable != 0);
}

/* plan(view): a list of { label, scalar, writable }, one for each column. */
static int plan(lua_State *L) {
  static const char *const keys[] = {"writable", "scalar", "label"};
  View *view = view_check(L, 1);
  lua_createtable(L, (int)view->column_count + 1, 0);
  for (uint32_t k = 0; k <= view->column_count; k++) {
    lua_createtable(L, 0, 3);
    int entry = lua_gettop(L);
    push_column(L, view, k);
    for (int key = 0; key < 3; key++) lua_setfield(L, entry, keys[key]);
    lua_rawseti(L, -2, (int)k + 1);
  }
  return 1;
}

/* Sets the rows of a table past count to nil. */
static void clear_rows(lua_State *L, int table, uint32_t count,
                       uint32_t filled) {
  for (uint32_t i = count; i < filled; i++) {
    lua_pushnil(L);
    lua_rawseti(L, table, (int)i + 1);
  }
}

/* Pushes the table of column k of the batch. The batches of a view that keeps
 * have tables of their own, made as those of the first. tables: their list. */
static int push_column_table(lua_State *L, const View *view, int tables,
                             uint32_t k) {
  uint32_t index = kept_index(view, k);
  lua_rawgeti(L, tables, (int)index + 1);
  if (index != k && lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_rawgeti(L, tables, (int)k + 1);
    lua_newtable(L);
    if (lua_getmetatable(L, -2)) lua_setmetatable(L, -2);
    lua_replace(L, -2);
    lua_pushvalue(L, -1);
    lua_rawseti(L, tables, (int)index + 1);
  }
  if (!lua_istable(L, -1)) luaL_argerror(L, 1, "has no tables");
  return lua_gettop(L);
}

/* fill(view, k, written): the table of column k, filled; nothing when the batch
 * lacks the column. written: the script may store into it. */
static int fill(lua_State *L) {
  View *view = view_check(L, 1);
  uint32_t k = check_column(L, view);
  ViewColumn *column = &view->columns[k];
  uint32_t touch = lua_toboolean(L, 3) ? TOUCH_WRITTEN : TOUCH_READ;
  const void *elements = column_elements(view, k);
  if (!elements) return 0;
  compat_push_private(L, 1);
  lua_rawgeti(L, -1, 3);
  if (!lua_istable(L, -1) || column->slot)
    return luaL_argerror(L, 1, "has no tables");
  int table = push_column_table(L, view, lua_gettop(L), k);
  if (view->keeps && !column->touched) {
    compat_push_private(L, 1);
    lua_rawgeti(L, -1, 6);
    if (!lua_istable(L, -1)) return luaL_argerror(L, 1, "has no buffers");
    lua_pushvalue(L, table);
    uint32_t index = kept_index(view, k);
    bind_kept_fill(L, &view->kept[index], table + 2, (int)index + 1,
                   (ecs_Scalar)column->scalar, elements, view->batch.count);
  } else if (!view->keeps) {
    uint32_t stale = column->filled;
    if (stale < view->batch.count) column->filled = view->batch.count;
    bind_column_fill(L, table, 0, (ecs_Scalar)column->scalar, elements,
                     view->batch.count);
    clear_rows(L, table, view->batch.count, stale);
    ECS_ASSERT(column->filled >= view->batch.count);
    column->filled = view->batch.count;
  }
  column->touched |= touch;
  lua_pushvalue(L, table);
  return 1;
}

/* rows(view): the number of rows of the batch; 0 when none is shown. */
static int rows(lua_State *L) {
  View *view = view_check(L, 1);
  compat_push_whole(L, view->showing ? view->batch.count : 0);
  return 1;
}

/* present(view, k): does the batch have column k? */
static int present(lua_State *L) {
  View *view = view_check(L, 1);
  lua_pushboolean(L, column_elements(view, check_column(L, view)) != NULL);
  return 1;
}

/* touch(view, k): stores the address of column k in the view and returns the
 * number of rows; nothing when the batch lacks the column. */
static int touch(lua_State *L) {
  View *view = view_check(L, 1);
  uint32_t k = check_column(L, view);
  const void *elements = column_elements(view, k);
  if (!elements || view->batch.count == 0) return 0;
  view->columns[k].touched = TOUCH_READ | TOUCH_WRITTEN;
  view->columns[k].address = (double)(uintptr_t)elements;
  compat_push_whole(L, view->batch.count);
  return 1;
}

/* Copying ----------------------------------------------------------------- */

/* The values of column k as they are now, in `to`: a table may have been stored
 * into. Does not raise. */
static void read_column(lua_State *L, const View *view, uint32_t k, int tables,
                        const void *elements, void *to) {
  const ViewColumn *column = &view->columns[k];
  ecs_Scalar type = (ecs_Scalar)column->scalar;
  uint32_t count = view->batch.count;
  memcpy(to, elements, (size_t)count * scalar_bytes(type));
  if (!column->slot && (column->touched & TOUCH_WRITTEN) != 0) {
    lua_rawgeti(L, tables, (int)kept_index(view, k) + 1);
    if (lua_istable(L, -1))
      (void)bind_column_store(L, lua_gettop(L), type, to, count, NULL);
    lua_pop(L, 1);
  }
  (void)ecs_scalar_canonicalize_many(type, to, count);
}

/* Puts the elements of one column where rows of so many bytes have them. */
static void spread(char *to, size_t stride, const char *from, size_t bytes,
                   uint32_t count) {
  for (uint32_t row = 0; row < count; row++, to += stride, from += bytes)
    memcpy(to, from, bytes);
}

/* The columns of the list at index 2, which are numbered from 1, in *columns;
 * and the bytes of a row. Returns how many; pushes a userdata. */
static uint32_t read_list(lua_State *L, const View *view, uint32_t **columns,
                          size_t *stride) {
  luaL_checktype(L, 2, LUA_TTABLE);
  uint32_t count = (uint32_t)lua_rawlen(L, 2);
  luaL_argcheck(L, count >= 1 && count <= 4096, 2, "no list of columns");
  *columns = (uint32_t *)lua_newuserdata(L, count * sizeof(uint32_t));
  *stride = 0;
  for (uint32_t i = 0; i < count; i++) {
    lua_rawgeti(L, 2, (int)i + 1);
    lua_Number number = lua_tonumber(L, -1);
    lua_pop(L, 1);
    if (!(number >= 1 && number <= (lua_Number)view->column_count))
      luaL_argerror(L, 2, "no such column");
    (*columns)[i] = (uint32_t)number - 1;
    *stride += scalar_bytes((ecs_Scalar)view->columns[(*columns)[i]].scalar);
  }
  return count;
}

/* copy_rows(view, columns): the rows of the batch as a string: of each row the
 * columns that the list numbers, without gaps. Nothing when the batch is over or
 * lacks one of them. */
static int copy_rows(lua_State *L) {
  View *view = view_check(L, 1);
  uint32_t *columns;
  size_t stride, offset = 0, rows = view->showing ? view->batch.count : 0;
  uint32_t count = read_list(L, view, &columns, &stride);
  char *copy = (char *)lua_newuserdata(L, rows * stride + 1);
  char *column = (char *)lua_newuserdata(L, rows * 8 + 1);
  compat_push_private(L, 1);
  lua_rawgeti(L, -1, 3);
  luaL_checkstack(L, COPY_BLOCK + 8, "a copy");
  if (!view->showing || view->batch.count != rows) return 0;
  for (uint32_t i = 0; i < count; i++) {
    const void *elements = column_elements(view, columns[i]);
    ecs_Scalar type = (ecs_Scalar)view->columns[columns[i]].scalar;
    if (!elements) return 0;
    read_column(L, view, columns[i], lua_gettop(L), elements, column);
    spread(copy + offset, stride, column, scalar_bytes(type), (uint32_t)rows);
    offset += scalar_bytes(type);
  }
  lua_pushlstring(L, copy, rows * stride);
  return 1;
}

/* layout(): sizes and offsets in a view, which the accelerator compares with
 * its own declaration. */
static int layout(lua_State *L) {
  compat_push_whole(L, (double)sizeof(ViewColumn));
  compat_push_whole(L, (double)offsetof(ViewColumn, address));
  compat_push_whole(L, (double)offsetof(View, columns));
  return 3;
}

/* Hiding ------------------------------------------------------------------ */

/* Stores a touched table back in its column, or compares the two when the query
 * only reads the component. Returns the first misuse. */
static Misuse store_back(lua_State *L, const View *view, uint32_t k, int table,
                         bool judge) {
  const ViewColumn *column = &view->columns[k];
  Misuse misuse = {0, k, !column->writable};
  void *elements = column_elements(view, k);
  ecs_Scalar type = (ecs_Scalar)column->scalar;
  if (!elements) return misuse;
  KeptColumn *kept = view->keeps ? &view->kept[kept_index(view, k)] : NULL;
  if (kept && column->writable)
    misuse.row =
        bind_kept_store(L, kept, table, type, elements, view->batch.count);
  else if (column->writable)
    misuse.row =
        bind_column_store(L, table, type, elements, view->batch.count, NULL);
  else if (judge)
    misuse.row =
        bind_column_difference(L, table, type, elements, view->batch.count);
  if (kept && !column->writable) kept->rows = 0; /* stored to */
  return misuse;
}

/* The accelerator stores NaNs with any payload. They become the one quiet NaN
 * before other code can read the column. Elements of other types were converted
 * when they were stored. */
static void canonicalize_column(const View *view, uint32_t k) {
  const ViewColumn *column = &view->columns[k];
  ecs_Scalar type = (ecs_Scalar)column->scalar;
  void *elements = column_elements(view, k);
  if (elements && column->writable && scalar_is_float(type))
    (void)ecs_scalar_canonicalize_many(type, elements, view->batch.count);
}

/* Clears the entries of the clear list. Only entries that exist are set,
 * because a new key could need memory. */
static void clear_entries(lua_State *L, const View *view, int list) {
  for (int pair = 0; pair < (int)view->pair_count; pair++) {
    lua_rawgeti(L, list, 2 * pair + 1);
    lua_rawgeti(L, list, 2 * pair + 2);
    bool present = lua_istable(L, -2);
    if (present) {
      lua_pushvalue(L, -1);
      lua_rawget(L, -3);
      present = !lua_isnil(L, -1);
      lua_pop(L, 1);
    }
    if (present) {
      lua_pushnil(L);
      lua_rawset(L, -3);
    } else {
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
}

Misuse bind_view_hide(lua_State *L, View *view, int base, bool judge) {
  Misuse first = {0, 0, false};
  ECS_ASSERT(view->showing && view->walk.world->innermost == &view->walk);
  ECS_ASSERT(lua_istable(L, base + 1) && lua_istable(L, base + 2));
  for (uint32_t k = 0; k <= view->column_count; k++) {
    ViewColumn *column = &view->columns[k];
    uint32_t touched = column->touched;
    if (!touched) continue;
    column->touched = 0;
    if (column->slot) {
      canonicalize_column(view, k);
      lua_pushnumber(L, 0);
      lua_rawseti(L, base + 2, column->slot);
      lua_pushnumber(L, 0);
      lua_rawseti(L, base + 2, VIEW_FOCUS);
      continue;
    }
    if (touched == TOUCH_READ) continue;
    lua_rawgeti(L, base + 2, (int)kept_index(view, k) + 1);
    Misuse misuse = {0, 0, false};
    if (lua_istable(L, -1))
      misuse = store_back(L, view, k, lua_gettop(L), judge);
    if (first.row == 0 && misuse.row) first = misuse;
    lua_pop(L, 1);
  }
  clear_entries(L, view, base + 1);
  view->showing = false;
  return first;
}

void bind_push_misuse(lua_State *L, const View *view, Misuse misuse) {
  const ViewColumn *column = &view->columns[misuse.column];
  const Definition *definition = column->definition;
  if (!definition)
    lua_pushfstring(L, "ecs: batch.entities cannot be assigned to (row %d)",
                    (int)misuse.row);
  else if (view->copies && misuse.read_only)
    lua_pushfstring(L,
                    "ecs: %s is only read in batches of observers (%s, row %d)",
                    definition->name, definition->fields[column->field].name,
                    (int)misuse.row);
  else if (misuse.read_only && definition_is_link(definition, column->field))
    bind_push_link_refusal(L, definition, column->field);
  else if (misuse.read_only)
    lua_pushfstring(L,
                    "ecs: %s is only read by %s: name it in the array part "
                    "of the query to write it (%s, row %d)",
                    definition->name, view->walk.label,
                    definition->fields[column->field].name, (int)misuse.row);
  else
    lua_pushfstring(L,
                    "ecs: %s.%s is %s and cannot hold what was assigned to "
                    "row %d",
                    definition->name, definition->fields[column->field].name,
                    ecs_scalar_name((ecs_Scalar)column->scalar),
                    (int)misuse.row);
}

/* misuse(view, k, row): the message for a misuse of column k, which the
 * accelerator detects at the store. */
static int misuse_text(lua_State *L) {
  View *view = view_check(L, 1);
  Misuse misuse = {0, check_column(L, view), false};
  lua_Number row = luaL_checknumber(L, 3);
  luaL_argcheck(L, row >= 1 && row <= 268435456.0, 3, "no such row");
  misuse.row = (uint32_t)row;
  misuse.read_only = !view->columns[misuse.column].writable;
  bind_push_misuse(L, view, misuse);
  return 1;
}

static const luaL_Reg functions[] = {
    {"fill", fill},          {"rows", rows},           {"plan", plan},
    {"touch", touch},        {"present", present},     {"layout", layout},
    {"misuse", misuse_text}, {"copy_rows", copy_rows}, {NULL, NULL}};

void bind_open_batch_view(lua_State *L) { bind_add(L, functions); }

/* block_loop.c: functions of one row that run as a loop over a block of rows.
 */
#include "query/block_loop.h"

#include <string.h>

#include "api/for_bindings.h"
#include "object/number.h"
#include "query/column_copy.h"

/* Finding ------------------------------------------------------------------ */

/* Pushes the table of the query's plans for as many extra arguments. */
static void push_known(lua_State *L, int extras) {
  compat_push_private(L, 1);
  bind_push_table(L, "loops");
  lua_rawgeti(L, -1, extras + 1);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, extras + 1);
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/* Pushes the result of blocks(query, known, f, ...) of scripts/ecs. Its table of
 * plans is on top of the stack. */
static void ask(lua_State *L, int first, int top) {
  int known = lua_gettop(L);
  bind_push_shared(L);
  lua_getfield(L, -1, "blocks");
  if (!lua_isfunction(L, -1)) return; /* row by row */
  lua_pushvalue(L, 1);
  lua_pushvalue(L, known);
  lua_pushvalue(L, 2);
  for (int k = first; k <= top; k++) lua_pushvalue(L, k);
  lua_call(L, 3 + top - first + 1, 1);
}

/* Do the values that the plan takes for numbers hold numbers now? */
static bool guards_hold(lua_State *L, int plan, int first, int top) {
  for (int k = 3;; k++) {
    int kind = compat_rawgeti(L, plan, k);
    int guard = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (kind != LUA_TNUMBER) return true;
    if (guard < 0) {
      int argument = first - guard - 1;
      if (argument > top || lua_type(L, argument) != LUA_TNUMBER) return false;
    } else {
      if (!lua_getupvalue(L, 2, guard)) return false;
      kind = lua_type(L, -1);
      lua_pop(L, 1);
      if (kind != LUA_TNUMBER) return false;
    }
  }
}

bool bind_blocks_find(lua_State *L, const RowLoop *rows, int first, int top) {
  int before = lua_gettop(L);
  if (rows->accelerated) return false;
  push_known(L, top - first + 1);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    ask(L, first, top);
  }
  bool found = lua_istable(L, -1) && guards_hold(L, lua_gettop(L), first, top);
  if (found) lua_replace(L, before + 1);
  lua_settop(L, before + found);
  return found;
}

/* Preparing ---------------------------------------------------------------- */

/* Pushes the table number k that no open walk uses; made when it is missing. */
static void push_free_table(lua_State *L, int pool, uint32_t number) {
  lua_rawgeti(L, pool, (int)number);
  if (lua_istable(L, -1)) return;
  lua_pop(L, 1);
  lua_createtable(L, (int)BLOCK_ROWS, 0);
  lua_pushvalue(L, -1);
  lua_rawseti(L, pool, (int)number);
}

/* Reads which columns the plan uses: a letter for each, and for the entities.
 */
static void read_columns(lua_State *L, RowLoop *rows, const char *letters,
                         size_t length) {
  if (!letters || length != rows->column_count + 1u)
    bind_error(L, "the plan of a loop is broken");
  rows->block.uses_entities = letters[rows->column_count] != 'n';
  rows->block.column_count = 0;
  for (uint32_t t = 0; t < rows->term_count; t++) {
    const RowTerm *term = &rows->terms[t];
    for (uint32_t f = 0; f < term->definition->field_count; f++) {
      uint32_t column = term->first + f;
      if (letters[column] == 'n') continue;
      rows->block.columns[rows->block.column_count++] =
          (BlockColumn){column, (uint32_t)term->definition->fields[f].type,
                        letters[column] == 'w' && term->writable &&
                            !definition_is_link(term->definition, f)};
    }
  }
}

int bind_blocks_ready(lua_State *L, RowLoop *rows) {
  int plan = lua_gettop(L);
  size_t length = 0;
  ModuleState *state = bind_state(L);
  lua_rawgeti(L, plan, 2);
  const char *letters =
      lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : NULL;
  read_columns(L, rows, letters, length);
  luaL_checkstack(L, (int)rows->block.column_count + 16 + COPY_BLOCK, NULL);
  lua_rawgeti(L, plan, 1);
  bind_push_shared(L);
  bind_push_table(L, "block_tables");
  int pool = lua_gettop(L), first = pool + 1;
  push_free_table(L, pool, 1);
  uint32_t next = state->block_tables + 2;
  for (uint32_t k = 0; k <= rows->block.column_count; k++)
    push_free_table(L, pool, next + k);
  if (!lua_isfunction(L, pool - 2)) bind_error(L, "a loop is no function");
  /* plan, letters, loop, shared, pool -> loop */
  lua_pushvalue(L, pool - 2);
  lua_replace(L, plan);
  int count = lua_gettop(L) - pool;
  for (int k = 0; k < count; k++) {
    lua_pushvalue(L, first + k);
    lua_replace(L, plan + 1 + k);
  }
  lua_settop(L, plan + count);
  return 1 + count;
}

/* Running ------------------------------------------------------------------ */

static char *block_start(const RowLoop *rows, const BlockColumn *column) {
  char *elements = (char *)rows->elements[column->column];
  ECS_ASSERT(elements); /* no optional component is used */
  return elements +
         (size_t)rows->run.block * ecs_scalar_bytes((ecs_Scalar)column->scalar);
}

/* Stores what the block may have changed. base: the table of the row. */
static void store_block(lua_State *L, RowLoop *rows, int base) {
  for (uint32_t k = 0; k < rows->block.column_count; k++) {
    const BlockColumn *column = &rows->block.columns[k];
    if (!column->stored) continue;
    (void)bind_column_store(L, base + 2 + (int)k, (ecs_Scalar)column->scalar,
                            block_start(rows, column), rows->block.count, NULL);
  }
  rows->block.count = 0;
}

/* Fills the tables with rows from rows->run.block on. */
static void fill_block(lua_State *L, RowLoop *rows, int base, uint32_t count) {
  if (rows->block.uses_entities)
    bind_column_fill(L, base + 1, 0, ECS_ENTITY,
                     rows->entities + rows->run.block, count);
  for (uint32_t k = 0; k < rows->block.column_count; k++) {
    const BlockColumn *column = &rows->block.columns[k];
    bind_column_fill(L, base + 2 + (int)k, 0, (ecs_Scalar)column->scalar,
                     block_start(rows, column), count);
  }
  lua_pushinteger(L, 1);
  lua_rawseti(L, base, 1);
  rows->block.count = count;
}

void bind_blocks_run(lua_State *L, RowLoop *rows, int top) {
  const int loop = 2, base = 3;
  uint32_t count = rows->count;
  for (uint32_t first = 0; first < count; first += BLOCK_ROWS) {
    uint32_t length = count - first < BLOCK_ROWS ? count - first : BLOCK_ROWS;
    rows->run.block = first;
    fill_block(L, rows, base, length);
    rows->block.row = (int32_t)first;
    lua_pushvalue(L, loop);
    lua_pushvalue(L, base);
    compat_push_whole(L, length);
    for (int k = base + 1; k <= top; k++) lua_pushvalue(L, k);
    lua_call(L, top - base + 2, 0);
    store_block(L, rows, base);
  }
  rows->block.row = -1;
}

void bind_blocks_begin(lua_State *L, RowLoop *rows, int base) {
  ModuleState *state = bind_state(L);
  lua_rawgeti(L, base, 1);
  rows->block.outer_row = lua_tonumber(L, -1);
  lua_pop(L, 1);
  rows->block.count = 0;
  rows->block.row = -1;
  state->block_tables += rows->block.column_count + 1;
}

void bind_blocks_end(lua_State *L, RowLoop *rows, int base) {
  ModuleState *state = bind_state(L);
  if (rows->block.count > 0) store_block(L, rows, base);
  ECS_ASSERT(state->block_tables >= rows->block.column_count + 1);
  state->block_tables -= rows->block.column_count + 1;
  lua_pushnumber(L, rows->block.outer_row);
  lua_rawseti(L, base, 1);
  rows->block.active = false;
}

/* For the loops ------------------------------------------------------------ */

/* The function behind field_converter: the value as the field holds it. Raises
 * an error at the line of its caller for a value that does not fit. */
static int convert(lua_State *L) {
  const Definition *definition =
      (const Definition *)lua_touserdata(L, lua_upvalueindex(2));
  uint32_t field = (uint32_t)lua_tointeger(L, lua_upvalueindex(3));
  const ecs_Field *held = &definition->fields[field];
  uint64_t element = 0;
  double number;
  lua_settop(L, 1);
  if (!bind_number(L, 1, held->type, lua_type(L, 1), &number)) {
    bind_push_description(L, 1);
    return bind_error(L, "%s.%s is %s and cannot hold %s", definition->name,
                      held->name, ecs_scalar_name(held->type),
                      lua_tostring(L, -1));
  }
  ecs_scalar_convert(held->type, &element, number);
  bind_push_element(L, held->type, &element);
  return 1;
}

/* field_converter(definition, f): a function that gives a value as field f,
 * from 1, holds it. */
static int field_converter(lua_State *L) {
  const Definition *definition = bind_definition_check(L, 1, "a loop");
  lua_Number field = luaL_checknumber(L, 2);
  if (!(field >= 1 && field <= (lua_Number)definition->field_count))
    return luaL_argerror(L, 2, "no such field");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushinteger(L, (lua_Integer)field - 1);
  lua_pushcclosure(L, convert, 3);
  return 1;
}

void bind_open_block_loop(lua_State *L) {
  static const luaL_Reg functions[] = {{"field_converter", field_converter},
                                       {NULL, NULL}};
  bind_add(L, functions);
}

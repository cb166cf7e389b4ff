/* table_wanted.c: copies of what a run looks at in a script's tables.
 *
 * The program tells which elements these are (api/program_keys.h). A table is
 * taken for a sequence that may begin at 0. At the few other keys that are asked
 * for it is looked whether the table has something; if so, copy_table has to
 * copy all of it.
 *
 * In a table with rows, the place of an element follows from its row, which the
 * program has to find. So it is asked twice:
 *
 *   1. Which rows? Each of these gets a span of places, for its elements from 0
 *      up to one behind its last, but nothing is copied yet.
 *   2. Which elements? For this question rows begin ROW_SPAN places from each
 *      other, so that a place tells its row and the number there, even where a
 *      number is not of the row's span:
 *
 *          | row 0: ... -1 0 1 2 ... | row 1: ... -1 0 1 2 ... | ...
 *
 * From the first question on until all is read nothing allocates: a finalizer
 * could change the tables. Where more places are needed, all begins anew.
 */
#include "program/table_wanted.h"

#include <string.h>

#include "api/for_bindings.h"
#include "api/program_keys.h"
#include "object/number.h"

/* Rows are so far apart that the place of a key of any row is a whole double. No
 * element of a row has a number beyond half of it: such a table is not copied. */
#define ROW_SPAN 0x1p36

/* How often all begins anew. */
#define TRIES 4

/* What is asked for. */
typedef struct Wish {
  Walk *walk;
  ecs_Program *native;
  ecs_ProgramCall call;
  uint32_t first, last; /* the arrays whose keys these are */
  TableCopy *copy;      /* gets what is wanted */
  bool everything;      /* some of it has no place in the copy */
} Wish;

/* Empties a copy. Of a sparse one it knows what is in it. */
static void begin_sparse(TableCopy *copy) {
  if (!copy->is_sparse) memset(copy->present, 0, copy->room);
  for (uint32_t k = 0; copy->is_sparse && k < copy->wanted_count; k++)
    copy->present[copy->wanted[k]] = 0;
  copy->wanted_count = 0;
  copy->is_sparse = true;
}

static void end_sparse(TableCopy *copy, bool has_holes) {
  copy->skipped = 0;
  copy->count = copy->room;
  copy->has_holes = has_holes;
}

/* Is the key a whole number, as keys of tables are that a program can find? */
static bool is_whole(double key) {
  return key > -0x1p53 && key < 0x1p53 && (double)(int64_t)key == key;
}

/* Replaces the table on top of the stack by what it has at a key. */
static void read_at(lua_State *L, double key) {
  lua_pushnumber(L, (lua_Number)key);
  lua_rawget(L, -2);
  lua_remove(L, -2);
}

/* Asks the program. False: it does not know its keys, or failed. */
static bool ask(Wish *wish, WantedProgram *program, uint32_t filled,
                void (*visit)(void *user, uint32_t array, const double *keys,
                              uint32_t count)) {
  wish->native = program(wish->walk->L, &wish->call, filled);
  if (!wish->native) return false;
  for (uint32_t a = wish->first; a <= wish->last; a++)
    if (!ecs_program_shows_keys(wish->native, a, filled)) return false;
  begin_sparse(wish->copy);
  return ecs_program_keys(wish->native, &wish->call, visit, wish) == ECS_OK &&
         !wish->everything;
}

/* Keys of the table ------------------------------------------------------- */

/* A key that the copy has no room for. */
static void want_other(Wish *wish, double key) {
  lua_State *L = wish->walk->L;
  if (!is_whole(key) || wish->everything) return;
  lua_pushvalue(L, 1);
  read_at(L, key);
  wish->everything = !lua_isnil(L, -1);
  lua_pop(L, 1);
}

/* Notes keys of the table. user: a Wish. */
static void want_keys(void *user, uint32_t array, const double *keys,
                      uint32_t count) {
  Wish *wish = (Wish *)user;
  TableCopy *copy = wish->copy;
  const double low = copy->base, high = low + copy->room - 1.0;
  if (array < wish->first || array > wish->last) return;
  for (uint32_t i = 0; i < count; i++) {
    double key = keys[i];
    uint32_t place = key >= low && key <= high ? (uint32_t)(key - low) : 0u;
    if (low + place != key) {
      want_other(wish, key);
    } else if (!copy->present[place]) {
      copy->present[place] = 1;
      copy->wanted[copy->wanted_count++] = place;
    }
  }
}

/* Reads an element into its place: on top of the stack is what the table, or the
 * row, has at the element's number, and the rest of the path begins with step
 * first. Pops it. */
static bool read_wanted(Walk *walk, TableCopy *copy, uint32_t place, int first,
                        int last) {
  lua_State *L = walk->L;
  bool found = !lua_isnil(L, -1);
  copy->elements[place] = 0.0;
  if (!bind_walk_follow(walk, first, last)) return false;
  if (!lua_isnil(L, -1)) {
    if (!bind_walk_element(walk, &copy->elements[place])) return false;
  } else {
    copy->present[place] = 0;
    if (found && walk->whole) return bind_walk_fail(walk, FAILURE_GAP);
  }
  lua_pop(L, 1);
  return true;
}

/* Reads the wanted elements of the table at index 1. */
static bool read_all_wanted(Walk *walk, TableCopy *copy) {
  for (uint32_t k = 0; k < copy->wanted_count; k++) {
    uint32_t place = copy->wanted[k];
    lua_rawgeti(walk->L, 1, (int)place + copy->base);
    if (!read_wanted(walk, copy, place, 1, walk->length)) return false;
  }
  end_sparse(copy, true);
  return true;
}

/* Does the table at index 1 have what its elements are found by? */
static bool is_plain_table(Walk *walk) {
  lua_pushvalue(walk->L, 1);
  bool plain = bind_walk_plain(walk);
  lua_pop(walk->L, 1);
  return plain;
}

/* Asks for keys of the table at index 1. On success nothing may allocate before
 * they are read. */
static int ask_keys(Walk *walk, int at, TableCopy *copy, uint32_t count,
                    WantedProgram *program) {
  uint32_t array = (uint32_t)at - 1;
  Wish wish = {.walk = walk, .copy = copy};
  wish.first = array;
  wish.last = array + count - 1;
  if (!is_plain_table(walk)) return WANTED_NONE;
  return ask(&wish, program, array, want_keys) ? WANTED_DONE : WANTED_ALL;
}

/* Has room for the keys of the table at index 1, and asks for them. */
static int find_flat(Walk *walk, int at, TableCopy **copy,
                     WantedProgram *program) {
  int64_t length = (int64_t)lua_rawlen(walk->L, 1);
  *copy = bind_copy_ensure(walk->L, 4, at, 0, length);
  /* From here on nothing allocates. */
  return ask_keys(walk, at, *copy, 1, program);
}

/* Copies what a run looks at in a table without rows. */
static int copy_flat(Walk *walk, int at, WantedProgram *program) {
  TableCopy *copy = NULL;
  int answer = find_flat(walk, at, &copy, program);
  if (answer != WANTED_DONE) return answer;
  return read_all_wanted(walk, copy) ? WANTED_DONE : WANTED_NONE;
}

/* Rows -------------------------------------------------------------------- */

/* The copies of a table with rows. Those of the numbers have the same keys. For
 * wanted row i, counted from 0, lasts->rows[i] is the place of its first number.
 */
typedef struct RowCopies {
  TableCopy *starts, *firsts, *lasts, *elements;
  uint32_t placed; /* so many places have the wanted rows */
} RowCopies;

/* The copies in the list. False: they are not all there, or do not fit. */
static bool find_copies(lua_State *L, int at, RowCopies *rows) {
  TableCopy *found[4];
  for (int k = 0; k < 4; k++)
    if (!(found[k] = bind_copy_at(L, 4, at + k))) return false;
  *rows = (RowCopies){found[0], found[1], found[2], found[3], 0};
  for (int k = 1; k < 3; k++)
    if (found[k]->base != found[0]->base || found[k]->room != found[0]->room)
      return false;
  return rows->elements->base == 0;
}

/* Pushes wanted row i, or nil. */
static bool push_row(Walk *walk, const TableCopy *starts, uint32_t i) {
  lua_rawgeti(walk->L, 1, (int)starts->wanted[i] + starts->base);
  return bind_walk_follow(walk, 1, walk->length);
}

/* Gives wanted row i, which is on top of the stack, its places. */
static int place_row(Walk *walk, RowCopies *rows, uint32_t i) {
  uint32_t place = rows->starts->wanted[i];
  rows->starts->elements[place] = i * ROW_SPAN;
  rows->firsts->elements[place] = 0.0;
  rows->lasts->elements[place] = -1.0;
  rows->lasts->rows[i] = rows->placed;
  if (lua_isnil(walk->L, -1)) {
    rows->starts->present[place] = 0;
    return WANTED_DONE;
  }
  if (!bind_walk_plain(walk)) return WANTED_NONE;
  size_t length = lua_rawlen(walk->L, -1);
  if (length + 2 > ECS_ARRAY_LIMIT - rows->placed) return WANTED_ALL;
  rows->lasts->elements[place] = (double)length + 1.0;
  rows->placed += (uint32_t)length + 2;
  return WANTED_DONE;
}

static int place_rows(Walk *walk, RowCopies *rows) {
  int answer = WANTED_DONE;
  for (uint32_t i = 0; i < rows->starts->wanted_count && answer == WANTED_DONE;
       i++) {
    if (!push_row(walk, rows->starts, i)) return WANTED_NONE;
    answer = place_row(walk, rows, i);
    lua_pop(walk->L, 1);
  }
  return answer;
}

/* The copies of the numbers have what wanted rows have. */
static void end_numbers(const RowCopies *rows) {
  rows->firsts->is_sparse = rows->lasts->is_sparse = true;
  rows->firsts->wanted_count = rows->lasts->wanted_count = 0;
  end_sparse(rows->starts, true);
  end_sparse(rows->firsts, false);
  end_sparse(rows->lasts, false);
}

/* What want_elements is given. */
typedef struct RowWish {
  Wish wish;
  RowCopies *rows;
} RowWish;

/* A number that is not in the span of wanted row i. */
static void want_other_of_row(const RowWish *asked, uint32_t i, double key) {
  Walk *walk = asked->wish.walk;
  Wish *wish = (Wish *)&asked->wish;
  int top = lua_gettop(walk->L);
  if (!is_whole(key) || wish->everything) return;
  if (!push_row(walk, asked->rows->starts, i)) {
    wish->everything = true;
  } else if (lua_istable(walk->L, -1)) {
    read_at(walk->L, key);
    wish->everything = !lua_isnil(walk->L, -1);
  }
  lua_settop(walk->L, top);
}

/* Notes places of elements, as the second question has them. user: a RowWish. */
static void want_elements(void *user, uint32_t array, const double *keys,
                          uint32_t count) {
  const RowWish *asked = (const RowWish *)user;
  const RowCopies *rows = asked->rows;
  TableCopy *copy = rows->elements;
  const double half = ROW_SPAN / 2.0;
  const double behind = rows->starts->wanted_count * ROW_SPAN - half;
  if (array != asked->wish.first) return;
  for (uint32_t i = 0; i < count; i++) {
    if (!(keys[i] >= -half && keys[i] < behind)) continue;
    uint32_t row = (uint32_t)((keys[i] + half) / ROW_SPAN);
    double number = keys[i] - row * ROW_SPAN;
    double last = rows->lasts->elements[rows->starts->wanted[row]];
    if (!(number >= 0.0 && number <= last) ||
        (double)(uint32_t)number != number) {
      want_other_of_row(asked, row, number);
      continue;
    }
    uint32_t place = rows->lasts->rows[row] + (uint32_t)number;
    if (place >= rows->placed || copy->present[place]) continue;
    copy->present[place] = 1;
    copy->rows[copy->wanted_count] = row;
    copy->wanted[copy->wanted_count++] = place;
  }
}

/* Asks for elements of the wanted rows, which have their places, and says where
 * rows really begin. */
static int ask_elements(Walk *walk, int at, RowCopies *rows,
                        WantedProgram *program) {
  uint32_t array = (uint32_t)at + 2;
  RowWish elements = {{.walk = walk, .copy = rows->elements}, rows};
  elements.wish.first = elements.wish.last = array;
  if (!ask(&elements.wish, program, array, want_elements)) return WANTED_ALL;
  for (uint32_t i = 0; i < rows->starts->wanted_count; i++)
    rows->starts->elements[rows->starts->wanted[i]] = rows->lasts->rows[i];
  end_sparse(rows->elements, true);
  return WANTED_DONE;
}

/* Reads the wanted elements. */
static bool read_rows(Walk *walk, const RowCopies *rows) {
  lua_State *L = walk->L;
  TableCopy *copy = rows->elements;
  const uint32_t *first = rows->lasts->rows;
  uint32_t at = UINT32_MAX; /* the row on top of the stack */
  lua_pushnil(L);
  for (uint32_t k = 0; k < copy->wanted_count; k++) {
    uint32_t row = copy->rows[k], place = copy->wanted[k];
    if (row != at) {
      lua_pop(L, 1);
      if (!push_row(walk, rows->starts, row)) return false;
      at = row;
    }
    lua_rawgeti(L, -1, (int)(place - first[row]));
    if (!read_wanted(walk, copy, place, walk->length + 2, walk->inner))
      return false;
  }
  return true;
}

/* There are too few places. */
#define WANTED_MORE -2

/* Has room for the rows of the table at index 1, and for some elements, and asks
 * which rows are wanted. */
static int find_rows(Walk *walk, int at, uint32_t places, RowCopies *rows,
                     WantedProgram *program) {
  int64_t length = (int64_t)lua_rawlen(walk->L, 1);
  for (int k = 0; k < 3; k++) bind_copy_ensure(walk->L, 4, at + k, 0, length);
  bind_copy_ensure(walk->L, 4, at + 3, 0, (int64_t)places - 1);
  /* From here on nothing allocates. */
  if (!find_copies(walk->L, at, rows)) return WANTED_ALL;
  int answer = ask_keys(walk, at, rows->starts, 3, program);
  if (answer == WANTED_DONE) end_numbers(rows);
  return answer;
}

/* Copies elements of the rows that are wanted. */
static int copy_elements(Walk *walk, int at, RowCopies *rows,
                         WantedProgram *program) {
  int answer = place_rows(walk, rows);
  if (answer != WANTED_DONE) return answer;
  if (rows->placed > rows->elements->room) return WANTED_MORE;
  answer = ask_elements(walk, at, rows, program);
  if (answer != WANTED_DONE) return answer;
  return read_rows(walk, rows) ? WANTED_DONE : WANTED_NONE;
}

/* Copies what a run looks at in a table with rows. */
static int copy_rows(Walk *walk, int at, WantedProgram *program) {
  RowCopies rows = {.placed = 1};
  int answer = WANTED_MORE;
  for (int k = 0; k < TRIES && answer == WANTED_MORE; k++) {
    answer = find_rows(walk, at, rows.placed, &rows, program);
    if (answer == WANTED_DONE) answer = copy_elements(walk, at, &rows, program);
  }
  return answer == WANTED_MORE ? WANTED_ALL : answer;
}

/* For lua_program.c ------------------------------------------------------- */

double bind_wanted_guess(lua_State *L) {
  int top = lua_gettop(L);
  if (!lua_istable(L, 1)) return 0.0;
  double guess = (double)lua_rawlen(L, 1);
  Walk walk = bind_walk_begin(L);
  lua_rawgeti(L, 1, 1);
  if (walk_has_rows(&walk) && bind_walk_follow(&walk, 1, walk.length) &&
      lua_istable(L, -1))
    guess *= (double)lua_rawlen(L, -1);
  lua_settop(L, top);
  return guess;
}

/* Begins with arguments 1 to 6. False: they are not for a copy by need. */
static bool begin_wanted(lua_State *L, Walk *walk, int *at) {
  CopyKind kind = bind_copy_kind(L, 3);
  luaL_checktype(L, 4, LUA_TTABLE);
  uint64_t place = bind_whole_check(L, 5);
  if (!lua_istable(L, 1) || lua_rawlen(L, 1) >= ECS_ARRAY_LIMIT || place < 1 ||
      place > INT32_MAX / 2)
    return false;
  bool whole = lua_toboolean(L, 6);
  *walk = bind_walk_begin(L);
  walk->kind = kind;
  walk->whole = whole;
  *at = (int)place;
  return true;
}

int bind_copy_wanted(lua_State *L, WantedProgram *program) {
  Walk walk;
  int at;
  if (!begin_wanted(L, &walk, &at)) return WANTED_ALL;
  return walk_has_rows(&walk) ? copy_rows(&walk, at, program)
                              : copy_flat(&walk, at, program);
}

int bind_want_keys(lua_State *L, WantedProgram *program, uint32_t *count) {
  Walk walk;
  int at;
  RowCopies rows;
  if (!begin_wanted(L, &walk, &at)) return WANTED_ALL;
  bool has_rows = walk_has_rows(&walk);
  int answer = has_rows ? find_rows(&walk, at, 1, &rows, program)
                        : find_flat(&walk, at, &rows.elements, program);
  if (answer != WANTED_DONE) return answer;
  *count = (has_rows ? rows.starts : rows.elements)->wanted_count;
  if (!has_rows) end_sparse(rows.elements, true);
  return answer;
}

int bind_want_elements(lua_State *L, WantedProgram *program, double placed,
                       uint32_t *count) {
  Walk walk;
  int at;
  RowCopies rows;
  if (!begin_wanted(L, &walk, &at) || !find_copies(L, at, &rows) ||
      !rows.starts->is_sparse || !(placed >= 0.0) ||
      placed > rows.elements->room)
    return WANTED_ALL;
  rows.placed = (uint32_t)placed;
  int answer = ask_elements(&walk, at, &rows, program);
  *count = rows.elements->wanted_count;
  return answer;
}

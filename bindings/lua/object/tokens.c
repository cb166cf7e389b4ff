/* tokens.c: splits Lua text into arrays of tokens.
 *
 *      read_tokens(text, start, line, stop, keywords, tonumber)
 *                  kinds, values, lines, starts, stops, count; nothing where
 *                  the text is no Lua that this file understands
 *
 * The tokens of bytes start to stop of the text, of which the first is on this
 * line; a last one may go on behind stop. scripts/ecs/compile/lexer.lua says
 * what the arrays are, and adds the end of the text. keywords: word -> word.
 * tonumber may be nil: then there are tokens of these words alone.
 *
 * A system is defined from the text of a whole file, and in Lua a token would
 * cost half a microsecond.
 */
#include "object/tokens.h"

#include <string.h>

/* Positions are offsets into the text, from 0; in the arrays, from 1. */
typedef struct Reader {
  lua_State *L;
  const char *text;
  size_t length;    /* of all of it */
  size_t place;     /* of the token, or of what is between two */
  size_t after;     /* place of the next one */
  int line, breaks; /* of the token; line breaks in it */
  int count;
  bool only_words;
} Reader;

/* Where the arguments are, the arrays, and strings that are used often. */
enum {
  TEXT = 1,
  KEYWORDS = 5,
  TO_NUMBER,
  KINDS,
  VALUES,
  LINES,
  STARTS,
  STOPS,
  NAME,
  NUMBER,
  STRING
};

/* Bytes ------------------------------------------------------------------- */

/* The byte at a place; 0 behind the text. */
static unsigned char byte_at(const Reader *reader, size_t place) {
  return place < reader->length ? (unsigned char)reader->text[place] : 0;
}

static bool is_digit(unsigned char byte) { return byte >= '0' && byte <= '9'; }

/* Can a name begin with the byte? On LuaJIT, with all that are not ASCII. */
static bool is_letter(unsigned char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         byte == '_' || byte >= 128;
}

static bool is_blank(unsigned char byte) {
  return byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f';
}

static bool is_break(unsigned char byte) {
  return byte == '\n' || byte == '\r';
}

/* The place behind the line break at a place: \r\n and \n\r are one. */
static size_t after_break(const Reader *reader, size_t place) {
  unsigned char one = byte_at(reader, place),
                other = byte_at(reader, place + 1);
  return place + (is_break(other) && other != one ? 2 : 1);
}

/* What is long ------------------------------------------------------------ */

/* The place behind a long bracket that opens at a place; 0: none does, or it
 * does not close. */
static size_t after_long(const Reader *reader, size_t place) {
  size_t level = 0, first;
  if (byte_at(reader, place) != '[') return 0;
  while (byte_at(reader, place + 1 + level) == '=') level++;
  first = place + 1 + level;
  if (byte_at(reader, first) != '[') return 0;
  for (size_t k = first + 1; k + level + 1 < reader->length; k++) {
    const char *close = memchr(reader->text + k, ']', reader->length - k);
    if (close == NULL) return 0;
    k = (size_t)(close - reader->text);
    size_t signs = 0;
    while (signs < level && byte_at(reader, k + 1 + signs) == '=') signs++;
    if (signs == level && byte_at(reader, k + 1 + level) == ']')
      return k + level + 2;
  }
  return 0;
}

/* The place behind a comment that begins at a place with its dashes. */
static size_t after_comment(const Reader *reader, size_t place) {
  size_t after = after_long(reader, place + 2);
  if (after > 0) return after;
  while (place < reader->length && !is_break(byte_at(reader, place))) place++;
  return place;
}

/* The place behind a quoted string that opens at a place; 0: it does not end.
 */
static size_t after_quoted(const Reader *reader, size_t place) {
  unsigned char quote = byte_at(reader, place);
  for (size_t k = place + 1; k < reader->length; k++) {
    if (byte_at(reader, k) == quote) return k + 1;
    if (byte_at(reader, k) == '\\') k++;
  }
  return 0;
}

/* The place behind the number at a place. As in Lua, every byte that could
 * belong to a number does. */
static size_t after_number(const Reader *reader, size_t place) {
  bool hexadecimal =
      byte_at(reader, place) == '0' && (byte_at(reader, place + 1) | 32) == 'x';
  for (;; place++) {
    unsigned char byte = byte_at(reader, place);
    if (!is_letter(byte) && !is_digit(byte) && byte != '.') return place;
    if ((byte | 32) != (hexadecimal ? 'p' : 'e')) continue;
    byte = byte_at(reader, place + 1);
    if (byte == '+' || byte == '-') place++;
  }
}

/* The bytes of the sign at a place. */
static size_t sign_bytes(const Reader *reader, size_t place) {
  unsigned char one = byte_at(reader, place),
                other = byte_at(reader, place + 1);
  if (one == '.' && other == '.')
    return byte_at(reader, place + 2) == '.' ? 3 : 2;
  if (other == '=' && one != 0 && strchr("=~<>", one)) return 2;
  return one == other && one != 0 && strchr("/:<>", one) ? 2 : 1;
}

static int breaks_in(const Reader *reader, size_t place, size_t end) {
  int count = 0;
  while (place < end)
    if (is_break(byte_at(reader, place))) {
      count++;
      place = after_break(reader, place);
    } else {
      place++;
    }
  return count;
}

/* Tokens ------------------------------------------------------------------ */

static void set_place(const Reader *reader, int array, size_t place) {
  compat_push_integer(reader->L, (int64_t)place);
  lua_rawseti(reader->L, array, reader->count);
}

/* Adds a token. Its kind is on top of the stack, and is popped. */
static void add(Reader *reader) {
  reader->count++;
  lua_rawseti(reader->L, KINDS, reader->count);
  compat_push_integer(reader->L, reader->line);
  lua_rawseti(reader->L, LINES, reader->count);
  set_place(reader, STARTS, reader->place + 1);
  set_place(reader, STOPS, reader->after);
}

/* Adds a token with a value, which is on top of the stack, and is popped. kind:
 * where it is on the stack. */
static void add_with_value(Reader *reader, int kind) {
  lua_rawseti(reader->L, VALUES, reader->count + 1);
  lua_pushvalue(reader->L, kind);
  add(reader);
}

static void push_text(const Reader *reader) {
  lua_pushlstring(reader->L, reader->text + reader->place,
                  reader->after - reader->place);
}

static void read_word(Reader *reader) {
  lua_State *L = reader->L;
  size_t after = reader->place + 1;
  while (is_letter(byte_at(reader, after)) || is_digit(byte_at(reader, after)))
    after++;
  reader->after = after;
  push_text(reader);
  lua_pushvalue(L, -1);
  lua_rawget(L, KEYWORDS);
  if (!lua_isnil(L, -1)) {
    lua_remove(L, -2);
    add(reader);
  } else {
    lua_pop(L, 1);
    if (reader->only_words)
      lua_pop(L, 1);
    else
      add_with_value(reader, NAME);
  }
}

/* The value of a number that is no double, 1LL or 2i, is false. */
static void read_number(Reader *reader) {
  lua_State *L = reader->L;
  reader->after = after_number(reader, reader->place);
  if (reader->only_words) return;
  lua_pushvalue(L, TO_NUMBER);
  push_text(reader);
  lua_call(L, 1, 1);
  if (lua_type(L, -1) != LUA_TNUMBER) {
    lua_pop(L, 1);
    lua_pushboolean(L, 0);
  }
  add_with_value(reader, NUMBER);
}

/* A string, or nothing but a comment; after: where it ends. */
static void read_long(Reader *reader, size_t after, bool is_string) {
  reader->after = after;
  reader->breaks = breaks_in(reader, reader->place, after);
  if (!is_string || reader->only_words) return;
  lua_pushvalue(reader->L, STRING);
  add(reader);
}

/* Reads what is at the place, and is neither a word nor a blank. False: it is
 * no Lua. */
static bool read_other(Reader *reader) {
  unsigned char byte = byte_at(reader, reader->place);
  unsigned char next = byte_at(reader, reader->place + 1);
  size_t after;
  if (is_break(byte)) {
    reader->after = after_break(reader, reader->place);
    reader->breaks = 1;
  } else if (byte == '-' && next == '-') {
    read_long(reader, after_comment(reader, reader->place), false);
  } else if (is_digit(byte) || (byte == '.' && is_digit(next))) {
    read_number(reader);
  } else if (byte == '"' || byte == '\'') {
    after = after_quoted(reader, reader->place);
    if (after == 0) return false;
    read_long(reader, after, true);
  } else if (byte == '[' && (after = after_long(reader, reader->place)) > 0) {
    read_long(reader, after, true);
  } else {
    reader->after = reader->place + sign_bytes(reader, reader->place);
    if (reader->only_words) return true;
    push_text(reader);
    add(reader);
  }
  return true;
}

/* As many tokens as there mostly are at least between two places. */
static int likely_count(const Reader *reader, size_t end, size_t start) {
  size_t count = end > start ? (end - start) / 4 : 0;
  if (reader->only_words) return 0;
  return count < 32768 ? (int)count : 32768;
}

static int read_tokens(lua_State *L) {
  Reader reader = {.L = L};
  lua_settop(L, TO_NUMBER);
  reader.text = luaL_checklstring(L, TEXT, &reader.length);
  lua_Integer start = luaL_checkinteger(L, 2), stop = luaL_checkinteger(L, 4);
  reader.line = (int)luaL_checkinteger(L, 3);
  luaL_checktype(L, KEYWORDS, LUA_TTABLE);
  luaL_argcheck(L, start >= 1, 2, "no place");
  reader.only_words = lua_isnil(L, TO_NUMBER);
  size_t end = stop < 0 ? 0 : (size_t)stop;
  if (end > reader.length) end = reader.length;
  for (int k = KINDS; k <= STOPS; k++)
    lua_createtable(L, likely_count(&reader, end, (size_t)start - 1), 0);
  lua_pushliteral(L, "name");
  lua_pushliteral(L, "number");
  lua_pushliteral(L, "string");
  for (reader.place = (size_t)start - 1; reader.place < end;
       reader.place = reader.after) {
    unsigned char byte = byte_at(&reader, reader.place);
    reader.after = reader.place + 1;
    reader.breaks = 0;
    if (is_letter(byte))
      read_word(&reader);
    else if (!is_blank(byte) && !read_other(&reader))
      return 0;
    reader.line += reader.breaks;
  }
  lua_settop(L, STOPS);
  lua_pushinteger(L, reader.line);
  compat_push_integer(L, reader.count);
  return 7;
}

static const luaL_Reg functions[] = {{"read_tokens", read_tokens},
                                     {NULL, NULL}};

void bind_open_tokens(lua_State *L) { bind_add(L, functions); }

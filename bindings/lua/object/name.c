/* name.c: names of components, fields, systems, phases and totals. */
#include "object/name.h"

#include "api/for_bindings.h"

/* The bytes of the UTF-8 sequence that starts at text. Returns 0 when it is
 * broken: cut off, longer than necessary, or encoding a number that is no
 * character (a surrogate, or past 10ffff). */
static size_t sequence_bytes(const unsigned char *text, size_t left) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t bytes = *text < 0x80                    ? 1
                 : *text >= 0xc0 && *text < 0xe0 ? 2
                 : *text >= 0xe0 && *text < 0xf0 ? 3
                 : *text >= 0xf0 && *text < 0xf8 ? 4
                                                 : 0;
  if (bytes == 0 || bytes > left) return 0;
  uint32_t number = bytes == 1 ? *text : *text & (0x7fu >> bytes);
  for (size_t k = 1; k < bytes; k++) {
    if ((text[k] & 0xc0) != 0x80) return 0;
    number = number << 6 | (text[k] & 0x3fu);
  }
  bool surrogate = number >= 0xd800 && number < 0xe000;
  return number < least[bytes] || surrogate || number > 0x10ffff ? 0 : bytes;
}

bool bind_name_is_valid(const char *name, size_t bytes) {
  if (bytes == 0 || bytes > ECS_NAME_LIMIT) return false;
  for (size_t k = 0; k < bytes;) {
    const unsigned char *text = (const unsigned char *)name + k;
    size_t step = sequence_bytes(text, bytes - k);
    if (step == 0 || *text < 0x20 || *text == 0x7f) return false;
    k += step;
  }
  return true;
}

/* is_name(text) */
static int is_name(lua_State *L) {
  size_t bytes = 0;
  const char *name = luaL_checklstring(L, 1, &bytes);
  lua_pushboolean(L, bind_name_is_valid(name, bytes));
  return 1;
}

void bind_open_name(lua_State *L) {
  static const luaL_Reg functions[] = {{"is_name", is_name}, {NULL, NULL}};
  bind_add(L, functions);
}

/* packed.c: plain data of scripts as bytes, a subset of MessagePack. */
#define ECS_DEFINES_API /* ecs.h */

#include "state/packed.h"

#include <string.h>

#include "base/scalar.h"

/* Numbers and texts ------------------------------------------------------- */

static uint64_t bits_of(double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return number != number ? SCALAR_QUIET_F64 : bits;
}

Packed ecs_packed_number(double number) {
  bool is_whole = number >= -9223372036854775808.0 &&
                  number < 9223372036854775808.0 &&
                  bits_of((double)(int64_t)number) == bits_of(number);
  return (Packed){.kind = is_whole ? PACKED_INTEGER : PACKED_NUMBER,
                  .integer = is_whole ? (int64_t)number : 0,
                  .number = number};
}

/* The bytes of a character of UTF-8 that begins here; 0: none does. */
static uint32_t character(const unsigned char *at, uint32_t left) {
  uint32_t count = at[0] < 0x80   ? 1
                   : at[0] < 0xc2 ? 0
                   : at[0] < 0xe0 ? 2
                   : at[0] < 0xf0 ? 3
                   : at[0] < 0xf5 ? 4
                                  : 0;
  if (count > left) return 0;
  for (uint32_t k = 1; k < count; k++)
    if ((at[k] & 0xc0) != 0x80) return 0;
  /* Neither longer than needed, nor a surrogate, nor beyond the last one. */
  if (at[0] == 0xe0 && at[1] < 0xa0) return 0;
  if (at[0] == 0xed && at[1] > 0x9f) return 0;
  if (at[0] == 0xf0 && at[1] < 0x90) return 0;
  if (at[0] == 0xf4 && at[1] > 0x8f) return 0;
  return count;
}

static bool is_utf8(const char *text, uint32_t count) {
  const unsigned char *at = (const unsigned char *)text;
  for (uint32_t k = 0; k < count;) {
    uint32_t bytes = character(at + k, count - k);
    if (bytes == 0) return false;
    k += bytes;
  }
  return true;
}

/* Writing ----------------------------------------------------------------- */

/* A byte, and a number of so many bytes, the highest first. */
static uint32_t put(char *to, uint32_t byte, uint64_t value, uint32_t count) {
  to[0] = (char)byte;
  for (uint32_t k = 0; k < count; k++)
    to[1 + k] = (char)(value >> 8 * (count - 1 - k));
  return 1 + count;
}

static uint32_t put_integer(char *to, int64_t integer) {
  uint64_t bits = (uint64_t)integer;
  if (integer >= 0) {
    if (integer < 128) return put(to, (uint32_t)integer, 0, 0);
    if (integer <= UINT8_MAX) return put(to, 0xcc, bits, 1);
    if (integer <= UINT16_MAX) return put(to, 0xcd, bits, 2);
    if (integer <= UINT32_MAX) return put(to, 0xce, bits, 4);
    return put(to, 0xcf, bits, 8);
  }
  if (integer >= -32) return put(to, (uint32_t)(bits & 0xff), 0, 0);
  if (integer >= INT8_MIN) return put(to, 0xd0, bits, 1);
  if (integer >= INT16_MIN) return put(to, 0xd1, bits, 2);
  if (integer >= INT32_MIN) return put(to, 0xd2, bits, 4);
  return put(to, 0xd3, bits, 8);
}

static uint32_t put_text(char *to, const Packed *value) {
  uint32_t count = value->count;
  if (is_utf8(value->text, count)) {
    if (count < 32) return put(to, 0xa0 | count, 0, 0);
    if (count <= UINT8_MAX) return put(to, 0xd9, count, 1);
    if (count <= UINT16_MAX) return put(to, 0xda, count, 2);
    return put(to, 0xdb, count, 4);
  }
  if (count <= UINT8_MAX) return put(to, 0xc4, count, 1);
  if (count <= UINT16_MAX) return put(to, 0xc5, count, 2);
  return put(to, 0xc6, count, 4);
}

/* Of a few parts; few: the byte for none. many: the one for 16 bits, behind which
 * is that for 32. */
static uint32_t put_parts(char *to, uint32_t count, uint32_t few,
                          uint32_t many) {
  if (count < 16) return put(to, few | count, 0, 0);
  if (count <= UINT16_MAX) return put(to, many, count, 2);
  return put(to, many + 1, count, 4);
}

static uint32_t put_made(char *to, uint32_t count) {
  uint32_t power = 0, head;
  while (power < 4 && UINT32_C(1) << power < count) power++;
  if (count == UINT32_C(1) << power)
    head = put(to, 0xd4 + power, 0, 0);
  else if (count <= UINT8_MAX)
    head = put(to, 0xc7, count, 1);
  else if (count <= UINT16_MAX)
    head = put(to, 0xc8, count, 2);
  else
    head = put(to, 0xc9, count, 4);
  to[head] = 1;
  return head + 1;
}

uint32_t ecs_packed_head(const Packed *value, char to[PACKED_HEAD]) {
  switch (value->kind) {
    case PACKED_BOOLEAN: return put(to, value->integer ? 0xc3 : 0xc2, 0, 0);
    case PACKED_INTEGER: return put_integer(to, value->integer);
    case PACKED_NUMBER: return put(to, 0xcb, bits_of(value->number), 8);
    case PACKED_TEXT: return put_text(to, value);
    case PACKED_LIST: return put_parts(to, value->count, 0x90, 0xdc);
    case PACKED_MAP: return put_parts(to, value->count, 0x80, 0xde);
    case PACKED_MADE: return put_made(to, value->count);
    case PACKED_NIL: break;
  }
  return put(to, 0xc0, 0, 0);
}

/* Reading ----------------------------------------------------------------- */

/* Is there a number of so many bytes? */
static bool take(const char **at, const char *end, uint32_t count,
                 uint64_t *value) {
  if ((size_t)(end - *at) < count) return false;
  *value = 0;
  for (uint32_t k = 0; k < count; k++)
    *value = *value << 8 | (unsigned char)(*at)[k];
  *at += count;
  return true;
}

static bool take_count(const char **at, const char *end, uint32_t bytes,
                       PackedKind kind, Packed *value) {
  uint64_t count = 0;
  value->kind = kind;
  if (!take(at, end, bytes, &count)) return false;
  value->count = (uint32_t)count;
  return true;
}

static bool take_integer(const char **at, const char *end, uint32_t byte,
                         Packed *value) {
  uint64_t bits = 0;
  uint32_t bytes = UINT32_C(1) << (byte & 3u);
  value->kind = PACKED_INTEGER;
  if (!take(at, end, bytes, &bits)) return false;
  /* Those with a sign stand behind the others. */
  if (byte >= 0xd0 && bytes < 8 && bits >> (8 * bytes - 1) != 0)
    bits |= UINT64_MAX << 8 * bytes;
  value->integer = (int64_t)bits;
  return byte >= 0xd0 || value->integer >= 0;
}

static bool take_number(const char **at, const char *end, Packed *value) {
  uint64_t bits = 0;
  if (!take(at, end, 8, &bits)) return false;
  memcpy(&value->number, &bits, sizeof bits);
  value->kind = PACKED_NUMBER;
  return ecs_packed_number(value->number).kind == PACKED_NUMBER;
}

/* What an ext is: a byte for its type, behind the count. */
static bool take_made(const char **at, const char *end, Packed *value) {
  uint64_t type = 0;
  value->kind = PACKED_MADE;
  return take(at, end, 1, &type) && type == 1;
}

/* One that begins with a byte; not yet whether it is in its shortest form. */
static bool take_any(const char **at, const char *end, uint32_t byte,
                     Packed *value) {
  value->integer = byte < 128 ? (int64_t)byte : (int64_t)byte - 256;
  value->kind = PACKED_INTEGER;
  if (byte < 0x80 || byte >= 0xe0) return true;
  value->count = byte & 15u;
  value->kind = PACKED_MAP;
  if (byte < 0x90) return true;
  value->kind = PACKED_LIST;
  if (byte < 0xa0) return true;
  value->count = byte & 31u;
  value->kind = PACKED_TEXT;
  if (byte < 0xc0) return true;
  value->count = 0;
  switch (byte) {
    case 0xc0: value->kind = PACKED_NIL; return true;
    case 0xc2:
    case 0xc3:
      value->kind = PACKED_BOOLEAN;
      value->integer = byte == 0xc3;
      return true;
    case 0xc4:
    case 0xc5:
    case 0xc6:
      return take_count(at, end, 1u << (byte - 0xc4), PACKED_TEXT, value);
    case 0xc7:
    case 0xc8:
    case 0xc9:
      return take_count(at, end, 1u << (byte - 0xc7), PACKED_MADE, value) &&
             take_made(at, end, value);
    case 0xcb: return take_number(at, end, value);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: return take_integer(at, end, byte, value);
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8:
      value->count = 1u << (byte - 0xd4);
      return take_made(at, end, value);
    case 0xd9:
    case 0xda:
    case 0xdb:
      return take_count(at, end, 1u << (byte - 0xd9), PACKED_TEXT, value);
    case 0xdc:
    case 0xdd:
      return take_count(at, end, 2u << (byte - 0xdc), PACKED_LIST, value);
    case 0xde:
    case 0xdf:
      return take_count(at, end, 2u << (byte - 0xde), PACKED_MAP, value);
    default: return false;
  }
}

bool ecs_packed_next(const char **at, const char *end, Packed *value) {
  const char *begin = *at;
  char head[PACKED_HEAD];
  *value = (Packed){.kind = PACKED_NIL};
  if (begin == end) return false;
  *at = begin + 1;
  if (!take_any(at, end, (unsigned char)*begin, value)) return false;
  size_t bytes = (size_t)(*at - begin), left = (size_t)(end - *at);
  /* Each part has a byte at least. */
  if (value->count > left ||
      (value->count > PACKED_MOST && value->kind != PACKED_MADE))
    return false;
  if (value->kind == PACKED_TEXT) {
    value->text = *at;
    *at += value->count;
  }
  return ecs_packed_head(value, head) == bytes &&
         memcmp(head, begin, bytes) == 0;
}

/* Checking ---------------------------------------------------------------- */

static bool check(const char **at, const char *end, uint32_t depth);

/* Is it a key, as it is in a table? */
static bool is_key(const Packed *key) {
  return key->kind == PACKED_BOOLEAN || key->kind == PACKED_INTEGER ||
         key->kind == PACKED_TEXT ||
         (key->kind == PACKED_NUMBER && key->number == key->number &&
          key->number != 0);
}

/* Comes a key before another one? No key is the beginning of another. */
static bool is_before(const char *one, size_t one_bytes, const char *other,
                      size_t other_bytes) {
  size_t bytes = one_bytes < other_bytes ? one_bytes : other_bytes;
  return memcmp(one, other, bytes) < 0;
}

static bool check_map(const char **at, const char *end, uint32_t count,
                      uint32_t depth) {
  const char *last = NULL;
  size_t last_bytes = 0;
  uint32_t in_list = 0; /* keys that a list of so many elements has */
  for (uint32_t k = 0; k < count; k++) {
    const char *begin = *at;
    Packed key;
    if (!ecs_packed_next(at, end, &key) || !is_key(&key)) return false;
    size_t bytes = (size_t)(*at - begin);
    if (last != NULL && !is_before(last, last_bytes, begin, bytes))
      return false;
    last = begin;
    last_bytes = bytes;
    in_list += key.kind == PACKED_INTEGER && key.integer >= 1 &&
               key.integer <= (int64_t)count;
    if (!check(at, end, depth)) return false;
  }
  return in_list < count;
}

/* depth: of tables that it lies in. */
static bool check(const char **at, const char *end, uint32_t depth) {
  Packed value;
  if (!ecs_packed_next(at, end, &value)) return false;
  switch (value.kind) {
    case PACKED_LIST:
      if (depth == PACKED_DEPTH) return false;
      for (uint32_t k = 0; k < value.count; k++)
        if (!check(at, end, depth + 1)) return false;
      return true;
    case PACKED_MAP:
      return depth < PACKED_DEPTH && check_map(at, end, value.count, depth + 1);
    case PACKED_NIL:
    case PACKED_MADE: return false;
    default: return true;
  }
}

bool packed_check(const char **at, const char *end) {
  const char *begin = *at;
  Packed value;
  if (!ecs_packed_next(at, end, &value)) return false;
  if (value.kind != PACKED_MADE) {
    *at = begin;
    return check(at, end, 0);
  }
  const char *behind = *at + value.count;
  begin = *at;
  if (!ecs_packed_next(at, behind, &value)) return false;
  if (value.kind == PACKED_NIL) return *at == behind;
  *at = begin;
  return check(at, behind, 0) && *at == behind;
}

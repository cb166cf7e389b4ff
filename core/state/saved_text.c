/* saved_text.c: the words of a save: names, types, and where columns are. */
#include "state/saved_text.h"

#include <stdio.h>
#include <string.h>

/* Names ------------------------------------------------------------------- */

static const char hex_digits[] = "0123456789ABCDEF";

static bool is_plain(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
}

const char *saved_name(const char *name, char to[SAVED_NAME]) {
  char *at = to;
  for (; *name != 0; name++) {
    ECS_ASSERT(at - to + 4 <= (long)SAVED_NAME);
    if (is_plain(*name)) {
      *at++ = *name;
      continue;
    }
    *at++ = '%';
    *at++ = hex_digits[(uint8_t)*name >> 4];
    *at++ = hex_digits[(uint8_t)*name & 15u];
  }
  *at = 0;
  return to;
}

/* The value of a digit; 16: it is none. */
static uint32_t digit(char byte) {
  const char *at = byte == 0 ? NULL : strchr(hex_digits, byte);
  return at == NULL ? 16u : (uint32_t)(at - hex_digits);
}

bool saved_name_read(const char *text, size_t bytes, char to[256]) {
  size_t count = 0;
  for (size_t i = 0; i < bytes; i++) {
    char byte = text[i];
    if (count == 255) return false;
    if (byte == '%') {
      if (bytes - i < 3) return false;
      uint32_t high = digit(text[i + 1]), low = digit(text[i + 2]);
      byte = (char)(high << 4 | low);
      if (high > 15 || low > 15 || byte == 0 || is_plain(byte)) return false;
      i += 2;
    } else if (!is_plain(byte)) {
      return false;
    }
    to[count++] = byte;
  }
  to[count] = 0;
  return count > 0;
}

const char *saved_path(const char *folder, const char *name, const char *field,
                       char to[SAVED_PATH]) {
  char one[SAVED_NAME], other[SAVED_NAME] = "";
  if (field != NULL) saved_name(field, other);
  snprintf(to, SAVED_PATH, "%s/%s%s%s.npy", folder, saved_name(name, one),
           field != NULL ? "." : "", other);
  return to;
}

/* Words ------------------------------------------------------------------- */

static const char *const types[ECS_SCALAR_COUNT] = {
    "f32", "f64", "i8",   "u8",     "i16",    "u16",
    "i32", "u32", "bool", "entity", "string", "any"};
static const char *const storages[] = {"table", "sparse", "bits"};
static const char *const rules[] = {
    "clear", "clear-tree", "remove", "remove-tree", "destroy", "destroy-tree"};

/* The position of a word in a list; count: it is not there. */
static uint32_t find(const char *const *words, uint32_t count, const char *word,
                     size_t bytes) {
  uint32_t i = 0;
  while (i < count &&
         (strlen(words[i]) != bytes || memcmp(words[i], word, bytes) != 0))
    i++;
  return i;
}

const char *saved_type(ecs_Scalar type) { return types[type]; }

ecs_Scalar saved_type_read(const char *word, size_t bytes) {
  return (ecs_Scalar)find(types, ECS_SCALAR_COUNT, word, bytes);
}

const char *saved_storage(ecs_Storage storage) { return storages[storage]; }

bool saved_storage_read(const char *word, size_t bytes, ecs_Storage *storage) {
  uint32_t found = find(storages, 3, word, bytes);
  *storage = (ecs_Storage)found;
  return found < 3;
}

const char *saved_link(const SchemaField *field) {
  _Static_assert(
      ECS_LINK_CLEAR == 0 && ECS_LINK_REMOVE == 1 && ECS_LINK_DESTROY == 2,
      "as in rules");
  if (field->link == SCHEMA_NO_LINK) return "-";
  return rules[field->link * 2u + (field->tree ? 1u : 0u)];
}

bool saved_link_read(const char *word, size_t bytes, SchemaField *field) {
  uint32_t found = find(rules, 6, word, bytes);
  field->link = found < 6 ? (uint8_t)(found / 2) : SCHEMA_NO_LINK;
  field->tree = found < 6 && found % 2 == 1;
  return found < 6 || (bytes == 1 && word[0] == '-');
}

/* Arrays ------------------------------------------------------------------ */

static const char *const descriptions[ECS_SCALAR_COUNT] = {
    "<f4", "<f8", "|i1", "|u1", "<i2", "<u2",
    "<i4", "<u4", "|b1", "<u8", "<u4", "<u4"};

static void write_head(ecs_Scalar type, const char *shape,
                       char to[SAVED_HEAD]) {
  static const char magic[10] = "\x93NUMPY\x01\x00\x76"; /* 118 bytes follow */
  char text[SAVED_HEAD];
  int length = snprintf(text, sizeof text,
                        "{'descr': '%s', 'fortran_order': False, "
                        "'shape': (%s), }",
                        descriptions[type], shape);
  ECS_ASSERT(length > 0 && length < (int)(SAVED_HEAD - sizeof magic));
  memset(to, ' ', SAVED_HEAD);
  memcpy(to, magic, sizeof magic);
  memcpy(to + sizeof magic, text, (size_t)length);
  to[SAVED_HEAD - 1] = '\n';
}

void saved_array_head(ecs_Scalar type, uint64_t count, char to[SAVED_HEAD]) {
  char shape[32];
  snprintf(shape, sizeof shape, "%llu,", (unsigned long long)count);
  write_head(type, shape, to);
}

void saved_sizes_head(ecs_Scalar type, const uint32_t *sizes,
                      uint32_t dimensions, char to[SAVED_HEAD]) {
  char shape[48];
  if (dimensions == 1)
    snprintf(shape, sizeof shape, "%u,", sizes[0]);
  else if (dimensions == 2)
    snprintf(shape, sizeof shape, "%u, %u", sizes[0], sizes[1]);
  else
    snprintf(shape, sizeof shape, "%u, %u, %u", sizes[0], sizes[1], sizes[2]);
  write_head(type, shape, to);
}

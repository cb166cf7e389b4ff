/* kept_columns.c: columns that were copied into tables and still are what is
 * there. */
#include "query/kept_columns.h"

#include <string.h>

#include "api/for_bindings.h"

/* Makes room for as many rows; forgets what was kept when it has to grow. */
static void ensure_room(lua_State *L, KeptColumn *kept, int buffers, int key,
                        uint32_t rows, uint32_t bytes) {
  if (rows <= kept->capacity) return;
  size_t room =
      ((size_t)rows + rows / 4 + COPY_BLOCK) & ~(size_t)(COPY_BLOCK - 1);
  char *buffer = (char *)lua_newuserdata(L, room * bytes + room / COPY_BLOCK);
  lua_rawseti(L, buffers, key);
  kept->rows = 0;
  kept->bytes = buffer;
  kept->exact = (uint8_t *)(buffer + room * bytes);
  kept->capacity = (uint32_t)room;
}

void bind_kept_fill(lua_State *L, KeptColumn *kept, int buffers, int key,
                    ecs_Scalar type, const void *elements, uint32_t count) {
  uint32_t bytes = ecs_scalar_bytes(type);
  int table = lua_gettop(L);
  ensure_room(L, kept, buffers, key, count, bytes);
  uint32_t known = kept->rows, filled = kept->filled;
  kept->rows = 0; /* in case that memory runs out */
  if (kept->filled < count) kept->filled = count;
  for (uint32_t first = 0; first < count; first += COPY_BLOCK) {
    uint32_t rows = count - first < COPY_BLOCK ? count - first : COPY_BLOCK;
    const char *from = (const char *)elements + (size_t)first * bytes;
    char *copy = kept->bytes + (size_t)first * bytes;
    if (first + rows <= known && kept->exact[first / COPY_BLOCK] &&
        memcmp(from, copy, (size_t)rows * bytes) == 0)
      continue;
    bind_column_fill(L, table, first, type, from, rows);
    memcpy(copy, from, (size_t)rows * bytes);
    kept->exact[first / COPY_BLOCK] = 1;
  }
  for (uint32_t i = count; i < filled; i++) {
    lua_pushnil(L);
    lua_rawseti(L, table, (int)i + 1);
  }
  kept->filled = kept->rows = count;
}

uint32_t bind_kept_store(lua_State *L, KeptColumn *kept, int table,
                         ecs_Scalar type, void *elements, uint32_t count) {
  ECS_ASSERT(kept->rows == count);
  uint32_t wrong =
      bind_column_store(L, table, type, elements, count, kept->exact);
  memcpy(kept->bytes, elements, (size_t)count * ecs_scalar_bytes(type));
  return wrong;
}

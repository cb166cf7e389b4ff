/* message_pack.h: plain data of scripts as bytes, and back: state/packed.h. */
#ifndef ECS_LUA_MESSAGE_PACK_H
#define ECS_LUA_MESSAGE_PACK_H

#include "object/object.h"

/* Bytes that grow, in a userdata of Lua. */
typedef struct PackRoom {
  int index; /* of the userdata on the stack; a positive one */
  char *bytes;
  size_t count, capacity;
  uint64_t limit_bytes; /* of a table; 0: PACKED_MOST alone */
  uint32_t parts;       /* of the value that is packed: all values in it */
} PackRoom;

/* Pushes a userdata for bytes. limit_bytes: see PackRoom. */
BIND_INTERNAL void bind_pack_room(lua_State *L, PackRoom *room,
                                  uint64_t limit_bytes);

/* Appends bytes; the text may be NULL where they are none. */
BIND_INTERNAL void bind_pack_bytes(lua_State *L, PackRoom *room,
                                   const char *bytes, size_t count);

/* Appends the value at a positive index, which is not nil; the room was empty.
 * A table in several places is packed in each, so a few tables could have any
 * number of parts: there is a limit. Returns NULL, or what is wrong with it, as in
 * "has a function in it"; then what was appended is of no use. Allocates, so
 * finalizers may run; calls no metamethod. */
BIND_INTERNAL const char *bind_pack(lua_State *L, PackRoom *room, int index);

/* Pushes the value that begins at *at, which was checked (packed_check), and
 * passes over it; of what was made, the value that was. False: it has an integer
 * for which this Lua has no number; nothing is pushed. */
BIND_INTERNAL bool bind_unpack(lua_State *L, const char **at, const char *end);

#endif

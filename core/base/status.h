/* status.h: the outcomes of ecs.h with their sentences.
 *
 * One list gives code, name and text, so that none of them can be forgotten.
 * ecs.h repeats the codes because it must stay free of macros, and status.c
 * proves at compile time that the two agree.
 */
#ifndef ECS_STATUS_H
#define ECS_STATUS_H

#include "ecs.h"

/* clang-format off */
#define ECS_STATUS_LIST(X)                                                     \
  X(ECS_OK, "done")                                                            \
  X(ECS_E_MEMORY, "the allocator refused memory")                              \
  X(ECS_E_LIMIT, "a limit of this build is reached")                           \
  X(ECS_E_DEAD, "the entity is not alive")                                     \
  X(ECS_E_ABSENT, "the entity does not have the component")                    \
  X(ECS_E_COMPONENT, "no such component here, a tag, or one twice")            \
  X(ECS_E_FIELD, "no such field, or a field twice")                            \
  X(ECS_E_VALUE, "the value does not fit the field")                           \
  X(ECS_E_NAME, "the name is empty, too long or taken")                        \
  X(ECS_E_SCHEMA, "the name belongs to a component with another schema")       \
  X(ECS_E_OPEN, "not possible while a cursor is open or changes are deferred") \
  X(ECS_E_ACCESS, "an open cursor owns the component")                         \
  X(ECS_E_ARGUMENT, "an argument is outside its range")                        \
  X(ECS_E_LIBRARY, "the native library could not be loaded")                   \
  X(ECS_E_ABI, "the native library was built against another ecs.h")           \
  X(ECS_E_KERNEL, "no such kernel, or its columns do not fit the query")       \
  X(ECS_E_NAN, "a native kernel stored a NaN that carries a payload")          \
  X(ECS_E_PROGRAM, "the text is no kernel program")                            \
  X(ECS_E_TURNS, "a loop of a kernel program does not end")                    \
  X(ECS_E_TAKEN, "the handle cannot be given to an entity")                    \
  X(ECS_E_LINK, "the entity to link to is not alive")                          \
  X(ECS_E_CIRCLE, "the link would close a circle")                            \
  X(ECS_E_FILE, "the bytes are no save, or could not be written")
/* clang-format on */

#endif

/* text.h: text for people, written into a buffer of fixed size.
 *
 *      next -> | f u l l   p l a n 0 |     what fits, always ended by a 0
 *      length    counts all of it, as snprintf does, so that a caller can ask
 *                first and bring a buffer that is large enough
 *
 * Nothing here fails and nothing is allocated.
 */
#ifndef ECS_TEXT_H
#define ECS_TEXT_H

#include "base/config.h"
#include "ecs.h"

typedef struct Text {
  char *next;    /* where the next text goes; NULL when left is 0 */
  size_t left;   /* bytes left in the buffer, the final 0 included */
  size_t length; /* bytes of the whole text, without the final 0 */
} Text;

/* Appends text, formatted as by printf. Cannot fail. */
ECS_INTERNAL void text_say(Text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

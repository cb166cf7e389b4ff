/* text.h: text for people, written into a place of fixed size.
 *
 *      at --> | f u l l   p l a n 0 |      what fits, always ended by a 0
 *      length    counts all of it, as snprintf does, so that a caller can ask
 *                first and bring a place that is large enough
 *
 * Nothing here fails and nothing is allocated.
 */
#ifndef ECS_TEXT_H
#define ECS_TEXT_H

#include "base/config.h"
#include "ecs.h"

typedef struct Text {
  char *at;      /* where the next word goes; NULL where left is 0 */
  size_t left;   /* bytes, the final 0 included */
  size_t length; /* of all that was said, without the final 0 */
} Text;

/* Adds words, in the way of printf. */
ECS_INTERNAL void text_say(Text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

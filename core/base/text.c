/* text.c: text for people, written into a buffer of fixed size. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void text_say(Text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int written = vsnprintf(text->next, text->left, format, arguments);
  va_end(arguments);
  if (written < 0) return;
  size_t count = (size_t)written;
  size_t step = count < text->left ? count : text->left;
  text->length += count;
  text->next += step;
  text->left -= step;
}

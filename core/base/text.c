/* text.c: text for people, written into a place of fixed size. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void text_say(Text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int written = vsnprintf(text->at, text->left, format, arguments);
  va_end(arguments);
  if (written < 0) return;
  size_t count = (size_t)written;
  size_t step = count < text->left ? count : text->left;
  text->length += count;
  text->at += step;
  text->left -= step;
}

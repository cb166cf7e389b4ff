/* rig_fixture.h: a rig for the tests of one file, and programs of its columns.
 */
#ifndef RIG_FIXTURE_H
#define RIG_FIXTURE_H

#include <stdio.h>

#include "program_rig.h"

static Rig rig;

static inline int set_up(void **state) {
  (void)state;
  rig_init(&rig);
  return 0;
}

static inline int tear_down(void **state) {
  (void)state;
  rig_deinit(&rig);
  return 0;
}

/* The program of two texts, one behind the other. Fails the test, with the
 * message, where they are none. */
static inline ecs_Program *rig_program(const char *declarations,
                                       const char *rest) {
  char text[2048];
  ecs_Program *program = NULL;
  int length = snprintf(text, sizeof text, "%s%s", declarations, rest);
  assert_in_range(length, 1, sizeof text - 1);
  if (rig_create(&rig, text, (size_t)length, &program) != ECS_OK)
    fail_msg("%s", rig.message);
  return program;
}

#endif

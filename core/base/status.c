/* status.c: every outcome's name and sentence, from the list in status.h.
 *
 *      ECS_STATUS_LIST ---> STATUS_ECS_OK, ...   must equal ecs.h's enum
 *                      ---> outcomes[]           what the two functions read
 *
 * Both functions take any number, because a binding may pass on one that came
 * from elsewhere; the answer is a string constant either way.
 */
#define ECS_DEFINES_API /* ecs.h */

#include "base/status.h"

/* The list's own numbers, to be compared with those of ecs.h. */
enum {
#define POSITION(code, text) STATUS_##code,
  ECS_STATUS_LIST(POSITION)
#undef POSITION
      STATUS_COUNT
};

#define SAME(code, text)                          \
  _Static_assert((int)STATUS_##code == (int)code, \
                 "status.h and ecs.h order " #code " differently");
ECS_STATUS_LIST(SAME)
#undef SAME
_Static_assert((int)STATUS_COUNT == (int)ECS_STATUS_COUNT,
               "status.h lacks an outcome of ecs.h");

static const struct {
  const char *name;
  const char *text;
} outcomes[ECS_STATUS_COUNT] = {
#define OUTCOME(code, text) {#code, text},
    ECS_STATUS_LIST(OUTCOME)
#undef OUTCOME
};

/* The comparison is unsigned so that a negative number is unknown too. */
static bool is_known(ecs_Status status) {
  return (unsigned)status < (unsigned)ECS_STATUS_COUNT;
}

const char *ecs_status_name(ecs_Status status) {
  return is_known(status) ? outcomes[status].name : "ECS_E_UNKNOWN";
}

const char *ecs_status_text(ecs_Status status) {
  return is_known(status) ? outcomes[status].text
                          : "an outcome this build does not know";
}

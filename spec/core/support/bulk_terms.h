/* bulk_terms.h: lists of terms for the crowd of bulk_fixture.h, and their
 * matches.
 */
#ifndef BULK_TERMS_H
#define BULK_TERMS_H

#include "bulk_fixture.h"

static inline uint32_t collect(ecs_Query *query, ecs_Entity *matches) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  uint32_t count = 0;
  must(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch)) {
    assert_true(count + batch.count <= CROWD);
    memcpy(matches + count, batch.entities, batch.count * sizeof(ecs_Entity));
    count += batch.count;
  }
  must(ecs_cursor_end(&cursor));
  return count;
}

static const ecs_Term lists[][3] = {
    {{A, ECS_WRITE}},
    {{A, ECS_READ}, {B, ECS_OPTIONAL}, {TAG, ECS_WITHOUT}},
    {{A, ECS_READ}, {B, ECS_WITH}},
    {{B, ECS_READ}, {S, ECS_OPTIONAL}},
    {{BIT, ECS_WITH}},
    {{A, ECS_READ}, {BIT, ECS_WITHOUT}},
    {{S, ECS_WRITE}},
    {{MARK, ECS_WITH}, {A, ECS_READ}},
    {{A, ECS_WRITE}, {S, ECS_WITHOUT}},
    {{S, ECS_WITHOUT}, {W, ECS_READ}},
    {{S, ECS_WITHOUT}, {A, ECS_READ}, {BIT, ECS_WITH}},
    {{S, ECS_WITHOUT}, {B, ECS_OPTIONAL}},
    {{G, ECS_WRITE}},
    {{G, ECS_READ}, {H, ECS_WITHOUT}},
    {{H, ECS_READ}, {L, ECS_WITH}},
    {{L, ECS_WITH}, {W, ECS_READ}, {S, ECS_OPTIONAL}},
};

#define LISTS (sizeof lists / sizeof *lists)

static inline uint32_t terms_in(const ecs_Term *terms) {
  uint32_t count = 0;
  while (count < 3 && terms[count].component != 0) count++;
  return count;
}

#endif

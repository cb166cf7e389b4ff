/* observe_fixture.h: notices of observers, read and compared. */
#ifndef OBSERVE_FIXTURE_H
#define OBSERVE_FIXTURE_H

#include "api_scene.h"

#define KINDS 3u /* the last one is a tag */
#define TAG 2u

typedef struct Image {
  uint32_t x;
  double y;
} Image;

/* The notices of a run, to be compared. */
typedef struct Log {
  ecs_Notice notices[512];
  Image images[512]; /* of the first image; x and y */
  uint32_t count;
} Log;

static inline void read_notices(ecs_World *world, Log *log) {
  ecs_Notice notice;
  log->count = 0;
  while (ecs_notices_begin(world) > 0)
    while (ecs_notice_next(world, &notice)) {
      assert_true(log->count < 512);
      log->images[log->count] = (Image){0, 0};
      if (notice.image_count > 0 && notice.images[0] != NULL)
        memcpy(&log->images[log->count], notice.images[0], sizeof(Image));
      log->notices[log->count++] = notice;
    }
  assert_int_equal(*ecs_world_notices(world), 0);
}

static inline void assert_notice(const Log *log, uint32_t position,
                                 ecs_Observer observer, ecs_Entity entity) {
  assert_true(position < log->count);
  assert_int_equal(log->notices[position].observer, observer);
  assert_int_equal(log->notices[position].entity, entity);
}

/* Storages by the bits of a number. */
static inline void define_kinds(ecs_World *world, uint32_t storage,
                                ecs_Component *kinds) {
  static const ecs_Field fields[] = {{"x", ECS_U32, 7}, {"y", ECS_F64, 0}};
  ecs_Storage tag = (storage & 4u) != 0 ? ECS_STORE_BITS : ECS_STORE_TABLE;
  kinds[0] = define_component(
      world, "A", fields, 2,
      (storage & 1u) != 0 ? ECS_STORE_SPARSE : ECS_STORE_TABLE);
  kinds[1] = define_component(
      world, "B", fields, 2,
      (storage & 2u) != 0 ? ECS_STORE_SPARSE : ECS_STORE_TABLE);
  kinds[2] = define_component(world, "Tag", NULL, 0, tag);
}

#endif

/* held_scene.h: worlds with fields of type string and any, their bytes, and bytes
 * that were changed but for their sums. */
#ifndef ECS_HELD_SCENE_H
#define ECS_HELD_SCENE_H

#include <stdlib.h>
#include <string.h>

#include "test_case.h"
#include "failing_memory.h"
#include "state/archive.h"
#include "state/held_marks.h"
#include "state/held_save.h"
#include "world/world.h"

static const ecs_Field fields[] = {{"image", ECS_ANY_VALUE, 0},
                                   {"label", ECS_STRING, 0}};
static const ecs_ComponentDescription sprite = {
    .name = "Sprite", .fields = fields, .field_count = 2};

typedef struct Bytes {
  char all[16384];
  size_t count;
} Bytes;

static inline bool take(void *user, const void *bytes, size_t count) {
  Bytes *to = user;
  if (count > sizeof to->all - to->count) return false;
  memcpy(to->all + to->count, bytes, count);
  to->count += count;
  return true;
}

typedef struct Scene {
  FailingMemory failing;
  ecs_World *world;
  HeldValues held;
  ecs_Component sprite;
  uint32_t one, two, number, table; /* numbers of values */
} Scene;

static inline uint32_t hold(Scene *scene, HeldValue value) {
  return ecs_held_add(&scene->held, &value);
}

/* shift: so many other values are held before. */
static inline void start(Scene *scene, uint32_t shift) {
  static const char kind[] = "table", others[] = "abcdefgh";
  HeldValue value;
  memset(scene, 0, sizeof *scene);
  ecs_WorldDescription how = {.memory = failing_memory_init(&scene->failing)};
  assert_int_equal(ecs_world_create(&how, &scene->world), ECS_OK);
  ecs_held_move(&scene->held, calloc(1, ecs_held_bytes(64)), 64);
  for (uint32_t k = 0; k < shift; k++) {
    ecs_held_string(&value, others + k, 1);
    hold(scene, value);
  }
  ecs_held_string(&value, "one", 3);
  scene->one = hold(scene, value);
  ecs_held_string(&value, "two", 3);
  scene->two = hold(scene, value);
  ecs_held_integer(&value, 3);
  scene->number = hold(scene, value);
  ecs_held_other(&value, kind, 5, scene);
  scene->table = hold(scene, value);
  ecs_world_hold_values(scene->world, &scene->held);
  assert_int_equal(ecs_component(scene->world, &sprite, &scene->sprite),
                   ECS_OK);
}

static inline void finish(Scene *scene) {
  ecs_world_destroy(scene->world);
  assert_int_equal(scene->failing.bytes, 0);
  free(scene->held.all);
}

static inline void spawn(Scene *scene, uint32_t image, uint32_t label) {
  const uint32_t values[] = {image, label};
  const void *images[] = {values};
  ecs_Entity entity = 0;
  assert_int_equal(ecs_spawn(scene->world, &scene->sprite, 1, images, &entity),
                   ECS_OK);
}

static inline void populate(Scene *scene) {
  spawn(scene, scene->table, scene->one);
  spawn(scene, scene->number, scene->two);
  spawn(scene, scene->one, 0);
  spawn(scene, 0, scene->one);
  spawn(scene, scene->table, scene->two);
}

static const char packed_bytes[] = "\x81\xa1x\x01\x03\xa3one\xa3two";

typedef struct Change {
  ArchiveReader reader;
  uint32_t entry;
  size_t at;
  char byte;
} Change;

typedef struct Put {
  const Change *change;
  uint32_t entry;
} Put;

static inline void put_entry(ArchiveOut *out, const void *of) {
  const Put *put = of;
  const ArchiveEntry *entry = &put->change->reader.entries[put->entry];
  size_t at = put->change->at;
  if (put->entry != put->change->entry) {
    archive_put(out, entry->bytes, entry->count);
    return;
  }
  archive_put(out, entry->bytes, at);
  archive_put(out, &put->change->byte, 1);
  archive_put(out, entry->bytes + at + 1, entry->count - at - 1);
}

static inline void write_changed(const Change *change, Memory *memory,
                                 Bytes *to) {
  static ArchiveWriter writer;
  to->count = 0;
  archive_begin(&writer, memory, (ecs_SaveSink){take, to});
  for (uint32_t k = 0; k < change->reader.count; k++) {
    char name[200] = "";
    Put put = {change, k};
    memcpy(name, change->reader.entries[k].name,
           change->reader.entries[k].name_bytes);
    archive_add(&writer, name, put_entry, &put);
  }
  assert_int_equal(archive_end(&writer), ECS_OK);
}

#endif

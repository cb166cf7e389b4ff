/* save_fixture.h: saves of towns in memory, for tests that load them. */
#ifndef SAVE_FIXTURE_H
#define SAVE_FIXTURE_H

#include <stdlib.h>

#include "state/archive.h"
#include "town_fixture.h"

typedef struct Bytes {
  char *all;
  size_t count, capacity;
  size_t most; /* the sink takes no more; 0: any number */
} Bytes;

static inline bool take_bytes(void *user, const void *bytes, size_t count) {
  Bytes *to = user;
  if (count == 0) return true;
  if (to->most > 0 && to->count + count > to->most) return false;
  if (to->count + count > to->capacity) {
    to->capacity = (to->count + count) * 2;
    to->all = realloc(to->all, to->capacity);
    assert_non_null(to->all);
  }
  memcpy(to->all + to->count, bytes, count);
  to->count += count;
  return true;
}

static inline ecs_Status save(const Town *town, Bytes *to) {
  const ecs_SaveSink sink = {take_bytes, to};
  to->count = 0;
  return ecs_world_save(town->world, "a text", 6, &sink);
}

static inline ecs_Status load_as(const Town *town, const Bytes *from,
                                 const ecs_LoadListener *listener,
                                 char *problem) {
  ecs_Saved *saved = NULL;
  problem[0] = 0;
  ecs_Status status =
      ecs_saved_open(town->world, from->all, from->count, &saved, problem, 200);
  if (status != ECS_OK) return status;
  size_t bytes = 0;
  const char *text = ecs_saved_text(saved, &bytes);
  assert_int_equal(bytes, 6);
  assert_memory_equal(text, "a text", 6);
  for (uint32_t i = 0; i < ecs_saved_component_count(saved); i++) {
    ecs_ComponentDescription how;
    ecs_Component made = 0;
    assert_int_equal(ecs_saved_component(saved, i, &how), ECS_OK);
    if (store_find_component(&town->world->store, how.name) != 0) continue;
    /* A save that somebody has made may ask for what cannot be defined. */
    status = ecs_component(town->world, &how, &made);
    if (status != ECS_OK) break;
  }
  if (status == ECS_OK) status = ecs_saved_load(saved, listener, problem, 200);
  ecs_saved_close(saved);
  return status;
}

static inline ecs_Status load(const Town *town, const Bytes *from,
                              char *problem) {
  return load_as(town, from, NULL, problem);
}

/* The same name, elsewhere: so it counts as another one. */
static inline const char *rename_to_itself(void *user, const char *name) {
  return strcpy(user, name);
}

/* As load, but as if a component had another name, so that the hash of the save
 * need not be the world's. */
static inline ecs_Status load_without_hash(const Town *town, const Bytes *from,
                                           char *problem) {
  char name[256];
  const ecs_LoadListener listener = {.rename = rename_to_itself, .user = name};
  return load_as(town, from, &listener, problem);
}

#endif

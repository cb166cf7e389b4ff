/* village_fixture.h: towns with trees, whose rows are packed and unpacked.
 *
 * A village is a town with a tree and with a field that is no link. */
#ifndef VILLAGE_FIXTURE_H
#define VILLAGE_FIXTURE_H

#include "save_fixture.h"

/* A town with a tree, and a field that is no link. */
typedef struct Village {
  Town town;
  ecs_Component tree, note;
  ecs_Query *all;
} Village;

static inline void open_village(Village *village) {
  Town *town = &village->town;
  open_town(town);
  const ecs_Field home[] = {{"up", ECS_ENTITY, 0}, {"n", ECS_I32, 7}};
  const ecs_Field note[] = {{"who", ECS_ENTITY, 0}, {"when", ECS_F64, 0}};
  const ecs_Link link = {0, ECS_LINK_DESTROY, true};
  ecs_ComponentDescription how = {.name = "Tree",
                                  .fields = home,
                                  .field_count = 2,
                                  .links = &link,
                                  .link_count = 1};
  assert_int_equal(ecs_component(town->world, &how, &village->tree), ECS_OK);
  village->note =
      define_component(town->world, "Note", note, 2, ECS_STORE_TABLE);
  village->all = make_query(town->world, NULL, 0);
}

static inline void close_village(Village *village) {
  close_town(&village->town);
}

static inline ecs_Entity pick_living(const Village *village, Play *play) {
  ecs_Entity entity = pick(play);
  return ecs_alive(village->town.world, entity) ? entity : 0;
}

/* As act, with trees and notes between. */
static inline void live(Village *village, Play *play, uint32_t turns) {
  for (uint32_t i = 0; i < turns; i++) {
    struct {
      ecs_Entity target;
      double value;
    } image = {pick_living(village, play), draw(play, 9)};
    act(&village->town, play, 3);
    if (!ecs_alive(village->town.world, image.target)) image.target = 0;
    (void)ecs_set(village->town.world, pick(play), village->tree, &image, 1);
    (void)ecs_set(village->town.world, pick(play), village->note, &image, 3);
  }
}

static inline ecs_Status pack(Village *village, Bytes *to) {
  const ecs_SaveSink sink = {take_bytes, to};
  to->count = 0;
  return ecs_query_pack(village->all, NULL, 0, "words", 5, &sink);
}

/* entities: NULL, or room for all. */
static inline ecs_Status unpack_as(Village *village, const Bytes *from,
                                   const ecs_UnpackOptions *options,
                                   ecs_Entity *entities, char *problem) {
  ecs_Saved *packed = NULL;
  ecs_World *world = village->town.world;
  problem[0] = 0;
  ecs_Status status =
      ecs_packed_open(world, from->all, from->count, &packed, problem, 200);
  if (status != ECS_OK) return status;
  for (uint32_t i = 0; i < ecs_saved_component_count(packed); i++) {
    ecs_ComponentDescription how;
    ecs_Component made = 0;
    assert_int_equal(ecs_saved_component(packed, i, &how), ECS_OK);
    if (store_find_component(&world->store, how.name) != 0) continue;
    status = ecs_component(world, &how, &made);
    if (status != ECS_OK) break;
  }
  ecs_Entity *room = entities;
  if (room == NULL)
    room = calloc((size_t)ecs_packed_rows(packed) + 1, sizeof *room);
  assert_non_null(room);
  if (status == ECS_OK)
    status = ecs_packed_unpack(packed, options, NULL, room, problem, 200);
  if (entities == NULL) free(room);
  ecs_saved_close(packed);
  return status;
}

static inline ecs_Status unpack(Village *village, const Bytes *from,
                                char *problem) {
  return unpack_as(village, from, NULL, NULL, problem);
}

#endif

/* town_fixture.h: a world that has something of everything, and a random program
 * that changes it.
 *
 * A town has components of every storage, links and names. The program uses
 * every call that changes a world; what it keeps beside the world is a Play, so
 * that it can be run again from anywhere.
 */
#ifndef TOWN_FIXTURE_H
#define TOWN_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "api_fixture.h"
#include "ecs_array.h"
#include "test_case.h"
#include "world/world.h"

#define PARTS 6u
#define CITIZENS 24u
#define WATCHES 4u

typedef struct Town {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component parts[PARTS];
  ecs_Query *queries[WATCHES];
  ecs_Array *arrays[2];
} Town;

/* What the random program keeps beside the world. */
typedef struct Play {
  uint64_t random;
  ecs_Entity citizens[CITIZENS];
  ecs_Component later[2]; /* 0: the program has not defined it yet */
  uint32_t reserved; /* eight indices from this one on are those of all that is
                        spawned; 0: the world chooses handles */
  uint32_t given;    /* of these handles, so far */
} Play;

static inline void open_town(Town *town) {
  memset(town, 0, sizeof *town);
  ecs_World *world = town->world = open_world(&town->failing);
  const ecs_Field fields[] = {{"x", ECS_F32, 0}, {"y", ECS_U16, 3}};
  const ecs_Field wide[] = {{"z", ECS_F64, 0}, {"w", ECS_U8, 9}};
  const ecs_Field home[] = {{"of", ECS_ENTITY, 0}};
  const ecs_Link link = {0, ECS_LINK_CLEAR, false};
  ecs_ComponentDescription linked = {.name = "L",
                                     .fields = home,
                                     .field_count = 1,
                                     .links = &link,
                                     .link_count = 1};
  town->parts[0] = define_component(world, "A", fields, 2, ECS_STORE_TABLE);
  town->parts[1] = define_component(world, "B", wide, 2, ECS_STORE_TABLE);
  town->parts[2] = define_component(world, "S", fields, 2, ECS_STORE_SPARSE);
  town->parts[3] = define_component(world, "T", NULL, 0, ECS_STORE_TABLE);
  town->parts[4] = define_component(world, "K", NULL, 0, ECS_STORE_BITS);
  assert_int_equal(ecs_component(world, &linked, &town->parts[5]), ECS_OK);
  ecs_Component named =
      define_component(world, "Named", NULL, 0, ECS_STORE_TABLE);
  assert_int_equal(ecs_name_tag(world, named), ECS_OK);
  const ecs_Term terms[WATCHES][2] = {
      {{town->parts[0], ECS_WRITE}, {town->parts[1], ECS_OPTIONAL}},
      {{town->parts[0], ECS_READ}, {town->parts[2], ECS_READ}},
      {{town->parts[4], ECS_WITH}, {town->parts[3], ECS_WITHOUT}},
      {{town->parts[2], ECS_WRITE}, {town->parts[5], ECS_OPTIONAL}}};
  const ecs_ArrayDescription arrays[2] = {{"walls", ECS_U8, 2, {3, 4, 0}},
                                          {"heat", ECS_F32, 1, {5, 0, 0}}};
  for (uint32_t i = 0; i < 2; i++)
    assert_int_equal(ecs_array(world, &arrays[i], &town->arrays[i]), ECS_OK);
  for (uint32_t i = 0; i < WATCHES; i++)
    town->queries[i] = make_query(world, terms[i], 2);
}

static inline void close_town(Town *town) {
  assert_true(world_check_invariants(town->world));
  close_world(town->world, &town->failing);
}

static inline uint32_t draw(Play *play, uint32_t below) {
  play->random ^= play->random << 13;
  play->random ^= play->random >> 7;
  play->random ^= play->random << 17;
  return (uint32_t)(play->random >> 20) % below;
}

static inline void define_later(const Town *town, Play *play, uint32_t which) {
  const ecs_Field fields[] = {{"q", ECS_I32, 5}};
  play->later[which] =
      define_component(town->world, which == 0 ? "Late" : "Sparse", fields, 1,
                       which == 0 ? ECS_STORE_TABLE : ECS_STORE_SPARSE);
}

static inline ecs_Component pick_part(const Town *town, Play *play) {
  uint32_t k = draw(play, PARTS + 2);
  ecs_Component part = k < PARTS ? town->parts[k] : play->later[k - PARTS];
  return part != 0 ? part : town->parts[0];
}

static inline ecs_Entity pick(Play *play) {
  return play->citizens[draw(play, CITIZENS)];
}

/* The next handle that no other world has given, either. */
static inline ecs_Entity reserve_id(Play *play) {
  const uint32_t n = play->given++;
  return id_make(play->reserved + n % 8, n / 8 % ECS_GENERATION_LIMIT);
}

static inline void spawn_citizen(const Town *town, Play *play,
                                 ecs_Component part) {
  ecs_Entity *citizen = &play->citizens[draw(play, CITIZENS)];
  if (play->reserved == 0) {
    (void)ecs_spawn(town->world, &part, 1, NULL, citizen);
    return;
  }
  const ecs_Entity entity = reserve_id(play);
  if (ecs_spawn_as(town->world, entity, &part, 1, NULL) == ECS_OK)
    *citizen = entity;
}

/* An array gets a value, other sizes, or one value everywhere. */
static inline void act_on_array(Town *town, Play *play) {
  uint32_t k = draw(play, 2);
  ecs_Array *array = town->arrays[k];
  const ecs_ArrayView *view = ecs_array_view(array);
  const uint32_t sizes[3] = {1 + draw(play, 5), 1 + draw(play, 3), 0};
  const float heat = (float)draw(play, 9);
  uint32_t at = draw(play, view->sizes[0] * view->sizes[1]);
  switch (draw(play, 4)) {
    case 0: assert_int_equal(ecs_array_resize(array, sizes), ECS_OK); break;
    case 1:
      assert_int_equal(ecs_array_fill(array, draw(play, 3)), ECS_OK);
      break;
    default:
      if (k == 0)
        ((uint8_t *)view->elements)[at] = (uint8_t)heat;
      else
        ((float *)view->elements)[at] = heat;
  }
}

/* What storage and the world as a whole are asked to do. */
static inline void act_on_world(Town *town, Play *play) {
  ecs_Component parts[2] = {pick_part(town, play), pick_part(town, play)};
  uint32_t count = parts[0] == parts[1] ? 1 : 2;
  switch (draw(play, 9)) {
    case 8: act_on_array(town, play); break;
    case 0: (void)ecs_group(town->world, parts, count); break;
    case 1: (void)ecs_ungroup(town->world, parts, count); break;
    case 2:
      (void)ecs_group_bits(town->world, &town->parts[3 + draw(play, 2)], 1);
      break;
    case 3: assert_int_equal(ecs_world_trim(town->world), ECS_OK); break;
    case 4: define_later(town, play, draw(play, 2)); break;
    case 5:
      if (draw(play, 4) == 0) assert_int_equal(ecs_world_clear(town->world), 0);
      break;
    case 6: {
      const ecs_Entity any = id_make(1 + draw(play, 90), draw(play, 3));
      (void)ecs_spawn_as(town->world,
                         play->reserved == 0 ? any : reserve_id(play), parts,
                         count, NULL);
      break;
    }
    default:
      (void)ecs_query_remove_all(town->queries[draw(play, 4)], town->parts[4]);
  }
}

static inline void act_on_entity(Town *town, Play *play) {
  ecs_World *world = town->world;
  ecs_Entity entity = pick(play), other = pick(play);
  ecs_Component part = pick_part(town, play);
  double image[2] = {draw(play, 100), 0};
  char name[16];
  switch (draw(play, 8)) {
    case 0:
    case 1: spawn_citizen(town, play, part); break;
    case 2: (void)ecs_destroy(world, entity); break;
    case 3: (void)ecs_remove(world, entity, part); break;
    case 4:
      if (ecs_alive(world, other))
        (void)ecs_set(world, entity, town->parts[5], &other, ~UINT64_C(0));
      break;
    case 5:
      snprintf(name, sizeof name, "n%u", draw(play, 9));
      (void)ecs_set_name(world, entity, draw(play, 3) == 0 ? NULL : name);
      break;
    default:
      if (part != town->parts[5])
        (void)ecs_set(world, entity, part, image, ~UINT64_C(0));
  }
}

/* What is recorded may be more than a limit of a tiny build allows, and is then
 * dropped. */
static inline void end_recording(ecs_World *world) {
  ecs_Status status = ecs_defer_end(world);
#ifdef ECS_TINY
  if (status == ECS_E_LIMIT) return;
#endif
  assert_int_equal(status, ECS_OK);
}

/* A few calls, now and then recorded together. */
static inline void act(Town *town, Play *play, uint32_t calls) {
  for (uint32_t i = 0; i < calls; i++) {
    uint64_t count = 0;
    bool records = draw(play, 6) == 0;
    if (draw(play, 12) == 0) act_on_world(town, play);
    if (records) assert_int_equal(ecs_defer_begin(town->world), ECS_OK);
    for (uint32_t k = draw(play, 4); k > 0; k--) act_on_entity(town, play);
    if (records) end_recording(town->world);
    (void)ecs_query_count(town->queries[draw(play, WATCHES)], &count);
  }
}

/* The rows of all queries, in their order. */
static inline uint64_t look(Town *town) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < WATCHES; i++) {
    ecs_Entity found[4 * CITIZENS] = {0};
    uint64_t count = 0;
    assert_int_equal(
        ecs_query_entities(town->queries[i], found, 4 * CITIZENS, &count),
        ECS_OK);
    sum = sum * 31 + count;
    for (uint32_t k = 0; k < 4 * CITIZENS; k++) sum = sum * 31 + found[k];
  }
  return sum;
}

#endif

/* observe_test.c: what changes mean for observers, against an oracle that
 * compares entities before and after each application, in two worlds that store
 * components in different ways. */
#include "api/kept_end.h"
#include "observe_fixture.h"
#include "program_rig.h"
#include "test_case.h"

#define SLOTS 20u

/* Two worlds that store components in different ways, and a model. Changes are
 * made in `named`; an application makes them `applied`, and what is to be told
 * is found by comparing both. */
typedef struct Being {
  bool alive;
  bool has[KINDS];
} Being;

typedef struct Place {
  ecs_Entity entity;
  Being applied, named;
  Image values[TAG]; /* the last */
  Image stored[TAG]; /* that are there if what is recorded is discarded */
  bool told[TAG];    /* set since the last application */
  bool listed;       /* it has records; then: */
  uint32_t order;    /*   of its first record */
  bool complex; /*   more than a spawn and components that are added once */
} Place;

#define WATCHES 6u

typedef struct Watch {
  ecs_Observer id; /* 0: none */
  ecs_Occasion occasion;
  uint32_t kind;     /* or the number of a query */
  uint32_t position; /* in the order of registration */
} Watch;

typedef struct Play {
  FailingMemory failing[2];
  ecs_World *worlds[2];
  ecs_Component kinds[KINDS];
  ecs_Query *queries[2][3];
  Place slots[SLOTS];
  Watch watches[WATCHES];
  Random random;
  uint32_t orders;
  uint32_t depth;
  uint64_t told;
  uint64_t kept; /* ends that failed */
  Log logs[2];
  uint32_t sets[SLOTS * TAG]; /* slot * TAG + kind, in the order of setting */
  uint32_t set_count;
} Play;

/* The queries: A without Tag; every entity; B, and A or Tag. */
static const ecs_Term query_terms[3][3] = {
    {{1, ECS_WRITE}, {3, ECS_WITHOUT}},
    {{0, ECS_WRITE}},
    {{2, ECS_READ}, {1, ECS_ANY}, {3, ECS_ANY}}};
static const uint32_t query_term_counts[3] = {2, 0, 3};

static bool being_matches(const Being *being, uint32_t query) {
  if (!being->alive) return false;
  if (query == 0) return being->has[0] && !being->has[TAG];
  return query == 1 || (being->has[1] && (being->has[0] || being->has[TAG]));
}

static void open_play(Play *play, uint64_t seed) {
  memset(play, 0, sizeof *play);
  play->random.state = seed;
  for (uint32_t w = 0; w < 2; w++) {
    play->worlds[w] = open_world(&play->failing[w]);
    define_kinds(play->worlds[w], w == 0 ? 0 : 1 + (uint32_t)(seed % 7),
                 play->kinds);
    for (uint32_t q = 0; q < 3; q++)
      play->queries[w][q] =
          make_query(play->worlds[w], query_terms[q], query_term_counts[q]);
  }
}

static void close_play(Play *play) {
  while (play->depth-- > 0)
    for (uint32_t w = 0; w < 2; w++) ecs_defer_discard(play->worlds[w]);
  for (uint32_t w = 0; w < 2; w++) {
    assert_true(world_check_invariants(play->worlds[w]));
    close_world(play->worlds[w], &play->failing[w]);
  }
}

static bool watch_tells(const Watch *watch, const Place *slot) {
  const Being *before = &slot->applied, *after = &slot->named;
  uint32_t kind = watch->kind;
  bool had = before->alive && before->has[kind];
  bool has = after->alive && after->has[kind];
  switch (watch->occasion) {
    case ECS_ON_ADD: return !had && has;
    case ECS_ON_REMOVE: return had && !has;
    case ECS_ON_SET: return had && has && slot->told[kind];
    case ECS_ON_ENTER:
      return !being_matches(before, kind) && being_matches(after, kind);
    case ECS_ON_LEAVE:
      return being_matches(before, kind) && !being_matches(after, kind);
    default: return before->alive && !after->alive;
  }
}

static const Watch *watch_at(const Play *play, uint32_t position) {
  for (uint32_t i = 0; i < WATCHES; i++)
    if (play->watches[i].id != 0 && play->watches[i].position == position)
      return &play->watches[i];
  return NULL;
}

static uint32_t watch_count(const Play *play) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < WATCHES; i++) count += play->watches[i].id != 0;
  return count;
}

/* The next expected notice must be in both logs. */
static void expect(Play *play, uint32_t *next, const Watch *watch,
                   const Place *slot) {
  for (uint32_t w = 0; w < 2; w++) {
    assert_notice(&play->logs[w], *next, watch->id, slot->entity);
    if (watch->occasion == ECS_ON_REMOVE && watch->kind != TAG) {
      const Image *image = &play->logs[w].images[*next];
      assert_int_equal(image->x, slot->values[watch->kind].x);
      assert_true(image->y == slot->values[watch->kind].y);
    }
  }
  play->told++;
  (*next)++;
}

static void expect_slot(Play *play, uint32_t *next, Place *slot) {
  for (uint32_t deaths = 0; deaths < 2; deaths++)
    for (uint32_t i = 0; i < watch_count(play); i++) {
      const Watch *watch = watch_at(play, i);
      if ((watch->occasion == ECS_ON_DESTROY) == (deaths > 0) &&
          watch_tells(watch, slot))
        expect(play, next, watch, slot);
    }
  slot->told[0] = slot->told[1] = false;
}

/* In which part of an application an entity's changes are made: born together,
 * born one by one, changed, dead; 4: in none. */
static uint32_t part_of(const Place *slot) {
  if (!slot->listed) return 4;
  if (!slot->applied.alive && !slot->named.alive) return 4;
  if (!slot->named.alive) return 3;
  if (slot->applied.alive) return 2;
  return slot->complex ? 1 : 0;
}

static void expect_part(Play *play, uint32_t *next, uint32_t part) {
  for (uint32_t order = 1; order <= play->orders; order++)
    for (uint32_t i = 0; i < SLOTS; i++)
      if (play->slots[i].order == order && part_of(&play->slots[i]) == part)
        expect_slot(play, next, &play->slots[i]);
}

static void expect_sets(Play *play, uint32_t *next) {
  for (uint32_t k = 0; k < play->set_count; k++) {
    Place *slot = &play->slots[play->sets[k] / TAG];
    uint32_t kind = play->sets[k] % TAG;
    for (uint32_t i = 0; slot->told[kind] && i < watch_count(play); i++) {
      const Watch *watch = watch_at(play, i);
      if (watch->occasion == ECS_ON_SET && watch->kind == kind &&
          watch_tells(watch, slot))
        expect(play, next, watch, slot);
    }
    slot->told[kind] = false;
  }
}

static void settle(Play *play, bool applied) {
  for (uint32_t i = 0; i < SLOTS; i++) {
    Place *slot = &play->slots[i];
    if (applied) slot->applied = slot->named;
    memcpy(applied ? slot->stored : slot->values,
           applied ? slot->values : slot->stored, sizeof slot->stored);
    if (!slot->applied.alive && slot->listed) slot->entity = 0;
    slot->named = slot->applied;
    slot->listed = slot->complex = false;
    slot->order = 0;
    slot->told[0] = slot->told[1] = false;
  }
  play->orders = play->set_count = 0;
}

/* What was changed has been applied, or discarded. */
static void check_application(Play *play, bool applied) {
  uint32_t next = 0;
  for (uint32_t w = 0; w < 2; w++)
    read_notices(play->worlds[w], &play->logs[w]);
  if (applied) {
    for (uint32_t part = 0; part < 3; part++) expect_part(play, &next, part);
    expect_sets(play, &next);
    expect_part(play, &next, 3);
  }
  assert_int_equal(play->logs[0].count, next);
  assert_int_equal(play->logs[1].count, next);
  settle(play, applied);
}

/* The model's side of changes ---------------------------------------------- */

static void list_slot(Play *play, Place *slot) {
  if (slot->listed) return;
  slot->listed = true;
  slot->order = ++play->orders;
}

static void model_add(Play *play, Place *slot, uint32_t kind, Image image) {
  if (slot->listed && slot->named.has[kind]) slot->complex = true;
  if (!slot->listed && slot->named.has[kind]) return;
  list_slot(play, slot);
  if (slot->named.has[kind]) return;
  slot->named.has[kind] = true;
  if (kind != TAG) slot->values[kind] = image;
}

static void model_remove(Play *play, Place *slot, uint32_t kind) {
  if (!slot->listed && !slot->named.has[kind]) return;
  list_slot(play, slot);
  slot->complex = true;
  slot->named.has[kind] = false;
}

static void model_set(Play *play, Place *slot, uint32_t kind, Image image,
                      uint64_t fields) {
  uint32_t position = (uint32_t)(slot - play->slots) * TAG + kind;
  bool in_place = slot->named.has[kind] && !slot->listed;
  if (!in_place) list_slot(play, slot);
  slot->complex = true;
  if (!slot->named.has[kind]) slot->values[kind] = (Image){7, 0};
  slot->named.has[kind] = true;
  if ((fields & 1u) != 0) slot->values[kind].x = image.x;
  if ((fields & 2u) != 0) slot->values[kind].y = image.y;
  if (in_place) slot->stored[kind] = slot->values[kind];
  if (!slot->told[kind]) play->sets[play->set_count++] = position;
  slot->told[kind] = true;
}

static void model_destroy(Play *play, Place *slot) {
  list_slot(play, slot);
  slot->named.alive = false;
}

/* Steps -------------------------------------------------------------------- */

static Image any_image(Play *play) {
  return (Image){random_below(&play->random, 100),
                 random_below(&play->random, 9)};
}

static Place *any_alive(Play *play) {
  Place *slot = &play->slots[random_below(&play->random, SLOTS)];
  return slot->entity != 0 && slot->named.alive ? slot : NULL;
}

/* The same outcome in both worlds. */
static bool agree(ecs_Status one, ecs_Status other) {
  assert_int_equal(one, other);
  assert_true(one == ECS_OK || one == ECS_E_LIMIT);
  return one == ECS_OK;
}

static bool step_spawn(Play *play) {
  uint32_t parts = random_below(&play->random, 8), count = 0;
  ecs_Component components[KINDS];
  Image images[KINDS];
  const void *values[KINDS];
  ecs_Entity entities[2] = {0, 0};
  ecs_Status statuses[2];
  uint32_t place = 0;
  while (place < SLOTS && play->slots[place].entity != 0) place++;
  if (place == SLOTS) return false;
  for (uint32_t kind = 0; kind < KINDS; kind++) {
    if ((parts >> kind & 1u) == 0) continue;
    images[count] = any_image(play);
    values[count] = kind == TAG ? NULL : &images[count];
    components[count++] = play->kinds[kind];
  }
  for (uint32_t w = 0; w < 2; w++)
    statuses[w] =
        ecs_spawn(play->worlds[w], components, count, values, &entities[w]);
  if (!agree(statuses[0], statuses[1])) return true;
  assert_int_equal(entities[0], entities[1]);
  Place *slot = &play->slots[place];
  *slot = (Place){.entity = entities[0], .named = {.alive = true}};
  list_slot(play, slot);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t kind = components[i] - 1;
    slot->named.has[kind] = true;
    if (kind != TAG) slot->values[kind] = images[i];
  }
  return true;
}

static bool step_change(Play *play) {
  Place *slot = any_alive(play);
  uint32_t kind = random_below(&play->random, KINDS);
  uint32_t what = random_below(&play->random, 4);
  Image image = any_image(play);
  uint64_t fields = 1 + random_below(&play->random, 3);
  const void *values = kind == TAG ? NULL : &image;
  ecs_Status statuses[2];
  if (slot == NULL || (what == 2 && kind == TAG)) return false;
  for (uint32_t w = 0; w < 2; w++) {
    ecs_World *world = play->worlds[w];
    ecs_Component component = play->kinds[kind];
    statuses[w] = what == 0   ? ecs_add(world, slot->entity, component, values)
                  : what == 1 ? ecs_remove(world, slot->entity, component)
                  : what == 2
                      ? ecs_set(world, slot->entity, component, &image, fields)
                      : ecs_destroy(world, slot->entity);
  }
  if (!agree(statuses[0], statuses[1])) return true;
  if (what == 0) model_add(play, slot, kind, image);
  if (what == 1) model_remove(play, slot, kind);
  if (what == 2) model_set(play, slot, kind, image, fields);
  if (what == 3) model_destroy(play, slot);
  return true;
}

/* The slots in the order of their indices. */
static uint32_t sort_slots(Play *play, Place **sorted) {
  uint32_t count = 0;
  for (uint32_t index = 1; index < ECS_INDEX_LIMIT && count < SLOTS; index++) {
    if (index > 4 * SLOTS + 48) break;
    for (uint32_t i = 0; i < SLOTS; i++)
      if (play->slots[i].entity != 0 &&
          (play->slots[i].entity & 0xfffffffu) == index)
        sorted[count++] = &play->slots[i];
  }
  return count;
}

/* A change of every match; the model makes it in the order in which the library
 * says that it does: from the highest index to the lowest. */
static bool step_bulk(Play *play) {
  uint32_t query = random_below(&play->random, 3);
  uint32_t kind = random_below(&play->random, KINDS);
  uint32_t what = random_below(&play->random, 12);
  Image image = any_image(play);
  const void *values = kind == TAG ? NULL : &image;
  Place *sorted[SLOTS];
  ecs_Status statuses[2];
  if (what > 3) what %= 3;
  if (what == 2 && kind == TAG) return false;
  for (uint32_t w = 0; w < 2; w++) {
    ecs_Query *matches = play->queries[w][query];
    ecs_Component component = play->kinds[kind];
    statuses[w] = what == 0   ? ecs_query_add_all(matches, component, values)
                  : what == 1 ? ecs_query_remove_all(matches, component)
                  : what == 2 ? ecs_query_set_all(matches, component, &image, 1)
                              : ecs_query_destroy_all(matches);
  }
  if (!agree(statuses[0], statuses[1])) return true;
  uint32_t count = sort_slots(play, sorted);
  for (uint32_t pass = 0; pass < 2; pass++)
    for (uint32_t i = count; i-- > 0;) {
      Place *slot = sorted[i];
      if (!being_matches(&slot->applied, query) || !slot->named.alive) continue;
      bool later = what == 2 && play->depth > 0 && !slot->listed &&
                   slot->applied.has[kind];
      if (later != (pass == 1)) continue; /* sets in place are made last */
      if (what == 0) model_add(play, slot, kind, image);
      if (what == 1) model_remove(play, slot, kind);
      if (what == 2) model_set(play, slot, kind, image, 1);
      if (what == 3) model_destroy(play, slot);
    }
  return true;
}

static bool step_watch(Play *play) {
  Watch *watch = &play->watches[random_below(&play->random, WATCHES)];
  bool queries = false;
  if (watch->id != 0) {
    for (uint32_t w = 0; w < 2; w++) ecs_unobserve(play->worlds[w], watch->id);
    for (uint32_t i = 0; i < WATCHES; i++)
      if (play->watches[i].position > watch->position)
        play->watches[i].position--;
    *watch = (Watch){.id = 0};
    return false;
  }
  if (play->depth > 0) return false; /* its sets are not known to the model */
  Watch made = {.occasion = (ecs_Occasion)random_below(&play->random, 6),
                .position = watch_count(play)};
  queries = made.occasion == ECS_ON_ENTER || made.occasion == ECS_ON_LEAVE;
  made.kind = random_below(&play->random,
                           queries || made.occasion != ECS_ON_SET ? 3 : TAG);
  for (uint32_t w = 0; w < 2; w++) {
    ecs_Component component =
        made.occasion == ECS_ON_DESTROY ? 0 : play->kinds[made.kind];
    assert_int_equal(queries ? ecs_observe_query(play->queries[w][made.kind],
                                                 made.occasion, &made.id)
                             : ecs_observe(play->worlds[w], made.occasion,
                                           component, &made.id),
                     ECS_OK);
  }
  *watch = made;
  return false;
}

/* Applies what is recorded, often after attempts that fail. */
static ecs_Status end_failing(Play *play, uint32_t w) {
  ecs_Status status = ECS_E_MEMORY;
  for (uint32_t i = 0; status == ECS_E_MEMORY && i < 4; i++) {
    if (i < 3)
      failing_memory_arm(&play->failing[w], 1 + play->orders % 7 + i,
                         FAIL_ONCE);
    status = ecs_defer_end_kept(play->worlds[w]);
    (void)failing_memory_disarm(&play->failing[w]);
    play->kept += status == ECS_E_MEMORY;
  }
  return status;
}

static bool step_level(Play *play) {
  bool opens = play->depth == 0, keeps = random_chance(&play->random, 85);
  ecs_Status statuses[2] = {ECS_OK, ECS_OK};
  for (uint32_t w = 0; w < 2; w++) {
    if (opens)
      assert_int_equal(ecs_defer_begin(play->worlds[w]), ECS_OK);
    else if (keeps)
      statuses[w] = end_failing(play, w);
    else
      ecs_defer_discard(play->worlds[w]);
  }
  play->depth = opens;
  if (!opens) check_application(play, agree(statuses[0], statuses[1]) && keeps);
  return false;
}

static void run_program(uint64_t seed, uint32_t steps, uint64_t *told,
                        uint64_t *kept) {
  static Play play;
  open_play(&play, seed);
  for (uint32_t i = 0; i < steps; i++) {
    uint32_t draw = random_below(&play.random, 20);
    bool changes = draw < 5    ? step_spawn(&play)
                   : draw < 14 ? step_change(&play)
                   : draw < 15 ? step_bulk(&play)
                   : draw < 18 ? step_watch(&play)
                               : step_level(&play);
    if (changes && play.depth == 0) check_application(&play, true);
    for (uint32_t w = 0; w < 2; w++)
      assert_true(world_check_invariants(play.worlds[w]));
  }
  *told += play.told;
  *kept += play.kept;
  close_play(&play);
}

TEST(random_programs_agree_with_the_oracle) {
  uint64_t told = 0, kept = 0;
  for (uint64_t seed = 1; seed <= 300; seed++)
    run_program(seed, 120, &told, &kept);
  assert_true(told > 2000);
  assert_true(kept > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_programs_agree_with_the_oracle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

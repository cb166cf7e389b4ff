/* api_link_test.c: links, against an oracle that follows their rules naively.
 */
#include <stdlib.h>

#include "api/kept_end.h"
#include "api_scene.h"
#include "link_oracle.h"
#include "program_rig.h"
#include "world/world.h"
#include "world_soundness.h"
#include "test_case.h"

/* The C struct of every kind; its fields in this order. */
typedef struct Image {
  ecs_Entity target[ORACLE_LINKS]; /* the second is a plain field of kinds with
                                      one link */
  uint32_t value;
} Image;

typedef struct Play {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component kinds[ORACLE_KINDS];
  ecs_Query *queries[ORACLE_KINDS];
  ecs_Entity entities[ORACLE_SLOTS + 1];
  Oracle oracle;
  Random random;
  uint64_t applied, refused, circles, cascades;
} Play;

static ecs_Component define(ecs_World *world, const char *name, uint32_t kind,
                            ecs_Storage storage) {
  const ecs_Field fields[] = {{"first", ECS_ENTITY, 0},
                              {"second", ECS_ENTITY, 0},
                              {"value", ECS_U32, 0}};
  const OracleKind *what = &oracle_kinds[kind];
  ecs_Link links[ORACLE_LINKS];
  for (uint32_t i = 0; i < what->links; i++)
    links[i] = (ecs_Link){i, what->rules[i], what->trees[i]};
  ecs_Component component = 0;
  const ecs_ComponentDescription description = {.name = name,
                                                .fields = fields,
                                                .field_count = 3,
                                                .storage = storage,
                                                .links = links,
                                                .link_count = what->links};
  assert_int_equal(ecs_component(world, &description, &component), ECS_OK);
  return component;
}

static void open_play(Play *play, uint64_t seed) {
  static const char *const names[] = {"Follows", "Orbits", "ChildOf",
                                      "Pair",    "Leads",  "Kin"};
  memset(play, 0, sizeof *play);
  play->random.state = seed;
  const ecs_WorldDescription description = {
      .memory = failing_memory_init(&play->failing)};
  assert_int_equal(ecs_world_create(&description, &play->world), ECS_OK);
  for (uint32_t i = 0; i < ORACLE_KINDS; i++) {
    ecs_Storage storage =
        (seed >> i & 1u) != 0 ? ECS_STORE_SPARSE : ECS_STORE_TABLE;
    play->kinds[i] = define(play->world, names[i], i, storage);
    const ecs_Term term = {.component = play->kinds[i], .access = ECS_WITH};
    assert_int_equal(ecs_query_create(play->world, &term, 1, &play->queries[i]),
                     ECS_OK);
  }
}

static void close_play(Play *play) {
  ecs_world_destroy(play->world);
  assert_int_equal(play->failing.bytes, 0);
}

/* Comparing --------------------------------------------------------------- */

static uint32_t slot_of(const Play *play, ecs_Entity entity) {
  for (uint32_t i = 1; i <= ORACLE_SLOTS; i++)
    if (entity != 0 && play->entities[i] == entity) return i;
  return 0;
}

static void compare_lists(const Play *play, const OracleState *state,
                          uint32_t target, uint32_t kind, uint32_t link) {
  uint32_t slots[ORACLE_SLOTS], count = 0;
  ecs_Entity sources[ORACLE_SLOTS];
  uint32_t expected = oracle_list(state, target, kind, link, slots);
  assert_int_equal(
      ecs_links(play->world, play->entities[target], play->kinds[kind], link,
                sources, ORACLE_SLOTS, &count),
      ECS_OK);
  assert_int_equal(count, expected);
  for (uint32_t i = 0; i < count; i++)
    assert_int_equal(slot_of(play, sources[i]), slots[i]);
}

static void compare_part(const Play *play, const OracleState *state,
                         uint32_t slot, uint32_t kind) {
  const OraclePart *part = &state->parts[slot][kind];
  ecs_Entity entity = play->entities[slot], target = 1;
  Image image = {{0}, 0};
  assert_int_equal(ecs_has(play->world, entity, play->kinds[kind]),
                   part->there);
  if (part->there) {
    assert_int_equal(ecs_get(play->world, entity, play->kinds[kind], &image),
                     ECS_OK);
    if (!play->oracle.open) assert_int_equal(image.value, part->value);
  }
  for (uint32_t i = 0; i < oracle_kinds[kind].links; i++) {
    assert_int_equal(slot_of(play, image.target[i]), part->target[i]);
    assert_int_equal(
        ecs_link_target(play->world, entity, play->kinds[kind], i, &target),
        ECS_OK);
    assert_int_equal(slot_of(play, target), part->target[i]);
    compare_lists(play, state, slot, kind, i);
  }
}

/* While changes are recorded, the world answers as before, but that what is
 * recorded as destroyed is dead. */
static void compare(const Play *play) {
  const Oracle *oracle = &play->oracle;
  for (uint32_t slot = 1; slot <= ORACLE_SLOTS; slot++) {
    bool alive = oracle->named.alive[slot];
    if (play->entities[slot] == 0) continue;
    assert_int_equal(ecs_alive(play->world, play->entities[slot]), alive);
    if (!alive || !oracle->applied.alive[slot]) continue;
    for (uint32_t kind = 0; kind < ORACLE_KINDS; kind++)
      compare_part(play, &oracle->applied, slot, kind);
  }
  assert_true(world_check_invariants(play->world));
}

/* Changing ---------------------------------------------------------------- */

static OracleImage random_image(Play *play, uint32_t kind) {
  OracleImage image = {.value = random_below(&play->random, 1000),
                       .names_value = random_chance(&play->random, 50)};
  for (uint32_t i = 0; i < oracle_kinds[kind].links; i++) {
    image.names_target[i] = random_chance(&play->random, 80);
    if (random_chance(&play->random, 85))
      image.target[i] = 1 + random_below(&play->random, ORACLE_SLOTS);
    if (play->entities[image.target[i]] == 0) image.target[i] = 0;
  }
  /* Fields that are no links may be stored at once. */
  if (play->oracle.open) image.names_target[0] = true;
  return image;
}

static uint64_t image_of(const Play *play, const OracleImage *image,
                         Image *out) {
  uint64_t fields = image->names_value ? 4u : 0u;
  *out = (Image){
      {play->entities[image->target[0]], play->entities[image->target[1]]},
      image->value};
  for (uint32_t i = 0; i < ORACLE_LINKS; i++)
    if (image->names_target[i]) fields |= UINT64_C(1) << i;
  return fields;
}

/* A change of the oracle where the world has made it. */
typedef struct Attempt {
  ecs_Status status;
  OracleChange change;
  uint32_t slot, kind;
  OracleImage image;
} Attempt;

/* The change of one entity that has no handle yet, or any. */
static Attempt random_attempt(Play *play) {
  Attempt attempt = {.change = (OracleChange)random_below(&play->random, 3),
                     .slot = 1 + random_below(&play->random, ORACLE_SLOTS),
                     .kind = random_below(&play->random, ORACLE_KINDS)};
  attempt.image = random_image(play, attempt.kind);
  if (attempt.change == ORACLE_ADD) {
    attempt.image.names_value = true;
    for (uint32_t i = 0; i < oracle_kinds[attempt.kind].links; i++)
      attempt.image.names_target[i] = true;
  }
  return attempt;
}

static ecs_Status make(Play *play, const Attempt *attempt) {
  Image image;
  uint64_t fields = image_of(play, &attempt->image, &image);
  ecs_Entity entity = play->entities[attempt->slot];
  ecs_Component component = play->kinds[attempt->kind];
  if (attempt->change == ORACLE_ADD)
    return ecs_add(play->world, entity, component, &image);
  if (attempt->change == ORACLE_SET)
    return ecs_set(play->world, entity, component, &image, fields);
  return ecs_remove(play->world, entity, component);
}

/* Has every allocation of a change fail once; it must leave all as it was. */
static bool change_one(Play *play, uint64_t fail_at) {
  Attempt attempt = random_attempt(play);
  if (fail_at > 0) failing_memory_arm(&play->failing, fail_at, FAIL_ONCE);
  ecs_Status status = make(play, &attempt);
  bool failed = failing_memory_disarm(&play->failing) > 0;
  if (failed && status == ECS_E_MEMORY) return false;
  ecs_Status expected =
      play->entities[attempt.slot] == 0
          ? ECS_E_DEAD
          : oracle_change(&play->oracle, attempt.change, attempt.slot,
                          attempt.kind, &attempt.image);
  assert_int_equal(status, expected);
  play->circles += status == ECS_E_CIRCLE;
  play->refused += status != ECS_OK;
  play->applied += status == ECS_OK;
  return true;
}

static uint32_t free_slot(const Play *play) {
  for (uint32_t i = 1; i <= ORACLE_SLOTS; i++)
    if (!play->oracle.named.alive[i] && !play->oracle.applied.alive[i])
      return i;
  return 0;
}

static void spawn_one_linked(Play *play) {
  uint32_t slot = free_slot(play);
  uint32_t kind = random_below(&play->random, ORACLE_KINDS);
  uint32_t count = random_chance(&play->random, 85);
  if (slot == 0) return;
  play->entities[slot] = 0;
  OracleImage values = random_image(play, kind);
  for (uint32_t i = 0; i < oracle_kinds[kind].links; i++)
    values.names_target[i] = true;
  values.names_value = true;
  Image image;
  (void)image_of(play, &values, &image);
  const void *const list[] = {&image};
  ecs_Status expected =
      count == 0 ? ECS_OK : oracle_check(&play->oracle, 0, kind, &values);
  assert_int_equal(ecs_spawn(play->world, &play->kinds[kind], count, list,
                             &play->entities[slot]),
                   expected);
  if (expected != ECS_OK) return;
  oracle_spawn(&play->oracle, slot);
  oracle_settle(&play->oracle);
  if (count > 0)
    assert_int_equal(
        oracle_change(&play->oracle, ORACLE_ADD, slot, kind, &values), ECS_OK);
}

static void destroy_one(Play *play) {
  uint32_t slot = 1 + random_below(&play->random, ORACLE_SLOTS);
  if (play->entities[slot] == 0) return;
  bool alive = play->oracle.named.alive[slot];
  ecs_Status status = ecs_destroy(play->world, play->entities[slot]);
  assert_int_equal(status, alive ? ECS_OK : ECS_E_DEAD);
  if (alive) oracle_destroy(&play->oracle, slot);
}

/* The matches of a kind as a change of all of them finds them: from the highest
 * index to the lowest. */
static uint32_t list_matches(Play *play, uint32_t kind, uint32_t *slots) {
  ecs_Entity entities[ORACLE_SLOTS];
  uint32_t count = 0;
  for (uint32_t i = 1; i <= ORACLE_SLOTS; i++) {
    if (!play->oracle.applied.alive[i] ||
        !play->oracle.applied.parts[i][kind].there)
      continue;
    uint32_t place = count++;
    uint64_t index = play->entities[i] & ECS_INDEX_MASK;
    for (; place > 0 && (entities[place - 1] & ECS_INDEX_MASK) < index;
         place--) {
      entities[place] = entities[place - 1];
      slots[place] = slots[place - 1];
    }
    entities[place] = play->entities[i];
    slots[place] = i;
  }
  return count;
}

/* A change of every match: all of them or none. What rules do comes after all
 * of it, as in a recording. */
static void change_all(Play *play) {
  Attempt attempt = random_attempt(play);
  uint32_t slots[ORACLE_SLOTS];
  uint32_t matches = random_below(&play->random, ORACLE_KINDS);
  uint32_t count = list_matches(play, matches, slots);
  Oracle *oracle = &play->oracle, before = *oracle;
  ecs_Query *query = play->queries[matches];
  ecs_Component component = play->kinds[attempt.kind];
  bool destroys = random_chance(&play->random, 10), was_open = oracle->open;
  Image image;
  uint64_t fields = image_of(play, &attempt.image, &image);
  ecs_Status expected = ECS_OK, status;
  oracle->open = true;
  for (uint32_t i = 0; i < count && expected == ECS_OK; i++) {
    if (destroys && oracle->named.alive[slots[i]])
      oracle_destroy(oracle, slots[i]);
    else if (!destroys)
      expected = oracle_change(oracle, attempt.change, slots[i], attempt.kind,
                               &attempt.image);
  }
  if (expected != ECS_OK) *oracle = before;
  if (!was_open) oracle_end(oracle, true);
  if (destroys)
    status = ecs_query_destroy_all(query);
  else if (attempt.change == ORACLE_ADD)
    status = ecs_query_add_all(query, component, &image);
  else if (attempt.change == ORACLE_SET)
    status = ecs_query_set_all(query, component, &image, fields);
  else
    status = ecs_query_remove_all(query, component);
  assert_int_equal(status, expected);
}

static void change_list(Play *play) {
  ecs_Entity entities[3];
  uint32_t found = 0, expected = 0;
  bool was_open = play->oracle.open;
  uint32_t kind = random_below(&play->random, ORACLE_KINDS);
  bool destroys = random_chance(&play->random, 40);
  const OracleImage none = {.value = 0};
  play->oracle.open = true;
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t slot = 1 + random_below(&play->random, ORACLE_SLOTS);
    bool alive = play->oracle.named.alive[slot];
    entities[i] = play->entities[slot];
    if (destroys && alive) oracle_destroy(&play->oracle, slot);
    if (entities[i] == 0) continue;
    expected += destroys ? alive
                         : oracle_change(&play->oracle, ORACLE_REMOVE, slot,
                                         kind, &none) == ECS_OK;
  }
  if (!was_open) oracle_end(&play->oracle, true);
  assert_int_equal(destroys ? ecs_destroy_many(play->world, entities, 3, &found)
                            : ecs_remove_many(play->world, entities, 3,
                                              play->kinds[kind], &found),
                   ECS_OK);
  assert_int_equal(found, expected);
}

static void replace_one(Play *play) {
  uint32_t slot = 1 + random_below(&play->random, ORACLE_SLOTS);
  uint32_t gone = random_below(&play->random, ORACLE_KINDS);
  uint32_t added = random_below(&play->random, ORACLE_KINDS);
  OracleImage values = random_image(play, added);
  values.names_value = true;
  Image image;
  uint64_t fields = image_of(play, &values, &image);
  bool was_open = play->oracle.open;
  if (gone == added || play->entities[slot] == 0) return;
  if (!play->oracle.named.alive[slot]) return;
  Oracle before = play->oracle;
  play->oracle.open = true;
  const OracleImage none = {.value = 0};
  (void)oracle_change(&play->oracle, ORACLE_REMOVE, slot, gone, &none);
  ecs_Status expected =
      oracle_change(&play->oracle, ORACLE_SET, slot, added, &values);
  if (expected != ECS_OK) play->oracle = before;
  if (!was_open) oracle_end(&play->oracle, true);
  assert_int_equal(
      ecs_replace(play->world, play->entities[slot], play->kinds[gone],
                  play->kinds[added], &image, fields),
      expected);
}

/* An end has failed, and kept what is recorded: applies or discards it. */
static bool end_once_more(Play *play) {
  bool applied = random_chance(&play->random, 50);
  assert_true(ecs_deferring(play->world));
  if (applied)
    assert_int_equal(ecs_defer_end(play->world), ECS_OK);
  else
    ecs_defer_discard(play->world);
  return applied;
}

/* Begins or ends a recording; the end fails now and then, or is no end but takes
 * all back. */
static void open_or_end(Play *play) {
  Oracle *oracle = &play->oracle;
  if (!oracle->open) {
    assert_int_equal(ecs_defer_begin(play->world), ECS_OK);
    oracle->open = true;
    return;
  }
  bool applied = true;
  if (random_chance(&play->random, 10)) {
    ecs_defer_discard(play->world);
    applied = false;
  } else {
    if (random_chance(&play->random, 40))
      failing_memory_arm(&play->failing, 1 + random_below(&play->random, 12),
                         FAIL_ONCE);
    ecs_Status status = ecs_defer_end_kept(play->world);
    (void)failing_memory_disarm(&play->failing);
    applied = status == ECS_OK;
    assert_true(applied || status == ECS_E_MEMORY);
    if (!applied) applied = end_once_more(play);
  }
  play->cascades += applied && memcmp(&oracle->named, &oracle->real,
                                      sizeof oracle->real) != 0;
  for (uint32_t i = 1; i <= ORACLE_SLOTS; i++)
    if (!applied && oracle->born[i]) play->entities[i] = 0;
  oracle_end(oracle, applied);
}

static void play_one(Play *play) {
  uint32_t dice = random_below(&play->random, 100);
  if (dice < 30)
    spawn_one_linked(play);
  else if (dice < 75)
    (void)change_one(play, dice % 2 * (1 + random_below(&play->random, 9)));
  else if (dice < 81)
    destroy_one(play);
  else if (dice < 86)
    change_all(play);
  else if (dice < 89)
    change_list(play);
  else if (dice < 93)
    replace_one(play);
  else if (dice < 94 && !play->oracle.open)
    assert_int_equal(ecs_world_trim(play->world), ECS_OK);
  else if (dice < 95 && !play->oracle.open)
    assert_int_equal(ecs_group(play->world, play->kinds, 1 + dice % 2), ECS_OK);
  else
    open_or_end(play);
}

TEST(random_programs_agree_with_the_oracle) {
  uint64_t circles = 0, applied = 0, cascades = 0;
  uint64_t programs = getenv("ECS_TEST_SHORT") != NULL ? 160 : 1600;
  for (uint64_t seed = 1; seed <= programs; seed++) {
    Play play;
    open_play(&play, seed);
    for (uint32_t i = 0; i < 300; i++) {
      play_one(&play);
      compare(&play);
    }
    circles += play.circles;
    applied += play.applied;
    cascades += play.cascades;
    close_play(&play);
  }
  assert_true(circles > 100 && applied > 5000 && cascades > 100);
}

/* Plain cases ------------------------------------------------------------- */

static ecs_Entity spawn_linked(const Play *play, uint32_t kind,
                               ecs_Entity first) {
  const Image image = {{first, 0}, 0};
  const void *const values[] = {&image};
  ecs_Entity entity = 0;
  assert_int_equal(
      ecs_spawn(play->world, &play->kinds[kind], 1, values, &entity), ECS_OK);
  return entity;
}

static uint32_t count_links(const Play *play, ecs_Entity target,
                            uint32_t kind) {
  uint32_t count = 0;
  assert_int_equal(
      ecs_links(play->world, target, play->kinds[kind], 0, NULL, 0, &count),
      ECS_OK);
  return count;
}

TEST(a_wrong_description_is_refused) {
  Play play;
  open_play(&play, 1);
  const ecs_Field fields[] = {{"to", ECS_ENTITY, 0}, {"x", ECS_F32, 0}};
  const ecs_Link links[] = {{0, ECS_LINK_CLEAR, false},
                            {0, ECS_LINK_REMOVE, false},
                            {1, ECS_LINK_CLEAR, false},
                            {0, (ecs_LinkRule)3, false},
                            {2, ECS_LINK_CLEAR, false}};
  const struct {
    uint32_t first, count;
    ecs_Status status;
  } cases[] = {{0, 2, ECS_E_FIELD},
               {2, 1, ECS_E_FIELD},
               {3, 1, ECS_E_ARGUMENT},
               {4, 1, ECS_E_FIELD},
               {0, 1, ECS_OK}};
  ecs_ComponentDescription what = {
      .name = "Wrong", .fields = fields, .field_count = 2, .link_count = 1};
  ecs_Component component = 0;
  assert_int_equal(ecs_component(play.world, &what, &component),
                   ECS_E_ARGUMENT);
  for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    what.links = &links[cases[i].first];
    what.link_count = cases[i].count;
    assert_int_equal(ecs_component(play.world, &what, &component),
                     cases[i].status);
  }
  what.links = &links[1];
  assert_int_equal(ecs_component(play.world, &what, &component), ECS_E_SCHEMA);
  what.link_count = 0;
  assert_int_equal(ecs_component(play.world, &what, &component), ECS_E_SCHEMA);
  close_play(&play);
}

TEST(what_is_no_link_is_refused) {
  Play play;
  open_play(&play, 1);
  ecs_Entity e = spawn_linked(&play, 0, 0), target = 0;
  uint32_t count = 0;
  assert_int_equal(ecs_links(play.world, e, 99, 0, NULL, 0, &count),
                   ECS_E_COMPONENT);
  assert_int_equal(ecs_links(play.world, e, play.kinds[0], 1, NULL, 0, &count),
                   ECS_E_FIELD);
  assert_int_equal(
      ecs_links(play.world, e + 1, play.kinds[0], 0, NULL, 0, &count),
      ECS_E_DEAD);
  assert_int_equal(ecs_link_target(play.world, e, play.kinds[0], 2, &target),
                   ECS_E_FIELD);
  assert_false(ecs_refused_link(play.world, &e, &target));
  close_play(&play);
}

static void run_nothing(const ecs_KernelCall *call) { (void)call; }

TEST(kernels_and_programs_only_read_links) {
  Play play;
  open_play(&play, 1);
  const ecs_Term term = {.component = play.kinds[0], .access = ECS_WRITE};
  ecs_Query *query = NULL;
  ecs_KernelBinding *binding = NULL;
  ecs_Program *program = NULL;
  uint32_t wrong = 7;
  char message[100];
  assert_int_equal(ecs_query_create(play.world, &term, 1, &query), ECS_OK);
  ecs_KernelColumn columns[] = {{"Follows", "second", ECS_ENTITY, ECS_WRITE},
                                {"Follows", "first", ECS_ENTITY, ECS_WRITE}};
  const ecs_Kernel kernel = {
      .name = "k", .run = run_nothing, .columns = columns, .column_count = 2};
  assert_int_equal(ecs_kernel_bind(query, &kernel, &binding, &wrong),
                   ECS_E_KERNEL);
  assert_int_equal(wrong, 1);
  columns[1].access = ECS_READ;
  assert_int_equal(ecs_kernel_bind(query, &kernel, &binding, &wrong), ECS_OK);
  static const char *const stores[] = {
      "store c1 v0\n", "store c0 v1\n",
      "give \"Orbits\" \"second\" v1\nadd_to v0 \"Orbits\"\n",
      "give \"Orbits\" \"first\" v1\nadd_to v0 \"Orbits\"\n"};
  for (uint32_t i = 0; i < 4; i++) {
    char text[200];
    int length = snprintf(text, sizeof text,
                          "column c0 \"Follows\" \"first\" entity write\n"
                          "column c1 \"Follows\" \"second\" entity write\n"
                          "v0 = load entity c0\nv1 = load entity c1\n%s",
                          stores[i]);
    assert_int_equal(ecs_program_create(query, text, (size_t)length, &program,
                                        message, sizeof message),
                     i % 2 == 0 ? ECS_OK : ECS_E_PROGRAM);
    if (i % 2 == 1) assert_non_null(strstr(message, "is a link"));
  }
  close_play(&play);
}

TEST(a_circle_is_refused_and_named) {
  Play play;
  open_play(&play, 1);
  ecs_Entity a = spawn_linked(&play, 2, 0), b = spawn_linked(&play, 2, a);
  ecs_Entity c = spawn_linked(&play, 2, b), source = 0, target = 0;
  const Image image = {{c, 0}, 0};
  for (uint32_t recorded = 0; recorded < 2; recorded++) {
    if (recorded) assert_int_equal(ecs_defer_begin(play.world), ECS_OK);
    assert_int_equal(ecs_set(play.world, a, play.kinds[2], &image, 1),
                     ECS_E_CIRCLE);
    assert_true(ecs_refused_link(play.world, &source, &target));
    assert_true(source == a && target == c);
    assert_int_equal(ecs_set(play.world, c, play.kinds[2], &image, 1),
                     ECS_E_CIRCLE);
    if (recorded) assert_int_equal(ecs_defer_end(play.world), ECS_OK);
  }
  close_play(&play);
}

/* An add that seems to do nothing links once a rule has taken the component
 * away, so a later link would close a circle that nothing could foresee. */
TEST(a_circle_that_a_rule_makes_is_not_closed) {
  Play play;
  open_play(&play, 1);
  ecs_Component leads = play.kinds[4];
  ecs_Entity gone = spawn_linked(&play, 0, 0);
  ecs_Entity a = spawn_linked(&play, 4, gone), b = spawn_linked(&play, 0, 0);
  ecs_Entity target = 1;
  const Image to_a = {{a, 0}, 0}, to_b = {{b, 0}, 0};
  assert_int_equal(ecs_defer_begin(play.world), ECS_OK);
  assert_int_equal(ecs_destroy(play.world, gone), ECS_OK);
  assert_int_equal(ecs_add(play.world, a, leads, &to_b), ECS_OK);
  assert_int_equal(ecs_set(play.world, b, leads, &to_a, 1), ECS_OK);
  assert_int_equal(ecs_defer_end(play.world), ECS_OK);
  assert_true(world_check_invariants(play.world));
  assert_int_equal(ecs_link_target(play.world, a, leads, 0, &target), ECS_OK);
  assert_true(target == b);
  assert_int_equal(ecs_link_target(play.world, b, leads, 0, &target), ECS_OK);
  assert_true(target == 0 && ecs_has(play.world, b, leads));
  close_play(&play);
}

TEST(the_order_of_linking_is_part_of_the_hash) {
  uint64_t hashes[3];
  for (uint32_t i = 0; i < 3; i++) {
    Play play;
    open_play(&play, 0);
    ecs_Entity sun = spawn_linked(&play, 0, 0), moons[2];
    for (uint32_t k = 0; k < 2; k++) moons[k] = spawn_linked(&play, 0, 0);
    const Image image = {{sun, 0}, 0};
    for (uint32_t k = 0; k < 2; k++)
      assert_int_equal(ecs_set(play.world, moons[i == 1 ? k : 1 - k],
                               play.kinds[0], &image, 1),
                       ECS_OK);
    hashes[i] = ecs_world_hash(play.world);
    close_play(&play);
  }
  assert_true(hashes[0] == hashes[2] && hashes[0] != hashes[1]);
}

TEST(clearing_a_world_ends_all_links) {
  Play play;
  open_play(&play, 1);
  ecs_Entity a = spawn_linked(&play, 0, 0);
  for (uint32_t i = 0; i < 3; i++) spawn_linked(&play, 0, a);
  assert_int_equal(count_links(&play, a, 0), 3);
  assert_int_equal(ecs_world_clear(play.world), ECS_OK);
  assert_true(world_check_invariants(play.world));
  a = spawn_linked(&play, 0, 0);
  assert_int_equal(count_links(&play, a, 0), 0);
  close_play(&play);
}

#ifdef ECS_TINY
#define MANY 20u /* the tiny build has few handles */
#else
#define MANY 100000u
#endif

/* Built at once and recorded, from the root down and from the leaf up. */
TEST(long_chains_are_built_and_destroyed) {
  Play play;
  open_play(&play, 1);
  for (uint32_t way = 0; way < 4; way++) {
    bool up = (way & 1u) != 0, recorded = (way & 2u) != 0;
    ecs_Entity root = spawn_linked(&play, 2, 0), last = root;
    if (recorded) assert_int_equal(ecs_defer_begin(play.world), ECS_OK);
    for (uint32_t i = 1; i < MANY; i++) {
      ecs_Entity next = spawn_linked(&play, 2, up ? 0 : last);
      const Image image = {{next, 0}, 0};
      if (up)
        assert_int_equal(ecs_set(play.world, last, play.kinds[2], &image, 1),
                         ECS_OK);
      last = next;
    }
    if (recorded) assert_int_equal(ecs_defer_end(play.world), ECS_OK);
    assert_int_equal(ecs_destroy(play.world, up ? last : root), ECS_OK);
    assert_int_equal(count_links(&play, spawn_linked(&play, 2, 0), 2), 0);
    assert_int_equal(ecs_world_clear(play.world), ECS_OK);
  }
  close_play(&play);
}

TEST(many_children_die_with_their_parent) {
  Play play;
  open_play(&play, 1);
  ecs_Entity root = spawn_linked(&play, 2, 0);
  ecs_Statistics statistics;
  for (uint32_t i = 1; i < MANY; i++) spawn_linked(&play, 2, root);
  assert_int_equal(count_links(&play, root, 2), MANY - 1);
  assert_int_equal(ecs_destroy(play.world, root), ECS_OK);
  ecs_world_statistics(play.world, &statistics);
  assert_int_equal(statistics.entities, 0);
  close_play(&play);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wrong_description_is_refused),
      cmocka_unit_test(what_is_no_link_is_refused),
      cmocka_unit_test(kernels_and_programs_only_read_links),
      cmocka_unit_test(a_circle_is_refused_and_named),
      cmocka_unit_test(a_circle_that_a_rule_makes_is_not_closed),
      cmocka_unit_test(the_order_of_linking_is_part_of_the_hash),
      cmocka_unit_test(clearing_a_world_ends_all_links),
      cmocka_unit_test(long_chains_are_built_and_destroyed),
      cmocka_unit_test(many_children_die_with_their_parent),
      cmocka_unit_test(random_programs_agree_with_the_oracle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

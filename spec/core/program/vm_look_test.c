/* vm_look_test.c: looking up the entities of a block.
 *
 * Entities with any components are looked up in random order, among them dead
 * ones, null, numbers that were never issued and spawns that are recorded only.
 * Places are those of store_locate, values those of ecs_get_field.
 */
#include "test_case.h"
#include "program/vm_look.h"
#include "program_fixture.h"
#include "program_rig.h"

#ifdef ECS_TINY
#define COUNT 30u
#else
#define COUNT 600u
#endif
#define ROWS 512u
#define KINDS 6u /* of components */

static ecs_Component kinds[KINDS];
static Random source;

/* Types of numbers. */
#define NUMBERS ((uint32_t)ECS_ENTITY + 1u)

static uint32_t below(uint32_t n) { return random_below(&source, n); }

static ecs_Component define_all(const char *name, ecs_Storage storage) {
  static const ecs_Field fields[] = {
      {"f32", ECS_F32, 0},      {"f64", ECS_F64, 0}, {"i8", ECS_I8, 0},
      {"u8", ECS_U8, 0},        {"i16", ECS_I16, 0}, {"u16", ECS_U16, 0},
      {"i32", ECS_I32, 0},      {"u32", ECS_U32, 0}, {"bool", ECS_BOOL, 0},
      {"entity", ECS_ENTITY, 0}};
  const ecs_ComponentDescription how = {.name = name,
                                        .fields = fields,
                                        .field_count = NUMBERS,
                                        .storage = storage};
  ecs_Component component = 0;
  must(ecs_component(fixture.world, &how, &component));
  return component;
}

/* Gives an entity some of the components, with numbers that all fields hold. */
static void dress(ecs_Entity entity) {
  for (uint32_t k = 0; k < KINDS; k++) {
    if (below(3) == 0) continue;
    must(ecs_add(fixture.world, entity, kinds[k], NULL));
    for (uint32_t f = 0; k < 2 && f < NUMBERS; f++)
      set(entity, kinds[k], f, f == ECS_BOOL ? below(2) : below(128));
  }
}

static void populate(void) {
  start(ECS_STORE_TABLE, ECS_STORE_SPARSE);
  kinds[0] = define_all("Wide", ECS_STORE_TABLE);
  kinds[1] = define_all("Set", ECS_STORE_SPARSE);
  kinds[2] = fixture.t;
  kinds[3] = fixture.u;
  kinds[4] = define("Flag", 0, ECS_STORE_SPARSE);
  kinds[5] = fixture.v;
  for (uint32_t k = 0; k < COUNT; k++) {
    must(ecs_spawn(fixture.world, NULL, 0, NULL, &fixture.entities[k]));
    dress(fixture.entities[k]);
  }
  for (uint32_t k = 0; k < COUNT; k += 7) {
    must(ecs_destroy(fixture.world, fixture.entities[k]));
    ecs_Entity again = 0;
    if (k % 2 == 0) must(ecs_spawn(fixture.world, NULL, 0, NULL, &again));
  }
}

static void draw_entities(ecs_Entity *entities, ecs_Entity reserved) {
  for (uint32_t i = 0; i < ROWS; i++) {
    uint32_t way = below(12);
    uint32_t next = i == 0 ? 0 : id_index(entities[i - 1]) % COUNT;
    entities[i] = way == 0   ? 0
                  : way == 1 ? random_bits(&source) >> (12 + below(50))
                  : way == 2 ? reserved
                  : way <= 7 ? fixture.entities[next] /* often in a row */
                             : fixture.entities[below(COUNT)];
  }
}

static void check_values(ecs_Component id, uint32_t field, ValueType type,
                         const RowId *places, const ecs_Entity *entities) {
  static union {
    float f32[ROWS];
    double f64[ROWS];
    uint32_t truths[ROWS];
    ecs_Entity entities[ROWS];
  } out;
  memset(&out, 0x5a, sizeof out);
  look_get(&fixture.world->store.components.all[id], field, type, places, &out,
           ROWS);
  for (uint32_t i = 0; i < ROWS; i++) {
    bool has = ecs_has(fixture.world, entities[i], id);
    double want = has ? get(entities[i], id, field) : 0;
    double have = type == VALUE_F32    ? (double)out.f32[i]
                  : type == VALUE_F64  ? out.f64[i]
                  : type == VALUE_BOOL ? out.truths[i]
                                       : (double)out.entities[i];
    assert_true(have == want);
  }
}

static void check_component(ecs_Component id, const ecs_Entity *entities) {
  const Store *store = &fixture.world->store;
  const Component *component = &store->components.all[id];
  static RowId places[ROWS];
  static uint32_t has[ROWS];
  look_locate(store, component, entities, places, ROWS);
  look_has(places, has, ROWS);
  for (uint32_t i = 0; i < ROWS; i++) {
    RowRef row = {NULL, 0};
    if (store_locate(store, entities[i], id, &row) != ECS_OK) row.table = NULL;
    assert_int_equal(has[i], row.table != NULL);
    assert_int_equal(places[i].table,
                     row.table == NULL ? LOOK_NOWHERE : row.table->id);
    if (row.table != NULL) assert_int_equal(places[i].row, row.row);
  }
  for (uint32_t f = 0; f < component->field_count; f++)
    for (int type = 0; type < VALUE_TYPE_COUNT; type++)
      if (scalar_loads_as(component->schema->fields[f].type, (ValueType)type))
        check_values(id, f, (ValueType)type, places, entities);
}

TEST(rows_of_any_entities_are_found_and_read) {
  ecs_Entity entities[ROWS], reserved = 0;
  source = (Random){11};
  populate();
  must(ecs_defer_begin(fixture.world));
  must(ecs_spawn(fixture.world, &kinds[0], 1, NULL, &reserved));
  for (int round = 0; round < 5; round++) {
    draw_entities(entities, reserved);
    for (uint32_t k = 0; k < KINDS; k++) check_component(kinds[k], entities);
  }
  must(ecs_defer_end(fixture.world));
  finish();
}

/* The generations of one index are told apart, also past those that a slot
 * holds. */
TEST(generations_are_told_apart) {
  ecs_Entity entities[ROWS];
  start(ECS_STORE_TABLE, ECS_STORE_SPARSE);
  const uint32_t n = ROWS < ECS_GENERATION_LIMIT ? ROWS : ECS_GENERATION_LIMIT;
  for (uint32_t k = 0; k < n; k++) {
    must(ecs_spawn(fixture.world, &fixture.v, 1, NULL, &entities[k]));
    if (k + 1 < n) must(ecs_destroy(fixture.world, entities[k]));
  }
  RowId places[ROWS];
  look_locate(&fixture.world->store,
              &fixture.world->store.components.all[fixture.v], entities, places,
              n);
  for (uint32_t k = 0; k < n; k++)
    assert_int_equal(places[k].table == LOOK_NOWHERE, k + 1 < n);
  finish();
}

static const Step *step_of(uint32_t value) {
  const ProgramPlan *plan = fixture.program->plan;
  for (uint32_t k = 0; k < plan->step_count; k++)
    if (plan->steps[k].ins->result == value) return &plan->steps[k];
  fail_msg("v%u has no step", value);
  return NULL;
}

TEST(a_plan_locates_once_for_value_and_component) {
  start(ECS_STORE_TABLE, ECS_STORE_SPARSE);
  const ecs_Term term = {fixture.p, ECS_WRITE};
  ask(&term, 1);
  make(
      "column c0 \"P\" \"x\" f32 write\ncolumn c1 \"P\" \"who\" entity read\n"
      "v0 = load entity c1\nv1 = get f32 v0 \"V\" \"x\"\n"
      "v2 = has v0 \"V\"\nv3 = get f32 v0 \"S\" \"x\"\n"
      "v4 = get f32 v0 \"V\" \"y\"\nv5 = self\nv6 = get f32 v5 \"V\" \"x\"\n"
      "v7 = add f32 v1 v3\nv8 = add f32 v4 v6\nv9 = add f32 v7 v8\n"
      "store c0 v9 v2\n");
  static const bool locates[] = {true, false, true, false, true};
  static const uint32_t looks[] = {1, 2, 3, 4, 6};
  for (uint32_t k = 0; k < 5; k++)
    assert_int_equal(step_locates(step_of(looks[k])), locates[k]);
  assert_int_equal(step_places(step_of(2)), step_places(step_of(1)));
  assert_int_equal(step_places(step_of(4)), step_places(step_of(1)));
  assert_int_not_equal(step_places(step_of(3)), step_places(step_of(1)));
  finish();
}

/* x of every row becomes what is known of u0; then u0 may be destroyed. */
TEST(single_entities_are_looked_up_once) {
  for (int alone = 0; alone < 2; alone++) {
    start(ECS_STORE_TABLE, ECS_STORE_SPARSE);
    const ecs_Term term = {fixture.p, ECS_WRITE};
    ask(&term, 1);
    make(alone ? "column c0 \"P\" \"x\" f32 write\nuniform u0 entity\n"
                 "v0 = uniform entity u0\nv1 = get f32 v0 \"V\" \"x\"\n"
                 "v2 = alive v0\nv3 = has v0 \"V\"\nv4 = constant f32 1\n"
                 "v5 = constant f32 0\nv6 = select f32 v2 v4 v5\n"
                 "v7 = select f32 v3 v4 v5\nv8 = add f32 v6 v7\n"
                 "v9 = add f32 v8 v1\nstore c0 v9\n"
               : "column c0 \"P\" \"x\" f32 write\nuniform u0 entity\n"
                 "v0 = uniform entity u0\nv1 = alive v0\n"
                 "v2 = constant f32 1\nv3 = constant f32 0\n"
                 "v4 = select f32 v1 v2 v3\nstore c0 v4\n"
                 "v5 = self\nv6 = eq entity v5 v0\ndestroy v6\n");
    spawn(MOST < 600 ? MOST : 600, fixture.v, 5);
    const double whom[] = {(double)fixture.entities[5],
                           (double)fixture.entities[6], 0,
                           (double)fixture.entities[7]};
    const double want[] = {13, 1, 0, 1};
    assert_int_equal(fixture.program->plan->once_count, alone ? 10 : 3);
    must(ecs_destroy(fixture.world, fixture.entities[8]));
    for (uint32_t k = 0; alone && k < 4; k++) {
      must(run(&whom[k], NULL));
      assert_true(get(fixture.entities[0], fixture.p, 0) == want[k]);
      assert_true(get(fixture.entities[12], fixture.p, 0) == want[k]);
    }
    if (!alone) {
      must(run(&whom[1], NULL));
      assert_true(get(fixture.entities[4], fixture.p, 0) == 1);
      assert_true(get(fixture.entities[7], fixture.p, 0) == 0);
      assert_true(get(fixture.entities[12], fixture.p, 0) == 0);
      assert_false(ecs_alive(fixture.world, fixture.entities[6]));
    }
    finish();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_any_entities_are_found_and_read),
      cmocka_unit_test(generations_are_told_apart),
      cmocka_unit_test(a_plan_locates_once_for_value_and_component),
      cmocka_unit_test(single_entities_are_looked_up_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

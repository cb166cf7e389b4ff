/* accessor_test.c: prepared access to one component of many entities.
 *
 * What an accessor answers is compared with ecs_get and ecs_has, before and
 * after everything that may move rows under it: growth, other components,
 * deaths, another layout.
 *
 *      entities   e1   e2   dead   e4
 *      column x   1.0  2.0  kept   4.0     found: 3
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "world/world.h"
#include "api_fixture.h"

#define COUNT 40u

typedef struct Sizes {
  double f64;
  uint8_t u8;
  uint16_t u16;
  float f32;
} Sizes;

/* The same, as columns. */
typedef struct Columns {
  double f64[200];
  uint8_t u8[200];
  uint16_t u16[200];
  float f32[200];
} Columns;

typedef struct Fixture {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component a, s, b, tag;
  ecs_Entity e[COUNT];
} Fixture;

static ecs_Component define(Fixture *fixture, const char *name, uint32_t fields,
                            ecs_Storage storage) {
  static const ecs_Field sizes[] = {{"f64", ECS_F64, 0.5},
                                    {"u8", ECS_U8, 3},
                                    {"u16", ECS_U16, 4},
                                    {"f32", ECS_F32, 5}};
  return define_component(fixture->world, name, sizes, fields, storage);
}

static void start(Fixture *fixture) {
  fixture->world = open_world(&fixture->failing);
  fixture->a = define(fixture, "A", 4, ECS_STORE_TABLE);
  fixture->s = define(fixture, "S", 4, ECS_STORE_SPARSE);
  fixture->b = define(fixture, "B", 1, ECS_STORE_TABLE);
  fixture->tag = define(fixture, "Tag", 0, ECS_STORE_TABLE);
}

static void finish(Fixture *fixture) {
  assert_true(world_check_invariants(fixture->world));
  close_world(fixture->world, &fixture->failing);
}

static Sizes sizes_of(uint32_t number) {
  Sizes sizes;
  memset(&sizes, 0, sizeof sizes);
  sizes.f64 = number + 0.25;
  sizes.u8 = (uint8_t)number;
  sizes.u16 = (uint16_t)(number * 7);
  sizes.f32 = (float)number / 2;
  return sizes;
}

static void assert_sizes(Sizes sizes, uint32_t number) {
  assert_true(sizes.f64 == number + 0.25);
  assert_int_equal(sizes.u8, (uint8_t)number);
  assert_int_equal(sizes.u16, (uint16_t)(number * 7));
  assert_true(sizes.f32 == (float)number / 2);
}

/* count entities; those whose bit in which is set have the component. */
static void spawn(Fixture *fixture, uint32_t count, ecs_Component component,
                  uint64_t which) {
  for (uint32_t i = 0; i < count; i++) {
    Sizes image = sizes_of(i);
    const void *values[] = {&image};
    assert_int_equal(ecs_spawn(fixture->world, &component, which >> i & 1u,
                               values, &fixture->e[i]),
                     ECS_OK);
  }
}

static ecs_Accessor access_to(Fixture *fixture, ecs_Component component) {
  ecs_Accessor accessor;
  memset(&accessor, 0xff, sizeof accessor);
  assert_int_equal(ecs_accessor(fixture->world, component, &accessor), ECS_OK);
  return accessor;
}

static void assert_got(ecs_Accessor *accessor, ecs_Entity entity,
                       uint32_t number) {
  Sizes image = sizes_of(99);
  assert_int_equal(ecs_accessor_get(accessor, entity, &image), ECS_OK);
  assert_sizes(image, number);
}

static void fill(Columns *columns, uint32_t count, uint32_t from) {
  memset(columns, 0xee, sizeof *columns);
  for (uint32_t i = 0; i < count; i++) {
    Sizes sizes = sizes_of(from + i);
    columns->f64[i] = sizes.f64;
    columns->u8[i] = sizes.u8;
    columns->u16[i] = sizes.u16;
    columns->f32[i] = sizes.f32;
  }
}

static Sizes row_of(const Columns *columns, uint32_t i) {
  return (Sizes){columns->f64[i], columns->u8[i], columns->u16[i],
                 columns->f32[i]};
}

static uint32_t get_many(ecs_Accessor *accessor, const ecs_Entity *entities,
                         uint32_t count, Columns *columns) {
  void *const pointers[] = {columns->f64, columns->u8, columns->u16,
                            columns->f32};
  uint32_t found = 999;
  assert_int_equal(
      ecs_accessor_get_many(accessor, entities, count, pointers, &found),
      ECS_OK);
  assert_int_equal(
      ecs_accessor_get_many(accessor, entities, count, pointers, NULL), ECS_OK);
  return found;
}

static uint32_t set_many(ecs_Accessor *accessor, const ecs_Entity *entities,
                         uint32_t count, const Columns *columns) {
  const void *const pointers[] = {columns->f64, columns->u8, columns->u16,
                                  columns->f32};
  uint32_t found = 999;
  assert_int_equal(
      ecs_accessor_set_many(accessor, entities, count, pointers, &found),
      ECS_OK);
  return found;
}

/* A component of fields f32, which accessors treat in line. */
static ecs_Component define_plain(Fixture *fixture, const char *name,
                                  uint32_t fields) {
  static const ecs_Field floats[] = {
      {"x", ECS_F32, 0}, {"y", ECS_F32, 0}, {"z", ECS_F32, 0}};
  ecs_ComponentDescription how = {name, floats, fields, ECS_STORE_TABLE};
  ecs_Component component = 0;
  assert_int_equal(ecs_component(fixture->world, &how, &component), ECS_OK);
  return component;
}

/* A handle is found or not, alone, among others, for reading and writing. */
static void assert_known(ecs_Accessor *accessor, ecs_Entity entity,
                         ecs_Entity other, uint32_t fields, bool alive) {
  ecs_Status status = alive ? ECS_OK : ECS_E_DEAD;
  ecs_Entity three[] = {other, entity, other};
  float image[3] = {-1, -1, -1}, found[3][3], values[3] = {7, 8, 9};
  void *columns[] = {found[0], found[1], found[2]};
  const void *new_ones[] = {found[0], found[1], found[2]};
  uint32_t count = 0;
  assert_int_equal(ecs_accessor_set(accessor, entity, values), status);
  assert_int_equal(ecs_accessor_get(accessor, entity, image), status);
  for (uint32_t k = 0; k < 3; k++) {
    assert_true(image[k] == (alive && k < fields ? values[k] : -1));
    for (uint32_t i = 0; i < 3; i++) found[k][i] = -1;
  }
  ecs_accessor_get_many(accessor, three, 3, columns, &count);
  assert_int_equal(count, alive ? 3 : 2);
  for (uint32_t k = 0; k < fields; k++) {
    assert_true(found[k][1] == (alive ? values[k] : -1));
    assert_true(found[k][0] == (float)k && found[k][2] == (float)k);
  }
  ecs_accessor_set_many(accessor, three, 3, new_ones, &count);
  assert_int_equal(count, alive ? 3 : 2);
}

/* One ----------------------------------------------------------------------*/

/* Slots tell the first generations, rows the later ones. */
static void an_accessor_knows_every_generation(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  float zeros[3] = {0, 1, 2};
  const void *values[] = {zeros};
  uint32_t last = ECS_SLOT_GENERATIONS + 5;
  if (last > ECS_GENERATION_LIMIT - 1) last = ECS_GENERATION_LIMIT - 1;
  for (uint32_t fields = 1; fields <= 3; fields++) {
    const char *names[] = {"", "P1", "P2", "P3"};
    ecs_Component plain = define_plain(&fixture, names[fields], fields);
    ecs_Accessor accessor = access_to(&fixture, plain);
    ecs_Entity other = 0, entity = 0;
    ecs_spawn(fixture.world, &plain, 1, values, &other);
    for (uint32_t now = 0; now <= last; now++) {
      ecs_spawn(fixture.world, &plain, 1, values, &entity);
      assert_int_equal(id_generation(entity), now);
      for (uint32_t k = 0; k <= last; k++)
        assert_known(&accessor, id_make(id_index(entity), k), other, fields,
                     k == now);
      assert_known(&accessor, entity | UINT64_C(1) << 60, other, fields, false);
      assert_known(&accessor, 0, other, fields, false);
      if (now < last || now + 1 == ECS_GENERATION_LIMIT)
        ecs_destroy(fixture.world, entity);
    }
  }
  finish(&fixture);
}

static void only_components_with_fields_have_accessors(void **state) {
  (void)state;
  Fixture fixture;
  ecs_Accessor accessor;
  start(&fixture);
  const ecs_Component bad[] = {0, fixture.tag, fixture.tag + 1, UINT32_MAX};
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(ecs_accessor(fixture.world, bad[i], &accessor),
                     ECS_E_COMPONENT);
  finish(&fixture);
}

static void an_accessor_reads_and_writes_all_fields(void **state) {
  (void)state;
  for (uint32_t sparse = 0; sparse < 2; sparse++) {
    Fixture fixture;
    start(&fixture);
    ecs_Component what = sparse == 1 ? fixture.s : fixture.a;
    ecs_Accessor accessor = access_to(&fixture, what);
    spawn(&fixture, 10, what, ~UINT64_C(0));
    for (uint32_t i = 0; i < 10; i++) assert_got(&accessor, fixture.e[i], i);
    for (uint32_t i = 0; i < 10; i += 3) {
      Sizes image = sizes_of(i + 50), back;
      assert_int_equal(ecs_accessor_set(&accessor, fixture.e[i], &image),
                       ECS_OK);
      assert_int_equal(ecs_get(fixture.world, fixture.e[i], what, &back),
                       ECS_OK);
      assert_sizes(back, i + 50);
    }
    for (uint32_t i = 0; i < 10; i++)
      assert_got(&accessor, fixture.e[i], i % 3 == 0 ? i + 50 : i);
    finish(&fixture);
  }
}

static void an_accessor_tells_the_dead_from_those_who_lack(void **state) {
  (void)state;
  for (uint32_t sparse = 0; sparse < 2; sparse++) {
    Fixture fixture;
    start(&fixture);
    ecs_Component what = sparse == 1 ? fixture.s : fixture.a;
    ecs_Accessor accessor = access_to(&fixture, what);
    spawn(&fixture, 4, what, 0xb);
    assert_int_equal(ecs_destroy(fixture.world, fixture.e[1]), ECS_OK);
    Sizes image = sizes_of(1);
    const ecs_Entity dead[] = {fixture.e[1], 0, id_make(ECS_INDEX_MASK, 0)};
    for (uint32_t i = 0; i < 3; i++) {
      assert_int_equal(ecs_accessor_get(&accessor, dead[i], &image),
                       ECS_E_DEAD);
      assert_int_equal(ecs_accessor_set(&accessor, dead[i], &image),
                       ECS_E_DEAD);
    }
    assert_int_equal(ecs_accessor_get(&accessor, fixture.e[2], &image),
                     ECS_E_ABSENT);
    assert_int_equal(ecs_accessor_set(&accessor, fixture.e[2], &image),
                     ECS_E_ABSENT);
    assert_false(ecs_has(fixture.world, fixture.e[2], what));
    ecs_Entity born = 0;
    assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
    assert_int_equal(ecs_spawn(fixture.world, &what, 1, NULL, &born), ECS_OK);
    assert_int_equal(ecs_accessor_get(&accessor, born, &image), ECS_E_ABSENT);
    assert_int_equal(ecs_accessor_set(&accessor, born, &image), ECS_E_ABSENT);
    assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
    assert_int_equal(ecs_accessor_get(&accessor, born, &image), ECS_OK);
    finish(&fixture);
  }
}

static void an_accessor_follows_rows_that_move(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Accessor accessor = access_to(&fixture, fixture.a);
  ecs_Accessor sparse = access_to(&fixture, fixture.s);
  spawn(&fixture, 2, fixture.a, 3);
  for (uint32_t i = 0; i < 2; i++) assert_got(&accessor, fixture.e[i], i);
  spawn(&fixture, 30, fixture.a, ~UINT64_C(0)); /* the table grows */
  for (uint32_t i = 0; i < 30; i++) {
    if (i % 2 == 0)
      assert_int_equal(ecs_add(fixture.world, fixture.e[i], fixture.b, NULL),
                       ECS_OK);
    Sizes image = sizes_of(i + 60);
    assert_int_equal(ecs_add(fixture.world, fixture.e[i], fixture.s, &image),
                     ECS_OK);
    assert_got(&sparse, fixture.e[i], i + 60);
  }
  for (uint32_t i = 0; i < 30; i++) assert_got(&accessor, fixture.e[i], i);
  const ecs_Component both[] = {fixture.s, fixture.a};
  for (uint32_t round = 0; round < 2; round++) {
    assert_int_equal(round == 0 ? ecs_group(fixture.world, both, 2)
                                : ecs_ungroup(fixture.world, both, 2),
                     ECS_OK);
    for (uint32_t i = 0; i < 30; i++) {
      assert_got(&accessor, fixture.e[i], i);
      assert_got(&sparse, fixture.e[i], i + 60);
    }
  }
  finish(&fixture);
}

static void what_an_accessor_stores_is_made_canonical(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Accessor accessor = access_to(&fixture, fixture.a);
  spawn(&fixture, 1, fixture.a, 1);
  const uint64_t noise = UINT64_C(0xfff8000000000001);
  Sizes image = sizes_of(1);
  Columns columns;
  for (uint32_t many = 0; many < 2; many++) {
    memcpy(&image.f64, &noise, 8);
    fill(&columns, 1, 1);
    memcpy(&columns.f64[0], &noise, 8);
    if (many == 0)
      assert_int_equal(ecs_accessor_set(&accessor, fixture.e[0], &image),
                       ECS_OK);
    else
      assert_int_equal(set_many(&accessor, fixture.e, 1, &columns), 1);
    assert_int_equal(ecs_accessor_get(&accessor, fixture.e[0], &image), ECS_OK);
    uint64_t bits = 0;
    memcpy(&bits, &image.f64, 8);
    assert_int_equal(bits, UINT64_C(0x7ff8000000000000));
    image = sizes_of(0);
    assert_int_equal(ecs_accessor_set(&accessor, fixture.e[0], &image), ECS_OK);
  }
  finish(&fixture);
}

/* Components whose fields have all one size, of every size. */
static void fields_of_one_size_are_told_apart(void **state) {
  (void)state;
  static const ecs_Scalar types[] = {ECS_U8, ECS_U16, ECS_F32, ECS_U32,
                                     ECS_F64};
  Fixture fixture;
  start(&fixture);
  for (uint32_t k = 0; k < 5; k++) {
    char name[16];
    uint64_t image[4], back[4];
    uint32_t bytes = 3 * ecs_scalar_bytes(types[k]);
    const ecs_Field fields[] = {
        {"p", types[k], 1}, {"q", types[k], 2}, {"r", types[k], 3}};
    snprintf(name, sizeof name, "Same%u", (unsigned)k);
    ecs_ComponentDescription how = {name, fields, 3, ECS_STORE_TABLE};
    ecs_Component what = 0;
    assert_int_equal(ecs_component(fixture.world, &how, &what), ECS_OK);
    ecs_Accessor accessor = access_to(&fixture, what);
    for (uint32_t i = 0; i < 2; i++)
      assert_int_equal(ecs_spawn(fixture.world, &what, 1, NULL, &fixture.e[i]),
                       ECS_OK);
    memset(back, 0xee, sizeof back);
    assert_int_equal(ecs_accessor_get(&accessor, fixture.e[1], back), ECS_OK);
    for (uint32_t i = 0; i < 3; i++)
      ecs_scalar_convert(types[k],
                         (char *)image + i * ecs_scalar_bytes(types[k]), i + 1);
    assert_memory_equal(back, image, bytes);
    assert_int_equal(((unsigned char *)back)[bytes], 0xee);
    for (uint32_t i = 0; i < 3; i++)
      ecs_scalar_convert(types[k],
                         (char *)image + i * ecs_scalar_bytes(types[k]), i + 9);
    assert_int_equal(ecs_accessor_set(&accessor, fixture.e[1], image), ECS_OK);
    assert_int_equal(ecs_get(fixture.world, fixture.e[1], what, back), ECS_OK);
    assert_memory_equal(back, image, bytes);
    assert_int_equal(ecs_accessor_get(&accessor, fixture.e[1], back), ECS_OK);
    assert_memory_equal(back, image, bytes);
    double first = 0;
    assert_int_equal(
        ecs_get_field(fixture.world, fixture.e[0], what, 2, &first), ECS_OK);
    assert_true(first == 3);
  }
  finish(&fixture);
}

/* Many -------------------------------------------------------------------- */

static void many_of_one_table_are_read_at_once(void **state) {
  (void)state;
  for (uint32_t sparse = 0; sparse < 2; sparse++) {
    Fixture fixture;
    start(&fixture);
    ecs_Component what = sparse == 1 ? fixture.s : fixture.a;
    ecs_Accessor accessor = access_to(&fixture, what);
    spawn(&fixture, COUNT, what, ~UINT64_C(0));
    static const uint32_t counts[] = {0, 1, 2, 63, 64, 65, 128, 129, 190};
    for (uint32_t k = 0; k < 9; k++) {
      ecs_Entity many[200];
      Columns columns;
      for (uint32_t i = 0; i < 200; i++) many[i] = fixture.e[i * 17 % COUNT];
      fill(&columns, 0, 0);
      assert_int_equal(get_many(&accessor, many, counts[k], &columns),
                       counts[k]);
      for (uint32_t i = 0; i < counts[k]; i++)
        assert_sizes(row_of(&columns, i), i * 17 % COUNT);
      assert_int_equal(columns.u8[counts[k]], 0xee);
      assert_int_equal(columns.u16[counts[k]], 0xeeee);
    }
    finish(&fixture);
  }
}

/* Two tables that have it, one that has not, the dead and the null. */
static void those_who_lack_it_are_left_as_they_are(void **state) {
  (void)state;
  for (uint32_t sparse = 0; sparse < 2; sparse++) {
    Fixture fixture;
    start(&fixture);
    ecs_Component what = sparse == 1 ? fixture.s : fixture.a;
    ecs_Accessor accessor = access_to(&fixture, what);
    spawn(&fixture, COUNT, what, UINT64_C(0x77777777777));
    for (uint32_t i = 0; i < COUNT; i += 5)
      assert_int_equal(ecs_add(fixture.world, fixture.e[i], fixture.b, NULL),
                       ECS_OK);
    assert_int_equal(ecs_destroy(fixture.world, fixture.e[2]), ECS_OK);
    assert_int_equal(ecs_destroy(fixture.world, fixture.e[COUNT - 2]), ECS_OK);
    ecs_Entity many[130];
    Columns columns;
    uint32_t expected = 0;
    for (uint32_t i = 0; i < 130; i++)
      many[i] = i % 13 == 12 ? 0 : fixture.e[i % COUNT];
    for (uint32_t i = 0; i < 130; i++)
      expected += ecs_has(fixture.world, many[i], what);
    fill(&columns, 130, 300);
    assert_int_equal(get_many(&accessor, many, 130, &columns), expected);
    for (uint32_t i = 0; i < 130; i++)
      assert_sizes(row_of(&columns, i),
                   ecs_has(fixture.world, many[i], what) ? i % COUNT : 300 + i);
    fill(&columns, 130, 600);
    assert_int_equal(set_many(&accessor, many, 130, &columns), expected);
    for (uint32_t i = 0; i < COUNT; i++) {
      if (!ecs_has(fixture.world, fixture.e[i], what)) continue;
      uint32_t last = i; /* one that comes twice keeps the later values */
      for (uint32_t k = i; k < 130; k += COUNT)
        if (k % 13 != 12) last = k;
      assert_got(&accessor, fixture.e[i], 600 + last);
    }
    finish(&fixture);
  }
}

/* While something is recorded ---------------------------------------------- */

static void a_set_after_a_record_is_recorded_too(void **state) {
  (void)state;
  for (uint32_t many = 0; many < 2; many++) {
    Fixture fixture;
    start(&fixture);
    ecs_Accessor accessor = access_to(&fixture, fixture.a);
    spawn(&fixture, 3, fixture.a, 7);
    Columns columns;
    fill(&columns, 3, 70);
    assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
    assert_int_equal(ecs_remove(fixture.world, fixture.e[0], fixture.a),
                     ECS_OK);
    assert_int_equal(ecs_add(fixture.world, fixture.e[1], fixture.b, NULL),
                     ECS_OK);
    for (uint32_t i = 0; i < 3; i++) {
      Sizes image = sizes_of(70 + i);
      if (many == 0)
        assert_int_equal(ecs_accessor_set(&accessor, fixture.e[i], &image),
                         ECS_OK);
    }
    if (many == 1)
      assert_int_equal(set_many(&accessor, fixture.e, 3, &columns), 3);
    assert_got(&accessor, fixture.e[0], 0);
    assert_got(&accessor, fixture.e[1], 1);
    assert_got(&accessor, fixture.e[2], 72); /* nothing recorded: at once */
    assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
    assert_got(&accessor, fixture.e[0], 70);
    assert_got(&accessor, fixture.e[1], 71);
    assert_got(&accessor, fixture.e[2], 72);
    finish(&fixture);
  }
}

static void one_record_is_enough(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Accessor accessor = access_to(&fixture, fixture.a);
  spawn(&fixture, 1, fixture.a, 1);
  Sizes image = sizes_of(5);
  assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
  assert_int_equal(ecs_add(fixture.world, fixture.e[0], fixture.b, NULL),
                   ECS_OK);
  assert_int_equal(ecs_accessor_set(&accessor, fixture.e[0], &image), ECS_OK);
  assert_got(&accessor, fixture.e[0], 0);
  ecs_defer_discard(fixture.world);
  assert_got(&accessor, fixture.e[0], 0);
  finish(&fixture);
}

/* e0: nothing recorded; e1, e2: something; e3: destroyed; room for one. */
static void a_recording_that_fails_leaves_a_set_of_many_undone(void **state) {
  (void)state;
  Fixture fixture;
  start(&fixture);
  ecs_Accessor accessor = access_to(&fixture, fixture.a);
  spawn(&fixture, 4, fixture.a, 15);
  Columns columns;
  fill(&columns, 4, 70);
  const void *const pointers[] = {columns.f64, columns.u8, columns.u16,
                                  columns.f32};
  CommandBuffer *commands = &fixture.world->commands;
  const ecs_Entity many[] = {fixture.e[0], fixture.e[3], fixture.e[1],
                             fixture.e[2]};
  assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
  for (uint32_t i = 1; i < 3; i++)
    assert_int_equal(ecs_add(fixture.world, fixture.e[i], fixture.b, NULL),
                     ECS_OK);
  assert_int_equal(ecs_destroy(fixture.world, fixture.e[3]), ECS_OK);
  const Command *last = commands->last;
  uint32_t found = 99;
  commands->command_count += ECS_COMMAND_LIMIT - 4;
  assert_int_equal(ecs_accessor_set_many(&accessor, many, 4, pointers, &found),
                   ECS_E_LIMIT);
  assert_int_equal(commands->command_count, ECS_COMMAND_LIMIT - 1);
  commands->command_count -= ECS_COMMAND_LIMIT - 4;
  assert_ptr_equal(commands->last, last);
  assert_int_equal(fixture.world->dropped, 0);
  assert_int_equal(found, 0);
  for (uint32_t i = 0; i < 4; i++) assert_got(&accessor, fixture.e[i], i);
  assert_int_equal(ecs_defer_end(fixture.world), ECS_OK);
  for (uint32_t i = 0; i < 3; i++) assert_got(&accessor, fixture.e[i], i);
  finish(&fixture);
}

static void open_cursors_forbid_what_they_forbid_to_others(void **state) {
  (void)state;
  static const ecs_Access access[] = {ECS_READ, ECS_WRITE, ECS_OPTIONAL,
                                      ECS_WITH};
  for (uint32_t i = 0; i < 4; i++) {
    Fixture fixture;
    start(&fixture);
    ecs_Accessor accessor = access_to(&fixture, fixture.a);
    ecs_Accessor other = access_to(&fixture, fixture.s);
    spawn(&fixture, 2, fixture.a, 3);
    const ecs_Term term = {fixture.a, access[i]};
    ecs_Query *query = NULL;
    ecs_Cursor cursor;
    assert_int_equal(ecs_query_create(fixture.world, &term, 1, &query), ECS_OK);
    assert_int_equal(ecs_query_begin(query, ECS_BATCH_WHOLE, &cursor), ECS_OK);
    Columns columns;
    fill(&columns, 2, 20);
    void *const to[] = {columns.f64, columns.u8, columns.u16, columns.f32};
    const void *const from[] = {columns.f64, columns.u8, columns.u16,
                                columns.f32};
    Sizes image = sizes_of(20);
    bool reads = i != 3, writes = i == 1 || i == 2;
    assert_int_equal(ecs_accessor_get(&accessor, fixture.e[0], &image),
                     writes ? ECS_E_ACCESS : ECS_OK);
    assert_int_equal(ecs_accessor_get_many(&accessor, fixture.e, 2, to, NULL),
                     writes ? ECS_E_ACCESS : ECS_OK);
    assert_int_equal(ecs_world_contested(fixture.world),
                     writes ? fixture.a : 0);
    assert_int_equal(ecs_accessor_set(&accessor, fixture.e[0], &image),
                     reads ? ECS_E_ACCESS : ECS_OK);
    assert_int_equal(ecs_accessor_set_many(&accessor, fixture.e, 2, from, NULL),
                     reads ? ECS_E_ACCESS : ECS_OK);
    assert_int_equal(ecs_world_contested(fixture.world), reads ? fixture.a : 0);
    assert_int_equal(ecs_accessor_set(&other, fixture.e[0], &image),
                     ECS_E_ABSENT);
    assert_int_equal(ecs_cursor_end(&cursor), ECS_OK);
    assert_int_equal(ecs_accessor_set(&accessor, fixture.e[0], &image), ECS_OK);
    finish(&fixture);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_components_with_fields_have_accessors),
      cmocka_unit_test(an_accessor_knows_every_generation),
      cmocka_unit_test(an_accessor_reads_and_writes_all_fields),
      cmocka_unit_test(an_accessor_tells_the_dead_from_those_who_lack),
      cmocka_unit_test(an_accessor_follows_rows_that_move),
      cmocka_unit_test(what_an_accessor_stores_is_made_canonical),
      cmocka_unit_test(fields_of_one_size_are_told_apart),
      cmocka_unit_test(many_of_one_table_are_read_at_once),
      cmocka_unit_test(those_who_lack_it_are_left_as_they_are),
      cmocka_unit_test(a_set_after_a_record_is_recorded_too),
      cmocka_unit_test(one_record_is_enough),
      cmocka_unit_test(a_recording_that_fails_leaves_a_set_of_many_undone),
      cmocka_unit_test(open_cursors_forbid_what_they_forbid_to_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

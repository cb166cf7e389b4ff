/* row_access_test.c: rows of single entities in line, ecs_access.h.
 *
 * Random programs run on two worlds. What one does through ecs_Rows the other
 * does through accessors; the statuses and images are the same at each step,
 * and the hashes in the end. The library verifies each row that is found in
 * line.
 */
#include "api_scene.h"
#include "ecs_access.h"
#include "test_case.h"

#ifdef ECS_TINY
#define MOST 24u
#else
#define MOST 200u
#endif
#define KINDS 5u

/* A component with a field of each type, as an image. */
typedef struct All {
  float f32;
  double f64;
  int8_t i8;
  uint8_t u8;
  int16_t i16;
  uint16_t u16;
  int32_t i32;
  uint32_t u32;
  uint8_t boolean;
  ecs_Entity entity;
} All;

static const ecs_Field all[] = {
    {"f32", ECS_F32, 1},   {"f64", ECS_F64, 2}, {"i8", ECS_I8, 3},
    {"u8", ECS_U8, 4},     {"i16", ECS_I16, 5}, {"u16", ECS_U16, 6},
    {"i32", ECS_I32, 7},   {"u32", ECS_U32, 8}, {"boolean", ECS_BOOL, 1},
    {"who", ECS_ENTITY, 0}};

typedef struct Side {
  FailingMemory failing;
  ecs_World *world;
  ecs_Component kinds[KINDS], tag;
  ecs_Rows rows[KINDS];
  ecs_Accessor accessors[KINDS];
  ecs_Query *reader, *writer;
  ecs_Cursor cursor;
} Side;

static void open_side(Side *side) {
  ecs_World *world = side->world = open_world(&side->failing);
  side->kinds[0] = define_component(world, "All", all, 10, ECS_STORE_TABLE);
  side->kinds[1] = define_component(world, "Pair", all, 1, ECS_STORE_TABLE);
  side->kinds[2] = define_component(world, "Set", all, 10, ECS_STORE_SPARSE);
  side->kinds[3] = define_component(world, "Small", all, 1, ECS_STORE_SPARSE);
  side->kinds[4] =
      define_component(world, "Doubles", all + 1, 1, ECS_STORE_TABLE);
  side->tag = define_component(world, "Tag", NULL, 0, ECS_STORE_TABLE);
  for (uint32_t k = 0; k < KINDS; k++) {
    assert_int_equal(ecs_rows_open(world, side->kinds[k], &side->rows[k]),
                     ECS_OK);
    assert_int_equal(ecs_accessor(world, side->kinds[k], &side->accessors[k]),
                     ECS_OK);
  }
  const ecs_Term read = {side->kinds[0], ECS_READ};
  const ecs_Term write[] = {{side->kinds[2], ECS_WRITE},
                            {side->kinds[1], ECS_READ}};
  side->reader = make_query(world, &read, 1);
  side->writer = make_query(world, write, 2);
}

static void close_side(Side *side) {
  assert_true(world_check_invariants(side->world));
  close_world(side->world, &side->failing);
}

/* Random programs --------------------------------------------------------- */

static uint64_t state_of_random;

static uint32_t draw(uint32_t limit) {
  state_of_random ^= state_of_random << 13;
  state_of_random ^= state_of_random >> 7;
  state_of_random ^= state_of_random << 17;
  return (uint32_t)(state_of_random >> 33) % limit;
}

typedef struct Program {
  Side sides[2]; /* rows; accessors */
  ecs_Entity entities[MOST];
  uint32_t count;
  uint32_t open; /* 0: nothing; 1: a deferral; 2, 3: a cursor */
} Program;

/* Any bytes: NaNs with payloads, bools of 2, numbers that are no handles. */
static void draw_image(uint64_t *image) {
  for (uint32_t i = 0; i < sizeof(All) / 8 + 1; i++)
    image[i] = (uint64_t)draw(1u << 31) << 33 | draw(1u << 31);
  if (draw(2) == 0) image[0] |= UINT64_C(0x7ff00000);
  if (draw(2) == 0) image[1] |= UINT64_C(0x7ff0000000000000);
}

static ecs_Entity pick(const Program *program) {
  ecs_Entity entity = program->entities[draw(MOST)];
  return draw(9) == 0 ? entity ^ UINT64_C(1) << (28 + draw(30)) : entity;
}

static void step_spawn(Program *program) {
  ecs_Component some[3] = {program->sides[0].kinds[draw(2) * 4],
                           program->sides[0].kinds[1 + draw(3)],
                           program->sides[0].tag};
  ecs_Entity born[2] = {0, 0};
  uint32_t count = draw(4);
  for (uint32_t w = 0; w < 2; w++) {
    ecs_Status status =
        ecs_spawn(program->sides[w].world, some, count, NULL, &born[w]);
    assert_true(status == ECS_OK || status == ECS_E_LIMIT);
  }
  assert_true(born[0] == born[1]);
  if (born[0] != 0) program->entities[draw(MOST)] = born[0];
}

static void step_structure(Program *program) {
  ecs_Entity entity = pick(program);
  uint32_t kind = draw(KINDS), what = draw(5);
  ecs_Status statuses[2];
  for (uint32_t w = 0; w < 2; w++) {
    ecs_World *world = program->sides[w].world;
    ecs_Component component =
        what == 4 ? program->sides[w].tag : program->sides[w].kinds[kind];
    statuses[w] = what == 0   ? ecs_destroy(world, entity)
                  : what <= 2 ? ecs_add(world, entity, component, NULL)
                              : ecs_remove(world, entity, component);
  }
  assert_int_equal(statuses[0], statuses[1]);
}

static void step_get(Program *program) {
  ecs_Entity entity = pick(program);
  uint32_t kind = draw(KINDS);
  uint64_t one[8] = {0}, other[8] = {0};
  Side *side = &program->sides[0];
  ecs_Status status = ecs_rows_get(&side->rows[kind], entity, one);
  assert_int_equal(status,
                   ecs_get(side->world, entity, side->kinds[kind], other));
  assert_memory_equal(one, other, sizeof one);
}

static void step_set(Program *program) {
  ecs_Entity entity = pick(program);
  uint32_t kind = draw(KINDS);
  uint64_t image[8];
  draw_image(image);
  ecs_Status status =
      ecs_rows_set(&program->sides[0].rows[kind], entity, image);
  assert_int_equal(status, ecs_accessor_set(&program->sides[1].accessors[kind],
                                            entity, image));
}

/* The same sum by elements. */
static void step_element(Program *program) {
  ecs_Entity entity = pick(program);
  ecs_Row row;
  All image;
  ecs_Accessor *accessor = &program->sides[1].accessors[0];
  ecs_Status status = ecs_rows_write(&program->sides[0].rows[0], entity, &row);
  ecs_Status got = ecs_accessor_get(accessor, entity, &image);
  if (status == ECS_OK) {
    assert_int_equal(got, ECS_OK);
    ECS_ELEMENT(&row, int32_t, 6) ^= 5;
    image.i32 ^= 5;
    assert_int_equal(ecs_accessor_set(accessor, entity, &image), ECS_OK);
  } else if (status == ECS_E_OPEN) {
    assert_int_equal(got, ECS_OK);
    assert_true(program->open != 0);
  } else {
    assert_true(status == got || status == ECS_E_ACCESS);
  }
}

/* Blocks cover a list without gaps, and answer what single calls do. */
static void step_blocks(Program *program) {
  Side *side = &program->sides[0];
  ecs_Entity list[150];
  ecs_RowBlock block;
  uint32_t kind = draw(KINDS), count = draw(150), writes = draw(2);
  ecs_Rows *rows = &side->rows[kind], single = side->rows[kind];
  for (uint32_t i = 0; i < count; i++) list[i] = pick(program);
  for (uint32_t i = 0; i < count; i += (uint32_t)block.count) {
    ecs_Status status =
        writes == 1 ? ecs_rows_write_block(rows, list + i, count - i, &block)
                    : ecs_rows_read_block(rows, list + i, count - i, &block);
    assert_true(block.count >= 1 && block.count <= count - i);
    for (uint32_t k = 0; k < block.count; k++) {
      ecs_Row row;
      assert_int_equal(status, writes == 1
                                   ? ecs_rows_write(&single, list[i + k], &row)
                                   : ecs_rows_read(&single, list[i + k], &row));
      assert_ptr_equal(block.columns, row.columns);
      if (status == ECS_OK) assert_int_equal(block.index[k], row.index);
    }
  }
}

static void step_open(Program *program) {
  uint32_t how = program->open == 0 ? 1 + draw(3) : 0;
  for (uint32_t w = 0; w < 2; w++) {
    Side *side = &program->sides[w];
    ecs_Query *query = how == 2 ? side->reader : side->writer;
    ecs_Status status = how == 1  ? ecs_defer_begin(side->world)
                        : how > 1 ? ecs_query_begin(query, 0, &side->cursor)
                        : program->open == 1 ? ecs_defer_end(side->world)
                                             : ecs_cursor_end(&side->cursor);
    assert_int_equal(status, ECS_OK);
  }
  program->open = how;
}

/* A sparse set becomes a part of a group, or of the main one, and back. */
static void step_group(Program *program) {
  uint32_t how = draw(4);
  for (uint32_t w = 0; w < 2; w++) {
    Side *side = &program->sides[w];
    const ecs_Component some[] = {side->kinds[2], side->kinds[how % 2],
                                  side->kinds[3]};
    ecs_Status status = how == 3   ? ecs_ungroup(side->world, some, 1)
                        : how == 2 ? ecs_group(side->world, &some[2], 1)
                                   : ecs_group(side->world, some, 2);
    assert_true(status == ECS_OK || status == ECS_E_OPEN ||
                status == ECS_E_LIMIT);
  }
}

static void step(Program *program) {
  uint32_t kind = draw(100);
  if (kind < 8)
    step_spawn(program);
  else if (kind < 20)
    step_structure(program);
  else if (kind < 55)
    step_get(program);
  else if (kind < 80)
    step_set(program);
  else if (kind < 87)
    step_element(program);
  else if (kind < 92)
    step_blocks(program);
  else if (kind < 99)
    step_open(program);
  else
    step_group(program);
}

TEST(rows_are_those_of_accessors) {
  static Program program;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    memset(&program, 0, sizeof program);
    state_of_random = seed * UINT64_C(0x9e3779b97f4a7c15);
    open_side(&program.sides[0]);
    open_side(&program.sides[1]);
    for (uint32_t i = 0; i < 1500; i++) step(&program);
    if (program.open != 0) step_open(&program);
    assert_true(ecs_world_hash(program.sides[0].world) ==
                ecs_world_hash(program.sides[1].world));
    close_side(&program.sides[0]);
    close_side(&program.sides[1]);
  }
}

/* Single promises ---------------------------------------------------------- */

TEST(another_layout_is_refused) {
  Fixture fixture;
  ecs_Rows rows;
  start(&fixture);
  ecs_World *world = fixture.world;
  const uint32_t others[] = {0, ECS_ROWS_ABI + 1, ECS_ROWS_ABI + (1u << 16)};
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(
        ecs_rows_prepare(world, fixture.a, others[i], sizeof rows, &rows),
        ECS_E_ABI);
  assert_int_equal(
      ecs_rows_prepare(world, fixture.a, ECS_ROWS_ABI, sizeof rows - 8, &rows),
      ECS_E_ABI);
  assert_int_equal(ecs_rows_open(world, fixture.a, NULL), ECS_E_ARGUMENT);
  const ecs_Component none[] = {0, fixture.tag, fixture.past, UINT32_MAX};
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(ecs_rows_open(world, none[i], &rows), ECS_E_COMPONENT);
  finish(&fixture);
}

/* The word of an entity distinguishes the first generations alone. */
TEST(rows_know_every_generation) {
  for (uint32_t sparse = 0; sparse < 2; sparse++) {
    Fixture fixture;
    ecs_Rows rows;
    ecs_Row row;
    start(&fixture);
    const ecs_Component kind = sparse == 1 ? fixture.s : fixture.a;
    uint32_t last = ECS_SLOT_GENERATIONS + 4;
    if (last > ECS_GENERATION_LIMIT - 1) last = ECS_GENERATION_LIMIT - 1;
    assert_int_equal(ecs_rows_open(fixture.world, kind, &rows), ECS_OK);
    ecs_Entity entity = 0;
    for (uint32_t now = 0; now <= last; now++) {
      assert_int_equal(ecs_spawn(fixture.world, &kind, 1, NULL, &entity),
                       ECS_OK);
      for (uint32_t k = 0; k < 40; k++) {
        ecs_Entity asked = (entity & 0xfffffffu) | (uint64_t)k << 28;
        assert_int_equal(ecs_rows_read(&rows, asked, &row),
                         asked == entity ? ECS_OK : ECS_E_DEAD);
        assert_int_equal(ecs_rows_write(&rows, asked, &row),
                         asked == entity ? ECS_OK : ECS_E_DEAD);
      }
      if (now < last) assert_int_equal(ecs_destroy(fixture.world, entity), 0);
    }
    assert_int_equal(ecs_rows_read(&rows, UINT64_MAX, &row), ECS_E_DEAD);
    assert_int_equal(ecs_rows_read(&rows, 0, &row), ECS_E_DEAD);
    finish(&fixture);
  }
}

/* A claimed component is refused, and named. */
TEST(claims_are_kept) {
  Fixture fixture;
  ecs_Rows rows;
  ecs_Row row;
  start(&fixture);
  assert_int_equal(ecs_rows_open(fixture.world, fixture.a, &rows), ECS_OK);
  assert_int_equal(ecs_add(fixture.world, fixture.e, fixture.a, NULL), ECS_OK);
  assert_int_equal(ecs_rows_write(&rows, fixture.e, &row), ECS_OK);
  ecs_Cursor reads = open_cursor(query_of(&fixture, fixture.a, ECS_READ));
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(ecs_rows_read(&rows, fixture.e, &row), ECS_OK);
    assert_int_equal(ecs_rows_write(&rows, fixture.e, &row), ECS_E_ACCESS);
  }
  assert_int_equal(ecs_world_contested(fixture.world), fixture.a);
  assert_int_equal(ecs_cursor_end(&reads), ECS_OK);
  assert_int_equal(ecs_rows_write(&rows, fixture.e, &row), ECS_OK);
  ecs_Cursor writes = open_cursor(query_of(&fixture, fixture.a, ECS_WRITE));
  assert_int_equal(ecs_rows_read(&rows, fixture.e, &row), ECS_E_ACCESS);
  assert_int_equal(ecs_cursor_end(&writes), ECS_OK);
  assert_int_equal(ecs_rows_read(&rows, fixture.e, &row), ECS_OK);
  finish(&fixture);
}

/* While changes of the entity are recorded, its row is not to be written. */
TEST(records_come_first) {
  Fixture fixture;
  ecs_Rows rows;
  ecs_Row row;
  ecs_Entity other = 0;
  A image = {4, 1};
  start(&fixture);
  ecs_World *world = fixture.world;
  assert_int_equal(ecs_rows_open(world, fixture.a, &rows), ECS_OK);
  assert_int_equal(ecs_spawn(world, &fixture.a, 1, NULL, &other), ECS_OK);
  assert_int_equal(ecs_add(world, fixture.e, fixture.a, NULL), ECS_OK);
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  assert_int_equal(ecs_rows_write(&rows, fixture.e, &row), ECS_OK);
  assert_int_equal(ecs_add(world, fixture.e, fixture.tag, NULL), ECS_OK);
  assert_int_equal(ecs_rows_write(&rows, fixture.e, &row), ECS_E_OPEN);
  assert_int_equal(ecs_rows_write(&rows, other, &row), ECS_OK);
  const ecs_Entity both[2] = {other, fixture.e};
  ecs_RowBlock block;
  assert_int_equal(ecs_rows_write_block(&rows, both, 2, &block), ECS_OK);
  assert_int_equal(block.count, 1);
  assert_int_equal(ecs_rows_write_block(&rows, both + 1, 1, &block),
                   ECS_E_OPEN);
  assert_int_equal(ecs_rows_set(&rows, fixture.e, &image), ECS_OK);
  assert_int_equal(ecs_rows_get(&rows, fixture.e, &image), ECS_OK);
  assert_true(image.x == 1.5);
  assert_int_equal(ecs_defer_end(world), ECS_OK);
  assert_int_equal(ecs_rows_get(&rows, fixture.e, &image), ECS_OK);
  assert_true(image.x == 4);
  finish(&fixture);
}

/* Recorded spawns move the array of pages, but change no row. */
TEST(pages_may_move_under_rows) {
  Fixture fixture;
  ecs_Rows rows;
  ecs_Row row;
  start(&fixture);
  assert_int_equal(ecs_rows_open(fixture.world, fixture.a, &rows), ECS_OK);
  assert_int_equal(ecs_add(fixture.world, fixture.e, fixture.a, NULL), ECS_OK);
  assert_int_equal(ecs_defer_begin(fixture.world), ECS_OK);
#ifdef ECS_TINY
  const uint32_t count = 40;
#else
  const uint32_t count = 100000;
#endif
  for (uint32_t i = 0; i < count; i++) {
    assert_int_equal(ecs_rows_read(&rows, fixture.e, &row), ECS_OK);
    assert_int_equal(ecs_spawn(fixture.world, NULL, 0, NULL, NULL), ECS_OK);
  }
  assert_int_equal(ecs_rows_read(&rows, fixture.e, &row), ECS_OK);
  ecs_defer_discard(fixture.world);
  finish(&fixture);
}

/* A block ends where the table does, at an entity without a row, and at its
 * size. */
TEST(blocks_end_with_their_table) {
  for (uint32_t sparse = 0; sparse < 2; sparse++) {
    Fixture fixture;
    ecs_Rows rows;
    ecs_RowBlock block;
    ecs_Entity list[4] = {0};
    start(&fixture);
    ecs_World *world = fixture.world;
    const ecs_Component kind = sparse == 1 ? fixture.s : fixture.a;
    assert_int_equal(ecs_rows_open(world, kind, &rows), ECS_OK);
    for (uint32_t i = 0; i < 4; i++)
      assert_int_equal(ecs_spawn(world, &kind, 1, NULL, &list[i]), ECS_OK);
    assert_int_equal(ecs_add(world, list[2], fixture.tag, NULL), ECS_OK);
    assert_int_equal(ecs_rows_read_block(&rows, list, 4, &block), ECS_OK);
    assert_int_equal(block.count, sparse == 1 ? 4 : 2);
    assert_int_equal(ecs_rows_write_block(&rows, list + 2, 1, &block), ECS_OK);
    assert_int_equal(block.count, 1);
    assert_non_null(block.columns);
    assert_int_equal(ecs_destroy(world, list[1]), ECS_OK);
    assert_int_equal(ecs_rows_write_block(&rows, list, 4, &block), ECS_OK);
    assert_int_equal(block.count, 1);
    assert_int_equal(ecs_rows_write_block(&rows, list + 1, 3, &block),
                     ECS_E_DEAD);
    assert_int_equal(block.count, 1);
    assert_null(block.columns);
    assert_int_equal(ecs_rows_read_block(&rows, list, 0, &block), ECS_OK);
    assert_int_equal(block.count, 0);
    const ecs_Entity alike[2] = {list[0], list[0] | UINT64_C(1) << 28};
    assert_int_equal(ecs_rows_read_block(&rows, alike, 2, &block), ECS_OK);
    assert_int_equal(block.count, 1);
    ecs_Entity many[ECS_ROWS_BLOCK + 5];
    for (uint32_t i = 0; i < ECS_ROWS_BLOCK + 5; i++) many[i] = list[0];
    assert_int_equal(
        ecs_rows_write_block(&rows, many, ECS_ROWS_BLOCK + 5, &block), ECS_OK);
    assert_int_equal(block.count, ECS_ROWS_BLOCK);
    finish(&fixture);
  }
}

/* The number by which rows in line know that all is as it was grows when the
 * first change is recorded, and when slots or the array of their bases move. */
TEST(the_row_epoch_grows_with_what_rows_rely_on) {
  Fixture fixture;
  start(&fixture);
  ecs_World *world = fixture.world;
  const Store *store = &world->store;
  assert_int_equal(ecs_defer_begin(world), ECS_OK);
  uint64_t epoch = store->row_epoch;
  assert_int_equal(ecs_add(world, fixture.e, fixture.tag, NULL), ECS_OK);
  assert_true(store->row_epoch > epoch);
  epoch = store->row_epoch;
  assert_int_equal(ecs_add(world, fixture.e, fixture.a, NULL), ECS_OK);
  assert_true(store->row_epoch == epoch);
  uintptr_t bases = (uintptr_t)store->index.bases;
  uintptr_t slots = store->index.bases[0];
  for (uint32_t i = 0; i < 40u << ECS_PAGE_BITS; i++) {
    if (ecs_spawn(world, NULL, 0, NULL, NULL) != ECS_OK) break;
    bool moved = (uintptr_t)store->index.bases != bases ||
                 store->index.bases[0] != slots;
    assert_true(moved == (store->row_epoch != epoch));
    bases = (uintptr_t)store->index.bases;
    slots = store->index.bases[0];
    epoch = store->row_epoch;
  }
  ecs_defer_discard(world);
  finish(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_those_of_accessors),
      cmocka_unit_test(another_layout_is_refused),
      cmocka_unit_test(rows_know_every_generation),
      cmocka_unit_test(claims_are_kept),
      cmocka_unit_test(records_come_first),
      cmocka_unit_test(pages_may_move_under_rows),
      cmocka_unit_test(blocks_end_with_their_table),
      cmocka_unit_test(the_row_epoch_grows_with_what_rows_rely_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

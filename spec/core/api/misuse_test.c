/* misuse_test.c: what a host may do wrong, and what it is told.
 *
 * One row per mistake. Those with a status answer it in every build, and change
 * nothing. The others are undefined in a release build; the checked build names
 * them on stderr and stops. No mistake may end in a signal that says nothing,
 * so each runs in a process of its own:
 *
 *      named NULL    run returns true, and the world is sound afterwards
 *      otherwise     the process stops, and stderr has the text
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_scene.h"
#include "ecs_access.h"
#include "ecs_array.h"
#include "ecs_grid.h"
#include "test_case.h"

typedef struct Scene {
  Fixture fixture;
  ecs_World *world, *gone; /* gone was destroyed */
  ecs_Component a;
  ecs_Entity e;                          /* has A */
  ecs_Query *query, *destroyed, *orphan; /* orphan: of the world that is gone */
  ecs_Program *program, *lost;           /* lost: its query was destroyed */
  ecs_KernelBinding *binding, *loose;    /* loose: likewise */
  ecs_Grid *grid, *cut;                  /* cut: its query was destroyed */
  ecs_Accessor accessor, stale;          /* stale: of the world that is gone */
  ecs_Rows rows, past;                   /* past: likewise */
  ecs_Cursor cursor, old;                /* old: likewise, and was open */
  ecs_Batch batch;
} Scene;

static Scene scene;

/* Kernels ----------------------------------------------------------------- */

static const ecs_KernelColumn x_column = {"A", "x", ECS_F64, ECS_WRITE};

static void do_nothing(const ecs_KernelCall *call) { (void)call; }

static void call_in(const ecs_KernelCall *call) {
  (void)ecs_alive(call->user, 1);
}

static void destroy_world(const ecs_KernelCall *call) {
  ecs_world_destroy(call->user);
}

static const ecs_Kernel quiet = {"quiet", do_nothing, &x_column, 1,
                                 0,       NULL,       NULL};

static const ecs_GridDescription flat = {0, 2, {0, 0, 0}, 1};

static ecs_Status run_kernel(void (*run)(const ecs_KernelCall *)) {
  ecs_Kernel kernel = {"kernel", run, &x_column, 1, 0, NULL, NULL};
  ecs_KernelCall call = {.user = scene.world};
  ecs_KernelBinding *binding = NULL;
  if (ecs_kernel_bind(scene.query, &kernel, &binding, NULL) != ECS_OK)
    return ECS_E_KERNEL;
  return ecs_kernel_run(binding, &call);
}

static void write_array(const ecs_KernelCall *call) {
  ((uint8_t *)call->arrays[0].elements)[1] = 7;
}

static const ecs_KernelArray read_array = {"walls", ECS_U8, 1, ECS_READ};

/* Runs a kernel that writes an array with this access. */
static ecs_Status run_on_array(ecs_Access access) {
  static ecs_KernelArray declared; /* outlives the binding */
  static const ecs_KernelArrays arrays = {&declared, 1, 0};
  static const ecs_Kernel kernel = {"kernel", write_array, &x_column, 1,
                                    0,        NULL,        &arrays};
  const ecs_ArrayDescription how = {"walls", ECS_U8, 1, {4, 0, 0}};
  ecs_KernelCall call = {0};
  ecs_KernelBinding *binding = NULL;
  ecs_Array *array = NULL;
  declared = read_array;
  declared.access = access;
  ecs_Status status = ecs_array(scene.world, &how, &array);
  if (status == ECS_OK)
    status = ecs_kernel_bind(scene.query, &kernel, &binding, NULL);
  if (status == ECS_OK) status = ecs_kernel_use(binding, &array, 1, NULL);
  return status == ECS_OK ? ecs_kernel_run(binding, &call) : status;
}

/* Binds a kernel with an array that is not sound. */
static ecs_Status bind_array(ecs_KernelArray declared, uint32_t count) {
  const ecs_KernelArrays arrays = {count > 64 ? NULL : &declared, count, 0};
  ecs_Kernel kernel = {"kernel", do_nothing, &x_column, 1, 0, NULL, &arrays};
  return ecs_kernel_bind(scene.query, &kernel, &scene.binding, NULL);
}

/* The scene --------------------------------------------------------------- */

static ecs_Program *program_of(ecs_Query *query) {
  static const char text[] = "column c0 \"A\" \"x\" f64 write\n";
  char message[200] = "";
  ecs_Program *program = NULL;
  if (ecs_program_create(query, text, sizeof text - 1, &program, message,
                         sizeof message) != ECS_OK)
    fail_msg("%s", message);
  return program;
}

static void prepare(void) {
  Fixture second;
  start(&scene.fixture);
  start(&second);
  scene.world = scene.fixture.world;
  scene.a = scene.fixture.a;
  assert_int_equal(ecs_spawn(scene.world, &scene.a, 1, NULL, &scene.e), ECS_OK);
  scene.query = query_of(&scene.fixture, scene.a, ECS_WRITE);
  scene.destroyed = query_of(&scene.fixture, scene.a, ECS_WRITE);
  scene.orphan = query_of(&second, second.a, ECS_WRITE);
  scene.program = program_of(scene.query);
  scene.lost = program_of(scene.destroyed);
  assert_int_equal(ecs_kernel_bind(scene.query, &quiet, &scene.binding, NULL),
                   ECS_OK);
  assert_int_equal(ecs_kernel_bind(scene.destroyed, &quiet, &scene.loose, NULL),
                   ECS_OK);
  assert_int_equal(ecs_accessor(scene.world, scene.a, &scene.accessor), ECS_OK);
  assert_int_equal(ecs_accessor(second.world, second.a, &scene.stale), ECS_OK);
  assert_int_equal(ecs_rows_open(scene.world, scene.a, &scene.rows), ECS_OK);
  assert_int_equal(ecs_rows_open(second.world, second.a, &scene.past), ECS_OK);
  assert_int_equal(ecs_grid_create(scene.query, &flat, &scene.grid), ECS_OK);
  assert_int_equal(ecs_grid_create(scene.destroyed, &flat, &scene.cut), ECS_OK);
  scene.old = open_cursor(scene.orphan);
  assert_int_equal(ecs_query_destroy(scene.destroyed), ECS_OK);
  scene.gone = second.world;
  close_world(second.world, &second.failing);
}

#define IS(call, status) ((call) == (status))
#define REFUSED(name, call) \
  static bool name(void) { return IS(call, ECS_E_ARGUMENT); }
#define NAMED(name, call)  \
  static bool name(void) { \
    (void)(call);          \
    return true;           \
  }
#define NAMED_VOID(name, call) \
  static bool name(void) {     \
    call;                      \
    return true;               \
  }

static ecs_Status begin(ecs_Cursor *cursor) {
  return ecs_query_begin(scene.query, ECS_BATCH_WHOLE, cursor);
}

/* Can everything be reached again? */
static bool is_closed(void) {
  A image;
  return !ecs_deferring(scene.world) &&
         IS(ecs_get(scene.world, scene.e, scene.a, &image), ECS_OK) &&
         IS(ecs_set(scene.world, scene.e, scene.a, &image, 3), ECS_OK);
}

/* NULL where something is needed ------------------------------------------ */

REFUSED(world_null_result, ecs_world_create(NULL, NULL))
REFUSED(component_null_description, ecs_component(scene.world, NULL, &scene.a))
REFUSED(component_null_result,
        ecs_component(scene.world, &(ecs_ComponentDescription){.name = "New"},
                      NULL))
REFUSED(component_null_fields,
        ecs_component(scene.world,
                      &(ecs_ComponentDescription){.name = "New",
                                                  .field_count = 2},
                      &scene.a))
static bool component_null_name(void) {
  return ecs_component_find(scene.world, NULL) == 0;
}
REFUSED(component_null_info, ecs_component_field(scene.world, scene.a, 0, NULL))
REFUSED(group_null_components, ecs_group(scene.world, NULL, 2))
REFUSED(ungroup_null_components, ecs_ungroup(scene.world, NULL, 2))
REFUSED(group_bits_null_components, ecs_group_bits(scene.world, NULL, 2))
REFUSED(bundle_null_components,
        ecs_bundle(scene.world, NULL, 2, &scene.fixture.bundle))
REFUSED(bundle_null_result, ecs_bundle(scene.world, &scene.a, 1, NULL))
REFUSED(spawn_null_components, ecs_spawn(scene.world, NULL, 2, NULL, NULL))
REFUSED(set_null_image, ecs_set(scene.world, scene.e, scene.a, NULL, 1))
REFUSED(query_null_terms, ecs_query_create(scene.world, NULL, 2, &scene.query))
REFUSED(query_null_result, ecs_query_create(scene.world, NULL, 0, NULL))
REFUSED(count_null_result, ecs_query_count(scene.query, NULL))
REFUSED(first_null_result, ecs_query_first(scene.query, NULL))
REFUSED(column_null_result, ecs_query_column(scene.query, 0, 0, NULL))
REFUSED(entities_null_result, ecs_query_entities(scene.query, NULL, 0, NULL))
static bool entities_null_array(void) {
  uint64_t count = 0;
  return IS(ecs_query_entities(scene.query, NULL, 2, &count), ECS_E_ARGUMENT);
}
REFUSED(begin_null_cursor, begin(NULL))
REFUSED(grid_null_result, ecs_grid_create(scene.query, &flat, NULL))
REFUSED(grid_null_point, ecs_grid_within(scene.grid, NULL, 1, NULL))
REFUSED(grid_null_cursor, ecs_grid_pairs(scene.grid, 1, NULL))
REFUSED(end_null_cursor, ecs_cursor_end(NULL))
static bool next_null_batch(void) {
  return IS(begin(&scene.cursor), ECS_OK) &&
         !ecs_cursor_next(&scene.cursor, NULL) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_OK) && is_closed();
}
static bool texts_null(void) {
  return ecs_world_explain(scene.world, NULL, 9) > 9 &&
         ecs_query_explain(scene.query, NULL, 9) > 9 &&
         ecs_program_text(scene.program, NULL, 9) > 9;
}
static bool components_of_null(void) {
  return ecs_components_of(scene.world, scene.e, NULL, 5) == 1;
}
REFUSED(accessor_null_result, ecs_accessor(scene.world, scene.a, NULL))
REFUSED(get_many_null,
        ecs_accessor_get_many(&scene.accessor, NULL, 1, NULL, NULL))
REFUSED(set_many_null,
        ecs_accessor_set_many(&scene.accessor, NULL, 1, NULL, NULL))
REFUSED(bind_null_kernel,
        ecs_kernel_bind(scene.query, NULL, &scene.binding, NULL))
REFUSED(bind_null_result, ecs_kernel_bind(scene.query, &quiet, NULL, NULL))
REFUSED(bind_null_run,
        ecs_kernel_bind(scene.query, &(ecs_Kernel){.name = "none"},
                        &scene.binding, NULL))
REFUSED(bind_null_columns,
        ecs_kernel_bind(scene.query,
                        &(ecs_Kernel){"none", do_nothing, NULL, 1, 0, NULL,
                                      NULL},
                        &scene.binding, NULL))
static bool bind_null_names(void) {
  const ecs_KernelColumn column = {NULL, NULL, ECS_F64, ECS_WRITE};
  const ecs_Kernel kernel = {"none", do_nothing, &column, 1, 0, NULL, NULL};
  return IS(ecs_kernel_bind(scene.query, &kernel, &scene.binding, NULL),
            ECS_E_KERNEL);
}
REFUSED(run_null_call, ecs_kernel_run(scene.binding, NULL))
REFUSED(library_null_result, ecs_library_load("none.so", NULL, NULL, 0))
static bool library_null_find(void) {
  const ecs_KernelLibrary library = {.kernels = &quiet, .kernel_count = 1};
  return ecs_library_find(&library, NULL) == NULL &&
         ecs_library_find(NULL, "quiet") == NULL;
}
REFUSED(program_null_result,
        ecs_program_create(scene.query, "", 0, NULL, NULL, 0))
REFUSED(program_null_text,
        ecs_program_create(scene.query, NULL, 4, &scene.program, NULL, 0))
REFUSED(program_null_call, ecs_program_run(scene.program, NULL))
REFUSED(program_wrong_counts,
        ecs_program_run(scene.program, &(ecs_ProgramCall){.uniform_count = 3}))

/* Numbers that name nothing ----------------------------------------------- */

static bool numbers_of_entities(void) {
  const ecs_Entity none[] = {0, UINT64_MAX, UINT64_C(1) << 52, scene.e + 1000,
                             scene.e | UINT64_C(1) << 60};
  A image;
  for (int i = 0; i < 5; i++)
    if (ecs_alive(scene.world, none[i]) ||
        ecs_destroy(scene.world, none[i]) != ECS_E_DEAD ||
        ecs_get(scene.world, none[i], scene.a, &image) != ECS_E_DEAD ||
        ecs_accessor_get(&scene.accessor, none[i], &image) != ECS_E_DEAD)
      return false;
  return true;
}
static bool numbers_of_components(void) {
  const ecs_Component none[] = {0, UINT32_MAX, scene.fixture.past};
  A image = {0, 0};
  for (int i = 0; i < 3; i++)
    if (ecs_add(scene.world, scene.e, none[i], NULL) != ECS_E_COMPONENT ||
        ecs_set(scene.world, scene.e, none[i], &image, 1) != ECS_E_COMPONENT ||
        ecs_get(scene.world, scene.e, none[i], &image) != ECS_E_COMPONENT ||
        ecs_has(scene.world, scene.e, none[i]))
      return false;
  return true;
}
REFUSED(number_of_bundle, ecs_spawn_bundle(scene.world, 99, NULL, NULL))
static bool numbers_of_enumerations(void) {
  double place = 0;
  return IS(ecs_query_begin(scene.query, (ecs_Batching)9, &scene.cursor),
            ECS_E_ARGUMENT) &&
         IS(ecs_scalar_store((ecs_Scalar)99, &place, 1), ECS_E_ARGUMENT) &&
         ecs_status_text((ecs_Status)99) != NULL &&
         ecs_scalar_bytes((ecs_Scalar)99) == 0;
}

/* Cursors and deferrals in the wrong order -------------------------------- */

static bool ended_twice(void) {
  return IS(begin(&scene.cursor), ECS_OK) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_OK) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_E_ARGUMENT) && is_closed();
}
static bool discarded_twice(void) {
  bool begun = IS(begin(&scene.cursor), ECS_OK);
  ecs_cursor_discard(&scene.cursor);
  ecs_cursor_discard(&scene.cursor);
  return begun && !ecs_cursor_next(&scene.cursor, &scene.batch) && is_closed();
}
static bool copy_ended_after(void) {
  if (begin(&scene.cursor) != ECS_OK) return false;
  ecs_Cursor copy = scene.cursor;
  return IS(ecs_cursor_end(&scene.cursor), ECS_OK) &&
         IS(ecs_cursor_end(&copy), ECS_E_ARGUMENT) &&
         !ecs_cursor_next(&copy, &scene.batch) && is_closed();
}
static bool copy_ended_before(void) {
  if (begin(&scene.cursor) != ECS_OK) return false;
  ecs_Cursor copy = scene.cursor;
  return IS(ecs_cursor_end(&copy), ECS_OK) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_E_ARGUMENT) && is_closed();
}
/* The cursor went on since, so the copy does not know what to put back. */
static bool copy_left_behind(void) {
  if (begin(&scene.cursor) != ECS_OK) return false;
  ecs_Cursor copy = scene.cursor;
  return ecs_cursor_next(&scene.cursor, &scene.batch) &&
         !ecs_cursor_next(&copy, &scene.batch) &&
         IS(ecs_cursor_end(&copy), ECS_E_ARGUMENT) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_OK) && is_closed();
}
/* An ended cursor, put back from a copy, while another has its level. */
static bool copy_of_an_earlier_one(void) {
  if (begin(&scene.cursor) != ECS_OK) return false;
  ecs_Cursor copy = scene.cursor, later;
  return IS(ecs_cursor_end(&scene.cursor), ECS_OK) &&
         IS(begin(&later), ECS_OK) &&
         IS(ecs_cursor_end(&copy), ECS_E_ARGUMENT) &&
         IS(ecs_cursor_end(&later), ECS_OK) && is_closed();
}
static bool outer_ended_first(void) {
  ecs_Query *other = query_of(&scene.fixture, scene.fixture.s, ECS_READ);
  ecs_Cursor inner;
  return IS(begin(&scene.cursor), ECS_OK) &&
         IS(ecs_query_begin(other, ECS_BATCH_WHOLE, &inner), ECS_OK) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_E_ARGUMENT) &&
         ecs_cursor_next(&scene.cursor, &scene.batch) &&
         IS(ecs_cursor_end(&inner), ECS_OK) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_OK) && is_closed();
}
static bool ended_after_a_failed_begin(void) {
  ecs_Cursor second;
  memset(&second, 0, sizeof second);
  return IS(begin(&scene.cursor), ECS_OK) && IS(begin(&second), ECS_E_ACCESS) &&
         IS(ecs_cursor_end(&second), ECS_E_ARGUMENT) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_OK) && is_closed();
}
static bool ended_after_a_failed_spawn(void) {
  return IS(ecs_spawn_many(scene.world, 99, 3, &scene.cursor),
            ECS_E_ARGUMENT) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_E_ARGUMENT) && is_closed();
}
static bool spawned_ended_twice(void) {
  return IS(ecs_spawn_many(scene.world, scene.fixture.bundle, 3, &scene.cursor),
            ECS_OK) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_OK) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_E_ARGUMENT) && is_closed();
}
REFUSED(ended_of_zeros, ecs_cursor_end(&scene.cursor))
REFUSED(deferral_never_begun, ecs_defer_end(scene.world))
static bool deferral_ended_in_a_cursor(void) {
  return IS(ecs_defer_begin(scene.world), ECS_OK) &&
         IS(begin(&scene.cursor), ECS_OK) &&
         IS(ecs_defer_end(scene.world), ECS_E_ARGUMENT) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_OK) &&
         IS(ecs_defer_end(scene.world), ECS_OK) && is_closed();
}
static bool cursor_ended_in_a_deferral(void) {
  return IS(begin(&scene.cursor), ECS_OK) &&
         IS(ecs_defer_begin(scene.world), ECS_OK) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_E_ARGUMENT) &&
         IS(ecs_defer_end(scene.world), ECS_OK) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_OK) && is_closed();
}
static bool destroyed_while_open(void) {
  return IS(begin(&scene.cursor), ECS_OK) &&
         IS(ecs_query_destroy(scene.query), ECS_E_OPEN) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_OK) && is_closed();
}
static bool cleared_while_open(void) {
  return IS(begin(&scene.cursor), ECS_OK) &&
         IS(ecs_world_clear(scene.world), ECS_E_OPEN) &&
         IS(ecs_cursor_end(&scene.cursor), ECS_OK) && is_closed();
}
NAMED(begun_twice, begin(&scene.cursor) == ECS_OK ? begin(&scene.cursor) : 0)
NAMED(spawned_into_an_open_one,
      begin(&scene.cursor) == ECS_OK
          ? ecs_spawn_many(scene.world, scene.fixture.bundle, 1, &scene.cursor)
          : 0)

/* Worlds that are gone ---------------------------------------------------- */

static A some;

NAMED(world_null, ecs_alive(NULL, 1))
NAMED(world_null_hash, ecs_world_hash(NULL))
NAMED_VOID(world_destroyed_twice, ecs_world_destroy(scene.gone))
NAMED(gone_get, ecs_get(scene.gone, scene.e, scene.a, &some))
NAMED(gone_set, ecs_set(scene.gone, scene.e, scene.a, &some, 1))
NAMED(gone_add, ecs_add(scene.gone, scene.e, scene.a, NULL))
NAMED(gone_spawn, ecs_spawn(scene.gone, NULL, 0, NULL, NULL))
NAMED(gone_spawn_as, ecs_spawn_as(scene.gone, 1, NULL, 0, NULL))
NAMED(gone_spawn_many, ecs_spawn_many(scene.gone, 1, 1, NULL))
NAMED(gone_destroy, ecs_destroy(scene.gone, scene.e))
NAMED(gone_component, ecs_component_find(scene.gone, "A"))
NAMED(gone_group, ecs_group(scene.gone, NULL, 0))
NAMED(gone_group_bits, ecs_group_bits(scene.gone, NULL, 0))
NAMED(gone_query, ecs_query_create(scene.gone, NULL, 0, &scene.query))
NAMED(gone_defer, ecs_defer_begin(scene.gone))
NAMED(gone_accessor, ecs_accessor(scene.gone, scene.a, &scene.accessor))
NAMED(gone_explain, ecs_world_explain(scene.gone, NULL, 0))
NAMED(stale_get, ecs_accessor_get(&scene.stale, scene.e, &some))
NAMED(stale_set, ecs_accessor_set(&scene.stale, scene.e, &some))
NAMED(stale_get_many, ecs_accessor_get_many(&scene.stale, NULL, 0, NULL, NULL))
static ecs_Row found;
static ecs_RowBlock block;
NAMED(rows_gone_get, ecs_rows_get(&scene.past, scene.e, &some))
NAMED(rows_gone_write, ecs_rows_write(&scene.past, scene.e, &found))
NAMED(rows_gone_block, ecs_rows_read_block(&scene.past, &scene.e, 1, &block))
NAMED(rows_gone_open, ecs_rows_open(scene.gone, scene.a, &scene.rows))
REFUSED(rows_null_result, ecs_rows_open(scene.world, scene.a, NULL))
static bool rows_of_another_header(void) {
  return IS(ecs_rows_prepare(scene.world, scene.a, ECS_ROWS_ABI + 1,
                             sizeof scene.rows, &scene.rows),
            ECS_E_ABI);
}
NAMED(rows_null, ecs_rows_read(NULL, scene.e, &found))
static bool zero_accessor(void) {
  ecs_Accessor zeros = {{0}};
  return ecs_accessor_get(&zeros, scene.e, &some) == ECS_OK;
}
NAMED(old_next, ecs_cursor_next(&scene.old, &scene.batch))
NAMED(old_end, ecs_cursor_end(&scene.old))
NAMED_VOID(old_discard, ecs_cursor_discard(&scene.old))

/* Other objects that are gone --------------------------------------------- */

NAMED(query_null, ecs_query_begin(NULL, ECS_BATCH_WHOLE, &scene.cursor))
NAMED(grid_null, ecs_grid_build(NULL))
NAMED(grid_gone_build, ecs_grid_build(scene.cut))
NAMED_VOID(grid_gone_destroy, ecs_grid_destroy(scene.cut))
NAMED(grid_null_count, ecs_grid_count(scene.grid, NULL, 1))
NAMED(query_destroyed_twice, ecs_query_destroy(scene.destroyed))
NAMED(query_gone_begin,
      ecs_query_begin(scene.destroyed, ECS_BATCH_WHOLE, &scene.cursor))
NAMED(query_gone_change, ecs_query_destroy_all(scene.destroyed))
NAMED(orphan_begin,
      ecs_query_begin(scene.orphan, ECS_BATCH_WHOLE, &scene.cursor))
NAMED(orphan_columns, ecs_query_column_count(scene.orphan))
NAMED(orphan_destroy, ecs_query_destroy(scene.orphan))
NAMED_VOID(lost_destroy, ecs_program_destroy(scene.lost))
NAMED(lost_run, ecs_program_run(scene.lost, &(ecs_ProgramCall){0}))
NAMED(lost_text, ecs_program_text(scene.lost, NULL, 0))
NAMED(loose_run, ecs_kernel_run(scene.loose, &(ecs_KernelCall){0}))
NAMED(binding_null, ecs_kernel_run(NULL, &(ecs_KernelCall){0}))
static bool program_destroyed_twice(void) {
  ecs_program_destroy(scene.program);
  ecs_program_destroy(scene.program);
  return true;
}

/* Where a check would cost too much --------------------------------------- */

NAMED(get_null, ecs_get(scene.world, scene.e, scene.a, NULL))
NAMED(get_field_null, ecs_get_field(scene.world, scene.e, scene.a, 0, NULL))
NAMED(accessor_get_null, ecs_accessor_get(&scene.accessor, scene.e, NULL))
NAMED(accessor_set_null, ecs_accessor_set(&scene.accessor, scene.e, NULL))
NAMED(accessor_null, ecs_accessor_get(NULL, scene.e, &some))
NAMED(locate_null, ecs_query_locate(scene.query, scene.e, NULL, NULL))
NAMED(store_null, ecs_scalar_store(ECS_F32, NULL, 1))
NAMED_VOID(convert_null, ecs_scalar_convert(ECS_F32, NULL, 1))
NAMED(load_null, (int)ecs_scalar_load(ECS_F32, NULL))
NAMED_VOID(statistics_null, ecs_world_statistics(scene.world, NULL))
NAMED_VOID(info_null, ecs_program_info(scene.program, NULL))
NAMED(key_null, ecs_random_key(1, NULL, 1))

/* Calling in while that is not possible ----------------------------------- */

NAMED(kernel_calls_in, run_kernel(call_in))
NAMED(kernel_writes_an_array, run_on_array(ECS_READ))
static bool kernel_may_write(void) {
  return IS(run_on_array(ECS_WRITE), ECS_OK);
}
REFUSED(bind_entities,
        bind_array((ecs_KernelArray){"a", ECS_ENTITY, 1, ECS_READ}, 1))
REFUSED(bind_no_name,
        bind_array((ecs_KernelArray){NULL, ECS_U8, 1, ECS_READ}, 1))
REFUSED(bind_no_index,
        bind_array((ecs_KernelArray){"a", ECS_U8, 0, ECS_READ}, 1))
REFUSED(bind_four, bind_array((ecs_KernelArray){"a", ECS_U8, 4, ECS_READ}, 1))
REFUSED(bind_access, bind_array((ecs_KernelArray){"a", ECS_U8, 1, ECS_UP}, 1))
REFUSED(bind_no_list, bind_array(read_array, 65))
REFUSED(use_null, ecs_kernel_use(scene.binding, NULL, 1, NULL))
NAMED(use_lost, ecs_kernel_use(scene.loose, NULL, 0, NULL))
NAMED(kernel_destroys, run_kernel(destroy_world))

static void look_back(ecs_Holder *holder) {
  (void)holder;
  (void)ecs_alive(scene.world, 1);
}
static bool holder_calls_in(void) {
  static ecs_Holder holder = {look_back};
  if (ecs_world_hold(scene.world, &holder) != ECS_OK) return false;
  ecs_world_destroy(scene.world);
  return true;
}
NAMED(holder_null, ecs_world_hold(scene.world, &(ecs_Holder){NULL}))

/* The table --------------------------------------------------------------- */

typedef struct Row {
  const char *name;
  bool (*run)(void);
  const char *named; /* NULL: answered in every build */
} Row;

#define ANSWERS(function) \
  { #function, function, NULL }
#define STOPS(function, text) \
  { #function, function, text }
#define NO_WORLD "the world is none, or is gone"
#define NO_QUERY "the query is none, or is gone"
#define NO_PROGRAM "the program is none, or is gone"
#define NO_BINDING "the kernel binding is none, or is gone"
#define NO_GRID "the grid is none, or is gone"
#define NO_ACCESSOR "the accessor's world is none, or is gone"
#define NO_CURSOR "the cursor's world is gone, or it was never begun"

static const Row rows[] = {
    ANSWERS(world_null_result),
    ANSWERS(component_null_description),
    ANSWERS(component_null_result),
    ANSWERS(component_null_fields),
    ANSWERS(component_null_name),
    ANSWERS(component_null_info),
    ANSWERS(group_null_components),
    ANSWERS(ungroup_null_components),
    ANSWERS(group_bits_null_components),
    ANSWERS(bundle_null_components),
    ANSWERS(bundle_null_result),
    ANSWERS(spawn_null_components),
    ANSWERS(set_null_image),
    ANSWERS(query_null_terms),
    ANSWERS(query_null_result),
    ANSWERS(count_null_result),
    ANSWERS(first_null_result),
    ANSWERS(column_null_result),
    ANSWERS(entities_null_result),
    ANSWERS(entities_null_array),
    ANSWERS(begin_null_cursor),
    ANSWERS(grid_null_result),
    ANSWERS(grid_null_point),
    ANSWERS(grid_null_cursor),
    ANSWERS(end_null_cursor),
    ANSWERS(next_null_batch),
    ANSWERS(texts_null),
    ANSWERS(components_of_null),
    ANSWERS(accessor_null_result),
    ANSWERS(get_many_null),
    ANSWERS(set_many_null),
    ANSWERS(bind_null_kernel),
    ANSWERS(bind_null_result),
    ANSWERS(bind_null_run),
    ANSWERS(bind_null_columns),
    ANSWERS(bind_entities),
    ANSWERS(bind_no_name),
    ANSWERS(bind_no_index),
    ANSWERS(bind_four),
    ANSWERS(bind_access),
    ANSWERS(bind_no_list),
    ANSWERS(use_null),
    ANSWERS(kernel_may_write),
    ANSWERS(bind_null_names),
    ANSWERS(run_null_call),
    ANSWERS(library_null_result),
    ANSWERS(library_null_find),
    ANSWERS(program_null_result),
    ANSWERS(program_null_text),
    ANSWERS(program_null_call),
    ANSWERS(program_wrong_counts),
    ANSWERS(numbers_of_entities),
    ANSWERS(numbers_of_components),
    ANSWERS(number_of_bundle),
    ANSWERS(numbers_of_enumerations),
    ANSWERS(ended_twice),
    ANSWERS(discarded_twice),
    ANSWERS(copy_ended_after),
    ANSWERS(copy_ended_before),
    ANSWERS(copy_left_behind),
    ANSWERS(copy_of_an_earlier_one),
    ANSWERS(outer_ended_first),
    ANSWERS(ended_after_a_failed_begin),
    ANSWERS(ended_after_a_failed_spawn),
    ANSWERS(spawned_ended_twice),
    ANSWERS(ended_of_zeros),
    ANSWERS(deferral_never_begun),
    ANSWERS(deferral_ended_in_a_cursor),
    ANSWERS(cursor_ended_in_a_deferral),
    ANSWERS(destroyed_while_open),
    ANSWERS(cleared_while_open),
    ANSWERS(rows_null_result),
    ANSWERS(rows_of_another_header),
    STOPS(begun_twice, "ecs_query_begin: the cursor is open already"),
    STOPS(spawned_into_an_open_one,
          "ecs_spawn_many: the cursor is open already"),
    STOPS(world_null, "ecs_alive: " NO_WORLD),
    STOPS(world_null_hash, "ecs_world_hash: " NO_WORLD),
    STOPS(world_destroyed_twice, "ecs_world_destroy: " NO_WORLD),
    STOPS(gone_get, "ecs_get: " NO_WORLD),
    STOPS(gone_set, "ecs_set: " NO_WORLD),
    STOPS(gone_add, "ecs_add: " NO_WORLD),
    STOPS(gone_spawn, "ecs_spawn: " NO_WORLD),
    STOPS(gone_spawn_as, "ecs_spawn_as: " NO_WORLD),
    STOPS(gone_spawn_many, "ecs_spawn_many: " NO_WORLD),
    STOPS(gone_destroy, "ecs_destroy: " NO_WORLD),
    STOPS(gone_component, "ecs_component_find: " NO_WORLD),
    STOPS(gone_group, "ecs_group: " NO_WORLD),
    STOPS(gone_group_bits, "ecs_group_bits: " NO_WORLD),
    STOPS(gone_query, "ecs_query_create: " NO_WORLD),
    STOPS(gone_defer, "ecs_defer_begin: " NO_WORLD),
    STOPS(gone_accessor, "ecs_accessor: " NO_WORLD),
    STOPS(gone_explain, "ecs_world_explain: " NO_WORLD),
    STOPS(stale_get, "ecs_accessor_get: " NO_ACCESSOR),
    STOPS(stale_set, "ecs_accessor_set: " NO_ACCESSOR),
    STOPS(stale_get_many, "ecs_accessor_get_many: " NO_ACCESSOR),
    STOPS(rows_gone_get, "ecs_rows_verify: " NO_WORLD),
    STOPS(rows_gone_write, "ecs_rows_verify: " NO_WORLD),
    STOPS(rows_gone_block, "ecs_rows_verify: " NO_WORLD),
    STOPS(rows_gone_open, "ecs_rows_prepare: " NO_WORLD),
    STOPS(rows_null, "ecs_rows_verify: rows is NULL"),
    STOPS(zero_accessor, "ecs_accessor_get: " NO_ACCESSOR),
    STOPS(old_next, "ecs_cursor_next: " NO_CURSOR),
    STOPS(old_end, "ecs_cursor_end: " NO_CURSOR),
    STOPS(old_discard, "ecs_cursor_discard: " NO_CURSOR),
    STOPS(query_null, "ecs_query_begin: " NO_QUERY),
    STOPS(grid_null, "ecs_grid_build: " NO_GRID),
    STOPS(grid_gone_build, "ecs_grid_build: " NO_GRID),
    STOPS(grid_gone_destroy, "ecs_grid_destroy: " NO_GRID),
    STOPS(grid_null_count, "ecs_grid_count: point is NULL"),
    STOPS(query_destroyed_twice, "ecs_query_destroy: " NO_QUERY),
    STOPS(query_gone_begin, "ecs_query_begin: " NO_QUERY),
    STOPS(query_gone_change, "ecs_query_destroy_all: " NO_QUERY),
    STOPS(orphan_begin, "ecs_query_begin: " NO_QUERY),
    STOPS(orphan_columns, "ecs_query_column_count: " NO_QUERY),
    STOPS(orphan_destroy, "ecs_query_destroy: " NO_QUERY),
    STOPS(lost_destroy, "ecs_program_destroy: " NO_PROGRAM),
    STOPS(lost_run, "ecs_program_run: " NO_PROGRAM),
    STOPS(lost_text, "ecs_program_text: " NO_PROGRAM),
    STOPS(program_destroyed_twice, "ecs_program_destroy: " NO_PROGRAM),
    STOPS(loose_run, "ecs_kernel_run: " NO_BINDING),
    STOPS(binding_null, "ecs_kernel_run: " NO_BINDING),
    STOPS(get_null, "ecs_get: image is NULL"),
    STOPS(get_field_null, "ecs_get_field: value is NULL"),
    STOPS(accessor_get_null, "ecs_accessor_get: image is NULL"),
    STOPS(accessor_set_null, "ecs_accessor_set: image is NULL"),
    STOPS(accessor_null, "ecs_accessor_get: the accessor is NULL"),
    STOPS(locate_null, "ecs_query_locate: elements is NULL"),
    STOPS(store_null, "ecs_scalar_store: place is NULL"),
    STOPS(convert_null, "ecs_scalar_convert: place is NULL"),
    STOPS(load_null, "ecs_scalar_load: place is NULL"),
    STOPS(statistics_null, "ecs_world_statistics: statistics is NULL"),
    STOPS(info_null, "ecs_program_info: info is NULL"),
    STOPS(key_null, "ecs_random_key: name is NULL"),
    STOPS(kernel_calls_in, "ecs_alive: a kernel of the world is running"),
    STOPS(kernel_writes_an_array, "ecs_kernel_run: the kernel has written an"),
    STOPS(use_lost, "ecs_kernel_use: the kernel binding is none"),
    STOPS(kernel_destroys,
          "ecs_world_destroy: a kernel of the world is running"),
    STOPS(holder_calls_in, "ecs_alive: the world is being destroyed"),
    STOPS(holder_null, "ecs_world_hold: holder.ended is NULL"),
};

/* Makes the mistake; in a process of its own. */
static void make_mistake(const Row *row) {
  bool right = row->run();
  if (row->named == NULL && right && !world_check_invariants(scene.world))
    right = false;
  _exit(right ? 0 : 1);
}

/* Reads what the process writes to stderr, and waits for its end. */
static int outcome_of(const Row *row, char *text, size_t capacity) {
  int ends[2], outcome = 0;
  size_t length = 0;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    (void)dup2(ends[1], STDERR_FILENO);
    (void)signal(SIGABRT, SIG_DFL);
    (void)signal(SIGSEGV, SIG_DFL);
    make_mistake(row);
  }
  (void)close(ends[1]);
  for (ssize_t got = 1; got > 0 && length + 1 < capacity;) {
    got = read(ends[0], text + length, capacity - 1 - length);
    if (got > 0) length += (size_t)got;
  }
  text[length] = 0;
  (void)close(ends[0]);
  assert_int_equal(waitpid(child, &outcome, 0), child);
  return outcome;
}

TEST(each_mistake_is_answered_or_named) {
  char text[1000];
  prepare();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const Row *row = &rows[i];
#ifndef ECS_CHECKED
    if (row->named != NULL) continue; /* undefined here */
#endif
    int outcome = outcome_of(row, text, sizeof text);
    if (row->named == NULL) {
      if (!WIFEXITED(outcome) || WEXITSTATUS(outcome) != 0)
        fail_msg("%s: %x %s", row->name, (unsigned)outcome, text);
      continue;
    }
    if (!WIFSIGNALED(outcome) || WTERMSIG(outcome) != SIGABRT)
      fail_msg("%s: is not stopped: %x %s", row->name, (unsigned)outcome, text);
    if (strncmp(text, "ecs: misuse: ", 13) != 0 ||
        strstr(text, row->named) == NULL)
      fail_msg("%s: says %s", row->name, text);
  }
  finish(&scene.fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_mistake_is_answered_or_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

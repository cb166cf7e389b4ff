/* failure_scenarios.c: the calls of failure_test.c, and a table of them.
 *
 * Each call has a function of its own for the table to name, and is possible in
 * every world that the fixture makes. A new public function that changes a
 * world gets a call and a row here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failure_scenarios.h"

#define REPEATS 2000u /* of one entity in one call of an accessor */

/* Calls ------------------------------------------------------------------- */

static ecs_Status define_fresh(Fixture *fixture, const char *name,
                               ecs_Storage storage, uint32_t fields) {
  const ecs_Field both[] = {{"first", ECS_F32, 1}, {"second", ECS_U8, 2}};
  const ecs_ComponentDescription description = {
      .name = name, .fields = both, .field_count = fields, .storage = storage};
  ecs_Component component = 0;
  return ecs_component(fixture->world, &description, &component);
}

static ecs_Status call_component(Fixture *fixture) {
  return define_fresh(fixture, "Fresh", ECS_STORE_TABLE, 2);
}
static ecs_Status call_component_sparse(Fixture *fixture) {
  return define_fresh(fixture, "Fresh", ECS_STORE_SPARSE, 2);
}
static ecs_Status call_component_bits(Fixture *fixture) {
  return define_fresh(fixture, "Fresh", ECS_STORE_BITS, 0);
}

static ecs_Status call_group(Fixture *fixture) {
  const ecs_Component together[] = {fixture->health, fixture->sparse,
                                    fixture->bits};
  return ecs_group(fixture->world, together, 3);
}
static ecs_Status call_ungroup(Fixture *fixture) {
  return ecs_ungroup(fixture->world, &fixture->sparse, 1);
}
static ecs_Status call_group_bits(Fixture *fixture) {
  const ecs_Component tags[] = {fixture->tag, fixture->sparse_tag};
  return ecs_group_bits(fixture->world, tags, 2);
}
static ecs_Status call_ungroup_bits(Fixture *fixture) {
  return ecs_ungroup(fixture->world, &fixture->bits, 1);
}

static ecs_Status call_bundle(Fixture *fixture) {
  const ecs_Component other[] = {fixture->tag, fixture->health,
                                 fixture->sparse};
  ecs_Bundle bundle = 0;
  return ecs_bundle(fixture->world, other, 3, &bundle);
}
static ecs_Status call_reserve(Fixture *fixture) {
  return ecs_reserve(fixture->world, fixture->unknown, MANY);
}

/* Moves columns that kernels and queries have pointers to. */
static ecs_Status call_reserve_known(Fixture *fixture) {
  return ecs_reserve(fixture->world, fixture->known, MANY);
}

static ecs_Status call_spawn(Fixture *fixture) {
  const ecs_Component components[] = {fixture->sparse_tag, fixture->wide,
                                      fixture->sparse, fixture->tag};
  const Wide wide = {1, 2, 3};
  const double value = 4;
  const void *const values[] = {NULL, &wide, &value, NULL};
  ecs_Entity entity = 0;
  return ecs_spawn(fixture->world, components, 4, values, &entity);
}
static ecs_Status call_spawn_as(Fixture *fixture) {
  const ecs_Component components[] = {fixture->sparse, fixture->wide};
  return ecs_spawn_as(fixture->world, fixture->freed, components, 2, NULL);
}
/* Jumps over two pages, in the tiny build. */
static ecs_Status call_spawn_as_far(Fixture *fixture) {
  ecs_Statistics now;
  ecs_world_statistics(fixture->world, &now);
  return ecs_spawn_as(fixture->world, now.entities + 9, &fixture->sparse, 1,
                      NULL);
}
static ecs_Status call_spawn_known(Fixture *fixture) {
  return ecs_spawn_bundle(fixture->world, fixture->known, NULL, NULL);
}
static ecs_Status call_spawn_unknown(Fixture *fixture) {
  return ecs_spawn_bundle(fixture->world, fixture->unknown, NULL, NULL);
}
static ecs_Status call_spawn_many(Fixture *fixture) {
  return ecs_spawn_many(fixture->world, fixture->unknown, MANY, NULL);
}

/* Columns 0 to 3 are those of wide and sparse. */
static ecs_Status call_spawn_many_fill(Fixture *fixture) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  const ecs_Status status =
      ecs_spawn_many(fixture->world, fixture->unknown, MANY, &cursor);
  if (status != ECS_OK) return status;
  while (ecs_cursor_next(&cursor, &batch)) {
    double *a = batch.columns[0];
    for (uint32_t i = 0; i < batch.count; i++) a[i] = i + 1;
  }
  return ecs_cursor_end(&cursor);
}

static ecs_Status call_destroy(Fixture *fixture) {
  return ecs_destroy(fixture->world, fixture->hero);
}
/* Some have the component, some lack it, some are dead, and some are listed
 * twice. */
static const ecs_Entity *list_of(const Fixture *fixture, uint32_t *count) {
  static ecs_Entity list[2 * CROWD + 4];
  uint32_t listed = 0;
  list[listed++] = fixture->plain;
  list[listed++] = fixture->hero;
  list[listed++] = fixture->hero;
  list[listed++] = UINT64_MAX;
  for (uint32_t i = 0; i < fixture->crowd_count; i++) {
    list[listed++] = fixture->crowd[i];
    list[listed++] = fixture->crowd[i / 2];
  }
  *count = listed;
  return list;
}
static ecs_Status add_list(Fixture *fixture, ecs_Component component) {
  uint32_t count = 0, found = 0;
  const ecs_Entity *list = list_of(fixture, &count);
  return ecs_add_many(fixture->world, list, count, component, NULL, &found);
}
static ecs_Status remove_list(Fixture *fixture, ecs_Component component) {
  uint32_t count = 0;
  const ecs_Entity *list = list_of(fixture, &count);
  return ecs_remove_many(fixture->world, list, count, component, NULL);
}
static ecs_Status call_add_many(Fixture *fixture) {
  return add_list(fixture, fixture->wide);
}
static ecs_Status call_add_many_sparse(Fixture *fixture) {
  return add_list(fixture, fixture->sparse_tag);
}
static ecs_Status call_add_many_bits(Fixture *fixture) {
  return add_list(fixture, fixture->bits);
}
static ecs_Status call_remove_many(Fixture *fixture) {
  return remove_list(fixture, fixture->position);
}
static ecs_Status call_remove_many_sparse(Fixture *fixture) {
  return remove_list(fixture, fixture->sparse);
}
static ecs_Status call_destroy_many(Fixture *fixture) {
  uint32_t count = 0;
  const ecs_Entity *list = list_of(fixture, &count);
  return ecs_destroy_many(fixture->world, list, count, NULL);
}
static ecs_Status call_clear(Fixture *fixture) {
  return ecs_world_clear(fixture->world);
}

ecs_Status call_add_table(Fixture *fixture) {
  return ecs_add(fixture->world, fixture->hero, fixture->wide, NULL);
}
ecs_Status call_add_sparse(Fixture *fixture) {
  const double value = 7;
  return ecs_add(fixture->world, fixture->hero, fixture->sparse, &value);
}
static ecs_Status call_add_bits(Fixture *fixture) {
  return ecs_add(fixture->world, fixture->hero, fixture->bits, NULL);
}
static ecs_Status call_add_tag(Fixture *fixture) {
  return ecs_add(fixture->world, fixture->plain, fixture->sparse_tag, NULL);
}
static ecs_Status call_remove(Fixture *fixture) {
  const bool crowded = fixture->crowd_count > 0;
  return ecs_remove(fixture->world, crowded ? fixture->crowd[0] : fixture->hero,
                    fixture->position);
}
static ecs_Status call_replace(Fixture *fixture) {
  const Wide wide = {8, 9, 10};
  return ecs_replace(fixture->world, fixture->hero, fixture->position,
                     fixture->wide, &wide, 5);
}
static ecs_Status call_replace_sparse(Fixture *fixture) {
  return ecs_replace(fixture->world, fixture->hero, fixture->position,
                     fixture->sparse, NULL, 0);
}
static ecs_Status call_replace_bits(Fixture *fixture) {
  return ecs_replace(fixture->world, fixture->hero, fixture->position,
                     fixture->bits, NULL, 0);
}
static ecs_Status call_replace_all(Fixture *fixture) {
  const Wide wide = {1, 2, 3};
  return ecs_query_replace_all(fixture->full, fixture->health, fixture->wide,
                               &wide, 3);
}

static ecs_Status call_set(Fixture *fixture) {
  const Wide wide = {8, 9, 10};
  return ecs_set(fixture->world, fixture->hero, fixture->wide, &wide, 5);
}
static ecs_Status call_set_field(Fixture *fixture) {
  return ecs_set_field(fixture->world, fixture->hero, fixture->sparse, 0, 11);
}
/* In place: it allocates only when it is recorded. */
static ecs_Status call_set_present(Fixture *fixture) {
  const Position position = {3, 4};
  return ecs_set(fixture->world, fixture->hero, fixture->position, &position,
                 UINT64_MAX);
}

static ecs_Status call_query_create(Fixture *fixture) {
  const ecs_Term terms[] = {{fixture->position, ECS_READ},
                            {fixture->sparse, ECS_WRITE},
                            {fixture->bits, ECS_WITHOUT},
                            {fixture->wide, ECS_OPTIONAL}};
  ecs_Query *query = NULL;
  return ecs_query_create(fixture->world, terms, 4, &query);
}
/* A grid over the positions of all, some of which are sparse. */
static ecs_Status call_grid_build(Fixture *fixture) {
  const ecs_Term terms[] = {{fixture->position, ECS_READ},
                            {fixture->sparse, ECS_OPTIONAL}};
  const ecs_GridDescription how = {0, 2, {0, 1, 0}, 4};
  ecs_Query *query = NULL;
  ecs_Grid *grid = NULL;
  ecs_Status status = ecs_query_create(fixture->world, terms, 2, &query);
  if (status == ECS_OK) status = ecs_grid_create(query, &how, &grid);
  if (status == ECS_OK) status = ecs_grid_refresh(grid, NULL);
  (void)ecs_query_destroy(query);
  return status;
}
static ecs_Status call_array(Fixture *fixture) {
  const ecs_ArrayDescription how = {"walls", ECS_F32, 2, {5, 7, 0}};
  ecs_Array *array = NULL;
  return ecs_array(fixture->world, &how, &array);
}
static void make_array(Fixture *fixture) {
  must(call_array(fixture));
  must(ecs_array_fill(ecs_array_find(fixture->world, "walls"), 2));
}
static ecs_Status call_array_resize(Fixture *fixture) {
  const uint32_t sizes[] = {3, 9};
  return ecs_array_resize(ecs_array_find(fixture->world, "walls"), sizes);
}
static ecs_Status call_query_count(Fixture *fixture) {
  uint64_t count = 0;
  return ecs_query_count(fixture->full, &count);
}
static ecs_Status call_query_count_partial(Fixture *fixture) {
  uint64_t count = 0;
  return ecs_query_count(fixture->partial, &count);
}

static ecs_Status call_query_first(Fixture *fixture) {
  ecs_Entity entity = 0;
  return ecs_query_first(fixture->full, &entity);
}
static ecs_Status call_query_first_partial(Fixture *fixture) {
  ecs_Entity entity = 0;
  return ecs_query_first(fixture->partial, &entity);
}

/* Whole tables, a tag's and a component's; a sparse set; bits; row by row. */
static ecs_Status call_add_all_table(Fixture *fixture) {
  const Wide wide = {1, 2, 3};
  return ecs_query_add_all(fixture->full, fixture->wide, &wide);
}
static ecs_Status call_add_all_tag(Fixture *fixture) {
  return ecs_query_add_all(fixture->full, fixture->tag, NULL);
}
static ecs_Status call_add_all_sparse(Fixture *fixture) {
  return ecs_query_add_all(fixture->full, fixture->sparse_tag, NULL);
}
static ecs_Status call_add_all_bits(Fixture *fixture) {
  return ecs_query_add_all(fixture->full, fixture->bits, NULL);
}
static ecs_Status call_add_all_filtered(Fixture *fixture) {
  return ecs_query_add_all(fixture->tags, fixture->wide, NULL);
}
static ecs_Status call_add_all_partial(Fixture *fixture) {
  return ecs_query_add_all(fixture->partial, fixture->sparse_tag, NULL);
}
static ecs_Status call_remove_all(Fixture *fixture) {
  return ecs_query_remove_all(fixture->full, fixture->position);
}
static ecs_Status call_remove_all_filtered(Fixture *fixture) {
  return ecs_query_remove_all(fixture->tags, fixture->position);
}
static ecs_Status call_remove_all_sparse(Fixture *fixture) {
  return ecs_query_remove_all(fixture->partial, fixture->sparse);
}
static ecs_Status call_set_all(Fixture *fixture) {
  const Wide wide = {8, 9, 10};
  return ecs_query_set_all(fixture->full, fixture->wide, &wide, 5);
}
static ecs_Status call_set_all_filtered(Fixture *fixture) {
  const Position position = {3, 4};
  return ecs_query_set_all(fixture->tags, fixture->position, &position, 2);
}
static ecs_Status call_set_all_present(Fixture *fixture) {
  const Position position = {3, 4};
  return ecs_query_set_all(fixture->full, fixture->position, &position, 1);
}
static ecs_Status call_destroy_all(Fixture *fixture) {
  return ecs_query_destroy_all(fixture->full);
}
static ecs_Status call_destroy_all_filtered(Fixture *fixture) {
  return ecs_query_destroy_all(fixture->tags);
}

static ecs_Status call_destroy_in_order(Fixture *fixture) {
  return ecs_query_destroy_in_order(fixture->tags);
}
static ecs_Status call_mark_all(Fixture *fixture) {
  return ecs_query_mark_all(fixture->full, fixture->bits);
}

static ecs_Status iterate(ecs_Query *query, ecs_Batching batching) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  const ecs_Status status = ecs_query_begin(query, batching, &cursor);
  if (status != ECS_OK) return status;
  while (ecs_cursor_next(&cursor, &batch)) {
    float *x = batch.columns[0];
    for (uint32_t i = 0; i < batch.count; i++) x[i] += 1;
  }
  return ecs_cursor_end(&cursor);
}
static ecs_Status call_iterate(Fixture *fixture) {
  return iterate(fixture->full, ECS_BATCH_WHOLE);
}
static ecs_Status call_iterate_coalesced(Fixture *fixture) {
  return iterate(fixture->full, ECS_BATCH_COALESCED);
}
static ecs_Status call_iterate_partial(Fixture *fixture) {
  return iterate(fixture->partial, ECS_BATCH_WHOLE);
}

static ecs_Status call_accessor(Fixture *fixture) {
  ecs_Accessor accessor;
  return ecs_accessor(fixture->world, fixture->sparse, &accessor);
}
static ecs_Status call_accessor_get(Fixture *fixture) {
  Position position;
  return ecs_accessor_get(&fixture->accessor, fixture->hero, &position);
}
static ecs_Status call_accessor_set(Fixture *fixture) {
  const Position position = {5, 6};
  return ecs_accessor_set(&fixture->accessor, fixture->hero, &position);
}

/* The hero so often that the records need more memory, after one of the crowd,
 * which is set in place. */
static ecs_Status call_accessor_set_many(Fixture *fixture) {
  static ecs_Entity entities[REPEATS];
  static float x[REPEATS], y[REPEATS];
  const void *const columns[] = {x, y};
#ifdef ECS_TINY
  const uint32_t count = 40;
#else
  const uint32_t count = REPEATS;
#endif
  for (uint32_t i = 0; i < count; i++) {
    entities[i] = fixture->hero;
    x[i] = y[i] = (float)i;
  }
  if (fixture->crowd_count > 0) entities[0] = fixture->crowd[0];
  return ecs_accessor_set_many(&fixture->accessor, entities, count, columns,
                               NULL);
}

static ecs_Status call_kernel_bind(Fixture *fixture) {
  ecs_KernelBinding *binding = NULL;
  return ecs_kernel_bind(fixture->full, &failure_kernel, &binding, NULL);
}
static ecs_Status call_kernel_run(Fixture *fixture) {
  const ecs_KernelCall call = {.dt = 1};
  return ecs_kernel_run(fixture->full_binding, &call);
}
static ecs_Status call_kernel_run_partial(Fixture *fixture) {
  const ecs_KernelCall call = {.dt = 1};
  return ecs_kernel_run(fixture->partial_binding, &call);
}

/* Kernel programs --------------------------------------------------------- */

/* Values stay as they are: only the structure shows whether a run failed. */
static const char program[] =
    "column c0 \"Position\" \"x\" f32 read\nuniform u0 number\n"
    "reduction r0 sum\nreduction r1 max\nv0 = load f32 c0\n"
    "v1 = uniform f32 u0\nv2 = mul f32 v0 v1\nv3 = convert f64 v2\n"
    "v4 = constant bool false\nrepeat\nv5 = carry bool v4\nnext v5 v4\n"
    "again v5\nexit v5\n"
    "sum r0 v3\nmax r1 v3\nv6 = self\nv7 = has v6 \"Sparse\"\n"
    "add \"Tag\" v7\nremove \"Bits\"\nadd \"SparseTag\" v7\n";

/* These change any entity, with values; the first spawns. A run of the first that
 * fails leaves handles that are dead for good, so it is only created here. */
#define CHANGING                                                          \
  "column c0 \"Position\" \"x\" f32 read\nuniform u0 number\n"            \
  "reduction r0 sum\nreduction r1 max\nv0 = load f32 c0\n"                \
  "v1 = uniform f32 u0\nv2 = self\nv3 = has v2 \"Sparse\"\nv4 = not v3\n" \
  "v5 = convert f64 v0\nsum r0 v5\nmax r1 v5\n"                           \
  "give \"Wide\" \"a\" v0\nadd_to v2 \"Wide\" v3\n"                       \
  "give \"Wide\" \"b\" v1\nset_of v2 \"Wide\" v4\n"                       \
  "remove_from v2 \"Bits\" v3\nset_of v2 \"SparseTag\"\n"

static const char spawning[] = CHANGING
    "part \"Sparse\"\ngive \"Sparse\" \"v\" v0\npart \"Tag\"\n"
    "part \"Wide\"\ngive \"Wide\" \"b\" v1\nv6 = spawn\n"
    "add_to v6 \"Health\"\nv7 = spawn v3\n";

static const char changing[] = CHANGING;

static ecs_Status create_program(Fixture *fixture, ecs_Query *query) {
  fixture->program = NULL;
  return ecs_program_create(query, program, sizeof program - 1,
                            &fixture->program, NULL, 0);
}
static ecs_Status call_spawning_create(Fixture *fixture) {
  return ecs_program_create(fixture->full, spawning, sizeof spawning - 1,
                            &fixture->program, NULL, 0);
}
static void make_changing(Fixture *fixture) {
  must(ecs_program_create(fixture->full, changing, sizeof changing - 1,
                          &fixture->program, NULL, 0));
}
static void make_changing_partial(Fixture *fixture) {
  must(ecs_program_create(fixture->partial, changing, sizeof changing - 1,
                          &fixture->program, NULL, 0));
}
static ecs_Status call_program_create(Fixture *fixture) {
  return create_program(fixture, fixture->full);
}
static void make_program(Fixture *fixture) {
  must(create_program(fixture, fixture->full));
}
static void make_program_partial(Fixture *fixture) {
  must(create_program(fixture, fixture->partial));
}
static ecs_Status call_program_run(Fixture *fixture) {
  const double uniform = 2;
  double reductions[] = {-1, -1};
  ecs_ProgramStop stop;
  const ecs_ProgramCall call = {.uniforms = &uniform,
                                .reductions = reductions,
                                .uniform_count = 1,
                                .reduction_count = 2,
                                .stop = &stop};
  const ecs_Status status = ecs_program_run(fixture->program, &call);
  /* A run that failed has no results. */
  assert_true((status == ECS_OK) == (reductions[0] != -1));
  return status;
}

/* Recording, then ending -------------------------------------------------- */

static void record_all(Fixture *fixture) {
  must(call_spawn(fixture));
  must(call_spawn_known(fixture));
  must(call_spawn_many_fill(fixture));
  must(call_add_table(fixture));
  must(call_add_sparse(fixture));
  must(call_set(fixture));
  must(call_add_tag(fixture));
  if (fixture->crowd_count > 0) {
    must(call_remove(fixture));
    must(ecs_destroy(fixture->world, fixture->crowd[0]));
  }
  must(call_accessor_set(fixture));
}

/* Three free indices, also where changes are recorded. */
static void free_some(Fixture *fixture) {
  ecs_Entity entities[3];
  must(ecs_defer_begin(fixture->world));
  for (uint32_t i = 0; i < 3; i++)
    must(ecs_spawn(fixture->world, NULL, 0, NULL, &entities[i]));
  ecs_defer_discard(fixture->world);
  fixture->freed = entities[1] + ((ecs_Entity)1 << 28);
}
/* The free list has been linked both ways. */
static void link_free(Fixture *fixture) {
  free_some(fixture);
  must(call_spawn_as(fixture));
}

/* Defines a component for each rule of links. A root has two children that die
 * with it, of which each has two that lose what links to it. */
static ecs_Status call_link(Fixture *fixture) {
  return ecs_set(fixture->world, fixture->hero, fixture->ties[ECS_LINK_REMOVE],
                 &fixture->root, 1);
}
static ecs_Status call_spawn_linked(Fixture *fixture) {
  const void *const values[] = {&fixture->root};
  return ecs_spawn(fixture->world, &fixture->ties[ECS_LINK_CLEAR], 1, values,
                   NULL);
}
/* There is room for one more link of a kind, and for one more such entity. */
static void make_room(Fixture *fixture) {
  const void *const values[] = {&fixture->root};
  ecs_Entity more = 0;
  must(call_link(fixture));
  must(ecs_remove(fixture->world, fixture->hero,
                  fixture->ties[ECS_LINK_REMOVE]));
  must(ecs_spawn(fixture->world, &fixture->ties[ECS_LINK_CLEAR], 1, values,
                 &more));
  must(ecs_destroy(fixture->world, more));
}
static void tie(Fixture *fixture) {
  static const char *const names[] = {"Clears", "Removes", "Destroys"};
  const ecs_Field to = {"to", ECS_ENTITY, 0};
  ecs_Entity child = 0;
  const void *const parent[] = {&fixture->root}, *const above[] = {&child};
  for (uint32_t i = 0; i < ECS_LINK_RULE_COUNT; i++) {
    const ecs_Link link = {0, (ecs_LinkRule)i, i == ECS_LINK_DESTROY};
    const ecs_ComponentDescription description = {
        .name = names[i],
        .fields = &to,
        .field_count = 1,
        .storage = i == ECS_LINK_REMOVE ? ECS_STORE_SPARSE : ECS_STORE_TABLE,
        .links = &link,
        .link_count = 1};
    must(ecs_component(fixture->world, &description, &fixture->ties[i]));
  }
  must(ecs_spawn(fixture->world, NULL, 0, NULL, &fixture->root));
  for (uint32_t k = 0; k < 2; k++) {
    must(ecs_spawn(fixture->world, &fixture->ties[ECS_LINK_DESTROY], 1, parent,
                   &child));
    must(ecs_spawn(fixture->world, &fixture->ties[ECS_LINK_CLEAR], 1, above,
                   NULL));
    must(ecs_spawn(fixture->world, &fixture->ties[ECS_LINK_REMOVE], 1, above,
                   NULL));
  }
  make_room(fixture);
}
static ecs_Status call_cascade(Fixture *fixture) {
  return ecs_destroy(fixture->world, fixture->root);
}
/* Links to what dies by a rule, and a component that a rule takes away and that
 * is added again. */
static void defer_links(Fixture *fixture) {
  tie(fixture);
  must(ecs_defer_begin(fixture->world));
  must(call_link(fixture));
  must(call_cascade(fixture));
  must(ecs_set(fixture->world, fixture->hero, fixture->ties[ECS_LINK_REMOVE],
               &fixture->plain, 1));
  must(call_spawn(fixture));
}

/* One before function per call: opens a deferral and records that call. */
#define DEFER(name)                            \
  static void defer_##name(Fixture *fixture) { \
    must(ecs_defer_begin(fixture->world));     \
    must(call_##name(fixture));                \
  }
DEFER(spawn)
DEFER(spawn_unknown)
DEFER(spawn_many)
DEFER(spawn_many_fill)
DEFER(destroy)
DEFER(add_table)
DEFER(add_sparse)
DEFER(add_bits)
DEFER(remove)
DEFER(set)
DEFER(set_field)
DEFER(add_all_table)
DEFER(add_all_sparse)
DEFER(remove_all)
DEFER(set_all)
DEFER(destroy_all)

static void defer_all(Fixture *fixture) {
  must(ecs_defer_begin(fixture->world));
  record_all(fixture);
}
static ecs_Status call_defer_end(Fixture *fixture) {
  return ecs_defer_end(fixture->world);
}
static void undo_defer(Fixture *fixture) { ecs_defer_discard(fixture->world); }

static void open_cursor(Fixture *fixture) {
  ecs_Batch batch;
  must(ecs_query_begin(fixture->tags, ECS_BATCH_WHOLE, &fixture->cursor));
  (void)ecs_cursor_next(&fixture->cursor, &batch);
  record_all(fixture);
}
static ecs_Status call_cursor_end(Fixture *fixture) {
  return ecs_cursor_end(&fixture->cursor);
}
static void undo_cursor(Fixture *fixture) {
  ecs_cursor_discard(&fixture->cursor);
}

/* The cursor of spawn_many, with records made while it is open. */
void open_spawned(Fixture *fixture) {
  ecs_Batch batch;
  must(ecs_spawn_many(fixture->world, fixture->known, MANY, &fixture->cursor));
  (void)ecs_cursor_next(&fixture->cursor, &batch);
  must(call_add_sparse(fixture));
  must(call_set(fixture));
}

/* So that an accessor has to record what it sets. */
static void touch_hero(Fixture *fixture) {
  must(ecs_add(fixture->world, fixture->hero, fixture->tag, NULL));
}

/* Writes through everything that keeps pointers or lists of rows. */
void use_all(Fixture *fixture) {
  must(call_kernel_run(fixture));
  must(call_kernel_run_partial(fixture));
  must(call_iterate_coalesced(fixture));
  must(call_iterate_partial(fixture));
}

/* Scenarios --------------------------------------------------------------- */

#define AT_ONCE (NOW | NOW_FAILS)
#define RECORDED (LATER | LATER_FAILS)
#define BOTH (AT_ONCE | RECORDED)

/* The call that defer_<name> has recorded is applied. */
#define APPLIED(detail, name) \
  { "ecs_defer_end", detail, call_defer_end, AT_ONCE, defer_##name, undo_defer }

const Scenario failure_scenarios[] = {
    {"ecs_component", "table", call_component, AT_ONCE, NULL, NULL},
    {"ecs_component", "sparse", call_component_sparse, AT_ONCE, NULL, NULL},
    {"ecs_component", "bits", call_component_bits, AT_ONCE, NULL, NULL},
    {"ecs_group", "", call_group, AT_ONCE, NULL, NULL},
    {"ecs_ungroup", "", call_ungroup, AT_ONCE, NULL, NULL},
    {"ecs_ungroup", "bits", call_ungroup_bits, AT_ONCE, NULL, NULL},
    {"ecs_group_bits", "", call_group_bits, AT_ONCE, NULL, NULL},
    {"ecs_bundle", "", call_bundle, BOTH, NULL, NULL},
    {"ecs_reserve", "unknown", call_reserve, AT_ONCE, NULL, NULL},
    {"ecs_reserve", "known", call_reserve_known, AT_ONCE, NULL, NULL},
    {"ecs_spawn", "", call_spawn, BOTH, NULL, NULL},
    {"ecs_spawn_as", "listed", call_spawn_as, BOTH, free_some, NULL},
    {"ecs_spawn_as", "fresh", call_spawn_as_far, BOTH, NULL, NULL},
    {"ecs_spawn_as", "fresh, linked", call_spawn_as_far, BOTH, link_free, NULL},
    {"ecs_spawn_bundle", "known", call_spawn_known, BOTH, NULL, NULL},
    {"ecs_spawn_bundle", "unknown", call_spawn_unknown, BOTH, NULL, NULL},
    {"ecs_spawn_many", "", call_spawn_many, BOTH, NULL, NULL},
    {"ecs_spawn_many", "with a cursor", call_spawn_many_fill, BOTH, NULL, NULL},
    {"ecs_destroy", "", call_destroy, NOW | RECORDED, NULL, NULL},
    {"ecs_destroy", "cascade", call_cascade, AT_ONCE, tie, NULL},
    {"ecs_set", "a link", call_link, NOW, tie, NULL},
    {"ecs_spawn", "linked", call_spawn_linked, NOW, tie, NULL},
    {"ecs_defer_end", "links", call_defer_end, AT_ONCE, defer_links,
     undo_defer},
    {"ecs_add_many", "table", call_add_many, BOTH, NULL, NULL},
    {"ecs_add_many", "sparse", call_add_many_sparse, BOTH, NULL, NULL},
    {"ecs_add_many", "bits", call_add_many_bits, BOTH, NULL, NULL},
    {"ecs_remove_many", "table", call_remove_many, BOTH, NULL, NULL},
    {"ecs_remove_many", "sparse", call_remove_many_sparse, NOW | RECORDED, NULL,
     NULL},
    {"ecs_destroy_many", "", call_destroy_many, NOW | RECORDED, NULL, NULL},
    {"ecs_world_clear", "", call_clear, NOW, NULL, NULL},
    {"ecs_add", "table", call_add_table, BOTH, NULL, NULL},
    {"ecs_add", "sparse", call_add_sparse, BOTH, NULL, NULL},
    {"ecs_add", "bits", call_add_bits, BOTH, NULL, NULL},
    {"ecs_add", "sparse tag", call_add_tag, BOTH, NULL, NULL},
    {"ecs_remove", "", call_remove, BOTH, NULL, NULL},
    {"ecs_replace", "one move", call_replace, BOTH, NULL, NULL},
    {"ecs_replace", "to sparse", call_replace_sparse, BOTH, NULL, NULL},
    {"ecs_replace", "to bits", call_replace_bits, BOTH, NULL, NULL},
    {"ecs_query_replace_all", "", call_replace_all, BOTH, NULL, NULL},
    {"ecs_set", "adding", call_set, BOTH, NULL, NULL},
    {"ecs_set", "in place", call_set_present, NOW | LATER, NULL, NULL},
    {"ecs_set_field", "adding", call_set_field, BOTH, NULL, NULL},
    {"ecs_query_create", "", call_query_create, BOTH, NULL, NULL},
    {"ecs_grid_refresh", "", call_grid_build, BOTH, NULL, NULL},
    {"ecs_array", "", call_array, BOTH, NULL, NULL},
    {"ecs_array_resize", "", call_array_resize, BOTH, make_array, NULL},
    {"ecs_query_count", "full", call_query_count, BOTH, NULL, NULL},
    {"ecs_query_count", "partial", call_query_count_partial, BOTH, NULL, NULL},
    {"ecs_query_first", "full", call_query_first, BOTH, NULL, NULL},
    {"ecs_query_first", "partial", call_query_first_partial, BOTH, NULL, NULL},
    {"ecs_query_add_all", "table", call_add_all_table, BOTH, NULL, NULL},
    {"ecs_query_add_all", "tag", call_add_all_tag, BOTH, NULL, NULL},
    {"ecs_query_add_all", "sparse", call_add_all_sparse, BOTH, NULL, NULL},
    {"ecs_query_add_all", "bits", call_add_all_bits, BOTH, NULL, NULL},
    {"ecs_query_add_all", "filtered", call_add_all_filtered, BOTH, NULL, NULL},
    {"ecs_query_add_all", "partial", call_add_all_partial, BOTH, NULL, NULL},
    {"ecs_query_add_all", "recorded", call_add_all_table, RECORDED, touch_hero,
     NULL},
    {"ecs_query_remove_all", "table", call_remove_all, BOTH, NULL, NULL},
    {"ecs_query_remove_all", "filtered", call_remove_all_filtered, BOTH, NULL,
     NULL},
    {"ecs_query_remove_all", "sparse", call_remove_all_sparse, BOTH, NULL,
     NULL},
    {"ecs_query_set_all", "adding", call_set_all, BOTH, NULL, NULL},
    {"ecs_query_set_all", "filtered", call_set_all_filtered, BOTH, NULL, NULL},
    {"ecs_query_set_all", "in place", call_set_all_present, BOTH, NULL, NULL},
    {"ecs_query_set_all", "recorded", call_set_all_present, RECORDED,
     touch_hero, NULL},
    {"ecs_query_destroy_all", "table", call_destroy_all, BOTH, NULL, NULL},
    {"ecs_query_destroy_all", "filtered", call_destroy_all_filtered, BOTH, NULL,
     NULL},
    {"ecs_query_destroy_in_order", "filtered", call_destroy_in_order, AT_ONCE,
     NULL, NULL},
    {"ecs_query_mark_all", "", call_mark_all, AT_ONCE, NULL, NULL},
    {"ecs_query_begin", "full", call_iterate, BOTH, NULL, NULL},
    {"ecs_query_begin", "coalesced", call_iterate_coalesced, BOTH, NULL, NULL},
    {"ecs_query_begin", "partial", call_iterate_partial, BOTH, NULL, NULL},
    {"ecs_accessor", "", call_accessor, NOW | LATER, NULL, NULL},
    {"ecs_accessor_get", "", call_accessor_get, NOW | LATER, NULL, NULL},
    {"ecs_accessor_set", "", call_accessor_set, NOW | LATER, NULL, NULL},
    {"ecs_accessor_set_many", "at once", call_accessor_set_many, NOW, NULL,
     NULL},
    {"ecs_accessor_set_many", "recorded", call_accessor_set_many, RECORDED,
     touch_hero, NULL},
    {"ecs_kernel_bind", "", call_kernel_bind, BOTH, NULL, NULL},
    {"ecs_kernel_run", "full", call_kernel_run, BOTH, NULL, NULL},
    {"ecs_kernel_run", "partial", call_kernel_run_partial, BOTH, NULL, NULL},
    {"ecs_program_create", "", call_program_create, BOTH, NULL, NULL},
    {"ecs_program_create", "spawning", call_spawning_create, BOTH, NULL, NULL},
    {"ecs_program_run", "changing", call_program_run, BOTH, make_changing,
     NULL},
    {"ecs_program_run", "changing, partial", call_program_run, BOTH,
     make_changing_partial, NULL},
    {"ecs_program_run", "full", call_program_run, BOTH, make_program, NULL},
    {"ecs_program_run", "partial", call_program_run, BOTH, make_program_partial,
     NULL},
    APPLIED("spawn", spawn),
    APPLIED("spawn_bundle", spawn_unknown),
    APPLIED("spawn_many", spawn_many),
    APPLIED("spawn_many, filled", spawn_many_fill),
    APPLIED("destroy", destroy),
    APPLIED("add", add_table),
    APPLIED("add, sparse", add_sparse),
    APPLIED("add, bits", add_bits),
    APPLIED("remove", remove),
    APPLIED("set", set),
    APPLIED("set_field", set_field),
    APPLIED("add_all", add_all_table),
    APPLIED("add_all, sparse", add_all_sparse),
    APPLIED("remove_all", remove_all),
    APPLIED("set_all", set_all),
    APPLIED("destroy_all", destroy_all),
    APPLIED("everything", all),
    {"ecs_cursor_end", "everything", call_cursor_end, AT_ONCE, open_cursor,
     undo_cursor},
    {"ecs_cursor_end", "of spawn_many", call_cursor_end, AT_ONCE, open_spawned,
     undo_cursor},
};
const size_t failure_scenario_count =
    sizeof failure_scenarios / sizeof *failure_scenarios;

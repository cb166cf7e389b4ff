/* varkor_side.c: where the six programs of bench_varkor.c run. */
#include "varkor_side.h"

#include <stdlib.h>
#include <string.h>

/* Spaces and worlds ------------------------------------------------------- */

/* Counts the calls that get memory. */
static void *counting_resize(void *user, void *block, size_t old_bytes,
                             size_t new_bytes) {
  (void)old_bytes;
  if (new_bytes == 0) {
    free(block);
    return NULL;
  }
  ((Side *)user)->calls++;
  return realloc(block, new_bytes);
}

void side_make_space(Side *side) {
  SpaceType types[PARTS];
  for (uint32_t part = 0; part < PARTS; part++)
    types[part] =
        (SpaceType){part + 1, field_counts[part] * (uint32_t)sizeof(float),
                    space_construct_zeros};
  space_init(&side->space, types, PARTS);
}

static ecs_Component family_component(ecs_World *world) {
  const ecs_Field parent = {.name = "parent", .type = ECS_ENTITY};
  const ecs_Link link = {0, ECS_LINK_DESTROY, true};
  const ecs_ComponentDescription description = {.name = "Family",
                                                .fields = &parent,
                                                .field_count = 1,
                                                .links = &link,
                                                .link_count = 1};
  ecs_Component component = 0;
  MUST(ecs_component(world, &description, &component));
  return component;
}

void side_make_world(Side *side) {
  static const char *const names[PARTS] = {"A", "B", "C", "D"};
  const ecs_WorldDescription description = {.memory = {counting_resize, side}};
  MUST(ecs_world_create(&description, &side->world));
  ecs_World *world = side->world;
  for (uint32_t part = 0; part < PARTS; part++) {
    side->parts[part] = scene_component(world, names[part], field_counts[part],
                                        ECS_STORE_TABLE);
    side->queries[part] = scene_query(world, &side->parts[part], 1, ECS_WRITE);
  }
  for (uint32_t k = 0; k < PARTS; k++) {
    const ecs_Component pair[] = {side->parts[k], side->parts[second_of(k)]};
    MUST(ecs_bundle(world, pair, 2, &side->pairs[k]));
  }
  side->parts[RELATIONSHIP] = family_component(world);
  for (uint32_t k = 0; side->program == RELATIONSHIPS && k < PARTS; k++) {
    const ecs_Component pair[] = {side->parts[k], side->parts[RELATIONSHIP]};
    MUST(ecs_bundle(world, pair, 2, &side->children[k]));
  }
  MUST(ecs_bundle(world, side->parts, side->program == CREATE ? 0 : PARTS,
                  &side->all));
  MUST(ecs_query_create(world, NULL, 0, &side->everything));
}

/* In bulk ----------------------------------------------------------------- */

/* Spawns count entities of a bundle with default values, and lists them. */
static void spawn_batch(Side *side, ecs_Bundle bundle, uint32_t count,
                        uint64_t *entities) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_spawn_many(side->world, bundle, count, &cursor));
  while (ecs_cursor_next(&cursor, &batch)) {
    memcpy(entities, batch.entities, batch.count * sizeof *entities);
    entities += batch.count;
  }
  MUST(ecs_cursor_end(&cursor));
}

/* Writes a part of all that have it, in order; the tables of a world follow in
 * the order of their bundles. Rows of table t have the numbers firsts[t],
 * firsts[t] + step ... */
static void write_batch(Side *side, uint32_t part, const uint32_t *firsts,
                        uint32_t step) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_query_begin(side->queries[part], ECS_BATCH_WHOLE, &cursor));
  for (; ecs_cursor_next(&cursor, &batch); firsts++)
    for (uint32_t f = 0; f < batch.column_count; f++)
      for (uint32_t row = 0; row < batch.count; row++)
        ((float *)batch.columns[f])[row] =
            (float)(int32_t)(((*firsts + row * step) & 1023u) + part * 8 + f);
  MUST(ecs_cursor_end(&cursor));
}

/* A part is in two pairs: its own and the next one's. */
static void write_pairs(Side *side) {
  for (uint32_t part = 0; part < PARTS; part++) {
    uint32_t next = (part + 1) % PARTS;
    uint32_t firsts[2] = {part < next ? part : next, part < next ? next : part};
    write_batch(side, part, firsts, PARTS);
  }
}

static void bulk_distributed(Side *side) {
  uint32_t starts[PARTS], counts[PARTS], first = 0;
  for (uint32_t k = 0; k < PARTS; k++) {
    counts[k] = (side->size + PARTS - 1 - k) / PARTS;
    starts[k] = first;
    spawn_batch(side, side->pairs[k], counts[k], side->entities + first);
    first += counts[k];
  }
  write_pairs(side);
  for (uint32_t part = 0; part < PARTS; part++)
    MUST(ecs_query_remove_all(side->queries[part], side->parts[part]));
  for (uint32_t k = 0; k < PARTS; k++)
    for (uint32_t add = 0; add < 2; add++)
      MUST(ecs_add_many(side->world, side->entities + starts[k], counts[k],
                        side->parts[(k + 1 - add) % PARTS], NULL, NULL));
}

void side_run_in_bulk(Side *side) {
  for (uint32_t round = 0; round < side->rounds; round++) {
    if (side->program == DISTRIBUTED)
      bulk_distributed(side);
    else
      spawn_batch(side, side->all, side->size, side->entities);
    if (side->program == ADD_WRITE_DELETE)
      for (uint32_t part = 0; part < PARTS; part++)
        write_batch(side, part, &(uint32_t){0}, 1);
    if (side->program > ADD && deletes(side, round))
      MUST(ecs_query_destroy_all(side->everything));
    if (round == 0) side->later = side->calls;
  }
}

/* As families ------------------------------------------------------------- */

/* The members of a family, in the order of make_family in bench_varkor.c. */
static void describe_family(const Side *side, ecs_Member *members) {
  uint32_t made = 0;
  members[made++] = (ecs_Member){side->pairs[1], NULL, 0};
  for (uint32_t child = 0; child < CHILDREN; child++) {
    uint32_t parent = made++;
    members[parent] = (ecs_Member){side->children[2], NULL, 0};
    for (uint32_t k = 0; k < GRANDCHILDREN; k++)
      members[made++] = (ecs_Member){side->children[3], NULL, parent};
  }
}

/* Writes a part of all that have it: count members of each family, of these
 * numbers. */
static void write_members(Side *side, uint32_t part, const uint32_t *numbers,
                          uint32_t count) {
  ecs_Cursor cursor;
  ecs_Batch batch;
  MUST(ecs_query_begin(side->queries[part], ECS_BATCH_WHOLE, &cursor));
  while (ecs_cursor_next(&cursor, &batch))
    for (uint32_t f = 0; f < batch.column_count; f++)
      for (uint32_t row = 0; row < batch.count; row += count)
        for (uint32_t k = 0; k < count; k++)
          ((float *)batch.columns[f])[row + k] =
              (float)(int32_t)((numbers[k] & 1023u) + part * 8 + f);
  MUST(ecs_cursor_end(&cursor));
}

static void write_families(Side *side) {
  uint32_t children[CHILDREN], others[CHILDREN * GRANDCHILDREN];
  for (uint32_t child = 0; child < CHILDREN; child++) {
    children[child] = 1 + child * (1 + GRANDCHILDREN);
    for (uint32_t k = 0; k < GRANDCHILDREN; k++)
      others[child * GRANDCHILDREN + k] = children[child] + 1 + k;
  }
  write_members(side, 0, &(uint32_t){0}, 1);
  write_members(side, 1, &(uint32_t){0}, 1);
  write_members(side, 2, children, CHILDREN);
  write_members(side, 3, others, CHILDREN * GRANDCHILDREN);
}

void side_run_families(Side *side) {
  ecs_Member members[FAMILY];
  const ecs_Family family = {.members = members,
                             .member_count = FAMILY,
                             .link = side->parts[RELATIONSHIP]};
  describe_family(side, members);
  for (uint32_t round = 0; round < side->rounds; round++) {
    for (uint32_t k = 0; k < side->size; k++)
      MUST(ecs_spawn_family(side->world, &family, 1, &side->entities[k]));
    write_families(side);
    for (uint32_t k = 0; k < side->size && deletes(side, round); k++)
      MUST(ecs_destroy(side->world, side->entities[k]));
    if (round == 0) side->later = side->calls;
  }
}

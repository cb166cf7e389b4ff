/* deferral.c: opens and closes the levels of a world's recording. */
#include "world/deferral.h"

Level deferral_mark(ecs_World *world) {
  return (Level){command_mark(&world->commands), world->dropped,
                 world->observers.set_count, 0};
}

void deferral_rewind(ecs_World *world, const Level *mark) {
  ECS_ASSERT(world->dropped >= mark->dropped);
  command_rewind(&world->commands, mark->mark);
  observer_set_rewind(&world->observers, mark->sets);
  world->dropped = mark->dropped;
}

ecs_Status deferral_open(ecs_World *world) {
  if (world->depth >= ECS_NESTING_LIMIT)
    return memory_refuse(&world->store.memory, ECS_NESTING_LIMIT,
                         "cursors and deferrals", "a world");
  ECS_ASSERT(world->depth > 0 || world->commands.entity_count == 0);
  world->store.row_epoch++;
  world->levels[world->depth++] = deferral_mark(world);
  return ECS_OK;
}

/* Applies what is recorded, and makes the notices of it. */
static ecs_Status apply_noticed(ecs_World *world) {
  ObserveMark mark = observe_mark(world);
  ecs_Status status = observe_recording(world);
  if (status != ECS_OK) return status;
  status = command_flush(&world->commands);
  if (status == ECS_OK) {
    observer_set_rewind(&world->observers, 0);
    observe_settle_births(world, mark);
  } else {
    observe_take_back(world, mark);
  }
  return status;
}

static ecs_Status apply_commands(ecs_World *world) {
  return world->observers.count > 0 || world->observers.set_count > 0
             ? apply_noticed(world)
             : command_flush(&world->commands);
}

/* Applies what is recorded, with what it does to links. */
static ecs_Status apply_linked(ecs_World *world) {
  CommandMark mark = command_mark(&world->commands);
  ecs_Status status = link_flush_begin(world);
  if (status == ECS_OK) {
    status = apply_commands(world);
    link_flush_end(world, status == ECS_OK);
  }
  if (status != ECS_OK) command_rewind(&world->commands, mark);
  return status;
}

/* Applies what is recorded, as a whole. Where that fails nothing has happened,
 * and everything is recorded as before. */
static ecs_Status apply_plain(ecs_World *world) {
  return world->links.count == 0 ? apply_commands(world) : apply_linked(world);
}

/* Records for the entities with changed names that they have the tag of
 * those with a name, or have it no longer. */
static ecs_Status record_tags(ecs_World *world) {
  const EntityNames *names = &world->names;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < names->renamed_count; i++) {
    ecs_Entity entity = names->renamed[i];
    if (!world_alive(world, entity)) continue;
    bool named = entity_names_get(names, entity) != NULL;
    if (world_has(world, entity, names->tag) != named)
      status =
          command_record(&world->commands, named ? COMMAND_ADD : COMMAND_REMOVE,
                         entity, names->tag, NULL, UINT64_MAX);
  }
  return status;
}

/* Applies what is recorded, with the tags of names. */
static ECS_APART ecs_Status apply_renamed(ecs_World *world) {
  CommandMark mark = command_mark(&world->commands);
  ecs_Status status = record_tags(world);
  if (status == ECS_OK) status = apply_plain(world);
  if (status == ECS_OK)
    world->names.renamed_count = 0;
  else
    command_rewind(&world->commands, mark);
  return status;
}

static inline ecs_Status apply(ecs_World *world) {
  return ECS_LIKELY(world->names.renamed_count == 0) ? apply_plain(world)
                                                     : apply_renamed(world);
}

/* Everything that was recorded was applied, or taken back. Names are not: their
 * tags follow. Where memory is short the next recording tries it again. */
static void end_recording(ecs_World *world) {
  ECS_ASSERT(world->depth == 0 && world->commands.entity_count == 0);
  observe_close_births(world);
  if (ECS_UNLIKELY(world->names.renamed_count > 0)) (void)apply_renamed(world);
}

/* The level of a kept recording has no cursor, so that the world can be opened
 * inside of it and the recording goes on, as inside of a deferral of the user. */
static void keep(ecs_World *world) {
  world->depth = 1;
  world->deferrals++;
  world->levels[0].stamp = 0;
}

static inline ecs_Status close_level(ecs_World *world, bool keeps) {
  ECS_ASSERT(world->depth > world->deferrals);
  world->store.row_epoch++;
  if (--world->depth > 0) return ECS_OK;
  ecs_Status status = apply(world);
  if (keeps && status == ECS_E_MEMORY) {
    keep(world);
    return status;
  }
  if (status != ECS_OK) deferral_rewind(world, &world->levels[0]);
  end_recording(world);
  return status;
}

ecs_Status deferral_close(ecs_World *world) {
  return close_level(world, false);
}

ecs_Status deferral_close_kept(ecs_World *world) {
  return close_level(world, true);
}

void deferral_discard(ecs_World *world) {
  ECS_ASSERT(world->depth > world->deferrals);
  world->store.row_epoch++;
  deferral_rewind(world, &world->levels[--world->depth]);
  if (world->depth == 0) end_recording(world);
}

/* link_check.c: may an entity be linked to another? */
#include "world/link_check.h"

/* What a chain's commands on one component make of a link, read from the newest
 * back. */
typedef struct LinkReading {
  bool added;        /* a newer command adds the component where absent... */
  ecs_Entity target; /* ... with this target */
} LinkReading;

/* Reads one command. True: the target is known, in reading->target. */
static bool read_command(LinkReading *reading, const ecs_World *world,
                         const LinkIndex *index, const Command *command) {
  const Component *component = &world->store.components.all[index->component];
  if (command->kind == COMMAND_SPAWN) {
    const StagedRow *staged = command->image;
    if (staged != NULL && bundle_has(staged->staged->bundle, index->component))
      reading->added = false; /* staged links are nil */
    if (!reading->added) reading->target = 0;
    return true;
  }
  if (command->kind == COMMAND_DESTROY) {
    reading->target = 0;
    return true;
  }
  if (command->component != index->component) return false;
  if (command->kind == COMMAND_REMOVE) {
    if (!reading->added) reading->target = 0;
    return true;
  }
  bool named = (command->fields >> index->field & 1u) != 0;
  reading->target = named ? link_in_image(index, component, command->image) : 0;
  reading->added = true;
  return command->kind == COMMAND_SET && named;
}

ecs_Entity link_check_target(const ecs_World *world, const LinkIndex *index,
                             ecs_Entity source) {
  const EntityCommands *commands = recorded_commands(world, source);
  LinkReading reading = {false, 0};
  Command command;
  if (commands == NULL) return link_target(index, source);
  CommandWalk walk = command_walk(commands);
  while (command_walk_back(&world->commands, &walk, &command))
    if (read_command(&reading, world, index, &command)) return reading.target;
  bool present = world_has(world, source, index->component);
  return present || !reading.added ? link_target(index, source)
                                   : reading.target;
}

/* Is the source the target, or one of its ancestors? Not if it is to be
 * spawned, which 0 stands for; and it is no ancestor if nothing links to it. */
static bool is_circle(const ecs_World *world, const LinkIndex *index,
                      ecs_Entity source, ecs_Entity target) {
  bool leaf =
      world->commands.entity_count == 0 && link_count(index, source) == 0;
  if (source == 0 || leaf) return source == target;
  while (target != 0 && target != source)
    target = link_check_target(world, index, target);
  return target != 0;
}

static ecs_Status check_one(ecs_World *world, const LinkIndex *index,
                            ecs_Entity source, ecs_Entity target) {
  if (target == 0) return ECS_OK;
  bool alive = world_alive(world, target);
  world->links.made = true;
  bool may_close = index->tree && !world->links.copying;
  if (alive && (!may_close || !is_circle(world, index, source, target)))
    return ECS_OK;
  world->links.refused[0] = source;
  world->links.refused[1] = target;
  return alive ? ECS_E_CIRCLE : ECS_E_LINK;
}

ecs_Status link_check(ecs_World *world, ecs_Entity source,
                      const Component *component, const void *image,
                      uint64_t fields) {
  const LinkIndex *indices = links_of(&world->links, component);
  for (uint32_t i = 0; image != NULL && i < component->link_count; i++) {
    if ((fields >> indices[i].field & 1u) == 0) continue;
    ecs_Status status = check_one(world, &indices[i], source,
                                  link_in_image(&indices[i], component, image));
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

ecs_Status link_make_room(ecs_World *world, ecs_Entity source,
                          const Component *component, const void *image,
                          uint64_t fields) {
  LinkIndex *indices = links_of(&world->links, component);
  Memory *memory = &world->store.memory;
  ecs_Status status = ECS_OK;
  uint32_t count = image == NULL ? 0 : component->link_count;
  for (uint32_t i = 0; status == ECS_OK && i < count; i++) {
    ecs_Entity target = link_in_image(&indices[i], component, image);
    if (target == 0 || (fields >> indices[i].field & 1u) == 0) continue;
    status = link_index_reserve(&indices[i], memory, source);
    if (status == ECS_OK)
      status = link_index_reserve(&indices[i], memory, target);
  }
  return status;
}

ecs_Status link_reserve(ecs_World *world, ecs_Entity source,
                        const Component *component, const void *image,
                        uint64_t fields) {
  ecs_Status status = link_check(world, source, component, image, fields);
  return status == ECS_OK
             ? link_make_room(world, source, component, image, fields)
             : status;
}

ecs_Status link_reserve_one(ecs_World *world, LinkIndex *index,
                            ecs_Entity source, ecs_Entity target) {
  Memory *memory = &world->store.memory;
  ecs_Status status = check_one(world, index, source, target);
  if (target == 0 || status != ECS_OK) return status;
  if (link_node(index, id_index(source)) == NULL)
    status = link_index_reserve(index, memory, source);
  if (status == ECS_OK && link_node(index, id_index(target)) == NULL)
    status = link_index_reserve(index, memory, target);
  return status;
}

void link_make(LinkSet *links, ecs_Entity source, const Component *component,
               const void *image, uint64_t fields) {
  LinkIndex *indices = links_of(links, component);
  for (uint32_t i = 0; i < component->link_count; i++) {
    if ((fields >> indices[i].field & 1u) == 0) continue;
    ecs_Entity before = link_target(&indices[i], source);
    ecs_Entity target = link_in_image(&indices[i], component, image);
    if (before == target) continue;
    if (before != 0) link_take(&indices[i], source);
    if (target != 0) link_insert(&indices[i], source, target, 0);
  }
}

bool link_is_made(const LinkSet *links, const Component *component,
                  const void *image, uint64_t fields) {
  const LinkIndex *indices = links_of(links, component);
  for (uint32_t i = 0; image != NULL && i < component->link_count; i++)
    if ((fields >> indices[i].field & 1u) != 0 &&
        link_in_image(&indices[i], component, image) != 0)
      return true;
  return false;
}

ecs_Status link_check_spawn(ecs_World *world, const Bundle *bundle,
                            const void *const *values) {
  ecs_Status status = ECS_OK;
  for (uint32_t k = 0;
       values != NULL && status == ECS_OK && k < bundle->given_count; k++) {
    const Component *component =
        &world->store.components.all[bundle->items[k].component];
    if (component->link_count > 0)
      status = link_check(world, 0, component, values[k], UINT64_MAX);
  }
  return status;
}

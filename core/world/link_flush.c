/* link_flush.c: what a recording does to links, found before it is applied. */
#include "world/link_flush.h"

#include "world/link_step.h"

/* States ------------------------------------------------------------------ */

static uint32_t hash_of(ecs_Entity entity, ecs_Component component) {
  uint64_t key = (entity + component) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(key >> 32);
}

/* The place of a state, or where it would be. */
static uint32_t *find_place(const LinkWork *work, ecs_Entity entity,
                            ecs_Component component) {
  uint32_t last = work->place_capacity - 1;
  uint32_t place = hash_of(entity, component) & last;
  for (; work->places[place] != 0; place = (place + 1) & last) {
    const LinkState *state = &work->states[work->places[place] - 1];
    if (state->entity == entity && state->component == component) break;
  }
  return &work->places[place];
}

static LinkState *find_state(const LinkWork *work, ecs_Entity entity,
                             ecs_Component component) {
  if (work->place_capacity == 0) return NULL;
  uint32_t state = *find_place(work, entity, component);
  return state == 0 ? NULL : &work->states[state - 1];
}

/* Keeps the places at most half full with one state more. */
static bool grow_places(ecs_World *world) {
  LinkWork *work = &world->links.work;
  uint32_t capacity = work->place_capacity;
  if ((work->state_count + 1) * 2 <= capacity) return true;
  uint32_t more = capacity == 0 ? 64 : capacity * 2;
  uint32_t *places = memory_zeroed(&world->store.memory, more, sizeof *places);
  if (places == NULL) return false;
  memory_free(&world->store.memory, work->places, capacity * sizeof *places);
  work->places = places;
  work->place_capacity = more;
  for (uint32_t i = 0; i < work->state_count; i++)
    *find_place(work, work->states[i].entity, work->states[i].component) =
        i + 1;
  return true;
}

/* The state of a component of an entity, as the store has it where the
 * recording has not touched it yet. ECS_E_MEMORY. The address is valid until
 * the next call. */
static ecs_Status ensure_state(ecs_World *world, ecs_Entity entity,
                               ecs_Component component, LinkState **state) {
  LinkWork *work = &world->links.work;
  *state = find_state(work, entity, component);
  if (*state != NULL) return ECS_OK;
  if (!LINK_HAS_ROOM(world, states, state) || !grow_places(world))
    return ECS_E_MEMORY;
  bool present = component == 0 || world_has(world, entity, component);
  *find_place(work, entity, component) = work->state_count + 1;
  *state = &work->states[work->state_count++];
  **state =
      (LinkState){.entity = entity, .component = component, .present = present};
  return ECS_OK;
}

/* Dead by a command or a rule, at this point of the recording? */
static bool is_dying(const ecs_World *world, ecs_Entity entity) {
  return find_state(&world->links.work, entity, 0) != NULL;
}

/* Links ------------------------------------------------------------------- */

static ecs_Status unlink_all(ecs_World *world, ecs_Entity source,
                             const Component *component) {
  LinkIndex *indices = links_of(&world->links, component);
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < component->link_count; i++)
    status = link_step(world, &indices[i], source, 0);
  return status;
}

/* Deaths ------------------------------------------------------------------ */

/* Has an entity die, and later everything that its death takes along. */
static ecs_Status add_dying(ecs_World *world, ecs_Entity entity) {
  LinkWork *work = &world->links.work;
  LinkState *state = NULL;
  if (is_dying(world, entity)) return ECS_OK;
  if (!LINK_HAS_ROOM(world, dying, dying)) return ECS_E_MEMORY;
  ecs_Status status = ensure_state(world, entity, 0, &state);
  if (status == ECS_OK) work->dying[work->dying_count++] = entity;
  return status;
}

static ecs_Status note_change(ecs_World *world, LinkChange change) {
  LinkWork *work = &world->links.work;
  if (!LINK_HAS_ROOM(world, changes, change)) return ECS_E_MEMORY;
  work->changes[work->change_count++] = change;
  return ECS_OK;
}

/* A rule takes the component of a link away. */
static ecs_Status lose_component(ecs_World *world, ecs_Entity source,
                                 ecs_Component id) {
  LinkState *state = NULL;
  ecs_Status status = ensure_state(world, source, id, &state);
  if (status != ECS_OK) return status;
  state->present = false;
  state->rebuilt = true;
  world->links.work.lost = true;
  status = unlink_all(world, source, &world->store.components.all[id]);
  if (status != ECS_OK) return status;
  return note_change(
      world,
      (LinkChange){.entity = source, .kind = COMMAND_REMOVE, .component = id});
}

/* What becomes of a source of a link that does not destroy, with a dead target,
 * or that is dying itself. */
static ecs_Status follow_rule(ecs_World *world, LinkIndex *index,
                              ecs_Entity source) {
  LinkState *state = NULL;
  if (is_dying(world, source)) return link_step(world, index, source, 0);
  ECS_ASSERT(index->rule != ECS_LINK_DESTROY);
  if (index->rule == ECS_LINK_REMOVE)
    return lose_component(world, source, index->component);
  ecs_Status status = ensure_state(world, source, index->component, &state);
  if (status != ECS_OK) return status;
  state->cleared |= UINT64_C(1) << index->field;
  return link_step(world, index, source, 0);
}

/* Has everything die that a link by the index destroys with an entity. */
static ecs_Status collect_sources(ecs_World *world, const LinkIndex *index,
                                  ecs_Entity entity) {
  ecs_Status status = ECS_OK;
  if (index->rule != ECS_LINK_DESTROY || link_count(index, entity) == 0)
    return ECS_OK;
  uint32_t next = link_node(index, id_index(entity))->first;
  while (status == ECS_OK && next != 0) {
    const LinkNode *node = link_node(index, next);
    status = add_dying(world, node->entity);
    next = node->next;
  }
  return status;
}

/* Takes a dying entity out of one index. */
static ecs_Status leave_index(ecs_World *world, LinkIndex *index,
                              ecs_Entity entity) {
  ecs_Status status = link_step(world, index, entity, 0);
  while (status == ECS_OK && link_count(index, entity) > 0) {
    uint32_t first = link_node(index, id_index(entity))->first;
    status = follow_rule(world, index, link_node(index, first)->entity);
  }
  return status;
}

/* Kills an entity. Everything that dies with it is collected first: so it does
 * not matter which of several links of a component is looked at first. */
static ecs_Status kill(ecs_World *world, ecs_Entity entity) {
  LinkWork *work = &world->links.work;
  const LinkSet *links = &world->links;
  uint32_t first = work->dying_count;
  ecs_Status status = add_dying(world, entity);
  for (uint32_t k = first; status == ECS_OK && k < work->dying_count; k++)
    for (uint32_t i = 0; status == ECS_OK && i < links->count; i++)
      status = collect_sources(world, &links->indices[i], work->dying[k]);
  for (uint32_t k = first; status == ECS_OK && k < work->dying_count; k++)
    for (uint32_t i = 0; status == ECS_OK && i < links->count; i++)
      status = leave_index(world, &links->indices[i], work->dying[k]);
  return status;
}

/* Commands ---------------------------------------------------------------- */

/* Would a link close a circle? When it was recorded it would not; but an add of
 * a component that was there then may link by now, since a rule has taken the
 * component away in between. */
static bool closes_circle(const ecs_World *world, const LinkIndex *index,
                          ecs_Entity source, ecs_Entity target) {
  if (!world->links.work.lost || !index->tree) return false;
  while (target != 0 && target != source) target = link_target(index, target);
  return target != 0;
}

/* Does not make a link that a command says: the field keeps what it has. */
static ecs_Status keep_link(ecs_World *world, const LinkIndex *index,
                            ecs_Entity source) {
  LinkState *state = NULL;
  ecs_Status status = ensure_state(world, source, index->component, &state);
  if (status == ECS_OK) state->cleared |= UINT64_C(1) << index->field;
  return status;
}

/* Links an entity as a command says. */
static ecs_Status link_to(ecs_World *world, LinkIndex *index, ecs_Entity source,
                          ecs_Entity target) {
  bool gone = target != 0 &&
              (is_dying(world, target) || !store_alive(&world->store, target));
  if (!gone && closes_circle(world, index, source, target))
    return keep_link(world, index, source);
  if (!gone) return link_step(world, index, source, target);
  ecs_Status status = link_step(world, index, source, 0);
  if (status != ECS_OK) return status;
  return index->rule == ECS_LINK_DESTROY ? kill(world, source)
                                         : follow_rule(world, index, source);
}

/* Has a rule taken a component away that a command has just made? */
static bool is_lost(const ecs_World *world, ecs_Entity source,
                    const Component *component) {
  const LinkIndex *index = links_of(&world->links, component);
  const LinkState *state =
      find_state(&world->links.work, source, index->component);
  return is_dying(world, source) || !state->present;
}

/* Makes the links of a component as an image has them. */
static ecs_Status link_image(ecs_World *world, ecs_Entity source,
                             const Component *component, const void *image,
                             uint64_t fields) {
  LinkIndex *indices = links_of(&world->links, component);
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < component->link_count; i++) {
    if ((fields >> indices[i].field & 1u) == 0) continue;
    if (is_lost(world, source, component)) break;
    status = link_to(world, &indices[i], source,
                     link_in_image(&indices[i], component, image));
  }
  return status;
}

/* ADD, SET or REMOVE of a component with links. */
static ecs_Status apply_change(ecs_World *world, ecs_Entity entity,
                               const Command *command) {
  const Component *component = &world->store.components.all[command->component];
  LinkState *state = NULL;
  ecs_Status status = ensure_state(world, entity, command->component, &state);
  if (status != ECS_OK) return status;
  bool rebuilt = state->rebuilt, present = state->present;
  state->present = command->kind != COMMAND_REMOVE;
  if (rebuilt)
    status = note_change(world,
                         (LinkChange){entity, command->kind, command->component,
                                      command->image, command->fields});
  if (status != ECS_OK) return status;
  if (command->kind == COMMAND_REMOVE)
    return unlink_all(world, entity, component);
  if (command->kind == COMMAND_ADD && present) return ECS_OK;
  return link_image(world, entity, component, command->image, command->fields);
}

/* A spawn with staged values has components with links, which are nil. */
static ecs_Status apply_spawn(ecs_World *world, ecs_Entity entity,
                              const StagedRow *staged) {
  ecs_Status status = ECS_OK;
  const Bundle *bundle = staged == NULL ? NULL : staged->staged->bundle;
  for (uint32_t i = 0; bundle != NULL && i < bundle->item_count; i++) {
    ecs_Component id = bundle->items[i].component;
    LinkState *state = NULL;
    if (world->store.components.all[id].link_count == 0) continue;
    status = ensure_state(world, entity, id, &state);
    if (status != ECS_OK) return status;
    state->present = true;
  }
  return status;
}

static ecs_Status apply_command(ecs_World *world, ecs_Entity entity,
                                const Command *command) {
  switch (command->kind) {
    case COMMAND_SPAWN: return apply_spawn(world, entity, command->image);
    case COMMAND_DESTROY:
      return is_linked(&world->links, entity) ? kill(world, entity) : ECS_OK;
    default:
      if (world->store.components.all[command->component].link_count == 0)
        return ECS_OK;
      return apply_change(world, entity, command);
  }
}

/* Does a step say anything of links? */
static bool says_links(const ecs_World *world, ChainStep step) {
  CommandKind kind = step_kind(step);
  if (kind == COMMAND_SPAWN) return step_has_image(step);
  return kind == COMMAND_DESTROY ||
         world->store.components.all[step_component(step)].link_count > 0;
}

static uint32_t shape_before_run(const CommandRun *run) {
  return run->previous == NULL ? CHAIN_EMPTY : run->previous->shape;
}

/* Does a run have a command that says anything of links? */
static bool run_says_links(const ecs_World *world, const CommandRun *run) {
  const ChainShape *shapes = world->commands.shapes.shapes;
  uint32_t before = shape_before_run(run);
  for (uint32_t id = run->shape; id != before; id = shapes[id].parent)
    if (says_links(world, shapes[id].step)) return true;
  return false;
}

/* Goes through one run, oldest command first. */
static ecs_Status apply_run(ecs_World *world, const CommandRun *run) {
  const CommandBuffer *buffer = &world->commands;
  LinkWork *work = &world->links.work;
  ecs_Entity entity = buffer->entities[run->entity_position].entity;
  if (!run_says_links(world, run) || is_dying(world, entity)) return ECS_OK;
  uint32_t length = run_length(buffer, run);
  void *commands = work->commands;
  bool room = memory_ensure(&world->store.memory, &commands,
                            &work->command_capacity, length, sizeof(Command));
  work->commands = commands;
  if (!room) return ECS_E_MEMORY;
  CommandWalk walk = {run, run->shape};
  for (uint32_t i = length; i-- > 0;)
    (void)command_walk_back(buffer, &walk, &work->commands[i]);
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < length; i++) {
    if (is_dying(world, entity)) break;
    status = apply_command(world, entity, &work->commands[i]);
  }
  return status;
}

/* What rules add -------------------------------------------------------- */

/* Is an entity dead at the end, by a rule or by a command? */
static bool is_dead(const ecs_World *world, ecs_Entity entity) {
  return is_dying(world, entity) || recorded_destroyed(world, entity);
}

static ecs_Status record_changes(ecs_World *world) {
  const LinkWork *work = &world->links.work;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < work->change_count; i++) {
    const LinkChange *change = &work->changes[i];
    if (is_dead(world, change->entity)) continue;
    status = command_record(&world->commands, (CommandKind)change->kind,
                            change->entity, change->component, change->image,
                            change->fields);
  }
  return status;
}

/* Sets the fields that rules have cleared to what they are now. */
static ecs_Status record_cleared(ecs_World *world, const LinkState *state) {
  const Component *component = &world->store.components.all[state->component];
  const LinkIndex *indices = links_of(&world->links, component);
  uint64_t image[ECS_FIELD_LIMIT];
  memcpy(image, component->schema->default_image,
         component->schema->image_bytes);
  for (uint32_t i = 0; i < component->link_count; i++) {
    ecs_Entity target = link_target(&indices[i], state->entity);
    memcpy((char *)image + component->schema->fields[indices[i].field].offset,
           &target, sizeof target);
  }
  return command_record(&world->commands, COMMAND_SET, state->entity,
                        state->component, image, state->cleared);
}

static ecs_Status record_rules(ecs_World *world) {
  const LinkWork *work = &world->links.work;
  ecs_Status status = record_changes(world);
  for (uint32_t i = 0; status == ECS_OK && i < work->state_count; i++) {
    const LinkState *state = &work->states[i];
    if (state->cleared != 0 && state->present && !is_dead(world, state->entity))
      status = record_cleared(world, state);
  }
  for (uint32_t i = 0; status == ECS_OK && i < work->dying_count; i++)
    if (!recorded_destroyed(world, work->dying[i]))
      status = command_record(&world->commands, COMMAND_DESTROY, work->dying[i],
                              0, NULL, 0);
  return status;
}

/* All of it --------------------------------------------------------------- */

/* Has the recording a command that may concern links? */
static bool concerns_links(const ecs_World *world) {
  const ChainShapes *shapes = &world->commands.shapes;
  bool linked = false, destroys = false;
  for (uint32_t i = 0; i < world->links.count; i++)
    linked = linked || world->links.indices[i].links > 0;
  for (uint32_t id = shapes->used; id != CHAIN_EMPTY;
       id = shapes->shapes[id].next) {
    if (shapes->shapes[id].count == 0) continue;
    for (uint32_t up = id; up != CHAIN_EMPTY; up = shapes->shapes[up].parent) {
      ChainStep step = shapes->shapes[up].step;
      if (step_kind(step) == COMMAND_DESTROY)
        destroys = true;
      else if (says_links(world, step))
        return true;
    }
  }
  return linked && destroys;
}

/* Forgets the states; most recordings have few. */
static void end_work(LinkWork *work) {
  if (work->state_count > 0)
    memset(work->places, 0, work->place_capacity * sizeof(uint32_t));
  work->state_count = work->step_count = 0;
  work->change_count = work->dying_count = 0;
  work->lost = false;
}

ecs_Status link_flush_begin(ecs_World *world) {
  ecs_Status status = ECS_OK;
  bool linked = world->links.made || world_has_links(&world->links);
  command_settle(&world->commands);
  if (world->commands.entity_count == 0 || !linked || !concerns_links(world))
    return ECS_OK;
  RunWalk walk = {0, 0};
  for (const CommandRun *run = command_next_run(&world->commands, &walk);
       status == ECS_OK && run != NULL;
       run = command_next_run(&world->commands, &walk))
    status = apply_run(world, run);
  if (status == ECS_OK) status = record_rules(world);
  if (status != ECS_OK) link_flush_end(world, false);
  return status;
}

void link_flush_end(ecs_World *world, bool applied) {
  if (applied)
    world->links.made = false;
  else
    link_take_back(world);
  end_work(&world->links.work);
}

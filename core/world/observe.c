/* observe.c: what changes mean for observers, found before they are applied. */
#include "world/observe.h"

#include "query/index_set.h"
#include "storage/table_image.h"

/* An entity, and what becomes of it. */
typedef struct Subject {
  ecs_Entity entity;
  const EntityCommands *commands; /* NULL: what the store has stays */
  const NetEffect *effect;        /* of the commands, where a component needs
                                     others; or NULL */
  const Bundle *bundle;           /* of one that is to be born; or NULL */
  bool existed;                   /* it has a row before */
  bool newborn;                   /* but that is being filled in */
  bool lives;                     /* it has one afterwards */
} Subject;

/* What a subject has ------------------------------------------------------ */

static bool has_before(const ecs_World *world, const Subject *subject,
                       ecs_Component component) {
  return subject->existed && world_has(world, subject->entity, component);
}

/* The newest command on the component decides, unless components may be needed by
 * others. */
static bool has_after(const ecs_World *world, const Subject *subject,
                      ecs_Component component) {
  Command command;
  if (!subject->lives) return false;
  if (subject->bundle != NULL) return bundle_has(subject->bundle, component);
  if (subject->commands == NULL)
    return world_has(world, subject->entity, component);
  if (subject->effect != NULL) {
    const ComponentChange *change = net_effect_find(subject->effect, component);
    return change != NULL ? change->present
                          : has_before(world, subject, component);
  }
  CommandWalk walk = command_walk(subject->commands);
  while (command_walk_back(&world->commands, &walk, &command)) {
    if (command.kind == COMMAND_SPAWN) {
      const StagedRow *staged = command.image;
      return staged != NULL && bundle_has(staged->staged->bundle, component);
    }
    if (command.component == component) return command.kind != COMMAND_REMOVE;
  }
  return has_before(world, subject, component);
}

/* May a command of a chain give more than its own component? */
static bool gives_needs(const ecs_World *world,
                        const EntityCommands *commands) {
  const ChainShape *shapes = world->commands.shapes.shapes;
  for (uint32_t id = commands->last->shape; id != CHAIN_EMPTY;
       id = shapes[id].parent) {
    CommandKind kind = step_kind(shapes[id].step);
    if ((kind == COMMAND_ADD || kind == COMMAND_SET) &&
        world->store.components.all[step_component(shapes[id].step)]
                .need_count > 0)
      return true;
  }
  return false;
}

/* Finds the effect of a subject's commands, where it takes more than the newest
 * of them. ECS_E_MEMORY. */
static ecs_Status find_effect(ecs_World *world, Subject *subject) {
  NetEffect *effect = &world->observers.effect;
  if (subject->commands == NULL || !subject->lives ||
      !gives_needs(world, subject->commands))
    return ECS_OK;
  ecs_Status status = net_effect_reserve(effect, &world->commands);
  if (status == ECS_OK)
    status = net_effect_summarize(effect, subject->commands);
  subject->effect = effect;
  return status;
}

/* Does it match the terms, before or after? Of ECS_ANY one term is enough. */
static bool matches(const ecs_World *world, const Observer *observer,
                    const Subject *subject, bool after) {
  bool offered = false, chosen = false;
  if (!(after ? subject->lives : subject->existed)) return false;
  for (uint32_t i = 0; i < observer->term_count; i++) {
    ecs_Term term = observer->terms[i];
    if (!access_asks(term.access)) continue;
    bool has = (after ? has_after : has_before)(world, subject, term.component);
    if (term.access == ECS_ANY) {
      offered = true;
      chosen = chosen || has;
    } else if (has != access_is_there(term.access)) {
      return false;
    }
  }
  return chosen || !offered;
}

static bool is_set(const ecs_World *world, const Subject *subject,
                   ecs_Component component) {
  return observer_set_told(&world->observers, subject->entity, component) !=
             NULL &&
         has_before(world, subject, component) &&
         has_after(world, subject, component);
}

static bool is_newborn(const ecs_World *world, ecs_Entity entity) {
  const ObserverSet *set = &world->observers;
  if (set->born == NULL) return false;
  RowRef row = store_locate_main(&world->store, entity);
  return row.table == set->born && row.row - set->born_first < set->born_count;
}

/* Is an observer to be told of the subject? A newborn one gets components; it has
 * had none. */
static bool is_told(const ecs_World *world, const Observer *observer,
                    const Subject *subject) {
  bool gets =
      observer->occasion == ECS_ON_ADD || observer->occasion == ECS_ON_ENTER;
  if (subject->newborn && !gets) return false;
  switch (observer->occasion) {
    case ECS_ON_ADD:
    case ECS_ON_ENTER:
      return !matches(world, observer, subject, false) &&
             matches(world, observer, subject, true);
    case ECS_ON_REMOVE:
    case ECS_ON_LEAVE:
      return matches(world, observer, subject, false) &&
             !matches(world, observer, subject, true);
    case ECS_ON_SET:
      return is_set(world, subject, observer->terms[0].component);
    default: return subject->existed && !subject->lives;
  }
}

/* Last values ------------------------------------------------------------- */

/* Makes room for commands, as command_list needs it. */
static ecs_Status reserve_commands(ecs_World *world, uint32_t length) {
  ObserverSet *set = &world->observers;
  void *commands = set->commands;
  bool done = memory_ensure(&world->store.memory, &commands,
                            &set->command_capacity, length, sizeof(Command));
  set->commands = commands;
  return done ? ECS_OK : ECS_E_MEMORY;
}

/* Follows a chain's commands on one component, which change its image. Returns
 * whether the entity ever had it. */
static bool follow(const ecs_World *world, const EntityCommands *commands,
                   ecs_Component id, bool present, void *image) {
  const Schema *schema = world->store.components.all[id].schema;
  uint32_t length = command_shape(&world->commands, commands)->length;
  Command *list = world->observers.commands;
  bool ever = present;
  command_list(&world->commands, commands, list);
  for (uint32_t i = 0; i < length; i++) {
    const Command *command = &list[i];
    bool gives = command->kind == COMMAND_ADD || command->kind == COMMAND_SET;
    if (command->component != id || command->kind == COMMAND_DESTROY ||
        command->kind == COMMAND_SPAWN)
      continue;
    if (gives && !present)
      image_store(image, schema, schema->default_image, UINT64_MAX);
    if (command->image != NULL && (command->kind == COMMAND_SET || !present))
      image_store(image, schema, command->image, command->fields);
    present = gives;
    ever = ever || present;
  }
  return ever;
}

/* Writes the last values of a component behind a word that says whether there
 * are any. There is room. */
static void write_image(ecs_World *world, const Subject *subject,
                        ecs_Component id) {
  ObserverSet *set = &world->observers;
  const Component *component = &world->store.components.all[id];
  uint64_t *word = set->words + set->word_count;
  uint32_t words = observer_words(component->schema);
  Table *table = NULL;
  uint32_t row = 0;
  bool present = store_locate_columns(&world->store, component, subject->entity,
                                      &table, &row) == ECS_OK;
  memset(word + 1, 0, words * sizeof *word);
  if (present)
    table_load(table, row, component->bit, component->schema, word + 1);
  if (subject->commands != NULL)
    present = follow(world, subject->commands, id, present, word + 1);
  *word = present;
  set->word_count += 1 + words;
}

/* The images of the terms of a subject that leaves. */
static ecs_Status write_images(ecs_World *world, const Observer *observer,
                               const Subject *subject) {
  ObserverSet *set = &world->observers;
  const Component *components = world->store.components.all;
  uint32_t words = 0;
  void *array = set->words;
  for (uint32_t i = 0; i < observer->term_count; i++) {
    const Schema *schema = components[observer->terms[i].component].schema;
    if (observer_shows(&observer->terms[i], schema))
      words += 1 + observer_words(schema);
  }
  if (words > UINT32_MAX - set->word_count)
    return memory_refuse(&world->store.memory, UINT32_MAX,
                         "words of last values", "a world");
  bool done = memory_grow(&world->store.memory, &array, &set->word_capacity,
                          set->word_count, words, sizeof(uint64_t));
  set->words = array;
  if (!done) return ECS_E_MEMORY;
  for (uint32_t i = 0; i < observer->term_count; i++) {
    ecs_Component id = observer->terms[i].component;
    if (observer_shows(&observer->terms[i], components[id].schema))
      write_image(world, subject, id);
  }
  return ECS_OK;
}

/* Notices ----------------------------------------------------------------- */

static ecs_Status tell(ecs_World *world, const Observer *observer,
                       const Subject *subject) {
  ObserverSet *set = &world->observers;
  bool leaves =
      observer->occasion == ECS_ON_REMOVE || observer->occasion == ECS_ON_LEAVE;
  ecs_Status status = observer_set_reserve(set, &world->store.memory, 1);
  uint32_t image = set->word_count;
  if (status == ECS_OK && leaves && subject->commands != NULL)
    status = reserve_commands(
        world, command_shape(&world->commands, subject->commands)->length);
  if (status == ECS_OK && leaves)
    status = write_images(world, observer, subject);
  if (status != ECS_OK) return status;
  set->notices[set->notice_count++] =
      (Notice){subject->entity, observer->id, image};
  set->waiting++;
  return ECS_OK;
}

/* The bits of the components that a subject may get or lose. */
static uint64_t changed_bits(const ecs_World *world, const Subject *subject) {
  const ChainShape *shapes = world->commands.shapes.shapes;
  uint64_t bits = 0;
  if (!subject->existed || !subject->lives || subject->commands == NULL ||
      subject->effect != NULL)
    return UINT64_MAX;
  for (uint32_t id = subject->commands->last->shape; id != CHAIN_EMPTY;
       id = shapes[id].parent)
    bits |= component_bit(step_component(shapes[id].step));
  return bits;
}

/* Tells all observers of a subject, those of deaths last. */
static ecs_Status tell_all(ecs_World *world, const Subject *subject) {
  const ObserverSet *set = &world->observers;
  uint64_t changed = changed_bits(world, subject);
  uint32_t passes = subject->existed && !subject->lives ? 2 : 1;
  ecs_Status status = ECS_OK;
  for (uint32_t pass = 0; pass < passes; pass++)
    for (uint32_t i = 0; status == ECS_OK && i < set->count; i++) {
      const Observer *observer = &set->observers[i];
      if ((observer->concerns & changed) != 0 &&
          (observer->occasion == ECS_ON_DESTROY) == (pass > 0) &&
          is_told(world, observer, subject))
        status = tell(world, observer, subject);
    }
  return status;
}

void observe_take_back(ecs_World *world, ObserveMark mark) {
  ObserverSet *set = &world->observers;
  ECS_ASSERT(mark.notice_count <= set->notice_count);
  set->waiting -= set->notice_count - mark.notice_count;
  set->notice_count = mark.notice_count;
  set->word_count = mark.word_count;
  for (uint32_t i = 0; i < set->set_count; i++) set->sets[i].done = false;
}

/* A recording ------------------------------------------------------------- */

/* May an observer ask about a command like this? */
static bool concerns(const ecs_World *world, ChainStep step) {
  if (step_kind(step) == COMMAND_DESTROY) return world->observers.asks_deaths;
  if (step_kind(step) == COMMAND_SPAWN)
    return change_state(&world->store)->notices_births || step_has_image(step);
  const Component *component =
      &world->store.components.all[step_component(step)];
  return component->observed || component->observed_sets ||
         component->need_count > 0;
}

/* Marks the shapes in use that concern observers; false: none does. */
static bool mark_shapes(ecs_World *world) {
  ChainShapes *shapes = &world->commands.shapes;
  bool any = false;
  for (uint32_t id = shapes->used; id != CHAIN_EMPTY;
       id = shapes->shapes[id].next) {
    ChainShape *shape = &shapes->shapes[id];
    shape->observed = false;
    if (shape->count == 0) continue;
    (void)chain_shapes_way(shapes, &world->store, id);
    for (uint32_t up = id; up != CHAIN_EMPTY; up = shapes->shapes[up].parent)
      if (concerns(world, shapes->shapes[up].step)) shape->observed = true;
    any = any || (shape->observed && shape->way != WAY_NOTHING);
  }
  return any;
}

static void set_done(ecs_World *world, ecs_Entity entity) {
  ObserverSet *set = &world->observers;
  for (uint32_t i = 0; i < set->count; i++) {
    if (set->observers[i].occasion != ECS_ON_SET) continue;
    ToldSet *told =
        observer_set_told(set, entity, set->observers[i].terms[0].component);
    if (told != NULL) told->done = true;
  }
}

/* Tells of the entities that are applied in one way. Where something was set,
 * each may have been. */
static ecs_Status tell_way(ecs_World *world, ShapeWay way, bool spawned) {
  const CommandBuffer *buffer = &world->commands;
  bool sets = world->observers.set_count > 0;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < buffer->entity_count; i++) {
    const EntityCommands *commands = &buffer->entities[i];
    const ChainShape *shape = command_shape(buffer, commands);
    if (shape->way != way || shape->spawns != spawned) continue;
    if (!shape->observed && !sets) continue;
    Subject subject = {.entity = commands->entity,
                       .commands = commands,
                       .existed = !spawned,
                       .newborn = is_newborn(world, commands->entity),
                       .lives = way != WAY_DEATH};
    status = find_effect(world, &subject);
    if (status == ECS_OK) status = tell_all(world, &subject);
    if (sets) set_done(world, commands->entity);
  }
  return status;
}

/* Tells of one component that was set, of an entity of which nothing else is
 * told. */
static ecs_Status tell_set(ecs_World *world, const ToldSet *told) {
  const ObserverSet *set = &world->observers;
  RowRef row = store_locate_main(&world->store, told->entity);
  Subject subject = {.entity = told->entity,
                     .commands = recorded_commands(world, told->entity),
                     .existed = row.table != NULL,
                     .newborn = is_newborn(world, told->entity),
                     .lives = !recorded_destroyed(world, told->entity)};
  ecs_Status status = find_effect(world, &subject);
  for (uint32_t i = 0; status == ECS_OK && i < set->count; i++) {
    const Observer *observer = &set->observers[i];
    if (observer->occasion == ECS_ON_SET &&
        observer->terms[0].component == told->component &&
        is_told(world, observer, &subject))
      status = tell(world, observer, &subject);
  }
  return status;
}

static ecs_Status tell_sets(ecs_World *world) {
  const ObserverSet *set = &world->observers;
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < set->set_count; i++)
    if (!set->sets[i].done) status = tell_set(world, &set->sets[i]);
  return status;
}

ecs_Status observe_recording(ecs_World *world) {
  ObserveMark mark = observe_mark(world);
  bool any = world->commands.entity_count > 0 &&
             (mark_shapes(world) || world->observers.set_count > 0);
  ecs_Status status = ECS_OK;
  if (any) status = tell_way(world, WAY_BIRTH, true);
  if (any && status == ECS_OK) status = tell_way(world, WAY_CHANGE, true);
  if (any && status == ECS_OK) status = tell_way(world, WAY_CHANGE, false);
  if (status == ECS_OK) status = tell_sets(world);
  if (any && status == ECS_OK) status = tell_way(world, WAY_DEATH, false);
  if (status != ECS_OK) observe_take_back(world, mark);
  return status;
}

/* Without a recording ----------------------------------------------------- */

bool observe_asks_death(const ecs_World *world, ecs_Entity entity) {
  const ObserverSet *set = &world->observers;
  const Subject subject = {.entity = entity,
                           .existed = store_alive(&world->store, entity)};
  if (!set->asks_deaths) return false;
  for (uint32_t i = 0; i < set->count; i++)
    if (is_told(world, &set->observers[i], &subject)) return true;
  return false;
}

uint64_t observe_count_births(const ecs_World *world, const Bundle *bundle) {
  const Subject subject = {.bundle = bundle, .lives = true};
  uint64_t observers = 0;
  for (uint32_t i = 0; bundle->noticed && i < world->observers.count; i++)
    observers += is_told(world, &world->observers.observers[i], &subject);
  return observers;
}

ecs_Status observe_reserve_births(ecs_World *world, const Bundle *bundle,
                                  uint64_t count) {
  return observer_set_reserve(&world->observers, &world->store.memory,
                              observe_count_births(world, bundle) * count);
}

void observe_births(ecs_World *world, const ecs_Entity *entities,
                    uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const Subject subject = {.entity = entities[i], .lives = true};
    ecs_Status status = tell_all(world, &subject);
    ECS_ASSERT(status == ECS_OK);
    (void)status;
  }
}

void observe_open_births(ecs_World *world, const Bundle *bundle,
                         uint32_t count) {
  ObserverSet *set = &world->observers;
  uint32_t told = set->notice_count;
  if (set->count == 0 || count == 0) return;
  set->born = bundle->groups[0].table;
  set->born_first = bundle->first_rows[0];
  set->born_count = count;
  if (bundle->noticed)
    observe_births(world, set->born->entities + set->born_first, count);
  set->born_notices = set->notice_count - told;
}

void observe_settle_births(ecs_World *world, ObserveMark mark) {
  ObserverSet *set = &world->observers;
  uint32_t waited = set->waiting - (set->notice_count - mark.notice_count);
  uint32_t births = set->born_notices < waited ? set->born_notices : waited;
  for (uint32_t i = mark.notice_count - births; i < mark.notice_count; i++) {
    Notice *notice = &set->notices[i];
    const Observer *observer = observer_set_find(set, notice->observer);
    const Subject subject = {
        .entity = notice->entity,
        .lives = store_alive(&world->store, notice->entity)};
    if (observer != NULL && !matches(world, observer, &subject, true))
      notice->observer = 0; /* of none */
  }
}

ecs_Status observe_death(ecs_World *world, ecs_Entity entity) {
  const Subject subject = {.entity = entity, .existed = true};
  return tell_all(world, &subject);
}

ecs_Status observe_clear(ecs_World *world) {
  const EntityIndex *index = &world->store.index;
  ObserveMark mark = observe_mark(world);
  ecs_Status status = ECS_OK;
  if (!world->observers.asks_deaths) return ECS_OK;
  for (uint32_t i = 1; status == ECS_OK && i < index->used; i++) {
    if (slot_state(*entity_index_slot(index, i)) != SLOT_PLACED) continue;
    status = observe_death(world, entity_of_index(&world->store, i));
  }
  if (status != ECS_OK) observe_take_back(world, mark);
  return status;
}

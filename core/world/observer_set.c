/* observer_set.c: the observers of a world's changes, and what they are to be
 * told. */
#include "world/observer_set.h"

#include "change/command_buffer.h"

/* Registration ------------------------------------------------------------ */

static void free_terms(Observer *observer, Memory *memory) {
  memory_free(memory, observer->terms, observer->term_count * sizeof(ecs_Term));
}

static void free_scratch(ObserverSet *set, Memory *memory) {
  memory_free(memory, set->notices, set->notice_capacity * sizeof(Notice));
  memory_free(memory, set->words, set->word_capacity * sizeof(uint64_t));
  memory_free(memory, set->sets, set->set_capacity * sizeof(ToldSet));
  memory_free(memory, set->places, set->place_capacity * sizeof(uint32_t));
  memory_free(memory, set->commands, set->command_capacity * sizeof(Command));
  net_effect_deinit(&set->effect, memory);
}

void observer_set_deinit(ObserverSet *set, Memory *memory) {
  for (uint32_t i = 0; i < set->count; i++)
    free_terms(&set->observers[i], memory);
  memory_free(memory, set->observers, set->capacity * sizeof(Observer));
  memory_free(memory, (void *)set->images,
              set->image_capacity * sizeof(void *));
  free_scratch(set, memory);
  *set = (ObserverSet){0};
}

/* The room for images stays: it is made with the observers, not with what they
 * are told. */
void observer_set_trim(ObserverSet *set, Memory *memory) {
  ECS_ASSERT(set->set_count == 0);
  if (set->notice_count > 0) return;
  free_scratch(set, memory);
  set->notices = NULL;
  set->words = NULL;
  set->sets = NULL;
  set->places = NULL;
  set->commands = NULL;
  set->effect = (NetEffect){0};
  set->notice_capacity = set->word_capacity = 0;
  set->set_capacity = set->place_capacity = set->command_capacity = 0;
}

/* Begins or ceases to notice that a component is set. */
static void guard(Component *component, bool sets) {
  component->guards += (uint32_t)sets - (uint32_t)component->observed_sets;
  component->observed_sets = sets;
}

/* Adds what one observer asks for to the flags of its components. */
static void ask(ObserverSet *set, Store *store, const Observer *observer) {
  ecs_Occasion occasion = observer->occasion;
  bool all = occasion == ECS_ON_ENTER;
  for (uint32_t i = 0; i < observer->term_count; i++) {
    Component *component = &store->components.all[observer->terms[i].component];
    ecs_Access access = observer->terms[i].access;
    if (access_asks(access) && access != ECS_WITHOUT) all = false;
    if (!access_asks(access)) continue;
    if (occasion != ECS_ON_SET)
      component->observed = component->noticed = true;
    else if (!component->observed_sets)
      guard(component, true);
  }
  if (all) change_state(store)->notices_births = true;
  if (occasion == ECS_ON_REMOVE || occasion == ECS_ON_LEAVE ||
      occasion == ECS_ON_DESTROY)
    set->asks_deaths = true;
}

/* Writes the flags of all components and bundles anew. */
static void choose_all(ObserverSet *set, Store *store) {
  set->asks_deaths = change_state(store)->notices_births = false;
  for (uint32_t id = 1; id < store->components.count; id++) {
    Component *component = &store->components.all[id];
    guard(component, false);
    component->observed = false;
    component->noticed = component_reaches(component);
  }
  for (uint32_t i = 0; i < set->count; i++) ask(set, store, &set->observers[i]);
  bundle_choose_all(store);
}

static ecs_Status reserve_observer(ObserverSet *set, Memory *memory,
                                   uint32_t terms) {
  void *observers = set->observers, *images = (void *)set->images;
  if (set->count >= ECS_OBSERVER_LIMIT || set->last_id == UINT32_MAX)
    return memory_refuse(memory, ECS_OBSERVER_LIMIT, "observers", "a world");
  bool done = memory_grow(memory, &observers, &set->capacity, set->count, 1,
                          sizeof(Observer)) &&
              memory_ensure(memory, &images, &set->image_capacity, terms,
                            sizeof(void *));
  set->observers = observers;
  set->images = images;
  return done ? ECS_OK : ECS_E_MEMORY;
}

/* The bits of the components that an observer of these terms asks about. */
static uint64_t concerns_of(ecs_Occasion occasion, const ecs_Term *terms,
                            uint32_t count) {
  uint64_t bits = 0;
  if (occasion == ECS_ON_SET) return UINT64_MAX;
  for (uint32_t i = 0; i < count; i++)
    if (access_asks(terms[i].access)) bits |= component_bit(terms[i].component);
  return bits != 0 ? bits : UINT64_MAX;
}

ecs_Status observer_set_add(ObserverSet *set, Store *store,
                            ecs_Occasion occasion, const ecs_Term *terms,
                            uint32_t count, ecs_Observer *id) {
  Memory *memory = &store->memory;
  ecs_Status status = reserve_observer(set, memory, count);
  if (status != ECS_OK) return status;
  ecs_Term *copies = memory_zeroed(memory, count, sizeof(ecs_Term));
  if (copies == NULL && count > 0) return ECS_E_MEMORY;
  if (count > 0) memcpy(copies, terms, count * sizeof(ecs_Term));
  *id = ++set->last_id;
  set->observers[set->count++] = (Observer){
      *id, occasion, copies, count, concerns_of(occasion, terms, count)};
  choose_all(set, store);
  return ECS_OK;
}

const Observer *observer_set_find(const ObserverSet *set, ecs_Observer id) {
  uint32_t first = 0, behind = set->count;
  while (first < behind) {
    uint32_t middle = first + (behind - first) / 2;
    if (set->observers[middle].id == id) return &set->observers[middle];
    if (set->observers[middle].id < id)
      first = middle + 1;
    else
      behind = middle;
  }
  return NULL;
}

void observer_set_remove(ObserverSet *set, Store *store, ecs_Observer id) {
  const Observer *found = observer_set_find(set, id);
  if (found == NULL) return;
  uint32_t i = (uint32_t)(found - set->observers);
  free_terms(&set->observers[i], &store->memory);
  set->count--;
  memmove(&set->observers[i], &set->observers[i + 1],
          (set->count - i) * sizeof(Observer));
  choose_all(set, store);
}

/* Notices ----------------------------------------------------------------- */

ecs_Status observer_set_reserve(ObserverSet *set, Memory *memory,
                                uint64_t count) {
  void *notices = set->notices;
  if (count > ECS_NOTICE_LIMIT - set->notice_count)
    return memory_refuse(memory, ECS_NOTICE_LIMIT, "notices of observers",
                         "a world");
  bool done = memory_grow(memory, &notices, &set->notice_capacity,
                          set->notice_count, (uint32_t)count, sizeof(Notice));
  set->notices = notices;
  return done ? ECS_OK : ECS_E_MEMORY;
}

/* Forgets the notices of the round before, and moves the others to the front.
 * Images stay while any notice is left. */
void observer_set_begin(ObserverSet *set) {
  uint32_t first = set->notice_count - set->waiting;
  if (set->waiting == 0) {
    observer_set_drop(set);
    return;
  }
  if (first > 0)
    memmove(set->notices, set->notices + first, set->waiting * sizeof(Notice));
  set->notice_count = set->round_end = set->waiting;
  set->next = set->waiting = 0;
}

/* Shows where the images of a notice are; returns their number. */
static uint32_t show_images(ObserverSet *set, const Store *store,
                            const Observer *observer, const Notice *notice) {
  const uint64_t *word = set->words + notice->image;
  uint32_t count = 0;
  if (observer->occasion != ECS_ON_REMOVE && observer->occasion != ECS_ON_LEAVE)
    return 0;
  for (uint32_t i = 0; i < observer->term_count; i++) {
    const Schema *schema =
        store->components.all[observer->terms[i].component].schema;
    if (!observer_shows(&observer->terms[i], schema)) continue;
    ECS_ASSERT(count < set->image_capacity);
    set->images[count++] = *word != 0 ? word + 1 : NULL;
    word += 1 + observer_words(schema);
  }
  ECS_ASSERT(word <= set->words + set->word_count);
  return count;
}

bool observer_set_next(ObserverSet *set, const Store *store,
                       ecs_Notice *notice) {
  while (set->next < set->round_end) {
    const Notice *found = &set->notices[set->next++];
    const Observer *observer = observer_set_find(set, found->observer);
    if (observer == NULL) continue;
    uint32_t count = show_images(set, store, observer, found);
    *notice = (ecs_Notice){found->observer, found->entity,
                           count > 0 ? set->images : NULL, count};
    return true;
  }
  return false;
}

/* Sets -------------------------------------------------------------------- */

/* The place of a set, or where it would be. */
static uint32_t *find_place(const ObserverSet *set, ecs_Entity entity,
                            ecs_Component component) {
  uint64_t key = (entity + component) * UINT64_C(0x9e3779b97f4a7c15);
  uint32_t last = set->place_capacity - 1;
  uint32_t place = (uint32_t)(key >> 32) & last;
  for (; set->places[place] != 0; place = (place + 1) & last) {
    const ToldSet *told = &set->sets[set->places[place] - 1];
    if (told->entity == entity && told->component == component) break;
  }
  return &set->places[place];
}

static void place_all(ObserverSet *set) {
  for (uint32_t i = 0; i < set->set_count; i++)
    *find_place(set, set->sets[i].entity, set->sets[i].component) = i + 1;
}

/* The places stay at most half full. */
ecs_Status observer_set_reserve_told(ObserverSet *set, Memory *memory) {
  void *sets = set->sets;
  uint32_t capacity = set->place_capacity;
  bool done = memory_grow(memory, &sets, &set->set_capacity, set->set_count, 1,
                          sizeof(ToldSet));
  set->sets = sets;
  if (!done) return ECS_E_MEMORY;
  if ((set->set_count + 1) * 2 <= capacity) return ECS_OK;
  uint32_t more = capacity == 0 ? 8 : capacity * 2;
  uint32_t *places = memory_zeroed(memory, more, sizeof *places);
  if (places == NULL) return ECS_E_MEMORY;
  memory_free(memory, set->places, capacity * sizeof *places);
  set->places = places;
  set->place_capacity = more;
  place_all(set);
  return ECS_OK;
}

void observer_set_tell(ObserverSet *set, ecs_Entity entity,
                       ecs_Component component) {
  uint32_t *place = find_place(set, entity, component);
  if (*place != 0) return;
  ECS_ASSERT(set->set_count < set->set_capacity);
  set->sets[set->set_count++] = (ToldSet){entity, component, false};
  *place = set->set_count;
}

ToldSet *observer_set_told(const ObserverSet *set, ecs_Entity entity,
                           ecs_Component component) {
  if (set->set_count == 0) return NULL;
  uint32_t place = *find_place(set, entity, component);
  return place == 0 ? NULL : &set->sets[place - 1];
}

void observer_set_rewind(ObserverSet *set, uint32_t count) {
  ECS_ASSERT(count <= set->set_count);
  if (count == set->set_count) return;
  set->set_count = count;
  memset(set->places, 0, set->place_capacity * sizeof(uint32_t));
  place_all(set);
}

/* Checks ------------------------------------------------------------------ */

static bool check_ids(const ObserverSet *set) {
  for (uint32_t i = 0; i < set->count; i++) {
    if (set->observers[i].id > set->last_id) return false;
    if (i > 0 && set->observers[i - 1].id >= set->observers[i].id) return false;
  }
  return true;
}

/* Is a component observed: does it come or go, or is it set? */
static bool is_asked(const ObserverSet *set, ecs_Component component,
                     bool sets) {
  for (uint32_t i = 0; i < set->count; i++) {
    const Observer *observer = &set->observers[i];
    if ((observer->occasion == ECS_ON_SET) != sets) continue;
    for (uint32_t k = 0; k < observer->term_count; k++)
      if (observer->terms[k].component == component &&
          access_asks(observer->terms[k].access))
        return true;
  }
  return false;
}

static bool check_flags(const ObserverSet *set, const Component *component,
                        ecs_Component id) {
  return component->observed == is_asked(set, id, false) &&
         component->observed_sets == is_asked(set, id, true) &&
         component->noticed ==
             (component->observed || component_reaches(component)) &&
         component->guards >= component->link_count + component->observed_sets;
}

bool observer_set_check_invariants(const ObserverSet *set, const Store *store) {
  if (!check_ids(set)) return false;
  if (set->next > set->round_end) return false;
  if (set->round_end + set->waiting != set->notice_count) return false;
  for (uint32_t i = 0; i < set->set_count; i++)
    if (*find_place(set, set->sets[i].entity, set->sets[i].component) != i + 1)
      return false;
  for (uint32_t id = 1; id < store->components.count; id++)
    if (!check_flags(set, &store->components.all[id], id)) return false;
  return true;
}

/* regroup.c: changes which components are stored together, with their data. */
#include "change/regroup.h"

#include "change/group_fill.h"
#include "storage/group_lists.h"
#include "storage/store_check.h"

/* The layout that is being built. */
typedef struct Regroup {
  Store *store;
  Group **fresh; /* owned; by group id; NULL: the group stays as it is */
  uint32_t fresh_count;
  uint32_t *target; /* owned; by component: id of the group it will belong to */
  bool *bits;       /* owned; by component: will it be stored as bits? */
} Regroup;

static void regroup_deinit(Regroup *regroup) {
  Memory *memory = &regroup->store->memory;
  if (regroup->fresh != NULL) {
    for (uint32_t i = 0; i < regroup->fresh_count; i++)
      group_destroy(regroup->fresh[i], memory);
    memory_free(memory, regroup->fresh, regroup->fresh_count * sizeof(Group *));
  }
  memory_free(memory, regroup->target,
              regroup->store->components.count * sizeof(uint32_t));
  memory_free(memory, regroup->bits,
              regroup->store->components.count * sizeof(bool));
}

/* Choosing -------------------------------------------------------------- */

/* The id of the group other than the main one that has exactly these
 * components; 0: there is none. */
static uint32_t find_group(const Store *store, const ecs_Component *components,
                           uint32_t count) {
  if (count == 0) return 0;
  uint32_t group = store->components.all[components[0]].group_id;
  for (uint32_t i = 1; i < count; i++)
    if (store->components.all[components[i]].group_id != group) return 0;
  return store->groups.all[group]->component_count == count ? group : 0;
}

/* The id of the first group other than the main one that will have no
 * components but the chosen ones; otherwise of a new group. */
static uint32_t choose_target(const Regroup *regroup) {
  const Store *store = regroup->store;
  for (uint32_t i = 1; i < regroup->fresh_count; i++) {
    bool empty = true;
    for (uint32_t k = 1; empty && k < store->components.count; k++)
      empty = regroup->target[k] != i;
    if (empty) return i;
  }
  return regroup->fresh_count;
}

/* Begins with every component where it is, and room for so many new groups. */
static ecs_Status begin(Regroup *regroup, uint32_t new_groups) {
  Store *store = regroup->store;
  Memory *memory = &store->memory;
  regroup->fresh_count = store->groups.count + new_groups;
  regroup->target =
      memory_zeroed(memory, store->components.count, sizeof(uint32_t));
  regroup->fresh = memory_zeroed(memory, regroup->fresh_count, sizeof(Group *));
  regroup->bits = memory_zeroed(memory, store->components.count, sizeof(bool));
  if (regroup->target == NULL || regroup->fresh == NULL ||
      regroup->bits == NULL)
    return ECS_E_MEMORY;
  for (uint32_t i = 1; i < store->components.count; i++) {
    regroup->target[i] = store->components.all[i].group_id;
    regroup->bits[i] = component_is_bits(&store->components.all[i]);
  }
  return ECS_OK;
}

static ecs_Status choose(Regroup *regroup, const ecs_Component *components,
                         uint32_t count, RegroupTo to) {
  Store *store = regroup->store;
  Memory *memory = &store->memory;
  bool to_main = to != REGROUP_TO_GROUP;
  ecs_Status status = begin(regroup, 1);
  if (status != ECS_OK) return status;
  for (uint32_t i = 0; i < count; i++)
    regroup->target[components[i]] = UINT32_MAX;
  /* A group that exists stays as it is, whatever groups are empty: the order of
   * its rows must not depend on what was stored together before. */
  uint32_t chosen = to_main ? 0 : find_group(store, components, count);
  if (chosen == 0 && !to_main) chosen = choose_target(regroup);
  for (uint32_t i = 0; i < count; i++) {
    regroup->target[components[i]] = chosen;
    if (to_main || count == 1)
      regroup->bits[components[i]] = to == REGROUP_TO_BITS;
  }
  if (chosen < ECS_GROUP_LIMIT) return ECS_OK;
  return memory_refuse(memory, ECS_GROUP_LIMIT, "groups", "a world");
}

/* Lists the components with a label, from the first of them on. */
static uint32_t list_label(const Store *store, const uint32_t *labels,
                           ecs_Component first, ecs_Component *list) {
  uint32_t count = 0;
  for (ecs_Component i = first; i < store->components.count; i++)
    if (labels[i] == labels[first]) list[count++] = i;
  return count;
}

/* Gives each label that is left a group: exact: the one that has these
 * components already; otherwise one that will be free. */
static void choose_groups(Regroup *regroup, const uint32_t *labels,
                          ecs_Component *list, bool exact) {
  const Store *store = regroup->store;
  for (ecs_Component i = 1; i < store->components.count; i++) {
    if (regroup->target[i] != UINT32_MAX) continue;
    uint32_t count = list_label(store, labels, i, list);
    uint32_t chosen =
        exact ? find_group(store, list, count) : choose_target(regroup);
    for (uint32_t k = 0; chosen > 0 && k < count; k++)
      regroup->target[list[k]] = chosen;
  }
}

/* The number of labels that are not of the main group. */
static uint32_t count_labels(const Store *store, const uint32_t *labels) {
  uint32_t count = 0;
  for (ecs_Component i = 1; i < store->components.count; i++) {
    if (labels[i] <= REGROUP_BITS || labels[i] == REGROUP_STAYS) continue;
    bool first = true;
    for (ecs_Component k = 1; first && k < i; k++)
      first = labels[k] != labels[i];
    count += first;
  }
  return count;
}

/* The number of groups up to the last one that will have components. */
static uint32_t count_targets(const Regroup *regroup) {
  uint32_t last = 0;
  for (uint32_t i = 1; i < regroup->store->components.count; i++)
    if (regroup->target[i] > last) last = regroup->target[i];
  return last + 1;
}

static ecs_Status choose_all(Regroup *regroup, const uint32_t *labels) {
  Store *store = regroup->store;
  Memory *memory = &store->memory;
  uint32_t total = store->components.count;
  ecs_Component *list = memory_zeroed(memory, total, sizeof(ecs_Component));
  if (list == NULL) return ECS_E_MEMORY;
  ecs_Status status = begin(regroup, count_labels(store, labels));
  for (uint32_t i = 1; status == ECS_OK && i < total; i++) {
    if (labels[i] == REGROUP_STAYS) continue;
    regroup->target[i] = labels[i] <= REGROUP_BITS ? 0 : UINT32_MAX;
    regroup->bits[i] = labels[i] == REGROUP_BITS;
  }
  if (status == ECS_OK) choose_groups(regroup, labels, list, true);
  if (status == ECS_OK) choose_groups(regroup, labels, list, false);
  memory_free(memory, list, total * sizeof(ecs_Component));
  if (status != ECS_OK || count_targets(regroup) <= ECS_GROUP_LIMIT)
    return status;
  return memory_refuse(memory, ECS_GROUP_LIMIT, "groups", "a world");
}

/* Will the group be one component with columns or a tag, and so one table? Then
 * a narrow locator serves it. */
static bool will_be_narrow(const Regroup *regroup, uint32_t group) {
  uint32_t members = 0;
  bool bits = false;
  for (uint32_t i = 1; i < regroup->store->components.count; i++) {
    if (regroup->target[i] != group) continue;
    members++;
    bits = bits || regroup->bits[i];
  }
  return group != 0 && members == 1 && !bits;
}

static bool gives_or_takes(const Regroup *regroup, uint32_t group) {
  for (uint32_t i = 1; i < regroup->store->components.count; i++) {
    const Component *component = &regroup->store->components.all[i];
    bool was = component->group_id == group;
    if (was != (regroup->target[i] == group)) return true;
    if (was && component_is_bits(component) != regroup->bits[i]) return true;
  }
  return false;
}

static ecs_Status create_group(Regroup *regroup, uint32_t id) {
  Store *store = regroup->store;
  Memory *memory = &store->memory;
  Group *group = group_create(memory, id, will_be_narrow(regroup, id));
  Table *empty = NULL;
  if (group == NULL) return ECS_E_MEMORY;
  regroup->fresh[id] = group;
  store_list_group(store, group);
  for (uint32_t i = 1; i < store->components.count; i++) {
    if (regroup->target[i] != id) continue;
    ecs_Status status = group_add_component(
        group, memory, i, store->components.all[i].schema, regroup->bits[i]);
    if (status != ECS_OK) return status;
  }
  /* Versions only grow, also across an exchange. */
  if (id < store->groups.count) group->version = store->groups.all[id]->version;
  return id == 0 ? group_ensure_table(group, memory, (Mask){0}, &empty)
                 : ECS_OK;
}

static ecs_Status create_groups(Regroup *regroup) {
  for (uint32_t i = 0; i < regroup->fresh_count; i++) {
    if (!gives_or_takes(regroup, i)) continue;
    ecs_Status status = create_group(regroup, i);
    if (status != ECS_OK) return status;
  }
  return ECS_OK;
}

static ecs_Status fill_groups(const Regroup *regroup) {
  ecs_Status status = ECS_OK;
  for (uint32_t i = 0; status == ECS_OK && i < regroup->fresh_count; i++)
    if (regroup->fresh[i] != NULL)
      status = group_fill(regroup->store, regroup->fresh[i]);
  return status;
}

/* Exchanging ------------------------------------------------------------ */

static ecs_Status reserve_exchange(Regroup *regroup) {
  Store *store = regroup->store;
  void *groups = store->groups.all;
  uint32_t added = regroup->fresh_count - store->groups.count;
  if (added == 0) return ECS_OK;
  if (!memory_grow(&store->memory, &groups, &store->groups.capacity,
                   store->groups.count, added, sizeof(Group *)))
    return ECS_E_MEMORY;
  store->groups.all = groups;
  return ECS_OK;
}

/* Records where the entities of a new group are. */
static void place_all(Store *store, const Group *group) {
  for (uint32_t i = 0; i < group->table_count; i++) {
    const Table *table = group->tables[i];
    for (uint32_t row = 0; row < table->count; row++) {
      uint32_t index = id_index(table->entities[row]);
      if (group->id == 0)
        entity_index_move(&store->index, index, table->id, row);
      else
        entity_index_slot(&store->index, index)->table_bits |= group->summary;
    }
  }
}

static void exchange(Regroup *regroup) {
  Store *store = regroup->store;
  bool changed = false;
  for (uint32_t i = 0; i < regroup->fresh_count; i++) {
    Group *group = regroup->fresh[i];
    if (group == NULL) continue;
    ECS_ASSERT(group->id == i && i <= store->groups.count);
    changed = true;
    regroup->fresh[i] = NULL;
    if (i == store->groups.count)
      store->groups.count++;
    else
      group_destroy(store->groups.all[i], &store->memory);
    store->groups.all[i] = group;
    store->groups.main = store->groups.all[0];
    for (uint32_t bit = 0; bit < group->component_count; bit++) {
      ecs_Component component = group->components[bit].component;
      component_place(&store->components.all[component], store->ways, group,
                      bit);
    }
    place_all(store, group);
    note_all(store, group);
  }
  if (changed) group_lists_remake(store);
  if (changed) store_touch_layout(store);
#ifdef ECS_TINY
  ECS_ASSERT(store_check_invariants(store));
#endif
}

/* Where targets are chosen, or choosing them has failed. */
static ecs_Status carry_out(Regroup *regroup, ecs_Status status) {
  if (status == ECS_OK) status = create_groups(regroup);
  if (status == ECS_OK) status = fill_groups(regroup);
  if (status == ECS_OK) status = reserve_exchange(regroup);
  if (status == ECS_OK) exchange(regroup);
  regroup_deinit(regroup);
  return status;
}

ecs_Status store_regroup(Store *store, const ecs_Component *components,
                         uint32_t count, RegroupTo to) {
  Regroup regroup = {.store = store};
  return carry_out(&regroup, choose(&regroup, components, count, to));
}

ecs_Status store_partition(Store *store, const uint32_t *labels) {
  Regroup regroup = {.store = store};
  return carry_out(&regroup, choose_all(&regroup, labels));
}

/* oracle.c: a slow and obvious model of a world.
 *
 * Every rule of ecs.h is written once, as plainly as possible, if need be as a
 * loop over everything. Invariant: an index has at most one entity that is
 * present or staged, the newest one.
 *
 * Cost: a look-up is one step; an issued handle is compared with all before.
 */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

/* Growth by doubling; the count of new elements is always one. */
static void *grow(void *array, uint32_t count, uint32_t *capacity,
                  size_t element_bytes) {
  if (count < *capacity) return array;
  *capacity = *capacity == 0 ? 64 : *capacity * 2;
  array = realloc(array, *capacity * element_bytes);
  if (array == NULL) abort();
  return array;
}

void oracle_init(Oracle *oracle) { memset(oracle, 0, sizeof *oracle); }

void oracle_deinit(Oracle *oracle) {
  free(oracle->entities);
  free(oracle->by_index);
  free(oracle->changes);
  memset(oracle, 0, sizeof *oracle);
}

/* Definitions ------------------------------------------------------------- */

ecs_Component oracle_component(Oracle *oracle, const ecs_Field *fields,
                               uint32_t field_count) {
  oracle->components[++oracle->component_count] =
      value_component(fields, field_count);
  return oracle->component_count;
}

/* Reading ----------------------------------------------------------------- */

static uint32_t index_of(ecs_Entity handle) {
  return (uint32_t)(handle & 0xfffffffu);
}

OracleEntity *oracle_find(const Oracle *oracle, ecs_Entity handle) {
  const uint32_t index = index_of(handle);
  if (index >= oracle->index_capacity || oracle->by_index[index] == 0)
    return NULL;
  OracleEntity *entity = &oracle->entities[oracle->by_index[index] - 1];
  return entity->handle == handle ? entity : NULL;
}

static bool is_alive(const OracleEntity *entity) {
  return entity != NULL && (entity->present || entity->staged) &&
         !entity->doomed;
}

bool oracle_alive(const Oracle *oracle, ecs_Entity handle) {
  return is_alive(oracle_find(oracle, handle));
}

bool oracle_deferring(const Oracle *oracle) { return oracle->scope_count > 0; }

static uint64_t recorded_unnamed(const Oracle *oracle) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < oracle->change_count; i++) {
    if (oracle->changes[i].kind == ORACLE_UNNAMED)
      count += oracle->changes[i].count;
  }
  return count;
}

uint32_t oracle_held_count(const Oracle *oracle) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < oracle->entity_count; i++) {
    const OracleEntity *entity = &oracle->entities[i];
    count += entity->present || entity->staged;
  }
  return count + (uint32_t)recorded_unnamed(oracle);
}

uint32_t oracle_components_of(const Oracle *oracle, ecs_Entity handle,
                              ecs_Component *components) {
  const OracleEntity *entity = oracle_find(oracle, handle);
  uint32_t count = 0;
  if (entity == NULL || !entity->present) return 0;
  for (ecs_Component c = 1; c <= oracle->component_count; c++) {
    if (entity->has[c]) components[count++] = c;
  }
  return count;
}

/* While a cursor writes the component, every read of it is refused, even of an
 * entity that lacks it. Records do not show: a doomed entity has its values as
 * before, a staged one has no components. */
ecs_Status oracle_get(const Oracle *oracle, ecs_Entity handle,
                      ecs_Component component, const double **values) {
  const OracleEntity *entity = oracle_find(oracle, handle);
  if (component == 0 || component > oracle->component_count ||
      oracle->components[component].field_count == 0)
    return ECS_E_COMPONENT;
  for (uint32_t s = 0; s < oracle->scope_count; s++) {
    if (oracle->scopes[s].writes >> component & 1) return ECS_E_ACCESS;
  }
  if (entity != NULL && entity->present) {
    *values = entity->values[component];
    return entity->has[component] ? ECS_OK : ECS_E_ABSENT;
  }
  return is_alive(entity) ? ECS_E_ABSENT : ECS_E_DEAD;
}

bool oracle_has(const Oracle *oracle, ecs_Entity handle,
                ecs_Component component) {
  const OracleEntity *entity = oracle_find(oracle, handle);
  return entity != NULL && entity->present &&
         component <= oracle->component_count && entity->has[component];
}

bool oracle_matches(const OracleEntity *entity, const ecs_Term *terms,
                    uint32_t count) {
  bool chooses = false, offered = false;
  if (!entity->present) return false;
  for (uint32_t t = 0; t < count; t++) {
    const bool has = entity->has[terms[t].component];
    if (terms[t].access == ECS_OPTIONAL) continue;
    if (terms[t].access == ECS_ANY) {
      chooses = true;
      offered = offered || has;
    } else if (has == (terms[t].access == ECS_WITHOUT)) {
      return false;
    }
  }
  return offered || !chooses;
}

/* Changes at once --------------------------------------------------------- */

static void give(Oracle *oracle, OracleEntity *entity, ecs_Component component,
                 const double *values, bool needs) {
  const OracleComponent *schema = &oracle->components[component];
  if (entity->has[component]) return;
  entity->has[component] = true;
  for (uint32_t f = 0; f < schema->field_count; f++) {
    entity->values[component][f] =
        values != NULL ? values[f] : schema->defaults[f];
  }
  for (ecs_Component c = 1; needs && c <= oracle->component_count; c++)
    if (oracle->needs[component] >> c & 1) give(oracle, entity, c, NULL, true);
}

static void assign(Oracle *oracle, OracleEntity *entity,
                   ecs_Component component, const double *values,
                   uint64_t fields) {
  give(oracle, entity, component, NULL, true);
  for (uint32_t f = 0; f < oracle->components[component].field_count; f++) {
    if (fields >> f & 1) entity->values[component][f] = values[f];
  }
}

static void end_life(OracleEntity *entity) {
  entity->present = entity->staged = entity->doomed = false;
  memset(entity->has, 0, sizeof entity->has);
}

static void carry_out(Oracle *oracle, const OracleChange *change) {
  OracleEntity *entity = oracle_find(oracle, change->entity);
  switch (change->kind) {
    case ORACLE_SPAWN:
      entity->staged = false;
      entity->present = true;
      break;
    case ORACLE_DESTROY: end_life(entity); break;
    case ORACLE_ADD:
      give(oracle, entity, change->component, change->values, !change->part);
      break;
    case ORACLE_REMOVE: entity->has[change->component] = false; break;
    case ORACLE_SET:
      assign(oracle, entity, change->component, change->values, change->fields);
      break;
    case ORACLE_UNNAMED: break;
  }
}

/* Changes, at once or recorded -------------------------------------------- */

static OracleChange *record(Oracle *oracle, OracleChangeKind kind,
                            ecs_Entity entity, ecs_Component component) {
  oracle->changes = grow(oracle->changes, oracle->change_count,
                         &oracle->change_capacity, sizeof *oracle->changes);
  OracleChange *change = &oracle->changes[oracle->change_count++];
  memset(change, 0, sizeof *change);
  change->kind = kind;
  change->entity = entity;
  change->component = component;
  return change;
}

/* Carries a change out, or leaves it in the list for later. Outside of a
 * scope the list is empty but for unnamed spawns that wait to be claimed. */
static void settle(Oracle *oracle, const OracleChange *change) {
  if (oracle_deferring(oracle)) return;
  const OracleChange now = *change;
  oracle->change_count--;
  carry_out(oracle, &now);
}

static void copy_values(const Oracle *oracle, OracleChange *change,
                        const double *values) {
  const OracleComponent *schema = &oracle->components[change->component];
  for (uint32_t f = 0; f < schema->field_count; f++)
    change->values[f] = values != NULL ? values[f] : schema->defaults[f];
}

static OracleEntity *issue(Oracle *oracle, ecs_Entity handle) {
  const uint32_t index = index_of(handle);
  oracle->entities = grow(oracle->entities, oracle->entity_count,
                          &oracle->entity_capacity, sizeof *oracle->entities);
  while (index >= oracle->index_capacity) {
    const uint32_t old = oracle->index_capacity;
    oracle->by_index = grow(oracle->by_index, old, &oracle->index_capacity,
                            sizeof *oracle->by_index);
    memset(oracle->by_index + old, 0,
           (oracle->index_capacity - old) * sizeof *oracle->by_index);
  }
  OracleEntity *entity = &oracle->entities[oracle->entity_count++];
  oracle->by_index[index] = oracle->entity_count;
  memset(entity, 0, sizeof *entity);
  entity->handle = handle;
  return entity;
}

/* True: the handle was issued before, or its index is in use. */
static bool is_taken(const Oracle *oracle, ecs_Entity handle) {
  const uint32_t index = index_of(handle);
  if (index < oracle->index_capacity && oracle->by_index[index] != 0) {
    const OracleEntity *owner = &oracle->entities[oracle->by_index[index] - 1];
    if (owner->present || owner->staged) return true;
  }
  for (uint32_t i = 0; i < oracle->entity_count; i++) {
    if (oracle->entities[i].handle == handle) return true;
  }
  return handle == 0;
}

bool oracle_may_give(const Oracle *oracle, ecs_Entity handle) {
  if (is_taken(oracle, handle)) return false;
  for (uint32_t i = 0; i < oracle->entity_count; i++) {
    const ecs_Entity given = oracle->entities[i].handle;
    if (index_of(given) == index_of(handle) && given >= handle) return false;
  }
  return true;
}

ecs_Entity oracle_newest(const Oracle *oracle, uint32_t index) {
  if (index >= oracle->index_capacity || oracle->by_index[index] == 0) return 0;
  return oracle->entities[oracle->by_index[index] - 1].handle;
}

uint32_t oracle_highest_index(const Oracle *oracle) {
  uint32_t highest = oracle->index_capacity;
  while (highest > 0 && oracle_newest(oracle, highest) == 0) highest--;
  return highest;
}

/* The components with all that they need. */
static uint32_t with_needs(const Oracle *oracle, uint32_t mask) {
  uint32_t before = 0;
  while (mask != before) {
    before = mask;
    for (ecs_Component c = 1; c <= oracle->component_count; c++)
      if (mask >> c & 1) mask |= oracle->needs[c];
  }
  return mask;
}

bool oracle_spawn(Oracle *oracle, ecs_Entity handle, uint32_t mask,
                  const double (*values)[ORACLE_FIELDS]) {
  const uint32_t given = mask;
  mask = with_needs(oracle, mask);
  if (is_taken(oracle, handle)) return false;
  issue(oracle, handle)->staged = true;
  settle(oracle, record(oracle, ORACLE_SPAWN, handle, 0));
  for (ecs_Component c = 1; c <= oracle->component_count; c++) {
    if (!(mask >> c & 1)) continue;
    OracleChange *change = record(oracle, ORACLE_ADD, handle, c);
    copy_values(oracle, change,
                values != NULL && (given >> c & 1) ? values[c] : NULL);
    change->part = true;
    settle(oracle, change);
  }
  return true;
}

void oracle_spawn_unnamed(Oracle *oracle, uint32_t mask, uint64_t count) {
  OracleChange *change = record(oracle, ORACLE_UNNAMED, 0, 0);
  change->mask = with_needs(oracle, mask);
  change->count = count;
  oracle->anonymous |= oracle_deferring(oracle);
}

ecs_Status oracle_destroy(Oracle *oracle, ecs_Entity handle) {
  OracleEntity *entity = oracle_find(oracle, handle);
  if (!is_alive(entity)) return ECS_E_DEAD;
  entity->doomed = true;
  settle(oracle, record(oracle, ORACLE_DESTROY, handle, 0));
  return ECS_OK;
}

/* The status of changing this entity. ECS_OK with *drop set: the change is
 * dropped and counted, because a destruction is recorded. */
static ecs_Status judge_change(Oracle *oracle, const OracleEntity *entity,
                               ecs_Component component, bool *drop) {
  *drop = false;
  if (component == 0 || component > oracle->component_count)
    return ECS_E_COMPONENT;
  if (entity != NULL && entity->doomed) {
    *drop = true;
    oracle->dropped++;
    return ECS_OK;
  }
  return is_alive(entity) ? ECS_OK : ECS_E_DEAD;
}

/* True: a change of this entity is recorded. */
static bool is_recorded(const Oracle *oracle, ecs_Entity handle) {
  for (uint32_t i = 0; i < oracle->change_count; i++) {
    if (oracle->changes[i].entity == handle) return true;
  }
  return false;
}

/* True: an open cursor has this component. */
static bool is_held(const Oracle *oracle, ecs_Component component) {
  for (uint32_t s = 0; s < oracle->scope_count; s++) {
    const uint32_t mask = oracle->scopes[s].reads | oracle->scopes[s].writes;
    if (mask >> component & 1) return true;
  }
  return false;
}

ecs_Status oracle_add(Oracle *oracle, ecs_Entity handle,
                      ecs_Component component, const double *values) {
  bool drop;
  const OracleEntity *entity = oracle_find(oracle, handle);
  const ecs_Status status = judge_change(oracle, entity, component, &drop);
  if (status != ECS_OK || drop) return status;
  /* The change has no effect, now or later, so it is not recorded. */
  if (entity->has[component] && !is_recorded(oracle, handle)) return ECS_OK;
  OracleChange *change = record(oracle, ORACLE_ADD, handle, component);
  copy_values(oracle, change, values);
  settle(oracle, change);
  return ECS_OK;
}

ecs_Status oracle_remove(Oracle *oracle, ecs_Entity handle,
                         ecs_Component component) {
  bool drop;
  const OracleEntity *entity = oracle_find(oracle, handle);
  const ecs_Status status = judge_change(oracle, entity, component, &drop);
  if (status != ECS_OK || drop) return status;
  if (!entity->has[component] && !is_recorded(oracle, handle)) return ECS_OK;
  settle(oracle, record(oracle, ORACLE_REMOVE, handle, component));
  return ECS_OK;
}

ecs_Status oracle_set(Oracle *oracle, ecs_Entity handle,
                      ecs_Component component, const double *values,
                      uint64_t fields) {
  bool drop;
  OracleEntity *entity = oracle_find(oracle, handle);
  const ecs_Status status = judge_change(oracle, entity, component, &drop);
  if (status != ECS_OK || drop) return status;
  if (entity->has[component] && is_held(oracle, component)) return ECS_E_ACCESS;
  if (entity->has[component] && !is_recorded(oracle, handle)) {
    assign(oracle, entity, component, values, fields);
    return ECS_OK;
  }
  OracleChange *change = record(oracle, ORACLE_SET, handle, component);
  change->fields = fields;
  copy_values(oracle, change, values);
  settle(oracle, change);
  return ECS_OK;
}

ecs_Status oracle_replace(Oracle *oracle, ecs_Entity handle, ecs_Component gone,
                          ecs_Component component, const double *values,
                          uint64_t fields) {
  bool drop;
  const OracleEntity *entity = oracle_find(oracle, handle);
  if (gone == component) return ECS_E_COMPONENT;
  ecs_Status status = judge_change(oracle, entity, component, &drop);
  if (status != ECS_OK || drop) return status;
  if (fields != 0 && entity->has[component] && is_held(oracle, component))
    return ECS_E_ACCESS;
  status = oracle_remove(oracle, handle, gone);
  if (status != ECS_OK) return status;
  return fields == 0 ? oracle_add(oracle, handle, component, NULL)
                     : oracle_set(oracle, handle, component, values, fields);
}

ecs_Status oracle_accessor_set(Oracle *oracle, ecs_Entity handle,
                               ecs_Component component, const double *values) {
  const OracleEntity *entity = oracle_find(oracle, handle);
  if (is_held(oracle, component)) return ECS_E_ACCESS;
  if (entity == NULL || !entity->present)
    return is_alive(entity) ? ECS_E_ABSENT : ECS_E_DEAD;
  if (!entity->has[component]) return ECS_E_ABSENT;
  return oracle_set(oracle, handle, component, values, ~(uint64_t)0);
}

ecs_Status oracle_clear(Oracle *oracle) {
  if (oracle_deferring(oracle)) return ECS_E_OPEN;
  for (uint32_t i = 0; i < oracle->entity_count; i++)
    end_life(&oracle->entities[i]);
  return ECS_OK;
}

/* Scopes ------------------------------------------------------------------ */

ecs_Status oracle_judge_access(const Oracle *oracle, uint32_t reads,
                               uint32_t writes) {
  for (uint32_t s = 0; s < oracle->scope_count; s++) {
    const OracleScope *scope = &oracle->scopes[s];
    if ((scope->writes & (reads | writes)) || (scope->reads & writes))
      return ECS_E_ACCESS;
  }
  return ECS_OK;
}

void oracle_scope_begin(Oracle *oracle, uint32_t reads, uint32_t writes) {
  OracleScope *scope = &oracle->scopes[oracle->scope_count++];
  scope->first_change = oracle->change_count;
  scope->reads = reads;
  scope->writes = writes;
  scope->dropped = oracle->dropped;
}

/* Undoes what the scope recorded: the handles of its spawns stay dead, its
 * doomed entities are alive again. */
static void forget_changes(Oracle *oracle, uint32_t first) {
  while (oracle->change_count > first) {
    const OracleChange *change = &oracle->changes[--oracle->change_count];
    OracleEntity *entity = oracle_find(oracle, change->entity);
    if (change->kind == ORACLE_SPAWN) end_life(entity);
    if (change->kind == ORACLE_DESTROY) entity->doomed = false;
  }
}

/* Unnamed spawns stay in the list until their handles are claimed. */
static void carry_out_all(Oracle *oracle) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < oracle->change_count; i++) {
    const OracleChange change = oracle->changes[i];
    carry_out(oracle, &change);
    if (change.kind == ORACLE_UNNAMED) oracle->changes[left++] = change;
  }
  oracle->change_count = left;
}

void oracle_scope_end(Oracle *oracle, bool keep) {
  const OracleScope *scope = &oracle->scopes[--oracle->scope_count];
  if (!keep) {
    forget_changes(oracle, scope->first_change);
    oracle->dropped = scope->dropped;
  }
  if (oracle->scope_count == 0) carry_out_all(oracle);
}

/* Handles of unnamed spawns ------------------------------------------------ */

uint64_t oracle_unclaimed(const Oracle *oracle) {
  return oracle_deferring(oracle) ? 0 : recorded_unnamed(oracle);
}

static bool claim_from(Oracle *oracle, uint32_t position, ecs_Entity handle) {
  const uint32_t mask = oracle->changes[position].mask;
  if (--oracle->changes[position].count == 0) {
    oracle->change_count--;
    memmove(&oracle->changes[position], &oracle->changes[position + 1],
            (oracle->change_count - position) * sizeof *oracle->changes);
  }
  return oracle_spawn(oracle, handle, mask, NULL);
}

bool oracle_claim(Oracle *oracle, ecs_Entity handle, uint32_t mask) {
  for (uint32_t i = 0; i < oracle->change_count; i++) {
    if (oracle->changes[i].kind == ORACLE_UNNAMED &&
        oracle->changes[i].mask == mask)
      return claim_from(oracle, i, handle);
  }
  return false;
}

/* link_kill.c: entities that die with an entity, at once. */
#include "world/link_kill.h"

#include "storage/locate.h"

/* Lists an entity as dying. Without links of its own it is listed once. */
static ecs_Status add_dying(ecs_World *world, ecs_Entity entity) {
  LinkWork *work = &world->links.work;
  ecs_Status status = ECS_OK;
  if (!LINK_HAS_ROOM(world, dying, dying)) return ECS_E_MEMORY;
  work->dying[work->dying_count++] = entity;
  for (uint32_t i = 0; status == ECS_OK && i < world->links.count; i++)
    status = link_step(world, &world->links.indices[i], entity, 0);
  return status;
}

/* The first source of an entity. */
static ecs_Entity first_source(const LinkIndex *index, ecs_Entity entity) {
  uint32_t first = link_node(index, id_index(entity))->first;
  return link_node(index, first)->entity;
}

/* Lists what dies with an entity by one index. */
static ecs_Status collect_sources(ecs_World *world, const LinkIndex *index,
                                  ecs_Entity entity) {
  ecs_Status status = ECS_OK;
  if (index->rule == ECS_LINK_REMOVE && link_count(index, entity) > 0)
    return ECS_E_OPEN;
  while (status == ECS_OK && index->rule == ECS_LINK_DESTROY &&
         link_count(index, entity) > 0)
    status = add_dying(world, first_source(index, entity));
  return status;
}

/* The only index that destroys, if it is a tree and none removes; or NULL. */
static const LinkIndex *only_tree(const ecs_World *world) {
  const LinkIndex *tree = NULL;
  for (uint32_t i = 0; i < world->links.count; i++) {
    const LinkIndex *index = &world->links.indices[i];
    if (index->rule == ECS_LINK_CLEAR) continue;
    if (index->rule == ECS_LINK_REMOVE || !index->tree || tree != NULL)
      return NULL;
    tree = index;
  }
  return tree;
}

/* Lists what dies with an entity, without a change of the indices: by one tree
 * every entity is found once. */
static ecs_Status list_tree(ecs_World *world, const LinkIndex *tree,
                            ecs_Entity entity) {
  LinkWork *work = &world->links.work;
  if (!LINK_HAS_ROOM(world, dying, dying)) return ECS_E_MEMORY;
  work->dying[work->dying_count++] = entity;
  for (uint32_t k = 0; k < work->dying_count; k++) {
    if (link_count(tree, work->dying[k]) == 0) continue;
    uint32_t source = link_node(tree, id_index(work->dying[k]))->first;
    while (source != 0) {
      const LinkNode *node = link_node(tree, source);
      if (!LINK_HAS_ROOM(world, dying, dying)) return ECS_E_MEMORY;
      work->dying[work->dying_count++] = node->entity;
      source = node->next;
    }
  }
  return ECS_OK;
}

/* Takes the links of all that die by the tree. But for the first, each links to
 * one that dies as well, whose list need not be kept. */
static void empty_tree(LinkIndex *tree, const LinkWork *work) {
  if (link_target(tree, work->dying[0]) != 0) link_take(tree, work->dying[0]);
  for (uint32_t k = 0; k < work->dying_count; k++) {
    LinkNode *node = link_node(tree, id_index(work->dying[k]));
    if (node != NULL && node->entity == work->dying[k])
      *node = (LinkNode){.entity = node->entity};
  }
  tree->links -= work->dying_count - 1;
  tree->version++;
}

/* Takes the links of all that die. Nothing can fail, so no step is noted. */
static void take_links(ecs_World *world, const LinkIndex *tree) {
  const LinkWork *work = &world->links.work;
  for (uint32_t i = 0; i < world->links.count; i++) {
    LinkIndex *index = &world->links.indices[i];
    if (index == tree) {
      empty_tree(index, work);
      continue;
    }
    for (uint32_t k = 0; k < work->dying_count; k++)
      if (link_target(index, work->dying[k]) != 0)
        link_take(index, work->dying[k]);
  }
}

static ecs_Status collect_tree(ecs_World *world, const LinkIndex *tree,
                               ecs_Entity entity) {
  ecs_Status status = list_tree(world, tree, entity);
  if (status == ECS_OK) take_links(world, tree);
  return status;
}

static ecs_Status collect(ecs_World *world, ecs_Entity entity) {
  const LinkWork *work = &world->links.work;
  ecs_Status status = add_dying(world, entity);
  for (uint32_t k = 0; status == ECS_OK && k < work->dying_count; k++)
    for (uint32_t i = 0; status == ECS_OK && i < world->links.count; i++)
      status = collect_sources(world, &world->links.indices[i], work->dying[k]);
  return status;
}

/* Makes the fields nil that lead to an entity by one index, of which the rule is
 * to clear. */
static void clear_sources(ecs_World *world, LinkIndex *index,
                          ecs_Entity entity) {
  const Component *component = &world->store.components.all[index->component];
  while (link_count(index, entity) > 0) {
    ecs_Entity source = first_source(index, entity), no_entity = 0;
    Table *table = NULL;
    uint32_t row = 0;
    ECS_ASSERT_ONLY ecs_Status status =
        store_locate_columns(&world->store, component, source, &table, &row);
    ECS_ASSERT(status == ECS_OK);
    store_wrote(&world->store, index->component);
    table_stamp(table, component->bit, row, 1);
    ColumnCode code = table_codes(table, component->bit)[index->field];
    memcpy(table_element(table, code, row), &no_entity, sizeof no_entity);
    link_take(index, source);
  }
}

static void destroy_dying(ecs_World *world) {
  LinkWork *work = &world->links.work;
  for (uint32_t k = 0; k < work->dying_count; k++) {
    for (uint32_t i = 0; i < world->links.count; i++)
      clear_sources(world, &world->links.indices[i], work->dying[k]);
    ECS_ASSERT_ONLY ecs_Status status =
        store_destroy_entity(&world->store, work->dying[k]);
    ECS_ASSERT(status == ECS_OK);
  }
}

ecs_Status link_kill(ecs_World *world, ecs_Entity entity) {
  LinkWork *work = &world->links.work;
  ECS_ASSERT(world->depth == 0 && work->dying_count == 0);
  const LinkIndex *tree = only_tree(world);
  ecs_Status status =
      tree != NULL ? collect_tree(world, tree, entity) : collect(world, entity);
  if (status == ECS_OK)
    destroy_dying(world);
  else
    link_take_back(world);
  work->step_count = work->dying_count = 0;
  return status;
}

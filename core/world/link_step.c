/* link_step.c: changes of the indices of links that can be taken back. */
#include "world/link_step.h"

static ecs_Status note_step(ecs_World *world, LinkIndex *index,
                            ecs_Entity source) {
  LinkWork *work = &world->links.work;
  if (!LINK_HAS_ROOM(world, steps, step)) return ECS_E_MEMORY;
  const LinkNode *node = link_node(index, id_index(source));
  ecs_Entity target = link_target(index, source);
  work->steps[work->step_count++] =
      (LinkStep){index, source, target, target == 0 ? 0 : node->next};
  return ECS_OK;
}

ecs_Status link_step(ecs_World *world, LinkIndex *index, ecs_Entity source,
                     ecs_Entity target) {
  Memory *memory = &world->store.memory;
  ecs_Entity before = link_target(index, source);
  ecs_Status status = ECS_OK;
  if (before == target) return ECS_OK;
  if (target != 0) status = link_index_reserve(index, memory, source);
  if (status == ECS_OK && target != 0)
    status = link_index_reserve(index, memory, target);
  if (status == ECS_OK) status = note_step(world, index, source);
  if (status != ECS_OK) return status;
  if (before != 0) link_take(index, source);
  if (target != 0) link_insert(index, source, target, 0);
  return ECS_OK;
}

void link_take_back(ecs_World *world) {
  LinkWork *work = &world->links.work;
  while (work->step_count > 0) {
    const LinkStep *step = &work->steps[--work->step_count];
    if (link_target(step->index, step->source) != 0)
      link_take(step->index, step->source);
    if (step->target != 0)
      link_insert(step->index, step->source, step->target, step->next);
  }
}

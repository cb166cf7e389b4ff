/* api_snapshot.c: the border for snapshots of a world. */
#define ECS_DEFINES_API /* ecs.h */

#include "base/misuse.h"
#include "state/restore.h"

#define MUST_LIVE(snapshot) ECS_MUST_LIVE(SNAPSHOT, snapshot)

ecs_Status ecs_snapshot_create(ecs_World *world, ecs_Snapshot **snapshot) {
  ECS_MUST_LIVE(WORLD, world);
  if (snapshot == NULL) return ECS_E_ARGUMENT;
  *snapshot = NULL;
  ecs_Status status = snapshot_create(world, snapshot);
  if (status == ECS_OK) LIVING_ENTER(SNAPSHOT, *snapshot);
  return status;
}

void ecs_snapshot_destroy(ecs_Snapshot *snapshot) {
  if (snapshot == NULL) return;
  MUST_LIVE(snapshot);
  LIVING_LEAVE(SNAPSHOT, snapshot);
  snapshot_destroy(snapshot);
}

/* Is anything recorded, or on its way to an observer? */
static bool is_busy(const ecs_World *world) {
  return world->depth > 0 || world->observers.waiting > 0 ||
         world->observers.next < world->observers.round_end;
}

ecs_Status ecs_snapshot_take(ecs_Snapshot *snapshot) {
  MUST_LIVE(snapshot);
  return is_busy(snapshot->world) ? ECS_E_OPEN : snapshot_take(snapshot);
}

ecs_Status ecs_snapshot_restore(ecs_Snapshot *snapshot) {
  MUST_LIVE(snapshot);
  if (!snapshot->taken) return ECS_E_ABSENT;
  return is_busy(snapshot->world) ? ECS_E_OPEN : snapshot_restore(snapshot);
}

uint64_t ecs_snapshot_bytes(const ecs_Snapshot *snapshot) {
  MUST_LIVE(snapshot);
  return snapshot_bytes(snapshot);
}

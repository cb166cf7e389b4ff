/* snapshot_save.c: writes the state that a snapshot holds as a save. */
#include "state/snapshot_save.h"

/* It held the state of the world for a moment, and does not any more. */
static void bring_back(ecs_Snapshot *snapshot, ReplacedState *replaced) {
  replaced_bring_back(replaced);
  snapshot->key.structure = snapshot->key.layout = UINT64_MAX;
  snapshot->key.links = snapshot->key.names = UINT64_MAX;
}

ecs_Status snapshot_save(ecs_Snapshot *snapshot, const char *script,
                         size_t script_bytes, const HeldPacked *packed,
                         ecs_SaveSink sink) {
  ReplacedState replaced;
  ecs_Status status = snapshot_exchange(snapshot, &replaced);
  if (status != ECS_OK) return status;
  status = state_save(snapshot->world, script, script_bytes, packed, sink);
  bring_back(snapshot, &replaced);
  return status;
}

ecs_Status snapshot_held_uses(ecs_Snapshot *snapshot, HeldUse *uses,
                              uint32_t most, uint32_t *count) {
  ReplacedState replaced;
  *count = 0;
  ecs_Status status = snapshot_exchange(snapshot, &replaced);
  if (status != ECS_OK) return status;
  status = state_held_uses(snapshot->world, uses, most, count);
  bring_back(snapshot, &replaced);
  return status;
}

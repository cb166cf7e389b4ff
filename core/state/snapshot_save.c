/* snapshot_save.c: writes the state that a snapshot holds as a save. */
#include "state/snapshot_save.h"

ecs_Status snapshot_save(ecs_Snapshot *snapshot, const char *script,
                         size_t script_bytes, ecs_SaveSink sink) {
  ReplacedState replaced;
  ecs_Status status = snapshot_exchange(snapshot, &replaced);
  if (status != ECS_OK) return status;
  status = state_save(snapshot->world, script, script_bytes, sink);
  replaced_bring_back(&replaced);
  /* It held the state of the world for a moment, and does not any more. */
  snapshot->key.structure = snapshot->key.layout = UINT64_MAX;
  snapshot->key.links = snapshot->key.names = UINT64_MAX;
  return status;
}

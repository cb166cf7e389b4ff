/* spawn_shape.h: recorded spawns that are alike.
 *
 * Most chains of a recording spawn an entity and add components, each once, and
 * many have the same components in the same order. Such a chain is not
 * summarized (command_flush.h): the table of its shape is found once, and its
 * images are stored there.
 *
 *      chain    spawn  add A {1}  add B  add C {3 4}
 *      shape           A          B      C            -->  table {A B C}
 *
 * Pure optimisation: 86 instead of 150 ns for a spawn of three components or a
 * destruction, recording included, on a machine with other work.
 */
#ifndef ECS_SPAWN_SHAPE_H
#define ECS_SPAWN_SHAPE_H

#include "change/command_buffer.h"

/* The most components of a shape, and the shapes that are remembered. */
#define SHAPE_PARTS 16u
#define SHAPE_COUNT 4u

typedef struct SpawnShape {
  Table *table; /* borrowed; NULL: such chains are no spawns of this kind: a
                   component stands twice, or is not in a column of the main
                   group */
  uint32_t count;
  ecs_Component parts[SHAPE_PARTS];
} SpawnShape;

typedef struct SpawnShapes {
  SpawnShape shapes[SHAPE_COUNT];
  uint32_t count; /* made so far; the newest SHAPE_COUNT are there */
} SpawnShapes;

/* Finds the shape of a chain; *found stays as it is where it has none. makes:
 * makes the table, which may fail (ECS_E_MEMORY, ECS_E_LIMIT); otherwise the
 * table is there. mask is scratch memory for the mask of a table. Cost: the
 * commands, times the shapes that differ. */
ECS_INTERNAL ecs_Status shape_find(Store *store, SpawnShapes *shapes,
                                   uint64_t *mask,
                                   const EntityCommands *commands, bool makes,
                                   SpawnShape **found);

/* Makes room for one more row, and counts it as pending. ECS_E_MEMORY,
 * ECS_E_LIMIT. */
ECS_INTERNAL ecs_Status shape_reserve(Store *store, const SpawnShape *shape);

/* Places the entity of a chain of this shape, in a row that is pending, and
 * stores its values. */
ECS_INTERNAL void shape_commit(Store *store, const SpawnShape *shape,
                               const EntityCommands *commands);

#endif

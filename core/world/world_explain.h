/* world_explain.h: the storage of a world, as text for people.
 *
 *      5 entities in 2 groups with 3 tables, 1152 bytes of rows
 *      main group 0: Position, Velocity, Enemy, Seen (bits)
 *        table {}: 1 row of 16, 128 bytes
 *        table { Position, Velocity }: 4 rows of 16, 512 bytes
 *      sparse set 1: Stunned
 *        table { Stunned }: 2 rows of 16, 512 bytes
 *      component Position: x f32, y f32; group 0, 4 entities, 32 bytes
 *      tag Seen: bits of group 0, 1 entity
 *
 * Bytes of rows are the memory of the tables, room for more rows included.
 * Bytes of a component are those of the values in use. The text depends on the
 * program alone: it contains no address and no order of a hash. Cost: looks at
 * every table, and at every row of tables with tags stored as bits.
 */
#ifndef ECS_WORLD_EXPLAIN_H
#define ECS_WORLD_EXPLAIN_H

#include "base/text.h"
#include "storage/store.h"

/* Appends the text. Cannot fail; text that does not fit is cut off (text.h). */
ECS_INTERNAL void world_explain(const Store *store, Text *text);

#endif

/* vm_look.h: looks up other entities, for all rows of a block.
 *
 *      entities    places (table, row)       one component
 *      e1  ------>  3, 17   ------> has: 1     get: column 5 of table 3, row 17
 *      e2  ------>  3, 18            1                                   row 18
 *      e3  ------>  none             0     0
 *
 * The entities of one value are located once for each component; every has and
 * get of both then reads places alone. Runs of one table are read by a loop
 * that knows its column.
 *
 * Places are valid until structure changes, which a program does not do before
 * its last row has run.
 */
#ifndef ECS_VM_LOOK_H
#define ECS_VM_LOOK_H

#include "program/vm_loops.h"
#include "storage/locate.h"

/* The table of a place where there is no row. */
#define LOOK_NOWHERE UINT32_MAX

/* Finds the rows with a component of the n entities, which may be any numbers:
 * the table is LOOK_NOWHERE for the dead, for those without a row yet and for
 * those that lack the component. Cost: two to four loads each. */
ECS_INTERNAL void look_locate(const Store *store, const Component *component,
                              const ecs_Entity *entities, RowId *places,
                              uint32_t n);

/* Bools: has each the component? */
ECS_INTERNAL void look_has(const RowId *places, uint32_t *out, uint32_t n);

/* Values of a type that the component's field loads as; 0, false or null where
 * there is no row. */
ECS_INTERNAL void look_get(const Component *component, uint32_t field,
                           ValueType type, const RowId *places, void *out,
                           uint32_t n);

#endif

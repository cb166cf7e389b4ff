/* query_entities.h: the entities of a query one at a time, without a walk.
 *
 * A walk holds structure still. Whoever wants it to move meanwhile copies the
 * entities first, and asks for each of them when its turn comes:
 *
 *      query_entities   e4 e7 e9            once, in the order of a walk
 *      query_locate_entity     e7 --> part 0: table, row --> x y
 *                          \-> part 1: table, row --> dx dy
 *
 * Nothing is claimed, and no memory is kept. Cost of locating: one look-up per
 * group of the query, a comparison of masks, and a store per column.
 */
#ifndef ECS_QUERY_ENTITIES_H
#define ECS_QUERY_ENTITIES_H

#include "query/query.h"

/* Copies the entities that match, at most capacity of them. The query is
 * prepared; entities may be NULL when capacity is 0. */
ECS_INTERNAL void query_entities(const ecs_Query *query, ecs_Entity *entities,
                                 uint64_t capacity);

/* elements[k] becomes where column k of the entity is, NULL where it lacks the
 * component or an open walk writes it. The query is planned. ECS_E_DEAD for
 * what has no place: nothing is written. */
ECS_INTERNAL ecs_Status query_locate_entity(const ecs_Query *query,
                                            ecs_Entity entity, void **elements,
                                            bool *matches);

#endif

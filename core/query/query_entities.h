/* query_entities.h: the entities of a query one at a time, without a cursor.
 *
 * An open cursor forbids structural changes. A caller that needs them copies
 * the entities first, then locates one after the other:
 *
 *      query_entities          e4 e7 e9     once, in the order of a cursor
 *      query_locate_entity     e7 --> group 0: table, row --> x y
 *                                 \-> group 1: table, row --> dx dy
 *
 * Nothing is claimed, and no memory is kept. Rows of terms that are written are
 * stamped when they are located (opened.h).
 */
#ifndef ECS_QUERY_ENTITIES_H
#define ECS_QUERY_ENTITIES_H

#include "query/query_span.h"

/* Copies the entities that match, in the order of a cursor, at most capacity of
 * them. The query is prepared; entities may be NULL when capacity is 0. */
ECS_INTERNAL void query_entities(const ecs_Query *query, ecs_Entity *entities,
                                 uint64_t capacity);

/* The first entity that query_entities would copy; 0: none matches. The query
 * is planned, and along a tree prepared; where its row list is out of date the
 * list is not built, but rows are searched for the first match. Cost: up to the
 * first match. */
ECS_INTERNAL ecs_Entity query_first_entity(const ecs_Query *query);

/* Locates an entity in every group of a planned query. elements[k] becomes the
 * address of its element of column k; NULL where it lacks the component or an
 * open cursor writes the component. *matches says whether the query matches it.
 * ECS_E_DEAD when the entity has no row in the main group: nothing is written.
 * Cost: per group one look-up and a comparison of masks, and a store per
 * column. */
ECS_INTERNAL ecs_Status query_locate_entity(const ecs_Query *query,
                                            ecs_Entity entity, void **elements,
                                            bool *matches);

/* The same for the first of count entities. If it matches, *run gets how many
 * of them match and are, from it on, in rows that follow each other in every
 * group of the query; otherwise, and along a tree, 1. Cost: a comparison per
 * entity of the run and group. */
ECS_INTERNAL ecs_Status query_locate_run(const ecs_Query *query,
                                         const ecs_Entity *entities,
                                         uint32_t count, void **elements,
                                         bool *matches, uint32_t *run);

#endif

/* bulk.h: one change of every entity that matches a query, at once.
 *
 * The result is the same as if the matches were changed one by one, except for
 * the order of rows. Only the work differs. Where the query's plan is full and
 * the component is in the same group, whole tables move:
 *
 *      add C      {A}   | e1 e2 e3 |  --->  {A C}   | e4 e1 e2 e3 |
 *                 {A B} | e5 |        --->  {A B C} | e5 |
 *
 * column by column (table_rows.h), with one pass over the slots or locators. A
 * sparse set is joined in one run, and a tag stored as bits is written byte by
 * byte. All other matches are changed one by one, after room was made for all
 * of them.
 *
 * As in store.h, arguments are trusted, nothing is open, and everything is
 * reserved first: ECS_E_MEMORY and ECS_E_LIMIT change nothing.
 */
#ifndef ECS_BULK_H
#define ECS_BULK_H

#include "query/index_set.h"

/* Adds a component to the matches that lack it, with an image, NULL for
 * defaults. */
ECS_INTERNAL ecs_Status bulk_add(ecs_Query *query, ecs_Component id,
                                 const void *image);

/* Removes a component from the matches that have it. */
ECS_INTERNAL ecs_Status bulk_remove(ecs_Query *query, ecs_Component id);

/* Stores the fields of an image that are set in the mask `fields`; matches
 * that lack the component get it, with defaults for the other fields. */
ECS_INTERNAL ecs_Status bulk_set(ecs_Query *query, ecs_Component id,
                                 const void *image, uint64_t fields);

#endif

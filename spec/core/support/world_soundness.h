/* world_soundness.h: checks everything that headers state about a world.
 *
 * store_check_invariants of the core checks what a change can break most
 * easily. These functions check all of it and compute again what the core
 * keeps: layout of slabs, hashes, edges, matches, locators, slots and the free
 * list. Cost: proportional to the world times its components.
 */
#ifndef WORLD_SOUNDNESS_H
#define WORLD_SOUNDNESS_H

#include "storage/store_check.h"

/* One table, alone: layout and padding. */
void assert_table_sound(const Table *table);

/* Checks one group; its rows need not belong to a world. */
void assert_group_sound(const Group *group);

/* All of a world. */
void assert_sound(const Store *world);

/* And the summaries of its entities name only groups they are in, as they do
 * while there are at most three other groups, none was regrouped and no entity
 * has left one. */
void assert_summaries_exact(const Store *world);

/* One number for all that a failed change must leave as it was: components,
 * tables and their rows, places, matches, slots and the free list. Unlike the
 * core's hash it counts empty tables. */
uint64_t digest(const Store *world);

/* The same of one group's tables and matches. */
uint64_t digest_group(const Group *group);

#endif

/* program_keys.h: which elements of arrays a run of a program will look at.
 *
 * A binding that copies a script's tables for a run need not copy elements that
 * no row looks at. It can ask for the keys first, where they follow from rows
 * and uniforms alone, or from elements of arrays before: so it fills arrays one
 * after the other. That costs as much as computing the keys.
 *
 * The binding may be in another library, so these functions are exported. They
 * are not part of the interface that ecs.h promises.
 */
#ifndef ECS_PROGRAM_KEYS_H
#define ECS_PROGRAM_KEYS_H

#include "ecs.h"

/* Can the keys of an array be asked for once so many of the first arrays are
 * filled? array is below the number of arrays, and filled at most array. Not
 * where the text looks at a key of its own and uses nothing of it: then the keys
 * of a run are not all that the text was written for. */
ECS_API bool ecs_program_shows_keys(const ecs_Program *program, uint32_t array,
                                    uint32_t filled);

/* Calls visit with all keys at which a run of the call would look, of arrays
 * that can be asked for: count of them at a time, borrowed for the call, doubles
 * of any value, each as often as it occurs, and maybe some more. The call's
 * arrays are those that are filled, the first of the program's: array_count of
 * them, with all elements that the run will look at. Its reductions may be NULL.
 * visit must not use the world. Returns what ecs_program_run would, with nothing
 * changed in any case. */
ECS_API ecs_Status ecs_program_keys(ecs_Program *program,
                                    const ecs_ProgramCall *call,
                                    void (*visit)(void *user, uint32_t array,
                                                  const double *keys,
                                                  uint32_t count),
                                    void *user);

#endif

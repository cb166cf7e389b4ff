/* lua_program.h: kernel programs, as scripts/ecs compiles them. */
#ifndef ECS_LUA_LUA_PROGRAM_H
#define ECS_LUA_LUA_PROGRAM_H

#include "api/for_bindings.h"
#include "query/lua_grid.h"
#include "query/lua_query.h"
#include "world/totals.h"

typedef struct Program {
  Header header;
  LuaQuery *query;
  ecs_Program *native; /* NULL: dropped */
  uint32_t uniform_count;
  uint32_t reduction_count;
  Total **totals;     /* one per reduction; kept alive by the private table,
                       from slot 2 on; NULL: drawn numbers, or the caller's */
  uint32_t drawn;     /* the reduction that is the most numbers drawn by a row,
                       if it draws */
  uint32_t own_count; /* how many reductions are the caller's */
  Tally **tallies;    /* of the system in these totals; see find_tallies */
  const char *name;   /* the system of the last run, a string that the private
                       table keeps in its last slot; NULL: never run */
  uint64_t tally_count; /* of the world when they were found */
  bool alone;           /* the system has tallies in no other total */
  bool draws;           /* one of the reductions counts drawn numbers */
  bool exits;           /* it may stop before a row */
  bool changes;         /* it changes structure */
  ecs_ProgramStop stop; /* of the last run */
  Reduction *sums;      /* one per reduction, of a run in parts */
  uint32_t array_count;
  ecs_ProgramArray *arrays; /* of the present run */
  uint32_t grid_count;
  LuaGrid **grids;    /* kept alive by the private table */
  ecs_Grid **natives; /* theirs, of the present run */
  double numbers[];   /* uniforms, then reductions */
} Program;

/* The program at index; NULL where it was dropped. Raises on anything else, and
 * where its world is closed. */
BIND_INTERNAL Program *bind_program_check(lua_State *L, int index);

/* Reads the uniforms from the list at index into the numbers, and behind them
 * the caller's own numbers, which sums begin with, too; true: the uniforms are
 * others than before. Raises where the list lacks one. */
BIND_INTERNAL bool bind_program_read(lua_State *L, Program *program, int index);

/* Puts the caller's own numbers back into the list at index, as a run has left
 * them in the numbers. Allocates nothing: they were read from there. */
BIND_INTERNAL void bind_program_write(lua_State *L, const Program *program,
                                      int index);

/* Takes the caller's own numbers from the sums of a run in parts. */
BIND_INTERNAL void bind_program_take_own(Program *program);

/* Builds the program's grids where they are not what they should be now, and
 * finds the native ones. ECS_E_ARGUMENT: one has ended. */
BIND_INTERNAL ecs_Status bind_program_ready(Program *program);

/* Finds the program's arrays in the list at index, which has to keep them while
 * the program runs. Raises where the list lacks one. Does not allocate. */
BIND_INTERNAL void bind_program_read_copies(lua_State *L, Program *program,
                                            int index);

/* The program at index, with the tallies of the system named at
 * name_index. Tallies are never removed: what was found holds until the world
 * has more of them. May allocate; NULL and errors as of bind_program_check. */
BIND_INTERNAL Program *bind_program_tallies(lua_State *L, int index,
                                            int name_index);

/* Fills in a call of the program, with the uniforms that are in its numbers.
 * runs: how often the phase of its system has run, for random numbers. */
BIND_INTERNAL void bind_program_call(Program *program, uint64_t runs,
                                     ecs_ProgramCall *call);

/* Has the program run for its system, and are the tallies that it found then all
 * that there are? Then a run allocates nothing of Lua. False, too, where it was
 * dropped or its world is closed. */
BIND_INTERNAL bool bind_program_is_known(const Program *program);

/* What is to be known behind a run: would another one change nothing, and has a
 * row drawn a number? */
typedef struct RunEnd {
  bool idle, drawn;
} RunEnd;

/* Ends a run that has not failed: its totals become those of the system. */
BIND_INTERNAL RunEnd bind_program_end(const Program *program);

/* Pushes the message for a status of the last run of the program at index. */
BIND_INTERNAL void bind_program_push_failure(lua_State *L, int index,
                                             ecs_Status status);

/* Adds program, run_program, program_info and drop_program to the table on top
 * of the stack. */
BIND_INTERNAL void bind_open_lua_program(lua_State *L);

#endif

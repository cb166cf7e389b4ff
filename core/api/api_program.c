/* api_program.c: the border for kernel programs.
 *
 * Checks that a call has as many uniforms, reductions, arrays and grids as its
 * program, and that no open cursor claims what the program reads or writes. */
#define ECS_DEFINES_API /* ecs.h */

#include "base/float_mode.h"
#include "api/kept_end.h"
#include "base/misuse.h"
#include "program/program_parse.h"
#include "program/program_order.h"
#include "program/program_print.h"
#include "program/vm.h"
#include "program/vm_arrays.h"
#include "program/vm_ahead.h"
#include "program/vm_near.h"
#include "program/vm_pass.h"
#include "query/claims.h"

#include <stdio.h>

/* Parses, verifies, orders and binds a program that is zero except for its
 * query. If the program does not fit the query, the user gets ECS_E_PROGRAM, and
 * the mistake says why. */
static ecs_Status make(ecs_Program *program, const char *text, size_t length,
                       const Mistake *mistake) {
  ecs_Status status = program_parse(program, text, length, mistake);
  if (status == ECS_OK) status = program_verify(program, mistake);
  if (status == ECS_OK) status = program_order(program);
  if (status == ECS_OK) status = program_bind(program, mistake);
  return status == ECS_E_KERNEL ? ECS_E_PROGRAM : status;
}

ecs_Status ecs_program_create(ecs_Query *query, const char *text, size_t length,
                              ecs_Program **program, char *message,
                              size_t capacity) {
  ECS_MUST_LIVE(QUERY, query);
  if (program == NULL || (text == NULL && length > 0)) return ECS_E_ARGUMENT;
  Memory *memory = &query->store->memory;
  Mistake mistake = {message, capacity};
  if (message != NULL && capacity > 0) message[0] = 0;
  ecs_Program *made = memory_zeroed(memory, 1, sizeof(ecs_Program));
  if (made == NULL) return ECS_E_MEMORY;
  made->query = query;
  FloatMode mode = float_mode_begin();
  ecs_Status status = make(made, text, length, &mistake);
  float_mode_end(mode);
  ECS_ASSERT(status != ECS_OK || query->programs == made);
  if (status != ECS_OK) {
    program_deinit(made);
    memory_free(memory, made, sizeof(ecs_Program));
    return status;
  }
  *program = made;
  return ECS_OK;
}

void ecs_program_destroy(ecs_Program *program) {
  if (program == NULL) return;
  ECS_MUST_LIVE(PROGRAM, program);
  program_destroy(program);
}

size_t ecs_program_text(const ecs_Program *program, char *text,
                        size_t capacity) {
  ECS_MUST_LIVE(PROGRAM, program);
  if (text == NULL) capacity = 0;
  return program_print(program, text, capacity);
}

/* Bytes per row of the columns that the program reads, or stores in. */
static uint32_t column_bytes(const ecs_Program *program, bool stores) {
  uint32_t bytes = 0;
  for (uint32_t c = 0; c < program->column_count; c++) {
    bool used = false;
    for (uint32_t k = 0; k < program->code_count; k++)
      used |= stores ? instruction_stores(&program->code[k], c)
                     : instruction_reads(&program->code[k], c);
    if (used) bytes += scalar_bytes(program->columns[c].type);
  }
  return bytes;
}

static const char *back_end(void) {
  const char *set = loop_instruction_set();
  if (strcmp(set, "AVX-512") == 0) return "block VM, AVX-512";
  return strcmp(set, "AVX2") == 0 ? "block VM, AVX2" : "block VM";
}

void ecs_program_info(const ecs_Program *program, ecs_ProgramInfo *info) {
  ECS_MUST_LIVE(PROGRAM, program);
  ECS_MISUSE_IF(info == NULL, "info is NULL");
  *info = (ecs_ProgramInfo){
      .uniforms = program->uniform_count,
      .reductions = program->reduction_count,
      .arrays = program->array_count,
      .grids = program->grid_count,
      .exits = program->exits,
      .operations = program->plan->step_count + program->plan->sum_count +
                    program->plan->put_count + program->plan->change_count,
      .bytes_read = column_bytes(program, false),
      .bytes_written = column_bytes(program, true),
      .back_end = back_end(),
      .alone = program->alone};
  for (uint32_t k = 0; k < program->plan->step_count; k++)
    info->slow_calls +=
        loop_is_slow((Operation)program->plan->steps[k].ins->operation);
}

void ecs_program_meetings(const ecs_Program *program,
                          ecs_ProgramMeetings *meetings) {
  ECS_MUST_LIVE(PROGRAM, program);
  ECS_MISUSE_IF(meetings == NULL, "meetings is NULL");
  const ProgramPlan *plan = program->plan;
  uint32_t late = plan_late(plan);
  *meetings =
      (ecs_ProgramMeetings){.late = late,
                            .late_cycles = late > 0 && !plan->slices,
                            .late_keys = late > 0 && !plan->keys_are_known,
                            .rows = program->meetings.rows,
                            .slices = program->meetings.slices,
                            .alone = program->meetings.alone};
}

static ecs_Status check_grids(const ecs_Program *program,
                              const ecs_ProgramCall *call) {
  for (uint32_t k = 0; k < call->grid_count; k++) {
    if (call->grids[k] == NULL) return ECS_E_ARGUMENT;
    ECS_MUST_LIVE(GRID, call->grids[k]);
  }
  return near_fits(program, call) ? ECS_OK : ECS_E_ARGUMENT;
}

/* Are the uniforms, arrays and grids of a call those of the program? */
static inline ecs_Status check_inputs(const ecs_Program *program,
                                      const ecs_ProgramCall *call) {
  if (call == NULL || call->uniform_count != program->uniform_count ||
      call->array_count != program->array_count ||
      call->grid_count != program->grid_count ||
      (call->uniform_count > 0 && call->uniforms == NULL) ||
      (call->array_count > 0 && call->arrays == NULL) ||
      (call->grid_count > 0 && call->grids == NULL))
    return ECS_E_ARGUMENT;
  ecs_Status status =
      call->grid_count > 0 ? check_grids(program, call) : ECS_OK;
  if (status != ECS_OK) return status;
  return arrays_check(program, call);
}

/* A component of the program that an open cursor contests; 0: there is none. */
static ecs_Component contested_by(const ecs_Program *program) {
  if (world_of(program->query)->depth == 0) return 0;
  ecs_Component contested = claims_contested(program->query);
  return contested != 0 ? contested : program_contested(program);
}

/* kept: see program_run. */
static ecs_Status run_checked(ecs_Program *program, const ecs_ProgramCall *call,
                              bool *kept) {
  ecs_Status status = check_inputs(program, call);
  if (status != ECS_OK) return status;
  if (call->reduction_count != program->reduction_count ||
      (call->reduction_count > 0 && call->reductions == NULL) ||
      (program->exits && call->stop == NULL))
    return ECS_E_ARGUMENT;
  ECS_ASSERT(program->plan != NULL && program->binding != NULL);
  ecs_Component contested = contested_by(program);
  if (contested != 0)
    return world_refuse_access(world_of(program->query), contested);
  FloatMode mode = float_mode_begin();
  status = program_run(program, call, kept);
  float_mode_end(mode);
  return status;
}

ecs_Status ecs_program_run(ecs_Program *program, const ecs_ProgramCall *call) {
  ECS_MUST_LIVE(PROGRAM, program);
  return run_checked(program, call, NULL);
}

bool ecs_program_changes(const ecs_Program *program) {
  ECS_MUST_LIVE(PROGRAM, program);
  return program->changes_structure;
}

ecs_Status ecs_program_run_kept(ecs_Program *program,
                                const ecs_ProgramCall *call, bool *kept) {
  ECS_MUST_LIVE(PROGRAM, program);
  *kept = false;
  return run_checked(program, call, kept);
}

bool ecs_program_go_on(ecs_Program *program, const ecs_ProgramCall *call,
                       ProgramPart *part) {
  ECS_MUST_LIVE(PROGRAM, program);
  FloatMode mode = float_mode_begin();
  bool done = ahead_run_part(program, call, part);
  float_mode_end(mode);
  return done;
}

ecs_Status ecs_program_run_part(ecs_Program *program,
                                const ecs_ProgramCall *call,
                                ProgramPart *part) {
  ECS_MUST_LIVE(PROGRAM, program);
  ecs_Status status = check_inputs(program, call);
  if (status != ECS_OK) return status;
  if (part == NULL || part->batch == NULL || part->first > part->batch->count ||
      (program->reduction_count > 0 && part->reductions == NULL))
    return ECS_E_ARGUMENT;
  ECS_MISUSE_IF(program->query->open == 0, "the query has no open cursor");
  ecs_Component contested = part->changed ? program_contested(program) : 0;
  if (contested != 0)
    return world_refuse_access(world_of(program->query), contested);
  FloatMode mode = float_mode_begin();
  status = program_run_part(program, call, part);
  float_mode_end(mode);
  return status;
}

/* Passes ------------------------------------------------------------------ */

const char *ecs_pass_hindrance(const ecs_Program *program) {
  ECS_MUST_LIVE(PROGRAM, program);
  return pass_hindrance(program);
}

bool ecs_pass_meets(const ecs_Program *one, const ecs_Program *other) {
  ECS_MUST_LIVE(PROGRAM, one);
  ECS_MUST_LIVE(PROGRAM, other);
  return pass_meets(one, other);
}

/* Runs programs together, if that pays and nothing open contests them. False:
 * nothing was run. */
static bool run_together(const PassProgram *programs, uint32_t count) {
  if (!pass_pays(programs, count)) return false;
  for (uint32_t k = 0; k < count; k++) {
    const ecs_Program *program = programs[k].program;
    if (programs[k].left_out) continue;
    if (check_inputs(program, &programs[k].call) != ECS_OK ||
        contested_by(program) != 0)
      return false;
  }
  FloatMode mode = float_mode_begin();
  bool done = pass_run_together(programs, count);
  float_mode_end(mode);
  return done;
}

/* How many of these run before one that begins. */
static uint32_t count_joined(const PassProgram *programs, uint32_t count) {
  uint32_t joined = 1;
  while (joined < count && !programs[joined].begins) joined++;
  return joined;
}

ecs_Status ecs_pass_run(PassProgram *programs, uint32_t count,
                        uint32_t *failed) {
  for (uint32_t first = 0; first < count;) {
    uint32_t end = first + count_joined(programs + first, count - first);
    if (end - first > 1 && run_together(programs + first, end - first))
      first = end;
    for (; first < end; first++) {
      if (programs[first].left_out) continue;
      ECS_MUST_LIVE(PROGRAM, programs[first].program);
      ecs_Status status =
          run_checked(programs[first].program, &programs[first].call, NULL);
      if (status == ECS_OK) continue;
      *failed = first;
      return status;
    }
  }
  return ECS_OK;
}

/* vm_sifting.c: programs over rows that tags stored as bits choose. */
#include "program/vm_sifting.h"

#include "base/clones.h"
#include "program/vm_loop_macros.h"

/* Programs ---------------------------------------------------------------- */

/* In units of 0.05 ns, for each row. */
#define COST_LIGHT 1u
#define COST_HEAVY 60u /* of the functions of math, and draws */
#define COST_SIFT 1u   /* for each column that is kept and put back, and 1 */
#define COST_MOVE 5u   /* for each column, gathered or scattered */
#define COST_LIST 45u  /* where the list is made for this run */

/* UINT32_MAX: it needs more than its own row. */
static uint32_t cost_of(const Instruction *ins) {
  switch (instruction_shape(ins)) {
    case SHAPE_UNARY:
      return ins->operation > OPERATION_ROOT ? COST_HEAVY : COST_LIGHT;
    case SHAPE_BINARY:
      return ins->operation >= OPERATION_FLOOR_DIVIDE &&
                     ins->operation <= OPERATION_OWN_ATAN2
                 ? COST_HEAVY
                 : COST_LIGHT;
    case SHAPE_RANDOM: return COST_HEAVY;
    case SHAPE_COMPARE:
    case SHAPE_EQUAL:
    case SHAPE_LOGIC:
    case SHAPE_NEGATION:
    case SHAPE_SELECT:
    case SHAPE_CONVERT:
    case SHAPE_QUANTIZE:
    case SHAPE_LOAD:
    case SHAPE_STORE: return COST_LIGHT;
    case SHAPE_CONSTANT:
    case SHAPE_UNIFORM:
    case SHAPE_PRESENT:
    case SHAPE_SELF: return 0;
    default: return UINT32_MAX;
  }
}

void sifting_prepare(ecs_Program *program) {
  ProgramSifting sifting = {0};
  program->sifting = sifting;
  if (program->column_count > 64) return;
  for (uint32_t k = 0; k < program->code_count; k++) {
    const Instruction *ins = &program->code[k];
    uint32_t cost = cost_of(ins);
    if (cost == UINT32_MAX) return;
    sifting.cost += cost;
    if (instruction_shape(ins) != SHAPE_STORE) continue;
    ECS_ASSERT(ins->index < program->column_count);
    sifting.stored |= UINT64_C(1) << ins->index;
  }
  sifting.stored_count = (uint32_t)__builtin_popcountll(sifting.stored);
  sifting.possible = sifting.stored_count <= SIFTED_COLUMNS;
  program->sifting = sifting;
}

/* Whether it pays --------------------------------------------------------- */

/* Of how many blocks of rows one is looked at. */
#define SAMPLED_BLOCKS 4u

/* Some rows of the matched tables, and how many of them are chosen. */
static void count_some(const QueryGroup *group, uint64_t *rows,
                       uint64_t *chosen) {
  uint8_t fits[QUERY_SIFT_ROWS];
  for (uint32_t i = 0; i < group->match.count; i++) {
    const Table *table = query_group_table(group, i);
    for (uint64_t first = 0; first < table->count;
         first += SAMPLED_BLOCKS * SIFTED_ROWS) {
      uint32_t left = table->count - (uint32_t)first;
      uint32_t count = left < SIFTED_ROWS ? left : SIFTED_ROWS;
      *chosen += query_group_sift(group, table, (uint32_t)first, count, fits);
      *rows += count;
    }
  }
}

bool sifting_pays(ecs_Program *program) {
  ProgramSifting *sifting = &program->sifting;
  const ecs_Query *query = program->query;
  if (!sifting->possible || query_is_full(query) || query->group_count > 1 ||
      query->links != NULL || query->picked != NULL)
    return false;
  const QueryGroup *group = &query->groups[0];
  uint64_t rows = 0, chosen = 0;
  bool unchanged = sifting->version == group->group->version;
  uint64_t moved = program->column_count + sifting->stored_count;
  uint64_t gathering = sifting->cost + COST_MOVE * moved;
  if (row_list_is_fresh(&query->rows, query->groups)) {
    rows = query_group_rows(group);
    chosen = query->rows.count;
  } else {
    if (!unchanged) gathering += COST_LIST;
    sifting->version = group->group->version;
    count_some(group, &rows, &chosen);
  }
  ECS_ASSERT(chosen <= rows);
  return chosen * gathering >
         rows * (sifting->cost + COST_SIFT * (sifting->stored_count + 1));
}

/* Keeping ----------------------------------------------------------------- */

#define PUT_BACK(bits)                                                      \
  CLONES static void put_back_##bits(void *column, const void *kept,        \
                                     const uint8_t *fits, uint32_t count) { \
    uint##bits##_t *restrict to = column;                                   \
    const uint##bits##_t *restrict from = kept;                             \
    ELEMENTWISE for (uint32_t i = 0; i < count; i++) {                      \
      const uint##bits##_t fresh = to[i], old = from[i];                    \
      to[i] = fits[i] != 0 ? fresh : old;                                   \
    }                                                                       \
  }

PUT_BACK(8)
PUT_BACK(16)
PUT_BACK(32)
PUT_BACK(64)

static void put_back(size_t bytes, void *column, const SiftedRows *rows,
                     const void *kept) {
  ECS_ASSERT(rows->count <= SIFTED_ROWS);
  switch (bytes) {
    case 1: put_back_8(column, kept, rows->fits, rows->count); break;
    case 2: put_back_16(column, kept, rows->fits, rows->count); break;
    case 4: put_back_32(column, kept, rows->fits, rows->count); break;
    default:
      ECS_ASSERT(bytes == 8);
      put_back_64(column, kept, rows->fits, rows->count);
      break;
  }
}

static bool keeps(const SiftedRows *rows) {
  return rows->chosen > 0 && rows->chosen < rows->count;
}

void sifting_keep(const ecs_Program *program, const Table *table,
                  const ecs_KernelBlock *block, uint32_t first,
                  SiftedRows *rows) {
  ECS_ASSERT(program->sifting.possible && first < table->count);
  uint32_t left = table->count - first, k = 0;
  rows->count = left < SIFTED_ROWS ? left : SIFTED_ROWS;
  rows->chosen = query_group_sift(&program->query->groups[0], table, first,
                                  rows->count, rows->fits);
  ECS_ASSERT(rows->chosen <= rows->count);
  if (!keeps(rows)) return;
  for (uint64_t stored = program->sifting.stored; stored != 0;
       stored &= stored - 1, k++) {
    uint32_t c = (uint32_t)__builtin_ctzll(stored);
    size_t bytes = scalar_bytes(program->columns[c].type);
    const char *column = block->columns[c];
    if (column != NULL)
      memcpy(rows->kept[k], column + first * bytes, rows->count * bytes);
  }
  ECS_ASSERT(k == program->sifting.stored_count && k <= SIFTED_COLUMNS);
}

void sifting_put_back(const ecs_Program *program, const ecs_KernelBlock *block,
                      uint32_t first, const SiftedRows *rows) {
  uint32_t k = 0;
  ECS_ASSERT(program->sifting.possible);
  if (!keeps(rows)) return;
  for (uint64_t stored = program->sifting.stored; stored != 0;
       stored &= stored - 1, k++) {
    uint32_t c = (uint32_t)__builtin_ctzll(stored);
    size_t bytes = scalar_bytes(program->columns[c].type);
    char *column = block->columns[c];
    if (column != NULL)
      put_back(bytes, column + first * bytes, rows, rows->kept[k]);
  }
}

/* vm_sifting.h: programs over rows that tags stored as bits choose.
 *
 * To gather the chosen rows of a table, and to scatter what a program made of
 * them, takes longer than to run it over all rows, if many are chosen. Then the
 * others get back what they had:
 *
 *      a b c d   --keep-->   a b c d   --run-->   A B C D
 *                            chosen: 1 0 0 1      A b c D
 *
 * That is for programs which do nothing but compute from their own row, and
 * store there. What they compute of the other rows is seen by nothing.
 */
#ifndef ECS_VM_SIFTING_H
#define ECS_VM_SIFTING_H

#include "program/vm_plan.h"
#include "query/query_span.h"

/* Programs that store into more columns run over gathered rows. */
#define SIFTED_COLUMNS 8u

/* So many rows are run at once. */
#define SIFTED_ROWS QUERY_SIFT_ROWS

/* What some rows of a block had. */
typedef struct SiftedRows {
  uint32_t count;  /* rows */
  uint32_t chosen; /* of them; none or all: nothing is kept */
  uint8_t fits[SIFTED_ROWS];
  uint64_t kept[SIFTED_COLUMNS][SIFTED_ROWS];
} SiftedRows;

/* Says of a program that is verified whether it may run that way. */
ECS_INTERNAL void sifting_prepare(ecs_Program *program);

/* Is it better to run over all rows of the tables? The query is planned. Cost:
 * 0.01 ns for each row of the tables, where there is no list of rows that
 * match. Where nothing has changed since it was asked last, a list would be
 * kept, and its making is not counted. */
ECS_INTERNAL bool sifting_pays(ecs_Program *program);

/* Finds which rows of a table are chosen, from first on, and keeps what the
 * columns of its block have there. */
ECS_INTERNAL void sifting_keep(const ecs_Program *program, const Table *table,
                               const ecs_KernelBlock *block, uint32_t first,
                               SiftedRows *rows);

/* Puts back what was kept of rows that are not chosen. */
ECS_INTERNAL void sifting_put_back(const ecs_Program *program,
                                   const ecs_KernelBlock *block, uint32_t first,
                                   const SiftedRows *rows);

#endif

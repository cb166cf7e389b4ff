/* ecs_access.h: rows of single entities in line, for C programs; include it
 * beside ecs.h.
 *
 * ecs_get and ecs_set cost a call for each entity, accessors a shorter one. The
 * functions here are compiled into the program instead, and make the same
 * checks: that the entity is alive and has the component, and that no open
 * cursor claims it. They are for loops over entities in any order:
 *
 *      ecs_Rows health;
 *      if (ecs_rows_open(world, Health, &health) != ECS_OK) ...
 *      for (size_t i = 0; i < hits; i++) {
 *        ecs_Row row;
 *        if (ecs_rows_write(&health, hit[i], &row) == ECS_OK)
 *          ECS_ELEMENT(&row, int32_t, 0) -= 1;
 *      }
 *
 * What makes them fast is one word per entity, which says its table, its row
 * and a part of its generation:
 *
 *      entity --index--> | row | table, generation |    = what is expected?
 *                           |
 *                           \--> columns[field][row]
 *
 * For a component stored alone as a sparse set it is the row of the set, and
 * the entity there. Everything else is left to the library: the first entity
 * after a change of structure, a table that is met first, components that
 * ecs_group has put together, and whatever is recorded.
 *
 * Blocks of entities that share a table take less still: what is true for all
 * of them is checked once (ecs_rows_read_block).
 *
 * So these functions know how a world lies in memory. A program must be
 * compiled with the header of the library that it runs with: ecs_rows_open
 * compares, and answers ECS_E_ABI where they differ. Compile anew, or use
 * accessors, which have no such bond.
 *
 * ns per entity, 65,536 of them in random order, two f32 fields, everything in
 * one run of build/bench/bench_rows and bench_access. Arrays: one maps an id to
 * a row, and nothing is checked. Handles: the same in arrays, but a handle of
 * eight bytes has a generation that is checked, as here.
 *
 *                           arrays   handles   accessor   rows   blocks
 *      get                    0.94      1.8        5.1     3.5      2.2
 *      get and set            1.3       1.8       10.5     3.8      2.3
 *      sparse get             0.94      1.8        6.6     4.3      2.5
 *      sparse get and set     1.3       1.8       14.9     4.6      2.6
 *
 * The rules of ecs.h hold here, too. A kernel must not use them: they are calls
 * into its world.
 */
#ifndef ECS_ACCESS_H
#define ECS_ACCESS_H

#include "ecs.h"

#include <string.h>

/* Its functions cast as C does, whatever a program in C++ wants of its own. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Prepared access to the rows of one component. Plain data owned by the caller:
 * it may be copied and dropped at any time, and must not be used after its
 * world. It follows every change of structure and of storage by itself. Its
 * fields are not for programs; the comments are for readers of this file. */
#define ECS_ROWS_TABLES 8u /* tables it remembers; a power of two */

typedef struct ecs_RowsTable {
  uint64_t known; /* the word of an entity of generation 0 there, without row */
  void *const *columns; /* the addresses of the component's columns */
} ecs_RowsTable;

typedef struct ecs_Rows {
  const uint64_t *epoch;  /* the world's row epoch */
  uint64_t read_epoch;    /* for which the rest holds; another number than the
                            world's: not to be read */
  uint64_t write_epoch;   /* likewise, to be written */
  const uintptr_t *bases; /* addresses: word i is 8 * i behind that of its
                               page, i >> ECS_ROWS_PAGE_BITS */
  ecs_RowsTable lone;     /* the only table found so far, or the set's; later
                               none */
  uint32_t limit;         /* indices below this have a word; 0: a set, or all
                               is left to the library */
  uint32_t set_limit;     /* likewise, a row of the set */
  const void *const *const *set_pages; /* the address of the array of pages with
                                          the rows of the set */
  const ecs_Entity *entities;          /* of the rows of the set */
  uint32_t field_count;
  uint32_t uniform; /* the ecs_Scalar of all fields, or ECS_SCALAR_COUNT */
  ecs_Component component;
  ecs_Status status; /* why the library found no row last */
  bool many;         /* rows were found in several tables since held_epoch */
  ecs_World *world;
  uint64_t held_epoch;                   /* for which all this was found */
  ecs_RowsTable tables[ECS_ROWS_TABLES]; /* if many: by the low bits of the
                                            table */
  uint16_t fields[64]; /* offset in the image << 4 | ecs_Scalar */
} ecs_Rows;

/* One row, valid until the world's structure changes or a cursor or a deferral
 * opens or closes (ecs_world_row_epoch). */
typedef struct ecs_Row {
  void *const *columns; /* one per field, in the order of the schema */
  size_t index;         /* of the row in each of them */
} ecs_Row;

/* The element of a field, 0 or more, as an lvalue; type is the field's in C:
 * float, double, int8_t ... uint32_t, uint8_t for a bool, ecs_Entity. What is
 * stored there must be what ecs_scalar_convert stores (ecs_Batch). */
#define ECS_ELEMENT(row, type, field) \
  (ECS_AS(type *, (row)->columns[field])[(row)->index])

/* Rows of several entities in one table, valid as long as a row. */
#define ECS_ROWS_BLOCK 64u

typedef struct ecs_RowBlock {
  void *const *columns; /* one per field, in the order of the schema; NULL: the
                           one entity has no row */
  size_t count;         /* of the entities that the block is for; 1 or more */
  uint32_t index[ECS_ROWS_BLOCK]; /* of each row in the columns */
} ecs_RowBlock;

/* The column of a field; types are those of ECS_ELEMENT. */
#define ECS_COLUMN(block, type, field) ECS_AS(type *, (block)->columns[field])

/* What this header believes of the library: a number that changes with the
 * layout, the bits of a page, and the generations that a word distinguishes. */
#ifdef ECS_TINY
#define ECS_ROWS_PAGE_BITS 2u
#define ECS_ROWS_SET_BITS 2u
#define ECS_ROWS_GENERATIONS 1u
#else
#define ECS_ROWS_PAGE_BITS 12u
#define ECS_ROWS_SET_BITS 8u
#define ECS_ROWS_GENERATIONS 31u
#endif
#define ECS_ROWS_LAYOUT 3u
#define ECS_ROWS_SET_MASK ((1u << ECS_ROWS_SET_BITS) - 1u)
#define ECS_ROWS_ABI \
  (ECS_ROWS_LAYOUT << 16 | ECS_ROWS_PAGE_BITS << 8 | ECS_ROWS_GENERATIONS)

/* In the library; the functions below call them. */
ECS_API ecs_Status ecs_rows_prepare(ecs_World *world, ecs_Component component,
                                    uint32_t abi, size_t bytes, ecs_Rows *rows);
ECS_API ecs_Row ecs_rows_locate(ecs_Rows *rows, ecs_Entity entity,
                                bool to_write);
ECS_API ecs_Status ecs_rows_record(ecs_Rows *rows, ecs_Entity entity,
                                   const void *image);
/* Checked builds of both: is the world there, and the row what the library
 * finds, too? row NULL: the first alone. */
ECS_API void ecs_rows_verify(const ecs_Rows *rows, ecs_Entity entity,
                             const ecs_Row *row);
#ifdef ECS_CHECKED
#define ECS_ROWS_VERIFY(rows, entity, row) ecs_rows_verify(rows, entity, row)
#else
#define ECS_ROWS_VERIFY(rows, entity, row) ((void)0)
#endif

/* ECS_ROWS_HIDE: compilers cannot see how many fields a component has, and warn
 * of loops over an image that is smaller than 64 of them. */
#if defined(__clang__)
#define ECS_ROWS_UNROLL _Pragma("unroll 4")
#elif defined(__GNUC__) && __GNUC__ >= 8
#define ECS_ROWS_UNROLL _Pragma("GCC unroll 4")
#else
#define ECS_ROWS_UNROLL
#endif
#if defined(__GNUC__)
#define ECS_ROWS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define ECS_ROWS_HIDE(pointer) __asm__("" : "+r"(pointer))
#else
#define ECS_ROWS_LIKELY(condition) (condition)
#define ECS_ROWS_HIDE(pointer) ((void)0)
#endif

/* The bits of an entity's word that must be as expected: all but the row and
 * three bits of the table's half; and of these, all but the generation. */
#define ECS_ROWS_ASKED \
  ((uint64_t)(0xffffffu | 0xf8000000u) << 32 | (uint64_t)0xf0000000u)
#define ECS_ROWS_PLACE ((uint64_t)0xffffffu << 32 | (uint64_t)0xf0000000u)

/* Prepares access to the rows of a component. Returns ECS_OK, ECS_E_ABI when
 * this header is not that of the library, ECS_E_COMPONENT (unknown, or a tag),
 * or ECS_E_ARGUMENT (rows is NULL). Cost: none that depends on the world. */
static inline ecs_Status ecs_rows_open(ecs_World *world,
                                       ecs_Component component,
                                       ecs_Rows *rows) {
  return ecs_rows_prepare(world, component, ECS_ROWS_ABI, sizeof *rows, rows);
}

/* The row of a sparse set in line; false: ask the library. */
static inline bool ecs_rows_of_set(const ecs_Rows *rows, ecs_Entity entity,
                                   ecs_Row *row) {
  uint32_t index = (uint32_t)entity & 0xfffffffu;
  if (!ECS_ROWS_LIKELY(index < rows->set_limit)) return false;
  const void *page = (*rows->set_pages)[index >> ECS_ROWS_SET_BITS];
  if (!ECS_ROWS_LIKELY(page != NULL)) return false;
  uint32_t found = ((const uint32_t *)page)[index & ECS_ROWS_SET_MASK];
  if (!ECS_ROWS_LIKELY(found < UINT32_MAX - 1u)) return false;
  row->columns = rows->lone.columns;
  row->index = found;
  return rows->entities[found] == entity;
}

/* An entity's word; its index is below the limit. */
static inline uint64_t ecs_rows_word(const uintptr_t *bases, uint32_t index) {
  const uint32_t *word = (const uint32_t *)(bases[index >> ECS_ROWS_PAGE_BITS] +
                                            (uintptr_t)index * 8);
  return (uint64_t)word[1] << 32 | word[0];
}

/* The row in line; false: ask the library. */
static inline bool ecs_rows_in_line(const ecs_Rows *rows, ecs_Entity entity,
                                    ecs_Row *row) {
  uint32_t index = (uint32_t)entity & 0xfffffffu;
  uint64_t generation = entity >> 28;
  if (!ECS_ROWS_LIKELY(index < rows->limit))
    return ecs_rows_of_set(rows, entity, row);
  if (!ECS_ROWS_LIKELY(generation < ECS_ROWS_GENERATIONS)) return false;
  uint64_t word = ecs_rows_word(rows->bases, index);
  row->index = (uint32_t)word;
  row->columns = rows->lone.columns;
  word = (word & ECS_ROWS_ASKED) - (generation << 59);
  if (ECS_ROWS_LIKELY(word == rows->lone.known)) return true;
  const ecs_RowsTable *table =
      &rows->tables[word >> 32 & (ECS_ROWS_TABLES - 1u)];
  row->columns = table->columns;
  return word == table->known;
}

/* Finds an entity's row, to read it. Returns ECS_OK, or the first of these that
 * holds: ECS_E_ACCESS when an open cursor writes the component, ECS_E_DEAD,
 * ECS_E_ABSENT, as in ecs_get; then row->columns is NULL. */
static inline ecs_Status ecs_rows_read(ecs_Rows *rows, ecs_Entity entity,
                                       ecs_Row *row) {
  ecs_Row found = {NULL, 0};
  ECS_ROWS_VERIFY(rows, entity, NULL);
  if (!ECS_ROWS_LIKELY(*rows->epoch == rows->read_epoch &&
                       ecs_rows_in_line(rows, entity, &found))) {
    found = ecs_rows_locate(rows, entity, false);
    if (!ECS_ROWS_LIKELY(found.columns != NULL)) {
      *row = found;
      return rows->status;
    }
  }
  *row = found;
  ECS_ROWS_VERIFY(rows, entity, row);
  return ECS_OK;
}

/* Finds an entity's row, to read and write it. Returns ECS_OK, or the first of
 * these that holds: ECS_E_ACCESS when an open cursor reads or writes the
 * component, ECS_E_DEAD, ECS_E_ABSENT, and ECS_E_OPEN when changes of the
 * entity are recorded, after which its values count: set it by ecs_rows_set. */
static inline ecs_Status ecs_rows_write(ecs_Rows *rows, ecs_Entity entity,
                                        ecs_Row *row) {
  ecs_Row found = {NULL, 0};
  ECS_ROWS_VERIFY(rows, entity, NULL);
  if (!ECS_ROWS_LIKELY(*rows->epoch == rows->write_epoch &&
                       ecs_rows_in_line(rows, entity, &found))) {
    found = ecs_rows_locate(rows, entity, true);
    if (!ECS_ROWS_LIKELY(found.columns != NULL)) {
      *row = found;
      return rows->status;
    }
  }
  *row = found;
  ECS_ROWS_VERIFY(rows, entity, row);
  return ECS_OK;
}

/* Fills a block from its second row on, while the entities have a row in the
 * table of the first, which is in the main group. Returns the rows of it. */
static inline size_t ecs_rows_extend(const ecs_Rows *rows,
                                     const ecs_Entity *entities, size_t count,
                                     uint32_t *found) {
  const uintptr_t *bases = rows->bases;
  uint32_t limit = rows->limit, first = (uint32_t)entities[0] & 0xfffffffu;
  if (first >= limit) return 1;
  uint64_t known = ecs_rows_word(bases, first) & ECS_ROWS_PLACE;
  size_t i = 1;
  ECS_ROWS_UNROLL
  for (; i < count; i++) {
    uint32_t index = (uint32_t)entities[i] & 0xfffffffu;
    uint64_t generation = entities[i] >> 28;
    if (!ECS_ROWS_LIKELY(index < limit && generation < ECS_ROWS_GENERATIONS))
      break;
    uint64_t word = ecs_rows_word(bases, index);
    found[i] = (uint32_t)word;
    if (!ECS_ROWS_LIKELY((word & ECS_ROWS_ASKED) - (generation << 59) == known))
      break;
  }
  return i;
}

/* The same in a sparse set. */
static inline size_t ecs_rows_extend_set(const ecs_Rows *rows,
                                         const ecs_Entity *entities,
                                         size_t count, uint32_t *found) {
  const void *const *pages = *rows->set_pages;
  const ecs_Entity *owners = rows->entities;
  uint32_t limit = rows->set_limit;
  size_t i = 1;
  ECS_ROWS_UNROLL
  for (; i < count; i++) {
    uint32_t index = (uint32_t)entities[i] & 0xfffffffu;
    if (!ECS_ROWS_LIKELY(index < limit)) break;
    const uint32_t *page = (const uint32_t *)pages[index >> ECS_ROWS_SET_BITS];
    if (!ECS_ROWS_LIKELY(page != NULL)) break;
    uint32_t row = page[index & ECS_ROWS_SET_MASK];
    if (!ECS_ROWS_LIKELY(row < UINT32_MAX - 1u && owners[row] == entities[i]))
      break;
    found[i] = row;
  }
  return i;
}

/* The body of both functions below. */
static inline ecs_Status ecs_rows_block(ecs_Rows *rows,
                                        const ecs_Entity *entities,
                                        size_t count, bool to_write,
                                        ecs_RowBlock *block) {
  ecs_Row first = {NULL, 0};
  ecs_Status status = ECS_OK;
  block->columns = NULL;
  block->count = 0;
  if (count == 0) return ECS_OK;
  status = to_write ? ecs_rows_write(rows, entities[0], &first)
                    : ecs_rows_read(rows, entities[0], &first);
  block->columns = first.columns;
  block->count = 1;
  block->index[0] = (uint32_t)first.index;
  if (!ECS_ROWS_LIKELY(status == ECS_OK) ||
      *rows->epoch != (to_write ? rows->write_epoch : rows->read_epoch))
    return status;
  if (count > ECS_ROWS_BLOCK) count = ECS_ROWS_BLOCK;
  if (ECS_ROWS_LIKELY(rows->limit > 0))
    block->count = ecs_rows_extend(rows, entities, count, block->index);
  else if (rows->set_limit > 0)
    block->count = ecs_rows_extend_set(rows, entities, count, block->index);
  for (size_t i = 0; i < block->count; i++) {
    first.index = block->index[i];
    ECS_ROWS_VERIFY(rows, entities[i], &first);
  }
  return ECS_OK;
}

/* Finds the rows of the first entities of a list, to read them: of as many as
 * have their rows in one table, at most ECS_ROWS_BLOCK. What is true for all of
 * them is checked once, and no look-up waits for another, so a block takes less
 * than ecs_rows_read for each:
 *
 *      for (size_t i = 0; i < count; i += block.count) {
 *        if (ecs_rows_read_block(&rows, list + i, count - i, &block) != ECS_OK)
 *          continue;
 *        const float *x = ECS_COLUMN(&block, const float, 0);
 *        for (size_t k = 0; k < block.count; k++) sum += x[block.index[k]];
 *      }
 *
 * Returns what ecs_rows_read returns for the first entity. If that is not
 * ECS_OK, the block is this one entity, and its columns are NULL. */
static inline ecs_Status ecs_rows_read_block(ecs_Rows *rows,
                                             const ecs_Entity *entities,
                                             size_t count,
                                             ecs_RowBlock *block) {
  return ecs_rows_block(rows, entities, count, false, block);
}

/* The same to read and write them, as ecs_rows_write. An entity that is listed
 * twice is in the block twice. */
static inline ecs_Status ecs_rows_write_block(ecs_Rows *rows,
                                              const ecs_Entity *entities,
                                              size_t count,
                                              ecs_RowBlock *block) {
  return ecs_rows_block(rows, entities, count, true, block);
}

/* Copies an element of a type; what enters a column is made canonical. */
static inline void ecs_rows_load(void *to, const void *column, size_t index,
                                 uint32_t type) {
  switch (type) {
    case ECS_F64:
    case ECS_ENTITY: memcpy(to, (const char *)column + index * 8, 8); break;
    case ECS_I8:
    case ECS_U8:
    case ECS_BOOL: memcpy(to, (const char *)column + index, 1); break;
    case ECS_I16:
    case ECS_U16: memcpy(to, (const char *)column + index * 2, 2); break;
    default: memcpy(to, (const char *)column + index * 4, 4); break;
  }
}

/* Two elements of four bytes, stored as one: a program that reads both at once
 * would wait for two stores. */
static inline void ecs_rows_load_two(void *to, const ecs_Row *row) {
  uint32_t first, second;
  memcpy(&first, (const char *)row->columns[0] + row->index * 4, 4);
  memcpy(&second, (const char *)row->columns[1] + row->index * 4, 4);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  uint64_t both = (uint64_t)first << 32 | second;
#else
  uint64_t both = (uint64_t)second << 32 | first;
#endif
  memcpy(to, &both, 8);
}

static inline void ecs_rows_store_f32(void *column, size_t index,
                                      const void *from) {
  uint32_t bits;
  memcpy(&bits, from, 4);
  if (!ECS_ROWS_LIKELY((bits & 0x7fffffffu) <= 0x7f800000u)) bits = 0x7fc00000u;
  memcpy((char *)column + index * 4, &bits, 4);
}

static inline void ecs_rows_store(void *column, size_t index, const void *from,
                                  uint32_t type) {
  uint64_t bits = 0;
  switch (type) {
    case ECS_F32: ecs_rows_store_f32(column, index, from); break;
    case ECS_F64:
      memcpy(&bits, from, 8);
      if ((bits & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000))
        bits = UINT64_C(0x7ff8000000000000);
      memcpy((char *)column + index * 8, &bits, 8);
      break;
    case ECS_ENTITY:
      memcpy(&bits, from, 8);
      if (bits >> 52 != 0) bits = 0;
      memcpy((char *)column + index * 8, &bits, 8);
      break;
    case ECS_BOOL:
      ((uint8_t *)column)[index] = *(const uint8_t *)from != 0;
      break;
    case ECS_I8:
    case ECS_U8: memcpy((char *)column + index, from, 1); break;
    case ECS_I16:
    case ECS_U16: memcpy((char *)column + index * 2, from, 2); break;
    default: memcpy((char *)column + index * 4, from, 4); break;
  }
}

/* Copies the component of an entity into image, as ecs_accessor_get. */
static inline ecs_Status ecs_rows_get(ecs_Rows *rows, ecs_Entity entity,
                                      void *image) {
  ecs_Row row;
  ecs_Status status = ecs_rows_read(rows, entity, &row);
  if (!ECS_ROWS_LIKELY(status == ECS_OK)) return status;
  ECS_ROWS_HIDE(image);
  if (ECS_ROWS_LIKELY(rows->uniform == ECS_F32)) {
    if (rows->field_count == 2) {
      ecs_rows_load_two(image, &row);
      return ECS_OK;
    }
    for (uint32_t i = 0; i < rows->field_count; i++)
      memcpy((char *)image + (size_t)i * 4,
             (const char *)row.columns[i] + row.index * 4, 4);
    return ECS_OK;
  }
  for (uint32_t i = 0; i < rows->field_count; i++)
    ecs_rows_load((char *)image + (rows->fields[i] >> 4), row.columns[i],
                  row.index, rows->fields[i] & 15u);
  return ECS_OK;
}

/* Sets all fields of the component from image; never adds it. When changes of
 * the entity are recorded, the set is recorded, too: as ecs_accessor_set. */
static inline ecs_Status ecs_rows_set(ecs_Rows *rows, ecs_Entity entity,
                                      const void *image) {
  ecs_Row row;
  ecs_Status status = ecs_rows_write(rows, entity, &row);
  ECS_ROWS_HIDE(image);
  if (!ECS_ROWS_LIKELY(status == ECS_OK))
    return status == ECS_E_OPEN ? ecs_rows_record(rows, entity, image) : status;
  if (ECS_ROWS_LIKELY(rows->uniform == ECS_F32)) {
    for (uint32_t i = 0; i < rows->field_count; i++)
      ecs_rows_store_f32(row.columns[i], row.index,
                         (const char *)image + (size_t)i * 4);
    return ECS_OK;
  }
  for (uint32_t i = 0; i < rows->field_count; i++)
    ecs_rows_store(row.columns[i], row.index,
                   (const char *)image + (rows->fields[i] >> 4),
                   rows->fields[i] & 15u);
  return ECS_OK;
}

#ifdef __cplusplus
}
#endif

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif

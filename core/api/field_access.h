/* field_access.h: single fields of single entities, as numbers, for LuaJIT.
 *
 * An accessor (accessor.c) moves whole images for callers in C. These functions
 * are for compiled scripts that read or write one field of any entity in a few
 * nanoseconds. A call that is out of the ordinary is left to the caller, which
 * makes it in the ordinary way: the answer is then FIELD_ASK, false or a NaN,
 * and nothing has changed.
 *
 * A FieldAccess belongs to one component of one world and caches tables. The
 * low bits of a table's id say where in the cache the table is:
 *
 *      entity --index--> | row | table | --> known[table % 8]
 *                           |                 | id | without | columns |
 *                           +--> columns[field][row]  <----------/
 *
 * The row is looked up in the component's own group alone: if the row's entity
 * equals the handle, the entity is alive. Tables have stable addresses until
 * the layout changes, so layout_version alone says whether the cache is valid.
 * Columns move, so their addresses are loaded from the table at each call.
 *
 * Called by LuaJIT for 10,000 entities in random order, in ns, loop included:
 *
 *      get in a world of            one table   eight tables   has
 *      no cache                        12.0         12.1       9.5
 *      eight tables cached             10.3         10.3       7.9
 *      the last table cached            9.0         25         6.4
 *      one table, eight if need be      8.9         11.0       6.9
 *
 * Adding, removing and destroying use no cache.
 *
 * Any double may be given as an entity; a number that is no handle is not
 * alive. Fields and components are not checked: the caller knows the schema.
 * Cost: constant, but for adding, removing and destroying, which move rows.
 *
 * The binding may be in another library, so these functions are exported. They
 * are not part of the interface that ecs.h promises.
 */
#ifndef ECS_FIELD_ACCESS_H
#define ECS_FIELD_ACCESS_H

#include "base/config.h"
#include "ecs.h"

typedef enum FieldAnswer {
  FIELD_NO = 0,
  FIELD_YES = 1,
  FIELD_ASK = 2, /* make the call in the ordinary way, which reports errors */
  FIELD_TELL = 3 /* yes, and notices of observers wait now */
} FieldAnswer;

/* Two cached tables with the same low bits of their ids: one that has the
 * component, one that has not. The padding makes it 32 bytes, so that an index
 * is a shift. */
typedef struct FieldTable {
  uint32_t id;               /* of the table with the component;
                                FIELD_NO_TABLE: none */
  uint32_t without;          /* of the table without it; FIELD_NO_TABLE: none */
  const struct Table *table; /* the table of `id`; borrowed */
  char *const *columns;      /* the addresses of the component's columns there,
                                one per field; borrowed; NULL: a tag */
  uint64_t padding;
} FieldTable;
#define FIELD_NO_TABLE UINT32_MAX
#define FIELD_TABLES 8u /* a power of two */

typedef struct FieldAccess {
  ecs_World *const *world;     /* borrowed; holds NULL once the world is
                                  destroyed */
  ecs_Component component;     /* 0: only ecs_field_alive and ecs_field_destroy
                                  are called */
  bool plain;                  /* every field is f32 */
  uint64_t layout_version;     /* of the store, when the rest was cached;
                                  UINT64_MAX: nothing is cached */
  const struct Group *group;   /* the component's; NULL: the main group */
  const struct Schema *schema; /* the component's; NULL: component is 0 */
  bool many;                   /* `known` is used; false: `lone` is */
  FieldTable lone;             /* the only table found so far; once `many` is
                                  true, unused */
  FieldTable known[FIELD_TABLES]; /* by the low bits of table ids */
} FieldAccess;

/* Some fields of one component, read or written together. */
typedef struct FieldSelection {
  FieldAccess access;              /* of the component */
  uint32_t count;                  /* of fields; 1 at least */
  uint8_t fields[ECS_FIELD_LIMIT]; /* their positions in the component; to be
                                      written, different ones */
} FieldSelection;

/* Prepares access to a component of the world; 0: to entities alone. `world`
 * must hold NULL once the world is destroyed, and must outlive the access.
 * Allocates nothing, so there is nothing to free. */
ECS_API void ecs_field_init(FieldAccess *access, ecs_World *const *world,
                            ecs_Component component);

/* Reads one field. A NaN means that the field holds one, that the entity has no
 * such component, or FIELD_ASK; ecs_field_present says which. */
ECS_API double ecs_field_get(FieldAccess *access, double entity,
                             uint32_t field);

/* FIELD_YES: the entity has the component. FIELD_ASK: an open cursor writes the
 * component, or the world was destroyed. */
ECS_API FieldAnswer ecs_field_present(FieldAccess *access, double entity);

/* Reads two fields into values[0] and [1]. FIELD_NO: the entity has no such
 * component. FIELD_NO and FIELD_ASK leave values as they were. */
ECS_API FieldAnswer ecs_field_pair(FieldAccess *access, double entity,
                                   uint32_t first, uint32_t second,
                                   double *values);

/* Reads every field into values, in the order of the definition; otherwise as
 * ecs_field_pair. */
ECS_API FieldAnswer ecs_field_all(FieldAccess *access, double entity,
                                  double *values);

/* Reads the selected fields into values, in the order of the selection;
 * otherwise as ecs_field_pair. */
ECS_API FieldAnswer ecs_fields_get(FieldSelection *selection, double entity,
                                   double *values);

/* Stores one field if the entity has the component, the field's type holds the
 * value, no open cursor claims the component, and nothing is recorded. 0:
 * nothing has changed. (Not bool: tools/generate_cdef.lua says why.) */
ECS_API int32_t ecs_field_set(FieldAccess *access, double entity,
                              uint32_t field, double value);

/* Stores all selected fields, or none; otherwise as ecs_field_set. */
ECS_API int32_t ecs_fields_set(FieldSelection *selection, double entity,
                               const double *values);

/* As ecs_has, of components and tags. FIELD_ASK: the world was destroyed. */
ECS_API FieldAnswer ecs_field_has(FieldAccess *access, double entity);

/* FIELD_YES: the entity has each of count components. FIELD_ASK: nothing is
 * known of one of them, because its world was destroyed. */
ECS_API FieldAnswer ecs_fields_has(FieldAccess *accesses, uint32_t count,
                                   double entity);

/* As ecs_alive. FIELD_ASK: the world was destroyed. */
ECS_API FieldAnswer ecs_field_alive(FieldAccess *access, double entity);

/* As ecs_add with defaults. FIELD_YES or FIELD_TELL; FIELD_ASK: it failed, and
 * nothing has changed. */
ECS_API FieldAnswer ecs_field_add(const FieldAccess *access, double entity);

/* As ecs_remove, otherwise as ecs_field_add. */
ECS_API FieldAnswer ecs_field_remove(const FieldAccess *access, double entity);

/* As ecs_destroy, otherwise as ecs_field_add. FIELD_NO: the entity is dead
 * already. */
ECS_API FieldAnswer ecs_field_destroy(const FieldAccess *access, double entity);

#endif

/* field_access.h: single fields of single entities, as numbers, for LuaJIT.
 *
 * An accessor (accessor.c) moves whole images for callers in C. This is for a
 * script whose compiled code wants one field of any entity in a few
 * nanoseconds, and has another way for whatever is out of the ordinary: then
 * the answer is FIELD_ASK, false or a NaN, and nothing has changed.
 *
 * A FieldAccess belongs to one component of one world and remembers tables it
 * has met, each at a place that the end of its id names:
 *
 *      entity --index--> | row | table | --> known[table % 8]
 *                           |                 | id | without | columns |
 *                           +--> columns[field][row]  <----------/
 *
 * The place is looked up in the component's own group alone: whoever owns a row
 * there is alive, and the row says who that is. Tables have stable addresses
 * until the layout changes, so layout_version is all that can make stale what
 * is remembered; their columns are asked for anew each time, because they move.
 *
 * Called by LuaJIT for 10,000 entities in random order, in ns, loop included:
 *
 *      get in a world of            one table   eight tables   has
 *      nothing remembered              12.0         12.1       9.5
 *      eight tables                    10.3         10.3       7.9
 *      the last table                   9.0         25         6.4
 *      one table, eight if need be      8.9         11.0       6.9
 *
 * Adding, removing and destroying look for nothing here. They are calls of the
 * border, as such a script can make them.
 *
 * Any double is a fair question: what is no handle is found nowhere. Fields are
 * not checked: the caller knows the schema. Cost: constant.
 *
 * A library of its own may hold the binding, so these functions are exported;
 * they are no part of the interface that ecs.h promises.
 */
#ifndef ECS_FIELD_ACCESS_H
#define ECS_FIELD_ACCESS_H

#include "base/config.h"
#include "ecs.h"

typedef enum FieldAnswer {
  FIELD_NO = 0,
  FIELD_YES = 1,
  FIELD_ASK = 2 /* in the ordinary way, which knows what to say */
} FieldAnswer;

/* What is remembered of tables whose ids end alike. A look at one is a shift:
 * the padding makes it 32 bytes. */
typedef struct FieldTable {
  uint32_t id;               /* has the component; or FIELD_NO_TABLE */
  uint32_t without;          /* another, which has not; or FIELD_NO_TABLE */
  const struct Table *table; /* the one of id */
  char *const *columns;      /* of the component's fields in it */
  uint64_t padding;
} FieldTable;
#define FIELD_NO_TABLE UINT32_MAX
#define FIELD_TABLES 8u /* a power of two */

typedef struct FieldAccess {
  ecs_World *const *world;   /* borrowed; NULL there: it was destroyed */
  ecs_Component component;   /* 0: only ecs_field_alive and _destroy are
                                  called */
  bool plain;                /* all fields are f32 */
  uint64_t layout_version;   /* that what follows was found for */
  const struct Group *group; /* NULL: the main group */
  const struct Schema *schema;
  bool many;       /* more than one table was met; until then ... */
  FieldTable lone; /* ... this is the one, afterwards any of them */
  FieldTable known[FIELD_TABLES];
} FieldAccess;

/* For a component of the world that is there now, or 0: none. */
ECS_API void ecs_field_init(FieldAccess *access, ecs_World *const *world,
                            ecs_Component component);

/* One field. A NaN: it is one, or the entity has no such component, or
 * FIELD_ASK; ecs_field_present tells which. */
ECS_API double ecs_field_get(FieldAccess *access, double entity,
                             uint32_t field);
ECS_API FieldAnswer ecs_field_present(FieldAccess *access, double entity);

/* Two fields into values[0] and [1]; every field into values. FIELD_NO: the
 * entity has no such component, and values are as they were. */
ECS_API FieldAnswer ecs_field_pair(FieldAccess *access, double entity,
                                   uint32_t first, uint32_t second,
                                   double *values);
ECS_API FieldAnswer ecs_field_all(FieldAccess *access, double entity,
                                  double *values);

/* Stores one field, strictly, where the component is present, no cursor forbids
 * it and nothing is recorded. False: nothing has changed. */
ECS_API bool ecs_field_set(FieldAccess *access, double entity, uint32_t field,
                           double value);

/* As ecs_has, for tags, too, and as ecs_alive. */
ECS_API FieldAnswer ecs_field_has(FieldAccess *access, double entity);
ECS_API FieldAnswer ecs_field_alive(FieldAccess *access, double entity);

/* As ecs_add with defaults, ecs_remove and ecs_destroy. FIELD_NO: the entity
 * that is to be destroyed is dead. FIELD_ASK: they failed, and nothing has
 * changed. */
ECS_API FieldAnswer ecs_field_add(const FieldAccess *access, double entity);
ECS_API FieldAnswer ecs_field_remove(const FieldAccess *access, double entity);
ECS_API FieldAnswer ecs_field_destroy(const FieldAccess *access, double entity);

#endif

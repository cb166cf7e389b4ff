/* ecs.h: an entity component system engine, as seen by C programs.
 *
 * A world holds entities. An entity is a handle and nothing else; what it has
 * are components. A component is a schema of scalar fields, and every field of
 * it is one column: an array that starts on a 64-byte line. Rows of a table
 * belong to entities that have exactly the same components of one group:
 *
 *      group {Position, Velocity, ...}            group {Stunned}
 *      table {Position, Velocity}                 table {Stunned}
 *        entities | e1 | e4 | e7 |                  entities | e4 |
 *        x        | .. | .. | .. |
 *        y        | .. | .. | .. |
 *        dx       | .. | .. | .. |
 *        dy       | .. | .. | .. |
 *
 * What this library does not do: it starts no threads, keeps no global state,
 * never calls exit and never prints. It does not lock either: a world and all
 * that belongs to it is used by one thread at a time.
 *
 * Every function that can fail returns an ecs_Status. One that does not return
 * ECS_OK has changed nothing that a caller can see: the world's hash is what it
 * was. Pointers handed in are borrowed for the call; strings are copied.
 *
 * What a function says of itself is what it adds to the following. A pointer
 * may be NULL only where that is said, and an object must live; entities,
 * components and all other numbers are checked. Results are there after ECS_OK
 * alone. Whatever makes something, plans, or changes structure may answer
 * ECS_E_MEMORY, and ECS_E_LIMIT past 2^28 - 1 entities alive, 65,536 components
 * or groups, 2^24 queries, bundles or tables of a group, 8,191 columns of one
 * element size in a table, 2^31 recorded changes (config.h names them). Cost:
 * what is told is beyond a constant, and allocations beside; no function waits.
 *
 * Where something is said to be open (a cursor between begin and end), changes
 * of structure are recorded and applied when the outermost one ends.
 */
#ifndef ECS_H
#define ECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ECS_VERSION "0.1.0"

#ifndef ECS_API
#if defined(_WIN32)
#define ECS_API __declspec(dllexport)
#else
#define ECS_API __attribute__((visibility("default")))
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Outcomes. ecs_status_text has a sentence for each. */
typedef enum ecs_Status {
  ECS_OK = 0,
  ECS_E_MEMORY,    /* the allocator refused */
  ECS_E_LIMIT,     /* a named limit of config.h is reached */
  ECS_E_DEAD,      /* the entity is null, was destroyed or was never issued */
  ECS_E_ABSENT,    /* the entity lacks the component */
  ECS_E_COMPONENT, /* no such component, a tag where fields are needed,
                      or one component twice */
  ECS_E_FIELD,     /* no such field */
  ECS_E_VALUE,     /* a value of the wrong kind or out of the field's range */
  ECS_E_NAME,      /* a name that is empty, too long, or taken */
  ECS_E_SCHEMA,    /* the name is taken by another schema or storage */
  ECS_E_OPEN,      /* not while a cursor is open or changes are deferred */
  ECS_E_ACCESS,    /* an open cursor owns this component */
  ECS_E_ARGUMENT,  /* an argument outside its documented range */
  ECS_E_LIBRARY,   /* a native library could not be loaded */
  ECS_E_ABI,       /* a native library was built against another ecs.h */
  ECS_E_KERNEL,    /* no such kernel, or its columns do not fit the query */
  ECS_E_NAN,       /* checked build: a kernel stored a NaN with a payload */
  ECS_E_PROGRAM,   /* a kernel program that is no program */
  ECS_STATUS_COUNT
} ecs_Status;

/* "ECS_E_DEAD", and a sentence for people. Never NULL, for no number at all;
 * constants. */
ECS_API const char *ecs_status_name(ecs_Status status);
ECS_API const char *ecs_status_text(ecs_Status status);

/* An entity: generation in bits 28 to 51, index in bits 0 to 27.
 *
 *     63        52 51                28 27                 0
 *    +------------+--------------------+--------------------+
 *    |     0      |     generation     |       index        |
 *    +------------+--------------------+--------------------+
 *
 * It fits a double exactly. 0 is the null entity and is never issued; nor is
 * any handle issued twice: an index whose generations are used up is retired.
 */
typedef uint64_t ecs_Entity;

typedef uint32_t ecs_Component; /* 1, 2 ... in order of definition; 0: none */
typedef uint32_t ecs_Bundle;    /* 1, 2 ... a prepared set of components */

typedef struct ecs_World ecs_World;
typedef struct ecs_Query ecs_Query;
typedef struct ecs_KernelBinding ecs_KernelBinding;
typedef struct ecs_Program ecs_Program;

/* Memory ------------------------------------------------------------------ */

/* Where a world gets its memory: the signature of lua_Alloc. new_bytes 0 frees
 * and returns NULL; block NULL allocates; otherwise the block is resized and
 * old_bytes is its size. NULL means refusal and leaves the block as it was.
 * Blocks are aligned for any scalar. */
typedef struct ecs_Memory {
  void *(*resize)(void *user, void *block, size_t old_bytes, size_t new_bytes);
  void *user;
} ecs_Memory;

/* Life of a world --------------------------------------------------------- */

typedef struct ecs_WorldDescription {
  ecs_Memory memory;    /* resize NULL: malloc */
  uint64_t limit_bytes; /* of all but the world's own block; 0: none. Past it
                           the world reports ECS_E_MEMORY */
} ecs_WorldDescription;

/* Makes a world without entities and components. description NULL: all
 * defaults. The world is the caller's to destroy; *world is NULL where this
 * fails. */
ECS_API ecs_Status ecs_world_create(const ecs_WorldDescription *description,
                                    ecs_World **world);

/* Frees the world and all its queries and kernel bindings, whose pointers end
 * with it. NULL is fine. Runs no code of the caller but what ecs_world_hold
 * names. Cost: one free for each block of memory. */
ECS_API void ecs_world_destroy(ecs_World *world);

/* Whoever holds a world besides its owner, as a binding to a language does.
 * ecs_world_destroy calls ended before anything else; it must not call into the
 * world, only forget it. */
typedef struct ecs_Holder {
  void (*ended)(struct ecs_Holder *holder);
} ecs_Holder;

/* Makes it the world's holder; ECS_E_ARGUMENT when there is another. The holder
 * is borrowed until the world has ended or NULL lets go of it. */
ECS_API ecs_Status ecs_world_hold(ecs_World *world, ecs_Holder *holder);

/* Destroys every entity; definitions and queries stay, and the memory for as
 * many. ECS_E_OPEN. Cost: every entity and every row. */
ECS_API ecs_Status ecs_world_clear(ecs_World *world);

typedef struct ecs_Statistics {
  uint64_t entities; /* alive, recorded ones included */
  uint64_t retired;  /* indices that will never be issued again */
  uint64_t dropped;  /* recorded changes to entities destroyed by then;
                                not those of a recording that was discarded */
  uint64_t groups;
  uint64_t tables; /* of all groups, empty ones included */
  uint64_t components;
  uint64_t queries;
  uint64_t bytes; /* held now from the allocator */
  uint64_t peak_bytes;
  uint64_t allocations;       /* live blocks */
  uint64_t structure_version; /* grows with every change of structure */
} ecs_Statistics;
/* Counts and bytes, written to *statistics. Cost: one look at every group. */
ECS_API void ecs_world_statistics(const ecs_World *world,
                                  ecs_Statistics *statistics);

/* Groups, tables and components, how they are stored and how many bytes they
 * take, as lines of text; writes at most capacity bytes, the final 0 included,
 * and returns the length it wants without it. text may be NULL where capacity
 * is 0. Cost: looks at every table. */
ECS_API size_t ecs_world_explain(const ecs_World *world, char *text,
                                 size_t capacity);

/* One number for everything a program can observe: entities, values, order of
 * rows, which handles come next. Equal programs give equal hashes on every VM
 * and machine of one byte order. Cost: reads all of the world. */
ECS_API uint64_t ecs_world_hash(const ecs_World *world);

/* Of entities and values alone, whatever the order of rows and the storage.
 * Cost: reads all of the world. */
ECS_API uint64_t ecs_world_state_hash(const ecs_World *world);

/* Components -------------------------------------------------------------- */

typedef enum ecs_Scalar {
  ECS_F32 = 0,
  ECS_F64,
  ECS_I8,
  ECS_U8,
  ECS_I16,
  ECS_U16,
  ECS_I32,
  ECS_U32,
  ECS_BOOL,   /* one byte, 0 or 1 */
  ECS_ENTITY, /* eight bytes, a handle or 0 */
  ECS_SCALAR_COUNT
} ecs_Scalar;

typedef enum ecs_Storage {
  ECS_STORE_TABLE = 0, /* in the main group, beside the other components */
  ECS_STORE_SPARSE,    /* in a group of its own: a sparse set */
  ECS_STORE_BITS       /* a tag as one bit per row of its group's tables */
} ecs_Storage;

typedef struct ecs_Field {
  const char *name; /* 1 to 255 bytes */
  ecs_Scalar type;
  double default_value; /* in the type's range; 0 for ECS_ENTITY */
} ecs_Field;

typedef struct ecs_ComponentDescription {
  const char *name;        /* 1 to 255 bytes, unique in the world */
  const ecs_Field *fields; /* field_count of them; none makes a tag */
  uint32_t field_count;    /* 0 to 64 */
  ecs_Storage storage;
} ecs_ComponentDescription;

/* Defines a component, or returns the one of that name when schema and storage
 * are the same. ECS_E_SCHEMA when they are not; ECS_E_NAME, ECS_E_FIELD (two
 * fields of one name), ECS_E_VALUE (a default), ECS_E_COMPONENT (fields stored
 * as bits), ECS_E_ARGUMENT (a storage or type that there is not, or fields
 * NULL), ECS_E_LIMIT (more than 64 fields), ECS_E_OPEN for a new one. Cost: a
 * comparison with the name of every component. */
ECS_API ecs_Status ecs_component(ecs_World *world,
                                 const ecs_ComponentDescription *description,
                                 ecs_Component *component);

/* 0 when there is none of that name. Cost: a comparison with the name of every
 * component. */
ECS_API ecs_Component ecs_component_find(const ecs_World *world,
                                         const char *name);

/* NULL for an unknown id. Borrowed for the life of the world. */
ECS_API const char *ecs_component_name(const ecs_World *world,
                                       ecs_Component component);

/* A component's image is how its value looks outside a world: a C struct with
 * its fields in order, each at its natural alignment. offset is the field's in
 * it, image_bytes its size, 0 for a tag. */
typedef struct ecs_FieldInfo {
  const char *name;
  ecs_Scalar type;
  uint32_t offset;
  double default_value;
} ecs_FieldInfo;

/* field_count and image_bytes are 0, and storage is ECS_STORE_TABLE, for an
 * unknown id. ecs_component_field tells of field 0 to field_count - 1, its name
 * borrowed for the life of the world: ECS_E_COMPONENT, ECS_E_FIELD. */
ECS_API uint32_t ecs_component_field_count(const ecs_World *world,
                                           ecs_Component component);
ECS_API uint32_t ecs_component_image_bytes(const ecs_World *world,
                                           ecs_Component component);
ECS_API ecs_Status ecs_component_field(const ecs_World *world,
                                       ecs_Component component, uint32_t field,
                                       ecs_FieldInfo *info);
ECS_API ecs_Storage ecs_component_storage(const ecs_World *world,
                                          ecs_Component component);

/* Strict conversion of one number into a field of an image, at any alignment.
 * ECS_E_ARGUMENT: no such type. ECS_E_VALUE for a fraction or a number out of
 * range where the type is an integer, for a finite number too large for an f32,
 * for anything but 0 and 1 as a bool and for what is no handle as an entity. A
 * NaN is stored as the one quiet NaN. */
ECS_API ecs_Status ecs_scalar_store(ecs_Scalar type, void *place, double value);
/* Converting store, which cannot fail: towards zero, saturating, NaN to 0 for
 * integers. Any number but 0 is true; what is no handle becomes the null
 * entity. A type that there is not stores nothing. */
ECS_API void ecs_scalar_convert(ecs_Scalar type, void *place, double value);
/* A field of an image, at any alignment, as a number: exact for every type. */
ECS_API double ecs_scalar_load(ecs_Scalar type, const void *place);
/* 1, 2, 4 or 8. */
ECS_API uint32_t ecs_scalar_bytes(ecs_Scalar type);
ECS_API const char *ecs_scalar_name(ecs_Scalar type); /* "f32" */

/* Storage ----------------------------------------------------------------- */

/* Stores these components together in a group of their own, wherever they were
 * before, and moves the rows there are. Values and matches stay, the order of
 * rows may change. Naming one component makes it a sparse set; naming none does
 * nothing. A tag stored as bits stays bits. ECS_E_OPEN, ECS_E_COMPONENT.
 * Cost: all rows of every group that gives or takes a component are copied, and
 * for a while both copies exist. */
ECS_API ecs_Status ecs_group(ecs_World *world, const ecs_Component *components,
                             uint32_t count);

/* Brings components back to the main group: the opposite of ecs_group, with its
 * errors and its cost. */
ECS_API ecs_Status ecs_ungroup(ecs_World *world,
                               const ecs_Component *components, uint32_t count);

/* A set of components resolved once, for spawning many. Asking again for the
 * same components in the same order gives the same bundle. It lives as long as
 * the world. count may be 0. ECS_E_COMPONENT. Cost: a look at every bundle. */
ECS_API ecs_Status ecs_bundle(ecs_World *world, const ecs_Component *components,
                              uint32_t count, ecs_Bundle *bundle);

/* Makes room for count more entities with the bundle's components, so that
 * spawning them allocates nothing. ECS_E_OPEN, ECS_E_ARGUMENT (no such
 * bundle), ECS_E_LIMIT where so many cannot be alive. Cost: the rows that are
 * there, where their table has to grow. */
ECS_API ecs_Status ecs_reserve(ecs_World *world, ecs_Bundle bundle,
                               uint64_t count);

/* Entities ---------------------------------------------------------------- */

/* Makes an entity that has count components, each named once. values: NULL, or
 * one image per component in the order of components, or of the bundle, each of
 * which may be NULL. What is not given takes the schema's defaults. entity may
 * be NULL. ECS_E_COMPONENT; of the second ECS_E_ARGUMENT (no such bundle).
 * Cost: per field; ecs_spawn resolves the components anew, unless they are
 * those that it was given last. */
ECS_API ecs_Status ecs_spawn(ecs_World *world, const ecs_Component *components,
                             uint32_t count, const void *const *values,
                             ecs_Entity *entity);
ECS_API ecs_Status ecs_spawn_bundle(ecs_World *world, ecs_Bundle bundle,
                                    const void *const *values,
                                    ecs_Entity *entity);

/* Destroys an entity: its handle is never alive again. ECS_E_DEAD when it is no
 * longer, or never was, alive. Cost: per field. */
ECS_API ecs_Status ecs_destroy(ecs_World *world, ecs_Entity entity);
/* False for what is destroyed, also where that is only recorded, and for what
 * was never issued; a recorded spawn is alive. */
ECS_API bool ecs_alive(const ecs_World *world, ecs_Entity entity);

/* Adds a component; where it is present nothing happens, to its value neither.
 * image NULL: defaults. ECS_E_COMPONENT, ECS_E_DEAD. Cost: the entity's row
 * moves to another table, per field of its group; of a sparse one the rest
 * stays. */
ECS_API ecs_Status ecs_add(ecs_World *world, ecs_Entity entity,
                           ecs_Component component, const void *image);

/* Removes a component; where it is absent nothing happens. Errors and cost are
 * those of ecs_add. */
ECS_API ecs_Status ecs_remove(ecs_World *world, ecs_Entity entity,
                              ecs_Component component);

/* Sets the fields whose bits are in fields (bit k: field k; all: ~0) from an
 * image, adding the component with defaults where it is absent. Bits past the
 * last field mean nothing. image may be NULL where fields is 0, and for a tag.
 * ECS_E_COMPONENT, ECS_E_DEAD, ECS_E_ARGUMENT (no image), and ECS_E_ACCESS when
 * the entity has it and an open cursor reads or writes it. Cost: per field. */
ECS_API ecs_Status ecs_set(ecs_World *world, ecs_Entity entity,
                           ecs_Component component, const void *image,
                           uint64_t fields);

/* Copies the component into an image. ECS_E_COMPONENT (a tag), ECS_E_ACCESS
 * when an open cursor writes the component, ECS_E_DEAD, ECS_E_ABSENT: the first
 * of these that holds. An entity whose destruction is recorded is read as
 * before until it is applied. Cost: per field, a few dependent loads. */
ECS_API ecs_Status ecs_get(const ecs_World *world, ecs_Entity entity,
                           ecs_Component component, void *image);

/* One field as a number, exact for every type: field is its position in the
 * schema, from 0. Errors are those of ecs_get and ecs_set, and ECS_E_FIELD; of
 * the second ECS_E_VALUE, as ecs_scalar_store. */
ECS_API ecs_Status ecs_get_field(const ecs_World *world, ecs_Entity entity,
                                 ecs_Component component, uint32_t field,
                                 double *value);
ECS_API ecs_Status ecs_set_field(ecs_World *world, ecs_Entity entity,
                                 ecs_Component component, uint32_t field,
                                 double value);

/* False for a dead entity and for an unknown component. What is only recorded
 * does not count yet. */
ECS_API bool ecs_has(const ecs_World *world, ecs_Entity entity,
                     ecs_Component component);

/* The components of an entity in order of definition; writes at most capacity
 * of them and returns how many there are, 0 for a dead one. components may be
 * NULL where capacity is 0. As with ecs_get and ecs_has, an entity whose
 * destruction is recorded still has them. Cost: a question for each component
 * of the world. */
ECS_API uint32_t ecs_components_of(const ecs_World *world, ecs_Entity entity,
                                   ecs_Component *components,
                                   uint32_t capacity);

/* Accessors: one component of many entities ------------------------------- */

/* Prepared access to one component. Plain data: copy and drop it at will, but
 * not beyond the life of its world. */
typedef struct ecs_Accessor {
  uint64_t private_state[12];
} ecs_Accessor;

/* Prepares one. ECS_E_COMPONENT: unknown, or a tag. It follows every change of
 * structure and storage by itself. */
ECS_API ecs_Status ecs_accessor(ecs_World *world, ecs_Component component,
                                ecs_Accessor *accessor);
/* As ecs_get, and ecs_set of all fields where the component is present; where
 * it is absent ecs_accessor_set answers ECS_E_ABSENT. Neither adds anything.
 * Cost: less than theirs, most of all for entities of one table. */
ECS_API ecs_Status ecs_accessor_get(ecs_Accessor *accessor, ecs_Entity entity,
                                    void *image);
ECS_API ecs_Status ecs_accessor_set(ecs_Accessor *accessor, ecs_Entity entity,
                                    const void *image);
/* For count entities at once: columns has one array of count elements per
 * field, none of which may overlap the world's. Elements of entities without
 * the component are left as they are; found, when not NULL, gets how many have
 * it. An entity that comes twice in set_many keeps the later values. When
 * recording one fails (ECS_E_MEMORY, ECS_E_LIMIT), none is set. ECS_E_ACCESS as
 * for one. Cost: per entity and field; look-ups of many overlap. */
ECS_API ecs_Status ecs_accessor_get_many(ecs_Accessor *accessor,
                                         const ecs_Entity *entities,
                                         uint32_t count, void *const *columns,
                                         uint32_t *found);
ECS_API ecs_Status ecs_accessor_set_many(ecs_Accessor *accessor,
                                         const ecs_Entity *entities,
                                         uint32_t count,
                                         const void *const *columns,
                                         uint32_t *found);

/* Queries ----------------------------------------------------------------- */

typedef enum ecs_Access {
  ECS_WRITE = 0, /* must be there; read and written */
  ECS_READ,      /* must be there; only read */
  ECS_OPTIONAL,  /* read and written where it is there */
  ECS_WITH,      /* must be there; its values are not looked at */
  ECS_WITHOUT,   /* must not be there */
  ECS_ACCESS_COUNT
} ecs_Access;

typedef struct ecs_Term {
  ecs_Component component;
  ecs_Access access;
} ecs_Term;

/* A query belongs to its world, which frees it in the end. Terms name each
 * component once (ECS_E_COMPONENT) and are 0 to 4096 (ECS_E_LIMIT);
 * ECS_E_ARGUMENT: an access that there is not. No terms: every entity. May be
 * made while a cursor is open. Cost: a look at every table of the groups of its
 * terms. */
ECS_API ecs_Status ecs_query_create(ecs_World *world, const ecs_Term *terms,
                                    uint32_t count, ecs_Query **query);

/* Frees a query with its bindings and programs before its world ends.
 * ECS_E_OPEN while one of its cursors is open. NULL is fine. */
ECS_API ecs_Status ecs_query_destroy(ecs_Query *query);

/* How many entities match now. Cost: per table, or per row for partial plans
 * that are not cached and for tags stored as bits. */
ECS_API ecs_Status ecs_query_count(ecs_Query *query, uint64_t *count);

/* The entity of the first row of a walk begun now, 0 when there is none. Asks
 * for no access. Cost: up to the first match. */
ECS_API ecs_Status ecs_query_first(ecs_Query *query, ecs_Entity *entity);

/* The position in a batch's columns of a term's field; ECS_E_FIELD. Columns
 * come in the order of terms, then fields; ECS_WITH, ECS_WITHOUT and tags have
 * none. The presence of an optional tag is not told. */
ECS_API ecs_Status ecs_query_column(const ecs_Query *query, uint32_t term,
                                    uint32_t field, uint32_t *column);
/* How many columns a batch of it has: 0 to 64 for each term. */
ECS_API uint32_t ecs_query_column_count(const ecs_Query *query);

/* How the query is stored and will run, as lines of text; writes at most
 * capacity bytes, the final 0 included, and returns the length it wants without
 * it. text may be NULL where capacity is 0. Out of memory, the text says so.
 * Cost: that of ecs_query_count. */
ECS_API size_t ecs_query_explain(ecs_Query *query, char *text, size_t capacity);

/* Changes of every match -------------------------------------------------- */

/* One change of all entities that match now, whole or (ECS_E_MEMORY,
 * ECS_E_LIMIT) not at all. Each comes to what ecs_add, ecs_remove, ecs_set and
 * ecs_destroy would make of the matches one by one, but for the order of rows;
 * indices come free from the highest to the lowest, however the entities are
 * stored. While something is open, one change for each match is recorded, in
 * that same order; a match whose destruction is recorded is dropped and counted
 * as ever, and destroying it again does nothing.
 *
 * Cost: where the terms and the component are in one group, whole tables are
 * copied column by column; what joins or leaves a sparse set of its own does so
 * in one run, and a tag stored as bits is written byte by byte. Otherwise rows
 * move one by one. */

/* Adds a component to those that lack it. ECS_E_COMPONENT. image NULL:
 * defaults. */
ECS_API ecs_Status ecs_query_add_all(ecs_Query *query, ecs_Component component,
                                     const void *image);
/* Removes it from those that have it. ECS_E_COMPONENT. */
ECS_API ecs_Status ecs_query_remove_all(ecs_Query *query,
                                        ecs_Component component);
/* Sets fields, as ecs_set does, and adds where the component is absent.
 * ECS_E_COMPONENT, ECS_E_ARGUMENT (fields of no image), and ECS_E_ACCESS when a
 * match has the component and an open cursor reads or writes it. */
ECS_API ecs_Status ecs_query_set_all(ecs_Query *query, ecs_Component component,
                                     const void *image, uint64_t fields);
/* Destroys them. */
ECS_API ecs_Status ecs_query_destroy_all(ecs_Query *query);

/* Walks ------------------------------------------------------------------- */

/* A walk over rows. Plain data of the caller; begin and end pair up. Cursors
 * nest and end in reverse order. */
typedef struct ecs_Cursor {
  uint64_t private_state[16];
} ecs_Cursor;

/* Rows as contiguous columns. columns[k] is NULL for an optional component that
 * no row of the batch has. Borrowed until the next call with the cursor. What
 * is only read must not be written. Columns may be copies; what was written is
 * in the world when the next call with the cursor returns. */
typedef struct ecs_Batch {
  uint32_t count;
  uint32_t column_count;
  const ecs_Entity *entities;
  void *const *columns;
} ecs_Batch;

/* How batches are cut. Whole: as they lie, a table per batch. Coalesced: rows
 * of tiny tables are gathered into one batch, for callers to whom a batch is
 * expensive. */
typedef enum ecs_Batching {
  ECS_BATCH_WHOLE = 0,
  ECS_BATCH_COALESCED
} ecs_Batching;

/* Begins a walk over the rows that match now; the world is open from here to
 * its end. ECS_E_ACCESS when an open cursor writes what this one reads, or
 * reads what this one writes; ECS_E_LIMIT when cursors and deferrals nest
 * deeper than 64; ECS_E_ARGUMENT: no such batching. Where it fails there is
 * nothing to end. Cost: that of ecs_query_count where a partial plan is not
 * cached. */
ECS_API ecs_Status ecs_query_begin(ecs_Query *query, ecs_Batching batching,
                                   ecs_Cursor *cursor);

/* The component over which the last begin, get or set of this world answered
 * ECS_E_ACCESS; 0 when none did. */
ECS_API ecs_Component ecs_world_contested(const ecs_World *world);

/* The next rows; false when there are no more, again and again. Cost:
 * none for tables in place; else the batch's rows are copied in, and those of
 * the last one back. */
ECS_API bool ecs_cursor_next(ecs_Cursor *cursor, ecs_Batch *batch);

/* Ends the walk, also before its end. When it is the outermost, what was
 * recorded meanwhile is applied, whole or (ECS_E_MEMORY, ECS_E_LIMIT) not at
 * all; then it is discarded and the cursor has ended all the same. Cost: that
 * of the changes, each entity moved once for each group. */
ECS_API ecs_Status ecs_cursor_end(ecs_Cursor *cursor);

/* Ends the walk and drops what was recorded since its begin; values written
 * stay. */
ECS_API void ecs_cursor_discard(ecs_Cursor *cursor);

/* One entity at a time: copies the entities that match now, at most capacity
 * of them, in the order of a walk; *count gets how many there are. entities may
 * be NULL where capacity is 0. Nothing is open afterwards. ECS_E_ACCESS where
 * ecs_query_begin answers it. Cost: every match. */
ECS_API ecs_Status ecs_query_entities(ecs_Query *query, ecs_Entity *entities,
                                      uint64_t capacity, uint64_t *count);

/* Matches: the entity matches, and its destruction is not recorded. In place:
 * nothing is open, so what elements point at may be written, as the query's
 * terms allow; otherwise only ecs_set_field knows whether and when. */
typedef enum ecs_RowFlag {
  ECS_ROW_MATCHES = 1,
  ECS_ROW_IN_PLACE = 2
} ecs_RowFlag;

/* Where the row of an entity is, whether it matches or not: elements[k] is its
 * element of column k, NULL where the entity lacks the component or an open
 * cursor writes it. Borrowed while ecs_world_row_epoch stays. A NaN stored there
 * must be the one that ecs_scalar_convert stores. elements has room for
 * ecs_query_column_count. ECS_E_DEAD for what is not alive, or is only
 * recorded; on failure *flags is 0. Cost: a look-up for each group of the
 * terms, and each column. */
ECS_API ecs_Status ecs_query_locate(ecs_Query *query, ecs_Entity entity,
                                    void **elements, uint32_t *flags);

/* A number that changes whenever what ecs_query_locate said of any entity may
 * no longer hold: structure changed, a destruction was recorded, or something
 * was opened or closed. It is at the same place for the life of the world. */
ECS_API const uint64_t *ecs_world_row_epoch(const ecs_World *world);

/* Spawns count entities of a bundle with default values. With a cursor it is
 * left open over the new rows, all columns of the bundle in its order, to be
 * filled and ended like any other; NULL: nothing more is asked. Discarding that
 * cursor keeps the entities and drops what was recorded since. ECS_E_ARGUMENT:
 * no such bundle; ECS_E_LIMIT also as ecs_query_begin. Cost: per new field. */
ECS_API ecs_Status ecs_spawn_many(ecs_World *world, ecs_Bundle bundle,
                                  uint64_t count, ecs_Cursor *cursor);

/* Deferred changes -------------------------------------------------------- */

/* Between begin and its end changes of structure are recorded, and at the
 * outermost end applied entity by entity in the order of their first record,
 * each entity moved once, whole or not at all. The result is that of the same
 * calls made at once but for the order of rows and the ids of new entities. A
 * recorded spawn has its id and is alive but has no components yet; a recorded
 * destroy makes its entity dead, and what comes after it for that entity is
 * dropped and counted. A set of an entity that has a recorded change is
 * recorded with it, and so comes after what batches write meanwhile. Pairs
 * nest, with cursors too. */
/* ECS_E_LIMIT when levels nest deeper than 64; ending what was not begun is
 * ECS_E_ARGUMENT, discarding it nothing. The outermost end costs and fails as
 * ecs_cursor_end does. Deferring: is anything open, a cursor included? */
ECS_API ecs_Status ecs_defer_begin(ecs_World *world);
ECS_API ecs_Status ecs_defer_end(ecs_World *world);
ECS_API void ecs_defer_discard(ecs_World *world);
ECS_API bool ecs_deferring(const ecs_World *world);

/* Native kernels ---------------------------------------------------------- */

/* What a kernel is given: blocks of rows. columns are in the order the kernel
 * declared them, NULL for an absent optional component. entities is NULL unless
 * the kernel asks for it (ECS_KERNEL_ENTITIES). */
typedef struct ecs_KernelBlock {
  const ecs_Entity *entities;
  void *const *columns;
  uint32_t count;
  uint32_t reserved;
} ecs_KernelBlock;

typedef struct ecs_KernelCall {
  const ecs_KernelBlock *blocks;
  uint32_t block_count;
  uint32_t reserved;
  double dt;
  uint64_t tick;
  void *user; /* the caller's parameter struct, or NULL */
} ecs_KernelCall;

typedef struct ecs_KernelColumn {
  const char *component;
  const char *field;
  ecs_Scalar type;
  ecs_Access access; /* ECS_WRITE, ECS_READ or ECS_OPTIONAL */
} ecs_KernelColumn;

/* Whole tables: without it rows may be cut anywhere at a multiple of 16, and
 * gathered; with it the query's plan must be full (ECS_E_KERNEL when run).
 * Entities: without it the blocks' entities are NULL, which saves gathering
 * them where rows are gathered. */
typedef enum ecs_KernelFlag {
  ECS_KERNEL_WHOLE_TABLES = 1,
  ECS_KERNEL_ENTITIES = 2
} ecs_KernelFlag;

typedef struct ecs_Kernel {
  const char *name;
  void (*run)(const ecs_KernelCall *call);
  const ecs_KernelColumn *columns;
  uint32_t column_count;
  uint32_t flags; /* of ecs_KernelFlag; 0 for most */
} ecs_Kernel;

/* A library exports one object of this type named ecs_kernel_library. */
typedef struct ecs_KernelLibrary {
  uint32_t abi;          /* ECS_KERNEL_ABI */
  uint32_t kernel_bytes; /* sizeof(ecs_Kernel) */
  uint32_t column_bytes; /* sizeof(ecs_KernelColumn) */
  uint32_t call_bytes;   /* sizeof(ecs_KernelCall) */
  const ecs_Kernel *kernels;
  uint32_t kernel_count;
  uint32_t reserved;
} ecs_KernelLibrary;

/* Loads a shared library and checks its handshake. It is never unloaded: code
 * that a world may call stays. path is as dlopen takes it. text, capacity
 * bytes, gets the reason on failure; NULL: nobody asks. ECS_E_LIBRARY,
 * ECS_E_ABI. */
ECS_API ecs_Status ecs_library_load(const char *path,
                                    const ecs_KernelLibrary **library,
                                    char *text, size_t capacity);
/* The kernel of that name, as long-lived as the library; NULL: none. Cost: a
 * comparison with each name. */
ECS_API const ecs_Kernel *ecs_library_find(const ecs_KernelLibrary *library,
                                           const char *name);

/* Fits a kernel to a query: every declared column must be a field of a term
 * that gives at least its access, of the declared type; otherwise ECS_E_KERNEL,
 * and *wrong, when not NULL, is the first column that does not fit. The
 * binding ends with its query; until then it refers to the kernel, which
 * therefore has to last as long, as those of a library do. */
ECS_API ecs_Status ecs_kernel_bind(ecs_Query *query, const ecs_Kernel *kernel,
                                   ecs_KernelBinding **binding,
                                   uint32_t *wrong);

/* Runs the kernel over all rows that match. call gives dt, tick and user;
 * blocks are filled in here. ECS_E_ACCESS as ecs_query_begin; ECS_E_KERNEL
 * where it wants whole tables and the plan is not full; ECS_E_NAN, after the
 * run, in a checked build. The kernel must not call into the world. Cost beyond
 * the kernel: near nothing for full plans while structure stays. */
ECS_API ecs_Status ecs_kernel_run(ecs_KernelBinding *binding,
                                  const ecs_KernelCall *call);

/* Kernel programs --------------------------------------------------------- */

/* A kernel as text, which the library verifies and runs itself: block by block,
 * in vector code, the same bits on every machine. docs/programs.md has the
 * language. Reads text of length bytes and fits it to the query, as
 * ecs_kernel_bind does. ECS_E_PROGRAM, and ECS_E_LIMIT when it is too long:
 * message, when not NULL, gets at most capacity bytes that say what is wrong
 * and where. Ends with its query, at the latest. Cost: the length of the text,
 * and columns stored to times its instructions. */
ECS_API ecs_Status ecs_program_create(ecs_Query *query, const char *text,
                                      size_t length, ecs_Program **program,
                                      char *message, size_t capacity);

/* Frees it before its query ends. NULL is fine. */
ECS_API void ecs_program_destroy(ecs_Program *program);

/* Its text, written anew, into capacity bytes; returns the length it wants, as
 * ecs_query_explain does. Read again it is the same program. */
ECS_API size_t ecs_program_text(const ecs_Program *program, char *text,
                                size_t capacity);

typedef struct ecs_ProgramInfo {
  uint32_t uniforms; /* declared */
  uint32_t reductions;
  uint32_t operations; /* that run for every row */
  uint32_t bytes_read; /* of columns, per row */
  uint32_t bytes_written;
  uint32_t slow_calls;  /* operations that call the C library row by row */
  const char *back_end; /* "block VM, AVX-512" */
} ecs_ProgramInfo;
/* Numbers about it, written to *info. Cost: columns times instructions. */
ECS_API void ecs_program_info(const ecs_Program *program,
                              ecs_ProgramInfo *info);

typedef struct ecs_ProgramCall {
  const double *uniforms; /* one for each declared; a bool is 0 or 1, an entity
                              a handle */
  double *reductions;     /* one for each declared: what came out */
  uint32_t uniform_count; /* must be what is declared */
  uint32_t reduction_count;
  uint64_t random_key; /* with the row's entity, what random draws from */
} ecs_ProgramCall;

/* Runs it over all rows that match. What it adds, removes and destroys is
 * recorded when all rows are done, in their order, and applied as at the end of
 * a cursor. ECS_E_ACCESS as for cursors; ECS_E_ARGUMENT for wrong counts, or
 * NULL where there are some; ECS_E_MEMORY and ECS_E_LIMIT: no structure has
 * changed, values written stay, and reductions are not written. Cost: per row
 * and operation that is left. */
ECS_API ecs_Status ecs_program_run(ecs_Program *program,
                                   const ecs_ProgramCall *call);

/* Mathematics ------------------------------------------------------------- */

/* With the same bits on every machine, which the C library's do not promise.
 * Angles are in radians, ecs_log is natural; any number is taken, and edges are
 * as C's. Accurate to 1 unit of the last place, ecs_atan2 to 3. */
ECS_API double ecs_sin(double x);
ECS_API double ecs_cos(double x);
ECS_API double ecs_exp(double x);
ECS_API double ecs_log(double x);
ECS_API double ecs_pow(double x, double y);
ECS_API double ecs_atan2(double y, double x);

/* A number in [0, 1): a hash of a key, an entity and how many numbers were
 * drawn with these two before (a whole number below 2^53; else it counts as
 * 0). */
ECS_API double ecs_random(uint64_t key, ecs_Entity entity, double draws);
/* The key of a system's run: of a world's seed, the system's name and a number
 * of the run, as of the frame. Cost: the length of the name. */
ECS_API uint64_t ecs_random_key(uint64_t seed, const char *name, uint64_t tick);

#define ECS_KERNEL_ABI 1u

#ifdef __cplusplus
}
#endif
#endif

/* ecs.h: an entity component system engine, as seen by C programs.
 *
 * A world holds entities. An entity is only a handle; its data are components.
 * A component is a schema of scalar fields, and each field is stored as one
 * column: an array that starts on a 64-byte line. A table holds the rows of all
 * entities that have exactly the same components of one group:
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
 * never calls exit and never prints. It takes no locks: a world and everything
 * that belongs to it is used by one thread at a time.
 *
 * Words. A change of structure is a spawn, a destruction, or the addition or
 * removal of a component; writing a field is none. A component is present when
 * the entity has it, absent otherwise. An image is the value of one component
 * as a C struct (ecs_FieldInfo). The world is open from the begin of a cursor
 * or a deferral to its end. While the world is open, changes of structure are
 * recorded, and the outermost end applies them. A query's plan is full when
 * whole tables match in place, and partial when rows are found in several
 * groups.
 *
 * Rules for all functions; each comment adds what is special to its function.
 *
 * - Failure. Every function that can fail returns an ecs_Status. When the
 *   status is not ECS_OK, nothing that a caller can see has changed: the hash
 *   of the world is what it was, and results are not written. A comment that
 *   promises less or more says so.
 * - Arguments. A pointer may be NULL only where the comment says so. Where a
 *   function returns a status, NULL for a result, a description, a cursor, a
 *   kernel, a call, or an array with a count above 0 is answered by
 *   ECS_E_ARGUMENT. Not checked are an image or an element to read or write,
 *   and that a world, query, program, binding or accessor is alive.
 *   Entities, components, bundles and all other numbers are checked, and a
 *   wrong one is answered by a status.
 * - Worlds are not told apart. Handles, components and bundles are numbers: one
 *   of another world is dead or unknown here, or names something else.
 * - The checked build. A library compiled with -DECS_CHECKED also finds what is
 *   not checked otherwise: NULL where no status says so, objects that are gone
 *   or of a world that is gone, a cursor that is begun while it is open, and
 *   calls into a world while one of its kernels runs or while it is destroyed.
 *   It writes "ecs: misuse: ecs_get: the world is none, or is gone" to stderr
 *   and calls abort. Develop with it; the release build is undefined there.
 * - Memory and limits. A function returns ECS_E_MEMORY when the allocator
 *   refuses and ECS_E_LIMIT when a limit is exceeded. Any function that creates
 *   something, plans a query or changes or records structure may return
 *   ECS_E_MEMORY. One that creates, changes or records may also return
 *   ECS_E_LIMIT; ecs_world_refusal says which limit it was. The limits:
 *   2^28 - 1 entities alive; 65,536 components or groups; 2^24 queries,
 *   bundles, or tables of one group; 8,191 columns of one element size in a
 *   table; 2^31 recorded changes; 2^30 elements of an array.
 *   core/base/config.h names them all.
 * - Ownership. Pointers passed in are borrowed for the call; strings are
 *   copied. A pointer handed out is owned by the world unless the comment says
 *   otherwise.
 * - Text. A function that writes text into capacity bytes writes at most that
 *   many, the final 0 included, and returns the length of the whole text
 *   without the final 0. text may be NULL when capacity is 0.
 * - Cost. "Cost" says what a call takes beyond a constant and beyond
 *   allocations. No function blocks.
 */
#ifndef ECS_H
#define ECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ECS_VERSION "0.1.0"

#if UINTPTR_MAX != UINT64_MAX
#error "ecs needs a 64-bit machine: pointers have to have 64 bits"
#endif

/* Marks what C programs call. A file of the library that defines such functions
 * defines ECS_DEFINES_API first: then the library calls its own functions, also
 * in a process where something else has functions of the same names. */
#ifndef ECS_API
#if defined(_WIN32)
#define ECS_API __declspec(dllexport)
#elif defined(ECS_DEFINES_API) && defined(__ELF__)
#define ECS_API __attribute__((visibility("protected")))
#else
#define ECS_API __attribute__((visibility("default")))
#endif
#endif

/* Casts in macros, which programs in C++ compile with warnings of their own. */
#ifdef __cplusplus
#define ECS_AS(type, value) static_cast<type>(value)
#else
#define ECS_AS(type, value) ((type)(value))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Outcomes. ecs_status_text has a sentence for each. */
typedef enum ecs_Status {
  ECS_OK = 0,
  ECS_E_MEMORY,    /* the allocator refused, or limit_bytes is exceeded */
  ECS_E_LIMIT,     /* a named limit of config.h is exceeded */
  ECS_E_DEAD,      /* the entity is null, was destroyed or was never issued */
  ECS_E_ABSENT,    /* the entity lacks the component */
  ECS_E_COMPONENT, /* an unknown component, a tag where fields are needed,
                      or one component twice */
  ECS_E_FIELD,     /* an unknown field, or one field name twice */
  ECS_E_VALUE,     /* a value of the wrong kind or out of the field's range */
  ECS_E_NAME,      /* a name that is empty, too long, or taken */
  ECS_E_SCHEMA,    /* the name is taken by another schema or storage */
  ECS_E_OPEN,      /* not while a cursor is open or changes are deferred */
  ECS_E_ACCESS,    /* an open cursor owns this component */
  ECS_E_ARGUMENT,  /* an argument outside its documented range */
  ECS_E_LIBRARY,   /* a native library could not be loaded */
  ECS_E_ABI,       /* a native library was built against another ecs.h, or a
                      program against another ecs_access.h */
  ECS_E_KERNEL,    /* an unknown kernel, or its columns do not fit the query */
  ECS_E_NAN,       /* checked build: a kernel stored a NaN with a payload */
  ECS_E_PROGRAM,   /* the text is not a valid kernel program */
  ECS_E_TURNS,     /* a kernel program's cycle makes more than 2^24 turns */
  ECS_E_TAKEN,     /* the handle cannot be given to an entity: it is alive, was
                      issued, or its index is out of reach */
  ECS_E_LINK,      /* a link to an entity that is not alive */
  ECS_E_CIRCLE,    /* a link of a tree that would close a circle */
  ECS_E_FILE,      /* bytes that are no save, or could not be written */
  ECS_STATUS_COUNT
} ecs_Status;

/* Enumerations are ints in the library, so no program may make them shorter. */
typedef char
    ecs_needs_no_short_enums[sizeof(ecs_Status) == sizeof(int) ? 1 : -1];

/* The name of a status as text, "ECS_E_DEAD". Never NULL: an unknown number
 * gets a name of its own. A string constant. */
ECS_API const char *ecs_status_name(ecs_Status status);
/* A sentence for people that explains a status. Never NULL, for an unknown
 * number either. A string constant. */
ECS_API const char *ecs_status_text(ecs_Status status);

/* An entity: generation in bits 28 to 51, index in bits 0 to 27.
 *
 *     63        52 51                28 27                 0
 *    +------------+--------------------+--------------------+
 *    |     0      |     generation     |       index        |
 *    +------------+--------------------+--------------------+
 *
 * A handle fits a double exactly. 0 is the null entity and is never issued. No
 * handle is issued twice: an index is retired when its generations are used up.
 */
typedef uint64_t ecs_Entity;

typedef uint32_t ecs_Component; /* 1, 2 ... in order of definition; 0: none */
typedef uint32_t ecs_Bundle;    /* 1, 2 ... a prepared set of components */

typedef struct ecs_World ecs_World;
typedef struct ecs_Query ecs_Query;
typedef struct ecs_KernelBinding ecs_KernelBinding;
typedef struct ecs_Program ecs_Program;

/* Memory ------------------------------------------------------------------ */

/* The allocator of a world, with the signature of lua_Alloc. new_bytes 0 frees
 * the block and returns NULL. block NULL allocates. Otherwise the block, of
 * old_bytes bytes, is resized. Returning NULL refuses and must leave the block
 * as it was. Blocks must be aligned for any scalar. The allocator must
 * work until the world is destroyed. */
typedef struct ecs_Memory {
  void *(*resize)(void *user, void *block, size_t old_bytes, size_t new_bytes);
  void *user; /* passed to resize; belongs to the caller */
} ecs_Memory;

/* Life of a world --------------------------------------------------------- */

typedef struct ecs_WorldDescription {
  ecs_Memory memory;    /* the allocator; resize NULL: malloc */
  uint64_t limit_bytes; /* most bytes the world may hold, its own block not
                           counted; beyond, calls return ECS_E_MEMORY, and
                           ecs_world_refusal names the limit; 0: no limit */
} ecs_WorldDescription;

/* Creates a world without entities and components. description may be NULL: all
 * defaults. The caller owns the world and ends it by ecs_world_destroy. Returns
 * ECS_OK, ECS_E_ARGUMENT (world is NULL) or ECS_E_MEMORY; on failure *world is
 * NULL. */
ECS_API ecs_Status ecs_world_create(const ecs_WorldDescription *description,
                                    ecs_World **world);

/* Frees the world with all its queries, kernel bindings and programs; pointers
 * to them are invalid afterwards. world may be NULL: does nothing. Calls no
 * code of the caller but the allocator and the holder's `ended`. Cost: one free
 * per block of memory. */
ECS_API void ecs_world_destroy(ecs_World *world);

/* A second party that refers to a world beside its owner, such as a language
 * binding. ecs_world_destroy calls `ended` before it does anything else.
 * `ended` must not call into the world; it may only forget it. */
typedef struct ecs_Holder {
  void (*ended)(struct ecs_Holder *holder);
} ecs_Holder;

/* Sets the world's holder, of which there is at most one. holder is borrowed
 * until the world is destroyed or this is called with NULL, which removes the
 * holder. Returns ECS_OK, or ECS_E_ARGUMENT when the world has another holder.
 */
ECS_API ecs_Status ecs_world_hold(ecs_World *world, ecs_Holder *holder);

/* Bytes that several worlds may hold together. It belongs to the caller and
 * must live as long as its worlds. All of them are used by one thread at a
 * time. */
typedef struct ecs_Budget {
  uint64_t limit_bytes; /* the caller may change it at any time; worlds that
                           hold more keep it, and get no more; 0: no limit */
  uint64_t bytes;       /* held by its worlds, their own blocks included; 0 at
                           first, and then written by the worlds alone */
  const char *owner;    /* a name for its worlds, for messages, "the worlds of
                           this level"; borrowed; NULL: a general one */
} ecs_Budget;

/* Counts the bytes of a world in a budget from now on, and no more in the one
 * before; NULL: in none. Beyond the budget's limit, calls return ECS_E_MEMORY,
 * as beyond the world's own. Returns ECS_OK, or ECS_E_MEMORY when what the
 * world holds does not fit. */
ECS_API ecs_Status ecs_world_budget(ecs_World *world, ecs_Budget *budget);

/* Writes why the last call on the world returned this status (rule "Text"):
 * after ECS_E_MEMORY and ECS_E_LIMIT the limit that was reached, with its
 * value, as in "the memory limit of this world is reached: 67108864 bytes";
 * after ECS_E_TAKEN why, as in "another entity has its index"; otherwise, and
 * where the allocator refused, what ecs_status_text returns. */
ECS_API size_t ecs_world_refusal(const ecs_World *world, ecs_Status status,
                                 char *text, size_t capacity);

/* Destroys every entity, and makes all arrays 0 (ecs_array.h). Components,
 * queries and bundles stay, and so does the memory for as many rows. Returns
 * ECS_OK; ECS_E_OPEN while the world is open; ECS_E_MEMORY or ECS_E_LIMIT where
 * observers cannot be told. Cost: every entity, row and array. */
ECS_API ecs_Status ecs_world_clear(ecs_World *world);

/* Gives back memory that is not needed at the moment: empty tables, room for
 * more rows, what queries and recordings keep for the next time, and what
 * ecs_reserve has reserved. Entities, values and the order of rows stay; so
 * does the order of the tables that are left, but their number is in
 * ecs_world_hash. Whatever is needed again is made again, which may fail.
 * Returns ECS_OK, or ECS_E_OPEN while the world is open. Cost: every row, every
 * table and every index. */
ECS_API ecs_Status ecs_world_trim(ecs_World *world);

/* Lets the programs and kernels of a world run on up to so many threads: the one
 * that calls, and others that the process keeps for all its worlds until the
 * last of these goes back to 1 or is destroyed. Programs are cut where their rows
 * do not depend on each other, kernels where they say ECS_KERNEL_PARALLEL; results
 * are the same bits with any number. 1 at first. A process that was forked runs
 * on one. Returns ECS_OK, or ECS_E_ARGUMENT unless threads is 1 to 64. Cost:
 * starts or ends threads. */
ECS_API ecs_Status ecs_world_set_threads(ecs_World *world, uint32_t threads);

/* How many threads a large run of the world has at most: as many as were set, or
 * as the system has given. */
ECS_API uint32_t ecs_world_threads(const ecs_World *world);

/* How many processors the process may run on, at least 1. */
ECS_API uint32_t ecs_cores(void);

typedef struct ecs_Statistics {
  uint64_t entities; /* alive, recorded spawns included */
  uint64_t retired;  /* indices that will never be issued again */
  uint64_t dropped;  /* changes of entities recorded after their destruction
                        had been recorded; changes of a discarded recording
                        are not counted */
  uint64_t groups;
  uint64_t tables; /* of all groups, empty tables included */
  uint64_t components;
  uint64_t queries;
  uint64_t bytes;             /* held from the allocator now */
  uint64_t peak_bytes;        /* the most ever held from the allocator */
  uint64_t allocations;       /* live blocks */
  uint64_t structure_version; /* grows with every change of structure */
  uint64_t recorded;    /* changes that wait for the outermost level to close */
  uint64_t limit_bytes; /* of the world's description; 0: no limit */
  uint64_t grids;       /* of all queries; ecs_grid.h */
  uint64_t grid_bytes;  /* of bytes, those that grids hold */
} ecs_Statistics;
/* Writes counts and bytes to *statistics. Cost: a visit of every group. */
ECS_API void ecs_world_statistics(const ecs_World *world,
                                  ecs_Statistics *statistics);

/* Writes a description of groups, tables and components, with their storage and
 * bytes, as lines of text (rule "Text"). Cost: a visit of every table. */
ECS_API size_t ecs_world_explain(const ecs_World *world, char *text,
                                 size_t capacity);

/* A hash of everything that decides what the world does next: entities and
 * values; arrays; the order of rows, and of tables, empty ones included; which
 * handles will be issued; which components are stored together, where ecs_group
 * has changed it; and what is recorded. Worlds with equal hashes stay equal under
 * equal calls. Calls that only look do not change it, nor do definitions,
 * bundles and queries. Equal programs give equal hashes on every machine of the
 * same byte order. Not in it: capacities, statistics, what is counted for better
 * layouts, and the state of scripts, which their world:hash() adds. Cost: reads
 * what can have changed since the last hash. What of entities, components and links
 * nothing has opened for writing since then is kept, beside the rows. Read each
 * time are arrays, components with strings or any values, those that a cursor has
 * open for writing, what is recorded, and tables of fewer than 64 rows. The first
 * store to a component after a hash costs a few nanoseconds more. */
ECS_API uint64_t ecs_world_hash(const ecs_World *world);

/* A hash of entities, values and arrays alone. It depends neither on the order of
 * rows nor on how components are stored. Cost: as ecs_world_hash, with a
 * multiplication for each value that is read. */
ECS_API uint64_t ecs_world_state_hash(const ecs_World *world);

/* Snapshots --------------------------------------------------------------- */

typedef struct ecs_Snapshot ecs_Snapshot;

/* Makes a snapshot that holds nothing yet. The world owns it: it ends with the
 * world, at the latest. Its memory is counted as the world's, is kept from one
 * ecs_snapshot_take to the next, and is freed by ecs_snapshot_destroy. Returns
 * ECS_OK, ECS_E_ARGUMENT or ECS_E_MEMORY; on failure *snapshot is NULL. */
ECS_API ecs_Status ecs_snapshot_create(ecs_World *world,
                                       ecs_Snapshot **snapshot);
ECS_API void ecs_snapshot_destroy(ecs_Snapshot *snapshot); /* NULL: nothing */

/* Copies the state of the world: all that ecs_world_hash covers, and the counts
 * by which ecs_world_optimize chooses. Returns ECS_OK; ECS_E_OPEN while the
 * world is open, or observers are being told; or ECS_E_MEMORY: it holds what it
 * held before. Cost: copies all columns; where entities, components, links or
 * names have changed since the last time, these, too. */
ECS_API ecs_Status ecs_snapshot_take(ecs_Snapshot *snapshot);

/* Puts the state back: the world has the hash that it had, and goes on as it
 * did. Entities that came later are gone, those that have died live again, with
 * their handles; tables, and what ecs_group and the like have moved, are as they
 * were. Components that were defined later stay defined, and nothing has them.
 * Queries and what else was made for the world stay valid, addresses of columns
 * and rows do not. Observers are not told, and queries with changes find
 * everything changed. May be called any number of times. Returns ECS_OK;
 * ECS_E_OPEN as ecs_snapshot_take; ECS_E_ABSENT: nothing was taken yet; or
 * ECS_E_MEMORY, ECS_E_LIMIT: nothing has changed. Cost: as ecs_snapshot_take;
 * where the structure is another by now, also a store for each row outside of
 * the main group. */
ECS_API ecs_Status ecs_snapshot_restore(ecs_Snapshot *snapshot);

/* The bytes that a snapshot holds. Cost: constant. */
ECS_API uint64_t ecs_snapshot_bytes(const ecs_Snapshot *snapshot);

/* Components -------------------------------------------------------------- */

/* The types of fields; the number in a name is the size in bits. */
typedef enum ecs_Scalar {
  ECS_F32 = 0,
  ECS_F64,
  ECS_I8,
  ECS_U8,
  ECS_I16,
  ECS_U16,
  ECS_I32,
  ECS_U32,
  ECS_BOOL,      /* one byte, 0 or 1 */
  ECS_ENTITY,    /* eight bytes, a handle or 0 */
  ECS_STRING,    /* four bytes: the number of a string that a script holds; as
                 ECS_ANY_VALUE only in worlds that scripts make */
  ECS_ANY_VALUE, /* four bytes: the number of any value of a script */
  ECS_SCALAR_COUNT
} ecs_Scalar;

typedef enum ecs_Storage {
  ECS_STORE_TABLE = 0, /* in the main group, beside the other components */
  ECS_STORE_SPARSE,    /* in a group of its own: a sparse set */
  ECS_STORE_BITS       /* a tag as one bit per row of its group's tables */
} ecs_Storage;

typedef struct ecs_Field {
  const char *name; /* 1 to 255 bytes, unique in the component */
  ecs_Scalar type;
  double default_value; /* in the range of the type; 0 for ECS_ENTITY and
                           what follows it */
} ecs_Field;

/* What becomes of an entity with a link to an entity that dies. */
typedef enum ecs_LinkRule {
  ECS_LINK_CLEAR = 0, /* the field becomes 0 */
  ECS_LINK_REMOVE,    /* it loses the component */
  ECS_LINK_DESTROY,   /* it is destroyed as well */
  ECS_LINK_RULE_COUNT
} ecs_LinkRule;

/* An entity field that is a link: the world knows which entities link to one
 * (ecs_links), and what happens when it dies. */
typedef struct ecs_Link {
  uint32_t field; /* position of an ECS_ENTITY among the component's fields */
  ecs_LinkRule rule;
  bool tree; /* no entity is its own target, nor its target's, and so on */
} ecs_Link;

typedef struct ecs_ComponentDescription {
  const char *name;        /* 1 to 255 bytes, unique in the world */
  const ecs_Field *fields; /* field_count of them; may be NULL for a tag */
  uint32_t field_count;    /* 0 to 64; 0: a tag */
  ecs_Storage storage;
  const ecs_Link *links; /* link_count of them; may be NULL */
  uint32_t link_count;   /* fields that are links; 0: none */
} ecs_ComponentDescription;

/* Defines a component, or finds the component of that name when schema and
 * storage are the same. The description is copied. Returns ECS_OK, or
 *   ECS_E_NAME       a name of the component or of a field is NULL, empty or
 *                    longer than 255 bytes
 *   ECS_E_FIELD      two fields have one name, a link names no entity field, or
 *                    two name one
 *   ECS_E_VALUE      a default does not fit its type
 *   ECS_E_ARGUMENT   an unknown storage, type or rule, or fields or links is
 *                    NULL although its count is not 0, or a field of type
 *                    ECS_STRING or ECS_ANY_VALUE in a world that no script made
 *   ECS_E_COMPONENT  a component with fields is to be stored as bits
 *   ECS_E_SCHEMA     the name exists with another schema or storage
 *   ECS_E_OPEN       the name is new and the world is open
 *   ECS_E_LIMIT      more than 64 fields, or a limit of the world
 *   ECS_E_MEMORY     the allocator refuses.
 * Cost: a probe of a hash of names, and for a new one what is allocated. */
ECS_API ecs_Status ecs_component(ecs_World *world,
                                 const ecs_ComponentDescription *description,
                                 ecs_Component *component);

/* Declares that an entity that gets the component, in whatever way, gets these
 * components, too, with defaults, unless it has them or they are given; and so
 * on with what these need. Adds to what was declared before; a circle is
 * allowed. Entities that have the component already do not change, and removing
 * what it needs later is allowed. Returns ECS_OK, ECS_E_COMPONENT (one is
 * unknown), ECS_E_ARGUMENT (a bundle of the world has the component already),
 * ECS_E_OPEN (the world is open) or ECS_E_MEMORY. Cost: the items of all
 * bundles; later, a component that needs others is added in steps that are
 * recorded, and applied at once. */
ECS_API ecs_Status ecs_component_need(ecs_World *world, ecs_Component component,
                                      const ecs_Component *needs,
                                      uint32_t count);

/* The component of that name; 0 when there is none. Cost: a probe of a hash. */
ECS_API ecs_Component ecs_component_find(const ecs_World *world,
                                         const char *name);

/* The name of a component, borrowed for the life of the world; NULL when the
 * component is unknown. */
ECS_API const char *ecs_component_name(const ecs_World *world,
                                       ecs_Component component);

/* One field of a component. The image of a component is the form in which its
 * value is passed in and out of a world: a C struct of its fields in order,
 * each at its natural alignment. */
typedef struct ecs_FieldInfo {
  const char *name; /* borrowed for the life of the world */
  ecs_Scalar type;
  uint32_t offset; /* of the field in the image, in bytes */
  double default_value;
  bool is_link;      /* the next two are those of its ecs_Link */
  ecs_LinkRule rule; /* otherwise ECS_LINK_CLEAR */
  bool tree;
} ecs_FieldInfo;

/* The number of fields of a component; 0 for a tag and for an unknown one. */
ECS_API uint32_t ecs_component_field_count(const ecs_World *world,
                                           ecs_Component component);
/* The size of a component's image in bytes; 0 for a tag and for an unknown
 * component. */
ECS_API uint32_t ecs_component_image_bytes(const ecs_World *world,
                                           ecs_Component component);
/* Describes one field, 0 to field_count - 1, in *info. Returns ECS_OK,
 * ECS_E_COMPONENT (unknown) or ECS_E_FIELD (no such field). */
ECS_API ecs_Status ecs_component_field(const ecs_World *world,
                                       ecs_Component component, uint32_t field,
                                       ecs_FieldInfo *info);
/* How a component is stored, as its definition says, whatever ecs_group did
 * since; ECS_STORE_TABLE for an unknown component. */
ECS_API ecs_Storage ecs_component_storage(const ecs_World *world,
                                          ecs_Component component);

/* Strict conversion of a number into an element of an image, at any alignment.
 * place points at ecs_scalar_bytes(type) bytes. A float is rounded to nearest;
 * a NaN is stored as the one quiet NaN. Returns ECS_OK, ECS_E_ARGUMENT (unknown
 * type), or ECS_E_VALUE: a fraction or a number out of range for an integer, a
 * finite number too large for an f32, anything but 0 and 1 for a bool, or a
 * number that is no handle for an entity. */
ECS_API ecs_Status ecs_scalar_store(ecs_Scalar type, void *place, double value);
/* Converting store into an element, at any alignment; it cannot fail. Integers
 * are truncated towards zero and saturate, and NaN becomes 0. A bool is true
 * for any number but 0. A number that is no handle becomes the null entity. An
 * unknown type stores nothing. */
ECS_API void ecs_scalar_convert(ecs_Scalar type, void *place, double value);
/* An element of an image, at any alignment, as a number: exact for every type.
 * 0 for an unknown type. */
ECS_API double ecs_scalar_load(ecs_Scalar type, const void *place);
/* The size of an element: 1, 2, 4 or 8 bytes; 0 for an unknown type. */
ECS_API uint32_t ecs_scalar_bytes(ecs_Scalar type);
/* The name of a type, such as "f32"; "unknown" for an unknown type. A string
 * constant. */
ECS_API const char *ecs_scalar_name(ecs_Scalar type);

/* Links ------------------------------------------------------------------- */

/* A link (ecs_Link) is changed by spawning, setting, adding and removing alone:
 * a batch, a kernel, and rows that were just spawned only read its column, and a
 * change of it is recorded while the world is open, that of ecs_set included;
 * until then every function here answers as before. A call that would link to an
 * entity that is not alive returns ECS_E_LINK, one that would close a circle of
 * a tree ECS_E_CIRCLE, recorded links counted; both change nothing. When an
 * entity dies, everything that dies with it is collected first and then
 * destroyed together. A link that is recorded to an entity which by then has
 * died with another one follows its rule. Linking again to the same entity
 * keeps the place among its links. */

/* The entities that link to the target by a field, in the order of linking:
 * their number in *count, and the first `capacity` of them in sources (may be
 * NULL). Returns ECS_OK, ECS_E_COMPONENT (unknown), ECS_E_FIELD (the field is no link)
 * or ECS_E_DEAD. Cost: what it writes. */
ECS_API ecs_Status ecs_links(const ecs_World *world, ecs_Entity target,
                             ecs_Component component, uint32_t field,
                             ecs_Entity *sources, uint32_t capacity,
                             uint32_t *count);

/* The entity that a field links to, in *target; 0: none, or the source lacks the
 * component. Returns as ecs_links. Cost: constant. */
ECS_API ecs_Status ecs_link_target(const ecs_World *world, ecs_Entity source,
                                   ecs_Component component, uint32_t field,
                                   ecs_Entity *target);

/* The link that ECS_E_LINK or ECS_E_CIRCLE refused last: of which entity to
 * which; the source is 0 where it was to be spawned. False: there was none. */
ECS_API bool ecs_refused_link(const ecs_World *world, ecs_Entity *source,
                              ecs_Entity *target);

/* Storage ----------------------------------------------------------------- */

/* Stores count components together in a group of their own, whatever groups
 * they were in, and moves their rows. Values and matches stay; the order of
 * rows may change. One component alone becomes a sparse set; count 0 does
 * nothing. Among several, a tag stored as bits stays bits. Returns ECS_OK,
 * ECS_E_OPEN while
 * the world is open, ECS_E_COMPONENT (unknown, or one twice), ECS_E_MEMORY or
 * ECS_E_LIMIT. Cost: copies all rows of every group that gives or takes a
 * component; for a while both copies exist. */
ECS_API ecs_Status ecs_group(ecs_World *world, const ecs_Component *components,
                             uint32_t count);

/* Stores count tags as bits of the main group, wherever they were stored: adding
 * or removing one then moves no row, and queries test a bit for each row.
 * count 0 does nothing. Returns ECS_OK, ECS_E_OPEN while the world is open,
 * ECS_E_COMPONENT (unknown, one twice, or with fields), ECS_E_MEMORY or
 * ECS_E_LIMIT. Cost: that of ecs_group. */
ECS_API ecs_Status ecs_group_bits(ecs_World *world,
                                  const ecs_Component *components,
                                  uint32_t count);

/* Moves count components back to the tables of the main group, tags stored as
 * bits included: the opposite of ecs_group. count 0 does nothing. Returns
 * ECS_OK, ECS_E_OPEN while the world is open, ECS_E_COMPONENT (unknown, or one
 * twice), ECS_E_MEMORY or ECS_E_LIMIT. Cost: that of ecs_group. */
ECS_API ecs_Status ecs_ungroup(ecs_World *world,
                               const ecs_Component *components, uint32_t count);

/* Prepares a set of count components for spawning many entities; count may be
 * 0. The same components in the same order give the same bundle again. It lives
 * as long as the world. Returns ECS_OK, ECS_E_COMPONENT (unknown, or one
 * twice), ECS_E_MEMORY or ECS_E_LIMIT. Cost: a comparison with every bundle. */
ECS_API ecs_Status ecs_bundle(ecs_World *world, const ecs_Component *components,
                              uint32_t count, ecs_Bundle *bundle);

/* Makes room for count more entities with the components of a bundle, so that
 * spawning them allocates nothing. Returns ECS_OK, ECS_E_ARGUMENT (unknown
 * bundle), ECS_E_OPEN while the world is open, ECS_E_MEMORY, or ECS_E_LIMIT,
 * also when so many entities cannot be alive. Cost: copies the existing rows of
 * the table when it has to grow. */
ECS_API ecs_Status ecs_reserve(ecs_World *world, ecs_Bundle bundle,
                               uint64_t count);

/* Entities ---------------------------------------------------------------- */

/* Spawns an entity with count components. values is NULL, or an array of one
 * image per component, in the order of components, each of which may be NULL. A
 * component without an image gets its defaults. *entity, unless NULL, gets the
 * handle. While the world is open the spawn is recorded (ecs_defer_begin).
 * Returns ECS_OK, ECS_E_COMPONENT (unknown, or one twice), ECS_E_MEMORY or
 * ECS_E_LIMIT. Cost: per field; the set of components is looked up anew unless
 * it is among some that were used last. */
ECS_API ecs_Status ecs_spawn(ecs_World *world, const ecs_Component *components,
                             uint32_t count, const void *const *values,
                             ecs_Entity *entity);
/* Spawns an entity with the components of a bundle. values and entity are as in
 * ecs_spawn, images in the order of the bundle. While the world is open the
 * spawn is recorded. Returns ECS_OK, ECS_E_ARGUMENT (unknown bundle),
 * ECS_E_MEMORY or ECS_E_LIMIT. Cost: per field. */
ECS_API ecs_Status ecs_spawn_bundle(ecs_World *world, ecs_Bundle bundle,
                                    const void *const *values,
                                    ecs_Entity *entity);

/* Spawns an entity with a given handle, such as one that another world has
 * issued; for the rest it is ecs_spawn. The handle's generation is taken over:
 * handles of that index with lower ones are never issued. Indices that no
 * entity had yet, below that of the handle, become free: the lowest of them is
 * issued next. While the world is open the spawn is recorded, and the handle is
 * the entity's from then on. Returns ECS_OK, ECS_E_ARGUMENT (no handle),
 * ECS_E_COMPONENT, ECS_E_MEMORY, ECS_E_LIMIT, or ECS_E_TAKEN, of which
 * ecs_world_refusal says why:
 *   - an entity has the index, this one or another, also one of which the
 *     destruction is recorded
 *   - the index had this generation, or a higher one
 *   - the index is retired
 *   - the index is more than 2^20 above every index that an entity had.
 * Cost: that of ecs_spawn, and per index that becomes free; the first time in a
 * world, and after ecs_world_trim, per free index. From then on the world holds
 * 4 bytes per index. */
ECS_API ecs_Status ecs_spawn_as(ecs_World *world, ecs_Entity entity,
                                const ecs_Component *components, uint32_t count,
                                const void *const *values);

/* One entity of a family. */
typedef struct ecs_Member {
  ecs_Bundle bundle;
  const void *const *values; /* as in ecs_spawn, in the order of the bundle */
  uint32_t parent; /* the member that it links to, which stands before it; of
                      the first member: not read */
} ecs_Member;

/* Entities that are spawned together and linked to each other: a tank, its
 * turret and the barrel of that. All members but the first have the component
 * with the link among those of their bundle. What they link to by it is their
 * parent, whatever their values say. */
typedef struct ecs_Family {
  const ecs_Member *members;
  uint32_t member_count; /* 1 to 1024 */
  ecs_Component link;    /* with the link; not read where there is one member */
  uint32_t field;        /* of link */
  ecs_Entity
      first; /* the handle that the first member gets, as in ecs_spawn_as,
                       of the only copy; 0: any */
} ecs_Family;

/* Spawns count copies of a family, less than 2^28 entities in all: of the first
 * member, then of the second, and so on. *entities, unless NULL, gets the
 * handles of the first member's copies. Everything that is spawned is there, and
 * linked, or nothing is. While the world is open the spawns are recorded. Returns
 * ECS_OK, ECS_E_ARGUMENT (no or too many members, an unknown bundle, a parent
 * that does not stand before its member, first with a count other than 1 or no
 * handle), ECS_E_COMPONENT (link is unknown, or not in a member's bundle),
 * ECS_E_FIELD (the field is no link), ECS_E_LINK (a value links to an entity that
 * is not alive), ECS_E_TAKEN, ECS_E_MEMORY or ECS_E_LIMIT. Cost: per field of
 * many copies, what copying an array costs; per link, that of linking. */
ECS_API ecs_Status ecs_spawn_family(ecs_World *world, const ecs_Family *family,
                                    uint64_t count, ecs_Entity *entities);

/* Spawns copies of all members of a family but the first, for count different
 * entities that take its place: they exist, or their spawns are recorded. Returns
 * as ecs_spawn_family, ECS_E_ARGUMENT also where parents is NULL or first is not
 * 0, and ECS_E_DEAD. */
ECS_API ecs_Status ecs_spawn_children(ecs_World *world,
                                      const ecs_Family *family,
                                      const ecs_Entity *parents,
                                      uint64_t count);

/* Makes room for count more copies of a family: see ecs_reserve. Returns as it
 * does, and as ecs_spawn_family. */
ECS_API ecs_Status ecs_reserve_family(ecs_World *world,
                                      const ecs_Family *family, uint64_t count);

/* Destroys an entity; its handle is never alive again. While the world is open
 * the destruction is recorded, and the entity is no longer alive from then on.
 * Returns ECS_OK, ECS_E_DEAD when the entity is not alive, or, when recording,
 * ECS_E_MEMORY or ECS_E_LIMIT. Cost: per field. */
ECS_API ecs_Status ecs_destroy(ecs_World *world, ecs_Entity entity);
/* Is the entity alive? True also for a recorded spawn. False once its
 * destruction is made or recorded, and for a handle that was never issued. */
ECS_API bool ecs_alive(const ecs_World *world, ecs_Entity entity);

/* Spawns another entity with the components and values of one that exists, but
 * without its name. What links to the entity by a tree that destroys, such as
 * children, is cloned, too, and what links to that; entity fields that lead to
 * an entity among these lead to its clone, others stay as they are. Children
 * keep their order. While the world is open the clones are recorded: as they are
 * now, without what is recorded for them. Returns ECS_OK, ECS_E_DEAD,
 * ECS_E_ACCESS (an open cursor writes a component of one of them), ECS_E_LINK (a
 * link leads to an entity with a recorded destruction), ECS_E_ARGUMENT (clone is
 * NULL), ECS_E_MEMORY or ECS_E_LIMIT; after ECS_E_LINK and these two, handles may
 * be used up, and nothing else has changed. Cost: for each entity, every
 * component of the world. */
ECS_API ecs_Status ecs_clone(ecs_World *world, ecs_Entity entity,
                             ecs_Entity *clone);

/* Names an entity, so that ecs_find finds it; NULL takes its name away. A name
 * is 1 to 255 bytes and belongs to one entity at a time, which loses it when it
 * dies. Names change at once, also while the world is open: an entity with a
 * recorded spawn may be named, and the name of one with a recorded destruction
 * is free. Should that be discarded, the entity has its name again unless it
 * was given away. Returns ECS_OK, ECS_E_DEAD, ECS_E_NAME (a bad name, or that of
 * another entity) or ECS_E_MEMORY. Entities without a name cost nothing. Cost:
 * a hash of the name. */
ECS_API ecs_Status ecs_set_name(ecs_World *world, ecs_Entity entity,
                                const char *name);
/* Has a tag follow names from now on: entities with a name have it, and get it
 * now, so that queries find them. It is added and removed by ecs_set_name alone,
 * and while the world is open when that ends: the host leaves it alone. A world
 * has one such tag; the same again changes nothing. Returns ECS_OK,
 * ECS_E_COMPONENT, ECS_E_ARGUMENT (it has fields, or the world has another such
 * tag), ECS_E_OPEN, ECS_E_MEMORY or ECS_E_LIMIT. Cost: per entity with a name. */
ECS_API ecs_Status ecs_name_tag(ecs_World *world, ecs_Component tag);
/* The name of an entity, borrowed until a name of the world changes; NULL: it
 * has none, or is dead. */
ECS_API const char *ecs_name(const ecs_World *world, ecs_Entity entity);
/* The entity that is alive and has the name; 0: none. Cost: as ecs_set_name. */
ECS_API ecs_Entity ecs_find(const ecs_World *world, const char *name);

/* Adds a component with the values of image, or with defaults when image is
 * NULL. A component that is present keeps its value, and nothing happens. While
 * the world is open the change is recorded. Returns ECS_OK, ECS_E_COMPONENT
 * (unknown), ECS_E_DEAD, ECS_E_MEMORY or ECS_E_LIMIT. Cost: moves the entity's
 * row to another table of the component's group, per field of that row; for a
 * sparse component the other components are not touched. */
ECS_API ecs_Status ecs_add(ecs_World *world, ecs_Entity entity,
                           ecs_Component component, const void *image);

/* Removes a component. When it is absent, nothing happens. While the world is
 * open the change is recorded. Returns ECS_OK, ECS_E_COMPONENT (unknown),
 * ECS_E_DEAD, ECS_E_MEMORY or ECS_E_LIMIT. Cost: that of ecs_add. */
ECS_API ecs_Status ecs_remove(ecs_World *world, ecs_Entity entity,
                              ecs_Component component);
/* Removes one component and adds another in one move: Construction becomes
 * Active. The first may be absent. The second gets the fields of image that
 * `fields` names, as in ecs_set; where it is new the others get defaults, and
 * where it is present they stay. image may be NULL when fields names none, as for
 * a tag. While the world is open both changes are recorded. Returns ECS_OK,
 * ECS_E_COMPONENT (unknown, or both the same), ECS_E_ARGUMENT (image is NULL
 * although it is needed), ECS_E_DEAD, ECS_E_ACCESS as ecs_set, ECS_E_MEMORY or
 * ECS_E_LIMIT. Cost: that of ecs_add where both components are in tables of one
 * group; otherwise that of ecs_remove and ecs_add. */
ECS_API ecs_Status ecs_replace(ecs_World *world, ecs_Entity entity,
                               ecs_Component gone, ecs_Component added,
                               const void *image, uint64_t fields);

/* Sets fields of a component from an image: field k when bit k of `fields` is
 * set, all of them for ~0. Bits beyond the last field are ignored. When the
 * component is absent it is added, with defaults for the other fields. image
 * may be NULL when `fields` is 0, and for a tag. While the world is open the
 * change is recorded when the component is absent or other changes of the
 * entity are recorded; otherwise the value is written at once. Returns ECS_OK,
 * ECS_E_COMPONENT (unknown), ECS_E_ARGUMENT (no image), ECS_E_DEAD,
 * ECS_E_ACCESS when the entity has the component and an open cursor reads or
 * writes it; when adding or recording, also ECS_E_MEMORY or ECS_E_LIMIT. Cost:
 * per field; where the component is added, that of ecs_add. */
ECS_API ecs_Status ecs_set(ecs_World *world, ecs_Entity entity,
                           ecs_Component component, const void *image,
                           uint64_t fields);

/* Copies a component into image, which has room for ecs_component_image_bytes.
 * Returns ECS_OK, or the first of these that holds: ECS_E_COMPONENT (unknown,
 * or a tag), ECS_E_ACCESS when an open cursor writes the component, ECS_E_DEAD,
 * ECS_E_ABSENT. An entity with a recorded destruction is still read as before;
 * a recorded spawn has no components yet (ECS_E_ABSENT). Cost: per field, after
 * a few dependent loads. */
ECS_API ecs_Status ecs_get(const ecs_World *world, ecs_Entity entity,
                           ecs_Component component, void *image);

/* Reads one field as a number, exact for every type. field is its position in
 * the schema, from 0. Returns ECS_OK, or the first of these that holds:
 * ECS_E_COMPONENT, ECS_E_FIELD (no such field), ECS_E_ACCESS, ECS_E_DEAD,
 * ECS_E_ABSENT, each as in ecs_get. */
ECS_API ecs_Status ecs_get_field(const ecs_World *world, ecs_Entity entity,
                                 ecs_Component component, uint32_t field,
                                 double *value);
/* Sets one field from a number, converted as by ecs_scalar_store; for the rest
 * it is ecs_set of this field. Returns ECS_OK, ECS_E_COMPONENT (unknown, or a
 * tag), ECS_E_FIELD (no such field), ECS_E_VALUE (the number does not fit),
 * ECS_E_DEAD, ECS_E_ACCESS, ECS_E_MEMORY or ECS_E_LIMIT. */
ECS_API ecs_Status ecs_set_field(ecs_World *world, ecs_Entity entity,
                                 ecs_Component component, uint32_t field,
                                 double value);

/* Is the component present? False for a dead entity and for an unknown
 * component. Recorded changes do not count yet: an entity with a recorded
 * destruction still has its components, a recorded spawn has none. */
ECS_API bool ecs_has(const ecs_World *world, ecs_Entity entity,
                     ecs_Component component);

/* Lists the components of an entity in order of definition: writes at most
 * capacity of them and returns how many there are, 0 for a dead entity.
 * components may be NULL when capacity is 0. Recorded changes do not count yet,
 * as in ecs_has. Cost: one test per component of the world. */
ECS_API uint32_t ecs_components_of(const ecs_World *world, ecs_Entity entity,
                                   ecs_Component *components,
                                   uint32_t capacity);

/* Changes of a list of entities ------------------------------------------- */

/* Each of these functions changes count entities of a list, or none when it
 * fails. The result is that of ecs_destroy, ecs_add or ecs_remove called for
 * one after the other, in the order of the list: rows lie in the same order,
 * and the same handles are issued next. An entity that is dead is passed over.
 * One that is listed twice is changed once: to add or to remove a second time
 * does nothing, and to destroy finds a dead entity.
 *
 * *found, unless NULL, gets for how many the single function would have
 * answered ECS_OK: of destroy, how many died; otherwise how many are alive,
 * each as often as it is listed. The list must not be in memory of the world,
 * as the entities of a batch are. entities may be NULL when count is 0.
 *
 * While the world is open, the changes are recorded, all or none, in the order
 * of the list, as by the single functions: a change of an entity with a
 * recorded destruction is dropped, counted, and found; destroying it again is
 * neither.
 *
 * Cost: per entity that of the single function. To destroy costs half of it,
 * because cache misses overlap; to add to tables, or to remove from them, looks
 * each entity up once more where there may not be room for all. */

/* Destroys the entities that are alive. Returns ECS_OK, ECS_E_ARGUMENT (no
 * list), or, when recording, ECS_E_MEMORY or ECS_E_LIMIT. */
ECS_API ecs_Status ecs_destroy_many(ecs_World *world,
                                    const ecs_Entity *entities, uint32_t count,
                                    uint32_t *found);
/* Adds a component to the entities that lack it, with the values of image, or
 * with defaults when image is NULL. Returns ECS_OK, ECS_E_COMPONENT (unknown),
 * ECS_E_ARGUMENT (no list), ECS_E_MEMORY or ECS_E_LIMIT. */
ECS_API ecs_Status ecs_add_many(ecs_World *world, const ecs_Entity *entities,
                                uint32_t count, ecs_Component component,
                                const void *image, uint32_t *found);
/* Removes a component from the entities that have it. Returns ECS_OK,
 * ECS_E_COMPONENT (unknown), ECS_E_ARGUMENT (no list), ECS_E_MEMORY or
 * ECS_E_LIMIT. */
ECS_API ecs_Status ecs_remove_many(ecs_World *world, const ecs_Entity *entities,
                                   uint32_t count, ecs_Component component,
                                   uint32_t *found);

/* Accessors: one component of many entities ------------------------------- */

/* Prepared access to one component. Plain data owned by the caller: it may be
 * copied and dropped at any time, and must not be used after its world. It
 * follows every change of structure and of storage by itself. */
typedef struct ecs_Accessor {
  uint64_t private_state[12];
} ecs_Accessor;

/* Prepares an accessor. Returns ECS_OK, or ECS_E_COMPONENT (unknown, or a tag).
 */
ECS_API ecs_Status ecs_accessor(ecs_World *world, ecs_Component component,
                                ecs_Accessor *accessor);
/* Copies the accessor's component of an entity into image. Returns ECS_OK, or
 * the first of these that holds: ECS_E_ACCESS when an open cursor writes the
 * component, ECS_E_DEAD, ECS_E_ABSENT, as in ecs_get. Cost: less than that of
 * ecs_get, least when consecutive entities are in one table. */
ECS_API ecs_Status ecs_accessor_get(ecs_Accessor *accessor, ecs_Entity entity,
                                    void *image);
/* Sets all fields of the accessor's component from image; never adds it. When
 * other changes of the entity are recorded, the set is recorded too. Returns
 * ECS_OK, or the first of these that holds: ECS_E_ACCESS when an open cursor
 * reads or writes the component, ECS_E_DEAD, ECS_E_ABSENT; when recording, also
 * ECS_E_MEMORY or ECS_E_LIMIT. Cost: as ecs_accessor_get. */
ECS_API ecs_Status ecs_accessor_set(ecs_Accessor *accessor, ecs_Entity entity,
                                    const void *image);
/* Reads the component of count entities. columns has one array of count
 * elements per field; none may overlap memory of the world. The elements of
 * entities that are dead or lack the component are left as they are. *found,
 * unless NULL, gets the number of entities that have the component. Returns
 * ECS_OK, or ECS_E_ACCESS when an open cursor writes the component. Cost: per
 * entity and field; cache misses of many look-ups overlap. */
ECS_API ecs_Status ecs_accessor_get_many(ecs_Accessor *accessor,
                                         const ecs_Entity *entities,
                                         uint32_t count, void *const *columns,
                                         uint32_t *found);
/* Sets all fields of the component of count entities; never adds it. columns
 * and found are as in ecs_accessor_get_many, and entities that are dead or lack
 * the component are skipped. An entity that is listed twice keeps the later
 * values. Returns ECS_OK, ECS_E_ACCESS when an open cursor reads or writes the
 * component, or ECS_E_MEMORY or ECS_E_LIMIT when a change cannot be recorded;
 * then no entity was set. On failure *found is 0. Cost: as
 * ecs_accessor_get_many. */
ECS_API ecs_Status ecs_accessor_set_many(ecs_Accessor *accessor,
                                         const ecs_Entity *entities,
                                         uint32_t count,
                                         const void *const *columns,
                                         uint32_t *found);

/* Queries ----------------------------------------------------------------- */

typedef enum ecs_Access {
  ECS_WRITE = 0, /* must be present; read and written */
  ECS_READ,      /* must be present; only read */
  ECS_OPTIONAL,  /* read and written where it is present */
  ECS_UP,        /* read of the entity that one's own links to, where that has
                    it; see ECS_ALONG */
  ECS_WITH,      /* must be present; its values are not used */
  ECS_WITHOUT,   /* must be absent */
  ECS_ANY,       /* of all components with this access one must be present, or
                    more; their values are not used */
  ECS_ALONG,     /* the component with the link that ECS_UP follows, which is a
                    tree; it need not be present */
  ECS_ACCESS_COUNT
} ecs_Access;

typedef struct ecs_Term {
  ecs_Component component;
  ecs_Access access;
} ecs_Term;

/* Creates a query of count terms, 0 to 4096; without terms every entity
 * matches. The terms are copied. The world owns the query and frees it at its
 * end; ecs_query_destroy frees it earlier. Allowed while the world is open.
 *
 * With a term ECS_ALONG the query goes along a tree, such as
 *
 *      { Global, ECS_WRITE }, { Local, ECS_READ },
 *      { ChildOf, ECS_ALONG }, { Global, ECS_UP }
 *
 * The same entities match. Entities come before those that link to them: in the
 * order of their depth, for which every entity of the tree counts, and a batch
 * has entities of one depth. The columns of ECS_UP are those of the entity that
 * a row's own one links to, and absent (NULL) in batches where it links to
 * nothing, or to an entity without the component. They are only read; another
 * term may write the same component, and then they show what earlier batches
 * have written.
 *
 * Returns ECS_OK, ECS_E_COMPONENT (unknown, or in two terms; a component may be
 * in one term of its own, one ECS_UP and one ECS_ALONG), ECS_E_ARGUMENT
 * (unknown access, two terms ECS_ALONG, ECS_UP without one, or terms is NULL
 * although count is not 0), ECS_E_FIELD (the component of ECS_ALONG has no link
 * that is a tree, or more than one), ECS_E_MEMORY, or ECS_E_LIMIT (too many
 * terms or queries). Cost: a test of every table of the groups of its terms. The
 * list of a tree is made by the next use, and anew when links or groups have
 * changed. */
ECS_API ecs_Status ecs_query_create(ecs_World *world, const ecs_Term *terms,
                                    uint32_t count, ecs_Query **query);

/* Removes a query from its world, destroys its programs and kernel bindings,
 * and frees it. query may be NULL: does nothing. Returns ECS_OK, or ECS_E_OPEN
 * while one of the query's cursors is open. */
ECS_API ecs_Status ecs_query_destroy(ecs_Query *query);

/* Counts the entities that match now. Returns ECS_OK or ECS_E_MEMORY. Cost: per
 * table; per row where a partial plan is not cached, and for tags stored as
 * bits. */
ECS_API ecs_Status ecs_query_count(ecs_Query *query, uint64_t *count);

/* Finds the entity of the first row that a cursor begun now would visit; 0 when
 * none matches. Needs no access, so an open cursor does not prevent it, except
 * where the query has an order (ecs_query_sort). Returns ECS_OK, ECS_E_ACCESS
 * when an open cursor writes the component of the order, or ECS_E_MEMORY. Cost:
 * up to the first match. */
ECS_API ecs_Status ecs_query_first(ecs_Query *query, ecs_Entity *entity);

/* Finds the entity that one links to by the link that the query goes along
 * (ECS_ALONG), in *target; 0: it links to nothing, or the query goes along no
 * link. Returns ECS_OK or ECS_E_DEAD. Cost: constant. */
ECS_API ecs_Status ecs_query_target(const ecs_Query *query, ecs_Entity entity,
                                    ecs_Entity *target);

/* Finds the position of a field in the columns of a batch: field, from 0, of
 * the term at position `term`, from 0. Columns are in the order of terms, then
 * of fields. ECS_WITH, ECS_WITHOUT, ECS_ANY and tags have no columns, so a
 * batch does not show whether an optional tag is present. Returns ECS_OK, or
 * ECS_E_FIELD when there is no such column. */
ECS_API ecs_Status ecs_query_column(const ecs_Query *query, uint32_t term,
                                    uint32_t field, uint32_t *column);
/* The number of columns of the query's batches: 0 to 64 per term. */
ECS_API uint32_t ecs_query_column_count(const ecs_Query *query);

/* Has the query pass over rows that have not changed: every walk of it (cursors,
 * kernels, programs, ecs_query_entities, changes of all matches) then goes over
 * blocks of up to 1024 rows in which, since the last walk that was seen
 * (ecs_query_mark_seen), the component of the term at position `term` was set,
 * added or opened for writing in some row, or a row came or moved. Opened for
 * writing is what a cursor, a kernel, a program or ecs_query_locate hands out
 * for a term that writes, and a row of ecs_rows_write. So a walk may show rows
 * with the values that they had; it never leaves out one that has others, or
 * that matches now and did not. Called for several terms: in which one of them
 * changed. Whatever the walk itself writes before its end does not count; what
 * its end applies does. At first all rows count as changed. Returns ECS_OK,
 * ECS_E_ARGUMENT (no such term, one of ECS_WITHOUT, asked before, or a query
 * along a tree or with a grid), ECS_E_OPEN while one of the query's cursors is
 * open, or ECS_E_MEMORY. Cost: of a walk, a comparison per block and term; while
 * the query exists, of adding, removing and setting components of its terms,
 * about twice what it is otherwise. */
ECS_API ecs_Status ecs_query_ask_changes(ecs_Query *query, uint32_t term);

/* What changed before the last walk of the query began has been seen: the next one
 * passes over it. Nothing else marks a walk as seen. Does nothing for a query that
 * was not asked for changes. */
ECS_API void ecs_query_mark_seen(ecs_Query *query);

/* Has every walk of the query (cursors, kernels, programs, ecs_query_entities) go
 * over its rows in the order of a field of the term at position `term`: from the
 * smallest value to the largest, or down from the largest. Rows that are equal
 * stay in the order that they would have otherwise; zeros of both signs are
 * equal; NaNs come last either way. The order is brought up to date at the
 * beginning of a walk, when rows came or went, or the component was written or
 * opened for writing (ecs_query_ask_changes). The rows of tables are not moved,
 * so nothing else notices. Rows that do not follow each other in their tables
 * are handed out as copies. Changes of all matches come in no order. Returns
 * ECS_OK, ECS_E_ARGUMENT (no such term, one without which an entity may match,
 * sorted before, or a query along a tree), ECS_E_FIELD,
 * ECS_E_OPEN while one of the query's cursors is open, or ECS_E_MEMORY; a walk may
 * return ECS_E_ACCESS where an open cursor writes the component. Cost: of a
 * walk, a comparison per block of 1024 rows; after a change about 30 ns for
 * each row that matches, and a tenth where the order is what it was; otherwise
 * that of ecs_query_ask_changes. */
ECS_API ecs_Status ecs_query_sort(ecs_Query *query, uint32_t term,
                                  uint32_t field, bool down);

/* Writes how the query is stored and how it will run, as lines of text (rule
 * "Text"). When memory runs out, the text says so. Cost: that of
 * ecs_query_count. */
ECS_API size_t ecs_query_explain(ecs_Query *query, char *text, size_t capacity);

/* Choosing the storage ---------------------------------------------------- */

/* Where a component is stored, or would be better. */
typedef enum ecs_Place {
  ECS_PLACE_MAIN = 0, /* in the main group */
  ECS_PLACE_SET,      /* in a group of its own */
  ECS_PLACE_GROUP,    /* in another group, with others */
  ECS_PLACE_BITS,     /* a tag as bits of the main group */
  ECS_PLACE_FIELD,    /* in no component of its own: its fields could be those
                         of another */
  ECS_PLACE_ARRAY     /* in no world: a plain array would do */
} ecs_Place;

/* What costs less for it. */
typedef enum ecs_Reason {
  ECS_REASON_CHANGES = 0, /* adding and removing it */
  ECS_REASON_LISTS,       /* finding the rows of queries that ask for it */
  ECS_REASON_COPIES,      /* columns that queries cannot use in place */
  ECS_REASON_TABLES,      /* batches: there are fewer tables */
  ECS_REASON_MEMORY,
  ECS_REASON_TOGETHER, /* to ECS_PLACE_FIELD: the same entities have both, and
                          systems ask for both or none */
  ECS_REASON_ALONE     /* to ECS_PLACE_ARRAY: entities with it have nothing
                          else, and systems ask for nothing else with it */
} ecs_Reason;

typedef struct ecs_Advice {
  ecs_Component component;
  ecs_Place from;
  ecs_Place to;
  ecs_Component from_beside; /* another of its group; 0: it is not in one */
  ecs_Component to_beside;   /* the same, or the one to be a field of */
  ecs_Reason reason;         /* what matters most */
  int64_t gain; /* nanoseconds of a frame, by the model, that this entry brings
                   after those before it; below 0 where it pays only with a later
                   one; 0 for ECS_PLACE_FIELD and ECS_PLACE_ARRAY */
} ecs_Advice;

typedef struct ecs_ComponentStatistics {
  uint64_t
      changes; /* entities that got it or lost it by a change, not by a spawn
                       or a destruction; halved by ecs_world_optimize, and begun
                       by the first ecs_query_count_runs */
  ecs_Place place;      /* where it is stored now, of the first four */
  ecs_Component beside; /* another component of its group, where place is
                           ECS_PLACE_GROUP; otherwise 0 */
} ecs_ComponentStatistics;
/* Writes what is known of a component to *statistics. Returns ECS_OK,
 * ECS_E_COMPONENT (unknown) or ECS_E_ARGUMENT (statistics is NULL). Cost:
 * constant. */
ECS_API ecs_Status
ecs_component_statistics(const ecs_World *world, ecs_Component component,
                         ecs_ComponentStatistics *statistics);

/* Counts runs of a system over the terms of a query, for ecs_world_optimize. The
 * first call in a world, where runs may be 0, begins the counts of changes.
 * Cursors, kernels and programs do not count by themselves: what a program only
 * looks at is to change no layout. Returns ECS_OK or ECS_E_MEMORY. Cost: constant,
 * but for the first time. */
ECS_API ecs_Status ecs_query_count_runs(ecs_Query *query, uint64_t runs);

/* Looks for a layout in which a frame costs less, and moves nothing. What
 * a frame is was counted: runs of systems (ecs_query_count_runs; a frame is a run
 * of the query that ran most) and components added to entities and removed.
 * What it costs is computed by a model with constants, in integers: worlds with
 * equal counts and entities get equal advice on every machine. At most capacity
 * entries are written to *entries, in the order of components, and how many
 * there are to *count; entries may be NULL when capacity is 0. Looks at up to 256
 * components, those that systems ask for or that change first, and at up to
 * 16,384 entities. Returns ECS_OK, ECS_E_ARGUMENT (count is NULL, or entries is
 * although there is capacity) or ECS_E_MEMORY. Cost: milliseconds
 * for tens of components, most of a second for 256. */
ECS_API ecs_Status ecs_world_advise(ecs_World *world, ecs_Advice *entries,
                                    uint32_t capacity, uint32_t *count);

/* The same, and stores components so, but for entries to ECS_PLACE_FIELD and
 * ECS_PLACE_ARRAY, which it leaves out. A layout that is better by less than
 * 1/32 is not worth a move. Then counts of 512 frames or more are halved, so that
 * what happens later weighs more; asked again at once, it moves nothing. Also
 * ECS_E_OPEN while the world is open, or ECS_E_LIMIT; where it fails nothing has
 * changed. Cost: beside that, one ecs_group of all components that move. */
ECS_API ecs_Status ecs_world_optimize(ecs_World *world, ecs_Advice *entries,
                                      uint32_t capacity, uint32_t *count);

/* Changes of every match -------------------------------------------------- */

/* Each of these functions changes all entities that match now, or none when it
 * fails. The result is that of ecs_add, ecs_remove, ecs_set or ecs_destroy
 * called for every match, but for the order of rows. Indices of destroyed
 * entities become free from the highest to the lowest, however the entities are
 * stored.
 *
 * While the world is open, one change per match is recorded, from the highest
 * index to the lowest. A change of a match that already has a recorded
 * destruction is dropped and counted, as it is by the single functions;
 * destroying the match again does nothing.
 *
 * Cost: when the terms and the component are in one group, whole tables are
 * copied column by column. A component that is stored alone as a sparse set is
 * added or removed in one run, and a tag stored as bits is written byte by
 * byte. Otherwise rows move one by one. */

/* Adds a component to the matches that lack it, with the values of image, or
 * with defaults when image is NULL. Returns ECS_OK, ECS_E_COMPONENT (unknown),
 * ECS_E_MEMORY or ECS_E_LIMIT. */
ECS_API ecs_Status ecs_query_add_all(ecs_Query *query, ecs_Component component,
                                     const void *image);
/* Removes a component from the matches that have it. Returns ECS_OK,
 * ECS_E_COMPONENT (unknown), ECS_E_MEMORY or ECS_E_LIMIT. */
ECS_API ecs_Status ecs_query_remove_all(ecs_Query *query,
                                        ecs_Component component);
/* Removes a component from every match that has it and adds another, as
 * ecs_replace. Returns ECS_OK, ECS_E_COMPONENT (unknown, or both the same),
 * ECS_E_ARGUMENT (image is NULL although it is needed), ECS_E_ACCESS as
 * ecs_query_set_all, ECS_E_MEMORY or ECS_E_LIMIT. Cost: a recorded change and a
 * move per match, also while nothing is open. */
ECS_API ecs_Status ecs_query_replace_all(ecs_Query *query, ecs_Component gone,
                                         ecs_Component added, const void *image,
                                         uint64_t fields);
/* Sets fields of a component of every match, and adds the component where it is
 * absent; image and `fields` are as in ecs_set. Returns ECS_OK, ECS_E_COMPONENT
 * (unknown), ECS_E_ARGUMENT (image is NULL although it is needed), ECS_E_ACCESS
 * when a match has the component and an open cursor reads or writes it,
 * ECS_E_MEMORY or ECS_E_LIMIT. */
ECS_API ecs_Status ecs_query_set_all(ecs_Query *query, ecs_Component component,
                                     const void *image, uint64_t fields);
/* Destroys every match. Returns ECS_OK, ECS_E_MEMORY or ECS_E_LIMIT. */
ECS_API ecs_Status ecs_query_destroy_all(ecs_Query *query);
/* The same, and the rows that remain in tables of the main group keep their
 * order, unless a match links or is linked to. Returns ECS_OK, ECS_E_OPEN while
 * the world is open, ECS_E_MEMORY or ECS_E_LIMIT. Cost: moves every row behind
 * the first match of its table. */
ECS_API ecs_Status ecs_query_destroy_in_order(ecs_Query *query);
/* Adds a tag that is stored as bits to every match, at once, also while changes
 * are deferred: no row moves, and what is recorded stays. Returns ECS_OK,
 * ECS_E_COMPONENT (unknown, not stored as bits at present, or observed),
 * ECS_E_OPEN while a cursor is open, ECS_E_MEMORY or ECS_E_LIMIT. */
ECS_API ecs_Status ecs_query_mark_all(ecs_Query *query, ecs_Component tag);

/* Cursors ----------------------------------------------------------------- */

/* A loop over the rows of a query. Plain data owned by the caller. Each
 * successful begin needs exactly one end or discard; cursors and deferrals nest
 * and end in reverse order. A cursor knows its level, so whatever else is done
 * with it is answered and changes nothing: ending is ECS_E_ARGUMENT, discarding
 * does nothing, and next is false, for a cursor that has ended, could not
 * begin, or is zeros; for a copy, once the other was used; and ending an outer
 * one first. */
typedef struct ecs_Cursor {
  uint64_t private_state[16];
} ecs_Cursor;

/* Rows as contiguous columns. All pointers are borrowed until the next call
 * with the cursor. A column that the query only reads must not be written.
 * Columns may be copies: what was written is in the world when the next call
 * with the cursor returns.
 *
 * What is written must be what ecs_scalar_convert stores, and is not checked: a
 * NaN must be the quiet one (NAN in C, which arithmetic keeps), a bool 0 or 1,
 * an entity a handle or 0. Another NaN makes hashes differ, and a script may
 * take it for a pointer; a bool of 2 reads as 2, neither true nor false. The
 * images that functions take are made so: any NaN becomes the quiet one, a byte
 * that is not 0 becomes true, and a number that is no handle null. */
typedef struct ecs_Batch {
  uint32_t count; /* rows */
  uint32_t column_count;
  const ecs_Entity *entities; /* count of them */
  void *const *columns;       /* column_count of them, each an array of count
                                 elements; one is NULL for an optional component
                                 that no row of the batch has */
} ecs_Batch;

/* How rows are cut into batches. Whole: one batch per table, in place.
 * Coalesced: the rows of tiny tables are gathered into one batch, for callers
 * for which a batch is expensive. */
typedef enum ecs_Batching {
  ECS_BATCH_WHOLE = 0,
  ECS_BATCH_COALESCED
} ecs_Batching;

/* Begins a loop over the rows that match now; the world is open until the
 * cursor ends. Returns ECS_OK, ECS_E_ARGUMENT (unknown batching), ECS_E_ACCESS
 * when an open cursor writes a component that this one reads, or reads one that
 * this one writes, ECS_E_LIMIT when cursors and deferrals nest deeper than 64,
 * or ECS_E_MEMORY. After a failure there is nothing to end. Cost: that of
 * ecs_query_count when a partial plan is not cached. */
ECS_API ecs_Status ecs_query_begin(ecs_Query *query, ecs_Batching batching,
                                   ecs_Cursor *cursor);

/* The component for which the last begin, get, set or run in this world
 * returned ECS_E_ACCESS; 0 when none did yet. */
ECS_API ecs_Component ecs_world_contested(const ecs_World *world);

/* Writes the next rows to *batch and returns true; returns false when there are
 * no more, however often it is called. Cost: nothing for a table in place;
 * otherwise the rows of the batch are copied in, and the rows of the last batch
 * are copied back. */
ECS_API bool ecs_cursor_next(ecs_Cursor *cursor, ecs_Batch *batch);

/* Ends the loop, at any point of it. When the cursor is the outermost, the
 * recorded changes are applied. Returns ECS_OK; ECS_E_ARGUMENT when the cursor
 * is not the innermost that is open, or is not open at all (ecs_Cursor); or
 * ECS_E_MEMORY or ECS_E_LIMIT when the changes cannot be applied; then all of
 * them are discarded, and the cursor has ended all the same. Cost: that of the
 * changes; each entity moves at most once per group. */
ECS_API ecs_Status ecs_cursor_end(ecs_Cursor *cursor);

/* Ends the loop, at any point of it, and discards what was recorded since its
 * begin. Values that were written stay. Does nothing where ecs_cursor_end would
 * answer ECS_E_ARGUMENT. */
ECS_API void ecs_cursor_discard(ecs_Cursor *cursor);

/* Copies the entities that match now, at most capacity of them, in the order of
 * a cursor; *count gets how many match. entities may be NULL when capacity is
 * 0. The world is not open afterwards. Returns ECS_OK, ECS_E_ACCESS as
 * ecs_query_begin, or ECS_E_MEMORY. Cost: every match. */
ECS_API ecs_Status ecs_query_entities(ecs_Query *query, ecs_Entity *entities,
                                      uint64_t capacity, uint64_t *count);

/* What ecs_query_locate found out.
 * ECS_ROW_MATCHES: the entity matches, and its destruction is not recorded.
 * ECS_ROW_IN_PLACE: the world is not open, so elements may be written as the
 * query's terms allow. Without this flag, write through ecs_set_field, which
 * checks access and records where it has to. */
typedef enum ecs_RowFlag {
  ECS_ROW_MATCHES = 1,
  ECS_ROW_IN_PLACE = 2
} ecs_RowFlag;

/* Finds the row of an entity, whether the entity matches or not. elements has
 * room for ecs_query_column_count pointers: elements[k] points at the entity's
 * element of column k, or is NULL when the entity lacks the component or an
 * open cursor writes it. The pointers are borrowed while ecs_world_row_epoch
 * keeps its value. A NaN written there must be the one that ecs_scalar_convert
 * stores. *flags gets ecs_RowFlag bits; 0 on failure. Returns ECS_OK,
 * ECS_E_DEAD when the entity is not alive or is only a recorded spawn, or
 * ECS_E_MEMORY. Cost: a look-up per group of the terms, and each column. */
ECS_API ecs_Status ecs_query_locate(ecs_Query *query, ecs_Entity entity,
                                    void **elements, uint32_t *flags);

/* As ecs_query_locate for the first of count entities, at least one, for a loop
 * over what ecs_query_entities copied. Besides, *run gets how many of the
 * entities, from the first on, can be reached from there: they match, and
 * entity i has its element of column k i elements behind elements[k] (where
 * that is NULL, it has none either). 1: only the first, which is always so
 * while the world is open; it may not match. 0 on failure. Cost: that of
 * ecs_query_locate, and a comparison per entity of the run and group. */
ECS_API ecs_Status ecs_query_locate_run(ecs_Query *query,
                                        const ecs_Entity *entities,
                                        uint32_t count, void **elements,
                                        uint32_t *flags, uint32_t *run);

/* The world's row epoch: a number that grows whenever a result of
 * ecs_query_locate may have become wrong. It grows on every change of
 * structure, when a link is set, when a destruction is recorded and when the
 * first change is, and when a cursor or a deferral opens or closes; it may also
 * grow when nothing has moved. Compare it before using pointers that were kept.
 * The address is the same for the life of the world. Read as a double, its bits
 * are a whole number, too, which also grows by 1: a language without integers
 * of 64 bits compares that. */
ECS_API const uint64_t *ecs_world_row_epoch(const ecs_World *world);

/* Spawns count entities, less than 2^28, of a bundle with default values.
 * cursor may be NULL. Otherwise the cursor is open afterwards: its one batch is
 * the new rows, with the columns of the components that the bundle was made of,
 * to be filled; end it like any other cursor. Discarding this cursor keeps the
 * entities and discards what was recorded since. While the world is open the
 * spawns are recorded. Returns ECS_OK, ECS_E_ARGUMENT (unknown bundle),
 * ECS_E_MEMORY, or ECS_E_LIMIT (too many entities, or with a cursor when
 * cursors and deferrals nest deeper than 64); after a failure there is nothing
 * to end. Cost: per new field. */
ECS_API ecs_Status ecs_spawn_many(ecs_World *world, ecs_Bundle bundle,
                                  uint64_t count, ecs_Cursor *cursor);

/* Deferred changes -------------------------------------------------------- */

/* Begins a deferral: from here to its end, changes of structure are recorded.
 *
 * The outermost end applies them: first what is spawned, then what changes, then
 * what is destroyed, each in the order of the entity's first record; each entity
 * moves once; all changes are applied or none. The result is that of the same
 * calls made at once, but for the order of rows and the ids of new entities.
 *
 * - A recorded spawn has its id and is alive, but has no components yet.
 * - A recorded destruction makes the entity dead: ecs_alive is false, and
 *   ecs_destroy answers ECS_E_DEAD. What was recorded for it before has no
 *   effect. Later changes of it answer ECS_OK, and are dropped and counted
 *   (ecs_Statistics.dropped). Its values are read as before until the end.
 * - A set of an entity with recorded changes is recorded too, so it takes
 *   effect after what batches write in the meantime.
 *
 * Deferrals nest, with cursors too. Returns ECS_OK, or ECS_E_LIMIT when
 * deferrals and cursors nest deeper than 64. */
ECS_API ecs_Status ecs_defer_begin(ecs_World *world);
/* Ends the innermost deferral; when it is the outermost level, the recorded
 * changes are applied. Returns ECS_OK, ECS_E_ARGUMENT when no deferral is
 * open or a cursor is open inside of it, or ECS_E_MEMORY or ECS_E_LIMIT when
 * the changes cannot be applied; then all of them are discarded, and the
 * deferral has ended all the same. Cost: as ecs_cursor_end. */
ECS_API ecs_Status ecs_defer_end(ecs_World *world);
/* Ends the innermost deferral and discards what was recorded since its begin.
 * Does nothing where ecs_defer_end would answer ECS_E_ARGUMENT. */
ECS_API void ecs_defer_discard(ecs_World *world);
/* Is the world open, by a deferral or a cursor? */
ECS_API bool ecs_deferring(const ecs_World *world);

/* Observers --------------------------------------------------------------- */

/* What an observer is told of. */
typedef enum ecs_Occasion {
  ECS_ON_ADD = 0, /* an entity got the component, be it by a spawn */
  ECS_ON_REMOVE,  /* an entity lost the component, be it that it died */
  ECS_ON_SET,     /* the component was set where it was already */
  ECS_ON_ENTER,   /* an entity matches the query */
  ECS_ON_LEAVE,   /* an entity matches the query no more */
  ECS_ON_DESTROY, /* an entity died */
  ECS_OCCASION_COUNT
} ecs_Occasion;

typedef uint32_t ecs_Observer; /* 1, 2 ... in order of registration; 0: none */

/* What one observer is told of one entity. */
typedef struct ecs_Notice {
  ecs_Observer observer;
  ecs_Entity entity;
  const void *const *images; /* of what has left, the last values: an image for
                                each component with fields that the observer
                                names, in their order; NULL: it was not there,
                                of ECS_OPTIONAL. Borrowed until the next change
                                or the next notice */
  uint32_t image_count;      /* 0: nothing has left, or tags alone */
} ecs_Notice;

/* Observers are told what changes have made of entities: of each application of
 * changes the net effect, after it. A change that is made at once is one
 * application, and so is everything that the outermost end of cursors and
 * deferrals applies. What is added and removed in one is not told.
 *
 * What is told waits in the world as notices, until its owner takes them:
 *
 *      while (ecs_notices_begin(world) > 0)          (a round)
 *        while (ecs_notice_next(world, &notice)) ...
 *
 * They are in the order in which the changes are applied (ecs_defer_begin);
 * those of one entity in the order in which their observers were registered,
 * but ECS_ON_DESTROY last. Entities of which a component was only set while the
 * world was open come after those that were changed, in the order of setting.
 * ecs_world_clear destroys in the order of indices. No notice depends on how
 * components are stored.
 *
 * - ECS_ON_SET tells of ecs_set, ecs_set_field and ecs_query_set_all, but not of
 *   what accessors, columns, rows of ecs_access.h, kernels, programs and the
 *   rules of links store, nor of what is discarded. A set that adds the
 *   component is ECS_ON_ADD.
 * - A call that cannot make room for notices returns ECS_E_MEMORY or
 *   ECS_E_LIMIT (2^30 notices wait, see ecs_world_notices) and changes nothing.
 * - What exists when an observer is registered is not told.
 * - Observers and notices are part of no hash, and end with the world.
 * - A world that scripts hold has its notices taken by them.
 *
 * Cost: a component that is observed is changed as in a deferral that holds this
 * change alone; changes of others cost the same as without observers. An end
 * that applies something observed looks at each observer for each entity. */

/* Registers an observer of a component; of ECS_ON_DESTROY, which has none,
 * component is 0. Allowed while the world is open. Returns ECS_OK, ECS_E_ARGUMENT
 * (an unknown occasion, or one of queries), ECS_E_COMPONENT (unknown; or a tag,
 * of ECS_ON_SET), ECS_E_MEMORY, or ECS_E_LIMIT (65,536 observers, or 2^32 since
 * the world was created). Cost: all components and bundles. */
ECS_API ecs_Status ecs_observe(ecs_World *world, ecs_Occasion occasion,
                               ecs_Component component, ecs_Observer *observer);

/* Registers an observer of ECS_ON_ENTER or ECS_ON_LEAVE. The terms are copied:
 * the query may be destroyed. ECS_E_ARGUMENT: a query that asks for changes, or
 * goes along a tree. Otherwise as ecs_observe. */
ECS_API ecs_Status ecs_observe_query(ecs_Query *query, ecs_Occasion occasion,
                                     ecs_Observer *observer);

/* Ends an observer, and drops its notices. Does nothing where there is none. */
ECS_API void ecs_unobserve(ecs_World *world, ecs_Observer observer);

/* Begins a round with all notices that wait, and returns their number. What was
 * not taken of the last round is dropped. */
ECS_API uint32_t ecs_notices_begin(ecs_World *world);

/* Takes the next notice of the round; false: there is none. */
ECS_API bool ecs_notice_next(ecs_World *world, ecs_Notice *notice);

/* Drops all notices, those of the round and those that wait. */
ECS_API void ecs_notices_drop(ecs_World *world);

/* The address of the number of notices that wait for a round. It is the same for
 * the life of the world. */
ECS_API const uint32_t *ecs_world_notices(const ecs_World *world);

/* Saves ------------------------------------------------------------------- */

typedef struct ecs_Saved ecs_Saved;

/* Takes the next bytes of a save. */
typedef struct ecs_SaveSink {
  bool (*write)(void *user, const void *bytes, size_t count); /* false: they
                          could not be written; it is not called again */
  void *user;
} ecs_SaveSink;

/* Writes the state of the world, and a text of the host's, as a save: a ZIP
 * archive of a manifest and an array file of NumPy for each column, see
 * docs/reference.md. Worlds of equal ecs_world_hash give equal bytes. A world of
 * scripts that has fields of type string or any is saved by scripts alone
 * (ECS_E_COMPONENT, see ecs_world_contested). Returns
 * ECS_OK; ECS_E_OPEN as ecs_snapshot_take; ECS_E_ARGUMENT; ECS_E_FILE: the sink
 * refused; ECS_E_MEMORY; or ECS_E_LIMIT: more than 4 GiB. What was given to the
 * sink until then is no save. Cost: reads everything three times. */
ECS_API ecs_Status ecs_world_save(ecs_World *world, const char *text,
                                  size_t text_bytes, const ecs_SaveSink *sink);

/* Writes the state of the world as text: a line for each entity, its name and
 * components, in a canonical order, see docs/reference.md. Two worlds have equal
 * texts exactly where their ecs_world_state_hash is equal. May be called while
 * changes are recorded, which are not in it. Returns ECS_OK; ECS_E_ARGUMENT;
 * ECS_E_FILE: the sink refused; or ECS_E_MEMORY. Cost: reads the whole world, and
 * looks for each component of each entity. */
ECS_API ecs_Status ecs_world_dump(ecs_World *world, const ecs_SaveSink *sink);

/* Takes a save apart for a world. The bytes must stay until ecs_saved_close,
 * which must be called before the world ends. Returns ECS_OK, ECS_E_ARGUMENT,
 * ECS_E_MEMORY, or ECS_E_FILE: they are no save, or damaged; then a sentence is
 * in problem, of at most problem_bytes. On failure *saved is NULL. Cost: reads
 * every byte. */
ECS_API ecs_Status ecs_saved_open(ecs_World *world, const char *bytes,
                                  size_t count, ecs_Saved **saved,
                                  char *problem, size_t problem_bytes);
ECS_API void ecs_saved_close(ecs_Saved *saved); /* NULL: nothing */

/* The components of a save, in the order of their names, and how one of them was
 * defined; what is in the description is borrowed from the save. Returns
 * ECS_E_ARGUMENT for a number that is not below the count. */
ECS_API uint32_t ecs_saved_component_count(const ecs_Saved *saved);
ECS_API ecs_Status ecs_saved_component(const ecs_Saved *saved, uint32_t number,
                                       ecs_ComponentDescription *description);

/* The manifest of a save, which says in text what is in it, borrowed from the
 * bytes of the save; its length is written to *bytes. */
ECS_API const char *ecs_saved_manifest(const ecs_Saved *saved, size_t *bytes);

/* The host's text, borrowed from the bytes of the save; its length is written to
 * *bytes. */
ECS_API const char *ecs_saved_text(const ecs_Saved *saved, size_t *bytes);

/* The values of a field of a component of the save, one after the other at any
 * address, borrowed from its bytes; *rows says how many. Row k of all fields of
 * a component is of one entity. NULL for a number that is none. */
ECS_API const void *ecs_saved_column(const ecs_Saved *saved, uint32_t component,
                                     uint32_t field, uint64_t *rows);

/* A row of a component of the save that gets new values. */
typedef struct ecs_SavedRow {
  uint32_t component;   /* its number in the save */
  uint32_t image_bytes; /* of the world's component */
  uint64_t row;         /* its number, as ecs_saved_column has it */
  const void *const
      *values; /* of the fields of the save, in their order; at any
                                address */
} ecs_SavedRow;

/* How the names in a save are read, and what is called for everything that is
 * not as in the save. None of the functions may call into the world. */
typedef struct ecs_LoadListener {
  const char *(*rename)(void *user,
                        const char *name);        /* the name of the world's
                          component; NULL of a tag stored as bits: leave it out.
                          The function may be NULL */
  void (*tell)(void *user, const char *sentence); /* may be NULL */
  void *user;
  bool (*migrates)(void *user, const char *name); /* are the values of this
                          component of the save made by migrate? May be NULL */
  bool (*migrate)(void *user, const ecs_SavedRow *row,
                  void *image); /* writes the values of a row into an image of
                          the world's component, where the defaults are; false:
                          the save is refused */
} ecs_LoadListener;

/* Puts the state of a save in place of the world's. The world must have
 * components of all the names: fields that it has beside those of the save get
 * their defaults, those that it lacks are dropped, other types are converted
 * value by value; or the listener makes all values of a component anew. Who links
 * by such a component does so in the order of the indices of entities. Where a component's storage is defined otherwise, the world's
 * definition counts. Observers are not told. Returns ECS_OK; ECS_E_OPEN as
 * ecs_snapshot_restore; ECS_E_FILE: the save is damaged or does not fit, and a
 * sentence is in problem; ECS_E_MEMORY or ECS_E_LIMIT. Then nothing has changed;
 * only where memory is refused again and again while what was is put back, the
 * world is left as one of the two. Cost: reads the save twice. */
ECS_API ecs_Status ecs_saved_load(const ecs_Saved *saved,
                                  const ecs_LoadListener *listener,
                                  char *problem, size_t problem_bytes);

/* As ecs_world_save, of the state that a snapshot holds; the world is what it was
 * afterwards, whatever fails. Returns also ECS_E_ABSENT: nothing was taken yet.
 * Cost: that of ecs_snapshot_restore besides. */
ECS_API ecs_Status ecs_snapshot_save(ecs_Snapshot *snapshot, const char *text,
                                     size_t text_bytes,
                                     const ecs_SaveSink *sink);

/* Packed rows: entities as a string of columns, for other worlds or for later. */

/* Writes the rows that match a query now, whole, or with those of the components
 * that they have, and a text of the host's: an archive as a save is, see
 * docs/reference.md. components NULL: whole, with names. Names are there, too,
 * where the tag of names is among the components. Returns ECS_OK; ECS_E_OPEN as
 * ecs_snapshot_take; ECS_E_ACCESS as ecs_query_begin; ECS_E_COMPONENT (unknown, or
 * it has fields of ECS_STRING or ECS_ANY_VALUE: ecs_world_contested);
 * ECS_E_ARGUMENT; ECS_E_FILE: the sink refused; ECS_E_MEMORY; or ECS_E_LIMIT: more
 * than 4 GiB. Cost: looks every row up for each component, and copies its
 * values; 24 bytes of memory for each row. */
ECS_API ecs_Status ecs_query_pack(ecs_Query *query,
                                  const ecs_Component *components,
                                  uint32_t component_count, const char *text,
                                  size_t text_bytes, const ecs_SaveSink *sink);

/* As ecs_saved_open, of packed rows. What is opened is read by the functions
 * above, but for ecs_saved_load, and closed by ecs_saved_close. */
ECS_API ecs_Status ecs_packed_open(ecs_World *world, const char *bytes,
                                   size_t count, ecs_Saved **packed,
                                   char *problem, size_t problem_bytes);

/* How many rows are packed; 0 of a save. */
ECS_API uint64_t ecs_packed_rows(const ecs_Saved *packed);

typedef struct ecs_UnpackOptions {
  bool as_new;        /* as new entities; otherwise under their own handles */
  ecs_Component with; /* added to each of them; 0: nothing */
  const void *value;  /* of it; may be NULL with fields 0 */
  uint64_t fields; /* bit i: field i of the value is set; of one that an entity
                         has already, the others stay. 0: it is added with its
                         defaults */
} ecs_UnpackOptions;

/* Brings packed rows into their world; entities has room for all, and gets them in
 * the order of the rows. Under their own handles, those that are alive get the
 * components that were packed, and the others are spawned as ecs_spawn_as does:
 * where one is refused, all are. As new entities, fields that led to packed ones
 * lead to the new ones; others stay where their entity is alive, and are 0 where
 * it is not; names are left out. Links are made in the order in which they were
 * packed, behind those that are there. Names of components and fields are matched
 * as by ecs_saved_load; options NULL: all zero. Observers are told. Returns ECS_OK;
 * ECS_E_OPEN as ecs_snapshot_restore; ECS_E_ARGUMENT; ECS_E_COMPONENT;
 * ECS_E_FILE: the bytes are damaged or do not fit, and a sentence is in problem;
 * ECS_E_LINK or ECS_E_CIRCLE: of the value; ECS_E_MEMORY or ECS_E_LIMIT. Then
 * nothing has changed. */
ECS_API ecs_Status ecs_packed_unpack(const ecs_Saved *packed,
                                     const ecs_UnpackOptions *options,
                                     const ecs_LoadListener *listener,
                                     ecs_Entity *entities, char *problem,
                                     size_t problem_bytes);

/* Writes the difference between two saves, with which ecs_save_patch makes `to`
 * of `from`; it is small where they differ little. The memory of the world is
 * used. Returns ECS_OK, ECS_E_ARGUMENT, ECS_E_FILE: the sink refused,
 * ECS_E_MEMORY or ECS_E_LIMIT: 4 GiB or more. Cost: reads both saves twice. */
ECS_API ecs_Status ecs_save_diff(ecs_World *world, const char *from,
                                 size_t from_bytes, const char *to,
                                 size_t to_bytes, const ecs_SaveSink *sink);

/* Writes the save that a diff makes of `from`, byte for byte. Returns ECS_OK;
 * ECS_E_ARGUMENT; ECS_E_MEMORY; ECS_E_FILE: the sink refused, and *problem is
 * NULL, or the diff is damaged or begins with another save, and *problem is a
 * constant that says so. What the sink got is a save only after ECS_OK. */
ECS_API ecs_Status ecs_save_patch(ecs_World *world, const char *from,
                                  size_t from_bytes, const char *diff,
                                  size_t diff_bytes, const ecs_SaveSink *sink,
                                  const char **problem);

/* Native kernels ---------------------------------------------------------- */

/* A block of rows, as a kernel gets it. All pointers are borrowed for the call.
 */
typedef struct ecs_KernelBlock {
  const ecs_Entity *entities; /* count of them; NULL unless the kernel asks for
                                 them by ECS_KERNEL_ENTITIES */
  void *const *columns;       /* in the order in which the kernel declares them,
                                 each an array of count elements; one is NULL
                                 for an absent optional component */
  uint32_t count;             /* rows */
  uint32_t reserved;
} ecs_KernelBlock;

/* An array of the world as a kernel gets it, for the call. */
typedef struct ecs_KernelElements {
  void *elements;      /* those of the last index together (ecs_array.h); on a
                         64-byte line */
  uint32_t sizes[3];   /* 1 beyond its dimensions */
  uint32_t dimensions; /* as the kernel declares, and so the type and the access
                        */
  ecs_Scalar type;
  ecs_Access access; /* ECS_READ: the elements must not be written */
} ecs_KernelElements;

typedef struct ecs_KernelCall {
  const ecs_KernelBlock *blocks; /* block_count of them */
  uint32_t block_count;
  uint32_t reserved;
  double dt;
  uint64_t tick; /* a number that the caller passes on; of a script's system how
                    often its phase has begun since a kernel ran in it */
  void *user;    /* the caller's parameters, such as the struct that the kernel
                    declares; NULL when there are none */
  const ecs_KernelElements *arrays; /* in the order in which the kernel declares
                                       them; NULL when there are none */
} ecs_KernelCall;

/* One column that a kernel declares. */
typedef struct ecs_KernelColumn {
  const char *component;
  const char *field;
  ecs_Scalar type;
  ecs_Access access; /* ECS_WRITE, ECS_READ, ECS_OPTIONAL or ECS_UP */
} ecs_KernelColumn;

/* ECS_KERNEL_WHOLE_TABLES: blocks are whole tables, so the query's plan must be
 * full (ecs_kernel_run answers ECS_E_KERNEL otherwise). Without this flag rows
 * may be gathered, and cut at any multiple of 16.
 * ECS_KERNEL_ENTITIES: blocks have entities. Without this flag their entities
 * are NULL, so that they need not be gathered.
 * ECS_KERNEL_PARALLEL: several threads may run it at a time, each with calls of
 * other rows, in any order; `user` is the same in all of these. The results must
 * not depend on how rows are cut. Only where the world has threads; never together
 * with ECS_KERNEL_WHOLE_TABLES, or where the kernel writes an array. */
typedef enum ecs_KernelFlag {
  ECS_KERNEL_WHOLE_TABLES = 1,
  ECS_KERNEL_ENTITIES = 2,
  ECS_KERNEL_PARALLEL = 4
} ecs_KernelFlag;

/* One member of the struct that a kernel gets as `user`. ecs_kernel.h has a
 * macro that fills it in. */
typedef struct ecs_KernelParameter {
  const char *name;
  ecs_Scalar type;
  uint32_t offset; /* of the member in the struct, in bytes */
  uint32_t bytes;  /* of the member */
} ecs_KernelParameter;

/* What a kernel says of its struct, so that a binding can fill it in from a
 * script's values. */
typedef struct ecs_KernelParameters {
  const ecs_KernelParameter *list; /* count of them */
  uint32_t count;
  uint32_t bytes; /* of the struct */
} ecs_KernelParameters;

/* An array of the world that a kernel declares. */
typedef struct ecs_KernelArray {
  const char *name; /* what messages call it; the array's own may be another */
  ecs_Scalar type;  /* any but ECS_ENTITY */
  uint32_t dimensions; /* 1 to 3 */
  ecs_Access access;   /* ECS_READ or ECS_WRITE */
} ecs_KernelArray;

typedef struct ecs_KernelArrays {
  const ecs_KernelArray *list; /* count of them, 64 at most */
  uint32_t count;
  uint32_t reserved; /* 0 */
} ecs_KernelArrays;

/* A kernel: a C function and the columns that it needs. ecs_kernel.h has macros
 * that define kernels and libraries. */
typedef struct ecs_Kernel {
  const char *name;
  void (*run)(const ecs_KernelCall *call);
  const ecs_KernelColumn *columns; /* column_count of them */
  uint32_t column_count;
  uint32_t flags; /* bits of ecs_KernelFlag; 0 for most kernels */
  const ecs_KernelParameters *parameters; /* NULL: it takes none */
  const ecs_KernelArrays *arrays;         /* NULL: it uses none */
} ecs_Kernel;

/* A library of kernels exports one object of this type, named
 * ecs_kernel_library. The sizes let the loader refuse a library that was
 * compiled against another ecs.h. */
typedef struct ecs_KernelLibrary {
  uint32_t abi;          /* ECS_KERNEL_ABI */
  uint32_t kernel_bytes; /* sizeof(ecs_Kernel) */
  uint32_t column_bytes; /* sizeof(ecs_KernelColumn) */
  uint32_t call_bytes;   /* sizeof(ecs_KernelCall) */
  const ecs_Kernel *kernels;
  uint32_t kernel_count;
  uint32_t parameter_bytes; /* sizeof(ecs_KernelParameter) */
  uint32_t array_bytes;     /* sizeof(ecs_KernelArray) */
  uint32_t elements_bytes;  /* sizeof(ecs_KernelElements) */
} ecs_KernelLibrary;

/* Loads a shared library and checks its sizes; path is as dlopen takes it. The
 * library is never unloaded, because a world may call its code at any time, so
 * *library is valid until the process ends. text may be NULL; otherwise, on
 * failure, it gets the reason, cut to capacity bytes. Returns ECS_OK,
 * ECS_E_LIBRARY when the library cannot be loaded or exports no
 * ecs_kernel_library, or ECS_E_ABI when it was compiled against another
 * ecs.h. */
ECS_API ecs_Status ecs_library_load(const char *path,
                                    const ecs_KernelLibrary **library,
                                    char *text, size_t capacity);
/* The kernel of that name, owned by the library; NULL when there is none. Cost:
 * a comparison with each name. */
ECS_API const ecs_Kernel *ecs_library_find(const ecs_KernelLibrary *library,
                                           const char *name);

/* Binds a kernel to a query: every declared column must be a field of a term,
 * of the declared type, and the term must give at least the declared access.
 * The binding ends with its query. The kernel is borrowed until then and must
 * live as long, as kernels of a loaded library do. Returns ECS_OK, ECS_E_KERNEL
 * when a column does not fit, or ECS_E_MEMORY. On ECS_E_KERNEL *wrong, unless
 * wrong is NULL, gets the position of the first column that does not fit. */
ECS_API ecs_Status ecs_kernel_bind(ecs_Query *query, const ecs_Kernel *kernel,
                                   ecs_KernelBinding **binding,
                                   uint32_t *wrong);

struct ecs_Array; /* ecs_array.h */

/* Gives a kernel the arrays that it declares, in the same order, instead of
 * those that it had. They must be of the query's world, so they live as long as
 * the binding. What sizes they have then is read before each run. Returns
 * ECS_OK, or ECS_E_KERNEL: their count is not that declared, and *wrong is
 * UINT32_MAX, or one has another type, other dimensions, or another world, and
 * *wrong gets the position of the first such one, unless wrong is NULL; then
 * nothing has changed. */
ECS_API ecs_Status ecs_kernel_use(ecs_KernelBinding *binding,
                                  struct ecs_Array *const *arrays,
                                  uint32_t count, uint32_t *wrong);

/* Runs a kernel over all rows that match. call gives dt, tick and user; its
 * blocks and arrays are ignored, the kernel gets its own. The kernel must not
 * call into the world. Returns ECS_OK, ECS_E_ACCESS as ecs_query_begin,
 * ECS_E_KERNEL when the kernel needs whole tables and the plan is not full, or
 * declares arrays and was given none (ecs_kernel_use), or ECS_E_MEMORY: then the
 * kernel has not run. A checked build returns ECS_E_NAN, after the run, when the
 * kernel stored a NaN with a payload, and stops when it has written an array
 * that it declares ECS_READ. Cost beyond the kernel: almost nothing for a full
 * plan while structure does not change. */
ECS_API ecs_Status ecs_kernel_run(ecs_KernelBinding *binding,
                                  const ecs_KernelCall *call);

/* Kernel programs --------------------------------------------------------- */

/* Creates a kernel program: a kernel as text, which the library verifies and
 * runs itself, block by block in vector code, with the same bits on every
 * machine. docs/programs.md defines the language. text has length bytes and is
 * not kept. The program is fitted to the query as by ecs_kernel_bind, and ends
 * with its query at the latest. message may be NULL; otherwise it gets at most
 * capacity bytes that say what is wrong and where. Returns ECS_OK,
 * ECS_E_PROGRAM when the text is wrong or does not fit the query, ECS_E_LIMIT
 * when it is too long, or ECS_E_MEMORY. Cost: the length of the text, and the
 * number of stored columns times that of instructions. */
ECS_API ecs_Status ecs_program_create(ecs_Query *query, const char *text,
                                      size_t length, ecs_Program **program,
                                      char *message, size_t capacity);

/* Frees a program before its query ends. program may be NULL: does nothing. */
ECS_API void ecs_program_destroy(ecs_Program *program);

/* Writes the program as text, in normal form (rule "Text"). Creating a program
 * from this text gives the same program. */
ECS_API size_t ecs_program_text(const ecs_Program *program, char *text,
                                size_t capacity);

typedef struct ecs_ProgramInfo {
  uint32_t uniforms;      /* declared */
  uint32_t reductions;    /* declared */
  uint32_t arrays;        /* declared */
  uint32_t grids;         /* declared */
  uint32_t operations;    /* that run for every row */
  uint32_t bytes_read;    /* of columns, per row */
  uint32_t bytes_written; /* of columns, per row */
  uint32_t slow_calls;    /* operations that call the C library row by row */
  bool exits;             /* it has an exit (docs/programs.md) */
  const char *back_end;   /* "block VM, AVX-512"; a string constant */
  const char *alone; /* why it runs on one thread, "it changes structure"; a
                             string constant; NULL: it may run on several */
} ecs_ProgramInfo;
/* Writes numbers about a program to *info. Cost: columns times instructions. */
ECS_API void ecs_program_info(const ecs_Program *program,
                              ecs_ProgramInfo *info);

/* What the runs of a program that reads arrays of the world in which it puts
 * have met. All are counts, the same on every machine. */
typedef struct ecs_ProgramMeetings {
  uint32_t late;    /* operations that may follow from what earlier rows have
                        put; 0: it reads no array in which it may put */
  bool late_cycles; /* cycles are among these, or something else that cannot be
                        run for several rows at once: so all operations are run
                        row by row */
  bool late_keys;   /* keys of arrays are: so these are run row by row */
  uint64_t rows;    /* of all runs so far in which these were the same array */
  uint64_t slices;  /* pieces of several of the rows that were run at once */
  uint64_t alone;   /* rows that were run one by one */
} ecs_ProgramMeetings;
/* Writes what a program has met to *meetings. Cost: constant. */
ECS_API void ecs_program_meetings(const ecs_Program *program,
                                  ecs_ProgramMeetings *meetings);

/* Where a run of a program has stopped: before rows that take its exit. */
typedef struct ecs_ProgramStop {
  uint64_t row;   /* the number of the first of them, from 0; of no row if there
                     are none */
  uint64_t count; /* so many, one behind the other, take the exit, whatever the
                     caller does in them; 0: none, and all rows were run */
  ecs_Entity endless; /* after ECS_E_TURNS: the row's entity; otherwise 0 */
  uint32_t line;      /* after ECS_E_TURNS: where the cycle begins in the
                         program's text, from 1; otherwise 0 */
} ecs_ProgramStop;

/* An array of a program, for one run: one element for each of the keys first to
 * first + count - 1. Neither list is kept. Where the program declares an array
 * of a type, it is an array of the world, which is read and written in place. */
typedef struct ecs_ProgramArray {
  const double *elements; /* count of them: a number, a bool as 0 or 1, or an
                             entity as a handle; may be NULL when count is 0 */
  const uint8_t *present; /* for each element: 0 where there is none, which
                             `inside` says and `at` does not; NULL: all are
                             there */
  int32_t first;  /* the key of the first; the last must not pass INT32_MAX */
  uint32_t count; /* 65,536 at most */
  const struct ecs_Array
      *array; /* of the program's world and the declared type,
                                    its elements from the key 1 on; then nothing
                                    above counts. NULL: none is declared */
} ecs_ProgramArray;

/* One run of a program. All arrays belong to the caller. */
typedef struct ecs_ProgramCall {
  const double *uniforms;   /* one per declared uniform; a bool is 0 or 1, an
                             entity is a handle; may be NULL when there are
                             none */
  double *reductions;       /* one per declared reduction, written by the run;
                             those of the kinds total, lowest and highest are
                             where it begins, too; may be NULL when there are
                             none */
  uint32_t uniform_count;   /* must be the number declared */
  uint32_t reduction_count; /* must be the number declared */
  uint64_t random_key;      /* `random` draws from it and the row's entity */
  uint64_t first;           /* rows at the beginning that are left out */
  ecs_ProgramStop *stop;    /* written by the run; may be NULL where the program
                               has no exit */
  const ecs_ProgramArray *arrays; /* one per declared array; may be NULL when
                                     there are none */
  uint32_t array_count;           /* must be the number declared */
  uint32_t grid_count;            /* must be the number declared */
  struct ecs_Grid *const *grids;  /* one per declared grid, of the same world,
                                     as they were built (ecs_grid.h); may be
                                     NULL when there are none */
} ecs_ProgramCall;

/* Runs a program over all rows that match, from the first that is not left out
 * to the last or to the one before a row that takes the program's exit. Of this
 * row and those behind it nothing has happened: the caller may do what the row
 * is meant to do, and run the program again, with `first` behind it, as long as
 * no structure has changed (ecs_defer_begin). What the program adds, removes and
 * destroys is recorded after the last row, in the order of rows, and applied as
 * at the end of a cursor. Returns ECS_OK, ECS_E_ARGUMENT (wrong counts, a pointer
 * that is needed is NULL, keys past INT32_MAX, or an array of the world or a
 * grid that does not fit), ECS_E_ACCESS as
 * ecs_query_begin, also for a component that the program looks up, or
 * ECS_E_MEMORY, ECS_E_LIMIT (an array with too many elements among them) or
 * ECS_E_TURNS. After these three no structure has changed, but values that were
 * written stay, and reductions of the kinds total, lowest and highest are those
 * of the rows that were run; others are not written. ECS_E_TURNS: the cycles of
 * one row make more than 2^24 turns together; the rows before it were run, and
 * nothing was written in this row and those behind it. Cost: per row and
 * operation, and per turn of the row of its block that makes most turns; nothing
 * per element of an array. */
ECS_API ecs_Status ecs_program_run(ecs_Program *program,
                                   const ecs_ProgramCall *call);

/* Mathematics ------------------------------------------------------------- */

/* Functions that give the same bits on every machine, which those of the C
 * library do not promise. Angles are in radians. Any number is accepted, and
 * special cases are as in C. Results are accurate to 1 unit of the last place,
 * those of ecs_atan2 to 3. */
ECS_API double ecs_sin(double x);
ECS_API double ecs_cos(double x);
ECS_API double ecs_exp(double x);
/* The natural logarithm. */
ECS_API double ecs_log(double x);
ECS_API double ecs_pow(double x, double y);
/* The angle of the point (x, y). */
ECS_API double ecs_atan2(double y, double x);

/* A pseudo-random number in [0, 1): a hash of a key, an entity, and how many
 * numbers were drawn with these two before. draws is a whole number below 2^53;
 * anything else counts as 0. */
ECS_API double ecs_random(uint64_t key, ecs_Entity entity, double draws);
/* The key of one run of a system, from the world's seed, the system's name and
 * the number of the run, such as that of the frame. Cost: the length of the
 * name. */
ECS_API uint64_t ecs_random_key(uint64_t seed, const char *name, uint64_t tick);

#define ECS_KERNEL_ABI 3u

#ifdef __cplusplus
}
#endif
#endif

/* object.h: the objects that scripts hold, and the state that they share.
 *
 * Every object starts with a Header and is a full userdata, but for values on
 * LuaJIT, which are structs of its FFI:
 *
 *      Definition   a component's name and fields; lives as long as the state
 *      Value        values for a definition's fields, and which were given
 *      LuaWorld     an ecs_World, owned or borrowed from a host
 *      LuaQuery     an ecs_Query, which its world owns
 *      Kernel       a native kernel bound to a query
 *      Library      a loaded library of native kernels
 *      View         batches as a script sees them, one after the other
 *      RowLoop      a loop over rows, and the rows as a script sees them
 *      Program      a kernel program bound to a query
 *      Total        a sum or extreme that each systems add to
 *      Copy         elements of a script's table, for programs
 *      LinkLoop     a loop over entities that link to one
 *      LuaObserver  a function that is told of changes of a world
 *      Prefab       parts and children of entities that are spawned from it
 *      LuaGrid      an ecs_Grid, which belongs to a query
 *      LuaSnapshot  a copy of the state of a world
 *      LuaArray     an ecs_Array, which belongs to a world
 *      ArrayRow     what an array has at one index, where it has more
 *
 *      ModuleState --> definitions,       LuaQuery --> LuaWorld
 *        libraries (upvalue 1 of          Kernel, Program --> LuaQuery
 *        every function)                  View --> LuaQuery or LuaWorld
 *                                         RowLoop --> LuaQuery or LuaGrid
 *                                         LuaGrid --> LuaQuery
 *                                         LuaSnapshot --> LuaWorld
 *                                         Total, LuaArray, LuaObserver
 *                                           <-> LuaWorld
 *                                         ArrayRow --> LuaArray
 *
 * An arrow is a reference through a private table: a world outlives the objects
 * that were made from it. A world can also be closed. Then its native is NULL,
 * and every use of it or of its queries raises.
 *
 * Four rules make the binding safe, and every function keeps them:
 *
 * 1. No argument is trusted. It is one of our objects when its metatable, its
 *    length and its magic agree (bind_find), or when the state remembers its
 *    address and the object at that address cannot have been freed since. A
 *    struct is a value when its type and its magic agree.
 * 2. A userdata is created before the native object that it will own.
 * 3. While a cursor is open, Lua is entered through lua_pcall only, and nothing
 *    outside of it allocates. On LuaJIT an allocation may run a finalizer, and
 *    a finalizer's error would leave the world open for ever.
 * 4. Every allocation by Lua may run a finalizer that closes or changes the
 *    world. So the native pointer is fetched right before each call of the core
 *    (bind_native, bind_query_native), with no allocation between the two, and
 *    a Lua table is read once: only the values that were read count.
 *
 * Errors: a function that scripts call raises an error that blames the script's
 * line. A function that scripts/ecs calls for a script returns the message, so
 * that scripts/ecs can blame the line of its own caller.
 */
#ifndef ECS_LUA_OBJECT_H
#define ECS_LUA_OBJECT_H

#include "api/for_bindings.h"
#include "ecs.h"
#include "object/compat.h"

#if defined(_WIN32) /* exports only what is marked for that */
#define BIND_INTERNAL
#else
#define BIND_INTERNAL __attribute__((visibility("hidden")))
#endif

typedef enum ObjectKind {
  KIND_DEFINITION,
  KIND_VALUE,
  KIND_WORLD,
  KIND_QUERY,
  KIND_KERNEL,
  KIND_LIBRARY,
  KIND_VIEW,
  KIND_ROWS,
  KIND_PROGRAM,
  KIND_TOTAL,
  KIND_COPY,
  KIND_LINKS,
  KIND_OBSERVER,
  KIND_PREFAB,
  KIND_GRID,
  KIND_SNAPSHOT,
  KIND_ARRAY,
  KIND_ARRAY_ROW,
  KIND_PASS,
  KIND_COUNT
} ObjectKind;

/* So many values of fields of type string and any are held before any is let go;
 * see held.h. */
#define HELD_FIRST 1024u

typedef struct Header {
  const void *type; /* NULL. Hosts that begin their objects with a pointer to a
                       type, as LÖVE does, take ours for none of theirs */
  uint64_t magic;   /* of the kind, mixed with the address of the userdata */
  size_t bytes;     /* length of the whole userdata */
} Header;

/* What the header of an object has as its magic. */
static inline uint64_t bind_magic(ObjectKind kind, const void *address) {
  uint64_t odd = UINT64_C(0x9e3779b97f4a7c15) * ((uint64_t)kind + 1u);
  return odd ^ (uint64_t)(uintptr_t)address;
}

/* One per Lua state. Its private table holds what the module shares:
 *   [kind]         the metatable of a kind
 *   [TRACER]       writes down where an error was raised, see traceback.c
 *   [STRUCT_WORDS] tells whether C data is a value, see bind_struct_words; only
 *                  there if `has_structs`
 *   [HELD_OBJECTS] the values of fields of type string and any, see held.h;
 *   [HELD_MEMORY], [HELD_REFERRERS], [HELD_PAUSES] likewise
 *   definitions    definitions by index and by name
 *   prefabs        prefabs by name
 *   libraries      libraries by name
 *   accelerated    true once scripts/ecs has taken the calls of field_calls.c
 *   worlds         list of the worlds that are borrowed from hosts
 *   hosts          list of the functions behind ecs_lua.h, see host.c
 *   on_push        prepares a world that a host pushes for the first time
 *   build, columns make what scripts see of a batch, see batch_view.c
 *   rows, each     make rows and run query:each, see row_view.c, row_loop.c
 *   array_by       true once it is settled what reads arrays, see
 *                  array_element.c
 *   blocks         makes loops over blocks of rows, see block_loop.c
 *   block_tables   the tables of these: 1 has the row in its block at [1]
 *   observed       the observers of worlds, see observers.h
 *   traced, trace  a message, and where it was raised, see traceback.c
 *   chunk_folder   of the chunk names of scripts/ecs, see error.c */
#define TRACER (KIND_COUNT + 1)
#define STRUCT_WORDS (KIND_COUNT + 2)
#define HELD_OBJECTS (KIND_COUNT + 3)
#define HELD_MEMORY (KIND_COUNT + 4)
#define HELD_REFERRERS (KIND_COUNT + 5)
#define HELD_PAUSES (KIND_COUNT + 6)
#define RECENT_DEFINITIONS 64u
typedef struct ModuleState {
  Header header;
  const void *metatables[KIND_COUNT]; /* addresses, for comparison only */
  uint32_t definition_count;          /* highest index of a definition */
  /* Objects that were found before need no second look (pure optimisation, a
   * third of the time of a short call). A world is removed when its finalizer
   * runs; definitions live as long as the state. */
  void *recent_world; /* NULL: none */
  uint64_t recent_world_magic;
  const void *recent_definitions[RECENT_DEFINITIONS]; /* hashed by address */
  const void *child_of; /* the definition of ecs.ChildOf; NULL: not asked for */
  const void *named; /* the definition of ecs.Name; NULL: it is not there yet */
  const void *host_call; /* a HostCall while one is served; see host.c */
  void *walk; /* of world/open_walk.h: the innermost that is open, of any world;
                 NULL when none is open or a frame began inside it */
  bool
      values_are_settled; /* what makes values, see values_by in definition.c */
  bool has_structs;       /* values are structs, see bind_struct_words */
  uint64_t runs;          /* runs of each systems so far; numbers them */
  uint32_t block_tables;  /* tables that open walks use; see block_loop.c */
  uint32_t frames;        /* frames that are running, of any world */
  uint64_t float_mode;    /* what float_mode has to take back; see frames.c */
  uint32_t usual_modes;   /* calls of it that are open */
  const void *rethrown;   /* the function that raises an error again which the
                            tracer has seen; compared only, may be stale */
  ecs_Budget budget; /* of the worlds that scripts make; its limit is set by
                            the host */
  /* See world/collect.h. */
  uint64_t collect_at;    /* bytes of budget at which growth collects */
  uint64_t closed;        /* worlds that were closed so far */
  uint64_t relief_bytes;  /* Lua's, after the last collection for relief that
                             gave too little; 0: it gave enough */
  uint64_t relief_closed; /* closed, then */
  bool collecting;        /* finalizers run now */
  /* See held.h. */
  HeldValues held;
  uint32_t held_due; /* so many living ones make some be let go */
  void (*let_go)(lua_State *, struct ModuleState *); /* of held_sweep.c */
} ModuleState;

/* Worlds may hold so many bytes of garbage, or as much as lives. */
#define COLLECT_BYTES (UINT64_C(64) << 20)

/* The state of the running function, which is its first upvalue. */
static inline ModuleState *bind_state(lua_State *L) {
  return (ModuleState *)lua_touserdata(L, lua_upvalueindex(1));
}

/* Pushes the state's userdata from anywhere, or pushes nil and returns NULL
 * when the module has not been opened in L. Neither allocates nor raises. */
BIND_INTERNAL ModuleState *bind_push_state(lua_State *L);

/* Pushes the state's userdata, which is made at the first call in L. Raises
 * when memory runs out. */
BIND_INTERNAL void bind_ensure_state(lua_State *L);

/* Pushes the state's private table. */
BIND_INTERNAL void bind_push_shared(lua_State *L);

/* Pushes a new userdata of a kind: the header is filled in, the rest is zero.
 * It has an empty private table. Raises when memory runs out. */
BIND_INTERNAL void *bind_new(lua_State *L, ObjectKind kind, size_t bytes);

/* The same for a kind without finalizer, in fewer steps: the header is filled
 * in, the caller fills in the rest before anything raises, and there is no
 * private table. metatable is the index of the kind's metatable. */
BIND_INTERNAL void *bind_new_plain(lua_State *L, ObjectKind kind, int metatable,
                                   size_t bytes);

/* Stores the value at an absolute index in a slot of the private table of the
 * object on top of the stack, which keeps the value alive. May raise when
 * memory runs out. */
BIND_INTERNAL void bind_keep(lua_State *L, int index, int slot);

/* Is the object behind a header, which can be read, of this kind? */
static inline bool bind_is(const Header *header, ObjectKind kind) {
  return header->magic == bind_magic(kind, header);
}

/* The object of a kind at index; NULL when the value is anything else. Neither
 * allocates nor raises, except that looking for a value in C data calls a
 * function in Lua: then the stack may run over. */
BIND_INTERNAL void *bind_find(lua_State *L, int index, ObjectKind kind);

/* As bind_find, outside of the module's functions, which have the state as
 * upvalue. */
BIND_INTERNAL void *bind_find_in(lua_State *L, const ModuleState *state,
                                 int index, ObjectKind kind);

/* How many words of an image the C data at index has room for, which is a
 * struct that scripts/ecs/ffi made for a value; 0: it is anything else. */
BIND_INTERNAL int bind_struct_words(lua_State *L, const ModuleState *state,
                                    int index);

/* The name of the kind of the value at index, as errors show it: "ecs.World",
 * or Lua's type name for values that are not ours. */
BIND_INTERNAL const char *bind_kind_name(lua_State *L, int index);

/* The name of the type of the value at index, as errors show it: that of Lua,
 * but "userdata" for a value on every VM. */
BIND_INTERNAL const char *bind_type_name(lua_State *L, int index);

/* The kind of this name; KIND_COUNT when there is none. */
BIND_INTERNAL ObjectKind bind_kind_named(const char *name);

/* Adds functions to the table on top of the stack, except where it has one of
 * the name: when the module is opened again, methods stay as scripts/ecs left
 * them. Each function's upvalues are the state and its own name. */
BIND_INTERNAL void bind_add(lua_State *L, const luaL_Reg *functions);

/* Pushes the metatable of a kind, or the table of its methods. */
BIND_INTERNAL void bind_push_metatable(lua_State *L, ObjectKind kind);
BIND_INTERNAL void bind_push_methods(lua_State *L, ObjectKind kind);

/* Pushes a table of the private table of the object at an index, made if there is
 * none. */
BIND_INTERNAL void bind_push_kept(lua_State *L, int index, const char *name);

#endif

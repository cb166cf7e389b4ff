/* spawner.c: prepared spawns.
 *
 *      local shoot = world:spawner(Position, "x", "y", Velocity { x = 2 }, "y",
 *                                  Bullet)
 *      local e = shoot(1, 2, -4)
 *
 * Parts are those of the method spawn: components, tags, values, and components
 * with a table of fields behind them. A name of a field behind a part makes the
 * field an argument of the closure. What is fixed is stored in images when the
 * closure is made; a call stores its arguments in their places and spawns:
 *
 *      Spawner | definitions | arguments | places | images* | images
 *                                            |                 ^
 *                                            +-----------------+
 *
 * all in one userdata. A prefab among the parts adds its own behind them, where
 * they are not there, and its fields where these are not given. If it has
 * children, there is no bundle, but a family (families.h). The world defines the components, and the bundle is
 * made, by the first call: making a closure changes nothing in the world.
 *
 * The arguments are read into the images again after that, because a finalizer
 * may have called the closure meanwhile. Between reading and spawning nothing
 * allocates.
 */
#include "world/spawner.h"

#include <float.h>
#include <string.h>

#include "api/for_bindings.h"
#include "component/value_parts.h"
#include "object/number.h"
#include "world/collect.h"
#include "world/families.h"
#include "world/report.h"
#include "world/telling.h"

/* Upvalues of the closure; the state is the first, as everywhere. */
enum { UP_NAME = 2, UP_SPAWNER, UP_WORLD };

/* Which field an argument is, for messages. */
typedef struct SpawnArgument {
  uint32_t part;
  uint32_t field;
} SpawnArgument;

typedef struct Spawner {
  SpawnCall call;  /* first: scripts/ecs/ffi passes its address */
  LuaWorld *world; /* kept alive by the closure's upvalue */
  uint32_t part_count;
  const Definition **definitions; /* of the parts */
  ecs_Component *components;      /* of the parts, once there is a bundle */
  SpawnArgument *arguments;
  SpawnPlace *places;   /* as in call */
  const void **images;  /* as in call */
  char *memory;         /* of the images */
  uint64_t *seen;       /* by part: fields that are given or arguments */
  const Prefab *prefab; /* NULL: none is among the parts */
  ecs_Family family;    /* of a prefab with children, once it is resolved */
  ecs_Member *members;  /* of the family */
} Spawner;

/* Calling ------------------------------------------------------------------ */

/* Raises because a call has too many or too few arguments: names them. */
static int refuse_count(lua_State *L, const Spawner *spawner) {
  int count = lua_gettop(L);
  lua_pushliteral(L, "");
  for (uint32_t k = 0; k < spawner->call.count; k++) {
    const Definition *definition =
        spawner->definitions[spawner->arguments[k].part];
    lua_pushfstring(L, "%s%s.%s", k == 0 ? " (" : ", ", definition->name,
                    definition->fields[spawner->arguments[k].field].name);
    lua_concat(L, 2);
  }
  return bind_error(
      L, "this spawner takes %d %s%s%s, not %d", (int)spawner->call.count,
      spawner->call.count == 1 ? "argument" : "arguments", lua_tostring(L, -1),
      spawner->call.count == 0 ? "" : ")", count);
}

/* Stores all arguments in the images. Raises for one that does not fit. */
static inline void read_arguments(lua_State *L, const Spawner *spawner) {
  for (uint32_t k = 0; k < spawner->call.count; k++) {
    const SpawnPlace *place = &spawner->places[k];
    int index = (int)k + 1;
    if (place->type == ECS_F32 && lua_type(L, index) == LUA_TNUMBER) {
      double number = lua_tonumber(L, index);
      if (number >= -FLT_MAX && number <= FLT_MAX) {
        float narrow = (float)number;
        memcpy(place->element, &narrow, sizeof narrow);
        continue;
      }
    }
    const SpawnArgument *argument = &spawner->arguments[k];
    if (!bind_read_element(L, index, place->type, place->element))
      bind_refuse_element(L, index, spawner->definitions[argument->part],
                          argument->field);
  }
}

static bool has_children(const Spawner *spawner) {
  return spawner->prefab && spawner->prefab->member_count > 1;
}

/* Makes the family of a prefab with children. */
static void resolve_family(lua_State *L, Spawner *spawner) {
  SpawnParts parts;
  SpawnFamily made;
  int top = lua_gettop(L);
  parts.count = spawner->part_count;
  parts.components = spawner->components;
  parts.images = spawner->images;
  parts.prefab = spawner->prefab;
  parts.plain = false;
  bind_family_prepare(L, spawner->world, lua_upvalueindex(UP_WORLD), &parts,
                      "spawn", &made);
  memcpy(spawner->members, made.family.members,
         made.family.member_count * sizeof(ecs_Member));
  spawner->family = made.family;
  spawner->family.members = spawner->members;
  lua_settop(L, top);
}

/* Finds or defines the components, and makes the bundle. */
static void resolve(lua_State *L, Spawner *spawner) {
  LuaWorld *world = (LuaWorld *)lua_touserdata(L, lua_upvalueindex(UP_WORLD));
  ECS_ASSERT(world == spawner->world);
  for (uint32_t k = 0; k < spawner->part_count; k++)
    bind_needs_check(L, world, spawner->definitions[k]);
  for (uint32_t p = 0; spawner->prefab && p < spawner->prefab->part_count; p++)
    bind_needs_check(L, world, spawner->prefab->parts[p].definition);
  for (uint32_t k = 0; k < spawner->part_count; k++)
    spawner->components[k] = bind_component_ensure(
        L, world, lua_upvalueindex(UP_WORLD), spawner->definitions[k]);
  if (has_children(spawner)) {
    resolve_family(L, spawner);
    return;
  }
  ecs_Bundle bundle = 0;
  ecs_Status status;
  BIND_WITH_RELIEF(L, world, status,
                   ecs_bundle(bind_native(L, world), spawner->components,
                              spawner->part_count, &bundle));
  bind_check_status(L, world, status, "spawn");
  spawner->call.bundle = bundle;
}

/* The images are the spawner's, so what runs before must not have run
 * finalizers. */
static ecs_Status spawn_from_arguments(lua_State *L, Spawner *spawner,
                                       ecs_Entity *entity) {
  ecs_World *native = bind_native(L, spawner->world);
  read_arguments(L, spawner);
  return has_children(spawner)
             ? ecs_spawn_family(native, &spawner->family, 1, entity)
             : ecs_spawn_bundle(native, spawner->call.bundle,
                                spawner->call.images, entity);
}

static int spawn(lua_State *L) {
  Spawner *spawner = (Spawner *)lua_touserdata(L, lua_upvalueindex(UP_SPAWNER));
  ecs_Entity entity;
  ecs_Status status;
  bind_native(L, spawner->world);
  if (lua_gettop(L) != (int)spawner->call.count)
    return refuse_count(L, spawner);
  bind_note_growth(L, spawner->world);
  if (spawner->call.bundle == 0 && spawner->family.member_count == 0) {
    read_arguments(L, spawner); /* refused before anything is defined */
    resolve(L, spawner);
  }
  BIND_WITH_RELIEF(L, spawner->world, status,
                   spawn_from_arguments(L, spawner, &entity));
  bind_check_status(L, spawner->world, status, "spawn");
  bind_push_entity(L, entity);
  bind_tell(L, spawner->world);
  return 1;
}

/* Making one --------------------------------------------------------------- */

/* What the arguments of the method amount to. */
typedef struct Sizes {
  size_t parts;
  size_t arguments;
  size_t image_bytes; /* each image is aligned to 8 bytes */
  size_t members;     /* of a prefab with children */
} Sizes;

static size_t aligned(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

/* Raises for what is neither a part nor a name nor a table of fields. */
static void refuse_part(lua_State *L, int index) {
  if (lua_istable(L, index) && !bind_view_name(L, index)) {
    lua_rawgeti(L, index, 1);
    if (!lua_isnil(L, -1))
      bind_error(L, "spawner takes its parts one by one, without braces");
    lua_pop(L, 1);
  }
  bind_given_check(L, index, "spawner");
}

static void take_prefab(lua_State *L, const Prefab *prefab,
                        const Prefab **found) {
  if (*found == prefab) bind_error(L, "spawner names %s twice", prefab->name);
  if (*found)
    bind_error(L, "spawner takes one prefab, not %s and %s", (*found)->name,
               prefab->name);
  *found = prefab;
}

/* Adds the parts of a prefab, as if none was among the others. */
static void measure_prefab(Sizes *sizes, const Prefab *prefab) {
  uint32_t count = prefab->members[0].count;
  sizes->parts += count;
  for (uint32_t p = 0; p < count; p++)
    sizes->image_bytes += aligned(prefab->parts[p].definition->image_bytes);
  if (prefab->member_count > 1) sizes->members = prefab->member_count;
}

/* Raises unless every argument is a part, or follows one. *found: the prefab
 * among them, or NULL. */
static Sizes measure(lua_State *L, int top, const Prefab **found) {
  Sizes sizes = {0, 0, 0, 0};
  *found = NULL;
  Given given = {NULL, NULL, 0};
  for (int k = 2; k <= top; k++) {
    Given next;
    if (lua_type(L, k) == LUA_TSTRING && given.definition) {
      sizes.arguments++;
    } else if (bind_given_find(L, k, &next)) {
      given = next;
      sizes.parts++;
      sizes.image_bytes += aligned(given.definition->image_bytes);
    } else if (bind_prefab_find(L, k)) {
      take_prefab(L, bind_prefab_find(L, k), found);
      measure_prefab(&sizes, *found);
      given.definition = NULL; /* no field follows */
    } else if (!given.definition) {
      if (bind_prefab_find(L, k - 1))
        bind_refuse_prefab_fields(L, *found, "spawner");
      refuse_part(L, k);
    } else {
      bind_refuse_view(L, k, given.definition);
      if (!lua_istable(L, k)) refuse_part(L, k);
    }
  }
  return sizes;
}

/* Pushes a spawner with room for what was measured. */
static Spawner *push_spawner(lua_State *L, LuaWorld *world,
                             const Sizes *sizes) {
  size_t definitions = aligned(sizeof(Spawner));
  size_t images = definitions + sizes->parts * sizeof(Definition *);
  size_t places = images + sizes->parts * sizeof(void *);
  size_t arguments = places + sizes->arguments * sizeof(SpawnPlace);
  size_t components = arguments + sizes->arguments * sizeof(SpawnArgument);
  size_t seen = aligned(components + sizes->parts * sizeof(ecs_Component));
  size_t members = seen + sizes->parts * sizeof(uint64_t);
  size_t memory = aligned(members + sizes->members * sizeof(ecs_Member));
  char *block = (char *)lua_newuserdata(L, memory + sizes->image_bytes);
  memset(block, 0, memory + sizes->image_bytes);
  Spawner *spawner = (Spawner *)(void *)block;
  spawner->world = world;
  spawner->definitions = (const Definition **)(void *)(block + definitions);
  spawner->images = (const void **)(void *)(block + images);
  spawner->places = (SpawnPlace *)(void *)(block + places);
  spawner->arguments = (SpawnArgument *)(void *)(block + arguments);
  spawner->components = (ecs_Component *)(void *)(block + components);
  spawner->seen = (uint64_t *)(void *)(block + seen);
  spawner->members = (ecs_Member *)(void *)(block + members);
  spawner->memory = block + memory;
  spawner->call.world = &world->native;
  spawner->call.places = spawner->places;
  spawner->call.images = spawner->images;
  return spawner;
}

/* The image of a part; made, with defaults, unless it has one. */
static char *image_of(Spawner *spawner, uint32_t part) {
  const Definition *definition = spawner->definitions[part];
  if (!spawner->images[part]) {
    memcpy(spawner->memory, definition->defaults, definition->image_bytes);
    spawner->images[part] = spawner->memory;
    spawner->memory += aligned(definition->image_bytes);
  }
  return (char *)(uintptr_t)spawner->images[part];
}

static char *last_image(Spawner *spawner) {
  return image_of(spawner, spawner->part_count - 1);
}

/* Adds what a prefab has and the call has not named. Called last. */
static void add_prefab(Spawner *spawner, const Prefab *prefab) {
  uint32_t count = spawner->part_count;
  for (uint32_t p = 0; p < prefab->members[0].count; p++) {
    const Given *given = &prefab->parts[p];
    uint32_t part = 0;
    while (part < count && spawner->definitions[part] != given->definition)
      part++;
    if (part == count) part = spawner->part_count++;
    spawner->definitions[part] = given->definition;
    if (given->image)
      bind_override(given->definition, image_of(spawner, part), given->image,
                    given->fields & ~spawner->seen[part]);
  }
}

/* Adds a part; returns which of its fields it gives. */
static uint64_t add_part(lua_State *L, Spawner *spawner, const Given *given) {
  for (uint32_t k = 0; k < spawner->part_count; k++)
    if (spawner->definitions[k] == given->definition)
      bind_error(L, "spawner names %s twice", given->definition->name);
  spawner->definitions[spawner->part_count++] = given->definition;
  if (!given->image) return 0;
  bind_pin_image(L, given->definition, given->image);
  memcpy(last_image(spawner), given->image, given->definition->image_bytes);
  return given->fields;
}

/* Reads the table of the last part's fixed fields, which has none yet. */
static uint64_t add_table(lua_State *L, Spawner *spawner, int index,
                          uint64_t seen) {
  const Definition *definition = spawner->definitions[spawner->part_count - 1];
  if (seen != 0 || lua_type(L, index - 1) == LUA_TTABLE)
    bind_error(L,
               "spawner: the table of %s stands behind the component, before "
               "the names of arguments",
               definition->name);
  if (definition->field_count == 0) /* raises */
    return bind_fields_read(L, index, definition, NULL);
  if (!definition->held)
    return bind_fields_read(L, index, definition, last_image(spawner));
  Value *value = bind_value_new(L, definition);
  uint64_t fields = bind_fields_read(L, index, definition, value->image);
  bind_pin_image(L, definition, value->image);
  memcpy(last_image(spawner), value->image, definition->image_bytes);
  lua_pop(L, 1);
  return fields;
}

/* Makes the field that the name at index is of an argument. */
static uint64_t add_argument(lua_State *L, Spawner *spawner, int index,
                             uint64_t seen) {
  uint32_t part = spawner->part_count - 1;
  const Definition *definition = spawner->definitions[part];
  uint32_t field = bind_field_check(L, index, definition);
  if (definition->held >> field & 1)
    bind_error(
        L,
        "spawner: %s.%s is of type %s, and cannot be an argument: set it "
        "behind the spawn, or use world:spawn",
        definition->name, definition->fields[field].name,
        ecs_scalar_name(definition->fields[field].type));
  if (seen >> field & 1)
    bind_error(L, "spawner names %s.%s twice", definition->name,
               definition->fields[field].name);
  uint32_t k = spawner->call.count++;
  spawner->arguments[k] = (SpawnArgument){part, field};
  spawner->places[k] =
      (SpawnPlace){last_image(spawner) + definition->offsets[field],
                   definition->fields[field].type};
  return UINT64_C(1) << field;
}

const SpawnCall *bind_spawner_push(lua_State *L) {
  LuaWorld *world = bind_world_check(L, 1);
  int top = lua_gettop(L);
  const Prefab *prefab;
  Sizes sizes = measure(L, top, &prefab);
  Spawner *spawner = push_spawner(L, world, &sizes);
  spawner->prefab = prefab;
  uint64_t seen = 0; /* fields of the last part that are given or arguments */
  for (int k = 2; k <= top; k++) {
    Given given;
    if (bind_prefab_find(L, k)) continue;
    if (bind_given_find(L, k, &given))
      seen = add_part(L, spawner, &given);
    else if (lua_istable(L, k))
      seen |= add_table(L, spawner, k, seen);
    else
      seen |= add_argument(L, spawner, k, seen);
    spawner->seen[spawner->part_count - 1] = seen;
  }
  if (prefab) add_prefab(spawner, prefab);
  ECS_ASSERT(spawner->part_count <= sizes.parts);
  ECS_ASSERT(spawner->call.count == sizes.arguments);
  int prepared = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushliteral(L, "spawn");
  lua_pushvalue(L, prepared);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, spawn, UP_WORLD);
  return &spawner->call;
}

/* The fields of a part that are no arguments and no defaults. */
static uint64_t fixed_fields(const Spawner *spawner, uint32_t part) {
  const Definition *definition = spawner->definitions[part];
  const char *image = (const char *)spawner->images[part];
  const char *defaults = (const char *)definition->defaults;
  uint64_t fields = 0;
  for (uint32_t f = 0; f < definition->field_count; f++) {
    size_t bytes = ecs_scalar_bytes(definition->fields[f].type);
    uint32_t offset = definition->offsets[f];
    if (memcmp(image + offset, defaults + offset, bytes) != 0)
      fields |= UINT64_C(1) << f;
  }
  for (uint32_t k = 0; k < spawner->call.count; k++)
    if (spawner->arguments[k].part == part)
      fields &= ~(UINT64_C(1) << spawner->arguments[k].field);
  return fields;
}

void bind_spawner_describe(lua_State *L, const Spawner *spawner) {
  lua_createtable(L, (int)spawner->part_count, 0);
  for (uint32_t part = 0; part < spawner->part_count; part++) {
    const Definition *definition = spawner->definitions[part];
    lua_createtable(L, 2, 0);
    bind_definition_push(L, definition);
    lua_rawseti(L, -2, 1);
    bind_fields_push(
        L, definition, spawner->images[part],
        definition->field_count > 0 ? fixed_fields(spawner, part) : 0);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, (int)part + 1);
  }
  lua_createtable(L, (int)spawner->call.count, 0);
  for (uint32_t k = 0; k < spawner->call.count; k++) {
    const SpawnArgument *argument = &spawner->arguments[k];
    lua_createtable(L, 2, 0);
    compat_push_whole(L, argument->part + 1.0);
    lua_rawseti(L, -2, 1);
    lua_pushstring(
        L, spawner->definitions[argument->part]->fields[argument->field].name);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, (int)k + 1);
  }
  lua_pushboolean(L, has_children(spawner));
}

static int world_spawner(lua_State *L) {
  bind_spawner_push(L);
  return 1;
}

void bind_open_spawner(lua_State *L) {
  static const luaL_Reg methods[] = {{"spawner", world_spawner}, {NULL, NULL}};
  bind_push_methods(L, KIND_WORLD);
  bind_add(L, methods);
  lua_pop(L, 1);
}

/* order_test.c: worlds and states in random order, compared with a model.
 *
 * Three worlds, two states, and every call by which a host or a script
 * attaches, detaches or destroys one of them. The model has an owner and a
 * state for each world. After every step, a world has memory exactly if the
 * model has that world, and scripts reach exactly the worlds of the model.
 */
#include "host_fixture.h"

#define WORLDS 3
#define STATES 2
#define STEPS 10000

typedef enum Owner { NO_OWNER, HOST, LUA } Owner;

typedef struct Slot {
  Owner owner;
  int state; /* index of the state that has the world; -1: none */
  ecs_World *world;
  FailingMemory memory;
} Slot;

typedef struct Play {
  uint64_t random;
  lua_State *states[STATES];
  Slot slots[WORLDS];
  bool named[STATES][WORLDS]; /* a variable of the state holds the world */
} Play;

static uint32_t draw(Play *play, uint32_t below) {
  play->random ^= play->random << 13;
  play->random ^= play->random >> 7;
  play->random ^= play->random << 17;
  return (uint32_t)(play->random >> 33) % below;
}

static void create(Slot *slot) {
  ecs_WorldDescription description = {failing_memory_init(&slot->memory), 0};
  assert_int_equal(ecs_world_create(&description, &slot->world), ECS_OK);
  define_position(slot->world);
  slot->owner = HOST;
  slot->state = -1;
}

static void set_name(Play *play, int s, int w) {
  const char name[] = {'w', (char)('0' + w), 0};
  lua_setglobal(play->states[s], name);
  run(play->states[s], "P = require 'ecs'.component 'Position'");
  play->named[s][w] = true;
}

/* Pushes or gives a world: refused when another state has it, or Lua owns it.
 */
static void enter(Play *play, int s, int w, bool for_good) {
  Slot *slot = &play->slots[w];
  lua_State *L = play->states[s];
  int status =
      for_good ? ecs_lua_give(L, slot->world) : ecs_lua_push(L, slot->world);
  bool granted = slot->owner == HOST && (slot->state < 0 || slot->state == s);
  if (!granted) {
    refused(L, status, "belongs to");
    return;
  }
  assert_int_equal(status, 0);
  assert_ptr_equal(ecs_lua_world(L, -1), slot->world);
  set_name(play, s, w);
  slot->state = s;
  if (for_good) slot->owner = LUA;
}

static void detach(Play *play, int s, int w) {
  Slot *slot = &play->slots[w];
  assert_int_equal(ecs_lua_detach(play->states[s], slot->world), 0);
  if (slot->owner == HOST && slot->state == s) slot->state = -1;
}

/* A script spawns, makes a query and keeps it, if the world exists. */
static void use(Play *play, int s, int w) {
  char chunk[300];
  bool reachable =
      play->slots[w].owner != NO_OWNER && play->slots[w].state == s;
  if (!play->named[s][w]) return;
  snprintf(chunk, sizeof chunk,
           "if row%d then pcall(function() return row%d.x end) end\n"
           "local ok = pcall(function() w%d:spawn(P); q%d = w%d:query { P }\n"
           "  for _, p in q%d:rows() do row%d = p end end)\n"
           "assert(ok == %s)",
           w, w, w, w, w, w, w, reachable ? "true" : "false");
  run(play->states[s], chunk);
}

static void close_by_script(Play *play, int s, int w) {
  char chunk[40];
  Slot *slot = &play->slots[w];
  if (!play->named[s][w]) return;
  snprintf(chunk, sizeof chunk, "w%d:close()", w);
  run(play->states[s], chunk);
  if (slot->owner == NO_OWNER || slot->state != s) return;
  slot->state = -1;
  if (slot->owner == LUA) slot->owner = NO_OWNER;
}

/* A script forgets a world; one that is Lua's ends with that. What LuaJIT
 * compiles, and when, is chance, and a trace keeps the closures that it was
 * specialised for alive, with the world in their upvalues: without the flush, a
 * world now and then outlives the collection. */
static void drop(Play *play, int s, int w) {
  char chunk[120];
  Slot *slot = &play->slots[w];
  snprintf(chunk, sizeof chunk,
           "w%d, q%d, row%d = nil; if jit then jit.flush() end\n"
           "collectgarbage(); collectgarbage()",
           w, w, w);
  run(play->states[s], chunk);
  play->named[s][w] = false;
  if (slot->owner == LUA && slot->state == s) slot->owner = NO_OWNER;
}

static void restart(Play *play, int s) {
  lua_close(play->states[s]);
  play->states[s] = new_state();
  for (int w = 0; w < WORLDS; w++) {
    Slot *slot = &play->slots[w];
    play->named[s][w] = false;
    if (slot->owner == NO_OWNER || slot->state != s) continue;
    slot->state = -1;
    if (slot->owner == LUA) slot->owner = NO_OWNER;
  }
}

static void step(Play *play) {
  int s = (int)draw(play, STATES), w = (int)draw(play, WORLDS);
  Slot *slot = &play->slots[w];
  uint32_t choice = draw(play, 100);
  if (slot->owner == NO_OWNER && choice < 50) {
    create(slot);
  } else if (choice < 2) {
    restart(play, s);
  } else if (choice < 40) {
    use(play, s, w);
  } else if (choice < 46) {
    close_by_script(play, s, w);
  } else if (choice < 52) {
    drop(play, s, w);
  } else if (slot->owner == NO_OWNER) {
    return;
  } else if (choice < 80) {
    enter(play, s, w, choice < 58);
  } else if (choice < 90) {
    detach(play, s, w);
  } else if (slot->owner == HOST) {
    ecs_world_destroy(slot->world);
    slot->owner = NO_OWNER;
  }
}

static void every_order_is_sound(void **unused) {
  (void)unused;
  Play play;
  memset(&play, 0, sizeof play);
  play.random = UINT64_C(0x9e3779b97f4a7c15);
  for (int s = 0; s < STATES; s++) play.states[s] = new_state();
  for (int k = 0; k < STEPS; k++) {
    step(&play);
    for (int w = 0; w < WORLDS; w++)
      assert_int_equal(play.slots[w].memory.blocks > 0,
                       play.slots[w].owner != NO_OWNER);
  }
  for (int s = 0; s < STATES; s++) lua_close(play.states[s]);
  for (int w = 0; w < WORLDS; w++)
    if (play.slots[w].owner == HOST) ecs_world_destroy(play.slots[w].world);
  for (int w = 0; w < WORLDS; w++)
    assert_int_equal(play.slots[w].memory.blocks, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_order_is_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

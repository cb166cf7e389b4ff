/* misuse.c: names what a host does wrong, in the checked build. */
#include "base/misuse.h"

#ifdef ECS_CHECKED
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/invariant.h"

typedef struct Living {
  const void *object; /* NULL: a free place, or one that was left */
  LivingKind kind;    /* 0: a place that was never used ends a search */
  const char *locked; /* why nothing may call into it; NULL: calls may */
} Living;

/* A hash table with open addressing: at most half of its places are used. */
static Living *places; /* owned; freed with the last object */
static size_t place_count, used_count, living_count;
static atomic_flag taken = ATOMIC_FLAG_INIT;

static void take_list(void) {
  while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) {
  }
}

static void give_list(void) {
  atomic_flag_clear_explicit(&taken, memory_order_release);
}

static size_t first_place(const void *object) {
  uint64_t mixed = (uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(mixed >> 32) & (place_count - 1);
}

static Living *find(LivingKind kind, const void *object) {
  if (place_count == 0 || object == NULL) return NULL;
  size_t i = first_place(object);
  for (; places[i].kind != 0; i = (i + 1) & (place_count - 1))
    if (places[i].object == object && places[i].kind == kind) return &places[i];
  return NULL;
}

static void insert(Living living) {
  size_t i = first_place(living.object);
  while (places[i].kind != 0) i = (i + 1) & (place_count - 1);
  places[i] = living;
  used_count++;
}

/* Makes room for one more, and forgets the places that were left. */
static void make_room(void) {
  Living *old = places;
  size_t count = place_count;
  if ((used_count + 1) * 2 <= place_count) return;
  place_count = 64;
  while (place_count < (living_count + 1) * 4) place_count *= 2;
  places = calloc(place_count, sizeof *places);
  if (places == NULL) abort();
  used_count = 0;
  for (size_t i = 0; i < count; i++)
    if (old[i].object != NULL) insert(old[i]);
  free(old);
}

void living_enter(LivingKind kind, const void *object) {
  take_list();
  ECS_ASSERT(object != NULL && find(kind, object) == NULL);
  make_room();
  insert((Living){object, kind, NULL});
  living_count++;
  give_list();
}

void living_leave(LivingKind kind, const void *object) {
  take_list();
  Living *living = find(kind, object);
  ECS_ASSERT(living != NULL);
  living->object = NULL;
  if (--living_count == 0) {
    free(places);
    places = NULL;
    place_count = used_count = 0;
  }
  give_list();
}

bool living_has(LivingKind kind, const void *object) {
  take_list();
  bool has = find(kind, object) != NULL;
  give_list();
  return has;
}

void living_lock(LivingKind kind, const void *object, const char *what) {
  take_list();
  Living *living = find(kind, object);
  ECS_ASSERT(living != NULL);
  living->locked = what;
  give_list();
}

void misuse_report(const char *function, const char *what) {
  (void)fprintf(stderr, "ecs: misuse: %s: %s\n", function, what);
  abort();
}

void misuse_unless_alive(LivingKind kind, const void *object,
                         const char *function) {
  static const char *const gone[] = {"",
                                     "the world is none, or is gone",
                                     "the query is none, or is gone",
                                     "the kernel binding is none, or is gone",
                                     "the program is none, or is gone",
                                     "the grid is none, or is gone"};
  take_list();
  const Living *living = find(kind, object);
  const char *what = living == NULL ? gone[kind] : living->locked;
  give_list();
  if (what != NULL) misuse_report(function, what);
}
#endif

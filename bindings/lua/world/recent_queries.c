/* recent_queries.c: which queries a world was asked for last. */
#include "world/recent_queries.h"

#include "api/for_bindings.h"

static uint16_t *bucket_of(RecentQueries *recent, uint32_t hash) {
  return &recent->buckets[hash % RECENT_BUCKETS];
}

/* slot, or the first one after it in its bucket that has this hash. */
static uint16_t with_hash(const RecentQueries *recent, uint16_t slot,
                          uint32_t hash) {
  while (slot && recent->hashes[slot] != hash) slot = recent->chain[slot];
  return slot;
}

uint16_t recent_first(const RecentQueries *recent, uint32_t hash) {
  return with_hash(recent, recent->buckets[hash % RECENT_BUCKETS], hash);
}

uint16_t recent_next(const RecentQueries *recent, uint16_t slot) {
  return with_hash(recent, recent->chain[slot], recent->hashes[slot]);
}

/* The list of ages -------------------------------------------------------- */

static void unlink_slot(RecentQueries *recent, uint16_t slot) {
  recent->older[recent->newer[slot]] = recent->older[slot];
  recent->newer[recent->older[slot]] = recent->newer[slot];
}

static void link_newest(RecentQueries *recent, uint16_t slot) {
  uint16_t newest = recent->older[0];
  recent->older[slot] = newest;
  recent->newer[slot] = 0;
  recent->newer[newest] = slot;
  recent->older[0] = slot;
}

void recent_touch(RecentQueries *recent, uint16_t slot) {
  ECS_ASSERT(slot > 0 && slot <= recent->count);
  if (recent->older[0] == slot) return;
  unlink_slot(recent, slot);
  link_newest(recent, slot);
}

bool recent_touch_stamped(RecentQueries *recent, uint32_t slot, double stamp) {
  if (slot == 0 || slot > recent->count || recent->stamps[slot] != stamp)
    return false;
  recent_touch(recent, (uint16_t)slot);
  return true;
}

/* Taking slots ------------------------------------------------------------ */

static void leave_bucket(RecentQueries *recent, uint16_t slot) {
  uint16_t *place = bucket_of(recent, recent->hashes[slot]);
  while (*place != slot) {
    ECS_ASSERT(*place); /* every slot in use is in its bucket */
    place = &recent->chain[*place];
  }
  *place = recent->chain[slot];
}

uint16_t recent_take(RecentQueries *recent, uint32_t hash) {
  uint16_t slot;
  if (recent->count < RECENT_QUERIES) {
    slot = ++recent->count;
  } else {
    slot = recent->newer[0]; /* the oldest */
    leave_bucket(recent, slot);
    unlink_slot(recent, slot);
  }
  uint16_t *bucket = bucket_of(recent, hash);
  recent->stamps[slot] = ++recent->stamp;
  recent->hashes[slot] = hash;
  recent->chain[slot] = *bucket;
  *bucket = slot;
  link_newest(recent, slot);
  return slot;
}

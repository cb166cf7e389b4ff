/* bench_save.c: a world of many entities as a file, and back.
 *
 * Entities have two components, of two and of three fields of four bytes. Each
 * row is measured in turns with what it is compared to, in the same folder:
 *
 * - save: the world is written, synced. Beside it: the same bytes, from memory.
 * - copy: the file is read, written and synced, as cp and sync do.
 * - load: the file is read, and put in place of another world's state.
 * - hash: of the world, all of which is read. Beside it: memcpy of its columns
 *   and entities.
 * - again: the same hash, when nothing has changed since the last one.
 *
 * The last argument is the folder; there must be room for two files.
 */
#define _DEFAULT_SOURCE /* fileno, getrusage */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "scene.h"

#define TURNS 3u

typedef struct Place {
  char path[300], other[300];
  char *bytes; /* of the file */
  size_t count;
} Place;

static double seconds(void) { return measure_clock() / 1e9; }

static void must(bool done, const char *what) {
  if (!done) measure_fail(what, "failed");
}

static bool to_file(void *user, const void *bytes, size_t count) {
  return fwrite(bytes, 1, count, user) == count;
}

static void sync_and_close(FILE *file) {
  must(fflush(file) == 0 && fsync(fileno(file)) == 0, "fsync");
  (void)fclose(file);
}

static double save(ecs_World *world, const Place *place) {
  double begin = seconds();
  FILE *file = fopen(place->path, "wb");
  must(file != NULL, place->path);
  const ecs_SaveSink sink = {to_file, file};
  MUST(ecs_world_save(world, "", 0, &sink));
  sync_and_close(file);
  return seconds() - begin;
}

static double write_bytes(const Place *place) {
  double begin = seconds();
  FILE *file = fopen(place->other, "wb");
  must(file != NULL && to_file(file, place->bytes, place->count), "fwrite");
  sync_and_close(file);
  return seconds() - begin;
}

static void read_bytes(Place *place) {
  FILE *file = fopen(place->path, "rb");
  must(file != NULL && fseek(file, 0, SEEK_END) == 0, place->path);
  place->count = (size_t)ftell(file);
  rewind(file);
  place->bytes = scene_allocate(place->count, 1);
  must(fread(place->bytes, 1, place->count, file) == place->count, "fread");
  (void)fclose(file);
}

static double copy(Place *place) {
  double begin = seconds();
  free(place->bytes);
  read_bytes(place);
  (void)write_bytes(place);
  return seconds() - begin;
}

static double load(ecs_World *world, Place *place) {
  char problem[200] = "";
  ecs_Saved *saved = NULL;
  double begin = seconds();
  free(place->bytes);
  read_bytes(place);
  MUST(ecs_saved_open(world, place->bytes, place->count, &saved, problem, 200));
  MUST(ecs_saved_load(saved, NULL, problem, 200));
  ecs_saved_close(saved);
  return seconds() - begin;
}

static ecs_World *open_world(ecs_Component *components) {
  ecs_World *world = scene_world();
  components[0] = scene_component(world, "Position", 2, ECS_STORE_TABLE);
  components[1] = scene_component(world, "Body", 3, ECS_STORE_TABLE);
  return world;
}

static uint64_t bytes_of(const ecs_World *world) {
  ecs_Statistics statistics;
  ecs_world_statistics(world, &statistics);
  return statistics.bytes;
}

static double least(double one, double other) {
  return one < other ? one : other;
}

static double copy_columns(size_t count) {
  char *from = scene_allocate(count, 1), *to = scene_allocate(count, 1);
  memset(from, 1, count);
  memset(to, 2, count);
  double begin = seconds();
  memcpy(to, from, count);
  double time = seconds() - begin;
  must(to[count - 1] == 1, "memcpy");
  free(from);
  free(to);
  return time;
}

/* Has the next hash read every row: there was another one in between. */
static void stir(ecs_World *world) {
  ecs_Entity entity = 0;
  MUST(ecs_spawn(world, NULL, 0, NULL, &entity));
  MUST(ecs_destroy(world, entity));
}

int main(int argument_count, char **arguments) {
  measure_open(1, arguments, "a file of the same bytes");
  uint32_t size = measure_size(10000000);
  if (argument_count > 1) size = (uint32_t)strtoul(arguments[1], NULL, 10);
  const char *folder = argument_count > 2 ? arguments[2] : "/tmp";
  ecs_Component components[2], others[2];
  Place place = {.bytes = NULL};
  snprintf(place.path, sizeof place.path, "%s/bench_save.zip", folder);
  snprintf(place.other, sizeof place.other, "%s/bench_save.copy", folder);
  ecs_World *world = open_world(components), *other = open_world(others);
  ecs_Entity *entities = scene_allocate(size, sizeof(ecs_Entity));
  double begin = seconds(), build = 0;
  scene_spawn(world, components, 2, size, entities);
  build = seconds() - begin;
  free(entities);
  double times[6] = {1e9, 1e9, 1e9, 1e9, 1e9, 1e9}, moved = 1e9;
  uint64_t hash = 0, columns = (uint64_t)size * 20;
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    times[0] = least(times[0], save(world, &place));
    times[1] = least(times[1], copy(&place));
    times[2] = least(times[2], write_bytes(&place));
    times[3] = least(times[3], load(other, &place));
    moved = least(moved, copy_columns(columns + (uint64_t)size * 8));
    stir(world);
    stir(other);
    begin = seconds();
    hash = ecs_world_hash(world);
    times[4] = least(times[4], seconds() - begin);
    begin = seconds();
    must(hash == ecs_world_hash(world), "the hash again");
    times[5] = least(times[5], seconds() - begin);
    must(hash == ecs_world_hash(other), "the same hash");
  }
  struct rusage usage;
  (void)getrusage(RUSAGE_SELF, &usage);
  printf("%u entities, %.0f MB of columns, a file of %.0f MB\n", size,
         (double)columns / 1e6, (double)place.count / 1e6);
  printf("build  %8.3f s\n", build);
  printf("write  %8.3f s   the same bytes, synced\n", times[2]);
  printf("copy   %8.3f s   read, written, synced\n", times[1]);
  printf("save   %8.3f s   %.2f of copy\n", times[0], times[0] / times[1]);
  printf("load   %8.3f s   %.2f of copy\n", times[3], times[3] / times[1]);
  printf("hash   %8.3f s   %.2f GB/s; memcpy %.2f GB/s\n", times[4],
         (double)(columns + (uint64_t)size * 8) / times[4] / 1e9,
         (double)(columns + (uint64_t)size * 8) / moved / 1e9);
  printf("again  %8.3f us  nothing has changed\n", times[5] * 1e6);
  printf(
      "memory %8.0f MB  the world, %.2f of columns and 16 bytes each; after "
      "a load %.0f MB; the process at most %.0f MB\n",
      (double)bytes_of(world) / 1e6,
      (double)bytes_of(world) / ((double)columns + 16.0 * size),
      (double)bytes_of(other) / 1e6, (double)usage.ru_maxrss / 1e3);
  (void)remove(place.path);
  (void)remove(place.other);
  ecs_world_destroy(other);
  ecs_world_destroy(world);
  free(place.bytes);
  measure_close();
  return 0;
}

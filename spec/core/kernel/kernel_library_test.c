/* kernel_library_test.c: loading native kernels from shared libraries.
 *
 * The libraries are written into a directory of their own and built with the
 * compiler ($CC, or cc) when the test runs; each is one object, right or wrong
 * in one way.
 *
 *      handshake {abi, sizes}   what ecs_library_load returns
 *      ours                     ECS_OK
 *      another                  ECS_E_ABI, a reason
 *      no such object           ECS_E_LIBRARY, a reason
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test_case.h"
#include "ecs.h"

static char directory[64] = "/tmp/ecs_library_test_XXXXXX";

/* Including the header would need its path, so the layouts are repeated here,
 * as in a library that was built elsewhere. */
static const char source[] =
    "#include <stdint.h>\n"
    "typedef struct { const void *blocks; uint32_t count, r; double dt;\n"
    "  uint64_t tick; void *user; const void *arrays; } Call;\n"
    "typedef struct { const char *component, *field; int type, access; }\n"
    "  Column;\n"
    "typedef struct { const char *name; void (*run)(const Call *);\n"
    "  const Column *columns; uint32_t count, whole; void *p, *a; } Kernel;\n"
    "typedef struct { const char *n; int type; uint32_t at, size; } Member;\n"
    "typedef struct { const char *n; int type; uint32_t d; int access; }\n"
    "  Array;\n"
    "typedef struct { void *e; uint32_t sizes[3], d; int type, access; }\n"
    "  Elements;\n"
    "typedef struct { uint32_t abi, kernel, column, call;\n"
    "  const Kernel *kernels; uint32_t count, r, array, elements; } Library;\n"
    "static void answer(const Call *call) { *(double *)call->user = 42; }\n"
    "static void twice(const Call *call) { *(double *)call->user *= 2; }\n"
    "static const Column columns[] = {{\"P\", \"x\", 1, 0}};\n"
    "static const Kernel kernels[] = {{\"answer\", answer, columns, 1, 0, 0},\n"
    "  {\"twice\", twice, columns, 1, 1, 0}};\n"
    "__attribute__((visibility(\"default\")))\n"
    "const Library NAME = {3 + ABI, sizeof(Kernel) + KERNEL,\n"
    "  sizeof(Column) + COLUMN, sizeof(Call) + CALL, kernels, 2,\n"
    "  sizeof(Member), sizeof(Array) + ARRAY,\n"
    "  sizeof(Elements)};\n";

/* Builds a library with these macros; the path stays good until the next. */
static const char *build(const char *name, const char *macros) {
  static char path[128];
  char command[512];
  const char *compiler = getenv("CC") != NULL ? getenv("CC") : "cc";
  snprintf(path, sizeof path, "%s/%s.c", directory, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(source, file) >= 0);
  assert_int_equal(fclose(file), 0);
  snprintf(path, sizeof path, "%s/%s.so", directory, name);
  snprintf(command, sizeof command,
           "%s -shared -fPIC -DNAME=ecs_kernel_library -DABI=0 -DKERNEL=0 "
           "-DCOLUMN=0 -DCALL=0 -DARRAY=0 %s -o %s %s/%s.c",
           compiler, macros, path, directory, name);
  assert_int_equal(system(command), 0);
  return path;
}

static int make_directory(void **state) {
  (void)state;
  return mkdtemp(directory) == NULL ? -1 : 0;
}

static int remove_directory(void **state) {
  char command[128];
  (void)state;
  snprintf(command, sizeof command, "rm -r %s", directory);
  return system(command);
}

TEST(a_library_of_this_abi_is_loaded) {
  const ecs_KernelLibrary *library = NULL, *again = NULL;
  const char *path = build("good", "");
  char text[128] = "untouched";
  assert_int_equal(ecs_library_load(path, &library, text, sizeof text), ECS_OK);
  assert_string_equal(text, "untouched");
  assert_int_equal(library->kernel_count, 2);
  assert_int_equal(ecs_library_load(path, &again, NULL, 0), ECS_OK);
  assert_ptr_equal(again, library);
  const ecs_Kernel *kernel = ecs_library_find(library, "answer");
  double value = 0;
  const ecs_KernelCall call = {.user = &value};
  kernel->run(&call);
  assert_true(value == 42);
  assert_int_equal(kernel->column_count, 1);
  assert_string_equal(kernel->columns[0].component, "P");
  assert_int_equal(kernel->columns[0].type, ECS_F64);
}

TEST(kernels_are_found_by_their_whole_names) {
  const ecs_KernelLibrary *library = NULL;
  assert_int_equal(ecs_library_load(build("find", ""), &library, NULL, 0),
                   ECS_OK);
  assert_ptr_equal(ecs_library_find(library, "answer"), &library->kernels[0]);
  assert_ptr_equal(ecs_library_find(library, "twice"), &library->kernels[1]);
  static const char *const none[] = {"", "answe", "answers", "Answer", "third"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    assert_null(ecs_library_find(library, none[i]));
}

TEST(a_library_of_another_abi_is_refused) {
  static const char *const macros[] = {
      "-DABI=1",     "-DABI=-1", "-DKERNEL=8", "-DKERNEL=-8", "-DCOLUMN=8",
      "-DCOLUMN=-8", "-DCALL=8", "-DCALL=-8",  "-DARRAY=4",   "-DARRAY=-4"};
  for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) {
    char name[16], text[128] = "", all[64];
    const ecs_KernelLibrary *library = NULL;
    snprintf(name, sizeof name, "other%u", (unsigned)i);
    snprintf(all, sizeof all, "-U%.*s %s",
             (int)(strchr(macros[i], '=') - macros[i] - 2), macros[i] + 2,
             macros[i]);
    assert_int_equal(
        ecs_library_load(build(name, all), &library, text, sizeof text),
        ECS_E_ABI);
    assert_null(library);
    assert_string_equal(text, "it was built against another ecs.h");
  }
}

TEST(what_is_no_kernel_library_is_refused_with_a_reason) {
  const ecs_KernelLibrary *library = NULL;
  char text[256] = "";
  const char *path = build("nameless", "-UNAME -DNAME=something");
  assert_int_equal(ecs_library_load(path, &library, text, sizeof text),
                   ECS_E_LIBRARY);
  assert_string_equal(text, "it exports no ecs_kernel_library");
  assert_int_equal(
      ecs_library_load("/nowhere/at/all.so", &library, text, sizeof text),
      ECS_E_LIBRARY);
  assert_non_null(strstr(text, "/nowhere/at/all.so"));
  assert_null(library);
}

TEST(a_reason_is_cut_to_the_room_there_is) {
  const ecs_KernelLibrary *library = NULL;
  for (size_t capacity = 0; capacity < 20; capacity++) {
    char text[32];
    memset(text, '#', sizeof text);
    assert_int_equal(
        ecs_library_load("/nowhere/at/all.so", &library, text, capacity),
        ECS_E_LIBRARY);
    assert_int_equal(text[capacity], '#');
    if (capacity > 0) assert_int_equal(strlen(text), capacity - 1);
  }
  assert_int_equal(ecs_library_load("/nowhere.so", &library, NULL, 9),
                   ECS_E_LIBRARY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_library_of_this_abi_is_loaded),
      cmocka_unit_test(kernels_are_found_by_their_whole_names),
      cmocka_unit_test(a_library_of_another_abi_is_refused),
      cmocka_unit_test(what_is_no_kernel_library_is_refused_with_a_reason),
      cmocka_unit_test(a_reason_is_cut_to_the_room_there_is),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}

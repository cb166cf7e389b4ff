/* clones.h: functions that are compiled for several instruction sets. */
#ifndef ECS_CLONES_H
#define ECS_CLONES_H

/* CLONES before a function compiles it for each of these instruction sets. The
 * dynamic linker of glibc picks a clone when the library is loaded. The function
 * is static: GCC would export the choice of another one's clones, and the
 * process might have a function of that name. Under a
 * sanitizer there are no clones, as its runtime starts too late for that. Tests
 * define LOOPS_WITHOUT_CLONES to compile for one instruction set. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 &&      \
    defined(__x86_64__) && defined(__GLIBC__) &&                       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(LOOPS_WITHOUT_CLONES)
#define CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define HAS_CLONES 1
#else
#define CLONES
#define HAS_CLONES 0
#endif

#endif

/* test_case.h: how tests in C are declared.
 *
 *      TEST(a_set_has_what_was_added) {
 *        ...
 *      }
 *
 *      cmocka_unit_test(a_set_has_what_was_added),
 *
 * Includes cmocka and what it asks for. A test that has a fixture from cmocka is
 * written out: it uses the pointer that a TEST leaves alone.
 */
#ifndef TEST_CASE_H
#define TEST_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TEST(name) static void name(__attribute__((unused)) void **state)

#endif

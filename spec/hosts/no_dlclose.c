/* no_dlclose.c: a dlclose that does nothing, to be preloaded.
 *
 * Lua unloads its modules when its state is closed. Sanitizers report at the
 * end of the process and could not name the functions of an unloaded library.
 */
int dlclose(void *handle);

int dlclose(void *handle) {
  (void)handle;
  return 0;
}

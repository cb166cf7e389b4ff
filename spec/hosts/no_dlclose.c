/* no_dlclose.c: a dlclose that does nothing, to be preloaded.
 *
 * Lua closes its modules when its state is closed; sanitizers report what they
 * found at the very end, and then can name no function of a library that is
 * gone.
 */
int dlclose(void *handle);

int dlclose(void *handle) {
  (void)handle;
  return 0;
}

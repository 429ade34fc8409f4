/* SPDX-License-Identifier: MIT */
/* A mapping is new memory only if it is of no file. */
#include <sys/mman.h>
void *map_file(int fd, size_t n) {
  return mmap(0, n, PROT_READ, MAP_PRIVATE, fd, 0);
}
void *map_memory(size_t n) {
  return mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
/* functions:
map_memory malloc 0
*/
/* sites:
8 map_memory mmap pass-through - - void
*/

/* SPDX-License-Identifier: MIT */
/*
 * bytes.c -- libc's functions on bytes and strings, of the runtime's own.
 *
 * In a process that has a sanitizer, libc's names are the sanitizer's, which
 * takes what we do for the program's doing: it sees no lock of ours and none of
 * the loader's.  These are local to the library (runtime.version), and known by
 * the same names, so that what is used of summaries/ needs no change.
 *
 * This file is compiled so that a loop is not taken for the function that it is
 * in.
 */
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t len) {
#ifdef __x86_64__
  void *at = to;
  __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(len) : : "memory");
#else
  char *at = to;
  const char *next = from;
  for (size_t i = 0; i < len; i++)
    at[i] = next[i];
#endif
  return to;
}

void *memset(void *bytes, int value, size_t len) {
  unsigned char *at = bytes;
  for (size_t i = 0; i < len; i++)
    at[i] = (unsigned char)value;
  return bytes;
}

int memcmp(const void *a, const void *b, size_t len) {
  const unsigned char *x = a, *y = b;
  for (size_t i = 0; i < len; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}

void *memchr(const void *bytes, int value, size_t len) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < len; i++)
    if (at[i] == (unsigned char)value)
      return (void *)(at + i);
  return NULL;
}

size_t strlen(const char *text) {
  size_t len = 0;
  while (text[len])
    len++;
  return len;
}

int strcmp(const char *a, const char *b) {
  for (; *a && *a == *b; a++, b++)
    ;
  return (unsigned char)*a - (unsigned char)*b;
}
